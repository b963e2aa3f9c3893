// Which keys of a clip are enough, for formats that interpolate between keys.
#ifndef DEMO_CONVERT_KEYS_H
#define DEMO_CONVERT_KEYS_H

#include "demo/convert/space.h"
#include "md5/md5model.h"

// A value for each frame: x y z 0, or a rotation x y z w of unit length.
typedef struct convert_track {
    convert_quat *values; // [num_frames]
    uint32_t num_frames;
    bool is_rotation;
    uint32_t *keys;    // [num_frames] written: frames, ascending, of which 0 is the first
    uint32_t num_keys; // 1: the track is constant
} convert_track;

// Negates rotations of a track whose dot product with the one before is negative, so that those
// who interpolate numbers take the shorter way.
void convert_join_signs(convert_track *track);

// Picks the keys of tracks[2 * joints], of each joint its translation and its rotation, so that no
// vertex is farther than the tolerance from where it was in a frame; 0: only tracks that are
// constant get fewer. reach[joints]: how far is what a joint's rotation moves, in the unit of
// translations. The errors of a chain of joints add up, so that each track that changes gets its
// part of the tolerance. Between keys tracks are near enough both by slerp and by the normalized
// sum, in which programs differ; neighbours are at most 15 degrees and 64 frames apart. Linear
// time.
void convert_pick_keys(convert_track *tracks, const md5_skeleton *skeleton, const double *reach,
                       double tolerance);

#endif
