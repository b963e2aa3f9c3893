// Commands and menu entries of the viewer.
//
// A view_action identifies an action. A view_command is an action with its arguments: the user
// interface returns it and app/execute.c executes it. A view_menu_entry is a line of a menu, with
// its label, search words, keys and requirements.
//
// Entries of commands are in the table `commands` of commands.c. Entries of settings are
// in the option table (option_table.c). view_list_menu_entries() combines both. Menus, shortcuts,
// the command search and the lists of keys are generated from this list, so that a new command
// needs only a new entry.
#ifndef DEMO_VIEWER_BASE_COMMANDS_H
#define DEMO_VIEWER_BASE_COMMANDS_H

#include "demo/common/options.h"

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
    VIEW_TOGGLE_RAGDOLL, // start the ragdoll, or end it
    VIEW_ROTATE_X,       // rotate the model by 90 degrees about the axis
    VIEW_ROTATE_Z,
    VIEW_CAMERA_PATH,
    VIEW_FRAME_ALL, // from here to VIEW_ORTHOGRAPHIC: actions of the user's camera
    VIEW_FRAME_SELECTED,
    VIEW_FRONT,
    VIEW_BEHIND,
    VIEW_RIGHT,
    VIEW_LEFT,
    VIEW_TOP,
    VIEW_FROM_BELOW,
    VIEW_ISOMETRIC,
    VIEW_PREVIOUS_VIEW, // the view before one of the actions above
    VIEW_ORTHOGRAPHIC,
    // List files. If `item` is 0, the chosen file is opened. Otherwise it replaces "\1" in `path`,
    // and option `item` - 1 is set to the result.
    VIEW_FILES,
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
    VIEW_EXPORT,       // open the export dialog
    VIEW_EXPORT_AGAIN, // repeat the last export
    VIEW_START_PAGE,
    VIEW_WARNINGS,      // open or close the list of problems
    VIEW_TEXTURES,      // show the textures of mesh `item` - 1; 0 = the mesh of the last click
    VIEW_SAVE_TEXTURES, // show the path of the .mtr file to write; if `number` is 1, write the file
    VIEW_CLOSE_LISTS,
    VIEW_DRIVE,             // assign the keyboard to the character
    VIEW_MENUS,             // open the first menu
    VIEW_SEARCH,            // search commands
    VIEW_FIND,              // search the outliner
    VIEW_PICK_TARGET_JOINT, // map joint `number` of the model to which clips are retargeted
    VIEW_CONTEXT,           // open the context menu of the selection
    VIEW_SELECT_PARENT,     // select the parent of the selected joint
    VIEW_ONLY_MESH,         // hide all meshes except mesh `number`, or show all
    VIEW_SHOW_MESHES,       // show all meshes
    VIEW_HIDE_SELECTION,
    VIEW_COPY_NAME,    // copy `path`, the name of the context menu's target
    VIEW_COPY_PATH,    // copy `path`, the file of the context menu's target
    VIEW_COPY_COMMAND, // copy the command line that shows the current content
    VIEW_MEASURE,      // measure from the selected joint to the joint that is selected next
    VIEW_UNDO,
    VIEW_REDO,
    VIEW_GO_TO_STEP, // undo or redo until step `number` of the undo history is shown
    VIEW_RESET_ALL,
    VIEW_CLEAR_DOCUMENT_SETTINGS, // reset the current document to the defaults, also for later runs
    VIEW_CLEAR_ALL_SETTINGS, // delete the stored settings of all documents, and the recent files
    VIEW_QUIT,
    VIEW_ASK,          // prompt for the value of option `number`
    VIEW_SET,          // set option `number` to `value`, or to the text `path` if it is not NULL
    VIEW_SETTINGS,     // show all options
    VIEW_REVERT_CARD,  // undo all changes of the option card; if `number` is 1, set the default
    VIEW_FIRE_TRIGGER, // fire trigger `number` of the machine
    // From here to VIEW_GO_TO_STATE: actions of the mouse and of lists. The interface has already
    // executed the first four.
    VIEW_HANDLED,         // the interface has used the event
    VIEW_LIST_CHANGED,    // the selection or filter of the open list changed
    VIEW_LIST_CLOSED,     // the open list was closed
    VIEW_JOINT_SELECTED,  // the selected joint changed
    VIEW_OPEN_FOLDER,     // list the folder `path`
    VIEW_OPEN_GAME,       // list the contents of the folder `path`
    VIEW_OPEN_SECTION,    // list section `number` of the game
    VIEW_OPEN_FILE,       // open the file `path`
    VIEW_OPEN_CLIP,       // show clip `number`; if `item` is 1, also play it
    VIEW_OPEN_NAMED,      // show the entry `path` of section `number` of the game
    VIEW_PLAY_IN_CHANNEL, // play clip `number` in md5_channel `item`; SIZE_MAX: no clip
    VIEW_SHOW_CHANNEL,    // show the time of channel `item`
    VIEW_LIST_CHANNEL,    // list the clips for channel `item`
    VIEW_HIDE_MESH,       // hide or show mesh `number`
    VIEW_ASSIGN_TEXTURE,  // set map `item` of mesh `number` to the image `path`; NULL: as found
    VIEW_FIND_TEXTURE,    // list images for map `item` of mesh `number`
    VIEW_OPEN_PAGE,       // open lesson `number`
    VIEW_REMOVE_RECENT,   // remove the file `path` from the recent files
    VIEW_TRY_AGAIN,       // repeat the action that caused the last error
    VIEW_KEEP_MOVIE,      // save an unfinished recording
    VIEW_DELETE_MOVIE,
    VIEW_RUN_EXPORT, // export with the settings of the dialog
    VIEW_STOP_EXPORT,
    VIEW_MAP_JOINTS,      // retarget clip `path`, or "MODEL\nCLIP", to the shown model
    VIEW_REPAIR,          // repair the file `path`: see jobs/repair.c
    VIEW_SAVE_RETARGETED, // save a clip, all clips or the joint map, by `number`: see jobs/view.h
    VIEW_TAKE_TRANSITION, // start transition `item` of the machine's layer `number` unconditionally
    VIEW_GO_TO_STATE,     // enter state `item` of the machine's layer `number`
    // From here to VIEW_TRIGGER: character controls, while a key is held or once.
    VIEW_AHEAD,
    VIEW_BACK,
    VIEW_TO_RIGHT,
    VIEW_TO_LEFT,
    VIEW_FAST,
    VIEW_TRIGGER,
    // VIEW_TOGGLE + i sets entry i of the option table to its next value.
    VIEW_TOGGLE,
} view_action;

