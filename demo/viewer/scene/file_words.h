// The words of names of files, meshes and shaders: how far two names mean the same thing.
#ifndef DEMO_VIEWER_SCENE_FILE_WORDS_H
#define DEMO_VIEWER_SCENE_FILE_WORDS_H

#include <stdbool.h>
#include <stdint.h>

// What a word says about a name that it is in.
enum {
    VIEW_WORD_COLOR = 1,    // "skin", "diffuse": the name is that of a colour map
    VIEW_WORD_MAP = 2,      // "normal", "spec": it is that of another map
    VIEW_WORD_GENERIC = 4,  // "mesh", "default": says nothing about what it is
    VIEW_WORD_PART = 8,     // "eye", "hands": of a part that usually has an image of its own
    VIEW_WORD_OTHER = 16,   // "icon", "flash": of an image that is on no model
    VIEW_WORD_VARIANT = 32, // "red", "off" and numbers: one of several that look alike otherwise
};

enum { VIEW_NAME_WORDS = 16, VIEW_NAME_SIZE = 96 };

// Words in lower case. A longer name is cut off.
typedef struct view_name {
    char text[VIEW_NAME_SIZE]; // the words one behind the other, without anything between
    uint8_t begin[VIEW_NAME_WORDS], size[VIEW_NAME_WORDS], kind[VIEW_NAME_WORDS]; // kind: flags
    uint32_t count;
} view_name;

// Splits a name at all but letters and digits, between both, and before capitals: "redDeer_01d".
// Zeros before a number are left out.
view_name view_split_name(const char *name);

// The flags that all words of the name have, and those that at least one has; 0 if it has none.
uint8_t view_kind_of_all(const view_name *name);
uint8_t view_kind_of_any(const view_name *name);

// Removes the words with one of these flags, if any other is left.
void view_drop_words(view_name *name, uint8_t kinds);

// Whether both have the same words in the same order, apart from those with one of these flags.
bool view_same_words(const view_name *a, const view_name *b, uint8_t kinds);

// How many letters of specific words the name has: those that are neither generic nor parts.
uint32_t view_specific_letters(const view_name *name);

// The share of the name's letters, in percent, that are in words which the other has, too; 0 if
// one has no words. Words of four letters and more may be within others.
uint32_t view_share_in(const view_name *name, const view_name *other);

// The same of both names together; 100 also if they differ only in how they are split.
uint32_t view_likeness(const view_name *a, const view_name *b);

// Whether both have numbers, and not the same ones.
bool view_numbers_differ(const view_name *a, const view_name *b);

// Appends the words of another name, as many as fit.
void view_append_words(view_name *name, const view_name *more);

#endif
