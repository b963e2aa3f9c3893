// The options of the command line: the table of them, reading a value, writing it, and all of a
// command line.
#include "demo/viewer/base/options.h"

#include "demo/common/game_folder.h"

#include "demo/viewer/base/font.h"

#include <assert.h>
#include <float.h>

// == The table ====================================================================================

#define OWN(what, field) .kind = VIEW_OPTION_##what, .place = offsetof(view_options, field)
#define AT(what, field) .kind = COMMON_##what, .place = offsetof(view_options, field)
#define GIVEN(field) .given = offsetof(view_options, field)
#define RANGE(least, most) .low = (least), .high = (most)
#define OF_WINDOW .scope = VIEW_SCOPE_WINDOW
#define OF_LOOK .scope = VIEW_SCOPE_LOOK
#define OF_ANY .scope = VIEW_SCOPE_ANY
#define OF_FILE .scope = VIEW_SCOPE_FILE
#define OF_PLACE .scope = VIEW_SCOPE_PLACE
#define EFFECT(what) .effect = VIEW_EFFECT_##what
#define NAMES(what) .names = VIEW_NAMES_##what

// Rows of switches: of any, and of those of view_shown: of the look, and of the window. Help first.
#define FLAG(name, field, ...)                     \
    {                                              \
        name, NULL, __VA_ARGS__, AT(SWITCH, field) \
    }
#define SHOWN(name, what, field, its_word, ...)                                   \
    {                                                                             \
        name, NULL, __VA_ARGS__, AT(what, shown.field), .word = its_word, OF_LOOK \
    }
#define PANEL(name, what, field, its_word, ...)                                     \
    {                                                                               \
        name, NULL, __VA_ARGS__, AT(what, shown.field), .word = its_word, OF_WINDOW \
    }
#define USUALLY(when) .usual = VIEW_USUALLY_##when

