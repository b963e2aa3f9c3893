// Tests of automatic weights. On simple bodies they are compared with distances that this file
// computes in double precision; for Bobbin, with the weights of the model file. The last part tests
// hostile input.
#include "test/misuse.h"
#include "test/scoped.h"
#include "test/real.h"

#include "md5/edit/surface.h"
#include "md5/edit/weights.h"

// Meshes without weights and their skeletons, to be bound automatically.

enum { BIND_POSITIONS = 4096, BIND_TRIANGLES = 8192, BIND_JOINTS = 8 };

typedef struct bind_case {
    md5_vec3 positions[BIND_POSITIONS];
    uint32_t indices[3 * BIND_TRIANGLES];
    md5_joint joints[BIND_JOINTS];
    uint32_t order[BIND_JOINTS];
    md5_mat34 bind[BIND_JOINTS];
    md5_skeleton skeleton;
    md5_weights_desc desc;
} bind_case;

// Returns an empty case; the caller frees it.
static bind_case *bind_new(void)
{
    bind_case *const fixture = test_calloc(1, sizeof *fixture);
    fixture->skeleton = (md5_skeleton){.joints = fixture->joints, .order = fixture->order};
    fixture->desc = (md5_weights_desc){
        .positions = fixture->positions,
        .indices = fixture->indices,
        .skeleton = &fixture->skeleton,
        .bind = fixture->bind,
    };
    return fixture;
}

// Adds a joint without rotation. Returns its index.
static uint32_t bind_add_joint(bind_case *to, uint32_t parent, md5_vec3 at)
{
    const uint32_t joint = to->skeleton.num_joints++;
    to->joints[joint] = (md5_joint){"joint", parent};
    to->order[joint] = joint;
    to->bind[joint] = (md5_mat34){{1, 0, 0, at.x, 0, 1, 0, at.y, 0, 0, 1, at.z}};
    return joint;
}

static uint32_t bind_add_position(bind_case *to, md5_vec3 at)
{
    if (to->desc.num_positions == BIND_POSITIONS)
        abort();
    to->positions[to->desc.num_positions] = at;
    return to->desc.num_positions++;
}

static void bind_add_triangle(bind_case *to, uint32_t a, uint32_t b, uint32_t c)
{
    if (to->desc.num_triangles == BIND_TRIANGLES)
        abort();
    uint32_t *const corners = to->indices + 3 * to->desc.num_triangles++;
    corners[0] = a;
    corners[1] = b;
    corners[2] = c;
}

// Adds a side at `along` of axis w, between `low` and `high` of the remaining axes.
static void add_side(bind_case *to, const float *low, const float *high, int w, float along,
                     uint32_t cuts)
{
    const int u = (w + 1) % 3;
    const int v = (w + 2) % 3;
    const uint32_t first = to->desc.num_positions;
    for (uint32_t i = 0; i <= cuts; i++) {
        for (uint32_t k = 0; k <= cuts; k++) {
            float at[3];
            at[u] = low[u] + (high[u] - low[u]) * (float)i / (float)cuts;
            at[v] = low[v] + (high[v] - low[v]) * (float)k / (float)cuts;
            at[w] = along;
            bind_add_position(to, (md5_vec3){at[0], at[1], at[2]});
        }
    }
    for (uint32_t i = 0; i < cuts; i++) {
        for (uint32_t k = 0; k < cuts; k++) {
            const uint32_t a = first + i * (cuts + 1) + k;
            const uint32_t b = a + cuts + 1;
            bind_add_triangle(to, a, b, a + 1);
            bind_add_triangle(to, b, b + 1, a + 1);
        }
    }
}

// Adds a closed box. Each side is cut into `cuts` times `cuts` squares and has separate positions.
static void bind_add_box(bind_case *to, md5_vec3 low, md5_vec3 high, uint32_t cuts)
{
    const float l[3] = {low.x, low.y, low.z};
    const float h[3] = {high.x, high.y, high.z};
    for (int axis = 0; axis < 3; axis++) {
        add_side(to, l, h, axis, l[axis], cuts);
        add_side(to, l, h, axis, h[axis], cuts);
    }
}

// Adds a tube of radius 1 along x from 0 to `length` in rings of 24 vertices at distances of 1/4,
// with or without ends.
static void bind_add_tube(bind_case *to, float length, bool is_closed)
{
    enum { AROUND = 24 };
    const uint32_t rings = (uint32_t)(4 * length) + 1;
    const uint32_t first = to->desc.num_positions;
    for (uint32_t ring = 0; ring < rings; ring++) {
        for (int i = 0; i < AROUND; i++) {
            const double angle = 6.283185307179586 * i / (double)AROUND;
            bind_add_position(
                to, (md5_vec3){0.25f * (float)ring, (float)cos(angle), (float)sin(angle)});
        }
    }
    for (uint32_t ring = 0; ring + 1 < rings; ring++) {
        for (uint32_t i = 0; i < AROUND; i++) {
            const uint32_t a = first + ring * AROUND + i;
            const uint32_t b = first + ring * AROUND + (i + 1) % AROUND;
            bind_add_triangle(to, a, b, a + AROUND);
            bind_add_triangle(to, b, b + AROUND, a + AROUND);
        }
    }
    if (!is_closed)
        return;
    const uint32_t ends[2] = {bind_add_position(to, (md5_vec3){0, 0, 0}),
                              bind_add_position(to, (md5_vec3){length, 0, 0})};
    for (uint32_t end = 0; end < 2; end++) {
        for (uint32_t i = 0; i < AROUND; i++) {
            const uint32_t ring = first + (end == 0 ? 0 : (rings - 1) * AROUND);
            bind_add_triangle(to, ends[end], ring + i, ring + (i + 1) % AROUND);
        }
    }
}

