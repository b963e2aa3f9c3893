// The export dialog. It converts the choices of the user to command-line options, which the export
// uses. It displays the equivalent command line, a preview and the progress.
//
// A choice is the input of the user for one setting: the index of a selected text, or a typed text.
#include "demo/viewer/ui/export.h"

#include "demo/viewer/ui/browser.h"
#include "demo/viewer/ui/ui.h"
#include "demo/viewer/ui/window_layout.h"

#include <limits.h>
#include <strings.h>

// -- Lists of choices -----------------------------------------------------------------------

// Names of the kinds, by view_export_kind.
static const char *const kinds[] = {"Image", "Movie", "Turntable", "Contact sheet", "Model"};
// The formats of movies. Images always have the first format.
static const char *const formats[] = {"png", "apng", "gif", "mp4", "webm"};
enum { NUM_KINDS = 5, NUM_FORMATS = 5, MAX_ENDINGS = 10 };

static const char *const sizes[] = {"Window", "720p", "1080p", "4K", "Custom"};
// Width and height of each size, in pixels. {0, 0} stands for the size of the window. "Custom" has
// no entry.
static const uint32_t resolutions[][2] = {{0, 0}, {1280, 720}, {1920, 1080}, {3840, 2160}};
enum { NUM_SIZES = 5, WINDOW_SIZE = 0, CUSTOM_SIZE = NUM_SIZES - 1 };

static const char *const samples[] = {"1", "4", "8", "16"};
enum { NUM_SAMPLES = 4 };

// The clips of a sheet, a movie or a model: the shown clip or all clips.
enum { SHOWN_CLIP, ALL_CLIPS, NUM_CLIP_CHOICES };

static const char *const backgrounds[] = {"As shown", "Transparent"};
static const char *const labels[] = {"None", "Clip and frame"};

static const char automatic_name[] = "{model}_{anim}"; // replaces an empty name

// -- From choices to options ----------------------------------------------------------------

// Frees the texts of the dialog. The choices remain, so that the dialog opens with them again.
void view_free_export(view_export *export)
{
    free(export->output);
    free(export->line);
    free(export->file);
    common_free_list(&export->endings);
    export->output = export->line = export->file = NULL;
}

char *view_write_choices(const view_export_choices *choices)
{
    const view_export_choices c = *choices;
    return common_format("%u%u%u%u%u%u%u%u\t%s\t%s\t%s\t%s\t%s\t%s", c.kind, c.clips, c.size,
                         c.format, c.samples, c.background, c.labels, c.model_format, c.frames,
                         c.sheet, c.resolution, c.rate, c.folder, c.name);
}

// Reads the choices that are numbers from the beginning of a text. Each is one digit, in the order
// of view_write_choices(). Returns the position after them, or NULL if a number is invalid.
static const char *read_choice_numbers(view_export_choices *choices, const char *text)
{
    enum { NUM_DIGITS = 8 };
    const struct {
        uint32_t *value;
        uint32_t count; // number of possible values
    } digits[NUM_DIGITS] = {{&choices->kind, NUM_KINDS},
                            {&choices->clips, NUM_CLIP_CHOICES},
                            {&choices->size, NUM_SIZES},
                            {&choices->format, NUM_FORMATS},
                            {&choices->samples, NUM_SAMPLES},
                            {&choices->background, 2},
                            {&choices->labels, 2},
                            {&choices->model_format, MAX_ENDINGS}};
    for (int i = 0; i < NUM_DIGITS; i++) {
        const uint32_t value = (uint32_t)(text[i] - '0');
        if (value >= digits[i].count) // also if it is not a digit
            return NULL;
        *digits[i].value = value;
    }
    return text + NUM_DIGITS;
}

// Reads the choices that are texts. Each follows a tab, in the order of view_write_choices().
// Returns the position after them, or NULL if a text is missing or too long.
static const char *read_choice_texts(view_export_choices *choices, const char *text)
{
    const struct {
        char *text;
        size_t size;
    } fields[] = {
        {choices->frames, sizeof choices->frames},         {choices->sheet, sizeof choices->sheet},
        {choices->resolution, sizeof choices->resolution}, {choices->rate, sizeof choices->rate},
        {choices->folder, sizeof choices->folder},         {choices->name, sizeof choices->name}};
    const char *position = text;
    for (size_t i = 0; i < COMMON_LENGTH(fields); i++) {
        if (*position != '\t')
            return NULL;
        const char *const begin = position + 1;
        const size_t length = strcspn(begin, "\t");
        if (length >= fields[i].size)
            return NULL;
        memcpy(fields[i].text, begin, length);
        position = begin + length;
    }
    return position;
}

