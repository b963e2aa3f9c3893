// The viewer's panels: displayed values, keys, and the position of the model next to the panels.
#include "test/real.h"
#include "test/viewer/test_view_case.h"

#include "demo/viewer/app/window.h"
#include "demo/viewer/jobs/stage.h"

#define BOBBIN "models/bobbin/bobbin.md5mesh"
#define MACHINE "models/bobbin/bobbin.md5machine"
#define WALK "models/bobbin/walk.md5anim"

// Opens a viewer that is set up like a window's viewer, but has no textures.
static bool open_all(screen *s, uint32_t crowd, const char *const *files, size_t num_files)
{
    char *paths[4];
    if (!screen_begin(s, 1280, 720))
        return false;
    s->viewer.renderer = NULL; // nothing is uploaded
    s->options.crowd = crowd;
    for (size_t i = 0; i < num_files; i++)
        paths[i] = common_copy(test_path(files[i]));
    const bool opened = view_open(&s->viewer, (const char *const *)paths, num_files, true);
    for (size_t i = 0; i < num_files; i++)
        free(paths[i]);
    s->viewer.renderer = s->gl.renderer;
    const view_loader loader = {&s->options, s->gl.renderer, &s->viewer.log, NULL};
    view_document *const document = s->viewer.document;
    if (opened && document->scene.model != NULL)
        document->drawn = view_create_model(&loader, document->scene.model);
    return CHECK(opened);
}

static bool open_stage(screen *s, const char *file)
{
    return open_all(s, 0, &file, 1);
}

static void send(screen *s, view_input_kind kind, int32_t code, bool shift)
{
    bool redraw = false;
    const view_input event = {.kind = kind, .key = code, .shift = shift};
    view_handle_event(&s->viewer, &event, &redraw);
}

static void press(screen *s, int32_t code, bool shift)
{
    send(s, VIEW_INPUT_KEY_DOWN, code, shift);
    send(s, VIEW_INPUT_KEY_UP, code, shift);
}

// Runs one iteration of the window's loop, without drawing.
static void run_seconds(screen *s, double seconds)
{
    view_state *const viewer = &s->viewer;
    view_advance(&viewer->play, view_timing_anim(&viewer->document->scene), seconds);
    view_pose(&viewer->document->scene, &viewer->play);
    view_update_framing(viewer, viewer->width, viewer->height);
}

// -- Keys -----------------------------------------------------------------------------------

static const char *help_text(const screen *s, const char *keys)
{
    view_key_line lines[VIEW_MAX_KEY_LINES];
    const uint32_t count = view_current_keys(s->viewer.document, lines);
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(lines[i].keys, keys) == 0)
            return lines[i].help;
    }
    return "";
}

#define TEST_HERE(title, file) TEST_SCREEN (title, open_stage(s, file))

TEST_HERE (view_help_of_a_machine_lists_its_keys, MACHINE) {
    CHECK_STRING(help_text(s, "Space"), "jump");
    CHECK_STRING(help_text(s, "F2"), "wave");
    CHECK_STRING(help_text(s, "F6"), "dance");
    CHECK_STRING(help_text(s, "F9"), "sneeze");
    CHECK_STRING(help_text(s, "F10"), "chase");
    CHECK_STRING(help_text(s, "W"), "Walk forward");
    CHECK_STRING(help_text(s, "Space or Pause"), "Play");
    CHECK_STRING(help_text(s, "L"), "");
}

TEST_HERE (view_help_omits_walking_if_a_machine_has_none, "models/bobbin/page_look.md5machine") {
    CHECK_STRING(help_text(s, "W"), "");
    CHECK_STRING(help_text(s, "Space"), "");
    CHECK_STRING(help_text(s, "F9"), "");
    CHECK_STRING(help_text(s, "Space or Pause"), "Play");
    press(s, 'w', false);
    CHECK(strstr(s->viewer.ui.notice.text, "no parameter"));
}

TEST_HERE (view_help_of_a_clip_lists_its_keys, BOBBIN) {
    CHECK_STRING(help_text(s, "Space or Pause"), "Play");
    CHECK_STRING(help_text(s, "Ctrl+PageDown"), "Next clip");
    CHECK_STRING(help_text(s, "P"), "Bind pose");
    CHECK_STRING(help_text(s, "F2"), "");
}

