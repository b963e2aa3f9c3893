// The panel of an entity's channels, and choosing clips for them.
#include "test/render/test_gl_scene.h"

#include "demo/common/file.h"
#include "demo/viewer/app/open.h"
#include "demo/viewer/app/window.h"
#include "demo/viewer/motion/entity.h"
#include "demo/viewer/ui/browser.h"
#include "demo/viewer/ui/panels.h"
#include "test/viewer/test_view_item.h"
#include "test/viewer/test_view_wait.h"

#include <string.h>

enum { WIDTH = 1280, HEIGHT = 900 };

typedef struct screen {
    gl_scene gl;
    view_options options;
    view_state viewer;
} screen;

static view_stage draw(screen *s)
{
    return item_draw(&s->viewer, WIDTH, HEIGHT);
}

// If `draws`, the interface can be drawn, without textures; otherwise nothing is uploaded.
static bool open_screen(screen *s, bool draws)
{
    char problem[256];
    *s = (screen){0};
    CHECK(view_read_options(0, NULL, &s->options, problem, sizeof problem));
    s->options.level = VIEW_QUIET;
    s->options.game = test_path("models/game/base");
    s->options.files[s->options.num_files++] = "monster_bobbin";
    view_begin(&s->viewer, &s->options);
    view_take_switches(&s->viewer);
    if (!scene_share(&s->gl) || !CHECK(view_open_game_name(&s->viewer)))
        return false;
    view_pose(&s->viewer.document->scene, &s->viewer.play);
    if (!draws)
        return true;
    s->viewer.renderer = s->gl.renderer;
    const view_loader loader = {&s->options, s->gl.renderer, &s->viewer.log, NULL};
    view_document *const document = s->viewer.document;
    document->drawn = view_create_model(&loader, document->scene.model);
    return CHECK(view_set_scale(&s->viewer, 1.0f));
}

static void close_screen(screen *s)
{
    view_close(&s->viewer);
    view_end(&s->viewer);
    view_free_options(&s->options);
    scene_close(&s->gl);
}

static size_t clip_named(const view_scene *scene, const char *name)
{
    size_t clip = 0;
    while (clip < scene->num_clips && strcmp(scene->clips[clip].name, name) != 0)
        clip++;
    CHECK(clip < scene->num_clips);
    return clip;
}

static view_command click(screen *s, const char *name, float across)
{
    const view_stage facts = draw(s);
    return item_press(&s->viewer, &facts, name, across, 0.5f);
}

#define TEST_HERE(title, ...)                                                           \
    TEST_IF (title, screen, s, open_screen(s, __VA_ARGS__) || (close_screen(s), false), \
             close_screen(s))

TEST_HERE (channels_are_rows_to_click_on, true) {
    view_stage facts = draw(s);
    CHECK(view_shows_channels(&facts));
    CHECK(item_find(&s->viewer, &facts, "channel/head").width == 0.0f); // it has no joints
    view_command request = click(s, "channel/legs", 0.99f);
    CHECK(request.action == VIEW_LIST_CHANNEL && request.item == MD5_CHANNEL_LEGS);
    request = click(s, "channel/legs", 0.01f);
    CHECK(request.action == VIEW_SHOW_CHANNEL && request.item == MD5_CHANNEL_LEGS);
    const view_rect legs = item_find(&s->viewer, &facts, "channel/legs");
    CHECK(view_press_ui(&s->viewer.ui, &facts, legs.x + 1.0f, legs.y + 500.0f).action
          == VIEW_NOTHING);
    view_show_bind_pose(&s->viewer.document->scene, true, NULL);
    facts = draw(s);
    CHECK(view_press_ui(&s->viewer.ui, &facts, legs.x + 1.0f, legs.y + 2.0f).action
          == VIEW_NOTHING);
}

TEST_HERE (sections_are_clicked_on, true) {
    view_show_section(&s->viewer, VIEW_ENTITIES);
    const view_command request = click(s, "list/clips", 0.5f);
    CHECK(request.action == VIEW_OPEN_SECTION && request.number == VIEW_ANIMS);
    CHECK(click(s, "list/box", 0.001f).action == VIEW_TAKEN);
    const view_stage facts = draw(s);
    CHECK(view_press_ui(&s->viewer.ui, &facts, 1.0f, 1.0f).action == VIEW_CLOSED);
}

