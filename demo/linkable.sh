#!/bin/sh
# linkable.sh PACKAGE COMPILER FLAG...: prints -DHAS_NAME and the linker's flags of a package if this compiler can
# link it with these flags; otherwise prints nothing. Cross compilers and -static usually cannot link it.
package=$1
shift
case $package in
libzip) name=ZIP program='#include <zip.h>
int main(void) { return zip_open("", ZIP_RDONLY, 0) != 0; }' ;;
jansson) name=JANSSON program='#include <jansson.h>
int main(void) { return json_loads("", 0, 0) != 0; }' ;;
libjpeg) name=JPEG program='#include <stddef.h>
#include <stdio.h>
#include <jpeglib.h>
int main(void) { struct jpeg_error_mgr errors; return jpeg_std_error(&errors) == 0; }' ;;
zlib) name=ZLIB program='#include <zlib.h>
int main(void) { return crc32(0, 0, 0) != 0; }' ;;
stb) name=STB program='#include <stb/stb_image.h>
#include <stb/stb_image_write.h>
int main(void) { return 0; }' ;;
meshoptimizer) name=MESHOPTIMIZER program='#include <meshoptimizer.h>
int main(void) { return meshopt_decodeVertexBuffer(0, 0, 4, 0, 0) + (int)meshopt_simplify(0, 0, 0, 0, 0, 12, 0, 0, 0, 0); }' ;;
assimp) name=ASSIMP program='#include <assimp/cimport.h>
int main(void) { return aiImportFile("", 0) != 0; }' ;;
*) exit 0 ;;
esac
case $package in
stb) libs= ;; # headers only
meshoptimizer) libs=-lmeshoptimizer ;;
*) libs=$("${PKG_CONFIG:-pkg-config}" --libs "$package" 2>/dev/null) || exit 0 ;;
esac
folder=$(mktemp -d) || exit 0
trap 'rm -rf "$folder"' EXIT
printf '%s\n' "$program" >"$folder/try.c"
# shellcheck disable=SC2086 # several flags
"$@" "$folder/try.c" -o "$folder/try" $libs >/dev/null 2>&1 &&
    printf -- '-DHAS_%s %s\n' "$name" "$libs"
exit 0