const view_option view_option_rows[] = {
    {"output", "FILE",
     "draw to a PNG file and exit; - is standard output; of a\n"
     "FOLDER, its models side by side, with their names;\n"
     "{model} {anim} {frame:04} {n} in the name are replaced;\n"
     ".apng, .gif, and with ffmpeg .mp4, .webm, make a movie",
     .heading = "Pictures without a window", AT(TEXT, output)},
    {"postcard", "FILE",
     "six small seconds that repeat, at most 1 MB, of whole cycles\n"
     "of a clip, or of Bobbin: FILE.apng of 192,144 in 32 shades of\n"
     "each channel, or FILE.gif of 320,240 in 255 colors a picture",
     AT(TEXT, postcard)},
    {"sheet", "COLSxROWS", "contact sheet: one cycle of the clip in one picture",
     AT(GRID, sheet_columns), RANGE(1, 64)},
    FLAG("turntable", turntable, "turn the camera once around the model"),
    {"clips", "shown|all",
     "all: a sheet is divided among all clips; else each has a\n"
     "file, with {anim} in its name, a movie of one cycle (shown)",
     AT(EITHER, all_clips)},
    FLAG("labels", labels, "the name of the clip and the frame below each picture"),
    {"thumbnail", "N",
     "for file managers: --output is a PNG of N by N pixels\n"
     "under any name, without background; takes 3 s and 256 MiB\n"
     "at most, and reads nothing outside of the file's folder",
     AT(COUNT, thumbnail), RANGE(16, 2048)},
    {"resolution", "W,H", "size in pixels, each 1 to 16384 (1280,720)", AT(GRID, width),
     RANGE(1, VIEW_MAX_PICTURE_SIDE), OF_WINDOW},
    {"samples", "N", "antialiasing samples per pixel (4)", AT(COUNT, samples), RANGE(1, 64),
     OF_WINDOW},
    {"record-as", "apng|gif|mp4|webm",
     "format of movies of the window, which Shift+F12 begins and\n"
     "ends; mp4 and webm need ffmpeg (apng)",
     AT(CHOICE, record_as), OF_WINDOW},
    FLAG("no-background", no_background, "transparent background"),
    {"background-color", "COLOR", "#rrggbb, or R,G,B from 0 to 1", AT(COLOR, background),
     GIVEN(background_given), OF_LOOK},

    {"game", "DIR",
     "game folder or archive (.pk4, .pk3, .pak, .zip): MODEL is\n"
     "then the name of an entity, model or file in it, and without\n"
     "one a window lists them",
     .heading = "Model", AT(TEXT, game), NAMES(FOLDER)},
    {"base", "DIR",
     "game folder or archive behind that of --game, a mod, whose\n"
     "files hide it; default: the folder base or q4base beside the\n"
     "mod's; may be repeated",
     AT(TEXTS, bases), NAMES(FOLDER)},
    {"texture", "[MESH=]FILE",
     "texture of a mesh (name or number) or of all meshes;\n"
     "default: found by the shader's name",
     AT(TEXTS, maps[MD5GL_PICTURE_DIFFUSE]), EFFECT(DRESSES), NAMES(PICTURE), OF_FILE},
    {"skin", "N", "skin of a Quake or Quake II model, from 0", AT(COUNT, skin), RANGE(0, 31),
     EFFECT(REOPENS), NAMES(SKIN), OF_FILE},
    {"normal-map", "[MESH=]FILE",
     "normal map of a mesh; default: found beside the texture\n"
     "as NAME_local, and the height map as NAME_h",
     AT(TEXTS, maps[MD5GL_PICTURE_NORMALS]), EFFECT(DRESSES), NAMES(PICTURE), OF_FILE},
    {"specular-map", "[MESH=]FILE", "specular map; default: NAME_s",
     AT(TEXTS, maps[MD5GL_PICTURE_SPECULAR]), EFFECT(DRESSES), NAMES(PICTURE), OF_FILE},
    {"glow-map", "[MESH=]FILE", "emission map; default: NAME_add, NAME_glow",
     AT(TEXTS, maps[MD5GL_PICTURE_GLOW]), EFFECT(DRESSES), NAMES(PICTURE), OF_FILE},
    SHOWN("no-maps", OPPOSITE, maps, "maps", "no maps but the texture"),
    {"up", "z|y",
     "which axis of the file points up (z): y shows a model that\n"
     "lies on its back standing",
     AT(EITHER, up_is_y), EFFECT(OWN), OF_ANY},
    SHOWN("two-sided", SWITCH, two_sided, "two-sided",
          "draw back faces; default: only if the texture has holes"),
    {"hide", "MESH", "hide the meshes of that name, shader or number;\nmay be repeated",
     AT(TEXTS, hidden), EFFECT(OWN), NAMES(MESH), OF_FILE},
    {"set", "NAME=VALUE[@TIME]",
     "set a parameter of a machine at TIME, in seconds,\nor a slider of --page; may be repeated",
     OWN(SETTING, settings), NAMES(PARAMETER), OF_FILE},
    {"state", "NAME",
     "begin a state of the script of a monster of a game, as\n"
     "Legs_Walk, in place of a clip; may be repeated",
     AT(TEXTS, states), EFFECT(OWN), OF_FILE},
    {"flag", "NAME", "set a flag of that script, as AI_FORWARD; may be repeated", AT(TEXTS, flags),
     EFFECT(OWN), OF_FILE},
    {"morph", "NAME=WEIGHT",
     "weight of a morph target from the folder morphs beside the\n"
     "model, usually 0 to 1; may be repeated",
     OWN(WEIGHT, morphs), EFFECT(REOPENS), NAMES(MORPH), OF_FILE},
    {"parm", "N=VALUE",
     "parameter 0 to 11 of the materials of a game folder:\n"
     "0, 1, 2 color, 3 time scale, 4 minus the time at which a gun\n"
     "fires, 7 time at which it burns away; may be repeated",
     OWN(PARM, parms), OF_FILE},
    {"retarget", "MODEL", "show another model beside it in the same pose", AT(TEXT, retarget),
     EFFECT(REOPENS), NAMES(MODEL), OF_FILE},
    {"retarget-map", "FILE",
     "which of its joints moves which one of that model, as lines\n"
     "of SOURCE TARGET: see md5tool convert --map; default: guessed",
     AT(TEXT, retarget_map), EFFECT(REOPENS), NAMES(MAP), OF_FILE},
    {"retarget-pairs", "LINES", "the same, with ; between the lines, instead of those of the map",
     AT(TEXT, retarget_pairs), OF_FILE},
    {"retarget-place", "beside|over|alone", "where that model stands (beside)",
     AT(CHOICE, retarget_place), OF_FILE},
    {"wear", "MODEL",
     "clothes, hair or armour: a model on joints of the shown one,\n"
     "by name; may be repeated. Further models are worn, too",
     AT(TEXTS, wear), EFFECT(REOPENS), NAMES(MODEL), OF_FILE},
    {"attach", "JOINT=MODEL", "attach a model to a joint", AT(PAIR_TEXT, attach), EFFECT(REOPENS),
     NAMES(MODEL), OF_FILE},
    {"guest", "MACHINE",
     "show another state machine beside it; an event of either sets\n"
     "the trigger of the same name of the other",
     AT(TEXT, guest), EFFECT(REOPENS), NAMES(MACHINE), OF_FILE},
    {"compare", "FILE",
     "show it in another clip beside it, or another model in the\n"
     "same clip, and how far apart their joints are; --no-render\n"
     "prints that at --animation-time and over the clip",
     AT(TEXT, compare), EFFECT(REOPENS), NAMES(MODEL), OF_FILE},
    {"terrain", "no|hills|stairs|slope|lift",
     "ground that feet are placed on; a monster of a game walks on\n"
     "it by its own keys, and it alone stands on a lift (no)",
     AT(CHOICE, terrain), EFFECT(REOPENS), OF_ANY},
    {"dies", "SECONDS",
     "let it fall at this time, on that terrain: a monster of a\n"
     "game with an articulated figure, or a model with one beside it\n"
     "(NAME.af)",
     AT(NUMBER, dies), RANGE(0, 1e6), GIVEN(dies_given), EFFECT(OWN), OF_FILE},
    {"rises", "SECONDS", "let it get up again", AT(NUMBER, rises), RANGE(0, 1e6),
     GIVEN(rises_given), EFFECT(OWN), OF_FILE},
    {"blow", "X,Y,Z",
     "what strikes it as it dies, on the joint of --joint, adds this\n"
     "to the speed of the body there, units a second",
     AT(POINT, blow), RANGE(-1e5, 1e5), EFFECT(OWN), OF_FILE},
    FLAG("walk", walk,
         "procedural walking instead of clips, on that terrain too;\n"
         "controlled by W A S D and Shift",
         OF_ANY),
    {"crowd", "N",
     "show N characters with different start times, of all named\n"
     "models; one without animations uses those of the first",
     AT(COUNT, crowd), RANGE(1, 100000), EFFECT(REOPENS), OF_FILE},
    FLAG("crowd-exact", crowd_exact, "pose every character in every frame, even culled ones",
         EFFECT(REOPENS), OF_ANY),
    {"crowd-reduced", "PIXELS",
     "draw characters up to this size, and shadows of all, from\n"
     "fewer triangles that are less than a pixel elsewhere\n"
     "(0 = none; 512 for crowds of 100 and more)",
     AT(COUNT, crowd_reduced), RANGE(0, 1000), GIVEN(crowd_reduced_given), EFFECT(REOPENS), OF_ANY},
    {"crowd-baked", "PIXELS",
     "draw characters up to this size that play clips from baked\n"
     "vertices (0 = none; without --output: 128 for crowds of\n"
     "1000 and more)",
     AT(COUNT, crowd_baked), RANGE(0, 1000), GIVEN(crowd_baked_given), EFFECT(REOPENS), OF_ANY},
    {"crowd-impostors", "PIXELS",
     "draw still smaller ones up to this size as impostors\n"
     "(0 = none; 64 for crowds of 5000 and more)",
     AT(COUNT, crowd_impostors), RANGE(0, 1000), GIVEN(crowd_impostors_given), EFFECT(REOPENS),
     OF_ANY},
    {"no-crowd-levels", NULL, "draw all characters skinned, with all triangles",
     AT(OPPOSITE, shown.levels), .word = "levels", OF_ANY},
    FLAG("no-auto", no_auto, "do not load animations found beside the model", EFFECT(REOPENS)),
    {"path", "auto|4|8|exact|cpu|compute",
     "vertex path of skinning (auto: per mesh the first of 4, 8,\n"
     "exact without loss)",
     AT(CHOICE, path), EFFECT(REOPENS), OF_ANY},
    {"skinning", "linear|dual",
     "blending of joints: linear as in the format, or dual\n"
     "quaternions, which preserve volume at twisting joints",
     AT(EITHER, dual), EFFECT(MEASURES), OF_LOOK},
    FLAG("watch", watch, "reload files, including textures, when they change"),

    {"animation-index", "N", "clip to show first, from 0", .heading = "Animation",
     AT(COUNT, animation_index), RANGE(0, 1000000), GIVEN(animation_index_given), EFFECT(OWN),
     NAMES(CLIP), OF_PLACE},
    {"animation-time", "S[,S...]",
     "time in seconds; one picture per value,\n"
     "numbered unless the name has {n}, {frame} or {time}",
     OWN(TIMES, times), EFFECT(OWN), OF_PLACE},
    {"animation-speed-factor", "F", "1 = normal speed, negative = backward", AT(NUMBER, speed),
     RANGE(-1000, 1000), OF_ANY},
    {"range", "A-B",
     "play only these frames, from 0 as in the file;\n"
     "sheets and series show only them, too",
     AT(RANGE, range_first), RANGE(0, VIEW_MAX_FRAMES - 1), EFFECT(OWN), OF_FILE},
    {"onion", "N", "onion skin: N ghosts before (blue) and after (orange) the frame",
     AT(COUNT, onion.count), RANGE(0, VIEW_MAX_ONION), OF_ANY},
    {"onion-step", "FRAMES", "frames between them (3)", AT(COUNT, onion.step), RANGE(1, 1000),
     OF_ANY},
    {"loop", "loop|cycle|once", "last frame equals the first (loop) or blends into it (cycle)",
     AT(CHOICE, wrap), EFFECT(MEASURES), OF_ANY},
    {"root", "file|id|in_place", "root motion: as stored, as in id's engine, or none",
     AT(CHOICE, root), EFFECT(MEASURES), OF_LOOK},

    {"light", "studio|classic", "physically based, or as in id's engine of 2004",
     .heading = "Light", AT(EITHER, shown.classic), .word = "light", OF_LOOK},
    SHOWN("no-shadow", OPPOSITE, shadows, "shadows", "no shadows"),
    {"lights", "NAME=VALUE[,...]",
     "key, sky, fill, rim: intensity of a light, 0 to 3 (1);\n"
     "around, height: rotation of the key light, degrees (0)",
     OWN(LIGHTS, lights), OF_LOOK},
    {"environment", "FILE",
     "light from a picture of all around, equirectangular (.hdr,\n"
     ".png, .jpg, .tga, .dds), instead of sky, fill and rim light;\n"
     "the key light, at half its intensity, comes from its\n"
     "brightest side; around turns it",
     AT(TEXT, environment), EFFECT(OWN), NAMES(PICTURE), OF_ANY},
    {"no-environment", NULL, "the studio's light although --environment is given",
     AT(OPPOSITE, shown.environment), .word = "environment", OF_ANY},
    {"environment-background", NULL, "show the picture of --environment behind the model",
     AT(SWITCH, shown.environment_behind), .word = "environment-background", OF_ANY},

    {"camera-azimuth-angle", "DEG", "0 = front, 90 = the model's left side", .heading = "Camera",
     AT(FLOAT, azimuth), RANGE(-1e6, 1e6), GIVEN(azimuth_given), EFFECT(FRAMES), OF_PLACE},
    {"camera-elevation-angle", "DEG", "0 = horizontal, 90 = from above", AT(FLOAT, elevation),
     RANGE(-90, 90), GIVEN(elevation_given), EFFECT(FRAMES), OF_PLACE},
    {"camera-distance", "UNITS", "distance from the model's centre", AT(FLOAT, distance),
     RANGE(1e-6, 1e9), GIVEN(distance_given), EFFECT(FRAMES), OF_PLACE},
    {"camera-target", "X,Y,Z", "centre of the picture, in units", AT(POINT, target),
     RANGE(-1e9, 1e9), GIVEN(target_given), EFFECT(FRAMES), OF_PLACE},
    FLAG("camera-orthographic", orthographic, "orthographic projection", GIVEN(orthographic_given),
         OF_PLACE),
    FLAG("camera-path", camera_path, "show the camera path instead of following it", EFFECT(FRAMES),
         OF_PLACE),
    {"camera-smoothing", "SECONDS", "smooth a camera path over so long before and after (0)",
     AT(NUMBER, camera_smoothing), RANGE(0, 60), EFFECT(REOPENS), OF_ANY},

    SHOWN("grid", SWITCH, grid, "grid", "ground grid of a studio, instead of a place",
          .heading = "Display (each may be given as NAME=no)"),
    SHOWN("axis", SWITCH, axes, "axes", "axes at the origin: x red, y green, z blue"),
    SHOWN("edges", SWITCH, edges, "edges", "triangle edges"),
    SHOWN("armature", SWITCH, skeleton, "skeleton", "skeleton"),
    SHOWN("normal-glyphs", SWITCH, normals, "normals",
          "vertex normals; those with a fault in the pose in magenta"),
    SHOWN("tangent-glyphs", SWITCH, tangents, "tangents",
          "vertex tangents (red) and bitangents (green)"),
    SHOWN("bounds", SWITCH, bounds, "bounds", "bounding box of the vertices, and that in the file"),
    SHOWN("bounds-of-joints", SWITCH, joint_bounds, "joint-bounds",
          "bounding box of the vertices that each joint moves; of a\n"
          "monster the bodies of its articulated figure"),
    SHOWN("checkerboard", SWITCH, checker, "checker", "a checkerboard instead of the textures"),
    SHOWN("untextured", SWITCH, untextured, "untextured", "grey instead of the textures"),
    {"surface", "lit|weights|uv|textures",
     "what the body shows: materials (lit); weights of the marked\n"
     "joint, from blue (little) over green and yellow to red (1),\n"
     "or, without one, how many joints move each vertex; a grid by\n"
     "texture coordinates; the panels show layout and images",
     AT(CHOICE, surface), OF_ANY},
    PANEL("panel", SWITCH, panel, "panel", "panels over the picture", USUALLY(IN_WINDOW)),
    PANEL("statistics", SWITCH, statistics, "statistics",
          "statistics in the panel: meshes, memory, device"),
    PANEL("frame-time", SWITCH, frame_time, "frame-time", "frame time", USUALLY(IN_WINDOW)),
    PANEL("no-auto-quality", OPPOSITE, auto_quality, "auto-quality",
          "full quality in a window even if frames take longer than\n"
          "1/20 s; default: fewer samples, no shadows, less resolution"),
    PANEL("hierarchy", SWITCH, hierarchy, "hierarchy", "outliner: meshes, clips, layers and joints",
          USUALLY(YES)),
    PANEL("inspector", SWITCH, inspector, "inspector",
          "inspector: figures, the chosen joint, parameters", USUALLY(YES)),
    PANEL("light-list", SWITCH, light_list, "light-list", "list of lights"),
    PANEL("parm-list", SWITCH, parm_list, "parm-list", "list of time and --parm of materials"),
    PANEL("graph", SWITCH, graph, "graph", "state graph of a machine"),
    PANEL("curves", SWITCH, curves, "curves", "curves of the chosen joint over the clip"),
    PANEL("differences", SWITCH, differences, "differences",
          "joints by their distance to --compare, over the clip"),
    {"joint", "NAME", "mark a joint and show its weights as a heat map", AT(TEXT, joint),
     EFFECT(OWN), NAMES(JOINT), OF_PLACE},
    {"page", "NAME",
     "show a technique on an example character, with its C code\n"
     "and sliders; contents: all pages, list: print their names and\ntitles",
     AT(TEXT, page), EFFECT(OWN), NAMES(PAGE)},
    FLAG("game-demo", game_demo,
         "a small game: Bobbin lights lanterns on hills; it plays\n"
         "itself until a key is pressed",
         EFFECT(OWN)),
    {"keys", NULL, "list of keys", AT(SWITCH, shown.help), .word = "help"},
    {"ui-scale", "F", "scale of the interface (default: that of the screen)", AT(FLOAT, ui_scale),
     RANGE(VIEW_MIN_SCALE, VIEW_MAX_SCALE), OF_WINDOW},
    {"docks", "LEFT,RIGHT,BOTTOM",
     "sizes of outliner, inspector and lower panel, in heights of\n"
     "the text (0,0,0: as usual)",
     AT(POINT, docks), RANGE(0, 1000), OF_WINDOW},
    PANEL("reduced-motion", SWITCH, reduced_motion, "reduced-motion",
          "the picture goes at once to where it is moved"),
    FLAG("mute", mute, "no sounds of the first minute and of the game", OF_WINDOW),
    PANEL("open-last", SWITCH, open_last, "open-last",
          "without files the last one is opened instead of the start page"),

    {"config", "FILE",
     "file that stores window size, settings and files;\n"
     "default: md5view/config in the configuration folder;\n"
     "--output reads only textures that were chosen in the window",
     .heading = "Configuration", AT(TEXT, config)},
    FLAG("no-config", no_config, "do not read or write the configuration file"),

    {"frames", "N",
     "draw N frames, print frame times, exit;\n"
     "with --output: N pictures at --frame-rate (24) per second",
     .heading = "Checks", AT(COUNT, num_frames), RANGE(1, VIEW_MAX_FRAMES)},
    {"frame-rate", "F", "frames per second: limit of the window, rate of --frames",
     AT(NUMBER, frame_rate), RANGE(1e-9, 1e9), OF_WINDOW},
    FLAG("verify", verify, "compare GPU skinning with the exact CPU result, exit", EFFECT(OWN)),
    FLAG("no-render", no_render, "load the files, print a summary, exit"),

    FLAG("list-bindings", list_bindings, "print key and mouse bindings", .heading = "Help"),
    {"verbose", "quiet|error|warning|info|debug", "log level (info)", AT(CHOICE, level)},
    {"completions", "bash|zsh|fish", "print a completion script for the shell",
     AT(CHOICE, completions), GIVEN(completions_given)},
    FLAG("man", manual, "print the manual page, for man -l -"),
    FLAG("help", help, "print this help"),
    FLAG("version", version, "print the version"),
};
static const view_option *const table = view_option_rows;
enum { NUM_OPTIONS = COMMON_LENGTH(view_option_rows) };
const size_t view_num_options = NUM_OPTIONS;

