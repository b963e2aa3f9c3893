// Tests of whole assets: loaded from files and from memory, with limited memory, and from valid
// files that are cut short or altered. "Range" tests numbers of any size.
#include "test/scoped.h"
#include "test/read/read_case.h"

#include <unistd.h>

STRINGS(small_files) = {"test/data/read/small.md5mesh", "test/data/read/small.md5anim"};

// -- Contents of an asset ---------------------------------------------------------------------

TEST (load_model_equals_the_content_of_its_file) {
    md5_error error = {0};
    SCOPED_MODEL model = md5_load_model(test_path(small_files[0]), NULL, &error);
    if (!CHECK_DONE(model, error))
        return;
    CHECK_UINT(error.status, MD5_OK);
    CHECK_UINT(error.line, 0);
    CHECK_STRING(error.message, "");
    CHECK_STRING(model->command_line, "small model for tests of loading");
    CHECK_UINT(model->skeleton.num_joints, 3);
    CHECK_STRING(model->skeleton.joints[2].name, "hand");
    CHECK(model->skeleton.joints[0].parent == MD5_NONE && model->skeleton.joints[2].parent == 1);
    CHECK_UINT(model->num_warnings, 0);
    CHECK_UINT(model->num_meshes, 2);
    CHECK(read_asset_is_valid((read_asset){.model = model}));

    const md5_mesh *const body = &model->meshes[0];
    CHECK_STRING(body->name, "Body");
    CHECK_STRING(body->shader, "skin/body");
    CHECK_UINT(body->num_file_vertices, 4);
    CHECK_UINT(body->num_triangles, 2);
    CHECK_UINT(body->num_weights, 4);
    CHECK(body->weights[2].offset.y == 10 && body->weights[2].joint == 1);
    CHECK(body->file_vertices[3].first_weight == 2 && body->file_vertices[3].num_weights == 2);
    CHECK(body->texcoords[1].x == 1 && body->texcoords[1].y == 0);
    CHECK(body->indices[5] == 3);
    CHECK_UINT(body->max_weights, 2);
    CHECK_UINT(body->num_off_sums, 1); // vertex 3: 0.5 + 1

    // Joint 0 rotates x to y, y to z, z to x, because its w is also negative.
    const float *const m = model->bind[0].m;
    CHECK_NEAR(m[4], 1, 1e-6);
    CHECK_NEAR(m[9], 1, 1e-6);
    CHECK_NEAR(m[2], 1, 1e-6);
    CHECK(model->bind[1].m[11] == 10 && model->bind[2].m[7] == 5.5f);
    CHECK_STRING(model->meshes[1].name, "Hat");
    CHECK_UINT(model->meshes[1].num_vertices, 0);
    CHECK(model->bounds.min.x <= model->bounds.max.x);
    CHECK(model->size > sizeof *model);
}

TEST (load_anim_equals_the_content_of_its_file) {
    md5_error error = {0};
    SCOPED_ANIM anim = md5_load_anim(test_path(small_files[1]), NULL, &error);
    if (!CHECK_DONE(anim, error))
        return;
    CHECK_STRING(anim->command_line, "small clip for tests of loading");
    CHECK_STRING(anim->skeleton.joints[1].name, "arm");
    CHECK_UINT(anim->num_frames, 3);
    CHECK_UINT(anim->num_components, 5);
    CHECK(anim->frame_rate == 12.5 && anim->duration == 2 / 12.5);
    CHECK(anim->tracks[1].flags == 40 && anim->tracks[1].first == 2);
    CHECK(anim->base_frame[0].translation.z == 5);
    // Animated joints: the arm rotates and the root moves; the number of the hand is constant.
    CHECK_UINT(anim->num_rotations, 1);
    CHECK_UINT(anim->num_translations, 1);
    CHECK(anim->rotation_joints[0] == 1 && anim->translation_joints[0] == 0);
    CHECK(anim->translations[2].x == 2 && anim->translations[2].z == 5);
    CHECK(anim->rotations[1].x == 0.2f && anim->rotations[1].y == 0.5f);
    CHECK(anim->rotations[1].z == 0.3f && anim->rotations[1].w < 0);
    CHECK(anim->constant[2].translation.z == 1.5f);
    CHECK(anim->frame_bounds && anim->frame_bounds[2].max.x == 3);
    CHECK_UINT(anim->num_warnings, 0);
    CHECK(read_asset_is_valid((read_asset){.anim = anim}));
}

