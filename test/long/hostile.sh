#!/bin/sh
# Hostile files of 10 and 100 million bytes: each file must be read or rejected within 10 ns of processor time and
# with 16 bytes of memory per byte of the file. Processor times are the minimum of four runs; the slowest are printed.
# A slow machine, or one with a busy memory, takes longer: a file fails if it takes 1.5 times the reference time of
# the test. HOSTILE_MB="10 100" sets other sizes.
. test/build/report.sh

program=${BUILD:-build/release}/test_md5

run_hostile() { # MEGABYTES
    MD5_HOSTILE_MB=$1 "$program" test_hostile >"$scratch/hostile" 2>&1
    status=$?
    grep ' ns ' "$scratch/hostile" | grep -v 'check failed' | sort -rn | head -n 3 | sed 's/^ */note: /'
    cat "$scratch/hostile" >"$scratch/hostile.$1"
    return $status
}

print_and_fail() {
    cat "$1"
    return 1
}

for megabytes in ${HOSTILE_MB:-10 100}; do
    if run_hostile "$megabytes"; then
        check "hostile files of $megabytes MB are processed within limits" true
    else
        check "hostile files of $megabytes MB are processed within limits" print_and_fail "$scratch/hostile.$megabytes"
    fi
done
finish
