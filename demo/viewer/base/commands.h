// The table of commands: what menus, keys, the search and the lists of keys show, and which options
// have the same effect. Whoever adds a command adds a row.
#ifndef DEMO_VIEWER_BASE_COMMANDS_H
#define DEMO_VIEWER_BASE_COMMANDS_H

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
    VIEW_RANGE_BEGIN,
    VIEW_RANGE_END,
    VIEW_RANGE_ALL,
    VIEW_ONE_SHOT,
    VIEW_WALK,
    VIEW_DIE,    // or end the fall
    VIEW_TURN_X, // a quarter turn of the model about that axis
    VIEW_TURN_Z,
    VIEW_CAMERA_PATH,
    VIEW_FRAME_ALL, // from here to VIEW_ORTHOGRAPHIC: the user's camera
    VIEW_FRAME_SELECTED,
    VIEW_FRONT,
    VIEW_BEHIND,
    VIEW_RIGHT,
    VIEW_LEFT,
    VIEW_TOP,
    VIEW_FROM_BELOW,
    VIEW_ISOMETRIC,
    VIEW_PREVIOUS_VIEW, // before one of those
    VIEW_ORTHOGRAPHIC,
    VIEW_FILES, // to open; with `item` for the option `item` - 1, in place of "\1" in `path`
    VIEW_GAME,
    VIEW_CLIPS,
    VIEW_NEXT_FILE,
    VIEW_PREVIOUS_FILE,
    VIEW_RELOAD,
    VIEW_SCREENSHOT,
    VIEW_CLEAN_SCREENSHOT,
    VIEW_RECORD,
    VIEW_FULL_SCREEN,
    VIEW_LARGER_TEXT,
    VIEW_SMALLER_TEXT,
    VIEW_NEXT_PAGE,
    VIEW_PREVIOUS_PAGE,
    VIEW_EXPORT,       // the dialog
    VIEW_EXPORT_AGAIN, // with the same choices
    VIEW_START_PAGE,
    VIEW_WARNINGS,      // opens or closes their list
    VIEW_TEXTURES,      // select mesh `item` - 1, 0: that of the last click, and show its textures
    VIEW_SAVE_TEXTURES, // as .mtr: says where; `number` 1: does it
    VIEW_CLOSE_LISTS,
    VIEW_DRIVE,         // keys go to what moves the model
    VIEW_MENUS,         // open the first menu
    VIEW_SEARCH,        // for commands
    VIEW_FIND,          // what is in the outliner
    VIEW_CONTEXT,       // open the menu of what is selected
    VIEW_SELECT_PARENT, // of the selected joint
    VIEW_ONLY_MESH,     // hide all but mesh `number`, or show all
    VIEW_SHOW_MESHES,   // all
    VIEW_HIDE_SELECTION,
    VIEW_COPY_NAME,    // `path`, of what a context menu is about
    VIEW_COPY_PATH,    // likewise
    VIEW_COPY_COMMAND, // the command line that shows this
    VIEW_MEASURE,      // from the selected joint to the one that is selected next
    VIEW_UNDO,
    VIEW_REDO,
    VIEW_GO_TO_STEP, // `number` of those that can be undone
    VIEW_RESET_ALL,
    VIEW_FORGET_DOCUMENT, // what is shown is as usual, the next time too
    VIEW_FORGET_ALL,      // documents, and recent files
    VIEW_QUIT,
    VIEW_ASK, // for the value of option `number`
    VIEW_SET, // option `number` to the text `path`; then the view_overlay `item` is there, 0: as it
              // was
    VIEW_SETTINGS,     // all options
    VIEW_TAKE_BACK,    // all that the card has changed; `number` 1: to what is usual
    VIEW_FIRE_TRIGGER, // trigger `number` of the machine
    // From here to VIEW_GO_TO_STATE: of the mouse and of lists, see view_command. The first four
    // have been carried out already.
    VIEW_HANDLED,         // the interface has used the event
    VIEW_LISTED,          // the open list has another choice or filter
    VIEW_CLOSED,          // the open list was closed
    VIEW_MARKED,          // another joint is selected, or none
    VIEW_OPEN_FOLDER,     // list the folder `path`
    VIEW_OPEN_GAME,       // list the contents of the folder `path`
    VIEW_OPEN_SECTION,    // list section `number` of the game
    VIEW_OPEN_FILE,       // `path`
    VIEW_OPEN_CLIP,       // show clip `number`; `item` 1: and play it
    VIEW_OPEN_NAMED,      // show what has the name `path` in section `number` of the game
    VIEW_PLAY_IN_CHANNEL, // play clip `number` in channel `item`, an md5_channel; SIZE_MAX: none
    VIEW_SHOW_CHANNEL,    // show the time of channel `item`
    VIEW_LIST_CHANNEL,    // list the clips for channel `item`
    VIEW_HIDE_MESH,       // or show mesh `number`
    VIEW_TAKE_TEXTURE,    // give mesh `number` the image `path` as map `item`; NULL: as found
    VIEW_FIND_TEXTURE,    // list images for that
    VIEW_OPEN_PAGE,       // of techniques, `number`
    VIEW_FORGET_RECENT,   // the file `path`
    VIEW_TRY_AGAIN,       // what has led to the last error
    VIEW_KEEP_MOVIE,      // a recording that was not finished
    VIEW_DELETE_MOVIE,
    VIEW_RUN_EXPORT, // as the dialog says
    VIEW_STOP_EXPORT,
    VIEW_MAP_JOINTS,      // carry the clip `path` over to the shown model, as of "MODEL\nCLIP"
    VIEW_REPAIR,          // the file `path`: see jobs/files.c
    VIEW_SAVE_RETARGETED, // a clip, all or the map, by `number`: see jobs/view.h
    VIEW_TAKE_TRANSITION, // `item` of the machine's layer `number`, whatever its conditions
    VIEW_GO_TO_STATE,     // `item` of the machine's layer `number`
    // From here to VIEW_TRIGGER: control of what moves the model, while a key is held or once.
    VIEW_AHEAD,
    VIEW_BACK,
    VIEW_TO_RIGHT,
    VIEW_TO_LEFT,
    VIEW_FAST,
    VIEW_TRIGGER,
    // From here on: turns the option in that row of the table to its next word.
    VIEW_TOGGLE,
} view_action;

