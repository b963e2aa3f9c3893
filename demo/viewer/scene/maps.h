// The maps that belong to a diffuse texture: where they lie, and how their pixels are meant.
#ifndef DEMO_VIEWER_SCENE_MAPS_H
#define DEMO_VIEWER_SCENE_MAPS_H

#include "demo/common/file.h"
#include "demo/viewer/base/options.h"

#include <stdbool.h>
#include <stdint.h>

// "normal map", ... for people.
const char *view_map_name(view_map map);

// The file among `files` that lies beside `diffuse` and is called as it is, but for the endings by
// which artists tell maps apart: id's _local, _h, _s, _add, and what others write for them. NULL if
// there is none; points into `files`.
const char *view_find_map(const common_list *files, const char *diffuse, view_map map);

// A picture in memory.
typedef struct view_image {
    uint8_t *rgba; // free()
    uint32_t width, height;
} view_image;

// How the normals in a picture are stored: see md5gl_normals. Files do not say it, so the picture
// is asked: x is in alpha where red holds nothing; and slopes of a surface that has no vortices
// go together in one of two ways, depending on where green leans.
uint32_t view_guess_normals(const view_image *image);

// How well the slopes go together: 1 = green leans along growing v, as id's, -1 = against it, near
// 0 = nobody can tell.
double view_green_side(const view_image *image);

// The normals of a height map as id's heightmap() makes them; wraps around. Same size.
view_image view_normals_of_heights(const view_image *heights, float scale);

// Adds the slopes of `more`, which may be of another size. Both as id's.
void view_add_slopes(view_image *normals, const view_image *more);

// Whether a part of a diffuse texture that one would see is cut out.
bool view_has_holes(const view_image *image);

#endif
