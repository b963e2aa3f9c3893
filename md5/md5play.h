// md5play: plays the machines of md5machine.h: states and transitions, events, root motion, poses.
//
//   machine --md5_create_player()--> player: the playback state of one character
//        --md5_player_advance()--> advances time: states change, events fire, the root moves
//        --md5_player_pose()--> blends layers, applies modifiers: pose, joints, palette
//
// md5_play_batch() does both for a crowd in one call.
//
// After a player is created nothing allocates and nothing can fail. A player may be used by one
// thread at a time.
//
// Time is seconds. A clip's normalised time runs from 0 to 1 over one cycle; above 1 it counts
// cycles. A pose is md5_xform[model joints], relative to the parent, in joint order.
#ifndef MD5PLAY_H
#define MD5PLAY_H

#include "md5machine.h" // beside this file also when installed

#ifdef __cplusplus
extern "C" {
#endif

// -- Player ---------------------------------------------------------------------------------

typedef struct md5_player md5_player;

// Creates a player in the machine's start states at time 0, in one block of memory. The machine
// must outlive it. Of `opts`, allocator and memory_limit are used. Returns NULL only if memory runs
// out.
MD5_API md5_player *md5_create_player(const md5_machine *machine, const md5_load_opts *opts,
                                      md5_error *error);
MD5_API void md5_destroy_player(md5_player *player);

// Resets a player to its state after md5_create_player().
MD5_API void md5_player_reset(md5_player *player);

// Sets a parameter; any value but 0 sets a trigger or bool. Returns false and changes nothing if
// the value is not finite or the index is invalid.
MD5_API bool md5_player_set(md5_player *player, uint32_t parameter, float value);
MD5_API float md5_player_get(const md5_player *player, uint32_t parameter); // 0 if invalid

// Starts a transition to a state over `duration` seconds, regardless of the machine's transitions.
// Returns false and changes nothing if the layer or state index is invalid.
MD5_API bool md5_player_fade_to(md5_player *player, uint32_t layer, uint32_t state, float duration,
                                md5_fade fade, md5_easing easing);

// Switches to a state at a normalised time; no event fires and the root does not move. Returns as
// md5_player_fade_to() does.
MD5_API bool md5_player_seek(md5_player *player, uint32_t layer, uint32_t state, double time);

// -- One-shots ------------------------------------------------------------------------------

// A one-shot is a clip that a game plays over the layers: a hit, a wave, a reload. It needs no
// state. A player has md5_machine_desc.max_shots slots for them, numbered from 0; a one-shot in a
// higher slot is played over those in lower ones.

// What a one-shot does at the end of its clip.
typedef enum md5_shot_end {
    MD5_SHOT_ENDS,  // has faded out by then
    MD5_SHOT_HOLDS, // holds the last frame until it is stopped
    MD5_SHOT_LOOPS, // plays on until it is stopped
} md5_shot_end;

typedef struct md5_shot_desc {
    md5_layer_mode mode; // MD5_LAYER_ADD: the difference between the clip and a reference is added
    const char *mask;    // of the machine; NULL = all joints
    const char *layer;   // it is played over this layer, below the next; NULL = over all layers
    const char *reference; // ADD: clip; NULL = its own
    uint32_t reference_frame;
    float weight; // 0..1; 0 means 1, MD5_ZERO means 0
    float speed;  // 0 means 1, MD5_ZERO means 0: a still. Negative: backward from its end
    double start; // normalised time at which it begins, 0..1; backward it counts from the end
    float fade_in, fade_out; // seconds at its start, and before its end; 0 = cut
    md5_easing easing;       // of both, unless it has a curve; one without parameters
    md5_shot_end end;
    // Easing of one of the fades, with or without parameters: as `curve` of a transition. NULL =
    // `easing`. Copied. A weight is the eased share of the fade in that has passed, or 1 minus that
    // of the fade out; where a curve overshoots, it stays at 0 or 1.
    const md5_easing_curve *fade_in_curve, *fade_out_curve;
    uintptr_t reserved[2]; // 0
} md5_shot_desc;

// Plays a clip as a one-shot. `desc` may be NULL. If a one-shot plays in the slot already, it fades
// out while the new one fades in, by the same easing, joint by joint, so that nothing jumps; of
// five in one slot the one of least weight ends abruptly. Its weight is the product of `weight` and
// both fades, which may overlap. Events of its clip fire as those of a state; within the fades
// their weight is at least that in the middle of the first or last eighth. Root motion of its clip
// is removed from the pose, and added to that of the layers as a layer's is, by its weight at joint
// 0; a one-shot without root motion that covers joint 0 stops the character. Backward in time it
// plays backward and does not end. Returns false and changes nothing if an index is invalid, a name
// is unknown, or a number is not finite or out of range. Allocates nothing. The time of a pose
// grows by that of one layer.
MD5_API bool md5_player_play_shot(md5_player *player, uint32_t slot, uint32_t clip,
                                  const md5_shot_desc *desc);

// Stops what plays in a slot, over `fade_out` seconds and by the easing of its own fade out, or at
// once if that is not above 0. One that would be gone earlier anyway is left to it. Returns false
// if nothing plays there.
MD5_API bool md5_player_stop_shot(md5_player *player, uint32_t slot, float fade_out);

typedef struct md5_shot_status {
    bool is_playing;  // or fading out; else all is 0
    bool is_stopping; // by md5_player_stop_shot()
    uint32_t clip;
    double time;  // normalised time
    float weight; // after fades
} md5_shot_status;
// Returns the status of the newest one-shot in a slot.
MD5_API md5_shot_status md5_player_shot(const md5_player *player, uint32_t slot);

// -- Targets, events, time ------------------------------------------------------------------

// Returns a modifier's target, which may be written at any time, or NULL if the index is invalid.
// Initially the weight is that of the table, and nothing else is given: see md5_target.
MD5_API md5_target *md5_player_target(md5_player *player, uint32_t modifier);

// Returns the feet of a modifier of kind MD5_MODIFIER_FEET, md5_foot[num_feet] in the order of its
// table, or NULL for other kinds and invalid indices. `floor`, initially 0, and `normal` may be
// written at any time, if no md5_ground_fn is set; `result` and `miss` are those of the last pose.
MD5_API md5_foot *md5_player_feet(md5_player *player, uint32_t modifier);

// Returns the state of a modifier of kind MD5_MODIFIER_GAZE, or NULL for other kinds and invalid
// indices. It may be written at any time: md5_gaze_begin() with another seed lets the members of a
// crowd look about each in another order. md5_player_advance() advances it, forward in time, while
// the modifier has a weight; what is not finite then begins anew. At a reduced level of detail,
// eyes that are not animated rest.
MD5_API md5_gaze *md5_player_gaze(md5_player *player, uint32_t modifier);

// Ground callback: writes foot->floor, and foot->normal or not, of the ground below `ankle`, the
// animated position of the foot's ankle in model space. A game transforms it by the character's
// placement and casts a ray. Called for each foot of a modifier with a weight, when the character
// is posed, on the calling thread. It must not change or pose the player.
typedef void md5_ground_fn(void *user, const md5_player *player, md5_vec3 ankle, md5_foot *foot);

// Sets the ground callback; NULL, the initial value: the game writes md5_player_feet().
// md5_player_reset() does not change it.
MD5_API void md5_player_set_ground(md5_player *player, md5_ground_fn *ground, void *user);

// Event callback. It is called for each event that is passed, in the order of time; events of the
// same instant in the order of layers and clips, then of one-shots. `weight` is that of the clip in
// its layer at this instant, above 0 and at most 1; the layer's own weight does not count. Events
// below a weight of 1e-6 are silent: of a clip without weight in its motion, of a motion that has
// faded out or is left by an inertial transition. `event` belongs to the machine. The callback must
// not change the player.
//
// Events that the machine reports (md5_machine_desc.report) are delivered in the same way:
// - MD5_EVENT_LEAVE, MD5_EVENT_ENTER and MD5_EVENT_TRANSITION_END with a weight of 1. At one
//   instant, first come the events of clips that reach it, then the ends of transitions, then,
//   layer by layer, the states that are left and entered, then events where states begin. What
//   md5_player_fade_to() changes is reported by the next md5_player_advance(), and so are the first
//   states; what md5_player_seek() changes is not. A state that is left at the instant at which it
//   began is silent, as its events are. A transition that is interrupted has no end.
// - MD5_EVENT_CLIP_END with the weight of the clip, when a clip that is played once comes to its
//   end, and at the end of each cycle of others, after the events of the last frame. A clip that
//   plays backward ends at its first frame. A clip that begins at its end does not end there.
typedef void md5_event_fn(void *user, md5_player *player, const md5_event *event, float weight);

// Limits of one md5_player_advance(): events, silent ones included, and intervals and transitions.
// Each takes well under a microsecond for a small machine.
enum { MD5_MAX_STEP_EVENTS = 65536, MD5_MAX_STEP_PARTS = 65536 };

// Advances a player by `seconds`, which may be 0 or negative. A value that is not finite means 0;
// the magnitude is limited to a million. `events` may be NULL.
//
// Transitions are taken as soon as they become active: at the start of the step, wherever within it
// a fade ends, an exit is reached or a parameter that follows passes the value of a condition, and
// at its end. The step is divided there, so that a transition begins exactly where the previous one
// ended. Between these instants clips advance and events fire.
//
// An interval fires the events in (before, now]. A state also fires the events at the position
// where it begins, as soon as it begins; if it fades in, with the weight in the middle of the first
// eighth of the fade. A state that is left at the same instant is silent. At an exit, the state
// that is left fires all events there but those of a cycle that would begin there, and the new
// state those of its first position. So at the end of a cycle the last frame of the old state and
// the first frame of the new one fire, never both first frames. A state that keeps the phase and
// begins within a cycle continues from there: events at this position fire in the state that is
// left. Backward it is the same in the opposite order; events at the position where a state begins
// come in table order.
//
// Where a cycle ends and the next one begins, both the last and the first frame fire their events,
// and the pose is that of the first frame, also if rounding leaves the clip within 1e-9 of a cycle
// before it.
//
// The result does not depend on how time is split into steps, forward or backward (but not both),
// steps of 0 included, which have the direction of the step before: the same events in the same
// order, with the same weights, in the same states at the same times, and the same root motion, all
// up to rounding error; nor does it depend on calls of md5_player_pose(). To make this hold despite
// rounding, a time within 1e-9 of a cycle or second counts as reached, which is enough for a
// million cycles in one step and a million steps since a clip began. An exit or a start within the
// rounding of a float (6e-8) of a frame is at that frame.
//
// These are all exceptions. In each a step is divided into parts, and the error is of the second
// order in their length: in steps half as long the result is four times as near.
// - Root motion while weights change, by a cross-fade or a fade of a one-shot. Parts are at most
//   1/8 of each fade, and 1/4 s. In a part each motion has the mean of its weight, by Simpson's
//   rule; that is off by at most what the weight changes in the part, times the distance that the
//   motion goes in it. Two steady velocities with an easing of at most the third degree are exact.
// - Root motion that turns, while it is blended with other root motion, or while an inertial
//   transition carries a velocity of the root. Parts are at most 1/4 s.
// - Parameters that follow (md5_follow_desc). Parts are at most 0.02 s, and end where the parameter
//   passes the value of a condition, 0, 1, or an item of a line or of clips by speed. In a part,
//   rates and weights are those of the mean of the parameter. Rates and distances that are linear
//   in it are exact: those of speed_parameter and of clips by speed, and the rate of a line without
//   markers. Those of markers, of planes, of a product of several, of eased weights, and the
//   distance of a synchronised line are not. Events in a part come in the order of steady rates,
//   with its weights. A condition that is true for less than a part may be missed.
// - After half of MD5_MAX_STEP_PARTS intervals in one step, the rest is not divided for these.
//
// Backward in time clips play backward, but transitions proceed: fades advance by |seconds|. Exits
// are not reached then, because clips move away from them.
//
// If transitions form a cycle that takes no time, the layer goes around it once; then it rests
// until a parameter is set anew, one that follows ends a part as above, a fade ends, or an exit is
// reached that was not at the start.
//
// Computing time is bounded: events beyond MD5_MAX_STEP_EVENTS are dropped and counted; beyond
// MD5_MAX_STEP_PARTS the rest of the step passes in one piece without transitions. See
// md5_player_last_advance().
MD5_API void md5_player_advance(md5_player *player, double seconds, md5_event_fn *events,
                                void *user);

// Result of the last md5_player_advance(). The last two are 0 except for extreme steps.
typedef struct md5_advance_status {
    uint32_t num_events;  // that fired
    uint64_t num_dropped; // that were dropped, silent ones included
    double undivided;     // seconds at the end that passed in one piece
} md5_advance_status;
MD5_API md5_advance_status md5_player_last_advance(const md5_player *player);

// Returns the root motion of the last md5_player_advance(): the displacement that MD5_EXTRACT_*
// removed from the playing clips, blended as their poses are, in the space of the character before
// the step. The new placement is placement * motion. In an inertial transition it begins with the
// velocity that it had (md5machine.h); that of a frozen pose stays what it was. Motions of the
// parts of a step compose to that of the whole step, as md5_player_advance() says.
MD5_API md5_xform md5_player_root_motion(const md5_player *player);

// Writes the current pose[model joints]; `joints` and `palette`, [model joints] each, may be NULL
// and must not overlap. The result does not depend on earlier calls, to the bit:
// md5_player_advance() does everything else. Only springs and feet advance from pose to pose, see
// md5_solve_spring() and md5_solve_feet(): call this regularly for a player that has some, also
// while it is not visible. With md5_detail.interval it may write the kept pose; returns whether it
// computed a new one. `scratch` is md5_player_pose_scratch() bytes of any alignment; no other
// thread may use it meanwhile.
MD5_API bool md5_player_pose(md5_player *player, void *scratch, md5_xform *pose, md5_mat34 *joints,
                             md5_mat34 *palette);
MD5_API size_t md5_player_pose_scratch(const md5_machine *machine);

// Writes the current weights of the morph targets that the machine drives (md5_morph_desc):
// weights[md5_machine_num_morphs()], finite numbers in the order of md5_machine_morph_name(). They
// follow from what md5_player_save() saves: a restored player has the same bits. They do not depend
// on the level of detail. Give them to the targets of the same names: md5_find_morph_target()
// (md5morph.h). Time: layers times rows times playing clips.
MD5_API void md5_player_morphs(md5_player *player, float *weights);

// -- Level of detail ------------------------------------------------------------------------

// How much of a player's pose is computed, for characters that are far away or many. Time, states,
// events and root motion do not depend on it: md5_player_advance() does the same.
typedef struct md5_detail {
    // The joints to animate: those with a weight above 0 in this mask of the machine, their
    // ancestors, and joint 0. Each of them gets the bits of full detail. All others are as in the
    // bind pose, relative to their parents: fingers and faces rest, palettes are complete. A
    // modifier is not applied, as with weight 0, if its `joint` or the ankle of one of its feet is
    // not animated; springs begin anew when it is. NULL: all joints.
    const char *mask;
    // The pose is computed in every interval-th call of md5_player_pose() or md5_play_batch(); 0
    // and 1: in each. Between them a call writes the last pose that was computed: the same bits,
    // and matrices of these, not moved by later time or targets. It is computed early if there is
    // none yet or if it would become older than this, as when the interval changes. Springs and
    // feet pass the whole time between two computed poses in one step. Ground callbacks are called
    // for computed poses only.
    uint32_t interval;
    // Which of the calls: those for which the number of the player's earlier calls plus `phase` is
    // a multiple of the interval. Players that are posed equally often take turns if their phases
    // are 0, 1, 2, ..., so that the cost of each frame is even. Any number.
    uint32_t phase;
} md5_detail;

// Sets the level of detail, from the next computed pose on; NULL means full detail, as after
// md5_create_player() and md5_player_reset(). It may be set at any time and as often as wanted:
// players keep taking turns. Saved and copied with the player. Returns false and changes nothing if
// the mask is unknown. Time: linear in the machine's masks.
//
// What it saves: poses that are not computed; layers that change none of the animated joints, such
// as those of a face; sampling and blending of override layers, if 16 or more adjacent joints are
// left out. The cost of advancing, matrices, additive layers, stacks that add, one-shots and clips
// with rebased joints or cubic interpolation stays. md5_play_job.keeps_matrices saves the matrices
// of kept poses.
MD5_API bool md5_player_set_detail(md5_player *player, const md5_detail *detail);
MD5_API md5_detail md5_player_detail(const md5_player *player); // `phase` below `interval`

// -- Saving and copying ---------------------------------------------------------------------

// Saves a player in bytes[size], for saved games and for other computers: states and transitions,
// clocks, parameters, morph weights, targets, springs, feet, gazes, one-shots, level of detail. The
// bytes
// are the same on all platforms. A restored player continues with the same bits: poses, events,
// root motion, also within transitions. Returns the number of bytes, or 0 if `size` is too small.
// md5_player_save_size() returns the size that is needed now; it changes with the states and
// one-shots that are active.
MD5_API size_t md5_player_save_size(const md5_player *player);
MD5_API size_t md5_player_save(const md5_player *player, void *bytes, size_t size);

// Restores a player from bytes[size] as md5_player_save() wrote them. The player may be of another
// program, if its machine has the same fingerprint. Every number is checked, so bytes from anywhere
// may be passed. On failure returns false and changes nothing; `error` may be NULL.
// MD5_ERROR_MISMATCH: saved with another machine, or in a version of the format that is newer than
// this library or too old, the message says which; MD5_ERROR_SYNTAX: too few or too many bytes, or
// not of a player; MD5_ERROR_RANGE: a number is out of range. Time: a few nanoseconds a number.
MD5_API bool md5_player_restore(md5_player *player, const void *bytes, size_t size,
                                md5_error *error);

// Copies the state of a player to another one of the same machine: as saving and restoring, but
// fast, for rollback or lookahead. Both must be of the same md5_machine.
MD5_API void md5_player_copy(md5_player *to, const md5_player *from);

// -- Layers and crowds ----------------------------------------------------------------------

// Status of one layer, for a debug panel.
typedef struct md5_layer_status {
    uint32_t state; // current state, or target of the transition
    // Source of the transition; -1: no transition is active. Of several transitions at one instant
    // it is the source of the first, from which the pose fades.
    int32_t from;
    float progress; // of the transition, 0..1, before easing
    double time;    // normalised time of `state`
    float weight;   // of the layer
} md5_layer_status;
// Returns the status of a layer; {.from = -1} if the index is invalid.
MD5_API md5_layer_status md5_player_layer(const md5_player *player, uint32_t layer);

// Returns the model-space bounds of the pose of joints[model joints]: bounds of the joints, widened
// by the distance of the model's vertices from their joints. Cheap, never too small.
MD5_API md5_bounds md5_player_bounds(const md5_player *player, const md5_mat34 *joints);

typedef struct md5_play_job md5_play_job;

// Pose hook of md5_play_batch(), for a game's own inverse kinematics, a ragdoll, or a copy of the
// pose. It is called after layers and modifiers, so that it has the last word, and before joints
// and palettes are computed. jobs[count], 1 to MD5_MOST_HOOKED, are adjacent jobs with the same
// hook and hook_user; poses[i], which it may change, is that of jobs[i], md5_xform[model
// joints]. It runs on a thread of the batch, at the same time as those of other jobs, and must not
// call functions that change or pose these players, except to set parameters and targets for the
// next step. It is also
// called for a kept pose (md5_detail), which it gets as layers and modifiers left it, unless the
// job keeps its matrices.
typedef void md5_pose_hook_fn(void *hook_user, const md5_play_job *jobs, uint32_t count,
                              md5_xform *const *poses);
enum { MD5_MOST_HOOKED = 16 };

// One character of a crowd.
struct md5_play_job {
    md5_player *player; // in one job only
    double seconds;
    md5_event_fn *events; // or NULL
    void *user;
    md5_pose_hook_fn *hook; // or NULL
    void *hook_user;
    md5_mat34 *joints;  // [model joints] or NULL
    md5_mat34 *palette; // [model joints] or NULL
    // `joints` and `palette` still hold what the last job of this player wrote, and the player was
    // not restored or copied to since: they are not written again for a kept pose (md5_detail),
    // which then costs nothing.
    bool keeps_matrices;
    bool is_computed; // written: whether the pose was computed, as md5_player_pose() returns
    md5_xform motion; // written: md5_player_root_motion()
};

// Calls md5_player_advance() and md5_player_pose() for `count` characters of any machines, with the
// same bits, and their hooks. It is fastest if characters of one model are adjacent. `threads` may
// be NULL (md5jobs.h); with several workers, events and hooks of different players are called on
// different threads at the same time, and those of one player on one thread, in order. `scratch` is
// md5_play_batch_scratch() bytes of any alignment, for these jobs or any part of them: about 1.3 KB
// per joint of the largest model, for each worker.
MD5_API void md5_play_batch(md5_play_job *jobs, size_t count, const md5_threads *threads,
                            void *scratch);
MD5_API size_t md5_play_batch_scratch(const md5_play_job *jobs, size_t count,
                                      const md5_threads *threads);

#ifdef __cplusplus
}
#endif

#endif
