// Saving and restoring a player. What follows from the machine, from the parameters or
// from a clock is not saved, but computed again: weights, rates, the root's position in its clips.
// Nor is what lives only within a step.
//
// The bytes of a saved player are written and read by the same walk over its state, so that both
// always agree. Numbers are little-endian, floats IEEE 754: the bytes are the same on every
// platform. Reading goes through the bytes twice: first every number is checked, then all are
// stored. So a fault at the end changes nothing.
#include "md5/core/bytes.h"
#include "md5/play/run/player_state.h"

#include <float.h>

// "M5PS" in the file. The version grows with each change of what follows; older ones down to OLDEST
// are read. 3: the fades of one-shots have curves. 4: feet are held; players of machines without
// such feet have no bytes of that. 5: so are their headings. 6: frozen poses and offsets have a
// velocity of the root; of a spring that a parameter follows by, it is that when its goal was set.
enum { MAGIC = 0x5350354d, OLDEST = 2, VERSION = 6 };

// The largest phase below 1.
#define BELOW_ONE 0x1.fffffffffffffp-1

// No clock counts farther: see md5i_clock_advance().
#define MAX_CYCLES 0x1p62

// Farther from its parent than any joint can be.
#define FARTHEST 1e30

// Units a second: far more than any, so little that the longest step leads to a float.
#define MAX_ROOT_VELOCITY 1e24

// Sums of rows are far below this.
#define MAX_MORPH_WEIGHT 1e30

// Members of a group follow its clock: they may only be past a border of a cycle already.
#define FARTHEST_AHEAD 2.0

// CHECK reads and checks, STORE reads what has been checked.
typedef enum archive_mode { WRITE, CHECK, STORE } archive_mode;

typedef struct md5_archive {
    archive_mode mode;
    uint8_t *to;          // WRITE: [size]; what has no room there is only counted
    const uint8_t *from;  // CHECK, STORE: [size]
    size_t size, used;    // bytes
    uint32_t version;     // of the format
    bool has_failed;      // CHECK: all that is read from here on is the least possible
    md5_context *context; // CHECK
} md5_archive;

// -- Numbers ------------------------------------------------------------------------------------

static void fail(md5_archive *archive, md5_status status, const char *what)
{
    if (archive->mode == CHECK)
        archive->has_failed = !MD5_FAIL(
            archive->context, status, "invalid saved player at byte %zu: %s", archive->used, what);
}

// Writes the number in `value` of `size` bytes, or reads one, which is returned.
static uint64_t keep_bits(md5_archive *archive, const void *value, size_t size)
{
    uint64_t bits = 0;
    uint32_t half = 0;
    if (archive->has_failed)
        return 0;
    const size_t room = archive->used < archive->size ? archive->size - archive->used : 0;
    if (archive->mode != WRITE && size > room) {
        fail(archive, MD5_ERROR_SYNTAX, "data is truncated");
        return 0;
    }
    // What is read into may hold anything before: it is not looked at.
    if (archive->mode == WRITE && size == sizeof bits)
        memcpy(&bits, value, size);
    else if (archive->mode == WRITE && size == sizeof half)
        memcpy(&half, value, size);
    else if (archive->mode == WRITE)
        half = *(const bool *)value;
    bits |= half;
    if (archive->mode != WRITE)
        bits = md5_get_bytes(archive->from + archive->used, size);
    else if (room > 0)
        md5_put_bytes(archive->to + archive->used, bits, size < room ? size : room);
    archive->used += size;
    return bits;
}

typedef enum number_kind { BOOL, UINT, INT, FLOAT, INT64, DOUBLE } number_kind;

