// Saves and restores players.
//
// Each function archive_...() both writes and reads. The mode of the archive selects what it does
// with each value:
//
//   WRITE   write the value of the player
//   CHECK   read a value and check it
//   STORE   read a value and store it in the player
//
// Therefore writing and reading always use the same format.
//
// archive_player() archives all values of a player. Restoring calls it twice: the first pass checks
// all values, and the second pass stores them. Therefore an error does not change the player.
// Numbers are little-endian and floats are IEEE 754, so the bytes are the same on every platform.
//
// Weights, rates and root positions of clips are not saved, because they are computed again from
// the machine, the parameters and the clocks. Values that exist only during a step are not saved
// either.
#include "md5/core/bytes.h"
#include "md5/play/run/player_state.h"

#include <float.h>

enum { MAGIC = 0x5350354d }; // "M5PS" in the file

// Versions of the format that can be read. Each change of the format increases the version.
//
// Version 4 added locked feet. The code does not test for it: a file can only be read for the
// machine with which it was saved, and the machines of files of version 2 and 3 had no locked feet.
// For these machines, version 4 contains the same bytes.
enum {
    MIN_VERSION = 2,
    VERSION_FADE_EASINGS = 3,  // fades of one-shot clips have easings
    VERSION_FOOT_HEADINGS = 5, // locked feet have headings
    // Frozen poses and offsets have a velocity of the root. A parameter that is smoothed by a
    // spring stores the velocity that it had when its goal was set.
    VERSION_VELOCITIES = 6,
    VERSION = VERSION_VELOCITIES
};

// The largest phase of a clock that repeats: the largest double below 1. A clock is a number of
// whole cycles of a clip, and a phase, which is the fraction of the current cycle.
#define MAX_PHASE 0x1.fffffffffffffp-1

// Limit of the cycle count of a clock: see md5i_clock_advance().
#define MAX_CYCLES 0x1p62

// Limit of the coordinates of a joint relative to its parent, far above all real coordinates.
#define MAX_POSITION 1e30

// Limit of md5_advance_status.undivided, seconds.
#define MAX_UNDIVIDED 1e6

// Limit of a root velocity, units per second. It is far above real velocities. Up to it, the
// displacement in the longest step is a finite float.
#define MAX_ROOT_VELOCITY 1e24

// Limit of the time until a foot is locked again, seconds.
#define MAX_RELOCK_DELAY 1e6

// Limit of the height of a foot or of a step, units.
#define MAX_FOOT_HEIGHT 1e15

// Limit of the absolute value of a sine, a cosine or a component of a unit quaternion, with a
// margin for rounding errors.
#define MAX_UNIT_COMPONENT 1.001

// Limit of a sum of morph rows, far above all real sums.
#define MAX_MORPH_WEIGHT 1e30

// Limit of the difference between the cycle of a group member's clock and the cycle of its group's
// clock. The member follows the group. Near the end of a cycle, only one of them may have passed
// the end.
#define MAX_CYCLES_AHEAD 2.0

// The action of the functions archive_*() on each value.
typedef enum archive_mode {
    WRITE, // write the value of the player
    CHECK, // read a value and check it, without changing the player
    STORE, // read a value that was checked, and store it in the player
} archive_mode;

// The bytes of a saved player and the position in them.
typedef struct md5_archive {
    archive_mode mode;
    uint8_t *to;         // WRITE: [size]; bytes above the size are only counted
    const uint8_t *from; // CHECK, STORE: [size]
    size_t size;         // bytes
    size_t used;         // bytes that were written or read
    uint32_t version;    // version of the format
    bool has_failed; // CHECK: an error was found; the following values are read as their minimum
    md5_context *context; // CHECK
} md5_archive;

// -- Numbers ------------------------------------------------------------------------------------

// Reports an invalid number in mode CHECK. Has no effect in other modes. `problem` is the start of
// the message: the name of the number, the problem and the expected value.
static void fail_number(md5_archive *archive, const char *problem, double found)
{
    if (archive->mode == CHECK)
        archive->has_failed = !MD5_FAIL(archive->context, MD5_ERROR_RANGE,
                                        "invalid saved player at byte %zu: %s, found %g",
                                        archive->used, problem, found);
}

// Returns the bits of *value, a number of 8, 4 or 1 bytes.
static uint64_t load_bits(const void *value, size_t size)
{
    uint64_t bits64 = 0;
    uint32_t bits32 = 0;
    if (size == sizeof bits64) {
        memcpy(&bits64, value, sizeof bits64);
        return bits64;
    }
    if (size == sizeof bits32) {
        memcpy(&bits32, value, sizeof bits32);
        return bits32;
    }
    return *(const bool *)value;
}

// Returns the number of bytes between the current position and the end of the archive.
static size_t space_in_archive(const md5_archive *archive)
{
    return archive->used < archive->size ? archive->size - archive->used : 0;
}

// Writes a number of `size` bytes. If the space is too small, only its first bytes are written.
static void write_archive_bits(md5_archive *archive, uint64_t bits, size_t size)
{
    const size_t space = space_in_archive(archive);
    if (space > 0)
        md5_write_le(archive->to + archive->used, bits, size < space ? size : space);
    archive->used += size;
}

// Reads a number of `size` bytes. Reports an error and returns 0 if the archive is too short.
static uint64_t read_archive_bits(md5_archive *archive, size_t size)
{
    const size_t space = space_in_archive(archive);
    if (size > space) {
        archive->has_failed =
            !MD5_FAIL(archive->context, MD5_ERROR_SYNTAX,
                      "saved player is truncated at byte %zu: expected %zu more bytes, found %zu",
                      archive->used, size, space);
        return 0;
    }
    const uint64_t bits = md5_read_le(archive->from + archive->used, size);
    archive->used += size;
    return bits;
}

// Writes *value, a number of `size` bytes, in mode WRITE. In the other modes, reads a number
// without changing *value, because the caller must first check it. Returns the bits of the number,
// or 0 after an error.
static uint64_t archive_bits(md5_archive *archive, const void *value, size_t size)
{
    if (archive->has_failed)
        return 0;
    if (archive->mode != WRITE)
        return read_archive_bits(archive, size);
    const uint64_t bits = load_bits(value, size);
    write_archive_bits(archive, bits, size);
    return bits;
}

