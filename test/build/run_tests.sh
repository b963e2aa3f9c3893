#!/bin/sh
# run_tests.sh SUITE...: runs test programs and test scripts in parallel. It starts one more than the number of cores,
# because some of them wait for windows. Each suite ends its output with `N passed, N failed, N skipped`; this script
# ends with the sums. A suite that crashes, hangs or prints no counts adds one failure. The output of a failed suite
# is printed in full; from other suites only the counts and the lines that begin with `skipped: ` or `note: `. Failed
# suites are listed again before the sums. PROGRAM@1/2 is the first half of a program's tests, PROGRAM@2/2 the other.
# Environment: the variables that the Makefile sets; MD5_TEST_TIMEOUT (seconds for one suite); MD5_TEST_STOP: if it is
# not empty, no suite starts after one has failed; and TEST: a folder of test/, or a part of a name, which selects
# scripts by their names and tests of the programs by their names or files; at least one must match.
set -u

# The argument of each test program, which selects its tests. "" selects all tests.
program_part=
# The cache of compiled shaders is in build/, not in the home folder.
export MESA_SHADER_CACHE_DIR="${MESA_SHADER_CACHE_DIR:-$PWD/build/shader-cache}"
# Mesa's software renderer does not optimize shaders, because tests draw so little that the optimization would
# take longer than it saves.
export GALLIVM_PERF="${GALLIVM_PERF:-nopt}"
# Mesa draws in the program's own thread, because other suites use the other cores and waking threads takes time.
export LP_NUM_THREADS="${LP_NUM_THREADS:-0}"
export LSAN_OPTIONS="suppressions=$PWD/test/build/leaks.txt:print_suppressions=0${LSAN_OPTIONS:+:$LSAN_OPTIONS}"
export UBSAN_OPTIONS="print_stacktrace=1${UBSAN_OPTIONS:+:$UBSAN_OPTIONS}"

run_with_timeout() {
    timeout=${MD5_TEST_TIMEOUT:-600}
    case $1 in
    # Scripts of test/long run without MD5_TEST_LONG. `make test-long` sets it for the suites of `make test`,
    # which then also run their slow checks.
    test/long/*.sh) (unset MD5_TEST_LONG && timeout "$timeout" sh "$1") ;;
    *.sh) timeout "$timeout" sh "$1" ;;
    # SDL needs no display with this driver.
    *@*) MD5_TEST_SHARE=${1##*@} timeout "$timeout" "${1%@*}" ${program_part:+"$program_part"} ;;
    */test_gl*) SDL_VIDEODRIVER=${SDL_VIDEODRIVER:-offscreen} timeout "$timeout" "$1" ${program_part:+"$program_part"} ;;
    *) timeout "$timeout" "$1" ${program_part:+"$program_part"} ;;
    esac
}

# Runs one suite, prints its result in one piece, and writes its counts into the folder $2.
run_suite() {
    suite=$1 folder=$2 start=$(date +%s)
    share=${1#"${1%@*}"} name=$(basename "${1%@*}")$share
    log=$folder/$(echo "$1" | tr / -)
    run_with_timeout "$suite" >"$log" 2>&1 </dev/null
    status=$?
    # The program has no test with this name. Another program or a script can have one.
    if [ $status -eq 3 ] && [ -n "$program_part" ]; then
        mv "$log" "$log.unmatched"
        echo "0 0 0" >"$log.counts"
        return 0
    fi
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
    } >"$log.report"
    {
        sed -n "s|^FAILED: |FAILED: $name: |p" "$log"
        [ -n "$trouble" ] && echo "FAILED: $name $trouble"
    } >"$log.failed"
    # Prints nothing for a program without a matching test.
    [ "$p:$f:$s" = 0:0:0 ] && [ -n "$program_part" ] || cat "$log.report"
    echo "$p $f $s" >"$log.counts"
    [ "$f" -eq 0 ]
}

if [ "${1:-}" = --one ]; then
    program_part=$4
    run_suite "$2" "$3" || [ -z "${MD5_TEST_STOP:-}" ] || exit 255 # then xargs starts no other
    exit 0
fi

part=${TEST:-}
# TEST is not passed on, because a script that runs other tests needs all of them.
unset TEST
if [ -d "test/$part" ]; then
    part=${part:+test/$part/}
fi
# If TEST is the name of a program, the program runs all of its tests. Otherwise the programs run the tests
# that TEST selects.
case $part in
test_md5 | test_gl) program_part= ;;
*) program_part=$part ;;
esac
is_selected() { # SUITE
    case $1 in
    *.sh) ;;
    *) [ -z "$program_part" ] || return 0 ;;
    esac
    case $part in
    test/*/) case $1 in "$part"*) return 0 ;; esac ;;
    *) case $(basename "${1%@*}") in *"$part"*) return 0 ;; esac ;;
    esac
    return 1
}
for suite; do
    shift
    ! is_selected "$suite" || set -- "$@" "$suite"
done

folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' INT TERM
cores=$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)
printf '%s\n' "$@" | xargs -P "$((cores + 1))" -I '{}' sh "$0" --one '{}' "$folder" "$program_part"
cat "$folder"/*.failed 2>/dev/null
# A suite without counts is a failure, for any reason.
if ! cat "$folder"/*.counts 2>/dev/null | awk '{ sum += $1 + $2 + $3 } END { exit sum > 0 }'; then
    rm -f "$folder"/*.unmatched
fi
cat "$folder"/*.unmatched 2>/dev/null | sort -u
cat "$folder"/*.counts 2>/dev/null | awk -v suites=$# -v part="$part" '
    { passed += $1; failed += $2; skipped += $3 }
    END {
        failed += suites - NR
        if (part != "" && passed + failed + skipped == 0) {
            print "TEST=" part " selects no test and no script"
            failed = 1
        }
        printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
        exit failed > 0
    }'