// Returns the weight of a joint on a vertex, or 0 if the joint does not influence it.
static double bind_weight(const md5_weights *weights, uint32_t vertex, uint32_t joint)
{
    const md5_vertex *const record = &weights->vertices[vertex];
    for (uint32_t i = 0; i < record->num_weights; i++) {
        if (weights->weights[record->first_weight + i].joint == joint)
            return weights->weights[record->first_weight + i].bias;
    }
    return 0;
}

// Returns the distance of a point from a segment, in double precision.
static double bind_distance(md5_vec3 point, md5_vec3 from, md5_vec3 to)
{
    const real3 segment = real3_sub(to_real3(to), to_real3(from));
    const real3 p = real3_sub(to_real3(point), to_real3(from));
    const double square = real3_dot(segment, segment);
    const double t = square > 0 ? real3_dot(p, segment) / square : 0;
    return real3_distance(p, real3_scale(segment, fmin(fmax(t, 0), 1)));
}

// Creates a tube of length 8 with joints at its start and its middle. Both bones are 4 units long,
// and the second bone continues the first.
static bind_case *tube_with_two_joints(bool is_closed)
{
    bind_case *const fixture = bind_new();
    bind_add_tube(fixture, 8, is_closed);
    bind_add_joint(fixture, MD5_NONE, (md5_vec3){0.01f, 0, 0});
    bind_add_joint(fixture, 0, (md5_vec3){4, 0, 0});
    return fixture;
}

static md5_weights *create(const bind_case *fixture)
{
    md5_error error = {0};
    md5_weights *const weights = md5_create_weights(&fixture->desc, NULL, &error);
    CHECK_DONE(weights, error);
    return weights;
}

// Sorts two numbers. The first becomes the larger one.
static void sort_two(double *first, double *second)
{
    const double larger = fmax(*first, *second);
    const double smaller = fmin(*first, *second);
    *first = larger;
    *second = smaller;
}

// A path goes from a voxel to one of its 26 neighbors, over a face, an edge or a corner. In a
// box, the length of the shortest path is therefore known: all three coordinates change in the
// first steps, then two, then one.
TEST (bind_paths_through_a_box_use_26_neighbors) {
    SCOPED bind_case *const fixture = bind_new();
    bind_add_box(fixture, (md5_vec3){0, 0, 0}, (md5_vec3){16, 12, 9}, 1);
    bind_add_joint(fixture, MD5_NONE, (md5_vec3){2.5f, 3.5f, 4.5f});
    md5_context context;
    md5i_context_begin(&context, NULL, NULL, NULL);
    md5_arena arena = {.context = &context};
    md5_grid grid;
    md5_bones bones;
    md5_paths paths;
    const bool is_built =
        CHECK(md5i_build_grid(&arena, fixture->positions, fixture->desc.num_positions,
                              fixture->indices, fixture->desc.num_triangles, 16, &grid)
              && md5i_find_bones(&arena, &grid, &fixture->desc, &bones)
              && md5i_create_paths(&arena, &grid, &bones, &paths));
    if (is_built) {
        CHECK_UINT(grid.num_voxels, 17 * 13 * 10); // positions at the far ends are in one more cell
        md5i_measure_paths(&paths, 0);
        double longest = 0;
        for (uint32_t voxel = 0; voxel < grid.num_voxels; voxel++) {
            const md5_vec3d at = md5_cell_center(&grid, grid.cells[voxel]);
            double a = fabs(at.x - 3.5);
            double b = fabs(at.y - 4.5);
            double c = fabs(at.z - 5.5);
            sort_two(&a, &b);
            sort_two(&b, &c);
            sort_two(&a, &b);
            const double expected = (a - b) + (b - c) * sqrt(2.0) + c * sqrt(3.0);
            CHECK_NEAR(paths.lengths[voxel], expected, 1e-5);
            longest = fmax(longest, expected);
        }
        CHECK(longest > 15);
    }
    md5i_arena_free(&arena);
}

// A triangle without area does not fill any square of a projection: its edges mark the cells.
TEST (bind_grid_contains_triangles_without_area) {
    SCOPED bind_case *const fixture = bind_new();
    for (int i = 0; i < 3; i++)
        bind_add_position(fixture, (md5_vec3){(float)(4 * i), 0, 0});
    bind_add_triangle(fixture, 0, 1, 2);
    md5_context context;
    md5i_context_begin(&context, NULL, NULL, NULL);
    md5_arena arena = {.context = &context};
    md5_grid grid;
    if (CHECK(md5i_build_grid(&arena, fixture->positions, 3, fixture->indices, 1, 16, &grid)))
        CHECK_UINT(grid.num_voxels, 17); // the far end is in one more cell
    md5i_arena_free(&arena);
}

