// Expands templates of help texts, manual pages and shell completions.
#include "demo/common/manual.h"

#include <string.h>

const char *const common_plain[] = {NULL};
const char *const common_roff[] = {"\xC2\xB0", " degrees", "\n.", "\n\\&.", "\n'", "\n\\&'", "-",
                                   "\\-",      "\\",       "\\e", "…",      "...", NULL};

// Prints a value. `escapes` is a list of pairs of texts. Where the first text of a pair occurs in
// the value, the second is printed instead. If several pairs match at a position, the first is
// used.
static void print_value(FILE *file, const char *value, const char *const *escapes)
{
    while (*value != '\0') {
        const char *const *escape = escapes; // a pair, or NULL at the end
        while (*escape && strncmp(value, *escape, strlen(*escape)) != 0)
            escape += 2;
        if (*escape) {
            fputs(escape[1], file);
            value += strlen(*escape);
        } else {
            fputc(*value, file);
            value++;
        }
    }
}

// Returns true if an entry has the property that a directive names. A digit means that the entry
// has a value with this index. A letter means that the entry is of this kind.
static bool has_property(const common_manual_entry *entry, char property)
{
    if (property > '9')
        return entry->kind == property;
    return entry->values[property - '0'] != NULL;
}

// Interprets the directives of a template, which begin with a tilde; see manual.h. At the end of a
// loop, continues at its start with the next entry. If the condition of a text is not fulfilled,
// skips to its end.
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
        case '(': // start of a loop
            entry = entries;
            loop = c;
            is_first = true;
            break;
        case ')': // end of a loop
            entry++;
            if (entry < entries + count)
                c = loop;
            break;
        case '[': // start of a condition
            c++;
            if (!has_property(entry, *c))
                c = strstr(c, "~]") + 1;
            break;
        case ',': // start of a separator
            if (is_first)
                c = strstr(c, "~;") + 1;
            is_first = false;
            break;
        case ']':
        case ';': // the end of text that was printed
            break;
        default: // the digit of a value
            print_value(file, entry->values[*c - '0'], escapes);
            break;
        }
    }
}
