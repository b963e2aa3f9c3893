// The interface returns actions of the user as requests, and changes only its own state. Also
// switches, menus, search, and the contrast of text.
#include "test/scoped.h"
#include "test/viewer/test_view_case.h"

#include "demo/viewer/app/window.h"
#include "demo/viewer/jobs/stage.h"

#define BOBBIN "models/bobbin/bobbin.md5mesh"
#define MACHINE "models/bobbin/bobbin.md5machine"

enum { WIDTH = 1280, HEIGHT = 900 };

// The state that requests change: everything that a user can change except the interface itself.
typedef struct outside {
    view_play play;
    view_camera camera;
    view_shown shown;
    view_lights lights;
    view_parms parms;
    uint64_t hidden_meshes;
    size_t clip;
    bool plays_demo;
} outside;

static outside look_outside(const screen *s)
{
    const view_state *const v = &s->viewer;
    outside o;
    memset(&o, 0, sizeof o);
    memcpy(&o.play, &v->play, sizeof o.play);
    memcpy(&o.camera, &v->cameras.user, sizeof o.camera);
    memcpy(&o.shown, &v->options->shown, sizeof o.shown);
    memcpy(&o.lights, &v->options->lights, sizeof o.lights);
    memcpy(&o.parms, &v->options->parms, sizeof o.parms);
    o.hidden_meshes = v->options->hidden_meshes;
    o.clip = v->document->scene.clip;
    o.plays_demo = v->document->scene.machine.plays_demo;
    return o;
}

// Presses a part of an item; see item_press(). A request does not change the state until it is
// executed.
static view_command press(screen *s, const char *name, float across)
{
    const outside before = look_outside(s);
    const view_command request = item_press(&s->viewer, &s->stage, name, across, 0.5f);
    const outside after = look_outside(s);
    CHECK(s->viewer.ui.held != NULL || memcmp(&before, &after, sizeof before) == 0);
    return request;
}

// Moves the mouse, and returns true if that changes the image.
static bool move(screen *s, float x, float y)
{
    const ui_mouse event = {.x = x, .y = y, .is_moved = true};
    return view_run_ui(&s->viewer.ui, &s->viewer.panels, &s->stage, &event).action != VIEW_NOTHING;
}

static view_command scroll_wheel(screen *s, float x, float y)
{
    const ui_mouse event = {.x = x, .y = y, .wheel = -1};
    return view_run_ui(&s->viewer.ui, &s->viewer.panels, &s->stage, &event);
}

// Drags the pressed item to x, and draws the result.
static void drag(screen *s, float x)
{
    move(s, x, s->viewer.ui.mouse.y);
    screen_draw(s);
}

#define TEST_HERE(title, file) TEST_SCREEN (title, screen_open(s, file, WIDTH, HEIGHT))

TEST_HERE (view_ui_reports_an_unreadable_image, BOBBIN) {
    PERFORM(&s->viewer, VIEW_ASSIGN_TEXTURE, .path = common_copy("/nowhere.png"));
    CHECK_STRING(s->viewer.ui.notice.text,
                 "Cannot read nowhere.png; texture of mesh 0 is unchanged");
    CHECK(strstr(s->viewer.log.error, "/nowhere.png"));
    CHECK(view_mesh_image(&s->viewer.document->textures, 0, MD5GL_IMAGE_DIFFUSE) != NULL);
}

// Returns true if a preview has been drawn.
static bool has_preview(screen *s, const view_thumbnail *preview)
{
    view_update_file_previews(&s->viewer);
    return preview->is_valid;
}

// A folder of ten thousand images: previews are requested only for visible images.
TEST_HERE (view_ui_lists_the_images_of_any_folder, BOBBIN) {
    char *const folder = folder_make();
    char name[32];
    view_browser *const list = &s->viewer.panels.browser;
    const view_thumbnail *const first = s->viewer.ui.pictures;
    for (int i = 0; i < 10000; i++) {
        snprintf(name, sizeof name, "image %d.png", i);
        folder_write_text(folder, name, "");
    }
    folder_write_text(folder, "notes.txt", "");
    PERFORM(&s->viewer, VIEW_FIND_TEXTURE, .number = 1);
    PERFORM(&s->viewer, VIEW_OPEN_FOLDER, .path = common_copy(folder));
    screen_draw(s);
    CHECK_UINT(list->num_found, 10000);
    size_t num_requested = 0;
    for (int i = 0; i < VIEW_MAX_THUMBNAILS; i++)
        num_requested += first[i].request != NULL;
    CHECK(num_requested > 0 && num_requested < 60);
    for (int i = 0; !has_preview(s, first) && CHECK(i < MAX_WAITS); i++)
        view_sleep(0.001);
    CHECK(first->is_wrong && first->texture == 0);
    view_filter_list(list, "9999");
    CHECK_UINT(list->num_found, 1);
    const view_command command = view_key_browser(list, VIEW_KEY_RETURN);
    CHECK(command.action == VIEW_ASSIGN_TEXTURE && command.number == 1);
    free(command.path);
    folder_remove(folder);
}

// The time is proportional to the position on the bar. The ends of the bar are the ends of the
// clip.
TEST_HERE (view_ui_seeks, BOBBIN) {
    const view_rect bar = item_find(&s->viewer, &s->stage, "scrub/time");
    const md5_anim *const anim = view_timing_anim(&s->viewer.document->scene);
    const double length = view_cycle_length(&s->viewer.play, anim);
    CHECK_UINT(press(s, "scrub/play", 0.5f).action, VIEW_PLAY);
    CHECK(item_release(&s->viewer) == NULL);
    CHECK_UINT(press(s, "scrub/time", 0.25f).action, VIEW_HANDLED);
    const double quarter = view_cycle_time(&s->viewer.play, anim);
    CHECK(quarter > 0.2 * length && quarter < 0.3 * length);
    drag(s, bar.x + 2.0f * bar.width);
    CHECK_NEAR(view_cycle_time(&s->viewer.play, anim), length, 1e-9); // not above the end
    drag(s, bar.x);
    CHECK_SMALL(view_cycle_time(&s->viewer.play, anim), 1e-9);
    drag(s, bar.x + 0.25f * bar.width);
    CHECK_NEAR(view_cycle_time(&s->viewer.play, anim), quarter, 1e-9);
    CHECK_STRING(item_release(&s->viewer), "scrub");
    drag(s, bar.x); // no item is held any more
    CHECK_NEAR(view_cycle_time(&s->viewer.play, anim), quarter, 1e-9);
}

// The time of materials can be set ahead of the clip's time, even after the clip has passed the
// default end of the slider.
TEST_HERE (view_ui_sets_parms_of_materials, BOBBIN) {
    s->viewer.options->shown.parm_list = s->viewer.options->shown.light_list = true;
    s->viewer.play.time = 12.0;
    screen_draw(s);
    const float *const burn = &s->viewer.options->parms.values[7];
    CHECK_UINT(press(s, "inspected/7 burn", 0.5f).action, VIEW_HANDLED);
    CHECK(*burn > 1.0f && *burn < 9.0f);
    drag(s, 1e6f);
    CHECK_NEAR(*burn, 10, 1e-5);
    press(s, "inspected/7 burn", 1.04f);
    CHECK(*burn == 0.0f);
    CHECK(view_material_time(&s->viewer.options->parms, s->viewer.play.time) < 20.0f);
    press(s, "inspected/time", 0.5f);
    drag(s, 1e6f);
    drag(s, 1e6f); // the end of the slider does not change during a drag
    CHECK_NEAR(view_material_time(&s->viewer.options->parms, s->viewer.play.time), 20, 1e-4);
    CHECK_EXACT(view_material_time(&s->viewer.options->parms, -100.0), 0);
}

