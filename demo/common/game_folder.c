// Game folders with their archives. Archives are zip files, which libzip reads, and .pak files of
// Quake.
//
// Each folder and each archive is a `game_source`. It is the `user` of one md5_game_path, whose
// functions list and open its files. The entries of an archive are checked when it is opened.
#include "demo/common/game_folder.h"

#include "demo/common/file.h"
#include "demo/common/system.h"
#include "demo/common/text.h"

#include <errno.h>

// The largest size of a file in an archive that is read, in bytes.
#define MAX_FILE_SIZE ((uint64_t)1 << 29)

// A small archive must not be able to fill the memory. A file in an archive is therefore rejected
// if it is larger than FREE_MIB and more than MAX_RATIO times as large as its compressed data. Real
// texts and images of games are 2 to 50 times as large.
enum { FREE_MIB = 128, MAX_RATIO = 100 };

// A file of a folder or an archive.
typedef struct source_file {
    char *name;        // name in the archive, or path of a file in a folder
    uint64_t location; // zip: index of the entry; pak: byte offset; folder: unused
    uint64_t size;     // archives: bytes
    uint64_t packed;   // archives: compressed bytes
} source_file;

// A folder or an archive of a game. It is the `user` of a md5_game_path.
typedef struct game_source {
    const char *path; // valid only while the source is opened
    source_file *files;
    size_t count;
    size_t start;            // bytes before the game's name of a file in source_file.name
    FILE *stream;            // a .pak file, else NULL
    struct zip *zip;         // a zip file, else NULL
    uint64_t archive_size;   // bytes of the archive
    uint64_t num_packed;     // sum of the bytes of the archive that each entry requires
    common_game_paths *game; // valid only while the source is opened
    size_t num_warnings;
} game_source;

// == Lists ========================================================================================

enum { MAX_WARNINGS = 10 };

