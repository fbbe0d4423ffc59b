package result

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// message is an execution with an arrow down and one up.
func message() Sequence {
	return Sequence{
		Title: "message: stale read (3 events that do not matter are left out)", Columns: []string{"CPU0", "CPU1", "GICR1"},
		Events: []SequenceEvent{
			{Column: 0, Text: "store call_single_queue.first of cpu 1 <- 0x40080080, late  (line 12)", From: -1},
			{Column: 2, Text: "SGI 3 from CPU0 arrives: pending", From: -2},
			{Column: 1, Text: "load flag -> 0x1, from 1  (line 20)", From: 0},
			{Column: 1, Text: "load data -> 0x0, initial  (line 21)", From: -1},
			{Column: 0, Text: "store data <- 0x1, late  (line 11)", From: 2},
			{Column: 0, Text: "load data -> 0x1", From: 4},
		},
	}
}

// A sequence is drawn in its turn: every event, and an arrow between two columns.
func TestSequence(t *testing.T) {
	r := new(Report)
	chart := Chart{Title: "chart", Kind: Bars, Labels: []string{"x"}, Series: []Series{{Y: []float64{3}}}}
	if err := r.AddChart(chart); err != nil {
		t.Fatal(err)
	}
	if err := r.AddSequence(message()); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := r.WriteSVG(&out); err != nil {
		t.Fatal(err)
	}
	drawn := out.String()
	last := strings.Index(drawn, ">chart<")
	for _, want := range []string{
		"message: stale read", ">CPU0<", ">CPU1<", ">GICR1<", ">load flag -&gt; 0x1, from 1", ">6<",
	} {
		at := strings.Index(drawn, want)
		if at < last {
			t.Errorf("%q stands at %d", want, at)
		}
		last = max(at, last)
	}
	without := message()
	for i := range without.Events {
		without.Events[i].From = -1
	}
	bare := new(Report)
	if err := bare.AddSequence(without); err != nil {
		t.Fatal(err)
	}
	var plain bytes.Buffer
	if err := bare.WriteSVG(&plain); err != nil {
		t.Fatal(err)
	}
	one := new(Report)
	if err := one.AddSequence(message()); err != nil {
		t.Fatal(err)
	}
	var arrows bytes.Buffer
	if err := one.WriteSVG(&arrows); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(arrows.String(), "<path") - strings.Count(plain.String(), "<path"); n != 2*2 {
		t.Errorf("%d strokes and heads of 2 arrows", n)
	}
	bad := message()
	bad.Events[2].Column = 3
	if err := r.AddSequence(bad); err == nil || !strings.Contains(err.Error(), "event 3 of sequence") {
		t.Error(err)
	}
}

// Long cells are broken so that a table is no wider than 100 columns, and nothing of them is lost.
func TestTableWraps(t *testing.T) {
	table := Table{Columns: []string{"step", "CPU0", "CPU0 stores", "CPU1", "GICR1"}}
	for i, e := range message().Events {
		row := []any{uint64(i + 1), "", "", "", ""}
		row[1+e.Column] = e.Text
		row[4] = strings.Repeat("x", 40*(i%2)) + " " + e.Text
		table.Rows = append(table.Rows, row)
	}
	text := table.Text()
	for _, line := range strings.Split(text, "\n") {
		if n := utf8.RuneCountInString(line); n > tableColumns {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	for _, row := range table.Rows {
		for _, cell := range row[1:] {
			for _, word := range strings.Fields(fmt.Sprint(cell)) {
				if len(word) <= cellColumns && !strings.Contains(text, word) {
					t.Errorf("%q is lost in\n%s", word, text)
				}
			}
		}
	}
	if got := strings.Join(breakWords("a long-word-here b", 6), "|"); got != "a|long-w|ord-he|re b" {
		t.Error(got)
	}
	narrow := Table{Columns: []string{"a", "b"}, Rows: [][]any{{"two  spaces", uint64(1)}}}
	if got := narrow.Text(); got != "a            b\ntwo  spaces  1\n" {
		t.Errorf("%q", got)
	}
}
