// The table of commands, and searches in it by option, action and key. See commands.h.
#include "demo/viewer/base/commands.h"

#include "demo/viewer/base/options.h"
#include "demo/viewer/platform/platform.h"

#include <assert.h>

const char *const view_menu_names[VIEW_NUM_GROUPS] = {
    "File",   "Edit",  "View", "Model", "Animation",          "States",
    "Camera", "Light", "Help", "Mouse", "Character controls", ""};

// == The table ====================================================================================

#ifdef __EMSCRIPTEN__
#define COPY "Copy link"
#else
#define COPY "Copy as command line"
#endif
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
#define ON_GROUND ON(GROUND)
#define ON_BOTH .context = (VIEW_ON_MODEL | VIEW_ON_GROUND)
// SWITCH sets an option to its next value; ASK prompts for the value of an option. The first of the
// remaining arguments are the synonyms for the search.
#define SWITCH(menu, label, its_option, ...)                                            \
    {                                                                                   \
        VIEW_TOGGLE, VIEW_MENU_##menu, NULL, label, __VA_ARGS__, .option = (its_option) \
    }
#define ASK(menu, label, its_option, ...)                                             \
    {                                                                                 \
        VIEW_ASK, VIEW_MENU_##menu, "ask", label, __VA_ARGS__, .option = (its_option) \
    }
