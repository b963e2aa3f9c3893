// Compiles the states of a script object. Files become one array of tokens, with what they include
// and what their macros mean; declarations are found there, and bodies of functions are compiled
// when something calls them. Priorities are the engine's: ! covers comparisons, and && and || are
// one level. After an error every token is the end.
#include "md5/game/script.h"

#include "md5/core/file.h"
#include "md5/game/containers.h"
#include "md5/game/decl_lex.h"

#include <stdlib.h>
#include <string.h>

typedef enum script_word {
    WORD_END,
    WORD_NAME,
    WORD_NUMBER,
    WORD_STRING, // with its quotes, as the next one
    WORD_VECTOR,
    WORD_SIGN
} script_word;

typedef struct script_token {
    script_word kind;
    bool begins_line;
    uint32_t file;
    const char *at;
    size_t size;
} script_token;

typedef struct script_file {
    const char *name;
    md5_file_text text;
    md5_lex lex;
} script_file;

// A part of a file that is still to be read.
typedef struct script_text {
    uint32_t file;
    const char *at, *end;
} script_text;

enum { MOST_PARAMS = 8, MOST_SOURCES = 64 };

typedef struct script_macro {
    bool has_params;
    uint32_t num_params;
    script_token params[MOST_PARAMS];
    script_text body;
} script_macro;

// What is being read: a file, a macro, or an argument of one.
typedef struct script_source {
    script_text text;
    const script_macro *macro; // NULL: none, else with its arguments
    script_text arguments[MOST_PARAMS];
    uint32_t scope, outer; // sources of the macros whose parameters count in it, and around it
    uint32_t num_ifs;      // that are open
} script_source;

// An object, or a namespace.
typedef struct script_object {
    const char *parent;          // "": none
    struct script_object *outer; // the namespace around it; the object that inherits it
    uint32_t members,
        depth; // token, 0: only announced; 0: none of the object that is compiled and its parents
    md5_name_map functions;
} script_object;

// A function, or global variables.
typedef struct script_def {
    const char *name;
    script_object *object;  // NULL: none
    uint32_t at, body, end; // tokens: parameters or type; behind the first brace, 0: variables
    uint32_t index;         // among those that are compiled, MD5_NONE: not yet
    bool is_frame_call;     // it is listed among these
    const script_token *by; // its name
    struct script_def *next, *next_compiled;
} script_def;

typedef enum open_kind {
    OPEN_BLOCK,
    OPEN_IF,
    OPEN_ELSE,
    OPEN_WHILE, // from here on: loops
    OPEN_FOR,
    OPEN_DO
} open_kind;

// A statement whose end was not read.
typedef struct open_statement {
    open_kind kind;
    uint32_t start, exit, step; // operations; token
    uint32_t loop;              // the statement of the innermost loop
    uint32_t breaks, continues; // the last jump of each: see patch()
} open_statement;

// An operator or a bracket that waits for operands; SCRIPT_SECOND: a bracket without a call.
typedef struct open_operator {
    uint32_t priority;
    int change;
    script_op op;
} open_operator;

typedef struct script_compiler {
    script_block *to;
    md5_context *context;
    md5_arena arena, scratch; // scratch: of the function that is compiled
    void *no_entry;
    // Reading.
    script_file *files;
    uint32_t num_files, shown_file;
    script_source sources[MOST_SOURCES];
    uint32_t num_sources;
    size_t num_steps, max_steps;
    md5_name_map included, macros;
    // Declarations.
    script_token *tokens;
    uint32_t num_tokens, at, num_defs;
    md5_name_map objects, functions, methods, variables, unknown;
    script_def *first_def, **last_def, *first_compiled, **last_compiled;
    script_object *space; // where what is read or compiled stands; NULL: global
    // The function that is compiled.
    script_op *ops;
    open_statement *statements;
    open_operator *operators;
    uint32_t num_ops, num_statements, num_operators, num_locals, depth, max_depth;
    const script_token *locals[SCRIPT_STACK];
    bool is_thread; // the next name is called as one
} script_compiler;

// == Tokens =======================================================================================

static bool is_ok(const script_compiler *it)
{
    return it->context->error.status == MD5_OK;
}

static void show_file(script_compiler *it, uint32_t file)
{
    if (is_ok(it) && it->shown_file != file) // an error stays one of its own file
        md5i_context_set_file(it->context, it->files[file].name);
    it->shown_file = file;
}

static void fail_at(script_compiler *it, const script_token *token, const char *expected)
{
    show_file(it, token->file);
    (void)md5i_lex_fail(
        &it->files[token->file].lex, token->at, MD5_ERROR_SYNTAX, "expected %s, found %s", expected,
        token->kind == WORD_END ? "the end" : md5i_quote(token->at, token->size).text);
    it->at = it->num_tokens > 0 ? it->num_tokens - 1 : 0;
}

static void warn_at(script_compiler *it, const script_token *token, const char *text)
{
    show_file(it, token->file);
    md5i_lex_warn(&it->files[token->file].lex, token->at, "%s %s",
                  md5i_quote(token->at, token->size).text, text);
}

static bool is_text(const script_token *token, const char *text)
{
    return (token->kind == WORD_NAME || token->kind == WORD_SIGN) && token->size == strlen(text)
           && memcmp(token->at, text, token->size) == 0;
}

static bool are_equal(const script_token *a, const script_token *b)
{
    return a->size == b->size && memcmp(a->at, b->at, a->size) == 0;
}

// A copy of a token; "" if memory runs out.
static const char *text_of(script_compiler *it, const script_token *token)
{
    const char *const text = md5_copy_text(&it->to->arena, token->at, token->size);
    return text ? text : "";
}

static const script_value zero = {.kind = SCRIPT_NUMBER};

// Where the value of a name is, which is added: NULL at first.
static void **entry_of(script_compiler *it, md5_name_map *map, const char *name)
{
    void **const entry = md5i_name_map_add(map, &it->arena, name);
    it->no_entry = NULL;
    return entry ? entry : &it->no_entry;
}

