// The table of commands, the list of all menu entries, and functions that find an entry by its
// option, action or key. See commands.h.
#include "demo/viewer/base/commands.h"

#include "demo/viewer/base/options.h"
#include "demo/viewer/platform/platform.h"

#include <assert.h>

const char *const view_menu_names[VIEW_NUM_GROUPS] = {
    "File",    "Edit",  "View", "Model", "Animation",          "States",
    "Camera",  "Light", "Help", "Mouse", "Character controls", "",
    "Settings"};

// == The table ====================================================================================

#ifdef __EMSCRIPTEN__
#define COPY "Copy link"
#define COPY_TOOLTIP "Copy a link to this view"
#else
#define COPY "Copy as command line"
#define COPY_TOOLTIP "Copy a command line that shows the same view"
#endif
#define KEYS(...) .keys = {__VA_ARGS__}
#define SHIFT(key) ((key) | VIEW_WITH_SHIFT)
#define CTRL(key) ((key) | VIEW_WITH_CTRL)
#define ANY(key) ((key) | VIEW_WITH_ANY)
#define NEEDS(value) .needs = (value)
#define MODEL VIEW_NEEDS_MODEL
#define CLIP VIEW_NEEDS_CLIP
#define MACHINE VIEW_NEEDS_MACHINE
#define CLIPS VIEW_NEEDS_CLIPS
#define ONE VIEW_NEEDS_ONE
#define ON(value) .context = VIEW_ON_##value
#define ON_GROUND ON(GROUND)
#define ON_BOTH .context = (VIEW_ON_MODEL | VIEW_ON_GROUND)
#define MOUSE(label, hint)                                            \
    {                                                                 \
        VIEW_NOTHING, VIEW_MENU_MOUSE, NULL, label, .tooltip = (hint) \
    }
#define TARGET(action, name, label, ...)                     \
    {                                                        \
        (action), VIEW_MENU_TARGET, name, label, __VA_ARGS__ \
    }
#define TRIGGER(number, key)                                                                   \
    {                                                                                          \
        VIEW_TRIGGER, VIEW_MENU_DRIVING, "trigger", "trigger", KEYS(ANY(key)), NEEDS(MACHINE), \
            .trigger = (number)                                                                \
    }

