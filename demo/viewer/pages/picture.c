#include "demo/viewer/pages/picture.h"

#include "demo/common/memory.h"
#include "demo/viewer/base/math.h"
#include "demo/viewer/base/panel.h"
#include "demo/viewer/draw/draw.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// == All pages =============================================================================

static const view_page *const table[] = {
    // clang-format off: a family a line
    &view_page_easing,  &view_page_timing,    &view_page_follow,     &view_page_interpolation,
    &view_page_slerp,   &view_page_euler,     &view_page_curves,     &view_page_squad,
    &view_page_ik,      &view_page_limits,    &view_page_goals,      &view_page_walk,
    &view_page_gaze,    &view_page_crossfade, &view_page_inertial,   &view_page_additive,
    &view_page_masks,   &view_page_sync,      &view_page_machine,    &view_page_quaternion_w,
    &view_page_palette, &view_page_dual,      &view_page_influences, &view_page_bind,
    &view_page_morph,   &view_page_bake,      &view_page_impostor,
    // clang-format on
};
enum { NUM_PAGES = sizeof table / sizeof table[0] };

uint32_t view_num_pages(void)
{
    return NUM_PAGES;
}

const view_page *view_page_at(uint32_t number)
{
    return table[number < NUM_PAGES ? number : NUM_PAGES - 1];
}

int32_t view_find_page(const char *name)
{
    for (uint32_t i = 0; i < NUM_PAGES; i++)
        if (strcmp(table[i]->name, name) == 0)
            return (int32_t)i;
    return -1;
}

const char *view_page_lines(const char *name)
{
    for (const view_lines_of *lines = view_lines_of_pages; lines->name != NULL; lines++)
        if (strcmp(lines->name, name) == 0)
            return lines->text;
    return "";
}

// == The character on the GPU ==============================================================

// -- Creating -------------------------------------------------------------------------------

// Frees everything, outside of a frame.
static void free_page_figures(view_figures *figures, md5gl_renderer *renderer)
{
    if (renderer != NULL) {
        for (int i = 0; i < (int)VIEW_NUM_FIGURE_KINDS; i++)
            md5gl_destroy_model(renderer, figures->models[i]);
        md5gl_destroy_baked(renderer, figures->baked);
        md5gl_destroy_impostors(renderer, figures->impostors);
        view_free_heat(&figures->heat, renderer);
    }
    *figures = (view_figures){.baked = NULL};
}

static bool ready_model(view_figures *figures, md5gl_renderer *renderer,
                        const view_picture *picture, view_figure_kind kind, md5_error *error)
{
    md5gl_model **const drawn = &figures->models[kind];
    const md5_model *const model =
        kind == VIEW_FIGURE_BOUND ? picture->kept->bound : picture->scene->model;
    if (*drawn != NULL)
        return true;
    *drawn = md5gl_create_model(renderer, model, MD5GL_PATH_AUTO, error);
    if (*drawn == NULL)
        return false;
    if (kind == VIEW_FIGURE_DUAL)
        return md5gl_set_blending(renderer, *drawn, MD5GL_BLEND_DUAL, error);
    if (kind != VIEW_FIGURE_BAKED)
        return true;
    const md5_baked *const clip = picture->kept->baked;
    figures->baked = md5gl_create_baked(renderer, model, &clip, 1, error);
    return figures->baked != NULL;
}

static bool ready_heat(view_figures *figures, md5gl_renderer *renderer, const view_picture *picture,
                       md5_error *error)
{
    const float *const values = picture->kept != NULL ? picture->kept->heat : NULL;
    if (figures->heat.drawn != NULL && figures->heat_joint == picture->heat_joint
        && figures->heat_values == values)
        return true;
    view_free_heat(&figures->heat, renderer);
    figures->heat_joint = picture->heat_joint;
    figures->heat_values = values;
    return view_make_heat(&figures->heat, renderer, picture->scene->model, values,
                          picture->heat_joint, error);
}

static void write_palette(const view_picture *picture, const view_figure *figure,
                          md5_mat34 *palette)
{
    md5_mat34 *const joints = common_alloc(picture->scene->num_joints, sizeof *joints);
    md5_local_to_palette(picture->scene->model, figure->pose, joints, palette);
    free(joints);
}

// Draws the pictures of a figure's pose, unless they are there.
static bool ready_impostor(view_figures *figures, const view_stage *stage,
                           const view_picture *picture, const view_figure *figure, md5_error *error)
{
    const view_impostor_look *const look = &picture->impostor;
    md5gl_model *const drawn = stage->document->drawn;
    if (figures->impostors == NULL || memcmp(&figures->look, look, sizeof *look) != 0) {
        md5gl_destroy_impostors(stage->renderer, figures->impostors);
        const md5gl_impostor_desc desc = {.num_frames = look->num_frames,
                                          .center = look->centre,
                                          .radius = look->radius,
                                          .num_around = look->num_around,
                                          .texels = look->texels};
        figures->impostors = md5gl_create_impostors(stage->renderer, &desc, error);
        figures->look = *look;
    }
    if (figures->impostors == NULL)
        return false;
    if (drawn == NULL || md5gl_has_impostor_pictures(figures->impostors, figure->moment.frame0))
        return true;
    md5_mat34 *const palette = common_alloc(picture->scene->num_joints, sizeof *palette);
    write_palette(picture, figure, palette);
    view_set_materials(stage, &stage->document->textures, drawn);
    const bool drew = md5gl_draw_impostor_pictures(stage->renderer, figures->impostors, drawn,
                                                   figure->moment.frame0, palette, error);
    free(palette);
    return drew;
}

