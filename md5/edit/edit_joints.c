// Edits of the joints of a model or clip. They remove unused joints, sort joints so that each
// follows its parent, and add a root. Weights, parents and frames refer to joints by index, so each
// edit must rearrange them. md5i_rearrange_joints() does this for any order of the joints.
#include "md5/edit/repair.h"
#include "md5/read/tables.h"

// Completes the flags of a track. If any flag of the translation is set, all three are set in the
// result. The same is true for the rotation.
static uint32_t complete_flags(uint32_t flags)
{
    if (flags & MD5_TRANSLATION_FLAGS)
        flags |= MD5_TRANSLATION_FLAGS;
    if (flags & MD5_ROTATION_FLAGS)
        flags |= MD5_ROTATION_FLAGS;
    return flags;
}

// Writes the frames of the document `to`. Joint i of `to` is joint old_indices[i] of `doc`, and
// must have its new track already. Returns false if memory runs out.
static bool rearrange_frames(md5_repair *repair, const md5_doc *doc, const uint32_t *old_indices,
                             md5_doc *to)
{
    to->numbers = (float *)md5i_arena_alloc_raw(&repair->arena, doc->num_frames,
                                                to->num_components * sizeof *to->numbers);
    TRY(to->numbers);

    for (uint32_t i = 0; i < to->num_joints; i++) {
        const md5_track track = to->joints[i].track;
        if (track.flags == 0)
            continue;
        const md5_doc_joint *const old_joint = &doc->joints[old_indices[i]];
        for (size_t frame = 0; frame < doc->num_frames; frame++) {
            const float *const source = doc->numbers + frame * doc->num_components;
            float *const destination = to->numbers + frame * to->num_components;
            const md5_joint_components components =
                md5i_read_components(old_joint, source + old_joint->track.first);
            md5i_write_components(&components, track.flags, destination + track.first);
        }
    }
    return true;
}

// Writes the joints of the document `to` with their new parents and tracks, and sets the number of
// components of a frame. Joint i of `to` is joint old_indices[i] of `doc`. If old_indices[0] is
// MD5_NONE, joint 0 is a new root, and the former roots become its children. new_indices[] is the
// inverse of old_indices[]. If `completes_roots`, the tracks of former roots get complete_flags().
static void rearrange_hierarchy(const md5_doc *doc, const uint32_t *old_indices,
                                const uint32_t *new_indices, bool completes_roots, md5_doc *to)
{
    const bool has_new_root = old_indices[0] == MD5_NONE;
    to->num_components = 0;
    for (uint32_t i = 0; i < to->num_joints; i++) {
        md5_doc_joint *const joint = &to->joints[i];
        joint->parent = MD5_NONE;
        if (old_indices[i] == MD5_NONE)
            continue;
        *joint = doc->joints[old_indices[i]];
        const bool was_root = joint->parent == MD5_NONE;
        if (!was_root)
            joint->parent = new_indices[joint->parent];
        else if (has_new_root)
            joint->parent = 0;

        const uint32_t old_flags = joint->track.flags;
        const uint32_t flags = was_root && completes_roots ? complete_flags(old_flags) : old_flags;
        joint->track = (md5_track){flags, flags > 0 ? to->num_components : 0};
        to->num_components += md5i_count_flags(flags);
    }
}

// Copies the meshes with weights that refer to the new indices of the joints.
static bool rearrange_weights(md5_repair *repair, const md5_doc *doc, const uint32_t *new_indices,
                              md5_doc *to)
{
    to->meshes = (md5_doc_mesh *)md5i_arena_copy(&repair->arena, doc->meshes, doc->num_meshes,
                                                 sizeof *doc->meshes);
    TRY(to->meshes);
    for (uint32_t m = 0; m < doc->num_meshes; m++) {
        md5_doc_mesh *const mesh = &to->meshes[m];
        mesh->weights = (md5_weight *)md5i_arena_copy(&repair->arena, mesh->weights,
                                                      mesh->num_weights, sizeof *mesh->weights);
        TRY(mesh->weights);
        for (uint32_t w = 0; w < mesh->num_weights; w++)
            mesh->weights[w].joint = new_indices[mesh->weights[w].joint];
    }
    return true;
}

// Copies the joints in their new order. Then updates the indices of joints in weights, parents and
// tracks. old_indices[i] is the old index of joint i. repair.h explains the new root and
// `completes_roots`.
bool md5i_rearrange_joints(md5_repair *repair, const md5_doc *doc, const uint32_t *old_indices,
                           uint32_t count, bool completes_roots, md5_doc *to)
{
    // The elements of removed joints remain uninitialized. This is safe because weights and parents
    // refer only to joints of the result.
    uint32_t *const new_indices = MD5_ALLOC_ARRAY(&repair->scratch, uint32_t, doc->num_joints);
    *to = *doc;
    to->num_joints = count;
    to->joints = MD5_ALLOC_ZEROED(&repair->arena, md5_doc_joint, count);
    TRY(new_indices && to->joints);
    for (uint32_t i = 0; i < count; i++) {
        if (old_indices[i] != MD5_NONE)
            new_indices[old_indices[i]] = i;
    }
    rearrange_hierarchy(doc, old_indices, new_indices, completes_roots, to);
    if (doc->kind == MD5_DOC_ANIM)
        TRY(rearrange_frames(repair, doc, old_indices, to));
    return rearrange_weights(repair, doc, new_indices, to);
}