static void lex(script_compiler *it, script_text *from, script_token *token)
{
    static const char pairs[] = "&&||==!=<=>=+=-=*=/=%=&=|=++--::";
    md5_lex *const lex = &it->files[from->file].lex;
    const char *const before = from->at;
    float number;
    show_file(it, from->file);
    lex->at = before;
    lex->end = from->end;
    while (md5i_lex_next(lex) < lex->end && *lex->at == '\\') // a line that goes on
        lex->at++;
    const char *const at = lex->at, *end = at;
    script_word kind = WORD_SIGN;
    if (at == lex->end || !is_ok(it)) {
        kind = WORD_END;
    } else if (md5_is_letter(*at)) {
        kind = WORD_NAME;
        while (end < lex->end && (md5_is_letter(*end) || md5_is_digit(*end)))
            end++;
    } else if (md5_is_digit(*at) || (*at == '.' && lex->end - at > 1 && md5_is_digit(at[1]))) {
        kind = WORD_NUMBER;
        end = md5i_scan_float(at, lex->end, &number);
        end += end < lex->end && (*end == 'f' || *end == 'F');
    } else if (*at == '"' || *at == '\'') {
        kind = *at == '"' ? WORD_STRING : WORD_VECTOR;
        end = md5i_lex_token_end(lex, at);
    } else {
        end++;
        for (const char *pair = pairs; *pair && end < lex->end; pair += 2)
            end += end == at + 1 && pair[0] == at[0] && pair[1] == at[1];
    }
    const bool begins_line = before == lex->text || memchr(before, '\n', (size_t)(at - before));
    *token = (script_token){kind, begins_line, from->file, at, (size_t)(end - at)};
    from->at = end;
    if ((kind == WORD_STRING || kind == WORD_VECTOR) && (end - at < 2 || end[-1] != *at))
        fail_at(it, token, "a quote at its end");
}

// -- Files and macros -----------------------------------------------------------------------------

static script_source *open_source(script_compiler *it, script_text text, const script_token *by)
{
    if (by && it->num_sources == MOST_SOURCES) { // the first one has no name that asks for it
        fail_at(it, by, "fewer files and macros in one another");
        return &it->sources[MOST_SOURCES - 1];
    }
    script_source *const source = &it->sources[it->num_sources++];
    source->text = text;
    source->macro = NULL;
    source->scope = source->outer = MD5_NONE;
    source->num_ifs = 0;
    return source;
}

// Each once. `by` asks for it; NULL: the caller.
static void open_file(script_compiler *it, const char *name, const script_token *by)
{
    void **const seen = entry_of(it, &it->included, name);
    script_file *const files =
        (script_file *)md5_grow(&it->arena, it->files, it->num_files, sizeof *files);
    if (*seen || !files)
        return;
    *seen = it;
    it->files = files;
    script_file *const file = &files[it->num_files];
    *file = (script_file){.name = name};
    if (!md5i_read_file_text(it->context, name, &file->text)
        || !md5_check_text_size(it->context, file->text.size)) {
        if (by && it->context->error.status == MD5_ERROR_IO) {
            it->context->error.status = MD5_OK;
            fail_at(it, by, "a file that can be read");
        }
        md5i_free_file_text(it->context, &file->text);
        return;
    }
    md5i_lex_begin(&file->lex, &it->arena, file->text.bytes, file->text.size);
    it->max_steps += 2 * file->text.size;
    const script_text text = {it->num_files++, file->lex.at, file->lex.end};
    (void)open_source(it, text, by);
}

static void define(script_compiler *it, script_text *line, const script_token *name)
{
    script_macro *const macro = MD5_NEW(&it->arena, script_macro, 1);
    script_token token;
    if (!macro)
        return;
    // Only a bracket right behind the name belongs to it.
    macro->has_params = line->at < line->end && *line->at == '(';
    if (macro->has_params)
        lex(it, line, &token);
    for (bool goes_on = macro->has_params; goes_on;) {
        lex(it, line, &token);
        if (token.kind == WORD_NAME && macro->num_params < MOST_PARAMS) {
            macro->params[macro->num_params++] = token;
            lex(it, line, &token);
        }
        goes_on = is_text(&token, ",");
        if (!goes_on && !is_text(&token, ")"))
            fail_at(it, &token, "at most 8 parameters with , between them, and a )");
    }
    macro->body = *line;
    *entry_of(it, &it->macros, text_of(it, name)) = macro;
}

// Skips what is not compiled, up to #endif or the #else of the same level.
static void skip_lines(script_compiler *it, script_source *source, bool stops_at_else)
{
    script_token token;
    for (uint32_t outer = source->num_ifs - 1; source->num_ifs > outer && is_ok(it);) {
        lex(it, &source->text, &token);
        if (token.kind == WORD_END)
            fail_at(it, &token, "#endif");
        if (!token.begins_line || !is_text(&token, "#"))
            continue;
        lex(it, &source->text, &token);
        if (is_text(&token, "else") && stops_at_else && source->num_ifs == outer + 1)
            return;
        source->num_ifs += token.size > 1 && memcmp(token.at, "if", 2) == 0;
        source->num_ifs -= is_text(&token, "endif");
    }
}

// A line that begins with #.
static void read_directive(script_compiler *it)
{
    script_source *const source = &it->sources[it->num_sources - 1];
    script_text *const from = &source->text;
    script_token word, name;
    script_text line = *from;
    while (from->at < from->end
           && (*from->at != '\n' || from->at[-1] == '\\'
               || (from->at[-1] == '\r' && from->at[-2] == '\\')))
        from->at++;
    line.end = from->at;
    lex(it, &line, &word);
    lex(it, &line, &name);
    void **const macro =
        name.kind == WORD_NAME ? entry_of(it, &it->macros, text_of(it, &name)) : NULL;
    const bool is_else = is_text(&word, "else");
    if (macro && (is_text(&word, "ifdef") || is_text(&word, "ifndef"))) {
        source->num_ifs++;
        if ((*macro != NULL) != (word.size == 5))
            skip_lines(it, source, true);
    } else if (source->num_ifs > 0 && (is_else || is_text(&word, "endif"))) {
        if (is_else)
            skip_lines(it, source, false);
        else
            source->num_ifs--;
    } else if (macro && is_text(&word, "undef")) {
        *macro = NULL;
    } else if (is_text(&word, "include") && name.kind == WORD_STRING && name.size > 1) {
        const script_token inner = {WORD_NAME, false, name.file, name.at + 1, name.size - 2};
        open_file(it, text_of(it, &inner), &name);
    } else if (macro && is_text(&word, "define")) {
        define(it, &line, &name);
    } else {
        fail_at(it, &word,
                "define, undef, ifdef or ifndef and a name, else or endif behind one of these, or "
                "include and a file in quotes");
    }
}