const view_option *view_find_option(const char *name, size_t length)
{
    COMMON_EACH (o, table, NUM_OPTIONS)
        if (strlen(o->name) == length && strncmp(o->name, name, length) == 0)
            return o;
    return NULL;
}

size_t view_number_of(const char *name)
{
    return (size_t)(view_find_option(name, strlen(name)) - table);
}

// The one with the most similar name, or NULL.
static const view_option *find_nearest(const char *name, size_t length)
{
    const view_option *nearest = NULL;
    size_t least = SIZE_MAX;
    COMMON_EACH (o, table, NUM_OPTIONS) {
        size_t distance = common_distance(name, length, o->name, false);
        if (distance > 1 && length > 3 && common_distance(name, length, o->name, true) == 0)
            distance = 1; // a word of the name
        if (distance < least) {
            least = distance;
            nearest = o;
        }
    }
    return least <= (length + 2) / 4 ? nearest : NULL; // else not similar enough
}

bool *view_switch_field(const view_option *option, view_shown *shown)
{
    return (bool *)((unsigned char *)shown + (option->place - offsetof(view_options, shown)));
}

// == Lights and parameters of materials ===========================================================

const view_light_range view_light_ranges[VIEW_NUM_LIGHTS] = {
    {"key", 0, 3, 1}, {"sky", 0, 3, 1},         {"fill", 0, 3, 1},
    {"rim", 0, 3, 1}, {"around", -180, 180, 0}, {"height", -60, 60, 0},
};

