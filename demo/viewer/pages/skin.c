// Lessons on transforms: a chain of transforms, w of quaternions; and on skinning: palette, dual
// quaternions, normals, influences.
#include "demo/viewer/pages/page.h"

// -- A chain of transforms ------------------------------------------------------------------

static const uint32_t hat_links[] = {4, 2, 1, 0}; // number of links from the water to each parent

// lines of chain
// The links are: ship in the water, car on the ship, dragon in the car, head of the dragon.
static md5_xform chain(const md5_xform *links, uint32_t count)
{
    md5_xform place = {.rotation = {.w = 1.0f}};
    for (uint32_t i = 0; i < count; i++)
        place = md5_xform_mul(place, links[i]);
    return place;
}

// Returns the link with which an object keeps its position when its parent changes.
static md5_xform link_to(md5_xform parent, md5_xform object)
{
    return md5_xform_mul(md5_xform_inverse(parent), object);
}
// end of lines

// Computes the links at a time, and the pose of the man.
static void set_links(const view_picture *picture, double time, md5_xform *pose, md5_xform links[4])
{
    const float *const v = picture->values;
    const float wave = sinf((float)fmod(1.2 * time, 6.283185307));
    const float drive = sinf((float)fmod(0.7 * time, 6.283185307));
    links[0] = (md5_xform){
        md5_quat_from_euler((md5_euler){.pitch = 0.3f * v[0] * drive, .roll = v[0] * wave}),
        {.z = 2 * drive},
        0};
    links[1] = (md5_xform){{.w = 1}, {.y = v[1] * drive, .z = 19}, 0};
    links[2] = (md5_xform){md5_quat_from_euler((md5_euler){.yaw = v[2] * drive}), {.z = 1}, 0};
    view_sample_clip(picture, "talk", time, pose);
    links[3] = md5_joint_in_model(picture->skeleton, pose, view_page_joint(picture, "head"));
}

static void draw_outline(view_picture *picture, md5_xform place, const md5_vec2 *points, int count,
                         float scale, float z, view_color color)
{
    for (int i = 0; i <= count; i++) {
        const md5_vec2 p = points[i % count];
        view_draw_to(picture, md5_xform_point(place, (md5_vec3){scale * p.x, scale * p.y, z}),
                     i > 0 ? color : 0);
    }
}

VIEW_SHOW(chain)
{
    (void)v;
    enum { ROUND = 24 };
    static const md5_vec2 deck[] = {{-24, -84}, {24, -84}, {32, 24}, {19, 64},
                                    {0, 90},    {-19, 64}, {-32, 24}};
    static const md5_vec2 body[] = {{-15, -25}, {15, -25}, {15, 25}, {-15, 25}};
    const uint32_t num_links = hat_links[view_choice(picture, 3)];
    const uint32_t head = view_page_joint(picture, "head");
    view_figure *const figure = &picture->figures[0];
    md5_vec2 circle[ROUND];
    md5_xform begin[4], links[4];
    set_links(picture, 0, view_spare_pose(picture, 0), begin);
    set_links(picture, picture->time, figure->pose, links);
    // The hat was placed on the head in the bind pose, and attached to its parent at time 0.
    const md5_xform on_head = link_to(md5_xform_from_mat34(picture->model->bind[head]),
                                      (md5_xform){{.w = 1}, {.z = 53}, 0});
    const md5_xform worn = md5_xform_mul(chain(links, 4), on_head);
    const md5_xform link =
        link_to(chain(begin, num_links), md5_xform_mul(chain(begin, 4), on_head));
    const md5_xform hat = md5_xform_mul(chain(links, num_links), link);
    figure->place = chain(links, 3);
    for (int i = 0; i < ROUND; i++)
        circle[i] = (md5_vec2){cosf(6.28318531f / (float)ROUND * (float)i),
                               sinf(6.28318531f / (float)ROUND * (float)i)};
    for (int i = 0; i < 3; i++) // brim, band and top
        draw_outline(picture, hat, circle, ROUND, i == 0 ? 12 : 7, 6 * (float)i, VIEW_YELLOW);
    for (int i = 0; i < 4; i++) { // from deck to keel, from the car's floor to its rim, wheels
        const float side = i < 2 ? -15 : 15;
        const float along = i % 2 == 0 ? -15 : 15;
        const md5_xform wheel = {{.y = 0.70710678f, .w = 0.70710678f}, {side, along, 0}, 0};
        if (i < 3)
            draw_outline(picture, links[0], deck, 7, 1 - 0.15f * (float)i, 14 - 9 * (float)i,
                         VIEW_BLUE);
        if (i < 2)
            draw_outline(picture, chain(links, 2), body, 4, 1, 12 * (float)i, VIEW_RED);
        draw_outline(picture, md5_xform_mul(chain(links, 2), wheel), circle, ROUND, 5, 0, VIEW_RED);
    }
    for (int i = -4; i <= 4; i++) { // the water
        const float at = 25 * (float)i;
        view_page_line(picture, (md5_vec3){at, -100, 0}, (md5_vec3){at, 100, 0}, 0x4FC9C450u);
        view_page_line(picture, (md5_vec3){-100, at, 0}, (md5_vec3){100, at, 0}, 0x4FC9C450u);
    }
    picture->has_no_floor = true;
    VIEW_FACTS(picture, links[0].translation.z, links[1].translation.z, links[2].translation.z,
               md5_xform_mul(links[3], on_head).translation.z);
    VIEW_FACTS(picture, hat.translation.z, view_distance(hat.translation, worn.translation));
}

