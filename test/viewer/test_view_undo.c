// Undo and redo: undone changes restore all options bit-identically, and redo applies them again.
#include "test/scoped.h"
#include "test/viewer/test_view_case.h"

#include "demo/viewer/app/window.h"

#define BOBBIN screen_open(s, "models/bobbin/bobbin.md5mesh", 320, 240)
#define THIMBLE screen_open(s, "models/thimble/thimble.md5mesh", 320, 240)

#define MONSTER "models/game/base::monster_bobbin"

// Checks the value of an option as text. `text` is NULL if the option must have its default.
static void check_option(const screen *s, const char *option, const char *text)
{
    SCOPED_STRING current =
        view_write_option(view_find_option(option, strlen(option)), &s->options);
    const char *const expected = text != NULL ? text : "-";
    CHECK_STRING(current != NULL ? current : "-", expected);
}

// Returns the texts of all options.
static char *option_texts(const view_options *options)
{
    char *text = common_copy("");
    for (size_t i = 0; i < view_num_options; i++) {
        SCOPED_STRING value = view_write_option(&view_option_rows[i], options);
        common_extend(&text, " %s=%s", view_option_rows[i].name, value != NULL ? value : "none");
    }
    return text;
}

// Executes a command of the user, a second after the last one.
static void execute(screen *s, view_command command)
{
    s->viewer.uptime += 1.0;
    view_execute(&s->viewer, command);
    view_store_step(&s->viewer);
}

// Stores the initial state as the first undo step, as a window does before its first event.
static void begin(screen *s)
{
    view_store_step(&s->viewer);
}

static void undo(screen *s)
{
    execute(s, (view_command){.action = VIEW_UNDO});
}

static void redo(screen *s)
{
    execute(s, (view_command){.action = VIEW_REDO});
}

static size_t option_index(const char *name)
{
    return (size_t)(view_find_option(name, strlen(name)) - view_option_rows);
}

// A crowd is framed as a whole. Undo restores the camera that the user had moved before, and redo
// frames the crowd again.
TEST_SCREEN (view_undo_of_a_crowd_restores_the_camera, BOBBIN) {
    view_camera *const camera = &s->viewer.cameras.user;
    begin(s);
    camera->azimuth += 0.5f;
    camera->distance *= 0.8f;
    camera->target.z += 3;
    view_store_step(&s->viewer);
    const view_camera before = *camera;
    execute(s, view_set_command(VIEW_OPTION(crowd), common_number_value(20)));
    CHECK_UINT(s->viewer.document->crowd.count, 20);
    const view_framing *const framing = &s->viewer.cameras.framing;
    const float fitting = view_fitting_distance(camera, &s->viewer.document->hull, 1,
                                                framing->width, framing->height);
    CHECK(framing->width > 0 && fitting <= camera->distance);
    undo(s);
    CHECK_UINT(s->viewer.document->crowd.count, 0);
    CHECK_NEAR(camera->distance, before.distance, 1e-4);
    CHECK_NEAR(camera->azimuth, before.azimuth, 1e-6);
    CHECK_NEAR(camera->target.z, before.target.z, 1e-4);
}

// Undo, redo and the history are gray if no step exists.
TEST_SCREEN (view_undo_is_gray_without_steps, BOBBIN) {
    const view_menu_entry *const undo_entry = view_find_shortcut('z' | VIEW_WITH_CTRL);
    const view_menu_entry *const redo_entry =
        view_find_shortcut('z' | VIEW_WITH_CTRL | VIEW_WITH_SHIFT);
    begin(s);
    view_stage stage = item_draw(&s->viewer, 320, 240);
    CHECK_UINT(view_missing_needs(&stage, undo_entry), VIEW_NEEDS_UNDO);
    CHECK_UINT(view_missing_needs(&stage, redo_entry), VIEW_NEEDS_REDO);
    execute(s, (view_command){.action = view_get_toggle(VIEW_OPTION(shown.edges))});
    stage = item_draw(&s->viewer, 320, 240);
    CHECK_UINT(view_missing_needs(&stage, undo_entry), 0);
    CHECK_UINT(view_missing_needs(&stage, redo_entry), VIEW_NEEDS_REDO);
    undo(s);
    stage = item_draw(&s->viewer, 320, 240);
    CHECK_UINT(view_missing_needs(&stage, undo_entry), VIEW_NEEDS_UNDO);
    CHECK_UINT(view_missing_needs(&stage, redo_entry), 0);
}

