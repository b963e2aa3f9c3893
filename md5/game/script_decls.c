// Finds the declarations in the tokens of a script: objects, namespaces, functions and variables.
//
// The compiled object is the object whose states are compiled, for example a monster.
// read_declarations() lists all definitions of the script. resolve_script_names() then reads the
// variables and methods of the compiled object and of the objects that it inherits, and the global
// variables.
#include "md5/game/script_decls.h"

#include <string.h>

// == Values =======================================================================================

// Returns the type of variables with the name in a token, for example "float". Returns
// MD5_SCRIPT_OTHER for any other name.
md5_script_type md5i_script_type(const script_token *token)
{
    static const char *const names[MD5_SCRIPT_OTHER] = {
        [MD5_SCRIPT_FLOAT] = "float",
        [MD5_SCRIPT_BOOLEAN] = "boolean",
        [MD5_SCRIPT_STRING] = "string",
        [MD5_SCRIPT_VECTOR] = "vector",
    };
    for (int type = 0; type < MD5_SCRIPT_OTHER; type++) {
        if (md5i_script_token_is(token, names[type]))
            return (md5_script_type)type;
    }
    return MD5_SCRIPT_OTHER;
}

// Returns the initial value of variables of a type.
script_value md5i_script_default(md5_script_type type)
{
    script_value value = {.kind = SCRIPT_NUMBER};
    if (type == MD5_SCRIPT_STRING)
        value.kind = SCRIPT_TEXT;
    else if (type == MD5_SCRIPT_VECTOR)
        value.kind = SCRIPT_VECTOR;
    return value;
}

// Returns the value of a string token. If its text is too long for a value, truncates it with a
// warning.
static script_value text_value(script_tokens *tokens, const script_token *token)
{
    script_value value = {.kind = SCRIPT_TEXT};
    const size_t size = token->size - 2; // without the quotes
    const size_t max_size = sizeof value.text - 1;
    memcpy(value.text, token->at + 1, size < max_size ? size : max_size);
    if (size > max_size)
        md5i_script_warn(tokens, token,
                         "is too long: expected at most 63 bytes; the rest is ignored");
    return value;
}

// Returns a vector of the `count` numbers from `at` to the end of a token, multiplied by `sign`.
// Missing numbers are 0 and an error.
static md5_vec3 read_vector_numbers(script_tokens *tokens, const script_token *token,
                                    const char *at, uint32_t count, float sign)
{
    float numbers[3] = {0.0f, 0.0f, 0.0f};
    const char *const end = token->at + token->size;
    for (uint32_t i = 0; i < count && at; i++) {
        while (md5_is_blank(*at))
            at++;
        at = md5i_scan_float(at, end, &numbers[i]);
        numbers[i] *= sign;
    }
    if (!at)
        md5i_script_fail(tokens, token, "three numbers");
    return (md5_vec3){numbers[0], numbers[1], numbers[2]};
}

// Reads a constant, which is a number, a string or a vector. The name of an entity of the map,
// $NAME, is also a constant. Its value is 0.
script_value md5i_read_script_constant(script_tokens *tokens)
{
    const float sign = md5i_script_accept(tokens, "-") ? -1.0f : 1.0f;
    const script_token *const token = md5_script_here(tokens);
    script_value value = {.kind = SCRIPT_NUMBER};
    if (token->kind == SCRIPT_TOKEN_STRING) {
        value = text_value(tokens, token);
    } else if (md5i_script_accept(tokens, "$")) { // an entity of the map
        (void)md5i_script_read_name(tokens);
        return value;
    } else if (token->kind == SCRIPT_TOKEN_VECTOR) {
        value.kind = SCRIPT_VECTOR;
        value.v = read_vector_numbers(tokens, token, token->at + 1, 3, sign);
    } else if (token->kind == SCRIPT_TOKEN_NUMBER) {
        value.v = read_vector_numbers(tokens, token, token->at, 1, sign);
    } else {
        md5i_script_fail(tokens, token, "a value");
    }
    if (md5_script_is_ok(tokens))
        tokens->at++;
    return value;
}

// == Variables ====================================================================================

// Appends a variable and its initial value to the arrays of the script. `map_entry` is the entry of
// its name in program->variables, and gets a pointer to the index of the variable. Returns false if
// memory runs out.
static bool add_variable(script_program *program, void **map_entry, const script_token *name,
                         md5_script_type type, const script_value *initial)
{
    script_block *const block = program->block;
    const uint32_t index = block->script.num_variables;
    uint32_t *const stored_index = MD5_ALLOC_ZEROED(&program->arena, uint32_t, 1);
    const char *const text = md5_copy_text(&block->arena, name->at, name->size);
    TRY(stored_index && text);

    // Make space for one more element in both arrays.
    block->variables = (md5_script_variable *)md5_grow(&block->arena, block->variables, index,
                                                       sizeof *block->variables);
    block->initial =
        (script_value *)md5_grow(&block->arena, block->initial, index, sizeof *block->initial);
    TRY(block->variables && block->initial);

    block->variables[index] = (md5_script_variable){.name = text, .type = type};
    block->initial[index] = *initial;
    block->script.num_variables++;
    *stored_index = index;
    *map_entry = stored_index;
    return true;
}

