// Archives: their lists, zip files through libzip, .pak files. Game folders with their archives.
#include "demo/common/game_folder.h"

#include "demo/common/file.h"
#include "demo/common/memory.h"
#include "demo/common/system.h"
#include "demo/common/text.h"
#include "demo/common/walk.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The largest file that is read, and the largest archive.
#define COMMON_MAX_FILE_SIZE ((uint64_t)1 << 29)

typedef struct common_entry {
    char *name;
    uint64_t location; // zip: number of the entry; pak: byte offset
    uint64_t size;     // bytes of the file
} common_entry;

typedef struct common_entries {
    common_entry *files;
    size_t count;
    uint64_t archive_size, num_packed; // bytes of the archive, and what all entries claim of it
    common_archive_warn *warn;         // may be NULL
    void *user;
    size_t num_warnings;
} common_entries;

// == Lists ========================================================================================

enum { MAX_WARNINGS = 10 };

// Fills `fault` as printf() does and returns false.
COMMON_PRINTF(2, 3) static bool archive_fail(common_fault *fault, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(fault->text, sizeof fault->text, format, arguments);
    va_end(arguments);
    return false;
}

// Reports an entry, unless many have been.
COMMON_PRINTF(3, 4)
static void warn_entry(common_entries *entries, const char *name, const char *format, ...)
{
    common_fault fault;
    va_list arguments;
    if (!entries->warn || entries->num_warnings > MAX_WARNINGS)
        return;
    va_start(arguments, format);
    (void)vsnprintf(fault.text, sizeof fault.text, format, arguments);
    va_end(arguments);
    const bool is_last = entries->num_warnings++ == MAX_WARNINGS;
    entries->warn(entries->user, is_last ? "" : name,
                  is_last ? "further warnings suppressed" : fault.text);
}

// -- Names ----------------------------------------------------------------------------------------

static bool is_separator(char c)
{
    return c == '/' || c == '\\';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool has_dots(const char *name)
{
    for (const char *at = name; (at = strstr(at, "..")) != NULL; at++) {
        const bool begins = at == name || is_separator(at[-1]);
        if (begins && (at[2] == '\0' || is_separator(at[2])))
            return true;
    }
    return false;
}

static bool has_control(const char *name)
{
    for (; *name; name++) {
        if ((unsigned char)*name < ' ' || *name == 0x7f)
            return true;
    }
    return false;
}

// Why no game could ask for a file of this name, or NULL.
static const char *name_fault(const char *name)
{
    if (name[0] == '\0')
        return "skipped: it has no name";
    if (is_separator(name[0]))
        return "skipped: its name is absolute";
    if (is_letter(name[0]) && name[1] == ':')
        return "skipped: its name has a drive";
    if (has_dots(name))
        return "skipped: its name leaves the archive";
    return has_control(name) ? "skipped: its name has control characters" : NULL;
}

// -- Entries --------------------------------------------------------------------------------------

// Adds a file that claims `packed` bytes of the archive, if its name and size are possible; else
// warns.
static void add_entry(common_entries *entries, const char *name, uint64_t location, uint64_t size,
                      uint64_t packed)
{
    const char *const fault = name_fault(name);
    entries->num_packed += packed < UINT32_MAX ? packed : UINT32_MAX;
    if (fault) {
        warn_entry(entries, name, "%s", fault);
        return;
    }
    if (size > COMMON_MAX_FILE_SIZE) {
        warn_entry(entries, name, "skipped: it has %llu bytes, at most %llu are read",
                   (unsigned long long)size, (unsigned long long)COMMON_MAX_FILE_SIZE);
        return;
    }
    entries->files = common_grow(entries->files, entries->count, sizeof *entries->files);
    entries->files[entries->count++] = (common_entry){common_copy(name), location, size};
}

// Of equal names the one that comes first in the archive.
static int compare_files(const void *a, const void *b)
{
    const common_entry *const first = *(const common_entry *const *)a;
    const common_entry *const second = *(const common_entry *const *)b;
    const int order = common_compare_case(first->name, second->name);
    return order ? order : (first > second) - (first < second);
}

// Checks what all entries together must keep: entries that overlap claim more than the archive has.
// Warns of names that come twice. Returns false and fills `fault`.
static bool check_entries(common_entries *entries, common_fault *fault)
{
    if (entries->num_packed > entries->archive_size)
        return archive_fail(fault, "its entries overlap: they have %llu bytes, the archive %llu",
                            (unsigned long long)entries->num_packed,
                            (unsigned long long)entries->archive_size);
    const common_entry **const sorted = common_alloc(entries->count, sizeof *sorted);
    for (size_t i = 0; i < entries->count; i++)
        sorted[i] = &entries->files[i];
    if (entries->count > 0)
        qsort(sorted, entries->count, sizeof *sorted, compare_files);
    for (size_t i = 1; i < entries->count; i++) {
        if (common_compare_case(sorted[i - 1]->name, sorted[i]->name) == 0)
            warn_entry(entries, sorted[i - 1]->name, "hidden by a later entry of the same name");
    }
    free(sorted);
    return true;
}

// == Zip files ====================================================================================
//
// Through libzip, whose handle is only touched here, so that builds without libzip differ here
// alone.

#if defined(COMMON_HAS_ZIP)

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
        warn_entry(entries, name ? name : "", "skipped: its entry cannot be read");
    else if (is_link(zip, entry))
        warn_entry(entries, name, "skipped: it is a link");
    else if (stat.encryption_method != ZIP_EM_NONE)
        warn_entry(entries, name, "skipped: it is encrypted");
    else if (stat.comp_method != STORED && stat.comp_method != DEFLATED)
        warn_entry(entries, name, "skipped: it is compressed by the unknown method %u",
                   (unsigned)stat.comp_method);
    else if (!has_possible_size(&stat))
        warn_entry(entries, name, "skipped: %llu bytes cannot be in %llu compressed ones",
                   (unsigned long long)stat.size, (unsigned long long)stat.comp_size);
    else
        add_entry(entries, name, entry, stat.size, stat.comp_size + length + LOCAL_HEADER_SIZE);
}

