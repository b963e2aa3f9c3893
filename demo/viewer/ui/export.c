// The dialog of what is exported: its choices, what they mean as options, and the command line that
// does the same.
#include "demo/viewer/ui/ui.h"

#include "demo/common/file.h"
#include "demo/viewer/base/math.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <SDL.h>

// -- The words of the choices ---------------------------------------------------------------

static const char *const kinds[] = {"Picture", "Movie", "Turntable", "Contact sheet"};
static const char *const formats[] = {"png", "apng", "gif", "mp4", "webm"};
enum { NUM_KINDS = 4, NUM_FORMATS = 5, NUM_OWN_FORMATS = 2 }; // the other ones need ffmpeg

static const char *const sizes[] = {"Window", "720p", "1080p", "4K", "Own"};
static const uint32_t resolutions[][2] = {{0, 0}, {1280, 720}, {1920, 1080}, {3840, 2160}};
enum { NUM_SIZES = 5, WINDOW_SIZE = 0, OWN_SIZE = NUM_SIZES - 1 };

static const char *const samples[] = {"1", "4", "8", "16"};
enum { NUM_SAMPLES = 4 };

static const char *const backgrounds[] = {"as shown", "transparent"};
static const char *const labels[] = {"none", "clip and frame"};

// -- What they mean -------------------------------------------------------------------------

void view_free_export(view_export *export)
{
    free(export->output);
    free(export->line);
    free(export->file);
    export->output = export->line = export->file = NULL;
}

static void set_usual(view_export *export, const view_stage *stage)
{
    char *const folder = common_absolute(".");
    export->is_set = true;
    export->choices = (view_export_choices){.format = 1, .name = "{model}_{anim}"};
    (void)snprintf(export->choices.folder, sizeof export->choices.folder, "%s", folder);
    free(folder);
    for (uint32_t i = 0; i < NUM_SAMPLES; i++)
        if ((uint32_t)strtoul(samples[i], NULL, 10) <= stage->options->samples)
            export->choices.samples = i;
}

static bool is_moving(const view_export_choices *choices)
{
    return choices->kind == VIEW_EXPORT_MOVIE || choices->kind == VIEW_EXPORT_TURNTABLE;
}

// Sets an option as its text says; if that is empty it stays as it is.
static bool read_choice(view_export *export, const char *option, const char *text,
                        view_options *options)
{
    const view_option *nearest, *const found = view_find_option(option, strlen(option), &nearest);
    if (text[0] == '\0' || (found != NULL && view_read_option(found, text, options)))
        return true;
    (void)snprintf(export->problem, sizeof export->problem, "%s: expected %s", text,
                   found != NULL ? found->value : "");
    return false;
}

// Of the file, with what tells several from each other.
static char *make_name(const view_export_choices *choices, bool is_series, bool has_all,
                       unsigned number)
{
    const char *const ending = is_moving(choices) ? formats[choices->format] : formats[0];
    const bool needs_clip = has_all && strstr(choices->name, "{anim}") == NULL;
    const bool needs_number =
        is_series && strstr(choices->name, "{n") == NULL && strstr(choices->name, "{frame") == NULL;
    char copy[16] = "";
    if (number > 1)
        (void)snprintf(copy, sizeof copy, "-%u", number);
    char *const name = common_format("%s%s%s%s.%s", choices->name, needs_clip ? "_{anim}" : "",
                                     copy, needs_number ? "_{n:04}" : "", ending);
    char *const path = common_join(choices->folder, name);
    free(name);
    return path;
}