// Creates what the figures of a picture need, before the frame begins. Returns false and fills
// `error` on failure.
static bool ready_page_figures(view_figures *figures, const view_stage *stage,
                               const view_picture *picture, md5_error *error)
{
    if (figures->made_of != picture->scene->model)
        free_page_figures(figures, stage->renderer);
    figures->made_of = picture->scene->model;
    for (uint32_t i = 0; i < picture->num_figures; i++) {
        const view_figure *const figure = &picture->figures[i];
        const view_figure_kind kind = figure->kind;
        bool ready = true;
        if (kind == VIEW_FIGURE_HEAT)
            ready = ready_heat(figures, stage->renderer, picture, error);
        else if (kind == VIEW_FIGURE_IMPOSTOR)
            ready = ready_impostor(figures, stage, picture, figure, error);
        else if (kind != VIEW_FIGURE_LIT)
            ready = ready_model(figures, stage->renderer, picture, kind, error);
        if (!ready)
            return false;
    }
    return true;
}

// -- Posing ---------------------------------------------------------------------------------

// The figures of one kind, as the renderer takes them.
typedef struct figure_set {
    uint32_t count;
    md5_mat34 *palettes; // [count * joints]
    md5_mat34 placements[VIEW_PAGE_FIGURES];
    md5_vec4 tints[VIEW_PAGE_FIGURES];
    md5gl_clip_job jobs[VIEW_PAGE_FIGURES];
    md5gl_impostor impostors[VIEW_PAGE_FIGURES];
    float weights[VIEW_PAGE_FIGURES * VIEW_PAGE_TARGETS]; // [count * targets]
} figure_set;

static uint32_t num_targets(const view_picture *picture)
{
    const md5_morph *const morph = picture->scene->morph;
    return morph != NULL && morph->num_targets <= VIEW_PAGE_TARGETS ? morph->num_targets : 0;
}

static void collect(const view_picture *picture, view_figure_kind kind, figure_set *set)
{
    const size_t joints = picture->scene->num_joints;
    const uint32_t targets = num_targets(picture);
    for (uint32_t i = 0; i < picture->num_figures; i++) {
        const view_figure *const figure = &picture->figures[i];
        const uint32_t at = set->count;
        if (figure->kind != kind)
            continue;
        write_palette(picture, figure, set->palettes + at * joints);
        for (uint32_t t = 0; t < targets; t++)
            set->weights[at * targets + t] = figure->is_morphed ? figure->morph_weights[t] : 0.0f;
        set->placements[at] = md5_mat34_from_xform(figure->place);
        set->tints[at] = figure->tint;
        set->jobs[at] = (md5gl_clip_job){.clip = 0, .moment = figure->moment};
        set->impostors[at] = (md5gl_impostor){.rotation = figure->place.rotation,
                                              .translation = figure->place.translation,
                                              .scale = 1.0f,
                                              .frame = (float)figure->moment.frame0,
                                              .shown = 1.0f};
        set->count++;
    }
}

static bool pose_set(const view_figures *figures, const view_stage *stage,
                     const view_picture *picture, view_figure_kind kind, md5gl_model *drawn,
                     const figure_set *set, md5_error *error)
{
    md5gl_renderer *const renderer = stage->renderer;
    const view_morphs *const morphs = &stage->document->morphs;
    if (kind == VIEW_FIGURE_IMPOSTOR)
        return md5gl_pose_impostors(renderer, figures->impostors, set->impostors, set->count,
                                    error);
    const bool is_baked = kind == VIEW_FIGURE_BAKED;
    const bool is_morphed = kind == VIEW_FIGURE_LIT && num_targets(picture) > 0;
    const md5gl_instances instances = {.count = set->count,
                                       .palettes = is_baked ? NULL : set->palettes,
                                       .baked = is_baked ? figures->baked : NULL,
                                       .jobs = set->jobs,
                                       .placements = set->placements,
                                       .tints = set->tints,
                                       .morph = is_morphed ? morphs->drawn : NULL,
                                       .weights = set->weights};
    return md5gl_pose(renderer, drawn, &instances, error);
}

// -- Drawing --------------------------------------------------------------------------------

static md5gl_model *model_of(const view_figures *figures, const view_stage *stage,
                             view_figure_kind kind)
{
    return kind == VIEW_FIGURE_LIT    ? stage->document->drawn
           : kind == VIEW_FIGURE_HEAT ? figures->heat.drawn
                                      : figures->models[kind];
}

