// md5tool --batch: runs the lines of a file as commands, in one process. A script with thousands of
// commands therefore starts the program only once.
//
// The main structure is batch_run, the file with its current line. A splitter divides the line into
// words by the rules of a POSIX shell for quotes and backslashes. main.c passes the function that
// runs a command (tool_run_fn).
#include "demo/tool/tool.h"

#include "demo/common/system.h"
#include "demo/common/text.h"

#include <errno.h>

enum {
    MAX_LINE = 1 << 20,           // bytes
    MAX_WORDS = MAX_LINE / 2 + 1, // a word and its separator have at least two bytes
};

// A file of commands while it is executed, line by line.
typedef struct batch_run {
    const char *name; // path of the file, for messages
    FILE *file;
    tool_run_fn *run;
    int status; // the worst status so far
    md5_error error;

    // The current line: its text without the line end, and its words, which point into the text.
    uint32_t line;
    size_t length;
    char text[MAX_LINE + 1];
    int num_words;
    char *words[MAX_WORDS];
} batch_run;

static void add_status(batch_run *batch, int status)
{
    if (status > batch->status)
        batch->status = status;
}

// -- Errors in the file ---------------------------------------------------------------------------

// Prints batch->error and updates the exit status of the batch. Returns false, so that callers can
// return the result.
static bool report_error(batch_run *batch, int status)
{
    tool_print_error(NULL, &batch->error);
    add_status(batch, status);
    return false;
}

// Reports an error in the current line. Returns false.
static bool report_syntax(batch_run *batch, size_t index, const char *message)
{
    convert_fail(&batch->error, MD5_ERROR_SYNTAX, batch->name, "%s", message);
    batch->error.line = batch->line;
    batch->error.column = (uint32_t)index + 1;
    return report_error(batch, TOOL_BAD_USAGE);
}

static bool report_unreadable(batch_run *batch)
{
    convert_fail(&batch->error, MD5_ERROR_IO, batch->name, "cannot read the file: %s",
                 strerror(errno));
    return report_error(batch, TOOL_BAD_FILE);
}

// -- Lines ----------------------------------------------------------------------------------------

// Reads the next line. Returns false at the end of the file and after an error, which it reports.
// An error means that the file cannot be read or is not a text. The remaining lines are then not
// run.
static bool read_line(batch_run *batch)
{
    int c = getc(batch->file);
    if (c == EOF)
        return ferror(batch->file) ? report_unreadable(batch) : false;

    batch->line++;
    batch->length = 0;
    while (c != EOF && c != '\n') {
        if (c == '\0')
            return report_syntax(batch, batch->length,
                                 "invalid character: expected text, found a zero byte");
        if (batch->length == MAX_LINE)
            return report_syntax(batch, batch->length,
                                 "line too long: expected at most 1048576 bytes, found more");
        batch->text[batch->length++] = (char)c;
        c = getc(batch->file);
    }
    if (ferror(batch->file))
        return report_unreadable(batch);
    if (batch->length > 0 && batch->text[batch->length - 1] == '\r')
        batch->length--;
    batch->text[batch->length] = '\0';
    return true;
}

// -- Words ----------------------------------------------------------------------------------------
//
// Words are separated as in a POSIX shell. Their quotes are removed in place, because a word never
// becomes longer.

// State of splitting a line into words in place. `out` is never after `in`, because removing quotes
// makes words shorter.
typedef struct splitter {
    batch_run *batch;
    const char *in; // the next character of the line
    char *out;      // end of the current word, where the next character is stored
} splitter;

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool report_at(const splitter *split, const char *position, const char *message)
{
    return report_syntax(split->batch, (size_t)(position - split->batch->text), message);
}

// Copies the text in single quotes.
static bool read_single_quoted(splitter *split)
{
    const char *const quote = split->in;
    const char *const end = strchr(quote + 1, '\'');
    if (!end)
        return report_at(split, quote,
                         "unclosed quote: expected ' on this line, found the end of the line");
    const size_t length = (size_t)(end - quote) - 1;
    memmove(split->out, quote + 1, length);
    split->out += length;
    split->in = end + 1;
    return true;
}

