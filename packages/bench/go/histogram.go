package main

import "math"

const smallestUs = 0.1

var logGrowth = math.Log(1.01)
var buckets = int(math.Ceil(math.Log(3.6e9/smallestUs) / logGrowth))

// Waits in the buckets of packages/bench/src/measure/histogram.ts.
type histogram struct{ counts []int }

func newHistogram() histogram { return histogram{counts: make([]int, buckets)} }

func (h histogram) record(microseconds float64) {
	bucket := int(math.Floor(math.Log(max(microseconds, smallestUs)/smallestUs) / logGrowth))
	h.counts[min(buckets-1, bucket)]++
}

func (h histogram) add(other histogram) {
	for i, count := range other.counts {
		h.counts[i] += count
	}
}

// Bucket and count of what is not empty.
func (h histogram) filled() [][2]int {
	filled := [][2]int{}
	for i, count := range h.counts {
		if count > 0 {
			filled = append(filled, [2]int{i, count})
		}
	}
	return filled
}