// The character died and got up again. Undo first returns to the dead character, then to the living
// one.
TEST_SCREEN (view_undoes_a_death, BOBBIN) {
    const view_fall *const fall = s->viewer.document->scene.fall;
    REQUIRE(fall != NULL);
    begin(s);
    s->viewer.play.time = 1;
    execute(s, (view_command){.action = VIEW_TOGGLE_RAGDOLL});
    CHECK(view_has_died(fall, 1) && view_has_died(fall, 9) && !view_has_died(fall, 0.9));
    check_option(s, "ragdoll-time", "1");
    s->viewer.play.time = 3;
    execute(s, (view_command){.action = VIEW_TOGGLE_RAGDOLL}); // ends the fall
    CHECK(!view_has_died(fall, 1) && !view_has_died(fall, 3));
    check_option(s, "ragdoll-time", NULL);
    undo(s);
    CHECK(view_has_died(fall, 3));
    undo(s);
    CHECK(!view_has_died(fall, 3));
    redo(s);
    CHECK(view_has_died(fall, 3));
    // A character that plays another clip is alive.
    execute(s, (view_command){.action = VIEW_NEXT_CLIP});
    CHECK(!view_has_died(fall, 9));
    begin(s);
    check_option(s, "ragdoll-time", NULL);
}

// Executes a command, or drags a slider, that changes the document or its appearance.
static void execute_random_command(screen *s, uint64_t *random)
{
    static const view_action actions[] = {VIEW_SLOWER,    VIEW_FASTER,      VIEW_NORMAL_SPEED,
                                          VIEW_REVERSE,   VIEW_RANGE_BEGIN, VIEW_RANGE_END,
                                          VIEW_RANGE_ALL, VIEW_ROTATE_Z};
    STRINGS(switches) = {"grid",  "axis",      "edges",      "armature",  "no-maps",
                         "light", "no-shadow", "untextured", "two-sided", "loop",
                         "root",  "skinning",  "shading"};
    static const struct {
        const char *name, *value;
    } texts[] = {
        {"background-color", "#102030"},  {"background-color", ""}, {"camera-smoothing", "2"},
        {"lights", "key=0.5,azimuth=20"}, {"parm", "3=0.25"},       {"lights", ""}};
    const uint32_t which = test_random_u32(random) % 5;
    const uint32_t any = test_random_u32(random);
    if (which == 0) {
        s->viewer.play.time = any % 100 / 60.0;
        execute(s, (view_command){.action = actions[any % COUNT_OF(actions)]});
    } else if (which == 1) {
        const char *const name = switches[any % COUNT_OF(switches)];
        const view_option *const option = view_find_option(name, strlen(name));
        execute(s, (view_command){.action = view_get_toggle(option)});
    } else if (which == 2) {
        execute(s, (view_command){.action = any % 3 ? VIEW_HIDE_MESH : VIEW_ONLY_MESH,
                                  .number = any % 2});
    } else if (which == 3) {
        const size_t text = any % COUNT_OF(texts);
        execute(s, (view_command){.action = VIEW_SET,
                                  .number = option_index(texts[text].name),
                                  .path = common_copy(texts[text].value)});
    } else {
        s->options.lights.values[any % VIEW_NUM_LIGHTS] = (float)test_between(0, 3, random);
        execute(s, (view_command){.action = VIEW_HANDLED});
    }
}

TEST_SCREEN (view_undo_restores_all_options_bit_for_bit, THIMBLE) {
    uint64_t random = 5;
    begin(s);
    SCOPED_STRING first = option_texts(&s->options);
    for (int round = 0; round < 5; round++) { // 500 commands
        for (int i = 0; i < 100; i++)
            execute_random_command(s, &random);
        SCOPED_STRING last = option_texts(&s->options);
        const size_t count = s->viewer.undo.num_steps;
        CHECK(count > 50 && s->viewer.undo.step == count - 1);
        for (size_t i = 0; i < count - 1; i++)
            undo(s);
        SCOPED_STRING undone = option_texts(&s->options);
        CHECK_STRING(undone, first);
        CHECK(s->viewer.play.wrap == s->options.wrap
              && s->viewer.document->scene.dual == s->options.dual);
        if (round == 0) {
            for (size_t i = 0; i + 1 < count; i++)
                redo(s);
        }
        SCOPED_STRING redone = option_texts(&s->options);
        CHECK_STRING(redone, round == 0 ? last : first);
        CHECK_UINT(s->viewer.undo.num_steps, count); // undo and redo are not steps themselves
        for (size_t i = 0; i < count + 2; i++)       // more often than there are steps
            undo(s);
    }
}

