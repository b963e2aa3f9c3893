#include "demo/viewer/base/keys.h"

#include "demo/viewer/base/options.h"

#include <assert.h>

#include <SDL.h>

#define GROUP(title) .heading = title
#define MOUSE .code = 0
#define KEY(key) .code = (key)
#define SHIFT(key) .code = (key), .shift = true
#define CONTROL(key) .code = (key), .control = true, .any_shift = true
#define CONTROL_ALONE(key) .code = (key), .control = true
#define CONTROL_SHIFT(key) .code = (key), .control = true, .shift = true
#define CHARACTER(key) .code = (key), .any_shift = true

// The modes in which a line holds.
#define CLIPS .modes = VIEW_IN_CLIPS
#define MACHINE .modes = VIEW_IN_MACHINE
#define NO_MACHINE .modes = (VIEW_IN_CLIPS | VIEW_IN_CROWD)
#define TRIGGER(number, keys, key)                                                             \
    {                                                                                          \
        VIEW_TRIGGER, "trigger", keys, "trigger", CHARACTER(key), .trigger = (number), MACHINE \
    }

static const view_binding table[] = {
    {VIEW_AHEAD, "drive", "W", "walk forward", GROUP("State machine"), CHARACTER(SDLK_w), MACHINE},
    {VIEW_BACK, "drive", "S", "walk backward", CHARACTER(SDLK_s), MACHINE},
    {VIEW_TO_LEFT, "drive", "A", "walk left", CHARACTER(SDLK_a), MACHINE},
    {VIEW_TO_RIGHT, "drive", "D", "walk right", CHARACTER(SDLK_d), MACHINE},
    {VIEW_FAST, "drive", "Shift", "run", CHARACTER(SDLK_LSHIFT), MACHINE},
    {VIEW_FAST, CHARACTER(SDLK_RSHIFT), MACHINE},
    TRIGGER(0, "Space", SDLK_SPACE),
    TRIGGER(1, "F2", SDLK_F2),
    TRIGGER(2, "F3", SDLK_F3),
    TRIGGER(3, "F4", SDLK_F4),
    TRIGGER(4, "F5", SDLK_F5),
    TRIGGER(5, "F6", SDLK_F6),
    TRIGGER(6, "F7", SDLK_F7),
    TRIGGER(7, "F8", SDLK_F8),
    TRIGGER(8, "F9", SDLK_F9),
    TRIGGER(9, "F10", SDLK_F10),

    {VIEW_PLAY, "play", "Space or Pause", "play, pause", GROUP("Animation"), KEY(SDLK_SPACE),
     NO_MACHINE},
    {VIEW_PLAY, "play", "P or Pause", "pause, play", KEY(SDLK_p), MACHINE},
    // With Shift too, which makes a character run: it can be stopped and stepped while it does.
    {VIEW_PLAY, CHARACTER(SDLK_PAUSE)},
    {VIEW_STEP_BACK, "step-back", "Left or ,", "one frame back", KEY(SDLK_LEFT)},
    {VIEW_STEP_BACK, CHARACTER(SDLK_COMMA)},
    {VIEW_STEP_ON, "step-on", "Right or .", "one frame forward", KEY(SDLK_RIGHT)},
    {VIEW_STEP_ON, CHARACTER(SDLK_PERIOD)},
    {VIEW_GO_FIRST, "first", "Shift+Left", "first frame", SHIFT(SDLK_LEFT), NO_MACHINE},
    {VIEW_GO_FIRST, "first", "Shift+Left", "restart", SHIFT(SDLK_LEFT), MACHINE},
    {VIEW_GO_LAST, "last", "Shift+Right", "last frame", SHIFT(SDLK_RIGHT), NO_MACHINE},
    {VIEW_SLOWER, "slower", "[  or  -", "half the speed", CHARACTER(SDLK_LEFTBRACKET)},
    {VIEW_SLOWER, CHARACTER(SDLK_MINUS)},
    {VIEW_SLOWER, KEY(SDLK_KP_MINUS)},
    {VIEW_FASTER, "faster", "]  or  +", "double the speed", CHARACTER(SDLK_RIGHTBRACKET)},
    {VIEW_FASTER, CHARACTER(SDLK_PLUS)},
    {VIEW_FASTER, CHARACTER(SDLK_EQUALS)},
    {VIEW_FASTER, KEY(SDLK_KP_PLUS)},
    {VIEW_NORMAL_SPEED, "normal-speed", "Backspace", "normal speed", KEY(SDLK_BACKSPACE)},
    {VIEW_REVERSE, "reverse", "R", "backward, forward", KEY(SDLK_r)},
    {VIEW_NEXT_CLIP, "next-clip", "W", "next clip", KEY(SDLK_w), CLIPS},
    {VIEW_PREVIOUS_CLIP, "previous-clip", "Shift+W", "previous clip", SHIFT(SDLK_w), CLIPS},
    {VIEW_CLIPS, "clips", "A", "list of clips", KEY(SDLK_a), CLIPS},
    {VIEW_BIND_POSE, "bind-pose", "P", "bind pose, clip", KEY(SDLK_p), CLIPS},
    {VIEW_BIND_POSE, "bind-pose", "Shift+P", "bind pose, machine", SHIFT(SDLK_p), MACHINE},
    {VIEW_NEXT_LOOP, "loop", "L", "loop, cycle, once", KEY(SDLK_l), CLIPS},
    {VIEW_RANGE_BEGIN, "range-begin", "I", "begin the played range here", KEY(SDLK_i), CLIPS},
    {VIEW_RANGE_END, "range-end", "Shift+I", "end the played range here", SHIFT(SDLK_i), CLIPS},
    {VIEW_RANGE_ALL, "range-all", "Delete", "play all frames", KEY(SDLK_DELETE), CLIPS},
    {VIEW_ONE_SHOT, "one-shot", "O", "play the next clip as a one-shot", KEY(SDLK_o), MACHINE},
    {VIEW_NEXT_ROOT, "root", "O", "root as stored, as id's, in place", KEY(SDLK_o), CLIPS},
    {VIEW_SKINNING, "skinning", "Q", "linear or dual quaternion skinning", KEY(SDLK_q)},
    {VIEW_WALK, "walk", "U", "walk by rules, clip", KEY(SDLK_u), CLIPS},
    {VIEW_TURN_X, "turn-x", "Shift+X", "quarter turn about x: stand up, lie", SHIFT(SDLK_x),
     .modes = VIEW_IN_CLIPS | VIEW_IN_MACHINE},
    {VIEW_TURN_Z, "turn-z", "Shift+Z", "quarter turn about z", SHIFT(SDLK_z),
     .modes = VIEW_IN_CLIPS | VIEW_IN_MACHINE},

    {VIEW_NEXT_ONION, "onion", "Shift+O", "ghosts of 0, 1, 2, 4 frames before and after",
     SHIFT(SDLK_o), CLIPS},
    {VIEW_NEXT_SURFACE, "surface", "Shift+C", "materials, weights, UV grid, images", SHIFT(SDLK_c)},

    {VIEW_NOTHING, "orbit", "Left drag", "orbit", GROUP("Camera"), MOUSE},
    {VIEW_NOTHING, "pick", "Click on the model", "its joint, triangle and vertex in numbers",
     MOUSE},
    {VIEW_NOTHING, "measure", "Ctrl+click", "distance from the spot that was clicked on", MOUSE},
    {VIEW_NOTHING, "pan", "Middle or Shift+left drag", "pan", MOUSE},
    {VIEW_NOTHING, "zoom", "Wheel, right drag", "zoom", MOUSE},
    {VIEW_CAMERA_PATH, "camera-path", "V", "camera path, free camera", KEY(SDLK_v)},
    {VIEW_FRAME_ALL, "frame-all", "Home or Enter", "show everything", KEY(SDLK_HOME)},
    {VIEW_FRAME_ALL, KEY(SDLK_RETURN)},
    {VIEW_FRAME_ALL, KEY(SDLK_KP_ENTER)},
    {VIEW_FRONT, "front", "1", "from the front", CHARACTER(SDLK_1)},
    {VIEW_FRONT, KEY(SDLK_KP_1)},
    {VIEW_RIGHT, "right", "3", "from the right", CHARACTER(SDLK_3)},
    {VIEW_RIGHT, KEY(SDLK_KP_3)},
    {VIEW_TOP, "top", "7", "from above", CHARACTER(SDLK_7)},
    {VIEW_TOP, KEY(SDLK_KP_7)},
    {VIEW_ISOMETRIC, "isometric", "9", "isometric", CHARACTER(SDLK_9)},
    {VIEW_ISOMETRIC, KEY(SDLK_KP_9)},
    {VIEW_ORTHOGRAPHIC, "orthographic", "5", "parallel, perspective", CHARACTER(SDLK_5)},
    {VIEW_ORTHOGRAPHIC, KEY(SDLK_KP_5)},

    {VIEW_FILES, "files", "F or Ctrl+O", "list of files", GROUP("Files"), KEY(SDLK_f)},
    {VIEW_FILES, CONTROL(SDLK_o)},
    {VIEW_GAME, "game", "Shift+F", "list of the game folder", SHIFT(SDLK_f)},
    {VIEW_NEXT_FILE, "next-file", "Page Down", "next file in the folder", KEY(SDLK_PAGEDOWN)},
    {VIEW_PREVIOUS_FILE, "previous-file", "Page Up", "previous file", KEY(SDLK_PAGEUP)},
    {VIEW_RELOAD, "reload", "Up", "reload files", KEY(SDLK_UP)},
    {VIEW_NOTHING, "drop", "Drop a file", "open it: model, clip, camera, texture", MOUSE},
    {VIEW_SCREENSHOT, "screenshot", "F12", "save a screenshot", KEY(SDLK_F12)},
    {VIEW_CLEAN_SCREENSHOT, "clean-screenshot", "Ctrl+F12", "without text, transparent",
     CONTROL(SDLK_F12)},
    {VIEW_RECORD, "record", "Shift+F12", "begin and end a movie of the window", SHIFT(SDLK_F12)},
    {VIEW_EXPORT, "export", "Ctrl+E", "export pictures, movies, sheets", CONTROL_ALONE(SDLK_e)},
    {VIEW_EXPORT_AGAIN, "export-again", "Ctrl+Shift+E", "export with the same choices",
     CONTROL_SHIFT(SDLK_e)},

    {VIEW_NEXT_PAGE, "next-page", "Y", "next page of techniques", GROUP("Pages"), KEY(SDLK_y)},
    {VIEW_PREVIOUS_PAGE, "previous-page", "Shift+Y", "previous page", SHIFT(SDLK_y)},

    {VIEW_TOGGLE, GROUP("Display")}, // the keys of switches are listed here

    {VIEW_FULL_SCREEN, "full-screen", "F11", "full screen", GROUP("Window"), KEY(SDLK_F11)},
    {VIEW_LARGER_TEXT, "larger-text", "Ctrl++", "larger text", CONTROL(SDLK_PLUS)},
    {VIEW_LARGER_TEXT, CONTROL(SDLK_EQUALS)},
    {VIEW_SMALLER_TEXT, "smaller-text", "Ctrl+-", "smaller text", CONTROL(SDLK_MINUS)},
    {VIEW_CLOSE_LISTS, "close-lists", "Esc", "close the lists", KEY(SDLK_ESCAPE)},
    {VIEW_QUIT, "quit", "Ctrl+Q", "quit", CONTROL(SDLK_q)},
};
enum { NUM_ROWS = sizeof table / sizeof table[0], MAX_LINES = 256 };

