// Helpers for tests of documents: parsing, writing, and loading of the written texts.
#ifndef TEST_LOAD_TEST_EDIT_CASE_H
#define TEST_LOAD_TEST_EDIT_CASE_H

#include "test/scoped.h"

static inline void release_doc(md5_doc *const *owner)
{
    md5_free_doc(*owner);
}
#define SCOPED_DOC __attribute__((unused, cleanup(release_doc))) md5_doc *const

static inline md5_doc *parse(md5_doc_kind kind, const char *text)
{
    md5_error error = {0};
    md5_doc *const doc = md5_parse_doc(kind, text, strlen(text), NULL, &error);
    CHECK_DONE(doc, error);
    return doc;
}

// A test on the document of a text.
#define TEST_DOC(title, kind, text)             \
    static void run_##title##_on(md5_doc *doc); \
    TEST (title) {                              \
        SCOPED_DOC doc = parse(kind, text);     \
        if (doc)                                \
            run_##title##_on(doc);              \
    }                                           \
    static void run_##title##_on(md5_doc *doc)

// Returns the text of a document, or NULL and the error.
static inline char *written(const md5_doc *doc, md5_error *error)
{
    const size_t size = md5_write_doc(doc, NULL, 0, error);
    if (size == 0)
        return NULL;
    char *const text = test_alloc(size + 1);
    CHECK_UINT(md5_write_doc(doc, text, size + 1, error), size);
    CHECK_UINT(strlen(text), size);
    return text;
}

static inline md5_model *reparse_model(const md5_doc *doc)
{
    md5_error error = {0};
    SCOPED_STRING text = written(doc, &error);
    return text ? text_model(text, &error) : NULL;
}

static inline md5_anim *reparse_anim(const md5_doc *doc)
{
    md5_error error = {0};
    SCOPED_STRING text = written(doc, &error);
    return text ? text_anim(text, &error) : NULL;
}

#endif
