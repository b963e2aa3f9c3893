// The script language of Cube 2's engines, as far as md5.cfg files use it: commands of words,
// separated by newlines and `;`, `exec`, `if` and variables.
//
// Texts that are being read are on a stack, so nothing recurses: `exec` puts a file on it, `if` the
// block that it chooses.
#ifndef MD5_GAME_CUBE2_SCRIPT_H
#define MD5_GAME_CUBE2_SCRIPT_H

#include "md5/core/file.h"
#include "md5/game/containers.h"
#include "md5/core/lex.h"

enum {
    MD5_CUBE2_MAX_WORDS = 25, // as in the engines
    MD5_CUBE2_MAX_DEPTH = 16,
    MD5_CUBE2_MAX_FILES = 64
};

typedef enum md5_cube2_word_kind {
    MD5_CUBE2_WORD,      // its text is known
    MD5_CUBE2_BLOCK,     // [ ... ]
    MD5_CUBE2_EXPRESSION // ( ... ), or a word that contains one: not evaluated
} md5_cube2_word_kind;

typedef struct md5_cube2_word {
    md5_cube2_word_kind kind;
    const char *text; // NUL-terminated, in the arena; of a block what is between its brackets
    const char *at;   // where it begins in the script
    md5_span block;   // of a block, the same in the script
} md5_cube2_word;

typedef struct md5_cube2_command {
    uint32_t num_words; // >= 1
    md5_cube2_word words[MD5_CUBE2_MAX_WORDS];
} md5_cube2_command;

// A text that is being read.
typedef struct md5_cube2_frame {
    md5_lex lex;
    const char *file;
    md5_file_text text; // empty for a block, which belongs to a file below it
} md5_cube2_frame;

typedef struct md5_cube2_script {
    md5_context *context;
    md5_arena *arena;
    const char *root;
    md5_name_map variables; // of const char
    uint32_t num_files, depth;
    md5_cube2_frame frames[MD5_CUBE2_MAX_DEPTH];
} md5_cube2_script;

// Puts a file on the stack. Returns false, with the context's error set, if it cannot be read.
bool md5i_cube2_script_open(md5_cube2_script *script, const char *file);

// Reads the next command that is not part of the language. Returns false at the end, or with the
// context's error set if memory runs out.
bool md5i_cube2_script_next(md5_cube2_script *script, md5_cube2_command *command);

// Closes what is still open.
void md5i_cube2_script_close(md5_cube2_script *script);

// Reports a warning at a word of the command that was read last.
void md5i_cube2_script_warn(md5_cube2_script *script, const md5_cube2_word *word,
                            const char *format, ...) MD5_PRINTF(3, 4);

// Returns a copy of "<first><second>" with / between folders and `..` resolved. NULL if memory runs
// out.
const char *md5i_cube2_join(md5_arena *arena, const char *first, const char *second);

#endif
