// Rows of options: each input element sets its option, and the card can undo it.
#define _XOPEN_SOURCE 700 // dup(), dup2()
#include "test/scoped.h"
#include "test/viewer/test_view_case.h"

#include "demo/viewer/app/window.h"
#include "demo/viewer/jobs/capture.h"
#include "demo/viewer/jobs/stage.h"

#include <unistd.h>

#define BOBBIN screen_open(s, "models/bobbin/bobbin.md5mesh", 1280, 720)
#define SMALL screen_open(s, "models/bobbin/bobbin.md5mesh", 420, 300)

static const view_option *find_option(const char *name)
{
    return view_find_option(name, strlen(name));
}

static void send_key(screen *s, int32_t key, const char *text)
{
    s->viewer.uptime += 1.0; // longer than the delay for typed values
    const ui_mouse event = {.key = key, .text = text};
    s->stage = view_build_stage(&s->viewer, s->width, s->height);
    view_execute(&s->viewer, view_run_ui(&s->viewer.ui, &s->viewer.panels, &s->stage, &event));
    s->viewer.uptime += 1.0;
    view_update_files(&s->viewer);
    screen_draw(s);
}

static void click(screen *s, const char *item, float across)
{
    screen_draw(s);
    view_execute(&s->viewer, item_press(&s->viewer, &s->stage, item, across, 0.5f));
    item_release(&s->viewer);
    s->viewer.uptime += 1.0;
    view_update_files(&s->viewer);
    screen_draw(s);
}

static void ask(screen *s, const char *name)
{
    PERFORM(&s->viewer, VIEW_ASK, (size_t)(find_option(name) - view_option_rows));
    screen_draw(s);
    screen_draw(s);
}

static bool is_card(const screen *s)
{
    return s->viewer.ui.over == VIEW_OVERLAY_CARD;
}

static char *option_text(const screen *s, const view_option *option)
{
    char *const text = view_write_option(option, &s->options);
    return text != NULL ? text : common_copy("");
}

// For each numeric option in a menu, the field sets the minimum, the maximum and a value between,
// and Reset the default.
TEST_SCREEN (view_each_number_is_set_by_its_field, BOBBIN) {
    view_menu_entries list;
    view_list_menu_entries(&list);
    for (size_t i = 0; i < list.count; i++) {
        const view_option *const option = view_get_option(list.entries[i]);
        if (option == NULL || list.entries[i]->action != VIEW_ASK)
            continue;
        if (option->effect == VIEW_EFFECT_RELOAD || option->names != VIEW_NAMES_NOTHING)
            continue;
        if (option->kind < COMMON_COUNT || option->kind > COMMON_NUMBER)
            continue;
        SCOPED_STRING usual = option_text(s, option);
        const double low = fabs(option->low) < 1e-3 ? 0.5 : option->low;
        const double values[] = {option->low == 0.0 ? 0.0 : low, option->high,
                                 floor(0.5 * option->low) + 2.0};
        for (size_t j = 0; j < COUNT_OF(values); j++) {
            SCOPED_STRING typed = common_format("%.9g", values[j]);
            ask(s, option->name);
            send_key(s, 0, typed);
            send_key(s, VIEW_KEY_RETURN, NULL);
            SCOPED_STRING current = option_text(s, option);
            CHECK_THAT(fabs(strtod(current, NULL) - values[j]) <= 1e-6 * fabs(values[j]),
                       "--%s is %s, not %s", option->name, current, typed);
            CHECK_THAT(!is_card(s), "--%s %s", option->name, typed);
        }
        ask(s, option->name);
        click(s, "card/Reset", 0.5f);
        SCOPED_STRING reset = option_text(s, option);
        CHECK_STRING(reset, usual);
        send_key(s, VIEW_KEY_ESCAPE, NULL);
    }
}

