// Figures of entities: bodies with masses, inertia and shapes, frames of constraints, and the way
// between joints and bodies.
#include "md5/core/freed.h"
#include "md5/game/character.h"

#include "md5/core/arena.h"
#include "md5/decl/containers.h"
#include "md5/decl/game.h"
#include "md5/md5figure.h"

#include <string.h>

typedef struct figure_maker {
    md5_context *context;
    md5_arena arena;
    md5_arena scratch;
    const md5_entity *entity;
    md5_figure figure;
    md5_body_part *bodies;
    md5_body_constraint *constraints;
    md5_vec3 *vertices;
    uint32_t (*triangles)[3];
    md5_xform *setup;
    md5_xform *joints;    // of the setup, in model space
    md5_entity_key place; // of the declaration, for messages
} figure_maker;

// Reports something of the figure: STATUS, "format", values.
#define FIGURE_REPORT(maker, status, format, ...)                                    \
    md5i_report_key((maker)->context, status, &(maker)->place, "figure %s: " format, \
                    MD5_QUOTED((maker)->figure.def->decl->name), __VA_ARGS__)

static const world_place model_space = {
    .axes = {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}}};

// == Vectors ======================================================================================

static md5_vec3d joint_place(const figure_maker *maker, const char *name)
{
    const int32_t joint = md5i_find_joint(&maker->entity->model->skeleton, name);
    if (joint >= 0)
        return md5_vec3d_of(maker->joints[joint].translation);
    (void)FIGURE_REPORT(maker, MD5_WARNING, "joint %s not found: using (0, 0, 0)",
                        MD5_QUOTED(name));
    return model_space.origin;
}

// In model space.
static md5_vec3d resolve(const figure_maker *maker, const md5_figure_vector *vector)
{
    md5_vec3d value = md5_vec3d_of(vector->numbers);
    if (vector->kind != MD5_FIGURE_NUMBERS)
        value = joint_place(maker, vector->joints[0]);
    if (vector->kind == MD5_FIGURE_BONE_CENTER)
        value = md5_vec3d_scale(md5_vec3d_add(value, joint_place(maker, vector->joints[1])), 0.5);
    if (vector->kind == MD5_FIGURE_BONE_DIR)
        value = md5_vec3d_sub(joint_place(maker, vector->joints[1]), value);
    return vector->is_negated ? md5_vec3d_scale(value, -1.0) : value;
}

// == Shapes =======================================================================================

enum { MAX_CORNERS = 20, MAX_FACES = 36, MAX_CYLINDER_SIDES = 10, MAX_CONE_SIDES = 15 };

typedef struct body_shape {
    md5_vec3d corners[MAX_CORNERS];
    uint32_t faces[MAX_FACES][3]; // counterclockwise or clockwise: see turn_outward()
    uint32_t num_corners;
    uint32_t num_faces;
} body_shape;

static void add_corner(body_shape *shape, double x, double y, double z)
{
    shape->corners[shape->num_corners++] = (md5_vec3d){x, y, z};
}

static void add_face(body_shape *shape, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t *const face = shape->faces[shape->num_faces++];
    face[0] = a, face[1] = b, face[2] = c;
}

// Triangles of corners from a to t.
static void add_faces(body_shape *shape, const char *corners)
{
    for (; *corners; corners += 3)
        add_face(shape, (uint32_t)corners[0] - 'a', (uint32_t)corners[1] - 'a',
                 (uint32_t)corners[2] - 'a');
}

static void make_box(body_shape *shape)
{
    for (uint32_t i = 0; i < 8; i++)
        add_corner(shape, i & 1 ? 1.0 : -1.0, i & 2 ? 1.0 : -1.0, i & 4 ? 1.0 : -1.0);
    add_faces(shape, "acgagebdhbhfaefafbcghchdabdadcefhehg");
}

static void make_octahedron(body_shape *shape)
{
    for (uint32_t i = 0; i < 6; i++) {
        double at[3] = {0.0, 0.0, 0.0};
        at[i / 2] = i & 1 ? 1.0 : -1.0;
        add_corner(shape, at[0], at[1], at[2]);
    }
    add_faces(shape, "acebceadebdeacfbcfadfbdf");
}

