// Touch input, gamepads, and random input.
#define _XOPEN_SOURCE 700 // getcwd()
#include "test/scoped.h"
#include "test/viewer/test_view_script.h"

#include "demo/viewer/app/window.h"

#include <unistd.h>

#define BOBBIN "models/bobbin/bobbin.md5mesh"
#define MACHINE "models/bobbin/bobbin.md5machine"

#define TEST_HERE(title, file) \
    TEST_IF (title, user, u, user_open(u, file) || (user_close(u), false), user_close(u))

// == Touch input ==================================================================================

static void finger(user *u, float x, float y, view_input_kind kind)
{
    user_send(u,
              (view_input){.kind = kind,
                           .button = kind == VIEW_INPUT_MOVE ? VIEW_BUTTON_NONE : VIEW_BUTTON_LEFT,
                           .clicks = 1,
                           .x = x,
                           .y = y,
                           .moved_y = -30,
                           .is_touch = kind == VIEW_INPUT_PRESS});
    user_draw(u);
}

static void make_upright(user *u)
{
    u->viewer.width = 390;
    u->viewer.height = 844;
    user_draw(u);
}

// The stick drives the character. A second finger prevents that the first finger clicks. A long
// press opens the menu. The sheet is at the bottom.
TEST_HERE (view_touch_has_the_effects_of_keys, MACHINE) {
    make_upright(u);
    CHECK(!(view_stick_position(&u->stage).reach > 0.0f));
    finger(u, 195.0f, 300.0f, VIEW_INPUT_PRESS);
    user_send(u, (view_input){
                     .kind = VIEW_INPUT_RELEASE, .button = VIEW_BUTTON_LEFT, .is_canceled = true});
    CHECK(u->viewer.ui.selection.joint < 0 && !u->viewer.ui.selection.pick.is_set);
    const view_stick stick = view_stick_position(&u->stage);
    const view_control *const control = &user_scene(u)->machine.control;
    const float azimuth = u->viewer.cameras.user.azimuth;
    CHECK(stick.reach > 0.0f && stick.x < 195.0f && stick.y > 422.0f);
    finger(u, stick.x, stick.y, VIEW_INPUT_PRESS);
    CHECK(control->ahead == 0 && control->side == 0);
    finger(u, stick.x, stick.y - 0.6f * stick.reach, VIEW_INPUT_MOVE);
    CHECK(control->ahead == 1 && !control->fast);
    finger(u, stick.x - 0.6f * stick.reach, stick.y - 2.0f * stick.reach, VIEW_INPUT_MOVE);
    CHECK(control->ahead == 1 && control->fast && u->viewer.input.stick.pad.y > -1.0f);
    user_send(u, (view_input){.kind = VIEW_INPUT_PRESS, .button = VIEW_BUTTON_RIGHT});
    CHECK(control->ahead == 0 && control->side == 0 && !control->fast);
    finger(u, stick.x, stick.y - 0.6f * stick.reach, VIEW_INPUT_PRESS);
    CHECK(control->ahead == 1);
    finger(u, stick.x, stick.y, VIEW_INPUT_RELEASE);
    CHECK(control->ahead == 0 && control->side == 0 && !control->fast);
    CHECK(u->viewer.cameras.user.azimuth == azimuth && u->viewer.ui.selection.joint < 0);
    finger(u, 195.0f, 300.0f, VIEW_INPUT_PRESS);
    user_send(
        u, (view_input){.kind = VIEW_INPUT_RELEASE, .button = VIEW_BUTTON_LEFT, .is_long = true});
    CHECK(u->viewer.panels.menu.kind != VIEW_NO_MENU);
    user_press_key(u, VIEW_KEY_ESCAPE);
    user_click(u, "handle/handle");
    const view_rect sheet = view_current_layout(&u->stage).docks[u->stage.docks.front];
    CHECK(sheet.width == 390.0f && sheet.y > 400.0f && sheet.height > 300.0f);
    CHECK(!(view_stick_position(&u->stage).reach > 0.0f));
}