static const view_menu_entry commands[] = {
    {VIEW_START_PAGE, VIEW_MENU_FILE, "start-page", "Start page", "welcome examples home",
     KEYS(CTRL(VIEW_KEY_HOME))},
    {VIEW_FILES, VIEW_MENU_FILE, "files", "Open…",
     "load file model import animation clip fbx open model load model open clip load clip load "
     "animation drag and drop",
     KEYS(CTRL('o')), .tooltip = "Open files from a folder or recent files", ON_GROUND},
    {VIEW_OPEN_FOLDER, VIEW_MENU_FILE, "enter-folder", "Open folder…", "directory browse tree",
     KEYS(SHIFT(CTRL('o')))},
    {VIEW_OPEN_FILE, VIEW_MENU_FILE, "file", "Open recent", "last history files",
     .list = VIEW_LIST_RECENT},
    {VIEW_GAME, VIEW_MENU_FILE, "game", "Game contents",
     "entities skins archive pk4 doom quake pak", KEYS(SHIFT('f')),
     .tooltip = "List the contents of the game folder or archive"},
    {VIEW_NEXT_FILE, VIEW_MENU_FILE, "next-file", "Next file in folder", KEYS(VIEW_KEY_PAGE_DOWN)},
    {VIEW_PREVIOUS_FILE, VIEW_MENU_FILE, "previous-file", "Previous file in folder",
     KEYS(VIEW_KEY_PAGE_UP)},
    {VIEW_RELOAD, VIEW_MENU_FILE, "reload", "Reload", "refresh read again", KEYS(CTRL('r')),
     .tooltip = "Read the files again"},
    {VIEW_SCREENSHOT, VIEW_MENU_FILE, "screenshot", "Save screenshot",
     "picture screenshot png image photo capture print screen render image", KEYS(VIEW_KEY_F(12)),
     .tooltip = "Save an image of the window to the current folder", ON_GROUND},
    {VIEW_CLEAN_SCREENSHOT, VIEW_MENU_FILE, "clean-screenshot",
     "Save screenshot without background", "picture screenshot png alpha channel transparent",
     KEYS(CTRL(VIEW_KEY_F(12))),
     .tooltip = "Save an image with transparent background and without panels"},
    {VIEW_EXPORT, VIEW_MENU_FILE, "export", "Export…",
     "save as folder glb gltf iqm obj bvh md2 md3 mdl blender convert png gif mp4 webm apng movie "
     "video "
     "sheet turntable spin quick animations clips thumbnail looping render animation resolution "
     "frame "
     "rate",
     KEYS(CTRL('e')), ON_GROUND,
     .tooltip = "Export images, movies, turntables, contact sheets or models"},
    {VIEW_EXPORT_AGAIN, VIEW_MENU_FILE, "export-again", "Export again", "save",
     KEYS(SHIFT(CTRL('e'))), .tooltip = "Export with the same settings"},
    {VIEW_RECORD, VIEW_MENU_FILE, "record", "Record movie",
     "gif mp4 video capture render animation", KEYS(SHIFT(VIEW_KEY_F(12))),
     .tooltip = "Start or stop recording a movie of the window"},
    {VIEW_QUIT, VIEW_MENU_FILE, "quit", "Quit", "exit close", KEYS(CTRL('q'))},

    {VIEW_UNDO, VIEW_MENU_EDIT, "undo", "Undo", "back revert", KEYS(CTRL('z')),
     NEEDS(VIEW_NEEDS_UNDO)},
    {VIEW_REDO, VIEW_MENU_EDIT, "redo", "Redo", "again", KEYS(SHIFT(CTRL('z')), CTRL('y')),
     NEEDS(VIEW_NEEDS_REDO)},
    {VIEW_GO_TO_STEP, VIEW_MENU_EDIT, "history", "History", "steps undo", .list = VIEW_LIST_STEPS,
     NEEDS(VIEW_NEEDS_STEPS)},
    {VIEW_RESET_ALL, VIEW_MENU_EDIT, "reset-all", "Reset all",
     "defaults default return usual as opened everything restore factory reset everything reset "
     "settings",
     .tooltip = "Reset all settings of this model and of the display"},
    {VIEW_SETTINGS, VIEW_MENU_EDIT, "settings", "Settings…",
     "preferences options configuration forget", KEYS(CTRL(','))},
    {VIEW_SEARCH, VIEW_MENU_EDIT, "search", "Search commands…", "search find menu palette",
     KEYS(CTRL('p')), ON(ANY), .tooltip = "Search commands and set values, such as: speed 0.5"},
    {VIEW_FIND, VIEW_MENU_EDIT, "find", "Find joint, mesh, clip…",
     "bone search state look at zoom go to joint", KEYS(CTRL('f')),
     .tooltip = "Find joints, meshes, clips and states; Enter selects the first match"},
    {VIEW_COPY_COMMAND, VIEW_MENU_EDIT, "copy-command", COPY, "clipboard shell options share url",
     .tooltip = COPY_TOOLTIP},
    {VIEW_MEASURE, VIEW_MENU_EDIT, "measure", "Measure distance", "angle between ruler length",
     KEYS(CTRL('m')), NEEDS(ONE), ON(JOINT),
     .tooltip = "Measure from the selected joint to another joint"},
    {VIEW_CLOSE_LISTS, VIEW_MENU_EDIT, "close-lists", "Deselect", "clear escape none",
     KEYS(VIEW_KEY_ESCAPE),
     .tooltip = "Close the menu, list or error, release the keyboard, or deselect"},

    {VIEW_CLIPS, VIEW_MENU_VIEW, "clips", "Clip list",
     "animations actions action editor dope sheet dopesheet nla", KEYS(CTRL('l')),
     NEEDS(CLIPS | CLIP)},
    {VIEW_WARNINGS, VIEW_MENU_VIEW, "warnings", "Problems",
     "errors warnings faults missing black model pink purple broken not found why console log",
     KEYS(CTRL('w')), .tooltip = "List all errors and warnings of the files"},
    {VIEW_LARGER_TEXT, VIEW_MENU_VIEW, "larger-text", "Larger text", "zoom font bigger",
     KEYS(CTRL(ANY('+')), CTRL(ANY('=')), CTRL(VIEW_KEY_PAD_PLUS))},
    {VIEW_SMALLER_TEXT, VIEW_MENU_VIEW, "smaller-text", "Smaller text", "zoom font",
     KEYS(CTRL(ANY('-')), CTRL(VIEW_KEY_PAD_MINUS))},
    {VIEW_FULL_SCREEN, VIEW_MENU_VIEW, "full-screen", "Full screen", "maximize fullscreen",
     KEYS(VIEW_KEY_F(11))},

    {VIEW_TEXTURES, VIEW_MENU_MODEL, "textures", "Textures…",
     "image map albedo diffuse normal specular emissive missing swap replace load not found pink "
     "texture preview export "
     "material shader",
     KEYS(CTRL('t')), NEEDS(MODEL), .tooltip = "Show and change the images of each mesh"},
    {VIEW_SAVE_TEXTURES, VIEW_MENU_MODEL, "save-textures", "Save textures as .mtr…",
     "material write", NEEDS(MODEL)},
    {VIEW_HIDE_MESH, VIEW_MENU_MODEL, "mesh", "Meshes", "hide show part submesh object",
     NEEDS(MODEL | ONE), .list = VIEW_LIST_MESHES},
    {VIEW_HIDE_SELECTION, VIEW_MENU_MODEL, "hide-selection", "Hide selection",
     "mesh invisible selected", KEYS(CTRL('h')), NEEDS(MODEL | ONE),
     .tooltip = "Hide the selected mesh"},
    {VIEW_SHOW_MESHES, VIEW_MENU_MODEL, "show-meshes", "Show all meshes", "unhide reveal",
     KEYS(SHIFT(CTRL('h'))), NEEDS(MODEL | ONE)},
    {VIEW_ROTATE_X, VIEW_MENU_MODEL, "turn-x", "Rotate 90° around X", "rotate stand up lie",
     KEYS(SHIFT('x')), NEEDS(ONE)},
    {VIEW_ROTATE_Z, VIEW_MENU_MODEL, "turn-z", "Rotate 90° around Z", "rotate", KEYS(SHIFT('z')),
     NEEDS(ONE)},
    {VIEW_SAVE_RETARGETED, VIEW_MENU_MODEL, "save-retargeted", "Save retargeted clip",
     "write export animation md5anim", KEYS(CTRL('s')),
     NEEDS(VIEW_NEEDS_CLIP | VIEW_NEEDS_RETARGET), .listed_if = VIEW_NEEDS_RETARGET,
     .tooltip = "Save this clip for the other model, in the folder of that model"},
    {VIEW_PICK_TARGET_JOINT, VIEW_MENU_MODEL, "target-joint", "Map joint",
     "pair bone mapping retarget wrong fix other model skeleton", NEEDS(VIEW_NEEDS_RETARGET),
     .listed_if = VIEW_NEEDS_RETARGET, .list = VIEW_LIST_TARGET_JOINTS,
     .tooltip = "Select the joint of this model that moves a joint of the other model"},
    {VIEW_TOGGLE_RAGDOLL, VIEW_MENU_MODEL, "die", "Ragdoll…/Start ragdoll",
     "ragdoll die death dead af kill physics", KEYS(VIEW_KEY_DELETE), NEEDS(MODEL | ONE),
     .tooltip = "Let the model fall as a ragdoll; press again to end"},
    {VIEW_WALK, VIEW_MENU_MODEL, "walk", "Procedural walk", "legs without clips rules", KEYS('u'),
     NEEDS(MODEL | CLIPS), .tooltip = "Walk with procedural steps instead of clips"},

    {VIEW_PLAY, VIEW_MENU_ANIMATION, "play", "Play",
     "pause stop go resume autoplay animation start preview", KEYS(' ', ANY(VIEW_KEY_PAUSE)),
     .tooltip = "Play or pause"},
    {VIEW_STEP_BACK, VIEW_MENU_ANIMATION, "step-back", "Previous frame", "step",
     KEYS(VIEW_KEY_LEFT, ANY(','))},
    {VIEW_STEP_ON, VIEW_MENU_ANIMATION, "step-on", "Next frame", "step",
     KEYS(VIEW_KEY_RIGHT, ANY('.'))},
    {VIEW_GO_FIRST, VIEW_MENU_ANIMATION, "first", "First frame", "begin restart start",
     KEYS(SHIFT(VIEW_KEY_LEFT)), .tooltip = "Go to the first frame, or restart the state machine"},
    {VIEW_GO_LAST, VIEW_MENU_ANIMATION, "last", "Last frame", "end", KEYS(SHIFT(VIEW_KEY_RIGHT))},
    {VIEW_OPEN_CLIP, VIEW_MENU_ANIMATION, "clip", "Clip", "animation", NEEDS(CLIPS),
     .list = VIEW_LIST_CLIPS},
    {VIEW_NEXT_CLIP, VIEW_MENU_ANIMATION, "next-clip", "Next clip", "animation",
     KEYS(CTRL(VIEW_KEY_PAGE_DOWN)), NEEDS(CLIPS | CLIP)},
    {VIEW_PREVIOUS_CLIP, VIEW_MENU_ANIMATION, "previous-clip", "Previous clip", "animation",
     KEYS(CTRL(VIEW_KEY_PAGE_UP)), NEEDS(CLIPS | CLIP)},
    {VIEW_SLOWER, VIEW_MENU_ANIMATION, "slower", "Halve the speed", "half slow motion slower",
     KEYS(ANY('['), ANY('-'), VIEW_KEY_PAD_MINUS)},
    {VIEW_FASTER, VIEW_MENU_ANIMATION, "faster", "Double the speed", "faster",
     KEYS(ANY(']'), ANY('+'), ANY('='), VIEW_KEY_PAD_PLUS)},
    {VIEW_NORMAL_SPEED, VIEW_MENU_ANIMATION, "normal-speed", "Normal speed",
     KEYS(VIEW_KEY_BACKSPACE)},
    {VIEW_REVERSE, VIEW_MENU_ANIMATION, "reverse", "Play backward", "reverse", KEYS('r')},
    {VIEW_RANGE_BEGIN, VIEW_MENU_ANIMATION, "range-begin", "Range/Set range start", "trim begin",
     KEYS('i'), NEEDS(CLIPS | CLIP), ON(TIME)},
    {VIEW_RANGE_END, VIEW_MENU_ANIMATION, "range-end", "Range/Set range end", "trim", KEYS('o'),
     NEEDS(CLIPS | CLIP), ON(TIME)},
    {VIEW_RANGE_ALL, VIEW_MENU_ANIMATION, "range-all", "Range/Play all frames", "range trim",
     KEYS(SHIFT('i')), NEEDS(CLIPS | CLIP), ON(TIME)},
    {VIEW_BIND_POSE, VIEW_MENU_ANIMATION, "bind-pose", "Bind pose",
     "rest t-pose tpose edit mode reset pose", KEYS('p'), NEEDS(ONE)},

    {VIEW_DRIVE, VIEW_MENU_MACHINE, "drive", "Control character",
     "drive control walk wasd game play mode first person walk around",
     KEYS(VIEW_KEY_RETURN, VIEW_KEY_PAD_ENTER), NEEDS(VIEW_NEEDS_MOVER),
     .tooltip = "Control the character: W A S D, Shift, Space, F2 to F10; Esc ends"},
    {VIEW_FIRE_TRIGGER, VIEW_MENU_MACHINE, "push", "Fire trigger", "push event", NEEDS(MACHINE),
     .list = VIEW_LIST_TRIGGERS},
    {VIEW_GO_TO_STATE, VIEW_MENU_MACHINE, "state", "Go to state", "jump", NEEDS(MACHINE),
     .list = VIEW_LIST_STATES},
    {VIEW_ONE_SHOT, VIEW_MENU_MACHINE, "one-shot", "Play a clip once", "one-shot montage",
     NEEDS(MACHINE), .tooltip = "Play the machine's next one-shot clip"},

    {VIEW_FRONT, VIEW_MENU_CAMERA, "front", "Front", "front view numpad 1",
     KEYS(ANY('1'), VIEW_KEY_PAD(1)), ON_GROUND},
    {VIEW_BEHIND, VIEW_MENU_CAMERA, "behind", "Back", "behind back view",
     KEYS(CTRL('1'), CTRL(VIEW_KEY_PAD(1)))},
    {VIEW_RIGHT, VIEW_MENU_CAMERA, "right", "Right", "side view numpad 3",
     KEYS(ANY('3'), VIEW_KEY_PAD(3))},
    {VIEW_LEFT, VIEW_MENU_CAMERA, "left", "Left", "side", KEYS(CTRL('3'), CTRL(VIEW_KEY_PAD(3)))},
    {VIEW_TOP, VIEW_MENU_CAMERA, "top", "Top", "above top view numpad 7",
     KEYS(ANY('7'), VIEW_KEY_PAD(7))},
    {VIEW_FROM_BELOW, VIEW_MENU_CAMERA, "below", "Bottom", "below bottom view",
     KEYS(CTRL('7'), CTRL(VIEW_KEY_PAD(7)))},
    {VIEW_ISOMETRIC, VIEW_MENU_CAMERA, "isometric", "Isometric", KEYS(ANY('9'), VIEW_KEY_PAD(9))},
    {VIEW_ORTHOGRAPHIC, VIEW_MENU_CAMERA, "orthographic", "Orthographic",
     "parallel perspective projection isometric", KEYS(ANY('5'), VIEW_KEY_PAD(5))},
    {VIEW_FRAME_ALL, VIEW_MENU_CAMERA, "frame-all", "Frame all",
     "show fit reset home everything camera center zoom extents view all", KEYS(VIEW_KEY_HOME),
     ON_BOTH},
    {VIEW_FRAME_SELECTED, VIEW_MENU_CAMERA, "frame-chosen", "Frame selection",
     "show zoom focus fit selected", KEYS('f'), NEEDS(ONE), ON(JOINT)},
    {VIEW_PREVIOUS_VIEW, VIEW_MENU_CAMERA, "previous-view", "Previous view", "back undo camera",
     .tooltip = "Restore the view before the last camera command"},
    {VIEW_CAMERA_PATH, VIEW_MENU_CAMERA, "camera-path", "Follow camera path", "cut scene md5camera",
     KEYS('v'), NEEDS(VIEW_NEEDS_CAMERA_PATH)},

    {VIEW_NEXT_PAGE, VIEW_MENU_HELP, "next-page", "Next lesson", KEYS('y'),
     .listed_if = VIEW_NEEDS_LESSON},
    {VIEW_PREVIOUS_PAGE, VIEW_MENU_HELP, "previous-page", "Previous lesson", KEYS(SHIFT('y')),
     .listed_if = VIEW_NEEDS_LESSON},

    TARGET(VIEW_SELECT_PARENT, "choose-parent", "Select parent joint", NEEDS(MODEL | ONE),
           ON(JOINT)),
    TARGET(VIEW_OPEN_CLIP, "clip", "Play", ON(CLIP)),
    TARGET(VIEW_HIDE_MESH, "mesh", "Hide", ON(MESH)),
    TARGET(VIEW_TEXTURES, "textures", "Textures…", ON(MESH)),
    TARGET(VIEW_ONLY_MESH, "only-mesh", "Isolate", ON(MESH)),
    TARGET(VIEW_GO_TO_STATE, "state", "Go to this state", ON(STATE)),
    TARGET(VIEW_TAKE_TRANSITION, "transition", "Take this transition", ON(EDGE)),
    TARGET(VIEW_OPEN_FILE, "file", "Open", ON(FILE)),
    TARGET(VIEW_SET, "set", "Compare with this", .field = offsetof(view_options, compare),
           NEEDS(MODEL), .context = VIEW_ON_CLIP | VIEW_ON_FILE),
    TARGET(VIEW_COPY_NAME, "copy-name", "Copy name",
           .context = VIEW_ON_JOINT | VIEW_ON_CLIP | VIEW_ON_STATE | VIEW_ON_FILE | VIEW_ON_IMAGE),
    TARGET(VIEW_COPY_PATH, "copy-path", "Copy path", .context = VIEW_ON_CLIP | VIEW_ON_FILE),

    {VIEW_CLEAR_DOCUMENT_SETTINGS, VIEW_MENU_SETTINGS, "forget-document",
     "Clear stored settings of this model", "reset remembered forget delete",
     .tooltip = "Reset all settings of this model and delete its stored settings"},
    {VIEW_CLEAR_ALL_SETTINGS, VIEW_MENU_SETTINGS, "forget-all",
     "Clear stored settings of all models", "reset remembered recent forget delete",
     .tooltip = "Delete the stored settings of all models and the recent files"},

    TARGET(VIEW_MENUS, "menus", "Menus", .context = 0),

    MOUSE("Left drag", "Orbit"),
    MOUSE("Click on the model", "Inspect the joint, triangle and vertex"),
    MOUSE("Right click", "Context menu of the object"),
    {VIEW_CONTEXT, VIEW_MENU_MOUSE, "context", "Context menu of the selection",
     KEYS(VIEW_KEY_MENU, SHIFT(VIEW_KEY_F(10)))},
    MOUSE("Ctrl+click", "Measure the distance between two points"),
    MOUSE("Middle or Shift+left drag", "Pan"),
    MOUSE("Wheel, right drag", "Zoom"),
    MOUSE("Double click", "Zoom to the point, or frame all"),
    MOUSE("Drop a file", "Open it; an image becomes a texture"),
    MOUSE("Tab, F6", "Next control or panel (Shift: previous)"),

    {VIEW_AHEAD, VIEW_MENU_DRIVING, "drive", "Walk forward", KEYS(ANY('w'))},
    {VIEW_BACK, VIEW_MENU_DRIVING, "drive", "Walk backward", KEYS(ANY('s'))},
    {VIEW_TO_LEFT, VIEW_MENU_DRIVING, "drive", "Walk left", KEYS(ANY('a'))},
    {VIEW_TO_RIGHT, VIEW_MENU_DRIVING, "drive", "Walk right", KEYS(ANY('d'))},
    {VIEW_FAST, VIEW_MENU_DRIVING, "drive", "Run",
     KEYS(ANY(VIEW_KEY_LEFT_SHIFT), ANY(VIEW_KEY_RIGHT_SHIFT))},
    TRIGGER(0, ' '),
    TRIGGER(1, VIEW_KEY_F(2)),
    TRIGGER(2, VIEW_KEY_F(3)),
    TRIGGER(3, VIEW_KEY_F(4)),
    TRIGGER(4, VIEW_KEY_F(5)),
    TRIGGER(5, VIEW_KEY_F(6)),
    TRIGGER(6, VIEW_KEY_F(7)),
    TRIGGER(7, VIEW_KEY_F(8)),
    TRIGGER(8, VIEW_KEY_F(9)),
    TRIGGER(9, VIEW_KEY_F(10)),
};