TEST (load_camera_equals_the_content_of_its_file) {
    md5_error error = {0};
    SCOPED_CAMERA camera =
        md5_load_camera(test_path("test/data/read/small.md5camera"), NULL, &error);
    if (!CHECK_DONE(camera, error))
        return;
    CHECK_UINT(error.status, MD5_OK);
    CHECK_STRING(camera->command_line, "small camera for tests of loading");
    CHECK_UINT(camera->num_frames, 4);
    CHECK(camera->frame_rate == 12.5 && camera->duration == 2 / 12.5);
    CHECK_UINT(camera->num_cuts, 1);
    CHECK_UINT(camera->cuts[0], 2);
    CHECK(camera->frames[1].position.z == 6 && camera->frames[1].fov == 75.5f);
    CHECK(camera->frames[3].rotation.x == 0.5f && camera->frames[3].position.x == 10);
    CHECK_UINT(camera->num_warnings, 0);
}

TEST (load_keeps_unusual_values_of_an_asset) {
    size_t size;
    SCOPED_STRING anim_text = test_read_file(test_path(small_files[1]), NULL);
    REQUIRE(anim_text);
    SCOPED_STRING text = read_case_text(anim_text, "\t( -3 -3 -3 ) ( 3 3 3 )\n", "", &size);
    SCOPED_ANIM anim = md5_parse_anim(text, size, NULL, NULL);
    REQUIRE(anim);
    CHECK(!anim->frame_bounds);
    CHECK_UINT(anim->num_warnings, 1);
}

// -- Files and their errors -----------------------------------------------------------------

// Writes one mesh of `count` vertices and two triangles that refer to vertex `last`.
static size_t write_two_triangles(char *text, unsigned count, unsigned last, bool triangles_first)
{
    char triangles[200];
    sprintf(triangles, "numtris 2\ntri 0 0 1 %u\ntri 1 %u 1 0\n", last, last);
    size_t size = (size_t)sprintf(text,
                                  "MD5Version 10 commandline \"\" numJoints 1 numMeshes 1\n"
                                  "joints { \"a\" -1 (0 0 0) (0 0 0) }\nmesh { shader \"\"\n%s",
                                  triangles_first ? triangles : "");
    size += (size_t)sprintf(text + size, "numverts %u\n", count);
    for (uint32_t v = 0; v < count; v++)
        size += (size_t)sprintf(text + size, "vert %u (0 0) 0 1\n", v);
    return size
           + (size_t)sprintf(text + size, "%snumweights 1 weight 0 0 1 (0 0 0) }",
                             triangles_first ? "" : triangles);
}

// If the number of vertices is known before the triangles, an index takes only as many bytes as
// that number needs.
TEST (load_reads_triangles_of_few_and_many_vertices) {
    static const unsigned counts[] = {3, 65536, 65537};
    SCOPED_STRING text = test_alloc(65537 * 24 + 1000);
    for (int i = 0; i < 6; i++) {
        const unsigned count = counts[i / 2];
        const bool triangles_first = i % 2 > 0;
        md5_error error = {0};
        size_t size = write_two_triangles(text, count, count - 1, triangles_first);
        md5_model *const model = md5_parse_model(text, size, NULL, &error);
        if (CHECK_DONE(model, error)) {
            const uint32_t *const corners = model->meshes[0].indices;
            CHECK(corners[0] == 0 && corners[1] == 1 && corners[2] == count - 1);
            CHECK(corners[3] == count - 1 && corners[4] == 1 && corners[5] == 0);
        }
        md5_free_model(model);
        const md5_load_opts bare = {.skip_geometry = MD5_GEOMETRY_ALL};
        md5_model *const read = md5_parse_model(text, size, &bare, &error);
        if (CHECK(read)) {
            CHECK_UINT(read->meshes[0].num_triangles, 2);
            CHECK(md5_derive_geometry(read, MD5_GEOMETRY_ALL, &error));
            CHECK(read->meshes[0].indices[2] == count - 1
                  && read->meshes[0].indices[3] == count - 1);
        }
        md5_free_model(read);
        size = write_two_triangles(text, count, count, triangles_first);
        CHECK_FAILS(md5_parse_model(text, size, NULL, &error), error, MD5_ERROR_RANGE);
        CHECK_UINT(error.line, triangles_first ? 5 : count + 6);
        CHECK_UINT(error.column, 11);
    }
}

