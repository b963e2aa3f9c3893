// md5play: plays the state machines that md5machine.h defines. A state machine decides which
// animations a character plays, and blends them. For each character, a player stores the playback
// state. In each frame, the game advances the player, which changes states, fires events and moves
// the root, and then poses it, which writes the joints.
//
//   machine (md5machine.h) --md5_create_player()--> player: the playback state of one character
//        --md5_player_advance()--> advances time: states change, events fire, the root moves
//        --md5_player_pose()--> blends layers, applies modifiers: pose, joints, palette
//
// md5_load_character() loads a machine together with its model and clips. This code loads a
// character, moves it and computes its palette. `placement` is the transform of the character in
// the world. `pose` and `palette` have one element for each joint of the model, and `scratch` has
// md5_player_pose_scratch() bytes:
//
//   md5_character *hero = md5_load_character("hero.md5machine", NULL, &error);
//   md5_player *player = hero ? md5_create_player(hero->machine, NULL, &error) : NULL;
//   if (player) {
//       md5_player_set(player, md5_find_parameter(hero->machine, "speed"), 20);
//       md5_player_advance(player, 1.0 / 60, NULL, NULL); // this and the next lines: each frame
//       placement = md5_xform_advance(placement, md5_player_root_motion(player));
//       md5_player_pose(player, pose, NULL, palette, scratch);
//   }
//
// md5_play_batch() advances and poses all characters of a crowd in one call, on several threads.
//
// Terms that are used below; md5machine.h explains all of them in detail:
//
// - Clip: an animation. Its normalized time runs from 0 to 1 over one cycle; a time above 1 counts
//   cycles, so 2.5 is the middle of the third cycle.
// - Layer: a state machine with one current state. A machine consists of one or more layers, whose
//   poses are blended over each other or added.
// - Transition: a change from one state of a layer to another. During a transition with a duration,
//   the old state fades out while the new state fades in. A cut is a transition without a duration.
// - Exit: the normalized time at which a transition may leave its state.
// - One-shot clip: a clip that plays once over the layers, such as a hit or a wave.
// - Modifier: an operation on the blended pose, such as inverse kinematics.
// - Active clip: a clip that a state or a one-shot clip currently plays with a weight above 0.
// - Part of a step: md5_player_advance() divides the time of a call (a step) at the instants at
//   which something changes. The intervals between these instants are called parts.
//
// Times are in seconds. A pose is an array md5_xform[model joints] in joint order; each transform
// is relative to the parent joint.
//
// Defaults: MD5_INIT initializes a structure with all defaults. If the default of a member is not
// 0, the comment of the member contains the default; MD5_EXPLICIT_ZERO then selects the value 0.
//
// Errors: creating, loading and restoring can fail. All other functions neither allocate memory nor
// fail. Functions that set a value return false and change nothing if an index is invalid or a
// number is not finite.
//
// Threads: any number of threads may use a machine. Only one thread at a time may use a player.
#ifndef MD5PLAY_H
#define MD5PLAY_H

#include "md5machine.h" // installed in the same folder

