// A small character with generated clips for tests of playback, and its expected poses in double
// precision, from code that shares nothing with the library's.
#ifndef TEST_PLAY_TEST_PLAY_CASE_H
#define TEST_PLAY_TEST_PLAY_CASE_H

#include "test/real.h"

#include "md5/md5play.h"

enum { PLAY_JOINTS = 12, PLAY_CLIPS = 8 };

// Joints: 0 origin, 1 pelvis, 2 spine, 3 chest, 4 head, 5 and 6 upper and lower left arm, 7 and 8
// of the right one, 9 10 11 left leg. Names are those of play_joint_names.
extern const char *const play_joint_names[PLAY_JOINTS];

// The motion of joint 0 in a clip.
typedef struct play_walk {
    double speed;   // units a second along its own x
    double turning; // radians a second to the left
    double rise;    // units a second up
} play_walk;

typedef struct play_case {
    md5_model *model;
    md5_anim *anims[PLAY_CLIPS];
    md5_binding *bindings[PLAY_CLIPS];
    uint32_t num_clips;
    uint32_t still; // a bit for each joint: it stands still in clips that are added from now on
} play_case;

void play_begin(play_case *made);
void play_end(play_case *made);

// Adds a clip whose joints swing by `size` radians and end as they began. Returns its number.
uint32_t play_add_clip(play_case *made, uint32_t num_frames, double frame_rate, double size,
                       play_walk walk, uint64_t seed);

// Bobbin with clips of these names instead.
void play_begin_bobbin(play_case *made, const char *const *names, uint32_t count);
#define OWN_CASE __attribute__((cleanup(play_end))) play_case

// -- Double precision -------------------------------------------------------------------------

// A clip at a time in frames, between frame floor(time) and the next; the last frame is followed by
// the first.
void play_real_sample(const md5_anim *anim, double frame, real_place pose[PLAY_JOINTS]);
void play_real_blend(const real_place *from, const real_place *to, double weight, const float *mask,
                     real_place *pose);
// Adds weight * (source - reference).
void play_real_add(const real_place *pose, const real_place *source, const real_place *reference,
                   double weight, const float *mask, real_place *out);
void play_real_bind(const md5_model *model, real_place *pose);

// The largest difference of a joint: angle in radians plus distance in units.
double play_distance(const md5_xform *pose, const real_place *expected);
double play_pose_distance(const md5_xform *a, const md5_xform *b);
// The same of the pose that a player has now, and of those of two players.
double play_miss(md5_player *player, const real_place *expected);
double play_apart(md5_player *a, md5_player *b);

// Whether rotations are of unit length, and nothing is NaN or infinite.
bool play_is_sound(const md5_xform *pose, uint32_t num_joints);

// -- Machines ---------------------------------------------------------------------------------

// Creates a machine or a player. If that fails, the test fails and the program aborts.
md5_machine *play_machine(const md5_machine_desc *desc);
md5_player *play_player(const md5_machine *machine);

// A character that plays: its clips, which are named a, b, c and so on, a machine, a player.
typedef struct play_scene {
    play_case made;
    md5_clip_desc clips[PLAY_CLIPS];
    md5_machine *machine;
    md5_player *player;
} play_scene;

// Begins a scene without clips and machine.
void play_scene_begin(play_scene *fixture);

// Adds a clip as play_add_clip() does; joint 0 stands still.
void play_scene_add(play_scene *fixture, uint32_t num_frames, double frame_rate, double size,
                    uint64_t seed);

// Begins a scene with so many clips.
void play_scene_clips(play_scene *fixture, uint32_t count, uint32_t num_frames, double frame_rate);

// Creates the machine from the scene's model and clips and the other tables of `desc`.
void play_scene_play(play_scene *fixture, const md5_machine_desc *desc);
void play_scene_end(play_scene *fixture);
#define OWN_PLAY __attribute__((cleanup(play_scene_end))) play_scene
// A test on a scene `of`, which `begin` begins.
#define TEST_PLAY(title, begin) \
    TEST_WITH (title, play_scene, fixture, begin, play_scene_end(fixture))

// The same of the rows of a machine file, without "machine NAME {" and "}"; formatted as printf()
// does. If there are rows of clips, they are those of `made` in their order, and the scene's clips
// do not count.
void play_scene_read(play_scene *fixture, const char *rows, ...) TEST_PRINTF(2, 3);
// The same of a new scene with so many clips of a second, of 21 frames.
void play_scene_make(play_scene *fixture, uint32_t num_clips, const char *rows, ...)
    TEST_PRINTF(3, 4);
// Only the machine. `clips` may be NULL if there are rows for all.
md5_machine *play_machine_read(const play_case *made, const md5_clip_desc *clips, const char *rows,
                               ...) TEST_PRINTF(3, 4);
