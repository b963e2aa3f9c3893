// Runs the seeds and corpora of the fuzzers of the programs' readers through their targets, without
// a fuzzer.
#define _POSIX_C_SOURCE 200809L // popen()
#include "test/fuzz/replay.h"
#include "test/viewer/test_view_case.h"

// Generates the glTF seeds as fuzz.sh does. Returns their number.
static size_t replay_generated(fuzz_target *run)
{
    SCOPED_FOLDER folder = folder_make();
    SCOPED_STRING command = common_format("python3 -B '%s' --seeds '%s' 2>&1",
                                          test_path("test/convert/gltf_make.py"), folder);
    FILE *const maker = popen(command, "r"); // NOLINT(cert-env33-c)
    const int status = maker ? pclose(maker) : -1;
    const size_t count = status == 0 ? fuzz_replay_folder(run, folder) : 0;
    if (status == 127 << 8)
        test_skip("python3 is not installed, which makes glTF");
    return count + (status == 127 << 8);
}

static void replay_program(fuzz_target *run, const char *name)
{
    const size_t num_replayed =
        run == fuzz_gltf ? replay_generated(run) : fuzz_replay(run, "seeds", name);
    CHECK_THAT(num_replayed > 0, "there are no seeds of %s", name);
    (void)fuzz_replay(run, "corpus", name); // only some targets have a corpus
}

TEST (fuzz_targets_of_programs_accept_their_seeds) {
#define REPLAY(name) replay_program(fuzz_##name, #name);
    FUZZ_PROGRAM_TARGETS(REPLAY)
}
