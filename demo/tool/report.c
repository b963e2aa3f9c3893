// Prints the diagnostics of `md5tool check`: as text, in which similar messages are grouped, or in
// formats for programs (report_form).
//
// The main structure is tool_report. It stores which messages were printed, so that none is printed
// twice, and the remedies of the violated rules, which follow at the end. Messages are similar if
// they differ only in numbers and quoted names (diagnostic_group). At most five are printed of each
// group, then their number.
#include "demo/tool/tool.h"

enum {
    NUM_GROUPS = 1024,
    MAX_SHOWN = 5,   // messages that are printed per group
    KIND_SIZE = 256, // longest text by which diagnostics are grouped, bytes
};

// A group of similar diagnostics: they differ only in numbers and in quoted texts.
typedef struct diagnostic_group {
    uint64_t key; // 0: unused
    size_t num_shown;
    size_t num_hidden;
    size_t num_files;
    uint64_t file; // hash of the path of the last hidden diagnostic
    char text[KIND_SIZE];
} diagnostic_group;

struct tool_report {
    const tool_arguments *arguments;
    bool shows_lines; // print the line of a diagnostic: standard output is a terminal
    char *path;       // file whose text is stored
    char *text;       // text of this file; NULL before a line is shown
    size_t size;
    size_t num_errors;
    size_t num_warnings;
    size_t num_ignored;
    uint64_t
        *reported_hashes; // [num_slots] a hash table of the printed diagnostics; 0: unused slot
    size_t num_slots;
    size_t num_reported;
    common_list remedies;                // "RULE: REMEDY" of printed diagnostics, each once
    diagnostic_group groups[NUM_GROUPS]; // by their keys
};

// -- Showing a line -------------------------------------------------------------------------------

// Returns a character that a terminal prints in one column.
static char printable(unsigned char byte)
{
    if (byte == '\t')
        return ' ';
    return byte < ' ' || byte >= 0x7F ? '?' : (char)byte;
}

// Returns the start of a line, counted from 1, or `end` if the text has fewer lines.
static const char *find_line(const char *text, const char *end, uint32_t line)
{
    for (; line > 1 && text < end; line--) {
        while (text < end && *text != '\n' && *text != '\r')
            text++;
        // Skip the line break, which has one or two bytes.
        if (end - text > 1 && text[0] == '\r' && text[1] == '\n')
            text++;
        if (text < end)
            text++;
    }
    return text;
}

// Returns the length of the line at the start of a text, without the line break.
static size_t line_length(const char *text, const char *end)
{
    size_t length = 0;
    while (text + length < end && text[length] != '\n' && text[length] != '\r')
        length++;
    return length;
}

// Reads the file of a diagnostic, unless it is the file that was read last. The text is NULL if the
// file cannot be read a second time, such as a pipe or a file in an archive.
static void load_source(tool_report *report, const char *path)
{
    const bool is_stored = report->path && strcmp(report->path, path) == 0;
    if (is_stored)
        return;
    free(report->text);
    free(report->path);
    report->path = common_copy(path);
    report->text = tool_read_file(NULL, path, &report->size);
}

// Prints the line of a diagnostic, and a mark below its column. Of a long line, prints only the
// part around the mark.
static void print_source_line(tool_report *report, const md5_error *error)
{
    enum { MAX_BEFORE_MARK = 60, MAX_WIDTH = 100 }; // characters
    load_source(report, error->file);
    if (!report->text || error->line == 0)
        return;

    const char *const end = report->text + report->size;
    const char *const line = find_line(report->text, end, error->line);
    const size_t length = line_length(line, end);
    const size_t column = error->column > 0 ? error->column - 1 : 0;
    const size_t mark = column < length ? column : length;
    const size_t first = mark > MAX_BEFORE_MARK ? mark - MAX_BEFORE_MARK : 0;

    fputs("    ", stdout);
    for (size_t i = first; i < length && i < first + MAX_WIDTH; i++)
        putchar(printable((unsigned char)line[i]));
    printf("\n    %*s^\n", (int)(mark - first), "");
}

// -- Groups ---------------------------------------------------------------------------------------

// Continues a hash with the bytes of a text. `value` is COMMON_HASH_START or the hash of the text
// before.
static uint64_t hash(uint64_t value, const char *text)
{
    return common_hash(value, text, strlen(text));
}

