// The words of the command search: compares a search text with menu entries and names, and lists
// features of other programs that the viewer does not have (view_find_pointer()).
//
// Each word of the search text must begin a word of the entry: of its label, its synonyms, its menu
// or its tooltip. Common words, such as "show" and "the", may be missing in the entry. The entry
// with the best score is listed first. ui/menu.c displays the lines.
#ifndef DEMO_VIEWER_BASE_SEARCH_H
#define DEMO_VIEWER_BASE_SEARCH_H

#include "demo/viewer/base/commands.h"

enum { VIEW_NO_MATCH = -1000000 };

// Rates the words from `words` to `end` against an entry. Returns VIEW_NO_MATCH if one of the words
// does not match; otherwise larger is better.
int view_rate_entry(const view_menu_entry *entry, const char *words, const char *end);

// Rates the words from `words` to `end` against the name of an object, such as a clip, and another
// text or NULL. Words may also match inside of a word of the name.
int view_rate_name(const char *name, const char *text, const char *words, const char *end);

// Returns the entry with a word that differs from a single search word by a typing error, or NULL.
const view_menu_entry *view_find_similar_entry(const view_menu_entries *list, const char *word);

// Returns a line about a feature that the viewer does not have: the program and option that has it,
// or NULL. The search text must contain the name of the feature as a whole word.
const char *view_find_pointer(const char *words);

#endif
