// The external referee: Porcupine, a linearizability checker by other hands, on the same history files as ours.
//
// It shares no code with the checker in TypeScript: it reads the events, makes operations of them and models the lock anew,
// so that a mistake in either shows as a disagreement.
//
//	referee [-seized-by del,flushall] [-timeout 60s] FILE…
//
// prints one JSON object: how many operations on how many locks, and the locks whose history is illegal or undecided.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"sort"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"
)

type verdict struct {
	Operations int      `json:"operations"`
	Locks      int      `json:"locks"`
	Illegal    []string `json:"illegal"`
	Undecided  []string `json:"undecided"`
}

func main() {
	seizedBy := flag.String("seized-by", "", "codes of faults that take locks from their holders, with commas; force always does, if not empty")
	timeout := flag.Duration("timeout", time.Minute, "for each lock")
	flag.Parse()
	history, err := readHistory(flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	var codes []string
	if *seizedBy != "" {
		codes = strings.Split(*seizedBy, ",")
	}
	result := verdict{Illegal: []string{}, Undecided: []string{}}
	byLock := operationsByLock(history, codes)
	for lock, use := range byLock {
		result.Locks++
		result.Operations += len(use.operations)
		model := lockModel
		if use.shared {
			model = readWriteModel
		}
		switch porcupine.CheckOperationsTimeout(model, use.operations, *timeout) {
		case porcupine.Illegal:
			result.Illegal = append(result.Illegal, lock)
		case porcupine.Unknown:
			result.Undecided = append(result.Undecided, lock)
		}
	}
	sort.Strings(result.Illegal)
	sort.Strings(result.Undecided)
	if err := json.NewEncoder(os.Stdout).Encode(result); err != nil {
		os.Exit(2)
	}
	if len(result.Illegal)+len(result.Undecided) > 0 {
		os.Exit(1)
	}
}