static struct zip *open_zip(const char *path, common_entries *entries, common_fault *fault)
{
    int code = 0;
    zip_t *const zip = zip_open(path, ZIP_RDONLY, &code);
    if (!zip) {
        zip_error_t error;
        zip_error_init_with_code(&error, code);
        archive_fail(fault, "its list of files is damaged or truncated: %s",
                     zip_error_strerror(&error));
        zip_error_fini(&error);
        return NULL;
    }
    const zip_int64_t count = zip_get_num_entries(zip, 0);
    for (zip_int64_t i = 0; i < count; i++)
        add_file(zip, (zip_uint64_t)i, entries);
    return zip;
}

static void close_zip(struct zip *zip)
{
    if (zip)
        zip_discard(zip);
}

// The byte behind the last one makes libzip check that there is none, and the checksum.
static bool read_zip(struct zip *zip, const common_entry *entry, char *bytes, common_fault *fault)
{
    char behind;
    zip_file_t *const file = zip_fopen_index(zip, entry->location, 0);
    if (!file)
        return archive_fail(fault, "the archive is damaged: %s", zip_strerror(zip));
    uint64_t count = 0;
    zip_int64_t step = 1;
    while (count < entry->size && step > 0) {
        step = zip_fread(file, bytes + count, entry->size - count);
        count += step > 0 ? (uint64_t)step : 0;
    }
    const bool is_whole = count == entry->size && zip_fread(file, &behind, 1) == 0;
    if (!is_whole) {
        const char *const reason = zip_file_strerror(file);
        archive_fail(fault, "the archive is damaged: %s", reason ? reason : "wrong size");
    }
    zip_fclose(file);
    return is_whole;
}

#else

static struct zip *open_zip(const char *path, common_entries *entries, common_fault *fault)
{
    (void)path, (void)entries;
    archive_fail(fault, "this build reads no .pk4 archives: it was made without libzip");
    return NULL;
}

static void close_zip(struct zip *zip)
{
    (void)zip;
}

// NOLINTNEXTLINE(readability-non-const-parameter): as above
static bool read_zip(struct zip *zip, const common_entry *entry, char *bytes, common_fault *fault)
{
    (void)zip, (void)entry, (void)bytes;
    return archive_fail(fault, "this build reads no .pk4 archives");
}

#endif

// == Archives =====================================================================================
//
// Opens archives of both kinds. A .pak file of Quake is "PACK", the offset and the size of its
// list, and there 56 bytes of name, offset and size for each file; numbers are little-endian.

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
        warn_entry(entries, name, "skipped: its bytes are outside the archive");
    else
        add_entry(entries, name, offset, size, size);
}