// The parameter follows a curve from 0 to 2 over the 24 frames of a second, unless the user has set
// it.
TEST_HERE (view_parms_follow_curves_of_the_machine, MACHINE) {
    SCOPED_FOLDER folder = folder_make();
    SCOPED_STRING mesh = common_absolute(test_path(BOBBIN));
    SCOPED_STRING walk = common_absolute(test_path("models/bobbin/walk.md5anim"));
    SCOPED_STRING text = common_format("machine M { model \"%s\" clip walk \"%s\" { curve parm7 ( "
                                       "0 0 24 2 ) } layer all { state a walk } }",
                                       mesh, walk);
    SCOPED_STRING path = common_format("%s/parms.md5machine", folder);
    const char *const file = path;
    const view_stage *const shown = &s->stage;
    CHECK_EXACT(view_parm_value(shown, VIEW_FIRST_PARM + 3), 1);
    folder_write_text(folder, "parms.md5machine", text);
    if (CHECK(view_open(&s->viewer, &file, 1, true))) {
        screen_draw(s);
        md5_player *const player = s->viewer.document->scene.machine.player;
        md5_player_reset(player);
        CHECK_EXACT(view_parm_value(shown, VIEW_FIRST_PARM + 7), 0);
        md5_player_advance(player, 0.25, NULL, NULL);
        CHECK_NEAR(view_parm_value(shown, VIEW_FIRST_PARM + 7), 0.5, 1e-6);
        CHECK_EXACT(view_parm_value(shown, VIEW_FIRST_PARM + 3), 1);
        s->viewer.options->parms.values[7] = 5.0f;
        CHECK_EXACT(view_parm_value(shown, VIEW_FIRST_PARM + 7), 5);
    }
}

TEST_HERE (view_ui_sets_parameters, MACHINE) {
    view_machine *const machine = &s->viewer.document->scene.machine;
    const md5_machine_desc *const desc = machine->desc;
    for (uint32_t i = 0; i < desc->num_parameters; i++) {
        const md5_parameter_desc *const parameter = &desc->parameters[i];
        const bool is_float = parameter->kind == MD5_PARAMETER_FLOAT;
        float low, high;
        view_parameter_range(machine->character->machine, parameter->name, &low, &high);
        SCOPED_STRING name = common_format("parameter/%s", parameter->name);
        machine->plays_demo = true;
        const float before = md5_player_get(machine->player, i);
        CHECK_UINT(press(s, name, 0.9999f).action, VIEW_HANDLED);
        CHECK(!machine->plays_demo); // the user has taken over
        if (!is_float)
            CHECK(md5_player_get(machine->player, i) != before);
        // A parameter that follows another value needs time to arrive.
        md5_player_advance(machine->player, 5, NULL, NULL);
        if (is_float)
            CHECK_NEAR(md5_player_get(machine->player, i), high, 1e-3 * (high - low));
        CHECK_STRING(item_release(&s->viewer), "parameter");
    }
}

// Files are reloaded during a drag, and the dragged item does not exist any more.
TEST_HERE (view_ui_survives_reloading_the_drawn_machine, MACHINE) {
    SCOPED_STRING name =
        common_format("parameter/%s", s->viewer.document->scene.machine.desc->parameters[0].name);
    const view_rect row = item_find(&s->viewer, &s->stage, name);
    const char *const path = test_path(BOBBIN);
    CHECK_UINT(press(s, name, 0.99f).action, VIEW_HANDLED);
    CHECK(view_open(&s->viewer, &path, 1, true));
    s->stage = view_build_stage(&s->viewer, WIDTH, HEIGHT);
    const outside before = look_outside(s);
    drag(s, row.x);
    const outside after = look_outside(s);
    CHECK_BYTES(&before, &after, sizeof before);
    CHECK_UINT(item_press_at(&s->viewer, &s->stage, row.x + 1.0f, row.y + 1.0f).action,
               VIEW_HANDLED); // handled only by the dock
}

// A click hits the topmost item: a list covers the panels, and a click on its large preview closes
// the preview.
TEST_HERE (view_ui_hits_the_topmost_item, BOBBIN) {
    const view_scene *const scene = &s->viewer.document->scene;
    s->viewer.options->shown.light_list = true;
    screen_draw(s);
    const view_rect sky = item_find(&s->viewer, &s->stage, "inspected/Sky");
    CHECK(view_open_browser(&s->viewer.panels.browser, VIEW_BROWSE_CLIPS, 0, scene));
    screen_draw(s);
    view_command request = press(s, "list/dance", 0.5f);
    CHECK_UINT(request.action, VIEW_OPEN_CLIP);
    CHECK_STRING(scene->clips[request.number].name, "dance");
    CHECK(view_open_browser(&s->viewer.panels.browser, VIEW_BROWSE_CLIPS, 0, scene));
    move(s, sky.x, sky.y);
    CHECK_STRING(s->viewer.ui.hot.panel, "list");
    const view_rect dance = item_find(&s->viewer, &s->stage, "list/dance");
    s->viewer.panels.browser.selected = 0;
    screen_draw(s); // scrolls to the row
    CHECK_UINT(scroll_wheel(s, dance.x, dance.y).action, VIEW_HANDLED);
    CHECK(s->viewer.ui.scrolls[UI_SCROLL_FILES].wanted > 0.0f);
    CHECK_UINT(press(s, "list/Filter", 0.001f).action, VIEW_HANDLED);
    CHECK_UINT(item_press_at(&s->viewer, &s->stage, sky.x + 0.9f * sky.width, sky.y).action,
               VIEW_LIST_CLOSED);
    CHECK_EXACT(s->viewer.options->lights.values[VIEW_LIGHT_SKY], 1);
    CHECK_UINT(s->viewer.panels.browser.kind, VIEW_BROWSE_NOTHING);
}

TEST_HERE (view_ui_requests_the_entry_selected_in_a_list, BOBBIN) {
    view_browser *const list = &s->viewer.panels.browser;
    const view_scene *const scene = &s->viewer.document->scene;
    const outside before = look_outside(s);
    CHECK_UINT(view_key_browser(list, VIEW_KEY_RETURN).action, VIEW_NOTHING);
    CHECK(view_open_browser(list, VIEW_BROWSE_CLIPS, 0, scene));
    CHECK_UINT(view_key_browser(list, VIEW_KEY_END).action, VIEW_LIST_CHANGED);
    view_command request = view_key_browser(list, VIEW_KEY_RETURN);
    CHECK_UINT(request.action, VIEW_OPEN_CLIP);
    CHECK_UINT(request.number, scene->num_clips - 1);
    CHECK_UINT(list->kind, VIEW_BROWSE_NOTHING);

    CHECK(view_open_browser(list, VIEW_BROWSE_FILES, 0, scene));
    request = view_key_browser(list, VIEW_KEY_BACKSPACE);
    CHECK_UINT(request.action, VIEW_OPEN_FOLDER);
    CHECK(request.path != NULL && common_is_folder(request.path));
    CHECK(view_execute(&s->viewer, request));
    CHECK_UINT(list->kind, VIEW_BROWSE_FILES);
    CHECK_UINT(view_key_browser(list, VIEW_KEY_ESCAPE).action, VIEW_LIST_CLOSED);
    const outside after = look_outside(s);
    CHECK_BYTES(&before, &after, sizeof before);
}

TEST_HERE (view_ui_highlights_hovered_joints, BOBBIN) {
    s->viewer.options->shown.hierarchy = true;
    screen_draw(s);
    const view_scene *const scene = &s->viewer.document->scene;
    SCOPED_STRING name = common_format("joint/%s", scene->skeleton->joints[0].name);
    const view_rect row = item_find(&s->viewer, &s->stage, name);
    CHECK(move(s, row.x + 1.0f, row.y + 1.0f));
    CHECK(view_marked_joint(&s->viewer.ui, scene) == 0);
    CHECK_UINT(press(s, name, 0.5f).action, VIEW_JOINT_SELECTED);
    CHECK(s->viewer.ui.selection.joint == 0);
    CHECK_UINT(press(s, name, 0.5f).action, VIEW_JOINT_SELECTED);
    CHECK(s->viewer.ui.selection.joint == 0); // still
    s->viewer.ui.selection.joint = -1;
    CHECK(move(s, 0.5f * (float)WIDTH, row.y));
    CHECK(view_marked_joint(&s->viewer.ui, scene) == -1);
    CHECK_UINT(scroll_wheel(s, row.x, row.y).action, VIEW_HANDLED);
}

