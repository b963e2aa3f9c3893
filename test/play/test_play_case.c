// Implements test_play_case.h: the character, its clips, their samples in double precision, and the
// fixtures.
#include "test/scoped.h"
#include "test/play/test_play_case.h"

#include <stdarg.h>

#define TURN 6.283185307179586

const char *const play_joint_names[PLAY_JOINTS] = {
    "origin", "pelvis", "spine", "chest", "head",  "larm",
    "lhand",  "rarm",   "rhand", "lhip",  "lknee", "lfoot",
};

static const int parents[PLAY_JOINTS] = {-1, 0, 1, 2, 3, 3, 5, 3, 7, 1, 9, 10};

// Translations from the parent joint in the bind pose, which has no rotations.
static const double joint_offsets[PLAY_JOINTS][3] = {
    {0, 0, 0},  {0, 0, 40},  {0, 0, 10},  {0, 0, 12}, {0, 0, 14},  {0, 10, 6},
    {0, 12, 0}, {0, -10, 6}, {0, -12, 0}, {0, 5, 0},  {1, 0, -20}, {-1, 0, -20},
};

static void need(const md5_error *error)
{
    if (!CHECK_STRING(error->message, ""))
        abort();
}

void play_begin(play_case *assets)
{
    test_text to = {0};
    double at[PLAY_JOINTS][3] = {{0}};
    memset(assets, 0, sizeof *assets);
    test_append(&to, "MD5Version 10\ncommandline \"\"\nnumJoints %d\nnumMeshes 1\njoints {\n",
                PLAY_JOINTS);
    for (int i = 0; i < PLAY_JOINTS; i++) {
        for (int k = 0; k < 3; k++)
            at[i][k] = joint_offsets[i][k] + (parents[i] < 0 ? 0 : at[parents[i]][k]);
        test_append(&to, "\"%s\" %d ( %g %g %g ) ( 0 0 0 )\n", play_joint_names[i], parents[i],
                    at[i][0], at[i][1], at[i][2]);
    }
    test_append(&to, "}\n");

    // Two vertices about each joint, and one between the joint and its parent.
    test_append(&to, "mesh {\nshader \"\"\nnumverts %d\n", 3 * PLAY_JOINTS);
    int weight = 0;
    for (int i = 0; i < PLAY_JOINTS; i++) {
        for (int k = 0; k < 3; k++) {
            const int count = k == 2 && i > 0 ? 2 : 1;
            test_append(&to, "vert %d ( 0 0 ) %d %d\n", 3 * i + k, weight, count);
            weight += count;
        }
    }
    test_append(&to, "numtris %d\n", PLAY_JOINTS);
    for (int i = 0; i < PLAY_JOINTS; i++)
        test_append(&to, "tri %d %d %d %d\n", i, 3 * i, 3 * i + 1, 3 * i + 2);
    test_append(&to, "numweights %d\n", weight);
    weight = 0;
    for (int i = 0; i < PLAY_JOINTS; i++) {
        test_append(&to, "weight %d %d 1 ( 3 %d 1 )\n", weight++, i, i);
        test_append(&to, "weight %d %d 1 ( -2 1 %d )\n", weight++, i, -i);
        test_append(&to, "weight %d %d %s ( 0 2 -1 )\n", weight++, i, i > 0 ? "0.25" : "1");
        if (i > 0)
            test_append(&to, "weight %d %d 0.75 ( %g %g %g )\n", weight++, parents[i],
                        joint_offsets[i][0], joint_offsets[i][1] + 2, joint_offsets[i][2] - 1);
    }
    test_append(&to, "}\n");

    md5_error error = {0};
    assets->model = md5_parse_model(to.bytes, to.used, NULL, &error);
    free(to.bytes);
    need(&error);
}

void play_end(play_case *assets)
{
    for (uint32_t i = 0; i < assets->num_clips; i++) {
        md5_free_binding(assets->bindings[i]);
        md5_free_anim(assets->anims[i]);
    }
    md5_free_model(assets->model);
}

void play_begin_bobbin(play_case *assets, const char *const *names, uint32_t count)
{
    memset(assets, 0, sizeof *assets);
    assets->model = our_model("models/bobbin/bobbin.md5mesh");
    assets->num_clips = count;
    for (uint32_t i = 0; i < count; i++) {
        assets->anims[i] =
            md5_load_anim(test_pathf("models/bobbin/%s.md5anim", names[i]), NULL, NULL);
        assets->bindings[i] = md5_bind(assets->model, assets->anims[i], NULL, NULL);
    }
}

