#!/bin/sh
# The library as two files: without a warning as C11; where there is time, a program in a folder with nothing
# else, built by one compiler line without SIMD, has the bits of the library.
# test/long/amalgamate.sh compiles it as C++17, with SIMD, optimizers and fused multiply-adds, 
# and measures its size.
. test/build/report.sh
. test/build/amalgamate.sh

quick="-std=c11 -O0 -DMD5_NO_SIMD"

check "make amalgamate" amalgamate
# shellcheck disable=SC2086 # the compiler may be several words
for name in md5model md5play md5game md5gl; do
    check "$name.c is C11" silent_compiler $cc -std=c11 $name.c
done
# shellcheck disable=SC2086 # several words
check_long "one compiler line" plays $quick
finish