TEST (load_messages_contain_the_file_name) {
    char text[700];
    md5_error error = {0};
    const char *path = test_path("test/data/read/missing.md5mesh");
    CHECK_FAILS(md5_load_model(path, NULL, &error), error, MD5_ERROR_IO);
    CHECK_STRING(error.file, path);
    CHECK_UINT(error.line, 0);
    CHECK(strncmp(error.message, "cannot open the file: ", 22) == 0 && error.message[22]);
    md5_format_error(&error, text, sizeof text);
    CHECK(strncmp(text, path, strlen(path)) == 0 && strstr(text, ": error: cannot open"));
    CHECK_FAILS(md5_load_anim(path, NULL, &error), error, MD5_ERROR_IO);
    CHECK_FAILS(md5_load_camera(path, NULL, &error), error, MD5_ERROR_IO);

    path = test_path("test/data/read"); // a folder
    CHECK_FAILS(md5_load_model(path, NULL, &error), error, MD5_ERROR_IO);
    CHECK_STRING(error.file, path);
    CHECK_STRING(error.message, "path leads to a folder: expected a regular file");
    CHECK(error.line == 0 && error.column == 0);

    CHECK(!md5_load_model(path, NULL, NULL));

    path = test_path(small_files[1]); // an animation as the model, and a model as the animation
    CHECK_FAILS(md5_load_model(path, NULL, &error), error, MD5_ERROR_SYNTAX);
    CHECK_STRING(error.file, path);
    CHECK_UINT(error.line, 4);
    CHECK(strstr(error.message, "found an animation (.md5anim)"));
    CHECK(!md5_load_anim(test_path(small_files[0]), NULL, &error));
    CHECK_UINT(error.line, 5);
    CHECK(strstr(error.message, "found a model (.md5mesh)"));
    CHECK(!md5_load_camera(test_path(small_files[0]), NULL, &error));
    CHECK_UINT(error.line, 4);
    CHECK(strstr(error.message, "found a model (.md5mesh)"));
}

#if !defined(_WIN32)

// Devices, and a file that is shorter than its reported size, on systems that have them.
TEST (load_rejects_files_without_a_size) {
    const char *const short_file = "/sys/kernel/mm/transparent_hugepage/enabled";
    const md5_load_opts opts = {.allocator = {.limit = 1 << 20}};
    md5_error error = {0};
    STRINGS(devices) = {"/dev/null", "/dev/zero", "/dev/tty"};
    for (uint32_t i = 0; i < 3; i++) {
        if (access(devices[i], R_OK) != 0)
            continue;
        CHECK_FAILS(md5_load_anim(devices[i], &opts, &error), error, MD5_ERROR_IO);
        CHECK_STRING(error.file, devices[i]);
        if (i < 2) // a terminal does not always exist
            CHECK_STRING(error.message,
                         "path leads to a pipe or a device: expected a regular file");
    }
    if (access(short_file, R_OK) == 0) {
        CHECK_REFUSED(md5_load_anim(short_file, NULL, &error), error, MD5_ERROR_IO,
                      "file was truncated while it was read: expected 4096 bytes, found 23");
    }
}

#else

TEST (load_accepts_paths_in_utf8) {
    static const wchar_t wide[] = L"build/m\u00f6del \u6a21.md5mesh";
    size_t size;
    SCOPED_STRING text = test_read_file(test_path(small_files[0]), &size);
    FILE *const file = _wfopen(wide, L"wb");
    REQUIRE(text && file && fwrite(text, 1, size, file) == size && fclose(file) == 0);
    md5_error error = {0};
    md5_model *const model = md5_load_model(u8"build/m\u00f6del \u6a21.md5mesh", NULL, &error);
    CHECK_STRING(error.message, "");
    CHECK(model);
    md5_free_model(model);
    CHECK(_wunlink(wide) == 0);
}

#endif

// Only the size is checked, so that the text need not have this size.
TEST (load_rejects_texts_of_2_gib) {
    static const char text[64];
    static const char message[] =
        "text is too large: expected less than 2 GiB, found 2147483647 bytes";
    md5_error error = {0};
    CHECK_REFUSED(md5_parse_model(text, INT32_MAX, NULL, &error), error, MD5_ERROR_IO, message);
    CHECK_REFUSED(md5_parse_anim(text, INT32_MAX, NULL, &error), error, MD5_ERROR_IO, message);
    CHECK_REFUSED(md5_parse_camera(text, INT32_MAX, NULL, &error), error, MD5_ERROR_IO, message);
}

