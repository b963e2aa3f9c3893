#!/bin/sh
# Checks that the stages of `make nightly` can start, so that a change that breaks a stage is noticed before it is merged: programs
# that only nightly links, benchmarks, rules of make, names of tests, paths, and the list of stages in .ci/run.
. test/build/report.sh

run_build_only() { # SCRIPT: runs it with MD5_BUILD_ONLY=yes
    MD5_BUILD_ONLY=yes sh "$1"
}
check "fuzz programs are linked" run_build_only test/fuzz/fuzz.sh
check "the program of damaged images is linked" run_build_only test/long/images.sh
check "the tests for ThreadSanitizer are linked" run_build_only test/long/threads.sh
check "programs and images for a GPU are built" run_build_only test/long/gpu.sh
check "benchmarks are built, and the counted ones run" run_build_only test/long/instructions.sh
check "the benchmark of drawing is built" make --no-print-directory "${BUILD:-build/release}/bench_gl"

# Goals of nightly that this script does not build: make finds a rule and all files for each of them.
has_rules() { # GOAL OR VARIABLE...
    make --no-print-directory -n "$@" >"$scratch/steps"
}
check "rules with link-time optimization" has_rules CFLAGS='-O3 -flto' BUILD=build/lto lib tool
check "rules of coverage" has_rules config=coverage BUILD=build/coverage test-library
check "rules of make docs" has_rules docs
if command -v "${EMCC:-emcc}" >/dev/null; then
    check "rules of make web" has_rules web npm
    # No other build compiles these sources.
    check "demo/web compiles" make --no-print-directory build/web/simd/demo/web/platform.o build/web/element/demo/web/element.o
else
    skip "make web" "${EMCC:-emcc} is not installed"
fi

scripts="test/fuzz/fuzz.sh $(find test/long -name '*.sh' | sort | tr '\n' ' ')"
# Prints the names of tests that the scripts pass to the test programs. A name follows $test_md5, $program or
# the path of a program.
print_named_tests() {
    # shellcheck disable=SC2086 # several files
    grep -hoE '("[$]test_md5"|"[$]program"|test_md5"|test_gl"|[.]js") [a-z_]+( [a-z_]+)*' $scripts | sed 's/^[^ ]* //' | tr ' ' '\n'
    sed -n '/TESTS=/s/.*_TESTS=.\([a-z0-9_ ]*\).*/\1/p' .ci/run | tr ' ' '\n'
}
print_unknown_tests() {
    find test -name 'test_*.c' | sed 's|.*/||; s|\.c$||' >"$scratch/tests"
    find test -name '*.c' -exec grep -hoE '^TEST[A-Z_]* \([a-z0-9_]+' {} + | sed 's/^TEST.* (//' >>"$scratch/tests"
    print_named_tests | sort -u | while read -r name; do
        [ -z "$name" ] || grep -q -- "$name" "$scratch/tests" || echo "$name is not a part of the name of a test"
    done
}
check "nightly names tests" [ "$(print_named_tests | sort -u | grep -c .)" -gt 10 ]
silent "the tests in nightly scripts exist" print_unknown_tests

# Prints files and folders of the repository that the scripts name but that do not exist. The web site has a
# folder test/ too, to which web.sh writes pages.
print_missing_paths() {
    # shellcheck disable=SC2086 # several files
    grep -hvE '^ *#' $scripts .ci/run | grep -oE '(^|[^A-Za-z0-9_/.$}"-])(md5|render|shaders|demo|models|test)/[a-z0-9_/]+([.][a-z0-9]+)?' |
        sed 's|^[^a-z]||' | grep -vE '^test/([^/]*|react/.*)$' | sort -u | while read -r path; do
        [ -e "$path" ] || [ -e "${path%_}" ] || ls -d "$path"* >/dev/null 2>&1 || echo "$path does not exist"
    done
}
silent "the paths in nightly scripts exist" print_missing_paths

print_missing_modules() {
    sed -n 's|^\(md5[a-z/]*\)  *[0-9].*|\1|p' test/build/coverage.sh | while read -r module; do
        [ -d "$module" ] || echo "test/build/coverage.sh: module $module does not exist"
    done
}
silent "modules with limits of coverage exist" print_missing_modules

# Prints scripts of test/long that are not exactly one stage of `.ci/run nightly`.
print_unlisted_scripts() {
    bash .ci/run nightly --list >"$scratch/stages" || echo ".ci/run nightly --list fails"
    for script in test/long/*.sh; do
        [ "$(grep -c "LONG_SCRIPTS=$script " "$scratch/stages")" -eq 1 ] || echo "$script is not exactly one stage"
    done
}
silent "each script of test/long is a stage" print_unlisted_scripts
finish
