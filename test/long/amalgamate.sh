#!/bin/sh
# The two-file form with optimizers: no warnings, and the library's bits, with gcc and clang, as C11 and C++17, also for
# processors with fused multiply-adds, which compilers would use by default. Without file support, it uses no file functions
# of the system. The sizes of a program that only loads, poses and skins are compared with the table of installing.md.
. test/build/report.sh
. test/build/amalgamate.sh

check "make amalgamate" amalgamate
optimized_build_plays() { # COMPILER FLAGS...
    language=$1
    shift
    game_output_matches "$@" -Wall -Wextra -Wpedantic -Werror
}
fma_flags=
grep -q '^flags.* avx2.* fma' /proc/cpuinfo 2>/dev/null && fma_flags=-march=haswell
for compiler in gcc clang; do
    command -v $compiler >/dev/null || { skip "$compiler" "not installed"; continue; }
    check "$compiler -O2" optimized_build_plays $compiler -std=gnu11 -O2 $fma_flags
    check "$compiler -O1 with AVX-512" optimized_build_plays $compiler -std=gnu11 -O1 -DMD5_AVX512
    cxx_compiler=$(echo $compiler | sed 's/gcc/g++/; s/clang/clang++/')
    check "$compiler -pedantic" compiles_without_warnings $compiler -std=c11 md5model.c
    check "all are C++17 for $cxx_compiler" compiles_as_cxx_without_warnings "$cxx_compiler" c++17
    # One level of optimization is sufficient for C++, because the optimizer is the same as for C above. g++
    # warns of intentionally uninitialized data in its AVX-512 headers.
    quiet=-Wno-uninitialized
    [ $compiler = clang ] || quiet="$quiet -Wno-maybe-uninitialized"
    # shellcheck disable=SC2086
    check "$cxx_compiler -O1" optimized_build_plays "$cxx_compiler -x c++" -std=gnu++17 -O1 $fma_flags $quiet
done
language= # the following checks use the compiler of the build

for part in FILES SIMD; do
    # shellcheck disable=SC2086
    check "with MD5_NO_$part" compiles_without_warnings $cc -std=c11 -DMD5_NO_$part md5model.c
done
# MD5_FAST_NORMALS allows fused operations: normals have the same directions as in the library, but some are shorter.
fast_normals_have_same_directions() {
    # shellcheck disable=SC2086
    (cd "$folder" && $cc -std=c11 -O2 $fma_flags -ffp-contract=fast -DMD5_FAST_NORMALS game.c md5model.c -lm -o game) &&
        "$scratch/linked" $assets all >"$scratch/expected" && "$folder/game" $assets all >"$scratch/played" &&
        paste -d ' ' "$scratch/expected" "$scratch/played" | awk '
            NR > 1 { for (i = 1; i <= 3; i++) apart += ($i - $(i + 4)) ^ 2 > 1e-10; stretched += $4 < 0.9999; shorter += $8 < 0.99 }
            END { print NR, apart, stretched, shorter; exit !(NR > 1000 && !apart && !stretched && shorter > 100) }'
}
check "with MD5_FAST_NORMALS normals have the same directions" fast_normals_have_same_directions
# Lists functions and streams of the system for files. test/tree/amalgamate.sh tests builds without SIMD, and the
# sizes below are measured with -O3.
print_file_functions() { # OBJECTS
    ${NM:-nm} -u "$1" |
        grep -wE '_?(f?open(64)?|_wfopen|close|fclose|read|fread|_*f?stat(64)?|__fxstat(64)?|poll|fseek|ftell|rewind|ferror|f?printf|std(in|out|err))(@.*)?'
}
object_file=without_files.o
compile_without_files() {
    # shellcheck disable=SC2086
    (cd "$folder" && $cc -std=c11 -O0 -DMD5_HAS_SIMD=0 -DNDEBUG -DMD5_HAS_FILES=0 -c md5model.c -o $object_file)
}
check "the library reads files" print_file_functions "$products/libmd5model.a"
check "MD5_HAS_FILES=0 compiles" compile_without_files
silent "MD5_HAS_FILES=0: no file functions are used" print_file_functions "$folder/$object_file"
# shellcheck disable=SC2086
check "MD5_HAS_FILES=0: the caller's functions provide texts" game_output_matches -std=c11 -O0 -DMD5_HAS_SIMD=0 -DMD5_HAS_FILES=0
object_file= # the following checks use the complete form

print_guide_sizes >"$scratch/sizes"
while read -r flags; do
    # shellcheck disable=SC2086
    check "the size does not exceed the guide's: $flags" program_size_fits $flags
done <"$scratch/sizes"
finish
