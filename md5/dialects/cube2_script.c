// The interpreter of the script language of the Cube 2 engines: see cube2_script.h.
#include "md5/dialects/cube2_script.h"
#include "md5/core/math.h"

#include <string.h>

static md5_cube2_frame *top_frame(md5_cube2_script *script)
{
    return &script->frames[script->depth - 1];
}

md5_lex *md5i_cube2_lex(md5_cube2_script *script)
{
    return &top_frame(script)->lex;
}

// -- Paths ----------------------------------------------------------------------------------------

// Returns the length of path[length] without its last folder. The path ends in /. Returns `length`
// if the last part cannot be removed, because it is empty or ../.
static size_t remove_last_folder(const char *path, size_t length)
{
    size_t start = length - 1;
    while (start > 0 && path[start - 1] != '/')
        start--;
    const size_t size = length - start;
    const bool is_empty = size == 1;
    const bool is_parent = size == 3 && memcmp(path + start, "../", 3) == 0;
    return is_empty || is_parent ? length : start;
}

// Resolves the last part of path[length], which begins at `start` and ends in /. An empty part and
// ./ are removed. ../ is removed together with the folder before it. Returns the new length of the
// path.
static size_t resolve_last_part(const char *path, size_t start, size_t length)
{
    const char *const part = path + start;
    const size_t size = length - start;
    const bool is_empty = size == 1 && start > 0; // an absolute path keeps its first /
    const bool is_current = size == 2 && part[0] == '.';
    if (is_empty || is_current)
        return start;
    const bool is_parent = size == 3 && memcmp(part, "../", 3) == 0;
    if (!is_parent || start == 0)
        return length;
    const size_t parent_length = remove_last_folder(path, start);
    return parent_length < start ? parent_length : length;
}

// Returns the concatenation of both texts as a path: with / instead of \, and with . and ..
// resolved. Returns NULL if memory runs out.
const char *md5i_cube2_path(md5_arena *arena, const char *first, const char *second)
{
    const size_t first_size = strlen(first);
    const size_t second_size = strlen(second);
    char *const path = (char *)md5i_arena_alloc_raw(arena, first_size + second_size + 1, 1);
    if (!path)
        return NULL;

    size_t length = 0;
    size_t part_start = 0;
    for (size_t i = 0; i < first_size + second_size; i++) {
        const char c = i < first_size ? first[i] : second[i - first_size];
        const bool is_separator = c == '/' || c == '\\';
        path[length++] = is_separator ? '/' : c;
        if (is_separator) {
            length = resolve_last_part(path, part_start, length);
            part_start = length;
        }
    }
    path[length] = '\0';
    return path;
}

// -- Words ----------------------------------------------------------------------------------------

static bool is_cube2_blank(char c)
{
    return c != '\0' && strchr(" \t\r\f\v", c);
}

static bool is_cube2_line_end(char c)
{
    return c == '\n' || c == '\r';
}

static bool is_comment(const md5_lex *lex, const char *text)
{
    return lex->end - text >= 2 && text[0] == '/' && text[1] == '/';
}

// Returns the end of the line at `text`: its newline, or the end of the file.
static const char *skip_line(const md5_lex *lex, const char *text)
{
    const char *end = text;
    while (end < lex->end && *end != '\n')
        end++;
    return end;
}

// Skips blanks and comments inside a command.
static void skip_cube2_blanks(md5_lex *lex)
{
    while (lex->at < lex->end && is_cube2_blank(*lex->at))
        lex->at++;
    if (is_comment(lex, lex->at))
        lex->at = skip_line(lex, lex->at);
}

// Returns the end of the string that begins at `text`: the position after its closing quote. A
// string that is not closed ends at the end of its line. ^ is the escape character: a quote after
// it does not close the string.
static const char *string_end(const md5_lex *lex, const char *text)
{
    const char *at = text + 1;
    while (at < lex->end && *at != '"' && !is_cube2_line_end(*at)) {
        const bool is_escape = *at == '^' && lex->end - at > 1 && !is_cube2_line_end(at[1]);
        at += is_escape ? 2 : 1;
    }
    const bool is_closed = at < lex->end && *at == '"';
    return is_closed ? at + 1 : at;
}