#define MOUSE(label, its_tooltip)                                            \
    {                                                                        \
        VIEW_NOTHING, VIEW_MENU_MOUSE, NULL, label, .tooltip = (its_tooltip) \
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
    {VIEW_START_PAGE, VIEW_MENU_FILE, "start-page", "Start page", "welcome examples home",
     KEYS(CTRL(VIEW_KEY_HOME))},
    {VIEW_FILES, VIEW_MENU_FILE, "files", "Open…", "load file model import", KEYS(CTRL('o')),
     .tooltip = "Open files from a folder or recent files", ON_GROUND},
    {VIEW_OPEN_FOLDER, VIEW_MENU_FILE, "enter-folder", "Open folder…", "directory browse",
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
    SWITCH(FILE, "Reload when files change", "watch", "watch live"),
    SWITCH(FILE, "Load clips from the model's folder", "no-auto", "auto"),
    {VIEW_SCREENSHOT, VIEW_MENU_FILE, "screenshot", "Save screenshot",
     "picture screenshot png image photo", KEYS(VIEW_KEY_F(12)),
     .tooltip = "Save an image of the window to the current folder", ON_GROUND},
    {VIEW_CLEAN_SCREENSHOT, VIEW_MENU_FILE, "clean-screenshot",
     "Save screenshot without background", "picture screenshot png alpha transparent",
     KEYS(CTRL(VIEW_KEY_F(12))),
     .tooltip = "Save an image with transparent background and without panels"},
    {VIEW_EXPORT, VIEW_MENU_FILE, "export", "Export…",
     "save glb gltf iqm obj bvh fbx blender convert png gif mp4 webm apng movie video sheet "
     "turntable",
     KEYS(CTRL('e')), ON_GROUND,
     .tooltip = "Export images, movies, turntables, contact sheets or models"},
    {VIEW_EXPORT_AGAIN, VIEW_MENU_FILE, "export-again", "Export again", "save",
     KEYS(SHIFT(CTRL('e'))), .tooltip = "Export with the same settings"},
    {VIEW_RECORD, VIEW_MENU_FILE, "record", "Record movie", "gif mp4 video capture",
     KEYS(SHIFT(VIEW_KEY_F(12))), .tooltip = "Start or stop recording a movie of the window"},
    SWITCH(FILE, "Movie format", "record-as", "gif mp4 webm apng", .list = VIEW_LIST_WORDS),
    {VIEW_QUIT, VIEW_MENU_FILE, "quit", "Quit", "exit close", KEYS(CTRL('q'))},

    {VIEW_UNDO, VIEW_MENU_EDIT, "undo", "Undo", "back revert", KEYS(CTRL('z'))},
    {VIEW_REDO, VIEW_MENU_EDIT, "redo", "Redo", "again", KEYS(SHIFT(CTRL('z')), CTRL('y'))},
    {VIEW_GO_TO_STEP, VIEW_MENU_EDIT, "history", "History", "steps undo", .list = VIEW_LIST_STEPS},
    {VIEW_RESET_ALL, VIEW_MENU_EDIT, "reset-all", "Reset all", "defaults usual as opened",
     .tooltip = "Reset all settings of this model and of the display"},
    {VIEW_FORGET_DOCUMENT, VIEW_MENU_EDIT, "forget-document",
     "Clear stored settings/Clear for this model", "reset remembered",
     .tooltip = "Reset this model, also for the next time it is opened"},
    {VIEW_FORGET_ALL, VIEW_MENU_EDIT, "forget-all", "Clear stored settings/Clear for all models",
     "reset remembered recent",
     .tooltip = "Delete the stored settings of all models and the recent files"},
    {VIEW_SETTINGS, VIEW_MENU_EDIT, "settings", "Settings…",
     "preferences options configuration forget", KEYS(CTRL(','))},
    {VIEW_SEARCH, VIEW_MENU_EDIT, "search", "Search commands…", "search find menu palette",
     KEYS(CTRL('p')), ON(ANY), .tooltip = "Search commands and set values, such as: speed 0.5"},
    {VIEW_FIND, VIEW_MENU_EDIT, "find", "Find joint, mesh, clip…", "bone search state",
     KEYS(CTRL('f')),
     .tooltip = "Find joints, meshes, clips and states; Enter selects the first match"},
    {VIEW_COPY_COMMAND, VIEW_MENU_EDIT, "copy-command", COPY, "clipboard shell options share url",
     .tooltip = "Copy a command line that shows the same view"},
    {VIEW_MEASURE, VIEW_MENU_EDIT, "measure", "Measure distance", "angle between", KEYS(CTRL('m')),
     NEEDS(ONE), ON(JOINT), .tooltip = "Measure from the selected joint to another joint"},
    ASK(EDIT, "Select joint…", "joint", "bone mark weights heat", NEEDS(MODEL | ONE),
        .list = VIEW_LIST_JOINTS),
    {VIEW_SELECT_PARENT, VIEW_MENU_EDIT, "choose-parent", "Select parent joint", "bone",
     NEEDS(MODEL | ONE), ON(JOINT)},
    {VIEW_CLOSE_LISTS, VIEW_MENU_EDIT, "close-lists", "Deselect", "clear escape none",
     KEYS(VIEW_KEY_ESCAPE),
     .tooltip = "Close the menu, list or error, release the keyboard, or deselect"},

    SWITCH(VIEW, "Panels", "panel", "hide interface clean", KEYS('h')),
    SWITCH(VIEW, "Outliner", "hierarchy", "tree list joints bones meshes",
           KEYS(CTRL('b'), SHIFT('h'))),
    SWITCH(VIEW, "Inspector", "inspector", "figures values numbers", KEYS(CTRL('i'))),
    {VIEW_CLIPS, VIEW_MENU_VIEW, "clips", "Clip list", "animations", KEYS(CTRL('l')),
     NEEDS(CLIPS | CLIP)},
    SWITCH(VIEW, "State graph", "graph", "machine transitions nodes", KEYS(SHIFT('g')),
           NEEDS(MACHINE)),
    SWITCH(VIEW, "Curves", "curves", "plot position degrees quaternion csv graph",
           NEEDS(CLIPS | CLIP)),
    SWITCH(VIEW, "Differences", "differences", "distance joints plot", NEEDS(ONE | MODEL)),
    {VIEW_WARNINGS, VIEW_MENU_VIEW, "warnings", "Problems", "errors warnings faults missing",
     KEYS(CTRL('w')), .tooltip = "List all errors and warnings of the files"},
    SWITCH(VIEW, "Statistics", "statistics", "memory counts polygons", KEYS('m')),
    SWITCH(VIEW, "Frame time", "frame-time", "fps milliseconds performance", KEYS('z')),
    SWITCH(VIEW, "Show/Grid", "grid", "ground floor", KEYS('g'), ON_GROUND),
    SWITCH(VIEW, "Show/Axes", "axis", "origin xyz", KEYS('x'), ON_GROUND),
    SWITCH(VIEW, "Show/Wireframe", "edges", "edges triangles lines", KEYS('e'), ON_BOTH),
    SWITCH(VIEW, "Show/Skeleton", "armature", "bones joints rig armature", KEYS('j'), NEEDS(ONE),
           ON_BOTH),
    SWITCH(VIEW, "Show/Normals", "normal-glyphs", "arrows", KEYS('n'), NEEDS(ONE)),
    SWITCH(VIEW, "Show/Tangents", "tangent-glyphs", "arrows", KEYS(SHIFT('n')), NEEDS(ONE)),
    SWITCH(VIEW, "Show/Bounding box", "bounds", "bounds size", KEYS('b'), NEEDS(ONE)),
    SWITCH(VIEW, "Show/Joint bounds", "joint-bounds", "bounds hit", KEYS(SHIFT('b')), NEEDS(ONE)),
    SWITCH(VIEW, "Shading", "shading", "surface weights heat map uv images",
           .list = VIEW_LIST_WORDS, .choices = "Materials|Weights|UV grid|Images",
           .context = VIEW_ON_MODEL | VIEW_ON_JOINT),
    SWITCH(VIEW, "Next shading mode", "shading", KEYS(SHIFT('c')),
           .tooltip = "Switch between materials, weights, UV grid and images"),
    SWITCH(VIEW, "Checkerboard", "checkerboard", "uv texture", KEYS('c')),
    SWITCH(VIEW, "Untextured (clay)", "untextured", "clay textures off untextured", KEYS('t')),
    SWITCH(VIEW, "Maps except diffuse", "no-maps", "bump specular glow normal images",
           KEYS(SHIFT('t')), .tooltip = "Show the normal, specular and glow maps"),
    ASK(VIEW, "Background…", "background-color", "colour color backdrop chroma", ON_GROUND),
    SWITCH(VIEW, "Adaptive quality", "no-auto-quality", "performance quality", KEYS(SHIFT('q')),
           .tooltip = "Draw less detail if frames take too long"),
    {VIEW_LARGER_TEXT, VIEW_MENU_VIEW, "larger-text", "Larger text", "zoom font bigger",
     KEYS(CTRL(ANY('+')), CTRL(ANY('=')), CTRL(VIEW_KEY_PAD_PLUS))},
    {VIEW_SMALLER_TEXT, VIEW_MENU_VIEW, "smaller-text", "Smaller text", "zoom font",
     KEYS(CTRL(ANY('-')), CTRL(VIEW_KEY_PAD_MINUS))},
    ASK(VIEW, "Text size…", "ui-scale", "dpi scale font"),
    {VIEW_SET, VIEW_MENU_VIEW, "set", "Reset panel sizes", "layout docks", .option = "panel-sizes",
     .choices = "0,0,0"},
    SWITCH(VIEW, "Reduce motion", "reduced-motion", "accessibility smooth animation"),
    SWITCH(VIEW, "Mute sounds", "mute", "sound silent quiet audio noise"),
    {VIEW_FULL_SCREEN, VIEW_MENU_VIEW, "full-screen", "Full screen", "maximize",
     KEYS(VIEW_KEY_F(11))},

    ASK(MODEL, "Skin…", "skin", "quake variant", NEEDS(MODEL)),
    {VIEW_TEXTURES, VIEW_MENU_MODEL, "textures", "Textures…", "image map normal specular missing",
     KEYS(CTRL('t')), NEEDS(MODEL), .tooltip = "Show and change the images of each mesh"},
    {VIEW_SAVE_TEXTURES, VIEW_MENU_MODEL, "save-textures", "Save textures as .mtr…",
     "material write", NEEDS(MODEL)},
    {VIEW_HIDE_MESH, VIEW_MENU_MODEL, "mesh", "Meshes", "hide show part", NEEDS(MODEL | ONE),
     .list = VIEW_LIST_MESHES},
    {VIEW_HIDE_SELECTION, VIEW_MENU_MODEL, "hide-selection", "Hide selection", "mesh invisible",
     KEYS(CTRL('h')), NEEDS(MODEL | ONE), .tooltip = "Hide the selected mesh"},
    {VIEW_SHOW_MESHES, VIEW_MENU_MODEL, "show-meshes", "Show all meshes", "unhide",
     KEYS(SHIFT(CTRL('h'))), NEEDS(MODEL | ONE)},
    SWITCH(MODEL, "Show back faces", "two-sided", "culling double two-sided", ON(MODEL)),
    SWITCH(MODEL, "Up axis", "up", "stand lie z y", .list = VIEW_LIST_WORDS),
    {VIEW_TURN_X, VIEW_MENU_MODEL, "turn-x", "Rotate 90° around X", "rotate stand up lie",
     KEYS(SHIFT('x')), NEEDS(ONE)},
    {VIEW_TURN_Z, VIEW_MENU_MODEL, "turn-z", "Rotate 90° around Z", "rotate", KEYS(SHIFT('z')),
     NEEDS(ONE)},
    ASK(MODEL, "Script states…", "state", "monster doom torso legs", NEEDS(MODEL)),
    ASK(MODEL, "Script flags…", "flag", "monster doom walk pain die", NEEDS(MODEL)),
    ASK(MODEL, "Morph targets…", "morph", "target blend shape face expression", NEEDS(MODEL)),
    SWITCH(MODEL, "Material parameters…", "parm-list", "parm sliders stages", KEYS(SHIFT('m'))),
    ASK(MODEL, "Add outfit…", "outfit", "wear clothes armor second model same skeleton",
        NEEDS(MODEL)),
    ASK(MODEL, "Attach model…", "attach", "weapon hand hold", NEEDS(MODEL), ON(JOINT)),
    ASK(MODEL, "Retarget to…", "retarget", "another skeleton transfer map joints", NEEDS(MODEL)),
    ASK(MODEL, "Compare with…", "compare", "difference clip model diff", NEEDS(MODEL)),
    // A submenu whose name ends in "…" is shown as one card of options.
    ASK(MODEL, "Crowd…/Crowd…", "crowd", "many hundred characters army", NEEDS(MODEL)),
    ASK(MODEL, "Crowd…/Simplified below (px)", "crowd-reduced", ""),
    ASK(MODEL, "Crowd…/Baked below (px)", "crowd-baked", ""),
    ASK(MODEL, "Crowd…/Impostors below (px)", "crowd-impostors", ""),
    SWITCH(MODEL, "Ground", "terrain", "terrain uneven hills stairs lift feet", NEEDS(MODEL),
           .list = VIEW_LIST_WORDS, .choices = "level|hills|stairs|slope|lift"),
    {VIEW_DIE, VIEW_MENU_MODEL, "die", "Ragdoll…/Start ragdoll", "ragdoll die death dead af kill",
     KEYS(VIEW_KEY_DELETE), NEEDS(MODEL | ONE),
     .tooltip = "Let the model fall as a ragdoll; press again to end"},
    ASK(MODEL, "Ragdoll…/Start time", "ragdoll-time", "fall ragdoll death time", NEEDS(MODEL)),
    {VIEW_WALK, VIEW_MENU_MODEL, "walk", "Procedural walk", "legs without clips rules", KEYS('u'),
     NEEDS(MODEL | CLIPS), .tooltip = "Walk with procedural steps instead of clips"},
    SWITCH(MODEL, "Dual-quaternion skinning", "skinning",
           "keep volume twist linear candy wrapper skinning", KEYS('q'), .choices = "off|on"),

    {VIEW_PLAY, VIEW_MENU_ANIMATION, "play", "Play", "pause stop go resume",
     KEYS(' ', ANY(VIEW_KEY_PAUSE)), .tooltip = "Play or pause"},
    {VIEW_STEP_BACK, VIEW_MENU_ANIMATION, "step-back", "Previous frame", "step",
     KEYS(VIEW_KEY_LEFT, ANY(','))},
    {VIEW_STEP_ON, VIEW_MENU_ANIMATION, "step-on", "Next frame", "step",
     KEYS(VIEW_KEY_RIGHT, ANY('.'))},
    {VIEW_GO_FIRST, VIEW_MENU_ANIMATION, "first", "First frame", "begin restart start",
     KEYS(SHIFT(VIEW_KEY_LEFT)), .tooltip = "Go to the first frame, or restart the state machine"},
    {VIEW_GO_LAST, VIEW_MENU_ANIMATION, "last", "Last frame", "end", KEYS(SHIFT(VIEW_KEY_RIGHT))},
    ASK(ANIMATION, "Go to frame…", "animation-time", "time seek second jump", KEYS(CTRL('g')),
        ON(TIME), .tooltip = "Enter a frame (12 or 12f) or a time in seconds (0.5s)"),
    {VIEW_OPEN_CLIP, VIEW_MENU_ANIMATION, "clip", "Clip", "animation", NEEDS(CLIPS),
     .list = VIEW_LIST_CLIPS},
    {VIEW_NEXT_CLIP, VIEW_MENU_ANIMATION, "next-clip", "Next clip", "animation",
     KEYS(CTRL(VIEW_KEY_PAGE_DOWN)), NEEDS(CLIPS | CLIP)},
    {VIEW_PREVIOUS_CLIP, VIEW_MENU_ANIMATION, "previous-clip", "Previous clip", "animation",
     KEYS(CTRL(VIEW_KEY_PAGE_UP)), NEEDS(CLIPS | CLIP)},
    {VIEW_SLOWER, VIEW_MENU_ANIMATION, "slower", "Half the speed", "slow motion slower",
     KEYS(ANY('['), ANY('-'), VIEW_KEY_PAD_MINUS)},
    {VIEW_FASTER, VIEW_MENU_ANIMATION, "faster", "Double the speed", "faster",
     KEYS(ANY(']'), ANY('+'), ANY('='), VIEW_KEY_PAD_PLUS)},
    {VIEW_NORMAL_SPEED, VIEW_MENU_ANIMATION, "normal-speed", "Normal speed",
     KEYS(VIEW_KEY_BACKSPACE)},
    ASK(ANIMATION, "Speed…", "animation-speed-factor", "slow fast motion rate"),
    {VIEW_REVERSE, VIEW_MENU_ANIMATION, "reverse", "Play backward", "reverse", KEYS('r')},
    SWITCH(ANIMATION, "At clip end", "loop", "loop cycle once repeat stop", KEYS('l'), NEEDS(CLIPS),
           .list = VIEW_LIST_WORDS, .choices = "loop|blend into start|stop"),
    {VIEW_RANGE_BEGIN, VIEW_MENU_ANIMATION, "range-begin", "Range/Set range start", "trim begin",
     KEYS('i'), NEEDS(CLIPS | CLIP), ON(TIME)},
    {VIEW_RANGE_END, VIEW_MENU_ANIMATION, "range-end", "Range/Set range end", "trim", KEYS('o'),
     NEEDS(CLIPS | CLIP), ON(TIME)},
    {VIEW_RANGE_ALL, VIEW_MENU_ANIMATION, "range-all", "Range/Play all frames", "range trim",
     KEYS(SHIFT('i')), NEEDS(CLIPS | CLIP), ON(TIME)},
    ASK(ANIMATION, "Range/Range…", "range", "trim frames", NEEDS(CLIPS | CLIP)),
    SWITCH(ANIMATION, "Root motion", "root", "origin in place", KEYS(SHIFT('r')), NEEDS(CLIPS),
           .list = VIEW_LIST_WORDS, .choices = "as stored|as in Doom 3|in place"),
    {VIEW_BIND_POSE, VIEW_MENU_ANIMATION, "bind-pose", "Bind pose", "rest t-pose", KEYS('p'),
     NEEDS(ONE)},

    {VIEW_DRIVE, VIEW_MENU_MACHINE, "drive", "Control character", "drive control walk wasd",
     KEYS(VIEW_KEY_RETURN, VIEW_KEY_PAD_ENTER), NEEDS(VIEW_NEEDS_MOVER),
     .tooltip = "Control it with W A S D, Shift, Space and F2 to F10; Esc ends"},
    {VIEW_FIRE_TRIGGER, VIEW_MENU_MACHINE, "push", "Fire trigger", "push event", NEEDS(MACHINE),
     .list = VIEW_LIST_TRIGGERS},
    ASK(MACHINE, "Parameters…", "set", "set value slider"),
    {VIEW_GO_TO_STATE, VIEW_MENU_MACHINE, "state", "Go to state", "jump", NEEDS(MACHINE),
     .list = VIEW_LIST_STATES},
    {VIEW_ONE_SHOT, VIEW_MENU_MACHINE, "one-shot", "Play a clip once", "one-shot montage",
     NEEDS(MACHINE), .tooltip = "Play the machine's next one-shot clip"},

    {VIEW_FRONT, VIEW_MENU_CAMERA, "front", "Front", KEYS(ANY('1'), VIEW_KEY_PAD(1)), ON_GROUND},
    {VIEW_BEHIND, VIEW_MENU_CAMERA, "behind", "Back", "behind",
     KEYS(CTRL('1'), CTRL(VIEW_KEY_PAD(1)))},
    {VIEW_RIGHT, VIEW_MENU_CAMERA, "right", "Right", "side", KEYS(ANY('3'), VIEW_KEY_PAD(3))},
    {VIEW_LEFT, VIEW_MENU_CAMERA, "left", "Left", "side", KEYS(CTRL('3'), CTRL(VIEW_KEY_PAD(3)))},
    {VIEW_TOP, VIEW_MENU_CAMERA, "top", "Top", "above", KEYS(ANY('7'), VIEW_KEY_PAD(7))},
    {VIEW_FROM_BELOW, VIEW_MENU_CAMERA, "below", "Bottom", "below",
     KEYS(CTRL('7'), CTRL(VIEW_KEY_PAD(7)))},
    {VIEW_ISOMETRIC, VIEW_MENU_CAMERA, "isometric", "Isometric", KEYS(ANY('9'), VIEW_KEY_PAD(9))},
    {VIEW_ORTHOGRAPHIC, VIEW_MENU_CAMERA, "orthographic", "Orthographic", "parallel perspective",
     KEYS(ANY('5'), VIEW_KEY_PAD(5))},
    {VIEW_FRAME_ALL, VIEW_MENU_CAMERA, "frame-all", "Frame all", "show fit reset home everything",
     KEYS(VIEW_KEY_HOME), ON_BOTH},
    {VIEW_FRAME_SELECTED, VIEW_MENU_CAMERA, "frame-chosen", "Frame selection",
     "show zoom focus fit", KEYS('f'), NEEDS(ONE), ON(JOINT)},
    {VIEW_PREVIOUS_VIEW, VIEW_MENU_CAMERA, "previous-view", "Previous view", "back undo camera",
     .tooltip = "Return to the view before the last jump"},
    {VIEW_CAMERA_PATH, VIEW_MENU_CAMERA, "camera-path", "Follow camera path", "cut scene md5camera",
     KEYS('v'), NEEDS(VIEW_NEEDS_CAMERA_PATH)},
    SWITCH(CAMERA, "Show camera path", "camera-path", "", NEEDS(VIEW_NEEDS_CAMERA_PATH)),
    ASK(CAMERA, "Smooth camera path…", "camera-smoothing", NEEDS(VIEW_NEEDS_CAMERA_PATH)),
    ASK(CAMERA, "Camera position…/Azimuth", "camera-azimuth-angle",
        "azimuth elevation angle distance zoom centre"),
    ASK(CAMERA, "Camera position…/Elevation", "camera-elevation-angle", ""),
    ASK(CAMERA, "Camera position…/Target", "camera-target", ""),
    ASK(CAMERA, "Camera position…/Distance", "camera-distance", ""),

    SWITCH(LIGHT, "Style", "light", "doom id studio classic light", KEYS('k'),
           .list = VIEW_LIST_WORDS, .tooltip = "Studio lighting, or lighting as in Doom 3"),
    SWITCH(LIGHT, "Shadows", "no-shadow", KEYS(SHIFT('k')), ON_GROUND),
    SWITCH(LIGHT, "Lights…", "light-list", "brightness sun key fill rim sliders", KEYS(SHIFT('l'))),
    ASK(LIGHT, "Environment map…", "environment", "hdr panorama sky environment"),
    SWITCH(LIGHT, "Use environment light", "no-environment", "environment", KEYS(SHIFT('e')),
           NEEDS(VIEW_NEEDS_ENVIRONMENT)),
    SWITCH(LIGHT, "Show environment", "environment-background", "environment background sky",
           KEYS(SHIFT('v')), NEEDS(VIEW_NEEDS_ENVIRONMENT)),

    SWITCH(HELP, "Keyboard shortcuts", "keys", "keys bindings", KEYS(VIEW_KEY_F(1))),
    {VIEW_SET, VIEW_MENU_HELP, "set", "Lessons", "learn techniques tutorial pages contents",
     .option = "lesson", .choices = "contents",
     .tooltip = "Interactive lessons, each with its C code"},
    {VIEW_NEXT_PAGE, VIEW_MENU_HELP, "next-page", "Next lesson", KEYS('y')},
    {VIEW_PREVIOUS_PAGE, VIEW_MENU_HELP, "previous-page", "Previous lesson", KEYS(SHIFT('y'))},

    TARGET(VIEW_OPEN_CLIP, "clip", "Play", ON(CLIP)),
    TARGET(VIEW_HIDE_MESH, "mesh", "Hide", ON(MESH)),
    TARGET(VIEW_TEXTURES, "textures", "Textures…", ON(MESH)),
    TARGET(VIEW_ONLY_MESH, "only-mesh", "Isolate", ON(MESH)),
    TARGET(VIEW_GO_TO_STATE, "state", "Go to this state", ON(STATE)),
    TARGET(VIEW_TAKE_TRANSITION, "transition", "Take this transition", ON(EDGE)),
    TARGET(VIEW_OPEN_FILE, "file", "Open", ON(FILE)),
    TARGET(VIEW_SET, "set", "Compare with this", .option = "compare", NEEDS(MODEL),
           .context = VIEW_ON_CLIP | VIEW_ON_FILE),
    TARGET(VIEW_COPY_NAME, "copy-name", "Copy name",
           .context = VIEW_ON_JOINT | VIEW_ON_CLIP | VIEW_ON_STATE | VIEW_ON_FILE | VIEW_ON_IMAGE),
    TARGET(VIEW_COPY_PATH, "copy-path", "Copy path", .context = VIEW_ON_CLIP | VIEW_ON_FILE),

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
static const view_command_row *const table = view_command_rows;
enum { NUM_ROWS = COMMON_LENGTH(view_command_rows) };
const size_t view_num_commands = NUM_ROWS;

// == Properties of entries ========================================================================

const view_option *view_get_option(const view_command_row *row)
{
    return row->option != NULL ? view_find_option(row->option, strlen(row->option)) : NULL;
}

const view_command_row *view_find_command(const view_option *option)
{
    for (int i = 0; i < NUM_ROWS; i++)
        if (table[i].option != NULL && strcmp(table[i].option, option->name) == 0)
            return &table[i];
    return NULL;
}

const char *view_get_choices(const view_option *option)
{
    const view_command_row *const row = view_find_command(option);
    return row != NULL && row->choices != NULL ? row->choices : option->value;
}

view_action view_toggle_of(const char *name)
{
    return (view_action)(VIEW_TOGGLE + view_option_index(name));
}

view_action view_get_action(const view_command_row *row)
{
    return row->action != VIEW_TOGGLE ? row->action : view_toggle_of(row->option);
}

const char *view_get_tooltip(const view_command_row *row)
{
    const view_option *const option = view_get_option(row);
    const char *const tooltip = option != NULL ? option->tooltip : NULL;
    if (row->tooltip != NULL)
        return row->tooltip;
    return tooltip != NULL ? tooltip : view_get_label(row);
}

const char *view_get_label(const view_command_row *row)
{
    const char *const slash = strchr(row->label, '/');
    return slash != NULL ? slash + 1 : row->label;
}

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
    };
    for (int i = 0; i < VIEW_NUM_NEEDS; i++)
        if ((missing >> i & 1) != 0)
            return reasons[i];
    return "";
}