// == Entries ======================================================================================

// Appends an entry to a list. The list must have space for it.
static void add_entry(view_menu_entries *list, const view_menu_entry *entry)
{
    assert(list->count < VIEW_MAX_ENTRIES); // the number of entries is a constant of the build
    list->entries[list->count++] = entry;
}

// Appends the settings that a menu shows after the command `after`. VIEW_NOTHING stands for the
// beginning of the menu.
static void add_settings(view_menu_entries *list, view_menu menu, view_action after)
{
    for (size_t i = 0; i < view_num_options; i++) {
        const view_menu_entry *const entry = &view_option_rows[i].entry;
        if (entry->label != NULL && entry->menu == menu && entry->after == after)
            add_entry(list, entry);
    }
}

// Lists the entries of all menus. Each command is followed by the settings that name it in `after`.
void view_list_menu_entries(view_menu_entries *list)
{
    list->count = 0;
    for (int menu = 0; menu < VIEW_NUM_GROUPS; menu++) {
        add_settings(list, (view_menu)menu, VIEW_NOTHING);
        for (size_t i = 0; i < COMMON_LENGTH(commands); i++) {
            if ((int)commands[i].menu != menu)
                continue;
            add_entry(list, &commands[i]);
            add_settings(list, (view_menu)menu, commands[i].action);
        }
    }
}

