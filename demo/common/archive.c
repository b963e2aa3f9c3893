// The end of a zip file says where its list of files is; each entry of the list where a file is.
// Numbers are little-endian. Offsets and sizes are checked against the file before they are used.
#include "demo/common/archive.h"

#include "demo/common/inflate.h"
#include "demo/common/memory.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { END_SIZE = 22, ENTRY_SIZE = 46, LOCAL_SIZE = 30, LONGEST_COMMENT = 0xFFFF };
enum { STORED = 0, DEFLATED = 8 };

typedef struct archived_file {
    char *name;
    uint32_t method, packed, size, offset;
} archived_file;

struct common_archive {
    FILE *stream;
    size_t size; // of the archive
    archived_file *files;
    size_t count;
};

static uint32_t number_at(const unsigned char *at, int bytes)
{
    uint32_t value = 0;
    for (int i = bytes - 1; i >= 0; i--)
        value = value << 8 | at[i];
    return value;
}

static bool begins_with(const unsigned char *at, uint32_t signature)
{
    return number_at(at, 4) == signature;
}

// Reads `size` bytes at `offset`; free() the result. NULL if the archive is shorter.
static unsigned char *read_range(const common_archive *archive, size_t offset, size_t size)
{
    if (offset > archive->size || size > archive->size - offset
        || fseek(archive->stream, (long)offset, SEEK_SET) != 0)
        return NULL;
    unsigned char *const bytes = common_alloc(size, 1);
    if (fread(bytes, 1, size, archive->stream) == size)
        return bytes;
    free(bytes);
    return NULL;
}

// -- List of files --------------------------------------------------------------------------------

// Adds the files of the list bytes[size]. Stops where an entry is broken.
static void add_files(common_archive *archive, const unsigned char *bytes, size_t size)
{
    for (size_t at = 0; size - at >= ENTRY_SIZE && begins_with(bytes + at, 0x02014b50);) {
        const unsigned char *const entry = bytes + at;
        const size_t name = number_at(entry + 28, 2);
        const size_t whole =
            ENTRY_SIZE + name + number_at(entry + 30, 2) + number_at(entry + 32, 2);
        if (whole > size - at)
            return;
        archive->files = common_realloc(archive->files, archive->count + 1, sizeof(archived_file));
        archived_file *const file = &archive->files[archive->count++];
        *file = (archived_file){
            .name = common_alloc(name + 1, 1),
            .method = number_at(entry + 10, 2),
            .packed = number_at(entry + 20, 4),
            .size = number_at(entry + 24, 4),
            .offset = number_at(entry + 42, 4),
        };
        memcpy(file->name, entry + ENTRY_SIZE, name);
        at += whole;
    }
}

// Finds the end record, behind which there may be a comment, and reads the list that it names.
static bool read_list(common_archive *archive)
{
    const size_t most = END_SIZE + LONGEST_COMMENT;
    const size_t size = archive->size < most ? archive->size : most;
    unsigned char *const tail = read_range(archive, archive->size - size, size);
    size_t at = size < END_SIZE ? 0 : size - END_SIZE + 1;
    while (tail && at > 0 && !begins_with(tail + at - 1, 0x06054b50))
        at--;
    const bool is_found = tail && at > 0;
    const size_t list_size = is_found ? number_at(tail + at - 1 + 12, 4) : 0;
    const size_t list_at = is_found ? number_at(tail + at - 1 + 16, 4) : 0;
    free(tail);
    unsigned char *const list = is_found ? read_range(archive, list_at, list_size) : NULL;
    if (list)
        add_files(archive, list, list_size);
    free(list);
    return list != NULL;
}

common_archive *common_open_archive(const char *path, const char **reason)
{
    common_archive *const archive = common_alloc(1, sizeof *archive);
    archive->stream = fopen(path, "rb");
    *reason = "cannot open the file";
    if (archive->stream && fseek(archive->stream, 0, SEEK_END) == 0) {
        const long end = ftell(archive->stream);
        archive->size = end > 0 ? (size_t)end : 0;
        *reason = "this is no zip file";
        if (read_list(archive))
            return archive;
    }
    common_close_archive(archive);
    return NULL;
}

void common_close_archive(common_archive *archive)
{
    if (!archive)
        return;
    for (size_t i = 0; i < archive->count; i++)
        free(archive->files[i].name);
    free(archive->files);
    if (archive->stream)
        fclose(archive->stream);
    free(archive);
}

size_t common_archive_count(const common_archive *archive)
{
    return archive->count;
}

const char *common_archive_name(const common_archive *archive, size_t file)
{
    return archive->files[file].name;
}

// -- Files ----------------------------------------------------------------------------------------

// Reads the packed bytes of a file, behind a header of its own.
static unsigned char *read_packed(const common_archive *archive, const archived_file *file)
{
    unsigned char *const local = read_range(archive, file->offset, LOCAL_SIZE);
    const bool is_local = local && begins_with(local, 0x04034b50);
    const size_t skipped =
        is_local ? LOCAL_SIZE + number_at(local + 26, 2) + number_at(local + 28, 2) : 0;
    free(local);
    return is_local ? read_range(archive, file->offset + skipped, file->packed) : NULL;
}

// No deflated file grows by more than this.
static bool has_possible_size(const archived_file *file)
{
    enum { MOST_GROWTH = 1032 };
    if (file->size >= INT32_MAX)
        return false;
    return file->method == STORED ? file->size == file->packed
                                  : file->size <= (uint64_t)MOST_GROWTH * file->packed + 64;
}

char *common_archive_read(common_archive *archive, size_t file, size_t *size, const char **reason)
{
    const archived_file *const entry = &archive->files[file];
    *reason = "the archive compresses this file by an unknown method";
    if (entry->method != STORED && entry->method != DEFLATED)
        return NULL;
    *reason = "the archive is broken";
    unsigned char *const packed = has_possible_size(entry) ? read_packed(archive, entry) : NULL;
    *size = entry->size;
    if (!packed || entry->method == STORED)
        return (char *)packed;
    unsigned char *const bytes = common_alloc(entry->size, 1);
    const bool is_good = common_inflate(packed, entry->packed, bytes, entry->size);
    free(packed);
    if (is_good)
        return (char *)bytes;
    free(bytes);
    return NULL;
}
