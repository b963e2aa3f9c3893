// Ragdolls: bounds for thousands of throws, laws of mechanics, and unusual figures.
#include "test/ragdoll/ragdoll_case.h"

#include "test/game/entity_case.h"
#include "test/game/saved_bytes.h"
#include "test/misuse.h"
#include "test/scoped.h"
#include "test/real.h"

#include <time.h>

static void release_ragdoll(md5_ragdoll *const *owner)
{
    md5_destroy_ragdoll(*owner);
}
#define SCOPED_RAGDOLL __attribute__((unused, cleanup(release_ragdoll))) md5_ragdoll *const

enum { MAX_BODIES = 16 };
static const md5_xform nowhere = {.rotation = {0, 0, 0, 1}};
static const md5_vec3 still = {0, 0, 0};

// == Grounds ======================================================================================

enum {
    PLANE,
    SLOPE,
    HILLS,
    STAIRS, // the first flight; the others follow
    NUM_FLIGHTS = 3,
    NUM_GROUNDS = STAIRS + NUM_FLIGHTS,
};

// Stairs of triangles that lead down along x; the edge of the first tread is at x = 0.
typedef struct flight {
    int num_steps;
    float depth;  // depth of a tread
    float height; // height of a riser
} flight;

static const flight flights[NUM_FLIGHTS] = {
    {.num_steps = 8, .depth = 12.0f, .height = 8.0f},
    {.num_steps = 8, .depth = 24.0f, .height = 12.0f},
    {.num_steps = 6, .depth = 40.0f, .height = 20.0f},
};

// Returns NULL if the ground is not a flight of stairs.
static const flight *ground_stairs(int ground)
{
    return ground >= STAIRS ? &flights[ground - STAIRS] : NULL;
}

static const md5_vec3 slope = {0.2588190451f, 0, 0.9659258263f}; // normal of a slope of 15 degrees

static double hill(double x, double y)
{
    return 10.0 * sin(x / 40.0) * cos(y / 55.0) + 6.0 * sin(y / 23.0 + 1.0);
}

static float hills(void *user, float x, float y, md5_vec3 *normal)
{
    const double e = 0.01;
    const double px = (double)x;
    const double py = (double)y;
    const double dx = (hill(px + e, py) - hill(px - e, py)) / (2.0 * e);
    const double dy = (hill(px, py + e) - hill(px, py - e)) / (2.0 * e);
    const double length = sqrt(dx * dx + dy * dy + 1.0);
    (void)user;
    *normal = (md5_vec3){(float)(-dx / length), (float)(-dy / length), (float)(1.0 / length)};
    return (float)hill(px, py);
}

static double stairs_height(const flight *stairs, double x)
{
    const double tread = ceil(x / (double)stairs->depth);
    const double steps_below = fmin(fmax(tread, 0.0), stairs->num_steps);
    return (double)stairs->height * ((double)stairs->num_steps - steps_below);
}

// Returns the triangles of a flight that a box may touch.
static uint32_t stairs_triangles(void *user, md5_bounds box, md5_vec3 (*corners)[3],
                                 uint32_t capacity)
{
    const flight *const stairs = user;
    uint32_t count = 0;
    for (int i = 0; i <= stairs->num_steps; i++) {
        const bool is_last = i == stairs->num_steps;
        const float begin = i > 0 ? stairs->depth * (float)(i - 1) : -1e4f;
        const float end = is_last ? 1e4f : stairs->depth * (float)i;
        const float z = stairs->height * (float)(stairs->num_steps - i);
        const float low = z - stairs->height;
        const md5_vec3 a = {begin, -1e3f, z};
        const md5_vec3 b = {begin, 1e3f, z};
        const md5_vec3 c = {end, 1e3f, z};
        const md5_vec3 d = {end, -1e3f, z};
        const md5_vec3 e = {end, 1e3f, low};
        const md5_vec3 f = {end, -1e3f, low};
        const md5_vec3 triangles[4][3] = {{a, b, c}, {a, c, d}, {d, c, e}, {d, e, f}};
        const bool is_near = box.max.x >= begin && box.min.x <= end && box.min.z <= z;
        const int num_triangles = is_last ? 2 : 4;
        for (int k = 0; is_near && k < num_triangles && count < capacity; k++)
            memcpy(corners[count++], triangles[k], sizeof triangles[k]);
    }
    return count;
}

static double ground_height(int ground, double x, double y)
{
    if (ground >= STAIRS)
        return stairs_height(ground_stairs(ground), x);
    if (ground == HILLS)
        return hill(x, y);
    return ground == SLOPE ? -x * (double)slope.x / (double)slope.z : 0.0;
}

// Returns the depth of a point in the ground, along the shortest direction out of it.
static double point_depth(int ground, md5_vec3 point)
{
    const double x = (double)point.x;
    const double y = (double)point.y;
    const double z = (double)point.z;
    md5_vec3 normal = slope;
    double depth = ground_height(ground, x, y) - z;
    if (ground == HILLS)
        (void)hills(NULL, point.x, point.y, &normal);
    if (ground == HILLS || ground == SLOPE)
        depth *= (double)normal.z;
    const flight *const stairs = ground_stairs(ground);
    if (!stairs || depth <= 0.0)
        return depth;
    for (int i = 0; i < stairs->num_steps; i++) {
        const double edge = (double)stairs->depth * i;
        if (edge >= x)
            depth = fmin(depth, fmax(edge - x, stairs_height(stairs, edge + 0.001) - z));
    }
    return depth;
}

// Returns the depth of an edge of the stairs in a body.
static double edge_depth(const md5_figure *figure, const md5_body_part *part, md5_xform transform,
                         md5_vec3 edge)
{
    const md5_xform into = md5_xform_inverse(transform);
    const md5_vec3 from = md5_xform_point(into, edge);
    const md5_vec3 along = md5_quat_rotate(into.rotation, (md5_vec3){0, 1, 0});
    double first = -1e3;
    double last = 1e3;
    double depth = 1e9;
    // The first round finds the part of the edge within all faces, the second round its depth.
    for (int round = 0; round < 2; round++) {
        const md5_vec3 at =
            md5_vec3_add(from, md5_vec3_scale(along, (float)(0.5 * (first + last))));
        for (uint32_t i = 0; i < part->num_triangles; i++) {
            const uint32_t *const face = figure->triangles[part->first_triangle + i];
            const md5_vec3 a = figure->vertices[face[0]];
            const md5_vec3 normal =
                md5_vec3_normalize(md5_vec3_cross(md5_vec3_sub(figure->vertices[face[2]], a),
                                                  md5_vec3_sub(figure->vertices[face[1]], a)),
                                   still);
            const double speed = (double)md5_vec3_dot(normal, along);
            const double out = (double)md5_vec3_dot(normal, md5_vec3_sub(round ? at : from, a));
            if (round)
                depth = fmin(depth, -out);
            else if (speed < -1e-6)
                first = fmax(first, -out / speed);
            else if (speed > 1e-6)
                last = fmin(last, -out / speed);
            else if (out > 0.0)
                return 0.0;
        }
        if (first > last)
            return 0.0;
    }
    return depth;
}

static double deepest(int ground, const md5_figure *figure, const md5_body_state *bodies)
{
    const flight *const stairs = ground_stairs(ground);
    const int num_edges = stairs ? stairs->num_steps : 0;
    double max_depth = 0.0;
    for (uint32_t i = 0; i < figure->num_bodies; i++) {
        const md5_body_part *const part = &figure->bodies[i];
        for (uint32_t k = 0; k < part->num_vertices; k++)
            max_depth = fmax(
                max_depth,
                point_depth(ground, md5_xform_point(bodies[i].transform,
                                                    figure->vertices[part->first_vertex + k])));
        for (int k = 0; k < num_edges; k++) {
            const md5_vec3 edge = {stairs->depth * (float)k, 0,
                                   stairs->height * (float)(stairs->num_steps - k)};
            max_depth = fmax(max_depth, edge_depth(figure, part, bodies[i].transform, edge));
        }
    }
    return max_depth;
}

// == Throws =======================================================================================

// Measurements of one property. None may exceed `limit`, and at most one in a thousand may exceed
// `bar`.
typedef struct measured {
    const char *name;
    double bar;
    double limit;
    double maximum;
    uint64_t count;
    uint64_t above;
    uint64_t bins[4096]; // a hundred for each factor of 10, from 1e-8 on
} measured;

