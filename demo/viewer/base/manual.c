// What the table of options prints: the help text, the manual page, and completions for shells.
#include "demo/viewer/base/options.h"

#include "demo/common/file.h"
#include "demo/viewer/base/commands.h"

#include <stdint.h>
#include <string.h>

// == Help and manual page =========================================================================
//
// --help, --list-bindings and the manual page.

static const char *const usages[] = {
    "[OPTION...] [MODEL.md5mesh] [ANIM.md5anim...] [CAMERA.md5camera] [FOLDER]",
    "[OPTION...] MACHINE.md5machine",
    "[OPTION...] MODEL/md5.cfg",
    "[OPTION...] --output FILE.png FOLDER",
    "[OPTION...] --game FOLDER-or-ARCHIVE [NAME]",
    "[OPTION...] --crowd N [MODEL-or-MACHINE [ANIM.md5anim...]]...",
};
enum { NUM_USAGES = sizeof usages / sizeof usages[0] };

static const char description[] =
    "Shows an animated model. If only a model is named, the matching animations in its folder\n"
    "are loaded. If only an animation is named, its joints are shown. An md5.cfg of Cube 2's\n"
    "engines, or its folder, is shown with its parts, skins and animations. A state machine is\n"
    "controlled by W A S D, Space and the panel. If a camera path is named, the view follows it;\n"
    "without a model the path itself is shown. If a folder is named, the window lists its files;\n"
    "of a game folder or an archive (.pk4, .zip) its entities, models, clips and skins.\n"
    "Without file names, the window opens the files of the last session, or else an example\n"
    "model.\n";

static const char exit_status[] =
    "0 success, 1 a file could not be shown or --verify failed, 2 invalid usage,\n"
    "3 no display or no OpenGL 3.3.\n";

// -- Plain text -----------------------------------------------------------------------------

static void print_help(FILE *file)
{
    enum { COLUMN = 38 }; // of what an option does
    size_t count;
    const view_option *const table = view_options_table(&count);
    for (int i = 0; i < NUM_USAGES; i++)
        fprintf(file, "md5view %s\n", usages[i]);
    fprintf(file, "\n%s", description);
    for (size_t i = 0; i < count; i++) {
        const view_option *const o = &table[i];
        if (o->heading != NULL)
            fprintf(file, "\n%s\n", o->heading);
        int used = fprintf(file, "  --%s", o->name);
        if (o->value != NULL)
            used += fprintf(file, " %s", o->value);
        if (used >= COLUMN) {
            fputc('\n', file);
            used = 0;
        }
        for (const char *line = o->help; line != NULL; used = 0) {
            const char *const end = strchr(line, '\n');
            const int length = end != NULL ? (int)(end - line) : (int)strlen(line);
            fprintf(file, "%*s%.*s\n", COLUMN - used, "", length, line);
            line = end != NULL ? end + 1 : NULL;
        }
    }
    fprintf(file, "\nExit status: %s", exit_status);
}

static void print_bindings(FILE *file)
{
    view_key_line lines[VIEW_MAX_KEY_LINES];
    const uint32_t count = view_list_keys(UINT32_MAX, NULL, 0, true, lines);
    for (uint32_t i = 0; i < count; i++) {
        if (lines[i].heading != NULL)
            fprintf(file, "%s%s\n", i > 0 ? "\n" : "", lines[i].heading);
        fprintf(file, "  %-27s %s\n", lines[i].keys, lines[i].help);
    }
}

// -- Manual page ----------------------------------------------------------------------------

// Writes text with roff's special characters escaped. Hyphens are written as \-, so that they can
// be copied into a command line, and the one sign that is not ASCII, of labels, as three dots.
static void print_roff(FILE *file, const char *text)
{
    bool begins = true;
    for (; *text != '\0'; text++) {
        if (begins && (*text == '.' || *text == '\''))
            fputs("\\&", file);
        if (strncmp(text, "…", 3) == 0) {
            fputs("...", file);
            text += 2;
        } else if (*text == '-')
            fputs("\\-", file);
        else if (*text == '\\')
            fputs("\\e", file);
        else
            fputc(*text, file);
        begins = *text == '\n';
    }
}

// Writes the tag of an entry: `text` in bold, then `value` in italics, which may be NULL.
static void print_tag(FILE *file, const char *text, const char *value)
{
    fputs(".TP\n\\fB", file);
    print_roff(file, text);
    fputs("\\fR", file);
    if (value != NULL) {
        fputs(" \\fI", file);
        print_roff(file, value);
        fputs("\\fR", file);
    }
    fputc('\n', file);
}