// Reads the choices from a line of view_write_choices(). If the line is invalid, returns false and
// changes nothing.
bool view_read_choices(view_export_choices *choices, const char *text)
{
    view_export_choices read = {.kind = 0};
    const char *const texts = read_choice_numbers(&read, text);
    if (texts == NULL)
        return false;
    const char *const end = read_choice_texts(&read, texts);
    if (end == NULL || *end != '\0')
        return false;

    if (strcmp(read.name, automatic_name) == 0) // written by an earlier version
        read.name[0] = '\0';
    *choices = read;
    return true;
}

// Returns true if a format is the format of the displayed file. The binary variant of a format
// counts as the same format. Its extension ends with the extension of the text variant.
static bool is_source_format(const view_stage *stage, const char *ending)
{
    const char *const shown = view_shown_file(stage->document);
    const char *const dot = shown != NULL ? strrchr(shown, '.') : NULL;
    return dot != NULL && common_has_suffix(ending, dot + 1);
}

// Writes the folder of the displayed file. If there is no such folder, writes the current folder.
static void write_default_folder(const view_stage *stage, char *text, size_t size)
{
    const char *const shown = view_shown_file(stage->document);
    char *const nearby = common_folder(shown != NULL ? shown : "");
    char *const folder = common_absolute(common_is_folder(nearby) ? nearby : ".");
    snprintf(text, size, "%s", folder);
    free(folder);
    free(nearby);
}

// Initializes the choices with the choices of the last session. If there are none, sets defaults:
// the folder of the displayed file, a model format other than the file's format, and the number of
// samples of the options.
static void set_initial_choices(view_export *export, const view_stage *stage)
{
    view_export_choices *const choices = &export->choices;
    const char *const last = stage->config != NULL ? stage->config->export_choices : NULL;
    export->is_set = true;
    if (last != NULL && view_read_choices(choices, last))
        return;

    *choices = (view_export_choices){.format = 1};
    write_default_folder(stage, choices->folder, sizeof choices->folder);
    const uint32_t num_formats = (uint32_t) export->endings.count;
    uint32_t format = 0;
    while (format < num_formats && is_source_format(stage, export->endings.names[format]))
        format++;
    choices->model_format = format < num_formats ? format : 0;

    // Select the largest number of samples in the list that does not exceed the number in the
    // options.
    for (uint32_t i = 0; i < NUM_SAMPLES; i++) {
        const uint32_t num_samples = (uint32_t)strtoul(samples[i], NULL, 10);
        if (num_samples <= stage->options->samples)
            choices->samples = i;
    }
}

// Returns true if a movie is exported.
static bool is_moving(const view_export_choices *choices)
{
    return choices->kind == VIEW_EXPORT_MOVIE || choices->kind == VIEW_EXPORT_TURNTABLE;
}

// Sets the option with the name `option_name` from a text that the user has typed. An empty text
// leaves the option unchanged. If the text is invalid, returns false and sets export->problem.
static bool read_choice(view_export *export, const char *option_name, const char *text,
                        view_options *options)
{
    if (text[0] == '\0')
        return true;
    const view_option *const option = view_find_option(option_name, strlen(option_name));
    if (option != NULL && view_read_option(option, text, options))
        return true;
    const char *const expected = option != NULL ? option->value : "";
    COMMON_TEXT(export->problem, "%s: expected %s", text, expected);
    return false;
}

// Returns the extension of the exported file.
static const char *file_extension(const view_export *export)
{
    const view_export_choices *const choices = &export->choices;
    if (is_moving(choices))
        return formats[choices->format];
    if (choices->kind == VIEW_EXPORT_MODEL)
        return export->endings.names[choices->model_format];
    return formats[0];
}

