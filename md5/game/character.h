// The state of a monster, which character.c (looking, heads) and walk_ik.c (legs) share, and axes
// as the engine has them.
#ifndef MD5_GAME_CHARACTER_H
#define MD5_GAME_CHARACTER_H

#include "md5/core/context.h"
#include "md5/core/math.h"
#include "md5/game/entity.h"
#include "md5/md5character.h"

#define DEGREE (3.14159265358979323846 / 180.0)

// Forward, left and up of something, each a row: v * axes, as the engine has it.
typedef struct axes3 {
    md5_vec3d row[3];
} axes3;

static inline md5_vec3d md5_through(md5_vec3d v, const axes3 *axes)
{
    return md5_vec3d_add(
        md5_vec3d_add(md5_vec3d_scale(axes->row[0], v.x), md5_vec3d_scale(axes->row[1], v.y)),
        md5_vec3d_scale(axes->row[2], v.z));
}

// v * the transpose: from outside into the axes.
static inline md5_vec3d md5_into(md5_vec3d v, const axes3 *axes)
{
    return (md5_vec3d){md5_vec3d_dot(v, axes->row[0]), md5_vec3d_dot(v, axes->row[1]),
                       md5_vec3d_dot(v, axes->row[2])};
}

// First `a`, then `b`; and then `b` backward.
static inline axes3 md5_axes_then(const axes3 *a, const axes3 *b)
{
    return (axes3){
        {md5_through(a->row[0], b), md5_through(a->row[1], b), md5_through(a->row[2], b)}};
}
static inline axes3 md5_axes_from(const axes3 *a, const axes3 *b)
{
    return (axes3){{md5_into(a->row[0], b), md5_into(a->row[1], b), md5_into(a->row[2], b)}};
}

axes3 md5i_axes_of_angles(double pitch, double yaw, double roll);
// From 0 below 360; of a vertical vector 0, respectively 90 or 270.
double md5i_yaw_of(md5_vec3d v);
double md5i_pitch_of(md5_vec3d v);
md5_quat md5i_quat_of_axes(const axes3 *axes);

// A joint that looks, and what parts of pitch and yaw it takes.
typedef struct look_joint {
    uint32_t joint;
    float pitch;
    float yaw;
} look_joint;

// Pitch and yaw in degrees.
typedef struct look_angles {
    double pitch;
    double yaw;
} look_angles;

// Its bones begin at hip and knee.
typedef struct md5_ik_leg {
    uint32_t joints[5];  // hip, knee, ankle, foot, and where it bends to, or MD5_NONE
    md5_vec3 forward[2]; // in the axes of these joints
    double lengths[2];
    md5_quat in_bone[2]; // the joint's axes in those of its bone
} md5_ik_leg;

typedef struct md5_walk_ik {
    uint32_t num_legs;
    uint32_t waist;
    md5_ik_leg *legs; // [num_legs]
    float smoothing;
    float waist_smoothing;
    float foot_shift;
    float waist_shift;
    float min_waist_floor;
    float min_waist_ankle;
    float up_trace;
    float down_trace;
    float foot_size;
    bool uses_pivot;
    // From here on what changes, in words of 8 bytes: see md5_monster.
    uint64_t enabled;
    uint64_t is_valid /* the old heights are */;
    uint64_t pivot_foot;
    double old_waist, old_ankles[MD5_MAX_IK_LEGS]; // heights in the world
    double pivot_yaw;
    md5_vec3d waist_offset;
    md5_vec3d pivot_at;
} md5_walk_ik;

// Where something is in the world.
typedef struct world_place {
    md5_vec3d origin;
    axes3 axes;
} world_place;
world_place md5i_world_place(md5_xform place);

static inline md5_vec3d md5_through_place(md5_vec3 v, const world_place *place)
{
    return md5_vec3d_add(place->origin, md5_through(md5_vec3d_of(v), &place->axes));
}

// What is known of a joint, each with what is before: nothing; where it is now; how it is turned in
// a pose of joints that are moved; where it is there.
typedef enum joint_use { JOINT_UNKNOWN, JOINT_KNOWN, JOINT_TURNS, JOINT_PLACES } joint_use;