// Begins with a macro whose name was read from the innermost source.
static void open_macro(script_compiler *it, const script_macro *macro, script_token name)
{
    script_source *const from = &it->sources[it->num_sources - 1];
    script_source *const source = open_source(it, macro->body, &name);
    uint32_t count = 0, depth = 0;
    script_token token;
    source->macro = macro;
    source->scope = it->num_sources - 1;
    source->outer = from->scope;
    if (!macro->has_params)
        return;
    lex(it, &from->text, &token);
    if (!is_text(&token, "("))
        fail_at(it, &token, "a ( behind the name of a macro");
    script_text argument = from->text;
    for (bool ends = false; !ends && is_ok(it);) {
        lex(it, &from->text, &token);
        ends = depth == 0 && is_text(&token, ")");
        if (token.kind == WORD_END || ++it->num_steps > it->max_steps)
            fail_at(it, &token, "a ) behind the arguments of a macro");
        if (ends || (depth == 0 && is_text(&token, ","))) {
            argument.end = token.at;
            if (count < macro->num_params)
                source->arguments[count] = argument;
            count++;
            argument = from->text;
        }
        depth += is_text(&token, "(");
        depth -= !ends && is_text(&token, ")");
    }
    if (count < macro->num_params || count > macro->num_params + (macro->num_params == 0))
        fail_at(it, &token, "as many arguments as the macro has parameters");
}

// The source that a name stands for, which is opened.
static bool expand(script_compiler *it, const script_token *token)
{
    const uint32_t scope = it->sources[it->num_sources - 1].scope;
    const script_source *const call = scope != MD5_NONE ? &it->sources[scope] : NULL;
    MD5_FOR (i, call ? call->macro->num_params : 0) {
        if (are_equal(token, &call->macro->params[i])) {
            const uint32_t outer = call->outer;
            open_source(it, call->arguments[i], token)->scope = outer;
            return true;
        }
    }
    void **const macro = md5i_name_map_find(&it->macros, text_of(it, token));
    if (macro && *macro)
        open_macro(it, (const script_macro *)*macro, *token);
    return macro && *macro;
}

static bool read_tokens(script_compiler *it)
{
    script_token token = {.kind = WORD_SIGN};
    while (token.kind != WORD_END) {
        script_text *const from = &it->sources[it->num_sources - 1].text;
        lex(it, from, &token);
        const bool is_file = it->sources[it->num_sources - 1].scope == MD5_NONE;
        if (++it->num_steps > it->max_steps)
            fail_at(it, &token, "macros that mean less");
        if (token.kind == WORD_END && it->sources[it->num_sources - 1].num_ifs > 0)
            md5i_lex_warn(&it->files[token.file].lex, token.at, "expected #endif, found the end");
        if (token.kind == WORD_END && it->num_sources > 1 && is_ok(it)) {
            it->num_sources--;
            token.kind = WORD_SIGN;
        } else if (is_text(&token, "#") && token.begins_line && is_file) {
            read_directive(it);
        } else if (token.kind != WORD_NAME || !expand(it, &token)) {
            it->tokens =
                (script_token *)md5_grow(&it->arena, it->tokens, it->num_tokens, sizeof token);
            TRY(it->tokens);
            it->tokens[it->num_tokens++] = token;
        }
    }
    return is_ok(it);
}

// == Declarations =================================================================================

static const script_token *here(const script_compiler *it)
{
    return &it->tokens[it->at];
}

static bool take(script_compiler *it, const char *text)
{
    const bool is_here = is_text(here(it), text);
    it->at += is_here;
    return is_here;
}

static void expect(script_compiler *it, const char *text)
{
    if (!take(it, text))
        fail_at(it, here(it), MD5_QUOTED(text));
}

// Reads a name; returns what else is there if there is none.
static const script_token *take_name(script_compiler *it)
{
    const script_token *const token = here(it);
    if (token->kind == WORD_NAME)
        it->at++;
    else
        fail_at(it, token, "a name");
    return token;
}

// Skips what is up to the bracket that closes one that was just read.
static void skip_to(script_compiler *it, const char *open, const char *close)
{
    uint32_t depth = 1;
    for (; depth > 0 && here(it)->kind != WORD_END; it->at++) {
        depth += is_text(here(it), open);
        depth -= is_text(here(it), close);
    }
    if (depth > 0)
        fail_at(it, here(it), MD5_QUOTED(close));
}

static md5_script_type type_of(const script_token *token)
{
    static const char *const words[] = {"float", "boolean", "string", "vector"};
    int type = 0;
    while (type < (int)MD5_COUNT(words) && !is_text(token, words[type]))
        type++;
    return (md5_script_type)type;
}

// What a variable is to which nothing was assigned.
static script_value empty_of(md5_script_type type)
{
    return (script_value){.kind = type == MD5_SCRIPT_STRING   ? SCRIPT_TEXT
                                  : type == MD5_SCRIPT_VECTOR ? SCRIPT_VECTOR
                                                              : SCRIPT_NUMBER};
}

