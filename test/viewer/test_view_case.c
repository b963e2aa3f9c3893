// Fixtures for tests of the viewer; see test_view_case.h.
#define _XOPEN_SOURCE 700 // mkdtemp(), nftw()
#include "test/viewer/test_view_case.h"
#include "demo/viewer/jobs/stage.h"

#include "test/scoped.h"

#include <ftw.h>
#include <stdarg.h>

// -- Folders --------------------------------------------------------------------------------------

char *folder_make(void)
{
    const char *const above = getenv("TMPDIR");
    char *const folder = common_format("%s/md5view_test_XXXXXX", above != NULL ? above : "/tmp");
    CHECK(mkdtemp(folder));
    return folder;
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)status, (void)kind, (void)where;
    return remove(path);
}

void folder_remove(char *folder)
{
    CHECK(nftw(folder, remove_entry, 8, FTW_DEPTH | FTW_PHYS) == 0);
    free(folder);
}

void folder_end(char *const *folder)
{
    folder_remove(*folder);
}

void folder_write(const char *folder, const char *name, const void *bytes, size_t size)
{
    SCOPED_STRING path = common_join(folder, name);
    common_create_folders(path, 0700);
    FILE *const file = fopen(path, "wb");
    REQUIRE(file);
    CHECK(fwrite(bytes, 1, size, file) == size);
    CHECK(fclose(file) == 0);
}

void folder_write_text(const char *folder, const char *name, const char *text)
{
    folder_write(folder, name, text, strlen(text));
}

// -- Commands -------------------------------------------------------------------------------------

const view_log quiet_log = {.level = VIEW_QUIET};

// -- Items ----------------------------------------------------------------------------------------

view_stage item_draw(view_state *viewer, float width, float height)
{
    const view_stage stage = view_build_stage(viewer, width, height);
    view_clear_canvas(&viewer->drawing.canvas);
    view_run_ui(&viewer->ui, &viewer->panels, &stage, NULL);
    return stage;
}

view_rect item_find(view_state *viewer, const view_stage *stage, const char *name)
{
    viewer->ui.probe.name = name;
    viewer->ui.probe.rect = (view_rect){0};
    viewer->ui.probe.text[0] = '\0';
    view_clear_canvas(&viewer->drawing.canvas);
    view_run_ui(&viewer->ui, &viewer->panels, stage, NULL);
    viewer->ui.probe.name = NULL;
    return viewer->ui.probe.rect;
}

const char *item_text(view_state *viewer, const view_stage *stage, const char *name)
{
    item_find(viewer, stage, name);
    return viewer->ui.probe.text;
}

uint32_t item_count_cut_texts(const view_state *viewer, view_rect rect)
{
    const char *text = "\xE2\x80\xA6";
    const view_canvas *const canvas = &viewer->drawing.canvas;
    const view_letter *const ellipsis = view_next_letter(canvas->font, VIEW_TEXT, &text);
    uint32_t num_vertices = 0;
    for (uint32_t i = 0; i < canvas->count; i++) {
        const md5gl_panel_vertex *const vertex = &canvas->vertices[i];
        if (view_contains(rect, vertex->x, vertex->y) && vertex->u == ellipsis->u0
            && vertex->v == ellipsis->v0)
            num_vertices++;
    }
    return num_vertices;
}

view_command item_press_at(view_state *viewer, const view_stage *stage, float x, float y)
{
    return view_run_ui(&viewer->ui, &viewer->panels, stage,
                       &(ui_mouse){.x = x, .y = y, .is_pressed = true});
}

const char *item_release(view_state *viewer)
{
    const char *const held = viewer->ui.held;
    viewer->ui.active.panel = viewer->ui.held = NULL;
    return held;
}

view_command item_press(view_state *viewer, const view_stage *stage, const char *name, float across,
                        float down)
{
    const view_rect rect = item_find(viewer, stage, name);
    if (!CHECK(rect.width > 0.0f))
        return (view_command){.action = VIEW_NOTHING};
    return item_press_at(viewer, stage, rect.x + across * rect.width, rect.y + down * rect.height);
}

