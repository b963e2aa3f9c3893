// An entity of a game as one model: its body, with the head and what else hangs at its joints.
#ifndef DEMO_VIEWER_MOTION_ENTITY_H
#define DEMO_VIEWER_MOTION_ENTITY_H

#include "demo/viewer/assets/library.h"
#include "demo/viewer/motion/play.h"
#include "md5/md5character.h"

// The body, or something that hangs at it.
typedef struct view_entity_part {
    const md5_entity *entity;
    const md5_entity_part *attached; // NULL for the body
    uint32_t above;                  // the part that it hangs at; of the body 0
    uint32_t first_joint;            // of its joints in the joined model
    md5_mat34 bind;                  // its placement in the bind pose
    md5_mat34 placed;                // in the last pose
    md5_actor *actor;
    uint8_t fresh[MD5_ACTOR_SAVE_SIZE]; // the actor as it was created
} view_entity_part;

// What a channel plays.
typedef struct view_channel {
    int32_t clip; // of the entity; -1: none
    double start; // when it began
} view_channel;

// What it was told to do, and when.
typedef struct view_order {
    enum { VIEW_PLAYS, VIEW_BEGINS, VIEW_SETS } kind;
    uint32_t item; // a channel; a state, a variable of the script
    int32_t value; // the clip there, -1: none; of the variable
    double time;
} view_order;

typedef struct view_entity {
    md5_entity *entity; // NULL: the scene is none of an entity
    char *skin;         // name of a skin instead of the entity's own, or NULL
    uint32_t num_parts;
    view_entity_part *parts; // [num_parts] the body first; each after the one that it hangs at

    // The body as it is played: no clip begins at a random time, so that the time bar is right.
    md5_entity played;
    md5_entity_clip *clips; // [num_clips]
    md5_model_anim *anims;  // [num_clips]
    md5_anim *paced;        // [num_clips] the clips' first files, at the rates of the modelDef

    // What it does beside its clips in whole ticks of the engine, or NULL.
    md5_monster *monster;
    bool has_thought;
    md5_xform place; // where it stands in the world
    md5_vec3 target; // that it looks at, if has_target
    bool has_target;

    md5_figure *bodies; // of its articulated figure, which are hit, or NULL
    md5_script *script; // of its script object, and its states: or NULL
    md5_states *states;
    bool is_in_states; // they select the clips

    bool is_played; // in channels, instead of one clip as it is in its file
    view_channel channels[MD5_NUM_CHANNELS];
    md5_channel focus; // the channel whose clip the time bar shows
    double time;       // of view_play
    double origin;     // time at which it was opened
    double begin;      // time at which the actors began
    double clock;      // milliseconds since then

    view_order *orders; // [num_orders] by their times
    uint32_t num_orders;
    uint32_t num_obeyed;
    uint32_t num_fired;
    view_event fired[VIEW_EVENTS]; // the last frame commands that did, newest first
} view_entity;

// Loads an entity of a library, in the skin that the address names, lists its parts and creates
// their actors, with nothing playing but what the engine starts by itself: heads and eyelids.
//
// Returns the model of all parts, to be freed: the joints of each one after another, those but the
// body's named "N:NAME" by the number of the part; the meshes likewise, with the materials that
// they have in the game as shaders. Returns NULL and logs an error on failure, with similar names
// if there is none of this name. Free the entity in both cases.
md5_model *view_load_entity(view_entity *figure, view_library *library, const view_address *address,
                            view_log *log);
void view_free_entity(view_entity *figure); // a zeroed one is allowed

// -- Playing -------------------------------------------------------------------------------------
//
// Plays an entity as the original engine does: a clip in each channel, with its frame commands.
//
// Time is that of view_play. Time 0 is when the clip of the channel in focus began: the time bar
// shows that clip. What it shows at a time is what it was told until then, on which ways the time
// was ever reached; but it looks at the last target. Every ten minutes it begins anew, where it
// stood first.

// Begins clip `clip` (< num_clips of the entity; -1: none) in a channel, which gets the focus, at
// time 0. As in the engine the channel "all" hides those of the body's parts: a clip in it ends
// theirs; a clip in one of theirs ends that in "all", whose clip begins in the other of torso
// and legs. False and no change if it cannot be played.
bool view_play_channel(view_entity *figure, md5_channel channel, int32_t clip);

// States of the script, or its flags, by number: the name, "" of those that need a game's world or
// are no flags, NULL behind the last one; and whether it runs, or is set.
const char *view_script_name(const view_entity *figure, bool is_flag, uint32_t number);
bool view_is_told(const view_entity *figure, bool is_flag, uint32_t number);

// Begins a state, which plays clips in its channel and begins others; or sets a flag or not: of one
// that dies, what it drops is listed with what fired.
void view_tell(view_entity *figure, bool is_flag, uint32_t number, bool is_set);

// Lists what it leaves behind as it dies with what fired: what it drops, and that it burns away;
// and how long after that it does, infinity: never.
void view_note_death(view_entity *figure, double time);
double view_burns_after(const view_entity *figure);

// Gives a channel that plays a clip the focus. Returns the time of view_play from now on.
double view_focus_channel(view_entity *figure, md5_channel channel);

// "torso", ...
const char *view_channel_name(md5_channel channel);

// Whether clips can be played in a channel: it has joints.
bool view_has_channel(const view_entity *figure, md5_channel channel);

struct view_scene;

// Completes the pose of a scene of an entity behind that of the body, whose pose, relative to
// parents, and joints, in its model space, are written: lets heads and attachments follow, places
// all in the world, where the body is at `placed`, and makes the palette.
void view_follow_body(struct view_scene *scene, md5_mat34 placed);

// The entity whose channels move a scene now, or NULL; the clip of the entity, with its frame
// commands, that a scene has selected, or NULL; and the parameters of its materials,
// [VIEW_NUM_PARMS], or NULL if the scene is none of an entity.
const view_entity *view_channels_of(const struct view_scene *scene);
const md5_model_anim *view_commands_of(const struct view_scene *scene);
const float *view_own_parms(const struct view_scene *scene);

#endif
