// md5tool check: whether files can be read, and what is odd in them, for editors and scripts.
#include "demo/tool.h"

#include <stdio.h>

const char tool_check_help[] =
    "usage: md5tool check FILE...\n"
    "\n"
    "Reads each .md5mesh or .md5anim file and prints, a line each, what is wrong or odd in it:\n"
    "file:line:column: error|warning: text. The last line counts. Exit status 1 on any error.\n";

typedef struct check_counts {
    unsigned errors, warnings;
} check_counts;

static void print_finding(void *user, const md5_error *finding)
{
    check_counts *counts = user;
    char text[640];
    md5_format_error(finding, text, sizeof text);
    puts(text);
    if (finding->status == MD5_WARNING)
        counts->warnings++;
    else
        counts->errors++;
}

static void check_file(const char *path, check_counts *counts)
{
    const md5_load_opts opts = {.warn = print_finding, .warn_user = counts};
    const unsigned told_before = counts->warnings;
    uint32_t num_warnings = 0;
    md5_error error;

    if (tool_is_anim(path)) {
        md5_anim *anim = md5_load_anim(path, &opts, &error);
        num_warnings = anim ? anim->num_warnings : 0;
        md5_free_anim(anim);
    } else {
        md5_model *model = md5_load_model(path, &opts, &error);
        num_warnings = model ? model->num_warnings : 0;
        md5_free_model(model);
    }
    if (error.status != MD5_OK)
        print_finding(counts, &error);
    // Past the limit warnings are counted, but not told.
    if (num_warnings > counts->warnings - told_before)
        counts->warnings = told_before + num_warnings;
}

int tool_check(int count, char **arguments)
{
    if (count < 1)
        return tool_usage("check", "check: a file is missing");
    for (int i = 0; i < count; i++) {
        if (arguments[i][0] == '-' && arguments[i][1] == '-')
            return tool_usage("check", "check: there is no option '%s'", arguments[i]);
    }
    check_counts counts = {0, 0};
    for (int i = 0; i < count; i++)
        check_file(arguments[i], &counts);
    printf("%d files, %u errors, %u warnings\n", count, counts.errors, counts.warnings);
    return counts.errors > 0 ? TOOL_BAD_FILE : TOOL_OK;
}
