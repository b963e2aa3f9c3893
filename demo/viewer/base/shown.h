// What the user sets of a picture: switches, lights, parameters of materials, the camera. Sliders,
// keys, the mouse, the command line and the configuration share it.
#ifndef DEMO_VIEWER_BASE_SHOWN_H
#define DEMO_VIEWER_BASE_SHOWN_H

#include "md5/md5model.h"

// The switches: a row of options.c each, with its option and its keys.
typedef struct view_shown {
    bool grid;
    bool axes;
    bool edges;
    bool normals;
    bool tangents;
    bool skeleton;
    bool bounds;
    bool joint_bounds;
    bool untextured;
    bool checker;
    bool maps;
    bool two_sided;
    bool classic, shadows;                // classic: light as in id's engine of 2004
    bool environment, environment_behind; // light of --environment; its picture behind the model
    bool panel;
    bool statistics;
    bool frame_time;
    bool hierarchy;
    bool inspector;
    bool light_list;
    bool parm_list;
    bool graph;
    bool help;
    bool curves, differences; // at the bottom: of the selected joint, of joints that are compared
    bool auto_quality;        // pictures of a window leave out what makes them slow
    bool reduced_motion;
    bool open_last;
} view_shown;

// What the body shows.
typedef enum view_surface {
    VIEW_SURFACE_LIT,      // its materials in the light
    VIEW_SURFACE_WEIGHTS,  // the weights of the marked joint, or how many joints move a vertex
    VIEW_SURFACE_UV,       // a grid by texture coordinates; a panel shows the layout of a mesh
    VIEW_SURFACE_TEXTURES, // its materials; a panel shows the images of a mesh
    VIEW_NUM_SURFACES,
} view_surface;

// What feet stand on.
typedef enum view_ground_kind {
    VIEW_LEVEL,
    VIEW_HILLS,
    VIEW_STAIRS,
    VIEW_SLOPE,
    VIEW_LIFT,
} view_ground_kind;

// -- Lights ------------------------------------------------------------------------------
//
// The brightness of each studio light and the direction of the key light, relative to the defaults.

typedef enum view_light {
    VIEW_LIGHT_KEY, // casts shadows
    VIEW_LIGHT_SKY,
    VIEW_LIGHT_FILL,      // from the viewer's right
    VIEW_LIGHT_RIM,       // from behind
    VIEW_LIGHT_AZIMUTH,   // rotation of the key light about the vertical axis, degrees
    VIEW_LIGHT_ELEVATION, // change of its elevation, degrees
    VIEW_NUM_LIGHTS,
} view_light;

// Factors for the lights, degrees for the direction; the defaults are 1 and 0.
typedef struct view_lights {
    float values[VIEW_NUM_LIGHTS];
} view_lights;

typedef struct view_light_range {
    const char *name;
    float low;
    float high;
    float usual;
} view_light_range;

extern const view_light_range view_light_ranges[VIEW_NUM_LIGHTS];

view_lights view_usual_lights(void);

// -- Parameters of materials -------------------------------------------------------------
//
// What drives the materials of a game folder besides the clock: see md5_material_input.

// Rows of sliders: time, then the parameters of the entity.
enum { VIEW_NUM_PARMS = 12, VIEW_PARM_TIME = 0, VIEW_FIRST_PARM, VIEW_NUM_PARM_ROWS = 13 };

typedef struct view_parms {
    float values[VIEW_NUM_PARMS];
    float ahead; // seconds by which the materials' time is ahead of the clip's
} view_parms;

// What a row's slider covers, and the value of an entity that says nothing.
typedef struct view_parm_range {
    const char *name;
    float high, usual; // from 0
} view_parm_range;

extern const view_parm_range view_parm_ranges[VIEW_NUM_PARM_ROWS];

// The materials' time in seconds, never below 0, at a time of the clip.
float view_material_time(const view_parms *parms, double clip_time);

// Sets a row to a value: time to seconds, by moving it ahead of the clip. Parms 4 and 7 are times
// of the clip, which ends the usual one, a minute before.
void view_set_parm(view_parms *parms, int row, float value, double clip_time);

// -- The camera --------------------------------------------------------------------------

// The azimuth is that of the eye seen from the target: 0 = in front of the model (at +x, looking
// towards -x), 90 = at its left (+y), -90 = at its right. The elevation is 0 when level, 90
// straight above.
typedef struct view_camera {
    float azimuth, elevation; // degrees
    float distance;           // from eye to target, units
    md5_vec3 target;          // centre of rotation
    bool orthographic;        // shows at the target the same size as the perspective does
    float scene_radius;       // of what view_frame_all() framed: determines near and far planes
} view_camera;

#endif