// A regular one, which touches the box.
static void make_dodecahedron(body_shape *shape)
{
    const double golden = 1.61803398874989485;
    const double one = 1.0 / golden;
    const double less = one * one;
    for (uint32_t i = 0; i < 8; i++)
        add_corner(shape, i & 4 ? one : -one, i & 2 ? one : -one, i & 1 ? one : -one);
    for (int axis = 3; axis > 0; axis--) { // across which a rectangle lies
        for (uint32_t i = 0; i < 4; i++) {
            const uint32_t bit = axis == 1 ? 1 : 2; // of the short side
            double at[3] = {0.0, 0.0, 0.0};
            at[(axis + 1) % 3] = i & bit ? less : -less;
            at[(axis + 2) % 3] = i & (3 - bit) ? 1.0 : -1.0;
            add_corner(shape, at[0], at[1], at[2]);
        }
    }
    add_faces(shape, "omaoaioiefjbfbmfmogkcgcngnppndpdlplhkiakaqkqcdrbdbjdjl"
                     "gsegeigikljflftlthrqaramrmbfoefesfstdncdcqdqrtsgtgptph");
}

// A cylinder or a cone: a ring of corners below, and above it another one or the tip. Each ring has
// a cap, and on each of its sides a triangle.
static void make_round(body_shape *shape, int32_t num_sides, bool is_cone)
{
    const int32_t most = is_cone ? MAX_CONE_SIDES : MAX_CYLINDER_SIDES;
    const uint32_t sides = (uint32_t)(num_sides < 3 ? 3 : num_sides > most ? most : num_sides);
    const uint32_t count = is_cone ? sides : 2 * sides;
    for (uint32_t i = 0; i < count; i++) {
        const double angle = 360.0 * DEGREE * (i % sides) / sides;
        add_corner(shape, cos(angle), sin(angle), i < sides ? -1.0 : 1.0);
    }
    if (is_cone)
        add_corner(shape, 0.0, 0.0, 1.0);
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t at = i % sides;
        const uint32_t first = i - at;
        const uint32_t next = first + (at + 1) % sides;
        add_face(shape, i, next, is_cone ? sides : first > 0 ? at : sides + next);
        if (at > 1)
            add_face(shape, first, i - 1, i);
    }
}

// The shape in the body's axes, before it is moved to its center.
static void make_shape(const figure_maker *maker, const md5_figure_body *def, body_shape *shape)
{
    const md5_vec3d a = resolve(maker, &def->corners[0]);
    const md5_vec3d b = resolve(maker, &def->corners[1]);
    const md5_vec3d middle = md5_vec3d_scale(md5_vec3d_add(a, b), 0.5);
    const md5_vec3d half = md5_vec3d_scale(md5_vec3d_sub(b, a), 0.5);
    const double length = md5_vec3d_length(half);
    const double width = 0.5 * (double)def->width;
    const bool is_cone = def->shape == MD5_SHAPE_CONE;
    *shape = (body_shape){.num_corners = 0};
    switch (def->shape) {
    case MD5_SHAPE_BONE:
        add_corner(shape, 0.0, 0.0, -length);
        add_corner(shape, 0.0, 0.0, length);
        add_corner(shape, 0.0, -width, 0.0);
        add_corner(shape, width, 0.5 * width, 0.0);
        add_corner(shape, -width, 0.5 * width, 0.0);
        add_faces(shape, "acdbcdadebdeaecbec");
        return;
    case MD5_SHAPE_OCTAHEDRON:
        make_octahedron(shape);
        break;
    case MD5_SHAPE_DODECAHEDRON:
        make_dodecahedron(shape);
        break;
    case MD5_SHAPE_CYLINDER:
    case MD5_SHAPE_CONE:
        make_round(shape, def->num_sides, is_cone);
        break;
    case MD5_SHAPE_BOX:
        make_box(shape);
        break;
    }
    const double lift = is_cone ? -half.z : middle.z; // the tip of a cone is at z = 0
    for (uint32_t i = 0; i < shape->num_corners; i++) {
        md5_vec3d *const corner = &shape->corners[i];
        *corner = (md5_vec3d){middle.x + corner->x * half.x, middle.y + corner->y * half.y,
                              lift + corner->z * half.z};
    }
}

// Makes all faces clockwise, seen from outside.
static void turn_outward(body_shape *shape)
{
    md5_vec3d middle = model_space.origin;
    for (uint32_t i = 0; i < shape->num_corners; i++)
        middle =
            md5_vec3d_add(middle, md5_vec3d_scale(shape->corners[i], 1.0 / shape->num_corners));
    for (uint32_t i = 0; i < shape->num_faces; i++) {
        uint32_t *const face = shape->faces[i];
        const md5_vec3d a = shape->corners[face[0]];
        const md5_vec3d normal = md5_vec3d_cross(md5_vec3d_sub(shape->corners[face[2]], a),
                                                 md5_vec3d_sub(shape->corners[face[1]], a));
        if (md5_vec3d_dot(normal, md5_vec3d_sub(a, middle)) < 0.0) {
            const uint32_t first = face[0];
            face[0] = face[1];
            face[1] = first;
        }
    }
}

