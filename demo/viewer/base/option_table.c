#include "demo/viewer/base/option_table.h"

#include "demo/viewer/base/options.h"

#include <stdint.h>
#include <string.h>

static const view_option table[] = {
    {OPTION_OUTPUT, "output", "FILE", "Pictures without a window",
     "draw to a PNG file and exit; - is standard output;\n"
     "in the name {model} {anim} {frame:04} {n} are replaced;\n"
     ".apng, and with ffmpeg .gif, .mp4, .webm hold many pictures"},
    {OPTION_SHEET, "sheet", "COLSxROWS", NULL, "a clip's cycle side by side in one picture"},
    {OPTION_TURNTABLE, "turntable", NULL, NULL, "once around the model, over all pictures"},
    {OPTION_RESOLUTION, "resolution", "W,H", NULL, "size in pixels, each 1 to 16384 (1280,720)"},
    {OPTION_SAMPLES, "samples", "N", NULL, "samples a pixel, against jagged edges (4)"},
    {OPTION_NO_BACKGROUND, "no-background", NULL, NULL, "transparent"},
    {OPTION_BACKGROUND_COLOR, "background-color", "COLOR", NULL, "#rrggbb, or R,G,B from 0 to 1"},

    {OPTION_TEXTURE, "texture", "[MESH=]FILE", "Model",
     "texture of a mesh (name or number), or of all;\n"
     "otherwise found by the shader's name"},
    {OPTION_NORMAL_MAP, "normal-map", "[MESH=]FILE", NULL,
     "likewise; otherwise found beside the texture: NAME_local,\n"
     "and NAME_h for heights"},
    {OPTION_SPECULAR_MAP, "specular-map", "[MESH=]FILE", NULL, "colour of highlights: NAME_s"},
    {OPTION_GLOW_MAP, "glow-map", "[MESH=]FILE", NULL, "light of its own: NAME_add, NAME_glow"},
    {OPTION_NO_MAPS, "no-maps", NULL, NULL, "none of these but the texture"},
    {OPTION_TWO_SIDED, "two-sided", NULL, NULL, "back faces too; otherwise of textures with holes"},
    {OPTION_SET, "set", "NAME=VALUE[@TIME]", NULL,
     "parameter of a machine, from that second on;\nmay be given again"},
    {OPTION_RETARGET, "retarget", "MODEL", NULL, "another body beside it, in the same pose"},
    {OPTION_ATTACH, "attach", "JOINT=MODEL", NULL, "a thing that a joint holds"},
    {OPTION_STEPS, "steps", NULL, NULL, "uneven ground, on which feet are placed"},
    {OPTION_CROWD, "crowd", "N", NULL,
     "N characters, each in its own time, of as many models as\n"
     "are named; one without animations takes the first's"},
    {OPTION_CROWD_EXACT, "crowd-exact", NULL, NULL,
     "pose all of them for every frame, seen or not"},
    {OPTION_ANIMATE, "animate", "cpu|gpu", NULL,
     "who poses those of a crowd that play clips (cpu);\n"
     "gpu needs OpenGL 4.3"},
    {OPTION_NO_AUTO, "no-auto", NULL, NULL, "do not pick up animations beside the model"},
    {OPTION_PATH, "path", "auto|4|8|exact|cpu|compute|storage", NULL,
     "how vertices are skinned (per mesh: the first without\n"
     "loss of 4, 8, exact)"},
    {OPTION_SKINNING, "skinning", "linear|dual", NULL,
     "how joints are brought together: as the format says, or by\n"
     "dual quaternions, which keep the volume of what twists"},
    {OPTION_WATCH, "watch", NULL, NULL, "reload when a file changes"},

    {OPTION_ANIMATION_INDEX, "animation-index", "N", "Animation", "clip to begin with, from 0"},
    {OPTION_ANIMATION_TIME, "animation-time", "S[,S...]", NULL,
     "seconds; several give several pictures,\n"
     "numbered unless the name has {n}, {frame} or {time}"},
    {OPTION_ANIMATION_SPEED, "animation-speed-factor", "F", NULL,
     "1 = as authored, negative = backward"},
    {OPTION_LOOP, "loop", "loop|cycle|once", NULL,
     "last frame = first (loop), blends into it (cycle)"},
    {OPTION_ROOT, "root", "file|id|in_place", NULL, "translation of the first joint"},

    {OPTION_LIGHT, "light", "studio|classic", "Light",
     "physically based, or as id's engine of 2004"},
    {OPTION_NO_SHADOW, "no-shadow", NULL, NULL, "without shadows"},
    {OPTION_LAMP, "lamp", "NAME=VALUE[,...]", NULL,
     "key, sky, fill, rim: brightness from 0 to 3 (1);\n"
     "around, height: degrees that the key light is moved (0)"},

    {OPTION_AZIMUTH, "camera-azimuth-angle", "DEG", "Camera",
     "0 = in front, 90 = at the model's left"},
    {OPTION_ELEVATION, "camera-elevation-angle", "DEG", NULL, "0 = level, 90 = from above"},
    {OPTION_DISTANCE, "camera-distance", "UNITS", NULL, "from the middle of the model"},
    {OPTION_ORTHOGRAPHIC, "camera-orthographic", NULL, NULL, "parallel instead of perspective"},
    {OPTION_CAMERA_PATH, "camera-path", NULL, NULL, "see the way of a flight instead of flying"},

    {OPTION_GRID, "grid", NULL, "What is drawn (each may be given as NAME=no)", "ground grid"},
    {OPTION_AXIS, "axis", NULL, NULL, "axes at the origin: x red, y green, z blue"},
    {OPTION_EDGES, "edges", NULL, NULL, "triangle edges"},
    {OPTION_ARMATURE, "armature", NULL, NULL, "skeleton"},
    {OPTION_NORMALS, "normal-glyphs", NULL, NULL, "vertex normals"},
    {OPTION_BOUNDS, "bounds", NULL, NULL, "box of the vertices, and the one the file tells"},
    {OPTION_CHECKERBOARD, "checkerboard", NULL, NULL, "a checker in place of the textures"},
    {OPTION_UNTEXTURED, "untextured", NULL, NULL, "plain grey in place of the textures"},
    {OPTION_PANEL, "panel", NULL, NULL, "text over the picture"},
    {OPTION_STATISTICS, "statistics", NULL, NULL, "more of it: meshes, memory, device"},
    {OPTION_FRAME_TIME, "frame-time", NULL, NULL, "time that a frame takes"},
    {OPTION_HIERARCHY, "hierarchy", NULL, NULL, "list of joints"},
    {OPTION_LAMPS, "lamps", NULL, NULL, "list of lights"},
    {OPTION_JOINT, "joint", "NAME", NULL, "a joint, and as heat what it moves"},
    {OPTION_KEYS, "keys", NULL, NULL, "list of keys"},
    {OPTION_UI_SCALE, "ui-scale", "F", NULL, "size of the text (1, or as the screen asks for)"},

    {OPTION_CONFIG, "config", "FILE", "Remembering",
     "where a window keeps its size, switches, camera and files;\n"
     "otherwise md5view/config in the user's folder for that"},
    {OPTION_NO_CONFIG, "no-config", NULL, NULL, "remember nothing, and begin as if nothing were"},

    {OPTION_FRAMES, "frames", "N", "Checks",
     "draw N frames, print how long they took, exit;\n"
     "with --output: so many pictures, 24 or --frame-rate a second"},
    {OPTION_FRAME_RATE, "frame-rate", "F", NULL,
     "frames a second: the window's limit, the step of --frames"},
    {OPTION_VERIFY, "verify", NULL, NULL,
     "compare GPU skinning with the exact sums on the CPU, exit"},
    {OPTION_NO_RENDER, "no-render", NULL, NULL, "load, tell what is there, exit"},

    {OPTION_LIST_BINDINGS, "list-bindings", NULL, "Help", "print the keys and the mouse"},
    {OPTION_VERBOSE, "verbose", "LEVEL", NULL, "quiet, error, warning, info or debug"},
    {OPTION_HELP, "help", NULL, NULL, "this"},
    {OPTION_VERSION, "version", NULL, NULL, "version"},
};
enum { NUM_OPTIONS = sizeof table / sizeof table[0] };

