// Skinning: w of quaternions, palette, dual quaternions, influences, automatic weights.
#include "demo/viewer/pages/page.h"

#include "demo/common/file.h"
#include "demo/common/memory.h"
#include "demo/viewer/assets/surfaces.h"
#include "md5/md5pose.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// In degrees, of rotations of any length: digits that floats lack would show.
static double angle_of(md5_quat a, md5_quat b)
{
    const double ax = (double)a.x, ay = (double)a.y, az = (double)a.z, aw = (double)a.w;
    const double bx = (double)b.x, by = (double)b.y, bz = (double)b.z, bw = (double)b.w;
    const double x = aw * bx - ax * bw - ay * bz + az * by,
                 y = aw * by + ax * bz - ay * bw - az * bx,
                 z = aw * bz - ax * by + ay * bx - az * bw,
                 cosine = ax * bx + ay * by + az * bz + aw * bw;
    return 2.0 * atan2(sqrt(x * x + y * y + z * z), fabs(cosine)) * 57.29577951308232;
}

// -- W --------------------------------------------------------------------------------------

// lines of quaternion_w
// The files hold x y z only.
static md5_quat with_w(float x, float y, float z)
{
    const float rest = 1.0f - (x * x + y * y + z * z);
    return (md5_quat){x, y, z, -sqrtf(fabsf(rest))};
}
// end of lines

// What is left of a quaternion that is written with so many digits, and read again.
static md5_quat through_text(md5_quat q, float digits)
{
    const double scale = pow(10.0, round((double)digits));
    const float x = (float)(round((double)q.x * scale) / scale),
                y = (float)(round((double)q.y * scale) / scale),
                z = (float)(round((double)q.z * scale) / scale);
    return with_w(x, y, z);
}

static void show_w(view_picture *picture)
{
    const float *const v = picture->values;
    const md5_vec3 axis = md5_vec3_normalize((md5_vec3){v[1], v[2], 0.6f}, (md5_vec3){0, 0, 1});
    const float turn = v[0] / 57.2957795f;
    // A quaternion and its negative are the same rotation: the one with w <= 0 is stored.
    md5_quat q = md5_quat_from_axis_angle(axis, turn);
    if (q.w > 0.0f)
        q = (md5_quat){-q.x, -q.y, -q.z, -q.w};
    const md5_quat back = through_text(q, v[3]);
    const md5_quat unit = md5_quat_normalize(back, (md5_quat){.w = 1.0f});
    for (int which = 0; which < 2; which++) {
        const float y = which == 0 ? -34.0f : 34.0f;
        view_figure *const figure = view_add_figure(picture, 0.0f, y);
        const md5_xform spin = {.rotation = which == 0 ? q : unit, .translation = {0.0f, y, 30.0f}};
        const md5_xform down = {.rotation = {.w = 1.0f}, .translation = {0.0f, 0.0f, -27.0f}};
        figure->place = md5_xform_mul(spin, down);
        view_add_frame(picture, spin, 32.0f);
        view_add_label(picture, (md5_vec3){0.0f, y, 66.0f}, VIEW_PLAIN_TEXT,
                       which == 0 ? "x y z w" : "x y z of the text");
    }
    view_add_plot(picture, "error, degrees, over the angle", "angle, degrees",
                  (md5_vec2){0.0f, 0.0f}, (md5_vec2){360.0f, 1.0f});
    view_add_series(picture, "of this axis", VIEW_YELLOW);
    for (int i = 0; i <= 128; i++) {
        const float angle = 360.0f * (float)i / 128.0f;
        md5_quat a = md5_quat_from_axis_angle(axis, angle / 57.2957795f);
        if (a.w > 0.0f)
            a = (md5_quat){-a.x, -a.y, -a.z, -a.w};
        const md5_quat b = through_text(a, v[3]);
        view_add_point(picture, angle, (float)angle_of(a, b));
    }
    view_fit_plot(picture);
    picture->plots[0].low.y = 0.0f;
    view_show_box(picture, (md5_vec3){-32.0f, -62.0f, 0.0f}, (md5_vec3){32.0f, 62.0f, 68.0f});
    view_add_fact(picture, "w", (double)q.w, "");
    view_add_fact(picture, "w rebuilt", (double)back.w, "");
    view_add_fact(picture, "error of the rotation", angle_of(q, back), "°");
}