// Returns the option that a menu entry displays or changes, or NULL. An entry of the table of
// commands names the field of view_options that it sets. The entry of an option is a member of
// the table of options, and is found by its address.
const view_option *view_get_option(const view_menu_entry *entry)
{
    if (entry->field != 0)
        return view_get_field_option(entry->field);
    for (size_t i = 0; i < view_num_options; i++) {
        if (entry == &view_option_rows[i].entry)
            return &view_option_rows[i];
    }
    return NULL;
}

const view_menu_entry *view_get_entry(const view_option *option)
{
    return option->entry.label != NULL ? &option->entry : NULL;
}

const char *view_get_choices(const view_option *option)
{
    return option->entry.choices != NULL ? option->entry.choices : option->value;
}

view_action view_get_toggle(const view_option *option)
{
    return (view_action)(VIEW_TOGGLE + (int)view_option_index(option));
}

view_action view_get_action(const view_menu_entry *entry)
{
    return entry->action != VIEW_TOGGLE ? entry->action : view_get_toggle(view_get_option(entry));
}

view_command view_set_text_command(const view_option *option, char *text)
{
    return (view_command){.action = VIEW_SET, .number = view_option_index(option), .path = text};
}

view_command view_set_command(const view_option *option, common_value value)
{
    if (value.type == COMMON_VALUE_TEXT)
        return view_set_text_command(option, common_copy(value.text));
    return (view_command){.action = VIEW_SET, .number = view_option_index(option), .value = value};
}

