// For tests of md5/read: creates texts by one replacement in a valid text, and collects all
// messages that reading a text reports in one string.
#ifndef TEST_READ_READ_CASE_H
#define TEST_READ_READ_CASE_H

#include "md5/md5model.h"

// Returns `text` with the first `old` replaced by `new`, in memory of exactly its size, which the
// caller frees. If `old` does not occur, the running test fails. If `old` is NULL or "", the result
// is `new`.
char *read_case_text(const char *text, const char *old, const char *new, size_t *size);

// Collects each warning as "line:column: warning: message\n", and an error in the same form.
typedef struct read_case_log {
    char text[4096];
    size_t used;
} read_case_log;
void read_case_warn(void *log, const md5_error *warning); // a md5_warn_fn
void read_case_add(read_case_log *log, const md5_error *error);

// One replacement in a valid text, and the expected messages of reading the result: lines as above,
// without the last newline. "" means that the text can be loaded without a message.
typedef struct read_case {
    const char *old;
    const char *new;
    const char *report;
} read_case;

// Loads the texts of the cases with `load`, which returns true on success, and compares the
// reported warnings and errors. A case must fail to load if and only if `report` contains "error:".
typedef bool read_case_load(const char *text, size_t size, const md5_load_opts *opts,
                            md5_error *error);
void read_cases_check(const char *good, const read_case *cases, size_t num_cases,
                      read_case_load *load, const char *file, int line);
// READ_CASES_CHECK(good, load, {"old", "new", "says"}, ...);
#define READ_CASES_CHECK(good, load, ...)                                               \
    do {                                                                                \
        const read_case cases_[] = {__VA_ARGS__};                                       \
        read_cases_check((good), cases_, COUNT_OF(cases_), (load), __FILE__, __LINE__); \
    } while (0)

// The result of reading a model or an animation, depending on the kind of the file.
typedef struct read_asset {
    md5_model *model;
    md5_anim *anim;
} read_asset;

read_asset read_asset_parse(bool is_anim, const char *text, size_t size, const md5_load_opts *opts,
                            md5_error *error);
read_asset read_asset_load(const char *path, const md5_load_opts *opts, md5_error *error);
void read_asset_free(read_asset asset);
bool read_asset_is_loaded(read_asset asset);
uint32_t read_asset_warnings(read_asset asset);
bool read_asset_is_valid(read_asset asset); // every index is inside its table

#endif
