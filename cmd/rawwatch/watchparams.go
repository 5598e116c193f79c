package main

import (
	"net/url"
	"time"

	"github.com/rawwatch/rawwatch/rest"
)

func (p *watchFlags) check() error {
	if _, err := parseSeconds(p.idleTimeout); err != nil {
		return usagef("--idle-timeout is a time such as 90s or 5m, not %q", p.idleTimeout)
	}
	if p.resourceVersionMatch != "" && !p.once {
		return usagef("--resource-version-match needs --once: a watch that is resumed chooses it itself")
	}
	return nil
}

// idle is --idle-timeout as listwatch and rest take it: 0 is the default, negative none.
func (p *watchFlags) idle() time.Duration {
	d, _ := parseSeconds(p.idleTimeout) // check has seen it
	if d == 0 && p.idleTimeout != "" {
		return -1
	}
	return d
}

// apply lays the flags over the options of a target.
func (p *watchFlags) apply(o *rest.ListOptions) {
	if p.resourceVersion != "" {
		o.ResourceVersion = p.resourceVersion
	}
	if p.resourceVersionMatch != "" {
		o.ResourceVersionMatch = p.resourceVersionMatch
	}
	if p.timeoutSeconds != 0 {
		o.TimeoutSeconds = p.timeoutSeconds
	}
	if p.sendInitialEvents.value != nil {
		o.SendInitialEvents = p.sendInitialEvents.value
	}
	bookmarks := p.allowWatchBookmarks.value
	o.AllowWatchBookmarks = bookmarks == nil || *bookmarks
	if !o.AllowWatchBookmarks {
		// Said, so that listwatch does not ask for them of itself.
		if o.Extra == nil {
			o.Extra = url.Values{}
		}
		o.Extra.Set("allowWatchBookmarks", "false")
	}
}
