// --output of a folder: its models in one picture, with their names.
#ifndef DEMO_VIEWER_APP_CONTACT_SHEET_H
#define DEMO_VIEWER_APP_CONTACT_SHEET_H

#include "demo/viewer/jobs/view.h"

// Draws the .md5mesh files of the first folder of the options, and of those in it, side by side
// into options->output; a file that cannot be shown leaves its error in its cell. If cells would be
// smaller than 96 pixels, more pictures follow, with numbers before the extension; standard output
// gets the first one. Returns false and logs an error if there is no model or a picture cannot be
// written.
bool view_run_contact_sheet(view_state *viewer);

#endif
