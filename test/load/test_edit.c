// Tests of documents: every real file is written as a text that loads with the same bits; documents
// that cannot be written; repairs; edits; hostile input.
//
// `model_text` is the small model of most tests; TEST_DOC parses a text into the document of a
// test.
#include "md5/md5edit.h"
#include "test/load/test_asset.h"
#include "test/load/test_edit_case.h"
#include "test/misuse.h"
#include "test/real.h"

#include <dirent.h>

// Calls with the members of the description as arguments, for example EDIT_FRAMES(doc, &error,
// .first = 25).
#define EDIT_MESHES(doc, error, ...) md5_edit_meshes(doc, &(md5_mesh_edit){__VA_ARGS__}, error)
#define EDIT_JOINTS(doc, error, ...) md5_edit_joints(doc, &(md5_joint_edit){__VA_ARGS__}, error)
#define EDIT_FRAMES(doc, error, ...) md5_edit_frames(doc, &(md5_frame_edit){__VA_ARGS__}, error)
#define EDIT_SPACE(doc, error, ...) md5_edit_space(doc, &(md5_space_edit){__VA_ARGS__}, error)

static const char model_text[] =
    "MD5Version 10 // Parameters used during export: Scale: 1\n"
    "commandline \"mesh \\a.mb\"\n\n"
    "numJoints 3\nnumMeshes 1\n\n"
    "joints {\n"
    "\t\"origin\"\t-1 ( 0 0 0 ) ( 0 0 0 )\t\t// \n"
    "\t\"upper arm\"\t0 ( 0.1 -0 16777216 ) ( 0.5 0 0.25 )\t\t// origin\n"
    "\t\"hand\"\t1 ( 1.0000001 0.00000000000000000000000000001 8 ) ( 0.8 0.8 0 )\t\t// upper arm\n"
    "}\n\n"
    "mesh {\n"
    "\t// meshes: body\n"
    "\tshader \"models/a\"\n\n"
    "\tnumverts 4\n"
    "\tvert 0 ( 0.3333333 0 ) 0 5\n"
    "\tvert 1 ( 1 0 ) 5 2\n"
    "\tvert 2 ( 1 1 ) 7 1\n"
    "\tvert 3 ( 0 1 ) 5 1\n\n"
    "\tnumtris 2\n"
    "\ttri 0 0 1 2\n"
    "\ttri 1 2 3 0\n\n"
    "\tnumweights 8\n"
    "\tweight 0 0 0.4 ( 1 0 0 )\n"
    "\tweight 1 1 0.05 ( 0 2 0 )\n"
    "\tweight 2 2 0.3 ( 0 0 3 )\n"
    "\tweight 3 1 0.05 ( 0 0 4 )\n"
    "\tweight 4 0 0.2 ( 1 2 2 )\n"
    "\tweight 5 0 0.5 ( 4 0 0 )\n"
    "\tweight 6 1 0.4 ( 5 0 0 )\n"
    "\tweight 7 2 1 ( 6 1 2 )\n"
    "}\n";

// -- Writing --------------------------------------------------------------------------------

TEST_DOC (edit_writes_like_the_exporter_of_id, MD5_DOC_MODEL, model_text) {
    CHECK_STRING(doc->comment, "Parameters used during export: Scale: 1");
    SCOPED_STRING text = written(doc, NULL);
    CHECK_STRING(text, model_text);
    char cut[20] = "";
    CHECK_UINT(md5_write_doc(doc, cut, sizeof cut, NULL), strlen(model_text));
    CHECK_STRING(cut, "MD5Version 10 // Pa");
}

// Numbers are written with as few decimals as possible: with one decimal less, each number would be
// read as another float.
TEST_DOC (edit_writes_the_fewest_decimals, MD5_DOC_MODEL, model_text) {
    uint64_t state = 7;
    for (int i = 0; i < 3000; i++) {
        const uint32_t bits = test_random_u32(&state);
        const uint32_t decimal = bits % 2000000;
        float number = i % 2 ? (float)((double)decimal / 10000.0 - 100.0) : 0.0f;
        if (i % 2 == 0)
            memcpy(&number, &bits, sizeof number);
        if (!isfinite(number))
            continue;
        doc->meshes[0].texcoords[0].x = number;
        SCOPED_STRING text = written(doc, NULL);
        REQUIRE(text);
        const char *const at = strstr(text, "vert 0 ( ") + strlen("vert 0 ( ");
        char *end, shorter[160];
        const float read = strtof(at, &end);
        CHECK_THAT(memcmp(&read, &number, sizeof read) == 0, "%.9g is %.30s", (double)number, at);
        const char *const point = memchr(at, '.', (size_t)(end - at));
        if (!point || !CHECK(!memchr(at, 'e', (size_t)(end - at))))
            continue;
        snprintf(shorter, sizeof shorter, "%.*f", (int)(end - point) - 2, (double)number);
        CHECK_THAT(strtof(shorter, NULL) != number, "%.30s is also %s", at, shorter);
    }
}

TEST (edit_rejects_content_that_text_cannot_contain) {
    for (int i = 0; i < 11; i++) {
        SCOPED_DOC doc = parse(MD5_DOC_MODEL, model_text);
        REQUIRE(doc);
        md5_doc_mesh *const mesh = &doc->meshes[0];
        md5_doc_joint *const joints = doc->joints;
        const char **const names[] = {&joints[2].name, &mesh->shader, &mesh->name, &doc->comment};
        STRINGS(values) = {"a\"b", "a\nb", " a", "a\nb"};
        uint32_t *const numbers[] = {&joints[1].parent,
                                     &joints[0].parent, // a cycle
                                     &mesh->indices[5], &mesh->weights[7].joint,
                                     &mesh->vertices[1].num_weights};
        static const uint32_t wrong[] = {3, 2, 4, 3, 4};
        if (i < 4)
            *names[i] = values[i];
        else if (i < 9)
            *numbers[i - 4] = wrong[i - 4];
        else if (i == 9)
            joints[1].position.y = INFINITY;
        else
            doc->num_joints = 0;
        md5_error error = {0};
        SCOPED_STRING text = written(doc, &error);
        CHECK(!text);
        CHECK_UINT(error.status, i < 4 ? MD5_ERROR_MISMATCH : MD5_ERROR_RANGE);
        if (i >= 4 && i < 9)
            CHECK_UINT(md5_fix_weights(doc, 4, 1e-3f, NULL, &error), MD5_NONE);
    }
    static const char version_12[] =
        "MD5Version 12\ncommandline \"\"\nnumJoints 1\nnumMeshes 1\njoints { \"a\" -1 ( 0 0 0 ) "
        "( 0 0 0 ) }\nmesh { shader \"\" numverts 0 numtris 0 numweights 0 }";
    md5_error error = {0};
    CHECK_FAILS(md5_parse_doc(MD5_DOC_MODEL, version_12, strlen(version_12), NULL, &error), error,
                MD5_ERROR_VERSION);
}

// In the layout of the writer; cuts can have a separate view.
static const char camera_text[] =
    "MD5Version 10\ncommandline \"\"\n\nnumFrames 2\nframeRate 24\nnumCuts 3\n\ncuts {\n"
    "\t0 pos ( 1 2 3 )\n\t1 rot ( 0 0 0.6 )\n\t1 pos ( 4 5 6 ) rot ( 0 0 0 )\n}\n\ncamera {\n"
    "\t( 1 2 3 ) ( 0 0 0 ) 60\n\t( 4 5 6 ) ( 0.8 0 0 ) 50\n}\n";

// The views of cuts are written as they were read, and edits of the space rotate and scale them
// like the views of frames. Cuts outside of the clip are rejected.
TEST_DOC (edit_cuts_keep_their_views, MD5_DOC_CAMERA, camera_text) {
    REQUIRE(doc->num_cut_views == 3);
    SCOPED_STRING text = written(doc, NULL);
    CHECK_STRING(text, camera_text);
    const md5_space_edit job = {.rotation = {.yaw = 90}, .scale = 2};
    CHECK_UINT(md5_edit_space(doc, &job, NULL), 2);
    CHECK_SMALL(real_distance(doc->cut_views[0].position, (md5_vec3){-4, 2, 6}), 1e-6);
    CHECK_SMALL(real_distance(doc->views[1].position, (md5_vec3){-10, 8, 12}), 1e-5);
    const md5_vec3 ahead = md5_quat_rotate(doc->cut_views[2].rotation, (md5_vec3){1, 0, 0});
    CHECK_SMALL(real_distance(ahead, (md5_vec3){0, 1, 0}), 1e-6);
    md5_error error = {0};
    CHECK_FAILS(EDIT_JOINTS(doc, &error, 0) != MD5_NONE, error, MD5_ERROR_MISMATCH);
    for (int i = 0; i < 3; i++) {
        doc->cuts[2] = i == 0 ? 2 : 1;
        doc->num_frames = i == 1 ? 0 : 2;
        doc->frame_rate = i == 2 ? NAN : 24.0;
        CHECK_FAILS(md5_write_doc(doc, NULL, 0, &error), error, MD5_ERROR_RANGE);
    }
}

TEST (edit_writes_unchanged_text_byte_for_byte) {
    SCOPED_DOC doc =
        parse(MD5_DOC_MODEL, "MD5Version 10 numJoints 1 numMeshes 1 joints { \"a\" -1 ( 0 "
                             "0 0 ) ( 0 0 0 ) } mesh { shader \"b\" numverts 0 numtris 0 "
                             "numweights 0 }"); // in one line
    REQUIRE(doc);
    CHECK_STRING(doc->comment, "");
    doc->meshes[0].shader = "b\tc";
    SCOPED_STRING text = written(doc, NULL);
    REQUIRE(text);
    CHECK(strstr(text, "mesh {\n\tshader \"b\tc\"\n"));
    doc->meshes[0].name = "d ";
    md5_error error = {0};
    CHECK_FAILS(md5_write_doc(doc, NULL, 0, &error), error, MD5_ERROR_MISMATCH);
    CHECK(!md5_parse_doc(MD5_DOC_MODEL, NULL, 0, NULL, &error));
    CHECK(!md5_parse_camera(NULL, 0, NULL, &error));
}

// A line must not expand to too much data, and 2^32 weights are too many for the tables.
TEST (edit_rejects_rows_that_are_shared_too_often) {
    enum { MAX = 65537 };
    SCOPED_ARRAY(md5_vertex, vertices, MAX);
    SCOPED_ARRAY(md5_vec2, texcoords, MAX);
    SCOPED_ARRAY(md5_weight, weights, MAX);
    md5_doc_joint joint = {.parent = MD5_NONE};
    md5_doc_mesh mesh = {NULL, NULL, MAX, 0, MAX, vertices, texcoords, NULL, weights, {0}};
    md5_doc doc = {.num_joints = 1, .num_meshes = 1, .joints = &joint, .meshes = &mesh};
    md5_error error = {0};
    for (int v = 0; v < MAX; v++)
        vertices[v].num_weights = MAX;
    CHECK_SAYS(md5_write_doc(&doc, NULL, 0, &error), error, MD5_ERROR_RANGE,
               "too many references between elements: expected at most ");
    CHECK_REFUSED(md5_fix_weights(&doc, 1, 0, NULL, &error) != MD5_NONE, error, MD5_ERROR_MISMATCH,
                  "document is too large: expected at most 4294967295 references, found "
                  "4295098369");
}

// -- Real files -----------------------------------------------------------------------------

static size_t num_files, num_refused;

static bool is_equal(md5_doc_kind kind, const char *a, size_t a_size, const char *b)
{
    const size_t b_size = strlen(b);
    if (kind == MD5_DOC_MODEL) {
        SCOPED_MODEL first = md5_parse_model(a, a_size, NULL, NULL);
        SCOPED_MODEL second = md5_parse_model(b, b_size, NULL, NULL);
        return first && second && asset_models_equal(first, second);
    }
    if (kind == MD5_DOC_ANIM) {
        SCOPED_ANIM first = md5_parse_anim(a, a_size, NULL, NULL);
        SCOPED_ANIM second = md5_parse_anim(b, b_size, NULL, NULL);
        return first && second && asset_anims_equal(first, second);
    }
    SCOPED_CAMERA first = md5_parse_camera(a, a_size, NULL, NULL);
    SCOPED_CAMERA second = md5_parse_camera(b, b_size, NULL, NULL);
    return first && second && asset_cameras_equal(first, second);
}