TEST (view_keys_without_effect_are_reported) {
    STRINGS(crowd_paths) = {MACHINE};
    screen s;
    if (open_all(&s, 3, crowd_paths, 1)) {
        press(&s, 'l', false);
        CHECK_STRING(s.viewer.ui.notice.text, "At clip end: Requires a model animated by clips");
        press(&s, 'n', false);
        CHECK_STRING(s.viewer.ui.notice.text, "Normals: Not available in a crowd");
        press(&s, ' ', false);
        CHECK(!s.viewer.play.playing);
    }
    (void)screen_close(&s);
    if (open_stage(&s, MACHINE)) {
        press(&s, 'l', false);
        CHECK_STRING(s.viewer.ui.notice.text, "At clip end: Requires a model animated by clips");
    }
    (void)screen_close(&s);
    if (open_stage(&s, "models/bobbin/page_look.md5machine")) {
        press(&s, VIEW_KEY_F(10), false);
        CHECK(strstr(s.viewer.ui.notice.text, "no trigger"));
    }
    (void)screen_close(&s);
}

TEST_HERE (view_click_on_a_character_reaches_its_machine, MACHINE) {
    const view_machine *const machine = &s->viewer.document->scene.machine;
    run_seconds(s, 0.2);
    view_pick_at(&s->viewer, 2.0f, 2.0f);
    run_seconds(s, 0.2);
    CHECK_UINT(md5_player_layer(machine->player, 0).state, 0);
    view_pick_at(&s->viewer, 0.5f * (float)s->viewer.width, 0.5f * (float)s->viewer.height);
    run_seconds(s, 0.2);
    const md5_one_shot_status shot = md5_player_one_shot(machine->player, 0);
    CHECK_STRING(shot.is_playing ? machine->desc->clips[shot.clip].name : "", "giggle");
}

// -- Time of a machine ----------------------------------------------------------------------

TEST_HERE (view_machine_pauses_and_resumes, MACHINE) {
    view_machine *const machine = &s->viewer.document->scene.machine;
    run_seconds(s, 0.5);
    CHECK_NEAR(machine->time, 0.5, 1e-9);
    press(s, ' ', false); // space is a trigger of this machine
    CHECK(s->viewer.play.playing);
    press(s, VIEW_KEY_PAUSE, false);
    CHECK(!s->viewer.play.playing);
    run_seconds(s, 0.5);
    CHECK_NEAR(machine->time, 0.5, 1e-9);
    press(s, VIEW_KEY_PAUSE, false);
    run_seconds(s, 0.25);
    CHECK_NEAR(machine->time, 0.75, 1e-9);
}

TEST_HERE (view_machine_is_stepped_and_restarted, MACHINE) {
    view_machine *const machine = &s->viewer.document->scene.machine;
    run_seconds(s, 0.5);
    press(s, VIEW_KEY_RIGHT, false);
    run_seconds(s, 1.0); // the step has paused it
    CHECK_NEAR(machine->time, 0.5 + 1.0 / 60.0, 1e-9);
    press(s, '.', false);
    press(s, VIEW_KEY_LEFT, false);
    press(s, ',', false);
    run_seconds(s, 1.0);
    CHECK_NEAR(machine->time, 0.5, 1e-9);
    send(s, VIEW_INPUT_KEY_DOWN, 'w', false);
    CHECK_STRING(s->viewer.ui.notice.text, "Paused; press Pause to resume");
    press(s, VIEW_KEY_PAUSE, false);
    run_seconds(s, 1.0);
    CHECK(machine->placement.translation.x > 1.0f);
    send(s, VIEW_INPUT_KEY_UP, 'w', false);
    press(s, VIEW_KEY_LEFT, true);
    CHECK_EXACT(machine->time, 0);
    CHECK_EXACT(machine->placement.translation.x, 0);
}

TEST_HERE (view_machine_waits_while_its_bind_pose_is_shown, MACHINE) {
    run_seconds(s, 0.5);
    press(s, 'p', false);
    run_seconds(s, 3.0);
    press(s, 'p', false);
    run_seconds(s, 0.0);
    CHECK_NEAR(s->viewer.document->scene.machine.time, 0.5, 1e-9);
}

// -- Rows -----------------------------------------------------------------------------------

// Returns the text of a row of the figures.
static const char *row_text(screen *s, const char *name)
{
    screen_draw(s);
    return item_text(&s->viewer, &s->stage, name);
}

