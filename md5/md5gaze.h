// md5gaze: a head and eyes that look about by themselves.
//
// The gaze rests on one point for a while and then jumps to another: a saccade, whose duration
// grows with its angle, 2.2 ms a degree and 21 ms (R. H. S. Carpenter, "Movements of the Eyes",
// 1988). Points are directions at random or targets that the caller gives, which are followed while
// they move. The head comes after, a part of the way, and the eyes keep the point meanwhile.
//
//   md5_gaze_begin(seed, &gaze)                               once
//   md5_gaze_advance(&desc, skeleton->axes, &gaze, seconds)   each frame
//   md5_gaze_pose(&desc, &gaze, skeleton, 1.0f, pose)         turns head and eyes of a pose
//
// Nothing allocates. The state is a plain structure without pointers: copy it to save it. The same
// seed gives the same gaze with the same bits on every platform, and, but for rounding, however the
// time is split into frames. Threads may share a description.
#ifndef MD5GAZE_H
#define MD5GAZE_H

#include "md5pose.h" // beside this file also when installed

#ifdef __cplusplus
extern "C" {
#endif

enum { MD5_MAX_EYES = 8 };

// Zero in a field of the second part means its default.
typedef struct md5_gaze_desc {
    uint32_t head;               // joint
    uint32_t eyes[MD5_MAX_EYES]; // [num_eyes] joints, whose own x axis looks ahead
    uint32_t num_eyes;           // 0: the head alone looks
    md5_vec3 origin;             // between the eyes at rest, model space
    const md5_vec3 *targets;     // [num_targets] points worth a look, model space
    uint32_t num_targets;

    uint32_t length;       // joints that turn the head, itself included; 0 = 3
    float interest;        // 0..1: how often a target is chosen; 0 = 0.5, MD5_ZERO = never
    float wide, high;      // of directions at random, tangents to each side; 0 = 0.8 and 0.35
    float distance;        // of points at random, units; 0 = 100
    float least_seconds;   // how long the gaze rests, at least 0.05 s; 0 = 0.4
    float most_seconds;    // 0 = 2.5
    float head_share;      // of the way that the head goes; 0 = 0.6, MD5_ZERO = none
    float head_seconds;    // time constant with which it follows; 0 = 0.2, MD5_ZERO = at once
    float head_limit;      // largest turn of each joint, radians; 0 = 0.5, MD5_ZERO = none
    float eye_limit;       // largest turn of an eye, radians; 0 = 0.6, MD5_ZERO = none
    uintptr_t reserved[4]; // 0
} md5_gaze_desc;

// The state of a gaze. Directions are tangents to the left and upward of straight ahead.
typedef struct md5_gaze {
    uint64_t random;
    int32_t target;    // index of the target that is looked at; -1 = a direction at random
    md5_vec2 from, to; // of the last saccade
    md5_vec2 head;     // where the head is
    float seconds;     // since the saccade began
    float duration;    // of the saccade
    float rest;        // seconds until the next one
} md5_gaze;

// Begins with a look straight ahead. Every seed gives another order.
MD5_API void md5_gaze_begin(uint64_t seed, md5_gaze *gaze);

// Looks on for `seconds`, at most 60 in one call; nothing happens if it is not above 0. A state
// whose numbers are not finite or above 1e18 begins anew, from its `random`. Targets that are
// behind the origin or not finite are not looked at. `axes` are those of the skeleton.
MD5_API void md5_gaze_advance(const md5_gaze_desc *desc, md5_axes axes, md5_gaze *gaze,
                              double seconds);

// Returns the point that the eyes look at, model space.
MD5_API md5_vec3 md5_gaze_point(const md5_gaze_desc *desc, md5_axes axes, const md5_gaze *gaze);

// Turns head and eyes of pose[num_joints] by `weight`, 0 to 1: see md5_solve_aim(). Returns the
// number of eyes that exist.
MD5_API uint32_t md5_gaze_pose(const md5_gaze_desc *desc, const md5_gaze *gaze,
                               const md5_skeleton *skeleton, float weight, md5_xform *pose);

#ifdef __cplusplus
}
#endif

#endif
