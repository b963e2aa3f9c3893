// Runs --verify: compares skinning on the GPU with the CPU's exact result.
#ifndef DEMO_VIEWER_JOBS_VERIFY_H
#define DEMO_VIEWER_JOBS_VERIFY_H

#include "demo/viewer/jobs/view.h"

// Compares every mesh in the bind pose, in a pose that turns every joint, and at several times of
// every clip, also between frames. Prints a line for each mesh. Returns false if a position is off
// by more than 1/10000 of the model's size, or a normal or tangent by more than 0.001. With a
// forced path, the line also says whether the loss is what md5_pack_loss() predicts.
bool view_run_verify(view_state *viewer);

#endif
