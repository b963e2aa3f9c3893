// Simulates a ragdoll in the physics engine Bullet: creates the bodies and joints of an articulated
// figure in Bullet, and reads the pose of the character back in every frame. Any other engine that
// has rigid bodies with convex shapes and joints with limits can be used in the same way.
//
//   flags=$(pkg-config --cflags --libs md5game bullet)
//   c++ -std=c++17 ragdoll_bullet.cpp $flags -o ragdoll_bullet
//   model=models/bobbin
//   ./ragdoll_bullet $model/bobbin.md5mesh $model/idle.md5anim $model/bobbin.af
//
// The character starts in the first frame of the clip, is thrown, and falls to the floor. The
// program prints its position until it rests.
#include <md5model/md5figure.h>

#include <btBulletDynamicsCommon.h>

#include <cfloat>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

// Bullet is tuned for meters and seconds. One unit of the models is an inch, as in Doom 3.
const btScalar meters_per_unit = 0.0254f;
const btScalar gravity = 1066 * meters_per_unit; // as in Doom 3

// Short steps and many iterations keep joints together if a light body is between heavy bodies.
const float seconds_per_frame = 1 / 60.0f;
const float seconds_per_step = 1 / 240.0f;
const int max_steps_per_frame = 8;
const int num_iterations = 50;

// Bullet's joints have no friction. Damping of the bodies stops limbs that swing.
const btScalar linear_damping = 0.3f;
const btScalar angular_damping = 0.8f;

// A universal joint does not twist. With a smaller twist limit than this, Bullet's limits of twist
// and swing work against each other and the joint does not come to rest.
const btScalar twist_play = 0.3f;

// -- Files ----------------------------------------------------------------------------------------

// A game folder in memory, with the model, the clip and the figure. A program that has a Doom 3
// folder lists the files of the folder instead.
struct MemoryFile {
    std::string name, text;
};
using Files = std::vector<MemoryFile>;

static const char *file_name(void *user, size_t file)
{
    return (*static_cast<const Files *>(user))[file].name.c_str();
}

static const void *open_file(void *user, size_t file, size_t *size, md5_error *)
{
    const std::string &text = (*static_cast<const Files *>(user))[file].text;
    *size = text.size();
    return text.data();
}

static void close_file(void *, const void *, size_t)
{
}

static MemoryFile read_file(const char *path, const char *name)
{
    std::ifstream file(path, std::ios::binary);
    if (!file)
        std::fprintf(stderr, "%s: cannot read the file\n", path);
    return {name, std::string(std::istreambuf_iterator<char>(file), {})};
}

// Reads the three files, and adds the declaration of a model that uses them.
static Files read_files(char **paths)
{
    Files files;
    files.push_back(read_file(paths[0], "character.md5mesh"));
    files.push_back(read_file(paths[1], "character.md5anim"));
    files.push_back(read_file(paths[2], "af/character.af"));
    // The setup of the bodies is defined in the first frame of the animation "af_pose".
    files.push_back({"def/character.def", "model character {\n"
                                          "    mesh character.md5mesh\n"
                                          "    anim af_pose character.md5anim\n"
                                          "}\n"});
    return files;
}

// Loads the character from the game folder. A member is NULL if it could not be loaded.
struct Character {
    md5_game *game = nullptr;
    md5_entity *entity = nullptr;
    md5_figure *figure = nullptr;

    explicit Character(Files &files, md5_error *error)
    {
        md5_game_path path{};
        path.num_files = files.size();
        path.name = file_name;
        path.open = open_file;
        path.close = close_file;
        path.user = &files;
        game = md5_create_game(&path, 1, nullptr, error);
        if (game)
            entity = md5_load_entity(game, "character", nullptr, error);
        // The first figure in the file.
        const md5_decl *decl =
            entity ? md5_game_decl(game, MD5_DECL_ARTICULATED_FIGURE, 0) : nullptr;
        const md5_figure_def *def = decl ? md5_game_figure_def(game, decl->name, error) : nullptr;
        if (def)
            figure = md5_create_figure(def, entity, nullptr, error);
    }
    ~Character()
    {
        md5_free_figure(figure);
        md5_free_entity(entity);
        md5_destroy_game(game);
    }
    Character(const Character &) = delete;
    Character &operator=(const Character &) = delete;
};

// -- Conversion -----------------------------------------------------------------------------------

