// Words in names of files, meshes and shaders. This header is for this folder only; the functions
// for other folders are in look.h.
#ifndef DEMO_LOOKS_NAMES_H
#define DEMO_LOOKS_NAMES_H

#include "demo/looks/look.h"

// Meaning of a keyword in a texture's file name (bit flags).
enum {
    WORD_COLOR = 1,    // "skin", "diffuse": a color map
    WORD_MAP = 2,      // "normal", "spec": another map
    WORD_GENERIC = 4,  // "mesh", "default": no information
    WORD_PART = 8,     // "eye", "hands": a part of a body that usually has a separate image
    WORD_OTHER = 16,   // "icon", "flash": an image that is not on models
    WORD_VARIANT = 32, // "red", "off", numbers: one of several similar images
};

// Returns a name without the words of some kinds. `kinds` is a combination of bit flags.
view_name view_remove_words(view_name name, uint8_t kinds);

// Returns a name without the words of some kinds. If no other words remain, returns the complete
// name.
view_name view_main_words(view_name name, uint8_t kinds);

// Returns true if the name contains a word of these kinds.
bool view_has_word(const view_name *name, uint8_t kinds);

// Returns true if a name is not empty and all its words are of these kinds.
bool view_has_only_words(const view_name *name, uint8_t kinds);

// Returns true if a name probably belongs to one model only. Such a name has at least three letters
// in words that are neither generic nor parts nor variants.
bool view_is_specific_name(const view_name *name);

// Returns a copy of a path without the extension of an image.
char *view_remove_extension(const char *path);

// Returns the words of a path's last part, without the extension.
view_name view_split_stem(const char *path);

// Returns true if two names are equal after the words of some kinds are removed.
bool view_is_same_name(const view_name *a, const view_name *b, uint8_t kinds);

// Returns true if two files probably contain the same image. They must be in the same folder, and
// their names must be equal except for words of color maps. If `ignores_variants`, they may also
// differ in words of variants.
bool view_is_same_image(const view_image_file *a, const view_image_file *b, bool ignores_variants);

// Returns true if a path without extension ends with the path `end`, which begins with a slash. The
// last part of `path` may have additional words of color maps. For example, "a/models/imp_skin"
// ends with "/models/imp".
bool view_ends_with_path(const char *path, const char *end);

#endif
