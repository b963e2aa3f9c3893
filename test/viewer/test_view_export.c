// The export dialog: it writes the same file as its command line, and replaces no file without
// confirmation.
#define _POSIX_C_SOURCE 200809L // popen()
#include "test/scoped.h"
#include "test/viewer/test_view_case.h"

#include "demo/viewer/app/window.h"
#include "demo/viewer/jobs/export.h"
#include "demo/viewer/jobs/output.h"

#include <stdarg.h>
#include <unistd.h>

enum { WIDTH = 800, HEIGHT = 600 };

// Opens the dialog. It writes small files to a folder.
static bool open_case(screen *fixture)
{
    if (!screen_begin(fixture, WIDTH, HEIGHT))
        return false;
    fixture->folder = folder_make();
    const char *const files[] = {test_path("models/thimble/thimble.md5mesh"),
                                 test_path("models/thimble/walk.md5anim"),
                                 test_path("models/thimble/idle.md5anim")};
    if (!CHECK(view_open(&fixture->viewer, files, 3, true)))
        return false;
    view_perform_export(&fixture->viewer, VIEW_EXPORT);
    view_update_export(&fixture->viewer);
    view_export_choices *const choices = &fixture->viewer.panels.export.choices;
    choices->samples = 0;
    choices->size = 4;
    snprintf(choices->resolution, sizeof choices->resolution, "64x48");
    snprintf(choices->folder, sizeof choices->folder, "%s", fixture->folder);
    snprintf(choices->name, sizeof choices->name, "out");
    return true;
}

#define TEST_EXPORT(title)                                                        \
    TEST_IF (title, screen, fixture, open_case(fixture) || screen_close(fixture), \
             (void)screen_close(fixture))

static void finish(screen *fixture)
{
    while (fixture->viewer.jobs.export != NULL)
        view_update_export(&fixture->viewer);
    for (int i = 0; fixture->viewer.jobs.conversion != NULL && view_update_export(&fixture->viewer)
                    && CHECK(i < MAX_WAITS);
         i++)
        view_sleep(0.001);
}

// Runs the export of the dialog to its end.
static void run_export(screen *fixture)
{
    view_perform_export(&fixture->viewer, VIEW_RUN_EXPORT);
    CHECK(fixture->viewer.jobs.export != NULL || fixture->viewer.jobs.conversion != NULL);
    finish(fixture);
}

static bool has_file(const screen *fixture, const char *name)
{
    SCOPED_STRING path = common_join(fixture->folder, name);
    return common_is_file(path);
}

// -- The command line ---------------------------------------------------------------------------

// Makes changes as a user does with keys and the mouse.
static void change_all(view_state *viewer)
{
    view_change_clip(viewer, 1);
    viewer->options->shown.edges = viewer->options->shown.skeleton = true;
    viewer->options->shown.shadows = false;
    viewer->options->lights.values[VIEW_LIGHT_RIM] = 0.3f;
    viewer->cameras.user.azimuth = -71.3f;
    viewer->cameras.user.elevation = 33.1f;
    viewer->cameras.user.distance *= 1.1f;
    viewer->cameras.user.target.x += 2.7f;
    viewer->options->shown.axes = true;
    viewer->options->speed = 0.5;
    CHECK(view_read_option(view_find_option("hide", 4), "0", viewer->options)
          && view_hide_meshes(viewer));
}

TEST_EXPORT (view_command_line_shows_the_same_in_a_window) {
    change_all(&fixture->viewer);
    SCOPED_STRING line = view_command_line(&fixture->viewer);
    STRINGS(words) = {"md5view ",     " --edges ",       " --armature ", " --axis ",
                      " --no-shadow", "thimble.md5mesh", " --hide 0",    " --camera-target "};
    for (size_t i = 0; i < COUNT_OF(words); i++)
        CHECK_THAT(strstr(line, words[i]) != NULL, "no '%s' in '%s'", words[i], line);
    CHECK(strstr(line, "--output") == NULL && strstr(line, "--sheet") == NULL);
}

// Draws the image of a command line as the program does.
static void run_words(const screen *fixture, const common_list *words)
{
    view_options options;
    view_state viewer;
    char problem[256] = "";
    const bool is_read =
        view_read_options((int)words->count, words->names, &options, problem, sizeof problem);
    CHECK_THAT(is_read, "%s", problem);
    options.level = VIEW_QUIET;
    view_begin(&viewer, &options);
    viewer.renderer = fixture->gl.renderer;
    CHECK_THAT(view_open_first(&viewer) && view_run_job(&viewer), "%s", viewer.log.error);
    view_end(&viewer);
    view_free_options(&options);
}

// Compares the file that the dialog writes with the file that its command line writes.
static void check_same(screen *fixture, const char *name)
{
    size_t sizes[2] = {0};
    const char *reason = NULL;
    SCOPED_STRING path = common_join(fixture->folder, name);
    run_export(fixture);
    SCOPED_STRING written = common_read_stream(path, &sizes[0], &reason);
    CHECK(remove(path) == 0);
    common_list words = view_export_words(&fixture->viewer);
    run_words(fixture, &words);
    common_free_list(&words);
    SCOPED_STRING again = common_read_stream(path, &sizes[1], &reason);
    const bool has_same_size = written != NULL && again != NULL && sizes[0] == sizes[1];
    CHECK_THAT(has_same_size && memcmp(written, again, sizes[0]) == 0,
               "%s differs: %zu and %zu bytes", name, sizes[0], sizes[1]);
}

TEST_EXPORT (view_export_equals_its_command_line) {
    view_export_choices *const choices = &fixture->viewer.panels.export.choices;
    check_same(fixture, "out.png");
    change_all(&fixture->viewer);
    fixture->viewer.play.time = 0.37;
    check_same(fixture, "out.png");
    choices->kind = VIEW_EXPORT_MOVIE;
    snprintf(choices->frames, sizeof choices->frames, "3");
    choices->background = choices->labels = 1;
    check_same(fixture, "out.apng");
    choices->kind = VIEW_EXPORT_SHEET;
    choices->clips = 1;
    check_same(fixture, "out.png");
}

