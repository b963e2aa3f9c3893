// The animations of an md5.cfg as clips of its joined model.
#ifndef DEMO_VIEWER_SCENE_CUBE_CLIPS_H
#define DEMO_VIEWER_SCENE_CUBE_CLIPS_H

#include "demo/viewer/scene/cube_model.h"

typedef struct view_cube_clip {
    char *name; // that the game asks for: "forward"
    char *file; // of the first part that has one of that name
    md5_anim *anim;
} view_cube_clip;

// Returns a clip for each name, to be freed with view_free_cube_clips(). Each mask of each part
// plays its own animation of the name, or its "idle", or keeps the bind pose; adjustments and the
// offsets of pitches are applied, as for a view straight ahead. A clip of several frames ends with
// a copy of the first, so that it loops as in the engines. `model` is the joined one. Files that
// cannot be read or do not fit are warnings.
view_cube_clip *view_cube_make_clips(const view_cube_model *joined, const md5_model *model,
                                     uint32_t *num_clips, view_log *log);
void view_free_cube_clips(view_cube_clip *clips, uint32_t count); // NULL is allowed

#endif
