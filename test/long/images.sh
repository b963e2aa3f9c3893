#!/bin/sh
# Reads HOSTILE_IMAGES=100000 damaged images of every kind, with stb_image and our sources built with sanitizers by each
# installed compiler. MD5_BUILD_ONLY=yes only links the sources from the objects of `make programs`.
. test/build/report.sh

count=${HOSTILE_IMAGES:-100000}
sources="test/test.c test/viewer/test_view_image.c test/viewer/test_view_image_make.c demo/looks/image.c
    demo/looks/png.c demo/common/file.c demo/common/system.c demo/common/memory.c
    demo/common/text.c demo/common/threads.c"
libraries="$("${PKG_CONFIG:-pkg-config}" --cflags --libs libjpeg) -lz -lpthread -lm"

# shellcheck disable=SC2086 # several words each, the compiler too
link_program() { # COMPILER FILES...: the sources or their objects, and the static libraries
    compiler=$1
    shift
    $compiler -o "$scratch/images" "$@" $libraries
}

if [ -n "${MD5_BUILD_ONLY:-}" ]; then
    for source in $sources; do
        echo "${BUILD:-build/release}/${source%.c}.o"
    done >"$scratch/objects"
    # shellcheck disable=SC2046,SC2086 # several words each
    check "the program of damaged images is linked" link_program "${CC:-cc}" $(cat "$scratch/objects") $archives ${MD5_LINK_FLAGS:-}
    finish
fi

unset MAKEFLAGS MAKELEVEL MFLAGS config CFLAGS LDFLAGS BUILD
flags="-std=c11 -O1 -g -I. -DHAS_STB -DHAS_JPEG -fno-omit-frame-pointer -fsanitize=address,undefined
    -fno-sanitize-recover=all"
build_with() { # COMPILER
    folder=build/images/${1##* }
    make --no-print-directory -j"$(getconf _NPROCESSORS_ONLN)" DEPS=no config=sanitize CC="$1" BUILD="$folder" lib || return
    # shellcheck disable=SC2046,SC2086 # several words each
    link_program "$1" $flags $sources $(echo "$archives" | sed "s|$products/|$folder/|g")
}
survives_damaged_images() {
    MD5_HOSTILE_IMAGES=$count "$scratch/images" images >"$scratch/result" 2>&1
    status=$?
    cat "$scratch/result"
    grep '^note: ' "$scratch/result" >>"$scratch/notes"
    return $status
}
for compiler in "${CC:-cc}" clang; do
    command -v "${compiler##* }" >/dev/null || continue
    check "images: built with sanitizers by $compiler" build_with "$compiler"
    check "$count damaged images cause no errors, with $compiler" survives_damaged_images
done
cat "$scratch/notes"
finish
