package main

import (
	"fmt"
	"sort"
	"strings"

	"github.com/anishathalye/porcupine"
)

// Of one owner: what it has open.
type holds struct{ reads, writes int }

// By owner; nobody who has nothing. Porcupine keeps states, so none is changed.
type sharing map[string]holds

func (s sharing) with(owner string, h holds) sharing {
	next := sharing{}
	for name, has := range s {
		if name != owner {
			next[name] = has
		}
	}
	if h.reads+h.writes > 0 {
		next[owner] = h
	}
	return next
}

func (s sharing) hasWriter() bool {
	for _, h := range s {
		if h.writes > 0 {
			return true
		}
	}
	return false
}

// Readers are beside readers only, a writer beside nobody. Whoever writes may read as well; whoever reads may not begin to write.
func (s sharing) acquired(a action) (bool, sharing) {
	own := s[a.owner]
	others := s.with(a.owner, holds{})
	if own.reads+own.writes+1 != a.depth {
		return false, s
	}
	if a.reads {
		own.reads++
		return !others.hasWriter(), s.with(a.owner, own)
	}
	upgrades := own.reads > 0 && own.writes == 0
	own.writes++
	return len(others) == 0 && !upgrades, s.with(a.owner, own)
}

func (s sharing) released(a action) (bool, sharing) {
	own := s[a.owner]
	if a.reads {
		own.reads--
	} else {
		own.writes--
	}
	if own.reads < 0 || own.writes < 0 {
		return false, s
	}
	return true, s.with(a.owner, own)
}

func (s sharing) step(a action) (bool, sharing) {
	switch a.kind {
	case acquire:
		return s.acquired(a)
	case release:
		return s.released(a)
	case maybeAcquire:
		if fits, next := s.acquired(a); fits {
			return true, next
		}
	case maybeRelease:
		if fits, next := s.released(a); fits {
			return true, next
		}
	case expire:
		return true, s.with(a.owner, holds{})
	case forceWriter:
		if s.hasWriter() {
			return true, sharing{}
		}
	case forceReaders:
		if !s.hasWriter() {
			return true, sharing{}
		}
	}
	return true, s
}

func (s sharing) text() string {
	var owners []string
	for name, h := range s {
		owners = append(owners, fmt.Sprintf("%s %d %d", name, h.reads, h.writes))
	}
	sort.Strings(owners)
	return strings.Join(owners, ",")
}

var readWriteModel = porcupine.Model{
	Init: func() any { return sharing{} },
	Step: func(from, input, _ any) (bool, any) {
		fits, next := from.(sharing).step(input.(action))
		return fits, next
	},
	Equal: func(a, b any) bool { return a.(sharing).text() == b.(sharing).text() },
}