// Shadows come before anything lit.
static void draw_set(const view_figures *figures, const view_stage *stage, view_figure_kind kind,
                     bool shadows)
{
    md5gl_model *const drawn = model_of(figures, stage, kind);
    if (kind == VIEW_FIGURE_IMPOSTOR && shadows)
        md5gl_draw_impostor_shadows(stage->renderer, figures->impostors);
    else if (kind == VIEW_FIGURE_IMPOSTOR)
        md5gl_draw_impostors(stage->renderer, figures->impostors, MD5GL_LIT);
    else if (shadows)
        md5gl_draw_shadows(stage->renderer, drawn);
    else
        md5gl_draw_model(stage->renderer, drawn, MD5GL_LIT);
}

// Draws all figures and their shadows, in a frame.
static bool draw_page_figures(view_figures *figures, const view_stage *stage,
                              const view_picture *picture, md5_error *error)
{
    const size_t joints = picture->scene->num_joints;
    figure_set *const set = common_alloc(1, sizeof *set);
    md5_mat34 *const palettes = common_alloc(VIEW_PAGE_FIGURES * joints + 1, sizeof *palettes);
    bool posed = true, is_shown[VIEW_NUM_FIGURE_KINDS] = {false};
    for (int i = 0; i < (int)VIEW_NUM_FIGURE_KINDS && posed && stage->document->drawn; i++) {
        const view_figure_kind kind = (view_figure_kind)i;
        md5gl_model *const drawn = model_of(figures, stage, kind);
        *set = (figure_set){.palettes = palettes};
        collect(picture, kind, set);
        is_shown[i] = set->count > 0;
        if (set->count == 0)
            continue;
        if (drawn != NULL && kind != VIEW_FIGURE_HEAT)
            view_set_materials(stage, &stage->document->textures, drawn);
        posed = pose_set(figures, stage, picture, kind, drawn, set, error);
    }
    for (int pass = 0; pass < 2 && posed; pass++)
        for (int i = 0; i < (int)VIEW_NUM_FIGURE_KINDS; i++)
            if (is_shown[i])
                draw_set(figures, stage, (view_figure_kind)i, pass == 0);
    free(palettes);
    free(set);
    return posed;
}

// == Text, lines of C, sliders and plots ===================================================

static const view_color code_box = 0x1B2029FFu, code_color = 0xD8DEE9FFu,
                        comment_color = 0x8FB573FFu, axis_color = 0x4A5361FFu;

// The width of the panel at the left with its margins, and the height of the plots at the bottom,
// in pixels.
static float panel_width(const view_font *font, float width)
{
    return fminf(0.46f * width, 520.0f * font->scale);
}

// -- Panel ----------------------------------------------------------------------------------

// What is written so far: from the top downward.
typedef struct column {
    view_canvas *canvas;
    float x, y, width;
} column;

static float line_height(const column *c)
{
    return c->canvas->font->line[VIEW_TEXT];
}

static void write_wrapped(column *c, view_color color, const char *text)
{
    view_rows rows = {.font = c->canvas->font, .width = c->width};
    view_add_wrapped(&rows, color, text, 6);
    for (uint32_t i = 0; i < rows.count; i++) {
        view_draw_text(c->canvas, VIEW_TEXT, c->x, c->y, c->width, color, rows.rows[i].text);
        c->y += line_height(c);
    }
}

// Where a line of code is broken that is longer than `columns`: rather not deep in brackets, nor
// within an argument, nor in the first two fifths of a row.
static size_t find_break(const char *code, size_t length, size_t columns, bool in_comment)
{
    size_t best = 0;
    int depth = 0, least = INT_MAX;
    bool in_text = false;
    if (length <= columns)
        return length;
    for (size_t i = 0; i <= columns; i++) {
        in_comment = in_comment || (!in_text && code[i] == '/' && code[i + 1] == '/');
        in_text = in_text != (code[i] == '"');
        depth += strchr("([{", code[i]) != NULL ? 1 : strchr(")]}", code[i]) != NULL ? -1 : 0;
        if (code[i] != ' ' || (in_text && !in_comment))
            continue;
        const bool ends = i > 0 && strchr(",;", code[i - 1]) != NULL;
        const int early = 5 * i < columns && !ends ? 8 : 5 * i < 2 * columns ? 2 : 0;
        const int cost = in_comment ? INT_MIN : 4 * depth + (ends ? 0 : 3) + early;
        if (cost <= least) {
            best = i;
            least = cost;
        }
    }
    return best > 0 ? best : length;
}

// Writes a part of a line; what follows `//` has the colour of comments.
static void write_piece(const column *c, float x, const char *code, size_t length, bool *in_comment)
{
    char text[512];
    (void)snprintf(text, sizeof text, "%.*s", (int)length, code);
    char *const comment = *in_comment ? text : strstr(text, "//");
    char note[512] = "";
    if (comment != NULL) {
        (void)snprintf(note, sizeof note, "%s", comment);
        *comment = '\0';
        *in_comment = true;
    }
    x += view_draw_text(c->canvas, VIEW_CODE, x, c->y, 0.0f, code_color, text);
    view_draw_text(c->canvas, VIEW_CODE, x, c->y, 0.0f, comment_color, note);
}