// Reads a number, a text or a vector.
static script_value read_constant(script_compiler *it)
{
    const bool is_negative = take(it, "-");
    const script_token *const token = here(it);
    const bool is_vector = token->kind == WORD_VECTOR;
    script_value value = empty_of(is_vector ? MD5_SCRIPT_VECTOR : MD5_SCRIPT_FLOAT);
    float *const numbers[] = {&value.v.x, &value.v.y, &value.v.z};
    const char *at = token->at + is_vector, *const end = token->at + token->size;
    if (token->kind == WORD_STRING) {
        const bool is_long = token->size - 2 >= sizeof value.text;
        value.kind = SCRIPT_TEXT;
        memcpy(value.text, at + 1, is_long ? sizeof value.text - 1 : token->size - 2);
        if (is_long)
            warn_at(it, token, "is cut to 63 bytes");
    } else if (take(it, "$")) { // an entity of the map
        (void)take_name(it);
        return value;
    } else if (is_vector || token->kind == WORD_NUMBER) {
        for (int i = 0; at && i < (is_vector ? 3 : 1); i++) {
            while (md5_is_blank(*at))
                at++;
            at = md5i_scan_float(at, end, numbers[i]);
            *numbers[i] *= is_negative ? -1.0f : 1.0f;
        }
        if (!at)
            fail_at(it, token, "three numbers");
    } else {
        fail_at(it, token, "a value");
    }
    it->at += is_ok(it);
    return value;
}

// Declares variables behind their type. What has the name of an earlier one stays hidden.
static bool read_variables(script_compiler *it, md5_script_type type)
{
    script_block *const to = it->to;
    do {
        const char *const name = text_of(it, take_name(it));
        void **const known = entry_of(it, &it->variables, name);
        script_value value = empty_of(type);
        if (take(it, "="))
            value = read_constant(it);
        if (*known)
            continue;
        const uint32_t count = to->script.num_variables;
        uint32_t *const index = MD5_NEW(&it->arena, uint32_t, 1);
        to->variables = (md5_script_variable *)md5_grow(&to->arena, to->variables, count,
                                                        sizeof *to->variables);
        to->initial = (script_value *)md5_grow(&to->arena, to->initial, count, sizeof value);
        TRY(index && to->variables && to->initial);
        to->variables[count] = (md5_script_variable){name, type};
        to->initial[count] = value;
        *index = to->script.num_variables++;
        *known = index;
    } while (take(it, ","));
    expect(it, ";");
    return is_ok(it);
}

// Reads the name of an object or a namespace, which is added. NULL: memory runs out.
static script_object *read_space(script_compiler *it)
{
    void **const known = entry_of(it, &it->objects, text_of(it, take_name(it)));
    *known = *known ? *known : MD5_NEW(&it->arena, script_object, 1);
    return (script_object *)*known;
}

// `object NAME : PARENT {`; its members are read once it is known who inherits them.
static bool read_object(script_compiler *it)
{
    script_object *const object = read_space(it);
    TRY(object);
    object->parent = take(it, ":") ? text_of(it, take_name(it)) : "";
    if (take(it, ";"))
        return true; // only announced
    expect(it, "{");
    object->members = it->at;
    skip_to(it, "{", "}");
    return is_ok(it);
}

static bool read_definition(script_compiler *it)
{
    script_def *const def = MD5_NEW(&it->arena, script_def, 1);
    TRY(def);
    def->index = MD5_NONE;
    def->at = it->at;
    def->object = it->space;
    (void)take_name(it);
    def->by = take_name(it);
    if (take(it, "::")) {
        void **const known = entry_of(it, &it->objects, text_of(it, def->by));
        if (!*known)
            fail_at(it, def->by, "an object that is declared before it");
        def->object = (script_object *)*known;
        def->by = take_name(it);
    }
    def->name = text_of(it, def->by);
    if (take(it, "(")) {
        def->at = it->at;
        skip_to(it, "(", ")");
        if (take(it, ";"))
            return true; // only announced
        expect(it, "{");
        def->body = it->at;
        skip_to(it, "{", "}");
    } else {
        skip_to(it, "=;", ";"); // no sign is the first
    }
    def->end = it->at;
    it->num_defs++;
    *it->last_def = def;
    it->last_def = &def->next;
    return is_ok(it);
}

// Reads variables, and functions that have their body here.
static bool read_members(script_compiler *it, script_object *object)
{
    it->at = object->members;
    it->space = object;
    while (is_ok(it) && !take(it, "}")) {
        const script_token *const token = here(it);
        if (token->kind == WORD_NAME && token[1].kind == WORD_NAME && is_text(&token[2], "("))
            TRY(read_definition(it));
        else
            TRY(read_variables(it, type_of(take_name(it))));
    }
    it->space = NULL;
    return is_ok(it);
}

static bool read_declarations(script_compiler *it)
{
    while (here(it)->kind != WORD_END) {
        if (take(it, "object")) {
            TRY(read_object(it));
        } else if (take(it, "namespace")) {
            script_object *const space = read_space(it);
            TRY(space);
            space->outer = it->space;
            it->space = space;
            expect(it, "{");
        } else if (it->space && take(it, "}")) {
            it->space = it->space->outer;
        } else if (take(it, "scriptEvent")) {
            skip_to(it, "=;", ";");
        } else if (!take(it, ";")) {
            TRY(read_definition(it));
        }
    }
    if (it->space)
        expect(it, "}");
    return is_ok(it);
}

// Finds what the object and its parents have: their variables, which hide global ones, and of
// functions of one name the last one's.
static bool resolve(script_compiler *it, const char *name)
{
    script_object *first = NULL; // of those that inherit each other: the parent of all
    for (const char *at = name; at[0] || !first; at = first->parent) {
        script_object *const object = (script_object *)*entry_of(it, &it->objects, at);
        if (!object || object->members == 0 || object->depth > 0)
            return MD5_FAIL(it->context, MD5_ERROR_MISMATCH, "the script object %s %s",
                            MD5_QUOTED(at),
                            object && object->depth > 0 ? "inherits itself" : "is not declared");
        object->outer = first;
        object->depth = first ? first->depth + 1 : 1;
        first = object;
    }
    for (; first; first = first->outer)
        TRY(read_members(it, first));
    for (script_def *def = it->first_def; def; def = def->next) {
        if (def->body == 0) {
            it->at = def->at;
            TRY(read_variables(it, type_of(take_name(it))));
            continue;
        }
        void **const function =
            entry_of(it, def->object ? &def->object->functions : &it->functions, def->name);
        if (*function)
            fail_at(it, def->by, "a function that was not defined before");
        *function = def;
        void **const method = entry_of(it, &it->methods, def->name);
        const script_def *const other = (const script_def *)*method;
        if (def->object && def->object->depth > 0
            && (!other || other->object->depth > def->object->depth))
            *method = def;
    }
    return is_ok(it);
}

