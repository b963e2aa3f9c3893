// Many characters of one or several kinds, each in its own time and place, updated by all cores.
//
// All of them live: their clips or machines go on wherever they are. But only those that the
// picture shows, or whose shadows it shows, are posed and drawn, and what is small in the picture
// is updated every second or fourth frame, by as much time as has passed for it.
#ifndef DEMO_VIEWER_SCENE_CROWD_H
#define DEMO_VIEWER_SCENE_CROWD_H

#include "demo/viewer/scene/kind.h"
#include "demo/viewer/base/workers.h"

struct view_sight;

// A character.
typedef struct view_member {
    md5_transform place; // in the world
    double next_whim;    // when it does something else
    uint64_t random;
    float wished_speed;
    float waited;     // seconds that it has yet to live through
    double offset;    // without a machine: of its clip, seconds
    uint32_t clip;    // likewise
    uint32_t kind;    // its number
    uint32_t seen_at; // place among those of its kind that are seen, or VIEW_UNSEEN
    bool is_seen;     // from now on
    bool is_due;      // it lives through what it waited for
} view_member;

#define VIEW_UNSEEN UINT32_MAX

// Poses that are made at once in a buffer that a second-level cache holds. From there they go to
// memory one by one: straight into the palettes of thousands, of which the batch writes up to 16
// side by side, each line would be waited for, and all of it takes three times as long.
enum { VIEW_MOST_KINDS = 8, VIEW_POSES_AT_ONCE = 32 };

typedef struct view_crowd {
    uint32_t count; // 0: there is none
    view_kind kinds[VIEW_MOST_KINDS];
    uint32_t num_kinds;
    char **files; // [num_files] of the kinds but the first, each beginning with its model
    size_t num_files;
    view_member *members; // [count], kind by kind; those that play clips clip by clip
    md5_player **players; // [count]; NULL: plays a clip
    uint32_t *posed;      // [num_posed] members that get a new pose
    md5_pose_job *poses;  // [num_posed], of those that play clips
    uint32_t num_posed;
    uint64_t num_joints;    // of all of these together
    unsigned char *scratch; // of each worker, `scratch_size` bytes
    size_t scratch_size;
    md5_mat34 *buffers; // of each worker, `buffer_size`
    size_t buffer_size;
    view_workers *workers;
    bool culls;   // leaves out what is not seen
    bool spares;  // updates less often what is small
    float size;   // of the largest kind
    float spread; // how far from the middle they stand
    double time;
    uint64_t num_frames;
    double seconds, last_seconds; // that updates took: smoothed, and the last one

    // Of the update that is under way.
    float step;                     // seconds that it lasts
    float pace;                     // seconds since the last one that was seen
    const struct view_sight *sight; // NULL: nobody looks
} view_crowd;

// How many of `files` belong to the first kind: all up to the second model.
size_t view_count_first(const char *const *files, size_t num_files);

// Sets up `count` characters in a square: of `first`, and as many of each further model of `files`,
// where each is followed by its animations. Returns false, having logged an error; free in both
// cases.
bool view_make_crowd(view_crowd *crowd, const view_kind_source *first, const char *const *files,
                     size_t num_files, uint32_t count, const view_loader *loader);
void view_free_crowd(view_crowd *crowd, md5gl_renderer *renderer); // a zeroed one is allowed

// How many characters are in sight.
uint32_t view_count_seen(const view_crowd *crowd);

#endif
