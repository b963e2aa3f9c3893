#include "demo/viewer/draw/pick.h"

#include "demo/viewer/motion/motion.h"

#include <math.h>

static const uint32_t edge_color = 0xF1F3F6FF, vertex_color = 0xF2C14EFF;
static const uint32_t measure_color = 0x7CE0FFFF;

// -- Where it is ----------------------------------------------------------------------------

static md5_vec3 corner(const view_scene *scene, const view_pick *pick, uint32_t i)
{
    const uint32_t *const indices = scene->model->meshes[pick->mesh].indices;
    return scene->skinned[pick->mesh].positions[indices[3 * (size_t)pick->triangle + i]];
}

md5_vec3 view_pick_point(const view_scene *scene, const view_pick *pick)
{
    md5_vec3 point = {0, 0, 0};
    for (uint32_t i = 0; i < 3; i++)
        point = md5_vec3_add(point, md5_vec3_scale(corner(scene, pick, i), pick->weights[i]));
    return point;
}

md5_vec3 view_pick_vertex(const view_scene *scene, const view_pick *pick)
{
    return scene->skinned[pick->mesh].positions[pick->vertex];
}

// The corner of the triangle that is nearest to the spot.
static uint32_t nearest_vertex(const view_scene *scene, const view_pick *pick)
{
    const uint32_t *const indices = scene->model->meshes[pick->mesh].indices;
    const md5_vec3 point = view_pick_point(scene, pick);
    uint32_t nearest = 0;
    float least = INFINITY;
    for (uint32_t i = 0; i < 3; i++) {
        const float distance = md5_vec3_length(md5_vec3_sub(corner(scene, pick, i), point));
        if (distance >= least)
            continue;
        least = distance;
        nearest = indices[3 * (size_t)pick->triangle + i];
    }
    return nearest;
}

// -- Finding --------------------------------------------------------------------------------

md5_ray view_lens_ray(const view_lens *lens, float x, float y, float width, float height)
{
    const float across = (2.0f * x / width - 1.0f - lens->shift_x) * lens->half_x;
    const float up = (1.0f - 2.0f * y / height - lens->shift_y) * lens->half_y;
    const md5_vec3 aside =
        md5_vec3_add(md5_vec3_scale(lens->axes.right, across), md5_vec3_scale(lens->axes.up, up));
    const md5_vec3 back = lens->axes.back;
    if (lens->orthographic) // from behind the eye, as far as its near plane
        return (md5_ray){.origin = md5_vec3_add(md5_vec3_add(lens->eye, aside),
                                                md5_vec3_scale(back, -lens->near_z)),
                         .direction = md5_vec3_scale(back, -1.0f)};
    return (md5_ray){.origin = lens->eye, .direction = md5_vec3_sub(aside, back)};
}

static bool find_hit(const view_scene *scene, uint64_t hidden, const md5_ray *ray, md5_hit *nearest)
{
    bool is_hit = false;
    for (uint32_t i = 0; i < scene->model->num_meshes; i++) {
        const bool is_hidden = i < 64 && (hidden >> i & 1) != 0;
        md5_hit hit;
        if (is_hidden
            || !md5_raycast_mesh(ray, &scene->model->meshes[i], scene->skinned[i].positions, &hit)
            || (is_hit && hit.t >= nearest->t))
            continue;
        is_hit = true;
        *nearest = hit;
        nearest->mesh = i;
    }
    return is_hit;
}

view_pick view_find_pick(view_scene *scene, uint64_t hidden, const md5_ray *ray)
{
    md5_hit hit;
    md5_ray outside = *ray;
    outside.front_only = true;
    if (scene->model == NULL)
        return (view_pick){.is_set = false};
    view_skin(scene);
    if (!find_hit(scene, hidden, &outside, &hit) && !find_hit(scene, hidden, ray, &hit))
        return (view_pick){.is_set = false};
    view_pick pick = {.is_set = true,
                      .mesh = hit.mesh,
                      .triangle = hit.triangle,
                      .joint = hit.joint,
                      .weights = {hit.weights[0], hit.weights[1], hit.weights[2]}};
    pick.vertex = nearest_vertex(scene, &pick);
    return pick;
}

// -- Drawing --------------------------------------------------------------------------------

static void add_cross(view_lines *lines, md5_vec3 at, float size, uint32_t color)
{
    static const md5_vec3 axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int axis = 0; axis < 3; axis++) {
        const md5_vec3 arm = md5_vec3_scale(axes[axis], size);
        view_add_line(lines, md5_vec3_sub(at, arm), md5_vec3_add(at, arm), color);
    }
}

void view_add_pick(view_lines *lines, const view_scene *scene, const view_pick *pick, float size)
{
    for (uint32_t i = 0; i < 3; i++)
        view_add_line(lines, corner(scene, pick, i), corner(scene, pick, (i + 1) % 3), edge_color);
    add_cross(lines, view_pick_vertex(scene, pick), size, vertex_color);
}

void view_add_measure(view_lines *lines, const view_scene *scene, const view_pick *from,
                      const view_pick *to, float size)
{
    const md5_vec3 begin = view_pick_point(scene, from), end = view_pick_point(scene, to);
    view_add_line(lines, begin, end, measure_color);
    add_cross(lines, begin, size, measure_color);
    add_cross(lines, end, size, measure_color);
}

// -- Spaces ---------------------------------------------------------------------------------

md5_mat34 view_model_from_world(const view_scene *scene)
{
    const md5_mat34 back = md5_mat34_from_xform(md5_xform_inverse(view_place_of(scene)));
    return scene->turn.is_set ? md5_mat34_mul(md5_mat34_inverse(scene->turn.matrix), back) : back;
}

md5_vec3 view_pick_difference(const view_scene *scene, const view_pick *from, const view_pick *to)
{
    const md5_vec3 way = md5_vec3_sub(view_pick_point(scene, to), view_pick_point(scene, from));
    return md5_mat34_direction(view_model_from_world(scene), way);
}

md5_mat34 view_joint_in_model(const view_scene *scene, uint32_t joint)
{
    return md5_mat34_mul(view_model_from_world(scene), scene->joints[joint]);
}

md5_mat34 view_joint_in_parent(const view_scene *scene, uint32_t joint)
{
    const int32_t parent = scene->skeleton->joints[joint].parent;
    if (parent < 0)
        return view_joint_in_model(scene, joint);
    return md5_mat34_mul(md5_mat34_inverse(scene->joints[parent]), scene->joints[joint]);
}