// Returns the end of a quoted name, after its closing quote, or NULL if there is none. `quote`
// points to the opening quote. A quote before a letter or digit is an apostrophe in the name, if
// another quote follows.
static const char *find_quote_end(const char *quote)
{
    const char *end = strchr(quote + 1, '\'');
    while (end && isalnum((unsigned char)end[1]) && strchr(end + 1, '\''))
        end = strchr(end + 1, '\'');
    return end ? end + 1 : NULL;
}

// Writes the text that a diagnostic has in common with similar diagnostics. It is the name of the
// rule. Without a rule, it is the message with "..." for quoted names and numbers.
static void write_kind(const md5_diagnostic *found, char text[KIND_SIZE])
{
    static const char placeholder[] = "...";
    const size_t placeholder_size = sizeof placeholder - 1;
    size_t used = 0;
    const char *at = found->rule[0] ? found->rule : found->error.message;
    bool is_in_word = false; // after a letter or digit, a quote is an apostrophe

    while (*at && used + placeholder_size + 1 < KIND_SIZE) {
        const char *end = NULL; // end of a name or number
        if (*at == '\'' && !is_in_word)
            end = find_quote_end(at);
        is_in_word = !end && isalnum((unsigned char)*at);
        if (!end && isdigit((unsigned char)*at))
            end = at + strspn(at, "0123456789.");
        if (end) {
            memcpy(text + used, placeholder, placeholder_size);
            used += placeholder_size;
            at = end;
        } else {
            text[used++] = *at++;
        }
    }
    text[used] = '\0';
}

// Returns the group with a key, and creates it if it does not exist. The groups are a hash table. A
// group is in the slot of its key or in one of the next MAX_PROBES - 1 slots. Returns NULL if other
// groups occupy these slots.
static diagnostic_group *find_group(tool_report *report, uint64_t key, const char *text)
{
    enum { MAX_PROBES = 8 };
    for (uint32_t i = 0; i < MAX_PROBES; i++) {
        diagnostic_group *const group = &report->groups[(key + i) % NUM_GROUPS];
        if (group->key == key)
            return group;
        if (group->key == 0) {
            group->key = key;
            memcpy(group->text, text, sizeof group->text);
            return group;
        }
    }
    return NULL;
}

// Counts a diagnostic in its group. Returns true if it must be printed. Only the first MAX_SHOWN
// diagnostics of each group are printed, unless --all is given.
static bool count_in_group(tool_report *report, const md5_diagnostic *found)
{
    char text[KIND_SIZE];
    write_kind(found, text);
    const uint64_t key = hash(COMMON_HASH_START, text) | 1; // never 0, the key of an unused group
    const uint64_t file = hash(COMMON_HASH_START, found->error.file);
    diagnostic_group *const group = find_group(report, key, text);
    if (!group)
        return true;

    group->num_shown++;
    if (group->num_shown <= MAX_SHOWN || report->arguments->shows_all)
        return true;

    // Diagnostics are sorted by file. A file is therefore new if it is not the file of the last
    // hidden diagnostic.
    group->num_hidden++;
    if (group->num_hidden == 1 || group->file != file)
        group->num_files++;
    group->file = file;
    return false;
}

// -- Duplicates -----------------------------------------------------------------------------------

// Adds a hash to a hash table with linear probing, which must have an unused slot. Returns false if
// the table already contains the hash.
static bool add_hash(uint64_t *slots, size_t num_slots, uint64_t key)
{
    size_t at = (size_t)(key % num_slots);
    while (slots[at] != 0 && slots[at] != key)
        at = (at + 1) % num_slots;
    const bool is_new = slots[at] == 0;
    slots[at] = key;
    return is_new;
}

// Doubles the size of the table of hashes, and adds the hashes to the new table.
static void grow_hashes(tool_report *report)
{
    const size_t num_slots = 2 * report->num_slots + 1024;
    uint64_t *const slots = common_alloc(num_slots, sizeof *slots);
    for (size_t i = 0; i < report->num_slots; i++) {
        if (report->reported_hashes[i] != 0)
            add_hash(slots, num_slots, report->reported_hashes[i]);
    }
    free(report->reported_hashes);
    report->reported_hashes = slots;
    report->num_slots = num_slots;
}