// Returns the path of the exported file. The caller frees it. The name may contain placeholders:
// {anim} stands for the name of the clip, and {n} for the number of the file.
//
// If the export writes several files, their names must differ. Therefore a placeholder is added for
// the images of a series (`is_series`) and for several clips (`has_all`). A `number` of 2 or more
// is appended to the name.
static char *output_path(const view_export *export, bool is_series, bool has_all, unsigned number)
{
    const view_export_choices *const choices = &export->choices;
    const char *const pattern = choices->name[0] != '\0' ? choices->name : automatic_name;
    const bool is_sheet = choices->kind == VIEW_EXPORT_SHEET;
    const bool is_one_file = choices->kind == VIEW_EXPORT_MODEL || is_sheet;
    const bool has_number = strstr(pattern, "{n") != NULL || strstr(pattern, "{frame") != NULL;
    const bool has_clip = strstr(pattern, "{anim}") != NULL;
    const char *const number_suffix = is_series && !has_number ? "_{n:04}" : "";
    const bool needs_clip = has_all && !is_one_file && !has_clip;
    const char *clip_suffix = needs_clip ? "_{anim}" : "";
    char copy_suffix[16] = "";
    if (number > 1)
        COMMON_TEXT(copy_suffix, "-%u", number);

    // A model with all clips, or without a clip, must not have the name of one clip, and neither
    // must a sheet of all clips. Remove this placeholder. "_sheet" replaces it, because an image
    // with the name of the model could be its texture.
    const char *const clip = strstr(pattern, "_{anim}");
    const bool omits_clip = is_one_file && has_all && clip != NULL;
    if (omits_clip && is_sheet)
        clip_suffix = "_sheet";
    const int pattern_length = omits_clip ? (int)(clip - pattern) : INT_MAX;
    char *const name = common_format("%.*s%s%s%s.%s", pattern_length, pattern, clip_suffix,
                                     copy_suffix, number_suffix, file_extension(export));
    char *const path = common_join(choices->folder, name);
    free(name);
    return path;
}

// Sets the options of the image size and of the display from the choices. If a choice is invalid,
// returns false and sets export->problem.
static bool select_display(view_export *export, const view_stage *stage, view_options *options)
{
    const view_export_choices *const choices = &export->choices;
    const bool is_model = choices->kind == VIEW_EXPORT_MODEL;
    const bool is_custom = choices->size == CUSTOM_SIZE;
    const uint32_t *const size = resolutions[is_custom ? WINDOW_SIZE : choices->size];
    options->width = size[0] > 0 ? size[0] : (uint32_t)stage->width;
    options->height = size[1] > 0 ? size[1] : (uint32_t)stage->height;

    options->samples = (uint32_t)strtoul(samples[choices->samples], NULL, 10);
    options->no_background = choices->background == 1;
    options->shown.grid = options->shown.grid && !options->no_background;
    options->labels = choices->labels == 1;
    options->turntable = choices->kind == VIEW_EXPORT_TURNTABLE;

    if (!is_custom || is_model)
        return true;
    return read_choice(export, "resolution", choices->resolution, options);
}

// Returns the default number of frames of a movie. It is a full turn of a turntable, one cycle of a
// clip, or five seconds of a state machine, which has no end.
static uint32_t default_frame_count(const view_stage *stage, const view_play *play,
                                    const view_options *options)
{
    const double machine_seconds = 5;
    const uint32_t turntable_frames = 72;
    const md5_anim *const anim = view_timing_anim(&stage->document->scene);
    if (options->turntable)
        return turntable_frames;
    if (anim != NULL)
        return view_count_images(play, anim, options->frame_rate);
    return (uint32_t)fmax(machine_seconds * options->frame_rate, 1);
}

// Sets the frame rate and the number of frames of a movie or turntable from the choices. Returns
// false and sets export->problem if a choice is invalid.
static bool select_movie(view_export *export, const view_stage *stage, const view_play *play,
                         bool has_all, view_options *options)
{
    const view_export_choices *const choices = &export->choices;
    options->frame_rate = 24;
    if (!read_choice(export, "frame-rate", choices->rate, options))
        return false;
    if (!has_all)
        options->num_frames = default_frame_count(stage, play, options);
    return read_choice(export, "frames", choices->frames, options);
}