// An action with its arguments. Keys, the mouse and lists create commands, and app/ executes them.
// If an action affects only the user interface, the interface executes it before it returns the
// command.
typedef struct view_command {
    view_action action; // VIEW_NOTHING if the event was not used
    size_t number;
    size_t item;
    char *path;         // freed by the receiver; NULL if the action does not need it
    common_value value; // only for VIEW_SET; texts are in `path`
} view_command;

// The kind of the open document. Each kind has its own controls.
typedef enum view_mode {
    VIEW_MODE_CLIPS,   // a model with or without clips, or only a skeleton
    VIEW_MODE_MACHINE, // a state machine that is controlled with keys
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
    VIEW_NUM_MENUS, // the following groups are not in the menu bar
    VIEW_MENU_MOUSE = VIEW_NUM_MENUS,
    VIEW_MENU_DRIVING,
    VIEW_MENU_TARGET,   // only in context menus: commands for the clicked object
    VIEW_MENU_SETTINGS, // only in the settings and the search
    VIEW_NUM_GROUPS,
} view_menu;

extern const char *const view_menu_names[VIEW_NUM_GROUPS];

// Requirements of a command, as bits. A command is shown gray and cannot be used if one of its
// requirements is not met.
typedef enum view_need {
    VIEW_NEEDS_MODEL = 1 << 0,
    VIEW_NEEDS_CLIP = 1 << 1,
    VIEW_NEEDS_MACHINE = 1 << 2,
    VIEW_NEEDS_CLIPS = 1 << 3, // VIEW_MODE_CLIPS: neither a state machine nor a crowd
    VIEW_NEEDS_ONE = 1 << 4,   // a single model, not a crowd
    VIEW_NEEDS_CAMERA_PATH = 1 << 5,
    VIEW_NEEDS_ENVIRONMENT = 1 << 6,
    VIEW_NEEDS_MOVER = 1 << 7, // a character that keys can control
    VIEW_NEEDS_UNDO = 1 << 8,  // a step that can be undone
    VIEW_NEEDS_REDO = 1 << 9,
    VIEW_NEEDS_STEPS = 1 << 10,    // a step other than the state after opening
    VIEW_NEEDS_SCRIPT = 1 << 11,   // a monster of a game with a script
    VIEW_NEEDS_LESSON = 1 << 12,   // an open lesson, or the list of lessons
    VIEW_NEEDS_RETARGET = 1 << 13, // another model to which the clips are retargeted
    VIEW_NUM_NEEDS = 14,
} view_need;

