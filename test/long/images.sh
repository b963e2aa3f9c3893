#!/bin/sh
# Damaged pictures of every kind, stb_image and what is ours built with sanitizers:
# HOSTILE_IMAGES=100000 of them, with each compiler that is there.
. test/build/report.sh

count=${HOSTILE_IMAGES:-100000}
flags="-std=c11 -O1 -g -I. -DHAS_STB -DHAS_JPEG -fno-omit-frame-pointer -fsanitize=address,undefined
    -fno-sanitize-recover=all"
libjpeg=$("${PKG_CONFIG:-pkg-config}" --cflags --libs libjpeg)
sources="test/test.c test/viewer/test_view_image.c test/viewer/test_view_image_make.c demo/looks/image.c
    demo/looks/png.c demo/common/file.c demo/common/system.c demo/common/memory.c
    demo/common/text.c $(find md5 -name '*.c')"

build_with() { # COMPILER
    # shellcheck disable=SC2086 # several words each, the compiler too
    $1 $flags -o "$scratch/images" $sources $libjpeg -lm
}
survives() {
    MD5_HOSTILE_IMAGES=$count "$scratch/images" images >"$scratch/result" 2>&1
    status=$?
    cat "$scratch/result"
    grep '^note: ' "$scratch/result" >>"$scratch/notes"
    return $status
}
for compiler in "${CC:-cc}" clang; do
    command -v "${compiler##* }" >/dev/null || continue
    check "pictures: built with sanitizers by $compiler" build_with "$compiler"
    check "$count damaged pictures do no harm, by $compiler" survives
done
cat "$scratch/notes"
finish
