// The compiler of scripts: converts the tokens of functions to the operations of a stack machine,
// which script.h lists. It compiles the functions of states and all functions that they call.
// read_function() compiles one function.
//
// No function recurses, so that a hostile script cannot overflow the C stack. Two stacks replace
// the recursion: statements whose end was not read yet, and operators whose operands are not
// complete. The priorities of operators are the same as in the engine: `!` binds weaker than
// comparisons, and `&&` and `||` have the same priority.
#include "md5/core/freed.h"
#include "md5/game/script_decls.h"

#include <assert.h>

#include <stdlib.h>
#include <string.h>

typedef enum open_kind {
    OPEN_BLOCK,
    OPEN_IF,
    OPEN_ELSE,
    // The kinds below are loops.
    OPEN_WHILE,
    OPEN_FOR,
    OPEN_DO
} open_kind;

// A statement whose end was not read yet. Jumps to the same operation are emitted before its index
// is known, so they are kept in a list: see emit_jump(). A list is the index of its last jump, or
// MD5_NONE if it is empty.
typedef struct open_statement {
    open_kind kind;
    uint32_t start;     // index of its first operation
    uint32_t exits;     // list of jumps to the end of the statement, or from an if to its else
    uint32_t step;      // if a for: index of the first token of its third part, such as i++
    uint32_t loop;      // index of the innermost loop in `statements`; MD5_NONE: not in a loop
    uint32_t breaks;    // list of the jumps of `break`
    uint32_t continues; // list of the jumps of `continue`
} open_statement;

// An operator or an opening bracket whose operands are not complete. Its operation is emitted after
// the operations of the operands. The operation of a bracket is the call to which it belongs, or
// SCRIPT_KEEP_SECOND if it only groups an expression.
typedef struct pending_operator {
    uint32_t priority;
    int change; // effect of the operation on the number of values on the stack
    script_op op;
} pending_operator;

typedef struct script_compiler {
    script_program *program;
    script_tokens *tokens;    // tokens of the program
    script_block *block;      // block of the program
    md5_arena scratch;        // memory for one function
    script_definition *first; // linked list of the functions to compile
    script_definition **last; // end of the linked list
    md5_name_map unknown;     // names of unknown functions that were reported
    // The members below describe the function that is compiled.
    script_op *ops;
    open_statement *statements;
    pending_operator *operators;
    uint32_t num_ops;
    uint32_t num_statements;
    uint32_t num_operators;
    uint32_t depth;     // number of values on the stack
    uint32_t max_depth; // maximum of `depth`
    const script_token *locals[SCRIPT_STACK];
    uint32_t num_locals;
    bool is_thread; // `thread` was read: the next name is the function of a new thread
} script_compiler;

static const script_value script_zero = {.kind = SCRIPT_NUMBER};
static const script_value script_one = {.kind = SCRIPT_NUMBER, .v = {1.0f, 0.0f, 0.0f}};

// Returns true if the next token is a name or a sign with this text.
static bool is_here(const script_compiler *compiler, const char *text)
{
    return md5i_script_token_is(md5_script_here(compiler->tokens), text);
}

// == Operations ===================================================================================

// Appends an operation. `change` is the number of values that it pushes on the stack of the stack
// machine, minus the number of values that it pops.
static void emit_script_op(script_compiler *compiler, script_op op, int change)
{
    compiler->ops[compiler->num_ops++] = op;
    compiler->depth += (uint32_t)change;
    if (compiler->depth > compiler->max_depth)
        compiler->max_depth = compiler->depth;
}

// Appends an operation with a code and an argument. `change` is as in emit_script_op().
static void emit(script_compiler *compiler, script_code code, uint32_t arg, int change)
{
    emit_script_op(compiler, (script_op){.code = (uint8_t)code, .arg = arg}, change);
}

// Appends an operation that pushes a constant.
static void emit_value(script_compiler *compiler, const script_value *value)
{
    void *const copy = md5i_arena_copy(&compiler->block->arena, value, 1, sizeof *value);
    const script_op op = {.code = SCRIPT_CONSTANT, .value = (const script_value *)copy};
    emit_script_op(compiler, op, 1);
}

// Appends a jump whose target is not known yet, and adds it to the list `jumps`. Until
// set_targets() is called, the argument of each jump is the index of the previous jump of the list.
static void emit_jump(script_compiler *compiler, script_code code, uint32_t *jumps, int change)
{
    const uint32_t index = compiler->num_ops;
    emit(compiler, code, *jumps, change);
    *jumps = index;
}

// Sets the target of all jumps of a list to the operation `target`.
static void set_targets(script_compiler *compiler, uint32_t jumps, uint32_t target)
{
    while (jumps != MD5_NONE) {
        const uint32_t previous = compiler->ops[jumps].arg;
        compiler->ops[jumps].arg = target;
        jumps = previous;
    }
}

// == Names ========================================================================================

// Finds a variable: a local variable of the function, or else a variable of the object or a global
// variable. `op` becomes the operation that pushes its value. Returns false if the variable does
// not exist.
static bool find_name(script_compiler *compiler, const script_token *name, script_op *op)
{
    for (uint32_t i = 0; i < compiler->num_locals; i++) {
        if (md5i_script_tokens_equal(compiler->locals[i], name)) {
            *op = (script_op){.code = SCRIPT_LOCAL, .arg = i};
            return true;
        }
    }
    // The variables of the object and global variables.
    const char *const text = md5i_script_token_text(compiler->tokens, name);
    const uint32_t *const index =
        (const uint32_t *)*md5i_script_entry(compiler->tokens, &compiler->program->variables, text);
    *op = (script_op){.code = SCRIPT_VARIABLE};
    if (index)
        op->arg = *index;
    return index != NULL;
}

