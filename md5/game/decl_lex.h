// The tokens of declarations, by id's rules (idLexer with the flags of declarations), faults
// included: any difference would change the verdict on some real file.
//
// - White space: bytes up to 0x20 and, outside strings, from 0x80 on. A NUL ends the text.
// - A comment of the form /* */ swallows the byte behind it, uncounted if that ends a line.
// - Names begin with a letter, _ / \ or . and go on with these, digits and : but not with -.
// - Numbers: 010 is octal, 0x1f hexadecimal, 0b1 binary; an exponent is a lower-case e; f F l L u U
//   behind a number are swallowed. 1.2.3 is an error.
// - Strings in " or ' end on their line, have no escapes, and are joined only by a backslash:
//   "a" \ "b". An error or the end of the text ends reading: md5i_decl_lex_read() returns false.
#ifndef MD5_GAME_DECL_LEX_H
#define MD5_GAME_DECL_LEX_H

#include "md5/game/decl_token.h"

// Reads the next token. Returns false at the end of the text and after an error, which is reported.
bool md5i_decl_lex_read(md5_decl_lex *lex, md5_token *token);

// The same if the token is on the line of the one before it; else reads nothing.
bool md5i_decl_lex_read_on_line(md5_decl_lex *lex, md5_token *token);

// Makes `token` the next one again. Only once between two reads.
void md5i_decl_lex_unread(md5_decl_lex *lex, const md5_token *token);

// Reads a token; reports if there is none.
bool md5i_decl_lex_any(md5_decl_lex *lex, md5_token *token);

// Reads a token that must be `text`; reports another one, which is lost.
bool md5i_decl_lex_expect(md5_decl_lex *lex, const char *text);

// Reads the next token if it is `text`.
bool md5i_decl_lex_take(md5_decl_lex *lex, const char *text);

// Skips tokens up to and including one that is `text`.
bool md5i_decl_lex_skip_until(md5_decl_lex *lex, const char *text);
void md5i_decl_lex_skip_line(md5_decl_lex *lex);

// Skips tokens until all braces are closed, of which `depth` are open at the start.
bool md5i_decl_lex_skip_braces(md5_decl_lex *lex, uint32_t depth);

// Reads a number, with a minus before it or without. Reports another token, whose value is 0.
// Returns false if it reported.
bool md5i_decl_lex_float(md5_decl_lex *lex, float *value);
int32_t md5i_decl_lex_int(md5_decl_lex *lex);

// Reads ( x y z ) into value[count]. Returns false and reports if a bracket is missing.
bool md5i_decl_lex_vector(md5_decl_lex *lex, float *value, size_t count);

#endif
