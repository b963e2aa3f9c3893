// Paths, files and folders. Paths may use '/' or, as in files written on Windows, '\'. The caller
// frees every returned char * with free().
#ifndef DEMO_COMMON_FILE_H
#define DEMO_COMMON_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Returns the last component of a path, as a pointer into it.
const char *common_base(const char *path);

// Returns the path without its last component; "." if there is only one.
char *common_folder(const char *path);

// Returns the last component without its extension: "models/imp.md5mesh" gives "imp".
char *common_stem(const char *path);

// Returns folder/name; only `name` if the folder is "." or the name is absolute.
char *common_join(const char *folder, const char *name);

bool common_is_absolute(const char *path);

// Returns the absolute path; "." is the current folder.
char *common_absolute(const char *path);

// Returns the path with slashes only, one before each part, without "." and "..": "a\\..\\b" gives
// "/b".
char *common_clean(const char *path);

// The same of the absolute path; "/" of the root.
char *common_whole(const char *path);

// Whether a path is that of a folder or of something in it; both as common_whole() returns them.
bool common_is_in(const char *inner, const char *outer);

// Whether a path ends in `ending` (".md5anim"), ignoring case.
bool common_has_ending(const char *path, const char *ending);

// Whether one of the parts of a path is "..".
bool common_leads_up(const char *path);

bool common_is_file(const char *path);
bool common_is_folder(const char *path);
bool common_same_file(const char *a, const char *b); // also under other names; both must exist
uint64_t common_file_size(const char *path);         // 0 if there is none
uint64_t common_file_time(const char *path);         // of its last change; likewise

// Returns a hash of the file's time, size and identity, which changes if the file does; 0 if there
// is no file.
uint64_t common_file_stamp(const char *path);

// Whether `text` contains `part`, ignoring case.
bool common_contains(const char *text, const char *part);

// Returns the least number of insertions, deletions and exchanges that turn asked[length] into
// `name`, or, ignoring case, into a part of it (Sellers 1980). SIZE_MAX if the name is longer than
// COMMON_LONGEST_NAME. Time is that of the product of their lengths.
enum { COMMON_LONGEST_NAME = 255 };
size_t common_distance(const char *asked, size_t length, const char *name, bool in_part);

// Compares as games do: ignores case, takes '\\' for '/'.
int common_compare_case(const char *a, const char *b);
int common_by_case(const void *a, const void *b); // the same of char **, for common_sort()

typedef struct common_list {
    char **names; // paths
    size_t count;
} common_list;

// Lists the files in `folder` that end in `ending`, or its subfolders if `ending` is NULL, as paths
// that begin with `folder`, in natural order: case does not matter, numbers count by value (walk2 <
// walk10).
common_list common_list_folder(const char *folder, const char *ending);
void common_free_list(common_list *list);

// Adds a name at the end, and returns it; the list takes it over.
char *common_add(common_list *list, char *name);

// Finds a file or a folder, folder/relative, ignoring case. Returns the path as it is on disk; of
// several the first in byte order; or NULL.
char *common_find(const char *folder, const char *relative);

// == Folders and those below them =================================================================
//
// Searches a folder and the folders below it. Each folder is searched once, however many links lead
// to it, also in circles; only regular files are found. The number of entries and the bytes of
// their paths are limited.

typedef struct common_walk {
    bool (*is_wanted)(const char *name); // of files; NULL: all are
    // Called again and again with the number of files so far; if it returns false, the search ends.
    // NULL: not called.
    bool (*goes_on)(void *user, size_t num_files);
    void *user;
    // Afterwards: why not all files were found, such as "cannot read the folder 'a/b': Permission
    // denied"; or "".
    char warning[200];
} common_walk;

// Returns the paths of the files, which begin with `folder`: folder by folder, those that are
// nearest first and those behind links last; sorted in each.
common_list common_walk_folder(const char *folder, common_walk *walk);

// Returns a folder and those below it in the same order, `max_folders` at most, but for `without`
// and those below that; unless `links`, through no links.
common_list common_folders_below(const char *first, const char *without, size_t max_folders,
                                 bool links);

// == Whole files and pipes ========================================================================
//
// Reads whole files and pipes.

// Reads a file or pipe to its end, up to 2 GiB; free() the result, behind which there is a 0. Waits
// for data from a pipe's writer, but a pipe without a writer is an error, and so is a device. On
// failure returns NULL and sets *reason.
char *common_read_stream(const char *path, size_t *size, const char **reason);

#endif