// Writes a rotation that swings about a random axis; each joint has a different axis.
static void write_swing(test_text *to, int joint, double phase, double size, uint64_t seed)
{
    uint64_t random = seed * 1000 + (uint64_t)joint;
    double axis[3];
    for (int k = 0; k < 3; k++)
        axis[k] = test_random(&random) - 0.5;
    const double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]) + 1e-9;
    const double offset = test_random(&random);
    const double lean = size * (test_random(&random) - 0.5);
    const double angle = lean + size * sin(TURN * (phase + offset));
    const double sine = sin(0.5 * angle) / length;
    test_append(to, " %.9g %.9g %.9g", sine * axis[0], sine * axis[1], sine * axis[2]);
}

uint32_t play_add_clip(play_case *assets, uint32_t num_frames, double frame_rate, double size,
                       play_walk walk, uint64_t seed)
{
    test_text to = {0};
    test_append(&to,
                "MD5Version 10\ncommandline \"\"\nnumFrames %u\nnumJoints %d\nframeRate %.17g\n"
                "numAnimatedComponents %d\nhierarchy {\n",
                num_frames, PLAY_JOINTS, frame_rate, 6 * PLAY_JOINTS);
    for (int i = 0; i < PLAY_JOINTS; i++)
        test_append(&to, "\"%s\" %d 63 %d\n", play_joint_names[i], parents[i], 6 * i);
    test_append(&to, "}\nbounds {\n");
    for (uint32_t i = 0; i < num_frames; i++)
        test_append(&to, "( -1 -1 -1 ) ( 1 1 1 )\n");
    test_append(&to, "}\nbaseframe {\n");
    for (int i = 0; i < PLAY_JOINTS; i++)
        test_append(&to, "( %g %g %g ) ( 0 0 0 )\n", joint_offsets[i][0], joint_offsets[i][1],
                    joint_offsets[i][2]);
    test_append(&to, "}\n");
    for (uint32_t frame = 0; frame < num_frames; frame++) {
        const double phase = num_frames > 1 ? frame / (num_frames - 1.0) : 0;
        test_append(&to, "frame %u {\n", frame);
        double seconds = frame / frame_rate;
        const double yaw = walk.turning * seconds;
        double x = walk.speed * seconds;
        double y = 0;
        if (walk.turning != 0) {
            x = walk.speed / walk.turning * sin(yaw);
            y = walk.speed / walk.turning * (1 - cos(yaw));
        }
        // Loaders reconstruct w as a number <= 0: the signs are selected accordingly.
        const double sign = cos(0.5 * yaw) > 0 ? -1 : 1;
        test_append(&to, "%.9g %.9g %.9g 0 0 %.9g", x, y, walk.rise * seconds,
                    sign * sin(0.5 * yaw));
        for (int i = 1; i < PLAY_JOINTS; i++) {
            const bool is_still = assets->still >> i & 1;
            const double joint_phase = is_still ? 0 : phase;
            test_append(&to, "\n%.9g %.9g %.9g", joint_offsets[i][0] + sin(TURN * joint_phase + i),
                        joint_offsets[i][1], joint_offsets[i][2]);
            write_swing(&to, i, joint_phase, size, seed);
        }
        test_append(&to, "\n}\n");
    }
    md5_error error = {0};
    const uint32_t number = assets->num_clips++;
    assets->anims[number] = md5_parse_anim(to.bytes, to.used, NULL, &error);
    free(to.bytes);
    need(&error);
    assets->bindings[number] = md5_bind(assets->model, assets->anims[number], NULL, &error);
    need(&error);
    return number;
}

// -- Double precision -------------------------------------------------------------------------

static real_transform to_real_transform(md5_xform from)
{
    return (real_transform){to_unit_real4(from.rotation), to_real3(from.translation)};
}

