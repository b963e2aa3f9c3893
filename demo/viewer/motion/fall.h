// What a model is as bodies, and how it falls: its articulated figure, which an entity of a game
// names, or which lies beside the model as NAME.af.
#ifndef DEMO_VIEWER_MOTION_FALL_H
#define DEMO_VIEWER_MOTION_FALL_H

#include "demo/viewer/motion/play.h"
#include "md5/md5ragdoll.h"

struct view_scene;
struct view_motion_kind;

// What it is asked to do, at times of view_play.
typedef struct view_fate {
    double dies, rises; // infinity: it does not
    uint32_t struck;    // the joint that is struck as it dies
    md5_vec3 blow;      // what that adds to the speed of its body, units a second
} view_fate;

typedef struct view_fall {
    const md5_figure *bodies; // own, or the entity's
    view_fate fate;
    md5_ragdoll *ragdoll;   // from its first fall on
    md5_body_state *states; // [num_bodies] as it died
    md5_xform *risen;       // [num_joints] what it fades into
    double time;            // until which it has fallen; infinity: it has not died
    double noted;           // when it died, as its entity has listed; infinity: it has not
    double shown;           // the time of the pose that was written last
    bool has_risen;         // before that
    md5_xform moved;        // since then: from where it would stand to where it does
    md5_vec3 behind;        // where it was as it died, seen from its bodies
    md5_vec3 walked;        // in that pose: where it lies, or stands
    uint32_t dragged;       // the body that the mouse drags; MD5_NONE: none
    md5_vec3 grasped;       // by this point

    // Of a figure beside the model: its file, as the only one of a game, and the model as an entity
    // there, whose clip "af_pose" it begins in.
    char *path, *name;
    md5_game *game;
    md5_figure *own;
    md5_entity entity;
    md5_entity_clip clip;
    md5_model_anim anim;
} view_fall;

// Gives a scene with a model a figure: that of its entity, else what lies beside the model file and
// begins in the first frame of a clip there, af_pose or idle. Without one scene->fall is NULL. What
// is wrong is a warning.
void view_load_fall(struct view_scene *scene, const char *model_path, const md5_load_opts *opts,
                    view_log *log);
void view_free_fall(view_fall *fall); // before the entity; NULL is allowed

// -- Falling --------------------------------------------------------------------------------------
//
// At the time when it dies, its bodies take over from the pose, with its velocities, on the scene's
// ground, until it gets up: it fades into what else moves it, which goes on where it lay. As what
// moves it alone, it is the same at each time, on whichever way that was reached, but for what the
// mouse did.

void view_decide_fate(view_fall *fall, view_fate fate);

// Whether it has died at a time, and whether it lies, or falls, then. NULL is allowed.
bool view_has_died(const view_fall *fall, double time);
bool view_lies(const view_fall *fall, double time);

// Writes the pose of a scene with a figure, which `kind` moves as long as it lives.
void view_pose_mortal(struct view_scene *scene, const struct view_motion_kind *kind,
                      const view_play *play);

// Grasps the body that a line meets, of one that lies or falls, where it meets it; and drags that
// to another place. False: it meets none.
bool view_grasp(view_fall *fall, md5_vec3 from, md5_vec3 to);
void view_drag(view_fall *fall, const md5_vec3 *target); // NULL: lets go

#endif
