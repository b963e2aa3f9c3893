// Sizes of the panel, the code and the plots of a lesson in the window.
#include "demo/viewer/pages/page.h"

float view_code_line_height(const view_font *font)
{
    return 0.88f * font->line[VIEW_CODE];
}

float view_code_gap(const view_font *font)
{
    return 0.4f * font->line[VIEW_TEXT];
}

bool view_has_page_text(const view_stage *stage)
{
    return stage->shown->panel
           || !stage->options->is_given[view_option_index(VIEW_OPTION(shown.panel))];
}

float view_page_panel_height(const view_stage *stage)
{
    return view_has_page_text(stage) && stage->width < 0.8f * stage->height ? 0.48f * stage->height
                                                                            : 0;
}

// Returns true if the panel is at the left of the figures.
static bool is_panel_at_left(const view_stage *stage)
{
    return view_has_page_text(stage) && view_page_panel_height(stage) == 0;
}

float view_page_panel_width(const view_stage *stage)
{
    if (!is_panel_at_left(stage))
        return VIEW_MARGIN * stage->font->scale;
    return fminf(0.46f * stage->width, 520 * stage->font->scale);
}

// Returns the number of lines of a text in a box that is `columns` characters wide. Lines end with
// a newline, and lines that are too long are wrapped.
static size_t count_lines(const char *text, size_t columns)
{
    size_t count = 0;
    while (*text != '\0') {
        const size_t length = strcspn(text, "\n");
        count += 1 + (length > 0 ? (length - 1) / columns : 0);
        text += length;
        if (*text == '\n')
            text++;
    }
    return count;
}

float view_page_code_height(const view_stage *stage)
{
    const view_page *const page = stage->pages->picture.page;
    if (page == NULL || !is_panel_at_left(stage))
        return 0;
    const size_t columns = 100; // characters in a line
    const float scale = stage->font->scale;
    const float margin = VIEW_MARGIN * scale;
    const float insets = 2 * VIEW_CODE_INSET * scale; // at both sides of the text
    const float line_width = (float)columns * view_text_width(stage->font, VIEW_CODE, " ");
    const float free_width = stage->width - view_page_panel_width(stage) - margin;
    if (free_width < line_width + insets)
        return 0;

    char *const code = view_page_lines(page, stage->pages->values);
    const size_t num_lines = count_lines(code, columns);
    free(code);
    const float text_height = (float)num_lines * view_code_line_height(stage->font);
    const float rounding = 1; // ui_begin_column() rounds positions to pixels
    const float box_height =
        text_height + insets + 2 * view_code_gap(stage->font) + margin + rounding;
    return view_clamp(box_height, 0.3f * stage->height, 0.68f * stage->height);
}

float view_page_plots_height(const view_stage *stage)
{
    const view_picture *const picture = &stage->pages->picture;
    if (picture->num_plots == 0 || view_page_code_height(stage) > 0)
        return 0;
    const float margin = VIEW_MARGIN * stage->font->scale;
    const float free_width = stage->width - view_page_panel_width(stage);
    const float free_height = stage->height - view_page_panel_height(stage);
    const float width = free_width / (float)picture->num_plots - margin;
    const float fraction = is_panel_at_left(stage) ? 0.36f : 0.44f;
    const float max_height = 0.6f * free_height;
    float height = fraction * free_height;
    for (uint32_t i = 0; i < picture->num_plots; i++) {
        const view_plot *const plot = &picture->plots[i];
        height = fmaxf(height, view_min_plot_height(plot, stage->canvas, width) + margin);
    }
    return fminf(height, max_height);
}