// Marks the joints that weights use, and the ancestors of these joints. Marks all joints if the
// document has no weights.
static void mark_used_joints(const md5_doc *doc, bool *is_used)
{
    bool has_weights = false;
    for (uint32_t i = 0; i < doc->num_meshes; i++) {
        const md5_doc_mesh *const mesh = &doc->meshes[i];
        for (uint32_t w = 0; w < mesh->num_weights; w++) {
            has_weights = true;
            for (uint32_t j = mesh->weights[w].joint; j != MD5_NONE && !is_used[j];
                 j = doc->joints[j].parent)
                is_used[j] = true;
        }
    }
    if (!has_weights) {
        for (uint32_t j = 0; j < doc->num_joints; j++)
            is_used[j] = true;
    }
}

// Returns true if the document has exactly one root and its name is `name`.
static bool has_single_root(const md5_doc *doc, const char *name)
{
    uint32_t root = MD5_NONE;
    for (uint32_t j = 0; j < doc->num_joints; j++) {
        if (doc->joints[j].parent != MD5_NONE)
            continue;
        if (root != MD5_NONE)
            return false;
        root = j;
    }
    const char *const root_name = root != MD5_NONE ? doc->joints[root].name : NULL;
    return strcmp(root_name ? root_name : "", name) == 0;
}

// The new order of the joints, and the buffers for finding it. Each has num_joints elements unless
// stated otherwise.
typedef struct joint_order {
    uint32_t *old_indices; // [num_joints + 1]; see md5i_rearrange_joints()
    uint32_t *ancestors;   // stack of order_joints()
    bool *is_used;         // the joint is in the result
    bool *is_ordered;      // the joint is in old_indices or on the stack
    uint32_t count;        // used part of old_indices
} joint_order;

// Allocates the buffers for `num_joints` joints and one additional root. If memory runs out, the
// context of the repair contains the error.
static joint_order create_joint_order(md5_repair *repair, uint32_t num_joints)
{
    return (joint_order){
        .old_indices = MD5_ALLOC_ARRAY(&repair->scratch, uint32_t, (size_t)num_joints + 1),
        .ancestors = MD5_ALLOC_ARRAY(&repair->scratch, uint32_t, num_joints),
        .is_used = MD5_ALLOC_ZEROED(&repair->scratch, bool, num_joints),
        .is_ordered = MD5_ALLOC_ZEROED(&repair->scratch, bool, num_joints),
    };
}

// Returns the number of joints that get another index.
static uint32_t count_moved_joints(const joint_order *order)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < order->count; i++) {
        if (order->old_indices[i] != i)
            count++;
    }
    return count;
}

// Adds the used joints to old_indices so that each joint follows its parent. A joint that already
// follows its parent keeps its position. The result depends only on the hierarchy and the old
// order. Therefore a mesh and its clips get the same order. Returns the number of unused joints.
static uint32_t order_joints(const md5_doc *doc, joint_order *order)
{
    uint32_t num_unused = 0;
    for (uint32_t j = 0; j < doc->num_joints; j++) {
        if (!order->is_used[j]) {
            num_unused++;
            continue;
        }

        // Collect the joint and its ancestors, up to an ancestor that is ordered already. Then add
        // them from the highest ancestor down.
        uint32_t depth = 0;
        uint32_t ancestor = j;
        while (ancestor != MD5_NONE && order->is_used[ancestor] && !order->is_ordered[ancestor]) {
            order->ancestors[depth++] = ancestor;
            order->is_ordered[ancestor] = true;
            ancestor = doc->joints[ancestor].parent;
        }
        while (depth > 0) {
            depth--;
            order->old_indices[order->count++] = order->ancestors[depth];
        }
    }
    return num_unused;
}

// Adds a root, removes unused joints, and sorts joints so that parents precede their children.
// Returns the number of joints that were moved, removed or added, or MD5_NONE after a failure.
uint32_t md5_edit_joints(md5_doc *doc, const md5_joint_edit *edit, md5_error *error)
{
    MD5_ASSERT_ALIVE(doc, MD5_TAG_DOC);
    MD5_ASSERT_RESERVED(edit);

    md5_repair repair;
    // A camera has no joints, so it must be rejected. Expecting a model makes the check of the kind
    // fail.
    const md5_doc_kind kind = doc->kind == MD5_DOC_CAMERA ? MD5_DOC_MODEL : doc->kind;
    if (!md5i_begin_repair(&repair, doc, kind, error))
        return md5i_end_repair(&repair, doc, 0);
    joint_order order = create_joint_order(&repair, doc->num_joints);
    if (repair.context.error.status != MD5_OK)
        return md5i_end_repair(&repair, doc, 0);

    // Select the joints of the result.
    if (edit->drops_unused && doc->kind != MD5_DOC_ANIM)
        mark_used_joints(doc, order.is_used);
    else
        memset(order.is_used, true, doc->num_joints);

    // Determine the order of the selected joints, and stop if it is their order already.
    const bool adds_root = edit->root && !has_single_root(doc, edit->root);
    if (adds_root)
        order.old_indices[order.count++] = MD5_NONE;
    const uint32_t num_removed = order_joints(doc, &order);
    const uint32_t num_changes = num_removed + count_moved_joints(&order);
    if (num_changes == 0)
        return md5i_end_repair(&repair, doc, 0);

    // Write the joints in this order to a copy, which replaces the document only on success.
    md5_doc to;
    const bool is_rearranged =
        md5i_rearrange_joints(&repair, doc, order.old_indices, order.count, false, &to);
    if (is_rearranged && adds_root)
        to.joints[0].name = md5_copy_text(&repair.arena, edit->root, strlen(edit->root));
    if (is_rearranged && repair.context.error.status == MD5_OK)
        *doc = to;
    return md5i_end_repair(&repair, doc, num_changes);
}