// Where the window has what an option does: the menu, and the key.
static void print_place(FILE *file, const char *option)
{
    size_t count;
    const view_command_row *const rows = view_commands(&count);
    for (size_t i = 0; i < count; i++) {
        char keys[64];
        if (rows[i].option == NULL || strcmp(rows[i].option, option) != 0)
            continue;
        view_print_keys(&rows[i], keys, sizeof keys);
        fputs("(Menu: ", file);
        print_roff(file, view_menu_names[rows[i].menu]);
        fputs(", ", file);
        print_roff(file, rows[i].label);
        fputs(keys[0] != '\0' ? "; key: " : "", file);
        print_roff(file, keys);
        fputs(")\n", file);
    }
}

static void print_manual(FILE *file)
{
    size_t count;
    const view_option *const table = view_options_table(&count);
    fprintf(file,
            ".TH MD5VIEW 1 \"\" \"md5view %d.%d.%d\" \"User Commands\"\n.nh\n"
            ".SH NAME\nmd5view \\- show animated MD5 models\n",
            MD5_VERSION_MAJOR, MD5_VERSION_MINOR, MD5_VERSION_PATCH);
    fputs(".SH SYNOPSIS\n", file);
    for (int i = 0; i < NUM_USAGES; i++) {
        fprintf(file, "%s.B md5view\n", i > 0 ? ".br\n" : "");
        print_roff(file, usages[i]);
        fputc('\n', file);
    }
    fputs(".SH DESCRIPTION\n", file);
    print_roff(file, description);
    fputs(".SH OPTIONS\n", file);
    for (size_t i = 0; i < count; i++) {
        const view_option *const option = &table[i];
        char name[64];
        (void)snprintf(name, sizeof name, "--%s", option->name);
        if (option->heading != NULL)
            fprintf(file, ".SS %s\n", option->heading);
        print_tag(file, name, option->value);
        print_roff(file, option->help);
        fputc('\n', file);
        print_place(file, option->name);
    }
    view_key_line lines[VIEW_MAX_KEY_LINES];
    const uint32_t num_lines = view_list_keys(UINT32_MAX, NULL, 0, true, lines);
    fputs(".SH KEYS AND MOUSE\n", file);
    for (uint32_t i = 0; i < num_lines; i++) {
        if (lines[i].heading != NULL)
            fprintf(file, ".SS %s\n", lines[i].heading);
        print_tag(file, lines[i].keys, NULL);
        print_roff(file, lines[i].help);
        fputc('\n', file);
    }
    fputs(".SH EXIT STATUS\n", file);
    print_roff(file, exit_status);
}

// == Completions ==================================================================================
//
// --completions: shell scripts that complete options, their values, and files.

// The possible values of an option.
typedef enum value_kind {
    VALUE_NONE,   // a switch; after "=": yes, no
    VALUE_WORDS,  // one of "a|b|c"
    VALUE_FILE,   // a path, possibly after "NAME="
    VALUE_OTHERS, // a number or a name
} value_kind;

static value_kind kind_of(const view_option *option)
{
    if (option->value == NULL)
        return VALUE_NONE;
    if (strchr(option->value, '|') != NULL)
        return VALUE_WORDS;
    const bool is_file =
        common_has_ending(option->value, "FILE") || common_has_ending(option->value, "MODEL");
    return is_file ? VALUE_FILE : VALUE_OTHERS;
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

static void print_zsh(FILE *file)
{
    size_t count;
    const view_option *const table = view_options_table(&count);
    fputs("#compdef md5view\n# zsh completion of md5view, printed by md5view --completions zsh.\n"
          "_md5view()\n{\n    _arguments \\\n",
          file);
    for (size_t i = 0; i < count; i++) {
        const view_option *const option = &table[i];
        const value_kind kind = kind_of(option);
        fprintf(file, "        '%s--%s%s[", option->kind >= VIEW_OPTION_TIMES ? "*" : "",
                option->name, kind == VALUE_NONE ? "=-" : "=");
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

bool view_print_asked(const view_options *options, FILE *file)
{
    static void (*const prints[])(FILE * file) = {
        [VIEW_BASH] = print_bash, [VIEW_ZSH] = print_zsh, [VIEW_FISH] = print_fish};
    if (options->help)
        print_help(file);
    else if (options->version)
        fprintf(file, "md5view %d.%d.%d\n", MD5_VERSION_MAJOR, MD5_VERSION_MINOR,
                MD5_VERSION_PATCH);
    else if (options->list_bindings)
        print_bindings(file);
    else if (options->manual)
        print_manual(file);
    else if (options->completions_given)
        prints[options->completions](file);
    else
        return false;
    return true;
}
