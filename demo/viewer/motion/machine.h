// Plays a state machine: its player, the input that controls it, and the character's placement.
//
// view_machine contains the player, which runs the machine, the input, and two optional machines
// that advance with it: a companion, which is a second character (`guest`), and an object that the
// character carries. machine.c also contains the kind of motion `view_machine_motion`; minute.c
// contains the demo scene of our own character.
#ifndef DEMO_VIEWER_MOTION_MACHINE_H
#define DEMO_VIEWER_MOTION_MACHINE_H

#include "demo/viewer/base/canvas.h"
#include "demo/viewer/base/options.h"
#include "demo/viewer/motion/play.h"
#include "demo/viewer/platform/platform.h"
#include "md5/md5play.h"

// Input from the keyboard that moves a character.
typedef struct view_control {
    int ahead; // 1: forward, -1: backward, 0: no key
    int side;  // 1: to the right, -1: to the left, 0: no key
    bool fast;
    bool down[4]; // keys ahead, back, right, left; of two opposite keys the last pressed counts
    // Keys control the parameters of this direction. A parameter that keys have changed returns to
    // 0 when they are released; then it belongs to the user again.
    bool moves_ahead;
    bool moves_side;
} view_control;

typedef struct view_machine view_machine;
struct view_machine {
    md5_character *character;
    const md5_machine_desc *desc;
    md5_player *player; // NULL: the scene does not have a machine
    void *scratch;
    float reach; // size of the character, units
    // Played time, seconds. view_migrate_machine() copies the members from here up to `settings`.
    double time;
    md5_xform placement;    // placement of the character in the world
    view_control control;   // current input
    bool acts;              // plays the demo scene, until the user takes control
    uint32_t next_act;      // index of the next entry of the demo scene
    uint32_t next_one_shot; // index among the one-shots and then the clips of the machine, at which
                            // view_play_one_shot() begins its search
    md5_vec3 target;        // target of the modifiers that reach or look, world space
    bool has_target;        // false: the target circles in front of the character
    double pointed;         // time at which the target was last set
    bool has_target_angles; // parameters of the machine contain the direction of the target
    float target_yaw;       // direction in these parameters, degrees to the left
    view_event events[VIEW_EVENTS]; // the last events, newest first
    double heard;                   // time up to which view_play_demo_sounds() has played sounds
    view_settings settings;         // sorted by time
    size_t next_setting;
    // Placement at the beginning. For a companion that waits far away until an event calls it:
    // relative to its host.
    md5_xform start;
    // A machine that advances with this machine, and its counterpart; or NULL. An event of a clip
    // sets the trigger of the same name in the counterpart.
    view_machine *guest;
    view_machine *host;
    // Also advances with this machine, but its events do not set triggers; or NULL.
    view_machine *carried;
};

// Loads a machine file and the files that it references, and creates a player. Returns false and
// logs an error on failure.
bool view_load_machine(view_machine *machine, const char *path, const md5_load_opts *opts,
                       view_log *log);
void view_free_machine(view_machine *machine); // `machine` may be zeroed

// Copies the playback state of the old machine to a machine whose files were read again. Warns of
// names that no longer exist. Does nothing if one of the machines is zeroed.
void view_migrate_machine(view_machine *machine, const view_machine *old, view_log *log);

// Advances to `time` in steps of at most 1/60 s. Restarts if `time` is more than four steps in the
// past.
void view_run_machine(view_machine *machine, double time);

// Resets states, parameters, settings and the character's placement.
void view_restart_machine(view_machine *host);

enum { VIEW_STEPS_A_SECOND = 60 };

// Writes the current pose; joints and palette are in world space.
void view_pose_machine(view_machine *machine, uint32_t num_joints, md5_xform *pose,
                       md5_mat34 *joints, md5_mat34 *palette);

// Estimates the useful range of a float parameter, from the positions in blend spaces and the
// values in conditions.
void view_parameter_range(const md5_machine *machine, const char *parameter, float *low,
                          float *high);

// Ends the demo scene, so that the user controls the machine.
void view_take_over(view_machine *machine);

// Returns a point that circles in front of a character's face, for images without a mouse.
md5_vec3 view_orbiting_target(const md5_model *model, double time);

// Sets a parameter, if the machine has a parameter of this name.
void view_set_machine_parameter(const view_machine *machine, const char *name, float value);

// Fires a trigger or toggles a boolean parameter.
void view_activate_parameter(view_machine *machine, uint32_t parameter);

// Returns true if the machine has a parameter with which keys move the character: "ahead" or
// "speed".
bool view_can_walk(const view_machine *machine);

// Plays the next one-shot of the machine; after the last one-shot, the next clip with at least two
// frames. Returns its name, or NULL if none exists.
const char *view_play_one_shot(view_machine *machine);

// Returns the parameter index of the `number`-th trigger, or -1.
int32_t view_find_trigger(const view_machine *machine, uint32_t number);

// Returns an array [num_clips] that is true for clips that play; the caller frees it.
bool *view_active_clips(const view_machine *machine);

// -- The mouse pointer ---------------------------------------------------------------------------
//
// Parameters of reserved names pass the mouse pointer and clicks to a machine. Parameters that the
// machine does not have are skipped:
//   pointer               1 from the pointer's first motion until it has not moved for 6 seconds
//   eyes_yaw, eyes_pitch  direction of the pointer from the character, degrees to the left and up
//   head_yaw, head_pitch  the same, so that a machine can let the head follow more slowly
//   click                 trigger: the character was clicked on
//   guest_ahead, guest_left  position of a companion relative to the character, units; without a
//                         pointer, eyes and head point to a companion that is near in front of it
// Without a pointer the parameters keep their values, such as values of --set. The functions point
// and click of view_machine_motion receive the input.

// -- The demo scene: minute.c --------------------------------------------------------------------
//
// A table of acts and shots that our own machine plays after the start of the viewer.

enum { VIEW_MINUTE = 50 }; // seconds

// Starts the acts that are due. Call it before each step of a machine that plays the demo scene.
void view_run_demo_acts(view_machine *machine);

// Sets the camera of the current shot; after the end of the scene, of the last shot. Returns false
// if the machine does not play the demo scene.
bool view_find_demo_camera(const view_machine *machine, view_camera *camera);

// Plays the sounds for the events of the machine and of its companion since the last call, while
// the demo scene plays.
void view_play_demo_sounds(view_machine *machine, view_window *window);

#endif