bool view_choose_export(view_export *export, const view_stage *stage, unsigned number,
                        view_options *options)
{
    const view_scene *const scene = &stage->document->scene;
    const md5_anim *const anim = view_clock(scene);
    view_export_choices *const choices = &export->choices;
    if (!export->is_set)
        set_usual(export, stage);
    if (!export->has_ffmpeg && choices->format >= NUM_OWN_FORMATS)
        choices->format = 1;
    const bool is_moved = is_moving(choices), is_sheet = choices->kind == VIEW_EXPORT_SHEET;
    const bool has_all = choices->clips == 1 && scene->num_clips > 1;
    export->problem[0] = '\0';

    const bool is_own_size = choices->size == OWN_SIZE;
    const uint32_t *const size = resolutions[is_own_size ? WINDOW_SIZE : choices->size];
    options->width = size[0] > 0 ? size[0] : (uint32_t)stage->width;
    options->height = size[1] > 0 ? size[1] : (uint32_t)stage->height;
    options->samples = (uint32_t)strtoul(samples[choices->samples], NULL, 10);
    options->no_background = choices->background == 1;
    options->shown.grid = options->shown.grid && !options->no_background;
    options->labels = choices->labels == 1;
    options->all_clips = has_all;
    options->turntable = choices->kind == VIEW_EXPORT_TURNTABLE;
    if (is_own_size && !read_choice(export, "resolution", choices->resolution, options))
        return false;

    view_play play = *stage->play;
    if (has_all)
        play.range_first = play.range_last = 0;
    options->range_first = play.range_first;
    options->range_last = play.range_last;
    if (choices->kind != VIEW_EXPORT_PICTURE
        && !read_choice(export, "range", choices->range, options))
        return false;
    play.range_first = options->range_first;
    play.range_last = options->range_last;
    options->num_frames = 0;
    options->sheet_columns = options->sheet_rows = 0;
    options->num_times = 0;
    if (is_moved) {
        const double seconds = 5.0, usual = 24.0; // of what has no end
        const uint32_t turntable = 72;
        options->frame_rate = usual;
        if (!read_choice(export, "frame-rate", choices->rate, options))
            return false;
        if (!has_all)
            options->num_frames = options->turntable ? turntable
                                  : anim != NULL
                                      ? view_count_pictures(&play, anim, options->frame_rate)
                                      : (uint32_t)fmax(seconds * options->frame_rate, 1.0);
        if (!read_choice(export, "frames", choices->frames, options))
            return false;
    } else if (is_sheet) {
        // About as many columns and rows as make the cells as wide as high.
        const double count = has_all ? (double)scene->num_clips : 12.0, most = 64.0;
        const double columns = ceil(sqrt(count * options->width / options->height));
        options->sheet_columns = (uint32_t)fmin(columns, most);
        options->sheet_rows = (uint32_t)fmin(ceil(count / options->sheet_columns), most);
        if (!read_choice(export, "sheet", choices->sheet, options))
            return false;
    } else if (anim != NULL || view_shows_machine(stage)) {
        options->times = &stage->play->time;
        options->num_times = 1;
    }
    const bool is_series = is_moved && choices->format == 0;
    free(export->output);
    export->output = make_name(choices, is_series, has_all && !is_sheet, number);
    options->output = export->output;
    return true;
}

// -- The form -------------------------------------------------------------------------------

// Rows of equal height with a label, of which those that have no room are left out.
typedef struct export_form {
    view_ui *ui;
    view_rect rows;
    float label_width, height; // of a row
    size_t count, first;
} export_form;

// The next row: where its value goes. False if it is not seen.
static bool next_row(export_form *form, const char *label, view_rect *value)
{
    const view_font *const font = form->ui->canvas->font;
    const float gap = 4.0f * font->scale;
    const size_t row = form->count++;
    const float y = form->rows.y + ((float)row - (float)form->first) * form->height;
    if (row < form->first || y + form->height > form->rows.y + form->rows.height + 0.5f)
        return false;
    const float indent = label != NULL ? form->label_width : 0.0f;
    *value = (view_rect){form->rows.x + indent, y, form->rows.width - indent, form->height - gap};
    if (label != NULL)
        view_draw_text(form->ui->canvas, VIEW_TEXT, form->rows.x,
                       y + 0.5f * (value->height - font->line[VIEW_TEXT]), indent - gap, VIEW_DIM,
                       label);
    return true;
}

static void add_segment(export_form *form, const char *label, const char *const *words,
                        uint32_t count, uint32_t *choice)
{
    view_rect value;
    if (!next_row(form, label, &value))
        form->ui->item.number += count; // so that the others keep theirs
    else if (ui_segment(form->ui, value, words, count, choice))
        form->ui->export.asks = false;
}

static void add_field(export_form *form, const char *label, const char *hint, char *text,
                      size_t size)
{
    view_rect value;
    if (!next_row(form, label, &value))
        form->ui->item.number++;
    else if (ui_field(form->ui, value, hint, text, size))
        form->ui->export.asks = false;
}

static void add_text(export_form *form, view_color color, const char *text)
{
    view_rect value;
    if (next_row(form, NULL, &value))
        view_draw_text(form->ui->canvas, VIEW_TEXT, value.x, value.y, value.width, color, text);
}

