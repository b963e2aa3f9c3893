// Pictures of crowds: of several models, culled or not.
#include "test/viewer/test_view_shot.h"

#include "demo/common/memory.h"
#include "demo/viewer/draw/draw.h"

#include <stdlib.h>

#define BOBBIN "models/bobbin/bobbin.md5mesh"
#define THIMBLE "models/thimble/thimble.md5mesh"
#define SPINDLE "models/spindle/spindle.md5mesh"
#define SMALL " --resolution 120,90 --samples 1 --no-maps "

// -- Models and animations --------------------------------------------------------------------

TEST_SCENE (view_crowds_show_every_model_and_animation) {
    static const char *const lines[] = {
        BOBBIN SMALL "--crowd 12",
        BOBBIN " " THIMBLE SMALL "--crowd 12",
        BOBBIN " models/bobbin/run.md5anim " THIMBLE " models/thimble/walk.md5anim" SMALL
               "--crowd 12",
    };
    shot shots[3];
    for (int i = 0; i < 3; i++)
        shots[i] = shot_take(scene, lines[i]);
    CHECK(!shot_same(&shots[0], &shots[1]));
    CHECK(!shot_same(&shots[1], &shots[2]));
    for (int i = 0; i < 3; i++)
        free(shots[i].rgba);
}

// A model without animations plays those of the first model, or its state machine.
TEST_SCENE (view_crowds_share_animations_and_machines) {
    static const char *const lines[] = {
        BOBBIN " " SPINDLE SMALL "--crowd 12",
        "models/bobbin/bobbin.md5machine " SPINDLE SMALL "--crowd 12 --animation-time 2",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        shot taken = shot_take(scene, lines[i]);
        CHECK(taken.rgba != NULL);
        free(taken.rgba);
    }
}

// -- Culling ----------------------------------------------------------------------------------

#define CLIPS \
    BOBBIN " models/bobbin/run.md5anim " THIMBLE " models/thimble/walk.md5anim" SMALL "--crowd 20"
#define MACHINES "models/bobbin/bobbin.md5machine" SMALL "--crowd 20 --animation-time 4"
#define LEVEL " --camera-distance 120 --camera-elevation-angle 4"
#define STEEP " --camera-distance 150 --camera-elevation-angle 70"

// Characters that are culled change no pixel, not even by their shadows.
static void check_culling(const char *const lines[], size_t count)
{
    gl_scene scene;
    if (!scene_share(&scene))
        return;
    for (size_t i = 0; i < count; i++) {
        char *const exact_line = common_format("%s --crowd-exact", lines[i]);
        shot culled = shot_take(&scene, lines[i]), exact = shot_take(&scene, exact_line);
        test_check(shot_same(&culled, &exact), __FILE__, __LINE__, "%s: culling changes pixels",
                   lines[i]);
        free(culled.rgba);
        free(exact.rgba);
        free(exact_line);
    }
    scene_close(&scene);
}

TEST (view_crowds_are_drawn_the_same_culled) {
    static const char *const lines[] = {THIMBLE " models/thimble/walk.md5anim" SMALL
                                                "--crowd 20" LEVEL};
    check_culling(lines, 1);
}

TEST_LONG (view_crowds_are_drawn_the_same_culled_from_all_sides) {
    static const char *const lines[] = {
        CLIPS LEVEL,
        CLIPS STEEP,
        CLIPS " --camera-distance 300 --camera-orthographic",
        CLIPS LEVEL " --no-shadow",
        MACHINES LEVEL,
        MACHINES STEEP,
    };
    check_culling(lines, sizeof lines / sizeof *lines);
}

// -- Impostors --------------------------------------------------------------------------------

#define RUNNERS                                  \
    BOBBIN " models/bobbin/run.md5anim " THIMBLE \
           " models/thimble/walk.md5anim --resolution 320,240 --no-maps --crowd 60 "

// Drawing small members as impostors changes little of the picture.
TEST_LONG (view_crowds_look_alike_with_impostors) {
    gl_scene scene;
    if (!scene_share(&scene))
        return;
    shot models = shot_take(&scene, RUNNERS "--animation-time 0.4 --crowd-impostors 0");
    shot impostors = shot_take(&scene, RUNNERS "--animation-time 0.4 --crowd-impostors 40");
    CHECK(!shot_same(&models, &impostors));
    const double share = shot_difference(&impostors, &models);
    test_check(share < 0.15, __FILE__, __LINE__, "impostors change %.4f of the pixels", share);
    free(models.rgba);
    free(impostors.rgba);
    scene_close(&scene);
}

// The share is 1 up to the given size, then falls linearly to 0 at 1.25 times that size.
TEST (view_impostors_fade_with_their_size) {
    CHECK_NEAR(view_impostor_share(0.0f, 64.0f), 1.0, 0.0);
    CHECK_NEAR(view_impostor_share(64.0f, 64.0f), 1.0, 1e-6);
    CHECK_NEAR(view_impostor_share(72.0f, 64.0f), 0.5, 1e-6);
    CHECK_NEAR(view_impostor_share(80.0f, 64.0f), 0.0, 1e-6);
    CHECK_NEAR(view_impostor_share(500.0f, 64.0f), 0.0, 0.0);
    CHECK_NEAR(view_impostor_share(10.0f, 0.0f), 0.0, 0.0);
}
