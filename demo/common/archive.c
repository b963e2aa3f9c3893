// Opens archives of both kinds. A .pak file of Quake is "PACK", the offset and the size of its
// list, and there 56 bytes of name, offset and size for each file; numbers are little-endian.
#include "demo/common/archive_list.h"

#include "demo/common/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAK_HEADER = 12, PAK_ENTRY = 64, PAK_NAME = 56 };

struct common_archive {
    FILE *stream;
    struct zip *zip; // NULL: a .pak file
    common_entries entries;
};

static bool read_range(FILE *stream, uint64_t offset, void *bytes, size_t size)
{
    return fseek(stream, (long)offset, SEEK_SET) == 0 && fread(bytes, 1, size, stream) == size;
}

// -- .pak -----------------------------------------------------------------------------------------

static uint32_t number_at(const unsigned char *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void add_pak_file(common_entries *entries, const unsigned char *entry)
{
    char name[PAK_NAME + 1] = "";
    const uint64_t offset = number_at(entry + PAK_NAME), size = number_at(entry + PAK_NAME + 4);
    memcpy(name, entry, PAK_NAME);
    if (offset > entries->archive_size || size > entries->archive_size - offset)
        common_warn_entry(entries, name, "skipped: its bytes are outside the archive");
    else
        common_add_entry(entries, name, offset, size, size);
}

static bool list_pak(common_archive *archive, common_fault *fault)
{
    common_entries *const entries = &archive->entries;
    unsigned char header[PAK_HEADER];
    if (entries->archive_size > INT32_MAX) // as far as long reaches everywhere
        return common_archive_fail(fault, "it has 2 GiB or more");
    if (!read_range(archive->stream, 0, header, sizeof header))
        return common_archive_fail(fault, "its header is truncated");
    const uint64_t offset = number_at(header + 4), size = number_at(header + 8);
    if (offset > entries->archive_size || size > entries->archive_size - offset)
        return common_archive_fail(
            fault, "its list of files is truncated: it ends at byte %llu of %llu",
            (unsigned long long)offset + size, (unsigned long long)entries->archive_size);
    if (size % PAK_ENTRY != 0)
        return common_archive_fail(fault,
                                   "its list of files has %llu bytes, expected a multiple of %d",
                                   (unsigned long long)size, PAK_ENTRY);
    const size_t room = (size_t)size; // not above INT32_MAX
    unsigned char *const list = malloc(room ? room : 1);
    const bool is_read = list && read_range(archive->stream, offset, list, room);
    for (size_t at = 0; at < room && is_read; at += PAK_ENTRY)
        add_pak_file(entries, list + at);
    free(list);
    return is_read || common_archive_fail(fault, "its list of files cannot be read");
}

// -- Both -----------------------------------------------------------------------------------------

static bool list_files(common_archive *archive, const char *path, common_fault *fault)
{
    char magic[4] = "";
    common_entries *const entries = &archive->entries;
    if (!read_range(archive->stream, 0, magic, sizeof magic))
        return common_archive_fail(fault, "not an archive: it has %llu bytes",
                                   (unsigned long long)entries->archive_size);
    if (memcmp(magic, "PACK", 4) == 0)
        return list_pak(archive, fault) && common_check_entries(entries, fault);
    // libzip has a handle of its own.
    fclose(archive->stream);
    archive->stream = NULL;
    archive->zip = common_open_zip(path, entries, fault);
    if (!archive->zip && memcmp(magic, "PK", 2) != 0)
        common_archive_fail(fault, "not a zip or .pak archive");
    return archive->zip && common_check_entries(entries, fault);
}

common_archive *common_open_archive(const char *path, common_archive_warn *warn, void *user,
                                    common_fault *fault)
{
    if (!common_is_file(path)) {
        common_archive_fail(fault, "not a file");
        return NULL;
    }
    common_archive *const archive = common_alloc(1, sizeof *archive);
    archive->entries.archive_size = common_file_size(path);
    archive->entries.warn = warn;
    archive->entries.user = user;
    archive->stream = fopen(path, "rb");
    if (!archive->stream)
        common_archive_fail(fault, "cannot open the file: %s", strerror(errno));
    else if (list_files(archive, path, fault))
        return archive;
    common_close_archive(archive);
    return NULL;
}

void common_close_archive(common_archive *archive)
{
    if (!archive)
        return;
    common_close_zip(archive->zip);
    common_free_entries(&archive->entries);
    if (archive->stream)
        fclose(archive->stream);
    free(archive);
}

size_t common_archive_count(const common_archive *archive)
{
    return archive->entries.count;
}

const char *common_archive_name(const common_archive *archive, size_t file)
{
    return archive->entries.files[file].name;
}

uint64_t common_archive_size(const common_archive *archive, size_t file)
{
    return archive->entries.files[file].size;
}

char *common_archive_read(common_archive *archive, size_t file, size_t *size, common_fault *fault)
{
    const common_entry *const entry = &archive->entries.files[file];
    char *const bytes = malloc(entry->size ? (size_t)entry->size : 1);
    *size = (size_t)entry->size;
    if (!bytes) {
        common_archive_fail(fault, "out of memory");
        return NULL;
    }
    if (archive->zip ? common_read_zip(archive->zip, entry, bytes, fault)
                     : read_range(archive->stream, entry->location, bytes, *size)
                           || common_archive_fail(fault, "the archive is truncated"))
        return bytes;
    free(bytes);
    return NULL;
}
