// Functions that all repairs and edits use. They begin and end a repair, access the components of a
// joint in a frame, and compute positions in the bind pose.
#include "md5/edit/document.h"
#include "md5/edit/repair.h"

// Returns the name of a kind of documents for messages.
static const char *document_kind_name(md5_doc_kind kind)
{
    static const char *const names[] = {
        [MD5_DOC_MODEL] = "model",
        [MD5_DOC_ANIM] = "animation",
        [MD5_DOC_CAMERA] = "camera",
    };
    return names[kind];
}

// Begins a function that changes a document. Checks the document and its kind. Also stores the end
// of the document's memory, so that a failed change can be undone. Call md5i_end_repair() even if
// the result is false.
bool md5i_begin_repair(md5_repair *repair, const md5_doc *doc, md5_doc_kind kind, md5_error *error)
{
    MD5_ASSERT_NOT_NULL(doc);
    *repair = (md5_repair){.arena = {.chunks = (struct md5_chunk *)doc->internal.memory}};
    repair->before = md5i_arena_position(&repair->arena);
    md5i_context_begin_memory(&repair->context, doc->allocator, error);
    repair->arena.context = &repair->context;
    repair->scratch.context = &repair->context;

    TRY(md5i_check_doc(&repair->scratch, doc, &repair->num_references));
    if (doc->kind != kind)
        return MD5_FAIL(&repair->context, MD5_ERROR_MISMATCH,
                        "wrong kind of document: expected %s, found %s", document_kind_name(kind),
                        document_kind_name(doc->kind));
    if (repair->num_references > UINT32_MAX)
        return MD5_FAIL(&repair->context, MD5_ERROR_MISMATCH,
                        "document is too large: expected at most 4294967295 references, found %llu",
                        (unsigned long long)repair->num_references);
    return true;
}

// Ends a function that changes a document. `count` is the number of changes. If it is 0 or an error
// occurred, the memory that was added to the document is released. Returns `count`, or MD5_NONE
// after an error.
uint32_t md5i_end_repair(md5_repair *repair, md5_doc *doc, uint32_t count)
{
    const bool has_failed = repair->context.error.status != MD5_OK;
    if (has_failed || count == 0)
        md5i_arena_rewind(&repair->arena, repair->before);
    doc->internal.memory = repair->arena.chunks;
    md5i_arena_free(&repair->scratch);
    md5_free_binding(repair->binding);
    md5_free_anim(repair->anim);
    return has_failed ? MD5_NONE : count;
}

// Writes a clip as a text and loads the text. Loading also validates the numbers. Returns NULL on
// failure.
static md5_anim *load_written_clip(md5_repair *repair, const md5_doc *doc,
                                   const md5_load_opts *opts, md5_error *failure)
{
    md5_doc writable = *doc;
    writable.parents_unknown = false;
    const size_t size = md5_write_doc(&writable, NULL, 0, failure);
    char *const text = size > 0 ? MD5_ALLOC_ARRAY(&repair->scratch, char, size + 1) : NULL;
    if (!text || md5_write_doc(&writable, text, size + 1, failure) != size)
        return NULL;
    md5_anim *const anim = md5_parse_anim(text, size, opts, failure);
    if (anim)
        anim->parents_unknown = doc->parents_unknown;
    return anim;
}

// Loads a document as a clip, and binds it to `model`, or to its own skeleton if `model` is NULL.
// Stores the clip and the binding in the repair. Returns false and sets *failure on failure.
static bool bind_written_clip(md5_repair *repair, const md5_doc *doc, const md5_model *model,
                              md5_error *failure)
{
    const md5_load_opts opts = {.allocator = doc->allocator, .allow_partial_binding = true};
    md5_anim *const anim = load_written_clip(repair, doc, &opts, failure);
    TRY(anim);
    repair->anim = anim;
    repair->binding =
        model ? md5_bind(model, anim, &opts, failure)
              : md5_bind_skeleton(&anim->skeleton, anim->base_frame, anim, &opts, failure);
    return repair->binding != NULL;
}

// Begins a function that changes an animation and needs its poses. Loads the document as a clip,
// binds the clip, and allocates a pose. Call md5i_end_repair() even if the result is false.
bool md5i_begin_clip(md5_repair *repair, const md5_doc *doc, const md5_model *model,
                     md5_error *error)
{
    md5_error failure = {0};
    TRY(md5i_begin_repair(repair, doc, MD5_DOC_ANIM, error));
    if (!bind_written_clip(repair, doc, model, &failure)) {
        // Writing, loading and binding the clip set the error `failure`, which becomes the error of
        // the repair. If `failure` contains no error, memory for the text ran out, and the context
        // contains the error already.
        if (failure.status != MD5_OK)
            md5i_fail_as(&repair->context, &failure);
        return false;
    }
    repair->pose =
        MD5_ALLOC_ARRAY(&repair->scratch, md5_xform, repair->binding->skeleton->num_joints);
    return repair->pose != NULL;
}

// Returns true if the flags of a track contain a component. Frames store only these components.
static bool has_component(uint32_t flags, uint32_t component)
{
    return (flags >> component & 1) != 0;
}

// Returns all six components of a joint in a frame, which are its translation and rotation.
// `numbers` contains the components with a flag. The others are constant and come from the base
// frame.
md5_joint_components md5i_read_components(const md5_doc_joint *joint, const float *numbers)
{
    md5_joint_components all = {.pair = {joint->position, joint->rotation}};
    for (uint32_t i = 0; i < MD5_COUNT(all.values); i++) {
        if (has_component(joint->track.flags, i)) {
            all.values[i] = *numbers;
            numbers++;
        }
    }
    return all;
}

// Writes the components that have a flag in the order in which frames store them. Returns their
// number.
uint32_t md5i_write_components(const md5_joint_components *all, uint32_t flags, float *to)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < MD5_COUNT(all->values); i++) {
        if (has_component(flags, i))
            to[count++] = all->values[i];
    }
    return count;
}

// Returns the point of a weight in the bind pose. The offset of the weight is in the axes of its
// joint. It is rotated to model space and added to the position of the joint.
md5_vec3 md5i_weight_point(const md5_doc *doc, const md5_weight *weight)
{
    const md5_doc_joint *const joint = &doc->joints[weight->joint];
    const md5_vec3 r = joint->rotation;
    const md5_vec3 arm = md5_quat_rotate(md5_quat_from_xyz(r.x, r.y, r.z), weight->offset);
    return md5_vec3_add(joint->position, arm);
}

// Writes the bind positions of all vertices of a document. A position is the sum of the points of
// its weights times their biases.
void md5i_compute_positions(const md5_doc *doc, md5_vec3 *positions)
{
    for (uint32_t m = 0; m < doc->num_meshes; m++) {
        const md5_doc_mesh *const mesh = &doc->meshes[m];
        for (uint32_t v = 0; v < mesh->num_vertices; v++) {
            const md5_vertex vertex = mesh->vertices[v];
            md5_vec3 sum = {0, 0, 0};
            for (uint32_t w = 0; w < vertex.num_weights; w++) {
                const md5_weight *const weight = &mesh->weights[vertex.first_weight + w];
                sum =
                    md5_vec3_add(sum, md5_vec3_scale(md5i_weight_point(doc, weight), weight->bias));
            }
            *positions++ = sum;
        }
    }
}