// Returns the operation that pushes a variable or a component of a vector: NAME, NAME_x, NAME_y or
// NAME_z. Reports an unknown name as an error.
static script_op find_variable_op(script_compiler *compiler, const script_token *name)
{
    script_op op;
    if (find_name(compiler, name, &op))
        return op;
    if (name->size > 2) {
        script_token vector = *name;
        vector.size -= 2;
        const char separator = name->at[vector.size];
        const char component = name->at[vector.size + 1];
        const bool is_component = separator == '_' && component >= 'x' && component <= 'z';
        if (is_component && find_name(compiler, &vector, &op)) {
            op.count = (uint8_t)(component - 'x' + 1); // 0 is the whole vector
            return op;
        }
    }
    md5i_script_fail(compiler->tokens, name, "a variable");
    return op;
}

// Returns the index of a function. The first call for a function gives it an index and appends it
// to the list of functions to compile.
static uint32_t function_index(script_compiler *compiler, script_definition *definition)
{
    if (definition->index == MD5_NONE) {
        definition->index = compiler->block->num_functions++;
        *compiler->last = definition;
        compiler->last = &definition->next_compiled;
    }
    return definition->index;
}

// Finds a function by a name without a namespace. Searches the namespace that contains the compiled
// function, or else the methods of the object. Then searches the global functions.
static script_definition *find_global(script_compiler *compiler, const char *name)
{
    script_program *const program = compiler->program;
    const bool is_in_namespace = program->space && program->space->depth == 0;
    md5_name_map *const inner = is_in_namespace ? &program->space->functions : &program->methods;
    void *const found = *md5i_script_entry(compiler->tokens, inner, name);
    if (found)
        return (script_definition *)found;
    return (script_definition *)*md5i_script_entry(compiler->tokens, &program->functions, name);
}

// Warns about an unknown function the first time that it is called.
static void report_unknown_function(script_compiler *compiler, const script_token *name,
                                    const char *text)
{
    void **const reported = md5i_script_entry(compiler->tokens, &compiler->unknown, text);
    if (*reported)
        return;
    *reported = compiler;
    compiler->block->script.num_unknown++;
    md5i_script_warn(compiler->tokens, name, "is an unknown function: calls return 0");
}

static const char *const builtin_names[SCRIPT_UNKNOWN] = {
    [SCRIPT_PLAY_ANIM] = "playAnim",
    [SCRIPT_PLAY_CYCLE] = "playCycle",
    [SCRIPT_IDLE_ANIM] = "idleAnim",
    [SCRIPT_HAS_ANIM] = "hasAnim",
    [SCRIPT_CHOOSE_ANIM] = "chooseAnim",
    [SCRIPT_ANIM_LENGTH] = "animLength",
    [SCRIPT_ANIM_DISTANCE] = "animDistance",
    [SCRIPT_OVERRIDE_ANIM] = "overrideAnim",
    [SCRIPT_ENABLE_ANIM] = "enableAnim",
    [SCRIPT_STOP_ANIM] = "stopAnim",
    [SCRIPT_ANIM_DONE] = "animDone",
    [SCRIPT_SET_BLEND] = "setBlendFrames",
    [SCRIPT_GET_BLEND] = "getBlendFrames",
    [SCRIPT_IN_ANIM_STATE] = "inAnimState",
    [SCRIPT_GET_ANIM_STATE] = "getAnimState",
    [SCRIPT_ANIM_STATE] = "animState",
    [SCRIPT_SET_PREFIX] = "setAnimPrefix",
    [SCRIPT_PAIN_ANIM] = "getPainAnim",
    [SCRIPT_PREVENT_PAIN] = "preventPain",
    [SCRIPT_DISABLE_PAIN] = "disablePain",
    [SCRIPT_ENABLE_PAIN] = "enablePain",
    [SCRIPT_DISABLE_EYES] = "disableEyeFocus",
    [SCRIPT_ENABLE_EYES] = "enableEyeFocus",
    [SCRIPT_ALLOW_MOVEMENT] = "allowMovement",
    [SCRIPT_SET_STATE] = "setState",
    [SCRIPT_SET_NEXT_STATE] = "setNextState",
    [SCRIPT_WAIT_ACTION] = "waitAction",
    [SCRIPT_FINISH_ACTION] = "finishAction",
    [SCRIPT_WAIT_FRAME] = "waitFrame",
    [SCRIPT_WAIT] = "wait",
    [SCRIPT_GET_TIME] = "getTime",
    [SCRIPT_RANDOM] = "random",
    [SCRIPT_INT] = "int",
    [SCRIPT_GET_KEY] = "getKey",
    [SCRIPT_GET_INT_KEY] = "getIntKey",
    [SCRIPT_GET_FLOAT_KEY] = "getFloatKey",
    [SCRIPT_GET_VECTOR_KEY] = "getVectorKey",
};

// Returns the operation that calls a function of the engine. If this library does not implement the
// function, warns about it. The operation then returns 0.
static script_op find_builtin_op(script_compiler *compiler, const script_token *name,
                                 const char *text)
{
    uint32_t index = 0;
    while (index < SCRIPT_UNKNOWN && strcmp(builtin_names[index], text) != 0)
        index++;
    if (index == SCRIPT_UNKNOWN)
        report_unknown_function(compiler, name, text);
    return (script_op){.code = SCRIPT_BUILTIN, .arg = index};
}