// Reads a frame as it is stored: animated components once per frame, constant components once.
static void real_frame(const md5_anim *anim, uint32_t frame, real_transform *pose)
{
    for (uint32_t i = 0; i < PLAY_JOINTS; i++) {
        md5_xform joint = anim->constant[i];
        for (uint32_t k = 0; k < anim->num_rotations; k++) {
            if (anim->rotation_joints[k] == i)
                joint.rotation = anim->rotations[frame * anim->num_rotations + k];
        }
        for (uint32_t k = 0; k < anim->num_translations; k++) {
            if (anim->translation_joints[k] == i)
                joint.translation = anim->translations[frame * anim->num_translations + k];
        }
        pose[i] = to_real_transform(joint);
    }
}

void play_real_sample(const md5_anim *anim, double frame, real_transform pose[PLAY_JOINTS])
{
    real_transform from[PLAY_JOINTS], to[PLAY_JOINTS];
    const uint32_t before = (uint32_t)floor(frame);
    real_frame(anim, before % anim->num_frames, from);
    real_frame(anim, (before + 1) % anim->num_frames, to);
    play_real_blend(from, to, frame - floor(frame), NULL, pose);
}

void play_real_blend(const real_transform *from, const real_transform *to, double weight,
                     const float *mask, real_transform *pose)
{
    for (int i = 0; i < PLAY_JOINTS; i++) {
        const double t = weight * (mask ? (double)mask[i] : 1);
        const real_transform a = from[i];
        const real_transform b = to[i];
        pose[i].rotation = real4_slerp(a.rotation, real4_towards(b.rotation, a.rotation), t);
        pose[i].translation =
            real3_add(a.translation, real3_scale(real3_sub(b.translation, a.translation), t));
    }
}

void play_real_add(const real_transform *pose, const real_transform *source,
                   const real_transform *reference, double weight, const float *mask,
                   real_transform *out)
{
    const real4 none = {0, 0, 0, 1};
    for (int i = 0; i < PLAY_JOINTS; i++) {
        const double t = weight * (mask ? (double)mask[i] : 1);
        const real4 rotation =
            real4_mul(real4_conjugate(reference[i].rotation), source[i].rotation);
        const real4 part = real4_slerp(none, real4_towards(rotation, none), t);
        const real3 translation =
            real3_scale(real3_sub(source[i].translation, reference[i].translation), t);
        out[i] = (real_transform){real4_mul(pose[i].rotation, part),
                                  real3_add(pose[i].translation, translation)};
    }
}

void play_real_bind(const md5_model *model, real_transform *pose)
{
    for (int i = 0; i < PLAY_JOINTS; i++)
        pose[i] = to_real_transform(model->bind_local[i]);
}

static double distance(const real_transform *a, const real_transform *b)
{
    return real4_angle(a->rotation, b->rotation) + real3_distance(a->translation, b->translation);
}

double play_distance(const md5_xform *pose, const real_transform *expected)
{
    double max_distance = 0;
    for (int i = 0; i < PLAY_JOINTS; i++) {
        const real_transform real = to_real_transform(pose[i]);
        const double by = distance(&real, &expected[i]);
        if (!(by <= max_distance))
            max_distance = by;
    }
    return max_distance;
}

double play_pose_distance(const md5_xform *a, const md5_xform *b)
{
    real_transform real[PLAY_JOINTS];
    for (int i = 0; i < PLAY_JOINTS; i++)
        real[i] = to_real_transform(b[i]);
    return play_distance(a, real);
}

double play_miss(md5_player *player, const real_transform *expected)
{
    md5_xform pose[PLAY_JOINTS];
    play_pose(player, pose);
    return play_distance(pose, expected);
}

double play_player_distance(md5_player *a, md5_player *b)
{
    md5_xform pose_a[PLAY_JOINTS], pose_b[PLAY_JOINTS];
    play_pose(a, pose_a);
    play_pose(b, pose_b);
    return play_pose_distance(pose_a, pose_b);
}

bool play_is_sound(const md5_xform *pose, uint32_t num_joints)
{
    for (uint32_t i = 0; i < num_joints; i++) {
        const md5_quat q = pose[i].rotation;
        const md5_vec3 t = pose[i].translation;
        const bool is_finite = isfinite(t.x) && isfinite(t.y) && isfinite(t.z);
        if (!(fabs(real4_length(q) - 1) < 1e-5) || !is_finite)
            return false;
    }
    return true;
}

// -- Machines ---------------------------------------------------------------------------------

