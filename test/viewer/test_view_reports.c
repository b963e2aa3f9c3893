// Messages of the window: errors, problems, the start page, the frame time and the icon of a
// recording.
#include "test/scoped.h"
#include "test/viewer/test_view_case.h"

#include "demo/viewer/app/window.h"
#include "demo/viewer/jobs/stage.h"
#include "demo/viewer/jobs/movie.h"

#define BOBBIN "models/bobbin/bobbin.md5mesh"

static bool open_window(screen *w)
{
    const char *const path = test_path(BOBBIN);
    if (!screen_begin(w, 1280, 720))
        return false;
    w->folder = folder_make();
    w->options.no_auto = true;
    return CHECK(view_open(&w->viewer, &path, 1, true));
}

#define TEST_HERE(title) \
    TEST_IF (title, screen, w, open_window(w) || screen_close(w), (void)screen_close(w))

// Presses an item of the interface, or a key, and executes the resulting command.
static void press(screen *w, const char *name)
{
    const view_stage stage = item_draw(&w->viewer, 1280, 720);
    view_execute(&w->viewer, item_press(&w->viewer, &stage, name, 0.5f, 0.5f));
    item_release(&w->viewer);
}

static void press_key(screen *w, int32_t key)
{
    const view_stage stage = item_draw(&w->viewer, 1280, 720);
    view_execute(&w->viewer,
                 view_run_ui(&w->viewer.ui, &w->viewer.panels, &stage, &(ui_mouse){.key = key}));
}

static bool has_item(screen *w, float width, float height, const char *name)
{
    const view_stage stage = item_draw(&w->viewer, width, height);
    const view_rect found = item_find(&w->viewer, &stage, name);
    const bool is_inside_x = found.x >= 0.0f && found.x + found.width <= width;
    const bool is_inside_y = found.y >= 0.0f && found.y + found.height <= height;
    return found.width > 0.0f && is_inside_x && is_inside_y;
}

// Opens a file whose line 3 has an error at column 11.
static char *open_broken(screen *w, const char *before)
{
    char *const text =
        common_format("MD5Version 10\ncommandline \"%s\"\nnumJoints x\nlast", before);
    folder_write_text(w->folder, "broken.md5mesh", text);
    free(text);
    char *const path = common_join(w->folder, "broken.md5mesh");
    PERFORM(&w->viewer, VIEW_OPEN_FILE, .path = common_copy(path));
    item_draw(&w->viewer, 1280, 720);
    return path;
}

// -- Errors -------------------------------------------------------------------------------------

TEST_HERE (view_error_shows_the_lines_around_its_location) {
    SCOPED_STRING path = open_broken(w, "");
    const view_excerpt *const excerpt = &w->viewer.panels.problems.excerpt;
    CHECK_UINT(w->viewer.log.failure.line, 3);
    CHECK_UINT(excerpt->first, 1);
    if (CHECK_UINT(excerpt->count, 4)) {
        CHECK_STRING(excerpt->lines[2], "numJoints x");
        CHECK_STRING(excerpt->lines[3], "last");
    }
    CHECK_UINT(excerpt->caret, 10);
}

// A line of 100 000 bytes that are not valid characters: the part around the column is shown.
TEST_HERE (view_error_shows_a_part_of_a_long_invalid_line) {
    enum { LENGTH = 100000 };
    SCOPED_STRING text = common_alloc(LENGTH + 64, 1);
    memcpy(text, "MD5Version 10 ", 14);
    memset(text + 14, 0xFF, LENGTH);
    folder_write(w->folder, "long.md5mesh", text, LENGTH + 14);
    SCOPED_STRING path = common_join(w->folder, "long.md5mesh");
    md5_error error = {.line = 1, .column = 50000, .message = "wrong"};
    snprintf(error.file, sizeof error.file, "%s", path);
    view_log_error(&w->viewer.log, &error);
    item_draw(&w->viewer, 1280, 720);
    const view_excerpt *const excerpt = &w->viewer.panels.problems.excerpt;
    CHECK(excerpt->is_cut);
    CHECK_UINT(strlen(excerpt->lines[0]), VIEW_EXCERPT_BYTES - 1);
    CHECK(excerpt->caret < VIEW_EXCERPT_BYTES);
}