// Files that md5_load_...() accepts, except for version 12, become documents and are written as
// texts that load with the same bits, except for control bytes in names. Writing such a text again
// gives the same text.
static void check_file(const char *path)
{
    STRINGS(ends) = {".md5mesh", ".md5anim", ".md5camera"};
    const char *const dot = strrchr(path, '.');
    for (size_t i = 0; i < COUNT_OF(ends); i++) {
        const md5_doc_kind kind = (md5_doc_kind)(i);
        size_t size = 0;
        if (!dot || strcmp(dot, ends[i]) != 0)
            continue;
        SCOPED_STRING source = test_read_file(path, &size);
        md5_error error = {0};
        SCOPED_DOC doc = md5_parse_doc(kind, source, size, NULL, &error);
        if (!doc) {
            SCOPED_MODEL model =
                kind == MD5_DOC_MODEL ? md5_parse_model(source, size, NULL, NULL) : 0;
            SCOPED_ANIM anim = kind == MD5_DOC_ANIM ? md5_parse_anim(source, size, NULL, NULL) : 0;
            const bool is_packed = anim && anim->packed_size;
            const bool can_load = model || anim;
            CHECK_THAT(is_packed || !can_load || error.status == MD5_ERROR_VERSION, "%s: %s", path,
                       error.message);
            return;
        }
        num_files++;
        SCOPED_MODEL loaded =
            kind == MD5_DOC_MODEL ? md5_parse_model(source, size, NULL, NULL) : NULL;
        if (loaded) // the document also contains meshes after numMeshes
            doc->num_meshes = loaded->num_meshes;
        SCOPED_STRING text = written(doc, &error);
        if (!text) {
            num_refused++;
            CHECK_THAT(error.status == MD5_ERROR_MISMATCH || doc->parents_unknown, "%s: %s", path,
                       error.message);
            return;
        }
        const bool is_old = strstr(source, "MD5Version 6") != NULL; // version 6 has other rotations
        CHECK_THAT(is_old || is_equal(kind, source, size, text), "%s", path);
        SCOPED_DOC again = md5_parse_doc(kind, text, strlen(text), NULL, &error);
        SCOPED_STRING same = again ? written(again, &error) : NULL;
        CHECK_THAT(same && strcmp(same, text) == 0, "%s: %s", path, error.message);
    }
}

static void check_folder(const char *folder)
{
    DIR *const open = opendir(folder);
    if (open) {
        for (struct dirent *entry; (entry = readdir(open)) != NULL;) {
            char path[1024];
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
            if (strchr(entry->d_name, '.'))
                check_file(path);
            else
                check_folder(path);
        }
    }
    if (open)
        closedir(open);
}

TEST (edit_some_of_our_models_round_trip) {
    num_files = num_refused = 0;
    check_folder(test_path("models/zoo"));
    check_file(test_path("models/bobbin/bobbin.md5mesh"));
    check_file(test_path("models/bobbin/walk.md5anim"));
    check_file(test_path("models/bobbin/flight.md5camera"));
    CHECK(num_files > 30);
    CHECK_UINT(num_refused, 0);
}

TEST_LONG (edit_our_models_round_trip) {
    num_files = num_refused = 0;
    check_folder(test_path("models"));
    CHECK(num_files > 80);
    CHECK_UINT(num_refused, 0);
}

TEST_LONG (edit_the_corpus_round_trips) {
    REQUIRE_CORPUS();
    num_files = num_refused = 0;
    check_folder(test_path("corpus"));
    check_folder(test_path("golden"));
    CHECK(num_files > 150);
    printf("%zu files, %zu refused\n", num_files, num_refused);
}

// -- Repairs --------------------------------------------------------------------------------

TEST_DOC (edit_rotations_get_unit_length, MD5_DOC_MODEL, model_text) {
    SCOPED_MODEL before = reparse_model(doc);
    CHECK_UINT(md5_fix_rotations(doc, NULL), 1);
    // w is sqrt(0.64 + 0.64 - 1). After that all four components are divided by their length.
    CHECK_NEAR(doc->joints[2].rotation.x, 0.8 / sqrt(1.28 + 0.28), 1e-6);
    CHECK_EXACT(doc->joints[1].rotation.x, 0.5);
    SCOPED_MODEL after = reparse_model(doc);
    REQUIRE(before && after);
    for (int i = 0; i < 12; i++)
        CHECK_NEAR(after->bind[2].m[i], before->bind[2].m[i], 2e-6);
    CHECK_UINT(md5_fix_rotations(doc, NULL), 0);
}

TEST_DOC (edit_weights_are_pruned_and_sum_to_1, MD5_DOC_MODEL, model_text) {
    float loss = -1;
    CHECK_UINT(md5_fix_weights(doc, 0, INFINITY, &loss, NULL), 0);
    CHECK(loss == 0);
    // Vertex 0 has 0.6 on joint 0 at ( 1 2/3 2/3 ), 0.1 on joint 1 at ( 0 1 2 ), which is removed,
    // and 0.3 on joint 2. Vertices 1 and 3 shared a weight, with sums of 0.9 and 0.5.
    CHECK_UINT(md5_fix_weights(doc, 2, 1e-3f, &loss, NULL), 3);
    const double grown = 1.0 / 0.9 - 1.0;
    CHECK_NEAR(loss, 0.1 * sqrt(5.0) + grown * (0.6 * sqrt(17.0 / 9.0) + 0.3 * 3.0), 1e-6);
    const md5_doc_mesh *const mesh = &doc->meshes[0];
    CHECK_UINT(mesh->num_weights, 6);
    CHECK_UINT(mesh->vertices[0].num_weights, 2);
    CHECK_UINT(mesh->weights[1].joint, 2);
    CHECK_NEAR(mesh->weights[1].bias, 0.3 / 0.9, 1e-7);
    CHECK_NEAR(mesh->weights[mesh->vertices[1].first_weight].bias, 0.5 / 0.9, 1e-7);
    CHECK_EXACT(mesh->weights[mesh->vertices[3].first_weight].bias, 1);
    SCOPED_MODEL model = reparse_model(doc);
    REQUIRE(model);
    CHECK_UINT(model->meshes[0].num_off_sums, 0);
    CHECK_UINT(model->meshes[0].max_weights, 2);
    CHECK_UINT(md5_fix_weights(doc, 2, 1e-3f, &loss, NULL), 0);
}

// The first of the weights 0.2, 0.3 and 0.5 is removed. Its joint is at a distance of 1. The other
// weights increase, which moves the vertex in proportion to the distances 2 and 3 of their joints.
// A vertex without weights remains without weights, and weights whose sum is less than 1e-3 do not
// change.
TEST_DOC (edit_weights_are_reduced_with_the_smallest_error, MD5_DOC_MODEL, model_text) {
    md5_doc_mesh *const mesh = &doc->meshes[0];
    const md5_vertex vertices[] = {{0, 3}, {3, 0}, {7, 1}, {7, 1}};
    memcpy(mesh->vertices, vertices, sizeof vertices);
    mesh->weights[0].bias = 0.2f;
    mesh->weights[1].bias = 0.3f;
    mesh->weights[2].bias = 0.5f;
    mesh->weights[7].bias = 0.0005f;
    float loss = -1;
    CHECK_UINT(md5_fix_weights(doc, 2, 1e-3f, &loss, NULL), 1);
    CHECK_NEAR(loss, 0.2 + (0.375 - 0.3) * 2.0 + (0.625 - 0.5) * 3.0, 1e-6);
    CHECK_NEAR(mesh->weights[1].bias, 0.625, 1e-6);
    CHECK_UINT(mesh->vertices[1].num_weights, 0);
    CHECK_EXACT(mesh->weights[mesh->vertices[3].first_weight].bias, 0.0005f);
}

// Vertex 2 lost its weight. Its neighbors 0, 1 and 3 are in triangles 0 1 2 and 2 3 0, so vertex 0
// is counted twice in the mean position. No triangle has three vertices with weights, so the
// surface consists of the edges 0 1 and 3 0. The nearest edge was determined by comparing 100 000
// points of each.
TEST_DOC (edit_fills_vertices_without_weights, MD5_DOC_MODEL, model_text) {
    md5_doc_mesh *const mesh = &doc->meshes[0];
    for (uint32_t j = 0; j < 3; j++) {
        doc->joints[j].rotation = (md5_vec3){0, 0, 0};
        doc->joints[j].position = (md5_vec3){(float)j, 0, 0};
    }
    const md5_vertex vertices[] = {{0, 1}, {1, 2}, {0, 0}, {3, 1}};
    const md5_weight weights[] = {
        {.joint = 0, .bias = 1, .offset = {0, 0, 0}},
        {.joint = 1, .bias = 0.75f, .offset = {7, 0, 0}},
        {.joint = 2, .bias = 0.25f, .offset = {6, 0, 0}},
        {.joint = 2, .bias = 1, .offset = {-2, 4, 0}},
    };
    memcpy(mesh->vertices, vertices, sizeof vertices);
    memcpy(mesh->weights, weights, sizeof weights);
    // Vertex 0 is at ( 0 0 0 ), vertex 1 at ( 8 0 0 ) and vertex 3 at ( 0 4 0 ). Vertex 2 is placed
    // at ( 2 1 0 ). The nearest point is ( 2 0 0 ), at a quarter of the edge from vertex 0 to
    // vertex 1.
    md5_error error = {0};
    CHECK_UINT(md5_fill_weights(doc, 0, &error), 1);
    REQUIRE(mesh->vertices[2].num_weights == 2);
    const md5_weight *const filled = mesh->weights + mesh->vertices[2].first_weight;
    CHECK_UINT(filled[0].joint, 0);
    CHECK_NEAR(filled[0].bias, 0.75 / (0.75 + 0.25 * 0.75), 1e-6);
    CHECK_VEC3(filled[0].offset, 2, 1, 0, 1e-6);
    CHECK_UINT(filled[1].joint, 1);
    CHECK_VEC3(filled[1].offset, 1, 1, 0, 1e-6);
    CHECK_UINT(md5_fill_weights(doc, 0, &error), 0);
    mesh->vertices[2].num_weights = 0;
    CHECK_UINT(md5_fill_weights(doc, 1, &error), 1);
    CHECK_UINT(mesh->vertices[2].num_weights, 1);
    // Weights with a bias of 0 are not copied, but they define the position: the mean of ( 8 0 0 )
    // and ( 6 0 0 ).
    mesh->vertices[2] = (md5_vertex){4, 2};
    mesh->weights[4] = (md5_weight){.joint = 1, .offset = {7, 0, 0}};
    mesh->weights[5] = (md5_weight){.joint = 1, .offset = {5, 0, 0}};
    CHECK_UINT(md5_fill_weights(doc, 0, &error), 1);
    REQUIRE(mesh->vertices[2].num_weights == 2);
    CHECK_VEC3(mesh->weights[mesh->vertices[2].first_weight].offset, 6, 0, 0, 1e-6);
    for (uint32_t v = 0; v < 4; v++)
        mesh->vertices[v].num_weights = 0;
    CHECK_FAILS(md5_fill_weights(doc, 0, &error) != MD5_NONE, error, MD5_ERROR_MISMATCH);
    CHECK_UINT(mesh->vertices[2].num_weights, 0);
}

