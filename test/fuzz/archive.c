// An archive, zip or .pak; every file in it is read. The reader is in demo/common, not in the
// library, so replay.c does not have this target.
#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE // for memfd_create()
#endif

#include "test/fuzz/target.h"

#include "demo/common/game_folder.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// Entries may claim 512 MiB each; one of this size is enough to find what is wrong with it.
enum { MOST_READ = 64 << 20 };

static void count_warning(void *user, const char *name, const char *fault)
{
    (void)name;
    *(bool *)user |= fault[0] == '\0' || strchr(fault, '\n') != NULL;
}

static const char *read_archive(const char *path)
{
    bool is_wrong = false;
    size_t total = 0;
    common_fault fault = {""};
    common_archive *const archive = common_open_archive(path, count_warning, &is_wrong, &fault);
    if (!archive)
        return fault.text[0] ? NULL : "refused without a reason";
    for (size_t i = 0; i < common_archive_count(archive) && total < MOST_READ; i++) {
        size_t size = 0;
        fault.text[0] = '\0';
        char *const bytes = common_archive_read(archive, i, &size, &fault);
        is_wrong |= !bytes && fault.text[0] == '\0';
        is_wrong |= common_archive_name(archive, i)[0] == '\0';
        total += size;
        free(bytes);
    }
    common_close_archive(archive);
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
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    return read_archive(path);
}
