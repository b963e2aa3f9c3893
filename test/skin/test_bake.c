// Baked clips: every decoded vertex against md5_skin(), the format of a vertex against its
// description in doubles, errors.
#include "test/misuse.h"
#include "test/scoped.h"
#include "test/real.h"
#include "test/skin/generated_mesh.h"

// Two joints, two meshes; b turns about z from frame to frame.
static const char two_meshes[] =
    "MD5Version 10\ncommandline \"\"\nnumJoints 2\nnumMeshes 2\njoints {\n"
    "\"a\" -1 ( 0 0 0 ) ( 0 0 0 )\n\"b\" 0 ( 4 0 0 ) ( 0 0 0 )\n}\n"
    "mesh {\nshader \"one\"\nnumverts 4\nvert 0 ( 0 0 ) 0 1\nvert 1 ( 1 0 ) 1 2\n"
    "vert 2 ( 0 1 ) 3 1\nvert 3 ( 1 1 ) 4 1\nnumtris 2\ntri 0 0 1 2\ntri 1 2 1 3\n"
    "numweights 5\nweight 0 0 1 ( 0 0 0 )\nweight 1 0 0.5 ( 4 3 1 )\nweight 2 1 0.5 ( 0 3 1 )\n"
    "weight 3 1 1 ( 3 -2 0.5 )\nweight 4 1 1 ( 5 5 5 )\n}\n"
    "mesh {\nshader \"two\"\nnumverts 3\nvert 0 ( 0 0 ) 0 1\nvert 1 ( 1 0 ) 1 1\n"
    "vert 2 ( 0 1 ) 2 1\nnumtris 1\ntri 0 0 2 1\nnumweights 3\n"
    "weight 0 0 1 ( -3 0 0 )\nweight 1 0 1 ( -3 7 0 )\nweight 2 1 1 ( 0 0 9 )\n}\n";

enum { FRAMES = 5, MAX = 16 };

static md5_model *load_text(const char *text)
{
    md5_error error = {0};
    md5_model *const model = text_model(text, &error);
    CHECK_DONE(model, error);
    return model;
}

// Writes a palette for each frame. The frame with the index i rotates joint b by i * `angle` about
// z and moves it by i along y.
static void rotate_second_joint(const md5_model *model, double angle, md5_mat34 *palettes)
{
    for (int frame = 0; frame < FRAMES; frame++) {
        const float c = (float)cos(angle * frame);
        const float s = (float)sin(angle * frame);
        const md5_mat34 joints[2] = {{{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}},
                                     {{c, -s, 0, 4, s, c, 0, (float)frame, 0, 0, 1, 0}}};
        md5_build_palette(model, joints, palettes + 2 * frame);
    }
}

static uint32_t skin_all(const md5_model *model, const md5_mat34 *palette, md5_vec3 *positions,
                         md5_vec3 *normals)
{
    uint32_t first = 0;
    for (uint32_t i = 0; i < model->num_meshes; i++) {
        const md5_mesh *const mesh = &model->meshes[i];
        md5_skin(mesh, palette, positions + first, normals + first, NULL);
        first += mesh->num_vertices;
    }
    return first;
}