static void ask(screen *s, view_command command)
{
    CHECK(view_perform(&s->viewer, command));
}

TEST_HERE (clip_is_chosen_for_a_channel, true) {
    const view_scene *const scene = &s->viewer.document->scene;
    const size_t walk = clip_named(scene, "walk"), run = clip_named(scene, "run");
    ask(s,
        (view_command){.action = VIEW_PLAY_IN_CHANNEL, .item = MD5_CHANNEL_LEGS, .number = walk});
    CHECK(scene->clip == walk && s->viewer.play.time == 0.0);
    (void)view_perform(&s->viewer,
                       (view_command){.action = VIEW_LIST_CHANNEL, .item = MD5_CHANNEL_TORSO});
    view_browser *const browser = &s->viewer.ui.browser;
    CHECK(browser->kind == VIEW_BROWSE_CHANNEL);
    CHECK(browser->num_entries == scene->num_clips + 1);
    // The torso continues the clip that all channels played before.
    CHECK(strncmp(browser->entries[browser->chosen].label, "idle", 4) == 0);
    browser->chosen = 1 + run;
    view_command request = view_key_browser(browser, SDLK_RETURN, false);
    CHECK(request.action == VIEW_PLAY_IN_CHANNEL && request.number == run);
    CHECK(view_perform(&s->viewer, request));
    CHECK(scene->clip == run && scene->entity.focus == MD5_CHANNEL_TORSO);
    CHECK(scene->entity.channels[MD5_CHANNEL_LEGS].clip >= 0);
    // The time is that of the channel in focus.
    s->viewer.play.time = 0.25;
    view_pose(&s->viewer.document->scene, &s->viewer.play);
    (void)view_perform(&s->viewer,
                       (view_command){.action = VIEW_SHOW_CHANNEL, .item = MD5_CHANNEL_LEGS});
    CHECK(scene->clip == walk);
    CHECK_NEAR(s->viewer.play.time, 0.25, 1e-9); // both began at the same time
    // No clip, then invalid channels and clips.
    ask(s, (view_command){
               .action = VIEW_PLAY_IN_CHANNEL, .item = MD5_CHANNEL_TORSO, .number = SIZE_MAX});
    CHECK(scene->entity.channels[MD5_CHANNEL_TORSO].clip == -1);
    ask(s, (view_command){.action = VIEW_PLAY_IN_CHANNEL, .item = MD5_CHANNEL_HEAD, .number = run});
    CHECK(scene->entity.channels[MD5_CHANNEL_HEAD].clip == -1);
    CHECK(s->viewer.ui.notice[0] != '\0');
    ask(s, (view_command){.action = VIEW_PLAY_IN_CHANNEL, .item = MD5_NUM_CHANNELS, .number = run});
    CHECK(!view_focus_in_scene(&s->viewer.document->scene, MD5_NUM_CHANNELS, &s->viewer.play));
    ask(s,
        (view_command){.action = VIEW_PLAY_IN_CHANNEL, .item = MD5_CHANNEL_LEGS, .number = 1000});
    CHECK(scene->clip == walk);
    (void)draw(s);
}

