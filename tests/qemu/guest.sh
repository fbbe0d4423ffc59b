#!/usr/bin/env bash
# guest.sh CPUS ROUNDS: builds the guest and runs it in QEMU, which prints how long a call takes. Needs Debian's packages
# qemu-system-arm and gcc-aarch64-linux-gnu; exits with 77 where they are missing.
#
# One thread for all CPUs is what QEMU is fastest with here, since one CPU at a time has something to do.
set -euo pipefail
cpus=$1 rounds=$2
for tool in qemu-system-aarch64 aarch64-linux-gnu-gcc; do
	command -v "$tool" >/dev/null || { echo "$tool is missing" >&2; exit 77; }
done
cd "$(dirname "${BASH_SOURCE[0]}")"
guest=$(mktemp)
trap 'rm -f "$guest"' EXIT
aarch64-linux-gnu-gcc -O2 -Wall -Werror -ffreestanding -nostdlib -static -fno-pic -no-pie -mgeneral-regs-only \
	-mno-outline-atomics -Wl,--build-id=none,--no-warn-rwx-segments -DCPUS="$cpus" -DROUNDS="$rounds" \
	-T guest.ld -o "$guest" entry.s guest.c
qemu-system-aarch64 -M virt,gic-version=3 -cpu cortex-a57 -smp "$cpus" -m 64 -accel tcg,thread=single \
	-display none -monitor none -serial stdio -kernel "$guest"
