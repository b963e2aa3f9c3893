// The fixture of the playback tests: a small character with generated clips, and its expected
// poses. The expected poses are computed in double precision by code that shares nothing with the
// library.
//
// play_case contains a model and its clips, play_scene adds a machine and a player, play_crowd a
// batch of players. play_rig reads its model from a text; play_actor loads a character from a file.
#ifndef TEST_PLAY_TEST_PLAY_CASE_H
#define TEST_PLAY_TEST_PLAY_CASE_H

#include "test/real.h"

#include "md5/md5play.h"

enum { PLAY_JOINTS = 12, PLAY_CLIPS = 8 };

// Joints: 0 origin, 1 pelvis, 2 spine, 3 chest, 4 head; 5 and 6 upper and lower left arm, 7 and 8
// the same of the right arm; 9, 10 and 11 left leg. play_joint_names contains their names.
extern const char *const play_joint_names[PLAY_JOINTS];

// The motion of joint 0 in a clip.
typedef struct play_walk {
    double speed;   // units per second along the x axis of joint 0
    double turning; // radians per second to the left
    double rise;    // units per second upward
} play_walk;

typedef struct play_case {
    md5_model *model;
    md5_anim *anims[PLAY_CLIPS];
    md5_binding *bindings[PLAY_CLIPS];
    uint32_t num_clips;
    uint32_t still; // bit set of joints that do not move in clips that are added later
} play_case;

void play_begin(play_case *assets);
void play_end(play_case *assets);

// Adds a clip whose joints swing by `size` radians and return to their first rotation. Returns the
// index of the clip.
uint32_t play_add_clip(play_case *assets, uint32_t num_frames, double frame_rate, double size,
                       play_walk walk, uint64_t seed);

// Fills `assets` with Bobbin's model and the clips of these names, instead of the generated
// character.
void play_begin_bobbin(play_case *assets, const char *const *names, uint32_t count);
#define SCOPED_CASE __attribute__((cleanup(play_end))) play_case

// -- Double precision -------------------------------------------------------------------------

// Samples a clip at a time in frames, between frame floor(time) and the next frame. The last frame
// is followed by the first.
void play_real_sample(const md5_anim *anim, double frame, real_transform pose[PLAY_JOINTS]);
void play_real_blend(const real_transform *from, const real_transform *to, double weight,
                     const float *mask, real_transform *pose);
// Writes to `out` the sum of `pose` and weight * (source - reference). `mask` contains a factor for
// each joint, or is NULL.
void play_real_add(const real_transform *pose, const real_transform *source,
                   const real_transform *reference, double weight, const float *mask,
                   real_transform *out);
void play_real_bind(const md5_model *model, real_transform *pose);

// Returns the largest difference between two poses in any joint: the angle between the rotations in
// radians plus the distance of the translations in units.
double play_distance(const md5_xform *pose, const real_transform *expected);
double play_pose_distance(const md5_xform *a, const md5_xform *b);
// These functions return the same difference: between the current pose of a player and an expected
// pose, and between the current poses of two players.
double play_miss(md5_player *player, const real_transform *expected);
double play_player_distance(md5_player *a, md5_player *b);

// Returns true if all rotations have unit length and no number is NaN or infinite.
bool play_is_sound(const md5_xform *pose, uint32_t num_joints);

// -- Machines ---------------------------------------------------------------------------------

// Creates a machine or a player. If that fails, the test fails and the program aborts.
md5_machine *play_machine(const md5_machine_desc *desc);
md5_player *play_player(const md5_machine *machine);

// A character that plays: its clips, which have the names a, b, c and so on, a machine and a
// player.
typedef struct play_scene {
    play_case assets;
    md5_clip_desc clips[PLAY_CLIPS];
    md5_machine *machine;
    md5_player *player;
} play_scene;

// Begins a scene without clips and machine.
void play_scene_begin(play_scene *fixture);

// Adds a clip as play_add_clip() does; joint 0 stands still.
void play_scene_add(play_scene *fixture, uint32_t num_frames, double frame_rate, double size,
                    uint64_t seed);