// Writes the number in `value`, or reads it and checks that it is in least..most; `what` names it
// in the message. Returns the number; the least one once something has failed. It is in `value`
// only when it has been stored.
static double keep(md5_archive *archive, number_kind kind, void *value, double least, double most,
                   const char *what)
{
    static const size_t sizes[] = {1, 4, 4, 4, 8, 8};
    const uint64_t bits = keep_bits(archive, value, sizes[kind]);
    const uint32_t half = (uint32_t)bits;
    float narrow;
    int32_t small;
    int64_t large;
    double number = half;
    memcpy(&narrow, &half, sizeof half);
    memcpy(&small, &half, sizeof half);
    memcpy(&large, &bits, sizeof bits);
    if (kind == DOUBLE)
        memcpy(&number, &bits, sizeof bits);
    else if (kind != UINT && kind != BOOL)
        number = kind == FLOAT ? narrow : kind == INT ? (double)small : (double)large;
    if (archive->mode == CHECK && !archive->has_failed && !(number >= least && number <= most))
        archive->has_failed = !MD5_FAIL(
            archive->context, MD5_ERROR_RANGE,
            "invalid saved player at byte %zu: %s is out of range: expected %g to %g, found %g",
            archive->used, what, least, most, number);
    if (archive->mode == STORE && kind == BOOL)
        *(bool *)value = half != 0;
    else if (archive->mode == STORE)
        memcpy(value, sizes[kind] == sizeof bits ? (const void *)&bits : &half, sizes[kind]);
    return archive->has_failed ? least : number;
}

static uint32_t keep_uint(md5_archive *archive, void *value, uint32_t least, uint32_t most,
                          const char *what)
{
    return (uint32_t)keep(archive, UINT, value, least, most, what);
}

static bool keep_bool(md5_archive *archive, bool *value, const char *what)
{
    return keep(archive, BOOL, value, 0, 1, what) != 0;
}

static double keep_time(md5_archive *archive, double *seconds, const char *what)
{
    return keep(archive, DOUBLE, seconds, 0, FLT_MAX, what);
}

static void keep_vector(md5_archive *archive, md5_vec3 *vector, double most, const char *what)
{
    keep(archive, FLOAT, &vector->x, -most, most, what);
    keep(archive, FLOAT, &vector->y, -most, most, what);
    keep(archive, FLOAT, &vector->z, -most, most, what);
}

// Floats that may be anything.
static void keep_floats(md5_archive *archive, void *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const uint32_t bits = (uint32_t)keep_bits(archive, (float *)values + i, sizeof(float));
        if (archive->mode == STORE)
            memcpy((float *)values + i, &bits, sizeof bits);
    }
}

// Bits that may be any. Those of times at random are only of players of machines that have some,
// which older versions refuse by their fingerprint.
static void keep_any(md5_archive *archive, uint64_t *value)
{
    const uint64_t bits = keep_bits(archive, value, sizeof bits);
    if (archive->mode == STORE)
        *value = bits;
}

// The clock of a clip, whose cycle is saved relative to `base`, and whether it has begun at a whole
// cycle and not moved since.
static void keep_clock(md5_archive *archive, bool is_once, int64_t base, double max_cycles,
                       md5_clock *before, md5_clock *now, bool *is_at_start)
{
    const bool is_written = archive->mode == WRITE;
    int64_t ahead = is_written ? now->cycle - base : 0;
    bool starts = is_written && *is_at_start && md5_clock_stays_whole(*before, *now);
    const double most = is_once ? 0 : max_cycles;
    keep(archive, INT64, &ahead, -most, most, "cycle of a clip");
    const md5_clock clock = {base + ahead, keep(archive, DOUBLE, &now->phase, 0,
                                                is_once ? 1 : BELOW_ONE, "phase of a clip")};
    if (keep_bool(archive, &starts, "start flag of a clip") && !md5_clock_stays_whole(clock, clock))
        fail(archive, MD5_ERROR_RANGE, "position of a clip does not match its start flag");
    if (archive->mode == STORE) {
        *before = *now = clock;
        *is_at_start = starts;
    }
}

// -- One-shots ----------------------------------------------------------------------------------

static void keep_curve(md5_archive *archive, md5_easing *curve)
{
    const uint32_t easing =
        keep_uint(archive, &curve->kind, 0, MD5_EASE_STEPS, "kind of an easing");
    if (easing == MD5_EASE_STEPS) {
        const uint32_t jump =
            keep_uint(archive, &curve->jump, 0, MD5_JUMP_BOTH, "jump mode of an easing");
        keep_uint(archive, &curve->steps, jump == MD5_JUMP_NONE ? 2 : 1, MD5_MAX_EASE_STEPS,
                  "number of steps of an easing");
    } else if (easing == MD5_EASE_CUBIC_BEZIER) {
        keep(archive, FLOAT, &curve->x1, 0, 1, "x1 of an easing");
        keep(archive, FLOAT, &curve->y1, -FLT_MAX, FLT_MAX, "y1 of an easing");
        keep(archive, FLOAT, &curve->x2, 0, 1, "x2 of an easing");
        keep(archive, FLOAT, &curve->y2, -FLT_MAX, FLT_MAX, "y2 of an easing");
    }
}

