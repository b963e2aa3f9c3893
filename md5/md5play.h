// md5play: players of state machines: states and transitions, events, root motion, poses.
//
//   machine (md5machine.h) --md5_create_player()--> player: the playback state of one character
//        --md5_player_advance()--> advances time: states change, events fire, the root moves
//        --md5_player_pose()--> blends layers, applies modifiers: pose, joints, palette
//
// md5_load_character() loads a machine with its model and clips; md5_play_batch() plays a crowd.
//
// After a player is created nothing allocates and nothing can fail: what sets something returns
// false, and changes nothing, if an index is invalid or a number not finite. A machine is for any
// number of threads, a player for one at a time.
//
// {0} means all defaults; members whose default is not 0 take MD5_ZERO for 0 where they name it.
//
// Time is seconds. A clip's normalised time runs from 0 to 1 over one cycle; above 1 it counts
// cycles. A pose is md5_xform[model joints], relative to the parent, in joint order.
#ifndef MD5PLAY_H
#define MD5PLAY_H

#include "md5machine.h" // beside this file also when installed

#ifdef __cplusplus
extern "C" {
#endif

// == Players =====================================================================================

typedef struct md5_player md5_player;

// Creates a player in the machine's start states at time 0, in one block of memory. The machine
// must outlive it. `allocator` may be NULL: the machine's. Fails only if memory runs out.
MD5_PLAY_API md5_player *md5_create_player(const md5_machine *machine,
                                           const md5_allocator *allocator, md5_error *error);
MD5_PLAY_API void md5_destroy_player(md5_player *player); // NULL is allowed
MD5_PLAY_API void md5_player_reset(md5_player *player);   // to its state after md5_create_player()

// Sets a parameter; any value but 0 sets a trigger or bool.
MD5_PLAY_API bool md5_player_set(md5_player *player, uint32_t parameter, float value);
MD5_PLAY_API float md5_player_get(const md5_player *player, uint32_t parameter); // 0 if invalid
// Whether a condition is met by the parameters as they are; false if it names none of them, and if
// it is about times or events.
MD5_PLAY_API bool md5_player_is_met(const md5_player *player, const md5_condition *condition);

// Starts a transition to a state over `duration` seconds, whatever the machine's own.
MD5_PLAY_API bool md5_player_fade_to(md5_player *player, uint32_t layer, uint32_t state,
                                     float duration, md5_fade fade, md5_ease_kind easing);

// Switches to a state at a normalised time; no event fires and the root does not move.
MD5_PLAY_API bool md5_player_seek(md5_player *player, uint32_t layer, uint32_t state, double time);

// -- One-shots ------------------------------------------------------------------------------

// md5_shot_desc is documented with the tables. A player's slots are those of md5_machine_desc, from
// 0; a one-shot in a higher slot is played over those in lower ones.

// Plays a clip as a one-shot. `desc` may be NULL. One that plays in the slot already fades out
// while the new one fades in, by the same easing, joint by joint, so that nothing jumps; of five in
// one slot the one of least weight ends abruptly. Its weight is the product of `weight` and both
// fades, which may overlap. Events of its clip fire as those of a state; within the fades their
// weight is at least that in the middle of the first or last eighth. Its root motion is added as a
// layer's is, by its weight at joint 0; one without root motion that covers joint 0 stops the
// character. Backward in time it plays backward and does not end.
// MD5_NONE as slot or clip: that of `desc`. So a game plays a row of md5_machine_tables(), whatever
// its conditions; what has the name of a row has its `until` and priority.
MD5_PLAY_API bool md5_player_play_shot(md5_player *player, uint32_t slot, uint32_t clip,
                                       const md5_shot_desc *desc);

// Stops what plays in a slot, over `fade_out` seconds and by the easing of its own fade out, or at
// once if that is not above 0. One that would be gone earlier anyway is left to it. Returns false
// if nothing plays there.
MD5_PLAY_API bool md5_player_stop_shot(md5_player *player, uint32_t slot, float fade_out);

// What the newest one-shot in a slot does at the end of its section: that in which it began, or to
// which it went; when it has played on behind that, or has none, of its clip.
typedef enum md5_section_change {
    MD5_SECTION_JUMP,  // goes to this section at once, and then plays on
    MD5_SECTION_NEXT,  // goes to this section then, and then plays on
    MD5_SECTION_LOOP,  // likewise, and plays it over and over; its own one: loops that
    MD5_SECTION_LEAVE, // plays on; `section` is not used
} md5_section_change;

// The last call counts. It goes to the first frame, backward to the last, without a blend: at one
// instant the events of both fire, and the root goes on. A fade before the end of the clip needs
// that end to come. Backward in time no section ends. Returns false if nothing plays in the slot,
// if it loops its whole clip, or if that has no such section.
MD5_PLAY_API bool md5_player_shot_section(md5_player *player, uint32_t slot, const char *section,
                                          md5_section_change change);

typedef struct md5_shot_status {
    bool is_playing;  // or fading out; else all is 0
    bool is_stopping; // by md5_player_stop_shot()
    uint32_t clip;
    double time;          // normalised time
    float weight;         // after fades
    const char *section;  // that it plays, the machine's; NULL: the whole clip
    uint64_t reserved[1]; // 0
} md5_shot_status;
// Returns the status of the newest one-shot in a slot.
MD5_PLAY_API md5_shot_status md5_player_shot(const md5_player *player, uint32_t slot);

// -- Targets, events, time ------------------------------------------------------------------

// Returns a modifier's target, which may be written at any time, or NULL if the index is invalid.
MD5_PLAY_API md5_target *md5_player_target(md5_player *player, uint32_t modifier);

// Says where a model of md5_machine_desc.attached is that has no joint: joints[joints of that
// model] in model space of this character, valid until the next call; NULL, as at first: nowhere.
// Neither saved, copied nor reset. Returns false for other models and invalid indices.
MD5_PLAY_API bool md5_player_attach(md5_player *player, uint32_t attached, const md5_mat34 *joints);

// Returns the feet of a modifier of kind MD5_MODIFIER_FEET, [num_feet] in the order of its table,
// or NULL for other kinds and invalid indices. `floor`, initially 0, and `normal` may be written at
// any time, if no md5_ground_fn is set; `result` and `miss` are those of the last pose.
MD5_PLAY_API md5_foot *md5_player_feet(md5_player *player, uint32_t modifier);

// Sets what a player draws at random: from now on the times of conditions that have a `longest`,
// also that of each layer's current state; and its gazes begin anew, from their tables' seeds and
// this one. Equal seeds give equal times, at any steps; members of a crowd get one each. 0 in a new
// player, and after md5_player_reset(). What it leads to is saved and copied with the player.
MD5_PLAY_API void md5_player_seed(md5_player *player, uint64_t seed);

// Returns the state of a modifier of kind MD5_MODIFIER_GAZE, or NULL likewise. It may be written at
// any time. It advances, forward in time, while the modifier has a weight; what is not finite
// begins anew.
MD5_PLAY_API md5_gaze *md5_player_gaze(md5_player *player, uint32_t modifier);

// Writes foot->floor, and foot->normal or not, of the ground below `ankle`, the animated position
// of the foot's ankle in model space: a game transforms it by the character's placement and casts a
// ray. Called for each foot of a modifier with a weight, when the character is posed, on the
// calling thread. It must not change or pose the player.
typedef void md5_ground_fn(void *user, const md5_player *player, md5_vec3 ankle, md5_foot *foot);

// NULL, as at first: the game writes md5_player_feet(). md5_player_reset() does not change it.
MD5_PLAY_API void md5_player_set_ground(md5_player *player, md5_ground_fn *ground, void *user);

// Called for each event that is passed, in the order of time; of the same instant in the order of
// layers and clips, then of one-shots. `weight` is that of the clip in its layer at this instant,
// above 0 and at most 1; the layer's own weight does not count. Events below a weight of 1e-6 are
// silent. `event` belongs to the machine. It must not change the player.
//
// Of the events that the machine reports, those of states have a weight of 1. At one instant come
// events of clips, ends of transitions, states that are left and entered, events where states
// begin. The first states, and what md5_player_fade_to() changes, are reported by the next
// md5_player_advance(), what md5_player_seek() changes is not. A state that is left as it begins is
// silent, and a transition that is interrupted has no end. MD5_EVENT_CLIP_END comes after the
// events of the last frame, backward of the first; a clip that begins at its end does not end
// there.
//
// A window opens and closes where a clip of any weight in its motion passes its frames, in order;
// of one frame forward behind the clip's events, backward before them. Last at their instant come
// other causes: a state or one-shot begins, or has faded out, is frozen, cut or sought. It is one
// window for all that play its clip, so each MD5_EVENT_BEGIN has one MD5_EVENT_END. What
// md5_player_seek(), a reset or md5_player_stop_shot() ends closes in the next
// md5_player_advance(). `weight` is at least 1e-6; that of an end is 0 if nothing plays the clip.
typedef void md5_event_fn(void *user, md5_player *player, const md5_event *event, float weight);

// Limits of one md5_player_advance(), each of which takes well under a microsecond: events, silent
// ones included; intervals and transitions.
enum { MD5_MAX_STEP_EVENTS = 65536, MD5_MAX_STEP_PARTS = 65536 };

// What happened in a step. The last two are 0 except for extreme steps.
typedef struct md5_advance_status {
    uint32_t num_events; // that fired
    // That the pose jumped: transitions of 0 s that do not keep the phase, in layers with a weight,
    // and one-shots that ended without a fade. What the game does between steps is not counted.
    uint32_t num_cuts;
    uint64_t num_dropped; // that were dropped, silent ones included
    double undivided;     // seconds at the end that passed in one piece
    uint64_t reserved[2]; // 0
} md5_advance_status;

// Advances a player by `seconds`, which may be 0 or negative; not finite means 0, and the magnitude
// is limited to a million. `events` may be NULL.
//
// Transitions are taken as soon as they become active: at the start of the step, wherever within it
// a fade ends, an exit or the end of a section is reached, the time of a condition comes, an event
// that one names is passed, or a parameter that follows passes the value of one, and at its end.
// The step is divided there; between these instants clips advance, and the events in (before, now]
// fire.
//
// A state also fires the events at the position where it begins, unless it is left at that instant;
// if it fades in, with the weight in the middle of the first eighth of the fade. At the end of a
// cycle both the last and the first frame fire, and the pose is that of the first; but a state that
// is left at its exit fires none of a cycle that would begin there. At the position from which a
// state that keeps the phase goes on within a cycle, events fire in the state that is left.
//
// The result does not depend on how time is split into steps, forward or backward (but not both),
// steps of 0 included, which have the direction of the step before, up to rounding error; nor on
// calls of md5_player_pose(). A time within 1e-9 of a cycle or second counts as reached, which is
// enough for a million cycles in one step and a million steps since a clip began; an exit or a
// start within 6e-8 of a frame is at that frame. Exceptions, of the second order in parts of at
// most 1/4 s: root motion while weights change or while it turns and is blended, and what is not
// linear in a parameter that follows (.github/docs/blending.md), also the time that a clip has left
// by it. The clock of states in step is exact to 1e-7 of a cycle for a fade.
//
// Backward in time clips play backward, but fades advance by |seconds|, and exits are not reached.
// If transitions form a cycle that takes no time, the layer goes around it once; then it rests
// until a parameter is set anew, one that follows ends a part, a fade ends, or an exit is reached
// that was not at the start. Events beyond MD5_MAX_STEP_EVENTS are dropped and counted; beyond
// MD5_MAX_STEP_PARTS the rest of the step passes in one piece without transitions.
MD5_PLAY_API md5_advance_status md5_player_advance(md5_player *player, double seconds,
                                                   md5_event_fn *events, void *user);

// Returns the root motion of the last md5_player_advance(): what MD5_EXTRACT_* removed from the
// playing clips, blended as their poses are, in the space of the character before the step: the new
// placement is md5_xform_advance(placement, motion). Motions of parts of a step compose to that of
// the whole.
MD5_PLAY_API md5_xform md5_player_root_motion(const md5_player *player);

// Writes the current pose[model joints]; `joints` and `palette`, [model joints] each, may be NULL
// and must not overlap. The result does not depend on earlier calls, to the bit; only springs and
// feet advance from pose to pose: call this regularly for a player that has some, also while it is
// not visible. With md5_detail.interval it may write the kept pose; returns whether it computed a
// new one. `scratch` is md5_player_pose_scratch() bytes of any alignment.
MD5_PLAY_API bool md5_player_pose(md5_player *player, md5_xform *pose, md5_mat34 *joints,
                                  md5_mat34 *palette, void *scratch);
MD5_PLAY_API size_t md5_player_pose_scratch(const md5_machine *machine);

// Returns the weight, as events have it, of the clip that has a window of this index open since the
// last md5_player_advance(), of several the largest; 0: it is not open, or the index is invalid.
MD5_PLAY_API float md5_player_window(const md5_player *player, uint32_t window);

// Returns a curve's value, blended as joints are: clips that have the curve by their weights in
// their layer; that over the layers below, or added to them, by the weight of the layer and of
// these clips in it; likewise one-shots. 0 if none has it or the index is invalid. Masks do not
// matter. Time: layers times clips that have the curve times playing clips.
MD5_PLAY_API float md5_player_curve(const md5_player *player, uint32_t curve);

// Writes weights[md5_machine_num_morphs()] for the morph targets of the machine's names, whatever
// the level of detail. Finite. Time: layers times rows times playing clips; of a row by a curve or
// a window, also the clips that have it, and all windows.
MD5_PLAY_API void md5_player_morphs(const md5_player *player, float *weights);

// -- Level of detail ------------------------------------------------------------------------

// How much of a player's pose is computed, for characters that are far away or many. Time, states,
// events and root motion do not depend on it.
typedef struct md5_detail {
    // The joints to animate: those with a weight above 0 in this mask of the machine, their
    // ancestors, and joint 0: with the bits of full detail, all others as in the bind pose. A
    // modifier is not applied if its `joint` or the ankle of one of its feet is not animated;
    // springs begin anew when it is. NULL: all joints.
    const char *mask;
    // The pose is computed in every interval-th call of md5_player_pose() or md5_play_batch(), 0
    // and 1: in each, and early if there is none yet or it would become older than this. Other
    // calls write the last one and its matrices. Springs and feet pass the whole time between two
    // computed poses in one step; ground callbacks are called for computed poses only.
    uint32_t interval;
    uint32_t
        phase; // in which: their number plus it is a multiple; with 0, 1, 2, ... players take turns
    uint64_t reserved[4]; // 0
} md5_detail;

// From the next computed pose on; NULL means full detail, as at first. Saved and copied with the
// player. Time: linear in the machine's masks.
MD5_PLAY_API bool md5_player_set_detail(md5_player *player, const md5_detail *detail);

// -- Saving and copying ---------------------------------------------------------------------

// Saves all of a player's state in bytes[size], the same bytes on all platforms; a restored player
// continues with the same bits. Returns their number, which changes with what is active.
MD5_PLAY_API size_t md5_player_save(const md5_player *player, void *bytes, size_t size);

// Restores a player of a machine of the same fingerprint, from bytes from anywhere: every number is
// checked. On failure returns false and changes nothing. MD5_ERROR_MISMATCH: of another machine, or
// of a version of the format that is too new or too old; MD5_ERROR_SYNTAX: too few or too many
// bytes, or not of a player; MD5_ERROR_RANGE: a number is out of range.
MD5_PLAY_API bool md5_player_restore(md5_player *player, const void *bytes, size_t size,
                                     md5_error *error);

// Copies a player's state to another one of the same md5_machine, fast: for rollback or lookahead.
MD5_PLAY_API void md5_player_copy(md5_player *to, const md5_player *from);

// Called for each row of the old machine that the new one lacks by name: `kind` is "clip", "mask",
// "parameter", "modifier", "slot", "layer", "state", "window" or "curve"; or "model", with the
// machine's name, if the joints differ. It must not use the players.
typedef void md5_lost_fn(void *user, const char *kind, const char *name);

// Lets a player of an edited machine go on where one of the old machine is. `from` does not change,
// but only one thread may use it. All is taken over by name: layers, their states with clocks and
// fades, parameters, one-shots, modifiers' targets and states, detail; not the ground callback.
// Clips keep their normalised time. Where states are gone, the layer goes on with those that it was
// fading from, else with its first. A layer whose pose differs goes on from the old one by an
// inertial transition of 0.2 s, unless states without motion are involved or the joints differ; the
// rest changes at once: weights of layers, masks, modifiers, one-shots. One-shots whose slot, clip
// or mask is gone end. An open window stays so, of those of one name by frames, else by order; if
// it is gone, it has no end. `lost` may be NULL.
// Time: the tables' size, squared if names change order.
MD5_PLAY_API void md5_player_adopt(md5_player *to, const md5_player *from, md5_lost_fn *lost,
                                   void *user);

typedef struct md5_layer_status { // for a debug panel
    uint32_t state;               // current state, or target of the transition
    // Source of the transition, of several at one instant of the first; MD5_NONE: none is active.
    uint32_t from;
    float progress;       // of the transition, 0..1, before easing
    double time;          // normalised time of `state`
    float weight;         // of the layer
    uint64_t reserved[2]; // 0
} md5_layer_status;
// {.from = MD5_NONE} if the index is invalid.
MD5_PLAY_API md5_layer_status md5_player_layer(const md5_player *player, uint32_t layer);

// Returns the model-space bounds of joints[model joints], widened by the distance of the model's
// vertices from their joints. Cheap, never too small.
MD5_PLAY_API md5_bounds md5_player_bounds(const md5_player *player, const md5_mat34 *joints);

typedef struct md5_play_job md5_play_job;

// For a game's own inverse kinematics, a ragdoll, or a copy of the pose: called after layers and
// modifiers, before joints and palettes are computed, also for a kept pose unless the job keeps its
// matrices. jobs[count], 1 to MD5_MAX_HOOKED, are adjacent jobs with the same hook and hook_user;
// poses[i], which it may change, is that of jobs[i]. It runs on a thread of the batch and must not
// change or pose these players, except to set parameters and targets for the next step.
typedef void md5_pose_hook_fn(void *hook_user, const md5_play_job *jobs, uint32_t count,
                              md5_xform *const *poses);
enum { MD5_MAX_HOOKED = 16 };

struct md5_play_job {   // one character of a crowd
    md5_player *player; // in one job only
    double seconds;
    md5_event_fn *events; // or NULL
    void *user;
    md5_pose_hook_fn *hook; // or NULL
    void *hook_user;
    md5_mat34 *joints;  // [model joints] or NULL
    md5_mat34 *palette; // [model joints] or NULL
    // `joints` and `palette` still hold what the last job of this player, which was not restored or
    // copied to since, wrote: they are not written again for a kept pose, which then costs nothing.
    bool keeps_matrices;
    bool is_computed; // written: whether the pose was computed, as md5_player_pose() returns
    md5_advance_status status; // written: as md5_player_advance() returns
    md5_xform motion;          // written: md5_player_root_motion()
    uint64_t reserved[4];      // 0
};

// Calls md5_player_advance() and md5_player_pose() for `count` characters of any machines, with the
// same bits, and their hooks; fastest if characters of one model are adjacent. Events and hooks of
// different players are called on different threads, those of one player on one, in order.
// `scratch` is md5_play_batch_scratch() bytes of any alignment, for these jobs or any part of them:
// about 1.3 KB per joint of the largest model, for each worker.
MD5_PLAY_API void md5_play_batch(md5_play_job *jobs, size_t count, const md5_threads *threads,
                                 void *scratch);
MD5_PLAY_API size_t md5_play_batch_scratch(const md5_play_job *jobs, size_t count,
                                           const md5_threads *threads);

// -- Between fixed steps --------------------------------------------------------------------

// One character of a game that simulates at 30 or 60 Hz and draws more often. The game keeps the
// poses of the last two steps, and where the character stood before the last one.
typedef struct md5_between_job {
    const md5_model *model;
    const md5_xform *before, *now; // [model joints] as md5_player_pose() or a hook had them
    md5_xform motion;              // md5_player_root_motion() of the step from one to the other
    bool has_cut;    // md5_advance_status.num_cuts, a seek or the like: `now` is written at once
    md5_xform *pose; // [model joints], written; it may be `before` or `now`
    md5_mat34 *joints, *palette; // [model joints], written; either may be NULL
    md5_xform part;       // written: of the motion; the placement is that before the step * part
    uint64_t reserved[4]; // 0
} md5_between_job;

// Writes poses, matrices and parts of motions at a `share` of the step, clamped to 0..1: `before`
// at 0, `now` at 1, bit by bit. The same bits with any threads. The part of a motion is that of a
// screw (Chasles 1830): exact for a root that moves and turns steadily. Poses are those of
// md5_blend_poses(): over all clips of the model Bobbin a joint is at most 3.4 % of its height from
// its true place with steps of 1/30 s, 1.7 % with 1/60 s.
MD5_PLAY_API void md5_pose_between(md5_between_job *jobs, size_t count, float share,
                                   const md5_threads *threads);

// == Characters ==================================================================================
//
// A machine file with everything it names. One serves any number of players, which must be freed
// first; read-only. Arrays have one entry for each clip of the machine, in its order:
// md5_machine_tables(machine)->clips. Clips of the same file share its animation and binding.
typedef struct md5_character {
    const md5_machine *machine;
    const md5_model *model;
    uint32_t num_clips;
    const md5_anim *const *anims;       // [num_clips]
    const md5_binding *const *bindings; // [num_clips]
    const char *model_path;             // as it was opened
    const char *const *anim_paths;      // [num_clips]
    size_t anims_size;                  // bytes of the animations, each counted once
    uint32_t num_warnings;              // of the machine file, the model and the animations
    md5_internal internal;
} md5_character;

// Loads a machine file, the model and animations that it names, binds them and creates the machine.
// A file name in the text is relative to the folder of `path`, unless it begins with one / or \ or
// a drive letter: no file of another machine is read. Reads each file once, on opts->threads with
// the same result; limits of memory and warnings hold for each by itself. Warnings about a binding
// name the clip. A file that cannot be read is an error at its name in the machine file; other
// errors are at their location in the file that has them.
MD5_PLAY_API md5_character *md5_load_character(const char *path, const md5_load_opts *opts,
                                               md5_error *error);
MD5_PLAY_API void md5_free_character(md5_character *character);

#ifdef __cplusplus
}
#endif

#endif
