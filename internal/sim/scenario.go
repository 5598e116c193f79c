package sim

import (
	"crypto/tls"
	"fmt"
	"testing"
	"time"
)

// Scenario is a session with one fault at one byte.
type Scenario struct {
	Plan    Plan
	Framing Framing
	Fault   Fault
	Phase   string
}

func (s Scenario) String() string {
	return fmt.Sprintf("%s over %s, %s after byte %d (%s)", s.Plan, s.Framing, s.Fault.Kind, s.Fault.At, s.Phase)
}

// stage is all scenarios of one plan, framing and kind: one for each byte, or for each of every so many.
type stage struct {
	plan      Plan
	framing   Framing
	kind      FaultKind
	stride    int64
	length    int64
	stretches []stretch
}

func (s *stage) count() int { return int((s.length + s.stride - 1) / s.stride) }

// Scenarios is all of them, in an order that does not change.
type Scenarios struct {
	stages      []stage
	certificate tls.Certificate
}

// strides say how densely a framing is covered. The handshakes of TLS make it ten times as long, and as dear.
var strides = map[Framing]int64{{}: 1, {Gzip: true}: 1, {TLS: true}: 5, {TLS: true, Gzip: true}: 9}

// NewScenarios rehearses each plan over each framing. It must be called in a bubble.
func NewScenarios(t testing.TB) *Scenarios {
	all := &Scenarios{certificate: NewCertificate()}
	for _, f := range []Framing{{}, {Gzip: true}, {TLS: true}, {TLS: true, Gzip: true}} {
		for p := range plans {
			wire, plain, stretches := rehearse(t, p, f, &all.certificate)
			for kind := range faultKinds {
				s := stage{plan: p, framing: f, kind: kind, stride: strides[f], length: wire, stretches: stretches}
				switch {
				case !f.TLS && (kind == Corrupt || kind == CloseNotify):
					continue // without TLS nobody could tell, or it is a FIN
				case kind == CloseNotify:
					s.length, s.stretches = plain, nil
				}
				all.stages = append(all.stages, s)
			}
		}
	}
	return all
}

// Len returns how many there are.
func (s *Scenarios) Len() int {
	n := 0
	for i := range s.stages {
		n += s.stages[i].count()
	}
	return n
}

// At returns the nth.
func (s *Scenarios) At(n int) Scenario {
	for i := range s.stages {
		st := &s.stages[i]
		if n >= st.count() {
			n -= st.count()
			continue
		}
		at := int64(n) * st.stride
		c := Scenario{Plan: st.plan, Framing: st.framing, Fault: Fault{Kind: st.kind, At: at}, Phase: "any"}
		if st.stretches != nil {
			c.Phase = phase(st.stretches, at)
		}
		return c
	}
	panic("sim: there are not so many scenarios")
}

// Outcome is how a scenario ended.
type Outcome struct {
	Scenario
	Violations []Violation
	Fired      bool
	Events     int           // that the server committed
	Recovery   time.Duration // from the fault, or the end of the script where that is later, until everything was as it should be
	Relists    uint64
}

// patience is how long a session gets to recover: 150 s of silence, a back-off, the slow handler, and the seconds between two looks.
const patience = 160 * time.Second

// Run plays one scenario. It must be called in a bubble of its own.
func (s *Scenarios) Run(t testing.TB, c Scenario) Outcome {
	w := newSession(t, c.Plan, c.Framing, &s.certificate)
	w.Network.Inject(c.Fault)
	w.play()
	scripted := time.Now()
	_, converged := w.Converge(patience)
	recovered := time.Now()
	w.Stop()
	r := w.Record()
	r.Converged = converged
	o := Outcome{Scenario: c, Violations: Check(r), Fired: len(r.Fired) > 0, Events: len(r.Server)}
	if o.Fired && r.Fired[0].Time.After(scripted) {
		scripted = r.Fired[0].Time
	}
	o.Recovery = recovered.Sub(scripted)
	for _, source := range r.Status.Sources {
		for _, n := range source.Reflector.Relists {
			o.Relists += n
		}
	}
	return o
}