// Writes one line of C, in as many rows as it needs; further rows are indented.
static void write_code_line(column *c, float inset, const char *line, size_t length)
{
    const view_font *const font = c->canvas->font;
    const float letter = view_text_width(font, VIEW_CODE, " "), row = font->line[VIEW_CODE];
    size_t indent = strspn(line, " "), at = indent;
    bool in_comment = false;
    if (at >= length)
        c->y += 0.5f * row;
    while (at < length) {
        const float x = (float)indent * letter;
        const size_t columns = (size_t)((c->width - 2.0f * inset - x) / letter);
        const size_t part = find_break(line + at, length - at, columns, in_comment);
        write_piece(c, c->x + inset + x, line + at, part, &in_comment);
        c->y += row;
        indent += at == indent ? 4 : 0;
        at += part + strspn(line + at + part, " ");
    }
}

// Writes a line with those that continue it, which are indented farther than a block is. Returns
// what follows.
static const char *join_lines(const char *line, char *joined, size_t size)
{
    const size_t indent = strspn(line, " ");
    size_t length = strcspn(line, "\n");
    (void)snprintf(joined, size, "%.*s", (int)length, line);
    line += length + (line[length] == '\n' ? 1 : 0);
    for (;;) {
        const size_t next = strspn(line, " ");
        const size_t used = strlen(joined);
        if (next <= indent + 4 || line[next] == '\n' || strstr(joined, "//") != NULL)
            return line;
        length = strcspn(line, "\n");
        const bool is_open = used > 0 && (joined[used - 1] == '(' || joined[used - 1] == '{');
        (void)snprintf(joined + used, size - used, "%s%.*s", is_open ? "" : " ",
                       (int)(length - next), line + next);
        line += length + (line[length] == '\n' ? 1 : 0);
    }
}

// The box lies below the text: it is drawn first, when its height is known.
static void write_code(column *c, const char *lines)
{
    if (lines[0] == '\0')
        return;
    const float scale = c->canvas->font->scale, inset = 8.0f * scale;
    const float top = c->y + 0.4f * line_height(c);
    for (int pass = 0; pass < 2; pass++) {
        const uint32_t before = c->canvas->count;
        if (pass == 1)
            view_draw_round_rect(c->canvas, (view_rect){c->x, top, c->width, c->y - top},
                                 6.0f * scale, code_box);
        c->y = top + inset;
        for (const char *line = lines; *line != '\0';) {
            char joined[512];
            line = join_lines(line, joined, sizeof joined);
            write_code_line(c, inset, joined, strlen(joined));
        }
        c->y += inset;
        if (pass == 0)
            c->canvas->count = before;
    }
    c->y += 0.4f * line_height(c);
}

static void write_slider(column *c, const view_slider *slider, float value, view_rect *rect)
{
    const float scale = c->canvas->font->scale, line = 1.15f * line_height(c);
    const float label = 0.34f * c->width, number = 0.3f * c->width;
    char text[64];
    if (slider->word != NULL)
        (void)snprintf(text, sizeof text, "%s", slider->word(roundf(value)));
    else
        (void)snprintf(text, sizeof text, slider->whole ? "%.0f" : "%.3g", (double)value);
    view_draw_text(c->canvas, VIEW_TEXT, c->x, c->y, label - 8.0f * scale, VIEW_PLAIN,
                   slider->name);
    *rect = (view_rect){c->x + label, c->y, c->width - label - number, line_height(c)};
    view_draw_slider(c->canvas, *rect, (value - slider->low) / (slider->high - slider->low));
    view_draw_text(c->canvas, VIEW_TEXT, c->x + c->width - number + 14.0f * scale, c->y,
                   number - 14.0f * scale, VIEW_BRIGHT, text);
    c->y += line;
}

static void write_fact(column *c, const view_fact *fact)
{
    char text[64];
    const double size = fabs(fact->value);
    const char *const format = size >= 1e4 || (size > 0.0 && size < 1e-3) ? "%.2e %s" : "%.4g %s";
    (void)snprintf(text, sizeof text, format, fact->value, fact->unit);
    view_draw_text(c->canvas, VIEW_TEXT, c->x, c->y, 0.6f * c->width, VIEW_DIM, fact->name);
    view_draw_text(c->canvas, VIEW_TEXT, c->x + 0.62f * c->width, c->y, 0.38f * c->width,
                   VIEW_BRIGHT, text);
    c->y += line_height(c);
}

static void write_column(column *c, view_pages *pages, const view_page *page,
                         const view_picture *picture)
{
    char where[64];
    (void)snprintf(where, sizeof where, "%s  %u / %u   Y: next   Esc: close", page->family,
                   (unsigned)pages->open + 1, (unsigned)view_num_pages());
    view_draw_text(c->canvas, VIEW_TEXT, c->x, c->y, c->width, VIEW_DIM, where);
    c->y += line_height(c);
    view_draw_text(c->canvas, VIEW_TITLE, c->x, c->y, c->width, VIEW_BRIGHT, page->title);
    c->y += c->canvas->font->line[VIEW_TITLE];
    write_wrapped(c, VIEW_PLAIN, page->about);
    write_code(c, view_page_lines(page->name));
    for (uint32_t i = 0; i < page->num_sliders; i++)
        write_slider(c, &page->sliders[i], pages->values[i], &pages->sliders[i]);
    c->y += 0.3f * line_height(c);
    for (uint32_t i = 0; i < picture->num_facts; i++)
        write_fact(c, &picture->facts[i]);
}