// Begins a scene with `count` clips.
void play_scene_clips(play_scene *fixture, uint32_t count, uint32_t num_frames, double frame_rate);

// Creates the machine from the model and clips of the scene and the remaining tables of `desc`.
void play_scene_play(play_scene *fixture, const md5_machine_desc *desc);
void play_scene_end(play_scene *fixture);
#define SCOPED_PLAY __attribute__((cleanup(play_scene_end))) play_scene
// A test with a play_scene that `begin` initializes.
#define TEST_PLAY(title, begin) \
    TEST_WITH (title, play_scene, fixture, begin, play_scene_end(fixture))

// Creates the machine and player of a scene like play_scene_play(), but from the entries of a
// machine file, without "machine NAME {" and "}". They are formatted as by printf(). If the text
// contains clips, they are the clips of `assets` in their order, and the names of the scene's clips
// are not used.
void play_scene_read(play_scene *fixture, const char *rows, ...) TEST_PRINTF(2, 3);
// The same as play_scene_read(), for a new scene with `num_clips` clips of one second and 21
// frames.
void play_scene_make(play_scene *fixture, uint32_t num_clips, const char *rows, ...)
    TEST_PRINTF(3, 4);
// Creates only the machine. `clips` may be NULL if the text contains an entry for each clip.
md5_machine *play_machine_read(const play_case *assets, const md5_clip_desc *clips,
                               const char *rows, ...) TEST_PRINTF(3, 4);
// Checks that the text can be parsed, but is rejected when the machine is created.
void play_refused(const play_case *assets, const md5_clip_desc *clips, const char *message,
                  const char *rows, ...) TEST_PRINTF(4, 5);

// Checks that the tables are rejected when the machine is created.
void play_desc_refused(const md5_machine_desc *desc, const char *message);

// The signature of an event callback: a user pointer, a player, an event and its weight.
#define PLAY_LISTENER(name)                                                             \
    static void name(                                                                   \
        __attribute__((unused)) void *user, __attribute__((unused)) md5_player *player, \
        __attribute__((unused)) const md5_event *event, __attribute__((unused)) float weight)

// -- Internals ----------------------------------------------------------------------------------
//
// State of a player that no public function returns, from test_play_functions.c.

// True if a foot of the first modifier that holds feet is locked, and the distance from its
// animated position.
bool play_is_foot_locked(const md5_player *player, uint32_t foot);
md5_vec3 play_foot_shift(const md5_player *player, uint32_t foot);

// Returns a number of the state of a foot, for tests that damage it. Index PLAY_FOOT_HALF_TANGENT
// is the tangent of half the angle between the animated and the displayed foot.
enum { PLAY_FOOT_HALF_TANGENT = 6, PLAY_FOOT_NUMBERS = 8 };
float *play_foot_number(md5_player *player, uint32_t foot, uint32_t index);

// Poses also the joints that the layers above `layer` overwrite. Returns false if there are none.
bool play_compute_covered_joints(md5_machine *machine, uint32_t layer);

// Returns the contact of a sole with the ground in a frame, which is counted over all clips.
typedef enum play_contact {
    PLAY_CONTACT_NONE,
    PLAY_CONTACT_STANDS,
    PLAY_CONTACT_TURNS,
    PLAY_CONTACT_SLIDES,
    PLAY_CONTACT_OUTSIDE, // the machine has fewer soles or frames
} play_contact;
play_contact play_sole_contact(const md5_machine *machine, uint32_t sole, uint32_t frame);

// Returns the machine of a player.
const md5_machine *play_get_machine(const md5_player *player);

// Returns the sample position of the first clip of a layer, which loops and is clip `source` of the
// machine.
md5_sample_position play_layer_sample_position(const md5_player *player, uint32_t layer,
                                               uint32_t source, md5_interpolation kind);

// -- Crowds -------------------------------------------------------------------------------------

enum { PLAY_CROWD = 70 };