md5_machine *play_machine(const md5_machine_desc *desc)
{
    md5_error error = {0};
    md5_machine *const machine = md5_create_machine(desc, NULL, &error);
    CHECK_STRING(error.message, "");
    if (!machine)
        abort();
    return machine;
}

md5_player *play_player(const md5_machine *machine)
{
    md5_error error = {0};
    md5_player *const player = md5_create_player(machine, NULL, &error);
    if (!CHECK_STRING(error.message, "") || !player)
        abort();
    return player;
}

void play_scene_begin(play_scene *fixture)
{
    memset(fixture, 0, sizeof *fixture);
    play_begin(&fixture->assets);
}

void play_scene_add(play_scene *fixture, uint32_t num_frames, double frame_rate, double size,
                    uint64_t seed)
{
    static const char *const names[PLAY_CLIPS] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    const play_walk stands = {0, 0, 0};
    const uint32_t clip =
        play_add_clip(&fixture->assets, num_frames, frame_rate, size, stands, seed);
    fixture->clips[clip] =
        (md5_clip_desc){.name = names[clip], .binding = fixture->assets.bindings[clip]};
}

void play_scene_clips(play_scene *fixture, uint32_t count, uint32_t num_frames, double frame_rate)
{
    play_scene_begin(fixture);
    for (uint32_t i = 0; i < count; i++)
        play_scene_add(fixture, num_frames, frame_rate, 0.3, 1 + i);
}

void play_scene_play(play_scene *fixture, const md5_machine_desc *desc)
{
    md5_machine_desc filled = *desc;
    filled.model = fixture->assets.model;
    filled.clips = fixture->clips;
    filled.num_clips = fixture->assets.num_clips;
    fixture->machine = play_machine(&filled);
    fixture->player = play_player(fixture->machine);
}

// Parses the entries of a machine and creates it, for play_machine_read(). Returns NULL and sets
// the error if the tables are rejected.
static md5_machine *read_rows(const play_case *assets, const md5_clip_desc *clips, const char *rows,
                              va_list values, md5_error *error)
{
    test_text to = {0};
    test_append(&to, "machine hero {\n");
    const size_t begin = to.used;
    va_list again;
    va_copy(again, values);
    to.capacity = begin + (size_t)vsnprintf(NULL, 0, rows, again) + 8;
    va_end(again);
    to.bytes = realloc(to.bytes, to.capacity);
    if (!to.bytes)
        abort();
    to.used += (size_t)vsnprintf(to.bytes + begin, to.capacity - begin, rows, values);
    memcpy(to.bytes + to.used, "\n}\n", 4);
    SCOPED_MACHINE_FILE file = md5_parse_machine_file(to.bytes, to.used + 3, NULL, error);
    if (!CHECK_THAT(file != NULL, "%u:%u: %s", error->line, error->column, error->message))
        abort();
    file->desc.name = NULL;
    file->desc.model = assets->model;
    for (uint32_t i = 0; i < file->desc.num_clips; i++)
        file->clips[i].binding = assets->bindings[i];
    if (file->desc.num_clips == 0) {
        file->desc.clips = clips;
        file->desc.num_clips = assets->num_clips;
    }
    md5_machine *const machine = md5_create_machine(&file->desc, NULL, error);
    free(to.bytes);
    return machine;
}

md5_machine *play_machine_read(const play_case *assets, const md5_clip_desc *clips,
                               const char *rows, ...)
{
    md5_error error = {0};
    va_list values;
    va_start(values, rows);
    md5_machine *const machine = read_rows(assets, clips, rows, values, &error);
    va_end(values);
    need(&error);
    return machine;
}

void play_refused(const play_case *assets, const md5_clip_desc *clips, const char *message,
                  const char *rows, ...)
{
    md5_error error = {0};
    va_list values;
    va_start(values, rows);
    SCOPED_MACHINE machine = read_rows(assets, clips, rows, values, &error);
    va_end(values);
    CHECK(!machine);
    CHECK_STRING(error.message, message);
}

static void scene_read(play_scene *fixture, const char *rows, va_list values)
{
    md5_error error = {0};
    fixture->machine = read_rows(&fixture->assets, fixture->clips, rows, values, &error);
    need(&error);
    fixture->player = play_player(fixture->machine);
}

void play_scene_read(play_scene *fixture, const char *rows, ...)
{
    va_list values;
    va_start(values, rows);
    scene_read(fixture, rows, values);
    va_end(values);
}