const char *view_action_name(view_action action)
{
    static const char *const of_mouse[] = {
        "taken",           "list",       "close-lists", "joint",      "enter-folder",
        "section",         "section",    "choose",      "choose",     "choose",
        "choose",          "channel",    "channel",     "mesh",       "texture",
        "images",          "page",       "forget",      "try-again",  "keep",
        "delete",          "run-export", "stop-export", "map-joints", "repair",
        "save-retargeted", "transition", "state"};
    static_assert(COMMON_LENGTH(of_mouse) == VIEW_GO_TO_STATE - VIEW_HANDLED + 1,
                  "a name for each");
    if (action >= VIEW_HANDLED && action <= VIEW_GO_TO_STATE)
        return of_mouse[action - VIEW_HANDLED];
    if (action >= VIEW_TOGGLE) {
        const view_option *const option = &view_option_rows[action - VIEW_TOGGLE];
        return option->word != NULL ? option->word : option->name;
    }
    for (int i = 0; i < NUM_ROWS; i++)
        if (table[i].action == action && table[i].name != NULL)
            return table[i].name;
    return "nothing";
}

// == Keys =========================================================================================

// Returns true if a key of the table, with its flags, is pressed together with these modifiers.
static bool is_key_pressed(int32_t key, int32_t code, bool shift, bool control)
{
    if ((key & ~VIEW_KEY_FLAGS) != code || ((key & VIEW_WITH_CTRL) != 0) != control)
        return false;
    return (key & VIEW_WITH_ANY) != 0 || ((key & VIEW_WITH_SHIFT) != 0) == shift;
}

