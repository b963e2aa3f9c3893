// Loads an entity of a game as one model, and plays it by the rules of the original engine. An
// entity is a character that an entityDef declares.
//
// A view_entity contains the parts of the character: its body, and attachments such as the head. It
// also contains the clips, and the clip that each channel plays. A channel is a set of joints, such
// as the legs. Commands of the user are recorded with their times. If time moves backward, the
// commands are executed again, so that a time always shows the same pose. `view_entity_motion` in
// entity.c is the kind of motion that poses the scene.
#ifndef DEMO_VIEWER_MOTION_ENTITY_H
#define DEMO_VIEWER_MOTION_ENTITY_H

#include "demo/viewer/assets/library.h"
#include "demo/viewer/motion/play.h"
#include "md5/md5character.h"

// The body, or a model that is attached to another part.
typedef struct view_entity_part {
    const md5_entity *entity;
    const md5_entity_part *attached; // attachment; NULL for the body
    uint32_t parent;      // index of the part to which this part is attached; 0 for the body
    uint32_t first_joint; // index of the part's first joint in the combined model
    md5_mat34 bind;       // from the part's model space to the combined model, in the bind pose
    md5_mat34 placed;     // from the part's model space to world space, in the last pose
    md5_actor *actor;
    uint8_t fresh[MD5_ACTOR_SAVE_SIZE]; // saved state of the actor after its creation
} view_entity_part;

// The clip that a channel plays.
typedef struct view_channel {
    int32_t clip; // index in the clips of the entity; -1: no clip
    double start; // time at which the clip began
} view_channel;

// A command of the user. VIEW_PLAYS plays or stops a clip in a channel. VIEW_BEGINS begins a state
// of the script. VIEW_SETS sets a variable of the script.
typedef struct view_order {
    enum { VIEW_PLAYS, VIEW_BEGINS, VIEW_SETS } kind;
    uint32_t item; // channel, state of the script or variable of the script, by `kind`
    int32_t value; // VIEW_PLAYS: clip, -1: none; VIEW_SETS: value of the variable
    double time;
} view_order;

typedef struct view_entity {
    md5_entity *entity; // NULL: the scene does not show an entity
    char *skin;         // name of a skin that replaces the skin of the entity; or NULL
    uint32_t num_parts;
    // [num_parts] the body first; each part after the part to which it is attached.
    view_entity_part *parts;

    // The entity of the body, with the copies `clips`. Unlike the original clips, they always begin
    // at the first frame. Otherwise the time bar would not match the pose.
    md5_entity played;
    md5_entity_clip *clips; // [num_clips]
    md5_model_anim *anims;  // [num_clips]
    md5_anim *paced; // [num_clips] the first file of each clip, at the frame rate of the modelDef

    // Simulates looking, walking and physics in whole ticks of the engine; or NULL.
    md5_monster *monster;
    bool has_run_monster; // the monster has run its first tick
    md5_xform placement;  // position and rotation in the world
    md5_vec3 target;      // point to look at, if has_target
    bool has_target;

    md5_figure *bodies; // bodies of the articulated figure, or NULL
    md5_script *script; // script object; NULL if the entity does not have one
    md5_states *states;
    bool is_in_states; // the states of the script select the clips

    bool is_played; // played in channels; false: one clip plays as it is in its file
    view_channel channels[MD5_NUM_CHANNELS];
    md5_channel focus; // the channel whose clip the time bar shows
    double time;       // time of the last pose, of view_play
    double origin;     // time at which the entity was opened
    double begin;      // time at which the actors last restarted
    double clock;      // time of the actors, milliseconds since `begin`

    view_order *orders; // [num_orders] sorted by time
    uint32_t num_orders;
    uint32_t num_executed;         // number of commands that were executed since `begin`
    uint32_t num_fired;            // number of events that were ever added to `fired`
    view_event fired[VIEW_EVENTS]; // the last frame commands, newest first
} view_entity;

