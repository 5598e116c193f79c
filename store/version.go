package store

// Version returns the resourceVersion of the newest commit: every change up to it is in the store. Where several
// sources feed the store it is empty; ask SourceVersion.
func (s *Store[T]) Version() string {
	s.views.mu.Lock()
	defer s.views.mu.Unlock()
	return onlyVersion(s.views.versions)
}

// SourceVersion returns the resourceVersion that the named Writer has reached, empty when unknown.
func (s *Store[T]) SourceVersion(name string) string {
	s.views.mu.Lock()
	defer s.views.mu.Unlock()
	return versionOf(s.views.versions, name)
}

func onlyVersion(versions []sourceVersion) string {
	version, sources := "", 0
	for _, v := range versions {
		if !v.gone {
			version = v.version
			sources++
		}
	}
	if sources != 1 {
		return ""
	}
	return version
}

func versionOf(versions []sourceVersion, name string) string {
	for _, v := range versions {
		if v.name == name && !v.gone {
			return v.version
		}
	}
	return ""
}