// Written several times: until its height is known, and fits. If the window is too low, it is
// written wider and scaled down.
static void draw_page_panel(view_pages *pages, const view_page *page, const view_picture *picture,
                            view_canvas *canvas, float width, float height)
{
    const float scale = canvas->font->scale, margin = VIEW_MARGIN * scale;
    const float padding = VIEW_PADDING * scale, room = height - 2.0f * (margin + padding);
    view_rect box = {margin, margin, panel_width(canvas->font, width) - 1.5f * margin, 0.0f};
    const uint32_t before = canvas->count;
    const float left = box.x + padding, top = box.y + padding;
    const float step = 0.03f, least = 0.4f;
    float factor = 1.0f;
    for (;;) {
        canvas->count = before;
        view_draw_round_rect(canvas, box, VIEW_RADIUS * scale, VIEW_BOX);
        const uint32_t first = canvas->count;
        column c = {canvas, left, top, (box.width - 2.0f * padding) / factor};
        write_column(&c, pages, page, picture);
        view_shrink(canvas, first, left, top, factor);
        for (uint32_t i = 0; i < page->num_sliders; i++) {
            view_rect *const rect = &pages->sliders[i];
            *rect = (view_rect){left + (rect->x - left) * factor, top + (rect->y - top) * factor,
                                rect->width * factor, rect->height * factor};
        }
        const float used = (c.y - top) * factor;
        const bool fits = used <= room + 0.5f || factor < least;
        if (fits && box.height > 0.0f)
            break;
        if (fits)
            box.height = used + 2.0f * padding; // once more, over the box
        else
            factor -= step;
    }
    pages->panel = box;
    pages->shrunk = factor;
}

// -- Plots ----------------------------------------------------------------------------------

static void draw_segment(view_canvas *canvas, md5_vec2 from, md5_vec2 to, float width,
                         view_color color)
{
    const float x = to.x - from.x, y = to.y - from.y, length = sqrtf(x * x + y * y);
    if (!(length > 1e-4f))
        return;
    const float ax = -y / length * 0.5f * width, ay = x / length * 0.5f * width;
    const float upper[6] = {from.x + ax, from.y + ay, to.x + ax, to.y + ay, to.x - ax, to.y - ay};
    const float lower[6] = {from.x + ax, from.y + ay, to.x - ax,
                            to.y - ay,   from.x - ax, from.y - ay};
    view_draw_triangle(canvas, upper, color);
    view_draw_triangle(canvas, lower, color);
}

static md5_vec2 on_screen(const view_plot *plot, view_rect area, md5_vec2 point)
{
    const float x = (point.x - plot->low.x) / (plot->high.x - plot->low.x);
    const float y = (point.y - plot->low.y) / (plot->high.y - plot->low.y);
    return (md5_vec2){area.x + fminf(fmaxf(x, 0.0f), 1.0f) * area.width,
                      area.y + area.height - fminf(fmaxf(y, 0.0f), 1.0f) * area.height};
}

// The names of the series in their colours, in one line.
static void draw_legend(const view_plot *plot, view_canvas *canvas, float x, float y, float width)
{
    const float scale = canvas->font->scale, right = x + width;
    for (uint32_t i = 0; i < plot->num_series && x < right; i++) {
        const view_series *const series = &plot->series[i];
        view_draw_disc(canvas, x + 4.0f * scale, y + 0.5f * canvas->font->line[VIEW_TEXT],
                       4.0f * scale, series->color | 0xFFu);
        x += 12.0f * scale;
        x += view_draw_text(canvas, VIEW_TEXT, x, y, fmaxf(right - x, 1.0f), VIEW_PLAIN,
                            series->name)
             + 12.0f * scale;
    }
}

static void draw_axes(const view_plot *plot, view_canvas *canvas, view_rect area)
{
    const float scale = canvas->font->scale, line = canvas->font->line[VIEW_TEXT];
    char text[32];
    view_draw_rect(canvas, (view_rect){area.x, area.y, scale, area.height}, axis_color);
    view_draw_rect(canvas, (view_rect){area.x, area.y + area.height, area.width, scale},
                   axis_color);
    if (plot->low.y < 0.0f && plot->high.y > 0.0f) {
        const md5_vec2 zero = on_screen(plot, area, (md5_vec2){plot->low.x, 0.0f});
        view_draw_rect(canvas, (view_rect){area.x, zero.y, area.width, scale}, axis_color);
    }
    (void)snprintf(text, sizeof text, "%.3g", (double)plot->high.y);
    view_draw_text(canvas, VIEW_TEXT,
                   area.x - 6.0f * scale - view_text_width(canvas->font, VIEW_TEXT, text),
                   area.y - 0.3f * line, 0, VIEW_DIM, text);
    (void)snprintf(text, sizeof text, "%.3g", (double)plot->low.y);
    view_draw_text(canvas, VIEW_TEXT,
                   area.x - 6.0f * scale - view_text_width(canvas->font, VIEW_TEXT, text),
                   area.y + area.height - 0.7f * line, 0, VIEW_DIM, text);
    (void)snprintf(text, sizeof text, "%.3g", (double)plot->low.x);
    const float below = area.y + area.height + 2.0f * scale;
    view_draw_text(canvas, VIEW_TEXT, area.x, below, 0, VIEW_DIM, text);
    const float name = view_text_width(canvas->font, VIEW_TEXT, plot->across);
    view_draw_text(canvas, VIEW_TEXT, area.x + 0.5f * (area.width - name), below, 0, VIEW_DIM,
                   plot->across);
    (void)snprintf(text, sizeof text, "%.3g", (double)plot->high.x);
    view_draw_text(canvas, VIEW_TEXT,
                   area.x + area.width - view_text_width(canvas->font, VIEW_TEXT, text), below, 0,
                   VIEW_DIM, text);
}

