// Tasks of users who have not read a manual, as they do them in the window: by keys, typed words,
// clicks and drops. Each of these is one action, and no task takes more than four.
#define _XOPEN_SOURCE 700 // setenv()
#include "test/own.h"
#include "test/viewer/test_view_case.h"

#include "demo/viewer/app/window.h"
#include "demo/viewer/jobs/export.h"

#include <unistd.h>

#define BOBBIN "models/bobbin/bobbin.md5mesh"
#define MACHINE "models/bobbin/bobbin.md5machine"

typedef struct desk {
    gl_scene gl;
    view_options options;
    view_state viewer;
    view_stage facts;
    char *root, *home; // folders of the project and of the user
    char *folder;      // folder for files of the task, also the home folder
    unsigned actions;
    bool holds_control; // during clicks
    uint32_t clicks;    // click count of a double click: 1, 2
} desk;

static view_scene *get_scene(desk *d)
{
    return &d->viewer.document->scene;
}

// == Actions ======================================================================================

// Returns true while an export is running.
static bool is_exporting(desk *d)
{
    view_follow_export(&d->viewer);
    return d->viewer.jobs.conversion != NULL;
}

static void draw(desk *d)
{
    view_follow_files(&d->viewer);
    for (int i = 0; is_exporting(d) && CHECK(i < MAX_WAITS); i++)
        view_sleep(0.001);
    if (d->viewer.document->companions[VIEW_RETARGETED].model
        != NULL) { // drawing moves the companion
        md5gl_target *const target = md5gl_create_target(d->viewer.renderer, 64, 48, 1, NULL);
        CHECK(view_draw(&d->viewer, target, 64, 48, false, true, NULL));
        md5gl_destroy_target(d->viewer.renderer, target);
    }
    d->facts = item_draw(&d->viewer, (float)d->viewer.width, (float)d->viewer.height);
}

static void send_input(desk *d, view_input event)
{
    bool redraw = false;
    view_handle_event(&d->viewer, &event, &redraw);
}

// Presses a key. `key` may include VIEW_WITH_SHIFT and VIEW_WITH_CTRL.
static void key(desk *d, int32_t key)
{
    view_input event = {.kind = VIEW_INPUT_KEY_DOWN,
                        .key = key & ~VIEW_KEY_FLAGS,
                        .shift = (key & VIEW_WITH_SHIFT) != 0,
                        .control = (key & VIEW_WITH_CTRL) != 0};
    send_input(d, event);
    event.kind = VIEW_INPUT_KEY_UP;
    send_input(d, event);
    draw(d);
    d->actions++;
}

// Types a word as a keyboard does: each key event, then its text.
static void type_word(desk *d, const char *word)
{
    for (; *word != '\0'; word++) {
        view_input event = {.kind = VIEW_INPUT_KEY_DOWN, .key = tolower((unsigned char)*word)};
        send_input(d, event);
        event.kind = VIEW_INPUT_TEXT;
        snprintf(event.text, sizeof event.text, "%c", *word);
        send_input(d, event);
        event.kind = VIEW_INPUT_KEY_UP;
        send_input(d, event);
    }
}

// Types a word and Enter.
static void type(desk *d, const char *word)
{
    type_word(d, word);
    key(d, VIEW_KEY_RETURN);
}

static void click_at(desk *d, float x, float y, view_button button)
{
    view_input event = {.kind = VIEW_INPUT_MOVE, .x = floorf(x), .y = floorf(y)};
    send_input(d, event);
    event.kind = VIEW_INPUT_PRESS;
    event.button = button;
    event.clicks = (uint8_t)d->clicks;
    event.control = d->holds_control;
    send_input(d, event);
    event.kind = VIEW_INPUT_RELEASE;
    send_input(d, event);
    draw(d);
    d->actions++;
}

// Returns a rectangle of the body where a click picks this joint.
static view_rect find_on_body(desk *d, uint32_t joint)
{
    const view_rect free = view_free_region(&d->facts);
    view_rect found = {.width = 0};
    view_ui *const ui = &d->viewer.ui;
    // Saved and cleared, because a click would set a partner; the same is done with the card.
    const uint32_t picked = d->viewer.panels.retarget.picked;
    const view_overlay over = ui->over;
    d->viewer.panels.retarget.picked = 0;
    ui->over = VIEW_OVERLAY_NONE;
    for (float step = 32.0f; !(found.width > 0.0f) && step >= 8.0f; step *= 0.5f)
        for (float y = free.y; !(found.width > 0.0f) && y < free.y + free.height; y += step)
            for (float x = free.x; !(found.width > 0.0f) && x < free.x + free.width; x += step) {
                view_pick_at(&d->viewer, x, y);
                if (d->viewer.pick.is_set && d->viewer.pick.joint == (int32_t)joint)
                    found = (view_rect){x, y, 1, 1};
            }
    d->viewer.pick.is_set = false;
    ui->selected_joint = -1;
    d->viewer.panels.retarget.picked = picked;
    ui->over = over;
    return found;
}

