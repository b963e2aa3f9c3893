// Many characters of one or several kinds, each with its own time and placement, updated by all
// cores.
//
// The clips and machines of all members advance, also of culled ones. Only members that are visible
// or cast a visible shadow are posed and drawn. Members that are small in the picture are updated
// every second or fourth frame, by the time that has passed since. Members that play clips have
// levels of detail by their size in the picture: skinned, then drawn from baked clips, then as
// impostors. Neither of the latter is posed or skinned. Skinned members of large crowds have fewer
// triangles where that shows nothing.
#ifndef DEMO_VIEWER_CROWD_CROWD_H
#define DEMO_VIEWER_CROWD_CROWD_H

#include "demo/viewer/crowd/kind.h"

struct view_sight;

// A character.
typedef struct view_member {
    md5_xform place;    // in the world
    double next_choice; // when it changes its behaviour
    uint64_t random;
    float wanted_speed;
    float waited;      // seconds since its last update
    double offset;     // without a machine: start time in its clip, seconds
    uint32_t clip;     // without a machine: index of its clip
    uint32_t kind;     // index into the crowd's kinds
    uint32_t seen_at;  // index among the visible members of its kind, or VIEW_UNSEEN
    float far_share;   // of its pixels that its impostor shows; 1 = it is not drawn as a model
    uint32_t far_at;   // index among the impostors of its kind, if far_share is above 0
    uint32_t baked_at; // index among the baked members of its kind, if it is_baked
    float pixels;      // its diameter in the picture, if it is visible and has levels
    uint32_t detail;   // index of the level of its kind's details as which its model is drawn
    bool is_baked;     // its model, if it is drawn as one, is drawn from a baked clip
    bool is_seen;      // visible in this update
    bool is_due;       // updated in this frame
} view_member;

#define VIEW_UNSEEN UINT32_MAX

// Texels along a side of the shadow map, which covers the whole crowd.
enum { VIEW_CROWD_TEXELS = 2048 };

// Poses made in one call, into a buffer that fits the second-level cache, and then copied to the
// palettes one after another. The batch writes up to 16 poses side by side; straight into the
// palettes of thousands, it would stall on each cache line and take three times as long.
enum { VIEW_MOST_KINDS = 8, VIEW_POSES_AT_ONCE = 32 };

typedef struct view_crowd {
    uint32_t count; // 0: there is none
    view_kind kinds[VIEW_MOST_KINDS];
    uint32_t num_kinds;
    char **files; // [num_files] of all kinds but the first; each kind begins with its model
    size_t num_files;
    view_member *members; // [count], sorted by kind, then by clip
    md5_player **players; // [count]; NULL: plays a clip
    uint32_t *posed;      // [num_posed] members to pose in this update
    md5_pose_job *poses;  // [num_posed], used by members that play clips
    uint32_t num_posed;
    uint64_t num_joints; // sum over the posed members
    uint32_t *baked;     // [num_baked] members to draw from baked clips
    uint32_t num_baked;
    uint32_t *far; // [num_far] members to draw as impostors
    uint32_t num_far;
    uint32_t num_faded;     // of these, drawn as models too
    unsigned char *scratch; // `scratch_size` bytes for each worker
    size_t scratch_size;
    md5_mat34 *buffers; // `buffer_size` matrices for each worker
    size_t buffer_size;
    const md5_threads *threads;
    bool levels;           // draws small members reduced, baked or as impostors
    bool reduces;          // with `levels`: small members and shadow casters have fewer triangles
    bool culls;            // skips members that are not visible
    bool spares;           // updates small members less often
    float reduced_pixels;  // members up to this size are drawn with fewer triangles; 0 = none
    float baked_pixels;    // members up to this size are drawn from baked clips; 0 = none
    float impostor_pixels; // and up to this as impostors; 0 = none
    bool is_dual;          // drawn by dual quaternions
    float size;            // of the largest kind's bounds
    float spread;          // half the side of the square they stand in
    double time;
    uint64_t num_frames;
    double seconds, last_seconds; // duration of an update: smoothed, and of the last one

    // Valid during an update.
    float step;                     // seconds by which it advances
    float pace;                     // seconds since the last frame that was drawn
    const struct view_sight *sight; // NULL: nothing is drawn
} view_crowd;

// Returns how many of `files` belong to the first kind: all before the second model.
size_t view_count_first(const char *const *files, size_t num_files);

// Sets up `count` characters in a square, in equal numbers of `first` and of each model in `files`;
// a model is followed by its animations. Returns false and logs an error on failure; free in both
// cases.
bool view_make_crowd(view_crowd *crowd, const view_kind_source *first, const char *const *files,
                     size_t num_files, uint32_t count, const view_loader *loader);
void view_free_crowd(view_crowd *crowd, md5gl_renderer *renderer); // a zeroed one is allowed

// Number of visible characters, of which num_baked are drawn from baked clips and
// num_far - num_faded as impostors only.
uint32_t view_count_seen(const view_crowd *crowd);

// Advances member `number`, which has a player, by the time since its last update: chooses its
// behaviour, plays its machine and moves it.
void view_wander(view_crowd *crowd, uint32_t number);

#endif