static double squared_distance(md5_vec3 a, md5_vec3 b)
{
    const md5_vec3 d = md5_vec3_sub(a, b);
    return (double)md5_vec3_dot(d, d);
}

// No sampled point of a surface of random triangles is nearer than the found point.
TEST (surface_finds_the_nearest_point) {
    enum { NUM_TRIANGLES = 300, NUM_POINTS = 200, STEPS = 12 };
    md5_vec3 positions[3 * NUM_TRIANGLES];
    uint32_t corners[3 * NUM_TRIANGLES];
    for (uint32_t i = 0; i < 3 * NUM_TRIANGLES; i++) {
        const uint64_t seed = 3 * (uint64_t)(i / 3) + 7;
        const float size = i % 9 < 3 ? 0 : 3.0f; // some triangles are points
        corners[i] = i;
        positions[i] = (md5_vec3){40 * md5_random_float(md5_mix_bits(seed))
                                      + size * md5_random_float(md5_mix_bits(9001 + i)),
                                  9 * md5_random_float(md5_mix_bits(seed + 1))
                                      + size * md5_random_float(md5_mix_bits(5001 + i)),
                                  9 * md5_random_float(md5_mix_bits(seed + 2))
                                      + size * md5_random_float(md5_mix_bits(7001 + i))};
    }
    md5_context context;
    md5_error error = {0};
    md5i_context_begin_memory(&context, (md5_allocator){0}, &error);
    md5_arena arena = {.context = &context};
    md5_surface surface;
    REQUIRE(md5i_build_surface(&arena, positions, corners, NUM_TRIANGLES, &surface));
    for (uint32_t i = 0; i < NUM_POINTS; i++) {
        const md5_vec3 p = {50 * md5_random_float(md5_mix_bits(100001 + i)) - 5,
                            20 * md5_random_float(md5_mix_bits(200001 + i)) - 5,
                            20 * md5_random_float(md5_mix_bits(300001 + i)) - 5};
        const md5_surface_point found = md5i_nearest_point(&surface, p);
        md5_vec3 point = {0, 0, 0};
        double sum = 0;
        for (uint32_t k = 0; k < 3; k++) {
            CHECK(found.fractions[k] >= 0);
            sum += found.fractions[k];
            point = md5_vec3_add(point, md5_vec3_scale(positions[3 * found.triangle + k],
                                                       (float)found.fractions[k]));
        }
        CHECK_NEAR(sum, 1, 1e-12);
        double nearest = INFINITY;
        for (uint32_t t = 0; t < NUM_TRIANGLES; t++) {
            for (uint32_t b = 0; b <= STEPS; b++) {
                for (uint32_t c = 0; b + c <= STEPS; c++) {
                    const md5_vec3 *const at = positions + (size_t)3 * t;
                    const md5_vec3 ab = md5_vec3_lerp(at[0], at[1], (float)b / (float)STEPS);
                    const md5_vec3 ac = md5_vec3_sub(at[2], at[0]);
                    const md5_vec3 sample =
                        md5_vec3_add(ab, md5_vec3_scale(ac, (float)c / (float)STEPS));
                    nearest = fmin(nearest, squared_distance(p, sample));
                }
            }
        }
        CHECK(squared_distance(p, point) <= nearest + 1e-4);
        CHECK(sqrt(squared_distance(p, point)) >= sqrt(nearest) - 6.0 / (double)STEPS);
    }
    md5i_arena_free(&arena);
}

// In a convex body every path is straight, so the weights follow the formula with exact distances.
TEST (bind_weights_in_a_tube_follow_the_formula) {
    SCOPED bind_case *const fixture = tube_with_two_joints(true);
    static const float falloffs[] = {0, 0.5f, 1};
    for (size_t i = 0; i < COUNT_OF(falloffs); i++) {
        const double f = falloffs[i];
        fixture->desc.falloff = f == 0 ? 1.17549435e-38f : falloffs[i];
        fixture->desc.no_smoothing = true;
        SCOPED_WEIGHTS weights = create(fixture);
        REQUIRE(weights);
        for (uint32_t vertex = 0; vertex < fixture->desc.num_positions; vertex++) {
            const md5_vec3 at = fixture->positions[vertex];
            if (at.y == 0 && at.z == 0)
                continue; // on a bone, where distances have a minimum
            const double a = bind_distance(at, (md5_vec3){0.01f, 0, 0}, (md5_vec3){4, 0, 0}) / 8.0;
            const double b = bind_distance(at, (md5_vec3){4, 0, 0}, (md5_vec3){7.99f, 0, 0}) / 8.0;
            const double wa = 1.0 / pow((1 - f) * a + f * a * a, 2);
            const double wb = 1.0 / pow((1 - f) * b + f * b * b, 2);
            const double fraction = wa / (wa + wb);
            double expected = fraction;
            if (fraction < 0.005)
                expected = 0;
            else if (fraction > 0.995)
                expected = 1;
            CHECK_NEAR(bind_weight(weights, vertex, 0), expected, 1e-5);
        }
    }
}