// == Masses =======================================================================================

// The volume with its center, and the integrals of the products of coordinates about it.
typedef struct solid {
    double volume;
    double products[3][3];
    md5_vec3d center;
} solid;

static solid measure(const body_shape *shape)
{
    solid it = {.volume = 0.0};
    for (uint32_t i = 0; i < shape->num_faces; i++) {
        const md5_vec3d a = shape->corners[shape->faces[i][0]];
        const md5_vec3d b = shape->corners[shape->faces[i][2]];
        const md5_vec3d c = shape->corners[shape->faces[i][1]];
        const md5_vec3d sum = md5_vec3d_add(md5_vec3d_add(a, b), c);
        const double six = md5_vec3d_dot(a, md5_vec3d_cross(b, c)); // times the tetrahedron
        const double rows[4][3] = {
            {a.x, a.y, a.z}, {b.x, b.y, b.z}, {c.x, c.y, c.z}, {sum.x, sum.y, sum.z}};
        it.volume += six / 6.0;
        it.center = md5_vec3d_add(it.center, md5_vec3d_scale(sum, six / 24.0));
        for (uint32_t r = 0; r < 3; r++)
            for (uint32_t s = 0; s < 3; s++)
                for (uint32_t k = 0; k < 4; k++)
                    it.products[r][s] += six / 120.0 * rows[k][r] * rows[k][s];
    }
    it.center = md5_vec3d_scale(it.center, it.volume > 0.0 ? 1.0 / it.volume : 0.0);
    const double center[3] = {it.center.x, it.center.y, it.center.z};
    for (uint32_t r = 0; r < 3; r++)
        for (uint32_t s = 0; s < 3; s++)
            it.products[r][s] -= it.volume * center[r] * center[s];
    return it;
}

static void set_mass(md5_body_part *body, const solid *of)
{
    const double density = (double)body->def->density;
    const double trace = of->products[0][0] + of->products[1][1] + of->products[2][2];
    body->mass = md5_round_to_float(density * of->volume);
    for (uint32_t r = 0; r < 3; r++) {
        for (uint32_t c = 0; c < 3; c++) {
            double scaled = 0.0;
            for (uint32_t k = 0; k < 3; k++)
                scaled += density * ((r == k ? trace : 0.0) - of->products[r][k])
                          * (double)body->def->inertia_scale[3 * k + c];
            body->inertia[3 * r + c] = md5_round_to_float(scaled);
        }
    }
}

// == Bodies =======================================================================================

static axes3 body_axes(const figure_maker *maker, const md5_figure_body *def)
{
    if (def->shape != MD5_SHAPE_BONE)
        return md5i_axes_of_angles((double)def->angles[0], (double)def->angles[1],
                                   (double)def->angles[2]);
    const md5_vec3d up = md5_vec3d_normalize(
        md5_vec3d_sub(resolve(maker, &def->corners[1]), resolve(maker, &def->corners[0])));
    const double flat = sqrt(up.x * up.x + up.y * up.y);
    axes3 axes = model_space.axes;
    if (md5_vec3d_length(up) == 0.0)
        return axes;
    if (flat > 0.0)
        axes.row[0] = (md5_vec3d){-up.y / flat, up.x / flat, 0.0};
    axes.row[1] = md5_vec3d_cross(up, axes.row[0]);
    axes.row[2] = up;
    return axes;
}

static void keep_shape(figure_maker *maker, md5_body_part *body, const body_shape *shape,
                       md5_vec3d center)
{
    md5_figure *const figure = &maker->figure;
    body->first_vertex = figure->num_vertices;
    body->num_vertices = shape->num_corners;
    body->first_triangle = figure->num_triangles;
    body->num_triangles = shape->num_faces;
    for (uint32_t i = 0; i < shape->num_corners; i++)
        maker->vertices[figure->num_vertices++] =
            md5_vec3d_round(md5_vec3d_sub(shape->corners[i], center));
    body->bounds = md5_bounds_from_points(&maker->vertices[body->first_vertex], body->num_vertices);
    for (uint32_t i = 0; i < shape->num_faces; i++)
        for (uint32_t k = 0; k < 3; k++)
            maker->triangles[figure->num_triangles + i][k] =
                body->first_vertex + shape->faces[i][k];
    figure->num_triangles += shape->num_faces;
}

// The joint that a body moves: instead of the root, which the entity's place moves, its first
// child.
static uint32_t moved_joint(const figure_maker *maker, const md5_figure_body *def)
{
    const md5_skeleton *const skeleton = &maker->entity->model->skeleton;
    const int32_t joint = md5i_find_joint(skeleton, def->joint);
    uint32_t child = 0;
    if (joint != 0 || strcmp(def->joint, "origin") != 0)
        return joint < 0 ? MD5_NONE : (uint32_t)joint;
    while (child < skeleton->num_joints && skeleton->joints[child].parent != 0)
        child++;
    return child < skeleton->num_joints ? child : 0;
}

