// --completions: shell scripts that complete options, their values, and files.
#include "demo/viewer/base/manual.h"

#include "demo/viewer/base/option_table.h"

#include <string.h>

// The possible values of an option.
typedef enum value_kind {
    VALUE_NONE,   // a switch; after "=": yes, no
    VALUE_WORDS,  // one of "a|b|c"
    VALUE_FILE,   // a path, possibly after "NAME="
    VALUE_OTHERS, // a number or a name
} value_kind;

static bool ends_in(const char *text, const char *end)
{
    const size_t length = strlen(text), of_end = strlen(end);
    return length >= of_end && strcmp(text + length - of_end, end) == 0;
}

static value_kind kind_of(const view_option *option)
{
    if (option->value == NULL)
        return VALUE_NONE;
    if (strchr(option->value, '|') != NULL)
        return VALUE_WORDS;
    return ends_in(option->value, "FILE") || ends_in(option->value, "MODEL") ? VALUE_FILE
                                                                             : VALUE_OTHERS;
}

static bool may_be_repeated(const view_option *option)
{
    return option->kind == VIEW_OPTION_TEXTURE || option->kind == VIEW_OPTION_SETTING
           || option->kind == VIEW_OPTION_WEIGHT || option->kind == VIEW_OPTION_PARM
           || option->kind == VIEW_OPTION_TIMES || option->kind == VIEW_OPTION_MESH
           || option->kind == VIEW_OPTION_BASE;
}

// The words of "a|b|c" with spaces between them.
static void print_words(FILE *file, const char *words)
{
    for (; *words != '\0'; words++)
        fputc(*words == '|' ? ' ' : *words, file);
}

// Writes the first line of the help in single quotes, with a backslash before each character in
// `special`, and `apostrophe` in place of each apostrophe.
static void print_summary(FILE *file, const char *help, const char *special, const char *apostrophe)
{
    size_t length = strcspn(help, "\n");
    while (length > 0 && strchr(";:,", help[length - 1]) != NULL)
        length--;
    for (size_t i = 0; i < length; i++)
        if (help[i] == '\'')
            fputs(apostrophe, file);
        else
            fprintf(file, "%s%c", strchr(special, help[i]) != NULL ? "\\" : "", help[i]);
}

// -- bash -----------------------------------------------------------------------------------

// The pattern of a case: --first|--second. Returns whether there is any option of that kind.
static bool print_bash_pattern(FILE *file, value_kind kind)
{
    size_t count, num_printed = 0;
    const view_option *const table = view_options_table(&count);
    for (size_t i = 0; i < count; i++)
        if (kind_of(&table[i]) == kind)
            fprintf(file, "%s--%s", num_printed++ > 0 ? "|" : "    ", table[i].name);
    return num_printed > 0;
}

static void print_bash(FILE *file)
{
    size_t count;
    const view_option *const table = view_options_table(&count);
    fputs("# bash completion of md5view, printed by md5view --completions bash.\n"
          "_md5view()\n{\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} equals=\n"
          "    # bash makes three words of NAME=VALUE.\n"
          "    if [[ $word == = ]]; then\n"
          "        equals=1 word=\n"
          "    elif [[ $before == = ]] && ((COMP_CWORD >= 2)); then\n"
          "        equals=1 before=${COMP_WORDS[COMP_CWORD - 2]}\n"
          "    fi\n"
          "    COMPREPLY=()\n"
          "    case $before in\n",
          file);
    for (size_t i = 0; i < count; i++)
        if (kind_of(&table[i]) == VALUE_WORDS) {
            fprintf(file, "    --%s)\n        mapfile -t COMPREPLY < <(compgen -W '",
                    table[i].name);
            print_words(file, table[i].value);
            fputs("' -- \"$word\")\n        return\n        ;;\n", file);
        }
    if (print_bash_pattern(file, VALUE_FILE))
        fputs(")\n        return # files, by default\n        ;;\n", file);
    if (print_bash_pattern(file, VALUE_OTHERS))
        fputs(")\n        compopt +o default 2>/dev/null\n        return\n        ;;\n", file);
    fputs("    esac\n"
          "    if [[ $equals ]]; then\n"
          "        mapfile -t COMPREPLY < <(compgen -W 'yes no' -- \"$word\")\n"
          "    elif [[ $word == -* ]]; then\n"
          "        mapfile -t COMPREPLY < <(compgen -W '\n",
          file);
    for (size_t i = 0; i < count; i++)
        fprintf(file, "            --%s\n", table[i].name);
    fputs("        ' -- \"$word\")\n    fi\n}\ncomplete -o default -F _md5view md5view\n", file);
}

// -- zsh ------------------------------------------------------------------------------------

static void print_zsh_option(FILE *file, const view_option *option)
{
    const value_kind kind = kind_of(option);
    fprintf(file, "        '%s--%s%s[", may_be_repeated(option) ? "*" : "", option->name,
            kind == VALUE_NONE ? "=-" : "=");
    print_summary(file, option->help, "[]\\", "'\\''");
    fprintf(file, "]%s:%s:", kind == VALUE_NONE ? ":" : "",
            kind == VALUE_NONE ? "yes or no" : option->name);
    if (kind == VALUE_NONE)
        fputs("(yes no)", file);
    else if (kind == VALUE_FILE)
        fputs("_files", file);
    else if (kind == VALUE_WORDS) {
        fputc('(', file);
        print_words(file, option->value);
        fputc(')', file);
    } else
        fputc(' ', file);
    fputs("' \\\n", file);
}

static void print_zsh(FILE *file)
{
    size_t count;
    const view_option *const table = view_options_table(&count);
    fputs("#compdef md5view\n# zsh completion of md5view, printed by md5view --completions zsh.\n"
          "_md5view()\n{\n    _arguments \\\n",
          file);
    for (size_t i = 0; i < count; i++)
        print_zsh_option(file, &table[i]);
    fputs("        '*:file:_files'\n}\n"
          "# Installed as a file _md5view, or read by `source`.\n"
          "if [[ $funcstack[1] == _md5view ]]; then\n    _md5view \"$@\"\n"
          "else\n    compdef _md5view md5view\nfi\n",
          file);
}

// -- fish -----------------------------------------------------------------------------------

static void print_fish(FILE *file)
{
    size_t count;
    const view_option *const table = view_options_table(&count);
    fputs("# fish completion of md5view, printed by md5view --completions fish.\n", file);
    for (size_t i = 0; i < count; i++) {
        const value_kind kind = kind_of(&table[i]);
        fprintf(file, "complete -c md5view -l %s", table[i].name);
        if (kind == VALUE_FILE)
            fputs(" -r -F", file);
        else if (kind != VALUE_NONE)
            fputs(" -x", file);
        if (kind == VALUE_WORDS) {
            fputs(" -a '", file);
            print_words(file, table[i].value);
            fputc('\'', file);
        }
        fputs(" -d '", file);
        print_summary(file, table[i].help, "\\", "\\'");
        fputs("'\n", file);
    }
}

void view_print_completions(view_shell shell, FILE *file)
{
    static void (*const prints[])(FILE * file) = {
        [VIEW_BASH] = print_bash, [VIEW_ZSH] = print_zsh, [VIEW_FISH] = print_fish};
    prints[shell](file);
}
