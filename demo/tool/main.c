// md5tool: prints what is in MD5 files, without a window.
#include "demo/common/answers.h"
#include "demo/common/manual.h"
#include "demo/tool/tool.h"

#include <float.h>

// == Commands =====================================================================================

static const tool_command *const commands[] = {
    &tool_info, &tool_check,    &tool_diff,       &tool_fix,     &tool_convert,
    &tool_dump, &tool_curves,   &tool_list,       &tool_explain, &tool_verdicts,
    &tool_bind, &tool_compress, &tool_decompress, &tool_bake,
};
enum { NUM_COMMANDS = COMMON_LENGTH(commands) };

// -- Manual page and completions ------------------------------------------------------------------
//
// Both are templates of rows, which have of each command its name, its options, how it is called,
// and the help below that.

static const char manual[] =
    ".TH MD5TOOL 1 \"\" \"md5tool " COMMON_VERSION "\" \"User Commands\"\n"
    ".nh\n.SH NAME\nmd5tool \\- print what is in MD5 models and animations\n.SH SYNOPSIS\n"
    "~(~,.br\n~;.B md5tool\n~2\n~)"
    ".SH DESCRIPTION\nReads .md5mesh, .md5anim, .md5camera and .md5machine files.\n"
    "After \\-\\- only files follow.\n.SH COMMANDS\n"
    "~(.SS ~0\n.nf\n~3.fi\n~)"
    ".SH EXIT STATUS\n0 success, 1 a file has an error, 2 the arguments are wrong.\n"
    ".SH SEE ALSO\n.BR md5view (1)\n";

// The scripts that complete words: names of commands and, for each command, of options.
#define WORDS "~(~0 ~)--help --version --man --completions"
static const struct shell {
    const char *name, *script;
} shells[] = {
    {"bash",
     "# bash completion of md5tool, as md5tool --completions bash prints it.\n"
     "_md5tool()\n{\n    local words='" WORDS "'\n"
     "    if ((COMP_CWORD > 1)); then\n    case ${COMP_WORDS[1]} in\n"
     "~(    ~0) words='~1--help' ;;\n~)"
     "    --completions) words='bash zsh fish' ;;\n    *) words= ;;\n    esac\n    fi\n"
     "    COMPREPLY=()\n"
     "    if ((COMP_CWORD == 1)) || [[ ${COMP_WORDS[COMP_CWORD]} == -* ]] ||\n"
     "        [[ ${COMP_WORDS[1]} == --completions ]]; then\n"
     "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"${COMP_WORDS[COMP_CWORD]}\")\n"
     "    fi\n}\ncomplete -o default -F _md5tool md5tool\n"},
    {"zsh", "#compdef md5tool\n"
            "# zsh completion of md5tool, as md5tool --completions zsh prints it.\n"
            "_md5tool()\n{\n    local words='" WORDS "'\n"
            "    if ((CURRENT == 2)); then\n        compadd -- ${=words}\n        return\n    fi\n"
            "    case ${(Q)${(z)BUFFER}[2]} in\n"
            "~(    ~0) words='~1--help' ;;\n~)"
            "    --completions) words='bash zsh fish' ;;\n    *) words= ;;\n    esac\n"
            "    compadd -- ${=words}\n    _files\n}\n"
            "# Found by its name as a file _md5tool, or read by `source`.\n"
            "if [[ $funcstack[1] == _md5tool ]]; then\n    _md5tool \"$@\"\n"
            "else\n    compdef _md5tool md5tool\nfi\n"},
    {"fish",
     "# fish completion of md5tool, as md5tool --completions fish prints it.\n"
     "complete -c md5tool -n __fish_use_subcommand -f -a '" WORDS "'\n"
     "~(complete -c md5tool -n '__fish_seen_subcommand_from ~0' -a '~1--help'\n~)"
     "complete -c md5tool -n '__fish_seen_subcommand_from --completions' -f -a 'bash zsh fish'\n"},
};

