// Reads the tokens of scripts: the lexer, macros, and directives such as #include and #define.
//
// script_reader contains a stack of sources. A source is a text from which tokens are read: a file,
// the body of a macro, or an argument of a macro. read_from_source() reads one token from the
// source on the top of the stack, the innermost source. It expands a name, runs a directive, closes
// a source at its end, or appends the token to the result.
#include "md5/game/script_tokens.h"

#include "md5/decl/decl_lex.h"

#include <string.h>

// Limits of scripts. The messages about MAX_PARAMS and MAX_SOURCES contain the numbers.
enum {
    MAX_PARAMS = 8,      // parameters of a macro
    MAX_SOURCES = 64,    // nested files, macros and arguments
    MIN_STEPS = 1 << 16, // tokens that may be read from an empty script; longer scripts have more
};

// A part of a file that is not read yet.
typedef struct script_text {
    uint32_t file;
    const char *at;
    const char *end;
} script_text;

// A macro that #define has defined. The tokens of its body are read again at each use of the macro.
typedef struct script_macro {
    bool has_params;
    uint32_t num_params;
    script_token params[MAX_PARAMS];
    script_text body;
} script_macro;

// A text that is being read: a file, the body of a macro, or an argument of a macro. As in C, a
// name in the body of a macro can be a parameter of this macro. A name in an argument can be a
// parameter of the macro that contains the call.
typedef struct script_source {
    script_text text;
    const script_macro *macro;         // the macro whose body is read; otherwise NULL
    script_text arguments[MAX_PARAMS]; // arguments of the call of the macro
    uint32_t scope;   // index of the source whose arguments replace parameters in this text, or
                      // MD5_NONE
    uint32_t outer;   // if a macro: the scope of the source that contains the call
    uint32_t num_ifs; // number of #ifdef and #ifndef that #endif has not ended yet
} script_source;

typedef struct script_reader {
    script_tokens *to;
    script_source sources[MAX_SOURCES]; // a stack: each source was opened by the previous source
    uint32_t num_sources;
    size_t num_steps;      // number of tokens that were read
    size_t max_steps;      // limit of num_steps
    md5_name_map included; // names of the files that were opened
    md5_name_map macros;
} script_reader;

// == Messages =====================================================================================

// Sets the file that the next messages name. `file` is an index in tokens->files.
static void report_file(script_tokens *tokens, uint32_t file)
{
    // The context stores the file of an error, which must not change after the error.
    if (md5_script_is_ok(tokens) && tokens->reported_file != file)
        md5i_context_set_file(tokens->context, tokens->files[file].name);
    tokens->reported_file = file;
}

// Reports the error "expected ..., found ..." at a token, and moves to the end of the tokens, so
// that parsing stops.
void md5i_script_fail(script_tokens *tokens, const script_token *token, const char *expected)
{
    md5_lex *const lex = &tokens->files[token->file].lex;
    report_file(tokens, token->file);
    if (token->kind == SCRIPT_TOKEN_END) {
        (void)md5i_lex_fail(lex, token->at, MD5_ERROR_SYNTAX,
                            "expected %s, found the end of the script", expected);
    } else {
        (void)md5i_lex_fail(lex, token->at, MD5_ERROR_SYNTAX, "expected %s, found %s", expected,
                            md5i_quote(token->at, token->size).text);
    }
    tokens->at = tokens->num_tokens > 0 ? tokens->num_tokens - 1 : 0;
}

// Reports a warning at a token. The message is the token in quotes, followed by a text.
void md5i_script_warn(script_tokens *tokens, const script_token *token, const char *text)
{
    report_file(tokens, token->file);
    md5i_lex_warn(&tokens->files[token->file].lex, token->at, "%s %s",
                  md5i_quote(token->at, token->size).text, text);
}

// == Names ========================================================================================

// Returns true if a token is a name or a sign with this text. Returns false for strings.
bool md5i_script_token_is(const script_token *token, const char *text)
{
    if (token->kind != SCRIPT_TOKEN_NAME && token->kind != SCRIPT_TOKEN_SIGN)
        return false;
    return token->size == strlen(text) && memcmp(token->at, text, token->size) == 0;
}

bool md5i_script_tokens_equal(const script_token *a, const script_token *b)
{
    return a->size == b->size && memcmp(a->at, b->at, a->size) == 0;
}

