// What somebody who never read a manual wants to do, as he does it in the window: by keys, typed
// words, clicks and drops, each of which is one action. None takes more than four.
#include "test/own.h"
#include "test/viewer/test_view_case.h"

#include "demo/viewer/app/window.h"

#include <unistd.h>

#define BOBBIN "models/bobbin/bobbin.md5mesh"
#define MACHINE "models/bobbin/bobbin.md5machine"

typedef struct desk {
    gl_scene gl;
    view_options options;
    view_state viewer;
    view_stage facts;
    char *folder; // of files that tasks need
    unsigned actions;
    bool holds_control; // while it clicks
} desk;

// == Actions ======================================================================================

static void draw(desk *d)
{
    view_follow_export(&d->viewer);
    d->facts = item_draw(&d->viewer, (float)d->viewer.width, (float)d->viewer.height);
}

static void send(desk *d, view_input event)
{
    bool redraw = false;
    view_handle_event(&d->viewer, &event, &redraw);
}

// `key` may have VIEW_WITH_SHIFT and VIEW_WITH_CTRL.
static void key(desk *d, int32_t key)
{
    view_input event = {.kind = VIEW_INPUT_KEY_DOWN,
                        .key = key & ~VIEW_KEY_FLAGS,
                        .shift = (key & VIEW_WITH_SHIFT) != 0,
                        .control = (key & VIEW_WITH_CTRL) != 0};
    send(d, event);
    event.kind = VIEW_INPUT_KEY_UP;
    send(d, event);
    draw(d);
    d->actions++;
}

// Types a word, and Enter.
static void type(desk *d, const char *word)
{
    view_input event = {.kind = VIEW_INPUT_TEXT};
    snprintf(event.text, sizeof event.text, "%.31s", word);
    send(d, event);
    if (strlen(word) > 31) {
        snprintf(event.text, sizeof event.text, "%.31s", word + 31);
        send(d, event);
    }
    key(d, VIEW_KEY_RETURN);
}

static void click_at(desk *d, float x, float y, view_button button)
{
    view_input event = {.kind = VIEW_INPUT_MOVE, .x = floorf(x), .y = floorf(y)};
    send(d, event);
    event.kind = VIEW_INPUT_PRESS;
    event.button = button;
    event.clicks = 1;
    event.control = d->holds_control;
    send(d, event);
    event.kind = VIEW_INPUT_RELEASE;
    send(d, event);
    draw(d);
    d->actions++;
}

static void click(desk *d, const char *item)
{
    const view_rect found = item_find(&d->viewer, &d->facts, item);
    CHECK_THAT(found.width > 0.0f, "there is no %s", item);
    click_at(d, found.x + 0.5f * found.width, found.y + 0.5f * found.height, VIEW_BUTTON_LEFT);
}

static void click_right(desk *d, const char *item)
{
    const view_rect found = item_find(&d->viewer, &d->facts, item);
    CHECK_THAT(found.width > 0.0f, "there is no %s", item);
    click_at(d, found.x + 0.5f * found.width, found.y + 0.5f * found.height, VIEW_BUTTON_RIGHT);
}

// The middle of the model, which is in the middle of what panels leave free.
static void click_body(desk *d, float down)
{
    const view_rect free = view_free_region(&d->facts);
    click_at(d, free.x + 0.5f * free.width, free.y + down * free.height, VIEW_BUTTON_LEFT);
}

static void drop(desk *d, const char *path)
{
    send(d, (view_input){.kind = VIEW_INPUT_DROP, .path = common_copy(path)});
    draw(d);
    d->actions++;
}

static void search(desk *d, const char *words)
{
    key(d, 'p' | VIEW_WITH_CTRL);
    type(d, words);
}

// == Tasks ========================================================================================

static view_scene *scene_of(desk *d)
{
    return &d->viewer.document->scene;
}

static uint32_t joint_of(desk *d, const char *name)
{
    return md5_find_joint(scene_of(d)->skeleton, name);
}

static void place_of_a_bone(desk *d)
{
    key(d, 'f' | VIEW_WITH_CTRL);
    type(d, "head");
    key(d, 'g' | VIEW_WITH_CTRL);
    type(d, "12");
    CHECK(d->viewer.ui.selected_joint == (int32_t)joint_of(d, "head"));
    CHECK_NEAR(view_frame_place(&d->viewer.play, view_clock(scene_of(d))), 12.0, 1e-3);
}

