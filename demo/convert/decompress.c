// Converts compressed clips, which only this library reads, to the text of an .md5anim.
#include "demo/convert/convert.h"

bool convert_is_compressed_clip(const char *bytes, size_t size)
{
    static const char magic[] = "M5CC";
    const size_t length = sizeof magic - 1;
    return size >= length && memcmp(bytes, magic, length) == 0;
}

md5_quat convert_file_rotation(md5_quat q)
{
    // Subtraction from 0 never results in -0, in contrast to negation.
    return q.w > 0 ? (md5_quat){0 - q.x, 0 - q.y, 0 - q.z, 0 - q.w} : q;
}

// Fails if the text of a clip would be too large. A frame without motion takes no bytes in a
// compressed clip but lines in a text, so a few bytes could become gigabytes. The limit is far
// above clips of recorded motions.
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
        const md5_quat q = convert_file_rotation(anim->base_frame[i].rotation);
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
    enum { NUM_COMPONENTS = 6 }; // components of a joint
    for (uint32_t i = 0; i < anim->skeleton.num_joints; i++) {
        const md5_vec3 t = pose[i].translation;
        const md5_quat q = convert_file_rotation(pose[i].rotation);
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

// Samples all frames of a clip: the animated components, and the bounds of the joints.
static void sample_frames(const md5_binding *binding, md5_doc *doc)
{
    const md5_anim *const anim = binding->anim;
    const md5_skeleton *const skeleton = &anim->skeleton;
    md5_xform *const pose = common_alloc(skeleton->num_joints, sizeof *pose);
    md5_mat34 *const matrices = common_alloc(skeleton->num_joints, sizeof *matrices);
    float *next = doc->numbers;
    for (uint32_t i = 0; i < anim->num_frames; i++) {
        const md5_sample_position frame = {.frame0 = i, .frame1 = i};
        md5_sample(binding, frame, MD5_ROOT_FILE, pose);
        next = write_components(anim, pose, next);
        doc->bounds[i] = find_joint_bounds(skeleton, pose, matrices);
    }
    free(matrices);
    free(pose);
}

// Replaces *text by the text of a clip. The clip is bound to its own skeleton and sampled in each
// frame, so the values are those that players compute.
static bool print_anim(const md5_anim *anim, char **text, size_t *size, md5_error *error)
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
    sample_frames(binding, &doc);
    md5_free_binding(binding);

    const bool is_printed = convert_print_doc(&doc, text, size, error);
    free(doc.bounds);
    free(doc.numbers);
    free(doc.joints);
    return is_printed;
}

// Replaces *text by the text of a compressed clip. Returns false and fills `error` on failure.
// An error without a file name, such as a failed allocation, receives `path`.
bool convert_decompress_clip(const md5_anim *compressed, const char *path, char **text,
                             size_t *size, md5_error *error)
{
    const md5_load_opts opts = {.file_name = path};
    md5_anim *const anim = md5_decompress_anim(compressed, &opts, error);
    const bool is_done =
        anim && check_size(compressed, anim, path, error) && print_anim(anim, text, size, error);
    if (!is_done && error->file[0] == '\0')
        convert_name_file(error, path);
    md5_free_anim(anim);
    return is_done;
}

// Parses a compressed clip. Documents contain uncompressed clips, so it is decompressed to a text,
// which is parsed.
static md5_doc *parse_compressed_clip(const convert_part *part, md5_error *error)
{
    const md5_load_opts opts = {.file_name = part->path ? part->path : part->name};
    char *text = NULL;
    size_t size = 0;
    md5_doc *doc = NULL;
    md5_anim *const anim = md5_parse_anim(part->bytes, part->size, &opts, error);
    if (anim && convert_decompress_clip(anim, opts.file_name, &text, &size, error))
        doc = md5_parse_doc(MD5_DOC_ANIM, text, size, &opts, error);
    free(text);
    md5_free_anim(anim);
    return doc;
}

md5_doc *convert_parse_doc(const convert_part *part, md5_error *error)
{
    if (part->kind == CONVERT_CLIP && convert_is_compressed_clip(part->bytes, part->size))
        return parse_compressed_clip(part, error);
    return convert_parse_text(part, error);
}
