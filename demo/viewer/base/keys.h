// The table of keys and their actions, for input, help, --list-bindings and the manual. The keys of
// switches come from option_table.c.
#ifndef DEMO_VIEWER_BASE_KEYS_H
#define DEMO_VIEWER_BASE_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
    VIEW_RANGE_BEGIN,
    VIEW_RANGE_END,
    VIEW_RANGE_ALL,
    VIEW_ONE_SHOT,
    VIEW_NEXT_ROOT,
    VIEW_SKINNING,
    VIEW_WALK,
    VIEW_TURN_X, // a quarter turn of the model about that axis
    VIEW_TURN_Z,
    VIEW_NEXT_ONION,   // ghosts of other frames
    VIEW_NEXT_SURFACE, // what the body shows
    VIEW_CAMERA_PATH,
    VIEW_FRAME_ALL, // from here to VIEW_ORTHOGRAPHIC: the user's camera
    VIEW_FRONT,
    VIEW_RIGHT,
    VIEW_TOP,
    VIEW_ISOMETRIC,
    VIEW_ORTHOGRAPHIC,
    VIEW_FILES,
    VIEW_GAME,
    VIEW_CLIPS,
    VIEW_NEXT_FILE,
    VIEW_PREVIOUS_FILE,
    VIEW_RELOAD,
    VIEW_SCREENSHOT,
    VIEW_CLEAN_SCREENSHOT,
    VIEW_RECORD,
    VIEW_EXPORT,       // the dialog
    VIEW_EXPORT_AGAIN, // with the same choices
    VIEW_FULL_SCREEN,
    VIEW_LARGER_TEXT,
    VIEW_SMALLER_TEXT,
    VIEW_NEXT_PAGE,
    VIEW_PREVIOUS_PAGE,
    VIEW_CLOSE_LISTS,
    VIEW_QUIT,
    // From here to VIEW_GO_TO_STATE: of the mouse and of lists, see view_command. The first four
    // have been carried out already.
    VIEW_TAKEN,           // the interface has used the event
    VIEW_LISTED,          // the open list has another choice or filter
    VIEW_CLOSED,          // the open list was closed
    VIEW_MARKED,          // another joint is chosen, or none
    VIEW_OPEN_FOLDER,     // list the folder `path`
    VIEW_OPEN_GAME,       // list the contents of the folder `path`
    VIEW_OPEN_SECTION,    // list section `number` of the game
    VIEW_OPEN_FILE,       // `path`
    VIEW_OPEN_CLIP,       // show clip `number`
    VIEW_OPEN_NAMED,      // show what has the name `path` in section `number` of the game
    VIEW_PLAY_IN_CHANNEL, // play clip `number` in channel `item`, an md5_channel; SIZE_MAX: none
    VIEW_SHOW_CHANNEL,    // show the time of channel `item`
    VIEW_LIST_CHANNEL,    // list the clips for channel `item`
    VIEW_HIDE_MESH,       // or show mesh `number`
    VIEW_LIST_TEXTURES,   // that mesh `number` may have
    VIEW_TAKE_TEXTURE,    // give mesh `number` the texture `path`; NULL: the one that is found
    VIEW_OPEN_PAGE,       // of techniques, `number`
    VIEW_RUN_EXPORT,      // as the dialog says
    VIEW_STOP_EXPORT,
    VIEW_GO_TO_STATE, // `item` of the machine's layer `number`
    // From here to VIEW_TRIGGER: control of a state machine, while a key is held or once.
    VIEW_AHEAD,
    VIEW_BACK,
    VIEW_TO_RIGHT,
    VIEW_TO_LEFT,
    VIEW_FAST,
    VIEW_TRIGGER,
    // From here on: toggles the switch in that row of the option table.
    VIEW_TOGGLE,
} view_action;

// An action with what it is done to. Keys, the mouse and lists make commands; app/ carries them
// out. What concerns the interface alone, it has done already.
typedef struct view_command {
    view_action action; // VIEW_NOTHING: an event was not used
    size_t number, item;
    char *path; // for the receiver to free; NULL if the action needs none
} view_command;

// The kind of document decides the effect of some keys.
typedef enum view_mode {
    VIEW_MODE_CLIPS,   // a model with or without clips, or joints alone
    VIEW_MODE_MACHINE, // a state machine that keys drive
    VIEW_MODE_CROWD,
    VIEW_NUM_MODES,
} view_mode;

// Sets of modes.
enum {
    VIEW_IN_CLIPS = 1 << VIEW_MODE_CLIPS,
    VIEW_IN_MACHINE = 1 << VIEW_MODE_MACHINE,
    VIEW_IN_CROWD = 1 << VIEW_MODE_CROWD,
};

enum { VIEW_MAX_TRIGGERS = 10 }; // triggers that have keys: Space, and F2 to F10

// One line of the help. The mouse has lines too, with VIEW_NOTHING.
typedef struct view_binding {
    view_action action;
    const char *name; // of the action, in messages: "play"; NULL as `keys`
    const char *keys; // "Shift+W"; NULL: another key for the line before
    const char *help;
    const char *heading; // opens a group, or NULL
    int32_t code;        // SDL_Keycode
    bool shift, control;
    bool any_shift;  // the character may need Shift on some keyboards; or Shift changes nothing
    uint8_t modes;   // VIEW_IN_*: where it does something; 0: in all
    uint8_t trigger; // VIEW_TRIGGER: number of the machine's trigger, from 0
} view_binding;

// The line of a key in a mode, or one of VIEW_NOTHING.
view_binding view_find_binding(view_mode mode, int32_t code, bool shift, bool control, bool alt);

// A line of the help. `heading`: of the group that begins here, or NULL.
typedef struct view_key_line {
    const char *heading, *keys, *help;
    bool only_in_machine;
} view_key_line;

enum { VIEW_MAX_KEY_LINES = 128 };

// Writes the lines of a mode, in the order of the table; returns how many. The keys of triggers are
// listed with the names triggers[num_triggers] of the machine, and those left over are not, nor are
// those that walk, unless it `walks`. VIEW_NUM_MODES: the lines of all modes and of any machine.
uint32_t view_list_keys(view_mode mode, const char *const *triggers, uint32_t num_triggers,
                        bool walks, view_key_line lines[VIEW_MAX_KEY_LINES]);

// The key of a machine's trigger, or "" if it has none.
const char *view_trigger_key(uint32_t trigger);

// Whether it is for a machine, from VIEW_AHEAD to VIEW_TRIGGER.
static inline bool view_is_driving(view_action action)
{
    return action >= VIEW_AHEAD && action <= VIEW_TRIGGER;
}

const char *view_action_name(view_action action);

#endif
