// md5figure: articulated figures of Doom 3. An articulated figure replaces the skeleton of a
// character by rigid bodies that are connected by constraints. A physics engine moves these bodies
// when the character has died, and the character falls as a ragdoll.
//
//   const md5_figure_def *def = md5_game_figure_def(game, "monster_imp", &error);
//   md5_figure *figure = md5_create_figure(def, entity, NULL, &error);
//   // Convert the current pose of the character to bodies:
//   md5_figure_from_joints(figure, joints, placement, 1.0f / 60.0f, bodies);
//   // Let a physics engine move the bodies, then convert them to a pose of the character:
//   placement = md5_figure_to_pose(figure, bodies, pose);
//
// A figure is constant data. It can be simulated by the solver of md5ragdoll.h, or by a library
// such as Bullet or Jolt (see demo/examples/ragdoll_bullet.cpp).
//
// Coordinate system: lengths are measured in id's units and z points up. The entity must therefore
// be loaded with MD5_AXES_ID and without a scale.
//
// Terms that are used below:
//
// - Model space: the coordinate system of the animated model. The `placement` of an entity is the
//   transform from its model space to the world.
// - Joint: a joint of the model's skeleton, given by its index in model->skeleton.joints. Arrays
//   with the size [model joints] have one element for each joint of the entity's model.
// - Pose: the transforms of all joints relative to their parent joints, [model joints].
// - Body: a rigid convex polyhedron, which usually represents one limb.
// - Constraint: a connection between two bodies, such as a hinge. It has this name because `joint`
//   always means a joint of the skeleton.
// - Setup pose: the transforms of all bodies and joints in the first frame of the clip "af_pose".
//   All sizes and positions in the declaration of a figure refer to this frame.
#ifndef MD5FIGURE_H
#define MD5FIGURE_H

#include "md5entity.h" // in the same folder, also when installed

