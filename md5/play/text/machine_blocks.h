// The larger blocks of a machine file, each in a file of its own.
#ifndef MD5_READ_MACHINE_BLOCKS_H
#define MD5_READ_MACHINE_BLOCKS_H

#include "md5/play/text/fields.h"
#include "md5/play/text/machine_file.h"

#define COUNT(table) ((uint32_t)(sizeof(table) / sizeof((table)[0])))
#define AT(type, member) .offset = offsetof(type, member)
#define ONLY(kind) .kinds = 1u << (kind)
#define WORDS(what, fields, kind) \
    (&(md5_block_words){what, fields, COUNT(fields), (uint32_t)(kind)})

// Each reads what follows its word, which begins at `at`. The record is the md5_machine_file.
bool md5i_read_clip_block(md5_lex *lex, const char *at, md5_record record);
bool md5i_read_morph_block(md5_lex *lex, const char *at, md5_record record);
bool md5i_read_layer_block(md5_lex *lex, const char *at, md5_record record);
bool md5i_read_modifier_block(md5_lex *lex, const char *at, md5_record record);

#endif
