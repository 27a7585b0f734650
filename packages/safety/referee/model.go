package main

import "github.com/anishathalye/porcupine"

// owner is empty when the lock is free; the token of the present tenure is nil when nobody was told it.
type state struct {
	owner    string
	count    int
	hasToken bool
	token    int64
	maxToken int64
}

func (s state) freed() state { return state{maxToken: s.maxToken} }

func (s state) minusOne() state {
	if s.count == 1 {
		return s.freed()
	}
	s.count--
	return s
}

func (s state) acquired(a action) (bool, state) {
	if a.depth == 1 && s.owner != "" || a.depth > 1 && (s.owner != a.owner || s.count != a.depth-1) {
		return false, s
	}
	fresh := a.depth == 1 || !s.hasToken
	if a.token != nil {
		if fresh && *a.token <= s.maxToken || !fresh && *a.token != s.token {
			return false, s
		}
		s.hasToken, s.token, s.maxToken = true, *a.token, *a.token
	}
	s.owner, s.count = a.owner, s.count+1
	return true, s
}

var lockModel = porcupine.Model{
	Init: func() any { return state{maxToken: -1 << 62} },
	Step: func(from, input, _ any) (bool, any) {
		s, a := from.(state), input.(action)
		mine := s.owner == a.owner
		switch {
		case a.kind == acquire:
			return s.acquired(a)
		case a.kind == maybeAcquire:
			_, next := s.acquired(a)
			return true, next
		case a.kind == force || a.kind == expire && mine:
			return true, s.freed()
		case a.kind == release || a.kind == maybeRelease && mine:
			return mine, s.minusOne()
		}
		return true, s
	},
}
