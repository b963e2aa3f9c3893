// --help, --list-bindings and the manual page.
#include "demo/viewer/base/manual.h"

#include "demo/viewer/base/keys.h"
#include "demo/viewer/base/option_table.h"

#include <string.h>

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

// Wraps a text from a column on, of which `used` characters are written.
static void print_column(FILE *file, const char *text, int used, int column)
{
    if (used >= column) {
        fputc('\n', file);
        used = 0;
    }
    for (const char *line = text; line != NULL;) {
        const char *const end = strchr(line, '\n');
        const int length = end != NULL ? (int)(end - line) : (int)strlen(line);
        fprintf(file, "%*s%.*s\n", column - used, "", length, line);
        line = end != NULL ? end + 1 : NULL;
        used = 0;
    }
}

void view_print_help(FILE *file)
{
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
        print_column(file, o->help, used, 38);
    }
    fprintf(file, "\nExit status: %s", exit_status);
}

void view_print_bindings(FILE *file)
{
    view_key_line lines[VIEW_MAX_KEY_LINES];
    const uint32_t count = view_list_all_keys(lines);
    for (uint32_t i = 0; i < count; i++) {
        if (lines[i].heading != NULL)
            fprintf(file, "%s%s\n", i > 0 ? "\n" : "", lines[i].heading);
        fprintf(file, "  %-27s %s%s\n", lines[i].keys, lines[i].help,
                lines[i].only_in_machine ? " (state machine)" : "");
    }
}

// -- Manual page ----------------------------------------------------------------------------

// Writes text with roff's special characters escaped. Hyphens are written as \-, so that they can
// be copied into a command line.
static void print_roff(FILE *file, const char *text)
{
    bool begins = true;
    for (; *text != '\0'; text++) {
        if (begins && (*text == '.' || *text == '\''))
            fputs("\\&", file);
        if (*text == '-')
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

static void print_synopsis(FILE *file)
{
    fputs(".SH SYNOPSIS\n", file);
    for (int i = 0; i < NUM_USAGES; i++) {
        fprintf(file, "%s.B md5view\n", i > 0 ? ".br\n" : "");
        print_roff(file, usages[i]);
        fputc('\n', file);
    }
}

static void print_option(FILE *file, const view_option *option)
{
    char name[64];
    (void)snprintf(name, sizeof name, "--%s", option->name);
    if (option->heading != NULL)
        fprintf(file, ".SS %s\n", option->heading);
    print_tag(file, name, option->value);
    print_roff(file, option->help);
    fputc('\n', file);
    if (option->keys[0].code == 0)
        return;
    fputs("(Key: ", file);
    for (int i = 0; i < VIEW_MAX_SWITCH_KEYS && option->keys[i].code != 0; i++)
        if (option->keys[i].keys != NULL) {
            fputs(i > 0 ? "; " : "", file);
            print_roff(file, option->keys[i].keys);
        }
    fputs(")\n", file);
}

static void print_keys(FILE *file)
{
    view_key_line lines[VIEW_MAX_KEY_LINES];
    const uint32_t count = view_list_all_keys(lines);
    fputs(".SH KEYS AND MOUSE\n", file);
    for (uint32_t i = 0; i < count; i++) {
        if (lines[i].heading != NULL)
            fprintf(file, ".SS %s\n", lines[i].heading);
        print_tag(file, lines[i].keys, NULL);
        print_roff(file, lines[i].help);
        fputs(lines[i].only_in_machine ? " (state machine)\n" : "\n", file);
    }
}

void view_print_manual(FILE *file)
{
    size_t count;
    const view_option *const table = view_options_table(&count);
    fprintf(file,
            ".TH MD5VIEW 1 \"\" \"md5view %d.%d.%d\" \"User Commands\"\n.nh\n"
            ".SH NAME\nmd5view \\- show animated MD5 models\n",
            MD5_VERSION_MAJOR, MD5_VERSION_MINOR, MD5_VERSION_PATCH);
    print_synopsis(file);
    fputs(".SH DESCRIPTION\n", file);
    print_roff(file, description);
    fputs(".SH OPTIONS\n", file);
    for (size_t i = 0; i < count; i++)
        print_option(file, &table[i]);
    print_keys(file);
    fputs(".SH EXIT STATUS\n", file);
    print_roff(file, exit_status);
}
