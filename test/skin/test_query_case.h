// Models whose posed shape is known exactly, for the tests of md5skin.h.
#ifndef TEST_SKIN_QUERY_CASE_H
#define TEST_SKIN_QUERY_CASE_H

#include "md5/md5skin.h"

// A character of models/ or test/reference/data, posed at some time of a clip.
typedef struct query_case {
    md5_model *model;
    md5_anim *anim;
    md5_binding *binding;
    md5_mat34 *joints, *palette; // [joints]
    md5_xform *pose;             // [joints]
    md5_vec3 **positions;        // [meshes][vertices] as md5_skin() writes them
} query_case;

// False, with a failed check, if a file cannot be loaded. Free it either way.
bool query_load(query_case *made, const char *mesh_path, const char *anim_path);
void query_pose(query_case *made, double time);
void query_free(query_case *made);

#endif