TEST (bake_equals_skinning) {
    SCOPED_MODEL model = load_text(two_meshes);
    md5_mat34 palettes[2 * FRAMES];
    md5_error error = {0};
    rotate_second_joint(model, 0.7, palettes);
    SCOPED_BAKED baked = md5_create_baked(model, palettes, FRAMES, NULL, &error);
    REQUIRE(baked);
    CHECK_UINT(error.status, MD5_OK);
    CHECK_UINT(baked->num_frames, FRAMES);

    // Checks each frame: vertices are decoded as described, and their largest differences from
    // md5_skin() are the errors that the clip reports.
    double max_distance = 0;
    double angle = 0;
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        md5_vec3 at[MAX];
        md5_vec3 normals[MAX];
        md5_vec3 skinned[MAX];
        md5_vec3 skinned_normals[MAX];
        const md5_sample_position sample = {.frame0 = frame, .frame1 = (frame + 1) % FRAMES};
        const uint32_t count = skin_all(model, palettes + 2 * frame, skinned, skinned_normals);
        CHECK_UINT(count, baked->num_vertices);
        md5_skin_baked(baked, 0, count, sample, at, normals);
        for (uint32_t i = 0; i < count; i++) {
            real3 exact;
            real3 exact_normal;

            // Decodes a vertex as md5skin.h describes, in doubles.
            md5_baked_vertex vertex = baked->vertices[frame * count + i];
            real3 *normal = &exact_normal;
            const md5_vec3 min = baked->bounds.min;
            const md5_vec3 max = baked->bounds.max;
            exact.x =
                (double)min.x + (vertex.xy & 65535) * ((double)max.x - (double)min.x) / 65535.0;
            exact.y = (double)min.y + (vertex.xy >> 16) * ((double)max.y - (double)min.y) / 65535.0;
            exact.z = (double)min.z
                      + (vertex.z_normal & 65535) * ((double)max.z - (double)min.z) / 65535.0;
            const double u = ((vertex.z_normal >> 16 & 255) - 127.0) / 127.0;
            const double v = ((vertex.z_normal >> 24) - 127.0) / 127.0;
            const double z = 1 - fabs(u) - fabs(v);
            double x = u;
            double y = v;
            if (z < 0) {
                const double sign_u = u < 0 ? -1 : 1;
                const double sign_v = v < 0 ? -1 : 1;
                x = (1 - fabs(v)) * sign_u;
                y = (1 - fabs(u)) * sign_v;
            }
            *normal = real3_unit((real3){x, y, z});

            CHECK_SMALL(real3_distance(exact, to_real3(at[i])), 1e-5);
            CHECK_SMALL(real3_distance(exact_normal, to_real3(normals[i])), 1e-5);
            real_update_max(&max_distance, real_distance(at[i], skinned[i]));
            real_update_max(&angle, 2 * asin(0.5 * real_distance(normals[i], skinned_normals[i])));
        }
    }
    CHECK_NEAR(max_distance, baked->position_error, 1e-6);
    CHECK_NEAR(angle, baked->normal_error, 1e-6);
    // A position is rounded by at most half a step along each axis.
    const double step = real_distance(baked->step, (md5_vec3){0, 0, 0});
    CHECK(max_distance <= 0.5 * step + 1e-5);
    CHECK(angle <= 0.012); // 0.69 degrees
}

// Positions between frames are on the line between the decoded positions. The reported error is the
// distance between the chord and the arc of the angle a, r (1 - cos(a / 2)), with the radius r of
// the outermost vertex.
TEST (bake_interpolates_linearly_between_frames) {
    SCOPED_MODEL model = load_text(two_meshes);
    md5_mat34 palettes[2 * FRAMES];
    md5_mat34 between[2];
    rotate_second_joint(model, 0.5, palettes);
    for (int frame = 0; frame < FRAMES; frame++) { // turns, without moving
        for (int i = 0; i < 2; i++)
            palettes[2 * frame + i].m[7] -= i == 1 ? (float)frame : 0;
    }
    const float c = (float)cos(0.25);
    const float s = (float)sin(0.25);
    const md5_mat34 joints[2] = {{{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}},
                                 {{c, -s, 0, 4, s, c, 0, 0, 0, 0, 1, 0}}};
    md5_build_palette(model, joints, between);
    SCOPED_BAKED baked = md5_create_baked(model, palettes, FRAMES, NULL, NULL);
    const md5_sample_position half = {.frame0 = 0, .frame1 = 1, .fraction = 0.5f};
    REQUIRE(baked);
    const double radius = sqrt(50.0); // (5, 5, 5) about z
    CHECK_NEAR(md5_baked_error(baked, model, half, between), radius * (1 - cos(0.25)), 2e-4);
    md5_vec3 from[MAX];
    md5_vec3 to[MAX];
    md5_vec3 at[MAX];
    md5_skin_baked(baked, 0, baked->num_vertices, (md5_sample_position){0}, from, NULL);
    md5_skin_baked(baked, 0, baked->num_vertices, (md5_sample_position){.frame0 = 1, .frame1 = 1},
                   to, NULL);
    md5_skin_baked(baked, 2, 4, (md5_sample_position){.frame1 = 1, .fraction = 0.25f}, at, NULL);
    for (int i = 0; i < 4; i++)
        CHECK_NEAR(at[i].x, 0.75 * from[2 + i].x + 0.25 * to[2 + i].x, 1e-5);
}

