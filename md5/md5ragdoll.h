// md5ragdoll: simulates the fall of a dead character as a ragdoll. It is a physics simulation for
// the articulated figures of md5figure.h, which replace the skeleton of a character by rigid
// bodies. The character falls, rolls down stairs and comes to rest. The fall begins with the pose
// and the velocities that the character had.
//
//   md5_figure *figure = md5_create_figure(def, entity, NULL, &error);
//   md5_ragdoll_desc desc = MD5_INIT;
//   desc.figure = figure;
//   desc.ground.plane_normal.z = 1;
//   md5_ragdoll *ragdoll = md5_create_ragdoll(&desc, NULL, &error);
//   // When the character dies, compute the velocities of the bodies from two poses:
//   md5_figure_from_joints(figure, joints_before, placement_before, 0.0f, bodies);
//   md5_figure_from_joints(figure, joints, placement, 1.0f / 60.0f, bodies);
//   md5_ragdoll_start(ragdoll, bodies);
//   md5_ragdoll_apply_impulse(ragdoll, hit.body, hit.point, impulse);
//   // In each frame:
//   md5_ragdoll_advance(ragdoll, seconds);
//   placement = md5_figure_to_pose(figure, md5_ragdoll_bodies(ragdoll), pose);
//
// md5figure.h explains the terms body, constraint, setup pose and placement. The figure defines the
// masses, shapes, constraints, limits and frictions of a ragdoll, and the conditions under which
// the ragdoll comes to rest. The solver is not the engine's solver.
//
// Simulation:
//
// - The simulation advances in steps of 1 / MD5_RAGDOLL_RATE seconds. The result does not depend on
//   the division of time into calls, and is bit-identical on all platforms.
// - The bodies form a tree. The state of the simulation consists of the transform of each root
//   body, and of a rotation for each further body relative to its parent in the tree. Connected
//   bodies can therefore not come apart. Constraints that close a loop are not part of the tree.
//   They are held by springs and impulses, so that their bodies can come apart slightly.
// - Bodies collide with the ground. Collisions between bodies, of the same figure or of different
//   figures, are not supported. Contact motors are not supported either.
//
// Units: lengths are measured in id's units and times in seconds. Masses have the unit of the
// figure's masses. An impulse is a mass multiplied by a velocity in units per second. Gravity pulls
// along -z.
//
// A ragdoll is the state of one figure. Only one thread at a time may use it. Only
// md5_create_ragdoll() allocates memory.
//
// The functions of this header are in the library libmd5ragdoll. Figures are created by libmd5game.
#ifndef MD5RAGDOLL_H
#define MD5RAGDOLL_H

#include "md5figure.h" // in the same folder, also when installed

