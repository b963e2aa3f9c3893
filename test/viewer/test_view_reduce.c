// Reduced triangles of meshes: their distance from the whole surface, the vertices that must be
// kept, and the members of crowds that are drawn from them. Also the control of quality by frame
// time.
#include "test/scoped.h"
#include "test/viewer/test_view_case.h"
#include "test/viewer/test_view_shot.h"

#define BOBBIN "models/bobbin/bobbin.md5mesh"
#define THIMBLE "models/thimble/thimble.md5mesh"

// -- Meshes -----------------------------------------------------------------------------------

enum { SIDE = 13, NUM_POSITIONS = SIDE * SIDE, NUM_TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1) };

// A square of 12 x 12 cells, which a test may bend.
typedef struct sheet {
    md5_mesh mesh;
    md5_vec3 positions[NUM_POSITIONS], normals[NUM_POSITIONS];
    md5_vec2 texcoords[NUM_POSITIONS];
    uint32_t indices[3 * NUM_TRIANGLES];
    uint32_t first_influence[NUM_POSITIONS + 1], joints[NUM_POSITIONS];
    md5_vec4 influences[NUM_POSITIONS];
} sheet;

static void make_sheet(sheet *fixture)
{
    uint32_t *next = fixture->indices;
    for (uint32_t i = 0; i < NUM_POSITIONS; i++) {
        const float x = (float)(i % SIDE);
        const float y = (float)(i / SIDE);
        fixture->positions[i] = (md5_vec3){x, y, 0};
        fixture->normals[i] = (md5_vec3){0, 0, 1};
        fixture->texcoords[i] = (md5_vec2){x / (float)SIDE, y / (float)SIDE};
        fixture->influences[i] = (md5_vec4){x, y, 0, 1};
        fixture->joints[i] = 0;
        fixture->first_influence[i + 1] = i + 1;
        if (i % SIDE + 1 == SIDE || i + SIDE >= NUM_POSITIONS)
            continue;
        const uint32_t corners[6] = {i, i + SIDE, i + 1, i + 1, i + SIDE, i + SIDE + 1};
        memcpy(next, corners, sizeof corners);
        next += 6;
    }
    fixture->first_influence[0] = 0;
    fixture->mesh = (md5_mesh){
        .num_vertices = NUM_POSITIONS,
        .num_triangles = NUM_TRIANGLES,
        .indices = fixture->indices,
        .texcoords = fixture->texcoords,
        .positions = fixture->positions,
        .normals = fixture->normals,
        .num_influences = NUM_POSITIONS,
        .max_influences = 1,
        .first_influence = fixture->first_influence,
        .influence_joints = fixture->joints,
        .influences = fixture->influences,
    };
}

// The sheet's joints: the second one is moved away from the surface.
static const md5_mat34 sheet_palette[2] = {{{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}},
                                           {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0.5f}}};

// Skips the test and returns false if the program was built without meshoptimizer.
static bool has_reduction(void)
{
    if (!view_can_reduce_meshes())
        test_skip("built without meshoptimizer");
    return view_can_reduce_meshes();
}

static uint32_t reduced_count(const md5_mesh *mesh, float error)
{
    view_triangles level;
    view_create_mesh_levels(mesh, sheet_palette, NULL, &error, 1, &level);
    free(level.indices);
    return level.count;
}

static bool uses(const view_triangles *level, uint32_t vertex)
{
    for (uint32_t i = 0; i < 3 * level->count; i++) {
        if (level->indices[i] == vertex)
            return true;
    }
    return false;
}

// -- Errors -----------------------------------------------------------------------------------

static double square(double value)
{
    return value * value;
}

// Returns the distance of a point from a triangle, to the nearest of a grid of points of the
// triangle.
static double grid_distance(md5_vec3 p, const md5_vec3 *a, const md5_vec3 *b, const md5_vec3 *c)
{
    enum { STEPS = 16 };
    double smallest = 1e30;
    for (int i = 0; i <= STEPS; i++) {
        for (int k = 0; k <= STEPS - i; k++) {
            const double u = (double)i / (double)STEPS;
            const double v = (double)k / (double)STEPS;
            const double w = 1.0 - u - v;
            const double x = u * a->x + v * b->x + w * c->x;
            const double y = u * a->y + v * b->y + w * c->y;
            const double z = u * a->z + v * b->z + w * c->z;
            const double d = square(x - p.x) + square(y - p.y) + square(z - p.z);
            smallest = fmin(smallest, d);
        }
    }
    return sqrt(smallest);
}

// Returns the distance of a vertex from the triangles of a level, both with these positions. Stops
// at a distance of `enough`.
static double distance_to(const md5_vec3 *positions, const view_triangles *level, uint32_t vertex,
                          double enough)
{
    double smallest = 1e30;
    for (uint32_t t = 0; t < level->count && smallest > enough; t++) {
        const uint32_t *const corners = level->indices + 3 * (size_t)t;
        smallest = fmin(smallest, grid_distance(positions[vertex], &positions[corners[0]],
                                                &positions[corners[1]], &positions[corners[2]]));
    }
    return smallest;
}

// Checks that every vertex of a small mesh, and every 40th vertex of a large one, is near the
// surfaces of the levels, all posed by a palette.
static void check_distances(const md5_mesh *mesh, const md5_mat34 *palette,
                            const view_triangles *levels, const float *limits)
{
    SCOPED md5_vec3 *const positions = common_alloc(mesh->num_vertices, sizeof *positions);
    md5_skin(mesh, palette, positions, NULL, NULL);
    const uint32_t step = mesh->num_vertices > 1000 ? 40 : 1;
    for (uint32_t i = 0; i < 2; i++) {
        double largest = 0;
        for (uint32_t v = 0; v < mesh->num_vertices; v += step)
            largest = fmax(largest, distance_to(positions, &levels[i], v, 0.5 * limits[i]));
        CHECK_THAT(largest < limits[i], "level %u: %.3f units away", i, largest);
    }
}

