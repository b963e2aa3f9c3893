#!/bin/sh
# Code lines on the viewer's lesson pages: the lines of each page compile as displayed, with only the public headers. If a
# function of the library does the same, the results are equal. The machines on pages are valid.
. test/build/report.sh

cc=${CC:-cc}
pages=demo/viewer/pages
python3 - "$scratch" $pages/pages.txt $pages/*.c <<'END'
import sys
sys.path.insert(0, "render")
import embed
folder, text, *paths = sys.argv[1:]
pages = embed.sections(text)
lines = embed.lines_of(pages, paths)
for name, _, keys in pages:
    machine = "machine" in dict(keys)
    shown = embed.first_lines(lines[name], keys)
    with open("%s/%s.%s" % (folder, name, "md5machine" if machine else "h"), "w") as file:
        file.write(shown)
END
check "more than 20 pages contain C code" [ "$(find "$scratch" -name '*.h' | wc -l)" -gt 20 ]

cat >"$scratch/test.inc" <<'END'
#include "md5/md5curve.h"
#include "md5/md5edit.h"
#include "md5/md5play.h"
#include "md5/md5pose.h"
#include "md5/md5ragdoll.h"
#include "md5/md5skin.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
END
cat >"$scratch/run.inc" <<'END'
// Fixtures of the comparisons: Bobbin, poses of his clips, and checks that numbers are near each other.
enum { JOINTS = 128 };
static md5_model *model;
static uint32_t count; // joints
static int faults;

static void near(const char *what, double found, double expected, double tolerance)
{
    if (!(fabs(found - expected) <= tolerance) && faults++ < 9)
        printf("%s is %.9g, expected %.9g within %g\n", what, found, expected, tolerance);
}

static double apart(md5_vec3 a, md5_vec3 b)
{
    return md5_vec3_length(md5_vec3_sub(a, b));
}

static double turned(md5_quat a, md5_quat b) // degrees
{
    const md5_quat d = md5_quat_mul(md5_quat_conjugate(a), b);
    return 2 * atan2(sqrt((double)d.x * d.x + (double)d.y * d.y + (double)d.z * d.z), fabs(d.w)) * 57.29577951;
}

static void near_poses(const md5_xform *found, const md5_xform *expected, double degrees)
{
    for (uint32_t i = 0; i < count; i++) {
        near("a rotation", turned(found[i].rotation, expected[i].rotation), 0, degrees);
        near("a place", apart(found[i].translation, expected[i].translation), 0, 1e-4);
    }
}

static double number(double low, double high)
{
    static unsigned random = 1;
    random = random * 1664525u + 1013904223u;
    return low + (high - low) * (random >> 8) / 16777216.0;
}

static md5_quat any_turn(void)
{
    const md5_vec3 axis = {(float)number(-1, 1), (float)number(-1, 1), (float)number(-1, 1)};
    return md5_quat_from_axis_angle(axis, (float)number(-3, 3));
}

static md5_binding *clip_of(const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "models/bobbin/%s.md5anim", name);
    md5_anim *const anim = md5_load_anim(path, NULL, NULL);
    return anim ? md5_bind(model, anim, NULL, NULL) : NULL;
}

static void pose_at(const md5_binding *clip, double seconds, md5_xform *pose)
{
    md5_sample(clip, md5_sample_position_at(clip->anim, seconds, MD5_WRAP_LOOP), MD5_ROOT_IN_PLACE, pose);
}

// Returns the palettes [num_frames * count] of moments of the walk, at equal distances. The caller frees them.
static md5_mat34 *walk_palettes(uint32_t num_frames)
{
    static md5_xform pose[JOINTS];
    md5_mat34 *const palettes = calloc(num_frames * count, sizeof *palettes);
    const md5_binding *const walk = clip_of("walk");
    for (uint32_t i = 0; i < num_frames; i++) {
        pose_at(walk, walk->anim->duration * i / num_frames, pose);
        md5_local_to_palette(model, pose, NULL, palettes + i * count);
    }
    return palettes;
}

static uint32_t joint(const char *name)
{
    return md5_find_joint(&model->skeleton, name);
}

static void compare(void);

int main(void)
{
    model = md5_load_model("models/bobbin/bobbin.md5mesh", NULL, NULL);
    if (!model || model->skeleton.num_joints > JOINTS)
        return 2;
    count = model->skeleton.num_joints;
    compare();
    md5_free_model(model);
    return faults > 0;
}
END

compile_program() { # NAME
    # shellcheck disable=SC2086
    $cc -std=c11 -O1 -Wall -Wextra -Werror -Wno-unused-function ${MD5_LINK_FLAGS:-} -I. "$scratch/$1.c" -o "$scratch/$1.out" ${2:-$archives} -lm
}
for path in "$scratch"/*.h; do
    name=${path##*/} name=${name%.h}
    printf '#include "test.inc"\n#include "%s.h"\n' "$name" >"$scratch/$name.c"
    check "the lines of $name compile by themselves" compile_program "$name" -c
