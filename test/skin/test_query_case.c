#include "test/skin/test_query_case.h"

#include "test/test.h"

bool query_load(query_case *made, const char *mesh_path, const char *anim_path)
{
    md5_error error = {0};
    *made = (query_case){0};
    made->model = md5_load_model(test_path(mesh_path), NULL, &error);
    made->anim = md5_load_anim(test_path(anim_path), NULL, &error);
    if (!CHECK(made->model != NULL && made->anim != NULL))
        return false;
    made->binding = md5_bind(made->model, made->anim, NULL, &error);
    const uint32_t num_joints = made->model->skeleton.num_joints;
    made->joints = calloc(num_joints, sizeof(md5_mat34));
    made->palette = calloc(num_joints, sizeof(md5_mat34));
    made->pose = calloc(num_joints, sizeof(md5_xform));
    made->positions = calloc(made->model->num_meshes, sizeof(md5_vec3 *));
    for (uint32_t mesh = 0; mesh < made->model->num_meshes; mesh++)
        made->positions[mesh] = calloc(made->model->meshes[mesh].num_vertices, sizeof(md5_vec3));
    return CHECK(made->binding);
}

void query_pose(query_case *made, double time)
{
    const md5_moment moment = md5_moment_at(made->anim, time, MD5_WRAP_LOOP);
    md5_pose_palette(made->binding, moment, MD5_ROOT_FILE, made->pose, made->joints, made->palette);
    for (uint32_t mesh = 0; mesh < made->model->num_meshes; mesh++)
        md5_skin(&made->model->meshes[mesh], made->palette, made->positions[mesh], NULL, NULL);
}

void query_free(query_case *made)
{
    for (uint32_t mesh = 0; made->positions && mesh < made->model->num_meshes; mesh++)
        free(made->positions[mesh]);
    free(made->positions);
    free(made->pose);
    free(made->palette);
    free(made->joints);
    md5_free_binding(made->binding);
    md5_free_anim(made->anim);
    md5_free_model(made->model);
}