static btVector3 direction_to_bullet(md5_vec3 v)
{
    return btVector3(v.x, v.y, v.z);
}

static btVector3 position_to_bullet(md5_vec3 v)
{
    return direction_to_bullet(v) * meters_per_unit;
}

static btTransform to_bullet(md5_xform transform)
{
    const md5_quat q = transform.rotation;
    return btTransform(btQuaternion(q.x, q.y, q.z, q.w), position_to_bullet(transform.translation));
}

static md5_vec3 vector_from_bullet(const btVector3 &v)
{
    return {float(v.x()), float(v.y()), float(v.z())};
}

static md5_xform from_bullet(const btTransform &transform)
{
    const btQuaternion q = transform.getRotation();
    md5_xform result{};
    result.rotation = {float(q.x()), float(q.y()), float(q.z()), float(q.w())};
    result.translation = vector_from_bullet(transform.getOrigin() / meters_per_unit);
    return result;
}

// -- Bodies and joints ----------------------------------------------------------------------------

using Joint = std::unique_ptr<btTypedConstraint>;

// The bodies and joints of an articulated figure in a Bullet world. Removes them at its end.
class Ragdoll
{
  public:
    // Adds the bodies of a figure, at their setup, and its joints to a world.
    Ragdoll(btDynamicsWorld &world, const md5_figure &figure);
    ~Ragdoll();
    Ragdoll(const Ragdoll &) = delete;
    Ragdoll &operator=(const Ragdoll &) = delete;

    void set_states(const std::vector<md5_body_state> &states);
    std::vector<md5_body_state> states() const;
    // Changes the velocity of a body by an impulse, in the figure's mass times units per second.
    void apply_impulse(uint32_t body, md5_vec3 impulse);

  private:
    struct Body {
        std::unique_ptr<btConvexHullShape> shape;
        std::unique_ptr<btRigidBody> rigid;
        // Bullet's bodies have the principal axes of inertia. This is their transform relative to
        // the axes of the figure's body; both have the center of mass as origin.
        btTransform principal;
    };

    void add_body(uint32_t index);
    void add_joint(const md5_body_constraint &constraint);
    Joint make_joint(const md5_body_constraint &constraint) const;
    Joint make_hinge(const md5_body_constraint &constraint) const;
    Joint make_cone(const md5_body_constraint &constraint) const;
    Joint make_ball(const md5_body_constraint &constraint) const;
    Joint make_fixed(const md5_body_constraint &constraint) const;
    btRigidBody &rigid_body(uint32_t body) const;
    btTransform setup(uint32_t body) const;
    btTransform frame(const md5_body_constraint &constraint, int side,
                      const btMatrix3x3 &axes) const;

    btDynamicsWorld &world;
    const md5_figure &figure;
    std::vector<Body> bodies;
    std::vector<Joint> joints;
};

Ragdoll::Ragdoll(btDynamicsWorld &world, const md5_figure &figure) : world(world), figure(figure)
{
    for (uint32_t i = 0; i < figure.num_bodies; i++)
        add_body(i);
    for (uint32_t i = 0; i < figure.num_constraints; i++)
        add_joint(figure.constraints[i]);
}

Ragdoll::~Ragdoll()
{
    for (const auto &joint : joints)
        world.removeConstraint(joint.get());
    for (const Body &body : bodies)
        world.removeRigidBody(body.rigid.get());
}

// Creates the rigid body of a part of the figure, with the part's shape, mass and inertia, and adds
// it to the world.
void Ragdoll::add_body(uint32_t index)
{
    const md5_body_part &part = figure.bodies[index];
    Body body;

    // The figure has a full inertia tensor, but Bullet supports only diagonal tensors. In the
    // principal axes the tensor is diagonal.
    const float *const i = part.inertia;
    btMatrix3x3 inertia(i[0], i[1], i[2], i[3], i[4], i[5], i[6], i[7], i[8]);
    btMatrix3x3 axes;
    inertia.diagonalize(axes, 1e-6f, 30);
    const btVector3 moments =
        btVector3(inertia[0][0], inertia[1][1], inertia[2][2]) * meters_per_unit * meters_per_unit;
    body.principal = btTransform(axes);

    body.shape = std::make_unique<btConvexHullShape>();
    body.shape->setMargin(0.01f);
    const btTransform to_principal = body.principal.inverse();
    for (uint32_t k = 0; k < part.num_vertices; k++) {
        const md5_vec3 vertex = figure.vertices[part.first_vertex + k];
        body.shape->addPoint(to_principal * position_to_bullet(vertex), false);
    }
    body.shape->recalcLocalAabb();

    btRigidBody::btRigidBodyConstructionInfo info(part.mass, nullptr, body.shape.get(), moments);
    info.m_startWorldTransform = to_bullet(figure.setup[index]) * body.principal;
    info.m_linearDamping = linear_damping;
    info.m_angularDamping = angular_damping;
    info.m_friction = part.def->friction[2];
    body.rigid = std::make_unique<btRigidBody>(info);
    body.rigid->setActivationState(DISABLE_DEACTIVATION); // see RestDetector

    // Most figures do not collide with themselves, because their bodies overlap at the joints.
    const int ragdoll_group = btBroadphaseProxy::CharacterFilter;
    const int own_bodies = part.def->collides_with_own ? ragdoll_group : 0;
    world.addRigidBody(body.rigid.get(), ragdoll_group,
                       btBroadphaseProxy::StaticFilter | own_bodies);
    bodies.push_back(std::move(body));
}