view_lights view_usual_lights(void)
{
    view_lights lights;
    COMMON_FOR (i, VIEW_NUM_LIGHTS)
        lights.values[i] = view_light_ranges[i].usual;
    return lights;
}

// Returns false if the text is malformed.
static bool read_lights(const char *text, view_lights *lights)
{
    for (;;) {
        const size_t length = strcspn(text, "=");
        int light = 0;
        while (light < VIEW_NUM_LIGHTS
               && (strlen(view_light_ranges[light].name) != length
                   || strncmp(text, view_light_ranges[light].name, length) != 0))
            light++;
        if (light == VIEW_NUM_LIGHTS || text[length] == '\0')
            return false;
        const view_light_range *const range = &view_light_ranges[light];
        double value;
        const char *const end =
            common_take_number(text + length + 1, range->low, range->high, &value);
        if (end == NULL || (*end != '\0' && *end != ','))
            return false;
        lights->values[light] = (float)value;
        if (*end == '\0')
            return true;
        text = end + 1;
    }
}

// Writes "NAME=VALUE,NAME=VALUE", which is read as the same values. `size`: LIGHTS_TEXT is enough.
enum { LIGHTS_TEXT = 192 };
static void write_lights(const view_lights *lights, char *text, size_t size)
{
    text[0] = '\0';
    COMMON_FOR (i, VIEW_NUM_LIGHTS) {
        const float value = lights->values[i];
        char number[24];
        int digits = 7;
        // As short as it was set, but no shorter than what is read as the same bits.
        do {
            COMMON_TEXT(number, "%.*g", digits, value);
        } while ((float)strtod(number, NULL) != value && digits++ < 9);
        common_append(text, size, ",", "%s=%s", view_light_ranges[i].name, number);
    }
}