TEST (bind_tube_changes_smoothly_at_its_middle) {
    SCOPED bind_case *const fixture = tube_with_two_joints(true);
    SCOPED_WEIGHTS weights = create(fixture);
    REQUIRE(weights);
    double previous_weight = 1;
    double largest_step = 0;
    for (uint32_t ring = 0; ring < 33; ring++) {
        const double weight = bind_weight(weights, ring * 24, 0);
        CHECK(weight <= previous_weight + 1e-6);
        largest_step = fmax(largest_step, previous_weight - weight);
        previous_weight = weight;
        CHECK_NEAR(weight + bind_weight(weights, ring * 24, 1), 1, 1e-6);
    }
    CHECK_NEAR(bind_weight(weights, 16 * 24, 0), 0.5, 1e-3); // at the joint
    CHECK(bind_weight(weights, 4 * 24, 0) > 0.98);
    CHECK(bind_weight(weights, 28 * 24, 1) > 0.98);
    CHECK(largest_step < 0.15); // between rings a quarter of the radius apart
    CHECK_UINT(weights->num_distant, 0);
    CHECK_UINT(weights->num_bound, 2);
}

// Two parallel legs that are connected far above: the path from one to the other is long.
TEST (bind_does_not_cross_a_gap) {
    SCOPED bind_case *const fixture = bind_new();
    bind_add_box(fixture, (md5_vec3){0, 0, 0}, (md5_vec3){2, 2, 20}, 8);
    bind_add_box(fixture, (md5_vec3){3, 0, 0}, (md5_vec3){5, 2, 20}, 8);
    bind_add_box(fixture, (md5_vec3){0, 0, 18}, (md5_vec3){5, 2, 20}, 8);
    const uint32_t left = bind_add_joint(fixture, MD5_NONE, (md5_vec3){0.3f, 1, 10});
    const uint32_t right = bind_add_joint(fixture, MD5_NONE, (md5_vec3){3.3f, 1, 10});
    SCOPED_WEIGHTS weights = create(fixture);
    REQUIRE(weights);
    double min_weight = 1;
    for (uint32_t i = 0; i < fixture->desc.num_positions; i++) {
        if (fixture->positions[i].z < 12) { // at x = 2, the other leg's joint is nearer
            const double weight =
                bind_weight(weights, i, fixture->positions[i].x < 2.5f ? left : right);
            min_weight = fmin(min_weight, weight);
        }
    }
    CHECK(min_weight > 0.95);
}

TEST (bind_weights_have_the_form_of_md5mesh_files) {
    SCOPED bind_case *const fixture = tube_with_two_joints(true);
    for (int i = 0; i < 5; i++)
        bind_add_joint(fixture, (uint32_t)i, (md5_vec3){(float)i + 0.5f, 0.2f, 0.1f});
    // Rotate the joint by 90 degrees about z. Otherwise offsets would be plain differences of
    // positions.
    fixture->bind[1] = (md5_mat34){{0, -1, 0, 4, 1, 0, 0, 0, 0, 0, 1, 0}};
    for (uint32_t max_influences = 1; max_influences <= 5; max_influences++) {
        fixture->desc.max_influences = max_influences;
        SCOPED_WEIGHTS weights = create(fixture);
        REQUIRE(weights);
        double max_distance = 0;
        CHECK_UINT(weights->num_vertices, fixture->desc.num_positions);
        for (uint32_t vertex = 0; vertex < weights->num_vertices; vertex++) {
            const md5_vertex at = weights->vertices[vertex];
            double sum = 0;
            REQUIRE(at.num_weights >= 1 && at.num_weights <= max_influences
                    && at.first_weight + at.num_weights <= weights->num_weights);
            for (uint32_t i = 0; i < at.num_weights; i++) {
                const md5_weight *const weight = &weights->weights[at.first_weight + i];
                CHECK(weight->bias > 0 && (i == 0 || weight->bias <= weight[-1].bias));
                sum += weight->bias;
                const md5_vec3 placed =
                    md5_mat34_point(fixture->bind[weight->joint], weight->offset);
                real_update_max(&max_distance, bind_distance(placed, fixture->positions[vertex],
                                                             fixture->positions[vertex]));
            }
            CHECK_NEAR(sum, 1, 1e-6);
        }
        CHECK_SMALL(max_distance, 1e-5);
    }
}

TEST (bind_gives_equal_positions_equal_weights) {
    SCOPED bind_case *const fixture = bind_new();
    bind_add_box(fixture, (md5_vec3){0, 0, 0}, (md5_vec3){2, 2, 8}, 4); // edges are doubled
    for (uint32_t i = 0; i < fixture->desc.num_positions; i++) {
        if (i % 2 == 0 && fixture->positions[i].x == 0)
            fixture->positions[i].x = -0.0f;
    }
    bind_add_joint(fixture, MD5_NONE, (md5_vec3){1, 1, 1});
    bind_add_joint(fixture, 0, (md5_vec3){1, 1, 4});
    SCOPED_WEIGHTS weights = create(fixture);
    REQUIRE(weights);
    uint32_t num_pairs = 0;
    for (uint32_t a = 0; a < fixture->desc.num_positions; a++) {
        for (uint32_t b = 0; b < a; b++) {
            if (real_distance(fixture->positions[a], fixture->positions[b]) == 0) {
                num_pairs++;
                CHECK_UINT(weights->vertices[a].first_weight, weights->vertices[b].first_weight);
                CHECK_UINT(weights->vertices[a].num_weights, weights->vertices[b].num_weights);
            }
        }
    }
    CHECK(num_pairs >= 48);
}

