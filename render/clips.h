// Clips in the layout that animate.comp reads: clip_rows.c builds it, clips.c uploads it and poses
// from it.
//
// All clips share one array of nodes and one of rows, so that a crowd that plays any of the clips
// is posed in the same dispatch. Invariant: a clip's first nodes are the model's joints in the
// model's order, so a joint's index is its node's index within the clip.
#ifndef MD5GL_CLIPS_H
#define MD5GL_CLIPS_H

#include "render/gl_internal.h"

// Flags of a node.
enum { MD5GL_NODE_ROTATES = 1, MD5GL_NODE_TRANSLATES = 2, MD5GL_NODE_ROOT = 4 };

// A joint to pose. A clip's first nodes are the model's joints, in their order, followed by joints
// that only the clip has and that are ancestors of those.
typedef struct md5gl_node {
    uint32_t parent;                // node of the same clip; its own index = no parent
    uint32_t rotation, translation; // indices of the rows in the first frame
    uint32_t flags;
} md5gl_node;

typedef struct md5gl_row {
    float x, y, z, w;
} md5gl_row;

typedef struct md5gl_clip {
    const md5_binding *binding;  // valid only while the clips are built
    uint32_t num_frames, stride; // rows per frame
    uint32_t first_node, num_nodes;
    // Joint 0 of the clip: translation in frame 0 and in the base frame, and displacement from base
    // to last frame. See MD5_ROOT_ID.
    md5_vec3 root_first, root_base, root_displacement;
} md5gl_clip;

// Nodes and rows of all clips, in memory of the renderer's allocator. The first rows are the
// model's inverse bind pose, three per joint.
typedef struct md5gl_clip_data {
    md5gl_node *nodes;
    size_t num_nodes, node_capacity;
    md5gl_row *rows;
    size_t num_rows;
} md5gl_clip_data;

// Fills the clips, whose bindings must be set, and the data. `max_nodes` limits the nodes of a
// clip, `max_bytes` the size of each array. On failure there is nothing to free.
bool md5gl_make_clip_data(const md5gl_renderer *renderer, md5gl_clip *clips, uint32_t num_clips,
                          uint32_t max_nodes, size_t max_bytes, md5gl_clip_data *data,
                          md5_error *error);
void md5gl_free_clip_data(const md5gl_renderer *renderer, md5gl_clip_data *data);

#endif