// -- W --------------------------------------------------------------------------------------

// lines of quaternion_w
// Computes w, because files contain only x, y and z.
static md5_quat with_w(float x, float y, float z)
{
    const float rest = 1.0f - (x * x + y * y + z * z);
    return (md5_quat){x, y, z, -sqrtf(fabsf(rest))};
}
// end of lines

// Writes a rotation with a number of digits and reads it again. Returns the result, and the
// rotation before rounding in *stored. A quaternion and its negative are the same rotation; the
// quaternion with w <= 0 is stored.
static md5_quat through_text(md5_vec3 axis, float degrees, float digits, md5_quat *stored)
{
    const double scale = pow(10, round((double)digits));
    md5_quat q = md5_quat_from_axis_angle(axis, view_radians(degrees));
    if (q.w > 0)
        q = (md5_quat){-q.x, -q.y, -q.z, -q.w};
    *stored = q;
    return with_w((float)(round(q.x * scale) / scale), (float)(round(q.y * scale) / scale),
                  (float)(round(q.z * scale) / scale));
}

VIEW_SHOW(quaternion_w)
{
    const md5_vec3 axis = md5_vec3_normalize((md5_vec3){v[1], v[2], 0.6f}, (md5_vec3){0, 0, 1});
    md5_quat q = {.w = 1};
    md5_quat back = q;
    for (int i = 0; i < VIEW_PAGE_POINTS + 1; i++) {
        const double x = view_step_x(picture->plots, i, v[0]);
        back = through_text(axis, (float)x, v[3], &q);
        view_plot_step(picture->plots, 0, i, x, view_angle(q, back));
    }
    const md5_quat turns[2] = {q, md5_quat_normalize(back, (md5_quat){.w = 1})};
    for (int i = 0; i < 2; i++)
        view_add_frame(picture, view_spin(&picture->figures[i], turns[i]), 32);
    VIEW_FACTS(picture, 0.6, q.w, back.w, view_angle(q, back));
}

// -- Palette --------------------------------------------------------------------------------

// lines of palette
static md5_mat34 palette_of(md5_mat34 posed, md5_mat34 bind)
{
    // Map from the bind pose to the space of the joint, then to the current pose.
    return md5_mat34_mul(posed, md5_mat34_inverse(bind));
}
// end of lines