static void measure(measured *all, double value)
{
    const double bin = 100.0 * (log10(fmax(value, 1e-8)) + 8.0);
    all->bins[(size_t)fmin(bin, 4095.0)]++;
    all->count++;
    all->above += value > all->bar;
    all->maximum = fmax(all->maximum, value);
}

// Returns the 99.9th percentile, rounded up by at most 2.3 percent.
static double nearly_all(const measured *all)
{
    uint64_t sum = 0;
    size_t bin = 0;
    while (bin < 4095 && (sum += all->bins[bin]) * 1000 < all->count * 999)
        bin++;
    return pow(10.0, ((double)bin + 1.0) / 100.0 - 8.0);
}

enum { LIMITS, LIMITS_AT_REST, JOINTS, JOINTS_AT_REST, DEPTH, ENERGY, RISE, NUM_BARS };
typedef struct throws {
    measured bars[NUM_BARS];
    uint64_t count;
    uint64_t at_rest;
    uint64_t not_finite;
    uint64_t steps;
} throws;

static bool is_finite(const md5_figure *figure, const md5_body_state *bodies)
{
    float sum = 0.0f;
    for (uint32_t i = 0; i < figure->num_bodies; i++) {
        const md5_body_state *const body = &bodies[i];
        sum += body->transform.translation.x + body->transform.translation.y
               + body->transform.translation.z + body->transform.rotation.w + body->linear.x
               + body->linear.z + body->angular.y;
    }
    return fabsf(sum) < INFINITY;
}

// Throws a figure with a random rotation, at 200 units per second, and with an angular velocity.
static void throw_once(throws *all, md5_ragdoll *ragdoll, const md5_figure *figure, int ground,
                       uint64_t number)
{
    uint64_t random = 1000 * number + 17;
    md5_xform transform = {
        .rotation = random_rotation(&random),
        .translation = {test_betweenf(-40, 60, &random), test_betweenf(-60, 60, &random), 0}};
    transform.translation.z = (float)ground_height(ground, (double)transform.translation.x,
                                                   (double)transform.translation.y)
                              + test_betweenf(110, 170, &random);
    const md5_vec3 linear = random_vec3(200, &random);
    const md5_vec3 angular = random_vec3(5, &random);
    md5_body_state bodies[MAX_BODIES];
    set_body_transforms(figure, transform, linear, angular, bodies);
    md5_ragdoll_start(ragdoll, bodies);
    if (number % 3 == 0)
        md5_ragdoll_apply_impulse(ragdoll, (uint32_t)(number % figure->num_bodies),
                                  bodies[number % figure->num_bodies].transform.translation,
                                  random_vec3(9000, &random));
    const md5_ragdoll_status begin = md5_ragdoll_state(ragdoll);
    double weight = 0.0;
    double previous_energy = begin.energy;
    double limit = 0.0;
    for (uint32_t i = 0; i < figure->num_bodies; i++)
        weight += (double)figure->bodies[i].mass * 1066.0;
    const double fall = // the energy of a fall to the ground below
        begin.energy
        - weight
              * ground_height(ground, (double)transform.translation.x,
                              (double)transform.translation.y);
    all->count++;
    for (int step = 0; step < 300; step++) {
        md5_ragdoll_advance(ragdoll, 1.0 / 60.0);
        const md5_ragdoll_status status = md5_ragdoll_state(ragdoll);
        const md5_body_state *const at = md5_ragdoll_bodies(ragdoll);
        all->steps++;
        all->not_finite += !is_finite(figure, at);
        // If the joint exceeds its limit at the start, the excess is ignored until the joint has
        // been within the limit.
        limit = status.worst_limit < 0.5f || step > 30 ? 1.0 : limit;
        measure(&all->bars[LIMITS], limit * (double)status.worst_limit);
        measure(&all->bars[JOINTS], (double)status.worst_joint);
        measure(&all->bars[DEPTH], deepest(ground, figure, at));
        measure(&all->bars[ENERGY], (status.energy - begin.energy) / fall);
        measure(&all->bars[RISE], (status.energy - previous_energy) / weight);
        previous_energy = status.energy;
        if (!md5_ragdoll_is_at_rest(ragdoll))
            continue;
        all->at_rest++;
        measure(&all->bars[LIMITS_AT_REST], (double)status.worst_limit);
        measure(&all->bars[JOINTS_AT_REST], (double)status.worst_joint);
        break;
    }
}

// `min_resting`: percentage of the throws that must have come to rest.
static void throw_many(const md5_figure *figure, const char *name, uint64_t count,
                       uint64_t min_resting)
{
    throws *const all_throws = test_calloc(1, sizeof *all_throws);
    static const char *const names[] = {"degrees beyond limits",
                                        "the same at rest",
                                        "units between joints",
                                        "the same at rest",
                                        "units deep in the ground",
                                        "part of energy gained",
                                        "units of height by which energy rises in a tick"};
    static const double bars[] = {5.0, 1.0, 1.0, 0.1, 0.5, 0.01, 0.05};
    for (int i = 0; i < NUM_BARS; i++)
        all_throws->bars[i] = (measured){.name = names[i], .bar = bars[i], .limit = INFINITY};
    all_throws->bars[LIMITS].limit = 5.0;
    all_throws->bars[RISE].limit = 0.05;
    for (int ground = 0; ground < NUM_GROUNDS; ground++) {
        md5_ragdoll_desc desc = {.figure = figure};
        if (ground == PLANE || ground == SLOPE)
            desc.ground.plane_normal = ground == SLOPE ? slope : (md5_vec3){0, 0, 1};
        desc.ground.heights = ground == HILLS ? hills : NULL;
        desc.ground.triangles = ground >= STAIRS ? stairs_triangles : NULL;
        desc.ground.user = (void *)(uintptr_t)ground_stairs(ground);
        SCOPED_RAGDOLL ragdoll = md5_create_ragdoll(&desc, NULL, NULL);
        REQUIRE(ragdoll);
        for (size_t i = 0; i < count; i++)
            throw_once(all_throws, ragdoll, figure, ground, i);
    }
    printf("note: %llu throws of %s, %llu steps; at rest within 5 s: %llu\n",
           (unsigned long long)all_throws->count, name, (unsigned long long)all_throws->steps,
           (unsigned long long)all_throws->at_rest);
    for (size_t i = 0; i < COUNT_OF(all_throws->bars); i++) {
        measured *const bar = &all_throws->bars[i];
        printf("note: %s: 99.9 %% within %.3g, worst %.3g\n", bar->name, nearly_all(bar),
               bar->maximum);
        CHECK_THAT(bar->above * 1000 <= bar->count, "%s: %s above %g in %llu of %llu", name,
                   bar->name, bar->bar, (unsigned long long)bar->above,
                   (unsigned long long)bar->count);
        CHECK_THAT(bar->maximum <= bar->limit, "%s: %s: worst %g, limit %g", name, bar->name,
                   bar->maximum, bar->limit);
    }
    CHECK_UINT(all_throws->not_finite, 0);
    CHECK_THAT(all_throws->at_rest * 100 >= all_throws->count * min_resting,
               "%s: %llu of %llu at rest", name, (unsigned long long)all_throws->at_rest,
               (unsigned long long)all_throws->count);
    free(all_throws);
}

static void throw_man(uint64_t count)
{
    ragdoll_case fixture;
    if (open_man(&fixture, ""))
        throw_many(fixture.figure, "a man", count, 99);
    close_case(&fixture);
}

static void throw_probes(uint64_t count)
{
    static const char *const entities[] = {"probe_stilt", "probe_trestle"};
    REQUIRE_CORPUS();
    SCOPED_GAME game = open_golden_game(&probe_folder, NULL);
    for (size_t i = 0; i < COUNT_OF(entities); i++) {
        SCOPED_ENTITY entity = load_entity(game, entities[i]);
        const md5_figure_def *const def = md5_game_figure_def(game, entities[i] + 6, NULL);
        md5_figure *const figure = def ? md5_create_figure(def, entity, NULL, NULL) : NULL;
        if (CHECK(figure))
            throw_many(figure, entities[i], count, 99);
        md5_free_figure(figure);
    }
}

