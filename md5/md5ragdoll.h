// md5ragdoll: the articulated figure of a Doom 3 character, dead: it falls, rolls down stairs and
// comes to rest, from the pose and with the velocities that it died in.
//
//   md5_figure *figure = md5_create_figure(def, entity, NULL, &error);
//   const md5_ragdoll_desc desc = {.figure = figure, .ground = {.plane_normal = {0, 0, 1}}};
//   md5_ragdoll *ragdoll = md5_create_ragdoll(&desc, NULL, &error);
//   md5_figure_from_joints(figure, joints_before, place_before, 0.0f, bodies);
//   md5_figure_from_joints(figure, joints, place, 1.0f / 60.0f, bodies); // with its velocities
//   md5_ragdoll_start(ragdoll, bodies);                                  // it dies
//   md5_ragdoll_push(ragdoll, hit.body, hit.point, impulse);
//   md5_ragdoll_advance(ragdoll, seconds);                               // each frame
//   place = md5_figure_to_pose(figure, md5_ragdoll_bodies(ragdoll), pose);
//
// Masses, shapes, joints, limits, frictions and the rules of rest are the figure's, as the engine
// reads them; the solver is another one. A figure is a tree of bodies whose state is the place of
// its roots and the turns of its joints, so that joints cannot come apart. What makes loops in it
// is held by springs and impulses. Steps last 1/MD5_RAGDOLL_RATE seconds whatever times are asked
// for: how these are divided makes no difference, and platforms give the same bits.
//
// Lengths are id's units, z points up against gravity, times are in seconds, masses as the figure
// has them; an impulse is a mass times units a second. A ragdoll is the state of one figure; one
// thread at a time may use it. After it is created no call allocates memory. Not part of it:
// collisions among bodies, of its own or of other figures; motors of contacts.
#ifndef MD5RAGDOLL_H
#define MD5RAGDOLL_H

#include "md5character.h" // beside this file also when installed