// What the choices are: those that have a meaning for the kind.
static void add_choices(export_form *form, const view_stage *stage)
{
    view_export *const export = &form->ui->export;
    view_export_choices *const choices = &export->choices;
    const view_scene *const scene = &stage->document->scene;
    const view_clip *const clip = view_shown_clip(scene);
    const bool is_moved = is_moving(choices), is_sheet = choices->kind == VIEW_EXPORT_SHEET;
    add_segment(form, NULL, kinds, NUM_KINDS, &choices->kind);
    if (scene->num_clips > 1) {
        char all[32];
        (void)snprintf(all, sizeof all, "all %zu", scene->num_clips);
        const char *const words[] = {clip != NULL ? clip->name : "this", all};
        add_segment(form, "Clips", words, 2, &choices->clips);
    }
    if (is_moved)
        add_field(form, "Pictures", "one cycle, or 72 of a turntable", choices->frames,
                  sizeof choices->frames);
    if (is_sheet)
        add_field(form, "Cells", "as many as fit, or 4x3", choices->sheet, sizeof choices->sheet);
    if (is_moved || is_sheet)
        add_field(form, "Frames", "all that play, or 0-24", choices->range, sizeof choices->range);
    add_segment(form, "Size", sizes, NUM_SIZES, &choices->size);
    if (choices->size == OWN_SIZE)
        add_field(form, "", "1280x720", choices->resolution, sizeof choices->resolution);
    if (is_moved) {
        add_segment(form, "Format", formats, export->has_ffmpeg ? NUM_FORMATS : NUM_OWN_FORMATS,
                    &choices->format);
        add_field(form, "Frame rate", "24 a second", choices->rate, sizeof choices->rate);
    }
    add_segment(form, "Samples", samples, NUM_SAMPLES, &choices->samples);
    add_segment(form, "Background", backgrounds, 2, &choices->background);
    add_segment(form, "Labels", labels, 2, &choices->labels);
    add_field(form, "Folder", "folder", choices->folder, sizeof choices->folder);
    add_field(form, "Name", "name: {model} {anim} {frame:04} {n}", choices->name,
              sizeof choices->name);
}

// The file, and the command line with a button that copies it.
static void add_results(export_form *form)
{
    enum { MOST_LINES = 12 };
    view_ui *const ui = form->ui;
    const view_export *const export = &ui->export;
    const view_font *const font = ui->canvas->font;
    view_rect value;
    if (export->line == NULL || export->file == NULL)
        return;
    char *const file = common_format("\xE2\x86\x92 %s%s", common_base(export->file),
                                     export->exists ? ", which exists" : "");
    if (next_row(form, "", &value))
        view_draw_text(ui->canvas, VIEW_TEXT, value.x, value.y, value.width,
                       export->exists ? VIEW_AMBER : VIEW_PLAIN, file);
    free(file);
    if (next_row(form, NULL, &value)) {
        const float width = view_text_width(font, VIEW_TEXT, "Copy") + 24.0f * font->scale;
        view_draw_text(ui->canvas, VIEW_TEXT, value.x, value.y, value.width - width, VIEW_DIM,
                       "The same on the command line");
        value.x += value.width - width;
        value.width = width;
        if (ui_button(ui, value, "Copy", false))
            (void)SDL_SetClipboardText(export->line);
    }
    view_rows lines = {0};
    view_begin_rows(&lines, font, form->rows.width / font->scale, 0.0f, "");
    view_add_wrapped(&lines, VIEW_PLAIN, export->line, MOST_LINES);
    for (uint32_t i = 1; i < lines.count; i++)
        add_text(form, VIEW_PLAIN, lines.rows[i].text);
}

// -- The dialog -----------------------------------------------------------------------------