// The exported image equals the image in the window: the same state is drawn there.
TEST_EXPORT (view_export_equals_the_image_in_the_window) {
    view_state *const viewer = &fixture->viewer;
    change_all(viewer);
    viewer->play.time = 0.37;
    common_list words = view_export_words(viewer);
    view_options options;
    view_state second;
    char problem[256];
    CHECK(view_read_options((int)words.count, words.names, &options, problem, sizeof problem));
    view_begin(&second, &options);
    second.renderer = fixture->gl.renderer;
    CHECK(view_set_scale(&second, 1.0f) && view_open_first(&second));
    // The window framed another clip first. The grid and the nearest depth depend on the radius of
    // the framed scene, so the second viewer needs the same radius.
    second.cameras.user.scene_radius = viewer->cameras.user.scene_radius;
    view_state *const both[] = {viewer, &second};
    uint8_t *pixels[2];
    for (int i = 0; i < 2; i++) {
        pixels[i] = common_alloc(4, 64 * 48);
        both[i]->width = 64;
        both[i]->height = 48;
        both[i]->options->shown.panel = false;
        md5gl_target *const target = md5gl_create_target(fixture->gl.renderer, 64, 48, 1, NULL);
        CHECK(view_draw(both[i], target, 64, 48, VIEW_OMIT_INTERFACE, NULL));
        CHECK(md5gl_read_pixels(fixture->gl.renderer, target, 64, 48, pixels[i], NULL));
        md5gl_destroy_target(fixture->gl.renderer, target);
    }
    CHECK(memcmp(pixels[0], pixels[1], 4 * 64 * 48) == 0);
    free(pixels[0]);
    free(pixels[1]);
    view_end(&second);
    view_free_options(&options);
    common_free_list(&words);
}

// Copied text is quoted so that a shell passes on the same arguments.
TEST_EXPORT (view_export_command_line_survives_a_shell) {
    view_export_choices *const choices = &fixture->viewer.panels.export.choices;
    snprintf(choices->name, sizeof choices->name, "it's $HOME {anim} *\\ \"");
    view_update_export(&fixture->viewer);
    const char *const line = fixture->viewer.panels.export.line;
    REQUIRE(line);
    common_list words = view_export_words(&fixture->viewer);
    SCOPED_STRING command = common_format("printf '%%s\\n' %s", line);
    FILE *const shell = popen(command, "r"); // NOLINT(cert-env33-c): a shell is what is tested
    REQUIRE(shell);
    char word[1024];
    CHECK(fgets(word, sizeof word, shell) != NULL && strcmp(word, "md5view\n") == 0);
    for (size_t i = 0; i < words.count; i++) {
        SCOPED_STRING expected = common_format("%s\n", words.names[i]);
        CHECK_THAT(fgets(word, sizeof word, shell) != NULL && strcmp(word, expected) == 0,
                   "%s became %s", expected, word);
    }
    CHECK(fgets(word, sizeof word, shell) == NULL);
    CHECK(pclose(shell) == 0);
    common_free_list(&words);
}

// The command line of a newly opened window contains only the choices and the time.
TEST_EXPORT (view_export_command_line_is_short) {
    static const char allowed[] = " --output --resolution --samples --animation-index "
                                  "--animation-time ";
    common_list words = view_export_words(&fixture->viewer);
    CHECK(words.count > 0);
    for (size_t i = 0; i < words.count; i++) {
        SCOPED_STRING word = common_format(" %s ", words.names[i]);
        CHECK_THAT(strncmp(word, " --", 3) != 0 || strstr(allowed, word) != NULL, "%s", word);
    }
    common_free_list(&words);
}

TEST_EXPORT (view_export_reports_the_invalid_choice) {
    view_export *const export = &fixture->viewer.panels.export;
    snprintf(export->choices.resolution, sizeof export->choices.resolution, "64x");
    view_update_export(&fixture->viewer);
    CHECK(export->line == NULL && strncmp(export->problem, "64x:", 4) == 0);
    view_perform_export(&fixture->viewer, VIEW_RUN_EXPORT);
    CHECK(!fixture->viewer.jobs.export);
}

// -- Files --------------------------------------------------------------------------------------

static view_action press_key(screen *fixture, int32_t key)
{
    const view_stage stage = item_draw(&fixture->viewer, WIDTH, HEIGHT);
    return view_run_ui(&fixture->viewer.ui, &fixture->viewer.panels, &stage,
                       &(ui_mouse){.key = key})
        .action;
}

TEST_EXPORT (view_export_confirms_replacing_a_file) {
    folder_write_text(fixture->folder, "out.png", "mine");
    view_update_export(&fixture->viewer);
    CHECK(press_key(fixture, VIEW_KEY_RETURN) == VIEW_HANDLED);
    const view_stage stage = item_draw(&fixture->viewer, WIDTH, HEIGHT);
    CHECK(item_find(&fixture->viewer, &stage, "export/Replace").width > 0.0f);
    CHECK(press_key(fixture, VIEW_KEY_RETURN) == VIEW_RUN_EXPORT);
}

TEST_EXPORT (view_export_confirms_again_for_another_name) {
    folder_write_text(fixture->folder, "out.png", "mine");
    view_update_export(&fixture->viewer);
    press_key(fixture, VIEW_KEY_RETURN);
    const view_stage stage = item_draw(&fixture->viewer, WIDTH, HEIGHT);
    item_press(&fixture->viewer, &stage, "export/Transparent", 0.5f, 0.5f);
    CHECK(press_key(fixture, VIEW_KEY_RETURN) == VIEW_HANDLED);
}

TEST_EXPORT (view_export_again_uses_the_next_free_name) {
    run_export(fixture);
    view_perform_export(&fixture->viewer, VIEW_EXPORT_AGAIN);
    finish(fixture);
    view_perform_export(&fixture->viewer, VIEW_EXPORT_AGAIN);
    finish(fixture);
    CHECK(has_file(fixture, "out.png") && has_file(fixture, "out-2.png")
          && has_file(fixture, "out-3.png"));
}

TEST_EXPORT (view_export_of_all_clips_writes_a_file_for_each) {
    view_export_choices *const choices = &fixture->viewer.panels.export.choices;
    choices->kind = VIEW_EXPORT_MOVIE;
    choices->clips = 1;
    snprintf(choices->frames, sizeof choices->frames, "2");
    run_export(fixture);
    CHECK(has_file(fixture, "out_walk.apng") && has_file(fixture, "out_idle.apng"));
}