common_value view_command_value(const view_command *command)
{
    return command->path != NULL ? common_text_value(command->path) : command->value;
}

const char *view_get_tooltip(const view_menu_entry *entry)
{
    if (entry->tooltip != NULL)
        return entry->tooltip;
    const view_option *const option = view_get_option(entry);
    return option != NULL ? option->tooltip : view_get_label(entry);
}

const char *view_get_label(const view_menu_entry *entry)
{
    const char *const slash = strchr(entry->label, '/');
    return slash != NULL ? slash + 1 : entry->label;
}

// Returns a text for the first requirement that is not met, such as "Requires a clip". The texts
// are in the order of the bits of `missing`. Returns "" if no requirement is unmet.
const char *view_reason(uint32_t missing)
{
    static const char *const reasons[VIEW_NUM_NEEDS] = {
        "Requires a model",
        "Requires a clip",
        "Requires a state machine",
        "Requires a model animated by clips",
        "Not available in a crowd",
        "Requires a camera path",
        "Requires an environment map",
        "Requires a character that can be controlled",
        "Nothing to undo",
        "Nothing to redo",
        "Nothing to undo or redo",
        "Requires a game monster with a script",
        "Requires an open lesson",
        "Requires a retargeted model",
    };
    for (int i = 0; i < VIEW_NUM_NEEDS; i++) {
        if ((missing >> i & 1) != 0)
            return reasons[i];
    }
    return "";
}

