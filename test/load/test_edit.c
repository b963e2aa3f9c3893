// Documents: every real file is written as a text that loads as the same bits; what cannot be
// written; and repairs.
#include "test/load/test_asset.h"
#include "test/own.h"
#include "test/real.h"

#include "md5/md5edit.h"
#include "md5/md5skin.h"

#include <dirent.h>

static void own_doc(md5_doc *const *owner)
{
    md5_free_doc(*owner);
}
#define OWN_DOC __attribute__((unused, cleanup(own_doc))) md5_doc *const

static md5_doc *parse(md5_doc_kind kind, const char *text)
{
    md5_error error = {0};
    md5_doc *const doc = md5_parse_doc(kind, text, strlen(text), NULL, &error);
    CHECK_THAT(doc != NULL, "%s", error.message);
    return doc;
}

// The text of a document, or NULL with the error.
static char *written(const md5_doc *doc, md5_error *error)
{
    const size_t size = md5_write_doc(doc, NULL, 0, error);
    if (size == 0)
        return NULL;
    char *const text = test_alloc(size + 1);
    CHECK_UINT(md5_write_doc(doc, text, size + 1, error), size);
    CHECK_UINT(strlen(text), size);
    return text;
}

static md5_model *model_of(const md5_doc *doc)
{
    md5_error error = {0};
    OWN char *const text = written(doc, &error);
    return text ? md5_parse_model(text, strlen(text), NULL, &error) : NULL;
}

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

TEST (edit_writes_as_ids_exporter) {
    OWN_DOC doc = parse(MD5_DOC_MODEL, model_text);
    REQUIRE(doc);
    CHECK_STRING(doc->comment, "Parameters used during export: Scale: 1");
    OWN char *const text = written(doc, NULL);
    CHECK_STRING(text, model_text);
    char cut[20] = "";
    CHECK_UINT(md5_write_doc(doc, cut, sizeof cut, NULL), strlen(model_text));
    CHECK_STRING(cut, "MD5Version 10 // Pa");
}

