#!/bin/sh
# The tests of threads, of batches and of loading on threads, and `md5tool check`, under ThreadSanitizer, which reports
# every data race. MD5_BUILD_ONLY=yes only links the tests from the objects of `make programs`.
. test/build/report.sh
unset MAKEFLAGS MAKELEVEL MFLAGS

title="threads under ThreadSanitizer"
tests="test/load/test_threads.c test/load/test_jobs.c test/load/test_load_files.c test/viewer/test_view_threads.c"
sources="$tests test/load/test_asset.c demo/common/threads.c demo/common/memory.c"
if [ -n "${MD5_BUILD_ONLY:-}" ]; then
    check "the tests of threads are linked" make --no-print-directory DEPS=no TEST_MD5_SOURCES="$sources" \
        TEST_MD5="$scratch/test_md5" "$scratch/test_md5"
    finish
fi
unset config CFLAGS LDFLAGS BUILD
program=build/threads/test_md5

build_with_sanitizer() {
    make --no-print-directory -j"$(getconf _NPROCESSORS_ONLN)" DEPS=no config=release BUILD=build/threads \
        CFLAGS="-O1 -fsanitize=thread" LDFLAGS=-fsanitize=thread \
        TEST_MD5_SOURCES="$sources" \
        $program build/threads/md5tool
}

# The sanitizer does not support the address space layout of some machines.
layout=
run_with_sanitizer() { # PROGRAM ARGUMENTS...
    TSAN_OPTIONS=halt_on_error=1 $layout "$@"
}
# The program ends with status 3 if no test has the name.
program_starts() {
    run_with_sanitizer $program no_such_test >/dev/null 2>&1
    [ $? -eq 3 ]
}
sanitizer_starts() {
    program_starts && return
    layout="setarch -R"
    program_starts
}
# The folders also contain files with warnings, and invalid files.
tool_check_has_no_races() {
    exits_with 1 errors run_with_sanitizer build/threads/md5tool check models test/reference/data test/data test/fuzz/seeds &&
        ! grep ThreadSanitizer "$scratch/out"
}

# Checks that the sanitizer works: it must report the race in this program.
finds_planted_race() {
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
    run_with_sanitizer "$scratch/race" >"$scratch/race.log" 2>&1
    grep -q 'data race' "$scratch/race.log"
}

build_with_sanitizer >"$scratch/build" 2>&1 || {
    cat "$scratch/build"
    skip "$title" "${CC:-cc} cannot build for ThreadSanitizer"
    finish
}
sanitizer_starts || { skip "$title" "ThreadSanitizer does not run on this system"; finish; }
check "ThreadSanitizer reports a race" finds_planted_race
check "$title" run_with_sanitizer $program
check "md5tool check has no races" tool_check_has_no_races
finish