// Returns the operation that calls a function with the given name. `functions` contains the
// functions of the namespace before the name. If there is no namespace, it contains the global
// functions. It is NULL for functions of other entities and of threads. These are not called and
// return 0.
static script_op find_function(script_compiler *compiler, md5_name_map *functions,
                               const script_token *name)
{
    const char *const text = md5i_script_token_text(compiler->tokens, name);
    if (!functions) {
        report_unknown_function(compiler, name, text);
        return (script_op){.code = SCRIPT_BUILTIN, .arg = SCRIPT_UNKNOWN};
    }
    script_definition *definition = NULL;
    if (functions == &compiler->program->functions)
        definition = find_global(compiler, text);
    else
        definition = (script_definition *)*md5i_script_entry(compiler->tokens, functions, text);
    if (!definition)
        return find_builtin_op(compiler, name, text);
    return (script_op){.code = SCRIPT_CALL, .arg = function_index(compiler, definition)};
}

// == Expressions ==================================================================================

// Operators with a lower priority bind tighter.
enum {
    PRIORITY_PRODUCT,
    PRIORITY_SUM,
    PRIORITY_COMPARISON,
    PRIORITY_NOT,
    PRIORITY_ASSIGN,
    PRIORITY_LOGIC,
    PRIORITY_BRACKET
};

typedef struct script_binary {
    const char *sign;
    script_code code;
    uint32_t priority;
} script_binary;

static const script_binary binaries[] = {
    {.sign = "*", .code = SCRIPT_MULTIPLY, .priority = PRIORITY_PRODUCT},
    {.sign = "/", .code = SCRIPT_DIVIDE, .priority = PRIORITY_PRODUCT},
    {.sign = "%", .code = SCRIPT_REMAINDER, .priority = PRIORITY_PRODUCT},
    {.sign = "&", .code = SCRIPT_BIT_AND, .priority = PRIORITY_PRODUCT},
    {.sign = "|", .code = SCRIPT_BIT_OR, .priority = PRIORITY_PRODUCT},
    {.sign = "+", .code = SCRIPT_ADD, .priority = PRIORITY_SUM},
    {.sign = "-", .code = SCRIPT_SUBTRACT, .priority = PRIORITY_SUM},
    {.sign = "==", .code = SCRIPT_EQUAL, .priority = PRIORITY_COMPARISON},
    {.sign = "!=", .code = SCRIPT_NOT_EQUAL, .priority = PRIORITY_COMPARISON},
    {.sign = "<", .code = SCRIPT_LESS, .priority = PRIORITY_COMPARISON},
    {.sign = "<=", .code = SCRIPT_LESS_EQUAL, .priority = PRIORITY_COMPARISON},
    {.sign = ">", .code = SCRIPT_GREATER, .priority = PRIORITY_COMPARISON},
    {.sign = ">=", .code = SCRIPT_GREATER_EQUAL, .priority = PRIORITY_COMPARISON},
    {.sign = "&&", .code = SCRIPT_AND, .priority = PRIORITY_LOGIC},
    {.sign = "||", .code = SCRIPT_OR, .priority = PRIORITY_LOGIC},
    {.sign = "=", .code = SCRIPT_KEEP_SECOND, .priority = PRIORITY_ASSIGN},
};

// Returns the binary operator that a token contains, or NULL.
static const script_binary *find_binary(const script_token *token)
{
    for (uint32_t i = 0; i < MD5_COUNT(binaries); i++) {
        if (md5i_script_token_is(token, binaries[i].sign))
            return &binaries[i];
    }
    return NULL;
}

// Pushes an operator that waits for its operands.
static void push_operator(script_compiler *compiler, uint32_t priority, script_op op, int change)
{
    compiler->operators[compiler->num_operators++] =
        (pending_operator){.priority = priority, .change = change, .op = op};
}

// Emits the operators on the stack, from the top, while their priority is at most `priority`. Their
// operands are then complete. Brackets have the highest priority, so operators before the innermost
// bracket remain on the stack.
static void emit_operators(script_compiler *compiler, uint32_t priority)
{
    while (compiler->num_operators > 0) {
        const pending_operator *const top = &compiler->operators[compiler->num_operators - 1];
        if (top->priority > priority)
            return;
        compiler->num_operators--;
        emit_script_op(compiler, top->op, top->change);
    }
}

// Closes the innermost bracket. If it belongs to a call, emits the call, whose result replaces the
// arguments on the stack.
static void close_bracket(script_compiler *compiler)
{
    const script_op op = compiler->operators[--compiler->num_operators].op;
    if (op.code != SCRIPT_KEEP_SECOND)
        emit_script_op(compiler, op, 1 - op.count);
}

// Begins a call whose name was read. `num_values` of its arguments are already on the stack.
// Returns true if the next token is an operand.
static bool emit_call_begin(script_compiler *compiler, script_op op, uint8_t num_values)
{
    const bool is_call = md5i_script_accept(compiler->tokens, "(");
    const bool has_operands = is_call && !md5i_script_accept(compiler->tokens, ")");
    op.count = has_operands ? (uint8_t)(num_values + 1) : num_values;
    push_operator(compiler, PRIORITY_BRACKET, op, 0);
    if (!has_operands)
        close_bracket(compiler);
    return has_operands;
}

// Returns true for the signs of two characters that change a variable: += -= *= /= %= &= |=
static bool is_compound(const script_token *token)
{
    if (token->kind != SCRIPT_TOKEN_SIGN || token->size != 2)
        return false;
    return token->at[1] == '=' && strchr("+-*/%&|", token->at[0]) != NULL;
}