// The handle follows the finger and then moves to the nearest of three heights. A tap, even with a
// small movement, moves it to the next height. The image ends above the sheet, except at the
// largest height.
TEST_HERE (view_sheet_of_an_upright_window_has_three_heights, BOBBIN) {
    make_upright(u);
    const view_layout peek = view_current_layout(&u->stage);
    const float middle = 0.5f * peek.handle.height;
    CHECK(peek.time.y + peek.time.height == 844.0f && peek.handle.height > 0.0f);
    CHECK(peek.free.y + peek.free.height == peek.handle.y);
    finger(u, 200.0f, peek.handle.y + middle, VIEW_INPUT_PRESS);
    finger(u, 200.0f, peek.handle.y + middle - 2.0f, VIEW_INPUT_MOVE);
    finger(u, 200.0f, peek.handle.y + middle - 2.0f, VIEW_INPUT_RELEASE);
    const view_layout half = view_current_layout(&u->stage);
    CHECK_NEAR(half.handle.y, 0.55f * 844.0f, 2);
    CHECK(half.free.y + half.free.height == half.handle.y);
    CHECK(view_free_region(&u->stage).height == half.free.height);
    finger(u, 200.0f, half.handle.y + middle, VIEW_INPUT_PRESS);
    finger(u, 200.0f, 300.0f, VIEW_INPUT_MOVE);
    CHECK_NEAR(view_current_layout(&u->stage).handle.y, 300.0f - middle, 1);
    finger(u, 200.0f, 100.0f, VIEW_INPUT_MOVE);
    finger(u, 200.0f, 100.0f, VIEW_INPUT_RELEASE);
    const view_layout full = view_current_layout(&u->stage);
    CHECK(full.handle.y == full.menu.height && full.free.height == half.free.height);
    user_click(u, "handle/handle");
    CHECK(view_current_layout(&u->stage).handle.y == peek.handle.y);
    finger(u, 200.0f, peek.handle.y + middle, VIEW_INPUT_PRESS);
    finger(u, 200.0f, 500.0f, VIEW_INPUT_MOVE);
    finger(u, 200.0f, 500.0f, VIEW_INPUT_RELEASE);
    CHECK(view_current_layout(&u->stage).handle.y == half.handle.y);
    CHECK(!(view_current_layout(&u->stage).docks[VIEW_DOCK_BOTTOM].width > 0.0f));
    u->viewer.width = 800; // rotated to landscape: the sheet is at the right
    u->viewer.height = 360;
    finger(u, 100.0f, 100.0f, VIEW_INPUT_PRESS);
    u->viewer.ui.docks.is_sheet_open = true;
    user_draw(u);
    const view_layout wide = view_current_layout(&u->stage);
    const view_rect sheet = wide.docks[u->stage.docks.front];
    CHECK(!(wide.handle.width > 0.0f) && sheet.x + sheet.width == 800.0f);
    CHECK(wide.arrangement == VIEW_ARRANGE_SHEET && wide.is_phone && sheet.x > 300.0f);
}

// An open sheet does not cover the button over the demo.
TEST_HERE (view_button_over_the_demo_is_above_the_sheet, MACHINE) {
    make_upright(u);
    u->viewer.uptime += 10.0;
    u->viewer.panels.decision.demo_end = u->viewer.uptime + 20.0;
    for (int is_open = 0; is_open < 2; is_open++) {
        u->viewer.ui.docks.is_sheet_open = is_open;
        user_draw(u);
        const view_rect button = item_find(&u->viewer, &u->stage, "own/Open");
        const view_layout layout = view_current_layout(&u->stage);
        CHECK(button.width > 0.0f && button.y + button.height < layout.handle.y);
    }
    CHECK(view_current_layout(&u->stage).handle.y < 500.0f);
}

