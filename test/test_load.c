// Whole assets: from files and from memory, within a budget, from every corner of the real corpus,
// and from good files cut short or altered.
#include "test/read_case.h"
#include "test/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// -- Either kind of asset -------------------------------------------------------------------

typedef struct asset {
    md5_model *model;
    md5_anim *anim;
} asset;

static bool is_anim_path(const char *path)
{
    const char *const dot = strrchr(path, '.');
    return dot && strcmp(dot, ".md5anim") == 0;
}

static asset parse(bool is_anim, const char *text, size_t size, const md5_load_opts *opts,
                   md5_error *error)
{
    asset made = {0};
    if (is_anim)
        made.anim = md5_parse_anim(text, size, opts, error);
    else
        made.model = md5_parse_model(text, size, opts, error);
    return made;
}

static asset load(const char *path, const md5_load_opts *opts, md5_error *error)
{
    asset made = {0};
    if (is_anim_path(path))
        made.anim = md5_load_anim(path, opts, error);
    else
        made.model = md5_load_model(path, opts, error);
    return made;
}

static bool is_there(asset made)
{
    return made.model || made.anim;
}

static uint32_t num_warnings(asset made)
{
    return made.model ? made.model->num_warnings : made.anim->num_warnings;
}

static void release(asset made)
{
    md5_free_model(made.model);
    md5_free_anim(made.anim);
}

static const char *const small_files[] = {"test/data/read/small.md5mesh",
                                          "test/data/read/small.md5anim"};

// -- Whether every index of an asset is inside its table ------------------------------------

static bool skeleton_holds(const md5_skeleton *skeleton)
{
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        const md5_joint *const joint = &skeleton->joints[i];
        if (joint->parent < -1 || joint->parent >= (int32_t)skeleton->num_joints || !joint->name
            || skeleton->order[i] >= skeleton->num_joints)
            return false;
    }
    return skeleton->num_joints > 0;
}

static bool mesh_holds(const md5_model *model, const md5_mesh *mesh)
{
    for (uint32_t v = 0; v < mesh->num_file_vertices; v++) {
        const md5_vertex *const vertex = &mesh->file_vertices[v];
        if ((uint64_t)vertex->first_weight + vertex->num_weights > mesh->num_weights)
            return false;
    }
    for (uint32_t w = 0; w < mesh->num_weights; w++) {
        if (mesh->weights[w].joint >= model->skeleton.num_joints)
            return false;
    }
    for (uint32_t i = 0; i < 3 * mesh->num_triangles; i++) {
        if (mesh->indices[i] >= mesh->num_vertices)
            return false;
    }
    for (uint32_t v = 0; v < mesh->num_vertices; v++) {
        if (mesh->sources[v] >= mesh->num_file_vertices
            || mesh->first_influence[v] > mesh->first_influence[v + 1])
            return false;
    }
    return mesh->first_influence[mesh->num_vertices] == mesh->num_influences && mesh->name
           && mesh->shader;
}

static bool asset_holds(asset made)
{
    if (made.model) {
        for (uint32_t m = 0; m < made.model->num_meshes; m++) {
            if (!mesh_holds(made.model, &made.model->meshes[m]))
                return false;
        }
        return skeleton_holds(&made.model->skeleton);
    }
    const md5_anim *const anim = made.anim;
    for (uint32_t j = 0; j < anim->skeleton.num_joints; j++) {
        if (anim->tracks[j].first > anim->num_components || anim->tracks[j].flags > 63)
            return false;
    }
    return skeleton_holds(&anim->skeleton) && anim->num_frames > 0 && anim->frame_rate > 0.0;
}

// -- What is in an asset --------------------------------------------------------------------

