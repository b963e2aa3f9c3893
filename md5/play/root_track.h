// The way that joint 0 goes in a clip, apart from its pose: what is extracted and given to the
// game, and what is then left.
#ifndef MD5_PLAY_ROOT_TRACK_H
#define MD5_PLAY_ROOT_TRACK_H

#include "md5/play/clock.h"

// A movement over ground: first turned about z, then moved. In double, so that many short steps
// add up to a long one. The rotation is a unit complex number, which needs no trigonometry and is
// the same on every machine.
typedef struct md5_root_delta {
    double x, y, z;
    double cosine, sine; // of the yaw
} md5_root_delta;

md5_root_delta md5_root_delta_mul(md5_root_delta a, md5_root_delta b); // first b, then a
md5_root_delta md5_root_delta_inverse(md5_root_delta delta);
md5_transform md5_root_delta_transform(md5_root_delta delta);

// How far a way leads, in the space of who goes it: along an arc if it turns, seen from half way
// round. So long is also the sum of many short steps that go evenly.
typedef struct md5_stride {
    double x, y, z;
} md5_stride;
md5_stride md5_root_delta_stride(const md5_root_delta *delta);

// Where joint 0 has come, frame by frame, from the clip's first frame.
typedef struct md5_root_track {
    md5_extract extract;
    uint32_t num_frames;
    const md5_root_delta *frames; // [num_frames], the first is no way at all
} md5_root_track;

// Fills frames[] from joint 0's model-space transform in each frame, roots[num_frames].
void md5_make_root_track(md5_extract extract, const md5_transform *roots, uint32_t num_frames,
                         md5_root_delta *frames);

// Where it has come at a moment of a cycle. In the interval of MD5_PERIOD_OPEN that leads back to
// the first frame the character waits. Something must be extracted.
md5_root_delta md5_root_delta_at(const md5_root_track *track, const md5_moment *moment);

// The same at a clock, of which a step needs two: the second is the next one's first.
typedef struct md5_root_position {
    md5_clock clock;
    int64_t cycle; // that counts
    md5_root_delta delta;
} md5_root_position;

md5_root_position md5_root_position_at(const md5_root_track *track, const md5_timing *timing,
                                       md5_clock clock);

// The way from one to the other, whole cycles included, in the character's space at the first. With
// ONCE and PING_PONG cycles bring nothing: what goes there comes back.
md5_root_delta md5_root_delta_between(const md5_root_track *track, const md5_root_position *from,
                                      const md5_root_position *to);

// Takes out of pose[0] the way that is extracted at the moment at which it was sampled.
void md5_remove_root_delta(md5_root_delta delta, md5_transform *root);

#endif
