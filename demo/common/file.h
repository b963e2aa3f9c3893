// Paths, files and folders. Separators in paths are '/'. Files that were written on Windows can
// also contain '\'. The caller frees every returned char * with free().
#ifndef DEMO_COMMON_FILE_H
#define DEMO_COMMON_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Returns the last component of a path, as a pointer into it.
const char *common_base(const char *path);

// Returns the path without its last component, or "." if there is only one component.
char *common_folder(const char *path);

// Returns the last component without its extension. For example, "models/imp.md5mesh" gives "imp".
char *common_stem(const char *path);

// Returns folder/name. Returns only `name` if the folder is "." or the name is absolute.
char *common_join(const char *folder, const char *name);

bool common_is_absolute(const char *path);

// Returns the absolute form of a path. For ".", this is the current folder.
char *common_absolute(const char *path);

// Returns a path with a slash before each part, without "." and "..". For example, "a\\..\\b"
// becomes "/b".
char *common_normalize_path(const char *path);

// Returns the normalized absolute form of a path. For the root, this is "/".
char *common_canonical_path(const char *path);

// Returns true if `inner` is the folder `outer` or is inside of it. Both paths must be results of
// common_canonical_path().
bool common_is_in(const char *inner, const char *outer);

// Returns true if a path ends with `ending`, such as ".md5anim", ignoring case.
bool common_has_suffix(const char *path, const char *ending);

// Returns true if one of the parts of a path is "..".
bool common_has_parent_part(const char *path);

bool common_is_file(const char *path);
bool common_is_folder(const char *path);

// Returns true if both paths exist and lead to the same file or folder. The paths can differ, for
// example by a link.
bool common_same_file(const char *a, const char *b);

// Returns the size in bytes, or 0 if the file does not exist.
uint64_t common_file_size(const char *path);

// Returns the time of the last change, or 0 if the file does not exist.
uint64_t common_file_time(const char *path);

// Returns a number that changes when the file changes. It is a hash of the file's time, size and
// identity. Returns 0 if the file does not exist.
uint64_t common_file_stamp(const char *path);

// Returns true if `text` contains `part`, ignoring case.
bool common_contains(const char *text, const char *part);

// Returns the smallest number of insertions, deletions and exchanges of bytes that convert
// query[length] to `name`. If `in_part`, ignores case and returns the smallest number for any part
// of `name` (Sellers 1980). Returns SIZE_MAX if the name is longer than COMMON_MAX_NAME_LENGTH. The
// time is proportional to the product of both lengths.
enum { COMMON_MAX_NAME_LENGTH = 255 };
size_t common_edit_distance(const char *query, size_t length, const char *name, bool in_part);

// Compares paths as games do: case is ignored, and '\\' equals '/'. The sign of the result is as
// for strcmp().
int common_compare_case(const char *a, const char *b);

// Compares the paths to which two char ** point, as common_compare_case() does, for common_sort().
int common_order_by_case(const void *a, const void *b);

typedef struct common_list {
    char **names; // paths
    size_t count;
} common_list;

// Lists the files in `folder` whose names end with `ending`. If `ending` is NULL, lists the
// subfolders instead. The paths begin with `folder`. They are sorted in natural order: case is
// ignored, and numbers are compared by value (walk2 < walk10).
common_list common_list_folder(const char *folder, const char *ending);
void common_free_list(common_list *list);

// Appends a name to a list. The list then owns the name. Returns the name.
char *common_add(common_list *list, char *name);

// Finds the file or folder folder/relative, ignoring case. Returns the path as it is on disk, or
// NULL. If several names match, returns the first in byte order.
char *common_find(const char *folder, const char *relative);

// Finds the path in `list` whose last part is `name`, ignoring case. Returns a pointer into the
// list, or NULL. If several paths match, prefers an equal name, then the first in byte order.
const char *common_find_in_list(const common_list *list, const char *name);

// == Folders and subfolders =======================================================================
//
// Searches a folder and its subfolders. Each folder is searched once, even if several links or
// circles of links lead to it. Only regular files are found. The number of entries and the bytes of
// their paths are limited.

typedef struct common_walk {
    // Your function that returns true if a file with this name is wanted. If NULL, all files are
    // wanted.
    bool (*is_wanted)(const char *name);
    // Your function that is called repeatedly with the number of files found so far. The search
    // ends if it returns false. It may be NULL.
    bool (*should_continue)(void *user, size_t num_files);
    void *user;
    // Result: why files are missing, for example "cannot read the folder 'a/b': Permission denied".
    // It is "" if no file is missing.
    char warning[200];
} common_walk;

// Returns the paths of all files in a folder and its subfolders. The paths begin with `folder`.
// Folders near `folder` are listed first, and folders that are reached by links last. The files of
// each folder are sorted.
common_list common_walk_folder(const char *folder, common_walk *walk);

// Returns a folder and its subfolders, in the order of common_walk_folder(). The result has at most
// `max_folders` paths. The folder `without` and its subfolders are omitted. Links are followed only
// if `links`.
common_list common_list_subfolders(const char *first, const char *without, size_t max_folders,
                                   bool links);

// == Whole files and pipes ========================================================================

// Reads a file or a pipe to its end, up to 2 GiB. Waits for data while a pipe has a writer. A pipe
// without a writer and a device are errors. Returns the bytes, followed by a zero byte, to be freed
// with free(). Returns NULL and sets *reason on failure.
char *common_read_stream(const char *path, size_t *size, const char **reason);

#endif
