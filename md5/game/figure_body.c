// Articulated figures of entities. From a figure declaration, computes the shapes, masses and
// inertia of bodies, and the axes and limits of constraints. Also converts between joints and
// bodies.
//
// build_figure() places the bodies in the setup pose, the first pose of the clip "af_pose".
#include "md5/core/freed.h"
#include "md5/game/character.h"

#include "md5/core/arena.h"
#include "md5/decl/containers.h"
#include "md5/decl/game.h"
#include "md5/md5figure.h"

#include <string.h>

typedef struct figure_builder {
    md5_context *context;
    md5_arena arena;
    md5_arena scratch;
    const md5_entity *entity;
    md5_figure figure;
    md5_body_part *bodies;
    md5_body_constraint *constraints;
    md5_vec3 *vertices;
    uint32_t (*triangles)[3];
    md5_xform *setup;        // [num_bodies] bodies in the setup, in model space
    md5_xform *joints;       // [joints] in the setup pose, in model space
    md5_entity_key location; // location of the declaration, for messages
} figure_builder;

// Reports a problem of the figure at its declaration. The parameters are a status, a format string
// and its values.
#define FIGURE_REPORT(builder, status, format, ...)                                         \
    md5i_report_key((builder)->context, status, &(builder)->location, "figure %s: " format, \
                    MD5_QUOTED((builder)->figure.def->decl->name), __VA_ARGS__)

static const world_transform model_space_world = {
    .axes = {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}}};

// == Vectors ======================================================================================

// Returns the position of a joint in the setup pose of a figure. If the joint does not exist, warns
// and returns the origin.
static md5_vec3d figure_joint_position(const figure_builder *builder, const char *name)
{
    const int32_t joint = md5i_find_joint(&builder->entity->model->skeleton, name);
    if (joint >= 0)
        return md5_vec3d_from_vec3(builder->joints[joint].translation);
    (void)FIGURE_REPORT(builder, MD5_WARNING,
                        "joint %s not found in the model: using the position ( 0 0 0 )",
                        MD5_QUOTED(name));
    return model_space_world.origin;
}

// Returns the value of a vector of the declaration, in model space. It is written as numbers, the
// position of a joint, the point in the middle between two joints, or the vector from one joint to
// another.
static md5_vec3d resolve_vector(const figure_builder *builder, const md5_figure_vector *vector)
{
    md5_vec3d value = md5_vec3d_from_vec3(vector->numbers);
    if (vector->kind != MD5_FIGURE_NUMBERS)
        value = figure_joint_position(builder, vector->joints[0]);
    if (vector->kind == MD5_FIGURE_BONE_CENTER)
        value = md5_vec3d_scale(
            md5_vec3d_add(value, figure_joint_position(builder, vector->joints[1])), 0.5);
    if (vector->kind == MD5_FIGURE_BONE_DIR)
        value = md5_vec3d_sub(figure_joint_position(builder, vector->joints[1]), value);
    return vector->is_negated ? md5_vec3d_scale(value, -1.0) : value;
}

// == Shapes =======================================================================================

enum { MAX_CORNERS = 20, MAX_FACES = 36, MAX_CYLINDER_SIDES = 10, MAX_CONE_SIDES = 15 };

typedef struct body_shape {
    md5_vec3d corners[MAX_CORNERS];
    uint32_t faces[MAX_FACES][3]; // any winding before orient_faces()
    uint32_t num_corners;
    uint32_t num_faces;
} body_shape;

static void add_corner(body_shape *shape, double x, double y, double z)
{
    shape->corners[shape->num_corners++] = (md5_vec3d){x, y, z};
}

// Adds a triangle to a shape, by the indices of its corners.
static void add_face(body_shape *shape, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t *const face = shape->faces[shape->num_faces++];
    face[0] = a;
    face[1] = b;
    face[2] = c;
}

// Adds triangles from a text. Three letters are a triangle, and each letter is a corner: `a` is
// corner 0, `b` is corner 1, and so on.
static void add_faces(body_shape *shape, const char *corners)
{
    for (; *corners; corners += 3)
        add_face(shape, (uint32_t)corners[0] - 'a', (uint32_t)corners[1] - 'a',
                 (uint32_t)corners[2] - 'a');
}

// Returns `value` if `bit` is set, else -`value`.
static double signed_by_bit(double value, uint32_t bit)
{
    return bit ? value : -value;
}

// Builds a box. All shapes except for a bone fill the cube from (-1, -1, -1) to (1, 1, 1), and
// build_shape() scales them to their size. The bits of a corner's index select the signs of its
// coordinates.
static void build_box(body_shape *shape)
{
    for (uint32_t i = 0; i < 8; i++)
        add_corner(shape, signed_by_bit(1.0, i & 1), signed_by_bit(1.0, i & 2),
                   signed_by_bit(1.0, i & 4));
    add_faces(shape, "acgagebdhbhfaefafbcghchdabdadcefhehg");
}

// Builds an octahedron with radius 1.
static void build_octahedron(body_shape *shape)
{
    for (uint32_t i = 0; i < 6; i++) {
        double corner[3] = {0.0, 0.0, 0.0};
        corner[i / 2] = signed_by_bit(1.0, i & 1);
        add_corner(shape, corner[0], corner[1], corner[2]);
    }
    add_faces(shape, "acebceadebdeacfbcfadfbdf");
}

// Builds a regular dodecahedron. Its corners are the corners of a cube and of three rectangles, one
// perpendicular to each axis.
static void build_dodecahedron(body_shape *shape)
{
    const double golden_ratio = 1.61803398874989485;
    const double cube_side = 1.0 / golden_ratio;
    const double short_side = cube_side * cube_side;
    for (uint32_t i = 0; i < 8; i++)
        add_corner(shape, signed_by_bit(cube_side, i & 4), signed_by_bit(cube_side, i & 2),
                   signed_by_bit(cube_side, i & 1));

    // The corners of the rectangles are numbered as in the text below.
    for (int axis = 3; axis > 0; axis--) {
        for (uint32_t i = 0; i < 4; i++) {
            const uint32_t short_bit = axis == 1 ? 1 : 2;
            const uint32_t long_bit = 3 - short_bit;
            double corner[3] = {0.0, 0.0, 0.0};
            corner[(axis + 1) % 3] = signed_by_bit(short_side, i & short_bit);
            corner[(axis + 2) % 3] = signed_by_bit(1.0, i & long_bit);
            add_corner(shape, corner[0], corner[1], corner[2]);
        }
    }
    add_faces(shape, "omaoaioiefjbfbmfmogkcgcngnppndpdlplhkiakaqkqcdrbdbjdjl"
                     "gsegeigikljflftlthrqaramrmbfoefesfstdncdcqdqrtsgtgptph");
}

