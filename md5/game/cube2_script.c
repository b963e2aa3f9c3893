// The script language of Cube 2.
#include "md5/game/cube2_script.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static md5_cube2_frame *top_frame(md5_cube2_script *script)
{
    return &script->frames[script->depth - 1];
}

void md5i_cube2_script_warn(md5_cube2_script *script, const md5_cube2_word *word,
                            const char *format, ...)
{
    char message[sizeof((md5_error *)0)->message];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    md5i_lex_warn(&top_frame(script)->lex, word->at, "%s", message);
}

static void warn_at(md5_cube2_script *script, const char *at, const char *message)
{
    const md5_cube2_word word = {.at = at};
    md5i_cube2_script_warn(script, &word, "%s", message);
}

// -- Paths ----------------------------------------------------------------------------------------

// Takes away the last folder of path[length], which ends in /. Returns the new length, or `length`
// if there is no folder to take away.
static size_t leave_folder(const char *path, size_t length)
{
    size_t start = length - 1;
    while (start > 0 && path[start - 1] != '/')
        start--;
    const size_t size = length - start;
    const bool is_up = size == 3 && path[start] == '.' && path[start + 1] == '.';
    return size == 1 || is_up ? length : start;
}

const char *md5i_cube2_join(md5_arena *arena, const char *first, const char *second)
{
    const size_t first_size = strlen(first), second_size = strlen(second);
    char *const path = (char *)md5i_arena_room(arena, first_size + second_size + 1, 1);
    size_t length = 0, start = 0; // `start`: of the last folder or name
    if (!path)
        return NULL;
    for (size_t i = 0; i < first_size + second_size; i++) {
        const char c = i < first_size ? first[i] : second[i - first_size];
        path[length++] = c == '\\' ? '/' : c;
        if (path[length - 1] != '/')
            continue;
        const size_t size = length - start;
        if ((size == 1 && start > 0) || (size == 2 && path[start] == '.')) { // of a//b, or ./
            length = start;
        } else if (size == 3 && path[start] == '.' && path[start + 1] == '.' && start > 0) { // ../
            const size_t left = leave_folder(path, start);
            length = left < start ? left : length;
        }
        start = length;
    }
    path[length] = '\0';
    return path;
}

// -- Words ----------------------------------------------------------------------------------------

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

static bool is_comment(const md5_lex *lex, const char *at)
{
    return lex->end - at >= 2 && at[0] == '/' && at[1] == '/';
}

static const char *skip_line(const md5_lex *lex, const char *at)
{
    while (at < lex->end && *at != '\n')
        at++;
    return at;
}

// Skips blanks and comments inside a command.
static void skip_blanks(md5_lex *lex)
{
    while (lex->at < lex->end && is_blank(*lex->at))
        lex->at++;
    if (is_comment(lex, lex->at))
        lex->at = skip_line(lex, lex->at);
}

// Skips everything before the next command.
static void skip_to_command(md5_lex *lex)
{
    for (;;) {
        skip_blanks(lex);
        if (lex->at == lex->end || (*lex->at != '\n' && *lex->at != ';'))
            return;
        lex->at++;
    }
}

// Returns the end of the string that begins at `at`: behind its quote, or where its line ends.
static const char *string_end(const md5_lex *lex, const char *at)
{
    for (at++; at < lex->end && *at != '"' && *at != '\n' && *at != '\r'; at++)
        at += *at == '^' && lex->end - at > 1 && at[1] != '\n' && at[1] != '\r';
    return at < lex->end && *at == '"' ? at + 1 : at;
}

// Returns the end of the bracket that begins at `at`, behind the one that closes it; NULL if there
// is none. Strings and comments hide brackets.
static const char *bracket_end(const md5_lex *lex, const char *at)
{
    size_t depth = 0;
    while (at < lex->end) {
        if (*at == '"') {
            at = string_end(lex, at);
        } else if (is_comment(lex, at)) {
            at = skip_line(lex, at);
        } else {
            depth += *at == '[' || *at == '(';
            depth -= *at == ']' || *at == ')';
            at++;
            if (depth == 0)
                return at;
        }
    }
    return NULL;
}