// Clicks. `how` is click, right, double or control. `place` is an item; "0.1 panel/label" is a
// fraction of its width from the left; "body 0.4" is a fraction of the height of the free region,
// in its middle; "skin JOINT" is a point of the body that the joint moves.
static void click_on(desk *d, const char *how, const char *place)
{
    char *item;
    float across = strtof(place, &item);
    const bool is_body = strncmp(place, "body ", 5) == 0;
    const bool is_skin = strncmp(place, "skin ", 5) == 0;
    view_rect at;
    if (is_body)
        at = view_free_region(&d->facts);
    else if (is_skin)
        at = find_on_body(d, md5_find_joint(get_scene(d)->skeleton, place + 5));
    else
        at = item_find(&d->viewer, &d->facts, item + strspn(item, " "));
    CHECK_THAT(at.width > 0.0f, "there is no %s", item);
    across = item == place ? 0.5f : across;
    const float down = is_body ? strtof(place + 5, NULL) : 0.5f;
    const bool is_twice = how[0] == 'd';
    d->holds_control = strcmp(how, "control") == 0;
    d->clicks = 1;
    for (; d->clicks <= (is_twice ? 2U : 1U); d->clicks++)
        click_at(d, at.x + across * at.width, at.y + down * at.height,
                 how[0] == 'r' ? VIEW_BUTTON_RIGHT : VIEW_BUTTON_LEFT);
    d->actions -= is_twice ? 1U : 0U; // a double click is one action
    d->holds_control = false;
    d->clicks = 1;
}

// Presses a key that moves the focus until it is at an item, or at any item of a panel.
static void focus_on(desk *d, int32_t with, const char *item)
{
    enum { MOST = 40 };
    const view_ui *const ui = &d->viewer.ui;
    bool has_focus = false;
    for (unsigned i = 0; i < MOST && !has_focus; i++) {
        key(d, with);
        const view_rect at = item_find(&d->viewer, &d->facts, item);
        const bool is_at_item =
            at.width > 0.0f && at.x == ui->focus_rect.x && at.y == ui->focus_rect.y;
        if (ui->is_focus_shown && ui->focus.panel != NULL)
            has_focus = is_at_item || strcmp(ui->focus.panel, item) == 0;
    }
    CHECK_THAT(has_focus, "no key leads to %s", item);
}

static void click(desk *d, const char *item)
{
    click_on(d, "click", item);
}

// Clicks on the middle of the model, which is in the middle of the free region.
static void click_body(desk *d, float down)
{
    const view_rect free = view_free_region(&d->facts);
    click_at(d, free.x + 0.5f * free.width, free.y + down * free.height, VIEW_BUTTON_LEFT);
}

// Drops a file on the body.
static void drop(desk *d, const char *path)
{
    const view_rect free = view_free_region(&d->facts);
    send_input(d, (view_input){.kind = VIEW_INPUT_DROP,
                               .is_alone = true,
                               .x = free.x + 0.5f * free.width,
                               .y = free.y + 0.4f * free.height,
                               .path = common_copy(path)});
    draw(d);
    d->actions++;
}

// == Tasks ========================================================================================
//
// A task is a file of tasks/. Its first line is the goal of the user, and "at most N" is the limit
// of actions. prepare() reads the initial state, execute_line() the actions, and is_so() the
// expected results. $ is the folder of a task. Lines that begin with `small` are for a narrow
// window, and lines with `wide` for the others.

// Parses a key such as "Ctrl+Shift+Z".
static int32_t read_key(const char *words)
{
    static const struct {
        const char *name;
        int32_t key;
    } names[] = {{"Enter", VIEW_KEY_RETURN}, {"Tab", VIEW_KEY_TAB},    {"F6", VIEW_KEY_F(6)},
                 {"Menu", VIEW_KEY_MENU},    {"Left", VIEW_KEY_LEFT},  {"Right", VIEW_KEY_RIGHT},
                 {"Up", VIEW_KEY_UP},        {"Esc", VIEW_KEY_ESCAPE}, {"Down", VIEW_KEY_DOWN}};
    int32_t flags = 0;
    for (const char *plus; (plus = strchr(words, '+')) != NULL && plus[1] != '\0'; words = plus + 1)
        flags |= words[0] == 'C' ? VIEW_WITH_CTRL : VIEW_WITH_SHIFT;
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (strcmp(names[i].name, words) == 0)
            return names[i].key | flags;
    return tolower((unsigned char)words[0]) | flags;
}

// Returns a path in the project, or in the folder of the task if it begins with $. The caller frees
// it.
static char *make_path(const desk *d, const char *name)
{
    return name[0] == '$' ? common_format("%s%s", d->folder, name + 1)
                          : common_join(d->root, test_path(name));
}

