#!/bin/sh
# Counts the instructions of one step, which do not depend on other programs, with callgrind, from runs of two lengths. The
# limits are for gcc 12 and AVX2, the widest set that valgrind supports, 3 % above the counts of 2026-11-28; other compilers
# have no limits. BEFORE=COMMIT (make bench BEFORE=COMMIT) also builds and counts the library of that commit.
. test/build/report.sh
unset MAKEFLAGS MAKELEVEL MFLAGS

[ -n "${MD5_BUILD_ONLY:-}" ] || command -v valgrind >/dev/null || {
    skip "instructions" "valgrind is not installed"
    finish
}
bench="${BUILD:-build/release}/bench"
check "the benchmark is built" make --no-print-directory "$bench"

# collected BENCH WORK STEPS
collected() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$1" --steps "$2" "$3" 2>&1 |
        awk '/ Collected /{count = $NF} END{print count}' # after the counts of its children
}
# Prints the instructions of one step.
count() { # BENCH WORK
    echo $((($(collected "$1" "$2" $((2 * steps))) - $(collected "$1" "$2" $steps)) / steps))
}
before=build/before/${BEFORE:-none}
build_before() {
    make --no-print-directory -C "$before" BUILD=build/release build/release/bench
}
# Uses the current benchmark, or, if that needs newer functions, the commit's own benchmark with its list of work.
builds_before() {
    rm -rf "$before" && mkdir -p "$before" && git archive "$BEFORE" | tar -x -C "$before" && cp test/bench/*.[ch] "$before/test/bench/" || return
    build_before || { git archive "$BEFORE" test/bench | tar -x -C "$before" && build_before; }
}
if [ -n "${BEFORE:-}" ]; then
    check "the library of $BEFORE" builds_before
    root=$PWD
fi

is_bounded() { # WORK LIMIT
    now=$(count "$bench" "$1")
    [ -z "${BEFORE:-}" ] || past=$(count "$root/$before/build/release/bench" "$1") past=${past#0}
    echo "instructions of $1: $now, at most $2${past:+; $past before}" >&3
    numbers_satisfy '$1 > 0 && ($1 <= $2 || !$3)' "$now" "$2" "$is_judged"
}
# shellcheck disable=SC2086 # CC may have options
if [ -n "${MD5_BUILD_ONLY:-}" ]; then
    is_bounded() { # WORK: checks that it exists
        "$bench" --steps "$1" 1
    }
fi
is_judged=$(${CC:-cc} -dM -E - </dev/null | grep -c '^#define __GNUC__ 12$')
exec 3>&1
steps=500
check "advancing" is_bounded advance 2105
check "a character" is_bounded character 23550
check "71 joints to their palette" is_bounded palette 8860
check "saving and restoring a player" is_bounded save 41610
check "a blend space of 1000 clips, 2 of which have weight" is_bounded space 6540
check "blending" is_bounded blend 1755
check "blending by nlerp" is_bounded blend-nlerp 1570
steps=4
check "250 at once" is_bounded crowd 4862000
check "Bobbin's skin with normals" is_bounded skin 320000
check "reading Bobbin" is_bounded read-mesh 26880000
check "reading a clip" is_bounded read-clip 1214000
finish