// An action with what it is done to. Keys, the mouse and lists make commands; app/ carries them
// out. What concerns the interface alone, it has done already.
typedef struct view_command {
    view_action action; // VIEW_NOTHING: an event was not used
    size_t number;
    size_t item;
    char *path; // for the receiver to free; NULL if the action needs none
} view_command;

// The kind of document decides what there is to control.
typedef enum view_mode {
    VIEW_MODE_CLIPS,   // a model with or without clips, or joints alone
    VIEW_MODE_MACHINE, // a state machine that keys drive
    VIEW_MODE_CROWD,
    VIEW_NUM_MODES,
} view_mode;

// -- The table --------------------------------------------------------------------------------

typedef enum view_menu {
    VIEW_MENU_FILE,
    VIEW_MENU_EDIT,
    VIEW_MENU_VIEW,
    VIEW_MENU_MODEL,
    VIEW_MENU_ANIMATION,
    VIEW_MENU_MACHINE,
    VIEW_MENU_CAMERA,
    VIEW_MENU_LIGHT,
    VIEW_MENU_HELP,
    VIEW_NUM_MENUS, // the bar ends here
    VIEW_MENU_MOUSE = VIEW_NUM_MENUS,
    VIEW_MENU_DRIVING,
    VIEW_MENU_TARGET, // in context menus alone: about what was clicked on
    VIEW_NUM_GROUPS,
} view_menu;

extern const char *const view_menu_names[VIEW_NUM_GROUPS];

// What a command needs; without it, it is shown grey. Bits.
typedef enum view_need {
    VIEW_NEEDS_MODEL = 1 << 0,
    VIEW_NEEDS_CLIP = 1 << 1,
    VIEW_NEEDS_MACHINE = 1 << 2,
    VIEW_NEEDS_CLIPS = 1 << 3, // no machine, no crowd
    VIEW_NEEDS_ONE = 1 << 4,   // no crowd
    VIEW_NEEDS_CAMERA_PATH = 1 << 5,
    VIEW_NEEDS_ENVIRONMENT = 1 << 6,
    VIEW_NEEDS_MOVER = 1 << 7, // that keys can drive
    VIEW_NUM_NEEDS = 8,
} view_need;

// Why a command that lacks some of its needs cannot be done now: "needs a clip".
const char *view_reason(uint32_t missing);

// What a context menu is opened on. Bits.
enum {
    VIEW_ON_MODEL = 1 << 0, // in the picture
    VIEW_ON_GROUND = 1 << 1,
    VIEW_ON_JOINT = 1 << 2,
    VIEW_ON_MESH = 1 << 3,
    VIEW_ON_CLIP = 1 << 4,
    VIEW_ON_STATE = 1 << 5,
    VIEW_ON_EDGE = 1 << 6,  // of the state graph
    VIEW_ON_FILE = 1 << 7,  // in a list
    VIEW_ON_TIME = 1 << 8,  // the time bar
    VIEW_ON_IMAGE = 1 << 9, // of a mesh
    VIEW_ON_ANY = (1 << 10) - 1,
};

