// md5tool: prints what is in MD5 files, without a window.
#include "demo/common/text.h"
#include "demo/tool/tool.h"

#include <stdio.h>
#include <string.h>

// == Manual page and completions ==================================================================
//
// The manual page and the completions of md5tool. Both come from the help texts: a line that begins
// with "  --" describes an option of its command.

// -- Manual page ----------------------------------------------------------------------------

static void print_manual(const tool_command *commands, size_t num_commands)
{
    printf(".TH MD5TOOL 1 \"\" \"md5tool %d.%d.%d\" \"User Commands\"\n", MD5_VERSION_MAJOR,
           MD5_VERSION_MINOR, MD5_VERSION_PATCH);
    fputs(".nh\n.SH NAME\nmd5tool \\- print what is in MD5 models and animations\n.SH SYNOPSIS\n",
          stdout);
    for (size_t i = 0; i < num_commands; i++) {
        const char *const usage = commands[i].help + strlen("usage: md5tool ");
        printf("%s.B md5tool\n", i > 0 ? ".br\n" : "");
        for (const char *c = usage; *c != '\n'; c++)
            printf("%s%c", *c == '-' ? "\\" : "", *c);
        putchar('\n');
    }
    fputs(".SH DESCRIPTION\nReads .md5mesh, .md5anim, .md5camera and .md5machine files.\n"
          "After \\-\\- only files follow.\n.SH COMMANDS\n",
          stdout);
    for (size_t i = 0; i < num_commands; i++) {
        printf(".SS %s\n.nf\n", commands[i].name);
        // The help text after its first line, so that roff takes no character of it for an
        // instruction.
        const char *c = strchr(commands[i].help, '\n');
        for (bool begins = false; c != NULL && *++c != '\0'; begins = *c == '\n') {
            if (begins && (*c == '.' || *c == '\''))
                fputs("\\&", stdout);
            if (*c == '-')
                fputs("\\-", stdout);
            else
                putchar(*c);
        }
        fputs(".fi\n", stdout);
    }
    fputs(".SH EXIT STATUS\n0 success, 1 a file has an error, 2 the arguments are wrong.\n"
          ".SH SEE ALSO\n.BR md5view (1)\n",
          stdout);
}

// -- Completions ----------------------------------------------------------------------------

static void print_names(const tool_command *commands, size_t num_commands)
{
    for (size_t i = 0; i < num_commands; i++)
        printf("%s ", commands[i].name);
    fputs("--help --version --man --completions", stdout);
}

static void print_options(const tool_command *command)
{
    for (const char *line = command->help; (line = strstr(line, "\n  --")) != NULL; line++) {
        const char *const name = line + strlen("\n  --");
        printf("--%.*s ", (int)strspn(name, "abcdefghijklmnopqrstuvwxyz-"), name);
    }
    fputs("--help", stdout);
}

// One list of words for each command, in the syntax that bash and zsh share.
static void print_cases(const tool_command *commands, size_t num_commands)
{
    for (size_t i = 0; i < num_commands; i++) {
        printf("    %s) words='", commands[i].name);
        print_options(&commands[i]);
        fputs("' ;;\n", stdout);
    }
}

static void print_bash(const tool_command *commands, size_t num_commands)
{
    fputs("# bash completion of md5tool, as md5tool --completions bash prints it.\n"
          "_md5tool()\n{\n    local words='",
          stdout);
    print_names(commands, num_commands);
    fputs("'\n    if ((COMP_CWORD > 1)); then\n    case ${COMP_WORDS[1]} in\n", stdout);
    print_cases(commands, num_commands);
    fputs(
        "    --completions) words='bash zsh fish' ;;\n    *) words= ;;\n    esac\n    fi\n"
        "    COMPREPLY=()\n"
        "    if ((COMP_CWORD == 1)) || [[ ${COMP_WORDS[COMP_CWORD]} == -* ]] ||\n"
        "        [[ ${COMP_WORDS[1]} == --completions ]]; then\n"
        "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"${COMP_WORDS[COMP_CWORD]}\")\n"
        "    fi\n}\ncomplete -o default -F _md5tool md5tool\n",
        stdout);
}

static void print_zsh(const tool_command *commands, size_t num_commands)
{
    fputs("#compdef md5tool\n# zsh completion of md5tool, as md5tool --completions zsh prints it.\n"
          "_md5tool()\n{\n    local words='",
          stdout);
    print_names(commands, num_commands);
    fputs("'\n    if ((CURRENT == 2)); then\n        compadd -- ${=words}\n        return\n    fi\n"
          "    case ${(Q)${(z)BUFFER}[2]} in\n",
          stdout);
    print_cases(commands, num_commands);
    fputs("    --completions) words='bash zsh fish' ;;\n    *) words= ;;\n    esac\n"
          "    compadd -- ${=words}\n    _files\n}\n"
          "# Found by its name as a file _md5tool, or read by `source`.\n"
          "if [[ $funcstack[1] == _md5tool ]]; then\n    _md5tool \"$@\"\n"
          "else\n    compdef _md5tool md5tool\nfi\n",
          stdout);
}

