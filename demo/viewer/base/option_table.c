#include "demo/viewer/base/option_table.h"

#include "demo/viewer/base/options.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <SDL.h>

#define INTO(what) .kind = VIEW_OPTION_##what
#define AT(what, field) INTO(what), .place = offsetof(view_options, field)
#define GIVEN(field) .given = offsetof(view_options, field)
#define RANGE(least, most) .low = (least), .high = (most)
#define NAMES_CONTENT .names_content = true
#define REMEMBERED .memory = VIEW_REMEMBERED
#define KEPT .memory = VIEW_KEPT

// Of switches.
#define SHOWN(what, field, its_word) AT(what, shown.field), .word = (its_word)
#define USUALLY(when) .usual = VIEW_USUALLY_##when
#define KEYS(...) .keys = {__VA_ARGS__}
#define KEY(words, key)                \
    {                                  \
        .keys = (words), .code = (key) \
    }
#define SHIFT(words, key)                             \
    {                                                 \
        .keys = (words), .code = (key), .shift = true \
    }
#define KEY_IN(where, words, key)                        \
    {                                                    \
        .keys = (words), .code = (key), .modes = (where) \
    }
#define SHIFT_IN(where, words, key)                                     \
    {                                                                   \
        .keys = (words), .code = (key), .shift = true, .modes = (where) \
    }