static bool list_pak(common_archive *archive, common_fault *fault)
{
    common_entries *const entries = &archive->entries;
    unsigned char header[PAK_HEADER];
    if (entries->archive_size > INT32_MAX) // as far as long reaches everywhere
        return archive_fail(fault, "it has 2 GiB or more");
    if (!read_range(archive->stream, 0, header, sizeof header))
        return archive_fail(fault, "its header is truncated");
    const uint64_t offset = number_at(header + 4), size = number_at(header + 8);
    if (offset > entries->archive_size || size > entries->archive_size - offset)
        return archive_fail(fault, "its list of files is truncated: it ends at byte %llu of %llu",
                            (unsigned long long)offset + size,
                            (unsigned long long)entries->archive_size);
    if (size % PAK_ENTRY != 0)
        return archive_fail(fault, "its list of files has %llu bytes, expected a multiple of %d",
                            (unsigned long long)size, PAK_ENTRY);
    const size_t room = (size_t)size; // not above INT32_MAX
    unsigned char *const list = malloc(room ? room : 1);
    const bool is_read = list && read_range(archive->stream, offset, list, room);
    for (size_t at = 0; at < room && is_read; at += PAK_ENTRY)
        add_pak_file(entries, list + at);
    free(list);
    return is_read || archive_fail(fault, "its list of files cannot be read");
}

// -- Both -----------------------------------------------------------------------------------------

static bool list_files(common_archive *archive, const char *path, common_fault *fault)
{
    char magic[4] = "";
    common_entries *const entries = &archive->entries;
    if (!read_range(archive->stream, 0, magic, sizeof magic))
        return archive_fail(fault, "not an archive: it has %llu bytes",
                            (unsigned long long)entries->archive_size);
    if (memcmp(magic, "PACK", 4) == 0)
        return list_pak(archive, fault) && check_entries(entries, fault);
    // libzip has a handle of its own.
    fclose(archive->stream);
    archive->stream = NULL;
    archive->zip = open_zip(path, entries, fault);
    if (!archive->zip && memcmp(magic, "PK", 2) != 0)
        archive_fail(fault, "not a zip or .pak archive");
    return archive->zip && check_entries(entries, fault);
}

common_archive *common_open_archive(const char *path, common_archive_warn *warn, void *user,
                                    common_fault *fault)
{
    if (!common_is_file(path)) {
        archive_fail(fault, "not a file");
        return NULL;
    }
    common_archive *const archive = common_alloc(1, sizeof *archive);
    archive->entries.archive_size = common_file_size(path);
    archive->entries.warn = warn;
    archive->entries.user = user;
    archive->stream = fopen(path, "rb");
    if (!archive->stream)
        archive_fail(fault, "cannot open the file: %s", strerror(errno));
    else if (list_files(archive, path, fault))
        return archive;
    common_close_archive(archive);
    return NULL;
}

void common_close_archive(common_archive *archive)
{
    if (!archive)
        return;
    close_zip(archive->zip);
    common_entries *const entries = &archive->entries;
    for (size_t i = 0; i < entries->count; i++)
        free(entries->files[i].name);
    free(entries->files);
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
        archive_fail(fault, "out of memory");
        return NULL;
    }
    if (archive->zip ? read_zip(archive->zip, entry, bytes, fault)
                     : read_range(archive->stream, entry->location, bytes, *size)
                           || archive_fail(fault, "the archive is truncated"))
        return bytes;
    free(bytes);
    return NULL;
}

// == Game folders =================================================================================

static void set_reason(md5_error *error, const char *reason)
{
    (void)snprintf(error->message, sizeof error->message, "%s", reason);
}

// Whether a file has more bytes than are wanted; 0 = any.
static bool is_too_large(uint64_t size, size_t wanted, md5_error *error)
{
    if (wanted == 0 || size <= wanted)
        return false;
    (void)snprintf(error->message, sizeof error->message, "it has %llu bytes, at most %zu are read",
                   (unsigned long long)size, wanted);
    return true;
}

static void close_bytes(void *user, const void *bytes, size_t size)
{
    (void)user, (void)size;
    free((void *)(uintptr_t)bytes);
}

static md5_game_path *add_place(common_game_places *places, const char *title)
{
    places->paths = common_grow(places->paths, places->count, sizeof *places->paths);
    places->titles = common_grow(places->titles, places->count, sizeof *places->titles);
    places->titles[places->count] = common_copy(title);
    md5_game_path *const path = &places->paths[places->count++];
    memset(path, 0, sizeof *path);
    path->close = close_bytes;
    return path;
}

// A line for the folder or archive `user`, or for an entry of it.
static void print_warning(void *user, const char *name, const char *fault)
{
    common_print(stderr, "%s: warning: %s%s", (const char *)user, name, name[0] ? ": " : "");
    fprintf(stderr, "%s\n", fault);
}

