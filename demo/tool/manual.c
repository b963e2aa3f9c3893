// The manual page and the completions of md5tool. Both come from the help texts: a line that begins
// with "  --" describes an option of its command.
#include "demo/tool/tool.h"

#include <stdio.h>
#include <string.h>

// -- Help texts -----------------------------------------------------------------------------

// Returns the next option of a help text, without its hyphens, and its length; NULL at the end.
static const char *next_option(const char *text, int *length)
{
    const char *const line = strstr(text, "\n  --");
    if (line == NULL)
        return NULL;
    const char *const name = line + 5;
    *length = (int)strspn(name, "abcdefghijklmnopqrstuvwxyz-");
    return name;
}

// Prints the help text of a command after its first line, so that roff takes no character of it for
// an instruction.
static void print_body(const char *text)
{
    const char *c = strchr(text, '\n');
    for (bool begins = false; c != NULL && *++c != '\0'; begins = *c == '\n') {
        if (begins && (*c == '.' || *c == '\''))
            fputs("\\&", stdout);
        if (*c == '-')
            fputs("\\-", stdout);
        else
            putchar(*c);
    }
}

// -- Manual page ----------------------------------------------------------------------------

void tool_print_manual(const tool_command *commands, size_t num_commands)
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
        print_body(commands[i].help);
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
    int length = 0;
    for (const char *at = command->help; (at = next_option(at, &length)) != NULL;)
        printf("--%.*s ", length, at);
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

int tool_print_completions(const char *shell, const tool_command *commands, size_t num_commands)
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