// Sets the numbers of columns and rows of a contact sheet, which is an image with a grid of frames.
// By default, the cells are about as wide as high. If a choice is invalid, returns false and sets
// export->problem.
static bool select_sheet(view_export *export, const view_scene *scene, bool has_all,
                         view_options *options)
{
    const double default_count = 12;
    const double max_count = 64; // columns or rows
    const double num_cells = has_all ? (double)scene->num_clips : default_count;
    const double columns = ceil(sqrt(num_cells * options->width / options->height));
    options->sheet_columns = (uint32_t)fmin(columns, max_count);
    options->sheet_rows = (uint32_t)fmin(ceil(num_cells / options->sheet_columns), max_count);
    return read_choice(export, "sheet", export->choices.sheet, options);
}

// Sets the range of exported frames in `options` and `play`. Movies and contact sheets have a range
// in their choices. Its default is the range of playback, or the whole clip if all clips are
// exported. If a choice is invalid, returns false and sets export->problem.
static bool select_range(view_export *export, view_play *play, bool has_all, view_options *options)
{
    const view_export_choices *const choices = &export->choices;
    const bool has_range = is_moving(choices) || choices->kind == VIEW_EXPORT_SHEET;
    if (has_all)
        play->range_first = play->range_last = 0;
    options->range_first = play->range_first;
    options->range_last = play->range_last;
    if (has_range && !read_choice(export, "range", choices->range, options))
        return false;
    play->range_first = options->range_first;
    play->range_last = options->range_last;
    return true;
}

// Sets the options that select the exported frames. A movie and a contact sheet contain several
// frames, and an image contains the displayed frame. If a choice is invalid, returns false and sets
// export->problem.
static bool select_frames(view_export *export, const view_stage *stage, const view_play *play,
                          bool has_all, view_options *options)
{
    const view_scene *const scene = &stage->document->scene;
    options->num_frames = 0;
    options->sheet_columns = options->sheet_rows = 0;
    options->num_times = 0;
    if (is_moving(&export->choices))
        return select_movie(export, stage, play, has_all, options);
    if (export->choices.kind == VIEW_EXPORT_SHEET)
        return select_sheet(export, scene, has_all, options);

    const bool has_time = view_timing_anim(scene) != NULL || view_shows_machine(stage);
    if (has_time) { // the displayed frame
        options->times = &stage->play->time;
        options->num_times = 1;
    }
    return true;
}

// Returns true if the name of the exported file must not contain the name of one clip. A contact
// sheet or a model contains all clips in one file. Movies and images have one file per clip. A
// model without a clip is named like a model with all clips.
static bool has_names_of_all_clips(const view_export *export, const view_scene *scene, bool has_all)
{
    if (export->choices.kind == VIEW_EXPORT_MODEL)
        return has_all || view_shown_clip(scene) == NULL;
    return has_all;
}

// Sets `options` to the choices of the export dialog. The first call initializes the choices.
// Returns false if the choices cannot be exported, and stores the reason in export->problem.
bool view_select_export(view_export *export, const view_stage *stage, unsigned number,
                        view_options *options)
{
    const view_scene *const scene = &stage->document->scene;
    view_export_choices *const choices = &export->choices;
    if (!export->is_set)
        set_initial_choices(export, stage);
    if (choices->model_format >= export->endings.count) // the last session had more formats
        choices->model_format = 0;
    const bool has_all = choices->clips == ALL_CLIPS && scene->num_clips > 1;
    export->problem[0] = '\0';
    options->all_clips = has_all && choices->kind != VIEW_EXPORT_MODEL;

    view_play play = *stage->play;
    if (!select_display(export, stage, options))
        return false;
    if (!select_range(export, &play, has_all, options))
        return false;
    if (!select_frames(export, stage, &play, has_all, options))
        return false;

    const bool is_png_movie = is_moving(choices) && choices->format == 0; // one image per frame
    const bool is_for_all = has_names_of_all_clips(export, scene, has_all);
    free(export->output);
    export->output = output_path(export, is_png_movie, is_for_all, number);
    options->output = export->output;
    return true;
}

