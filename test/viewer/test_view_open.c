// Opening: files of the command line, recent documents, folders, lists of files, and watched files
// that change.
#include "test/scoped.h"
#include "test/viewer/test_view_case.h"

#include "demo/viewer/app/window.h"
#include "demo/viewer/jobs/stage.h"
#include "demo/viewer/platform/platform_sdl.h"

#include <sys/stat.h>

// -- A folder of files --------------------------------------------------------------------------

// Removes the folders from shader names, so that textures are found in the test's folder instead of
// the project.
static void strip_shaders(char *text)
{
    static const char opening[] = "shader \"models/";
    for (char *at = text; (at = strstr(at, opening)) != NULL; at++) {
        char *const name = strchr(at + sizeof opening - 1, '/') + 1;
        memmove(at + strlen("shader \""), name, strlen(name) + 1);
    }
}

// Copies a file of the project into the folder under another name, and then renames it. Many
// editors save files in this way, which is difficult to detect for a program that watches files.
// The caller frees the returned path.
static char *copy_file(const char *folder, const char *name, const char *from)
{
    size_t size = 0;
    SCOPED_STRING bytes = test_read_file(test_path(from), &size);
    char *const path = common_join(folder, name);
    char *const beside = common_format("%s.new", path);
    FILE *const file = bytes != NULL ? fopen(beside, "wb") : NULL;
    if (bytes != NULL && common_has_suffix(from, ".md5mesh")) {
        strip_shaders(bytes);
        size = strlen(bytes);
    }
    if (CHECK(file)) {
        CHECK(fwrite(bytes, 1, size, file) == size);
        CHECK(fclose(file) == 0);
        CHECK(rename(beside, path) == 0);
    }
    free(beside);
    return path;
}

static void replace_file(const char *folder, const char *name, const char *from)
{
    free(copy_file(folder, name, from));
}

// Writes an incomplete file, which cannot be read.
static void write_incomplete_file(const char *path)
{
    FILE *const file = fopen(path, "wb");
    REQUIRE(file);
    (void)fputs("MD5Version 10\n", file);
    (void)fclose(file);
}

// -- A viewer without a window ------------------------------------------------------------------

enum { MAX_ARGUMENTS = 8 };

typedef struct test_viewer {
    gl_scene scene; // empty if the viewer draws nothing
    view_options options;
    view_state state;
} test_viewer;

// Starts the viewer like md5view, up to the opening of files. `arguments` end with NULL.
static bool begin_viewer(test_viewer *viewer, const char *const *arguments, bool draws)
{
    char *copies[MAX_ARGUMENTS];
    char problem[256] = "";
    int count = 0;
    *viewer = (test_viewer){.options = {0}};
    if (draws && !scene_share(&viewer->scene))
        return false;
    for (; arguments[count] != NULL; count++)
        copies[count] = (char *)arguments[count];
    const bool is_read =
        view_read_options(count, copies, &viewer->options, problem, sizeof problem);
    CHECK_THAT(is_read, "%s", problem);
    view_begin(&viewer->state, &viewer->options);
    viewer->state.log.level = VIEW_QUIET;
    viewer->state.renderer = viewer->scene.renderer;
    return is_read;
}

static void end_viewer(test_viewer *viewer)
{
    view_end(&viewer->state);
    view_free_options(&viewer->options);
    if (viewer->scene.window != NULL)
        scene_close(&viewer->scene);
}

// -- Files of the command line ------------------------------------------------------------------

#define MODELS "models/"
static const char still[] = "test/reference/data/still.md5mesh";

typedef struct start_case {
    const char *arguments[MAX_ARGUMENTS];
    const char *model; // name of the model that is shown
    uint32_t crowd;
    bool lists_files;
} start_case;

// The last opened model is "giant". Paths that begin with '@' are relative to the project.
static const start_case starts[] = {
    {{NULL}, "giant", 0, false},
    {{"--grid=no", "--edges", "--root=id"}, "giant", 0, false},
    {{"--animation-speed-factor=2", "--watch"}, "giant", 0, false},
    {{"--camera-azimuth-angle=20"}, "giant", 0, false},
    {{"--camera-elevation-angle=20"}, "giant", 0, false},
    {{"--camera-distance=20"}, "giant", 0, false},
    {{"--camera-orthographic"}, "giant", 0, false},
    {{"--camera-orthographic=no"}, "giant", 0, false},
    {{"--crowd=12"}, "bobbin", 12, false},
    {{"--crowd=1"}, "bobbin", 1, false},
    {{"--crowd=3", "--camera-distance=400"}, "bobbin", 3, false},
    {{"--crowd=3", "@" MODELS "thimble/thimble.md5mesh"}, "thimble", 3, false},
    {{"--crowd=3", "@" MODELS "bobbin/bobbin.md5machine"}, "bobbin", 3, false},
    {{"--crowd=3", "@" MODELS "thimble/thimble.md5mesh", "@" MODELS "thimble/walk.md5anim"},
     "thimble",
     3,
     false},
    {{"--crowd=3", "@" MODELS}, "bobbin", 3, true},
    {{"@" MODELS "thimble/thimble.md5mesh"}, "thimble", 0, false},
    {{"@" MODELS "bobbin/bobbin.md5machine"}, "bobbin", 0, false},
    {{"@" MODELS "thimble/walk.md5anim"}, "thimble", 0, false}, // the model that the clip fits
    {{"@" MODELS "bobbin/flight.md5camera"}, "flight", 0, false},
    {{"@" MODELS "bobbin"}, "bobbin", 0, true},
    {{"@" MODELS, "@" MODELS "thimble/thimble.md5mesh"}, "thimble", 0, true},
    {{"--joint=head"}, "bobbin", 0, false},
    {{"--animation-index=0"}, "bobbin", 0, false},
    {{"--set=speed=30"}, "bobbin", 0, false},
    {{"--texture=any.png"}, "bobbin", 0, false},
    {{"--retarget=any.md5mesh"}, "bobbin", 0, false},
    {{"--attach=hand=any.md5mesh"}, "bobbin", 0, false},
};

