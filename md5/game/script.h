// Compiled scripts. Three files produce them: script_tokens.c (files, directives, macros),
// script_decls.c (objects, functions, variables) and script_code.c (operations). states.c runs
// them. Operations work on a stack of values, whose types are found while they run.
#ifndef MD5_GAME_SCRIPT_H
#define MD5_GAME_SCRIPT_H

#include "md5/core/arena.h"
#include "md5/md5character.h"

// Values of one thread, locals included; calls in calls of one thread.
enum { SCRIPT_STACK = 64, SCRIPT_DEPTH = 32 };

typedef enum script_kind { SCRIPT_NUMBER, SCRIPT_TEXT, SCRIPT_VECTOR } script_kind;

// All zero is the number 0, and as good as an empty text and a vector.
typedef struct script_value {
    script_kind kind;
    md5_vec3 v; // a number is v.x
    char text[64];
} script_value;

typedef enum script_code {
    SCRIPT_CONSTANT, // pushes its value
    SCRIPT_LOCAL,    // pushes a local, or a variable; count: 0, or 1 to 3 for one of x, y, z
    SCRIPT_VARIABLE,
    SCRIPT_SET_LOCAL, // sets it, and keeps the value on the stack
    SCRIPT_SET_VARIABLE,
    SCRIPT_POP,
    SCRIPT_JUMP, // to operation arg
    SCRIPT_JUMP_UNLESS,
    SCRIPT_CALL,    // functions[arg], with `count` arguments
    SCRIPT_BUILTIN, // one of script_builtin
    SCRIPT_RETURN,  // with the value on the stack
    SCRIPT_NOT,
    SCRIPT_NEGATE,
    SCRIPT_COMPLEMENT,
    // Of two values; the first is below the second.
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
    SCRIPT_AND, // both are computed in any case
    SCRIPT_OR,
    SCRIPT_SECOND // of an assignment to what is not known
} script_code;

typedef struct script_op {
    uint8_t code;
    uint8_t count;
    uint32_t arg;
    const script_value *value;
} script_op;

// The functions of the engine that are known, a row for each. Up to animState() the first argument
// is a channel, and up to animDistance() the second one a clip.
#define SCRIPT_BUILTINS(ROW)                    \
    ROW(SCRIPT_PLAY_ANIM, "playAnim")           \
    ROW(SCRIPT_PLAY_CYCLE, "playCycle")         \
    ROW(SCRIPT_IDLE_ANIM, "idleAnim")           \
    ROW(SCRIPT_HAS_ANIM, "hasAnim")             \
    ROW(SCRIPT_CHOOSE_ANIM, "chooseAnim")       \
    ROW(SCRIPT_ANIM_LENGTH, "animLength")       \
    ROW(SCRIPT_ANIM_DISTANCE, "animDistance")   \
    ROW(SCRIPT_OVERRIDE_ANIM, "overrideAnim")   \
    ROW(SCRIPT_ENABLE_ANIM, "enableAnim")       \
    ROW(SCRIPT_STOP_ANIM, "stopAnim")           \
    ROW(SCRIPT_ANIM_DONE, "animDone")           \
    ROW(SCRIPT_SET_BLEND, "setBlendFrames")     \
    ROW(SCRIPT_GET_BLEND, "getBlendFrames")     \
    ROW(SCRIPT_IN_ANIM_STATE, "inAnimState")    \
    ROW(SCRIPT_GET_ANIM_STATE, "getAnimState")  \
    ROW(SCRIPT_ANIM_STATE, "animState")         \
    ROW(SCRIPT_SET_PREFIX, "setAnimPrefix")     \
    ROW(SCRIPT_PAIN_ANIM, "getPainAnim")        \
    ROW(SCRIPT_PREVENT_PAIN, "preventPain")     \
    ROW(SCRIPT_DISABLE_PAIN, "disablePain")     \
    ROW(SCRIPT_ENABLE_PAIN, "enablePain")       \
    ROW(SCRIPT_DISABLE_EYES, "disableEyeFocus") \
    ROW(SCRIPT_ENABLE_EYES, "enableEyeFocus")   \
    ROW(SCRIPT_ALLOW_MOVEMENT, "allowMovement") \
    ROW(SCRIPT_SET_STATE, "setState")           \
    ROW(SCRIPT_SET_NEXT_STATE, "setNextState")  \
    ROW(SCRIPT_WAIT_ACTION, "waitAction")       \
    ROW(SCRIPT_FINISH_ACTION, "finishAction")   \
    ROW(SCRIPT_WAIT_FRAME, "waitFrame")         \
    ROW(SCRIPT_WAIT, "wait")                    \
    ROW(SCRIPT_GET_TIME, "getTime")             \
    ROW(SCRIPT_RANDOM, "random")                \
    ROW(SCRIPT_INT, "int")                      \
    ROW(SCRIPT_GET_KEY, "getKey")               \
    ROW(SCRIPT_GET_INT_KEY, "getIntKey")        \
    ROW(SCRIPT_GET_FLOAT_KEY, "getFloatKey")    \
    ROW(SCRIPT_GET_VECTOR_KEY, "getVectorKey")

#define SCRIPT_NAME_OF(name, text) name,
#define SCRIPT_TEXT_OF(name, text) text,
typedef enum script_builtin { SCRIPT_BUILTINS(SCRIPT_NAME_OF) SCRIPT_UNKNOWN } script_builtin;

typedef struct script_function {
    const script_op *ops;
    uint32_t num_locals; // parameters included
    uint32_t need;       // values on the stack, at most SCRIPT_STACK
} script_function;

// What a frame command calls by its name: a method of the object, or a function.
typedef struct script_frame_call {
    md5_frame_code code;
    const char *name; // the command's text
    uint32_t function;
} script_frame_call;

// Their order in script_block, by kind and name: for bsearch().
int md5i_compare_frame_calls(const void *a, const void *b);

typedef struct script_block {
    md5_script script;
    md5_context context; // for its memory
    md5_arena arena;
    md5_script_variable *variables; // [script.num_variables]
    script_value *initial;
    md5_script_state *states; // [script.num_states], and their functions
    uint32_t *state_functions;
    script_function *functions;
    script_frame_call *frame_calls; // in order
    uint32_t num_functions;
    uint32_t num_frame_calls;
} script_block;

#endif
