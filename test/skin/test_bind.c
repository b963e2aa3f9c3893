// Automatic weights on simple bodies, against distances computed here in double precision.
#include "test/skin/test_bind_case.h"
#include "test/test.h"

#include "md5/md5skin.h"
#include "md5/skin/bind_volume.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A tube of length 8 with joints at its start and its middle: bones of 4 units each, of which the
// second one continues the first.
static bind_case *tube_with_two_joints(bool is_closed)
{
    bind_case *const made = bind_new();
    bind_add_tube(made, 8.0f, is_closed);
    bind_add_joint(made, MD5_NONE, (md5_vec3){0.01f, 0, 0});
    bind_add_joint(made, 0, (md5_vec3){4, 0, 0});
    return made;
}

static md5_weights *create(const bind_case *of)
{
    md5_error error = {0};
    md5_weights *const weights = md5_make_weights(&of->desc, NULL, &error);
    if (!weights)
        test_check(false, __FILE__, __LINE__, "%s", error.message);
    return weights;
}

TEST (bind_paths_through_a_box_are_those_of_26_neighbours) {
    bind_case *const of = bind_new();
    bind_add_box(of, (md5_vec3){0, 0, 0}, (md5_vec3){16, 12, 9}, 1);
    bind_add_joint(of, MD5_NONE, (md5_vec3){2.5f, 3.5f, 4.5f});
    md5_context context;
    md5_error error = {0};
    md5i_context_begin(&context, NULL, NULL, &error);
    md5_arena arena = {.context = &context};
    md5_grid grid;
    md5_bones bones;
    md5_paths paths;
    const bool is_built = CHECK(md5i_build_grid(&arena, of->positions, of->desc.num_positions,
                                                of->indices, of->desc.num_triangles, 16, &grid)
                                && md5i_find_bones(&arena, &grid, &of->desc, &bones)
                                && md5i_create_paths(&arena, &grid, &bones, &paths));
    if (is_built) {
        CHECK_UINT(grid.num_voxels, 17 * 13 * 10); // positions at the far ends are in one more cell
        md5i_measure_paths(&paths, 0);
        double worst = 0.0, longest = 0.0;
        for (uint32_t voxel = 0; voxel < grid.num_voxels; voxel++) {
            const md5_vec3d at = md5_cell_center(&grid, grid.cells[voxel]);
            double a = fabs(at.x - 3.5), b = fabs(at.y - 4.5), c = fabs(at.z - 5.5), swap;
            if (a < b)
                swap = a, a = b, b = swap;
            if (b < c)
                swap = b, b = c, c = swap;
            if (a < b)
                swap = a, a = b, b = swap;
            const double expected = (a - b) + (b - c) * sqrt(2.0) + c * sqrt(3.0);
            const double off = fabs((double)paths.lengths[voxel] - expected);
            worst = off > worst ? off : worst;
            longest = expected > longest ? expected : longest;
        }
        CHECK_NEAR(worst, 0.0, 1e-5);
        CHECK(longest > 15.0);
    }
    md5i_arena_free(&arena);
    free(of);
}

// A triangle without area fills no square of a projection: its edges mark the cells.
TEST (bind_grid_holds_a_triangle_without_area) {
    bind_case *const of = bind_new();
    for (int i = 0; i < 3; i++)
        bind_add_position(of, (md5_vec3){(float)(4 * i), 0, 0});
    bind_add_triangle(of, 0, 1, 2);
    md5_context context;
    md5_error error = {0};
    md5i_context_begin(&context, NULL, NULL, &error);
    md5_arena arena = {.context = &context};
    md5_grid grid;
    if (CHECK(md5i_build_grid(&arena, of->positions, 3, of->indices, 1, 16, &grid)))
        CHECK_UINT(grid.num_voxels, 17); // the far end is in one more cell
    md5i_arena_free(&arena);
    free(of);
}