static void vertices_of_a_joint(desk *d)
{
    click_body(d, 0.4f);
    CHECK(d->viewer.ui.selected_joint >= 0);
    CHECK(item_find(&d->viewer, &d->facts, "chosen/Weights").width > 0.0f);
}

static void two_clips(desk *d)
{
    click(d, "clip/Clips"); // which are folded
    click_right(d, "clip/bow");
    click(d, "menu/Compare");
    CHECK(d->options.compare != NULL);
}

static void another_model_in_the_same_pose(desk *d)
{
    search(d, "retarget");
    type(d, test_path("models/thimble/thimble.md5mesh"));
    CHECK(d->options.retarget != NULL);
}

static void sheet_of_all_clips(desk *d)
{
    key(d, 'e' | VIEW_WITH_CTRL);
    click(d, "export/Contact sheet");
    click(d, "export/all 63");
    CHECK(d->viewer.ui.export.choices.kind == VIEW_EXPORT_SHEET);
    CHECK(item_find(&d->viewer, &d->facts, "export/Export").width > 0.0f);
    d->actions++; // which is not pressed here
}

static void movie_of_this_clip(desk *d)
{
    key(d, 'e' | VIEW_WITH_CTRL);
    click(d, "export/Movie");
    CHECK(d->viewer.ui.export.choices.kind == VIEW_EXPORT_MOVIE);
    CHECK(item_find(&d->viewer, &d->facts, "export/Export").width > 0.0f);
    d->actions++;
}

static void the_state_that_runs(desk *d)
{
    key(d, 'g' | VIEW_WITH_SHIFT);
    CHECK(d->viewer.options->shown.graph);
    CHECK(item_find(&d->viewer, &d->facts, "state/body/idle").width > 0.0f);
}

static void go_to_a_state(desk *d)
{
    search(d, "story doze");
    const md5_machine_desc *const desc = scene_of(d)->machine.desc;
    bool is_there = false;
    FOR (i, desc->num_layers) {
        const md5_layer_status status = md5_player_layer(scene_of(d)->machine.player, i);
        is_there = is_there || strcmp(desc->layers[i].states[status.state].name, "doze") == 0;
    }
    CHECK(is_there);
}

static void a_crowd(desk *d)
{
    search(d, "crowd");
    type(d, "5");
    CHECK_UINT(d->viewer.document->crowd.count, 5);
}

static void a_broken_file(desk *d)
{
    OWN char *const path = common_join(d->folder, "broken.md5mesh");
    key(d, 'o' | VIEW_WITH_CTRL); // no list hides it
    drop(d, path);
    CHECK(strstr(d->viewer.log.error, "broken.md5mesh") != NULL);
    CHECK(d->viewer.ui.browser.kind == VIEW_BROWSE_NOTHING);
    CHECK(item_find(&d->viewer, &d->facts, "error/Copy").width > 0.0f);
}

static void command_line_of_what_is_seen(desk *d)
{
    search(d, "command line");
    CHECK(strstr(d->viewer.ui.notice, "Copied: md5view") != NULL);
}

static void a_clip_by_its_name(desk *d)
{
    search(d, "dance");
    CHECK_STRING(scene_of(d)->clips[scene_of(d)->clip].name, "dance");
}

static void without_a_part(desk *d)
{
    click(d, "mesh/eyes"); // the name selects
    CHECK(d->viewer.options->hidden_meshes == 0 && d->viewer.ui.selected_mesh >= 0);
    const view_rect row = item_find(&d->viewer, &d->facts, "mesh/eyes");
    click_at(d, row.x + 0.05f * row.width, row.y + 0.5f * row.height, VIEW_BUTTON_LEFT);
    CHECK(d->viewer.options->hidden_meshes == 2);
}

static void triangles(desk *d)
{
    search(d, "wireframe");
    CHECK(d->viewer.options->shown.edges);
}

static void half_the_speed(desk *d)
{
    search(d, "speed 0.5");
    CHECK(d->viewer.play.speed == 0.5);
}

static void from_the_side(desk *d)
{
    key(d, '3');
    CHECK_NEAR(d->viewer.camera.azimuth, -90.0, 1e-3);
}

static void a_part_of_the_clip(desk *d)
{
    click_right(d, "scrub/time");
    click(d, "menu/Start range here");
    CHECK(d->viewer.play.range_first > 0);
}

static void another_background(desk *d)
{
    search(d, "background color");
    type(d, "#ffffff");
    CHECK(d->options.background_given && d->options.background[1] == 1.0f);
}