// Returns the index of a word of `length` bytes in a list, ignoring case. Returns `count` if the
// list does not contain the word.
static uint32_t find_choice(const char *const *list, uint32_t count, const char *word,
                            size_t length)
{
    for (uint32_t i = 0; i < count; i++) {
        const bool begins_with_word = strncasecmp(list[i], word, length) == 0;
        if (begins_with_word && list[i][length] == '\0')
            return i;
    }
    return count;
}

// Returns the kind that a word of `length` bytes names, or NUM_KINDS.
static uint32_t find_kind(const char *word, size_t length)
{
    static const char *const sheet = "sheet"; // because "Contact sheet" is two words
    if (find_choice(&sheet, 1, word, length) == 0)
        return VIEW_EXPORT_SHEET;
    return find_choice(kinds, NUM_KINDS, word, length);
}

// Selects the kind of export, or a format, that a word of `length` bytes names. A format also
// selects its kind, unless an earlier word has selected the kind (`had_kind`). The word "all"
// selects all clips. Returns true if the word names a kind.
static bool select_by_word(view_export *export, const char *word, size_t length, bool had_kind)
{
    view_export_choices *const choices = &export->choices;
    const char *const *const endings = (const char *const *)export->endings.names;
    const uint32_t num_endings = (uint32_t) export->endings.count;
    const uint32_t kind = find_kind(word, length);
    const uint32_t format = find_choice(formats, NUM_FORMATS, word, length);
    const uint32_t ending = find_choice(endings, num_endings, word, length);
    const bool is_kind = kind < NUM_KINDS;
    const bool is_format = format < NUM_FORMATS;
    const bool is_model_format = ending < num_endings;
    if (is_kind)
        choices->kind = kind;
    if (is_format) {
        choices->format = format;
        if (!is_kind && !had_kind) // the first format is also used for images
            choices->kind = format == 0 ? VIEW_EXPORT_PICTURE : VIEW_EXPORT_MOVIE;
    }
    if (is_model_format) {
        choices->kind = VIEW_EXPORT_MODEL;
        choices->model_format = ending;
    }
    const char *const all = "all";
    if (find_choice(&all, 1, word, length) == 0)
        choices->clips = ALL_CLIPS;
    if (is_kind || is_format || is_model_format)
        export->focuses_folder = true;
    return is_kind;
}

// Selects the kind and the format of the export from the words of a search text. The words are
// separated by blanks. Words that name neither a kind nor a format are ignored.
void view_name_export(view_export *export, const char *words)
{
    bool has_kind = false;
    const char *word = words;
    while (*word != '\0') {
        const size_t length = strcspn(word, " ");
        has_kind = select_by_word(export, word, length, has_kind) || has_kind;
        word += length;
        word += strspn(word, " ");
    }
}

// -- The form of the dialog -----------------------------------------------------------------

// Reserves the next row of the form and draws its name at the left. Returns the area for the
// control at the right. An empty name needs no space.
static view_rect next_row(view_ui *ui, const char *name)
{
    // The dialog already has a margin. Remove the margins of the row, so that it extends to the
    // edges of the column.
    const float margins = 1.9f * ui->em; // margins that ui_begin_row() has subtracted
    view_rect rest;
    ui_begin_row(ui);
    ui->space.x = ui->column->area.x;
    ui->space.width += margins;
    ui->label_width = name[0] != '\0' ? VIEW_EXPORT_NAME_WIDTH * ui->em : 0;
    ui_next_row(ui, name, VIEW_DIM, &rest);
    return view_inset(rest, ui->scale);
}

// Returns the number of words that fit side by side in a segmented control. It is at least 1.
static uint32_t count_fitting(const view_ui *ui, float width, const char *const *words,
                              uint32_t count)
{
    const float margin = 0.4f * ui->em; // margins at both sides of a text, together
    float used = ui_text_width(ui, words[0]) + margin;
    uint32_t fitting = 1;
    while (fitting < count) {
        used += ui_text_width(ui, words[fitting]) + margin;
        if (used > width)
            break;
        fitting++;
    }
    return fitting;
}