// Bakes a triangle whose normal is the x axis with a matrix for each frame, and returns the decoded
// normals of the frames.
static md5_vec3 *bake_normals(const md5_mat34 *matrices, uint32_t num_frames)
{
    static const char triangle[] =
        "MD5Version 10\ncommandline \"\"\nnumJoints 1\nnumMeshes 1\n"
        "joints {\n\"a\" -1 ( 0 0 0 ) ( 0 0 0 )\n}\n"
        "mesh {\nshader \"\"\nnumverts 3\n"
        "vert 0 ( 0 0 ) 0 1\nvert 1 ( 1 0 ) 1 1\nvert 2 ( 0 1 ) 2 1\nnumtris 1\ntri 0 0 2 1\n"
        "numweights 3\nweight 0 0 1 ( 0 0 0 )\nweight 1 0 1 ( 0 1 0 )\nweight 2 0 1 ( 0 0 1 )\n}\n";
    SCOPED_MODEL model = load_text(triangle);
    md5_error error = {0};
    SCOPED_BAKED baked = md5_create_baked(model, matrices, num_frames, NULL, &error);
    md5_vec3 *const normals = test_calloc(num_frames, sizeof *normals);
    if (!CHECK_DONE(baked, error) || !CHECK_EXACT(model->meshes[0].normals[0].x, 1))
        return normals;
    for (uint32_t i = 0; i < num_frames; i++) {
        md5_vec3 position;
        md5_skin_baked(baked, 0, 1, (md5_sample_position){.frame0 = i, .frame1 = i}, &position,
                       &normals[i]);
    }
    return normals;
}

TEST (bake_normals_are_within_their_error) {
    enum { DIRECTIONS = 20000 };
    static md5_mat34 rotations[DIRECTIONS];
    uint64_t random = 3;
    random_joints(rotations, DIRECTIONS, 0, &random);
    SCOPED md5_vec3 *const normals = bake_normals(rotations, DIRECTIONS);
    double max_error = 0;
    for (int i = 0; i < DIRECTIONS; i++) {
        const float *const m = rotations[i].m;
        const md5_vec3 normal = {m[0], m[4], m[8]}; // the rotated x axis
        real_update_max(&max_error, 2 * asin(0.5 * real_distance(normals[i], normal)));
    }
    CHECK(max_error < 0.012 && max_error > 0.005);
}

TEST (bake_normals_along_axes_are_exact) {
    md5_mat34 rotations[6] = {{{0}}};
    for (int i = 0; i < 6; i++) {
        const int axis = i / 2;
        const float sign = i % 2 ? -1 : 1;
        rotations[i].m[4 * axis] = sign;                 // x to the axis
        rotations[i].m[4 * ((axis + 1) % 3) + 1] = sign; // y to the next one
        rotations[i].m[4 * ((axis + 2) % 3) + 2] = 1;    // z to the last one
    }
    SCOPED md5_vec3 *const normals = bake_normals(rotations, 6);
    for (int i = 0; i < 6; i++) {
        const float *const m = rotations[i].m;
        CHECK(normals[i].x == m[0] && normals[i].y == m[4] && normals[i].z == m[8]);
    }
}

// Matrices that make the normal zero or infinite give a unit vector of any direction.
TEST (bake_normals_are_directions_for_all_matrices) {
    const md5_mat34 matrices[] = {{{0}}, {{1e25f, 0, 0, 0, 1e25f, 0, 0, 0, 1e25f, 0, 0, 0}}};
    SCOPED md5_vec3 *const normals = bake_normals(matrices, COUNT_OF(matrices));
    for (size_t i = 0; i < COUNT_OF(matrices); i++)
        CHECK_NEAR(real_distance(normals[i], (md5_vec3){0, 0, 0}), 1, 1e-6);
}

