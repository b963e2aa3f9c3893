#include "test/play/test_play_hold_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Bones of 10.3: a leg of 20.6 over 18, so that a foot may be moved by 10.
static const char model_text[] =
    "MD5Version 10\ncommandline \"\"\nnumJoints 10\nnumMeshes 0\njoints {\n"
    "\"origin\" -1 ( 0 0 0 ) ( 0 0 0 )\n"
    "\"pelvis\" 0 ( 0 0 20 ) ( 0 0 0 )\n"
    "\"hip_l\" 1 ( 0 3 20 ) ( 0 0 0 )\n"
    "\"knee_l\" 2 ( 5 3 11 ) ( 0 0 0 )\n"
    "\"ankle_l\" 3 ( 0 3 2 ) ( 0 0 0 )\n"
    "\"toe_l\" 4 ( 4 3 1 ) ( 0 0 0 )\n"
    "\"hip_r\" 1 ( 0 -3 20 ) ( 0 0 0 )\n"
    "\"knee_r\" 6 ( 5 -3 11 ) ( 0 0 0 )\n"
    "\"ankle_r\" 7 ( 0 -3 2 ) ( 0 0 0 )\n"
    "\"head\" 1 ( 0 0 40 ) ( 0 0 0 )\n}\n";

// In each of its ten frames a second the character moves ahead by `ahead`, turns by `turn`, the z
// of a quaternion, and its left leg rises by `up`, all from its first frame.
static const struct {
    const char *name;
    double ahead, turn, up;
} clips[HOLD_CLIPS] = {{"still", 0.0, 0.0, 0.0},   {"glides", 0.5, 0.0, 0.0},
                       {"slides", 2.0, 0.0, 0.0},  {"lifts", 0.5, 0.0, 0.1},
                       {"turns", 0.3, 0.01, 0.0},  {"spins", 0.0, -0.02, 0.0},
                       {"twists", 0.0, -0.05, 0.0}};

static md5_anim *make_clip(int number, const md5_load_opts *opts)
{
    static const char *const rows[] = {
        "origin\" -1 33", "pelvis\" 0 0", "hip_l\" 1 4",  "knee_l\" 2 0",  "ankle_l\" 3 0",
        "toe_l\" 4 0",    "hip_r\" 1 0",  "knee_r\" 6 0", "ankle_r\" 7 0", "head\" 1 0"};
    static const char base[] =
        "baseframe { ( 0 0 0 ) ( 0 0 0 ) ( 0 0 20 ) ( 0 0 0 ) ( 0 3 0 ) ( 0 0 0 )\n"
        "( 5 0 -9 ) ( 0 0 0 ) ( -5 0 -9 ) ( 0 0 0 ) ( 4 0 -1 ) ( 0 0 0 )\n"
        "( 0 -3 0 ) ( 0 0 0 ) ( 5 0 -9 ) ( 0 0 0 ) ( -5 0 -9 ) ( 0 0 0 )\n"
        "( 0 0 20 ) ( 0 0 0 ) }\n";
    char text[4096];
    size_t at = (size_t)snprintf(text, sizeof text,
                                 "MD5Version 10 commandline \"\" numFrames %d numJoints 10 "
                                 "frameRate 10 numAnimatedComponents 3\nhierarchy {\n",
                                 HOLD_FRAMES);
    for (int i = 0; i < HOLD_JOINTS; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "\"%s %d\n", rows[i],
                               i == 0   ? 0
                               : i <= 2 ? 2
                                        : 3);
    at += (size_t)snprintf(text + at, sizeof text - at, "}\nbounds {\n");
    for (int i = 0; i < HOLD_FRAMES; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "( 0 0 0 ) ( 1 1 1 )\n");
    at += (size_t)snprintf(text + at, sizeof text - at, "}\n%s", base);
    for (int i = 0; i < HOLD_FRAMES; i++)
        at +=
            (size_t)snprintf(text + at, sizeof text - at, "frame %d { %.9g %.9g %.9g }\n", i,
                             clips[number].ahead * i, clips[number].turn * i, clips[number].up * i);
    md5_error error = {0};
    md5_anim *const anim = md5_parse_anim(text, at, opts, &error);
    CHECK_STRING(error.message, "");
    return anim;
}

