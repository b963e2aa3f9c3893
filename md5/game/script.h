// Compiled scripts. Three files produce them: script_tokens.c (files, directives, macros),
// script_decls.c (objects, functions, variables) and script_code.c (operations). states.c runs them
// on a stack machine, whose values have dynamic types.
#ifndef MD5_GAME_SCRIPT_H
#define MD5_GAME_SCRIPT_H

#include "md5/core/arena.h"
#include "md5/md5character.h"

// Capacities of the stacks of a thread: number of values, including local variables, and number of
// nested calls.
enum { SCRIPT_STACK = 64, SCRIPT_DEPTH = 32 };

// The type of a value.
typedef enum script_kind { SCRIPT_NUMBER, SCRIPT_TEXT, SCRIPT_VECTOR } script_kind;

// If all bits are zero, a value is the number 0. It is then also valid as an empty text and as a
// zero vector.
typedef struct script_value {
    script_kind kind;
    md5_vec3 v; // a number is v.x
    char text[64];
} script_value;

// The operations of a stack machine. Operands are popped from the stack, and results are pushed.
// `arg`, `count` and `value` are members of script_op.
typedef enum script_code {
    SCRIPT_CONSTANT, // pushes `value`
    // The operations below push or set the local or the global variable with the index `arg`. If
    // `count` is 1 to 3, they access only its component x, y or z. An operation that sets a
    // variable leaves the value on the stack.
    SCRIPT_LOCAL,
    SCRIPT_VARIABLE,
    SCRIPT_SET_LOCAL,
    SCRIPT_SET_VARIABLE,
    SCRIPT_POP,
    SCRIPT_JUMP,        // to operation `arg`
    SCRIPT_JUMP_UNLESS, // to operation `arg` if the popped value is false
    SCRIPT_CALL,        // functions[arg] with `count` arguments
    SCRIPT_BUILTIN,     // script_builtin `arg` with `count` arguments
    SCRIPT_RETURN,      // returns the value on the top of the stack
    SCRIPT_NOT,
    SCRIPT_NEGATE,
    SCRIPT_COMPLEMENT,
    // Operations on two values. The second operand is on the top of the stack.
    SCRIPT_MULTIPLY,
    SCRIPT_DIVIDE,
    SCRIPT_REMAINDER,
    SCRIPT_ADD,
    SCRIPT_SUBTRACT,
    SCRIPT_BIT_AND,
    SCRIPT_BIT_OR,
    SCRIPT_LESS,
    SCRIPT_LESS_EQUAL,
    SCRIPT_GREATER,
    SCRIPT_GREATER_EQUAL,
    SCRIPT_EQUAL,
    SCRIPT_NOT_EQUAL,
    SCRIPT_AND, // both operands are always computed
    SCRIPT_OR,
    SCRIPT_KEEP_SECOND // assignment to an expression that is not a variable
} script_code;

// An operation with its arguments.
typedef struct script_op {
    uint8_t code; // script_code
    // Calls: number of arguments. Variables and locals: 0, or the component of a vector, 1 to 3.
    uint8_t count;
    uint32_t arg;              // index; its meaning depends on `code`
    const script_value *value; // value of a SCRIPT_CONSTANT
} script_op;

// Functions of the engine, sorted by their arguments. The array builtin_names in script_code.c
// contains their names. The first argument of the functions up to animState() is a channel. The
// second argument of the functions up to animDistance() is the name of a clip.
typedef enum script_builtin {
    SCRIPT_PLAY_ANIM,
    SCRIPT_PLAY_CYCLE,
    SCRIPT_IDLE_ANIM,
    SCRIPT_HAS_ANIM,
    SCRIPT_CHOOSE_ANIM,
    SCRIPT_ANIM_LENGTH,
    SCRIPT_ANIM_DISTANCE,
    SCRIPT_OVERRIDE_ANIM,
    SCRIPT_ENABLE_ANIM,
    SCRIPT_STOP_ANIM,
    SCRIPT_ANIM_DONE,
    SCRIPT_SET_BLEND,
    SCRIPT_GET_BLEND,
    SCRIPT_IN_ANIM_STATE,
    SCRIPT_GET_ANIM_STATE,
    SCRIPT_ANIM_STATE,
    SCRIPT_SET_PREFIX,
    SCRIPT_PAIN_ANIM,
    SCRIPT_PREVENT_PAIN,
    SCRIPT_DISABLE_PAIN,
    SCRIPT_ENABLE_PAIN,
    SCRIPT_DISABLE_EYES,
    SCRIPT_ENABLE_EYES,
    SCRIPT_ALLOW_MOVEMENT,
    SCRIPT_SET_STATE,
    SCRIPT_SET_NEXT_STATE,
    SCRIPT_WAIT_ACTION,
    SCRIPT_FINISH_ACTION,
    SCRIPT_WAIT_FRAME,
    SCRIPT_WAIT,
    SCRIPT_GET_TIME,
    SCRIPT_RANDOM,
    SCRIPT_INT,
    SCRIPT_GET_KEY,
    SCRIPT_GET_INT_KEY,
    SCRIPT_GET_FLOAT_KEY,
    SCRIPT_GET_VECTOR_KEY,
    SCRIPT_UNKNOWN // also the number of known functions
} script_builtin;

// A compiled function of a script.
typedef struct script_function {
    const script_op *ops;
    uint32_t num_locals; // including parameters
    uint32_t stack_size; // maximum number of values on the stack, at most SCRIPT_STACK
} script_function;

// A function that a frame command calls by its name. It is a method of the object, or a global
// function.
typedef struct script_frame_call {
    md5_frame_code code;
    const char *name;  // the text of the command
    uint32_t function; // index in script_block.functions
} script_frame_call;

// Compares frame calls by code and name, for qsort() and bsearch().
int md5i_compare_frame_calls(const void *a, const void *b);

// A compiled script and its memory.
typedef struct script_block {
    md5_script script; // the public part, must be first
    md5_context context;
    md5_arena arena;
    md5_script_variable *variables; // [script.num_variables]
    script_value *initial;          // [script.num_variables] initial values
    md5_script_state *states;       // [script.num_states]
    uint32_t *state_functions;      // [script.num_states] indices of functions
    script_function *functions;     // [num_functions]
    script_frame_call *frame_calls; // [num_frame_calls], sorted by md5i_compare_frame_calls()
    uint32_t num_functions;
    uint32_t num_frame_calls;
} script_block;

#endif