// A click within a dock, even next to its rows, does not reach the body behind the dock.
// A note at the lower edge is above the mouse, and a note at the right edge is moved to the left.
TEST_HERE (view_notes_are_in_the_window, BOBBIN) {
    static const ui_line lines[] = {{VIEW_PLAIN, "a note"}, {VIEW_PLAIN, "of two lines"}};
    static const md5_vec2 points[] = {
        {100, 100}, {WIDTH - 2, 100}, {100, HEIGHT - 2}, {WIDTH - 2, HEIGHT - 2}};
    view_canvas *const canvas = s->viewer.ui.canvas;
    for (size_t i = 0; i < COUNT_OF(points); i++) {
        const float y = points[i].y;
        view_clear_canvas(canvas);
        ui_note(&s->viewer.ui, points[i].x, y, y, lines, COUNT_OF(lines));
        float low = HEIGHT;
        float high = 0;
        float right = 0;
        for (uint32_t k = 0; k < canvas->count; k++) {
            low = fminf(low, canvas->vertices[k].y);
            high = fmaxf(high, canvas->vertices[k].y);
            right = fmaxf(right, canvas->vertices[k].x);
        }
        CHECK(canvas->count > 0 && low >= 0 && right < (float)WIDTH);
        CHECK(i < 2 ? low > y - 3 && high < (float)HEIGHT : high < y);
    }
}

TEST_HERE (view_ui_docks_take_clicks, BOBBIN) {
    const view_rect row = item_find(&s->viewer, &s->stage, "figures/bobbin");
    const float y = row.y + 0.5f * row.height;
    CHECK_UINT(item_press_at(&s->viewer, &s->stage, row.x - 4.0f, y).action, VIEW_HANDLED);
    CHECK_UINT(item_press_at(&s->viewer, &s->stage, 0.5f * (float)WIDTH, y).action, VIEW_NOTHING);
    s->viewer.options->shown.panel = false;
    screen_draw(s);
    CHECK_UINT(item_press_at(&s->viewer, &s->stage, row.x - 4.0f, y).action, VIEW_NOTHING);
}

// -- Keys and switches ----------------------------------------------------------------------------

// Keys and switches. A switch is one entry in the table of options, which defines its command-line
// option, its key, its entries in all lists for users, and its word in the debug line. The tests of
// switches iterate over the table, so new entries are tested without changes here.

// -- Keys -----------------------------------------------------------------------------------

static void switches_press(view_state *viewer, int32_t key)
{
    bool redraw = false;
    const view_input event = {.kind = VIEW_INPUT_KEY_DOWN,
                              .key = key & ~VIEW_KEY_FLAGS,
                              .shift = (key & VIEW_WITH_SHIFT) != 0,
                              .control = (key & VIEW_WITH_CTRL) != 0};
    view_handle_event(viewer, &event, &redraw);
}

// Nothing is loaded from the file, so only switches that need no data are tested.
TEST_HERE (view_keys_of_switches_toggle_their_fields, BOBBIN) {
    size_t num_keys = 0;
    view_menu_entries list;
    view_list_menu_entries(&list);
    const view_menu_entry *const *const rows = list.entries;
    const size_t count = list.count;
    s->viewer.log.level = VIEW_QUIET;
    for (size_t i = 0; i < count; i++) {
        for (int j = 0; rows[i]->action == VIEW_TOGGLE && view_get_option(rows[i])->word != NULL
                        && j < VIEW_MAX_KEYS && rows[i]->keys[j] != 0
                        && view_missing_needs(&s->stage, rows[i]) == 0;
             j++) {
            // Presses the key twice, and checks all switches after each press.
            const view_shown before = s->viewer.options->shown;
            view_shown changed = before;
            bool *const field = view_switch_field(view_get_option(rows[i]), &changed);
            *field = !*field;
            switches_press(&s->viewer, rows[i]->keys[j]);
            CHECK_THAT(memcmp(&s->viewer.options->shown, &changed, sizeof changed) == 0,
                       "the key of %s does not turn its switch, or turns another", rows[i]->label);
            switches_press(&s->viewer, rows[i]->keys[j]);
            CHECK_THAT(memcmp(&s->viewer.options->shown, &before, sizeof before) == 0,
                       "the key of %s does not turn its switch back", rows[i]->label);
            num_keys++;
        }
    }
    CHECK(num_keys >= 18);
}

// A key has one meaning, or a second one while a character is driven.
TEST (view_keys_have_one_meaning) {
    view_menu_entries list;
    view_list_menu_entries(&list);
    const view_menu_entry *const *const rows = list.entries;
    const size_t count = list.count;
    for (size_t i = 0; i < count; i++) {
        for (int j = 0; j < VIEW_MAX_KEYS && rows[i]->keys[j] != 0; j++) {
            for (int shifted = 0; shifted < 2; shifted++) {
                const int32_t key = rows[i]->keys[j];
                const bool ignores_shift = (key & VIEW_WITH_ANY) != 0;
                int32_t pressed = key & ~VIEW_WITH_ANY;
                if (ignores_shift && shifted)
                    pressed |= VIEW_WITH_SHIFT;
                const view_menu_entry *const found = view_is_driving(rows[i]->action)
                                                         ? view_find_control(pressed)
                                                         : view_find_shortcut(pressed);
                CHECK_THAT(found == rows[i], "a key of %s does something else", rows[i]->label);
            }
        }
    }
}

// -- Menus ----------------------------------------------------------------------------------

// Options without a menu item: selections of dialogs and lists, tasks of the program, and options
// that only the settings have.
TEST (view_each_option_is_in_a_menu) {
    static const char other_characters[] =
        " game base texture normal-map specular-map glow-map hide animation-index "
        "no-background output sheet clips labels turntable samples frames thumbnail "
        "resolution no-render config no-config list-bindings help man version completions walk "
        "camera-orthographic parm lights verbose frame-rate skinning-path open-last "
        "retarget-map retarget-pairs retarget-layout ";
    for (size_t i = 0; i < view_num_options; i++) {
        SCOPED_STRING name = common_format(" %s ", view_option_rows[i].name);
        CHECK_THAT(view_get_entry(&view_option_rows[i]) != NULL
                       || strstr(other_characters, name) != NULL,
                   "no menu has --%s", view_option_rows[i].name);
    }
}

TEST (view_each_command_has_its_option) {
    view_menu_entries list;
    view_list_menu_entries(&list);
    const view_menu_entry *const *const rows = list.entries;
    const size_t count = list.count;
    for (size_t i = 0; i < count; i++) {
        const bool has_option = rows[i]->action == VIEW_TOGGLE || rows[i]->action == VIEW_ASK
                                || rows[i]->list == VIEW_LIST_WORDS;
        const view_option *const option = view_get_option(rows[i]);
        CHECK_THAT(!has_option || option != NULL, "%s: no such option", rows[i]->label);
        if (rows[i]->action == VIEW_TOGGLE || rows[i]->list == VIEW_LIST_WORDS)
            CHECK_THAT(view_count_choices(option) >= 2, "%s: no values to choose from",
                       rows[i]->label);
    }
}

// A label names the effect from the user's point of view. The label of a switch names the state
// when it is ticked.
TEST (view_labels_name_the_effect) {
    view_menu_entries list;
    view_list_menu_entries(&list);
    const view_menu_entry *const *const rows = list.entries;
    const size_t count = list.count;
    for (size_t i = 0; i < count; i++) {
        const view_menu_entry *const row = rows[i];
        const char *const label = view_get_label(row);
        const char *const menu = view_menu_names[row->menu];
        const view_option *const option = view_get_option(row);
        const bool asks = strstr(label, "\xE2\x80\xA6") != NULL;
        const bool has_list = row->list != VIEW_LIST_NONE && row->action != VIEW_ASK;
        const bool is_first =
            i == 0 || rows[i - 1]->menu != row->menu
            || strncmp(rows[i - 1]->label, row->label, strcspn(row->label, "/")) != 0;
        if (row->menu >= VIEW_NUM_MENUS)
            continue;
        SCOPED_STRING words = common_format(" %s ", label);
        SCOPED_STRING group = common_format("%.*s", (int)(label - row->label), row->label);
        CHECK_THAT(strstr(words, " no ") == NULL && strstr(words, " yes ") == NULL
                       && strstr(words, "--") == NULL,
                   "%s: not a word of menus", label);
        if (option != NULL && option->kind <= COMMON_OPPOSITE)
            CHECK_THAT(strchr(label, ',') == NULL && strstr(label, " or ") == NULL, "%s: a switch",
                       label);
        CHECK_THAT(strcmp(label, menu) != 0 || !has_list, "%s: a menu in itself", label);
        CHECK_THAT(strncmp(group, menu, strlen(menu)) != 0 || group[strlen(menu)] != '/',
                   "%s: a menu in itself", row->label);
        if (is_first && label != row->label && !asks)
            CHECK_THAT(strncmp(group, label, strlen(label)) != 0 || group[strlen(label)] != '/',
                       "%s: its first row is called as all", row->label);
        if (row->action == VIEW_ASK)
            CHECK_THAT(asks || strstr(group, "\xE2\x80\xA6/") != NULL, "%s: it asks", label);
        else
            CHECK_THAT(!asks || (row->action != VIEW_SET && !has_list), "%s: asks nothing", label);
        for (size_t k = 0; k < i; k++)
            CHECK_THAT(rows[k]->menu != row->menu || strcmp(view_get_label(rows[k]), label) != 0,
                       "two commands are called %s", label);
    }
}