static void draw_plot(const view_plot *plot, view_canvas *canvas, view_rect box)
{
    const float scale = canvas->font->scale, line = canvas->font->line[VIEW_TEXT];
    const float padding = 10.0f * scale, left = 44.0f * scale;
    view_draw_round_rect(canvas, box, VIEW_RADIUS * scale, VIEW_BOX);
    const view_rect area = {box.x + padding + left, box.y + padding + 2.3f * line,
                            box.width - 2.0f * padding - left,
                            box.height - 2.0f * padding - 3.5f * line};
    view_draw_text(canvas, VIEW_TEXT, box.x + padding, box.y + padding, box.width - 2.0f * padding,
                   VIEW_BRIGHT, plot->title);
    draw_legend(plot, canvas, box.x + padding, box.y + padding + line, box.width - 2.0f * padding);
    draw_axes(plot, canvas, area);
    for (uint32_t i = 0; i < plot->num_series; i++) {
        const view_series *const series = &plot->series[i];
        for (uint32_t p = 1; p < series->count; p++)
            draw_segment(canvas, on_screen(plot, area, series->points[p - 1]),
                         on_screen(plot, area, series->points[p]), 2.0f * scale, series->color);
    }
    for (uint32_t i = 0; i < plot->num_marks; i++) {
        const md5_vec2 at = on_screen(plot, area, plot->marks[i].point);
        view_draw_disc(canvas, at.x, at.y, 5.0f * scale, plot->marks[i].color);
    }
}

static void draw_plots(const view_picture *picture, view_canvas *canvas, view_rect area)
{
    const float margin = VIEW_MARGIN * canvas->font->scale;
    const float count = (float)(picture->num_plots > 0 ? picture->num_plots : 1);
    const float width = (area.width - margin * (count - 1.0f)) / count;
    for (uint32_t i = 0; i < picture->num_plots; i++)
        draw_plot(&picture->plots[i], canvas,
                  (view_rect){area.x + (float)i * (width + margin), area.y, width, area.height});
}

// -- Contents -------------------------------------------------------------------------------

static void draw_contents(view_pages *pages, view_canvas *canvas, float width, float height)
{
    const float scale = canvas->font->scale, line = canvas->font->line[VIEW_TEXT];
    const float margin = VIEW_MARGIN * scale, padding = VIEW_PADDING * scale;
    const view_rect box = {margin, margin, width - 2.0f * margin, height - 2.0f * margin};
    view_draw_round_rect(canvas, box, VIEW_RADIUS * scale, VIEW_BOX);
    view_draw_text(canvas, VIEW_TITLE, box.x + padding, box.y + padding, 0, VIEW_BRIGHT,
                   "Techniques");
    const float top = box.y + padding + 1.4f * canvas->font->line[VIEW_TITLE];
    const float column_width = (box.width - 2.0f * padding) / 3.0f;
    float x = box.x + padding, y = top;
    const char *family = "";
    for (uint32_t i = 0; i < view_num_pages() && i < VIEW_MAX_LISTED; i++) {
        const view_page *const page = view_page_at(i);
        const bool begins = strcmp(page->family, family) != 0;
        if (y + (begins ? 2.5f : 1.0f) * line > box.y + box.height - padding) {
            x += column_width;
            y = top;
        }
        if (begins) {
            y += y > top ? 0.5f * line : 0.0f;
            view_draw_text(canvas, VIEW_TEXT, x, y, column_width - padding, VIEW_AMBER,
                           page->family);
            y += line;
            family = page->family;
        }
        pages->listed[i] = (view_rect){x, y, column_width - padding, line};
        view_draw_text(canvas, VIEW_TEXT, x + 10.0f * scale, y,
                       column_width - padding - 10.0f * scale, VIEW_BRIGHT, page->title);
        y += line;
    }
    pages->panel = box;
    pages->shrunk = 1.0f;
}

// == The page as a whole ===================================================================

// -- Opening --------------------------------------------------------------------------------

void view_open_page(view_pages *pages, int32_t number)
{
    pages->open = number;
    pages->dragged = -1;
    if (number < 0 || number >= (int32_t)view_num_pages())
        return;
    const view_page *const page = view_page_at((uint32_t)number);
    for (uint32_t i = 0; i < page->num_sliders; i++)
        pages->values[i] = page->sliders[i].first;
}