// A notice with a command over the demo. In the narrow window of a phone, it is above the button;
// in a wide window, it is next to the button.
TEST_HERE (view_notice_over_the_demo_does_not_cover_the_button, MACHINE) {
    const struct {
        uint32_t width;
        uint32_t height;
        bool is_above;
    } windows[] = {{360, 740, true}, {740, 360, false}, {1280, 720, false}};
    for (size_t i = 0; i < COMMON_LENGTH(windows); i++) {
        make_upright(u);
        u->viewer.width = windows[i].width;
        u->viewer.height = windows[i].height;
        u->viewer.uptime += 10.0;
        u->viewer.panels.decision.demo_end = u->viewer.uptime + 20.0;
        ui_show_notice(&u->viewer.ui, u->viewer.uptime, "See all problems");
        u->viewer.ui.notice.action = VIEW_WARNINGS;
        user_draw(u);
        const view_rect button = item_find(&u->viewer, &u->stage, "own/Open");
        const view_rect notice = item_find(&u->viewer, &u->stage, "notice/See");
        CHECK(button.width > 0.0f && notice.width > 0.0f);
        const bool is_above = notice.y + notice.height <= button.y;
        const bool is_beside = notice.x + notice.width <= button.x;
        CHECK(is_above || is_beside);
        CHECK(is_above == windows[i].is_above);
    }
}

// The stick is above the button over the demo if the window does not have space for both next to
// each other.
TEST_HERE (view_stick_does_not_cover_the_button_over_the_demo, MACHINE) {
    const struct {
        uint32_t width;
        uint32_t height;
        bool is_above;
    } windows[] = {{320, 640, true}, {390, 844, false}, {740, 360, false}};
    for (size_t i = 0; i < COMMON_LENGTH(windows); i++) {
        make_upright(u);
        u->viewer.width = windows[i].width;
        u->viewer.height = windows[i].height;
        u->viewer.uptime += 10.0;
        u->viewer.panels.decision.demo_end = u->viewer.uptime + 20.0;
        finger(u, 200.0f, 200.0f, VIEW_INPUT_PRESS);
        finger(u, 200.0f, 200.0f, VIEW_INPUT_RELEASE);
        user_draw(u);
        const view_rect button = item_find(&u->viewer, &u->stage, "own/Open");
        const view_stick stick = view_stick_position(&u->stage);
        CHECK(button.width > 0.0f && stick.reach > 0.0f);
        const bool is_above = stick.y + stick.reach <= button.y;
        const bool is_beside = stick.x + stick.reach <= button.x;
        CHECK(is_above || is_beside);
        CHECK(is_above == windows[i].is_above);
    }
}

// Returns the number of dim vertices below the left half of an item. They belong to a text.
static uint32_t count_dim_vertices_below(user *u, const char *item)
{
    const uint8_t dim[4] = {VIEW_DIM >> 24, VIEW_DIM >> 16 & 0xFF, VIEW_DIM >> 8 & 0xFF,
                            VIEW_DIM & 0xFF};
    const view_canvas *const canvas = &u->viewer.drawing.canvas;
    const view_rect box = item_find(&u->viewer, &u->stage, item);
    uint32_t count = 0;
    for (uint32_t i = 0; i < canvas->count; i++) {
        const md5gl_panel_vertex *const vertex = &canvas->vertices[i];
        const bool is_below = vertex->y > box.y + box.height && vertex->y < box.y + 2 * box.height;
        const bool is_beside = vertex->x < box.x || vertex->x > box.x + 0.5f * box.width;
        const bool is_dim = memcmp(vertex->rgba, dim, sizeof dim) == 0;
        count += is_below && !is_beside && is_dim;
    }
    return count;
}

