// The user of the viewer and label scripts; see test_view_script.h.
#define _XOPEN_SOURCE 700 // setenv()
#include "test/viewer/test_view_script.h"
#include "test/scoped.h"

#include "demo/viewer/app/window.h"
#include "demo/viewer/jobs/export.h"

#include <unistd.h>

// == The user =====================================================================================

// Advances the running export, if there is one. Returns true until it has ended.
static bool is_exporting(user *u)
{
    view_update_export(&u->viewer);
    return u->viewer.jobs.conversion != NULL || u->viewer.jobs.export != NULL;
}

// Draws the model into a small image. Tests need this, because only drawing moves the companion.
// Does nothing if neither the companion nor the time has changed since the last call.
static void draw_companion(user *u)
{
    const md5_model *const model = u->viewer.document->companions[VIEW_RETARGETED].model;
    const bool is_drawn = model == u->drawn_companion && u->viewer.play.time == u->drawn_time;
    if (model == NULL || is_drawn)
        return;
    u->drawn_companion = model;
    u->drawn_time = u->viewer.play.time;
    md5gl_target *const target = md5gl_create_target(u->viewer.renderer, 64, 48, 1, NULL);
    CHECK(view_draw(&u->viewer, target, 64, 48, VIEW_OMIT_INTERFACE, NULL));
    md5gl_destroy_target(u->viewer.renderer, target);
}

void user_draw(user *u)
{
    view_update_files(&u->viewer);
    for (int i = 0; is_exporting(u) && CHECK(i < MAX_WAITS); i++)
        view_sleep(0.001);
    draw_companion(u);
    u->stage = item_draw(&u->viewer, (float)u->viewer.width, (float)u->viewer.height);
}

void user_send(user *u, view_input event)
{
    bool redraw = false;
    view_handle_event(&u->viewer, &event, &redraw);
}

static void send_key(user *u, int32_t key)
{
    view_input event = {.kind = VIEW_INPUT_KEY_DOWN,
                        .key = key & ~VIEW_KEY_FLAGS,
                        .shift = (key & VIEW_WITH_SHIFT) != 0,
                        .control = (key & VIEW_WITH_CTRL) != 0};
    user_send(u, event);
    event.kind = VIEW_INPUT_KEY_UP;
    user_send(u, event);
}

// Types as a keyboard does: each key event, then its text.
static void send_text(user *u, const char *text)
{
    for (; *text != '\0'; text++) {
        view_input event = {.kind = VIEW_INPUT_KEY_DOWN, .key = tolower((unsigned char)*text)};
        user_send(u, event);
        event.kind = VIEW_INPUT_TEXT;
        snprintf(event.text, sizeof event.text, "%c", *text);
        user_send(u, event);
        event.kind = VIEW_INPUT_KEY_UP;
        user_send(u, event);
    }
}

static void send_click(user *u, const gesture *input)
{
    view_input event = {.kind = VIEW_INPUT_MOVE, .x = floorf(input->x), .y = floorf(input->y)};
    user_send(u, event);
    event.button = input->button;
    event.control = input->control;
    event.alt = input->alt;
    for (event.clicks = 1; event.clicks <= input->clicks; event.clicks++) {
        event.kind = VIEW_INPUT_PRESS;
        user_send(u, event);
        event.kind = VIEW_INPUT_RELEASE;
        user_send(u, event);
        if (event.clicks < input->clicks)
            user_draw(u);
    }
}

static void send_drag(user *u, const gesture *input)
{
    view_input event = {.kind = VIEW_INPUT_PRESS,
                        .button = input->button,
                        .clicks = 1,
                        .x = input->x,
                        .y = input->y};
    user_send(u, event);
    event.kind = VIEW_INPUT_MOVE;
    event.x = input->to_x;
    user_send(u, event);
    event.kind = VIEW_INPUT_RELEASE;
    user_send(u, event);
}

