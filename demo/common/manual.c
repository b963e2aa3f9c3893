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
static bool has_property(const common_manual_entry *entry, char property)
{
    if (property > '9')
        return entry->kind == property;
    return entry->values[property - '0'] != NULL;
}

// Interprets the template. The end of a loop over the entries jumps back to its start. Conditional
// text that is not printed is skipped up to its end.
void common_print_template(FILE *file, const char *template, const char *const *escapes,
                           const common_manual_entry *entries, size_t count)
{
    const common_manual_entry *entry = entries;
    const char *loop = template; // start of the current loop
    bool is_first = true;        // no separator was reached in the current loop

    for (const char *c = template; *c != '\0'; c++) {
        if (*c != '~') {
            fputc(*c, file);
            continue;
        }

        c++; // the directive
        switch (*c) {
        case '(':
            entry = entries;
            loop = c;
            is_first = true;
            break;
        case ')':
            entry++;
            if (entry < entries + count)
                c = loop;
            break;
        case '[':
            c++;
            if (!has_property(entry, *c))
                c = strstr(c, "~]") + 1;
            break;
        case ',':
            if (is_first)
                c = strstr(c, "~;") + 1;
            is_first = false;
            break;
        case ']':
        case ';':
            break;
        default:
            print_value(file, entry->values[*c - '0'], escapes);
            break;
        }
    }
}