// The card at the end of the demo names neither keys nor dropped files on a touch screen, also if
// the screen of a phone has not been touched yet.
TEST_HERE (view_cards_name_no_keys_on_a_touch_screen, MACHINE) {
    u->viewer.panels.decision.demo_end = -1;
    user_draw(u);
    CHECK(item_find(&u->viewer, &u->stage, "choice/Keep playing   Esc").width > 0.0f);
    CHECK(count_dim_vertices_below(u, "choice/Keep playing   Esc") > 0);
    make_upright(u);
    for (int is_touched = 0; is_touched < 2; is_touched++) {
        u->viewer.panels.decision.demo_end = -1;
        user_draw(u);
        CHECK(item_find(&u->viewer, &u->stage, "choice/Keep playing").width > 0.0f);
        CHECK(!(item_find(&u->viewer, &u->stage, "choice/Keep playing   Esc").width > 0.0f));
        CHECK_UINT(count_dim_vertices_below(u, "choice/Keep playing"), 0);
        finger(u, 200.0f, 20.0f, VIEW_INPUT_PRESS);
        finger(u, 200.0f, 20.0f, VIEW_INPUT_RELEASE);
    }
}

// A finger that moves the stick or the camera without being lifted postpones the end of the demo.
TEST_HERE (view_moves_of_a_finger_postpone_the_end_of_the_demo, MACHINE) {
    make_upright(u);
    finger(u, 195.0f, 300.0f, VIEW_INPUT_PRESS);
    finger(u, 195.0f, 300.0f, VIEW_INPUT_RELEASE);
    const view_stick stick = view_stick_position(&u->stage);
    finger(u, stick.x, stick.y, VIEW_INPUT_PRESS);
    u->viewer.panels.decision.demo_end = u->viewer.uptime + 1.0;
    finger(u, stick.x, stick.y - 0.6f * stick.reach, VIEW_INPUT_MOVE);
    CHECK(u->viewer.panels.decision.demo_end > u->viewer.uptime + 10.0);
    finger(u, stick.x, stick.y, VIEW_INPUT_RELEASE);
    finger(u, 195.0f, 300.0f, VIEW_INPUT_PRESS); // rotates the camera
    u->viewer.panels.decision.demo_end = u->viewer.uptime + 1.0;
    finger(u, 255.0f, 300.0f, VIEW_INPUT_MOVE);
    CHECK(u->viewer.panels.decision.demo_end > u->viewer.uptime + 10.0);
    finger(u, 255.0f, 300.0f, VIEW_INPUT_RELEASE);
    u->viewer.panels.decision.demo_end = u->viewer.uptime + 1.0;
    finger(u, 195.0f, 300.0f, VIEW_INPUT_MOVE);
    CHECK(!(u->viewer.panels.decision.demo_end > u->viewer.uptime + 10.0));
}

// The tabs of the sheet select parts of the docks.
TEST_HERE (view_sheet_has_tabs_for_fingers, BOBBIN) {
    make_upright(u);
    user_click(u, "handle/handle");
    CHECK(item_find(&u->viewer, &u->stage, "clip/dance").width > 0.0f);
    CHECK(!(item_find(&u->viewer, &u->stage, "joint/head").width > 0.0f));
    user_click(u, "tab/Joints");
    CHECK(!(item_find(&u->viewer, &u->stage, "clip/dance").width > 0.0f));
    CHECK(item_find(&u->viewer, &u->stage, "joint/head").width > 0.0f);
    user_click(u, "tab/Display");
    user_click(u, "look/Weights");
    CHECK(u->viewer.options->surface == VIEW_SURFACE_WEIGHTS);
    user_click(u, "look/Wireframe");
    CHECK(u->viewer.options->shown.edges);
    CHECK(item_find(&u->viewer, &u->stage, "look/Shadows").width > 0.0f);
    CHECK(item_find(&u->viewer, &u->stage, "look/Background").width > 0.0f);
    user_press_key(u, 'l' | VIEW_WITH_SHIFT); // the sliders of lights are in the inspector
    CHECK(!(item_find(&u->viewer, &u->stage, "look/Wireframe").width > 0.0f));
    user_press_key(u, 'b' | VIEW_WITH_CTRL); // closes the outliner, which its tab opens again
    user_click(u, "tab/Clips");
    CHECK(item_find(&u->viewer, &u->stage, "clip/dance").width > 0.0f);
    user_click(u, "tab/Export");
    CHECK(u->viewer.ui.over == VIEW_OVERLAY_EXPORT);
}

