#!/bin/sh
# Every installed gcc and clang builds the library, md5tool and the tests without a warning, and the tests pass; C++ accepts
# the public headers; each file compiles as Microsoft's compiler would compile it, and the two-file form that clang-cl compiles
# has the library's bits under wine. COMPILERS="..." selects compilers; "ends" selects the oldest and the newest gcc and clang.
. test/build/report.sh
. test/build/built.sh
. test/build/microsoft.sh
unset MAKEFLAGS MAKELEVEL MFLAGS MD5_CORPUS config CC CFLAGS LDFLAGS BUILD MD5_BUILD

build_with() {
    find_build "$1"
    make --no-print-directory -j"$(getconf _NPROCESSORS_ONLN)" DEPS=no config=release CC="$compiler" BUILD="$folder" \
        CFLAGS="$flags" WERROR=yes lib tool "$folder/test_md5"
}
run_tests() {
    find_build "$1"
    MD5_ROOT=. "$folder/test_md5"
}
list_oldest_and_newest() { # PATTERN
    list_installed_compilers "$1" | sort -t- -k2n | sed -n '1p; $p' | sort -u
}
all=$(list_installed_compilers gcc; list_installed_compilers clang)
[ "${COMPILERS-}" != ends ] || COMPILERS=$(list_oldest_and_newest gcc; list_oldest_and_newest clang)
for name in ${COMPILERS-$all}; do
    command -v "$name" >/dev/null || {
        skip "$name" "not installed"
        continue
    }
    start=$(date +%s)
    check "$name: built" build_with "$name"
    check "$name: tests" run_tests "$name"
    echo "note: $name: $(($(date +%s) - start)) s: $(tail -n 1 "$scratch/check_output")"
done

headers_compile_as_cxx() { # COMPILER STANDARD
    for header in md5/md5*.h render/md5gl*.h; do
        printf '#include "%s"\n' "$header" >"$scratch/header.cpp"
        "$1" "-std=$2" -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I. "$scratch/header.cpp" || return 1
    done
}
for compiler in g++ clang++; do
    for standard in c++11 c++17 c++20; do
        command -v $compiler >/dev/null && check "$compiler reads the headers as $standard" headers_compile_as_cxx $compiler $standard
    done
done

# Compiles each file separately, because a file may rely on an include of another file.
sources_compile_as_microsoft() { # FLAGS...
    find md5 demo/common demo/looks demo/convert demo/tool -name '*.c' | compile_as_microsoft "$@"
}
if command -v clang >/dev/null; then
    check "each file compiles for Microsoft's x64" sources_compile_as_microsoft -D_M_X64=100 -D_M_AMD64=100
    check "each file compiles for Microsoft's ARM64" sources_compile_as_microsoft -D_M_ARM64=1
else
    skip "Microsoft's compiler" "clang is not installed"
fi
# shellcheck source-path=SCRIPTDIR/../..
. test/build/amalgamate.sh # here, because each build above has set $folder
assets="models/bobbin/bobbin.md5mesh models/bobbin/walk.md5anim"
write_expected_output() { # the output of the program of the two-file form on this machine
    # shellcheck disable=SC2086,SC2154 # the compiler may be several words; set by amalgamate.sh
    (cd "$folder" && $cc -std=c11 -O1 game.c md5model.c -lm -o game) &&
        "$folder/game" $assets >"$scratch/expected" && [ -s "$scratch/expected" ]
}
plays_with_clang_cl() { # FLAGS...
    run_clang_cl /TC /std:c11 "$@" "/Fo$scratch/md5model.obj" -- "$folder/md5model.c" &&
        run_clang_cl /TC /std:c11 "$@" "/Fo$scratch/game.obj" -- "$folder/game.c" &&
        link_with_mingw "$scratch/game.exe" "$scratch/game.obj" "$scratch/md5model.obj" || return 1
    # shellcheck disable=SC2086
    wine "$scratch/game.exe" $assets | tr -d '\r' | diff "$scratch/expected" -
}
for each in clang x86_64-w64-mingw32-gcc wine; do
    command -v $each >/dev/null || { skip "clang-cl" "$each is not installed"; finish; }
done
export WINEPREFIX="$scratch/wine" WINEDEBUG=-all LC_ALL=C.UTF-8
check "make amalgamate" amalgamate
check "a program runs on this machine" write_expected_output
# shellcheck disable=SC2046 # one word each
check "clang-cl compiles each file of the library and of md5tool" run_clang_cl /TC /std:c11 -fsyntax-only -I. \
    /clang:-ffp-contract=off /D_CRT_SECURE_NO_WARNINGS -- $(find md5 demo/common demo/looks demo/convert demo/tool -name '*.c')
for language in "/TC /std:c11" "/TP /std:c++17" "/TP /std:c++20"; do
    # shellcheck disable=SC2086
    check "clang-cl compiles the two-file forms: $language" run_clang_cl $language /O2 -fsyntax-only -- "$folder"/md5[mpg]*.c
done
check "programs of clang-cl compute the same bits" plays_with_clang_cl /O2
check "programs for fused multiply-adds compute the same bits" plays_with_clang_cl /O2 /arch:AVX2
check "programs without optimization compute the same bits" plays_with_clang_cl /Od
wineserver -w
finish
