// A machine file, and what it makes of a small model: whatever the text says, what can be made can
// be played.
#include "test/fuzz/text.h"

#include "md5/md5play.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char MODEL[] =
    "MD5Version 10 commandline \"\" numJoints 6 numMeshes 1 joints {"
    "\"root\" -1 ( 0 0 0 ) ( 0 0 0 ) \"hip_l\" 0 ( 0 2 9 ) ( 0 0.1 0 )"
    "\"knee_l\" 1 ( 1 2 5 ) ( 0 -0.1 0 ) \"foot_l\" 2 ( 0 2 1 ) ( 0 0 0 )"
    "\"neck\" 0 ( 0 0 12 ) ( 0 0 0.2 ) \"head\" 4 ( 0 0 15 ) ( 0 0 0 ) }"
    "mesh { shader \"\" numverts 1 vert 0 ( 0 0 ) 0 1 numtris 0 numweights 1"
    " weight 0 5 1 ( 1 0 0 ) }";

static const char ANIM[] =
    "MD5Version 10 commandline \"\" numFrames 4 numJoints 6 frameRate 24 numAnimatedComponents 9"
    " hierarchy { \"root\" -1 63 0 \"hip_l\" 0 8 6 \"knee_l\" 1 16 7 \"foot_l\" 2 0 0"
    " \"neck\" 0 0 0 \"head\" 4 32 8 }"
    " bounds { ( 0 0 0 ) ( 1 1 1 ) ( 0 0 0 ) ( 1 1 1 ) ( 0 0 0 ) ( 1 1 1 ) ( 0 0 0 ) ( 1 1 1 ) }"
    " baseframe { ( 0 0 0 ) ( 0 0 0 ) ( 0 2 9 ) ( 0 0.1 0 ) ( 0 0 -4 ) ( 0 -0.2 0 )"
    " ( 0 0 -4 ) ( 0 0 0 ) ( 0 0 12 ) ( 0 0 0.2 ) ( 0 0 3 ) ( 0 0 0 ) }"
    " frame 0 { 0 0 0 0 0 0 0.1 0.2 0 } frame 1 { 1 0 0 0 0 0.1 0.3 -0.2 0.5 }"
    " frame 2 { 2 1 0 0 0.1 0.3 0.1 0.7 0.9 } frame 3 { 3 2 0 0 0 0.6 -0.6 0.2 -0.9 }";

enum { NUM_JOINTS = 6, STEPS = 24 };

static bool is_sound(const md5_transform *pose)
{
    for (int i = 0; i < NUM_JOINTS; i++) {
        const md5_quat q = pose[i].rotation;
        const double square = (double)q.x * (double)q.x + (double)q.y * (double)q.y
                              + (double)q.z * (double)q.z + (double)q.w * (double)q.w;
        if (!(fabs(square - 1.0) <= 1e-4))
            return false;
        const md5_vec3 t = pose[i].translation;
        if (!isfinite(t.x) || !isfinite(t.y) || !isfinite(t.z))
            return false;
    }
    return true;
}

static void forget_event(void *user, md5_player *player, const md5_event *event, float weight)
{
    (void)player, (void)event, (void)weight;
    ++*(size_t *)user;
}

// Parameters, targets and steps of every kind, from the bytes of the machine's name and a count.
static const char *play_machine(md5_player *player, const md5_machine_desc *desc, void *scratch)
{
    static const float values[] = {0.0f, 1.0f, -3.0f, 1e30f, 0.5f};
    static const double seconds[] = {0.03, 0.0, 0.2, -0.07, 2.5, 1e-9};
    md5_transform pose[NUM_JOINTS];
    md5_mat34 joints[NUM_JOINTS], palette[NUM_JOINTS];
    size_t num_events = 0;
    for (uint32_t step = 0; step < STEPS; step++) {
        for (uint32_t i = 0; i < desc->num_parameters; i++)
            md5_player_set(player, i, values[(step + i * 3) % 5]);
        for (uint32_t i = 0; i < desc->num_modifiers; i++) {
            md5_target *const target = md5_player_target(player, i);
            target->weight = step % 3 == 0 ? 1.0f : 0.4f;
            target->position = (md5_vec3){(float)step, 3.0f, 8.0f};
            target->rotation = (md5_quat){0.0f, 0.6f, 0.0f, 0.8f};
            target->has_rotation = step % 2 == 0;
        }
        md5_player_advance(player, seconds[step % 6], forget_event, &num_events);
        md5_player_pose(player, scratch, pose, joints, palette);
        if (!is_sound(pose))
            return "a pose that is none";
        const md5_transform way = md5_player_root_motion(player);
        if (!isfinite(way.translation.x) || !isfinite(way.rotation.w))
            return "a root that goes nowhere";
    }
    return NULL;
}

static const char *machine_fault(md5_machine_file *file)
{
    md5_error error;
    const char *fault = NULL;
    md5_model *const model = md5_parse_model(MODEL, sizeof MODEL - 1, NULL, &error);
    md5_anim *const anim = md5_parse_anim(ANIM, sizeof ANIM - 1, NULL, &error);
    md5_binding *const binding = model && anim ? md5_bind(model, anim, NULL, &error) : NULL;
    if (!binding)
        abort(); // the texts above are wrong
    file->desc.model = model;
    for (uint32_t i = 0; i < file->desc.num_clips; i++)
        file->clips[i].binding = binding;
    md5_machine *const machine = md5_create_machine(&file->desc, NULL, &error);
    if (!machine && (error.status == MD5_OK || !error.message[0]))
        fault = "a machine was refused without a word";
    md5_player *const player = machine ? md5_create_player(machine, NULL, &error) : NULL;
    if (player) {
        void *const scratch = malloc(md5_player_scratch(machine));
        fault = play_machine(player, &file->desc, scratch);
        free(scratch);
    }
    md5_free_player(player);
    md5_free_machine(machine);
    md5_free_binding(binding);
    md5_free_anim(anim);
    md5_free_model(model);
    return fault;
}

FUZZ_TEXT_KIND(machine, md5_machine_file, md5_parse_machine_file, machine_fault,
               md5_free_machine_file)
