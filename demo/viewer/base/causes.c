// Groups log reports by cause. A file with one fault can cause a report for each joint or vertex.
// The list of problems then shows one entry instead of thousands. See view_cause in log.h.
//
// Two reports have the same cause if they are about the same file and their texts differ only in
// numbers and quoted names. The reports are sorted by file and text, so that reports with the same
// cause are adjacent. If a file has more than VIEW_MAX_CAUSES causes, its least severe causes are
// merged into one.
#include "demo/viewer/base/log.h"

#include "demo/common/text.h"

// The index of a report with its sort keys. Reports with the same cause have equal keys.
typedef struct sorted_report {
    uint64_t file; // hash of the path
    uint64_t text; // hash of the text without numbers and quoted names
    uint32_t index;
} sorted_report;

// A cause with its sort keys.
typedef struct sorted_cause {
    view_cause cause;
    uint64_t file;
    uint32_t first_report; // index of the earliest report with this cause
} sorted_cause;

// Returns the hash of a path. NULL is treated as an empty path.
static uint64_t hash_path(const char *path)
{
    return common_hash(COMMON_HASH_START, path, path != NULL ? strlen(path) : 0);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// Returns the end of the number or quoted name at the beginning of `text`. Returns `text` itself if
// it begins with neither.
static const char *skip_value(const char *text)
{
    const bool is_quoted = *text == '\'' || *text == '"';
    if (is_quoted) {
        const char *const closing_quote = strchr(text + 1, *text);
        return closing_quote != NULL ? closing_quote + 1 : text;
    }
    const char *end = text;
    while (is_digit(*end) || (*end == '.' && is_digit(end[1])))
        end++;
    return end;
}

// Returns a hash of the text of a report. Numbers and quoted names are replaced by '0', so that
// they do not affect the hash. All reports about the binding of a clip to a skeleton have one
// cause. Therefore their texts are ignored.
static uint64_t hash_cause(const view_report *report)
{
    uint64_t hash = COMMON_HASH_START;
    if (report->about.kind == VIEW_ABOUT_BINDING)
        return hash;
    const char *text = report->text;
    while (*text != '\0') {
        const char *const end = skip_value(text);
        if (end > text) {
            hash = common_hash(hash, "0", 1);
            text = end;
        } else {
            hash = common_hash(hash, text, 1);
            text++;
        }
    }
    return hash;
}

// Compares two numbers for qsort(): returns -1, 0 or 1 if `a` is less than, equal to, or greater
// than `b`.
static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

// Orders reports for qsort(): by file, then by text, then by time. Reports with the same cause
// become adjacent.
static int compare_reports(const void *a, const void *b)
{
    const sorted_report *const first = a;
    const sorted_report *const second = b;
    if (first->file != second->file)
        return compare_numbers(first->file, second->file);
    if (first->text != second->text)
        return compare_numbers(first->text, second->text);
    return compare_numbers(first->index, second->index);
}

// Orders causes for qsort(): errors before warnings, then by the time of the earliest report. Among
// causes of the same level, a clip for a different skeleton comes first.
static int compare_causes(const void *a, const void *b)
{
    const sorted_cause *const first = a;
    const sorted_cause *const second = b;
    if (first->cause.level != second->cause.level)
        return compare_numbers(first->cause.level, second->cause.level);
    if (first->cause.is_binding != second->cause.is_binding)
        return first->cause.is_binding ? -1 : 1;
    return compare_numbers(first->first_report, second->first_report);
}

// Orders causes for qsort(): by file, then as compare_causes() does.
static int compare_causes_in_files(const void *a, const void *b)
{
    const sorted_cause *const first = a;
    const sorted_cause *const second = b;
    if (first->file != second->file)
        return compare_numbers(first->file, second->file);
    return compare_causes(a, b);
}

// Returns the sort keys of all reports, sorted so that reports with the same cause are adjacent.
// The caller frees the array.
static sorted_report *sort_reports(const view_reports *reports)
{
    sorted_report *const sorted = common_alloc(reports->count, sizeof *sorted);
    for (size_t i = 0; i < reports->count; i++) {
        const view_report *const report = &reports->rows[i];
        sorted[i] = (sorted_report){hash_path(report->file), hash_cause(report), (uint32_t)i};
    }
    qsort(sorted, reports->count, sizeof *sorted, compare_reports);
    return sorted;
}

// Returns true if two reports have the same cause. They must be about the same file, and their
// texts must be equal without numbers and quoted names.
static bool have_same_cause(const sorted_report *a, const sorted_report *b)
{
    return a->file == b->file && a->text == b->text;
}

// Returns a new cause that has no reports yet. sorted[first] will be its first report.
static sorted_cause begin_cause(const view_reports *reports, const sorted_report *sorted,
                                size_t first)
{
    const sorted_report *const key = &sorted[first];
    const view_report *const report = &reports->rows[key->index];
    return (sorted_cause){
        .cause = {.key = 3 * key->file ^ key->text,
                  .level = report->level,
                  .first = first,
                  .is_binding = report->about.kind == VIEW_ABOUT_BINDING},
        .file = key->file,
        .first_report = key->index,
    };
}

// Creates a cause for each run of adjacent reports with the same cause. Returns an array that the
// caller frees. A cause has the most severe level of its reports. Its field `first` is an index in
// `sorted` until order_reports() replaces it.
static sorted_cause *group_reports(const view_reports *reports, const sorted_report *sorted,
                                   size_t *num_causes)
{
    sorted_cause *const causes = common_alloc(reports->count, sizeof *causes); // the maximum
    size_t count = 0;
    for (size_t i = 0; i < reports->count; i++) {
        if (i == 0 || !have_same_cause(&sorted[i], &sorted[i - 1])) {
            causes[count] = begin_cause(reports, sorted, i);
            count++;
        }
        view_cause *const cause = &causes[count - 1].cause;
        const view_level level = reports->rows[sorted[i].index].level;
        cause->num_reports++;
        if (level < cause->level)
            cause->level = level;
    }
    *num_causes = count;
    return causes;
}

// Sets reports->order to the indices of the reports, sorted by cause. Adjacent causes then have
// adjacent reports, so that limit_causes() can merge causes without moving reports. Changes `first`
// of each cause from an index in `sorted` to an index in reports->order.
static void order_reports(view_reports *reports, const sorted_report *sorted, sorted_cause *causes,
                          size_t num_causes)
{
    size_t num_ordered = 0;
    for (size_t i = 0; i < num_causes; i++) {
        view_cause *const cause = &causes[i].cause;
        const sorted_report *const run = &sorted[cause->first];
        cause->first = num_ordered;
        for (size_t k = 0; k < cause->num_reports; k++)
            reports->order[num_ordered++] = run[k].index;
    }
}

// Returns the end index of the causes of one file. `begin` is the index of the first of them.
static size_t end_of_file(const sorted_cause *causes, size_t num_causes, size_t begin)
{
    size_t end = begin + 1;
    while (end < num_causes && causes[end].file == causes[begin].file)
        end++;
    return end;
}

// Merges all causes of an array into the first of them. The first cause keeps its level. It is the
// most severe one, because the causes of a file are sorted by severity.
static void merge_causes(sorted_cause *causes, size_t count)
{
    causes[0].cause.is_merged = true;
    for (size_t i = 1; i < count; i++)
        causes[0].cause.num_reports += causes[i].cause.num_reports;
}

// Limits the causes of each file to VIEW_MAX_CAUSES. The last of them replaces all milder causes of
// the file. Returns the number of causes that remain in the array.
static size_t limit_causes(sorted_cause *causes, size_t num_causes)
{
    size_t num_remaining = 0;
    size_t begin = 0; // index of the first cause of the current file
    while (begin < num_causes) {
        const size_t end = end_of_file(causes, num_causes, begin);
        size_t count = end - begin;
        if (count > VIEW_MAX_CAUSES) {
            const size_t num_unmerged = VIEW_MAX_CAUSES - 1;
            merge_causes(&causes[begin + num_unmerged], count - num_unmerged);
            count = VIEW_MAX_CAUSES;
        }
        memmove(&causes[num_remaining], &causes[begin], count * sizeof *causes);
        num_remaining += count;
        begin = end;
    }
    return num_remaining;
}

// Groups the reports by cause, for the list of problems. Does nothing if no report was added since
// the last call.
void view_find_causes(view_reports *reports)
{
    if (reports->num_grouped == reports->count)
        return;
    size_t num_causes;
    sorted_report *const sorted = sort_reports(reports);
    sorted_cause *const causes = group_reports(reports, sorted, &num_causes);

    // limit_causes() needs the causes of a file next to each other, sorted by severity.
    // order_reports() must use the same order, so that merged causes have adjacent reports.
    qsort(causes, num_causes, sizeof *causes, compare_causes_in_files);
    reports->order = common_realloc(reports->order, reports->count, sizeof *reports->order);
    reports->num_grouped = reports->count;
    order_reports(reports, sorted, causes, num_causes);
    reports->num_causes = limit_causes(causes, num_causes);

    // The list of problems shows the most severe causes of all files first.
    qsort(causes, reports->num_causes, sizeof *causes, compare_causes);
    reports->causes = common_realloc(reports->causes, reports->num_causes, sizeof *reports->causes);
    for (size_t i = 0; i < reports->num_causes; i++)
        reports->causes[i] = causes[i].cause;
    free(causes);
    free(sorted);
}

// Returns the number of causes that include a warning or an error. Groups the reports by cause
// first, if reports were added since the last call. Without a list of reports, returns the
// number of warnings.
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