// Copies a string without its quotes and resolves the escapes that begin with ^.
static const char *copy_string(md5_arena *arena, const char *at, const char *end)
{
    char *const text = (char *)md5i_arena_room(arena, (size_t)(end - at) + 1, 1);
    char *to = text;
    if (!text)
        return NULL;
    for (; at < end; at++) {
        if (*at == '^' && end - at > 1) {
            at++;
            *to++ = *at == 'n' ? '\n' : *at == 't' ? '\t' : *at == 'f' ? '\f' : *at;
        } else {
            *to++ = *at;
        }
    }
    *to = '\0';
    return text;
}

static const char *copy_text(md5_arena *arena, const char *at, const char *end)
{
    const size_t size = (size_t)(end - at);
    char *const text = (char *)md5i_arena_room(arena, size + 1, 1);
    if (!text)
        return NULL;
    if (size > 0)
        memcpy(text, at, size);
    text[size] = '\0';
    return text;
}

static bool read_string(md5_cube2_script *script, md5_cube2_word *word)
{
    md5_lex *const lex = &top_frame(script)->lex;
    const char *const end = string_end(lex, lex->at);
    const bool is_closed = end - lex->at > 1 && end[-1] == '"';
    if (!is_closed)
        warn_at(script, word->at, "this string has no end on its line: expected '\"'");
    word->text = copy_string(script->arena, lex->at + 1, end - is_closed);
    lex->at = end;
    return word->text != NULL;
}

static bool read_bracket(md5_cube2_script *script, md5_cube2_word *word)
{
    md5_lex *const lex = &top_frame(script)->lex;
    const char *const closed = bracket_end(lex, lex->at);
    const char *const end = closed ? closed : lex->end;
    word->kind = *lex->at == '[' ? MD5_CUBE2_BLOCK : MD5_CUBE2_EXPRESSION;
    if (!closed)
        warn_at(script, word->at, "this bracket is not closed: expected ']' or ')'");
    word->block.bytes = lex->at + 1;
    word->block.size = (size_t)(end - lex->at) - 1 - (closed != NULL);
    word->text = copy_text(script->arena, word->block.bytes, word->block.bytes + word->block.size);
    lex->at = end;
    return word->text != NULL;
}

// Returns the value of $NAME, or NULL after a warning.
static const char *value_of(md5_cube2_script *script, const md5_cube2_word *word)
{
    void **const found = md5i_name_map_find(&script->variables, word->text + 1);
    if (found)
        return (const char *)*found;
    md5i_cube2_script_warn(script, word, "variable %s is not set here: its value is not known",
                           md5i_quote(word->text, strlen(word->text)).text);
    return NULL;
}

static bool read_bare(md5_cube2_script *script, md5_cube2_word *word)
{
    md5_lex *const lex = &top_frame(script)->lex;
    const char *at = lex->at;
    bool has_expression = false;
    while (at < lex->end && !is_blank(*at) && *at != '\n' && *at != ';' && !is_comment(lex, at)) {
        const bool is_bracket = *at == '(' || *at == '[';
        const char *const end = is_bracket ? bracket_end(lex, at) : at + 1;
        has_expression |= is_bracket;
        at = end ? end : lex->end;
    }
    word->text = copy_text(script->arena, lex->at, at);
    lex->at = at;
    if (!word->text)
        return false;
    word->kind = has_expression ? MD5_CUBE2_EXPRESSION : MD5_CUBE2_WORD;
    if (word->text[0] == '$' && word->text[1] != '\0' && !has_expression) {
        const char *const value = value_of(script, word);
        word->kind = value ? MD5_CUBE2_WORD : MD5_CUBE2_EXPRESSION;
        word->text = value ? value : "";
    }
    return true;
}