done
cat >"$scratch/read.c" <<'END'
#include "test.inc"
int main(void)
{
    static char text[1 << 16];
    md5_error error = {MD5_OK};
    md5_machine_file *const file = md5_parse_machine_file(text, fread(text, 1, sizeof text, stdin), NULL, &error);
    printf("%u:%u: %s\n", error.line, error.column, error.message);
    md5_free_machine_file(file);
    return file == NULL;
}
END
check "the program that reads machines compiles" compile_program read
compare_page() {
    "$scratch/read.out" <"$1"
}
for path in "$scratch"/*.md5machine; do
    check "the machine of $(basename "$path" .md5machine) can be read" compare_page "$path"
done

# check_page_lines NAME <PROGRAM: checks with compare() of a program that the lines of a page do the same as the library.
check_page_lines() {
    { printf '#include "test.inc"\n#include "run.inc"\n#include "%s.h"\n' "$1"; cat; } >"$scratch/$1.c"
    check "the lines of $1 give the results of the library" compiles_and_runs "$1"
}
compiles_and_runs() {
    compile_program "$1" && ASAN_OPTIONS=detect_leaks=0 "$scratch/$1.out"
}

check_page_lines vertex <<'END'
static void compare(void)
{
    static md5_xform pose[JOINTS];
    static md5_mat34 palette[JOINTS];
    pose_at(clip_of("dance"), 1.3, pose);
    md5_local_to_palette(model, pose, NULL, palette);
    for (const md5_mesh *mesh = model->meshes; mesh < model->meshes + model->num_meshes; mesh++) {
        md5_vec3 *const places = calloc(mesh->num_vertices, sizeof *places);
        md5_skin(mesh, palette, places, NULL, NULL);
        for (uint32_t v = 0; v < mesh->num_vertices; v++)
            near("a vertex", apart(skin_vertex(mesh, v, palette), places[v]), 0, 2e-5);
        free(places);
    }
}
END
check_page_lines palette <<'END'
static void compare(void)
{
    static md5_xform pose[JOINTS];
    static md5_mat34 joints[JOINTS], palette[JOINTS];
    pose_at(clip_of("dance"), 1.3, pose);
    md5_local_to_palette(model, pose, joints, palette);
    for (uint32_t i = 0; i < count; i++)
        for (int k = 0; k < 12; k++)
            near("a number", palette_matrix(joints[i], model->bind[i]).m[k], palette[i].m[k], 1e-4);
}
END
check_page_lines dual <<'END'
static void compare(void)
{
    static md5_xform pose[JOINTS];
    static md5_mat34 palette[JOINTS];
    static md5_dual_quat its[JOINTS];
    const md5_binding *const dance = clip_of("dance");
    for (int i = 0; i < 12; i++) {
        pose_at(dance, 0.31 * i, pose);
        const uint32_t twisted = joint(i % 2 ? "neck" : "spine_2"); // and where motions are opposite
        pose[twisted].rotation = md5_quat_mul(pose[twisted].rotation, any_turn());
        md5_local_to_palette(model, pose, NULL, palette);
        md5_build_dual_palette(palette, count, its);
        for (const md5_mesh *mesh = model->meshes; mesh < model->meshes + model->num_meshes; mesh++) {
            md5_vec3 *const places = calloc(mesh->num_vertices, sizeof *places);
            const md5_skin_job job = {.mesh = mesh, .duals = its, .positions = places};
            md5_skin_one(&job);
            for (uint32_t v = 0; v < mesh->num_vertices; v++)
                near("a vertex", apart(skin_dual(mesh, v, its), places[v]), 0, 2e-4);
            free(places);
        }
    }
}
END
check_page_lines additive <<'END'
static void compare(void)
{
    static md5_xform changed[JOINTS], plain[JOINTS], clip[JOINTS], difference[JOINTS], ours[JOINTS], its[JOINTS];
    static const float weights[] = {-1.0f, -0.4f, 0.0f, 0.3f, 1.0f};
    pose_at(clip_of("yawn"), 2.9, changed);
    pose_at(clip_of("stand"), 0.0, plain);
    pose_at(clip_of("walk"), 0.4, clip);
    md5_subtract_pose(changed, plain, count, difference);
    for (int i = 0; i < 5; i++) {
        md5_add_pose(clip, difference, NULL, weights[i], NULL, count, its);
        for (uint32_t k = 0; k < count; k++) {
            const md5_quat turn = rotation_between(plain[k].rotation, changed[k].rotation, false);
            ours[k] = its[k]; // the lines add rotations only
            ours[k].rotation = add_rotation(clip[k].rotation, turn, weights[i], false);
        }
        near_poses(ours, its, 2e-3);
    }
    // Both orders lead from one pose to the other.
    for (int way = 0; way < 2; way++)
        for (uint32_t k = 0; k < count; k++) {
            const md5_quat turn = rotation_between(plain[k].rotation, changed[k].rotation, way == 1);
            near("the pose", turned(add_rotation(plain[k].rotation, turn, 1.0f, way == 1), changed[k].rotation), 0, 2e-3);
        }
}
END
check_page_lines interpolation <<'END'
static void compare(void)
{
    static md5_xform a[JOINTS], b[JOINTS], ours[JOINTS], its[JOINTS];
    const md5_binding *const clip = clip_of("attack");
    for (int i = 0; i < 20; i++) {
        md5_sample_position at = md5_sample_position_at(clip->anim, 0.061 * i, MD5_WRAP_LOOP);
        md5_sample(clip, md5_sample_position_from_frames(clip->anim, at.frame0, at.frame0, 0), MD5_ROOT_IN_PLACE, a);
        md5_sample(clip, md5_sample_position_from_frames(clip->anim, at.frame1, at.frame1, 0), MD5_ROOT_IN_PLACE, b);
        pose_between(a, b, count, at.fraction, i % 2 == 1, ours);
        at.interpolation = i % 2 == 1 ? MD5_INTERPOLATE_NLERP : MD5_INTERPOLATE_LINEAR;
        md5_sample(clip, at, MD5_ROOT_IN_PLACE, its);
        near_poses(ours, its, 1e-3);
    }
}
END
check_page_lines ik <<'END'
static void compare(void)
{
    static md5_xform pose[JOINTS], its[JOINTS];
    const md5_binding *const stand = clip_of("stand");
    for (int i = 0; i < 40; i++) {
        const md5_chain_job job = {.solver = MD5_CHAIN_CCD, .tip = joint("hand_l"), .length = 3 + (uint32_t)i % 5,
                                   .target = {(float)number(0, 14), (float)number(8, 20), (float)number(20, 44)},
                                   .iterations = 300, .weight = 1};
        pose_at(stand, 0, pose);
        memcpy(its, pose, sizeof pose);
        for (uint32_t round = 0; round < job.iterations; round++)
            for (uint32_t k = job.length, j = job.tip; k > 1 && (j = model->skeleton.joints[j].parent) != MD5_NONE; k--) {
                const md5_vec3 hand = md5_joint_in_model(&model->skeleton, pose, job.tip).translation;
                const md5_quat turn = aim_joint(md5_joint_in_model(&model->skeleton, pose, j), hand, job.target);
                pose[j].rotation = md5_quat_mul(pose[j].rotation, turn);
            }
        const double left = apart(md5_joint_in_model(&model->skeleton, pose, job.tip).translation, job.target);
        near("the distance", left, md5_solve_chain(&model->skeleton, &job, its), 0.02);
    }
}
END
check_page_lines walk <<'END'
// On level ground, with the six legs of Thimble.
static void compare(void)
{
    md5_model *const beetle = md5_load_model("models/thimble/thimble.md5mesh", NULL, NULL);
    const md5_skeleton *const skeleton = &beetle->skeleton;
    md5_leg legs[6];
    for (int i = 0; i < 6; i++) {
        char name[24];
        snprintf(name, sizeof name, "foot_%d_%c", i / 2 + 1, "lr"[i % 2]);
        const uint32_t tip = md5_find_joint(skeleton, name), knee = skeleton->joints[tip].parent;
        legs[i] = (md5_leg){.limb = {skeleton->joints[knee].parent, knee, tip}, .swivel = MD5_NONE, .group = (i / 2 + i) % 2};
    }
    const md5_gait_desc desc = {.skeleton = skeleton, .legs = legs, .num_legs = 6, .num_groups = 2,
                                .body = md5_find_joint(skeleton, "body")};
    md5_xform pose[JOINTS];
    md5_gait walk;
    int num_steps = 0, num_stands = 0, num_posed = 0;
    md5_gait_begin(&desc, beetle->bind_local, (md5_xform){.rotation = {.w = 1}}, &walk);
    for (int i = 0; i < 1200; i++) {
        md5_gait_advance(&desc, &walk, (md5_vec3){4, 1, 0}, 0.05f, 1.0 / 120.0);
        const md5_xform body = md5_gait_placement(&walk);
        memcpy(pose, beetle->bind_local, skeleton->num_joints * sizeof *pose);
        md5_gait_pose(&desc, &walk, pose);
        float farthest = 0;
        bool begins = false, stands = true;
        for (int k = 0; k < 6; k++) {
            const md5_foothold *const foot = &walk.feet[k];
            const md5_vec3 way = foot_velocity(foot->home, walk.velocity, walk.turn_rate);
            const md5_vec3 at = foot->is_stepping ? foot->from : foot->position;
            if (!foot->is_stepping || foot->progress == 0.0f)
                farthest = fmaxf(farthest, foot_lag(foot->home, way, md5_xform_point(md5_xform_inverse(body), at)));
            stands &= !foot->is_stepping;
            if (!foot->is_stepping)
                continue;
            if (foot->progress == 0.0f && i > 120) {
                const md5_vec3 to = md5_xform_point(body, plan_step(foot->home, way, walk.seconds));
                near("a step's end, x", foot->to.x, to.x, 1e-3);
                near("a step's end, y", foot->to.y, to.y, 1e-3);
                begins = true;
                num_steps++;
            }
            md5_vec3 ankle = foot_at(foot->from, foot->to, foot->lift, foot->progress);
            ankle.z += foot->rise;
            const md5_vec3 posed = md5_xform_point(body, md5_joint_in_model(skeleton, pose, legs[k].limb.tip).translation);
            num_posed += apart(ankle, posed) < 1e-2;
        }
        // A tenth of the longest step, which is half of the mean distance of homes.
        if (i > 120 && (begins || stands))
            near("a foot lags too far", begins == (farthest > 0.05f * walk.radius), 1, 0);
        num_stands += stands;
    }
    near("steps and stands are seen", num_steps > 30 && num_stands > 30, 1, 0);
    near("ankles are where the lines have them", num_posed > 1000, 1, 0);
    md5_free_model(beetle);
}
END
check_page_lines morph <<'END'
static void compare(void)
{
    static const char *const names[] = {"smile", "oh", "blink"};
    md5_morph_source sources[3] = {{0}};
    for (int i = 0; i < 3; i++) {
        char path[256];
        snprintf(path, sizeof path, "models/bobbin/morphs/%s.md5mesh", names[i]);
        sources[i] = (md5_morph_source){.name = names[i], .model = md5_load_model(path, NULL, NULL)};
    }
    md5_morph *const morph = md5_create_morph(model, sources, 3, NULL, NULL);
    const float weights[3] = {0.8f, -0.4f, 1.3f};
    md5_mat34 still[JOINTS];
    for (uint32_t i = 0; i < count; i++)
        still[i] = (md5_mat34){{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
    for (uint32_t m = 0; m < model->num_meshes; m++) {
        const md5_mesh *const mesh = &model->meshes[m];
        md5_vec3 *const ours = calloc(2 * mesh->num_vertices, sizeof *ours), *const its = ours + mesh->num_vertices;
        memcpy(ours, mesh->positions, mesh->num_vertices * sizeof *ours);
        add_targets(&morph->meshes[m], weights, ours);
        const md5_skin_job job = {.mesh = mesh, .palette = still, .morph = morph, .morph_weights = weights, .positions = its};
        md5_skin_one(&job);
        for (uint32_t v = 0; v < mesh->num_vertices; v++)
            near("a vertex", apart(ours[v], its[v]), 0, 2e-5);
        free(ours);
    }
    md5_destroy_morph(morph);
}
END
check_page_lines bake <<'END'
static void compare(void)
{
    enum { FRAMES = 5 };
    md5_mat34 *const palettes = walk_palettes(FRAMES);
    md5_baked *const baked = md5_create_baked(model, palettes, FRAMES, NULL, NULL);
    const uint32_t n = baked->num_vertices;
    md5_vec3 *const a = calloc(4 * n, sizeof *a), *const b = a + n, *const ours = b + n, *const its = ours + n;
    for (uint32_t i = 0; i < FRAMES; i++) {
        const md5_sample_position sample = {.frame0 = i, .frame1 = (i + 1) % FRAMES, .fraction = (float)number(0, 1)};
        md5_skin_baked(baked, 0, n, (md5_sample_position){.frame0 = sample.frame0}, a, NULL);
        md5_skin_baked(baked, 0, n, (md5_sample_position){.frame0 = sample.frame1}, b, NULL);
        md5_skin_baked(baked, 0, n, sample, its, NULL);
        interpolate(a, b, sample.fraction, n, ours);
        const md5_baked_vertex *const frame = (const void *)((const char *)baked->vertices + frame_offset(i, n));
        for (uint32_t v = 0; v < n; v++) {
            const md5_baked_vertex texel = baked->vertices[frame_texel(i, n, v)];
            const float z = baked->bounds.min.z + baked->step.z * (float)(frame[v].z_normal & 0xffff);
            near("a vertex", apart(ours[v], its[v]), 0, 2e-5);
            near("a vertex at an offset", z, a[v].z, 2e-5);
            near("a texel", memcmp(&texel, &frame[v], sizeof texel), 0, 0);
        }
    }
    md5_destroy_baked(baked);
    free(palettes);
    free(a);
}
END
finish