// Returns true if the same message about the same location was reported before, for example for
// another entity that uses the same figure.
static bool is_duplicate(tool_report *report, const md5_diagnostic *found)
{
    const md5_error *const error = &found->error;
    char location[64];
    COMMON_TEXT(location, ":%u:%u:", error->line, error->column);
    uint64_t key = hash(hash(COMMON_HASH_START, error->file), location);
    key = hash(hash(key, found->rule), error->message) | 1; // never 0, the value of a free slot

    // Keep at least half of the slots unused, so that searches are short.
    if (2 * report->num_reported >= report->num_slots)
        grow_hashes(report);
    if (!add_hash(report->reported_hashes, report->num_slots, key))
        return true;
    report->num_reported++;
    return false;
}

// -- Filters --------------------------------------------------------------------------------------

// Returns true if one of the names matches a diagnostic. A name matches if it is the rule, or a
// part of the message or of the path.
static bool is_named(const common_texts *names, const md5_diagnostic *found)
{
    for (size_t i = 0; i < names->count; i++) {
        const char *const name = names->names[i];
        const bool is_rule = strcmp(found->rule, name) == 0;
        if (is_rule || common_contains(found->error.message, name)
            || common_contains(found->error.file, name))
            return true;
    }
    return false;
}

// -- Remedies -------------------------------------------------------------------------------------

// Stores the remedy of a diagnostic for the summary, unless the same remedy is stored already.
static void add_remedy(tool_report *report, const md5_diagnostic *found)
{
    if (!found->fix)
        return;
    char *const remedy = common_format("%s: %s", found->rule, found->fix);
    bool is_new = true;
    for (size_t i = 0; i < report->remedies.count && is_new; i++)
        is_new = strcmp(report->remedies.names[i], remedy) != 0;
    if (is_new)
        common_add(&report->remedies, remedy);
    else
        free(remedy);
}

// -- Forms ----------------------------------------------------------------------------------------

// Prints a diagnostic as text: location and message, the rule and its engines. On a terminal, the
// line of the file follows.
static void print_text(tool_report *report, const md5_diagnostic *found)
{
    char text[TOOL_MESSAGE];
    md5_format_error(&found->error, text, sizeof text);
    fputs(text, stdout);
    if (found->count > 1)
        printf(" (and %u more)", found->count - 1);
    if (found->rule[0])
        printf(" [%s] %s", found->rule, found->engines);
    putchar('\n');
    if (report->shows_lines)
        print_source_line(report, &found->error);
}

// Prints a diagnostic as a JSON object in one line.
static void print_json(tool_report *report, const md5_diagnostic *found)
{
    (void)report;
    const md5_error *const error = &found->error;
    const char *const severity = error->status == MD5_WARNING ? "warning" : "error";
    const char *const fix = found->fix ? found->fix : "";
    common_print_json("{\"file\":%s,\"line\":%u,\"column\":%u,\"severity\":%s,\"rule\":%s,"
                      "\"message\":%s,\"count\":%u,\"engines\":%s,\"fix\":%s}\n",
                      error->file, error->line, error->column, severity,
                      found->rule[0] ? found->rule : "", error->message, found->count,
                      found->engines, fix);
}

// Prints a diagnostic as a workflow command, which GitHub Actions shows at the line of the file;
// see https://docs.github.com/actions/reference/workflow-commands-for-github-actions
static void print_github(tool_report *report, const md5_diagnostic *found)
{
    (void)report;
    const md5_error *const error = &found->error;
    const char *const severity = error->status == MD5_WARNING ? "warning" : "error";
    common_print(stdout, "::%s file=%s,line=%u,col=%u::%s%s%s\n", severity, error->file,
                 error->line, error->column, error->message, found->rule[0] ? " " : "",
                 found->engines);
}

// A format of output. Only in text, similar diagnostics are grouped and a summary follows.
typedef struct report_form {
    void (*print)(tool_report *report, const md5_diagnostic *found);
    bool is_grouped;
} report_form;

static const report_form text_form = {.print = print_text, .is_grouped = true};
static const report_form json_form = {.print = print_json};
static const report_form github_form = {.print = print_github};

// -- Reports --------------------------------------------------------------------------------------