static void two_spots(desk *d)
{
    click_body(d, 0.4f);
    d->holds_control = true;
    click_body(d, 0.6f);
    d->holds_control = false;
    CHECK(d->viewer.measured.is_set);
}

static void why_a_texture_is_missing(desk *d)
{
    key(d, 't' | VIEW_WITH_CTRL);
    CHECK(d->viewer.ui.selected_mesh == 0);
}

static const struct {
    const char *title, *file;
    void (*run)(desk *d);
} tasks[] = {
    {"place of a bone at frame 12", BOBBIN, place_of_a_bone},
    {"vertices of a joint", BOBBIN, vertices_of_a_joint},
    {"compare two clips", BOBBIN, two_clips},
    {"retarget", BOBBIN, another_model_in_the_same_pose},
    {"sheet of all clips", BOBBIN, sheet_of_all_clips},
    {"movie of this clip", BOBBIN, movie_of_this_clip},
    {"the state that runs", MACHINE, the_state_that_runs},
    {"go to a state", MACHINE, go_to_a_state},
    {"crowd", BOBBIN, a_crowd},
    {"a broken file", BOBBIN, a_broken_file},
    {"command line", BOBBIN, command_line_of_what_is_seen},
    {"a clip by its name", BOBBIN, a_clip_by_its_name},
    {"hide a mesh", BOBBIN, without_a_part},
    {"triangles", BOBBIN, triangles},
    {"half the speed", BOBBIN, half_the_speed},
    {"from the side", BOBBIN, from_the_side},
    {"a part of the clip", BOBBIN, a_part_of_the_clip},
    {"another background", BOBBIN, another_background},
    {"distance of two spots", BOBBIN, two_spots},
    {"why a texture is missing", BOBBIN, why_a_texture_is_missing},
};

static bool open_desk(desk *d, const char *file)
{
    char problem[256];
    *d = (desk){.folder = folder_make()};
    folder_put_text(d->folder, "broken.md5mesh", "MD5Version 10\ncommandline \"\"\nnumJoints x\n");
    CHECK(view_read_options(0, NULL, &d->options, problem, sizeof problem));
    d->options.level = VIEW_QUIET;
    if (!scene_share(&d->gl))
        return false;
    view_begin(&d->viewer, &d->options);
    d->viewer.options->lights = view_usual_lights();
    d->viewer.renderer = d->gl.renderer;
    d->viewer.width = 1280;
    d->viewer.height = 720;
    const char *const path = test_path(file);
    if (!CHECK(view_set_scale(&d->viewer, 1.0f)) || !CHECK(view_open(&d->viewer, &path, 1, true)))
        return false;
    view_pose(scene_of(d), &d->viewer.play);
    view_skin(scene_of(d));
    view_frame_again(&d->viewer, d->viewer.width, d->viewer.height);
    draw(d);
    return true;
}

static void close_desk(desk *d)
{
    view_stop_export(&d->viewer); // as the window does
    view_end(&d->viewer);
    view_free_options(&d->options);
    scene_close(&d->gl);
    folder_remove(d->folder);
}

TEST (view_tasks_take_four_actions_at_most) {
    EACH (task, tasks) {
        desk d;
        if (open_desk(&d, task->file)) {
            task->run(&d);
            CHECK_THAT(d.actions >= 1 && d.actions <= 4, "%s: %u actions", task->title, d.actions);
        }
        close_desk(&d);
    }
}

#define TEST_HERE(title, file) \
    TEST_IF (title, desk, d, open_desk(d, file) || (close_desk(d), false), close_desk(d))

// == Fingers ======================================================================================

static void finger(desk *d, float x, float y, view_input_kind kind)
{
    send(d, (view_input){.kind = kind,
                         .button = kind == VIEW_INPUT_MOVE ? VIEW_BUTTON_NONE : VIEW_BUTTON_LEFT,
                         .clicks = 1,
                         .x = x,
                         .y = y,
                         .moved_y = -30.0f,
                         .is_touch = kind == VIEW_INPUT_PRESS});
    draw(d);
}

static void make_upright(desk *d)
{
    d->viewer.width = 390;
    d->viewer.height = 844;
    draw(d);
}