TEST (load_from_memory_uses_the_given_file_name) {
    md5_error error = {0};
    const md5_load_opts opts = {.file_name = "pack.zip/a.md5mesh"};
    CHECK(!md5_parse_model("x", 1, &opts, &error));
    CHECK_STRING(error.file, "pack.zip/a.md5mesh");
    CHECK(error.line == 1 && error.column == 1);
    CHECK(!md5_parse_anim("x", 1, &opts, &error));
    CHECK_STRING(error.file, "pack.zip/a.md5mesh");
    CHECK(!md5_parse_model("x", 1, NULL, &error));
    CHECK_STRING(error.file, "");
    CHECK_FAILS(md5_parse_model(NULL, 0, NULL, &error), error, MD5_ERROR_SYNTAX);
    CHECK(!md5_parse_anim(NULL, 0, NULL, NULL));
    CHECK(!md5_parse_model("x", SIZE_MAX, NULL, &error)); // rejected because of its size
    CHECK_UINT(error.status, MD5_ERROR_IO);
}

TEST (load_free_functions_accept_null) {
    md5_free_model(NULL);
    md5_free_anim(NULL);
    md5_free_camera(NULL);
}

// -- Memory limits --------------------------------------------------------------------------

TEST (load_survives_failure_of_every_allocation) {
    for (uint32_t f = 0; f < 2; f++) {
        bool loaded = false;
        for (test_failure failure = {0}; NEXT_FAILURE(failure);) {
            const read_asset asset =
                read_asset_load(test_path(small_files[f]), &failure.opts, &failure.error);
            loaded = read_asset_is_loaded(asset);
            CHECK_FAILURE(failure, loaded);
            // A model has three blocks, and this model a fourth block for the skin plan of its
            // mesh.
            size_t num_blocks = 0;
            if (loaded)
                num_blocks = asset.model ? 4 : 1;
            CHECK_UINT(failure.heap.live, num_blocks);
            read_asset_free(asset);
        }
        CHECK(loaded);
    }
}

TEST (load_keeps_to_every_memory_limit) {
    for (uint32_t f = 0; f < 2; f++) {
        size_t max_refused = 0;
        size_t min_loaded = SIZE_MAX;
        for (size_t limit = 1; limit < 64 * 1024; limit += limit < 64 ? 1 : 61) {
            test_heap heap = {0};
            const md5_load_opts opts = heap_opts(&heap, limit);
            md5_error error = {0};
            const read_asset asset = read_asset_load(test_path(small_files[f]), &opts, &error);
            CHECK_UINT(error.status, read_asset_is_loaded(asset) ? MD5_OK : MD5_ERROR_MEMORY);
            CHECK(heap.peak_bytes <= limit);
            if (read_asset_is_loaded(asset))
                min_loaded = limit < min_loaded ? limit : min_loaded;
            else
                max_refused = limit;
            read_asset_free(asset);
            CHECK_UINT(heap.live_bytes, 0);
        }
        CHECK(max_refused > 0 && max_refused < min_loaded && min_loaded < 64 * 1024);
    }
}

// -- Valid files, cut short and altered -----------------------------------------------------

// A part of a file loads only with a warning, unless the removed part has no meaning.
TEST (load_of_a_truncated_file_is_an_error_or_a_warning) {
    for (uint32_t f = 0; f < 2; f++) {
        size_t size;
        size_t num_loaded = 0;
        SCOPED_STRING text = test_read_file(test_path(small_files[f]), &size);
        REQUIRE(text);
        const size_t needed = (size_t)(strrchr(text, '}') - text) + 1;
        for (size_t cut = 0; cut <= size; cut++) {
            SCOPED_STRING part = test_copy(text, cut);
            md5_error error = {0};
            const read_asset asset = read_asset_parse(f == 1, part, cut, NULL, &error);
            if (read_asset_is_loaded(asset)) {
                num_loaded++;
                CHECK(read_asset_is_valid(asset));
                CHECK_THAT((read_asset_warnings(asset) > 0) == (cut < needed),
                           "%s cut at %zu loads with %u warnings", small_files[f], cut,
                           read_asset_warnings(asset));
            } else {
                CHECK(error.status != MD5_OK && error.line > 0 && error.column > 0);
                CHECK(cut < needed);
            }
            read_asset_free(asset);
        }
        CHECK(num_loaded >= size - needed);
    }
}