// Negative weights are compared by their absolute value: the two largest remain, divided by their
// sum, which is the last number.
TEST (edit_weights_below_0_count_by_their_magnitude) {
    static const float cases[3][5] = {{-0.6f, 0.3f, 0.2f, 1.1f, 0.5f},
                                      {1.1f, 0.2f, 0.3f, -0.6f, 0.5f},
                                      {1.1f, -0.3f, 0.2f, 0.1f, 0.8f}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        SCOPED_DOC doc = parse(MD5_DOC_MODEL, model_text);
        REQUIRE(doc && EDIT_JOINTS(doc, NULL, .root = "r") == 4);
        md5_doc_mesh *const mesh = &doc->meshes[0];
        mesh->num_triangles = 0;
        mesh->num_vertices = 1;
        mesh->vertices[0].num_weights = 4;
        for (uint32_t k = 0; k < 4; k++) {
            mesh->weights[k].joint = k;
            mesh->weights[k].bias = cases[i][k];
        }
        CHECK_UINT(md5_fix_weights(doc, 2, 1e-3f, NULL, NULL), 1);
        REQUIRE(mesh->num_weights == 2);
        double sum = 0;
        for (uint32_t k = 0; k < 2; k++) {
            const uint32_t joint = mesh->weights[k].joint;
            CHECK_NEAR(mesh->weights[k].bias, cases[i][joint] / cases[i][4], 1e-6);
            sum += (double)mesh->weights[k].bias;
        }
        CHECK_NEAR(sum, 1, 1e-6);
    }
}

// Two weights of vertex 0 are on joint 1. They become one weight at their mean: 0.05 * 2 and 0.05 *
// 4.
TEST_DOC (edit_weights_of_one_joint_are_added_up, MD5_DOC_MODEL, model_text) {
    doc->meshes[0].weights[4].joint = 1; // three on joint 1: the third has 0.2 at ( 1 2 2 )
    float loss = -1;
    CHECK_UINT(md5_fix_weights(doc, 3, INFINITY, &loss, NULL), 1);
    CHECK_SMALL(loss, 1e-6);
    const md5_weight *const weights = doc->meshes[0].weights;
    CHECK_UINT(doc->meshes[0].vertices[0].num_weights, 3);
    CHECK_NEAR(weights[1].bias, 0.3, 1e-6);
    CHECK_VEC3(weights[1].offset, 0.2 * 1.0 / 0.3, (0.05 * 2.0 + 0.2 * 2.0) / 0.3,
               (0.05 * 4.0 + 0.2 * 2.0) / 0.3, 1e-6);
    CHECK_UINT(doc->meshes[0].vertices[1].num_weights, 2);
}

TEST (edit_bounds_equal_those_of_the_skin) {
    SCOPED_MODEL model = our_model("models/bobbin/bobbin.md5mesh");
    SCOPED_STRING text = test_read_file(test_path("models/bobbin/jump.md5anim"), NULL);
    REQUIRE(model && text);
    SCOPED_DOC doc = parse(MD5_DOC_ANIM, text);
    REQUIRE(doc);
    doc->bounds = NULL;
    CHECK_UINT(md5_fix_bounds(doc, model, NULL), doc->num_frames);
    SCOPED_ANIM anim = text_anim(text, NULL);
    SCOPED_BINDING binding = md5_bind(model, anim, NULL, NULL);
    REQUIRE(binding && doc->bounds);
    const uint32_t num_joints = model->skeleton.num_joints;
    SCOPED_ARRAY(md5_xform, pose, num_joints);
    SCOPED_ARRAY(md5_mat34, palette, num_joints);
    SCOPED_ARRAY(md5_vec3, points, model->max_vertices);
    for (uint32_t f = 0; f < doc->num_frames; f++) {
        md5_bounds box = md5_bounds_from_points(NULL, 0);
        md5_pose_palette(binding, md5_sample_position_from_frames(anim, f, f, 0), MD5_ROOT_FILE,
                         pose, NULL, palette);
        for (uint32_t i = 0; i < model->num_meshes; i++) {
            const md5_mesh *const mesh = &model->meshes[i];
            md5_skin(mesh, palette, points, NULL, NULL);
            box = md5_bounds_union(box, md5_bounds_from_points(points, mesh->num_vertices));
        }
        CHECK_SMALL(real_distance(doc->bounds[f].min, box.min), 1e-4);
        CHECK_SMALL(real_distance(doc->bounds[f].max, box.max), 1e-4);
    }
    CHECK_UINT(md5_fix_bounds(doc, model, NULL), 0);
    CHECK_UINT(md5_fix_joints(doc, model, false, NULL), 0); // this model has no errors
    md5_error error = {0};
    CHECK_FAILS(md5_fix_bounds(doc, NULL, &error) != MD5_NONE, error, MD5_ERROR_MISSING);
    doc->bounds[3].max.x += 1.0f;
    CHECK_UINT(md5_fix_bounds(doc, model, NULL), 1);
    md5_model bare = *model; // without meshes
    bare.num_meshes = bare.max_vertices = 0;
    CHECK_REFUSED(md5_fix_bounds(doc, &bare, &error) != MD5_NONE, error, MD5_ERROR_MISMATCH,
                  "model has no vertices: expected at least 1, because bounds enclose vertices");
}

// A clip whose joints have another order. It has an additional joint between two joints, and lacks
// a third joint.
static const char clip_text[] =
    "MD5Version 10\ncommandline \"\"\nnumFrames 2\nnumJoints 3\nframeRate 24\n"
    "numAnimatedComponents 5\nhierarchy {\n\"origin\" -1 4 0\n\"crane\" 0 16 4\n"
    "\"upper arm\" 1 7 1\n}\nbounds { ( 0 0 0 ) ( 1 1 1 ) ( 0 0 0 ) ( 1 1 1 ) }\n"
    "baseframe {\n( 7 0 0 ) ( 0 0 0 )\n( 0 0 10 ) ( 0 0 0 )\n( 0 0 0 ) ( 0 0 0 )\n}\n"
    "frame 0 { 5 1 2 3 0 }\nframe 1 { 6 1 2 4 1.5 }\n";

// Numbers that loading rejects are not written: 1e9 is written, the next float is not.
TEST (edit_rejects_lengths_beyond_the_reader_limits) {
    const float limit = 1e9f;
    const float more = nextafterf(limit, INFINITY);
    for (int i = 0; i < 11; i++) {
        SCOPED_DOC mesh = parse(MD5_DOC_MODEL, model_text);
        SCOPED_DOC clip = parse(MD5_DOC_ANIM, clip_text);
        SCOPED_DOC camera = parse(MD5_DOC_CAMERA, camera_text);
        REQUIRE(mesh && clip && camera);
        float *const numbers[] = {&mesh->joints[1].position.y,
                                  &mesh->meshes[0].weights[1].bias,
                                  &mesh->meshes[0].weights[7].offset.z,
                                  &clip->joints[2].position.x,
                                  &clip->numbers[9],
                                  &camera->views[1].fov,
                                  &camera->views[0].position.x,
                                  &camera->cut_views[0].position.z,
                                  &mesh->meshes[0].texcoords[0].y,
                                  &mesh->joints[1].rotation.x,
                                  &clip->bounds[1].max.x}; // the last three are read at any size
        const md5_doc *const docs[] = {mesh,   mesh,   mesh, clip, clip, camera,
                                       camera, camera, mesh, mesh, clip};
        md5_error error = {0};
        *numbers[i] = -limit;
        CHECK(md5_write_doc(docs[i], NULL, 0, &error) > 0);
        *numbers[i] = more;
        const bool is_written = md5_write_doc(docs[i], NULL, 0, &error) > 0;
        CHECK_UINT(is_written, i > 7);
        CHECK_UINT(error.status, i > 7 ? MD5_OK : MD5_ERROR_RANGE);
    }
    SCOPED_DOC doc = parse(MD5_DOC_ANIM, clip_text);
    md5_error error = {0};
    REQUIRE(doc);
    doc->numbers[0] = 6e8f;
    CHECK_UINT(EDIT_SPACE(doc, &error, .scale = 2.0f), 3);
    CHECK_UINT(md5_write_doc(doc, NULL, 0, &error), 0);
    CHECK_STRING(error.message, "number is out of range: expected -1e9 to 1e9, found 1.2e+09");
}

TEST (edit_clip_gets_the_joints_of_a_model) {
    SCOPED_DOC source = parse(MD5_DOC_MODEL, model_text);
    REQUIRE(source);
    source->joints[1].position.z = 16;
    source->joints[1].rotation = source->joints[2].rotation = (md5_vec3){0, 0, 0};
    SCOPED_MODEL model = reparse_model(source);
    REQUIRE(model);
    for (int all = 0; all < 2; all++) {
        SCOPED_DOC doc = parse(MD5_DOC_ANIM, clip_text);
        REQUIRE(doc);
        CHECK_UINT(md5_fix_joints(doc, model, all, NULL), all ? 3 : 2);
        CHECK_UINT(doc->num_joints, 3);
        CHECK_UINT(doc->num_components, all ? 18 : 1 + 4);
        for (uint32_t j = 0; j < 3; j++) {
            CHECK_STRING(doc->joints[j].name, source->joints[j].name);
            CHECK_UINT(doc->joints[j].parent, source->joints[j].parent);
        }
        md5_error error = {0};
        SCOPED_STRING text = written(doc, &error);
        REQUIRE(text);
        SCOPED_ANIM anim = text_anim(text, NULL);
        SCOPED_BINDING binding = md5_bind(model, anim, NULL, NULL);
        REQUIRE(binding && binding->same_order);
        md5_xform pose[3];
        md5_sample(binding, md5_sample_position_from_frames(anim, 1, 1, 0), MD5_ROOT_FILE, pose);
        // The crane is 10 above the origin and rotated about y by (0 1.5 0), which is longer than
        // 1: w is -sqrt(1.25), and all four are divided by their length.
        CHECK_SMALL(real_distance(pose[0].translation, (md5_vec3){7, 0, 6}), 1e-6);
        const double y = 1.5 / sqrt(2.25 + 1.25);
        const double w = -sqrt(1.25 / (2.25 + 1.25));
        const double cosine = 1.0 - 2.0 * y * y;
        const double sine = 2.0 * w * y;
        CHECK_NEAR(pose[1].translation.x, cosine * 1.0 + sine * 4.0, 1e-5);
        CHECK_NEAR(pose[1].translation.y, 2, 1e-6);
        CHECK_NEAR(pose[1].translation.z, 10.0 + cosine * 4.0 - sine * 1.0, 1e-5);
        CHECK_SMALL(real_distance(pose[2].translation, model->bind_local[2].translation), 1e-5);
        CHECK_UINT(md5_fix_joints(doc, model, all, NULL), 0);
    }
    SCOPED_DOC doc = parse(MD5_DOC_ANIM, clip_text);
    REQUIRE(doc);
    CHECK_UINT(md5_fix_joints(doc, NULL, false, NULL), 2); // crane and, after it, upper arm
    doc->joints[0].name = doc->joints[1].name = doc->joints[2].name = "other";
    md5_error error = {0};
    CHECK_FAILS(md5_fix_joints(doc, model, false, &error) != MD5_NONE, error, MD5_ERROR_MISMATCH);
}

// -- Edits ----------------------------------------------------------------------------------

static md5_doc *parse_ours(md5_doc_kind kind, const char *name)
{
    SCOPED_STRING text = test_read_file(test_pathf("models/bobbin/%s", name), NULL);
    return text ? parse(kind, text) : NULL;
}

// The positions of the corners of all triangles, one after the other: in a frame of a clip or,
// without a clip, in the bind pose.
typedef struct corners {
    md5_vec3 *at;
    size_t count;
} corners;

static void release_corners(const corners *owner)
{
    free(owner->at);
}
#define SCOPED_CORNERS __attribute__((cleanup(release_corners))) const corners