#ifdef __cplusplus
extern "C" {
#endif

// -- Declarations ---------------------------------------------------------------------------------
//
// The following types contain an articulatedFigure as it is declared in an .af file of the game,
// with the engine's default for every value that the file does not contain. They do not depend on a
// model. All angles are in degrees.

// Selects how an .af file defines a point or a direction. The last three kinds refer to the
// positions of joints in the setup pose, which is the first frame of the clip "af_pose".
typedef enum md5_figure_vector_kind {
    MD5_FIGURE_NUMBERS,     // three numbers: the coordinates of the point or direction
    MD5_FIGURE_JOINT,       // the position of joints[0]
    MD5_FIGURE_BONE_CENTER, // the point halfway between joints[0] and joints[1]
    MD5_FIGURE_BONE_DIR     // the direction from joints[0] to joints[1]
} md5_figure_vector_kind;

// A point or a direction in model space, as it is written in an .af file.
typedef struct md5_figure_vector {
    md5_figure_vector_kind kind;
    bool is_negated;  // If true, the vector is multiplied by -1.
    md5_vec3 numbers; // coordinates, for MD5_FIGURE_NUMBERS
    // Names of the joints to which the other kinds refer. A name that is "" is not used.
    const char *joints[2];
} md5_figure_vector;

// Collision categories, as bits with the engine's values. The contents of a body
// (md5_figure_body.contents) are the categories to which the body belongs. The clip mask of a body
// (md5_figure_body.clip_mask) contains the categories of the objects with which the body collides.
enum {
    MD5_CONTENTS_SOLID = 0x1,         // solid objects, such as walls and floors
    MD5_CONTENTS_PLAYERCLIP = 0x8,    // invisible obstacles for players
    MD5_CONTENTS_MONSTERCLIP = 0x10,  // invisible obstacles for monsters
    MD5_CONTENTS_MOVEABLECLIP = 0x20, // invisible obstacles for movable objects
    MD5_CONTENTS_BODY = 0x100,        // living characters
    MD5_CONTENTS_CORPSE = 0x400       // dead characters
};

// The shape of a body (a rigid part of the figure), with the engine's values. Every shape is a
// convex polyhedron. All shapes except MD5_SHAPE_BONE fill a box, whose corners
// md5_figure_body.corners contains.
typedef enum md5_body_shape {
    MD5_SHAPE_BOX = 1,      // the body is a box
    MD5_SHAPE_OCTAHEDRON,   // the body is an octahedron, which has 6 vertices
    MD5_SHAPE_DODECAHEDRON, // the body is a dodecahedron, which has 20 vertices
    MD5_SHAPE_CYLINDER,     // the body is a cylinder around the z axis, approximated by a prism
    // A pyramid around the z axis. Its tip is at z = 0, and its base is below the tip by the height
    // of the box.
    MD5_SHAPE_CONE,
    // Two pyramids that share a base, for the bone of a limb. The base is a triangle, halfway
    // between two points. Each point is the tip of one pyramid.
    MD5_SHAPE_BONE
} md5_body_shape;

// Selects which part of a joint's transform is computed from a body when bodies are converted to a
// pose.
typedef enum md5_body_mod {
    MD5_BODY_AXIS,   // the body determines the rotation of the joint
    MD5_BODY_ORIGIN, // the body determines the position of the joint
    MD5_BODY_BOTH    // the body determines the rotation and the position of the joint
} md5_body_mod;

// The declaration of a body, which is a rigid part of a figure, usually a limb.
typedef struct md5_figure_body {
    const char *name;  // name of the body, by which constraints refer to it
    const char *joint; // name of the joint whose transform the body determines
    // List of the joints that are attached to the body, for example "*chest -*neck". `*` before a
    // name selects the joint and all its descendants, and `-` removes joints from the list.
    const char *contained;
    md5_body_mod mod; // part of the joint's transform that the body determines
    md5_body_shape shape;
    // Two opposite corners of the box that the shape fills. For MD5_SHAPE_BONE, the two ends of the
    // bone.
    md5_figure_vector corners[2];
    // Number of sides of a cylinder (3 to 10) or a cone (3 to 15). Other numbers are clamped.
    int32_t num_sides;
    // Width of the body in its middle, in units. Only MD5_SHAPE_BONE uses it.
    float width;
    // Position of the body in the setup pose.
    md5_figure_vector origin;
    // Directions of friction and of a motor at the contacts of the body, as declared. This library
    // does not use them.
    md5_figure_vector friction_direction, motor_direction;
    // Rotation of the body in the setup pose, in degrees: pitch, yaw, roll.
    float angles[3];
    float density; // mass per cubic unit of volume
    // 3x3 matrix by which the computed inertia tensor is multiplied.
    float inertia_scale[9];
    float friction[3]; // coefficients of friction of the body: linear, angular, at contacts
    // Categories to which the body belongs, as MD5_CONTENTS_* bits.
    uint32_t contents;
    // Categories of objects with which the body collides, as MD5_CONTENTS_* bits.
    uint32_t clip_mask;
    // If true, the body collides with other bodies of the same figure.
    bool collides_with_own;
} md5_figure_body;

// The types of constraints (connections between two bodies), with the engine's values.
typedef enum md5_constraint_type {
    MD5_CONSTRAINT_FIXED = 1, // Both bodies move as one body.
    // A ball and socket joint: the bodies can rotate in any direction about a common point.
    MD5_CONSTRAINT_BALL,
    // A universal joint: the bodies can bend but not twist.
    MD5_CONSTRAINT_UNIVERSAL,
    // A hinge: the bodies can rotate about one axis.
    MD5_CONSTRAINT_HINGE,
    // A slider: the bodies can move along one axis.
    MD5_CONSTRAINT_SLIDER,
    MD5_CONSTRAINT_SPRING // A spring connects a point of each body.
} md5_constraint_type;

// The types of limits, which restrict the rotation that a constraint between two bodies allows.
typedef enum md5_limit_type {
    MD5_FIGURE_NO_LIMIT = -1, // The rotation is not restricted.
    // A direction must remain in a cone. Hinges use this type too, with another meaning of the
    // angles.
    MD5_FIGURE_CONE,
    // A direction must remain inside a pyramid with four sides.
    MD5_FIGURE_PYRAMID
} md5_limit_type;

// The declaration of a constraint, which connects two bodies. Members that the type of the
// constraint does not use have no effect.
typedef struct md5_figure_constraint {
    md5_constraint_type type;
    const char *name; // name of the constraint
    // Names of the two connected bodies. "world" means the world, which does not move.
    const char *bodies[2];
    float friction; // coefficient of friction of the constraint
    // anchors[0] is the point at which both bodies are connected. A spring connects anchors[0] on
    // bodies[0] with anchors[1] on bodies[1]. All other types ignore anchors[1].
    md5_figure_vector anchors[2];
    // Directions of the limbs: shafts[0] for bodies[0] and shafts[1] for bodies[1]. A ball and
    // socket joint uses only shafts[0], which is the direction that its limit restricts.
    md5_figure_vector shafts[2];
    // Rotation axis of a hinge, or direction of movement of a slider.
    md5_figure_vector axis;
    // Direction of the center line of the cone or the pyramid to which the limit restricts a
    // direction.
    md5_figure_vector limit_axis;
    // Kind of the limit of the rotation.
    md5_limit_type limit;
    // Angles of the limit, in degrees. Their meaning depends on the limit:
    //   cone:    [0] the full angle of the cone
    //   pyramid: [0] and [1] the full angles between opposite sides, [2] the rotation of the
    //            pyramid around its center line
    //   hinge:   [0] the middle of the allowed range, [1] the size of the range, [2] the angle of
    //            the hinge in the setup pose
    float limit_angles[3];
    // Values of a spring, in this order: stiffness when it is stretched, stiffness when it is
    // compressed, damping, rest length, minimum length, maximum length.
    float spring[6];
} md5_figure_constraint;

// The declaration of an articulated figure: the bodies and constraints that replace a skeleton when
// a character has died.
typedef struct md5_figure_def {
    const md5_decl *decl; // the declaration in the game's files
    // Name of the model for which the figure is made. The string is "" if it is not declared.
    const char *model;
    // Name of the skin of this model. The string is "" if it is not declared.
    const char *skin;
    // Coefficients of friction that are declared for the whole figure, in this order: linear,
    // angular, at contacts, of constraints. The first three numbers are the defaults of
    // md5_figure_body.friction. The fourth number has no effect: constraints that do not declare
    // their friction have 0.5.
    float friction[4];
    // Mass of the whole figure. -1 means that the mass of each body is its volume multiplied by its
    // density.
    float total_mass;
    // A figure can come to rest if all its bodies are slower than these four limits, in this order:
    // linear velocity (units per second), angular velocity (radians per second), linear
    // acceleration (units per second squared), angular acceleration (radians per second squared).
    float suspend_speed[4];
    // A figure also comes to rest if no body has moved for the time [0] in seconds. A body has
    // moved if its displacement is at least [1] units or its rotation is at least [2] degrees.
    float no_move[3];
    // Smallest and largest number of seconds until the figure comes to rest. -1 means that there is
    // no limit.
    float move_times[2];
    uint32_t contents;  // default of md5_figure_body.contents
    uint32_t clip_mask; // default of md5_figure_body.clip_mask
    // Default of md5_figure_body.collides_with_own.
    bool collides_with_own;
    uint32_t num_bodies, num_constraints;
    // [num_bodies] The first body is the body whose joint is "origin". All other bodies are in file
    // order, except that the first body of the file and the body of "origin" are exchanged.
    const md5_figure_body *bodies;
    // [num_constraints] The constraints in file order.
    const md5_figure_constraint *constraints;
} md5_figure_def;

// Returns the declaration of the articulatedFigure with the given name. Returns NULL without an
// error if no file declares this name. Returns NULL with an error if memory runs out.
//
// An invalid token causes a warning and ends the reading of the declaration, as in the engine. The
// result then contains everything before this token. This rule applies to both values of
// md5_parse_mode.
MD5_GAME_API const md5_figure_def *md5_game_figure_def(md5_game *game, const char *name,
                                                       md5_error *error);

// -- Figures of an entity -------------------------------------------------------------------------
//
// A declaration refers to joints by their names. md5_create_figure() combines a declaration with
// the model of an entity, and computes the polyhedra, masses and transforms for a physics engine.

// A body of a figure, with the data that a physics engine needs. The origin of the body's axes is
// its center of mass.
typedef struct md5_body_part {
    const md5_figure_body *def; // the declaration of the body
    // Index of the joint that the body moves. For a body whose joint is "origin", it is the first
    // child of this joint, because the `placement` of the entity moves the joint "origin" itself.
    uint32_t joint;
    // Mass of the body. If md5_figure_def.total_mass is set, all masses are scaled so that their
    // sum is this number.
    float mass;
    // Inertia tensor about the center of mass, in the body's axes: a 3x3 matrix, row by row.
    float inertia[9];
    // Transform of the body relative to its joint, in the setup pose.
    md5_xform offset;
    // The polyhedron of the body, as a range of md5_figure.vertices and a range of
    // md5_figure.triangles.
    uint32_t first_vertex, num_vertices, first_triangle, num_triangles;
    md5_bounds bounds; // bounding box of the vertices, in the body's axes
} md5_body_part;

// A constraint of a figure, between bodies[0] and bodies[1]. Array elements with index 0 are points
// and directions in the axes of bodies[0]; elements with index 1 are in the axes of bodies[1]. If a
// body is the world, its points and directions are in model space, as in the setup pose.
typedef struct md5_body_constraint {
    const md5_figure_constraint *def; // the declaration of the constraint
    uint32_t bodies[2];               // indices of the connected bodies; MD5_NONE means the world
    // The connected points: anchors[0] in the axes of bodies[0], anchors[1] in the axes of
    // bodies[1].
    md5_vec3 anchors[2];
    // Directions of the connected limbs: shafts[0] in the axes of bodies[0], shafts[1] in the axes
    // of bodies[1].
    md5_vec3 shafts[2];
    // The rotation axis of a hinge, or the direction of a slider. For a universal joint, a
    // direction that is perpendicular to both shafts in the setup pose.
    md5_vec3 axes[2];
    // Center line of the cone or the pyramid of the limit, in the axes of bodies[1].
    md5_vec3 limit_axis;
    // Direction from the center line to the first side of a pyramid, in the axes of bodies[1].
    md5_vec3 limit_base;
    // Direction that must remain in the cone or the pyramid, in the axes of bodies[0].
    md5_vec3 limit_shaft;
    // Cosine of half of each angle of the limit. A cone and a hinge use only limit_cosines[0], a
    // pyramid uses both elements.
    float limit_cosines[2];
} md5_body_constraint;

// A temporary reduction of friction, with which the engine makes corpses fall more loosely. The
// friction is multiplied by a factor that depends on the time since death:
//
//   until `start`:             1
//   between `start` and `end`: decreases linearly to `scale` at the middle of this interval, then
//                              increases linearly to 1
//   after `end`:               1
typedef struct md5_friction_dent {
    float scale;      // smallest factor, which is reached in the middle of the interval
    float start, end; // start and end of the reduction, seconds since death
} md5_friction_dent;

// An articulated figure of an entity: the declaration, combined with the joints of the entity's
// model. It is read-only.
typedef struct md5_figure {
    const md5_figure_def *def; // the declaration of the figure
    const md5_entity *entity;  // the entity whose skeleton the figure replaces
    uint32_t num_bodies, num_constraints, num_vertices, num_triangles;
    const md5_body_part *bodies; // [num_bodies] bodies, in the order of def->bodies
    // [num_constraints] Constraints between the bodies, in the order of def->constraints.
    const md5_body_constraint *constraints;
    // [num_vertices] Vertices of all bodies, each in the axes of its body.
    const md5_vec3 *vertices;
    // [num_triangles] Triangles of all bodies, each as three indices of `vertices`. The vertices
    // are clockwise if the body is seen from outside.
    const uint32_t (*triangles)[3];

    // [model joints] For each joint, the index of the body to which the joint is attached,
    // according to the lists md5_figure_body.contained. If several lists contain a joint, the last
    // body is used. MD5_NONE means that the joint is not attached to a body.
    const uint32_t *body_of_joint;
    // [model joints] For each joint, the index of the body that moves the joint
    // (md5_body_part.joint). If several bodies move a joint, the last body is used. MD5_NONE means
    // that no body moves the joint.
    const uint32_t *mover_of_joint;

    // [num_bodies] Transform of each body in model space, in the setup pose (the first frame of the
    // clip "af_pose").
    const md5_xform *setup;
    // [model joints] Transform of each joint relative to its parent, in the setup pose. The
    // position of the first joint is 0.
    const md5_xform *setup_pose;

    // Start and end of slow motion in seconds since death, from the entity's keys
    // "ragdoll_slomoStart" and "ragdoll_slomoEnd". Between these times, the speed of the simulation
    // relative to real time increases linearly from 0 to 1. Before and after them, it is 1. The
    // solver of md5ragdoll.h uses a speed of at least 0.01.
    float slow_motion[2];
    // Temporary reduction of the friction of constraints, from the keys
    // "ragdoll_jointFrictionDent", "ragdoll_jointFrictionDentStart" and
    // "ragdoll_jointFrictionDentEnd".
    md5_friction_dent joint_friction;
    // Temporary reduction of the friction of contacts, from the keys "ragdoll_contactFrictionDent",
    // "ragdoll_contactFrictionDentStart" and "ragdoll_contactFrictionDentEnd".
    md5_friction_dent contact_friction;
    md5_internal internal;
} md5_figure;

// Largest number of bodies, and largest number of constraints, of one figure.
enum { MD5_MAX_FIGURE_PARTS = 1024 };

// Creates the figure of an entity from the declaration `def`. Free the result with
// md5_free_figure(). `def` and `entity` must remain valid until then. Any number of threads may
// share the figure, because it is constant. The caller stores the changing state of the bodies in
// an array of md5_body_state, one element for each body.
//
// Uses allocator and warn of `opts`, which may be NULL. Returns NULL and writes an error in these
// cases, in which the engine does not create a ragdoll or ends the map:
//
// - The entity does not have the clip "af_pose".
// - The joint of the first body is not "origin".
// - A body refers to a joint that does not exist in the model.
// - The first body of a constraint does not exist. (A second body that does not exist is treated as
//   the world.)
//
// It also returns NULL if the figure has more than MD5_MAX_FIGURE_PARTS bodies or constraints, if
// the entity was loaded with other axes or a scale, or if memory runs out.
MD5_GAME_API md5_figure *md5_create_figure(const md5_figure_def *def, const md5_entity *entity,
                                           const md5_load_opts *opts, md5_error *error);

// Frees a figure. NULL is allowed and has no effect.
MD5_GAME_API void md5_free_figure(md5_figure *figure);

// The state of a body: its position, rotation and velocities in the world.
typedef struct md5_body_state {
    md5_xform transform; // transform from the body's axes to the world
    md5_vec3 linear;     // velocity of the center of mass in the world, in units per second
    md5_vec3 angular;    // angular velocity in the world, in radians per second
} md5_body_state;

// Converts a pose to body states, for example when a character dies. Writes
// bodies[figure->num_bodies]. `joints`, [model joints], are the transforms of the joints in model
// space, as md5_actor_pose() writes them. `placement` is the transform of the entity in the world.
//
// If `seconds` is positive, `bodies` must contain the states of a previous pose. The linear
// velocity of a body is then its displacement since the previous pose, divided by `seconds`. If
// `seconds` is 0, the linear velocities are 0. The angular velocities are always 0.
MD5_GAME_API void md5_figure_from_joints(const md5_figure *figure, const md5_mat34 *joints,
                                         md5_xform placement, float seconds,
                                         md5_body_state *bodies);

// Converts body states to a pose, for example to draw a ragdoll. This is the inverse of
// md5_figure_from_joints(). Returns the transform of the entity in the world, which is computed
// from the first body. Writes pose[model joints], from which md5_local_to_palette() computes the
// matrices for skinning. Joints that no body moves keep their transforms from the clip "af_pose".
MD5_GAME_API md5_xform md5_figure_to_pose(const md5_figure *figure, const md5_body_state *bodies,
                                          md5_xform *pose);

// Returns a bounding box that contains all bodies, for culling. The box is in the model space of an
// entity at `placement`.
MD5_GAME_API md5_bounds md5_figure_bounds(const md5_figure *figure, const md5_body_state *bodies,
                                          md5_xform placement);

// The first point at which a line segment enters a body.
typedef struct md5_figure_hit {
    uint32_t body;  // index of the body
    uint32_t joint; // index of the joint that the body moves
    float fraction; // position of the point on the segment: 0 at its start, 1 at its end
    md5_vec3 point; // position of the point in the world
    // Unit vector in the world that points out of the body at this point.
    md5_vec3 normal;
} md5_figure_hit;

// Finds the first body that the line segment from `from` to `to` enters, for example to find the
// limb that a bullet hits. Both points are in the world. Returns true and writes *hit if the
// segment enters a body. Returns false if it does not; a body that contains the point `from` is not
// entered. The time is linear in the number of triangles.
MD5_GAME_API bool md5_raycast_figure(const md5_figure *figure, const md5_body_state *bodies,
                                     md5_vec3 from, md5_vec3 to, md5_figure_hit *hit);

// -- Getting up -----------------------------------------------------------------------------------
//
// Dead characters of the engine never get up. The following functions add this ability for other
// games. A character that lies on the ground gets up in three steps:
//
// 1. md5_fit_figure() finds the placement of the entity at which the first frame of a clip that
//    gets up fits the bodies best.
// 2. md5_fade_figure() blends from the pose of the bodies to the pose of the clip, with a weight
//    that increases from 0 to 1 over some frames.
// 3. The clip is then played as usual.

// Returns the placement of the entity in the world at which a pose fits the bodies best. `joints`,
// [model joints], are the transforms of the pose's joints in model space.
//
// The entity is upright: its placement is only rotated around the z axis. The rotation and the
// horizontal position minimize the squared horizontal distances between the bodies of the pose and
// `bodies`, weighted by the masses of the bodies. The height is chosen so that the lowest point of
// all bodies does not change.
MD5_GAME_API md5_xform md5_fit_figure(const md5_figure *figure, const md5_body_state *bodies,
                                      const md5_mat34 *joints);

// Blends from the pose of the bodies to the pose `clip`, both for an entity at `placement`.
// `weight` is the weight of the clip: 0 writes the pose of the bodies, 1 writes the pose of the
// clip. `clip` and `pose` have [model joints] elements, relative to parents, and must be different
// arrays.
MD5_GAME_API void md5_fade_figure(const md5_figure *figure, const md5_body_state *bodies,
                                  md5_xform placement, const md5_xform *clip, float weight,
                                  md5_xform *pose);

#ifdef __cplusplus
}
#endif

#endif