// Limits the number of sides of a cylinder or a cone to 3..max_sides.
static uint32_t clamp_num_sides(int32_t num_sides, int32_t max_sides)
{
    if (num_sides > max_sides)
        num_sides = max_sides;
    return num_sides < 3 ? 3 : (uint32_t)num_sides;
}

// Builds a cylinder or a cone. A cylinder has a lower and an upper ring of corners. A cone has a
// lower ring and a tip. Each ring has a cap, and one triangle for each of its sides.
static void build_round(body_shape *shape, int32_t num_sides, bool is_cone)
{
    const uint32_t sides =
        clamp_num_sides(num_sides, is_cone ? MAX_CONE_SIDES : MAX_CYLINDER_SIDES);
    const uint32_t num_ring_corners = is_cone ? sides : 2 * sides;

    // The corners: the lower ring, and then the upper ring or the tip.
    for (uint32_t i = 0; i < num_ring_corners; i++) {
        const double angle = 360.0 * DEGREE * (i % sides) / sides;
        add_corner(shape, cos(angle), sin(angle), i < sides ? -1.0 : 1.0);
    }
    if (is_cone)
        add_corner(shape, 0.0, 0.0, 1.0);

    // Each side of a ring is one triangle. The caps are fans around the first corner of the ring.
    for (uint32_t i = 0; i < num_ring_corners; i++) {
        const uint32_t side = i % sides;
        const uint32_t first = i - side; // first corner of the ring
        const uint32_t next = first + (side + 1) % sides;
        uint32_t apex = sides + next; // on the upper ring
        if (is_cone)
            apex = sides; // the tip
        else if (first > 0)
            apex = side; // on the lower ring
        add_face(shape, i, next, apex);
        if (side > 1)
            add_face(shape, first, i - 1, i); // cap
    }
}

// Builds a spindle along z: a tip at each end, and a triangle in the middle between them.
static void build_bone(body_shape *shape, double half_length, double half_width)
{
    add_corner(shape, 0.0, 0.0, -half_length);
    add_corner(shape, 0.0, 0.0, half_length);
    add_corner(shape, 0.0, -half_width, 0.0);
    add_corner(shape, half_width, 0.5 * half_width, 0.0);
    add_corner(shape, -half_width, 0.5 * half_width, 0.0);
    add_faces(shape, "acdbcdadebdeaecbec");
}

// Builds the shape of a body in the axes of the body. Its center of mass is not yet at the origin.
static void build_shape(const figure_builder *builder, const md5_figure_body *def,
                        body_shape *shape)
{
    const md5_vec3d a = resolve_vector(builder, &def->corners[0]);
    const md5_vec3d b = resolve_vector(builder, &def->corners[1]);
    const md5_vec3d center = md5_vec3d_scale(md5_vec3d_add(a, b), 0.5);
    const md5_vec3d half_size = md5_vec3d_scale(md5_vec3d_sub(b, a), 0.5);
    const bool is_cone = def->shape == MD5_SHAPE_CONE;

    *shape = (body_shape){.num_corners = 0};
    switch (def->shape) {
    case MD5_SHAPE_BONE:
        build_bone(shape, md5_vec3d_length(half_size), 0.5 * (double)def->width);
        return; // already has its final size
    case MD5_SHAPE_OCTAHEDRON:
        build_octahedron(shape);
        break;
    case MD5_SHAPE_DODECAHEDRON:
        build_dodecahedron(shape);
        break;
    case MD5_SHAPE_CYLINDER:
    case MD5_SHAPE_CONE:
        build_round(shape, def->num_sides, is_cone);
        break;
    case MD5_SHAPE_BOX:
        build_box(shape);
        break;
    }

    // Scale the shape, which fills the cube from -1 to 1, to the box of the definition.
    const double center_z = is_cone ? -half_size.z : center.z; // the tip of a cone is at z = 0
    for (uint32_t i = 0; i < shape->num_corners; i++) {
        md5_vec3d *const corner = &shape->corners[i];
        corner->x = center.x + corner->x * half_size.x;
        corner->y = center.y + corner->y * half_size.y;
        corner->z = center_z + corner->z * half_size.z;
    }
}

// Returns the mean of the corners of a shape.
static md5_vec3d mean_corner(const body_shape *shape)
{
    const double fraction = 1.0 / shape->num_corners;
    md5_vec3d mean = model_space_world.origin;
    for (uint32_t i = 0; i < shape->num_corners; i++)
        mean = md5_vec3d_add(mean, md5_vec3d_scale(shape->corners[i], fraction));
    return mean;
}

// Orders the corners of all faces of a convex shape clockwise, as seen from outside. The normal
// that is computed from three corners in this order points outward, away from the mean of all
// corners of the shape. If it points inward, two corners of the face are exchanged.
static void orient_faces(body_shape *shape)
{
    const md5_vec3d center = mean_corner(shape);
    for (uint32_t i = 0; i < shape->num_faces; i++) {
        uint32_t *const face = shape->faces[i];
        const md5_vec3d a = shape->corners[face[0]];
        const md5_vec3d b = shape->corners[face[1]];
        const md5_vec3d c = shape->corners[face[2]];
        const md5_vec3d normal = md5_vec3d_cross(md5_vec3d_sub(c, a), md5_vec3d_sub(b, a));
        const bool points_inward = md5_vec3d_dot(normal, md5_vec3d_sub(a, center)) < 0.0;
        if (points_inward) {
            const uint32_t first = face[0];
            face[0] = face[1];
            face[1] = first;
        }
    }
}

// == Masses =======================================================================================

// Mass properties of a solid of density 1.
typedef struct solid_mass {
    double volume;
    double products[3][3]; // integrals of the products of two coordinates about the center
    md5_vec3d center;      // center of mass
} solid_mass;

// Adds the tetrahedron between the origin and a face to the integrals of a solid. Let a, b, c be
// the corners of the face, s their sum, and V the volume of the tetrahedron. The integrals are
//
//   position                     V s / 4
//   product of coordinates i, j  V / 20 (a_i a_j + b_i b_j + c_i c_j + s_i s_j).
static void add_tetrahedron(solid_mass *mass, md5_vec3d a, md5_vec3d b, md5_vec3d c)
{
    const md5_vec3d sum = md5_vec3d_add(md5_vec3d_add(a, b), c);
    const double volume_times_6 = md5_vec3d_dot(a, md5_vec3d_cross(b, c));
    mass->volume += volume_times_6 / 6.0;
    mass->center = md5_vec3d_add(mass->center, md5_vec3d_scale(sum, volume_times_6 / 24.0));

    const double vectors[4][3] = {
        {a.x, a.y, a.z},
        {b.x, b.y, b.z},
        {c.x, c.y, c.z},
        {sum.x, sum.y, sum.z},
    };
    for (uint32_t i = 0; i < 3; i++) {
        for (uint32_t j = 0; j < 3; j++) {
            for (uint32_t k = 0; k < 4; k++)
                mass->products[i][j] += volume_times_6 / 120.0 * vectors[k][i] * vectors[k][j];
        }
    }
}

