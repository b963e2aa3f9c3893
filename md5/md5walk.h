// md5walk: legs that walk by rules alone, without clips: over any ground, at any speed and in any
// direction.
//
// Each leg has a home, the place of its foot at rest. Legs belong to groups; only legs of one group
// are in the air at a time, while the feet of all others stay exactly where they stand. When the
// body has moved so far that a group lags behind its homes, its legs step to where their homes will
// be in the middle of their next stand. The body follows the feet: its height is their mean, its
// tilt that of the plane through them (the gait is that of Raibert's machines, 1986, ch. 2, without
// their dynamics: a foot lands half of a stand ahead of its home).
//
//   md5_walk_begin()                once: homes from a pose, feet on the ground
//   md5_walk_advance()              each frame: velocity and turn, seconds
//   md5_walk_placement()            where the character is
//   md5_walk_pose()                 bends body and legs of a pose, such as one of an idle clip
//
// Nothing allocates. The state is a plain structure without pointers: copy it to save it, for a
// replay or a network. Only + - * / and square roots are used, so every platform gives the same
// bits. World space has the axes of the skeleton: see md5pose.h.
#ifndef MD5WALK_H
#define MD5WALK_H

#include "md5pose.h" // beside this file also when installed

#ifdef __cplusplus
extern "C" {
#endif

enum { MD5_MAX_LEGS = 8 };

// Returns the height of the ground, along the up axis, at a position in world space, whose own
// height does not matter. May write the ground's normal, which is up before, world space; its
// length does not matter. A height that is not finite counts as that of the character.
typedef float md5_terrain_fn(void *user, md5_vec3 at, md5_vec3 *normal);

typedef struct md5_leg {
    md5_limb limb; // hip, knee, ankle
    // A joint above the hip that turns the leg forward and backward about the body's up axis, such
    // as an insect's coxa; -1 = none, then the hip does it.
    int32_t swivel;
    uint32_t group; // 0 .. num_groups - 1; neighbours should be in different ones
} md5_leg;

// Zero in a field of the second part means its default. Units are those of the skeleton.
typedef struct md5_walk_desc {
    const md5_skeleton *skeleton;
    const md5_leg *legs;     // [num_legs]
    uint32_t num_legs;       // 1 to MD5_MAX_LEGS
    uint32_t num_groups;     // 1 to num_legs; each has a leg
    uint32_t body;           // joint that tilts, above all legs
    md5_terrain_fn *terrain; // NULL = flat ground at height 0
    void *user;

    // The default of a length is a share of the mean distance of the homes from their middle.
    float step_length;   // longest distance of a foot relative to its home; 0 = 0.5
    float step_height;   // of a foot above the line of its step; 0 = 0.15
    float slack;         // distance from home at which a leg steps; 0 = 0.1 of step_length
    float step_seconds;  // of a slow step; 0 = 0.45
    float least_seconds; // of the quickest step; 0 = 0.15
    float response;      // time constant with which velocity and turn follow, seconds; 0 = 0.15,
                         // MD5_ZERO = at once
    float smoothing;     // time constant of the body's height and tilt, seconds; 0 = 0.12
    float bank; // slope of leaning into a curve, for each unit/s^2 towards its inside; 0 = none
    uintptr_t reserved[4]; // 0
} md5_walk_desc;

// A leg's part of the state.
typedef struct md5_foothold {
    md5_vec3 home;     // model space, at height 0
    float rise;        // of the ankle above the sole, units
    md5_quat rest;     // rotation of the ankle at rest, model space
    md5_vec3 position; // of the sole, world space; does not change while the foot stands
    md5_vec3 normal;   // of the ground there
    md5_quat facing;   // of the character when the foot came to stand, world space
    bool is_stepping;
    float progress;    // 0..1 of the step
    md5_vec3 from, to; // ends of the step
    md5_vec3 to_normal;
    md5_quat from_facing;
    float lift; // height of the step above its line
} md5_foothold;

// The state of a walk.
typedef struct md5_walk {
    md5_vec3 position; // of the character, world space, at the height of the ground
    md5_quat facing;   // rotation about the up axis, model to world
    md5_vec3 velocity; // units/s, model space
    float turn;        // radians/s, to the left
    md5_vec3 normal;   // the body's up, world space, unit length
    float radius;      // mean distance of the homes from their middle
    float seconds;     // of a step at the present speed
    uint32_t num_legs; // as in the description
    md5_foothold feet[MD5_MAX_LEGS];
} md5_walk;

// Begins to walk: takes homes, heights and rotations of the feet from pose[num_joints], in which
// the character stands on the model's ground plane, and puts the feet on the ground at
// `placement`, of which only the rotation about the up axis counts. Returns false, and fills `walk`
// all the same, if a leg is no limb, see md5_limb_result, its swivel is not above its hip, or all
// homes are in one place.
MD5_API bool md5_walk_begin(const md5_walk_desc *desc, const md5_xform *pose, md5_xform placement,
                            md5_walk *walk);

// Walks for `seconds`. `velocity` is in model space, units/s, along the ground: forward, backward,
// sideways; `turn` is in radians/s, to the left. Both are reduced by one factor where feet would
// have to move faster than step_length in least_seconds. Numbers that are not finite count as 0.
// Computes in steps of at most 1/120 s, so the result hardly depends on the frame rate; at most
// one second a call.
MD5_API void md5_walk_advance(const md5_walk_desc *desc, md5_walk *walk, md5_vec3 velocity,
                              float turn, double seconds);

// Returns the model-to-world transform: rotation about the up axis, position on the ground.
MD5_API md5_xform md5_walk_placement(const md5_walk *walk);

// Returns the position of a foot's ankle, world space.
MD5_API md5_vec3 md5_walk_ankle(const md5_walk_desc *desc, const md5_walk *walk, uint32_t leg);

// Tilts the body of pose[num_joints], swivels legs and bends them so that each ankle is where its
// foot stands or steps, for a character at md5_walk_placement(). Returns the number of legs that
// reach it, to 1e-4 of their length.
MD5_API uint32_t md5_walk_pose(const md5_walk_desc *desc, const md5_walk *walk, md5_xform *pose);

#ifdef __cplusplus
}
#endif

#endif
