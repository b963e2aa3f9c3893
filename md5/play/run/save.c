// Saving and restoring a player, and copies. What follows from the machine, from the parameters or
// from a clock is not saved, but computed again: weights, rates, the root's position in its clips.
// Nor is what lives only within a step.
//
// The bytes of a saved player are written and read by the same walk over its state, so that both
// always agree. Numbers are little-endian, floats IEEE 754: the bytes are the same on every
// platform. Reading goes through the bytes twice: first every number is checked, then all are
// stored. So a fault at the end changes nothing.
#include "md5/core/assert.h"
#include "md5/core/context.h"
#include "md5/play/run/player_state.h"

#include <float.h>
#include <string.h>

// The largest phase below 1.
#define BELOW_ONE 0x1.fffffffffffffp-1

// No clock counts farther: see md5i_clock_advance().
#define MOST_CYCLES (((int64_t)1 << 62) + 1)

typedef enum md5_archive_mode {
    MD5_ARCHIVE_WRITE,
    MD5_ARCHIVE_CHECK, // reads and checks
    MD5_ARCHIVE_STORE, // reads what has been checked
} md5_archive_mode;

typedef struct md5_archive {
    md5_archive_mode mode;
    uint8_t *to;          // WRITE; NULL: only counts
    const uint8_t *from;  // CHECK, STORE
    size_t size, used;    // bytes
    uint32_t version;     // of the format
    md5_context *context; // CHECK
} md5_archive;

// Each `keep` writes *value, or reads it, and checks that it is in least..most; `what` names it in
// the message. They return false if it is not, if the bytes end, or if there is no more room.

static bool archive_fail(md5_archive *archive, md5_status status, const char *what)
{
    if (archive->context)
        md5i_fail(archive->context, status, 0, 0, "saved player, up to byte %zu: %s", archive->used,
                  what);
    return false;
}

static bool fail_range(md5_archive *archive, const char *what, double value, double least,
                       double most)
{
    return md5i_fail(archive->context, MD5_ERROR_RANGE, 0, 0,
                     "saved player, up to byte %zu: %s is %g, but must be in %g .. %g",
                     archive->used, what, value, least, most);
}

// What is read into may hold anything before: it is not looked at.
static bool is_written(const md5_archive *archive)
{
    return archive->mode == MD5_ARCHIVE_WRITE;
}

// Writes or reads the lowest `size` bytes of a number.
static bool keep_bytes(md5_archive *archive, uint64_t *number, size_t size)
{
    if (is_written(archive) && !archive->to) {
        archive->used += size;
        return true;
    }
    if (size > archive->size - archive->used)
        return archive_fail(archive, MD5_ERROR_SYNTAX, "the bytes end too soon");
    if (is_written(archive)) {
        for (size_t i = 0; i < size; i++)
            archive->to[archive->used + i] = (uint8_t)(*number >> (8 * i));
    } else {
        *number = 0;
        for (size_t i = 0; i < size; i++)
            *number |= (uint64_t)archive->from[archive->used + i] << (8 * i);
    }
    archive->used += size;
    return true;
}

static bool keep_uint(md5_archive *archive, uint32_t *value, uint32_t least, uint32_t most,
                      const char *what)
{
    uint64_t bits = is_written(archive) ? *value : 0;
    TRY(keep_bytes(archive, &bits, 4));
    *value = (uint32_t)bits;
    if (archive->mode == MD5_ARCHIVE_CHECK && (*value < least || *value > most))
        return fail_range(archive, what, *value, least, most);
    return true;
}

static bool keep_int(md5_archive *archive, int32_t *value, int32_t least, int32_t most,
                     const char *what)
{
    uint64_t bits = is_written(archive) ? (uint32_t)*value : 0;
    TRY(keep_bytes(archive, &bits, 4));
    const uint32_t low = (uint32_t)bits;
    memcpy(value, &low, sizeof low);
    if (archive->mode == MD5_ARCHIVE_CHECK && (*value < least || *value > most))
        return fail_range(archive, what, *value, least, most);
    return true;
}

static bool keep_int64(md5_archive *archive, int64_t *value, int64_t least, int64_t most,
                       const char *what)
{
    uint64_t bits = is_written(archive) ? (uint64_t)*value : 0;
    TRY(keep_bytes(archive, &bits, 8));
    memcpy(value, &bits, sizeof bits);
    if (archive->mode == MD5_ARCHIVE_CHECK && (*value < least || *value > most))
        return fail_range(archive, what, (double)*value, (double)least, (double)most);
    return true;
}

static bool keep_uint64(md5_archive *archive, uint64_t *value)
{
    return keep_bytes(archive, value, 8);
}

static bool keep_bool(md5_archive *archive, bool *value, const char *what)
{
    uint64_t bits = is_written(archive) && *value;
    TRY(keep_bytes(archive, &bits, 1));
    if (archive->mode == MD5_ARCHIVE_CHECK && bits > 1)
        return fail_range(archive, what, (double)bits, 0.0, 1.0);
    *value = bits != 0;
    return true;
}

static bool keep_floats(md5_archive *archive, float *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t low;
        memcpy(&low, &values[i], sizeof low);
        uint64_t bits = low;
        TRY(keep_bytes(archive, &bits, 4));
        low = (uint32_t)bits;
        memcpy(&values[i], &low, sizeof low);
    }
    return true;
}

static bool keep_float(md5_archive *archive, float *value, float least, float most,
                       const char *what)
{
    TRY(keep_floats(archive, value, 1));
    if (archive->mode == MD5_ARCHIVE_CHECK && !(*value >= least && *value <= most))
        return fail_range(archive, what, (double)*value, (double)least, (double)most);
    return true;
}

