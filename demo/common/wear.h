// Clothes: models on the joints of another one.
#ifndef DEMO_COMMON_WEAR_H
#define DEMO_COMMON_WEAR_H

#include "md5/md5edit.h"

// What common_wear() has found.
typedef struct common_worn {
    bool is_related;         // a vertex follows a joint that both have
    uint32_t *num_followers; // [joints of the body] that the body lacks, and that follow it; free()
    float distance, size;    // the largest one of a point from where it was, and from the origin
    const char *joint;       // the worn one at which that is
} common_worn;

// Makes the weights of a model those of joints of another one, `body`, of their names. Points stay
// relative to their joints, as with a palette of each model's own. Those of joints that the body
// lacks follow the nearest one above that it has, or the body's first one, rigidly. Time is that of
// sorting the joints.
common_worn common_wear(const md5_doc *body, const md5_doc *worn);

#endif
