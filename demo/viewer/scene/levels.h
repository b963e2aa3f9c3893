// Levels of detail of a kind in a crowd: impostors for its small members. Their pictures are drawn
// later, a few before each frame (draw/levels.h).
#ifndef DEMO_VIEWER_SCENE_LEVELS_H
#define DEMO_VIEWER_SCENE_LEVELS_H

#include "demo/viewer/base/math.h"
#include "demo/viewer/scene/upload.h"
#include "render/md5gl_game.h"

typedef struct view_levels {
    md5gl_impostors *impostors; // NULL: every member is drawn as a model
    uint32_t num_clips;
    uint32_t *first; // [num_clips + 1] index of each clip's first picture; then their total number
    uint32_t num_drawn; // pictures drawn since `look` changed, in the order of drawing
    uint32_t look;      // display settings of the pictures, as bits

    md5gl_impostor *instances; // [num_instances], visible members that are drawn as impostors
    uint32_t num_instances;
    md5_vec4 *tints; // [num_seen]; alpha = 1 + the share of pixels that the impostor shows
} view_levels;

// Sets up impostors of clips[num_clips] for `count` members within `sphere`. `num_kinds` kinds
// share the memory. Returns false and logs an error on failure; free in both cases.
bool view_make_levels(view_levels *levels, const md5_binding *const *clips, uint32_t num_clips,
                      view_sphere sphere, uint32_t count, uint32_t num_kinds,
                      const view_loader *loader);
void view_free_levels(view_levels *levels, md5gl_renderer *renderer); // a zeroed one is allowed

// Number of pictures of all clips, and of one clip.
uint32_t view_count_pictures(const view_levels *levels);
uint32_t view_count_clip_pictures(const view_levels *levels, uint32_t clip);

// Returns the picture of a clip at `seconds`, wrapped into its duration; the nearest earlier one if
// that is not drawn yet.
uint32_t view_picture_at(const view_levels *levels, uint32_t clip, const md5_anim *anim,
                         double seconds);

#endif
