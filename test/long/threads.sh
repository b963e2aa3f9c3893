#!/bin/sh
# The tests of threads under ThreadSanitizer, which reports every race, also those that do no harm.
. test/build/report.sh

title="threads under ThreadSanitizer"
program=build/threads/test_threads
mkdir -p build/threads

build_with() { # COMPILER
    # shellcheck disable=SC2086 # the compiler may be several words
    $1 -std=c11 -O1 -g -ffp-contract=off -fno-omit-frame-pointer -fsanitize=thread -I. \
        -o "$program" test/test.c test/load/test_asset.c test/load/test_threads.c test/load/test_jobs.c \
        test/viewer/test_view_threads.c demo/common/threads.c demo/common/memory.c md5/*.c md5/*/*.c md5/*/*/*.c -lm
}

# Some machines' address space layout is more than the sanitizer can do with.
starts() {
    "$program" no_such_test >/dev/null 2>&1 || setarch -R "$program" no_such_test >/dev/null 2>&1
}

run_tests() {
    if "$program" no_such_test >/dev/null 2>&1; then
        TSAN_OPTIONS=halt_on_error=1 "$program"
    else
        TSAN_OPTIONS=halt_on_error=1 setarch -R "$program"
    fi
}

# A race that must be seen, or the silence would mean nothing.
sees_races() {
    cat >"$scratch/race.c" <<END
#include <pthread.h>
static int shared;
static void *run(void *unused) { shared++; return unused; }
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, run, 0);
    pthread_create(&b, 0, run, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
END
    # shellcheck disable=SC2086 # the compiler may be several words
    ${CC:-cc} -fsanitize=thread -o "$scratch/race" "$scratch/race.c" || return 1
    "$scratch/race" >"$scratch/race.log" 2>&1 || true
    grep -q 'data race' "$scratch/race.log" || {
        setarch -R "$scratch/race" >"$scratch/race.log" 2>&1 || true
        grep -q 'data race' "$scratch/race.log"
    }
}

build_with "${CC:-cc}" >"$scratch/build" 2>&1 || {
    cat "$scratch/build"
    skip "$title" "${CC:-cc} cannot build for it here"
    finish
}
starts || { skip "$title" "it does not run here"; finish; }
check "ThreadSanitizer sees a race" sees_races
check "$title" run_tests
finish