// Writes all lines: the rows of the table, with the keys of switches inserted. Returns how many.
static uint32_t list_lines(view_binding lines[MAX_LINES])
{
    uint32_t num_lines = 0;
    size_t count;
    const view_option *const options = view_options_table(&count);
    for (int i = 0; i < NUM_ROWS; i++) {
        assert(num_lines + count < MAX_LINES);
        if (table[i].action != VIEW_TOGGLE) {
            lines[num_lines++] = table[i];
            continue;
        }
        const char *heading = table[i].heading;
        for (size_t k = 0; k < count; k++)
            for (int j = 0; j < VIEW_MAX_SWITCH_KEYS && options[k].keys[j].code != 0; j++) {
                const view_option *const o = &options[k];
                lines[num_lines++] = (view_binding){
                    .action = (view_action)(VIEW_TOGGLE + k),
                    .name = o->word,
                    .keys = o->keys[j].keys,
                    .help = o->key_help != NULL ? o->key_help : o->help,
                    .heading = heading,
                    .code = o->keys[j].code,
                    .shift = o->keys[j].shift,
                    .modes = o->keys[j].modes,
                };
                heading = NULL; // the group has begun
            }
    }
    return num_lines;
}

static bool is_of_mode(const view_binding *binding, view_mode mode)
{
    return binding->modes == 0 || (binding->modes >> mode & 1) != 0;
}

