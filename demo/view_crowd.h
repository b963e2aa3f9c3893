// Many of the same: characters that each play the scene's machine, or its clips, in their own time
// and place, updated by all cores in one batch a frame.
#ifndef DEMO_VIEW_CROWD_H
#define DEMO_VIEW_CROWD_H

#include "demo/view_machine.h"
#include "demo/view_workers.h"

// A character.
typedef struct view_member {
    md5_transform place; // in the world
    double next_whim;    // when it does something else
    uint64_t random;
    float wished_speed;
    double offset; // without a machine: of its clip, seconds
    uint32_t clip;
} view_member;

struct view_scene;

typedef struct view_crowd {
    uint32_t count; // 0: there is none
    view_member *members;
    md5_player **players; // [count], where the scene has a machine
    md5_play_job *plays;
    md5_pose_job *poses;    // [count], where it has clips only
    md5_mat34 *palettes;    // [count * joints]
    md5_mat34 *placements;  // [count]
    unsigned char *scratch; // of each worker, `scratch_size` bytes
    size_t scratch_size;
    view_workers *workers;
    const struct view_scene *scene;
    float spread; // how far from the middle they stand
    double time;
    double seconds; // that the last updates took, smoothed
} view_crowd;

// Sets up `count` characters in a square. Returns false, having told why.
bool view_make_crowd(view_crowd *crowd, const struct view_scene *scene, uint32_t count,
                     view_log *log);
void view_free_crowd(view_crowd *crowd); // a zeroed one is allowed

// Lets time pass until `time`, and poses all.
void view_run_crowd(view_crowd *crowd, double time);

#endif