// == Functions ====================================================================================

// Appends an operation that changes the number of values on the stack.
static void emit_op(script_compiler *it, script_op op, int change)
{
    it->ops[it->num_ops++] = op;
    it->depth += (uint32_t)change;
    it->max_depth = it->depth > it->max_depth ? it->depth : it->max_depth;
}

static void emit(script_compiler *it, int code, uint32_t arg, int change)
{
    emit_op(it, (script_op){(uint8_t)code, 0, arg, NULL}, change);
}

static void emit_value(script_compiler *it, const script_value *value)
{
    void *const copy = md5i_arena_copy(&it->to->arena, value, 1, sizeof *value);
    emit_op(it, (script_op){SCRIPT_CONSTANT, 0, 0, (const script_value *)copy}, 1);
}

// Lets a list of jumps, of which each has the index of the one before, lead to an operation.
static void patch(script_compiler *it, uint32_t jump, uint32_t target)
{
    while (jump != MD5_NONE) {
        const uint32_t before = it->ops[jump].arg;
        it->ops[jump].arg = target;
        jump = before;
    }
}

// -- Names ----------------------------------------------------------------------------------------

// Finds a variable, as an operation that pushes it.
static bool find_name(script_compiler *it, const script_token *name, script_op *op)
{
    for (*op = (script_op){SCRIPT_LOCAL, 0, 0, NULL}; op->arg < it->num_locals; op->arg++) {
        if (are_equal(it->locals[op->arg], name))
            return true;
    }
    const uint32_t *const known =
        (const uint32_t *)*entry_of(it, &it->variables, text_of(it, name));
    *op = (script_op){SCRIPT_VARIABLE, 0, known ? *known : 0, NULL};
    return known != NULL;
}

// The same, and vector_x, vector_y and vector_z.
static script_op find_variable(script_compiler *it, const script_token *name)
{
    script_op op;
    script_token base = *name;
    if (find_name(it, name, &op))
        return op;
    base.size -= base.size > 2 ? 2 : base.size;
    const char last = base.size > 0 ? name->at[base.size + 1] : '\0';
    if (last >= 'x' && last <= 'z' && base.at[base.size] == '_' && find_name(it, &base, &op))
        op.count = (uint8_t)(last - 'x' + 1);
    else
        fail_at(it, name, "a variable");
    return op;
}

// The index of a function, which is compiled later.
static uint32_t index_of(script_compiler *it, script_def *def)
{
    if (def->index == MD5_NONE) {
        def->index = it->to->num_functions++;
        *it->last_compiled = def;
        it->last_compiled = &def->next_compiled;
    }
    return def->index;
}

// Finds what a call calls; of another entity nothing.
static script_op find_function(script_compiler *it, md5_name_map *functions,
                               const script_token *name)
{
    static const char *const builtins[] = {SCRIPT_BUILTINS(SCRIPT_TEXT_OF)};
    const char *const text = text_of(it, name);
    const bool is_of_space = it->space && it->space->depth == 0;
    void *known = NULL;
    if (functions == &it->functions)
        known = *entry_of(it, is_of_space ? &it->space->functions : &it->methods, text);
    if (!known && functions)
        known = *entry_of(it, functions, text);
    if (known)
        return (script_op){SCRIPT_CALL, 0, index_of(it, (script_def *)known), NULL};
    script_op op = {SCRIPT_BUILTIN, 0, (uint32_t)(functions ? 0 : SCRIPT_UNKNOWN), NULL};
    while (op.arg < SCRIPT_UNKNOWN && strcmp(builtins[op.arg], text) != 0)
        op.arg++;
    void **const named = entry_of(it, &it->unknown, text);
    if (op.arg == SCRIPT_UNKNOWN && !*named) {
        *named = it;
        it->to->script.num_unknown++;
        warn_at(it, name, "is not known here: it returns 0");
    }
    return op;
}

// -- Expressions ----------------------------------------------------------------------------------

// Lower ones bind tighter.
enum {
    PRIORITY_PRODUCT,
    PRIORITY_SUM,
    PRIORITY_COMPARISON,
    PRIORITY_NOT,
    PRIORITY_ASSIGN,
    PRIORITY_LOGIC,
    PRIORITY_BRACKET
};

typedef struct script_sign {
    const char *word;
    script_code code;
    uint32_t priority;
} script_sign;

static const script_sign binaries[] = {{"*", SCRIPT_MULTIPLY, PRIORITY_PRODUCT},
                                       {"/", SCRIPT_DIVIDE, PRIORITY_PRODUCT},
                                       {"%", SCRIPT_REMAINDER, PRIORITY_PRODUCT},
                                       {"&", SCRIPT_BIT_AND, PRIORITY_PRODUCT},
                                       {"|", SCRIPT_BIT_OR, PRIORITY_PRODUCT},
                                       {"+", SCRIPT_ADD, PRIORITY_SUM},
                                       {"-", SCRIPT_SUBTRACT, PRIORITY_SUM},
                                       {"==", SCRIPT_EQUAL, PRIORITY_COMPARISON},
                                       {"!=", SCRIPT_NOT_EQUAL, PRIORITY_COMPARISON},
                                       {"<", SCRIPT_LESS, PRIORITY_COMPARISON},
                                       {"<=", SCRIPT_LESS_EQUAL, PRIORITY_COMPARISON},
                                       {">", SCRIPT_GREATER, PRIORITY_COMPARISON},
                                       {">=", SCRIPT_GREATER_EQUAL, PRIORITY_COMPARISON},
                                       {"&&", SCRIPT_AND, PRIORITY_LOGIC},
                                       {"||", SCRIPT_OR, PRIORITY_LOGIC},
                                       {"=", SCRIPT_SECOND, PRIORITY_ASSIGN}};