TEST_HERE (view_error_of_a_missing_file_has_no_lines) {
    PERFORM(&w->viewer, VIEW_OPEN_FILE, .path = common_copy("/nowhere/at.md5mesh"));
    item_draw(&w->viewer, 1280, 720);
    CHECK_UINT(w->viewer.panels.problems.excerpt.count, 0);
    CHECK(has_item(w, 1280, 720, "error/Try again"));
}

// Files are listed in the folder of the last opened file. A model that the user has not opened is
// ignored: files are then listed in the working directory.
TEST_HERE (view_list_begins_in_the_last_folder) {
    SCOPED_STRING here = common_canonical_path(".");
    SCOPED_STRING models_folder = view_find_models_folder();
    REQUIRE(models_folder);
    SCOPED_STRING file = common_join(models_folder, "bobbin/bobbin.md5mesh");
    SCOPED_STRING models = common_join(models_folder, "bobbin");
    view_browser *const list = &w->viewer.panels.browser;
    const char *const files[] = {file};
    CHECK(view_open(&w->viewer, files, 1, true));
    PERFORM(&w->viewer, VIEW_FILES);
    CHECK_STRING(list->folder, here);
    view_clear_browser(list);
    w->options.num_files = 1;
    PERFORM(&w->viewer, VIEW_FILES);
    SCOPED_STRING expected = common_canonical_path(models);
    CHECK_STRING(list->folder, expected);
    CHECK(list->locations.count > 4); // home, the model's folder and others
}

// The machines of lessons are hidden, as are files whose names begin with a dot.
TEST_HERE (view_list_hides_files_of_lessons) {
    view_list_location(&w->viewer, test_path("models/bobbin"));
    CHECK(has_item(w, 1280, 720, "list/bobbin.md5machine"));
    view_filter_list(&w->viewer.panels.browser, "page_");
    CHECK(!has_item(w, 1280, 720, "list/page_additive.md5machine"));
    press(w, "list/show");
    CHECK(has_item(w, 1280, 720, "list/page_additive.md5machine"));
}

// If a watched file breaks while a list is open, its error is above the list and receives the keys.
// The list is there again afterwards.
TEST_HERE (view_error_is_above_a_list) {
    bool redraw = false;
    press_key(w, VIEW_KEY_ESCAPE);
    view_list_location(&w->viewer, w->folder);
    view_error(&w->viewer.log, "broken");
    CHECK(has_item(w, 1280, 720, "error/Close"));
    view_handle_event(&w->viewer, &(view_input){.kind = VIEW_INPUT_TEXT, .text = "x"}, &redraw);
    CHECK_STRING(w->viewer.panels.browser.filter, "");
    view_handle_event(&w->viewer,
                      &(view_input){.kind = VIEW_INPUT_KEY_DOWN, .key = VIEW_KEY_ESCAPE}, &redraw);
    CHECK_STRING(w->viewer.log.error, "");
    CHECK_UINT(w->viewer.panels.browser.kind, VIEW_BROWSE_FILES);
    view_error(&w->viewer.log, "broken");
    press(w, "error/Open");
    CHECK(w->viewer.panels.browser.kind == VIEW_BROWSE_FILES && w->viewer.log.error[0] == '\0');
}

// -- Folders --------------------------------------------------------------------------------------

static void open_path(screen *w, const char *path)
{
    PERFORM(&w->viewer, VIEW_OPEN_FILE, .path = common_copy(path));
}

// Below "..", each step leads up, to the root.
TEST_HERE (folders_can_be_left_up_to_the_root) {
    SCOPED_STRING inner = common_format("%s/../%s/.", w->folder, common_base(w->folder));
    view_browser *const browser = &w->viewer.panels.browser;
    size_t steps = 0;
    size_t depth = 0;
    view_list_location(&w->viewer, inner);
    CHECK_STRING(browser->folder, w->folder);
    for (const char *c = w->folder; *c != '\0'; c++)
        depth += *c == '/';
    view_command command = view_key_browser(browser, VIEW_KEY_BACKSPACE);
    for (; steps <= depth && command.action == VIEW_OPEN_FOLDER; steps++) {
        view_execute(&w->viewer, command);
        command = view_key_browser(browser, VIEW_KEY_BACKSPACE);
    }
    CHECK_UINT(steps, depth);
    CHECK_STRING(browser->folder, "/");
}

