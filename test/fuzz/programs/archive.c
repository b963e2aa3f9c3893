// Fuzz target for archives, zip or .pak; every file in the archive is read.
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE // for memfd_create()
#endif

#include "test/fuzz/target.h"

#include "demo/common/game_folder.h"

#include <sys/mman.h>
#include <unistd.h>

// Entries can declare 512 MiB each; an entry of this size is sufficient to find errors.
enum { MAX_READ = 64 << 20 };

static void count_warning(void *user, const char *name, const char *fault)
{
    (void)name;
    *(bool *)user |= fault[0] == '\0' || strchr(fault, '\n') != NULL;
}

static const char *read_archive(const char *path)
{
    bool is_wrong = false;
    size_t total = 0;
    md5_error error = {.message = ""};
    common_game_paths paths = {.warn = count_warning, .user = &is_wrong};
    if (!common_add_game_path(&paths, path, &error))
        return error.message[0] ? NULL : "rejected without an error message";
    const md5_game_path *const archive = paths.paths;
    for (size_t i = 0; i < archive->num_files && total < MAX_READ; i++) {
        size_t size = 0;
        error.message[0] = '\0';
        const void *const bytes = archive->open(archive->user, i, &size, &error);
        is_wrong |= !bytes && error.message[0] == '\0';
        is_wrong |= archive->name(archive->user, i)[0] == '\0';
        total += size;
        archive->close(archive->user, bytes, size);
    }
    common_free_game_paths(&paths);
    return is_wrong ? "a fault without a line" : NULL;
}

const char *fuzz_archive(const uint8_t *data, size_t size)
{
    static int file = -1;
    char path[64];
    if (file < 0)
        file = memfd_create("archive", 0);
    if (file < 0 || ftruncate(file, 0) != 0 || pwrite(file, data, size, 0) != (ssize_t)size)
        return "the archive cannot be written";
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    return read_archive(path);
}
