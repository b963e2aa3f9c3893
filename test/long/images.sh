#!/bin/sh
# Reads HOSTILE_IMAGES=100000 damaged images of every kind, with stb_image and our sources built with sanitizers by each
# installed compiler. MD5_BUILD_ONLY=yes only links the sources from the objects of `make programs`.
. test/build/report.sh

count=${HOSTILE_IMAGES:-100000}
flags="-std=c11 -O1 -g -I. -DHAS_STB -DHAS_JPEG -fno-omit-frame-pointer -fsanitize=address,undefined
    -fno-sanitize-recover=all"
libjpeg=$("${PKG_CONFIG:-pkg-config}" --cflags --libs libjpeg)
sources="test/test.c test/viewer/test_view_image.c test/viewer/test_view_image_make.c demo/looks/image.c
    demo/looks/png.c demo/common/file.c demo/common/system.c demo/common/memory.c
    demo/common/text.c demo/common/threads.c $(find md5 -name '*.c')"

if [ -n "${MD5_BUILD_ONLY:-}" ]; then
    # shellcheck disable=SC2046,SC2086 # several words each
    link_program() {
        for source in $sources; do
            case $source in md5/*) ;; *) echo "${BUILD:-build/release}/${source%.c}.o" ;; esac
        done >"$scratch/objects"
        ${CC:-cc} -o "$scratch/images" $(cat "$scratch/objects") $archives ${MD5_LINK_FLAGS:-} $libjpeg -lz -lpthread -lm
    }
    check "the program of damaged images is linked" link_program
    finish
fi

build_with() { # COMPILER
    # shellcheck disable=SC2086 # several words each, the compiler too
    $1 $flags -o "$scratch/images" $sources $libjpeg -lpthread -lm
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