const view_page view_page_quaternion_w = {
    .name = "quaternion_w",
    .title = "W rebuilt from x y z",
    .family = "Skinning",
    .about = "Files store x, y and z of each unit quaternion; w follows from its length, with a "
             "sign by convention. Rounded digits cost most near 180 degrees, where w is 0.",
    .model = "bobbin/bobbin.md5mesh",
    .start = 0.0,
    .sliders = {{"angle, degrees", 0.0f, 360.0f, 170.0f, NULL, false},
                {"axis x", -1.0f, 1.0f, 0.4f, NULL, false},
                {"axis y", -1.0f, 1.0f, 0.3f, NULL, false},
                {"digits", 1.0f, 7.0f, 2.0f, NULL, true}},
    .num_sliders = 4,
    .show = show_w,
};

// -- Palette --------------------------------------------------------------------------------

// lines of palette
static md5_mat34 palette_of(md5_mat34 posed, md5_mat34 bind)
{
    // From the bind pose into the joint's own space, and out to where the joint is now.
    return md5_mat34_mul(posed, md5_mat34_inverse(bind));
}
// end of lines

static void show_palette(view_picture *picture)
{
    const md5_model *const model = picture->scene->model;
    const uint32_t count = picture->scene->num_joints,
                   finger = view_page_joint(picture, "finger_b_2_r"),
                   shoulder = view_page_joint(picture, "upperarm_r");
    md5_xform *const wave = view_spare_pose(picture, 0);
    view_sample_clip(picture, "wave", (double)picture->values[1], wave);
    for (int posed = 0; posed < 2; posed++) {
        const float y = posed == 0 ? -28.0f : 28.0f;
        view_figure *const figure = view_add_figure(picture, 0.0f, y);
        if (posed == 1)
            md5_blend_poses(model->bind_local, wave, picture->values[0], NULL, count, figure->pose);
        view_add_label(picture, (md5_vec3){0.0f, y, 59.0f}, VIEW_PLAIN_TEXT,
                       posed == 0 ? "bind pose" : "palette * bind pose");
        for (uint32_t j = 0; j < count; j++)
            if (model->skeleton.joints[j].parent >= 0)
                view_add_stroke(
                    picture,
                    view_joint_place(picture, figure, (uint32_t)model->skeleton.joints[j].parent),
                    view_joint_place(picture, figure, j), 0xF1F3F690u);
    }
    md5_mat34 *const joints = common_alloc(2 * (size_t)count, sizeof *joints);
    md5_mat34 *const palette = joints + count;
    const view_figure *const figure = &picture->figures[1];
    md5_local_to_palette(model, figure->pose, joints, palette);
    float largest = 0.0f;
    for (uint32_t j = 0; j < count; j++) {
        const md5_mat34 own = palette_of(joints[j], model->bind[j]);
        for (int i = 0; i < 12; i++)
            largest = fmaxf(largest, fabsf(own.m[i] - palette[j].m[i]));
    }
    // The fingertip is carried from the bind pose to the pose by its joint's matrix.
    const md5_vec3 tip = md5_mat34_translation(model->bind[finger]);
    const md5_vec3 at = md5_mat34_point(palette[finger], tip);
    const md5_vec3 from = md5_vec3_add(tip, picture->figures[0].place.translation);
    const md5_vec3 to = md5_xform_point(figure->place, at);
    view_add_cross(picture, from, 2.0f, VIEW_RED);
    view_add_cross(picture, to, 2.0f, VIEW_RED);
    view_add_stroke(picture, from, to, VIEW_RED);
    const md5_vec3 moved = md5_mat34_translation(palette[shoulder]);
    view_add_fact(picture, "ours to the library's", (double)largest, "");
    view_add_fact(picture, "fingertip moves", (double)md5_vec3_length(md5_vec3_sub(at, tip)),
                  "units");
    view_add_fact(picture, "shoulder's matrix moves 0 by", (double)md5_vec3_length(moved), "units");
    free(joints);
    view_show_box(picture, (md5_vec3){-22.0f, -52.0f, 0.0f}, (md5_vec3){22.0f, 54.0f, 62.0f});
}

const view_page view_page_palette = {
    .name = "palette",
    .title = "Bind pose and palette",
    .family = "Skinning",
    .about = "A loaded mesh has its vertices in the bind pose. A palette has one matrix for each "
             "joint that carries them from there to the pose: the posed joint times the inverse "
             "of its bind pose.",
    .model = "bobbin/bobbin.md5mesh",
    .start = 0.0,
    .sliders = {{"bind 0, clip 1", 0.0f, 1.0f, 1.0f, NULL, false},
                {"seconds", 0.0f, 3.5f, 1.6f, NULL, false}},
    .num_sliders = 2,
    .show = show_palette,
};