// Figures of one body, which balance on edges of stairs and fall with nothing to slow them. A cone
// may roll down the slope until the end.
static void throw_single_bodies(uint64_t count)
{
    static const struct {
        const char *name;
        const char *model;
    } figures[] = {
        {"a stick", "bone( ( -25, 0, 0 ), ( 25, 0, 0 ), 5 )"},
        {"a long box", "box( ( -25, -4, -4 ), ( 25, 4, 4 ) )"},
        {"a cone", "cone( ( -6, -6, -25 ), ( 6, 6, 25 ), 6 )"},
        {"a wide box", "box( ( -14, -10, -8 ), ( 14, 10, 8 ) )"},
    };
    for (size_t i = 0; i < COUNT_OF(figures); i++) {
        test_text text = {0};
        ragdoll_case fixture;
        test_append(&text,
                    "settings { friction 0.01, 0.01, 0.8, 0.5 }\n"
                    "body \"b\" { joint \"origin\" mod orientation model %s density 0.2 "
                    "containedJoints \"*origin\" }\n",
                    figures[i].model);
        if (open_case(&fixture, "", text.bytes))
            throw_many(fixture.figure, figures[i].name, count, 98);
        close_case(&fixture);
        free(text.bytes);
    }
}

TEST (ragdolls_of_a_man_keep_the_limits) {
    throw_man(20);
}

TEST (ragdolls_of_single_bodies_keep_the_limits) {
    throw_single_bodies(25);
}

TEST (ragdolls_of_test_figures_keep_the_limits) {
    throw_probes(4);
}

TEST_LONG (ten_thousand_throws_keep_the_limits) {
    throw_man(1000);
    throw_single_bodies(1000);
    throw_probes(750);
}

// == Mechanics ====================================================================================

static md5_ragdoll *in_the_void(const ragdoll_case *fixture, float gravity)
{
    const md5_ragdoll_desc desc = {
        .figure = fixture->figure, .gravity = gravity, .ignore_slow_motion = true};
    return md5_create_ragdoll(&desc, NULL, NULL);
}

typedef struct motion {
    double momentum[3];
    double angular_momentum[3];
} motion;

// Returns the momenta of all bodies about the origin, in double precision.
static motion compute_motion(const md5_figure *figure, const md5_body_state *bodies)
{
    motion sum = {{0.0}, {0.0}};
    for (uint32_t i = 0; i < figure->num_bodies; i++) {
        const md5_body_part *const part = &figure->bodies[i];
        const md5_quat rotation = bodies[i].transform.rotation;
        const md5_vec3 w = md5_quat_rotate(md5_quat_conjugate(rotation), bodies[i].angular);
        const float *const in = part->inertia;
        const md5_vec3 local_momentum = {in[0] * w.x + in[1] * w.y + in[2] * w.z,
                                         in[3] * w.x + in[4] * w.y + in[5] * w.z,
                                         in[6] * w.x + in[7] * w.y + in[8] * w.z};
        const md5_vec3 p = md5_vec3_scale(bodies[i].linear, part->mass);
        const md5_vec3 angular_momentum =
            md5_vec3_add(md5_quat_rotate(rotation, local_momentum),
                         md5_vec3_cross(bodies[i].transform.translation, p));
        sum.momentum[0] += (double)p.x;
        sum.momentum[1] += (double)p.y;
        sum.momentum[2] += (double)p.z;
        sum.angular_momentum[0] += (double)angular_momentum.x;
        sum.angular_momentum[1] += (double)angular_momentum.y;
        sum.angular_momentum[2] += (double)angular_momentum.z;
    }
    return sum;
}

#define NO_FRICTION \
    "settings { friction 0, 0, 0 suspendSpeed 0, 0, 0, 0 noMoveTime 0 } " // nor rest

// Two boxes at an elbow, one of which rotates. The sums of momentum and of angular momentum remain
// constant.
TEST (ragdolls_keep_momentum_and_spin) {
    ragdoll_case fixture;
    if (open_case(&fixture, "",
                  NO_FRICTION
                  "body \"a\" { joint \"origin\" model box( ( -4, -3, -2 ), ( 4, 3, 2 ) ) }\n"
                  "body \"b\" { joint \"chest\" model box( ( -2, -3, -6 ), ( 2, 3, 6 ) ) origin "
                  "( 9, 0, 0 ) }\n"
                  "ballAndSocketJoint \"j\" { body1 \"b\" body2 \"a\" anchor ( 5, 1, 0 ) }\n")) {
        SCOPED_RAGDOLL ragdoll = in_the_void(&fixture, MD5_EXPLICIT_ZERO);
        md5_body_state bodies[2];
        set_body_transforms(fixture.figure, (md5_xform){.rotation = {0, 0, 0, 1}},
                            (md5_vec3){3, -2, 1}, (md5_vec3){1, 2, -1}, bodies);
        bodies[1].angular = (md5_vec3){-4, 3, 2};
        md5_ragdoll_start(ragdoll, bodies);
        const motion motion_before = compute_motion(fixture.figure, md5_ragdoll_bodies(ragdoll));
        const double energy = md5_ragdoll_state(ragdoll).energy;
        md5_ragdoll_advance(ragdoll, 1.0);
        const motion motion_after = compute_motion(fixture.figure, md5_ragdoll_bodies(ragdoll));
        for (int i = 0; i < 3; i++) {
            CHECK_NEAR(motion_after.momentum[i], motion_before.momentum[i],
                       1e-3 * fabs(motion_before.momentum[i]));
            CHECK_NEAR(motion_after.angular_momentum[i], motion_before.angular_momentum[i],
                       0.02 * fabs(motion_before.angular_momentum[0]));
        }
        const double left = md5_ragdoll_state(ragdoll).energy / energy;
        CHECK_THAT(left <= 1.0 && left > 0.9, "%g of its energy", left);
    }
    close_case(&fixture);
}

// A box that hangs from a hinge in the world swings like a pendulum with the same inertia: after
// half a period it is at the other side.
TEST (ragdolls_swing_as_pendulums) {
    ragdoll_case fixture;
    if (open_case(&fixture, "",
                  NO_FRICTION
                  "body \"a\" { joint \"origin\" model box( ( -2, -2, -10 ), ( 2, 2, 10 ) ) origin "
                  "( 0, 0, -20 ) clipMask none }\n"
                  "hinge \"h\" { body1 \"a\" body2 \"world\" anchor ( 0, 0, 0 ) axis ( 0, 1, 0 ) "
                  "friction 0 }\n")) {
        SCOPED_RAGDOLL ragdoll = in_the_void(&fixture, 100.0f);
        // moment of inertia per unit of mass about the hinge, by the parallel axis theorem
        const double inertia = (4.0 * 4.0 + 20.0 * 20.0) / 12.0 + 400.0;
        const double half = 3.14159265358979 * sqrt(inertia / (100.0 * 20.0));
        md5_body_state body = {.transform = fixture.figure->setup[0]};
        // The box swings by 7 degrees if it begins with an angular speed of 1/4 radian per second.
        body.linear.x = 5.0f;
        body.angular.y = -0.25f;
        md5_ragdoll_start(ragdoll, &body);
        CHECK_NEAR(md5_ragdoll_bodies(ragdoll)->angular.y, -0.25, 1e-5);
        md5_ragdoll_advance(ragdoll, half);
        const md5_body_state *const current = md5_ragdoll_bodies(ragdoll);
        CHECK_SMALL(current->transform.translation.x, 0.05); // the amplitude of the swing is 2.3
        CHECK_NEAR(current->angular.y, 0.25, 0.005);
        CHECK_SMALL(md5_ragdoll_state(ragdoll).worst_joint, 1e-6);
    }
    close_case(&fixture);
}

