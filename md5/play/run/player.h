// What one character is doing: the inside of a player.
//
// A layer holds a chain of motions in play. Each fades in over what stands before it, so that three
// of them are mix(mix(A, B), C). When one has come in fully, those before it end.
#ifndef MD5_PLAY_RUN_PLAYER_H
#define MD5_PLAY_RUN_PLAYER_H

#include "md5/play/run/inertia.h"
#include "md5/play/machine.h"
#include "md5/play/run/sync.h"

// How many motions of a layer are active at once; a frozen pose in the place of older ones counts
// as one. One more while an inertial transition begins, which needs to see what it leaves.
enum { MD5_MAX_LIVE = 4, MD5_SLOTS = MD5_MAX_LIVE + 1 };

// A clip in play.
typedef struct md5_leaf {
    md5_clock before, now; // of the last step
    double rate;           // cycles a second by itself
    double stood;          // seconds since it came to its end, if it is played once
    float weight;          // in its motion
    float share;           // in the group that it keeps step with
    bool is_at_start;      // it has not moved from the whole cycle at which it began, if it did
    md5_root_place root;   // of the last clock at which it was asked for
} md5_leaf;

static inline bool md5_is_at(const md5_root_place *place, md5_clock clock)
{
    return place->clock.phase == clock.phase && place->clock.cycle == clock.cycle;
}

// fmin() without a call, of what is a number.
static inline double md5_least(double a, double b)
{
    return b < a ? b : a;
}

// A state's motion in play.
typedef struct md5_live {
    int32_t program; // -1: nothing
    uint32_t state;
    int32_t from; // state that it came from, -1 = none
    md5_easing easing;
    double elapsed, duration; // of the transition that brought it
    int32_t priority;
    md5_interrupt interrupt;
    bool fades;       // it comes in over that time; else it has been in fully from the start
    bool is_new;      // what lies where it begins has not fired yet
    double begun;     // normalised time at which it did
    float weight;     // in the layer, the mean of the last step
    md5_leaf *leaves; // [num_leaves]
    md5_clock *groups;
    float *weights; // of items in their motion: parts[].weight
    float *totals;  // of parts in the whole motion
} md5_live;

// A fade over time: seconds that have passed, of how many.
typedef struct md5_fade_time {
    double elapsed, duration;
} md5_fade_time;

typedef struct md5_run {
    uint8_t order[MD5_SLOTS]; // slots in use, oldest first
    uint8_t num_used;
    bool has_snapshot; // below the oldest
    bool has_offsets;
    bool rests;               // its open transitions go in a circle: see md5_take_transitions()
    bool ends_cycle;          // in the step that is made the newest comes to an exit that it takes
    float coverage;           // of the snapshot
    md5_fade_time settling;   // of the offsets
    md5_transform *snapshot;  // [joints]
    md5_offset *offsets;      // [joints]
    md5_velocity *velocities; // [joints] of what was shown when the offsets began
    md5_live first, *others;  // the slots; mostly one is enough
} md5_run;

// Weights and speed on the way down to a part.
typedef struct md5_flow {
    double speed;
    float share;
} md5_flow;

// A clip whose events a step passes.
typedef struct md5_walker {
    md5_event_walk walk;
    const md5_event *events;
    md5_run *run;
    uint32_t place; // of the live in the run's order
    uint32_t leaf;
    uint32_t event; // that comes next
    double when;    // seconds from where the step begins, towards where it ends
} md5_walker;

struct md5_player {
    const md5_machine *machine;
    md5_run *runs;      // [layers]
    float *parameters;  // [parameters]
    uint32_t *consumed; // [parameters] 1 + the layer that has used up this trigger in this step
    bool has_consumed;
    bool has_new;              // some motion in play is
    bool is_settled;           // what could be taken has been, and nothing has changed since
    bool is_weighed;           // nothing has changed since weights and speeds were worked out
    bool is_backward;          // the last step that took time
    md5_way motion;            // of the last md5_player_advance()
    md5_advance_status status; // likewise
    uint32_t num_walked;       // likewise: events, silent ones too
    uint32_t num_steps;        // likewise: parts of it, and transitions
    md5_target *targets;       // [modifiers]
    md5_spring_joint *springs;
    bool *are_placed;  // [modifiers] of springs: they have begun
    double since_pose; // seconds

    // Room to work in.
    md5_flow *flows;           // [max_parts]
    float *gathered;           // [max_parts]
    md5_clock *leaf_clocks;    // [max_leaves]
    md5_clock *group_clocks;   // [max_groups]
    md5_sync_item *sync_items; // [max_leaves]
    md5_way *ways;             // [max_poses]
    md5_walker *walkers;
    md5_transform *spare;     // [md5_captured_poses()][joints]
    md5_velocity *velocities; // [joints]

    size_t size;
    md5_allocator allocator;
};

static inline const md5_program *md5_program_of(const md5_player *player, const md5_live *live)
{
    return live->program < 0 ? NULL : &player->machine->programs[live->program];
}

static inline md5_live *md5_slot(md5_run *run, uint32_t number)
{
    return number == 0 ? &run->first : &run->others[number - 1];
}