// Saves or loads a one-shot clip: first the members that md5_player_play_one_shot() sets, then
// its progress.
static void keep_one_shot(md5_archive *archive, const md5_machine *machine, md5_one_shot *one_shot)
{
    const md5_machine_desc *const tables = &machine->tables;
    const uint32_t last = tables->num_clips - 1;
    const uint32_t num_layers = tables->num_layers;
    if (archive->mode == STORE)
        *one_shot = (md5_one_shot){.section = MD5_NONE, .next = MD5_NONE, .row = MD5_NONE};
    const uint32_t source = keep_uint(archive, &one_shot->source, 0, last, "clip of a one-shot");
    keep_uint(archive, &one_shot->num_below, num_layers > 0, num_layers,
              "number of layers below a one-shot");
    keep(archive, INT, &one_shot->mask, -1, tables->num_masks - 1.0, "mask of a one-shot");
    keep_uint(archive, &one_shot->mode, 0, MD5_LAYER_ADD, "mode of a one-shot");
    const uint32_t reference =
        keep_uint(archive, &one_shot->reference, 0, last, "reference pose of a one-shot");
    keep_uint(archive, &one_shot->reference_frame, 0,
              machine->sources[reference].binding->anim->num_frames - 1,
              "reference pose of a one-shot");
    const uint32_t end =
        keep_uint(archive, &one_shot->end, 0, MD5_ONE_SHOT_LOOPS, "end mode of a one-shot");
    keep(archive, FLOAT, &one_shot->weight, 0, 1, "weight of a one-shot");
    keep(archive, DOUBLE, &one_shot->rate, -MD5_MOST_ONE_SHOT_RATE, MD5_MOST_ONE_SHOT_RATE,
         "rate of a one-shot");
    keep_time(archive, &one_shot->fade_out, "fade duration of a one-shot");
    keep_time(archive, &one_shot->fade_in.duration, "fade duration of a one-shot");
    if (archive->version < 3) { // both fades had one easing, without parameters
        keep_uint(archive, &one_shot->fade_in_curve.kind, 0, MD5_LAST_FADE_EASING,
                  "kind of an easing");
        keep_uint(archive, &one_shot->stop_curve.kind, 0, MD5_LAST_FADE_EASING,
                  "kind of an easing");
        if (archive->mode == STORE)
            one_shot->fade_out_curve = one_shot->fade_in_curve;
    } else {
        keep_curve(archive, &one_shot->fade_in_curve);
        keep_curve(archive, &one_shot->fade_out_curve);
        keep_curve(archive, &one_shot->stop_curve);
    }
    keep_clock(archive, end != MD5_ONE_SHOT_LOOPS, 0, MAX_CYCLES, &one_shot->before, &one_shot->now,
               &one_shot->is_at_start);
    keep_time(archive, &one_shot->fade_in.elapsed, "time of a one-shot");
    keep_bool(archive, &one_shot->is_new, "flag for a new one-shot");
    const bool is_stopping =
        keep_bool(archive, &one_shot->is_stopping, "flag for a stopping one-shot");
    keep(archive, FLOAT, &one_shot->left, 0, 1, "remaining weight of a one-shot");
    if (is_stopping) {
        keep_time(archive, &one_shot->stopping.elapsed, "time since a one-shot was stopped");
        keep_time(archive, &one_shot->stopping.duration, "fade duration of a stopped one-shot");
    }
    const double last_section = tables->clips[source].num_sections - 1.0;
    if (last_section >= 0 && end != MD5_ONE_SHOT_LOOPS) {
        keep(archive, INT, &one_shot->section, -1, last_section, "section of a one-shot");
        keep(archive, INT, &one_shot->next, -1, last_section, "next section of a one-shot");
        keep_bool(archive, &one_shot->repeats, "repeat flag of a section");
    }
    if (tables->num_one_shots > 0)
        keep(archive, INT, &one_shot->row, -1, tables->num_one_shots - 1.0,
             "declaration of a one-shot");
}

