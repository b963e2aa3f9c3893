#include "demo/viewer/base/commands.h"

#include "demo/viewer/base/options.h"
#include "demo/viewer/platform/platform.h"

#include <assert.h>

const char *const view_menu_names[VIEW_NUM_GROUPS] = {
    "File",   "Edit",  "View", "Model", "Animation",          "Machine",
    "Camera", "Light", "Help", "Mouse", "While you drive it", ""};

// == The table ====================================================================================

#define KEYS(...) .keys = {__VA_ARGS__}
#define SHIFT(key) ((key) | VIEW_WITH_SHIFT)
#define CTRL(key) ((key) | VIEW_WITH_CTRL)
#define ANY(key) ((key) | VIEW_WITH_ANY)
#define NEEDS(what) .needs = (what)
#define MODEL VIEW_NEEDS_MODEL
#define CLIP VIEW_NEEDS_CLIP
#define MACHINE VIEW_NEEDS_MACHINE
#define CLIPS VIEW_NEEDS_CLIPS
#define ONE VIEW_NEEDS_ONE
#define ON(what) .context = VIEW_ON_##what
#define ON_MODEL ON(MODEL)
#define ON_GROUND ON(GROUND)
#define ON_BOTH .context = (VIEW_ON_MODEL | VIEW_ON_GROUND)
// A switch, a value that is asked for, and a choice of words: of an option. Other words come first.
#define SWITCH(menu, label, its_option, ...)                                            \
    {                                                                                   \
        VIEW_TOGGLE, VIEW_MENU_##menu, NULL, label, __VA_ARGS__, .option = (its_option) \
    }
#define ASK(menu, label, its_option, ...)                                             \
    {                                                                                 \
        VIEW_ASK, VIEW_MENU_##menu, "ask", label, __VA_ARGS__, .option = (its_option) \
    }
#define WORDS(menu, label, its_option, ...)                                            \
    {                                                                                  \
        VIEW_SET, VIEW_MENU_##menu, "set", label, __VA_ARGS__, .option = (its_option), \
                                                               .list = VIEW_LIST_WORDS \
    }
