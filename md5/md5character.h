// md5character: what a character of a Doom 3 game folder does beside its animations: it looks at
// things, its head follows its body, and its feet stand on what is below them; the articulated
// figure that its body is to an engine; and the states of its script, which play the animations.
//
//   const md5_monster_desc desc = {.entity = imp, .body = actor};
//   md5_monster *monster = md5_create_monster(&desc, NULL, &error);
//   md5_actor_advance(actor, 16, on_frame, monster);    // each tick of the game: first the clips,
//   md5_monster_think(monster, &tick);                  // then what follows the world,
//   md5_monster_pose(monster, pose, joints, palette);   // then the pose
//
// A monster, or a person, is the state of one; one thread at a time may use it. After it is created
// no call allocates memory. Space is id's, in units: the entity must be loaded with MD5_AXES_ID and
// without a scale. The world is the caller's, with z up, against gravity. Rules, keys and defaults
// are the engine's; what it computes with an error this does too, unless
// md5_monster_desc.is_as_meant is set. Joints agree to 3e-4 units, angles to 1e-3 degrees, times to
// the millisecond. Not part of it, as the engine reads and ignores it or no entity of its games has
// it: ik_tiltWaist, reach IK (ik_numArms); nor what fliers lean by.
#ifndef MD5CHARACTER_H
#define MD5CHARACTER_H

#include "md5actor.h" // beside this file also when installed

