// Inputs that the fuzzers found, run through their targets without a fuzzer: every input that
// reaches code that no other reaches, and every one that once revealed a mistake.
#include "test/fuzz/target.h"
#include "test/test.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The targets belong to other programs, so the build does not compile them into this one.
#include "test/fuzz/anim.c"       // NOLINT(bugprone-suspicious-include)
#include "test/fuzz/camera.c"     // NOLINT(bugprone-suspicious-include)
#include "test/fuzz/compressed.c" // NOLINT(bugprone-suspicious-include)
#include "test/fuzz/cube.c"       // NOLINT(bugprone-suspicious-include)
#include "test/fuzz/game.c"       // NOLINT(bugprone-suspicious-include)
#include "test/fuzz/machine.c"    // NOLINT(bugprone-suspicious-include)
#include "test/fuzz/mesh.c"       // NOLINT(bugprone-suspicious-include)
#include "test/fuzz/save.c"       // NOLINT(bugprone-suspicious-include)
#include "test/fuzz/scale.c"      // NOLINT(bugprone-suspicious-include)
#include "test/fuzz/scene.c"      // NOLINT(bugprone-suspicious-include)
#include "test/fuzz/texture.c"    // NOLINT(bugprone-suspicious-include)

static void run_file(fuzz_target *run, const char *path)
{
    size_t size = 0;
    char *const text = test_read_file(path, &size);
    if (!CHECK(text))
        return;
    uint8_t *const data = malloc(size ? size : 1); // exact size: a read beyond it is detected
    if (!data)
        abort();
    memcpy(data, text, size);
    const char *const fault = run(data, size);
    test_check(!fault, __FILE__, __LINE__, "%s: %s", path, fault ? fault : "");
    free(data);
    free(text);
}

static size_t run_folder(fuzz_target *run, const char *folder)
{
    DIR *const entries = opendir(folder);
    size_t count = 0;
    const struct dirent *entry;
    while (entries && (entry = readdir(entries)) != NULL) {
        char path[1024];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        run_file(run, path);
        count++;
    }
    if (entries)
        closedir(entries);
    return count;
}

static void run_corpus(fuzz_target *run, const char *name)
{
    char folder[256];
    snprintf(folder, sizeof folder, "test/fuzz/seeds/%s", name);
    CHECK(run_folder(run, test_path(folder)) > 0);
    snprintf(folder, sizeof folder, "test/fuzz/corpus/%s", name);
    CHECK(run_folder(run, test_path(folder)) > 0);
}

TEST (fuzz_corpus_of_meshes_holds) {
    run_corpus(fuzz_mesh, "mesh");
}

TEST (fuzz_corpus_of_anims_holds) {
    run_corpus(fuzz_anim, "anim");
}

TEST (fuzz_corpus_of_cameras_holds) {
    run_corpus(fuzz_camera, "camera");
}

TEST (fuzz_corpus_of_machines_holds) {
    run_corpus(fuzz_machine, "machine");
}

TEST (fuzz_corpus_of_scenes_holds) {
    run_corpus(fuzz_scene, "scene");
}

TEST (fuzz_corpus_of_saved_players_holds) {
    run_corpus(fuzz_save, "save");
}

TEST (fuzz_corpus_of_games_holds) {
    run_corpus(fuzz_game, "game");
    run_corpus(fuzz_cube, "cube");
    run_corpus(fuzz_scale, "scale");
}

TEST (fuzz_corpus_of_textures_holds) {
    run_corpus(fuzz_texture, "texture");
}

TEST (fuzz_corpus_of_compressed_clips_holds) {
    run_corpus(fuzz_compressed, "compressed");
}