VIEW_SHOW(palette)
{
    const uint32_t count = picture->scene->num_joints;
    const uint32_t finger = view_page_joint(picture, "finger_b_2_r");
    const uint32_t shoulder = view_page_joint(picture, "upperarm_r");
    const view_figure *const bind = &picture->figures[0];
    const view_figure *const posed = &picture->figures[1];
    md5_xform *const wave = view_spare_pose(picture, 0);
    md5_mat34 *const joints = common_alloc(2 * (size_t)count, sizeof *joints);
    md5_mat34 *const palette = joints + count;
    view_sample_clip(picture, "wave", v[1], wave);
    md5_blend_poses(picture->model->bind_local, wave, v[0], NULL, count, posed->pose);
    md5_local_to_model(picture->skeleton, posed->pose, joints);
    for (uint32_t j = 0; j < count; j++) {
        palette[j] = palette_of(joints[j], picture->model->bind[j]);
        view_add_bone(picture, bind, j, 0xF1F3F690u);
        view_add_bone(picture, posed, j, 0xF1F3F690u);
    }
    // The matrix of its joint moves the fingertip from the bind pose to the current pose.
    const md5_vec3 tip = md5_mat34_translation(picture->model->bind[finger]);
    const md5_vec3 carried = md5_mat34_point(palette[finger], tip);
    const md5_vec3 from = md5_xform_point(bind->place, tip);
    const md5_vec3 to = md5_xform_point(posed->place, carried);
    view_page_cross(picture, from, 2, VIEW_RED);
    view_page_cross(picture, to, 2, VIEW_RED);
    view_page_line(picture, from, to, VIEW_RED);
    const float *const row = palette[finger].m + 8;
    VIEW_FACTS(picture, tip.x, tip.y, tip.z, row[0], row[1], row[2], row[3], carried.z);
    VIEW_FACTS(picture, view_distance(carried, tip),
               md5_vec3_length(md5_mat34_translation(palette[shoulder])));
    free(joints);
}

// -- Linear and dual ------------------------------------------------------------------------

// lines of dual
// Converts a motion to two quaternions: its rotation, and half of its translation times the
// rotation.
static md5_dual_quat dual_of(md5_xform motion)
{
    const md5_vec3 t = motion.translation;
    const md5_quat half = {0.5f * t.x, 0.5f * t.y, 0.5f * t.z, 0.0f};
    return (md5_dual_quat){motion.rotation, md5_quat_mul(half, motion.rotation)};
}