// The surface is near the whole surface in the bind pose and in a frame of running, where joints
// bend otherwise than in the pose of the reduction.
TEST (view_reduced_surfaces_are_near) {
    static const float errors[] = {0.1f, 0.4f};
    static const float bind_limits[] = {0.2f, 0.8f};
    static const float run_limits[] = {0.25f, 1.0f};
    SCOPED_MODEL model = our_model(BOBBIN);
    SCOPED_ANIM run = md5_load_anim(test_path("models/bobbin/run.md5anim"), NULL, NULL);
    SCOPED_BINDING binding = md5_bind(model, run, NULL, NULL);
    if (!has_reduction() || !CHECK(binding))
        return;
    const uint32_t num_joints = model->skeleton.num_joints;
    SCOPED md5_mat34 *const bent = common_alloc(num_joints, sizeof *bent);
    SCOPED md5_mat34 *const still = common_alloc(num_joints, sizeof *still);
    SCOPED md5_mat34 *const running = common_alloc(num_joints, sizeof *running);
    SCOPED md5_xform *const pose = common_alloc(num_joints, sizeof *pose);
    view_bend_joints(model, bent);
    md5_build_palette(model, model->bind, still);
    md5_pose_palette(binding, md5_sample_position_from_frames(run, 8, 8, 0), MD5_ROOT_FILE, pose,
                     NULL, running);
    for (uint32_t m = 0; m < model->num_meshes; m++) {
        const md5_mesh *const mesh = &model->meshes[m];
        view_triangles levels[2];
        view_create_mesh_levels(mesh, bent, NULL, errors, 2, levels);
        CHECK(levels[0].count < mesh->num_triangles && levels[1].count < levels[0].count * 3 / 4);
        check_distances(mesh, still, levels, bind_limits);
        check_distances(mesh, running, levels, run_limits);
        free(levels[0].indices);
        free(levels[1].indices);
    }
}

// Returns a straight limb along x, from 0 to 20, of radius 1. It has two bones, and its shape in
// the bind pose needs no vertex at the elbow.
static md5_model *make_limb(void)
{
    enum { RINGS = 11, AROUND = 8, NUM = RINGS * AROUND, TRIANGLES = 2 * (RINGS - 1) * AROUND };
    char *text =
        common_copy("MD5Version 10 commandline \"\" numJoints 2 numMeshes 1 joints {\n"
                    "\"upper\" -1 ( 0 0 0 ) ( 0 0 0 )\n\"lower\" 0 ( 10 0 0 ) ( 0 0 0 ) }\n");
    size_t room = 1 << 16;
    char *const mesh = common_alloc(room, 1);
    common_append(mesh, room, "", "mesh { shader \"\" numverts %d\n", NUM);
    for (int v = 0; v < NUM; v++)
        common_append(mesh, room, "", "vert %d ( %g %g ) %d 1\n", v, v / AROUND / 10.0,
                      v % AROUND / 8.0, v);
    common_append(mesh, room, "", "numtris %d\n", TRIANGLES);
    for (int i = 0; i < TRIANGLES / 2; i++) {
        const int a = i;
        const int b = i % AROUND + 1 < AROUND ? i + 1 : i + 1 - AROUND;
        common_append(mesh, room, "", "tri %d %d %d %d tri %d %d %d %d\n", 2 * i, a, a + AROUND, b,
                      2 * i + 1, b, a + AROUND, b + AROUND);
    }
    common_append(mesh, room, "", "numweights %d\n", NUM);
    for (int v = 0; v < NUM; v++) {
        const bool is_lower = v / AROUND >= RINGS / 2;
        const double angle = 6.283185307 * (v % AROUND) / (double)AROUND;
        common_append(mesh, room, "", "weight %d %d 1 ( %g %g %g )\n", v, is_lower,
                      2 * (v / AROUND) - (is_lower ? 10.0 : 0.0), cos(angle), sin(angle));
    }
    common_append(mesh, room, "", "}\n");
    char *const all = common_format("%s%s", text, mesh);
    md5_error error = {0};
    md5_model *const model = md5_parse_model(all, strlen(all), NULL, &error);
    CHECK_STRING(error.message, "");
    free(text);
    free(mesh);
    free(all);
    return model;
}

TEST (view_reduced_limbs_bend_at_the_elbow) {
    const float error = 0.2f;
    md5_mat34 bent[2], posed[2];
    SCOPED_MODEL limb = make_limb();
    if (!has_reduction() || !CHECK(limb))
        return;
    const md5_mesh *const mesh = &limb->meshes[0];
    md5_xform pose[2] = {limb->bind_local[0], limb->bind_local[1]};
    pose[1].rotation = md5_quat_from_axis_angle((md5_vec3){0, 0.6f, 0.8f}, -1.5f);
    view_bend_joints(limb, bent);
    md5_local_to_palette(limb, pose, NULL, posed);
    view_triangles levels[2];
    view_create_mesh_levels(mesh, bent, NULL, (const float[]){error, 1.5f * error}, 2, levels);
    CHECK(levels[0].count < mesh->num_triangles * 2 / 3);
    // Without vertices at the elbow, the surface would be 5 units away.
    check_distances(mesh, posed, levels, (const float[]){3 * error, 4.5f * error});
    free(levels[0].indices);
    free(levels[1].indices);
}