// Returns the position after the bracket that closes the bracket at `text`. Returns NULL if the
// bracket is not closed. Ignores brackets in strings and comments.
static const char *bracket_end(const md5_lex *lex, const char *text)
{
    const char *at = text;
    size_t depth = 0;
    while (at < lex->end) {
        if (*at == '"') {
            at = string_end(lex, at);
            continue;
        }
        if (is_comment(lex, at)) {
            at = skip_line(lex, at);
            continue;
        }
        if (*at == '[' || *at == '(')
            depth++;
        else if (*at == ']' || *at == ')')
            depth--;
        at++;
        if (depth == 0)
            return at;
    }
    return NULL;
}

// Returns the character that `c` means after the escape character ^.
static char unescape(char c)
{
    switch (c) {
    case 'n':
        return '\n';
    case 't':
        return '\t';
    case 'f':
        return '\f';
    default:
        return c;
    }
}

// Copies the content of a string, which is the text from `from` up to `end`, and replaces its
// escapes. Returns NULL if memory runs out.
static const char *copy_string(md5_arena *arena, const char *from, const char *end)
{
    char *const text = (char *)md5i_arena_alloc_raw(arena, (size_t)(end - from) + 1, 1);
    if (!text)
        return NULL;
    char *to = text;
    for (const char *at = from; at < end; at++) {
        const bool is_escape = *at == '^' && end - at > 1;
        if (is_escape)
            at++; // to the escaped character
        *to++ = is_escape ? unescape(*at) : *at;
    }
    *to = '\0';
    return text;
}

// Reads a string in quotes. If it is not closed, it ends at the end of its line, with a warning.
// Returns false if memory runs out.
static bool read_cube2_string(md5_cube2_script *script, md5_cube2_word *word)
{
    md5_lex *const lex = md5i_cube2_lex(script);
    const char *const start = lex->at;
    lex->at = string_end(lex, start);
    const bool is_closed = lex->at - start > 1 && lex->at[-1] == '"';
    if (!is_closed)
        md5i_lex_warn(lex, start, "unterminated string: expected '\"' before the end of the line");
    const char *const content_end = is_closed ? lex->at - 1 : lex->at;
    word->text = copy_string(script->arena, start + 1, content_end);
    return word->text != NULL;
}

// Reads a block [ ] or an expression ( ). If it is not closed, it ends at the end of the file, with
// a warning. Returns false if memory runs out.
static bool read_brackets(md5_cube2_script *script, md5_cube2_word *word)
{
    md5_lex *const lex = md5i_cube2_lex(script);
    const char *const start = lex->at;
    const char *const after_bracket = bracket_end(lex, start);
    if (!after_bracket)
        md5i_lex_warn(lex, start, "unterminated '%c': expected '%c' before the end of the file",
                      *start, *start == '[' ? ']' : ')');
    const char *const content = start + 1;
    const char *const content_end = after_bracket ? after_bracket - 1 : lex->end;
    lex->at = after_bracket ? after_bracket : lex->end;
    word->kind = *start == '[' ? MD5_CUBE2_BLOCK : MD5_CUBE2_EXPRESSION;
    word->block = (md5_span){content, (size_t)(content_end - content)};
    word->text = md5_copy_text(script->arena, word->block.bytes, word->block.size);
    return word->text != NULL;
}

// Returns true if the lexer is at the end of a bare word.
static bool is_word_end(const md5_lex *lex)
{
    if (lex->at == lex->end || is_cube2_blank(*lex->at))
        return true;
    return *lex->at == '\n' || *lex->at == ';' || is_comment(lex, lex->at);
}

