// Lines over the model: the bounding boxes of joints move with their joints.
#include "test/test.h"

#include "demo/viewer/motion/motion.h"
#include "demo/viewer/draw/overlay.h"

#include <math.h>

// Opens files, poses them within the clip, and adds the bounding boxes of the joints.
static bool open_boxes(view_scene *scene, view_lines *lines, const char *const *files,
                       size_t num_files)
{
    view_log log = {.level = VIEW_QUIET};
    if (!CHECK(view_load_scene(scene, files, num_files, false, &log)))
        return false;
    const view_play play = {.time = 0.4, .speed = 1.0};
    view_pose(scene, &play);
    view_skin(scene);
    view_add_joint_bounds(lines, scene);
    return true;
}

static void close_boxes(view_scene *scene, view_lines *lines)
{
    view_free_lines(lines);
    view_free_scene(scene);
}

// A box of 12 edges, the first three of which begin in one corner.
enum { BOX = 24 }; // ends of lines

// How far a point lies outside of a box, as a share of its edges.
static float outside(const md5gl_line_vertex *box, md5_vec3 point)
{
    const md5_vec3 from = md5_vec3_sub(point, box[0].position);
    float farthest = 0.0f;
    for (int axis = 0; axis < 3; axis++) {
        const md5_vec3 edge = md5_vec3_sub(box[2 * axis + 1].position, box[0].position);
        const float at = md5_vec3_dot(from, edge) / md5_vec3_dot(edge, edge);
        farthest = fmaxf(farthest, fabsf(at - 0.5f) - 0.5f);
    }
    return farthest;
}

// Vertices that only one joint moves, in the pose of a clip.
TEST (view_boxes_of_joints_contain_the_vertices_they_move) {
    const char *const files[] = {test_path("models/bobbin/bobbin.md5mesh"),
                                 test_path("models/bobbin/dance.md5anim")};
    enum { MOST_JOINTS = 256 };
    uint32_t box_of[MOST_JOINTS] = {0}, num_boxes = 0, num_held = 0;
    view_scene scene = {0};
    view_lines lines = {0};
    if (open_boxes(&scene, &lines, files, 2) && CHECK(scene.num_joints <= MOST_JOINTS)) {
        const md5_mesh *const meshes = scene.model->meshes;
        for (uint32_t m = 0; m < scene.model->num_meshes; m++)
            for (uint32_t i = 0; i < meshes[m].num_influences; i++)
                box_of[meshes[m].influence_joints[i]] = 1;
        for (uint32_t i = 0; i < scene.num_joints; i++)
            box_of[i] = box_of[i] != 0 ? num_boxes++ : 0;
        CHECK_UINT(lines.count, BOX * num_boxes);
        for (uint32_t m = 0; m < scene.model->num_meshes; m++)
            for (uint32_t v = 0; v < meshes[m].num_vertices; v++) {
                const uint32_t first = meshes[m].first_influence[v];
                if (meshes[m].first_influence[v + 1] != first + 1)
                    continue;
                const uint32_t box = box_of[meshes[m].influence_joints[first]];
                CHECK(outside(&lines.vertices[BOX * box], scene.skinned[m].positions[v]) < 1e-3f);
                num_held++;
            }
        CHECK(num_held > 100);
    }
    close_boxes(&scene, &lines);
}

TEST (view_joints_alone_have_no_boxes) {
    const char *const files[] = {test_path("models/bobbin/dance.md5anim")};
    view_scene scene = {0};
    view_lines lines = {0};
    if (open_boxes(&scene, &lines, files, 1))
        CHECK_UINT(lines.count, 0);
    close_boxes(&scene, &lines);
}