static bool is_so(desk *d, const char *what, char *words)
{
    view_state *const viewer = &d->viewer;
    view_scene *const scene = get_scene(d);
    if (strcmp(what, "item") == 0)
        return item_find(viewer, &d->facts, words).width > 0.0f;
    if (strcmp(what, "clip") == 0)
        return strcmp(scene->clips[scene->clip].name, words) == 0;
    if (strcmp(what, "model") == 0)
        return strcmp(scene->name, words) == 0;
    if (strcmp(what, "frame") == 0)
        return fabs(view_frame_position(&viewer->play, view_timing_anim(scene))
                    - strtod(words, NULL))
               < 0.01;
    if (strcmp(what, "measured") == 0)
        return viewer->measured.is_set;
    if (strcmp(what, "azimuth") == 0)
        return fabs((double)viewer->cameras.user.azimuth - strtod(words, NULL)) < 1e-3;
    const md5_machine_desc *const desc = scene->machine.desc;
    if (strcmp(what, "state") == 0)
        for (uint32_t i = 0; desc != NULL && i < desc->num_layers; i++) {
            const uint32_t now = md5_player_layer(scene->machine.player, i).state;
            if (strcmp(desc->layers[i].states[now].name, words) == 0)
                return true;
        }
    if (strcmp(what, "joint") == 0)
        return viewer->ui.selected_joint == (int32_t)md5_find_joint(scene->skeleton, words);
    for (size_t i = 0; strcmp(what, "problem") == 0 && i < viewer->reports.count; i++)
        if (strcmp(viewer->reports.rows[i].text, words) == 0)
            return true;
    if (strcmp(what, "error") == 0)
        return strstr(viewer->log.error, words) != NULL;
    if (strcmp(what, "notice") == 0)
        return strstr(viewer->ui.notice, words) != NULL;
    char *const rest = words + strcspn(words, " "); // the text after a name
    const char *const value = *rest != '\0' ? rest + 1 : "";
    *rest = '\0';
    if (strcmp(what, "file") == 0) {
        OWN_STRING path = make_path(d, words);
        size_t size = 0;
        OWN_STRING text = common_is_file(path) ? test_read_file(path, &size) : NULL;
        return text != NULL && strstr(text, value) != NULL;
    }
    if (strcmp(what, "option") == 0) {
        OWN_STRING text =
            view_write_option(view_find_option(words, strlen(words)), viewer->options);
        return text != NULL && strstr(text, value) != NULL;
    }
    return false;
}

static void execute_line(desk *d, const char *what, const char *words)
{
    OWN_STRING path = make_path(d, words);
    if (strcmp(what, "key") == 0)
        key(d, read_key(words));
    else if (strcmp(what, "type") == 0)
        type(d, words[0] == '$' ? path : words);
    else if (strcmp(what, "word") == 0)
        type_word(d, words);
    else if (strcmp(what, "drop") == 0)
        drop(d, path);
    else if (strcmp(what, "tab") == 0)
        focus_on(d, VIEW_KEY_TAB, words);
    else if (strcmp(what, "panel") == 0)
        focus_on(d, VIEW_KEY_F(6), words);
    else if (strcmp(what, "back") == 0)
        focus_on(d, VIEW_KEY_TAB | VIEW_WITH_SHIFT, words);
    else if (CHECK_THAT(strstr("click right double control", what) != NULL, "no action: %s", what))
        click_on(d, what, words);
    d->viewer.now += 1.0; // longer than the delay of settings
    draw(d);
}

static bool open_file(desk *d, const char *file)
{
    OWN_STRING path = file != NULL ? make_path(d, file) : NULL;
    const char *const files[] = {path};
    if (!CHECK(view_open(&d->viewer, files, file != NULL, file != NULL)))
        return false;
    view_pose(get_scene(d), &d->viewer.play);
    view_skin(get_scene(d));
    view_frame_document(&d->viewer, d->viewer.width, d->viewer.height);
    draw(d);
    return true;
}

static void close_desk(desk *d)
{
    view_stop_export(&d->viewer); // the window does the same
    view_end(&d->viewer);
    view_free_options(&d->options);
    scene_close(&d->gl);
    CHECK(chdir(d->root) == 0);
    folder_remove(d->folder);
    CHECK((d->home != NULL ? setenv("HOME", d->home, 1) : unsetenv("HOME")) == 0);
    free(d->home);
    free(d->root);
}

// Opens a window of this size with a model. NULL: with the document that is shown by default; "":
// without a document.
static bool open_sized(desk *d, const char *file, uint32_t width, uint32_t height)
{
    char problem[256];
    *d = (desk){.root = common_absolute("."), .folder = folder_make(), .clicks = 1};
    const char *const home = getenv("HOME");
    d->home = home != NULL ? common_copy(home) : NULL;
    CHECK(setenv("HOME", d->folder, 1) == 0);
    CHECK(view_read_options(0, NULL, &d->options, problem, sizeof problem));
    d->options.level = VIEW_QUIET;
    if (!scene_share(&d->gl))
        return false;
    view_begin(&d->viewer, &d->options);
    d->viewer.options->lights = view_usual_lights();
    d->viewer.renderer = d->gl.renderer;
    d->viewer.width = width;
    d->viewer.height = height;
    return CHECK(view_set_scale(&d->viewer, 1.0f))
           && ((file != NULL && file[0] == '\0') || open_file(d, file));
}