// Reopening of a compared model, and changes of the image: each entry is a step, and undo restores
// the image.
TEST_SCREEN (view_undo_restores_the_image, BOBBIN) {
    static const char *const names[][2] = {
        {"edges", "yes"},     {"shading", "uv"},    {"hide", "1"},
        {"loop", "once"},     {"skinning", "dual"}, {"background-color", "#ff0000"},
        {"no-shadow", "yes"}, {"crowd", "3"},       {"terrain", "hills"},
    };
    enum { W = 80, H = 60 };
    md5gl_target *const target = md5gl_create_target(s->gl.renderer, W, H, 1, NULL);
    SCOPED uint8_t *const before = common_alloc(4, W * H);
    SCOPED uint8_t *const after = common_alloc(4, W * H);
    begin(s);
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        SCOPED_STRING first = option_texts(&s->options);
        const size_t step = s->viewer.undo.step;
        const view_camera camera = s->viewer.cameras.user;
        CHECK(view_draw(&s->viewer, target, W, H, VIEW_OMIT_INTERFACE, NULL));
        CHECK(md5gl_read_pixels(s->gl.renderer, target, W, H, before, NULL));
        if (strcmp(names[i][0], "hide") == 0)
            execute(s, (view_command){.action = VIEW_HIDE_MESH, .number = 1});
        else
            execute(s, (view_command){.action = VIEW_SET,
                                      .number = option_index(names[i][0]),
                                      .path = common_copy(names[i][1])});
        CHECK_THAT(s->viewer.undo.step == step + 1, "--%s is no step", names[i][0]);
        undo(s);
        SCOPED_STRING undone = option_texts(&s->options);
        CHECK_STRING(undone, first);
        s->viewer.cameras.user = camera;
        CHECK(view_draw(&s->viewer, target, W, H, VIEW_OMIT_INTERFACE, NULL));
        CHECK(md5gl_read_pixels(s->gl.renderer, target, W, H, after, NULL));
        CHECK_THAT(memcmp(before, after, 4 * W * H) == 0, "--%s leaves another picture",
                   names[i][0]);
    }
    md5gl_destroy_target(s->gl.renderer, target);
}

TEST_SCREEN (view_undo_keeps_two_hundred_steps_of_one_document, BOBBIN) {
    const char *const path = test_path("models/thimble/thimble.md5mesh");
    begin(s);
    for (int i = 0; i < 250; i++)
        execute(s, (view_command){.action = view_get_toggle(VIEW_OPTION(shown.grid))});
    CHECK_UINT(s->viewer.undo.num_steps, 201);
    undo(s);
    CHECK_UINT(s->viewer.undo.step, 199);
    // A new step discards the steps that could be redone.
    execute(s, (view_command){.action = view_get_toggle(VIEW_OPTION(shown.edges))});
    CHECK_UINT(s->viewer.undo.num_steps, 201);
    redo(s);
    CHECK(s->options.shown.edges);
    // Changing a setting of the window, such as an open panel, is not a step.
    execute(s, (view_command){.action = view_get_toggle(VIEW_OPTION(shown.panel))});
    CHECK_UINT(s->viewer.undo.step, 200);
    CHECK(view_open(&s->viewer, &path, 1, true));
    begin(s);
    undo(s);
    CHECK(s->options.shown.edges && s->viewer.undo.num_steps == 1);
    CHECK_STRING(s->viewer.ui.notice.text, "Nothing to undo");
}

// Returns the size in bytes of the texts that all undo steps store.
static size_t count_step_bytes(const screen *s)
{
    size_t size = 0;
    for (size_t i = 0; i < s->viewer.undo.num_steps; i++)
        size += s->viewer.undo.steps[i].num_text_bytes;
    return size;
}