static bool make_body(figure_maker *maker, uint32_t index)
{
    const md5_figure_body *const def = &maker->figure.def->bodies[index];
    md5_body_part *const body = &maker->bodies[index];
    const uint32_t joint = moved_joint(maker, def);
    body_shape shape;
    if (joint == MD5_NONE)
        return FIGURE_REPORT(maker, MD5_ERROR_MISMATCH, "body %s refers to unknown joint %s",
                             MD5_QUOTED(def->name), MD5_QUOTED(def->joint));
    *body = (md5_body_part){.def = def, .joint = joint};
    make_shape(maker, def, &shape);
    turn_outward(&shape);
    const solid of = measure(&shape);
    const axes3 axes = body_axes(maker, def);
    const md5_vec3d origin =
        md5_vec3d_add(resolve(maker, &def->origin), md5_through(of.center, &axes));
    set_mass(body, &of);
    maker->setup[index] =
        (md5_xform){.rotation = md5i_quat_of_axes(&axes), .translation = md5_vec3d_round(origin)};
    body->offset = md5_xform_mul(md5_xform_inverse(maker->joints[joint]), maker->setup[index]);
    keep_shape(maker, body, &shape, of.center);
    return true;
}

static void share_total_mass(figure_maker *maker)
{
    const double wanted = (double)maker->figure.def->total_mass;
    double sum = 0.0;
    for (uint32_t i = 0; i < maker->figure.num_bodies; i++)
        sum += (double)maker->bodies[i].mass;
    if (!(wanted > 0.0 && sum > 0.0))
        return;
    for (uint32_t i = 0; i < maker->figure.num_bodies; i++) {
        md5_body_part *const body = &maker->bodies[i];
        body->mass = md5_round_to_float((double)body->mass * wanted / sum);
        for (uint32_t k = 0; k < 9; k++)
            body->inertia[k] = md5_round_to_float((double)body->inertia[k] * wanted / sum);
    }
}

static void make_lower(char *text)
{
    for (; *text; text++)
        *text = md5_lower(*text);
}

// Of each joint the last word of a list about it alone, and about it with all below: 0 none, odd:
// they are contained.
typedef uint32_t joint_words[2];

static bool map_joints(md5_name_map *names, md5_arena *arena, const md5_skeleton *skeleton,
                       joint_words *words)
{
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        const char *const text = skeleton->joints[i].name;
        char *const name = md5_copy_text(arena, text, strlen(text));
        TRY(name);
        make_lower(name);
        void **const entry = md5i_name_map_add(names, arena, name);
        TRY(entry);
        *entry = *entry ? *entry : words[i];
    }
    return true;
}

// What each body contains; of several the last one counts.
static void read_contained(figure_maker *maker, uint32_t *owners, const md5_name_map *names,
                           joint_words *words)
{
    const md5_skeleton *const skeleton = &maker->entity->model->skeleton;
    const md5_figure_body *const defs = maker->figure.def->bodies;
    for (uint32_t i = 0; i < skeleton->num_joints; i++)
        owners[i] = MD5_NONE;
    for (uint32_t body = 0; body < maker->figure.num_bodies; body++) {
        const char *at = defs[body].contained;
        md5_listed_joint top;
        memset(words, 0, skeleton->num_joints * sizeof *words);
        for (uint32_t word = 2; md5i_next_listed(&at, &top); word += 2) {
            md5_listed_joint lower = top;
            make_lower(lower.name);
            void *const *const found = md5i_name_map_find(names, lower.name);
            if (found)
                ((uint32_t *)*found)[top.has_below] = word + !top.is_without;
            else
                (void)FIGURE_REPORT(maker, MD5_WARNING, "joint %s not found in \"containedJoints\"",
                                    MD5_QUOTED(top.name));
        }
        for (uint32_t i = 0; i < skeleton->num_joints; i++) { // parents come first
            const uint32_t joint = skeleton->order[i];
            const uint32_t parent = skeleton->joints[joint].parent;
            uint32_t *const own = words[joint];
            if (parent != MD5_NONE && words[parent][1] > own[1])
                own[1] = words[parent][1];
            if (((own[0] > own[1] ? own[0] : own[1]) & 1) == 0)
                continue;
            if (owners[joint] != MD5_NONE)
                (void)FIGURE_REPORT(maker, MD5_WARNING, "joint %s is in two bodies, %s and %s",
                                    MD5_QUOTED(skeleton->joints[joint].name),
                                    MD5_QUOTED(defs[owners[joint]].name),
                                    MD5_QUOTED(defs[body].name));
            owners[joint] = body;
        }
    }
    for (uint32_t i = 0; i < skeleton->num_joints; i++)
        if (owners[i] == MD5_NONE)
            (void)FIGURE_REPORT(maker, MD5_WARNING,
                                "joint %s does not belong to a body: hits on it have no effect",
                                MD5_QUOTED(skeleton->joints[i].name));
    maker->figure.body_of_joint = owners;
}