// Returns the name of an action for log messages. The name comes from the table of commands, the
// table of options, or the actions of panels below.
const char *view_action_name(view_action action)
{
    // These actions come from panels. They have no menu entry that could contain their name.
    static const char *const item_names[] = {
        [0] = "handled", // VIEW_HANDLED, the first of these actions
        [VIEW_LIST_CHANGED - VIEW_HANDLED] = "list",
        [VIEW_LIST_CLOSED - VIEW_HANDLED] = "close-lists",
        [VIEW_JOINT_SELECTED - VIEW_HANDLED] = "joint",
        [VIEW_OPEN_FOLDER - VIEW_HANDLED] = "enter-folder",
        [VIEW_OPEN_GAME - VIEW_HANDLED] = "section",
        [VIEW_OPEN_SECTION - VIEW_HANDLED] = "section",
        [VIEW_OPEN_FILE - VIEW_HANDLED] = "choose",
        [VIEW_OPEN_CLIP - VIEW_HANDLED] = "choose",
        [VIEW_OPEN_NAMED - VIEW_HANDLED] = "choose",
        [VIEW_PLAY_IN_CHANNEL - VIEW_HANDLED] = "choose",
        [VIEW_SHOW_CHANNEL - VIEW_HANDLED] = "channel",
        [VIEW_LIST_CHANNEL - VIEW_HANDLED] = "channel",
        [VIEW_HIDE_MESH - VIEW_HANDLED] = "mesh",
        [VIEW_ASSIGN_TEXTURE - VIEW_HANDLED] = "texture",
        [VIEW_FIND_TEXTURE - VIEW_HANDLED] = "images",
        [VIEW_OPEN_PAGE - VIEW_HANDLED] = "page",
        [VIEW_REMOVE_RECENT - VIEW_HANDLED] = "forget",
        [VIEW_TRY_AGAIN - VIEW_HANDLED] = "try-again",
        [VIEW_KEEP_MOVIE - VIEW_HANDLED] = "keep",
        [VIEW_DELETE_MOVIE - VIEW_HANDLED] = "delete",
        [VIEW_RUN_EXPORT - VIEW_HANDLED] = "run-export",
        [VIEW_STOP_EXPORT - VIEW_HANDLED] = "stop-export",
        [VIEW_MAP_JOINTS - VIEW_HANDLED] = "map-joints",
        [VIEW_REPAIR - VIEW_HANDLED] = "repair",
        [VIEW_SAVE_RETARGETED - VIEW_HANDLED] = "save-retargeted",
        [VIEW_TAKE_TRANSITION - VIEW_HANDLED] = "transition",
        [VIEW_GO_TO_STATE - VIEW_HANDLED] = "state",
    };
    static_assert(COMMON_LENGTH(item_names) == VIEW_GO_TO_STATE - VIEW_HANDLED + 1,
                  "each action has a name");
    if (action >= VIEW_HANDLED && action <= VIEW_GO_TO_STATE)
        return item_names[action - VIEW_HANDLED];
    if (action >= VIEW_TOGGLE) {
        const view_option *const option = &view_option_rows[action - VIEW_TOGGLE];
        return option->word != NULL ? option->word : option->name;
    }
    for (size_t i = 0; i < COMMON_LENGTH(commands); i++) {
        if (commands[i].action == action && commands[i].name != NULL)
            return commands[i].name;
    }
    if (action == VIEW_ASK)
        return "ask";
    return action == VIEW_SET ? "set" : "nothing";
}