// Sends a key or a text to the interface.
static view_command send_key(screen *s, int32_t key, const char *text)
{
    const ui_mouse event = {.key = key, .text = text};
    const view_command command = view_run_ui(&s->viewer.ui, &s->viewer.panels, &s->stage, &event);
    screen_draw(s);
    return command;
}

static void search_for(screen *s, const char *words)
{
    view_open_menu(&s->viewer.ui, &s->viewer.panels.menu, VIEW_MENU_SEARCH, 0.0f, 0.0f);
    screen_draw(s);
    send_key(s, 0, words);
}

// Returns true if the search for `words` lists the entry `line` first. In the list of items, the
// first entry follows the search field, its box and the items next to them.
static bool finds_first(screen *s, const char *words, const char *line)
{
    SCOPED_STRING name = common_format("menu/%s", line);
    const float height = s->viewer.drawing.font.line[VIEW_TEXT];
    search_for(s, words);
    const view_rect found = item_find(&s->viewer, &s->stage, name);
    return CHECK_STRING(s->viewer.ui.item.panel, "menu")
           && CHECK_THAT(found.width > 0.0f && found.y < 6.0f + 2.5f * height,
                         "%s: %s is not the first", words, line);
}

static bool has_command(const char *label)
{
    view_menu_entries list;
    view_list_menu_entries(&list);
    const view_menu_entry *const *const rows = list.entries;
    const size_t count = list.count;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(view_get_label(rows[i]), label) == 0)
            return true;
    }
    return false;
}

TEST_HERE (view_search_finds_common_queries, BOBBIN) {
    STRINGS(cases) = {
        "undo=Undo",
        "glb=Export\xE2\x80\xA6",
        "game=Game contents",
        "warnings=Problems",
        "bones=Outliner",
        "wireframe=Wireframe",
        "gif=Export\xE2\x80\xA6",
        "hdr=Environment map\xE2\x80\xA6",
        "background=Background\xE2\x80\xA6",
        "colour=Background\xE2\x80\xA6",
        "settings=Settings\xE2\x80\xA6",
        "preferences=Settings\xE2\x80\xA6",
        "clothes=Add outfit\xE2\x80\xA6",
        "weapon=Attach model\xE2\x80\xA6",
        "retarget=Retarget to\xE2\x80\xA6",
        "shadows=Shadows",
        "hide=Hide selection",
        "screenshot=Save screenshot",
        "record=Record movie",
        "loop=At clip end",
        "bind=Bind pose",
        "fps=Frame time",
        "fit=Frame all",
        "uv=Shading",
        "keys=Keyboard shortcuts",
        "quit=Quit",
        "text=Text size\xE2\x80\xA6",
        "slow=Speed\xE2\x80\xA6",
        "mesh=Find joint, mesh, clip\xE2\x80\xA6",
        "terrain=Ground",
        "reset=Reset all",
        "forget=Settings\xE2\x80\xA6",
        "import animation=Open\xE2\x80\xA6",
        "hdri=Environment map\xE2\x80\xA6",
        "bone names=Outliner",
        "autoplay=Play",
        "shape keys=Morph targets\xE2\x80\xA6",
        "vertex groups=Shading",
        "backface culling=Show back faces",
        "matcap=Untextured (clay)",
        "x-ray=Skeleton",
        "dope sheet=Clip list",
        "graph editor=Curves",
        "animator=State graph",
        "blend tree=State graph",
        "avatar=Retarget to\xE2\x80\xA6",
        "gizmo=Axes",
        "skybox=Environment map\xE2\x80\xA6",
        "profiler=Frame time",
        "console=Problems",
        "metadata=Statistics",
        "up direction=Up axis",
        "green screen=Background\xE2\x80\xA6",
        "render animation=Export\xE2\x80\xA6",
        "timeline=Go to frame\xE2\x80\xA6",
        "movie format=Movie format",
        "clear stored settings=Clear stored settings of this model",
        "hide ui=Panels",
        "key light=Lights\xE2\x80\xA6",
        "brighter=Lights\xE2\x80\xA6",
        "swap texture=Textures\xE2\x80\xA6",
        "load a texture=Textures\xE2\x80\xA6",
        "black=Problems",
        "save as=Export\xE2\x80\xA6",
        "load clip=Open\xE2\x80\xA6",
        "compare animations=Compare with\xE2\x80\xA6",
        "look at joint=Find joint, mesh, clip\xE2\x80\xA6",
        "reset everything=Reset all",
        "restore defaults=Reset all",
        "front view=Front",
        "hotkeys=Keyboard shortcuts",
        "fullscreen=Full screen",
        "smooth shading=Shading",
        "dopesheet=Clip list",
        "action editor=Clip list",
        "nla=Clip list",
        "parent=Outliner",
        "ik=Lessons",
        "course=Lessons",
        "material preview=Shading",
        "rendered=Shading",
        "influence=Select joint\xE2\x80\xA6",
        "lod=Simplify up to (px)",
        "clones=Crowd\xE2\x80\xA6",
        "world background=Background\xE2\x80\xA6",
        "hide selected=Hide selection",
        "frame selected=Frame selection",
        "zoom extents=Frame all",
        "n panel=Inspector",
        "dimensions=Bounding box",
        "ruler=Measure distance",
        "collision=Joint bounds",
        "directional light=Lights\xE2\x80\xA6",
        "point light=Lights\xE2\x80\xA6",
        "intensity=Lights\xE2\x80\xA6",
        "ambient=Lights\xE2\x80\xA6",
        "emissive=Textures\xE2\x80\xA6",
        "export texture=Textures\xE2\x80\xA6",
        "texture not found=Textures\xE2\x80\xA6",
        "pink=Problems",
        "why is my model black=Problems",
        "black model=Problems",
        "apply root motion=Root motion",
        "quick animations=Export\xE2\x80\xA6",
        "frame rate=Export\xE2\x80\xA6",
        "resolution=Export\xE2\x80\xA6",
        "print screen=Save screenshot",
        "render image=Save screenshot",
        "alpha channel=Save screenshot without background",
        "helmet=Attach model\xE2\x80\xA6",
        "equip=Attach model\xE2\x80\xA6",
        "return to default=Reset all",
        "default settings=Reset all",
        "keymap=Keyboard shortcuts",
        "cheatsheet=Keyboard shortcuts",
        "drag and drop=Open\xE2\x80\xA6",
        "grid lines=Grid",
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *const label = strchr(cases[i], '=') + 1;
        SCOPED_STRING words = common_format("%.*s", (int)(label - cases[i] - 1), cases[i]);
        CHECK_THAT(has_command(label), "%s", label);
        CHECK_THAT(finds_first(s, words, label) && s->viewer.ui.item.number <= 3 + 7,
                   "%s: %u lines", words, s->viewer.ui.item.number - 3);
    }
}

