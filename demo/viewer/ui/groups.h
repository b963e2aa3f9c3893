// Names of a game in groups, so that a long list fits on a screen: by the folders in them, and by
// their words up to "_" where there are no folders.
#ifndef DEMO_VIEWER_UI_GROUPS_H
#define DEMO_VIEWER_UI_GROUPS_H

#include "demo/viewer/ui/browser.h"

// So many names are listed without groups.
enum { VIEW_MOST_UNGROUPED = 30 };

// Finds the entries whose labels contain the filter, and chooses the first. Without a filter, the
// entries of a game are those of its group: groups within and single names. Time: that of sorting
// the names.
void view_find_entries(view_browser *browser);

// The next search goes to the group that lists a name; NULL: to the one of all names.
void view_go_to_group(view_browser *browser, const char *name);

// Enters the group of a row, or leaves one. Returns false if the row is a name.
bool view_enter_group(view_browser *browser, const view_entry *entry);

#endif