// Adds a segmented control with a name at the left. It selects one of several words. Words that do
// not fit in a row continue in the next row.
static void add_segment(view_ui *ui, const char *name, const char *const *words, uint32_t count,
                        uint32_t *choice)
{
    const uint32_t chosen = *choice; // before a press in this run
    const char *const next_name = name[0] != '\0' ? " " : "";
    view_rect row = next_row(ui, name);
    uint32_t first = 0; // first word of the row
    while (first < count) {
        if (first > 0)
            row = next_row(ui, next_name);
        const uint32_t num_in_row = count_fitting(ui, row.width, words + first, count - first);

        // The index of the selected word in this row. If another row contains it, the index is
        // `num_in_row`, which selects none.
        const bool is_in_row = chosen >= first && chosen - first < num_in_row;
        uint32_t selected = is_in_row ? chosen - first : num_in_row;
        if (ui_segment(ui, row, words + first, num_in_row, &selected))
            *choice = first + selected;
        first += num_in_row;
    }
}

// Adds the rows for the folder and the name of the file. An empty name displays the automatic name
// as a placeholder.
static void add_output_rows(view_ui *ui, view_export *export)
{
    static const char *const browse = "Browse\xE2\x80\xA6";
    view_export_choices *const choices = &export->choices;
    view_rect row = next_row(ui, "Folder");
    if (ui_buttons(ui, &row, &browse, 1, -1) == 0)
        UI_COMMAND(ui, VIEW_OPEN_FOLDER, .number = VIEW_FOLDER_OF_EXPORT);
    if (export->focuses_folder) {
        ui_focus_next(ui);
        ui->focus.selects_all = true;
        export->focuses_folder = false;
    }
    ui_field(ui, row, "Folder", choices->folder, sizeof choices->folder);

    // The placeholder is the automatic name without the file extension.
    const char *const file = export->file != NULL ? common_base(export->file) : "";
    const char *const dot = strrchr(file, '.');
    char hint[160];
    COMMON_TEXT(hint, "Automatic: %.*s", dot != NULL ? (int)(dot - file) : 0, file);
    ui_field(ui, next_row(ui, "Name"), hint, choices->name, sizeof choices->name);
    ui_tooltip(ui, "Placeholders: {model}, {anim}, {n}");
}

// Formats of models, in the order in which the dialog displays them.
typedef struct format_list {
    const char *endings[MAX_ENDINGS];
    uint32_t indices[MAX_ENDINGS]; // in view_export.endings
    uint32_t count;
} format_list;

// Appends formats to a list. If `is_source` is true, appends the formats that are the same as the
// format of the displayed file; otherwise appends all others.
static void list_formats(format_list *list, const view_stage *stage, const view_export *export,
                         bool is_source)
{
    for (size_t i = 0; i < export->endings.count && list->count < MAX_ENDINGS; i++) {
        const char *const ending = export->endings.names[i];
        if (is_source_format(stage, ending) != is_source)
            continue;
        list->endings[list->count] = ending;
        list->indices[list->count] = (uint32_t)i;
        list->count++;
    }
}

// Adds the row for the format of a model. Formats that differ from the format of the displayed file
// come first, because an export usually converts the file.
static void add_model_formats(view_ui *ui, view_export *export)
{
    format_list list = {.count = 0};
    list_formats(&list, ui->stage, export, false);
    list_formats(&list, ui->stage, export, true);
    uint32_t choice = 0;
    for (uint32_t i = 0; i < list.count; i++) {
        if (list.indices[i] == export->choices.model_format)
            choice = i;
    }
    add_segment(ui, "Format", list.endings, list.count, &choice);
    if (choice < list.count)
        export->choices.model_format = list.indices[choice];
}

// Adds the rows for the frames of a movie or a contact sheet.
static void add_frame_choices(view_ui *ui, view_export_choices *choices)
{
    const bool is_moved = is_moving(choices);
    const bool is_sheet = choices->kind == VIEW_EXPORT_SHEET;
    const bool is_turntable = choices->kind == VIEW_EXPORT_TURNTABLE;
    if (is_moved)
        ui_field(ui, next_row(ui, "Frame count"), is_turntable ? "72" : "One cycle",
                 choices->frames, sizeof choices->frames);
    if (is_sheet)
        ui_field(ui, next_row(ui, "Grid"), "Automatic, or such as 4x3", choices->sheet,
                 sizeof choices->sheet);
    if (is_moved || is_sheet)
        ui_field(ui, next_row(ui, "Frame range"), "All, or 0-24", choices->range,
                 sizeof choices->range);
}