TEST_EXPORT (view_export_that_is_stopped_leaves_no_file) {
    view_export_choices *const choices = &fixture->viewer.panels.export.choices;
    choices->kind = VIEW_EXPORT_MOVIE;
    snprintf(choices->frames, sizeof choices->frames, "100000");
    view_perform_export(&fixture->viewer, VIEW_RUN_EXPORT);
    view_update_export(&fixture->viewer);
    CHECK(fixture->viewer.panels.export.done > 0 && fixture->viewer.jobs.export != NULL);
    view_perform_export(&fixture->viewer, VIEW_STOP_EXPORT);
    common_list left = common_list_folder(fixture->folder, ".apng");
    CHECK(left.count == 0 && fixture->viewer.log.error[0] == '\0');
    common_free_list(&left);
}

TEST_EXPORT (view_export_that_fails_reports_the_reason) {
    view_export_choices *const choices = &fixture->viewer.panels.export.choices;
    snprintf(choices->folder, sizeof choices->folder, "%s/missing", fixture->folder);
    run_export(fixture);
    CHECK(strstr(fixture->viewer.log.error, "cannot write"));
}

// -- Models -------------------------------------------------------------------------------------

// Selects a file extension for the conversion.
static void select_model(screen *fixture, const char *ending)
{
    view_export *const export = &fixture->viewer.panels.export;
    export->choices.kind = VIEW_EXPORT_MODEL;
    view_update_export(&fixture->viewer);
    for (uint32_t i = 0; i < export->endings.count; i++) {
        if (strcmp(export->endings.names[i], ending) == 0)
            export->choices.model_format = i;
    }
    view_update_export(&fixture->viewer);
    CHECK(common_has_suffix(export->file, ending));
}

TEST_EXPORT (view_export_of_a_model_equals_the_tools_result) {
    view_export *const export = &fixture->viewer.panels.export;
    snprintf(export->choices.name, sizeof export->choices.name, "{model}_{anim}");
    export->choices.clips = 1;
    select_model(fixture, "iqm");
    SCOPED_STRING path = common_join(fixture->folder, "thimble.iqm");
    CHECK_STRING(export->file, path);
    SCOPED_STRING folder = common_canonical_path(test_path("models/thimble"));
    SCOPED_STRING line = common_format(
        "md5tool convert %s/thimble.md5mesh %s/walk.md5anim %s/idle.md5anim --output %s", folder,
        folder, folder, path);
    CHECK_STRING(export->line, line);
    run_export(fixture);
    CHECK(fixture->viewer.ui.over == VIEW_OVERLAY_NONE && fixture->viewer.log.error[0] == '\0');
    size_t size = 0;
    const char *reason = NULL;
    SCOPED_STRING bytes = common_read_stream(path, &size, &reason);
    REQUIRE(bytes != NULL && size > 124);
    // Number 13 after the magic string of IQM's header is the joint count, number 17 the clip
    // count.
    const unsigned char *const header = (const unsigned char *)bytes + 16;
    CHECK(memcmp(bytes, "INTERQUAKEMODEL", 16) == 0);
    CHECK(header[4 * 13] == fixture->viewer.document->scene.num_joints);
    CHECK(header[4 * 17] == 2);
}

// Exports a model to 159 files, 158 of them frames. The window continues meanwhile, and after the
// stop no further file is written.
TEST_EXPORT (view_export_of_a_model_stops_before_its_next_file) {
    select_model(fixture, "obj");
    fixture->viewer.panels.export.choices.clips = 1;
    view_perform_export(&fixture->viewer, VIEW_RUN_EXPORT);
    REQUIRE(fixture->viewer.jobs.conversion);
    view_perform_export(&fixture->viewer, VIEW_STOP_EXPORT);
    CHECK(fixture->viewer.jobs.conversion);
    finish(fixture);
    common_list left = common_list_folder(fixture->folder, ".obj");
    CHECK_THAT(left.count < 100, "%zu files", left.count);
    CHECK(fixture->viewer.log.error[0] == '\0'
          && strcmp(fixture->viewer.ui.notice.text, "Export stopped") == 0);
    common_free_list(&left);
}

TEST_EXPORT (view_export_of_a_model_confirms_replacing_a_file) {
    fixture->viewer.play.range_last = 1; // each frame is a file
    folder_write_text(fixture->folder, "out.obj", "mine");
    select_model(fixture, "obj");
    CHECK(press_key(fixture, VIEW_KEY_RETURN) == VIEW_HANDLED);
    CHECK(press_key(fixture, VIEW_KEY_RETURN) == VIEW_RUN_EXPORT);
    run_export(fixture);
    SCOPED_STRING path = common_join(fixture->folder, "out.obj");
    CHECK(common_file_size(path) > 1000);
}

TEST_EXPORT (view_export_of_a_model_in_a_game_reads_the_game) {
    SCOPED_STRING address = common_format("%s::monster_bobbin", test_path("models/game/base"));
    const char *const file = address;
    fixture->viewer.panels.export.choices.clips = 1;
    REQUIRE(view_open(&fixture->viewer, &file, 1, true));
    select_model(fixture, "md5mesh");
    run_export(fixture);
    CHECK_THAT(has_file(fixture, "out.md5mesh") && has_file(fixture, "walk.md5anim"), "%s",
               fixture->viewer.log.error);
}

// Returns the text after occurrence `n` of a word, counted from 0, or NULL.
static const char *find_nth(const char *text, const char *word, long n)
{
    for (; text != NULL && n >= 0; n--) {
        text = strstr(text, word);
        text = text != NULL ? text + strlen(word) : NULL;
    }
    return text;
}

static long parse_number(const char *text)
{
    return text != NULL ? strtol(text, NULL, 10) : -1;
}

