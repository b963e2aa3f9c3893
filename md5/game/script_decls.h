// Declarations of scripts: objects, namespaces, functions and variables. The declarations contain
// the locations of the bodies of functions. script_code.c compiles the functions that states or
// other functions call.
#ifndef MD5_GAME_SCRIPT_DECLS_H
#define MD5_GAME_SCRIPT_DECLS_H

#include "md5/game/script.h"
#include "md5/game/script_tokens.h"

// An object or a namespace.
typedef struct script_object {
    const char *parent; // name of the parent of an object; "" if it has none
    // The namespace that contains a namespace, or the object that inherits an object.
    struct script_object *outer;
    uint32_t members; // index of the first token of the members; 0 if the object is not defined
    // Depth of inheritance: 1 for the compiled object, 2 for its parent, and so on. It is 0 for all
    // other objects.
    uint32_t depth;
    md5_name_map functions; // functions; values are script_definition
} script_object;

// The definition of a function or of global variables.
typedef struct script_definition {
    const char *name;
    const script_token *name_token;
    script_object *object; // the object or namespace that contains it; NULL if it is global
    // Indices of tokens.
    uint32_t first_token; // first token of the parameters of a function, or the type of variables
    uint32_t body_token;  // first token of the body of a function; 0 for variables
    uint32_t end_token;   // after the last token
    uint32_t index;       // index in script_block.functions; MD5_NONE if it is not compiled
    bool is_frame_call;   // the function is in script_block.frame_calls
    struct script_definition *next;          // in the order of the file
    struct script_definition *next_compiled; // in the list of functions to compile
} script_definition;

// A script that is being compiled: its tokens, and the declarations that were found in them.
typedef struct script_program {
    script_block *block; // the result
    md5_arena arena;     // memory that is freed after compiling
    script_tokens tokens;
    script_definition *first;
    script_definition **last;
    uint32_t num_definitions;
    script_object *space;   // the object or namespace that is read or compiled; NULL if global
    md5_name_map objects;   // objects and namespaces; values are script_object
    md5_name_map functions; // global functions; values are script_definition
    md5_name_map methods;   // functions of the compiled object; values are script_definition
    md5_name_map variables; // indices in script_block.variables; values are uint32_t
} script_program;

// Finds all declarations in the tokens, and the variables and methods of an object and its parents.
// Returns false and sets the context's error on failure.
bool md5i_read_script_declarations(script_program *program, const char *object);

// Returns the type with the name of a token.
md5_script_type md5i_script_type(const script_token *token);

// Returns the initial value of variables of a type.
script_value md5i_script_default(md5_script_type type);

// Reads a constant: a number, a text or a vector. A constant can also be an entity of the map,
// whose value is 0.
script_value md5i_read_script_constant(script_tokens *tokens);

#endif