// == Constraints ==================================================================================

static uint32_t find_body(const figure_maker *maker, const char *name)
{
    for (uint32_t i = 0; i < maker->figure.num_bodies; i++)
        if (md5_is_same_word(maker->figure.def->bodies[i].name, name))
            return i;
    return MD5_NONE;
}

// Left of a direction, as the engine computes it: of a steep one it is not at a right angle.
static md5_vec3d left_of(md5_vec3d v)
{
    if (fabs(v.z) > 0.7) {
        const double square = v.y * v.y + v.z * v.z;
        const double scale = 1.0 / sqrt(square);
        return (md5_vec3d){square * scale, v.x * v.y * scale, v.x * v.z * scale};
    }
    return md5_vec3d_normalize((md5_vec3d){-v.y, v.x, 0.0});
}

static md5_vec3d turned(md5_vec3d v, md5_vec3d axis, double degrees)
{
    const double c = cos(degrees * DEGREE);
    const double s = sin(degrees * DEGREE);
    const md5_vec3d along = md5_vec3d_scale(axis, md5_vec3d_dot(axis, v) * (1.0 - c));
    return md5_vec3d_add(md5_vec3d_add(md5_vec3d_scale(v, c), along),
                         md5_vec3d_scale(md5_vec3d_cross(axis, v), s));
}

// The place of a body in the setup; of the world that of model space.
static world_place setup_of(const figure_maker *maker, uint32_t body)
{
    return body == MD5_NONE ? model_space : md5i_world_place(maker->setup[body]);
}

static md5_vec3 into_body(md5_vec3d v, const world_place *body)
{
    return md5_vec3d_round(md5_into(v, &body->axes));
}

static float half_cosine(float degrees)
{
    return (float)cos(0.5 * (double)degrees * DEGREE);
}

// What the limit of a constraint is about, in model space. `shaft` is what it keeps inside.
static void set_limit(const figure_maker *maker, md5_body_constraint *constraint,
                      const world_place ends[2], md5_vec3d shaft, md5_vec3d axis)
{
    const md5_figure_constraint *const def = constraint->def;
    md5_vec3d limit = md5_vec3d_normalize(resolve(maker, &def->limit_axis));
    md5_vec3d base = model_space.origin;
    constraint->limit_cosines[0] = half_cosine(def->limit_angles[0]);
    constraint->limit_cosines[1] = half_cosine(def->limit_angles[1]);
    if (def->type == MD5_CONSTRAINT_HINGE) {
        const md5_vec3d left = left_of(axis);
        limit = turned(left, axis, -(double)def->limit_angles[0]);
        shaft = turned(left, axis, -(double)def->limit_angles[2]);
        constraint->limit_cosines[0] = half_cosine(def->limit_angles[1]);
    } else if (def->limit == MD5_FIGURE_PYRAMID) {
        const axes3 axes = md5i_axes_of_angles(-md5i_pitch_of(limit), md5i_yaw_of(limit),
                                               (double)def->limit_angles[2]);
        limit = axes.row[0];
        base = axes.row[1];
    }
    constraint->limit_axis = into_body(limit, &ends[1]);
    constraint->limit_base = into_body(base, &ends[1]);
    constraint->limit_shaft = into_body(shaft, &ends[0]);
}