// Reports an error if a number that was read is not in min..max.
static void check_range(md5_archive *archive, double number, double min, double max,
                        const char *name)
{
    if (archive->has_failed || (number >= min && number <= max))
        return;
    archive->has_failed = !MD5_FAIL(
        archive->context, MD5_ERROR_RANGE,
        "invalid saved player at byte %zu: %s is out of range: expected %g to %g, found %g",
        archive->used, name, min, max, number);
}

// The types of the numbers in an archive.
typedef enum number_kind { BOOL, UINT, INT, FLOAT, INT64, DOUBLE } number_kind;

static const size_t number_sizes[] = {1, 4, 4, 4, 8, 8}; // by number_kind

// Converts the bits of a number to a double. Numbers of at most 4 bytes are in the lower bits.
static double number_from_bits(number_kind kind, uint64_t bits)
{
    const uint32_t bits32 = (uint32_t)bits;
    int32_t int32;
    int64_t int64;
    float float32;
    double float64;

    switch (kind) {
    case INT:
        memcpy(&int32, &bits32, sizeof int32);
        return int32;
    case FLOAT:
        memcpy(&float32, &bits32, sizeof float32);
        return float32;
    case INT64:
        memcpy(&int64, &bits, sizeof int64);
        return (double)int64;
    case DOUBLE:
        memcpy(&float64, &bits, sizeof float64);
        return float64;
    default: // BOOL, UINT
        return bits32;
    }
}

// Stores the bits of a number in *value.
static void store_bits(number_kind kind, uint64_t bits, void *value)
{
    const uint32_t bits32 = (uint32_t)bits;
    if (kind == BOOL)
        *(bool *)value = bits32 != 0;
    else if (number_sizes[kind] == sizeof bits)
        memcpy(value, &bits, sizeof bits);
    else
        memcpy(value, &bits32, sizeof bits32);
}

// Archives the number *value. WRITE writes it. CHECK reads a number and checks that it is in
// min..max. STORE reads a number into *value. `name` is the name of the number in error messages.
//
// Returns the number that was written or read. After an error returns `min`, so that the caller
// continues with a valid number.
static double archive_number(md5_archive *archive, number_kind kind, void *value, double min,
                             double max, const char *name)
{
    const uint64_t bits = archive_bits(archive, value, number_sizes[kind]);
    const double number = number_from_bits(kind, bits);
    if (archive->mode == CHECK)
        check_range(archive, number, min, max, name);
    if (archive->mode == STORE)
        store_bits(kind, bits, value);
    return archive->has_failed ? min : number;
}

// Archives an unsigned number of 32 bits like archive_number(), and returns it.
static uint32_t archive_uint(md5_archive *archive, void *value, uint32_t min, uint32_t max,
                             const char *name)
{
    return (uint32_t)archive_number(archive, UINT, value, min, max, name);
}

// Archives a flag like archive_number(), and returns it. After an error returns false.
static bool archive_bool(md5_archive *archive, bool *value, const char *name)
{
    return archive_number(archive, BOOL, value, 0, 1, name) != 0;
}

// Archives a time of at least 0 seconds like archive_number(), and returns it.
static double archive_time(md5_archive *archive, double *seconds, const char *name)
{
    return archive_number(archive, DOUBLE, seconds, 0, FLT_MAX, name);
}

// Archives a vector whose components are in -max..max.
static void archive_vector(md5_archive *archive, md5_vec3 *vector, double max, const char *name)
{
    archive_number(archive, FLOAT, &vector->x, -max, max, name);
    archive_number(archive, FLOAT, &vector->y, -max, max, name);
    archive_number(archive, FLOAT, &vector->z, -max, max, name);
}

// Archives floats that may have any value.
static void archive_floats(md5_archive *archive, void *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const uint32_t bits = (uint32_t)archive_bits(archive, (float *)values + i, sizeof(float));
        if (archive->mode == STORE)
            memcpy((float *)values + i, &bits, sizeof bits);
    }
}

// Archives 64 bits that may have any value, such as the state of a random number generator.
static void archive_any_bits(md5_archive *archive, uint64_t *value)
{
    const uint64_t bits = archive_bits(archive, value, sizeof bits);
    if (archive->mode == STORE)
        *value = bits;
}

// -- Clocks -------------------------------------------------------------------------------------

// The range of a clip's clock that may be saved.
typedef struct clock_range {
    bool is_once;       // the clock ends at phase 1 of its only cycle
    int64_t base_cycle; // the cycle is saved relative to this cycle
    double max_cycles;  // limit of the relative cycle of a clock that repeats
} clock_range;

// Members of a clip that are saved as one clock and a flag. Both clocks are equal after a restore.
typedef struct clip_clock {
    md5_clock *before; // clock at the start of the last interval
    md5_clock *current;
    bool *is_at_start; // it began at a whole cycle and has not moved since
} clip_clock;

// Archives the clock of a clip as three numbers: the cycle relative to range.base_cycle, the phase,
// and a flag for a clip that has just started.
static void archive_clock(md5_archive *archive, clock_range range, clip_clock clip)
{
    // The relative cycle and the flag are not members of the player. If the archive writes, they
    // are computed here. If it stores, they are converted back at the end of this function.
    int64_t relative_cycle = 0;
    bool is_at_start = false;
    if (archive->mode == WRITE) {
        relative_cycle = clip.current->cycle - range.base_cycle;
        is_at_start = *clip.is_at_start && md5_is_same_cycle_boundary(*clip.before, *clip.current);
    }

    const double max_cycles = range.is_once ? 0 : range.max_cycles;
    const double max_phase = range.is_once ? 1 : MAX_PHASE;
    archive_number(archive, INT64, &relative_cycle, -max_cycles, max_cycles, "cycle of a clip");
    const double phase =
        archive_number(archive, DOUBLE, &clip.current->phase, 0, max_phase, "phase of a clip");
    const bool has_just_started =
        archive_bool(archive, &is_at_start, "flag of a clip that just started");
    if (has_just_started && !md5_is_integer_phase(phase)) {
        fail_number(archive,
                    "phase of a clip that just started is between its start and end: expected 0 "
                    "or 1",
                    phase);
    }

    if (archive->mode == STORE) {
        const md5_clock clock = {range.base_cycle + relative_cycle, phase};
        *clip.before = clock;
        *clip.current = clock;
        *clip.is_at_start = is_at_start;
    }
}

// -- One-shots ----------------------------------------------------------------------------------
//
// A one-shot is a clip that the game plays over the layers, such as a hit reaction.

