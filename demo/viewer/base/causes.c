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

// Returns the hash of a text to which a byte was appended.
static uint64_t add_byte(uint64_t hash, char byte)
{
    return (hash ^ (unsigned char)byte) * 0x100000001B3u; // FNV-1a
}

// Returns the hash of a path, or of an empty path for NULL.
static uint64_t hash_path(const char *path)
{
    uint64_t hash = hash_start;
    for (; path != NULL && *path != '\0'; path++)
        hash = add_byte(hash, *path);
    return hash;
}

// Returns true if a byte is a decimal digit.
static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// Returns the end of the number or quoted name at the beginning of `text`. Returns `text` if it
// begins with neither of them.
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

// Returns a hash of the text of a report, in which each number and each quoted name counts as '0'.
// All reports about the binding of a clip have one cause, so their texts are ignored.
static uint64_t hash_cause(const view_report *report)
{
    uint64_t hash = hash_start;
    if (report->about.kind == VIEW_ABOUT_BINDING)
        return hash;
    const char *text = report->text;
    while (*text != '\0') {
        const char *const end = skip_value(text);
        if (end > text) {
            hash = add_byte(hash, '0');
            text = end;
        } else {
            hash = add_byte(hash, *text);
            text++;
        }
    }
    return hash;
}

// Returns -1, 0 or 1 if a number is less than, equal to, or greater than another, for qsort().
static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

// Comparison function of qsort(): by file, then by text, then by their order in time, so that
// reports with the same cause are adjacent.
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

// Comparison function of qsort(): by level, errors first, then by the time of the first report.
// Among causes of one level, a clip for another skeleton is first.
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

// Comparison function of qsort(): by file, then as compare_causes().
static int compare_causes_in_files(const void *a, const void *b)
{
    const sorted_cause *const first = a;
    const sorted_cause *const second = b;
    if (first->file != second->file)
        return compare_numbers(first->file, second->file);
    return compare_causes(a, b);
}

// Returns the reports, sorted by file and text, to be freed: the reports of one cause are adjacent.
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

// Returns true if two reports have the same cause: they are about the same file, and their texts
// are equal without numbers and quoted names.
static bool have_same_cause(const sorted_report *a, const sorted_report *b)
{
    return a->file == b->file && a->text == b->text;
}

// Returns a new cause without reports. Its first report is sorted[first].
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

// Creates a cause for each run of sorted reports with equal keys. Returns the causes, to be freed.
// The level of a cause is the most severe level of its reports. cause.first is an index in
// `sorted`, until order_reports() changes it.
static sorted_cause *group_reports(const view_reports *reports, const sorted_report *sorted,
                                   size_t *num_causes)
{
    sorted_cause *const causes = common_alloc(reports->count, sizeof *causes); // at most
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

// Sets reports->order: the reports, cause by cause. Then the reports of several consecutive causes
// are consecutive too. Changes cause.first from an index in `sorted` to an index in the order.
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

// Returns the end of the causes of one file, which begin at `begin`.
static size_t end_of_file(const sorted_cause *causes, size_t num_causes, size_t begin)
{
    size_t end = begin + 1;
    while (end < num_causes && causes[end].file == causes[begin].file)
        end++;
    return end;
}

// Adds the reports of all further causes of a file to the first of them. Its level is the most
// severe of them, because the causes of a file are sorted by severity.
static void merge_causes(sorted_cause *causes, size_t count)
{
    causes[0].cause.is_rest = true;
    for (size_t i = 1; i < count; i++)
        causes[0].cause.num_reports += causes[i].cause.num_reports;
}

// Merges the causes of each file so that a file has at most VIEW_MAX_CAUSES: the most severe ones,
// and one for all others. Removes the merged causes from the array. Returns the number of causes
// that remain.
static size_t limit_causes(sorted_cause *causes, size_t num_causes)
{
    size_t num_remaining = 0;
    size_t begin = 0; // of the causes of a file
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

// Groups reports by their cause, for the list of problems.
void view_find_causes(view_reports *reports)
{
    if (reports->num_grouped == reports->count)
        return;
    size_t num_causes;
    sorted_report *const sorted = sort_reports(reports);
    sorted_cause *const causes = group_reports(reports, sorted, &num_causes);

    // Sorted by file and severity, the causes that limit_causes() merges are consecutive, and so
    // are their reports in the order.
    qsort(causes, num_causes, sizeof *causes, compare_causes_in_files);
    reports->order = common_realloc(reports->order, reports->count, sizeof *reports->order);
    reports->num_grouped = reports->count;
    order_reports(reports, sorted, causes, num_causes);
    reports->num_causes = limit_causes(causes, num_causes);

    // List the worst causes of all files first.
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
