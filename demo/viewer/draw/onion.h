// Onion skin: ghosts of earlier and later frames of the clip.
#ifndef DEMO_VIEWER_DRAW_ONION_H
#define DEMO_VIEWER_DRAW_ONION_H

#include "demo/viewer/draw/stage.h"

typedef struct view_ghost {
    md5_moment moment;
    md5_vec4 tint; // see md5gl_instances: blue for earlier frames, orange for later ones
} view_ghost;

// Finds the ghosts of the current time, the nearest first; returns how many. A clip that plays once
// has none before its first and after its last frame.
uint32_t view_find_ghosts(const view_onion *onion, const view_play *play, const md5_anim *anim,
                          view_ghost ghosts[2 * VIEW_MAX_ONION]);

// Draws them, if a clip is shown: the model without textures, or the bones if there is no model.
// Call it within a frame, last of what draws the document's model. Returns false and fills `error`
// on failure.
bool view_draw_ghosts(const view_stage *stage, md5_error *error);

#endif