TEST_HERE (view_sheet_of_a_machine_has_its_states, MACHINE) {
    make_upright(u);
    user_click(u, "handle/handle");
    user_click(u, "tab/States");
    CHECK(item_find(&u->viewer, &u->stage, "layer/body").width > 0.0f);
}

TEST_HERE (view_touch_buttons_are_commands, BOBBIN) {
    CHECK(!(item_find(&u->viewer, &u->stage, "button/Home").width > 0.0f)); // with a mouse
    make_upright(u);
    const bool had_grid = u->viewer.options->shown.grid;
    user_click(u, "button/Grid");
    CHECK(u->viewer.options->shown.grid == !had_grid);
    user_click(u, "button/Shading");
    CHECK(u->viewer.options->surface == VIEW_SURFACE_LIT + 1);
    u->viewer.cameras.user.distance *= 3.0f;
    const float far = u->viewer.cameras.user.distance;
    user_click(u, "button/Home");
    CHECK(u->viewer.cameras.user.distance < 0.5f * far);
    user_click(u, "handle/handle");
    user_click(u, "handle/handle"); // the sheet covers the buttons
    CHECK(!(item_find(&u->viewer, &u->stage, "button/Home").width > 0.0f));
}

// A finger that moves on a list scrolls it, and the list continues to scroll afterwards. A finger
// that does not move presses, or, after some time, opens a menu. A finger that moves sideways drags
// the item.
TEST_HERE (view_finger_scrolls_the_list_below_it, BOBBIN) {
    make_upright(u);
    user_click(u, "handle/handle");
    const view_layout layout = view_current_layout(&u->stage);
    const view_rect sheet = layout.docks[VIEW_DOCK_LEFT];
    const float x = 100.0f;
    const float y = sheet.y + 0.7f * sheet.height;
    const ui_scroll *const scroll = &u->viewer.ui.scrolls[VIEW_DOCK_LEFT];
    view_browser *const list = &u->viewer.panels.browser;
    const size_t clip = user_scene(u)->clip;
    const bool playing = u->viewer.play.playing;
    const float before = scroll->wanted;
    finger(u, x, y, VIEW_INPUT_PRESS);
    finger(u, x, y - 60.0f, VIEW_INPUT_MOVE);
    CHECK(scroll->wanted == before + 60.0f && scroll->shown == scroll->wanted);
    finger(u, x, y - 90.0f, VIEW_INPUT_MOVE);
    CHECK(scroll->wanted == before + 90.0f);
    finger(u, x, y - 90.0f, VIEW_INPUT_RELEASE);
    CHECK(scroll->wanted > before + 200.0f && user_scene(u)->clip == clip);
    finger(u, x, y, VIEW_INPUT_PRESS);
    CHECK(user_scene(u)->clip == clip);
    finger(u, x, y + 3.0f, VIEW_INPUT_RELEASE);
    CHECK(user_scene(u)->clip != clip);
    finger(u, x, y, VIEW_INPUT_PRESS);
    user_send(u, (view_input){.kind = VIEW_INPUT_RELEASE, .is_long = true});
    CHECK(u->viewer.panels.menu.kind == VIEW_MENU_OF_CONTEXT);
    user_press_key(u, VIEW_KEY_ESCAPE);

    u->viewer.play.playing = false;
    const float bar = layout.time.y + 0.5f * layout.time.height;
    finger(u, 150.0f, bar, VIEW_INPUT_PRESS);
    finger(u, 180.0f, bar + 5.0f, VIEW_INPUT_MOVE);
    const double time = u->viewer.play.time;
    finger(u, 240.0f, bar + 5.0f, VIEW_INPUT_MOVE);
    CHECK(u->viewer.play.time > time && time > 0.0);
    finger(u, 240.0f, bar, VIEW_INPUT_RELEASE);
    u->viewer.play.playing = playing;

    view_open_browser(list, VIEW_BROWSE_CLIPS, 0, user_scene(u));
    user_draw(u);
    CHECK(list->num_found > list->num_rows);
    u->viewer.ui.scrolls[UI_SCROLL_FILES].wanted = 0.0f;
    finger(u, x, 400.0f, VIEW_INPUT_PRESS);
    finger(u, x, 340.0f, VIEW_INPUT_MOVE);
    CHECK(u->viewer.ui.scrolls[UI_SCROLL_FILES].wanted == 60.0f);
    finger(u, x, 340.0f, VIEW_INPUT_RELEASE);
    CHECK(list->kind == VIEW_BROWSE_CLIPS);
    finger(u, x, 340.0f, VIEW_INPUT_PRESS);
    finger(u, x, 340.0f, VIEW_INPUT_RELEASE);
    CHECK(list->kind == VIEW_BROWSE_NOTHING);
}