#define MOUSE(label, its_help)                                         \
    {                                                                  \
        VIEW_NOTHING, VIEW_MENU_MOUSE, NULL, label, .help = (its_help) \
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

const view_command_row view_command_rows[] = {
    {VIEW_FILES, VIEW_MENU_FILE, "files", "Open…", "load file folder model", KEYS(CTRL('o')),
     .help = "the files of a folder, and recent ones", ON_GROUND},
    {VIEW_OPEN_FILE, VIEW_MENU_FILE, "file", "Recent", .list = VIEW_LIST_RECENT},
    {VIEW_START_PAGE, VIEW_MENU_FILE, "start-page", "Start page", "recent examples welcome",
     KEYS(CTRL(VIEW_KEY_HOME))},
    {VIEW_GAME, VIEW_MENU_FILE, "game", "Game folder", "entities skins archive pk4",
     KEYS(SHIFT('f')), .help = "what the game folder or archive holds", .covers = "game base"},
    {VIEW_NEXT_FILE, VIEW_MENU_FILE, "next-file", "Next file", KEYS(VIEW_KEY_PAGE_DOWN),
     .help = "the next file in the folder"},
    {VIEW_PREVIOUS_FILE, VIEW_MENU_FILE, "previous-file", "Previous file", KEYS(VIEW_KEY_PAGE_UP)},
    {VIEW_RELOAD, VIEW_MENU_FILE, "reload", "Reload", "refresh read", KEYS(CTRL('r')),
     .help = "read the files again"},
    WORDS(FILE, "Watch files", "watch", ""),
    WORDS(FILE, "Leave out clips beside the model", "no-auto", ""),
    {VIEW_SCREENSHOT, VIEW_MENU_FILE, "screenshot", "Save picture", "screenshot png image export",
     KEYS(VIEW_KEY_F(12)), .help = "of the window, into the current folder", ON_GROUND},
    {VIEW_CLEAN_SCREENSHOT, VIEW_MENU_FILE, "clean-screenshot",
     "Save transparent picture without text", "screenshot png alpha export",
     KEYS(CTRL(VIEW_KEY_F(12))), .covers = "no-background"},
    {VIEW_EXPORT, VIEW_MENU_FILE, "export", "Export…",
     "save picture movie gif mp4 contact sheet turntable png", KEYS(CTRL('e')),
     .covers = "output postcard sheet clips labels turntable samples frames thumbnail no-render",
     ON_GROUND,
     .help = "pictures, movies, turntables, contact sheets; and the command line for it"},
    {VIEW_EXPORT_AGAIN, VIEW_MENU_FILE, "export-again", "Repeat export", "save again",
     KEYS(SHIFT(CTRL('e'))), .help = "with the same choices"},
    {VIEW_RECORD, VIEW_MENU_FILE, "record", "Record", "movie gif mp4 video export",
     KEYS(SHIFT(VIEW_KEY_F(12))), .help = "begin and end a movie of the window"},
    WORDS(FILE, "Record as", "record-as", "movie gif mp4 webm apng video"),
    {VIEW_QUIT, VIEW_MENU_FILE, "quit", "Quit", "exit close", KEYS(CTRL('q'))},

    {VIEW_UNDO, VIEW_MENU_EDIT, "undo", "Undo", KEYS(CTRL('z'))},
    {VIEW_REDO, VIEW_MENU_EDIT, "redo", "Redo", KEYS(SHIFT(CTRL('z')), CTRL('y'))},
    {VIEW_SEARCH, VIEW_MENU_EDIT, "search", "Commands…", "search find menu palette",
     KEYS(CTRL('p')), ON(ANY), .help = "find a command by a word"},
    {VIEW_FIND, VIEW_MENU_EDIT, "find", "Find in outliner", "joint bone mesh state",
     KEYS(CTRL('f')), .help = "Enter chooses the first that is found"},
    {VIEW_MENUS, VIEW_MENU_EDIT, "menus", "Menus", "bar",
     .help = "the key Alt alone, or F10 while nothing is driven"},
    {VIEW_CONTEXT, VIEW_MENU_EDIT, "context", "Menu of what is chosen", "context right click",
     KEYS(VIEW_KEY_MENU, SHIFT(VIEW_KEY_F(10)))},
    {VIEW_COPY_COMMAND, VIEW_MENU_EDIT, "copy-command", "Copy command line of this view",
     "clipboard options shell", .help = "that shows the same again",
     .covers = "config no-config resolution"},
    {VIEW_MEASURE, VIEW_MENU_EDIT, "measure", "Measure from here to another joint",
     "distance angle difference between two", KEYS(CTRL('m')), NEEDS(ONE), ON(JOINT)},
    ASK(EDIT, "Mark joint…", "joint", "bone select", NEEDS(MODEL | ONE)),
    {VIEW_SELECT_PARENT, VIEW_MENU_EDIT, "choose-parent", "Select parent", "joint bone",
     NEEDS(MODEL | ONE), ON(JOINT)},
    {VIEW_CLOSE_LISTS, VIEW_MENU_EDIT, "close-lists", "Clear selection, close",
     KEYS(VIEW_KEY_ESCAPE), .help = "one step out: menu, list, error, driving, selection, page"},
    WORDS(EDIT, "Messages", "verbose", "log debug"),

    SWITCH(VIEW, "All panels", "panel", "hide interface clean", KEYS('h')),
    SWITCH(VIEW, "Outliner", "hierarchy", "joints bones meshes tree", KEYS(CTRL('b'), SHIFT('h'))),
    SWITCH(VIEW, "Inspector", "inspector", "figures values weights", KEYS(CTRL('i'))),
    {VIEW_CLIPS, VIEW_MENU_VIEW, "clips", "Clips", "animations list", KEYS(CTRL('l')),
     NEEDS(CLIPS | CLIP), .help = "list of clips"},
    SWITCH(VIEW, "State graph", "graph", "machine transitions", KEYS(SHIFT('g')), NEEDS(MACHINE)),
    SWITCH(VIEW, "Curves", "curves", "plot graph table joint position degrees quaternion csv",
           NEEDS(CLIPS | CLIP)),
    SWITCH(VIEW, "Compare", "differences", "difference distance joints plot", NEEDS(ONE | MODEL)),
    {VIEW_WARNINGS, VIEW_MENU_VIEW, "warnings", "Warnings", "errors problems faults",
     KEYS(CTRL('w')), .help = "all that was found wrong in the files"},
    SWITCH(VIEW, "Statistics", "statistics", "memory meshes counts", KEYS('m')),
    SWITCH(VIEW, "Frame time", "frame-time", "fps speed milliseconds", KEYS('z')),
    SWITCH(VIEW, "Show/Grid", "grid", "ground floor", KEYS('g'), ON_GROUND),
    SWITCH(VIEW, "Show/Axes", "axis", "origin", KEYS('x'), ON_GROUND),
    SWITCH(VIEW, "Show/Edges", "edges", "wireframe triangles", KEYS('e'), ON_BOTH),
    SWITCH(VIEW, "Show/Skeleton", "armature", "bones joints rig", KEYS('j'), NEEDS(ONE), ON_BOTH),
    SWITCH(VIEW, "Show/Normals", "normal-glyphs", KEYS('n'), NEEDS(ONE)),
    SWITCH(VIEW, "Show/Tangents", "tangent-glyphs", KEYS(SHIFT('n')), NEEDS(ONE)),
    SWITCH(VIEW, "Show/Bounds", "bounds", "box size", KEYS('b'), NEEDS(ONE)),
    SWITCH(VIEW, "Show/Bounds of joints", "bounds-of-joints", "hit boxes", KEYS(SHIFT('b')),
           NEEDS(ONE)),
    WORDS(VIEW, "Surface", "surface", "weights heat map uv images",
          .context = VIEW_ON_MODEL | VIEW_ON_JOINT),
    {VIEW_NEXT_SURFACE, VIEW_MENU_VIEW, "surface", "Next surface", KEYS(SHIFT('c')),
     .help = "materials, weights, UV grid, images"},
    SWITCH(VIEW, "Checkerboard", "checkerboard", "uv texture", KEYS('c')),
    SWITCH(VIEW, "Grey", "untextured", "clay textures off", KEYS('t')),
    SWITCH(VIEW, "Maps", "no-maps", "normal specular glow", KEYS(SHIFT('t')),
           .help = "normal, specular and glow maps"),
    ASK(VIEW, "Background color…", "background-color", "colour backdrop", ON_GROUND),
    SWITCH(VIEW, "Quality gives way to speed", "no-auto-quality", KEYS(SHIFT('q')),
           .help = "fewer samples, no shadows, less resolution"),
    {VIEW_LARGER_TEXT, VIEW_MENU_VIEW, "larger-text", "Larger text", "zoom font",
     KEYS(CTRL(ANY('+')), CTRL(ANY('=')), CTRL(VIEW_KEY_PAD_PLUS))},
    {VIEW_SMALLER_TEXT, VIEW_MENU_VIEW, "smaller-text", "Smaller text", "zoom font",
     KEYS(CTRL(ANY('-')), CTRL(VIEW_KEY_PAD_MINUS))},
    ASK(VIEW, "Scale of the interface…", "ui-scale", "text font size dpi"),
    ASK(VIEW, "Sizes of panels…", "docks", "reset layout docks width"),
    SWITCH(VIEW, "Reduced motion", "reduced-motion", "animation accessibility smooth"),
    {VIEW_FULL_SCREEN, VIEW_MENU_VIEW, "full-screen", "Full screen", KEYS(VIEW_KEY_F(11))},

    ASK(MODEL, "Skin…", "skin", "quake", NEEDS(MODEL)),
    {VIEW_TEXTURES, VIEW_MENU_MODEL, "textures", "Textures…",
     "image map bump normal gloss emission missing", KEYS(CTRL('t')), NEEDS(MODEL),
     .covers = "texture normal-map specular-map glow-map",
     .help = "which image each mesh has, where it was looked for, and others"},
    {VIEW_SAVE_TEXTURES, VIEW_MENU_MODEL, "save-textures", "Save textures as .mtr…",
     "material export write", NEEDS(MODEL)},
    {VIEW_HIDE_MESH, VIEW_MENU_MODEL, "mesh", "Meshes", "hide show part", NEEDS(MODEL | ONE),
     .covers = "hide", .list = VIEW_LIST_MESHES},
    SWITCH(MODEL, "Two-sided", "two-sided", "back faces culling", ON_MODEL),
    WORDS(MODEL, "Up axis", "up", "stand z y"),
    {VIEW_TURN_X, VIEW_MENU_MODEL, "turn-x", "Quarter turn about x", "rotate stand up lie",
     KEYS(SHIFT('x')), NEEDS(ONE)},
    {VIEW_TURN_Z, VIEW_MENU_MODEL, "turn-z", "Quarter turn about z", "rotate", KEYS(SHIFT('z')),
     NEEDS(ONE)},
    ASK(MODEL, "Morph…", "morph", "target blend shape face", NEEDS(MODEL)),
    SWITCH(MODEL, "Material parameters", "parm-list", "sliders stages game", KEYS(SHIFT('m'))),
    ASK(MODEL, "Material parameter…", "parm", "stages game"),
    ASK(MODEL, "Attach to joint…", "attach", "weapon hand", NEEDS(MODEL), ON(JOINT)),
    ASK(MODEL, "Retarget to…", "retarget", "another model same pose", NEEDS(MODEL),
        .covers = "retarget-map retarget-pairs"),
    ASK(MODEL, "Compare with…", "compare", "difference clip model", NEEDS(MODEL)),
    ASK(MODEL, "Add guest…", "guest", "second machine character", NEEDS(MACHINE)),
    ASK(MODEL, "Crowd/Crowd…", "crowd", "many hundred characters", NEEDS(MODEL)),
    WORDS(MODEL, "Crowd/Exact", "crowd-exact", ""),
    ASK(MODEL, "Crowd/Fewer triangles up to…", "crowd-reduced", ""),
    ASK(MODEL, "Crowd/Baked up to…", "crowd-baked", ""),
    ASK(MODEL, "Crowd/Impostors up to…", "crowd-impostors", ""),
    SWITCH(MODEL, "Crowd/Levels of detail", "no-crowd-levels", NEEDS(VIEW_NEEDS_CROWD),
           .help = "levels of detail in a crowd"),
    WORDS(MODEL, "Terrain", "terrain", "ground uneven feet stairs", NEEDS(MODEL)),
    {VIEW_WALK, VIEW_MENU_MODEL, "walk", "Walk by rules", "legs procedural", KEYS('u'),
     NEEDS(MODEL | CLIPS), .covers = "walk", .help = "legs that step without a clip"},
    {VIEW_SKINNING, VIEW_MENU_MODEL, "skinning", "Linear or dual quaternion skinning",
     "candy wrapper", KEYS('q'), .covers = "skinning"},
    WORDS(MODEL, "Skinning path", "path", "gpu cpu compute vertex"),
    {VIEW_SET, VIEW_MENU_MODEL, "set", "Check against the CPU", "verify skinning exact",
     .option = "verify", .help = "compare GPU skinning with the exact CPU result"},

    {VIEW_PLAY, VIEW_MENU_ANIMATION, "play", "Play, pause", "stop go resume",
     KEYS(' ', ANY(VIEW_KEY_PAUSE))},
    {VIEW_STEP_BACK, VIEW_MENU_ANIMATION, "step-back", "One frame back",
     KEYS(VIEW_KEY_LEFT, ANY(','))},
    {VIEW_STEP_ON, VIEW_MENU_ANIMATION, "step-on", "One frame forward",
     KEYS(VIEW_KEY_RIGHT, ANY('.'))},
    {VIEW_GO_FIRST, VIEW_MENU_ANIMATION, "first", "To the start", "first frame restart machine",
     KEYS(SHIFT(VIEW_KEY_LEFT)), .help = "the first frame; a machine restarts"},
    {VIEW_GO_LAST, VIEW_MENU_ANIMATION, "last", "To the end", "last frame",
     KEYS(SHIFT(VIEW_KEY_RIGHT))},
    ASK(ANIMATION, "Go to frame or time…", "animation-time", "seek", KEYS(CTRL('g')), ON(TIME),
        .help = "12 or 12f: a frame; 0.5s: a time in seconds"),
    {VIEW_OPEN_CLIP, VIEW_MENU_ANIMATION, "clip", "Clip", "animation", NEEDS(CLIPS),
     .list = VIEW_LIST_CLIPS, .covers = "animation-index"},
    {VIEW_NEXT_CLIP, VIEW_MENU_ANIMATION, "next-clip", "Next clip", "animation",
     KEYS(CTRL(VIEW_KEY_PAGE_DOWN)), NEEDS(CLIPS | CLIP)},
    {VIEW_PREVIOUS_CLIP, VIEW_MENU_ANIMATION, "previous-clip", "Previous clip", "animation",
     KEYS(CTRL(VIEW_KEY_PAGE_UP)), NEEDS(CLIPS | CLIP)},
    {VIEW_SLOWER, VIEW_MENU_ANIMATION, "slower", "Half the speed", "slow motion",
     KEYS(ANY('['), ANY('-'), VIEW_KEY_PAD_MINUS)},
    {VIEW_FASTER, VIEW_MENU_ANIMATION, "faster", "Double the speed",
     KEYS(ANY(']'), ANY('+'), ANY('='), VIEW_KEY_PAD_PLUS)},
    {VIEW_NORMAL_SPEED, VIEW_MENU_ANIMATION, "normal-speed", "Normal speed",
     KEYS(VIEW_KEY_BACKSPACE)},
    ASK(ANIMATION, "Speed…", "animation-speed-factor", "slow motion fast backward"),
    {VIEW_REVERSE, VIEW_MENU_ANIMATION, "reverse", "Reverse", "backward", KEYS('r')},
    {VIEW_NEXT_LOOP, VIEW_MENU_ANIMATION, "loop", "Loop, cycle, once", "repeat", KEYS('l'),
     NEEDS(CLIPS), .covers = "loop"},
    {VIEW_RANGE_BEGIN, VIEW_MENU_ANIMATION, "range-begin", "Range/Range from here", "trim",
     KEYS('i'), NEEDS(CLIPS | CLIP), ON(TIME)},
    {VIEW_RANGE_END, VIEW_MENU_ANIMATION, "range-end", "Range/Range to here", "trim", KEYS('o'),
     NEEDS(CLIPS | CLIP), ON(TIME)},
    {VIEW_RANGE_ALL, VIEW_MENU_ANIMATION, "range-all", "Range/All frames", KEYS(SHIFT('i')),
     NEEDS(CLIPS | CLIP), ON(TIME)},
    ASK(ANIMATION, "Range/Frames…", "range", "trim", NEEDS(CLIPS | CLIP)),
    {VIEW_NEXT_ROOT, VIEW_MENU_ANIMATION, "root", "Root: stored, id's, in place", "motion origin",
     KEYS(SHIFT('r')), NEEDS(CLIPS), .covers = "root"},
    {VIEW_BIND_POSE, VIEW_MENU_ANIMATION, "bind-pose", "Bind pose", "rest t-pose", KEYS('p'),
     NEEDS(ONE)},
    {VIEW_NEXT_ONION, VIEW_MENU_ANIMATION, "onion", "Onion skin/More ghosts, none",
     KEYS(SHIFT('o')), NEEDS(CLIPS | CLIP), .help = "of 0, 1, 2, 4 frames before and after"},
    ASK(ANIMATION, "Onion skin/Ghosts…", "onion", NEEDS(CLIPS | CLIP)),
    ASK(ANIMATION, "Onion skin/Frames between…", "onion-step", NEEDS(CLIPS | CLIP)),
    ASK(ANIMATION, "Frames a second at most…", "frame-rate", "fps limit"),

    {VIEW_DRIVE, VIEW_MENU_MACHINE, "drive", "Drive", "control walk wasd keys",
     KEYS(VIEW_KEY_RETURN, VIEW_KEY_PAD_ENTER), NEEDS(VIEW_NEEDS_MOVER),
     .help = "W A S D, Shift, Space, F2 to F10 move it; Esc gives them back"},
    {VIEW_FIRE_TRIGGER, VIEW_MENU_MACHINE, "push", "Trigger", "fire", NEEDS(MACHINE),
     .list = VIEW_LIST_TRIGGERS},
    ASK(MACHINE, "Parameter…", "set", "set value slider"),
    {VIEW_GO_TO_STATE, VIEW_MENU_MACHINE, "state", "State", "go jump", NEEDS(MACHINE),
     .list = VIEW_LIST_STATES},
    {VIEW_ONE_SHOT, VIEW_MENU_MACHINE, "one-shot", "Play the next clip once", "one-shot montage",
     NEEDS(MACHINE)},

    {VIEW_FRONT, VIEW_MENU_CAMERA, "front", "Front", KEYS(ANY('1'), VIEW_KEY_PAD(1)), ON_GROUND},
    {VIEW_BEHIND, VIEW_MENU_CAMERA, "behind", "Back", KEYS(CTRL('1'), CTRL(VIEW_KEY_PAD(1)))},
    {VIEW_RIGHT, VIEW_MENU_CAMERA, "right", "Right", "side", KEYS(ANY('3'), VIEW_KEY_PAD(3))},
    {VIEW_LEFT, VIEW_MENU_CAMERA, "left", "Left", "side", KEYS(CTRL('3'), CTRL(VIEW_KEY_PAD(3)))},
    {VIEW_TOP, VIEW_MENU_CAMERA, "top", "Above", "top", KEYS(ANY('7'), VIEW_KEY_PAD(7))},
    {VIEW_FROM_BELOW, VIEW_MENU_CAMERA, "below", "Below", KEYS(CTRL('7'), CTRL(VIEW_KEY_PAD(7)))},
    {VIEW_ISOMETRIC, VIEW_MENU_CAMERA, "isometric", "Isometric", KEYS(ANY('9'), VIEW_KEY_PAD(9))},
    {VIEW_ORTHOGRAPHIC, VIEW_MENU_CAMERA, "orthographic", "Parallel, perspective", "orthographic",
     KEYS(ANY('5'), VIEW_KEY_PAD(5)), .covers = "camera-orthographic"},
    {VIEW_FRAME_ALL, VIEW_MENU_CAMERA, "frame-all", "Frame all", "fit reset view show everything",
     KEYS(VIEW_KEY_HOME), ON_BOTH},
    {VIEW_FRAME_SELECTED, VIEW_MENU_CAMERA, "frame-chosen", "Frame selection", "zoom focus joint",
     KEYS('f'), NEEDS(ONE), ON(JOINT), .help = "the joint that is chosen"},
    {VIEW_CAMERA_PATH, VIEW_MENU_CAMERA, "camera-path", "Follow path, free", "cut scene md5camera",
     KEYS('v'), NEEDS(VIEW_NEEDS_CAMERA_PATH)},
    WORDS(CAMERA, "Show path", "camera-path", NEEDS(VIEW_NEEDS_CAMERA_PATH)),
    ASK(CAMERA, "Smooth path…", "camera-smoothing", NEEDS(VIEW_NEEDS_CAMERA_PATH)),
    ASK(CAMERA, "Angles and distance/Azimuth…", "camera-azimuth-angle", "rotate"),
    ASK(CAMERA, "Angles and distance/Elevation…", "camera-elevation-angle", ""),
    ASK(CAMERA, "Angles and distance/Centre…", "camera-target", ""),
    ASK(CAMERA, "Angles and distance/Distance…", "camera-distance", "zoom"),

    SWITCH(LIGHT, "Classic light", "light", "studio doom id", KEYS('k'),
           .help = "as in id's engine of 2004, or a studio"),
    SWITCH(LIGHT, "Shadows", "no-shadow", KEYS(SHIFT('k')), ON_GROUND),
    SWITCH(LIGHT, "Lights", "light-list", "sliders brightness sun", KEYS(SHIFT('l'))),
    ASK(LIGHT, "Values of lights…", "lights", "brightness sun"),
    ASK(LIGHT, "Environment…", "environment", "hdr panorama sky picture"),
    SWITCH(LIGHT, "Use environment", "no-environment", KEYS(SHIFT('e')),
           NEEDS(VIEW_NEEDS_ENVIRONMENT), .help = "its light, or that of the studio"),
    SWITCH(LIGHT, "Show environment", "environment-background", KEYS(SHIFT('v')),
           NEEDS(VIEW_NEEDS_ENVIRONMENT), .help = "its picture behind the model"),

    SWITCH(HELP, "Keys", "keys", "shortcuts bindings", KEYS(VIEW_KEY_F(1)),
           .covers = "list-bindings", .help = "list of keys"),
    {VIEW_NEXT_PAGE, VIEW_MENU_HELP, "next-page", "Techniques/Next page",
     "learn tutorial slerp quaternion", KEYS('y')},
    {VIEW_PREVIOUS_PAGE, VIEW_MENU_HELP, "previous-page", "Techniques/Previous page",
     KEYS(SHIFT('y'))},
    {VIEW_NOTHING, VIEW_MENU_HELP, "answers", "Answers", .list = VIEW_LIST_ANSWERS,
     .help = "to words and questions, and their pages in the guides"},
    WORDS(HELP, "Game", "game-demo", "play bobbin lantern demo"),
    ASK(HELP, "Techniques/Page…", "page", "learn tutorial contents",
        .covers = "help man version completions"),

    TARGET(VIEW_OPEN_CLIP, "clip", "Play", ON(CLIP)),
    TARGET(VIEW_HIDE_MESH, "mesh", "Hide, show", ON(MESH)),
    TARGET(VIEW_TEXTURES, "textures", "Textures…", ON(MESH)),
    TARGET(VIEW_ONLY_MESH, "only-mesh", "Only this mesh, all", ON(MESH)),
    TARGET(VIEW_GO_TO_STATE, "state", "Go there", ON(STATE)),
    TARGET(VIEW_TAKE_TRANSITION, "transition", "Fire", ON(EDGE)),
    TARGET(VIEW_OPEN_FILE, "file", "Open", ON(FILE)),
    TARGET(VIEW_SET, "set", "Compare with this", .option = "compare", NEEDS(MODEL),
           .context = VIEW_ON_CLIP | VIEW_ON_FILE),
    TARGET(VIEW_SET, "set", "Add as guest", .option = "guest", NEEDS(MACHINE), ON(FILE)),
    TARGET(VIEW_TAKE_TEXTURE, "texture", "As found", ON(IMAGE)),
    TARGET(VIEW_COPY_NAME, "copy-name", "Copy name",
           .context = VIEW_ON_JOINT | VIEW_ON_CLIP | VIEW_ON_STATE | VIEW_ON_FILE | VIEW_ON_IMAGE),
    TARGET(VIEW_COPY_PATH, "copy-path", "Copy path", .context = VIEW_ON_CLIP | VIEW_ON_FILE),

    MOUSE("Left drag", "orbit"),
    MOUSE("Click on the model", "its joint, triangle and vertex in numbers"),
    MOUSE("Right click", "menu of what is there"),
    MOUSE("Ctrl+click", "distance from the spot that was clicked on"),
    MOUSE("Middle or Shift+left drag", "pan"),
    MOUSE("Wheel, right drag", "zoom"),
    MOUSE("Double click", "come near to the spot; beside the model, show everything"),
    MOUSE("Drop a file", "open it; an image on a mesh is its texture"),

    {VIEW_AHEAD, VIEW_MENU_DRIVING, "drive", "walk forward", KEYS(ANY('w'))},
    {VIEW_BACK, VIEW_MENU_DRIVING, "drive", "walk backward", KEYS(ANY('s'))},
    {VIEW_TO_LEFT, VIEW_MENU_DRIVING, "drive", "walk left", KEYS(ANY('a'))},
    {VIEW_TO_RIGHT, VIEW_MENU_DRIVING, "drive", "walk right", KEYS(ANY('d'))},
    {VIEW_FAST, VIEW_MENU_DRIVING, "drive", "run",
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
static const view_command_row *const table = view_command_rows;
enum { NUM_ROWS = COMMON_LENGTH(view_command_rows) };
const size_t view_num_commands = NUM_ROWS;

// == What a row says ==============================================================================

const view_option *view_option_of(const view_command_row *row)
{
    return row->option != NULL ? view_find_option(row->option, strlen(row->option)) : NULL;
}

view_action view_toggle_of(const char *name)
{
    return (view_action)(VIEW_TOGGLE + (view_find_option(name, strlen(name)) - view_option_rows));
}

view_action view_action_of(const view_command_row *row)
{
    return row->action != VIEW_TOGGLE ? row->action : view_toggle_of(row->option);
}

const char *view_help_of(const view_command_row *row)
{
    const view_option *const option = view_option_of(row);
    return row->help != NULL ? row->help : option != NULL ? option->help : row->label;
}

const char *view_label_of(const view_command_row *row)
{
    const char *const slash = strchr(row->label, '/');
    return slash != NULL ? slash + 1 : row->label;
}

const char *view_reason(uint32_t missing)
{
    static const char *const reasons[VIEW_NUM_NEEDS] = {
        "needs a model",
        "needs a clip",
        "needs a state machine",
        "needs a model that clips move",
        "not in a crowd",
        "only in a crowd",
        "needs a camera path",
        "needs an environment",
        "nothing here is driven by keys",
    };
    COMMON_FOR (i, VIEW_NUM_NEEDS)
        if ((missing >> i & 1) != 0)
            return reasons[i];
    return "";
}

const char *view_action_name(view_action action)
{
    static const char *const of_mouse[] = {
        "taken",      "list",        "close-lists", "joint",  "enter-folder", "section",
        "section",    "choose",      "choose",      "choose", "choose",       "channel",
        "channel",    "mesh",        "texture",     "page",   "forget",       "try-again",
        "run-export", "stop-export", "transition",  "state"};
    static_assert(COMMON_LENGTH(of_mouse) == VIEW_GO_TO_STATE - VIEW_HANDLED + 1,
                  "a name for each");
    if (action >= VIEW_HANDLED && action <= VIEW_GO_TO_STATE)
        return of_mouse[action - VIEW_HANDLED];
    if (action >= VIEW_TOGGLE)
        return view_option_rows[action - VIEW_TOGGLE].word;
    COMMON_FOR (i, NUM_ROWS)
        if (table[i].action == action && table[i].name != NULL)
            return table[i].name;
    return "nothing";
}

// == Keys =========================================================================================

const view_command_row *view_find_key(int32_t code, bool shift, bool control, bool alt,
                                      bool is_driving)
{
    // Window managers use Alt for their own shortcuts.
    for (int i = 0; i < NUM_ROWS && !alt; i++) {
        const view_command_row *const row = &table[i];
        for (int k = 0; k < VIEW_MAX_KEYS && row->keys[k] != 0; k++) {
            const int32_t key = row->keys[k];
            if ((key & ~VIEW_KEY_FLAGS) == code && view_is_driving(row->action) == is_driving
                && ((key & VIEW_WITH_CTRL) != 0) == control
                && ((key & VIEW_WITH_ANY) != 0 || ((key & VIEW_WITH_SHIFT) != 0) == shift))
                return row;
        }
    }
    return NULL;
}

static void print_key(int32_t key, char *text, size_t size)
{
    char name[16];
    snprintf(text, size, "%s%s%s", (key & VIEW_WITH_CTRL) != 0 ? "Ctrl+" : "",
             (key & VIEW_WITH_SHIFT) != 0 ? "Shift+" : "",
             view_name_key(key & ~VIEW_KEY_FLAGS, name, sizeof name));
}

void view_print_keys(const view_command_row *row, char *text, size_t size)
{
    // Keys of the number pad, and those on the right, are not told of.
    text[0] = '\0';
    for (int k = 0; k < VIEW_MAX_KEYS && row->keys[k] != 0; k++) {
        const int32_t code = row->keys[k] & ~VIEW_KEY_FLAGS;
        const bool is_twin = (code >= VIEW_KEY_PAD_ENTER && code <= VIEW_KEY_PAD_9)
                             || code == VIEW_KEY_RIGHT_SHIFT || code == '=';
        char key[48];
        print_key(row->keys[k], key, sizeof key);
        if (code == VIEW_KEY_LEFT_SHIFT)
            COMMON_TEXT(key, "Shift");
        if (!is_twin)
            common_append(text, size, " or ", "%s", key);
    }
}

void view_print_trigger_key(uint32_t trigger, char *text, size_t size)
{
    text[0] = '\0';
    COMMON_FOR (i, NUM_ROWS)
        if (table[i].action == VIEW_TRIGGER && table[i].trigger == trigger)
            view_print_keys(&table[i], text, size);
}

uint32_t view_list_keys(uint32_t have, const char *const *triggers, uint32_t num_triggers,
                        bool walks, view_key_line lines[VIEW_MAX_KEY_LINES])
{
    static const char *const any_triggers[] = {"first trigger", "the other triggers"};
    uint32_t count = 0;
    const bool is_any = triggers == NULL;
    view_menu menu = VIEW_NUM_GROUPS;
    for (int i = 0; i < NUM_ROWS && count < VIEW_MAX_KEY_LINES; i++) {
        const view_command_row *const row = &table[i];
        const bool is_trigger = row->action == VIEW_TRIGGER,
                   is_mouse = row->menu == VIEW_MENU_MOUSE;
        if ((row->keys[0] == 0 && !is_mouse) || (row->needs & ~have) != 0
            || (is_trigger && row->trigger >= (is_any ? 2 : num_triggers))
            || (row->menu == VIEW_MENU_DRIVING && !is_trigger && !walks))
            continue;
        view_key_line *const line = &lines[count++];
        line->heading = row->menu != menu ? view_menu_names[row->menu] : NULL;
        line->help = is_mouse     ? row->help
                     : is_trigger ? (is_any ? any_triggers : triggers)[row->trigger]
                                  : view_label_of(row);
        menu = row->menu;
        if (is_mouse)
            COMMON_TEXT(line->keys, "%s", row->label);
        else if (is_trigger && is_any && row->trigger > 0)
            COMMON_TEXT(line->keys, "F2 to F10");
        else
            view_print_keys(row, line->keys, sizeof line->keys);
    }
    return count;
}