// Returns the base color image of a mesh of a .glb file, or NULL if it does not have one.
static const char *find_picture(const char *glb, long mesh, size_t *size)
{
    const char *const json = glb + 20;
    const char *const bin = json + *(const uint32_t *)(glb + 12) + 8;
    const char *const primitive = find_nth(json, "\"primitives\":[", mesh);
    const char *const after = find_nth(primitive, "\"primitives\":[", 0);
    const char *const used = find_nth(primitive, "\"material\":", 0);
    if (used == NULL || (after != NULL && used > after))
        return NULL;
    const char *const material = find_nth(json, "\"pbrMetallicRoughness\":{", parse_number(used));
    const char *const next = find_nth(material, "\"pbrMetallicRoughness\":{", 0);
    const char *const color = find_nth(material, "\"baseColorTexture\":{\"index\":", 0);
    if (color == NULL || (next != NULL && color > next))
        return NULL;
    const long image = parse_number(find_nth(json, "\"source\":", parse_number(color)));
    const char *const images = find_nth(json, "\"images\":[", 0);
    const long view = parse_number(find_nth(images, "\"bufferView\":", image));
    const char *const views = find_nth(json, "\"bufferViews\":[", 0);
    *size = (size_t)parse_number(find_nth(views, "\"byteLength\":", view));
    return bin + parse_number(find_nth(views, "\"byteOffset\":", view));
}

// Checks that the window, and then the command line that it prints, write the same files into two
// folders.
static void check_tool_writes_same(screen *fixture, const char *ending, const char *words)
{
    view_export *const export = &fixture->viewer.panels.export;
    SCOPED_STRING window = common_join(fixture->folder, "window");
    SCOPED_STRING tool = common_join(fixture->folder, "tool");
    const char *const folders[2] = {window, tool};
    for (int i = 0; i < 2; i++) {
        SCOPED_STRING folder = common_format("%s/x", folders[i]);
        common_create_folders(folder, 0777);
        snprintf(export->choices.folder, sizeof export->choices.folder, "%s", folders[i]);
        fixture->viewer.ui.over = VIEW_OVERLAY_EXPORT; // until the file is written
        select_model(fixture, ending);
        REQUIRE(export->line != NULL && strstr(export->line, "md5tool ") == export->line);
        CHECK_THAT(strstr(export->line, words) != NULL, "no '%s' in %s", words, export->line);
        SCOPED_STRING command = common_format("build/%s >/dev/null 2>&1", export->line);
        if (i == 0)
            run_export(fixture);
        else
            CHECK_THAT(system(command) == 0, "%s", command); // NOLINT(cert-env33-c)
        CHECK_THAT(fixture->viewer.log.error[0] == '\0', "%s", fixture->viewer.log.error);
    }
    SCOPED_STRING compare =
        common_format("diff -r '%s' '%s' >&2 && [ -s '%s/out.%s' ] && rm -r '%s' '%s'", folders[0],
                      folders[1], folders[0], ending, folders[0], folders[1]);
    CHECK_THAT(system(compare) == 0, "%s: window and tool differ", words); // NOLINT(cert-env33-c)
}

// The meshes cover all sources of a texture: a declaration, the name of the mesh if its shader has
// no texture, an image that the user selected, also for one of two meshes with the same shader, and
// no texture.
TEST_EXPORT (view_export_of_a_model_has_the_shown_textures) {
    enum { SIDE = 24, NUM_MESHES = 6, NUM_FILES = 5 };
    static const char *const shaders[NUM_MESHES] = {
        "models/declared", "", "", "models/chosen", "models/chosen", "models/no"};
    static const char *const names[NUM_MESHES] = {"body", "hat", "coat", "left", "right", "gone"};
    static const char *const shown[NUM_MESHES] = {"paint", "hat", "coat", "said", "chosen", NULL};
    static const char *const files[NUM_FILES] = {
        "models/paint.png", "models/hat.png", "models/coat.png", "said.png", "models/chosen.png"};
    view_state *const viewer = &fixture->viewer;
    size_t size = 0;
    uint8_t texels[4 * SIDE * SIDE];
    for (int i = 0; i < NUM_FILES; i++) {
        memset(texels, 40 * (i + 1), sizeof texels);
        const view_image image = {texels, SIDE, SIDE};
        SCOPED_STRING png = (char *)view_encode_png(&image, false, &size);
        if (png == NULL) // built without stb
            return;
        folder_write(fixture->folder, files[i], png, size);
    }
    folder_write_text(fixture->folder, "materials/a.mtr",
                      "models/declared {\n\tdiffusemap models/paint.png\n}\n");
    SCOPED char *text = common_copy("MD5Version 10\ncommandline \"\"\nnumJoints 1\nnumMeshes 6\n"
                                    "joints {\n\"root\" -1 ( 0 0 0 ) ( 0 0 0 )\n}\n");
    for (int i = 0; i < NUM_MESHES; i++) {
        char *const longer = common_format(
            "%smesh {\n// meshes: %s\nshader \"%s\"\nnumverts 3\nvert 0 ( 0 0 ) 0 1\n"
            "vert 1 ( 1 0 ) 1 1\nvert 2 ( 0 1 ) 2 1\nnumtris 1\ntri 0 0 1 2\nnumweights 3\n"
            "weight 0 0 1 ( 0 %d 0 )\nweight 1 0 1 ( 9 %d 0 )\nweight 2 0 1 ( 0 %d 9 )\n}\n",
            text, names[i], shaders[i], i, i, i);
        free(text);
        text = longer;
    }
    folder_write_text(fixture->folder, "models/t.md5mesh", text);
    SCOPED_STRING path = common_join(fixture->folder, "models/t.md5mesh");
    SCOPED_STRING image_path = common_join(fixture->folder, "said.png");
    SCOPED_STRING chosen = common_format("3=%s", image_path);
    CHECK(view_read_option(view_find_option("texture", 7), chosen, viewer->options));
    const char *const file = path;
    REQUIRE(view_open(viewer, &file, 1, true));
    select_model(fixture, "glb");
    run_export(fixture);
    SCOPED_STRING out = common_join(fixture->folder, "out.glb");
    SCOPED_STRING glb = test_read_file(out, &size);
    REQUIRE(glb);
    for (uint32_t i = 0; i < NUM_MESHES; i++) {
        const view_texture *const drawn =
            view_mesh_image(&viewer->document->textures, i, MD5GL_IMAGE_DIFFUSE);
        size_t length = 0;
        size_t expected = 0;
        const char *const picture = find_picture(glb, i, &length);
        SCOPED_STRING stem = drawn != NULL ? common_stem(drawn->path) : NULL;
        CHECK_THAT((stem == NULL) == (shown[i] == NULL)
                       && (stem == NULL || !strcmp(stem, shown[i])),
                   "mesh %u is drawn with %s", i, stem != NULL ? stem : "none");
        CHECK_THAT((picture == NULL) == (shown[i] == NULL), "mesh %u", i);
        if (picture == NULL || shown[i] == NULL)
            continue;
        char name[64];
        snprintf(name, sizeof name, "%s%s.png", i == 3 ? "" : "models/", shown[i]);
        SCOPED_STRING source = common_join(fixture->folder, name);
        SCOPED_STRING bytes = test_read_file(source, &expected);
        CHECK_THAT(length == expected && memcmp(picture, bytes, length) == 0, "picture of mesh %u",
                   i);
    }
    SCOPED_STRING line = view_command_line(viewer);
    CHECK_THAT(strstr(line, " --texture 3=") != NULL, "%s", line);
    // If a mesh is hidden, the other meshes keep their images.
    CHECK(view_read_option(view_find_option("hide", 4), "1", viewer->options)
          && view_hide_meshes(viewer));
    viewer->ui.over = VIEW_OVERLAY_EXPORT;
    run_export(fixture);
    SCOPED_STRING less = test_read_file(out, &size);
    REQUIRE(less);
    CHECK(find_nth(less + 20, "\"primitives\":[", NUM_MESHES - 2) != NULL
          && find_nth(less + 20, "\"primitives\":[", NUM_MESHES - 1) == NULL);
    for (int i = 0; i < NUM_MESHES - 1; i++) {
        size_t lengths[2] = {0, 0};
        const char *const pictures[2] = {find_picture(glb, i + (i > 0), &lengths[0]),
                                         find_picture(less, i, &lengths[1])};
        CHECK_THAT(lengths[0] == lengths[1]
                       && (!pictures[0] || memcmp(pictures[0], pictures[1], lengths[0]) == 0),
                   "mesh %u", i);
    }
    check_tool_writes_same(fixture, "glb", " --hide 1 ");
    check_tool_writes_same(fixture, "md5mesh", " --hide 1 ");
}