// The fastest body determines the factor by which all velocities are reduced. In the first two rows
// the only body of the figure is the fastest.
TEST (ragdolls_have_a_maximum_speed) {
    static const struct {
        int num_bodies;
        double linear[2]; // velocities of the bodies, units per second
        double angular;   // angular velocity of the first body, radians per second
        double factor;    // expected, of all velocities
    } rows[] = {
        {1, {7679, 0}, 1, 1},
        {1, {7690, 0}, 1, 7680.0 / 7690},
        {1, {10, 0}, 94.1, 1},
        {1, {10, 0}, 94.4, 94.2 / 94.4},
        {2, {10, 7690}, 1, 7680.0 / 7690},
        {2, {7690, 10}, 1, 7680.0 / 7690},
    };
    static const char *const figures[] = {
        NO_FRICTION "body \"a\" { joint \"origin\" model box( ( -5, -5, -5 ), ( 5, 5, 5 ) ) }",
        NO_FRICTION "body \"a\" { joint \"origin\" model box( ( -5, -5, -5 ), ( 5, 5, 5 ) ) }\n"
                    "body \"b\" { joint \"chest\" model box( ( -5, -5, -5 ), ( 5, 5, 5 ) ) "
                    "origin ( 90, 0, 0 ) }",
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        ragdoll_case fixture;
        if (open_case(&fixture, "", figures[rows[i].num_bodies - 1])) {
            SCOPED_RAGDOLL ragdoll = in_the_void(&fixture, MD5_EXPLICIT_ZERO);
            md5_body_state bodies[2];
            set_body_transforms(fixture.figure, nowhere, still, still, bodies);
            bodies[0].angular.x = (float)rows[i].angular;
            for (int k = 0; k < rows[i].num_bodies; k++)
                bodies[k].linear.y = (float)rows[i].linear[k];
            md5_ragdoll_start(ragdoll, bodies);
            md5_ragdoll_advance(ragdoll, 1.0 / 240.0);
            const md5_body_state *const current = md5_ragdoll_bodies(ragdoll);
            for (int k = 0; k < rows[i].num_bodies; k++)
                CHECK_NEAR(current[k].linear.y, rows[i].factor * rows[i].linear[k], 0.05);
            CHECK_NEAR(current->angular.x, rows[i].factor * rows[i].angular, 0.001);
        }
        close_case(&fixture);
    }
}

// A hinge between two boxes rotates by 20 radians per second toward the end of its range, which is
// 20 degrees away. The fifth step ends exactly there, and the order of the two boxes in the
// declaration makes no difference.
TEST (ragdolls_stop_at_limits_of_either_body) {
    const double degree = 3.14159265358979 / 180;
    static const char *const joints[] = {
        "hinge \"h\" { body1 \"b\" body2 \"a\" anchor ( 5, 0, 0 ) axis ( 0, 1, 0 ) limit 0, 40, 0 "
        "}",
        "hinge \"h\" { body1 \"a\" body2 \"b\" anchor ( 5, 0, 0 ) axis ( 0, 1, 0 ) limit 0, 40, 0 "
        "}",
    };
    for (int i = 0; i < 2; i++) {
        ragdoll_case fixture;
        test_text text = {0};
        test_append(&text,
                    NO_FRICTION
                    "body \"a\" { joint \"origin\" model box( ( -4, -4, -4 ), ( 4, 4, 4 ) ) }\n"
                    "body \"b\" { joint \"chest\" model box( ( -4, -4, -4 ), ( 4, 4, 4 ) ) origin "
                    "( 10, 0, 0 ) }\n%s\n",
                    joints[i]);
        if (open_case(&fixture, "", text.bytes)) {
            SCOPED_RAGDOLL ragdoll = in_the_void(&fixture, MD5_EXPLICIT_ZERO);
            md5_body_state bodies[2];
            set_body_transforms(fixture.figure, nowhere, still, still, bodies);
            bodies[0].angular.y = 10;
            bodies[1].angular.y = -10;
            bodies[0].linear.z = 50;
            bodies[1].linear.z = 50;
            md5_ragdoll_start(ragdoll, bodies);
            const int num_steps = 5;
            md5_ragdoll_advance(ragdoll, num_steps / 240.0);
            const md5_body_state *const current = md5_ragdoll_bodies(ragdoll);
            const md5_quat rotation = current[0].transform.rotation;
            const double angle = real_angle(rotation, current[1].transform.rotation);
            CHECK_NEAR(angle, 20 * degree, 0.01 * degree);
            md5_ragdoll_advance(ragdoll, 1.0 / 240.0);
            CHECK_SMALL(md5_ragdoll_bodies(ragdoll)->angular.y, 0.01);
        }
        free(text.bytes);
        close_case(&fixture);
    }
}

// Returns the largest distance of two anchors of a joint while a figure spins for a number of
// steps. At the start, its first body is pulled along -y.
static double spinning_joint_distance(const ragdoll_case *fixture, float spin, int num_steps)
{
    SCOPED_RAGDOLL ragdoll = in_the_void(fixture, MD5_EXPLICIT_ZERO);
    md5_body_state bodies[MAX_BODIES];
    set_body_transforms(fixture->figure, nowhere, still, (md5_vec3){0, 0, spin}, bodies);
    bodies[0].linear.y -= 100;
    md5_ragdoll_start(ragdoll, bodies);
    double distance = 0.0;
    for (int step = 0; step < num_steps; step++) {
        md5_ragdoll_advance(ragdoll, 1.0 / 240.0);
        distance = fmax(distance, (double)md5_ragdoll_state(ragdoll).worst_joint);
    }
    return distance;
}

// A ring of four boxes: one of the four joints closes the loop. It spins and is pulled out of
// shape, and its joints stay together.
TEST (ragdolls_keep_rings_closed) {
    ragdoll_case fixture;
    if (open_case(&fixture, "",
                  NO_FRICTION
                  "body \"a\" { joint \"origin\" model box( ( -5, -1, -1 ), ( 5, 1, 1 ) ) }\n"
                  "body \"b\" { joint \"chest\" model box( ( -1, -5, -1 ), ( 1, 5, 1 ) ) origin ( "
                  "5, 5, 0 ) }\n"
                  "body \"c\" { joint \"head\" model box( ( -5, -1, -1 ), ( 5, 1, 1 ) ) origin ( "
                  "0, 10, 0 ) }\n"
                  "body \"d\" { joint \"larm\" model box( ( -1, -5, -1 ), ( 1, 5, 1 ) ) origin ( "
                  "-5, 5, 0 ) }\n"
                  "ballAndSocketJoint \"ab\" { body1 \"b\" body2 \"a\" anchor ( 5, 0, 0 ) }\n"
                  "ballAndSocketJoint \"bc\" { body1 \"c\" body2 \"b\" anchor ( 5, 10, 0 ) }\n"
                  "ballAndSocketJoint \"da\" { body1 \"d\" body2 \"a\" anchor ( -5, 0, 0 ) }\n"
                  "ballAndSocketJoint \"cd\" { body1 \"d\" body2 \"c\" anchor ( -5, 10, 0 ) }\n")) {
        CHECK_SMALL(spinning_joint_distance(&fixture, 12.0f, 240), 0.01);
    }
    close_case(&fixture);
}

// A ladder: two chains of six boxes, whose ends are a hundred times as heavy as the other boxes.
// Joints between the chains close five loops. The loops need more sweeps of the solver than one
// loop, and their joints stay together.
TEST (ragdolls_keep_ladders_closed) {
    enum { NUM_RUNGS = 6 };
    test_text text = {0};
    test_append(&text, NO_FRICTION);
    for (int i = 0; i < NUM_RUNGS; i++) {
        const char *const density = i == NUM_RUNGS - 1 ? "20" : "0.2";
        for (int side = 0; side < 2; side++)
            test_append(&text,
                        "body \"%c%d\" { joint \"%s\" model box( ( -1, -4, -1 ), ( 1, 4, 1 ) ) "
                        "origin ( %d, %d, 0 ) density %s }\n",
                        'a' + side, i, i == 0 && side == 0 ? "origin" : "chest", 8 * side, 8 * i,
                        density);
    }
    for (int i = 1; i < NUM_RUNGS; i++) {
        for (int side = 0; side < 2; side++)
            test_append(&text,
                        "ballAndSocketJoint \"%c%d\" { body1 \"%c%d\" body2 \"%c%d\" "
                        "anchor ( %d, %d, 0 ) }\n",
                        'a' + side, i, 'a' + side, i, 'a' + side, i - 1, 8 * side, 8 * i - 4);
    }
    for (int i = 0; i < NUM_RUNGS; i++)
        test_append(&text,
                    "ballAndSocketJoint \"rung%d\" { body1 \"b%d\" body2 \"a%d\" "
                    "anchor ( 4, %d, 0 ) }\n",
                    i, i, i, 8 * i);

    ragdoll_case fixture;
    if (open_case(&fixture, "", text.bytes))
        CHECK_SMALL(spinning_joint_distance(&fixture, 6.0f, 480), 0.006);
    close_case(&fixture);
    free(text.bytes);
}