// Words that are common to most commands may be missing in the entry. An entry that contains the
// phrase is preferred to an entry that contains the separate words.
TEST_HERE (view_search_ignores_common_words, BOBBIN) {
    STRINGS(cases) = {
        "show joints=Skeleton",
        "hide the skeleton=Skeleton",
        "turn on shadows=Shadows",
        "open model=Open\xE2\x80\xA6",
        "change texture=Textures\xE2\x80\xA6",
        "how to measure=Measure distance",
        "view all=Frame all",
        "show all=Show all meshes",
        "select all=Select joint\xE2\x80\xA6",
        "hide all=Hide selection",
        "open the model=Open\xE2\x80\xA6",
        "open my model=Open\xE2\x80\xA6",
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *const label = strchr(cases[i], '=') + 1;
        SCOPED_STRING words = common_format("%.*s", (int)(label - cases[i] - 1), cases[i]);
        CHECK_THAT(has_command(label), "%s", label);
        CHECK(finds_first(s, words, label));
    }
}

// A search without results, and a search for a missing feature, show messages that Enter does not
// run.
TEST_HERE (view_search_does_not_run_messages, BOBBIN) {
    STRINGS(cases) = {
        "xyzzy=No matches",
        "sahdows=Did you mean: Shadows",
        "rename=Renaming joints, meshes and shaders: md5tool fix --rename OLD=NEW",
        "rename bones=Renaming joints, meshes and shaders: md5tool fix --rename OLD=NEW",
        "manual=Manual: md5view --man; F1 lists all shortcuts",
        "delete mesh=Models are not edited here",
        "export fbx=FBX, DAE, SMD, PSK, VRM and BVH can only be imported",
        "export psk=FBX, DAE, SMD, PSK, VRM and BVH can only be imported",
        "about=Version: md5view --version",
        "dark mode=The interface has one theme",
        "field of view=The field of view is fixed",
        "units=Scaling a model and its clips: md5tool fix --scale FACTOR",
        "dark theme=The interface has one theme",
        "ambient occlusion=Ambient occlusion is not supported",
        "fly mode=Mouse: left drag orbits",
        "orbit=Mouse: left drag orbits",
        "isolate=Isolating a mesh: right-click the mesh",
        "local view=Isolating a mesh: right-click the mesh",
        "anti aliasing=Anti-aliasing: md5view --samples N",
        "tone mapping=Effects after drawing",
        "ray tracing=Effects after drawing",
        "metallic=Materials have diffuse, normal",
        "vertex colors=Only files of version 12 have vertex colors",
        "extract textures=Textures are separate files",
        "language=The interface is in English",
        "new window=A second window",
        "save project=The settings of each model are stored",
        "plugins=Plug-ins are not supported",
        "subdivision modifier=Models are not edited here",
        "add constraint=Models are not edited here",
        "flip normals=Turning triangles that face inwards",
        "apply scale=Scaling a model and its clips",
        "mirror model=Mirroring a model and its clips",
        "stl=This format is not supported",
        "3d print=This format is not supported",
        "volume rendering=Only triangle meshes are supported",
        "mixed reality=Stickers and mixed reality",
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *const message = strchr(cases[i], '=') + 1;
        SCOPED_STRING words = common_format("%.*s", (int)(message - cases[i] - 1), cases[i]);
        SCOPED_STRING name = common_format("menu/%s", message);
        search_for(s, words);
        CHECK_THAT(item_find(&s->viewer, &s->stage, "menu/No matches").width > 0.0f, "%s", words);
        CHECK_THAT(item_find(&s->viewer, &s->stage, name).width > 0.0f, "%s: %s", words, message);
        SCOPED_STRING before =
            view_write_settings(s->viewer.options, NULL, VIEW_SCOPE_WINDOW, VIEW_SCOPE_CAMERA);
        const view_command command = send_key(s, VIEW_KEY_RETURN, NULL);
        CHECK_THAT(command.action == VIEW_NOTHING || command.action == VIEW_HANDLED, "%s runs %s",
                   words, view_action_name(command.action));
        SCOPED_STRING after =
            view_write_settings(s->viewer.options, NULL, VIEW_SCOPE_WINDOW, VIEW_SCOPE_CAMERA);
        CHECK_STRING(after, before);
    }
    // A click on a suggestion enters it as the search text.
    search_for(s, "sahdows");
    (void)press(s, "menu/Did you mean", 0.5f);
    CHECK_STRING(s->viewer.panels.menu.text, "Shadows");
}

// Recently used entries are listed before similar ones.
TEST_HERE (view_search_lists_recently_used_entries_first, BOBBIN) {
    finds_first(s, "text", "Text size\xE2\x80\xA6");
    finds_first(s, "this model remembered", "Clear stored settings of this model");
    search_for(s, "smaller text");
    CHECK_UINT(send_key(s, VIEW_KEY_RETURN, NULL).action, VIEW_SMALLER_TEXT);
    search_for(s, "zoom font");
    CHECK_UINT(send_key(s, VIEW_KEY_RETURN, NULL).action, VIEW_SMALLER_TEXT);
}

// A menu that is higher than the space below the bar scrolls, and begins below the bar.
TEST_HERE (view_menus_of_a_small_window_do_not_cover_the_bar, BOBBIN) {
    static const struct {
        const char *name;
        const char *first_line;
    } cases[] = {
        {"bar/View", "menu/Panels"},
        {"bar/Model", "menu/Skin\xE2\x80\xA6"},
        {"bar/Animation", "menu/Play"},
    };
    view_state *const viewer = &s->viewer;
    const view_stage small = item_draw(viewer, 640.0f, 480.0f);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const view_rect name = item_find(viewer, &small, cases[i].name);
        CHECK_UINT(item_press(viewer, &small, cases[i].name, 0.5f, 0.5f).action, VIEW_HANDLED);
        item_release(viewer);
        const view_rect line = item_find(viewer, &small, cases[i].first_line);
        CHECK(name.height > 0.0f && line.height > 0.0f);
        CHECK_THAT(line.y >= name.y + name.height, "%s", cases[i].name);
        view_close_menu(&viewer->ui, &viewer->panels.menu);
    }
}

TEST_HERE (view_menus_toggle_switches_and_select_values, BOBBIN) {
    static const struct {
        const char *option;
        const char *group;
        const char *line;
        const char *text;
    } cases[] = {
        {"watch", "", "menu/Reload when files change", "yes"},
        {"watch", "", "menu/Reload when files change", "no"},
        {"no-auto", "", "menu/Load clips from the model's folder", "yes"},
        {"terrain", "Ground", "menu/stairs", "stairs"},
        {"skinning", "", "menu/Dual-quaternion skinning", "dual"},
        {"root", "Root motion", "menu/in place", "in_place"},
        {"loop", "At clip end", "menu/blend into start", "cycle"},
        {"shading", "Shading", "menu/UV grid", "uv"},
        {"light", "Style", "menu/classic", "classic"},
    };
    view_state *const viewer = &s->viewer;
    viewer->play.time = 0.3;
    const double expected =
        view_frame_position(&viewer->play, view_timing_anim(&viewer->document->scene));
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const view_option *const option =
            view_find_option(cases[i].option, strlen(cases[i].option));
        view_open_menu(&viewer->ui, &viewer->panels.menu, VIEW_MENU_OF_BAR, 0.0f, 20.0f);
        viewer->panels.menu.row = view_get_entry(option);
        viewer->panels.menu.menu = viewer->panels.menu.row->menu;
        COMMON_TEXT(viewer->panels.menu.group, "%s", cases[i].group);
        screen_draw(s);
        view_execute(viewer, item_press(viewer, &s->stage, cases[i].line, 0.5f, 0.5f));
        SCOPED_STRING text = view_write_option(option, viewer->options);
        CHECK_STRING(text, cases[i].text);
    }
    const md5_anim *const anim = view_timing_anim(&viewer->document->scene);
    CHECK_NEAR(view_frame_position(&viewer->play, anim), expected, 1e-6);
}

// Opens the submenu of an option, and rests the mouse on one of its lines.
static void show_tooltip(screen *s, const view_menu_entry *row, const char *line)
{
    view_state *const viewer = &s->viewer;
    view_open_menu(&viewer->ui, &viewer->panels.menu, VIEW_MENU_OF_BAR, 0.0f, 20.0f);
    viewer->panels.menu.row = row;
    viewer->panels.menu.menu = row->menu;
    COMMON_TEXT(viewer->panels.menu.group, "%s", row->label);
    screen_draw(s);
    const view_rect box = item_find(viewer, &s->stage, line);
    move(s, box.x + 0.5f * box.width, box.y + 0.5f * box.height);
    screen_draw(s);
}