static void check_start(const start_case *start, const char *model)
{
    const char *arguments[MAX_ARGUMENTS] = {NULL};
    char description[256] = "";
    int i = 0;
    for (; start->arguments[i] != NULL; i++) {
        const char *const given = start->arguments[i];
        arguments[i] = given[0] == '@' ? test_path(given + 1) : given;
        snprintf(description + strlen(description), sizeof description - strlen(description), " %s",
                 given);
    }
    arguments[i] = "--open-last";
    view_config config = {.recent = {.names = {common_copy(model)}, .count = 1}};
    test_viewer viewer;
    if (!begin_viewer(&viewer, arguments, false))
        return;
    viewer.state.config = &config;
    viewer.state.documents = &config.documents;
    // view_open_first() must fail if the command line selects an animation, because the built-in
    // model has no clips.
    CHECK(view_open_first(&viewer.state) != viewer.options.animation_index_given);
    const view_state *const state = &viewer.state;
    CHECK_THAT(strcmp(state->document->scene.name, start->model) == 0, "md5view%s shows %s",
               description, state->document->scene.name);
    CHECK_THAT(state->document->crowd.count == start->crowd, "md5view%s: a crowd of %u",
               description, (unsigned)state->document->crowd.count);
    CHECK_THAT((state->panels.browser.kind == VIEW_BROWSE_FILES) == start->lists_files,
               "md5view%s: a list: %d", description, state->panels.browser.kind);
    end_viewer(&viewer);
    view_free_config(&config);
}

TEST (view_start_shows_what_the_command_line_names) {
    char *const folder = folder_make();
    char *const giant = copy_file(folder, "giant.md5mesh", still);
    for (size_t j = 0; j < COUNT_OF(starts); j++) {
        const start_case *const start = &starts[j];
        check_start(start, giant);
    }
    free(giant);
    folder_remove(folder);
}

// Without files, the demo scene plays with its own camera and without panels. After a key has ended
// it, the docks are collapsed until the user opens one. With another model, they are open. In a
// window, the guest and all clips are loaded after the first frame.
TEST (view_first_frame_does_not_wait_for_the_guest) {
    test_viewer viewer;
    view_state *const state = &viewer.state;
    if (!begin_viewer(&viewer, (const char *[]){"--resolution=640,360", NULL}, true))
        return;
    SCOPED view_window *const window = test_calloc(1, sizeof *window);
    window->window = viewer.scene.window;
    state->window = window;
    CHECK(view_is_window_hidden(window) && view_open_first(state));
    const view_machine *const machine = &state->document->scene.machine;
    const float size = view_size(state->document->bounds);
    CHECK(machine->plays_demo && machine->guest == NULL && size > 10.0f);
    CHECK(view_finish_opening(state) && !view_finish_opening(state));
    CHECK(machine->guest != NULL && state->document->companions[VIEW_GUEST].drawn != NULL);
    CHECK(view_size(state->document->bounds) > size);
    state->window = NULL;
    end_viewer(&viewer);
}

// A web page receives the built-in machine in two parts. When the second part arrives the machine
// continues from its current state, and acts by itself only if the user has not taken over.
TEST (view_built_in_machine_continues_when_its_second_part_arrives) {
    test_viewer viewer;
    view_state *const state = &viewer.state;
    if (!begin_viewer(&viewer, (const char *[]){"--resolution=640,360", NULL}, true))
        return;
    bool redraw = false;
    CHECK(view_set_scale(state, 1.0f) && view_open_first(state));
    state->play.time = 3.0;
    for (int i = 0; i < 2; i++) {
        view_scene *const scene = &state->document->scene;
        view_pose(scene, &state->play);
        const view_machine before = scene->machine;
        CHECK(before.time == 3.0 && before.next_act > 2 && before.plays_demo == (i == 0));
        view_handle_event(state, &(view_input){.kind = VIEW_INPUT_DROP, .path = common_copy("")},
                          &redraw);
        view_machine *const machine = &state->document->scene.machine;
        CHECK(machine->player != NULL && state->play.time == 3.0 && machine->time == 3.0);
        CHECK(machine->next_act == before.next_act && machine->plays_demo == before.plays_demo);
        CHECK(machine->guest != NULL
              && !view_finish_opening(state)); // the guest that was already there
        view_stop_acting(machine);
    }
    end_viewer(&viewer);
}

// The bounds of the shadow casters determine the position of the shadow map. They change steadily
// while the visitor of the demo scene moves away, so that the sharpness of shadows does not change
// suddenly.
TEST (view_casters_change_steadily_when_a_companion_leaves) {
    const float step = 2.0f; // units between two positions of the visitor
    test_viewer viewer;
    view_state *const state = &viewer.state;
    if (!begin_viewer(&viewer, (const char *[]){"--resolution=640,360", NULL}, true))
        return;
    CHECK(view_set_scale(state, 1.0f) && view_open_first(state));
    const view_stage stage = item_draw(state, 640, 360);
    const view_lens lens = view_stage_lens(&stage);
    view_companion *const visitor = &state->document->companions[VIEW_GUEST];
    md5_bounds before = {0};
    md5gl_point_light points[VIEW_NUM_POINTS];
    for (int i = 0; i < 400; i++) {
        const md5_vec3 position = {0, step * (float)i, 0};
        visitor->placement =
            md5_mat34_from_xform((md5_xform){.rotation = {.w = 1}, .translation = position});
        const md5_bounds casters = view_light_frame(&stage, &lens, NULL, false, points).casters;
        const float moved = fmaxf(md5_vec3_length(md5_vec3_sub(casters.min, before.min)),
                                  md5_vec3_length(md5_vec3_sub(casters.max, before.max)));
        CHECK_THAT(i == 0 || moved < 2 * step, "bounds move by %g at %g units", (double)moved,
                   (double)position.y);
        CHECK(view_size(casters) < 4 * stage.camera->scene_radius);
        before = casters;
    }
    CHECK(before.max.y > 20.0f); // the map extends to the visitor
    end_viewer(&viewer);
}

