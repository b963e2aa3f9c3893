// Paths and folders. A path may use '/' or, as in files written on Windows, '\'.
// Every char * that is returned here is the caller's to free().
#ifndef DEMO_COMMON_FILE_H
#define DEMO_COMMON_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The last component of a path; points into it.
const char *common_base(const char *path);

// What comes before the last component: "." if nothing does.
char *common_folder(const char *path);

// The last component without its ending: "models/imp.md5mesh" gives "imp".
char *common_stem(const char *path);

// folder/name; just `name` when the folder is "." or the name is absolute.
char *common_join(const char *folder, const char *name);

bool common_is_absolute(const char *path);

// The path from the root on; "." is the current folder.
char *common_absolute(const char *path);

// Whether a path ends in `ending` (".md5anim"), in upper or lower case.
bool common_has_ending(const char *path, const char *ending);

bool common_is_file(const char *path);
bool common_is_folder(const char *path);
bool common_same_file(const char *a, const char *b); // also by other names; both must be there
uint64_t common_file_size(const char *path);         // 0 if there is none

// A number that changes when the file does: of its time, size and identity; 0 if there is none.
uint64_t common_file_stamp(const char *path);

// Whether `part` is in `text`, in upper or lower case.
bool common_contains(const char *text, const char *part);

// Compares as people sort: without regard to case, numbers by their value (walk2 < walk10).
int common_compare_names(const char *a, const char *b);

typedef struct common_list {
    char **names; // paths, sorted by common_compare_names()
    size_t count;
} common_list;

// The files of `folder` that end in `ending`, or all its folders if `ending` is NULL, as paths
// that begin with `folder`.
common_list common_list_folder(const char *folder, const char *ending);
void common_free_list(common_list *list);

// folder/relative as it is really written on disk when upper and lower case do not matter, or
// NULL if there is no such file.
char *common_find(const char *folder, const char *relative);

#endif