// A flat sheet keeps the vertices of its edge, and its area.
TEST (view_reduced_sheet_keeps_its_edge) {
    static sheet flat;
    const float error = 0.01f;
    view_triangles level;
    if (!has_reduction())
        return;
    make_sheet(&flat);
    view_create_mesh_levels(&flat.mesh, sheet_palette, NULL, &error, 1, &level);
    CHECK(level.count < NUM_TRIANGLES / 4);
    double area = 0.0;
    for (uint32_t t = 0; t < level.count; t++) {
        const md5_vec3 a = flat.positions[level.indices[3 * t]];
        const md5_vec3 b = flat.positions[level.indices[3 * t + 1]];
        const md5_vec3 c = flat.positions[level.indices[3 * t + 2]];
        const double twice = ((c.x - a.x) * (b.y - a.y) - (b.x - a.x) * (c.y - a.y));
        CHECK(twice > -1e-6); // three vertices of the edge may be in a line
        area += 0.5 * twice;
    }
    CHECK_NEAR(area, ((SIDE - 1) * (SIDE - 1)), 1e-6);
    for (uint32_t i = 0; i < NUM_POSITIONS; i++) {
        const bool is_in_first_or_last_column = i % SIDE == 0 || i % SIDE + 1 == SIDE;
        const bool is_in_first_or_last_row = i < SIDE || i + SIDE >= NUM_POSITIONS;
        if (is_in_first_or_last_column || is_in_first_or_last_row)
            CHECK(uses(&level, i));
    }
    free(level.indices);
}

// A peak of the flat sheet, a vertex of another joint and a vertex that a morph target moves are
// kept unless the accepted error is large.
TEST (view_reduced_meshes_keep_moving_triangles) {
    static sheet bent;
    const uint32_t center = NUM_POSITIONS / 2;
    const uint32_t ends[] = {0, 1};
    const md5_morph_delta delta = {.position = {0, 0, 0.5f}};
    const md5_morph_mesh moved = {1, 1, &center, ends, &delta};
    enum { PEAK, SECOND_JOINT, MORPH, NUM_KINDS };
    if (!has_reduction())
        return;
    for (int kind = 0; kind < NUM_KINDS; kind++) {
        const float errors[] = {0.1f, 10};
        make_sheet(&bent);
        if (kind == PEAK) {
            bent.positions[center].z = 0.5f;
            bent.influences[center].z = 0.5f;
        }
        if (kind == SECOND_JOINT)
            bent.joints[center] = 1;
        view_triangles levels[2];
        view_create_mesh_levels(&bent.mesh, sheet_palette, kind == MORPH ? &moved : NULL, errors, 2,
                                levels);
        CHECK(uses(&levels[0], center));
        CHECK(levels[0].count < NUM_TRIANGLES / 2);
        CHECK(!uses(&levels[1], center));
        free(levels[0].indices);
        free(levels[1].indices);
    }
}

// A morph target that moves a vertex by the accepted error changes nothing. If it moves the vertex
// farther, the triangles are kept.
TEST (view_reduced_meshes_keep_triangles_that_morph_targets_move_farther) {
    static sheet flat;
    const uint32_t center = NUM_POSITIONS / 2;
    const uint32_t ends[] = {0, 1};
    const float error = 0.125f;
    if (!has_reduction())
        return;
    make_sheet(&flat);
    for (int is_farther = 0; is_farther < 2; is_farther++) {
        const md5_morph_delta delta = {.position = {0, 0, is_farther ? 0.126f : 0.125f}};
        const md5_morph_mesh moved = {1, 1, &center, ends, &delta};
        view_triangles level;
        view_create_mesh_levels(&flat.mesh, sheet_palette, &moved, &error, 1, &level);
        CHECK(uses(&level, center) == is_farther);
        free(level.indices);
    }
}

// Vertices on both sides of a texture seam remain on their side.
TEST (view_reduced_seams_stay_closed) {
    static sheet seamed;
    const float error = 0.01f;
    if (!has_reduction())
        return;
    make_sheet(&seamed);
    // Give the row above the middle the positions of the middle row, so that both rows form a seam.
    const uint32_t row = SIDE / 2;
    for (uint32_t i = 0; i < SIDE; i++) {
        seamed.positions[(row + 1) * SIDE + i] = seamed.positions[row * SIDE + i];
        seamed.influences[(row + 1) * SIDE + i] = seamed.influences[row * SIDE + i];
    }
    uint32_t num_triangles = 0; // without the triangles between the two rows, which have no area
    for (uint32_t t = 0; t < NUM_TRIANGLES; t++) {
        const uint32_t *const corners = seamed.indices + 3 * (size_t)t;
        bool is_below = false;
        bool is_above = false;
        for (int k = 0; k < 3; k++) {
            is_below |= corners[k] / SIDE <= row;
            is_above |= corners[k] / SIDE > row;
        }
        if (!is_below || !is_above)
            memmove(seamed.indices + 3 * (size_t)num_triangles++, corners, 3 * sizeof *corners);
    }
    seamed.mesh.num_triangles = num_triangles;
    view_triangles level;
    view_create_mesh_levels(&seamed.mesh, sheet_palette, NULL, &error, 1, &level);
    CHECK(level.count < NUM_TRIANGLES / 4);
    for (uint32_t t = 0; t < level.count; t++) {
        uint32_t below = 0;
        uint32_t above = 0;
        for (int k = 0; k < 3; k++) {
            below += level.indices[3 * t + (uint32_t)k] / SIDE <= row;
            above += level.indices[3 * t + (uint32_t)k] / SIDE > row;
        }
        CHECK(below == 0 || above == 0);
    }
    free(level.indices);
}

