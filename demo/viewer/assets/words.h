// Models and clips that are made in memory.
#ifndef DEMO_VIEWER_ASSETS_WORDS_H
#define DEMO_VIEWER_ASSETS_WORDS_H

#include "demo/common/memory.h"
#include "md5/md5model.h"

typedef struct view_text {
    char *text; // free(); not ended by a NUL
    size_t size;
    size_t room;
} view_text;

// Appends at most 200 bytes, as printf().
void view_append(view_text *words, const char *format, ...) COMMON_PRINTF(2, 3);

// Appends a name in quotes. Bytes that a quoted name of an MD5 file cannot hold become '_'.
void view_append_name(view_text *words, const char *name);

// -- Joints and meshes ---------------------------------------------------------------------------
//
// Joints and meshes as an .md5mesh file says them, for models that are joined of several.

// The head of a model, up to its joints; and what its text is read as, which this frees. Returns
// NULL and an error on failure.
void view_begin_model(view_text *words, uint32_t num_joints, uint32_t num_meshes);
md5_model *view_end_model(view_text *words, const char *file_name, md5_error *error);

// Appends a joint; `bind` is its transform in model space.
void view_append_joint(view_text *words, const char *name, uint32_t parent, md5_xform bind);

// A mesh in another skeleton. A weight's joint becomes joints[joint], or first_joint + joint if
// `joints` is NULL; its offset is scaled.
typedef struct view_mesh_text {
    const md5_mesh *mesh;
    const char *material;
    const uint32_t *joints;
    uint32_t first_joint;
    float scale;
} view_mesh_text;
void view_append_mesh(view_text *words, const view_mesh_text *said);

// -- Clips ---------------------------------------------------------------------------------------

// Returns a clip of a model, which must outlive it, that drives all joints; its frames have the
// model's bounds. Write each frame with view_set_frame(). Freed by md5_free_anim().
md5_anim *view_make_anim(const md5_model *model, uint32_t num_frames, double frame_rate);
void view_set_frame(md5_anim *anim, uint32_t frame, const md5_xform *pose); // [joints], local

#endif