TEST (load_of_a_file_with_an_altered_byte_is_valid_or_an_error) {
    static const char replacements[] = "\0\n \"'(){}/*-+.,0129eExm\x80\xFF";
    for (uint32_t f = 0; f < 2; f++) {
        size_t size;
        size_t num_loaded = 0;
        size_t num_refused = 0;
        SCOPED_STRING text = test_read_file(test_path(small_files[f]), &size);
        REQUIRE(text);
        for (size_t at = 0; at < size; at++) {
            const char original = text[at];
            for (size_t i = 0; i < sizeof replacements - 1; i++) {
                test_heap heap = {0};
                const md5_load_opts opts = heap_opts(&heap, 0);
                md5_error error = {0};
                text[at] = replacements[i];
                const read_asset asset = read_asset_parse(f == 1, text, size, &opts, &error);
                if (read_asset_is_loaded(asset))
                    CHECK(read_asset_is_valid(asset));
                else
                    CHECK(error.status != MD5_OK && error.status != MD5_ERROR_MEMORY
                          && error.line > 0);
                num_loaded += read_asset_is_loaded(asset);
                num_refused += !read_asset_is_loaded(asset);
                read_asset_free(asset);
                CHECK_UINT(heap.live_bytes, 0);
            }
            text[at] = original;
        }
        CHECK(num_loaded > size && num_refused > size);
    }
}

// Joint b is rotated by 90 degrees about z (its x is y of the model). Vertex 0 has only joint b,
// vertex 1 mostly the root, vertex 2 no joint.
TEST (load_uses_the_frames_and_colors_of_version_12) {
    static const char text[] =
        "MD5Version 12 commandline \"\" numJoints 2 numMeshes 1 joints {\n"
        "\"a\" -1 ( 0 0 0 ) ( 0 0 0 ) \"b\" 0 ( 5 0 0 ) ( 0 0 -0.70710678 ) }\n"
        "mesh { shader \"\" numverts 3\n"
        "vert 0 ( 0 0 ) 0 1 ( 1 0 0 ) ( 0 0 2 -1 )\n"
        "vert 1 ( 1 0 ) 1 2 ( 1 0 0 ) ( 0 0 1 1 )\n"
        "vert 2 ( 1 1 ) 0 0 ( 0 0 0 ) ( 0 0 0 1 )\n"
        "numtris 1 tri 0 0 1 2\n"
        "numweights 3 weight 0 1 1 ( 0 0 0 ) weight 1 1 0.25 ( 0 0 0 ) weight 2 0 0.75 ( 0 0 0 )\n"
        "numvertexcolors 3 vertexcolor 0 ( 1 0.5 0 1 ) vertexcolor 1 ( 0 0 0 1 )\n"
        "vertexcolor 2 ( 0.25 0 0 0 ) }\n";
    SCOPED_MODEL model = text_model(text, NULL);
    REQUIRE(model);
    const md5_mesh *const mesh = &model->meshes[0];
    CHECK_UINT(model->num_warnings, 1); // about the vertex without weights
    CHECK_UINT(mesh->num_vertices, 3);
    CHECK_NEAR(mesh->normals[0].y, 1, 1e-6);
    CHECK_NEAR(mesh->tangents[0].z, 1, 1e-6);
    CHECK(mesh->tangents[0].w == -1 && mesh->tangents[1].w == 1);
    CHECK_NEAR(mesh->normals[1].x, 1, 1e-6);
    CHECK(mesh->normals[2].z == 1); // undefined in the file
    REQUIRE(mesh->colors);
    CHECK(mesh->colors[0].y == 0.5f && mesh->colors[2].x == 0.25f);
}

// The last number of a tangent in a file of version 12 is the side of the bitangent. Only its sign
// is used.
TEST (load_uses_the_sign_of_the_side_of_a_tangent) {
    static const struct {
        const char *side;
        float expected;
    } rows[] = {{"-1", -1}, {"-0.001", -1}, {"0", 1}, {"0.5", 1}, {"1", 1}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "MD5Version 12 commandline \"\" numJoints 1 numMeshes 1 joints {\n"
                 "\"a\" -1 ( 0 0 0 ) ( 0 0 0 ) }\nmesh { shader \"\" numverts 1\n"
                 "vert 0 ( 0 0 ) 0 1 ( 1 0 0 ) ( 0 0 1 %s )\n"
                 "numtris 0 numweights 1 weight 0 0 1 ( 0 0 0 ) }\n",
                 rows[i].side);
        SCOPED_MODEL model = text_model(text, NULL);
        REQUIRE(model);
        CHECK_THAT(model->meshes[0].tangents[0].w == rows[i].expected, "%s", rows[i].side);
    }
}

// -- Numbers of any size --------------------------------------------------------------------------

// Numbers of any size in files: they are rejected with their location, or everything computed from
// them is finite.