const char *md5i_script_token_text(script_tokens *tokens, const script_token *token)
{
    const char *const text = md5_copy_text(tokens->arena, token->at, token->size);
    return text ? text : "";
}

// Returns the address of the value of a name in a map. If the map does not contain the name, adds
// it with the value NULL. If memory runs out, returns the address of a value that is not in the
// map.
void **md5i_script_entry(script_tokens *tokens, md5_name_map *map, const char *name)
{
    void **const entry = md5i_name_map_add(map, tokens->arena, name);
    tokens->unused_entry = NULL;
    return entry ? entry : &tokens->unused_entry;
}

// == Cursor =======================================================================================

// Reads the next token if it is `text`. Returns true if it was read.
bool md5i_script_accept(script_tokens *tokens, const char *text)
{
    if (!md5i_script_token_is(md5_script_here(tokens), text))
        return false;
    tokens->at++;
    return true;
}

void md5i_script_expect(script_tokens *tokens, const char *text)
{
    if (!md5i_script_accept(tokens, text))
        md5i_script_fail(tokens, md5_script_here(tokens), MD5_QUOTED(text));
}

// Reads and returns a name. Any other token is an error and is returned, but not consumed.
const script_token *md5i_script_read_name(script_tokens *tokens)
{
    const script_token *const token = md5_script_here(tokens);
    if (token->kind == SCRIPT_TOKEN_NAME)
        tokens->at++;
    else
        md5i_script_fail(tokens, token, "a name");
    return token;
}

// Skips tokens up to and including the bracket `close` that matches a bracket `open` before the
// current token.
void md5i_script_skip_to(script_tokens *tokens, const char *open, const char *close)
{
    uint32_t depth = 1;
    while (depth > 0 && md5_script_here(tokens)->kind != SCRIPT_TOKEN_END) {
        if (md5i_script_token_is(md5_script_here(tokens), open))
            depth++;
        else if (md5i_script_token_is(md5_script_here(tokens), close))
            depth--;
        tokens->at++;
    }
    if (depth > 0)
        md5i_script_fail(tokens, md5_script_here(tokens), MD5_QUOTED(close));
}

// == Lexer ========================================================================================

// Returns true if two characters are one sign.
static bool is_pair(char first, char second)
{
    static const char pairs[] = "&&||==!=<=>=+=-=*=/=%=&=|=++--::";
    for (const char *pair = pairs; *pair != '\0'; pair += 2) {
        if (pair[0] == first && pair[1] == second)
            return true;
    }
    return false;
}

// Returns true if a number begins at `at`: a digit, or a point before a digit.
static bool begins_number(const char *at, const char *end)
{
    if (md5_is_digit(*at))
        return true;
    return *at == '.' && end - at > 1 && md5_is_digit(at[1]);
}

// Returns the end of the name at `at`.
static const char *find_script_name_end(const char *at, const char *end)
{
    while (at < end && (md5_is_letter(*at) || md5_is_digit(*at)))
        at++;
    return at;
}

// Returns the end of the number at `at`, after an optional suffix f.
static const char *find_script_number_end(const char *at, const char *end)
{
    float number;
    const char *const digits_end = md5i_scan_float(at, end, &number);
    const bool has_suffix = digits_end < end && (*digits_end == 'f' || *digits_end == 'F');
    return has_suffix ? digits_end + 1 : digits_end;
}

// Skips white space, comments and the backslashes of lines that continue. Returns the start of the
// next token.
static const char *skip_script_blanks(md5_lex *lex)
{
    while (md5i_lex_skip_space(lex) < lex->end && *lex->at == '\\')
        lex->at++;
    return lex->at;
}

// Returns the kind of the token that begins at `at`, which depends on its first two bytes, and sets
// *end to the end of the token.
static script_token_kind scan_script_token(md5_lex *lex, const char *at, const char **end)
{
    if (md5_is_letter(*at)) {
        *end = find_script_name_end(at, lex->end);
        return SCRIPT_TOKEN_NAME;
    }
    if (begins_number(at, lex->end)) {
        *end = find_script_number_end(at, lex->end);
        return SCRIPT_TOKEN_NUMBER;
    }
    if (*at == '"' || *at == '\'') { // 'x y z' is a vector
        *end = md5i_lex_token_end(lex, at);
        return *at == '"' ? SCRIPT_TOKEN_STRING : SCRIPT_TOKEN_VECTOR;
    }
    const bool has_two_bytes = lex->end - at > 1 && is_pair(at[0], at[1]); // such as <=
    *end = has_two_bytes ? at + 2 : at + 1;
    return SCRIPT_TOKEN_SIGN;
}