// Checks the names of the active clips. Each is followed by a space.
static void check_active(screen *s, const char *expected)
{
    const view_machine *const machine = &s->viewer.document->scene.machine;
    bool *const active = view_active_clips(machine);
    char names[256] = "";
    for (uint32_t i = 0; i < machine->desc->num_clips; i++) {
        if (active[i])
            common_append(names, sizeof names, "", "%s ", machine->desc->clips[i].name);
    }
    CHECK_STRING(names, expected);
    free(active);
}

TEST_HERE (view_panel_highlights_the_playing_clips_of_a_machine, MACHINE) {
    run_seconds(s, 0.2);
    check_active(s, "stand idle breathe ");
    press(s, ' ', false);
    run_seconds(s, 0.05); // both clips play during the transition
    check_active(s, "stand idle leap breathe ");
    // The turn is between the clips of the straight walk and of the curve to the left, so the clip
    // of the curve to the right is inactive.
    const uint32_t speed =
        md5_find_parameter(s->viewer.document->scene.machine.character->machine, "speed");
    const uint32_t turn_parameter =
        md5_find_parameter(s->viewer.document->scene.machine.character->machine, "turn");
    CHECK(md5_player_set(s->viewer.document->scene.machine.player, speed, 20));
    CHECK(md5_player_set(s->viewer.document->scene.machine.player, turn_parameter, 30));
    run_seconds(s, 4.4); // between two blinks
    check_active(s, "stand walk walk_left breathe ");
    // A one-shot plays over the blink, in the second slot.
    const uint32_t wave =
        md5_find_parameter(s->viewer.document->scene.machine.character->machine, "wave");
    CHECK(md5_player_set(s->viewer.document->scene.machine.player, wave, 1));
    run_seconds(s, 0.2);
    check_active(s, "stand walk walk_left wave breathe ");
}

static void check_clips_row(const char *file, uint32_t count)
{
    screen s;
    char text[64];
    if (open_stage(&s, file)) {
        const view_scene *const scene = &s.viewer.document->scene;
        size_t size = 0;
        for (uint32_t i = 0; i < scene->num_clips; i++) {
            view_clip *const clip = &scene->clips[i];
            size += clip->anim->size;
        }
        const md5_character *const character = scene->machine.character;
        if (character != NULL) {
            for (uint32_t i = 0; i < character->num_clips; i++)
                size += character->anims[i]->size;
        }
        snprintf(text, sizeof text, "%u  \xE2\x80\xA2  %.1f KiB", (unsigned)count,
                 (double)size / 1024.0);
        CHECK(size > 1024);
        s.viewer.options->shown.statistics = true;
        CHECK_STRING(row_text(&s, "figures/Clips"), text);
    }
    (void)screen_close(&s);
}

TEST (view_panel_sums_the_clips_of_a_machine_and_of_a_model) {
    check_clips_row(MACHINE, 59);
    check_clips_row(BOBBIN, 64);
}

// All three coordinates fit into one row. The text has no exponents and no ASCII minus signs.
TEST_HERE (view_panel_writes_positions_without_exponents, BOBBIN) {
    run_seconds(s, 0.2);
    for (uint32_t i = 0; i < s->viewer.document->scene.model->meshes[0].num_triangles; i += 97) {
        s->viewer.ui.selection.pick = (view_pick){.is_set = true, .joint = 0, .triangle = i};
        const char *const text = row_text(s, "figures/Position");
        const float width = view_current_layout(&s->stage).docks[VIEW_DOCK_RIGHT].width;
        CHECK(text[0] != '\0' && strpbrk(text, "e-") == NULL);
        CHECK(view_text_width(&s->viewer.drawing.font, VIEW_TEXT, text)
              < width - 2 * VIEW_INSET - 84);
    }
}