// Sets an option to a text of `length` equal characters.
static void set_long_text(screen *s, size_t length, char character)
{
    char *const text = common_alloc(length + 1, 1);
    memset(text, character, length);
    execute(s, (view_command){
                   .action = VIEW_SET, .number = option_index("retarget-pairs"), .path = text});
}

// Steps of 30 000 bytes, and a step that reaches the limit of bytes or exceeds it by one.
TEST_SCREEN (view_undo_keeps_256_kib_of_options, BOBBIN) {
    begin(s);
    set_long_text(s, 1000, 'a');
    REQUIRE(s->viewer.undo.num_steps == 2);
    for (int i = 0; i < 8; i++)
        set_long_text(s, 30000, i % 2 == 0 ? 'b' : 'c');
    CHECK_UINT(s->viewer.undo.num_steps, 10);
    const size_t free_bytes = VIEW_MAX_STEP_BYTES - count_step_bytes(s);
    set_long_text(s, free_bytes, 'd');
    CHECK_UINT(s->viewer.undo.num_steps, 11);
    CHECK_UINT(count_step_bytes(s), VIEW_MAX_STEP_BYTES);
    undo(s);
    set_long_text(s, free_bytes + 1, 'e');
    CHECK_UINT(s->viewer.undo.num_steps, 9); // the first step has no texts
    CHECK(count_step_bytes(s) <= VIEW_MAX_STEP_BYTES);
}

// A step that does not fit next to other steps can still be undone.
TEST_SCREEN (view_undo_keeps_the_step_before_a_large_one, BOBBIN) {
    begin(s);
    set_long_text(s, 10, 'a');
    set_long_text(s, 20, 'b');
    set_long_text(s, VIEW_MAX_STEP_BYTES, 'c');
    CHECK_UINT(s->viewer.undo.num_steps, 2);
    undo(s);
    check_option(s, "retarget-pairs", "bbbbbbbbbbbbbbbbbbbb");
    CHECK_UINT(s->viewer.undo.step, 0);
}

static void press(screen *s, int32_t key)
{
    bool redraw = false;
    const view_input event = {.kind = VIEW_INPUT_KEY_DOWN, .key = key, .control = true};
    view_handle_event(&s->viewer, &event, &redraw);
}

// Each quarter rotation is a step. Undo restores the axes of the file that were the front and the
// top of the model.
TEST_SCREEN (view_undo_restores_rotations, BOBBIN) {
    static const char *const sides[][2] = {{"+z", "+x"}, {"+y", "+x"}, {"+y", "+z"}};
    static const int steps[] = {0, 1, 2, 1, 0, 1, 2};
    // The first entry is the state before the first action.
    static const view_action actions[COUNT_OF(steps)] = {
        VIEW_NOTHING, VIEW_ROTATE_X, VIEW_ROTATE_Z, VIEW_UNDO, VIEW_UNDO, VIEW_REDO, VIEW_REDO};
    const view_rotation *const rotation = &s->viewer.document->scene.rotation;
    begin(s);
    for (size_t i = 0; i < COUNT_OF(steps); i++) {
        if (i > 0)
            execute(s, (view_command){.action = actions[i]});
        char up[3], front[3];
        view_name_axes(rotation, up, front);
        CHECK_STRING(up, sides[steps[i]][0]);
        CHECK_STRING(front, sides[steps[i]][1]);
    }
    CHECK_UINT(s->viewer.undo.num_steps, 3);
    execute(s, (view_command){.action = view_get_toggle(VIEW_OPTION(shown.grid))});
    undo(s); // undoes only the grid
    CHECK(rotation->is_set);
}

TEST_SCREEN (view_undo_is_ignored_while_typing, BOBBIN) {
    begin(s);
    execute(s, (view_command){.action = view_get_toggle(VIEW_OPTION(shown.grid))});
    const size_t step = s->viewer.undo.step;
    execute(s, (view_command){.action = VIEW_SEARCH});
    press(s, 'z');
    CHECK_UINT(s->viewer.undo.step, step);
    execute(s, (view_command){.action = VIEW_CLOSE_LISTS});
    press(s, 'z');
    CHECK_UINT(s->viewer.undo.step, step - 1);
}