// A message of 300 bytes and a path of 200 bytes in the smallest window.
TEST_HERE (view_error_fits_into_any_window) {
    static const float sizes[][2] = {{1280, 720}, {800, 600}, {420, 300}, {320, 240}};
    md5_error error = {.line = 2, .column = 3};
    memset(error.message, 'm', sizeof error.message - 1);
    memset(error.file, 'f', 200);
    view_log_error(&w->viewer.log, &error);
    for (size_t i = 0; i < COUNT_OF(sizes); i++)
        CHECK_THAT(has_item(w, sizes[i][0], sizes[i][1], "error/Close"), "%g x %g", sizes[i][0],
                   sizes[i][1]);
}

// -- Problems -----------------------------------------------------------------------------------

static void warn(screen *w, int count)
{
    view_log_clear(&w->viewer.log);
    for (int i = 0; i < count; i++)
        view_warn(&w->viewer.log, "warning number %d", i);
    w->viewer.ui.docks.shows_problems = true;
}

// The icon in the menu bar opens the problems at any width. It is shown only if there are problems.
TEST_HERE (view_problems_are_opened_by_their_number) {
    static const float sizes[][2] = {{1280, 720}, {800, 600}, {420, 300}};
    CHECK(!has_item(w, 1280, 720, "bar/Problems"));
    warn(w, 40);
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        w->viewer.ui.docks.shows_problems = false;
        CHECK_THAT(has_item(w, sizes[i][0], sizes[i][1], "bar/Problems"), "%g wide", sizes[i][0]);
        press(w, "bar/Problems");
        CHECK_THAT(has_item(w, sizes[i][0], sizes[i][1], "problems/warning number 0"), "%g wide",
                   sizes[i][0]);
    }
    press_key(w, VIEW_KEY_ESCAPE);
    CHECK(!w->viewer.ui.docks.shows_problems);
}

TEST_HERE (view_problems_are_scrolled_by_keys) {
    warn(w, 200);
    w->viewer.panels.problems.has_keys = true;
    press_key(w, VIEW_KEY_RIGHT); // unfolds the cause of all warnings
    CHECK(!has_item(w, 800, 600, "problems/warning number 199"));
    for (int i = 0; i < 200; i++)
        press_key(w, VIEW_KEY_DOWN);
    CHECK(has_item(w, 800, 600, "problems/warning number 199"));
    CHECK(!has_item(w, 800, 600, "problems/warning number 0"));
}

TEST_HERE (view_problems_are_filtered) {
    warn(w, 40);
    press(w, "problems/Filter");
    view_stage stage = item_draw(&w->viewer, 1280, 720);
    view_run_ui(&w->viewer.ui, &w->viewer.panels, &stage, &(ui_mouse){.text = "number 39"});
    CHECK(!has_item(w, 1280, 720, "problems/warning number 2"));
    CHECK(has_item(w, 1280, 720, "problems/warning number 39"));
}

// A message may use the columns of the subject and the location if the problem has neither. A
// message of a mesh ends before the name of the mesh.
TEST_HERE (view_problems_without_a_subject_show_longer_messages) {
    static const char message[] =
        "this message is longer than the column of messages in the list of problems, which has "
        "half of the width of a row, but not longer than a row";
    const view_about meshes[] = {{.kind = VIEW_ABOUT_FILE},
                                 {VIEW_ABOUT_MESH, 1, 0, w->viewer.document->scene.model}};
    for (size_t i = 0; i < COUNT_OF(meshes); i++) {
        view_log_clear(&w->viewer.log);
        view_warn_about(&w->viewer.log, meshes[i], "%s", message);
        if (i == 0)
            PERFORM(&w->viewer, VIEW_WARNINGS);
        item_draw(&w->viewer, 1280, 720);
        const view_stage stage = item_draw(&w->viewer, 1280, 720);
        const view_rect row = item_find(&w->viewer, &stage, "problems/this message");
        REQUIRE(row.width > 0);
        item_draw(&w->viewer, 1280, 720);
        CHECK((item_count_cut_texts(&w->viewer, row) > 0) == (i == 1));
    }
}

