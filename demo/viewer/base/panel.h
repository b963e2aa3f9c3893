// Rows of text in a box, which make up the panels.
#ifndef DEMO_VIEWER_BASE_PANEL_H
#define DEMO_VIEWER_BASE_PANEL_H

#include "demo/viewer/base/canvas.h"
#include "demo/common/memory.h"

// Colours of the panels, subdued so that they do not distract from the model.
#define VIEW_BOX 0x12151AD8u
#define VIEW_BRIGHT 0xF1F3F6FFu
#define VIEW_PLAIN 0xC9CFD8FFu
#define VIEW_DIM 0x8A93A1FFu
#define VIEW_ACCENT 0x6FA8FFFFu
#define VIEW_AMBER 0xF0B95AFFu

// Distances in layout units: multiplied by the font's scale, in pixels.
#define VIEW_MARGIN 14.0f
#define VIEW_PADDING 14.0f
#define VIEW_RADIUS 8.0f

typedef enum view_row_kind {
    VIEW_ROW_TITLE,
    VIEW_ROW_TEXT,
    VIEW_ROW_PAIR,   // label on the left, value after it
    VIEW_ROW_SWITCH, // text after a box that is full or empty
    VIEW_ROW_WORDS,  // words, some of them highlighted
    VIEW_ROW_GRAPH,  // of rows.times
    VIEW_ROW_GAP,
} view_row_kind;

typedef struct view_row {
    view_row_kind kind;
    view_color color;
    char label[64], text[192];
    char hint[8]; // a key or what a click does, at the right
    bool on;      // of a switch
    bool fixed;   // never wrapped
    uint64_t lit; // highlighted words: one bit each
    int32_t hit;  // 0, or the caller's number for a click on it
    float y;      // of its top, set by drawing
} view_row;

enum { VIEW_MAX_ROWS = 160 };

typedef struct view_rows {
    const view_font *font;
    float width, label_width; // pixels inside of the padding
    const float *times;       // seconds, the oldest first
    uint32_t num_times;
    uint32_t count;
    view_row rows[VIEW_MAX_ROWS]; // if there are more, the last one shows how many
} view_rows;

void view_add_row(view_rows *rows, view_row_kind kind, view_color color, const char *label,
                  const char *format, ...) COMMON_PRINTF(5, 6);
void view_add_gap(view_rows *rows);

// Sets the number for a click on the last row, and the key with the same effect ("" = none).
void view_make_hit(view_rows *rows, int32_t hit, const char *key);

// Adds `count` words over as many rows as they need. `label` as of a pair, or "".
void view_add_words(view_rows *rows, const char *label, const char *const *words, const bool *lit,
                    uint32_t count);

// Wraps rows that are longer than the box, into three more rows at most: call it after all rows
// were added. A row is broken at spaces, or anywhere within a word that is too long.
void view_wrap_rows(view_rows *rows);

// Breaks a text between words into at most `max_lines` rows.
void view_add_wrapped(view_rows *rows, view_color color, const char *text, int max_lines);

// Height in pixels, padding included, and the drawing of the box with its rows.
float view_rows_height(const view_rows *rows);
float view_row_height(const view_rows *rows, const view_row *row);
void view_draw_rows(view_canvas *canvas, view_rows *rows, float x, float y);

// A slider as wide as `row`, vertically centred in it, filled up to `part` (0..1).
void view_draw_slider(view_canvas *canvas, view_rect row, float part);

#endif