#ifdef __cplusplus
extern "C" {
#endif

typedef struct md5_monster md5_monster; // see below

// -- Joints that code moves -----------------------------------------------------------------------

// What moves a joint beside its animation, for its rotation and for its position.
typedef enum md5_mod_mode {
    MD5_MOD_NONE,           // nothing
    MD5_MOD_LOCAL,          // in the joint's own axes, respectively its parent's, added
    MD5_MOD_LOCAL_OVERRIDE, // relative to its parent, instead
    MD5_MOD_WORLD,          // in model space, added; the position of the root: instead
    MD5_MOD_WORLD_OVERRIDE  // in model space, instead
} md5_mod_mode;

// All zero, with any rotation: nothing. Rotations have unit length.
typedef struct md5_joint_mod {
    md5_mod_mode axis, position;
    md5_quat rotation;
    md5_vec3 translation;
} md5_joint_mod;

// Moves joints of a pose, relative to parents, as md5_actor_pose() writes it: `mods` and `pose` are
// [model joints]. Joints below follow; the offset of the modelDef is added after the root's mod.
// Time: joints, plus those that are moved times their depth.
MD5_GAME_API void md5_entity_move_joints(const md5_entity *entity, const md5_joint_mod *mods,
                                         md5_xform *pose);

// -- Playing --------------------------------------------------------------------------------------

// Changes the newest clip of a channel, as code of the engine does. False and no change if nothing
// plays there or the value is out of range.
//
// The rate is a factor, 0.01 to 100, or 0: it stands still; its time does not jump.
// Cycles: 1 to MD5_MAX_CYCLES, 0 is as 1, negative: endlessly.
// It began so many milliseconds ago, at most MD5_MAX_PASSED, whatever it showed since then.
enum { MD5_MAX_CYCLES = 1000, MD5_MAX_PASSED = 1000000000 };
MD5_GAME_API bool md5_actor_set_rate(md5_actor *actor, md5_channel channel, float rate);
MD5_GAME_API bool md5_actor_set_cycles(md5_actor *actor, md5_channel channel, int32_t cycles);
MD5_GAME_API bool md5_actor_set_start(md5_actor *actor, md5_channel channel, int64_t milliseconds);

// Returns the first frame command of a kind, whose frame counts from 1; NULL if there is none.
MD5_GAME_API const md5_frame_command *md5_find_frame_command(const md5_model_anim *anim,
                                                             md5_frame_code code);

// Returns how far a clip moves the root in all; zero if it cannot be played.
MD5_GAME_API md5_vec3 md5_entity_clip_movement(const md5_entity_clip *clip);

// -- States ---------------------------------------------------------------------------------------
//
//   const md5_load_opts opts = {.files = md5_game_files(game)};
//   const char *object = md5_entity_def_value(imp->def, "scriptobject");
//   md5_script *script = md5_load_script("script/doom_main.script", object, imp, &opts, &error);
//   const md5_states_desc desc = {.script = script, .entity = imp, .body = actor};
//   md5_states *states = md5_create_states(&desc, NULL, &error);
//   md5_states_set(states, MD5_CHANNEL_TORSO, "Torso_Idle", 4);
//   md5_states_set(states, MD5_CHANNEL_LEGS, "Legs_Idle", 4);
//   md5_states_set_variable(states, "AI_FORWARD", 1.0f);   // it walks from now on
//   md5_states_advance(states, 16, on_frame, NULL);        // each tick, for md5_actor_advance()
//
// A state is a function of a script object, Torso_Walk() or Legs_Idle(), which plays clips in its
// channel, waits, and goes to the next state by animState(). What a game tells them is in variables
// of the object: AI_FORWARD, AI_PAIN, AI_DEAD. The functions state_*() decide which states are next
// from what the game's world is; here they run if they are set in MD5_CHANNEL_ALL, and what they
// ask of the world is 0.

typedef enum md5_script_type {
    MD5_SCRIPT_FLOAT,
    MD5_SCRIPT_BOOLEAN,
    MD5_SCRIPT_STRING,
    MD5_SCRIPT_VECTOR,
    MD5_SCRIPT_OTHER // an entity or an object
} md5_script_type;

typedef struct md5_script_variable {
    const char *name;
    md5_script_type type;
} md5_script_variable;

typedef struct md5_script_state {
    const char *name;
    md5_channel channel; // torso, legs, head; MD5_CHANNEL_ALL: state_*()
} md5_script_state;

// The states of a script object, its parents' included, and the variables that they see.
typedef struct md5_script {
    uint32_t num_states, num_variables;
    const md5_script_state *states;       // [num_states] in the order of the files
    const md5_script_variable *variables; // [num_variables] of the object, parents first; global
    uint32_t num_unknown;                 // different functions that are called but not known
} md5_script;

// Compiles the states of a script object, and the functions that these call, from a file and those
// that it includes, each once, named as opts->files opens them; of an entity, which then outlives
// the result, or NULL, also what `call` and `object_call` in its clips name. Of the lines with #
// there are include, define, undef, ifdef, ifndef, else and endif; # and ## in macros are not
// known. Variables of namespaces are global, and the name of a namespace in another one is too. An
// error has the place in the file, what was found and what was expected. A function that is neither
// defined nor known here is a warning, once, and returns 0; so does one of another entity, and one
// that begins a thread. Functions that nothing calls are not compiled. Texts have at most 63 bytes;
// what is longer is cut. Fails if there is no such object, or it is NULL. The result is read-only;
// threads may share it. Time and memory: linear in the files, whose macros may mean about as many
// tokens as the files have bytes, and 65536.
MD5_GAME_API md5_script *md5_load_script(const char *path, const char *object,
                                         const md5_entity *entity, const md5_load_opts *opts,
                                         md5_error *error);
MD5_GAME_API void md5_free_script(md5_script *script); // after its states; NULL is allowed

// The states that a character is in.
typedef struct md5_states md5_states;

typedef struct md5_states_desc {
    const md5_script *script;
    const md5_entity *entity;
    md5_actor *body;             // of it
    md5_actor *head;             // of the part "def_head", which is parts[0] then; NULL: none
    md5_monster *monster;        // whose eyes states open and close; NULL: none
    float (*random)(void *user); // 0..1, for random(); NULL: 0.5
    void *user;
    uint64_t reserved[4]; // 0
} md5_states_desc;

// Creates them, in no state, in one block of memory; what is described must outlive them. After
// that no call allocates memory. `allocator` may be NULL. Fails only if memory runs out.
MD5_GAME_API md5_states *md5_create_states(const md5_states_desc *desc,
                                           const md5_allocator *allocator, md5_error *error);
MD5_GAME_API void md5_destroy_states(md5_states *states); // NULL is allowed

// Lets a channel begin with a state in the next advance, as animState(): its clips fade in over so
// many frames of 24 a second. MD5_CHANNEL_ALL: as setState(). False: the script has no such state.
MD5_GAME_API bool md5_states_set(md5_states *states, md5_channel channel, const char *name,
                                 uint32_t blend_frames);

// A number of the object or a global one; 0 and false if there is none of this name. AI_PAIN,
// AI_SPECIAL_DAMAGE and AI_PUSHED become 0 at the end of each advance.
MD5_GAME_API float md5_states_variable(const md5_states *states, const char *name);
MD5_GAME_API bool md5_states_set_variable(md5_states *states, const char *name, float value);

// A tick: advances the actors of body and head, runs the states and fires the frame commands of the
// tick, in the engine's order; what these call is run at once, before `on_frame`, and where it
// waits the next such call ends it. A function is ended that does MD5_MAX_SCRIPT_STEPS operations
// without waiting, or calls too deep; if frame commands called it, no more are called in this
// advance. What has the root moved: md5_actor_root_motion() of the body.
enum { MD5_MAX_SCRIPT_STEPS = 100000 };
MD5_GAME_API void md5_states_advance(md5_states *states, uint32_t milliseconds,
                                     md5_frame_fn *on_frame, void *user);

typedef struct md5_channel_state {
    const char *name;           // "": none
    uint32_t blend, last_blend; // frames: of what plays next, and of what followed last
    bool is_idle;               // plays what another channel plays
    bool is_disabled;           // overridden by another channel
    bool is_running;            // its function has not ended
    bool was_stopped;           // its function ran too long or too deep
    uint64_t reserved[2];       // 0
} md5_channel_state;
MD5_GAME_API md5_channel_state md5_states_channel(const md5_states *states, md5_channel channel);

// What the script has said to the rest of the game.
typedef struct md5_states_status {
    const char *waits_for; // of waitAction(): "" if nothing
    bool allows_pain;      // it may be interrupted by pain
    bool allows_movement;  // its clips move it
    uint64_t reserved[2];  // 0
} md5_states_status;
MD5_GAME_API md5_states_status md5_states_state(const md5_states *states);

// Copies what changes from other states of the same script and entity; beside it, save and restore
// the actors.
MD5_GAME_API void md5_copy_states(md5_states *to, const md5_states *from);

// -- Articulated figures --------------------------------------------------------------------------

// A point or a direction: numbers, or of joints in the first frame of the clip "af_pose".
typedef enum md5_figure_vector_kind {
    MD5_FIGURE_NUMBERS,
    MD5_FIGURE_JOINT,       // where joints[0] is
    MD5_FIGURE_BONE_CENTER, // between both
    MD5_FIGURE_BONE_DIR     // from joints[0] to joints[1]
} md5_figure_vector_kind;

typedef struct md5_figure_vector {
    md5_figure_vector_kind kind;
    bool is_negated;
    md5_vec3 numbers;
    const char *joints[2]; // "": none
} md5_figure_vector;

// Bits of contents and clip masks, with the engine's values.
enum {
    MD5_CONTENTS_SOLID = 0x1,
    MD5_CONTENTS_PLAYERCLIP = 0x8,
    MD5_CONTENTS_MONSTERCLIP = 0x10,
    MD5_CONTENTS_MOVEABLECLIP = 0x20,
    MD5_CONTENTS_BODY = 0x100,
    MD5_CONTENTS_CORPSE = 0x400
};

typedef enum md5_body_shape {
    MD5_SHAPE_BOX = 1, // with the engine's numbers
    MD5_SHAPE_OCTAHEDRON,
    MD5_SHAPE_DODECAHEDRON,
    MD5_SHAPE_CYLINDER,
    MD5_SHAPE_CONE,
    MD5_SHAPE_BONE
} md5_body_shape;

// What a body moves of its joint.
typedef enum md5_body_mod { MD5_BODY_AXIS, MD5_BODY_ORIGIN, MD5_BODY_BOTH } md5_body_mod;

typedef struct md5_figure_body {
    const char *name, *joint;
    const char *contained; // joints that move with it: "*chest -*neck"
    md5_body_mod mod;
    md5_body_shape shape;
    md5_figure_vector corners[2]; // of its box, or the ends of a bone
    int32_t num_sides;            // of cylinder and cone
    float width;                  // of a bone
    md5_figure_vector origin, friction_direction, motor_direction;
    float angles[3]; // degrees: pitch, yaw, roll
    float density, inertia_scale[9];
    float friction[3]; // linear, angular, of contacts
    uint32_t contents, clip_mask;
    bool collides_with_own;
} md5_figure_body;

typedef enum md5_constraint_type {
    MD5_CONSTRAINT_FIXED = 1, // with the engine's numbers
    MD5_CONSTRAINT_BALL,
    MD5_CONSTRAINT_UNIVERSAL,
    MD5_CONSTRAINT_HINGE,
    MD5_CONSTRAINT_SLIDER,
    MD5_CONSTRAINT_SPRING
} md5_constraint_type;

typedef enum md5_limit_type {
    MD5_FIGURE_NO_LIMIT = -1,
    MD5_FIGURE_CONE,
    MD5_FIGURE_PYRAMID
} md5_limit_type;

typedef struct md5_figure_constraint {
    md5_constraint_type type;
    const char *name, *bodies[2];
    float friction;
    md5_figure_vector anchors[2], shafts[2], axis, limit_axis; // anchors[1]: of a spring
    md5_limit_type limit;
    float limit_angles[3];
    float spring[6]; // stretch, compress, damping, rest, least and greatest length
} md5_figure_constraint;

typedef struct md5_figure_def {
    const md5_decl *decl;
    const char *model, *skin;
    float friction[4]; // linear, angular, of contacts, of constraints: defaults
    float total_mass;  // -1: as densities say
    float suspend_speed[4];
    float no_move[3];    // seconds, units, degrees
    float move_times[2]; // least and greatest seconds until it rests; -1: none
    uint32_t contents, clip_mask;
    bool collides_with_own;
    uint32_t num_bodies, num_constraints;
    const md5_figure_body *bodies;            // [num_bodies] that of the joint "origin" first
    const md5_figure_constraint *constraints; // [num_constraints]
} md5_figure_def;

// Returns the articulatedFigure of a name, NULL if there is none. As in the engine, reading ends at
// an error, which is a warning, and keeps what was read, in either verdict.
MD5_GAME_API const md5_figure_def *md5_game_figure_def(md5_game *game, const char *name,
                                                       md5_error *error);

// -- Figures of an entity -------------------------------------------------------------------------

// A body of a figure: a convex polyhedron about its center of mass.
typedef struct md5_body_part {
    const md5_figure_body *def;
    uint32_t joint;         // that it moves: for "origin" the first joint below it
    float mass, inertia[9]; // in its own axes, row by row; total_mass applied
    md5_xform offset;       // of the body in the space of its joint
    uint32_t first_vertex, num_vertices, first_triangle, num_triangles;
    md5_bounds bounds; // of its vertices
} md5_body_part;

// A constraint, each vector in its own body's axes: [0] of bodies[0], [1] of bodies[1].
typedef struct md5_body_constraint {
    const md5_figure_constraint *def;
    uint32_t bodies[2];                      // MD5_NONE: the world
    md5_vec3 anchors[2], shafts[2], axes[2]; // axes: of a hinge, and across a universal's shafts
    // Of the limit: its axis, and for a pyramid its base, in bodies[1]; what stays inside, in
    // bodies[0]; cosines of half of its angles.
    md5_vec3 limit_axis, limit_base, limit_shaft;
    float limit_cosines[2];
} md5_body_constraint;

typedef struct md5_figure {
    const md5_figure_def *def;
    const md5_entity *entity;
    uint32_t num_bodies, num_constraints, num_vertices, num_triangles;
    const md5_body_part *bodies;            // [num_bodies]
    const md5_body_constraint *constraints; // [num_constraints]
    const md5_vec3 *vertices;               // [num_vertices] from the center of their body
    const uint32_t (*triangles)[3];         // [num_triangles] of them, clockwise from outside
    const uint32_t *body_of_joint;          // [model joints] that it moves with; MD5_NONE: none
    const uint32_t
        *mover_of_joint;         // [model joints] whose joint it is, the last one; MD5_NONE: none
    const md5_xform *setup;      // [num_bodies] in model space, in frame 0 of "af_pose"
    const md5_xform *setup_pose; // [model joints] that frame, relative to parents
    void *internal;              // as md5_internal
} md5_figure;

// Makes the figure of an entity, which must outlive it, as both declarations. It never changes:
// what moves is in md5_body_state, which the caller saves and copies. NULL with an error where the
// engine has no ragdoll or ends the map: without a clip "af_pose", if the first body's joint is not
// "origin", if a body names a joint that there is not, or a constraint a body; and above
// MD5_MAX_FIGURE_PARTS bodies or constraints.
enum { MD5_MAX_FIGURE_PARTS = 1024 };
MD5_GAME_API md5_figure *md5_create_figure(const md5_figure_def *def, const md5_entity *entity,
                                           const md5_load_opts *opts, md5_error *error);
MD5_GAME_API void md5_free_figure(md5_figure *figure); // NULL is allowed

// A body in the world, with its velocities in units and radians a second.
typedef struct md5_body_state {
    md5_xform place;
    md5_vec3 linear, angular;
} md5_body_state;

// Places bodies[num_bodies] where joints[model joints] are, of an entity at `place` in the world.
// With `seconds` > 0 their linear velocities are what led there from where they were; else all
// velocities are 0.
MD5_GAME_API void md5_figure_from_joints(const md5_figure *figure, const md5_mat34 *joints,
                                         md5_xform place, float seconds, md5_body_state *bodies);

// The other way: returns the place of the entity, and writes its pose[model joints] relative to
// parents, for md5_local_to_palette(). Joints that no body moves are as in "af_pose".
MD5_GAME_API md5_xform md5_figure_to_pose(const md5_figure *figure, const md5_body_state *bodies,
                                          md5_xform *pose);

// The box of all bodies in the model space of an entity at `place`.
MD5_GAME_API md5_bounds md5_figure_bounds(const md5_figure *figure, const md5_body_state *bodies,
                                          md5_xform place);

// What a line from one point to another meets first.
typedef struct md5_figure_hit {
    uint32_t body, joint; // the joint that the body moves
    float fraction;       // of the way
    md5_vec3 point, normal;
} md5_figure_hit;

// Returns false if it meets no body from outside. Time: linear in the triangles.
MD5_GAME_API bool md5_raycast_figure(const md5_figure *figure, const md5_body_state *bodies,
                                     md5_vec3 from, md5_vec3 to, md5_figure_hit *hit);

// Where a hit on a joint counts, by the keys "damage_zone NAME", lists of joints such as
// "*spine -head" of which the last one with the joint counts; and by what damage is multiplied
// there, "damage_scale NAME", which the engine rounds up. The text is the entityDef's.
typedef struct md5_damage_zone {
    const char *name; // "": none
    float scale;      // 1 without a key
} md5_damage_zone;

// Time: the lengths of these keys, times joints.
MD5_GAME_API md5_damage_zone md5_entity_damage_zone(const md5_entity *entity, uint32_t joint);

// -- Monsters -------------------------------------------------------------------------------------

typedef struct md5_monster_desc {
    const md5_entity *entity; // with an entityDef
    md5_actor *body;          // of it
    md5_actor *head;  // of the part "def_head", which is parts[0] then; NULL: it is not looked at
    bool is_as_meant; // eyes are right for any direction of the body, and heads at their place
    uint64_t reserved[4]; // 0
} md5_monster_desc;

// Creates a monster, in one block of memory, from the keys of its entity: look_joint, look_min,
// look_max, eye_turn_min, eye_turn_max, eye_verticle_offset, eye_horizontal_offset,
// eye_focus_rate, head_focus_rate, focus_align_time, bone_focus, bone_orientation, bone_leftEye,
// bone_rightEye, eye_height, copy_joint, copy_joint_world; ik_numLegs, ik_waist, ik_hipN, ik_kneeN,
// ik_ankleN, ik_footN, ik_dirN, ik_smoothing, ik_waistSmoothing, ik_footShift, ik_waistShift,
// ik_minWaistFloorDist, ik_minWaistAnkleDist, ik_footUpTrace, ik_footDownTrace, ik_footSize,
// ik_usePivot. What is described must outlive it. Of `opts`, allocator and log are used: a joint
// that there is not is a warning, and its key is ignored; of a leg the engine ends the game, here
// the monster walks without IK, as also without a clip "ik_pose". Fails with
// MD5_ERROR_MISMATCH if the entity was loaded with other axes or a scale, and if memory runs out.
MD5_GAME_API md5_monster *md5_create_monster(const md5_monster_desc *desc,
                                             const md5_load_opts *opts, md5_error *error);
MD5_GAME_API void md5_destroy_monster(md5_monster *monster); // NULL is allowed

// The mods of the body's joints, [model joints], for the caller to change as scripts do
// (setJointPos, setJointAngle, clearJoint). Looking and walking set those of their own joints.
// Ticks and poses, which else compute only the joints of keys and those above them beside what the
// clips give, from then on compute all; so after md5_monster_restore(), which may set any.
MD5_GAME_API md5_joint_mod *md5_monster_mods(md5_monster *monster);

// What a character looks at.
typedef enum md5_look_kind {
    MD5_LOOK_THING, // `target` is its origin
    MD5_LOOK_ACTOR, // or the eyes of an actor, or where an enemy's were seen last
    MD5_LOOK_GONE   // what it looked at has been removed from the game
} md5_look_kind;

// What a box met that was moved straight up or down: the height where it stopped, or that of `to`.
// The box lies flat, is square with sides of `size`, axis-aligned in the world; 0: a point.
// `is_waist`: of the waist, whose box is turned as the body is; else of a foot.
typedef float md5_sweep_fn(void *user, md5_vec3 from, md5_vec3 to, float size, bool is_waist);

// A tick of the game, 16 or 17 ms there. Its functions may not use the monster and its actors.
typedef struct md5_monster_tick {
    int64_t time;      // of the game, in milliseconds
    md5_vec3 origin;   // of the character in the world, without key "offsetModel"
    md5_quat rotation; // of its axes there
    md5_look_kind look;
    md5_vec3 target;               // in the world
    bool has_ground, is_on_a_lift; // it touches ground; of which one is an elevator (idPlat)
    md5_sweep_fn *sweep;           // NULL: nothing is below
    float (*random)(void *user);   // 0..1; NULL: 0.5
    void *user;
    uint64_t reserved[4]; // 0
} md5_monster_tick;

// Looks for some time at what `who` names, a number of the caller's: as the functions lookAt() and
// lookAtEnemy() of scripts. What is new is looked at immediately, and with a blink.
MD5_GAME_API void md5_monster_look_at(md5_monster *monster, uint64_t who, int64_t time,
                                      uint32_t milliseconds);

// Whether it may look with its joints (setBoneMod), and whether with its eyes, initially both.
MD5_GAME_API void md5_monster_allow_looking(md5_monster *monster, bool joints, bool eyes);

// Takes a frame command of the actors: those of eye focus, walk IK and leg IK; ignores others.
MD5_GAME_API void md5_monster_on_frame(md5_monster *monster, const md5_frame_command *command);

// Lets all legs or one, from 0, follow the ground, or not; MD5_NONE: all. After all were changed
// the next tick only measures.
MD5_GAME_API void md5_monster_allow_walk_ik(md5_monster *monster, uint32_t leg, bool is_allowed);

// Thinks for one tick, behind md5_actor_advance(): sets the mods of the joints that look and walk.
// As in the engine, it sees the joints of this time with what was looked at in the last tick.
MD5_GAME_API void md5_monster_think(md5_monster *monster, const md5_monster_tick *tick);

// As md5_actor_pose(), with the mods.
MD5_GAME_API void md5_monster_pose(md5_monster *monster, md5_xform *pose, md5_mat34 *joints,
                                   md5_mat34 *palette);
// The same of the head, whose joints copy the body's; it must have one.
MD5_GAME_API void md5_monster_head_pose(md5_monster *monster, md5_xform *pose, md5_mat34 *joints,
                                        md5_mat34 *palette);

// What a character looks along, and how its legs stand.
enum { MD5_MAX_IK_LEGS = 8 };
typedef struct md5_monster_status {
    float eye_height;                // above the origin
    md5_vec3 eye;                    // in the world, in the last tick
    md5_vec3 focus;                  // what it follows when its target is gone
    md5_euler look, look_goal, eyes; // of the joints, where these go, of the eyes beyond
    int64_t align_time, force_time;  // when the joints follow the eyes again
    int64_t focus_time;              // until when it looks at something
    md5_xform head;                  // the head's place in the world
    uint32_t num_legs, enabled_legs; // a bit each
    bool is_standing;                // the heights that follow are known
    float waist_height, ankle_heights[MD5_MAX_IK_LEGS];
    md5_vec3 waist_offset; // of the last tick
    uint64_t reserved[4];  // 0
} md5_monster_status;
MD5_GAME_API md5_monster_status md5_monster_state(const md5_monster *monster);

// Saves a monster without its actors, in as many bytes as the first function says, which are the
// same on all platforms. A monster of the same entity that is restored from them, with its actors,
// continues with the same bits: so are copies made. md5_monster_restore() accepts untrusted bytes;
// on failure it returns false and changes nothing. MD5_ERROR_SYNTAX: not a saved monster;
// MD5_ERROR_MISMATCH: with other joints or legs; MD5_ERROR_RANGE: a number is out of range.
MD5_GAME_API size_t md5_monster_save_size(const md5_monster *monster);
MD5_GAME_API void md5_monster_save(const md5_monster *monster, void *bytes);
MD5_GAME_API bool md5_monster_restore(md5_monster *monster, const void *bytes, size_t size,
                                      md5_error *error);

#ifdef __cplusplus
}
#endif

#endif