// Performs a gesture without a window.
static void send_gesture(user *u, const gesture *input)
{
    switch (input->kind) {
    case GESTURE_KEY:
        send_key(u, input->key);
        break;
    case GESTURE_TEXT:
        send_text(u, input->text);
        break;
    case GESTURE_CLICK:
        send_click(u, input);
        break;
    case GESTURE_DRAG:
        send_drag(u, input);
        break;
    case GESTURE_MOVE:
        user_send(u, (view_input){.kind = VIEW_INPUT_MOVE, .x = input->x, .y = input->y});
        break;
    case GESTURE_WHEEL:
        user_send(u, (view_input){.kind = VIEW_INPUT_MOVE, .x = input->x, .y = input->y});
        user_send(
            u, (view_input){
                   .kind = VIEW_INPUT_WHEEL, .x = input->x, .y = input->y, .wheel = input->wheel});
        break;
    case GESTURE_DROP:
        user_send(u, (view_input){.kind = VIEW_INPUT_DROP,
                                  .is_only_file = true,
                                  .x = input->x,
                                  .y = input->y,
                                  .path = common_copy(input->path)});
        break;
    }
    user_draw(u);
}

void user_perform(user *u, const gesture *input)
{
    send_gesture(u, input);
    u->actions += input->kind != GESTURE_MOVE && input->kind != GESTURE_WHEEL;
}

void user_press_key(user *u, int32_t key)
{
    user_perform(u, &(gesture){.kind = GESTURE_KEY, .key = key});
}

void user_click_at(user *u, float x, float y, view_button button)
{
    user_perform(u,
                 &(gesture){.kind = GESTURE_CLICK, .button = button, .clicks = 1, .x = x, .y = y});
}

void user_click(user *u, const char *item)
{
    const view_rect at = item_find(&u->viewer, &u->stage, item);
    if (CHECK_THAT(at.width > 0.0f, "item not found: %s", item))
        user_click_at(u, at.x + 0.5f * at.width, at.y + 0.5f * at.height, VIEW_BUTTON_LEFT);
}

char *user_path(const user *u, const char *name)
{
    return name[0] == '$' ? common_format("%s%s", u->folder, name + 1)
                          : common_join(u->root, test_path(name));
}

bool user_open_file(user *u, const char *file)
{
    SCOPED_STRING path = file != NULL ? user_path(u, file) : NULL;
    const char *const files[] = {path};
    if (!CHECK_THAT(view_open(&u->viewer, files, file != NULL, file != NULL), "cannot open %s",
                    file))
        return false;
    u->has_document = true;
    view_pose(user_scene(u), &u->viewer.play);
    view_skin(user_scene(u));
    view_frame_document(&u->viewer, u->viewer.width, u->viewer.height);
    user_draw(u);
    return true;
}

// Sets the home folder to an empty folder, so that file dialogs list nothing else.
static void replace_home(user *u)
{
    const char *const home = getenv("HOME");
    u->root = common_absolute(".");
    u->home = home != NULL ? common_copy(home) : NULL;
    u->folder = folder_make();
    CHECK(setenv("HOME", u->folder, 1) == 0);
}

static void restore_home(user *u)
{
    CHECK(chdir(u->root) == 0);
    folder_remove(u->folder);
    CHECK((u->home != NULL ? setenv("HOME", u->home, 1) : unsetenv("HOME")) == 0);
    free(u->home);
    free(u->root);
}

bool user_begin(user *u, uint32_t width, uint32_t height)
{
    char problem[256];
    replace_home(u);
    CHECK(view_read_options(0, NULL, &u->options, problem, sizeof problem));
    u->options.level = VIEW_QUIET;
    if (!scene_share(&u->gl))
        return false;
    view_begin(&u->viewer, &u->options);
    u->viewer.options->lights = view_default_lights();
    u->viewer.renderer = u->gl.renderer;
    u->viewer.width = width;
    u->viewer.height = height;
    return CHECK(view_set_scale(&u->viewer, 1.0f));
}

bool user_open(user *u, const char *file)
{
    *u = (user){.actions = 0};
    return user_begin(u, 1280, 720) && user_open_file(u, file);
}

void user_close(user *u)
{
    view_stop_export(&u->viewer); // the window does the same
    view_end(&u->viewer);
    view_free_options(&u->options);
    scene_close(&u->gl);
    restore_home(u);
}

// == Lines of a script ============================================================================

// Sets the problem of the current line. Returns LINE_FAILED.
static line_result fail(script *s, const char *format, ...) TEST_PRINTF(2, 3);
static line_result fail(script *s, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(s->problem, sizeof s->problem, format, values);
    va_end(values);
    return LINE_FAILED;
}

// Returns true if a text begins with a word, and sets `rest` to the text after the word.
static bool begins_with(const char *text, const char *word, const char **rest)
{
    const size_t length = strlen(word);
    if (strncmp(text, word, length) != 0 || (text[length] != ' ' && text[length] != '\0'))
        return false;
    *rest = text + length + (text[length] == ' ');
    return true;
}