// Returns true if a backslash in double quotes has an effect before a character, as in a shell.
static bool is_escapable(char c)
{
    return c != '\0' && strchr("\"\\$`", c);
}

// Copies the text in double quotes.
static bool read_double_quoted(splitter *split)
{
    const char *const quote = split->in;
    split->in++;
    while (*split->in != '"') {
        if (*split->in == '\\' && is_escapable(split->in[1]))
            split->in++;
        if (*split->in == '\0')
            return report_at(split, quote,
                             "unclosed quote: expected \" on this line, found the end of the line");
        *split->out++ = *split->in++;
    }
    split->in++;
    return true;
}

// Copies the character after a backslash.
static bool read_escaped(splitter *split)
{
    if (split->in[1] == '\0')
        return report_at(
            split, split->in,
            "incomplete escape: expected a character after \\, found the end of the line");
    *split->out++ = split->in[1];
    split->in += 2;
    return true;
}

// Reads one word and terminates it with a 0 byte. A blank or the end of the line ends the word.
static bool read_word(splitter *split)
{
    batch_run *const batch = split->batch;
    batch->words[batch->num_words++] = split->out;
    while (*split->in != '\0' && !is_blank(*split->in)) {
        bool is_valid = true;
        if (*split->in == '\'')
            is_valid = read_single_quoted(split);
        else if (*split->in == '"')
            is_valid = read_double_quoted(split);
        else if (*split->in == '\\')
            is_valid = read_escaped(split);
        else
            *split->out++ = *split->in++;
        if (!is_valid)
            return false;
    }
    // Skip the blank first: the end of the word can overwrite it.
    if (*split->in != '\0')
        split->in++;
    *split->out++ = '\0';
    return true;
}

static void skip_blanks(splitter *split)
{
    while (is_blank(*split->in))
        split->in++;
}

// Splits the current line into words. An empty line or a comment has no words. Returns false after
// an error, which it reports.
static bool split_line(batch_run *batch)
{
    static const char byte_order_mark[] = "\xEF\xBB\xBF"; // byte order mark of UTF-8
    const size_t mark_length = sizeof byte_order_mark - 1;
    const bool has_mark =
        batch->line == 1 && strncmp(batch->text, byte_order_mark, mark_length) == 0;
    splitter split = {
        .batch = batch, .in = batch->text + (has_mark ? mark_length : 0), .out = batch->text};

    batch->num_words = 0;
    skip_blanks(&split);
    if (*split.in == '#')
        return true;
    const char *const first = split.in;
    while (*split.in != '\0') {
        if (!read_word(&split))
            return false;
        skip_blanks(&split);
    }
    if (batch->num_words > 0 && strcmp(batch->words[0], "--batch") == 0)
        return report_at(&split, first, "nested batch: expected a command, found --batch");
    return true;
}

// -- Commands -------------------------------------------------------------------------------------

// Runs the command of the current line as if it was started on its own. Its output is written
// completely, and the state of the previous command has no effect on it. If the command fails,
// prints the number of the line and the exit status.
static void run_line(batch_run *batch)
{
    errno = 0;
    common_set_text_output();
    int status = batch->run(batch->num_words, batch->words);
    const bool is_written = common_flush_output("md5tool") == 0;
    if (!is_written && status == TOOL_OK)
        status = TOOL_BAD_FILE;
    if (status != TOOL_OK)
        common_print(stderr, "%s:%u: exit status %d\n", batch->name, batch->line, status);
    add_status(batch, status);
}

// Runs each line of a file as a command, and returns the worst exit status. A line that cannot
// be split or fails does not end the batch. The status is collected in batch.status.
int tool_run_batch(const char *path, tool_run_fn *run)
{
    const bool is_stdin = strcmp(path, "-") == 0;
    batch_run *const batch = common_alloc(1, sizeof *batch);
    batch->name = is_stdin ? "standard input" : path;
    batch->file = is_stdin ? stdin : fopen(path, "rb");
    batch->run = run;
    if (!batch->file)
        report_unreadable(batch);
    while (batch->file && read_line(batch)) {
        if (split_line(batch) && batch->num_words > 0)
            run_line(batch);
    }

    const int status = batch->status;
    if (batch->file && !is_stdin)
        fclose(batch->file);
    free(batch);
    return status;
}