// Reads the next token of a text and moves the text past it. At the end of the text and after an
// error, the token is SCRIPT_TOKEN_END. A string that is not closed is an error.
static void read_script_token(script_tokens *tokens, script_text *from, script_token *token)
{
    // Use the lexer of the file for the part `from` of its text.
    md5_lex *const lex = &tokens->files[from->file].lex;
    const char *const before = from->at;
    report_file(tokens, from->file);
    lex->at = before;
    lex->end = from->end;

    const char *const at = skip_script_blanks(lex);
    const char *end = at;
    script_token_kind kind = SCRIPT_TOKEN_END;
    if (at < lex->end && md5_script_is_ok(tokens))
        kind = scan_script_token(lex, at, &end);

    const bool begins_line = before == lex->text || memchr(before, '\n', (size_t)(at - before));
    *token = (script_token){
        .kind = kind,
        .begins_line = begins_line,
        .file = from->file,
        .at = at,
        .size = (size_t)(end - at),
    };
    from->at = end;

    const bool is_quoted = kind == SCRIPT_TOKEN_STRING || kind == SCRIPT_TOKEN_VECTOR;
    const bool is_closed = end - at >= 2 && end[-1] == *at;
    if (is_quoted && !is_closed)
        md5i_script_fail(tokens, token, "a closing quote");
}

// == Files and macros =============================================================================

// Pushes a source on the stack, so that the next tokens are read from it, and returns it. `by` is
// the token that names the source, or NULL for the first file. Too many open sources are an error.
static script_source *open_script_source(script_reader *reader, script_text text,
                                         const script_token *by)
{
    if (by && reader->num_sources == MAX_SOURCES) {
        md5i_script_fail(reader->to, by, "at most 64 nested files and macros");
        return &reader->sources[MAX_SOURCES - 1];
    }
    script_source *const source = &reader->sources[reader->num_sources++];
    source->text = text;
    source->macro = NULL;
    source->scope = MD5_NONE;
    source->outer = MD5_NONE;
    source->num_ifs = 0;
    return source;
}

// Reads a script file into a new entry of the list of files and returns the entry. `by` is the
// token that names the file, NULL for the first file. Returns NULL after an error. A file that
// cannot be opened is an error at the location of `by`.
static script_file *read_script_file(script_tokens *to, const char *name, const script_token *by)
{
    md5_context *const context = to->context;
    script_file *const file = &to->files[to->num_files];
    *file = (script_file){.name = name};
    if (md5i_read_file_text(context, name, &file->text)
        && md5_check_text_size(context, file->text.size))
        return file;

    if (by && context->error.status == MD5_ERROR_IO) {
        context->error.status = MD5_OK; // replaced by the next error
        md5i_script_fail(to, by, "a readable file");
    }
    md5i_free_file_text(context, &file->text);
    return NULL;
}

// Opens a script file, so that the next tokens are read from it. A file that was opened before is
// skipped, so each file is read once. `by` is the token that names the file, or NULL for the first
// file.
static void open_script_file(script_reader *reader, const char *name, const script_token *by)
{
    script_tokens *const to = reader->to;
    void **const included = md5i_script_entry(to, &reader->included, name);
    script_file *const files =
        (script_file *)md5_grow(to->arena, to->files, to->num_files, sizeof *files);
    if (*included || !files)
        return;
    *included = reader; // any value marks the file as included
    to->files = files;
    script_file *const file = read_script_file(to, name, by);
    if (!file)
        return;

    // Without a limit, a few macros could expand to billions of tokens. The limit is proportional
    // to the size of the files.
    md5i_lex_begin(&file->lex, to->arena, file->text.bytes, file->text.size);
    reader->max_steps += 2 * file->text.size;
    const script_text text = {.file = to->num_files, .at = file->lex.at, .end = file->lex.end};
    to->num_files++;
    (void)open_script_source(reader, text, by);
}