// Returns the operation of the first character of a sign, for example the addition for += and for
// ++.
static script_op first_operation(const script_token *sign)
{
    script_token token = *sign;
    token.size = 1;
    return (script_op){.code = (uint8_t)find_binary(&token)->code};
}

// Reads a use of a variable, whose name was read: its value, NAME++ or NAME--, or the beginning of
// an assignment such as NAME = or NAME +=. Returns true if an operand must follow.
static bool read_variable(script_compiler *compiler, const script_token *name)
{
    script_tokens *const tokens = compiler->tokens;
    const script_op getter = find_variable_op(compiler, name);
    script_op setter = getter;
    setter.code = getter.code == SCRIPT_LOCAL ? SCRIPT_SET_LOCAL : SCRIPT_SET_VARIABLE;
    const script_token *const sign = md5_script_here(tokens);
    if (md5i_script_accept(tokens, "++") || md5i_script_accept(tokens, "--")) {
        emit_script_op(compiler, getter, 1);
        emit_value(compiler, &script_one);
        emit_script_op(compiler, first_operation(sign), -1);
        emit_script_op(compiler, setter, 0);
        return false;
    }
    if (is_compound(sign)) {
        // The operator on the top of the stack is emitted first: the operation, and then the
        // setter, which stores its result.
        tokens->at++;
        push_operator(compiler, PRIORITY_ASSIGN, setter, 0);
        emit_script_op(compiler, getter, 1);
        push_operator(compiler, PRIORITY_ASSIGN, first_operation(sign), -1);
        return true;
    }
    if (md5i_script_accept(tokens, "=")) {
        push_operator(compiler, PRIORITY_ASSIGN, setter, 0);
        return true;
    }
    emit_script_op(compiler, getter, 1);
    return false;
}

// Returns the functions of a namespace or an object with the name `name`. Returns NULL if it does
// not exist.
static md5_name_map *find_namespace(script_compiler *compiler, const script_token *name)
{
    script_tokens *const tokens = compiler->tokens;
    const char *const text = md5i_script_token_text(tokens, name);
    script_object *const space =
        (script_object *)*md5i_script_entry(tokens, &compiler->program->objects, text);
    return space ? &space->functions : NULL;
}

// Reads a variable, an assignment or a call, all of which begin with a name: NAME, NAMESPACE::NAME,
// self.NAME or sys.NAME. Returns true if an operand must follow.
static bool read_variable_name(script_compiler *compiler)
{
    script_tokens *const tokens = compiler->tokens;
    const script_token *name = md5i_script_read_name(tokens);

    // If the name is called, it is searched among these functions: see find_function().
    md5_name_map *functions = compiler->is_thread ? NULL : &compiler->program->functions;
    compiler->is_thread = false;
    const bool is_entity = md5i_script_token_is(name, "self") || md5i_script_token_is(name, "sys");
    if (is_entity) {
        if (!md5i_script_accept(tokens, ".")) {
            emit_value(compiler, &script_zero); // entities as values are not supported
            return false;
        }
        name = md5i_script_read_name(tokens);
    }
    if (md5i_script_accept(tokens, "::")) {
        functions = find_namespace(compiler, name);
        name = md5i_script_read_name(tokens);
    }
    if (is_here(compiler, "("))
        return emit_call_begin(compiler, find_function(compiler, functions, name), 0);
    return read_variable(compiler, name);
}

// Returns true if a token is a prefix operator, and stores its code. A minus before a constant is a
// part of the constant, not an operator.
static bool find_prefix(const script_token *token, script_code *code)
{
    if (md5i_script_token_is(token, "!"))
        *code = SCRIPT_NOT;
    else if (md5i_script_token_is(token, "~"))
        *code = SCRIPT_COMPLEMENT;
    else if (md5i_script_token_is(token, "-"))
        *code = SCRIPT_NEGATE;
    else
        return false;
    const script_token_kind next = token[1].kind;
    const bool is_constant = next == SCRIPT_TOKEN_NUMBER || next == SCRIPT_TOKEN_VECTOR;
    return *code != SCRIPT_NEGATE || !is_constant;
}

// Reads the next part of an expression where an operand must follow. The part is a complete
// operand, or it precedes the operand, such as an opening bracket or a prefix operator. Returns
// true if an operand must still follow.
static bool read_operand(script_compiler *compiler)
{
    script_tokens *const tokens = compiler->tokens;

    // Read a bracket or a prefix operator, which precede an operand.
    if (md5i_script_accept(tokens, "(")) { // a bracket without a call: see pending_operator
        push_operator(compiler, PRIORITY_BRACKET, (script_op){.code = SCRIPT_KEEP_SECOND}, 0);
        return true;
    }
    script_code prefix;
    if (find_prefix(md5_script_here(tokens), &prefix)) {
        push_operator(compiler, PRIORITY_NOT, (script_op){.code = (uint8_t)prefix}, 0);
        tokens->at++;
        return true;
    }
    if (md5i_script_accept(tokens, "thread")) {
        compiler->is_thread = true;
        return true;
    }

    // Read an operand. The name of an assignment or a call also precedes an operand.
    if (md5_script_here(tokens)->kind == SCRIPT_TOKEN_NAME)
        return read_variable_name(compiler);
    const script_value value = md5i_read_script_constant(tokens);
    emit_value(compiler, &value);
    return false;
}

