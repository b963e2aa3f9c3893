#include "demo/viewer/scene/pose_faults.h"

#include "demo/common/memory.h"

#include <stdlib.h>

// Blended matrices are no rotations: at every joint that bends, normal and tangent are a few
// degrees off. 6 degrees show in the light of a normal map.
static const float most_skew = 0.1f;

view_faults view_find_mesh_faults(view_scene *scene, uint32_t mesh, bool *marks)
{
    const md5_mesh *const of = &scene->model->meshes[mesh];
    const view_skinned *const skinned = &scene->skinned[mesh];
    md5_vec4 *const tangents =
        of->tangents != NULL ? common_alloc((size_t)of->num_vertices + 1, sizeof *tangents) : NULL;
    view_skin_mesh(scene, mesh, tangents);
    const view_directed pose = {skinned->positions, skinned->normals, tangents, most_skew};
    const view_faults faults = view_find_faults_in(of, &pose, marks);
    free(tangents);
    return faults;
}

view_faults view_find_pose_faults(view_scene *scene)
{
    view_faults faults = {.num_short = 0};
    if (scene->model != NULL)
        view_ready_skin(scene);
    for (uint32_t i = 0; scene->model != NULL && i < scene->model->num_meshes; i++)
        faults = view_add_faults(faults, view_find_mesh_faults(scene, i, NULL));
    return faults;
}

view_clip_faults view_find_clip_faults(view_scene *scene)
{
    const md5_anim *const anim = scene->model != NULL ? view_shown_anim(scene) : NULL;
    view_clip_faults found = {.num_frames = anim != NULL ? anim->num_frames : 0};
    for (uint32_t frame = 0; frame < found.num_frames; frame++) {
        const md5_moment moment = {.frame0 = frame, .frame1 = frame};
        view_pose_moment(scene, &moment);
        const view_faults faults = view_find_pose_faults(scene);
        found.num_faulty += view_count_faults(&faults) > 0;
        if (frame == 0 || view_count_faults(&faults) > view_count_faults(&found.worst)) {
            found.worst = faults;
            found.worst_frame = frame;
        }
    }
    return found;
}
