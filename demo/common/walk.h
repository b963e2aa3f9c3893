// Searches a folder and the folders below it. Each folder is searched once, however many links lead
// to it, also in circles; only regular files are found; and there is a limit to what is looked at.
#ifndef DEMO_COMMON_WALK_H
#define DEMO_COMMON_WALK_H

#include "demo/common/file.h"

typedef struct common_walk {
    bool (*is_wanted)(const char *name); // of files; NULL: all are
    // Called again and again with the number of files so far; if it returns false, the search ends.
    // NULL: not called.
    bool (*goes_on)(void *user, size_t num_files);
    void *user;
    bool is_cut; // afterwards: the search ended at its limit
} common_walk;

// Returns the paths of the files, which begin with `folder`: folder by folder, those that are
// nearest first and those behind links last; in a folder as common_sort() has them.
common_list common_walk_folder(const char *folder, common_walk *walk);

// Returns a folder and those below it in the same order, `max_folders` at most, but for `without`
// and those below that; unless `links`, through no links.
common_list common_folders_below(const char *first, const char *without, size_t max_folders,
                                 bool links);

#endif
