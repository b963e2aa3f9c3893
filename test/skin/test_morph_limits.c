// Morph targets at their limits: counts beyond 32 bits, meshes without vertices, weights of 0, and
// copies at mirror seams that differ.
#include "test/real.h"
#include "test/scoped.h"
#include "test/skin/skin_jobs.h"

// A model of one mesh that contains only counts: without triangles, no other part of it is read.
typedef struct counted_model {
    md5_mesh mesh;
    md5_model model;
} counted_model;

static void count(counted_model *counted, uint32_t num_vertices, uint32_t num_file_vertices,
                  uint32_t *sources)
{
    static md5_vec3 position;
    memset(counted, 0, sizeof *counted);
    counted->mesh.name = "face";
    counted->mesh.shader = "skin";
    counted->mesh.num_vertices = num_vertices;
    counted->mesh.num_file_vertices = num_file_vertices;
    counted->mesh.positions = &position;
    counted->mesh.sources = sources;
    counted->model.num_meshes = 1;
    counted->model.meshes = &counted->mesh;
}

TEST (morph_rejects_more_deltas_than_32_bits_count) {
    const uint32_t max_count = UINT32_MAX / 2;
    counted_model many;
    md5_error error = {0};
    count(&many, max_count, max_count, NULL);
    const md5_morph_source sources[] = {{.name = "a", .model = &many.model},
                                        {.name = "b", .model = &many.model},
                                        {.name = "c", .model = &many.model}};
    CHECK_REFUSED(md5_create_morph(&many.model, sources, 3, NULL, &error), error, MD5_ERROR_MEMORY,
                  "morph targets are too large: 3 targets of 2147483647 vertices");
}

TEST (morph_reports_different_seams) {
    uint32_t seams[2][3] = {{0, 1, 0}, {0, 1, 1}};
    counted_model base;
    counted_model different;
    md5_error error = {0};
    count(&base, 3, 2, seams[0]);
    count(&different, 3, 2, seams[1]);
    const md5_morph_source source = {.name = "smile", .model = &different.model};
    CHECK_REFUSED(md5_create_morph(&base.model, &source, 1, NULL, &error), error,
                  MD5_ERROR_MISMATCH,
                  "morph target 'smile' does not match mesh 0 'face': wrong source of a vertex at "
                  "a mirror seam: expected 0, found 1");
    base.mesh.name = "";
    CHECK(md5_create_morph(&base.model, &source, 1, NULL, &error) == NULL);
    CHECK_STRING(error.message, "morph target 'smile' does not match mesh 0 'skin': wrong source "
                                "of a vertex at a mirror seam: expected 0, found 1");
}

// -- Nothing to change ------------------------------------------------------------------------

static const char text[] =
    "MD5Version 10\ncommandline \"\"\nnumJoints 1\nnumMeshes 2\njoints {\n"
    "\"a\" -1 ( 0 0 0 ) ( 0 0 0 )\n}\n"
    "mesh {\nshader \"none\"\nnumverts 0\nnumtris 0\nnumweights 0\n}\n"
    "mesh {\nshader \"one\"\nnumverts 3\nvert 0 ( 0 0 ) 0 1\nvert 1 ( 1 0 ) 1 1\n"
    "vert 2 ( 0 1 ) 2 1\nnumtris 1\ntri 0 0 2 1\nnumweights 3\n"
    "weight 0 0 1 ( 0 0 0 )\nweight 1 0 1 ( 5 0 0 )\nweight 2 0 1 ( 0 4 %s )\n}\n";

static md5_model *load_with_height(const char *height, const md5_load_opts *opts)
{
    char filled[sizeof text + 8];
    md5_error error = {0};
    const int size = snprintf(filled, sizeof filled, text, height);
    md5_model *const model = md5_parse_model(filled, (size_t)size, opts, &error);
    CHECK_DONE(model, error);
    return model;
}