// Reset and Esc also drop a typed value that is not applied yet.
TEST_SCREEN (view_reset_and_escape_discard_a_typed_value, BOBBIN) {
    for (int i = 0; i < 2; i++) {
        ask(s, "crowd-reduced");
        const ui_mouse typed = {.text = "77"};
        s->stage = view_build_stage(&s->viewer, s->width, s->height);
        view_execute(&s->viewer, view_run_ui(&s->viewer.ui, &s->viewer.panels, &s->stage, &typed));
        CHECK_UINT(s->viewer.panels.card.num_delayed, 1);
        const ui_mouse escape = {.key = VIEW_KEY_ESCAPE};
        const view_command command =
            i == 0 ? view_run_ui(&s->viewer.ui, &s->viewer.panels, &s->stage, &escape)
                   : item_press(&s->viewer, &s->stage, "card/Reset", 0.5f, 0.5f);
        view_execute(&s->viewer, command);
        s->viewer.uptime += 10.0;
        view_update_files(&s->viewer);
        CHECK(!s->options.crowd_reduced_given);
    }
}

// In 320 x 240, the layout of 640 x 480 with a scale of 200 %, sliders are shorter, so that the
// names of the numbers on a card are complete.
TEST_SCREEN (view_card_shows_whole_names_in_a_small_window,
             screen_open(s, "models/bobbin/bobbin.md5mesh", 320, 240)) {
    ask(s, "crowd");
    REQUIRE(is_card(s));
    CHECK(s->viewer.ui.label_width - 8 * s->viewer.ui.scale
          >= view_text_width(&s->viewer.drawing.font, VIEW_TEXT, "Impostors up to (px)"));
}

// The unit "units" of the camera's distance and target must be displayed completely at each scale
// of texts.
TEST_SCREEN (view_card_shows_whole_units, BOBBIN) {
    static const float scales[] = {1, 1.25f, 1.5f, 2};
    ask(s, "camera-distance");
    for (size_t i = 0; i < COUNT_OF(scales); i++) {
        REQUIRE(view_set_scale(&s->viewer, scales[i]));
        screen_draw(s);
        screen_draw(s); // the ellipsis is in the texture if it was needed
        const view_rect top = item_find(&s->viewer, &s->stage, "card/auto");
        const view_rect bottom = item_find(&s->viewer, &s->stage, "card/Done");
        REQUIRE(top.width > 0 && bottom.width > 0);
        const view_rect units = {top.x, top.y, bottom.x + bottom.width - top.x, bottom.y - top.y};
        CHECK_THAT(item_count_cut_texts(&s->viewer, units) == 0, "scale %g", (double)scales[i]);
    }
}