// Archives an easing: its kind, and the parameters that an easing of this kind has.
static void archive_easing(md5_archive *archive, md5_easing *curve)
{
    const uint32_t easing =
        archive_uint(archive, &curve->kind, 0, MD5_EASE_STEPS, "kind of an easing");
    if (easing == MD5_EASE_STEPS) {
        const uint32_t jump =
            archive_uint(archive, &curve->jump, 0, MD5_JUMP_BOTH, "jump mode of an easing");
        archive_uint(archive, &curve->steps, jump == MD5_JUMP_NONE ? 2 : 1, MD5_MAX_EASE_STEPS,
                     "number of steps of an easing");
    } else if (easing == MD5_EASE_CUBIC_BEZIER) {
        archive_number(archive, FLOAT, &curve->x1, 0, 1, "x1 of an easing");
        archive_number(archive, FLOAT, &curve->y1, -FLT_MAX, FLT_MAX, "y1 of an easing");
        archive_number(archive, FLOAT, &curve->x2, 0, 1, "x2 of an easing");
        archive_number(archive, FLOAT, &curve->y2, -FLT_MAX, FLT_MAX, "y2 of an easing");
    }
}

// Archives the members of a one-shot that determine its clip and its blending: the number of layers
// below it, its mask, mode and reference pose. Returns the index of the clip.
static uint32_t archive_one_shot_clip(md5_archive *archive, const md5_machine *machine,
                                      md5_one_shot *one_shot)
{
    const md5_machine_desc *const tables = &machine->tables;
    const uint32_t last_clip = tables->num_clips - 1;
    const uint32_t num_layers = tables->num_layers;

    const uint32_t source =
        archive_uint(archive, &one_shot->source, 0, last_clip, "clip of a one-shot");
    archive_uint(archive, &one_shot->num_below, num_layers > 0, num_layers,
                 "number of layers below a one-shot");
    archive_number(archive, INT, &one_shot->mask, -1, tables->num_masks - 1.0,
                   "mask of a one-shot");
    archive_uint(archive, &one_shot->mode, 0, MD5_LAYER_ADD, "mode of a one-shot");
    const uint32_t reference =
        archive_uint(archive, &one_shot->reference, 0, last_clip, "reference pose of a one-shot");
    const uint32_t num_frames = machine->sources[reference].binding->anim->num_frames;
    archive_uint(archive, &one_shot->reference_frame, 0, num_frames - 1,
                 "reference pose of a one-shot");
    return source;
}

// Archives the easings of a one-shot's fades. Before VERSION_FADE_EASINGS a one-shot had the same
// easing for fading in and out, and easings had no parameters.
static void archive_one_shot_easings(md5_archive *archive, md5_one_shot *one_shot)
{
    const bool has_separate_easings = archive->version >= VERSION_FADE_EASINGS;
    if (has_separate_easings) {
        archive_easing(archive, &one_shot->fade_in_curve);
        archive_easing(archive, &one_shot->fade_out_curve);
        archive_easing(archive, &one_shot->stop_curve);
        return;
    }
    archive_uint(archive, &one_shot->fade_in_curve.kind, 0, MD5_LAST_FADE_EASING,
                 "kind of an easing");
    archive_uint(archive, &one_shot->stop_curve.kind, 0, MD5_LAST_FADE_EASING, "kind of an easing");
    if (archive->mode == STORE)
        one_shot->fade_out_curve = one_shot->fade_in_curve;
}

// Archives the members of a one-shot that change while it plays: its clock, and the progress of its
// fades.
static void archive_one_shot_progress(md5_archive *archive, bool is_looping, md5_one_shot *one_shot)
{
    const clock_range range = {.is_once = !is_looping, .max_cycles = MAX_CYCLES};
    const clip_clock clock = {&one_shot->clock_before, &one_shot->clock, &one_shot->is_at_start};
    archive_clock(archive, range, clock);
    archive_time(archive, &one_shot->fade_in.elapsed, "time of a one-shot");
    archive_bool(archive, &one_shot->is_new, "flag for a new one-shot");
    const bool is_stopping =
        archive_bool(archive, &one_shot->is_stopping, "flag for a stopping one-shot");
    archive_number(archive, FLOAT, &one_shot->left, 0, 1, "remaining weight of a one-shot");
    if (is_stopping) {
        archive_time(archive, &one_shot->stopping.elapsed, "time since a one-shot was stopped");
        archive_time(archive, &one_shot->stopping.duration, "fade duration of a stopped one-shot");
    }
}

// Archives the current and the next section of a one-shot. A section is a named range of frames of
// its clip. The caller has checked that the one-shot can have a section: it does not loop, and its
// clip has sections.
static void archive_one_shot_section(md5_archive *archive, uint32_t num_sections,
                                     md5_one_shot *one_shot)
{
    const double last_section = num_sections - 1.0;
    archive_number(archive, INT, &one_shot->section, -1, last_section, "section of a one-shot");
    archive_number(archive, INT, &one_shot->next, -1, last_section, "next section of a one-shot");
    archive_bool(archive, &one_shot->repeats, "repeat flag of a section");
}

// Archives the members of a one-shot that md5_player_play_one_shot() sets. Returns the index of its
// clip, and sets *is_looping.
static uint32_t archive_one_shot_setup(md5_archive *archive, const md5_machine *machine,
                                       md5_one_shot *one_shot, bool *is_looping)
{
    const uint32_t clip = archive_one_shot_clip(archive, machine, one_shot);
    const uint32_t end =
        archive_uint(archive, &one_shot->end, 0, MD5_ONE_SHOT_LOOPS, "end mode of a one-shot");
    archive_number(archive, FLOAT, &one_shot->weight, 0, 1, "weight of a one-shot");
    archive_number(archive, DOUBLE, &one_shot->rate, -MD5_MAX_ONE_SHOT_RATE, MD5_MAX_ONE_SHOT_RATE,
                   "rate of a one-shot");
    archive_time(archive, &one_shot->fade_out, "fade duration of a one-shot");
    archive_time(archive, &one_shot->fade_in.duration, "fade duration of a one-shot");
    archive_one_shot_easings(archive, one_shot);
    *is_looping = end == MD5_ONE_SHOT_LOOPS;
    return clip;
}

