// md5tool compress and decompress: compress animations, and convert them back to text. Only
// programs with this library read compressed animations.
#include "demo/tool/tool.h"

// == compress =====================================================================================

// Writes a compressed clip to a file. Prints its size and its measured error, which can be smaller
// than the requested limit.
static bool write_compressed(const char *path, const md5_anim *compressed, md5_error *error)
{
    const double num_poses = (double)compressed->skeleton.num_joints * compressed->num_frames;
    const size_t size = md5_write_anim(compressed, NULL, 0);
    char *const bytes = common_alloc(size, 1);
    md5_write_anim(compressed, bytes, size);
    const bool is_written = tool_write_text(path, bytes, size, error);
    if (is_written)
        printf("error %.6g units, %zu bytes, %.2f bytes per joint and frame\n",
               compressed->max_error, size, (double)compressed->packed_size / num_poses);
    free(bytes);
    return is_written;
}

// Loads, compresses and writes a clip. `mesh` is the path of a model, on whose skin errors are
// measured, or NULL. Returns false and sets `error` on failure.
static bool compress_file(const tool_arguments *arguments, const char *mesh, md5_error *error)
{
    const char *const path = arguments->operands[0];
    const md5_load_opts opts = {.file_name = path, .warn = tool_print_error};
    md5_anim *const anim = md5_load_anim(path, NULL, error);
    if (!anim)
        return false;
    md5_model *const model = mesh ? md5_load_model(mesh, NULL, error) : NULL;
    md5_anim *compressed = NULL;
    if (model || !mesh) {
        const md5_compress_opts limits = {.tolerance = arguments->tolerance, .model = model};
        compressed = md5_compress_anim(anim, &limits, &opts, error);
    }
    const bool is_done = compressed && write_compressed(arguments->output, compressed, error);
    md5_free_anim(compressed);
    md5_free_model(model);
    md5_free_anim(anim);
    return is_done;
}

// md5tool compress. Returns an exit status.
static int compress(tool_arguments *arguments)
{
    md5_error error = {0};
    if (!arguments->output)
        return tool_usage("compress",
                          "option -o FILE is missing: expected the name of the output file");
    const char *const mesh = arguments->num_operands > 1 ? arguments->operands[1] : NULL;
    const bool is_done = compress_file(arguments, mesh, &error);
    return tool_end(is_done, &error);
}

const tool_command tool_compress = {
    "compress",
    compress,
    1,
    2,
    "a clip and at most one model",
    "usage: md5tool compress ANIM [MESH] [--error UNITS] -o FILE\n"
    "\n"
    "Compresses an animation so that no point of the skin moves by more than the error limit. "
    "With\n"
    "MESH, errors are measured on the skin of this model; otherwise each joint is assumed to move\n"
    "points that are as far away as its longest bone. Prints the largest error and the file size.\n"
    "\n"
    "  --error UNITS   largest displacement of the skin, in units (default 0.01)\n"
    "  --output FILE   the file to write; -o is short for it\n"};

// == decompress ===================================================================================

// md5tool decompress: loads a compressed clip, decompresses it and writes it as text. Returns an
// exit status.
static int decompress(tool_arguments *arguments)
{
    md5_error error = {0};
    char *text = NULL;
    size_t size = 0;
    md5_anim *const compressed = md5_load_anim(arguments->operands[0], NULL, &error);
    const bool is_done =
        compressed
        && convert_decompress_clip(compressed, arguments->operands[0], &text, &size, &error)
        && tool_write_text(arguments->output, text, size, &error);
    free(text);
    md5_free_anim(compressed);
    return tool_end(is_done, &error);
}

const tool_command tool_decompress = {
    "decompress",
    decompress,
    1,
    1,
    "one file",
    "usage: md5tool decompress FILE [-o ANIM]\n"
    "\n"
    "Prints a compressed clip as .md5anim. The bounds of each frame contain its joints.\n"
    "\n"
    "  --output ANIM   write to ANIM instead of standard output; -o is short for it\n"};
