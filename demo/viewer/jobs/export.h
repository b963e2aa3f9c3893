// Export from the window.
//
// An export does the same work as a command line, in a separate state, between the frames of the
// window. The user can continue to work.
#ifndef DEMO_VIEWER_JOBS_EXPORT_H
#define DEMO_VIEWER_JOBS_EXPORT_H

#include "demo/viewer/draw/draw.h"

typedef struct view_state view_state;

// Returns the arguments of the command line that exports the shown document with the choices of the
// dialog, without the name of the program. If a choice is invalid, returns an empty list, and the
// dialog shows the problem. Free the list with common_free_list().
common_list view_export_words(view_state *viewer);

// Returns the command line that shows the same contents in a window. The caller frees it.
char *view_command_line(view_state *viewer);

// Performs a command of the export dialog: opens or closes it, starts the export, starts it again
// under the next unused name, or stops it.
void view_perform_export(view_state *viewer, view_action action);

// Selects the kind and the format of the export from a search text such as "export glb". Does
// nothing if the dialog is closed.
void view_select_named_export(view_state *viewer, const char *words);

// Saves the retargeting of the scene's clips in the folder of the target model. `content` selects
// the files: VIEW_SAVE_CLIP the shown clip, VIEW_SAVE_CLIPS all clips, VIEW_SAVE_MAP the map of
// joints.
void view_save_retargeted(view_state *viewer, size_t content);

// Continues the export, and updates the dialog. Call it in every frame. Returns true if the image
// changes.
bool view_update_export(view_state *viewer);

// Describes the shown document, lesson and camera as options with which md5view shows the same
// image. Options of the window itself, such as its size, have their defaults. The viewer owns some
// texts of the options, so they are valid only as long as it does not change.
void view_describe_document(view_state *viewer, view_options *options);

// Stops the export. An incomplete export leaves no file.
void view_stop_export(view_state *viewer);

#endif
