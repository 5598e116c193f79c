package rest

import "time"

const (
	defaultUserAgent        = "rawwatch"
	defaultDialTimeout      = 30 * time.Second
	defaultTLSTimeout       = 10 * time.Second
	defaultHeadTimeout      = 75 * time.Second
	defaultIdleTimeout      = 150 * time.Second
	defaultKeepAlive        = 30 * time.Second
	defaultIdleConnTimeout  = 90 * time.Second
	defaultReloadInterval   = time.Minute
	defaultMaxIdleConns     = 16
	defaultMaxInformational = 8
	defaultMaxErrorBytes    = 64 << 10
	defaultMaxGzipRatio     = 200
	defaultMaxGzipMembers   = 4 << 20
)

// withDefaults replaces zero by its default; negative stays and means off.
func (c Config) withDefaults() Config {
	orDuration := func(d *time.Duration, def time.Duration) {
		if *d == 0 {
			*d = def
		}
	}
	orInt := func(n *int, def int) {
		if *n == 0 {
			*n = def
		}
	}
	orDuration(&c.DialTimeout, defaultDialTimeout)
	orDuration(&c.TLSTimeout, defaultTLSTimeout)
	orDuration(&c.HeadTimeout, defaultHeadTimeout)
	orDuration(&c.IdleTimeout, defaultIdleTimeout)
	orDuration(&c.KeepAlive, defaultKeepAlive)
	orDuration(&c.IdleConnTimeout, defaultIdleConnTimeout)
	orDuration(&c.ReloadInterval, defaultReloadInterval)
	orInt(&c.MaxIdleConns, defaultMaxIdleConns)
	orInt(&c.MaxHeadBytes, defaultMaxHeadBytes)
	orInt(&c.MaxHeadFields, defaultMaxHeadFields)
	orInt(&c.MaxInformational, defaultMaxInformational)
	orInt(&c.MaxErrorBytes, defaultMaxErrorBytes)
	orInt(&c.MaxGzipRatio, defaultMaxGzipRatio)
	orInt(&c.MaxGzipMembers, defaultMaxGzipMembers)
	if c.UserAgent == "" {
		c.UserAgent = defaultUserAgent
	}
	return c
}