// -- Targets and states of modifiers ------------------------------------------------------------

static void keep_modifier(md5_archive *archive, const md5_player *player, uint32_t number)
{
    const md5_modifier *const modifier = &player->machine->modifiers[number];
    const md5_modifier_desc *const desc = &modifier->desc;
    const bool has_springs = desc->kind == MD5_MODIFIER_SPRING;
    // Targets and heights of the ground may hold anything; so may springs and gazes, which begin
    // anew if they are not finite.
    md5_target *const target = &player->targets[number];
    keep_floats(archive, &target->weight, 1);
    keep_floats(archive, &target->position, 3);
    keep_floats(archive, &target->rotation, 4);
    keep_bool(archive, &target->has_rotation, "flag for a target with a rotation");
    keep_floats(archive, &target->pole, 3);
    keep_bool(archive, &target->has_pole, "flag for a target with a pole");
    if (desc->kind == MD5_MODIFIER_GAZE) {
        md5_gaze *const gaze = &player->gazes[modifier->gaze];
        keep_any(archive, &gaze->random);
        keep(archive, INT, &gaze->target, -1, 0, "target of a gaze"); // -1 as MD5_NONE
        keep_floats(archive, &gaze->from, 2);
        keep_floats(archive, &gaze->to, 2);
        keep_floats(archive, &gaze->head, 2);
        keep_floats(archive, &gaze->seconds, 1);
        keep_floats(archive, &gaze->duration, 1);
        keep_floats(archive, &gaze->rest, 1);
    }
    if (!has_springs && desc->kind != MD5_MODIFIER_FEET)
        return;
    const bool is_placed =
        keep_bool(archive, &player->are_placed[number], "flag for an initialized modifier");
    if (has_springs) {
        if (is_placed) {
            for (uint32_t i = 0; i < desc->length; i++) {
                md5_spring_joint *const joint = &player->springs[modifier->first_spring + i];
                keep_floats(archive, &joint->position, 3);
                keep_floats(archive, &joint->velocity, 3);
                keep_floats(archive, &joint->target, 3);
            }
        }
        return;
    }
    keep_floats(archive, &player->drops[number], 1);
    for (uint32_t i = 0; i < desc->num_feet; i++) { // their joints are the machine's
        md5_foot *const foot = &player->feet[modifier->first_foot + i];
        keep_floats(archive, &foot->floor, 1);
        keep_floats(archive, &foot->normal, 3);
        keep_floats(archive, &foot->lift, 1);
        keep_uint(archive, &foot->result, 0, MD5_LIMB_NOT_FINITE, "result of a foot");
        keep_floats(archive, &foot->miss, 1);
    }
    for (size_t i = 0; i < modifier->num_held; i++) {
        md5_held *const held = &player->held[modifier->first_sole + i];
        keep_bool(archive, &held->is_held, "flag for a held foot");
        keep_floats(archive, &held->animated, 3);
        keep_floats(archive, &held->place, 3);
        keep_floats(archive, &held->shift, 3);
        keep_floats(archive, &held->rate, 3);
        keep(archive, FLOAT, &held->wait, 0, 1e6, "time until a foot is held");
        keep(archive, FLOAT, &held->arc, 0, 1e15, "height of a step");
        keep(archive, FLOAT, &held->lift, 0, 1e15, "height of a foot");
        if (archive->version >= 5) {
            keep_floats(archive, &held->facing, 2);
            keep_floats(archive, &held->heading, 2);
            keep_floats(archive, &held->turn, 1);
            keep_floats(archive, &held->turn_rate, 1);
        } else if (archive->mode == STORE) { // no heading: it begins to be as the foot is animated
            held->facing = held->heading = (md5_vec3){0, 0, 0};
            held->turn = held->turn_rate = 0;
        }
    }
}

// -- Layers -------------------------------------------------------------------------------------

static bool is_unit(md5_quat q)
{
    const float square = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
    return square > 0.999f && square < 1.001f;
}

