// Which keys of a track are enough, for formats that interpolate between keys.
#ifndef DEMO_CONVERT_KEYS_H
#define DEMO_CONVERT_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A value for each frame: x y z, or a rotation x y z w of unit length, none more than a quarter
// turn of the sphere from the one before (q and -q are the same rotation: see convert_join_signs).
typedef struct convert_track {
    double (*values)[4]; // [num_frames]
    uint32_t num_frames;
    bool is_rotation;
    double tolerance; // units, or radians; 0: only frames that are equal throughout are left out
} convert_track;

// Negates rotations of a track whose dot product with the one before is negative.
void convert_join_signs(convert_track *track);

// Writes frames[up to num_frames], ascending, beginning with 0: between them the track is within
// the tolerance, both by slerp and by the normalized sum, which programs differ in. One frame: the
// track is constant. Neighbours are at most 15 degrees and 64 frames apart. Returns their number.
uint32_t convert_pick_keys(const convert_track *track, uint32_t *frames);

#endif