TEST_HERE (view_previews_the_hovered_value_and_restores_it, BOBBIN) {
    view_state *const viewer = &s->viewer;
    const view_option *const surface = view_find_option("shading", 7);
    view_store_step(viewer);
    show_tooltip(s, view_get_entry(surface), "menu/UV grid");
    CHECK(!view_update_hover_preview(viewer)); // not immediately
    viewer->uptime += 0.2;
    CHECK(view_update_hover_preview(viewer) && !view_update_hover_preview(viewer));
    CHECK_UINT(viewer->options->surface, VIEW_SURFACE_UV);
    view_store_step(viewer);
    CHECK_UINT(viewer->undo.num_steps, 1); // the value was not selected
    view_close_menu(&viewer->ui, &viewer->panels.menu);
    screen_draw(s);
    CHECK(view_update_hover_preview(viewer));
    CHECK_UINT(viewer->options->surface, VIEW_SURFACE_LIT);

    // A value that is selected, not only previewed, remains. It is one undo step.
    show_tooltip(s, view_get_entry(surface), "menu/Weights");
    viewer->uptime += 0.2;
    CHECK(view_update_hover_preview(viewer));
    view_execute(viewer, item_press(viewer, &s->stage, "menu/Weights", 0.5f, 0.5f));
    view_store_step(viewer);
    CHECK_UINT(viewer->undo.num_steps, 2);
    screen_draw(s);
    CHECK(!view_update_hover_preview(viewer));
    CHECK_UINT(viewer->options->surface, VIEW_SURFACE_WEIGHTS);
}

TEST_HERE (view_shows_the_hovered_clip, BOBBIN) {
    view_state *const viewer = &s->viewer;
    const size_t clip = viewer->document->scene.clip;
    const size_t another = clip != 2 ? 2 : 3;
    view_menu_entries list;
    view_list_menu_entries(&list);
    const view_menu_entry *const *row = list.entries;
    while ((*row)->list != VIEW_LIST_CLIPS)
        row++;
    viewer->play.time = 0.3;
    SCOPED_STRING line = common_format("menu/%s", viewer->document->scene.clips[another].name);
    show_tooltip(s, *row, line);
    viewer->uptime += 0.2;
    CHECK(view_update_hover_preview(viewer));
    CHECK_UINT(viewer->document->scene.clip, another);
    view_close_menu(&viewer->ui, &viewer->panels.menu);
    screen_draw(s);
    CHECK(view_update_hover_preview(viewer));
    CHECK_UINT(viewer->document->scene.clip, clip);
    CHECK_NEAR(viewer->play.time, 0.3, 1e-9);
}

// The parent and the number of vertices are counted manually in the file.
TEST_HERE (view_lists_joints_with_their_parents_and_vertices, BOBBIN) {
    view_state *const viewer = &s->viewer;
    const md5_mesh *const mesh = viewer->document->scene.model->meshes;
    uint32_t count = 0;
    for (uint32_t v = 0; v < mesh->num_file_vertices; v++) {
        for (uint32_t i = mesh->first_influence[v]; i < mesh->first_influence[v + 1]; i++)
            count +=
                strcmp(viewer->document->scene.skeleton->joints[mesh->influence_joints[i]].name,
                       "tail_6")
                == 0;
    }
    CHECK(count > 0);
    PERFORM(viewer, VIEW_ASK, view_option_index(VIEW_OPTION(joint)));
    COMMON_TEXT(viewer->panels.card.filter, "tail_6");
    viewer->panels.card.opened = view_find_option("joint", 5);
    screen_draw(s);
    SCOPED_STRING expected = common_format("tail_5" VIEW_DOT "%u vertices", count);
    const view_rect row = item_find(viewer, &s->stage, "card/tail_6");
    move(s, row.x + 0.5f * row.width, row.y + 0.5f * row.height);
    CHECK_STRING(viewer->ui.tooltip.text, expected); // even if it does not fit into the row
    CHECK_STRING(viewer->document->scene.skeleton->joints[viewer->ui.selection.hovered_joint].name,
                 "tail_6");
}

TEST_HERE (view_hides_the_selection_and_shows_all, BOBBIN) {
    view_state *const viewer = &s->viewer;
    PERFORM(viewer, VIEW_HIDE_SELECTION); // nothing is selected
    CHECK(viewer->options->hidden_meshes == 0);
    viewer->ui.selection.mesh = 1;
    PERFORM(viewer, VIEW_HIDE_SELECTION);
    CHECK(viewer->options->hidden_meshes == 2);
    PERFORM(viewer, VIEW_SHOW_MESHES);
    CHECK(viewer->options->hidden_meshes == 0);
}

TEST_HERE (view_camera_returns_from_a_jump_repeatedly, BOBBIN) {
    view_state *const viewer = &s->viewer;
    const view_camera first = viewer->cameras.user;
    PERFORM(viewer, VIEW_TOP);
    CHECK(viewer->cameras.user.elevation == 90.0f);
    PERFORM(viewer, VIEW_PREVIOUS_VIEW);
    CHECK(memcmp(&viewer->cameras.user, &first, sizeof first) == 0);
    PERFORM(viewer, VIEW_PREVIOUS_VIEW);
    CHECK(viewer->cameras.user.elevation == 90.0f);
}

TEST_HERE (view_menus_explain_disabled_commands, BOBBIN) {
    search_for(s, "State graph");
    CHECK_UINT(send_key(s, VIEW_KEY_RETURN, NULL).action, VIEW_HANDLED);
    CHECK_STRING(s->viewer.ui.notice.text, "State graph: Requires a state machine");
}

TEST_HERE (view_tab_reaches_items_and_return_presses_them, BOBBIN) {
    screen_draw(s);
    for (int i = 0; i < 400
                    && !(s->viewer.ui.focus.item.panel != NULL
                         && strcmp(s->viewer.ui.focus.item.panel, "bar") == 0);
         i++)
        send_key(s, VIEW_KEY_TAB, NULL);
    CHECK_STRING(s->viewer.ui.focus.item.panel, "bar");
    CHECK_UINT(send_key(s, VIEW_KEY_RETURN, NULL).action, VIEW_HANDLED);
    CHECK_UINT(s->viewer.panels.menu.kind, VIEW_MENU_OF_BAR);
}

// Presses F6, with Shift if `is_back`. Returns the panel with the focus, or "".
static const char *next_panel(screen *s, bool is_back)
{
    const view_ui *const ui = &s->viewer.ui;
    const ui_mouse event = {.key = VIEW_KEY_F(6), .shift = is_back};
    view_run_ui(&s->viewer.ui, &s->viewer.panels, &s->stage, &event);
    screen_draw(s);
    return ui->focus.item.panel != NULL ? ui->focus.item.panel : "";
}

// F6 visits the panels around the image. It skips the headers of docks and the sections in them.
TEST_HERE (view_f6_visits_the_first_item_of_each_dock, BOBBIN) {
    STRINGS(panels) = {"search", "figures", "scrub", "bar", ""};
    enum { NUM_PANELS = COUNT_OF(panels) };
    uint32_t first_items[NUM_PANELS];
    screen_draw(s);
    for (uint32_t i = 0; i < 2 * NUM_PANELS; i++) {
        CHECK_STRING(next_panel(s, false), panels[i % NUM_PANELS]);
        first_items[i % NUM_PANELS] = s->viewer.ui.focus.item.number;
    }
    for (uint32_t i = NUM_PANELS - 1; i-- > 0;) { // Shift+F6 skips the state without a focus
        CHECK_STRING(next_panel(s, true), panels[i]);
        CHECK_UINT(s->viewer.ui.focus.item.number, first_items[i]);
    }
    send_key(s, VIEW_KEY_TAB, NULL);
    CHECK_STRING(s->viewer.ui.focus.item.panel, "mesh");
    CHECK_STRING(next_panel(s, true), "bar"); // also from the second panel of a dock
}

