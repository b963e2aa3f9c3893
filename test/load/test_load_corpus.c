// Loads the whole corpus of real files, compares the results for tiny unusual files with the
// original engine, and replays the fuzz corpus.
#include "test/fuzz/replay.h"
#include "test/read/read_case.h"

#include <dirent.h>

// -- The corpus -----------------------------------------------------------------------------

// Cuts off and returns the next field of a tab-separated line.
static char *next_field(char **rest)
{
    char *const field = *rest;
    char *const tab = strchr(field, '\t');
    if (tab)
        *tab = '\0';
    *rest = tab ? tab + 1 : field + strlen(field);
    return field;
}

typedef struct corpus_line {
    const char *path;
    uint32_t counts[5]; // joints, meshes, vertices, triangles, weights; for a clip: joints
    uint32_t num_frames;
    bool is_one_file; // false: several files in one, whose counts are added up
} corpus_line;

static corpus_line split_corpus_line(char *line)
{
    corpus_line split = {.path = next_field(&line)};
    for (int i = 0; i < 6; i++)
        next_field(&line); // source ref orig_path license size kind
    for (int i = 0; i < 5; i++)
        split.counts[i] = (uint32_t)strtoul(next_field(&line), NULL, 10);
    next_field(&line); // largest number of weights of a vertex
    split.num_frames = (uint32_t)strtoul(next_field(&line), NULL, 10);
    split.is_one_file = !strstr(line, "file_concatenated");
    return split;
}

static void check_counts(const corpus_line *line, read_asset asset)
{
    if (asset.anim) {
        CHECK_UINT(asset.anim->skeleton.num_joints, line->counts[0]);
        CHECK_UINT(asset.anim->num_frames, line->num_frames);
        return;
    }
    uint32_t num_vertices = 0;
    uint32_t num_triangles = 0;
    uint32_t num_weights = 0;
    for (uint32_t i = 0; i < asset.model->num_meshes; i++) {
        const md5_mesh *const mesh = &asset.model->meshes[i];
        num_vertices += mesh->num_file_vertices;
        num_triangles += mesh->num_triangles;
        num_weights += mesh->num_weights;
    }
    CHECK_UINT(asset.model->skeleton.num_joints, line->counts[0]);
    CHECK_UINT(asset.model->num_meshes, line->counts[1]);
    CHECK_UINT(num_vertices, line->counts[2]);
    CHECK_UINT(num_triangles, line->counts[3]);
    CHECK_UINT(num_weights, line->counts[4]);
}

// Compares every model and animation of the corpus with the counts in its list.
TEST (load_reads_the_whole_corpus) {
    size_t num_files = 0;
    REQUIRE_CORPUS();
    SCOPED_STRING list = test_read_file(test_path("corpus/PUBLIC_MANIFEST.tsv"), NULL);
    REQUIRE(list);
    for (char *line = strtok(list, "\n"); line; line = strtok(NULL, "\n")) {
        const corpus_line split = split_corpus_line(line);
        const char *const dot = strrchr(split.path, '.');
        if (!dot || (strcmp(dot, ".md5mesh") != 0 && strcmp(dot, ".md5anim") != 0))
            continue;
        num_files++;
        test_heap heap = {0};
        const md5_load_opts opts = heap_opts(&heap, 0);
        md5_error error = {0};
        const read_asset asset =
            read_asset_load(test_pathf("corpus/%s", split.path), &opts, &error);
        // These files were damaged on purpose and cannot be read.
        CHECK_THAT(read_asset_is_loaded(asset)
                       != (strcmp(split.path, "assimp/malformed_weight_index.md5mesh") == 0
                           || strcmp(split.path, "assimp/invalid/InvalidBoneIndex.md5mesh") == 0),
                   "%s: %s", split.path, error.message);
        if (read_asset_is_loaded(asset)) {
            CHECK(read_asset_is_valid(asset));
            if (split.is_one_file)
                check_counts(&split, asset);
        }
        read_asset_free(asset);
        CHECK_UINT(heap.live_bytes, 0);
    }
    CHECK(num_files > 50);
}

TEST (load_reports_warnings_of_the_corpus) {
    static const struct {
        const char *path, *report;
    } cases[] = {
        {"frankie/Frankie.md5mesh",
         "65:2: warning: 'sha--der' is an unknown keyword: skipped with its values\n"
         "3650:1: warning: incomplete mesh: 'shader' is missing (2 times, last in line 11581)\n"
         "3655:2: warning: 'sh--ader' is an unknown keyword: skipped with its values"},
        {"terasology/lasr/queen.md5mesh",
         "5359:1: warning: a second MD5 file begins here: it is ignored"},
        {"terasology/lasr/queenWalk.md5anim",
         "397:1: warning: a second MD5 file begins here: it is ignored"},
        {"redeclipse/weapons/plasma/plasma-reload.md5anim",
         "1:1: warning: missing line 'MD5Version 10'"},
        {"redeclipse/weapons/zapper/item.md5mesh", "1:1: warning: missing line 'MD5Version 10'"},
        {"redeclipse/luckystrike/banner01/banner.md5anim",
         "19:1: warning: number of bounding boxes does not match numFrames: expected 3, found 4; "
         "excess boxes are ignored"},
        {"redeclipse/weapons/grenade/grenade.md5mesh", "1:1: warning: missing 'commandline'"},
        {"redeclipse/props/ball/ball.md5mesh",
         "5:11: warning: numMeshes does not match the file: declared 2, found 1"},
        {"redeclipse/projectiles/cartridge/mesh.md5mesh", ""}, // Latin-1 in its shader
        {"assimp/malformed_weight_index.md5mesh",
         "18:25: error: vertex refers to unknown weights: expected indices below 16 (numweights), "
         "found 1000000 to 1000001"},
        {"assimp/invalid/InvalidBoneIndex.md5mesh",
         "23:10: error: weight refers to an unknown joint: expected an index below 1 (numJoints), "
         "found 999"},
    };
    REQUIRE_CORPUS();
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        read_case_log log = {0};
        const md5_load_opts opts = {.warn = read_case_warn, .warn_user = &log};
        md5_error error = {0};
        const read_asset asset =
            read_asset_load(test_pathf("corpus/%s", cases[i].path), &opts, &error);
        if (!read_asset_is_loaded(asset))
            read_case_add(&log, &error);
        CHECK_STRING(log.text, cases[i].report);
        read_asset_free(asset);
    }
}