// Returns the text for the first unmet requirement in `missing`, for example "Requires a clip".
const char *view_reason(uint32_t missing);

// The object for which a context menu was opened, as bits.
enum {
    VIEW_ON_MODEL = 1 << 0, // the model in the 3D view
    VIEW_ON_GROUND = 1 << 1,
    VIEW_ON_JOINT = 1 << 2,
    VIEW_ON_MESH = 1 << 3,
    VIEW_ON_CLIP = 1 << 4,
    VIEW_ON_STATE = 1 << 5,
    VIEW_ON_EDGE = 1 << 6,  // a transition in the state graph
    VIEW_ON_FILE = 1 << 7,  // a file in a list
    VIEW_ON_TIME = 1 << 8,  // the time bar
    VIEW_ON_IMAGE = 1 << 9, // an image of a mesh
    VIEW_ON_ANY = (1 << 10) - 1,
};

// The content of a submenu that is generated when it opens. Other entries execute a command
// instead.
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
    VIEW_LIST_TARGET_JOINTS, // joints of the model to which clips are retargeted
} view_menu_list;

// Modifier flags. A key of the table is a key code of platform.h combined with these flags.
enum {
    VIEW_WITH_SHIFT = 1 << 26,
    VIEW_WITH_CTRL = 1 << 27,
    VIEW_WITH_ANY = 1 << 28, // Shift is ignored: some keyboard layouts need it for the character
    VIEW_KEY_FLAGS = VIEW_WITH_SHIFT | VIEW_WITH_CTRL | VIEW_WITH_ANY,
};

enum { VIEW_MAX_KEYS = 4 };

// A line of a menu with its shortcuts. It executes a command or changes a setting.
typedef struct view_menu_entry {
    view_action action; // for a setting: VIEW_TOGGLE (sets its next value), VIEW_ASK or VIEW_SET
    view_menu menu;
    const char *name; // name of the action in messages, "play"; NULL for settings
    const char *label; // may begin with a submenu, "Show/Grid"; ends in "…" if it prompts for input
    const char *synonyms; // other words by which the command search finds the entry
    int32_t keys[VIEW_MAX_KEYS];
    uint32_t needs;      // view_need bits
    uint32_t listed_if;  // view_need bits without which menus and the search omit the entry
    const char *choices; // names in the window for the values of a setting, "a|b|c"
    common_value value;  // with VIEW_SET: the value to set
    const char *tooltip; // one line; NULL: the tooltip of the setting, or the label of the command
    view_menu_list list;
    uint16_t context; // VIEW_ON_ bits of the context menus that contain the command
    uint8_t trigger;  // for VIEW_TRIGGER: index of the machine's trigger
    // For a setting: the command of the same menu after which the setting is listed. VIEW_NOTHING
    // means the beginning of the menu.
    view_action after;
    size_t field; // for a command with VIEW_SET: the field of view_options that it sets
} view_menu_entry;