// -- Folders --------------------------------------------------------------------------------------

typedef struct disk_folder {
    common_list files;
    size_t start; // of the name in the game, in each path
} disk_folder;

static const char *name_on_disk(void *user, size_t file)
{
    const disk_folder *const disk = user;
    return disk->files.names[file] + disk->start;
}

static const void *open_on_disk(void *user, size_t file, size_t *size, md5_error *error)
{
    const char *reason = "";
    const char *const path = ((const disk_folder *)user)->files.names[file];
    if (is_too_large(common_file_size(path), *size, error))
        return NULL;
    char *const bytes = common_read_stream(path, size, &reason);
    if (!bytes)
        set_reason(error, reason);
    return bytes;
}

static int64_t time_on_disk(void *user, size_t file)
{
    common_status status;
    const disk_folder *const disk = user;
    return common_read_status(disk->files.names[file], &status) ? (int64_t)status.time : 0;
}

static int compare_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool goes_on(const common_game_places *places, size_t num_files)
{
    return places->goes_on == NULL || places->goes_on(places->user, num_files);
}

// -- Archives -------------------------------------------------------------------------------------

static const char *name_in_archive(void *user, size_t file)
{
    return common_archive_name(user, file);
}

static const void *open_in_archive(void *user, size_t file, size_t *size, md5_error *error)
{
    common_fault fault;
    if (is_too_large(common_archive_size(user, file), *size, error))
        return NULL;
    char *const bytes = common_archive_read(user, file, size, &fault);
    if (!bytes)
        set_reason(error, fault.text);
    return bytes;
}

bool common_add_game_archive(common_game_places *places, const char *path, char *reason,
                             size_t size)
{
    common_fault fault;
    common_archive *const archive =
        common_open_archive(path, print_warning, (void *)(uintptr_t)path, &fault);
    if (!archive) {
        (void)snprintf(reason, size, "%s", fault.text);
        return false;
    }
    md5_game_path *const place = add_place(places, path);
    place->num_files = common_archive_count(archive);
    place->name = name_in_archive;
    place->open = open_in_archive;
    place->user = archive;
    place->is_archive = true;
    return true;
}

// The last name first.
static int compare_last(const void *a, const void *b)
{
    return common_compare_case(*(char *const *)b, *(char *const *)a);
}

bool common_add_game_folder(common_game_places *places, const char *folder)
{
    common_list archives = {0};
    if (!common_is_folder(folder))
        return false;
    disk_folder *const disk = common_alloc(1, sizeof *disk);
    md5_game_path *const path = add_place(places, folder);
    common_walk walk = {.goes_on = places->goes_on, .user = places->user};
    char *const start = common_join(folder, "");
    disk->start = strlen(start);
    free(start);
    disk->files = common_walk_folder(folder, &walk);
    if (walk.is_cut)
        print_warning((void *)(uintptr_t)folder, "", "too many files: not all are listed");
    if (disk->files.count > 0)
        qsort(disk->files.names, disk->files.count, sizeof *disk->files.names, compare_text);
    path->num_files = disk->files.count;
    path->name = name_on_disk;
    path->open = open_on_disk;
    path->time = time_on_disk; // files of archives have none, as in the engine
    path->user = disk;
    for (size_t i = 0; i < disk->files.count; i++) {
        const char *const name = disk->files.names[i] + disk->start;
        const bool is_archive = common_has_ending(name, ".pk4") || common_has_ending(name, ".pak");
        if (is_archive && !strchr(name, '/'))
            common_add(&archives, common_copy(name));
    }
    if (archives.count > 0)
        qsort(archives.names, archives.count, sizeof *archives.names, compare_last);
    for (size_t i = 0; i < archives.count && goes_on(places, disk->files.count); i++) {
        char reason[160];
        char *const file = common_format("%s/%s", folder, archives.names[i]);
        if (!common_add_game_archive(places, file, reason, sizeof reason))
            print_warning(file, "", reason);
        free(file);
    }
    common_free_list(&archives);
    return true;
}

void common_free_game_places(common_game_places *places)
{
    for (size_t i = 0; i < places->count; i++) {
        md5_game_path *const path = &places->paths[i];
        if (path->is_archive) {
            common_close_archive(path->user);
        } else {
            disk_folder *const disk = path->user;
            common_free_list(&disk->files);
            free(disk);
        }
    }
    for (size_t i = 0; i < places->count; i++)
        free(places->titles[i]);
    free(places->titles);
    free(places->paths);
    *places = (common_game_places){0};
}