// Without its ends the tube is only a surface, and its axis is outside, so the joints are on the
// surface.
TEST (bind_open_mesh_follows_its_surface) {
    SCOPED bind_case *const fixture = bind_new();
    bind_add_tube(fixture, 8, false);
    bind_add_joint(fixture, MD5_NONE, (md5_vec3){0.1f, 1, 0});
    bind_add_joint(fixture, 0, (md5_vec3){4, 1, 0});
    SCOPED_WEIGHTS weights = create(fixture);
    REQUIRE(weights);
    CHECK_UINT(weights->num_distant, 0);
    CHECK(bind_weight(weights, 0, 0) > 0.9);
    // The vertex is on the far side of the opposite end. Bone 1 is half of the circumference away
    // along the surface. Bone 0 is also 4 units away along the tube.
    const double around = 3.14159265;
    const double longer = sqrt(around * around + 16);
    const double expected = 1.0 / (1 + pow(around / longer, 4));
    CHECK_NEAR(bind_weight(weights, 32 * 24 + 12, 1), expected, 0.04);
    CHECK(weights->num_voxels < 32 * 25 * 25);
}

TEST (bind_separate_part_uses_the_straight_distance) {
    SCOPED bind_case *const fixture = tube_with_two_joints(true);
    const uint32_t first = fixture->desc.num_positions;
    bind_add_box(fixture, (md5_vec3){6, 3, -1}, (md5_vec3){7, 4, 1}, 2);
    SCOPED_WEIGHTS weights = create(fixture);
    REQUIRE(weights);
    CHECK_UINT(weights->num_distant, fixture->desc.num_positions - first);
    for (uint32_t i = first; i < fixture->desc.num_positions; i++)
        CHECK(bind_weight(weights, i, 1) > 0.5);
}

TEST (bind_excluded_and_outside_joints_get_no_weights) {
    SCOPED bind_case *const fixture = tube_with_two_joints(true);
    const uint32_t outside = bind_add_joint(fixture, 1, (md5_vec3){5, 3, 0});
    bool excluded[BIND_JOINTS] = {true};
    fixture->desc.excluded = excluded;
    SCOPED_WEIGHTS weights = create(fixture);
    REQUIRE(weights);
    CHECK_UINT(weights->num_bound, 1);
    for (uint32_t i = 0; i < fixture->desc.num_positions; i++)
        CHECK(bind_weight(weights, i, outside) == 0 && bind_weight(weights, i, 1) == 1);
}

TEST (bind_twice_gives_the_same_bits) {
    SCOPED bind_case *const fixture = tube_with_two_joints(true);
    SCOPED_WEIGHTS a = create(fixture);
    SCOPED_WEIGHTS b = create(fixture);
    if (a && b) {
        CHECK_UINT(a->num_weights, b->num_weights);
        CHECK_BYTES(a->weights, b->weights, a->num_weights * sizeof *a->weights);
    }
}

// -- Bobbin ---------------------------------------------------------------------------------------
//
// Automatic weights for Bobbin. The weights of the model file were made with knowledge of its
// parts. Measures the distance between the surfaces that the two sets of weights give in the clips.

typedef struct comparison {
    md5_model *model;
    md5_vec3 *positions, *posed; // vertices of all meshes
    uint32_t *indices;
    uint32_t num_positions, num_triangles;
    bool *excluded;
    md5_mat34 *joints, *palette;
    md5_xform *scratch;
    md5_weights *weights;
    double sum, max_error;
    uint64_t count;
} comparison;

// Joints for which weights by distance are not suitable: parts of the face, held objects, the
// bouncing belly.
static bool is_special(const char *name)
{
    STRINGS(words) = {"prop", "eye", "lid", "belly", "cheek", "tongue", "twist"};
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        if (strstr(name, words[i]))
            return true;
    }
    return false;
}

