// Keys and what they do: one table for pressing them, for the help and for --list-bindings.
#ifndef DEMO_VIEWER_BASE_KEYS_H
#define DEMO_VIEWER_BASE_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

typedef enum view_action {
    VIEW_NOTHING,
    VIEW_PLAY,
    VIEW_STEP_BACK,
    VIEW_STEP_ON,
    VIEW_GO_FIRST,
    VIEW_GO_LAST,
    VIEW_SLOWER,
    VIEW_FASTER,
    VIEW_NORMAL_SPEED,
    VIEW_REVERSE,
    VIEW_NEXT_CLIP,
    VIEW_PREVIOUS_CLIP,
    VIEW_BIND_POSE,
    VIEW_NEXT_LOOP,
    VIEW_NEXT_ROOT,
    VIEW_SKINNING,
    VIEW_FLIGHT,
    VIEW_FRAME_ALL, // from here to VIEW_ORTHOGRAPHIC: of the own camera
    VIEW_FRONT,
    VIEW_RIGHT,
    VIEW_TOP,
    VIEW_ISOMETRIC,
    VIEW_ORTHOGRAPHIC,
    VIEW_GRID,
    VIEW_AXES,
    VIEW_EDGES,
    VIEW_NORMALS,
    VIEW_SKELETON,
    VIEW_BOUNDS,
    VIEW_TEXTURES,
    VIEW_CHECKER,
    VIEW_LIGHT,
    VIEW_SHADOWS,
    VIEW_LAMPS,
    VIEW_MAPS,
    VIEW_PANEL,
    VIEW_STATISTICS,
    VIEW_FRAME_TIME,
    VIEW_HIERARCHY,
    VIEW_HELP,
    VIEW_FILES,
    VIEW_CLIPS,
    VIEW_NEXT_FILE,
    VIEW_PREVIOUS_FILE,
    VIEW_RELOAD,
    VIEW_SCREENSHOT,
    VIEW_CLEAN_SCREENSHOT,
    VIEW_FULL_SCREEN,
    VIEW_LARGER_TEXT,
    VIEW_SMALLER_TEXT,
    VIEW_CLOSE_LISTS,
    VIEW_QUIT,
    // From here on: what drives a state machine, while a key is held or once.
    VIEW_AHEAD,
    VIEW_BACK,
    VIEW_TO_LEFT,
    VIEW_TO_RIGHT,
    VIEW_FAST,
    VIEW_TRIGGER,
} view_action;

// What is shown decides what some keys do.
typedef enum view_mode {
    VIEW_MODE_CLIPS,   // a model with or without clips, or joints alone
    VIEW_MODE_MACHINE, // a state machine that keys drive
    VIEW_MODE_CROWD,
    VIEW_NUM_MODES,
} view_mode;

enum { VIEW_MAX_TRIGGERS = 10 }; // triggers that have keys: Space, and F2 to F10

// One line of the help. The mouse has lines too, with VIEW_NOTHING.
typedef struct view_binding {
    view_action action;
    const char *name; // of the action, in messages: "play"
    const char *keys; // "Shift+W"; NULL: another key for the line before
    const char *help;
    const char *heading; // opens a group, or NULL
    int32_t code;        // SDL_Keycode
    bool shift, control;
    bool any_shift;  // the character may need Shift on some keyboards; or Shift changes nothing
    uint8_t modes;   // bits 1 << view_mode in which it does something; 0: in all
    uint8_t trigger; // VIEW_TRIGGER: number of the machine's trigger, from 0
} view_binding;

// The line of a key in a mode, or NULL.
const view_binding *view_find_binding(view_mode mode, int32_t code, bool shift, bool control,
                                      bool alt);

// The same in any mode: for a key that does nothing now, what it does elsewhere.
const view_binding *view_find_anywhere(int32_t code, bool shift, bool control, bool alt);

// A line of the help as it is in a mode. `heading`: of the group that begins here, or NULL.
typedef struct view_key_line {
    const char *heading, *keys, *help;
} view_key_line;

enum { VIEW_MAX_KEY_LINES = 96 };

// Writes the lines of a mode, in the order of the table; returns how many. The keys of triggers are
// listed with the names triggers[num_triggers] of the machine, and those left over are not, nor are
// those that walk, unless it `walks`.
uint32_t view_list_keys(view_mode mode, const char *const *triggers, uint32_t num_triggers,
                        bool walks, view_key_line lines[VIEW_MAX_KEY_LINES]);

// The key of a machine's trigger, or "" if it has none.
const char *view_trigger_key(uint32_t trigger);

// "in a crowd": for messages.
const char *view_mode_name(view_mode mode);

const char *view_action_name(view_action action);

// What --list-bindings prints.
void view_print_bindings(FILE *file);

#endif