// Text that is too long for a line is broken at spaces, or within a word, and no other character is
// lost.
TEST_HERE (view_panel_breaks_long_texts, BOBBIN) {
    static const char *const texts[] = {
        "a_name_that_nobody_would_give_to_a_model_of_his_own_but_tools_do",
        "1234.5 of 123456 frames, 23.976 a second, short"};
    for (size_t j = 0; j < COUNT_OF(texts); j++) {
        const char *rest = texts[j];
        char line[VIEW_MAX_LINE];
        char all[256] = "";
        for (int i = 0; i < 20 && *rest != '\0'; i++) {
            rest = view_next_line(&s->viewer.drawing.font, VIEW_TITLE, 110.0f, rest, line);
            CHECK(view_text_width(&s->viewer.drawing.font, VIEW_TITLE, line) <= 110.0f);
            common_append(all, sizeof all, "", "%s%s", line, rest[-1] == ' ' ? " " : "");
        }
        CHECK_STRING(all, texts[j]);
    }
    char line[VIEW_MAX_LINE];
    CHECK_STRING(view_next_line(&s->viewer.drawing.font, VIEW_TITLE, 110.0f, "a\nb c", line),
                 "b c");
    CHECK_STRING(line, "a");
}

// -- Dropping -------------------------------------------------------------------------------

STRINGS(dropped) = {BOBBIN, WALK, "models/bobbin/../bobbin/walk.md5anim"};

TEST_SCREEN (view_lists_a_clip_that_is_dropped_again_once, open_all(s, 0, dropped, 3)) {
    view_scene *const scene = &s->viewer.document->scene;
    CHECK_UINT(scene->num_clips, 1);
    view_drop(&s->viewer, test_path("models/bobbin/run.md5anim"));
    CHECK_UINT(scene->num_clips, 2);
    CHECK_UINT(scene->clip, 1);
    view_drop(&s->viewer, test_path("models/../models/bobbin/walk.md5anim"));
    CHECK_UINT(scene->num_clips, 2);
    CHECK_UINT(scene->clip, 0);
    CHECK_STRING(view_shown_clip(scene)->name, "walk");
}

// The clip is outside the model's folder, where clips are found automatically.
TEST_HERE (view_keeps_a_dropped_clip_when_files_are_read_again, "models/spindle/spindle.md5mesh") {
    view_scene *const scene = &s->viewer.document->scene;
    CHECK_UINT(scene->num_clips, 4);
    view_drop(&s->viewer, test_path(WALK));
    CHECK_UINT(scene->num_clips, 5);
    CHECK(view_reload(&s->viewer));
    CHECK_UINT(s->viewer.document->scene.num_clips, 5);
}

TEST_HERE (view_shows_a_clip_that_is_dropped_on_a_machine, MACHINE) {
    view_drop(&s->viewer, test_path(WALK));
    CHECK(!s->viewer.document->scene.machine.player);
    CHECK(view_shown_clip(&s->viewer.document->scene));
}

// -- Position of the model ------------------------------------------------------------------

static const uint32_t sizes[][2] = {{640, 480}, {800, 600}, {1280, 720}, {1920, 1080}};

// Returns the bounding box of all visible vertices, in pixels.
static view_rect visible_box(screen *s)
{
    view_state *const viewer = &s->viewer;
    const float width = (float)viewer->width;
    const float height = (float)viewer->height;
    const view_stage stage = view_build_stage(viewer, width, height);
    const view_lens lens = view_stage_lens(&stage);
    float left = INFINITY;
    float top = INFINITY;
    float right = -INFINITY;
    float bottom = -INFINITY;
    md5_mat44 view, clip;
    view_lens_matrices(&lens, &view, &clip);
    view_skin(&viewer->document->scene);
    for (uint32_t m = 0; m < viewer->document->scene.model->num_meshes; m++) {
        for (uint32_t v = 0; v < viewer->document->scene.model->meshes[m].num_vertices; v++) {
            const md5_vec3 p = viewer->document->scene.skinned[m].positions[v];
            const float world[4] = {p.x, p.y, p.z, 1};
            float eye[4] = {0};
            float out[4] = {0};
            for (int row = 0; row < 4; row++) {
                for (int column = 0; column < 4; column++)
                    eye[row] += view.m[4 * column + row] * world[column];
            }
            for (int row = 0; row < 4; row++) {
                for (int column = 0; column < 4; column++)
                    out[row] += clip.m[4 * column + row] * eye[column];
            }
            const float x = 0.5f * width * (1.0f + out[0] / out[3]);
            const float y = 0.5f * height * (1.0f - out[1] / out[3]);
            left = fminf(left, x);
            right = fmaxf(right, x);
            top = fminf(top, y);
            bottom = fmaxf(bottom, y);
        }
    }
    return (view_rect){left, top, right - left, bottom - top};
}

