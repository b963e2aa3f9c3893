// Lets a character fall as a ragdoll when it dies, for all kinds of motion. The ragdoll simulates
// the bodies of an articulated figure: rigid bodies, each of which moves joints of the model. The
// figure belongs to a game entity, or is loaded from the file NAME.af in the folder of the model.
//
// A view_fall contains the figure, the time of death and the ragdoll. After the time of death,
// view_pose_with_death() replaces the pose function of the current kind of motion.
#ifndef DEMO_VIEWER_MOTION_FALL_H
#define DEMO_VIEWER_MOTION_FALL_H

#include "demo/viewer/motion/play.h"
#include "md5/md5ragdoll.h"

struct view_scene;
struct view_motion_kind;

typedef struct view_fall {
    const md5_figure *bodies; // the figure: `created_bodies`, or the figure of the entity
    double death_time;        // time of view_play; infinity: the character does not fall
    md5_ragdoll *ragdoll;     // created at the first fall
    md5_body_state *states;   // [num_bodies] at the time of death
    double simulated_time;    // end of the simulated time; infinity: the fall has not begun
    double listed_death_time; // death whose effects are in the entity's list; infinity: none
    double pose_time;         // time of view_play in the last pose
    md5_vec3 root_offset; // displacement of the motion minus displacement of the bodies, at death
    md5_vec3 walked;      // displacement of the fallen character in the last pose
    uint32_t dragged;     // body that the mouse drags; MD5_NONE: none
    md5_vec3 grasped;     // grasped point of the dragged body

    // A figure from a file in the folder of the model. The library reads figures only as a part of
    // a game, so `game` is a game whose only file is this file. `path` is its path, and `name` its
    // name in the game. `entity` contains the model. Its only clip, "af_pose", is the setup pose:
    // the pose for which the file contains the positions of the bodies.
    char *path;
    char *name;
    md5_game *game;
    md5_figure *created_bodies;
    md5_entity entity;
    md5_entity_clip clip;
    md5_model_anim anim;
} view_fall;

// Loads the figure of a scene with a model: the figure of its entity, or NAME.af in the folder of
// the model. The setup pose of NAME.af is the first frame of the clip af_pose or idle in this
// folder. If no figure exists, scene->fall is NULL. Logs faults as warnings.
void view_load_fall(struct view_scene *scene, const char *model_path, const md5_load_opts *opts,
                    view_log *log);
void view_free_fall(view_fall *fall); // call it before freeing the entity; NULL is allowed

// -- Simulation ----------------------------------------------------------------------------------
//
// At the time of death, the bodies have the positions and velocities of the animation. They fall on
// the scene's ground. The pose at a time does not depend on the times that were shown before,
// unless the mouse has dragged the character.

// Sets the time of death; INFINITY: the character does not fall.
void view_set_death_time(view_fall *fall, double time);

// Returns true if the character has died at a time. `fall` may be NULL.
bool view_has_died(const view_fall *fall, double time);

// Writes the pose of a scene that has a figure. `kind`, the kind of motion of the scene, writes it
// until the time of death; afterwards the ragdoll does.
void view_pose_with_death(struct view_scene *scene, const struct view_motion_kind *kind,
                          const view_play *play);

// view_grasp() finds the body of a fallen character that the line from `from` to `to` hits, and
// grasps it at this point. Returns false if the line hits no body. view_drag() then drags the
// grasped point to `target`.
bool view_grasp(view_fall *fall, md5_vec3 from, md5_vec3 to);
void view_drag(view_fall *fall, const md5_vec3 *target); // NULL: releases the body

#endif