view_binding view_find_binding(view_mode mode, int32_t code, bool shift, bool control, bool alt)
{
    view_binding lines[MAX_LINES];
    const uint32_t count = list_lines(lines);
    // Window managers use Alt for their own shortcuts.
    for (uint32_t i = 0; i < count && !alt; i++) {
        const view_binding *const line = &lines[i];
        if (is_of_mode(line, mode) && line->action != VIEW_NOTHING && line->code == code
            && line->control == control && (line->shift == shift || line->any_shift))
            return *line;
    }
    return (view_binding){.action = VIEW_NOTHING};
}

const char *view_action_name(view_action action)
{
    static const char *const of_mouse[] = {
        "taken",    "list",    "close-lists", "joint",      "enter-folder", "section", "section",
        "choose",   "choose",  "choose",      "choose",     "channel",      "channel", "mesh",
        "textures", "texture", "page",        "run-export", "stop-export",  "state"};
    static_assert(sizeof of_mouse / sizeof of_mouse[0] == VIEW_GO_TO_STATE - VIEW_TAKEN + 1,
                  "a name for each");
    if (action >= VIEW_TAKEN && action <= VIEW_GO_TO_STATE)
        return of_mouse[action - VIEW_TAKEN];
    size_t count;
    if (action >= VIEW_TOGGLE)
        return view_options_table(&count)[action - VIEW_TOGGLE].word;
    for (int i = 0; i < NUM_ROWS; i++)
        if (table[i].action == action)
            return table[i].name;
    return "nothing";
}