// Returns the positions of all triangle corners of a model, in the pose of a frame of `clip`, or in
// the bind pose if `clip` is NULL.
static corners compute_corners(const md5_doc *mesh, const md5_doc *clip, uint32_t frame)
{
    SCOPED_MODEL model = reparse_model(mesh);
    SCOPED_ANIM anim = clip ? reparse_anim(clip) : NULL;
    SCOPED_BINDING binding = anim ? md5_bind(model, anim, NULL, NULL) : NULL;
    md5_mat34 palette[128];
    md5_xform pose[128];
    corners all = {0};
    if (!CHECK(model && model->skeleton.num_joints <= COUNT_OF(pose) && !clip == !binding))
        return all;
    memcpy(pose, model->bind_local, model->skeleton.num_joints * sizeof *pose);
    if (binding)
        md5_sample(binding, md5_sample_position_from_frames(anim, frame, frame, 0), MD5_ROOT_FILE,
                   pose);
    md5_local_to_palette(model, pose, NULL, palette);
    for (uint32_t m = 0; m < model->num_meshes; m++)
        all.count += 3 * (size_t)model->meshes[m].num_triangles;
    md5_vec3 *next = all.at = test_calloc(all.count, sizeof *next);
    for (uint32_t j = 0; j < model->num_meshes; j++) {
        const md5_mesh *const model_mesh = &model->meshes[j];
        SCOPED_ARRAY(md5_vec3, points, model_mesh->num_vertices);
        md5_skin(model_mesh, palette, points, NULL, NULL);
        for (size_t i = 0; i < 3 * (size_t)model_mesh->num_triangles; i++)
            *next++ = points[model_mesh->indices[i]];
    }
    return all;
}

// Checks that the corners are at their previous positions, within a tolerance.
static void check_corners(corners before, const md5_doc *mesh, const md5_doc *clip, uint32_t frame,
                          double tolerance)
{
    SCOPED_CORNERS current = compute_corners(mesh, clip, frame);
    REQUIRE(before.at && current.at && before.count == current.count);
    for (size_t i = 0; i < current.count; i++)
        CHECK_SMALL(real_distance(before.at[i], current.at[i]), tolerance);
}

typedef md5_vec3 point_fn(md5_vec3 p); // expected effect of an edit on a point

static md5_vec3 scaled(md5_vec3 p)
{
    return (md5_vec3){0.03f * p.x, 0.03f * p.y, 0.03f * p.z};
}
static md5_vec3 rotated(md5_vec3 p) // by 90 degrees to the left, and twice as large
{
    return (md5_vec3){-2.0f * p.y, 2.0f * p.x, 2.0f * p.z};
}
static md5_vec3 raised(md5_vec3 p) // y is up, x right, z backward
{
    return (md5_vec3){-p.z, -p.x, p.y};
}
static md5_vec3 mirrored(md5_vec3 p)
{
    return (md5_vec3){p.x, -p.y, p.z};
}
static md5_vec3 mirrored_and_rotated(md5_vec3 p) // by 30 degrees
{
    const float cosine = 0.8660254f;
    const float sine = 0.5f;
    return (md5_vec3){cosine * p.x + sine * p.y, sine * p.x - cosine * p.y, p.z};
}

// The mesh and the clip move together, both in the bind pose and in a frame. The bounding box of
// the frame contains the skin.
TEST (edit_space_moves_mesh_and_clip_together) {
    const struct {
        md5_space_edit job;
        point_fn *where;
        double scale;
    } cases[] = {
        {{.scale = 0.03f}, scaled, 0.03},
        {{.rotation = {0, 90, 0}, .scale = 2}, rotated, 2},
        {{.rotation = {0, -90, 90}}, raised, 1},
        {{.is_mirrored = true}, mirrored, 1},
        {{.rotation = {0, 30, 0}, .is_mirrored = true}, mirrored_and_rotated, 1},
    };
    SCOPED_DOC old_mesh = parse_ours(MD5_DOC_MODEL, "bobbin.md5mesh");
    SCOPED_DOC old_clip = parse_ours(MD5_DOC_ANIM, "walk.md5anim");
    REQUIRE(old_mesh && old_clip);
    SCOPED_CORNERS bind = compute_corners(old_mesh, NULL, 0);
    SCOPED_CORNERS pose = compute_corners(old_mesh, old_clip, 7);
    const size_t count = pose.count;
    for (size_t j = 0; j < COUNT_OF(cases); j++) {
        SCOPED_DOC mesh = parse_ours(MD5_DOC_MODEL, "bobbin.md5mesh");
        SCOPED_DOC clip = parse_ours(MD5_DOC_ANIM, "walk.md5anim");
        CHECK_UINT(md5_edit_space(mesh, &cases[j].job, NULL), mesh->num_joints);
        CHECK_UINT(md5_edit_space(clip, &cases[j].job, NULL), clip->num_joints);
        SCOPED_CORNERS new_bind = compute_corners(mesh, NULL, 0);
        SCOPED_CORNERS new_pose = compute_corners(mesh, clip, 7);
        REQUIRE(bind.at && pose.at);
        REQUIRE(new_bind.at && new_pose.at && new_pose.count == count);
        for (size_t i = 0; i < count; i++) {
            size_t mirrored_corner = i;
            if (i % 3 == 1)
                mirrored_corner = i + 1;
            else if (i % 3 == 2)
                mirrored_corner = i - 1;
            const size_t k = cases[j].job.is_mirrored ? mirrored_corner : i;
            CHECK_SMALL(real_distance(cases[j].where(bind.at[i]), new_bind.at[k]),
                        1e-4 * cases[j].scale);
            CHECK_SMALL(real_distance(cases[j].where(pose.at[i]), new_pose.at[k]),
                        1e-4 * cases[j].scale);
        }
        const md5_bounds box = clip->bounds[7];
        const md5_bounds merged_bounds =
            md5_bounds_union(box, md5_bounds_from_points(new_pose.at, count));
        CHECK_SMALL(real_distance(merged_bounds.min, box.min), 0.02 * cases[j].scale);
        CHECK_SMALL(real_distance(merged_bounds.max, box.max), 0.02 * cases[j].scale);
    }
}

TEST (edit_mirror_exchanges_sides_and_keeps_names) {
    SCOPED_DOC mesh = parse_ours(MD5_DOC_MODEL, "bobbin.md5mesh");
    REQUIRE(mesh);
    SCOPED_MODEL model = reparse_model(mesh);
    SCOPED_STRING before = written(mesh, NULL);
    uint32_t partners[128];
    CHECK(md5_build_mirror(&model->skeleton, partners) > 10);
    const md5_space_edit job = {.is_mirrored = true, .partners = partners};
    CHECK_UINT(md5_edit_space(mesh, &job, NULL), mesh->num_joints);
    for (uint32_t j = 0; j < mesh->num_joints; j++) {
        const md5_vec3 from = md5_mat34_translation(model->bind[partners[j]]);
        CHECK_STRING(mesh->joints[j].name, model->skeleton.joints[j].name);
        CHECK_UINT(mesh->joints[j].parent, model->skeleton.joints[j].parent);
        CHECK_EXACT(real_distance(mesh->joints[j].position, mirrored(from)), 0);
    }
    CHECK_UINT(md5_edit_space(mesh, &job, NULL), mesh->num_joints);
    SCOPED_STRING after = written(mesh, NULL);
    CHECK_STRING(after, before);
    CHECK_UINT(EDIT_SPACE(mesh, NULL, .scale = 1.0f), 0);

    partners[3] = partners[4];
    md5_error error = {0};
    const md5_space_edit refused[] = {
        job, {.scale = 1e7f}, {.scale = 1e-7f}, {.scale = NAN}, {.rotation = {.yaw = INFINITY}}};
    for (size_t i = 0; i < COUNT_OF(refused); i++) {
        const md5_space_edit *const refused_job = &refused[i];
        CHECK_FAILS(md5_edit_space(mesh, refused_job, &error) != MD5_NONE, error, MD5_ERROR_RANGE);
    }
    partners[3] = mesh->num_joints;
    CHECK_UINT(md5_edit_space(mesh, &job, &error), MD5_NONE);
    SCOPED_STRING same = written(mesh, NULL);
    CHECK_STRING(same, before);
}

// A camera looks along x of its local space, which does not depend on its path. Files store a w
// near 0 only to 3e-4, the square root of the rounding error of x y z.
TEST (edit_space_rotates_cameras) {
    SCOPED_DOC doc = parse_ours(MD5_DOC_CAMERA, "flight.md5camera");
    REQUIRE(doc);
    SCOPED_STRING before = written(doc, NULL);
    SCOPED_CAMERA old = md5_parse_camera(before, strlen(before), NULL, NULL);
    const md5_space_edit job = {.is_mirrored = true, .rotation = {0, 30, 0}};
    CHECK_UINT(md5_edit_space(doc, &job, NULL), doc->num_frames);
    SCOPED_STRING after = written(doc, NULL);
    SCOPED_CAMERA current = md5_parse_camera(after, strlen(after), NULL, NULL);
    REQUIRE(old && current);
    for (uint32_t f = 0; f < doc->num_frames; f++) {
        const md5_camera_view *const a = &old->frames[f];
        const md5_camera_view *const b = &current->frames[f];
        static const md5_vec3 ahead = {1, 0, 0};
        static const md5_vec3 up = {0, 0, 1};
        CHECK_SMALL(real_distance(mirrored_and_rotated(a->position), b->position), 1e-4);
        CHECK_SMALL(real_distance(mirrored_and_rotated(md5_quat_rotate(a->rotation, ahead)),
                                  md5_quat_rotate(b->rotation, ahead)),
                    3e-4);
        CHECK_SMALL(real_distance(mirrored_and_rotated(md5_quat_rotate(a->rotation, up)),
                                  md5_quat_rotate(b->rotation, up)),
                    3e-4);
        CHECK(a->fov == b->fov);
    }
}

TEST (edit_meshes_are_cut_and_merged) {
    SCOPED_DOC mesh = parse_ours(MD5_DOC_MODEL, "bobbin.md5mesh");
    REQUIRE(mesh);
    SCOPED_CORNERS before = compute_corners(mesh, NULL, 0);
    const md5_mesh_edit cut = {.max_vertices = 1000, .max_triangles = 900};
    CHECK_UINT(md5_edit_meshes(mesh, &cut, NULL), 1); // the eyes have 290
    CHECK(mesh->num_meshes >= 8);
    for (uint32_t m = 0; m < mesh->num_meshes; m++)
        CHECK(mesh->meshes[m].num_vertices <= 1000 && mesh->meshes[m].num_triangles <= 900);
    check_corners(before, mesh, NULL, 0, 1e-5);
    CHECK_UINT(md5_edit_meshes(mesh, &cut, NULL), 0);
    CHECK_UINT(EDIT_MESHES(mesh, NULL, .is_merged = true), 1);
    CHECK_UINT(mesh->num_meshes, 2);
    CHECK_STRING(mesh->meshes[1].shader, "models/bobbin/bobbin_eye");
    check_corners(before, mesh, NULL, 0, 1e-5);
    CHECK_UINT(EDIT_MESHES(mesh, NULL, .is_merged = true), 0);
    md5_error error = {0};
    CHECK_REFUSED(EDIT_MESHES(mesh, &error, .max_vertices = 2) != MD5_NONE, error, MD5_ERROR_RANGE,
                  "max_vertices is out of range: expected 3 or more, found 2");
}

// The first two of three triangles have 4 vertices. Two of these begin at the same weight and have
// one and two weights.
TEST (edit_split_meshes_are_as_large_as_allowed) {
    for (uint32_t max_vertices = 4; max_vertices > 2; max_vertices--) {
        SCOPED_DOC doc = parse(MD5_DOC_MODEL, model_text);
        REQUIRE(doc);
        md5_doc_mesh *const mesh = &doc->meshes[0];
        md5_vertex vertices[] = {mesh->vertices[0], mesh->vertices[1], mesh->vertices[2],
                                 mesh->vertices[3], mesh->vertices[2]};
        md5_vec2 texcoords[5] = {{0, 0}};
        uint32_t indices[] = {2, 3, 0, 0, 1, 2, 0, 3, 4};
        mesh->vertices = vertices;
        mesh->texcoords = texcoords;
        mesh->indices = indices;
        mesh->num_vertices = 5;
        mesh->num_triangles = 3;
        SCOPED_CORNERS before = compute_corners(doc, NULL, 0);
        const md5_mesh_edit by_vertices = {.max_vertices = max_vertices};
        const md5_mesh_edit by_triangles = {.max_triangles = max_vertices == 3 ? 1 : 2};
        CHECK_UINT(md5_edit_meshes(doc, &by_vertices, NULL), 1);
        CHECK_UINT(doc->num_meshes, max_vertices == 3 ? 3 : 2);
        CHECK_UINT(doc->meshes[0].num_vertices, max_vertices);
        CHECK_UINT(md5_edit_meshes(doc, &by_triangles, NULL), 0);
        CHECK_UINT(EDIT_MESHES(doc, NULL, .is_merged = true), 1);
        CHECK_UINT(doc->num_meshes, 1);
        CHECK_UINT(md5_edit_meshes(doc, &by_triangles, NULL), 1);
        CHECK_UINT(doc->num_meshes, max_vertices == 3 ? 3 : 2);
        check_corners(before, doc, NULL, 0, 0);
    }
}