// A stick drives him, a second finger makes no click of the first, a long press opens the menu, and
// the sheet lies below.
TEST_HERE (view_fingers_do_what_keys_do, MACHINE) {
    make_upright(d);
    CHECK(!(view_place_stick(&d->facts).reach > 0.0f));
    finger(d, 195.0f, 300.0f, VIEW_INPUT_PRESS);
    send(d,
         (view_input){.kind = VIEW_INPUT_RELEASE, .button = VIEW_BUTTON_LEFT, .is_given_up = true});
    CHECK(d->viewer.ui.selected_joint < 0 && !d->viewer.pick.is_set);
    const view_stick stick = view_place_stick(&d->facts);
    const view_control *const control = &scene_of(d)->machine.control;
    const float azimuth = d->viewer.camera.azimuth;
    CHECK(stick.reach > 0.0f && stick.x < 195.0f && stick.y > 422.0f);
    finger(d, stick.x, stick.y, VIEW_INPUT_PRESS);
    CHECK(control->ahead == 0 && control->side == 0);
    finger(d, stick.x, stick.y - 0.6f * stick.reach, VIEW_INPUT_MOVE);
    CHECK(control->ahead == 1 && !control->fast);
    finger(d, stick.x - 0.6f * stick.reach, stick.y - 2.0f * stick.reach, VIEW_INPUT_MOVE);
    CHECK(control->ahead == 1 && control->fast && d->viewer.stick.pad.y > -1.0f);
    send(d, (view_input){.kind = VIEW_INPUT_PRESS, .button = VIEW_BUTTON_RIGHT});
    CHECK(control->ahead == 0 && control->side == 0 && !control->fast);
    finger(d, stick.x, stick.y - 0.6f * stick.reach, VIEW_INPUT_PRESS);
    CHECK(control->ahead == 1);
    finger(d, stick.x, stick.y, VIEW_INPUT_RELEASE);
    CHECK(control->ahead == 0 && control->side == 0 && !control->fast);
    CHECK(d->viewer.camera.azimuth == azimuth && d->viewer.ui.selected_joint < 0);
    finger(d, 195.0f, 300.0f, VIEW_INPUT_PRESS);
    send(d, (view_input){.kind = VIEW_INPUT_RELEASE, .button = VIEW_BUTTON_LEFT, .is_long = true});
    CHECK(d->viewer.ui.menu.kind != VIEW_NO_MENU);
    key(d, VIEW_KEY_ESCAPE);
    click(d, "handle/handle");
    const view_rect sheet = view_layout_of(&d->facts).docks[d->facts.docks.front];
    CHECK(sheet.width == 390.0f && sheet.y > 400.0f && sheet.height > 300.0f);
    CHECK(!(view_place_stick(&d->facts).reach > 0.0f));
}

// The handle follows the finger and then goes to the nearest of three heights; a tap, which
// trembles, goes to the next one. The picture ends above all but the highest.
TEST_HERE (view_sheet_of_an_upright_window_has_three_heights, BOBBIN) {
    make_upright(d);
    const view_layout peek = view_layout_of(&d->facts);
    const float middle = 0.5f * peek.handle.height;
    CHECK(peek.time.y + peek.time.height == 844.0f && peek.handle.height > 0.0f);
    CHECK(peek.free.y + peek.free.height == peek.handle.y);
    finger(d, 200.0f, peek.handle.y + middle, VIEW_INPUT_PRESS);
    finger(d, 200.0f, peek.handle.y + middle - 2.0f, VIEW_INPUT_MOVE);
    finger(d, 200.0f, peek.handle.y + middle - 2.0f, VIEW_INPUT_RELEASE);
    const view_layout half = view_layout_of(&d->facts);
    CHECK_NEAR(half.handle.y, 0.55f * 844.0f, 2.0);
    CHECK(half.free.y + half.free.height == half.handle.y);
    CHECK(view_free_region(&d->facts).height == half.free.height);
    finger(d, 200.0f, half.handle.y + middle, VIEW_INPUT_PRESS);
    finger(d, 200.0f, 300.0f, VIEW_INPUT_MOVE);
    CHECK_NEAR(view_layout_of(&d->facts).handle.y, 300.0f - middle, 1.0);
    finger(d, 200.0f, 100.0f, VIEW_INPUT_MOVE);
    finger(d, 200.0f, 100.0f, VIEW_INPUT_RELEASE);
    const view_layout full = view_layout_of(&d->facts);
    CHECK(full.handle.y == full.menu.height && full.free.height == half.free.height);
    click(d, "handle/handle");
    CHECK(view_layout_of(&d->facts).handle.y == peek.handle.y);
    finger(d, 200.0f, peek.handle.y + middle, VIEW_INPUT_PRESS);
    finger(d, 200.0f, 500.0f, VIEW_INPUT_MOVE);
    finger(d, 200.0f, 500.0f, VIEW_INPUT_RELEASE);
    CHECK(view_layout_of(&d->facts).handle.y == half.handle.y);
    CHECK(!(view_layout_of(&d->facts).docks[VIEW_DOCK_BOTTOM].width > 0.0f));
    d->viewer.width = 800; // turned: it is at the right
    d->viewer.height = 360;
    finger(d, 100.0f, 100.0f, VIEW_INPUT_PRESS);
    d->viewer.ui.docks.is_sheet_open = true;
    draw(d);
    const view_layout wide = view_layout_of(&d->facts);
    const view_rect sheet = wide.docks[d->facts.docks.front];
    CHECK(!(wide.handle.width > 0.0f) && sheet.x + sheet.width == 800.0f);
    CHECK(wide.arrangement == VIEW_ARRANGE_SHEET && wide.is_phone && sheet.x > 300.0f);
}