TEST (bake_rejects_values_that_it_cannot_store) {
    SCOPED_MODEL model = load_text(two_meshes);
    md5_mat34 palettes[2 * FRAMES];
    md5_error error = {0};
    rotate_second_joint(model, 0.7, palettes);
    CHECK_REFUSED(md5_create_baked(model, palettes, 0, NULL, &error), error, MD5_ERROR_RANGE,
                  "no frames to bake: expected at least 1");
    palettes[5].m[3] = NAN; // frame 2, joint b
    CHECK_REFUSED(md5_create_baked(model, palettes, FRAMES, NULL, &error), error, MD5_ERROR_RANGE,
                  "cannot bake frame 2: position of vertex 1 of mesh 0 is not finite");
    md5_release_geometry(model);
    CHECK_FAILS(md5_create_baked(model, palettes, FRAMES, NULL, &error), error, MD5_ERROR_MISMATCH);
    md5_destroy_baked(NULL);
}

TEST (bake_survives_failure_of_every_allocation) {
    SCOPED_MODEL model = load_text(two_meshes);
    md5_mat34 palettes[2 * FRAMES];
    rotate_second_joint(model, 0.7, palettes);
    for (test_failure failure = {0}; NEXT_FAILURE(failure);) {
        SCOPED_BAKED baked =
            md5_create_baked(model, palettes, FRAMES, &failure.opts, &failure.error);
        CHECK_FAILURE(failure, baked);
    }
    const md5_load_opts small = {.allocator = {.limit = 200}};
    md5_error error = {0};
    CHECK_FAILS(md5_create_baked(model, palettes, FRAMES, &small, &error), error, MD5_ERROR_MEMORY);
}

static const char no_meshes[] = "MD5Version 10\ncommandline \"\"\nnumJoints 1\nnumMeshes 0\n"
                                "joints {\n\"a\" -1 ( 0 0 0 ) ( 0 0 0 )\n}\n";

TEST (bake_of_a_model_without_vertices_is_empty) {
    SCOPED_MODEL model = load_text(no_meshes);
    const md5_mat34 palette = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
    SCOPED_BAKED baked = md5_create_baked(model, &palette, 1, NULL, NULL);
    REQUIRE(baked);
    CHECK_UINT(baked->num_vertices, 0);
    CHECK(baked->bounds.min.x > baked->bounds.max.x);
    CHECK(md5_baked_error(baked, model, (md5_sample_position){0}, &palette) == 0);
}

// The walk of Bobbin: the reported error is the size of the model divided by 2^16 steps.
TEST (bake_of_bobbin_is_within_a_thousandth_of_a_unit) {
    SCOPED_MODEL model = our_model("models/bobbin/bobbin.md5mesh");
    SCOPED_ANIM anim = our_anim("models/bobbin/walk.md5anim");
    SCOPED_BINDING binding = model && anim ? md5_bind(model, anim, NULL, NULL) : NULL;
    REQUIRE(binding);
    const size_t joints = model->skeleton.num_joints;
    const size_t frames = anim->num_frames;
    SCOPED_ARRAY(md5_xform, scratch, joints);
    SCOPED_ARRAY(md5_mat34, palettes, (frames + 2) * joints);
    md5_mat34 *const matrices = palettes + frames * joints;
    for (uint32_t i = 0; i < anim->num_frames; i++)
        md5_pose_palette(binding, md5_sample_position_from_frames(anim, i, i, 0), MD5_ROOT_IN_PLACE,
                         scratch, NULL, palettes + i * joints);
    SCOPED_BAKED baked = md5_create_baked(model, palettes, anim->num_frames, NULL, NULL);
    if (CHECK(baked)) {
        CHECK(baked->position_error > 0 && baked->position_error < 1e-3f);
        CHECK(baked->normal_error < 0.012f);
        const double at_frame = md5_baked_error(
            baked, model, (md5_sample_position){.frame0 = 7, .frame1 = 8}, palettes + 7 * joints);
        CHECK(at_frame <= baked->position_error + 2e-5);
        // Compares positions in the middle between frames with the sampled pose.
        const md5_sample_position half = {.frame0 = 7, .frame1 = 8, .fraction = 0.5f};
        md5_pose_palette(binding, half, MD5_ROOT_IN_PLACE, scratch, matrices, matrices + joints);
        CHECK(md5_baked_error(baked, model, half, matrices + joints) < 0.5f);
    }
}