void view_write_shown(const view_shown *shown, const view_lights *lights, char *text, size_t size)
{
    view_shown copy = *shown;
    text[0] = '\0';
    COMMON_EACH (o, table, NUM_OPTIONS) {
        if (o->word == NULL)
            continue;
        const bool on = *view_switch_field(o, &copy);
        char *const value = common_copy_word(o->kind == COMMON_EITHER ? o->value : "0|1", on);
        common_append(text, size, " ", "%s=%s", o->word, value);
        free(value);
    }
    char values[LIGHTS_TEXT];
    write_lights(lights, values, sizeof values);
    common_append(text, size, " ", "lights=%s", values);
}

// The uses are those of the engine's scripts; parm7 is the time of death in most games, and a
// number from 0 to 1 in few.
const view_parm_range view_parm_ranges[VIEW_NUM_PARM_ROWS] = {
    {"time", 10, 60},
    {"0 red", 1, 1},
    {"1 green", 1, 1},
    {"2 blue", 1, 1},
    {"3 time scale", 2, 1},
    {"4 offset", 10, 0},
    {"5 diversity", 1, 0},
    {"6", 1, 0},
    {"7 burn, mode", 10, 0},
    {"8 skin scale", 1, 0},
    {"9", 1, 0},
    {"10", 1, 0},
    {"11", 1, 0},
};

float view_material_time(const view_parms *parms, double clip_time)
{
    const double time = clip_time + parms->ahead;
    return time > 0 ? (float)time : 0;
}

void view_set_parm(view_parms *parms, int row, float value, double clip_time)
{
    const int parm = row - VIEW_FIRST_PARM;
    if (row == VIEW_PARM_TIME)
        parms->ahead = (float)(value - clip_time);
    else
        parms->values[parm] = value;
    if ((parm == 4 || parm == 7) && parms->ahead == view_parm_ranges[VIEW_PARM_TIME].usual)
        parms->ahead = 0;
}

// == Values =======================================================================================
//
// Reads and writes the values of options of each kind. A written value is read as the same bits.

// Choices are stored through an unsigned int.
static_assert(sizeof(md5_root) == sizeof(unsigned) && sizeof(md5_wrap) == sizeof(unsigned)
                  && sizeof(md5gl_path) == sizeof(unsigned)
                  && sizeof(view_level) == sizeof(unsigned)
                  && sizeof(view_shell) == sizeof(unsigned),
              "enums have the size of an unsigned int");

// "NAME=VALUE", or with "@TIME" if it may have one. Sorted by time; those of equal time in the
// order given.
static bool add_setting(const char *text, bool has_times, view_settings *settings)
{
    const char *const equals = strchr(text, '=');
    view_setting setting = {.time = 0};
    double value = 0;
    if (equals == NULL || equals == text)
        return false;
    const char *end = common_take_number(equals + 1, -FLT_MAX, FLT_MAX, &value);
    if (end != NULL && has_times && *end == '@')
        end = common_take_number(end + 1, -DBL_MAX, DBL_MAX, &setting.time);
    if (end == NULL || *end != '\0')
        return false;
    setting.value = (float)value;
    setting.parameter = common_format("%.*s", (int)(equals - text), text);
    view_setting *last = COMMON_MORE(settings->rows, settings->count);
    for (; last > settings->rows && last[-1].time > setting.time; last--)
        *last = last[-1];
    *last = setting;
    return true;
}

void view_copy_settings(view_settings *settings, const view_settings *from)
{
    COMMON_EACH (row, settings->rows, settings->count)
        free(row->parameter);
    free(settings->rows);
    *settings = (view_settings){.count = 0};
    for (size_t i = 0; from != NULL && i < from->count; i++) {
        view_setting *const row = COMMON_MORE(settings->rows, settings->count);
        *row = from->rows[i];
        row->parameter = common_copy(row->parameter);
    }
}

static common_option row_of(const view_option *o)
{
    return (common_option){o->name, o->value, o->kind, o->place, o->low, o->high};
}

static void *field_of(const view_option *option, const view_options *options)
{
    return (unsigned char *)(uintptr_t)options + option->place;
}

// Where it is noted that the option was given; NULL: nowhere.
static bool *given_of(const view_option *option, const view_options *options)
{
    return option->given > 0 ? (bool *)((unsigned char *)(uintptr_t)options + option->given) : NULL;
}

bool view_is_repeated(const view_option *option)
{
    return option->kind == COMMON_TEXTS || option->kind > VIEW_OPTION_LIGHTS;
}

// Whether fields of its kind point to the texts.
static bool is_text(const view_option *option)
{
    return option->kind >= COMMON_TEXT && option->kind < COMMON_NUM_KINDS;
}

// Sets it, or adds one value.
static bool read_one(const view_option *option, const char *text, view_options *options)
{
    const common_option row = row_of(option);
    double number;
    char *end = NULL;
    options->names_content =
        options->names_content || option->scope == VIEW_SCOPE_FILE
        || (option->scope != VIEW_SCOPE_ANY && option->names != VIEW_NAMES_NOTHING);
    switch (option->kind) {
    case VIEW_OPTION_LIGHTS:
        return read_lights(text, &options->lights);
    case VIEW_OPTION_TIMES:
        for (const char *rest = text;;) {
            rest = common_take_number(rest, -DBL_MAX, DBL_MAX, &number);
            if (rest == NULL || (*rest != ',' && *rest != '\0'))
                return false;
            *COMMON_MORE(options->times, options->num_times) = number;
            if (*rest++ == '\0')
                return true;
        }
    case VIEW_OPTION_SETTING:
    case VIEW_OPTION_WEIGHT:
        return add_setting(text, option->kind == VIEW_OPTION_SETTING, field_of(option, options));
    case VIEW_OPTION_PARM: {
        const unsigned long parm = strtoul(text, &end, 10);
        if (*text < '0' || *text > '9' || parm >= VIEW_NUM_PARMS || *end != '=')
            return false;
        const char *const rest = common_take_number(end + 1, -FLT_MAX, FLT_MAX, &number);
        if (rest == NULL || *rest != '\0')
            return false;
        view_set_parm(&options->parms, VIEW_FIRST_PARM + (int)parm, (float)number, 0);
        return true;
    }
    default:
        return common_read_value(&row, text, options);
    }
}

