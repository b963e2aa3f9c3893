// Folders, game folders and archives as lists.
#ifndef DEMO_VIEWER_APP_PLACES_H
#define DEMO_VIEWER_APP_PLACES_H

#include "demo/viewer/jobs/view.h"

// Lists a folder or an archive: the contents of a game, or the files of any other folder.
void view_browse_place(view_state *viewer, const char *path);

// Lists the contents of a folder as a game, which is opened in the background.
void view_browse_game(view_state *viewer, const char *place);

// Takes the opened game, or shows how far that is. Returns whether the picture changes.
bool view_follow_scan(view_state *viewer);

// Opens or closes the list of the last game, or of the one that the shown model lies in.
void view_list_game(view_state *viewer);

// Lists a section of the game.
void view_show_section(view_state *viewer, size_t section);

#endif