// A clip of another skeleton is one problem and the first of the list, although each joint has a
// warning. The warnings are listed when the problem is unfolded by mouse or key.
TEST_HERE (view_problems_of_a_foreign_clip_are_one_problem) {
    static const char title[] =
        "problems/walk was made for another skeleton (1 of 57 joints match)";
    static const char detail[] = "problems/joint 1 'hips' of the model is missing";
    view_log *const log = &w->viewer.log;
    view_log_clear(log);
    view_warn(log, "a warning before the clip is opened");
    PERFORM(&w->viewer, VIEW_OPEN_FILE,
            .path = common_copy(test_path("models/thimble/walk.md5anim")));
    CHECK_UINT(log->num_warnings, 135); // 78 joints of the model, 56 of the clip
    CHECK_UINT(view_count_problems(log), 2);
    PERFORM(&w->viewer, VIEW_WARNINGS);
    const view_stage stage = item_draw(&w->viewer, 1280, 720);
    const view_rect first = item_find(&w->viewer, &stage, title);
    const view_rect second = item_find(&w->viewer, &stage, "problems/a warning before");
    CHECK(first.height > 0 && first.y < second.y);
    CHECK(!has_item(w, 1280, 720, detail));
    press(w, title);
    CHECK(has_item(w, 1280, 720, detail));
    press_key(w, VIEW_KEY_LEFT);
    CHECK(!has_item(w, 1280, 720, detail));
    press_key(w, VIEW_KEY_RETURN); // presses the button, which opens the document again
    const view_stage reopened = view_build_stage(&w->viewer, 1280, 720);
    CHECK(view_shows_retarget(&w->viewer.panels.retarget, &reopened));
}

// Each problem leads to its subject and to its line.
TEST_HERE (view_problems_open_their_location) {
    view_log *const log = &w->viewer.log;
    const md5_model *const model = w->viewer.document->scene.model;
    SCOPED_STRING path = common_copy(test_path(BOBBIN));
    md5_error location = {.line = 7, .column = 2, .message = "odd"};
    snprintf(location.file, sizeof location.file, "%s", path);
    warn(w, 0);
    view_warn_about(log, (view_about){VIEW_ABOUT_MESH, 1, 0, model}, "of a mesh");
    view_warn_about(log, (view_about){VIEW_ABOUT_JOINT, 5, 0, model}, "of a joint");
    view_warn_about(log, (view_about){VIEW_ABOUT_MESH, 1, 0, log}, "of another model");
    log->about = (view_about){VIEW_ABOUT_VERTEX, 0, 88, model};
    view_log_warning(log, &location);
    press(w, "problems/mesh eyes");
    CHECK(w->viewer.ui.selection.mesh == 1);
    SCOPED_STRING joint =
        common_format("problems/joint %s", w->viewer.document->scene.skeleton->joints[5].name);
    press(w, joint);
    item_draw(&w->viewer, 1280, 720);
    CHECK(w->viewer.ui.selection.joint == 5 && w->viewer.ui.selection.mesh == -1);
    press(w, "problems/Show vertex");
    const view_pick *const lit = &w->viewer.ui.selection.highlighted_point;
    CHECK(lit->is_set && lit->mesh == 0 && lit->vertex == 88);
    press(w, "problems/bobbin.md5mesh:7");
    CHECK(has_item(w, 1280, 720, "error/Close") && !has_item(w, 1280, 720, "error/Try again"));
    CHECK(w->viewer.panels.problems.excerpt.first <= 7
          && w->viewer.panels.problems.excerpt.caret == 1);
    press(w, "error/Close");
    CHECK(!has_item(w, 1280, 720, "error/Close"));
}

// Writes a copy of Bobbin's file into the folder, with other names of joints.
static char *copy_renamed(screen *w, const char *from, const char *name)
{
    size_t size;
    SCOPED_STRING text = test_read_file(test_path(from), &size);
    SCOPED_STRING renamed = common_alloc(2, size);
    char *to = renamed;
    for (const char *c = text; *c != '\0';) {
        const bool is_joint = strncmp(c, "\n\t\"", 3) == 0 || strncmp(c, "\n  \"", 4) == 0;
        *to++ = *c++;
        while (is_joint && *c != '"')
            *to++ = *c++;
        if (is_joint) {
            memcpy(to, "\"own:", 5);
            to += 5;
            c++;
        }
    }
    folder_write(w->folder, name, renamed, (size_t)(to - renamed));
    return common_join(w->folder, name);
}