// Creates a machine that plays a clip in its only layer and has these words.
void hold_begin_in(holding *of, const char *clip, const char *words, md5_axes axes)
{
    char text[2048];
    memset(of, 0, sizeof *of);
    const md5_load_opts opts = {.axes = axes};
    of->model = md5_parse_model(model_text, sizeof model_text - 1, &opts, NULL);
    size_t at = (size_t)snprintf(text, sizeof text, "machine m { mask head ( head )\n");
    for (int i = 0; i < HOLD_CLIPS; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "clip %s %s { turn }\n", clips[i].name,
                               clips[i].name);
    at += (size_t)snprintf(text + at, sizeof text - at,
                           "layer body { state s %s state still still }\n%s }", clip, words);
    of->file = md5_parse_machine_file(text, at, NULL, &of->error);
    if (!CHECK(of->model) || !of->file)
        return;
    for (int i = 0; i < HOLD_CLIPS; i++) {
        of->anims[i] = make_clip(i, &opts);
        of->bindings[i] = md5_bind(of->model, of->anims[i], NULL, &of->error);
        of->file->clips[i].binding = of->bindings[i];
    }
    of->file->desc.model = of->model;
    of->machine = md5_create_machine(&of->file->desc, NULL, &of->error);
    if (!of->machine)
        return;
    of->player = md5_create_player(of->machine, NULL, NULL);
    of->scratch = malloc(md5_player_pose_scratch(of->machine));
    of->place.rotation.w = 1.0f;
}

void hold_begin(holding *of, const char *clip, const char *words)
{
    hold_begin_in(of, clip, words, MD5_AXES_ID);
    CHECK_STRING(of->error.message, "");
}

void hold_end(holding *of)
{
    free(of->scratch);
    md5_destroy_player(of->player);
    md5_destroy_machine(of->machine);
    md5_free_machine_file(of->file);
    for (int i = 0; i < HOLD_CLIPS; i++) {
        md5_free_binding(of->bindings[i]);
        md5_free_anim(of->anims[i]);
    }
    md5_free_model(of->model);
}

void hold_go_on(holding *of, double seconds)
{
    md5_player_advance(of->player, seconds, NULL, NULL);
    of->place = md5_xform_mul(of->place, md5_player_root_motion(of->player));
    md5_player_pose(of->player, of->pose, NULL, NULL, of->scratch);
}

// Where the sole of a foot is in the world, in id's axes: below its toe, or its ankle.
real3 hold_sole_of(const holding *of, uint32_t joint)
{
    const md5_mat34 axes = md5_mat34_from_axes(of->model->skeleton.axes, 1.0f);
    const float height = joint == TOE_L ? 1.0f : 2.0f;
    const md5_vec3 point = md5_mat34_direction(axes, (md5_vec3){0.0f, 0.0f, -height});
    const md5_xform at =
        md5_xform_mul(of->place, md5_joint_in_model(&of->model->skeleton, of->pose, joint));
    return real3_of(md5_mat34_direction(md5_mat34_inverse(axes), md5_xform_point(at, point)));
}

static double heading_in_degrees(const holding *of, md5_quat rotation)
{
    const md5_mat34 axes = md5_mat34_from_axes(of->model->skeleton.axes, 1.0f);
    const md5_vec3 ahead = md5_mat34_direction(
        md5_mat34_inverse(axes),
        md5_quat_rotate(rotation, md5_mat34_direction(axes, (md5_vec3){1, 0, 0})));
    return atan2((double)ahead.y, (double)ahead.x) * 180.0 / 3.14159265358979;
}

double hold_heading_of(const holding *of, uint32_t joint)
{
    const md5_xform at = md5_joint_in_model(&of->model->skeleton, of->pose, joint);
    return heading_in_degrees(of, md5_quat_mul(of->place.rotation, at.rotation));
}

double hold_body_heading(const holding *of)
{
    return heading_in_degrees(of, of->place.rotation);
}

// Largest distance by which the soles leave their places within so many steps.
double hold_slide(holding *of, int num_steps)
{
    static const uint32_t joints[] = {TOE_L, ANKLE_R};
    double most = 0.0;
    hold_go_on(of, 0.0);
    const real3 was[] = {hold_sole_of(of, TOE_L), hold_sole_of(of, ANKLE_R)};
    for (int i = 0; i < num_steps; i++) {
        hold_go_on(of, HOLD_TICK);
        for (int foot = 0; foot < 2; foot++) {
            const double distance = real3_distance(hold_sole_of(of, joints[foot]), was[foot]);
            most = distance > most ? distance : most;
        }
    }
    return most;
}
