// md5tool compress and decompress: compress animations, and convert them back to text.
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

// Fails if the text of a clip would be too large. Frames without motion take no bytes in a
// compressed clip, but lines of text, so that a few bytes could become gigabytes. Clips of recorded
// motions are far below the limit.
static bool check_size(const md5_anim *compressed, const md5_anim *anim, const char *path,
                       md5_error *error)
{
    enum { MIN_LIMITED = 64 << 20, MAX_GROWTH = 1000, BYTES_PER_FRAME = 50, BYTES_PER_NUMBER = 2 };
    const uint64_t frame = BYTES_PER_FRAME + (uint64_t)BYTES_PER_NUMBER * anim->num_components;
    const uint64_t size = frame * anim->num_frames;
    if (size <= MIN_LIMITED || size / MAX_GROWTH <= compressed->size)
        return true;
    return convert_fail(error, MD5_ERROR_RANGE, path,
                        "decompressed clip is too large: %u frames are %llu bytes of text, more "
                        "than %d times the compressed size",
                        anim->num_frames, (unsigned long long)size, (int)MAX_GROWTH);
}

// Sets the names, parents, components and base frame of a clip's joints.
static void fill_joints(const md5_anim *anim, md5_doc_joint *joints)
{
    for (uint32_t i = 0; i < anim->skeleton.num_joints; i++) {
        const md5_quat q = tool_stored_rotation(anim->base_frame[i].rotation);
        joints[i] = (md5_doc_joint){.name = anim->skeleton.joints[i].name,
                                    .parent = anim->skeleton.joints[i].parent,
                                    .track = anim->tracks[i],
                                    .position = anim->base_frame[i].translation,
                                    .rotation = {q.x, q.y, q.z}};
    }
}

// Writes the animated components of a pose to `numbers`. Bit k of a joint's flags is set if its
// component k is animated. Returns the end of the written numbers.
static float *write_components(const md5_anim *anim, const md5_xform *pose, float *numbers)
{
    enum { NUM_COMPONENTS = 6 }; // of a joint
    for (uint32_t i = 0; i < anim->skeleton.num_joints; i++) {
        const md5_vec3 t = pose[i].translation;
        const md5_quat q = tool_stored_rotation(pose[i].rotation);
        const float components[NUM_COMPONENTS] = {t.x, t.y, t.z, q.x, q.y, q.z};
        for (int k = 0; k < NUM_COMPONENTS; k++) {
            const bool is_animated = anim->tracks[i].flags >> k & 1;
            if (is_animated)
                *numbers++ = components[k];
        }
    }
    return numbers;
}

// Returns the bounds of the joints of a pose. `matrices` is temporary memory for all joints.
static md5_bounds find_joint_bounds(const md5_skeleton *skeleton, const md5_xform *pose,
                                    md5_mat34 *matrices)
{
    md5_bounds bounds = md5_bounds_from_points(NULL, 0);
    md5_local_to_model(skeleton, pose, matrices);
    for (uint32_t i = 0; i < skeleton->num_joints; i++) {
        const md5_vec3 point = md5_mat34_translation(matrices[i]);
        bounds = md5_bounds_union(bounds, md5_bounds_from_points(&point, 1));
    }
    return bounds;
}

// Writes a clip as text. Its frames are sampled as players sample them, through a binding to the
// skeleton of the clip itself.
static bool write_anim(const char *path, const md5_anim *anim, md5_error *error)
{
    const md5_skeleton *const skeleton = &anim->skeleton;
    const uint32_t num_joints = skeleton->num_joints;
    md5_binding *const binding = md5_bind_skeleton(skeleton, anim->base_frame, anim, NULL, error);
    if (!binding)
        return false;

    md5_doc doc = {
        .kind = MD5_DOC_ANIM,
        .command_line = "md5tool decompress",
        .num_joints = num_joints,
        .joints = common_alloc(num_joints, sizeof *doc.joints),
        .num_frames = anim->num_frames,
        .num_components = anim->num_components,
        .frame_rate = anim->frame_rate,
        .numbers = common_alloc(anim->num_frames, anim->num_components * sizeof *doc.numbers),
        .bounds = common_alloc(anim->num_frames, sizeof *doc.bounds),
    };
    fill_joints(anim, doc.joints);

    // Sample each frame, and append its animated components.
    md5_xform *const pose = common_alloc(num_joints, sizeof *pose);
    md5_mat34 *const matrices = common_alloc(num_joints, sizeof *matrices);
    float *next = doc.numbers;
    for (uint32_t i = 0; i < anim->num_frames; i++) {
        const md5_sample_position frame = {.frame0 = i, .frame1 = i};
        md5_sample(binding, frame, MD5_ROOT_FILE, pose);
        next = write_components(anim, pose, next);
        doc.bounds[i] = find_joint_bounds(skeleton, pose, matrices);
    }
    free(matrices);
    free(pose);
    md5_free_binding(binding);

    const bool is_written = tool_write_doc(path, &doc, error);
    free(doc.bounds);
    free(doc.numbers);
    free(doc.joints);
    return is_written;
}

// md5tool decompress: loads a compressed clip, decompresses it and writes it as text. Returns an
// exit status.
static int decompress(tool_arguments *arguments)
{
    const char *const path = arguments->operands[0];
    const md5_load_opts opts = {.file_name = path};
    md5_error error = {0};
    md5_anim *const compressed = md5_load_anim(path, NULL, &error);
    md5_anim *const anim = compressed ? md5_decompress_anim(compressed, &opts, &error) : NULL;
    const bool is_done = anim && check_size(compressed, anim, path, &error)
                         && write_anim(arguments->output, anim, &error);
    if (!is_done && error.file[0] == '\0')
        convert_name_file(&error, path);
    md5_free_anim(anim);
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