bool view_read_option(const view_option *option, const char *text, view_options *options)
{
    bool *const given = given_of(option, options);
    if (text == NULL && (option->value != NULL || option->kind >= VIEW_OPTION_LIGHTS))
        return false;
    if (given != NULL)
        *given = true;
    if (text == NULL)
        return read_one(option, NULL, options);
    if (is_text(option) && options->own == NULL)
        options->own = common_alloc(NUM_OPTIONS, sizeof *options->own);
    common_list *const texts = is_text(option) ? &options->own[option - table] : NULL;
    const bool has_lines = view_is_repeated(option) && strchr(text, '\n') != NULL;
    bool is_read = true;
    do {
        const size_t length = strcspn(text, has_lines ? "\n" : "");
        char *const line = common_format("%.*s", (int)length, text);
        is_read = (!has_lines || text[length] == '\n') && read_one(option, line, options);
        text += length + has_lines;
        if (texts != NULL)
            common_add(texts, line);
        else
            free(line);
    } while (is_read && has_lines && *text != '\0');
    if (texts != NULL && !view_is_repeated(option) && texts->count > 1) { // in place of the first
        free(texts->names[0]);
        texts->names[0] = texts->names[--texts->count];
    }
    return is_read;
}

char *view_write_option(const view_option *option, const view_options *options)
{
    const common_option row = row_of(option);
    const void *const field = field_of(option, options);
    const bool *const given = given_of(option, options);
    const common_texts *const texts = field;
    const view_settings *const settings = field;
    char lights[LIGHTS_TEXT], *text;
    if ((given != NULL && !*given)
        || (option->kind == COMMON_RANGE && options->range_last <= options->range_first))
        return NULL;
    if (option->kind < COMMON_TEXT)
        return common_write_value(&row, options);
    if (option->kind < COMMON_TEXTS)
        return common_copy(*(const char *const *)field);
    text = common_copy("");
    switch (option->kind) {
    case COMMON_TEXTS:
        COMMON_FOR (i, texts->count)
            common_extend(&text, "%s\n", texts->names[i]);
        break;
    case VIEW_OPTION_LIGHTS:
        write_lights(&options->lights, lights, sizeof lights);
        common_extend(&text, "%s", lights);
        break;
    case VIEW_OPTION_TIMES:
        COMMON_FOR (i, options->num_times)
            common_extend(&text, "%.17g\n", options->times[i]);
        break;
    case VIEW_OPTION_PARM:
        COMMON_FOR (i, VIEW_NUM_PARMS)
            if (options->parms.values[i] != view_parm_ranges[VIEW_FIRST_PARM + i].usual)
                common_extend(&text, "%d=%.9g\n", i, options->parms.values[i]);
        break;
    default: // settings, weights
        COMMON_EACH (s, settings->rows, settings->count)
            common_extend(&text, s->time != 0 ? "%s=%.9g@%.17g\n" : "%s=%.9g\n", s->parameter,
                          s->value, s->time);
    }
    if (text[0] != '\0')
        return text;
    free(text);
    return NULL;
}

const char *view_file_in(const view_option *option, const char *value)
{
    const bool is_pair = option->kind == COMMON_PAIR_TEXT || view_is_texture(option);
    const char *const equals = is_pair ? strchr(value, '=') : NULL;
    const bool is_file = option->names >= VIEW_NAMES_MODEL && option->names <= VIEW_NAMES_PICTURE;
    return !is_file ? NULL : equals != NULL ? equals + 1 : value;
}

bool view_set_text(const view_option *option, const char *text, view_options *options)
{
    view_reset_option(option, options);
    return text == NULL || view_read_option(option, text, options);
}

// What they are without a command line, in a window or, where something is written to a file, not.
// It points to no memory.
static view_options usual_options(bool is_in_window)
{
    // What an entity begins with says nothing. Time is a minute ahead: parm 4 is minus the time at
    // which a gun fired last, so that at time 0 all would fire. After a minute no glow is left, and
    // what repeats any number of times a minute is as at time 0.
    view_options usual = {
        .width = 1280,
        .height = 720,
        .samples = 4,
        .onion = {.step = 3},
        .parms = {.ahead = view_parm_ranges[VIEW_PARM_TIME].usual},
        .speed = 1,
        .lights = view_usual_lights(),
        .level = VIEW_INFO,
    };
    COMMON_FOR (i, VIEW_NUM_PARMS)
        usual.parms.values[i] = view_parm_ranges[VIEW_FIRST_PARM + i].usual;
    COMMON_EACH (o, table, NUM_OPTIONS)
        if (o->word != NULL)
            *view_switch_field(o, &usual.shown) =
                (o->usual == VIEW_USUALLY_YES
                 || (o->usual == VIEW_USUALLY_IN_WINDOW && is_in_window))
                != (o->kind == COMMON_OPPOSITE);
    return usual;
}

char *view_write_usual(const view_option *option)
{
    const view_options usual = usual_options(true);
    return view_write_option(option, &usual);
}

void view_reset_option(const view_option *option, view_options *options)
{
    void *const field = field_of(option, options);
    bool *const given = given_of(option, options);
    const view_options usual = usual_options(true);
    if (given != NULL)
        *given = false;
    if (options->own != NULL)
        common_free_list(&options->own[option - table]);
    switch (option->kind) {
    case COMMON_TEXTS:
        free(((common_texts *)field)->names);
        *(common_texts *)field = (common_texts){.count = 0};
        break;
    case VIEW_OPTION_LIGHTS:
        options->lights = usual.lights;
        break;
    case VIEW_OPTION_TIMES:
        free(options->times);
        options->times = NULL;
        options->num_times = 0;
        break;
    case VIEW_OPTION_PARM:
        options->parms = usual.parms;
        break;
    case VIEW_OPTION_SETTING:
    case VIEW_OPTION_WEIGHT:
        view_copy_settings(field, NULL);
        break;
    default:
        memcpy(field, field_of(option, &usual), common_value_size(option->kind));
    }
}

// == Settings =====================================================================================