// Thumbnails of visible clips are drawn, one at a time, and the document is unchanged.
TEST_HERE (view_clips_have_thumbnails_on_a_phone, BOBBIN) {
    const view_document *const document = u->viewer.document;
    const view_camera camera = u->viewer.cameras.user;
    uint32_t num_thumbnails = 0;
    uint32_t num_drawn = 0;
    CHECK(!view_draw_next_thumbnail(&u->viewer)); // the clips are not listed
    make_upright(u);
    user_click(u, "handle/handle");
    const md5_bounds bounds = document->bounds;
    const size_t clip = document->scene.clip;
    while (num_thumbnails < 100 && view_draw_next_thumbnail(&u->viewer))
        num_thumbnails++;
    for (uint32_t i = 0; i < document->num_pictures; i++) {
        view_clip_picture *const picture = &document->pictures[i];
        num_drawn += picture->texture != 0;
    }
    CHECK_UINT(document->num_pictures, document->scene.num_clips);
    CHECK_THAT(num_thumbnails >= 6 && num_thumbnails < 30 && num_drawn == num_thumbnails, "%u %u",
               num_thumbnails, num_drawn);
    CHECK_BYTES(&document->bounds, &bounds, sizeof bounds);
    CHECK(document->scene.clip == clip && u->viewer.cameras.user.distance == camera.distance);
    u->viewer.ui.scrolls[VIEW_DOCK_LEFT].wanted = 600.0f;
    user_draw(u);
    CHECK(view_draw_next_thumbnail(&u->viewer));
}

// Thumbnails show the document, even while the contents of the pages cover it.
TEST_HERE (view_thumbnails_show_the_document, BOBBIN) {
    enum { SIDE = 64 };
    static uint8_t pictures[2][4 * SIDE * SIDE];
    u->options.page = "contents";
    for (int i = 0; i < 2; i++) {
        view_state small = u->viewer;
        small.width = small.height = SIDE;
        memset(pictures[i], i, sizeof pictures[i]);
        CHECK(view_draw_small(&u->viewer, &small, true, 1, VIEW_OMIT_NOTHING, pictures[i]));
        REQUIRE(view_select_page(&u->viewer));
    }
    CHECK(u->viewer.pages.open == VIEW_CONTENTS);
    CHECK_BYTES(pictures[0], pictures[1], sizeof pictures[0]);
}

static void tap_twice(user *u, float x, float y)
{
    view_input tap = {.button = VIEW_BUTTON_LEFT, .is_touch = true, .x = floorf(x), .y = floorf(y)};
    for (tap.clicks = 1; tap.clicks <= 2; tap.clicks++) {
        tap.kind = VIEW_INPUT_PRESS;
        user_send(u, tap);
        tap.kind = VIEW_INPUT_RELEASE;
        user_send(u, tap);
        user_draw(u);
    }
}

