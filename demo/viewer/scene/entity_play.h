// Plays an entity as the original engine does: a clip in each channel, with its frame commands.
//
// Time is that of view_play. Time 0 is when the clip of the channel in focus began: the time bar
// shows that clip.
#ifndef DEMO_VIEWER_SCENE_ENTITY_PLAY_H
#define DEMO_VIEWER_SCENE_ENTITY_PLAY_H

#include "demo/viewer/scene/entity.h"

// Creates the actors of all parts, with nothing playing but what the engine starts by itself: heads
// and eyelids. Returns false and sets `error` if memory runs out.
bool view_start_actors(view_entity *of, md5_error *error);

// Begins clip `clip` (< num_clips of the entity; -1: none) in a channel, which gets the focus, at
// time 0. As in the engine the channel "all" hides those of the body's parts: a clip in it ends
// theirs; a clip in one of theirs ends that in "all", whose clip begins in the other of torso
// and legs. False and no change if it cannot be played.
bool view_play_channel(view_entity *of, md5_channel channel, int32_t clip);

// Gives a channel that plays a clip the focus. Returns the time of view_play from now on.
double view_focus_channel(view_entity *of, md5_channel channel);

// Advances to `time`. If that is before the last one, or long after it, channels play from where
// they then are, without fading in, and no commands fire in between.
void view_run_entity(view_entity *of, double time);

// Writes the pose of the joined model: pose[its joints], relative to parents, and joints, in model
// space. `in_place`: without the motion of the root.
void view_pose_entity(view_entity *of, bool in_place, md5_xform *pose, md5_mat34 *joints);

// "torso", ...
const char *view_channel_name(md5_channel channel);

// Whether clips can be played in a channel: it has joints.
bool view_has_channel(const view_entity *of, md5_channel channel);

// Writes what a frame command says, such as "sound_voice snd_sight".
void view_describe_command(const md5_frame_command *command, char *text, size_t size);

#endif
