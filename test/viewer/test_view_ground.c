// The ground and the framing: the ground hides no part of a model that stands on it, and surfaces
// that their material does not draw are not framed.
#include "test/scoped.h"
#include "test/viewer/test_view_case.h"
#include "test/viewer/test_view_shot.h"

// A card of 100 by 20 units around a joint at the origin. Half of it is below 0, which is less than
// a tenth of its size.
#define CARD(shader, low, high)                                                              \
    "mesh { shader \"" shader "\" numverts 4 vert 0 ( 0 0 ) 0 1 vert 1 ( 1 0 ) 1 1 "         \
    "vert 2 ( 1 1 ) 2 1 vert 3 ( 0 1 ) 3 1 numtris 4 tri 0 0 1 2 tri 1 0 2 3 tri 2 2 1 0 "   \
    "tri 3 3 2 0 numweights 4 weight 0 0 1 ( 0 -50 " low " ) weight 1 0 1 ( 0 50 " low " ) " \
    "weight 2 0 1 ( 0 50 " high " ) weight 3 0 1 ( 0 -50 " high " ) }\n"
#define ONE_JOINT(num)                                          \
    "MD5Version 10 commandline \"\" numJoints 1 numMeshes " num \
    " joints { \"origin\" -1 ( 0 0 0 ) ( 0 0 0 ) }\n"

// Two frames that rotate the card about its length.
#define ROTATION_CLIP(first, second)                                                               \
    "MD5Version 10 commandline \"\" numFrames 2 numJoints 1 frameRate 1 numAnimatedComponents 1\n" \
    "hierarchy { \"origin\" -1 16 0 }\n"                                                           \
    "bounds { ( -9 -50 -10 ) ( 9 50 10 ) ( -9 -50 -10 ) ( 9 50 10 ) }\n"                           \
    "baseframe { ( 0 0 0 ) ( 0 0 0 ) } frame 0 { " first " } frame 1 { " second " }\n"

// Returns the fraction of the model's pixels without a ground that have another color with a
// ground.
static double hidden_fraction(const gl_scene *scene, const char *line)
{
    SCOPED_STRING bare_line = common_format("%s --no-background", line);
    SCOPED_PICTURE bare = render_shot(scene, bare_line);
    SCOPED_PICTURE complete = render_shot(scene, line);
    const size_t count = (size_t)bare.width * bare.height;
    size_t covered = 0;
    size_t hidden = 0;
    if (bare.rgba != NULL && complete.rgba != NULL) {
        for (size_t i = 0; i < count; i++) {
            const uint8_t *const a = bare.rgba + 4 * i;
            const uint8_t *const b = complete.rgba + 4 * i;
            const bool is_same = abs(a[0] - b[0]) + abs(a[1] - b[1]) + abs(a[2] - b[2]) <= 6;
            covered += a[3] == 255;
            hidden += a[3] == 255 && !is_same;
        }
    }
    CHECK_THAT(covered > count / 100, "%s: %zu of %zu pixels", line, covered, count);
    return covered > 0 ? (double)hidden / (double)covered : 1.0;
}

TEST_SCENE (ground_hides_nothing_of_a_model) {
    static const struct {
        const char *before, *after;
    } cases[] = {
        {"", ""},
        {"", "/swing.md5anim --animation-time 0"},
        {"", "/swing.md5anim --animation-time 0.5"},
        {"--crowd 4 ", "/still.md5anim"},
        {"--camera-elevation-angle -70 ", ""},
        {"--camera-orthographic --camera-elevation-angle -70 ", ""},
        {"models/thimble/thimble.md5mesh --retarget ", ""},
        {"models/thimble/thimble.md5mesh --attach origin=", ""},
    };
    SCOPED_FOLDER folder = folder_make();
    folder_write_text(folder, "card.md5mesh", ONE_JOINT("1") CARD("x", "-10", "10"));
    folder_write_text(folder, "still.md5anim", ROTATION_CLIP("0", "0"));
    // The card swings from 60 degrees to -60 degrees. In both frames its lower edge is at -10 cos
    // 60 = -5. Between the frames the card is upright and its edge is at -10.
    folder_write_text(folder, "swing.md5anim", ROTATION_CLIP("0.5", "-0.5"));
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        SCOPED_STRING clip =
            cases[i].after[0] != '\0' ? common_format(" %s%s", folder, cases[i].after) : NULL;
        SCOPED_STRING line =
            common_format("%s%s/card.md5mesh%s --no-auto --samples 1 --resolution 160,90",
                          cases[i].before, folder, clip != NULL ? clip : "");
        const double fraction = hidden_fraction(scene, line);
        CHECK_THAT(fraction == 0.0, "%s: %.3f is hidden", line, fraction);
    }
}

// A mesh that a skin hides by a material without stages is far away: image and bounds are the same
// as without the mesh.
TEST_SCENE (view_frames_only_drawn_meshes) {
    SCOPED_FOLDER folder = folder_make();
    md5_bounds bounds[2] = {{.min = {0}}};
    shot shots[2] = {{.rgba = NULL}};
    folder_write_text(folder, "materials/a.mtr", "none { noshadows }\ncard { { map _white } }\n");
    folder_write_text(folder, "models/both.md5mesh",
                      ONE_JOINT("2") CARD("card", "0", "20") CARD("none", "500", "900"));
    folder_write_text(folder, "models/one.md5mesh", ONE_JOINT("1") CARD("card", "0", "20"));
    for (int i = 0; i < 2; i++) {
        SCOPED_STRING line = common_format(
            "%s/models/%s.md5mesh --bounds --samples 1 --no-background --resolution 160,90", folder,
            i == 0 ? "both" : "one");
        SCOPED_SHOT viewer;
        if (!CHECK(shot_open(&viewer, scene, line)))
            continue;
        bounds[i] = viewer.state.document->bounds;
        shots[i] = shot_draw(&viewer);
    }
    CHECK_NEAR(bounds[0].max.z, 20, 1e-5);
    CHECK_BYTES(&bounds[0], &bounds[1], sizeof bounds[0]);
    CHECK(shot_same(&shots[0], &shots[1]));
    free(shots[0].rgba);
    free(shots[1].rgba);
}