// The last line: what goes on or is wrong, and the buttons, from the right.
static void draw_foot(view_ui *ui, view_rect foot)
{
    view_export *const export = &ui->export;
    const view_font *const font = ui->canvas->font;
    const float scale = font->scale, gap = 8.0f * scale;
    const bool is_running = export->total > 0, is_wrong = export->problem[0] != '\0';
    const char *const primary = is_running ? "Stop" : export->asks ? "Replace" : "Export";
    const char *const other = is_running ? "Go on behind" : "Close";
    view_rect button = foot;
    button.width = view_text_width(font, VIEW_TEXT, primary) + 24.0f * scale;
    button.x = foot.x + foot.width - button.width;
    const bool is_return = ui_key(ui, SDLK_RETURN) || ui_key(ui, SDLK_KP_ENTER);
    if (ui_button(ui, button, primary, !is_wrong) || is_return) {
        if (is_running)
            ui->command.action = VIEW_STOP_EXPORT;
        else if (!is_wrong && export->exists && !export->asks)
            export->asks = true;
        else if (!is_wrong)
            ui->command.action = VIEW_RUN_EXPORT;
    }
    button.width = view_text_width(font, VIEW_TEXT, other) + 24.0f * scale;
    button.x -= button.width + gap;
    if (ui_button(ui, button, other, false) || ui_key(ui, SDLK_ESCAPE))
        ui->command.action = VIEW_EXPORT;
    const float room = button.x - foot.x - gap;
    char text[96] = "";
    if (is_running) {
        const view_rect bar = {foot.x, foot.y + foot.height - 4.0f * scale, room, 4.0f * scale};
        view_rect done = bar;
        done.width *= (float)export->done / (float)export->total;
        view_draw_round_rect(ui->canvas, bar, 2.0f * scale, VIEW_EDGE);
        view_draw_round_rect(ui->canvas, done, 2.0f * scale, VIEW_ACCENT);
        (void)snprintf(text, sizeof text, "%u of %u, %.0f s left", (unsigned)export->done,
                       (unsigned)export->total, ceil(export->left));
    } else if (export->asks) {
        (void)snprintf(text, sizeof text, "The file exists");
    }
    view_draw_text(ui->canvas, VIEW_TEXT, foot.x, foot.y, room,
                   is_wrong       ? VIEW_WRONG
                   : export->asks ? VIEW_AMBER
                                  : VIEW_PLAIN,
                   is_wrong ? export->problem : text);
}

void view_export_panel(view_ui *ui, const view_stage *stage)
{
    view_export *const export = &ui->export;
    const view_font *const font = stage->font;
    const float scale = font->scale, line = font->line[VIEW_TEXT], margin = 8.0f * scale;
    const float border = 2.0f * (VIEW_PADDING * scale + margin);
    const float row = line + 11.0f * scale, most_rows = 19.0f;
    const float head = font->line[VIEW_TITLE] + 0.5f * VIEW_PADDING * scale;
    const float width = fminf(560.0f * scale, stage->width - border);
    const float height = fminf((most_rows + 1.0f) * row, stage->height - head - border);
    view_rect inside = ui_dialog(ui, VIEW_EXPORT_PANEL, width, height, "Export");
    const view_rect foot = {inside.x, inside.y + inside.height - row + 4.0f * scale, inside.width,
                            row - 4.0f * scale};
    inside.height -= row + margin;
    export_form form = {.ui = ui, .rows = inside, .height = row, .first = export->first};
    form.label_width = view_text_width(font, VIEW_TEXT, "Background") + 16.0f * scale;
    form.rows.width -= 10.0f * scale; // the scroll bar
    if (export->is_set) {
        add_choices(&form, stage);
        add_results(&form);
    }

    // What has no room is scrolled to.
    const size_t room = (size_t)(inside.height / row + 0.01f);
    const size_t most = form.count > room ? form.count - room : 0;
    const float steps = ui_key(ui, SDLK_DOWN)       ? -1.0f
                        : ui_key(ui, SDLK_UP)       ? 1.0f
                        : ui_key(ui, SDLK_PAGEDOWN) ? -(float)room
                        : ui_key(ui, SDLK_PAGEUP)   ? (float)room
                                                    : 3.0f * ui->mouse.wheel;
    ui->has_taken = ui->has_taken || ui->mouse.wheel != 0.0f;
    const float first = view_clamp((float)export->first - steps, 0.0f, (float)most);
    if (ui->is_event)
        export->first = (size_t)first;
    if (most > 0) {
        const float all = (float)form.count, length = inside.height * (float)room / all;
        const view_rect bar = {inside.x + inside.width - 4.0f * scale,
                               inside.y + inside.height * (float)export->first / all, 4.0f * scale,
                               length};
        view_draw_round_rect(ui->canvas, bar, 2.0f * scale, VIEW_DIM);
    }
    draw_foot(ui, foot);
}
