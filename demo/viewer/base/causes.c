// Groups the reports of a list by cause, so that a file with one fault is listed as one problem
// even if the fault was reported for each joint or vertex. See view_cause in log.h.
//
// Reports about one file belong together if their texts are equal without numbers and quoted names.
// The reports are sorted by file and cause, and each run of equal keys is a cause. Of a file with
// more than VIEW_MAX_CAUSES causes the mildest ones become one cause.
#include "demo/viewer/base/log.h"

#include "demo/common/text.h"

// A report while it is sorted.
typedef struct sorted_report {
    uint64_t file; // hash of the path
    uint64_t text; // hash of the text without numbers and quoted names
    uint32_t index;
} sorted_report;

// A cause while it is sorted.
typedef struct sorted_cause {
    view_cause cause;
    uint64_t file;
    uint32_t first_report; // index of the report that was reported first
} sorted_cause;

static const uint64_t hash_start = 0xCBF29CE484222325u;

static uint64_t add_byte(uint64_t hash, char byte)
{
    return (hash ^ (unsigned char)byte) * 0x100000001B3u; // FNV-1a
}

static uint64_t hash_path(const char *path)
{
    uint64_t hash = hash_start;
    for (; path != NULL && *path != '\0'; path++)
        hash = add_byte(hash, *path);
    return hash;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// Returns the end of the number or quoted name at `text`, or `text` if there is neither.
static const char *skip_value(const char *text)
{
    if (*text == '\'' || *text == '"') {
        const char *const end = strchr(text + 1, *text);
        return end != NULL ? end + 1 : text;
    }
    while (is_digit(*text) || (*text == '.' && is_digit(text[1])))
        text++;
    return text;
}

static uint64_t hash_cause(const view_report *report)
{
    uint64_t hash = hash_start;
    if (report->about.kind == VIEW_ABOUT_BINDING)
        return hash;
    const char *text = report->text;
    while (*text != '\0') {
        const char *const end = skip_value(text);
        hash = add_byte(hash, end > text ? '0' : *text);
        text = end > text ? end : text + 1;
    }
    return hash;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_reports(const void *a, const void *b)
{
    const sorted_report *const x = a;
    const sorted_report *const y = b;
    int order = compare_numbers(x->file, y->file);
    if (order == 0)
        order = compare_numbers(x->text, y->text);
    return order != 0 ? order : compare_numbers(x->index, y->index);
}

static int compare_causes(const void *a, const void *b)
{
    const sorted_cause *const x = a;
    const sorted_cause *const y = b;
    int order = compare_numbers(x->cause.level, y->cause.level);
    if (order == 0) // a clip for another skeleton is worse than other warnings
        order = compare_numbers(!x->cause.is_binding, !y->cause.is_binding);
    return order != 0 ? order : compare_numbers(x->first_report, y->first_report);
}

static int compare_causes_in_files(const void *a, const void *b)
{
    const sorted_cause *const x = a;
    const sorted_cause *const y = b;
    const int order = compare_numbers(x->file, y->file);
    return order != 0 ? order : compare_causes(a, b);
}

// Returns the sorted reports, and sets `causes` to the runs of reports with the same cause.
static sorted_report *sort_reports(const view_reports *reports, sorted_cause **causes,
                                   size_t *num_causes)
{
    sorted_report *const sorted = common_alloc(reports->count, sizeof *sorted);
    for (size_t i = 0; i < reports->count; i++) {
        const view_report *const report = &reports->rows[i];
        sorted[i] = (sorted_report){hash_path(report->file), hash_cause(report), (uint32_t)i};
    }
    qsort(sorted, reports->count, sizeof *sorted, compare_reports);
    *causes = common_alloc(reports->count, sizeof **causes);
    *num_causes = 0;
    for (size_t i = 0; i < reports->count; i++) {
        const view_report *const report = &reports->rows[sorted[i].index];
        const bool is_new =
            i == 0 || sorted[i].file != sorted[i - 1].file || sorted[i].text != sorted[i - 1].text;
        if (is_new)
            (*causes)[(*num_causes)++] =
                (sorted_cause){.cause = {.key = 3 * sorted[i].file ^ sorted[i].text,
                                         .level = report->level,
                                         .first = i,
                                         .is_binding = report->about.kind == VIEW_ABOUT_BINDING},
                               .file = sorted[i].file,
                               .first_report = sorted[i].index};
        view_cause *const cause = &(*causes)[*num_causes - 1].cause;
        cause->num_reports++;
        if (report->level < cause->level)
            cause->level = report->level;
    }
    return sorted;
}

// Writes the reports in the order of the causes, which are sorted by file, and merges the causes of
// a file after the first VIEW_MAX_CAUSES - 1 if there are more than VIEW_MAX_CAUSES.
static void store_order(view_reports *reports, const sorted_report *sorted, sorted_cause *causes,
                        size_t num_causes)
{
    size_t num_stored = 0;
    size_t num_ordered = 0;
    size_t begin = 0;
    while (begin < num_causes) {
        size_t end = begin;
        while (end < num_causes && causes[end].file == causes[begin].file)
            end++;
        const bool has_rest = end - begin > VIEW_MAX_CAUSES;
        for (size_t i = begin; i < end; i++) {
            const view_cause from = causes[i].cause;
            if (!has_rest || i - begin < VIEW_MAX_CAUSES) {
                causes[num_stored] = causes[i];
                causes[num_stored].cause.first = num_ordered;
                causes[num_stored].cause.is_rest = has_rest && i - begin == VIEW_MAX_CAUSES - 1;
                num_stored++;
            } else {
                causes[num_stored - 1].cause.num_reports += from.num_reports;
            }
            for (size_t k = 0; k < from.num_reports; k++)
                reports->order[num_ordered++] = sorted[from.first + k].index;
        }
        begin = end;
    }
    reports->num_causes = num_stored;
}

void view_find_causes(view_reports *reports)
{
    sorted_cause *causes;
    size_t num_causes;
    if (reports->num_grouped == reports->count)
        return;
    sorted_report *const sorted = sort_reports(reports, &causes, &num_causes);
    qsort(causes, num_causes, sizeof *causes, compare_causes_in_files);
    reports->order = common_realloc(reports->order, reports->count, sizeof *reports->order);
    reports->num_grouped = reports->count;
    store_order(reports, sorted, causes, num_causes);
    qsort(causes, reports->num_causes, sizeof *causes, compare_causes);
    reports->causes = common_realloc(reports->causes, reports->num_causes, sizeof *reports->causes);
    for (size_t i = 0; i < reports->num_causes; i++)
        reports->causes[i] = causes[i].cause;
    free(causes);
    free(sorted);
}

uint32_t view_count_problems(const view_log *log)
{
    if (log->reports == NULL)
        return log->num_warnings;
    uint32_t count = 0;
    view_find_causes(log->reports);
    for (size_t i = 0; i < log->reports->num_causes; i++)
        count += log->reports->causes[i].level <= VIEW_WARNING;
    return count;
}