// Returns the format that the options select.
static const report_form *selected_form(const tool_report *report)
{
    if (report->arguments->is_json)
        return &json_form;
    if (report->arguments->is_github)
        return &github_form;
    return &text_form;
}

tool_report *tool_begin_report(const tool_arguments *arguments)
{
    tool_report *const report = common_alloc(1, sizeof *report);
    report->arguments = arguments;
    report->shows_lines = common_is_terminal(1);
    return report;
}

// Returns true if --only or --ignore hides a diagnostic. --only hides the diagnostics that it does
// not name, and --ignore hides those that it names.
static bool is_filtered_out(const tool_arguments *arguments, const md5_diagnostic *found)
{
    if (arguments->only.count > 0 && !is_named(&arguments->only, found))
        return true;
    return is_named(&arguments->ignored, found);
}

// Prints a diagnostic, unless it is a duplicate, is filtered out or exceeds the number per group.
// Diagnostics that exceed this number still count in the totals. Diagnostics that are filtered out
// have a total of their own.
void tool_report_diagnostic(tool_report *report, const md5_diagnostic *found)
{
    const report_form *const form = selected_form(report);
    if (found->is_silent || is_duplicate(report, found))
        return;
    if (is_filtered_out(report->arguments, found)) {
        report->num_ignored++;
        return;
    }

    md5_diagnostic printed = *found;
    if (report->arguments->allows_missing_images && strcmp(found->rule, "no-skin") == 0)
        printed.error.status = MD5_WARNING;
    if (!form->is_grouped || count_in_group(report, &printed))
        form->print(report, &printed);
    add_remedy(report, &printed);
    if (printed.error.status == MD5_WARNING)
        report->num_warnings++;
    else
        report->num_errors++;
}

void tool_count_warnings(tool_report *report, unsigned count)
{
    report->num_warnings += count;
}

bool tool_is_for_people(const tool_report *report)
{
    return selected_form(report)->is_grouped;
}

// Orders groups by the number of hidden diagnostics, largest first.
static int compare_hidden(const void *a, const void *b)
{
    const size_t first = ((const diagnostic_group *)a)->num_hidden;
    const size_t second = ((const diagnostic_group *)b)->num_hidden;
    return (first < second) - (first > second);
}

// Prints the kinds of hidden diagnostics with their numbers, largest first.
static void print_hidden(tool_report *report)
{
    qsort(report->groups, NUM_GROUPS, sizeof report->groups[0], compare_hidden);
    for (size_t i = 0; i < NUM_GROUPS && report->groups[i].num_hidden > 0; i++) {
        const diagnostic_group *const group = &report->groups[i];
        common_print(stdout, "%zu more in %zu %s: %s\n", group->num_hidden, group->num_files,
                     common_noun(group->num_files, "file", "files"), group->text);
    }
}

// Prints the last lines of a report. They contain the kinds of hidden diagnostics with their
// numbers, the remedies, and the numbers of files, errors and warnings. `checked_engines` is a set
// of engine bits.
static void print_summary(tool_report *report, size_t num_files, uint32_t checked_engines)
{
    print_hidden(report);
    for (size_t i = 0; i < report->remedies.count; i++)
        common_print(stdout, "remedy for %s\n", report->remedies.names[i]);
    if (report->num_ignored > 0)
        printf("%zu %s filtered out\n", report->num_ignored,
               common_noun(report->num_ignored, "message was", "messages were"));
    printf("%zu %s, %zu %s, %zu %s", num_files, common_noun(num_files, "file", "files"),
           report->num_errors, common_noun(report->num_errors, "error", "errors"),
           report->num_warnings, common_noun(report->num_warnings, "warning", "warnings"));
    if (checked_engines != 0) {
        fputs(", for ", stdout);
        tool_print_engines(checked_engines);
    }
    putchar('\n');
}

// Prints the summary if the format is text, and frees the report. The exit status is an error if an
// error was reported, even if it was hidden in a group.
int tool_end_report(tool_report *report, size_t num_files, uint32_t checked_engines)
{
    const size_t num_errors = report->num_errors;
    if (selected_form(report)->is_grouped)
        print_summary(report, num_files, checked_engines);
    common_free_list(&report->remedies);
    free(report->reported_hashes);
    free(report->path);
    free(report->text);
    free(report);
    return num_errors > 0 ? TOOL_BAD_FILE : TOOL_OK;
}
