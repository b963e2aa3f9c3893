// What was clicked on, in numbers, at the end of the figures.
#include "demo/viewer/ui/panels.h"

#define DOT "  \xE2\x80\xA2  "

static void add_point(view_rows *rows, const char *label, md5_vec3 p)
{
    view_add_row(rows, VIEW_ROW_PAIR, VIEW_PLAIN, label, "%.4g  %.4g  %.4g", (double)p.x,
                 (double)p.y, (double)p.z);
}

// A rotation as in the format: x, y and z of the quaternion with w <= 0.
static void add_transform(view_rows *rows, const char *label, md5_mat34 matrix)
{
    const md5_quat q = md5_quat_from_mat34(matrix);
    const float sign = q.w > 0.0f ? -1.0f : 1.0f;
    add_point(rows, label, md5_mat34_translation(matrix));
    view_add_row(rows, VIEW_ROW_PAIR, VIEW_PLAIN, "Rotation", "(%.4g  %.4g  %.4g)",
                 (double)(sign * q.x), (double)(sign * q.y), (double)(sign * q.z));
}

static void add_weights(const md5_model *model, const view_pick *pick, view_rows *rows)
{
    enum { LISTED = 6 };
    const md5_mesh *const mesh = &model->meshes[pick->mesh];
    const uint32_t first = mesh->first_influence[pick->vertex];
    const uint32_t count = mesh->first_influence[pick->vertex + 1] - first;
    for (uint32_t i = 0; i < count && i < LISTED; i++)
        view_add_row(rows, VIEW_ROW_PAIR, VIEW_PLAIN, i == 0 ? "Weights" : " ", "%.3f  %s",
                     (double)mesh->influences[first + i].w,
                     model->skeleton.joints[mesh->influence_joints[first + i]].name);
    if (count > LISTED)
        view_add_row(rows, VIEW_ROW_PAIR, VIEW_DIM, " ", "and %u more", (unsigned)(count - LISTED));
}

static void add_joint(const view_scene *scene, uint32_t joint, view_rows *rows)
{
    const md5_joint *const of = &scene->skeleton->joints[joint];
    view_add_row(rows, VIEW_ROW_PAIR, VIEW_BRIGHT, "Joint", "%u" DOT "%s", (unsigned)joint,
                 of->name);
    view_add_row(rows, VIEW_ROW_PAIR, VIEW_PLAIN, "Parent", "%s",
                 of->parent >= 0 ? scene->skeleton->joints[of->parent].name : "none");
    add_transform(rows, "Local", view_joint_in_parent(scene, joint));
    add_transform(rows, "Model", view_joint_in_model(scene, joint));
}

static void add_measure(const view_facts *facts, view_rows *rows)
{
    const view_pick *const to = facts->measured;
    if (!to->is_set)
        return;
    const md5_vec3 way = view_pick_difference(&facts->stage.document->scene, facts->pick, to);
    view_add_gap(rows);
    view_add_row(rows, VIEW_ROW_PAIR, VIEW_ACCENT, "Distance", "%.6g units",
                 (double)md5_vec3_length(way));
    add_point(rows, "Difference", way);
    view_add_row(rows, VIEW_ROW_PAIR, VIEW_PLAIN, "To", "mesh %u" DOT "triangle %u",
                 (unsigned)to->mesh, (unsigned)to->triangle);
}

void view_list_pick(const view_facts *facts, view_rows *rows)
{
    const view_scene *const scene = &facts->stage.document->scene;
    const view_pick *const pick = facts->pick;
    if (!pick->is_set || scene->model == NULL)
        return;
    const md5_mesh *const mesh = &scene->model->meshes[pick->mesh];
    const uint32_t *const corners = mesh->indices + 3 * (size_t)pick->triangle;
    const md5_mat34 back = view_model_from_world(scene);
    view_add_gap(rows);
    view_add_row(rows, VIEW_ROW_PAIR, VIEW_ACCENT, "Mesh", "%u" DOT "%s", (unsigned)pick->mesh,
                 mesh->name[0] != '\0' ? mesh->name : mesh->shader);
    view_add_row(rows, VIEW_ROW_PAIR, VIEW_BRIGHT, "Triangle", "%u" DOT "%u %u %u",
                 (unsigned)pick->triangle, (unsigned)corners[0], (unsigned)corners[1],
                 (unsigned)corners[2]);
    view_add_row(rows, VIEW_ROW_PAIR, VIEW_BRIGHT, "Vertex", "%u",
                 (unsigned)mesh->sources[pick->vertex]);
    add_point(rows, "Position", md5_mat34_point(back, view_pick_vertex(scene, pick)));
    view_add_row(rows, VIEW_ROW_PAIR, VIEW_PLAIN, "UV", "%.4f  %.4f",
                 (double)mesh->texcoords[pick->vertex].x, (double)mesh->texcoords[pick->vertex].y);
    add_weights(scene->model, pick, rows);
    if (pick->joint >= 0)
        add_joint(scene, (uint32_t)pick->joint, rows);
    add_measure(facts, rows);
}
