// What lies in a game folder or an archive, shown by its name.
#ifndef DEMO_VIEWER_APP_GAME_H
#define DEMO_VIEWER_APP_GAME_H

#include "demo/viewer/jobs/view.h"

// Returns the place of --game with --base behind it; without --base, with the base that is found.
// To be freed.
char *view_place_of_options(const view_options *options);

// Opens --game and what its name names. Returns false and logs an error on failure.
bool view_open_game_name(view_state *viewer);

// Shows a name of a section of the listed game: an entity or a model; a clip on the shown model; a
// skin on the shown entity.
void view_show_named(view_state *viewer, size_t section, const char *name);

// Plays a clip of the shown entity in a channel; SIZE_MAX: none.
void view_play_in(view_state *viewer, uint32_t channel, size_t clip);

// The next (+1) or previous (-1) name of the shown one's section.
void view_show_neighbour(view_state *viewer, int step);

#endif
