#!/bin/sh
# Counts the instructions of one step with callgrind, from runs of two lengths. Unlike times, these counts do not
# depend on other programs. The limits are 3 % above the counts of 2026-11-29 and 2026-11-30, for gcc 12 and AVX2, the
# widest instruction set that valgrind supports. Other compilers have no limits. BEFORE=COMMIT (make bench
# BEFORE=COMMIT) also builds and counts the library of that commit, and a step fails if it takes 3 % more instructions
# than with that library.
. test/build/report.sh
unset MAKEFLAGS MAKELEVEL MFLAGS

[ -n "${MD5_BUILD_ONLY:-}" ] || command -v valgrind >/dev/null || {
    skip "instructions" "valgrind is not installed"
    finish
}
root=$PWD
programs="$root/${BUILD:-build/release}"
check "the benchmarks are built" make --no-print-directory "${BUILD:-build/release}/bench" "${BUILD:-build/release}/bench_steps"

# count_collected PROGRAM WORK STEPS: prints the number of instructions that a run of the program executes.
# PROGRAM may contain options.
count_collected() {
    # shellcheck disable=SC2086 # several words
    valgrind --tool=callgrind --callgrind-out-file=/dev/null $1 "$2" "$3" 2>&1 |
        awk '/ Collected /{count = $NF} END{print count}' # after the counts of its children
}
# Prints the instructions of one step: the difference between a run and a run of twice as many steps, so that the
# start of the program is not counted.
count_per_step() { # PROGRAM WORK
    echo $((($(count_collected "$1" "$2" $((2 * steps))) - $(count_collected "$1" "$2" $steps)) / steps))
}

before=$root/build/before/${BEFORE:-none}
past_steps='' past_bench=''
# Links bench_steps with the library of the commit BEFORE.
build_steps_with_past_library() {
    rm -rf "$before" && mkdir -p "$before" && git archive "$BEFORE" | tar -x -C "$before" || return
    make --no-print-directory -C "$before" BUILD=build/release build/libmd5model.a || return
    # shellcheck disable=SC2086 # CC may have options
    ${CC:-cc} -std=c11 -O2 -I"$before" -o "$before/bench_steps" test/bench/bench_steps.c "$before/build/libmd5model.a" -lm -lpthread
}
# Builds the current benchmark with the library of the commit BEFORE. Fails if the benchmark needs newer
# functions.
build_bench_with_past_library() {
    cp test/bench/*.[ch] "$before/test/bench/" &&
        make --no-print-directory -C "$before" BUILD=build/release build/release/bench >"$scratch/past_bench" 2>&1
}
if [ -n "${BEFORE:-}" ]; then
    check "the library of $BEFORE" build_steps_with_past_library
    past_steps="$before/bench_steps"
    if build_bench_with_past_library; then
        past_bench="$before/build/release/bench --steps"
    else
        echo "note: characters of $BEFORE are not counted: the benchmark needs functions that it does not have"
    fi
fi

is_bounded() { # PROGRAM WORK LIMIT
    case $1 in
    bench) current_count=$(count_per_step "$programs/bench --steps" "$2") past_program=$past_bench ;;
    *) current_count=$(count_per_step "$programs/$1" "$2") past_program=$past_steps ;;
    esac
    past_count=''
    [ -z "$past_program" ] || past_count=$(count_per_step "$past_program" "$2")
    echo "instructions of $2: $current_count, at most $3${past_count:+; $past_count before}" >&3
    numbers_satisfy '$1 > 0 && ($1 <= $2 || !$3)' "$current_count" "$3" "$is_judged" &&
        numbers_satisfy '$2 <= 0 || $1 <= 1.03 * $2' "$current_count" "${past_count:-0}"
}
if [ -n "${MD5_BUILD_ONLY:-}" ]; then
    is_bounded() { # PROGRAM WORK: checks that it exists
        case $1 in
        bench) "$programs/bench" --steps "$2" 1 ;;
        *) "$programs/$1" "$2" 1 ;;
        esac
    }
fi
# shellcheck disable=SC2086 # CC may have options
is_judged=$(${CC:-cc} -dM -E - </dev/null | grep -c '^#define __GNUC__ 12$')
exec 3>&1
steps=200
check "blending 2 joints" is_bounded bench_steps blend-2 500
check "blending 20 joints" is_bounded bench_steps blend-20 740
check "blending 79 joints" is_bounded bench_steps blend-79 1890
check "blending 79 joints with a mask" is_bounded bench_steps blend-masked 3780
check "local transforms of Bobbin to a palette" is_bounded bench_steps local-palette 7360
steps=8
check "Bobbin's skin, positions" is_bounded bench_steps skin-positions 177000
check "Bobbin's skin with normals" is_bounded bench_steps skin-normals 322000
check "Bobbin's skin with tangents" is_bounded bench_steps skin-tangents 434000
steps=4
check "reading Bobbin" is_bounded bench_steps read-mesh 26670000
check "reading a clip" is_bounded bench_steps read-clip 1210000
steps=500
check "advancing" is_bounded bench advance 2105
check "a character" is_bounded bench character 23550
check "71 joints to their palette" is_bounded bench palette 8860
check "saving and restoring a player" is_bounded bench save 41610
check "a blend space of 1000 clips, 2 of which have weight" is_bounded bench space 6540
check "blending by nlerp" is_bounded bench blend-nlerp 1570
steps=4
check "250 at once" is_bounded bench crowd 4862000
if "$programs/bench" --steps actor 1; then
    steps=200
    check "a monster that plays a clip" is_bounded bench actor 11020
    check "the same monster looks at something and stands on a stair" is_bounded bench monster 17840
    check "a tick of a ragdoll on stairs" is_bounded bench ragdoll 514400
else
    skip "monsters and ragdolls" "the game folder needs libzip"
fi
finish
