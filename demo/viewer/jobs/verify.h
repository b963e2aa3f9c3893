// The job of --verify: what the GPU skins against the exact sums on the CPU.
#ifndef DEMO_VIEWER_JOBS_VERIFY_H
#define DEMO_VIEWER_JOBS_VERIFY_H

#include "demo/viewer/jobs/view.h"

// Compares every mesh in the bind pose, in a pose that turns every joint, and at several moments
// of every clip, between frames too. Prints a line for each mesh. Returns false when a position
// is off by more than a ten-thousandth of the model's size, or, with a path that is forced, by
// more than that beyond what md5_path_loss() foretells for the pose.
bool view_run_verify(view_state *viewer);

// Its part: all clips at several moments, posed by the GPU, where it can, against the CPU. `size`
// is the model's diagonal.
bool view_verify_clips(view_state *viewer, float size);

#endif
