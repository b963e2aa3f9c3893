// A game folder whose files are in memory: the functions of an md5_game_path.
#ifndef FUZZ_FOLDER_H
#define FUZZ_FOLDER_H

#include "test/fuzz/memory.h"

#include "md5/md5game.h"

typedef struct fuzz_file {
    const char *name, *bytes;
    size_t size;
} fuzz_file;

// Implements md5_game_path; `user` is the array of files.
static inline const char *fuzz_file_name(void *user, size_t file)
{
    return ((const fuzz_file *)user)[file].name;
}

static inline const void *open_fuzz_file(void *user, size_t file, size_t *size, md5_error *error)
{
    (void)error;
    *size = ((const fuzz_file *)user)[file].size;
    return ((const fuzz_file *)user)[file].bytes;
}

static inline void close_fuzz_file(void *user, const void *bytes, size_t size)
{
    (void)user, (void)bytes, (void)size;
}

static inline md5_game_path fuzz_folder(const fuzz_file *files, size_t count)
{
    return (md5_game_path){.num_files = count,
                           .name = fuzz_file_name,
                           .open = open_fuzz_file,
                           .close = close_fuzz_file,
                           .user = (void *)(uintptr_t)files};
}

#endif