// Checks that the whole model is in the image, large enough, and next to the panels. Returns its
// bounding box in the image.
static view_rect check_visible(screen *s)
{
    const float width = (float)s->viewer.width;
    const float height = (float)s->viewer.height;
    const view_stage stage = view_build_stage(&s->viewer, width, height);
    const view_rect box = visible_box(s);
    const view_rect picture = {0, 0, width, height};
    CHECK(box.x >= 0.0f && box.y >= 0.0f);
    CHECK(box.x + box.width <= picture.width && box.y + box.height <= picture.height);
    CHECK(box.height > 0.2f * height);
    const view_layout layout = view_current_layout(&stage);
    CHECK(box.x >= layout.free.x && box.x + box.width <= layout.free.x + layout.free.width);
    CHECK(box.y >= layout.free.y && box.y + box.height <= layout.free.y + layout.free.height);
    return box;
}

TEST (view_frames_a_jumping_machine_next_to_the_panels) {
    for (int size = 0; size < 4; size++) {
        screen s;
        if (open_stage(&s, MACHINE)) {
            s.viewer.width = sizes[size][0];
            s.viewer.height = sizes[size][1];
            run_seconds(&s, 0.2);
            press(&s, ' ', false);
            float highest = INFINITY;
            float lowest = -INFINITY;
            for (int frame = 0; frame < 23; frame++) {
                run_seconds(&s, 1.0 / 15.0);
                const view_rect box = check_visible(&s);
                highest = fminf(highest, box.y);
                lowest = fmaxf(lowest, box.y);
            }
            CHECK(lowest - highest > 0.05f * (float)s.viewer.height); // the character jumped
        }
        (void)screen_close(&s);
    }
}

// In the upright window of a phone, the character fills half of the height.
TEST (view_frames_a_machine_on_a_phone_in_its_pose) {
    screen s;
    if (open_stage(&s, MACHINE)) {
        s.viewer.width = 390;
        s.viewer.height = 844;
        view_measure(&s.viewer);
        run_seconds(&s, 0.2);
        const view_rect box = check_visible(&s);
        CHECK(box.height > 0.5f * (float)s.viewer.height);
    }
    (void)screen_close(&s);
}

// The bounds of the pose are relative to the character, because the camera adds the distance that
// it has walked.
TEST (view_frames_a_machine_on_a_phone_where_it_has_walked) {
    screen s;
    if (open_stage(&s, MACHINE)) {
        s.viewer.width = 390;
        s.viewer.height = 844;
        s.viewer.document->scene.machine.placement.translation = (md5_vec3){500, 300, 0};
        view_measure(&s.viewer);
        run_seconds(&s, 0.2);
        const view_rect box = check_visible(&s);
        CHECK(box.height > 0.5f * (float)s.viewer.height);
    }
    (void)screen_close(&s);
}

// An image of a character that has walked has the same light as one at the start: the lights are
// around the center of the bounds, to which drawing adds the walked distance.
TEST (view_bounds_of_a_framed_pose_do_not_contain_the_walked_distance) {
    screen s;
    if (open_stage(&s, MACHINE)) {
        view_frame_pose(&s.viewer);
        const md5_vec3 center = view_center(s.viewer.document->bounds);
        const md5_vec3 target = s.viewer.cameras.user.target;
        s.viewer.document->scene.machine.placement.translation = (md5_vec3){500, 300, 0};
        view_pose(&s.viewer.document->scene, &s.viewer.play);
        view_frame_pose(&s.viewer);
        const md5_vec3 moved = view_center(s.viewer.document->bounds);
        CHECK_VEC3(moved, center.x, center.y, center.z, 1e-3);
        CHECK_VEC3(s.viewer.cameras.user.target, target.x, target.y, target.z, 1e-3);
    }
    (void)screen_close(&s);
}

// A square window is not upright.
TEST (view_window_is_upright_if_it_is_higher_than_wide) {
    const struct {
        uint32_t width, height;
        bool is_upright;
    } windows[] = {{390, 390, false}, {390, 391, true}, {391, 390, false}};
    for (size_t i = 0; i < sizeof windows / sizeof windows[0]; i++) {
        const view_state viewer = {.width = windows[i].width, .height = windows[i].height};
        CHECK(view_is_upright(&viewer) == windows[i].is_upright);
    }
}

