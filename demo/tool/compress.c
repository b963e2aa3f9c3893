// md5tool compress and decompress: animations in a fraction of their size, and back to text.
#include "demo/common/write.h"
#include "demo/tool/tool.h"

#include "md5/md5model.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char tool_compress_help[] =
    "usage: md5tool compress ANIM [MESH] [--error UNITS] -o FILE\n"
    "\n"
    "Compresses an animation. No point of the skin moves by more than the error, which is "
    "measured.\n"
    "With MESH the skin is that of the model; otherwise a joint moves points as far away as its\n"
    "longest bone. Prints the largest error and the number of bytes.\n"
    "\n"
    "  --error UNITS   largest displacement of the skin (0.01)\n"
    "  --output FILE   the file to write; -o is short for it\n";

const char tool_decompress_help[] =
    "usage: md5tool decompress FILE [-o ANIM]\n"
    "\n"
    "Prints a compressed clip as .md5anim. The bounds of a frame are those of its joints.\n"
    "\n"
    "  --output ANIM   write to that file instead of standard output; -o is short for it\n";

typedef struct compress_options {
    const char *files[2], *output;
    float tolerance;
} compress_options;

static bool read_tolerance(const char *value, void *to)
{
    char *end = NULL;
    errno = 0;
    const double units = strtod(value, &end);
    *(float *)to = (float)units;
    return end != value && *end == '\0' && errno == 0 && units > 0.0 && units <= 1e9;
}

// Returns TOOL_OK, or TOOL_BAD_USAGE after printing the reason. Only compressing knows --error.
static int read_options(const char *command, int count, char **arguments, compress_options *options)
{
    const bool is_compressed = strcmp(command, "decompress") == 0;
    const tool_option known[] = {
        {"--output", "a name", tool_read_name, &options->output},
        {"-o", "a name", tool_read_name, &options->output},
        {"--error", "units, above 0", read_tolerance, &options->tolerance},
    };
    const int num_words = tool_read_arguments(
        command, count, arguments, known, is_compressed ? 2 : 3, 1, is_compressed ? 1 : 2,
        is_compressed ? "one file" : "a clip and at most one model");
    for (int i = 0; i < num_words; i++)
        options->files[i] = arguments[i];
    return num_words < 0 ? TOOL_BAD_USAGE : TOOL_OK;
}

// -- Files ----------------------------------------------------------------------------------------

static void print_warning(void *user, const md5_error *warning)
{
    (void)user;
    tool_print_error(warning);
}

static bool write_compressed(const md5_anim *anim, const md5_model *model,
                             const compress_options *options, md5_error *error)
{
    const md5_compress_opts compress = {.tolerance = options->tolerance, .model = model};
    const md5_load_opts opts = {.file_name = options->files[0], .warn = print_warning};
    md5_anim *const compressed = md5_compress_anim(anim, &compress, &opts, error);
    if (!compressed)
        return false;
    const size_t size = md5_write_anim(compressed, NULL, 0);
    uint8_t *const bytes = common_alloc(size, 1);
    (void)md5_write_anim(compressed, bytes, size);
    common_writer writer;
    const bool is_written =
        (common_begin_file(&writer, options->output)
         && common_end_file(&writer, fwrite(bytes, 1, size, writer.file) == size))
        || tool_fail_to_write(options->output, error);
    if (is_written)
        printf("error %.6g units, %zu bytes, %.2f a joint and frame\n",
               (double)compressed->max_error, size,
               (double)compressed->packed_size
                   / ((double)anim->skeleton.num_joints * anim->num_frames));
    free(bytes);
    md5_free_anim(compressed);
    return is_written;
}

// -- Text -----------------------------------------------------------------------------------------

static void print_vec3(FILE *file, float x, float y, float z)
{
    fprintf(file, "( %.9g %.9g %.9g )", (double)x, (double)y, (double)z);
}

// The format stores x y z of a rotation whose w is not above 0.
static md5_quat stored_rotation(md5_quat q)
{
    return q.w > 0.0f ? (md5_quat){0.0f - q.x, 0.0f - q.y, 0.0f - q.z, 0.0f - q.w} : q;
}