// -- Linear and dual ------------------------------------------------------------------------

// lines of dual
static void skin_both(const md5_mesh *mesh, const md5_mat34 *palette, uint32_t num_joints,
                      md5_dual_quat *dual, md5_vec3 *linear_positions, md5_vec3 *dual_positions)
{
    md5_skin(mesh, palette, linear_positions, NULL, NULL);
    md5_build_dual_palette(palette, num_joints, dual);
    const md5_skin_job job = {.mesh = mesh, .duals = dual, .positions = dual_positions};
    md5_skin_batch(&job, 1, NULL);
}
// end of lines

// How far a mesh reaches from the vertical axis through a joint, where this joint and those below
// it have between a quarter and three quarters of the weight: its waist there, summed over
// vertices.
static double waist_of(const md5_model *model, const md5_mesh *mesh, uint32_t joint,
                       const md5_vec3 *positions)
{
    const md5_vec3 axis = md5_mat34_translation(model->bind[joint]);
    double sum = 0.0;
    for (uint32_t v = 0; v < mesh->num_vertices; v++) {
        float share = 0.0f;
        for (uint32_t i = mesh->first_influence[v]; i < mesh->first_influence[v + 1]; i++) {
            int32_t above = (int32_t)mesh->influence_joints[i];
            while (above >= 0 && above != (int32_t)joint)
                above = model->skeleton.joints[above].parent;
            share += above >= 0 ? mesh->influences[i].w : 0.0f;
        }
        if (share > 0.25f && share < 0.75f)
            sum += hypot((double)(positions[v].x - axis.x), (double)(positions[v].y - axis.y));
    }
    return sum;
}

// A joint is turned about the vertical.
static void twist(const view_picture *picture, const char *name, float degrees, md5_xform *pose)
{
    const uint32_t joint = view_page_joint(picture, name);
    const md5_quat turn =
        md5_quat_from_axis_angle((md5_vec3){0.0f, 0.0f, 1.0f}, degrees / 57.2957795f);
    const md5_xform change = {.rotation = turn, .translation = {NAN, NAN, NAN}};
    (void)md5_modify_joint(picture->scene->skeleton, joint, MD5_JOINT_MODEL, change, 1.0f, pose);
}

static void measure_skins(view_picture *picture, const md5_xform *pose)
{
    const md5_model *const model = picture->scene->model;
    const uint32_t count = picture->scene->num_joints, spine = view_page_joint(picture, "spine_2");
    md5_mat34 *const joints = common_alloc(2 * (size_t)count, sizeof *joints);
    md5_dual_quat *const dual = common_alloc(count, sizeof *dual);
    double waists[3] = {0.0, 0.0, 0.0}, farthest = 0.0;
    md5_local_to_palette(model, pose, joints, joints + count);
    for (uint32_t m = 0; m < model->num_meshes; m++) {
        const md5_mesh *const mesh = &model->meshes[m];
        md5_vec3 *const a = common_alloc(2 * (size_t)mesh->num_vertices, sizeof *a);
        md5_vec3 *const b = a + mesh->num_vertices;
        skin_both(mesh, joints + count, count, dual, a, b);
        waists[0] += waist_of(model, mesh, spine, mesh->positions);
        waists[1] += waist_of(model, mesh, spine, a);
        waists[2] += waist_of(model, mesh, spine, b);
        for (uint32_t v = 0; v < mesh->num_vertices; v++)
            farthest = fmax(farthest, (double)md5_vec3_length(md5_vec3_sub(a[v], b[v])));
        free(a);
    }
    view_add_fact(picture, "waist, linear", 100.0 * waists[1] / waists[0], "% of the bind pose");
    view_add_fact(picture, "waist, dual", 100.0 * waists[2] / waists[0], "% of the bind pose");
    view_add_fact(picture, "farthest apart", farthest, "units");
    free(joints);
    free(dual);
}

