// Pictures of what lies in a game, made by a thread while a list is open, and kept.
#ifndef DEMO_VIEWER_SCENE_PREVIEWS_H
#define DEMO_VIEWER_SCENE_PREVIEWS_H

#include "demo/viewer/scene/maps.h"

#include <stdbool.h>

// Pictures that are kept at most, those that were asked for last; and wishes at a time.
enum { VIEW_MOST_PREVIEWS = 256, VIEW_MOST_WISHES = 12 };

typedef struct view_previews view_previews;

// Begins with the game in a folder or an archive. The thread opens it for itself, on the first
// wish, because one thread at a time may use a game.
view_previews *view_begin_previews(const char *place);
void view_stop_previews(view_previews *previews); // NULL is allowed

// Asks for pictures of what view_wish_of() names, the most urgent first, instead of those that were
// asked for before and are not there yet. Never waits.
void view_want_previews(view_previews *previews, const char *const *wishes, size_t count);

// Takes pictures that were made meanwhile. Returns whether there are any. Never waits for one.
bool view_take_previews(view_previews *previews);

// Returns the picture of a wish, which stays until the next view_take_previews(); NULL if it is not
// there yet, or if nothing can be shown.
const view_image *view_find_preview(view_previews *previews, const char *wish);

#endif