// Reads a binary operator. First emits the operators before it that bind at least as tightly,
// because their operands are complete.
static void read_binary(script_compiler *compiler, const script_binary *binary)
{
    // read_variable() reads assignments to variables. This `=` follows another expression, which
    // begins after the last && or ||.
    const bool is_assignment = binary->code == SCRIPT_KEEP_SECOND;
    emit_operators(compiler, is_assignment ? PRIORITY_NOT : binary->priority);
    push_operator(compiler, binary->priority, (script_op){.code = (uint8_t)binary->code}, -1);
    compiler->tokens->at++;
}

// Reads a comma or a closing bracket of the innermost bracket. Returns true if an operand follows.
static bool read_bracket(script_compiler *compiler)
{
    script_op *const op = &compiler->operators[compiler->num_operators - 1].op;
    const bool can_have_operands = op->code != SCRIPT_KEEP_SECOND && op->count < UINT8_MAX;
    if (can_have_operands && md5i_script_accept(compiler->tokens, ",")) {
        op->count++;
        return true;
    }
    md5i_script_expect(compiler->tokens, ")");
    close_bracket(compiler);
    return false;
}

// Reads an expression, up to the first token that does not belong to it.
static void read_expression(script_compiler *compiler)
{
    script_tokens *const tokens = compiler->tokens;
    bool needs_operand = true;
    compiler->num_operators = 0;
    while (md5_script_is_ok(tokens)) {
        const script_binary *const binary = find_binary(md5_script_here(tokens));
        if (needs_operand) {
            needs_operand = read_operand(compiler);
        } else if (binary) {
            read_binary(compiler, binary);
            needs_operand = true;
        } else if (md5i_script_accept(tokens, ".")) { // a function of another entity
            const script_token *const name = md5i_script_read_name(tokens);
            needs_operand = emit_call_begin(compiler, find_function(compiler, NULL, name), 1);
        } else {
            emit_operators(compiler, PRIORITY_LOGIC);
            if (compiler->num_operators == 0)
                return;
            needs_operand = read_bracket(compiler);
        }
    }
}

// == Statements ===================================================================================

// Reads expressions that are separated by commas, and drops their values.
static void read_and_drop(script_compiler *compiler)
{
    do {
        read_expression(compiler);
        emit(compiler, SCRIPT_POP, 0, -1);
    } while (md5_script_is_ok(compiler->tokens) && md5i_script_accept(compiler->tokens, ","));
}

// Reads "(EXPRESSION)", the condition of a statement. Emits a jump out of the statement, which is
// taken if the value is 0.
static void read_script_condition(script_compiler *compiler, open_statement *statement)
{
    md5i_script_expect(compiler->tokens, "(");
    read_expression(compiler);
    md5i_script_expect(compiler->tokens, ")");
    emit_jump(compiler, SCRIPT_JUMP_UNLESS, &statement->exits, -1);
}

static_assert(SCRIPT_STACK == 64, "messages about locals contain this number");

// Adds a local variable or parameter. Too many locals are an error.
static void add_local(script_compiler *compiler, const script_token *name)
{
    if (compiler->num_locals < SCRIPT_STACK)
        compiler->locals[compiler->num_locals++] = name;
    else
        md5i_script_fail(compiler->tokens, name, "at most 64 local variables in a function");
}

// Returns the index of a local variable. If the function has no local variable with this name, adds
// it.
static uint32_t declare_local(script_compiler *compiler, const script_token *name)
{
    script_op op;
    if (find_name(compiler, name, &op) && op.code == SCRIPT_LOCAL)
        return op.arg;
    const uint32_t index = compiler->num_locals;
    add_local(compiler, name);
    return index;
}

// Reads a declaration of local variables, "TYPE NAME = EXPRESSION, ...;". A variable without an
// expression gets the default value of its type.
static void read_locals(script_compiler *compiler)
{
    script_tokens *const tokens = compiler->tokens;
    const md5_script_type type = md5i_script_type(md5i_script_read_name(tokens));
    const script_value initial = md5i_script_default(type);
    do {
        const uint32_t index = declare_local(compiler, md5i_script_read_name(tokens));
        if (md5i_script_accept(tokens, "="))
            read_expression(compiler);
        else
            emit_value(compiler, &initial);
        emit(compiler, SCRIPT_SET_LOCAL, index, 0);
        emit(compiler, SCRIPT_POP, 0, -1);
    } while (md5i_script_accept(tokens, ","));
    md5i_script_expect(tokens, ";");
}

static bool is_loop(open_kind kind)
{
    return kind >= OPEN_WHILE;
}

// Pushes a statement that contains other statements on the stack of open statements, and returns
// it. Its code begins at the next operation.
static open_statement *open_block(script_compiler *compiler, open_kind kind)
{
    const uint32_t index = compiler->num_statements++;
    open_statement *const statement = &compiler->statements[index];
    uint32_t loop = MD5_NONE;
    if (is_loop(kind))
        loop = index;
    else if (index > 0)
        loop = statement[-1].loop;
    *statement = (open_statement){.kind = kind,
                                  .start = compiler->num_ops,
                                  .exits = MD5_NONE,
                                  .loop = loop,
                                  .breaks = MD5_NONE,
                                  .continues = MD5_NONE};
    return statement;
}

