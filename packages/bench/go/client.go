package main

import "sync"

const warmUpTasks = 8

// One library with a connection of its own.
type client struct {
	locker locker
	warm   sync.Once
}

type warmUpOrder struct {
	Name     string `json:"name"`
	LimitMs  int64  `json:"limitMs"`
	Competes bool   `json:"competes"`
}

// Fills pools and caches, once.
func (c *client) warmUp(order warmUpOrder) {
	c.warm.Do(func() {
		shareMs := order.LimitMs
		if order.Competes {
			shareMs /= 2
		}
		runLoop(c.locker, loopOrder{Name: order.Name, Locks: "own", Tasks: warmUpTasks, StartAt: nowMs(), DurationMs: shareMs})
		if order.Competes {
			runLoop(c.locker, loopOrder{Name: order.Name + ":wanted", Locks: "one", Tasks: 2, StartAt: nowMs(), DurationMs: shareMs})
		}
	})
}