TEST (morph_keeps_unchanged_vertices) {
    SCOPED_MODEL model = load_with_height("0", NULL);
    SCOPED_MODEL raised = load_with_height("3", NULL);
    const md5_morph_source source = {.name = "raised", .model = raised};
    SCOPED_MORPH morph = md5_create_morph(model, &source, 1, NULL, NULL);
    const md5_mat34 palette = {{1, 0, 0, 7, 0, 1, 0, 8, 0, 0, 1, 9}};
    const float none = 0;
    const float full_weight = 1;
    md5_dual_quat dual;
    md5_vec3 at[2][3];
    md5_vec3 normals[3];
    md5_vec4 tangents[3];
    md5_build_dual_palette(&palette, 1, &dual);
    if (CHECK(morph)) {
        // The mesh without vertices needs no output arrays.
        skin_with_morph(morph, 0, &full_weight, NULL, NULL, NULL, NULL, NULL);
        skin_with_morph(morph, 0, &full_weight, &palette, NULL, NULL, NULL, NULL);
        skin_with_morph(morph, 0, &full_weight, NULL, &dual, NULL, NULL, NULL);

        md5_skin(&model->meshes[1], &palette, at[1], NULL, NULL);
        skin_with_morph(morph, 1, &none, &palette, NULL, at[0], NULL, NULL);
        CHECK_BYTES(at[0], at[1], sizeof at[0]);
        skin_by_duals(&model->meshes[1], &dual, at[1], NULL, NULL);
        skin_with_morph(morph, 1, &none, NULL, &dual, at[0], NULL, NULL);
        CHECK_BYTES(at[0], at[1], sizeof at[0]);

        skin_with_morph(morph, 1, &full_weight, NULL, &dual, at[0], normals, NULL);
        CHECK_VEC3(at[0][2], 7, 12, 12, 1e-6f);
        skin_with_morph(morph, 1, &full_weight, NULL, &dual, at[0], NULL, tangents);
        CHECK_NEAR(at[0][2].z, 12, 1e-6f);
    }
}

static void check_refused(const md5_load_opts *model_opts, const md5_load_opts *source_opts,
                          const char *message)
{
    SCOPED_MODEL model = load_with_height("0", model_opts);
    SCOPED_MODEL raised = load_with_height("3", source_opts);
    const md5_morph_source source = {.name = "raised", .model = raised};
    md5_error error = {0};
    CHECK_FAILS(md5_create_morph(model, &source, 1, NULL, &error), error, MD5_ERROR_MISMATCH);
    CHECK_STRING(error.message, message);
}

TEST (morph_requires_models_with_the_same_load_options) {
    const md5_load_opts bare = {.skip_geometry = MD5_GEOMETRY_TANGENTS};
    const md5_load_opts half = {.scale = 0.5f};
    check_refused(NULL, &bare,
                  "morph target 'raised': tangents of the target are missing; load both models "
                  "with the same options");
    check_refused(&bare, NULL,
                  "morph target 'raised': tangents of the model are missing; load both models "
                  "with the same options");
    check_refused(NULL, &half,
                  "morph target 'raised': wrong scale: expected 1, found 0.5; load both with the "
                  "same options");
}

TEST (morph_writes_no_tangents_where_there_are_none) {
    const md5_load_opts bare = {.skip_geometry = MD5_GEOMETRY_TANGENTS};
    SCOPED_MODEL model = load_with_height("0", &bare);
    SCOPED_MODEL raised = load_with_height("3", &bare);
    const md5_morph_source source = {.name = "raised", .model = raised};
    SCOPED_MORPH morph = md5_create_morph(model, &source, 1, NULL, NULL);
    const md5_mat34 palette = {{1, 0, 0, 7, 0, 1, 0, 8, 0, 0, 1, 9}};
    const float full_weight = 1;
    md5_dual_quat dual;
    md5_vec3 at[3];
    md5_vec3 normals[3];
    md5_vec4 tangents[3] = {{5, 5, 5, 5}, {5, 5, 5, 5}, {5, 5, 5, 5}};
    md5_build_dual_palette(&palette, 1, &dual);
    if (CHECK(morph)) {
        skin_with_morph(morph, 1, &full_weight, NULL, NULL, at, normals, tangents);
        CHECK_NEAR(at[2].z, 3, 1e-6f);
        skin_with_morph(morph, 1, &full_weight, &palette, NULL, at, normals, tangents);
        CHECK_NEAR(at[2].z, 12, 1e-6f);
        skin_with_morph(morph, 1, &full_weight, NULL, &dual, at, normals, tangents);
        CHECK_NEAR(at[2].z, 12, 1e-6f);
        for (int i = 0; i < 3; i++)
            CHECK(tangents[i].x == 5 && tangents[i].w == 5);
    }
}

