// The state of a monster, shared by character.c (look-at, heads), walk_ik.c (legs) and
// character_keys.c (keys of the entity). Also rotations in the engine's representation.
//
// A monster has two driven actors, the body and the head. A driven actor is an actor whose joints
// code can move. It contains joint modifiers ("mods"), which change a joint after the clips were
// blended, and the transforms of the joints that code reads.
#ifndef MD5_GAME_CHARACTER_H
#define MD5_GAME_CHARACTER_H

#include "md5/core/context.h"
#include "md5/core/math.h"
#include "md5/game/entity.h"
#include "md5/md5character.h"

#define DEGREE (3.14159265358979323846 / 180.0)

// A rotation as a matrix with the rows forward, left and up. As in the engine, vectors are rows:
// the product is v * axes.
typedef struct axes3 {
    md5_vec3d row[3];
} axes3;

// Returns v * axes: rotates a vector from the axes to the space that contains them.
static inline md5_vec3d md5_rotate_by_axes(md5_vec3d v, const axes3 *axes)
{
    return md5_vec3d_add(
        md5_vec3d_add(md5_vec3d_scale(axes->row[0], v.x), md5_vec3d_scale(axes->row[1], v.y)),
        md5_vec3d_scale(axes->row[2], v.z));
}

// Returns v * transpose(axes): rotates a vector to the axes from the space that contains them.
static inline md5_vec3d md5_rotate_into_axes(md5_vec3d v, const axes3 *axes)
{
    return (md5_vec3d){md5_vec3d_dot(v, axes->row[0]), md5_vec3d_dot(v, axes->row[1]),
                       md5_vec3d_dot(v, axes->row[2])};
}

// Returns a * b: the rotation `a` followed by `b`.
static inline axes3 md5_multiply_axes(const axes3 *a, const axes3 *b)
{
    return (axes3){{md5_rotate_by_axes(a->row[0], b), md5_rotate_by_axes(a->row[1], b),
                    md5_rotate_by_axes(a->row[2], b)}};
}

// Returns a * transpose(b): the rotation `a` relative to `b`.
static inline axes3 md5_relative_axes(const axes3 *a, const axes3 *b)
{
    return (axes3){{md5_rotate_into_axes(a->row[0], b), md5_rotate_into_axes(a->row[1], b),
                    md5_rotate_into_axes(a->row[2], b)}};
}

// Returns the axes of a rotation by `roll` about x, then `pitch` about y, then `yaw` about z, in
// degrees. A positive pitch rotates the forward axis down.
axes3 md5i_axes_from_angles(double pitch, double yaw, double roll);

// Return an angle of a direction, from 0 to below 360 degrees. A vertical direction has the yaw 0
// and the pitch 90 or 270.
double md5i_yaw_degrees(md5_vec3d v);
double md5i_pitch_degrees(md5_vec3d v);

// Returns the rotation of axes as a quaternion of this library.
md5_quat md5i_quat_from_axes(const axes3 *axes);

// A joint that rotates when the monster looks at a target.
typedef struct look_joint {
    uint32_t joint;
    float pitch; // fraction of the look pitch
    float yaw;   // fraction of the look yaw
} look_joint;

// Pitch and yaw in degrees.
typedef struct look_angles {
    double pitch;
    double yaw;
} look_angles;

// Indices of md5_ik_leg.joints.
enum { IK_HIP, IK_KNEE, IK_ANKLE, IK_FOOT, IK_DIRECTION, IK_NUM_JOINTS };

// A leg with two bones, thigh and shin. They begin at hip and knee.
typedef struct md5_ik_leg {
    // The knee bends towards the joint IK_DIRECTION. It may be MD5_NONE, and the knee then bends
    // forward.
    uint32_t joints[IK_NUM_JOINTS];
    md5_vec3 forward[2];       // direction to which the knee bends, in the axes of hip and of knee
    double lengths[2];         // lengths of the bones, units
    md5_quat joint_to_bone[2]; // rotation of the joint relative to the axes of its bone
} md5_ik_leg;