// Splits "NAME REST". The caller frees the name.
static char *split_name(const char *words, const char **rest)
{
    const size_t length = strcspn(words, " ");
    *rest = words + length + (words[length] == ' ');
    return common_format("%.*s", (int)length, words);
}

// -- Keys -----------------------------------------------------------------------------------------

// Parses a key such as "Ctrl+Shift+Z". Returns 0 if its name is unknown.
static int32_t read_key(const char *words)
{
    static const struct {
        const char *name;
        int32_t key;
    } names[] = {
        {"Enter", VIEW_KEY_RETURN},
        {"Tab", VIEW_KEY_TAB},
        {"Esc", VIEW_KEY_ESCAPE},
        {"Space", ' '},
        {"Backspace", VIEW_KEY_BACKSPACE},
        {"Delete", VIEW_KEY_DELETE},
        {"Menu", VIEW_KEY_MENU},
        {"Pause", VIEW_KEY_PAUSE},
        {"Left", VIEW_KEY_LEFT},
        {"Right", VIEW_KEY_RIGHT},
        {"Up", VIEW_KEY_UP},
        {"Down", VIEW_KEY_DOWN},
        {"Home", VIEW_KEY_HOME},
        {"End", VIEW_KEY_END},
        {"PageUp", VIEW_KEY_PAGE_UP},
        {"PageDown", VIEW_KEY_PAGE_DOWN},
    };
    int32_t flags = 0;
    if (strncmp(words, "Ctrl+", 5) == 0) {
        flags |= VIEW_WITH_CTRL;
        words += 5;
    }
    if (strncmp(words, "Shift+", 6) == 0) {
        flags |= VIEW_WITH_SHIFT;
        words += 6;
    }
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        if (strcmp(names[i].name, words) == 0)
            return names[i].key | flags;
    }
    if (words[0] == 'F' && isdigit((unsigned char)words[1]))
        return VIEW_KEY_F((int32_t)strtol(words + 1, NULL, 10)) | flags;
    return words[0] != '\0' && words[1] == '\0' ? tolower((unsigned char)words[0]) | flags : 0;
}

// -- Places ---------------------------------------------------------------------------------------

// Returns a rectangle of the body where a click selects this joint.
static view_rect find_on_body(user *u, uint32_t joint)
{
    const view_rect free = view_free_region(&u->stage);
    view_rect found = {.width = 0};
    view_ui *const ui = &u->viewer.ui;
    // A click during retargeting would set a partner, and an open card would cover the body. Both
    // states are cleared for the search and restored afterwards.
    const uint32_t picked = u->viewer.panels.retarget.picked;
    const view_overlay over = ui->over;
    const int32_t selected = ui->selection.joint;
    u->viewer.panels.retarget.picked = 0;
    ui->over = VIEW_OVERLAY_NONE;
    for (float step = 32.0f; !(found.width > 0.0f) && step >= 8.0f; step *= 0.5f) {
        for (float y = free.y; !(found.width > 0.0f) && y < free.y + free.height; y += step) {
            for (float x = free.x; !(found.width > 0.0f) && x < free.x + free.width; x += step) {
                view_pick_at(&u->viewer, x, y);
                if (u->viewer.ui.selection.pick.is_set
                    && u->viewer.ui.selection.pick.joint == (int32_t)joint)
                    found = (view_rect){x, y, 1, 1};
            }
        }
    }
    u->viewer.ui.selection.pick.is_set = false;
    ui->selection.joint = selected;
    u->viewer.panels.retarget.picked = picked;
    ui->over = over;
    return found;
}

// A position in the window, in pixels.
typedef struct screen_position {
    float x, y;
    bool is_found;
} screen_position;

// Finds a position: an item, with an optional fraction of its width and height ("0.1 panel/label",
// "0.1,0.9 panel/label"); "body 0.4", a fraction of the height of the free region, in its middle;
// or "skin JOINT", a point of the body that the joint moves.
static screen_position find_screen_position(user *u, const char *words)
{
    const char *rest;
    char *item;
    float across = 0.5f;
    float down = 0.5f;
    view_rect at;
    if (begins_with(words, "body", &rest)) {
        at = view_free_region(&u->stage);
        down = strtof(rest, NULL);
    } else if (begins_with(words, "skin", &rest)) {
        at = find_on_body(u, md5_find_joint(user_scene(u)->skeleton, rest));
    } else {
        const float number = strtof(words, &item);
        if (item != words)
            across = number;
        if (item != words && *item == ',')
            down = strtof(item + 1, &item);
        at = item_find(&u->viewer, &u->stage, item + strspn(item, " "));
    }
    return (screen_position){at.x + across * at.width, at.y + down * at.height, at.width > 0.0f};
}