// Only the second triangle, which becomes a line, uses vertex 3; weights 5 and 6 remain for vertex
// 1.
TEST_DOC (edit_unused_rows_are_left_out, MD5_DOC_MODEL, model_text) {
    const md5_mesh_edit job = {.drops_unused = true};
    doc->joints[1].position.z = 8; // with the arm of model_text the triangles have no area
    CHECK_UINT(md5_edit_meshes(doc, &job, NULL), 0);
    doc->meshes[0].indices[3] = doc->meshes[0].indices[5];
    doc->meshes[0].vertices[0].num_weights = 3;
    SCOPED_CORNERS before = compute_corners(doc, NULL, 0);
    CHECK_UINT(md5_edit_meshes(doc, &job, NULL), 1 + 1 + 2);
    CHECK_UINT(doc->meshes[0].num_vertices, 3);
    CHECK_UINT(doc->meshes[0].num_triangles, 1);
    CHECK_UINT(doc->meshes[0].num_weights, 6);
    check_corners((corners){before.at, 3}, doc, NULL, 0, 0);
    CHECK_UINT(md5_edit_meshes(doc, &job, NULL), 0);
    const bool rotated = true;
    CHECK_UINT(EDIT_MESHES(doc, NULL, .flipped = &rotated), 1);
    CHECK_UINT(doc->meshes[0].indices[1], 2);
    CHECK_UINT(doc->meshes[0].indices[2], 1);
    uint32_t lines[] = {0, 1, 2, 0, 0, 1, 0, 1, 1, 2, 1, 2};
    doc->meshes[0].indices = lines;
    doc->meshes[0].num_triangles = 4;
    CHECK_UINT(md5_edit_meshes(doc, &job, NULL), 3);
}

// Names of one length, of two lengths, and no name, which equals "". One vertex of each of two
// equal meshes has no weights, and two vertices share their weights, 5 + 2.
TEST_DOC (edit_meshes_are_merged_by_their_whole_names, MD5_DOC_MODEL, model_text) {
    STRINGS(shaders) = {"a", "b", "ba", NULL, "a", ""};
    doc->meshes[0].vertices[2].num_weights = 0;
    doc->meshes[0].vertices[3] = doc->meshes[0].vertices[1];
    md5_doc_mesh meshes[COUNT_OF(shaders)];
    for (size_t m = 0; m < COUNT_OF(shaders); m++) {
        meshes[m] = doc->meshes[0];
        meshes[m].shader = shaders[m];
    }
    doc->meshes = meshes;
    doc->num_meshes = COUNT_OF(shaders);
    CHECK_UINT(EDIT_MESHES(doc, NULL, .is_merged = true), 2);
    CHECK_UINT(doc->num_meshes, 4);
    for (uint32_t m = 0; m < doc->num_meshes; m++) {
        const md5_doc_mesh *const mesh = &doc->meshes[m];
        CHECK_UINT(mesh->num_triangles, m == 0 || m == 3 ? 4 : 2);
        CHECK_UINT(mesh->num_weights, m == 0 || m == 3 ? 2 * (5 + 2) : 8);
        CHECK_UINT(mesh->vertices[2].num_weights, 0);
        CHECK_UINT(mesh->vertices[3].first_weight, mesh->vertices[1].first_weight);
    }
    const md5_mesh_edit small = {.max_vertices = 100, .max_triangles = 1};
    CHECK_UINT(md5_edit_meshes(doc, &small, NULL), 4);
    CHECK_UINT(doc->num_meshes, 4 + 2 + 2 + 4);
}

// A mesh without triangles remains, with any number of vertices.
TEST_DOC (edit_meshes_without_triangles_stay, MD5_DOC_MODEL, model_text) {
    doc->meshes[0].num_triangles = 0;
    const md5_mesh_edit job = {.drops_unused = true, .max_vertices = 3};
    CHECK_UINT(md5_edit_meshes(doc, &job, NULL), 0);
    CHECK_UINT(doc->meshes[0].num_vertices, 4);
}

// Joints are reordered so that children come first, in both files; then the order is repaired.
TEST (edit_joints_are_ordered_after_their_parents) {
    SCOPED_DOC mesh = parse_ours(MD5_DOC_MODEL, "bobbin.md5mesh");
    SCOPED_DOC clip = parse_ours(MD5_DOC_ANIM, "walk.md5anim");
    REQUIRE(mesh && clip);
    CHECK_UINT(EDIT_JOINTS(mesh, NULL, 0), 0);
    SCOPED_CORNERS before = compute_corners(mesh, clip, 7);
    md5_doc *const docs[] = {mesh, clip};
    const uint32_t last = mesh->num_joints - 1;
    for (size_t j = 0; j < COUNT_OF(docs); j++) {
        md5_doc *const doc = docs[j];
        for (uint32_t i = 0; i < doc->num_joints / 2; i++) {
            const md5_doc_joint joint = doc->joints[i];
            doc->joints[i] = doc->joints[last - i];
            doc->joints[last - i] = joint;
        }
        for (uint32_t i = 0; i < doc->num_joints; i++) {
            if (doc->joints[i].parent != MD5_NONE)
                doc->joints[i].parent = last - doc->joints[i].parent;
        }
        for (uint32_t m = 0; m < doc->num_meshes; m++) {
            for (uint32_t i = 0; i < doc->meshes[m].num_weights; i++) {
                md5_weight *const weight = &doc->meshes[m].weights[i];
                weight->joint = last - weight->joint;
            }
        }
        CHECK(EDIT_JOINTS(doc, NULL, 0) > last / 2);
        for (uint32_t i = 0; i <= last; i++)
            CHECK(doc->joints[i].parent == MD5_NONE || doc->joints[i].parent < i);
        CHECK_UINT(EDIT_JOINTS(doc, NULL, 0), 0);
    }
    for (uint32_t i = 0; i <= last; i++)
        CHECK_STRING(mesh->joints[i].name, clip->joints[i].name);
    check_corners(before, mesh, clip, 7, 1e-4);

    const md5_joint_edit rooted = {.root = "world"};
    CHECK_UINT(md5_edit_joints(mesh, &rooted, NULL), last + 2);
    CHECK_UINT(md5_edit_joints(clip, &rooted, NULL), last + 2);
    CHECK_UINT(md5_edit_joints(mesh, &rooted, NULL), 0);
    CHECK_STRING(clip->joints[0].name, "world");
    CHECK_UINT(clip->joints[1].parent, 0);
    check_corners(before, mesh, clip, 7, 1e-4);

    CHECK(EDIT_JOINTS(mesh, NULL, .drops_unused = true) > 0);
    SCOPED_MODEL model = reparse_model(mesh);
    CHECK(md5_fix_joints(clip, model, false, NULL) > 0);
    CHECK_UINT(clip->num_joints, mesh->num_joints);
    check_corners(before, mesh, clip, 7, 1e-4);
}

// A chain whose joints are stored from its end to its root. In the first case the root has the
// right name, in the second case it does not.
TEST_DOC (edit_roots_are_known_by_name, MD5_DOC_MODEL, model_text) {
    STRINGS(names) = {"hand", "upper arm", "origin"};
    for (uint32_t j = 0; j < 3; j++) {
        doc->joints[j].name = names[j];
        doc->joints[j].parent = j < 2 ? j + 1 : MD5_NONE;
    }
    const md5_joint_edit job = {.root = "origin"};
    CHECK_UINT(md5_edit_joints(doc, &job, NULL), 2);
    CHECK_UINT(doc->meshes[0].weights[0].joint, 2);
    doc->joints[0].name = NULL;
    CHECK_UINT(md5_edit_joints(doc, &job, NULL), 4);
}

// A chain of three joints. In the first case only the hand has no weights and is dropped. In the
// last case the arm does not have weights either, and both are dropped.
TEST_DOC (edit_unused_joints_are_left_out, MD5_DOC_MODEL, model_text) {
    const md5_joint_edit job = {.drops_unused = true};
    md5_weight *const weights = doc->meshes[0].weights;
    weights[2].joint = weights[7].joint = 1;
    CHECK_UINT(md5_edit_joints(doc, &job, NULL), 1);
    CHECK_UINT(doc->num_joints, 2);
    for (uint32_t i = 0; i < doc->meshes[0].num_weights; i++) {
        md5_weight *const weight = &doc->meshes[0].weights[i];
        weight->joint = 1;
    }
    CHECK_UINT(md5_edit_joints(doc, &job, NULL), 0); // the root is above it
    for (uint32_t w = 0; w < doc->meshes[0].num_weights; w++)
        doc->meshes[0].weights[w].joint = 0;
    CHECK_UINT(md5_edit_joints(doc, &job, NULL), 1);
    CHECK_STRING(doc->joints[0].name, "origin");
    SCOPED_DOC two = parse(MD5_DOC_MODEL, model_text); // one of two roots has the name
    two->joints[2].parent = MD5_NONE;
    CHECK_UINT(EDIT_JOINTS(two, NULL, .root = "hand"), 4);
    two->meshes[0].num_weights = two->meshes[0].num_vertices = two->meshes[0].num_triangles = 0;
    CHECK_UINT(md5_edit_joints(two, &job, NULL), 0); // without weights all joints remain
}

TEST (edit_parts_of_a_split_clip_equal_the_whole) {
    SCOPED_DOC original = parse_ours(MD5_DOC_ANIM, "walk.md5anim");
    REQUIRE(original && original->num_frames == 25);
    for (uint32_t first = 0; first < 25; first += 10) {
        SCOPED_DOC part = parse_ours(MD5_DOC_ANIM, "walk.md5anim");
        const md5_frame_edit job = {.first = first, .num_frames = first < 20 ? 10 : 0};
        CHECK_UINT(md5_edit_frames(part, &job, NULL), first < 20 ? 10 : 5);
        CHECK_UINT(part->num_components, original->num_components);
        CHECK_BYTES(part->numbers, original->numbers + (size_t)first * original->num_components,
                    (size_t)part->num_frames * original->num_components * sizeof *part->numbers);
        CHECK_BYTES(part->bounds, original->bounds + first,
                    part->num_frames * sizeof *part->bounds);
    }
    md5_error error = {0};
    CHECK_UINT(EDIT_FRAMES(original, &error, .first = 25), MD5_NONE);
    CHECK_UINT(EDIT_FRAMES(original, &error, .first = 20, .num_frames = 6), MD5_NONE);
    CHECK_UINT(EDIT_FRAMES(original, &error, .frame_rate = 1e300), MD5_NONE);
    CHECK_FAILS(EDIT_FRAMES(original, &error, .frame_rate = -1.0) != MD5_NONE, error,
                MD5_ERROR_RANGE);
    CHECK_UINT(EDIT_FRAMES(original, NULL, 0), 0);
    CHECK_UINT(EDIT_FRAMES(original, NULL, .frame_rate = 0.001), 2);
}