static bool open_desk(desk *d, const char *file)
{
    return open_sized(d, file, 1280, 720);
}

// Executes a line of the initial state. Returns false for any other line.
static bool prepare(desk *d, const char *what, char *words)
{
    char *const rest = words + strcspn(words, " ");
    const char *const second = *rest != '\0' ? rest + 1 : "";
    size_t size;
    if (strcmp(what, "open") == 0) {
        CHECK(open_file(d, words));
    } else if (strcmp(what, "set") == 0) {
        *rest = '\0';
        OWN_STRING path = make_path(d, second);
        const char *const value = strchr(second, '/') != NULL ? path : second;
        CHECK(view_set_option(&d->viewer, view_find_option(words, strlen(words)),
                              common_text_value(value)));
        draw(d);
    } else if (strcmp(what, "start") == 0) {
        PERFORM(&d->viewer, VIEW_START_PAGE);
        draw(d);
    } else if (strcmp(what, "scroll") == 0) { // over an item; does not count as an action
        const view_rect at = item_find(&d->viewer, &d->facts, second);
        send_input(d, (view_input){.kind = VIEW_INPUT_MOVE, .x = at.x + 9.0f, .y = at.y + 9.0f});
        send_input(
            d, (view_input){
                   .kind = VIEW_INPUT_WHEEL, .x = at.x, .y = at.y, .wheel = strtof(words, NULL)});
        draw(d);
    } else if (strcmp(what, "begin") == 0) {
        d->actions = 0; // earlier actions do not count
    } else if (strcmp(what, "copy") == 0 || strcmp(what, "write") == 0) {
        *rest = '\0';
        OWN_STRING path = make_path(d, words);
        OWN_STRING bytes = what[0] == 'c' ? test_read_file(path, &size) : NULL;
        if (bytes != NULL)
            folder_put(d->folder, second, bytes, size);
        else
            folder_put_text(d->folder, words, second);
    } else {
        return false;
    }
    return true;
}

static void run_task(const char *path, uint32_t width, uint32_t height)
{
    desk d;
    size_t size;
    unsigned long max_actions = 0;
    const bool is_small = width < 640; // a task may take two more actions in a small window
    OWN_STRING text = test_read_file(path, &size);
    char *rest = text;
    const bool opens = strstr(text, "\nopen ") != NULL; // before the first action
    const bool is_there = open_sized(&d, opens ? "" : NULL, width, height);
    CHECK(chdir(d.folder) == 0); // the folder for written files
    const char *const title = strtok_r(rest, "\n", &rest);
    for (char *line; is_there && (line = strtok_r(NULL, "\n", &rest)) != NULL;) {
        const bool is_for_wide = strncmp(line, "wide ", 5) == 0;
        const bool is_for_small = strncmp(line, "small ", 6) == 0;
        if (is_small ? is_for_wide : is_for_small)
            continue;
        if (is_for_wide)
            line += strlen("wide ");
        else if (is_for_small)
            line += strlen("small ");
        OWN_STRING whole = common_copy(line);
        const bool is_claim = strncmp(line, "expect ", 7) == 0;
        const bool is_denied = is_claim && strncmp(line + 7, "no ", 3) == 0;
        char *what = line;
        if (is_claim)
            what += is_denied ? strlen("expect no ") : strlen("expect ");
        char *const gap = strchr(what, ' ');
        char *const words = gap != NULL ? gap + 1 : what + strlen(what);
        if (gap != NULL)
            *gap = '\0';
        if (strcmp(what, "at") == 0)
            max_actions = strtoul(words + strlen("most "), NULL, 10);
        else if (is_claim)
            CHECK_THAT(is_so(&d, what, words) != is_denied, "%s, %ux%u: %s", title, width, height,
                       whole);
        else if (!prepare(&d, what, words))
            execute_line(&d, what, words);
    }
    CHECK_THAT(d.actions >= 1 && d.actions <= max_actions + (is_small ? 2 : 0),
               "%s, %ux%u: %u actions", title, width, height, d.actions);
    close_desk(&d);
}

// Tasks with a number are also done in small windows.
TEST (view_tasks_take_few_actions) {
    common_list tasks = common_list_folder(test_path("test/viewer/tasks"), ".txt");
    CHECK_UINT(tasks.count, 68);
    for (size_t i = 0; i < tasks.count; i++) {
        run_task(tasks.names[i], 1280, 720);
        if (isdigit((unsigned char)common_base(tasks.names[i])[0])) {
            run_task(tasks.names[i], 800, 600);
            run_task(tasks.names[i], 420, 300);
        }
    }
    common_free_list(&tasks);
}