static void keep_transform(md5_archive *archive, md5_xform *transform)
{
    static const char what[] = "rotation of a pose";
    md5_quat *const q = &transform->rotation;
    const md5_quat rotation = {
        (float)keep(archive, FLOAT, &q->x, -2, 2, what),
        (float)keep(archive, FLOAT, &q->y, -2, 2, what),
        (float)keep(archive, FLOAT, &q->z, -2, 2, what),
        (float)keep(archive, FLOAT, &q->w, -2, 2, what),
    };
    keep_vector(archive, &transform->translation, FARTHEST, "position of a pose");
    if (!is_unit(rotation))
        fail(archive, MD5_ERROR_RANGE, "rotation of a pose is not a unit quaternion");
    if (archive->mode == STORE)
        transform->pad = 0;
}

static void keep_morphs(md5_archive *archive, const md5_machine *machine, float *weights)
{
    for (uint32_t i = 0; i < machine->num_sums; i++)
        keep(archive, FLOAT, &weights[i], -MAX_MORPH_WEIGHT, MAX_MORPH_WEIGHT, "weight of a morph");
}

static void keep_root(md5_archive *archive, md5_root_velocity *velocity)
{
    if (archive->version < 6 && archive->mode == STORE)
        *velocity = (md5_root_velocity){{0}};
    if (archive->version >= 6) {
        for (uint32_t i = 0; i < 4; i++)
            keep(archive, DOUBLE, &velocity->v[i], -MAX_ROOT_VELOCITY, MAX_ROOT_VELOCITY,
                 "velocity of the root");
    }
}

// is_above: others are below it, over which it fades in.
static void keep_active(md5_archive *archive, const md5_machine *machine,
                        const md5_play_layer *layer, bool is_above, md5_active_state *active)
{
    const uint32_t last = layer->num_states - 1;
    uint32_t easing = archive->mode == WRITE ? (uint32_t)(active->easing - machine->easings) : 0;
    const uint32_t state = keep_uint(archive, &active->state, 0, last, "state of a layer");
    keep(archive, INT, &active->from, -1, last, "source state of a transition");
    easing =
        keep_uint(archive, &easing, 0, (uint32_t)machine->num_easings - 1, "kind of an easing");
    keep_uint(archive, &active->interrupt, 0, MD5_INTERRUPT_NONE,
              "interruption mode of a transition");
    keep(archive, INT, &active->priority, INT32_MIN, INT32_MAX, "priority of a transition");
    keep_time(archive, &active->elapsed, "time of a transition");
    const double duration = keep_time(archive, &active->duration, "duration of a transition");
    const bool fades = keep_bool(archive, &active->fades, "flag for a state that fades in");
    keep_bool(archive, &active->is_new, "flag for a new state");
    keep(archive, DOUBLE, &active->start_time, -DBL_MAX, DBL_MAX, "start time of a state");
    if (is_above && !(fades && duration > 0))
        fail(archive, MD5_ERROR_RANGE, "state without a fade is above other states");
    const md5_blend_tree *const tree = layer->states[state].tree;
    if (archive->mode == STORE)
        active->in_step = false;
    if (layer->has_steps) {
        keep_bool(archive, &active->in_step, "flag for a synchronized state");
        keep(archive, INT, &active->leader, -1, last, "leading state of a transition");
    }
    if (archive->mode == STORE) {
        active->easing = &machine->easings[easing];
        active->tree = tree;
        active->num_awake = 0;
    }
    if (tree) {
        for (uint32_t i = 0; i < tree->num_groups; i++) {
            keep(archive, INT64, &active->groups[i].cycle, -MAX_CYCLES, MAX_CYCLES,
                 "cycle of a clip");
            keep(archive, DOUBLE, &active->groups[i].phase, 0, BELOW_ONE, "phase of a clip");
        }
    }
    // The cycle of a member of a group is saved relative to the group's.
    if (tree) {
        for (uint32_t i = 0; i < tree->num_instances; i++) {
            const md5_instance_plan *const plan = &tree->instances[i];
            const bool is_once = plan->playable->mode == MD5_PLAY_ONCE;
            const bool is_based = plan->group != MD5_NONE && archive->mode != CHECK;
            md5_clip_instance *const instance = &active->instances[i];
            md5_clock now = archive->mode == WRITE ? md5i_clock_now(active, i) : (md5_clock){0};
            keep_clock(archive, is_once, is_based ? active->groups[plan->group].cycle : 0,
                       plan->group == MD5_NONE ? MAX_CYCLES : FARTHEST_AHEAD, &instance->before,
                       &now, &instance->is_at_start);
            if (is_once)
                keep_time(archive, &instance->seconds_at_end, "time since the end of a clip");
            if (archive->mode == STORE) {
                instance->now = now;
                instance->is_asleep = false;
                instance->seconds_at_end = is_once ? instance->seconds_at_end : 0;
                instance->root.clock.phase = -1; // invalid
            }
        }
    }
}