// Archives a one-shot: the members that were set when it began, then its progress.
static void archive_one_shot(md5_archive *archive, const md5_machine *machine,
                             md5_one_shot *one_shot)
{
    const md5_machine_desc *const tables = &machine->tables;
    if (archive->mode == STORE)
        *one_shot = (md5_one_shot){.section = MD5_NONE, .next = MD5_NONE, .desc_index = MD5_NONE};

    bool is_looping;
    const uint32_t clip = archive_one_shot_setup(archive, machine, one_shot, &is_looping);
    archive_one_shot_progress(archive, is_looping, one_shot);

    const uint32_t num_sections = tables->clips[clip].num_sections;
    if (num_sections > 0 && !is_looping)
        archive_one_shot_section(archive, num_sections, one_shot);
    if (tables->num_one_shots > 0)
        archive_number(archive, INT, &one_shot->desc_index, -1, tables->num_one_shots - 1.0,
                       "declaration of a one-shot");
}

// -- Targets and states of modifiers ------------------------------------------------------------

// Archives the state of a gaze, which moves the eyes and the head: its random number generator, its
// target, and the directions and times of its current movement.
static void archive_gaze(md5_archive *archive, md5_gaze *gaze)
{
    archive_any_bits(archive, &gaze->random);
    archive_number(archive, INT, &gaze->target, -1, 0, "target of a gaze"); // -1 is MD5_NONE
    archive_floats(archive, &gaze->from, 2);
    archive_floats(archive, &gaze->to, 2);
    archive_floats(archive, &gaze->head, 2);
    archive_floats(archive, &gaze->seconds, 1);
    archive_floats(archive, &gaze->duration, 1);
    archive_floats(archive, &gaze->rest, 1);
}

// Archives the state of one joint of a spring chain.
static void archive_spring_joint(md5_archive *archive, md5_spring_joint *joint)
{
    archive_floats(archive, &joint->position, 3);
    archive_floats(archive, &joint->velocity, 3);
    archive_floats(archive, &joint->target, 3);
}

// Archives the state of one foot that is placed on the ground.
static void archive_foot(md5_archive *archive, md5_foot *foot)
{
    archive_floats(archive, &foot->floor, 1);
    archive_floats(archive, &foot->normal, 3);
    archive_floats(archive, &foot->lift, 1);
    archive_uint(archive, &foot->result, 0, MD5_LIMB_NOT_FINITE, "result of a foot");
    archive_floats(archive, &foot->miss, 1);
}

// Archives the headings of a locked foot: the directions of its animated sole and of its locked
// sole, and the rotation between them. Older versions did not save them. A value of 0 then means
// that the heading is unknown, and it starts with the animated heading.
static void archive_foot_headings(md5_archive *archive, md5_foot_lock *lock)
{
    if (archive->version >= VERSION_FOOT_HEADINGS) {
        archive_floats(archive, &lock->animated_heading, 2);
        archive_floats(archive, &lock->locked_heading, 2);
        archive_floats(archive, &lock->half_tangent, 1);
        archive_floats(archive, &lock->half_tangent_rate, 1);
    } else if (archive->mode == STORE) {
        lock->animated_heading = (md5_vec3){0, 0, 0};
        lock->locked_heading = (md5_vec3){0, 0, 0};
        lock->half_tangent = 0;
        lock->half_tangent_rate = 0;
    }
}

// Archives the lock of a foot. A locked foot keeps its position on the ground, although the
// animation would move it.
static void archive_locked_foot(md5_archive *archive, md5_foot_lock *lock)
{
    archive_bool(archive, &lock->is_locked, "flag for a locked foot");
    archive_floats(archive, &lock->animated_sole, 3);
    archive_floats(archive, &lock->position, 3);
    archive_floats(archive, &lock->shift, 3);
    archive_floats(archive, &lock->shift_velocity, 3);
    archive_number(archive, FLOAT, &lock->relock_delay, 0, MAX_RELOCK_DELAY,
                   "time until a foot is locked");
    archive_number(archive, FLOAT, &lock->step_height, 0, MAX_FOOT_HEIGHT, "height of a step");
    archive_number(archive, FLOAT, &lock->lift, 0, MAX_FOOT_HEIGHT, "height of a foot");
    archive_foot_headings(archive, lock);
}

// Archives a target, whose numbers may have any value.
static void archive_target(md5_archive *archive, md5_target *target)
{
    archive_floats(archive, &target->weight, 1);
    archive_floats(archive, &target->position, 3);
    archive_floats(archive, &target->rotation, 4);
    archive_bool(archive, &target->has_rotation, "flag for a target with a rotation");
    archive_floats(archive, &target->pole, 3);
    archive_bool(archive, &target->has_pole, "flag for a target with a pole");
}

// Archives the joints of a SPRING modifier. They have no state before the modifier is applied for
// the first time.
static void archive_spring(md5_archive *archive, const md5_player *player, uint32_t index)
{
    const md5_modifier *const modifier = &player->machine->modifiers[index];
    const bool is_placed =
        archive_bool(archive, &player->are_placed[index], "flag for an initialized modifier");
    const uint32_t num_joints = is_placed ? modifier->desc.length : 0;
    for (uint32_t i = 0; i < num_joints; i++)
        archive_spring_joint(archive, &player->springs[modifier->first_spring + i]);
}

// Archives the state of a FEET modifier, which places feet on the ground: the height by which the
// pelvis is lowered, and the state of each foot.
static void archive_feet(md5_archive *archive, const md5_player *player, uint32_t index)
{
    const md5_modifier *const modifier = &player->machine->modifiers[index];
    archive_bool(archive, &player->are_placed[index], "flag for an initialized modifier");
    archive_floats(archive, &player->drops[index], 1);
    for (uint32_t i = 0; i < modifier->desc.num_feet; i++) // their joints are not saved
        archive_foot(archive, &player->feet[modifier->first_foot + i]);
    for (size_t i = 0; i < modifier->num_locked_feet; i++)
        archive_locked_foot(archive, &player->foot_locks[modifier->first_sole + i]);
}

// Archives the target and the state of the modifier `index`. Heights of the ground may have any
// value. Springs and gazes may too, because they start again if their values are not finite.
static void archive_modifier(md5_archive *archive, const md5_player *player, uint32_t index)
{
    const md5_modifier *const modifier = &player->machine->modifiers[index];
    archive_target(archive, &player->targets[index]);
    switch (modifier->desc.kind) {
    case MD5_MODIFIER_GAZE:
        archive_gaze(archive, &player->gazes[modifier->gaze]);
        break;
    case MD5_MODIFIER_SPRING:
        archive_spring(archive, player, index);
        break;
    case MD5_MODIFIER_FEET:
        archive_feet(archive, player, index);
        break;
    default: // the other kinds do not have a state
        break;
    }
}

