// The maps that belong to a diffuse texture: how to find their files and decode their pixels.
#ifndef DEMO_VIEWER_ASSETS_MAPS_H
#define DEMO_VIEWER_ASSETS_MAPS_H

#include "demo/common/file.h"
#include "demo/viewer/assets/image.h"
#include "demo/viewer/base/options.h"

#include <stdbool.h>
#include <stdint.h>

// The name of a map in messages: "normal map", ...
const char *view_map_name(view_map map);

// Returns the file among `files` whose name equals that of `diffuse` except for the suffix of this
// map: id's _local, _h, _s, _add and other common ones. NULL if there is none; points into `files`.
const char *view_find_map(const common_list *files, const char *diffuse, view_map map);

// Whether a file's name is that of a map other than the colour map, by its last word:
// "imp_local.tga", "normals.png".
bool view_is_other_map(const char *path);

// Guesses how a normal map is encoded: see md5gl_normals. Files do not say, so the pixels decide: x
// is in alpha if red is constant; and green points down or up so that the slopes become those of a
// height field, whose curl is zero.
uint32_t view_guess_normals(const view_image *image);

// Correlation of the slopes' cross derivatives: 1 = green points along growing v, as in id's maps,
// -1 = against it, near 0 = undecided.
double view_green_side(const view_image *image);

// Makes normals of a height map as id's heightmap() does; wraps around. Same size.
view_image view_normals_of_heights(const view_image *heights, float scale);

// Adds the slopes of `more`, which may have another size. Both use id's encoding.
void view_add_slopes(view_image *normals, const view_image *more);

// Masks of Cube 2's engines, by the reference of Sauerbraten's models: red is how much a texel
// shines, green how much it glows in the color of the texture, blue how much it reflects. Replace
// the masks by highlights or by a glow map, times a share from 0 to 1. `texture` may have another
// size.
void view_make_highlights(view_image *masks, float share);
void view_make_glow(view_image *masks, const view_image *texture, float share);

// Whether more than 1 % of a diffuse texture's pixels are transparent.
bool view_has_holes(const view_image *image);

#endif