TEST (ragdolls_fall_and_are_pushed) {
    ragdoll_case fixture;
    if (open_man(&fixture, "")) {
        const md5_ragdoll_desc desc = {.figure = fixture.figure};
        SCOPED_RAGDOLL ragdoll = in_the_void(&fixture, 0.0f);
        SCOPED_RAGDOLL slow = md5_create_ragdoll(&desc, NULL, NULL);
        md5_body_state bodies[MAX_BODIES];
        double mass = 0.0;
        for (uint32_t i = 0; i < fixture.figure->num_bodies; i++)
            mass += (double)fixture.figure->bodies[i].mass;
        set_body_transforms(fixture.figure, nowhere, still, still, bodies);
        md5_ragdoll_start(ragdoll, bodies);
        const float height = bodies[0].transform.translation.z;
        md5_ragdoll_apply_impulse(ragdoll, 3, bodies[3].transform.translation,
                                  (md5_vec3){300, 300, 0});
        CHECK_SMALL(compute_motion(fixture.figure, md5_ragdoll_bodies(ragdoll)).momentum[0], 1e-3);
        md5_ragdoll_apply_impulse(ragdoll, 3, bodies[3].transform.translation,
                                  (md5_vec3){6000, 0, 800});
        const motion pushed = compute_motion(fixture.figure, md5_ragdoll_bodies(ragdoll));
        CHECK_NEAR(pushed.momentum[0], 6000.0, 0.1);
        CHECK_NEAR(pushed.momentum[2], 800.0, 0.1);
        CHECK(md5_ragdoll_state(ragdoll).added_energy > 0.5 * 6000.0 * 6000.0 / mass);
        md5_ragdoll_start(ragdoll, bodies);
        md5_ragdoll_start(slow, bodies);
        md5_ragdoll_advance(ragdoll, 0.5);
        md5_ragdoll_advance(slow, 0.5);
        // Uses the engine's friction of 0.01 per tick, and the engine's slow motion: the speed
        // rises from 2/3 to 1 until 0.8 s.
        double speed = 0.0;
        double distance[2] = {0.0, 0.0};
        for (int step = 0; step < 2 * 120; step++) {
            const bool is_slow = step >= 120;
            const double time = (step % 120) / 240.0;
            const double h = (is_slow ? (time + 1.6) / 2.4 : 1.0) / 240.0;
            speed = (step == 120 ? 0.0 : speed) - 1066.0 * h;
            speed *= pow(0.99, 0.25);
            distance[is_slow] += speed * h;
        }
        CHECK_NEAR(md5_ragdoll_bodies(ragdoll)->transform.translation.z - height, distance[0],
                   0.05);
        CHECK_NEAR(md5_ragdoll_bodies(slow)->transform.translation.z - height, distance[1], 0.05);
        CHECK_NEAR(md5_ragdoll_state(slow).time_scale, (0.5 + 1.6 - 1.0 / 240.0) / 2.4, 1e-5);
        CHECK_NEAR(md5_ragdoll_state(slow).friction_scales[0], 1.0 - 0.9 * 0.592, 0.01);
    }
    close_case(&fixture);
}

// Returns the upward speed of a box after it fell flat onto a plane, as a fraction of its speed
// before.
static double rebound(const ragdoll_case *fixture, float bounce)
{
    const md5_ragdoll_desc desc = {.figure = fixture->figure,
                                   .ground = {.plane_normal = {0, 0, 1}},
                                   .bounce = bounce,
                                   .ignore_slow_motion = true};
    SCOPED_RAGDOLL ragdoll = md5_create_ragdoll(&desc, NULL, NULL);
    md5_body_state body = {.transform = {.rotation = {0, 0, 0, 1}, .translation = {0, 0, 50}}};
    double down = 0.0;
    double up = 0.0;
    md5_ragdoll_start(ragdoll, &body);
    for (int i = 0; i < 120; i++) {
        md5_ragdoll_advance(ragdoll, 1.0 / 240.0);
        const double speed = (double)md5_ragdoll_bodies(ragdoll)->linear.z;
        down = fmin(down, speed);
        up = fmax(up, speed);
    }
    CHECK_NEAR(down, -sqrt(2.0 * 1066.0 * 47.0), 6.0);
    return up / -down;
}

TEST (ragdolls_bounce) {
    ragdoll_case fixture;
    if (open_case(&fixture, "",
                  NO_FRICTION
                  "body \"a\" { joint \"origin\" model box( ( -5, -5, -3 ), ( 5, 5, 3 ) ) }")) {
        CHECK_NEAR(rebound(&fixture, 0.0f), 0.4, 0.02);
        CHECK_NEAR(rebound(&fixture, 0.75f), 0.75, 0.02);
        CHECK_SMALL(rebound(&fixture, MD5_EXPLICIT_ZERO), 0.01);
    }
    close_case(&fixture);
}

// A box that falls flat rests on its four lower corners.
TEST (ragdolls_count_the_contacts_that_press) {
    ragdoll_case fixture;
    if (open_case(&fixture, "",
                  NO_FRICTION
                  "body \"a\" { joint \"origin\" model box( ( -5, -5, -3 ), ( 5, 5, 3 ) ) }")) {
        const md5_ragdoll_desc desc = {.figure = fixture.figure,
                                       .ground = {.plane_normal = {0, 0, 1}},
                                       .bounce = MD5_EXPLICIT_ZERO};
        SCOPED_RAGDOLL ragdoll = md5_create_ragdoll(&desc, NULL, NULL);
        md5_body_state body = {.transform = {.rotation = {0, 0, 0, 1}, .translation = {0, 0, 8}}};
        md5_ragdoll_start(ragdoll, &body);
        md5_ragdoll_advance(ragdoll, 1.0 / 240.0);
        CHECK_UINT(md5_ragdoll_state(ragdoll).num_contacts, 0);
        md5_ragdoll_advance(ragdoll, 0.5);
        CHECK_UINT(md5_ragdoll_state(ragdoll).num_contacts, 4);
    }
    close_case(&fixture);
}

TEST (ragdolls_are_dragged_by_a_limb) {
    ragdoll_case fixture;
    if (open_man(&fixture, "")) {
        const md5_ragdoll_desc desc = {.figure = fixture.figure,
                                       .ground = {.plane_normal = {0, 0, 1}}};
        SCOPED_RAGDOLL ragdoll = md5_create_ragdoll(&desc, NULL, NULL);
        const uint32_t hand = 4;
        const md5_vec3 point = md5_ragdoll_bodies(ragdoll)[hand].transform.translation;
        const md5_vec3 target = {20, 30, 70};
        CHECK(md5_ragdoll_is_at_rest(ragdoll));
        md5_ragdoll_drag(ragdoll, hand, point, &target);
        md5_ragdoll_advance(ragdoll, 6.0);
        CHECK(!md5_ragdoll_is_at_rest(ragdoll));
        const md5_vec3 at = md5_ragdoll_bodies(ragdoll)[hand].transform.translation;
        CHECK_SMALL(md5_vec3_length(md5_vec3_sub(at, target)), 8.0);
        md5_ragdoll_drag(ragdoll, hand, point, NULL);
        md5_ragdoll_advance(ragdoll, 6.0);
        CHECK(md5_ragdoll_is_at_rest(ragdoll));
        CHECK(md5_ragdoll_bodies(ragdoll)[hand].transform.translation.z < 40.0f);
        md5_ragdoll_wake(ragdoll);
        CHECK(!md5_ragdoll_is_at_rest(ragdoll));
    }
    close_case(&fixture);
}

// == Time, copies, bytes ==========================================================================

static md5_ragdoll *falling(const ragdoll_case *fixture)
{
    const md5_ground ground = {.triangles = stairs_triangles,
                               .user = (void *)(uintptr_t)&flights[0]};
    const md5_ragdoll_desc desc = {.figure = fixture->figure, .ground = ground};
    md5_ragdoll *const ragdoll = md5_create_ragdoll(&desc, NULL, NULL);
    const md5_xform transform = {.rotation = {0.6f, 0, 0, 0.8f}, .translation = {4, 0, 110}};
    md5_body_state bodies[MAX_BODIES];
    set_body_transforms(fixture->figure, transform, (md5_vec3){80, 10, 0}, (md5_vec3){1, 2, 1},
                        bodies);
    md5_ragdoll_start(ragdoll, bodies);
    return ragdoll;
}

