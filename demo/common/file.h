// Paths, files and folders. Separators in paths are '/' or, as in files written on Windows, '\'.
// The caller frees every returned char * with free().
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

// Returns the path with slashes as separators, one before each part, without "." and "..":
// "a\\..\\b" becomes "/b".
char *common_normalize_path(const char *path);

// Returns the normalized absolute path; "/" for the root.
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

// Returns true if both paths exist and are the same file or folder, even under different names.
bool common_same_file(const char *a, const char *b);

// Returns the size in bytes, or 0 if the file does not exist.
uint64_t common_file_size(const char *path);

// Returns the time of the last change, or 0 if the file does not exist.
uint64_t common_file_time(const char *path);

// Returns a hash of the file's time, size and identity, which changes when the file changes, or 0
// if the file does not exist.
uint64_t common_file_stamp(const char *path);

// Returns true if `text` contains `part`, ignoring case.
bool common_contains(const char *text, const char *part);

// Returns the smallest number of insertions, deletions and exchanges that convert query[length] to
// `name`. If `in_part`, ignores case and compares with all parts of `name` (Sellers 1980). Returns
// SIZE_MAX if the name is longer than COMMON_MAX_NAME_LENGTH. Time is proportional to the product
// of both lengths.
enum { COMMON_MAX_NAME_LENGTH = 255 };
size_t common_edit_distance(const char *query, size_t length, const char *name, bool in_part);

// Compares paths like games: ignores case, and '\\' equals '/'.
int common_compare_case(const char *a, const char *b);

// The same comparison of two char **, for common_sort().
int common_order_by_case(const void *a, const void *b);

typedef struct common_list {
    char **names; // paths
    size_t count;
} common_list;

// Lists the files in `folder` that end with `ending`, or the subfolders if `ending` is NULL. The
// paths begin with `folder`. They are in natural order: case is ignored, numbers are compared by
// value (walk2 < walk10).
common_list common_list_folder(const char *folder, const char *ending);
void common_free_list(common_list *list);

// Appends a name, which the list then owns. Returns the name.
char *common_add(common_list *list, char *name);

// Finds a file or a folder, folder/relative, ignoring case. Returns the path as it is on disk, or
// NULL. If several names match, returns the first in byte order.
char *common_find(const char *folder, const char *relative);

// == Folders and subfolders =======================================================================
//
// Searches a folder and its subfolders. Each folder is searched once, even if several links or
// circles of links lead to it. Only regular files are found. The number of entries and the bytes of
// their paths are limited.

typedef struct common_walk {
    // Returns true if a file with this name is wanted. If NULL, all files are.
    bool (*is_wanted)(const char *name);
    // Called repeatedly with the number of files found. The search ends if it returns false. Can be
    // NULL.
    bool (*goes_on)(void *user, size_t num_files);
    void *user;
    // Result: the reason why files are missing, such as "cannot read the folder 'a/b': Permission
    // denied", or "".
    char warning[200];
} common_walk;

// Returns the paths of the files, which begin with `folder`. Files are listed folder by folder:
// folders near `folder` first, folders that are reached by links last. The files of a folder are
// sorted.
common_list common_walk_folder(const char *folder, common_walk *walk);

// Returns a folder and its subfolders in the same order, at most `max_folders`, without the folder
// `without` and its subfolders. Follows links only if `links`.
common_list common_list_subfolders(const char *first, const char *without, size_t max_folders,
                                   bool links);

// == Whole files and pipes ========================================================================

// Reads a file or a pipe to its end, up to 2 GiB. A zero byte follows the result; free it with
// free(). Waits for data from a pipe's writer. A pipe without a writer is an error, and so is a
// device. Returns NULL and sets *reason on failure.
char *common_read_stream(const char *path, size_t *size, const char **reason);

#endif