char *view_write_settings(const view_options *options, const view_options *usual, view_scope least,
                          view_scope most)
{
    const view_options none = usual_options(true);
    char *lines = common_copy("");
    COMMON_EACH (o, table, NUM_OPTIONS) {
        const bool is_asked = o->scope >= least && o->scope <= most;
        char *const text = is_asked ? view_write_option(o, options) : NULL;
        char *const other = is_asked ? view_write_option(o, usual != NULL ? usual : &none) : NULL;
        const char *value = text != NULL && (other == NULL || strcmp(text, other) != 0) ? text : "";
        for (size_t length; *value != '\0'; value += length + (value[length] != '\0')) {
            length = strcspn(value, "\n");
            common_extend(&lines, "--%s=%.*s\n", o->name, (int)length, value);
        }
        free(other);
        free(text);
    }
    return lines;
}

const view_option *view_next_setting(const char **lines, char **value)
{
    while (**lines != '\0') {
        const char *const line = *lines, *const equals = strchr(line, '=');
        const size_t length = strcspn(line, "\n");
        *lines += length + (line[length] != '\0');
        const view_option *const option =
            strncmp(line, "--", 2) == 0 && equals != NULL && equals < line + length
                ? view_find_option(line + 2, (size_t)(equals - line) - 2)
                : NULL;
        if (option == NULL)
            continue;
        *value = common_format("%.*s", (int)(line + length - equals) - 1, equals + 1);
        return option;
    }
    return NULL;
}

void view_take_settings(view_options *options, const char *lines, view_scope least, view_scope most)
{
    char *value;
    COMMON_FOR (i, NUM_OPTIONS)
        if (table[i].scope >= least && table[i].scope <= most)
            view_reset_option(&table[i], options);
    for (const view_option *o; (o = view_next_setting(&lines, &value)) != NULL; free(value))
        if (o->scope >= least && o->scope <= most && !view_read_option(o, value, options))
            view_reset_option(o, options);
}

// == The command line =============================================================================

static bool unknown_option(const char *argument, const view_option *nearest, char *problem,
                           size_t size)
{
    if (nearest != NULL)
        snprintf(problem, size, "no option %s; did you mean --%s? (--help lists all)", argument,
                 nearest->name);
    else
        snprintf(problem, size, "no option %s (--help lists all)", argument);
    return false;
}

// Reads the option at arguments[*i], advances to its value, and marks its row as given.
static bool read_option(int count, char **arguments, int *i, view_options *options, bool *given,
                        char *problem, size_t size)
{
    const char *const argument = arguments[*i];
    if (strcmp(argument, "-h") == 0 || strcmp(argument, "-?") == 0) {
        options->help = true;
        return true;
    }
    if (argument[1] != '-')
        return unknown_option(argument, NULL, problem, size);

    const char *const name = argument + 2, *equals = strchr(name, '=');
    const size_t length = equals != NULL ? (size_t)(equals - name) : strlen(name);
    const view_option *const found = view_find_option(name, length);
    if (found == NULL)
        return unknown_option(argument, find_nearest(name, length), problem, size);

    const char *value = equals != NULL ? equals + 1 : NULL;
    if (value == NULL && found->value != NULL && *i + 1 < count)
        value = arguments[++*i];
    given[found - table] = true;
    const common_option row = row_of(found);
    const bool is_read = view_read_option(found, value, options);
    if (!is_read)
        common_explain_value(&row, value, problem, size);
    return is_read;
}

static bool is_movie(const char *path)
{
    static const char *const endings[] = {".apng", ".gif", ".mp4", ".webm"};
    COMMON_FOR (i, COMMON_LENGTH(endings))
        if (common_has_ending(path, endings[i]))
            return true;
    return false;
}

// Of the other options only few say something about a thumbnail.
static bool contradicts_thumbnail(const bool *given, const view_options *o, char *problem,
                                  size_t size)
{
    static const char allowed[] = " output thumbnail resolution samples skin animation-time "
                                  "verbose config no-config no-auto no-background ";
    char name[64];
    if (o->output == NULL || o->num_times > 1) {
        snprintf(problem, size, "--thumbnail needs --output, and is one picture");
        return true;
    }
    COMMON_FOR (i, NUM_OPTIONS) {
        COMMON_TEXT(name, " %s ", table[i].name);
        if (!given[i] || strstr(allowed, name) != NULL)
            continue;
        snprintf(problem, size, "--thumbnail is one picture of files alone, without --%s",
                 table[i].name);
        return true;
    }
    return false;
}

const char *view_lacks(const view_option *option, const view_options *o)
{
    bool has_camera = o->game != NULL;
    COMMON_FOR (i, o->num_files)
        has_camera |= common_has_ending(o->files[i], ".md5camera");
    const struct {
        const char *names;
        bool is_there;
        const char *what;
    } rows[] = {
        {" crowd-exact crowd-reduced crowd-baked crowd-impostors no-crowd-levels ", o->crowd > 0,
         "--crowd"},
        {" onion-step ", o->onion.count > 0, "--onion"},
        {" retarget-map retarget-pairs retarget-place ", o->retarget != NULL, "--retarget"},
        {" no-environment environment-background ", o->environment != NULL, "--environment"},
        {" camera-path camera-smoothing ", has_camera, "a camera path (.md5camera)"},
        {" watch record-as no-auto-quality reduced-motion open-last mute ", false, "a window"},
    };
    char name[64];
    COMMON_TEXT(name, " %s ", option->name);
    COMMON_FOR (i, COMMON_LENGTH(rows))
        if (!rows[i].is_there && strstr(rows[i].names, name) != NULL)
            return rows[i].what;
    return NULL;
}