// The tabs of the sheet are parts of what the docks hold.
TEST_HERE (view_sheet_has_tabs_for_fingers, BOBBIN) {
    make_upright(d);
    click(d, "handle/handle");
    CHECK(item_find(&d->viewer, &d->facts, "clip/dance").width > 0.0f);
    CHECK(!(item_find(&d->viewer, &d->facts, "joint/head").width > 0.0f));
    click(d, "tab/Joints");
    CHECK(!(item_find(&d->viewer, &d->facts, "clip/dance").width > 0.0f));
    CHECK(item_find(&d->viewer, &d->facts, "joint/head").width > 0.0f);
    click(d, "tab/Look");
    click(d, "look/Weights");
    CHECK(d->viewer.options->surface == VIEW_SURFACE_WEIGHTS);
    click(d, "look/Wireframe");
    CHECK(d->viewer.options->shown.edges);
    CHECK(item_find(&d->viewer, &d->facts, "look/Shadows").width > 0.0f);
    CHECK(item_find(&d->viewer, &d->facts, "look/Background").width > 0.0f);
    key(d, 'l' | VIEW_WITH_SHIFT); // whose sliders are in the inspector
    CHECK(!(item_find(&d->viewer, &d->facts, "look/Wireframe").width > 0.0f));
    key(d, 'b' | VIEW_WITH_CTRL); // without the outliner, which its tab brings back
    click(d, "tab/Clips");
    CHECK(item_find(&d->viewer, &d->facts, "clip/dance").width > 0.0f);
    click(d, "tab/Export");
    CHECK(d->viewer.ui.over == VIEW_OVER_EXPORT);
}

TEST_HERE (view_sheet_of_a_machine_has_its_states, MACHINE) {
    make_upright(d);
    click(d, "handle/handle");
    click(d, "tab/States");
    CHECK(item_find(&d->viewer, &d->facts, "layer/body").width > 0.0f);
}

TEST_HERE (view_buttons_for_fingers_are_commands, BOBBIN) {
    CHECK(!(item_find(&d->viewer, &d->facts, "button/Home").width > 0.0f)); // with a mouse
    make_upright(d);
    const bool had_grid = d->viewer.options->shown.grid;
    click(d, "button/Show");
    CHECK(d->viewer.options->shown.grid == !had_grid);
    click(d, "button/Look");
    CHECK(d->viewer.options->surface == VIEW_SURFACE_LIT + 1);
    d->viewer.camera.distance *= 3.0f;
    const float far = d->viewer.camera.distance;
    click(d, "button/Home");
    CHECK(d->viewer.camera.distance < 0.5f * far);
    click(d, "handle/handle");
    click(d, "handle/handle"); // the sheet is over them
    CHECK(!(item_find(&d->viewer, &d->facts, "button/Home").width > 0.0f));
}