// Adds the rows for the size, the format and the display of images and movies.
static void add_image_choices(view_ui *ui, view_export_choices *choices)
{
    add_segment(ui, "Size", sizes, NUM_SIZES, &choices->size);
    if (choices->size == CUSTOM_SIZE)
        ui_field(ui, next_row(ui, " "), "1280x720", choices->resolution,
                 sizeof choices->resolution);
    if (is_moving(choices)) {
        add_segment(ui, "Format", formats, NUM_FORMATS, &choices->format);
        ui_field(ui, next_row(ui, "Frame rate"), "24 fps", choices->rate, sizeof choices->rate);
    }
    add_segment(ui, "Samples", samples, NUM_SAMPLES, &choices->samples);
    add_segment(ui, "Background", backgrounds, 2, &choices->background);
    add_segment(ui, "Labels", labels, 2, &choices->labels);
}

// Adds all rows of the form: the kind of export, then the choices that apply to this kind.
static void add_choices(view_ui *ui, view_export *export)
{
    view_export_choices *const choices = &export->choices;
    const view_clip *const clip = view_shown_clip(ui->scene);
    add_segment(ui, "", kinds, NUM_KINDS, &choices->kind);
    if (ui->scene->num_clips > 1) {
        char all_clips[32];
        COMMON_TEXT(all_clips, "All %zu", ui->scene->num_clips);
        const char *const words[] = {clip != NULL ? clip->name : "Current", all_clips};
        add_segment(ui, "Clips", words, NUM_CLIP_CHOICES, &choices->clips);
    }

    add_frame_choices(ui, choices);
    if (choices->kind == VIEW_EXPORT_MODEL)
        add_model_formats(ui, export);
    else
        add_image_choices(ui, choices);
    add_output_rows(ui, export);
}

// Adds the name and the estimated size of the exported file. The name of an existing file has a
// warning color, because the export would replace the file.
static void add_file_description(view_ui *ui, const view_export *export)
{
    char size[48] = ", size unknown";
    if (export->bytes > 0)
        COMMON_TEXT(size, ", about %.2f MB", 1e-6 * export->bytes);
    const char *const note = export->exists ? ", already exists" : "";
    const view_color color = export->exists ? VIEW_AMBER : VIEW_PLAIN;
    char *const text = common_format("\xE2\x86\x92 %s%s%s", common_base(export->file), size, note);
    ui_column_text(ui, color, text);
    free(text);
}

// Adds the results of the choices: the exported file, and the equivalent command line with a button
// that copies it.
static void add_results(view_ui *ui, const view_export *export)
{
    static const char *const copy = "Copy";
    if (export->line == NULL || export->file == NULL)
        return;
    add_file_description(ui, export);
    if (export->line[0] == '\0')
        return;
    view_rect row = next_row(ui, "");
    if (ui_buttons(ui, &row, &copy, 1, -1) == 0)
        view_copy_text(export->line);
    ui_text(ui, row.x, row.y + 3.5f * ui->scale, row.width, VIEW_DIM, "Equivalent command");
    ui_column_text(ui, VIEW_PLAIN, export->line);
}

// -- The dialog -----------------------------------------------------------------------------

// Executes the button "Export", "Replace" or "Stop". If the file already exists, the first press
// only asks if the file should be replaced.
static void press_run_button(view_ui *ui, view_export *export)
{
    const bool is_running = export->total > 0;
    const bool is_wrong = export->problem[0] != '\0';
    if (is_running)
        UI_COMMAND(ui, VIEW_STOP_EXPORT);
    else if (is_wrong)
        return;
    else if (export->exists && !export->asks)
        export->asks = true;
    else
        UI_COMMAND(ui, VIEW_RUN_EXPORT);
}