// In a convex body every path is straight, so weights are those of the formula, with exact
// distances.
TEST (bind_weights_in_a_tube_follow_the_formula) {
    bind_case *const of = tube_with_two_joints(true);
    static const float falloffs[] = {0.0f, 0.5f, 1.0f};
    for (int i = 0; i < 3; i++) {
        const double f = (double)falloffs[i];
        of->desc.falloff = falloffs[i] == 0.0f ? 1.17549435e-38f : falloffs[i];
        of->desc.no_smoothing = true;
        md5_weights *const weights = create(of);
        if (!weights)
            break;
        double worst = 0.0;
        for (uint32_t vertex = 0; vertex < of->desc.num_positions; vertex++) {
            const md5_vec3 at = of->positions[vertex];
            if (at.y == 0.0f && at.z == 0.0f)
                continue; // on a bone, where distances have a least value
            const double a = bind_distance(at, (md5_vec3){0.01f, 0, 0}, (md5_vec3){4, 0, 0}) / 8.0;
            const double b = bind_distance(at, (md5_vec3){4, 0, 0}, (md5_vec3){7.99f, 0, 0}) / 8.0;
            const double wa = 1.0 / pow((1.0 - f) * a + f * a * a, 2.0);
            const double wb = 1.0 / pow((1.0 - f) * b + f * b * b, 2.0);
            const double share = wa / (wa + wb);
            const double expected = share < 0.005 ? 0.0 : share > 0.995 ? 1.0 : share;
            const double off = fabs(bind_weight(weights, vertex, 0) - expected);
            worst = off > worst ? off : worst;
        }
        CHECK_NEAR(worst, 0.0, 1e-5);
        md5_free_weights(weights);
    }
    free(of);
}

TEST (bind_tube_changes_smoothly_at_its_middle) {
    bind_case *const of = tube_with_two_joints(true);
    md5_weights *const weights = create(of);
    if (weights) {
        double before = 1.0, largest_step = 0.0;
        for (uint32_t ring = 0; ring <= 32; ring++) {
            const double now = bind_weight(weights, ring * 24, 0);
            CHECK(now <= before + 1e-6);
            largest_step = before - now > largest_step ? before - now : largest_step;
            before = now;
            CHECK_NEAR(now + bind_weight(weights, ring * 24, 1), 1.0, 1e-6);
        }
        CHECK_NEAR(bind_weight(weights, 16 * 24, 0), 0.5, 1e-3); // the joint
        CHECK(bind_weight(weights, 4 * 24, 0) > 0.98);
        CHECK(bind_weight(weights, 28 * 24, 1) > 0.98);
        CHECK(largest_step < 0.15); // between rings a quarter of the radius apart
        CHECK_UINT(weights->num_distant, 0);
        CHECK_UINT(weights->num_bound, 2);
        md5_free_weights(weights);
    }
    free(of);
}

// Two legs side by side, joined far above: the path from one to the other is long.
TEST (bind_does_not_cross_a_gap) {
    bind_case *const of = bind_new();
    bind_add_box(of, (md5_vec3){0, 0, 0}, (md5_vec3){2, 2, 20}, 8);
    bind_add_box(of, (md5_vec3){3, 0, 0}, (md5_vec3){5, 2, 20}, 8);
    bind_add_box(of, (md5_vec3){0, 0, 18}, (md5_vec3){5, 2, 20}, 8);
    const uint32_t left = bind_add_joint(of, MD5_NONE, (md5_vec3){0.3f, 1, 10});
    const uint32_t right = bind_add_joint(of, MD5_NONE, (md5_vec3){3.3f, 1, 10});
    md5_weights *const weights = create(of);
    if (weights) {
        double worst = 1.0;
        for (uint32_t i = 0; i < of->desc.num_positions; i++)
            if (of->positions[i].z < 12.0f) { // at x = 2, the other leg's joint is nearer
                const double own =
                    bind_weight(weights, i, of->positions[i].x < 2.5f ? left : right);
                worst = own < worst ? own : worst;
            }
        CHECK(worst > 0.95);
        md5_free_weights(weights);
    }
    free(of);
}

