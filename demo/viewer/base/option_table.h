// Every option once: what it is called, what it takes, which field of view_options it sets, what
// --help says of it, and whether it is remembered; of a switch of view_shown also the keys that
// turn it, and its word in the debug line. The command line, the configuration file, the keys and
// all lists that people read go by this table.
#ifndef DEMO_VIEWER_BASE_OPTION_TABLE_H
#define DEMO_VIEWER_BASE_OPTION_TABLE_H

#include "demo/viewer/base/keys.h"
#include "demo/viewer/base/options.h"

#include <stdbool.h>
#include <stddef.h>

enum { VIEW_MAX_PICTURE_SIDE = 16384, VIEW_MAX_FRAMES = 1000000 };

// How an option is read and written. The field's type is in parentheses.
typedef enum view_option_kind {
    VIEW_OPTION_SWITCH,   // yes or no (bool)
    VIEW_OPTION_OPPOSITE, // likewise, of a field that says the opposite: "no-maps" (bool)
    VIEW_OPTION_EITHER,   // the first or the second word of "a|b" (bool)
    VIEW_OPTION_CHOICE,   // one of the words of "a|b|c" (an enum that counts from 0)
    VIEW_OPTION_COUNT,    // whole number within the range (uint32_t)
    VIEW_OPTION_FLOAT,    // number within the range (float)
    VIEW_OPTION_NUMBER,   // likewise (double)
    VIEW_OPTION_GRID,     // two whole numbers within the range, "6x4" or "6,4" (uint32_t[2])
    VIEW_OPTION_COLOR,    // "#rrggbb" or "R,G,B" (float[3])
    VIEW_OPTION_LAMPS,    // "NAME=VALUE,..." (view_lamps)
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

// What a switch is until its option is given.
typedef enum view_usual {
    VIEW_USUALLY_NO,
    VIEW_USUALLY_IN_WINDOW,       // yes, unless --output is given
    VIEW_USUALLY_WITH_BACKGROUND, // yes, unless --no-background is given
} view_usual;

// A key that turns a switch. `keys`: as people read it; NULL = another key for the one before.
typedef struct view_key {
    const char *keys;
    int32_t code; // SDL_Keycode; 0 = none
    bool shift;
    uint8_t modes; // VIEW_IN_*, or 0: all
} view_key;

enum { VIEW_MAX_SWITCH_KEYS = 3 };

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

    // Only of a switch whose field is in view_options.shown, of the kind SWITCH, OPPOSITE or
    // EITHER.
    const char *word; // for the field, in messages and in the debug line; NULL = none of these
    view_usual usual;
    const char *key_help; // text in the list of keys; NULL = `help`
    view_key keys[VIEW_MAX_SWITCH_KEYS];
} view_option;

const view_option *view_options_table(size_t *count);

// The option of that name (`length` bytes, without dashes), or NULL and in `nearest` the one that
// may have been meant, or NULL.
const view_option *view_find_option(const char *name, size_t length, const view_option **nearest);

// Sets what the option sets. `text` may be NULL for a switch: on. Returns false if it does not take
// that text; the field may then have any value.
bool view_read_option(const view_option *option, const char *text, view_options *options);

// The text that view_read_option() reads to the same value, to be freed, or NULL if there is none:
// the kind is read only, or a number is outside the range: not given.
char *view_write_option(const view_option *option, const view_options *options);

// The field that a row with a `word` switches.
bool *view_switch_field(const view_option *option, view_shown *shown);

// Writes all switches as "grid=1 light=studio ...".
void view_write_switches(const view_shown *shown, char *text, size_t size);

#endif