// The manual page for NULL, else the script for that shell.
static int print_rows(const char *name)
{
    const struct shell *shell = shells;
    while (name && shell < shells + 3 && strcmp(name, shell->name) != 0)
        shell++;
    if (shell == shells + 3)
        return tool_usage(NULL, "unknown shell '%s': expected bash, zsh or fish", name);
    common_row rows[NUM_COMMANDS];
    common_list texts = {0};
    COMMON_FOR (i, NUM_COMMANDS) {
        const char *const usage = commands[i]->help + strlen("usage: md5tool "), *line = usage;
        const int length = (int)strcspn(usage, "\n");
        const char *words = "";
        for (; (line = strstr(line, "\n  --")) != NULL; line++)
            words = common_add(
                &texts, common_format("%s%.*s ", words, (int)strcspn(line + 3, " "), line + 3));
        rows[i].values[0] = commands[i]->name;
        rows[i].values[1] = words;
        rows[i].values[2] = common_add(&texts, common_format("%.*s", length, usage));
        rows[i].values[3] = usage + length + 1;
    }
    common_print_rows(stdout, name ? shell->script : manual, name ? common_plain : common_roff,
                      rows, NUM_COMMANDS);
    common_free_list(&texts);
    return TOOL_OK;
}

static const char tool_help[] =
    "usage: md5tool COMMAND [OPTION...] FILE...\n"
    "\n"
    "  info FILE...        print a summary of MD5 files and of Cube 2's md5.cfg\n"
    "  check FILE...       print what is wrong with files, and what each engine does with them\n"
    "  fix FILE...         write files anew: mended, or scaled, turned, cut, merged\n"
    "  convert FILE...     convert models and clips from and to other formats\n"
    "  diff FIRST SECOND   print what differs between two files or folders\n"
    "  dump MESH [ANIM]    print every number as text, in the bind pose and posed\n"
    "  curves MESH ANIM    print speed and standing feet as curves of a machine file's clip\n"
    "  list DIR            list the contents of a game folder or a folder of models\n"
    "  explain DIR NAME    print where an item of a game folder comes from and what is missing\n"
    "  verdicts            print how Doom 3 interprets the declarations of a game folder\n"
    "  bind OBJ MESH       bind a bare mesh to a model's joints, with automatic weights\n"
    "  compress ANIM       compress an animation to an error in units at the skin\n"
    "  decompress FILE     print a compressed animation as .md5anim\n"
    "  bake FILE...        write models and clips as an asset file, or bake a character\n"
    "\n"
    "  --                  end of options: only files follow\n"
    "  --help              print this text, or the help of a command; also: help [COMMAND]\n"
    "  help WORD...        print what the guides say to a word or question, help words to all\n"
    "  --version           print the version of the library\n"
    "  --man               print the manual page\n"
    "  --completions bash|zsh|fish   print a completion script for the shell\n";

// -- Options --------------------------------------------------------------------------------------

// All options of all commands: a command has those that its help describes, so that the help, the
// manual page, the completions and what is accepted never differ. The help has the names of values.
#define AT(what, member) .kind = COMMON_##what, .place = offsetof(tool_arguments, member)
#define RANGE(least, most) .low = (least), .high = (most)