static const script_sign *sign_of(const script_token *token)
{
    MD5_FOR (i, MD5_COUNT(binaries)) {
        if (is_text(token, binaries[i].word))
            return &binaries[i];
    }
    return NULL;
}

static void push(script_compiler *it, uint32_t priority, script_op op, int change)
{
    it->operators[it->num_operators++] = (open_operator){priority, change, op};
}

// Ends the operators above the innermost bracket that bind at least as tight.
static void reduce(script_compiler *it, uint32_t priority)
{
    while (it->num_operators > 0 && it->operators[it->num_operators - 1].priority <= priority) {
        const open_operator *const node = &it->operators[--it->num_operators];
        emit_op(it, node->op, node->change);
    }
}

// Ends the innermost bracket.
static void end_bracket(script_compiler *it)
{
    const script_op op = it->operators[--it->num_operators].op;
    if (op.code != SCRIPT_SECOND)
        emit_op(it, op, 1 - op.count);
}

// Begins a call whose name was read, with so many values on the stack. Returns whether an operand
// is next.
static bool begin_call(script_compiler *it, script_op op, uint8_t count)
{
    const bool is_call = take(it, "("), has_operands = is_call && !take(it, ")");
    op.count = (uint8_t)(count + has_operands);
    push(it, PRIORITY_BRACKET, op, 0);
    if (!has_operands)
        end_bracket(it);
    return has_operands;
}

// Reads a name, and what makes it a call or an assignment.
static bool read_name(script_compiler *it)
{
    const script_token *name = take_name(it);
    md5_name_map *functions = it->is_thread ? NULL : &it->functions;
    it->is_thread = false;
    if (is_text(name, "self") || is_text(name, "sys")) {
        if (!take(it, ".")) {
            emit_value(it, &zero);
            return false;
        }
        name = take_name(it);
    }
    if (take(it, "::")) {
        script_object *const object =
            (script_object *)*entry_of(it, &it->objects, text_of(it, name));
        functions = object ? &object->functions : NULL;
        name = take_name(it);
    }
    if (is_text(here(it), "("))
        return begin_call(it, find_function(it, functions, name), 0);
    script_op op = find_variable(it, name), setter = op;
    const script_token *const sign = here(it);
    const bool is_step = take(it, "++") || take(it, "--");
    const bool is_compound = !is_step && sign->kind == WORD_SIGN && sign->size == 2
                             && sign->at[1] == '=' && strchr("+-*/%&|", sign->at[0]);
    const bool is_set = is_compound || is_text(sign, "=");
    setter.code = op.code == SCRIPT_LOCAL ? SCRIPT_SET_LOCAL : SCRIPT_SET_VARIABLE;
    if (is_set)
        push(it, PRIORITY_ASSIGN, setter, 0);
    if (is_step || is_compound || !is_set)
        emit_op(it, op, 1);
    if (is_step || is_compound) {
        const script_token word = {WORD_SIGN, false, sign->file, sign->at, 1};
        op = (script_op){(uint8_t)sign_of(&word)->code, 0, 0, NULL};
    }
    if (is_compound)
        push(it, PRIORITY_ASSIGN, op, -1);
    if (is_step) {
        const script_value one = {.kind = SCRIPT_NUMBER, .v = {1.0f, 0.0f, 0.0f}};
        emit_value(it, &one);
        emit_op(it, op, -1);
        emit_op(it, setter, 0);
    }
    it->at += is_set;
    return is_set;
}

static bool read_operand(script_compiler *it)
{
    static const char prefixes[] = "!-~"; // in the order of their codes
    const script_token *const token = here(it);
    const char *const prefix = (const char *)(token->kind == WORD_SIGN && token->size == 1
                                                  ? memchr(prefixes, *token->at, 3)
                                                  : NULL);
    if (take(it, "(")) {
        push(it, PRIORITY_BRACKET, (script_op){SCRIPT_SECOND, 0, 0, NULL}, 0);
        return true;
    }
    // A minus before a constant is a part of that; else it covers sums.
    if (prefix
        && (*prefix != '-' || (token[1].kind != WORD_NUMBER && token[1].kind != WORD_VECTOR))) {
        const int code = SCRIPT_NOT + (int)(prefix - prefixes);
        push(it, PRIORITY_NOT, (script_op){(uint8_t)code, 0, 0, NULL}, 0);
        it->at++;
        return true;
    }
    if (take(it, "thread")) // what is behind it is called by another thread
        return it->is_thread = true;
    if (here(it)->kind == WORD_NAME)
        return read_name(it);
    const script_value value = read_constant(it);
    emit_value(it, &value);
    return false;
}

// Reads an expression up to what does not belong to it.
static void read_expression(script_compiler *it)
{
    bool wants_operand = true;
    it->num_operators = 0;
    while (is_ok(it)) {
        const script_sign *const sign = sign_of(here(it));
        if (wants_operand) {
            wants_operand = read_operand(it);
        } else if (sign) {
            reduce(it, sign->code == SCRIPT_SECOND ? PRIORITY_NOT : sign->priority);
            // ! covers what is compared
            push(it, sign->priority, (script_op){(uint8_t)sign->code, 0, 0, NULL}, -1);
            wants_operand = true;
            it->at++;
        } else if (take(it, ".")) { // of another entity
            wants_operand = begin_call(it, find_function(it, NULL, take_name(it)), 1);
        } else {
            reduce(it, PRIORITY_LOGIC);
            if (it->num_operators == 0)
                return;
            script_op *const op = &it->operators[it->num_operators - 1].op;
            wants_operand = op->code != SCRIPT_SECOND && op->count < 255 && take(it, ",");
            op->count += wants_operand;
            if (!wants_operand) {
                expect(it, ")");
                end_bracket(it);
            }
        }
    }
}