static size_t bodies_size(const ragdoll_case *fixture)
{
    return fixture->figure->num_bodies * sizeof(md5_body_state);
}

TEST (ragdolls_do_not_depend_on_how_time_is_divided) {
    ragdoll_case fixture;
    if (open_man(&fixture, "")) {
        SCOPED_RAGDOLL single = falling(&fixture);
        SCOPED_RAGDOLL ticks = falling(&fixture);
        SCOPED_RAGDOLL frames = falling(&fixture);
        md5_ragdoll_advance(single, 1.5);
        for (int i = 0; i < 90; i++) // ticks of the engine: 16, 17 and 17 ms
            md5_ragdoll_advance(ticks, (i % 3 ? 0.017 : 0.016));
        for (int i = 0; i < 216; i++)
            md5_ragdoll_advance(frames, 1.0 / 144.0);
        CHECK_BYTES(md5_ragdoll_bodies(single), md5_ragdoll_bodies(ticks), bodies_size(&fixture));
        CHECK_BYTES(md5_ragdoll_bodies(single), md5_ragdoll_bodies(frames), bodies_size(&fixture));
    }
    close_case(&fixture);
}

static void run_backward(void *pool, size_t count, md5_range_fn *range, void *user)
{
    (void)pool;
    for (size_t i = count; i-- > 0;)
        range(user, (uint32_t)(i % 2), i, i + 1);
}

TEST (ragdolls_continue_from_copies_and_bytes) {
    ragdoll_case fixture;
    if (open_man(&fixture, "")) {
        SCOPED_RAGDOLL first = falling(&fixture);
        SCOPED_RAGDOLL copy = falling(&fixture);
        SCOPED_RAGDOLL restored = falling(&fixture);
        SCOPED_RAGDOLL beside = falling(&fixture);
        const size_t size = md5_ragdoll_save_size(first);
        SCOPED unsigned char *const bytes = test_alloc(2 * size);
        md5_ragdoll_advance(first, 0.703);
        md5_copy_ragdoll(copy, first);
        md5_ragdoll_save(first, bytes);
        md5_error error;
        CHECK_DONE(md5_ragdoll_restore(restored, bytes, size, &error), error);
        md5_ragdoll_save(restored, bytes + size);
        CHECK_BYTES(bytes, bytes + size, size);
        md5_ragdoll *const ragdolls[] = {first, copy, restored};
        const md5_threads threads = {.run = run_backward, .num_workers = 2};
        md5_ragdoll_advance_batch(ragdolls, 3, 0.8, &threads);
        md5_ragdoll_advance(beside, 0.703);
        md5_ragdoll_advance(beside, 0.8);
        CHECK_BYTES(md5_ragdoll_bodies(first), md5_ragdoll_bodies(copy), bodies_size(&fixture));
        CHECK_BYTES(md5_ragdoll_bodies(first), md5_ragdoll_bodies(restored), bodies_size(&fixture));
        CHECK_BYTES(md5_ragdoll_bodies(first), md5_ragdoll_bodies(beside), bodies_size(&fixture));
    }
    close_case(&fixture);
}

TEST (ragdolls_are_not_restored_from_invalid_bytes) {
    ragdoll_case fixture;
    if (open_man(&fixture, "")) {
        SCOPED_RAGDOLL ragdoll = falling(&fixture);
        const size_t size = md5_ragdoll_save_size(ragdoll);
        SCOPED unsigned char *const bytes = test_alloc(size), *const bad = test_alloc(size);
        md5_error error = {0};
        md5_ragdoll_advance(ragdoll, 0.5);
        md5_ragdoll_save(ragdoll, bytes);
        CHECK_FAILS(md5_ragdoll_restore(NULL, bytes, size, &error), error, MD5_ERROR_MISSING);
        CHECK_FAILS(md5_ragdoll_restore(ragdoll, bytes, 7, &error), error, MD5_ERROR_SYNTAX);
        CHECK_FAILS(md5_ragdoll_restore(ragdoll, bytes, size - 1, &error), error,
                    MD5_ERROR_MISMATCH);
        uint64_t random = 3;
        unsigned refused = 0;
        for (int i = 0; i < 400; i++) {
            memcpy(bad, bytes, size);
            for (int k = 0; k < 1 + i % 3; k++)
                bad[16 + test_random_u32(&random) % (size - 16)] =
                    (unsigned char)test_random_u32(&random);
            const bool is_read = md5_ragdoll_restore(ragdoll, bad, size, &error);
            refused += !is_read;
            CHECK(is_read || error.status == MD5_ERROR_RANGE);
            md5_ragdoll_advance(ragdoll, 0.02);
            CHECK(is_finite(fixture.figure, md5_ragdoll_bodies(ragdoll)));
        }
        CHECK(refused > 20);
        memset(bad, 0xFF, size);
        memcpy(bad, bytes, 16);
        CHECK_FAILS(md5_ragdoll_restore(ragdoll, bad, size, &error), error, MD5_ERROR_RANGE);
    }
    close_case(&fixture);
}

// A saved ragdoll consists of numbers of 8 bytes. Each limit is accepted, and the next number
// beyond it is refused. test/game/test_saved_words.c tests the indices and sizes.
TEST (ragdolls_limit_the_numbers_of_saved_states) {
    enum { HEAD = 2, NODE = HEAD + 24 + 7, CONTACT = NODE + 29 };
    static const struct {
        const char *name;
        size_t index; // index of the first number
        double min, max;
    } rows[] = {
        {"position of the world", HEAD + 4, -1e15, 1e15},
        {"anchor of the dragged body", HEAD + 7, -1e15, 1e15},
        {"target of the dragged body", HEAD + 10, -1e15, 1e15},
        {"pending time", HEAD + 13, -1, 1e6},
        {"added energy", HEAD + 14, 0, 1e30},
        {"elapsed fraction of a step", HEAD + 15, 0, 1},
        {"friction of joints", HEAD + 16, 0, 1e3},
        {"friction of contacts", HEAD + 17, 0, 1e3},
        {"position", NODE + 8, -1e15, 1e15},
        {"momentum", NODE + 11, -1e15, 1e15},
        {"angular momentum", NODE + 14, -1e15, 1e15},
        {"velocity", NODE + 17, -1e15, 1e15},
        {"angular velocity", NODE + 20, -1e15, 1e15},
        {"slide", NODE + 23, -1e15, 1e15},
        {"load", NODE + 24, 0, 1e30},
        {"impulse of a limit", NODE + 25, 0, 1e30},
        {"position of a contact", CONTACT, -1e15, 1e15},
        {"normal of a contact", CONTACT + 3, -1.001, 1.001},
        {"height of a contact", CONTACT + 6, -1e15, 1e15},
        {"normal impulse of a contact", CONTACT + 7, 0, 1e30},
        {"friction impulse of a contact", CONTACT + 8, -1e30, 1e30},
        {"approach speed of a contact", CONTACT + 10, -1e15, 1e15},
    };
    ragdoll_case fixture;
    if (open_man(&fixture, "")) {
        SCOPED_RAGDOLL ragdoll = falling(&fixture);
        const size_t size = md5_ragdoll_save_size(ragdoll);
        SCOPED unsigned char *const bytes = test_alloc(size), *const changed = test_alloc(size);
        md5_ragdoll_save(ragdoll, bytes);
        for (size_t i = 0; i < COUNT_OF(rows); i++) {
            const double numbers[] = {rows[i].min, rows[i].max, nextafter(rows[i].min, -INFINITY),
                                      nextafter(rows[i].max, INFINITY)};
            for (int k = 0; k < 4; k++) {
                md5_error error = {0};
                memcpy(changed, bytes, size);
                write_double(changed, rows[i].index, numbers[k]);
                const bool is_restored = md5_ragdoll_restore(ragdoll, changed, size, &error);
                CHECK_THAT(is_restored == (k < 2), "%s: %.17g", rows[i].name, numbers[k]);
                if (!is_restored)
                    CHECK_ERROR(error, MD5_ERROR_RANGE,
                                "invalid saved ragdoll: a value is out of range; save the ragdoll "
                                "again");
            }
        }
        for (size_t i = 0; i < 4; i++) { // numbers of steps
            for (uint64_t extra = 0; extra < 2; extra++) {
                memcpy(changed, bytes, size);
                write_number(changed, HEAD + 18 + i, UINT64_MAX / 2 + extra);
                CHECK((md5_ragdoll_restore(ragdoll, changed, size, NULL)) == (extra == 0));
            }
        }
        // The square of the length of a rotation may differ from 1 by 0.001.
        const double lengths[] = {sqrt(0.9991), sqrt(1.0009), sqrt(0.9989), sqrt(1.0011)};
        for (int k = 0; k < 4; k++) {
            memcpy(changed, bytes, size);
            for (size_t i = 0; i < 4; i++)
                write_double(changed, HEAD + i, i == 3 ? lengths[k] : 0);
            CHECK_THAT(md5_ragdoll_restore(ragdoll, changed, size, NULL) == (k < 2), "length %g",
                       lengths[k]);
        }
        md5_error error = {0};
        CHECK_REFUSED(md5_ragdoll_restore(ragdoll, bytes, 15, &error), error, MD5_ERROR_SYNTAX,
                      "data is not a saved ragdoll: expected at least 16 bytes, found 15 bytes");
        CHECK_FAILS(md5_ragdoll_restore(ragdoll, bytes, 16, &error), error, MD5_ERROR_MISMATCH);
    }
    close_case(&fixture);
}