// Unusual meshes, which files may contain, are reduced without a failure.
TEST (view_unusual_meshes_can_be_reduced) {
    static sheet odd;
    make_sheet(&odd);
    odd.mesh.num_triangles = 0;
    CHECK_UINT(reduced_count(&odd.mesh, 1.0f), 0);
    odd.mesh.num_triangles = NUM_TRIANGLES;
    for (uint32_t i = 0; i < NUM_POSITIONS; i++)
        odd.influences[i] = (md5_vec4){1e9f, 1e9f, 1e9f, 1}; // all at one position
    CHECK(reduced_count(&odd.mesh, 1.0f) <= NUM_TRIANGLES);
    for (uint32_t i = 0; i < NUM_POSITIONS; i++)
        odd.influences[i] = (md5_vec4){i % 2 == 0 ? 3e38f : -3e38f, 0, 0, 1}; // too large a size
    CHECK_UINT(reduced_count(&odd.mesh, 1.0f), NUM_TRIANGLES);
    make_sheet(&odd);
    for (uint32_t i = 3; i < 3 * NUM_TRIANGLES; i++)
        odd.indices[i] = odd.indices[i % 3]; // the same triangle many times
    CHECK(reduced_count(&odd.mesh, 1.0f) <= NUM_TRIANGLES);
    make_sheet(&odd);
    odd.mesh.num_vertices = odd.mesh.num_triangles = 0;
    CHECK_UINT(reduced_count(&odd.mesh, 1.0f), 0);
}

// -- Crowds -----------------------------------------------------------------------------------

// Two vertices that all triangles share: an algorithm of cubic cost would take days.
TEST (view_reducing_takes_linear_time_around_a_vertex) {
    enum { SIDES = 30000, NUM = SIDES + 2 };
    SCOPED md5_vec3 *const positions = common_alloc(2 * NUM, sizeof *positions);
    md5_vec3 *const normals = positions + NUM;
    SCOPED md5_vec2 *const texcoords = common_alloc(NUM, sizeof *texcoords);
    SCOPED uint32_t *const first = common_alloc(NUM + 1, sizeof *first);
    SCOPED uint32_t *const joints = common_alloc(NUM, sizeof *joints);
    SCOPED uint32_t *const indices = common_alloc(6 * SIDES, sizeof *indices);
    SCOPED md5_vec4 *const influences = common_alloc(NUM, sizeof *influences);
    for (uint32_t i = 0; i < NUM; i++) {
        const float angle = 6.2831853f * (float)i / (float)SIDES;
        const float side = i < SIDES ? 1.0f : 0.0f;
        float height = 0.0f;
        if (i >= SIDES)
            height = i == SIDES ? 0.1f : -0.1f;
        positions[i] = (md5_vec3){side * cosf(angle), side * sinf(angle), height};
        normals[i] = (md5_vec3){0, 0, 1};
        influences[i] = (md5_vec4){positions[i].x, positions[i].y, positions[i].z, 1};
        first[i + 1] = i + 1;
    }
    for (uint32_t i = 0; i < SIDES; i++) {
        const uint32_t next = (i + 1) % SIDES;
        const uint32_t corners[6] = {i, next, SIDES, next, i, SIDES + 1};
        memcpy(indices + 6 * (size_t)i, corners, sizeof corners);
    }
    const md5_mesh mesh = {.num_vertices = NUM,
                           .num_triangles = 2 * SIDES,
                           .indices = indices,
                           .texcoords = texcoords,
                           .positions = positions,
                           .normals = normals,
                           .num_influences = NUM,
                           .max_influences = 1,
                           .first_influence = first,
                           .influence_joints = joints,
                           .influences = influences};
    CHECK(reduced_count(&mesh, 0.01f) < SIDES);
}

TEST (view_large_crowds_are_reduced_by_default) {
    static const struct {
        view_options options;
        float pixels;
    } cases[] = {
        {{.crowd = 100}, 512},
        {{.crowd = 99}, 0},
        {{.crowd = 100, .output = "x.png"}, 512},
        {{.crowd = 2, .crowd_reduced = 40, .crowd_reduced_given = true}, 40},
        {{.crowd = 100, .crowd_reduced_given = true}, 0},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        view_document *const document = shot_load(&cases[i].options);
        if (document != NULL)
            CHECK_EXACT(document->crowd.reduced_pixels, cases[i].pixels);
        view_free_document(document, NULL);
    }
}

#define RUNNERS                                  \
    BOBBIN " models/bobbin/run.md5anim " THIMBLE \
           " models/thimble/walk.md5anim --resolution 320,240 --crowd 40 "

// Fewer triangles change less than half as much as 0.05 s of animation do.
TEST_LONG (view_crowds_look_alike_reduced) {
    gl_scene scene;
    if (!scene_share(&scene))
        return;
    SCOPED_PICTURE full = render_shot(&scene, RUNNERS "--animation-time 0.43");
    SCOPED_PICTURE later = render_shot(&scene, RUNNERS "--animation-time 0.48");
    SCOPED_PICTURE reduced =
        render_shot(&scene, RUNNERS "--animation-time 0.43 --crowd-reduced 512");
    const double difference = shot_difference(&reduced, &full);
    const double step = shot_difference(&later, &full);
    CHECK(!shot_same(&reduced, &full));
    CHECK_THAT(difference < 0.5 * step, "fewer triangles change %.4f, time %.4f", difference, step);
    scene_close(&scene);
}