// -- Statements -----------------------------------------------------------------------------------

// Expressions with commas between them.
static void read_and_drop(script_compiler *it)
{
    do {
        read_expression(it);
        emit(it, SCRIPT_POP, 0, -1);
    } while (is_ok(it) && take(it, ","));
}

static void read_condition(script_compiler *it, open_statement *of)
{
    expect(it, "(");
    read_expression(it);
    expect(it, ")");
    of->exit = it->num_ops;
    emit(it, SCRIPT_JUMP_UNLESS, MD5_NONE, -1);
}

static void add_local(script_compiler *it, const script_token *name)
{
    if (it->num_locals < SCRIPT_STACK)
        it->locals[it->num_locals++] = name;
    else
        fail_at(it, name, "fewer variables");
}

static void read_locals(script_compiler *it)
{
    const script_value empty = empty_of(type_of(take_name(it)));
    do {
        const script_token *const name = take_name(it);
        script_op op;
        if (!find_name(it, name, &op) || op.code != SCRIPT_LOCAL) {
            op.arg = it->num_locals;
            add_local(it, name);
        }
        if (take(it, "="))
            read_expression(it);
        else
            emit_value(it, &empty);
        emit(it, SCRIPT_SET_LOCAL, op.arg, 0);
        emit(it, SCRIPT_POP, 0, -1);
    } while (take(it, ","));
    expect(it, ";");
}

static open_statement *open_block(script_compiler *it, open_kind kind)
{
    open_statement *const node = &it->statements[it->num_statements];
    const uint32_t outer = it->num_statements > 0 ? node[-1].loop : MD5_NONE;
    *node = (open_statement){
        kind,     it->num_ops, MD5_NONE, 0, kind >= OPEN_WHILE ? it->num_statements : outer,
        MD5_NONE, MD5_NONE};
    it->num_statements++;
    return node;
}

// A statement has ended: so do those that it is the last part of.
static void end_statement(script_compiler *it)
{
    open_statement *node;
    while (it->num_statements > 0
           && (node = &it->statements[it->num_statements - 1])->kind != OPEN_BLOCK && is_ok(it)) {
        const uint32_t at = it->at, exit = it->num_ops;
        if (node->kind == OPEN_IF && take(it, "else")) {
            emit(it, SCRIPT_JUMP, MD5_NONE, 0);
            patch(it, node->exit, it->num_ops);
            node->exit = exit;
            node->kind = OPEN_ELSE;
            return;
        }
        patch(it, node->continues, node->kind == OPEN_FOR ? it->num_ops : node->start);
        if (node->kind == OPEN_FOR) {
            it->at = node->step;
            if (!is_text(here(it), ")"))
                read_and_drop(it);
            expect(it, ")");
            it->at = is_ok(it) ? at : it->at;
        } else if (node->kind == OPEN_DO) {
            expect(it, "while");
            read_condition(it, node);
            expect(it, ";");
        }
        if (node->kind >= OPEN_WHILE)
            emit(it, SCRIPT_JUMP, node->start, 0);
        patch(it, node->breaks, it->num_ops);
        patch(it, node->exit, it->num_ops);
        it->num_statements--;
    }
}

static void read_for(script_compiler *it)
{
    expect(it, "(");
    if (!is_text(here(it), ";"))
        read_and_drop(it);
    expect(it, ";");
    open_statement *const node = open_block(it, OPEN_FOR);
    if (!is_text(here(it), ";")) {
        read_expression(it);
        node->exit = it->num_ops;
        emit(it, SCRIPT_JUMP_UNLESS, MD5_NONE, -1);
    }
    expect(it, ";");
    node->step = it->at;
    skip_to(it, "(", ")");
}

static void read_statement(script_compiler *it)
{
    const script_token *const token = here(it);
    const open_statement *const node = &it->statements[it->num_statements - 1];
    const bool breaks = is_text(token, "break");
    if (take(it, "{")) {
        (void)open_block(it, OPEN_BLOCK);
        return;
    }
    if (take(it, "if") || take(it, "while")) {
        read_condition(it, open_block(it, token->size == 2 ? OPEN_IF : OPEN_WHILE));
        return;
    }
    if (take(it, "for")) {
        read_for(it);
        return;
    }
    if (take(it, "do")) {
        (void)open_block(it, OPEN_DO);
        return;
    }
    if (node->kind == OPEN_BLOCK && take(it, "}")) {
        it->num_statements--;
    } else if ((breaks || is_text(token, "continue")) && node->loop != MD5_NONE) {
        open_statement *const loop = &it->statements[node->loop];
        uint32_t *const last = breaks ? &loop->breaks : &loop->continues;
        emit(it, SCRIPT_JUMP, *last, 0);
        *last = it->num_ops - 1;
        it->at++;
        expect(it, ";");
    } else if (take(it, "return")) {
        if (is_text(here(it), ";"))
            emit_value(it, &zero);
        else
            read_expression(it);
        emit(it, SCRIPT_RETURN, 0, -1);
        expect(it, ";");
    } else if (token->kind == WORD_NAME && token[1].kind == WORD_NAME
               && !is_text(token, "thread")) {
        read_locals(it);
    } else if (!take(it, ";")) {
        read_and_drop(it);
        expect(it, ";");
    }
    end_statement(it);
}

