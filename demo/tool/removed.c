// Commands and options that earlier versions of md5tool had. The error message about one of them
// names the replacement.
#include "demo/tool/tool.h"

static const common_removed removed[] = {
    {.name = "bake", .advice = "load the MD5 files; \"md5tool compress\" makes clips smaller"},
    {.name = "help WORD",
     .advice = "use the search of the website, or search the folders md5/docs and demo/docs"},
    {.name = "pack", .advice = "use --quantize, or compress the file with gltfpack"},
    {.name = "sarif", .advice = "use --json or --github"},
    {.name = "turn", .advice = "use --rotate"},
    {.name = "verdicts", .advice = "use its new name parse"},
    {.name = "wear", .advice = "use --outfit"},
};

const common_removed *tool_find_removed(const char *argument)
{
    const char *const name = argument + strspn(argument, "-");
    return common_find_removed(removed, COMMON_LENGTH(removed), name, strlen(name));
}