btRigidBody &Ragdoll::rigid_body(uint32_t body) const
{
    return body == MD5_NONE ? btTypedConstraint::getFixedBody() : *bodies[body].rigid;
}

// Returns the transform of a body in the setup, from which joints are defined.
btTransform Ragdoll::setup(uint32_t body) const
{
    return body == MD5_NONE ? btTransform::getIdentity() : to_bullet(figure.setup[body]);
}

// Returns the frame of a joint at its anchor in bodies[side], in the axes of Bullet's body. The
// axes of the world are those of model space: an entity that is fixed to the world must not be
// moved.
btTransform Ragdoll::frame(const md5_body_constraint &constraint, int side,
                           const btMatrix3x3 &axes) const
{
    const btTransform frame(axes, position_to_bullet(constraint.anchors[side]));
    const uint32_t body = constraint.bodies[side];
    return body == MD5_NONE ? frame : bodies[body].principal.inverse() * frame;
}

// Returns the rotation whose x axis is `x` and whose z axis is as near as possible to `z`.
static btMatrix3x3 axes_from(const btVector3 &x, const btVector3 &z)
{
    const btVector3 y = z.cross(x).normalized();
    const btVector3 across = x.cross(y);
    return btMatrix3x3(x.x(), y.x(), across.x(), x.y(), y.y(), across.y(), x.z(), y.z(),
                       across.z());
}

static btVector3 any_perpendicular(const btVector3 &v)
{
    btVector3 first, second;
    btPlaneSpace1(v, first, second);
    return first;
}

// The limit of a joint keeps the direction limit_shaft of bodies[0], the child, in a cone around
// limit_axis of bodies[1], the parent. In the functions below these directions are the x axes of
// both frames, so Bullet measures the same angle. A hinge rotates about the z axes of its frames.
Joint Ragdoll::make_hinge(const md5_body_constraint &constraint) const
{
    const btVector3 child_hinge = direction_to_bullet(constraint.axes[0]);
    const btVector3 parent_hinge = direction_to_bullet(constraint.axes[1]);
    const btVector3 shaft = direction_to_bullet(constraint.limit_shaft);
    const btVector3 axis = direction_to_bullet(constraint.limit_axis);
    const btVector3 flat_shaft = shaft - child_hinge * shaft.dot(child_hinge);
    const btVector3 flat_axis = axis - parent_hinge * axis.dot(parent_hinge);
    const btMatrix3x3 child_frame = axes_from(flat_shaft.normalized(), child_hinge);
    const btMatrix3x3 parent_frame = axes_from(flat_axis.normalized(), parent_hinge);
    auto hinge = std::make_unique<btHingeConstraint>(
        rigid_body(constraint.bodies[1]), rigid_body(constraint.bodies[0]),
        frame(constraint, 1, parent_frame), frame(constraint, 0, child_frame));
    const btScalar angle = std::acos(constraint.limit_cosines[0]);
    if (constraint.def->limit != MD5_FIGURE_NO_LIMIT)
        hinge->setLimit(-angle, angle);
    return hinge;
}