static void check_form(const bind_case *of, const md5_weights *weights, uint32_t most)
{
    double worst_sum = 0.0, worst_place = 0.0;
    CHECK_UINT(weights->num_vertices, of->desc.num_positions);
    for (uint32_t vertex = 0; vertex < weights->num_vertices; vertex++) {
        const md5_vertex at = weights->vertices[vertex];
        double sum = 0.0;
        if (!CHECK(at.num_weights >= 1 && at.num_weights <= most
                   && at.first_weight + at.num_weights <= weights->num_weights))
            return;
        for (uint32_t i = 0; i < at.num_weights; i++) {
            const md5_weight *const weight = &weights->weights[at.first_weight + i];
            CHECK(weight->bias > 0.0f && (i == 0 || weight->bias <= weight[-1].bias));
            sum += (double)weight->bias;
            const md5_vec3 placed = md5_mat34_point(of->bind[weight->joint], weight->offset);
            const double off = bind_distance(placed, of->positions[vertex], of->positions[vertex]);
            worst_place = off > worst_place ? off : worst_place;
        }
        worst_sum = fabs(sum - 1.0) > worst_sum ? fabs(sum - 1.0) : worst_sum;
    }
    CHECK_NEAR(worst_sum, 0.0, 1e-6);
    CHECK_NEAR(worst_place, 0.0, 1e-5);
}

TEST (bind_weights_have_the_form_of_md5mesh_files) {
    bind_case *const of = tube_with_two_joints(true);
    for (int i = 0; i < 5; i++)
        bind_add_joint(of, (uint32_t)i, (md5_vec3){(float)i + 0.5f, 0.2f, 0.1f});
    // A quarter turn about z, so that offsets are not just differences of positions.
    of->bind[1] = (md5_mat34){{0, -1, 0, 4, 1, 0, 0, 0, 0, 0, 1, 0}};
    for (uint32_t most = 1; most <= 5; most++) {
        of->desc.max_influences = most;
        md5_weights *const weights = create(of);
        if (weights)
            check_form(of, weights, most);
        md5_free_weights(weights);
    }
    free(of);
}

TEST (bind_gives_equal_positions_equal_weights) {
    bind_case *const of = bind_new();
    bind_add_box(of, (md5_vec3){0, 0, 0}, (md5_vec3){2, 2, 8}, 4); // edges are doubled
    bind_add_joint(of, MD5_NONE, (md5_vec3){1, 1, 1});
    bind_add_joint(of, 0, (md5_vec3){1, 1, 4});
    md5_weights *const weights = create(of);
    if (weights) {
        uint32_t num_pairs = 0;
        for (uint32_t a = 0; a < of->desc.num_positions; a++)
            for (uint32_t b = 0; b < a; b++)
                if (memcmp(&of->positions[a], &of->positions[b], sizeof(md5_vec3)) == 0) {
                    num_pairs++;
                    CHECK_UINT(weights->vertices[a].first_weight,
                               weights->vertices[b].first_weight);
                    CHECK_UINT(weights->vertices[a].num_weights, weights->vertices[b].num_weights);
                }
        CHECK(num_pairs >= 48);
        md5_free_weights(weights);
    }
    free(of);
}

// Without its ends the tube is only a surface, and its axis is outside, so the joints are on the
// surface.
TEST (bind_open_mesh_follows_its_surface) {
    bind_case *const of = bind_new();
    bind_add_tube(of, 8.0f, false);
    bind_add_joint(of, MD5_NONE, (md5_vec3){0.1f, 1, 0});
    bind_add_joint(of, 0, (md5_vec3){4, 1, 0});
    md5_weights *const weights = create(of);
    if (weights) {
        CHECK_UINT(weights->num_distant, 0);
        CHECK(bind_weight(weights, 0, 0) > 0.9);
        // The far side of the other end: bone 1 is half of the circumference away, bone 0 that and
        // 4 along the tube.
        const double around = 3.14159265, longer = sqrt(around * around + 16.0);
        const double expected = 1.0 / (1.0 + pow(around / longer, 4.0));
        CHECK_NEAR(bind_weight(weights, 32 * 24 + 12, 1), expected, 0.04);
        CHECK(weights->num_voxels < 32 * 25 * 25);
        md5_free_weights(weights);
    }
    free(of);
}

TEST (bind_separate_part_takes_the_straight_distance) {
    bind_case *const of = tube_with_two_joints(true);
    const uint32_t first = of->desc.num_positions;
    bind_add_box(of, (md5_vec3){6, 3, -1}, (md5_vec3){7, 4, 1}, 2);
    md5_weights *const weights = create(of);
    if (weights) {
        CHECK_UINT(weights->num_distant, of->desc.num_positions - first);
        for (uint32_t i = first; i < of->desc.num_positions; i++)
            CHECK(bind_weight(weights, i, 1) > 0.5);
        md5_free_weights(weights);
    }
    free(of);
}

