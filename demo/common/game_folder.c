#include "demo/common/game_folder.h"

#include "demo/common/archive.h"
#include "demo/common/file.h"
#include "demo/common/memory.h"
#include "demo/common/system.h"
#include "demo/common/text.h"
#include "demo/common/walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