// Fills `error` with a formatted message, like printf(), and returns false.
COMMON_PRINTF(2, 3) static bool fail(md5_error *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    common_write_text(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return false;
}

// Passes a warning to the caller's function. Without such a function, prints the warning to
// standard error. `entry` is "" if the warning is about the whole archive.
static void report_warning(const game_source *archive, const char *entry, const char *message)
{
    const common_game_paths *const game = archive->game;
    const char *const separator = entry[0] != '\0' ? ": " : "";
    if (game->warn)
        game->warn(game->user, entry, message);
    else
        common_print(stderr, "%s: warning: %s%s%s\n", archive->path, entry, separator, message);
}

// Reports a warning about an entry of an archive. If the name is "", it is about the archive
// itself. A damaged archive can have many thousand faulty entries, so the number of warnings per
// archive is limited. The last warning reports that further warnings are suppressed.
COMMON_PRINTF(3, 4)
static void warn(game_source *archive, const char *name, const char *format, ...)
{
    if (archive->num_warnings > MAX_WARNINGS)
        return;
    archive->num_warnings++;
    if (archive->num_warnings > MAX_WARNINGS) {
        report_warning(archive, "", "further warnings suppressed");
        return;
    }

    char message[sizeof((common_walk *)0)->warning]; // holds the longest message
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    report_warning(archive, name, message);
}

// Returns true if a character separates the parts of a path.
static bool is_separator(char c)
{
    return c == '/' || c == '\\';
}

// Appends a file to the list of a folder or an archive, which then owns the name.
static void add_file(game_source *source, source_file file)
{
    *COMMON_ADD_ITEM(source->files, source->count) = file;
}

// Returns true if a name contains control characters, which a terminal would interpret.
static bool has_control_character(const char *name)
{
    for (const char *c = name; *c != '\0'; c++) {
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            return true;
    }
    return false;
}

// Returns why a name is invalid in a game, as the text of a warning. Returns NULL if it is valid.
static const char *find_name_fault(const char *name)
{
    const int first = name[0] | 32; // a capital becomes a small letter
    const bool has_drive = first >= 'a' && first <= 'z' && name[1] == ':';
    if (name[0] == '\0')
        return "skipped: the name is empty";
    if (is_separator(name[0]))
        return "skipped: the path is absolute";
    if (has_drive)
        return "skipped: the path begins with a drive letter";
    if (common_has_parent_part(name))
        return "skipped: the path leads outside the archive";
    if (has_control_character(name))
        return "skipped: the name contains control characters";
    return NULL;
}

// Adds an entry of an archive if its name and size are valid, otherwise warns. `claimed` is the
// number of bytes of the archive that the file and its header require. It is counted even if the
// entry is skipped, for check_entries().
static void add_entry(game_source *archive, const char *name, source_file file, uint64_t claimed)
{
    // A hostile archive can claim any number. The limit prevents an overflow of the sum.
    archive->num_packed += claimed < UINT32_MAX ? claimed : UINT32_MAX;

    const char *const fault = find_name_fault(name);
    if (fault) {
        warn(archive, name, "%s", fault);
    } else if (file.size > MAX_FILE_SIZE) {
        warn(archive, name,
             "skipped: the file is too large: expected at most %llu bytes, found %llu",
             (unsigned long long)MAX_FILE_SIZE, (unsigned long long)file.size);
    } else {
        file.name = common_copy(name);
        add_file(archive, file);
    }
}

// Orders files by name, ignoring case. Files with the same name are ordered by their position in
// the archive.
static int compare_files(const void *a, const void *b)
{
    const source_file *const first = *(const source_file *const *)a;
    const source_file *const second = *(const source_file *const *)b;
    const int order = common_compare_case(first->name, second->name);
    return order ? order : (first > second) - (first < second);
}

// Warns of entries of an archive with equal names, because only the last of them is used.
static void warn_of_duplicates(game_source *archive)
{
    // Equal names are adjacent after sorting.
    const source_file **const sorted = common_alloc(archive->count, sizeof *sorted);
    for (size_t i = 0; i < archive->count; i++)
        sorted[i] = &archive->files[i];
    common_sort(sorted, archive->count, sizeof *sorted, compare_files);
    for (size_t i = 1; i < archive->count; i++) {
        if (common_compare_case(sorted[i - 1]->name, sorted[i]->name) == 0)
            warn(archive, sorted[i - 1]->name, "skipped: a later entry has the same name");
    }
    free(sorted);
}

// Checks all entries of an archive together. If they require more bytes than the archive has, they
// overlap, as in a zip bomb. Returns false and fills `error` in this case.
static bool check_entries(game_source *archive, md5_error *error)
{
    if (archive->num_packed > archive->archive_size)
        return fail(error,
                    "damaged archive: its entries overlap: they have %llu bytes in total, but the "
                    "archive has %llu",
                    (unsigned long long)archive->num_packed,
                    (unsigned long long)archive->archive_size);
    warn_of_duplicates(archive);
    return true;
}

// == Zip files ====================================================================================
//
// Only this section uses libzip, so that builds without libzip differ only here.

#if defined(HAS_ZIP)

#include <zip.h>

enum { STORED = 0, DEFLATED = 8, LOCAL_HEADER_SIZE = 30 };

// The file type in the Unix attributes of an entry.
enum { MODE_SHIFT = 16, MODE_KIND = 0xF000, MODE_LINK = 0xA000 };

// Returns true if the size of an entry is possible for its compressed size. Deflate cannot compress
// by more than a factor of 1032.
static bool has_possible_size(const zip_stat_t *stat)
{
    enum { MAX_GROWTH = 1032, MAX_BLOCK = 64 };
    if (stat->comp_method == STORED)
        return stat->size == stat->comp_size;
    return stat->size / MAX_GROWTH <= stat->comp_size + MAX_BLOCK;
}

// Returns true if an entry was stored as a symbolic link on a Unix system.
static bool is_symbolic_link(zip_t *zip, zip_uint64_t entry)
{
    zip_uint8_t system = 0;
    zip_uint32_t attributes = 0;
    if (zip_file_get_external_attributes(zip, entry, 0, &system, &attributes) != 0)
        return false;
    return system == ZIP_OPSYS_UNIX && (attributes >> MODE_SHIFT & MODE_KIND) == MODE_LINK;
}

// Returns true if an entry of a zip file can be read. Otherwise warns.
static bool check_zip_entry(game_source *archive, zip_t *zip, zip_uint64_t entry, const char *name,
                            const zip_stat_t *stat)
{
    bool is_readable = false;
    if (is_symbolic_link(zip, entry))
        warn(archive, name, "skipped: symbolic links in archives are not supported");
    else if (stat->encryption_method != ZIP_EM_NONE)
        warn(archive, name, "skipped: encrypted entries are not supported");
    else if (stat->comp_method != STORED && stat->comp_method != DEFLATED)
        warn(archive, name,
             "skipped: compression method %u is not supported; compress the archive with deflate",
             (unsigned)stat->comp_method);
    else if (!has_possible_size(stat))
        warn(archive, name,
             "skipped: the sizes are invalid: %llu bytes cannot be compressed to %llu",
             (unsigned long long)stat->size, (unsigned long long)stat->comp_size);
    else
        is_readable = true;
    return is_readable;
}

// Adds an entry of a zip file, or warns if it cannot be read. Folders are skipped without a
// warning.
static void add_zip_entry(game_source *archive, zip_t *zip, zip_uint64_t entry)
{
    zip_stat_t stat;
    const char *const name = zip_get_name(zip, entry, ZIP_FL_ENC_RAW);
    const size_t length = name ? strlen(name) : 0;
    const bool is_folder = length > 0 && name[length - 1] == '/';
    if (is_folder)
        return;
    if (!name || zip_stat_index(zip, entry, 0, &stat) != 0) {
        warn(archive, name ? name : "", "skipped: the entry is damaged");
        return;
    }
    if (!check_zip_entry(archive, zip, entry, name, &stat))
        return;

    const source_file file = {.location = entry, .size = stat.size, .packed = stat.comp_size};
    add_entry(archive, name, file, stat.comp_size + length + LOCAL_HEADER_SIZE);
}

// Opens a zip file and adds its entries. Returns false and fills `error` if its list of files
// cannot be read.
static bool open_zip(game_source *archive, md5_error *error)
{
    int code = 0;
    zip_t *const zip = archive->zip = zip_open(archive->path, ZIP_RDONLY, &code);
    if (!zip) {
        zip_error_t reason;
        zip_error_init_with_code(&reason, code);
        fail(error, "damaged archive: invalid or truncated file list: %s",
             zip_error_strerror(&reason));
        zip_error_fini(&reason);
        return false;
    }
    const zip_int64_t count = zip_get_num_entries(zip, 0);
    for (zip_int64_t i = 0; i < count; i++)
        add_zip_entry(archive, zip, (zip_uint64_t)i);
    return true;
}

// Closes a zip file, which may be NULL.
static void close_zip(struct zip *zip)
{
    if (zip)
        zip_discard(zip);
}

// Reads an entry completely. libzip checks the size and the checksum only at the end of an entry.
// One more byte is therefore requested, so that libzip reaches the end.
static bool read_zip(struct zip *zip, const source_file *entry, char *bytes, md5_error *error)
{
    char extra;
    zip_file_t *const file = zip_fopen_index(zip, entry->location, 0);
    if (!file)
        return fail(error, "damaged archive: %s", zip_strerror(zip));

    uint64_t count = 0;
    while (count < entry->size) {
        const zip_int64_t num_read = zip_fread(file, bytes + count, entry->size - count);
        if (num_read <= 0) // the end, or an error
            break;
        count += (uint64_t)num_read;
    }

    const bool is_complete = count == entry->size && zip_fread(file, &extra, 1) == 0;
    if (!is_complete) {
        const char *const reason = zip_file_strerror(file);
        fail(error, "damaged archive: %s", reason ? reason : "wrong size");
    }
    zip_fclose(file);
    return is_complete;
}

#else

static bool open_zip(game_source *archive, md5_error *error)
{
    (void)archive;
    return fail(error, "zip archives are not supported: built without libzip");
}

static void close_zip(struct zip *zip)
{
    (void)zip;
}

// NOLINTNEXTLINE(readability-non-const-parameter): the same parameters as with libzip
static bool read_zip(struct zip *zip, const source_file *entry, char *bytes, md5_error *error)
{
    (void)zip, (void)entry, (void)bytes;
    return fail(error, "archives are not supported: built without libzip");
}

#endif

// == .pak files ===================================================================================
// A .pak file of Quake begins with "PACK", the offset of its file list and the size of this list.
// The list contains a name of 56 bytes, an offset and a size for each file. Numbers are
// little-endian.

enum { PAK_HEADER = 12, PAK_ENTRY = 64, PAK_NAME = 56 }; // bytes

// Reads `size` bytes at an offset of a file. Returns false if the file is shorter or cannot be
// read.
static bool read_range(FILE *stream, uint64_t offset, void *bytes, size_t size)
{
    return fseek(stream, (long)offset, SEEK_SET) == 0 && fread(bytes, 1, size, stream) == size;
}

// The file list of a .pak file.
typedef struct pak_list {
    uint64_t start; // byte offset
    uint64_t size;  // bytes
} pak_list;

// Reads the position of the file list from the header of a .pak file. Returns false and fills
// `error` if the list is not completely inside of the file, or if its size is not a multiple of the
// size of an entry.
static bool read_pak_header(const game_source *archive, pak_list *list, md5_error *error)
{
    const uint64_t archive_size = archive->archive_size;
    unsigned char header[PAK_HEADER];
    if (!read_range(archive->stream, 0, header, sizeof header))
        return fail(error, "truncated archive: the header is incomplete");
    list->start = common_read_little_endian(header + 4, 4);
    list->size = common_read_little_endian(header + 8, 4);
    if (list->start > archive_size || list->size > archive_size - list->start)
        return fail(error, "truncated archive: the file list ends at byte %llu of %llu",
                    (unsigned long long)list->start + list->size, (unsigned long long)archive_size);
    if (list->size % PAK_ENTRY != 0)
        return fail(
            error,
            "damaged archive: size of the file list is %llu bytes; expected a multiple of %d",
            (unsigned long long)list->size, PAK_ENTRY);
    return true;
}

// Adds a file of a .pak file from its entry in the file list. Warns if its data are outside of the
// archive.
static void add_pak_entry(game_source *archive, const unsigned char *entry)
{
    char name[PAK_NAME + 1] = ""; // a name of the full length does not end with a zero byte
    const uint64_t offset = common_read_little_endian(entry + PAK_NAME, 4);
    const uint64_t size = common_read_little_endian(entry + PAK_NAME + 4, 4);
    memcpy(name, entry, PAK_NAME);
    if (offset > archive->archive_size || size > archive->archive_size - offset)
        warn(archive, name, "skipped: the data are outside the archive");
    else
        add_entry(archive, name, (source_file){.location = offset, .size = size, .packed = size},
                  size);
}

// Reads the file list of a .pak file and adds its entries. Returns false and fills `error` if the
// list cannot be read.
static bool open_pak(game_source *archive, md5_error *error)
{
    if (archive->archive_size > INT32_MAX) // the smallest limit of long on all systems
        return fail(error, "archive is too large: expected at most 2 GiB");
    pak_list list = {.start = 0};
    if (!read_pak_header(archive, &list, error))
        return false;

    // A damaged file may declare a list of 2 GiB. common_alloc() would then end the program, so
    // malloc() is used.
    const size_t size = (size_t)list.size;
    unsigned char *const entries = malloc(size > 0 ? size : 1);
    const bool is_read = entries && read_range(archive->stream, list.start, entries, size);
    for (size_t i = 0; i < size && is_read; i += PAK_ENTRY)
        add_pak_entry(archive, entries + i);
    free(entries);

    if (!is_read)
        return fail(error, "cannot read the archive's file list");
    return true;
}

// == Folders and archives =========================================================================

// Extensions of archives that take precedence over the files of their folder.
static const char *const overriding_extensions[] = {".pak", NULL};

// Extensions of archives over which the files of their folder take precedence.
static const char *const overridden_extensions[] = {".pk4", ".pk3", ".zip", NULL};

// Returns the name of a file in the game, as a callback for md5_game_path.name.
static const char *get_name(void *user, size_t file)
{
    const game_source *const source = user;
    return source->files[file].name + source->start;
}

// Returns true if a file of an archive is not suspiciously large; see FREE_MIB. Otherwise fills
// `error`.
static bool check_ratio(const source_file *file, md5_error *error)
{
    const bool is_small = file->size <= (uint64_t)FREE_MIB << 20;
    const uint64_t min_packed = (file->size + MAX_RATIO - 1) / MAX_RATIO; // rounded up
    if (is_small || min_packed <= file->packed)
        return true;
    return fail(error,
                "file is too large: found %llu bytes, expected at most %d MiB or %d times the "
                "compressed size of %llu bytes",
                (unsigned long long)file->size, FREE_MIB, MAX_RATIO,
                (unsigned long long)file->packed);
}

// Reads a file of a zip or .pak archive to `bytes`. Returns false and fills `error` on failure.
static bool read_packed(const game_source *archive, const source_file *file, char *bytes,
                        md5_error *error)
{
    if (archive->zip)
        return read_zip(archive->zip, file, bytes, error);
    if (read_range(archive->stream, file->location, bytes, (size_t)file->size))
        return true;
    return fail(error, "truncated archive: an entry is incomplete");
}

// Reads a file that is not in an archive. The caller frees the bytes. Returns NULL and fills the
// error on failure.
static char *open_on_disk(const source_file *file, size_t *size, md5_error *error)
{
    const char *reason = "";
    char *const bytes = common_read_stream(file->name, size, &reason);
    if (!bytes)
        fail(error, "%s", reason);
    return bytes;
}

// Reads a file of an archive to new memory. Returns NULL and fills `error` on failure. Lack of
// memory is also only an error of this file and must not end the program, so malloc() is used.
static char *open_in_archive(const game_source *archive, const source_file *file, size_t *size,
                             md5_error *error)
{
    if (!check_ratio(file, error))
        return NULL;
    char *const bytes = malloc(file->size ? (size_t)file->size : 1);
    *size = (size_t)file->size;
    if (!bytes) {
        fail(error, "out of memory: cannot read the file");
        return NULL;
    }
    if (read_packed(archive, file, bytes, error))
        return bytes;
    free(bytes);
    return NULL;
}

// Reads a file to new memory, as a callback for md5_game_path.open. On entry, *size is the largest
// size that the caller accepts, or 0 for any size. Afterwards it is the size of the file.
static const void *open_file(void *user, size_t index, size_t *size, md5_error *error)
{
    const game_source *const source = user;
    const source_file *const file = &source->files[index];
    const bool is_on_disk = !source->zip && !source->stream;
    const uint64_t file_size = is_on_disk ? common_file_size(file->name) : file->size;
    if (*size > 0 && file_size > *size) {
        // Short, because the warning of the library truncates long reasons: see md5i_quote().
        fail(error, "too large: expected at most %zu bytes, found %llu", *size,
             (unsigned long long)file_size);
        return NULL;
    }
    if (is_on_disk)
        return open_on_disk(file, size, error);
    return open_in_archive(source, file, size, error);
}

static void close_file(void *user, const void *bytes, size_t size)
{
    (void)user, (void)size;
    free((void *)(uintptr_t)bytes);
}

static int64_t time_on_disk(void *user, size_t file)
{
    const game_source *const source = user;
    return (int64_t)common_file_time(source->files[file].name);
}

// Frees an archive or a folder of the search path, with the names of its files.
static void free_source(game_source *source)
{
    close_zip(source->zip);
    if (source->stream)
        fclose(source->stream);
    for (size_t i = 0; i < source->count; i++)
        free(source->files[i].name);
    free(source->files);
    free(source);
}

// Appends an opened folder or archive to the search paths of a game. The game then owns it.
static void add_source(common_game_paths *game, game_source *source, bool is_archive)
{
    game->paths = common_grow(game->paths, game->count, sizeof *game->paths);
    game->titles = common_grow(game->titles, game->count, sizeof *game->titles);
    game->titles[game->count] = common_copy(source->path);
    game->paths[game->count++] = (md5_game_path){
        .num_files = source->count,
        .name = get_name,
        .open = open_file,
        .close = close_file,
        .user = source,
        .is_archive = is_archive,
        // In the engine, only files on disk have a time.
        .time = is_archive ? NULL : time_on_disk,
    };
}

// Opens archive->path and adds its entries. The first bytes of the file decide whether it is a .pak
// file. Returns false and fills `error` if the archive cannot be read.
static bool open_archive(game_source *archive, md5_error *error)
{
    char magic[4] = "";
    archive->stream = fopen(archive->path, "rb");
    if (!archive->stream)
        return fail(error, "cannot open the file: %s", strerror(errno));
    if (!read_range(archive->stream, 0, magic, sizeof magic))
        return fail(error, "not an archive: expected at least 4 bytes, found %llu",
                    (unsigned long long)archive->archive_size);
    if (memcmp(magic, "PACK", 4) == 0)
        return open_pak(archive, error);

    // libzip opens the file itself. It also reads zip files that begin with other data.
    fclose(archive->stream);
    archive->stream = NULL;
    if (open_zip(archive, error))
        return true;
    if (memcmp(magic, "PK", 2) != 0)
        fail(error, "not a .zip or .pak archive: expected PK or PACK at the start, found '%.4s'",
             magic);
    return false;
}

// Opens and checks an archive, and adds it to the search paths. Returns false and fills `error` if
// the archive cannot be read or is damaged.
static bool add_archive(common_game_paths *game, const char *path, md5_error *error)
{
    if (!common_is_file(path))
        return fail(error, "cannot open the archive: expected a file");

    game_source *const archive = common_alloc(1, sizeof *archive);
    *archive = (game_source){.path = path, .archive_size = common_file_size(path), .game = game};
    const bool is_good = open_archive(archive, error) && check_entries(archive, error);
    if (is_good)
        add_source(game, archive, true);
    else
        free_source(archive);
    return is_good;
}

// Adds all archives of a folder that have one extension to the search paths. Later archives
// override earlier ones, so the last name is added first. Names of .pak files are compared by their
// numbers, as in Quake, and all other names by their letters. An archive that cannot be read is
// skipped with a warning. `num_files`: see add_archives().
static void add_archives_of_kind(common_game_paths *game, const char *folder, const char *extension,
                                 size_t num_files)
{
    common_list archives = common_list_folder(folder, extension); // sorted by numbers
    const bool is_pak = extension == overriding_extensions[0];
    if (!is_pak)
        common_sort(archives.names, archives.count, sizeof *archives.names, common_order_by_case);
    for (size_t i = archives.count; i-- > 0;) {
        md5_error reason;
        if (game->should_continue && !game->should_continue(game->user, num_files))
            break;
        char *const path = common_format("%s/%s", folder, common_base(archives.names[i]));
        if (!add_archive(game, path, &reason))
            warn(&(game_source){.path = path, .game = game}, "", "%s", reason.message);
        free(path);
    }
    common_free_list(&archives);
}

// Adds the archives in a folder to the search paths, namely the files with one of the extensions.
// extensions[] ends with NULL; archives with an earlier extension are added earlier. `num_files` is
// the number of files that were found so far. It is passed to game->should_continue(), which shows
// the progress.
static void add_archives(common_game_paths *game, const char *folder, const char *const *extensions,
                         size_t num_files)
{
    for (size_t i = 0; extensions[i] != NULL; i++)
        add_archives_of_kind(game, folder, extensions[i], num_files);
}

// Returns a source with the files of a folder and its subfolders, sorted by their paths. The name
// of a file in the game is its path without the folder.
static game_source *list_folder(common_game_paths *game, const char *folder)
{
    common_walk walk = {.should_continue = game->should_continue, .user = game->user};
    common_list files = common_walk_folder(folder, &walk);
    game_source *const disk = common_alloc(1, sizeof *disk);
    char *const start = common_join(folder, "");
    *disk = (game_source){.path = folder, .start = strlen(start), .game = game};
    free(start);
    if (walk.warning[0] != '\0')
        warn(disk, "", "%s", walk.warning);
    common_sort(files.names, files.count, sizeof *files.names, common_order_by_text);
    for (size_t i = 0; i < files.count; i++)
        add_file(disk, (source_file){.name = files.names[i]}); // free_source() frees the name
    free(files.names);
    return disk;
}

// Adds a single archive, or a folder and its archives. The files of the folder are listed first,
// because their number is passed to game->should_continue() while archives are opened. In the
// search order, the .pak files nevertheless precede them.
bool common_add_game_path(common_game_paths *game, const char *folder, md5_error *error)
{
    if (!common_is_folder(folder))
        return add_archive(game, folder, error);
    game_source *const disk = list_folder(game, folder);
    add_archives(game, folder, overriding_extensions, disk->count);
    add_source(game, disk, false);
    add_archives(game, folder, overridden_extensions, disk->count);
    return true;
}

// Frees the sources with their lists of files, and closes the archives.
void common_free_game_paths(common_game_paths *game)
{
    for (size_t i = 0; i < game->count; i++) {
        free_source(game->paths[i].user);
        free(game->titles[i]);
    }
    free(game->titles);
    free(game->paths);
    *game = (common_game_paths){0};
}

bool common_is_archive(const char *path)
{
    bool is_archive = common_has_suffix(path, overriding_extensions[0]);
    for (int i = 0; overridden_extensions[i]; i++)
        is_archive |= common_has_suffix(path, overridden_extensions[i]);
    return is_archive;
}

bool common_contains_files(const char *path)
{
    return common_is_folder(path) || (common_is_archive(path) && common_is_file(path));
}

// Returns true if a folder with this name contains declarations in Doom 3.
static bool is_declaration_folder(const char *name)
{
    static const char *const names[] = {"materials", "def", "skins"};
    for (size_t i = 0; i < COMMON_LENGTH(names); i++) {
        if (common_compare_case(name, names[i]) == 0)
            return true;
    }
    return false;
}

// Returns true if a path is probably a game: an archive, or a folder that contains archives or a
// subfolder with declarations.
bool common_is_game_folder(const char *path)
{
    bool is_game = common_is_archive(path) && common_is_file(path);
    common_list folders = common_list_folder(path, NULL);
    for (size_t i = 0; i < folders.count; i++)
        is_game |= is_declaration_folder(common_base(folders.names[i]));
    common_list files = common_list_folder(path, "");
    for (size_t i = 0; i < files.count; i++)
        is_game |= common_is_archive(files.names[i]);
    common_free_list(&folders);
    common_free_list(&files);
    return is_game;
}