TEST_SCREEN (view_redo_changes_nothing_if_a_file_is_missing, BOBBIN) {
    size_t size;
    SCOPED_FOLDER folder = folder_make();
    SCOPED_STRING model = test_read_file(test_path("models/bobbin/bobbin.md5mesh"), &size);
    SCOPED_STRING path = common_join(folder, "other.md5mesh");
    folder_write(folder, "other.md5mesh", model, size);
    begin(s);
    execute(s, (view_command){.action = VIEW_SET,
                              .number = option_index("retarget"),
                              .path = common_copy(path)});
    CHECK(s->viewer.undo.step == 1 && s->options.retarget != NULL);
    undo(s);
    CHECK(s->viewer.undo.step == 0 && s->options.retarget == NULL);
    CHECK(remove(path) == 0);
    redo(s);
    CHECK(s->viewer.undo.step == 0 && s->options.retarget == NULL && s->viewer.undo.num_steps == 2);
    CHECK(strstr(s->viewer.log.error, "other.md5mesh"));
}

// Changes of textures and hidden meshes are steps that do not reload the model.
TEST_SCREEN (view_undo_of_textures_and_meshes_keeps_the_model, BOBBIN) {
    const md5_model *const model = s->viewer.document->scene.model;
    const view_texture *image;
    begin(s);
    SCOPED_STRING first = option_texts(&s->options);
    execute(s, (view_command){.action = VIEW_ASSIGN_TEXTURE,
                              .number = 0,
                              .path = common_copy(test_path("models/bobbin/bobbin_eye.png"))});
    execute(s, (view_command){.action = VIEW_HIDE_MESH, .number = 1});
    SCOPED_STRING last = option_texts(&s->options);
    CHECK_UINT(s->viewer.undo.num_steps, 3);
    for (int i = 0; i < 4; i++) { // two times undo, two times redo
        execute(s, (view_command){.action = i < 2 ? VIEW_UNDO : VIEW_REDO});
        image = view_mesh_image(&s->viewer.document->textures, 0, MD5GL_IMAGE_DIFFUSE);
        CHECK_STRING(common_base(image->path), i == 1 ? "bobbin.png" : "bobbin_eye.png");
        CHECK(s->options.hidden_meshes == (i == 3 ? 2u : 0u));
        CHECK(s->viewer.document->scene.model == model);
        SCOPED_STRING texts = option_texts(&s->options);
        if (i % 2 == 1)
            CHECK_STRING(texts, i == 1 ? first : last);
    }
}

static void press_bracket(screen *s, double after)
{
    bool redraw = false;
    s->viewer.uptime += after;
    view_handle_event(&s->viewer, &(view_input){.kind = VIEW_INPUT_KEY_DOWN, .key = '['}, &redraw);
}

// Keys that follow immediately belong to one step. Later keys, or keys of another option, are
// another step.
TEST_SCREEN (view_undo_merges_keys_that_follow_immediately, BOBBIN) {
    static const double after[] = {5, 0.5, 0.79, 0.81, 0.1};
    static const size_t steps[] = {1, 1, 1, 2, 2};
    begin(s);
    for (size_t i = 0; i < COUNT_OF(after); i++) {
        press_bracket(s, after[i]);
        CHECK_UINT(s->viewer.undo.step, steps[i]);
    }
    bool redraw = false;
    view_handle_event(&s->viewer, &(view_input){.kind = VIEW_INPUT_KEY_DOWN, .key = 'g'}, &redraw);
    CHECK_UINT(s->viewer.undo.step, 3);
    undo(s);
    undo(s);
    undo(s);
    CHECK_NEAR(s->options.speed, 1, 0);
}

// A change that restores the former value is not merged with the step before, which would become
// empty.
TEST_SCREEN (view_undo_handles_a_change_that_was_reverted, BOBBIN) {
    const view_input reverse = {.kind = VIEW_INPUT_KEY_DOWN, .key = 'r'};
    bool redraw = false;
    begin(s);
    for (int i = 0; i < 2; i++)
        view_handle_event(&s->viewer, &reverse, &redraw);
    undo(s);
    CHECK_NEAR(s->options.speed, -1, 0);
}