// Reversed frames have the numbers and boxes of the frames from the last to the first.
TEST (edit_frames_are_reversed) {
    SCOPED_DOC original = parse_ours(MD5_DOC_ANIM, "walk.md5anim");
    SCOPED_DOC part = parse_ours(MD5_DOC_ANIM, "walk.md5anim");
    REQUIRE(original && part && part->num_frames == 25);
    const md5_frame_edit job = {.first = 3, .num_frames = 10, .is_reversed = true};
    CHECK_UINT(md5_edit_frames(part, &job, NULL), 10);
    REQUIRE(part->num_frames == 10 && part->num_components == original->num_components);
    const size_t size = original->num_components;
    for (size_t f = 0; f < 10; f++) {
        CHECK_BYTES(part->numbers + f * size, original->numbers + (12 - f) * size,
                    size * sizeof *part->numbers);
        CHECK_BYTES(part->bounds + f, original->bounds + (12 - f), sizeof *part->bounds);
    }
}

// Every 40th vertex of Bobbin loses its weights and position and gets others. In a frame of a walk
// it is as far from its original position as in the bind pose, within 2 % of the model's height.
TEST (edit_fills_weights_of_a_figure) {
    SCOPED_DOC old = parse_ours(MD5_DOC_MODEL, "bobbin.md5mesh");
    SCOPED_DOC mesh = parse_ours(MD5_DOC_MODEL, "bobbin.md5mesh");
    SCOPED_DOC clip = parse_ours(MD5_DOC_ANIM, "walk.md5anim");
    REQUIRE(old && mesh && clip);
    uint32_t num_cleared = 0;
    for (uint32_t m = 0; m < mesh->num_meshes; m++) {
        for (uint32_t v = 7; v < mesh->meshes[m].num_vertices; v += 40) {
            mesh->meshes[m].vertices[v].num_weights = 0;
            num_cleared++;
        }
    }
    CHECK_UINT(md5_fill_weights(mesh, 0, NULL), num_cleared);
    SCOPED_CORNERS old_bind = compute_corners(old, NULL, 0);
    SCOPED_CORNERS new_bind = compute_corners(mesh, NULL, 0);
    SCOPED_CORNERS old_pose = compute_corners(old, clip, 12);
    SCOPED_CORNERS new_pose = compute_corners(mesh, clip, 12);
    REQUIRE(old_bind.at && new_bind.at && old_pose.at && new_pose.at);
    REQUIRE(new_bind.count == old_bind.count && new_pose.count == old_pose.count);
    for (size_t i = 0; i < old_bind.count; i++) {
        const double bind_distance = real_distance(old_bind.at[i], new_bind.at[i]);
        const double distance = real_distance(old_pose.at[i], new_pose.at[i]);
        CHECK_SMALL(distance - bind_distance, 0.02 * 58);
    }
}

// Rotates the axes of all joints by a constant rotation; md5_frame_edit.change.
typedef struct axes_change {
    const md5_doc *doc;
    md5_quat rotation;
} axes_change;

static void change_axes(void *user, md5_xform *pose)
{
    const axes_change *const change = user;
    for (uint32_t j = 0; j < change->doc->num_joints; j++) {
        const bool has_parent = change->doc->joints[j].parent != MD5_NONE;
        const md5_quat above =
            has_parent ? md5_quat_conjugate(change->rotation) : (md5_quat){.w = 1};
        pose[j].translation = md5_quat_rotate(above, pose[j].translation);
        pose[j].rotation = md5_quat_mul(md5_quat_mul(above, pose[j].rotation), change->rotation);
    }
}

// A clip is written with other joint axes, which twist the model. It gets the axes of the model
// back.
TEST (edit_axes_of_a_clip_become_those_of_the_model) {
    static const struct {
        md5_quat rotation;
        double tolerance;
    } cases[] = {
        {{0, 0, 0.70710678f, 0.70710678f}, 1e-4},
        {{0.5f, 0.5f, 0.5f, 0.5f}, 1e-4},
        {{0.5f, -0.5f, 0.5f, 0.5f}, 1e-4},
        {{0.36f, 0.48f, 0, 0.8f}, 6e-3}, // 1e-4 of the model's height
    };
    SCOPED_DOC mesh = parse_ours(MD5_DOC_MODEL, "bobbin.md5mesh");
    SCOPED_DOC old = parse_ours(MD5_DOC_ANIM, "walk.md5anim");
    SCOPED_MODEL model = mesh ? reparse_model(mesh) : NULL;
    REQUIRE(model && old);
    SCOPED_DOC same = parse_ours(MD5_DOC_ANIM, "walk.md5anim");
    float angle = -1;
    CHECK_UINT(md5_fix_axes(same, model, &angle, NULL), 0);
    CHECK(angle == 0);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        SCOPED_DOC clip = parse_ours(MD5_DOC_ANIM, "walk.md5anim");
        REQUIRE(clip);
        axes_change change = {clip, cases[i].rotation};
        CHECK(EDIT_FRAMES(clip, NULL, .change = change_axes, .user = &change) > 0);
        CHECK_UINT(md5_fix_axes(clip, model, &angle, NULL), clip->num_joints);
        CHECK(angle > 40);
        for (uint32_t f = 0; f < old->num_frames; f += 16) {
            SCOPED_CORNERS before = compute_corners(mesh, old, f);
            check_corners(before, mesh, clip, f, cases[i].tolerance);
        }
        CHECK_UINT(md5_fix_axes(clip, model, NULL, NULL), 0);
    }
}

// A root is added above the old root, which carries a walk along x and turns. After its motion
// moves to the new root, the vertices and the boxes are the same.
TEST (edit_root_keeps_poses) {
    for (int i = 0; i < 4; i++) {
        SCOPED_DOC mesh = parse_ours(MD5_DOC_MODEL, "bobbin.md5mesh");
        SCOPED_DOC before = parse_ours(MD5_DOC_ANIM, "walk.md5anim");
        SCOPED_DOC after = parse_ours(MD5_DOC_ANIM, "walk.md5anim");
        REQUIRE(mesh && before && after);
        const md5_root_edit edit = {
            .joint = "origin", .moves_height = i % 2 > 0, .moves_heading = i >= 2};
        md5_error error = {0};
        CHECK_FAILS(md5_edit_root(after, &edit, &error) != MD5_NONE, error, MD5_ERROR_MISMATCH);
        CHECK(EDIT_JOINTS(mesh, NULL, .root = "top") > 0);
        CHECK(EDIT_JOINTS(before, NULL, .root = "top") > 0);
        CHECK(EDIT_JOINTS(after, NULL, .root = "top") > 0);
        CHECK(md5_edit_root(after, &edit, NULL) > 0);
        CHECK_BYTES(after->bounds, before->bounds, after->num_frames * sizeof *after->bounds);
        for (uint32_t f = 0; f < before->num_frames; f += 15) {
            SCOPED_CORNERS old = compute_corners(mesh, before, f);
            check_corners(old, mesh, after, f, 1e-4);
        }
        SCOPED_ANIM old_clip = reparse_anim(before);
        SCOPED_ANIM new_clip = reparse_anim(after);
        REQUIRE(old_clip && new_clip);
        const md5_root_motion old_motion = md5_find_root_motion(old_clip);
        const md5_root_motion new_motion = md5_find_root_motion(new_clip);
        CHECK_UINT(old_motion.joint, 1);
        CHECK_UINT(new_motion.joint, 0);
        CHECK_NEAR(new_motion.displacement.x, 20, 1e-4);
    }
    SCOPED_DOC clip = parse_ours(MD5_DOC_ANIM, "walk.md5anim");
    md5_error error = {0};
    CHECK_FAILS(md5_edit_root(clip, &(md5_root_edit){.joint = "nobody"}, &error) != MD5_NONE, error,
                MD5_ERROR_MISMATCH);
    CHECK_UINT(md5_edit_root(clip, &(md5_root_edit){.moves_height = true}, NULL), 0);
}

// At twice the rate every second frame is bit-identical to an original frame, the frames between
// equal playback; back at the original rate it is the original clip.
TEST (edit_frames_are_resampled) {
    SCOPED_DOC old = parse_ours(MD5_DOC_ANIM, "walk.md5anim");
    SCOPED_DOC doc = parse_ours(MD5_DOC_ANIM, "walk.md5anim");
    REQUIRE(old && doc);
    CHECK_UINT(EDIT_FRAMES(doc, NULL, .frame_rate = 48.0), 49);
    CHECK_EXACT(doc->frame_rate, 48);
    const size_t size = old->num_components * sizeof *old->numbers;
    for (uint32_t f = 0; f < old->num_frames; f++)
        CHECK_BYTES(doc->numbers + (size_t)2 * f * old->num_components,
                    old->numbers + (size_t)f * old->num_components, size);
    SCOPED_ANIM a = reparse_anim(old);
    SCOPED_ANIM b = reparse_anim(doc);
    REQUIRE(a && b);
    SCOPED_BINDING first = md5_bind_skeleton(&a->skeleton, a->base_frame, a, NULL, NULL);
    SCOPED_BINDING second = md5_bind_skeleton(&b->skeleton, b->base_frame, b, NULL, NULL);
    md5_xform poses[2][128];
    for (uint32_t f = 0; f < 48; f++) {
        const double time = f / 48.0;
        md5_sample(first, md5_sample_position_at(a, time, MD5_WRAP_CLAMP), MD5_ROOT_FILE, poses[0]);
        md5_sample(second, md5_sample_position_at(b, time, MD5_WRAP_CLAMP), MD5_ROOT_FILE,
                   poses[1]);
        for (uint32_t j = 0; j < a->skeleton.num_joints; j++) {
            const md5_vec3 point = {1, 2, 3};
            CHECK_SMALL(real_distance(md5_xform_point(poses[0][j], point),
                                      md5_xform_point(poses[1][j], point)),
                        2e-5);
        }
    }
    CHECK_UINT(EDIT_FRAMES(doc, NULL, .frame_rate = 24.0), 25);
    SCOPED_STRING before = written(old, NULL);
    SCOPED_STRING after = written(doc, NULL);
    CHECK_STRING(after, before);
}

// The numbers of a clip in which everything moves: a root that walks by 10 along x and 0.4 along y
// and rises by 1, and an arm that moves by 2 and rotates about x with sin(half the angle) = 0.6.
static const char walk_text[] =
    "MD5Version 10\ncommandline \"\"\nnumFrames 3\nnumJoints 2\nframeRate 24\n"
    "numAnimatedComponents 12\nhierarchy {\n\"origin\" -1 63 0\n\"arm\" 0 63 6\n}\n"
    "bounds { ( 0 0 0 ) ( 1 1 1 ) ( 5 0 0 ) ( 6 1 1 ) ( 10 0 0 ) ( 11 1 1 ) }\n"
    "baseframe {\n( 0 0 0 ) ( 0 0 0 )\n( 0 0 8 ) ( 0 0 0 )\n}\n"
    "frame 0 { 0 0 1 0 0 0 0 0 8 0 0 0 }\nframe 1 { 5 0.2 2 0 0 0 0 1 8 0 0 0 }\n"
    "frame 2 { 10 0.4 2 0 0 0 0 2 8 0.6 0 0 }\n";

TEST_DOC (edit_loops_are_closed_and_roots_stay, MD5_DOC_ANIM, walk_text) {
    md5_frame_edit job = {.is_closed = true};
    CHECK(md5_edit_frames(doc, &job, NULL) > 0);
    const float *const middle = doc->numbers + 12;
    const float *const last = doc->numbers + 24;
    CHECK_BYTES(last + 2, doc->numbers + 2,
                10 * sizeof *last); // except for the movement along x and y
    CHECK_EXACT(last[0], 10);
    CHECK_EXACT(last[1], 0.4f);
    CHECK_EXACT(middle[0], 5);
    CHECK_NEAR(middle[2], 2.0 - 0.5, 1e-6);
    CHECK_NEAR(middle[7], 1.0 - 1.0, 1e-6);
    CHECK_NEAR(fabsf(middle[9]), sin(0.5 * asin(0.6)),
               1e-6); // half of the angle, in the opposite direction
    CHECK_NEAR(doc->bounds[1].max.z, 1.0 - 0.5, 1e-6);
    CHECK_UINT(md5_edit_frames(doc, &job, NULL), 0);
    job.is_in_place = true;
    CHECK_UINT(md5_edit_frames(doc, &job, NULL), 1);
    for (uint32_t f = 0; f < 3; f++) {
        CHECK_BYTES(doc->numbers + (size_t)12 * f, doc->numbers, 3 * sizeof *doc->numbers);
        CHECK_SMALL(doc->bounds[f].min.x, 1e-6);
    }
    CHECK_BYTES(doc->numbers + 24, doc->numbers, 12 * sizeof *doc->numbers);
}