static bool make_constraint(figure_maker *maker, uint32_t index)
{
    const md5_figure_constraint *const def = &maker->figure.def->constraints[index];
    md5_body_constraint *const constraint = &maker->constraints[index];
    *constraint = (md5_body_constraint){
        .def = def, .bodies = {find_body(maker, def->bodies[0]), find_body(maker, def->bodies[1])}};
    if (constraint->bodies[0] == MD5_NONE && !md5_is_same_word(def->bodies[0], "world"))
        return FIGURE_REPORT(maker, MD5_ERROR_MISMATCH, "constraint %s refers to unknown body %s",
                             MD5_QUOTED(def->name), MD5_QUOTED(def->bodies[0]));
    const world_place ends[2] = {setup_of(maker, constraint->bodies[0]),
                                 setup_of(maker, constraint->bodies[1])};
    md5_vec3d shafts[2];
    md5_vec3d axis = md5_vec3d_normalize(resolve(maker, &def->axis));
    for (uint32_t i = 0; i < 2; i++) {
        const uint32_t from = def->type == MD5_CONSTRAINT_SPRING ? i : 0;
        const md5_vec3d anchor = resolve(maker, &def->anchors[from]);
        constraint->anchors[i] = into_body(md5_vec3d_sub(anchor, ends[i].origin), &ends[i]);
        shafts[i] = md5_vec3d_normalize(resolve(maker, &def->shafts[i]));
        constraint->shafts[i] = into_body(shafts[i], &ends[i]);
    }
    if (def->type == MD5_CONSTRAINT_UNIVERSAL) {
        const md5_vec3d across = md5_vec3d_cross(shafts[0], shafts[1]);
        axis = md5_vec3d_length(across) > 1e-6 ? md5_vec3d_normalize(across) : left_of(shafts[0]);
    }
    for (uint32_t i = 0; i < 2; i++)
        constraint->axes[i] = into_body(axis, &ends[i]);
    set_limit(maker, constraint, ends, shafts[0], axis);
    return true;
}

// == Keys of the entity ===========================================================================

// Returns the number in the key "ragdoll_NAMESUFFIX". Returns `missing` without a key, and if its
// number is out of range.
static float ragdoll_key(const md5_entity *entity, const char *name, const char *suffix,
                         float missing)
{
    char key[64];
    (void)snprintf(key, sizeof key, "ragdoll_%s%s", name, suffix);
    const char *const text = entity->def ? md5_entity_def_value(entity->def, key) : NULL;
    float value = missing;
    md5i_entity_numbers(text, &value, 1);
    return value > -1e6f && value < 1e6f ? value : missing;
}

static md5_friction_dent read_dent(const md5_entity *entity, const char *name,
                                   md5_friction_dent missing)
{
    return (md5_friction_dent){.scale = ragdoll_key(entity, name, "", missing.scale),
                               .start = ragdoll_key(entity, name, "Start", missing.start),
                               .end = ragdoll_key(entity, name, "End", missing.end)};
}

// Missing keys have the engine's defaults.
static void read_ragdoll_keys(md5_figure *figure)
{
    const md5_entity *const entity = figure->entity;
    const md5_friction_dent joint = {.scale = 0.1f, .start = 0.2f, .end = 1.2f};
    const md5_friction_dent contact = {.scale = 0.1f, .start = 1.0f, .end = 2.0f};
    figure->slow_motion[0] = ragdoll_key(entity, "slomo", "Start", -1.6f);
    figure->slow_motion[1] = ragdoll_key(entity, "slomo", "End", 0.8f);
    figure->joint_friction = read_dent(entity, "jointFrictionDent", joint);
    figure->contact_friction = read_dent(entity, "contactFrictionDent", contact);
}

// == Making and freeing ===========================================================================

static bool find_setup(figure_maker *maker)
{
    const md5_entity *const entity = maker->entity;
    const uint32_t num_joints = entity->model->skeleton.num_joints;
    md5_xform *const pose = MD5_NEW(&maker->arena, md5_xform, num_joints);
    maker->joints = MD5_NEW(&maker->arena, md5_xform, num_joints);
    TRY(pose && maker->joints);
    if (!md5i_begin_clip(entity, "af_pose", pose, maker->joints))
        return FIGURE_REPORT(maker, MD5_ERROR_MISMATCH, "entity has no clip %s",
                             MD5_QUOTED("af_pose"));
    pose[0].translation = (md5_vec3){0.0f, 0.0f, 0.0f};
    maker->figure.setup_pose = pose;
    return true;
}