// -- Layers -------------------------------------------------------------------------------------
//
// A layer plays a chain of active states, oldest first. Each state fades in over the states before
// it. A frozen pose is a fixed pose that replaces the oldest states of the chain.

static float square_length(md5_quat q)
{
    return q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
}

// Returns true if the length of a quaternion is 1, except for rounding errors.
static bool is_unit(md5_quat q)
{
    const float square = square_length(q);
    return square > 0.999f && square < 1.001f;
}

// Archives the transform of a joint in a stored pose. The rotation must be a unit quaternion.
static void archive_transform(md5_archive *archive, md5_xform *transform)
{
    enum { MAX_COMPONENT = 2 }; // a coarse limit; is_unit() checks the length
    static const char name[] = "rotation of a pose";
    md5_quat *const q = &transform->rotation;
    const md5_quat rotation = {
        (float)archive_number(archive, FLOAT, &q->x, -MAX_COMPONENT, MAX_COMPONENT, name),
        (float)archive_number(archive, FLOAT, &q->y, -MAX_COMPONENT, MAX_COMPONENT, name),
        (float)archive_number(archive, FLOAT, &q->z, -MAX_COMPONENT, MAX_COMPONENT, name),
        (float)archive_number(archive, FLOAT, &q->w, -MAX_COMPONENT, MAX_COMPONENT, name),
    };
    archive_vector(archive, &transform->translation, MAX_POSITION, "position of a pose");
    if (!is_unit(rotation))
        fail_number(archive, "rotation of a pose is not a unit quaternion: expected a length of 1",
                    sqrt((double)square_length(rotation)));
    if (archive->mode == STORE)
        transform->pad = 0;
}

// Archives the sums of a layer: the blended weight of each morph target, curve and modifier.
static void archive_sums(md5_archive *archive, const md5_machine *machine, float *weights)
{
    for (uint32_t i = 0; i < machine->num_sums; i++)
        archive_number(archive, FLOAT, &weights[i], -MAX_MORPH_WEIGHT, MAX_MORPH_WEIGHT,
                       "weight of a morph");
}

// Archives the velocity of the root. Older versions did not save it; it is then restored as 0.
static void archive_root_velocity(md5_archive *archive, md5_root_velocity *velocity)
{
    if (archive->version < VERSION_VELOCITIES) {
        if (archive->mode == STORE)
            *velocity = (md5_root_velocity){{0}};
        return;
    }
    for (size_t i = 0; i < MD5_COUNT(velocity->v); i++) {
        archive_number(archive, DOUBLE, &velocity->v[i], -MAX_ROOT_VELOCITY, MAX_ROOT_VELOCITY,
                       "velocity of the root");
    }
}

// Returns the range of the clock of a clip. A clip in a synchronized group follows the clock of the
// group, so its cycle is saved relative to the cycle of that clock.
static clock_range get_clock_range(const md5_archive *archive, const md5_active_state *active,
                                   const md5_instance_plan *plan)
{
    clock_range range = {
        .is_once = plan->playable->mode == MD5_PLAY_ONCE,
        .max_cycles = MAX_CYCLES,
    };
    if (plan->group == MD5_NONE)
        return range;
    range.max_cycles = MAX_CYCLES_AHEAD;
    if (archive->mode != CHECK) // CHECK does not store the clock of the group
        range.base_cycle = active->groups[plan->group].cycle;
    return range;
}

// Archives the clock of a clip of an active state. A clip that is played once also has the time
// since its end.
static void archive_instance(md5_archive *archive, md5_active_state *active,
                             const md5_blend_tree *tree, uint32_t index)
{
    md5_clip_instance *const instance = &active->instances[index];
    const clock_range range = get_clock_range(archive, active, &tree->instances[index]);

    // `instance->clock` is not valid while the clip is inactive.
    md5_clock current = {0};
    if (archive->mode == WRITE)
        current = md5i_instance_clock(active, index);
    archive_clock(archive, range,
                  (clip_clock){&instance->clock_before, &current, &instance->is_at_start});
    if (range.is_once)
        archive_time(archive, &instance->seconds_at_end, "time since the end of a clip");

    if (archive->mode == STORE) {
        instance->clock = current;
        instance->is_inactive = false;
        if (!range.is_once)
            instance->seconds_at_end = 0;
        instance->root.clock.phase = -1; // the cached root position is invalid
    }
}

// Archives the easing of a transition as its index in the machine's easings.
static void archive_easing_index(md5_archive *archive, const md5_machine *machine,
                                 md5_active_state *active)
{
    const uint32_t last_easing = (uint32_t)machine->num_easings - 1;
    uint32_t written_index = 0;
    if (archive->mode == WRITE)
        written_index = (uint32_t)(active->easing - machine->easings);
    const uint32_t index =
        archive_uint(archive, &written_index, 0, last_easing, "kind of an easing");
    if (archive->mode == STORE)
        active->easing = &machine->easings[index];
}

// Archives the transition by which an active state was entered. `is_above` is true if other states
// are below it in the chain. Then its transition must be a fade: without a fade it would cover the
// other states, and they would have ended.
static void archive_transition(md5_archive *archive, const md5_machine *machine,
                               const md5_play_layer *layer, bool is_above, md5_active_state *active)
{
    archive_number(archive, INT, &active->from, -1, layer->num_states - 1.0,
                   "source state of a transition");
    archive_easing_index(archive, machine, active);
    archive_uint(archive, &active->interrupt, 0, MD5_INTERRUPT_NONE,
                 "interruption mode of a transition");
    archive_number(archive, INT, &active->priority, INT32_MIN, INT32_MAX,
                   "priority of a transition");

    archive_time(archive, &active->elapsed, "time of a transition");
    const double duration = archive_time(archive, &active->duration, "duration of a transition");
    const bool fades = archive_bool(archive, &active->fades, "flag for a state that fades in");
    archive_bool(archive, &active->is_new, "flag for a new state");
    archive_number(archive, DOUBLE, &active->start_time, -DBL_MAX, DBL_MAX,
                   "start time of a state");

    const double fade_seconds = fades ? duration : 0;
    if (is_above && fade_seconds <= 0) {
        fail_number(archive,
                    "state above other states does not fade in: expected a fade duration above 0 "
                    "seconds",
                    fade_seconds);
    }
}