// Only the built-in model has scenery. The scenery is kept when files are reloaded, and does not
// enlarge the bounds of the document.
TEST (view_scenery_is_around_the_built_in_model) {
    const char *const arguments[] = {"--resolution=320,180", "--crowd=3",
                                     test_path("models/bobbin/bobbin.md5machine")};
    for (int i = 0; i < 3; i++) {
        test_viewer viewer;
        view_state *const state = &viewer.state;
        if (!begin_viewer(&viewer, (const char *[]){arguments[i], NULL}, true))
            return;
        CHECK(view_open_first(state));
        for (int again = 0; again < 2; again++) {
            const view_document *const document = state->document;
            CHECK((document->scenery.drawn != NULL) == (i < 2));
            CHECK(i == 1 || document->bounds.min.x > -60.0f);
            CHECK(again == 1 || view_reload(state));
        }
        end_viewer(&viewer);
    }
}

// The plate is at x = 1. The eye in front of it looks at a triangle at x = 92, which is not drawn.
// Only the bounds of a model that consists of eyes contain that triangle. The folder's clip moves
// everything by 4 units.
TEST (view_bounds_ignore_the_targets_of_eyes) {
    static const char *const files[] = {"test/data/shown/face.md5mesh",
                                        "test/data/shown/eyes.md5mesh"};
    for (int i = 0; i < 2; i++) {
        test_viewer viewer;
        if (!begin_viewer(&viewer, (const char *[]){test_path(files[i]), NULL}, true))
            return;
        CHECK(view_open_first(&viewer.state));
        CHECK_NEAR(viewer.state.document->bounds.max.x, i == 0 ? 5.0 : 96.0, 1e-3);
        end_viewer(&viewer);
    }
}

// In the upright window of a phone, the camera frames the character without the guest that walks
// past, so that it stays near when the demo scene ends.
TEST (view_camera_on_a_phone_stays_near_after_the_demo) {
    bool redraw = false;
    test_viewer viewer;
    view_state *const state = &viewer.state;
    if (!begin_viewer(&viewer, (const char *[]){"--resolution=390,844", NULL}, true))
        return;
    CHECK(view_set_scale(state, 1.0f) && view_open_first(state));
    (void)item_draw(state, 390, 844);
    view_handle_event(state, &(view_input){.kind = VIEW_INPUT_KEY_DOWN, .key = 'd'}, &redraw);
    CHECK(state->document->companions[VIEW_GUEST].model
          && !state->document->scene.machine.plays_demo);
    view_measure(state);
    const float model_size = view_size(state->document->scene.model->bounds);
    CHECK(view_size(state->document->bounds) < 1.2f * model_size);
    end_viewer(&viewer);
}

// Returns the height of the character in the image of the demo scene, as a fraction of the height
// of the image. The window is an upright window of 360 x 740 pixels.
static float demo_height_on_a_phone(view_state *state)
{
    const view_stage stage = view_build_stage(state, 360, 740);
    const view_machine *const machine = &state->document->scene.machine;
    const md5_vec3 feet = machine->placement.translation;
    const md5_vec3 head = {feet.x, feet.y, feet.z + state->document->scene.model->bounds.max.z};
    float bottom[2], top[2];
    CHECK(stage.plays_demo && view_find_pixel(&stage, feet, bottom));
    CHECK(view_find_pixel(&stage, head, top));
    return (bottom[1] - top[1]) / 740;
}

// In the upright window of a phone, Bobbin fills about half of the height of the demo scene, and
// less only if Thimble or the sneezed fire need the width.
TEST (view_demo_on_a_phone_fills_the_window) {
    const struct {
        double second;
        float min_height;
    } shots[] = {{0, 0.45f},  {3, 0.45f}, {5, 0.45f},  {9, 0.35f},  {13, 0.45f}, {15, 0.45f},
                 {17, 0.45f}, {19, 0.3f}, {21, 0.45f}, {23, 0.45f}, {26, 0.45f}, {29, 0.22f},
                 {32, 0.3f},  {36, 0.3f}, {40, 0.3f},  {47, 0.45f}, {49, 0.45f}};
    test_viewer viewer;
    view_state *const state = &viewer.state;
    if (!begin_viewer(&viewer, (const char *[]){"--resolution=360,740", NULL}, true))
        return;
    CHECK(view_set_scale(state, 1.0f) && view_open_first(state));
    for (size_t i = 0; i < COMMON_LENGTH(shots); i++) {
        view_run_machine(&state->document->scene.machine, shots[i].second);
        const float height = demo_height_on_a_phone(state);
        CHECK_THAT(height > shots[i].min_height && height < 0.6f, "%g s: %g of the height",
                   shots[i].second, (double)height);
    }
    end_viewer(&viewer);
}

TEST (view_start_plays_the_demo_scene) {
    bool redraw = false;
    test_viewer viewer;
    view_state *const state = &viewer.state;
    if (!begin_viewer(&viewer, (const char *[]){"--resolution=1400,700", NULL}, true))
        return;
    CHECK(view_set_scale(state, 1.0f) && view_open_first(state));
    view_stage stage = item_draw(state, 1400, 700);
    const view_rect all = view_current_layout(&stage).free;
    CHECK(stage.plays_demo && all.width == 1400.0f
          && all.y == view_current_layout(&stage).menu.height);
    CHECK(stage.camera->distance != state->cameras.user.distance);
    CHECK(state->document->companions[VIEW_GUEST].model);
    view_handle_event(state, &(view_input){.kind = VIEW_INPUT_MOVE}, &redraw);
    CHECK(view_build_stage(state, 1400, 700).plays_demo);
    view_handle_event(state, &(view_input){.kind = VIEW_INPUT_KEY_DOWN, .key = 'd'}, &redraw);
    stage = item_draw(state, 1400, 700);
    CHECK(!stage.plays_demo && stage.camera == &state->cameras.user);
    // The user has taken over, so the card is displayed for 20 more seconds.
    CHECK_NEAR(state->panels.decision.demo_end, state->uptime + 20.0, 1e-9);
    state->uptime = 4.0;
    stage = item_draw(state, 1400, 700);
    CHECK_UINT(item_press(state, &stage, "own/Open", 0.5f, 0.5f).action, VIEW_FILES);
    state->panels.decision.demo_end = -1.0;
    stage = item_draw(state, 1400, 700);
    CHECK_UINT(item_press(state, &stage, "choice/Open the lessons", 0.5f, 0.5f).action,
               VIEW_NEXT_PAGE);
    CHECK(state->panels.decision.demo_end == 0.0);
    item_release(state);
    CHECK(state->document->scene.machine.control.side == 1); // the key was still handled
    CHECK(view_current_layout(&stage).free.width == 1400.0f
          && view_current_layout(&stage).menu.height > 0);
    (void)view_execute(state,
                       (view_command){.action = view_get_toggle(VIEW_OPTION(shown.hierarchy))});
    stage = item_draw(state, 1400, 700);
    CHECK(view_current_layout(&stage).docks[VIEW_DOCK_LEFT].width > 0.0f);
    CHECK(view_current_layout(&stage).docks[VIEW_DOCK_RIGHT].width > 0.0f);
    end_viewer(&viewer);

    STRINGS(arguments) = {"--camera-azimuth-angle=20", "--reduced-motion", "--set=speed=30",
                          "--crowd=3"};
    for (size_t j = 0; j < COUNT_OF(arguments); j++) {
        if (!begin_viewer(&viewer, (const char *[]){arguments[j], NULL}, false))
            return;
        CHECK(view_open_first(state) && !state->document->scene.machine.plays_demo);
        end_viewer(&viewer);
    }
}