#ifdef __cplusplus
extern "C" {
#endif

enum { MD5_RAGDOLL_RATE = 240 };

// -- Ground ---------------------------------------------------------------------------------------

// Returns the height of the ground at a place, and its normal there, upward at unit length.
typedef float md5_height_fn(void *user, float x, float y, md5_vec3 *normal);

// Writes the triangles that touch a box, at most `room`, and returns their number; what is beyond
// `room` is not seen. Corners are clockwise as seen from outside, from where alone they are met;
// neighbors share corners.
typedef uint32_t md5_triangles_fn(void *user, md5_bounds box, md5_vec3 (*corners)[3],
                                  uint32_t room);

// What bodies fall on: each of these that is set. Bodies that get behind a plane or under heights
// are pushed back from any depth, behind triangles only while a part of them is in front. Functions
// are called in each fourth step, and must not use the ragdoll; those of batches on several
// threads. All zero: nothing is there.
typedef struct md5_ground {
    md5_vec3 plane_normal; // unit length, away from the ground; 0: no plane
    float plane_distance;  // of the plane along its normal from the origin
    md5_height_fn *heights;
    md5_triangles_fn *triangles;
    void *user;
} md5_ground;

// -- Falling --------------------------------------------------------------------------------------

typedef struct md5_ragdoll md5_ragdoll;

typedef struct md5_ragdoll_desc {
    const md5_figure *figure;
    md5_ground ground;
    float gravity;        // downward; 0: 1066 as in the engine; MD5_ZERO: none
    float bounce;         // what contacts give back of speed, 0..1; 0: 0.4; MD5_ZERO: nothing
    bool is_at_full_pace; // without the slow motion of the entity's keys
    uint64_t reserved[4]; // 0
} md5_ragdoll_desc;

// Creates a ragdoll, at rest in the setup of its figure, in one block of memory, from the figure
// and the keys of its entity: ragdoll_slomoStart, ragdoll_slomoEnd, ragdoll_jointFrictionDent,
// ragdoll_jointFrictionDentStart, ragdoll_jointFrictionDentEnd, and the same three of
// ragdoll_contactFriction. The figure must outlive it. `allocator` may be NULL. Masses and inertias
// that no body can have are replaced by the least that one can. Fails if memory runs out, and with
// MD5_ERROR_RANGE if a number of the figure is not finite or beyond 1e6 units. Time and memory:
// linear in bodies, constraints and vertices.
MD5_GAME_API md5_ragdoll *md5_create_ragdoll(const md5_ragdoll_desc *desc,
                                             const md5_allocator *allocator, md5_error *error);
MD5_GAME_API void md5_destroy_ragdoll(md5_ragdoll *ragdoll); // NULL is allowed

// Begins to fall with bodies[num_bodies] of the figure: where md5_figure_from_joints() places them,
// with the velocities that it finds: over the milliseconds of the entity's key "velocityTime" in
// the engine, without which it lets them start from rest. Bodies that are apart are brought to
// their joints; a limit that is passed is recovered as it falls. Numbers that are not finite count
// as 0.
MD5_GAME_API void md5_ragdoll_start(md5_ragdoll *ragdoll, const md5_body_state *bodies);

// An impulse at a point of the world, as md5_raycast_figure() finds it on a body, which wakes what
// is at rest. As in the engine one of less than 500 does nothing.
MD5_GAME_API void md5_ragdoll_push(md5_ragdoll *ragdoll, uint32_t body, md5_vec3 point,
                                   md5_vec3 impulse);

// Ties a point of a body, in the world, to another place: a limb that a mouse drags. From the next
// call on the same point of the body is meant as in the first one, until `target` is NULL. While it
// is tied it does not come to rest.
MD5_GAME_API void md5_ragdoll_drag(md5_ragdoll *ragdoll, uint32_t body, md5_vec3 point,
                                   const md5_vec3 *target);

// Lets what is at rest fall again, since the ground has changed.
MD5_GAME_API void md5_ragdoll_wake(md5_ragdoll *ragdoll);

// Lets time pass, of the world: the entity's slow motion is in it. What is less than a step is kept
// for the next call. Time: linear in bodies, but for constraints that make loops, each of which
// costs as many bodies as are in its loop.
MD5_GAME_API void md5_ragdoll_advance(md5_ragdoll *ragdoll, double seconds);

// The same of many, on the caller's threads, with the same bits.
MD5_GAME_API void md5_ragdoll_advance_batch(md5_ragdoll *const *ragdolls, size_t count,
                                            double seconds, const md5_threads *threads);

// Where the bodies are, [num_bodies] of the figure, for md5_figure_to_pose(); of the ragdoll.
MD5_GAME_API const md5_body_state *md5_ragdoll_bodies(const md5_ragdoll *ragdoll);

// Whether it lies still, so that its pose needs not be computed again.
MD5_GAME_API bool md5_ragdoll_is_at_rest(const md5_ragdoll *ragdoll);

// How it does, for tests and displays.
typedef struct md5_ragdoll_status {
    double time;               // since it began to fall
    double energy, pushed_in;  // of motion and of height; what pushes and drags have added
    float pace;                // of slow motion, 1: as the world
    float friction_scales[2];  // of joints and of contacts
    uint32_t num_contacts;     // points that touch
    float deepest;             // of these in the ground
    float worst_limit;         // degrees beyond a limit, 0 or more
    float worst_joint;         // units between both anchors of a constraint
    uint32_t worst_constraint; // whose limit that is, MD5_NONE: none
    uint64_t reserved[4];      // 0
} md5_ragdoll_status;
MD5_GAME_API md5_ragdoll_status md5_ragdoll_state(const md5_ragdoll *ragdoll);

// How many degrees a constraint of a figure is inside of its limit, negative: beyond; of a pyramid
// the lesser of both. 360 if it has none.
MD5_GAME_API float md5_figure_limit_margin(const md5_figure *figure, const md5_body_state *bodies,
                                           uint32_t constraint);

// What changes of another ragdoll of the same figure.
MD5_GAME_API void md5_copy_ragdoll(md5_ragdoll *to, const md5_ragdoll *from);

// Saves it in as many bytes as the first function says, the same on all platforms. A ragdoll of the
// same figure and ground that is restored from them continues with the same bits. The bytes may be
// hostile; on failure nothing changes. MD5_ERROR_SYNTAX: not a saved ragdoll; MD5_ERROR_MISMATCH:
// of another figure; MD5_ERROR_RANGE: a number is out of range.
MD5_GAME_API size_t md5_ragdoll_save_size(const md5_ragdoll *ragdoll);
MD5_GAME_API void md5_ragdoll_save(const md5_ragdoll *ragdoll, void *bytes);
MD5_GAME_API bool md5_ragdoll_restore(md5_ragdoll *ragdoll, const void *bytes, size_t size,
                                      md5_error *error);

// -- Getting up -----------------------------------------------------------------------------------
//
// Not the engine's, whose dead stay down: the entity is placed so that a clip's first frame fits
// the lying bodies best, and one fades into the other.

// Returns the place of the entity, upright, with which joints[model joints] in model space bring
// the bodies nearest to where they are now, by their masses; the lowest body of both is at the same
// height.
MD5_GAME_API md5_xform md5_fit_figure(const md5_figure *figure, const md5_body_state *bodies,
                                      const md5_mat34 *joints);

// Writes pose[model joints], relative to parents, between that of the bodies, at weight 0, and that
// of a clip, at weight 1, clip[model joints], both as an entity at `place` has them.
MD5_GAME_API void md5_fade_figure(const md5_figure *figure, const md5_body_state *bodies,
                                  md5_xform place, const md5_xform *clip, float weight,
                                  md5_xform *pose);

#ifdef __cplusplus
}
#endif

#endif