// -- Locations of rejected numbers ----------------------------------------------------------

static const char good_mesh[] = "MD5Version 10\ncommandline \"\"\nnumJoints 1\nnumMeshes 1\n"
                                "joints {\n\t\"a\" -1 ( 1 2 3 ) ( 0 0 0 )\n}\n"
                                "mesh {\n\tshader \"\"\n\tnumverts 1\n\tvert 0 ( 0 0 ) 0 1\n"
                                "\tnumtris 0\n\tnumweights 1\n\tweight 0 0 0.5 ( 4 5 6 )\n}\n";

static const char good_anim[] = "MD5Version 10\ncommandline \"\"\nnumFrames 1\nnumJoints 1\n"
                                "frameRate 24\nnumAnimatedComponents 3\n"
                                "hierarchy {\n\t\"a\" -1 7 0\n}\n"
                                "bounds {\n\t( -1 -1 -1 ) ( 1 1 1 )\n}\n"
                                "baseframe {\n\t( 1 2 3 ) ( 0 0 0 )\n}\nframe 0 {\n\t4 5 6\n}\n";

static const char good_camera[] = "MD5Version 10\ncommandline \"\"\nnumFrames 1\nframeRate 24\n"
                                  "numCuts 0\ncuts {\n}\ncamera {\n\t( 1 2 3 ) ( 0 0 0 ) 60\n}\n";

static bool load_mesh(const char *text, size_t size, const md5_load_opts *opts, md5_error *error)
{
    SCOPED_MODEL model = md5_parse_model(text, size, opts, error);
    return model != NULL;
}

static bool load_anim(const char *text, size_t size, const md5_load_opts *opts, md5_error *error)
{
    SCOPED_ANIM anim = md5_parse_anim(text, size, opts, error);
    return anim != NULL;
}

static bool load_camera(const char *text, size_t size, const md5_load_opts *opts, md5_error *error)
{
    SCOPED_CAMERA camera = md5_parse_camera(text, size, opts, error);
    return camera != NULL;
}

#define LIMIT "number is out of range: expected -1e9 to 1e9, found "

TEST (range_of_mesh_numbers_is_reported_with_location) {
    READ_CASES_CHECK(good_mesh, load_mesh, {"( 1 2 3 )", "( 1 1000000000 -1000000000.000000 )", ""},
                     {"( 1 2 3 )", "( 1 2e9 3 )", "6:13: error: " LIMIT "'2e9'"},
                     {"( 1 2 3 )", "( 1 2 -3.3e38 )", "6:15: error: " LIMIT "'-3.3e38'"},
                     {"0.5 (", "3e38 (", "14:13: error: " LIMIT "'3e38'"},
                     {"( 4 5 6 )", "( 4 5 1000000128 )", "14:23: error: " LIMIT "'1000000128'"},
                     {"weight 0 0 0.5 ( 4 5 6 )",
                      "weight 0 0 0.500000 ( 4.000000 -5000000000.000000 6.000000 )",
                      "14:33: error: " LIMIT "'-5000000000.000000'"});
}

TEST (range_of_anim_numbers_is_reported_with_location) {
    READ_CASES_CHECK(good_anim, load_anim, {"( 1 2 3 )", "( 1 -1000000000 1e9 )", ""},
                     {"( 1 2 3 )", "( 1e10 2 3 )", "14:4: error: " LIMIT "'1e10'"},
                     {"4 5 6", "4 5 -3e38", "17:6: error: " LIMIT "'-3e38'"},
                     {"4 5 6", "4.000000 99999999999.000000 6.000000",
                      "17:11: error: " LIMIT "'99999999999.000000'"},
                     {"( -1 -1 -1 ) ( 1 1 1 )", "( 1e30 1e30 3e38 ) ( -1e30 -1e30 -3e38 )",
                      "10:1: warning: all bounding boxes in 'bounds' are empty: programs that use "
                      "them for culling hide the model"});
}

TEST (range_of_camera_numbers_is_reported_with_location) {
    READ_CASES_CHECK(good_camera, load_camera, {"( 1 2 3 )", "( 1e9 -1e9 0 )", ""},
                     {"( 1 2 3 )", "( 1 2 3e38 )", "9:8: error: " LIMIT "'3e38'"},
                     {") 60", ") 3e38", "9:22: error: " LIMIT "'3e38'"});
}