void play_scene_make(play_scene *fixture, uint32_t num_clips, const char *rows, ...)
{
    va_list values;
    play_scene_clips(fixture, num_clips, 21, 20);
    va_start(values, rows);
    scene_read(fixture, rows, values);
    va_end(values);
}

void play_desc_refused(const md5_machine_desc *desc, const char *message)
{
    md5_error error = {0};
    SCOPED_MACHINE machine = md5_create_machine(desc, NULL, &error);
    CHECK(!machine && error.status != MD5_OK);
    CHECK_STRING(error.message, message);
}

void play_scene_end(play_scene *fixture)
{
    md5_destroy_player(fixture->player);
    md5_destroy_machine(fixture->machine);
    play_end(&fixture->assets);
}

play_crowd *play_crowd_new(const char *rows, uint32_t count)
{
    play_crowd *const fixture = test_calloc(1, sizeof *fixture);
    fixture->count = count;
    play_scene_begin(&fixture->scene);
    play_scene_add(&fixture->scene, 17, 20, 0.5, 3);
    play_scene_read(&fixture->scene, "%s", rows);
    for (uint32_t i = 0; i < count; i++) {
        md5_player **const both[2] = {&fixture->players[i], &fixture->separate[i]};
        for (int k = 0; k < 2; k++) {
            *both[k] = play_player(fixture->scene.machine);
            md5_player_seek(*both[k], 0, 0, 0.1 * i);
            *md5_player_target(*both[k], 0) =
                (md5_target){.weight = 1, .position = {50, (float)i, 40}};
        }
        fixture->jobs[i] = (md5_play_job){.player = fixture->players[i],
                                          .seconds = 0.03,
                                          .joints = fixture->joints[i],
                                          .palette = fixture->palettes[i]};
    }
    return fixture;
}

void play_crowd_free(play_crowd *fixture)
{
    for (uint32_t i = 0; i < fixture->count; i++) {
        md5_destroy_player(fixture->players[i]);
        md5_destroy_player(fixture->separate[i]);
    }
    play_scene_end(&fixture->scene);
    free(fixture);
}

void play_crowd_advance(play_crowd *fixture)
{
    SCOPED void *const scratch =
        malloc(md5_play_batch_scratch(fixture->jobs, fixture->count, NULL));
    md5_play_batch(fixture->jobs, fixture->count, NULL, scratch);
}

void play_rig_read(play_rig *fixture, const char *joints, const md5_load_opts *opts,
                   const char *rows, ...)
{
    test_text model = {0};
    char text[2048];
    va_list values;
    memset(fixture, 0, sizeof *fixture);
    test_append(&model, "MD5Version 10 commandline \"\" %s", joints);
    fixture->model = md5_parse_model(model.bytes, model.used, opts, &fixture->error);
    free(model.bytes);
    need(&fixture->error);
    va_start(values, rows);
    const int size = vsnprintf(text, sizeof text, rows, values);
    va_end(values);
    CHECK(size < (int)sizeof text);
    fixture->file = md5_parse_machine_file(text, (size_t)size, NULL, &fixture->error);
}

void play_rig_start(play_rig *fixture)
{
    if (!fixture->file)
        return;
    fixture->file->desc.model = fixture->model;
    fixture->machine = md5_create_machine(&fixture->file->desc, NULL, &fixture->error);
    if (!fixture->machine)
        return;
    fixture->player = play_player(fixture->machine);
    fixture->scratch = test_alloc(md5_player_pose_scratch(fixture->machine));
    fixture->placement.rotation.w = 1;
}

void play_rig_end(play_rig *fixture)
{
    free(fixture->scratch);
    md5_destroy_player(fixture->player);
    md5_destroy_machine(fixture->machine);
    md5_free_machine_file(fixture->file);
    for (int i = 0; i < PLAY_CLIPS; i++) {
        md5_free_binding(fixture->bindings[i]);
        md5_free_anim(fixture->anims[i]);
    }
    md5_free_model(fixture->model);
}

void play_rig_advance(play_rig *fixture, double seconds)
{
    play_advance(fixture->player, seconds);
    fixture->placement = md5_xform_mul(fixture->placement, md5_player_root_motion(fixture->player));
    md5_player_pose(fixture->player, fixture->pose, NULL, NULL, fixture->scratch);
}