static const common_option options[] = {
    {"base", AT(TEXT, base)},
    {"mod", AT(TEXT, mod)},
    {"output", AT(TEXT, output)},
    {"mesh", AT(TEXT, mesh)},
    {"rename", AT(TEXTS, renames)},
    {"add-root", AT(TEXT, joint_edit.root)},
    {"unused-joints", AT(SWITCH, joint_edit.drops_unused)},
    {"unused", AT(SWITCH, mesh_edit.drops_unused)},
    {"bad-triangles", AT(SWITCH, drops_triangles)},
    {"merge", AT(SWITCH, mesh_edit.is_merged)},
    {"winding", AT(SWITCH, turns_inward)},
    {"max-vertices", AT(COUNT, mesh_edit.max_vertices), RANGE(3, 1e9)},
    {"max-triangles", AT(COUNT, mesh_edit.max_triangles), RANGE(1, 1e9)},
    {"turn", AT(TEXT, turn)},
    {"mirror", AT(SWITCH, space_edit.is_mirrored)},
    {"swap-sides", AT(SWITCH, swaps_sides)},
    {"frames", AT(TEXT, frames)},
    {"cut", AT(TEXTS, cuts)},
    {"close-loop", AT(SWITCH, frame_edit.is_closed)},
    {"in-place", AT(SWITCH, frame_edit.is_in_place)},
    {"reduce", AT(FLOAT, frame_edit.tolerance), RANGE(1e-30, 1e9)},
    {"force", AT(SWITCH, is_forced)},
    {"dry-run", AT(SWITCH, is_dry)},
    {"json", AT(SWITCH, is_json)},
    {"y-up", AT(SWITCH, is_y_up)},
    {"influences", AT(COUNT, influences), RANGE(1, 16)},
    {"resolution", AT(COUNT, resolution), RANGE(4, 256)},
    {"error", AT(FLOAT, tolerance), RANGE(1e-30, 1e9)},
    {"scale", AT(NUMBER, scale), RANGE(1e-6, 1e6)},
    {"rate", AT(NUMBER, rate), RANGE(1e-6, 1e6)},
    {"map", AT(TEXT, map)},
    {"palette", AT(TEXT, palette)},
    {"print-map", AT(SWITCH, prints_map)},
    {"to", AT(TEXT, to)},
    {"scene", AT(TEXT, scene)},
    {"quantize", AT(SWITCH, is_quantized)},
    {"pack", AT(SWITCH, is_packed)},
    {"tag", AT(TEXTS, tags)},
    {"texture", AT(TEXTS, said[CONVERT_MAP_COLOR])},
    {"normal-map", AT(TEXTS, said[CONVERT_MAP_NORMAL])},
    {"specular-map", AT(TEXTS, said[CONVERT_MAP_SPECULAR])},
    {"glow-map", AT(TEXTS, said[CONVERT_MAP_GLOW])},
    {"hide", AT(TEXTS, said[CONVERT_NUM_MAPS])},
    {"wear", AT(TEXTS, worn)},
    {"range", AT(RANGE, range), RANGE(0, 1e9)},
    {"up", "z|y", AT(EITHER, was_y_up)},
    {"formats", AT(SWITCH, shows_formats)},
    {"fit", AT(SWITCH, is_fitted)},
    {"joint", AT(TEXTS, joints)},
    {"frame", AT(COUNT, frame), RANGE(0, 1e9)},
    {"ms", "MILLISECONDS", AT(NUMBER, ms), RANGE(-DBL_MAX, DBL_MAX)},
    {"exclude", AT(TEXTS, excluded)},
    {"only", AT(TEXTS, only)},
    {"ignore", AT(TEXTS, ignored)},
    {"for", AT(TEXTS, engines)},
    {"sarif", AT(SWITCH, is_sarif)},
    {"github", AT(SWITCH, is_github)},
    {"all", AT(SWITCH, shows_all)},
    {"rules", AT(SWITCH, shows_rules)},
    {"root", "file|id|in_place", AT(CHOICE, root)},
};
enum { NUM_OPTIONS = COMMON_LENGTH(options) };

// What the help of a command says of an option, behind its name; NULL: nothing.
static const char *find_help(const tool_command *command, const char *option)
{
    char *const begin = common_format("\n  --%s ", option);
    const char *const line = strstr(command->help, begin);
    const size_t length = strlen(begin);
    free(begin);
    return line ? line + length : NULL;
}

// Whether the help of a command has a word.
static bool has_word(const char *help, const char *word)
{
    const size_t length = strlen(word);
    for (const char *c = help; (c = strstr(c, word)) != NULL; c++)
        if (c > help && c[-1] == ' ' && c[length] == ' ')
            return true;
    return false;
}

