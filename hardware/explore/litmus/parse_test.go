package litmus

import "testing"

// TestSyntaxErrors: a row that does not parse is refused with the field, the column in it and the token.
func TestSyntaxErrors(t *testing.T) {
	const access = "an instruction: R A Q W L, SWP and LDXR-STXR with their suffixes, dmb dsb isb, " +
		"addr data ctrl ctrlisb, msr SGI1R, mmio GICD_SGIR"
	const options = "one of oshld, oshst, osh, nshld, nshst, nsh, ishld, ishst, ish, ld, st, sy"
	for _, c := range []struct{ row, want string }{
		{"", `threads, column 1: nothing: expected an instruction`},
		{"W x 1 |", `threads, column 8: nothing: expected an instruction`},
		{"W x 1;; W y 1", `threads, column 7: nothing: expected an instruction`},
		{"W x 1 | frob y", `threads, column 9: "frob": expected ` + access},
		{"W x 1;  r y", `threads, column 9: "r": expected ` + access},
		{"W x 1\n| R  x\n y", `threads, column 15: "y": expected a location behind R, and no more`},
		{"isb sy", `threads, column 1: "isb": expected ` + access},
		{"R x; addr y", `threads, column 6: "addr": expected ` + access},
		{"msr SGI0R", `threads, column 1: "msr": expected ` + access},
		{"dmb", `threads, column 4: nothing: expected one option behind dmb`},
		{"dmb  is ; R x", `threads, column 6: "is": expected ` + options},
		{"dsb sy st", `threads, column 8: "st": expected one option behind dsb, and no more`},
		{"R x | R ", `threads, column 8: nothing: expected a location behind R`},
		{"R x 1", `threads, column 5: "1": expected a location behind R, and no more`},
		{"W x", `threads, column 4: nothing: expected a location and a value behind W`},
		{"SWPA x 1 2", `threads, column 10: "2": expected a location and a value behind SWPA, and no more`},
		{"W x 16", `threads, column 5: "16": expected a value of 0 to 15`},
		{"LDXR-STXR x -1", `threads, column 13: "-1": expected a value of 0 to 15`},
		{"IRQ: R x | IRQ: R y", `threads, column 12: "IRQ:": expected one handler`},
		{"IRQ: R x 1", `threads, column 10: "1": expected a location behind R, and no more`},
		{"R a; R b; R c; R d; R e; R f; R g; R h; R i", `threads, column 43: "i": expected at most 16 reads and locations`},
		{"R x\t0:R x", `outcome, column 1: "0:R x": expected name=value`},
		{"R x\t0:R x=1=1", `outcome, column 1: "0:R x=1=1": expected name=value`},
		{"R x\tx=0 & ", `outcome, column 7: nothing: expected name=value`},
		{"R x\t0:R x=1 & 0:R y=1", `outcome, column 11: "0:R y": expected a read, such as 1:R x, or a location`},
		{"R x\ty=1", `outcome, column 1: "y": expected a read, such as 1:R x, or a location`},
		{"R x\tIRQ:R x=1", `outcome, column 1: "IRQ:R x": expected a read, such as 1:R x, or a location`},
		{"R x\tz:R x=1", `outcome, column 1: "z:R x": expected a read, such as 1:R x, or a location`},
		{"R x\tx=", `outcome, column 3: nothing: expected a value of 0 to 15`},
		{"R x\tx=0 & 0:R x=99", `outcome, column 13: "99": expected a value of 0 to 15`},
		{"R x\tx=0\t maybe", `verdict, column 2: "maybe": expected allowed or forbidden`},
	} {
		if _, err := Parse("T\t" + c.row); err == nil || err.Error() != "T: "+c.want {
			t.Errorf("%q: got %v, want T: %s", c.row, err, c.want)
		}
	}
}