#define FEW                                                                         \
    BOBBIN " models/bobbin/run.md5anim --resolution 320,240 --samples 1 --no-maps " \
           "--crowd 20 "

#define FACES                                                               \
    BOBBIN " models/bobbin/stand.md5anim --resolution 320,240 --no-shadow " \
           "--crowd 4 --animation-time 0 --camera-azimuth-angle 45 "

// Members use the level for their size, and each level has fewer triangles than the one before.
TEST_SHOT (view_small_members_are_drawn_from_fewer_triangles, FEW "--crowd-reduced 100") {
    SCOPED_PICTURE drawn = shot_draw(viewer);
    const view_crowd *const crowd = &viewer->state.document->crowd;
    const view_kind *const kind = &crowd->kinds[0];
    uint32_t sum = 0;
    uint32_t num_posed = 0;
    uint32_t before = UINT32_MAX;
    for (uint32_t i = 0; i < kind->num_levels; i++) {
        const view_detail *const level = &kind->levels[i];
        if (level->source != VIEW_DETAIL_POSED)
            continue;
        num_posed++;
        sum += level->count;
        if (i == 0 || level->drawn == NULL)
            continue;
        const uint32_t count = level->model->meshes[0].num_triangles;
        CHECK(count < before);
        before = count;
    }
    CHECK_UINT(num_posed, 1 + VIEW_NUM_REDUCED);
    CHECK_UINT(sum, kind->num_seen);
    CHECK_UINT(view_detail_at(kind, 0, 101.0f, true, false), 0);
    CHECK_UINT(view_detail_at(kind, 0, 100.0f, false, false), 0);
    CHECK(view_detail_at(kind, 0, 100.0f, true, false) > 0);
    CHECK(view_detail_at(kind, 0, 6.0f, true, false)
          > view_detail_at(kind, 0, 100.0f, true, false));
}

// Characters with fewer triangles have the same expressions as characters with all triangles: the
// difference between the levels is less than half of the effect of the morph target.
TEST_SCENE (view_morph_targets_move_members_of_fewer_triangles) {
    SCOPED_PICTURE still = render_shot(scene, FACES "--crowd-reduced 512");
    SCOPED_PICTURE reduced = render_shot(scene, FACES "--crowd-reduced 512 --morph oh=1");
    SCOPED_PICTURE full = render_shot(scene, FACES "--morph oh=1");
    const double levels = shot_difference(&reduced, &full);
    const double target = shot_difference(&reduced, &still);
    CHECK_THAT(levels < 0.5 * target, "levels change %.4f, the target %.4f", levels, target);
}

// Baked members use the triangles of the level for the largest size at which they are baked.
TEST_SHOT (view_baked_members_are_drawn_from_fewer_triangles,
           FEW "--crowd-reduced 200 --crowd-baked 100") {
    SCOPED_PICTURE drawn = shot_draw(viewer);
    const view_kind *const kind = &viewer->state.document->crowd.kinds[0];
    const uint32_t posed = view_detail_at(kind, 0, 100.0f, true, false);
    const uint32_t baked = view_detail_at(kind, 0, 6.0f, true, true);
    CHECK(viewer->state.document->crowd.num_baked > 0);
    CHECK(posed > 0 && kind->levels[baked].source == VIEW_DETAIL_BAKED);
    CHECK(scene_model(kind->levels[baked].drawn) == kind->levels[posed].model);
}

// -- Quality --------------------------------------------------------------------------------------

// Quality is reduced step by step if frames are too slow, and returns without oscillating. Frame
// times are simulated: each step takes a fixed fraction of the time of a full frame.

static const view_quality_offers everything = {.samples = true, .shadows = true};

// Frame time at each step, relative to full quality.
static const double shares[VIEW_NUM_QUALITY_LEVELS] = {1, 0.6, 0.45, 0.3, 0.18, 0.12};

// Simulates frames for this many seconds, of which one takes `full` seconds at full quality.
// Returns the number of changes.
static uint32_t run_frames(view_quality *quality, double full, double seconds)
{
    uint32_t changes = 0;
    for (double t = 0.0; t < seconds;) {
        const double frame = full * shares[quality->level];
        t += frame;
        changes += view_update_quality(quality, frame, everything) ? 1 : 0;
    }
    return changes;
}

TEST (view_quality_stays_full_if_frames_are_quick) {
    view_quality quality = {0};
    CHECK_UINT(run_frames(&quality, 0.0499, 60.0), 0);
    CHECK_UINT(quality.level, 0);
}

TEST (view_quality_survives_single_slow_frames) {
    view_quality quality = {0};
    for (int i = 0; i < 300; i++)
        CHECK(!view_update_quality(&quality, i % 2 == 0 ? 0.02 : 1.0, everything));
}

// A full frame of 0.07 s takes 0.042 s with one sample, which is fast enough. A full frame of 0.25
// s takes 0.075 s at 75 % of the resolution, which is too slow, and 0.045 s at 50 %.
TEST (view_quality_is_reduced_as_far_as_needed) {
    const struct {
        double full;
        uint32_t step;
    } cases[] = {{0.07, 1}, {0.1, 2}, {0.15, 3}, {0.25, 4}, {0.35, 5}, {3, 5}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        view_quality quality = {0};
        const uint32_t changes = run_frames(&quality, cases[i].full, 60.0);
        CHECK_UINT(quality.level, cases[i].step);
        CHECK_UINT(changes, cases[i].step); // the quality never returns
    }
}

