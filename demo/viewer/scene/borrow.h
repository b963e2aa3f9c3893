// Clips of one model made over for another with other proportions, once, so that playing them costs
// what playing any clip does.
#ifndef DEMO_VIEWER_SCENE_BORROW_H
#define DEMO_VIEWER_SCENE_BORROW_H

#include "md5/md5model.h"
#include "md5/md5play.h"

// What a model has borrowed: `machine` is the lender's, with these clips, or NULL.
typedef struct view_borrowed {
    uint32_t num_clips;
    md5_anim **anims;       // [num_clips]
    md5_binding **bindings; // [num_clips]
    md5_machine *machine;
} view_borrowed;

// Makes `count` clips over for `model`, and the machine that plays them, `desc`, unless that is
// NULL: then bindings[i] is the binding of its clip i. Returns false with `error` where the models
// have no joints in common, or the machine names some that the model lacks.
bool view_borrow(view_borrowed *borrowed, const md5_model *model,
                 const md5_binding *const *bindings, uint32_t count, const md5_machine_desc *desc,
                 md5_error *error);
void view_free_borrowed(view_borrowed *borrowed); // a zeroed one is allowed

#endif
