#!/usr/bin/env bash
# compare.sh [TURNS]: the loop of gic/ipi_latency.lua on 96 CPUs in QEMU, in Go and from Lua, in turn, because a machine
# that others use is not equally fast at all times. Prints the host's time for one call, and the ratios of the medians.
set -euo pipefail
turns=${1:-10}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$here/../.."
go test -c -pgo "$PWD/cmd/hwscript/default.pgo" -o "$work/machine" ./hardware/machine
go test -c -pgo "$PWD/cmd/hwscript/default.pgo" -o "$work/bindings" ./bindings

# bench BINARY NAME: ns for one call.
bench() {
	"$work/$1" -test.run '^$' -test.bench "$2\$" -test.benchtime 192000x |
		awk '{ for (i = 2; i <= NF; i++) if ($i == "ns/IPI") print $(i - 1) }'
}

for ((turn = 1; turn <= turns; turn++)); do
	"$here/guest.sh" 96 200 | awk '{ print $3 }' >>"$work/QEMU"
	bench machine BenchmarkIPI >>"$work/Go"
	bench bindings BenchmarkLuaIPI >>"$work/Lua"
done

median() { sort -n "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
for what in QEMU Go Lua; do
	printf '%-5s minimum %s, median %s ns for a call\n' "$what" "$(sort -n "$work/$what" | head -1)" "$(median "$work/$what")"
done
awk -v q="$(median "$work/QEMU")" -v g="$(median "$work/Go")" -v l="$(median "$work/Lua")" \
	'BEGIN { printf "QEMU takes %.1f times as long as Go, %.1f times as long as Lua\n", q / g, q / l }'