const char *view_trigger_key(uint32_t trigger)
{
    for (int i = 0; i < NUM_ROWS; i++)
        if (table[i].action == VIEW_TRIGGER && table[i].trigger == trigger)
            return table[i].keys;
    return "";
}

uint32_t view_list_keys(view_mode mode, const char *const *triggers, uint32_t num_triggers,
                        bool walks, view_key_line lines[VIEW_MAX_KEY_LINES])
{
    uint32_t count = 0;
    const char *heading = NULL;
    static const char *const any_triggers[] = {"first trigger", "the other triggers"};
    const bool is_all = mode == VIEW_NUM_MODES;
    view_binding all[MAX_LINES];
    const uint32_t num_all = list_lines(all);
    if (is_all) {
        triggers = any_triggers;
        num_triggers = 2;
        walks = true;
    }
    for (uint32_t i = 0; i < num_all && count < VIEW_MAX_KEY_LINES; i++) {
        const view_binding *const b = &all[i];
        const bool is_trigger = b->action == VIEW_TRIGGER;
        if (b->heading != NULL)
            heading = b->heading;
        const bool is_walk =
            b->action == VIEW_AHEAD || b->action == VIEW_BACK || b->action == VIEW_FAST;
        if (b->keys == NULL || !(is_all || is_of_mode(b, mode)) || (is_walk && !walks)
            || (is_trigger && b->trigger >= num_triggers))
            continue;
        lines[count++] = (view_key_line){
            .heading = heading,
            .keys = is_all && is_trigger && b->trigger > 0 ? "F2 to F10" : b->keys,
            .help = is_trigger ? triggers[b->trigger] : b->help,
            .only_in_machine = is_all && b->modes == VIEW_IN_MACHINE && !view_is_driving(b->action),
        };
        heading = NULL; // the group has begun
    }
    return count;
}