// On a slow machine the quality is reduced by at least three levels within a few seconds, even if
// one frame takes a second.
TEST (view_quality_converges_quickly) {
    view_quality quality = {0};
    (void)run_frames(&quality, 0.25, 2.0); // 3, 4, 4 and 4 frames: 0.75 + 0.6 + 0.45 + 0.3 s
    CHECK(quality.level >= 3);
    (void)run_frames(&quality, 0.25, 0.5);
    CHECK_UINT(quality.level, 4);
    quality = (view_quality){0};
    (void)run_frames(&quality, 1.0, 7.0); // three frames each: 3 + 1.8 + 1.35 + ... s
    CHECK(quality.level >= 3);
}

TEST (view_quality_returns_if_time_permits) {
    view_quality quality = {0};
    (void)run_frames(&quality, 0.25, 10.0);
    CHECK_UINT(run_frames(&quality, 0.02, 10.0), 4); // the crowd is no longer visible
    CHECK_UINT(quality.level, 0);
}

// Another program used the machine while the quality went down; now frames are fast.
TEST (view_quality_returns_when_the_machine_is_free) {
    static const double frames[VIEW_NUM_QUALITY_LEVELS] = {0.030, 0.014,  0.012,
                                                           0.011, 0.0105, 0.01};
    view_quality quality = {0};
    for (uint32_t step = 0; step + 1 < VIEW_NUM_QUALITY_LEVELS;)
        // Only the frames after each change are fast, so that each step looks expensive.
        step += view_update_quality(&quality, quality.num_frames < 4 && step > 0 ? 0.01 : 0.3,
                                    everything);
    CHECK_UINT(quality.level, VIEW_NUM_QUALITY_LEVELS - 1);
    double seconds = 0.0;
    // Multisampling may cost more than is available, so it waits for a trial.
    for (; quality.level > 1 && seconds < 60.0; seconds += frames[quality.level])
        view_update_quality(&quality, frames[quality.level], everything);
    CHECK_THAT(seconds < 8.0, "%g s", seconds);
    for (; quality.level > 0 && seconds < 60.0; seconds += frames[quality.level])
        view_update_quality(&quality, frames[quality.level], everything);
    CHECK_THAT(seconds < 20.0, "%g s", seconds);
}

// Between 0.7 and 1 of the accepted time nothing changes, in either direction. Below 0.7 the better
// step is tried, without success for 0.055 s: 0.033 s with one sample.
TEST (view_quality_does_not_flicker) {
    view_quality quality = {0};
    (void)run_frames(&quality, 0.07, 10.0);
    CHECK_UINT(quality.level, 1);
    CHECK_UINT(run_frames(&quality, 0.062, 600.0), 0); // 0.037 s now
    CHECK_UINT(run_frames(&quality, 0.08, 600.0), 0);  // 0.048 s now
    for (int i = 1; i <= 200; i++) {
        const double full = 0.005 * i;
        quality = (view_quality){0};
        (void)run_frames(&quality, full, 20.0);
        CHECK(run_frames(&quality, full, 600.0) <= 12);
    }
}

// Full quality is too slow whenever it is tried, although the other steps are fast: attempts to
// return become rarer.
TEST (view_quality_retries_less_often_after_failures) {
    view_quality quality = {0};
    uint32_t changes = 0;
    for (int i = 0; i < 120000; i++)
        changes += view_update_quality(&quality, quality.level == 0 ? 0.2 : 0.03, everything);
    CHECK(changes > 2 && changes < 40);
    // Count the changes during one more minute, after an hour has passed.
    changes = 0;
    for (int i = 0; i < 2000; i++)
        changes += view_update_quality(&quality, quality.level == 0 ? 0.2 : 0.03, everything);
    CHECK(changes <= 2);
}

// Steps that disable an effect are skipped if the effect is not drawn anyway.
TEST (view_quality_skips_steps_without_effect) {
    const view_quality_offers none = {.samples = false, .shadows = false};
    view_quality quality = {0};
    uint32_t steps[8];
    uint32_t num_steps = 0;
    for (int i = 0; i < 100 && num_steps < 8; i++) {
        if (view_update_quality(&quality, 1.0, none))
            steps[num_steps++] = quality.level;
    }
    CHECK_UINT(num_steps, 3);
    CHECK(num_steps == 3 && steps[0] == 3 && steps[1] == 4 && steps[2] == 5);
    for (int i = 0; i < 100000 && quality.level > 0; i++) {
        if (view_update_quality(&quality, 0.001, none))
            steps[num_steps++] = quality.level;
    }
    CHECK_UINT(num_steps, 6);
    CHECK(num_steps == 6 && steps[3] == 4 && steps[4] == 3 && steps[5] == 0);
}

TEST (view_quality_is_described) {
    static const char *const texts[VIEW_NUM_QUALITY_LEVELS] = {"",
                                                               "fast antialiasing and shadows",
                                                               "no shadows",
                                                               "no shadows, 75 %",
                                                               "no shadows, 50 %",
                                                               "no shadows, 35 %"};
    char text[64];
    for (int step = 0; step < VIEW_NUM_QUALITY_LEVELS; step++) {
        view_describe_quality_level(&view_quality_levels[step], text, sizeof text);
        CHECK_STRING(text, texts[step]);
    }
    const view_quality_level zeroed = {.scale = 0};
    view_describe_quality_level(&zeroed, text, sizeof text);
    CHECK_STRING(text, "");
}

// -- Reduced images -------------------------------------------------------------------------------

// Reduced images of a window show the same as full images, and are drawn only while reduction is
// requested.

#define PLAIN                                                                             \
    "models/thimble/thimble.md5mesh --animation-index 1 --samples 1 --resolution 320,240" \
    " --grid=no"

