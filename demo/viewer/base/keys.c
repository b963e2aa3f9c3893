#include "demo/viewer/base/keys.h"

#include <SDL.h>

#define GROUP(title) .heading = title
#define MOUSE .code = 0
#define KEY(key) .code = (key)
#define SHIFT(key) .code = (key), .shift = true
#define CONTROL(key) .code = (key), .control = true
#define CHARACTER(key) .code = (key), .any_shift = true

static const view_binding table[] = {
    {VIEW_PLAY, "play", "Space", "play, pause", GROUP("Animation"), KEY(SDLK_SPACE)},
    {VIEW_STEP_BACK, "step-back", "Left", "one frame back", KEY(SDLK_LEFT)},
    {VIEW_STEP_ON, "step-on", "Right", "one frame on", KEY(SDLK_RIGHT)},
    {VIEW_GO_FIRST, "first", "Shift+Left", "first frame", SHIFT(SDLK_LEFT)},
    {VIEW_GO_LAST, "last", "Shift+Right", "last frame", SHIFT(SDLK_RIGHT)},
    {VIEW_SLOWER, "slower", "[  or  -", "half the speed", CHARACTER(SDLK_LEFTBRACKET)},
    {VIEW_SLOWER, "slower", NULL, NULL, CHARACTER(SDLK_MINUS)},
    {VIEW_SLOWER, "slower", NULL, NULL, KEY(SDLK_KP_MINUS)},
    {VIEW_FASTER, "faster", "]  or  +", "double the speed", CHARACTER(SDLK_RIGHTBRACKET)},
    {VIEW_FASTER, "faster", NULL, NULL, CHARACTER(SDLK_PLUS)},
    {VIEW_FASTER, "faster", NULL, NULL, CHARACTER(SDLK_EQUALS)},
    {VIEW_FASTER, "faster", NULL, NULL, KEY(SDLK_KP_PLUS)},
    {VIEW_NORMAL_SPEED, "normal-speed", "Backspace", "speed as authored", KEY(SDLK_BACKSPACE)},
    {VIEW_REVERSE, "reverse", "R", "backward, forward", KEY(SDLK_r)},
    {VIEW_NEXT_CLIP, "next-clip", "W", "next clip", KEY(SDLK_w)},
    {VIEW_PREVIOUS_CLIP, "previous-clip", "Shift+W", "previous clip", SHIFT(SDLK_w)},
    {VIEW_CLIPS, "clips", "A", "list of clips", KEY(SDLK_a)},
    {VIEW_BIND_POSE, "bind-pose", "P", "bind pose, clip", KEY(SDLK_p)},
    {VIEW_NEXT_LOOP, "loop", "L", "loop, cycle, once", KEY(SDLK_l)},
    {VIEW_NEXT_ROOT, "root", "O", "root as stored, as id's, in place", KEY(SDLK_o)},
    {VIEW_SKINNING, "skinning", "Q", "joints blended linearly, by dual quaternions", KEY(SDLK_q)},

    {VIEW_NOTHING, "orbit", "Left drag", "turn", GROUP("Camera"), MOUSE},
    {VIEW_NOTHING, "pan", "Middle or Shift+left drag", "move", MOUSE},
    {VIEW_NOTHING, "zoom", "Wheel, right drag", "nearer, farther", MOUSE},
    {VIEW_FLIGHT, "flight", "V", "flight, own camera", KEY(SDLK_v)},
    {VIEW_FRAME_ALL, "frame-all", "Home or Enter", "see all of it", KEY(SDLK_HOME)},
    {VIEW_FRAME_ALL, "frame-all", NULL, NULL, KEY(SDLK_RETURN)},
    {VIEW_FRAME_ALL, "frame-all", NULL, NULL, KEY(SDLK_KP_ENTER)},
    {VIEW_FRONT, "front", "1", "from the front", CHARACTER(SDLK_1)},
    {VIEW_FRONT, "front", NULL, NULL, KEY(SDLK_KP_1)},
    {VIEW_RIGHT, "right", "3", "from its right", CHARACTER(SDLK_3)},
    {VIEW_RIGHT, "right", NULL, NULL, KEY(SDLK_KP_3)},
    {VIEW_TOP, "top", "7", "from above", CHARACTER(SDLK_7)},
    {VIEW_TOP, "top", NULL, NULL, KEY(SDLK_KP_7)},
    {VIEW_ISOMETRIC, "isometric", "9", "isometric", CHARACTER(SDLK_9)},
    {VIEW_ISOMETRIC, "isometric", NULL, NULL, KEY(SDLK_KP_9)},
    {VIEW_ORTHOGRAPHIC, "orthographic", "5", "parallel, perspective", CHARACTER(SDLK_5)},
    {VIEW_ORTHOGRAPHIC, "orthographic", NULL, NULL, KEY(SDLK_KP_5)},

    {VIEW_FILES, "files", "F or Ctrl+O", "list of files", GROUP("Files"), KEY(SDLK_f)},
    {VIEW_FILES, "files", NULL, NULL, CONTROL(SDLK_o)},
    {VIEW_NEXT_FILE, "next-file", "Page Down", "next file of the folder", KEY(SDLK_PAGEDOWN)},
    {VIEW_PREVIOUS_FILE, "previous-file", "Page Up", "previous file", KEY(SDLK_PAGEUP)},
    {VIEW_RELOAD, "reload", "Up", "read again", KEY(SDLK_UP)},
    {VIEW_NOTHING, "drop", "Drop a file", "model, animation, flight, texture, folder", MOUSE},
    {VIEW_SCREENSHOT, "screenshot", "F12", "save a picture", KEY(SDLK_F12)},
    {VIEW_CLEAN_SCREENSHOT, "clean-screenshot", "Ctrl+F12", "without text, transparent",
     CONTROL(SDLK_F12)},

    {VIEW_GRID, "grid", "G", "ground grid", GROUP("Shown"), KEY(SDLK_g)},
    {VIEW_AXES, "axes", "X", "axes", KEY(SDLK_x)},
    {VIEW_EDGES, "edges", "E", "triangle edges", KEY(SDLK_e)},
    {VIEW_NORMALS, "normals", "N", "normals", KEY(SDLK_n)},
    {VIEW_SKELETON, "skeleton", "Shift+A", "skeleton", SHIFT(SDLK_a)},
    {VIEW_BOUNDS, "bounds", "B", "bounds", KEY(SDLK_b)},
    {VIEW_TEXTURES, "textures", "T", "textures, plain grey", KEY(SDLK_t)},
    {VIEW_CHECKER, "checker", "C", "checker on everything", KEY(SDLK_c)},
    {VIEW_LIGHT, "light", "K", "studio light, light as in the original", KEY(SDLK_k)},
    {VIEW_SHADOWS, "shadows", "Shift+K", "shadows", SHIFT(SDLK_k)},
    {VIEW_LAMPS, "lamps", "Shift+L", "lights as sliders", SHIFT(SDLK_l)},
    {VIEW_MAPS, "maps", "Shift+T", "normals, gloss and glow of the textures", SHIFT(SDLK_t)},
    {VIEW_PANEL, "panel", "Tab", "all text", KEY(SDLK_TAB)},
    {VIEW_STATISTICS, "statistics", "M", "statistics", KEY(SDLK_m)},
    {VIEW_FRAME_TIME, "frame-time", "Z", "frame time", KEY(SDLK_z)},
    {VIEW_HIERARCHY, "hierarchy", "Shift+H", "list of joints", SHIFT(SDLK_h)},
    {VIEW_HELP, "help", "H or F1", "these keys", KEY(SDLK_h)},
    {VIEW_HELP, "help", NULL, NULL, KEY(SDLK_F1)},

    {VIEW_FULL_SCREEN, "full-screen", "F11", "full screen", GROUP("Window"), KEY(SDLK_F11)},
    {VIEW_LARGER_TEXT, "larger-text", "Ctrl++", "larger text", CONTROL(SDLK_PLUS)},
    {VIEW_LARGER_TEXT, "larger-text", NULL, NULL, CONTROL(SDLK_EQUALS)},
    {VIEW_SMALLER_TEXT, "smaller-text", "Ctrl+-", "smaller text", CONTROL(SDLK_MINUS)},
    {VIEW_CLOSE_LISTS, "close-lists", "Esc", "close the lists", KEY(SDLK_ESCAPE)},
    {VIEW_QUIT, "quit", "Ctrl+Q", "quit", CONTROL(SDLK_q)},
};
enum { NUM_BINDINGS = sizeof table / sizeof table[0] };

const view_binding *view_bindings(size_t *count)
{
    *count = NUM_BINDINGS;
    return table;
}

view_action view_find_action(int32_t code, bool shift, bool control, bool alt)
{
    if (alt) // window managers' own
        return VIEW_NOTHING;
    for (int i = 0; i < NUM_BINDINGS; i++) {
        const view_binding *const b = &table[i];
        if (b->action != VIEW_NOTHING && b->code == code && b->control == control
            && (b->shift == shift || b->any_shift || control))
            return b->action;
    }
    return VIEW_NOTHING;
}

const char *view_action_name(view_action action)
{
    for (int i = 0; i < NUM_BINDINGS; i++)
        if (table[i].action == action)
            return table[i].name;
    return "nothing";
}

void view_print_bindings(FILE *file)
{
    for (int i = 0; i < NUM_BINDINGS; i++) {
        if (table[i].keys == NULL)
            continue;
        if (table[i].heading != NULL)
            fprintf(file, "%s%s\n", i > 0 ? "\n" : "", table[i].heading);
        fprintf(file, "  %-27s %s\n", table[i].keys, table[i].help);
    }
}