// Reads "a, b)", the parameters of a macro.
static void read_params(script_reader *reader, script_macro *macro, script_text *line)
{
    script_token token;
    do {
        read_script_token(reader->to, line, &token);
        if (token.kind == SCRIPT_TOKEN_NAME && macro->num_params < MAX_PARAMS) {
            macro->params[macro->num_params++] = token;
            read_script_token(reader->to, line, &token);
        }
    } while (md5i_script_token_is(&token, ","));
    if (!md5i_script_token_is(&token, ")"))
        md5i_script_fail(reader->to, &token,
                         "at most 8 parameters separated by ',' and a closing ')'");
}

// Reads "#define NAME ..." from the token after the name.
static void define_macro(script_reader *reader, script_text *line, const script_token *name)
{
    script_macro *const macro = MD5_ALLOC_ZEROED(reader->to->arena, script_macro, 1);
    if (!macro)
        return;
    // As in C, a bracket begins parameters only if it directly follows the name.
    macro->has_params = line->at < line->end && *line->at == '(';
    if (macro->has_params) {
        line->at++;
        read_params(reader, macro, line);
    }
    macro->body = *line;
    const char *const text = md5i_script_token_text(reader->to, name);
    *md5i_script_entry(reader->to, &reader->macros, text) = macro;
}

// Returns true if a directive is #if, #ifdef or #ifndef.
static bool begins_with_if(const script_token *token)
{
    return token->size > 1 && memcmp(token->at, "if", 2) == 0;
}

typedef enum skip_end { SKIP_TO_ELSE, SKIP_TO_ENDIF } skip_end;

// Skips text that is not compiled. It ends at the #endif of the innermost open #ifdef or #ifndef.
// With SKIP_TO_ELSE, it ends at the #else, if this comes first.
static void skip_lines(script_reader *reader, script_source *source, skip_end end)
{
    const uint32_t open = source->num_ifs;
    while (source->num_ifs >= open && md5_script_is_ok(reader->to)) {
        script_token token;
        read_script_token(reader->to, &source->text, &token);
        if (token.kind == SCRIPT_TOKEN_END)
            md5i_script_fail(reader->to, &token, "#endif");
        const bool is_directive = token.begins_line && md5i_script_token_is(&token, "#");
        if (!is_directive)
            continue;

        // Directives of nested #ifdef blocks are counted, but not run.
        read_script_token(reader->to, &source->text, &token);
        const bool is_else = md5i_script_token_is(&token, "else");
        if (is_else && end == SKIP_TO_ELSE && source->num_ifs == open)
            return;
        if (begins_with_if(&token))
            source->num_ifs++;
        else if (md5i_script_token_is(&token, "endif"))
            source->num_ifs--;
    }
}

// Returns true if a backslash precedes the newline at `at`, so that the line continues after it.
static bool is_continued(const char *at)
{
    return at[-1] == '\\' || (at[-1] == '\r' && at[-2] == '\\');
}

// Returns the text of a directive, from the position after its # to the end of its line, and skips
// it.
static script_text read_line(script_text *from)
{
    script_text line = *from;
    while (from->at < from->end && (*from->at != '\n' || is_continued(from->at)))
        from->at++;
    line.end = from->at;
    return line;
}

// Runs #define, #undef, #ifdef or #ifndef for the macro `name`. `line` is the text of the line
// after the name.
static void run_macro_directive(script_reader *reader, const script_token *directive,
                                const script_token *name, script_text *line)
{
    if (md5i_script_token_is(directive, "define")) {
        define_macro(reader, line, name);
        return;
    }
    script_tokens *const to = reader->to;
    void **const macro = md5i_script_entry(to, &reader->macros, md5i_script_token_text(to, name));
    if (md5i_script_token_is(directive, "undef")) {
        *macro = NULL;
        return;
    }
    script_source *const source = &reader->sources[reader->num_sources - 1];
    const bool is_defined = *macro != NULL;
    const bool must_be_defined = md5i_script_token_is(directive, "ifdef");
    source->num_ifs++;
    if (is_defined != must_be_defined)
        skip_lines(reader, source, SKIP_TO_ELSE);
}

// Runs #ifdef, #ifndef, #undef or #define, whose tokens up to the name of the macro were read.
// `line` is the remaining text of the line. Returns false for other directives.
static bool read_macro_directive(script_reader *reader, const script_token *directive,
                                 const script_token *name, script_text *line)
{
    const bool is_condition =
        md5i_script_token_is(directive, "ifdef") || md5i_script_token_is(directive, "ifndef");
    const bool is_definition =
        md5i_script_token_is(directive, "undef") || md5i_script_token_is(directive, "define");
    if (!is_condition && !is_definition)
        return false;
    if (name->kind == SCRIPT_TOKEN_NAME)
        run_macro_directive(reader, directive, name, line);
    else
        md5i_script_fail(reader->to, directive, "the name of a macro after the directive");
    return true;
}

