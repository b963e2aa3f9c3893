// Draws the panel of a lesson with its text, code, sliders, choices, values and links. Also draws
// the labels and the plots over the image. view_page_panel() draws all of these.
#include "demo/viewer/pages/page.h"

#include <limits.h>

// == Text, lines of C, sliders and plots ==========================================================

static const view_color code_box = 0x1B2029FFu;

static const view_color code_color = 0xD8DEE9FFu;

static const view_color comment_color = 0x8FB573FFu;

// The text column of the panel, which is written from top to bottom.
typedef struct text_column {
    view_canvas *canvas;
    view_ui *ui;
    float x;
    float y;
    float width;
    bool is_narrow; // the panel is at the bottom: names use a larger part of the width
    // The plots are in this column instead of below the figures, where the code of the page is.
    bool has_plots;
} text_column;

// Returns the rank of position i for breaking a line of code; lower is better. A break within few
// brackets is best. Next best is a break after a comma or a semicolon, or before the ? or : of a
// condition.
static int rank_break(const char *code, size_t i, int num_open_brackets)
{
    const bool is_after_comma = code[i - 1] == ',' || code[i - 1] == ';';
    const bool is_before_operator = strchr("?:", code[i + 1]) != NULL;
    const bool is_good = is_after_comma || is_before_operator;
    return 2 * num_open_brackets + (is_good ? 0 : 1);
}

// Returns the number of characters of a line of code that fit into `columns` columns. Code can be
// broken at a space or after an opening bracket, comments only at a space. Prefers the second half
// of the line: the last of the best positions, in a comment the last position. Otherwise uses the
// last position in the first half.
static size_t find_break(const char *code, size_t length, size_t columns, bool in_comment)
{
    if (length <= columns)
        return length;
    size_t in_first_half = 0;  // the last position; 0: none
    size_t in_second_half = 0; // the best position; 0: none
    int best_rank = INT_MAX;
    int num_open = 0; // brackets
    for (size_t i = 1; i <= columns; i++) {
        const char before = code[i - 1];
        if (strchr("([{", before) != NULL)
            num_open++;
        if (strchr(")]}", before) != NULL)
            num_open--;
        const bool is_after_bracket = before == '(' && !in_comment;
        if (code[i] != ' ' && !is_after_bracket)
            continue;
        if (2 * i < columns) {
            in_first_half = i;
            continue;
        }
        const int rank = in_comment ? 0 : rank_break(code, i, num_open);
        if (rank <= best_rank) {
            best_rank = rank;
            in_second_half = i;
        }
    }
    if (in_second_half > 0)
        return in_second_half;
    return in_first_half > 0 ? in_first_half : columns;
}