static bool read_word(md5_cube2_script *script, md5_cube2_word *word)
{
    md5_lex *const lex = &top_frame(script)->lex;
    memset(word, 0, sizeof *word);
    word->at = lex->at;
    if (*lex->at == '"')
        return read_string(script, word);
    return *lex->at == '[' || *lex->at == '(' ? read_bracket(script, word)
                                              : read_bare(script, word);
}

// Reads a command up to its end. Returns false if memory runs out.
static bool read_command(md5_cube2_script *script, md5_cube2_command *command)
{
    md5_lex *const lex = &top_frame(script)->lex;
    md5_cube2_word extra;
    command->num_words = 0;
    for (;;) {
        skip_blanks(lex);
        if (lex->at == lex->end || *lex->at == '\n' || *lex->at == ';')
            return true;
        const bool is_full = command->num_words == MD5_CUBE2_MAX_WORDS;
        md5_cube2_word *const word = is_full ? &extra : &command->words[command->num_words];
        TRY(read_word(script, word));
        if (is_full)
            md5i_cube2_script_warn(script, word, "a command has at most %d words: skipped",
                                   MD5_CUBE2_MAX_WORDS);
        command->num_words += !is_full;
    }
}

// -- Texts ----------------------------------------------------------------------------------------

bool md5i_cube2_script_open(md5_cube2_script *script, const char *file)
{
    md5_file_text text = {0};
    md5i_context_set_file(script->context, file);
    if (!md5i_read_file_text(script->context, file, &text)
        || !md5_check_text_size(script->context, text.size)) {
        md5i_free_file_text(script->context, &text);
        return false;
    }
    script->num_files++;
    md5_cube2_frame *const frame = &script->frames[script->depth++];
    memset(frame, 0, sizeof *frame);
    frame->file = file;
    md5i_lex_begin(&frame->lex, script->arena, text.bytes, text.size);
    frame->text = text;
    return true;
}

static void end_frame(md5_cube2_script *script)
{
    md5i_free_file_text(script->context, &top_frame(script)->text);
    script->depth--;
    if (script->depth > 0)
        md5i_context_set_file(script->context, top_frame(script)->file);
}

void md5i_cube2_script_close(md5_cube2_script *script)
{
    while (script->depth > 0)
        end_frame(script);
}

// The block is part of a text that stays open below it; lines are counted from the text's start.
static void begin_block(md5_cube2_script *script, const md5_cube2_word *word)
{
    if (script->depth == MD5_CUBE2_MAX_DEPTH) {
        md5i_cube2_script_warn(script, word, "nested more than %d deep: skipped",
                               MD5_CUBE2_MAX_DEPTH);
        return;
    }
    const md5_cube2_frame *const below = top_frame(script);
    md5_cube2_frame *const frame = &script->frames[script->depth++];
    *frame = *below;
    memset(&frame->text, 0, sizeof frame->text);
    frame->lex.at = word->block.bytes;
    frame->lex.end = word->block.bytes + word->block.size;
}

// -- Commands of the language ---------------------------------------------------------------------

static bool is_open(const md5_cube2_script *script, const char *file)
{
    for (uint32_t i = 0; i < script->depth; i++) {
        if (strcmp(script->frames[i].file, file) == 0)
            return true;
    }
    return false;
}

// Returns why a file is not read, or NULL if it may be.
static const char *obstacle(const md5_cube2_script *script, const char *name, const char *file)
{
    if (name[0] == '/' || strchr(name, ':') || strncmp(name, "../", 3) == 0)
        return "is outside of the game's folder";
    if (is_open(script, file))
        return "is being read already";
    if (script->depth == MD5_CUBE2_MAX_DEPTH || script->num_files == MD5_CUBE2_MAX_FILES)
        return "is one file too many";
    return NULL;
}