// -- Actions --------------------------------------------------------------------------------------

static line_result click_screen_position(script *s, gesture input, const char *words)
{
    const screen_position at = find_screen_position(&s->u, words);
    if (!at.is_found)
        return fail(s, "item not found: %s", words);
    input.x = at.x;
    input.y = at.y;
    user_perform(&s->u, &input);
    s->num_gestures += input.kind != GESTURE_MOVE;
    return LINE_DONE;
}

static line_result click(script *s, const char *words)
{
    const gesture input = {.kind = GESTURE_CLICK, .button = VIEW_BUTTON_LEFT, .clicks = 1};
    return click_screen_position(s, input, words);
}

static line_result click_twice(script *s, const char *words)
{
    const gesture input = {.kind = GESTURE_CLICK, .button = VIEW_BUTTON_LEFT, .clicks = 2};
    return click_screen_position(s, input, words);
}

static line_result click_right(script *s, const char *words)
{
    const gesture input = {.kind = GESTURE_CLICK, .button = VIEW_BUTTON_RIGHT, .clicks = 1};
    return click_screen_position(s, input, words);
}

static line_result click_with_control(script *s, const char *words)
{
    const gesture input = {
        .kind = GESTURE_CLICK, .button = VIEW_BUTTON_LEFT, .clicks = 1, .control = true};
    return click_screen_position(s, input, words);
}

static line_result click_with_alt(script *s, const char *words)
{
    const gesture input = {
        .kind = GESTURE_CLICK, .button = VIEW_BUTTON_LEFT, .clicks = 1, .alt = true};
    return click_screen_position(s, input, words);
}

static line_result hover(script *s, const char *words)
{
    return click_screen_position(s, (gesture){.kind = GESTURE_MOVE}, words);
}

// "scroll STEPS ITEM": over the upper left corner of the item.
static line_result scroll(script *s, const char *words)
{
    const char *item;
    SCOPED_STRING steps = split_name(words, &item);
    const view_rect at = item_find(&s->u.viewer, &s->u.stage, item);
    if (!(at.width > 0.0f))
        return fail(s, "item not found: %s", item);
    user_perform(&s->u, &(gesture){.kind = GESTURE_WHEEL,
                                   .x = at.x + 9.0f,
                                   .y = at.y + 9.0f,
                                   .wheel = strtof(steps, NULL)});
    s->num_gestures++;
    return LINE_DONE;
}

// "drag FROM TO ITEM": two fractions of the item's width.
static line_result drag(script *s, const char *words)
{
    const char *item = words;
    SCOPED_STRING from = split_name(item, &item);
    SCOPED_STRING to = split_name(item, &item);
    const view_rect at = item_find(&s->u.viewer, &s->u.stage, item);
    if (!(at.width > 0.0f))
        return fail(s, "item not found: %s", item);
    user_perform(&s->u, &(gesture){.kind = GESTURE_DRAG,
                                   .button = VIEW_BUTTON_LEFT,
                                   .x = at.x + strtof(from, NULL) * at.width,
                                   .to_x = at.x + strtof(to, NULL) * at.width,
                                   .y = at.y + 0.5f * at.height});
    s->num_gestures++;
    return LINE_DONE;
}

static line_result press_key(script *s, const char *words)
{
    const int32_t key = read_key(words);
    if (key == 0)
        return fail(s, "unknown key '%s'", words);
    user_press_key(&s->u, key);
    s->num_gestures++;
    return LINE_DONE;
}

// Types a text. This does not increase the number of the user's actions, because the text belongs
// to the action that follows. A text that begins with '$' is a path in the user's folder.
static line_result type_text(script *s, const char *words)
{
    SCOPED_STRING path = words[0] == '$' ? user_path(&s->u, words) : NULL;
    user_perform(&s->u, &(gesture){.kind = GESTURE_TEXT, .text = path != NULL ? path : words});
    s->u.actions--;
    s->num_gestures++;
    return LINE_DONE;
}