// Archives the clocks of a state's synchronized groups and of its clips. A state without a motion
// has no clocks.
static void archive_state_clocks(md5_archive *archive, const md5_blend_tree *tree,
                                 md5_active_state *active)
{
    if (!tree)
        return;
    for (uint32_t i = 0; i < tree->num_groups; i++) {
        md5_clock *const group = &active->groups[i];
        archive_number(archive, INT64, &group->cycle, -MAX_CYCLES, MAX_CYCLES, "cycle of a clip");
        archive_number(archive, DOUBLE, &group->phase, 0, MAX_PHASE, "phase of a clip");
    }
    for (uint32_t i = 0; i < tree->num_instances; i++)
        archive_instance(archive, active, tree, i);
}

// Archives an active state of a layer. `is_above` is true if it is above other states or a frozen
// pose in the chain.
static void archive_active_state(md5_archive *archive, const md5_machine *machine,
                                 const md5_play_layer *layer, bool is_above,
                                 md5_active_state *active)
{
    const uint32_t last_state = layer->num_states - 1;
    const uint32_t state = archive_uint(archive, &active->state, 0, last_state, "state of a layer");
    const md5_blend_tree *const tree = layer->states[state].tree;
    archive_transition(archive, machine, layer, is_above, active);

    if (archive->mode == STORE) {
        active->tree = tree;
        active->num_active_instances = 0; // not listed yet: finish_restore() does this
        active->in_step = false;
    }
    if (layer->has_steps) {
        archive_bool(archive, &active->in_step, "flag for a synchronized state");
        archive_number(archive, INT, &active->leader, -1, last_state,
                       "leading state of a transition");
    }
    archive_state_clocks(archive, tree, active);
}

// Archives the inertial offset of a joint: the difference between the old pose and the new motion
// at the start of an inertial transition, which decays over time.
static void archive_offset(md5_archive *archive, md5_offset *offset)
{
    const double min_rate = (double)MD5_FASTEST_DECAY;
    archive_vector(archive, &offset->rotation, (float)MAX_UNIT_COMPONENT,
                   "rotation of an inertial offset");
    archive_number(archive, FLOAT, &offset->rotation_rate, min_rate, 0,
                   "rate of an inertial offset");
    archive_vector(archive, &offset->translation, MAX_POSITION, "inertial offset");
    archive_number(archive, FLOAT, &offset->translation_rate, min_rate, 0,
                   "rate of an inertial offset");
}

// Archives the time of an inertial transition. Returns true if time has passed since it began.
//
// Time has passed if the saved time is above MD5_BORDER, or above 0 in files of older versions.
// STORE raises such a time of an older version to more than MD5_BORDER, so that time has passed in
// the restored player, too.
static bool archive_settling_time(md5_archive *archive, md5_fade_time *settling)
{
    const double elapsed = archive_time(archive, &settling->elapsed, "time of inertial offsets");
    archive_time(archive, &settling->duration, "duration of inertial offsets");

    const bool is_old_version = archive->version < VERSION_VELOCITIES;
    const bool is_begun = elapsed > (is_old_version ? 0 : MD5_BORDER);
    if (is_begun && is_old_version && archive->mode == STORE)
        settling->elapsed = fmax(elapsed, 2 * MD5_BORDER);
    return is_begun;
}

// Archives the offsets of an inertial transition. The joint velocities of the old pose are only
// needed, and only saved, until the first time step of the transition: see begin_offsets().
static void archive_offsets(md5_archive *archive, const md5_machine *machine, uint32_t num_joints,
                            md5_layer_state *layer_state)
{
    const bool is_begun = archive_settling_time(archive, &layer_state->settling);
    for (uint32_t i = 0; i < num_joints; i++)
        archive_offset(archive, &layer_state->offsets[i]);

    const uint32_t num_velocities = is_begun ? 0 : num_joints;
    for (uint32_t i = 0; i < num_velocities; i++) {
        md5_velocity *const velocity = &layer_state->velocities[i];
        archive_vector(archive, &velocity->angular, MAX_POSITION, "velocity of an inertial offset");
        archive_vector(archive, &velocity->linear, MAX_POSITION, "velocity of an inertial offset");
    }

    archive_root_velocity(archive, &layer_state->root_velocity);
    archive_root_velocity(archive, &layer_state->root_offset);
    archive_sums(archive, machine, layer_state->morph_offsets);
}

// Archives the frozen pose of a layer. Its transforms are not saved if its weight is 0.
static void archive_frozen_pose(md5_archive *archive, const md5_machine *machine,
                                uint32_t num_joints, md5_layer_state *layer_state)
{
    const double coverage =
        archive_number(archive, FLOAT, &layer_state->coverage, 0, 1, "coverage of a frozen pose");
    const uint32_t num_saved = coverage > 0 ? num_joints : 0;
    for (uint32_t i = 0; i < num_saved; i++)
        archive_transform(archive, &layer_state->snapshot[i]);
    archive_root_velocity(archive, &layer_state->frozen_root);
    archive_sums(archive, machine, layer_state->frozen_morphs);
}

// Archives the active states of a layer, oldest first. The states are stored in slots, and the
// chain is a list of slots. STORE puts the state at position i of the chain into slot i.
static void archive_active_states(md5_archive *archive, const md5_machine *machine,
                                  const md5_play_layer *layer, md5_chain_range chain,
                                  md5_layer_state *layer_state)
{
    if (archive->mode == STORE) {
        layer_state->num_used = (uint8_t)chain.end;
        for (uint32_t i = 0; i < MD5_SLOTS; i++)
            layer_state->order[i] = (uint8_t)i;
    }
    for (uint32_t i = 0; i < chain.end; i++) {
        const bool is_above = i > 0 || chain.has_snapshot;
        // CHECK does not store values, so it can use any slot. It must not use the order of the
        // slots, which is not restored yet.
        md5_active_state *const active =
            archive->mode == CHECK ? &layer_state->first : md5_active_at(layer_state, i);
        archive_active_state(archive, machine, layer, is_above, active);
    }
}