#ifdef __cplusplus
extern "C" {
#endif

// Number of simulation steps per second.
enum { MD5_RAGDOLL_RATE = 240 };

// -- Ground ---------------------------------------------------------------------------------------

// Callback that describes a height field. Returns the height (z) of the ground at a point, and
// writes the normal of the ground to *normal. The normal must point upward and have unit length.
typedef float md5_height_fn(void *user, float x, float y, md5_vec3 *normal);

// Callback that describes the ground by triangles. Writes the triangles that touch `box` to
// triangles[capacity], and returns their number. If more than `capacity` triangles touch the box,
// only the first `capacity` triangles are used.
//
// The vertices of a triangle must be clockwise if the triangle is seen from outside of the ground.
// Bodies collide only with this side. Adjacent triangles must have the same positions at the
// vertices that they share.
typedef uint32_t md5_triangles_fn(void *user, md5_bounds box, md5_vec3 (*triangles)[3],
                                  uint32_t capacity);

// The ground on which ragdolls fall: any combination of a plane, a height field and triangles. If
// all members are 0, there is no ground.
//
// A body that is below the plane or the height field is pushed back from any depth. A body that is
// behind a triangle is pushed back only while a part of the body is in front of the triangle.
//
// The callbacks are called for each body in every fourth step, and more often if the body is fast.
// md5_ragdoll_advance_batch() calls them on several threads at the same time. They must not use the
// ragdoll.
typedef struct md5_ground {
    // Normal of the plane: a unit vector that points away from the ground. If it is (0, 0, 0),
    // there is no plane.
    md5_vec3 plane_normal;
    // Distance of the plane from the origin of the world, along its normal, in units.
    float plane_distance;
    md5_height_fn *heights;      // callback of the height field; if NULL, there is no height field
    md5_triangles_fn *triangles; // callback of the triangles; if NULL, there are no triangles
    void *user;                  // first argument of both callbacks
} md5_ground;

// -- Falling --------------------------------------------------------------------------------------

// A ragdoll: the simulation of one articulated figure. The structure is opaque.
typedef struct md5_ragdoll md5_ragdoll;

// Parameters of md5_create_ragdoll(): the figure to simulate, the ground and the physical
// constants.
typedef struct md5_ragdoll_desc {
    const md5_figure *figure; // the bodies and constraints to simulate
    md5_ground ground;        // the ground on which the bodies fall
    // Downward acceleration, in units per second squared. 0 means 1066, as in the engine.
    // MD5_EXPLICIT_ZERO means no gravity.
    float gravity;
    // Restitution of contacts, 0 to 1: the speed after a collision divided by the speed before it.
    // 0 means 0.4. MD5_EXPLICIT_ZERO means that bodies do not bounce.
    float bounce;
    // If false, the ragdoll starts in slow motion, as md5_figure.slow_motion defines. If true, the
    // ragdoll always moves in real time.
    bool ignore_slow_motion;
    uint64_t reserved[4]; // must be 0
} md5_ragdoll_desc;

// Creates a ragdoll in one block of memory. The ragdoll is at rest in the setup pose of its figure
// until md5_ragdoll_start() is called. Destroy it with md5_destroy_ragdoll(). The figure must
// remain valid until then. If `allocator` is NULL, malloc and free are used.
//
// Invalid masses and inertias are not errors. The minimum mass of a body is 1/1000 of the mass of
// the heaviest body, or 1 if no body has a mass. It replaces masses that are smaller, 1e15 or
// above, or NaN. Such a body, and a body whose inertia is impossible, has the inertia of a ball
// with its mass and radius.
//
// Returns NULL and writes an error in two cases: if memory runs out, or with MD5_ERROR_RANGE if a
// coordinate of the figure is not finite or its absolute value is above 1e6 units. Time and memory
// are linear in the numbers of bodies, constraints and vertices.
MD5_RAGDOLL_API md5_ragdoll *md5_create_ragdoll(const md5_ragdoll_desc *desc,
                                                const md5_allocator *allocator, md5_error *error);

// Destroys a ragdoll. NULL is allowed and has no effect.
MD5_RAGDOLL_API void md5_destroy_ragdoll(md5_ragdoll *ragdoll);

// Starts a fall. Call this function when the character dies. `bodies`, [figure->num_bodies], are
// the initial states of the bodies, as md5_figure_from_joints() computes them.
//
// The engine computes the initial velocities from the displacement over the last milliseconds
// before death. The number of milliseconds is the value of the entity's key "velocityTime". The
// velocities are zero if the entity does not have this key.
//
// If connected bodies are apart from each other, they are moved together. If a limit of a
// constraint is exceeded, the bodies return to the allowed range during the fall. Numbers that are
// not finite count as 0.
MD5_RAGDOLL_API void md5_ragdoll_start(md5_ragdoll *ragdoll, const md5_body_state *bodies);

// Applies an impulse to a body at a point in the world, for example if a bullet hits the body.
// md5_raycast_figure() returns such a point. A ragdoll at rest starts to move again. As in the
// engine, an impulse whose length is below 500 has no effect.
MD5_RAGDOLL_API void md5_ragdoll_apply_impulse(md5_ragdoll *ragdoll, uint32_t body, md5_vec3 point,
                                               md5_vec3 impulse);

// Pulls a point of a body toward the position *target, for example to drag a limb with the mouse.
// `point` and *target are positions in the world. The first call selects the point of the body.
// Further calls for the same body only move the target and ignore `point`. A call for another body
// drags this other body instead. If `target` is NULL, dragging ends.
//
// A ragdoll that is at rest starts to move again. It does not come to rest while it is dragged.
MD5_RAGDOLL_API void md5_ragdoll_drag(md5_ragdoll *ragdoll, uint32_t body, md5_vec3 point,
                                      const md5_vec3 *target);

// Wakes a ragdoll that is at rest, so that it moves again. Call this function if the ground has
// changed.
MD5_RAGDOLL_API void md5_ragdoll_wake(md5_ragdoll *ragdoll);

// Advances the simulation by a duration, 0 to 1e6 seconds. Call this function in each frame.
// `seconds` is the time that passes in the world; in slow motion, the bodies move less in this
// time. A remainder of time that is shorter than a step is added to the time of the next call.
//
// The time of a step is linear in the number of bodies. In addition, each constraint that closes a
// loop takes time linear in the number of bodies in its loop.
MD5_RAGDOLL_API void md5_ragdoll_advance(md5_ragdoll *ragdoll, double seconds);

// Advances `count` different ragdolls by the same duration, on the threads of `threads`. If
// `threads` is NULL, the calling thread does all work. The results are bit-identical to the results
// of md5_ragdoll_advance() for each ragdoll.
MD5_RAGDOLL_API void md5_ragdoll_advance_batch(md5_ragdoll *const *ragdolls, size_t count,
                                               double seconds, const md5_threads *threads);

// Returns the current states of the bodies, [figure->num_bodies]. Pass them to md5_figure_to_pose()
// to draw the character. The array is owned by the ragdoll; the next call that changes the ragdoll
// overwrites its elements.
MD5_RAGDOLL_API const md5_body_state *md5_ragdoll_bodies(const md5_ragdoll *ragdoll);

// Returns true if the ragdoll is at rest. The pose of a ragdoll at rest does not change, and
// md5_ragdoll_advance() returns immediately.
MD5_RAGDOLL_API bool md5_ragdoll_is_at_rest(const md5_ragdoll *ragdoll);

// State and statistics of the simulation of a ragdoll, for tests and debug views.
typedef struct md5_ragdoll_status {
    // Simulated time since the start of the fall, in seconds.
    double time;
    // Sum of the kinetic and the potential energy of all bodies.
    double energy;
    // Energy that impulses and dragging have added since the start of the fall.
    double added_energy;
    // Speed of the simulation relative to real time. It is 1, and less in slow motion.
    float time_scale;
    // Current factors of friction, as md5_friction_dent defines them. friction_scales[0] belongs to
    // constraints, friction_scales[1] to contacts.
    float friction_scales[2];
    // Number of contacts at which a body presses on the ground.
    uint32_t num_contacts;
    // Depth of the deepest point of a body in the ground, in units.
    float max_penetration;
    // Largest angle by which the limit of a constraint is exceeded, in degrees. If 0, no limit is
    // exceeded.
    float worst_limit;
    // Largest distance, in units, between the two points that a constraint should hold together.
    // Springs and sliders are not included.
    float worst_joint;
    // Index of the constraint that exceeds its limit by `worst_limit`. If MD5_NONE, no limit is
    // exceeded.
    uint32_t worst_constraint;
    uint64_t reserved[4]; // always 0
} md5_ragdoll_status;

// Returns the state and the statistics of the simulation of a ragdoll, for example to show them in
// a debug view.
MD5_RAGDOLL_API md5_ragdoll_status md5_ragdoll_state(const md5_ragdoll *ragdoll);

// Copies the changing state of the ragdoll `from` to the ragdoll `to`, for example to return to an
// earlier state. Both ragdolls must have been created for the same figure.
MD5_RAGDOLL_API void md5_copy_ragdoll(md5_ragdoll *to, const md5_ragdoll *from);

// The following three functions save and restore the changing state of a ragdoll, for example in a
// saved game. The format of the data is the same on all platforms. A restored ragdoll continues
// with bit-identical results if its figure and its ground are the same as before.

// Returns the size of the saved state in bytes.
MD5_RAGDOLL_API size_t md5_ragdoll_save_size(const md5_ragdoll *ragdoll);

// Writes the state to bytes[md5_ragdoll_save_size()].
MD5_RAGDOLL_API void md5_ragdoll_save(const md5_ragdoll *ragdoll, void *bytes);

// Restores the state from bytes[size], which may be untrusted data. Returns false, writes an error
// and does not change the ragdoll if the data is invalid. Values of error->status:
//
//   MD5_ERROR_SYNTAX:   the data is not a saved ragdoll
//   MD5_ERROR_MISMATCH: the data was saved for another figure
//   MD5_ERROR_RANGE:    a number in the data is out of range
MD5_RAGDOLL_API bool md5_ragdoll_restore(md5_ragdoll *ragdoll, const void *bytes, size_t size,
                                         md5_error *error);

#ifdef __cplusplus
}
#endif

#endif