static bool keep_double(md5_archive *archive, double *value, double least, double most,
                        const char *what)
{
    uint64_t bits;
    memcpy(&bits, value, sizeof bits);
    TRY(keep_bytes(archive, &bits, 8));
    memcpy(value, &bits, sizeof bits);
    if (archive->mode == MD5_ARCHIVE_CHECK && !(*value >= least && *value <= most))
        return fail_range(archive, what, *value, least, most);
    return true;
}

static bool keep_time(md5_archive *archive, double *seconds, const char *what)
{
    return keep_double(archive, seconds, 0.0, (double)FLT_MAX, what);
}

// Whether a clip is where it says that it started.
static bool check_start(md5_archive *archive, bool is_at_start, md5_clock now)
{
    if (archive->mode != MD5_ARCHIVE_CHECK || !is_at_start || md5_clock_stays_whole(now, now))
        return true;
    return archive_fail(archive, MD5_ERROR_RANGE, "a clip is not at the start it is said to be at");
}

// -- One-shots -----------------------------------------------------------------------------------

// What it is, as md5_player_play_shot() has made it.
static bool keep_shot_desc(md5_archive *archive, const md5_machine *machine, md5_shot *kept)
{
    const md5_machine_desc *const tables = &machine->tables;
    const uint32_t last = tables->num_clips - 1, num_layers = tables->num_layers;
    uint32_t mode = kept->mode, end = kept->end;
    TRY(keep_uint(archive, &kept->source, 0, last, "the clip of a one-shot"));
    TRY(keep_uint(archive, &kept->num_below, num_layers > 0, num_layers,
                  "the layers below a one-shot"));
    TRY(keep_int(archive, &kept->mask, -1, (int32_t)tables->num_masks - 1,
                 "the mask of a one-shot"));
    TRY(keep_uint(archive, &mode, 0, MD5_LAYER_ADD, "the mode of a one-shot"));
    TRY(keep_uint(archive, &kept->reference, 0, last, "the reference of a one-shot"));
    TRY(keep_uint(archive, &kept->reference_frame, 0,
                  machine->sources[kept->reference].binding->anim->num_frames - 1,
                  "the reference of a one-shot"));
    TRY(keep_uint(archive, &end, 0, MD5_SHOT_LOOPS, "the end of a one-shot"));
    TRY(keep_float(archive, &kept->weight, 0.0f, 1.0f, "the weight of a one-shot"));
    TRY(keep_double(archive, &kept->rate, -MD5_MOST_SHOT_RATE, MD5_MOST_SHOT_RATE,
                    "the rate of a one-shot"));
    TRY(keep_time(archive, &kept->fade_out, "the fade of a one-shot"));
    TRY(keep_time(archive, &kept->fade_in.duration, "the fade of a one-shot"));
    kept->mode = (md5_layer_mode)mode;
    kept->end = (md5_shot_end)end;
    return true;
}

// How far it is.
static bool keep_shot_time(md5_archive *archive, md5_shot *kept)
{
    const bool is_once = kept->end != MD5_SHOT_LOOPS;
    const int64_t most = is_once ? 0 : MOST_CYCLES;
    TRY(keep_int64(archive, &kept->now.cycle, -most, most, "a cycle"));
    TRY(keep_double(archive, &kept->now.phase, 0.0, is_once ? 1.0 : BELOW_ONE, "a phase"));
    kept->is_at_start = kept->is_at_start && md5_clock_stays_whole(kept->before, kept->now);
    kept->before = kept->now;
    TRY(keep_bool(archive, &kept->is_at_start, "whether a clip is at its start"));
    TRY(check_start(archive, kept->is_at_start, kept->now));
    TRY(keep_time(archive, &kept->fade_in.elapsed, "the time of a one-shot"));
    TRY(keep_bool(archive, &kept->is_new, "whether a one-shot is new"));
    TRY(keep_bool(archive, &kept->is_stopping, "whether a one-shot stops"));
    TRY(keep_float(archive, &kept->kept, 0.0f, 1.0f, "what is left of a one-shot"));
    if (!kept->is_stopping)
        return true;
    TRY(keep_time(archive, &kept->stopping.elapsed, "the time of a stop"));
    return keep_time(archive, &kept->stopping.duration, "the duration of a stop");
}

static bool keep_steps(md5_archive *archive, md5_easing_curve *curve)
{
    uint32_t jump = curve->jump;
    TRY(keep_uint(archive, &jump, 0, MD5_JUMP_BOTH, "where steps jump"));
    curve->jump = (md5_jump)jump;
    return keep_uint(archive, &curve->steps, curve->jump == MD5_JUMP_NONE ? 2 : 1,
                     MD5_MAX_EASE_STEPS, "a number of steps");
}

static bool keep_curve(md5_archive *archive, md5_easing_curve *curve)
{
    uint32_t easing = curve->easing;
    TRY(keep_uint(archive, &easing, 0, MD5_EASE_STEPS, "an easing"));
    curve->easing = (md5_easing)easing;
    if (curve->easing == MD5_EASE_STEPS)
        return keep_steps(archive, curve);
    if (curve->easing != MD5_EASE_CUBIC_BEZIER)
        return true;
    TRY(keep_float(archive, &curve->x1, 0.0f, 1.0f, "x1 of a curve"));
    TRY(keep_float(archive, &curve->y1, -FLT_MAX, FLT_MAX, "y1 of a curve"));
    TRY(keep_float(archive, &curve->x2, 0.0f, 1.0f, "x2 of a curve"));
    return keep_float(archive, &curve->y2, -FLT_MAX, FLT_MAX, "y2 of a curve");
}

// Before version 3 both fades had one easing, without parameters.
static bool read_old_easings(md5_archive *archive, md5_shot *kept)
{
    uint32_t easing = 0, stop_easing = 0;
    TRY(keep_uint(archive, &easing, 0, MD5_LAST_FADE_EASING, "an easing"));
    TRY(keep_uint(archive, &stop_easing, 0, MD5_LAST_FADE_EASING, "an easing"));
    kept->fade_in_curve.easing = kept->fade_out_curve.easing = (md5_easing)easing;
    kept->stop_curve.easing = (md5_easing)stop_easing;
    return true;
}