// A finger on a list scrolls it, which goes on when it is lifted; one that stays presses, or, for
// long, opens a menu; one that goes aside drags what it came down on.
TEST_HERE (view_finger_scrolls_what_is_below_it, BOBBIN) {
    make_upright(d);
    click(d, "handle/handle");
    const view_layout layout = view_layout_of(&d->facts);
    const view_rect sheet = layout.docks[VIEW_DOCK_LEFT];
    const float x = 100.0f, y = sheet.y + 0.7f * sheet.height;
    const ui_scroll *const scroll = &d->viewer.ui.scrolls[VIEW_DOCK_LEFT];
    view_browser *const list = &d->viewer.ui.browser;
    const size_t clip = scene_of(d)->clip;
    const bool playing = d->viewer.play.playing;
    const float before = scroll->wanted;
    finger(d, x, y, VIEW_INPUT_PRESS);
    finger(d, x, y - 60.0f, VIEW_INPUT_MOVE);
    CHECK(scroll->wanted == before + 60.0f && scroll->shown == scroll->wanted);
    finger(d, x, y - 90.0f, VIEW_INPUT_MOVE);
    CHECK(scroll->wanted == before + 90.0f);
    finger(d, x, y - 90.0f, VIEW_INPUT_RELEASE);
    CHECK(scroll->wanted > before + 200.0f && scene_of(d)->clip == clip);
    finger(d, x, y, VIEW_INPUT_PRESS);
    CHECK(scene_of(d)->clip == clip);
    finger(d, x, y + 3.0f, VIEW_INPUT_RELEASE);
    CHECK(scene_of(d)->clip != clip);
    finger(d, x, y, VIEW_INPUT_PRESS);
    send(d, (view_input){.kind = VIEW_INPUT_RELEASE, .is_long = true});
    CHECK(d->viewer.ui.menu.kind == VIEW_MENU_OF_CONTEXT);
    key(d, VIEW_KEY_ESCAPE);

    d->viewer.play.playing = false;
    const float bar = layout.time.y + 0.5f * layout.time.height;
    finger(d, 150.0f, bar, VIEW_INPUT_PRESS);
    finger(d, 180.0f, bar + 5.0f, VIEW_INPUT_MOVE);
    const double time = d->viewer.play.time;
    finger(d, 240.0f, bar + 5.0f, VIEW_INPUT_MOVE);
    CHECK(d->viewer.play.time > time && time > 0.0);
    finger(d, 240.0f, bar, VIEW_INPUT_RELEASE);
    d->viewer.play.playing = playing;

    view_open_browser(list, VIEW_BROWSE_CLIPS, 0, scene_of(d));
    draw(d);
    CHECK(list->num_found > list->num_rows);
    d->viewer.ui.scrolls[UI_SCROLL_FILES].wanted = 0.0f;
    finger(d, x, 400.0f, VIEW_INPUT_PRESS);
    finger(d, x, 340.0f, VIEW_INPUT_MOVE);
    CHECK(d->viewer.ui.scrolls[UI_SCROLL_FILES].wanted == 60.0f);
    finger(d, x, 340.0f, VIEW_INPUT_RELEASE);
    CHECK(list->kind == VIEW_BROWSE_CLIPS);
    finger(d, x, 340.0f, VIEW_INPUT_PRESS);
    finger(d, x, 340.0f, VIEW_INPUT_RELEASE);
    CHECK(list->kind == VIEW_BROWSE_NOTHING);
}

// Those that are in sight are drawn, one at a time, and what is shown stays as it is.
TEST_HERE (view_clips_have_pictures_on_a_phone, BOBBIN) {
    const view_document *const document = d->viewer.document;
    const view_camera camera = d->viewer.camera;
    uint32_t num_made = 0, num_drawn = 0;
    CHECK(!view_follow_pictures(&d->viewer)); // nothing lists them
    make_upright(d);
    click(d, "handle/handle");
    const md5_bounds bounds = document->bounds;
    const size_t clip = document->scene.clip;
    while (num_made < 100 && view_follow_pictures(&d->viewer))
        num_made++;
    EACH_IN (picture, document, pictures)
        num_drawn += picture->texture != 0;
    CHECK_UINT(document->num_pictures, document->scene.num_clips);
    CHECK(num_made >= 6 && num_made < 30 && num_drawn == num_made);
    CHECK_BYTES(&document->bounds, &bounds, sizeof bounds);
    CHECK(document->scene.clip == clip && d->viewer.camera.distance == camera.distance);
    d->viewer.ui.scrolls[VIEW_DOCK_LEFT].wanted = 600.0f;
    draw(d);
    CHECK(view_follow_pictures(&d->viewer));
}

// Small pictures are of the document, also while the contents of the pages hide it.
TEST_HERE (view_small_pictures_are_of_the_document, BOBBIN) {
    enum { SIDE = 64 };
    static uint8_t pictures[2][4 * SIDE * SIDE];
    d->options.page = "contents";
    FOR (i, 2) {
        view_state small = d->viewer;
        small.width = small.height = SIDE;
        memset(pictures[i], i, sizeof pictures[i]);
        CHECK(view_draw_small(&d->viewer, &small, true, 1, false, pictures[i]));
        REQUIRE(view_select_page(&d->viewer));
    }
    CHECK(d->viewer.pages.open == VIEW_CONTENTS);
    CHECK_BYTES(pictures[0], pictures[1], sizeof pictures[0]);
}