// Letters by which two names differ: insertions, deletions and exchanges.
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

void view_print_help(FILE *file)
{
    enum { COLUMN = 38 };
    fputs("md5view [OPTION...] [MODEL.md5mesh] [ANIM.md5anim...] [FLIGHT.md5camera]\n"
          "md5view [OPTION...] MACHINE.md5machine\n"
          "md5view [OPTION...] --crowd N [MODEL-or-MACHINE [ANIM.md5anim...]]...\n\n"
          "Shows a model moving. With a model alone, animations that fit and lie beside it are\n"
          "picked up; with an animation alone, its joints are shown; with nothing, our own model.\n"
          "A machine says itself what its model does when: WASD, Space and the panel drive it.\n"
          "With a flight, the picture is taken from it; of a flight alone, its way is shown.\n",
          file);
    for (int i = 0; i < NUM_OPTIONS; i++) {
        const view_option *const o = &table[i];
        if (o->heading != NULL)
            fprintf(file, "\n%s\n", o->heading);
        int used = fprintf(file, "  --%s", o->name);
        if (o->value != NULL)
            used += fprintf(file, " %s", o->value);
        if (used >= COLUMN) {
            fputc('\n', file);
            used = 0;
        }
        for (const char *line = o->help; line != NULL;) {
            const char *const end = strchr(line, '\n');
            const int length = end != NULL ? (int)(end - line) : (int)strlen(line);
            fprintf(file, "%*s%.*s\n", used < COLUMN ? COLUMN - used : 1, "", length, line);
            line = end != NULL ? end + 1 : NULL;
            used = 0;
        }
    }
    fputs("\nExit status: 0 done, 1 a file could not be shown or --verify failed, 2 bad usage,\n"
          "3 no display or no OpenGL 3.3.\n",
          file);
}