// The settings of walk IK, which come from keys of the entity, and its state. Distances are in
// units.
typedef struct md5_walk_ik {
    uint32_t num_legs;
    uint32_t waist;        // joint
    md5_ik_leg *legs;      // [num_legs]
    float smoothing;       // fraction of the difference from the last ankle height that remains
                           // after a tick
    float waist_smoothing; // fraction of the difference from the last waist height that remains
                           // after a tick
    float foot_shift;      // added to the height of the ground below each foot
    float waist_shift;     // added to the displacement of the waist
    float min_waist_floor; // minimum distance of the waist from the floor; 0: no minimum
    float min_waist_ankle; // minimum distance of the waist from the highest ankle; 0: no minimum
    float up_trace;        // distance above a foot at which the search for ground begins
    float down_trace;      // distance below a foot at which the search for ground ends
    float foot_size;       // side of the square box with which the ground is searched
    bool uses_pivot;       // the lowest foot stays in its position: see lock_pivot()
    // The following fields are the saved state. Each has 8 bytes: see md5_monster.
    uint64_t enabled;                      // bit per leg: walk IK moves the leg
    uint64_t has_heights;                  // `waist_height` and `ankle_heights` are valid
    uint64_t pivot_foot;                   // leg whose foot is held
    double waist_height;                   // height in the last tick, world space
    double ankle_heights[MD5_MAX_IK_LEGS]; // heights in the last tick, world space
    double pivot_yaw; // yaw of the body when the foot became the pivot, degrees
    md5_vec3d waist_offset;
    md5_vec3d pivot_position; // in world space
} md5_walk_ik;

// A transform to world space.
typedef struct world_transform {
    md5_vec3d origin;
    axes3 axes;
} world_transform;

// Converts a transform to the engine's representation.
world_transform md5i_world_transform(md5_xform transform);

// Transforms a point to world space.
static inline md5_vec3d md5_transform_to_world(md5_vec3 v, const world_transform *transform)
{
    return md5_vec3d_add(transform->origin,
                         md5_rotate_by_axes(md5_vec3d_from_vec3(v), &transform->axes));
}

// The use of a joint's transform in model space. Each value includes the uses before it.
typedef enum joint_use {
    JOINT_UNUSED,
    JOINT_TRACKED,        // its current transform is read
    JOINT_NEEDS_ROTATION, // its rotation is needed while mods are applied to a pose
    JOINT_NEEDS_POSITION  // its transform is needed while mods are applied to a pose
} joint_use;

// A joint whose current transform is computed in each tick.
typedef struct tracked_joint {
    uint32_t joint;
    uint32_t parent;
    joint_use use;
} tracked_joint;

// An actor with joints that code moves. The tracked joints are the joints that code moves or reads
// (look-at, feet, attachments), and all their ancestors. Parents come first.
typedef struct driven_actor {
    md5_actor *actor;
    md5_joint_mod *mods;    // [joints]
    md5_xform *transforms;  // [joints] in model space, in the actor's scratch memory
    tracked_joint *tracked; // [num_tracked], capacity [joints]
    uint32_t num_tracked;
    uint8_t *uses; // [joints] joint_use
} driven_actor;

struct md5_monster {
    md5_monster_desc desc;
    md5_internal internal;
    size_t size;
    uint32_t num_mods;
    md5_joint_mod *mods; // [num_mods]: the joints of the body, then the joints of the head
    driven_actor body_actor;
    driven_actor head_actor; // unused if the monster does not have a head
    // Look-at. A missing joint is MD5_NONE.
    look_joint *look_joints;
    uint32_t num_look_joints;
    uint32_t focus_joint;
    uint32_t orientation_joint;
    uint32_t eye_joints[2]; // left, right
    look_angles look_min;
    look_angles look_max;
    look_angles eye_min;
    look_angles eye_max;
    float eye_vertical;     // added to the height of a target that is an actor, units
    float eye_horizontal;   // distance of each eye's point from the point ahead, units
    float eye_rate;         // fraction of the distance to the goal that the focus moves in a tick
    float head_rate;        // fraction of the angle to the goal that the joints rotate in a tick
    int32_t align_duration; // maximum time after which the joints follow the eyes, ms
    md5_walk_ik ik;
    // The end of `ik` (from ik.enabled) and the following fields are the saved state, together with
    // the mods. Each field has 8 bytes; the floating-point fields come first.
    double eye_height;              // above the origin, units
    md5_vec3d eye;                  // position of the eyes in world space
    md5_vec3d focus;                // point in world space at which the eyes look
    look_angles look;               // current angles of the look joints
    look_angles goal;               // angles that `look` approaches
    look_angles eyes;               // angles of the eyes relative to `look`
    world_transform head_transform; // transform in the last tick
    int64_t focus_time;             // end of looking at the target, ms
    int64_t align_time;             // time at which the joints follow the eyes, ms
    int64_t force_time;             // until this time the joints follow the eyes, ms
    uint64_t target_id;             // `who` of md5_monster_look_at()
    uint64_t can_move_joints;
    uint64_t can_move_eyes;
    uint64_t has_head_transform;
    // Values that frame commands set. The next tick uses them.
    uint64_t enabled_next;
    uint64_t resets_heights_next;
    uint64_t can_move_eyes_next;
};

