// A model whose legs walk by rules (md5walk.h) instead of clips, over the terrain, if there is any.
#ifndef DEMO_VIEWER_SCENE_LEGS_H
#define DEMO_VIEWER_SCENE_LEGS_H

#include "md5/md5walk.h"
#include "demo/viewer/scene/machine.h"

struct view_scene;

// Two joints that point at each other, such as the halves of a piston.
typedef struct view_piston {
    uint32_t joints[2];
    md5_vec3 forward[2]; // towards the other in the bind pose, in the joint's own space
} view_piston;

typedef struct view_legs {
    uint32_t num_legs; // 0: the legs do not walk
    md5_leg legs[MD5_MAX_LEGS];
    view_piston pistons[MD5_MAX_LEGS];
    uint32_t num_pistons;
    uint32_t body;
    md5_walk walk;
    double time;          // walked
    view_control control; // by keys
    bool is_driven;       // false: walks about by itself
} view_legs;

// Finds legs: joints with foot or ankle in their names, with a knee, a hip and a body above; if the
// joints between hip and body are one for each leg, these swivel the legs. Legs are grouped
// alternately around the body. Returns how many there are; fewer than two do not walk.
uint32_t view_find_legs(struct view_scene *scene);

// Walks to `time` in steps of 1/60 s and writes the scene's pose; joints and palette are in world
// space. Begins again if `time` is earlier.
void view_walk_legs(struct view_scene *scene, double time);

#endif