// Like the engines, goes on if the file cannot be read. Returns false if memory runs out.
static bool run_exec(md5_cube2_script *script, const md5_cube2_command *command)
{
    if (command->num_words < 2 || command->words[1].kind != MD5_CUBE2_WORD) {
        md5i_cube2_script_warn(script, &command->words[0],
                               "expected the name of a file after exec");
        return true;
    }
    const md5_cube2_word *const word = &command->words[1];
    md5_context *const context = script->context;
    const char *const name = md5i_cube2_join(script->arena, "", word->text);
    const char *const file = name ? md5i_cube2_join(script->arena, script->root, name) : NULL;
    TRY(file);
    const char *const reason = obstacle(script, name, file);
    if (!reason && md5i_cube2_script_open(script, file))
        return true;
    if (context->error.status == MD5_ERROR_MEMORY)
        return false;
    const md5_error failure = context->error;
    context->error.status = MD5_OK;
    context->error.message[0] = '\0';
    md5i_context_set_file(context, top_frame(script)->file);
    const char *const shown = reason ? name : file;
    md5i_cube2_script_warn(script, word, "%s %s", md5i_quote(shown, strlen(shown)).text,
                           reason ? reason : failure.message);
    return true;
}

static bool set_variable(md5_cube2_script *script, const md5_cube2_word *name,
                         const md5_cube2_word *value)
{
    if (value->kind != MD5_CUBE2_WORD)
        return true; // the value is not known: using it is a warning
    void **const found = md5i_name_map_add(&script->variables, script->arena, name->text);
    TRY(found);
    *found = (void *)(uintptr_t)value->text;
    return true;
}

// As the engines do, takes "", 0 and 0.0 for false. A condition that is not evaluated is taken for
// true.
static bool is_true(md5_cube2_script *script, const md5_cube2_word *word)
{
    if (word->kind != MD5_CUBE2_WORD) {
        md5i_cube2_script_warn(script, word, "the condition is not evaluated: taken for true");
        return true;
    }
    const char *text = word->text;
    if (*text == '\0')
        return false;
    while (*text == '0' || *text == '.')
        text++;
    return *text != '\0';
}

static void run_if(md5_cube2_script *script, const md5_cube2_command *command)
{
    if (command->num_words < 3) {
        md5i_cube2_script_warn(script, &command->words[0], "expected a condition and a block");
        return;
    }
    const uint32_t chosen = is_true(script, &command->words[1]) ? 2 : 3;
    if (chosen >= command->num_words)
        return;
    const md5_cube2_word *const word = &command->words[chosen];
    if (word->kind == MD5_CUBE2_BLOCK)
        begin_block(script, word);
    else
        md5i_cube2_script_warn(script, word, "expected a block in [ ]");
}

// Runs a command of the language; *is_run says whether it was one.
static bool run(md5_cube2_script *script, const md5_cube2_command *command, bool *is_run)
{
    const md5_cube2_word *const words = command->words;
    *is_run = true;
    if (command->num_words >= 2 && strcmp(words[1].text, "=") == 0)
        return command->num_words < 3 || set_variable(script, &words[0], &words[2]);
    if (strcmp(words[0].text, "alias") == 0)
        return command->num_words < 3 || set_variable(script, &words[1], &words[2]);
    if (strcmp(words[0].text, "exec") == 0)
        return run_exec(script, command);
    *is_run = strcmp(words[0].text, "if") == 0;
    if (*is_run)
        run_if(script, command);
    return true;
}

bool md5i_cube2_script_next(md5_cube2_script *script, md5_cube2_command *command)
{
    bool is_run = false;
    while (script->depth > 0) {
        md5_lex *const lex = &top_frame(script)->lex;
        skip_to_command(lex);
        if (lex->at == lex->end) {
            end_frame(script);
            continue;
        }
        TRY(read_command(script, command));
        TRY(run(script, command, &is_run));
        if (!is_run)
            return true;
    }
    return false;
}