// Runs #include: opens the file with the name in the token `name`, a string.
static void read_include(script_reader *reader, const script_token *directive,
                         const script_token *name)
{
    script_tokens *const to = reader->to;
    if (name->kind != SCRIPT_TOKEN_STRING || name->size < 2) {
        md5i_script_fail(to, directive, "a file name in quotes after #include");
        return;
    }
    const script_token without_quotes = {
        .kind = SCRIPT_TOKEN_NAME, .file = name->file, .at = name->at + 1, .size = name->size - 2};
    open_script_file(reader, md5i_script_token_text(to, &without_quotes), name);
}

// Reads and runs a directive of the innermost source. Its # was read before. An unknown directive
// is an error.
static void read_directive(script_reader *reader)
{
    script_tokens *const to = reader->to;
    script_source *const source = &reader->sources[reader->num_sources - 1];
    script_text line = read_line(&source->text);
    script_token directive;
    script_token name;
    read_script_token(to, &line, &directive);
    read_script_token(to, &line, &name);
    if (read_macro_directive(reader, &directive, &name, &line))
        return;

    const bool is_else = md5i_script_token_is(&directive, "else");
    const bool is_endif = md5i_script_token_is(&directive, "endif");
    if (md5i_script_token_is(&directive, "include"))
        read_include(reader, &directive, &name);
    else if (!is_else && !is_endif)
        md5i_script_fail(to, &directive,
                         "#define, #undef, #ifdef, #ifndef, #else, #endif or #include");
    else if (source->num_ifs == 0)
        md5i_script_fail(to, &directive, "#ifdef or #ifndef before #else or #endif");
    else if (is_else)
        skip_lines(reader, source, SKIP_TO_ENDIF);
    else
        source->num_ifs--;
}

// Reads a token of the arguments of a macro. The end of the text is an error. Too many tokens are
// also an error, so that hostile macros cannot take forever.
static void read_argument_token(script_reader *reader, script_text *from, script_token *token)
{
    read_script_token(reader->to, from, token);
    const bool is_end = token->kind == SCRIPT_TOKEN_END;
    if (!is_end)
        reader->num_steps++;
    if (is_end || reader->num_steps > reader->max_steps)
        md5i_script_fail(reader->to, token, "')' after the arguments of a macro");
}

// Reads the arguments of a macro, ( A, B ), and stores the text of each argument in
// call->arguments. `from` is the text that contains the call, after the name of the macro. A wrong
// number of arguments is an error.
static void read_arguments(script_reader *reader, script_source *call, script_text *from)
{
    script_tokens *const to = reader->to;
    const script_macro *const macro = call->macro;
    script_token token;
    read_script_token(to, from, &token);
    if (!md5i_script_token_is(&token, "("))
        md5i_script_fail(to, &token, "'(' after the name of a macro");

    // Commas and the closing bracket end an argument, except in nested brackets.
    uint32_t count = 0;
    uint32_t depth = 0; // depth of brackets inside the current argument
    bool is_closed = false;
    script_text argument = *from; // begins at the start of the current argument
    while (!is_closed && md5_script_is_ok(to)) {
        read_argument_token(reader, from, &token);
        const bool opens = md5i_script_token_is(&token, "(");
        const bool closes = md5i_script_token_is(&token, ")");
        const bool is_comma = md5i_script_token_is(&token, ",");
        const bool ends_argument = depth == 0 && (closes || is_comma);
        is_closed = depth == 0 && closes;
        if (ends_argument) {
            argument.end = token.at;
            if (count < macro->num_params)
                call->arguments[count] = argument;
            count++;
            argument = *from;
        }
        if (opens)
            depth++;
        else if (closes && depth > 0)
            depth--;
    }

    // A macro without parameters is called with one empty argument.
    const uint32_t max_arguments = macro->num_params > 0 ? macro->num_params : 1;
    if (count < macro->num_params || count > max_arguments)
        md5i_script_fail(to, &token, "as many arguments as the macro has parameters");
}