// A clip without any joint of the model is shown on its own model, which is in the same folder, and
// the map of joints for retargeting is guessed.
TEST_HERE (view_error_of_a_mismatched_clip_opens_the_joint_map) {
    SCOPED_STRING mesh = copy_renamed(w, BOBBIN, "other.md5mesh");
    SCOPED_STRING clip = copy_renamed(w, "models/bobbin/walk.md5anim", "walk.md5anim");
    PERFORM(&w->viewer, VIEW_OPEN_FILE, .path = common_copy(clip));
    CHECK(w->viewer.log.error[0] != '\0' && !has_item(w, 1280, 720, "error/Try again"));
    press(w, "error/Map joints");
    CHECK_STRING(w->viewer.log.error, "");
    CHECK_STRING(w->viewer.document->scene.path, mesh);
    CHECK(w->viewer.options->retarget);
    const view_companion *const to = &w->viewer.document->companions[VIEW_RETARGETED];
    CHECK(to->retarget != NULL && md5_find_joint(&to->model->skeleton, "hips") != MD5_NONE);
}

// Returns true if the check of the open document has ended.
static bool is_checked(screen *w)
{
    view_update_files(&w->viewer);
    return w->viewer.jobs.checked_document == w->viewer.document && w->viewer.jobs.check == NULL;
}

// Opens a file and waits until the checks for engines have ended.
static void open_checked(screen *w, const char *path)
{
    open_path(w, path);
    for (int i = 0; !is_checked(w) && CHECK(i < MAX_WAITS); i++)
        view_sleep(0.001);
}

// Opens half.md5mesh, whose weights of vertex 2, in line 18, sum to 0.5. Returns its text.
static char *open_half(screen *w)
{
    size_t size;
    char *const mesh = test_read_file(test_path("test/reference/data/still.md5mesh"), &size);
    SCOPED_STRING path = common_join(w->folder, "half.md5mesh");
    memcpy(strstr(mesh, "weight 2 0 1.0") + 11, "0.5", 3);
    folder_write(w->folder, "half.md5mesh", mesh, size);
    open_checked(w, path);
    return mesh;
}

// Weights of a vertex that sum to 0.5 are reported, the changes are previewed, and the result is
// written to a new file, which Enter opens. The original file is unchanged.
TEST_HERE (view_problems_are_repaired) {
    size_t size;
    folder_write_text(w->folder, "half-fixed-1.md5mesh", "of somebody else");
    SCOPED_STRING mesh = open_half(w);
    SCOPED_STRING path = common_join(w->folder, "half.md5mesh");
    w->viewer.ui.docks.shows_problems = true;
    press(w, "problems/Repair");
    const view_problems *const list = &w->viewer.panels.problems;
    CHECK_STRING(list->repair, "1 vertex with weights scaled to a sum of 1\n");
    CHECK(has_item(w, 420, 300, "error/Save and open") && has_item(w, 1280, 720, "error/Close"));
    press_key(w, VIEW_KEY_ESCAPE);
    SCOPED_STRING output = common_join(w->folder, "half-fixed-2.md5mesh");
    CHECK(list->repair == NULL && !common_is_file(output));
    press(w, "problems/Repair");
    press_key(w, VIEW_KEY_RETURN);
    CHECK_STRING(common_base(w->viewer.document->scene.path), "half-fixed-2.md5mesh");
    CHECK_NEAR(w->viewer.document->scene.model->meshes[0].weights[2].bias, 1, 0);
    SCOPED_STRING kept = test_read_file(path, &size);
    CHECK_STRING(kept, mesh);
}

// Returns a text without the lines that contain this string.
static char *without_lines(const char *text, const char *words)
{
    char *left = common_copy("");
    for (const char *line = text; *line != '\0';) {
        const size_t length = strcspn(line, "\n") + 1;
        SCOPED_STRING single_line = common_format("%.*s", (int)length, line);
        if (strstr(single_line, words) == NULL)
            common_extend(&left, "%s", single_line);
        line += strlen(single_line);
    }
    return left;
}

