// Draws the open lesson: the figures and lines in space, the panel with text, sliders, values and
// code, the plots, and the contents with a thumbnail of each lesson.
//
// view_show_page() computes the picture, view_draw_page() draws its part in space, and
// view_page_panel() draws the panel and the plots over it.
#include "demo/viewer/pages/page.h"

#include "demo/viewer/ui/window_layout.h"

// == Computing the picture of a lesson =====================================================

// Adds the figures of a lesson: figure 0, and every further figure that has a label. Each is in the
// pose of the lesson's clip at its begin. `poses` contains space for `num_joints` joints per
// figure.
static void add_figures(view_picture *picture, md5_xform *poses, size_t num_joints)
{
    const view_page *const page = picture->page;
    for (uint32_t i = 0; i < VIEW_PAGE_FIGURES; i++) {
        view_figure *const figure = &picture->figures[i];
        const char *const label = page->figures[i].label;
        const float y = page->figures[i].y;
        figure->pose = poses + i * num_joints;
        figure->place = (md5_xform){.rotation = {.w = 1}, .translation = {.y = y}};
        figure->shape = (md5_mat34){{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
        if (label == NULL && i > 0)
            continue;
        picture->num_figures = i + 1;
        if (label != NULL && label[0] != '\0')
            view_add_label(picture, (md5_vec3){0, y, page->box.max.z - 2}, VIEW_PLAIN, label);
        if (picture->model != NULL)
            view_sample_clip(picture, page->clip, 0, figure->pose);
    }
}

// Adds the plots of a lesson, without points.
static void add_plots(view_picture *picture)
{
    for (uint32_t i = 0; i < VIEW_PAGE_PLOTS; i++) {
        picture->plots[i].row = picture->page->plots[i];
        if (picture->plots[i].row.title == NULL)
            return;
        picture->num_plots++;
    }
}

// Fits the vertical axis of a plot to its points, unless the lesson defines the axis.
static void fit_axis(view_plot *plot)
{
    float low = INFINITY;
    float high = -INFINITY;
    if (plot->row.fit == VIEW_FIT_NOT || plot->row.fit == VIEW_FIT_BARS)
        return;
    for (int i = 0; i < VIEW_PAGE_SERIES; i++) {
        const view_series *const series = &plot->series[i];
        for (uint32_t p = 0; p < series->count; p++) {
            low = fminf(low, series->points[p].y);
            high = fmaxf(high, series->points[p].y);
        }
    }
    const bool has_points = low <= high;
    if (!has_points)
        return;
    const float margin = fmaxf(0.06f * (high - low), 1e-6f);
    plot->row.low.y = plot->row.fit == VIEW_FIT_TOP ? 0 : low - margin;
    plot->row.high.y = high + margin;
}

void view_show_page(view_picture *picture, const view_page *page, const view_scene *scene,
                    const float *values, double time, view_kept *kept)
{
    const size_t num_joints = scene->num_joints + 1;
    md5_xform *const poses =
        common_alloc((VIEW_PAGE_FIGURES + VIEW_PAGE_SPARE) * num_joints, sizeof *poses);
    *picture = (view_picture){.page = page,
                              .scene = scene,
                              .model = scene->model,
                              .skeleton = scene->skeleton,
                              .values = values,
                              .time = time,
                              .bounds = page->box,
                              .heat_joint = -1};
    add_figures(picture, poses, num_joints);
    add_plots(picture);
    if (scene->model != NULL && page->keep != NULL) {
        if (kept->page == NULL)
            page->keep(picture, kept);
        kept->page = page;
        picture->kept = kept;
    }
    if (scene->model != NULL)
        page->show(picture, values);
    for (uint32_t i = 0; i < picture->num_plots; i++)
        fit_axis(&picture->plots[i]);
}

void view_end_picture(view_picture *picture)
{
    free(picture->figures[0].pose);
    view_free_lines(&picture->lines);
    *picture = (view_picture){.num_figures = 0};
}

void view_free_kept(view_kept *kept)
{
    md5_destroy_baked(kept->baked);
    md5_free_model(kept->bound);
    free(kept->heat);
    *kept = (view_kept){.baked = NULL};
}

// == The character on the GPU ==============================================================

void view_free_pages(view_pages *pages, md5gl_renderer *renderer)
{
    view_end_picture(&pages->picture);
    for (int i = VIEW_FIGURE_LIT; i < (int)VIEW_NUM_FIGURE_KINDS; i++) {
        if (i > VIEW_FIGURE_HEAT && renderer != NULL)
            md5gl_destroy_model(renderer, pages->models[i]);
        pages->models[i] = NULL;
    }
    if (renderer != NULL) {
        md5gl_destroy_baked(renderer, pages->baked);
        md5gl_destroy_impostors(renderer, pages->impostors);
        view_free_heat(&pages->heat, renderer);
    }
    pages->baked = NULL;
    pages->impostors = NULL;
    view_free_kept(&pages->kept);
}

// Draws the images of an impostor in the pose of a figure, unless they exist.
static bool prepare_impostor(view_pages *pages, const view_stage *stage, const view_figure *figure,
                             md5_error *error)
{
    const md5_model *const model = pages->picture.model;
    const md5gl_impostor_desc *const desc = &pages->picture.impostor;
    if (pages->impostors == NULL || memcmp(&pages->impostors_desc, desc, sizeof *desc) != 0) {
        md5gl_destroy_impostors(stage->renderer, pages->impostors);
        pages->impostors = md5gl_create_impostors(stage->renderer, desc, error);
        pages->impostors_desc = *desc;
    }
    if (pages->impostors == NULL)
        return false;
    if (md5gl_has_impostor_images(pages->impostors, figure->sample.frame0))
        return true;
    md5_mat34 *const palette = common_alloc(model->skeleton.num_joints, sizeof *palette);
    md5_local_to_palette(model, figure->pose, NULL, palette);
    view_set_materials(stage, &stage->document->textures, stage->document->drawn);
    const bool is_drawn =
        md5gl_draw_impostor_images(stage->renderer, pages->impostors, stage->document->drawn,
                                   figure->sample.frame0, palette, error);
    free(palette);
    return is_drawn;
}

// Creates the GPU objects of a figure, before the frame begins. Returns false and fills `error` on
// failure.
static bool prepare_figure(view_pages *pages, const view_stage *stage, const view_figure *figure,
                           md5_error *error)
{
    const view_figure_kind kind = figure->kind;
    md5gl_model **const drawn = &pages->models[kind];
    const view_kept *const kept = pages->picture.kept;
    const md5_model *const model = kind == VIEW_FIGURE_BOUND ? kept->bound : pages->picture.model;
    if (kind == VIEW_FIGURE_LIT)
        *drawn = stage->document->drawn;
    if (kind == VIEW_FIGURE_HEAT) {
        const bool is_ready =
            view_prepare_heat(&pages->heat, stage->renderer, model, NULL,
                              kept != NULL ? kept->heat : NULL, pages->picture.heat_joint, error);
        *drawn = pages->heat.drawn;
        return is_ready;
    }
    if (kind == VIEW_FIGURE_IMPOSTOR)
        return prepare_impostor(pages, stage, figure, error);
    if (*drawn != NULL)
        return true;
    *drawn = md5gl_create_model(stage->renderer, model, MD5GL_PATH_AUTO, error);
    if (*drawn == NULL)
        return false;
    if (kind == VIEW_FIGURE_DUAL)
        return md5gl_set_blending(stage->renderer, *drawn, MD5GL_BLEND_DUAL, error);
    if (kind != VIEW_FIGURE_BAKED)
        return true;
    const md5_baked *const clip = kept->baked;
    pages->baked = md5gl_create_baked(stage->renderer, model, &clip, 1, error);
    return pages->baked != NULL;
}

// Draws all figures, as one body for each kind.
static bool draw_figures(const view_pages *pages, const view_stage *stage, md5_error *error)
{
    const view_picture *const picture = &pages->picture;
    const view_morphs *const morphs = &stage->document->morphs;
    const size_t num_joints = picture->scene->num_joints;
    const uint32_t num_targets = morphs->drawn != NULL ? morphs->morph->num_targets : 0;
    const bool has_morphs = num_targets > 0 && num_targets <= VIEW_PAGE_TARGETS;
    md5_mat34 placements[VIEW_PAGE_FIGURES];
    md5gl_clip_job jobs[VIEW_PAGE_FIGURES];
    md5gl_impostor impostors[VIEW_PAGE_FIGURES];
    float weights[VIEW_PAGE_FIGURES * VIEW_PAGE_TARGETS];
    md5_mat34 *const palettes = common_alloc(VIEW_PAGE_FIGURES * num_joints, sizeof *palettes);
    view_bodies bodies = {.count = 0};
    for (uint32_t kind = 0, count = 0; kind < VIEW_NUM_FIGURE_KINDS; kind++) {
        const uint32_t first = count;
        const bool is_baked = kind == VIEW_FIGURE_BAKED;
        for (uint32_t i = 0; i < picture->num_figures; i++) {
            const view_figure *const figure = &picture->figures[i];
            if (figure->kind != kind)
                continue;
            md5_local_to_palette(picture->model, figure->pose, NULL, palettes + count * num_joints);
            if (has_morphs)
                memcpy(weights + (size_t)count * num_targets, figure->morph_weights,
                       num_targets * sizeof *weights);
            placements[count] = md5_mat34_mul(md5_mat34_from_xform(figure->place), figure->shape);
            jobs[count] = (md5gl_clip_job){.sample = figure->sample};
            impostors[count++] = (md5gl_impostor){.rotation = figure->place.rotation,
                                                  .translation = figure->place.translation,
                                                  .scale = 1,
                                                  .frame = (float)figure->sample.frame0,
                                                  .shown = 1};
        }
        if (count == first)
            continue;
        view_body *const body = &bodies.bodies[bodies.count++];
        *body = (view_body){
            .uses = VIEW_BODY_CASTS | VIEW_BODY_SHOWN,
            .drawn = pages->models[kind],
            .instances = {.count = count - first,
                          .jobs = jobs + first,
                          .placements = placements + first,
                          .weights = weights}, // only for the lit figures, which are the first
            .pictured = impostors + first,
        };
        if (kind != VIEW_FIGURE_HEAT)
            body->textures = &stage->document->textures;
        if (is_baked)
            body->instances.baked = pages->baked;
        else
            body->instances.palettes = palettes + first * num_joints;
        if (has_morphs && kind == VIEW_FIGURE_LIT)
            body->instances.morph = morphs->drawn;
        if (kind == VIEW_FIGURE_IMPOSTOR)
            body->impostors = pages->impostors;
    }
    const bool is_drawn = view_draw_bodies(stage, &bodies, MD5GL_LIT, error);
    free(palettes);
    return is_drawn;
}

// == The lesson in space ===================================================================

void view_open_page(view_pages *pages, int32_t number)
{
    const view_page *const page = number >= 0 ? view_page_at((uint32_t)number) : NULL;
    pages->open = number;
    pages->scroll = (ui_scroll){0, 0};
    pages->code_scroll = (ui_scroll){0, 0};
    pages->unfolded = 0;
    for (uint32_t i = 0; page != NULL && i < VIEW_PAGE_SLIDERS; i++)
        pages->values[i] = page->sliders[i].first;
}

static const float code_inset = 8; // between the code and the edge of its box, layout units

// Returns true if the panel with text and sliders is shown; with --panel=no only the image is
// shown.
static bool has_text(const view_stage *stage)
{
    return stage->shown->panel
           || !stage->options->is_given[view_option_index(VIEW_OPTION(shown.panel))];
}

// Returns the height of the panel if it is at the bottom, as on a phone in portrait orientation;
// otherwise 0.
static float panel_height(const view_stage *stage)
{
    return has_text(stage) && stage->width < 0.8f * stage->height ? 0.48f * stage->height : 0;
}

// Returns the width of the panel at the left including its margins, in pixels.
static float panel_width(const view_stage *stage)
{
    return has_text(stage) && panel_height(stage) == 0
               ? fminf(0.46f * stage->width, 520 * stage->font->scale)
               : VIEW_MARGIN * stage->font->scale;
}

// Returns the height of the code below the figures, if a line of a hundred characters fits there
// without a break; otherwise 0: the code is in the panel.
static float code_height(const view_stage *stage)
{
    const float scale = stage->font->scale;
    const float line = 100 * view_text_width(stage->font, VIEW_CODE, " ");
    const float free_width = stage->width - panel_width(stage) - VIEW_MARGIN * scale;
    const bool is_beside = has_text(stage) && panel_height(stage) == 0;
    return is_beside && free_width >= line + 2 * code_inset * scale ? 0.36f * stage->height : 0;
}

// Returns the height of the plots below the figures. If the code is there, the plots are in the
// panel.
static float plots_height(const view_stage *stage)
{
    const float fraction = has_text(stage) ? 0.36f : 0.44f;
    if (code_height(stage) > 0)
        return 0;
    return stage->pages->picture.num_plots > 0 ? fraction * (stage->height - panel_height(stage))
                                               : 0;
}

// Frees the results for another character, and cached results of another lesson or of other values
// of the sliders on which the results depend: the first page->num_kept ones.
static void free_outdated(view_pages *pages, const view_page *page, const md5_model *model,
                          md5gl_renderer *renderer)
{
    const bool has_results = page != NULL && page->keep != NULL;
    const size_t size = has_results ? page->num_kept * sizeof *pages->values : 0;
    const bool has_same_sliders = memcmp(pages->kept_values, pages->values, size) == 0;
    const bool is_outdated = size > 0 && (pages->kept.page != page || !has_same_sliders);
    if (pages->source_model != model || is_outdated)
        view_free_pages(pages, renderer);
    pages->source_model = model;
    memcpy(pages->kept_values, pages->values, size);
}

// Returns points on the outline of a box with rounded vertical edges, at its bottom and its top.
// The corners of a lesson's box are always empty, so that the figures can be framed more closely.
// The radius is half of the shorter side.
static view_hull rounded_hull(md5_bounds box)
{
    const md5_vec3 middle = view_centre(box);
    const float half_x = box.max.x - middle.x;
    const float half_y = box.max.y - middle.y;
    const float radius = fminf(half_x, half_y);
    const unsigned num_angles = VIEW_HULL_POINTS / 2;
    view_hull hull;
    for (unsigned i = 0; i < num_angles; i++) {
        const float angle = 2 * VIEW_PI * ((float)i + 0.5f) / (float)num_angles;
        const float x = cosf(angle);
        const float y = sinf(angle);
        const md5_vec3 point = {middle.x + radius * x + copysignf(half_x - radius, x),
                                middle.y + radius * y + copysignf(half_y - radius, y), 0};
        hull.points[2 * i] = (md5_vec3){point.x, point.y, box.min.z};
        hull.points[2 * i + 1] = (md5_vec3){point.x, point.y, box.max.z};
    }
    return hull;
}

bool view_draw_page(const view_stage *given, double seconds, md5gl_target *target, bool transparent,
                    bool clean, md5_error *error)
{
    view_pages *const pages = given->pages;
    const view_page *const page = view_page_at((uint32_t)pages->open); // NULL: the contents
    view_document *const document = given->document;
    const view_scene *const scene = &document->scene;
    view_picture *const picture = &pages->picture;
    bool drawn = true;
    free_outdated(pages, page, scene->model, given->renderer);
    view_end_picture(picture);
    if (page != NULL && scene->model != NULL && document->drawn != NULL) {
        const view_loader loader = {given->options, given->renderer, given->log, NULL};
        if (page->has_morphs) // a failure is logged; the lesson then shows the model without them
            view_prepare_morphs(document, &loader);
        view_show_page(picture, page, scene, pages->values, page->start + seconds, &pages->kept);
    }
    for (uint32_t i = 0; i < picture->num_figures && drawn; i++)
        drawn = prepare_figure(pages, given, &picture->figures[i], error);

    // Fit the bounding box of the lesson to the space that the panel and the plots leave.
    const float left = clean ? 0 : panel_width(given);
    const float free_height =
        given->height
        - (clean ? 0 : plots_height(given) + code_height(given) + panel_height(given));
    const md5_vec3 middle = view_centre(picture->bounds);
    const view_hull hull = rounded_hull(picture->bounds);
    view_camera camera = *given->camera;
    view_stage stage = *given;
    stage.camera = &camera;
    view_frame_all(&camera, picture->bounds, &hull, given->width - left, free_height);
    camera.distance = view_fitting_distance(&camera, &hull, 0.9f, given->width - left, free_height);
    pages->lens = view_region_lens(&camera, (view_rect){left, 0, given->width - left, free_height},
                                   given->width, given->height);
    md5gl_point_light points[VIEW_NUM_POINTS];
    md5gl_frame frame = view_light_frame(&stage, &pages->lens, target, transparent, points);
    frame.casters = picture->bounds;
    frame.no_shadows = false;
    md5gl_begin_frame(stage.renderer, &frame);
    if (!transparent)
        view_draw_background(&stage, NULL);
    if (!drawn || picture->num_figures == 0)
        return drawn;
    drawn = draw_figures(pages, &stage, error);
    if (drawn && !transparent && !picture->has_no_floor)
        md5gl_draw_ground(stage.renderer, middle, 3 * camera.scene_radius);
    if (stage.shown->grid && !picture->has_no_floor)
        md5gl_draw_grid(stage.renderer, document->ground, 10, middle, 7 * camera.scene_radius);
    view_draw_lines(&picture->lines, stage.renderer, 2 * stage.font->scale, true);
    return drawn;
}

// == Text, lines of C, sliders and plots ===================================================

static const view_color code_box = 0x1B2029FFu;
static const view_color code_color = 0xD8DEE9FFu;
static const view_color comment_color = 0x8FB573FFu;

// The text column of the panel, which is written from top to bottom.
typedef struct column {
    view_canvas *canvas;
    view_ui *ui;
    float x;
    float y;
    float width;
    bool is_narrow; // the panel is at the bottom: names use a larger part of the width
    // The code is below the figures, and the plots are in this column.
    bool has_plots;
} column;

static void draw_plot(const view_plot *plot, view_canvas *canvas, view_rect box);

// Returns the number of characters of a line of code that fit into a line of `columns` characters.
// The line is broken after a comma or a semicolon in its second half, otherwise at a space or after
// an opening bracket in its second half, otherwise at the last of these in its first half. Comments
// are broken at the last space.
static size_t find_break(const char *code, size_t length, size_t columns, bool in_comment)
{
    enum { AFTER_COMMA, IN_SECOND_HALF, IN_FIRST_HALF, NUM_KINDS };
    size_t last[NUM_KINDS] = {0};
    if (length <= columns)
        return length;
    for (size_t i = 1; i <= columns; i++) {
        const bool is_after_bracket = code[i - 1] == '(' && !in_comment;
        if (code[i] != ' ' && !is_after_bracket)
            continue;
        if (2 * i < columns)
            last[IN_FIRST_HALF] = i;
        else if (strchr(",;", code[i - 1]) != NULL && !in_comment)
            last[AFTER_COMMA] = i;
        else
            last[IN_SECOND_HALF] = i;
    }
    for (int kind = 0; kind < NUM_KINDS; kind++)
        if (last[kind] > 0)
            return last[kind];
    return columns;
}

// Returns the index of the first `//` in a part of a line, or the length of the part.
static size_t find_comment(const char *text, size_t length)
{
    for (size_t i = 0; i + 1 < length; i++)
        if (text[i] == '/' && text[i + 1] == '/')
            return i;
    return length;
}

// Draws a part of a line: `num_code` characters of code, then a comment.
static void draw_code(view_canvas *canvas, float x, float y, const char *text, size_t num_code,
                      size_t length)
{
    char code[512];
    char comment[512];
    COMMON_TEXT(code, "%.*s", (int)num_code, text);
    COMMON_TEXT(comment, "%.*s", (int)(length - num_code), text + num_code);
    x += view_draw_text(canvas, VIEW_CODE, x, y, 0, code_color, code);
    view_draw_text(canvas, VIEW_CODE, x, y, 0, comment_color, comment);
}

// Writes one line of code at c->y, or measures it if `is_drawn` is false. A long line is wrapped,
// and its continuations are indented by four more columns.
static void write_code_line(column *c, const char *line, size_t length, bool is_drawn)
{
    enum { MIN_COLUMNS = 8, CONTINUATION_INDENT = 4 };
    const view_font *const font = c->canvas->font;
    const float letter = view_text_width(font, VIEW_CODE, " ");
    const float inset = code_inset * font->scale;
    const size_t first = strspn(line, " ");
    size_t indent = first; // columns
    bool in_comment = false;
    if (indent >= length) // an empty line
        c->y += font->line[VIEW_CODE];
    size_t begin = first;
    while (begin < length) {
        const char *const text = line + begin;
        const float x = (float)indent * letter;
        const float columns = fmaxf((c->width - 2 * inset - x) / letter, MIN_COLUMNS);
        in_comment = in_comment || strncmp(text, "//", 2) == 0;
        const size_t part = find_break(text, length - begin, (size_t)columns, in_comment);
        const size_t num_code = in_comment ? 0 : find_comment(text, part);
        if (is_drawn)
            draw_code(c->canvas, x + (c->x + inset), c->y, text, num_code, part);
        in_comment = in_comment || num_code < part;
        c->y += font->line[VIEW_CODE];
        if (begin == first)
            indent += CONTINUATION_INDENT;
        begin += part + strspn(text + part, " ");
    }
}

// Writes lines of C in a box. Comments have another color.
static void write_code(column *c, const char *lines)
{
    const view_font *const font = c->canvas->font;
    const float inset = code_inset * font->scale;
    const float space = 0.4f * font->line[VIEW_TEXT];
    const float top = c->y + space;
    // The first pass measures the height of the box, the second draws the text over it.
    for (int pass = 0; pass < 2; pass++) {
        const bool is_drawn = pass == 1;
        const char *line = lines;
        c->y = top + inset;
        while (*line != '\0') {
            const size_t length = strcspn(line, "\n");
            write_code_line(c, line, length, is_drawn);
            line += length;
            if (*line == '\n')
                line++;
        }
        if (!is_drawn)
            view_draw_round_rect(c->canvas, (view_rect){c->x, top, c->width, c->y + inset - top},
                                 6 * font->scale, code_box);
    }
    c->y += inset + space;
}

static void write_text(column *c, view_text_size size, view_color color, const char *text)
{
    view_draw_text(c->canvas, size, c->x, c->y, c->width, color, text);
    c->y += c->canvas->font->line[size];
}

static void write_paragraph(column *c, view_color color, const char *text)
{
    char row[VIEW_MAX_LINE];
    while (*text != '\0') {
        text = view_next_line(c->canvas->font, VIEW_TEXT, c->width, text, row);
        write_text(c, VIEW_TEXT, color, row);
    }
}

// Writes a row of text buttons that begins at `left` and wraps. Buttons of a choice (`selected` >=
// 0) have a background. `label` is the prefix of the names of the items. Returns the index of the
// pressed button, or -1.
static int write_words(column *c, float left, const char *label, const char *const *words,
                       int count, int selected)
{
    const view_font *const font = c->canvas->font;
    const float line = font->line[VIEW_TEXT];
    const float inset = 5 * font->scale;
    const float gap = 3 * font->scale;
    const bool is_choice = selected >= 0;
    float x = left;
    int pressed = -1;
    for (int i = 0; i < count; i++) {
        const float end = c->x + c->width;
        const float width = view_text_width(font, VIEW_TEXT, words[i]) + 2 * inset;
        if (x > left && x + width > end) {
            x = left;
            c->y += line;
        }
        const view_rect word = {x, c->y, fminf(width, end - x), line};
        if (is_choice)
            view_draw_round_rect(c->canvas, view_inset(word, 0.06f * line), 4 * font->scale,
                                 i == selected ? VIEW_SELECTED : VIEW_CONTROL);
        view_color color = VIEW_ACCENT;
        if (is_choice)
            color = i == selected ? VIEW_BRIGHT : VIEW_PLAIN;
        view_draw_text(c->canvas, VIEW_TEXT, x + inset, c->y, word.width - inset, color, words[i]);
        char name[96];
        COMMON_TEXT(name, "%s=%s", label, words[i]);
        if (ui_item(c->ui, word, name))
            pressed = i;
        x += width + gap;
    }
    c->y += line;
    return pressed;
}

// Writes a word, followed by links to lessons.
static void write_links(column *c, const char *word, const char *const *titles,
                        const int32_t *pages, int count)
{
    const float after = view_draw_text(c->canvas, VIEW_TEXT, c->x, c->y, 0, VIEW_DIM, word);
    const int pressed = write_words(c, c->x + after + 0.5f * c->canvas->font->line[VIEW_TEXT], word,
                                    titles, count, -1);
    if (pressed >= 0)
        UI_COMMAND(c->ui, VIEW_OPEN_PAGE, .number = (size_t)pages[pressed]);
}

// Returns the part of the width that is reserved for the names of sliders.
static float name_fraction(const column *c)
{
    return c->is_narrow ? 0.46f : 0.34f;
}

// Writes a choice: all words if they fit into one line, otherwise a drop-down list.
static void write_choice(column *c, view_pages *pages, uint32_t number)
{
    const view_slider *const slider = &pages->picture.page->sliders[number];
    const view_font *const font = c->canvas->font;
    const float fraction = name_fraction(c);
    const float left = c->x + fraction * c->width;
    const int count = (int)slider->high + 1;
    const int selected = (int)lroundf(pages->values[number]);
    float width = 0;
    for (int i = 0; i < count; i++)
        width += view_text_width(font, VIEW_TEXT, slider->words[i]) + 13 * font->scale;
    view_draw_text(c->canvas, VIEW_TEXT, c->x, c->y, (fraction - 0.02f) * c->width, VIEW_PLAIN,
                   slider->name);
    const bool fits = width <= c->x + c->width - left;
    const bool is_open = pages->unfolded == number + 1;
    int pressed = -1;
    if (!fits) {
        const char *const word[2] = {slider->words[selected],
                                     is_open ? "\xE2\x86\x91" : "\xE2\x86\x93"};
        if (write_words(c, left, slider->name, word, 2, 0) >= 0)
            pages->unfolded = is_open ? 0 : number + 1;
    }
    if (fits || is_open)
        pressed = write_words(c, fits ? left : c->x, slider->name, slider->words, count, selected);
    if (pressed < 0)
        return;
    pages->values[number] = (float)pressed;
    pages->unfolded = 0;
    c->ui->held = c->ui->item.panel;
}

// Returns the value of a fact. Rounding errors of measured values and a negative zero become 0.
static double shown_value(const view_fact *fact)
{
    const double rounding_error = fact->unit[0] != '\0' ? 1e-4 : 1e-12;
    return fabs(fact->value) < rounding_error ? 0 : fact->value;
}

// Sends the facts to the web page that contains the image, which shows them if there is no panel.
static void send_facts(const view_picture *picture)
{
    char *lines = common_copy("facts");
    for (const view_fact *fact = picture->facts; fact < picture->facts + picture->num_facts; fact++)
        common_extend(&lines, "\n%s: %.4g %s", fact->name, shown_value(fact), fact->unit);
    view_ask_page(lines);
    free(lines);
}

// Writes a line with the name of a fact and its value. Values begin at the same x, unless a value
// is too wide and its name is short enough.
static void write_fact(column *c, const char *name, const char *value)
{
    const float gap = 0.02f * c->width;
    const float value_left = c->width - view_text_width(c->canvas->font, VIEW_TEXT, value);
    const float name_right = view_text_width(c->canvas->font, VIEW_TEXT, name) + gap;
    float left = (c->is_narrow ? 0.68f : 0.62f) * c->width;
    if (value_left < left && name_right <= value_left)
        left = value_left;
    view_draw_text(c->canvas, VIEW_TEXT, c->x + left, c->y, c->width - left, VIEW_BRIGHT, value);
    view_draw_text(c->canvas, VIEW_TEXT, c->x, c->y, left - gap, VIEW_DIM, name);
    c->y += c->canvas->font->line[VIEW_TEXT];
}

static void write_column(column *c, view_pages *pages, double now)
{
    const view_page *const page = pages->picture.page;
    const float line = c->canvas->font->line[VIEW_TEXT];
    char text[64], sources[512];
    char hint[96];
    COMMON_TEXT(text, "%s  %d / %u", page->family, pages->open + 1, view_num_pages);
    COMMON_TEXT(hint, "%s   Y: next   Esc: close", text);
    const bool has_room = view_text_width(c->canvas->font, VIEW_TEXT, hint) <= c->width;
    write_text(c, VIEW_TEXT, VIEW_DIM, has_room ? hint : text);
    write_text(c, VIEW_TITLE, VIEW_BRIGHT, page->title);
    write_paragraph(c, VIEW_PLAIN, page->about);
    write_paragraph(c, VIEW_BRIGHT, page->first);
    c->y += 0.3f * line;
    for (uint32_t i = 0; i < view_num_sliders(page); i++) {
        const view_slider *const slider = &page->sliders[i];
        float *const value = &pages->values[i];
        if (slider->words != NULL && slider->words != view_whole) {
            write_choice(c, pages, i);
            continue;
        }
        c->ui->space = (view_rect){c->x, c->y, c->width, line};
        c->ui->label_width = name_fraction(c) * c->width;
        c->ui->value_width = (c->is_narrow ? 0.18f : 0.3f) * c->width;
        COMMON_TEXT(text, slider->words != NULL ? "%.0f" : "%.3g", *value);
        if (ui_slider(c->ui, slider->name, VIEW_PLAIN, text, VIEW_BRIGHT, slider->low, slider->high,
                      &slider->first, value)
            && slider->words != NULL)
            *value = roundf(*value);
        c->y += line;
    }
    c->y += 0.3f * line;
    for (uint32_t i = 0; c->has_plots && i < pages->picture.num_plots; i++) {
        const float height = 9 * line;
        draw_plot(&pages->picture.plots[i], c->canvas, (view_rect){c->x, c->y, c->width, height});
        c->y += height + 0.3f * line;
    }
    for (uint32_t i = 0; i < pages->picture.num_facts; i++) {
        const view_fact *const fact = &pages->picture.facts[i];
        COMMON_TEXT(text, fabs(fact->value) < 1000 ? "%.4g %s" : "%.0f %s", shown_value(fact),
                    fact->unit);
        write_fact(c, fact->name, text);
    }
    c->y += 0.3f * line;
    int32_t links[VIEW_PAGE_LINKS + 1];
    const char *titles[VIEW_PAGE_LINKS + 1];
    int num_links = 0;
    for (; num_links < VIEW_PAGE_LINKS && page->see[num_links] != NULL; num_links++)
        links[num_links] = view_find_page(page->see[num_links]);
    const int32_t next = (pages->open + 1) % (int32_t)view_num_pages;
    links[num_links] = next;
    for (int i = 0; i < num_links + 1; i++)
        titles[i] = view_page_at((uint32_t)links[i])->title;
    write_links(c, "Next", &titles[num_links], &next, 1);
    write_links(c, "See also", titles, links, num_links);
    char *const lines = view_page_lines(page, pages->values);
    static const char *const copy[1] = {"Copy code"};
    if (write_words(c, c->x, "copy", copy, 1, 0) == 0)
        ui_copy(c->ui, now, lines, "code of this lesson");
    if (!c->has_plots)
        write_code(c, lines);
    free(lines);
    if (page->sources[0] != '\0') {
        COMMON_TEXT(sources, "Sources (see test/techniques.md): %s.", page->sources);
        write_paragraph(c, VIEW_DIM, sources);
    }
}

static void run_page(view_ui *ui, const view_stage *stage)
{
    view_pages *const pages = stage->pages;
    const float scale = stage->font->scale;
    const float margin = VIEW_MARGIN * scale;
    const float padding = VIEW_PADDING * scale;
    ui_column rows;
    const float low = panel_height(stage);
    const float top = low > 0 ? stage->height - low : margin;
    pages->panel =
        (view_rect){margin, top, (low > 0 ? stage->width : panel_width(stage)) - 1.5f * margin,
                    stage->height - top - margin};
    ui_box(ui, "page-slider", pages->panel, "");
    view_rect area = view_inset(pages->panel, padding);
    area.width += padding; // for the scroll bar
    ui_begin_column(ui, &rows, area, &pages->scroll);
    const float code = code_height(stage);
    column c = {ui->canvas, ui, area.x, rows.y, area.width - padding, low > 0, code > 0};
    write_column(&c, pages, stage->now);
    rows.y = c.y;
    ui_end_column(ui);
    if (code == 0)
        return;
    const float left = panel_width(stage);
    const view_rect box = {left, stage->height - code, stage->width - left - margin, code - margin};
    ui_box(ui, "page-code", box, "");
    ui_begin_column(ui, &rows, box, &pages->code_scroll);
    c = (column){ui->canvas, ui, box.x, rows.y, box.width, false, false};
    char *const lines = view_page_lines(pages->picture.page, pages->values);
    write_code(&c, lines);
    free(lines);
    rows.y = c.y;
    ui_end_column(ui);
}

// -- Plots and labels -----------------------------------------------------------------------

static md5_vec2 on_screen(const view_plot *plot, view_rect area, md5_vec2 point)
{
    const md5_vec2 low = plot->row.low;
    const md5_vec2 high = plot->row.high;
    return (md5_vec2){area.x + view_clamp((point.x - low.x) / (high.x - low.x), 0, 1) * area.width,
                      area.y + area.height
                          - view_clamp((point.y - low.y) / (high.y - low.y), 0, 1) * area.height};
}

static void draw_series(const view_plot *plot, view_canvas *canvas, view_rect area, float width)
{
    for (int i = 0; i < VIEW_PAGE_SERIES && plot->row.series[i].name != NULL; i++) {
        const view_series *const series = &plot->series[i];
        for (uint32_t p = 1; p < series->count; p++) {
            const md5_vec2 from = on_screen(plot, area, series->points[p - 1]);
            const md5_vec2 to = on_screen(plot, area, series->points[p]);
            const md5_vec2 row = {.y = floorf(series->points[p - 1].y)};
            const float high = on_screen(plot, area, row).y - from.y;
            if (plot->row.fit == VIEW_FIT_BARS)
                view_draw_rect(canvas, (view_rect){from.x, from.y, to.x - from.x, high},
                               (plot->row.series[i].color & ~0xFFu) | 0x50u);
            view_draw_segment(canvas, (const float[4]){from.x, from.y, to.x, to.y}, width,
                              plot->row.series[i].color);
        }
    }
}

// Writes a number; the fraction `shift` of its width is at the left of x.
static void draw_number(view_canvas *canvas, float x, float y, float shift, float value)
{
    char text[32];
    COMMON_TEXT(text, "%.3g", value);
    x -= shift * view_text_width(canvas->font, VIEW_TEXT, text);
    view_draw_text(canvas, VIEW_TEXT, x, y, 0, VIEW_DIM, text);
}

static void draw_plot(const view_plot *plot, view_canvas *canvas, view_rect box)
{
    const float scale = canvas->font->scale;
    const float line = canvas->font->line[VIEW_TEXT];
    const float padding = 10 * scale;
    const float left = 44 * scale;
    const md5_vec2 low = plot->row.low;
    const md5_vec2 high = plot->row.high;
    const view_rect area = {box.x + padding + left, box.y + padding + 2.3f * line,
                            box.width - 2 * padding - left, box.height - 2 * padding - 3.5f * line};
    const float right = area.x + area.width;
    const float bottom = area.y + area.height;
    view_draw_round_rect(canvas, box, VIEW_RADIUS * scale, VIEW_BOX);
    view_draw_text(canvas, VIEW_TEXT, box.x + padding, box.y + padding, box.width - 2 * padding,
                   VIEW_BRIGHT, plot->row.title);
    const float zero = on_screen(plot, area, (md5_vec2){low.x, 0}).y;
    view_draw_rect(canvas, (view_rect){area.x, area.y, scale, area.height}, VIEW_EDGE);
    view_draw_rect(canvas, (view_rect){area.x, bottom, area.width, scale}, VIEW_EDGE);
    view_draw_rect(canvas, (view_rect){area.x, zero, area.width, scale}, VIEW_EDGE);
    if (plot->row.fit != VIEW_FIT_BARS) {
        draw_number(canvas, area.x - 6 * scale, area.y - 0.3f * line, 1, high.y);
        draw_number(canvas, area.x - 6 * scale, bottom - 0.7f * line, 1, low.y);
    }
    draw_number(canvas, area.x, bottom + 2 * scale, 0, low.x);
    draw_number(canvas, right, bottom + 2 * scale, 1, high.x);
    const float across = view_text_width(canvas->font, VIEW_TEXT, plot->row.across);
    view_draw_text(canvas, VIEW_TEXT, area.x + 0.5f * (area.width - across), bottom + 2 * scale, 0,
                   VIEW_DIM, plot->row.across);
    draw_series(plot, canvas, area, 2 * scale);
    float x = box.x + padding; // legend: the names of the series, in one line
    for (int i = 0; i < VIEW_PAGE_SERIES && plot->row.series[i].name != NULL && x < right; i++) {
        const view_color color = plot->row.series[i].color;
        const float y = box.y + padding + line;
        view_draw_disc(canvas, x + 4 * scale, y + 0.5f * line, 4 * scale, color | 0xFFu);
        x += 12 * scale;
        x += view_draw_text(canvas, VIEW_TEXT, x, y, fmaxf(right - x, 1), VIEW_PLAIN,
                            plot->row.series[i].name)
             + 12 * scale;
    }
    for (uint32_t i = 0; i < plot->num_marks; i++) {
        const md5_vec2 position = on_screen(plot, area, plot->marks[i].point);
        view_draw_disc(canvas, position.x, position.y, 5 * scale, plot->marks[i].color);
    }
}

// == Contents ===============================================================================
//
// The thumbnails of all lessons, which are drawn once, in one texture.

enum { THUMBNAIL_WIDTH = 208, THUMBNAIL_HEIGHT = 124, THUMBNAIL_COLUMNS = 8 };

// Draws the figures of a lesson at its start time, and the curves of its first plot over them, into
// rgba.
static bool draw_thumbnail(const view_stage *given, view_document *document, int32_t number,
                           md5gl_target *target, uint8_t *rgba)
{
    view_pages pages = {.open = -1};
    view_shown shown = *given->shown;
    const view_camera camera = VIEW_DEFAULT_CAMERA;
    view_stage stage = *given;
    md5_error error = {0};
    shown.shadows = shown.grid = false; // shadows are slow without a GPU, the grid is too fine
    stage.shown = &shown;
    stage.document = document;
    stage.camera = &camera;
    stage.pages = &pages;
    stage.width = THUMBNAIL_WIDTH;
    stage.height = THUMBNAIL_HEIGHT;
    view_open_page(&pages, number);
    bool is_drawn = view_draw_page(&stage, 0, target, false, true, &error);
    view_clear_canvas(stage.canvas);
    if (pages.picture.num_plots > 0)
        draw_series(pages.picture.plots, stage.canvas,
                    (view_rect){4, 0.5f * (float)THUMBNAIL_HEIGHT, (float)THUMBNAIL_WIDTH - 8,
                                0.5f * (float)THUMBNAIL_HEIGHT - 4},
                    1.5f);
    view_draw_canvas(&stage);
    is_drawn = md5gl_end_frame(stage.renderer, &error) && is_drawn
               && md5gl_read_pixels(stage.renderer, target, THUMBNAIL_WIDTH, THUMBNAIL_HEIGHT, rgba,
                                    &error);
    view_free_pages(&pages, stage.renderer);
    return is_drawn;
}

static view_document *load_character(const view_stage *stage, const char *models, const char *name)
{
    const view_loader loader = {stage->options, stage->renderer, stage->log, NULL};
    char *const path = common_join(models, name);
    const char *const names[1] = {path};
    view_document *const document = // in a browser the file may be loaded later
        common_is_file(path)
            ? view_load_document(&loader, names, 1, true, false, (view_manner){.dual = false})
            : NULL;
    free(path);
    if (document != NULL)
        view_measure_document(document, NULL);
    return document;
}

bool view_lacks_thumbnails(const view_pages *pages)
{
    return pages->open == VIEW_CONTENTS && pages->folder != NULL
           && pages->num_thumbnails < view_num_pages;
}

void view_prepare_thumbnails(const view_stage *stage)
{
    view_pages *const pages = stage->pages;
    const uint32_t count = view_num_pages;
    const uint32_t rows = (count + THUMBNAIL_COLUMNS - 1) / THUMBNAIL_COLUMNS;
    const size_t row = 4 * (size_t)THUMBNAIL_WIDTH;
    const size_t whole = row * THUMBNAIL_COLUMNS;
    md5_error error = {0};
    if (!view_lacks_thumbnails(pages))
        return;
    if (pages->atlas == NULL) {
        pages->atlas = common_alloc(whole * rows, THUMBNAIL_HEIGHT);
        pages->usual = load_character(stage, pages->folder, VIEW_USUAL_MODEL);
    }
    md5gl_target *const target =
        md5gl_create_target(stage->renderer, THUMBNAIL_WIDTH, THUMBNAIL_HEIGHT, 4, &error);
    uint8_t *const rgba = common_alloc(row, THUMBNAIL_HEIGHT);
    do {
        const uint32_t i = pages->num_thumbnails++;
        const char *const model = view_page_at(i)->model;
        view_document *const own =
            model != NULL ? load_character(stage, pages->folder, model) : NULL;
        view_document *const document = model != NULL ? own : pages->usual;
        if (target != NULL && document != NULL
            && draw_thumbnail(stage, document, (int32_t)i, target, rgba)) {
            uint8_t *const corner = pages->atlas + i / THUMBNAIL_COLUMNS * THUMBNAIL_HEIGHT * whole
                                    + i % THUMBNAIL_COLUMNS * row;
            for (size_t y = 0; y < THUMBNAIL_HEIGHT; y++)
                memcpy(corner + y * whole, rgba + y * row, row);
        }
        view_free_document(own, stage->renderer);
    } while (stage->options->output != NULL && view_lacks_thumbnails(pages));
    md5gl_destroy_texture(stage->renderer, pages->thumbnails);
    pages->thumbnails =
        md5gl_create_texture(stage->renderer,
                             &(md5gl_texture_desc){.kind = MD5GL_TEXTURE_COLOR,
                                                   .width = THUMBNAIL_WIDTH * THUMBNAIL_COLUMNS,
                                                   .height = THUMBNAIL_HEIGHT * rows,
                                                   .texels = pages->atlas},
                             &error);
    free(rgba);
    md5gl_destroy_target(stage->renderer, target);
    if (pages->num_thumbnails < count)
        return;
    view_free_document(pages->usual, stage->renderer); // only the texture is still needed
    free(pages->atlas);
    pages->usual = NULL;
    pages->atlas = NULL;
}

void view_free_thumbnails(view_pages *pages, md5gl_renderer *renderer)
{
    if (renderer != NULL)
        md5gl_destroy_texture(renderer, pages->thumbnails);
    view_free_document(pages->usual, renderer);
    free(pages->atlas);
    free(pages->folder);
}

// Draws the title of a lesson below its thumbnail, in one or two rows.
static void draw_lesson_title(view_canvas *canvas, float x, float y, float width, const char *title)
{
    char row[VIEW_MAX_LINE];
    for (int i = 0; i < 2 && *title != '\0'; i++) {
        title = view_next_line(canvas->font, VIEW_TEXT, i == 0 ? width : INFINITY, title, row);
        view_draw_text(canvas, VIEW_TEXT, x, y, width, VIEW_BRIGHT, row);
        y += canvas->font->line[VIEW_TEXT];
    }
}

// Returns the number of lessons of a chapter from lesson `number` to the end of its row of tiles.
static uint32_t count_chapter_tiles(uint32_t number, uint32_t per_row)
{
    const char *const family = view_page_at(number)->family;
    uint32_t end = number + 1;
    while (end < view_num_pages && end % per_row != 0
           && strcmp(view_page_at(end)->family, family) == 0)
        end++;
    return end - number;
}

// Draws the name of a chapter above its tiles, below a line that separates it from the titles of
// the row above.
static void draw_chapter_name(view_canvas *canvas, view_rect tiles, const char *name)
{
    const float line = canvas->font->line[VIEW_TEXT];
    const view_rect rule = {tiles.x, tiles.y + 0.5f * line, tiles.width, canvas->font->scale};
    view_draw_rect(canvas, rule, VIEW_EDGE);
    view_draw_text(canvas, VIEW_TEXT, tiles.x, tiles.y + 0.75f * line, tiles.width, VIEW_AMBER,
                   name);
}

// Draws the thumbnail of a lesson from the texture of all thumbnails.
static void draw_lesson_thumbnail(view_canvas *canvas, const view_pages *pages, view_rect box,
                                  uint32_t number)
{
    const uint32_t num_rows = (view_num_pages + THUMBNAIL_COLUMNS - 1) / THUMBNAIL_COLUMNS;
    const uint32_t row = number / THUMBNAIL_COLUMNS;
    const float u = 1.0f / (float)THUMBNAIL_COLUMNS;
    const float v = 1.0f / (float)num_rows;
    const float left = u * (float)(number % THUMBNAIL_COLUMNS);
    const float top = v * (float)row;
    if (pages->thumbnails != 0)
        view_draw_image(canvas, box, (const float[4]){left, top, left + u, top + v},
                        pages->thumbnails, true);
}

// Runs the tiles of all lessons in a column: the name of the chapter over its first tile, a
// thumbnail, the title.
static void run_lesson_tiles(view_ui *ui, view_pages *pages, view_rect area)
{
    view_canvas *const canvas = ui->canvas;
    const float scale = canvas->font->scale;
    const float line = canvas->font->line[VIEW_TEXT];
    const float gap = 8 * scale;
    const float columns = fmaxf(floorf((area.width + gap) / (140 * scale + gap)), 1);
    const float width = (area.width + gap) / columns - gap;
    const float image_height = width * (float)THUMBNAIL_HEIGHT / (float)THUMBNAIL_WIDTH;
    const float head = 1.9f * line; // of the name of a chapter
    const uint32_t per_row = (uint32_t)columns;
    const char *family = "";
    ui_column rows;
    view_rect row;
    bool is_visible = false;
    area.width += VIEW_PADDING * scale; // for the scroll bar
    ui_begin_column(ui, &rows, area, &pages->scroll);
    for (uint32_t i = 0; i < view_num_pages; i++) {
        const view_page *const page = view_page_at(i);
        if (i % per_row == 0)
            is_visible = ui_reserve_row(ui, head + image_height + 2 * line, &row);
        const float x = row.x + (float)(i % per_row) * (width + gap);
        const view_rect tile = {x, row.y, width, row.height};
        const view_rect image = {x, row.y + head, width, image_height};
        const bool is_first = strcmp(page->family, family) != 0;
        family = page->family;
        if (ui_item(ui, tile, page->title))
            UI_COMMAND(ui, VIEW_OPEN_PAGE, .number = i);
        if (!is_visible)
            continue;
        if (is_first) {
            const float count = (float)count_chapter_tiles(i, per_row);
            const view_rect tiles = {x, row.y, count * (width + gap) - gap, row.height};
            draw_chapter_name(canvas, tiles, family);
        }
        draw_lesson_thumbnail(canvas, pages, image, i);
        draw_lesson_title(canvas, x, image.y + image.height, width, page->title);
    }
    ui_end_column(ui);
}

// Draws the contents as a grid of tiles below the menu bar, with a button that closes them.
static void run_contents(view_ui *ui, const view_stage *stage)
{
    const view_font *const font = stage->font;
    const float margin = VIEW_MARGIN * font->scale;
    const float padding = VIEW_PADDING * font->scale;
    const float head = 1.4f * font->line[VIEW_TITLE];
    const float top = view_current_layout(stage).menu.height;
    const view_rect box =
        view_inset((view_rect){0, top, stage->width, stage->height - top}, margin);
    view_rect area = view_inset(box, padding);
    const view_rect title = view_cut(&area, VIEW_AT_TOP, head);
    const view_rect close = {title.x + title.width - head, title.y, head, font->line[VIEW_TITLE]};
    ui_box(ui, "contents", box, "");
    view_draw_text(ui->canvas, VIEW_TITLE, title.x, title.y, 0, VIEW_BRIGHT, "Lessons");
    if (ui_sign(ui, close, "close", "\xE2\x9C\x95"))
        ui->command.action = VIEW_CLOSE_LISTS;
    ui_tip(ui, "Close  Esc");
    run_lesson_tiles(ui, stage->pages, area);
}

void view_page_panel(view_ui *ui, const view_stage *stage)
{
    const view_picture *const picture = &stage->pages->picture;
    const float margin = VIEW_MARGIN * stage->font->scale;
    const float left = panel_width(stage);
    const float plots = plots_height(stage);
    if (stage->pages->open == VIEW_CONTENTS)
        run_contents(ui, stage);
    // The lesson may have changed since view_draw_page(); its picture would not match.
    if (picture->page == NULL || picture->page != view_page_at((uint32_t)stage->pages->open))
        return;
    md5_mat44 look, clip;
    view_lens_matrices(&stage->pages->lens, &look, &clip);
    for (uint32_t i = 0; i < picture->num_labels; i++) {
        const view_label *const label = &picture->labels[i];
        const float scale = stage->font->scale;
        md5_vec3 at;
        if (!md5_mat44_project(md5_mat44_mul(clip, look),
                               (md5_viewport){.width = stage->width, .height = stage->height},
                               label->place, &at))
            continue;
        const float text = view_text_width(stage->font, VIEW_TEXT, label->text) + 12 * scale;
        const view_rect box = {at.x - 0.5f * text, at.y - 11 * scale, text, 22 * scale};
        view_draw_round_rect(stage->canvas, box, 6 * scale, 0x12151AC0u);
        view_draw_text(stage->canvas, VIEW_TEXT, box.x + 6 * scale, box.y + 2 * scale, 0,
                       label->color, label->text);
    }
    if (has_text(stage))
        run_page(ui, stage);
    else
        send_facts(picture);
    for (uint32_t i = 0; plots > 0 && i < picture->num_plots; i++) {
        const float width = (stage->width - left) / (float)picture->num_plots;
        draw_plot(&picture->plots[i], stage->canvas,
                  (view_rect){left + (float)i * width, stage->height - plots - panel_height(stage),
                              width - margin, plots - margin});
    }
}
