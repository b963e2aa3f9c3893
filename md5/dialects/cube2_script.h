// The script language of the Cube 2 engines, in which md5.cfg files are written. cube2_script.c
// runs the commands of the language, and cube2.c executes the commands that describe a model.
//
// The supported part of Cube 2's script language: commands, `exec`, `if` and variables. A command
// consists of words and ends at a newline or at `;`.
//
// A block is a list of commands in brackets, for example `if $x [ md5load a.md5mesh ]`.
//
// The texts that are being read form a stack. `exec` pushes a file, and `if` pushes the selected
// block. Therefore no function recurses, and a hostile script cannot overflow the C stack.
#ifndef MD5_DIALECTS_CUBE2_SCRIPT_H
#define MD5_DIALECTS_CUBE2_SCRIPT_H

#include "md5/core/file.h"
#include "md5/core/lex.h"
#include "md5/decl/containers.h"

enum {
    MD5_CUBE2_MAX_WORDS = 25, // as in the engines
    MD5_CUBE2_MAX_DEPTH = 16,
    MD5_CUBE2_MAX_FILES = 64
};

typedef enum md5_cube2_word_kind {
    MD5_CUBE2_WORD,      // a string, a bare word, or the value of a variable
    MD5_CUBE2_BLOCK,     // [ ... ]
    MD5_CUBE2_EXPRESSION // ( ... ) or a(b); the value is unknown
} md5_cube2_word_kind;

typedef struct md5_cube2_word {
    md5_cube2_word_kind kind;
    const char *text; // NUL-terminated, in the arena; of a block, the text in its brackets
    const char *at;   // position in the script
    md5_span block;   // if a block: the text between its brackets in the script
} md5_cube2_word;

typedef struct md5_cube2_command {
    uint32_t num_words; // >= 1
    md5_cube2_word words[MD5_CUBE2_MAX_WORDS];
} md5_cube2_command;

// A text that is being read: an entry of the interpreter's stack.
typedef struct md5_cube2_frame {
    md5_lex lex;
    const char *file;
    md5_file_text text; // the file's memory; empty for a block, which is part of a file
} md5_cube2_frame;

typedef struct md5_cube2_script {
    md5_context *context;
    md5_arena *arena;
    const char *root;
    md5_name_map variables; // name to value; values are const char *
    uint32_t num_files;
    uint32_t depth;
    md5_cube2_frame frames[MD5_CUBE2_MAX_DEPTH];
} md5_cube2_script;

md5_lex *md5i_cube2_lex(md5_cube2_script *script);

// Returns the concatenation of both texts as a path: with / instead of \, and with . and ..
// resolved. Returns NULL if memory runs out.
const char *md5i_cube2_path(md5_arena *arena, const char *first, const char *second);

// Reads a file and pushes it on the stack. The caller has checked that the stack is not full.
// Returns false and sets the context's error if the file cannot be read.
bool md5i_cube2_open(md5_cube2_script *script, const char *file);

// Reads the next command about the model. Runs the commands of the script language before it.
// Returns false at the end of all texts. Also returns false if memory runs out, and sets the
// context's error.
bool md5i_cube2_next(md5_cube2_script *script, md5_cube2_command *command);

// Removes the text on top of the stack. Later messages refer to the file below it.
void md5i_cube2_end_text(md5_cube2_script *script);

#endif