// Types a text, and presses Enter in the next call. The line is executed twice.
static line_result enter_text(script *s, const char *words)
{
    if (s->num_gestures == 0) {
        (void)type_text(s, words);
        return LINE_CONTINUES;
    }
    return press_key(s, "Enter");
}

// "drop FILE" on the body, or "drop FILE ITEM".
static line_result drop_file(script *s, const char *words)
{
    const char *item;
    SCOPED_STRING name = split_name(words, &item);
    SCOPED_STRING path = user_path(&s->u, name);
    const screen_position at = find_screen_position(&s->u, item[0] != '\0' ? item : "body 0.4");
    if (!at.is_found)
        return fail(s, "item not found: %s", item);
    user_perform(&s->u, &(gesture){.kind = GESTURE_DROP, .x = at.x, .y = at.y, .path = path});
    s->num_gestures++;
    return LINE_DONE;
}

// Presses a key that moves the focus until the focus is at an item, or at any item of a panel.
static line_result move_focus(script *s, int32_t key, const char *item)
{
    enum { MAX_PRESSES = 40 };
    const view_ui *const ui = &s->u.viewer.ui;
    const view_rect at = item_find(&s->u.viewer, &s->u.stage, item);
    const bool is_at_item = at.width > 0.0f && at.x == ui->focus.rect.x && at.y == ui->focus.rect.y;
    if (s->num_gestures > 0 && ui->focus.is_shown && ui->focus.item.panel != NULL
        && (is_at_item || strcmp(ui->focus.item.panel, item) == 0))
        return LINE_DONE;
    if (s->num_gestures >= MAX_PRESSES)
        return fail(s, "no key leads to %s", item);
    user_press_key(&s->u, key);
    s->num_gestures++;
    return LINE_CONTINUES;
}

static line_result tab_to(script *s, const char *words)
{
    return move_focus(s, VIEW_KEY_TAB, words);
}

static line_result tab_back_to(script *s, const char *words)
{
    return move_focus(s, VIEW_KEY_TAB | VIEW_WITH_SHIFT, words);
}

static line_result move_to_panel(script *s, const char *words)
{
    return move_focus(s, VIEW_KEY_F(6), words);
}

static line_result wait_for(script *s, const char *words)
{
    s->u.viewer.uptime += strtod(words, NULL);
    return LINE_DONE;
}

// -- Preparations ---------------------------------------------------------------------------------

static line_result open_file(script *s, const char *words)
{
    const char *const file = words[0] != '\0' ? words : NULL;
    return user_open_file(&s->u, file) ? LINE_DONE : fail(s, "cannot open '%s'", words);
}

// "set OPTION VALUE", as on the command line. A value with a slash is a path.
static line_result set_option(script *s, const char *words)
{
    const char *value;
    SCOPED_STRING name = split_name(words, &value);
    SCOPED_STRING path = user_path(&s->u, value);
    const view_option *const option = view_find_option(name, strlen(name));
    if (option == NULL)
        return fail(s, "unknown option '%s'", name);
    const char *const text = strchr(value, '/') != NULL ? path : value;
    if (!view_set_option(&s->u.viewer, option, common_text_value(text)))
        return fail(s, "option %s does not accept '%s'", name, text);
    return LINE_DONE;
}

static line_result open_start_page(script *s, const char *words)
{
    (void)words;
    PERFORM(&s->u.viewer, VIEW_START_PAGE);
    return LINE_DONE;
}

// "copy FILE NAME" copies a file of the project into the user's folder.
static line_result copy_file(script *s, const char *words)
{
    const char *name;
    size_t size = 0;
    SCOPED_STRING from = split_name(words, &name);
    SCOPED_STRING path = user_path(&s->u, from);
    SCOPED_STRING bytes = test_read_file(path, &size);
    if (bytes == NULL)
        return fail(s, "cannot read %s", from);
    folder_write(s->u.folder, name, bytes, size);
    return LINE_DONE;
}

// "write NAME TEXT" writes a file into the user's folder. "\n" in the text ends a line.
static line_result write_file(script *s, const char *words)
{
    const char *text;
    SCOPED_STRING name = split_name(words, &text);
    SCOPED_STRING bytes = common_copy(text);
    char *end = bytes;
    for (const char *c = text; *c != '\0'; c++) {
        const bool is_line_end = c[0] == '\\' && c[1] == 'n';
        *end++ = is_line_end ? '\n' : *c;
        c += is_line_end;
    }
    folder_write(s->u.folder, name, bytes, (size_t)(end - bytes));
    return LINE_DONE;
}