TEST_EXPORT (view_export_of_a_shown_model_equals_the_tools_result) {
    view_state *const viewer = &fixture->viewer;
    const char *const image = test_path("models/bobbin/bobbin.png");
    STRINGS(endings) = {"glb", "obj", "iqm", "md5mesh"};
    // The complete clip. The other formats, which write a file for each frame, have a range.
    check_tool_writes_same(fixture, "glb", "thimble.md5mesh ");
    viewer->play.range_first = 3;
    viewer->play.range_last = 7;
    viewer->options->root = viewer->document->scene.root = MD5_ROOT_ID;
    for (size_t i = 0; i < COUNT_OF(endings); i++)
        check_tool_writes_same(fixture, endings[i], " --range 3-7 ");
    viewer->options->root = viewer->document->scene.root = MD5_ROOT_IN_PLACE;
    viewer->document->scene.rotation = view_rotate_further((view_rotation){.is_set = false}, 0);
    for (size_t i = 0; i < COUNT_OF(endings); i++)
        check_tool_writes_same(fixture, endings[i], " --root in_place ");
    SCOPED_STRING chosen = common_format("0=%s", image);
    CHECK(view_read_option(view_find_option("texture", 7), chosen, viewer->options));
    REQUIRE(view_apply_texture_options(viewer));
    for (size_t i = 0; i < COUNT_OF(endings); i++)
        check_tool_writes_same(fixture, endings[i], " --texture 0=");
    view_options *const options = viewer->options;
    *COMMON_ADD_ITEM(options->outfits.names, options->outfits.count) =
        test_path("models/thimble/thimble.md5mesh");
    REQUIRE(view_reload(viewer));
    const md5_model *const model = viewer->document->scene.model;
    CHECK(model->num_meshes == 2 && strcmp(model->meshes[1].name, "thimble/thimble") == 0);
    for (size_t i = 0; i < COUNT_OF(endings); i++)
        check_tool_writes_same(fixture, endings[i], " --outfit ");
}

// Losses caused by a file format do not appear among the warnings about the shown model, and are
// not counted again.
TEST_EXPORT (view_export_of_a_model_adds_no_warnings) {
    view_reports *const reports = &fixture->viewer.reports;
    fixture->viewer.log.reports = reports;
    const uint32_t before = fixture->viewer.log.num_warnings;
    fixture->viewer.play.range_last = 1; // each frame is a file
    select_model(fixture, "obj");
    for (int i = 0; i < 2; i++) {
        run_export(fixture);
        fixture->viewer.ui.over = VIEW_OVERLAY_EXPORT;
        CHECK_UINT(fixture->viewer.log.num_warnings, before);
    }
    CHECK(fixture->viewer.log.num_notes > 0
          && fixture->viewer.log.num_notes == reports->count - before);
}

// The mesh has the shader of the other skin.
TEST_EXPORT (view_export_of_an_entity_has_the_materials_of_its_skin) {
    size_t size = 0;
    SCOPED_STRING address = common_format("%s::monster_bobbin_moss", test_path("models/game/base"));
    const char *const file = address;
    REQUIRE(view_open(&fixture->viewer, &file, 1, true));
    select_model(fixture, "glb");
    run_export(fixture);
    SCOPED_STRING path = common_join(fixture->folder, "out.glb");
    SCOPED_STRING glb = test_read_file(path, &size);
    REQUIRE(glb);
    CHECK(strstr(glb + 20, "bobbin/moss") != NULL);
}

TEST_EXPORT (view_export_of_a_model_that_fails_reports_the_reason) {
    view_export_choices *const choices = &fixture->viewer.panels.export.choices;
    snprintf(choices->folder, sizeof choices->folder, "%s/missing", fixture->folder);
    select_model(fixture, "obj");
    run_export(fixture);
    CHECK(strstr(fixture->viewer.log.error, "cannot write"));
}

// -- Messages of readers --------------------------------------------------------------------------

static const void *open_text(void *user, const char *path, size_t *size, md5_error *error)
{
    (void)path;
    (void)error;
    *size = strlen(user);
    return user;
}

static void close_text(void *user, const void *bytes, size_t size)
{
    (void)user;
    (void)bytes;
    (void)size;
}