enum { VIEW_MAX_ENTRIES = 256 };

// All menu entries, in the order of the menus. Settings that follow the same command are in the
// order of the option table.
typedef struct view_menu_entries {
    const view_menu_entry *entries[VIEW_MAX_ENTRIES];
    size_t count;
} view_menu_entries;

void view_list_menu_entries(view_menu_entries *list);

struct view_option;

// Returns the setting that an entry displays or changes. Returns NULL if the entry is not about a
// setting.
const struct view_option *view_get_option(const view_menu_entry *entry);

// Returns the entry of a setting, or NULL if it does not have one.
const view_menu_entry *view_get_entry(const struct view_option *option);

// Returns the labels of a setting's values in the user interface, separated by "|".
const char *view_get_choices(const struct view_option *option);

// view_get_toggle() returns the action that sets a setting to its next value: VIEW_TOGGLE + its
// index. view_get_action() returns the action of any entry. For an entry that toggles a setting,
// this is the result of view_get_toggle().
view_action view_get_toggle(const struct view_option *option);
view_action view_get_action(const view_menu_entry *entry);

// view_set_command() returns the command that sets an option to a value, whose text it copies.
// view_set_text_command() sets it to a text, which the command then owns.
view_command view_set_command(const struct view_option *option, common_value value);
view_command view_set_text_command(const struct view_option *option, char *text);

// Returns the value of a command VIEW_SET. The command still owns its text.
common_value view_command_value(const view_command *command);

// Return the entry of a pressed key, or NULL. `key` is the code of the key with VIEW_WITH_SHIFT and
// VIEW_WITH_CTRL. view_find_control() searches the controls of the character, and
// view_find_shortcut() the other entries. No entry uses Alt, because window managers use it for
// their own shortcuts.
const view_menu_entry *view_find_shortcut(int32_t key);
const view_menu_entry *view_find_control(int32_t key);

// Writes the keys of an entry, for example "Ctrl+Shift+E" or "[ or -". Writes "" if it does not
// have keys.
void view_print_keys(const view_menu_entry *entry, char *text, size_t size);

enum { VIEW_MAX_TRIGGERS = 10 }; // only Space and F2 to F10 fire triggers

// Writes the name of the key that fires a trigger of the state machine. Writes "" if no key does.
void view_print_trigger_key(uint32_t trigger, char *text, size_t size);

// Returns the label of a menu entry, without the path of its submenu.
const char *view_get_label(const view_menu_entry *entry);

// Returns the tooltip of an entry. If it has none, returns the tooltip of its option, otherwise the
// label.
const char *view_get_tooltip(const view_menu_entry *entry);

// A line of the list of keys: the keys of one entry and their effect.
typedef struct view_key_line {
    const char *heading; // heading of the group that begins with this line, or NULL
    const char *help;
    char keys[48];
} view_key_line;

enum { VIEW_MAX_KEY_LINES = 160 };

// Writes one line for each entry that has keys and whose requirements are in `have`. The lines are
// in the order of the table. Returns the number of lines.
//
// `triggers` are the names of the state machine's triggers. Keys of further triggers are omitted.
// Keys for walking are omitted unless `walks` is true. If `triggers` is NULL, the list does not
// depend on a state machine.
uint32_t view_list_keys(uint32_t have, const char *const *triggers, uint32_t num_triggers,
                        bool walks, view_key_line lines[VIEW_MAX_KEY_LINES]);

// Returns true if an action controls the character: VIEW_AHEAD to VIEW_TRIGGER.
static inline bool view_is_driving(view_action action)
{
    return action >= VIEW_AHEAD && action <= VIEW_TRIGGER;
}

// Returns the name of an action for log messages, or "nothing".
const char *view_action_name(view_action action);

#endif