// A rotation of the base frame may be too long if frames replace its numbers.
TEST (range_frames_replace_numbers_of_the_base_frame) {
    static const char text[] =
        "MD5Version 10 commandline \"\" numFrames 1 numJoints 1 frameRate 24 "
        "numAnimatedComponents 1 hierarchy { \"a\" -1 16 0 } "
        "baseframe { ( 0 0 0 ) ( 0.6 0.9 0 ) } frame 0 { 0 }";
    SCOPED_ANIM anim = text_anim(text, NULL);
    REQUIRE(anim);
    CHECK(anim->constant[0].rotation.x == 0.6f);
    CHECK_NEAR(anim->constant[0].rotation.w, -0.8, 1e-6);
    // x y z are 0.6 0.9 0, w is -sqrt(0.17); all are divided by sqrt(1.34).
    CHECK_NEAR(anim->base_frame[0].rotation.y, 0.9 / sqrt(1.34), 1e-6);
}

// -- Data computed from accepted numbers ----------------------------------------------------

enum { JOINTS = 6, VERTICES = 9, WEIGHTS = 14, FRAMES = 4, CAPACITY = 1 << 14 };

typedef struct writer {
    char text[CAPACITY];
    size_t used;
    uint64_t random;
} writer;

#define WRITE(out, ...) \
    ((out)->used +=     \
     (size_t)snprintf((out)->text + (out)->used, sizeof(out)->text - (out)->used, __VA_ARGS__))

// Returns a number that is in most cases below 1 or at the limit of 1e9, and rarely in between or
// far above.
static double any_number(writer *out)
{
    const double kind = test_random(&out->random);
    const double sign = test_random(&out->random) < 0.5 ? -1 : 1;
    if (kind < 0.5)
        return sign * test_random(&out->random);
    if (kind < 0.97)
        return sign * 1e9;
    return kind < 0.995 ? sign * pow(10, test_random(&out->random) * 9) : sign * 3.4e38;
}

static void write_vector(writer *out)
{
    WRITE(out, "( %.9g", any_number(out));
    WRITE(out, " %.9g", any_number(out));
    WRITE(out, " %.9g ) ", any_number(out));
}

static void write_rotation(writer *out)
{
    const double length = test_random(&out->random) < 0.5 ? 1 : 1 + 1e-6;
    const double angle = 6.28 * test_random(&out->random);
    WRITE(out, "( %.9g %.9g 0 ) ", length * cos(angle), length * sin(angle));
}

// Writes an animation whose numbers are random numbers of any size.
static void write_anim(writer *out)
{
    out->used = 0;
    WRITE(out, "MD5Version 10 commandline \"\" numFrames %d numJoints %d frameRate 24 ", FRAMES,
          JOINTS);
    WRITE(out, "numAnimatedComponents %d hierarchy {", 3 * JOINTS);
    for (int j = 0; j < JOINTS; j++)
        WRITE(out, "\"j%d\" %d 7 %d ", j, j - 1, 3 * j);
    WRITE(out, "} bounds {");
    for (int f = 0; f < 2 * FRAMES; f++)
        write_vector(out);
    WRITE(out, "} baseframe {");
    for (int j = 0; j < JOINTS; j++) {
        write_vector(out);
        write_rotation(out);
    }
    WRITE(out, "}");
    for (int f = 0; f < FRAMES; f++) {
        WRITE(out, " frame %d {", f);
        for (int i = 0; i < 3 * JOINTS; i++)
            WRITE(out, " %.9g", any_number(out));
        WRITE(out, " }");
    }
}

static bool all_finite(const void *memory, size_t size)
{
    const float *const numbers = memory;
    for (size_t i = 0; i < size / sizeof *numbers; i++) {
        if (!isfinite(numbers[i]))
            return false;
    }
    return true;
}
#define CHECK_FINITE(array, count) CHECK_THAT(all_finite(array, (count) * sizeof(array)[0]), #array)

static void check_pose(const md5_binding *binding, const md5_xform *pose)
{
    md5_mat34 joints[JOINTS], palette[JOINTS];
    CHECK_FINITE(pose, JOINTS);
    md5_local_to_palette(binding->model, pose, joints, palette);
    CHECK_FINITE(joints, JOINTS);
    CHECK_FINITE(palette, JOINTS);
    const md5_mesh *const mesh = &binding->model->meshes[0];
    md5_vec3 positions[3 * VERTICES], normals[3 * VERTICES];
    md5_vec4 tangents[3 * VERTICES];
    md5_skin(mesh, palette, positions, normals, tangents);
    CHECK_FINITE(positions, mesh->num_vertices);
    CHECK_FINITE(normals, mesh->num_vertices);
    CHECK_FINITE(tangents, mesh->num_vertices);
    const md5_bounds bounds = md5_skin_bounds(binding->model, palette);
    CHECK_FINITE(&bounds, 1);
}