// Replaces a word $NAME by the value of the variable. If the variable is not set, reports a warning
// and marks the word as an expression, whose value is unknown.
static void replace_variable(md5_cube2_script *script, md5_cube2_word *word)
{
    void **const value = md5i_name_map_find(&script->variables, word->text + 1);
    if (value) {
        word->text = (const char *)*value;
        return;
    }
    md5i_lex_warn(md5i_cube2_lex(script), word->at,
                  "value of variable %s is unknown: expected a command before this line that sets "
                  "the variable to a constant",
                  MD5_QUOTED(word->text));
    word->kind = MD5_CUBE2_EXPRESSION;
    word->text = "";
}

// Reads a word of any kind: a string, a block, an expression or a bare word. A bare word is a word
// without quotes and outer brackets. A variable is replaced by its value. Returns false if memory
// runs out.
static bool read_word(md5_cube2_script *script, md5_cube2_word *word)
{
    md5_lex *const lex = md5i_cube2_lex(script);
    const char *const start = lex->at;
    *word = (md5_cube2_word){.at = start};

    if (*start == '"')
        return read_cube2_string(script, word);
    if (*start == '[' || *start == '(')
        return read_brackets(script, word);

    // Read a bare word. Brackets inside it, such as in `a(b)`, make it an expression.
    while (!is_word_end(lex)) {
        const bool is_bracket = *lex->at == '(' || *lex->at == '[';
        const char *const end = is_bracket ? bracket_end(lex, lex->at) : lex->at + 1;
        if (is_bracket)
            word->kind = MD5_CUBE2_EXPRESSION;
        lex->at = end ? end : lex->end;
    }

    word->text = md5_copy_text(script->arena, start, (size_t)(lex->at - start));
    TRY(word->text);

    const bool is_variable = word->text[0] == '$' && word->text[1] != '\0';
    if (word->kind == MD5_CUBE2_WORD && is_variable)
        replace_variable(script, word);
    return true;
}

// -- Texts ----------------------------------------------------------------------------------------

// Reads a file and pushes it on the stack. The caller has checked that the stack is not full.
// Returns false and sets the context's error if the file cannot be read.
bool md5i_cube2_open(md5_cube2_script *script, const char *file)
{
    md5_cube2_frame *const frame = &script->frames[script->depth];
    *frame = (md5_cube2_frame){.file = file};
    md5i_context_set_file(script->context, file);
    if (!md5i_read_file_text(script->context, file, &frame->text)
        || !md5_check_text_size(script->context, frame->text.size)) {
        md5i_free_file_text(script->context, &frame->text);
        return false;
    }
    script->num_files++;
    script->depth++;
    md5i_lex_begin(&frame->lex, script->arena, frame->text.bytes, frame->text.size);
    return true;
}

// Removes the text on top of the stack. Later messages refer to the file below it.
void md5i_cube2_end_text(md5_cube2_script *script)
{
    md5i_free_file_text(script->context, &top_frame(script)->text);
    script->depth--;
    if (script->depth > 0)
        md5i_context_set_file(script->context, top_frame(script)->file);
}

// -- Commands of the language ---------------------------------------------------------------------

// Returns the value of a condition. As in the engines, an empty word and words such as 0 and 0.0
// are false. The interpreter does not evaluate blocks and expressions. It assumes that they are
// true and reports a warning.
static bool is_true_word(md5_cube2_script *script, const md5_cube2_word *word)
{
    if (word->kind != MD5_CUBE2_WORD) {
        md5i_lex_warn(md5i_cube2_lex(script), word->at,
                      "condition of 'if' is not supported: expected a constant; the condition is "
                      "assumed to be true");
        return true;
    }
    const char *text = word->text;
    if (*text == '\0')
        return false;
    while (*text == '0' || *text == '.')
        text++;
    return *text != '\0';
}

