#!/bin/sh
# Compiler settings that change the bits of results are rejected with an error that names a remedy.
. test/build/report.sh

cc=${CC:-cc}
floats=md5/core/floats.h

# refused TITLE WORD FLAGS...: checks that the header alone fails to compile with one error that contains WORD.
refused() {
    title=$1 word=$2
    shift 2
    fails_with_word() {
        # shellcheck disable=SC2086 # the compiler may be several words
        ! $cc -std=c11 "$@" -fsyntax-only -x c $floats 2>"$scratch/err" &&
            grep 'error: .*md5model requires reproducible floating-point results: compile with' "$scratch/err" | grep -F -- "$word" || {
            cat "$scratch/err"
            false
        }
    }
    check "$title is rejected" fails_with_word "$@"
}
accepted() { # FLAGS...
    # shellcheck disable=SC2086
    check "$* is accepted" $cc -std=c11 "$@" -Werror -fsyntax-only -x c $floats
}
all_look() {
    for source in md5/core/math.h md5/core/wide.h md5/core/number.c; do
        # shellcheck disable=SC2086
        $cc -std=c11 -I. -M -x c $source | grep -q $floats || echo "$source does not include $floats"
    done
}

refused "-ffast-math" "compile without -ffast-math, -Ofast and similar options" -O1 -ffast-math
refused "-Ofast" "compile without -ffast-math, -Ofast and similar options" -Ofast
refused "-ffinite-math-only" "compile without -ffast-math, -Ofast and similar options" -ffinite-math-only
accepted -O2
case $($cc -dumpmachine) in
x86_64-*)
    refused "x87" "compile with -msse2 -mfpmath=sse instead of x87 arithmetic" -m32 -mno-sse
    accepted -m32 -msse2 -mfpmath=sse
    ;;
esac
silent "each source with computations includes the header" all_look
finish
