// Runs targets on stored inputs without a fuzzer: inputs that reach code that no other input
// reaches, and inputs that once revealed an error.
#ifndef FUZZ_REPLAY_H
#define FUZZ_REPLAY_H

#include "test/fuzz/target.h"
#include "test/scoped.h"

#include <dirent.h>

static inline void fuzz_replay_file(fuzz_target *run, const char *path)
{
    size_t size = 0;
    SCOPED_STRING text = test_read_file(path, &size);
    REQUIRE(text);
    SCOPED uint8_t *const data = test_copy(text, size);
    const char *const fault = run(data, size);
    CHECK_THAT(!fault, "%s: %s", path, fault ? fault : "");
}

// Returns the number of files in the folder.
static inline size_t fuzz_replay_folder(fuzz_target *run, const char *folder)
{
    DIR *const entries = opendir(folder);
    size_t count = 0;
    const struct dirent *entry;
    while (entries && (entry = readdir(entries)) != NULL) {
        char path[1024];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        fuzz_replay_file(run, path);
        count++;
    }
    if (entries)
        closedir(entries);
    return count;
}

// Returns the number of inputs of a target in "seeds" or "corpus".
static inline size_t fuzz_replay(fuzz_target *run, const char *kind, const char *name)
{
    char folder[256];
    snprintf(folder, sizeof folder, "test/fuzz/%s/%s", kind, name);
    return fuzz_replay_folder(run, test_path(folder));
}

#endif
