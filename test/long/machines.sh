#!/bin/sh
# The library, md5tool and the tests on other platforms: 32 bits, big-endian, ARM, RISC-V, musl, Windows, WebAssembly. Cross
# compilers build them; qemu, wine and node run them if this machine cannot. Every platform checks the same hash of poses and
# vertices: test/load/test_same_bits.c.
#
# EMULATED_TESTS="..." selects the tests for qemu, which translates each instruction, by the first letters of their files'
# names; only these are compiled. "" selects all tests, which take ten minutes per platform. NATIVE_TESTS="..." does the same for
# i686 and musl, whose programs most machines can run, and SANITIZED_TESTS="..." for 32 bits with AddressSanitizer, UBSan and
# assertions. PLATFORMS="..." selects platforms. BUILDS_TOOL=no omits md5tool and its checks.
. test/build/report.sh
. test/build/microsoft.sh
unset MAKEFLAGS MAKELEVEL MFLAGS MD5_CORPUS config CC CFLAGS LDFLAGS BUILD MD5_BUILD

list_sources() { # TESTS
    for each in $1; do
        find test -name "$each*.c" | grep . || { echo "no file matches $each*.c" >&2 && return 1; }
    done
}
builds_tool() {
    [ "${BUILDS_TOOL:-yes}" = yes ]
}
# build_programs NAME COMPILER TESTS [CFLAGS [LDFLAGS]]: builds the library, md5tool and test_md5 for a
# platform.
build_programs() {
    sources=$(list_sources "$3") || return
    tool=
    ! builds_tool || tool=build/on/$1/md5tool
    # shellcheck disable=SC2086 # lines become words
    make --no-print-directory -j"$(getconf _NPROCESSORS_ONLN)" DEPS=no config=release CC="$2" BUILD="build/on/$1" \
        CFLAGS="-g0 ${4:-}" LDFLAGS="${5--static}" WERROR=yes ${sources:+TEST_MD5_SOURCES="$(echo $sources)"} \
        "build/on/$1/libmd5model.a" $tool "build/on/$1/test_md5"
}
# Names of files without tests are not passed: such files only contain functions for other tests.
# shellcheck disable=SC2086 # several words, or none
run_tests() { # PROGRAM TESTS
    names=
    for each in ${2:-}; do
        ! grep -qE '^TEST' test/*/$each*.c || names="$names $each"
    done
    MD5_ROOT=. timeout 3600 $runner "$1" $names </dev/null
}
prints_version() { # PROGRAM
    # shellcheck disable=SC2086
    $runner "$1" --version </dev/null | grep '^md5tool [0-9]'
}
# Compares the output for a file with the output on this machine. Windows has other line ends and drives (wine shows /
# as Z:), and sizes of pointers differ.
prints_same_info() { # PROGRAM
    for file in models/bobbin/bobbin.md5mesh models/bobbin/walk.md5anim models/bobbin/bobbin.md5machine; do
        "$products/md5tool" info $file | grep -v 'bytes in memory' >"$scratch/here"
        # shellcheck disable=SC2086
        $runner "$1" info $file </dev/null | tr -d '\r' | sed 's| Z:/| /|' | grep -v 'bytes in memory' >"$scratch/there"
        cmp "$scratch/here" "$scratch/there" || { cat "$scratch/there"; return 1; }
    done
}

# test_platform NAME COMPILER RUNNER TESTS [CFLAGS [LDFLAGS]]: builds the programs for a platform and runs
# them with RUNNER. Skips the platform if a command is not installed, or if PLATFORMS does not contain it.
test_platform() {
    name=$1 compiler=$2 runner=$3 tests=$4
    shift 4
    case " ${PLATFORMS-$name} " in *" $name "*) ;; *) return ;; esac
    for needed in $compiler ${runner%% *}; do
        command -v "$needed" >/dev/null || {
            skip "$name" "$needed is not installed"
            return
        }
    done
    ending=
    [ "$name" = windows-x86_64 ] && ending=.exe
    start=$(date +%s)
    check "$name: built" build_programs "$name" "$compiler" "$tests" "$@"
    build_end=$(date +%s)
    if builds_tool; then
        check "$name: md5tool runs" prints_version "build/on/$name/md5tool$ending"
        check "$name: md5tool has the same output" prints_same_info "build/on/$name/md5tool$ending"
    fi
    check "$name: tests" run_tests "build/on/$name/test_md5$ending" "$tests"
    echo "note: $name: built in $((build_end - start)) s, tested in $(($(date +%s) - build_end)) s:" \
        "$(grep -E '^[0-9]+ passed' "$scratch/check_output" | tail -n 1)," \
        "$(grep '^note: hash' "$scratch/check_output" | sed 's/.*: /hash /')"
}

emulated_tests=${EMULATED_TESTS-} native_tests=${NATIVE_TESTS-}
# Not every kernel runs 32-bit programs. In qemu they have less than the 3 GB that the sanitizer expects, and the search for
# leaks would not end. Folders are read with 64-bit inode numbers, as in this machine's file systems.
i386='' i386_tests=$native_tests check_leaks=1
echo 'int main(void) { return 0; }' >"$scratch/32.c"
if i686-linux-gnu-gcc -static -o "$scratch/32" "$scratch/32.c" 2>/dev/null && ! "$scratch/32" 2>/dev/null; then
    i386='qemu-i386-static -R 0xbf000000' i386_tests=$emulated_tests check_leaks=0
fi
test_platform i686 i686-linux-gnu-gcc "$i386" "$i386_tests" "-msse2 -mfpmath=sse -D_FILE_OFFSET_BITS=64"
# The quarantine of freed memory, which detects later use, must not fill the address space.
i686=/usr/i686-linux-gnu/lib
test_platform i686-sanitize i686-linux-gnu-gcc "env ASAN_OPTIONS=quarantine_size_mb=16:detect_leaks=$check_leaks $i386" "${SANITIZED_TESTS-}" \
    "-O1 -g -UNDEBUG -msse2 -mfpmath=sse -D_FILE_OFFSET_BITS=64 -fsanitize=address,undefined -fno-sanitize-recover=all" \
    "-fsanitize=address,undefined -Wl,-rpath,$i686,--dynamic-linker,$i686/ld-linux.so.2"
test_platform musl-x86_64 musl-gcc "" "$native_tests"
test_platform aarch64 aarch64-linux-gnu-gcc qemu-aarch64-static "$emulated_tests"
test_platform riscv64 riscv64-linux-gnu-gcc qemu-riscv64-static "$emulated_tests"
test_platform s390x s390x-linux-gnu-gcc qemu-s390x-static "$emulated_tests"

# gcc reports conversions in macros of mingw's math.h as if they were in our code. Without a UTF-8 locale, wine cannot
# create a file with a name outside of ASCII.
export WINEPREFIX="$scratch/wine" WINEDEBUG=-all LC_ALL=C.UTF-8
test_platform windows-x86_64 x86_64-w64-mingw32-gcc wine "" -Wno-float-conversion

# The library as CMake builds it with clang-cl, for Microsoft's ABI, with the objects of these tests. The tests do not use AVX2,
# because gcc does not support it there, and one of them compares the library with that.
build_with_clang_cl() {
    version=${newest_clang##*clang}
    build_folder=build/on/clang-cl
    rm -rf $build_folder
    # This script replaces clang-cl, which not every package of clang contains. It calls $newest_clang instead
    # of being a link to it, because a link to ccache would not work.
    printf '#!/bin/sh\nexec %s --driver-mode=cl "$@"\n' "$newest_clang" >"$scratch/clang-cl" && chmod +x "$scratch/clang-cl"
    cmake -S . -B $build_folder -DCMAKE_SYSTEM_NAME=Windows -DCMAKE_C_COMPILER="$scratch/clang-cl" \
        -DCMAKE_C_COMPILER_TARGET=x86_64-pc-windows-msvc -DCMAKE_C_FLAGS="$(print_microsoft_flags)" -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_AR="$(command -v "llvm-lib$version")" -DCMAKE_LINKER="$(command -v "lld-link$version")" \
        -DCMAKE_MT="$(command -v "llvm-mt$version")" -DCMAKE_RC_COMPILER="$(command -v "llvm-rc$version")" \
        -DCMAKE_TRY_COMPILE_TARGET_TYPE=STATIC_LIBRARY -DMD5MODEL_PROGRAMS=OFF -DMD5MODEL_GL=OFF &&
        cmake --build $build_folder -j "$(getconf _NPROCESSORS_ONLN)" || return 1
    # shellcheck disable=SC2046 # one word each
    link_with_mingw $build_folder/test_md5.exe $(find build/on/windows-x86_64/test -name '*.o') $build_folder/md5play.lib $build_folder/md5game.lib \
        $build_folder/md5ragdoll.lib $build_folder/md5edit.lib $build_folder/md5model.lib -lpthread
}
all_tests_but_one_pass() {
    MD5_ROOT=. timeout 3600 wine build/on/clang-cl/test_md5.exe </dev/null >"$scratch/log" 2>&1
    grep '^FAILED' "$scratch/log" | grep -v '^FAILED: cpu_best_set_is_supported_by_the_processor '
    grep -qE '^[0-9]+ passed, 1 failed, ' "$scratch/log" || tail -n 1 "$scratch/log"
}
case " ${PLATFORMS-windows-x86_64} " in
*" windows-x86_64 "*)
    if [ -e build/on/windows-x86_64/test_md5.exe ] && command -v "lld-link${newest_clang##*clang}" >/dev/null; then
        check "clang-cl: built" build_with_clang_cl
        silent "clang-cl: tests" all_tests_but_one_pass
    else
        skip "clang-cl" "lld-link or mingw-w64 is not installed"
    fi
    ;;
esac
[ ! -d "$WINEPREFIX" ] || wineserver -w

# The malloc() of this platform aligns memory to 8 bytes only. clang does not support all of our flags for
# this platform.
test_platform wasm32 emcc node "" -Wno-unused-command-line-argument \
    "-s NODERAWFS=1 -s SINGLE_FILE=1 -s ALLOW_MEMORY_GROWTH=1 -s TOTAL_STACK=4MB"
finish