// Small edits and clips: only the option is_in_place; a clip of one frame without bounds; a joint
// without a name; and tolerances of 0. Negative tolerances are rejected.
TEST_DOC (edit_accepts_few_frames, MD5_DOC_ANIM, walk_text) {
    md5_error error = {0};
    CHECK_FAILS(EDIT_FRAMES(doc, &error, .tolerance = -1.0f) != MD5_NONE, error, MD5_ERROR_RANGE);
    CHECK_UINT(EDIT_FRAMES(doc, &error, .tolerance = NAN), MD5_NONE);
    CHECK_UINT(EDIT_FRAMES(doc, NULL, .is_in_place = true), 1);
    CHECK_SMALL(doc->bounds[2].min.x, 1e-6);
    doc->bounds = NULL;
    CHECK_UINT(EDIT_FRAMES(doc, NULL, .first = 2), 1);
    CHECK_UINT(EDIT_SPACE(doc, NULL, .scale = 2.0f), 2);
    CHECK(!doc->bounds);
    CHECK_EXACT(doc->numbers[7], 2.0 * 2.0);
    CHECK_UINT(EDIT_FRAMES(doc, NULL, .is_closed = true), 0);
    doc->joints[1].name = NULL;
    CHECK_UINT(EDIT_FRAMES(doc, NULL, 0), 0);
}