// -- Windows --------------------------------------------------------------------------------------

bool screen_begin(screen *s, uint32_t width, uint32_t height)
{
    char problem[256];
    *s = (screen){.width = (float)width, .height = (float)height};
    CHECK(view_read_options(0, NULL, &s->options, problem, sizeof problem));
    s->options.level = VIEW_QUIET;
    s->options.width = width;
    s->options.height = height;
    if (!scene_share(&s->gl))
        return false;
    view_begin(&s->viewer, &s->options);
    s->viewer.options->lights = view_default_lights();
    s->viewer.renderer = s->gl.renderer;
    return CHECK(view_set_scale(&s->viewer, 1.0f));
}

bool screen_open(screen *s, const char *file, uint32_t width, uint32_t height)
{
    const char *const path = test_path(file);
    if (!screen_begin(s, width, height) || !CHECK(view_open(&s->viewer, &path, 1, true)))
        return false;
    view_pose(&s->viewer.document->scene, &s->viewer.play);
    screen_draw(s);
    return true;
}

void screen_draw(screen *s)
{
    s->stage = item_draw(&s->viewer, s->width, s->height);
}

bool screen_close(screen *s)
{
    view_end(&s->viewer);
    view_free_options(&s->options);
    scene_close(&s->gl);
    if (s->folder != NULL)
        folder_remove(s->folder);
    return false;
}

// -- Pages ----------------------------------------------------------------------------------------

bool page_open(page_case *fixture, const char *name)
{
    view_log log = {.level = VIEW_QUIET};
    *fixture = (page_case){.page = NULL};
    const int32_t number = view_find_page(name);
    if (!CHECK(number >= 0))
        return false;
    fixture->page = view_page_at((uint32_t)number);
    for (uint32_t i = 0; i < view_num_sliders(fixture->page); i++)
        fixture->values[i] = fixture->page->sliders[i].first;
    const char *const model = fixture->page->model;
    const char *const files[1] = {
        test_pathf("models/%s", model != NULL ? model : VIEW_DEFAULT_MODEL)};
    if (!CHECK(view_load_scene(&fixture->scene, files, 1, NULL, true, &log)))
        return false;
    view_load_figure(&fixture->scene, &log);
    const view_options options = {.skin = 0};
    const view_loader loader = {&options, NULL, &log, NULL};
    if (fixture->page->has_morphs
        && !CHECK(view_load_morphs(&fixture->morphs, fixture->scene.path, fixture->scene.model,
                                   view_scene_machine(&fixture->scene), true, &loader)))
        return false;
    fixture->scene.morph = fixture->morphs.morph;
    fixture->scene.morph_weights = fixture->morphs.weights;
    return true;
}

void page_close(page_case *fixture)
{
    if (fixture->has_picture)
        view_end_picture(&fixture->picture);
    view_free_lesson_cache(&fixture->cache);
    view_free_morphs(&fixture->morphs, NULL);
    view_free_scene(&fixture->scene);
}

double page_fact(const page_case *fixture, const char *name)
{
    for (uint32_t i = 0; i < fixture->picture.num_facts; i++) {
        const view_fact *const fact = &fixture->picture.facts[i];
        char cell[128];
        snprintf(cell, sizeof cell, "%s, %s", fact->name, fact->column != NULL ? fact->column : "");
        if (strcmp(fact->column != NULL ? cell : fact->name, name) == 0)
            return fact->value;
    }
    CHECK_THAT(false, "fact not found: '%s'", name);
    return NAN;
}

static void set_slider(page_case *fixture, const char *name, const char *value)
{
    uint32_t i = 0;
    while (i < view_num_sliders(fixture->page) && strcmp(fixture->page->sliders[i].name, name) != 0)
        i++;
    if (CHECK_THAT(i < view_num_sliders(fixture->page), "slider not found: '%s'", name))
        fixture->values[i] = strtof(value, NULL);
}

