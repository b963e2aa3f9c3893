// Root motion of a clip: the part of the motion of joint 0 that is extracted from its poses and
// reported to the game, and what remains.
#ifndef MD5_PLAY_ROOT_TRACK_H
#define MD5_PLAY_ROOT_TRACK_H

#include "md5/play/clock.h"

// A displacement of the root in id's axes: a rotation about z, then a translation. In double, so
// that many short steps add up to a long one. The rotation is a unit complex number, which needs no
// trigonometry and gives the same bits on every platform.
typedef struct md5_root_delta {
    double x, y, z;
    double cosine, sine; // of the yaw
} md5_root_delta;

// First b, then a.
static inline md5_root_delta md5_root_delta_mul(md5_root_delta a, md5_root_delta b)
{
    return (md5_root_delta){
        .x = a.x + (a.cosine * b.x - a.sine * b.y),
        .y = a.y + (a.sine * b.x + a.cosine * b.y),
        .z = a.z + b.z,
        .cosine = a.cosine * b.cosine - a.sine * b.sine,
        .sine = a.cosine * b.sine + a.sine * b.cosine,
    };
}

static inline md5_root_delta md5_root_delta_inverse(md5_root_delta delta)
{
    return (md5_root_delta){
        .x = -(delta.cosine * delta.x + delta.sine * delta.y),
        .y = -(delta.cosine * delta.y - delta.sine * delta.x),
        .z = -delta.z,
        .cosine = delta.cosine,
        .sine = -delta.sine,
    };
}

md5_xform md5i_root_delta_transform(md5_root_delta delta);

// Length and direction of the path of a displacement: an arc if it turns, seen from its middle. It
// equals the sum of many short equal steps.
typedef struct md5_stride {
    double x, y, z;
} md5_stride;
md5_stride md5i_root_delta_stride(const md5_root_delta *delta);

// Displacement of joint 0 from the first frame of a clip, for each frame.
typedef struct md5_root_track {
    md5_extract extract;
    uint32_t num_frames;
    const md5_root_delta *frames; // [num_frames], the first is no displacement
} md5_root_track;

// Fills frames[] from joint 0's model-space transform in each frame, roots[num_frames], in id's
// axes.
void md5i_make_root_track(md5_extract extract, const md5_xform *roots, uint32_t num_frames,
                          md5_root_delta *frames);

// The displacement at a sample position of a cycle. In the interval of MD5_PERIOD_OPEN that leads
// back to the first frame it does not change. `extract` must not be NONE.
md5_root_delta md5i_root_delta_at(const md5_root_track *track, const md5_moment *moment);

// The displacement at a clock. A step needs two; the second is the first of the next step.
typedef struct md5_root_position {
    md5_clock clock;
    int64_t cycle; // with MD5_PLAY_LOOP, else 0
    md5_root_delta delta;
} md5_root_position;

md5_root_position md5i_root_position_at(const md5_root_track *track, const md5_timing *timing,
                                        md5_clock clock);

// The displacement from one to the other, whole cycles included, in the character's space at the
// first. With ONCE and PING_PONG cycles add nothing: the clip returns to its start.
md5_root_delta md5i_root_delta_between(const md5_root_track *track, const md5_root_position *from,
                                       const md5_root_position *to);

// Removes from pose[0], in the model's axes, the displacement that is extracted at its sample
// position.
void md5i_remove_root_delta(md5_axes axes, md5_root_delta delta, md5_xform *root);

#endif