const view_command_row *view_find_key(int32_t code, bool shift, bool control, bool alt,
                                      bool is_driving)
{
    // Window managers use Alt for their own shortcuts.
    for (int i = 0; i < NUM_ROWS && !alt; i++) {
        const view_command_row *const row = &table[i];
        if (view_is_driving(row->action) != is_driving)
            continue;
        for (int k = 0; k < VIEW_MAX_KEYS && row->keys[k] != 0; k++) {
            if (is_key_pressed(row->keys[k], code, shift, control))
                return row;
        }
    }
    return NULL;
}

static void print_key(int32_t key, char *text, size_t size)
{
    char name[16];
    const char *const control = (key & VIEW_WITH_CTRL) != 0 ? "Ctrl+" : "";
    const char *const shift = (key & VIEW_WITH_SHIFT) != 0 ? "Shift+" : "";
    snprintf(text, size, "%s%s%s", control, shift,
             view_name_key(key & ~VIEW_KEY_FLAGS, name, sizeof name));
}

// Returns true if the key has the same function as another key that is printed instead: a key of
// the number pad, or the right one of two keys.
static bool is_twin_key(int32_t code)
{
    if (code >= VIEW_KEY_PAD_ENTER && code <= VIEW_KEY_PAD_9)
        return true;
    return code == VIEW_KEY_RIGHT_SHIFT || code == '=';
}

