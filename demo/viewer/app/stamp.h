// A number that changes if a file of the document changes.
#ifndef DEMO_VIEWER_APP_STAMP_H
#define DEMO_VIEWER_APP_STAMP_H

#include "demo/viewer/jobs/view.h"

// Of the document's files, with its textures, its machine's, companions' and crowd's files.
uint64_t view_stamp_files(const view_state *viewer);

// Stores it after files were read, with --watch.
void view_note_files(view_state *viewer);

#endif