// A broken file is not added to the recent files. The built-in model, which is shown with the
// error, is not added either.
TEST (view_broken_file_is_not_remembered) {
    char *const folder = folder_make();
    char *const path = common_join(folder, "broken.md5mesh");
    view_config config = {.path = common_join(folder, "config")};
    test_viewer viewer;
    folder_write_text(folder, "broken.md5mesh", "MD5Version 10\nnumJoints x\n");
    if (begin_viewer(&viewer, (const char *[]){path, NULL}, true)) {
        viewer.state.window = &(view_window){.window = viewer.scene.window};
        viewer.state.config = &config;
        CHECK(view_open_first(&viewer.state) && viewer.state.log.error[0] != '\0');
        CHECK_STRING(viewer.state.document->scene.name, "bobbin");
        view_save_config(&viewer.state);
        CHECK(config.documents.count == 0 && config.recent.count == 0);
        end_viewer(&viewer);
    }
    view_free_config(&config);
    free(path);
    folder_remove(folder);
}

// Without files, the first start of the program shows the demo scene, and later starts show the
// start page.
TEST (view_start_page_is_shown_after_the_first_start) {
    for (int is_new = 0; is_new < 2; is_new++) {
        view_config config = {.is_new = is_new == 1};
        test_viewer viewer;
        if (!begin_viewer(&viewer, (const char *[]){NULL}, true))
            return;
        viewer.state.window = &(view_window){.window = viewer.scene.window};
        viewer.state.config = &config;
        CHECK(view_open_first(&viewer.state));
        CHECK(viewer.state.document->scene.machine.plays_demo == config.is_new);
        CHECK(viewer.state.panels.start.is_open != config.is_new);
        end_viewer(&viewer);
        view_free_config(&config);
    }
}

// -- Settings of documents ----------------------------------------------------------------------

static char *document_texts(const view_options *options)
{
    return view_write_settings(options, NULL, VIEW_SCOPE_ANY, VIEW_SCOPE_CAMERA);
}

static void set(view_state *viewer, const char *name, const char *text)
{
    const view_option *const row = view_find_option(name, strlen(name));
    CHECK_THAT(view_set_option(viewer, row, common_text_value(text)), "--%s", name);
}

// Each document is restored as it was left, in the same window and in another one, unless the
// command line overrides it. Settings of the appearance apply to all documents.
TEST (view_documents_restore_their_settings) {
    SCOPED_FOLDER folder = folder_make();
    SCOPED_STRING model = common_copy(test_path("models/thimble/thimble.md5mesh"));
    SCOPED_STRING second_path = copy_file(folder, "other.md5mesh", still);
    SCOPED_STRING image = copy_file(folder, "any.png", "models/thimble/thimble.png");
    SCOPED_STRING texture = common_format("0=%s", image);
    view_config config = {.path = common_join(folder, "config")};
    view_log log = {.level = VIEW_QUIET};
    test_viewer viewer;
    if (!begin_viewer(&viewer, (const char *[]){model, NULL}, true))
        return;
    view_state *const state = &viewer.state;
    state->config = &config;
    state->documents = &config.documents;
    CHECK(view_open_first(state) && !state->opening.is_restored);
    set(state, "animation-speed-factor", "0.5");
    set(state, "texture", texture);
    set(state, "loop", "once");
    set(state, "edges", "yes");
    state->cameras.user.azimuth = 77.0f;
    SCOPED_STRING left = document_texts(&viewer.options);
    view_drop(state, second_path);
    SCOPED_STRING plain = document_texts(&viewer.options);
    CHECK_STRING(plain, "");
    CHECK(viewer.options.shown.edges && state->play.speed == 1.0);
    view_drop(state, model);
    CHECK(state->opening.is_restored && state->play.speed == 0.5
          && state->play.wrap == MD5_WRAP_CLAMP);
    state->uptime = state->ui.notice.end; // the notice about the opened file has expired
    view_update_files(state);
    CHECK(strncmp(state->ui.notice.text, "Continue last session", 21) == 0);
    CHECK(state->ui.notice.action == VIEW_RESET_ALL && !state->opening.is_restored);
    CHECK_NEAR(state->cameras.user.azimuth, 77, 0);
    const char *const used =
        view_mesh_image(&state->document->textures, 0, MD5GL_IMAGE_DIFFUSE)->path;
    CHECK_STRING(used, image);
    view_save_config(state);
    end_viewer(&viewer);

    for (int round = 0; round < 3; round++) { // 1: an option overrides; 2: the texture is missing
        const char *const arguments[] = {round == 1 ? "--animation-speed-factor=2" : "--grid",
                                         model, NULL};
        if (round == 2)
            CHECK(remove(image) == 0);
        view_config again;
        view_read_config(&again, config.path, &log);
        CHECK_UINT(log.num_warnings, 0);
        if (begin_viewer(&viewer, arguments, true)) {
            state->config = &again;
            state->documents = &again.documents;
            CHECK(view_open_first(state) && state->log.error[0] == '\0');
            CHECK_NEAR(state->play.speed, round == 1 ? 2.0 : 0.5, 0);
            CHECK_NEAR(state->cameras.user.azimuth, 77, 0);
            CHECK_UINT(viewer.options.maps[MD5GL_IMAGE_DIFFUSE].count, round < 2 ? 1 : 0);
            CHECK(round < 2 || strstr(state->log.warning, "any.png no longer exists") != NULL);
            CHECK(strstr(left, "--loop=once\n") != NULL);
            // If a warning exists, the reset of the texture loads the files again, which frees the
            // path of the document. The rest of the reset must not use that path.
            state->log.num_warnings++;
            const view_document *const before = state->document;
            view_reset_settings(state, VIEW_CLEAR_DOCUMENT_SETTINGS);
            CHECK(round == 2 || state->document != before);
            CHECK_STRING(view_find_document(&again.documents, model), "");
            CHECK(state->play.speed == 1.0);
            end_viewer(&viewer);
        }
        view_free_config(&again);
    }
    view_free_config(&config);
}

