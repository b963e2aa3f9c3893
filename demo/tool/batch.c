// md5tool --batch: runs the lines of a file as commands, in one process. A script with thousands of
// commands therefore starts the program only once.
//
// The main structure is batch, the file with its current line. A splitter divides the line into
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
typedef struct batch {
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
} batch;

static void add_status(batch *b, int status)
{
    if (status > b->status)
        b->status = status;
}

// -- Errors in the file ---------------------------------------------------------------------------

// Prints b->error and updates the exit status of the batch. Returns false, so that callers can
// return the result.
static bool report_error(batch *b, int status)
{
    tool_print_error(NULL, &b->error);
    add_status(b, status);
    return false;
}

// Reports an error in the current line. Returns false.
static bool report_syntax(batch *b, size_t index, const char *message)
{
    convert_fail(&b->error, MD5_ERROR_SYNTAX, b->name, "%s", message);
    b->error.line = b->line;
    b->error.column = (uint32_t)index + 1;
    return report_error(b, TOOL_BAD_USAGE);
}

static bool report_unreadable(batch *b)
{
    convert_fail(&b->error, MD5_ERROR_IO, b->name, "cannot read the file: %s", strerror(errno));
    return report_error(b, TOOL_BAD_FILE);
}

// -- Lines ----------------------------------------------------------------------------------------

// Reads the next line. Returns false at the end of the file and after an error, which it reports.
// An error means that the file cannot be read or is not a text. The remaining lines are then not
// run.
static bool read_line(batch *b)
{
    int c = getc(b->file);
    if (c == EOF)
        return ferror(b->file) ? report_unreadable(b) : false;

    b->line++;
    b->length = 0;
    while (c != EOF && c != '\n') {
        if (c == '\0')
            return report_syntax(b, b->length,
                                 "invalid character: expected text, found a zero byte");
        if (b->length == MAX_LINE)
            return report_syntax(b, b->length,
                                 "line too long: expected at most 1048576 bytes, found more");
        b->text[b->length++] = (char)c;
        c = getc(b->file);
    }
    if (ferror(b->file))
        return report_unreadable(b);
    if (b->length > 0 && b->text[b->length - 1] == '\r')
        b->length--;
    b->text[b->length] = '\0';
    return true;
}

// -- Words ----------------------------------------------------------------------------------------
//
// Words are separated as in a POSIX shell. Their quotes are removed in place, because a word never
// becomes longer.

// State of splitting a line into words in place. `out` is never after `in`, because removing quotes
// makes words shorter.
typedef struct splitter {
    batch *batch;
    const char *in; // the next character of the line
    char *out;      // end of the current word, where the next character is stored
} splitter;

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool report_at(const splitter *s, const char *position, const char *message)
{
    return report_syntax(s->batch, (size_t)(position - s->batch->text), message);
}

// Copies the text in single quotes.
static bool read_single_quoted(splitter *s)
{
    const char *const quote = s->in;
    const char *const end = strchr(quote + 1, '\'');
    if (!end)
        return report_at(s, quote,
                         "unclosed quote: expected ' on this line, found the end of the line");
    const size_t length = (size_t)(end - quote) - 1;
    memmove(s->out, quote + 1, length);
    s->out += length;
    s->in = end + 1;
    return true;
}

// Copies the text in double quotes. As in a shell, a backslash inside them has an effect only
// before the characters " \ $ `.
static bool read_double_quoted(splitter *s)
{
    const char *const quote = s->in;
    s->in++;
    while (*s->in != '"') {
        const bool is_escape = *s->in == '\\' && s->in[1] != '\0' && strchr("\"\\$`", s->in[1]);
        if (is_escape)
            s->in++;
        if (*s->in == '\0')
            return report_at(s, quote,
                             "unclosed quote: expected \" on this line, found the end of the line");
        *s->out++ = *s->in++;
    }
    s->in++;
    return true;
}

// Copies the character after a backslash.
static bool read_escaped(splitter *s)
{
    if (s->in[1] == '\0')
        return report_at(
            s, s->in,
            "incomplete escape: expected a character after \\, found the end of the line");
    *s->out++ = s->in[1];
    s->in += 2;
    return true;
}

// Reads one word and terminates it with a 0 byte. A blank or the end of the line ends the word.
static bool read_word(splitter *s)
{
    batch *const b = s->batch;
    b->words[b->num_words++] = s->out;
    while (*s->in != '\0' && !is_blank(*s->in)) {
        bool is_valid = true;
        if (*s->in == '\'')
            is_valid = read_single_quoted(s);
        else if (*s->in == '"')
            is_valid = read_double_quoted(s);
        else if (*s->in == '\\')
            is_valid = read_escaped(s);
        else
            *s->out++ = *s->in++;
        if (!is_valid)
            return false;
    }
    // Skip the blank first: the end of the word can overwrite it.
    if (*s->in != '\0')
        s->in++;
    *s->out++ = '\0';
    return true;
}

static void skip_blanks(splitter *s)
{
    while (is_blank(*s->in))
        s->in++;
}

// Splits the current line into words. An empty line or a comment has no words. Returns false after
// an error, which it reports.
static bool split_line(batch *b)
{
    static const char byte_order_mark[] = "\xEF\xBB\xBF"; // byte order mark of UTF-8
    const size_t mark_length = sizeof byte_order_mark - 1;
    const bool has_mark = b->line == 1 && strncmp(b->text, byte_order_mark, mark_length) == 0;
    splitter s = {.batch = b, .in = b->text + (has_mark ? mark_length : 0), .out = b->text};

    b->num_words = 0;
    skip_blanks(&s);
    if (*s.in == '#')
        return true;
    const char *const first = s.in;
    while (*s.in != '\0') {
        if (!read_word(&s))
            return false;
        skip_blanks(&s);
    }
    if (b->num_words > 0 && strcmp(b->words[0], "--batch") == 0)
        return report_at(&s, first, "nested batch: expected a command, found --batch");
    return true;
}

// -- Commands -------------------------------------------------------------------------------------

// Runs the command of the current line as if it was started on its own. Its output is written
// completely, and the state of the previous command has no effect on it. If the command fails,
// prints the number of the line and the exit status.
static void run_line(batch *b)
{
    errno = 0;
    common_set_text_output();
    int status = b->run(b->num_words, b->words);
    const bool is_written = common_flush_output("md5tool") == 0;
    if (!is_written && status == TOOL_OK)
        status = TOOL_BAD_FILE;
    if (status != TOOL_OK)
        common_print(stderr, "%s:%u: exit status %d\n", b->name, b->line, status);
    add_status(b, status);
}

// Runs each line of a file as a command, and returns the worst exit status. A line that cannot
// be split or fails does not end the batch. The status is collected in batch.status.
int tool_run_batch(const char *path, tool_run_fn *run)
{
    const bool is_stdin = strcmp(path, "-") == 0;
    batch *const b = common_alloc(1, sizeof *b);
    b->name = is_stdin ? "standard input" : path;
    b->file = is_stdin ? stdin : fopen(path, "rb");
    b->run = run;
    if (!b->file)
        report_unreadable(b);
    while (b->file && read_line(b)) {
        if (split_line(b) && b->num_words > 0)
            run_line(b);
    }

    const int status = b->status;
    if (b->file && !is_stdin)
        fclose(b->file);
    free(b);
    return status;
}
