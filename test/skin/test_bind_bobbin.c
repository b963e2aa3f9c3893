// Automatic weights for Bobbin, whose own weights were made with knowledge of his parts: how far
// the two move his surface apart in his clips.
#include "test/test.h"

#include "md5/md5skin.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct comparison {
    md5_model *model;
    md5_vec3 *positions, *posed; // of all meshes
    uint32_t *indices;
    uint32_t num_positions, num_triangles;
    bool *excluded;
    md5_mat34 *joints, *palette;
    md5_xform *scratch;
    md5_weights *weights;
    double sum, most;
    uint64_t count;
} comparison;

// Joints for which nobody would use weights by distance: parts of the face, things to hold, the
// belly's bounce.
static bool is_special(const char *name)
{
    static const char *const words[] = {"prop", "eye", "lid", "belly", "cheek", "tongue", "twist"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(name, words[i]))
            return true;
    return false;
}

static void join_meshes(comparison *of)
{
    for (uint32_t i = 0; i < of->model->num_meshes; i++) {
        const md5_mesh *const mesh = &of->model->meshes[i];
        memcpy(of->positions + of->num_positions, mesh->positions,
               mesh->num_vertices * sizeof(md5_vec3));
        for (uint32_t k = 0; k < 3 * mesh->num_triangles; k++)
            of->indices[3 * of->num_triangles + k] = of->num_positions + mesh->indices[k];
        of->num_positions += mesh->num_vertices;
        of->num_triangles += mesh->num_triangles;
    }
}

static bool begin(comparison *of)
{
    of->model = md5_load_model(test_path("models/bobbin/bobbin.md5mesh"), NULL, NULL);
    if (!of->model)
        return false;
    const uint32_t num_joints = of->model->skeleton.num_joints;
    size_t num_positions = 0, num_triangles = 0;
    for (uint32_t i = 0; i < of->model->num_meshes; i++) {
        num_positions += of->model->meshes[i].num_vertices;
        num_triangles += of->model->meshes[i].num_triangles;
    }
    of->positions = malloc(num_positions * sizeof *of->positions);
    of->posed = malloc(num_positions * sizeof *of->posed);
    of->indices = malloc(3 * num_triangles * sizeof *of->indices);
    of->excluded = calloc(num_joints, sizeof *of->excluded);
    of->joints = malloc(num_joints * sizeof *of->joints);
    of->palette = malloc(num_joints * sizeof *of->palette);
    of->scratch = malloc(num_joints * sizeof *of->scratch);
    if (!of->positions || !of->posed || !of->indices || !of->excluded || !of->joints || !of->palette
        || !of->scratch)
        return false;
    join_meshes(of);
    for (uint32_t i = 0; i < num_joints; i++)
        of->excluded[i] = is_special(of->model->skeleton.joints[i].name);
    const md5_weights_desc desc = {
        .positions = of->positions,
        .num_positions = of->num_positions,
        .indices = of->indices,
        .num_triangles = of->num_triangles,
        .skeleton = &of->model->skeleton,
        .bind = of->model->bind,
        .excluded = of->excluded,
    };
    of->weights = md5_make_weights(&desc, NULL, NULL);
    return of->weights != NULL;
}

static void end(comparison *of)
{
    md5_free_weights(of->weights);
    free(of->scratch);
    free(of->palette);
    free(of->joints);
    free(of->excluded);
    free(of->indices);
    free(of->posed);
    free(of->positions);
    md5_free_model(of->model);
}

// The distance from the posed vertex to that of the automatic weights, computed as for a file: the
// sum of bias * (joint * offset), in double.
static double distance_to_posed(const comparison *of, uint32_t vertex)
{
    const md5_vertex at = of->weights->vertices[vertex];
    const md5_vec3 posed = of->posed[vertex];
    double off[3] = {-(double)posed.x, -(double)posed.y, -(double)posed.z};
    for (uint32_t i = 0; i < at.num_weights; i++) {
        const md5_weight *const weight = &of->weights->weights[at.first_weight + i];
        const double p[4] = {(double)weight->offset.x, (double)weight->offset.y,
                             (double)weight->offset.z, 1.0};
        for (int row = 0; row < 3; row++)
            for (int k = 0; k < 4; k++)
                off[row] +=
                    (double)weight->bias * (double)of->joints[weight->joint].m[4 * row + k] * p[k];
    }
    return sqrt(off[0] * off[0] + off[1] * off[1] + off[2] * off[2]);
}

static void compare_frame(comparison *of, const md5_binding *binding, uint32_t frame)
{
    const md5_moment moment = md5_moment_from_frames(binding->anim, frame, frame, 0.0f);
    md5_pose_palette(binding, moment, MD5_ROOT_FILE, of->scratch, of->joints, of->palette);
    uint32_t first = 0;
    for (uint32_t i = 0; i < of->model->num_meshes; i++) {
        md5_skin(&of->model->meshes[i], of->palette, of->posed + first, NULL, NULL);
        first += of->model->meshes[i].num_vertices;
    }
    for (uint32_t vertex = 0; vertex < of->num_positions; vertex++) {
        const double off = distance_to_posed(of, vertex);
        of->sum += off;
        of->most = off > of->most ? off : of->most;
        of->count++;
    }
}

static void compare_clip(comparison *of, const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "models/bobbin/%s.md5anim", name);
    md5_anim *const anim = md5_load_anim(test_path(path), NULL, NULL);
    md5_binding *const binding = anim ? md5_bind(of->model, anim, NULL, NULL) : NULL;
    CHECK(binding != NULL);
    for (uint32_t frame = 0; binding && frame < anim->num_frames; frame += 6)
        compare_frame(of, binding, frame);
    md5_free_binding(binding);
    md5_free_anim(anim);
}

// His longest side is 57 units; the mean difference is half of a hundredth of that. The largest
// differences are where distance is not enough: eyes and lids, which move as one with the head
// here, the surface between the thighs, and sleeves.
TEST (bind_poses_bobbin_as_his_own_weights_do) {
    static const char *const clips[] = {
        "attack",        "bow",          "breathe", "carry", "dance",     "fall",
        "get_up",        "hit",          "idle",    "jump",  "jump_air",  "jump_land",
        "jump_start",    "lean",         "point",   "run",   "sneak",     "stand",
        "strafe_left",   "strafe_right", "talk",    "walk",  "turn_left", "turn_right",
        "walk_backward", "wave"};
    comparison of = {0};
    if (CHECK(begin(&of))) {
        for (size_t i = 0; i < sizeof clips / sizeof *clips; i++)
            compare_clip(&of, clips[i]);
        const double mean = of.sum / (double)of.count;
        printf("  Bobbin bound automatically: mean difference %.3f units, largest %.2f\n", mean,
               of.most);
        CHECK_UINT(of.weights->num_distant, 0);
        CHECK(mean > 0.0 && mean < 0.35);
        CHECK(of.most < 10.0);
    }
    end(&of);
}