static bool keep_easings(md5_archive *archive, md5_shot *kept)
{
    if (archive->version < 3)
        return read_old_easings(archive, kept);
    TRY(keep_curve(archive, &kept->fade_in_curve));
    TRY(keep_curve(archive, &kept->fade_out_curve));
    return keep_curve(archive, &kept->stop_curve);
}

static bool keep_shot(md5_archive *archive, const md5_machine *machine, md5_shot *shot)
{
    md5_shot kept = {0};
    if (archive->mode == MD5_ARCHIVE_WRITE)
        kept = *shot;
    TRY(keep_shot_desc(archive, machine, &kept));
    TRY(keep_easings(archive, &kept));
    TRY(keep_shot_time(archive, &kept));
    if (archive->mode == MD5_ARCHIVE_STORE)
        *shot = kept;
    return true;
}

static bool keep_slot(md5_archive *archive, const md5_machine *machine, md5_shot_slot *slot)
{
    uint32_t num_shots = slot->num_shots;
    TRY(keep_uint(archive, &num_shots, 0, MD5_SLOT_SHOTS, "the number of one-shots"));
    for (uint32_t i = 0; i < num_shots; i++)
        TRY(keep_shot(archive, machine, &slot->shots[i]));
    if (archive->mode == MD5_ARCHIVE_STORE)
        slot->num_shots = num_shots;
    return true;
}

// -- Targets and states of modifiers -------------------------------------------------------------

// Targets and heights of the ground may hold anything; so may springs, which begin anew if they are
// not finite.
static bool keep_target(md5_archive *archive, md5_target *target)
{
    md5_target kept = *target;
    TRY(keep_floats(archive, &kept.weight, 1));
    TRY(keep_floats(archive, (float *)&kept.position, 3));
    TRY(keep_floats(archive, (float *)&kept.rotation, 4));
    TRY(keep_bool(archive, &kept.has_rotation, "whether a target has a rotation"));
    TRY(keep_floats(archive, (float *)&kept.pole, 3));
    TRY(keep_bool(archive, &kept.has_pole, "whether a target has a pole"));
    if (archive->mode == MD5_ARCHIVE_STORE)
        *target = kept;
    return true;
}

static bool keep_spring(md5_archive *archive, md5_spring_joint *joint)
{
    md5_spring_joint kept = *joint;
    TRY(keep_floats(archive, (float *)&kept.position, 3));
    TRY(keep_floats(archive, (float *)&kept.velocity, 3));
    TRY(keep_floats(archive, (float *)&kept.target, 3));
    if (archive->mode == MD5_ARCHIVE_STORE)
        *joint = kept;
    return true;
}

// Its joints are the machine's.
static bool keep_foot(md5_archive *archive, md5_foot *foot)
{
    md5_foot kept = *foot;
    uint32_t result = (uint32_t)kept.result;
    TRY(keep_floats(archive, &kept.floor, 1));
    TRY(keep_floats(archive, (float *)&kept.normal, 3));
    TRY(keep_floats(archive, &kept.lift, 1));
    TRY(keep_uint(archive, &result, 0, MD5_LIMB_NOT_FINITE, "the result of a foot"));
    TRY(keep_floats(archive, &kept.miss, 1));
    kept.result = (md5_limb_result)result;
    if (archive->mode == MD5_ARCHIVE_STORE)
        *foot = kept;
    return true;
}

// Before version 5 no heading is held: it begins to be as the foot is animated.
static bool keep_heading(md5_archive *archive, md5_held *held)
{
    if (archive->version < 5) {
        held->facing = held->heading = (md5_vec3){0.0f, 0.0f, 0.0f};
        held->turn = held->turn_rate = 0.0f;
        return true;
    }
    TRY(keep_floats(archive, (float *)&held->facing, 2));
    TRY(keep_floats(archive, (float *)&held->heading, 2));
    TRY(keep_floats(archive, &held->turn, 1));
    return keep_floats(archive, &held->turn_rate, 1);
}

// Likewise.
static bool keep_held(md5_archive *archive, md5_held *held)
{
    md5_held kept = *held;
    TRY(keep_bool(archive, &kept.is_held, "whether a foot is held"));
    TRY(keep_floats(archive, (float *)&kept.animated, 3));
    TRY(keep_floats(archive, (float *)&kept.place, 3));
    TRY(keep_floats(archive, (float *)&kept.shift, 3));
    TRY(keep_floats(archive, (float *)&kept.rate, 3));
    TRY(keep_float(archive, &kept.wait, 0.0f, 1e6f, "the time until a foot is held"));
    TRY(keep_float(archive, &kept.arc, 0.0f, 1e15f, "the height of a step"));
    TRY(keep_float(archive, &kept.lift, 0.0f, 1e15f, "the height of a foot"));
    TRY(keep_heading(archive, &kept));
    if (archive->mode == MD5_ARCHIVE_STORE)
        *held = kept;
    return true;
}

// As springs: one that is not finite begins anew.
static bool keep_gaze(md5_archive *archive, md5_gaze *gaze)
{
    md5_gaze kept = *gaze;
    TRY(keep_uint64(archive, &kept.random));
    TRY(keep_int(archive, &kept.target, -1, 0, "what a gaze looks at"));
    TRY(keep_floats(archive, (float *)&kept.from, 2));
    TRY(keep_floats(archive, (float *)&kept.to, 2));
    TRY(keep_floats(archive, (float *)&kept.head, 2));
    TRY(keep_floats(archive, &kept.seconds, 1));
    TRY(keep_floats(archive, &kept.duration, 1));
    TRY(keep_floats(archive, &kept.rest, 1));
    if (archive->mode == MD5_ARCHIVE_STORE)
        *gaze = kept;
    return true;
}