TEST (convert_errors_escape_quoted_text) {
    static const struct quoting {
        const char *path;
        const char *text;
        const char *quoted;
    } all[] = {
        {"a.bvh", "HIER\033[31m\xff", "found 'HIER\\x1b[31m\\xff'"},
        {"a.bvh", "HIERARCHY\nROOT a\n{\nOFF\001SET", "found 'OFF\\x01SET'"},
        {"a.gltf",
         "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"name\":\"a\\u001b[1m\",\"children\":[1]},"
         "{\"children\":[0]}]}",
         "\"a\\x1b[1m\""},
    };
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        const struct quoting *const row = &all[i];
        const char *const paths[] = {row->path};
        const convert_job job = {.inputs = paths,
                                 .num_inputs = 1,
                                 .output = "none.md5mesh",
                                 .files = {open_text, close_text, (void *)(uintptr_t)row->text}};
        md5_error error = {0};
        CHECK(!convert_files(&job, &error));
        CHECK_THAT(strstr(error.message, row->quoted) != NULL, "%s", error.message);
    }
}

// Returns false after it was called `left` times.
static bool should_continue(void *user)
{
    unsigned *const left = user;
    return (*left)-- > 1;
}

// A single file is not written if the conversion is stopped between its clips.
TEST (convert_asks_before_each_clip_of_one_file) {
    char *const folder = folder_make();
    SCOPED_STRING path = common_join(folder, "out.glb");
    const char *const paths[] = {test_path("models/thimble/thimble.md5mesh"),
                                 test_path("models/thimble/idle.md5anim"),
                                 test_path("models/thimble/walk.md5anim")};
    bool is_written = false;
    unsigned asked = 0;
    for (; !is_written && asked < 20; asked++) {
        unsigned left = asked + 1;
        const convert_job job = {.inputs = paths,
                                 .num_inputs = COUNT_OF(paths),
                                 .output = path,
                                 .should_continue = should_continue,
                                 .user = &left};
        md5_error error = {0};
        is_written = convert_files(&job, &error);
        CHECK(is_written == common_is_file(path));
        CHECK(is_written || strcmp(error.message, "the conversion was canceled") == 0);
    }
    // The conversion asks once for each file that it reads (3), each clip that it parses (2) and
    // each clip that it writes (2), and once before it writes the file.
    CHECK_UINT(asked, 3 + 2 + 2 + 1);
    folder_remove(folder);
}

static void write_text(char *text, size_t size, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    common_write_text(text, size, format, values);
    va_end(values);
}

TEST (text_of_messages_is_cut_between_characters) {
    STRINGS(cut) = { // cut off after 1 byte, 2, ...
        "", "", "", "", "\\x1b", "\\x1b", "\\x1b\xc3\xa4", "\\x1b\xc3\xa4z"};
    for (size_t i = 0; i < sizeof cut / sizeof cut[0]; i++) {
        char text[16];
        write_text(text, i + 1, "%c%s", 0x1b, "\xc3\xa4z");
        CHECK_THAT(strcmp(text, cut[i]) == 0, "%zu: %s", i + 1, text);
    }
}

// -- The dialog ---------------------------------------------------------------------------------

// The first frame must be complete: it may be the only one for a while.
TEST_EXPORT (view_export_dialog_is_complete_in_its_first_frame) {
    view_state *const viewer = &fixture->viewer;
    view_perform_export(viewer, VIEW_EXPORT); // it was open, so this reopens it
    viewer->panels.export.is_set = false;
    view_perform_export(viewer, VIEW_EXPORT);
    const view_stage stage = item_draw(viewer, 3840.0f, 2160.0f);
    CHECK(item_find(viewer, &stage, "export/Image").width > 0.0f);
    CHECK(item_find(viewer, &stage, "export/Folder").width > 0.0f);
}

// Without a dialog of the desktop, the folder is chosen in our list. Then the dialog opens again.
TEST_EXPORT (view_export_folder_is_chosen_in_a_list) {
    view_state *const viewer = &fixture->viewer;
    view_export_choices *const choices = &viewer->panels.export.choices;
    folder_write_text(fixture->folder, "a.md5mesh", "");
    snprintf(choices->folder, sizeof choices->folder, "%s", fixture->folder);
    view_stage stage = item_draw(viewer, 1280, 720);
    view_command command = item_press(viewer, &stage, "export/Browse", 0.5f, 0.5f);
    view_execute(viewer, command);
    item_release(viewer);
    CHECK_UINT(viewer->ui.over, VIEW_OVERLAY_FILES);
    CHECK_STRING(viewer->panels.browser.folder, fixture->folder);
    CHECK_UINT(viewer->panels.browser.num_entries, 0); // no files
    char *const parent = common_folder(fixture->folder);
    PERFORM(viewer, VIEW_OPEN_FOLDER, .path = parent);
    stage = item_draw(viewer, 1280, 720);
    command = item_press(viewer, &stage, "list/Choose this folder", 0.5f, 0.5f);
    view_execute(viewer, command);
    item_release(viewer);
    CHECK_UINT(viewer->ui.over, VIEW_OVERLAY_EXPORT);
    SCOPED_STRING expected = common_folder(fixture->folder);
    SCOPED_STRING canonical = common_canonical_path(expected);
    CHECK_STRING(choices->folder, canonical);
}

// If the user cancels the list of folders, the dialog opens again with the former folder.
TEST_EXPORT (view_export_dialog_reopens_without_a_chosen_folder) {
    view_state *const viewer = &fixture->viewer;
    view_export_choices *const choices = &viewer->panels.export.choices;
    snprintf(choices->folder, sizeof choices->folder, "%s", fixture->folder);
    for (int i = 0; i < 2; i++) {
        view_stage stage = item_draw(viewer, 1280, 720);
        view_execute(viewer, item_press(viewer, &stage, "export/Browse", 0.5f, 0.5f));
        item_release(viewer);
        CHECK_UINT(viewer->ui.over, VIEW_OVERLAY_FILES);
        stage = item_draw(viewer, 1280, 720);
        if (i == 0)
            view_execute(viewer, item_press(viewer, &stage, "list/Cancel", 0.5f, 0.5f));
        else
            view_execute(viewer, view_key_browser(&viewer->panels.browser, VIEW_KEY_ESCAPE));
        item_release(viewer);
        CHECK_UINT(viewer->ui.over, VIEW_OVERLAY_EXPORT);
        CHECK_STRING(choices->folder, fixture->folder);
    }
}