TEST (load_model_holds_what_the_file_says) {
    md5_error error;
    md5_model *const model = md5_load_model(test_path(small_files[0]), NULL, &error);
    if (!test_check(model != NULL, __FILE__, __LINE__, "%s", error.message))
        return;
    CHECK_UINT(error.status, MD5_OK);
    CHECK_UINT(error.line, 0);
    CHECK_STRING(error.message, "");
    CHECK_STRING(model->command_line, "small model for tests of loading");
    CHECK_UINT(model->skeleton.num_joints, 3);
    CHECK_STRING(model->skeleton.joints[2].name, "hand");
    CHECK(model->skeleton.joints[0].parent == -1 && model->skeleton.joints[2].parent == 1);
    CHECK_UINT(model->num_warnings, 0);
    CHECK_UINT(model->num_meshes, 2);
    CHECK(asset_holds((asset){.model = model}));

    const md5_mesh *const body = &model->meshes[0];
    CHECK_STRING(body->name, "Body");
    CHECK_STRING(body->shader, "skin/body");
    CHECK_UINT(body->num_file_vertices, 4);
    CHECK_UINT(body->num_triangles, 2);
    CHECK_UINT(body->num_weights, 4);
    CHECK(body->weights[2].offset.y == 10.0f && body->weights[2].joint == 1);
    CHECK(body->file_vertices[3].first_weight == 2 && body->file_vertices[3].num_weights == 2);
    CHECK(body->texcoords[1].x == 1.0f && body->texcoords[1].y == 0.0f);
    CHECK(body->indices[5] == 3);
    CHECK_UINT(body->max_weights, 2);
    CHECK_UINT(body->num_off_sums, 1); // vertex 3: 0.5 + 1

    // Joint 0 turns x to y, y to z, z to x, since its w is negative too.
    const float *const m = model->bind[0].m;
    CHECK_NEAR((double)m[4], 1.0, 1e-6);
    CHECK_NEAR((double)m[9], 1.0, 1e-6);
    CHECK_NEAR((double)m[2], 1.0, 1e-6);
    CHECK(model->bind[1].m[11] == 10.0f && model->bind[2].m[7] == 5.5f);
    CHECK_STRING(model->meshes[1].name, "Hat");
    CHECK_UINT(model->meshes[1].num_vertices, 0);
    CHECK(model->bounds.min.x <= model->bounds.max.x);
    CHECK(model->size > sizeof *model);
    md5_free_model(model);
}

TEST (load_anim_holds_what_the_file_says) {
    md5_error error;
    md5_anim *const anim = md5_load_anim(test_path(small_files[1]), NULL, &error);
    if (!test_check(anim != NULL, __FILE__, __LINE__, "%s", error.message))
        return;
    CHECK_STRING(anim->command_line, "small clip for tests of loading");
    CHECK_STRING(anim->skeleton.joints[1].name, "arm");
    CHECK_UINT(anim->num_frames, 3);
    CHECK_UINT(anim->num_components, 5);
    CHECK(anim->frame_rate == 12.5 && anim->duration == 2 / 12.5);
    CHECK(anim->tracks[1].flags == 40 && anim->tracks[1].first == 2);
    CHECK(anim->base_frame[0].translation.z == 5.0f);
    // What moves by value: the arm turns, the root moves, the hand's number never changes.
    CHECK_UINT(anim->num_rotations, 1);
    CHECK_UINT(anim->num_translations, 1);
    CHECK(anim->rotation_joints[0] == 1 && anim->translation_joints[0] == 0);
    CHECK(anim->translations[2].x == 2.0f && anim->translations[2].z == 5.0f);
    CHECK(anim->rotations[1].x == 0.2f && anim->rotations[1].y == 0.5f);
    CHECK(anim->rotations[1].z == 0.3f && anim->rotations[1].w < 0.0f);
    CHECK(anim->constant[2].translation.z == 1.5f);
    CHECK(anim->frame_bounds && anim->frame_bounds[2].max.x == 3.0f);
    CHECK_UINT(anim->num_warnings, 0);
    CHECK(asset_holds((asset){.anim = anim}));
    md5_free_anim(anim);
}

TEST (load_keeps_what_is_odd_in_an_asset) {
    size_t size;
    md5_error error;
    char *const anim_text = test_read_file(test_path(small_files[1]), NULL);
    if (!CHECK(anim_text))
        return;
    char *const text = read_case_text(anim_text, "\t( -3 -3 -3 ) ( 3 3 3 )\n", "", &size);
    md5_anim *const anim = md5_parse_anim(text, size, NULL, &error);
    if (CHECK(anim)) {
        CHECK(anim->frame_bounds == NULL);
        CHECK_UINT(anim->num_warnings, 1);
    }
    md5_free_anim(anim);
    free(text);
    free(anim_text);
}

// -- Files and their errors -----------------------------------------------------------------