// Reads the variables that follow a type, "NAME = VALUE, ...;". A variable with the name of an
// earlier variable is ignored. Returns false after an error.
static bool read_variables(script_program *program, md5_script_type type)
{
    script_tokens *const tokens = &program->tokens;
    do {
        const script_token *const name = md5i_script_read_name(tokens);
        const char *const text = md5i_script_token_text(tokens, name);
        void **const entry = md5i_script_entry(tokens, &program->variables, text);
        script_value value = md5i_script_default(type);
        if (md5i_script_accept(tokens, "="))
            value = md5i_read_script_constant(tokens);
        if (!*entry)
            TRY(add_variable(program, entry, name, type, &value));
    } while (md5i_script_accept(tokens, ","));
    md5i_script_expect(tokens, ";");
    return md5_script_is_ok(tokens);
}

// == Objects and functions ========================================================================

// Reads the name of an object or a namespace, and adds it if it is new. Returns NULL if memory runs
// out.
static script_object *read_space(script_program *program)
{
    script_tokens *const tokens = &program->tokens;
    const script_token *const name = md5i_script_read_name(tokens);
    const char *const text = md5i_script_token_text(tokens, name);
    void **const entry = md5i_script_entry(tokens, &program->objects, text);
    if (!*entry)
        *entry = MD5_ALLOC_ZEROED(&program->arena, script_object, 1);
    return (script_object *)*entry;
}

// Reads an object, "NAME : PARENT { ... }", whose keyword was read before. Skips its members. They
// are read later if the object is the compiled object or one of its ancestors. Returns false after
// an error.
static bool read_object(script_program *program)
{
    script_tokens *const tokens = &program->tokens;
    script_object *const object = read_space(program);
    TRY(object);
    object->parent = "";
    if (md5i_script_accept(tokens, ":"))
        object->parent = md5i_script_token_text(tokens, md5i_script_read_name(tokens));
    if (md5i_script_accept(tokens, ";")) // only a declaration
        return true;
    md5i_script_expect(tokens, "{");
    object->members = tokens->at;
    md5i_script_skip_to(tokens, "{", "}");
    return md5_script_is_ok(tokens);
}

// Returns the object with the name `name`, which contains a function: "TYPE NAME::FUNCTION". An
// unknown name is an error.
static script_object *find_defined_object(script_program *program, const script_token *name)
{
    script_tokens *const tokens = &program->tokens;
    const char *const text = md5i_script_token_text(tokens, name);
    void **const entry = md5i_script_entry(tokens, &program->objects, text);
    if (!*entry)
        md5i_script_fail(tokens, name, "a script object that is declared before this one");
    return (script_object *)*entry;
}

// Reads the type and the name of a definition. The name may begin with the name of an object:
// OBJECT::NAME. Returns false if memory runs out.
static bool read_definition_name(script_program *program, script_definition *definition)
{
    script_tokens *const tokens = &program->tokens;
    (void)md5i_script_read_name(tokens); // the type
    definition->name_token = md5i_script_read_name(tokens);
    if (md5i_script_accept(tokens, "::")) {
        definition->object = find_defined_object(program, definition->name_token);
        definition->name_token = md5i_script_read_name(tokens);
    }
    // The names of states are used after compiling, so they are copied from the tokens to the
    // script's memory.
    definition->name = md5_copy_text(&program->block->arena, definition->name_token->at,
                                     definition->name_token->size);
    return definition->name != NULL;
}

// Reads a definition that begins with a type: a function, or global variables. Appends it to the
// list of definitions. Its content is skipped and read later. Returns false after an error.
static bool read_definition(script_program *program)
{
    script_tokens *const tokens = &program->tokens;
    script_definition *const definition = MD5_ALLOC_ZEROED(&program->arena, script_definition, 1);
    TRY(definition);
    definition->index = MD5_NONE;
    definition->first_token = tokens->at;
    definition->object = program->space;
    TRY(read_definition_name(program, definition));

    // A function continues with a bracket, variables do not.
    const bool is_function = md5i_script_accept(tokens, "(");
    if (is_function) {
        definition->first_token = tokens->at;
        md5i_script_skip_to(tokens, "(", ")");
        if (md5i_script_accept(tokens, ";")) // only a declaration
            return true;
        md5i_script_expect(tokens, "{");
        definition->body_token = tokens->at;
        md5i_script_skip_to(tokens, "{", "}");
    } else {
        md5i_script_skip_to(tokens, "", ";"); // no token is ""
    }
    definition->end_token = tokens->at;

    // Append the definition to the list.
    program->num_definitions++;
    *program->last = definition;
    program->last = &definition->next;
    return md5_script_is_ok(tokens);
}

// Returns true if three tokens are the beginning of a function: TYPE NAME ( . Reads a token only if
// the tokens before it are names. The last token of a script is not a name, so no token after it is
// read.
static bool begins_function(const script_token *token)
{
    return token[0].kind == SCRIPT_TOKEN_NAME && token[1].kind == SCRIPT_TOKEN_NAME
           && md5i_script_token_is(&token[2], "(");
}