// Archives a layer: its flags, its frozen pose and inertial offsets if they exist, and its active
// states.
static void archive_layer(md5_archive *archive, const md5_machine *machine,
                          const md5_play_layer *layer, md5_layer_state *layer_state)
{
    const uint32_t num_joints = md5_blended_joints(machine, layer);
    const bool has_snapshot =
        archive_bool(archive, &layer_state->has_snapshot, "flag for a frozen pose");
    const bool has_offsets =
        archive_bool(archive, &layer_state->has_offsets, "flag for inertial offsets");
    archive_bool(archive, &layer_state->is_resting, "flag for an inactive layer");
    archive_bool(archive, &layer_state->is_entered, "flag for an entered state");
    archive_number(archive, INT, &layer_state->entered, -1, layer->num_states - 1.0,
                   "entered state of a layer");

    // A frozen pose takes the place of one active state.
    const uint32_t max_used = MD5_MAX_ACTIVE - (uint32_t)has_snapshot;
    uint32_t num_used = layer_state->num_used;
    num_used = archive_uint(archive, &num_used, 1, max_used, "number of active states");

    if (has_snapshot)
        archive_frozen_pose(archive, machine, num_joints, layer_state);
    if (has_offsets)
        archive_offsets(archive, machine, num_joints, layer_state);
    if (machine->has_chances)
        archive_any_bits(archive, &layer_state->random);

    const md5_chain_range chain = {.end = num_used, .has_snapshot = has_snapshot};
    archive_active_states(archive, machine, layer, chain, layer_state);
}

// -- The player ---------------------------------------------------------------------------------

// Archives a movement of the character: a translation, and a rotation about the up axis as cosine
// and sine.
static void archive_root_delta(md5_archive *archive, md5_root_delta *motion)
{
    const double max = (double)FLT_MAX;
    archive_number(archive, DOUBLE, &motion->x, -max, max, "translation of the root");
    archive_number(archive, DOUBLE, &motion->y, -max, max, "translation of the root");
    archive_number(archive, DOUBLE, &motion->z, -max, max, "translation of the root");
    archive_number(archive, DOUBLE, &motion->cosine, -MAX_UNIT_COMPONENT, MAX_UNIT_COMPONENT,
                   "rotation of the root");
    archive_number(archive, DOUBLE, &motion->sine, -MAX_UNIT_COMPONENT, MAX_UNIT_COMPONENT,
                   "rotation of the root");
}

// Fails in mode CHECK if a file of this version cannot be read, or if the player was saved with
// another machine. Saved values have a meaning only together with their machine.
static void check_compatible(md5_archive *archive, const md5_machine *machine, uint64_t fingerprint)
{
    const uint32_t version = archive->version;
    if (version < MIN_VERSION || version > VERSION) {
        archive->has_failed =
            !MD5_FAIL(archive->context, MD5_ERROR_MISMATCH,
                      "unsupported version of a saved player: expected %d to %d, found %u",
                      MIN_VERSION, VERSION, version);
    } else if (fingerprint != machine->fingerprint) {
        archive->has_failed =
            !MD5_FAIL(archive->context, MD5_ERROR_MISMATCH,
                      "player was saved with another machine: expected fingerprint %016llx of "
                      "machine %s, found %016llx",
                      (unsigned long long)machine->fingerprint, MD5_QUOTED(machine->tables.name),
                      (unsigned long long)fingerprint);
    }
}

// Archives the signature, the version of the format and the fingerprint of the machine. Reading
// fails if one of them does not match.
static void archive_header(md5_archive *archive, const md5_machine *machine)
{
    uint32_t written_magic = MAGIC;
    const uint32_t magic = archive_uint(archive, &written_magic, 0, UINT32_MAX, "file signature");
    if (magic != MAGIC && !archive->has_failed) {
        archive->has_failed =
            !MD5_FAIL(archive->context, MD5_ERROR_SYNTAX,
                      "data is not a saved player: expected the signature 0x%08x, found 0x%08x",
                      (unsigned)MAGIC, magic);
    }

    uint32_t written_version = VERSION;
    archive->version = archive_uint(archive, &written_version, 0, UINT32_MAX, "format version");
    const uint64_t fingerprint =
        archive_bits(archive, &machine->fingerprint, sizeof machine->fingerprint);
    if (!archive->has_failed)
        check_compatible(archive, machine, fingerprint);
}

static bool is_position_in_range(md5_vec3 position)
{
    const float max = (float)MAX_POSITION;
    return fabsf(position.x) <= max && fabsf(position.y) <= max && fabsf(position.z) <= max;
}

// Returns true if all transforms of a pose can be saved. Targets may move joints anywhere.
static bool is_pose_in_range(const md5_xform *pose, uint32_t num_joints)
{
    for (uint32_t i = 0; i < num_joints; i++) {
        if (!is_unit(pose[i].rotation) || !is_position_in_range(pose[i].translation))
            return false;
    }
    return true;
}

// Archives the level of detail. Also archives the stored pose, which is the last computed pose: a
// player with an update interval uses it until the next pose is due.
//
// A pose whose values are out of range cannot be saved. In this case WRITE clears
// detail->has_stored_pose, so that the restored player computes a new pose. The player itself does
// not change, because `detail` belongs to the copy that md5_player_save() makes.
static void archive_detail(md5_archive *archive, const md5_player *player, md5_detail_state *detail)
{
    const md5_machine *const machine = player->machine;
    archive_number(archive, INT, &detail->mask, -1, machine->tables.num_masks - 1.0,
                   "mask of a level of detail");
    const uint32_t interval =
        archive_uint(archive, &detail->interval, 1, UINT32_MAX, "interval of poses");
    archive_uint(archive, &detail->phase, 0, interval - 1, "phase of poses");
    archive_uint(archive, &detail->num_calls, 0, UINT32_MAX, "number of poses");
    archive_uint(archive, &detail->age, 0, UINT32_MAX, "age of a pose");

    if (archive->mode == WRITE && detail->has_stored_pose)
        detail->has_stored_pose = is_pose_in_range(player->stored_pose, machine->num_joints);
    const bool has_pose = archive_bool(archive, &detail->has_stored_pose, "flag for a stored pose");
    if (!has_pose)
        return;
    for (uint32_t i = 0; i < machine->num_joints; i++)
        archive_transform(archive, &player->stored_pose[i]);
}