static double read_expected_value(const page_case *fixture, const char *value)
{
    char *end;
    const double number = strtod(value, &end);
    if (*end == '\0')
        return number;
    if (strncmp(end, " * ", 3) == 0)
        return number * page_fact(fixture, end + 3);
    return page_fact(fixture, value);
}

void page_claim(page_case *fixture, const char *file, int line, const char *text, ...)
{
    char words[1024];
    char *rest = words;
    char *item;
    va_list values;
    va_start(values, text);
    CHECK((size_t)vsnprintf(words, sizeof words, text, values) < sizeof words);
    va_end(values);
    char *const stage = strchr(words, '|');
    char *const time = strchr(words, '@');
    if (stage != NULL)
        *stage = '\0';
    if (time != NULL && (stage == NULL || time < stage)) {
        for (time[0] = '\0'; (item = strtok_r(rest, ";", &rest)) != NULL;) {
            char *const name = item + strspn(item, " ");
            char *const sign = strstr(name, " = ");
            if (*name == '\0' || !CHECK_THAT(sign != NULL, "no slider and value: '%s'", name))
                continue;
            *sign = '\0';
            set_slider(fixture, name, sign + 3);
        }
        if (fixture->has_picture)
            view_end_picture(&fixture->picture);
        view_free_lesson_cache(&fixture->cache);
        view_show_page(&fixture->picture, fixture->page, &fixture->scene, fixture->values,
                       strtod(time + 1, NULL), &fixture->cache);
        fixture->has_picture = true;
    }
    rest = stage != NULL ? stage + 1 : NULL;
    while (stage != NULL && (item = strtok_r(rest, ";", &rest)) != NULL) {
        char *sign = item + strlen(item) - 1;
        char *const allowed = strstr(item, " ~ ");
        while (sign > item && !(strchr("=<>", *sign) != NULL && sign[-1] == ' '))
            sign--;
        if (!CHECK_THAT(sign > item, "no claim: '%s'", item))
            return;
        sign[-1] = '\0';
        if (allowed != NULL)
            *allowed = '\0';
        const char *const name = item + strspn(item, " ");
        const double fact = page_fact(fixture, name);
        const double expected = read_expected_value(fixture, sign + 2);
        const double off = fabs(fact - expected);
        bool is_true;
        if (*sign == '<')
            is_true = fact < expected;
        else if (*sign == '>')
            is_true = fact > expected;
        else
            is_true = off <= (allowed != NULL ? read_expected_value(fixture, allowed + 3) : 0.0);
        test_check(is_true, file, line, "%s is %g, expected %c %g", name, fact, *sign, expected);
    }
}

const view_series *page_series(const page_case *fixture, uint32_t plot, const char *name)
{
    static const view_series none = {.count = 0};
    const view_plot *const shown = &fixture->picture.plots[plot];
    for (uint32_t i = 0; plot < fixture->picture.num_plots && i < VIEW_PAGE_SERIES; i++) {
        if (shown->row.series[i].name != NULL && strcmp(shown->row.series[i].name, name) == 0)
            return &shown->series[i];
    }
    CHECK(!name); // an item with this name does not exist
    return &none;
}

double page_series_at(const view_series *series, double x)
{
    for (uint32_t i = 1; i < series->count; i++) {
        const md5_vec2 a = series->points[i - 1];
        const md5_vec2 b = series->points[i];
        if (x <= b.x && b.x > a.x) {
            const double part = (x - a.x) / ((double)b.x - a.x);
            return a.y + part * ((double)b.y - a.y);
        }
    }
    return NAN;
}

bool page_has_color(const md5gl_line_vertex *end, view_color color)
{
    bool is_equal = true;
    for (int i = 0; i < 4; i++)
        is_equal = is_equal && end->rgba[i] == (color >> (24 - 8 * i) & 0xFF);
    return is_equal;
}