void view_free_pages(view_pages *pages, md5gl_renderer *renderer)
{
    free_page_figures(&pages->drawn, renderer);
    view_free_kept(&pages->kept);
    pages->kept_by = NULL;
}

// Makes what the page keeps, unless that of the same character and sliders is there.
static void keep(view_pages *pages, const view_stage *stage, const view_page *page,
                 view_picture *picture)
{
    const md5_model *const model = picture->scene->model;
    bool is_kept = pages->kept_by == page && pages->kept_of == model;
    if (page->keep == NULL)
        return;
    for (uint32_t i = 0; i < page->num_kept; i++)
        is_kept = is_kept && pages->kept_values[i] == pages->values[i];
    if (!is_kept) {
        view_free_pages(pages, stage->renderer);
        page->keep(picture, &pages->kept);
        memcpy(pages->kept_values, pages->values, sizeof pages->values);
        pages->kept_by = page;
        pages->kept_of = model;
    }
    picture->kept = &pages->kept;
}

// -- Lines and labels -----------------------------------------------------------------------

static void add_bones(const view_picture *picture, view_lines *lines)
{
    const md5_skeleton *const skeleton = picture->scene->skeleton;
    md5_mat34 *const joints = common_alloc(skeleton->num_joints, sizeof *joints);
    for (uint32_t i = 0; i < picture->num_figures; i++) {
        const view_figure *const figure = &picture->figures[i];
        md5_local_to_model(skeleton, figure->pose, joints);
        for (uint32_t j = 0; j < skeleton->num_joints; j++) {
            const int32_t parent = skeleton->joints[j].parent;
            if (parent >= 0)
                view_add_line(
                    lines, md5_xform_point(figure->place, md5_mat34_translation(joints[parent])),
                    md5_xform_point(figure->place, md5_mat34_translation(joints[j])), 0xF1F3F6C0u);
        }
    }
    free(joints);
}

static void draw_lines(const view_stage *stage, const view_picture *picture)
{
    view_lines *const lines = stage->lines;
    view_clear_lines(lines);
    if (picture->shows_bones)
        add_bones(picture, lines);
    for (uint32_t i = 0; i < picture->num_lines; i++)
        view_add_line(lines, picture->lines[i].from, picture->lines[i].to, picture->lines[i].color);
    if (lines->count > 0)
        md5gl_draw_lines(stage->renderer, lines->vertices, lines->count, 2.0f * stage->font->scale,
                         true);
}

static void draw_labels(const view_stage *stage, const view_picture *picture, const view_lens *lens,
                        float width, float height)
{
    const float scale = stage->font->scale;
    for (uint32_t i = 0; i < picture->num_labels; i++) {
        const view_label *const label = &picture->labels[i];
        const md5_vec3 way = md5_vec3_sub(label->place, lens->eye);
        const float depth = -md5_vec3_dot(way, lens->axes.back);
        if (!(depth > 0.0f))
            continue;
        const float x =
            0.5f * width
            * (1.0f + lens->shift_x + md5_vec3_dot(way, lens->axes.right) / (depth * lens->half_x));
        const float y =
            0.5f * height
            * (1.0f - lens->shift_y - md5_vec3_dot(way, lens->axes.up) / (depth * lens->half_y));
        const float text = view_text_width(stage->font, VIEW_TEXT, label->text);
        const view_rect box = {x - 0.5f * text - 6.0f * scale, y - 11.0f * scale,
                               text + 12.0f * scale, 22.0f * scale};
        view_draw_round_rect(stage->canvas, box, 6.0f * scale, 0x12151AC0u);
        view_draw_text(stage->canvas, VIEW_TEXT, box.x + 6.0f * scale, box.y + 2.0f * scale, 0,
                       label->color, label->text);
    }
}

// -- Picture --------------------------------------------------------------------------------

static view_lens frame_box(const view_stage *stage, md5_bounds bounds, view_rect region,
                           view_camera *camera, float width, float height)
{
    view_hull hull = {.reach = {0}};
    for (int i = 0; i < VIEW_HULL_POINTS; i++)
        hull.reach[i] = -INFINITY;
    for (unsigned i = 0; i < 8; i++) {
        const md5_vec3 corner = view_corner(bounds, i);
        view_widen_hull(&hull, &corner, 1);
    }
    *camera = *stage->camera;
    view_frame_all(camera, bounds, &hull, region.width, region.height);
    view_lens lens = view_camera_lens(camera, region.width, region.height);
    view_widen_lens(&lens, region.x, region.y, region.width, region.height, width, height);
    return lens;
}

typedef struct page_size {
    md5gl_target *target;
    uint32_t width, height;
    view_rect region;
    bool transparent;
} page_size;