static void show_dual(view_picture *picture)
{
    for (int dual = 0; dual < 2; dual++) {
        const float y = dual == 0 ? -26.0f : 26.0f;
        view_figure *const figure = view_add_figure(picture, 0.0f, y);
        figure->kind = dual == 1 ? VIEW_FIGURE_DUAL : VIEW_FIGURE_LIT;
        twist(picture, "spine_2", picture->values[0], figure->pose);
        twist(picture, "neck", picture->values[1], figure->pose);
        view_add_label(picture, (md5_vec3){0.0f, y, 58.0f}, VIEW_PLAIN_TEXT,
                       dual == 1 ? "dual quaternions" : "linear");
    }
    measure_skins(picture, picture->figures[0].pose);
    view_show_box(picture, (md5_vec3){-24.0f, -50.0f, 0.0f}, (md5_vec3){24.0f, 50.0f, 60.0f});
}

const view_page view_page_dual = {
    .name = "dual",
    .title = "Linear and dual quaternion skinning",
    .family = "Skinning",
    .about =
        "Linear skinning averages the positions to which the joints move a vertex, and narrows "
        "where joints twist. Dual quaternions blend the rigid motions.",
    .model = "bobbin/bobbin.md5mesh",
    .start = 0.0,
    .sliders = {{"waist, degrees", -170.0f, 170.0f, 140.0f, NULL, false},
                {"neck, degrees", -170.0f, 170.0f, -120.0f, NULL, false}},
    .num_sliders = 2,
    .show = show_dual,
};

// -- Influences -----------------------------------------------------------------------------

static const char *const heat_names[] = {"how many",  "hips", "spine_2", "chest",   "upperarm_l",
                                         "forearm_l", "head", "jaw",     "ear_2_l", "tail_3"};

static const char *heat_word(float value)
{
    return heat_names[(int)value < 10 ? (int)value : 9];
}

// lines of influences
static float weight_of_joint(const md5_mesh *mesh, uint32_t vertex, uint32_t joint)
{
    for (uint32_t i = mesh->first_influence[vertex]; i < mesh->first_influence[vertex + 1]; i++)
        if (mesh->influence_joints[i] == joint)
            return mesh->influences[i].w;
    return 0.0f;
}
// end of lines

static void show_influences(view_picture *picture)
{
    const md5_model *const model = picture->scene->model;
    const int choice = view_choice(picture, 0);
    picture->heat_joint = choice > 0 ? (int32_t)view_page_joint(picture, heat_names[choice]) : -1;
    const bool moves = picture->values[1] > 0.5f;
    for (int heat = 0; heat < 2; heat++) {
        const float y = heat == 0 ? -26.0f : 26.0f;
        view_figure *const figure = view_add_figure(picture, 0.0f, y);
        figure->kind = heat == 1 ? VIEW_FIGURE_HEAT : VIEW_FIGURE_LIT;
        if (moves)
            view_sample_clip(picture, "dance", picture->time, figure->pose);
        if (choice > 0)
            view_add_cross(picture,
                           view_joint_place(picture, figure, (uint32_t)picture->heat_joint), 2.0f,
                           VIEW_RED);
    }
    const view_heat_facts facts = view_measure_heat(model, picture->heat_joint);
    double most = 0.0;
    for (uint32_t m = 0; m < model->num_meshes && choice > 0; m++)
        for (uint32_t v = 0; v < model->meshes[m].num_vertices; v++)
            most = fmax(
                most, (double)weight_of_joint(&model->meshes[m], v, (uint32_t)picture->heat_joint));
    view_add_fact(picture, choice > 0 ? "largest weight" : "most joints of a vertex",
                  choice > 0 ? most : facts.most, "");
    view_add_fact(picture, choice > 0 ? "vertices that it moves" : "vertices with more than 4",
                  (double)facts.num_vertices, "");
    view_show_box(picture, (md5_vec3){-26.0f, -50.0f, 0.0f}, (md5_vec3){24.0f, 50.0f, 58.0f});
}

static const char *yes_word(float value)
{
    return value < 0.5f ? "no" : "yes";
}

const view_page view_page_influences = {
    .name = "influences",
    .title = "Influences as heat",
    .family = "Skinning",
    .about = "Each vertex follows some joints, by weights: red is 1, blue near 0, grey 0. Or the "
             "number of joints per vertex: blue one, red four and more.",
    .model = "bobbin/bobbin.md5mesh",
    .start = 0.6,
    .sliders = {{"joint", 0.0f, 9.0f, 3.0f, heat_word, false},
                {"dance", 0.0f, 1.0f, 0.0f, yes_word, false}},
    .num_sliders = 2,
    .show = show_influences,
};

