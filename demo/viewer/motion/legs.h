// Uneven terrain, foot placement on it, and procedural walking.
//
// view_terrain is a height field that is computed from a hash, with the feet that are placed on it.
// view_legs contains legs that walk by rules (`view_legs_motion`).
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
    double time;  // time of the last call of view_place_feet()
    float cell;   // side of a square of the ground, units
    float height; // heights are within -height .. height; of stairs: height of one stair
    float rise;   // current height of a lift: 0 .. height
} view_terrain;

// Period of the terrain along x and along y, in squares.
enum { VIEW_GROUND_SQUARES = 64 };

// Creates a terrain if the model has feet: the feet of a monster, or joints with "foot" or "ankle"
// in their names that have a knee, a hip and a pelvis as ancestors. On a lift only monsters are
// supported. Returns the number of feet.
uint32_t view_find_feet(view_terrain *terrain, const struct view_scene *scene,
                        view_ground_kind kind);

// Places the feet of the scene's pose on the terrain and recomputes joints and palette. `placement`
// is the model-to-world transform.
void view_place_feet(struct view_scene *scene, const md5_xform *placement, double time);

// view_corner_height() returns the height of corner (x, y) of the ground's squares, view_corner_x()
// its x coordinate. Hills, and bumps on them, are hashes of x and y. Stairs rise and fall along x,
// a slope along x and y. A lift is a strip along x; the squares next to it slope down from it.
float view_corner_height(const view_terrain *terrain, int32_t x, int32_t y);
float view_corner_x(const view_terrain *terrain, int32_t x);
bool view_is_lift(const view_terrain *terrain, int32_t y);

// Sets the height of the lift at a time, seconds.
void view_set_lift_time(view_terrain *terrain, double time);

// Returns the height of the ground at a point. A square consists of two triangles, so the result
// matches the drawn ground.
float view_ground_height(const view_terrain *terrain, float x, float y);

// Returns the maximum height of the ground below the corners and the center of a level square.
float view_ground_under(const view_terrain *terrain, md5_vec3 middle, float half_side);

// Implements md5_sweep_fn; `user` is a terrain.
float view_sweep_ground(void *user, md5_vec3 from, md5_vec3 to, float size, bool is_waist);

// -- Legs ----------------------------------------------------------------------------------------
//
// Procedural walking (md5pose.h) instead of clips, over the terrain if one is set.

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

// Finds legs: joints with "foot" or "ankle" in their names that have a knee, a hip and a body as
// ancestors. If each leg has its own joint between hip and body, that joint becomes the leg's
// swivel, which rotates the leg forward and backward. The legs are in two groups, which step in
// turn; neighbors around the body are in different groups. Returns the number of legs; 0 if there
// are fewer than two.
uint32_t view_find_legs(const struct view_scene *scene, view_legs *legs);

// Rotates the two parts of each piston of a pose towards each other.
void view_point_pistons(const view_legs *legs, const md5_skeleton *skeleton, md5_xform *pose);

#endif