static const view_option table[] = {
    {"output", "FILE", "Pictures without a window",
     "draw to a PNG file and exit; - is standard output;\n"
     "in the name {model} {anim} {frame:04} {n} are replaced;\n"
     ".apng, and with ffmpeg .gif, .mp4, .webm hold many pictures",
     AT(TEXT, output)},
    {"sheet", "COLSxROWS", NULL, "a clip's cycle side by side in one picture",
     AT(GRID, sheet_columns), RANGE(1, 64)},
    {"turntable", NULL, NULL, "once around the model, over all pictures", AT(SWITCH, turntable)},
    {"resolution", "W,H", NULL, "size in pixels, each 1 to 16384 (1280,720)", AT(GRID, width),
     RANGE(1, VIEW_MAX_PICTURE_SIDE), REMEMBERED},
    {"samples", "N", NULL, "samples a pixel, against jagged edges (4)", AT(COUNT, samples),
     RANGE(1, 64), KEPT},
    {"no-background", NULL, NULL, "transparent", AT(SWITCH, no_background)},
    {"background-color", "COLOR", NULL, "#rrggbb, or R,G,B from 0 to 1", AT(COLOR, background),
     GIVEN(background_given), KEPT},

    {"texture", "[MESH=]FILE", "Model",
     "texture of a mesh (name or number), or of all;\n"
     "otherwise found by the shader's name",
     INTO(TEXTURE), .map = VIEW_MAP_DIFFUSE, NAMES_CONTENT},
    {"normal-map", "[MESH=]FILE", NULL,
     "likewise; otherwise found beside the texture: NAME_local,\n"
     "and NAME_h for heights",
     INTO(TEXTURE), .map = VIEW_MAP_NORMALS, NAMES_CONTENT},
    {"specular-map", "[MESH=]FILE", NULL, "colour of highlights: NAME_s", INTO(TEXTURE),
     .map = VIEW_MAP_SPECULAR, NAMES_CONTENT},
    {"glow-map", "[MESH=]FILE", NULL, "light of its own: NAME_add, NAME_glow", INTO(TEXTURE),
     .map = VIEW_MAP_GLOW, NAMES_CONTENT},
    {"no-maps", NULL, NULL, "none of these but the texture", SHOWN(OPPOSITE, maps, "maps"),
     REMEMBERED, .key_help = "normals, gloss and glow of the textures",
     KEYS(SHIFT("Shift+T", SDLK_t))},
    {"two-sided", NULL, NULL, "back faces too; otherwise of textures with holes",
     SHOWN(SWITCH, two_sided, "two-sided"), REMEMBERED},
    {"set", "NAME=VALUE[@TIME]", NULL,
     "parameter of a machine, from that second on;\nmay be given again", INTO(SETTING),
     NAMES_CONTENT},
    {"morph", "NAME=WEIGHT", NULL,
     "target of that name in the folder morphs beside the\n"
     "model, 0 to 1 and beyond; may be given again",
     INTO(WEIGHT), NAMES_CONTENT},
    {"retarget", "MODEL", NULL, "another body beside it, in the same pose", AT(TEXT, retarget),
     NAMES_CONTENT},
    {"attach", "JOINT=MODEL", NULL, "a thing that a joint holds", AT(PAIR_TEXT, attach),
     NAMES_CONTENT},
    {"steps", NULL, NULL, "uneven ground, on which feet are placed", AT(SWITCH, steps)},
    {"walk", NULL, NULL,
     "legs walk by rules instead of clips, over that ground too;\n"
     "W A S D and Shift drive them",
     AT(SWITCH, walk)},
    {"crowd", "N", NULL,
     "N characters, each in its own time, of as many models as\n"
     "are named; one without animations takes the first's",
     AT(COUNT, crowd), RANGE(1, 100000), NAMES_CONTENT},
    {"crowd-exact", NULL, NULL, "pose all of them for every frame, seen or not",
     AT(SWITCH, crowd_exact)},
    {"crowd-impostors", "PIXELS", NULL,
     "those of a crowd that are no larger and play clips are\n"
     "pictures of themselves (0 = none; 64 from 5000 on)",
     AT(COUNT, crowd_impostors), RANGE(0, 1000), GIVEN(crowd_impostors_given)},
    {"animate", "cpu|gpu", NULL,
     "who poses those of a crowd that play clips (cpu);\n"
     "gpu needs OpenGL 4.3",
     AT(EITHER, animates_on_gpu)},
    {"no-auto", NULL, NULL, "do not pick up animations beside the model", AT(SWITCH, no_auto)},
    {"path", "auto|4|8|exact|cpu|compute|storage", NULL,
     "how vertices are skinned (per mesh: the first without\n"
     "loss of 4, 8, exact)",
     AT(CHOICE, path)},
    {"skinning", "linear|dual", NULL,
     "how joints are brought together: as the format says, or by\n"
     "dual quaternions, which keep the volume of what twists",
     AT(EITHER, dual), REMEMBERED},
    {"watch", NULL, NULL, "reload when a file that is shown changes, textures included",
     AT(SWITCH, watch)},

    {"animation-index", "N", "Animation", "clip to begin with, from 0", AT(COUNT, animation_index),
     RANGE(0, 1000000), GIVEN(animation_index_given), NAMES_CONTENT},
    {"animation-time", "S[,S...]", NULL,
     "seconds; several give several pictures,\n"
     "numbered unless the name has {n}, {frame} or {time}",
     INTO(TIMES)},
    {"animation-speed-factor", "F", NULL, "1 = as authored, negative = backward", AT(NUMBER, speed),
     RANGE(-1000, 1000)},
    {"loop", "loop|cycle|once", NULL, "last frame = first (loop), blends into it (cycle)",
     AT(CHOICE, wrap), REMEMBERED},
    {"root", "file|id|in_place", NULL, "translation of the first joint", AT(CHOICE, root),
     REMEMBERED},

    {"light", "studio|classic", "Light", "physically based, or as id's engine of 2004",
     SHOWN(EITHER, classic, "light"), REMEMBERED,
     .key_help = "studio light, light as in the original", KEYS(KEY("K", SDLK_k))},
    {"no-shadow", NULL, NULL, "without shadows", SHOWN(OPPOSITE, shadows, "shadows"), REMEMBERED,
     .key_help = "shadows", KEYS(SHIFT("Shift+K", SDLK_k))},
    {"lamp", "NAME=VALUE[,...]", NULL,
     "key, sky, fill, rim: brightness from 0 to 3 (1);\n"
     "around, height: degrees that the key light is moved (0)",
     AT(LAMPS, lamps), REMEMBERED},

    {"camera-azimuth-angle", "DEG", "Camera", "0 = in front, 90 = at the model's left",
     AT(FLOAT, azimuth), RANGE(-1e6, 1e6), GIVEN(azimuth_given)},
    {"camera-elevation-angle", "DEG", NULL, "0 = level, 90 = from above", AT(FLOAT, elevation),
     RANGE(-90, 90), GIVEN(elevation_given)},
    {"camera-distance", "UNITS", NULL, "from the middle of the model", AT(FLOAT, distance),
     RANGE(1e-6, 1e9), GIVEN(distance_given)},
    {"camera-orthographic", NULL, NULL, "parallel instead of perspective", AT(SWITCH, orthographic),
     GIVEN(orthographic_given)},
    {"camera-path", NULL, NULL, "see the way of a flight instead of flying",
     AT(SWITCH, camera_path)},

    {"grid", NULL, "What is drawn (each may be given as NAME=no)", "ground grid",
     SHOWN(SWITCH, grid, "grid"), USUALLY(WITH_BACKGROUND), REMEMBERED, KEYS(KEY("G", SDLK_g))},
    {"axis", NULL, NULL, "axes at the origin: x red, y green, z blue", SHOWN(SWITCH, axes, "axes"),
     REMEMBERED, .key_help = "axes", KEYS(KEY("X", SDLK_x))},
    {"edges", NULL, NULL, "triangle edges", SHOWN(SWITCH, edges, "edges"), REMEMBERED,
     KEYS(KEY("E", SDLK_e))},
    {"armature", NULL, NULL, "skeleton", SHOWN(SWITCH, skeleton, "skeleton"), REMEMBERED,
     KEYS(KEY_IN(VIEW_IN_CLIPS, "Shift+A or J", SDLK_j), SHIFT_IN(VIEW_IN_CLIPS, NULL, SDLK_a),
          KEY_IN(VIEW_IN_MACHINE, "J", SDLK_j))},
    {"normal-glyphs", NULL, NULL, "vertex normals", SHOWN(SWITCH, normals, "normals"), REMEMBERED,
     .key_help = "normals", KEYS(KEY_IN(VIEW_IN_CLIPS | VIEW_IN_MACHINE, "N", SDLK_n))},
    {"bounds", NULL, NULL, "bounds of the vertices, and the bounds in the file",
     SHOWN(SWITCH, bounds, "bounds"), REMEMBERED, .key_help = "bounds",
     KEYS(KEY_IN(VIEW_IN_CLIPS | VIEW_IN_MACHINE, "B", SDLK_b))},
    {"bounds-of-joints", NULL, NULL, "box of the vertices that each joint moves",
     SHOWN(SWITCH, joint_bounds, "joint-bounds"), REMEMBERED, .key_help = "bounds of the joints",
     KEYS(SHIFT_IN(VIEW_IN_CLIPS | VIEW_IN_MACHINE, "Shift+B", SDLK_b))},
    {"checkerboard", NULL, NULL, "a checker in place of the textures",
     SHOWN(SWITCH, checker, "checker"), REMEMBERED, .key_help = "checker on everything",
     KEYS(KEY("C", SDLK_c))},
    {"untextured", NULL, NULL, "plain grey in place of the textures",
     SHOWN(SWITCH, untextured, "untextured"), REMEMBERED, .key_help = "textures, plain grey",
     KEYS(KEY("T", SDLK_t))},
    {"panel", NULL, NULL, "text over the picture", SHOWN(SWITCH, panel, "panel"),
     USUALLY(IN_WINDOW), REMEMBERED, .key_help = "all text", KEYS(KEY("Tab", SDLK_TAB))},
    {"statistics", NULL, NULL, "more of it: meshes, memory, device",
     SHOWN(SWITCH, statistics, "statistics"), REMEMBERED, .key_help = "statistics",
     KEYS(KEY("M", SDLK_m))},
    {"frame-time", NULL, NULL, "time that a frame takes", SHOWN(SWITCH, frame_time, "frame-time"),
     USUALLY(IN_WINDOW), REMEMBERED, .key_help = "frame time", KEYS(KEY("Z", SDLK_z))},
    {"hierarchy", NULL, NULL, "list of joints", SHOWN(SWITCH, hierarchy, "hierarchy"), REMEMBERED,
     KEYS(SHIFT("Shift+H", SDLK_h))},
    {"lamps", NULL, NULL, "list of lights", SHOWN(SWITCH, lamps, "lamps"), REMEMBERED,
     .key_help = "lights as sliders", KEYS(SHIFT("Shift+L", SDLK_l))},
    {"joint", "NAME", NULL, "a joint, and as heat what it moves", AT(TEXT, joint), NAMES_CONTENT},
    {"page", "NAME", NULL,
     "a technique on one of our characters, with its lines of C\n"
     "and sliders; contents shows all, list prints their names",
     AT(TEXT, page), NAMES_CONTENT},
    {"keys", NULL, NULL, "list of keys", SHOWN(SWITCH, help, "help"), .key_help = "these keys",
     KEYS(KEY("H or F1", SDLK_h), KEY(NULL, SDLK_F1))},
    {"ui-scale", "F", NULL, "size of the text (1, or as the screen asks for)", AT(FLOAT, ui_scale),
     RANGE(0.5, 8), REMEMBERED},

    {"config", "FILE", "Remembering",
     "where a window keeps its size, switches, camera and files;\n"
     "otherwise md5view/config in the user's folder for that",
     AT(TEXT, config)},
    {"no-config", NULL, NULL, "remember nothing, and begin as if nothing were",
     AT(SWITCH, no_config)},

    {"frames", "N", "Checks",
     "draw N frames, print how long they took, exit;\n"
     "with --output: so many pictures, 24 or --frame-rate a second",
     AT(COUNT, num_frames), RANGE(1, VIEW_MAX_FRAMES)},
    {"frame-rate", "F", NULL, "frames a second: the window's limit, the step of --frames",
     AT(NUMBER, frame_rate), RANGE(1e-9, 1e9), KEPT},
    {"verify", NULL, NULL, "compare GPU skinning with the exact sums on the CPU, exit",
     AT(SWITCH, verify)},
    {"no-render", NULL, NULL, "load, tell what is there, exit", AT(SWITCH, no_render)},

    {"list-bindings", NULL, "Help", "print the keys and the mouse", AT(SWITCH, list_bindings)},
    {"verbose", "quiet|error|warning|info|debug", NULL, "how much is printed (info)",
     AT(CHOICE, level)},
    {"completions", "bash|zsh|fish", NULL, "print what makes a shell complete these options",
     AT(CHOICE, completions), GIVEN(completions_given)},
    {"man", NULL, NULL, "print the manual page, for man -l -", AT(SWITCH, manual)},
    {"help", NULL, NULL, "this", AT(SWITCH, help)},
    {"version", NULL, NULL, "version", AT(SWITCH, version)},
};
enum { NUM_OPTIONS = sizeof table / sizeof table[0] };

