// --output of a folder: its models side by side in one picture, with their names.
#ifndef DEMO_VIEWER_APP_CONTACT_SHEET_H
#define DEMO_VIEWER_APP_CONTACT_SHEET_H

#include "demo/viewer/jobs/view.h"

// Draws the .md5mesh files of the first folder of the options, and of those in it, into
// options->output; a file that cannot be shown leaves its error in its cell. Warns if not all fit,
// in cells of 80 pixels. Returns false and logs an error if there is no model or it cannot be
// written.
bool view_run_contact_sheet(view_state *viewer);

#endif
