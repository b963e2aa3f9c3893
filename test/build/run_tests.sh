#!/bin/sh
# run_tests.sh SUITE...: runs test programs and test scripts, as many at a time as there are cores, and
# two at least. Each ends its output with `N passed, N failed, N skipped`; so does this, with the sums.
# One that crashes, hangs or does not end so counts as one failure more. What failed is shown in
# full; else lines that begin with `skipped: ` or `note: `, and the counts.
# From the environment: what the Makefile sets, MD5_TEST_TIMEOUT (seconds for one suite), and
# MD5_TEST_PART: of the programs only the tests with that in their name or file; some suite must have one.
set -u

part=${MD5_TEST_PART:-}
# Drivers keep the shaders that they have compiled: among the products, not in the person's home.
export MESA_SHADER_CACHE_DIR="${MESA_SHADER_CACHE_DIR:-$PWD/build/shader-cache}"
# Mesa's compiler for software drawing: the programs of a test draw so little that optimizing takes longer.
export GALLIVM_PERF="${GALLIVM_PERF:-nopt}"
export LSAN_OPTIONS="suppressions=$PWD/test/build/leaks.txt:print_suppressions=0${LSAN_OPTIONS:+:$LSAN_OPTIONS}"
export UBSAN_OPTIONS="print_stacktrace=1${UBSAN_OPTIONS:+:$UBSAN_OPTIONS}"

run() {
    timeout=${MD5_TEST_TIMEOUT:-600}
    case $1 in
    *.sh) timeout "$timeout" sh "$1" ;;
    # Without a window system SDL draws off the screen.
    */test_gl*) SDL_VIDEODRIVER=${SDL_VIDEODRIVER:-offscreen} timeout "$timeout" "$1" ${part:+"$part"} ;;
    *) timeout "$timeout" "$1" ${part:+"$part"} ;;
    esac
}

# Runs one suite, tells how it went in one piece, and leaves its counts in the folder $2.
one() {
    suite=$1 folder=$2 name=$(basename "$1") start=$(date +%s)
    log=$folder/$name.log
    run "$suite" >"$log" 2>&1 </dev/null
    status=$?
    counts=$(tail -n 1 "$log" | grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$')
    IFS=' ,' read -r p _ f _ s _ <<END
${counts:-0 passed, 0 failed, 0 skipped}
END
    trouble=
    if [ -z "$counts" ]; then
        trouble="ended with status $status and no count"
        [ $status -eq 124 ] && trouble="did not end in time"
        f=$((f + 1))
    elif [ $status -ne 0 ] && [ "$f" -eq 0 ]; then
        trouble="ended with status $status"
        f=1
    fi
    {
        printf '%-24s %6d passed, %d failed, %d skipped  (%d s)\n' "$name" "$p" "$f" "$s" \
            $(($(date +%s) - start))
        if [ "$f" -ne 0 ]; then
            sed 's/^/    /' "$log"
            [ -n "$trouble" ] && echo "    $suite $trouble"
        else
            grep -E '^(skipped|note): ' "$log" | sed 's/^/    /'
        fi
    } >"$log.told"
    # A program without a test of that part has nothing to tell.
    [ "$part:$p:$f:$s" = "$part:0:0:0" ] && [ -n "$part" ] || cat "$log.told"
    echo "$p $f $s" >"$folder/$name.counts"
}

if [ "${1:-}" = --one ]; then
    one "$2" "$3"
    exit 0
fi

folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' INT TERM
cores=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
printf '%s\n' "$@" | xargs -P "$((cores > 2 ? cores : 2))" -I '{}' sh "$0" --one '{}' "$folder"
# A suite that left no counts, however that came about, is a failure.
cat "$folder"/*.counts 2>/dev/null | awk -v suites=$# -v part="$part" '
    { passed += $1; failed += $2; skipped += $3 }
    END {
        failed += suites - NR
        if (part != "" && passed + failed + skipped == 0) {
            print "no test has \"" part "\" in its name"
            failed = 1
        }
        printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
        exit failed > 0
    }'