// Check the monster of a public function and the objects that it uses. MD5_ASSERT_MONSTER_CHANGE()
// is for functions that change the monster: it also checks that no callback of the monster is
// running.
// NOLINTBEGIN(bugprone-macro-parentheses): as messages name the arguments
#define MD5_ASSERT_MONSTER(monster)                                  \
    do {                                                             \
        MD5_ASSERT_ALIVE(monster, MD5_TAG_MONSTER);                  \
        MD5_ASSERT_ALIVE(monster->desc.entity, MD5_TAG_ENTITY);      \
        MD5_ASSERT_ALIVE(monster->desc.body, MD5_TAG_ACTOR);         \
        MD5_ASSERT_NULL_OR_ALIVE(monster->desc.head, MD5_TAG_ACTOR); \
    } while (0)
#define MD5_ASSERT_MONSTER_CHANGE(monster) \
    do {                                   \
        MD5_ASSERT_MONSTER(monster);       \
        MD5_ASSERT_NO_CALLBACK(monster);   \
    } while (0)
// NOLINTEND(bugprone-macro-parentheses)

// Returns an angle in degrees in the range above -180 and up to 180.
static inline double md5_wrap_degrees(double angle)
{
    if (angle > -180.0 && angle <= 180.0)
        return angle;
    const double positive = angle - 360.0 * floor(angle / 360.0);
    return positive > 180.0 ? positive - 360.0 : positive;
}

// Reads the keys of walk IK, and the lengths of bones from the clip "ik_pose". Warns about missing
// joints and clips.
void md5i_read_walk_ik(md5_monster *monster, md5_context *context);

// Removes the mods of walk IK.
void md5i_clear_walk_ik(md5_monster *monster);

// Places the feet on the ground: sets the mods of the legs from the current transforms of the
// joints. `body` is the transform from model space to world space.
void md5i_walk_ik(md5_monster *monster, const md5_monster_tick *tick, const world_transform *body);

// Tracks a joint and all its ancestors. The ancestors get at least the use `ancestor_use`. Does
// nothing if `joint` is MD5_NONE.
void md5i_track_joint(driven_actor *driven, uint32_t joint, joint_use ancestor_use);

// Returns the number in a key of the monster, or `default_value` if the key is missing.
float md5i_monster_float(const md5_monster *monster, const char *key, float default_value);

// Returns the key with exactly this name, or NULL.
const md5_entity_key *md5i_find_monster_key(const md5_entity *entity, const char *name);

// Returns the joint of the actor with a name. Returns MD5_NONE if the name is empty. If the joint
// does not exist, warns at the location of `key` and returns MD5_NONE.
uint32_t md5i_find_named_joint(driven_actor *driven, const md5_entity *entity,
                               const md5_entity_key *key, const char *name, md5_context *context);

// Returns the joint whose name is the value of a key of the entity. `name` is the name of the key.
// Returns MD5_NONE if the key is missing. If the joint does not exist, warns and returns MD5_NONE.
uint32_t md5i_find_key_joint(driven_actor *driven, const md5_entity *entity, const char *name,
                             md5_context *context);

// Fails with MD5_ERROR_MISMATCH if an entity was loaded with axes or a scale that differ from id
// Software's.
bool md5i_check_id_space(md5_context *context, const md5_entity *entity);

// Writes the first pose of a clip, without root motion, and the model-space transforms of its
// joints. Returns false if the entity does not have the clip. `pose` and `transforms` may be the
// same array.
bool md5i_sample_clip_start(const md5_entity *entity, const char *name, md5_xform *pose,
                            md5_xform *transforms);

// An element of a list of joints: J, *J (J and its descendants), -J (without J) or -*J (without J
// and its descendants). A later element overrides earlier elements.
typedef struct md5_joint_pattern {
    bool has_descendants;
    bool is_excluded;
    char name[256]; // longer names are cut
} md5_joint_pattern;

// Reads the next element of a list and advances `list`. Returns false at the end of the list.
bool md5i_next_joint_pattern(const char **list, md5_joint_pattern *pattern);

#endif
