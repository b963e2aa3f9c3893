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
} view_action;

// One line of the help. The mouse has lines too, with VIEW_NOTHING.
typedef struct view_binding {
    view_action action;
    const char *name; // of the action, in messages: "play"
    const char *keys; // "Shift+W"; NULL: another key for the line before
    const char *help;
    const char *heading; // opens a group, or NULL
    int32_t code;        // SDL_Keycode
    bool shift, control;
    bool any_shift; // the character may need Shift on some keyboards
} view_binding;

const view_binding *view_bindings(size_t *count);

// The action of a key, or VIEW_NOTHING.
view_action view_find_action(int32_t code, bool shift, bool control, bool alt);

const char *view_action_name(view_action action);

// What --list-bindings prints.
void view_print_bindings(FILE *file);

#endif
