// Tiles, which display files and clips as images in a grid, and scrolling of lists by whole lines.
#ifndef DEMO_VIEWER_UI_UI_TILE_H
#define DEMO_VIEWER_UI_UI_TILE_H

#include "demo/viewer/ui/ui.h"

// Scrolls a list by the wheel or a finger, in whole lines. The list has `count` lines, each
// `height` pixels high. `num_visible` of them are visible, beginning with `first`. Returns true if
// the event has scrolled the list.
bool ui_scroll_lines(view_ui *ui, float height, size_t num_visible, size_t count, size_t *first);

// Returns the preview of a file, or of an item of the listed game. Requests the preview if it is
// not in the cache. Returns NULL if the cache is full.
view_thumbnail *ui_thumbnail(view_ui *ui, const char *request, bool is_in_game);

// A grid of tiles that fills the width of the column. It must be zero-initialized. The caller can
// set `count` to 0, so that the next tile begins a new row.
typedef struct ui_grid {
    uint32_t count;   // tiles in the row so far
    uint32_t per_row; // tiles per row
    bool is_flat;     // the tiles are low; only for the caller
    bool is_visible;  // the row is visible
    float height;     // height of the row, pixels
    view_rect row;
} ui_grid;

// Reserves the next tile of a grid and sets `box` to its rectangle, which is at least `min_width`
// pixels wide. Returns true if the tile is visible.
bool ui_next_tile(view_ui *ui, ui_grid *grid, float min_width, float height, view_rect *box);

// The content of a tile: an image, a name and a second line of text.
typedef struct ui_tile_content {
    const char *label; // label of the item
    const char *name;
    const char *text;              // second line
    const char *sign;              // icon instead of an image, or NULL
    const view_thumbnail *picture; // or NULL
    md5gl_texture texture;         // a square image if `picture` is NULL, or 0
    bool is_selected;
    bool is_link;   // the name is a link, and the tile has no image
    bool is_folder; // the tile has the icon of a folder
    bool is_wrong;  // the text is a warning
    bool is_gray;   // the name is dim, because the file is missing
    bool is_data;   // the texels of the image are not colors
} ui_tile_content;

// Adds a tile with an image, and a name and a text below it. In a wide tile, the texts are at the
// right of the image. Returns true if the tile was pressed.
bool ui_content_tile(view_ui *ui, view_rect box, const ui_tile_content *content);

// Adds the tile of a clip. Requests its image only if the tile is visible. Returns true if the tile
// was pressed.
bool ui_clip_tile(view_ui *ui, view_rect box, size_t number, bool is_selected, bool is_visible);

#endif
