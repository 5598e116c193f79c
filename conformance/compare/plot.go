package main

import (
	"bytes"
	"fmt"
	"html"
	"math"
)

// panel is one half of the plot: a figure against the object count, both logarithmic.
type panel struct {
	title, unit string
	left        float64 // of the area, in pixels
	low, high   float64 // of the figure, powers of ten
	value       func(point) float64
}

const (
	plotTop, plotHeight, plotWidth = 50.0, 330.0, 400.0
	fewest, mostObjects            = 1e3, 3e5
)

var colours = []string{"#1b6ca8", "#d1495b", "#8d6a9f", "#6b7280", "#2a9d5c", "#e08e0b", "#0f766e", "#b45309", "#4338ca", "#be185d"}

func (p panel) x(n float64) float64 {
	return p.left + plotWidth*math.Log10(n/fewest)/math.Log10(mostObjects/fewest)
}

func (p panel) y(v float64) float64 {
	v = min(max(v, p.low), p.high)
	return plotTop + plotHeight*(1-math.Log10(v/p.low)/math.Log10(p.high/p.low))
}

// plot draws the curve of a report as SVG.
func plot(r *report) []byte {
	var b bytes.Buffer
	fmt.Fprint(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1000 560" font-family="sans-serif" font-size="12">`,
		`<rect width="1000" height="560" fill="white"/>`, "\n")
	fmt.Fprintf(&b, `<text x="60" y="20">%s</text>`+"\n", html.EscapeString(r.Machine+", load average "+r.Load))
	names := curveNames(r.Curve)
	for _, p := range []panel{
		{"time to sync", "s", 60, 0.01, 100, func(p point) float64 { return p.Sync }},
		{"peak RSS after sync", "MB", 560, 10, 10_000, func(p point) float64 { return p.RSS }},
	} {
		p.axes(&b)
		for i, name := range names {
			p.line(&b, r.Curve, name, colours[i%len(colours)])
		}
	}
	for i, name := range names {
		x, y := 60+float64(i%4)*230, 450+float64(i/4)*22
		fmt.Fprintf(&b, `<rect x="%.0f" y="%.0f" width="14" height="4" fill="%s"/><text x="%.0f" y="%.0f">%s</text>`+"\n",
			x, y, colours[i%len(colours)], x+20, y+6, html.EscapeString(name))
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// axes draws the frame, the decades and the sizes.
func (p panel) axes(b *bytes.Buffer) {
	fmt.Fprintf(b, `<text x="%.0f" y="40" font-weight="bold">%s, %s</text>`+"\n", p.left, p.title, p.unit)
	for v := p.low; v <= p.high*1.001; v *= 10 {
		fmt.Fprintf(b, `<path d="M%.1f %.1fh%.0f" stroke="#ddd"/><text x="%.1f" y="%.1f" text-anchor="end">%g</text>`+"\n",
			p.left, p.y(v), plotWidth, p.left-6, p.y(v)+4, math.Round(v*100)/100)
	}
	for _, n := range sizes {
		fmt.Fprintf(b, `<path d="M%.1f %.1fv%.0f" stroke="#eee"/><text x="%.1f" y="%.1f" text-anchor="middle">%dk</text>`+"\n",
			p.x(float64(n)), plotTop, plotHeight, p.x(float64(n)), plotTop+plotHeight+18, n/1000)
	}
}

func (p panel) line(b *bytes.Buffer, curve []point, name, colour string) {
	move := "M"
	fmt.Fprint(b, `<path fill="none" stroke-width="2" stroke="`, colour, `" d="`)
	for _, at := range curve {
		if at.Name == name {
			fmt.Fprintf(b, "%s%.1f %.1f", move, p.x(float64(at.Objects)), p.y(p.value(at)))
			move = "L"
		}
	}
	fmt.Fprintln(b, `"/>`)
}

// curveNames are the rows in the order in which they appear.
func curveNames(curve []point) []string {
	var names []string
	seen := map[string]bool{}
	for _, p := range curve {
		if !seen[p.Name] {
			seen[p.Name] = true
			names = append(names, p.Name)
		}
	}
	return names
}
