// The words of names of files, meshes and shaders: what they say, and which names mean the same.
#ifndef DEMO_VIEWER_ASSETS_FILE_WORDS_H
#define DEMO_VIEWER_ASSETS_FILE_WORDS_H

#include "demo/common/file.h"
#include "demo/viewer/base/options.h"

#include <stdbool.h>
#include <stdint.h>

// What a word says about a name that it is in.
enum {
    VIEW_WORD_COLOR = 1,    // "skin", "diffuse": the name is that of a colour map
    VIEW_WORD_MAP = 2,      // "normal", "spec": it is that of another map
    VIEW_WORD_GENERIC = 4,  // "mesh", "default": it says nothing
    VIEW_WORD_PART = 8,     // "eye", "hands": a part that usually has an image of its own
    VIEW_WORD_OTHER = 16,   // "icon", "flash": the image is on no model
    VIEW_WORD_VARIANT = 32, // "red", "off", numbers: one of several that are alike
};

// Words in lower case, each between spaces: " red deer 1 ". A longer name is cut off.
typedef struct view_name {
    char words[112];
} view_name;

// Splits a name at all but letters and digits, between both, and before capitals: "redDeer_01".
view_name view_split_name(const char *name);

// The name without words of these kinds; the second one gives the name itself if no others are
// left.
view_name view_drop_words(view_name name, uint8_t kinds);
view_name view_main_words(view_name name, uint8_t kinds);

// Whether the name has a word of these kinds, or only such; whether three letters are in others
// than generic words, parts and variants.
bool view_has_word(const view_name *name, uint8_t kinds);
bool view_is_all(const view_name *name, uint8_t kinds);
bool view_is_specific(const view_name *name);

// The share of the letters of `a`, in percent, that are in words which `b` has, too. Words of
// four letters or more may be within others. 0 if both have numbers, and not the same ones.
uint32_t view_share_in(const view_name *a, const view_name *b);

// Whether two names are the same but for words of these kinds.
bool view_is_same(const view_name *a, const view_name *b, uint8_t kinds);

// The extensions of files that view_read_image() reads, in order of preference, terminated by NULL;
// and whether a file is an image, by its extension.
const char *const *view_image_endings(void);
bool view_is_image(const char *path);

// A copy of a path without the extension of an image, and the words of its last part.
char *view_without_ending(const char *path);
view_name view_split_stem(const char *path);

// Whether two images lie in one folder, and their names are the same but for words of colour maps
// and, with `variants`, of variants.
bool view_is_same_image(const char *a, const char *b, bool variants);

// Whether a path without extension ends in another, which begins with a slash; words of colour maps
// may follow.
bool view_ends_in(const char *path, const char *end);

// -- Maps of images ------------------------------------------------------------------------------

// The name of a map in messages: "normal map", ...
const char *view_map_name(view_map map);

// Returns the file among `files` whose name equals that of `diffuse` except for the suffix of this
// map: id's _local, _h, _s, _add and other common ones. NULL if there is none; points into `files`.
const char *view_find_map(const common_list *files, const char *diffuse, view_map map);

// Whether a file's name is that of a map other than the colour map, by its last word:
// "imp_local.tga", "normals.png".
bool view_is_other_map(const char *path);

#endif