// A clip without the last joint of its model, which stops id's engine: the joint is inserted, and
// the new file is shown.
TEST_HERE (view_problems_of_a_clip_are_repaired) {
    size_t size;
    SCOPED_STRING clip = test_read_file(test_path("models/thimble/idle.md5anim"), &size);
    SCOPED_STRING mesh = test_read_file(test_path("models/thimble/thimble.md5mesh"), &size);
    folder_write(w->folder, "thimble.md5mesh", mesh, size);
    char *const count = strstr(clip, "numJoints 57");
    REQUIRE(count);
    count[11] = '6';
    SCOPED_STRING shorter = without_lines(clip, "\"bolt_4\"");
    // Remove the line of the joint in the base frame too.
    SCOPED_STRING broken = without_lines(shorter, "\t( 0 0 10.4 ) ( 0 0 0 )");
    folder_write_text(w->folder, "idle.md5anim", broken);
    SCOPED_STRING path = common_join(w->folder, "idle.md5anim");
    SCOPED_STRING model = common_join(w->folder, "thimble.md5mesh");
    const char *const files[] = {model, path};
    CHECK(view_open(&w->viewer, files, 2, true));
    for (int i = 0; !is_checked(w) && CHECK(i < MAX_WAITS); i++)
        view_sleep(0.001);
    w->viewer.ui.docks.shows_problems = true;
    press(w, "problems/Repair");
    const view_problems *const list = &w->viewer.panels.problems;
    CHECK_STRING(list->repair != NULL ? list->repair : "",
                 "1 joint adapted to the skeleton of the model\n");
    press(w, "error/Save and open");
    const view_scene *const scene = &w->viewer.document->scene;
    CHECK_STRING(scene->clips[scene->clip].name, "idle-fixed-1");
    CHECK_UINT(scene->clips[scene->clip].binding->num_missing, 0);
    SCOPED_STRING fixed = common_join(w->folder, "idle-fixed-1.md5anim");
    SCOPED_STRING written = test_read_file(fixed, &size);
    CHECK(strstr(written, "numJoints 57") != NULL && strstr(written, "\"bolt_4\"") != NULL);
    SCOPED_STRING kept = test_read_file(path, &size);
    CHECK_STRING(kept, broken);
}

// Messages of engines are found on a thread, each once, and refer to the vertex of their line.
TEST_HERE (view_problems_include_messages_of_engines) {
    free(open_half(w));
    uint32_t count = 0;
    const view_reports *const reports = w->viewer.log.reports;
    for (size_t i = 0; i < reports->count; i++) {
        const view_report *const row = &reports->rows[i];
        if (strstr(row->text, "weights of vertex 2 have a wrong sum") != NULL) {
            count++;
            CHECK(row->line == 18 && row->about.kind == VIEW_ABOUT_VERTEX);
            CHECK_UINT(row->about.vertex, 2);
        }
    }
    CHECK_UINT(count, 1);
}

// A problem of a whole mesh does not have a line, but selects the mesh.
TEST_HERE (view_problems_without_a_line_select_their_mesh) {
    uint32_t count = 0;
    open_checked(w, test_path(BOBBIN));
    const view_stage stage = item_draw(&w->viewer, 1280, 720);
    const view_reports *const reports = w->viewer.log.reports;
    for (size_t i = 0; i < reports->count; i++) {
        const view_report *const row = &reports->rows[i];
        uint32_t number = 0;
        if (row->line > 0 || sscanf(row->text, "mesh %u", &number) != 1)
            continue;
        count++;
        CHECK(row->about.kind == VIEW_ABOUT_MESH && row->about.number == number
              && view_is_about_mesh(&stage, row, number));
    }
    CHECK(count > 0);
}

// A notice that opens the list appears once per document.
TEST_HERE (view_problems_are_announced_once) {
    warn(w, 2); // with one cause
    view_warn(&w->viewer.log, "another cause");
    w->viewer.ui.docks.shows_problems = false;
    view_update_files(&w->viewer);
    CHECK(strstr(w->viewer.ui.notice.text, "2 problems"));
    press(w, "notice/2 problems");
    CHECK(w->viewer.ui.docks.shows_problems);
    view_warn(&w->viewer.log, "a third");
    w->viewer.uptime += 10;
    view_update_files(&w->viewer);
    CHECK(!strstr(w->viewer.ui.notice.text, "3 problems"));
}

// -- The start page -----------------------------------------------------------------------------

static void note_recent_files(screen *w, view_config *config)
{
    SCOPED_STRING path = common_join(w->folder, "there.md5mesh");
    folder_write_text(w->folder, "there.md5mesh", "x");
    w->viewer.config = config;
    view_add_recent(config, path);
    view_add_recent(config, "/nowhere/gone.md5mesh");
    PERFORM(&w->viewer, VIEW_START_PAGE);
}

TEST_HERE (view_start_page_marks_missing_recent_files) {
    view_config config = {.path = NULL};
    note_recent_files(w, &config);
    CHECK_UINT(w->viewer.panels.start.recent.count, 2);
    CHECK_UINT(w->viewer.panels.start.missing, 1); // the first recent file
    view_free_config(&config);
}