// A double tap on the body zooms in; a double tap next to it shows everything.
TEST_HERE (view_double_tap_zooms_to_the_spot, BOBBIN) {
    const view_rect free = view_free_region(&u->stage);
    const view_camera all = u->viewer.cameras.user;
    user_click_at(u, free.x + 0.5f * free.width, free.y + 0.4f * free.height, VIEW_BUTTON_LEFT);
    CHECK(u->viewer.cameras.user.distance == all.distance); // a single tap has no effect
    tap_twice(u, free.x + 0.5f * free.width, free.y + 0.4f * free.height);
    CHECK(u->viewer.cameras.user.distance < 0.5f * all.distance);
    CHECK(u->viewer.cameras.user.target.z > all.target.z); // the spot is above the middle
    u->viewer.cameras.user = all;
    u->viewer.cameras.user.distance *= 3.0f;
    tap_twice(u, free.x + 40.0f, free.y + 40.0f);
    CHECK(!u->viewer.ui.selection.pick.is_set);
    CHECK_NEAR(u->viewer.cameras.user.distance, all.distance, 1e-3 * (double)all.distance);
}

// A press and a release are a click if the pointer moves less than 4 pixels in between.
TEST_HERE (view_click_ends_with_a_movement_of_four_pixels, BOBBIN) {
    for (int moved = 3; moved <= 4; moved++) {
        view_input event = {
            .kind = VIEW_INPUT_PRESS, .button = VIEW_BUTTON_LEFT, .clicks = 1, .x = 640, .y = 400};
        u->viewer.ui.selection.pick.is_set = false;
        user_send(u, event);
        event.kind = VIEW_INPUT_MOVE;
        event.button = VIEW_BUTTON_NONE;
        event.moved_x = (float)moved;
        user_send(u, event);
        event.kind = VIEW_INPUT_RELEASE;
        event.button = VIEW_BUTTON_LEFT;
        user_send(u, event);
        CHECK_THAT(u->viewer.ui.selection.pick.is_set == (moved < 4), "%d pixels", moved);
    }
}

// The list of keys covers a page as well as a model, and Esc closes the list first.
TEST_HERE (view_keys_are_listed_over_pages, BOBBIN) {
    u->options.page = "additive";
    REQUIRE(view_select_page(&u->viewer));
    user_press_key(u, VIEW_KEY_F(1));
    user_draw(u);
    CHECK(item_find(&u->viewer, &u->stage, "settings/Done").width > 0.0f);
    user_press_key(u, VIEW_KEY_ESCAPE);
    CHECK(!u->options.shown.help && u->viewer.pages.open >= 0);
    user_press_key(u, VIEW_KEY_ESCAPE);
    CHECK(u->viewer.pages.open < 0);
}

// == Gamepads ====================================================================================

// Buttons and stick of a gamepad are reported as pressed and released keys, once each.
TEST (view_gamepads_press_the_keys_of_movement) {
    static const struct {
        view_pad pad;
        const char *pressed, *released; // 'S': Shift
    } steps[] = {
        {.pad = {.y = -0.5f}, .pressed = "w", .released = ""},
        {.pad = {.y = -0.5f}, .pressed = "", .released = ""},
        {.pad = {.x = -0.4f, .y = -0.9f}, .pressed = "Sa", .released = ""},
        {.pad = {.buttons = VIEW_PAD_JUMP | VIEW_PAD_DOWN}, .pressed = " s", .released = "Swa"},
        {.pad = {.x = 0.2f, .y = 0.3f}, .pressed = "", .released = " s"},
    };
    uint32_t reported = 0;
    for (size_t i = 0; i < COUNT_OF(steps); i++) {
        char pressed[16] = "";
        char released[16] = "";
        view_pad pad = steps[i].pad;
        view_input event;
        pad.reported = reported;
        while (view_next_pad_key(&pad, &event)) {
            char *const text = event.kind == VIEW_INPUT_KEY_DOWN ? pressed : released;
            const size_t length = strlen(text);
            REQUIRE(length < sizeof pressed - 1);
            text[length] = event.key == VIEW_KEY_LEFT_SHIFT ? 'S' : (char)event.key;
            text[length + 1] = '\0';
        }
        CHECK_STRING(pressed, steps[i].pressed);
        CHECK_STRING(released, steps[i].released);
        reported = pad.reported;
    }
}

// == Random input =================================================================================