TEST_LONG (view_shows_all_of_each_clip_that_is_selected_by_key) {
    for (int size = 0; size < 4; size += 2) {
        screen s;
        if (open_stage(&s, BOBBIN)) {
            s.viewer.width = sizes[size][0];
            s.viewer.height = sizes[size][1];
            for (size_t clip = 0; clip < s.viewer.document->scene.num_clips; clip++) {
                press(&s, 'w', false);
                const double length = view_shown_anim(&s.viewer.document->scene)->duration;
                for (int i = 0; i < 12; i++) {
                    run_seconds(&s, length / 12.0);
                    (void)check_visible(&s);
                }
            }
        }
        (void)screen_close(&s);
    }
}

TEST_HERE (view_keeps_a_camera_that_the_user_has_set, BOBBIN) {
    run_seconds(s, 0.1);
    view_zoom(&s->viewer.cameras.user, 1.5f, 0.0f, 0.0f, 720.0f);
    const view_camera before = s->viewer.cameras.user;
    s->viewer.width = 640;
    s->viewer.options->shown.panel = false;
    for (int i = 0; i < 12; i++) {
        press(s, 'w', false);
        run_seconds(s, 0.1);
    }
    CHECK_BYTES(&before, &s->viewer.cameras.user, sizeof before);
}

TEST (view_lens_of_a_region_equals_an_image_of_that_size) {
    view_camera camera = VIEW_DEFAULT_CAMERA;
    for (int orthographic = 0; orthographic < 2; orthographic++) {
        camera.orthographic = orthographic != 0;
        const view_lens small =
            view_region_lens(&camera, (view_rect){0, 0, 300, 200}, 300.0f, 200.0f);
        const view_lens wide =
            view_region_lens(&camera, (view_rect){250, 30, 300, 200}, 640.0f, 480.0f);
        md5_mat44 view;
        md5_mat44 clip_small;
        md5_mat44 clip_wide;
        view_lens_matrices(&small, &view, &clip_small);
        view_lens_matrices(&wide, &view, &clip_wide);
        const float eye[4] = {7, -5, -90, 1};
        float a[4] = {0};
        float b[4] = {0};
        for (int row = 0; row < 4; row++) {
            for (int column = 0; column < 4; column++) {
                a[row] += clip_small.m[4 * column + row] * eye[column];
                b[row] += clip_wide.m[4 * column + row] * eye[column];
            }
        }
        // Compare the position in pixels, first from the left and then from the top.
        CHECK_NEAR(250.0f + 150.0f * (1.0f + a[0] / a[3]), 320.0f * (1.0f + b[0] / b[3]), 1e-3);
        CHECK_NEAR(30.0f + 100.0f * (1.0f - a[1] / a[3]), 240.0f * (1.0f - b[1] / b[3]), 1e-3);
    }
}

TEST_HERE (view_lantern_stands_upright_by_itself, "models/lantern/lantern.md5mesh") {
    const view_scene *const scene = &s->viewer.document->scene;
    for (int i = 0; i < 20; i++) {
        run_seconds(s, 0.1);
        view_skin(&s->viewer.document->scene);
        const md5_bounds box = view_pose_bounds(scene, NULL);
        CHECK_SMALL(box.min.z, 0.01); // the model stands on the floor
        CHECK(box.max.z > 1.5f * (box.max.x - box.min.x));
        const float hook = scene->joints[1].m[11];
        const float ring = scene->joints[2].m[11];
        CHECK(hook > 10.0f && ring > 10.0f && scene->joints[3].m[11] < ring);
    }
}

// Two long numbers do not fit into the tile, but into its tooltip: the image is 1024 pixels wide
// and high.
TEST_SCREEN (view_texture_tile_shows_its_size, screen_open(s, BOBBIN, 1280, 720)) {
    s->viewer.ui.selection.mesh = 0;
    screen_draw(s);
    const view_rect tile = item_find(&s->viewer, &s->stage, "page/Texture");
    CHECK(tile.width > 0.0f);
    view_run_ui(&s->viewer.ui, &s->viewer.panels, &s->stage,
                &(ui_mouse){.x = tile.x + 5.0f, .y = tile.y + 5.0f, .is_moved = true});
    screen_draw(s);
    const view_texture *const image =
        view_mesh_image(&s->viewer.document->textures, 0, MD5GL_IMAGE_DIFFUSE);
    char size[32];
    snprintf(size, sizeof size, "%u\xC3\x97%u", image->width, image->height);
    CHECK_STRING(s->viewer.ui.tooltip.text, size);
}