// An empty name is replaced by the names of the model and the clip. The format of the model is the
// last of the formats, and another format is the default.
TEST_EXPORT (view_export_has_a_readable_name_and_another_format) {
    view_state *const viewer = &fixture->viewer;
    view_export *const export = &viewer->panels.export;
    export->is_set = false;
    view_update_export(viewer);
    CHECK_STRING(export->choices.name, "");
    SCOPED_STRING folder = common_canonical_path(test_path("models/thimble"));
    CHECK_STRING(export->choices.folder, folder);
    export->choices.kind = VIEW_EXPORT_MODEL;
    view_update_export(viewer);
    const view_stage stage = item_draw(viewer, 1280, 720);
    CHECK(item_find(viewer, &stage, "export/Automatic").width > 0);
    CHECK(strstr(export->output, "/{model}") != NULL);
    CHECK(strcmp(export->endings.names[export->choices.model_format], "md5mesh") != 0);
    const view_rect second = item_find(viewer, &stage, "export/glb");
    const view_rect source = item_find(viewer, &stage, "export/md5mesh");
    CHECK(second.width > 0 && source.width > 0);
    CHECK(source.y > second.y || source.x > second.x);
}

TEST_EXPORT (view_export_dialog_closes_by_escape) {
    CHECK(press_key(fixture, VIEW_KEY_ESCAPE) == VIEW_EXPORT);
}

// In the smallest window the user can scroll to every item, and the buttons are visible.
TEST_EXPORT (view_export_dialog_scrolls_in_a_small_window) {
    const float width = 420.0f;
    const float height = 300.0f;
    view_state *const viewer = &fixture->viewer;
    view_stage stage = item_draw(viewer, width, height);
    const view_rect button = item_find(viewer, &stage, "export/Export");
    CHECK(button.width > 0.0f && button.x + button.width < width
          && button.y + button.height < height);
    CHECK(item_find(viewer, &stage, "export/Automatic").y > button.y); // the item is cut off
    view_run_ui(&viewer->ui, &viewer->panels, &stage, &(ui_mouse){.x = 200, .y = 150, .wheel = -2});
    const view_rect field = item_find(viewer, &stage, "export/Automatic");
    CHECK(field.y > 0.0f && field.y + field.height < button.y);
    CHECK(press_key(fixture, VIEW_KEY_HOME) == VIEW_HANDLED);
}

// A search text that names a kind of export gives the focus to the field of the folder. In a window
// of 1280 x 720 at 200 %, the dialog scrolls to this field.
TEST_EXPORT (view_export_dialog_scrolls_to_its_focus) {
    view_state *const viewer = &fixture->viewer;
    REQUIRE(view_set_scale(viewer, 2));
    view_name_export(&viewer->panels.export, "sheet");
    item_draw(viewer, 1280, 720);
    const view_stage stage = item_draw(viewer, 1280, 720);
    const view_rect button = item_find(viewer, &stage, "export/Export");
    const view_rect field = item_find(viewer, &stage, "export/Folder");
    CHECK_STRING(viewer->ui.focus.item.panel, "export");
    CHECK(field.height > 0 && field.y + field.height <= button.y);
}

// Checks that the text of a choice is not wider than the choice.
static void check_choice(view_state *viewer, const char *text)
{
    char item[64];
    snprintf(item, sizeof item, "export/%s", text);
    const view_stage stage = item_draw(viewer, 320.0f, 240.0f);
    const float width = item_find(viewer, &stage, item).width;
    CHECK_THAT(width >= view_text_width(&viewer->drawing.font, VIEW_TEXT, text), "%s", text);
}

// Words that do not fit next to each other continue in the next row. The layout in 320 x 240 is the
// layout of a window of 640 x 480 with a scale of 200 %.
TEST_EXPORT (view_export_dialog_shows_whole_choices_in_a_small_window) {
    STRINGS(kinds) = {"Image", "Movie", "Turntable", "Contact sheet", "Model"};
    view_state *const viewer = &fixture->viewer;
    const common_list *const endings = &viewer->panels.export.endings;
    for (uint32_t kind = 0; kind < COUNT_OF(kinds); kind++) {
        viewer->panels.export.choices.kind = kind;
        for (size_t i = 0; i < COUNT_OF(kinds); i++)
            check_choice(viewer, kinds[i]);
    }
    CHECK(endings->count > 5);
    for (size_t i = 0; i < endings->count; i++)
        check_choice(viewer, endings->names[i]);
}

// -- The preview --------------------------------------------------------------------------------

TEST_EXPORT (view_export_preview_changes_nothing_in_the_window) {
    view_state *const viewer = &fixture->viewer;
    const view_camera camera = viewer->cameras.user;
    const md5_bounds bounds = viewer->document->bounds;
    viewer->uptime = 1.0;
    viewer->panels.export.choices.labels = 1;
    CHECK(view_update_export(viewer));
    CHECK(viewer->panels.export.preview != 0);
    CHECK_NEAR(viewer->panels.export.preview_shape, 64.0 / 48.0, 1e-3);
    CHECK(viewer->options == &fixture->options && viewer->drawing.caption == NULL);
    CHECK(viewer->width == WIDTH && viewer->height == HEIGHT);
    CHECK(memcmp(&camera, &viewer->cameras.user, sizeof camera) == 0);
    CHECK(memcmp(&bounds, &viewer->document->bounds, sizeof bounds) == 0);
}

TEST_EXPORT (view_export_preview_follows_the_choices_four_times_a_second) {
    view_state *const viewer = &fixture->viewer;
    view_export *const export = &viewer->panels.export;
    viewer->uptime = 1.0;
    CHECK(view_update_export(viewer) && !export->is_stale);
    CHECK(!view_update_export(viewer)); // nothing has changed
    export->choices.background = 1;
    CHECK(view_update_export(viewer) && export->is_stale); // the preview requests another frame
    viewer->uptime = 1.25;
    CHECK(view_update_export(viewer) && !export->is_stale);
    CHECK(strstr(export->line, "--no-background"));
    item_draw(viewer, 420.0f, 300.0f); // the preview does not fit
    viewer->uptime = 2.0;
    export->choices.background = 0;
    CHECK(!view_update_export(viewer));
}

