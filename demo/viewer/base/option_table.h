// The table of all options: name, value, field of view_options, help text, and whether the
// configuration stores it; for switches of view_shown also their keys and their name in the debug
// line. Command line, configuration file, keys and all printed lists use this table.
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
    VIEW_OPTION_OPPOSITE, // a switch that clears its field: "no-maps" (bool)
    VIEW_OPTION_EITHER,   // the first or the second word of "a|b" (bool)
    VIEW_OPTION_CHOICE,   // one of the words of "a|b|c" (an enum that counts from 0)
    VIEW_OPTION_COUNT,    // whole number within the range (uint32_t)
    VIEW_OPTION_FLOAT,    // number within the range (float)
    VIEW_OPTION_NUMBER,   // likewise (double)
    VIEW_OPTION_GRID,     // two whole numbers within the range, "6x4" or "6,4" (uint32_t[2])
    VIEW_OPTION_COLOR,    // "#rrggbb" or "R,G,B" (float[3])
    VIEW_OPTION_LIGHTS,   // "NAME=VALUE,..." (view_lights)
    // The following kinds are never written.
    VIEW_OPTION_TEXT,      // not empty (const char *)
    VIEW_OPTION_PAIR_TEXT, // "A=B", neither empty (const char *)
    VIEW_OPTION_RANGE,     // "A-B", frames from 0, A < B (uint32_t[2])
    VIEW_OPTION_TIMES,     // "S,S,...", added to the times
    VIEW_OPTION_SETTING,   // "NAME=VALUE@TIME", added to the settings
    VIEW_OPTION_WEIGHT,    // "NAME=VALUE", added to the morphs
    VIEW_OPTION_PARM,      // "N=VALUE", one of the parms
    VIEW_OPTION_TEXTURE,   // "MESH=FILE", added to the textures
    VIEW_OPTION_MESH,      // "MESH", added to the hidden meshes
    VIEW_OPTION_BASE,      // a folder or an archive, added to the bases
    VIEW_OPTION_NUM_KINDS,
} view_option_kind;

// Whether the configuration file may hold an option.
typedef enum view_option_memory {
    VIEW_FORGOTTEN,  // no
    VIEW_KEPT,       // a user may write it; the viewer reads it and keeps it unchanged
    VIEW_REMEMBERED, // the viewer writes the state when its window closes
} view_option_memory;

// The default of a switch.
typedef enum view_usual {
    VIEW_USUALLY_NO,
    VIEW_USUALLY_IN_WINDOW,       // yes, unless --output is given
    VIEW_USUALLY_WITH_BACKGROUND, // yes, unless --no-background is given
} view_usual;

// A key that toggles a switch. `keys`: its printed name; NULL = another key for the one before.
typedef struct view_key {
    const char *keys;
    int32_t code; // SDL_Keycode; 0 = none
    bool shift;
    uint8_t modes; // VIEW_IN_*, or 0: all
} view_key;

enum { VIEW_MAX_SWITCH_KEYS = 3 };

// `value`: the printed name of its value; NULL = a switch, which may be given as NAME=no.
// A `heading` opens a group in the help.
typedef struct view_option {
    const char *name, *value, *heading, *help;
    view_option_kind kind;
    size_t place;     // offset of the field in view_options
    size_t given;     // offset of a bool that is set when the option is given; 0 = none
    double low, high; // range of a number
    view_map map;     // VIEW_OPTION_TEXTURE
    view_option_memory memory;
    bool names_content; // it applies to a certain model, so the last model is not restored

    // Only for a switch whose field is in view_options.shown, of the kind SWITCH, OPPOSITE or
    // EITHER.
    const char *word; // for the field, in messages and in the debug line; NULL = none of these
    view_usual usual;
    const char *key_help; // text in the list of keys; NULL = `help`
    view_key keys[VIEW_MAX_SWITCH_KEYS];
} view_option;

const view_option *view_options_table(size_t *count);

// The option of that name (`length` bytes, without dashes), or NULL and in `nearest` the one with
// the most similar name, or NULL.
const view_option *view_find_option(const char *name, size_t length, const view_option **nearest);

// Sets the option's field. `text` may be NULL for a switch: on. Returns false if the text is
// invalid; the field may then have any value.
bool view_read_option(const view_option *option, const char *text, view_options *options);

// The text that view_read_option() reads as the same value; the caller frees it. NULL if the kind
// is never written or a number is outside its range (not given).
char *view_write_option(const view_option *option, const view_options *options);

// The field that a row with a `word` switches.
bool *view_switch_field(const view_option *option, view_shown *shown);

// Writes all switches as "grid=1 light=studio ...".
void view_write_switches(const view_shown *shown, char *text, size_t size);

#endif