// Archives the value of a parameter. A bool or trigger is 0 or 1.
static void archive_parameter(md5_archive *archive, md5_parameter_kind kind, float *value)
{
    const double max = (double)FLT_MAX;
    if (kind == MD5_PARAMETER_FLOAT) {
        archive_number(archive, FLOAT, value, -max, max, "value of a parameter");
        return;
    }
    const double number = archive_number(archive, FLOAT, value, 0, 1, "value of a parameter");
    if (number != 0 && number != 1)
        fail_number(archive, "value of a bool or trigger is out of range: expected 0 or 1", number);
}

// Archives the progress of a smoothed parameter toward its goal. The value of the parameter itself
// was archived before. In files of older versions, the saved velocity of a spring has another
// meaning. Such a spring starts again at the value of the parameter.
static void archive_smoothing(md5_archive *archive, const md5_player *player,
                              const md5_follow_desc *follow, md5_parameter_smoothing *smoothing)
{
    const double max = (double)FLT_MAX;
    archive_number(archive, FLOAT, &smoothing->goal, -max, max, "target value of a parameter");
    archive_number(archive, FLOAT, &smoothing->velocity, -max, max, "velocity of a parameter");
    archive_number(archive, FLOAT, &smoothing->from, -max, max, "start value of a parameter");
    archive_number(archive, DOUBLE, &smoothing->elapsed, 0, DBL_MAX, "time of a parameter");
    const bool is_old = archive->mode == STORE && archive->version < VERSION_VELOCITIES;
    if (is_old && follow->kind == MD5_FOLLOW_SPRING) {
        const uint32_t parameter = md5_find_parameter(player->machine, follow->parameter);
        smoothing->from = player->parameters[parameter];
        smoothing->elapsed = 0;
    }
}

// Archives the values of all parameters, and the progress of the smoothed parameters.
static void archive_parameters(md5_archive *archive, md5_player *player)
{
    const md5_machine_desc *const tables = &player->machine->tables;
    for (uint32_t i = 0; i < tables->num_parameters; i++)
        archive_parameter(archive, tables->parameters[i].kind, &player->parameters[i]);
    for (uint32_t i = 0; i < tables->num_follows; i++)
        archive_smoothing(archive, player, &tables->follows[i], &player->smoothings[i]);
}

// Archives the one-shots that play in a slot.
static void archive_slot(md5_archive *archive, const md5_machine *machine, md5_one_shot_slot *slot)
{
    const uint32_t num_one_shots =
        archive_uint(archive, &slot->num_one_shots, 0, MD5_SLOT_ONE_SHOTS, "number of one-shots");
    for (uint32_t k = 0; k < num_one_shots; k++)
        archive_one_shot(archive, machine, &slot->one_shots[k]);
}

// Archives all values of a player. Saving and restoring use this one list of values, so they cannot
// disagree.
static void archive_player(md5_archive *archive, md5_player *player)
{
    const md5_machine *const machine = player->machine;
    const md5_machine_desc *const tables = &machine->tables;
    archive_header(archive, machine);

    archive_bool(archive, &player->is_settled, "flag for a settled player");
    archive_bool(archive, &player->is_weighed, "flag for computed weights");
    archive_bool(archive, &player->is_backward, "flag for backward time");
    archive_time(archive, &player->since_pose, "time since the last pose");
    archive_root_delta(archive, &player->motion);
    if (machine->num_soles > 0)
        archive_root_delta(archive, &player->motion_since_pose);
    archive_uint(archive, &player->status.num_events, 0, UINT32_MAX, "number of events");
    archive_any_bits(archive, &player->status.num_dropped);
    archive_number(archive, DOUBLE, &player->status.undivided, -MAX_UNDIVIDED, MAX_UNDIVIDED,
                   "remaining time");

    archive_detail(archive, player, &player->detail);
    archive_parameters(archive, player);
    for (uint32_t i = 0; i < tables->num_modifiers; i++)
        archive_modifier(archive, player, i);
    for (uint32_t i = 0; i < tables->num_layers; i++)
        archive_layer(archive, machine, &machine->layers[i], &player->layer_states[i]);
    for (uint32_t i = 0; i < machine->num_slots; i++)
        archive_slot(archive, machine, &player->slots[i]);
    for (uint32_t i = 0; i < machine->num_windows; i++)
        archive_number(archive, FLOAT, &player->windows[i].weight, 0, 1, "weight of a window");
}

// Writes the state of a player to bytes[size] and returns its full size, which may be larger than
// `size`.
size_t md5_player_save(const md5_player *player, void *bytes, size_t size)
{
    MD5_ASSERT_PLAYER(player);
    MD5_ASSERT(bytes != NULL || size == 0, "bytes: must not be NULL unless size is 0");
    md5_archive archive = {.mode = WRITE, .to = (uint8_t *)bytes, .size = size, .version = VERSION};
    md5_player copy = *player; // so that archive_detail() can mark a stored pose as not saved
    archive_player(&archive, &copy);
    return archive.used;
}

// Initializes the values of a restored player that are not saved.
static void finish_restore(md5_player *player)
{
    player->has_consumed = false;
    player->has_new = true; // possibly without a new state, which only costs time
    for (uint32_t i = 0; i < player->machine->tables.num_parameters; i++)
        player->consumed[i] = 0;
    player->num_one_shots = 0;
    for (uint32_t i = 0; i < player->machine->num_slots; i++)
        player->num_one_shots += player->slots[i].num_one_shots;
    for (uint32_t i = 0; i < player->machine->tables.num_layers; i++)
        player->layer_states[i].causes = MD5_ALL_CAUSES;

    // Compute the weights. `is_weighed` is true meanwhile, so that resting layers continue to rest.
    const bool is_weighed = player->is_weighed;
    player->is_weighed = true;
    player->has_moved = true;
    md5i_update_weights(player);
    player->is_weighed = is_weighed;
}

// Restores the state that md5_player_save() wrote. Reads the bytes twice: first to check every
// number, then to store them, so that a failure changes nothing.
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
    archive_player(&archive, player);
    if (!archive.has_failed && archive.used != size) {
        archive.has_failed =
            !MD5_FAIL(&context, MD5_ERROR_SYNTAX,
                      "saved player has excess bytes at the end: expected %zu bytes, found %zu",
                      archive.used, size);
    }
    if (archive.has_failed)
        return false;

    archive.mode = STORE;
    archive.used = 0;
    archive_player(&archive, player);
    finish_restore(player);
    return true;
}