// Computes the volume, the center of mass and the products of a shape. Adds the tetrahedra between
// the origin and each face. The volume of a tetrahedron is negative if its face points toward the
// origin. Then moves the products to the center of mass (parallel axis theorem).
static solid_mass measure_solid(const body_shape *shape)
{
    solid_mass mass = {.volume = 0.0};
    for (uint32_t i = 0; i < shape->num_faces; i++)
        add_tetrahedron(&mass, shape->corners[shape->faces[i][0]],
                        shape->corners[shape->faces[i][2]], shape->corners[shape->faces[i][1]]);

    // So far mass.center is the integral of the position, and the products are about the origin.
    mass.center = md5_vec3d_scale(mass.center, mass.volume > 0.0 ? 1.0 / mass.volume : 0.0);
    const double center[3] = {mass.center.x, mass.center.y, mass.center.z};
    for (uint32_t r = 0; r < 3; r++) {
        for (uint32_t s = 0; s < 3; s++)
            mass.products[r][s] -= mass.volume * center[r] * center[s];
    }
    return mass;
}

// Sets the mass and the inertia of a body. solid_mass.products are the integrals of the products of
// coordinates, and the trace is the sum of their diagonal. The inertia tensor is
//
//   density * (trace * identity - products).
//
// As in the engine, it is multiplied by the matrix "inertiaScale" of the definition.
static void set_mass(md5_body_part *body, const solid_mass *mass)
{
    const double density = (double)body->def->density;
    const double trace = mass->products[0][0] + mass->products[1][1] + mass->products[2][2];
    body->mass = md5_round_to_float(density * mass->volume);
    for (uint32_t row = 0; row < 3; row++) {
        for (uint32_t column = 0; column < 3; column++) {
            double scaled = 0.0; // element of tensor * inertiaScale
            for (uint32_t k = 0; k < 3; k++) {
                const double diagonal = row == k ? trace : 0.0;
                const double tensor = density * (diagonal - mass->products[row][k]);
                scaled += tensor * (double)body->def->inertia_scale[3 * k + column];
            }
            body->inertia[3 * row + column] = md5_round_to_float(scaled);
        }
    }
}

// == Bodies =======================================================================================

// Returns the axes of a body in model space. The z axis of a bone points from its first end to its
// second end.
static axes3 body_axes(const figure_builder *builder, const md5_figure_body *def)
{
    if (def->shape != MD5_SHAPE_BONE)
        return md5i_axes_from_angles((double)def->angles[0], (double)def->angles[1],
                                     (double)def->angles[2]);
    const md5_vec3d up = md5_vec3d_normalize(md5_vec3d_sub(
        resolve_vector(builder, &def->corners[1]), resolve_vector(builder, &def->corners[0])));
    axes3 axes = model_space_world.axes;
    if (md5_vec3d_length(up) == 0.0)
        return axes;

    // The x axis is horizontal and perpendicular to z. If z is vertical, x is unchanged.
    const double horizontal_length = sqrt(up.x * up.x + up.y * up.y);
    if (horizontal_length > 0.0)
        axes.row[0] = (md5_vec3d){-up.y / horizontal_length, up.x / horizontal_length, 0.0};
    axes.row[1] = md5_vec3d_cross(up, axes.row[0]);
    axes.row[2] = up;
    return axes;
}

// Appends the corners of a shape to the vertices of the figure. Vertices are relative to the center
// of mass of the body.
static void store_vertices(figure_builder *builder, md5_body_part *body, const body_shape *shape,
                           md5_vec3d center)
{
    md5_figure *const figure = &builder->figure;
    md5_vec3 *const vertices = &builder->vertices[figure->num_vertices];
    for (uint32_t i = 0; i < shape->num_corners; i++)
        vertices[i] = md5_vec3d_round(md5_vec3d_sub(shape->corners[i], center));
    body->first_vertex = figure->num_vertices;
    body->num_vertices = shape->num_corners;
    body->bounds = md5_bounds_from_points(vertices, shape->num_corners);
    figure->num_vertices += shape->num_corners;
}

// Appends the shape of a body to the vertices and triangles of the figure. Triangles contain
// indices of the figure's vertices.
static void store_shape(figure_builder *builder, md5_body_part *body, const body_shape *shape,
                        md5_vec3d center)
{
    store_vertices(builder, body, shape, center);
    md5_figure *const figure = &builder->figure;
    for (uint32_t i = 0; i < shape->num_faces; i++) {
        uint32_t *const triangle = builder->triangles[figure->num_triangles + i];
        for (uint32_t k = 0; k < 3; k++)
            triangle[k] = body->first_vertex + shape->faces[i][k];
    }
    body->first_triangle = figure->num_triangles;
    body->num_triangles = shape->num_faces;
    figure->num_triangles += shape->num_faces;
}

// Returns the joint that a body moves, or MD5_NONE if it does not exist. The transform of the
// entity moves the root, so a body at the joint "origin" moves the first child of the root instead.
static uint32_t moved_joint(const figure_builder *builder, const md5_figure_body *def)
{
    const md5_skeleton *const skeleton = &builder->entity->model->skeleton;
    const int32_t joint = md5i_find_joint(skeleton, def->joint);
    const bool is_origin = joint == 0 && strcmp(def->joint, "origin") == 0;
    if (!is_origin)
        return joint < 0 ? MD5_NONE : (uint32_t)joint;

    uint32_t child = 0;
    while (child < skeleton->num_joints && skeleton->joints[child].parent != 0)
        child++;
    return child < skeleton->num_joints ? child : 0;
}

