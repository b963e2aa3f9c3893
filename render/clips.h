// Clips as animate.comp reads them: what clip_rows.c makes and clips.c poses from.
#ifndef MD5GL_CLIPS_H
#define MD5GL_CLIPS_H

#include "render/gl_internal.h"

// Flags of a node.
enum { MD5GL_NODE_TURNS = 1, MD5GL_NODE_MOVES = 2, MD5GL_NODE_ROOT = 4 };

// What moves. A clip's first nodes are the model's joints, in their order; behind them come joints
// that only the clip has and that some of those hang on.
typedef struct md5gl_node {
    uint32_t parent;                // of the clip's nodes; itself = none
    uint32_t rotation, translation; // rows, in the first frame
    uint32_t flags;
} md5gl_node;

typedef struct md5gl_row {
    float x, y, z, w;
} md5gl_row;

typedef struct md5gl_clip {
    const md5_binding *binding;  // while it is made
    uint32_t num_frames, stride; // rows of a frame
    uint32_t first_node, num_nodes;
    md5_vec3 root_first, root_base, root_way; // of the clip's joint 0: see MD5_ROOT_ID
} md5gl_clip;

// All clips' nodes and rows, in memory of the renderer's allocator. The first rows are the model's
// inverse bind pose, three a joint.
typedef struct md5gl_clip_data {
    md5gl_node *nodes;
    size_t num_nodes, room_for_nodes;
    md5gl_row *rows;
    size_t num_rows;
} md5gl_clip_data;

// Fills the clips, whose bindings are set, and the data. `most_nodes` is how many a clip may have,
// `most_bytes` how long either array may be. On failure there is nothing to free.
bool md5gl_make_clip_data(const md5gl_renderer *renderer, md5gl_clip *clips, uint32_t num_clips,
                          uint32_t most_nodes, size_t most_bytes, md5gl_clip_data *data,
                          md5_error *error);
void md5gl_free_clip_data(const md5gl_renderer *renderer, md5gl_clip_data *data);

#endif