// Reads `for ( FIRST; CONDITION; STEP )` and opens the loop. Each part may be missing. The step is
// skipped, because it is compiled after the body.
static void read_for(script_compiler *compiler)
{
    script_tokens *const tokens = compiler->tokens;
    md5i_script_expect(tokens, "(");
    if (!is_here(compiler, ";"))
        read_and_drop(compiler);
    md5i_script_expect(tokens, ";");

    // The loop starts after the first part.
    open_statement *const statement = open_block(compiler, OPEN_FOR);
    if (!is_here(compiler, ";")) {
        read_expression(compiler);
        emit_jump(compiler, SCRIPT_JUMP_UNLESS, &statement->exits, -1);
    }
    md5i_script_expect(tokens, ";");
    statement->step = tokens->at;
    md5i_script_skip_to(tokens, "(", ")");
}

// Compiles the third part of a for, for example i++. Its code follows the code of the body,
// although its tokens precede the body. So this function moves back to these tokens, and afterwards
// to the end of the body.
static void read_step(script_compiler *compiler, const open_statement *statement)
{
    script_tokens *const tokens = compiler->tokens;
    const uint32_t end = tokens->at;
    tokens->at = statement->step;
    if (!is_here(compiler, ")"))
        read_and_drop(compiler);
    md5i_script_expect(tokens, ")");
    if (md5_script_is_ok(tokens))
        tokens->at = end;
}

// Begins the else of an if. Ends the code of the if with a jump over the else. If the condition of
// the if is false, it jumps to the code after this jump.
static void begin_else(script_compiler *compiler, open_statement *statement)
{
    uint32_t end = MD5_NONE;
    emit_jump(compiler, SCRIPT_JUMP, &end, 0);
    set_targets(compiler, statement->exits, compiler->num_ops);
    statement->exits = end;
    statement->kind = OPEN_ELSE;
}

// Ends an if, an else or a loop after its last statement, and sets the targets of its jumps.
static void end_open_statement(script_compiler *compiler, open_statement *statement)
{
    // `continue` jumps to the step of a for, or to the start of any other loop.
    script_tokens *const tokens = compiler->tokens;
    const bool is_for = statement->kind == OPEN_FOR;
    set_targets(compiler, statement->continues, is_for ? compiler->num_ops : statement->start);
    if (is_for) {
        read_step(compiler, statement);
    } else if (statement->kind == OPEN_DO) {
        md5i_script_expect(tokens, "while");
        read_script_condition(compiler, statement);
        md5i_script_expect(tokens, ";");
    }
    if (is_loop(statement->kind))
        emit(compiler, SCRIPT_JUMP, statement->start, 0);
    set_targets(compiler, statement->breaks, compiler->num_ops);
    set_targets(compiler, statement->exits, compiler->num_ops);
    compiler->num_statements--;
}

// Ends the open statements whose last part was just read.
static void end_statement(script_compiler *compiler)
{
    while (compiler->num_statements > 0 && md5_script_is_ok(compiler->tokens)) {
        open_statement *const statement = &compiler->statements[compiler->num_statements - 1];
        if (statement->kind == OPEN_BLOCK)
            return;
        if (statement->kind == OPEN_IF && md5i_script_accept(compiler->tokens, "else")) {
            begin_else(compiler, statement);
            return;
        }
        end_open_statement(compiler, statement);
    }
}

// Reads the beginning of a statement that contains other statements. Returns false if the next
// token does not begin such a statement.
static bool read_opening(script_compiler *compiler)
{
    script_tokens *const tokens = compiler->tokens;
    if (md5i_script_accept(tokens, "{"))
        (void)open_block(compiler, OPEN_BLOCK);
    else if (md5i_script_accept(tokens, "if"))
        read_script_condition(compiler, open_block(compiler, OPEN_IF));
    else if (md5i_script_accept(tokens, "while"))
        read_script_condition(compiler, open_block(compiler, OPEN_WHILE));
    else if (md5i_script_accept(tokens, "for"))
        read_for(compiler);
    else if (md5i_script_accept(tokens, "do"))
        (void)open_block(compiler, OPEN_DO);
    else
        return false;
    return true;
}

// Reads "break;" or "continue;" in a loop. Returns false if the next token is neither.
static bool read_loop_jump(script_compiler *compiler)
{
    const uint32_t index = compiler->statements[compiler->num_statements - 1].loop;
    if (index == MD5_NONE)
        return false;
    open_statement *const loop = &compiler->statements[index];
    if (md5i_script_accept(compiler->tokens, "break"))
        emit_jump(compiler, SCRIPT_JUMP, &loop->breaks, 0);
    else if (md5i_script_accept(compiler->tokens, "continue"))
        emit_jump(compiler, SCRIPT_JUMP, &loop->continues, 0);
    else
        return false;
    md5i_script_expect(compiler->tokens, ";");
    return true;
}

// Reads the value of a return statement.
static void read_return(script_compiler *compiler)
{
    if (is_here(compiler, ";"))
        emit_value(compiler, &script_zero);
    else
        read_expression(compiler);
    emit(compiler, SCRIPT_RETURN, 0, -1);
    md5i_script_expect(compiler->tokens, ";");
}

// Returns true if a token begins the declaration of local variables, "TYPE NAME".
static bool begins_locals(const script_token *token)
{
    return token[0].kind == SCRIPT_TOKEN_NAME && token[1].kind == SCRIPT_TOKEN_NAME
           && !md5i_script_token_is(token, "thread");
}

// Reads a statement that does not contain other statements, or the end of a block.
static void read_simple_statement(script_compiler *compiler)
{
    script_tokens *const tokens = compiler->tokens;
    const bool is_block = compiler->statements[compiler->num_statements - 1].kind == OPEN_BLOCK;
    if (is_block && md5i_script_accept(tokens, "}")) {
        compiler->num_statements--;
        return;
    }
    if (read_loop_jump(compiler))
        return;
    if (md5i_script_accept(tokens, "return")) {
        read_return(compiler);
        return;
    }
    if (begins_locals(md5_script_here(tokens))) {
        read_locals(compiler);
        return;
    }
    if (md5i_script_accept(tokens, ";"))
        return;
    read_and_drop(compiler);
    md5i_script_expect(tokens, ";");
}