enum { WIDTH = 160, HEIGHT = 120 };

// Draws the image into a target of half the size.
static uint8_t *draw_half(view_state *state)
{
    md5_error error = {0};
    uint8_t *const rgba = common_alloc((size_t)4 * WIDTH * HEIGHT, 1);
    md5gl_target *const target = md5gl_create_target(state->renderer, WIDTH, HEIGHT, 1, &error);
    state->drawing.quality_level.scale = 0.5f;
    const bool done = target != NULL
                      && view_draw(state, target, WIDTH, HEIGHT, VIEW_OMIT_NOTHING, &error)
                      && md5gl_read_pixels(state->renderer, target, WIDTH, HEIGHT, rgba, &error);
    state->drawing.quality_level.scale = 0.0f;
    CHECK_DONE(done, error);
    md5gl_destroy_target(state->renderer, target);
    return rgba;
}

// Returns the mean difference between a channel and the mean of four pixels of the full image.
static double compare(const shot *full, const uint8_t *half)
{
    double sum = 0.0;
    for (size_t y = 0; y < HEIGHT; y++) {
        for (size_t x = 0; x < WIDTH; x++) {
            for (size_t c = 0; c < 3; c++) {
                int mean = 0;
                for (size_t i = 0; i < 4; i++)
                    mean += full->rgba[4 * ((2 * y + i / 2) * full->width + 2 * x + i % 2) + c];
                sum += abs(mean - 4 * (int)half[4 * (y * WIDTH + x) + c]) / 4.0;
            }
        }
    }
    return sum / (3.0 * ((size_t)WIDTH * HEIGHT));
}

// Tested in both projections. A camera from another side gives a different image.
TEST_SCENE (view_reduced_images_show_the_same) {
    STRINGS(lines) = {PLAIN, PLAIN " --camera-orthographic"};
    shot_viewer viewer;
    for (uint32_t i = 0; i < 2; i++) {
        if (shot_open(&viewer, scene, lines[i])) {
            SCOPED_PICTURE full = shot_draw(&viewer);
            SCOPED uint8_t *const half = draw_half(&viewer.state);
            CHECK_SMALL(compare(&full, half), 3.0);
            viewer.state.cameras.user.azimuth += 40.0f;
            SCOPED uint8_t *const second = draw_half(&viewer.state);
            CHECK(compare(&full, second) > 10.0);
        }
        shot_close(&viewer);
    }
}

// Counts the bytes of the first image that are below the bytes of the second image, and above.
static void compare_light(const shot *first, const shot *second, size_t *below, size_t *above)
{
    *below = *above = 0;
    for (size_t i = 0; i < (size_t)4 * first->width * first->height; i++) {
        *below += first->rgba[i] < second->rgba[i];
        *above += first->rgba[i] > second->rgba[i];
    }
}

// Blobs below the models replace their shadows, unless the user disables shadows.
TEST_SCENE (view_quality_level_omits_shadows) {
    STRINGS(all) = {PLAIN, PLAIN " --crowd 9"};
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        SCOPED_SHOT viewer;
        char options[256];
        snprintf(options, sizeof options, "%s --no-shadow", all[i]);
        SCOPED_PICTURE none = render_shot(scene, options);
        if (shot_open(&viewer, scene, all[i])) {
            SCOPED_PICTURE full = shot_draw(&viewer);
            viewer.state.drawing.quality_level = view_quality_levels[2];
            SCOPED_PICTURE reduced = shot_draw(&viewer);
            viewer.state.drawing.quality_level = (view_quality_level){.scale = 0};
            SCOPED_PICTURE again = shot_draw(&viewer);
            size_t below, above;
            compare_light(&reduced, &none, &below, &above);
            CHECK_THAT(below > 100 && above == 0, "%zu darker, %zu lighter", below, above);
            CHECK(!shot_same(&reduced, &full));
            CHECK(shot_same(&again, &full));
            CHECK(viewer.state.options->shown.shadows);
            viewer.state.drawing.quality_level = view_quality_levels[2];
            viewer.state.options->shown.shadows = false;
            SCOPED_PICTURE unwanted = shot_draw(&viewer);
            CHECK(shot_same(&unwanted, &none));
        }
    }
}

// Sums the differences of an image of a square on the ground that round shadows cause. Its blob is
// wider than the square. `height` is the height of one additional, narrow triangle.
static double measure_blob(const gl_scene *scene, int height)
{
    SCOPED_FOLDER folder = folder_make();
    test_text text = {0};
    test_append(&text,
                "MD5Version 10 commandline \"\" numJoints 1 numMeshes 1\n"
                "joints { \"root\" -1 ( 0 0 0 ) ( 0 0 0 ) }\n"
                "mesh { shader \"\" numverts 5 vert 0 ( 0 0 ) 0 1 vert 1 ( 0 0 ) 1 1\n"
                "vert 2 ( 0 0 ) 2 1 vert 3 ( 0 0 ) 3 1 vert 4 ( 0 0 ) 4 1\n"
                "numtris 3 tri 0 0 2 1 tri 1 0 3 2 tri 2 0 4 1\n"
                "numweights 5 weight 0 0 1 ( -50 -50 0 ) weight 1 0 1 ( 50 -50 0 )\n"
                "weight 2 0 1 ( 50 50 0 ) weight 3 0 1 ( -50 50 0 ) weight 4 0 1 ( 0 -50 %d ) }\n",
                height);
    folder_write_text(folder, "square.md5mesh", text.bytes);
    free(text.bytes);
    char line[512];
    double sum = 0;
    snprintf(line, sizeof line, "%s/square.md5mesh --samples 1 --resolution 320,240 --grid=no",
             folder);
    SCOPED_SHOT viewer;
    if (!CHECK(shot_open(&viewer, scene, line)))
        return 0;
    viewer.state.drawing.quality_level = view_quality_levels[2];
    SCOPED_PICTURE with = shot_draw(&viewer);
    viewer.state.options->shown.shadows = false;
    SCOPED_PICTURE without = shot_draw(&viewer);
    for (size_t i = 0; i < (size_t)4 * with.width * with.height; i++)
        sum += without.rgba[i] - with.rgba[i];
    return sum;
}

