// Display settings: switches (view_shown), lights (view_lights), material parameters (view_parms)
// and the camera (view_camera). Sliders, keys, the mouse, the command line and the configuration
// file change them.
#ifndef DEMO_VIEWER_BASE_SHOWN_H
#define DEMO_VIEWER_BASE_SHOWN_H

#include "md5/md5model.h"

// Switches of the display. Each switch has a row in option_table.c.
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
    bool classic; // light as in id's engine of 2004
    bool shadows;
    bool environment;        // light from --environment
    bool environment_behind; // the environment map is the background
    bool panel;
    bool statistics;
    bool frame_time;
    bool hierarchy;
    bool inspector;
    bool light_list;
    bool parm_list;
    bool graph;
    bool help;
    bool curves;       // curves of the selected joint, in the bottom dock
    bool differences;  // differences of compared joints, in the bottom dock
    bool auto_quality; // a window reduces the quality of slow frames: see quality.h
    bool reduced_motion;
    bool open_last;
} view_shown;

// The shading of the model: its materials, or colors that display a property.
typedef enum view_surface {
    VIEW_SURFACE_LIT,      // materials and lights
    VIEW_SURFACE_WEIGHTS,  // weights of the selected joint, or the number of influences
    VIEW_SURFACE_UV,       // a grid in texture coordinates; a panel shows the layout of a mesh
    VIEW_SURFACE_TEXTURES, // materials and lights; a panel shows the images of a mesh
    VIEW_NUM_SURFACES,
} view_surface;

// The shape of the ground on which the feet are placed.
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

// Factors of the brightness (default 1), and angles of the direction in degrees (default 0).
typedef struct view_lights {
    float values[VIEW_NUM_LIGHTS];
} view_lights;

typedef struct view_light_range {
    const char *name;  // in the value of --lights
    const char *label; // label of the slider
    float low;
    float high;
    float default_value;
} view_light_range;

extern const view_light_range view_light_ranges[VIEW_NUM_LIGHTS];

view_lights view_default_lights(void);

// -- Parameters of materials -------------------------------------------------------------
//
// Inputs of the materials of a game folder, in addition to time: see md5_material_input.

// Sliders: 0 is the time, the following are the parameters of the entity.
enum { VIEW_NUM_PARMS = 12, VIEW_PARM_TIME = 0, VIEW_FIRST_PARM, VIEW_NUM_PARM_ROWS = 13 };

typedef struct view_parms {
    float values[VIEW_NUM_PARMS];
    float ahead; // difference of the materials' time and the clip's time, seconds
} view_parms;

// The range of a slider of a material parameter.
typedef struct view_parm_range {
    const char *name;
    float high;          // maximum; the minimum is 0
    float default_value; // value of an entity that does not define the parameter
} view_parm_range;

extern const view_parm_range view_parm_ranges[VIEW_NUM_PARM_ROWS];

// Returns the time of materials for a time of the clip. Both are in seconds. The result is at least
// 0.
float view_material_time(const view_parms *parms, double clip_time);

// Sets the value of a slider. The slider of the time changes the difference between the time of
// materials and the time of the clip. Parameters 4 and 7 are times of the clip. Setting one of them
// removes the default difference of one minute.
void view_set_parm(view_parms *parms, int row, float value, double clip_time);

// -- The camera --------------------------------------------------------------------------

// The user's camera. The azimuth is the direction from the target to the eye. At 0, the eye is in
// front of the model (at +x, looking towards -x). At 90, it is at the model's left (+y), and at
// -90, at its right. The elevation is 0 if the view is horizontal, and 90 if the eye is vertically
// above the target.
typedef struct view_camera {
    float azimuth, elevation; // degrees
    float distance;           // from eye to target, units
    md5_vec3 target;          // center of rotation
    bool orthographic;        // the size at the target is the same as in perspective
    float scene_radius;       // radius from view_frame_all(); determines near and far planes
} view_camera;

#endif
