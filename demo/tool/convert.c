// md5tool convert: MD5 from and to other formats.
#include "demo/common/file.h"
#include "demo/common/text.h"
#include "demo/tool/folders.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_note(void *user, const char *text)
{
    (void)user;
    common_print(stderr, "note: %s\n", text);
}

static void take_file(void *user, const char *path)
{
    common_add(user, common_copy(path));
}

// What an engine says of the files that were written for it, as `md5tool check --for` prints it.
static int judge(const tool_arguments *arguments, common_list *written)
{
    size_t count = 0;
    for (size_t i = 0; i < written->count; i++) {
        char *const path = written->names[i];
        if (tool_kind_of(path) == TOOL_UNKNOWN)
            free(path);
        else
            written->names[count++] = path;
    }
    written->count = count;
    tool_arguments check = {.command = "check",
                            .words = written->names,
                            .num_words = (int)count,
                            .engines = arguments->engines};
    return count > 0 ? tool_check.run(&check) : TOOL_OK;
}

static int convert(tool_arguments *arguments)
{
    if (!arguments->output)
        return tool_usage("convert", "missing --output FILE|FOLDER");
    for (int i = 0; i < arguments->engines.count; i++)
        if (tool_find_engines(arguments->engines.names[i]) == 0)
            return tool_usage("convert",
                              "unknown engine '%s': expected one that check --rules names",
                              arguments->engines.names[i]);
    char *end = NULL;
    const double turn = arguments->turn ? strtod(arguments->turn, &end) : 0.0;
    if (arguments->turn && (end == arguments->turn || *end != '\0' || !(fabs(turn) <= 360.0)))
        return tool_usage("convert", "--turn takes degrees from -360 to 360");
    common_list written = {NULL, 0};
    const convert_job job = {
        .inputs = (const char *const *)arguments->words,
        .num_inputs = (size_t)arguments->num_words,
        .output = arguments->output,
        .is_forced = arguments->is_forced,
        .influences = arguments->influences,
        .scale = arguments->scale,
        .turn = turn,
        .rate = arguments->rate,
        .tolerance = (double)arguments->tolerance,
        .is_y_up = arguments->is_y_up,
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
        .wrote = take_file,
        .user = &written,
    };
    md5_error error = {0};
    int status = TOOL_OK;
    if (common_is_folder(arguments->words[0]) && arguments->num_words > 1)
        status = tool_usage("convert", "expected one folder, or files");
    else if (common_is_folder(arguments->words[0]))
        status = tool_convert_folder(arguments, &job, &written);
    else
        status = tool_end(convert_files(&job, &error), &error);
    if (job.engine && written.count > 0) {
        const int verdict = judge(arguments, &written);
        status = status == TOOL_OK ? verdict : status;
    }
    common_free_list(&written);
    return status;
}

const tool_command tool_convert = {
    "convert",
    convert,
    1,
    INT_MAX,
    "files",
    "usage: md5tool convert FILE...|FOLDER --output FILE|FOLDER\n"
    "\n"
    "Converts a model and any number of clips beside it from one format to another, by the "
    "endings\n"
    "of their names. What the output cannot say is named, with its size.\n"
    "\n"
    "Of a folder each model is converted with the clips that fit it, as for check: in a game\n"
    "folder those of its modelDefs, else that of its name beside it, or all if it is the only "
    "one.\n"
    "What is newer than its inputs is left out.\n"
    "\n"
    "  --output NAME     the file to write; a folder for MD5 files; -o is short for it\n"
    "  --to KIND         of a folder: the ending of the files to write, as md5mesh; else glb\n"
    "  --base DIR        the base game folder, if FOLDER adds to another one\n"
    "  --mod DIR         a mod, whose files hide those of FOLDER\n"
    "  --for ENGINE      keep the limits, names and folders of this engine, as check --rules "
    "lists\n"
    "                    them, and print what check says of the files that were written\n"
    "  --force           write over files, and accept losses above 1 % of the size\n"
    "  --scale FACTOR    units of the output in one of the input; glTF: 0.0254, metres in an inch\n"
    "  --turn DEGREES    turn about the vertical axis, counterclockwise from above\n"
    "  --influences N    of a vertex, 1 to 16; default 4: few programs read more than 8 of glTF\n"
    "  --root MODE       in_place takes out what the root moves along the ground; default file\n"
    "  --rate R          frames a second of clips that are sampled\n"
    "  --scene NAME      which scene of a glTF file, by name or number\n"
    "  --error UNITS     leave out keys of clips that interpolation puts back this well\n"
    "  --quantize        glTF: positions, directions, weights in 8 and 16 bits, half of the size\n"
    "  --fit             move vertices that the output cannot say to where they fit the clips\n"
    "  --y-up            OBJ: y up, z forward and x left, instead of MD5's z up\n"
    "  --mesh MODEL      BVH: the model that the motion is for\n"
    "  --map FILE        BVH: lines of SOURCE TARGET, names of joints; else they are guessed\n"};
