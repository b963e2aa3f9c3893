// Masks of an md5.cfg in pictures of the viewer. The test writes the files.
#define _XOPEN_SOURCE 700 // mkdtemp(), nftw()

#include "demo/common/file.h"
#include "demo/common/memory.h"
#include "demo/viewer/app/open.h"
#include "test/viewer/test_view_shot.h"

#include <ftw.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char mesh[] =
    "MD5Version 10\ncommandline \"\"\nnumJoints 1\nnumMeshes 1\njoints {\n"
    "\"root\" -1 ( 0 0 0 ) ( 0 0 0 )\n}\nmesh {\n// meshes: board\nshader \"a.tga\"\n"
    "numverts 4\nvert 0 ( 0 0 ) 0 1\nvert 1 ( 1 0 ) 1 1\nvert 2 ( 0 1 ) 2 1\nvert 3 ( 1 1 ) 3 1\n"
    "numtris 2\ntri 0 0 1 2\ntri 1 2 1 3\nnumweights 4\nweight 0 0 1 ( 0 -9 18 )\n"
    "weight 1 0 1 ( 0 9 18 )\nweight 2 0 1 ( 0 -9 0 )\nweight 3 0 1 ( 0 9 0 )\n}\n";

static void put_bytes(const char *folder, const char *name, const void *bytes, size_t size)
{
    char *const path = common_join(folder, name);
    FILE *const file = fopen(path, "wb");
    if (CHECK(file != NULL)) {
        CHECK(fwrite(bytes, 1, size, file) == size);
        CHECK(fclose(file) == 0);
    }
    free(path);
}

// A picture of 8 by 8 pixels of one color.
static void put_color(const char *folder, const char *name, uint8_t red, uint8_t green,
                      uint8_t blue)
{
    enum { HEAD = 18, SIDE = 8 };
    uint8_t file[HEAD + 3 * SIDE * SIDE] = {[2] = 2, [12] = SIDE, [14] = SIDE, [16] = 24};
    for (size_t i = HEAD; i < sizeof file; i += 3) {
        file[i] = blue;
        file[i + 1] = green;
        file[i + 2] = red;
    }
    put_bytes(folder, name, file, sizeof file);
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)status, (void)kind, (void)where;
    return remove(path);
}

// Returns the mean of red over the picture of an md5.cfg; -1 on failure.
static double red_of(gl_scene *scene, const char *folder, const char *lines, uint32_t num_warnings)
{
    shot_viewer viewer;
    char *const script = common_format("md5load board.md5mesh\nmd5cullface * 0\n%s\n", lines);
    put_bytes(folder, "md5.cfg", script, strlen(script));
    char *const line =
        common_format("%s/md5.cfg --no-background --samples 1 --resolution 64,64", folder);
    double mean = -1.0;
    if (shot_open(&viewer, scene, line)) {
        const shot picture = shot_draw(&viewer);
        double sum = 0.0;
        for (size_t i = 0; i < 64 * 64; i++)
            sum += picture.rgba[4 * i];
        mean = sum / (64 * 64);
        CHECK_UINT(viewer.state.log.num_warnings, num_warnings);
        free(picture.rgba);
    }
    shot_close(&viewer);
    free(line);
    free(script);
    return mean;
}

TEST_SCENE (view_cube_masks_glow_and_shine) {
    const char *const above = getenv("TMPDIR");
    char *const folder = common_format("%s/md5view_masks_XXXXXX", above != NULL ? above : "/tmp");
    if (CHECK(mkdtemp(folder) != NULL)) {
        put_bytes(folder, "board.md5mesh", mesh, strlen(mesh));
        put_color(folder, "skin.tga", 120, 40, 40);
        put_color(folder, "glow.tga", 0, 255, 0);
        put_color(folder, "shine.tga", 255, 0, 0);
        put_color(folder, "dull.tga", 0, 0, 255);
        const double dull = red_of(scene, folder, "md5skin * skin.tga dull.tga", 0);
        const double shine = red_of(scene, folder, "md5skin * skin.tga shine.tga", 0);
        const double weak = red_of(scene, folder, "md5skin * skin.tga shine.tga\nmdlspec 10", 0);
        const double glow = red_of(scene, folder, "md5skin * skin.tga glow.tga", 0);
        const double none = red_of(scene, folder, "md5skin * skin.tga glow.tga\nmd5glow * 0", 0);
        CHECK(dull > 0.0);
        CHECK(glow > dull * 1.2);
        // Specular reflection reduces diffuse light, and its small highlight may be out of the
        // picture.
        test_check(fabs(shine - dull) > 1.0 && fabs(weak - dull) < fabs(shine - dull), __FILE__,
                   __LINE__, "red %g, %g with highlights, %g with weak ones", dull, shine, weak);
        CHECK_NEAR(none, dull, 0.01);
        // Missing masks give one warning, and nothing glows.
        CHECK(red_of(scene, folder, "md5skin * skin.tga nothing.tga", 1) > 0.0);
        // So does a missing skin: there is no color to glow in.
        CHECK(red_of(scene, folder, "md5skin * nothing.tga glow.tga", 1) > 0.0);
        CHECK(nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS) == 0);
    }
    free(folder);
}