static void print_fish(const tool_command *commands, size_t num_commands)
{
    fputs("# fish completion of md5tool, as md5tool --completions fish prints it.\n"
          "complete -c md5tool -n __fish_use_subcommand -f -a '",
          stdout);
    print_names(commands, num_commands);
    fputs("'\n", stdout);
    for (size_t i = 0; i < num_commands; i++) {
        printf("complete -c md5tool -n '__fish_seen_subcommand_from %s' -a '", commands[i].name);
        print_options(&commands[i]);
        fputs("'\n", stdout);
    }
    fputs("complete -c md5tool -n '__fish_seen_subcommand_from --completions' -f -a 'bash zsh "
          "fish'\n",
          stdout);
}

static int print_completions(const char *shell, const tool_command *commands, size_t num_commands)
{
    if (strcmp(shell, "bash") == 0)
        print_bash(commands, num_commands);
    else if (strcmp(shell, "zsh") == 0)
        print_zsh(commands, num_commands);
    else if (strcmp(shell, "fish") == 0)
        print_fish(commands, num_commands);
    else
        return tool_usage(NULL, "unknown shell '%s': expected bash, zsh or fish", shell);
    return TOOL_OK;
}

// == Commands =====================================================================================

static const tool_command commands[] = {
    {"info", tool_info, tool_info_help},
    {"check", tool_check, tool_check_help},
    {"dump", tool_dump, tool_dump_help},
    {"list", tool_list, tool_list_help},
    {"explain", tool_explain, tool_explain_help},
    {"verdicts", tool_verdicts, tool_verdicts_help},
    {"bind", tool_bind, tool_bind_help},
    {"compress", tool_compress, tool_compress_help},
    {"decompress", tool_decompress, tool_decompress_help},
};
enum { NUM_COMMANDS = sizeof commands / sizeof commands[0] };

static const char help[] =
    "usage: md5tool COMMAND [OPTION...] FILE...\n"
    "\n"
    "  info FILE...        print a summary of MD5 files and of Cube 2's md5.cfg\n"
    "  check FILE...       print errors and warnings of files, or of all files in a folder\n"
    "  dump MESH [ANIM]    print every number as text, in the bind pose and posed\n"
    "  list DIR            list the contents of a game folder or a folder of models\n"
    "  explain DIR NAME    print where an item of a game folder comes from and what is missing\n"
    "  verdicts            print how Doom 3 interprets the declarations of a game folder\n"
    "  bind OBJ MESH       bind a bare mesh to a model's joints, with automatic weights\n"
    "  compress ANIM       compress an animation to an error in units at the skin\n"
    "  decompress FILE     print a compressed animation as .md5anim\n"
    "\n"
    "  --                  end of options: only files follow\n"
    "  --help              print this text, or the help of a command\n"
    "  --version           print the version of the library\n"
    "  --man               print the manual page\n"
    "  --completions bash|zsh|fish   print a completion script for the shell\n";

static bool asks_for_help(const char *argument)
{
    return strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0;
}

static int run_command(const tool_command *command, int count, char **arguments)
{
    for (int i = 0; i < count && strcmp(arguments[i], "--") != 0; i++) {
        if (asks_for_help(arguments[i])) {
            fputs(command->help, stdout);
            return TOOL_OK;
        }
    }
    return command->run(count, arguments);
}

// The commands as a message names them: "info, check or dump".
static const char *name_commands(char names[256])
{
    size_t used = 0;
    for (size_t i = 0; i < NUM_COMMANDS; i++)
        used += (size_t)snprintf(names + used, 256 - used, "%s%s",
                                 i == 0                 ? ""
                                 : i + 1 < NUM_COMMANDS ? ", "
                                                        : " or ",
                                 commands[i].name);
    return names;
}

static int run(int count, char **arguments)
{
    char names[256];
    if (count < 1)
        return tool_usage(NULL, "missing command: expected %s", name_commands(names));
    if (asks_for_help(arguments[0])) {
        fputs(help, stdout);
        return TOOL_OK;
    }
    if (strcmp(arguments[0], "--version") == 0) {
        printf("md5tool %d.%d.%d\n", MD5_VERSION_MAJOR, MD5_VERSION_MINOR, MD5_VERSION_PATCH);
        return TOOL_OK;
    }
    if (strcmp(arguments[0], "--man") == 0) {
        print_manual(commands, NUM_COMMANDS);
        return TOOL_OK;
    }
    if (strcmp(arguments[0], "--completions") == 0)
        return print_completions(count > 1 ? arguments[1] : "", commands, NUM_COMMANDS);
    for (size_t i = 0; i < NUM_COMMANDS; i++) {
        if (strcmp(arguments[0], commands[i].name) == 0)
            return run_command(&commands[i], count - 1, arguments + 1);
    }
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