// Builds a body from its definition: shape, mass, and transform in the setup pose. The center of
// mass becomes the origin of the body. Returns false after an error.
static bool build_body(figure_builder *builder, uint32_t index)
{
    const md5_figure_body *const def = &builder->figure.def->bodies[index];
    md5_body_part *const body = &builder->bodies[index];
    const uint32_t joint = moved_joint(builder, def);
    if (joint == MD5_NONE)
        return FIGURE_REPORT(builder, MD5_ERROR_MISMATCH,
                             "body %s refers to unknown joint %s: expected a joint of the model",
                             MD5_QUOTED(def->name), MD5_QUOTED(def->joint));

    // Build the solid of the body, and compute its mass.
    body_shape shape;
    *body = (md5_body_part){.def = def, .joint = joint};
    build_shape(builder, def, &shape);
    orient_faces(&shape);
    const solid_mass mass = measure_solid(&shape);
    set_mass(body, &mass);

    // The transform of the body in the setup pose, and relative to its joint.
    const axes3 axes = body_axes(builder, def);
    const md5_vec3d origin = md5_vec3d_add(resolve_vector(builder, &def->origin),
                                           md5_rotate_by_axes(mass.center, &axes));
    builder->setup[index] =
        (md5_xform){.rotation = md5i_quat_from_axes(&axes), .translation = md5_vec3d_round(origin)};
    body->offset = md5_xform_mul(md5_xform_inverse(builder->joints[joint]), builder->setup[index]);
    store_shape(builder, body, &shape, mass.center);
    return true;
}

// Scales all masses and inertias so that the sum of the masses is "totalMass", if the declaration
// contains it.
static void distribute_total_mass(figure_builder *builder)
{
    const double total = (double)builder->figure.def->total_mass;
    double sum = 0.0;
    for (uint32_t i = 0; i < builder->figure.num_bodies; i++)
        sum += (double)builder->bodies[i].mass;
    if (!(total > 0.0 && sum > 0.0))
        return;
    for (uint32_t i = 0; i < builder->figure.num_bodies; i++) {
        md5_body_part *const body = &builder->bodies[i];
        body->mass = md5_round_to_float((double)body->mass * total / sum);
        for (uint32_t k = 0; k < 9; k++)
            body->inertia[k] = md5_round_to_float((double)body->inertia[k] * total / sum);
    }
}

static void convert_to_lower(char *text)
{
    for (; *text; text++)
        *text = md5_lower(*text);
}

// The effect of an element of a list of joints: it includes or excludes a joint.
typedef struct joint_rule {
    uint32_t order; // position in the list, from 1; 0 if the list has no such element
    bool is_contained;
} joint_rule;

// The last elements of a list that name a joint.
typedef struct joint_rules {
    joint_rule joint;   // elements without descendants
    joint_rule subtree; // elements with descendants
} joint_rules;

// Maps the name of each joint, in lower case, to its rules.
static bool map_joint_names(md5_name_map *names, md5_arena *arena, const md5_skeleton *skeleton,
                            joint_rules *rules)
{
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        const char *const text = skeleton->joints[i].name;
        char *const name = md5_copy_text(arena, text, strlen(text));
        TRY(name);
        convert_to_lower(name);
        void **const entry = md5i_name_map_add(names, arena, name);
        TRY(entry);
        if (!*entry) // the first joint of several with the same name
            *entry = &rules[i];
    }
    return true;
}

// Reads a list of joints, such as "*hip -knee", into the rules of the joints that it names. "*"
// includes the descendants of a joint, and "-" excludes the joint. Later elements override earlier
// elements, so each rule stores its position in the list. The rules of all other joints become
// empty. Warns about unknown names.
static void read_joint_rules(figure_builder *builder, const char *list, const md5_name_map *names,
                             joint_rules *rules)
{
    md5_joint_pattern pattern;
    memset(rules, 0, builder->entity->model->skeleton.num_joints * sizeof *rules);
    for (uint32_t order = 1; md5i_next_joint_pattern(&list, &pattern); order++) {
        md5_joint_pattern lower = pattern;
        convert_to_lower(lower.name);
        void *const *const found = md5i_name_map_find(names, lower.name);
        if (!found) {
            (void)FIGURE_REPORT(builder, MD5_WARNING, "joint %s not found in \"containedJoints\"",
                                MD5_QUOTED(pattern.name));
            continue;
        }
        joint_rules *const named = (joint_rules *)*found;
        joint_rule *const rule = pattern.has_descendants ? &named->subtree : &named->joint;
        rule->order = order;
        rule->is_contained = !pattern.is_excluded;
    }
}

// Returns true if a list includes a joint. If several elements of the list refer to the joint, the
// last one decides. A rule for a subtree is copied from the parent, so the function must be called
// for parents first.
static bool apply_joint_rules(const md5_skeleton *skeleton, joint_rules *rules, uint32_t joint)
{
    const uint32_t parent = skeleton->joints[joint].parent;
    joint_rules *const rule = &rules[joint];
    if (parent != MD5_NONE && rules[parent].subtree.order > rule->subtree.order)
        rule->subtree = rules[parent].subtree;
    if (rule->joint.order > rule->subtree.order)
        return rule->joint.is_contained;
    return rule->subtree.is_contained;
}

// Assigns the joints that the list of a body includes to the body. If a joint is in another body
// already, warns and moves it.
static void assign_body_joints(figure_builder *builder, uint32_t body, const md5_name_map *names,
                               joint_rules *rules, uint32_t *owners)
{
    const md5_skeleton *const skeleton = &builder->entity->model->skeleton;
    const md5_figure_body *const defs = builder->figure.def->bodies;
    read_joint_rules(builder, defs[body].contained, names, rules);
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        const uint32_t joint = skeleton->order[i]; // parents first
        if (!apply_joint_rules(skeleton, rules, joint))
            continue;
        if (owners[joint] != MD5_NONE)
            (void)FIGURE_REPORT(builder, MD5_WARNING,
                                "joint %s is in two bodies, %s and %s: expected it in one body",
                                MD5_QUOTED(skeleton->joints[joint].name),
                                MD5_QUOTED(defs[owners[joint]].name), MD5_QUOTED(defs[body].name));
        owners[joint] = body;
    }
}

// Sets body_of_joint, the body that contains each joint. If several bodies list a joint, it belongs
// to the last of them. Warns about joints without a body. Returns false if memory runs out.
static bool assign_joints(figure_builder *builder)
{
    const md5_skeleton *const skeleton = &builder->entity->model->skeleton;
    const uint32_t num_joints = skeleton->num_joints;
    uint32_t *const owners = MD5_ALLOC_ZEROED(&builder->arena, uint32_t, num_joints);
    joint_rules *const rules = MD5_ALLOC_ZEROED(&builder->scratch, joint_rules, num_joints);
    TRY(owners && rules);
    md5_name_map names = {.root = NULL};
    TRY(map_joint_names(&names, &builder->scratch, skeleton, rules));

    for (uint32_t i = 0; i < num_joints; i++)
        owners[i] = MD5_NONE;
    for (uint32_t body = 0; body < builder->figure.num_bodies; body++)
        assign_body_joints(builder, body, &names, rules, owners);
    for (uint32_t i = 0; i < num_joints; i++) {
        if (owners[i] == MD5_NONE)
            (void)FIGURE_REPORT(builder, MD5_WARNING,
                                "joint %s does not belong to a body: hits on it have no effect; "
                                "add it to \"containedJoints\"",
                                MD5_QUOTED(skeleton->joints[i].name));
    }
    builder->figure.body_of_joint = owners;
    return true;
}