static bool read_function(script_compiler *it, const script_def *def)
{
    const size_t most = def->end - def->at + 8; // things that its tokens can open
    const md5_arena_mark mark = md5i_arena_here(&it->scratch);
    script_function *const function = &it->to->functions[def->index];
    it->ops = MD5_ROOM(&it->scratch, script_op, 4 * most);
    it->statements = MD5_ROOM(&it->scratch, open_statement, most);
    it->operators = MD5_ROOM(&it->scratch, open_operator, 2 * most);
    TRY(it->ops && it->statements && it->operators);
    it->num_ops = it->num_locals = it->depth = it->max_depth = it->num_statements = 0;
    for (it->at = def->at; is_ok(it) && !take(it, ")"); (void)take(it, ",")) {
        (void)take_name(it);
        add_local(it, take_name(it));
    }
    it->at = def->body;
    it->space = def->object;
    (void)open_block(it, OPEN_BLOCK);
    while (it->num_statements > 0 && is_ok(it))
        read_statement(it);
    emit_value(it, &zero);
    emit(it, SCRIPT_RETURN, 0, -1);
    function->num_locals = it->num_locals;
    function->need = it->num_locals + it->max_depth;
    if (function->need > SCRIPT_STACK)
        fail_at(it, def->by, "a function that needs fewer values at a time");
    function->ops =
        (const script_op *)md5i_arena_copy(&it->to->arena, it->ops, it->num_ops, sizeof *it->ops);
    md5i_arena_rewind(&it->scratch, mark);
    return is_ok(it);
}

// Finds what a frame command calls: a method, or a function, of a namespace too. NULL: there is
// none.
static script_def *find_frame_call(script_compiler *it, const md5_frame_command *command)
{
    if (command->code == MD5_FRAME_OBJECT_CALL)
        return (script_def *)*entry_of(it, &it->methods, command->text);
    if (command->code != MD5_FRAME_CALL)
        return NULL;
    md5_name_map *functions = &it->functions;
    const char *name = command->text;
    for (const char *end; functions && (end = strstr(name, "::")); name = end + 2) {
        const char *const space = md5_copy_text(&it->arena, name, (size_t)(end - name));
        script_object *const object =
            space ? (script_object *)*entry_of(it, &it->objects, space) : NULL;
        functions = object ? &object->functions : NULL;
    }
    return functions ? (script_def *)*entry_of(it, functions, name) : NULL;
}

static void list_frame_calls(script_compiler *it, const md5_entity_clip *clip)
{
    script_block *const to = it->to;
    MD5_FOR (i, clip->anim->num_commands) {
        const md5_frame_command *const command = &clip->anim->commands[i];
        script_def *const def = find_frame_call(it, command);
        if (!def || def->is_frame_call)
            continue;
        def->is_frame_call = true;
        to->frame_calls[to->num_frame_calls++] =
            (script_frame_call){command->code, command->text, index_of(it, def)};
    }
}

int md5i_compare_frame_calls(const void *a, const void *b)
{
    const script_frame_call *const x = (const script_frame_call *)a;
    const script_frame_call *const y = (const script_frame_call *)b;
    return x->code != y->code ? (x->code > y->code) - (x->code < y->code)
                              : strcmp(x->name, y->name);
}

// Compiles the states, what frame commands call, and what these call.
static bool compile(script_compiler *it, const md5_entity *entity)
{
    static const char *const begins[] = {"state_", "Torso_", "Legs_", "Head_"};
    script_block *const to = it->to;
    to->states = MD5_ROOM(&to->arena, md5_script_state, it->num_defs);
    to->state_functions = MD5_ROOM(&to->arena, uint32_t, it->num_defs);
    to->functions = MD5_NEW(&to->arena, script_function, it->num_defs);
    to->frame_calls = MD5_ROOM(&to->arena, script_frame_call, it->num_defs);
    TRY(to->states && to->state_functions && to->functions && to->frame_calls);
    for (script_def *def = it->first_def; def; def = def->next) {
        MD5_FOR (i, (int)MD5_COUNT(begins)) {
            if (strncmp(def->name, begins[i], strlen(begins[i])) != 0
                || *entry_of(it, &it->methods, def->name) != def)
                continue;
            const uint32_t count = to->script.num_states++;
            to->states[count] = (md5_script_state){def->name, (md5_channel)i};
            to->state_functions[count] = index_of(it, def);
        }
    }
    for (uint32_t i = 0; entity && i < entity->num_clips; i++)
        list_frame_calls(it, &entity->clips[i]);
    qsort(to->frame_calls, to->num_frame_calls, sizeof *to->frame_calls, md5i_compare_frame_calls);
    for (const script_def *def = it->first_compiled; def; def = def->next_compiled)
        TRY(read_function(it, def));
    to->script.states = to->states;
    to->script.variables = to->variables;
    return true;
}

// == Loading ======================================================================================

md5_script *md5_load_script(const char *path, const char *object, const md5_entity *entity,
                            const md5_load_opts *opts, md5_error *error)
{
    MD5_ASSERT_PATH(path);
    MD5_ASSERT_OPTS(opts);
    md5_context context;
    md5i_context_begin(&context, opts, path, error);
    script_block *const block = (script_block *)md5i_alloc(&context, sizeof *block);
    if (!block)
        return NULL;
    memset(block, 0, sizeof *block);
    block->context = context;
    block->context.caller = NULL; // a file that is missing is another error
    block->arena.context = &block->context;
    script_compiler it = {.to = block,
                          .context = &block->context,
                          .arena = {.context = &block->context},
                          .scratch = {.context = &block->context},
                          .shown_file = MD5_NONE,
                          .max_steps = 1 << 16};
    it.last_def = &it.first_def;
    it.last_compiled = &it.first_compiled;
    open_file(&it, path ? path : "", NULL);
    const bool is_made = is_ok(&it) && read_tokens(&it) && read_declarations(&it)
                         && resolve(&it, object ? object : "") && compile(&it, entity);
    MD5_FOR (i, it.num_files)
        md5i_free_file_text(it.context, &it.files[i].text);
    md5i_arena_free(&it.scratch);
    md5i_arena_free(&it.arena);
    if (is_made)
        return &block->script;
    if (error)
        *error = block->context.error;
    md5_free_script(&block->script);
    return NULL;
}

void md5_free_script(md5_script *script)
{
    if (!script)
        return;
    script_block *const block = (script_block *)(void *)script; // its first member
    const md5_allocator allocator = block->context.allocator;
    md5i_arena_free(&block->arena);
    allocator.free(allocator.user, block, sizeof *block);
}