// A ball joint or a universal joint with a limit.
Joint Ragdoll::make_cone(const md5_body_constraint &constraint) const
{
    const bool is_pyramid = constraint.def->limit == MD5_FIGURE_PYRAMID;
    const btVector3 shaft = direction_to_bullet(constraint.limit_shaft);
    const btVector3 axis = direction_to_bullet(constraint.limit_axis);
    const btVector3 base =
        is_pyramid ? direction_to_bullet(constraint.limit_base) : any_perpendicular(axis);
    const btMatrix3x3 parent_frame = axes_from(axis, axis.cross(base)); // its y axis is the base
    // In the setup, the frame of the child is the frame of the parent after the shortest rotation
    // from one x axis to the other, so its twist is 0.
    const btMatrix3x3 parent_axes = setup(constraint.bodies[1]).getBasis();
    const btMatrix3x3 child_axes = setup(constraint.bodies[0]).getBasis();
    const btMatrix3x3 swing(shortestArcQuat(parent_axes * axis, child_axes * shaft));
    const btMatrix3x3 child_frame = child_axes.transpose() * swing * parent_axes * parent_frame;
    auto cone = std::make_unique<btConeTwistConstraint>(
        rigid_body(constraint.bodies[1]), rigid_body(constraint.bodies[0]),
        frame(constraint, 1, parent_frame), frame(constraint, 0, child_frame));
    // A rotation about z moves the shaft towards the base, a rotation about y across. The sides of
    // a pyramid become the axes of an elliptical cone.
    const btScalar about_z = std::acos(constraint.limit_cosines[0]);
    btScalar about_y = about_z;
    if (is_pyramid)
        about_y = std::acos(constraint.limit_cosines[1]);
    const bool can_twist = constraint.def->type == MD5_CONSTRAINT_BALL;
    cone->setLimit(about_z, about_y, can_twist ? SIMD_PI : twist_play);
    return cone;
}

// A ball joint without a limit.
Joint Ragdoll::make_ball(const md5_body_constraint &constraint) const
{
    const btMatrix3x3 any = btMatrix3x3::getIdentity();
    return std::make_unique<btPoint2PointConstraint>(
        rigid_body(constraint.bodies[1]), rigid_body(constraint.bodies[0]),
        frame(constraint, 1, any).getOrigin(), frame(constraint, 0, any).getOrigin());
}

Joint Ragdoll::make_fixed(const md5_body_constraint &constraint) const
{
    const btMatrix3x3 parent_frame = btMatrix3x3::getIdentity();
    const btMatrix3x3 parent_axes = setup(constraint.bodies[1]).getBasis();
    const btMatrix3x3 child_axes = setup(constraint.bodies[0]).getBasis();
    const btMatrix3x3 child_frame = child_axes.transpose() * parent_axes;
    return std::make_unique<btFixedConstraint>(
        rigid_body(constraint.bodies[1]), rigid_body(constraint.bodies[0]),
        frame(constraint, 1, parent_frame), frame(constraint, 0, child_frame));
}

Joint Ragdoll::make_joint(const md5_body_constraint &constraint) const
{
    const bool is_limited = constraint.def->limit != MD5_FIGURE_NO_LIMIT;
    switch (constraint.def->type) {
    case MD5_CONSTRAINT_FIXED:
        return make_fixed(constraint);
    case MD5_CONSTRAINT_HINGE:
        return make_hinge(constraint);
    case MD5_CONSTRAINT_BALL:
    case MD5_CONSTRAINT_UNIVERSAL:
        return is_limited ? make_cone(constraint) : make_ball(constraint);
    default:
        std::fprintf(stderr, "%s: sliders and springs are skipped\n", constraint.def->name);
        return nullptr;
    }
}

void Ragdoll::add_joint(const md5_body_constraint &constraint)
{
    Joint joint = make_joint(constraint);
    if (!joint)
        return;
    const bool disable_collisions = true; // the two bodies of a joint overlap
    world.addConstraint(joint.get(), disable_collisions);
    joints.push_back(std::move(joint));
}

// -- States ---------------------------------------------------------------------------------------

void Ragdoll::set_states(const std::vector<md5_body_state> &states)
{
    for (size_t i = 0; i < bodies.size(); i++) {
        btRigidBody &rigid = *bodies[i].rigid;
        const btTransform transform = to_bullet(states[i].transform) * bodies[i].principal;
        rigid.setWorldTransform(transform);
        rigid.setInterpolationWorldTransform(transform);
        rigid.setLinearVelocity(position_to_bullet(states[i].linear));
        rigid.setAngularVelocity(direction_to_bullet(states[i].angular));
    }
}

