#include "test/read_case.h"
#include "test/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *read_case_text(const char *text, const char *old, const char *new, size_t *size)
{
    const char *const place = old ? strstr(text, old) : text;
    const bool is_whole = !old || !old[0];
    test_check(place != NULL, __FILE__, __LINE__, "'%s' is not in the text", old ? old : "");
    const size_t before = place && !is_whole ? (size_t)(place - text) : 0;
    const char *const behind = is_whole ? "" : place ? place + strlen(old) : text;
    *size = before + strlen(new) + strlen(behind);
    char *const made = malloc(*size + 1);
    if (!made)
        abort();
    memcpy(made, text, before);
    memcpy(made + before, new, strlen(new));
    memcpy(made + before + strlen(new), behind, strlen(behind));
    // Of exactly its size, so that reading past the end is found.
    char *const exact = malloc(*size ? *size : 1);
    if (!exact)
        abort();
    memcpy(exact, made, *size);
    free(made);
    return exact;
}

void read_case_add(read_case_log *log, const md5_error *error)
{
    char line[600];
    md5_error placed = *error;
    placed.file[0] = '\0';
    md5_format_error(&placed, line, sizeof line);
    const int length = snprintf(log->text + log->used, sizeof log->text - log->used, "%s%s",
                                log->used ? "\n" : "", line);
    if (length > 0)
        log->used += (size_t)length;
    if (log->used >= sizeof log->text)
        log->used = sizeof log->text - 1;
}

void read_case_warn(void *log, const md5_error *warning)
{
    test_check(warning->status == MD5_WARNING, __FILE__, __LINE__, "a warning is none");
    read_case_add(log, warning);
}

void read_cases_check(const char *good, const read_case *cases, size_t num_cases,
                      read_case_load *load, const char *file, int line)
{
    for (size_t i = 0; i < num_cases; i++) {
        size_t size;
        char *const text = read_case_text(good, cases[i].old, cases[i].new, &size);
        read_case_log log = {0};
        const md5_load_opts opts = {.warn = read_case_warn, .warn_user = &log};
        md5_error error;
        const bool loaded = load(text, size, &opts, &error);
        if (!loaded)
            read_case_add(&log, &error);
        test_check(strcmp(log.text, cases[i].says) == 0, file, line,
                   "'%.40s' for '%.40s' says\n  %s\nexpected\n  %s", cases[i].new, cases[i].old,
                   log.text, cases[i].says);
        test_check(loaded == (error.status == MD5_OK), file, line, "status against result");
        free(text);
    }
}