static const char *find_contradiction(const view_options *o)
{
    size_t num_camera_paths = 0;
    COMMON_FOR (i, o->num_files)
        num_camera_paths += common_has_ending(o->files[i], ".md5camera");
    if (o->game != NULL && (o->num_files > 1 || o->crowd > 0))
        return "--game takes one name, and no --crowd";
    if (o->bases.count > 0 && o->game == NULL)
        return "--base needs --game, or one folder";
    if ((o->page != NULL || o->game_demo)
        && (o->num_files + o->num_folders > 0 || o->game != NULL || o->crowd > 0
            || (o->page != NULL && o->game_demo)))
        return "--page and --game-demo show a model of their own, without files, --game and "
               "--crowd";
    if (o->wear.count > 0 && (o->game != NULL || o->crowd > 0))
        return "--wear is for a model of files: names in --game and a --crowd wear nothing";
    if (num_camera_paths > 1)
        return "only one camera path (.md5camera) can be shown";
    if ((o->output != NULL) + o->verify + o->no_render > 1
        || (o->num_frames > 0 && (o->verify || o->no_render)))
        return "only one of --output, --frames, --verify and --no-render can be given";
    const bool has_sheet = o->sheet_columns > 0;
    if (o->thumbnail > 0)
        return NULL;
    if (o->output == NULL)
        return has_sheet || o->turntable || o->all_clips || o->labels
                   ? "--sheet, --turntable, --clips and --labels need --output"
                   : NULL;
    const bool is_stdout = strcmp(o->output, "-") == 0;
    if (!is_stdout && !common_has_ending(o->output, ".png") && !is_movie(o->output))
        return "--output writes PNG to FILE.png, or to standard output if it is -; movies end in "
               ".apng, .gif, .mp4 or .webm";
    if (o->postcard != NULL && !is_movie(o->output))
        return "--postcard is a movie: FILE.apng, or FILE.gif";
    if (o->num_folders > 0
        && (has_sheet || o->turntable || o->all_clips || o->num_frames > 0 || o->num_times > 0
            || is_movie(o->output)))
        return "a folder becomes one picture of its models, FILE.png, without --sheet, "
               "--turntable, --clips, --frames and times";
    if (has_sheet && (is_movie(o->output) || o->num_frames > 0))
        return "--sheet writes one picture, FILE.png; it cannot be used with --frames";
    if (is_stdout && (o->num_times > 1 || o->num_frames > 1 || (o->turntable && !has_sheet)))
        return "--output - writes one picture; give one --animation-time";
    if (o->all_clips && !has_sheet && strstr(o->output, "{anim}") == NULL)
        return "--clips all writes a file for each clip; give --output a name with {anim}";
    if (has_sheet && (o->sheet_columns > o->width || o->sheet_rows > o->height))
        return "--sheet has more pictures than --resolution has pixels";
    return NULL;
}

bool view_shows_window(const view_options *options)
{
    return options->output == NULL && options->num_frames == 0 && !options->verify
           && !options->no_render;
}

bool view_is_listed(const char *path)
{
    char *const script = common_join(path, "md5.cfg");
    const bool is_model = common_is_file(script);
    free(script);
    return common_holds_files(path) && !is_model;
}

bool view_read_options(int count, char **arguments, view_options *options, char *problem,
                       size_t problem_size)
{
    *options = usual_options(true);
    options->files = common_alloc((size_t)count + 1, sizeof *options->files);
    options->folders = common_alloc((size_t)count + 1, sizeof *options->folders);

    bool *const given = options->said = common_alloc(NUM_OPTIONS, sizeof *given);
    bool only_files = false, is_read = true; // only_files: after "--"
    for (int i = 0; i < count && is_read; i++) {
        const char *const argument = arguments[i];
        if (!only_files && strcmp(argument, "--") == 0)
            only_files = true;
        else if (!only_files && argument[0] == '-' && argument[1] != '\0')
            is_read = read_option(count, arguments, &i, options, given, problem, problem_size);
        else if (view_is_listed(argument))
            options->folders[options->num_folders++] = argument;
        else
            options->files[options->num_files++] = argument;
    }
    bool is_wrong = is_read && options->thumbnail > 0
                    && contradicts_thumbnail(given, options, problem, problem_size);

    // With --base, a folder alone is the mod. In a game, names that folders here have by chance are
    // names like all others.
    if (options->bases.count > 0 && options->game == NULL && options->num_folders == 1) {
        options->game = options->folders[0];
        options->num_folders = 0;
    }
    for (size_t i = 0; i < options->num_folders && options->game != NULL; i++)
        options->files[options->num_files++] = options->folders[i];
    if (options->game != NULL)
        options->num_folders = 0;

    // All models but the first are worn.
    const size_t num_files = options->num_files;
    bool has_model = false;
    options->num_files = 0;
    COMMON_FOR (i, num_files) {
        const char *const file = options->files[i];
        const bool is_model =
            !common_has_ending(file, ".md5anim") && !common_has_ending(file, ".md5camera");
        if (is_model && has_model && options->crowd == 0 && options->game == NULL)
            *COMMON_MORE(options->wear.names, options->wear.count) = file;
        else
            options->files[options->num_files++] = file;
        has_model |= is_model;
    }

    if (options->postcard != NULL) { // a movie like others
        options->output = options->postcard;
        options->frame_rate = 10;
        options->num_frames = 60;
        const bool is_gif = common_has_ending(options->postcard, ".gif"); // packs it better
        options->width = is_gif ? 320 : 192;
        options->height = is_gif ? 240 : 144;
    }

    for (size_t i = 0; i < NUM_OPTIONS && is_read && !view_shows_window(options); i++) {
        const char *const what = given[i] ? view_lacks(&table[i], options) : NULL;
        if (what != NULL && !is_wrong)
            snprintf(problem, problem_size, "--%s has no effect without %s", table[i].name, what);
        is_wrong |= what != NULL;
    }

    options->names_content = options->names_content || options->game_demo;

    // Panels in a picture are asked for.
    for (size_t i = 0; i < NUM_OPTIONS && options->output != NULL; i++)
        if (table[i].usual == VIEW_USUALLY_IN_WINDOW && !given[i])
            *view_switch_field(&table[i], &options->shown) = false;

    if (!is_read || is_wrong)
        return false;
    const char *const contradiction = find_contradiction(options);
    if (contradiction != NULL)
        snprintf(problem, problem_size, "%s", contradiction);
    return contradiction == NULL;
}

void view_free_options(view_options *options)
{
    COMMON_EACH (o, table, NUM_OPTIONS)
        view_reset_option(o, options);
    free(options->own);
    free(options->said);
    free(options->files);
    free(options->folders);
    *options = (view_options){0};
}

char *view_join_words(const char *program, const common_list *words)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                "_-+=.,:/@%";
    char *line = common_copy(program);
    COMMON_FOR (i, words->count) {
        const char *const word = words->names[i];
        const bool is_plain = word[0] != '\0' && word[strspn(word, plain)] == '\0';
        char *const quoted = common_alloc(4 * strlen(word) + 3, 1), *end = quoted;
        for (const char *c = word; *c != '\0'; c++) {
            const bool is_quote = *c == '\'';
            memcpy(end, is_quote ? "'\\''" : c, is_quote ? 4 : 1);
            end += is_quote ? 4 : 1;
        }
        common_extend(&line, is_plain ? " %s" : " '%s'", quoted);
        free(quoted);
    }
    return line;
}
