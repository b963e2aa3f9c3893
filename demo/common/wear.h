// Attaches clothes to a body. Clothes are models that follow the joints of another model, the body.
#ifndef DEMO_COMMON_WEAR_H
#define DEMO_COMMON_WEAR_H

#include "md5/md5edit.h"

// The effects of common_attach_clothes(), with which a caller can report clothes that do not fit.
typedef struct common_attached_clothes {
    bool has_common_joint; // a weight follows a joint whose name both models have

    // [joints of the body] Number of joints of the clothes that follow this joint although their
    // names are not in the body. Free it with free().
    uint32_t *num_followers;
    float distance;    // largest displacement of a point
    float size;        // largest distance of a point from the origin
    const char *joint; // joint of the clothes with the largest displacement
} common_attached_clothes;

// Moves the weights of `worn` to the joints of `body` with the same names. Points remain unchanged
// relative to their joints, as if each model had its own palette. If the body has no joint with a
// name, the weights of that joint rigidly follow its nearest ancestor that the body has. If there
// is none, they follow joint 0 of the body.
common_attached_clothes common_attach_clothes(const md5_doc *body, const md5_doc *worn);

#endif