// -- The list of files --------------------------------------------------------------------------

static const char *selected_label(const view_browser *browser)
{
    return browser->entries[browser->found[browser->selected]].label;
}

// The parent folder is not an entry: Backspace opens it and selects the folder that was left. Names
// that begin with a dot are listed if the filter begins with a dot, or on request. The filter
// accepts a path.
TEST (view_list_navigates_folders) {
    const char *const none[] = {NULL};
    char *const folder = folder_make();
    char *const closed = common_format("%s/", folder);
    SCOPED_STRING inner = common_join(folder, "inner");
    SCOPED_STRING secret = common_join(folder, ".secret");
    replace_file(folder, "b.md5mesh", still);
    replace_file(folder, "a.md5mesh", still);
    replace_file(folder, ".c.md5mesh", still);
    CHECK(mkdir(inner, 0700) == 0 && mkdir(secret, 0700) == 0);
    test_viewer viewer;
    if (!begin_viewer(&viewer, none, false))
        return;
    const view_browser *const browser = &viewer.state.panels.browser;
    view_browser *const list = &viewer.state.panels.browser;
    for (int i = 0; i < 2; i++) { // with and without a slash at the end
        view_browse_folder(list, i == 0 ? folder : closed, NULL, NULL);
        if (CHECK(browser->num_found == 3 && browser->num_hidden == 2)) {
            CHECK_STRING(browser->entries[browser->found[2]].label, "inner/");
            CHECK_STRING(selected_label(browser), "a.md5mesh");
        }
    }
    view_filter_list(list, ".");
    CHECK_UINT(browser->num_found, 4); // all entries except inner
    CHECK_STRING(selected_label(browser), ".c.md5mesh");
    view_browse_folder(list, inner, NULL, NULL);
    CHECK_UINT(browser->num_found, 0);
    view_filter_list(list, "x");
    // Backspace edits the filter.
    CHECK_UINT(view_key_browser(list, VIEW_KEY_BACKSPACE).action, VIEW_NOTHING);
    view_filter_list(list, "");
    CHECK(view_execute(&viewer.state, view_key_browser(list, VIEW_KEY_BACKSPACE)));
    CHECK_STRING(browser->folder, folder);
    CHECK_STRING(selected_label(browser), "inner/");
    view_key_browser(list, 'l' | VIEW_WITH_CTRL);
    CHECK(strncmp(browser->filter, folder, strlen(folder)) == 0 && browser->num_found == 3);
    CHECK(browser->selects_all);
    SCOPED_STRING typed = common_format("%s/b.", folder);
    view_filter_list(list, typed);
    CHECK_STRING(selected_label(browser), "b.md5mesh");
    view_filter_list(list, "inner/../inner");
    CHECK(view_execute(&viewer.state, view_key_browser(list, VIEW_KEY_RETURN)));
    CHECK_STRING(browser->folder, inner);
    view_browse_folder(list, "/", NULL, NULL);
    CHECK_UINT(view_key_browser(list, VIEW_KEY_UP | VIEW_WITH_CTRL).action, VIEW_HANDLED);
    end_viewer(&viewer);
    free(closed);
    folder_remove(folder);
}

// A list for any file contains all formats that can be opened or converted, and no other files. A
// folder does not have a large preview.
TEST (view_list_includes_files_of_other_formats) {
    char *const folder = folder_make();
    SCOPED_STRING inner = common_join(folder, "inner");
    STRINGS(names) = {"fox.glb", "dance.bvh", "guy.IQM", "note.txt", "mesh.obj", "a.md5mesh"};
    for (size_t i = 0; i < COUNT_OF(names); i++)
        replace_file(folder, names[i], still);
    CHECK(mkdir(inner, 0700) == 0);
    view_browser list = {.kind = VIEW_BROWSE_NOTHING};
    view_browse_folder(&list, folder, NULL, NULL);
    CHECK_UINT(list.num_found, 5);
    CHECK_STRING(selected_label(&list), "a.md5mesh");
    view_filter_list(&list, "fox");
    CHECK_UINT(view_key_browser(&list, ' ').action, VIEW_NOTHING); // a space is part of the filter
    const view_command command = view_key_browser(&list, VIEW_KEY_RETURN);
    CHECK(command.action == VIEW_OPEN_FILE && common_has_suffix(command.path, "fox.glb"));
    free(command.path);
    view_browse_folder(&list, folder, NULL, NULL);
    view_key_browser(&list, ' ');
    CHECK(list.is_peeking);
    view_key_browser(&list, ' ');
    view_key_browser(&list, VIEW_KEY_END);
    CHECK_STRING(selected_label(&list), "inner/");
    view_key_browser(&list, ' ');
    CHECK(!list.is_peeking);
    list.purpose.accepted_kinds = 1u << VIEW_ENTRY_MODEL; // a list for an option
    view_browse_folder(&list, folder, NULL, NULL);
    CHECK_UINT(list.num_found, 2);
    view_clear_browser(&list);
    folder_remove(folder);
}