TEST (bind_excluded_and_outside_joints_get_no_weights) {
    bind_case *const of = tube_with_two_joints(true);
    const uint32_t outside = bind_add_joint(of, 1, (md5_vec3){5, 3, 0});
    bool excluded[BIND_JOINTS] = {true};
    of->desc.excluded = excluded;
    md5_weights *const weights = create(of);
    if (weights) {
        CHECK_UINT(weights->num_bound, 1);
        for (uint32_t i = 0; i < of->desc.num_positions; i++)
            CHECK(bind_weight(weights, i, outside) == 0.0 && bind_weight(weights, i, 1) == 1.0);
        md5_free_weights(weights);
    }
    free(of);
}

TEST (bind_twice_gives_the_same_bits) {
    bind_case *const of = tube_with_two_joints(true);
    md5_weights *const a = create(of), *const b = create(of);
    if (a && b) {
        CHECK_UINT(a->num_weights, b->num_weights);
        CHECK(memcmp(a->weights, b->weights, a->num_weights * sizeof *a->weights) == 0);
    }
    md5_free_weights(a);
    md5_free_weights(b);
    free(of);
}

// -- Bind bobbin ----------------------------------------------------------------------------------
//
// Automatic weights for Bobbin, whose own weights were made with knowledge of his parts: how far
// the two move his surface apart in his clips.

typedef struct comparison {
    md5_model *model;
    md5_vec3 *positions, *posed; // of all meshes
    uint32_t *indices;
    uint32_t num_positions, num_triangles;
    bool *excluded;
    md5_mat34 *joints, *palette;
    md5_xform *scratch;
    md5_weights *weights;
    double sum, most;
    uint64_t count;
} comparison;

// Joints for which nobody would use weights by distance: parts of the face, things to hold, the
// belly's bounce.
static bool is_special(const char *name)
{
    static const char *const words[] = {"prop", "eye", "lid", "belly", "cheek", "tongue", "twist"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(name, words[i]))
            return true;
    return false;
}

static void join_meshes(comparison *of)
{
    for (uint32_t i = 0; i < of->model->num_meshes; i++) {
        const md5_mesh *const mesh = &of->model->meshes[i];
        memcpy(of->positions + of->num_positions, mesh->positions,
               mesh->num_vertices * sizeof(md5_vec3));
        for (uint32_t k = 0; k < 3 * mesh->num_triangles; k++)
            of->indices[3 * of->num_triangles + k] = of->num_positions + mesh->indices[k];
        of->num_positions += mesh->num_vertices;
        of->num_triangles += mesh->num_triangles;
    }
}

static bool begin(comparison *of)
{
    of->model = md5_load_model(test_path("models/bobbin/bobbin.md5mesh"), NULL, NULL);
    if (!of->model)
        return false;
    const uint32_t num_joints = of->model->skeleton.num_joints;
    size_t num_positions = 0, num_triangles = 0;
    for (uint32_t i = 0; i < of->model->num_meshes; i++) {
        num_positions += of->model->meshes[i].num_vertices;
        num_triangles += of->model->meshes[i].num_triangles;
    }
    of->positions = malloc(num_positions * sizeof *of->positions);
    of->posed = malloc(num_positions * sizeof *of->posed);
    of->indices = malloc(3 * num_triangles * sizeof *of->indices);
    of->excluded = calloc(num_joints, sizeof *of->excluded);
    of->joints = malloc(num_joints * sizeof *of->joints);
    of->palette = malloc(num_joints * sizeof *of->palette);
    of->scratch = malloc(num_joints * sizeof *of->scratch);
    if (!of->positions || !of->posed || !of->indices || !of->excluded || !of->joints || !of->palette
        || !of->scratch)
        return false;
    join_meshes(of);
    for (uint32_t i = 0; i < num_joints; i++)
        of->excluded[i] = is_special(of->model->skeleton.joints[i].name);
    const md5_weights_desc desc = {
        .positions = of->positions,
        .num_positions = of->num_positions,
        .indices = of->indices,
        .num_triangles = of->num_triangles,
        .skeleton = &of->model->skeleton,
        .bind = of->model->bind,
        .excluded = of->excluded,
    };
    of->weights = md5_make_weights(&desc, NULL, NULL);
    return of->weights != NULL;
}