static line_result remove_file(script *s, const char *words)
{
    SCOPED_STRING path = user_path(&s->u, words);
    return remove(path) == 0 ? LINE_DONE : fail(s, "cannot remove %s", path);
}

static line_result resize(script *s, const char *words)
{
    char *end;
    s->u.viewer.width = (uint32_t)strtoul(words, &end, 10);
    s->u.viewer.height = (uint32_t)strtoul(end, NULL, 10);
    return s->u.viewer.height > 0 ? LINE_DONE : fail(s, "expected a width and a height");
}

static line_result set_limit(script *s, const char *words)
{
    s->max_actions = (unsigned)strtoul(words, NULL, 10);
    return LINE_DONE;
}

// Starts counting the actions of the user, from 0.
static line_result begin_actions(script *s, const char *words)
{
    (void)words;
    s->u.actions = 0;
    return LINE_DONE;
}

// -- Expectations ---------------------------------------------------------------------------------
//
// Each function returns the displayed value of a subject, which the caller frees, or NULL if the
// subject does not exist.

static char *get_item(user *u, const char *name)
{
    return item_find(&u->viewer, &u->stage, name).width > 0.0f ? common_copy("") : NULL;
}

static char *get_text(user *u, const char *name)
{
    const bool is_found = item_find(&u->viewer, &u->stage, name).width > 0.0f;
    return is_found ? common_copy(u->viewer.ui.probe.text) : NULL;
}

static char *get_option(user *u, const char *name)
{
    const view_option *const option = view_find_option(name, strlen(name));
    if (option == NULL)
        return NULL;
    char *const text = view_write_option(option, u->viewer.options);
    if (text == NULL)
        return common_copy("");
    const size_t length = strlen(text);
    if (length > 0 && text[length - 1] == '\n') // an option that can be repeated
        text[length - 1] = '\0';
    return text;
}

static char *get_model(user *u, const char *name)
{
    (void)name;
    return common_copy(user_scene(u)->name);
}

static char *get_clip(user *u, const char *name)
{
    (void)name;
    const view_clip *const clip = view_shown_clip(user_scene(u));
    return clip != NULL ? common_copy(clip->name) : NULL;
}

static char *get_frame(user *u, const char *name)
{
    (void)name;
    const md5_anim *const anim = view_timing_anim(user_scene(u));
    if (anim == NULL)
        return NULL;
    const double frame = view_frame_position(&u->viewer.play, anim);
    return common_format("%g", round(100.0 * frame) / 100.0);
}

static char *get_playing(user *u, const char *name)
{
    (void)name;
    return common_copy(u->viewer.play.playing ? "yes" : "no");
}

static char *get_azimuth(user *u, const char *name)
{
    (void)name;
    return common_format("%g", round(1000.0 * (double)u->viewer.cameras.user.azimuth) / 1000.0);
}

static char *get_joint(user *u, const char *name)
{
    (void)name;
    const int32_t joint = u->viewer.ui.selection.joint;
    return joint >= 0 ? common_copy(user_scene(u)->skeleton->joints[joint].name) : NULL;
}

// Returns the name of the open lesson, or "contents" for the list of lessons.
static char *get_lesson(user *u, const char *name)
{
    (void)name;
    const int32_t open = u->viewer.pages.open;
    if (open == VIEW_CONTENTS)
        return common_copy("contents");
    return open >= 0 ? common_copy(view_page_at((uint32_t)open)->name) : NULL;
}

static char *get_mesh(user *u, const char *name)
{
    (void)name;
    const int32_t mesh = u->viewer.ui.selection.mesh;
    return mesh >= 0 ? common_format("%d", mesh) : NULL;
}

static char *get_material(user *u, const char *name)
{
    (void)name;
    const int32_t mesh = u->viewer.ui.selection.material;
    return mesh >= 0 ? common_copy(user_scene(u)->model->meshes[mesh].shader) : NULL;
}

// Returns the active state of a layer of the machine.
static char *get_state(user *u, const char *name)
{
    const view_machine *const machine = &user_scene(u)->machine;
    const md5_machine_desc *const desc = machine->desc;
    if (desc != NULL) {
        for (uint32_t i = 0; i < desc->num_layers; i++) {
            if (strcmp(desc->layers[i].name, name) == 0)
                return common_copy(
                    desc->layers[i].states[md5_player_layer(machine->player, i).state].name);
        }
    }
    return NULL;
}