// A submenu that is a list of what there is, instead of a command.
typedef enum view_menu_list {
    VIEW_LIST_NONE,
    VIEW_LIST_RECENT,
    VIEW_LIST_STEPS,
    VIEW_LIST_CLIPS,
    VIEW_LIST_MESHES,
    VIEW_LIST_STATES,
    VIEW_LIST_TRIGGERS,
    VIEW_LIST_WORDS, // the values of an option
    VIEW_LIST_JOINTS,
} view_menu_list;

// Added to the code of a key, of platform.h.
enum {
    VIEW_WITH_SHIFT = 1 << 26,
    VIEW_WITH_CTRL = 1 << 27,
    VIEW_WITH_ANY = 1 << 28, // the character may need Shift on some keyboards; or Shift is free
    VIEW_KEY_FLAGS = VIEW_WITH_SHIFT | VIEW_WITH_CTRL | VIEW_WITH_ANY,
};

enum { VIEW_MAX_KEYS = 4 };

// A row. A label may begin with the name of a submenu, "Show/Grid". Without one, the row has keys
// or is one of the mouse only.
typedef struct view_command_row {
    view_action action; // VIEW_TOGGLE: turns `option`
    view_menu menu;
    const char *name;  // of the action, in messages: "play"; of a switch NULL
    const char *label; // "…" at its end: asks for something
    const char *words; // others by which it is found
    int32_t keys[VIEW_MAX_KEYS];
    uint32_t needs;
    const char *option; // whose value it shows and sets
    // What the window calls the words of the option, "a|b|c"; of another, what VIEW_SET sets it to.
    const char *choices;
    const char *tooltip; // one line, or NULL: the tooltip of the option, or the label
    view_menu_list list;
    uint16_t context;
    uint8_t trigger; // VIEW_TRIGGER: number of the machine's trigger, from 0
} view_command_row;

extern const view_command_row view_command_rows[];
extern const size_t view_num_commands;

// The option of a row, or NULL.
const struct view_option *view_option_of(const view_command_row *row);

// The action of a row, with the number of its switch; and that of the switch of an option.
view_action view_toggle_of(const char *name);
view_action view_action_of(const view_command_row *row);

// The row of a key, or NULL; `is_driving`: one of those that drive, which come first.
const view_command_row *view_find_key(int32_t code, bool shift, bool control, bool alt,
                                      bool is_driving);

// All keys of a row as they are printed, "Ctrl+Shift+E", "[ or -"; "" without one.
void view_print_keys(const view_command_row *row, char *text, size_t size);

enum { VIEW_MAX_TRIGGERS = 10 }; // triggers that have keys: Space, and F2 to F10

// The key of a machine's trigger, or "" if it has none.
void view_print_trigger_key(uint32_t trigger, char *text, size_t size);

// The first row that shows or sets an option, or NULL; and the option's words, "a|b|c", as the
// window calls them.
const view_command_row *view_command_of(const struct view_option *option);
const char *view_words_of(const struct view_option *option);

// The label without the menu within that it is in.
const char *view_label_of(const view_command_row *row);

// Returns the tooltip of a command: its own, that of its option, or its label.
const char *view_tooltip_of(const view_command_row *row);

// A line of the lists of keys. `heading`: of the group that begins here, or NULL.
typedef struct view_key_line {
    const char *heading;
    const char *help;
    char keys[48];
} view_key_line;

enum { VIEW_MAX_KEY_LINES = 160 };

// Writes the lines of all rows that have keys and need no more than `have`, in the order of the
// table; returns how many. The keys of triggers are listed with the names triggers[num_triggers] of
// the machine, and those left over are not, nor are those that walk, unless it `walks`. NULL: any
// machine.
uint32_t view_list_keys(uint32_t have, const char *const *triggers, uint32_t num_triggers,
                        bool walks, view_key_line lines[VIEW_MAX_KEY_LINES]);

// Whether it drives what moves the model, from VIEW_AHEAD to VIEW_TRIGGER.
static inline bool view_is_driving(view_action action)
{
    return action >= VIEW_AHEAD && action <= VIEW_TRIGGER;
}

const char *view_action_name(view_action action);

#endif
