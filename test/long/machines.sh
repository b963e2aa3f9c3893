#!/bin/sh
# The library's tests on other machines than this one: 32 bits, big-endian, ARM. Cross compilers build them,
# qemu runs them where this machine cannot. CROSS_TESTS="..." says which tests, by a part of their names.
# And what must not be built, because it would give other bits, is refused with what to do instead.
. test/build/report.sh
unset MAKEFLAGS MAKELEVEL MFLAGS MD5_CORPUS

# on TRIPLET QEMU FLAGS...
on() {
    triplet=$1 emulator=$2
    shift 2
    command -v "$triplet-gcc" >/dev/null || {
        skip "$triplet" "there is no $triplet-gcc"
        return
    }
    command -v ${emulator:-true} >/dev/null || {
        skip "$triplet" "there is no $emulator"
        return
    }
    built() {
        make --no-print-directory -j2 DEPS=no config=release CC="$triplet-gcc" BUILD="build/$triplet" CFLAGS="$*" \
            LDFLAGS=-static WERROR=yes "build/$triplet/test_md5"
    }
    # shellcheck disable=SC2086 # no emulator, no word
    tested() {
        MD5_ROOT=. $emulator "build/$triplet/test_md5" ${CROSS_TESTS:-}
    }
    check "$triplet: built" built "$@"
    check "$triplet: tests" tested
}
on i686-linux-gnu "" -msse2 -mfpmath=sse
on s390x-linux-gnu qemu-s390x-static
on aarch64-linux-gnu qemu-aarch64-static
finish
