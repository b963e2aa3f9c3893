// Retargeting in the window: who moves whom, by guesses, a map's file and the user, and what of
// that is saved.
#include "test/own.h"
#include "test/viewer/test_view_case.h"

#include "demo/viewer/app/window.h"

#define BOBBIN screen_open(s, "models/bobbin/bobbin.md5mesh", 1280, 720)
#define SPINDLE "models/spindle/spindle.md5mesh"

static void set(screen *s, const char *name, const char *text)
{
    view_perform(&s->viewer, (view_command){.action = VIEW_SET,
                                            .number = (size_t)(view_find_option(name, strlen(name))
                                                               - view_option_rows),
                                            .path = common_copy(text)});
    view_note_step(&s->viewer);
}

// How far the retargeted body's joint is turned out of its bind pose, 0 to 1.
static float turned(screen *s, const char *joint)
{
    const view_companion *const body = &s->viewer.document->companions[0];
    const uint32_t i = md5_find_joint(&body->model->skeleton, joint);
    md5gl_target *const target = md5gl_create_target(s->viewer.renderer, 64, 48, 1, NULL);
    CHECK(view_draw(&s->viewer, target, 64, 48, false, true, NULL));
    md5gl_destroy_target(s->viewer.renderer, target);
    const md5_quat a = body->pose[i].rotation, b = body->model->bind_local[i].rotation;
    return 1.0f - fabsf(a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w);
}

TEST_SCREEN (view_retargets_by_a_map_and_says_what_is_wrong_in_it, BOBBIN) {
    OWN_FOLDER folder = folder_make();
    OWN char *const map = common_join(folder, "own.map");
    folder_put_text(folder, "own.map", "# none has a fin\n- head\nfin head\nhead \"no head\"\n");
    set(s, "retarget", SPINDLE);
    view_select_clip(&s->viewer.document->scene, 0);
    s->viewer.play.time = 0.4;
    CHECK(turned(s, "head") > 1e-6f);
    set(s, "retarget-map", map);
    s->viewer.play.time = 0.4;
    CHECK(turned(s, "head") < 1e-6f && turned(s, "neck") > 1e-5f);
    CHECK_UINT(s->viewer.log.num_warnings, 2);
    CHECK(strstr(s->viewer.log.warning, "own.map:4: the model has no joint 'no head'") != NULL);
}