static bool keep_modifier(md5_archive *archive, const md5_player *player, uint32_t number)
{
    const md5_modifier *const modifier = &player->machine->modifiers[number];
    const bool is_spring = modifier->desc.kind == MD5_MODIFIER_SPRING;
    bool is_placed = player->are_placed[number];
    float drop = player->drops[number];
    TRY(keep_target(archive, &player->targets[number]));
    if (modifier->desc.kind == MD5_MODIFIER_GAZE)
        return keep_gaze(archive, &player->gazes[modifier->gaze]);
    if (!is_spring && modifier->desc.kind != MD5_MODIFIER_FEET)
        return true;
    TRY(keep_bool(archive, &is_placed, "whether a modifier is placed"));
    for (uint32_t i = 0; is_spring && is_placed && i < modifier->desc.length; i++)
        TRY(keep_spring(archive, &player->springs[modifier->first_spring + i]));
    if (!is_spring)
        TRY(keep_floats(archive, &drop, 1));
    for (uint32_t i = 0; !is_spring && i < modifier->desc.num_feet; i++)
        TRY(keep_foot(archive, &player->feet[modifier->first_foot + i]));
    for (size_t i = 0; i < modifier->num_held; i++)
        TRY(keep_held(archive, &player->held[modifier->first_sole + i]));
    if (archive->mode == MD5_ARCHIVE_STORE) {
        player->are_placed[number] = is_placed;
        player->drops[number] = drop;
    }
    return true;
}

// -- Players -------------------------------------------------------------------------------------

// "M5PS" in the file. The version grows with each change of what follows; older ones down to OLDEST
// are read. 3: the fades of one-shots have curves. 4: feet are held; players of machines without
// such feet have no bytes of that. 5: so are their headings. 6: frozen poses and offsets have a
// velocity of the root; of a spring that a parameter follows by, it is that when its goal was set.
enum { MAGIC = 0x5350354d, OLDEST = 2, VERSION = 6 };

// Farther from its parent than any joint can be.
#define FARTHEST 1e30f

// Units a second: far more than any, so little that the longest step leads to a float.
#define MOST_ROOT_VELOCITY 1e24

// Members of a group follow its clock: they may only be past a border of a cycle already.
enum { FARTHEST_AHEAD = 2 };

static bool keep_vector(md5_archive *archive, md5_vec3 *vector, float most, const char *what)
{
    TRY(keep_float(archive, &vector->x, -most, most, what));
    TRY(keep_float(archive, &vector->y, -most, most, what));
    return keep_float(archive, &vector->z, -most, most, what);
}

static bool is_unit(md5_quat q)
{
    const float square = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
    return square > 0.999f && square < 1.001f;
}

static bool keep_transform(md5_archive *archive, md5_xform *transform)
{
    md5_xform kept = *transform;
    md5_quat *const q = &kept.rotation;
    TRY(keep_float(archive, &q->x, -2.0f, 2.0f, "a rotation of a pose"));
    TRY(keep_float(archive, &q->y, -2.0f, 2.0f, "a rotation of a pose"));
    TRY(keep_float(archive, &q->z, -2.0f, 2.0f, "a rotation of a pose"));
    TRY(keep_float(archive, &q->w, -2.0f, 2.0f, "a rotation of a pose"));
    TRY(keep_vector(archive, &kept.translation, FARTHEST, "a position in a pose"));
    if (archive->mode == MD5_ARCHIVE_CHECK && !is_unit(*q))
        return archive_fail(archive, MD5_ERROR_RANGE,
                            "a rotation of a pose is not a unit quaternion");
    kept.pad = 0.0f;
    if (archive->mode == MD5_ARCHIVE_STORE)
        *transform = kept;
    return true;
}

static bool keep_offset(md5_archive *archive, md5_offset *offset)
{
    md5_offset kept = *offset;
    TRY(keep_vector(archive, &kept.turn, 1.001f, "the turn of an offset"));
    TRY(keep_float(archive, &kept.turn_rate, MD5_FASTEST_DECAY, 0.0f, "the rate of an offset"));
    TRY(keep_vector(archive, &kept.move, FARTHEST, "an offset"));
    TRY(keep_float(archive, &kept.move_rate, MD5_FASTEST_DECAY, 0.0f, "the rate of an offset"));
    if (archive->mode == MD5_ARCHIVE_STORE)
        *offset = kept;
    return true;
}

static bool keep_velocity(md5_archive *archive, md5_velocity *velocity)
{
    md5_velocity kept = *velocity;
    TRY(keep_vector(archive, &kept.angular, FARTHEST, "a velocity"));
    TRY(keep_vector(archive, &kept.linear, FARTHEST, "a velocity"));
    if (archive->mode == MD5_ARCHIVE_STORE)
        *velocity = kept;
    return true;
}

// -- One state --------------------------------------------------------------------------------

static bool keep_group(md5_archive *archive, md5_clock *group)
{
    md5_clock kept = *group;
    TRY(keep_int64(archive, &kept.cycle, -MOST_CYCLES, MOST_CYCLES, "a cycle"));
    TRY(keep_double(archive, &kept.phase, 0.0, BELOW_ONE, "a phase"));
    if (archive->mode == MD5_ARCHIVE_STORE)
        *group = kept;
    return true;
}