// -- Options while the window is open -------------------------------------------------------

// Sets an option as its dialog does.
static bool set(screen *s, const char *name, const char *text)
{
    const view_option *const option = view_find_option(name, strlen(name));
    return view_set_option(&s->viewer, option, common_text_value(text));
}

TEST_HERE (view_options_can_be_set_in_the_window, BOBBIN) {
    const view_document *const before = s->viewer.document;
    CHECK(set(s, "animation-speed-factor", "-2"));
    CHECK(s->viewer.play.backward && s->viewer.play.speed == 2.0);
    CHECK(set(s, "joint", "head"));
    CHECK(s->viewer.ui.selection.joint
          == (int32_t)md5_find_joint(s->viewer.document->scene.skeleton, "head"));
    const md5_anim *const anim = view_timing_anim(&s->viewer.document->scene);
    CHECK(set(s, "animation-time", "0.5s"));
    CHECK_NEAR(s->viewer.play.time, 0.5, 1e-9);
    CHECK(set(s, "animation-time", "12"));
    CHECK_NEAR(view_frame_position(&s->viewer.play, anim), 12, 1e-6);
    CHECK(set(s, "animation-time", "7f"));
    CHECK(!set(s, "animation-time", "3x") && !set(s, "animation-time", "s"));
    CHECK(!set(s, "animation-time", "nan"));
    CHECK_NEAR(view_frame_position(&s->viewer.play, anim), 7, 1e-6);
    CHECK(s->viewer.document == before);
}

TEST_HERE (view_companions_can_be_added_and_removed_in_the_window, BOBBIN) {
    CHECK(set(s, "compare", "models/bobbin/walk.md5anim"));
    CHECK(s->viewer.document->compare.owned_anim);
    CHECK(set(s, "retarget", "models/thimble/thimble.md5mesh"));
    CHECK(s->viewer.document->companions[VIEW_RETARGETED].model);
    CHECK(set(s, "retarget", ""));
    CHECK(!s->viewer.document->companions[VIEW_RETARGETED].model);
    CHECK(set(s, "crowd", "5"));
    CHECK_UINT(s->viewer.document->crowd.count, 5);
}

TEST_HERE (view_wrong_values_change_nothing, BOBBIN) {
    s->viewer.log.level = VIEW_QUIET;
    CHECK(!set(s, "crowd", "many"));
    CHECK_UINT(s->viewer.options->crowd, 0);
    CHECK(!set(s, "retarget", "no/such.md5mesh"));
    CHECK(!s->viewer.options->retarget);
    CHECK_STRING(s->viewer.document->scene.name, "bobbin");
}

// -- Entries of the table -------------------------------------------------------------------

// view_shown consists of switches only.
TEST (view_each_switch_has_one_row) {
    const size_t count = view_num_options;
    const view_option *const table = view_option_rows;
    view_shown shown = {0};
    for (size_t i = 0; i < count; i++) {
        const bool is_switch = table[i].kind == COMMON_SWITCH || table[i].kind == COMMON_OPPOSITE
                               || table[i].kind == COMMON_EITHER;
        if (table[i].word == NULL) {
            CHECK_THAT(table[i].default_state == VIEW_OFF_BY_DEFAULT, "--%s is no switch",
                       table[i].name);
            continue;
        }
        bool *const field = view_switch_field(&table[i], &shown);
        CHECK_THAT(is_switch && !*field, "--%s sets what another option sets", table[i].name);
        *field = true;
    }
    for (size_t i = 0; i < sizeof shown / sizeof(bool); i++)
        CHECK_THAT(((const bool *)&shown)[i], "switch %zu has no option", i);
}

TEST (view_switches_have_defaults_until_given) {
    char *picture[] = {"--output=a.png"};
    char *given[] = {"--output=a.png", "--no-background", "--panel",     "--grid",
                     "--no-maps",      "--no-shadow=no",  "--frame-time"};
    view_options options;
    char problem[256];
    CHECK(view_read_options(0, NULL, &options, problem, sizeof problem));
    CHECK(!options.shown.grid && options.shown.panel && !options.shown.frame_time);
    CHECK(options.shown.maps && options.shown.shadows && !options.shown.edges);
    view_free_options(&options);
    CHECK(view_read_options(1, picture, &options, problem, sizeof problem));
    CHECK(!options.shown.grid && !options.shown.panel && !options.shown.frame_time);
    view_free_options(&options);
    CHECK(view_read_options(7, given, &options, problem, sizeof problem));
    CHECK(options.shown.grid && options.shown.panel && options.shown.frame_time);
    CHECK(!options.shown.maps && options.shown.shadows);
    view_free_options(&options);
}

// -- Lists ----------------------------------------------------------------------------------

enum { NUM_TEXTS = 6, BINDINGS = 1, MANUAL = 2 };

// Returns the text that the viewer prints, without roff's backslashes before hyphens. The caller
// frees it.
static char *print_text(int number)
{
    FILE *const file = tmpfile();
    CHECK(file);
    if (file == NULL)
        return common_copy("");
    const view_options options = {
        .help = number == 0,
        .list_bindings = number == BINDINGS,
        .manual = number == MANUAL,
        .completions_given = true,
        .completions = (view_shell)(number - MANUAL - 1),
    };
    CHECK(view_print_requested_text(&options, file));
    char *const text = common_alloc((size_t)ftell(file) + 1, 1);
    rewind(file);
    size_t length = 0;
    for (int c = fgetc(file); c != EOF; c = fgetc(file)) {
        if (c == '-' && length > 0 && text[length - 1] == '\\')
            length--;
        text[length++] = (char)c;
    }
    (void)fclose(file);
    return text;
}

// Returns true if a text contains the words, but not as the beginning of a longer name.
static bool has_words(const char *text, const char *words)
{
    const size_t length = strlen(words);
    for (const char *at = strstr(text, words); at != NULL; at = strstr(at + 1, words)) {
        if (strchr("abcdefghijklmnopqrstuvwxyz-", at[length]) == NULL || at[length] == '\0')
            return true;
    }
    return false;
}

// An empty value is reported as wrong usage, so each entry of the table is an option that is
// parsed.
TEST (view_options_reject_empty_values) {
    const size_t count = view_num_options;
    const view_option *const table = view_option_rows;
    CHECK(count > 30);
    for (size_t i = 0; i < count; i++) {
        char *argument = common_format("--%s=", table[i].name);
        char problem[256] = "";
        SCOPED_STRING expected_message = common_format("--%s: expected ", table[i].name);
        view_options options;
        CHECK(!view_read_options(1, &argument, &options, problem, sizeof problem));
        CHECK_THAT(strncmp(problem, expected_message, strlen(expected_message)) == 0, "%s: %s",
                   argument, problem);
        view_free_options(&options);
        free(argument);
    }
}

TEST (view_options_are_in_the_help_completions_and_manual) {
    static const char *const names[NUM_TEXTS] = {"--help", NULL, "--man", "bash", "zsh", "fish"};
    const size_t count = view_num_options;
    const view_option *const table = view_option_rows;
    for (int i = 0; i < NUM_TEXTS; i++) {
        SCOPED_STRING text = print_text(i);
        if (i != BINDINGS) {
            for (size_t j = 0; j < count; j++) {
                char *const words = common_format(
                    "%s%s", strcmp(names[i], "fish") == 0 ? "-l " : "--", table[j].name);
                CHECK_THAT(has_words(text, words), "%s does not contain --%s", names[i],
                           table[j].name);
                free(words);
            }
        }
    }
}

TEST (view_keys_are_in_all_lists_of_keys) {
    view_menu_entries list;
    view_list_menu_entries(&list);
    const view_menu_entry *const *const rows = list.entries;
    const size_t count = list.count;
    SCOPED_STRING bindings = print_text(BINDINGS);
    SCOPED_STRING manual = print_text(MANUAL);
    for (size_t i = 0; i < count; i++) {
        char keys[64];
        view_print_keys(rows[i], keys, sizeof keys);
        if (keys[0] == '\0' || rows[i]->action == VIEW_TRIGGER)
            continue;
        SCOPED_STRING line = common_format("  %-27s %s\n", keys, view_get_label(rows[i]));
        CHECK_THAT(strstr(bindings, line) != NULL, "--list-bindings does not contain %s",
                   rows[i]->label);
        // A label that opens a card ends with a sign that roff does not support. It is removed.
        const char *const label = view_get_label(rows[i]);
        SCOPED_STRING words = common_format("%.*s", (int)strcspn(label, "\xE2\xC2"), label);
        CHECK_THAT(strstr(manual, words) != NULL, "--man does not mention %s", rows[i]->label);
    }
}