TEST_SCREEN (view_numbers_may_have_units, BOBBIN) {
    static const char *const cases[][3] = {
        {"camera-smoothing", "12f", "0.5"}, // at 24 frames per second
        {"animation-speed-factor", "50 %", "0.5"},
        {"camera-elevation-angle", "30\xC2\xB0", "30"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        ask(s, cases[i][0]);
        send_key(s, 0, cases[i][1]);
        send_key(s, VIEW_KEY_RETURN, NULL);
        SCOPED_STRING current = option_text(s, find_option(cases[i][0]));
        CHECK_STRING(current, cases[i][2]);
    }
}

// Changes that reopen the files wait until no further change follows. Undoing several such rows
// reads the files once, which is counted by the messages about the texture in the log of level
// "debug".
TEST_SCREEN (view_escape_reads_the_files_once,
             screen_open(s, "models/thimble/thimble.md5mesh", 1280, 720)) {
    static const char *const rows[][2] = {
        {"crowd", "3"}, {"crowd-reduced", "64"}, {"crowd-baked", "32"}};
    SCOPED_FOLDER folder = folder_make();
    SCOPED_STRING messages = common_join(folder, "said");
    size_t size;
    size_t count = 0;
    ask(s, "crowd");
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        CHECK(view_set_option(&s->viewer, find_option(rows[i][0]), common_text_value(rows[i][1])));
    s->options.level = VIEW_DEBUG;
    (void)fflush(stderr);
    const int kept = dup(STDERR_FILENO);
    if (CHECK(kept >= 0) && CHECK(freopen(messages, "w", stderr))) {
        send_key(s, VIEW_KEY_ESCAPE, NULL);
        (void)fflush(stderr);
        CHECK(dup2(kept, STDERR_FILENO) >= 0);
        SCOPED_STRING text = test_read_file(messages, &size);
        for (const char *at = text; (at = strstr(at, "texture of mesh 0:")) != NULL; at++)
            count++;
        CHECK_UINT(count, 1);
    }
    CHECK(s->options.crowd == 0 && !s->options.crowd_baked_given
          && !s->options.crowd_reduced_given);
    if (kept >= 0)
        (void)close(kept);
}

TEST_SCREEN (view_crowds_are_opened_when_the_slider_rests, BOBBIN) {
    ask(s, "crowd");
    screen_draw(s);
    s->viewer.uptime = 10.0;
    s->stage = view_build_stage(&s->viewer, s->width, s->height);
    view_execute(&s->viewer, item_press(&s->viewer, &s->stage, "card/Crowd", 0.5f, 0.5f));
    CHECK_UINT(s->viewer.document->crowd.count, 0);
    s->viewer.uptime = 10.2;
    view_update_files(&s->viewer);
    CHECK_UINT(s->viewer.document->crowd.count, 0);
    s->viewer.uptime = 10.4;
    view_update_files(&s->viewer);
    CHECK(s->viewer.document->crowd.count > 1);
    CHECK_UINT(s->viewer.document->crowd.count, s->options.crowd);
}

// The font must contain all letters of the interface from the start. If a letter is missing, the
// first frame with a panel must be drawn twice.
TEST_SCREEN (view_font_has_the_letters_of_the_interface, BOBBIN) {
    STRINGS(cards) = {"background-color", "crowd", "attach"};
    screen_draw(s);
    CHECK(!view_update_font(&s->viewer.drawing.font, s->viewer.renderer));
    for (size_t i = 0; i < COUNT_OF(cards); i++) {
        ask(s, cards[i]);
        CHECK(!view_update_font(&s->viewer.drawing.font, s->viewer.renderer));
    }
    view_list_location(&s->viewer, "/");
    screen_draw(s);
    CHECK(!view_update_font(&s->viewer.drawing.font, s->viewer.renderer));
}

// If nothing moves, only one frame is drawn. Therefore the card must have its full length in the
// first frame.
TEST_SCREEN (view_card_is_complete_in_its_first_frame, BOBBIN) {
    screen_draw(s);
    PERFORM(&s->viewer, VIEW_ASK, (size_t)(find_option("background-color") - view_option_rows));
    CHECK(s->viewer.panels.card.length > 12.0f * s->viewer.ui.em);
    CHECK(is_card(s));
}

// The card follows the mouse, and remains in the window.
TEST_SCREEN (view_card_is_moved_by_its_title, BOBBIN) {
    ask(s, "crowd");
    const view_rect before = item_find(&s->viewer, &s->stage, "card/Close");
    const float x = before.x - 60.0f;
    const float y = before.y + 9.0f;
    item_press_at(&s->viewer, &s->stage, x, y);
    static const float moves[][2] = {{-150, 200}, {5000, 5000}, {-5000, -5000}};
    for (size_t i = 0; i < COUNT_OF(moves); i++) {
        const ui_mouse event = {.x = x + moves[i][0], .y = y + moves[i][1], .is_moved = true};
        view_run_ui(&s->viewer.ui, &s->viewer.panels, &s->stage, &event);
        const view_rect current = item_find(&s->viewer, &s->stage, "card/Close");
        CHECK(current.x >= 0.0f && current.x + current.width <= 1280.0f);
        CHECK(current.y >= 0.0f && current.y + current.height <= 720.0f);
        if (i == 0)
            CHECK(current.x == before.x - 150.0f && current.y == before.y + 200.0f);
    }
    item_release(&s->viewer);
    CHECK(is_card(s) && s->viewer.document->crowd.count == 0);
}

TEST_SCREEN (view_joints_are_found_by_a_part_of_their_name, BOBBIN) {
    ask(s, "joint");
    send_key(s, 0, "hand_r");
    CHECK(item_find(&s->viewer, &s->stage, "card/hand_r").width > 0.0f);
    CHECK(!(item_find(&s->viewer, &s->stage, "card/tail_1").width > 0.0f));
    click(s, "card/hand_r", 0.5f);
    CHECK_STRING(s->options.joint, "hand_r");
    CHECK(s->viewer.ui.selection.joint
          == (int32_t)md5_find_joint(s->viewer.document->scene.skeleton, "hand_r"));
}

// Browse of a row lists the files that its option accepts. The selected file becomes the value. The
// card opens again, also if the user closes the list.
TEST_SCREEN (view_files_of_rows_can_be_browsed, BOBBIN) {
    static const struct {
        const char *option;
        view_entry_kind kind;
    } rows[] = {{"environment", VIEW_ENTRY_PICTURE}, {"retarget", VIEW_ENTRY_MODEL}};
    view_browser *const list = &s->viewer.panels.browser;
    for (int i = 0; i < 2; i++) {
        ask(s, rows[i].option);
        if (i == 0)
            click(s, "card/Browse", 0.5f);
        CHECK_UINT(s->viewer.ui.over, VIEW_OVERLAY_FILES);
        PERFORM(&s->viewer, VIEW_OPEN_FOLDER, .path = common_copy(test_path("models/thimble")));
        CHECK(list->num_found > 0 && list->entries[list->found[0]].kind == rows[i].kind);
        if (i == 0)
            view_execute(&s->viewer, view_key_browser(list, VIEW_KEY_ESCAPE));
        CHECK(i > 0 || is_card(s));
    }
    view_filter_list(list, "thimble.md5mesh");
    view_execute(&s->viewer, view_key_browser(list, VIEW_KEY_RETURN));
    CHECK(!is_card(s) && s->options.retarget != NULL); // this option has a page instead of a card
    CHECK_STRING(s->viewer.document->scene.name, "bobbin");
}

// In the smallest window the buttons are visible, independent of the content of the card.
TEST_SCREEN (view_buttons_of_cards_are_visible_in_small_windows, SMALL) {
    view_menu_entries list;
    view_list_menu_entries(&list);
    for (size_t i = 0; i < list.count; i++) {
        const view_option *const option = view_get_option(list.entries[i]);
        if (option == NULL || list.entries[i]->action != VIEW_ASK)
            continue;
        ask(s, option->name);
        if (s->viewer.ui.over == VIEW_OVERLAY_FILES)
            PERFORM(&s->viewer, VIEW_CLOSE_LISTS);
        if (!is_card(s))
            continue;
        const view_rect done = item_find(&s->viewer, &s->stage, "card/Done");
        const bool is_inside_x = done.x >= 0.0f && done.x + done.width <= 420.0f;
        CHECK_THAT(done.width > 0.0f && done.y + done.height <= 300.0f && is_inside_x, "%s",
                   option->name);
        send_key(s, VIEW_KEY_ESCAPE, NULL);
    }
}

// The list shows all options under headings, with changed options first. Keyboard shortcuts are one
// group of the list.
TEST_SCREEN (view_settings_list_all_options, BOBBIN) {
    s->options.speed = 2;
    PERFORM(&s->viewer, VIEW_SETTINGS);
    screen_draw(s);
    const view_rect changed = item_find(&s->viewer, &s->stage, "settings/Speed");
    const view_rect usual = item_find(&s->viewer, &s->stage, "settings/Movie format");
    CHECK(changed.width > 0.0f && usual.width > 0.0f && changed.y < usual.y);
    send_key(s, 0, "speed");
    CHECK(item_find(&s->viewer, &s->stage, "settings/Speed").width > 0.0f);
    CHECK(!(item_find(&s->viewer, &s->stage, "settings/Movie format").width > 0.0f));
    send_key(s, VIEW_KEY_ESCAPE, NULL);
    CHECK_UINT(s->viewer.ui.over, VIEW_OVERLAY_NONE);
}

// After "Pick", a click on the body sets the background to the drawn color. The next click selects
// again.
TEST_SCREEN (view_colors_can_be_picked_from_the_image, BOBBIN) {
    static uint8_t rgba[4 * 1280 * 720];
    md5_error error;
    ask(s, "background-color");
    const view_rect free_part = view_free_region(&s->stage);
    const uint32_t x = (uint32_t)(free_part.x + 0.5f * free_part.width);
    const uint32_t y = (uint32_t)(free_part.y + 0.6f * free_part.height);
    md5gl_target *const target =
        md5gl_create_target(s->viewer.renderer, 1280, 720, s->options.samples, &error);
    CHECK(view_draw(&s->viewer, target, 1280, 720, VIEW_OMIT_NOTHING, &error)
          && md5gl_read_pixels(s->viewer.renderer, target, 1280, 720, rgba, &error));
    md5gl_destroy_target(s->viewer.renderer, target);
    click(s, "card/\xE2\x97\x8E Pick", 0.5f);
    for (int i = 0; i < 2; i++) {
        SCOPED_STRING before = option_text(s, find_option("background-color"));
        view_input event = {
            .kind = VIEW_INPUT_PRESS, .button = VIEW_BUTTON_LEFT, .x = (float)x, .y = (float)y};
        bool redraw = false;
        CHECK(s->viewer.ui.selection.joint < 0 && is_card(s));
        view_handle_event(&s->viewer, &event, &redraw);
        event.kind = VIEW_INPUT_RELEASE;
        view_handle_event(&s->viewer, &event, &redraw);
        SCOPED_STRING after = option_text(s, find_option("background-color"));
        CHECK(i == 0 || strcmp(before, after) == 0);
        const uint8_t *const pixel = &rgba[4 * (1280 * y + x)];
        SCOPED_STRING drawn = common_format("#%02x%02x%02x", pixel[0], pixel[1], pixel[2]);
        CHECK_STRING(after, drawn);
    }
    CHECK(s->viewer.ui.selection.joint >= 0);
}

// Reading a color neither ends a notice nor a smooth movement of the camera or of a scrolled list.
TEST_SCREEN (view_reading_a_color_changes_nothing, BOBBIN) {
    view_notice(&s->viewer, "remains");
    s->viewer.cameras.is_smooth = true;
    s->viewer.cameras.drawn.azimuth = s->viewer.cameras.user.azimuth + 20;
    s->viewer.ui.scrolls[0].shown = s->viewer.ui.scrolls[0].wanted + 20;
    const double notice_end = s->viewer.ui.notice.end;
    const float azimuth = s->viewer.cameras.drawn.azimuth;
    const float scroll = s->viewer.ui.scrolls[0].shown;

    view_color color = 0;
    CHECK(view_read_window_color(&s->viewer, 640, 360, &color) && color != 0);

    CHECK_EXACT(s->viewer.ui.notice.end, notice_end);
    CHECK_EXACT(s->viewer.cameras.drawn.azimuth, azimuth);
    CHECK_EXACT(s->viewer.ui.scrolls[0].shown, scroll);
}

// A color that cannot be read is not changed to another color: the color picker then sets no value.
TEST_SCREEN (view_failed_reading_of_a_color_is_an_error, BOBBIN) {
    view_color color = 0x12345678u;
    s->viewer.width = 1u << 20; // more than the largest target
    s->viewer.height = 1;
    CHECK(!view_read_window_color(&s->viewer, 0, 0, &color));
    CHECK_UINT(color, 0x12345678u);
    CHECK(s->viewer.log.error[0] != '\0');
}

// A row with a text field and the button Browse: the two must not overlap.
TEST_SCREEN (view_fields_of_files_do_not_overlap, BOBBIN) {
    unsigned num_cards = 0;
    view_menu_entries list;
    view_list_menu_entries(&list);
    for (size_t i = 0; i < list.count; i++) {
        const view_option *const option = view_get_option(list.entries[i]);
        if (option == NULL || list.entries[i]->action != VIEW_ASK)
            continue;
        ask(s, option->name);
        const view_rect browse = item_find(&s->viewer, &s->stage, "card/Browse");
        const view_rect field = item_find(&s->viewer, &s->stage, "card/none");
        const bool is_file = browse.width > 0.0f;
        CHECK_THAT(!is_file || field.x + field.width <= browse.x + 1.0f,
                   "--%s: the field overlaps Browse", option->name);
        num_cards += is_file;
        send_key(s, VIEW_KEY_ESCAPE, NULL);
    }
    CHECK(num_cards >= 4);
}

// The fields of a pair have labels, and the file list of "Attach model" contains only models.
TEST_SCREEN (view_attach_card_labels_its_fields_and_lists_models, BOBBIN) {
    const view_browser *const list = &s->viewer.panels.browser;
    ask(s, "attach");
    const view_rect joint = item_find(&s->viewer, &s->stage, "card/Joint");
    const view_rect model = item_find(&s->viewer, &s->stage, "card/Model");
    CHECK(joint.width > 0.0f && model.y >= joint.y + joint.height - 1.0f);
    click(s, "card/Browse", 0.5f);
    PERFORM(&s->viewer, VIEW_OPEN_FOLDER, .path = common_copy(test_path("models/bobbin")));
    CHECK(list->num_found > 0);
    for (size_t i = 0; i < list->num_found; i++) {
        const view_entry *const entry = &list->entries[list->found[i]];
        CHECK_THAT(entry->kind == VIEW_ENTRY_FOLDER || common_has_suffix(entry->label, ".md5mesh"),
                   "%s is listed", entry->label);
    }
}

// A value out of the range is refused with a notice, and changes nothing.
TEST_SCREEN (view_typed_values_out_of_range_are_rejected, BOBBIN) {
    const view_option *const row = VIEW_OPTION(elevation);
    CHECK(view_set_option(&s->viewer, row, common_number_value(30)));
    CHECK(!view_set_option(&s->viewer, row, common_number_value(90.5)));
    CHECK_STRING(s->viewer.ui.notice.text, "--camera-elevation-angle: expected DEG, found '90.5'");
    CHECK(!view_set_option(&s->viewer, row, common_choice_value(1)));
    CHECK(!view_set_option(&s->viewer, VIEW_OPTION(surface), common_choice_value(9)));
    CHECK(s->options.elevation == 30.0f && s->viewer.cameras.user.elevation == 30.0f);
    CHECK_UINT(s->options.surface, VIEW_SURFACE_LIT);
}

static void send_mouse(screen *s, view_input_kind kind, float x, float y)
{
    const view_input event = {.kind = kind, .button = VIEW_BUTTON_LEFT, .x = x, .y = y};
    bool redraw = false;
    view_handle_event(&s->viewer, &event, &redraw);
}

// A drag of a slider changes the option with each movement, and is one step that can be undone.
TEST_SCREEN (view_drag_of_a_slider_is_one_step, BOBBIN) {
    PERFORM(&s->viewer, VIEW_SETTINGS);
    send_key(s, 0, "playback speed");
    s->stage = item_draw(&s->viewer, s->width, s->height);
    const view_rect slider = item_find(&s->viewer, &s->stage, "settings/Speed");
    REQUIRE(slider.width > 0.0f);
    view_store_step(&s->viewer);
    const size_t num_steps = s->viewer.undo.num_steps;
    const double before = s->options.speed;
    const float y = slider.y + 0.5f * slider.height;
    double last = before;
    send_mouse(s, VIEW_INPUT_PRESS, slider.x + 0.6f * slider.width, y);
    for (int i = 0; i < 4; i++) {
        s->viewer.uptime += 5.0; // a rest does not end the step
        send_mouse(s, VIEW_INPUT_MOVE, slider.x + (0.65f + 0.05f * (float)i) * slider.width, y);
        CHECK(s->options.speed != last && s->viewer.undo.num_steps == num_steps);
        last = s->options.speed;
    }
    send_mouse(s, VIEW_INPUT_RELEASE, slider.x + 0.8f * slider.width, y);
    CHECK_UINT(s->viewer.undo.num_steps, num_steps + 1);
    CHECK(s->options.speed == last && last != before);
    PERFORM(&s->viewer, VIEW_UNDO);
    CHECK(s->options.speed == before);
    PERFORM(&s->viewer, VIEW_REDO);
    CHECK(s->options.speed == last);
}

// Keys that no field uses have their normal effect and do not set the option.
TEST_SCREEN (view_cards_ignore_other_keys, BOBBIN) {
    ask(s, "background-color");
    const ui_mouse event = {.key = VIEW_KEY_F(12)};
    CHECK_UINT(view_run_ui(&s->viewer.ui, &s->viewer.panels, &s->stage, &event).action,
               VIEW_NOTHING);
    CHECK_UINT(s->viewer.panels.card.num_delayed, 0);
}