// The cycle is saved relative to `base`: of a member, its group's.
static bool keep_instance(md5_archive *archive, md5_play_mode mode, const md5_clock *group,
                          md5_clip_instance *instance)
{
    const bool is_once = mode == MD5_PLAY_ONCE, is_read = archive->mode != MD5_ARCHIVE_WRITE;
    const int64_t most = is_once ? 0 : group ? FARTHEST_AHEAD : MOST_CYCLES;
    const int64_t base = group && archive->mode != MD5_ARCHIVE_CHECK ? group->cycle : 0;
    md5_clock now = {0};
    if (!is_read)
        now = instance->now;
    int64_t ahead = now.cycle - base;
    bool is_at_start =
        !is_read && instance->is_at_start && md5_clock_stays_whole(instance->before, instance->now);
    double seconds_at_end = is_read ? 0.0 : instance->seconds_at_end;
    TRY(keep_int64(archive, &ahead, -most, most, "a cycle"));
    TRY(keep_double(archive, &now.phase, 0.0, is_once ? 1.0 : BELOW_ONE, "a phase"));
    TRY(keep_bool(archive, &is_at_start, "whether a clip is at its start"));
    if (is_once)
        TRY(keep_time(archive, &seconds_at_end, "the time at the end of a clip"));
    TRY(check_start(archive, is_at_start, now));
    if (archive->mode != MD5_ARCHIVE_STORE)
        return true;
    now.cycle = base + ahead;
    instance->before = instance->now = now;
    instance->is_at_start = is_at_start;
    instance->seconds_at_end = seconds_at_end;
    instance->root.clock.phase = -1.0; // invalid
    return true;
}

static bool keep_clocks(md5_archive *archive, const md5_machine *machine, md5_active_state *active,
                        int32_t number)
{
    if (number < 0)
        return true;
    const md5_blend_tree *const tree = &machine->trees[number];
    for (uint32_t i = 0; i < tree->num_groups; i++)
        TRY(keep_group(archive, &active->groups[i]));
    for (uint32_t i = 0; i < tree->num_instances; i++) {
        const md5_instance_plan *const plan = &machine->instances[tree->first_instance + i];
        const md5_play_mode mode = machine->playables[plan->playable].mode;
        const md5_clock *const group = plan->group < 0 ? NULL : &active->groups[plan->group];
        TRY(keep_instance(archive, mode, group, &active->instances[i]));
    }
    return true;
}

// is_above: others are below it, over which it fades in.
static bool keep_active(md5_archive *archive, const md5_machine *machine,
                        const md5_play_layer *layer, bool is_above, md5_active_state *active)
{
    md5_active_state kept = *active;
    // The machine's curves are numbered behind the easings without numbers.
    const uint32_t first_curve = MD5_LAST_FADE_EASING + 1;
    uint32_t easing = kept.easing, interrupt = kept.interrupt;
    if (archive->mode == MD5_ARCHIVE_WRITE && kept.curve)
        easing = first_curve + (uint32_t)(kept.curve - machine->curves);
    const uint32_t last = layer->num_states - 1;
    TRY(keep_uint(archive, &kept.state, 0, last, "a state"));
    TRY(keep_int(archive, &kept.from, -1, (int32_t)last, "the source of a transition"));
    TRY(keep_uint(archive, &easing, 0, MD5_LAST_FADE_EASING + (uint32_t)machine->num_curves,
                  "an easing"));
    TRY(keep_uint(archive, &interrupt, 0, MD5_INTERRUPT_NONE, "an interruption"));
    TRY(keep_int(archive, &kept.priority, INT32_MIN, INT32_MAX, "a priority"));
    TRY(keep_time(archive, &kept.elapsed, "the time of a transition"));
    TRY(keep_time(archive, &kept.duration, "the duration of a transition"));
    TRY(keep_bool(archive, &kept.fades, "whether a state fades in"));
    TRY(keep_bool(archive, &kept.is_new, "whether a state is new"));
    TRY(keep_double(archive, &kept.start_time, -DBL_MAX, DBL_MAX, "the start of a state"));
    if (archive->mode == MD5_ARCHIVE_CHECK && is_above && !(kept.fades && kept.duration > 0.0))
        return archive_fail(archive, MD5_ERROR_RANGE, "a state covers others without a fade");
    kept.curve = easing >= first_curve ? &machine->curves[easing - first_curve] : NULL;
    kept.easing = kept.curve ? MD5_EASE_LINEAR : (md5_easing)easing;
    kept.interrupt = (md5_interrupt)interrupt;
    kept.tree = machine->states[layer->first_state + kept.state].tree;
    if (archive->mode == MD5_ARCHIVE_STORE)
        *active = kept;
    return keep_clocks(archive, machine, active, kept.tree);
}

// -- One layer --------------------------------------------------------------------------------

// Sums of rows are far below this.
#define MOST_MORPH_WEIGHT 1e30f

static bool keep_morphs(md5_archive *archive, const md5_machine *machine, float *weights)
{
    for (uint32_t i = 0; i < machine->num_morphs; i++) {
        float kept = weights[i];
        TRY(keep_float(archive, &kept, -MOST_MORPH_WEIGHT, MOST_MORPH_WEIGHT,
                       "the weight of a morph"));
        if (archive->mode == MD5_ARCHIVE_STORE)
            weights[i] = kept;
    }
    return true;
}

static bool keep_root(md5_archive *archive, md5_root_velocity *velocity)
{
    const double most = MOST_ROOT_VELOCITY;
    if (archive->version < 6)
        *velocity = (md5_root_velocity){{0.0}};
    for (int i = 0; archive->version >= 6 && i < 4; i++)
        TRY(keep_double(archive, &velocity->v[i], -most, most, "a velocity of the root"));
    return true;
}

static bool keep_frozen(md5_archive *archive, const md5_machine *machine, uint32_t count,
                        md5_layer_state *kept)
{
    if (!kept->has_snapshot)
        return true;
    TRY(keep_float(archive, &kept->coverage, 0.0f, 1.0f, "the coverage of a frozen pose"));
    for (uint32_t i = 0; kept->coverage > 0.0f && i < count; i++)
        TRY(keep_transform(archive, &kept->snapshot[i]));
    TRY(keep_root(archive, &kept->frozen_root));
    return keep_morphs(archive, machine, kept->frozen_morphs);
}