// Returns the name of an open part that Esc does not close, or NULL.
static const char *find_open_part(const user *u)
{
    const view_ui *const ui = &u->viewer.ui;
    if (ui->modal)
        return ui->modal;
    if (u->viewer.panels.menu.kind != VIEW_NO_MENU)
        return "menu";
    if (u->viewer.panels.browser.kind != VIEW_BROWSE_NOTHING)
        return "list";
    if (u->viewer.panels.start.is_open)
        return "start page";
    if (u->viewer.pages.open >= 0)
        return "page";
    if (u->viewer.log.error[0] != '\0')
        return "error";
    if (ui->focus.item.panel)
        return ui->focus.item.panel;
    if (u->viewer.options->shown.help)
        return "keys";
    if (ui->selection.joint >= 0)
        return "joint";
    return view_controls_character(&u->viewer) ? "driving" : NULL;
}

// Sends random keys, letters, clicks and wheel steps. After each 200 of them Esc must close
// everything.
static void walk(user *u, uint32_t num_events)
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
    const view_ui *const ui = &u->viewer.ui;
    view_export_choices *const choices = &u->viewer.panels.export.choices;
    uint64_t random = 7;
    for (uint32_t i = 1; i <= num_events; i++) {
        // The default folder of the export dialog is the folder of the model.
        (void)snprintf(choices->folder, sizeof choices->folder, "%s", u->folder);
        const uint32_t kind = test_random_u32(&random) % 8;
        const uint32_t which = test_random_u32(&random);
        const float x = (float)test_random(&random) * (float)u->viewer.width;
        const float y = (float)test_random(&random) * (float)u->viewer.height;
        static const int modifier_choices[4] = {VIEW_WITH_CTRL, VIEW_WITH_SHIFT, 0, 0};
        const int modifiers = modifier_choices[(which >> 16) % 4];
        const int32_t letter = 'a' + (int32_t)(which % 26);
        if (kind < 2) {
            user_press_key(u, keys[which % NUM_KEYS] | modifiers);
        } else if (kind < 4) {
            const view_input event = {.kind = VIEW_INPUT_TEXT, .text = {(char)letter}};
            user_press_key(u, letter | modifiers);
            if (modifiers == 0)
                user_send(u, event);
        } else {
            user_click_at(u, x, y, kind == 7 ? VIEW_BUTTON_RIGHT : VIEW_BUTTON_LEFT);
        }
        const int num_open = (u->viewer.panels.menu.kind != VIEW_NO_MENU)
                             + (ui->over == VIEW_OVERLAY_EXPORT)
                             + (u->viewer.panels.browser.kind != VIEW_BROWSE_NOTHING);
        CHECK_THAT(num_open <= 1, "after %u events %d lie over the picture", i, num_open);
        free(u->viewer.panels.textures.saved); // prevents writing of this file
        u->viewer.panels.textures.saved = NULL;
        if (i % BETWEEN != 0)
            continue;
        for (int k = 0; k < 20 && find_open_part(u) != NULL; k++)
            user_press_key(u, VIEW_KEY_ESCAPE);
        CHECK_THAT(find_open_part(u) == NULL, "after %u events Esc does not leave: %s", i,
                   find_open_part(u));
        u->viewer.input.quits = false;
    }
}

static void walk_over(const char *file, uint32_t num_events)
{
    user u;
    char folder[1024];
    if (user_open(&u, file) && CHECK(getcwd(folder, sizeof folder))
        && CHECK(chdir(u.folder) == 0)) { // images are written to this folder
        walk(&u, num_events);
        CHECK(chdir(folder) == 0);
    }
    user_close(&u);
}

TEST (view_escape_closes_everything) {
    walk_over(BOBBIN, 400);
}

// MD5_RANDOM_EVENTS=100000 sends more events.
TEST_LONG (view_escape_closes_everything_repeatedly) {
    const char *const given = getenv("MD5_RANDOM_EVENTS");
    const uint32_t count = given != NULL ? (uint32_t)strtoul(given, NULL, 10) : 20000;
    walk_over(MACHINE, count / 2);
    walk_over(BOBBIN, count / 2);
}
