// Declarations of scripts: objects, namespaces, functions and variables. Bodies of functions are
// only located; script_code.c compiles the functions that something calls.
#ifndef MD5_GAME_SCRIPT_DECLS_H
#define MD5_GAME_SCRIPT_DECLS_H

#include "md5/game/script.h"
#include "md5/game/script_tokens.h"

// An object or a namespace.
typedef struct script_object {
    const char *parent; // "": does not have one
    // The namespace that contains a namespace; the object that inherits an object.
    struct script_object *outer;
    uint32_t members;       // index of the first token of the members; 0: not defined
    uint32_t depth;         // 1: the compiled object, 2: its parent, and so on; 0: any other object
    md5_name_map functions; // script_definition
} script_object;

// The definition of a function or of global variables.
typedef struct script_definition {
    const char *name;
    const script_token *name_token;
    script_object *object; // NULL: global
    // Indices of tokens.
    uint32_t first_token; // of the parameters of a function, or the type of variables
    uint32_t body_token;  // first token of the body of a function; 0: variables
    uint32_t end_token;   // after the last token
    uint32_t index;       // in script_block.functions; MD5_NONE: not compiled
    bool is_frame_call;
    struct script_definition *next;
    struct script_definition *next_compiled;
} script_definition;

typedef struct script_program {
    script_block *block; // the result
    md5_arena arena;     // memory that is freed after compiling
    script_tokens tokens;
    script_definition *first;
    script_definition **last;
    uint32_t num_definitions;
    script_object *space;   // the object or namespace of the current token; NULL: global
    md5_name_map objects;   // script_object
    md5_name_map functions; // global script_definition
    md5_name_map methods;   // script_definition of the compiled object
    md5_name_map variables; // uint32_t, an index in script_block.variables
} script_program;

// Finds the declarations in the tokens, and the variables and methods of an object and its parents.
// Returns false and sets the context's error if it fails.
bool md5i_read_script_declarations(script_program *program, const char *object);

// Returns the type with the name of a token.
md5_script_type md5i_script_type(const script_token *token);

// Returns the initial value of variables of a type.
script_value md5i_script_default(md5_script_type type);

// Reads a number, a text, a vector, or an entity of the map, whose value is 0.
script_value md5i_read_script_constant(script_tokens *tokens);

#endif
