// Collada files for libassimp, which reads some of their content incorrectly. For example, it
// connects all keys of curves by straight lines. Here the curves are evaluated in each frame, and a
// copy of the file contains the values as additional keys.
#ifndef DEMO_CONVERT_COLLADA_H
#define DEMO_CONVERT_COLLADA_H

#include "demo/convert/convert.h"

// The first element of a file with a certain problem.
typedef struct collada_problem {
    char *name;      // name of the element, or NULL if no element has the problem
    uint32_t line;   // starting at 1
    uint32_t column; // in bytes, starting at 1
} collada_problem;

// The result of collada_repair().
typedef struct collada_file {
    convert_bytes text;                  // the repaired file; empty if it needs no repair
    collada_problem unsupported_sampler; // a sampler that was not evaluated
    collada_problem unsupported_target;  // a channel that libassimp ignores or reads incorrectly
    collada_problem misassigned_joint;   // a joint that libassimp takes from another skeleton
    collada_problem unchecked_skin;      // a skin whose joints were not checked: see budget.h
    collada_problem invalid_view;        // a <lookat> that defines no rotation
} collada_file;

// Evaluates the animation curves of a Collada file in each frame, and repairs elements that
// libassimp reads incorrectly. The frame rate is the rate of the job, or else the result of
// plain_find_rate(). The caller frees the members of the result.
collada_file collada_repair(const convert_job *job, const char *bytes, size_t size);

#endif