// Slots are written in the order of the chain.
static void keep_layer(md5_archive *archive, const md5_machine *machine,
                       const md5_play_layer *layer, md5_layer_state *layer_state)
{
    const uint32_t num_joints = md5_blended_joints(machine, layer);
    uint32_t num_used = layer_state->num_used;
    const bool has_snapshot =
        keep_bool(archive, &layer_state->has_snapshot, "flag for a frozen pose");
    const bool has_offsets =
        keep_bool(archive, &layer_state->has_offsets, "flag for inertial offsets");
    keep_bool(archive, &layer_state->is_resting, "flag for an inactive layer");
    keep_bool(archive, &layer_state->is_entered, "flag for an entered state");
    keep(archive, INT, &layer_state->entered, -1, layer->num_states - 1.0,
         "entered state of a layer");
    num_used = keep_uint(archive, &num_used, 1, MD5_MAX_ACTIVE - (uint32_t)has_snapshot,
                         "number of active states");
    if (has_snapshot) {
        const double coverage =
            keep(archive, FLOAT, &layer_state->coverage, 0, 1, "coverage of a frozen pose");
        if (coverage > 0) {
            for (uint32_t i = 0; i < num_joints; i++)
                keep_transform(archive, &layer_state->snapshot[i]);
        }
        keep_root(archive, &layer_state->frozen_root);
        keep_morphs(archive, machine, layer_state->frozen_morphs);
    }
    if (has_offsets) {
        // The velocities of the old pose matter only until time has passed: see begin_offsets().
        const double slowest = (double)MD5_FASTEST_DECAY;
        const double elapsed =
            keep_time(archive, &layer_state->settling.elapsed, "time of inertial offsets");
        keep_time(archive, &layer_state->settling.duration, "duration of inertial offsets");
        for (uint32_t i = 0; i < num_joints; i++) {
            md5_offset *const offset = &layer_state->offsets[i];
            keep_vector(archive, &offset->turn, 1.001f, "rotation of an inertial offset");
            keep(archive, FLOAT, &offset->turn_rate, slowest, 0, "rate of an inertial offset");
            keep_vector(archive, &offset->move, FARTHEST, "inertial offset");
            keep(archive, FLOAT, &offset->move_rate, slowest, 0, "rate of an inertial offset");
        }
        const bool is_begun = elapsed > (archive->version < 6 ? 0 : MD5_BORDER);
        if (is_begun && archive->mode == STORE && archive->version < 6)
            layer_state->settling.elapsed = fmax(elapsed, 2 * MD5_BORDER);
        if (!is_begun) {
            for (uint32_t i = 0; i < num_joints; i++) {
                keep_vector(archive, &layer_state->velocities[i].angular, FARTHEST,
                            "velocity of an inertial offset");
                keep_vector(archive, &layer_state->velocities[i].linear, FARTHEST,
                            "velocity of an inertial offset");
            }
        }
        keep_root(archive, &layer_state->root_velocity);
        keep_root(archive, &layer_state->root_offset);
        keep_morphs(archive, machine, layer_state->morph_offsets);
    }
    if (archive->mode == STORE) {
        layer_state->num_used = (uint8_t)num_used;
        for (uint32_t i = 0; i < MD5_SLOTS; i++)
            layer_state->order[i] = (uint8_t)i;
    }
    if (machine->has_chances)
        keep_any(archive, &layer_state->random);
    for (uint32_t i = 0; i < num_used; i++)
        keep_active(archive, machine, layer, i > 0 || has_snapshot,
                    archive->mode == CHECK ? &layer_state->first : md5_active_at(layer_state, i));
}