// The estimate is exact for an image as large as the preview. For a movie through ffmpeg the size
// is unknown.
TEST_EXPORT (view_export_estimates_the_size_of_its_file) {
    view_export *const export = &fixture->viewer.panels.export;
    SCOPED_STRING path = common_join(fixture->folder, "out.png");
    fixture->viewer.uptime = 1.0;
    view_update_export(&fixture->viewer);
    const double bytes = export->bytes;
    run_export(fixture);
    CHECK_NEAR(bytes, (double)common_file_size(path), 0.1 * bytes);
    fixture->viewer.ui.over = VIEW_OVERLAY_EXPORT;
    export->choices.kind = VIEW_EXPORT_MOVIE;
    snprintf(export->choices.frames, sizeof export->choices.frames, "10");
    fixture->viewer.uptime = 2.0;
    view_update_export(&fixture->viewer);
    CHECK_NEAR(export->bytes, 10.0 * bytes, 3.0 * bytes);
    export->choices.format = 2;
    fixture->viewer.uptime = 3.0;
    view_update_export(&fixture->viewer);
    CHECK(export->bytes == 0.0);
}

// In a small window, which has no preview, the size is unknown until the window is larger.
TEST_EXPORT (view_export_estimates_no_size_without_a_preview) {
    view_state *const viewer = &fixture->viewer;
    const view_export *const export = &viewer->panels.export;
    viewer->uptime = 1.0;
    view_update_export(viewer);
    CHECK(export->bytes > 0.0);
    item_draw(viewer, 420.0f, 300.0f);
    CHECK(!view_update_export(viewer));
    CHECK(export->bytes == 0.0);
    item_draw(viewer, 1280.0f, 720.0f);
    viewer->uptime = 2.0;
    view_update_export(viewer);
    CHECK(export->bytes > 0.0);
}

// -- Stored choices -----------------------------------------------------------------------------

TEST_EXPORT (view_export_remembers_its_choices) {
    view_state *const viewer = &fixture->viewer;
    view_export *const export = &viewer->panels.export;
    view_config again;
    view_config config = {.path = common_join(fixture->folder, "config")};
    viewer->config = &config;
    snprintf(export->choices.range, sizeof export->choices.range, "3-9"); // frames of the clip
    run_export(fixture);
    CHECK(view_write_config(&config, &viewer->log));
    view_read_config(&again, config.path, &viewer->log);
    viewer->config = &again;
    const view_export_choices before = export->choices;
    export->is_set = false;
    view_free_export(export);
    common_list words = view_export_words(viewer);
    common_free_list(&words);
    CHECK(export->choices.samples == 0 && export->choices.size == 4);
    CHECK_STRING(export->choices.folder, before.folder);
    CHECK_STRING(export->choices.resolution, "64x48");
    CHECK_STRING(export->choices.range, "");
    viewer->config = NULL;
    view_free_config(&again);
    view_free_config(&config);
}

// Words of a search select the kind and the format. A format selects a kind only if no kind is
// named.
TEST (view_export_words_select_kind_and_format) {
    enum { PNG, GIF = 2, MP4, UNCHANGED = 1 };
    static const struct {
        const char *words;
        uint32_t kind, format;
    } cases[] = {
        {"export", VIEW_EXPORT_MODEL, UNCHANGED},
        {"export png", VIEW_EXPORT_PICTURE, PNG},
        {"export gif", VIEW_EXPORT_MOVIE, GIF},
        {"export turntable mp4", VIEW_EXPORT_TURNTABLE, MP4},
        {"export mp4 turntable", VIEW_EXPORT_TURNTABLE, MP4},
        {"export movie png", VIEW_EXPORT_MOVIE, PNG},
        {"export Sheet", VIEW_EXPORT_SHEET, UNCHANGED},
        {"export image", VIEW_EXPORT_PICTURE, UNCHANGED},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        view_export export = {.choices = {.kind = VIEW_EXPORT_MODEL, .format = UNCHANGED}};
        view_name_export(&export, cases[i].words);
        CHECK_THAT(export.choices.kind == cases[i].kind && export.choices.format == cases[i].format,
                   "%s: kind %u, format %u", cases[i].words, export.choices.kind,
                   export.choices.format);
    }
}

TEST (view_export_rejects_unsupported_choices) {
    STRINGS(bad) = {"",
                    "1",
                    "00000000",
                    "00000000\t\t\t\t\t/a",
                    "00000000\t\t\t\t\t/a\tb\tc",
                    "90000000\t\t\t\t\t/a\tb",
                    "0000000-1\t\t\t\t\t/a\tb",
                    "00000000\t12345678901234567\t\t\t\t/a\tb"};
    view_export_choices choices = {.kind = VIEW_EXPORT_SHEET};
    CHECK(view_read_choices(&choices, "11023014\t\t3x3\t\t12\t/a b\tc"));
    SCOPED_STRING text = view_write_choices(&choices);
    CHECK_STRING(text, "11023014\t\t3x3\t\t12\t/a b\tc");
    for (size_t i = 0; i < COUNT_OF(bad); i++)
        CHECK_THAT(!view_read_choices(&choices, bad[i]), "%s", bad[i]);
    CHECK(choices.kind == VIEW_EXPORT_MOVIE && choices.samples == 3);
}

// The longest names of rows have space at each text size, with the gap of ui_next_row() after them.
TEST_EXPORT (view_export_shows_whole_names) {
    static const float scales[] = {1.0f, 1.25f, 1.5f, 2.0f};
    static const char *const names[] = {"Frame count", "Frame range", "Frame rate", "Background"};
    for (size_t i = 0; i < COUNT_OF(scales); i++) {
        REQUIRE(view_set_scale(&fixture->viewer, scales[i]));
        const view_font *const font = &fixture->viewer.drawing.font;
        const float width = VIEW_EXPORT_NAME_WIDTH * view_em(font) - 8.0f * font->scale;
        for (size_t j = 0; j < COUNT_OF(names); j++)
            CHECK_THAT(view_text_width(font, VIEW_TEXT, names[j]) <= width, "%s at %g", names[j],
                       (double)scales[i]);
    }
}