static void end(comparison *of)
{
    md5_free_weights(of->weights);
    free(of->scratch);
    free(of->palette);
    free(of->joints);
    free(of->excluded);
    free(of->indices);
    free(of->posed);
    free(of->positions);
    md5_free_model(of->model);
}

// The distance from the posed vertex to that of the automatic weights, computed as for a file: the
// sum of bias * (joint * offset), in double.
static double distance_to_posed(const comparison *of, uint32_t vertex)
{
    const md5_vertex at = of->weights->vertices[vertex];
    const md5_vec3 posed = of->posed[vertex];
    double off[3] = {-(double)posed.x, -(double)posed.y, -(double)posed.z};
    for (uint32_t i = 0; i < at.num_weights; i++) {
        const md5_weight *const weight = &of->weights->weights[at.first_weight + i];
        const double p[4] = {(double)weight->offset.x, (double)weight->offset.y,
                             (double)weight->offset.z, 1.0};
        for (int row = 0; row < 3; row++)
            for (int k = 0; k < 4; k++)
                off[row] +=
                    (double)weight->bias * (double)of->joints[weight->joint].m[4 * row + k] * p[k];
    }
    return sqrt(off[0] * off[0] + off[1] * off[1] + off[2] * off[2]);
}

static void compare_frame(comparison *of, const md5_binding *binding, uint32_t frame)
{
    const md5_moment moment = md5_moment_from_frames(binding->anim, frame, frame, 0.0f);
    md5_pose_palette(binding, moment, MD5_ROOT_FILE, of->scratch, of->joints, of->palette);
    uint32_t first = 0;
    for (uint32_t i = 0; i < of->model->num_meshes; i++) {
        md5_skin(&of->model->meshes[i], of->palette, of->posed + first, NULL, NULL);
        first += of->model->meshes[i].num_vertices;
    }
    for (uint32_t vertex = 0; vertex < of->num_positions; vertex++) {
        const double off = distance_to_posed(of, vertex);
        of->sum += off;
        of->most = off > of->most ? off : of->most;
        of->count++;
    }
}

static void compare_clip(comparison *of, const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "models/bobbin/%s.md5anim", name);
    md5_anim *const anim = md5_load_anim(test_path(path), NULL, NULL);
    md5_binding *const binding = anim ? md5_bind(of->model, anim, NULL, NULL) : NULL;
    CHECK(binding != NULL);
    for (uint32_t frame = 0; binding && frame < anim->num_frames; frame += 6)
        compare_frame(of, binding, frame);
    md5_free_binding(binding);
    md5_free_anim(anim);
}

// His longest side is 57 units; the mean difference is half of a hundredth of that. The largest
// differences are where distance is not enough: eyes and lids, which move as one with the head
// here, the surface between the thighs, and sleeves.
TEST (bind_poses_bobbin_as_his_own_weights_do) {
    static const char *const clips[] = {
        "attack",        "bow",          "breathe", "carry", "dance",     "fall",
        "get_up",        "hit",          "idle",    "jump",  "jump_air",  "jump_land",
        "jump_start",    "lean",         "point",   "run",   "sneak",     "stand",
        "strafe_left",   "strafe_right", "talk",    "walk",  "turn_left", "turn_right",
        "walk_backward", "wave"};
    comparison of = {0};
    if (CHECK(begin(&of))) {
        for (size_t i = 0; i < sizeof clips / sizeof *clips; i++)
            compare_clip(&of, clips[i]);
        const double mean = of.sum / (double)of.count;
        printf("  Bobbin bound automatically: mean difference %.3f units, largest %.2f\n", mean,
               of.most);
        CHECK_UINT(of.weights->num_distant, 0);
        CHECK(mean > 0.0 && mean < 0.35);
        CHECK(of.most < 10.0);
    }
    end(&of);
}