// Begins the use of a macro, whose name was read from the innermost source. Reads its arguments,
// and pushes its body on the stack of sources, so that the next tokens are read from it.
static void open_macro(script_reader *reader, const script_macro *macro, script_token name)
{
    script_source *const from = &reader->sources[reader->num_sources - 1];
    script_source *const source = open_script_source(reader, macro->body, &name);
    source->macro = macro;
    source->scope = reader->num_sources - 1;
    source->outer = from->scope;
    if (macro->has_params)
        read_arguments(reader, source, &from->text);
}

// If a name is a parameter of the macro that is being read, opens the text of its argument and
// returns true.
static bool expand_parameter(script_reader *reader, const script_token *name)
{
    const uint32_t scope = reader->sources[reader->num_sources - 1].scope;
    if (scope == MD5_NONE)
        return false;
    const script_source *const call = &reader->sources[scope];
    for (uint32_t i = 0; i < call->macro->num_params; i++) {
        if (!md5i_script_tokens_equal(name, &call->macro->params[i]))
            continue;
        // The source that contains the call also contains the text of the argument. So names in the
        // argument are parameters of the macro of that source.
        const uint32_t outer = call->outer;
        open_script_source(reader, call->arguments[i], name)->scope = outer;
        return true;
    }
    return false;
}

// Expands a name. If it is a parameter of the macro that is being read, the next tokens are read
// from its argument. If it is the name of a macro, they are read from the body of this macro.
// Otherwise returns false.
static bool expand_name(script_reader *reader, const script_token *name)
{
    if (expand_parameter(reader, name))
        return true;
    const char *const text = md5i_script_token_text(reader->to, name);
    void **const macro = md5i_name_map_find(&reader->macros, text);
    if (!macro || !*macro)
        return false;
    open_macro(reader, (const script_macro *)*macro, *name);
    return true;
}

// Appends a token to the result. Returns false if memory runs out.
static bool append_token(script_tokens *tokens, const script_token *token)
{
    tokens->tokens =
        (script_token *)md5_grow(tokens->arena, tokens->tokens, tokens->num_tokens, sizeof *token);
    TRY(tokens->tokens);
    tokens->tokens[tokens->num_tokens++] = *token;
    return true;
}

// Reads one token from the innermost source, and handles it: closes the source at its end, runs a
// directive, expands a macro, or appends the token to the result. Sets *is_end after the end of the
// last source, and after an error. Returns false if memory runs out.
static bool read_from_source(script_reader *reader, bool *is_end)
{
    script_tokens *const to = reader->to;
    script_source *const source = &reader->sources[reader->num_sources - 1];
    script_token token;
    read_script_token(to, &source->text, &token);
    reader->num_steps++;
    if (reader->num_steps > reader->max_steps)
        md5i_script_fail(to, &token, "macros that expand to fewer tokens");

    // At the end of a source (a file or a macro), continue with the source that uses it.
    const bool is_source_end = token.kind == SCRIPT_TOKEN_END;
    if (is_source_end && source->num_ifs > 0)
        md5i_lex_warn(&to->files[token.file].lex, token.at,
                      "expected #endif, found the end of the file");
    if (is_source_end && reader->num_sources > 1 && md5_script_is_ok(to)) {
        reader->num_sources--;
        return true;
    }

    const bool is_file = source->scope == MD5_NONE;
    const bool is_directive = is_file && token.begins_line && md5i_script_token_is(&token, "#");
    if (is_directive) {
        read_directive(reader);
        return true;
    }
    if (token.kind == SCRIPT_TOKEN_NAME && expand_name(reader, &token))
        return true;
    *is_end = is_source_end;
    return append_token(to, &token);
}

// Reads all tokens of a script file and of the files that it includes, after preprocessing. Returns
// false and sets the context's error on failure.
bool md5i_read_script_tokens(script_tokens *tokens, const char *path)
{
    script_reader reader = {.to = tokens, .max_steps = MIN_STEPS};
    bool is_end = false;
    tokens->reported_file = MD5_NONE;
    open_script_file(&reader, path, NULL);
    if (!md5_script_is_ok(tokens))
        return false;
    while (!is_end)
        TRY(read_from_source(&reader, &is_end));
    return md5_script_is_ok(tokens);
}

void md5i_free_script_files(script_tokens *tokens)
{
    for (uint32_t i = 0; i < tokens->num_files; i++)
        md5i_free_file_text(tokens->context, &tokens->files[i].text);
}