// What options are for: the words of their help, "of" inputs, "to" an output and "with" one of
// them, or of the line above such options. !: all but these.
static const struct scope {
    const char *words, *endings;
} scopes[] = {
    {"of a folder: ", " / "},
    {"of meshes: ", " .md5mesh .bmd5mesh "},
    {"of meshes and clips: ", " .md5mesh .bmd5mesh .md5anim .bmd5anim "},
    {"of clips: ", "! / .md5mesh .bmd5mesh .md5camera .bcanim "},
    {"of glTF: ", " .glb .gltf "},
    {"with MDL: ", " .mdl "},
    {"to MD5 and games: ", "! .glb .gltf .iqm .obj "},
    {"to MD3: ", " .md3 "},
    {"to glTF: ", " .glb .gltf "},
    {"to OBJ: ", " .obj "},
};
enum { NUM_SCOPES = COMMON_LENGTH(scopes) };

static bool is_in_scope(const struct scope *scope, const char *path)
{
    const bool is_folder = common_holds_files(path);
    const char *const ending = strrchr(common_base(path), '.');
    char *const word = common_format(" %s ", ending && !is_folder ? ending : "/");
    for (char *c = word; *c != '\0'; c++)
        *c = (char)tolower((unsigned char)*c);
    const bool is_in = (strstr(scope->endings, word) != NULL) != (scope->endings[0] == '!');
    free(word);
    return is_in;
}

// Whether a command does nothing with an option for these words and this output. Prints so.
static bool is_useless(const tool_command *command, const char *option,
                       const tool_arguments *arguments)
{
    const char *const line = find_help(command, option), *above = "", *c = command->help;
    for (; (c = strstr(c, "\nOf ")) != NULL && c < line; c++)
        above = c + strlen("\nO");
    char *const text = common_format("%.*s", (int)strcspn(line, "\n"), line);
    const bool is_batch = arguments->num_words > 0 && common_holds_files(arguments->words[0]);
    const char *const to = arguments->to ? arguments->to : is_batch ? "glb" : NULL;
    char *const output = to ? common_format("x.%s", to) : common_copy(arguments->output);
    const struct scope *missed = NULL;
    for (const struct scope *s = scopes; s < scopes + NUM_SCOPES && !missed; s++) {
        const bool is_said =
            strstr(text, s->words) || strncmp(above, s->words + 1, strlen(s->words) - 2) == 0;
        bool is_used = !is_said || arguments->num_words == 0;
        if (s->words[0] != 'o')
            is_used = !is_said || !output || is_in_scope(s, output);
        COMMON_FOR_WHILE (k, arguments->num_words, s->words[0] != 't') {
            const char *const word = arguments->words[k];
            // Folders, and files without a known ending, may hold all that files hold.
            is_used |= is_in_scope(s, word)
                       || (s > scopes && (common_is_folder(word) || !convert_reads(word)));
        }
        missed = is_used ? NULL : s;
    }
    if (missed)
        tool_usage(command->name, "--%s has no effect here: it is %.*s", option,
                   (int)strcspn(missed->words, ":"), missed->words);
    free(text);
    free(output);
    return missed;
}

// Whether the output is a file that is read, which may be the only one of its kind. Prints so.
// Commands that have --force ask for it themselves.
static bool overwrites_input(const tool_command *command, const tool_arguments *arguments)
{
    const char *const output = arguments->output;
    if (!output || !common_is_file(output) || has_word(command->help, "--force"))
        return false;
    COMMON_FOR (i, arguments->num_words)
        if (common_is_file(arguments->words[i]) && common_same_file(output, arguments->words[i])) {
            tool_usage(command->name, "'%s' would be overwritten: expected another output",
                       arguments->words[i]);
            return true;
        }
    return false;
}

// Whether a word is the path of what is in an archive, as check prints it. Prints so.
static bool is_inside(const tool_command *command, const char *word)
{
    bool is_in = false;
    for (const char *end = word; !is_in && (end = strchr(end, '/')) != NULL; end++) {
        char *const archive = common_format("%.*s", (int)(end - word), word);
        is_in = common_is_archive(archive) && common_is_file(archive);
        if (is_in)
            tool_usage(command->name, "'%s' is inside the archive %s: md5tool info %s lists it",
                       word, archive, archive);
        free(archive);
    }
    return is_in;
}

