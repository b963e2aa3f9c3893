// Opens files as the document that is shown.
#ifndef DEMO_VIEWER_APP_OPEN_H
#define DEMO_VIEWER_APP_OPEN_H

#include "demo/viewer/jobs/view.h"

// Opens files, or our own model if there are none: scene, GPU copies, textures, framing.
// If a file cannot be shown: logs why, keeps what was open, and returns false.
// `as_asked`: textures named on the command line apply to these files.
bool view_open(view_state *viewer, const char *const *files, size_t num_files, bool as_asked);

// The path of a model of our own, such as "bobbin/bobbin.md5mesh"; NULL if there are none. The
// caller frees it.
char *view_own_model(const char *name);

// Opens what the user dropped on the window: model, animation, camera path or texture; of a folder,
// the list of its files.
void view_drop(view_state *viewer, const char *path);

// Gives a mesh a texture that the user chose, or with NULL the one that is found, and stores that
// for the model.
void view_give_texture(view_state *viewer, uint32_t mesh, const char *path);

// Frees what view_open() created.
void view_close(view_state *viewer);

// Reads the picture of --environment, if it is given and something is drawn. Logs an error on
// failure.
bool view_choose_environment(view_state *viewer);

bool view_reload(view_state *viewer);

// The next (+1) or previous (-1) file of the kind in the same folder.
void view_open_neighbour(view_state *viewer, int step);

// Shows another clip, from its beginning.
void view_change_clip(view_state *viewer, size_t clip);

// Measures the clip again after the root mode or the clip changed.
void view_measure(view_state *viewer);

#endif
