#include "demo/viewer/scene/entity_play.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Milliseconds: of the engine; a usual time of its scripts.
static const uint32_t tick = 16, fade = 200;
static const double longest_run = 10.0; // seconds

const char *view_channel_name(md5_channel channel)
{
    static const char *const names[MD5_NUM_CHANNELS] = {"all", "torso", "legs", "head", "eyelids"};
    return names[channel];
}

bool view_has_channel(const view_entity *of, md5_channel channel)
{
    const md5_model_def *const def = of->entity->model_def;
    return channel == MD5_CHANNEL_ALL || (def != NULL && def->channels[channel].num_joints > 0);
}

void view_describe_command(const md5_frame_command *command, char *text, size_t size)
{
    const char *const word = md5_frame_code_name(command->code);
    (void)snprintf(text, size, "%s%s%.60s", word != NULL ? word : "",
                   command->text[0] != '\0' ? " " : "", command->text);
}

// -- Actors ---------------------------------------------------------------------------------

// What an actor does by itself is saved, to begin there again.
static void appear(view_entity *of, view_entity_part *part)
{
    const view_entity_part *const above = &of->parts[part->above];
    const bool is_head = part->hung != NULL && strcmp(part->hung->key, "def_head") == 0;
    md5_actor_spawn(part->actor, is_head ? above->entity : part->entity);
    md5_actor_save(part->actor, part->fresh);
}

static void copy_body(view_entity *of)
{
    const uint32_t count = of->entity->num_clips;
    of->clips = common_alloc(count, sizeof *of->clips);
    of->anims = common_alloc(count, sizeof *of->anims);
    for (uint32_t i = 0; i < count; i++) {
        of->anims[i] = *of->entity->clips[i].anim;
        of->anims[i].flags &= ~(uint32_t)MD5_ANIM_RANDOM_CYCLE_START;
        of->clips[i] = of->entity->clips[i];
        of->clips[i].anim = &of->anims[i];
    }
    of->played = *of->entity;
    of->played.clips = of->clips;
}

bool view_start_actors(view_entity *of, md5_error *error)
{
    copy_body(of);
    for (uint32_t i = 0; i < of->num_parts; i++) {
        view_entity_part *const part = &of->parts[i];
        part->actor = md5_create_actor(i == 0 ? &of->played : part->entity, NULL, error);
        if (part->actor == NULL)
            return false;
        appear(of, part);
    }
    for (int c = 0; c < MD5_NUM_CHANNELS; c++)
        of->channels[c] = (view_channel){.clip = -1};
    return true;
}

static double length_of(const view_entity *of, int32_t clip)
{
    const md5_model_anim *const anim = of->entity->clips[clip].anim;
    return 0.001 * anim->milliseconds / (double)anim->rate;
}

static void end_channel(view_entity *of, md5_channel channel)
{
    of->channels[channel].clip = -1;
    md5_actor_clear(of->parts[0].actor, channel, fade);
}

// A clip that was chosen for all channels goes on in those of the body. It begins again, because
// synchronised channels fire no commands.
static void divide(view_entity *of, md5_channel channel)
{
    const view_channel all = of->channels[MD5_CHANNEL_ALL];
    const md5_channel other = channel == MD5_CHANNEL_TORSO ? MD5_CHANNEL_LEGS : MD5_CHANNEL_TORSO;
    if (all.clip < 0 || channel == MD5_CHANNEL_EYELIDS)
        return;
    if (view_has_channel(of, other) && of->channels[other].clip < 0) {
        of->channels[other] = (view_channel){.clip = all.clip};
        md5_actor_cycle(of->parts[0].actor, other, all.clip, fade);
    }
    end_channel(of, MD5_CHANNEL_ALL);
}

// Time 0 becomes that of what is at `time` now.
static void shift_time(view_entity *of, double time)
{
    for (int c = 0; c < MD5_NUM_CHANNELS; c++)
        of->channels[c].start -= time;
    of->begin -= time;
    of->time -= time;
    for (int i = 0; i < VIEW_FIRED; i++)
        of->fired[i].time -= time;
}

bool view_play_channel(view_entity *of, md5_channel channel, int32_t clip)
{
    const md5_entity *const entity = of->entity;
    if (clip < 0) {
        end_channel(of, channel);
        return true;
    }
    if (!view_has_channel(of, channel) || (uint32_t)clip >= entity->num_clips
        || entity->clips[clip].num_files == 0)
        return false;
    shift_time(of, of->time);
    if (channel == MD5_CHANNEL_ALL)
        for (int c = MD5_CHANNEL_TORSO; c < MD5_CHANNEL_EYELIDS; c++)
            end_channel(of, (md5_channel)c);
    else
        divide(of, channel);
    of->channels[channel] = (view_channel){.clip = clip};
    of->focus = channel;
    return md5_actor_cycle(of->parts[0].actor, channel, clip, fade);
}

double view_focus_channel(view_entity *of, md5_channel channel)
{
    const view_channel *const of_channel = &of->channels[channel];
    if (of_channel->clip >= 0) {
        of->focus = channel;
        shift_time(of, of_channel->start);
    }
    return of->time;
}

// -- Time -----------------------------------------------------------------------------------

typedef struct listener {
    view_entity *of;
    double time;
} listener;