TEST (ragdolls_report_memory_that_runs_out) {
    ragdoll_case fixture;
    if (open_man(&fixture, "")) {
        const md5_ragdoll_desc desc = {.figure = fixture.figure};
        for (test_failure failure = {0}; NEXT_FAILURE(failure);) {
            md5_ragdoll *const ragdoll =
                md5_create_ragdoll(&desc, &failure.opts.allocator, &failure.error);
            CHECK(ragdoll || failure.error.status == MD5_ERROR_MEMORY);
            if (ragdoll)
                md5_ragdoll_advance(ragdoll, 1.0);
            md5_destroy_ragdoll(ragdoll);
        }
    }
    close_case(&fixture);
}

// == Unusual figures
// ===============================================================================

// Measures a chain or a star, in which each body is attached to the previous or to the first body.
static double time_many(int count, bool is_star)
{
    test_text text = {0};
    test_append(&text, "body \"b0\" { joint \"origin\" }\n");
    for (int i = 1; i < count; i++) {
        const double at = is_star ? 20.0 : 8.0 * i;
        test_append(&text,
                    "body \"b%d\" { joint \"chest\" model box( ( -3, -3, -3 ), ( 3, 3, 3 ) "
                    ") origin ( %g, 0, 0 ) }\n",
                    i, at);
        test_append(&text,
                    "ballAndSocketJoint \"c%d\" { body1 \"b%d\" body2 \"b%d\" anchor "
                    "( %g, 0, 0 ) coneLimit ( 1, 0, 0 ), 90, ( 1, 0, 0 ) }\n",
                    i, i, is_star ? 0 : i - 1, at - 4.0);
    }
    ragdoll_case fixture;
    double shortest = INFINITY;
    if (open_case(&fixture, "", text.bytes)) {
        const md5_ragdoll_desc desc = {.figure = fixture.figure,
                                       .ground = {.plane_normal = {0, 0, 1}}};
        for (int round = 0; round < 3; round++) {
            const clock_t begin = clock();
            SCOPED_RAGDOLL ragdoll = md5_create_ragdoll(&desc, NULL, NULL);
            md5_ragdoll_wake(ragdoll);
            md5_ragdoll_advance(ragdoll, 0.05);
            shortest = fmin(shortest, (double)(clock() - begin) / CLOCKS_PER_SEC);
            CHECK(is_finite(fixture.figure, md5_ragdoll_bodies(ragdoll)));
            CHECK_SMALL(md5_ragdoll_state(ragdoll).worst_joint, 0.01);
        }
    }
    close_case(&fixture);
    free(text.bytes);
    return shortest;
}

TEST (ragdolls_need_time_linear_in_the_number_of_bodies) {
    for (int is_star = 0; is_star < 2; is_star++) {
        const double some = time_many(128, is_star);
        const double many = time_many(1024, is_star);
        CHECK_THAT(many < 20.0 * some + 0.01, "%g s, for an eighth of the bodies %g s", many, some);
    }
}

static const char *any_number(uint64_t *random)
{
    STRINGS(numbers) = {"0",   "0.001", "1",    "5",    "20",  "90",    "180",
                        "360", "-1",    "-180", "1000", "0.5", "100000"};
    if (test_random_u32(random) % 500 == 0)
        return "1e30"; // too far: an error
    return numbers[test_random_u32(random) % COUNT_OF(numbers)];
}

static void append_vector(test_text *text, uint64_t *random)
{
    const char *const x = any_number(random);
    const char *const y = any_number(random);
    test_append(text, " ( %s, %s, %s )", x, y, any_number(random));
}

// Unusual figures: bodies without mass or extent, joints at the same position, joints without an
// axis, joints of bodies that do not exist, limits of 0 and of 360 degrees, loops, springs,
// sliders.
static void append_nonsense(test_text *text, uint64_t *random)
{
    STRINGS(kinds) = {"fixed", "ballAndSocketJoint", "universalJoint", "hinge", "slider", "spring"};
    const unsigned count = 1 + test_random_u32(random) % 8;
    for (uint32_t i = 0; i < count; i++) {
        test_append(text, "body \"b%u\" { joint \"%s\" model box(", i, i ? "chest" : "origin");
        append_vector(text, random);
        test_append(text, ",");
        append_vector(text, random);
        test_append(text, " ) origin");
        append_vector(text, random);
        test_append(text, " density %s friction %s, %s, %s }\n", any_number(random),
                    any_number(random), any_number(random), any_number(random));
    }
    for (uint32_t i = 0; i < test_random_u32(random) % 10; i++) {
        const unsigned kind = test_random_u32(random) % 6;
        test_append(text, "%s \"c%u\" { body1 \"b%u\" body2 \"%s%u\" friction %s", kinds[kind], i,
                    test_random_u32(random) % count, test_random_u32(random) % 8 ? "b" : "world",
                    test_random_u32(random) % count, any_number(random));
        if (kind == 5)
            test_append(text,
                        " stretch %s compress %s damping %s restLength %s minLength %s "
                        "maxLength %s anchor1",
                        any_number(random), any_number(random), any_number(random),
                        any_number(random), any_number(random), any_number(random));
        else if (kind > 0)
            test_append(text, kind == 4 ? " axis" : " anchor");
        if (kind > 0)
            append_vector(text, random);
        if (kind == 2) {
            test_append(text, " shafts");
            append_vector(text, random);
            test_append(text, ",");
            append_vector(text, random);
        }
        if (kind == 1 || kind == 2) {
            test_append(text, test_random_u32(random) % 2 ? " coneLimit" : " pyramidLimit");
            const bool is_cone = text->bytes[text->used - 5 - 4] == 'c';
            append_vector(text, random);
            test_append(text, is_cone ? ", %s" : ", %s, 40, 15", any_number(random));
            if (kind == 1) {
                test_append(text, ",");
                append_vector(text, random);
            }
        }
        if (kind == 3) {
            test_append(text, " axis");
            append_vector(text, random);
            test_append(text, " limit %s, %s, %s", any_number(random), any_number(random),
                        any_number(random));
        }
        test_append(text, " }\n");
    }
}

TEST (ragdolls_of_random_figures_stay_finite) {
    uint64_t random = 11;
    unsigned num_created = 0;
    for (int round = 0; round < 150; round++) {
        test_text text = {0};
        ragdoll_case fixture;
        append_nonsense(&text, &random);
        if (open_case(&fixture, "\"ragdoll_slomoStart\" \"0\" \"ragdoll_jointFrictionDent\" \"-9\"",
                      text.bytes)) {
            const md5_ragdoll_desc desc = {.figure = fixture.figure, .ground = {.heights = hills}};
            md5_error error = {0};
            SCOPED_RAGDOLL ragdoll = md5_create_ragdoll(&desc, NULL, &error);
            md5_body_state bodies[MAX_BODIES];
            for (uint32_t i = 0; i < fixture.figure->num_bodies; i++)
                bodies[i] = (md5_body_state){.transform = fixture.figure->setup[i],
                                             .linear = random_vec3(round % 2 ? 1e30 : 50, &random),
                                             .angular = {NAN, INFINITY, 1e9f}};
            if (round % 3 == 0)
                bodies[0].transform.rotation = (md5_quat){0, 0, 0, 0};
            if (ragdoll) {
                md5_ragdoll_start(ragdoll, bodies);
                md5_ragdoll_apply_impulse(ragdoll, 0, (md5_vec3){1e30f, 0, 0},
                                          (md5_vec3){1e38f, 1e38f, 0});
                md5_ragdoll_advance(ragdoll, 0.5);
                CHECK_THAT(is_finite(fixture.figure, md5_ragdoll_bodies(ragdoll)), "%s",
                           text.bytes);
            } else {
                CHECK_UINT(error.status, MD5_ERROR_RANGE);
                CHECK(strstr(error.message, "is out of range: expected finite values up to "));
                CHECK_STRING(error.file, "def/d.def");
            }
            num_created += ragdoll != NULL;
        }
        close_case(&fixture);
        free(text.bytes);
    }
    CHECK_THAT(num_created > 20 && num_created < 150, "%u figures", num_created);
}