// Loads Bobbin and computes automatic weights for all of its meshes. Returns false on failure.
static bool begin(comparison *fixture)
{
    fixture->model = our_model("models/bobbin/bobbin.md5mesh");
    if (!fixture->model)
        return false;
    const uint32_t num_joints = fixture->model->skeleton.num_joints;
    size_t num_positions = 0;
    size_t num_triangles = 0;
    for (uint32_t i = 0; i < fixture->model->num_meshes; i++) {
        num_positions += fixture->model->meshes[i].num_vertices;
        num_triangles += fixture->model->meshes[i].num_triangles;
    }
    fixture->positions = test_calloc(num_positions, sizeof *fixture->positions);
    fixture->posed = test_calloc(num_positions, sizeof *fixture->posed);
    fixture->indices = test_calloc(3 * num_triangles, sizeof *fixture->indices);
    fixture->excluded = test_calloc(num_joints, sizeof *fixture->excluded);
    fixture->joints = test_calloc(num_joints, sizeof *fixture->joints);
    fixture->palette = test_calloc(num_joints, sizeof *fixture->palette);
    fixture->scratch = test_calloc(num_joints, sizeof *fixture->scratch);
    for (uint32_t i = 0; i < fixture->model->num_meshes; i++) {
        const md5_mesh *const mesh = &fixture->model->meshes[i];
        memcpy(fixture->positions + fixture->num_positions, mesh->positions,
               mesh->num_vertices * sizeof(md5_vec3));
        for (uint32_t k = 0; k < 3 * mesh->num_triangles; k++)
            fixture->indices[3 * fixture->num_triangles + k] =
                fixture->num_positions + mesh->indices[k];
        fixture->num_positions += mesh->num_vertices;
        fixture->num_triangles += mesh->num_triangles;
    }
    for (uint32_t i = 0; i < num_joints; i++)
        fixture->excluded[i] = is_special(fixture->model->skeleton.joints[i].name);
    const md5_weights_desc desc = {
        .positions = fixture->positions,
        .num_positions = fixture->num_positions,
        .indices = fixture->indices,
        .num_triangles = fixture->num_triangles,
        .skeleton = &fixture->model->skeleton,
        .bind = fixture->model->bind,
        .excluded = fixture->excluded,
    };
    fixture->weights = md5_create_weights(&desc, NULL, NULL);
    return fixture->weights != NULL;
}

static void end(comparison *fixture)
{
    md5_destroy_weights(fixture->weights);
    free(fixture->scratch);
    free(fixture->palette);
    free(fixture->joints);
    free(fixture->excluded);
    free(fixture->indices);
    free(fixture->posed);
    free(fixture->positions);
    md5_free_model(fixture->model);
}

// Returns the distance of a posed vertex from the vertex that the automatic weights give. It is
// computed as for a file: the sum of bias * (joint * offset), in double precision.
static double distance_to_posed(const comparison *fixture, uint32_t vertex)
{
    const md5_vertex at = fixture->weights->vertices[vertex];
    real3 sum = {0};
    for (uint32_t i = 0; i < at.num_weights; i++) {
        const md5_weight *const weight = &fixture->weights->weights[at.first_weight + i];
        const real3 position =
            real3_transform(&fixture->joints[weight->joint], to_real3(weight->offset), 1);
        sum = real3_add(sum, real3_scale(position, weight->bias));
    }
    return real3_distance(sum, to_real3(fixture->posed[vertex]));
}

// Bobbin's longest side is 57 units; the mean difference is 0.5 % of that. The largest differences
// are at parts for which distance is not sufficient: eyes and lids, which move with the head here,
// the surface between the thighs, and sleeves.
TEST (bind_weights_of_bobbin_are_near_his_own) {
    STRINGS(clips) = {"attack",   "bow",       "breathe",    "carry",       "dance",
                      "fall",     "get_up",    "hit",        "idle",        "jump",
                      "jump_air", "jump_land", "jump_start", "lean",        "point",
                      "run",      "sneak",     "stand",      "strafe_left", "strafe_right",
                      "talk",     "walk",      "turn_left",  "turn_right",  "walk_backward",
                      "wave"};
    comparison fixture = {0};
    if (CHECK(begin(&fixture))) {
        for (size_t j = 0; j < COUNT_OF(clips); j++) {
            SCOPED_ANIM anim =
                md5_load_anim(test_pathf("models/bobbin/%s.md5anim", clips[j]), NULL, NULL);
            SCOPED_BINDING binding = anim ? md5_bind(fixture.model, anim, NULL, NULL) : NULL;
            CHECK(binding);
            for (uint32_t frame = 0; binding && frame < anim->num_frames; frame += 6) {
                const md5_sample_position sample =
                    md5_sample_position_from_frames(binding->anim, frame, frame, 0);
                md5_pose_palette(binding, sample, MD5_ROOT_FILE, fixture.scratch, fixture.joints,
                                 fixture.palette);
                uint32_t first = 0;
                for (uint32_t i = 0; i < fixture.model->num_meshes; i++) {
                    const md5_mesh *const mesh = &fixture.model->meshes[i];
                    md5_skin(mesh, fixture.palette, fixture.posed + first, NULL, NULL);
                    first += mesh->num_vertices;
                }
                for (uint32_t vertex = 0; vertex < fixture.num_positions; vertex++) {
                    const double off = distance_to_posed(&fixture, vertex);
                    fixture.sum += off;
                    real_update_max(&fixture.max_error, off);
                    fixture.count++;
                }
            }
        }
        const double mean = fixture.sum / (double)fixture.count;
        printf("  Bobbin bound automatically: mean difference %.3f units, largest %.2f\n", mean,
               fixture.max_error);
        CHECK_UINT(fixture.weights->num_distant, 0);
        CHECK(mean > 0 && mean < 0.35);
        CHECK(fixture.max_error < 10);
    }
    end(&fixture);
}

// -- Hostile input --------------------------------------------------------------------------------

// Automatic weights: rejected input and its messages, random meshes, failing allocations, invalid
// calls.

static bind_case *box_with_joint(void)
{
    bind_case *const fixture = bind_new();
    bind_add_box(fixture, (md5_vec3){0, 0, 0}, (md5_vec3){2, 2, 8}, 2);
    bind_add_joint(fixture, MD5_NONE, (md5_vec3){1, 1, 1});
    return fixture;
}