static bool draw_space(view_pages *pages, const view_stage *given, const view_picture *picture,
                       const page_size *size, view_lens *lens, md5_error *error)
{
    const float width = (float)size->width, height = (float)size->height;
    view_camera camera = *given->camera;
    view_stage stage = *given;
    stage.camera = &camera;
    if (!ready_page_figures(&pages->drawn, given, picture, error))
        picture = NULL;
    const bool is_empty = picture == NULL || view_is_empty(picture->bounds)
                          || picture->bounds.max.x <= picture->bounds.min.x;
    const md5_bounds bounds = is_empty ? (md5_bounds){{-1, -1, -1}, {1, 1, 1}} : picture->bounds;
    *lens = frame_box(given, bounds, size->region, &camera, width, height);
    md5gl_frame frame = {.target = size->target,
                         .width = size->width,
                         .height = size->height,
                         .background = {0.214f, 0.243f, 0.286f, 1.0f}};
    for (int i = 0; i < 4 && size->transparent; i++)
        frame.background[i] = 0.0f;
    view_lens_matrices(lens, &frame.view_from_world, &frame.clip_from_view);
    md5gl_point_light points[VIEW_NUM_POINTS];
    view_set_lights(&stage, lens->axes, points, &frame);
    if (!view_is_empty(frame.casters))
        frame.casters = bounds;
    md5gl_begin_frame(stage.renderer, &frame);
    if (!size->transparent)
        view_draw_background(&stage, width, height);
    if (picture == NULL)
        return false;
    if (is_empty)
        return true;
    const bool drawn = draw_page_figures(&pages->drawn, &stage, picture, error);
    const bool has_floor = !picture->has_no_floor;
    if (drawn && !size->transparent && picture->num_figures > 0 && has_floor)
        md5gl_draw_ground(stage.renderer, view_centre(bounds), 3.0f * camera.scene_radius);
    if (stage.shown->grid && has_floor)
        md5gl_draw_grid(stage.renderer, stage.document->ground, 10.0f, view_centre(bounds),
                        7.0f * camera.scene_radius);
    draw_lines(&stage, picture);
    return drawn;
}

bool view_draw_page(view_pages *pages, const view_stage *stage, double seconds,
                    md5gl_target *target, uint32_t width, uint32_t height, bool transparent,
                    bool clean, md5_error *error)
{
    const bool is_list = pages->open >= (int32_t)view_num_pages();
    const view_page *const page = view_page_at(is_list ? 0 : (uint32_t)pages->open);
    const float margin = VIEW_MARGIN * stage->font->scale;
    view_picture *const picture = common_alloc(1, sizeof *picture);
    view_begin_picture(picture, &stage->document->scene, pages->values, page->start + seconds);
    const view_loader loader = {stage->options, stage->renderer, stage->log, NULL};
    if (!is_list && page->has_morphs) // without them, which is logged, the page shows the model
        (void)view_ready_morphs(stage->document, &loader);
    if (!is_list && stage->document->scene.model != NULL) {
        keep(pages, stage, page, picture);
        page->show(picture);
    }
    const float left = clean ? 0.0f : panel_width(stage->font, (float)width);
    const float plots = clean || picture->num_plots == 0 ? 0.0f : 0.36f * (float)height;
    const page_size size = {.target = target,
                            .width = width,
                            .height = height,
                            .region = {left, 0.0f, (float)width - left, (float)height - plots},
                            .transparent = transparent};
    view_lens lens;
    const bool drawn = draw_space(pages, stage, picture, &size, &lens, error);
    view_clear_canvas(stage->canvas);
    if (!clean && is_list)
        draw_contents(pages, stage->canvas, (float)width, (float)height);
    else if (!clean) {
        draw_labels(stage, picture, &lens, (float)width, (float)height);
        draw_page_panel(pages, page, picture, stage->canvas, (float)width, (float)height);
        draw_plots(
            picture, stage->canvas,
            (view_rect){left, (float)height - plots, (float)width - left - margin, plots - margin});
    }
    view_end_picture(picture);
    free(picture);
    return drawn;
}

// -- Mouse ----------------------------------------------------------------------------------

int32_t view_press_page(view_pages *pages, float x, float y, bool *was_taken)
{
    const bool is_list = pages->open >= (int32_t)view_num_pages();
    *was_taken = view_contains(pages->panel, x, y);
    for (uint32_t i = 0; i < view_num_pages() && i < VIEW_MAX_LISTED && is_list; i++)
        if (view_contains(pages->listed[i], x, y))
            return (int32_t)i;
    const view_page *const page = view_page_at(is_list ? 0 : (uint32_t)pages->open);
    for (uint32_t i = 0; i < page->num_sliders && !is_list; i++) {
        view_rect rect = pages->sliders[i];
        rect.x -= 0.03f * rect.width; // the knob at an end is wider
        rect.width *= 1.06f;
        if (!view_contains(rect, x, y))
            continue;
        pages->dragged = (int32_t)i;
        (void)view_drag_page(pages, x);
    }
    return -1;
}

bool view_drag_page(view_pages *pages, float x)
{
    if (pages->dragged < 0 || pages->open < 0 || pages->open >= (int32_t)view_num_pages())
        return false;
    const view_slider *const slider = &view_page_at((uint32_t)pages->open)->sliders[pages->dragged];
    const view_rect rect = pages->sliders[pages->dragged];
    const float part = view_clamp((x - rect.x) / fmaxf(rect.width, 1.0f), 0.0f, 1.0f);
    const float value = slider->low + part * (slider->high - slider->low);
    const bool is_whole = slider->word != NULL || slider->whole;
    pages->values[pages->dragged] = is_whole ? roundf(value) : value;
    return true;
}