// The line of the log that describes the image contains each switch of the option table. Half of
// its buffer is free for further switches.
TEST (view_debug_line_has_each_switch) {
    const size_t count = view_num_options;
    const view_option *const table = view_option_rows;
    const view_shown none = {0};
    const view_lights dark = {{0}};
    char text[840];
    view_write_shown(&none, &dark, text, sizeof text);
    for (size_t i = 0; i < count; i++) {
        char *const word =
            table[i].word != NULL ? common_format("%s=", table[i].word) : common_copy("");
        CHECK_THAT(strstr(text, word) != NULL, "--%s: no %s in '%s'", table[i].name, word, text);
        free(word);
    }
    CHECK(strlen(text) < sizeof text / 2); // space for further switches
}

// == Contrast =====================================================================================

// Returns the luminance of a color with components between 0 and 1, by WCAG 2.1.
static double luminance(const double rgb[3])
{
    static const double parts[3] = {0.2126, 0.7152, 0.0722};
    double sum = 0;
    for (int i = 0; i < 3; i++)
        sum += parts[i] * (rgb[i] <= 0.04045 ? rgb[i] / 12.92 : pow((rgb[i] + 0.055) / 1.055, 2.4));
    return sum;
}

// Returns true if a triangle of the canvas contains the point, with a margin of 1/1000.
static bool has_point(const md5gl_panel_vertex *t, float x, float y)
{
    float min_side = INFINITY;
    float max_side = -INFINITY;
    for (int i = 0; i < 3; i++) {
        const md5gl_panel_vertex *const a = &t[i];
        const md5gl_panel_vertex *const b = &t[(i + 1) % 3];
        const float side = (b->x - a->x) * (y - a->y) - (b->y - a->y) * (x - a->x);
        min_side = fminf(min_side, side);
        max_side = fmaxf(max_side, side);
    }
    return min_side > -1e-3f || max_side < 1e-3f;
}

static bool is_plain(const screen *s, const md5gl_panel_vertex *t)
{
    const view_font *const font = &s->viewer.drawing.font;
    const bool is_solid_in_u =
        t[0].u == font->solid_u && t[1].u == font->solid_u && t[2].u == font->solid_u;
    return is_solid_in_u && t[0].v == font->solid_v && t[2].v == font->solid_v;
}

// Checks the contrast between each letter that is drawn on a panel and its background, over a white
// image.
static void check_contrast(screen *s, const char *description)
{
    const view_canvas *const canvas = &s->viewer.drawing.canvas;
    const view_font *const font = &s->viewer.drawing.font;
    double min_ratio = INFINITY;
    uint32_t count = 0;
    uint32_t on[2] = {0, 0};
    screen_draw(s);
    for (uint32_t i = 0; i + 6 <= canvas->count; i += 3) {
        const md5gl_panel_vertex *const t = &canvas->vertices[i];
        const bool is_disc_in_u = t->u >= font->disc_u0 && t->u <= font->disc_u1;
        const bool is_disc_in_v = t->v >= font->disc_v0 && t->v <= font->disc_v1;
        if ((is_disc_in_u && is_disc_in_v) || is_plain(s, t))
            continue;
        const float x = (t[0].x + t[1].x + t[2].x) / 3;
        const float y = (t[0].y + t[1].y + t[2].y) / 3;
        double ground[3] = {1, 1, 1};
        double text[3];
        double open = 1;
        for (uint32_t k = 0; k < i; k += 3) {
            const md5gl_panel_vertex *const below = &canvas->vertices[k];
            if (!is_plain(s, below) || !has_point(below, x, y))
                continue;
            const double part = below->rgba[3] / 255.0;
            for (int c = 0; c < 3; c++)
                ground[c] += (below->rgba[c] / 255.0 - ground[c]) * part;
            open *= 1 - part;
        }
        if (open > 0.2) // the letter is on the image, not on a panel
            continue;
        for (int c = 0; c < 3; c++)
            text[c] = ground[c] + (t->rgba[c] / 255.0 - ground[c]) * t->rgba[3] / 255.0;
        const double a = luminance(text);
        const double b = luminance(ground);
        const double ratio = (fmax(a, b) + 0.05) / (fmin(a, b) + 0.05);
        count++;
        if (ratio >= min_ratio)
            continue;
        min_ratio = ratio;
        on[0] = on[1] = 0;
        for (int c = 0; c < 3; c++) {
            on[0] = on[0] << 8 | t->rgba[c];
            on[1] = on[1] << 8 | (uint32_t)(255 * ground[c] + 0.5);
        }
    }
    CHECK_THAT(count > 100 && min_ratio >= 4.5, "%s: %06x on %06x: %.2f, of %u", description, on[0],
               on[1], min_ratio, count);
}

TEST_SCREEN (view_letters_have_enough_contrast, screen_open(s, BOBBIN, WIDTH, HEIGHT)) {
    view_log *const log = &s->viewer.log;
    const md5_model *const model = s->viewer.document->scene.model;
    md5_error location = {.line = 7, .column = 2, .message = "odd"};
    snprintf(location.file, sizeof location.file, "%s", s->viewer.document->scene.path);
    check_contrast(s, "docks");
    s->viewer.ui.selection.joint = 5;
    check_contrast(s, "a joint");
    view_warn_about(log, (view_about){VIEW_ABOUT_MESH, 1, 0, model}, "of a mesh");
    log->about = (view_about){VIEW_ABOUT_VERTEX, 0, 88, model};
    view_log_warning(log, &location);
    PERFORM(&s->viewer, VIEW_WARNINGS);
    for (int i = 0; i < 2; i++) {
        s->viewer.panels.problems.selected = (size_t)i;
        check_contrast(s, "problems");
    }
    PERFORM(&s->viewer, VIEW_WARNINGS);
    PERFORM(&s->viewer, VIEW_CLIPS);
    check_contrast(s, "clips");
    PERFORM(&s->viewer, VIEW_CLIPS);
    view_list_location(&s->viewer, test_path("models/bobbin"));
    check_contrast(s, "files");
    view_close_browser(&s->viewer.panels.browser);
    PERFORM(&s->viewer, VIEW_SETTINGS);
    check_contrast(s, "settings");
    view_open_overlay(&s->viewer.ui, &s->viewer.panels, VIEW_OVERLAY_NONE);
    PERFORM(&s->viewer, VIEW_MENUS);
    s->viewer.panels.menu.selected = 0;
    check_contrast(s, "a menu");
    PERFORM(&s->viewer, VIEW_SEARCH);
    check_contrast(s, "search");
    view_close_menu(&s->viewer.ui, &s->viewer.panels.menu);
    PERFORM(&s->viewer, VIEW_EXPORT);
    check_contrast(s, "export");
    PERFORM(&s->viewer, VIEW_EXPORT);
    PERFORM(&s->viewer, VIEW_START_PAGE);
    check_contrast(s, "start");
    PERFORM(&s->viewer, VIEW_START_PAGE);
    const char *const another = test_path("models/thimble/thimble.md5mesh");
    CHECK(view_set_option(&s->viewer, VIEW_OPTION(retarget), common_text_value(another)));
    md5gl_target *const target = md5gl_create_target(s->viewer.renderer, 64, 48, 1, NULL);
    CHECK(view_draw(&s->viewer, target, 64, 48, VIEW_OMIT_INTERFACE,
                    NULL)); // drawing moves the companion
    md5gl_destroy_target(s->viewer.renderer, target);
    s->viewer.panels.retarget.picked = 1;
    check_contrast(s, "pairs");
    s->width = 420;
    s->height = 300;
    view_list_location(&s->viewer, test_path("models/bobbin"));
    check_contrast(s, "files in a small window");
}