static void print_hierarchy(FILE *file, const md5_anim *anim)
{
    fprintf(file,
            "MD5Version 10\ncommandline \"md5tool decompress\"\n\nnumFrames %u\nnumJoints %u\n"
            "frameRate %.17g\nnumAnimatedComponents %u\n\nhierarchy {\n",
            anim->num_frames, anim->skeleton.num_joints, anim->frame_rate, anim->num_components);
    for (uint32_t i = 0; i < anim->skeleton.num_joints; i++)
        fprintf(file, "\t\"%s\"\t%d %u %u\n", anim->skeleton.joints[i].name,
                (int)anim->skeleton.joints[i].parent, anim->tracks[i].flags, anim->tracks[i].first);
    fputs("}\n\n", file);
}

static void print_bounds(FILE *file, const md5_binding *own, md5_xform *pose, md5_mat34 *joints)
{
    const md5_anim *const anim = own->anim;
    const uint32_t num_joints = anim->skeleton.num_joints;
    fputs("bounds {\n", file);
    for (uint32_t frame = 0; frame < anim->num_frames; frame++) {
        const md5_moment still = {.frame0 = frame, .frame1 = frame};
        md5_bounds bounds = md5_bounds_from_points(NULL, 0);
        md5_sample(own, still, MD5_ROOT_FILE, pose);
        md5_local_to_model(&anim->skeleton, pose, joints);
        for (uint32_t i = 0; i < num_joints; i++) {
            const md5_vec3 at = {joints[i].m[3], joints[i].m[7], joints[i].m[11]};
            bounds = md5_bounds_union(bounds, md5_bounds_from_points(&at, 1));
        }
        fputs("\t", file);
        print_vec3(file, bounds.min.x, bounds.min.y, bounds.min.z);
        fputs(" ", file);
        print_vec3(file, bounds.max.x, bounds.max.y, bounds.max.z);
        fputs("\n", file);
    }
    fputs("}\n\n", file);
}

static void print_base_frame(FILE *file, const md5_anim *anim)
{
    fputs("baseframe {\n", file);
    for (uint32_t i = 0; i < anim->skeleton.num_joints; i++) {
        const md5_vec3 t = anim->base_frame[i].translation;
        const md5_quat q = stored_rotation(anim->base_frame[i].rotation);
        fputs("\t", file);
        print_vec3(file, t.x, t.y, t.z);
        fputs(" ", file);
        print_vec3(file, q.x, q.y, q.z);
        fputs("\n", file);
    }
    fputs("}\n", file);
}

static void print_frames(FILE *file, const md5_binding *own, md5_xform *pose)
{
    const md5_anim *const anim = own->anim;
    for (uint32_t frame = 0; frame < anim->num_frames; frame++) {
        const md5_moment still = {.frame0 = frame, .frame1 = frame};
        md5_sample(own, still, MD5_ROOT_FILE, pose);
        fprintf(file, "\nframe %u {\n", frame);
        for (uint32_t i = 0; i < anim->skeleton.num_joints; i++) {
            const md5_vec3 t = pose[i].translation;
            const md5_quat q = stored_rotation(pose[i].rotation);
            if (anim->tracks[i].flags & 7)
                fprintf(file, "\t%.9g %.9g %.9g\n", (double)t.x, (double)t.y, (double)t.z);
            if (anim->tracks[i].flags & 56)
                fprintf(file, "\t%.9g %.9g %.9g\n", (double)q.x, (double)q.y, (double)q.z);
        }
        fputs("}\n", file);
    }
}

// Text has no way to quote these.
static bool check_names(const md5_anim *anim, const char *path, md5_error *error)
{
    for (uint32_t i = 0; i < anim->skeleton.num_joints; i++) {
        for (const char *c = anim->skeleton.joints[i].name; *c != '\0'; c++) {
            if (*c != '"' && *c != '\\' && (unsigned char)*c >= ' ')
                continue;
            *error = (md5_error){.status = MD5_ERROR_RANGE};
            (void)snprintf(error->file, sizeof error->file, "%s", path);
            (void)snprintf(error->message, sizeof error->message,
                           "the name of joint %u has a quote, backslash or control character", i);
            return false;
        }
    }
    return true;
}

