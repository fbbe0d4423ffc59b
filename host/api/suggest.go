package api

import (
	"fmt"
	"sort"
	"strings"
)

// Suggest returns the candidate nearest to word by edit distance, or "" if none is near enough to be meant.
// Letter case costs nothing, and the beginning of a candidate is as good as one mistake. Of equally near candidates the
// likeliest is taken, then the first in sorted order.
func Suggest(word string, candidates []string) string {
	if len(word) > maxName {
		return ""
	}
	sorted := append([]string(nil), candidates...)
	sort.Strings(sorted)
	lower := strings.ToLower(word)
	best, limit := "", 1+tolerance(len(word))
	for _, c := range sorted {
		candidate := strings.ToLower(c)
		d := editDistance(lower, candidate, limit+1)
		const shortestBeginning = 3
		if len(word) >= shortestBeginning && strings.HasPrefix(candidate, lower) {
			d = min(d, 1)
		}
		if d < limit || d == limit && best != "" && likelier(lower, candidate, strings.ToLower(best)) {
			best, limit = c, d
		}
	}
	return best
}

// likelier settles a tie between two candidates: the beginning of a word is seldom wrong, and letters are left out more
// often than added.
func likelier(word, candidate, best string) bool {
	a, b := commonPrefix(word, candidate), commonPrefix(word, best)
	return a > b || a == b && len(candidate) > len(best)
}

func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// tolerance is the number of mistakes with which a word of n letters is still recognised.
func tolerance(n int) int {
	switch {
	case n < 3:
		return 0
	case n < 4:
		return 1
	case n < 9:
		return 2
	}
	return n / 3
}

// didYouMean is the tail of an error message about word: a suggestion if there is one, else the whole choice if it is
// short, else nothing.
func didYouMean(word string, candidates []string) string {
	if s := Suggest(word, candidates); s != "" {
		return fmt.Sprintf("; did you mean %q?", s)
	}
	const shortList = 8
	if len(candidates) == 0 || len(candidates) > shortList {
		return ""
	}
	sorted := append([]string(nil), candidates...)
	sort.Strings(sorted)
	return "; there is " + strings.Join(sorted, ", ")
}

// editDistance counts the insertions, deletions, substitutions and swaps of neighbours that turn a into b; it may
// return limit as soon as the distance is known to reach it.
func editDistance(a, b string, limit int) int {
	if d := len(a) - len(b); d >= limit || -d >= limit {
		return limit
	}
	before := make([]int, len(b)+1) // row i-2
	last := make([]int, len(b)+1)   // row i-1
	row := make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}
