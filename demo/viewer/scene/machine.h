// A state machine that is shown: its player, what drives it, and where the character has come.
#ifndef DEMO_VIEWER_SCENE_MACHINE_H
#define DEMO_VIEWER_SCENE_MACHINE_H

#include "md5/md5model.h"
#include "md5/md5play.h"
#include "demo/common/machine.h"
#include "demo/viewer/base/canvas.h"
#include "demo/viewer/base/keys.h"
#include "demo/viewer/base/log.h"
#include "demo/viewer/base/options.h"

// What keys ask for: -1, 0 or 1 each. A value that keys have moved goes back when they are let go;
// others stay as they were set.
typedef struct view_control {
    int ahead, side;
    bool fast;
    bool moves_ahead, moves_side;
} view_control;

// The last events that fired, newest first.
enum { VIEW_EVENTS = 4 };
typedef struct view_event {
    char text[96];
    double time;
} view_event;

typedef struct view_machine {
    common_machine loaded; // but its model, which is the scene's
    const md5_machine_desc *desc;
    md5_player *player; // NULL: no machine is shown
    void *scratch;
    double time;          // seconds that have passed
    md5_transform place;  // of the character in the world
    view_control control; // of the moment
    bool acts;            // until somebody takes over: triggers one after another, and a walk
    double next_act;
    uint32_t num_acts;
    md5_vec3 target; // what its modifiers reach for or look at, in the world
    bool has_target; // false: a point that goes round before it
    float reach;     // size of the character
    view_event events[VIEW_EVENTS];
    const view_setting *settings; // [num_settings], by time
    size_t num_settings, next_setting;
} view_machine;

// Loads a machine file with what it names, and makes a player. Tells why where it cannot. The model
// is handed over.
bool view_load_machine(view_machine *machine, const char *path, const md5_load_opts *opts,
                       view_log *log, md5_model **model);
void view_free_machine(view_machine *machine); // a zeroed one is allowed

// Lets time pass until `time`, in steps of a sixtieth of a second at most; backward beyond the last
// step it begins anew.
void view_run_machine(view_machine *machine, double time);

// Goes back to the beginning: states, parameters, settings, and where the character stands.
void view_restart_machine(view_machine *machine);

enum { VIEW_STEPS_A_SECOND = 60 };

// Writes the pose of the moment, in the world.
void view_pose_machine(view_machine *machine, uint32_t num_joints, md5_transform *pose,
                       md5_mat34 *joints, md5_mat34 *palette);

// From where to where a float parameter goes in the machine: over the places of blend spaces and
// the bounds of conditions.
void view_parameter_range(const md5_machine *machine, const char *parameter, float *low,
                          float *high);

// Sets a trigger, turns a bool over.
void view_push_parameter(view_machine *machine, uint32_t parameter);

// Whether it has a parameter by which keys move the character: "ahead", or else "speed".
bool view_can_walk(const view_machine *machine);

// The `number`-th trigger among the parameters, or -1.
int32_t view_find_trigger(const view_machine *machine, uint32_t number);

// Writes which clips play now, active[machine->desc->num_clips], in a state that a layer is in or
// comes from; of a line of motions the two neighbours of its parameter's value.
void view_find_active(const view_machine *machine, bool *active);

#endif
