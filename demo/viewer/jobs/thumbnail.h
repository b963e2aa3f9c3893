// --thumbnail: a small picture for file managers, of files that nobody has looked at yet.
#ifndef DEMO_VIEWER_JOBS_THUMBNAIL_H
#define DEMO_VIEWER_JOBS_THUMBNAIL_H

#include "demo/viewer/base/log.h"
#include "demo/viewer/base/options.h"

// Draws the files of the options without OpenGL, and writes options->output. All is bounded: 256
// MiB of memory, 3 s of processor time, 32 MiB of files, 500 000 vertices, 16 million pixels an
// image and twice as many in all. Nothing outside of the first file's folder is read, nor a link.
// Returns false, logs an error and writes nothing if a file cannot be shown or more would be
// needed. Limits stay with the process.
bool view_run_thumbnail(const view_options *options, view_log *log);

#endif