// A clip without a model is opened on the model in the same folder that it fits. If several models
// fit, they are first in a list, and the clip's skeleton is shown meanwhile. Paths are absolute.
TEST (view_clip_without_a_model_finds_its_model) {
    char *const folder = folder_make();
    SCOPED_STRING clip = copy_file(folder, "walk.md5anim", "models/thimble/walk.md5anim");
    SCOPED_STRING across = common_format("%s/../%s/walk.md5anim", folder, common_base(folder));
    replace_file(folder, "a.md5mesh", still);
    replace_file(folder, "y.md5mesh", "models/thimble/thimble.md5mesh");
    const char *const arguments[] = {across, NULL};
    for (int i = 0; i < 3; i++) { // one model that fits, two models, a dropped clip
        test_viewer viewer;
        if (i == 1)
            replace_file(folder, "z.md5mesh", "models/thimble/thimble.md5mesh");
        if (!begin_viewer(&viewer, arguments + i / 2, true))
            break;
        view_state *const state = &viewer.state;
        CHECK(view_open_first(state));
        if (i == 2) {
            PERFORM(state, VIEW_START_PAGE);
            view_drop(state, across);
        }
        const view_browser *const list = &state->panels.browser;
        SCOPED_STRING at = common_join(folder, i == 0 ? "y.md5mesh" : "walk.md5anim");
        CHECK_STRING(state->document->scene.path, at);
        CHECK_STRING(state->document->scene.clips[0].path, clip);
        CHECK((list->kind == VIEW_BROWSE_FILES) == (i > 0));
        if (i > 0 && CHECK(list->num_found == 3)) {
            CHECK_STRING(list->entries[0].label, "y.md5mesh");
            CHECK_STRING(list->entries[2].label, "a.md5mesh");
        }
        end_viewer(&viewer);
    }
    folder_remove(folder);
}

// -- Watching -----------------------------------------------------------------------------------

// Returns true if the shown files have changed since they were read. In that case they are read
// again.
static bool detects_change(test_viewer *viewer)
{
    view_state *const state = &viewer->state;
    const uint64_t before = state->opening.files_stamp;
    state->uptime += 1.0;
    view_watch_files(state);
    const bool is_detected = state->opening.files_stamp != before;
    for (int i = 0; i < 3; i++) { // newly found files are checked once more
        state->uptime += 1.0;
        view_watch_files(state);
    }
    return is_detected;
}

static void check_watched(test_viewer *viewer, const char *folder, const char *name,
                          const char *from)
{
    CHECK_THAT(!detects_change(viewer), "a change before %s changed", name);
    replace_file(folder, name, from);
    CHECK_THAT(detects_change(viewer), "no change, though %s changed", name);
    CHECK(viewer->state.log.error[0] == '\0');
}

#define BOBBIN "models/bobbin/bobbin"
#define THIMBLE "models/thimble/thimble"

TEST (view_watch_detects_every_file_of_a_model) {
    char *const folder = folder_make();
    char *const model = copy_file(folder, "bobbin.md5mesh", BOBBIN ".md5mesh");
    STRINGS(names) = {"bobbin.png", "bobbin_eye.png", "bobbin_local.png", "bobbin_s.png",
                      "walk.md5anim"};
    const char *const arguments[] = {"--watch", model, NULL};
    for (size_t i = 0; i < 4; i++) {
        char *const from = common_join("models/bobbin", names[i]);
        replace_file(folder, names[i], from);
        free(from);
    }
    test_viewer viewer;
    if (begin_viewer(&viewer, arguments, true)) {
        CHECK(view_open_first(&viewer.state));
        check_watched(&viewer, folder, "bobbin.md5mesh", BOBBIN ".md5mesh");
        for (size_t i = 0; i < 5; i++) { // the last file is new, and is found
            char *const from = common_join("models/bobbin", names[i]);
            check_watched(&viewer, folder, names[i], from);
            free(from);
        }
        CHECK_UINT(viewer.state.document->scene.num_clips, 1);
        CHECK(!detects_change(&viewer));
        end_viewer(&viewer);
    }
    free(model);
    folder_remove(folder);
}

TEST (view_watch_finds_a_texture_that_was_missing) {
    char *const folder = folder_make();
    char *const model = copy_file(folder, "m.md5mesh", THIMBLE ".md5mesh");
    const char *const arguments[] = {"--watch", model, NULL};
    test_viewer viewer;
    if (begin_viewer(&viewer, arguments, true)) {
        CHECK(view_open_first(&viewer.state));
        CHECK_UINT(viewer.state.document->textures.num_loaded, 0);
        check_watched(&viewer, folder, "thimble.png", THIMBLE ".png");
        CHECK_UINT(viewer.state.document->textures.num_loaded, 1);
        // An incomplete image gives a warning, and the complete image then replaces it.
        SCOPED_STRING path = common_join(folder, "thimble.png");
        write_incomplete_file(path);
        CHECK(detects_change(&viewer) && viewer.state.log.num_warnings > 0);
        check_watched(&viewer, folder, "thimble.png", THIMBLE ".png");
        CHECK_UINT(viewer.state.log.num_warnings, 0);
        end_viewer(&viewer);
    }
    free(model);
    folder_remove(folder);
}

TEST (view_watch_keeps_a_texture_that_was_dropped) {
    char *const folder = folder_make();
    char *const model = copy_file(folder, "m.md5mesh", THIMBLE ".md5mesh");
    SCOPED_STRING texture = copy_file(folder, "any.png", THIMBLE ".png");
    const char *const arguments[] = {"--watch", model, NULL};
    test_viewer viewer;
    if (begin_viewer(&viewer, arguments, true)) {
        CHECK(view_open_first(&viewer.state));
        view_drop(&viewer.state, texture);
        check_watched(&viewer, folder, "any.png", BOBBIN ".png");
        const char *const used =
            view_mesh_image(&viewer.state.document->textures, 0, MD5GL_IMAGE_DIFFUSE)->path;
        CHECK(used != NULL && strcmp(used, texture) == 0);
        end_viewer(&viewer);
    }
    free(model);
    folder_remove(folder);
}

