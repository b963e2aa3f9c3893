#!/bin/sh
# The ground of the element <md5-model>: no vertex is below it at any time. The element is compiled with a substitute for
# the web page, which reads files. test/long/web.sh tests drawing in a browser.
. test/build/report.sh
cc=${CC:-cc}

command -v "$cc" >/dev/null && [ -e build/glad/include/glad/gl.h ] || {
    skip "the element" "the compiler or glad is missing"
    finish
}
echo '#define EMSCRIPTEN_KEEPALIVE
#define EM_JS(type, name, parameters, ...) type name parameters;' >"$scratch/emscripten.h"
: >"$scratch/gl_used.h"
cat >"$scratch/main.c" <<'END'
void glGetString(void), glGetIntegerv(void), glGetStringi(void);
#include "demo/web/element.c"
#include <stdio.h>
void page_report(const char *kind, const char *text, const char *more)
{
    fprintf(stderr, "%s %s %s\n", kind, text, more);
}
void *page_open(const char *path, uint32_t *sizes, bool is_picture)
{
    enum { MAX = 1 << 16 };
    FILE *const file = is_picture ? NULL : fopen(path, "rb");
    char *const bytes = file ? malloc(MAX) : NULL;
    sizes[0] = bytes ? (uint32_t)fread(bytes, 1, MAX, file) : 0;
    if (file)
        fclose(file);
    return bytes;
}
const char *page_image_name(const char *shader, int kind)
{
    return kind >= 0 ? NULL : shader;
}
// Prints the ground and the lowest vertex at 21 times of a clip of 0.2 s, including times between frames.
int main(int count, char **words)
{
    web_asset *const asset = count == 3 ? web_load(words[1], false) : NULL;
    if (!asset || web_add_clip(asset, words[2], false) != 0.2)
        return 1;
    web_element *const element = web_create_element(asset, "");
    if (!element)
        return 1;
    web_set_state(element, 1, 0, 0);
    web_compute_bounds(element);
    for (int i = 0; i <= 20; i++) {
        web_set_state(element, 1, 0, 0.25 * i);
        pose(element, element->player);
        printf("%f %f\n", (double)element->ground,
               (double)md5_skin_bounds(asset->model, element->palette).min.z);
    }
    web_destroy_element(element);
    web_free_asset(asset);
    return 0;
}
END
# Writes a model: a triangle from height 0 to 80 on the joint "body", whose parent is at the origin.
echo 'MD5Version 10 commandline "" numJoints 2 numMeshes 1 joints { "origin" -1 ( 0 0 0 ) ( 0 0 0 ) "body" 0 ( 0 0 0 ) ( 0 0 0 ) }
mesh { shader "x" numverts 3 vert 0 ( 0 0 ) 0 1 vert 1 ( 1 0 ) 1 1 vert 2 ( 1 1 ) 2 1 numtris 1 tri 0 0 1 2
numweights 3 weight 0 1 1 ( 0 -50 0 ) weight 1 1 1 ( 0 50 0 ) weight 2 1 1 ( 0 0 80 ) }' >"$scratch/card.md5mesh"
write_clip() { # HEIGHT HEIGHT HEIGHT: the height of the body in each frame
    echo "MD5Version 10 commandline \"\" numFrames 3 numJoints 2 frameRate 10 numAnimatedComponents 1
hierarchy { \"origin\" -1 0 0 \"body\" 0 4 0 } bounds { ( 0 -50 0 ) ( 0 50 80 ) ( 0 -50 0 ) ( 0 50 80 ) ( 0 -50 0 ) ( 0 50 80 ) }
baseframe { ( 0 0 0 ) ( 0 0 0 ) ( 0 0 0 ) ( 0 0 0 ) } frame 0 { $1 } frame 1 { $2 } frame 2 { $3 }"
}
write_clip 0 -7 0 >"$scratch/dips.md5anim"
write_clip 0 30 0 >"$scratch/leaps.md5anim"
write_clip 50 50 50 >"$scratch/floats.md5anim"

check_ground_heights() { # CLIP CONDITION of awk: ground, lowest vertex
    "$scratch/element" "$scratch/card.md5mesh" "$scratch/$1.md5anim" >"$scratch/out" && [ "$(wc -l <"$scratch/out")" -eq 21 ] &&
        ! awk "!($2)" "$scratch/out" | grep .
}
# Unused sections are dropped, so that the code for drawing needs no OpenGL.
# shellcheck disable=SC2086 # words
check "the element compiles" $cc -std=gnu11 -O1 -w -ffunction-sections -fdata-sections ${MD5_LINK_FLAGS:-} -Wl,--gc-sections -I"$scratch" -I. \
    -Ibuild/glad/include "$scratch/main.c" "$products/libmd5play.a" "$products/libmd5model.a" -lm -o "$scratch/element"
check "the ground is below a clip that dips" check_ground_heights dips '$1 >= -7.001 && $1 <= -6.9 && $1 <= $2 + 1e-4'
check "a clip that leaps does not move the ground" check_ground_heights leaps '$1 == 0'
check "the ground is below a clip that floats, not below the bind pose" check_ground_heights floats '$1 == 50'
finish