// == Keys =========================================================================================

// Returns true if a pressed key matches a key of the table. Both contain flags for modifiers.
static bool is_key_pressed(int32_t key, int32_t pressed)
{
    const bool ignores_shift = (key & VIEW_WITH_ANY) != 0;
    const int32_t ignored_flags = ignores_shift ? VIEW_WITH_SHIFT | VIEW_WITH_ANY : 0;
    return (key & ~ignored_flags) == (pressed & ~ignored_flags);
}

// Finds the entry of a pressed key among the controls of the character, or among the other entries.
static const view_menu_entry *find_key(int32_t pressed, bool is_driving)
{
    view_menu_entries list;
    view_list_menu_entries(&list);
    for (size_t i = 0; i < list.count; i++) {
        const view_menu_entry *const entry = list.entries[i];
        if (view_is_driving(entry->action) != is_driving)
            continue;
        for (int k = 0; k < VIEW_MAX_KEYS && entry->keys[k] != 0; k++) {
            if (is_key_pressed(entry->keys[k], pressed))
                return entry;
        }
    }
    return NULL;
}

const view_menu_entry *view_find_shortcut(int32_t key)
{
    return find_key(key, false);
}

const view_menu_entry *view_find_control(int32_t key)
{
    return find_key(key, true);
}

// Writes the name of a key with its modifiers, for example "Ctrl+Shift+Z".
static void print_key(int32_t key, char *text, size_t size)
{
    char name[16];
    const char *const control = (key & VIEW_WITH_CTRL) != 0 ? "Ctrl+" : "";
    const char *const shift = (key & VIEW_WITH_SHIFT) != 0 ? "Shift+" : "";
    snprintf(text, size, "%s%s%s", control, shift,
             view_name_key(key & ~VIEW_KEY_FLAGS, name, sizeof name));
}

