// Rows of text in a box, which make up the panels.
#ifndef DEMO_VIEWER_BASE_PANEL_H
#define DEMO_VIEWER_BASE_PANEL_H

#include "demo/viewer/base/canvas.h"
#include "demo/common/memory.h"

// Colours of the panels, subdued so that they do not distract from the model.
#define VIEW_BOX 0x12151AD8u
#define VIEW_BRIGHT 0xF1F3F6FFu
#define VIEW_PLAIN 0xC9CFD8FFu
#define VIEW_DIM 0x9AA4B2FFu
#define VIEW_ACCENT 0x6FA8FFFFu
#define VIEW_AMBER 0xF0B95AFFu
#define VIEW_WRONG 0xFF8A80FFu
#define VIEW_FINE 0x7BD88FFFu
#define VIEW_POPOVER 0x12151AFAu
#define VIEW_EDGE 0x4A5361FFu
#define VIEW_FIELD 0x1E232BFFu
#define VIEW_CONTROL 0x2A303AFFu
#define VIEW_HOVERED 0x333C49FFu
#define VIEW_SELECTED 0x33507FFFu
#define VIEW_DISABLED 0x717B89FFu
#define VIEW_RECORDING 0x7A1F1FFFu
#define VIEW_DOCK 0x12151AEBu
#define VIEW_SECTION 0x2A303A73u

// Distances in layout units: multiplied by the font's scale, in pixels.
#define VIEW_MARGIN 14.0f
#define VIEW_PADDING 14.0f
#define VIEW_RADIUS 8.0f
#define VIEW_INSET 9.0f // of what is in a dock

typedef enum view_row_kind {
    VIEW_ROW_TEXT,
    VIEW_ROW_PAIR, // label on the left, value after it
    VIEW_ROW_TITLE,
    VIEW_ROW_SECTION, // the head of the rows up to the next one, which can be folded
    VIEW_ROW_WORDS,   // words, some of them highlighted
    VIEW_ROW_GRAPH,   // of rows.times
    VIEW_ROW_GAP,
} view_row_kind;

typedef struct view_row {
    view_row_kind kind;
    view_color color;
    char label[64], text[192];
    char hint[8];   // a key or what a click does, at the right
    bool on;        // of a section: open
    bool fixed;     // never wrapped
    uint64_t lit;   // highlighted words: one bit each
    uint32_t words; // how many there are
    int32_t hit;    // 0, or the caller's number for a click on it; of a section: negative
    view_rect rect; // set by drawing; before that, the width of words
} view_row;

enum { VIEW_MAX_ROWS = 160 };

typedef struct view_rows {
    const view_font *font;
    float width, label_width; // pixels inside of the padding
    const float *times;       // seconds, the oldest first
    uint32_t num_times;
    uint32_t count;
    view_row rows[VIEW_MAX_ROWS + 1]; // if there are more, the last one shows how many

    uint32_t folded; // a bit for each section that is
    bool is_docked;  // without padding above and below
    float x, y;      // of the corner
} view_rows;

// The triangle of what can be folded, at its middle.
void view_draw_fold(view_canvas *canvas, float x, float y, bool is_open);

// Begins with a title, which it returns. Widths in layout units.
view_row *view_begin_rows(view_rows *rows, const view_font *font, float width, float label_width,
                          const char *title);

// Adds a pair, or a text if `label` is NULL. Returns it, so that the caller can change it.
view_row *view_add_row(view_rows *rows, view_color color, const char *label, const char *format,
                       ...) COMMON_PRINTF(4, 5);
void view_add_gap(view_rows *rows);

// Begins a section, `number` of those that can be folded: its bit in `folded`.
view_row *view_add_section(view_rows *rows, uint32_t number, const char *title);

// Sets the number for a click on a row, and the key with the same effect ("" = none).
void view_make_hit(view_row *row, int32_t hit, const char *key);

// Adds a word to those of the last row, or in a new row, which is indented as a pair's value or
// not.
void view_add_word(view_rows *rows, bool is_indented, const char *word, bool is_lit);

// Breaks a text between words into at most `max_lines` rows.
void view_add_wrapped(view_rows *rows, view_color color, const char *text, int max_lines);

// Call it after all rows were added: wraps those that are longer than the box, into three more rows
// at most, at spaces, or anywhere within a word that is too long.
void view_wrap_rows(view_rows *rows);

// Sets the places of rows from (x, y) on, with a padding; those of folded sections get no height.
// Returns the height in pixels. Drawing places them, too.
float view_place_rows(view_rows *rows);
void view_draw_rows(view_canvas *canvas, view_rows *rows);

#endif