// Moves the words to the start of `list`; behind `--` there are only words. Prints what is wrong.
static bool read_arguments(const tool_command *command, int count, char **list,
                           tool_arguments *arguments)
{
    bool has_ended = false, is_mixed = false, is_given[NUM_OPTIONS] = {false}; // has_ended: by --
    COMMON_FOR (i, count) {
        char *const argument = list[i];
        if (has_ended || argument[0] != '-' || argument[1] == '\0') {
            list[arguments->num_words++] = argument;
            continue;
        }
        has_ended = strcmp(argument, "--") == 0;
        if (has_ended)
            continue;
        const char *const name = strcmp(argument, "-o") == 0 ? "output" : argument + 2;
        int k = 0;
        while (k < NUM_OPTIONS && strcmp(options[k].name, name) != 0)
            k++;
        if (k == NUM_OPTIONS || !has_word(command->help, argument)) {
            tool_usage(command->name, "unknown option '%s'", argument);
            return false;
        }
        const bool is_time = options[k].place == offsetof(tool_arguments, frame)
                             || options[k].place == offsetof(tool_arguments, ms);
        if (is_given[k] && options[k].kind != COMMON_TEXTS && options[k].kind != COMMON_SWITCH
            && !is_time) {
            tool_usage(command->name, "--%s is given twice: expected it once", name);
            return false;
        }
        is_given[k] = true;
        arguments->has_root |= options[k].place == offsetof(tool_arguments, root);
        common_option row = options[k];
        const bool is_switch = row.kind == COMMON_SWITCH;
        const char *const help = find_help(command, name);
        const char *const text = is_switch || i + 1 == count ? NULL : list[++i];
        char problem[512], *const value = common_format("%.*s", (int)strcspn(help, " "), help);
        row.value = row.value ? row.value : value;
        const bool is_read = (is_switch || text) && common_read_value(&row, text, arguments);
        if (!is_read) {
            common_explain_value(&row, text, problem, sizeof problem);
            tool_usage(command->name, "%s", problem);
        }
        free(value);
        if (!is_read)
            return false;
        const bool is_frame = row.place == offsetof(tool_arguments, frame);
        if (is_time) {
            is_mixed |= arguments->num_times > 0 && arguments->counts_frames != is_frame;
            arguments->counts_frames = is_frame;
            arguments->times[arguments->num_times++] = is_frame ? arguments->frame : arguments->ms;
        }
    }
    const char *unknown = NULL; // engine
    COMMON_FOR (i, arguments->engines.count) {
        const char *const name = arguments->engines.names[i];
        const uint32_t engines = md5_find_engines(name);
        // Some engines have files that are only written.
        const bool is_known =
            engines != 0 || (command == &tool_convert && convert_has_frames(name));
        unknown = is_known || unknown ? unknown : name;
        arguments->asked.sure = arguments->asked.all |= engines;
    }
    if (unknown)
        tool_usage(command->name, "unknown engine '%s': expected one that check --rules names",
                   unknown);
    else if (arguments->num_words < command->min_words)
        tool_usage(command->name, "missing file: expected %s", command->words);
    else if (arguments->num_words > command->max_words)
        tool_usage(command->name, "expected %s, not also '%s'", command->words,
                   list[command->max_words]);
    else if ((arguments->shows_rules || arguments->shows_formats) && count > 1)
        tool_usage(command->name, "what is printed is all: expected nothing beside '%s'",
                   arguments->shows_rules ? "--rules" : "--formats");
    else if (arguments->is_json + arguments->is_sarif + arguments->is_github + arguments->shows_all
             > 1)
        tool_usage(command->name, "only one of --json, --sarif, --github and --all has an effect");
    else if (is_mixed)
        tool_usage(command->name, "only one of --frame and --ms has an effect");
    else {
        COMMON_FOR (i, arguments->num_words)
            if (is_inside(command, arguments->words[i]))
                return false;
        COMMON_FOR (k, NUM_OPTIONS)
            if (is_given[k] && is_useless(command, options[k].name, arguments))
                return false;
        return !overwrites_input(command, arguments);
    }
    return false;
}

// -- Running --------------------------------------------------------------------------------------

static bool asks_for_help(const char *argument)
{
    return strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0;
}