TEST_HERE (view_start_page_forgets_a_recent_file) {
    view_config config = {.path = NULL};
    note_recent_files(w, &config);
    press(w, "start/remove gone.md5mesh");
    if (CHECK_UINT(config.recent.count, 1))
        CHECK_STRING(common_base(config.recent.names[0]), "there.md5mesh");
    CHECK_UINT(w->viewer.panels.start.recent.count, 1);
    view_free_config(&config);
}

// A card covers the start page. If the start page received Return as well, it would open a file.
TEST_HERE (view_start_page_passes_keys_to_a_card_over_it) {
    view_config config = {.path = NULL};
    note_recent_files(w, &config);
    PERFORM(&w->viewer, VIEW_ASK, view_option_index(VIEW_OPTION(background)));
    CHECK_UINT(w->viewer.ui.over, VIEW_OVERLAY_CARD);
    press_key(w, VIEW_KEY_RETURN);
    CHECK_UINT(w->viewer.ui.over, VIEW_OVERLAY_START);
    CHECK(w->viewer.panels.browser.kind == VIEW_BROWSE_NOTHING);
    press_key(w, VIEW_KEY_RETURN); // the last file is missing, so its folder is listed
    CHECK(w->viewer.panels.browser.kind == VIEW_BROWSE_FILES);
    view_free_config(&config);
}

// The list must show the folder of the file that was opened last, not the folder of the current
// model.
TEST_HERE (view_start_page_lists_a_folder_that_was_opened) {
    view_config config = {.path = NULL};
    note_recent_files(w, &config);
    view_remove_recent(&config, "/nowhere/gone.md5mesh");
    press_key(w, VIEW_KEY_RETURN);
    CHECK_STRING(w->viewer.panels.browser.folder, w->folder);
    CHECK(view_build_stage(&w->viewer, 800, 600).is_bare);
    w->viewer.config = NULL;
    view_free_config(&config);
}

TEST_HERE (view_start_page_fits_into_any_window) {
    static const float sizes[][2] = {{1280, 720}, {800, 600}, {420, 300}};
    PERFORM(&w->viewer, VIEW_START_PAGE);
    for (size_t i = 0; i < COUNT_OF(sizes); i++)
        CHECK(has_item(w, sizes[i][0], sizes[i][1], "start/Open your"));
}

// -- Frame time, recording ----------------------------------------------------------------------

static const char *frame_time(screen *w)
{
    const view_stage stage = item_draw(&w->viewer, 1280, 720);
    return item_text(&w->viewer, &stage, "figures/Frame time");
}

TEST_HERE (view_frame_time_is_the_median_of_those_that_were_drawn) {
    w->viewer.options->shown.frame_time = w->viewer.drawing.is_moving = true;
    view_store_frame_time(&w->viewer, 1.0); // the first frame compiles shaders
    for (int i = 0; i < 8; i++)
        view_store_frame_time(&w->viewer, 0.016);
    CHECK_STRING(frame_time(w), "\xE2\x80\x93"); // too few frames
    view_store_frame_time(&w->viewer, 0.016);
    CHECK_STRING(frame_time(w), "16.00 ms");
    w->viewer.drawing.is_moving = false;
    CHECK_STRING(frame_time(w), "\xE2\x80\x93");
}

TEST_HERE (view_frame_time_forgets_all_but_the_last_ones) {
    w->viewer.options->shown.frame_time = w->viewer.drawing.is_moving = true;
    for (int i = 0; i < 200; i++)
        view_store_frame_time(&w->viewer, 0.2);
    CHECK_STRING(frame_time(w), "200.00 ms  \xE2\x9A\xA0");
    for (int i = 0; i < 60; i++)
        view_store_frame_time(&w->viewer, 1e-7);
    CHECK_STRING(frame_time(w), "0.01 ms");
}

TEST_HERE (view_recording_is_ended_by_a_click_on_its_icon) {
    view_movie movie = {.num_added = 50, .frame_rate = 25};
    w->viewer.jobs.movie = &movie;
    const view_stage stage = item_draw(&w->viewer, 1280, 720);
    CHECK(fabs(stage.recorded - 2.0) < 1e-9);
    const view_rect free = view_current_layout(&stage).free;
    const view_command command =
        item_press_at(&w->viewer, &stage, free.x + 0.5f * free.width, free.y + 18.0f);
    CHECK_UINT(command.action, VIEW_RECORD);
    w->viewer.jobs.movie = NULL;
}
