// Animation curves of Collada files. libassimp connects all keys by straight lines. Here the curves
// are evaluated in each frame, and a copy of the file contains the values as additional keys.
#ifndef DEMO_CONVERT_COLLADA_H
#define DEMO_CONVERT_COLLADA_H

#include "demo/convert/convert.h"

// The result of collada_bake_curves().
typedef struct collada_file {
    convert_bytes text;        // the file with additional keys; empty if it needs none
    char *unsupported_sampler; // id of the first sampler that was not evaluated, or NULL
    char *unsupported_target;  // target of the first channel that libassimp ignores, or NULL
} collada_file;

// Evaluates the animation curves of a Collada file in each frame. The frame rate is the rate of the
// job, or else the result of plain_find_rate(). The caller frees the members of the result.
collada_file collada_bake_curves(const convert_job *job, const char *bytes, size_t size);

#endif
