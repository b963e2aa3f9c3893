#!/bin/sh
# Compiler settings that change the bits of results are rejected with an error that names a remedy.
. test/build/report.sh

cc=${CC:-cc}
check_header=md5/core/floats.h

# check_rejected_flags TITLE WORD FLAGS...: checks that the header alone fails to compile with one error that contains WORD.
check_rejected_flags() {
    title=$1 word=$2
    shift 2
    fails_with_requirement() {
        # shellcheck disable=SC2086 # the compiler may be several words
        ! $cc -std=c11 "$@" -fsyntax-only -x c $check_header 2>"$scratch/err" &&
            grep 'error: .*md5model requires reproducible floating-point results: compile with' "$scratch/err" | grep -F -- "$word" || {
            cat "$scratch/err"
            false
        }
    }
    check "$title is rejected" fails_with_requirement "$@"
}
check_accepted_flags() { # FLAGS...
    # shellcheck disable=SC2086
    check "$* is accepted" $cc -std=c11 "$@" -Werror -fsyntax-only -x c $check_header
}
sources_include_check() {
    for source in md5/core/math.h md5/core/wide.h md5/core/number.c; do
        # shellcheck disable=SC2086
        $cc -std=c11 -I. -M -x c $source | grep -q $check_header || echo "$source does not include $check_header"
    done
}

check_rejected_flags "-ffast-math" "compile without -ffast-math, -Ofast and similar options" -O1 -ffast-math
check_rejected_flags "-Ofast" "compile without -ffast-math, -Ofast and similar options" -Ofast
check_rejected_flags "-ffinite-math-only" "compile without -ffast-math, -Ofast and similar options" -ffinite-math-only
check_accepted_flags -O2
case $($cc -dumpmachine) in
x86_64-*)
    check_rejected_flags "x87" "compile with -msse2 -mfpmath=sse instead of x87 arithmetic" -m32 -mno-sse
    check_accepted_flags -m32 -msse2 -mfpmath=sse
    ;;
esac
silent "each source with computations includes the header" sources_include_check
finish