void view_print_keys(const view_command_row *row, char *text, size_t size)
{
    text[0] = '\0';
    for (int k = 0; k < VIEW_MAX_KEYS && row->keys[k] != 0; k++) {
        const int32_t code = row->keys[k] & ~VIEW_KEY_FLAGS;
        char key[48];
        if (is_twin_key(code))
            continue;
        print_key(row->keys[k], key, sizeof key);
        if (code == VIEW_KEY_LEFT_SHIFT)
            COMMON_TEXT(key, "Shift");
        common_append(text, size, " or ", "%s", key);
    }
}

void view_print_trigger_key(uint32_t trigger, char *text, size_t size)
{
    text[0] = '\0';
    for (int i = 0; i < NUM_ROWS; i++)
        if (table[i].action == VIEW_TRIGGER && table[i].trigger == trigger)
            view_print_keys(&table[i], text, size);
}

uint32_t view_list_keys(uint32_t have, const char *const *triggers, uint32_t num_triggers,
                        bool walks, view_key_line lines[VIEW_MAX_KEY_LINES])
{
    static const char *const any_triggers[] = {"First trigger", "Other triggers"};
    uint32_t count = 0;
    const bool is_any = triggers == NULL;
    const char *const *const trigger_names = is_any ? any_triggers : triggers;
    const uint32_t num_trigger_names = is_any ? COMMON_LENGTH(any_triggers) : num_triggers;
    view_menu menu = VIEW_NUM_GROUPS;
    for (int i = 0; i < NUM_ROWS && count < VIEW_MAX_KEY_LINES; i++) {
        const view_command_row *const row = &table[i];
        const bool is_trigger = row->action == VIEW_TRIGGER;
        const bool is_mouse = row->menu == VIEW_MENU_MOUSE && row->keys[0] == 0;
        const bool has_input = is_mouse || row->keys[0] != 0;
        if (!has_input || (row->needs & ~have) != 0)
            continue;
        if (is_trigger && row->trigger >= num_trigger_names)
            continue;
        if (row->menu == VIEW_MENU_DRIVING && !is_trigger && !walks)
            continue;
        view_key_line *const line = &lines[count++];
        line->heading = row->menu != menu ? view_menu_names[row->menu] : NULL;
        if (is_mouse)
            line->help = row->tooltip;
        else if (is_trigger)
            line->help = trigger_names[row->trigger];
        else
            line->help = view_get_label(row);
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