bool play_actor_begin(play_actor *fixture, const char *file, const char *event)
{
    md5_error error = {0};
    *fixture = (play_actor){.character = md5_load_character(test_path(file), NULL, &error),
                            .event = event};
    if (!CHECK_STRING(error.message, ""))
        return false;
    fixture->player = play_player(fixture->character->machine);
    return true;
}

void play_actor_end(play_actor *fixture)
{
    md5_destroy_player(fixture->player);
    md5_free_character(fixture->character);
}

PLAY_LISTENER(count_event)
{
    play_actor *const fixture = user;
    fixture->count += weight > 0.5f && strcmp(event->name, fixture->event) == 0;
}

void play_actor_advance(play_actor *fixture, double seconds)
{
    md5_player_advance(fixture->player, seconds, count_event, fixture);
}

void play_set(md5_player *player, const char *name, float value)
{
    const uint32_t parameter = md5_find_parameter(play_get_machine(player), name);
    CHECK_THAT(parameter != MD5_NONE && md5_player_set(player, parameter, value), "%s", name);
}

const char *play_state_name(const md5_player *player, uint32_t layer)
{
    return md5_machine_tables(play_get_machine(player))
        ->layers[layer]
        .states[md5_player_layer(player, layer).state]
        .name;
}

void play_unhex(const char *text, size_t size, uint8_t *bytes)
{
    for (size_t i = 0; i < size; i++) {
        const char digits[3] = {text[2 * i], text[2 * i + 1], '\0'};
        bytes[i] = (uint8_t)strtoul(digits, NULL, 16);
    }
}

uint32_t play_transitions(uint32_t otherwise)
{
    const char *const count = getenv("MD5_TRANSITIONS");
    return count && count[0] ? (uint32_t)strtoul(count, NULL, 10) : otherwise;
}

void *play_save(const md5_player *player, size_t *size)
{
    *size = md5_player_save(player, NULL, 0);
    void *const bytes = test_alloc(*size);
    CHECK_UINT(md5_player_save(player, bytes, *size), *size);
    return bytes;
}

md5_player *play_restored(const md5_player *player)
{
    size_t size;
    SCOPED void *const bytes = play_save(player, &size);
    md5_player *const restored = play_player(play_get_machine(player));
    CHECK(md5_player_restore(restored, bytes, size, NULL));
    return restored;
}

md5_player *play_copied(const md5_player *player)
{
    md5_player *const copied = play_player(play_get_machine(player));
    md5_player_copy(copied, player);
    return copied;
}

void play_advance(md5_player *player, double seconds)
{
    md5_player_advance(player, seconds, NULL, NULL);
}

void play_steps(md5_player *player, int num_steps, double seconds)
{
    for (int i = 0; i < num_steps; i++)
        play_advance(player, seconds / num_steps);
}

double play_time(const md5_player *player)
{
    return md5_player_layer(player, 0).time;
}

uint32_t play_state(const md5_player *player)
{
    return md5_player_layer(player, 0).state;
}

bool play_fade(md5_player *player, uint32_t layer, uint32_t state, float seconds)
{
    return md5_player_fade_to(player, layer, state, seconds, MD5_FADE_CROSS, MD5_EASE_LINEAR);
}

void play_pose(md5_player *player, md5_xform *pose)
{
    SCOPED void *const scratch = malloc(md5_player_pose_scratch(play_get_machine(player)));
    md5_player_pose(player, pose, NULL, NULL, scratch);
}

void play_matrices(md5_player *player, md5_mat34 *joints, md5_mat34 *palette)
{
    const md5_model *const model = md5_machine_tables(play_get_machine(player))->model;
    md5_xform pose[PLAY_JOINTS];
    play_pose(player, pose);
    md5_local_to_model(&model->skeleton, pose, joints);
    md5_build_palette(model, joints, palette);
}

void play_apply_motion(play_position *at, md5_xform by)
{
    const double c = cos(at->yaw);
    const double s = sin(at->yaw);
    const double x = by.translation.x;
    const double y = by.translation.y;
    at->x += c * x - s * y;
    at->y += s * x + c * y;
    at->z += by.translation.z;
    at->yaw += 2 * atan2((double)by.rotation.z, (double)by.rotation.w);
}