#ifdef __cplusplus
extern "C" {
#endif

// == Players =====================================================================================

// The playback state of one character. The structure is opaque.
typedef struct md5_player md5_player;

// Creates a player at time 0, in the initial state of each layer of the machine. Free the player
// with md5_destroy_player(). The machine must outlive the player. The player is one memory block
// from `allocator`, or, if `allocator` is NULL, from the allocator of the machine. Returns NULL
// only if memory runs out or `machine` is NULL.
MD5_PLAY_API md5_player *md5_create_player(const md5_machine *machine,
                                           const md5_allocator *allocator, md5_error *error);
MD5_PLAY_API void md5_destroy_player(md5_player *player); // accepts NULL

// Restores the state that the player had after md5_create_player(), for example to start a level
// again.
MD5_PLAY_API void md5_player_reset(md5_player *player);

// Sets a parameter of the machine, which is a number that conditions, speeds and blend spaces use.
// `parameter` is an index that md5_find_parameter() returned. For a trigger or a bool, the value 0
// means false, and any other value means true. Returns false if the index is invalid or the value
// is not finite.
MD5_PLAY_API bool md5_player_set(md5_player *player, uint32_t parameter, float value);

// Returns the current value of a parameter, or 0 if the index is invalid. The value of a smoothed
// parameter (md5_follow_desc) is the smoothed value, not the value that was set.
MD5_PLAY_API float md5_player_get(const md5_player *player, uint32_t parameter);

// Returns true if the current parameters satisfy a condition. Viewers use this function to show the
// user why a transition is not taken. Returns false if the condition contains the name of an
// unknown parameter, or if the condition tests a time or an event instead of a parameter.
MD5_PLAY_API bool md5_player_condition_holds(const md5_player *player,
                                             const md5_condition *condition);

// Starts a transition of a layer to a state now, even if the machine does not contain such a
// transition. Use this function if your game, and not the conditions of the machine, selects the
// state. The transition takes `duration` seconds; 0 changes the state immediately. `fade` selects a
// crossfade or an inertial transition (see md5_fade), and `easing` the easing of a crossfade.
// `layer` and `state` are indices that md5_find_layer() and md5_find_state() returned. Returns
// false if an index is invalid or the duration is not finite.
MD5_PLAY_API bool md5_player_fade_to(md5_player *player, uint32_t layer, uint32_t state,
                                     float duration, md5_fade fade, md5_ease_kind easing);

// Changes the state of a layer immediately, and continues at the normalized time `time` of the new
// state (0 is the start of its clip, 1 its end). Use this function to scrub through a clip in an
// editor. No event fires and the root does not move. Returns false if an index is invalid or the
// time is not finite.
MD5_PLAY_API bool md5_player_seek(md5_player *player, uint32_t layer, uint32_t state, double time);

// -- One-shots ------------------------------------------------------------------------------

// A one-shot clip plays once over the current states of the layers. It plays in a slot, which plays
// one clip at a time; while a new clip fades in, older clips of the same slot fade out. A clip in a
// slot with a higher index is blended over the clips in slots with lower indices. Slots are
// numbered from 0, in the order of md5_machine_desc.slots. md5machine.h documents
// md5_one_shot_desc.

// Starts a one-shot clip in a slot. `desc` contains its fades, speed, mask and other properties; if
// `desc` is NULL, all properties have their defaults. Returns false if an index is invalid or a
// number of `desc` is out of range.
//
// `slot` and `clip` select the slot and the clip. If one of them is MD5_NONE, the name in `desc` is
// used instead. A game can therefore start an entry of md5_machine_desc.one_shots regardless of its
// conditions: pass MD5_NONE, MD5_NONE and the entry from md5_machine_tables(). If `desc` has the
// name of an entry of the machine, the `until` conditions and the priority of this entry apply.
//
// Weight: the weight of the clip is desc->weight, multiplied by the weight of its fade in, which
// increases from 0 to 1, and by the weight of its fade out, which decreases from 1 to 0. Both fades
// may overlap.
//
// Replacement: if a clip is already playing in the slot, it fades out while the new clip fades in,
// with the same easing. The fade is computed separately for each joint, so that the pose does not
// jump. A slot can contain at most four clips that play or fade out. If a fifth clip starts, the
// clip with the lowest weight ends abruptly.
//
// Events: the clip fires its events like the clips of a state. The weight of an event is the weight
// of the clip, except near the start of the fade in and the end of the fade out, where the weight
// is nearly 0. There, the event has the weight that the clip has at 1/16 of the fade in or at 15/16
// of the fade out.
//
// Root motion: the root motion of the clip is blended with the root motion of the layers, with the
// weight of the clip at joint 0. A clip without root motion whose mask includes joint 0 therefore
// stops the character.
//
// Backward time: if time runs backward, the clip plays backward and does not end.
MD5_PLAY_API bool md5_player_play_one_shot(md5_player *player, uint32_t slot, uint32_t clip,
                                           const md5_one_shot_desc *desc);

// Stops the one-shot clip in a slot before its end. The clip fades out over `fade_out` seconds,
// with the easing of its own fade out. If `fade_out` is not above 0, the clip ends immediately. If
// the clip would end earlier, by itself or because of an earlier stop, it ends at that earlier
// time. Returns false if no clip is playing in the slot.
MD5_PLAY_API bool md5_player_stop_one_shot(md5_player *player, uint32_t slot, float fade_out);

// Selects how md5_player_one_shot_section() changes the section that a one-shot clip plays. A
// section is a named range of frames of a clip (md5_section). In the following comments, "the new
// section" is the argument `section` of the function. "The end" is the end of the section that is
// playing now, or the end of the clip if no section is playing. No section is playing if the clip
// has left its section or started without a section.
typedef enum md5_section_change {
    // The clip jumps to the new section immediately. After this section, the clip continues.
    MD5_SECTION_JUMP,
    // When the end is reached, the clip jumps to the new section. After this section, the clip
    // continues.
    MD5_SECTION_NEXT,
    // When the end is reached, the clip jumps to the new section, and repeats it until the next
    // change.
    MD5_SECTION_LOOP,
    // The clip stops repeating its section: when the end is reached, it continues with the
    // following frames. The argument `section` is not used.
    MD5_SECTION_LEAVE,
} md5_section_change;

// Changes the section that the newest one-shot clip in a slot plays, for example to reload one
// shell after another and then finish the clip. `section` is the name of a section of the clip. A
// new call replaces the change of the previous call.
//
// The clip jumps to the first frame of the section, or to the last frame if it plays backward. The
// pose is not blended at the jump. The events of the frame before the jump and of the frame after
// the jump fire at this instant, and the root motion continues. The fade out before the end of the
// clip only starts if the clip is going to reach its end. If time runs backward, sections do not
// end.
//
// Returns false if no clip is playing in the slot, if the clip loops as a whole (MD5_ONE_SHOT_LOOPS
// without a section), or if the clip does not have this section.
MD5_PLAY_API bool md5_player_one_shot_section(md5_player *player, uint32_t slot,
                                              const char *section, md5_section_change change);

// State of the one-shot clip that plays in a slot. If no clip is playing, all members are 0.
typedef struct md5_one_shot_status {
    bool is_playing; // true while the clip plays or fades out
    // If true, the clip was stopped before its end, by md5_player_stop_one_shot() or by the `until`
    // conditions of its entry.
    bool is_stopping;
    uint32_t clip; // index of the clip in the tables of the machine
    double time;   // normalized time of the clip: 0 is its start, 1 its end
    float weight;  // current weight, including the fades
    // Name of the section that is playing, a string of the machine. If NULL, the whole clip is
    // playing.
    const char *section;
    uint64_t reserved[1]; // always 0
} md5_one_shot_status;

// Returns the state of the one-shot clip that was started last in a slot, for example to test if it
// is still playing.
MD5_PLAY_API md5_one_shot_status md5_player_one_shot(const md5_player *player, uint32_t slot);

// -- Targets, events, time ------------------------------------------------------------------

// Returns the target of a modifier, such as the point that a hand should reach: the position,
// rotation and weight with which the game controls the modifier. The game may write the target at
// any time. `modifier` is an index from md5_find_modifier(). Returns NULL if the index is invalid.
MD5_PLAY_API md5_target *md5_player_target(md5_player *player, uint32_t modifier);

// Sets the pose of an attached model (md5_machine_desc.attached) that is not attached to a joint of
// this character, such as the partner in a handshake. Modifiers can use its joints as targets.
// `attached` is the index of the model. `joints` contains the joint matrices of the attached model
// in the model space of this character. The array is not copied: it must remain valid until the
// next call. NULL, which is the initial value, means that the model has no pose.
//
// md5_player_save(), md5_player_copy() and md5_player_reset() do not save, copy or reset the
// pointer. Returns false if the index is invalid or the model is attached to a joint.
MD5_PLAY_API bool md5_player_attach(md5_player *player, uint32_t attached, const md5_mat34 *joints);

// Returns the feet of a modifier that places feet on the ground (MD5_MODIFIER_FEET). The result is
// an array with num_feet elements, in the order of md5_modifier_desc.feet. Returns NULL if the
// modifier has another kind or the index is invalid. If no ground function is set
// (md5_player_set_ground()), the game may write the members `floor`, which is initially 0, and
// `normal` at any time. The members `result` and `miss` describe the last computed pose.
MD5_PLAY_API md5_foot *md5_player_feet(md5_player *player, uint32_t modifier);

// Sets the random seed of a player. Give each member of a crowd a different seed, so that they do
// not blink or look around at the same time. The seed is 0 in a new player and after
// md5_player_reset(). The seed has two effects:
//
// - It determines the random times of conditions (md5_condition.longest), including the conditions
//   of the current states.
// - It restarts the gazes (MD5_MODIFIER_GAZE). Each gaze combines its own seed with this seed.
//
// Players with equal seeds draw equal times, even if their steps have different lengths. The state
// of the random numbers is saved and copied with the player.
MD5_PLAY_API void md5_player_seed(md5_player *player, uint64_t seed);

// Returns the state of a modifier that makes a character look around (MD5_MODIFIER_GAZE). Returns
// NULL if the modifier has another kind or the index is invalid. The game may write the state at
// any time. The state advances while the modifier has a weight above 0 and time runs forward. If it
// contains a number that is not finite, it is reset.
MD5_PLAY_API md5_gaze *md5_player_gaze(md5_player *player, uint32_t modifier);

// A function of the game that finds the ground below a foot. `ankle` is the position of the ankle
// in the animated pose, in the model space of the character. The function writes the height of the
// ground to foot->floor, and may write the normal of the ground to foot->normal; both are in model
// space. A game usually transforms the position to world space by the placement of the character,
// and casts a ray downward.
//
// The function is called while the character is posed, on the thread that poses it, for each foot
// of a modifier whose weight is above 0. It must not change or pose the player.
typedef void md5_ground_fn(void *user, const md5_player *player, md5_vec3 ankle, md5_foot *foot);

// Sets the ground function of a player. If `ground` is NULL, which is the initial value, the game
// writes the heights to md5_player_feet() instead. md5_player_reset() does not change the function.
MD5_PLAY_API void md5_player_set_ground(md5_player *player, md5_ground_fn *ground, void *user);

// A function of the game that receives the events of md5_player_advance(). Events are called in
// chronological order. Events of the same instant are ordered by layer and clip; the events of
// one-shot clips come last. `event` is owned by the machine. The function must not change the
// player.
//
// `weight` is the weight of the clip in its layer at the instant of the event, above 0 and at most
// 1. It does not include the weight of the layer. Use it, for example, as the volume of a footstep.
// Events with a weight below 1e-6 are not reported.
//
// The following rules apply to reports, which are the events of states and of the ends of clips
// that md5_machine_desc.report enables:
//
// - Events of states have a weight of 1.
// - The order at one instant is: events of clips, ends of transitions, left and entered states,
//   events at the start of a state.
// - The initial states and changes by md5_player_fade_to() are reported by the next
//   md5_player_advance(). Changes by md5_player_seek() are not reported.
// - A state that is left at the instant at which it starts is not reported.
// - A transition that is interrupted does not report its end.
// - MD5_EVENT_CLIP_END follows the events of the last frame of the clip, or of the first frame if
//   the clip plays backward. A clip that starts at its end does not report this end.
//
// The following rules apply to windows (md5_window), which are events with a duration:
//
// - A window opens and closes when a clip that has a weight in its motion passes the first and the
//   last frame of the window, in the order of time. At the same frame, the events of the clip come
//   first if the clip plays forward, and last if it plays backward.
// - A window also opens or closes if a state or one-shot clip starts, has faded out, is cut, is
//   frozen (see md5_interrupt), or is moved by md5_player_seek(). These events come last at their
//   instant.
// - All states and one-shot clips that play the same clip share its windows. Therefore each
//   MD5_EVENT_BEGIN is followed by exactly one MD5_EVENT_END.
// - If md5_player_seek(), md5_player_reset() or md5_player_stop_one_shot() ends a window, the
//   window closes in the next md5_player_advance().
// - `weight` is at least 1e-6. It is 0 if a window closes because no state or one-shot clip plays
//   the clip any more.
typedef void md5_event_fn(void *user, md5_player *player, const md5_event *event, float weight);

// Limits of one call of md5_player_advance(), which keep its duration bounded. MD5_MAX_STEP_EVENTS
// is the largest number of events, including events that are not reported. MD5_MAX_STEP_PARTS is
// the largest number of transitions plus parts into which the call divides its time. Each event and
// each part takes well below a microsecond.
enum { MD5_MAX_STEP_EVENTS = 65536, MD5_MAX_STEP_PARTS = 65536 };

// Statistics of one call of md5_player_advance(). `num_dropped` and `undivided` are 0 unless the
// call exceeds MD5_MAX_STEP_EVENTS or MD5_MAX_STEP_PARTS.
typedef struct md5_advance_status {
    uint32_t num_events; // number of calls of the event function
    // Number of instants at which the pose may have jumped. Two causes are counted: transitions
    // with a duration of 0 in a layer with a weight above 0, unless they have `keeps_phase`; and
    // one-shot clips that ended without a fade out. Changes that the game makes between two calls
    // are not counted.
    uint32_t num_cuts;
    // Number of events that were dropped because of the limit, including those that would not be
    // reported.
    uint64_t num_dropped;
    // Seconds at the end of the step that were not divided into parts because of the limit.
    double undivided;
    uint64_t reserved[2]; // always 0
} md5_advance_status;

// Advances a player by `seconds`: takes transitions, plays clips, calls `events` for each event,
// and computes the root motion. Call this function once per frame of the game, before
// md5_player_pose(). `events` may be NULL. `seconds` may be 0 or negative. A value that is not
// finite counts as 0, and the magnitude is limited to 1 million.
//
// Transitions. A transition is taken as soon as its conditions hold, also in the middle of the
// step. The conditions are tested at the start and at the end of the step, and at each of these
// instants:
//
// - a fade ends;
// - an exit or the end of a section is reached;
// - the time in a condition is reached;
// - a clip fires an event that a condition uses;
// - a smoothed parameter passes the value of a condition.
//
// These instants divide the step into parts. During a part, clips play and their events fire: all
// events after the start of the part, up to and including its end.
//
// Events at the start of a state. A state also fires the events at the position at which it starts,
// unless it is left at the same instant. If the state fades in, its weight is 0 at this instant;
// therefore these events have the weight at 1/16 of the fade. If a transition keeps the phase, the
// events at the position of the change fire in the previous state.
//
// Events at the end of a cycle. The events of the last frame and of the first frame both fire, and
// the pose is the pose of the first frame. A state that is left at its exit does not fire events of
// the next cycle.
//
// Independence of the frame rate. The result depends only on the total time, except for rounding:
// many short steps give the same result as one long step. This is true for forward time and for
// backward time, but not for a mixture of both. A step of 0 seconds has the direction of the
// previous step. Calls of md5_player_pose() have no effect on the result. The following results are
// not exact; their step is divided into parts of at most 1/4 s, and the error is of second order in
// the length of a part:
//
// - root motion while weights change, or while rotating root motion is blended;
// - effects of a smoothed parameter that are not linear in the parameter (see
//   md5/docs/blending.md), such as the remaining time of a clip whose speed the parameter controls.
//
// Precision. A time counts as reached if it is at most 1e-9 of a cycle or 1e-9 seconds away. This
// is sufficient for 1 million cycles in one step, and for 1 million steps since the start of a
// clip. An exit or a start within 6e-8 of a frame counts as at that frame. The clock of
// synchronized states (md5_transition_desc.in_step) is exact to 1e-7 of a cycle per fade.
//
// Backward time. If `seconds` is negative, clips play backward and exits are not reached, but fades
// advance by |seconds|.
//
// Cyclic transitions. If transitions form a cycle that takes no time, the layer passes through the
// cycle once. It then takes no further transition until a parameter is set, a smoothed parameter
// ends a part, a fade ends, or an exit is reached that was not at the start of its state.
//
// Limits. If a step has more than MD5_MAX_STEP_EVENTS events, the further events are dropped and
// counted. After MD5_MAX_STEP_PARTS, the remaining step is not divided and takes no transitions.
MD5_PLAY_API md5_advance_status md5_player_advance(md5_player *player, double seconds,
                                                   md5_event_fn *events, void *user);

// Returns the root motion of the last md5_player_advance(): the distance and rotation by which the
// game must move the character. To move the character, compute
//
//   placement = md5_xform_advance(placement, md5_player_root_motion(player))
//
// The motion is in the space of the character before the step. Clips with a
// md5_clip_desc.root_extraction have root motion, which is removed from their poses. The root
// motions of all active clips are blended with the same weights as their poses. If one step is
// divided into several calls, the product of their motions is the motion of the whole step.
MD5_PLAY_API md5_xform md5_player_root_motion(const md5_player *player);

// Computes the pose of a character at the current time. Writes the transform of each joint,
// relative to its parent, to pose[model joints]. Also writes the matrices of the joints in model
// space to joints[model joints], and the palette for skinning to palette[model joints]. `joints`
// and `palette` may be NULL; the arrays must not overlap. `scratch` is temporary memory of
// md5_player_pose_scratch() bytes, at any alignment.
//
// With a reduced level of detail (md5_detail.interval), the function may write the stored pose of
// an earlier call. Returns true if it computed a new pose.
//
// The result does not depend on earlier calls, unless the machine has modifiers of kind
// MD5_MODIFIER_SPRING or MD5_MODIFIER_FEET. Springs and feet advance from one pose to the next. If
// a machine has such modifiers, call this function regularly, also while the character is not
// visible.
MD5_PLAY_API bool md5_player_pose(md5_player *player, md5_xform *pose, md5_mat34 *joints,
                                  md5_mat34 *palette, void *scratch);
MD5_PLAY_API size_t md5_player_pose_scratch(const md5_machine *machine);

// Returns the weight with which a window (md5_window) is open after the last md5_player_advance().
// Use this function to test, for example, if a sword can currently hit. `window` is an index from
// md5_find_window(). The weight is the weight of the clip in its layer, as in md5_event_fn. If
// several clips have an open window of this name, the largest weight is returned. Returns 0 if the
// window is not open or the index is invalid.
MD5_PLAY_API float md5_player_window(const md5_player *player, uint32_t window);

// Returns the current value of a curve: a number that is animated over the frames of clips
// (md5_clip_curve), such as the brightness of a glowing eye. `curve` is an index from
// md5_find_curve(). Returns 0 if the index is invalid or no active clip has the curve.
//
// The values of all active clips that have the curve are blended like joints. Within a layer, each
// clip counts with its weight. The value of the layer is then blended over the value of the layers
// below, or added to it, with the weight of the layer multiplied by the weight of these clips.
// One-shot clips are blended in the same manner. Masks have no effect.
//
// The time is proportional to the number of layers, times the number of clips with the curve, times
// the number of active clips.
MD5_PLAY_API float md5_player_curve(const md5_player *player, uint32_t curve);

// Writes the current weights of the morph targets that the machine controls (md5_morph_desc), such
// as facial expressions. The game passes them to the functions of md5skin.h that blend morph
// targets. The array `weights` has md5_machine_num_morphs() elements. The weights are finite. The
// level of detail has no effect. md5_machine_morph_name() returns the name of each morph target.
//
// The time is proportional to the number of layers, times the number of entries of
// md5_machine_desc.morphs, times the number of active clips. For an entry with a curve or a window,
// the number of clips that have it is a further factor, and all windows are visited.
MD5_PLAY_API void md5_player_morphs(const md5_player *player, float *weights);

// -- Level of detail ------------------------------------------------------------------------

// Level of detail of the poses of one player. Reduce it for distant or numerous characters. It
// affects only poses: time, states, events and root motion are the same at every level of detail.
typedef struct md5_detail {
    // Name of a mask of the machine, which selects the joints to animate. If NULL, all joints are
    // animated.
    //
    // The animated joints are the joints with a weight above 0 in the mask, their ancestors, and
    // joint 0. Their transforms are bit-identical to the transforms with full detail. All other
    // joints have the transforms of the bind pose.
    //
    // A modifier is skipped if its joint, or the ankle of one of its feet, is not animated. A
    // spring restarts when its joints are animated again.
    const char *mask;
    // The pose is computed in every interval-th call of md5_player_pose() or md5_play_batch(). The
    // other calls write the pose of the last computation, which the player stores. 0 and 1 mean
    // that every call computes the pose.
    //
    // A call also computes the pose if no pose is stored yet, or if the stored pose would become
    // older than `interval` calls. Springs and feet advance over the whole time between two
    // computed poses in one step. The ground function is called for computed poses only.
    uint32_t interval;
    // Offset that distributes the work among frames. If calls are numbered from 0, the calls whose
    // number plus `phase` is a multiple of `interval` compute the pose. Give the players of a crowd
    // the phases 0, 1, 2, ... so that their poses are computed in different frames.
    uint32_t phase;
    uint64_t reserved[4]; // must be 0
} md5_detail;

// Sets the level of detail of a player, starting with the next computed pose. NULL means full
// detail, which is the initial value. Returns false if the mask does not exist. The level of detail
// is saved and copied with the player. The time is linear in the number of masks.
MD5_PLAY_API bool md5_player_set_detail(md5_player *player, const md5_detail *detail);

// -- Saving and copying ---------------------------------------------------------------------

// Saves the state of a player to bytes[size], for saved games or for a network. The format is the
// same on all platforms. A restored player continues bit-identically. Returns the full size of the
// data, which depends on the active states. If `size` is smaller, only a part is written. To get
// the size, pass NULL and 0.
MD5_PLAY_API size_t md5_player_save(const md5_player *player, void *bytes, size_t size);

// Restores the state that md5_player_save() saved. The machine of the player must have the same
// fingerprint as the machine of the saved player (md5_machine_fingerprint()). The data may come
// from an untrusted source: every number is checked. On failure returns false and changes nothing.
// The error is
//
// - MD5_ERROR_MISMATCH if the data is from another machine, or from a version of the format that is
//   not supported;
// - MD5_ERROR_SYNTAX if the data is not a saved player, is truncated, or is followed by other data;
// - MD5_ERROR_RANGE if a number is out of range.
MD5_PLAY_API bool md5_player_restore(md5_player *player, const void *bytes, size_t size,
                                     md5_error *error);

// Copies the state of player `from` to player `to`. Both players must have the same md5_machine.
// The copy is fast enough for rollback (a game restores and repeats past steps) and for lookahead
// (a game simulates future steps with a copy).
MD5_PLAY_API void md5_player_copy(md5_player *to, const md5_player *from);

// A function that md5_player_migrate() calls for each element of the old machine that the new
// machine does not contain under the same name. The function must not use the players.
//
// `kind` is "clip", "mask", "parameter", "modifier", "slot", "layer", "state", "window" or "curve",
// and `name` is the name of the element. If the joints of the models differ, `kind` is "model" and
// `name` is the name of the old machine.
typedef void md5_lost_fn(void *user, const char *kind, const char *name);

// Transfers the state of player `from` to player `to`, whose machine is an edited version of the
// machine of `from`. An editor or a game can thus reload a changed machine file while the character
// continues to play. `from` is not changed, but no other thread may use it during the call. `lost`
// is called for each element that does not exist any more, and may be NULL.
//
// All state is matched by name: layers with their states, clocks and fades, parameters, one-shot
// clips, the targets and states of modifiers, and the level of detail. The ground function is not
// transferred. The following rules apply:
//
// - A clip keeps its normalized time.
// - If no active state of a layer exists any more, the layer continues with the state from which
//   its current transition started. If that state does not exist either, or no transition is
//   active, the layer continues with its first state.
// - If the pose of a layer differs from its old pose, the layer starts an inertial transition of
//   0.2 s from the old pose, unless one of the states has no motion or the joints of the models
//   differ.
// - Changed weights of layers, masks, modifiers and one-shot clips take effect immediately.
// - A one-shot clip ends if its slot, clip or mask does not exist any more.
// - An open window remains open. If a clip has several windows of the same name, windows with the
//   same frames are matched first, then the remaining windows in their order. A window that does
//   not exist any more does not report its end.
//
// The time is linear in the size of the tables, or quadratic if the order of the names has changed.
MD5_PLAY_API void md5_player_migrate(md5_player *to, const md5_player *from, md5_lost_fn *lost,
                                     void *user);

// State of a layer at the current time: its current state, and the transition that is active. Debug
// views display it, and a game can test if the character has landed.
typedef struct md5_layer_status {
    // Index of the current state. During a transition, it is the state to which the transition
    // leads.
    uint32_t state;
    // Index of the state from which the current transition started. If several transitions were
    // taken at one instant, it is the state from which the first transition started. If MD5_NONE,
    // no transition is active.
    uint32_t from;
    // Completed fraction of the transition, before easing, 0 to 1.
    float progress;
    double time;          // normalized time of the state `state`
    float weight;         // current weight of the layer
    uint64_t reserved[2]; // always 0
} md5_layer_status;

// Returns the current state of a layer, which is an index from md5_find_layer(). If the index is
// invalid, `from` is MD5_NONE and all other members are 0.
MD5_PLAY_API md5_layer_status md5_player_layer(const md5_player *player, uint32_t layer);

// Returns a bounding box of a character in model space, for culling. joints[model joints] are the
// matrices that md5_player_pose() wrote. The box contains the positions of the joints, expanded by
// the distance of the model's vertices from their joints. It is fast to compute and never too
// small, but it is larger than the character.
MD5_PLAY_API md5_bounds md5_player_bounds(const md5_player *player, const md5_mat34 *joints);

typedef struct md5_play_job md5_play_job;

// A function of the game that changes or copies poses during md5_play_batch(), for example for
// custom inverse kinematics or a ragdoll. It is called after layers and modifiers have been
// computed, and before the joint matrices are computed.
//
// One call receives one or more characters: jobs[count] are adjacent jobs of the batch with the
// same `hook` and `hook_user`, and `count` is 1 to MD5_MAX_HOOKED. poses[i] is the pose of jobs[i]
// and may be changed. The function is also called if a stored pose is used (md5_detail.interval),
// unless the job keeps its matrices.
//
// The function runs on a thread of the batch. It must not change or pose the players of the jobs;
// it may only set their parameters and targets, which take effect in the next step.
typedef void md5_pose_hook_fn(void *hook_user, const md5_play_job *jobs, uint32_t count,
                              md5_xform *const *poses);
enum { MD5_MAX_HOOKED = 16 };

// A character of a crowd: the input and output of md5_play_batch(), which advances and poses many
// characters.
struct md5_play_job {
    // The player of the character. It must not occur in another job of the batch.
    md5_player *player;
    double seconds;       // time by which the player is advanced, in seconds
    md5_event_fn *events; // function that receives the events; if NULL, events are not reported
    void *user;           // first argument of `events`
    // Function that may change the pose before the matrices are computed. If NULL, no function is
    // called.
    md5_pose_hook_fn *hook;
    void *hook_user; // first argument of `hook`
    // [model joints] The joint matrices in model space are written here. If NULL, they are not
    // written.
    md5_mat34 *joints;
    // [model joints] The palette for skinning is written here. If NULL, it is not written.
    md5_mat34 *palette;
    // Set this member to true if `joints` and `palette` still contain the matrices that the last
    // job of this player wrote, and the player was neither restored nor the target of a copy since.
    // The batch then saves time: if it uses a stored pose (md5_detail.interval), it does not write
    // the same matrices again.
    bool keeps_matrices;
    // The batch writes true here if it computed a new pose, and false if it used a stored pose.
    // This is the result of md5_player_pose().
    bool is_computed;
    // The batch writes the result of md5_player_advance() here.
    md5_advance_status status;
    // The batch writes the result of md5_player_root_motion() here.
    md5_xform motion;
    uint64_t reserved[4]; // must be 0
};

// Advances and poses jobs[count] on the threads of `threads`: calls md5_player_advance(), the hook
// and md5_player_pose() for each character. The results are bit-identical to the results of
// separate calls. The characters may have different machines. The batch is fastest if characters of
// the same model are adjacent in the array.
//
// The events and hooks of one player are called in order on one thread. Events and hooks of
// different players may be called on different threads at the same time.
//
// `scratch` is temporary memory of md5_play_batch_scratch() bytes, at any alignment. This is about
// 1.3 KB for each joint of the largest model and for each worker. The memory is sufficient for
// these jobs and for any part of them.
MD5_PLAY_API void md5_play_batch(md5_play_job *jobs, size_t count, const md5_threads *threads,
                                 void *scratch);
MD5_PLAY_API size_t md5_play_batch_scratch(const md5_play_job *jobs, size_t count,
                                           const md5_threads *threads);

// -- Between fixed steps --------------------------------------------------------------------

// Input and output of md5_pose_interpolated(), for games that simulate at a fixed rate, such as 30
// or 60 Hz, and draw more often. Each drawn frame then shows the characters between the last two
// steps of the simulation. The game stores the poses of both steps, and the placement of the
// character before the last step. md5_pose_interpolated() computes the pose and the motion between
// them.
typedef struct md5_interpolated_pose_job {
    // Model of the character.
    const md5_model *model;
    // [model joints] Poses before and after the last step, as md5_player_pose() or a hook wrote
    // them.
    const md5_xform *before, *after;
    // Root motion of the last step, as returned by md5_player_root_motion().
    md5_xform motion;
    // If true, the pose jumped in the last step, so `after` is used without interpolation. Set it
    // if md5_advance_status.num_cuts is not 0, or after md5_player_seek() and similar changes.
    bool has_cut;
    // [model joints] The interpolated pose is written here. It may be the same array as `before` or
    // `after`.
    md5_xform *pose;
    // [model joints] The joint matrices in model space and the palette for skinning are written
    // here. If NULL, they are not written.
    md5_mat34 *joints, *palette;
    // The part of `motion` up to the drawn frame is written here. The placement of the character in
    // the drawn frame is the placement before the last step, multiplied by partial_motion.
    md5_xform partial_motion;
    uint64_t reserved[4]; // must be 0
} md5_interpolated_pose_job;

// Computes the poses of jobs[count] between two fixed steps, on the threads of `threads`. Writes
// the pose, the matrices and the partial motion of each job. `fraction` is the position between the
// steps, clamped to 0 to 1:
//
// - At 0, the pose is bit-identical to `before`.
// - At 1, the pose is bit-identical to `after`.
//
// The number of threads has no effect on the results. Poses are interpolated by md5_blend_poses().
// The partial motion is a screw motion: a rotation about an axis and a translation along the same
// axis (Chasles 1830). It is exact for a root that moves and rotates at constant speed.
//
// Measured over all clips of the model Bobbin, the distance of a joint from its exact position is
// at most 3.4 % of the model's height with steps of 1/30 s, and at most 1.7 % with steps of 1/60 s.
MD5_PLAY_API void md5_pose_interpolated(md5_interpolated_pose_job *jobs, size_t count,
                                        float fraction, const md5_threads *threads);

// == Characters ==================================================================================
//
// A character is a machine together with its model and the animations of its clips.
// md5_load_character() loads it from a machine file and the files to which the machine file refers.
// Any number of players can share one character. A character is read-only.
//
// The arrays `anims` and `bindings` have one element for each clip of the machine, in the order of
// md5_machine_tables(machine)->clips. Clips with the same file share one animation and one binding.
typedef struct md5_character {
    const md5_machine *machine;
    const md5_model *model;
    uint32_t num_clips;
    // [num_clips] The animation of each clip.
    const md5_anim *const *anims;
    const md5_binding *const *bindings; // [num_clips] connection of each animation to the model
    // Path of the model's file, as it was passed to the function that opens files.
    const char *model_path;
    // [num_clips] Path of each animation's file, as it was passed to the function that opens files.
    const char *const *anim_paths;
    // Size of all animations in memory, in bytes. A shared animation counts once.
    size_t anims_size;
    // Number of warnings about the machine file, the model and the animations.
    uint32_t num_warnings;
    md5_internal internal;
} md5_character;

// Loads a character: reads the machine file at `path`, loads its model and animations, binds the
// animations to the model, and creates the machine. Free the result with md5_free_character(),
// after all players of the character. Returns NULL on failure.
//
// File names in the machine file are relative to the folder of `path`, unless they are absolute: an
// absolute name starts with a slash, a backslash or a drive letter. A machine file cannot include
// other machine files. Each file is read once. If opts->threads is set, files are read on these
// threads; the result is the same. The limits of memory and warnings in `opts` apply to each file
// separately.
//
// If a file cannot be read, the error contains the location of its name in the machine file. Other
// errors contain the location of the fault in the file that has it. Warnings about a binding
// contain the name of the clip.
MD5_PLAY_API md5_character *md5_load_character(const char *path, const md5_load_opts *opts,
                                               md5_error *error);
MD5_PLAY_API void md5_free_character(md5_character *character); // accepts NULL

#ifdef __cplusplus
}
#endif

#endif
