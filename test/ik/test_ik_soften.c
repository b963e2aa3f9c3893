// The softening of a limb near its reach: its formula, and its values in the demo's machine file
// and in the manual.
#include "test/ik/test_ik_case.h"

#include "md5/md5play.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A leg of 10 and 8 units below a hip at the origin, bent forward.
static void make_leg(ik_rig *rig)
{
    uint64_t random = 1;
    ik_make_rig(rig, 3, 1.0, &random);
    const float angle = 0.2f;
    rig->pose[rig->chain[0]] = (md5_xform){{0, sinf(-angle), 0, cosf(angle)}, {0, 0, 0}, 0};
    rig->pose[rig->chain[1]] = (md5_xform){{0, sinf(angle), 0, cosf(angle)}, {0, 0, -10}, 0};
    rig->pose[rig->chain[2]] = (md5_xform){{0, 0, 0, 1}, {0, 0, -8}, 0};
}

// The distance from hip to foot for a target `distance` units away from the hip.
static double reached(double distance, float soften)
{
    ik_rig rig;
    make_leg(&rig);
    const md5_two_bone_job job = {
        .tip = rig.chain[2],
        .target = {0.0f, 0.0f, (float)-distance},
        .numbers.soften = soften,
        .weight = 1.0f,
    };
    md5_solve_two_bone(&rig.skeleton, &job, rig.pose);
    return real3_length(ik_place(&rig.skeleton, rig.pose, rig.chain[2]).at);
}

TEST (ik_soften_is_the_exponential_of_the_header) {
    const double reach = 18.0;
    double worst_inside = 0.0, worst_beyond = 0.0;
    for (int share = 1; share <= 40; share++) {
        const float soften = (float)share / 40.0f;
        const double onset = reach * (1.0 - (double)soften);
        for (int i = 0; i <= 400; i++) {
            const double distance = (double)(float)(2.5 + 0.25 * i); // up to x of 5.7 or more
            const double x = (distance - onset) / (reach * (double)soften);
            const double expected = x <= 0.0 ? distance : reach * (1.0 - (double)soften * exp(-x));
            const double error = fabs(reached(distance, soften) - fmax(expected, 2.0)) / reach;
            if (x <= 0.0)
                worst_inside = fmax(worst_inside, error);
            else
                worst_beyond = fmax(worst_beyond, error);
        }
    }
    CHECK_NEAR(worst_inside, 0.0, 1e-6);
    CHECK_NEAR(worst_beyond, 0.0, 1e-6);
}

// Loads a machine file of the project, to be released by md5_free_machine_file().
static md5_machine_file *load_machine(const char *path)
{
    md5_error error = {0};
    md5_machine_file *const file = md5_load_machine_file(test_path(path), NULL, &error);
    CHECK_STRING(error.message, "");
    return file;
}

static double distance_in_model(const md5_skeleton *skeleton, const md5_xform *pose, uint32_t a,
                                uint32_t b)
{
    return real3_length(real3_sub(ik_place(skeleton, pose, a).at, ik_place(skeleton, pose, b).at));
}

// The farthest miss, as a share of the reach, for targets from half of the reach to nine tenths.
static double worst_miss(const md5_model *model, uint32_t tip, float soften)
{
    const md5_skeleton *const skeleton = &model->skeleton;
    md5_xform pose[128];
    double worst = 0.0;
    for (int i = 0; i <= 40; i++) {
        if (!CHECK(skeleton->num_joints <= 128))
            return 1.0;
        memcpy(pose, model->bind_local, skeleton->num_joints * sizeof *pose);
        const uint32_t middle = skeleton->joints[tip].parent;
        const uint32_t root = skeleton->joints[middle].parent;
        const double reach = distance_in_model(skeleton, pose, tip, middle)
                             + distance_in_model(skeleton, pose, middle, root);
        const double distance = reach * (0.5 + 0.01 * i);
        const real3 from = ik_place(skeleton, pose, root).at;
        const md5_two_bone_job job = {
            .tip = tip,
            .target = {(float)(from.x + 0.8 * distance), (float)from.y,
                       (float)(from.z + 0.6 * distance)},
            .numbers.soften = soften,
            .weight = 1.0f,
        };
        md5_solve_two_bone(skeleton, &job, pose);
        const real3 miss = real3_sub(ik_place(skeleton, pose, tip).at, real3_of(job.target));
        worst = fmax(worst, real3_length(miss) / reach);
    }
    return worst;
}

TEST (ik_soften_of_page_reach_hits_what_is_well_within_reach) {
    md5_machine_file *const file = load_machine("models/bobbin/page_reach.md5machine");
    md5_model *const model = md5_load_model(test_path("models/bobbin/bobbin.md5mesh"), NULL, NULL);
    uint32_t num_limbs = 0;
    for (uint32_t i = 0; CHECK(file && model) && i < file->desc.num_modifiers; i++) {
        const md5_modifier_desc *const modifier = &file->desc.modifiers[i];
        if (modifier->kind != MD5_MODIFIER_TWO_BONE)
            continue;
        const uint32_t tip = md5_find_joint(&model->skeleton, modifier->joint);
        CHECK_NEAR(worst_miss(model, tip, modifier->two_bone.soften), 0.0, 1e-5);
        num_limbs++;
    }
    CHECK_UINT(num_limbs, 1);
    md5_free_model(model);
    md5_free_machine_file(file);
}

// The example of the manual: its text between the first two fences.
TEST (ik_soften_of_the_manual_is_small) {
    size_t size;
    char *const text = test_read_file(test_path("md5/play/machine_files.md"), &size);
    if (!CHECK(text))
        return;
    char *const begin = strstr(text, "```\n") + 4;
    const size_t length = (size_t)(strstr(begin, "```") - begin);
    md5_error error = {0};
    md5_machine_file *const file = md5_parse_machine_file(begin, length, NULL, &error);
    CHECK_STRING(error.message, "");
    float most = 0.0f;
    for (uint32_t i = 0; CHECK(file) && i < file->desc.num_modifiers; i++)
        most = fmaxf(most, file->desc.modifiers[i].two_bone.soften);
    CHECK(most > 0.0f && most <= 0.1f);
    md5_free_machine_file(file);
    free(text);
}