TEST (load_names_the_file_in_messages) {
    char text[700];
    md5_error error;
    const char *path = test_path("test/data/read/missing.md5mesh");
    CHECK(!md5_load_model(path, NULL, &error));
    CHECK_UINT(error.status, MD5_ERROR_IO);
    CHECK_STRING(error.file, path);
    CHECK_UINT(error.line, 0);
    CHECK(strncmp(error.message, "cannot open the file: ", 22) == 0 && error.message[22]);
    md5_format_error(&error, text, sizeof text);
    CHECK(strncmp(text, path, strlen(path)) == 0 && strstr(text, ": error: cannot open"));
    CHECK(!md5_load_anim(path, NULL, &error));
    CHECK_UINT(error.status, MD5_ERROR_IO);

    path = test_path("test/data/read"); // a folder
    CHECK(!md5_load_model(path, NULL, &error));
    CHECK_UINT(error.status, MD5_ERROR_IO);
    CHECK_STRING(error.file, path);
    CHECK(strncmp(error.message, "cannot ", 7) == 0);

    CHECK(!md5_load_model(NULL, NULL, &error));
    CHECK_STRING(error.message, "no file name is given");
    CHECK(!md5_load_anim(NULL, NULL, NULL));
    CHECK(!md5_load_model(path, NULL, NULL));

    path = test_path(small_files[1]); // an animation as the model, and the other way round
    CHECK(!md5_load_model(path, NULL, &error));
    CHECK_UINT(error.status, MD5_ERROR_SYNTAX);
    CHECK_STRING(error.file, path);
    CHECK_UINT(error.line, 4);
    CHECK(strncmp(error.message, "this is an animation", 20) == 0);
    CHECK(!md5_load_anim(test_path(small_files[0]), NULL, &error));
    CHECK_UINT(error.line, 5);
    CHECK(strncmp(error.message, "this is a model", 15) == 0);
}

TEST (load_from_memory_names_the_text_as_told) {
    md5_error error;
    const md5_load_opts opts = {.file_name = "pack.zip/a.md5mesh"};
    CHECK(!md5_parse_model("x", 1, &opts, &error));
    CHECK_STRING(error.file, "pack.zip/a.md5mesh");
    CHECK(error.line == 1 && error.column == 1);
    CHECK(!md5_parse_anim("x", 1, &opts, &error));
    CHECK_STRING(error.file, "pack.zip/a.md5mesh");
    CHECK(!md5_parse_model("x", 1, NULL, &error));
    CHECK_STRING(error.file, "");
    CHECK(!md5_parse_model(NULL, 0, NULL, &error));
    CHECK_UINT(error.status, MD5_ERROR_SYNTAX);
    CHECK(!md5_parse_anim(NULL, 0, NULL, NULL));
    CHECK(!md5_parse_model("x", SIZE_MAX, NULL, &error)); // refused before it is looked at
    CHECK_UINT(error.status, MD5_ERROR_IO);
}

TEST (load_frees_nothing_for_null) {
    md5_free_model(NULL);
    md5_free_anim(NULL);
}

// -- Budgets --------------------------------------------------------------------------------

TEST (load_survives_failure_of_every_allocation) {
    for (size_t f = 0; f < 2; f++) {
        bool loaded = false;
        for (size_t n = 1; !loaded && n < 1000; n++) {
            test_heap heap = {.fail_at = n};
            const md5_load_opts opts = {.allocator = {test_heap_alloc, test_heap_free, &heap}};
            md5_error error;
            const asset made = load(test_path(small_files[f]), &opts, &error);
            loaded = is_there(made);
            CHECK_UINT(error.status, loaded ? MD5_OK : MD5_ERROR_MEMORY);
            CHECK_UINT(heap.live, loaded ? 1 : 0);
            CHECK(loaded == (heap.num_allocs < n));
            release(made);
            CHECK_UINT(heap.live, 0);
            CHECK_UINT(heap.live_bytes, 0);
        }
        CHECK(loaded);
    }
}

TEST (load_keeps_to_every_memory_limit) {
    for (size_t f = 0; f < 2; f++) {
        size_t most_refused = 0, least_loaded = SIZE_MAX;
        for (size_t limit = 1; limit < 64 * 1024; limit += limit < 64 ? 1 : 61) {
            test_heap heap = {0};
            const md5_load_opts opts = {.allocator = {test_heap_alloc, test_heap_free, &heap},
                                        .memory_limit = limit};
            md5_error error;
            const asset made = load(test_path(small_files[f]), &opts, &error);
            CHECK_UINT(error.status, is_there(made) ? MD5_OK : MD5_ERROR_MEMORY);
            CHECK(heap.peak_bytes <= limit);
            if (is_there(made))
                least_loaded = limit < least_loaded ? limit : least_loaded;
            else
                most_refused = limit;
            release(made);
            CHECK_UINT(heap.live_bytes, 0);
        }
        CHECK(most_refused > 0 && most_refused < least_loaded && least_loaded < 64 * 1024);
    }
}

