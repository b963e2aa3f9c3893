// Plays a state machine, which selects and blends the clips of a character. view_machine contains
// the player that runs the machine, the input that controls it, and the placement of the character.
//
// Two more machines can advance with it. `guest` is the machine of a companion, which is a second
// character. The other is the machine of an object that the character carries.
// `view_machine_motion` in machine.c is the kind of motion. minute.c contains the demo scene of our
// own character.
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
    // The keys control the parameter of this direction. After the release of the keys, the
    // parameter returns to 0. From then on, the user can set it again.
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
    bool plays_demo;        // plays the demo scene, until the user takes control
    uint32_t next_act;      // index of the next entry of the demo scene
    uint32_t next_one_shot; // index among the one-shots and then the clips of the machine, at which
                            // view_play_one_shot() begins its search
    md5_vec3 target;        // target of the modifiers that reach or look, world space
    bool has_target;        // false: the target circles in front of the character
    double pointer_time;    // time at which the target was last set
    bool has_target_angles; // parameters of the machine contain the direction of the target
    float target_yaw;       // direction in these parameters, degrees to the left
    view_event events[VIEW_EVENTS]; // the last events, newest first
    double sounds_played_until;     // time up to which view_play_demo_sounds() has played sounds
    view_settings settings;         // sorted by time
    size_t next_setting;
    // Placement at time 0. Some companions wait far away until an event calls them; their placement
    // is then relative to their host.
    md5_xform start;
    // `guest` is the companion of this machine, which advances with it. The guest's `host` points
    // back to this machine. When a clip of one of them fires an event, the trigger of the same name
    // fires in the other machine. Both are NULL without a companion.
    view_machine *guest;
    view_machine *host;
    // The machine of an object that the character carries, or NULL. It advances with this machine,
    // but its events do not set triggers.
    view_machine *carried;
};

// Loads a machine file and the files that it references, and creates a player. Returns false and
// logs an error on failure.
bool view_load_machine(view_machine *machine, const char *path, const md5_load_opts *opts,
                       view_log *log);
void view_free_machine(view_machine *machine); // `machine` may be zeroed

// Copies the playback state of `old` to a machine whose files were read again, so that an edited
// machine continues to play. Warns of names that no longer exist. Does nothing if one of the
// machines is zeroed.
void view_migrate_machine(view_machine *machine, const view_machine *old, view_log *log);

// Advances to `time` in steps of at most 1/60 s. Up to four steps backward are played in reverse.
// If `time` is earlier, the machine restarts.
void view_run_machine(view_machine *machine, double time);

// Resets states, parameters, settings and the character's placement.
void view_restart_machine(view_machine *host);

enum { VIEW_STEPS_PER_SECOND = 60 };

// Writes the current pose; joints and palette are in world space.
void view_pose_machine(view_machine *machine, uint32_t num_joints, md5_xform *pose,
                       md5_mat34 *joints, md5_mat34 *palette);

// Estimates the range of a float parameter for its slider, from the positions in blend spaces and
// the values in conditions.
void view_parameter_range(const md5_machine *machine, const char *parameter, float *low,
                          float *high);

// Ends the demo scene, so that the user controls the machine.
void view_stop_acting(view_machine *machine);

// Returns a point that circles in front of a character's face, for images without a mouse.
md5_vec3 view_orbiting_target(const md5_model *model, double time);

// Sets a parameter; has no effect if the machine does not have a parameter of this name.
void view_set_machine_parameter(const view_machine *machine, const char *name, float value);

// Activates a parameter as a click on its button does: fires a trigger, or toggles a boolean
// parameter.
void view_activate_parameter(view_machine *machine, uint32_t parameter);

// Returns true if the machine has a parameter with which keys move the character: "ahead" or
// "speed".
bool view_can_walk(const view_machine *machine);

// Plays the next one-shot of the machine, a clip that is played once over the current states. After
// the last one-shot, plays the next clip that has at least two frames. Returns the name of the
// played clip, or NULL if nothing can be played.
const char *view_play_one_shot(view_machine *machine);

// Returns the parameter index of the `number`-th trigger, or -1.
int32_t view_find_trigger(const view_machine *machine, uint32_t number);

// Returns an array [num_clips] that is true for clips that play; the caller frees it.
bool *view_active_clips(const view_machine *machine);

// -- The mouse pointer ---------------------------------------------------------------------------
//
// Parameters with these names receive the position of the mouse pointer and clicks. A machine need
// not have them:
//   pointer               1 from the pointer's first motion until it has not moved for 6 seconds
//   eyes_yaw, eyes_pitch  direction of the pointer from the character, degrees to the left and up
//   head_yaw, head_pitch  the same direction; a machine can let the head follow more slowly
//   click                 trigger: the character was clicked on
//   guest_ahead, guest_left  position of a companion relative to the character, units; without a
//                         pointer, eyes and head point to a companion that is near in front of it
// Without a pointer the parameters keep their values, for example values set by --set. The
// functions point() and click() of view_machine_motion receive the input.

// -- The demo scene: minute.c --------------------------------------------------------------------
//
// A table of acts and shots that our own machine plays after the start of the viewer.

enum { VIEW_DEMO_SECONDS = 50 }; // seconds

// Starts the acts that are due. Call it before each step of a machine that plays the demo scene.
void view_run_demo_acts(view_machine *machine);

// Sets the camera of the current shot for an image with this aspect ratio (width divided by
// height). After the end of the scene, the last shot remains. Returns false if the machine does not
// play the demo scene.
bool view_find_demo_camera(const view_machine *machine, float aspect, view_camera *camera);

// Plays the sounds of all events that the machine and its companion have fired since the last call.
// Is silent unless the demo scene plays.
void view_play_demo_sounds(view_machine *machine, view_window *window);

#endif
