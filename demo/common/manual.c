// Expands templates of help texts, manual pages and shell completions.
#include "demo/common/manual.h"

#include <string.h>

const char *const common_plain[] = {NULL};
const char *const common_roff[] = {"\xC2\xB0", " degrees", "\n.", "\n\\&.", "\n'", "\n\\&'", "-",
                                   "\\-",      "\\",       "\\e", "…",      "...", NULL};

static void print_value(FILE *file, const char *value, const char *const *escapes)
{
    while (*value != '\0') {
        const char *const *escape = escapes;
        while (*escape && strncmp(value, *escape, strlen(*escape)) != 0)
            escape += 2;
        if (*escape)
            fputs(escape[1], file);
        else
            fputc(*value, file);
        value += *escape != NULL ? strlen(*escape) : 1;
    }
}

// Returns true if an entry has a value, by its digit, or this kind, by its letter.
static bool has_property(const common_manual_entry *row, char property)
{
    if (property > '9')
        return row->kind == property;
    return row->values[property - '0'] != NULL;
}

void common_print_template(FILE *file, const char *template, const char *const *escapes,
                           const common_manual_entry *rows, size_t count)
{
    const common_manual_entry *row = rows;
    const char *loop = template;
    bool is_first = true;
    for (const char *c = template; *c != '\0'; c++) {
        if (*c != '~') {
            fputc(*c, file);
            continue;
        }
        switch (*++c) {
        case '(':
            row = rows;
            loop = c;
            is_first = true;
            break;
        case ')':
            c = ++row < rows + count ? loop : c;
            break;
        case '[':
            c++;
            if (!has_property(row, *c))
                c = strstr(c, "~]") + 1;
            break;
        case ',':
            c = is_first ? strstr(c, "~;") + 1 : c;
            is_first = false;
            break;
        case ']':
        case ';':
            break;
        default:
            print_value(file, row->values[*c - '0'], escapes);
        }
    }
}