// The list of times has room for all arguments, so reading never runs out of it.
static int run_command(const tool_command *command, int count, char **list)
{
    for (int i = 0; i < count && strcmp(list[i], "--") != 0; i++) {
        if (asks_for_help(list[i])) {
            fputs(command->help, stdout);
            return TOOL_OK;
        }
    }
    tool_arguments arguments = {
        .command = command->name,
        .words = list,
        .times = common_alloc((size_t)count, sizeof *arguments.times),
    };
    const int status = read_arguments(command, count, list, &arguments) ? command->run(&arguments)
                                                                        : TOOL_BAD_USAGE;
    free(arguments.times);
    COMMON_FOR (i, NUM_OPTIONS)
        if (options[i].kind == COMMON_TEXTS)
            free(((common_texts *)(void *)((char *)&arguments + options[i].place))->names);
    return status;
}

// What the guides say to a question, or all that they answer. False: nothing.
static bool print_answers(int count, char **words)
{
    char *question = common_copy("");
    COMMON_FOR (i, count) {
        char *const longer = common_format("%s %s", question, words[i]);
        free(question);
        question = longer;
    }
    bool is_found = false;
    COMMON_EACH (answer, common_answers, common_num_answers) {
        if (strcmp(question, " words") != 0 && !common_is_asked(answer, question))
            continue;
        common_print(stdout, "%s\n  %s\n  guide %s\n", answer->words, answer->answer,
                     answer->guide);
        is_found = true;
    }
    free(question);
    return is_found;
}

// The commands as a message names them: "info, check or dump".
static const char *name_commands(char names[256])
{
    size_t used = 0;
    COMMON_FOR (i, NUM_COMMANDS)
        used += (size_t)snprintf(names + used, 256 - used, "%s%s",
                                 i == 0                 ? ""
                                 : i + 1 < NUM_COMMANDS ? ", "
                                                        : " or ",
                                 commands[i]->name);
    return names;
}

static int run(int count, char **arguments)
{
    char names[256];
    if (count < 1)
        return tool_usage(NULL, "missing command: expected %s", name_commands(names));
    const bool is_help = strcmp(arguments[0], "help") == 0;
    if (asks_for_help(arguments[0]) || (is_help && count == 1)) {
        fputs(tool_help, stdout);
        return TOOL_OK;
    }
    if (is_help) { // of a command, or else to a word
        static char option[] = "--help";
        bool is_command = arguments[1][0] == '-';
        COMMON_FOR (i, NUM_COMMANDS)
            is_command |= count == 2 && strcmp(arguments[1], commands[i]->name) == 0;
        if (!is_command && print_answers(count - 1, arguments + 1))
            return TOOL_OK;
        arguments[0] = arguments[1];
        arguments[1] = option;
    }
    if (strcmp(arguments[0], "--version") == 0) {
        fputs("md5tool " COMMON_VERSION "\n", stdout);
        return TOOL_OK;
    }
    if (strcmp(arguments[0], "--man") == 0)
        return print_rows(NULL);
    if (strcmp(arguments[0], "--completions") == 0)
        return print_rows(count > 1 ? arguments[1] : "");
    COMMON_FOR (i, NUM_COMMANDS) {
        if (strcmp(arguments[0], commands[i]->name) == 0)
            return run_command(commands[i], count - 1, arguments + 1);
    }
    tool_nearest nearest = {.work = 1 << 20};
    COMMON_FOR (i, NUM_COMMANDS)
        tool_compare_name(&nearest, arguments[0], commands[i]->name);
    if (nearest.name)
        return tool_usage(NULL, "unknown command '%s': did you mean '%s'?", arguments[0],
                          nearest.name);
    return tool_usage(NULL, "unknown command '%s': expected %s", arguments[0],
                      name_commands(names));
}

int main(int argc, char **argv)
{
    const int status = run(argc - 1, argv + 1);
    // A full disk or a closed pipe must not look like success.
    const bool is_written = common_end_output("md5tool") == 0;
    return is_written || status != TOOL_OK ? status : TOOL_BAD_FILE;
}