// == A character with automatic weights in place of its own ================================

// -- Weights --------------------------------------------------------------------------------

static bool is_special(const char *name)
{
    static const char *const words[] = {"prop", "eye", "lid", "belly", "cheek", "tongue", "twist"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (common_contains(name, words[i]))
            return true;
    return false;
}

md5_weights *view_bind_weights(const md5_model *model, md5_weights_desc desc, md5_error *error)
{
    const uint32_t num_joints = model->skeleton.num_joints;
    size_t num_positions = 0, num_indices = 0;
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        num_positions += model->meshes[i].num_vertices;
        num_indices += 3 * (size_t)model->meshes[i].num_triangles;
    }
    md5_vec3 *const positions = common_alloc(num_positions, sizeof *positions);
    uint32_t *const indices = common_alloc(num_indices, sizeof *indices);
    bool *const excluded = common_alloc(num_joints, sizeof *excluded);
    uint32_t first = 0;
    size_t at = 0;
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        const md5_mesh *const mesh = &model->meshes[i];
        memcpy(positions + first, mesh->positions, mesh->num_vertices * sizeof *positions);
        for (uint32_t k = 0; k < 3 * mesh->num_triangles; k++)
            indices[at++] = first + mesh->indices[k];
        first += mesh->num_vertices;
    }
    for (uint32_t i = 0; i < num_joints; i++)
        excluded[i] = is_special(model->skeleton.joints[i].name);
    desc.positions = positions;
    desc.num_positions = first;
    desc.indices = indices;
    desc.num_triangles = (uint32_t)(num_indices / 3);
    desc.skeleton = &model->skeleton;
    desc.bind = model->bind;
    desc.excluded = excluded;
    md5_weights *const weights = md5_make_weights(&desc, NULL, error);
    free(positions);
    free(indices);
    free(excluded);
    return weights;
}

// -- Model ----------------------------------------------------------------------------------

typedef struct text {
    char *bytes;
    size_t size, room;
} text;

enum { LINE = 512 }; // bytes of a line, at the most

// Where the next line goes: LINE bytes.
static char *next(text *to)
{
    if (to->room - to->size < LINE) {
        to->room = 2 * to->room + 65536;
        to->bytes = common_realloc(to->bytes, to->room, 1);
    }
    return to->bytes + to->size;
}

// Adds what snprintf() wrote to next().
static void add(text *to, int size)
{
    to->size += size > 0 && size < LINE ? (size_t)size : 0;
}

static void write_joints(text *to, const md5_model *model)
{
    add(to, snprintf(next(to), LINE,
                     "MD5Version 10\ncommandline \"\"\n\nnumJoints %u\nnumMeshes %u\n\njoints {\n",
                     model->skeleton.num_joints, model->num_meshes));
    for (uint32_t i = 0; i < model->skeleton.num_joints; i++) {
        const md5_joint *const joint = &model->skeleton.joints[i];
        md5_xform at = md5_xform_from_mat34(model->bind[i]);
        // The file leaves w out, which is negative there.
        const float sign = at.rotation.w > 0.0f ? -1.0f : 1.0f;
        add(to, snprintf(next(to), LINE, "\t\"%.300s\" %d ( %.9g %.9g %.9g ) ( %.9g %.9g %.9g )\n",
                         joint->name, (int)joint->parent, (double)at.translation.x,
                         (double)at.translation.y, (double)at.translation.z,
                         (double)(sign * at.rotation.x), (double)(sign * at.rotation.y),
                         (double)(sign * at.rotation.z)));
    }
    add(to, snprintf(next(to), LINE, "}\n"));
}