// Reads a statement, or the beginning of a statement that contains other statements.
static void read_statement(script_compiler *compiler)
{
    if (read_opening(compiler))
        return;
    read_simple_statement(compiler);
    end_statement(compiler);
}

// == Functions ====================================================================================

// Reads the parameters of a function, "TYPE NAME, TYPE NAME)". They are its first locals.
static void read_parameters(script_compiler *compiler)
{
    script_tokens *const tokens = compiler->tokens;
    while (md5_script_is_ok(tokens) && !md5i_script_accept(tokens, ")")) {
        (void)md5i_script_read_name(tokens);
        add_local(compiler, md5i_script_read_name(tokens));
        (void)md5i_script_accept(tokens, ",");
    }
}

// Allocates the buffers for a function, and resets the state of the previous function. Returns
// false if memory runs out.
static bool begin_function(script_compiler *compiler, const script_definition *definition)
{
    md5_arena *const scratch = &compiler->scratch;
    // A token opens at most one statement and two operators, and emits at most four operations. A
    // function without tokens emits a few operations too.
    const size_t num_tokens = definition->end_token - definition->first_token + 8;
    compiler->ops = MD5_ALLOC_ARRAY(scratch, script_op, 4 * num_tokens);
    compiler->statements = MD5_ALLOC_ARRAY(scratch, open_statement, num_tokens);
    compiler->operators = MD5_ALLOC_ARRAY(scratch, pending_operator, 2 * num_tokens);
    TRY(compiler->ops && compiler->statements && compiler->operators);
    compiler->num_ops = 0;
    compiler->num_statements = 0;
    compiler->num_locals = 0;
    compiler->depth = 0;
    compiler->max_depth = 0;
    return true;
}

// Stores the compiled operations in the script, and reports a function that needs too much stack.
static void finish_function(script_compiler *compiler, const script_definition *definition)
{
    script_function *const function = &compiler->block->functions[definition->index];
    function->num_locals = compiler->num_locals;
    function->stack_size = compiler->num_locals + compiler->max_depth;
    if (function->stack_size > SCRIPT_STACK)
        md5i_script_fail(compiler->tokens, definition->name_token,
                         "a function with at most 64 local variables and intermediate values");
    function->ops = (const script_op *)md5i_arena_copy(&compiler->block->arena, compiler->ops,
                                                       compiler->num_ops, sizeof(script_op));
}

// Compiles a function. Returns false after an error.
static bool read_function(script_compiler *compiler, const script_definition *definition)
{
    script_tokens *const tokens = compiler->tokens;
    const md5_arena_mark mark = md5i_arena_position(&compiler->scratch);
    TRY(begin_function(compiler, definition));

    tokens->at = definition->first_token;
    read_parameters(compiler);

    // The body is a block, which ends at its closing brace.
    tokens->at = definition->body_token;
    compiler->program->space = definition->object;
    (void)open_block(compiler, OPEN_BLOCK);
    while (compiler->num_statements > 0 && md5_script_is_ok(tokens))
        read_statement(compiler);

    // The end of the body returns 0, also if all its paths end with a return statement.
    emit_value(compiler, &script_zero);
    emit(compiler, SCRIPT_RETURN, 0, -1);
    finish_function(compiler, definition);
    md5i_arena_rewind(&compiler->scratch, mark);
    return md5_script_is_ok(tokens);
}

// Finds a function by its name, which may contain namespaces: SPACE::FUNCTION.
static script_definition *find_qualified(script_compiler *compiler, const char *name)
{
    script_program *const program = compiler->program;
    script_tokens *const tokens = compiler->tokens;
    md5_name_map *functions = &program->functions;
    for (const char *end = strstr(name, "::"); end; end = strstr(name, "::")) {
        const char *const space = md5_copy_text(&program->arena, name, (size_t)(end - name));
        if (!space)
            return NULL;
        script_object *const object =
            (script_object *)*md5i_script_entry(tokens, &program->objects, space);
        if (!object)
            return NULL;
        functions = &object->functions;
        name = end + 2;
    }
    return (script_definition *)*md5i_script_entry(tokens, functions, name);
}

// Returns the function that a frame command calls, or NULL.
static script_definition *find_frame_call(script_compiler *compiler,
                                          const md5_frame_command *command)
{
    md5_name_map *const methods = &compiler->program->methods;
    if (command->code == MD5_FRAME_OBJECT_CALL)
        return (script_definition *)*md5i_script_entry(compiler->tokens, methods, command->text);
    if (command->code == MD5_FRAME_CALL)
        return find_qualified(compiler, command->text);
    return NULL;
}

// Lists the functions that the frame commands of a clip call, each function once. The functions are
// compiled later.
static void list_frame_calls(script_compiler *compiler, const md5_entity_clip *clip)
{
    script_block *const block = compiler->block;
    for (uint32_t i = 0; i < clip->anim->num_commands; i++) {
        const md5_frame_command *const command = &clip->anim->commands[i];
        script_definition *const definition = find_frame_call(compiler, command);
        if (!definition || definition->is_frame_call)
            continue;
        definition->is_frame_call = true;
        block->frame_calls[block->num_frame_calls++] =
            (script_frame_call){.code = command->code,
                                .name = command->text,
                                .function = function_index(compiler, definition)};
    }
}