// Checks that the rows can be read, but make no machine.
void play_refused(const play_case *made, const md5_clip_desc *clips, const char *message,
                  const char *rows, ...) TEST_PRINTF(4, 5);

// Checks that tables make no machine.
void play_desc_refused(const md5_machine_desc *desc, const char *message);

// The head of a callback for events, which has a user, a player, an event and its weight.
#define PLAY_LISTENER(name)                                                             \
    static void name(                                                                   \
        __attribute__((unused)) void *user, __attribute__((unused)) md5_player *player, \
        __attribute__((unused)) const md5_event *event, __attribute__((unused)) float weight)

// -- Crowds -------------------------------------------------------------------------------------

enum { PLAY_CROWD = 70 };

// A crowd in one scene, and the same players alone, whose first modifier has a target.
typedef struct play_crowd {
    play_scene scene;
    uint32_t count;
    md5_player *players[PLAY_CROWD], *alone[PLAY_CROWD];
    md5_play_job jobs[PLAY_CROWD];
    md5_mat34 joints[PLAY_CROWD][PLAY_JOINTS], palettes[PLAY_CROWD][PLAY_JOINTS];
} play_crowd;

play_crowd *play_crowd_new(const char *rows, uint32_t count);
void play_crowd_free(play_crowd *fixture);
void play_crowd_go_on(play_crowd *fixture);

// -- Rigs of their own ----------------------------------------------------------------------------

// A machine of a model and rows that are texts, and what its player shows.
typedef struct play_rig {
    md5_model *model;
    md5_anim *anims[PLAY_CLIPS];
    md5_binding *bindings[PLAY_CLIPS];
    md5_machine_file *file;
    md5_machine *machine;
    md5_player *player;
    void *scratch;
    md5_error error;
    md5_xform place, pose[PLAY_JOINTS];
} play_rig;

// Reads the joints of a model, from `numJoints` on, and rows as play_scene_read() does. If these
// are wrong, there is an error and no file.
void play_rig_read(play_rig *fixture, const char *joints, const md5_load_opts *opts,
                   const char *rows, ...) TEST_PRINTF(4, 5);
// Creates machine and player of the file. If it is refused, there is an error and no machine.
void play_rig_start(play_rig *fixture);
void play_rig_end(play_rig *fixture);
#define OWN_RIG __attribute__((cleanup(play_rig_end))) play_rig

// Advances, and computes place and pose.
void play_rig_go_on(play_rig *fixture, double seconds);

// -- Characters ---------------------------------------------------------------------------------

// A character of a file, and how often events of a name came.
typedef struct play_actor {
    md5_character *character;
    md5_player *player;
    const char *event;
    uint32_t count;
} play_actor;

// Whether it could be loaded; if not, the test fails.
bool play_actor_begin(play_actor *fixture, const char *file, const char *event);
void play_actor_end(play_actor *fixture);
void play_actor_go_on(play_actor *fixture, double seconds);

// Sets a parameter that must be there, and the name of the state that a layer is in.
void play_set(md5_player *player, const char *name, float value);
const char *play_state_name(const md5_player *player, uint32_t layer);

// Bytes of a text in hexadecimal.
void play_unhex(const char *text, size_t size, uint8_t *bytes);

// Returns how many random transitions a property must hold for: the environment variable
// MD5_TRANSITIONS or, if it is not set, `otherwise`.
uint32_t play_transitions(uint32_t otherwise);

// -- Players ------------------------------------------------------------------------------------

// Advances without a callback, once or in equal steps.
void play_advance(md5_player *player, double seconds);
void play_steps(md5_player *player, int num_steps, double seconds);

// Of layer 0: where its clip is, and its state.
double play_time(const md5_player *player);
uint32_t play_state(const md5_player *player);

// Fades linearly to a state of a layer.
bool play_fade(md5_player *player, uint32_t layer, uint32_t state, float seconds);

// Plays a one-shot with these members of a md5_one_shot_desc.
#define PLAY_ONE_SHOT(player, slot, clip, ...) \
    md5_player_play_one_shot(player, slot, clip, &(md5_one_shot_desc){__VA_ARGS__})

// The bytes of a player, which the caller frees; and new players that go on as another one does.
void *play_save(const md5_player *player, size_t *size);
md5_player *play_restored(const md5_player *player);
md5_player *play_copied(const md5_player *player);

// The pose of a player, with scratch of exactly the size that is asked for.
void play_pose(md5_player *player, md5_xform *pose);

// The same, and the joints and palette of it.
void play_matrices(md5_player *player, md5_mat34 *joints, md5_mat34 *palette);

// The position that root motion has led to, and the rotation about z there, radians.
typedef struct play_place {
    double x, y, z, yaw;
} play_place;

void play_go_on(play_place *at, md5_xform by);

#endif