TEST_HERE (names_of_a_game_are_shown_one_after_another, false) {
    ask(s, (view_command){.action = VIEW_NEXT_FILE});
    CHECK_STRING(s->viewer.document->scene.name, "monster_bobbin_moss");
    ask(s, (view_command){.action = VIEW_PREVIOUS_FILE});
    CHECK_STRING(s->viewer.document->scene.name, "monster_bobbin");
    ask(s, (view_command){.action = VIEW_OPEN_NAMED,
                          .number = VIEW_SKINS,
                          .path = common_copy("skins/bobbin/ghost")});
    CHECK(s->viewer.document->scene.entity.skin != NULL);
    CHECK(common_contains(s->viewer.document->scene.path, "::skins/bobbin/ghost"));
    CHECK(view_reload(&s->viewer) && s->viewer.document->scene.entity.skin != NULL);
    ask(s, (view_command){.action = VIEW_OPEN_NAMED,
                          .number = VIEW_ANIMS,
                          .path = common_copy("models/md5/bobbin/walk.md5anim")});
    CHECK(!s->viewer.document->scene.entity.is_played);
    ask(s, (view_command){.action = VIEW_OPEN_NAMED,
                          .number = VIEW_ANIMS,
                          .path = common_copy("models/md5/nothing.md5anim")});
    ask(s, (view_command){
               .action = VIEW_OPEN_NAMED, .number = VIEW_MODELS, .path = common_copy("nothing")});
    CHECK_STRING(s->viewer.document->scene.name, "monster_bobbin"); // unchanged
    ask(s, (view_command){.action = VIEW_GAME});
    CHECK(s->viewer.ui.browser.kind == VIEW_BROWSE_GAME);
    view_show_section(&s->viewer, VIEW_NUM_SECTIONS);
    ask(s, (view_command){.action = VIEW_GAME});
    CHECK(s->viewer.ui.browser.kind == VIEW_BROWSE_NOTHING);
}

TEST_HERE (folder_without_declarations_is_listed_by_its_files, false) {
    view_browse_place(&s->viewer, test_path("models/bobbin"));
    CHECK(s->viewer.ui.browser.kind == VIEW_BROWSE_FILES && s->viewer.scan == NULL);
    view_browse_place(&s->viewer, test_path("models/game/winter"));
    CHECK(s->viewer.ui.browser.is_scanning && s->viewer.scan != NULL);
    WAIT_UNTIL(!CHECK(view_follow_scan(&s->viewer)) || s->viewer.scan == NULL);
    CHECK(!view_follow_scan(&s->viewer) && !s->viewer.ui.browser.is_scanning);
    CHECK(strstr(s->viewer.library->place, "models/game/winter|") != NULL); // with its base
    CHECK_STRING(s->viewer.ui.browser.folder + strlen(s->viewer.ui.browser.folder) - 13,
                 "winter + base");
    CHECK(s->viewer.document->scene.library != s->viewer.library); // still in use
    view_browse_game(&s->viewer, test_path("models/nowhere"));
    WAIT_UNTIL(!view_follow_scan(&s->viewer) || s->viewer.scan == NULL);
    CHECK(s->viewer.ui.browser.kind == VIEW_BROWSE_NOTHING && s->viewer.log.error[0] != '\0');
    CHECK(s->viewer.library != NULL);                            // as before
    view_browse_game(&s->viewer, test_path("models/game/base")); // closed during the scan
}

TEST_HERE (chosen_name_has_its_picture_beside_the_list, true) {
    CHECK(!view_follow_previews(&s->viewer) && s->viewer.previews == NULL); // no list
    view_show_section(&s->viewer, VIEW_ENTITIES);
    CHECK_STRING(view_listed_name(&s->viewer.ui.browser, 0), "monster_bobbin");
    CHECK(view_listed_name(&s->viewer.ui.browser, -2) == NULL);
    view_stage facts = draw(s);
    const view_rect row = item_find(&s->viewer, &facts, "list/monster_bobbin");
    WAIT_UNTIL(view_follow_previews(&s->viewer));
    facts = draw(s);
    CHECK(facts.preview != 0 && s->viewer.canvas.num_images == 1);
    CHECK(s->viewer.canvas.images[0].image == facts.preview);
    const float x = s->viewer.canvas.images[0].vertices[0].x; // right of the rows, in the box
    const view_rect box = item_find(&s->viewer, &facts, "list/box");
    CHECK(x > row.x + row.width && view_contains(box, x, row.y));
    view_show_section(&s->viewer, VIEW_SKINS);
    CHECK(view_follow_previews(&s->viewer)); // another line, whose picture is not there yet
    CHECK(draw(s).preview == 0 && s->viewer.canvas.num_images == 0);
    WAIT_UNTIL(((void)view_follow_previews(&s->viewer), s->viewer.preview.wish != NULL));
    CHECK_STRING(s->viewer.preview.wish, "monster_bobbin::skins/bobbin/ember");
    CHECK(draw(s).preview != 0);
}