// Compares frame calls by code and name, for qsort() and bsearch().
int md5i_compare_frame_calls(const void *a, const void *b)
{
    const script_frame_call *const x = (const script_frame_call *)a;
    const script_frame_call *const y = (const script_frame_call *)b;
    if (x->code != y->code)
        return x->code < y->code ? -1 : 1;
    return strcmp(x->name, y->name);
}

// Lists a method as a state if its name has the prefix of states of a channel, such as "Torso_".
static void list_state(script_compiler *compiler, script_definition *definition)
{
    static const char *const prefixes[] = {
        [MD5_CHANNEL_ALL] = "state_",
        [MD5_CHANNEL_TORSO] = "Torso_",
        [MD5_CHANNEL_LEGS] = "Legs_",
        [MD5_CHANNEL_HEAD] = "Head_",
    };
    script_block *const block = compiler->block;
    md5_name_map *const methods = &compiler->program->methods;

    for (uint32_t i = 0; i < MD5_COUNT(prefixes); i++) {
        if (strncmp(definition->name, prefixes[i], strlen(prefixes[i])) != 0)
            continue;
        if (*md5i_script_entry(compiler->tokens, methods, definition->name) != definition)
            continue; // a method of another object hides it
        const uint32_t index = block->script.num_states++;
        block->states[index] =
            (md5_script_state){.name = definition->name, .channel = (md5_channel)i};
        block->state_functions[index] = function_index(compiler, definition);
    }
}

// Compiles the states of the object, the functions of frame commands in the entity's clips, and the
// functions that these functions call. Returns false after an error.
static bool compile_functions(script_compiler *compiler, const md5_entity *entity)
{
    script_block *const block = compiler->block;
    const uint32_t count = compiler->program->num_definitions;
    block->states = MD5_ALLOC_ARRAY(&block->arena, md5_script_state, count);
    block->state_functions = MD5_ALLOC_ARRAY(&block->arena, uint32_t, count);
    block->functions = MD5_ALLOC_ZEROED(&block->arena, script_function, count);
    block->frame_calls = MD5_ALLOC_ARRAY(&block->arena, script_frame_call, count);
    TRY(block->states && block->state_functions);
    TRY(block->functions && block->frame_calls);

    // List the states and the functions of frame commands, sorted for the search in states.c.
    compiler->last = &compiler->first;
    for (script_definition *def = compiler->program->first; def; def = def->next)
        list_state(compiler, def);
    if (entity) {
        for (uint32_t i = 0; i < entity->num_clips; i++)
            list_frame_calls(compiler, &entity->clips[i]);
    }
    qsort(block->frame_calls, block->num_frame_calls, sizeof *block->frame_calls,
          md5i_compare_frame_calls);

    // Compiling a function adds the functions that it calls to the end of the list.
    for (const script_definition *def = compiler->first; def; def = def->next_compiled)
        TRY(read_function(compiler, def));

    block->script.states = block->states;
    block->script.variables = block->variables;
    return true;
}

// == Loading ======================================================================================

// Reads and compiles a script. Returns false after an error.
static bool compile_script(script_program *program, const char *path, const char *object,
                           const md5_entity *entity)
{
    script_compiler compiler = {.program = program,
                                .tokens = &program->tokens,
                                .block = program->block,
                                .scratch = {.context = program->tokens.context}};
    const bool is_loaded = md5i_read_script_tokens(&program->tokens, path)
                           && md5i_read_script_declarations(program, object)
                           && compile_functions(&compiler, entity);
    md5i_free_script_files(&program->tokens);
    md5i_arena_free(&compiler.scratch);
    return is_loaded;
}

// Loads a script with the files that it includes, and compiles the states of the script object
// `object`. Returns NULL and sets the error on failure.
md5_script *md5_load_script(const char *path, const char *object, const md5_entity *entity,
                            const md5_load_opts *opts, md5_error *error)
{
    MD5_ASSERT_NULL_OR_ALIVE(entity, MD5_TAG_ENTITY);
    MD5_ASSERT_PATH(path);
    MD5_ASSERT_OPTS(opts);

    md5_context context;
    md5i_context_begin(&context, opts, path, error);
    script_block *const block = (script_block *)md5i_alloc(&context, sizeof *block);
    if (!block)
        return NULL;
    *block = (script_block){.script = {.internal = {.tag = MD5_TAG_SCRIPT}}, .context = context};
    // The error is copied to the caller at the end, because a later error may replace the error of
    // a file that an #include cannot open.
    block->context.caller = NULL;
    block->arena.context = &block->context;

    script_program program = {.block = block, .arena = {.context = &block->context}};
    program.tokens.context = &block->context;
    program.tokens.arena = &program.arena;
    if (!path)
        path = "";
    if (!object)
        object = "";
    const bool is_loaded = compile_script(&program, path, object, entity);
    md5i_arena_free(&program.arena);

    if (is_loaded)
        return &block->script;
    if (error)
        *error = block->context.error;
    md5_free_script(&block->script);
    return NULL;
}

// Frees a script. Destroy all md5_states of the script first. NULL is allowed and has no effect.
void md5_free_script(md5_script *script)
{
    MD5_ASSERT_NULL_OR_ALIVE(script, MD5_TAG_SCRIPT);
    if (!script)
        return;
    script_block *const block = (script_block *)(void *)script; // its first member
    const md5_allocator allocator = block->context.allocator;
    md5i_arena_free_object(&block->arena);
    md5i_free_object(&allocator, block, sizeof *block);
}