std::vector<md5_body_state> Ragdoll::states() const
{
    std::vector<md5_body_state> states(bodies.size());
    for (size_t i = 0; i < bodies.size(); i++) {
        const btRigidBody &rigid = *bodies[i].rigid;
        states[i].transform = from_bullet(rigid.getWorldTransform() * bodies[i].principal.inverse());
        states[i].linear = vector_from_bullet(rigid.getLinearVelocity() / meters_per_unit);
        states[i].angular = vector_from_bullet(rigid.getAngularVelocity());
    }
    return states;
}

void Ragdoll::apply_impulse(uint32_t body, md5_vec3 impulse)
{
    bodies[body].rigid->applyCentralImpulse(position_to_bullet(impulse));
}

// -- Properties of the states ---------------------------------------------------------------------

// Returns the largest distance between the two bodies of a joint, in units.
static float largest_joint_gap(const md5_figure &figure, const std::vector<md5_body_state> &states)
{
    float largest = 0;
    for (uint32_t i = 0; i < figure.num_constraints; i++) {
        const md5_body_constraint &constraint = figure.constraints[i];
        const uint32_t child = constraint.bodies[0];
        const uint32_t parent = constraint.bodies[1];
        if (parent == MD5_NONE || constraint.def->type > MD5_CONSTRAINT_HINGE)
            continue;
        const md5_vec3 first = md5_xform_point(states[child].transform, constraint.anchors[0]);
        const md5_vec3 second = md5_xform_point(states[parent].transform, constraint.anchors[1]);
        largest = std::fmax(largest, md5_vec3_length(md5_vec3_sub(first, second)));
    }
    return largest;
}

// Returns the height of the lowest vertex of all bodies, in units.
static float lowest_vertex(const md5_figure &figure, const std::vector<md5_body_state> &states)
{
    float lowest = FLT_MAX;
    for (uint32_t i = 0; i < figure.num_bodies; i++) {
        const md5_body_part &part = figure.bodies[i];
        for (uint32_t k = 0; k < part.num_vertices; k++) {
            const md5_vec3 vertex = figure.vertices[part.first_vertex + k];
            lowest = std::fmin(lowest, md5_xform_point(states[i].transform, vertex).z);
        }
    }
    return lowest;
}

// Detects that the ragdoll is at rest. The figure contains the conditions: during no_move[0]
// seconds no body moved by no_move[1] units or rotated by no_move[2] degrees, or move_times[1]
// seconds have passed.
class RestDetector
{
  public:
    explicit RestDetector(const md5_figure &figure) : def(*figure.def)
    {
    }
    // Returns true if the bodies rest. Call it in every frame.
    bool update(const std::vector<md5_body_state> &states, float seconds)
    {
        total_seconds += seconds;
        quiet_seconds += seconds;
        if (reference.empty() || has_moved(states)) {
            reference = states;
            quiet_seconds = 0;
        }
        const float max_seconds = def.move_times[1];
        const bool is_too_late = max_seconds > 0 && total_seconds >= max_seconds;
        return is_too_late || quiet_seconds >= def.no_move[0];
    }

  private:
    bool has_moved(const std::vector<md5_body_state> &states) const
    {
        for (size_t i = 0; i < states.size(); i++) {
            const md5_xform from = reference[i].transform;
            const md5_xform to = states[i].transform;
            const float distance = md5_vec3_length(md5_vec3_sub(to.translation, from.translation));
            const float cosine =
                std::fabs(from.rotation.x * to.rotation.x + from.rotation.y * to.rotation.y
                          + from.rotation.z * to.rotation.z + from.rotation.w * to.rotation.w);
            const float degrees = 2 * std::acos(std::fmin(cosine, 1.0f)) * 57.29578f;
            if (distance >= def.no_move[1] || degrees >= def.no_move[2])
                return true;
        }
        return false;
    }

    const md5_figure_def &def;
    std::vector<md5_body_state> reference;
    float total_seconds = 0, quiet_seconds = 0;
};

// -- The program ----------------------------------------------------------------------------------

// Returns true if no element of a matrix is NaN or infinite, as after a simulation that explodes.
static bool is_finite(const std::vector<md5_mat34> &matrices)
{
    for (const md5_mat34 &matrix : matrices) {
        float elements[12];
        std::memcpy(elements, &matrix, sizeof elements);
        for (const float element : elements) {
            if (!std::isfinite(element))
                return false;
        }
    }
    return true;
}