// Frames in which nothing moves take no bytes of a clip, but lines of text: a few bytes could
// become gigabytes. No clip of a recorded motion comes near.
static bool check_size(const md5_anim *compressed, const md5_anim *anim, const char *path,
                       md5_error *error)
{
    enum { MUCH = 64 << 20, MOST_GROWTH = 1000, A_FRAME = 50, A_NUMBER = 2 };
    const uint64_t frame = A_FRAME + (uint64_t)A_NUMBER * anim->num_components;
    const uint64_t size = frame * anim->num_frames;
    if (size <= MUCH || size / MOST_GROWTH <= compressed->size)
        return true;
    *error = (md5_error){.status = MD5_ERROR_RANGE};
    (void)snprintf(error->file, sizeof error->file, "%s", path);
    (void)snprintf(error->message, sizeof error->message,
                   "its %u frames would be %llu bytes of text: more than %d times its own size",
                   anim->num_frames, (unsigned long long)size, (int)MOST_GROWTH);
    return false;
}

static void print_anim(FILE *file, const md5_binding *own)
{
    const md5_anim *const anim = own->anim;
    md5_xform *const pose = common_alloc(anim->skeleton.num_joints, sizeof *pose);
    md5_mat34 *const joints = common_alloc(anim->skeleton.num_joints, sizeof *joints);
    print_hierarchy(file, anim);
    print_bounds(file, own, pose, joints);
    print_base_frame(file, anim);
    print_frames(file, own, pose);
    free(joints);
    free(pose);
}

static bool write_anim(const char *path, const md5_anim *anim, md5_error *error)
{
    common_writer writer;
    md5_binding *const own =
        md5_bind_skeleton(&anim->skeleton, anim->base_frame, anim, NULL, error);
    if (!own)
        return false;
    const bool is_begun = common_begin_file(&writer, path);
    if (is_begun)
        print_anim(writer.file, own);
    md5_free_binding(own);
    if (!is_begun)
        return tool_fail_to_write(path, error);
    return common_end_file(&writer, true) || tool_fail_to_write(path, error);
}

// -- The commands ---------------------------------------------------------------------------------

static int finish(bool is_done, const md5_error *error)
{
    if (!is_done)
        tool_print_error(error);
    return is_done ? TOOL_OK : TOOL_BAD_FILE;
}

int tool_compress(int count, char **arguments)
{
    compress_options options = {0};
    const int status = read_options("compress", count, arguments, &options);
    if (status != TOOL_OK)
        return status;
    if (!options.output)
        return tool_usage("compress", "missing -o FILE");
    md5_error error = {.status = MD5_OK};
    md5_anim *const anim = md5_load_anim(options.files[0], NULL, &error);
    md5_model *const model =
        anim && options.files[1] ? md5_load_model(options.files[1], NULL, &error) : NULL;
    const bool is_done =
        anim && (model || !options.files[1]) && write_compressed(anim, model, &options, &error);
    md5_free_model(model);
    md5_free_anim(anim);
    return finish(is_done, &error);
}

int tool_decompress(int count, char **arguments)
{
    compress_options options = {0};
    const int status = read_options("decompress", count, arguments, &options);
    if (status != TOOL_OK)
        return status;
    md5_error error = {.status = MD5_OK};
    const md5_load_opts opts = {.file_name = options.files[0]};
    md5_anim *const compressed = md5_load_anim(options.files[0], NULL, &error);
    md5_anim *const anim = compressed ? md5_decompress_anim(compressed, &opts, &error) : NULL;
    const bool is_done = anim && check_names(anim, options.files[0], &error)
                         && check_size(compressed, anim, options.files[0], &error)
                         && write_anim(options.output, anim, &error);
    md5_free_anim(anim);
    md5_free_anim(compressed);
    return finish(is_done, &error);
}