// Pushes a block on the stack, so that its commands are read next. The text that contains the block
// remains below it and owns the memory. The new frame is a copy of that text's frame, so that
// messages contain the correct line.
static void push_block(md5_cube2_script *script, md5_span block)
{
    const md5_cube2_frame *const below = top_frame(script);
    md5_cube2_frame *const frame = &script->frames[script->depth++];
    *frame = *below;
    memset(&frame->text, 0, sizeof frame->text);
    frame->lex.at = block.bytes;
    frame->lex.end = block.bytes + block.size;
}

// Runs `if CONDITION [ THEN ] [ ELSE ]`. Pushes the block THEN if the condition is true, otherwise
// the block ELSE. ELSE may be missing.
static void run_if(md5_cube2_script *script, const md5_cube2_command *command)
{
    if (command->num_words < 3) {
        md5i_lex_warn(md5i_cube2_lex(script), command->words[0].at,
                      "incomplete 'if': expected a condition and a block in [ ]");
        return;
    }
    const uint32_t selected = is_true_word(script, &command->words[1]) ? 2 : 3;
    if (selected >= command->num_words)
        return;

    const md5_cube2_word *const word = &command->words[selected];
    if (word->kind != MD5_CUBE2_BLOCK) {
        md5i_lex_warn(md5i_cube2_lex(script), word->at,
                      "'if' without a block: expected commands in [ ]");
        return;
    }
    if (script->depth == MD5_CUBE2_MAX_DEPTH) {
        md5i_lex_warn(
            md5i_cube2_lex(script), word->at,
            "blocks are nested too deeply: expected at most %d levels; the block is skipped",
            MD5_CUBE2_MAX_DEPTH);
        return;
    }
    push_block(script, word->block);
}

// Sets the variable `name` for a command `NAME = VALUE` or `alias NAME VALUE`. Blocks and
// expressions are not evaluated, so they are not stored. A later use of such a variable causes a
// warning. Returns false if memory runs out.
static bool set_variable(md5_cube2_script *script, const char *name,
                         const md5_cube2_command *command)
{
    const bool has_value = command->num_words >= 3 && command->words[2].kind == MD5_CUBE2_WORD;
    if (!has_value)
        return true;
    void **const variable = md5i_name_map_add(&script->variables, script->arena, name);
    TRY(variable);
    *variable = (void *)(uintptr_t)command->words[2].text;
    return true;
}

// Returns true if a path leaves the game folder: it is absolute, contains a drive, or begins with
// ../. The caller has resolved any ../ within the path. `exec` skips such files, because a
// downloaded model must not read other files of the user.
static bool leaves_game_folder(const char *path)
{
    return path[0] == '/' || strchr(path, ':') || strncmp(path, "../", 3) == 0;
}

// Returns NULL if `exec` may read a file. Otherwise returns the reason, as the end of a warning.
// `name` is the path relative to the game folder, `file` the complete path.
static const char *reason_to_skip(const md5_cube2_script *script, const char *name,
                                  const char *file)
{
    if (leaves_game_folder(name))
        return "is skipped: expected a path inside the game folder";
    for (uint32_t i = 0; i < script->depth; i++) {
        if (strcmp(script->frames[i].file, file) == 0)
            return "is skipped: the file contains itself, directly or through another file";
    }
    if (script->depth == MD5_CUBE2_MAX_DEPTH || script->num_files == MD5_CUBE2_MAX_FILES)
        return "is skipped: too many files are read or nested";
    return NULL;
}

// Reads a file and pushes it on the stack. If the file cannot be read, reports a warning at the
// position `at`, because the engines also continue then. Returns false only if memory runs out.
static bool open_or_warn(md5_cube2_script *script, const char *file, const char *at)
{
    md5_context *const context = script->context;
    if (md5i_cube2_open(script, file))
        return true;
    if (context->error.status == MD5_ERROR_MEMORY)
        return false;
    const md5_error failure = context->error;
    context->error.status = MD5_OK;
    context->error.message[0] = '\0';
    md5i_context_set_file(context, top_frame(script)->file);
    md5i_lex_warn(md5i_cube2_lex(script), at, "%s: %s", MD5_QUOTED(file), failure.message);
    return true;
}