// A model without vertices can have morph targets, which change nothing. If the geometry of a
// model or target was released, creation fails and names it.
TEST (morph_of_released_geometry_and_of_none) {
    static const char empty[] =
        "MD5Version 10\ncommandline \"\"\nnumJoints 1\nnumMeshes 1\njoints {\n"
        "\"a\" -1 ( 0 0 0 ) ( 0 0 0 )\n}\n"
        "mesh {\nshader \"none\"\nnumverts 0\nnumtris 0\nnumweights 0\n}\n";
    md5_error error = {0};
    md5_model *const none = text_model(empty, &error);
    const md5_morph_source same = {.name = "same", .model = none};
    md5_morph *const morph = md5_create_morph(none, &same, 1, NULL, &error);
    CHECK(morph && morph->targets[0].num_vertices == 0);
    md5_destroy_morph(morph);
    md5_free_model(none);

    SCOPED_MODEL model = load_with_height("0", NULL);
    SCOPED_MODEL released = load_with_height("3", NULL);
    const md5_morph_source source = {.name = "raised", .model = released};
    md5_release_geometry(released);
    CHECK(md5_create_morph(model, &source, 1, NULL, &error) == NULL);
    CHECK_STRING(error.message, "morph target 'raised': geometry of the target was "
                                "released; load the target again");
}

// -- Bobbin ---------------------------------------------------------------------------------------
//
// The expressions of Bobbin: for any weights the lids remain outside of the eyeballs, although
// targets move vertices along straight lines.

enum { BODY, EYES, NUM_MESHES };

// Distances in units. The radius of the eyeballs is 5.6. The rims of the lids, which curl into the
// eyeballs, are not checked.
static const double rim = 5.65;
static const double clearance = 0.05;

// Returns true if all joints that influence a vertex have names that begin with `word`.
static bool is_carried_by(const md5_model *model, const md5_mesh *mesh, uint32_t vertex,
                          const char *word)
{
    for (uint32_t i = mesh->first_influence[vertex]; i < mesh->first_influence[vertex + 1]; i++) {
        if (strncmp(model->skeleton.joints[mesh->influence_joints[i]].name, word, strlen(word))
            != 0)
            return false;
    }
    return true;
}

// Returns the distance from the middle of the eye on this side. *cosine is the cosine of the angle
// to the gaze direction of the eye.
static double from_eye(md5_vec3 at, double *cosine)
{
    const double side = at.y < 0 ? -1 : 1;
    const double x = at.x - 5.7;
    const double y = at.y - side * 5.6;
    const double z = at.z - 44.76;
    const double length = sqrt(x * x + y * y + z * z);
    *cosine = (0.9588 * x + side * 0.2797 * y + 0.0499 * z) / length;
    return length;
}

// Returns the depth of the lids in the eyeballs within 70 degrees of the gaze, where they are
// visible.
static double depth(const md5_model *model, md5_vec3 *const *positions)
{
    double farthest = 0;
    double nearest = 1e9;
    double cosine;
    double unused;
    for (uint32_t i = 0; i < model->meshes[EYES].num_vertices; i++) {
        const double length = from_eye(positions[EYES][i], &cosine);
        farthest = length > farthest ? length : farthest;
    }
    const md5_mesh *const body = &model->meshes[BODY];
    for (uint32_t i = 0; i < body->num_vertices; i++) {
        const double length = from_eye(positions[BODY][i], &cosine);
        if (cosine < 0.342 || from_eye(body->positions[i], &unused) < rim
            || !is_carried_by(model, body, i, "lid_"))
            continue;
        nearest = length < nearest ? length : nearest;
    }
    return farthest - nearest;
}

TEST (morph_lids_of_bobbin_stay_outside_his_eyes) {
    STRINGS(names) = {"blink", "fright", "oh", "sleepy", "smile"};
    SCOPED_MODEL model = our_model("models/bobbin/bobbin.md5mesh");
    REQUIRE(model && model->num_meshes == NUM_MESHES);
    md5_vec3 *positions[NUM_MESHES];
    for (int i = 0; i < NUM_MESHES; i++) {
        positions[i] = test_alloc(model->meshes[i].num_vertices * sizeof(md5_vec3));
    }
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        SCOPED_MODEL shape =
            md5_load_model(test_pathf("models/bobbin/morphs/%s.md5mesh", names[i]), NULL, NULL);
        const md5_morph_source source = {.name = names[i], .model = shape};
        SCOPED_MORPH morph = shape ? md5_create_morph(model, &source, 1, NULL, NULL) : NULL;
        if (!CHECK(morph))
            break;
        double deepest = -1e9;
        for (int step = 0; step < 21; step++) {
            const float weight = (float)step / 20.0f;
            for (uint32_t mesh = 0; mesh < NUM_MESHES; mesh++)
                skin_with_morph(morph, mesh, &weight, NULL, NULL, positions[mesh], NULL, NULL);
            real_update_max(&deepest, depth(model, positions));
        }
        if (!CHECK(deepest < -clearance))
            printf("  %s: %.3f units\n", names[i], deepest);
    }
    for (int i = 0; i < NUM_MESHES; i++)
        free(positions[i]);
}