// Draws the buttons in the last row and handles their input. One button closes the dialog, and
// Escape does the same. The other button starts or stops the export, and Enter does the same.
static void run_export_buttons(view_ui *ui, view_export *export, view_rect *foot)
{
    enum { CLOSE, RUN, NUM_BUTTONS };
    const bool is_running = export->total > 0;
    const bool is_wrong = export->problem[0] != '\0';
    const char *const close_label = is_running ? "Continue in the background" : "Close";
    const char *run_label = export->asks ? "Replace" : "Export";
    if (is_running)
        run_label = "Stop";
    const char *const button_labels[NUM_BUTTONS] = {[CLOSE] = close_label, [RUN] = run_label};
    const int primary = is_wrong ? -1 : RUN;
    const int pressed = ui_buttons(ui, foot, button_labels, NUM_BUTTONS, primary);
    if (pressed == RUN || ui_key(ui, VIEW_KEY_RETURN))
        press_run_button(ui, export);
    if (pressed == CLOSE || ui_key(ui, VIEW_KEY_ESCAPE))
        UI_COMMAND(ui, VIEW_EXPORT); // the command toggles the dialog
}

// Draws the last row of the dialog and handles its input. At the left of the buttons, it
// displays an error, a question or the progress.
static void run_foot(view_ui *ui, view_export *export, view_rect foot)
{
    run_export_buttons(ui, export, &foot);

    // While an export runs, display its progress as a bar and a text.
    char progress[96] = "";
    if (export->total > 0) {
        const float height = 4 * ui->scale;
        const view_rect bar = {foot.x, foot.y + foot.height - height, foot.width, height};
        ui_bar(ui, bar, (float)export->done / (float)export->total);
        COMMON_TEXT(progress, "%u of %u, %.0f s left", export->done, export->total,
                    ceil(export->left));
    }

    // An error replaces the progress, and so does the question whether to replace an existing file.
    const char *message = progress;
    view_color color = VIEW_PLAIN;
    if (export->problem[0] != '\0') {
        message = export->problem;
        color = VIEW_WRONG;
    } else if (export->asks) {
        message = "The file already exists";
        color = VIEW_AMBER;
    }
    ui_text(ui, foot.x, foot.y + 2 * ui->scale, foot.width, color, message);
}

// Draws the preview at the top of the side column, and removes its space from the column.
static void draw_preview(view_ui *ui, const view_export *export, view_rect *side)
{
    const float scale = ui->scale;
    const uint32_t height = 1000; // only the aspect ratio matters
    const view_rect box = view_cut(side, VIEW_AT_TOP, 0.7f * side->width);
    view_draw_round_rect(ui->canvas, box, 4 * scale, VIEW_PREVIEW_COLOR);
    if (export->preview != 0)
        ui_image(ui, box, export->preview, (uint32_t)((float)height * export->preview_shape),
                 height, true);
    view_cut(side, VIEW_AT_TOP, 8 * scale);
}

// Draws the export dialog and handles its input. A large dialog has the form in one column, and
// the preview and the results in another. A small dialog displays the results below the form,
// without the preview.
void view_export_panel(view_ui *ui, view_export *export)
{
    const view_export_choices before = export->choices;
    const float scale = ui->scale;
    const bool is_small = ui->stage->width < 700 * scale || ui->stage->height < 400 * scale;
    const float dialog_width = is_small ? 560 : 880;
    view_rect foot;
    view_rect form = ui_footed_dialog(ui, VIEW_EXPORT_PANEL, dialog_width, 470, "Export", &foot);
    view_rect side = view_cut(&form, VIEW_AT_LEFT, is_small ? 0 : 0.42f * form.width);
    export->is_small = is_small;

    ui_column column;
    ui_begin_list(ui, &column, form, &ui->scrolls[UI_SCROLL_EXPORT]);
    if (export->is_set)
        add_choices(ui, export);
    if (!is_small) {
        ui_end_column(ui);
        view_cut(&side, VIEW_AT_RIGHT, 16 * scale); // gap between the columns
        draw_preview(ui, export, &side);
        ui_begin_list(ui, &column, side, &ui->scrolls[UI_SCROLL_EXPORT_SIDE]);
    }
    add_results(ui, export);
    ui_end_column(ui);

    // A confirmation to replace a file is valid only for the choices for which the dialog asked.
    // After a change the dialog must ask again.
    const bool has_changed = memcmp(&before, &export->choices, sizeof before) != 0;
    if (has_changed)
        export->asks = false;
    run_foot(ui, export, foot);
}
