// The picture beside the list of a game: asked of a thread, and uploaded as a texture.
#ifndef DEMO_VIEWER_APP_GAME_PREVIEW_H
#define DEMO_VIEWER_APP_GAME_PREVIEW_H

#include "demo/viewer/jobs/view.h"

// Asks for pictures of the chosen line and its neighbours while a game is listed, and takes those
// that are ready. Returns whether what is shown has changed.
bool view_follow_previews(view_state *viewer);

// Forgets all pictures, for another game.
void view_forget_previews(view_state *viewer);

#endif
