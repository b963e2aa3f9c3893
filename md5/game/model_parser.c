// What all readers of a model share.
#include "md5/game/model.h"

#include <stdarg.h>
#include <stdio.h>

void md5i_model_fail(md5_model_parser *parser, const char *expected, const char *format, ...)
{
    char message[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    parser->is_defaulted |= md5i_mistake(&parser->lex, expected, "%s", message);
}

void md5i_model_fail_at_end(md5_model_parser *parser)
{
    md5i_model_fail(parser, "'}'", "Unexpected end of file");
}

void md5i_model_skip_unknown(md5_model_parser *parser, const md5_token *word, const char *what,
                             const char *expected)
{
    const char *const engine = md5i_engine_of_word(word, MD5_WORD_MODEL);
    const md5_quoted shown = md5i_token_show(word);
    if (engine && md5_is_lenient(parser->game))
        md5i_decl_lex_warn(&parser->lex, "%s is a word of %s, skipped", shown.text, engine);
    else
        md5i_model_fail(parser, expected, "%s %s", what, shown.text);
    if (!parser->is_defaulted)
        md5i_skip_unknown_word(&parser->lex, word, MD5_WORD_MODEL);
}

bool md5i_model_spend(md5_model_parser *parser, uint32_t num_joints)
{
    // Ten times what the largest games need: with it models take at most 40 MB for their channels.
    enum { MOST_JOINTS = 8 << 20 };
    uint32_t *const spent = &parser->game->num_model_joints;
    if (*spent < MOST_JOINTS && num_joints <= MOST_JOINTS - *spent) {
        *spent += num_joints;
        return true;
    }
    if (*spent < MOST_JOINTS) {
        *spent = MOST_JOINTS;
        md5i_model_fail(parser, "fewer, skipped",
                        "The channels of all models have more than %d joints", (int)MOST_JOINTS);
    }
    return false;
}

int32_t md5i_model_find_joint(md5_model_parser *parser, const char *name, size_t size)
{
    enum { QUICK = 32 }; // comparing a name is so much quicker than what else is done with a joint
    const md5_token word = {.text = name, .size = size};
    const uint32_t count = parser->mesh ? parser->mesh->num_joints : 0;
    const bool may_search = md5i_model_spend(parser, 1 + count / QUICK);
    for (uint32_t i = 0; may_search && i < count; i++) {
        if (md5i_token_is_word(&word, parser->mesh->joints[i].name))
            return (int32_t)i;
    }
    return -1;
}
