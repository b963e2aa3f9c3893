// What people ask in their own words, each with an answer and its page in the guides: for
// `md5tool help WORD`, the viewer's search and .github/docs/words.md, which has the same rows.
#ifndef DEMO_COMMON_ANSWERS_H
#define DEMO_COMMON_ANSWERS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct common_answer {
    const char *words; // phrases, by commas; the first is the title
    const char *answer;
    const char *guide; // within .github/docs, "crowds.md#hits"
} common_answer;

extern const common_answer common_answers[];
extern const size_t common_num_answers;

// The length of the first phrase.
int common_title_length(const common_answer *answer);

// Whether a question has all words of a phrase, or each of its words begins one of a phrase.
bool common_is_asked(const common_answer *answer, const char *question);

#endif