// Sets mover_of_joint, the body that moves each joint. If several bodies are defined at a joint,
// the last of them moves it. Returns false if memory runs out.
static bool map_movers(figure_builder *builder)
{
    const uint32_t num_joints = builder->entity->model->skeleton.num_joints;
    uint32_t *const movers = MD5_ALLOC_ZEROED(&builder->arena, uint32_t, num_joints);
    TRY(movers);
    for (uint32_t i = 0; i < num_joints; i++)
        movers[i] = MD5_NONE;
    for (uint32_t body = 0; body < builder->figure.num_bodies; body++)
        movers[builder->bodies[body].joint] = body;
    builder->figure.mover_of_joint = movers;
    return true;
}

// == Constraints ==================================================================================

// Returns the index of the body with a name, ignoring case, or MD5_NONE if there is none.
static uint32_t find_body(const figure_builder *builder, const char *name)
{
    for (uint32_t i = 0; i < builder->figure.num_bodies; i++) {
        if (md5_equals_ignore_case(builder->figure.def->bodies[i].name, name))
            return i;
    }
    return MD5_NONE;
}

// Returns the direction to the left of a direction (x, y, z), as the engine computes it. For steep
// directions, the perpendicular vector would be
//
//   (y^2 + z^2, -x y, -x z).
//
// The engine's formula omits both minus signs, so its result is not perpendicular to the direction.
static md5_vec3d left_direction(md5_vec3d v)
{
    if (fabs(v.z) > 0.7) {
        const double square = v.y * v.y + v.z * v.z;
        const double scale = 1.0 / sqrt(square);
        return (md5_vec3d){square * scale, v.x * v.y * scale, v.x * v.z * scale};
    }
    return md5_vec3d_normalize((md5_vec3d){-v.y, v.x, 0.0});
}

// Rotates a vector about an axis of length 1.
static md5_vec3d rotate_about_axis(md5_vec3d v, md5_vec3d axis, double degrees)
{
    const double c = cos(degrees * DEGREE);
    const double s = sin(degrees * DEGREE);
    const md5_vec3d along = md5_vec3d_scale(axis, md5_vec3d_dot(axis, v) * (1.0 - c));
    return md5_vec3d_add(md5_vec3d_add(md5_vec3d_scale(v, c), along),
                         md5_vec3d_scale(md5_vec3d_cross(axis, v), s));
}

// Returns the transform of a body in the setup, or the identity for the world.
static world_transform setup_transform(const figure_builder *builder, uint32_t body)
{
    return body == MD5_NONE ? model_space_world : md5i_world_transform(builder->setup[body]);
}

// Rotates a vector from model space into the axes of a body.
static md5_vec3 rotate_into_body(md5_vec3d v, const world_transform *body)
{
    return md5_vec3d_round(md5_rotate_into_axes(v, &body->axes));
}

// Returns the cosine of half of an angle.
static float half_cosine(float degrees)
{
    return (float)cos(0.5 * (double)degrees * DEGREE);
}

// A limit of a constraint in the setup pose, in model space. `shaft` is a direction of the first
// body, and `axis` a direction of the second body. The limit keeps the angle between them below
// half of `angles`. `base` is the direction to a side of a pyramid, perpendicular to `axis`.
typedef struct figure_limit {
    md5_vec3d axis;
    md5_vec3d base;
    md5_vec3d shaft;
    float angles[2]; // degrees, of the whole cone or of the two pairs of walls of a pyramid
} figure_limit;

// Returns the limit of a hinge. Its angles are relative to the direction to the left of the hinge
// axis. The angles in the definition are
//
//   limit_angles[0]  the middle of the range
//   limit_angles[1]  the size of the range
//   limit_angles[2]  the angle of the hinge in the setup pose.
static figure_limit find_hinge_limit(const md5_figure_constraint *def, md5_vec3d hinge_axis)
{
    const md5_vec3d left = left_direction(hinge_axis);
    return (figure_limit){
        .axis = rotate_about_axis(left, hinge_axis, -(double)def->limit_angles[0]),
        .base = model_space_world.origin,
        .shaft = rotate_about_axis(left, hinge_axis, -(double)def->limit_angles[2]),
        .angles = {def->limit_angles[1], def->limit_angles[1]},
    };
}

// Returns the limit of a constraint that is not a hinge: a cone or a pyramid. limit_angles[2] is
// the rotation of a pyramid about its axis.
static figure_limit find_cone_limit(const figure_builder *builder, const md5_figure_constraint *def,
                                    md5_vec3d shaft)
{
    figure_limit limit = {
        .axis = md5_vec3d_normalize(resolve_vector(builder, &def->limit_axis)),
        .base = model_space_world.origin,
        .shaft = shaft,
        .angles = {def->limit_angles[0], def->limit_angles[1]},
    };
    if (def->limit != MD5_FIGURE_PYRAMID)
        return limit;
    const axes3 axes =
        md5i_axes_from_angles(-md5i_pitch_degrees(limit.axis), md5i_yaw_degrees(limit.axis),
                              (double)def->limit_angles[2]);
    limit.axis = axes.row[0];
    limit.base = axes.row[1];
    return limit;
}

// Sets the limit of a constraint. Each direction is stored relative to the body with which it
// moves. `ends` are the transforms of both bodies in the setup pose. `shaft` is the shaft of the
// first body, and `axis` the axis of a hinge, both in model space.
static void set_limit(const figure_builder *builder, md5_body_constraint *constraint,
                      const world_transform ends[2], md5_vec3d shaft, md5_vec3d axis)
{
    const md5_figure_constraint *const def = constraint->def;
    figure_limit limit;
    if (def->type == MD5_CONSTRAINT_HINGE)
        limit = find_hinge_limit(def, axis);
    else
        limit = find_cone_limit(builder, def, shaft);
    constraint->limit_cosines[0] = half_cosine(limit.angles[0]);
    constraint->limit_cosines[1] = half_cosine(limit.angles[1]);
    constraint->limit_axis = rotate_into_body(limit.axis, &ends[1]);
    constraint->limit_base = rotate_into_body(limit.base, &ends[1]);
    constraint->limit_shaft = rotate_into_body(limit.shaft, &ends[0]);
}

