// What the table of options prints: the help text, the manual page, and completions for shells.
#include "demo/viewer/base/options.h"

#include "demo/common/manual.h"

// == Templates ====================================================================================
//
// Rows of options have the name, its value, the first line of the help, all of it, the heading
// above it, the name with its value as the help has them, where the window has it, and a star if it
// may be repeated. Their kinds are w for one of "a|b|c", f for a path, possibly after "NAME=", o
// for a number or a name, s for a switch, after "=" yes or no. Behind them are other rows: usages;
// a description, with what exit statuses mean; and keys, with heading and help at the end.

#define DESCRIPTION                                                                              \
    "Shows an animated model. If only a model is named, the matching animations in its folder\n" \
    "are loaded. If only an animation is named, its joints are shown. An md5.cfg of Cube 2's\n"  \
    "engines, or its folder, is shown with its parts, skins and animations. A state machine "    \
    "is\n"                                                                                       \
    "controlled by W A S D, Space and the panel. If a camera path is named, the view follows "   \
    "it;\n"                                                                                      \
    "without a model the path itself is shown. If a folder is named, the window lists its "      \
    "files;\n"                                                                                   \
    "of a game folder or an archive (.pk4, .pk3, .pak, .zip) its entities, models, clips and\n"  \
    "skins.\n"                                                                                   \
    "Without file names, the window opens the files of the last session, or else an example\n"   \
    "model.\n"
#define STATUSES                                                                    \
    "0 success, 1 a file could not be shown or --verify failed, 2 invalid usage,\n" \
    "3 no display or no OpenGL 3.3.\n"

static const common_row other_rows[] = {
    {'u', {"[OPTION...] [MODEL.md5mesh] [ANIM.md5anim...] [CAMERA.md5camera] [FOLDER]"}},
    {'u', {"[OPTION...] MACHINE.md5machine"}},
    {'u', {"[OPTION...] MODEL/md5.cfg"}},
    {'u', {"[OPTION...] --output FILE.png FOLDER"}},
    {'u', {"[OPTION...] --game FOLDER-or-ARCHIVE [NAME]"}},
    {'u', {"[OPTION...] --crowd N [MODEL-or-MACHINE [ANIM.md5anim...]]..."}},
    {'a', {DESCRIPTION, NULL, STATUSES}},
};
enum { NUM_OTHERS = COMMON_LENGTH(other_rows) };

enum { COLUMN = 38 }; // of what an option does
static const char *const in_help[] = {"\n", "\n                                      ", NULL};
static const char *const in_fish[] = {"|", " ", "'", "\\'", "\\", "\\\\", NULL};
static const char *const in_quotes[] = {"|", " ",   "'",  "'\\''", "[", "\\[",
                                        "]", "\\]", "\\", "\\\\",  NULL};

// What is printed. The scripts of --completions, first, are for options and their values; files are
// completed by default.
enum { HELP = VIEW_FISH + 1, VERSION, BINDINGS, MANUAL, NOTHING };