static inline md5_live *md5_live_at(md5_run *run, uint32_t place)
{
    return md5_slot(run, run->order[place]);
}

// The one that fades in, or is there alone.
static inline md5_live *md5_newest(md5_run *run)
{
    return md5_live_at(run, run->num_used - 1u);
}

// A weight: of a parameter, or fixed; 0..1.
float md5_weight_of(const md5_player *player, int32_t parameter, float fixed);

// -- live.c: a state's motion in play ---------------------------------------------------------

// How clips begin.
typedef enum md5_begin {
    MD5_BEGIN_AT,      // at `start`: nothing is passed there
    MD5_BEGIN_BEHIND,  // `start` behind where each begins by itself
    MD5_BEGIN_AS_LEFT, // at the place within a cycle at which another state is left
} md5_begin;

// What is to follow, and how.
typedef struct md5_change {
    uint32_t state;
    double start;
    md5_begin begin;
    double duration;
    md5_fade fade;
    md5_easing easing;
    int32_t priority;
    md5_interrupt interrupt;
} md5_change;

// Begins a state's motion.
void md5_begin_live(md5_player *player, const md5_play_layer *layer, md5_live *live,
                    const md5_change *change);

// Works out weights and speeds from the parameters.
void md5_weigh_live(md5_player *player, md5_live *live);

// Clocks `seconds` from now, in player->leaf_clocks and player->group_clocks.
void md5_find_clocks(md5_player *player, const md5_live *live, double seconds);

// The same of all that is in play, if a parameter has changed.
void md5_weigh_all(md5_player *player);

void md5_advance_live(md5_player *player, md5_live *live, double seconds);

// Normalised time: of the first clip.
double md5_live_time(const md5_live *live);

// Where it is within its cycle, 0..1, when a transition is taken; at the exit that the transition
// waited for, the exit's own fraction.
double md5_phase_left(const md5_player *player, const md5_live *live,
                      const md5_transition *transition);

// Seconds in which a clip goes from one clock to another, as weights and speeds are: negative if
// time has to run backward for that, not finite if it does not get there.
double md5_leaf_seconds(const md5_player *player, const md5_live *live, uint32_t number,
                        md5_clock from, md5_clock to);

// Whether `exit` has been reached; backward it counts from the end. Nothing is always at its end.
bool md5_has_reached(const md5_player *player, const md5_live *live, double exit);

// Whether it began there or behind it.
bool md5_began_behind(const md5_player *player, const md5_live *live, double exit);

// Seconds, up to `most`, until it will be.
double md5_seconds_until(md5_player *player, const md5_live *live, double exit, double most);

// How far the transition that brought it has come, 0..1.
double md5_progress(const md5_live *live);

// How far it has come in, 0..1, `shift` seconds from now, if it fades in over something.
float md5_fade_at(const md5_live *live, double shift);

// What an event counts that lies where a state begins. There a fade is at 0, but what happens
// there, does: it counts as in the middle of the fade's first eighth.
float md5_fade_of_start(const md5_live *live);

// -- changes.c: how one state follows another
// ------------------------------------------------------

void md5_change_state(md5_player *player, uint32_t layer, const md5_change *change);

// Ends what has faded out.
void md5_end_faded(md5_run *run);

// -- transitions.c ----------------------------------------------------------------------------

// Takes the transitions that can be taken now, in all layers, and uses up their triggers.
void md5_take_transitions(md5_player *player);

// Whether the next to be taken in a layer is one that waits for an exit.
bool md5_is_at_exit(const md5_player *player, uint32_t layer);

// Seconds, up to `most`, until another could be.
double md5_seconds_until_exit(md5_player *player, uint32_t layer, double most);

// -- motion.c: the root's way -----------------------------------------------------------------

// Of the last step that was made.
md5_way md5_way_of_step(md5_player *player);

// -- layers.c, modifiers.c --------------------------------------------------------------------

// Writes the blended pose. spare[] are md5_spare_poses() poses.
void md5_blend_layers(md5_player *player, md5_transform *spare, md5_transform *pose);
size_t md5_spare_poses(const md5_machine *machine);

// Begins an inertial transition of `duration` seconds to the newest motion of a layer, from all the
// others as they are now shown.
void md5_begin_offsets(md5_player *player, uint32_t layer, double duration);

// The oldest `count` motions of a layer, over its frozen pose, become the frozen pose.
void md5_freeze_oldest(md5_player *player, uint32_t layer, uint32_t count);

// How many poses these two need to work in.
size_t md5_captured_poses(const md5_machine *machine);

// Whether all clips of a motion that is something are in the same cycle at two times, in seconds
// from now.
bool md5_stays_in_cycle(md5_player *player, const md5_live *live, double a, double b);

// Writes the pose of a motion `shift` seconds from now. spare[] are as many
// poses as the program has in work.
void md5_evaluate_live(md5_player *player, const md5_live *live, double shift, md5_transform *spare,
                       md5_transform *pose);

// The same, now, of the joints that its layer may change; others hold anything.
void md5_evaluate_joints(md5_player *player, const md5_play_layer *layer, const md5_live *live,
                         md5_transform *spare, md5_transform *pose);

void md5_apply_modifiers(md5_player *player, md5_transform *pose);

#endif