// Returns the axis of a universal joint. It is perpendicular to both shafts, or only to the first
// shaft if the shafts are parallel.
static md5_vec3d universal_axis(const md5_vec3d shafts[2])
{
    const md5_vec3d across = md5_vec3d_cross(shafts[0], shafts[1]);
    if (!(md5_vec3d_length(across) > 1e-6))
        return left_direction(shafts[0]);
    return md5_vec3d_normalize(across);
}

// Builds a constraint from its definition. Anchors, shafts and axes are defined in the setup pose,
// and stored relative to each of the two bodies. Returns false after an error.
static bool build_constraint(figure_builder *builder, uint32_t index)
{
    const md5_figure_constraint *const def = &builder->figure.def->constraints[index];
    md5_body_constraint *const constraint = &builder->constraints[index];
    *constraint = (md5_body_constraint){
        .def = def,
        .bodies = {find_body(builder, def->bodies[0]), find_body(builder, def->bodies[1])}};
    if (constraint->bodies[0] == MD5_NONE && !md5_equals_ignore_case(def->bodies[0], "world"))
        return FIGURE_REPORT(builder, MD5_ERROR_MISMATCH, "constraint %s refers to unknown body %s",
                             MD5_QUOTED(def->name), MD5_QUOTED(def->bodies[0]));

    // Compute the anchor and the shaft of the constraint in the space of each body.
    const world_transform ends[2] = {setup_transform(builder, constraint->bodies[0]),
                                     setup_transform(builder, constraint->bodies[1])};
    md5_vec3d shafts[2];
    md5_vec3d axis = md5_vec3d_normalize(resolve_vector(builder, &def->axis));
    for (uint32_t i = 0; i < 2; i++) {
        // Only a spring has two anchors.
        const uint32_t source = def->type == MD5_CONSTRAINT_SPRING ? i : 0;
        const md5_vec3d anchor = resolve_vector(builder, &def->anchors[source]);
        constraint->anchors[i] = rotate_into_body(md5_vec3d_sub(anchor, ends[i].origin), &ends[i]);
        shafts[i] = md5_vec3d_normalize(resolve_vector(builder, &def->shafts[i]));
        constraint->shafts[i] = rotate_into_body(shafts[i], &ends[i]);
    }

    // Compute the axis in the space of each body, and the limit of the rotation.
    if (def->type == MD5_CONSTRAINT_UNIVERSAL)
        axis = universal_axis(shafts);
    for (uint32_t i = 0; i < 2; i++)
        constraint->axes[i] = rotate_into_body(axis, &ends[i]);
    set_limit(builder, constraint, ends, shafts[0], axis);
    return true;
}

// == Keys of the entity ===========================================================================

// Returns the number in the key "ragdoll_" + `name` + `suffix`. Returns `default_value` if the key
// is missing or its number is out of range.
static float read_ragdoll_key(const md5_entity *entity, const char *name, const char *suffix,
                              float default_value)
{
    char key[64];
    (void)snprintf(key, sizeof key, "ragdoll_%s%s", name, suffix);
    const char *const text = entity->def ? md5_entity_def_value(entity->def, key) : NULL;
    float value = default_value;
    md5i_entity_numbers(text, &value, 1);
    return value > -1e6f && value < 1e6f ? value : default_value;
}

// Reads the keys of a friction dent, which reduces a friction for a time.
static md5_friction_dent read_dent(const md5_entity *entity, const char *name,
                                   md5_friction_dent defaults)
{
    return (md5_friction_dent){.scale = read_ragdoll_key(entity, name, "", defaults.scale),
                               .start = read_ragdoll_key(entity, name, "Start", defaults.start),
                               .end = read_ragdoll_key(entity, name, "End", defaults.end)};
}

// Reads the keys of slow motion and friction. The default values are the same as in the engine.
static void read_ragdoll_keys(md5_figure *figure)
{
    const md5_entity *const entity = figure->entity;
    const md5_friction_dent joint = {.scale = 0.1f, .start = 0.2f, .end = 1.2f};
    const md5_friction_dent contact = {.scale = 0.1f, .start = 1.0f, .end = 2.0f};
    figure->slow_motion[0] = read_ragdoll_key(entity, "slomo", "Start", -1.6f);
    figure->slow_motion[1] = read_ragdoll_key(entity, "slomo", "End", 0.8f);
    figure->joint_friction = read_dent(entity, "jointFrictionDent", joint);
    figure->contact_friction = read_dent(entity, "contactFrictionDent", contact);
}

// == Creation =====================================================================================

// Samples the setup pose: the first frame of the clip "af_pose".
static bool find_setup(figure_builder *builder)
{
    const md5_entity *const entity = builder->entity;
    const uint32_t num_joints = entity->model->skeleton.num_joints;
    md5_xform *const pose = MD5_ALLOC_ZEROED(&builder->arena, md5_xform, num_joints);
    builder->joints = MD5_ALLOC_ZEROED(&builder->arena, md5_xform, num_joints);
    TRY(pose && builder->joints);
    if (!md5i_sample_clip_start(entity, "af_pose", pose, builder->joints))
        return FIGURE_REPORT(builder, MD5_ERROR_MISMATCH,
                             "entity has no clip %s: expected it for the setup pose",
                             MD5_QUOTED("af_pose"));
    pose[0].translation = (md5_vec3){0.0f, 0.0f, 0.0f};
    builder->figure.setup_pose = pose;
    return true;
}

// Returns true if a definition can become a figure. Otherwise sets the context's error.
static bool check_definition(const figure_builder *builder)
{
    const md5_figure_def *const def = builder->figure.def;
    if (def->num_bodies == 0 || strcmp(def->bodies[0].joint, "origin") != 0)
        return FIGURE_REPORT(builder, MD5_ERROR_MISMATCH,
                             "missing body: expected the first body at joint %s",
                             MD5_QUOTED("origin"));
    if (def->num_bodies > MD5_MAX_FIGURE_PARTS || def->num_constraints > MD5_MAX_FIGURE_PARTS)
        return FIGURE_REPORT(
            builder, MD5_ERROR_RANGE,
            "too many parts: expected at most %d bodies and constraints, found %u and %u",
            MD5_MAX_FIGURE_PARTS, def->num_bodies, def->num_constraints);
    return true;
}

