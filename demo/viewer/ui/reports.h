// Shows errors and warnings. An error has a window with the lines of its file (view_excerpt). The
// list of problems is in the bottom dock (view_problems). The indicator of a recording is also
// here.
#ifndef DEMO_VIEWER_UI_REPORTS_H
#define DEMO_VIEWER_UI_REPORTS_H

#include "demo/viewer/ui/retarget.h"

// The lines of a file around an error. Of a long line, only the bytes around the error are stored.
enum { VIEW_EXCERPT_LINES = 7, VIEW_EXCERPT_BYTES = 128 };
typedef struct view_excerpt {
    uint64_t error_key; // the error: view_log.num_errors when it occurred, or view_report.hash
    uint32_t first;     // number of the first line, from 1
    uint32_t count;     // number of lines
    uint32_t caret;     // index of the wrong byte in its line of `lines`
    bool is_cut;        // the lines are truncated at their beginning
    char lines[VIEW_EXCERPT_LINES][VIEW_EXCERPT_BYTES];
} view_excerpt;

// The state of the list of problems, of the window of an error, and of the dialog of a repair.
typedef struct view_problems {
    char filter[64];
    size_t selected;     // index among the lines of the list
    size_t shown;        // 1 + the report whose lines are displayed; 0: none
    uint64_t open_cause; // key of the cause whose reports are listed; 0: none
    bool has_keys;  // the list receives keys: after a press on it or its command, until the next
                    // press
    char *repair;   // description of the repair, one change per line; NULL: no dialog
    char *broken;   // path of the file to repair
    char *repaired; // path of the repaired file
    view_excerpt excerpt; // excerpt with the displayed error
} view_problems;

// Closes the dialog of a repair.
void view_clear_repair(view_problems *problems);

// Draws the indicator of a recording at the top of the image, which is not a part of the
// recording. Also handles its input. A click ends the recording.
void view_recording_panel(view_ui *ui, const view_stage *stage);

// Draws the list of problems in the bottom dock and handles its input. The button "Map joints"
// of a problem opens the page `retarget`.
void view_problems_panel(view_ui *ui, view_problems *problems, view_retarget_page *retarget,
                         view_rect area);

// Returns a text about a clip whose joints do not match the joints of the model. The caller frees
// it.
char *view_describe_binding(const view_clip *clip);

// Returns true if a report is about a mesh of the scene.
bool view_is_about_mesh(const view_stage *stage, const view_report *report, uint32_t mesh);

// Draws the window of an error or the dialog of a repair, and handles its input. The window
// displays the error in the log, or the selected problem.
void view_reports_panel(view_ui *ui, view_problems *problems);

// Returns the name of the panel that view_reports_panel() displays, or NULL.
const char *view_open_report(const view_ui *ui, const view_problems *problems);

// Returns true if a mesh has no image for a map that its material needs. Only the diffuse map is
// needed. It is not needed if the material draws only in stages.
bool view_lacks_image(const view_textures *textures, uint32_t mesh, md5gl_image_kind map);

#endif
