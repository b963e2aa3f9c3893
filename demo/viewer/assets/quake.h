// Models of the Quake and Quake II re-releases, which lie beside those that they replace: how fast
// they play and which pictures they have.
#ifndef DEMO_VIEWER_ASSETS_QUAKE_H
#define DEMO_VIEWER_ASSETS_QUAKE_H

#include "md5/md5dialects.h"

typedef enum view_quake {
    VIEW_QUAKE_NONE,
    VIEW_QUAKE_1, // in a folder "progs"
    VIEW_QUAKE_2, // in a folder "md5", with an .md2 of the same name in the one above
} view_quake;

// Which game a file belongs to, by its folder.
view_quake view_quake_of(const char *path);

// Returns the name of an image of a mesh's skin, without folder and ending, or NULL: Quake's follow
// from the shader, and there may be up to MD5_MAX_QUAKE_IMAGES of them, shown in turn; Quake II's
// is that of the .md2. There need not be such a file. free() it.
char *view_quake_skin(const char *model_path, const char *shader, uint32_t skin, uint32_t image);

// Sets an animation to ten frames a second, as both games play them whatever the file says.
void view_quake_rate(const char *path, md5_anim *anim);

// Loads the .md5scale beside an animation; NULL if there is none, or with an error in `error`.
md5_scales *view_quake_scales(const char *anim_path, const md5_anim *anim,
                              const md5_load_opts *opts, md5_error *error);

#endif