// -- Good files cut short, and altered ------------------------------------------------------

// An asset of a part of a file may only be had with a warning, unless what was cut off is nothing.
TEST (load_of_a_file_cut_anywhere_is_an_error_or_a_warning) {
    for (size_t f = 0; f < 2; f++) {
        size_t size, num_loaded = 0;
        char *const text = test_read_file(test_path(small_files[f]), &size);
        if (!CHECK(text))
            return;
        const size_t needed = (size_t)(strrchr(text, '}') - text) + 1;
        for (size_t cut = 0; cut <= size; cut++) {
            char *const part = malloc(cut ? cut : 1); // of its size: no byte past it may be read
            if (!part)
                abort();
            memcpy(part, text, cut);
            md5_error error;
            const asset made = parse(f == 1, part, cut, NULL, &error);
            if (is_there(made)) {
                num_loaded++;
                CHECK(asset_holds(made));
                test_check((num_warnings(made) > 0) == (cut < needed), __FILE__, __LINE__,
                           "%s cut at %zu loads with %u warnings", small_files[f], cut,
                           num_warnings(made));
            } else {
                CHECK(error.status != MD5_OK && error.line > 0 && error.column > 0);
                CHECK(cut < needed);
            }
            release(made);
            free(part);
        }
        CHECK(num_loaded >= size - needed);
        free(text);
    }
}

TEST (load_of_a_file_with_any_byte_altered_is_sound) {
    static const char others[] = "\0\n \"'(){}/*-+.,0129eExm\x80\xFF";
    for (size_t f = 0; f < 2; f++) {
        size_t size, num_loaded = 0, num_refused = 0;
        char *const text = test_read_file(test_path(small_files[f]), &size);
        if (!CHECK(text))
            return;
        for (size_t at = 0; at < size; at++) {
            const char original = text[at];
            for (size_t i = 0; i < sizeof others - 1; i++) {
                test_heap heap = {0};
                const md5_load_opts opts = {.allocator = {test_heap_alloc, test_heap_free, &heap}};
                md5_error error;
                text[at] = others[i];
                const asset made = parse(f == 1, text, size, &opts, &error);
                if (is_there(made))
                    CHECK(asset_holds(made));
                else
                    CHECK(error.status != MD5_OK && error.status != MD5_ERROR_MEMORY
                          && error.line > 0);
                num_loaded += is_there(made);
                num_refused += !is_there(made);
                release(made);
                CHECK_UINT(heap.live_bytes, 0);
            }
            text[at] = original;
        }
        CHECK(num_loaded > size && num_refused > size);
        free(text);
    }
}

// -- The corpus -----------------------------------------------------------------------------

static const char *corpus_path(const char *folder, const char *name)
{
    static char path[1024];
    snprintf(path, sizeof path, "%s/%s/%s", test_corpus(), folder, name);
    return path;
}

// Of the next field of a line of tab-separated ones.
static char *next_field(char **rest)
{
    char *const field = *rest;
    char *const tab = strchr(field, '\t');
    if (tab)
        *tab = '\0';
    *rest = tab ? tab + 1 : field + strlen(field);
    return field;
}

// Files that were broken on purpose, and cannot be read.
static bool is_broken(const char *path)
{
    return strcmp(path, "assimp/malformed_weight_index.md5mesh") == 0
           || strcmp(path, "assimp/invalid/InvalidBoneIndex.md5mesh") == 0;
}

typedef struct corpus_line {
    const char *path;
    uint32_t counts[5]; // joints, meshes, vertices, triangles, weights; a clip: joints
    uint32_t num_frames;
    bool is_one_file; // not several in one, whose counts the list sums up
} corpus_line;