// All files of all models are watched. The crowd is unchanged until an incomplete file is complete.
TEST (view_watch_detects_every_file_of_a_crowd) {
    char *const folder = folder_make();
    char *const first = copy_file(folder, "b.md5mesh", BOBBIN ".md5mesh");
    SCOPED_STRING walk = copy_file(folder, "walk.md5anim", "models/bobbin/walk.md5anim");
    SCOPED_STRING second_path = copy_file(folder, "t.md5mesh", THIMBLE ".md5mesh");
    replace_file(folder, "bobbin.png", BOBBIN ".png");
    replace_file(folder, "thimble.png", THIMBLE ".png");
    const char *const arguments[] = {"--watch", "--no-auto", "--crowd=5", first,
                                     walk,      second_path, NULL};
    test_viewer viewer;
    if (begin_viewer(&viewer, arguments, true)) {
        const view_state *const state = &viewer.state;
        CHECK(view_open_first(&viewer.state));
        check_watched(&viewer, folder, "b.md5mesh", BOBBIN ".md5mesh");
        check_watched(&viewer, folder, "walk.md5anim", "models/bobbin/walk.md5anim");
        check_watched(&viewer, folder, "t.md5mesh", THIMBLE ".md5mesh");
        check_watched(&viewer, folder, "bobbin.png", BOBBIN ".png");
        check_watched(&viewer, folder, "thimble.png", THIMBLE ".png");
        CHECK_UINT(state->document->crowd.count, 5);
        char *const files[] = {first, walk, second_path};
        STRINGS(names) = {"b.md5mesh", "walk.md5anim", "t.md5mesh"};
        STRINGS(sources) = {BOBBIN ".md5mesh", "models/bobbin/walk.md5anim", THIMBLE ".md5mesh"};
        for (int i = 0; i < 3; i++) {
            write_incomplete_file(files[i]);
            CHECK(detects_change(&viewer) && state->log.error[0] != '\0');
            CHECK_UINT(state->document->crowd.count, 5);
            CHECK_UINT(state->document->crowd.num_kinds, 2);
            CHECK(strcmp(state->document->scene.name, "b") == 0 && state->document->drawn != NULL);
            check_watched(&viewer, folder, names[i], sources[i]);
            CHECK_UINT(state->document->crowd.num_kinds, 2);
        }
        end_viewer(&viewer);
    }
    free(first);
    folder_remove(folder);
}

TEST (view_watch_detects_every_file_of_companions) {
    char *const folder = folder_make();
    char *const model = copy_file(folder, "b.md5mesh", BOBBIN ".md5mesh");
    SCOPED_STRING body = copy_file(folder, "t.md5mesh", THIMBLE ".md5mesh");
    SCOPED_STRING thing = copy_file(folder, "thing.md5mesh", still);
    SCOPED_STRING beside = common_format("--retarget=%s", body);
    SCOPED_STRING held = common_format("--attach=hand_l=%s", thing);
    replace_file(folder, "thimble.png", THIMBLE ".png");
    const char *const arguments[] = {"--watch", "--no-auto", beside, held, model, NULL};
    test_viewer viewer;
    if (begin_viewer(&viewer, arguments, true)) {
        CHECK(view_open_first(&viewer.state));
        check_watched(&viewer, folder, "t.md5mesh", THIMBLE ".md5mesh");
        check_watched(&viewer, folder, "thimble.png", THIMBLE ".png");
        check_watched(&viewer, folder, "thing.md5mesh", still);
        write_incomplete_file(body); // changes nothing
        CHECK(detects_change(&viewer) && viewer.state.log.error[0] != '\0');
        CHECK(viewer.state.document->companions[VIEW_RETARGETED].model != NULL
              && viewer.state.document->companions[VIEW_ATTACHED].model != NULL);
        end_viewer(&viewer);
    }
    free(model);
    folder_remove(folder);
}

TEST (view_watch_detects_every_file_of_a_machine) {
    char *const folder = folder_make();
    SCOPED_STRING machine =
        copy_file(folder, "page.md5machine", "models/bobbin/page_sync.md5machine");
    common_list clips = common_list_folder(test_path("models/bobbin"), ".md5anim");
    for (size_t i = 0; i < clips.count; i++) {
        char *const from = common_format("models/bobbin/%s", common_base(clips.names[i]));
        replace_file(folder, common_base(clips.names[i]), from);
        free(from);
    }
    common_free_list(&clips);
    replace_file(folder, "bobbin.md5mesh", BOBBIN ".md5mesh");
    const char *const arguments[] = {"--watch", "--set=speed=1", machine, NULL};
    test_viewer viewer;
    if (begin_viewer(&viewer, arguments, true)) {
        CHECK(view_open_first(&viewer.state));
        CHECK(viewer.state.document->scene.machine.player);
        check_watched(&viewer, folder, "bobbin.md5mesh", BOBBIN ".md5mesh");
        check_watched(&viewer, folder, "page.md5machine", "models/bobbin/page_sync.md5machine");
        char *const name =
            common_copy(common_base(viewer.state.document->scene.machine.character->anim_paths[0]));
        char *const from = common_format("models/bobbin/%s", name);
        check_watched(&viewer, folder, name, from);
        CHECK_UINT(viewer.state.document->scene.machine.settings.count,
                   1); // the setting of the command line is unchanged
        free(from);
        free(name);
        end_viewer(&viewer);
    }
    folder_remove(folder);
}

// Replaces a string in a file.
static void edit(const char *path, const char *word, const char *by)
{
    size_t size = 0;
    SCOPED_STRING text = test_read_file(path, &size);
    SCOPED_STRING beside = common_format("%s.new", path);
    FILE *const file = fopen(beside, "wb");
    REQUIRE(text && file);
    const char *from = text;
    for (const char *at; (at = strstr(from, word)) != NULL; from = at + strlen(word))
        (void)fprintf(file, "%.*s%s", (int)(at - from), from, by);
    CHECK(fputs(from, file) >= 0 && fclose(file) == 0 && rename(beside, path) == 0);
}