static bool make_figure(figure_maker *maker)
{
    md5_figure *const figure = &maker->figure;
    const md5_figure_def *const def = figure->def;
    const size_t num_bodies = def->num_bodies;
    if (num_bodies == 0 || strcmp(def->bodies[0].joint, "origin") != 0)
        return FIGURE_REPORT(maker, MD5_ERROR_MISMATCH,
                             "missing body: expected the first body at joint %s",
                             MD5_QUOTED("origin"));
    if (num_bodies > MD5_MAX_FIGURE_PARTS || def->num_constraints > MD5_MAX_FIGURE_PARTS)
        return FIGURE_REPORT(
            maker, MD5_ERROR_RANGE,
            "too many parts: expected at most %d bodies and constraints, found %zu and %u",
            MD5_MAX_FIGURE_PARTS, num_bodies, def->num_constraints);
    TRY(find_setup(maker));
    maker->bodies = MD5_NEW(&maker->arena, md5_body_part, num_bodies);
    maker->constraints = MD5_NEW(&maker->arena, md5_body_constraint, def->num_constraints);
    maker->vertices = MD5_NEW(&maker->arena, md5_vec3, MAX_CORNERS * num_bodies);
    maker->triangles = (uint32_t(*)[3])md5i_arena_alloc(&maker->arena, MAX_FACES * num_bodies,
                                                        sizeof *maker->triangles);
    maker->setup = MD5_NEW(&maker->arena, md5_xform, num_bodies);
    const md5_skeleton *const skeleton = &maker->entity->model->skeleton;
    const uint32_t num_joints = skeleton->num_joints;
    uint32_t *const owners = MD5_NEW(&maker->arena, uint32_t, num_joints);
    uint32_t *const movers = MD5_NEW(&maker->arena, uint32_t, num_joints);
    joint_words *const words = MD5_NEW(&maker->scratch, joint_words, num_joints);
    md5_name_map names = {NULL};
    TRY(maker->bodies && maker->constraints && maker->vertices && maker->triangles && maker->setup
        && owners && movers && words && map_joints(&names, &maker->scratch, skeleton, words));
    for (; figure->num_bodies < def->num_bodies; figure->num_bodies++)
        TRY(make_body(maker, figure->num_bodies));
    share_total_mass(maker);
    read_contained(maker, owners, &names, words);
    for (; figure->num_constraints < def->num_constraints; figure->num_constraints++)
        TRY(make_constraint(maker, figure->num_constraints));
    for (uint32_t i = 0; i < num_joints; i++)
        movers[i] = MD5_NONE;
    for (uint32_t i = 0; i < figure->num_bodies; i++)
        movers[maker->bodies[i].joint] = i;
    figure->mover_of_joint = movers;
    figure->bodies = maker->bodies;
    figure->constraints = maker->constraints;
    figure->vertices = maker->vertices;
    figure->triangles = (const uint32_t(*)[3])maker->triangles;
    figure->setup = maker->setup;
    read_ragdoll_keys(figure);
    return true;
}

typedef struct figure_owner {
    md5_figure figure; // first: the public part
    md5_allocator allocator;
    struct md5_chunk *chunks;
} figure_owner;

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
    figure_maker maker = {.context = &context,
                          .arena = {.context = &context},
                          .scratch = {.context = &context},
                          .entity = entity,
                          .figure = {.def = def, .entity = entity},
                          .place = {.decl = def->decl,
                                    .line = def->decl->keyword_line,
                                    .column = def->decl->keyword_column}};
    if (!md5i_expect_ids_space(&context, entity))
        return NULL;
    figure_owner *const owner = MD5_NEW(&maker.arena, figure_owner, 1);
    const bool is_made = owner && make_figure(&maker);
    md5i_arena_free(&maker.scratch);
    if (!is_made) {
        md5i_arena_free(&maker.arena);
        return NULL;
    }
    owner->figure = maker.figure;
    owner->figure.internal = (md5_internal){.memory = owner, .tag = MD5_TAG_FIGURE};
    owner->allocator = context.allocator;
    owner->chunks = maker.arena.chunks;
    return &owner->figure;
}

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

void md5_figure_from_joints(const md5_figure *figure, const md5_mat34 *joints, md5_xform place,
                            float seconds, md5_body_state *bodies)
{
    MD5_ASSERT_FIGURE(figure);
    MD5_ASSERT(joints != NULL && bodies != NULL, "joints, bodies: must not be NULL");
    for (uint32_t i = 0; i < figure->num_bodies; i++) {
        const md5_body_part *const body = &figure->bodies[i];
        const md5_vec3 before = bodies[i].place.translation;
        bodies[i] = (md5_body_state){.linear = {0.0f, 0.0f, 0.0f}};
        bodies[i].place = md5_xform_mul(
            place, md5_xform_mul(md5_xform_from_mat34(joints[body->joint]), body->offset));
        if (seconds > 0.0f)
            bodies[i].linear =
                md5_vec3_scale(md5_vec3_sub(bodies[i].place.translation, before), 1.0f / seconds);
    }
}