#if !defined(NDEBUG)
// Invalid arguments of a caller stop debug builds with a message that names the argument.
TEST (bake_ends_with_the_callers_errors) {
    SCOPED_MODEL model = load_text(two_meshes);
    md5_mat34 palettes[2 * FRAMES];
    rotate_second_joint(model, 0.7, palettes);
    SCOPED_BAKED baked = md5_create_baked(model, palettes, FRAMES, NULL, NULL);
    MISUSE("sample: must be a position in the baked clip", {
        md5_vec3 at;
        md5_skin_baked(baked, 0, 1, (md5_sample_position){.frame1 = FRAMES}, &at, NULL);
    });
    MISUSE("must be a range of vertices of the baked clip", {
        md5_vec3 at;
        md5_skin_baked(baked, baked->num_vertices, 1, (md5_sample_position){0}, &at, NULL);
    });
    MISUSE("palettes: must not be NULL", md5_create_baked(model, test_null(), FRAMES, NULL, NULL));
}
#endif

// -- Limits ---------------------------------------------------------------------------------------

// Baked clips at their limits: counts beyond 32 bits and beyond memory, and flat models.

// The models contain only counts, because counts are checked before other parts of a mesh are read.
static md5_error bake_with_counts(uint32_t num_meshes, uint32_t num_vertices, uint32_t num_frames)
{
    static md5_vec3 position;
    static const md5_mat34 palette;
    md5_mesh meshes[2];
    md5_model model;
    md5_error error = {0};
    memset(meshes, 0, sizeof meshes);
    memset(&model, 0, sizeof model);
    for (int i = 0; i < 2; i++) {
        meshes[i].num_vertices = num_vertices;
        meshes[i].positions = &position;
    }
    model.num_meshes = num_meshes;
    model.meshes = meshes;
    CHECK(md5_create_baked(&model, &palette, num_frames, NULL, &error) == NULL);
    return error;
}

TEST (bake_rejects_counts_beyond_memory) {
    const md5_error vertices = bake_with_counts(2, 3000000000u, 1);
    CHECK_ERROR(vertices, MD5_ERROR_MEMORY,
                "too many vertices to bake: expected at most 4294967295, found 6000000000");
    const md5_error frames = bake_with_counts(1, 4000000000u, 4000000000u);
    CHECK_ERROR(frames, MD5_ERROR_MEMORY,
                "baked clip is too large: 4000000000 frames of 4000000000 vertices exceed the "
                "address space");
}

static const char flat[] =
    "MD5Version 10\ncommandline \"\"\nnumJoints 1\nnumMeshes 1\njoints {\n"
    "\"a\" -1 ( 0 0 2.5 ) ( 0 0 0 )\n}\n"
    "mesh {\nshader \"one\"\nnumverts 3\nvert 0 ( 0 0 ) 0 1\nvert 1 ( 1 0 ) 1 1\n"
    "vert 2 ( 0 1 ) 2 1\nnumtris 1\ntri 0 0 2 1\nnumweights 3\n"
    "weight 0 0 1 ( 0 0 0 )\nweight 1 0 1 ( 5 0 0 )\nweight 2 0 1 ( 0 4 0 )\n}\n";

// A coordinate that never changes has steps of 0, and is stored exactly.
TEST (bake_of_a_flat_model_is_flat) {
    SCOPED_MODEL model = text_model(flat, NULL);
    const md5_mat34 palette = {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}};
    SCOPED_BAKED baked = md5_create_baked(model, &palette, 1, NULL, NULL);
    const md5_sample_position sample = {.frame0 = 0};
    md5_vec3 positions[3];
    md5_vec3 normals[3];
    REQUIRE(baked);
    md5_skin_baked(baked, 0, 3, sample, positions, normals);
    for (int i = 0; i < 3; i++)
        CHECK(positions[i].z == 2.5f);
    CHECK_NEAR(positions[1].x, 5, 1e-4f);
}