static const struct {
    const char *text;
    const char *const *escapes;
} prints[] = {
    [VIEW_BASH] =
        {"# bash completion of md5view, printed by md5view --completions bash.\n"
         "_md5view()\n{\n"
         "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} equals=\n"
         "    # bash makes three words of NAME=VALUE.\n"
         "    if [[ $word == = ]]; then\n"
         "        equals=1 word=\n"
         "    elif [[ $before == = ]] && ((COMP_CWORD >= 2)); then\n"
         "        equals=1 before=${COMP_WORDS[COMP_CWORD - 2]}\n"
         "    fi\n"
         "    COMPREPLY=()\n"
         "    case $before in\n"
         "~(~[w    --~0)\n"
         "        mapfile -t COMPREPLY < <(compgen -W '~1' -- \"$word\")\n"
         "        return\n"
         "        ;;\n"
         "~]~)    ~(~[f~,|~;--~0~]~))\n"
         "        return # files, by default\n"
         "        ;;\n"
         "    ~(~[o~,|~;--~0~]~))\n"
         "        compopt +o default 2>/dev/null\n"
         "        return\n"
         "        ;;\n"
         "    esac\n"
         "    if [[ $equals ]]; then\n"
         "        mapfile -t COMPREPLY < <(compgen -W 'yes no' -- \"$word\")\n"
         "    elif [[ $word == -* ]]; then\n"
         "        mapfile -t COMPREPLY < <(compgen -W '\n"
         "~(            --~0\n~)"
         "        ' -- \"$word\")\n    fi\n}\ncomplete -o default -F _md5view md5view\n",
         in_quotes},
    [VIEW_ZSH] =
        {"#compdef md5view\n"
         "# zsh completion of md5view, printed by md5view --completions zsh.\n"
         "_md5view()\n{\n    _arguments \\\n"
         "~(        '~7--~0=~[s-~][~2]~[s::yes or no:(yes no)~]~[f:~0:_files~]~[w:~0:(~1)~]"
         "~[o:~0: ~]' \\\n~)"
         "        '*:file:_files'\n}\n"
         "# Installed as a file _md5view, or read by `source`.\n"
         "if [[ $funcstack[1] == _md5view ]]; then\n    _md5view \"$@\"\n"
         "else\n    compdef _md5view md5view\nfi\n",
         in_quotes},
    [VIEW_FISH] = {"# fish completion of md5view, printed by md5view --completions fish.\n"
                   "~(complete -c md5view -l ~0~[f -r -F~]~[w -x -a '~1'~]~[o -x~] -d '~2'\n~)",
                   in_fish},
    [HELP] = {"~(~[umd5view ~0\n~]~)\n" DESCRIPTION
              "~(~[4\n~4\n~]~[5~5~3\n~]~)\nExit status: " STATUSES,
              in_help},
    [VERSION] = {"md5view " COMMON_VERSION "\n", common_plain},
    [BINDINGS] = {"~(~[8~,\n~;~8\n~]~[9  ~7 ~9\n~]~)", common_plain},
    [MANUAL] =
        {".TH MD5VIEW 1 \"\" \"md5view " COMMON_VERSION "\" \"User Commands\"\n"
         ".nh\n.SH NAME\nmd5view \\- show animated MD5 models\n"
         ".SH SYNOPSIS\n~(~[u~,.br\n~;.B md5view\n~0\n~]~)"
         ".SH DESCRIPTION\n~(~[a~0~]~)"
         ".SH OPTIONS\n~(~[4.SS ~4\n~]~[3.TP\n\\fB\\-\\-~0\\fR~]~[1 \\fI~1\\fR~]~[3\n~3\n~6~]~)"
         ".SH KEYS AND MOUSE\n~(~[8.SS ~8\n~]~[9.TP\n\\fB~0\\fR\n~9\n~]~)"
         ".SH EXIT STATUS\n~(~[a~2~]~)",
         common_roff},
};

bool view_print_asked(const view_options *options, FILE *file)
{
    const int asked = options->help                ? HELP
                      : options->version           ? VERSION
                      : options->list_bindings     ? BINDINGS
                      : options->manual            ? MANUAL
                      : options->completions_given ? (int)options->completions
                                                   : NOTHING;
    const size_t count = view_num_options;
    view_key_line lines[VIEW_MAX_KEY_LINES];
    const uint32_t num_keys = view_list_keys(UINT32_MAX, NULL, 0, true, lines);
    const size_t total = count + NUM_OTHERS + num_keys;
    if (asked == NOTHING)
        return false;
    common_row *const rows = common_alloc(total, sizeof *rows);
    common_list texts = {0};
    COMMON_FOR (i, count) {
        const view_option *const o = &view_option_rows[i];
        const char *const value = o->value != NULL ? o->value : "", *place = "";
        const int room = COLUMN - (int)strlen(o->name) - (int)strlen("  -- ");
        int length = (int)strcspn(o->help, "\n");
        while (length > 0 && strchr(";:,", o->help[length - 1]) != NULL)
            length--;
        COMMON_EACH (command, view_command_rows, view_num_commands) {
            char keys[64];
            if (view_option_of(command) != o)
                continue;
            view_print_keys(command, keys, sizeof keys);
            place = common_add(&texts, common_format("%s(Menu: %s, %s%s%s)\n", place,
                                                     view_menu_names[command->menu], command->label,
                                                     keys[0] != '\0' ? "; key: " : "", keys));
        }
        rows[i] = (common_row){
            value[0] == '\0'                                                        ? 's'
            : strchr(value, '|') != NULL                                            ? 'w'
            : common_has_ending(value, "FILE") || common_has_ending(value, "MODEL") ? 'f'
                                                                                    : 'o',
            {o->name, o->value, common_add(&texts, common_format("%.*s", length, o->help)), o->help,
             o->heading,
             common_add(&texts, common_format("  --%s %-*s%s", o->name, room, value,
                                              (int)strlen(value) < room ? "" : "\n")),
             place, o->kind == COMMON_TEXTS || o->kind >= VIEW_OPTION_TIMES ? "*" : ""}};
    }
    memcpy(rows + count, other_rows, sizeof other_rows);
    COMMON_FOR (i, num_keys)
        rows[count + NUM_OTHERS + i] =
            (common_row){.values = {[0] = lines[i].keys,
                                    [7] = common_add(&texts, common_format("%-27s", lines[i].keys)),
                                    [8] = lines[i].heading,
                                    [9] = lines[i].help}};
    common_print_rows(file, prints[asked].text, prints[asked].escapes, rows,
                      asked <= VIEW_FISH ? count : total);
    common_free_list(&texts);
    free(rows);
    return true;
}
