// Uneven terrain, foot placement on it, and procedural walking.
//
// view_terrain is a height field with the feet that are placed on it. Heights are computed from a
// hash of the position, so they need no memory. view_legs contains legs that walk by rules instead
// of clips. `view_legs_motion` in legs.c is their kind of motion.
#ifndef DEMO_VIEWER_MOTION_LEGS_H
#define DEMO_VIEWER_MOTION_LEGS_H

#include "demo/viewer/base/shown.h"
#include "demo/viewer/motion/machine.h"

struct view_scene;

enum { VIEW_MAX_FEET = 8 };

typedef struct view_terrain {
    view_ground_kind kind;
    uint32_t num_feet; // 0: the terrain is for a monster, which has its own foot placement
    md5_foot feet[VIEW_MAX_FEET];
    uint32_t pelvis;
    float drop;   // smoothed lowering of the pelvis; see md5_feet_job
    double time;  // time of the last call of view_pose_feet()
    float cell;   // side of a square of the ground, units
    float height; // heights are within -height .. height; of stairs: height of one stair
    float rise;   // current height of a lift: 0 .. height
} view_terrain;

// Period of the terrain along x and along y, in squares. The heights repeat, so that copies of one
// area can be drawn as the ground. It is a power of two, because positions are reduced to the
// period by a bit mask.
enum { VIEW_GROUND_SQUARES = 64 };

// Finds the feet of a model, and creates a terrain of this kind if there are any. These are the
// feet of a monster, or joints with "foot" or "ankle" in their names. Such a joint must have a
// knee, a hip and a pelvis as ancestors. On a lift, only monsters are supported. Returns the number
// of feet.
uint32_t view_find_feet(view_terrain *terrain, const struct view_scene *scene,
                        view_ground_kind kind);

// Places the feet of the scene's pose on the terrain and recomputes joints and palette. `placement`
// is the model-to-world transform.
void view_pose_feet(struct view_scene *scene, const md5_xform *placement, double time);

// view_corner_height() returns the height of corner (x, y) of the grid of squares. view_corner_x()
// returns the x coordinate of a corner. view_is_lift() returns true if the strip of squares at
// index `y`, which extends along x, is a lift. Hills have smaller bumps. Stairs rise and fall along
// x, and a slope along x and y. The squares next to a lift slope down from it.
float view_corner_height(const view_terrain *terrain, int32_t x, int32_t y);
float view_corner_x(const view_terrain *terrain, int32_t x);
bool view_is_lift(const view_terrain *terrain, int32_t y);

// Sets the height of the lift at a time, seconds.
void view_set_lift_time(view_terrain *terrain, double time);

// Returns the height of the ground at a point. A square consists of two triangles, so the result
// matches the drawn ground.
float view_ground_height(const view_terrain *terrain, float x, float y);

// Returns the maximum height of the ground below the corners and the center of a level square. A
// bounding box of this size stands at this height.
float view_ground_under(const view_terrain *terrain, md5_vec3 middle, float half_side);

// Implements md5_sweep_fn, with which a monster finds the ground below its feet; `user` is a
// terrain.
float view_sweep_ground(void *user, md5_vec3 from, md5_vec3 to, float size, bool is_waist);

// -- Legs ----------------------------------------------------------------------------------------
//
// Procedural walking (md5pose.h) computes the steps of the legs instead of playing clips. The legs
// walk on the terrain, if the scene has one.

struct view_scene;

// Two joints that are rotated to point at each other, such as the two parts of a piston.
typedef struct view_piston {
    uint32_t joints[2];
    md5_vec3 forward[2]; // direction to the other joint in the bind pose, in the joint's space
} view_piston;

typedef struct view_legs {
    uint32_t num_legs; // 0: no procedural walking
    md5_leg legs[MD5_MAX_LEGS];
    view_piston pistons[MD5_MAX_LEGS];
    uint32_t num_pistons;
    uint32_t body;
    md5_gait gait;
    double time;          // time of the last update, seconds
    view_control control; // input from the keyboard
    bool is_driven;       // keys control the legs; false: they wander automatically
} view_legs;

// Finds the legs of a model: joints with "foot" or "ankle" in their names that have a knee, a hip
// and a body as ancestors. A swivel is a joint between hip and body that rotates the leg forward
// and backward. Swivels are used if each leg has its own. The legs form two groups, which step
// alternately; neighbors around the body are in different groups. Returns the number of legs, or 0
// if there are fewer than two.
uint32_t view_find_legs(const struct view_scene *scene, view_legs *legs);

// Rotates the two parts of each piston of a pose towards each other.
void view_point_pistons(const view_legs *legs, const md5_skeleton *skeleton, md5_xform *pose);

#endif