static void note_command(void *user, const md5_frame_command *command, const md5_entity_clip *clip,
                         md5_channel channel)
{
    const listener *const heard = user;
    char text[80];
    view_entity *const of = heard->of;
    memmove(&of->fired[1], &of->fired[0], sizeof of->fired - sizeof of->fired[0]);
    view_describe_command(command, text, sizeof text);
    of->fired[0].time = heard->time;
    of->num_fired++;
    (void)snprintf(of->fired[0].text, sizeof of->fired[0].text, "%s %.20s %u: %s",
                   view_channel_name(channel), clip->anim->name, (unsigned)command->frame, text);
}

static void advance(view_entity *of, uint32_t milliseconds, md5_frame_fn *on_frame)
{
    of->clock += milliseconds;
    const listener heard = {of, of->begin + 0.001 * of->clock};
    for (uint32_t i = 0; i < of->num_parts; i++)
        md5_actor_advance(of->parts[i].actor, milliseconds, on_frame, (void *)(uintptr_t)&heard);
}

static void advance_to(view_entity *of, double time, md5_frame_fn *on_frame)
{
    const double milliseconds = floor(1000.0 * (time - of->begin) + 1e-6);
    while (of->clock < milliseconds) {
        const double left = milliseconds - of->clock;
        advance(of, left < (double)tick ? (uint32_t)left : tick, on_frame);
    }
}

// When a channel's clip would have begun to be where it is at `time`, not long before that.
static double begin_of(const view_entity *of, md5_channel channel, double time)
{
    const view_channel *const of_channel = &of->channels[channel];
    const double length = length_of(of, of_channel->clip), passed = time - of_channel->start;
    if (passed >= 0.0 && passed <= longest_run)
        return of_channel->start;
    if (length <= 0.0)
        return time;
    const double within = passed - length * floor(passed / length);
    return time - fmin(within, longest_run);
}

// Actors go forward only: lets them begin anew, so that they are at `time` what they were.
static void begin_anew(view_entity *of, double time)
{
    double begins[MD5_NUM_CHANNELS];
    bool begun[MD5_NUM_CHANNELS] = {false};
    of->begin = time;
    of->clock = 0.0;
    for (int c = 0; c < MD5_NUM_CHANNELS; c++) {
        const bool plays = of->channels[c].clip >= 0;
        begins[c] = plays ? begin_of(of, (md5_channel)c, time) : time;
        of->begin = fmin(of->begin, begins[c]);
    }
    for (uint32_t i = 0; i < of->num_parts; i++)
        (void)md5_actor_restore(of->parts[i].actor, of->parts[i].fresh, sizeof of->parts[i].fresh,
                                NULL);
    for (int i = 0; i < MD5_NUM_CHANNELS; i++) {
        int next = -1;
        for (int c = 0; c < MD5_NUM_CHANNELS; c++)
            if (!begun[c] && (next < 0 || begins[c] < begins[next]))
                next = c;
        begun[next] = true;
        advance_to(of, begins[next], NULL);
        if (of->channels[next].clip >= 0)
            (void)md5_actor_cycle(of->parts[0].actor, (md5_channel)next, of->channels[next].clip,
                                  0);
    }
    advance_to(of, time, NULL);
}

void view_run_entity(view_entity *of, double time)
{
    if (!(fabs(time) < 1e9)) // also NaN
        return;
    if (time < of->time || time > of->time + longest_run)
        begin_anew(of, time);
    else
        advance_to(of, time, note_command);
    of->time = time;
}

// -- Pose -----------------------------------------------------------------------------------

static void pose_part(view_entity *of, view_entity_part *part, md5_xform *pose, md5_mat34 *joints)
{
    const view_entity_part *const above = &of->parts[part->above];
    const uint32_t first = part->first_joint, below = above->first_joint;
    if (part->hung == NULL) {
        md5_actor_pose(part->actor, pose + first, joints + first, NULL);
        part->placed = part->bind;
        return;
    }
    md5_actor_pose(part->actor, pose + first, NULL, NULL);
    md5_entity_part_copy_joints(part->hung, pose + below, joints + below, pose + first);
    md5_local_to_model(&part->entity->model->skeleton, pose + first, joints + first);
    const md5_xform place = md5_entity_part_placement(part->hung, joints + below);
    part->placed = md5_mat34_mul(above->placed, md5_mat34_from_xform(place));
}

// Joints of a part, from its own model space into that of the body.
static void place_part(const view_entity *of, const view_entity_part *part, md5_xform *pose,
                       md5_mat34 *joints)
{
    const md5_skeleton *const skeleton = &part->entity->model->skeleton;
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        const uint32_t joint = part->first_joint + i;
        joints[joint] = md5_mat34_mul(part->placed, joints[joint]);
        if (skeleton->joints[i].parent >= 0)
            continue;
        md5_mat34 local = joints[joint];
        if (part->hung != NULL) {
            const uint32_t parent = of->parts[part->above].first_joint + part->hung->joint;
            local = md5_mat34_mul(md5_mat34_inverse(joints[parent]), local);
        }
        pose[joint] = md5_xform_from_mat34(local);
    }
}

void view_pose_entity(view_entity *of, bool in_place, md5_xform *pose, md5_mat34 *joints)
{
    md5_actor_set_in_place(of->parts[0].actor, in_place);
    for (uint32_t i = 0; i < of->num_parts; i++)
        pose_part(of, &of->parts[i], pose, joints);
    for (uint32_t i = 0; i < of->num_parts; i++) // parents are placed first
        place_part(of, &of->parts[i], pose, joints);
}