// The edit distance of two names: insertions, deletions and exchanges.
static size_t name_distance(const char *a, size_t length, const char *b)
{
    size_t row[64];
    const size_t width = strlen(b);
    if (width + 1 > sizeof row / sizeof row[0])
        return SIZE_MAX;
    for (size_t j = 0; j <= width; j++)
        row[j] = j;
    for (size_t i = 1; i <= length; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= width; j++) {
            const size_t exchange = diagonal + (a[i - 1] != b[j - 1]);
            const size_t other = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            diagonal = row[j];
            row[j] = exchange < other ? exchange : other;
        }
    }
    return row[width];
}

const view_option *view_options_table(size_t *count)
{
    *count = NUM_OPTIONS;
    return table;
}

const view_option *view_find_option(const char *name, size_t length, const view_option **nearest)
{
    size_t least = SIZE_MAX;
    for (int i = 0; i < NUM_OPTIONS; i++) {
        const view_option *const o = &table[i];
        if (strlen(o->name) == length && strncmp(o->name, name, length) == 0)
            return o;
        const size_t distance = name_distance(name, length, o->name);
        if (distance < least) {
            least = distance;
            *nearest = o;
        }
    }
    if (least > (length + 2) / 4) // no likeness, no guess
        *nearest = NULL;
    return NULL;
}

bool *view_switch_field(const view_option *option, view_shown *shown)
{
    return (bool *)((unsigned char *)shown + (option->place - offsetof(view_options, shown)));
}

void view_write_switches(const view_shown *shown, char *text, size_t size)
{
    view_shown copy = *shown;
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < NUM_OPTIONS && used < size; i++) {
        const view_option *const o = &table[i];
        if (o->word == NULL)
            continue;
        const bool on = *view_switch_field(o, &copy);
        const char *value = on ? "1" : "0";
        if (o->kind == VIEW_OPTION_EITHER)
            value = on ? strchr(o->value, '|') + 1 : o->value;
        used += (size_t)snprintf(text + used, size - used, "%s%s=%.*s", used > 0 ? " " : "",
                                 o->word, (int)strcspn(value, "|"), value);
    }
}