// The darkness of a round shadow depends on the ratio of the altitude of a body to its height,
// which is 0 / 0 for a flat body on the ground.
TEST_SCENE (view_round_shadow_of_a_flat_body_is_dark) {
    const double flat = measure_blob(scene, 0);
    const double low = measure_blob(scene, 1);
    CHECK_THAT(fabs(flat - low) < 0.1 * low, "%g, but %g with a height of 1", flat, low);
}

// Members of crowds have fewer triangles if frames take too long.
TEST_SHOT (view_quality_level_has_fewer_triangles,
           PLAIN " --crowd 9 --crowd-reduced 512 --camera-distance 300") {
    uint64_t last = UINT64_MAX;
    for (int step = 0; step < 3; step++) {
        viewer->state.drawing.quality_level = view_quality_levels[step];
        SCOPED_PICTURE picture = shot_draw(viewer);
        const view_kind *const kind = &viewer->state.document->crowd.kinds[0];
        uint64_t count = 0;
        for (uint32_t i = 0; i < kind->num_levels; i++) {
            if (kind->levels[i].source == VIEW_DETAIL_POSED)
                count += (uint64_t)kind->levels[i].count
                         * view_count_triangles(i > 0 ? kind->levels[i].model : kind->model);
        }
        CHECK_THAT(count > 0 && count < last, "%llu triangles", (unsigned long long)count);
        last = count;
    }
}

// -- Software OpenGL ------------------------------------------------------------------------------

TEST (view_quality_begins_by_the_device) {
    static const struct {
        const char *device;
        uint32_t step;
    } cases[] = {{"llvmpipe (LLVM 15.0.6, 256 bits) / OpenGL 3.3", 1},
                 {"ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device)) / OpenGL ES 3.0", 1},
                 {"Mesa Intel(R) UHD Graphics 620 / OpenGL 4.6", 0}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        view_quality quality = view_begin_quality(cases[i].device);
        CHECK_UINT(quality.level, cases[i].step);
        CHECK_UINT(quality.still_level, cases[i].step);
    }
    // Software rendering that is fast returns to full quality, too.
    view_quality quality = view_begin_quality("llvmpipe");
    (void)run_frames(&quality, 0.01, 30.0);
    CHECK_UINT(quality.level, 0);
}

// Returns the fraction of the pixels with a channel that differs by more than 16 of 255.
static double different_pixel_fraction(const shot *picture, const uint8_t *rgba)
{
    const size_t count = (size_t)picture->width * picture->height;
    size_t num_different = 0;
    for (size_t i = 0; i < count; i++) {
        int largest_difference = 0;
        for (uint32_t c = 0; c < 3; c++) {
            const int difference = abs((int)picture->rgba[4 * i + c] - (int)rgba[4 * i + c]);
            largest_difference = difference > largest_difference ? difference : largest_difference;
        }
        num_different += largest_difference > 16;
    }
    return (double)num_different / (double)count;
}

// With smoothed edges one sample per pixel is more similar to four samples than without.
TEST_SHOT (view_smooth_edges_look_like_samples,
           "models/bobbin/bobbin.md5mesh --resolution 640,360") {
    enum { ACROSS = 640, DOWN = 360 };
    md5_error error = {0};
    md5gl_renderer *const renderer = viewer->state.renderer;
    SCOPED_PICTURE full = shot_draw(viewer);
    SCOPED uint8_t *const rough = common_alloc((size_t)4 * ACROSS * DOWN, 1);
    SCOPED uint8_t *const smooth = common_alloc((size_t)4 * ACROSS * DOWN, 1);
    md5gl_target *const from = md5gl_create_target(renderer, ACROSS, DOWN, 1, &error);
    md5gl_target *const to = md5gl_create_target(renderer, ACROSS, DOWN, 1, &error);
    viewer->state.drawing.quality_level = view_quality_levels[1];
    viewer->state.width = ACROSS;
    viewer->state.height = DOWN;
    const bool is_drawn =
        from != NULL && to != NULL
        && view_draw(&viewer->state, from, ACROSS, DOWN, VIEW_OMIT_INTERFACE, &error)
        && md5gl_smooth_target(renderer, from, md5gl_get_target_names(to).framebuffer, &error)
        && md5gl_read_pixels(renderer, from, ACROSS, DOWN, rough, &error)
        && md5gl_read_pixels(renderer, to, ACROSS, DOWN, smooth, &error);
    CHECK_DONE(is_drawn, error);
    if (is_drawn) {
        const double rough_fraction = different_pixel_fraction(&full, rough);
        const double smooth_fraction = different_pixel_fraction(&full, smooth);
        CHECK_THAT(smooth_fraction < 0.02, "%g of the pixels differ", smooth_fraction);
        CHECK_THAT(smooth_fraction < rough_fraction, "%g differ, %g without the filter",
                   smooth_fraction, rough_fraction);
    }
    md5gl_destroy_target(renderer, from);
    md5gl_destroy_target(renderer, to);
}
