// What a model is as bodies, and how it falls: its articulated figure, which an entity of a game
// names, or which lies beside the model as NAME.af.
#ifndef DEMO_VIEWER_MOTION_FALL_H
#define DEMO_VIEWER_MOTION_FALL_H

#include "demo/viewer/motion/play.h"
#include "md5/md5ragdoll.h"

struct view_scene;
struct view_motion_kind;

typedef struct view_fall {
    const md5_figure *bodies; // own, or the entity's
    double death_time;        // of view_play; infinity: it does not fall
    md5_ragdoll *ragdoll;     // from its first fall on
    md5_body_state *states;   // [num_bodies] at the time of death
    double simulated_time;    // end of the simulated time; infinity: the fall has not begun
    double listed_death_time; // the death that its entity has listed; infinity: none
    double pose_time;         // time of the last pose
    md5_vec3 root_offset;     // from the bodies to the displacement of the motion, at the death
    md5_vec3 walked;          // displacement of the lying character, in the last pose
    uint32_t dragged;         // the body that the mouse drags; MD5_NONE: none
    md5_vec3 grasped;         // by this point

    // Of a figure beside the model: its file, as the only one of a game, and the model as an entity
    // there, whose clip "af_pose" it begins in.
    char *path;
    char *name;
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
// At the time of death the bodies take over from the pose, with its velocities, on the scene's
// ground. The pose at a time does not depend on the times that were shown before, except for the
// effect of the mouse.

// Sets the time of death; INFINITY: the character does not fall.
void view_set_death_time(view_fall *fall, double time);

// Returns true if the character falls or lies at a time. `fall` may be NULL.
bool view_has_died(const view_fall *fall, double time);

// Writes the pose of a scene with a figure, which `kind` moves as long as it lives.
void view_pose_mortal(struct view_scene *scene, const struct view_motion_kind *kind,
                      const view_play *play);

// Grasps the body that a line meets, of one that lies or falls, where it meets it; and drags that
// to another place. False: it meets none.
bool view_grasp(view_fall *fall, md5_vec3 from, md5_vec3 to);
void view_drag(view_fall *fall, const md5_vec3 *target); // NULL: lets go

#endif