static corpus_line split_corpus_line(char *line)
{
    corpus_line split = {.path = next_field(&line)};
    for (int i = 0; i < 6; i++)
        next_field(&line); // source ref orig_path licence size kind
    for (int i = 0; i < 5; i++)
        split.counts[i] = (uint32_t)strtoul(next_field(&line), NULL, 10);
    next_field(&line); // most weights of a vertex
    split.num_frames = (uint32_t)strtoul(next_field(&line), NULL, 10);
    split.is_one_file = !strstr(line, "file_concatenated");
    return split;
}

static void check_counts(const corpus_line *line, asset made)
{
    if (made.anim) {
        CHECK_UINT(made.anim->skeleton.num_joints, line->counts[0]);
        CHECK_UINT(made.anim->num_frames, line->num_frames);
        return;
    }
    uint32_t num_vertices = 0, num_triangles = 0, num_weights = 0;
    for (uint32_t m = 0; m < made.model->num_meshes; m++) {
        num_vertices += made.model->meshes[m].num_file_vertices;
        num_triangles += made.model->meshes[m].num_triangles;
        num_weights += made.model->meshes[m].num_weights;
    }
    CHECK_UINT(made.model->skeleton.num_joints, line->counts[0]);
    CHECK_UINT(made.model->num_meshes, line->counts[1]);
    CHECK_UINT(num_vertices, line->counts[2]);
    CHECK_UINT(num_triangles, line->counts[3]);
    CHECK_UINT(num_weights, line->counts[4]);
}

// Every model and animation of the corpus, against the counts in its list.
TEST (load_reads_the_whole_corpus) {
    size_t num_files = 0;
    if (!test_corpus()) {
        test_skip("MD5_CORPUS is not set");
        return;
    }
    char *const list = test_read_file(corpus_path("corpus", "PUBLIC_MANIFEST.tsv"), NULL);
    if (!CHECK(list))
        return;
    for (char *line = strtok(list, "\n"); line; line = strtok(NULL, "\n")) {
        const corpus_line split = split_corpus_line(line);
        const char *const dot = strrchr(split.path, '.');
        if (!dot || (strcmp(dot, ".md5mesh") != 0 && strcmp(dot, ".md5anim") != 0))
            continue;
        num_files++;
        test_heap heap = {0};
        const md5_load_opts opts = {.allocator = {test_heap_alloc, test_heap_free, &heap}};
        md5_error error;
        const asset made = load(corpus_path("corpus", split.path), &opts, &error);
        test_check(is_there(made) != is_broken(split.path), __FILE__, __LINE__, "%s: %s",
                   split.path, error.message);
        if (is_there(made)) {
            CHECK(asset_holds(made));
            if (split.is_one_file)
                check_counts(&split, made);
        }
        release(made);
        CHECK_UINT(heap.live_bytes, 0);
    }
    CHECK(num_files > 50);
    free(list);
}

TEST (load_says_what_is_odd_in_the_corpus) {
    static const struct {
        const char *path, *says;
    } cases[] = {
        {"frankie/Frankie.md5mesh",
         "65:2: warning: 'sha--der' is not known here: skipped with its values\n"
         "3650:1: warning: this mesh ends without 'shader'\n"
         "3655:2: warning: 'sh--ader' is not known here: skipped with its values\n"
         "11581:1: warning: this mesh ends without 'shader'"},
        {"terasology/lasr/queen.md5mesh",
         "5359:1: warning: another file begins here: it is not read"},
        {"terasology/lasr/queenWalk.md5anim",
         "397:1: warning: another file begins here: it is not read"},
        {"redeclipse/weapons/plasma/plasma-reload.md5anim",
         "1:1: warning: the line 'MD5Version 10' is missing"},
        {"redeclipse/weapons/zapper/item.md5mesh",
         "1:1: warning: the line 'MD5Version 10' is missing"},
        {"redeclipse/luckystrike/banner01/banner.md5anim",
         "19:1: warning: numFrames says 3, but 'bounds' has 4 boxes: the first are used"},
        {"redeclipse/weapons/grenade/grenade.md5mesh", "1:1: warning: 'commandline' is missing"},
        {"redeclipse/props/ball/ball.md5mesh",
         "5:11: warning: numMeshes says 2, but the file has 1"},
        {"redeclipse/projectiles/cartridge/mesh.md5mesh", ""}, // Latin-1 in its shader
        {"assimp/malformed_weight_index.md5mesh",
         "18:25: error: weights 1000000 to 1000001, but numweights is 16"},
        {"assimp/invalid/InvalidBoneIndex.md5mesh", "23:10: error: joint 999, but numJoints is 1"},
    };
    if (!test_corpus()) {
        test_skip("MD5_CORPUS is not set");
        return;
    }
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        read_case_log log = {0};
        const md5_load_opts opts = {.warn = read_case_warn, .warn_user = &log};
        md5_error error;
        const asset made = load(corpus_path("corpus", cases[i].path), &opts, &error);
        if (!is_there(made))
            read_case_add(&log, &error);
        CHECK_STRING(log.text, cases[i].says);
        release(made);
    }
}

