#!/bin/sh
# Instructions of one step, which other programs on the machine do not change: by callgrind, from runs of two lengths. The bounds are
# for gcc 12 and AVX2, the widest that valgrind knows, 3 % above what was counted on 2026-11-28; other compilers are not judged. With
# BEFORE=COMMIT (make bench BEFORE=COMMIT) the library of that commit is built beside this one and counted too.
. test/build/report.sh
unset MAKEFLAGS MAKELEVEL MFLAGS

[ -n "${MD5_BUILD_ONLY:-}" ] || command -v valgrind >/dev/null || {
    skip "instructions" "there is no valgrind"
    finish
}
bench="${BUILD:-build/release}/bench"
check "the benchmark is built" make --no-print-directory "$bench"

# collected BENCH WORK STEPS
collected() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$1" --steps "$2" "$3" 2>&1 |
        awk '/ Collected /{count = $NF} END{print count}' # behind those of its children
}
# Of one step.
count() { # BENCH WORK
    echo $((($(collected "$1" "$2" $((2 * steps))) - $(collected "$1" "$2" $steps)) / steps))
}
before=build/before/${BEFORE:-none}
build_before() {
    make --no-print-directory -C "$before" BUILD=build/release build/release/bench
}
# With the benchmark of today, or, if that asks for more than the library had, with its own, which counts what it knows.
builds_before() {
    rm -rf "$before" && mkdir -p "$before" && git archive "$BEFORE" | tar -x -C "$before" && cp test/bench/*.[ch] "$before/test/bench/" || return
    build_before || { git archive "$BEFORE" test/bench | tar -x -C "$before" && build_before; }
}
if [ -n "${BEFORE:-}" ]; then
    check "the library of $BEFORE" builds_before
    root=$PWD
fi

is_bounded() { # WORK MOST
    now=$(count "$bench" "$1")
    [ -z "${BEFORE:-}" ] || past=$(count "$root/$before/build/release/bench" "$1") past=${past#0}
    echo "instructions of $1: $now, at most $2${past:+; $past before}" >&3
    holds '$1 > 0 && ($1 <= $2 || !$3)' "$now" "$2" "$is_judged"
}
# shellcheck disable=SC2086 # CC may have options
if [ -n "${MD5_BUILD_ONLY:-}" ]; then
    is_bounded() { # WORK: it exists
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