// Allocates the arrays of the figure. Their sizes are limited by check_definition().
static bool allocate_parts(figure_builder *builder)
{
    const md5_figure_def *const def = builder->figure.def;
    const size_t num_bodies = def->num_bodies;
    builder->bodies = MD5_ALLOC_ZEROED(&builder->arena, md5_body_part, num_bodies);
    builder->constraints =
        MD5_ALLOC_ZEROED(&builder->arena, md5_body_constraint, def->num_constraints);
    builder->vertices = MD5_ALLOC_ZEROED(&builder->arena, md5_vec3, MAX_CORNERS * num_bodies);
    builder->triangles = (uint32_t(*)[3])md5i_arena_alloc_zeroed(
        &builder->arena, MAX_FACES * num_bodies, sizeof *builder->triangles);
    builder->setup = MD5_ALLOC_ZEROED(&builder->arena, md5_xform, num_bodies);
    TRY(builder->bodies && builder->constraints);
    return builder->vertices && builder->triangles && builder->setup;
}

// Builds the bodies and constraints of a figure in the order of their definitions, and assigns the
// model's joints to the bodies. Returns false after an error.
static bool build_figure(figure_builder *builder)
{
    md5_figure *const figure = &builder->figure;
    const md5_figure_def *const def = figure->def;
    TRY(check_definition(builder));
    TRY(find_setup(builder));
    TRY(allocate_parts(builder));

    for (; figure->num_bodies < def->num_bodies; figure->num_bodies++)
        TRY(build_body(builder, figure->num_bodies));
    distribute_total_mass(builder);
    TRY(assign_joints(builder));
    TRY(map_movers(builder));

    for (; figure->num_constraints < def->num_constraints; figure->num_constraints++)
        TRY(build_constraint(builder, figure->num_constraints));
    figure->bodies = builder->bodies;
    figure->constraints = builder->constraints;
    figure->vertices = builder->vertices;
    figure->triangles = (const uint32_t(*)[3])builder->triangles;
    figure->setup = builder->setup;
    read_ragdoll_keys(figure);
    return true;
}

typedef struct figure_owner {
    md5_figure figure; // the public part, must be first
    md5_allocator allocator;
    struct md5_chunk *chunks;
} figure_owner;

// Creates an articulated figure: the rigid bodies, joints and limits that a declaration describes.
// The positions come from the entity's model. Returns NULL and sets the error on failure.
md5_figure *md5_create_figure(const md5_figure_def *def, const md5_entity *entity,
                              const md5_load_opts *opts, md5_error *error)
{
    MD5_ASSERT_NULL_OR_ALIVE(entity, MD5_TAG_ENTITY);
    if (!def) {
        md5i_fail_missing(error, "def");
        return NULL;
    }
    MD5_ASSERT_PART(def, decl);
    if (!entity) {
        md5i_fail_missing(error, "entity");
        return NULL;
    }
    MD5_ASSERT_OPTS(opts);

    md5_context context;
    md5i_context_begin(&context, opts, NULL, error);
    figure_builder builder = {.context = &context,
                              .arena = {.context = &context},
                              .scratch = {.context = &context},
                              .entity = entity,
                              .figure = {.def = def, .entity = entity},
                              .location = {.decl = def->decl,
                                           .line = def->decl->keyword_line,
                                           .column = def->decl->keyword_column}};
    if (!md5i_check_id_space(&context, entity))
        return NULL;

    figure_owner *const owner = MD5_ALLOC_ZEROED(&builder.arena, figure_owner, 1);
    const bool is_built = owner && build_figure(&builder);
    md5i_arena_free(&builder.scratch);
    if (!is_built) {
        md5i_arena_free(&builder.arena);
        return NULL;
    }

    // The owner is in the arena itself. It stores the list of the arena's blocks, so that they can
    // be freed.
    owner->figure = builder.figure;
    owner->figure.internal = (md5_internal){.memory = owner, .tag = MD5_TAG_FIGURE};
    owner->allocator = context.allocator;
    owner->chunks = builder.arena.chunks;
    return &owner->figure;
}

// Frees a figure. NULL is allowed and has no effect.
void md5_free_figure(md5_figure *figure)
{
    MD5_ASSERT_NULL_OR_ALIVE(figure, MD5_TAG_FIGURE);
    if (!figure)
        return;
    const figure_owner *const owner = (const figure_owner *)figure->internal.memory;
    md5_context context;
    md5i_context_begin_memory(&context, owner->allocator, NULL);
    md5_arena arena = {.context = &context, .chunks = owner->chunks};
    md5i_arena_free_object(&arena);
}

// == Joints and bodies ============================================================================

// Moves the bodies of a figure to the joints of a pose in world space. If `seconds` is positive,
// computes velocities from the previous positions in `bodies`. Otherwise the velocities become 0.
void md5_figure_from_joints(const md5_figure *figure, const md5_mat34 *joints, md5_xform placement,
                            float seconds, md5_body_state *bodies)
{
    MD5_ASSERT_FIGURE(figure);
    MD5_ASSERT(joints != NULL && bodies != NULL, "joints, bodies: must not be NULL");
    for (uint32_t i = 0; i < figure->num_bodies; i++) {
        const md5_body_part *const body = &figure->bodies[i];
        const md5_xform joint_in_model = md5_xform_from_mat34(joints[body->joint]);
        const md5_xform body_in_model = md5_xform_mul(joint_in_model, body->offset);
        const md5_xform body_in_world = md5_xform_mul(placement, body_in_model);
        const md5_vec3 previous = bodies[i].transform.translation;
        bodies[i] = (md5_body_state){.linear = {0.0f, 0.0f, 0.0f}};
        bodies[i].transform = body_in_world;
        if (seconds > 0.0f)
            bodies[i].linear = md5_vec3_scale(
                md5_vec3_sub(bodies[i].transform.translation, previous), 1.0f / seconds);
    }
}

// Returns the transform in model space that a body gives to its joint. `from_world` is the rotation
// from world space to model space, and `origin` is the position of the model in world space. As in
// the engine, the vector from joint to body is subtracted in world space, although it is in model
// space.
static md5_xform joint_from_body(const md5_body_part *part, const md5_xform *body,
                                 md5_quat from_world, md5_vec3 origin)
{
    const md5_quat body_to_model = md5_quat_mul(from_world, body->rotation);
    const md5_quat joint_to_body = md5_quat_conjugate(part->offset.rotation);
    const md5_quat joint_to_model = md5_quat_mul(body_to_model, joint_to_body);
    const md5_vec3 joint_to_center = md5_quat_rotate(joint_to_model, part->offset.translation);
    const md5_vec3 origin_to_center = md5_vec3_sub(body->translation, origin);
    const md5_vec3 origin_to_joint = md5_vec3_sub(origin_to_center, joint_to_center);
    return (md5_xform){.rotation = joint_to_model,
                       .translation = md5_quat_rotate(from_world, origin_to_joint)};
}