#define TEST_HERE(title, file) \
    TEST_IF (title, desk, d, open_desk(d, file) || (close_desk(d), false), close_desk(d))

// == Touch input ==================================================================================

static void finger(desk *d, float x, float y, view_input_kind kind)
{
    send_input(d,
               (view_input){.kind = kind,
                            .button = kind == VIEW_INPUT_MOVE ? VIEW_BUTTON_NONE : VIEW_BUTTON_LEFT,
                            .clicks = 1,
                            .x = x,
                            .y = y,
                            .moved_y = -30,
                            .is_touch = kind == VIEW_INPUT_PRESS});
    draw(d);
}

static void make_upright(desk *d)
{
    d->viewer.width = 390;
    d->viewer.height = 844;
    draw(d);
}

// The stick drives the character. A second finger makes no click of the first one. A long press
// opens the menu. The sheet is at the bottom.
TEST_HERE (view_fingers_do_what_keys_do, MACHINE) {
    make_upright(d);
    CHECK(!(view_stick_position(&d->facts).reach > 0.0f));
    finger(d, 195.0f, 300.0f, VIEW_INPUT_PRESS);
    send_input(d, (view_input){
                      .kind = VIEW_INPUT_RELEASE, .button = VIEW_BUTTON_LEFT, .is_given_up = true});
    CHECK(d->viewer.ui.selected_joint < 0 && !d->viewer.pick.is_set);
    const view_stick stick = view_stick_position(&d->facts);
    const view_control *const control = &get_scene(d)->machine.control;
    const float azimuth = d->viewer.cameras.user.azimuth;
    CHECK(stick.reach > 0.0f && stick.x < 195.0f && stick.y > 422.0f);
    finger(d, stick.x, stick.y, VIEW_INPUT_PRESS);
    CHECK(control->ahead == 0 && control->side == 0);
    finger(d, stick.x, stick.y - 0.6f * stick.reach, VIEW_INPUT_MOVE);
    CHECK(control->ahead == 1 && !control->fast);
    finger(d, stick.x - 0.6f * stick.reach, stick.y - 2.0f * stick.reach, VIEW_INPUT_MOVE);
    CHECK(control->ahead == 1 && control->fast && d->viewer.input.stick.pad.y > -1.0f);
    send_input(d, (view_input){.kind = VIEW_INPUT_PRESS, .button = VIEW_BUTTON_RIGHT});
    CHECK(control->ahead == 0 && control->side == 0 && !control->fast);
    finger(d, stick.x, stick.y - 0.6f * stick.reach, VIEW_INPUT_PRESS);
    CHECK(control->ahead == 1);
    finger(d, stick.x, stick.y, VIEW_INPUT_RELEASE);
    CHECK(control->ahead == 0 && control->side == 0 && !control->fast);
    CHECK(d->viewer.cameras.user.azimuth == azimuth && d->viewer.ui.selected_joint < 0);
    finger(d, 195.0f, 300.0f, VIEW_INPUT_PRESS);
    send_input(
        d, (view_input){.kind = VIEW_INPUT_RELEASE, .button = VIEW_BUTTON_LEFT, .is_long = true});
    CHECK(d->viewer.panels.menu.kind != VIEW_NO_MENU);
    key(d, VIEW_KEY_ESCAPE);
    click(d, "handle/handle");
    const view_rect sheet = view_current_layout(&d->facts).docks[d->facts.docks.front];
    CHECK(sheet.width == 390.0f && sheet.y > 400.0f && sheet.height > 300.0f);
    CHECK(!(view_stick_position(&d->facts).reach > 0.0f));
}

