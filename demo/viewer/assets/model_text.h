// Creates models and clips in memory. A model is written as the text of an .md5mesh file, which is
// then parsed.
#ifndef DEMO_VIEWER_ASSETS_MODEL_TEXT_H
#define DEMO_VIEWER_ASSETS_MODEL_TEXT_H

#include "demo/common/memory.h"
#include "md5/md5model.h"

// A text that grows. Zero-initialize it.
typedef struct view_text {
    char *text; // free(); without a terminating NUL
    size_t size;
    size_t capacity;
} view_text;

// Appends a text formatted as by printf(), at most 200 bytes.
void view_append(view_text *output, const char *format, ...) COMMON_PRINTF(2, 3);

// Appends a name in quotes. Bytes that a quoted name of an MD5 file cannot contain become '_'.
void view_append_name(view_text *output, const char *name);

// -- Joints and meshes ---------------------------------------------------------------------------
//
// Joints and meshes in the format of an .md5mesh file, for a model that is merged from several
// models.

// view_begin_model() appends the header of a model up to its joints. view_end_model() parses the
// text and frees it; returns NULL and an error on failure.
void view_begin_model(view_text *output, uint32_t num_joints, uint32_t num_meshes);
md5_model *view_end_model(view_text *output, const char *file_name, md5_error *error);

// Appends a joint; `bind` is its transform in model space.
void view_append_joint(view_text *output, const char *name, uint32_t parent, md5_xform bind);

// A mesh that is written for another skeleton. The joint of each weight becomes joints[joint], or
// first_joint + joint if `joints` is NULL. The offset of each weight is multiplied by `scale`.
typedef struct view_mesh_text {
    const md5_mesh *mesh;
    const char *material;
    const uint32_t *joints;
    uint32_t first_joint;
    float scale;
} view_mesh_text;
void view_append_mesh(view_text *output, const view_mesh_text *input);

// -- Clips ---------------------------------------------------------------------------------------

// Returns a clip of a model, which must outlive the clip. The clip animates all joints, and its
// frames have the model's bounds. The caller writes each frame with view_set_frame(), and frees the
// clip with md5_free_anim().
md5_anim *view_make_anim(const md5_model *model, uint32_t num_frames, double frame_rate);
void view_set_frame(md5_anim *anim, uint32_t frame, const md5_xform *pose); // [joints], local

#endif