// Reads the members of an object: its variables, and the functions that are defined inside the
// object.
static bool read_members(script_program *program, script_object *object)
{
    script_tokens *const tokens = &program->tokens;
    tokens->at = object->members;
    program->space = object;
    while (md5_script_is_ok(tokens) && !md5i_script_accept(tokens, "}")) {
        if (begins_function(md5_script_here(tokens)))
            TRY(read_definition(program));
        else
            TRY(read_variables(program, md5i_script_type(md5i_script_read_name(tokens))));
    }
    program->space = NULL;
    return md5_script_is_ok(tokens);
}

// Reads the name and the opening brace of a namespace. Returns false if memory runs out.
static bool open_namespace(script_program *program)
{
    script_object *const space = read_space(program);
    TRY(space);
    space->outer = program->space;
    program->space = space;
    md5i_script_expect(&program->tokens, "{");
    return true;
}

// Reads an object, the beginning or the end of a namespace, a function or global variables. Returns
// false after an error.
static bool read_declaration(script_program *program)
{
    script_tokens *const tokens = &program->tokens;
    if (md5i_script_accept(tokens, "object"))
        return read_object(program);
    if (md5i_script_accept(tokens, "namespace"))
        return open_namespace(program);
    if (program->space && md5i_script_accept(tokens, "}")) {
        program->space = program->space->outer;
        return true;
    }
    if (md5i_script_accept(tokens, "scriptEvent")) {
        md5i_script_skip_to(tokens, "", ";");
        return true;
    }
    return md5i_script_accept(tokens, ";") || read_definition(program);
}

// Reads all declarations of a script. Returns false after an error.
static bool read_declarations(script_program *program)
{
    script_tokens *const tokens = &program->tokens;
    while (md5_script_here(tokens)->kind != SCRIPT_TOKEN_END)
        TRY(read_declaration(program));
    if (program->space)
        md5i_script_expect(tokens, "}");
    return md5_script_is_ok(tokens);
}

// == The compiled object ==========================================================================

// Finds the compiled object and its ancestors: its parent, the parent of the parent, and so on.
// Sets `outer` and `depth` of these objects. Returns the topmost ancestor, which inherits no
// object. Its member `outer` leads back to the compiled object. Returns NULL after an error.
static script_object *find_parents(script_program *program, const char *name)
{
    script_tokens *const tokens = &program->tokens;
    script_object *root = NULL; // the topmost ancestor that was found so far
    do {
        script_object *const object =
            (script_object *)*md5i_script_entry(tokens, &program->objects, name);
        if (!object || object->members == 0) {
            (void)MD5_FAIL(tokens->context, MD5_ERROR_MISMATCH, "unknown script object %s",
                           MD5_QUOTED(name));
            return NULL;
        }
        const bool was_found_before = object->depth > 0;
        if (was_found_before) {
            (void)MD5_FAIL(tokens->context, MD5_ERROR_MISMATCH,
                           "script object %s inherits from itself: expected another object",
                           MD5_QUOTED(name));
            return NULL;
        }

        object->outer = root;
        object->depth = root ? root->depth + 1 : 1;
        root = object;
        name = object->parent;
    } while (name[0] != '\0');
    return root;
}

// Adds a function to the functions of its object. If the compiled object is this object or inherits
// it, also adds the function to the methods of the compiled object. A method overrides inherited
// methods with the same name.
static void add_function(script_program *program, script_definition *definition)
{
    script_tokens *const tokens = &program->tokens;
    script_object *const object = definition->object;
    md5_name_map *const functions = object ? &object->functions : &program->functions;
    void **const function = md5i_script_entry(tokens, functions, definition->name);
    if (*function)
        md5i_script_fail(tokens, definition->name_token, "a function name that is not defined yet");
    *function = definition;
    if (!object || object->depth == 0)
        return;
    void **const method = md5i_script_entry(tokens, &program->methods, definition->name);
    const script_definition *const inherited = (const script_definition *)*method;
    if (!inherited || inherited->object->depth > object->depth)
        *method = definition;
}

// Reads the members of the compiled object and its ancestors, and adds all functions to the maps of
// their names. Reads the global variables after the members, so that members of the object hide
// global variables with the same name. Returns false after an error.
static bool resolve_script_names(script_program *program, const char *object)
{
    script_tokens *const tokens = &program->tokens;
    script_object *member = find_parents(program, object);
    TRY(member);
    for (; member; member = member->outer)
        TRY(read_members(program, member));
    for (script_definition *def = program->first; def; def = def->next) {
        if (def->body_token == 0) { // variables
            tokens->at = def->first_token;
            TRY(read_variables(program, md5i_script_type(md5i_script_read_name(tokens))));
        } else {
            add_function(program, def);
        }
    }
    return md5_script_is_ok(tokens);
}

// Finds the declarations in the tokens of a script, and the variables and methods of an object and
// its ancestors. Returns false and sets the context's error on failure.
bool md5i_read_script_declarations(script_program *program, const char *object)
{
    program->last = &program->first;
    TRY(read_declarations(program));
    return resolve_script_names(program, object);
}
