// Materials of Unvanquished and other games of Quake III's line: .shader files.
#ifndef DEMO_VIEWER_SCENE_SHADER_FILE_H
#define DEMO_VIEWER_SCENE_SHADER_FILE_H

#include "demo/viewer/base/log.h"
#include "demo/viewer/scene/look.h"

#include <stdbool.h>
#include <stddef.h>

// Finds the material `name`, ignoring case, slashes of the other kind and an ending, in the text of
// a .shader file, and writes its look: pictures without endings, to be freed by
// view_free_look(). Returns whether the file has it. A mistake in it is a warning with line
// and column; `path` is the file's in messages. Time is linear in the size.
bool view_read_shader(const char *path, const char *text, size_t size, const char *name,
                      view_look *look, view_log *log);

// Finds a material in the .shader files of the folder, in the order of their names: the first one
// counts. Files of more than 4 MiB are left out.
bool view_find_shader(const char *folder, const char *name, view_look *look, view_log *log);

#endif