// Loads an entity of a library in the skin that the address contains, lists its parts and creates
// their actors. An actor plays the clips of one part. At first, only clips that the engine starts
// by itself play, such as the clips of heads and eyelids.
//
// Returns one model of all parts, which the caller frees. It contains the joints and meshes of the
// parts, one part after another. The joint NAME of attached part N is named "N:NAME". The shader of
// a mesh is its material in the game. Returns NULL and logs an error on failure; if the name does
// not exist, the error lists similar names. Free the entity in both cases.
md5_model *view_load_entity(view_entity *figure, view_library *library, const view_address *address,
                            view_log *log);
void view_free_entity(view_entity *figure); // `figure` may be zeroed

// -- Playing -------------------------------------------------------------------------------------
//
// Plays an entity as the original engine does: one clip in each channel. Frame commands, such as
// sounds, are executed when a clip reaches their frame.
//
// Times are times of view_play. The channel in focus is the channel whose clip the time bar shows.
// This clip began at time 0. The pose at a time depends on the commands that were recorded before
// it and on the last target. It does not depend on the times that were shown before. Playback
// restarts every ten minutes, so that a jump in time simulates at most ten minutes.

// Begins a clip in a channel at time 0, and gives the channel the focus. `clip` is an index in the
// clips of the entity; -1 stops the channel. As in the engine, a clip in the channel "all" ends the
// clips of the channels of body parts. A clip in "torso" or "legs" ends the clip in "all", which
// restarts in the other of these two channels. Returns false and changes nothing if the clip cannot
// be played.
bool view_play_channel(view_entity *figure, md5_channel channel, int32_t clip);

// view_script_name() returns the name of a state of the script or, with `is_flag`, of a variable.
// Returns NULL after the last index. Returns "" for items that the user cannot select: states that
// need a game world, and variables that are not boolean. view_is_script_item_active() returns true
// if the state runs or the flag is set.
const char *view_script_name(const view_entity *figure, bool is_flag, uint32_t number);
bool view_is_script_item_active(const view_entity *figure, bool is_flag, uint32_t number);

// Begins a state, or sets or clears a flag (a boolean variable). A state plays clips in its
// channel, and can begin other states. If the flag lets the entity die, the items that it drops are
// added to `fired`.
void view_run_script_item(view_entity *figure, bool is_flag, uint32_t number, bool is_set);

// view_list_drops() adds the effects of the entity's death to `fired`: the items that it drops, and
// its burning away. view_burn_delay() returns the seconds from death to burning away, or infinity
// if the entity does not burn away.
void view_list_drops(view_entity *figure, double time);
double view_burn_delay(const view_entity *figure);

// Gives the focus to a channel that plays a clip. Returns the time of view_play that shows the same
// pose, because time 0 is now the begin of this clip.
double view_focus_channel(view_entity *figure, md5_channel channel);

// Returns the name of a channel, such as "torso".
const char *view_channel_name(md5_channel channel);

// Returns true if a channel has joints, so that clips can be played in it.
bool view_has_channel(const view_entity *figure, md5_channel channel);

struct view_scene;

// Completes the pose of an entity's scene after the body was posed. On input, the pose of the body
// is relative to parents, and its joints are in the body's model space. Poses the attached parts,
// moves all joints to world space with the body at `placed`, and builds the palette.
void view_follow_body(struct view_scene *scene, md5_mat34 placed);

// view_active_entity() returns the entity whose channels move a scene, or NULL.
// view_selected_commands() returns the selected clip with its frame commands, or NULL.
// view_entity_parms() returns the material parameters [VIEW_NUM_PARMS] of the entity. It returns
// NULL if the scene does not show an entity.
const view_entity *view_active_entity(const struct view_scene *scene);
const md5_model_anim *view_selected_commands(const struct view_scene *scene);
const float *view_entity_parms(const struct view_scene *scene);

#endif