// With one decimal less, rounded, each is another float.
TEST (edit_writes_the_fewest_decimals) {
    uint64_t state = 7;
    OWN_DOC doc = parse(MD5_DOC_MODEL, model_text);
    REQUIRE(doc);
    for (int i = 0; i < 3000; i++) {
        const uint32_t bits = test_random_u32(&state), decimal = bits % 2000000;
        float number = i % 2 ? (float)((double)decimal / 10000.0 - 100.0) : 0.0f;
        if (i % 2 == 0)
            memcpy(&number, &bits, sizeof number);
        if (!isfinite(number))
            continue;
        doc->meshes[0].texcoords[0].x = number;
        OWN char *const text = written(doc, NULL);
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

TEST (edit_refuses_what_no_text_can_say) {
    static char quote[] = "a\"b", line[] = "a\nb", blank[] = " a";
    const float infinite = INFINITY;
    for (int i = 0; i < 11; i++) {
        OWN_DOC doc = parse(MD5_DOC_MODEL, model_text);
        REQUIRE(doc);
        md5_doc_mesh *const mesh = &doc->meshes[0];
        switch (i) {
        case 0:
            doc->joints[2].name = quote;
            break;
        case 1:
            mesh->shader = line;
            break;
        case 2:
            mesh->name = blank;
            break;
        case 3:
            doc->comment = line;
            break;
        case 4:
            doc->joints[1].parent = 3;
            break;
        case 5:
            doc->joints[0].parent = 2;
            break; // a cycle
        case 6:
            mesh->indices[5] = 4;
            break;
        case 7:
            mesh->weights[7].joint = 3;
            break;
        case 8:
            mesh->vertices[1].num_weights = 4;
            break;
        case 9:
            doc->joints[1].position.y = infinite;
            break;
        default:
            doc->num_joints = 0;
            break;
        }
        md5_error error = {0};
        OWN char *const text = written(doc, &error);
        CHECK(text == NULL);
        CHECK_UINT(error.status, i < 4 ? MD5_ERROR_MISMATCH : MD5_ERROR_RANGE);
        if (i >= 4 && i < 9)
            CHECK_UINT(md5_fix_weights(doc, 4, 1e-3f, NULL, &error), MD5_NONE);
    }
    static const char *const refused[] = {
        "MD5Version 12\ncommandline \"\"\nnumJoints 1\nnumMeshes 1\njoints { \"a\" -1 ( 0 0 0 ) "
        "( 0 0 0 ) }\nmesh { shader \"\" numverts 0 numtris 0 numweights 0 }",
        "MD5Version 6\ncommandline \"\"\nnumchannels 1\nchannel 0 { joint \"a\" attribute \"x\" "
        "framerate 24 keys 1 0 }"};
    EACH (text, refused) {
        md5_error error = {0};
        CHECK(!md5_parse_doc(text > refused ? MD5_DOC_ANIM : MD5_DOC_MODEL, *text, strlen(*text),
                             NULL, &error));
        CHECK_UINT(error.status, MD5_ERROR_VERSION);
    }
}

// -- Real files -----------------------------------------------------------------------------

static size_t num_files, num_refused;

static bool is_equal(md5_doc_kind kind, const char *a, size_t a_size, const char *b)
{
    const size_t b_size = strlen(b);
    if (kind == MD5_DOC_MODEL) {
        OWN_MODEL first = md5_parse_model(a, a_size, NULL, NULL);
        OWN_MODEL second = md5_parse_model(b, b_size, NULL, NULL);
        return first && second && asset_models_equal(first, second);
    }
    if (kind == MD5_DOC_ANIM) {
        OWN_ANIM first = md5_parse_anim(a, a_size, NULL, NULL);
        OWN_ANIM second = md5_parse_anim(b, b_size, NULL, NULL);
        return first && second && asset_anims_equal(first, second);
    }
    OWN_CAMERA first = md5_parse_camera(a, a_size, NULL, NULL);
    OWN_CAMERA second = md5_parse_camera(b, b_size, NULL, NULL);
    return first && second && asset_cameras_equal(first, second);
}

// Files that md5_load_...() accepts become documents, but for version 6 and 12, and are written as
// texts that load as the same bits, but for control bytes in names; such a text is its own text.
static void check_file(const char *path)
{
    static const char *const ends[] = {".md5mesh", ".md5anim", ".md5camera"};
    const char *const dot = strrchr(path, '.');
    EACH (end, ends) {
        const md5_doc_kind kind = (md5_doc_kind)(end - ends);
        size_t size = 0;
        if (!dot || strcmp(dot, *end) != 0)
            continue;
        OWN char *const source = test_read_file(path, &size);
        md5_error error = {0};
        OWN_DOC doc = md5_parse_doc(kind, source, size, NULL, &error);
        if (!doc) {
            OWN_MODEL model = kind == MD5_DOC_MODEL ? md5_parse_model(source, size, NULL, NULL) : 0;
            OWN_ANIM anim = kind == MD5_DOC_ANIM ? md5_parse_anim(source, size, NULL, NULL) : 0;
            const bool is_packed = anim && anim->packed;
            CHECK_THAT(is_packed || (!model && !anim) || error.status == MD5_ERROR_VERSION,
                       "%s: %s", path, error.message);
            return;
        }
        num_files++;
        OWN char *const text = written(doc, &error);
        if (!text) {
            num_refused++;
            CHECK_THAT(error.status == MD5_ERROR_MISMATCH, "%s: %s", path, error.message);
            return;
        }
        const bool is_old = strstr(source, "MD5Version 6") != NULL; // has other rotations
        CHECK_THAT(is_old || is_equal(kind, source, size, text), "%s", path);
        OWN_DOC again = md5_parse_doc(kind, text, strlen(text), NULL, &error);
        OWN char *const same = again ? written(again, &error) : NULL;
        CHECK_THAT(same && strcmp(same, text) == 0, "%s: %s", path, error.message);
    }
}

static void check_folder(const char *folder)
{
    DIR *const open = opendir(folder);
    for (struct dirent *entry; open && (entry = readdir(open)) != NULL;) {
        char path[1024];
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (strchr(entry->d_name, '.'))
            check_file(path);
        else
            check_folder(path);
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
    char path[1024];
    snprintf(path, sizeof path, "%s/corpus", test_corpus());
    check_folder(path);
    snprintf(path, sizeof path, "%s/golden", test_corpus());
    check_folder(path);
    CHECK(num_files > 150);
    printf("%zu files, %zu refused\n", num_files, num_refused);
}

// -- Repairs --------------------------------------------------------------------------------

TEST (edit_rotations_come_to_unit_length) {
    OWN_DOC doc = parse(MD5_DOC_MODEL, model_text);
    REQUIRE(doc);
    OWN_MODEL before = model_of(doc);
    CHECK_UINT(md5_fix_rotations(doc, NULL), 1);
    // w is sqrt(0.64 + 0.64 - 1), before all four are divided by their length.
    CHECK_NEAR(doc->joints[2].rotation.x, 0.8 / sqrt(1.28 + 0.28), 1e-6);
    CHECK_NEAR(doc->joints[1].rotation.x, 0.5, 0.0);
    OWN_MODEL after = model_of(doc);
    REQUIRE(before && after);
    for (int i = 0; i < 12; i++)
        CHECK_NEAR(after->bind[2].m[i], before->bind[2].m[i], 2e-6);
    CHECK_UINT(md5_fix_rotations(doc, NULL), 0);
}

TEST (edit_weights_are_pruned_and_sum_to_1) {
    OWN_DOC doc = parse(MD5_DOC_MODEL, model_text);
    REQUIRE(doc);
    float loss = -1.0f;
    CHECK_UINT(md5_fix_weights(doc, 0, INFINITY, &loss, NULL), 0);
    CHECK(loss == 0.0f);
    // Vertex 0 has 0.6 on joint 0 at ( 1 2/3 2/3 ), 0.1 on joint 1 at ( 0 1 2 ), which it loses,
    // and 0.3 on joint 2; vertices 1 and 3 shared a weight, with sums of 0.9 and 0.5.
    CHECK_UINT(md5_fix_weights(doc, 2, 1e-3f, &loss, NULL), 3);
    const double grown = 1.0 / 0.9 - 1.0;
    CHECK_NEAR(loss, 0.1 * sqrt(5.0) + grown * (0.6 * sqrt(17.0 / 9.0) + 0.3 * 3.0), 1e-6);
    const md5_doc_mesh *const mesh = &doc->meshes[0];
    CHECK_UINT(mesh->num_weights, 6);
    CHECK_UINT(mesh->vertices[0].num_weights, 2);
    CHECK_UINT(mesh->weights[1].joint, 2);
    CHECK_NEAR(mesh->weights[1].bias, 0.3 / 0.9, 1e-7);
    CHECK_NEAR(mesh->weights[mesh->vertices[1].first_weight].bias, 0.5 / 0.9, 1e-7);
    CHECK_NEAR(mesh->weights[mesh->vertices[3].first_weight].bias, 1.0, 0.0);
    OWN_MODEL model = model_of(doc);
    REQUIRE(model);
    CHECK_UINT(model->meshes[0].num_off_sums, 0);
    CHECK_UINT(model->meshes[0].max_weights, 2);
    CHECK_UINT(md5_fix_weights(doc, 2, 1e-3f, &loss, NULL), 0);
}

// Two weights of vertex 0 are on joint 1, and make one at their mean: 0.05 * 2 and 0.05 * 4.
TEST (edit_weights_of_one_joint_are_added_up) {
    OWN_DOC doc = parse(MD5_DOC_MODEL, model_text);
    REQUIRE(doc);
    doc->meshes[0].weights[4].joint = 1; // three on joint 1: the third has 0.2 at ( 1 2 2 )
    float loss = -1.0f;
    CHECK_UINT(md5_fix_weights(doc, 3, INFINITY, &loss, NULL), 1);
    CHECK_NEAR(loss, 0.0, 1e-6);
    const md5_weight *const weights = doc->meshes[0].weights;
    CHECK_UINT(doc->meshes[0].vertices[0].num_weights, 3);
    CHECK_NEAR(weights[1].bias, 0.3, 1e-6);
    CHECK_NEAR(weights[1].offset.x, 0.2 * 1.0 / 0.3, 1e-6);
    CHECK_NEAR(weights[1].offset.y, (0.05 * 2.0 + 0.2 * 2.0) / 0.3, 1e-6);
    CHECK_NEAR(weights[1].offset.z, (0.05 * 4.0 + 0.2 * 2.0) / 0.3, 1e-6);
    CHECK_UINT(doc->meshes[0].vertices[1].num_weights, 2);
}

TEST (edit_bounds_are_those_of_the_skin) {
    OWN_MODEL model = md5_load_model(test_path("models/bobbin/bobbin.md5mesh"), NULL, NULL);
    OWN char *const text = test_read_file(test_path("models/bobbin/jump.md5anim"), NULL);
    REQUIRE(model && text);
    OWN_DOC doc = parse(MD5_DOC_ANIM, text);
    REQUIRE(doc);
    doc->bounds = NULL;
    CHECK_UINT(md5_fix_bounds(doc, model, NULL), doc->num_frames);
    OWN_ANIM anim = md5_parse_anim(text, strlen(text), NULL, NULL);
    OWN_BINDING binding = md5_bind(model, anim, NULL, NULL);
    REQUIRE(binding && doc->bounds);
    const uint32_t num_joints = model->skeleton.num_joints;
    OWN md5_xform *const pose = test_calloc(num_joints, sizeof *pose);
    OWN md5_mat34 *const palette = test_calloc(num_joints, sizeof *palette);
    OWN md5_vec3 *const points = test_calloc(model->max_vertices, sizeof *points);
    for (uint32_t f = 0; f < doc->num_frames; f++) {
        md5_bounds box = md5_bounds_from_points(NULL, 0);
        md5_pose_palette(binding, md5_moment_from_frames(anim, f, f, 0.0f), MD5_ROOT_FILE, pose,
                         NULL, palette);
        for (uint32_t m = 0; m < model->num_meshes; m++) {
            md5_skin(&model->meshes[m], palette, points, NULL, NULL);
            box = md5_bounds_union(box,
                                   md5_bounds_from_points(points, model->meshes[m].num_vertices));
        }
        CHECK_NEAR(real_distance(doc->bounds[f].min, box.min), 0.0, 1e-4);
        CHECK_NEAR(real_distance(doc->bounds[f].max, box.max), 0.0, 1e-4);
    }
    CHECK_UINT(md5_fix_bounds(doc, model, NULL), 0);
    CHECK_UINT(md5_fix_joints(doc, model, false, NULL), 0); // nothing is wrong with ours
    md5_error error = {0};
    CHECK_UINT(md5_fix_bounds(doc, NULL, &error), MD5_NONE);
    CHECK_UINT(error.status, MD5_ERROR_MISSING);
}

// A clip in another order, with a joint between two and without a third.
static const char clip_text[] =
    "MD5Version 10\ncommandline \"\"\nnumFrames 2\nnumJoints 3\nframeRate 24\n"
    "numAnimatedComponents 5\nhierarchy {\n\"origin\" -1 4 0\n\"crane\" 0 16 4\n"
    "\"upper arm\" 1 7 1\n}\nbounds { ( 0 0 0 ) ( 1 1 1 ) ( 0 0 0 ) ( 1 1 1 ) }\n"
    "baseframe {\n( 7 0 0 ) ( 0 0 0 )\n( 0 0 10 ) ( 0 0 0 )\n( 0 0 0 ) ( 0 0 0 )\n}\n"
    "frame 0 { 5 1 2 3 0 }\nframe 1 { 6 1 2 4 1.5 }\n";

TEST (edit_clip_gets_the_joints_of_a_model) {
    OWN_DOC source = parse(MD5_DOC_MODEL, model_text);
    REQUIRE(source);
    source->joints[1].position.z = 16.0f;
    source->joints[1].rotation = source->joints[2].rotation = (md5_vec3){0.0f, 0.0f, 0.0f};
    OWN_MODEL model = model_of(source);
    REQUIRE(model);
    for (int all = 0; all < 2; all++) {
        OWN_DOC doc = parse(MD5_DOC_ANIM, clip_text);
        REQUIRE(doc);
        CHECK_UINT(md5_fix_joints(doc, model, all, NULL), all ? 3 : 2);
        CHECK_UINT(doc->num_joints, 3);
        CHECK_UINT(doc->num_components, all ? 18 : 1 + 4);
        for (uint32_t j = 0; j < 3; j++) {
            CHECK_STRING(doc->joints[j].name, source->joints[j].name);
            CHECK_UINT(doc->joints[j].parent, source->joints[j].parent);
        }
        md5_error error = {0};
        OWN char *const text = written(doc, &error);
        REQUIRE(text);
        OWN_ANIM anim = md5_parse_anim(text, strlen(text), NULL, NULL);
        OWN_BINDING binding = md5_bind(model, anim, NULL, NULL);
        REQUIRE(binding && binding->same_order);
        md5_xform pose[3];
        md5_sample(binding, md5_moment_from_frames(anim, 1, 1, 0.0f), MD5_ROOT_FILE, pose);
        // The crane is 10 above the origin, and turned about y by (0 1.5 0), which is longer than
        // 1: w is -sqrt(1.25), all divided by their length.
        CHECK_NEAR(real_distance(pose[0].translation, (md5_vec3){7.0f, 0.0f, 6.0f}), 0.0, 1e-6);
        const double y = 1.5 / sqrt(2.25 + 1.25), w = -sqrt(1.25 / (2.25 + 1.25));
        const double cosine = 1.0 - 2.0 * y * y, sine = 2.0 * w * y;
        CHECK_NEAR(pose[1].translation.x, cosine * 1.0 + sine * 4.0, 1e-5);
        CHECK_NEAR(pose[1].translation.y, 2.0, 1e-6);
        CHECK_NEAR(pose[1].translation.z, 10.0 + cosine * 4.0 - sine * 1.0, 1e-5);
        CHECK_NEAR(real_distance(pose[2].translation, model->bind_local[2].translation), 0.0, 1e-5);
        CHECK_UINT(md5_fix_joints(doc, model, all, NULL), 0);
    }
    OWN_DOC doc = parse(MD5_DOC_ANIM, clip_text);
    REQUIRE(doc);
    CHECK_UINT(md5_fix_joints(doc, NULL, false, NULL), 2); // crane and, behind it, upper arm
    doc->joints[0].name = doc->joints[1].name = doc->joints[2].name = "other";
    md5_error error = {0};
    CHECK_UINT(md5_fix_joints(doc, model, false, &error), MD5_NONE);
    CHECK_UINT(error.status, MD5_ERROR_MISMATCH);
}

// -- Hostile --------------------------------------------------------------------------------

// Repairs and writes; what was written loads.
static void use(md5_doc *doc, const md5_model *model)
{
    static const md5_doc_kind kinds[] = {MD5_DOC_MODEL, MD5_DOC_ANIM, MD5_DOC_CAMERA};
    md5_error error = {0};
    float loss;
    md5_fix_rotations(doc, NULL);
    md5_fix_weights(doc, 1 + doc->num_joints % 3, 1e-3f, &loss, NULL);
    md5_fix_joints(doc, doc->num_frames % 2 ? model : NULL, doc->num_components % 2, NULL);
    md5_fix_bounds(doc, model, NULL);
    OWN char *const text = written(doc, &error);
    OWN_DOC again = text ? md5_parse_doc(kinds[doc->kind], text, strlen(text), NULL, &error) : NULL;
    CHECK_THAT(again || error.status != MD5_OK, "%s", error.message);
}

TEST (edit_survives_flipped_bytes_and_tables) {
    uint64_t state = 3;
    OWN_MODEL model = md5_parse_model(model_text, strlen(model_text), NULL, NULL);
    REQUIRE(model);
    for (int round = 0; round < 4000; round++) {
        const bool is_anim = round % 2;
        const char *const good = is_anim ? clip_text : model_text;
        OWN char *const text = test_copy(good, strlen(good));
        for (int i = 0; i < round % 4; i++)
            text[test_random_u32(&state) % strlen(good)] =
                (char)(32 + test_random_u32(&state) % 95);
        OWN_DOC doc =
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
    EACH_FAILURE (it) {
        OWN_DOC doc = md5_parse_doc(MD5_DOC_ANIM, clip_text, strlen(clip_text), &it.opts, NULL);
        OWN_DOC mesh = md5_parse_doc(MD5_DOC_MODEL, model_text, strlen(model_text), &it.opts, NULL);
        const size_t failed = it.heap.num_allocs;
        if (doc && md5_fix_joints(doc, NULL, true, &it.error) == MD5_NONE)
            CHECK_UINT(doc->num_components, 5); // as before
        if (mesh && md5_fix_weights(mesh, 4, 1e-3f, NULL, &it.error) == MD5_NONE)
            CHECK_UINT(mesh->meshes[0].vertices[0].num_weights, 5);
        CHECK(it.error.status == MD5_OK
              || (it.error.status == MD5_ERROR_MEMORY && it.heap.num_allocs >= failed));
    }
}
