// Every option once: what it is called, what it takes, which field of view_options it sets, what
// --help says of it, and whether it is remembered. Reading, writing and --help all go by this
// table, so an option can only be written as it is read.
#ifndef DEMO_VIEWER_BASE_OPTION_TABLE_H
#define DEMO_VIEWER_BASE_OPTION_TABLE_H

#include "demo/viewer/base/options.h"

#include <stdbool.h>
#include <stddef.h>

enum { VIEW_MAX_PICTURE_SIDE = 16384, VIEW_MAX_FRAMES = 1000000 };

// How an option is read and written. The field's type is in parentheses.
typedef enum view_option_kind {
    VIEW_OPTION_SWITCH,      // yes or no (bool)
    VIEW_OPTION_AUTO_SWITCH, // likewise (int); -1 until it is given: as it suits
    VIEW_OPTION_EITHER,      // the first or the second word of "a|b" (bool)
    VIEW_OPTION_CHOICE,      // one of the words of "a|b|c" (an enum that counts from 0)
    VIEW_OPTION_COUNT,       // whole number within the range (uint32_t)
    VIEW_OPTION_FLOAT,       // number within the range (float)
    VIEW_OPTION_NUMBER,      // likewise (double)
    VIEW_OPTION_GRID,        // two whole numbers within the range, "6x4" or "6,4" (uint32_t[2])
    VIEW_OPTION_COLOR,       // "#rrggbb" or "R,G,B" (float[3])
    VIEW_OPTION_LAMPS,       // "NAME=VALUE,..." (view_lamps)
    // The following are read only: nothing of the kind is ever written.
    VIEW_OPTION_TEXT,      // not empty (const char *)
    VIEW_OPTION_PAIR_TEXT, // "A=B", neither empty (const char *)
    VIEW_OPTION_TIMES,     // "S,S,...", added to the times
    VIEW_OPTION_SETTING,   // "NAME=VALUE@TIME", added to the settings
    VIEW_OPTION_TEXTURE,   // "MESH=FILE", added to the textures
    VIEW_OPTION_NUM_KINDS,
} view_option_kind;

// Whether the configuration file may hold an option.
typedef enum view_option_memory {
    VIEW_FORGOTTEN,  // no
    VIEW_KEPT,       // a user may write it there; the viewer reads it and leaves it as it is
    VIEW_REMEMBERED, // the viewer writes what its window shows at the end
} view_option_memory;

// `value`: what the option takes; NULL = a switch, which may be given as NAME=no.
// A `heading` opens a group in the help.
typedef struct view_option {
    const char *name, *value, *heading, *help;
    view_option_kind kind;
    size_t place;     // offset of the field in view_options
    size_t given;     // offset of a bool that is set when the option is given; 0 = none
    double low, high; // range of a number
    view_map map;     // VIEW_OPTION_TEXTURE
    view_option_memory memory;
    bool names_content; // it is about a certain model, so the one shown last time is not taken
} view_option;

const view_option *view_options_table(size_t *count);

// The option of that name (`length` bytes, without dashes), or NULL and in `nearest` the one that
// may have been meant, or NULL.
const view_option *view_find_option(const char *name, size_t length, const view_option **nearest);

// Sets what the option sets. `text` may be NULL for a switch: on. Returns false if it does not take
// that text; the field may then have any value.
bool view_read_option(const view_option *option, const char *text, view_options *options);

// The text that view_read_option() reads to the same value, to be freed, or NULL if there is none:
// the kind is read only, a switch is as it suits, or a number is outside the range: not given.
char *view_write_option(const view_option *option, const view_options *options);

#endif
