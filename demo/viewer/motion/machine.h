// A state machine: its player, the input that drives it, and the character's placement.
#ifndef DEMO_VIEWER_MOTION_MACHINE_H
#define DEMO_VIEWER_MOTION_MACHINE_H

#include "demo/viewer/base/canvas.h"
#include "demo/viewer/base/options.h"
#include "demo/viewer/motion/play.h"
#include "demo/viewer/platform/platform.h"
#include "md5/md5play.h"

// Input from keys: -1, 0 or 1 each. A parameter that keys have moved returns to rest when they are
// released; other parameters keep their values.
typedef struct view_control {
    int ahead;
    int side;
    bool fast;
    bool down[4]; // keys ahead, back, right, left; of two opposite ones the last pressed counts
    bool moves_ahead;
    bool moves_side;
} view_control;

typedef struct view_machine view_machine;
struct view_machine {
    md5_character *character;
    const md5_machine_desc *desc;
    md5_player *player; // NULL: no machine is shown
    void *scratch;
    float reach;     // size of the character
    double time;     // seconds played; from here to the settings what view_adopt_machine() copies
    md5_xform place; // of the character in the world
    view_control control;           // current input
    bool acts;                      // plays the first minute, until the user takes control
    uint32_t next_row;              // of it; MD5_NONE: something else lets it act
    uint32_t next_one_shot;         // one-shot, then clip, at which the search begins
    md5_vec3 target;                // of the modifiers that reach or look, world space
    bool has_target;                // false: a point that circles in front of the character
    double pointed;                 // time at which the target was last set
    bool is_told;                   // the machine's parameters say where the target is
    float told_yaw;                 // in which direction they say, degrees to the left
    view_event events[VIEW_EVENTS]; // the last that fired, newest first
    double heard;                   // time up to which they were: see view_hear_minute()
    view_settings settings;         // by time
    size_t next_setting;
    // Where it is placed at the beginning; a guest that waits far away when an event calls it,
    // relative to its host.
    md5_xform start;
    // A machine that advances with this one, or with which this one does; or NULL. An event of a
    // clip sets the trigger of the same name of the other.
    view_machine *guest;
    view_machine *host;
    view_machine *carried; // the same, but its events set nothing; or NULL
};

// Loads a machine file with the files it names and creates a player. Returns false and logs an
// error on failure.
bool view_load_machine(view_machine *machine, const char *path, const md5_load_opts *opts,
                       view_log *log);
void view_free_machine(view_machine *machine); // a zeroed one is allowed

// Lets a machine whose files were read again go on where the old one is; warns of names that are
// gone. Nothing happens if one of both is zeroed.
void view_adopt_machine(view_machine *machine, const view_machine *old, view_log *log);

// Advances to `time` in steps of at most 1/60 s. If `time` is more than four steps back, restarts.
void view_run_machine(view_machine *machine, double time);

// Resets states, parameters, settings and the character's placement.
void view_restart_machine(view_machine *machine);

enum { VIEW_STEPS_A_SECOND = 60 };

// Writes the current pose; joints and palette are in world space.
void view_pose_machine(view_machine *machine, uint32_t num_joints, md5_xform *pose,
                       md5_mat34 *joints, md5_mat34 *palette);

// Estimates the useful range of a float parameter, from the positions in blend spaces and the
// values in conditions.
void view_parameter_range(const md5_machine *machine, const char *parameter, float *low,
                          float *high);

// Ends the first minute: from now on the user controls it.
void view_take_over(view_machine *machine);

// A point that circles in front of a character's face, for pictures without a mouse.
md5_vec3 view_circling_target(const md5_model *model, double time);

// Sets a parameter, if there is one of that name.
void view_set_in_machine(const view_machine *machine, const char *name, float value);

// Fires a trigger or toggles a bool.
void view_push_parameter(view_machine *machine, uint32_t parameter);

// Whether the machine has a parameter with which keys move the character: "ahead", or else "speed".
bool view_can_walk(const view_machine *machine);

// Plays the one-shot of the machine, or behind these the clip, after the last one. Returns its
// name; NULL if there is none, of clips none with two frames.
const char *view_play_one_shot(view_machine *machine);

// Parameter index of the `number`-th trigger, or -1.
int32_t view_find_trigger(const view_machine *machine, uint32_t number);

// Which clips play now: [num_clips], to be freed.
bool *view_active_clips(const view_machine *machine);

// -- The pointer ----------------------------------------------------------------------------
//
// Tells a machine where the mouse pointer is, and that it was clicked on, by parameters of reserved
// names; those that it lacks are left out:
//   pointer               1 from the pointer's first motion until it has been still for a while
//   eyes_yaw, eyes_pitch  where it is, seen from the character: degrees to the left and up
//   head_yaw, head_pitch  the same, so that a machine can let them follow more slowly
//   click                 a trigger: the character was clicked on
//   guest_ahead, guest_left  where a guest is, seen from the character: units; without a pointer
//                         eyes and head are told of one that is near before it
// Without a pointer they stay as they are: as --set sets them. Points and clicks arrive by the row
// view_machine_motion.

// -- The first minute: minute.c --------------------------------------------------------------
//
// What our own machine does for visitors: a table of acts and one_shots.

enum { VIEW_MINUTE = 50 }; // seconds

// Does what is due, before each step of a machine that acts.
void view_direct(view_machine *machine);

// The camera of the shot at its time, or of the last one when all is over; returns false if it does
// not act.
bool view_find_shot(const view_machine *machine, view_camera *camera);

// Plays the sounds of what its clips and those of its guest have said since the last call, while
// the minute plays.
void view_hear_minute(view_machine *machine, view_window *window);

#endif