// Returns true if view_print_keys() omits this key because another key has the same function.
// Examples are keys of the number pad and the right Shift key.
static bool is_twin_key(int32_t code)
{
    if (code >= VIEW_KEY_PAD_ENTER && code <= VIEW_KEY_PAD_9)
        return true;
    return code == VIEW_KEY_RIGHT_SHIFT || code == '=';
}

// Writes the shortcuts of an entry as text, such as "[ or -". Of keys with the same function,
// such as the two Shift keys or the digits of the number pad, only one is printed.
void view_print_keys(const view_menu_entry *entry, char *text, size_t size)
{
    text[0] = '\0';
    for (int i = 0; i < VIEW_MAX_KEYS && entry->keys[i] != 0; i++) {
        const int32_t code = entry->keys[i] & ~VIEW_KEY_FLAGS;
        if (is_twin_key(code))
            continue;
        char key[48] = "Shift"; // the right Shift key is omitted as a twin, so no side is printed
        if (code != VIEW_KEY_LEFT_SHIFT)
            print_key(entry->keys[i], key, sizeof key);
        common_append(text, size, " or ", "%s", key);
    }
}

void view_print_trigger_key(uint32_t trigger, char *text, size_t size)
{
    text[0] = '\0';
    for (size_t i = 0; i < COMMON_LENGTH(commands); i++) {
        if (commands[i].action == VIEW_TRIGGER && commands[i].trigger == trigger)
            view_print_keys(&commands[i], text, size);
    }
}

// Returns true if the list of keys contains a menu entry. The entry must have a key or describe the
// mouse, and `have` must contain all its requirements. A trigger must be one of the first
// `num_triggers` of the state machine. Keys that move the character are listed only if `walks` is
// true.
static bool is_key_listed(const view_menu_entry *entry, uint32_t have, uint32_t num_triggers,
                          bool walks)
{
    const bool is_trigger = entry->action == VIEW_TRIGGER;
    const bool has_input = entry->keys[0] != 0 || entry->menu == VIEW_MENU_MOUSE;
    if (!has_input || (entry->needs & ~have) != 0)
        return false;
    if (is_trigger)
        return entry->trigger < num_triggers;
    return walks || entry->menu != VIEW_MENU_DRIVING;
}

// Writes the line of an entry: its keys and its description. `triggers` are the names of the
// triggers of the state machine. If `is_any_machine` is true, the line of the second trigger
// describes all further triggers.
static void describe_key_line(const view_menu_entry *entry, const char *const *triggers,
                              bool is_any_machine, view_key_line *line)
{
    const bool is_mouse = entry->menu == VIEW_MENU_MOUSE && entry->keys[0] == 0;
    if (is_mouse) { // the label is the mouse action, for example "Drag"
        line->help = entry->tooltip;
        COMMON_TEXT(line->keys, "%s", entry->label);
        return;
    }

    const bool is_trigger = entry->action == VIEW_TRIGGER;
    line->help = is_trigger ? triggers[entry->trigger] : view_get_label(entry);
    if (is_trigger && is_any_machine && entry->trigger > 0)
        COMMON_TEXT(line->keys, "F2 to F10");
    else
        view_print_keys(entry, line->keys, sizeof line->keys);
}

// Lists the shortcuts for the list of keys, the help and the manual page. If `triggers` is NULL,
// the list does not depend on a state machine.
uint32_t view_list_keys(uint32_t have, const char *const *triggers, uint32_t num_triggers,
                        bool walks, view_key_line lines[VIEW_MAX_KEY_LINES])
{
    static const char *const triggers_of_any[] = {"First trigger", "Other triggers"};
    const bool is_any_machine = triggers == NULL;
    const char *const *const names = is_any_machine ? triggers_of_any : triggers;
    const uint32_t num_names = is_any_machine ? COMMON_LENGTH(triggers_of_any) : num_triggers;

    uint32_t count = 0;
    view_menu previous_menu = VIEW_NUM_GROUPS;
    view_menu_entries list;
    view_list_menu_entries(&list);
    for (size_t i = 0; i < list.count && count < VIEW_MAX_KEY_LINES; i++) {
        const view_menu_entry *const entry = list.entries[i];
        if (!is_key_listed(entry, have, num_names, walks))
            continue;
        view_key_line *const line = &lines[count++];
        const bool begins_group = entry->menu != previous_menu;
        line->heading = begins_group ? view_menu_names[entry->menu] : NULL;
        describe_key_line(entry, names, is_any_machine, line);
        previous_menu = entry->menu;
    }
    return count;
}