static void check_refused(const bind_case *fixture, md5_status status, const char *message)
{
    md5_error error = {0};
    SCOPED_WEIGHTS weights = md5_create_weights(&fixture->desc, NULL, &error);
    CHECK_FAILS(weights, error, status);
    CHECK_STRING(error.message, message);
}

TEST (bind_rejects_numbers_out_of_range) {
    SCOPED bind_case *const fixture = box_with_joint();
    static const struct {
        md5_weights_desc desc;
        const char *message;
    } cases[] = {
        {{.resolution = 3}, "resolution is out of range: expected 4 to 256, found 3"},
        {{.resolution = 257}, "resolution is out of range: expected 4 to 256, found 257"},
        {{.max_influences = 17}, "max_influences is out of range: expected 1 to 16, found 17"},
        {{.smoothing = 65}, "smoothing is out of range: expected 1 to 64, found 65"},
        {{.falloff = 1.5f}, "falloff is out of range: expected 0 to 1, found 1.5"},
    };
    const md5_weights_desc good = fixture->desc;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        fixture->desc.resolution = cases[i].desc.resolution;
        fixture->desc.max_influences = cases[i].desc.max_influences;
        fixture->desc.smoothing = cases[i].desc.smoothing;
        fixture->desc.falloff = cases[i].desc.falloff;
        check_refused(fixture, MD5_ERROR_RANGE, cases[i].message);
    }
    fixture->desc.falloff = NAN;
    CHECK(md5_create_weights(&fixture->desc, NULL, NULL) == NULL);
    fixture->desc = good;
    fixture->desc.num_positions = 0;
    check_refused(fixture, MD5_ERROR_RANGE,
                  "num_positions is out of range: expected 1 to 134217727, found 0");
    fixture->desc = good;
    fixture->desc.num_triangles = 1u << 30;
    check_refused(fixture, MD5_ERROR_RANGE,
                  "too many triangles: expected at most 715827882, found 1073741824");
}

TEST (bind_accepts_numbers_up_to_their_limits) {
    SCOPED bind_case *const fixture = box_with_joint();
    static const md5_weights_desc limits[] = {
        {.resolution = 4}, {.resolution = 256}, {.max_influences = 1}, {.max_influences = 16},
        {.smoothing = 1},  {.smoothing = 64},   {.falloff = 1},
    };
    const md5_weights_desc good = fixture->desc;
    for (size_t i = 0; i < COUNT_OF(limits); i++) {
        fixture->desc.resolution = limits[i].resolution;
        fixture->desc.max_influences = limits[i].max_influences;
        fixture->desc.smoothing = limits[i].smoothing;
        fixture->desc.falloff = limits[i].falloff;
        SCOPED_WEIGHTS weights = md5_create_weights(&fixture->desc, NULL, NULL);
        CHECK_THAT(weights != NULL, "row %zu", i);
    }
    fixture->desc = good;
    float *const coordinates[] = {&fixture->positions[5].x, &fixture->positions[5].y,
                                  &fixture->positions[5].z, &fixture->bind[0].m[7]};
    for (size_t i = 0; i < 2 * COUNT_OF(coordinates); i++) {
        float *const coordinate = coordinates[i / 2];
        const float usual = *coordinate;
        const float limit = i % 2 == 0 ? 1e9f : -1e9f;
        md5_error error = {0};
        *coordinate = limit;
        SCOPED_WEIGHTS weights = md5_create_weights(&fixture->desc, NULL, &error);
        CHECK_THAT(error.status != MD5_ERROR_RANGE, "coordinate %zu: %s", i, error.message);
        *coordinate = nextafterf(limit, 2 * limit);
        CHECK_FAILS(md5_create_weights(&fixture->desc, NULL, &error), error, MD5_ERROR_RANGE);
        *coordinate = usual;
    }
}

TEST (bind_rejects_invalid_positions_indices_and_joints) {
    SCOPED bind_case *const fixture = box_with_joint();
    fixture->positions[5].y = 2e9f;
    check_refused(fixture, MD5_ERROR_RANGE,
                  "position 5 is out of range: expected -1e9 to 1e9, found ( 0 2e+09 8 )");
    fixture->positions[5].y = NAN;
    CHECK(md5_create_weights(&fixture->desc, NULL, NULL) == NULL);
    fixture->positions[5].y = 1;
    fixture->positions[5].x = -INFINITY;
    CHECK(md5_create_weights(&fixture->desc, NULL, NULL) == NULL);
    fixture->positions[5].x = 1;
    fixture->positions[5].z = 2e9f;
    CHECK(md5_create_weights(&fixture->desc, NULL, NULL) == NULL);
    fixture->positions[5].z = 1;
    fixture->indices[10] = fixture->desc.num_positions;
    check_refused(fixture, MD5_ERROR_RANGE,
                  "triangle 3 refers to an unknown position: expected an index below 54, found 54");
    fixture->indices[10] = 0;
    fixture->bind[0].m[7] = INFINITY;
    check_refused(fixture, MD5_ERROR_RANGE,
                  "bind matrix of joint 0 is out of range: expected -1e9 to 1e9, found inf");
    fixture->bind[0].m[7] = 5;
    check_refused(fixture, MD5_ERROR_MISMATCH,
                  "no joint can receive weights: all 1 joints are outside the mesh or excluded; "
                  "move a joint into the mesh");
    fixture->skeleton.num_joints = 0;
    check_refused(fixture, MD5_ERROR_MISMATCH,
                  "no joint can receive weights: all 0 joints are outside the mesh or excluded; "
                  "move a joint into the mesh");
}

