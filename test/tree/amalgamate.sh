#!/bin/sh
# The two-file form of the library compiles without a warning as C11 and C++20, and contains each kernel once for all
# instruction sets. In long tests, one compiler command without SIMD builds a program in a folder without other files, and the
# program computes the same bits as with the library. test/long/amalgamate.sh compiles this form as C++17, with SIMD,
# optimizers and fused multiply-adds, and measures its size.
. test/build/report.sh
. test/build/amalgamate.sh

quick="-std=c11 -O0 -DMD5_HAS_SIMD=0"

run_in_folder() { # FOLDER COMMAND...
    (cd "$1" && shift && "$@")
}

check "make amalgamate" amalgamate
# shellcheck disable=SC2086 # the compiler may be several words
for name in md5model md5play md5game md5ragdoll md5edit md5gl; do
    check "$name.c is C11" compiles_without_warnings $cc -std=c11 $name.c
done
! command -v g++ >/dev/null || check "all are C++20 for g++" compiles_as_cxx_without_warnings g++ c++20
! command -v clang++ >/dev/null || check_long "all are C++20 for clang++" compiles_as_cxx_without_warnings clang++ c++20
mingw=x86_64-w64-mingw32-gcc
compiles_for_windows() {
    for name in md5model md5play md5game md5ragdoll md5edit small/md5model; do
        compiles_without_warnings $mingw -std=gnu11 -Wno-pedantic $name.c || return 1
    done
}
if command -v $mingw >/dev/null; then
    check "all files compile without a warning with $mingw" compiles_for_windows
else
    skip "all files compile without a warning with mingw" "$mingw is not installed"
fi
print_macros_in_messages() {
    grep -n '"[^"]*MD5_\(ALL_ZERO\|LITERAL\|ADDRESS\)' "$folder"/md5*.[ch]
}
silent "messages equal the messages of the sources" print_macros_in_messages
stb_compiles_after_md5gl() {
    echo '#include "md5gl.h"
#include "md5gl_stb.h"
const void *(*load)(void *, const char *, uint32_t *, uint32_t *, md5_error *) = md5gl_stb_load;' >"$folder/stb.c"
    # shellcheck disable=SC2086
    compiles_without_warnings $cc -std=c11 stb.c
}
check "md5gl_stb.h compiles after md5gl.h" stb_compiles_after_md5gl

check "the core contains each kernel once" kernels_occur_once "$folder/md5model.c" md5/pose/simd/*_wide.h md5/skin/*_wide.h
# The file includes itself under any name and path.
check_instruction_sets() { # NUM_SETS FLAGS... FILE: checks the number of sets besides plain C; one more on x86-64 with MD5_AVX512
    case $($cc -dumpmachine) in
    x86_64-*linux*) expected=$((3 + $1)) ;;
    x86_64-* | aarch64-*) expected=2 ;;
    *) expected=1 ;;
    esac
    shift
    found=$(count_instruction_sets "$@")
    [ "$found" = "$expected" ] || { echo "$found sets with plain C, expected $expected"; false; }
}
copy_folder="$scratch/a folder"
mkdir "$copy_folder"
cp "$folder/md5model.h" "$copy_folder/"
cp "$folder/md5model.c" "$copy_folder/a copy.c"
echo '#include "a folder/a copy.c"' >"$scratch/within.c"
check "the source compiles from another folder" check_instruction_sets 0 "$folder/md5model.c"
check "a copy with spaces in its name compiles" check_instruction_sets 0 "$copy_folder/a copy.c"
check "a copy compiles from its own folder" run_in_folder "$copy_folder" check_instruction_sets 0 "a copy.c"
check "a copy compiles from the parent folder" run_in_folder "$scratch" check_instruction_sets 0 "a folder/a copy.c"
check "a file that includes the source compiles" check_instruction_sets 0 "$scratch/within.c"
check "MD5_AVX512 adds one instruction set" check_instruction_sets 1 -DMD5_AVX512 "$folder/md5model.c"
includes_itself_from_input() {
    [ "$(count_instruction_sets "-I$folder" -x c - <"$folder/md5model.c")" = 1 ]
}
check "standard input compiles as plain C" includes_itself_from_input
# shellcheck disable=SC2086 # several words
check_long "one compiler command builds a program" game_output_matches $quick
finish