// Shows the character at a time, and returns the largest distance in world space that a joint has
// moved since the last call.
static double move_to(test_viewer *viewer, double time, md5_mat34 *last)
{
    view_state *const state = &viewer->state;
    const view_scene *const scene = &state->document->scene;
    double largest_move = 0.0;
    state->play.time = time;
    view_pose(&state->document->scene, &state->play);
    for (uint32_t i = 0; i < scene->num_joints; i++) {
        const md5_vec3 offset =
            md5_vec3_sub(md5_mat34_translation(scene->joints[i]), md5_mat34_translation(last[i]));
        largest_move = fmax(largest_move, (double)md5_vec3_length(offset));
        last[i] = scene->joints[i];
    }
    return largest_move;
}

// A walking character continues at its position. A missing part is a warning.
TEST (view_watch_reloads_a_machine_without_a_jump) {
    char *const folder = folder_make();
    SCOPED_STRING machine =
        copy_file(folder, "page.md5machine", "models/bobbin/page_sync.md5machine");
    SCOPED_STRING walk = common_join(folder, "walk.md5anim");
    replace_file(folder, "walk.md5anim", "models/bobbin/walk.md5anim");
    replace_file(folder, "run.md5anim", "models/bobbin/run.md5anim");
    replace_file(folder, "bobbin.md5mesh", BOBBIN ".md5mesh");
    const char *const arguments[] = {"--watch", machine, NULL};
    const char *const edits[][3] = {{machine, "item walk 20", "item walk 12.25"},
                                    {machine, "out_of_step", "unlike"},
                                    {walk, "frameRate 24", "frameRate 30.0"}};
    test_viewer viewer;
    if (begin_viewer(&viewer, arguments, true)) {
        CHECK(view_open_first(&viewer.state));
        view_scene *const scene = &viewer.state.document->scene;
        SCOPED md5_mat34 *const joints = calloc(scene->num_joints, sizeof *joints);
        const uint32_t usual = viewer.state.log.num_warnings;
        double largest_move = 0.0;
        double time = 0.0;
        (void)move_to(&viewer, 0.0, joints);
        for (; time < 1.2; time += 1.0 / 60.0)
            largest_move = fmax(largest_move, move_to(&viewer, time, joints));
        for (size_t j = 0; j < COUNT_OF(edits); j++) {
            edit(edits[j][0], edits[j][1], edits[j][2]);
            CHECK(detects_change(&viewer));
            const double swapped = move_to(&viewer, time, joints);
            time += 1.0 / 60.0;
            const double first = move_to(&viewer, time, joints);
            CHECK_THAT(swapped <= largest_move && first <= largest_move,
                       "%s: %g, then %g, but %g in a frame", edits[j][1], swapped, first,
                       largest_move);
            CHECK_UINT(viewer.state.log.num_warnings, usual + (j == 1 ? 2 : 0));
            for (int i = 0; i < 20; i++)
                largest_move = fmax(largest_move, move_to(&viewer, time += 1.0 / 60.0, joints));
        }
        replace_file(folder, "held.md5mesh", still);
        edit(machine, "model bobbin.md5mesh",
             "model bobbin.md5mesh attached thing held.md5mesh on hand_r");
        CHECK(detects_change(&viewer)
              && viewer.state.document->companions[VIEW_HELD].drawn != NULL);
        check_watched(&viewer, folder, "held.md5mesh", still);
        end_viewer(&viewer);
    }
    folder_remove(folder);
}

// --watch does not report that a file has changed when the user opens another file.
TEST (view_watch_ignores_opening_another_file) {
    const char *const arguments[] = {"--watch", test_path(THIMBLE ".md5mesh"), NULL};
    test_viewer viewer;
    if (!begin_viewer(&viewer, arguments, true))
        return;
    CHECK(view_open_first(&viewer.state));
    CHECK(!detects_change(&viewer));
    view_drop(&viewer.state, test_path("models/thimble/walk.md5anim"));
    CHECK(!detects_change(&viewer));
    view_drop(&viewer.state, test_path(still));
    CHECK(!detects_change(&viewer));
    end_viewer(&viewer);
}

// A document is shown only when it is complete: opening a model without the joint of --attach
// changes neither the current model nor the camera.
TEST (view_open_that_fails_late_changes_nothing) {
    SCOPED_STRING second_path =
        common_format("--attach=head=%s", test_path("models/spindle/spindle.md5mesh"));
    SCOPED_STRING model = common_copy(test_path(BOBBIN ".md5mesh"));
    const char *const arguments[] = {second_path, model, NULL};
    test_viewer viewer;
    if (begin_viewer(&viewer, arguments, true)) {
        view_state *const state = &viewer.state;
        CHECK(view_open_first(state));
        state->cameras.user.distance *= 1.5f;
        const view_camera camera = state->cameras.user;
        const view_document *const document = state->document;
        const char *const files[] = {test_path("models/zoo/triangle.md5mesh")};
        CHECK(!view_open(state, files, 1, false));
        CHECK(state->log.error[0] != '\0');
        CHECK(state->document == document);
        CHECK_STRING(state->document->scene.name, "bobbin");
        CHECK(state->document->companions[VIEW_ATTACHED].drawn);
        CHECK_BYTES(&state->cameras.user, &camera, sizeof camera);
        end_viewer(&viewer);
    }
}

// -- Interrupting long work ----------------------------------------------------------------------

// Escape is reported once, and is then no longer in the queue. A request to quit is reported until
// it is handled.
TEST (view_window_interrupts_long_work) {
    const char *files[] = {test_path("models/bobbin/bobbin.md5mesh")};
    view_log log = {.level = VIEW_QUIET, .may_stop = true};
    view_scene scene;
    SDL_Event event = {.type = SDL_KEYDOWN};
    SDL_Event escape = event;
    escape.key.keysym.sym = SDLK_ESCAPE;
    SDL_InitSubSystem(SDL_INIT_EVENTS);
    SDL_FlushEvents(SDL_FIRSTEVENT, SDL_LASTEVENT);
    CHECK(SDL_PushEvent(&event) == 1 && !view_is_interrupted());
    CHECK(SDL_PushEvent(&escape) == 1 && view_is_interrupted() && !view_is_interrupted());
    event.type = SDL_QUIT;
    CHECK(SDL_PushEvent(&event) == 1 && view_is_interrupted());
    CHECK(!view_load_scene(&scene, files, 1, NULL, true, &log));
    CHECK(log.has_stopped);
    SDL_QuitSubSystem(SDL_INIT_EVENTS);
}
