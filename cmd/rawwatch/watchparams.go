package main

import (
	"net/url"
	"time"

	"github.com/rawwatch/rawwatch/rest"
)

func (f *watchFlags) check() error {
	if _, err := parseSeconds(f.idleTimeout); err != nil {
		return usagef("--idle-timeout is a time such as 90s or 5m, not %q", f.idleTimeout)
	}
	if f.resourceVersionMatch != "" && !f.once {
		return usagef("--resource-version-match needs --once: a watch that is resumed chooses it itself")
	}
	return nil
}

// idle is --idle-timeout as listwatch and rest take it: 0 is the default, negative none.
func (f *watchFlags) idle() time.Duration {
	d, _ := parseSeconds(f.idleTimeout) // check has seen it
	if d == 0 && f.idleTimeout != "" {
		return -1
	}
	return d
}

// apply lays the flags over the options of a target.
func (f *watchFlags) apply(o *rest.ListOptions) {
	if f.resourceVersion != "" {
		o.ResourceVersion = f.resourceVersion
	}
	if f.resourceVersionMatch != "" {
		o.ResourceVersionMatch = f.resourceVersionMatch
	}
	if f.timeoutSeconds != 0 {
		o.TimeoutSeconds = f.timeoutSeconds
	}
	if f.sendInitialEvents.value != nil {
		o.SendInitialEvents = f.sendInitialEvents.value
	}
	bookmarks := f.allowWatchBookmarks.value
	o.AllowWatchBookmarks = bookmarks == nil || *bookmarks
	if !o.AllowWatchBookmarks {
		// Said, so that listwatch does not ask for them of itself.
		if o.Extra == nil {
			o.Extra = url.Values{}
		}
		o.Extra.Set("allowWatchBookmarks", "false")
	}
}