// A crowd in one scene, and the same players played separately. The first modifier of each player
// has a target.
typedef struct play_crowd {
    play_scene scene;
    uint32_t count;
    md5_player *players[PLAY_CROWD], *separate[PLAY_CROWD];
    md5_play_job jobs[PLAY_CROWD];
    md5_mat34 joints[PLAY_CROWD][PLAY_JOINTS], palettes[PLAY_CROWD][PLAY_JOINTS];
} play_crowd;

play_crowd *play_crowd_new(const char *rows, uint32_t count);
void play_crowd_free(play_crowd *fixture);
void play_crowd_advance(play_crowd *fixture);

// -- Models from texts ---------------------------------------------------------------------------

// A machine for a model that is read from a text, and the results of its player.
typedef struct play_rig {
    md5_model *model;
    md5_anim *anims[PLAY_CLIPS];
    md5_binding *bindings[PLAY_CLIPS];
    md5_machine_file *file;
    md5_machine *machine;
    md5_player *player;
    void *scratch;
    md5_error error;
    md5_xform placement, pose[PLAY_JOINTS];
} play_rig;

// Reads the joints of a model, from `numJoints` on, and a machine as play_scene_read() does. If the
// machine is invalid, sets an error and no file.
void play_rig_read(play_rig *fixture, const char *joints, const md5_load_opts *opts,
                   const char *rows, ...) TEST_PRINTF(4, 5);
// Creates machine and player of the file. If the machine is rejected, sets an error and no machine.
void play_rig_start(play_rig *fixture);
void play_rig_end(play_rig *fixture);
#define SCOPED_RIG __attribute__((cleanup(play_rig_end))) play_rig

// Advances the player and computes placement and pose.
void play_rig_advance(play_rig *fixture, double seconds);

// -- Characters ---------------------------------------------------------------------------------

// A character from a file, and the number of events of one name that it fired.
typedef struct play_actor {
    md5_character *character;
    md5_player *player;
    const char *event;
    uint32_t count;
} play_actor;

// Returns true if the character could be loaded; otherwise the test fails.
bool play_actor_begin(play_actor *fixture, const char *file, const char *event);
void play_actor_end(play_actor *fixture);
void play_actor_advance(play_actor *fixture, double seconds);

// play_set() sets a parameter, which must exist. play_state_name() returns the name of a layer's
// current state.
void play_set(md5_player *player, const char *name, float value);
const char *play_state_name(const md5_player *player, uint32_t layer);

// Converts `size` bytes from hexadecimal text.
void play_unhex(const char *text, size_t size, uint8_t *bytes);

// Returns the number of random transitions that a property test plays: the environment variable
// MD5_TRANSITIONS or, if it is not set, `otherwise`.
uint32_t play_transitions(uint32_t otherwise);

// -- Players ------------------------------------------------------------------------------------

// Advance without a callback, in one step or in equal steps.
void play_advance(md5_player *player, double seconds);
void play_steps(md5_player *player, int num_steps, double seconds);

// Return the clip time and the state of layer 0.
double play_time(const md5_player *player);
uint32_t play_state(const md5_player *player);

// Fades linearly to a state of a layer.
bool play_fade(md5_player *player, uint32_t layer, uint32_t state, float seconds);

// Plays a one-shot clip with these members of md5_one_shot_desc.
#define PLAY_ONE_SHOT(player, slot, clip, ...) \
    md5_player_play_one_shot(player, slot, clip, &(md5_one_shot_desc){__VA_ARGS__})

// Returns the saved bytes of a player, which the caller frees, or a new player that continues from
// the state of another player.
void *play_save(const md5_player *player, size_t *size);
md5_player *play_restored(const md5_player *player);
md5_player *play_copied(const md5_player *player);

// Computes the pose of a player with scratch memory of exactly the required size.
void play_pose(md5_player *player, md5_xform *pose);

// Computes the same pose and its joint matrices and palette.
void play_matrices(md5_player *player, md5_mat34 *joints, md5_mat34 *palette);

// The position after all root motion, and the rotation about z, radians.
typedef struct play_position {
    double x;
    double y;
    double z;
    double yaw;
} play_position;

void play_apply_motion(play_position *at, md5_xform by);

#endif
