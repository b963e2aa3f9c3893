// md5tool convert: MD5 from and to other formats.
#include "demo/convert/convert.h"

#include "demo/common/file.h"
#include "demo/common/text.h"
#include "demo/tool/tool.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_note(void *user, const char *text)
{
    (void)user;
    common_print(stderr, "note: %s\n", text);
}

static int convert(tool_arguments *arguments)
{
    if (!arguments->output)
        return tool_usage("convert", "missing --output FILE|FOLDER");
    const convert_job job = {
        .inputs = (const char *const *)arguments->words,
        .num_inputs = (size_t)arguments->num_words,
        .output = arguments->output,
        .is_forced = arguments->is_forced,
        .influences = arguments->influences,
        .scale = arguments->scale,
        .turn = arguments->turn,
        .rate = arguments->rate,
        .tolerance = (double)arguments->tolerance,
        .is_in_place = arguments->root == MD5_ROOT_IN_PLACE,
        .is_quantized = arguments->is_quantized,
        .is_packed = arguments->is_packed,
        .is_source_kept = arguments->is_source_kept,
        .is_fitted = arguments->is_fitted,
        .map = arguments->map,
        .target = arguments->mesh,
        .scene_name = arguments->scene,
        .engine = arguments->engines.count > 0 ? arguments->engines.names[0] : NULL,
        .note = print_note,
    };
    md5_error error = {0};
    return tool_end(convert_files(&job, &error), &error);
}

const tool_command tool_convert = {
    "convert",
    convert,
    1,
    INT_MAX,
    "files",
    "usage: md5tool convert FILE... --output FILE|FOLDER\n"
    "\n"
    "Converts a model and any number of clips beside it from one format to another, by the "
    "endings\n"
    "of their names. What the output cannot say is named, with its size.\n"
    "\n"
    "  --output NAME     the file to write; a folder for MD5 files; -o is short for it\n"
    "  --force           write over files, and accept losses above 1 % of the size\n"
    "  --scale S         units of the output in one of the input\n"
    "  --turn DEGREES    turn about the vertical axis, counterclockwise from above\n"
    "  --rate R          frames a second of clips that are sampled\n"
    "  --root in_place   clips stay in place: without the root's motion along the ground\n"
    "  --scene NAME      which scene of a glTF file, by name or number\n"
    "  --for ENGINE      keep the limits of this engine\n"};