static void write_mesh(text *to, const md5_mesh *mesh, const md5_weights *weights, uint32_t first)
{
    uint32_t num_weights = 0;
    add(to, snprintf(next(to), LINE, "\nmesh {\n\tshader \"%.300s\"\n\n\tnumverts %u\n",
                     mesh->shader, mesh->num_vertices));
    for (uint32_t v = 0; v < mesh->num_vertices; v++) {
        const uint32_t count = weights->vertices[first + v].num_weights;
        add(to, snprintf(next(to), LINE, "\tvert %u ( %.9g %.9g ) %u %u\n", v,
                         (double)mesh->texcoords[v].x, (double)mesh->texcoords[v].y, num_weights,
                         count));
        num_weights += count;
    }
    add(to, snprintf(next(to), LINE, "\n\tnumtris %u\n", mesh->num_triangles));
    for (uint32_t t = 0; t < mesh->num_triangles; t++)
        add(to, snprintf(next(to), LINE, "\ttri %u %u %u %u\n", t, mesh->indices[3 * t],
                         mesh->indices[3 * t + 1], mesh->indices[3 * t + 2]));
    add(to, snprintf(next(to), LINE, "\n\tnumweights %u\n", num_weights));
    uint32_t at = 0;
    for (uint32_t v = 0; v < mesh->num_vertices; v++) {
        const md5_vertex vertex = weights->vertices[first + v];
        for (uint32_t i = 0; i < vertex.num_weights; i++) {
            const md5_weight *const weight = &weights->weights[vertex.first_weight + i];
            add(to, snprintf(next(to), LINE, "\tweight %u %u %.9g ( %.9g %.9g %.9g )\n", at++,
                             weight->joint, (double)weight->bias, (double)weight->offset.x,
                             (double)weight->offset.y, (double)weight->offset.z));
        }
    }
    add(to, snprintf(next(to), LINE, "}\n"));
}

// Creates a copy of a model with these weights; free it with md5_free_model(). Vertices are those
// of the model, in the same order.
static md5_model *bound_model(const md5_model *model, const md5_weights *weights, md5_error *error)
{
    text file = {.bytes = NULL};
    uint32_t first = 0;
    write_joints(&file, model);
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        write_mesh(&file, &model->meshes[i], weights, first);
        first += model->meshes[i].num_vertices;
    }
    md5_model *const bound = md5_parse_model(file.bytes, file.size, NULL, error);
    free(file.bytes);
    return bound;
}

// == Automatic weights =====================================================================
//
// Automatic weights: the character bound by distance, beside its own weights.

enum { NUM_MOMENTS = 24 }; // of the clip, at which both are compared

static const char *const clips[] = {"walk", "run", "dance", "wave", "jump"};

// The difference that is red, units.
static const float red_units = 3.0f;

static const char *clip_word(float value)
{
    return clips[(int)value < 5 ? (int)value : 4];
}

// lines of bind
static md5_weights *bind_by_distance(const md5_model *model, uint32_t voxels, uint32_t influences,
                                     uint32_t rounds, float falloff)
{
    const md5_weights_desc desc = {.resolution = voxels,
                                   .max_influences = influences,
                                   .smoothing = rounds,
                                   .no_smoothing = rounds == 0,
                                   .falloff = falloff > 0.0f ? falloff : MD5_ZERO};
    return view_bind_weights(model, desc, NULL); // fills in vertices, triangles, and the skeleton
}
// end of lines

typedef struct bound_work {
    md5_xform *pose;
    md5_mat34 *joints, *palette;
    md5_vec3 *own, *bound; // of one mesh
} bound_work;

// Widens error[vertices of all meshes] at one moment; returns the sum of the distances.
static double compare(const bound_work *work, const md5_model *own, const md5_model *bound,
                      float *error)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < own->num_meshes; i++) {
        md5_skin(&own->meshes[i], work->palette, work->own, NULL, NULL);
        md5_skin(&bound->meshes[i], work->palette, work->bound, NULL, NULL);
        for (uint32_t v = 0; v < own->meshes[i].num_vertices; v++, error++) {
            const float off = md5_vec3_length(md5_vec3_sub(work->own[v], work->bound[v]));
            *error = fmaxf(*error, off);
            sum += (double)off;
        }
    }
    return sum;
}

// Whether both have the same vertices; returns how many, and those of the largest mesh.
static bool is_alike(const md5_model *own, const md5_model *bound, uint32_t *vertices,
                     uint32_t *most)
{
    *vertices = *most = 0;
    for (uint32_t i = 0; i < own->num_meshes; i++) {
        const uint32_t count = own->meshes[i].num_vertices;
        if (bound == NULL || bound->meshes[i].num_vertices != count)
            return false;
        *vertices += count;
        *most = count > *most ? count : *most;
    }
    return true;
}