md5_xform md5_figure_to_pose(const md5_figure *figure, const md5_body_state *bodies,
                             md5_xform *pose)
{
    MD5_ASSERT_FIGURE(figure);
    MD5_ASSERT(bodies != NULL && pose != NULL, "bodies, pose: must not be NULL");
    const md5_skeleton *const skeleton = &figure->entity->model->skeleton;
    const md5_xform place = md5_xform_mul(bodies[0].place, md5_xform_inverse(figure->setup[0]));
    const md5_xform into = md5_xform_inverse(place);
    memcpy(pose, figure->setup_pose, skeleton->num_joints * sizeof *pose);
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        const uint32_t joint = skeleton->order[i];
        const uint32_t body = figure->mover_of_joint[joint];
        if (body == MD5_NONE)
            continue;
        const md5_body_part *const moves = &figure->bodies[body];
        const md5_xform from_model = md5_xform_inverse(md5i_parent_place(skeleton, pose, joint));
        const md5_xform *const at = &bodies[body].place;
        md5_xform in_model = {.rotation = md5_quat_mul(md5_quat_mul(into.rotation, at->rotation),
                                                       md5_quat_conjugate(moves->offset.rotation))};
        // The engine takes the way from joint to body, which is in model space, for one in the
        // world.
        const md5_vec3 lever = md5_quat_rotate(in_model.rotation, moves->offset.translation);
        in_model.translation = md5_quat_rotate(
            into.rotation, md5_vec3_sub(md5_vec3_sub(at->translation, place.translation), lever));
        const md5_xform wanted = md5_xform_mul(from_model, in_model);
        if (moves->def->mod != MD5_BODY_ORIGIN)
            pose[joint].rotation = wanted.rotation;
        if (moves->def->mod != MD5_BODY_AXIS)
            pose[joint].translation = wanted.translation;
    }
    pose[0].translation = md5_vec3_add(pose[0].translation, figure->entity->offset);
    return place;
}

md5_bounds md5_figure_bounds(const md5_figure *figure, const md5_body_state *bodies,
                             md5_xform place)
{
    MD5_ASSERT_FIGURE(figure);
    MD5_ASSERT_NOT_NULL(bodies);
    const md5_xform into = md5_xform_inverse(place);
    md5_bounds all = md5_bounds_from_points(NULL, 0);
    for (uint32_t i = 0; i < figure->num_bodies; i++) {
        const md5_mat34 at = md5_mat34_from_xform(md5_xform_mul(into, bodies[i].place));
        all = md5_bounds_union(all, md5_bounds_transform(figure->bodies[i].bounds, at));
    }
    return all;
}

// Where a line enters a convex body: behind the last of the planes that it comes through from
// outside, if it leaves through none before.
static bool enter_body(const md5_figure *figure, const md5_body_part *body, md5_vec3 from,
                       md5_vec3 way, float *enter, md5_vec3 *normal)
{
    float leave = 1.0f;
    *enter = -1.0f;
    for (uint32_t i = 0; i < body->num_triangles; i++) {
        const uint32_t *const corners = figure->triangles[body->first_triangle + i];
        const md5_vec3 a = figure->vertices[corners[0]];
        const md5_vec3 across = md5_vec3_cross(md5_vec3_sub(figure->vertices[corners[2]], a),
                                               md5_vec3_sub(figure->vertices[corners[1]], a));
        const float inside = md5_vec3_dot(across, md5_vec3_sub(a, from));
        const float speed = md5_vec3_dot(across, way);
        if (speed < 0.0f && inside / speed > *enter) {
            *enter = inside / speed;
            *normal = md5_vec3_normalize(across, across);
        } else if (speed > 0.0f) {
            leave = fminf(leave, inside / speed);
        } else if (speed == 0.0f && inside < 0.0f) {
            return false;
        }
    }
    return *enter >= 0.0f && *enter <= leave;
}

bool md5_raycast_figure(const md5_figure *figure, const md5_body_state *bodies, md5_vec3 from,
                        md5_vec3 to, md5_figure_hit *hit)
{
    MD5_ASSERT_FIGURE(figure);
    MD5_ASSERT(bodies != NULL && hit != NULL, "bodies, hit: must not be NULL");
    const md5_vec3 way = md5_vec3_sub(to, from);
    bool is_hit = false;
    for (uint32_t i = 0; i < figure->num_bodies; i++) {
        const md5_body_part *const body = &figure->bodies[i];
        const md5_quat into = md5_quat_conjugate(bodies[i].place.rotation);
        const md5_vec3 start =
            md5_quat_rotate(into, md5_vec3_sub(from, bodies[i].place.translation));
        float enter;
        md5_vec3 normal = {0.0f, 0.0f, 0.0f};
        if (!enter_body(figure, body, start, md5_quat_rotate(into, way), &enter, &normal)
            || (is_hit && enter >= hit->fraction))
            continue;
        *hit = (md5_figure_hit){
            .body = i,
            .joint = body->joint,
            .fraction = enter,
            .point = md5_vec3_add(from, md5_vec3_scale(way, enter)),
            .normal = md5_quat_rotate(bodies[i].place.rotation, normal),
        };
        is_hit = true;
    }
    return is_hit;
}