typedef struct known_joint {
    uint32_t joint;
    uint32_t parent;
    joint_use use;
} known_joint;

// An actor whose joints code moves, and where those are that it moves, looks with or stands on.
// These and all above them are known, parents first.
typedef struct moved_actor {
    md5_actor *actor;
    md5_joint_mod *mods; // [joints], as the next ones
    md5_xform *places;   // in model space: the actor's scratch memory
    known_joint *known;  // [num_known]
    uint32_t num_known;
    uint8_t *uses; // [joints] of joint_use
} moved_actor;

struct md5_monster {
    md5_monster_desc desc;
    md5_internal internal;
    size_t size;
    uint32_t num_mods;
    md5_joint_mod *mods;     // [joints of body, head]: the second behind the first
    moved_actor body, skull; // the second without a head: none
    // Looking.
    look_joint *look_joints;
    uint32_t num_look_joints, focus_joint, orientation_joint, eye_joints[2]; // MD5_NONE: none
    look_angles look_min;
    look_angles look_max;
    look_angles eye_min;
    look_angles eye_max;
    float eye_vertical;
    float eye_horizontal;
    float eye_rate;
    float head_rate;
    int32_t align_duration; // milliseconds
    md5_walk_ik ik;
    // With the end of `ik` what is saved beside the mods: words of 8 bytes, first real numbers.
    double eye_height;
    md5_vec3d eye;
    md5_vec3d focus;
    look_angles look;
    look_angles goal;
    look_angles eyes;
    world_place head; // of the last tick
    int64_t focus_time;
    int64_t align_time;
    int64_t force_time;
    uint64_t who;
    uint64_t joints_may_look;
    uint64_t eyes_may_look;
    uint64_t has_head_place;
    // What frame commands have set, from the end of the tick on.
    uint64_t next_enabled;
    uint64_t is_next_invalid;
    uint64_t eyes_may_look_next;
};

// Check the monster of a public function and the objects that it uses; of a function that changes
// the monster, that no callback of this monster runs.
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

// Of an angle in degrees: above -180, up to 180.
static inline double md5_half_turn(double angle)
{
    if (angle > -180.0 && angle <= 180.0)
        return angle;
    const double turned = angle - 360.0 * floor(angle / 360.0);
    return turned > 180.0 ? turned - 360.0 : turned;
}

// Reads the keys, and the lengths from the clip "ik_pose". `warn` says what is missing.
void md5i_read_walk_ik(md5_monster *monster, md5_context *context);
void md5i_clear_walk_ik(md5_monster *monster);
// Sets the mods of the legs from the joints of this time. `body`: where it is drawn in the world.
void md5i_walk_ik(md5_monster *monster, const md5_monster_tick *tick, const world_place *body);

// Lets a joint be known, and all above it be used; MD5_NONE: nothing.
void md5i_know_joint(moved_actor *moved, uint32_t joint, joint_use above);

// A number of a key; the key of a name, or NULL; the joint of `of` that a text of the entity's key
// names, or MD5_NONE, with a warning if it names none.
float md5i_monster_number(const md5_monster *monster, const char *key, float otherwise);
const md5_entity_key *md5i_monster_key(const md5_entity *entity, const char *name);
uint32_t md5i_monster_joint(moved_actor *of, const md5_entity *entity, const md5_entity_key *key,
                            const char *name, md5_context *context);
// The same of the text of a key of a name, or MD5_NONE.
uint32_t md5i_joint_of_key(moved_actor *of, const md5_entity *entity, const char *name,
                           md5_context *context);

// Whether an entity has id's axes and units; fails with MD5_ERROR_MISMATCH.
bool md5i_expect_ids_space(md5_context *context, const md5_entity *entity);

// The pose in which a clip begins, as monsters stand there, and in model space. False if the entity
// has none.
bool md5i_begin_clip(const md5_entity *entity, const char *name, md5_xform *pose,
                     md5_xform *places);

// The next word of a list of joints, which count from left to right: J, *J with all below it, -J
// and
// -*J without these. False at the end.
typedef struct md5_listed_joint {
    bool has_below;
    bool is_without;
    char name[256]; // of what is longer its beginning
} md5_listed_joint;
bool md5i_next_listed(const char **list, md5_listed_joint *listed);

#endif