static void measure(const view_picture *picture, const view_clip *clip, view_kept *kept,
                    uint32_t vertices, uint32_t most)
{
    const md5_model *const own = picture->scene->model;
    const uint32_t joints = own->skeleton.num_joints;
    bound_work work = {.pose = common_alloc(joints, sizeof *work.pose),
                       .joints = common_alloc(2 * (size_t)joints, sizeof *work.joints),
                       .own = common_alloc(2 * (size_t)most, sizeof *work.own)};
    work.palette = work.joints + joints;
    work.bound = work.own + most;
    double sum = 0.0, largest = 0.0;
    for (uint32_t i = 0; i < NUM_MOMENTS; i++) {
        const double time = clip->anim->duration * i / (double)NUM_MOMENTS;
        const md5_moment moment = md5_moment_at(clip->anim, time, MD5_WRAP_LOOP);
        md5_pose_palette(clip->binding, moment, MD5_ROOT_IN_PLACE, work.pose, work.joints,
                         work.palette);
        sum += compare(&work, own, kept->bound, kept->heat);
    }
    for (uint32_t v = 0; v < vertices; v++) {
        largest = fmax(largest, (double)kept->heat[v]);
        kept->heat[v] /= red_units;
    }
    kept->numbers[0] = sum / ((double)vertices * (double)NUM_MOMENTS);
    kept->numbers[1] = largest;
    free(work.pose);
    free(work.joints);
    free(work.own);
}

static void keep_bind(const view_picture *picture, view_kept *kept)
{
    const md5_model *const own = picture->scene->model;
    const view_clip *const clip = view_page_clip(picture, clips[view_choice(picture, 4)]);
    md5_weights *const weights =
        bind_by_distance(own, (uint32_t)view_choice(picture, 0), (uint32_t)view_choice(picture, 1),
                         (uint32_t)view_choice(picture, 2), picture->values[3]);
    uint32_t vertices, most;
    if (weights == NULL)
        return;
    kept->numbers[2] = (double)weights->num_voxels;
    kept->numbers[3] = (double)weights->num_bound;
    kept->bound = bound_model(own, weights, NULL);
    md5_free_weights(weights);
    if (clip != NULL && is_alike(own, kept->bound, &vertices, &most)) {
        kept->heat = common_alloc(vertices, sizeof *kept->heat);
        measure(picture, clip, kept, vertices, most);
    }
}

static void show_bind(view_picture *picture)
{
    static const view_figure_kind kinds[3] = {VIEW_FIGURE_LIT, VIEW_FIGURE_BOUND, VIEW_FIGURE_HEAT};
    static const char *const labels[3] = {"his own weights", "by distance", "difference"};
    view_show_box(picture, (md5_vec3){-30.0f, -66.0f, 0.0f}, (md5_vec3){20.0f, 66.0f, 60.0f});
    if (picture->kept == NULL || picture->kept->heat == NULL)
        return;
    for (int i = 0; i < 3; i++) {
        const float y = 46.0f * (float)(i - 1);
        view_figure *const figure = view_add_figure(picture, 0.0f, y);
        figure->kind = kinds[i];
        view_sample_clip(picture, clips[view_choice(picture, 4)], picture->time, figure->pose);
        view_add_label(picture, (md5_vec3){0.0f, y, 61.0f}, VIEW_PLAIN_TEXT, labels[i]);
    }
    view_add_fact(picture, "mean difference", picture->kept->numbers[0], "units");
    view_add_fact(picture, "largest difference", picture->kept->numbers[1], "units");
    view_add_fact(picture, "red is", (double)red_units, "units");
    view_add_fact(picture, "voxels inside", picture->kept->numbers[2], "");
    view_add_fact(picture, "joints with weights", picture->kept->numbers[3], "");
}

const view_page view_page_bind = {
    .name = "bind",
    .title = "Automatic weights",
    .family = "Skinning",
    .about = "Weights from distances: each vertex is bound to the joints nearest to it along paths "
             "through the voxels inside the surface. Colour: the largest difference from his own "
             "weights over the clip.",
    .model = "bobbin/bobbin.md5mesh",
    .start = 0.9,
    .sliders = {{"voxels along him", 12.0f, 96.0f, 40.0f, NULL, true},
                {"influences", 1.0f, 8.0f, 4.0f, NULL, true},
                {"rounds of smoothing", 0.0f, 12.0f, 3.0f, NULL, true},
                {"falloff", 0.0f, 1.0f, 1.0f, NULL, false},
                {"clip", 0.0f, 4.0f, 2.0f, clip_word, false}},
    .num_sliders = 5,
    .show = show_bind,
    .keep = keep_bind,
    .num_kept = 5,
};