static void tap_twice(desk *d, float x, float y)
{
    view_input tap = {.button = VIEW_BUTTON_LEFT, .is_touch = true, .x = floorf(x), .y = floorf(y)};
    for (tap.clicks = 1; tap.clicks <= 2; tap.clicks++) {
        tap.kind = VIEW_INPUT_PRESS;
        send(d, tap);
        tap.kind = VIEW_INPUT_RELEASE;
        send(d, tap);
        draw(d);
    }
}

// On the body two taps come near, beside it they show everything.
TEST_HERE (view_double_tap_frames_the_spot, BOBBIN) {
    const view_rect free = view_free_region(&d->facts);
    const view_camera all = d->viewer.camera;
    click_body(d, 0.4f);
    CHECK(d->viewer.camera.distance == all.distance); // one does not
    tap_twice(d, free.x + 0.5f * free.width, free.y + 0.4f * free.height);
    CHECK(d->viewer.camera.distance < 0.5f * all.distance);
    CHECK(d->viewer.camera.target.z > all.target.z); // the spot is above the middle
    d->viewer.camera = all;
    d->viewer.camera.distance *= 3.0f;
    tap_twice(d, free.x + 40.0f, free.y + 40.0f);
    CHECK(!d->viewer.pick.is_set);
    CHECK_NEAR(d->viewer.camera.distance, all.distance, 1e-3 * (double)all.distance);
}

// The list of keys lies over a page of techniques as over a model, and Esc closes it first.
TEST_HERE (view_keys_are_listed_over_pages, BOBBIN) {
    d->options.page = "follow";
    REQUIRE(view_select_page(&d->viewer));
    key(d, VIEW_KEY_F(1));
    draw(d);
    CHECK(item_find(&d->viewer, &d->facts, "settings/Done").width > 0.0f);
    key(d, VIEW_KEY_ESCAPE);
    CHECK(!d->options.shown.help && d->viewer.pages.open >= 0);
    key(d, VIEW_KEY_ESCAPE);
    CHECK(d->viewer.pages.open < 0);
}

// == The game =====================================================================================

// Esc leaves it while it plays itself; then it pauses it, as Pause and another window do. What was
// open stays as it was.
TEST_HERE (view_game_pauses_and_gives_back_what_was_open, BOBBIN) {
    view_state *const viewer = &d->viewer;
    const view_document *const shown = viewer->document;
    const size_t number = (size_t)(view_find_option("game-demo", 9) - view_option_rows);
    search(d, "speed 0.5");
    viewer->play.time = 0.5;
    CHECK(view_set_option(viewer, number, "yes") && viewer->document != shown);
    view_run_game(viewer->pages.game, 1.0);
    key(d, VIEW_KEY_ESCAPE);
    CHECK(viewer->document == shown && viewer->pages.game == NULL && viewer->play.time == 0.5);

    CHECK(view_set_option(viewer, number, "yes"));
    view_run_game(viewer->pages.game, 1.0);
    key(d, 'w');
    view_run_game(viewer->pages.game, 2.0);
    key(d, VIEW_KEY_ESCAPE);
    CHECK(!viewer->play.playing && viewer->ui.modal != NULL);
    key(d, ' ');
    CHECK(viewer->play.playing && viewer->ui.modal == NULL);
    send(d, (view_input){.kind = VIEW_INPUT_WINDOW, .is_forced = true});
    CHECK(!viewer->play.playing);
    draw(d);
    view_run_game(viewer->pages.game, 6.0);
    key(d, VIEW_KEY_RETURN);
    CHECK(viewer->play.playing && view_get_game_facts(viewer->pages.game).seconds == 0.0);
    key(d, VIEW_KEY_PAUSE);
    click(d, "choice/Sound");
    CHECK(viewer->ui.is_silent && !viewer->play.playing);
    click(d, "choice/Leave");
    CHECK(viewer->document == shown && viewer->play.time == 0.5 && viewer->play.speed == 0.5);
}

// == Somebody without a plan ======================================================================