// The handle follows the finger and then moves to the nearest of three heights. A tap, even with a
// small movement, moves it to the next height. The image ends above the sheet, except at the
// largest height.
TEST_HERE (view_sheet_of_an_upright_window_has_three_heights, BOBBIN) {
    make_upright(d);
    const view_layout peek = view_current_layout(&d->facts);
    const float middle = 0.5f * peek.handle.height;
    CHECK(peek.time.y + peek.time.height == 844.0f && peek.handle.height > 0.0f);
    CHECK(peek.free.y + peek.free.height == peek.handle.y);
    finger(d, 200.0f, peek.handle.y + middle, VIEW_INPUT_PRESS);
    finger(d, 200.0f, peek.handle.y + middle - 2.0f, VIEW_INPUT_MOVE);
    finger(d, 200.0f, peek.handle.y + middle - 2.0f, VIEW_INPUT_RELEASE);
    const view_layout half = view_current_layout(&d->facts);
    CHECK_NEAR(half.handle.y, 0.55f * 844.0f, 2);
    CHECK(half.free.y + half.free.height == half.handle.y);
    CHECK(view_free_region(&d->facts).height == half.free.height);
    finger(d, 200.0f, half.handle.y + middle, VIEW_INPUT_PRESS);
    finger(d, 200.0f, 300.0f, VIEW_INPUT_MOVE);
    CHECK_NEAR(view_current_layout(&d->facts).handle.y, 300.0f - middle, 1);
    finger(d, 200.0f, 100.0f, VIEW_INPUT_MOVE);
    finger(d, 200.0f, 100.0f, VIEW_INPUT_RELEASE);
    const view_layout full = view_current_layout(&d->facts);
    CHECK(full.handle.y == full.menu.height && full.free.height == half.free.height);
    click(d, "handle/handle");
    CHECK(view_current_layout(&d->facts).handle.y == peek.handle.y);
    finger(d, 200.0f, peek.handle.y + middle, VIEW_INPUT_PRESS);
    finger(d, 200.0f, 500.0f, VIEW_INPUT_MOVE);
    finger(d, 200.0f, 500.0f, VIEW_INPUT_RELEASE);
    CHECK(view_current_layout(&d->facts).handle.y == half.handle.y);
    CHECK(!(view_current_layout(&d->facts).docks[VIEW_DOCK_BOTTOM].width > 0.0f));
    d->viewer.width = 800; // rotated to landscape: the sheet is at the right
    d->viewer.height = 360;
    finger(d, 100.0f, 100.0f, VIEW_INPUT_PRESS);
    d->viewer.ui.docks.is_sheet_open = true;
    draw(d);
    const view_layout wide = view_current_layout(&d->facts);
    const view_rect sheet = wide.docks[d->facts.docks.front];
    CHECK(!(wide.handle.width > 0.0f) && sheet.x + sheet.width == 800.0f);
    CHECK(wide.arrangement == VIEW_ARRANGE_SHEET && wide.is_phone && sheet.x > 300.0f);
}

// The tabs of the sheet select parts of the docks.
TEST_HERE (view_sheet_has_tabs_for_fingers, BOBBIN) {
    make_upright(d);
    click(d, "handle/handle");
    CHECK(item_find(&d->viewer, &d->facts, "clip/dance").width > 0.0f);
    CHECK(!(item_find(&d->viewer, &d->facts, "joint/head").width > 0.0f));
    click(d, "tab/Joints");
    CHECK(!(item_find(&d->viewer, &d->facts, "clip/dance").width > 0.0f));
    CHECK(item_find(&d->viewer, &d->facts, "joint/head").width > 0.0f);
    click(d, "tab/Display");
    click(d, "look/Weights");
    CHECK(d->viewer.options->surface == VIEW_SURFACE_WEIGHTS);
    click(d, "look/Wireframe");
    CHECK(d->viewer.options->shown.edges);
    CHECK(item_find(&d->viewer, &d->facts, "look/Shadows").width > 0.0f);
    CHECK(item_find(&d->viewer, &d->facts, "look/Background").width > 0.0f);
    key(d, 'l' | VIEW_WITH_SHIFT); // the sliders of lights are in the inspector
    CHECK(!(item_find(&d->viewer, &d->facts, "look/Wireframe").width > 0.0f));
    key(d, 'b' | VIEW_WITH_CTRL); // closes the outliner, which its tab opens again
    click(d, "tab/Clips");
    CHECK(item_find(&d->viewer, &d->facts, "clip/dance").width > 0.0f);
    click(d, "tab/Export");
    CHECK(d->viewer.ui.over == VIEW_OVERLAY_EXPORT);
}

TEST_HERE (view_sheet_of_a_machine_has_its_states, MACHINE) {
    make_upright(d);
    click(d, "handle/handle");
    click(d, "tab/States");
    CHECK(item_find(&d->viewer, &d->facts, "layer/body").width > 0.0f);
}

TEST_HERE (view_touch_buttons_are_commands, BOBBIN) {
    CHECK(!(item_find(&d->viewer, &d->facts, "button/Home").width > 0.0f)); // with a mouse
    make_upright(d);
    const bool had_grid = d->viewer.options->shown.grid;
    click(d, "button/Grid");
    CHECK(d->viewer.options->shown.grid == !had_grid);
    click(d, "button/Shading");
    CHECK(d->viewer.options->surface == VIEW_SURFACE_LIT + 1);
    d->viewer.cameras.user.distance *= 3.0f;
    const float far = d->viewer.cameras.user.distance;
    click(d, "button/Home");
    CHECK(d->viewer.cameras.user.distance < 0.5f * far);
    click(d, "handle/handle");
    click(d, "handle/handle"); // the sheet covers the buttons
    CHECK(!(item_find(&d->viewer, &d->facts, "button/Home").width > 0.0f));
}

