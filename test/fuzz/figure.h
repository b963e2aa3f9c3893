// A small model with a clip, for targets that play machines and scripts.
#ifndef FUZZ_FIGURE_H
#define FUZZ_FIGURE_H

#include "md5/md5model.h"

#include <math.h>

static const char FUZZ_MODEL[] =
    "MD5Version 10 commandline \"\" numJoints 6 numMeshes 1 joints {"
    "\"root\" -1 ( 0 0 0 ) ( 0 0 0 ) \"hip_l\" 0 ( 0 2 9 ) ( 0 0.1 0 )"
    "\"knee_l\" 1 ( 1 2 5 ) ( 0 -0.1 0 ) \"foot_l\" 2 ( 0 2 1 ) ( 0 0 0 )"
    "\"neck\" 0 ( 0 0 12 ) ( 0 0 0.2 ) \"head\" 4 ( 0 0 15 ) ( 0 0 0 ) }"
    "mesh { shader \"\" numverts 1 vert 0 ( 0 0 ) 0 1 numtris 0 numweights 1"
    " weight 0 5 1 ( 1 0 0 ) }";

static const char FUZZ_ANIM[] =
    "MD5Version 10 commandline \"\" numFrames 4 numJoints 6 frameRate 24 numAnimatedComponents 9"
    " hierarchy { \"root\" -1 63 0 \"hip_l\" 0 8 6 \"knee_l\" 1 16 7 \"foot_l\" 2 0 0"
    " \"neck\" 0 0 0 \"head\" 4 32 8 }"
    " bounds { ( 0 0 0 ) ( 1 1 1 ) ( 0 0 0 ) ( 1 1 1 ) ( 0 0 0 ) ( 1 1 1 ) ( 0 0 0 ) ( 1 1 1 ) }"
    " baseframe { ( 0 0 0 ) ( 0 0 0 ) ( 0 2 9 ) ( 0 0.1 0 ) ( 0 0 -4 ) ( 0 -0.2 0 )"
    " ( 0 0 -4 ) ( 0 0 0 ) ( 0 0 12 ) ( 0 0 0.2 ) ( 0 0 3 ) ( 0 0 0 ) }"
    " frame 0 { 0 0 0 0 0 0 0.1 0.2 0 } frame 1 { 1 0 0 0 0 0.1 0.3 -0.2 0.5 }"
    " frame 2 { 2 1 0 0 0.1 0.3 0.1 0.7 0.9 } frame 3 { 3 2 0 0 0 0.6 -0.6 0.2 -0.9 }";

enum { FUZZ_JOINTS = 6 };

// Returns true if all rotations have unit length and all components are finite.
static inline bool fuzz_is_sound(const md5_xform *pose)
{
    for (int i = 0; i < FUZZ_JOINTS; i++) {
        const md5_quat q = pose[i].rotation;
        const double square = (double)q.x * (double)q.x + (double)q.y * (double)q.y
                              + (double)q.z * (double)q.z + (double)q.w * (double)q.w;
        if (!(fabs(square - 1.0) <= 1e-4))
            return false;
        const md5_vec3 t = pose[i].translation;
        if (!isfinite(t.x) || !isfinite(t.y) || !isfinite(t.z))
            return false;
    }
    return true;
}

#endif