// == Getting up ===================================================================================

// A figure in the first pose of a clip, but rotated and at another position, gets up from there.
TEST (ragdolls_get_up_where_a_clip_fits) {
    ragdoll_case fixture;
    if (open_man(&fixture, "")) {
        const md5_skeleton *const skeleton = &fixture.entity->model->skeleton;
        const md5_xform there = {.rotation = md5_quat_from_euler((md5_euler){.yaw = 130}),
                                 .translation = {40, -20, 7}};
        md5_xform clip[MAX_BODIES];
        md5_xform pose[MAX_BODIES];
        md5_mat34 joints[MAX_BODIES];
        md5_body_state bodies[MAX_BODIES] = {{.linear = {0, 0, 0}}};
        memcpy(clip, fixture.figure->setup_pose, skeleton->num_joints * sizeof *clip);
        clip[1].rotation = md5_quat_from_euler((md5_euler){.pitch = 80});
        md5_local_to_model(skeleton, clip, joints);
        md5_figure_from_joints(fixture.figure, joints, there, 0.0f, bodies);
        for (uint32_t i = 0; i < fixture.figure->num_bodies; i++) // no time, no velocity
            CHECK_EXACT(md5_vec3_length(bodies[i].linear), 0);
        const md5_xform transform = md5_fit_figure(fixture.figure, bodies, joints);
        CHECK_NEAR(fabsf(transform.rotation.z), sin(65.0 * 3.14159265358979 / 180.0), 1e-5);
        CHECK_NEAR(md5_vec3_length(md5_vec3_sub(transform.translation, there.translation)), 0.0,
                   1e-3);
        for (int end = 0; end < 2; end++) {
            md5_fade_figure(fixture.figure, bodies, transform, clip, (float)end, pose);
            for (uint32_t i = 0; i < skeleton->num_joints; i++) {
                const md5_vec3 distance = md5_vec3_sub(pose[i].translation, clip[i].translation);
                CHECK_SMALL(md5_vec3_length(distance), 1e-3);
            }
        }
    }
    close_case(&fixture);
}

// == The engine's falls ===========================================================================

// A fall that the engine recorded.
typedef struct recorded_fall {
    md5_body_state bodies[MAX_BODIES]; // at death
    double heights[MAX_BODIES];        // of the bodies in the last record
} recorded_fall;

// Reads the records of a run, up to the next run. A record begins with a line "r"; the first
// bodies, before any record, are those at death. Returns false if a line is not valid.
static bool read_fall(const char *text, int run, uint32_t num_bodies, recorded_fall *fall)
{
    char word[24];
    snprintf(word, sizeof word, "run %d ", run);
    *fall = (recorded_fall){.bodies = {{.transform = {.rotation = {0, 0, 0, 1}}}}};
    bool is_recorded = false;
    unsigned index = 0;
    const char *start = strstr(text, word);
    const char *line = start ? strchr(start, '\n') : NULL;
    while (line && strncmp(line, "\nrun ", 5) != 0) {
        const bool is_body = line[1] == 'b';
        if (is_body) {
            double n[18]; // position, three axes, two velocities
            const int count =
                sscanf(line,
                       "\nb %23s %lf %lf %lf | %lf %lf %lf %lf %lf %lf %lf %lf %lf | %lf %lf %lf "
                       "%lf %lf %lf",
                       word, n, n + 1, n + 2, n + 3, n + 4, n + 5, n + 6, n + 7, n + 8, n + 9,
                       n + 10, n + 11, n + 12, n + 13, n + 14, n + 15, n + 16, n + 17);
            if (count != 19 || index >= num_bodies)
                return false;
            fall->heights[index] = n[2];
            if (!is_recorded) {
                // The axes are rows in the file, and columns in a matrix.
                md5_mat34 placement = {{0.0f}};
                for (int i = 0; i < 3; i++) {
                    for (int k = 0; k < 3; k++)
                        placement.m[4 * k + i] = (float)n[3 + 3 * i + k];
                    placement.m[4 * i + 3] = (float)n[i];
                }
                fall->bodies[index].transform = md5_xform_from_mat34(placement);
                fall->bodies[index].linear = (md5_vec3){(float)n[12], (float)n[13], (float)n[14]};
            }
            index++;
        } else {
            is_recorded = line[1] == 'r';
            index = is_recorded ? 0 : index;
        }
        line = strchr(line + 1, '\n');
    }
    return true;
}

// Compares the heights of two falls at rest with the engine's results. The comparison is only a
// plausibility check, because both simulations are chaotic. The engine's bodies at death are
// dropped on the floor of its map.
TEST (ragdolls_lie_about_as_low_as_those_of_the_original_engine) {
    REQUIRE_CORPUS();
    SCOPED_GAME game = open_golden_game(&probe_folder, NULL);
    SCOPED_STRING text = read_golden("d3char/ragdoll.txt", NULL);
    SCOPED_ENTITY entity = load_entity(game, "probe_stilt");
    md5_figure *const figure =
        md5_create_figure(md5_game_figure_def(game, "stilt", NULL), entity, NULL, NULL);
    const md5_ragdoll_desc desc = {.figure = figure, .ground = {.plane_normal = {0, 0, 1}}};
    SCOPED_RAGDOLL ragdoll = md5_create_ragdoll(&desc, NULL, NULL);
    REQUIRE(text && ragdoll);
    for (int run = 0; run < 2; run++) { // on the floor; run 2 is above stairs
        recorded_fall fall;
        REQUIRE(read_fall(text, run, figure->num_bodies, &fall));
        md5_ragdoll_start(ragdoll, fall.bodies);
        if (run == 0)
            md5_ragdoll_apply_impulse(
                ragdoll, 1, md5_vec3_add(fall.bodies[1].transform.translation, (md5_vec3){0, 0, 5}),
                (md5_vec3){4000, 500, 0});
        md5_ragdoll_advance(ragdoll, 5.0);
        CHECK(md5_ragdoll_is_at_rest(ragdoll));
        double ours = 0.0;
        double theirs = 0.0;
        double previous_height = 0.0;
        double mass = 0.0;
        for (uint32_t i = 0; i < figure->num_bodies; i++) {
            const double part = (double)figure->bodies[i].mass;
            ours += part * (double)md5_ragdoll_bodies(ragdoll)[i].transform.translation.z;
            theirs += part * fall.heights[i];
            previous_height += part * (double)fall.bodies[i].transform.translation.z;
            mass += part;
        }
        printf("note: run %d: rests after %.2f s; center of mass at %.2f, the engine's %.2f, %.2f "
               "before\n",
               run, md5_ragdoll_state(ragdoll).time, ours / mass, theirs / mass,
               previous_height / mass);
        CHECK_THAT(ours < 2.0 * theirs && ours < 0.2 * previous_height, "it does not lie");
    }
    md5_free_figure(figure);
}

#if !defined(NDEBUG)
TEST (ragdolls_reject_invalid_arguments) {
    ragdoll_case fixture;
    if (open_man(&fixture, "")) {
        SCOPED_RAGDOLL ragdoll = in_the_void(&fixture, 0.0f);
        MISUSE("md5_ragdoll_apply_impulse(): body: must be a body of the figure",
               md5_ragdoll_apply_impulse(ragdoll, fixture.figure->num_bodies, still, still));
        MISUSE("md5_ragdoll_advance(): seconds: must be 0 or more",
               md5_ragdoll_advance(ragdoll, -1.0));
    }
    close_case(&fixture);
}
#endif