// -- Results of the original engine ---------------------------------------------------------

// Files for which the library and the engine have different results, and the reasons.
static const struct {
    const char *name, *why;
} other_verdicts[] = {
    {"mesh upper-exp", "1E0 is what printf writes for %E"},
    {"mesh zero-exp", "0e5 is a number"},
    {"mesh leading-zero-float", "01.5 is a number; the engine reads it as octal"},
    {"mesh plus-sign", "+1 is a number"},
    {"mesh huge-exp", "infinity in a joint makes all its descendants invisible"},
    {"mesh hex-int", "no exporter writes it, so it is an error"},
    {"mesh unquoted-shader-dash", "a path ends at the next blank"},
    {"mesh missing-shader", "the mesh is complete without a shader: a warning"},
    {"mesh missing-commandline", "nothing depends on it: a warning"},
    {"mesh missing-version", "it is missing in published files: a warning"},
    {"mesh parent-forward",
     "joint 0 is its own parent here; the engine reads uninitialized memory"},
    {"mesh zero-weights-vert", "it stays at the origin: a warning"},
    {"mesh weights-out-of-range", "the engine reads past its table"},
    {"mesh numMeshes-2", "published files declare too many meshes: a warning"},
    {"anim frames-more-bounds", "published files have more boxes than frames: a warning"},
    {"anim components-19", "hierarchy and frames agree: a warning"},
    {"anim first-eq-num", "without flags it has no effect"},
    {"anim first-overrun", "the engine reads past its table"},
    {"anim framerate-0", "the engine divides by it; others read 25: a warning"},
    {"anim two-roots", "models have several roots, so may their animations"},
    {"anim components-0-flags", "flags require numbers that do not exist"},
    {"anim bounds-missing", "nothing depends on them"},
    {"anim baseframe-before-bounds", "the order of these sections has no effect"},
};

// Returns true if the list above contains a file, and marks the entry as used.
static bool differs_on_purpose(const char *name, bool *is_used)
{
    for (size_t i = 0; i < COUNT_OF(other_verdicts); i++) {
        if (strcmp(name, other_verdicts[i].name) == 0)
            return is_used[i] = true;
    }
    return false;
}

TEST (load_agrees_with_the_original_or_reports_the_difference) {
    bool is_used[COUNT_OF(other_verdicts)] = {false};
    size_t num_files = 0;
    REQUIRE_CORPUS();
    SCOPED_STRING verdicts = test_read_file(test_path("golden/edge-verdicts.txt"), NULL);
    REQUIRE(verdicts);
    for (char *line = strtok(verdicts, "\n"); line; line = strtok(NULL, "\n")) {
        char kind[8];
        char name[64];
        char mode[16];
        char key[80];
        char file[128];
        if (!CHECK(sscanf(line, "%7s %63s %15s", kind, name, mode) == 3))
            continue;
        num_files++;
        snprintf(key, sizeof key, "%s %s", kind, name);
        snprintf(file, sizeof file, "edge/%s.md5%s", name, kind);
        md5_error error = {0};
        const read_asset asset = read_asset_load(test_pathf("golden/%s", file), NULL, &error);
        const bool is_same = read_asset_is_loaded(asset) == (strcmp(mode, "ok") == 0);
        CHECK(!read_asset_is_loaded(asset) || read_asset_is_valid(asset));
        CHECK(read_asset_is_loaded(asset) || (error.line > 0 && error.status != MD5_ERROR_IO));
        CHECK_THAT(is_same != differs_on_purpose(key, is_used),
                   "%s: expected the engine's result %s, found %s", key, mode,
                   read_asset_is_loaded(asset) ? "ok" : error.message);
        read_asset_free(asset);
    }
    CHECK(num_files >= 80);
    for (size_t i = 0; i < COUNT_OF(is_used); i++)
        CHECK_THAT(is_used[i], "no file for '%s'", other_verdicts[i].name);
}

// -- Fuzz corpus ----------------------------------------------------------------------------------

TEST (fuzz_targets_accept_their_stored_inputs) {
#define RUN_CORPUS(name)                                 \
    CHECK(fuzz_replay(fuzz_##name, "seeds", #name) > 0); \
    CHECK(fuzz_replay(fuzz_##name, "corpus", #name) > 0);
    FUZZ_LIBRARY_TARGETS(RUN_CORPUS)
}
