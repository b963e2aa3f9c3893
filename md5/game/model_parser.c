// What all readers of a model share.
#include "md5/game/model.h"

#include <stdarg.h>
#include <stdio.h>

void md5_model_fail(md5_model_parser *parser, const char *format, ...)
{
    char message[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    md5_decl_lex_warn(&parser->lex, "%s", message);
    parser->is_defaulted = true;
}

void md5_model_fail_at_end(md5_model_parser *parser)
{
    md5_model_fail(parser, "Unexpected end of file");
}

int32_t md5_model_find_joint(const md5_model_parser *parser, const char *name, size_t size)
{
    const md5_token word = {.text = name, .size = size};
    for (uint32_t i = 0; parser->mesh && i < parser->mesh->num_joints; i++) {
        if (md5_token_is_word(&word, parser->mesh->joints[i].name))
            return (int32_t)i;
    }
    return -1;
}