static float dot(md5_quat a, md5_quat b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

static md5_quat add(md5_quat sum, md5_quat q, float w)
{
    return (md5_quat){sum.x + w * q.x, sum.y + w * q.y, sum.z + w * q.z, sum.w + w * q.w};
}

// Moves a vertex by the weighted sum of the motions, which is normalized.
static md5_vec3 skin_dual(const md5_mesh *mesh, uint32_t vertex, const md5_dual_quat *joints)
{
    const uint32_t first = mesh->first_influence[vertex];
    md5_dual_quat sum = {{0.0f, 0.0f, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f, 0.0f}};
    for (uint32_t i = first; i < mesh->first_influence[vertex + 1]; i++) {
        const md5_dual_quat j = joints[mesh->influence_joints[i]];
        float w = mesh->influences[i].w;
        if (dot(j.real, joints[mesh->influence_joints[first]].real) < 0.0f)
            w = -w; // use the one of q and -q that is nearer to the first joint
        sum.real = add(sum.real, j.real, w);
        sum.dual = add(sum.dual, j.dual, w);
    }
    const md5_quat t = md5_quat_mul(sum.dual, md5_quat_conjugate(sum.real));
    const float twice = 2.0f / dot(sum.real, sum.real);
    const md5_quat turn = md5_quat_normalize(sum.real, joints[0].real);
    return md5_vec3_add(md5_quat_rotate(turn, mesh->positions[vertex]),
                        (md5_vec3){twice * t.x, twice * t.y, twice * t.z});
}
// end of lines

// Returns the size of the waist of a mesh at a joint: the sum of the distances from the vertical
// axis through the joint, over the vertices of which the joint and its descendants have a weight
// between 0.25 and 0.75.
static double waist_size(const md5_model *model, const md5_mesh *mesh, uint32_t joint,
                         const md5_vec3 *positions)
{
    const md5_vec3 axis = md5_mat34_translation(model->bind[joint]);
    double sum = 0;
    for (uint32_t v = 0; v < mesh->num_vertices; v++) {
        float share = 0;
        for (uint32_t i = mesh->first_influence[v]; i < mesh->first_influence[v + 1]; i++) {
            uint32_t above = mesh->influence_joints[i];
            while (above != MD5_NONE && above != joint)
                above = model->skeleton.joints[above].parent;
            share += above != MD5_NONE ? mesh->influences[i].w : 0;
        }
        if (share > 0.25f && share < 0.75f)
            sum += hypot((double)(positions[v].x - axis.x), (double)(positions[v].y - axis.y));
    }
    return sum;
}

VIEW_SHOW(dual)
{
    static const char *const names[2] = {"spine_2", "neck"};
    const uint32_t count = picture->scene->num_joints;
    const uint32_t spine = view_page_joint(picture, names[0]);
    picture->figures[1].kind = VIEW_FIGURE_DUAL;
    for (int i = 0; i < 4; i++) // rotate both joints of both figures about the vertical axis
        view_turn_joint(picture, picture->figures[i / 2].pose, names[i % 2],
                        md5_quat_from_axis_angle((md5_vec3){0, 0, 1}, view_radians(v[i % 2])));
    md5_mat34 *const palette = common_alloc(count, sizeof *palette);
    md5_dual_quat *const dual = common_alloc(count, sizeof *dual);
    double waists[3] = {0, 0, 0};
    double farthest = 0;
    md5_local_to_palette(picture->model, picture->figures[0].pose, NULL, palette);
    for (uint32_t i = 0; i < count; i++)
        dual[i] = dual_of(md5_xform_from_mat34(palette[i]));
    for (uint32_t m = 0; m < picture->model->num_meshes; m++) {
        const md5_mesh *const mesh = &picture->model->meshes[m];
        md5_vec3 *const a = common_alloc(2 * (size_t)mesh->num_vertices, sizeof *a);
        md5_vec3 *const b = a + mesh->num_vertices;
        md5_skin(mesh, palette, a, NULL, NULL);
        for (uint32_t k = 0; k < mesh->num_vertices; k++)
            b[k] = skin_dual(mesh, k, dual);
        const md5_vec3 *const positions[3] = {mesh->positions, a, b};
        for (int i = 0; i < 3; i++)
            waists[i] += waist_size(picture->model, mesh, spine, positions[i]);
        for (uint32_t k = 0; k < mesh->num_vertices; k++) {
            farthest = fmax(farthest, view_distance(a[k], b[k]));
        }
        free(a);
    }
    VIEW_FACTS(picture, 100 * waists[1] / waists[0], 100 * waists[2] / waists[0], farthest);
    free(palette);
    free(dual);
}

// -- Normals of a stretched body ------------------------------------------------------------

// lines of normals
static md5_vec3 carry_normal(md5_mat34 m, md5_vec3 n, bool by_cofactors)
{
    const md5_vec3 x = {m.m[0], m.m[4], m.m[8]};
    const md5_vec3 y = {m.m[1], m.m[5], m.m[9]};
    const md5_vec3 z = {m.m[2], m.m[6], m.m[10]};
    // Correct only for rotations and equal scales.
    if (!by_cofactors)
        return md5_mat34_direction(m, n);
    // The cofactors are the inverse transpose times the determinant, without a division.
    const md5_vec3 along_x = md5_vec3_scale(md5_vec3_cross(y, z), n.x);
    const md5_vec3 along_y = md5_vec3_scale(md5_vec3_cross(z, x), n.y);
    const md5_vec3 along_z = md5_vec3_scale(md5_vec3_cross(x, y), n.z);
    return md5_vec3_add(md5_vec3_add(along_x, along_y), along_z);
}
// end of lines

static double angle_between(md5_vec3 a, md5_vec3 b)
{
    return atan2((double)md5_vec3_length(md5_vec3_cross(a, b)), (double)md5_vec3_dot(a, b))
           * 57.29577951308232;
}

VIEW_SHOW(normals)
{
    static const view_color colors[2] = {VIEW_RED, VIEW_GREEN};
    const md5_mat34 m = {{1, 0, 0, 0, 0, v[0], v[2], 0, 0, 0, v[1], 0}};
    const md5_vec3 to_camera = {0.85f, 0.49f, 0.2f}; // direction of the lessons' camera
    md5_mat34 *const palette = common_alloc(picture->scene->num_joints, sizeof *palette);
    double errors[2] = {0, 0};
    md5_local_to_palette(picture->model, picture->figures[0].pose, NULL, palette);
    for (uint32_t i = 0; i < picture->model->num_meshes; i++) {
        const md5_mesh *const mesh = &picture->model->meshes[i];
        md5_vec3 *const places = common_alloc(2 * (size_t)mesh->num_vertices, sizeof *places);
        md5_vec3 *const normals = places + mesh->num_vertices;
        md5_skin(mesh, palette, places, normals, NULL);
        for (int way = 0; way < 2; way++) {
            const view_figure *const figure = &picture->figures[way];
            for (uint32_t k = 0; k < mesh->num_vertices; k += 9) {
                const md5_vec3 from = md5_xform_point(figure->place, md5_mat34_point(m, places[k]));
                const md5_vec3 normal =
                    md5_vec3_normalize(carry_normal(m, normals[k], way == 1), normals[k]);
                const md5_vec3 outward = carry_normal(m, normals[k], true);
                if (md5_vec3_dot(outward, to_camera) > 0) // only on the visible side
                    view_page_line(picture, from, view_along(from, normal, 4), colors[way]);
            }
            // Compare the normal of each triangle with the normal of its transformed corners.
            for (uint32_t k = 0; k < mesh->num_triangles; k++) {
                const uint32_t *const corner = mesh->indices + 3 * (size_t)k;
                const md5_vec3 a = md5_vec3_sub(places[corner[1]], places[corner[0]]);
                const md5_vec3 b = md5_vec3_sub(places[corner[2]], places[corner[0]]);
                const md5_vec3 true_normal =
                    md5_vec3_cross(md5_mat34_direction(m, a), md5_mat34_direction(m, b));
                errors[way] = fmax(
                    errors[way],
                    angle_between(true_normal, carry_normal(m, md5_vec3_cross(a, b), way == 1)));
            }
        }
        free(places);
    }
    for (int way = 0; way < 2; way++) {
        picture->figures[way].shape = m;
        VIEW_FACTS(picture, errors[way]);
    }
    free(palette);
}

// -- Influences -----------------------------------------------------------------------------

// lines of influences
static float weight_of_joint(const md5_mesh *mesh, uint32_t vertex, uint32_t joint)
{
    for (uint32_t i = mesh->first_influence[vertex]; i < mesh->first_influence[vertex + 1]; i++)
        if (mesh->influence_joints[i] == joint)
            return mesh->influences[i].w;
    return 0.0f;
}
// end of lines

VIEW_SHOW(influences)
{
    (void)v;
    const uint32_t choice = view_choice(picture, 0);
    const uint32_t joint = view_page_joint(picture, view_word(picture, 0));
    picture->heat_joint = choice > 0 ? (int32_t)joint : -1;
    picture->figures[1].kind = VIEW_FIGURE_HEAT;
    for (int i = 0; i < 2; i++) {
        if (view_choice(picture, 1) == 1)
            view_sample_clip(picture, "dance", picture->time, picture->figures[i].pose);
        if (choice > 0)
            view_page_cross(picture, view_joint_place(picture, &picture->figures[i], joint), 2,
                            VIEW_RED);
    }
    const view_heatmap_stats facts = view_measure_heat(picture->model, picture->heat_joint);
    float largest = 0;
    for (uint32_t m = 0; m < picture->model->num_meshes; m++)
        for (uint32_t k = 0; k < picture->model->meshes[m].num_vertices; k++)
            largest = fmaxf(largest, weight_of_joint(&picture->model->meshes[m], k, joint));
    if (choice > 0) {
        view_add_fact(picture, "largest weight", largest, "");
        view_add_fact(picture, "vertices that it moves", facts.num_vertices, "");
    } else {
        view_add_fact(picture, "most joints of a vertex", facts.most, "");
        view_add_fact(picture, "vertices with more than 4", facts.num_vertices, "");
    }
}