// -- What the original engine says ----------------------------------------------------------

// Where our verdict is another one, and why.
static const struct {
    const char *name, *why;
} other_verdicts[] = {
    {"mesh upper-exp", "1E0 is what printf writes for %E"},
    {"mesh zero-exp", "0e5 is a number"},
    {"mesh leading-zero-float", "01.5 is a number; the engine takes it for octal"},
    {"mesh plus-sign", "+1 is a number"},
    {"mesh huge-exp", "infinity in a joint makes everything below it vanish"},
    {"mesh hex-int", "nothing writes it, so it is a fault that one wants to hear of"},
    {"mesh unquoted-shader-dash", "a path is read up to the next blank"},
    {"mesh missing-shader", "the mesh is whole without: a warning"},
    {"mesh missing-commandline", "nothing depends on it: a warning"},
    {"mesh missing-version", "shipped files lack it: a warning"},
    {"mesh parent-forward", "joint 0 is its own parent here; the engine reads memory it never set"},
    {"mesh zero-weights-vert", "it stays at the origin: a warning"},
    {"mesh weights-out-of-range", "the engine reads past its table"},
    {"mesh numMeshes-2", "shipped files say too many: a warning"},
    {"anim frames-more-bounds", "shipped files have more boxes than frames: a warning"},
    {"anim components-19", "hierarchy and frames agree: a warning"},
    {"anim first-eq-num", "without flags it does not matter"},
    {"anim first-overrun", "the engine reads past its table"},
    {"anim two-roots", "models have several roots, so may their animations"},
    {"anim components-0-flags", "flags ask for numbers that are not there"},
    {"anim bounds-missing", "nothing depends on them"},
    {"anim baseframe-before-bounds", "the order of these does not matter"},
};

// Marks what is found.
static bool differs_on_purpose(const char *name, bool *is_used)
{
    for (size_t i = 0; i < sizeof other_verdicts / sizeof other_verdicts[0]; i++) {
        if (strcmp(name, other_verdicts[i].name) == 0)
            return is_used[i] = true;
    }
    return false;
}

TEST (load_agrees_with_the_original_or_says_why_not) {
    bool is_used[sizeof other_verdicts / sizeof other_verdicts[0]] = {false};
    size_t num_files = 0;
    if (!test_corpus()) {
        test_skip("MD5_CORPUS is not set");
        return;
    }
    char *const verdicts = test_read_file(corpus_path("golden", "edge-verdicts.txt"), NULL);
    if (!CHECK(verdicts))
        return;
    for (char *line = strtok(verdicts, "\n"); line; line = strtok(NULL, "\n")) {
        char kind[8], name[64], verdict[16], key[80], file[128];
        if (!CHECK(sscanf(line, "%7s %63s %15s", kind, name, verdict) == 3))
            continue;
        num_files++;
        snprintf(key, sizeof key, "%s %s", kind, name);
        snprintf(file, sizeof file, "edge/%s.md5%s", name, kind);
        md5_error error;
        const asset made = load(corpus_path("golden", file), NULL, &error);
        const bool is_same = is_there(made) == (strcmp(verdict, "ok") == 0);
        CHECK(!is_there(made) || asset_holds(made));
        CHECK(is_there(made) || (error.line > 0 && error.status != MD5_ERROR_IO));
        test_check(is_same != differs_on_purpose(key, is_used), __FILE__, __LINE__,
                   "%s: the engine says %s; we: %s", key, verdict,
                   is_there(made) ? "ok" : error.message);
        release(made);
    }
    CHECK(num_files >= 80);
    for (size_t i = 0; i < sizeof is_used / sizeof is_used[0]; i++)
        test_check(is_used[i], __FILE__, __LINE__, "no file for '%s'", other_verdicts[i].name);
    free(verdicts);
}
