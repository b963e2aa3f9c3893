// Opening what is shown, and following it when its files change.
#ifndef DEMO_VIEWER_APP_OPEN_H
#define DEMO_VIEWER_APP_OPEN_H

#include "demo/viewer/jobs/view.h"

// Switches as the options say, after view_begin(), and options that say what the window shows: what
// is set by one and described by the other is the same.
void view_take_switches(view_state *viewer);
void view_describe(const view_state *viewer, view_options *options);

// Writes the configuration file, if there is one, when the window closes.
void view_remember(view_state *viewer);

// The same after a second in which nothing changed any more, so that nothing is lost if the program
// is ended; the camera alone is no reason to. Call it in every frame.
void view_remember_soon(view_state *viewer);

// Asks for pictures of the chosen line and its neighbours while a game is listed, and takes those
// that are ready. Returns whether what is shown has changed.
bool view_follow_previews(view_state *viewer);

// Lists a folder or an archive: the contents of a game, or the files of any other folder.
void view_browse_place(view_state *viewer, const char *path);

// Lists the contents of a folder as a game, which is opened in the background.
void view_browse_game(view_state *viewer, const char *place);

// Takes the opened game, or shows how far that is. Returns whether the picture changes.
bool view_follow_scan(view_state *viewer);

// Lists a section of the game.
void view_show_section(view_state *viewer, size_t section);

// Opens files, or our own model if there are none: scene, GPU copies, textures, framing.
// If a file cannot be shown: logs why, keeps what was open, and returns false.
// `as_asked`: textures named on the command line apply to these files.
bool view_open(view_state *viewer, const char *const *files, size_t num_files, bool as_asked);

// Opens what the user dropped on the window: model, animation, camera path or texture; of a folder,
// the list of its files.
void view_drop(view_state *viewer, const char *path);

// Frees what view_open() created.
void view_close(view_state *viewer);

// Reads the picture of --environment, if it is given and something is drawn. Logs an error on
// failure.
bool view_choose_environment(view_state *viewer);

bool view_reload(view_state *viewer);

// Shows another clip, from its beginning.
void view_change_clip(view_state *viewer, size_t clip);

// Measures the clip again after the root mode or the clip changed.
void view_measure(view_state *viewer);

// Returns the place of --game with --base behind it; without --base, with the base that is found.
// To be freed.
char *view_place_of_options(const view_options *options);

// Opens --game and what its name names. Returns false and logs an error on failure.
bool view_open_game_name(view_state *viewer);

// Opens the files on the command line, or the last model if there are none, and lists the folder on
// it. Returns false and logs an error if nothing can be shown.
bool view_open_first(view_state *viewer);

// Checks the files a few times a second, and reloads all if one has changed.
void view_watch_files(view_state *viewer);

// -- Pages of techniques ---------------------------------------------------------------------

// --page: opens the page with its character, with the sliders of --set. Returns false and logs an
// error if there is no such page or slider or its character cannot be opened; true without the
// option.
bool view_choose_page(view_state *viewer);

// Opens a page with its character, or the contents. Returns false and logs an error if that cannot
// be opened.
bool view_show_page_number(view_state *viewer, int32_t number);

#endif
