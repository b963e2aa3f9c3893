#!/bin/sh
# The library as two files: without a warning as C11 and as C++17; a program in a folder with nothing else,
# built by one compiler line without SIMD, which takes a fifth of the time, has the bits of the library; without
# what it does not need it has a limited size. test/long/amalgamate.sh builds it with SIMD, optimizers and fused
# multiply-adds, and without its parts.
. test/build/report.sh
. test/build/amalgamate.sh

quick="-std=c11 -O0 -DMD5_NO_SIMD"

check "make amalgamate" amalgamate
# shellcheck disable=SC2086 # the compiler may be several words
for name in md5model md5gl; do
    check "$name.c is C11" silent_compiler $cc -std=c11 $name.c
done
if command -v c++ >/dev/null; then
    check "md5model.c is C++17" silent_compiler c++ -std=c++17 -x c++ md5model.c
    check "md5gl.c is C++17" silent_compiler c++ -std=c++17 -x c++ md5gl.c
else
    skip "both are C++17" "there is no C++ compiler"
fi
all_parts_are_known() {
    sed -n 's/^ *("\(MD5_NO_[A-Z_]*\)".*/\1/p' test/build/amalgamate.py | while read -r macro; do
        grep -q "^#ifndef $macro" "$folder/md5model.c" || echo "$macro leaves out nothing"
    done
}
silent "each part leaves out something" all_parts_are_known
# shellcheck disable=SC2086 # several words
check "one compiler line" plays $quick
smallest() {
    # shellcheck disable=SC2046 # KB and flags
    fits $(sizes_of_readme | sed 1q)
}
check "the smallest program is no larger than the README says" smallest

# Functions and streams of the system that deal with files.
files_in() { # OBJECTS
    ${NM:-nm} -u "$1" |
        grep -wE '_?(f?open(64)?|_wfopen|close|fclose|read|fread|_*f?stat(64)?|__fxstat(64)?|poll|fseek|ftell|rewind|ferror|f?printf|std(in|out|err))(@.*)?'
}
unit=without_files.o
without_files() {
    # shellcheck disable=SC2086
    (cd "$folder" && $cc $quick -DNDEBUG -DMD5_NO_FILES -c md5model.c -o $unit)
}
check "the library reads files" files_in "$products/libmd5model.a"
check "MD5_NO_FILES compiles" without_files
silent "MD5_NO_FILES: it has nothing that deals with files" files_in "$folder/$unit"
# shellcheck disable=SC2086
check "MD5_NO_FILES: texts come from the caller's functions" plays $quick -DMD5_NO_FILES
finish