// -- The player ---------------------------------------------------------------------------------

static void keep_motion(md5_archive *archive, md5_root_delta *motion)
{
    const double most = (double)FLT_MAX;
    keep(archive, DOUBLE, &motion->x, -most, most, "translation of the root");
    keep(archive, DOUBLE, &motion->y, -most, most, "translation of the root");
    keep(archive, DOUBLE, &motion->z, -most, most, "translation of the root");
    keep(archive, DOUBLE, &motion->cosine, -1.001, 1.001, "rotation of the root");
    keep(archive, DOUBLE, &motion->sine, -1.001, 1.001, "rotation of the root");
}

static void keep_head(md5_archive *archive, const md5_machine *machine)
{
    uint32_t magic = MAGIC;
    uint32_t version = VERSION;
    magic = keep_uint(archive, &magic, 0, UINT32_MAX, "file signature");
    if (magic != MAGIC)
        fail(archive, MD5_ERROR_SYNTAX, "not a saved player");
    version = keep_uint(archive, &version, 0, UINT32_MAX, "format version");
    const uint64_t fingerprint =
        keep_bits(archive, &machine->fingerprint, sizeof machine->fingerprint);
    archive->version = version;
    if (archive->has_failed)
        return;
    if (version < OLDEST || version > VERSION)
        archive->has_failed =
            !MD5_FAIL(archive->context, MD5_ERROR_MISMATCH,
                      "unsupported version of a saved player: expected %d to %d, found %u", OLDEST,
                      VERSION, version);
    else if (fingerprint != machine->fingerprint)
        archive->has_failed =
            !MD5_FAIL(archive->context, MD5_ERROR_MISMATCH,
                      "player was saved with another machine: expected fingerprint %016llx of "
                      "machine %s, found %016llx",
                      (unsigned long long)machine->fingerprint, MD5_QUOTED(machine->tables.name),
                      (unsigned long long)fingerprint);
}

static void keep_player(md5_archive *archive, md5_player *player)
{
    const md5_machine *const machine = player->machine;
    const md5_machine_desc *const tables = &machine->tables;
    keep_head(archive, machine);
    keep_bool(archive, &player->is_settled, "flag for a settled player");
    keep_bool(archive, &player->is_weighed, "flag for computed weights");
    keep_bool(archive, &player->is_backward, "flag for backward time");
    keep_time(archive, &player->since_pose, "time since the last pose");
    keep_motion(archive, &player->motion);
    if (machine->num_soles > 0)
        keep_motion(archive, &player->walked);
    keep_uint(archive, &player->status.num_events, 0, UINT32_MAX, "number of events");
    keep_any(archive, &player->status.num_dropped);
    keep(archive, DOUBLE, &player->status.undivided, -1e6, 1e6, "remaining time");

    // Targets may move joints anywhere. A kept pose that is not sound is not saved: the next one is
    // computed.
    md5_detail_state *const detail = &player->detail;
    keep(archive, INT, &detail->mask, -1, machine->tables.num_masks - 1.0,
         "mask of a level of detail");
    const uint32_t interval =
        keep_uint(archive, &detail->interval, 1, UINT32_MAX, "interval of poses");
    keep_uint(archive, &detail->phase, 0, interval - 1, "phase of poses");
    keep_uint(archive, &detail->num_calls, 0, UINT32_MAX, "number of poses");
    keep_uint(archive, &detail->age, 0, UINT32_MAX, "age of a pose");
    for (uint32_t i = 0; i < machine->num_joints && archive->mode == WRITE && detail->is_kept;
         i++) {
        const md5_vec3 place = player->kept_pose[i].translation;
        detail->is_kept = is_unit(player->kept_pose[i].rotation)
                          && fabsf(place.x) <= (float)FARTHEST && fabsf(place.y) <= (float)FARTHEST
                          && fabsf(place.z) <= (float)FARTHEST;
    }
    const bool is_kept = keep_bool(archive, &detail->is_kept, "flag for a stored pose");
    if (is_kept) {
        for (uint32_t i = 0; i < machine->num_joints; i++)
            keep_transform(archive, &player->kept_pose[i]);
    }

    for (uint32_t i = 0; i < tables->num_parameters; i++) {
        const bool is_float = tables->parameters[i].kind == MD5_PARAMETER_FLOAT;
        const double value = keep(archive, FLOAT, &player->parameters[i], is_float ? -FLT_MAX : 0,
                                  is_float ? (double)FLT_MAX : 1, "value of a parameter");
        if (!is_float && value != 0 && value != 1)
            fail(archive, MD5_ERROR_RANGE, "value of a bool or trigger is not 0 or 1");
    }
    for (uint32_t i = 0; i < tables->num_follows; i++) {
        const md5_follow_desc *const follow = &tables->follows[i];
        md5_following *const following = &player->followings[i];
        const double most = (double)FLT_MAX;
        keep(archive, FLOAT, &following->goal, -most, most, "target value of a parameter");
        keep(archive, FLOAT, &following->velocity, -most, most, "velocity of a parameter");
        keep(archive, FLOAT, &following->from, -most, most, "start value of a parameter");
        keep(archive, DOUBLE, &following->elapsed, 0, DBL_MAX, "time of a parameter");
        if (archive->mode == STORE && archive->version < 6 && follow->kind == MD5_FOLLOW_SPRING) {
            // The parameters are restored already.
            following->from = player->parameters[md5_find_parameter(machine, follow->parameter)];
            following->elapsed = 0;
        }
    }
    for (uint32_t i = 0; i < tables->num_modifiers; i++)
        keep_modifier(archive, player, i);
    for (uint32_t i = 0; i < tables->num_layers; i++)
        keep_layer(archive, machine, &machine->layers[i], &player->layer_states[i]);
    for (uint32_t i = 0; i < machine->num_slots; i++) {
        md5_one_shot_slot *const slot = &player->slots[i];
        const uint32_t num_one_shots =
            keep_uint(archive, &slot->num_one_shots, 0, MD5_SLOT_ONE_SHOTS, "number of one-shots");
        for (uint32_t k = 0; k < num_one_shots; k++)
            keep_one_shot(archive, machine, &slot->one_shots[k]);
    }
    for (uint32_t i = 0; i < machine->num_windows; i++)
        keep(archive, FLOAT, &player->windows[i].weight, 0, 1, "weight of a window");
}