// Returns the states of the bodies in the first frame of a clip. The character is above the floor
// and moves backwards.
static std::vector<md5_body_state> start_states(const md5_entity &entity, const md5_figure &figure)
{
    const md5_entity_clip &clip = entity.clips[0];
    std::vector<md5_xform> pose(entity.model->skeleton.num_joints);
    std::vector<md5_mat34> joints(pose.size());
    std::vector<md5_mat34> palette(pose.size());
    const md5_sample_position start = md5_sample_position_at(clip.anims[0], 0.0, MD5_WRAP_CLAMP);
    md5_pose_palette(clip.bindings[0], start, MD5_ROOT_FILE, pose.data(), joints.data(),
                     palette.data());

    md5_xform place{};
    place.rotation = {0, 0, 0, 1};
    place.translation = {0, 0, 20};
    std::vector<md5_body_state> states(figure.num_bodies);
    md5_figure_from_joints(&figure, joints.data(), place, 0, states.data());
    for (md5_body_state &state : states)
        state.linear = {-60, 20, 0};
    return states;
}

// Prints the position of the first body, and the height of the lowest point.
static void print_states(const md5_figure &figure, const std::vector<md5_body_state> &states,
                         int frame)
{
    const md5_vec3 position = states[0].transform.translation;
    std::printf("%.1f s: %s at %.1f %.1f %.1f, lowest point at %.2f\n",
                double(frame * seconds_per_frame), figure.bodies[0].def->name, double(position.x),
                double(position.y), double(position.z), double(lowest_vertex(figure, states)));
}

// Throws a character and prints its position until it rests. Returns false if the simulation fails.
static bool throw_character(btDynamicsWorld &world, const md5_entity &entity,
                            const md5_figure &figure)
{
    const md5_model &model = *entity.model;
    std::vector<md5_xform> pose(model.skeleton.num_joints);
    std::vector<md5_mat34> joints(pose.size());
    std::vector<md5_mat34> palette(pose.size());

    // From the animation to the bodies.
    std::vector<md5_body_state> states = start_states(entity, figure);
    Ragdoll ragdoll(world, figure);
    ragdoll.set_states(states);
    ragdoll.apply_impulse(0, {-100 * figure.bodies[0].mass, 0, 0});

    RestDetector rest(figure);
    float largest_gap = 0;
    for (int frame = 1;; frame++) {
        world.stepSimulation(seconds_per_frame, max_steps_per_frame, seconds_per_step);

        // From the bodies to the pose. A renderer draws the model at `place` with `palette`.
        states = ragdoll.states();
        [[maybe_unused]] const md5_xform place =
            md5_figure_to_pose(&figure, states.data(), pose.data());
        md5_local_to_palette(&model, pose.data(), joints.data(), palette.data());

        if (!is_finite(palette)) {
            std::fprintf(stderr, "frame %d: the pose is not finite\n", frame);
            return false;
        }
        largest_gap = std::fmax(largest_gap, largest_joint_gap(figure, states));
        const bool is_at_rest = rest.update(states, seconds_per_frame);
        if (frame % 30 == 0 || is_at_rest)
            print_states(figure, states, frame);
        if (is_at_rest) {
            std::printf("at rest, largest gap at a joint %.2f\n", double(largest_gap));
            return true;
        }
    }
}

// Loads the character, creates a world with a floor, and throws the character.
int main(int argc, char **argv)
{
    if (argc != 4) {
        std::fprintf(stderr, "usage: ragdoll_bullet MODEL.md5mesh CLIP.md5anim FIGURE.af\n");
        return 2;
    }
    md5_error error{};
    Files files = read_files(argv + 1);
    const Character character(files, &error);
    if (!character.figure) {
        char text[600] = "the .af file does not contain a figure";
        if (error.status != MD5_OK)
            md5_format_error(&error, text, sizeof text);
        std::fprintf(stderr, "%s\n", text);
        return 1;
    }

    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher(&configuration);
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world(&dispatcher, &broadphase, &solver, &configuration);
    world.setGravity(btVector3(0, 0, -gravity));
    world.getSolverInfo().m_numIterations = num_iterations;

    btStaticPlaneShape floor_shape(btVector3(0, 0, 1), 0);
    btRigidBody floor(btRigidBody::btRigidBodyConstructionInfo(0, nullptr, &floor_shape));
    floor.setFriction(1);
    world.addRigidBody(&floor);

    return throw_character(world, *character.entity, *character.figure) ? 0 : 1;
}