// Each limit is accepted, the value beyond it is refused. Accepted numbers have no message.
TEST (edit_limits_the_numbers_of_frame_edits) {
    static const struct {
        md5_frame_edit edit;
        const char *message; // NULL: the edit is accepted
    } rows[] = {
        {{.first = 2}, NULL},
        {{.first = 3},
         "frames are out of range: expected frames below 3, found 0 frames from frame 3"},
        {{.first = 1, .num_frames = 2}, NULL},
        {{.first = 1, .num_frames = 3},
         "frames are out of range: expected frames below 3, found 3 frames from frame 1"},
        {{.frame_rate = 1e-300}, NULL},
        {{.frame_rate = -1e-300},
         "frame rate is out of range: expected more than 0 frames per second, found -1e-300"},
        {{.tolerance = 1e-30f}, NULL},
        {{.tolerance = -1e-30f}, "tolerance is out of range: expected 0 or more, found -1e-30"},
        // Two intervals become 2 * 2^23 intervals, which need 2^24 + 1 frames.
        {{.frame_rate = 24.0 * (1 << 23)},
         "too many frames: expected at most 16777216, found 16777217; use a lower frame rate"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        SCOPED_DOC doc = parse(MD5_DOC_ANIM, walk_text);
        REQUIRE(doc);
        md5_error error = {0};
        const uint32_t num_changes = md5_edit_frames(doc, &rows[i].edit, &error);
        if (rows[i].message)
            CHECK_REFUSED(num_changes != MD5_NONE, error, MD5_ERROR_RANGE, rows[i].message);
        else
            CHECK_DONE(num_changes != MD5_NONE, error);
    }
}

TEST (edit_limits_the_numbers_of_space_edits) {
    const float smaller = nextafterf(1e-6f, 0);
    const float larger = nextafterf(1e6f, INFINITY);
    static const uint32_t valid[] = {1, 0};
    static const uint32_t unknown[] = {0, 2};
    static const uint32_t same[] = {1, 1};
    const struct {
        md5_space_edit edit;
        const char *message; // NULL: the edit is accepted
    } rows[] = {
        {{.scale = 1e-6f}, NULL},
        {{.scale = smaller}, "scale is out of range: expected 1e-6 to 1e6, found 1e-06"},
        {{.scale = 1e6f}, NULL},
        {{.scale = larger}, "scale is out of range: expected 1e-6 to 1e6, found 1e+06"},
        {{.is_mirrored = true, .partners = valid}, NULL},
        {{.is_mirrored = true, .partners = unknown},
         "mirror partner of joint 1 is out of range: expected a joint index below 2, found 2"},
        {{.is_mirrored = true, .partners = same},
         "mirror partner of joint 1 is a duplicate: joint 1 is also the partner of another joint"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        SCOPED_DOC doc = parse(MD5_DOC_ANIM, walk_text);
        REQUIRE(doc);
        md5_error error = {0};
        const uint32_t num_changes = md5_edit_space(doc, &rows[i].edit, &error);
        if (rows[i].message)
            CHECK_REFUSED(num_changes != MD5_NONE, error, MD5_ERROR_RANGE, rows[i].message);
        else
            CHECK_DONE(num_changes != MD5_NONE, error);
    }
}

#if !defined(NDEBUG)
TEST_DOC (edit_limits_the_weights_of_a_vertex, MD5_DOC_MODEL, model_text) {
    CHECK_UINT(md5_fix_weights(doc, 64, INFINITY, NULL, NULL), 0);
    CHECK_UINT(md5_fill_weights(doc, 16, NULL), 0);
    MISUSE("max_weights: must be 0 to 64", md5_fix_weights(doc, 65, INFINITY, NULL, NULL));
    MISUSE("max_weights: must be 0 to 16", md5_fill_weights(doc, 17, NULL));
}
#endif

// A document without joints, frames or a frame rate is not written.
TEST (edit_writes_no_document_without_required_parts) {
    STRINGS(messages) = {"document has no joints: expected at least 1",
                         "document has no frames: expected at least 1",
                         "frame rate is out of range: expected more than 0, found 0"};
    for (size_t i = 0; i < COUNT_OF(messages); i++) {
        SCOPED_DOC doc = parse(MD5_DOC_ANIM, walk_text);
        REQUIRE(doc);
        if (i == 0)
            doc->num_joints = 0;
        else if (i == 1)
            doc->num_frames = 0;
        else
            doc->frame_rate = 0;
        md5_error error = {0};
        CHECK_REFUSED(md5_write_doc(doc, NULL, 0, &error) > 0, error, MD5_ERROR_RANGE, messages[i]);
    }
}

// In the model, the joint `arm` of the walk is the child of a hand at the origin. The clip does not
// contain the hand.
TEST (edit_clip_gets_parents_and_joints_of_the_model) {
    SCOPED_DOC mesh = parse(MD5_DOC_MODEL, model_text);
    SCOPED_DOC doc = parse(MD5_DOC_ANIM, walk_text);
    REQUIRE(mesh && doc);
    mesh->joints[1].name = "arm";
    mesh->joints[1].parent = 2;
    mesh->joints[2].parent = 0;
    mesh->joints[2].position = mesh->joints[2].rotation = (md5_vec3){0, 0, 0};
    SCOPED_MODEL model = reparse_model(mesh);
    CHECK_UINT(md5_fix_joints(doc, model, false, NULL), 2);
    CHECK_UINT(doc->joints[1].parent, 2);
    const float *const arm = doc->numbers + 2 * doc->num_components + doc->joints[1].track.first;
    CHECK_SMALL(real_distance((md5_vec3){arm[0], arm[1], arm[2]}, (md5_vec3){0, 2, 8}), 1e-5);
}

// A rotation of the root mixes its components; the file contains only x and one component of the
// rotation.
TEST_DOC (edit_roots_get_the_flags_that_they_need, MD5_DOC_ANIM, walk_text) {
    doc->joints[0].track.flags = 1 | 16;
    doc->joints[0].position = (md5_vec3){1, 2, 3};
    doc->numbers[13] = 0.6f; // y of the rotation in frame 1
    SCOPED_ANIM old = reparse_anim(doc);
    CHECK_UINT(EDIT_SPACE(doc, NULL, .rotation = {.yaw = 90}), 2);
    CHECK_UINT(doc->joints[0].track.flags, 63);
    CHECK_EXACT(doc->joints[0].position.x, -2); // multiples of 90 degrees are exact
    CHECK_EXACT(doc->joints[0].position.y, 1);
    SCOPED_ANIM current = reparse_anim(doc);
    REQUIRE(old && current);
    SCOPED_BINDING first = md5_bind_skeleton(&old->skeleton, old->base_frame, old, NULL, NULL);
    SCOPED_BINDING second =
        md5_bind_skeleton(&current->skeleton, current->base_frame, current, NULL, NULL);
    for (uint32_t f = 0; f < 3; f++) {
        md5_xform a[2], b[2];
        md5_sample(first, md5_sample_position_from_frames(old, f, f, 0), MD5_ROOT_FILE, a);
        md5_sample(second, md5_sample_position_from_frames(current, f, f, 0), MD5_ROOT_FILE, b);
        const md5_vec3 from = md5_xform_point(a[0], (md5_vec3){4, 5, 6});
        const md5_vec3 to = md5_xform_point(b[0], (md5_vec3){4, 5, 6});
        CHECK_SMALL(real_distance(to, (md5_vec3){-from.y, from.x, from.z}), 1e-5);
        CHECK_EXACT(real_distance(a[1].translation, b[1].translation), 0);
    }
}

static void mirror_pose(void *user, md5_xform *pose)
{
    const md5_model *const model = user;
    uint32_t partners[128];
    md5_xform mirrored[128];
    md5_build_mirror(&model->skeleton, partners);
    md5_mirror_pose(model, partners, pose, mirrored);
    memcpy(pose, mirrored, model->skeleton.num_joints * sizeof *pose);
}

// A clip is mirrored on a nearly symmetric model. The corners of its bounding boxes are compared
// with the corners of the boxes of the mirrored vertices.
TEST (edit_frames_are_changed_by_the_caller) {
    SCOPED_DOC mesh = parse_ours(MD5_DOC_MODEL, "bobbin.md5mesh");
    SCOPED_DOC clip = parse_ours(MD5_DOC_ANIM, "wave.md5anim");
    REQUIRE(mesh && clip);
    SCOPED_MODEL model = reparse_model(mesh);
    SCOPED_CORNERS before = compute_corners(mesh, clip, 12);
    const md5_frame_edit job = {.model = model, .change = mirror_pose, .user = model};
    CHECK(md5_edit_frames(clip, &job, NULL) > 10);
    SCOPED_CORNERS after = compute_corners(mesh, clip, 12);
    const md5_bounds a = md5_bounds_from_points(before.at, before.count);
    const md5_bounds b = md5_bounds_from_points(after.at, after.count);
    CHECK(fabsf(a.max.y + a.min.y) > 1); // Bobbin waves with one hand
    CHECK_NEAR(a.max.y, -b.min.y, 0.5);
    CHECK_NEAR(a.min.y, -b.max.y, 0.5);
    CHECK_NEAR(a.max.z, b.max.z, 0.5);
    CHECK(md5_edit_frames(clip, &job, NULL) > 10);
    check_corners(before, mesh, clip, 12, 1e-3);
}

// The last bone is 8 units long and ends 16 units from the root, which may use half of the
// tolerance of 1. A rotation with the stored number 0.02 moves the end by 0.64 units, which is too
// much. A rotation with 0.01 moves it by 0.32 units.
TEST (edit_components_are_reduced_by_their_effect) {
    static const float angles[] = {0.02f, 0.01f};
    for (size_t i = 0; i < COUNT_OF(angles); i++) {
        SCOPED_DOC doc = parse(MD5_DOC_ANIM, walk_text);
        REQUIRE(doc);
        for (uint32_t f = 0; f < 3; f++) {
            const float still[] = {0.001f * (float)f, 0, 1, 0, 0, 0, 0, 0, 8, 0, 0, 0};
            memcpy(doc->numbers + 12 * f, still, sizeof still);
        }
        doc->numbers[12 + 3] = angles[i];
        CHECK(EDIT_FRAMES(doc, NULL, .tolerance = 1.0f) > 0);
        // The path of the root remains. A component of the root or the arm that equals the base
        // frame does not need a flag.
        CHECK_UINT(doc->joints[0].track.flags, i == 0 ? 1 | 4 | 8 : 1 | 4);
        CHECK_UINT(doc->joints[1].track.flags, 0);
    }
}

TEST (edit_components_are_reduced_within_a_tolerance) {
    SCOPED_DOC mesh = parse_ours(MD5_DOC_MODEL, "bobbin.md5mesh");
    SCOPED_DOC before = parse_ours(MD5_DOC_ANIM, "walk.md5anim");
    SCOPED_MODEL model = mesh ? reparse_model(mesh) : NULL;
    REQUIRE(model && before);
    static const float tolerances[] = {0.3f, 3};
    uint32_t num_components = before->num_components;
    for (size_t i = 0; i < COUNT_OF(tolerances); i++) {
        SCOPED_DOC after = parse_ours(MD5_DOC_ANIM, "walk.md5anim");
        const md5_frame_edit job = {.model = model, .tolerance = tolerances[i]};
        REQUIRE(md5_edit_frames(after, &job, NULL) != MD5_NONE);
        CHECK_THAT(after->num_components < num_components, "%u", after->num_components);
        num_components = after->num_components;
        for (uint32_t f = 4; f < before->num_frames; f += 8) {
            SCOPED_CORNERS old = compute_corners(mesh, before, f);
            check_corners(old, mesh, after, f, (double)tolerances[i]);
        }
    }
}

// -- Hostile documents ----------------------------------------------------------------------

// Calls the repair or edit with an index.
static uint32_t fix(uint32_t number, md5_doc *doc, md5_error *error)
{
    static const bool rotated[64] = {true};
    const md5_mesh_edit meshes = {.is_merged = true,
                                  .flipped = doc->num_meshes <= COUNT_OF(rotated) ? rotated : NULL,
                                  .max_vertices = 6000};
    const md5_joint_edit joints = {.root = "world"};
    const md5_frame_edit frames = {.frame_rate = 960, .is_closed = true};
    const md5_space_edit space = {.is_mirrored = true};
    switch (number) {
    case 0:
        return md5_fix_weights(doc, 1, 1e-3f, NULL, error);
    case 1:
        return md5_edit_meshes(doc, &meshes, error);
    case 2:
        return md5_edit_joints(doc, &joints, error);
    case 3:
        return md5_edit_frames(doc, &frames, error);
    default:
        return md5_edit_space(doc, &space, error);
    }
}

// Uses tables of many sizes. Some of them end at the end of a memory block, so that the next table
// needs another block: a failure must not change anything.
TEST (edit_fails_at_each_memory_limit) {
    enum { MAX = 20000 };
    static const md5_doc_kind kinds[] = {MD5_DOC_MODEL, MD5_DOC_MODEL, MD5_DOC_MODEL, MD5_DOC_ANIM,
                                         MD5_DOC_MODEL, MD5_DOC_ANIM,  MD5_DOC_CAMERA};
    static const uint32_t sizes[] = {150, 300, 600, 900, 1500, 4000, 5500, 9000, MAX};
    SCOPED_ARRAY(md5_doc_joint, joints, MAX);
    SCOPED_ARRAY(md5_doc_mesh, meshes, MAX);
    SCOPED_ARRAY(md5_vertex, vertices, MAX);
    SCOPED_ARRAY(md5_weight, weights, MAX);
    SCOPED uint32_t *const indices = test_calloc(MAX, 3 * sizeof *indices);
    SCOPED_ARRAY(md5_camera_view, zeros, MAX); // also for smaller types
    for (uint32_t i = 0; i < MAX; i++) {
        joints[i] =
            (md5_doc_joint){.parent = i - 1, .track = {1, i}}; // the first joint has no parent
        vertices[i] = (md5_vertex){i, 1};
        indices[3 * i] = indices[3 * i + 1] = indices[3 * i + 2] = i;
    }
    for (size_t i = 0; i < COUNT_OF(kinds) * COUNT_OF(sizes); i++) {
        const uint32_t number = (uint32_t)(i / COUNT_OF(sizes));
        const uint32_t size = sizes[i % COUNT_OF(sizes)];
        const md5_doc_kind kind = kinds[number];
        const bool is_model = kind == MD5_DOC_MODEL;
        const bool is_anim = kind == MD5_DOC_ANIM;
        if (number == 3 && size > 1000)
            continue; // too slow with texts
        for (test_failure failure = {0}; NEXT_FAILURE(failure);) {
            meshes[0] = (md5_doc_mesh){
                NULL, NULL, size, size, size, vertices, (md5_vec2 *)zeros, indices, weights, {0}};
            md5_doc initial_doc;
            uint32_t num_frames = size;
            if (is_model)
                num_frames = 0;
            else if (is_anim)
                num_frames = 8;
            md5_doc doc = {kind,
                           .num_joints = size,
                           .num_meshes = is_model ? size : 0,
                           .joints = joints,
                           .meshes = meshes,
                           .num_frames = num_frames,
                           .num_components = size,
                           .frame_rate = 24,
                           .numbers = (float *)zeros,
                           .bounds = is_anim ? (md5_bounds *)zeros : NULL,
                           .views = zeros,
                           .allocator = failure.opts.allocator};
            memcpy(&initial_doc, &doc, sizeof doc);
            if (fix(number, &doc, &failure.error) == MD5_NONE) {
                CHECK_UINT(failure.error.status, MD5_ERROR_MEMORY);
                CHECK_BYTES(&doc, &initial_doc, sizeof doc);
            }
            md5_free_doc(&doc);
        }
    }
}

// Repairs and writes a document; the written text must load.
static void use(md5_doc *doc, const md5_model *model)
{
    static const md5_doc_kind kinds[] = {MD5_DOC_MODEL, MD5_DOC_ANIM, MD5_DOC_CAMERA};
    md5_error error = {0};
    float loss;
    md5_fix_rotations(doc, NULL);
    md5_fix_weights(doc, 1 + doc->num_joints % 3, 1e-3f, &loss, NULL);
    md5_fill_weights(doc, doc->num_joints % 3, NULL);
    md5_fix_joints(doc, doc->num_frames % 2 ? model : NULL, doc->num_components % 2, NULL);
    if (model)
        md5_fix_axes(doc, model, NULL, NULL);
    md5_fix_bounds(doc, model, NULL);
    const bool is_odd = doc->num_components % 2;
    static const bool rotated[64] = {true};
    const uint32_t partners[] = {0, 2, 1};
    EDIT_JOINTS(doc, NULL, .root = is_odd ? "r" : NULL, .drops_unused = true);
    EDIT_MESHES(doc, NULL, .is_merged = true, .drops_unused = is_odd,
                .flipped = doc->num_meshes <= COUNT_OF(rotated) ? rotated : NULL,
                .max_vertices = 3 * doc->num_meshes);
    const float yaw = is_odd ? 90.0f : 0.0f;
    EDIT_SPACE(doc, NULL, .is_mirrored = true, .partners = doc->num_joints == 3 ? partners : NULL,
               .rotation = {.yaw = yaw}, .scale = 2.0f);
    EDIT_FRAMES(doc, NULL, .frame_rate = is_odd ? 50.0 : 0.0, .is_closed = true,
                .is_in_place = is_odd, .tolerance = 0.1f);
    SCOPED_STRING text = written(doc, &error);
    SCOPED_DOC again =
        text ? md5_parse_doc(kinds[doc->kind], text, strlen(text), NULL, &error) : NULL;
    CHECK_DONE(again || error.status != MD5_OK, error);
}

TEST (edit_survives_flipped_bytes_and_tables) {
    uint64_t state = 3;
    SCOPED_MODEL model = text_model(model_text, NULL);
    REQUIRE(model);
    for (int round = 0; round < 4000; round++) {
        const bool is_anim = round % 2;
        const char *const good = is_anim ? clip_text : model_text;
        SCOPED_STRING text = test_copy(good, strlen(good));
        for (int i = 0; i < round % 4; i++)
            text[test_random_u32(&state) % strlen(good)] =
                (char)(32 + test_random_u32(&state) % 95);
        SCOPED_DOC doc =
            md5_parse_doc(is_anim ? MD5_DOC_ANIM : MD5_DOC_MODEL, text, strlen(good), NULL, NULL);
        if (!doc)
            continue;
        const uint32_t bits = round % 8 < 4 ? test_random_u32(&state) : 3 + (uint32_t)round % 9;
        md5_doc_mesh *const mesh = doc->num_meshes > 0 ? &doc->meshes[0] : NULL;
        md5_doc_joint *const joint = &doc->joints[bits % doc->num_joints];
        const uint32_t choice = test_random_u32(&state) % 12;
        if (choice == 0)
            joint->parent = bits;
        else if (choice == 1)
            joint->track.flags = bits;
        else if (choice == 2)
            joint->track.first = bits;
        else if (choice == 3)
            memcpy(&joint->rotation.y, &bits, sizeof bits);
        else if (choice == 4 && doc->numbers)
            memcpy(&doc->numbers[0], &bits, sizeof bits);
        else if (choice == 5 && mesh && mesh->num_weights > 0)
            memcpy(&mesh->weights[0].bias, &bits, sizeof bits);
        else if (choice == 6 && mesh && mesh->num_vertices > 0)
            mesh->vertices[0].first_weight = bits;
        else if (choice == 7 && mesh && mesh->num_vertices > 0)
            mesh->vertices[0].num_weights = bits;
        use(doc, model);
    }
}

TEST (edit_survives_failure_of_every_allocation) {
    for (test_failure failure = {0}; NEXT_FAILURE(failure);) {
        SCOPED_DOC doc =
            md5_parse_doc(MD5_DOC_ANIM, clip_text, strlen(clip_text), &failure.opts, NULL);
        SCOPED_DOC mesh =
            md5_parse_doc(MD5_DOC_MODEL, model_text, strlen(model_text), &failure.opts, NULL);
        const size_t failed = failure.heap.num_allocs;
        if (doc && md5_fix_joints(doc, NULL, true, &failure.error) == MD5_NONE)
            CHECK_UINT(doc->num_components, 5); // unchanged
        if (mesh && md5_fix_weights(mesh, 4, 1e-3f, NULL, &failure.error) == MD5_NONE)
            CHECK_UINT(mesh->meshes[0].vertices[0].num_weights, 5);
        if (mesh)
            mesh->meshes[0].vertices[2].num_weights = 0;
        if (mesh && md5_fill_weights(mesh, 4, &failure.error) == MD5_NONE)
            CHECK_UINT(mesh->meshes[0].vertices[2].num_weights, 0);
        if (doc && EDIT_JOINTS(doc, &failure.error, .root = "r") == MD5_NONE)
            CHECK_UINT(doc->num_joints, 3);
        const md5_space_edit space = {.is_mirrored = true, .rotation = {.yaw = 9}, .scale = 2};
        if (doc && md5_edit_space(doc, &space, &failure.error) == MD5_NONE)
            CHECK_EXACT(doc->joints[0].position.y, 0);
        if (mesh && md5_edit_space(mesh, &space, &failure.error) == MD5_NONE)
            CHECK_EXACT(mesh->joints[1].position.x, 0.1f);
        const md5_frame_edit frames = {.frame_rate = 48, .is_closed = true, .tolerance = 1};
        if (doc && md5_edit_frames(doc, &frames, &failure.error) == MD5_NONE)
            CHECK_UINT(doc->num_frames, 2);
        const bool rotated = true;
        const md5_mesh_edit meshes = {.is_merged = true, .flipped = &rotated, .max_triangles = 1};
        if (mesh && md5_edit_meshes(mesh, &meshes, &failure.error) == MD5_NONE)
            CHECK_UINT(mesh->num_meshes, 1);
        CHECK(failure.error.status == MD5_OK
              || (failure.error.status == MD5_ERROR_MEMORY && failure.heap.num_allocs >= failed));
    }
}