// Checks that everything that is computed from an accepted model and clip is finite.
static void check_pair(const md5_model *model, const md5_anim *anim)
{
    CHECK_FINITE(model->bind, JOINTS);
    CHECK_FINITE(model->inverse_bind, JOINTS);
    CHECK_FINITE(model->bind_local, JOINTS);
    const md5_mesh *mesh = &model->meshes[0];
    CHECK_FINITE(mesh->positions, mesh->num_vertices);
    CHECK_FINITE(mesh->normals, mesh->num_vertices);
    CHECK_FINITE(mesh->tangents, mesh->num_vertices);
    CHECK_FINITE(mesh->influences, mesh->num_influences);
    CHECK_FINITE(&mesh->bounds, 1);
    CHECK_FINITE(&mesh->loss4, 2);
    SCOPED_BINDING binding = md5_bind(model, anim, NULL, NULL);
    REQUIRE(binding);
    for (int i = 0; i < 9; i++) {
        double time = i * 0.031;
        md5_root root = (md5_root)(i / 3);
        md5_xform pose[JOINTS];
        md5_xform first[JOINTS];
        md5_xform sum[JOINTS];
        const md5_sample_position start = {0};
        const md5_sample_position sample =
            md5_sample_position_at(binding->anim, time, ((md5_wrap)(i % 3)));
        md5_sample(binding, sample, root, pose);
        check_pose(binding, pose);
        md5_sample(binding, start, root, first);
        md5_add_pose(pose, pose, first, 0.7f, NULL, JOINTS, sum);
        check_pose(binding, sum);
        md5_blend_poses(first, sum, 0.3f, NULL, JOINTS, sum);
        check_pose(binding, sum);
        md5_sample_position cubic = sample;
        cubic.interpolation = MD5_INTERPOLATE_CUBIC;
        md5_sample(binding, cubic, root, pose);
        check_pose(binding, pose);
        const md5_bounds bounds = md5_anim_bounds(binding->anim, sample, root);
        CHECK_FINITE(&bounds, 1);
        const md5_vec3 motion = md5_anim_root_motion(binding->anim, start, sample);
        CHECK_FINITE(&motion, 1);
    }
}

TEST (range_of_loaded_files_gives_finite_poses_and_vertices) {
    static writer mesh = {.random = 1};
    static writer clip = {.random = 2};
    unsigned num_refused = 0;
    unsigned num_posed = 0;
    for (int i = 0; i < 3000; i++) {
        md5_error mesh_error = {0};
        md5_error clip_error = {0};
        mesh.used = 0;
        WRITE(&mesh, "MD5Version 10 commandline \"\" numJoints %d numMeshes 1 joints {", JOINTS);
        for (int j = 0; j < JOINTS; j++) {
            WRITE(&mesh, "\"j%d\" %d ", j, j - 1);
            write_vector(&mesh);
            write_rotation(&mesh);
        }
        WRITE(&mesh, "} mesh { shader \"\" numverts %d ", VERTICES);
        for (int v = 0; v < VERTICES; v++)
            WRITE(&mesh, "vert %d ( %.9g %.9g ) %d %d ", v, any_number(&mesh), any_number(&mesh), v,
                  1 + v % 5);
        WRITE(&mesh, "numtris %d ", VERTICES - 2);
        for (int t = 0; t < VERTICES - 2; t++)
            WRITE(&mesh, "tri %d %d %d %d ", t, t, t + 1, t + 2);
        WRITE(&mesh, "numweights %d ", WEIGHTS);
        for (int w = 0; w < WEIGHTS; w++) {
            WRITE(&mesh, "weight %d %d %.9g ", w, w % JOINTS, any_number(&mesh));
            write_vector(&mesh);
        }
        WRITE(&mesh, "}");
        write_anim(&clip);
        SCOPED_MODEL model = md5_parse_model(mesh.text, mesh.used, NULL, &mesh_error);
        SCOPED_ANIM anim = md5_parse_anim(clip.text, clip.used, NULL, &clip_error);
        if (model && anim) {
            check_pair(model, anim);
            num_posed++;
        } else {
            const md5_error *const error = model ? &clip_error : &mesh_error;
            CHECK(error->status == MD5_ERROR_RANGE && error->line > 0 && error->column > 0);
            num_refused++;
        }
    }
    CHECK(num_refused > 500 && num_posed > 500);
}