TEST_SCREEN (view_undo_of_a_reset_of_all_is_one_step, BOBBIN) {
    begin(s);
    SCOPED_STRING first = option_texts(&s->options);
    execute(s, (view_command){.action = VIEW_SLOWER});
    execute(s, (view_command){.action = VIEW_HIDE_MESH, .number = 1});
    execute(s, (view_command){.action = view_get_toggle(VIEW_OPTION(shown.edges))});
    SCOPED_STRING last = option_texts(&s->options);
    execute(s, (view_command){.action = VIEW_RESET_ALL});
    SCOPED_STRING reset = option_texts(&s->options);
    CHECK_STRING(reset, first);
    CHECK(s->viewer.document->scene.model != NULL && s->options.hidden_meshes == 0);
    undo(s);
    SCOPED_STRING undone = option_texts(&s->options);
    CHECK_STRING(undone, last);
    CHECK(s->options.hidden_meshes == 2);
}

// Returns the number of allocated texts and times in the options.
static size_t count_held(const view_options *options)
{
    size_t count = options->num_times + options->settings.count;
    for (size_t i = 0; i < view_num_options; i++)
        count += options->strings[i].count;
    return count;
}

// A window may be open for days: after 10 000 values that were set and undone there are as many
// texts as after the first value of each option.
TEST_SCREEN (view_undo_of_ten_thousand_values_does_not_leak, BOBBIN) {
    STRINGS(rows) = {"retarget-pairs", "hide", "joint", "animation-time"};
    size_t first = 0;
    begin(s);
    for (int i = 0; i < 2500; i++) {
        for (size_t j = 0; j < COUNT_OF(rows); j++) {
            char *value;
            if (strcmp(rows[j], "joint") == 0)
                value = common_copy("head");
            else if (strcmp(rows[j], "hide") == 0)
                value = common_format("%d\n", i % 2);
            else
                value = common_format("%d", i % 24);
            execute(s, (view_command){
                           .action = VIEW_SET, .number = option_index(rows[j]), .path = value});
        }
        undo(s);
        undo(s);
        first = i == 1 ? count_held(&s->options) : first;
    }
    CHECK_UINT(count_held(&s->options), first);
    CHECK(s->options.hidden.count == 0 && s->options.retarget_pairs == NULL);
}

// States and flags of a monster's script are part of the command line, which is used for undo and
// for reopening. Selecting a clip replaces the states.
TEST_SCREEN (view_states_and_flags_are_options, screen_open(s, MONSTER, 1280, 2400)) {
    static const struct {
        const char *item;
        const char *states;
        const char *flags;
    } rows[] = {{"state/Legs_Idle", "Legs_Idle\n", NULL},
                {"state/Torso_Idle", "Legs_Idle\nTorso_Idle\n", NULL},
                {"state/AI_FORWARD", "Legs_Idle\nTorso_Idle\n", "AI_FORWARD\n"},
                {"state/run", "Legs_Idle\nTorso_Idle\n", "AI_FORWARD\nrun\n"},
                {"state/AI_FORWARD", "Legs_Idle\nTorso_Idle\n", "run\n"}};
    view_state *const viewer = &s->viewer;
    view_entity *const entity = &viewer->document->scene.entity;
    begin(s);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        viewer->play.time += 0.5;
        screen_draw(s);
        execute(s, item_press(viewer, &s->stage, rows[i].item, 0.5f, 0.5f));
        check_option(s, "state", rows[i].states);
        check_option(s, "flag", rows[i].flags);
    }
    CHECK(entity->is_in_states && entity->channels[MD5_CHANNEL_ALL].clip < 0);
    for (size_t i = COUNT_OF(rows) - 1; i-- > 0;) {
        undo(s);
        check_option(s, "state", rows[i].states);
        check_option(s, "flag", rows[i].flags);
        CHECK(md5_states_variable(entity->states, "run") == (i == 3 ? 1.0f : 0.0f));
    }
    undo(s);
    check_option(s, "state", NULL);
    CHECK(!entity->is_in_states && entity->channels[MD5_CHANNEL_ALL].clip >= 0);
    for (int i = 0; i < 3; i++)
        redo(s);
    execute(s, (view_command){.action = VIEW_SET,
                              .number = option_index("terrain"),
                              .path = common_copy("stairs")}); // reopens the model
    check_option(s, "state", rows[1].states);
    CHECK(viewer->document->scene.entity.is_in_states);
    CHECK(md5_states_variable(viewer->document->scene.entity.states, "AI_FORWARD") != 0.0f);
    view_change_clip(viewer, 0);
    execute(s, (view_command){.action = VIEW_REDO});
    check_option(s, "state", NULL);
}