// A finger that moves on a list scrolls it, and the list continues to scroll afterwards. A finger
// that does not move presses, or, after some time, opens a menu. A finger that moves sideways drags
// the item.
TEST_HERE (view_finger_scrolls_the_list_below_it, BOBBIN) {
    make_upright(d);
    click(d, "handle/handle");
    const view_layout layout = view_current_layout(&d->facts);
    const view_rect sheet = layout.docks[VIEW_DOCK_LEFT];
    const float x = 100.0f;
    const float y = sheet.y + 0.7f * sheet.height;
    const ui_scroll *const scroll = &d->viewer.ui.scrolls[VIEW_DOCK_LEFT];
    view_browser *const list = &d->viewer.panels.browser;
    const size_t clip = get_scene(d)->clip;
    const bool playing = d->viewer.play.playing;
    const float before = scroll->wanted;
    finger(d, x, y, VIEW_INPUT_PRESS);
    finger(d, x, y - 60.0f, VIEW_INPUT_MOVE);
    CHECK(scroll->wanted == before + 60.0f && scroll->shown == scroll->wanted);
    finger(d, x, y - 90.0f, VIEW_INPUT_MOVE);
    CHECK(scroll->wanted == before + 90.0f);
    finger(d, x, y - 90.0f, VIEW_INPUT_RELEASE);
    CHECK(scroll->wanted > before + 200.0f && get_scene(d)->clip == clip);
    finger(d, x, y, VIEW_INPUT_PRESS);
    CHECK(get_scene(d)->clip == clip);
    finger(d, x, y + 3.0f, VIEW_INPUT_RELEASE);
    CHECK(get_scene(d)->clip != clip);
    finger(d, x, y, VIEW_INPUT_PRESS);
    send_input(d, (view_input){.kind = VIEW_INPUT_RELEASE, .is_long = true});
    CHECK(d->viewer.panels.menu.kind == VIEW_MENU_OF_CONTEXT);
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

    view_open_browser(list, VIEW_BROWSE_CLIPS, 0, get_scene(d));
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

// Thumbnails of visible clips are drawn, one at a time, and the document is unchanged.
TEST_HERE (view_clips_have_thumbnails_on_a_phone, BOBBIN) {
    const view_document *const document = d->viewer.document;
    const view_camera camera = d->viewer.cameras.user;
    uint32_t num_made = 0;
    uint32_t num_drawn = 0;
    CHECK(!view_draw_next_thumbnail(&d->viewer)); // the clips are not listed
    make_upright(d);
    click(d, "handle/handle");
    const md5_bounds bounds = document->bounds;
    const size_t clip = document->scene.clip;
    while (num_made < 100 && view_draw_next_thumbnail(&d->viewer))
        num_made++;
    for (uint32_t i = 0; i < document->num_pictures; i++) {
        view_clip_picture *const picture = &document->pictures[i];
        num_drawn += picture->texture != 0;
    }
    CHECK_UINT(document->num_pictures, document->scene.num_clips);
    CHECK(num_made >= 6 && num_made < 30 && num_drawn == num_made);
    CHECK_BYTES(&document->bounds, &bounds, sizeof bounds);
    CHECK(document->scene.clip == clip && d->viewer.cameras.user.distance == camera.distance);
    d->viewer.ui.scrolls[VIEW_DOCK_LEFT].wanted = 600.0f;
    draw(d);
    CHECK(view_draw_next_thumbnail(&d->viewer));
}

// Thumbnails show the document, even while the contents of the pages cover it.
TEST_HERE (view_thumbnails_show_the_document, BOBBIN) {
    enum { SIDE = 64 };
    static uint8_t pictures[2][4 * SIDE * SIDE];
    d->options.page = "contents";
    for (int i = 0; i < 2; i++) {
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
        send_input(d, tap);
        tap.kind = VIEW_INPUT_RELEASE;
        send_input(d, tap);
        draw(d);
    }
}

// A double tap on the body zooms in; a double tap next to it shows everything.
TEST_HERE (view_double_tap_zooms_to_the_spot, BOBBIN) {
    const view_rect free = view_free_region(&d->facts);
    const view_camera all = d->viewer.cameras.user;
    click_body(d, 0.4f);
    CHECK(d->viewer.cameras.user.distance == all.distance); // a single tap has no effect
    tap_twice(d, free.x + 0.5f * free.width, free.y + 0.4f * free.height);
    CHECK(d->viewer.cameras.user.distance < 0.5f * all.distance);
    CHECK(d->viewer.cameras.user.target.z > all.target.z); // the spot is above the middle
    d->viewer.cameras.user = all;
    d->viewer.cameras.user.distance *= 3.0f;
    tap_twice(d, free.x + 40.0f, free.y + 40.0f);
    CHECK(!d->viewer.pick.is_set);
    CHECK_NEAR(d->viewer.cameras.user.distance, all.distance, 1e-3 * (double)all.distance);
}

// The list of keys covers a page as well as a model, and Esc closes the list first.
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

// == Gamepads ====================================================================================

// Buttons and stick of a gamepad are reported as pressed and released keys, once each.
TEST (view_gamepads_press_the_keys_that_drive) {
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
    uint32_t told = 0;
    for (size_t i = 0; i < COUNT_OF(steps); i++) {
        char pressed[16] = "";
        char released[16] = "";
        view_pad pad = steps[i].pad;
        view_input event;
        pad.told = told;
        while (view_next_pad_key(&pad, &event)) {
            char *const text = event.kind == VIEW_INPUT_KEY_DOWN ? pressed : released;
            const size_t length = strlen(text);
            REQUIRE(length < sizeof pressed - 1);
            text[length] = event.key == VIEW_KEY_LEFT_SHIFT ? 'S' : (char)event.key;
            text[length + 1] = '\0';
        }
        CHECK_STRING(pressed, steps[i].pressed);
        CHECK_STRING(released, steps[i].released);
        told = pad.told;
    }
}

// == Random input =================================================================================

// Returns the name of an open part that Esc does not close, or NULL.
static const char *find_open_part(const desk *d)
{
    const view_ui *const ui = &d->viewer.ui;
    if (ui->modal)
        return ui->modal;
    if (d->viewer.panels.menu.kind != VIEW_NO_MENU)
        return "menu";
    if (d->viewer.panels.browser.kind != VIEW_BROWSE_NOTHING)
        return "list";
    if (d->viewer.panels.start.is_open)
        return "start page";
    if (d->viewer.pages.open >= 0)
        return "page";
    if (d->viewer.log.error[0] != '\0')
        return "error";
    if (ui->focus.panel)
        return ui->focus.panel;
    if (d->viewer.options->shown.help)
        return "keys";
    if (ui->selected_joint >= 0)
        return "joint";
    return view_controls_character(&d->viewer) ? "driving" : NULL;
}

// Sends random keys, letters, clicks and wheel steps. After each 200 of them Esc must close
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
    view_export_choices *const choices = &d->viewer.panels.export.choices;
    uint64_t random = 7;
    for (uint32_t i = 1; i <= num_events; i++) {
        // The default folder of the export dialog is the folder of the model.
        (void)snprintf(choices->folder, sizeof choices->folder, "%s", d->folder);
        const uint32_t kind = test_random_u32(&random) % 8;
        const uint32_t which = test_random_u32(&random);
        const float x = (float)test_random(&random) * (float)d->viewer.width;
        const float y = (float)test_random(&random) * (float)d->viewer.height;
        static const int modifier_choices[4] = {VIEW_WITH_CTRL, VIEW_WITH_SHIFT, 0, 0};
        const int modifiers = modifier_choices[(which >> 16) % 4];
        const int32_t letter = 'a' + (int32_t)(which % 26);
        if (kind < 2) {
            key(d, keys[which % NUM_KEYS] | modifiers);
        } else if (kind < 4) {
            const view_input event = {.kind = VIEW_INPUT_TEXT, .text = {(char)letter}};
            key(d, letter | modifiers);
            if (modifiers == 0)
                send_input(d, event);
        } else {
            click_at(d, x, y, kind == 7 ? VIEW_BUTTON_RIGHT : VIEW_BUTTON_LEFT);
        }
        const int num_open = (d->viewer.panels.menu.kind != VIEW_NO_MENU)
                             + (ui->over == VIEW_OVERLAY_EXPORT)
                             + (d->viewer.panels.browser.kind != VIEW_BROWSE_NOTHING);
        CHECK_THAT(num_open <= 1, "after %u events %d lie over the picture", i, num_open);
        free(d->viewer.panels.textures.saved); // prevents writing of this file
        d->viewer.panels.textures.saved = NULL;
        if (i % BETWEEN != 0)
            continue;
        for (int k = 0; k < 20 && find_open_part(d) != NULL; k++)
            key(d, VIEW_KEY_ESCAPE);
        CHECK_THAT(find_open_part(d) == NULL, "after %u events Esc does not leave: %s", i,
                   find_open_part(d));
        d->viewer.input.quits = false;
    }
}

static void walk_over(const char *file, uint32_t num_events)
{
    desk d;
    char folder[1024];
    if (open_desk(&d, file) && CHECK(getcwd(folder, sizeof folder))
        && CHECK(chdir(d.folder) == 0)) { // images are written to this folder
        walk(&d, num_events);
        CHECK(chdir(folder) == 0);
    }
    close_desk(&d);
}

TEST (view_escape_closes_everything) {
    walk_over(BOBBIN, 1000);
}

// MD5_RANDOM_EVENTS=100000 sends more events.
TEST_LONG (view_escape_closes_everything_repeatedly) {
    const char *const given = getenv("MD5_RANDOM_EVENTS");
    const uint32_t count = given != NULL ? (uint32_t)strtoul(given, NULL, 10) : 20000;
    walk_over(MACHINE, count / 2);
    walk_over(BOBBIN, count / 2);
}
