// Uneven ground, and feet placed on it.
#ifndef DEMO_VIEWER_MOTION_LEGS_H
#define DEMO_VIEWER_MOTION_LEGS_H

#include "demo/viewer/base/shown.h"
#include "demo/viewer/motion/machine.h"

struct view_scene;

enum { VIEW_MAX_FEET = 8 };

typedef struct view_terrain {
    view_ground_kind kind;
    uint32_t num_feet; // 0: of a monster, which finds them itself
    md5_foot feet[VIEW_MAX_FEET];
    uint32_t pelvis;
    float drop;   // of the pelvis; see md5_feet_job
    double time;  // of the last call
    float cell;   // side of a square of the ground
    float height; // heights are within -height .. height; of stairs: that of a step
    float rise;   // of a lift, now: 0 .. height
} view_terrain;

// The ground repeats itself after so many squares, along x and along y.
enum { VIEW_GROUND_SQUARES = 64 };

// Lays a terrain if there are feet: those of a monster, else joints with foot or ankle in their
// names that have a knee, a hip and a pelvis above; on a lift only monsters stand. Returns how
// many.
uint32_t view_find_feet(view_terrain *terrain, const struct view_scene *scene,
                        view_ground_kind kind);

// Places the feet of the scene's pose on the terrain and recomputes joints and palette. `place` is
// the model-to-world transform.
void view_place_feet(struct view_scene *scene, const md5_xform *place, double time);

// Height of the corner of square (x, y), and its distance along x. Hills, and bumps on them, are
// hashes of these numbers. Stairs rise and fall along x, a slope along x and y. A lift runs along
// x; it is made of the corners of some rows, and the squares beside them slope down from it.
float view_corner_height(const view_terrain *terrain, int32_t x, int32_t y);
float view_corner_x(const view_terrain *terrain, int32_t x);
bool view_is_lift(const view_terrain *terrain, int32_t y);
void view_raise_lift(view_terrain *terrain, double time); // to where it is then

// Height of the ground at a point. A square is two triangles, so that it is exactly what is drawn.
float view_ground_height(const view_terrain *terrain, float x, float y);

// The greatest of the heights below a level square, at its corners and its middle.
float view_ground_under(const view_terrain *terrain, md5_vec3 middle, float half_side);

// md5_sweep_fn of a terrain, `user`.
float view_sweep_ground(void *user, md5_vec3 from, md5_vec3 to, float size, bool is_waist);

// -- Legs ----------------------------------------------------------------------------------------
//
// Procedural walking (md5pose.h) instead of clips, over the terrain if there is any.

struct view_scene;

// Two joints that are turned to point at each other, such as the halves of a piston.
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
    double time;          // of the last update, seconds
    view_control control; // input from keys
    bool is_driven;       // by keys; false: wanders by itself
} view_legs;

// Finds legs: joints with foot or ankle in their names that have a knee, a hip and a body as
// ancestors. If each leg has its own joint between hip and body, that joint swivels the leg. Legs
// alternate between two groups around the body. Returns their number; fewer than two do not walk.
uint32_t view_find_legs(const struct view_scene *scene, view_legs *legs);

// Turns the halves of each piston of a pose towards each other.
void view_point_pistons(const view_legs *legs, const md5_skeleton *skeleton, md5_xform *pose);

#endif
