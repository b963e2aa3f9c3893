// Losses of data that MD5 cannot store, measured at posed vertices. All readers use the same rule:
// a loss above 1 % of the model's size is an error unless --force is given. A smaller loss is a
// note.
#ifndef DEMO_CONVERT_LOSS_H
#define DEMO_CONVERT_LOSS_H

#include "demo/convert/affine.h"
#include "demo/convert/convert.h"

// The largest displacement of a vertex by the scale of joints. Initialize with {0}.
typedef struct convert_loss {
    double distance; // units
    char clip[48];   // beginning of the name
    uint32_t joint;  // the highest joint in the hierarchy that is scaled
    double time;     // seconds
    const char *mesh;
} convert_loss;

// The poses of a clip, whose vertices are measured.
typedef struct convert_loss_clip {
    const md5_doc *model;
    const char *name;
    uint32_t num_frames;
    size_t num_clips; // clips in the file: with many clips and frames, some vertices are skipped
} convert_loss_clip;

// Returns the largest absolute value in the linear part of a transform.
double convert_max_element(const convert_affine *a);

// Updates the largest displacement by the vertices of one pose. moves[] contains for each joint of
// the model its transform in the file minus its transform in MD5.
void convert_measure_loss(convert_loss *worst, const convert_loss_clip *clip,
                          const convert_affine *moves, double time);

// Reports a loss that is not negligible by a note, and by an error if it is too large and the job
// is not forced. `unit` is the number of MD5 units per unit of the file. Returns false after an
// error.
bool convert_report_loss(const convert_job *job, const convert_loss *loss, const md5_doc *model,
                         double size, double unit, const char *path, md5_error *error);

#endif