// Converts the transforms of bodies to a pose, relative to parents. Joints that no body moves keep
// the setup pose. Returns the placement of the entity.
md5_xform md5_figure_to_pose(const md5_figure *figure, const md5_body_state *bodies,
                             md5_xform *pose)
{
    MD5_ASSERT_FIGURE(figure);
    MD5_ASSERT(bodies != NULL && pose != NULL, "bodies, pose: must not be NULL");

    const md5_skeleton *const skeleton = &figure->entity->model->skeleton;
    const md5_xform placement =
        md5_xform_mul(bodies[0].transform, md5_xform_inverse(figure->setup[0]));
    const md5_quat from_world = md5_xform_inverse(placement).rotation;
    memcpy(pose, figure->setup_pose, skeleton->num_joints * sizeof *pose);

    // The transform of a joint depends on its parent, so parents come first.
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        const uint32_t joint = skeleton->order[i];
        const uint32_t body = figure->mover_of_joint[joint];
        if (body == MD5_NONE)
            continue;
        const md5_body_part *const part = &figure->bodies[body];
        const md5_xform from_model =
            md5_xform_inverse(md5i_parent_transform(skeleton, pose, joint));
        const md5_xform in_model =
            joint_from_body(part, &bodies[body].transform, from_world, placement.translation);
        const md5_xform local = md5_xform_mul(from_model, in_model);
        if (part->def->mod != MD5_BODY_ORIGIN)
            pose[joint].rotation = local.rotation;
        if (part->def->mod != MD5_BODY_AXIS)
            pose[joint].translation = local.translation;
    }
    pose[0].translation = md5_vec3_add(pose[0].translation, figure->entity->offset);
    return placement;
}

// Returns a bounding box of all bodies, for culling. The box is in the model space of an entity at
// `placement`.
md5_bounds md5_figure_bounds(const md5_figure *figure, const md5_body_state *bodies,
                             md5_xform placement)
{
    MD5_ASSERT_FIGURE(figure);
    MD5_ASSERT_NOT_NULL(bodies);
    const md5_xform from_world = md5_xform_inverse(placement);
    md5_bounds bounds = md5_bounds_from_points(NULL, 0);
    for (uint32_t i = 0; i < figure->num_bodies; i++) {
        const md5_mat34 in_model =
            md5_mat34_from_xform(md5_xform_mul(from_world, bodies[i].transform));
        bounds = md5_bounds_union(bounds, md5_bounds_transform(figure->bodies[i].bounds, in_model));
    }
    return bounds;
}

// Clips a line segment by the plane of a triangle of a convex body (Cyrus-Beck clipping). *enter
// and *leave are the fractions of the segment at which it enters and leaves the planes so far.
// *normal is the normal of the plane that it enters last. Returns false if the segment is parallel
// to the plane and outside of it.
static bool clip_by_triangle(const md5_figure *figure, const uint32_t *corners, md5_vec3 from,
                             md5_vec3 direction, float *enter, float *leave, md5_vec3 *normal)
{
    const md5_vec3 a = figure->vertices[corners[0]];
    const md5_vec3 outward = md5_vec3_cross(md5_vec3_sub(figure->vertices[corners[2]], a),
                                            md5_vec3_sub(figure->vertices[corners[1]], a));
    const float depth = md5_vec3_dot(outward, md5_vec3_sub(a, from)); // negative: outside
    const float speed = md5_vec3_dot(outward, direction);             // negative: inward
    if (speed == 0.0f)
        return !(depth < 0.0f); // parallel to the plane

    const float fraction = depth / speed; // position on the segment at which it crosses the plane
    if (speed < 0.0f && fraction > *enter) {
        *enter = fraction;
        *normal = md5_vec3_normalize(outward, outward);
    } else if (speed > 0.0f) {
        *leave = fminf(*leave, fraction);
    }
    return true;
}

// Finds where a line segment enters a convex body: at the last face plane that it crosses from
// outside. The segment goes from `from` to from + direction, in the axes of the body. Sets *enter
// to the fraction of the segment, and *normal to the normal of the face. Returns false if the
// segment leaves through another plane before, or does not reach the body.
static bool enter_body(const md5_figure *figure, const md5_body_part *body, md5_vec3 from,
                       md5_vec3 direction, float *enter, md5_vec3 *normal)
{
    float leave = 1.0f;
    *enter = -1.0f;
    for (uint32_t i = 0; i < body->num_triangles; i++) {
        const uint32_t *const corners = figure->triangles[body->first_triangle + i];
        if (!clip_by_triangle(figure, corners, from, direction, enter, &leave, normal))
            return false;
    }
    return *enter >= 0.0f && *enter <= leave;
}

// Finds the body that a line segment in world space enters first. Writes *hit and returns true if
// there is one.
bool md5_raycast_figure(const md5_figure *figure, const md5_body_state *bodies, md5_vec3 from,
                        md5_vec3 to, md5_figure_hit *hit)
{
    MD5_ASSERT_FIGURE(figure);
    MD5_ASSERT(bodies != NULL && hit != NULL, "bodies, hit: must not be NULL");

    const md5_vec3 direction = md5_vec3_sub(to, from);
    bool is_hit = false;
    for (uint32_t i = 0; i < figure->num_bodies; i++) {
        // Convert the segment to the axes of the body.
        const md5_body_part *const body = &figure->bodies[i];
        const md5_quat from_world = md5_quat_conjugate(bodies[i].transform.rotation);
        const md5_vec3 local_from =
            md5_quat_rotate(from_world, md5_vec3_sub(from, bodies[i].transform.translation));
        const md5_vec3 local_direction = md5_quat_rotate(from_world, direction);
        float enter; // fraction of the segment
        md5_vec3 normal = {0.0f, 0.0f, 0.0f};
        if (!enter_body(figure, body, local_from, local_direction, &enter, &normal))
            continue;
        const bool is_behind_hit = is_hit && enter >= hit->fraction;
        if (is_behind_hit)
            continue;
        *hit = (md5_figure_hit){
            .body = i,
            .joint = body->joint,
            .fraction = enter,
            .point = md5_vec3_add(from, md5_vec3_scale(direction, enter)),
            .normal = md5_quat_rotate(bodies[i].transform.rotation, normal),
        };
        is_hit = true;
    }
    return is_hit;
}