// Without this limit, small files with overlapping triangles would take minutes.
TEST_LONG (bind_rejects_triangles_that_overlap_everywhere) {
    SCOPED bind_case *const fixture = box_with_joint();
    for (uint32_t i = fixture->desc.num_triangles; i < BIND_TRIANGLES; i++)
        bind_add_triangle(fixture, 0, fixture->desc.num_positions - 1, 6);
    fixture->desc.resolution = 256;
    md5_error error = {0};
    CHECK_SAYS(md5_create_weights(&fixture->desc, NULL, &error), error, MD5_ERROR_RANGE,
               "overlap in too many voxels: expected at most 67108864");
}

TEST (bind_survives_failure_of_every_allocation) {
    SCOPED bind_case *const fixture = box_with_joint();
    bool is_done = false;
    for (test_failure failure = {0}; NEXT_FAILURE(failure);) {
        SCOPED_WEIGHTS weights = md5_create_weights(&fixture->desc, &failure.opts, &failure.error);
        is_done = weights != NULL;
        CHECK_FAILURE(failure, weights);
    }
    CHECK(is_done);
    md5_error error = {0};
    const md5_load_opts small = {.allocator = {.limit = 10000}};
    CHECK_FAILS(md5_create_weights(&fixture->desc, &small, &error), error, MD5_ERROR_MEMORY);
}

static float any_number(uint64_t *seed, float size)
{
    const double random = test_random(seed);
    if (random < 0.1)
        return 0;
    return random > 0.9 ? size : (float)(random * 2 - 1.0) * size;
}

TEST (bind_accepts_any_triangles) {
    uint64_t seed = 7;
    static const float sizes[] = {1e9f, 1, 1e-30f, 1e-44f, 0};
    for (int round = 0; round < 100; round++) {
        SCOPED bind_case *const fixture = bind_new();
        const float size = sizes[round % 5];
        const float thin = round % 3 == 0 ? 0 : size;
        for (int i = 0; i < 20; i++)
            bind_add_position(fixture, (md5_vec3){any_number(&seed, size), any_number(&seed, size),
                                                  any_number(&seed, thin)});
        for (int i = 0; i < 30 * (round % 2); i++)
            bind_add_triangle(fixture, test_random_u32(&seed) % 20, test_random_u32(&seed) % 20,
                              test_random_u32(&seed) % 20);
        for (int i = 0; i < 4; i++) {
            const md5_vec3 at = fixture->positions[i];
            bind_add_joint(fixture, (uint32_t)(i % 3 - 1),
                           i == 3 ? (md5_vec3){1e9f, -1e9f, 1e9f} : at);
        }
        fixture->desc.resolution = 4 + (uint32_t)round % 29;
        SCOPED_WEIGHTS weights = md5_create_weights(&fixture->desc, NULL, NULL);
        if (!weights)
            continue;
        for (uint32_t i = 0; i < weights->num_vertices; i++) {
            const md5_vertex *const vertex = &weights->vertices[i];
            double sum = 0;
            for (uint32_t k = 0; k < vertex->num_weights; k++)
                sum += weights->weights[vertex->first_weight + k].bias;
            CHECK_NEAR(sum, 1, 1e-5);
        }
    }
}

TEST (bind_accepts_a_single_position) {
    SCOPED bind_case *const fixture = bind_new();
    bind_add_position(fixture, (md5_vec3){3, 4, 5});
    bind_add_joint(fixture, MD5_NONE, (md5_vec3){3, 4, 5});
    SCOPED_WEIGHTS weights = md5_create_weights(&fixture->desc, NULL, NULL);
    REQUIRE(weights);
    CHECK_UINT(weights->num_weights, 1);
    CHECK_UINT(weights->num_voxels, 1);
    CHECK(bind_weight(weights, 0, 0) == 1);
    md5_destroy_weights(NULL);
}

#if !defined(NDEBUG)

TEST (errors_in_binding_are_reported) {
    SCOPED bind_case *const fixture = box_with_joint();
    const md5_weights_desc good = fixture->desc;
    md5_weights_desc descs[4] = {good, good, good, good};
    static const char *const messages[4] = {"positions: must not be NULL",
                                            "indices: must not be NULL", "bind: must not be NULL",
                                            "reserved members must be 0"};
    descs[0].positions = NULL;
    descs[1].indices = NULL;
    descs[2].bind = NULL;
    descs[3].reserved[1] = 1;
    for (int i = 0; i < 4; i++)
        MISUSE(messages[i], md5_create_weights(&descs[i], NULL, NULL));
    MISUSE("desc: must not be NULL", md5_create_weights(test_null(), NULL, NULL));
}

#endif