// The velocities of the old pose matter only until time has passed: see md5i_begin_offsets().
static bool keep_offsets(md5_archive *archive, const md5_machine *machine, uint32_t count,
                         md5_layer_state *kept)
{
    if (!kept->has_offsets)
        return true;
    TRY(keep_time(archive, &kept->settling.elapsed, "the time of offsets"));
    TRY(keep_time(archive, &kept->settling.duration, "the duration of offsets"));
    for (uint32_t i = 0; i < count; i++)
        TRY(keep_offset(archive, &kept->offsets[i]));
    const bool is_begun = kept->settling.elapsed > (archive->version < 6 ? 0.0 : MD5_BORDER);
    if (is_begun)
        kept->settling.elapsed = fmax(kept->settling.elapsed, 2.0 * MD5_BORDER);
    for (uint32_t i = 0; !is_begun && i < count; i++)
        TRY(keep_velocity(archive, &kept->velocities[i]));
    TRY(keep_root(archive, &kept->root_velocity));
    TRY(keep_root(archive, &kept->root_offset));
    return keep_morphs(archive, machine, kept->morph_offsets);
}

// Slots are written in the order of the chain.
static bool keep_layer(md5_archive *archive, const md5_machine *machine,
                       const md5_play_layer *layer, md5_layer_state *layer_state)
{
    md5_layer_state kept = *layer_state;
    uint32_t num_used = kept.num_used;
    const uint32_t count = md5_blended_joints(machine, layer);
    TRY(keep_bool(archive, &kept.has_snapshot, "whether there is a frozen pose"));
    TRY(keep_bool(archive, &kept.has_offsets, "whether there are offsets"));
    TRY(keep_bool(archive, &kept.is_resting, "whether a layer rests"));
    TRY(keep_bool(archive, &kept.is_entered, "whether a state is entered"));
    TRY(keep_int(archive, &kept.entered, -1, (int32_t)layer->num_states - 1,
                 "the state that is entered"));
    TRY(keep_uint(archive, &num_used, 1, MD5_MAX_ACTIVE - (uint32_t)kept.has_snapshot,
                  "the number of active states"));
    TRY(keep_frozen(archive, machine, count, &kept));
    TRY(keep_offsets(archive, machine, count, &kept));
    if (archive->mode == MD5_ARCHIVE_STORE) {
        kept.num_used = (uint8_t)num_used;
        for (uint32_t i = 0; i < MD5_SLOTS; i++)
            kept.order[i] = (uint8_t)i;
        *layer_state = kept;
    }
    for (uint32_t i = 0; i < num_used; i++) {
        md5_active_state *const active = archive->mode == MD5_ARCHIVE_WRITE
                                             ? md5_active_at(layer_state, i)
                                             : md5_slot(layer_state, i);
        TRY(keep_active(archive, machine, layer, i > 0 || kept.has_snapshot, active));
    }
    return true;
}

// -- The player -------------------------------------------------------------------------------

static bool keep_parameter(md5_archive *archive, md5_parameter_kind kind, float *parameter)
{
    float kept = *parameter;
    const bool is_float = kind == MD5_PARAMETER_FLOAT;
    TRY(keep_float(archive, &kept, is_float ? -FLT_MAX : 0.0f, is_float ? FLT_MAX : 1.0f,
                   "a parameter"));
    if (archive->mode == MD5_ARCHIVE_CHECK && !is_float && kept != 0.0f && kept != 1.0f)
        return archive_fail(archive, MD5_ERROR_RANGE, "a bool or trigger is neither 0 nor 1");
    if (archive->mode == MD5_ARCHIVE_STORE)
        *parameter = kept;
    return true;
}

static bool keep_following(md5_archive *archive, const md5_player *player, uint32_t row)
{
    md5_following *const following = &player->followings[row], kept = *following;
    const float most = FLT_MAX;
    TRY(keep_float(archive, &kept.goal, -most, most, "what a parameter follows"));
    TRY(keep_float(archive, &kept.velocity, -most, most, "the velocity of a parameter"));
    TRY(keep_float(archive, &kept.from, -most, most, "where a parameter began"));
    TRY(keep_double(archive, &kept.elapsed, 0.0, DBL_MAX, "the time of a parameter"));
    const md5_machine_desc *const tables = &player->machine->tables;
    // The parameters are restored already.
    if (archive->version < 6 && tables->follows[row].kind == MD5_FOLLOW_SPRING) {
        kept.from =
            player->parameters[md5_find_parameter(player->machine, tables->follows[row].parameter)];
        kept.elapsed = 0.0;
    }
    if (archive->mode == MD5_ARCHIVE_STORE)
        *following = kept;
    return true;
}

static bool keep_motion(md5_archive *archive, md5_root_delta *motion)
{
    const double most = (double)FLT_MAX;
    TRY(keep_double(archive, &motion->x, -most, most, "the motion of the root"));
    TRY(keep_double(archive, &motion->y, -most, most, "the motion of the root"));
    TRY(keep_double(archive, &motion->z, -most, most, "the motion of the root"));
    TRY(keep_double(archive, &motion->cosine, -1.001, 1.001, "the rotation of the root"));
    return keep_double(archive, &motion->sine, -1.001, 1.001, "the rotation of the root");
}

