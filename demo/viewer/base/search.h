// The command search: rates menu entries and names by a search text. view_find_missing_feature()
// answers searches for features of other programs that the viewer does not have.
//
// Each word of the search text must begin a word of the entry: of its label, synonyms, menu or
// tooltip. Common words, for example "show" and "the", may be missing in the entry. ui/menu.c
// displays the entries, the best rating first.
#ifndef DEMO_VIEWER_BASE_SEARCH_H
#define DEMO_VIEWER_BASE_SEARCH_H

#include "demo/viewer/base/commands.h"

enum { VIEW_NO_MATCH = -1000000 };

// Rates an entry by the words from `words` to `end`. Higher ratings are better. Returns
// VIEW_NO_MATCH if a word does not match.
int view_rate_entry(const view_menu_entry *entry, const char *words, const char *end);

// Rates the name of an object, for example of a clip, by the words from `words` to `end`. `text` is
// another text that may match, or NULL. A word may also match in the middle of a word of the name.
int view_rate_name(const char *name, const char *text, const char *words, const char *end);

// Returns the entry that contains a word with one or a few differences from a single search word.
// Returns NULL if there is none.
const view_menu_entry *view_find_similar_entry(const view_menu_entries *list, const char *word);

// Returns an answer to a search for a feature that the viewer does not have, or NULL. The answer
// names the program and the option that provide the feature. The search text must contain the name
// of the feature as a whole word.
const char *view_find_missing_feature(const char *words);

#endif
