// Retargets the clips of one model to another with other proportions. This happens once, at load,
// so playback costs no more than that of any clip.
#ifndef DEMO_VIEWER_SCENE_RETARGETED_H
#define DEMO_VIEWER_SCENE_RETARGETED_H

#include "md5/md5model.h"
#include "md5/md5play.h"

// Retargeted clips, and the source's machine that plays them, or NULL.
typedef struct view_retargeted {
    uint32_t num_clips;
    md5_anim **anims;       // [num_clips]
    md5_binding **bindings; // [num_clips]
    md5_machine *machine;
} view_retargeted;

// Retargets the clips of bindings[count], all of one model, to `model`. If `desc` is not NULL, also
// creates its machine; bindings[i] is then the binding of its clip i. Returns false and fills
// `error` if the models have no joints in common or the machine names joints that `model` lacks.
bool view_retarget_clips(view_retargeted *retargeted, const md5_model *model,
                         const md5_binding *const *bindings, uint32_t count,
                         const md5_machine_desc *desc, md5_error *error);
void view_free_retargeted(view_retargeted *retargeted); // a zeroed one is allowed

#endif
