// Every option once: what it is called, what it takes, what --help says of it.
#ifndef DEMO_VIEWER_BASE_OPTION_TABLE_H
#define DEMO_VIEWER_BASE_OPTION_TABLE_H

#include <stddef.h>

typedef enum view_option_id {
    OPTION_HELP,
    OPTION_VERSION,
    OPTION_VERBOSE,
    OPTION_LIST_BINDINGS,
    OPTION_CONFIG,
    OPTION_NO_CONFIG,
    OPTION_OUTPUT,
    OPTION_RESOLUTION,
    OPTION_SHEET,
    OPTION_TURNTABLE,
    OPTION_SAMPLES,
    OPTION_FRAMES,
    OPTION_VERIFY,
    OPTION_NO_RENDER,
    OPTION_TEXTURE,
    OPTION_NORMAL_MAP,
    OPTION_SPECULAR_MAP,
    OPTION_GLOW_MAP,
    OPTION_NO_MAPS,
    OPTION_TWO_SIDED,
    OPTION_NO_AUTO,
    OPTION_SET,
    OPTION_CROWD,
    OPTION_CROWD_EXACT,
    OPTION_ANIMATE,
    OPTION_STEPS,
    OPTION_RETARGET,
    OPTION_ATTACH,
    OPTION_WATCH,
    OPTION_PATH,
    OPTION_SKINNING,
    OPTION_ROOT,
    OPTION_LOOP,
    OPTION_ANIMATION_INDEX,
    OPTION_ANIMATION_TIME,
    OPTION_ANIMATION_SPEED,
    OPTION_FRAME_RATE,
    OPTION_AZIMUTH,
    OPTION_ELEVATION,
    OPTION_DISTANCE,
    OPTION_ORTHOGRAPHIC,
    OPTION_CAMERA_PATH,
    OPTION_GRID,
    OPTION_AXIS,
    OPTION_EDGES,
    OPTION_ARMATURE,
    OPTION_NORMALS,
    OPTION_BOUNDS,
    OPTION_HIERARCHY,
    OPTION_JOINT,
    OPTION_CHECKERBOARD,
    OPTION_LIGHT,
    OPTION_NO_SHADOW,
    OPTION_LAMP,
    OPTION_LAMPS,
    OPTION_UNTEXTURED,
    OPTION_PANEL,
    OPTION_STATISTICS,
    OPTION_FRAME_TIME,
    OPTION_KEYS,
    OPTION_UI_SCALE,
    OPTION_BACKGROUND_COLOR,
    OPTION_NO_BACKGROUND,
} view_option_id;

// `value`: what the option takes; NULL = a switch, which may be given as NAME=no.
// A `heading` opens a group in the help.
typedef struct view_option {
    view_option_id id;
    const char *name, *value, *heading, *help;
} view_option;

// The option of that name (`length` bytes, without dashes), or NULL and in `nearest` the one that
// may have been meant, or NULL.
const view_option *view_find_option(const char *name, size_t length, const view_option **nearest);

#endif