static char *get_notice(user *u, const char *name)
{
    (void)name;
    return common_copy(u->viewer.ui.notice.text);
}

static char *get_tooltip(user *u, const char *name)
{
    (void)name;
    return u->viewer.ui.tooltip.is_shown ? common_copy(u->viewer.ui.tooltip.text) : NULL;
}

static char *get_error(user *u, const char *name)
{
    (void)name;
    return u->viewer.log.error[0] != '\0' ? common_copy(u->viewer.log.error) : NULL;
}

// Returns all problems, one in a line.
static char *get_problem(user *u, const char *name)
{
    (void)name;
    SCOPED_TEXT all = {0};
    for (size_t i = 0; i < u->viewer.reports.count; i++)
        test_append(&all, "%s\n", u->viewer.reports.rows[i].text);
    return all.bytes != NULL ? common_copy(all.bytes) : NULL;
}

static char *get_clipboard(user *u, const char *name)
{
    (void)u, (void)name;
    char *const copied = SDL_GetClipboardText();
    char *const text = common_copy(copied != NULL ? copied : "");
    SDL_free(copied);
    return text;
}

static char *get_file(user *u, const char *name)
{
    size_t size = 0;
    SCOPED_STRING path = user_path(u, name);
    return common_is_file(path) ? test_read_file(path, &size) : NULL;
}

// Returns "" if the distance of two points is being measured, otherwise NULL.
static char *get_measured(user *u, const char *name)
{
    (void)name;
    return u->viewer.ui.selection.measured.is_set ? common_copy("") : NULL;
}

// An expectation: "[no] SUBJECT [NAME]", "[no] SUBJECT [NAME] = VALUE", "... has VALUE".
typedef struct expectation {
    bool is_denied, is_equal, is_part;
    char *subject, *name;
    const char *value;
} expectation;

// Parses an expectation. The caller frees the subject and the name.
static expectation read_expectation(const char *words)
{
    expectation e = {.is_denied = false};
    const char *rest = words;
    e.is_denied = begins_with(words, "no", &rest);
    e.subject = split_name(rest, &rest);
    const size_t length = strlen(rest);
    const char *sign = rest;
    while (*sign != '\0' && e.value == NULL) {
        e.is_equal = begins_with(sign, "=", &e.value);
        e.is_part = begins_with(sign, "has", &e.value);
        if (e.value == NULL)
            sign += strcspn(sign, " ");
        if (e.value == NULL && *sign == ' ')
            sign++;
    }
    size_t name_length = e.value != NULL ? (size_t)(sign - rest) : length;
    if (e.value != NULL && name_length > 0)
        name_length--; // the space before the sign
    e.name = common_format("%.*s", (int)name_length, rest);
    return e;
}

// Returns true if the displayed value, or NULL, is as expected.
static bool is_expected(const expectation *e, const char *actual)
{
    bool holds = actual != NULL;
    if (holds && e->is_equal)
        holds = strcmp(actual, e->value) == 0;
    else if (holds && e->is_part)
        holds = strstr(actual, e->value) != NULL;
    return holds != e->is_denied;
}

static line_result expect(script *s, const char *words)
{
    static const struct {
        const char *subject;
        char *(*get)(user *u, const char *name);
    } subjects[] = {
        {"item", get_item},       {"text", get_text},         {"option", get_option},
        {"model", get_model},     {"clip", get_clip},         {"frame", get_frame},
        {"playing", get_playing}, {"azimuth", get_azimuth},   {"joint", get_joint},
        {"mesh", get_mesh},       {"lesson", get_lesson},     {"material", get_material},
        {"state", get_state},     {"notice", get_notice},     {"tooltip", get_tooltip},
        {"error", get_error},     {"problem", get_problem},   {"clipboard", get_clipboard},
        {"file", get_file},       {"measured", get_measured},
    };
    const expectation e = read_expectation(words);
    line_result result = fail(s, "unknown subject '%s'", e.subject);
    for (size_t i = 0; i < COUNT_OF(subjects); i++) {
        if (strcmp(subjects[i].subject, e.subject) != 0)
            continue;
        SCOPED_STRING actual = subjects[i].get(&s->u, e.name);
        if (is_expected(&e, actual))
            result = LINE_DONE;
        else if (actual == NULL)
            result = fail(s, "the viewer does not display a value");
        else
            result = fail(s, "found '%s'", actual);
        break;
    }
    free(e.subject);
    free(e.name);
    return result;
}

