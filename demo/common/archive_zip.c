// Zip files through libzip. Its handle is only touched here, so that builds without libzip differ
// in this file alone.
#include "demo/common/archive_list.h"

#if defined(COMMON_HAS_ZIP)

#include <string.h>

#include <zip.h>

enum { STORED = 0, DEFLATED = 8, LOCAL_HEADER_SIZE = 30 };

// What a link is in the attributes of Unix.
enum { MODE_SHIFT = 16, MODE_KIND = 0xF000, MODE_LINK = 0xA000 };

static bool is_link(zip_t *zip, zip_uint64_t entry)
{
    zip_uint8_t system = 0;
    zip_uint32_t attributes = 0;
    return zip_file_get_external_attributes(zip, entry, 0, &system, &attributes) == 0
           && system == ZIP_OPSYS_UNIX && (attributes >> MODE_SHIFT & MODE_KIND) == MODE_LINK;
}

// No deflated file grows by more than this.
static bool has_possible_size(const zip_stat_t *stat)
{
    enum { MAX_GROWTH = 1032, MAX_BLOCK = 64 };
    return stat->comp_method == STORED ? stat->size == stat->comp_size
                                       : stat->size / MAX_GROWTH <= stat->comp_size + MAX_BLOCK;
}

static void add_file(zip_t *zip, zip_uint64_t entry, common_entries *entries)
{
    zip_stat_t stat;
    const char *const name = zip_get_name(zip, entry, ZIP_FL_ENC_RAW);
    const size_t length = name ? strlen(name) : 0;
    if (length > 0 && name[length - 1] == '/')
        return; // a folder
    if (!name || zip_stat_index(zip, entry, 0, &stat) != 0)
        common_warn_entry(entries, name ? name : "", "skipped: its entry cannot be read");
    else if (is_link(zip, entry))
        common_warn_entry(entries, name, "skipped: it is a link");
    else if (stat.encryption_method != ZIP_EM_NONE)
        common_warn_entry(entries, name, "skipped: it is encrypted");
    else if (stat.comp_method != STORED && stat.comp_method != DEFLATED)
        common_warn_entry(entries, name, "skipped: it is compressed by the unknown method %u",
                          (unsigned)stat.comp_method);
    else if (!has_possible_size(&stat))
        common_warn_entry(entries, name, "skipped: %llu bytes cannot be in %llu compressed ones",
                          (unsigned long long)stat.size, (unsigned long long)stat.comp_size);
    else
        common_add_entry(entries, name, entry, stat.size,
                         stat.comp_size + length + LOCAL_HEADER_SIZE);
}

struct zip *common_open_zip(const char *path, common_entries *entries, common_fault *fault)
{
    int code = 0;
    zip_t *const zip = zip_open(path, ZIP_RDONLY, &code);
    if (!zip) {
        zip_error_t error;
        zip_error_init_with_code(&error, code);
        common_archive_fail(fault, "its list of files is damaged or truncated: %s",
                            zip_error_strerror(&error));
        zip_error_fini(&error);
        return NULL;
    }
    const zip_int64_t count = zip_get_num_entries(zip, 0);
    for (zip_int64_t i = 0; i < count; i++)
        add_file(zip, (zip_uint64_t)i, entries);
    return zip;
}

void common_close_zip(struct zip *zip)
{
    if (zip)
        zip_discard(zip);
}

// The byte behind the last one makes libzip check that there is none, and the checksum.
bool common_read_zip(struct zip *zip, const common_entry *entry, char *bytes, common_fault *fault)
{
    char behind;
    zip_file_t *const file = zip_fopen_index(zip, entry->location, 0);
    if (!file)
        return common_archive_fail(fault, "the archive is damaged: %s", zip_strerror(zip));
    uint64_t count = 0;
    zip_int64_t step = 1;
    while (count < entry->size && step > 0) {
        step = zip_fread(file, bytes + count, entry->size - count);
        count += step > 0 ? (uint64_t)step : 0;
    }
    const bool is_whole = count == entry->size && zip_fread(file, &behind, 1) == 0;
    if (!is_whole) {
        const char *const reason = zip_file_strerror(file);
        common_archive_fail(fault, "the archive is damaged: %s", reason ? reason : "wrong size");
    }
    zip_fclose(file);
    return is_whole;
}

#else

struct zip *common_open_zip(const char *path, common_entries *entries, common_fault *fault)
{
    (void)path, (void)entries;
    common_archive_fail(fault, "this build reads no .pk4 archives: it was made without libzip");
    return NULL;
}

void common_close_zip(struct zip *zip)
{
    (void)zip;
}

// NOLINTNEXTLINE(readability-non-const-parameter): as above
bool common_read_zip(struct zip *zip, const common_entry *entry, char *bytes, common_fault *fault)
{
    (void)zip, (void)entry, (void)bytes;
    return common_archive_fail(fault, "this build reads no .pk4 archives");
}

#endif
