// Images of command lines for tests; see test_view_shot.h.
#include "test/viewer/test_view_shot.h"
#include "test/viewer/test_view_case.h"

// -- Viewers of command lines -------------------------------------------------------------------

enum { LARGE_DIFFERENCE = 24 };

// Splits the line. Words that name files of the project become paths relative to the current
// folder.
static void split_words(shot_viewer *viewer, const char *line)
{
    viewer->num_words = 0;
    // The option --output selects the mode without a window. The file is never written.
    viewer->words[viewer->num_words++] = common_copy("--output=picture.png");
    while (*line != '\0' && CHECK(viewer->num_words < SHOT_MAX_WORDS)) {
        const size_t length = strcspn(line, " ");
        char *const word = common_format("%.*s", (int)length, line);
        const bool is_file = strncmp(word, "models/", 7) == 0 || strncmp(word, "test/", 5) == 0;
        viewer->words[viewer->num_words++] = is_file ? common_copy(test_path(word)) : word;
        if (is_file)
            free(word);
        line += length + strspn(line + length, " ");
    }
}

void shot_close(shot_viewer *viewer)
{
    view_end(&viewer->state);
    view_free_options(&viewer->options);
    for (int i = 0; i < viewer->num_words; i++)
        free(viewer->words[i]);
}

bool shot_open(shot_viewer *viewer, const gl_scene *scene, const char *line)
{
    char problem[256] = "";
    view_state *const state = &viewer->state;
    split_words(viewer, line);
    const bool understood = view_read_options(viewer->num_words, viewer->words, &viewer->options,
                                              problem, sizeof problem);
    viewer->options.level = VIEW_QUIET;
    view_begin(state, &viewer->options);
    state->renderer = scene->renderer;
    const bool opened = understood && view_set_scale(state, 1.0f)
                        && view_open(state, viewer->options.files, viewer->options.num_files, true)
                        && view_select_environment(state);
    if (opened && viewer->options.animation_index_given) {
        view_change_clip(state, viewer->options.animation_index);
        view_reset_camera(state);
    }
    if (viewer->options.num_times > 0)
        state->play.time = viewer->options.times[0];
    return CHECK_THAT(opened, "%s: %s%s", line, problem, state->log.error);
}

bool shot_begin(shot_viewer *viewer, const char *line)
{
    if (!scene_share(&viewer->scene))
        return false;
    if (shot_open(viewer, &viewer->scene, line))
        return true;
    shot_end(viewer);
    return false;
}

void shot_end(shot_viewer *viewer)
{
    shot_close(viewer);
    scene_close(&viewer->scene);
}

view_document *shot_load(const view_options *options)
{
    view_log log = quiet_log;
    const view_loader loader = {options, NULL, &log, NULL};
    const char *const files[] = {test_path("models/thimble/thimble.md5mesh"),
                                 test_path("models/thimble/walk.md5anim")};
    view_document *const document = view_load_document(
        &loader, files, 2, false, true, (view_document_settings){.root = MD5_ROOT_FILE});
    CHECK(document);
    return document;
}

void shot_free(shot *picture)
{
    free(picture->rgba);
}

shot shot_draw(shot_viewer *viewer)
{
    view_state *const state = &viewer->state;
    md5_error error = {0};
    shot drawn = {state->width, state->height, NULL};
    md5gl_target *const target = md5gl_create_target(state->renderer, drawn.width, drawn.height,
                                                     viewer->options.samples, &error);
    drawn.rgba = common_alloc((size_t)drawn.width * drawn.height, 4);
    const unsigned omitted =
        viewer->options.no_background ? VIEW_OMIT_BACKGROUND : VIEW_OMIT_NOTHING;
    const bool done = target != NULL
                      && view_draw(state, target, drawn.width, drawn.height, omitted, &error)
                      && md5gl_read_pixels(state->renderer, target, drawn.width, drawn.height,
                                           drawn.rgba, &error);
    CHECK_DONE(done, error);
    md5gl_destroy_target(state->renderer, target);
    return drawn;
}

shot render_shot(const gl_scene *scene, const char *line)
{
    SCOPED_SHOT viewer;
    shot picture = {0};
    if (shot_open(&viewer, scene, line))
        picture = shot_draw(&viewer);
    return picture;
}

// -- Comparing images ---------------------------------------------------------------------------

shot_cover measure_shot_cover(const shot *picture)
{
    const uint32_t width = picture->width;
    const uint32_t height = picture->height;
    uint32_t count = 0;
    uint32_t left = width;
    uint32_t top = height;
    uint32_t right = 0;
    uint32_t bottom = 0;
    for (uint32_t i = 0; i < width * height; i++) {
        const uint32_t x = i % width;
        const uint32_t y = i / width;
        if (picture->rgba[4 * (size_t)i + 3] == 0)
            continue;
        count++;
        left = x < left ? x : left;
        right = x + 1 > right ? x + 1 : right;
        top = y < top ? y : top;
        bottom = y + 1;
    }
    const double w = width;
    const double h = height;
    return (shot_cover){count / (w * h), left / w, top / h, right / w, bottom / h};
}

double shot_difference(const shot *a, const shot *b)
{
    const size_t num_pixels = (size_t)a->width * a->height;
    size_t count = 0;
    if (!CHECK(a->rgba != NULL && b->rgba != NULL))
        return 0.0;
    if (!CHECK(a->width == b->width && a->height == b->height))
        return 0.0;
    for (size_t i = 0; i < num_pixels; i++) {
        int largest = 0;
        for (size_t c = 4 * i; c < 4 * i + 4; c++) {
            const int off = abs(a->rgba[c] - b->rgba[c]);
            largest = off > largest ? off : largest;
        }
        count += largest > LARGE_DIFFERENCE;
    }
    return (double)count / (double)num_pixels;
}

bool shot_same(const shot *a, const shot *b)
{
    if (!CHECK(a->rgba != NULL && b->rgba != NULL))
        return false;
    if (a->width != b->width || a->height != b->height)
        return false;
    return memcmp(a->rgba, b->rgba, 4 * (size_t)a->width * a->height) == 0;
}
