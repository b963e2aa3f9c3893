#!/bin/sh
# run_tests.sh SUITE...: runs test programs and test scripts in turn. Each ends its output with
# `N passed, N failed, N skipped`; so does this, with the sums. One that crashes, hangs or does not
# end so counts as one failure more. What failed is shown in full; else lines that begin with
# `skipped: ` or `note: `, and the counts.
# From the environment: what the Makefile sets, and MD5_TEST_TIMEOUT (seconds for one suite).
set -u
timeout=${MD5_TEST_TIMEOUT:-600}

export LSAN_OPTIONS="suppressions=$PWD/test/build/leaks.txt:print_suppressions=0${LSAN_OPTIONS:+:$LSAN_OPTIONS}"
export UBSAN_OPTIONS="print_stacktrace=1${UBSAN_OPTIONS:+:$UBSAN_OPTIONS}"

passed=0 failed=0 skipped=0
log=$(mktemp) || exit 1
trap 'rm -f "$log"' EXIT
trap 'exit 1' INT TERM

run() {
    case $1 in
    *.sh) timeout "$timeout" sh "$1" ;;
    # Without a window system SDL draws off the screen.
    */test_gl*) SDL_VIDEODRIVER=${SDL_VIDEODRIVER:-offscreen} timeout "$timeout" "$1" ;;
    *) timeout "$timeout" "$1" ;;
    esac
}

for suite; do
    start=$(date +%s)
    run "$suite" >"$log" 2>&1 </dev/null
    status=$?
    counts=$(tail -n 1 "$log" | grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$')
    IFS=' ,' read -r p _ f _ s _ <<END
${counts:-0 passed, 0 failed, 0 skipped}
END
    trouble=
    if [ -z "$counts" ]; then
        trouble="ended with status $status and no count"
        [ $status -eq 124 ] && trouble="did not end within $timeout s"
        f=$((f + 1))
    elif [ $status -ne 0 ] && [ "$f" -eq 0 ]; then
        trouble="ended with status $status"
        f=1
    fi
    printf '%-24s %6d passed, %d failed, %d skipped  (%d s)\n' "$(basename "$suite")" "$p" "$f" \
        "$s" $(($(date +%s) - start))
    if [ "$f" -ne 0 ]; then
        sed 's/^/    /' "$log"
        [ -n "$trouble" ] && echo "    $suite $trouble"
    else
        grep -E '^(skipped|note): ' "$log" | sed 's/^/    /'
    fi
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
done

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