// Runs `exec FILE`: pushes the file on the stack. As in the engines, a file that cannot be read
// is skipped, with a warning. Returns false only if memory runs out.
static bool run_exec(md5_cube2_script *script, const md5_cube2_command *command)
{
    const md5_cube2_word *const words = command->words;
    if (command->num_words < 2 || words[1].kind != MD5_CUBE2_WORD) {
        md5i_lex_warn(md5i_cube2_lex(script), words[0].at, "expected a file name after 'exec'");
        return true;
    }

    const char *const name = md5i_cube2_path(script->arena, "", words[1].text);
    TRY(name);
    const char *const file = md5i_cube2_path(script->arena, script->root, name);
    TRY(file);
    const char *const reason = reason_to_skip(script, name, file);
    if (reason) {
        md5i_lex_warn(md5i_cube2_lex(script), words[1].at, "%s %s", MD5_QUOTED(name), reason);
        return true;
    }
    return open_or_warn(script, file, words[1].at);
}

// Runs a command if it belongs to the script language. Otherwise sets `is_run` to false, and the
// caller treats it as a command about the model. Returns false if memory runs out.
static bool run_command(md5_cube2_script *script, const md5_cube2_command *command, bool *is_run)
{
    const md5_cube2_word *const words = command->words;
    *is_run = true;
    if (command->num_words >= 2 && strcmp(words[1].text, "=") == 0)
        return set_variable(script, words[0].text, command);
    if (strcmp(words[0].text, "alias") == 0)
        return set_variable(script, command->num_words >= 2 ? words[1].text : "", command);
    if (strcmp(words[0].text, "exec") == 0)
        return run_exec(script, command);
    if (strcmp(words[0].text, "if") == 0)
        run_if(script, command);
    else
        *is_run = false;
    return true;
}

// Returns true if the lexer is at the end of a command.
static bool is_command_end(const md5_lex *lex)
{
    return lex->at == lex->end || *lex->at == '\n' || *lex->at == ';';
}

// Reads the words of a command, up to a newline or `;`. The lexer is at the first word. If the
// command has too many words, the surplus words are skipped with a warning. Returns false if memory
// runs out.
static bool read_cube2_command(md5_cube2_script *script, md5_cube2_command *command)
{
    md5_lex *const lex = md5i_cube2_lex(script);
    md5_cube2_word skipped;
    command->num_words = 0;
    do {
        const bool is_full = command->num_words == MD5_CUBE2_MAX_WORDS;
        md5_cube2_word *const word = is_full ? &skipped : &command->words[command->num_words];
        TRY(read_word(script, word));
        if (is_full)
            md5i_lex_warn(
                lex, word->at,
                "command has too many words: expected at most %d; the surplus words are skipped",
                MD5_CUBE2_MAX_WORDS);
        else
            command->num_words++;
        skip_cube2_blanks(lex);
    } while (!is_command_end(lex));
    return true;
}

// Skips blanks, comments, newlines and `;` before the next command.
static void skip_command_ends(md5_lex *lex)
{
    skip_cube2_blanks(lex);
    while (lex->at < lex->end && (*lex->at == '\n' || *lex->at == ';')) {
        lex->at++;
        skip_cube2_blanks(lex);
    }
}

// Reads the next command about the model. Runs the commands of the script language before it.
// Returns false at the end of all texts. Also returns false if memory runs out, and sets the
// context's error.
bool md5i_cube2_next(md5_cube2_script *script, md5_cube2_command *command)
{
    while (script->depth > 0) {
        md5_lex *const lex = md5i_cube2_lex(script);
        skip_command_ends(lex);
        if (lex->at == lex->end) {
            md5i_cube2_end_text(script);
            continue;
        }

        bool is_run;
        TRY(read_cube2_command(script, command));
        TRY(run_command(script, command, &is_run));
        if (!is_run)
            return true;
    }
    return false;
}