size_t md5_player_save(const md5_player *player, void *bytes, size_t size)
{
    MD5_ASSERT_PLAYER(player);
    MD5_ASSERT(bytes != NULL || size == 0, "bytes: must not be NULL unless size is 0");
    md5_archive archive = {.mode = WRITE, .to = (uint8_t *)bytes, .size = size, .version = VERSION};
    md5_player copy = *player;
    keep_player(&archive, &copy);
    return archive.used;
}

bool md5_player_restore(md5_player *player, const void *bytes, size_t size, md5_error *error)
{
    if (!player)
        return md5i_fail_missing(error, "player");
    MD5_ASSERT_PLAYER_CHANGE(player);
    MD5_ASSERT(bytes != NULL || size == 0, "bytes: must not be NULL unless size is 0");
    md5_context context;
    md5i_context_begin(&context, NULL, NULL, error);
    md5_archive archive = {
        .mode = CHECK, .from = (const uint8_t *)bytes, .size = size, .context = &context};
    keep_player(&archive, player);
    if (archive.used != size)
        fail(&archive, MD5_ERROR_SYNTAX, "excess bytes at the end");
    if (archive.has_failed)
        return false;
    archive.mode = STORE;
    archive.used = 0;
    keep_player(&archive, player);
    // What is not saved.
    player->has_consumed = false;
    player->has_new = true; // at most, none is found
    for (uint32_t i = 0; i < player->machine->tables.num_parameters; i++)
        player->consumed[i] = 0;
    player->num_one_shots = 0;
    for (uint32_t i = 0; i < player->machine->num_slots; i++)
        player->num_one_shots += player->slots[i].num_one_shots;
    // Weights are computed, but layers rest and parameters are as they were.
    for (uint32_t i = 0; i < player->machine->tables.num_layers; i++)
        player->layer_states[i].causes = MD5_ALL_CAUSES;
    const bool is_weighed = player->is_weighed;
    player->is_weighed = player->has_moved = true;
    md5i_weigh_all(player);
    player->is_weighed = is_weighed;
    return true;
}