// Returns the index of the first `//` in a part of a line, or the length of the part.
static size_t find_comment(const char *text, size_t length)
{
    for (size_t i = 0; i + 1 < length; i++) {
        if (text[i] == '/' && text[i + 1] == '/')
            return i;
    }
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

// Writes one line of code at column->y, and moves column->y below it. A line that is too long is
// wrapped. Continuations of code are indented by four more columns, and continuations of comments
// begin with // again. If `is_drawn` is false, only moves column->y, which measures the height of
// the line.
static void write_code_line(text_column *column, const char *line, size_t length, bool is_drawn)
{
    enum { MIN_COLUMNS = 8, CONTINUATION_INDENT = 4, SLASHES = 3 }; // SLASHES: "// "
    const view_font *const font = column->canvas->font;
    const float letter = view_text_width(font, VIEW_CODE, " ");
    const float inset = VIEW_CODE_INSET * font->scale;
    const size_t first = strspn(line, " ");
    const bool is_empty = first >= length;
    if (is_empty) {
        column->y += view_code_line_height(font);
        return;
    }

    // Each step of the loop writes the part of the line that fits into one line of the box.
    size_t indent = first; // columns
    bool in_comment = false;
    size_t begin = first;
    while (begin < length) {
        const char *const text = line + begin;
        float x = (float)indent * letter;
        if (in_comment) {
            if (is_drawn)
                view_draw_text(column->canvas, VIEW_CODE, x + (column->x + inset), column->y, 0,
                               comment_color, "//");
            x += (float)SLASHES * letter;
        }
        const float columns = fmaxf((column->width - 2 * inset - x) / letter, MIN_COLUMNS);
        in_comment = in_comment || strncmp(text, "//", 2) == 0;
        const size_t num_chars = find_break(text, length - begin, (size_t)columns, in_comment);
        const size_t num_code = in_comment ? 0 : find_comment(text, num_chars);
        if (is_drawn)
            draw_code(column->canvas, x + (column->x + inset), column->y, text, num_code,
                      num_chars);

        if (begin == first && !in_comment)
            indent += CONTINUATION_INDENT;
        in_comment = in_comment || num_code < num_chars;
        column->y += view_code_line_height(font);
        begin += num_chars + strspn(text + num_chars, " ");
    }
}

// Draws lines of C code in a box at the current position of a column, with comments in another
// color. Advances the position past the box.
static void write_code(text_column *column, const char *lines)
{
    const view_font *const font = column->canvas->font;
    const float inset = VIEW_CODE_INSET * font->scale;
    const float space = view_code_gap(font);
    const float top = column->y + space;
    // The first pass measures the height of the box, the second draws the text over it.
    for (int pass = 0; pass < 2; pass++) {
        const bool is_drawn = pass == 1;
        const char *line = lines;
        column->y = top + inset;
        while (*line != '\0') {
            const size_t length = strcspn(line, "\n");
            write_code_line(column, line, length, is_drawn);
            line += length;
            if (*line == '\n')
                line++;
        }
        if (!is_drawn)
            view_draw_round_rect(
                column->canvas, (view_rect){column->x, top, column->width, column->y + inset - top},
                6 * font->scale, code_box);
    }
    column->y += inset + space;
}

// Writes one line of text, which is cut at the width of the column.
static void write_text(text_column *column, view_text_size size, view_color color, const char *text)
{
    view_draw_text(column->canvas, size, column->x, column->y, column->width, color, text);
    column->y += column->canvas->font->line[size];
}

// Returns the distance between two parts of the panel.
static float small_gap(const view_font *font)
{
    return 0.3f * font->line[VIEW_TEXT];
}

// Writes a text in as many lines as it needs.
static void write_paragraph(text_column *column, view_text_size size, view_color color,
                            const char *text)
{
    char row[VIEW_MAX_LINE];
    while (*text != '\0') {
        text = view_next_line(column->canvas->font, size, column->width, text, row);
        write_text(column, size, color, row);
    }
}

// Distances of text buttons, layout units.
static const float button_inset = 5; // distance between the text and the side of the button

static const float button_gap = 3; // distance between two buttons

// Draws a text button. A button of a choice has a background, which shows if it is selected; other
// buttons are links.
static void draw_text_button(view_canvas *canvas, view_rect button, const char *text,
                             bool is_choice, bool is_selected)
{
    const float inset = button_inset * canvas->font->scale;
    view_color color = VIEW_ACCENT;
    if (is_choice) {
        const float line = canvas->font->line[VIEW_TEXT];
        view_draw_round_rect(canvas, view_inset(button, 0.06f * line), 4 * canvas->font->scale,
                             is_selected ? VIEW_SELECTED : VIEW_CONTROL);
        color = is_selected ? VIEW_BRIGHT : VIEW_PLAIN;
    }
    view_draw_text(canvas, VIEW_TEXT, button.x + inset, button.y, button.width - inset, color,
                   text);
}

// Writes text buttons in rows that begin at `left`. If `selected` is not -1, the buttons are a
// choice, and it is the index of the selected button. Otherwise the buttons are links. As an
// interface item, a button has the name "LABEL=TEXT". Returns the index of the pressed button, or
// -1.
static int write_buttons(text_column *column, float left, const char *label,
                         const char *const *texts, int count, int selected)
{
    const view_font *const font = column->canvas->font;
    const float line = font->line[VIEW_TEXT];
    const float right = column->x + column->width;
    float x = left;
    int pressed = -1;
    for (int i = 0; i < count; i++) {
        const float text_width = view_text_width(font, VIEW_TEXT, texts[i]);
        const float width = text_width + 2 * (button_inset * font->scale);
        const bool is_first_in_row = x <= left;
        if (!is_first_in_row && x + width > right) {
            x = left;
            column->y += line;
        }
        const view_rect button = {x, column->y, fminf(width, right - x), line};
        draw_text_button(column->canvas, button, texts[i], selected >= 0, i == selected);

        char name[96];
        COMMON_TEXT(name, "%s=%s", label, texts[i]);
        if (ui_item(column->ui, button, name))
            pressed = i;
        x += width + button_gap * font->scale;
    }
    column->y += line;
    return pressed;
}

// Writes a word, such as "Next", followed by links to the lessons pages[i] with titles[i].
static void write_links(text_column *column, const char *word, const char *const *titles,
                        const int32_t *pages, int count)
{
    enum { NO_CHOICE = -1 };
    const float word_width =
        view_draw_text(column->canvas, VIEW_TEXT, column->x, column->y, 0, VIEW_DIM, word);
    const float left = column->x + word_width + 0.5f * column->canvas->font->line[VIEW_TEXT];
    const int pressed = write_buttons(column, left, word, titles, count, NO_CHOICE);
    if (pressed >= 0)
        UI_COMMAND(column->ui, VIEW_OPEN_PAGE, .number = (size_t)pages[pressed]);
}

// Returns the part of the width that is reserved for the names of sliders.
static float name_fraction(const text_column *column)
{
    return column->is_narrow ? 0.5f : 0.34f;
}

// Returns the width of the words of a choice as buttons in one row, pixels.
static float choice_width(const view_font *font, const view_slider *slider, int count)
{
    float width = 0;
    for (int i = 0; i < count; i++)
        width += view_text_width(font, VIEW_TEXT, slider->words[i])
                 + (2 * button_inset + button_gap) * font->scale;
    return width;
}

// Writes a button with the selected word of a choice, which opens and closes the list of all words.
// Returns true if the list is shown in this frame.
static bool write_drop_down(text_column *column, view_pages *pages, uint32_t number, float left)
{
    const view_slider *const slider = &pages->picture.page->sliders[number];
    const int selected = (int)lroundf(pages->values[number]);
    const bool is_open = pages->unfolded == number + 1;
    const char *const arrow = is_open ? "\xE2\x86\x91" : "\xE2\x86\x93"; // up, down
    const char *const texts[2] = {slider->words[selected], arrow};
    if (write_buttons(column, left, slider->name, texts, 2, 0) >= 0)
        pages->unfolded = is_open ? 0 : number + 1;
    return is_open;
}

// Writes choice `number` of the lesson, and stores the word that the user selects. If all words fit
// to the right of its name in one row, shows them there. Otherwise shows a drop-down list.
static void write_choice(text_column *column, view_pages *pages, uint32_t number)
{
    const view_slider *const slider = &pages->picture.page->sliders[number];
    const float fraction = name_fraction(column);
    const float name_width = (fraction - 0.02f) * column->width;
    const int count = (int)slider->high + 1; // number of words
    const int selected = (int)lroundf(pages->values[number]);
    view_draw_text(column->canvas, VIEW_TEXT, column->x, column->y, name_width, VIEW_PLAIN,
                   slider->name);

    float left = column->x + fraction * column->width;
    const float free_width = column->x + column->width - left;
    const bool fits = choice_width(column->canvas->font, slider, count) <= free_width;
    if (!fits) {
        if (!write_drop_down(column, pages, number, left))
            return;
        left = column->x; // the list uses the whole width
    }

    const int pressed = write_buttons(column, left, slider->name, slider->words, count, selected);
    if (pressed < 0)
        return;
    pages->values[number] = (float)pressed;
    pages->unfolded = 0;
    column->ui->held = column->ui->item.panel; // this press has changed a value of the panel
}

// Returns the value of a fact. Rounding errors of measured values and a negative zero become 0.
static double shown_value(const view_fact *fact)
{
    const double rounding_error = fact->unit[0] != '\0' ? 1e-4 : 1e-12;
    return fabs(fact->value) < rounding_error ? 0 : fact->value;
}

// Sends the facts as lines of text to the web page in which the viewer runs, because the page shows
// them instead of the panel.
static void send_facts(const view_picture *picture)
{
    char *lines = common_copy("facts");
    for (uint32_t i = 0; i < picture->num_facts; i++) {
        const view_fact *const fact = &picture->facts[i];
        if (fact->text != NULL)
            common_extend(&lines, "\n%s: %s", fact->name, fact->text);
        else if (fact->column != NULL)
            common_extend(&lines, "\n%s, %s: %.7g %s", fact->name, fact->column, shown_value(fact),
                          fact->unit);
        else
            common_extend(&lines, "\n%s: %.4g %s", fact->name, shown_value(fact), fact->unit);
    }
    view_send_page_request(lines);
    free(lines);
}

// Writes a line with the name of a fact and its value. All values begin at the same x. A value that
// is too wide ends at the right edge of the column instead, if its name is short enough.
static void write_fact(text_column *column, const char *name, const char *value)
{
    const view_font *const font = column->canvas->font;
    const float gap = 0.02f * column->width;
    const float name_right = view_text_width(font, VIEW_TEXT, name) + gap;
    const float right_aligned = column->width - view_text_width(font, VIEW_TEXT, value);
    float value_left = (column->is_narrow ? 0.68f : 0.62f) * column->width;
    const bool is_too_wide = right_aligned < value_left;
    if (is_too_wide && name_right <= right_aligned)
        value_left = right_aligned;
    view_draw_text(column->canvas, VIEW_TEXT, column->x + value_left, column->y,
                   column->width - value_left, VIEW_BRIGHT, value);
    view_draw_text(column->canvas, VIEW_TEXT, column->x, column->y, value_left - gap, VIEW_DIM,
                   name);
    column->y += font->line[VIEW_TEXT];
}

// Writes the chapter and the number of the lesson, the title, the explanation and the first steps.
// The keyboard shortcuts follow the number, if they fit into its line and the device has a
// keyboard.
static void write_introduction(text_column *column, const view_pages *pages)
{
    const view_page *const page = pages->picture.page;
    char position[64];
    char position_and_keys[96];
    COMMON_TEXT(position, "%s  %d / %u", page->family, pages->open + 1, view_num_pages);
    COMMON_TEXT(position_and_keys, "%s   Y: next   Esc: close", position);
    const bool has_keys = !column->is_narrow && !column->ui->is_touched;
    const bool fits =
        view_text_width(column->canvas->font, VIEW_TEXT, position_and_keys) <= column->width;
    write_text(column, VIEW_TEXT, VIEW_DIM, has_keys && fits ? position_and_keys : position);
    write_paragraph(column, VIEW_TITLE, VIEW_BRIGHT, page->title);
    write_paragraph(column, VIEW_TEXT, VIEW_PLAIN, page->about);
    column->y += small_gap(column->canvas->font);
    write_paragraph(column, VIEW_TEXT, VIEW_BRIGHT, page->first);
}

// Writes a button that shows and hides the answer to the question of the lesson, and the answer.
static void write_answer(text_column *column, view_pages *pages)
{
    const char *const answer = pages->picture.page->answer;
    const char *const button = pages->shows_answer ? "Hide answer" : "Show answer";
    if (answer == NULL)
        return;
    if (write_buttons(column, column->x, "answer", &button, 1, 0) == 0)
        pages->shows_answer = !pages->shows_answer;
    if (pages->shows_answer)
        write_paragraph(column, VIEW_TEXT, VIEW_PLAIN, answer);
}

// Writes a slider for a real number or an integer, and changes `value` if the user moves it. Some
// sliders move automatically while their value is negative (see view_moving_part()). Their names
// contain "plays".
static void write_slider(text_column *column, const view_slider *slider, float *value)
{
    const bool is_integer = slider->words == view_integer_slider;
    const bool is_playing = *value < 0 && strstr(slider->name, "plays") != NULL;
    char text[64];
    if (is_playing)
        COMMON_TEXT(text, "plays");
    else
        COMMON_TEXT(text, is_integer ? "%.0f" : "%.3g", *value);

    view_ui *const ui = column->ui;
    const float line = column->canvas->font->line[VIEW_TEXT];
    ui->space = (view_rect){column->x, column->y, column->width, line};
    ui->label_width = name_fraction(column) * column->width;
    ui->value_width = (column->is_narrow ? 0.18f : 0.3f) * column->width;
    const bool is_moved = ui_slider(ui, slider->name, VIEW_PLAIN, text, VIEW_BRIGHT, slider->low,
                                    slider->high, &slider->first, value);
    if (is_moved && is_integer)
        *value = roundf(*value);
    column->y += line;
}

// Writes the sliders and the choices of the lesson.
static void write_sliders(text_column *column, view_pages *pages)
{
    const view_page *const page = pages->picture.page;
    for (uint32_t i = 0; i < view_num_sliders(page); i++) {
        const view_slider *const slider = &page->sliders[i];
        const bool is_choice = slider->words != NULL && slider->words != view_integer_slider;
        if (is_choice)
            write_choice(column, pages, i);
        else
            write_slider(column, slider, &pages->values[i]);
    }
}

// Writes the plots of the lesson one below the other.
static void write_plots(text_column *column, const view_picture *picture)
{
    const float line = column->canvas->font->line[VIEW_TEXT];
    // Two plots, or a plot above a table, are lower, so that the values below them are visible
    // without scrolling.
    const bool is_low = picture->num_plots > 1 || picture->page->columns[0] != NULL;
    const float height = (is_low ? 6.5f : 8.5f) * line;
    for (uint32_t i = 0; i < picture->num_plots; i++) {
        const view_rect box = {column->x, column->y, column->width, height};
        view_draw_plot(&picture->plots[i], column->canvas, box);
        column->y += height + 0.3f * line;
    }
}

// Returns the printf() format of a value: four digits, or all digits of the integer part.
static const char *value_format(const view_fact *fact)
{
    return fabs(fact->value) < 1000 ? "%.4g" : "%.0f";
}

// Writes a line of the table of facts: a name, and one text for each column.
static void write_table_line(text_column *column, const char *name,
                             const char texts[VIEW_PAGE_COLUMNS][32], view_color color)
{
    const float name_width = (column->is_narrow ? 0.46f : 0.4f) * column->width;
    const float cell_width = (column->width - name_width) / (float)VIEW_PAGE_COLUMNS;
    const float gap = 0.02f * column->width;
    view_draw_text(column->canvas, VIEW_TEXT, column->x, column->y, name_width - gap, VIEW_DIM,
                   name);
    for (int i = 0; i < VIEW_PAGE_COLUMNS; i++) {
        const float left = name_width + (float)i * cell_width;
        view_draw_text(column->canvas, VIEW_TEXT, column->x + left, column->y, cell_width - gap,
                       color, texts[i]);
    }
    column->y += column->canvas->font->line[VIEW_TEXT];
}

// Writes the names of the columns above the first row of the table of facts.
static void write_table_header(text_column *column, const view_page *page)
{
    char texts[VIEW_PAGE_COLUMNS][32];
    for (int i = 0; i < VIEW_PAGE_COLUMNS; i++)
        COMMON_TEXT(texts[i], "%s", page->columns[i]);
    column->y += 0.3f * column->canvas->font->line[VIEW_TEXT];
    write_table_line(column, "", texts, VIEW_AMBER);
}

// Writes a row of the table of facts, whose values begin at `facts`.
static void write_table_row(text_column *column, const view_fact *facts)
{
    char name[96];
    char texts[VIEW_PAGE_COLUMNS][32];
    const char *const separator = facts->unit[0] != '\0' ? ", " : "";
    COMMON_TEXT(name, "%s%s%s", facts->name, separator, facts->unit);
    for (int i = 0; i < VIEW_PAGE_COLUMNS; i++)
        COMMON_TEXT(texts[i], value_format(&facts[i]), shown_value(&facts[i]));
    write_table_line(column, name, texts, VIEW_BRIGHT);
}

// Writes a fact that is not in the table: its text, or its value and unit.
static void write_single_fact(text_column *column, const view_fact *fact)
{
    if (fact->text != NULL) {
        write_fact(column, fact->name, fact->text);
        return;
    }
    char number[32];
    char text[64];
    COMMON_TEXT(number, value_format(fact), shown_value(fact));
    COMMON_TEXT(text, "%s %s", number, fact->unit);
    write_fact(column, fact->name, text);
}

// Writes the facts of the lesson. A row of the table consists of VIEW_PAGE_COLUMNS facts.
static void write_facts(text_column *column, const view_picture *picture)
{
    bool has_header = false;
    uint32_t i = 0;
    while (i < picture->num_facts) {
        const view_fact *const fact = &picture->facts[i];
        const bool is_in_table = fact->column != NULL;
        if (!is_in_table) {
            write_single_fact(column, fact);
            i++;
            continue;
        }
        if (!has_header)
            write_table_header(column, picture->page);
        has_header = true;
        write_table_row(column, fact);
        i += VIEW_PAGE_COLUMNS;
    }
}

// Writes links to the next lesson, to the list of lessons, and to related lessons. On a touch
// screen, this is the only way to the list.
static void write_lesson_links(text_column *column, const view_pages *pages)
{
    const view_page *const page = pages->picture.page;
    const int32_t next = (pages->open + 1) % (int32_t)view_num_pages;
    const int32_t destinations[2] = {next, VIEW_CONTENTS};
    const char *const names[2] = {view_page_at((uint32_t)next)->title, "All lessons"};
    write_links(column, "Next", names, destinations, 2);

    int32_t related[VIEW_PAGE_LINKS];
    const char *titles[VIEW_PAGE_LINKS];
    int num_related = 0;
    for (int i = 0; i < VIEW_PAGE_LINKS && page->see[i] != NULL; i++) {
        related[i] = view_find_page(page->see[i]);
        titles[i] = view_page_at((uint32_t)related[i])->title;
        num_related++;
    }
    write_links(column, "See also", titles, related, num_related);
}

// Writes a button that copies the code of the lesson and, unless the code is below the figures, the
// code.
static void write_lesson_code(text_column *column, const view_pages *pages, double uptime)
{
    static const char *const buttons[] = {"Copy code"};
    char *const code = view_page_lines(pages->picture.page, pages->values);
    if (write_buttons(column, column->x, "copy", buttons, 1, 0) == 0)
        ui_copy(column->ui, uptime, code, "code of this lesson");
    if (!column->has_plots)
        write_code(column, code);
    free(code);
}

// Writes the complete lesson. `uptime` is the time of the frame, seconds. ui_copy() uses it to show
// the notice that the code was copied.
static void write_lesson(text_column *column, view_pages *pages, double uptime)
{
    const view_picture *const picture = &pages->picture;
    const char *const sources = picture->page->sources;
    const float gap = small_gap(column->canvas->font);
    write_introduction(column, pages);
    write_answer(column, pages);
    column->y += gap;
    write_sliders(column, pages);
    column->y += gap;
    if (column->has_plots)
        write_plots(column, picture);
    write_facts(column, picture);
    column->y += gap;
    write_lesson_code(column, pages, uptime);
    write_lesson_links(column, pages);
    if (sources[0] != '\0') {
        char text[512];
        COMMON_TEXT(text, "Sources (see test/techniques.md): %s.", sources);
        write_paragraph(column, VIEW_TEXT, VIEW_DIM, text);
    }
}

// Draws the box with the code below the figures, and handles its scrolling.
static void show_code_box(view_ui *ui, const view_stage *stage, view_rect box)
{
    view_pages *const pages = stage->pages;
    ui_column rows;
    ui_box(ui, "page-code", box, "");
    ui_begin_column(ui, &rows, box, &pages->code_scroll);
    rows.margin = 0; // view_page_code_height() contains the space below the code
    text_column column = {
        .canvas = ui->canvas, .ui = ui, .x = box.x, .y = rows.y, .width = box.width};
    char *const code = view_page_lines(pages->picture.page, pages->values);
    write_code(&column, code);
    free(code);
    rows.y = column.y;
    ui_end_column(ui);
}

// Returns the rectangle of the panel: at the bottom of the window or at its left.
static view_rect panel_rect(const view_stage *stage)
{
    const float margin = VIEW_MARGIN * stage->font->scale;
    const float bottom_height = view_page_panel_height(stage);
    const bool is_at_bottom = bottom_height > 0;
    const float top = is_at_bottom ? stage->height - bottom_height : margin;
    const float outer_width = is_at_bottom ? stage->width : view_page_panel_width(stage);
    return (view_rect){margin, top, outer_width - 1.5f * margin, stage->height - top - margin};
}

// Draws the panel with the text and the sliders. If there is space below the figures, also draws
// the box with the code. Also handles the input of both.
static void show_lesson_panel(view_ui *ui, const view_stage *stage)
{
    view_pages *const pages = stage->pages;
    const float margin = VIEW_MARGIN * stage->font->scale;
    const float padding = VIEW_PADDING * stage->font->scale;
    const float code = view_page_code_height(stage); // 0: the code is in the panel
    pages->panel = panel_rect(stage);
    ui_box(ui, "page-slider", pages->panel, "");

    ui_column rows;
    view_rect area = view_inset(pages->panel, padding);
    area.width += padding; // for the scroll bar
    ui_begin_column(ui, &rows, area, &pages->scroll);
    text_column column = {.canvas = ui->canvas,
                          .ui = ui,
                          .x = area.x,
                          .y = rows.y,
                          .width = area.width - padding,
                          .is_narrow = view_page_panel_height(stage) > 0,
                          .has_plots = code > 0};
    write_lesson(&column, pages, stage->uptime);
    rows.y = column.y;
    ui_end_column(ui);

    if (code > 0) {
        const float left = view_page_panel_width(stage);
        const view_rect box = {left, stage->height - code, stage->width - left - margin,
                               code - margin};
        show_code_box(ui, stage, box);
    }
}

// == Labels and plots over the image ==============================================================

// Draws a label over the image, centered at the projection of its position. A label that would
// extend past the edge of the image is moved inward.
static void draw_label(const view_stage *stage, const view_label *label, md5_mat44 world_to_clip)
{
    const md5_viewport viewport = {.width = stage->width, .height = stage->height};
    md5_vec3 center; // pixels
    if (!md5_mat44_project(world_to_clip, viewport, label->position, &center))
        return;
    const float scale = stage->font->scale;
    const float inset = 6 * scale; // distance between the text and the edge of its box
    const float height = 22 * scale;
    const float width = view_text_width(stage->font, VIEW_TEXT, label->text) + 2 * inset;
    const float min_left = view_page_panel_width(stage);
    const float max_left = fmaxf(stage->width - VIEW_MARGIN * scale - width, min_left);
    const float left = view_clamp(center.x - 0.5f * width, min_left, max_left);
    const view_rect box = {left, center.y - 0.5f * height, width, height};
    view_draw_round_rect(stage->canvas, box, inset, 0x12151AC0u);
    view_draw_text(stage->canvas, VIEW_TEXT, box.x + inset, box.y + 2 * scale, 0, label->color,
                   label->text);
}

// Draws the plots side by side below the figures.
static void draw_bottom_plots(const view_stage *stage, float height)
{
    const view_picture *const picture = &stage->pages->picture;
    const float margin = VIEW_MARGIN * stage->font->scale;
    const float left = view_page_panel_width(stage);
    const float top = stage->height - height - view_page_panel_height(stage);
    for (uint32_t i = 0; i < picture->num_plots; i++) {
        const float width = (stage->width - left) / (float)picture->num_plots;
        const view_rect box = {left + (float)i * width, top, width - margin, height - margin};
        view_draw_plot(&picture->plots[i], stage->canvas, box);
    }
}

// Draws the labels of the picture over the image.
static void draw_labels(const view_stage *stage)
{
    const view_picture *const picture = &stage->pages->picture;
    md5_mat44 world_to_camera;
    md5_mat44 camera_to_clip;
    view_lens_matrices(&stage->pages->lens, &world_to_camera, &camera_to_clip);
    const md5_mat44 world_to_clip = md5_mat44_mul(camera_to_clip, world_to_camera);
    for (uint32_t i = 0; i < picture->num_labels; i++)
        draw_label(stage, &picture->labels[i], world_to_clip);
}

// Draws the panel of the stage's open lesson or contents, after view_draw_page().
void view_page_panel(view_ui *ui, const view_stage *stage)
{
    const view_pages *const pages = stage->pages;
    const float plots = view_page_plots_height(stage);
    if (pages->open == VIEW_CONTENTS)
        view_show_contents(ui, stage);
    // The lesson may have changed since view_draw_page(); its picture would not match.
    const view_page *const shown_page = pages->picture.page;
    if (shown_page == NULL || shown_page != view_page_at((uint32_t)pages->open))
        return;

    draw_labels(stage);
    if (view_has_page_text(stage))
        show_lesson_panel(ui, stage);
    else
        send_facts(&pages->picture);
    if (plots > 0)
        draw_bottom_plots(stage, plots);
}