// == Running ======================================================================================

line_result script_try_line(script *s)
{
    enum { NUM_WITHOUT_DOCUMENT = 4 };
    static const struct {
        const char *name;
        line_result (*run)(script *s, const char *words);
    } commands[] = {
        // Before the first `open`:
        {"open", open_file},
        {"copy", copy_file},
        {"write", write_file},
        {"limit", set_limit},
        // After it:
        {"begin", begin_actions},
        {"remove", remove_file},
        {"set", set_option},
        {"window", resize},
        {"start", open_start_page},
        {"click", click},
        {"double", click_twice},
        {"right", click_right},
        {"control", click_with_control},
        {"alt", click_with_alt},
        {"hover", hover},
        {"drag", drag},
        {"scroll", scroll},
        {"drop", drop_file},
        {"key", press_key},
        {"type", type_text},
        {"enter", enter_text},
        {"tab", tab_to},
        {"back", tab_back_to},
        {"panel", move_to_panel},
        {"wait", wait_for},
        {"expect", expect},
    };
    const bool has_document = s->u.has_document;
    const char *words;
    for (size_t i = 0; i < COUNT_OF(commands); i++) {
        if (!begins_with(s->current, commands[i].name, &words))
            continue;
        if (!has_document && i >= NUM_WITHOUT_DOCUMENT)
            return fail(s, "expected 'open' before this command");
        return commands[i].run(s, words);
    }
    return fail(s, "unknown command");
}

bool script_begin(script *s, const char *path, uint32_t width, uint32_t height)
{
    size_t size;
    *s = (script){.path = path, .width = width, .height = height};
    s->rest = s->text = test_read_file(test_path(path), &size);
    return CHECK_THAT(s->text != NULL, "cannot read %s", path);
}

void script_end(script *s)
{
    free(s->text);
}

// Terminates the next line and moves past it. Returns NULL at the end of the script.
static const char *read_line(script *s)
{
    char *const line = s->rest;
    if (*line == '\0')
        return NULL;
    s->rest += strcspn(line, "\n");
    if (*s->rest != '\0')
        *s->rest++ = '\0';
    s->line++;
    return line;
}

bool script_next_test(script *s)
{
    const char *line;
    s->max_actions = 0;
    while ((line = read_line(s)) != NULL) {
        if (begins_with(line, "test", &s->title))
            return true;
    }
    return false;
}

// Returns true if a line applies to the size of the script's image. A line that begins with `small`
// applies only to narrow images, a line with `wide` only to others. Moves *line past this word.
static bool is_for_size(const script *s, const char **line)
{
    const bool is_small = s->width < 640;
    if (begins_with(*line, "small", line))
        return is_small;
    if (begins_with(*line, "wide", line))
        return !is_small;
    return true;
}

bool script_next_line(script *s)
{
    const char *next;
    s->num_gestures = 0;
    while (!begins_with(s->rest, "test", &next) && (s->current = read_line(s)) != NULL) {
        const bool is_comment = s->current[0] == '\0' || s->current[0] == '#';
        if (!is_comment && is_for_size(s, &s->current))
            return true;
    }
    return false;
}

void script_report(const script *s)
{
    test_check(false, s->path, (int)s->line, "%s, %ux%u: %s: %s", s->title, s->width, s->height,
               s->current, s->problem);
}

void script_check_limit(const script *s)
{
    test_check(s->max_actions > 0, s->path, (int)s->line, "%s: the task has no limit", s->title);
    const unsigned limit = s->max_actions + (s->width < 640 ? 2 : 0);
    test_check(s->u.actions >= 1 && s->u.actions <= limit, s->path, (int)s->line,
               "%s, %ux%u: %u actions, expected at most %u", s->title, s->width, s->height,
               s->u.actions, limit);
}

void script_register_folder(const char *folder, void (*run)(void))
{
    common_list scripts = common_list_folder(test_path(folder), ".txt");
    for (size_t i = 0; i < scripts.count; i++) {
        test_case *const test = test_calloc(1, sizeof *test);
        char *const path = common_join(folder, common_base(scripts.names[i]));
        *test = (test_case){.name = path, .file = path, .run = run};
        test_register(test);
    }
    common_free_list(&scripts);
}