// Members of the player itself, which `kept` is a copy of.
static bool keep_members(md5_archive *archive, md5_player *kept)
{
    TRY(keep_bool(archive, &kept->is_settled, "whether a player is settled"));
    TRY(keep_bool(archive, &kept->is_weighed, "whether a player is weighed"));
    TRY(keep_bool(archive, &kept->is_backward, "the direction of time"));
    TRY(keep_time(archive, &kept->since_pose, "the time since the last pose"));
    TRY(keep_motion(archive, &kept->motion));
    if (kept->machine->num_soles > 0)
        TRY(keep_motion(archive, &kept->walked));
    TRY(keep_uint(archive, &kept->status.num_events, 0, UINT32_MAX, "a number of events"));
    TRY(keep_uint64(archive, &kept->status.num_dropped));
    return keep_double(archive, &kept->status.undivided, -1e6, 1e6, "an undivided time");
}

// Targets may move joints anywhere.
static bool is_sound(const md5_xform *pose, uint32_t num_joints)
{
    for (uint32_t i = 0; i < num_joints; i++) {
        const md5_vec3 t = pose[i].translation;
        if (!is_unit(pose[i].rotation) || !(t.x >= -FARTHEST && t.x <= FARTHEST)
            || !(t.y >= -FARTHEST && t.y <= FARTHEST) || !(t.z >= -FARTHEST && t.z <= FARTHEST))
            return false;
    }
    return true;
}

// A kept pose that is not sound is not saved: the next one is computed.
static bool keep_detail(md5_archive *archive, const md5_player *player, md5_detail_state *kept)
{
    const md5_machine *const machine = player->machine;
    const int32_t last = (int32_t)machine->tables.num_masks - 1;
    TRY(keep_int(archive, &kept->mask, -1, last, "the mask of a level of detail"));
    TRY(keep_uint(archive, &kept->interval, 1, UINT32_MAX, "the interval of poses"));
    TRY(keep_uint(archive, &kept->phase, 0, kept->interval - 1, "the phase of poses"));
    TRY(keep_uint(archive, &kept->num_calls, 0, UINT32_MAX, "the number of poses"));
    TRY(keep_uint(archive, &kept->age, 0, UINT32_MAX, "the age of a pose"));
    if (archive->mode == MD5_ARCHIVE_WRITE)
        kept->is_kept = kept->is_kept && is_sound(player->kept, machine->num_joints);
    TRY(keep_bool(archive, &kept->is_kept, "whether there is a pose"));
    for (uint32_t i = 0; kept->is_kept && i < machine->num_joints; i++)
        TRY(keep_transform(archive, &player->kept[i]));
    return true;
}

static bool keep_head(md5_archive *archive, const md5_machine *machine)
{
    uint32_t magic = MAGIC, version = VERSION;
    uint64_t fingerprint = machine->fingerprint;
    TRY(keep_uint(archive, &magic, 0, UINT32_MAX, "the first word"));
    if (magic != MAGIC)
        return archive_fail(archive, MD5_ERROR_SYNTAX, "these are not the bytes of a player");
    TRY(keep_uint(archive, &version, 0, UINT32_MAX, "the version"));
    TRY(keep_uint64(archive, &fingerprint));
    if (version < OLDEST || version > VERSION)
        return md5i_fail(archive->context, MD5_ERROR_MISMATCH, 0, 0,
                         "the player was saved in version %u of the format, but versions %d to %d "
                         "can be read",
                         version, OLDEST, VERSION);
    archive->version = version;
    if (fingerprint != machine->fingerprint)
        return md5i_fail(archive->context, MD5_ERROR_MISMATCH, 0, 0,
                         "the player was saved with another machine than %s: its fingerprint is "
                         "%016llx, not %016llx",
                         md5i_quote(machine->tables.name, strlen(machine->tables.name)).text,
                         (unsigned long long)fingerprint, (unsigned long long)machine->fingerprint);
    return true;
}

// Everything but the members, which go into `kept`.
static bool keep_player(md5_archive *archive, const md5_player *player, md5_player *kept)
{
    const md5_machine *const machine = player->machine;
    const md5_machine_desc *const tables = &machine->tables;
    TRY(keep_head(archive, machine));
    TRY(keep_members(archive, kept));
    TRY(keep_detail(archive, player, &kept->detail));
    for (uint32_t i = 0; i < tables->num_parameters; i++)
        TRY(keep_parameter(archive, tables->parameters[i].kind, &player->parameters[i]));
    for (uint32_t i = 0; i < tables->num_follows; i++)
        TRY(keep_following(archive, player, i));
    for (uint32_t i = 0; i < tables->num_modifiers; i++)
        TRY(keep_modifier(archive, player, i));
    for (uint32_t i = 0; i < tables->num_layers; i++)
        TRY(keep_layer(archive, machine, &machine->layers[i], &player->layer_states[i]));
    for (uint32_t i = 0; i < machine->num_slots; i++)
        TRY(keep_slot(archive, machine, &player->slots[i]));
    return true;
}

size_t md5_player_save_size(const md5_player *player)
{
    MD5_ASSERT(player != NULL, "player: not NULL");
    md5_archive archive = {.mode = MD5_ARCHIVE_WRITE};
    md5_player kept = *player;
    keep_player(&archive, player, &kept);
    return archive.used;
}

size_t md5_player_save(const md5_player *player, void *bytes, size_t size)
{
    MD5_ASSERT(player != NULL, "player: not NULL");
    MD5_ASSERT(bytes != NULL, "bytes: not NULL");
    md5_archive archive = {.mode = MD5_ARCHIVE_WRITE, .to = (uint8_t *)bytes, .size = size};
    md5_player kept = *player;
    return keep_player(&archive, player, &kept) ? archive.used : 0;
}

// What is not saved.
static void complete(md5_player *player)
{
    const md5_machine_desc *const tables = &player->machine->tables;
    player->has_consumed = false;
    player->has_new = true; // at most, none is found
    if (tables->num_parameters > 0)
        memset(player->consumed, 0, tables->num_parameters * sizeof *player->consumed);
    player->num_shots = 0;
    for (uint32_t i = 0; i < player->machine->num_slots; i++)
        player->num_shots += player->slots[i].num_shots;
    for (uint32_t i = 0; i < tables->num_layers; i++) {
        md5_layer_state *const layer_state = &player->layer_states[i];
        for (uint32_t k = 0; k < layer_state->num_used; k++)
            md5i_weigh_state(player, md5_active_at(layer_state, k));
    }
}