// Something that Esc does not leave: what is open, or NULL.
static const char *still_open(const desk *d)
{
    const view_ui *const ui = &d->viewer.ui;
    return ui->modal != NULL                         ? ui->modal
           : ui->menu.kind != VIEW_NO_MENU           ? "menu"
           : ui->browser.kind != VIEW_BROWSE_NOTHING ? "list"
           : ui->start.is_open                       ? "start page"
           : d->viewer.pages.open >= 0               ? "page"
           : d->viewer.log.error[0] != '\0'          ? "error"
           : ui->focus.panel != NULL                 ? ui->focus.panel
           : d->viewer.options->shown.help           ? "keys"
           : ui->selected_joint >= 0                 ? "joint"
           : view_drives(&d->viewer)                 ? "driving"
                                                     : NULL;
}

// Random keys, letters, clicks and turns of the wheel, after each 200 of which Esc leads out of
// everything.
static void walk(desk *d, uint32_t num_events)
{
    static const int32_t keys[] = {VIEW_KEY_LEFT,
                                   VIEW_KEY_RIGHT,
                                   VIEW_KEY_UP,
                                   VIEW_KEY_DOWN,
                                   VIEW_KEY_RETURN,
                                   VIEW_KEY_TAB,
                                   ' ',
                                   VIEW_KEY_HOME,
                                   VIEW_KEY_END,
                                   VIEW_KEY_F(1),
                                   VIEW_KEY_F(10),
                                   VIEW_KEY_BACKSPACE,
                                   VIEW_KEY_DELETE,
                                   VIEW_KEY_ESCAPE,
                                   ',',
                                   '-',
                                   VIEW_KEY_F(11),
                                   '.'};
    enum { NUM_KEYS = sizeof keys / sizeof keys[0], BETWEEN = 200 };
    const view_ui *const ui = &d->viewer.ui;
    uint64_t random = 7;
    for (uint32_t i = 1; i <= num_events; i++) {
        const uint32_t kind = test_random_u32(&random) % 8, which = test_random_u32(&random);
        const float x = (float)test_random(&random) * (float)d->viewer.width,
                    y = (float)test_random(&random) * (float)d->viewer.height;
        const int modifiers = (which >> 16) % 4 == 0   ? VIEW_WITH_CTRL
                              : (which >> 16) % 4 == 1 ? VIEW_WITH_SHIFT
                                                       : 0;
        const int32_t letter = 'a' + (int32_t)(which % 26);
        if (kind < 2) {
            key(d, keys[which % NUM_KEYS] | modifiers);
        } else if (kind < 4) {
            const view_input event = {.kind = VIEW_INPUT_TEXT, .text = {(char)letter}};
            key(d, letter | modifiers);
            if (modifiers == 0)
                send(d, event);
        } else {
            click_at(d, x, y, kind == 7 ? VIEW_BUTTON_RIGHT : VIEW_BUTTON_LEFT);
        }
        const int num_open = (ui->menu.kind != VIEW_NO_MENU) + (ui->over == VIEW_OVER_EXPORT)
                             + (ui->browser.kind != VIEW_BROWSE_NOTHING);
        CHECK_THAT(num_open <= 1, "after %u events %d lie over the picture", i, num_open);
        free(d->viewer.ui.textures.saved); // that would be written
        d->viewer.ui.textures.saved = NULL;
        if (i % BETWEEN != 0)
            continue;
        for (int k = 0; k < 20 && still_open(d) != NULL; k++)
            key(d, d->viewer.left != NULL ? VIEW_KEY_HOME | VIEW_WITH_CTRL : VIEW_KEY_ESCAPE);
        CHECK_THAT(still_open(d) == NULL, "after %u events Esc does not leave: %s", i,
                   still_open(d));
        d->viewer.quit = false;
    }
}

static void walk_over(const char *file, uint32_t num_events)
{
    desk d;
    char folder[1024];
    if (open_desk(&d, file) && CHECK(getcwd(folder, sizeof folder) != NULL)
        && CHECK(chdir(d.folder) == 0)) { // pictures are written there
        walk(&d, num_events);
        CHECK(chdir(folder) == 0);
    }
    close_desk(&d);
}

TEST (view_escape_leads_out_of_everything) {
    walk_over(BOBBIN, 1000);
}

// MD5_RANDOM_EVENTS=100000 walks longer.
TEST_LONG (view_escape_leads_out_of_everything_again_and_again) {
    const char *const given = getenv("MD5_RANDOM_EVENTS");
    const uint32_t count = given != NULL ? (uint32_t)strtoul(given, NULL, 10) : 20000;
    walk_over(MACHINE, count / 2);
    walk_over(BOBBIN, count / 2);
}
