// A list to choose from by typing: files of a folder with those opened lately, or clips.
#ifndef DEMO_VIEWER_UI_BROWSER_H
#define DEMO_VIEWER_UI_BROWSER_H

#include "demo/viewer/base/canvas.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum view_browser_kind {
    VIEW_BROWSE_NOTHING, // it is closed
    VIEW_BROWSE_FILES,
    VIEW_BROWSE_CLIPS,
} view_browser_kind;

typedef enum view_entry_kind {
    VIEW_ENTRY_FILE,
    VIEW_ENTRY_RECENT, // a file too, with its folder told
    VIEW_ENTRY_FOLDER,
    VIEW_ENTRY_ABOVE, // the folder above: the first entry
    VIEW_ENTRY_CLIP,
} view_entry_kind;

typedef struct view_entry {
    view_entry_kind kind;
    char *label, *path; // path: NULL for a clip
    size_t clip;
} view_entry;

typedef struct view_browser {
    view_browser_kind kind;
    char *folder; // that is listed
    view_entry *entries;
    size_t num_entries;
    size_t *found; // [num_found] entries that have the filter in them
    size_t num_found;
    size_t chosen, first; // places in `found`: the one that Enter takes, the uppermost seen
    char filter[64];
    bool fresh;     // the key that opened it is not to be typed into it
    view_rect box;  // as drawn last
    view_rect rows; // likewise: those of the entries
} view_browser;

void view_clear_browser(view_browser *browser);

#endif