bool md5_player_restore(md5_player *player, const void *bytes, size_t size, md5_error *error)
{
    MD5_ASSERT(player != NULL, "player: not NULL");
    MD5_ASSERT(bytes != NULL || size == 0, "bytes: not NULL");
    md5_context context;
    md5i_context_begin(&context, NULL, NULL, error);
    md5_player kept = *player;
    md5_archive archive = {.mode = MD5_ARCHIVE_CHECK,
                           .from = (const uint8_t *)bytes,
                           .size = size,
                           .context = &context};
    TRY(keep_player(&archive, player, &kept));
    if (archive.used != size)
        return archive_fail(&archive, MD5_ERROR_SYNTAX, "more bytes follow");
    archive.mode = MD5_ARCHIVE_STORE;
    archive.used = 0;
    keep_player(&archive, player, &kept);
    *player = kept;
    complete(player);
    return true;
}

// -- Copies: only what is in use -----------------------------------------------------------------

static void copy_items(void *to, const void *from, size_t count, size_t size)
{
    if (count > 0)
        memcpy(to, from, count * size);
}

static void copy_active(const md5_machine *machine, md5_active_state *to,
                        const md5_active_state *from)
{
    md5_active_state copy = *from;
    copy.instances = to->instances;
    copy.groups = to->groups;
    copy.weights = to->weights;
    copy.totals = to->totals;
    *to = copy;
    if (from->tree < 0)
        return;
    const md5_blend_tree *const tree = &machine->trees[from->tree];
    copy_items(to->instances, from->instances, tree->num_instances, sizeof *to->instances);
    copy_items(to->groups, from->groups, tree->num_groups, sizeof *to->groups);
    copy_items(to->weights, from->weights, tree->num_parts, sizeof *to->weights);
    copy_items(to->totals, from->totals, tree->num_parts, sizeof *to->totals);
}

static void copy_layer(const md5_machine *machine, const md5_play_layer *layer, md5_layer_state *to,
                       md5_layer_state *from)
{
    const uint32_t count = md5_blended_joints(machine, layer);
    memcpy(to->order, from->order, sizeof to->order);
    to->num_used = from->num_used;
    to->has_snapshot = from->has_snapshot;
    to->has_offsets = from->has_offsets;
    to->is_resting = from->is_resting;
    to->is_entered = from->is_entered;
    to->entered = from->entered;
    to->coverage = from->coverage;
    to->settling = from->settling;
    if (from->has_snapshot && from->coverage > 0.0f)
        copy_items(to->snapshot, from->snapshot, count, sizeof *to->snapshot);
    to->frozen_root = from->frozen_root;
    if (from->has_snapshot)
        copy_items(to->frozen_morphs, from->frozen_morphs, machine->num_morphs, sizeof(float));
    if (from->has_offsets) {
        to->root_velocity = from->root_velocity;
        to->root_offset = from->root_offset;
        copy_items(to->offsets, from->offsets, count, sizeof *to->offsets);
        copy_items(to->velocities, from->velocities, count, sizeof *to->velocities);
        copy_items(to->morph_offsets, from->morph_offsets, machine->num_morphs, sizeof(float));
    }
    for (uint32_t i = 0; i < from->num_used; i++)
        copy_active(machine, md5_active_at(to, i), md5_active_at(from, i));
}

void md5_player_copy(md5_player *to, const md5_player *from)
{
    MD5_ASSERT(to != NULL, "to: not NULL");
    MD5_ASSERT(from != NULL, "from: not NULL");
    MD5_ASSERT(to->machine == from->machine, "to, from: of the same machine");
    const md5_machine *const machine = from->machine;
    const md5_machine_desc *const tables = &machine->tables;
    if (to == from)
        return;
    to->has_new = from->has_new;
    to->is_settled = from->is_settled;
    to->is_weighed = from->is_weighed;
    to->is_backward = from->is_backward;
    to->motion = from->motion;
    to->walked = from->walked;
    to->status = from->status;
    to->since_pose = from->since_pose;
    to->detail = from->detail;
    if (from->detail.is_kept)
        copy_items(to->kept, from->kept, machine->num_joints, sizeof *to->kept);
    copy_items(to->parameters, from->parameters, tables->num_parameters, sizeof *to->parameters);
    copy_items(to->followings, from->followings, tables->num_follows, sizeof *to->followings);
    copy_items(to->targets, from->targets, tables->num_modifiers, sizeof *to->targets);
    copy_items(to->are_placed, from->are_placed, tables->num_modifiers, sizeof *to->are_placed);
    copy_items(to->drops, from->drops, tables->num_modifiers, sizeof *to->drops);
    copy_items(to->feet, from->feet, machine->num_feet, sizeof *to->feet);
    copy_items(to->held, from->held, machine->num_soles, sizeof *to->held);
    copy_items(to->gazes, from->gazes, machine->num_gazes, sizeof *to->gazes);
    copy_items(to->springs, from->springs, machine->num_springs, sizeof *to->springs);
    for (uint32_t i = 0; i < tables->num_layers; i++)
        copy_layer(machine, &machine->layers[i], &to->layer_states[i], &from->layer_states[i]);
    to->num_shots = from->num_shots;
    for (uint32_t i = 0; i < machine->num_slots; i++) {
        to->slots[i].num_shots = from->slots[i].num_shots;
        copy_items(to->slots[i].shots, from->slots[i].shots, from->slots[i].num_shots,
                   sizeof(md5_shot));
    }
}
