// Repairs of documents. Each checks the document and makes room first, and changes the tables when
// nothing can fail any more.
#include "md5/core/math.h"
#include "md5/md5edit.h"
#include "md5/md5skin.h"
#include "md5/read/tables.h"

#ifndef MD5_NO_EXTRAS
// -- One repair -----------------------------------------------------------------------------------

typedef struct repair {
    md5_context context;
    md5_arena kept, scratch; // `kept` becomes the document's memory
    md5_arena_mark before;
    uint64_t num_references; // as md5i_check_doc() counts them
    md5_anim *anim;
    md5_binding *binding; // to a model, or to its own joints
    md5_xform *pose;      // [joints of the binding]
} repair;

static bool begin_repair(repair *it, const md5_doc *doc, md5_doc_kind kind, md5_error *error)
{
    MD5_ASSERT_NOT_NULL(doc);
    *it = (repair){.kept = {.chunks = (struct md5_chunk *)doc->memory}};
    it->before = md5i_arena_here(&it->kept);
    md5i_context_begin_memory(&it->context, doc->allocator, error);
    it->kept.context = it->scratch.context = &it->context;
    TRY(md5i_check_doc(&it->scratch, doc, &it->num_references));
    return (doc->kind == kind && it->num_references <= UINT32_MAX)
           || md5i_fail(&it->context, MD5_ERROR_MISMATCH, 0, 0, "a document of another kind");
}

// Returns `count`, or MD5_NONE after a failure. Then, and for 0, the tables have not changed.
static uint32_t end_repair(repair *it, md5_doc *doc, uint32_t count)
{
    count = it->context.error.status == MD5_OK ? count : MD5_NONE;
    if (count == 0 || count == MD5_NONE)
        md5i_arena_rewind(&it->kept, it->before);
    doc->memory = it->kept.chunks;
    md5i_arena_free(&it->scratch);
    md5_free_binding(it->binding);
    md5_free_anim(it->anim);
    return count;
}

// -- Models ---------------------------------------------------------------------------------------

uint32_t md5_fix_rotations(md5_doc *doc, md5_error *error)
{
    repair it;
    uint32_t count = 0;
    const bool is_sound = begin_repair(&it, doc, MD5_DOC_MODEL, error);
    for (uint32_t j = 0; is_sound && j < doc->num_joints; j++) {
        md5_vec3 *const v = &doc->joints[j].rotation;
        const md5_quat q = md5_quat_from_xyz(v->x, v->y, v->z);
        const bool is_long = md5_quat_is_overlong(v->x, v->y, v->z);
        *v = is_long ? (md5_vec3){q.x, q.y, q.z} : *v;
        count += is_long;
    }
    return end_repair(&it, doc, count);
}

// Copies the weights of a vertex; of more than `most` the largest, after those of one joint were
// added up, which loses nothing. places[joints] are 0. Returns how many there are then.
static uint32_t keep_weights(const md5_weight *weights, uint32_t count, uint32_t most,
                             uint32_t *places, md5_weight *own, double *lost)
{
    uint32_t num_own = 0, num_joints = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t *const place = &places[weights[i].joint];
        md5_weight *const first = &own[*place > 0 ? *place - 1 : num_joints];
        const float bias = *place > 0 ? first->bias + weights[i].bias : 0.0f;
        if (count > most && bias != 0.0f) {
            const float share = weights[i].bias / bias;
            first->offset = md5_vec3_lerp(first->offset, weights[i].offset, share);
            first->bias = bias;
        } else {
            own[num_joints] = weights[i];
            *place = ++num_joints;
        }
    }
    for (uint32_t i = 0; i < count; i++)
        places[weights[i].joint] = 0;
    for (uint32_t i = 0; i < num_joints; i++) {
        md5_weight next = own[i];
        uint32_t least = 0; // the last of equal ones
        for (uint32_t k = 1; num_own == most && k < most; k++)
            least = fabsf(own[k].bias) <= fabsf(own[least].bias) ? k : least;
        if (num_own < most) {
            own[num_own++] = next;
            continue;
        }
        if (fabsf(next.bias) > fabsf(own[least].bias)) {
            const md5_weight dropped = own[least];
            memmove(own + least, own + least + 1, (most - 1 - least) * sizeof *own);
            own[most - 1] = next;
            next = dropped;
        }
        *lost += (double)fabsf(next.bias) * (double)md5_vec3_length(next.offset);
    }
    return num_own;
}

uint32_t md5_fix_weights(md5_doc *doc, uint32_t max_weights, float tolerance, float *loss,
                         md5_error *error)
{
    MD5_ASSERT(max_weights <= 64, "max_weights: 0 to 64");
    const uint32_t most = max_weights > 0 ? max_weights : UINT32_MAX;
    repair it;
    uint32_t count = 0;
    double most_lost = 0.0;
    const bool is_sound = begin_repair(&it, doc, MD5_DOC_MODEL, error);
    const uint32_t num_meshes = is_sound ? doc->num_meshes : 0;
    // Each vertex gets weights of its own, in meshes of which one is wrong.
    md5_doc_mesh *const meshes =
        (md5_doc_mesh *)md5i_arena_copy(&it.scratch, doc->meshes, num_meshes, sizeof *meshes);
    uint32_t *const places = MD5_NEW(&it.scratch, uint32_t, is_sound ? doc->num_joints : 0);
    md5_weight *own = MD5_ROOM(&it.kept, md5_weight, is_sound ? (size_t)it.num_references : 0);
    for (uint32_t m = 0; meshes && places && own && m < num_meshes; m++) {
        md5_doc_mesh *const mesh = &meshes[m];
        md5_weight *const weights = own;
        const uint32_t count_before = count;
        mesh->vertices = MD5_ROOM(&it.kept, md5_vertex, mesh->num_vertices);
        for (uint32_t v = 0; mesh->vertices && v < mesh->num_vertices; v++) {
            const md5_vertex from = doc->meshes[m].vertices[v];
            double lost = 0.0, sum = 0.0;
            const uint32_t first = from.num_weights > 0 ? from.first_weight : 0;
            const uint32_t num_own = keep_weights(doc->meshes[m].weights + first, from.num_weights,
                                                  most, places, own, &lost);
            for (uint32_t k = 0; k < num_own; k++)
                sum += (double)own[k].bias;
            const bool is_pruned = num_own < from.num_weights;
            const bool is_off = is_pruned || fabs(sum - 1.0) > (double)tolerance;
            const double divisor = is_off && fabs(sum) >= 1e-3 ? sum : 1.0;
            for (uint32_t k = 0; k < num_own; k++) {
                const double bias = (double)own[k].bias / divisor;
                lost += fabs(bias - (double)own[k].bias) * (double)md5_vec3_length(own[k].offset);
                own[k].bias = md5_round_to_float(bias);
            }
            most_lost = is_pruned && lost > most_lost ? lost : most_lost;
            count += is_pruned || divisor != 1.0;
            mesh->vertices[v] = (md5_vertex){num_own > 0 ? (uint32_t)(own - weights) : 0, num_own};
            own += num_own;
        }
        mesh->weights = weights;
        mesh->num_weights = (uint32_t)(own - weights);
        if (count == count_before)
            *mesh = doc->meshes[m];
    }
    if (it.context.error.status == MD5_OK && count > 0)
        memcpy(doc->meshes, meshes, num_meshes * sizeof *meshes);
    if (loss)
        *loss = md5_round_to_float(most_lost);
    return end_repair(&it, doc, count);
}

// -- Clips ----------------------------------------------------------------------------------------

// What loading makes of a document, which it checks, as of any file.
static bool begin_clip(repair *it, const md5_doc *doc, const md5_model *model, md5_error *error)
{
    const md5_load_opts opts = {.allocator = doc->allocator};
    md5_error failure = {0};
    TRY(begin_repair(it, doc, MD5_DOC_ANIM, error));
    const size_t size = md5_write_doc(doc, NULL, 0, &failure);
    char *const text = size > 0 ? MD5_ROOM(&it->scratch, char, size + 1) : NULL;
    if (text && md5_write_doc(doc, text, size + 1, &failure) == size)
        it->anim = md5_parse_anim(text, size, &opts, &failure);
    if (it->anim)
        it->binding = model ? md5_bind(model, it->anim, &opts, &failure)
                            : md5_bind_skeleton(&it->anim->skeleton, it->anim->base_frame, it->anim,
                                                &opts, &failure);
    if (!it->binding)
        return failure.status != MD5_OK && md5i_fail_as(&it->context, &failure);
    it->pose = MD5_ROOM(&it->scratch, md5_xform, it->binding->skeleton->num_joints);
    return it->pose != NULL;
}

uint32_t md5_fix_bounds(md5_doc *doc, const md5_model *model, md5_error *error)
{
    repair it;
    const float slack = 0.01f;
    uint32_t count = 0;
    if (!model) {
        md5i_fail_missing(error, "model");
        return MD5_NONE;
    }
    bool is_sound = begin_clip(&it, doc, model, error);
    if (is_sound && model->max_vertices == 0)
        is_sound = md5i_fail(&it.context, MD5_ERROR_MISMATCH, 0, 0, "the model has no vertices");
    md5_mat34 *const palette =
        is_sound ? MD5_ROOM(&it.scratch, md5_mat34, model->skeleton.num_joints) : NULL;
    md5_bounds *const bounds = palette ? MD5_ROOM(&it.kept, md5_bounds, doc->num_frames) : NULL;
    for (uint32_t f = 0; bounds && f < doc->num_frames; f++) {
        const md5_moment moment = md5_moment_from_frames(it.anim, f, f, 0.0f);
        md5_pose_palette(it.binding, moment, MD5_ROOT_FILE, it.pose, NULL, palette);
        bounds[f] = md5_skin_bounds(model, palette);
        const md5_bounds *const old = doc->bounds ? &doc->bounds[f] : &bounds[f];
        count += !doc->bounds
                 || !(md5_vec3_length(md5_vec3_sub(old->min, bounds[f].min)) <= slack
                      && md5_vec3_length(md5_vec3_sub(old->max, bounds[f].max)) <= slack);
    }
    doc->bounds = count > 0 ? bounds : doc->bounds;
    return end_repair(&it, doc, count);
}

// Writes the six components of a joint, in the order of flags.
static void write_components(const md5_xform *joint, float of[6])
{
    const md5_quat q = joint->rotation;
    const float sign = q.w > 0.0f ? -1.0f : 1.0f; // as that of rotations that are stored as x y z
    memcpy(of, &joint->translation, 3 * sizeof *of);
    of[3] = q.x * sign;
    of[4] = q.y * sign;
    of[5] = q.z * sign;
}

// The base frame of joint `j` of the binding: the clip's, if its parent there is the same, else the
// first frame, which is sampled.
static const md5_xform *base_of(const repair *it, uint32_t j)
{
    const uint32_t *const tracks = it->binding->tracks;
    const uint32_t track = tracks[j], parent = it->binding->skeleton->joints[j].parent;
    const uint32_t own = track == MD5_NONE ? track : it->anim->skeleton.joints[track].parent;
    const bool is_same =
        parent == MD5_NONE || own == MD5_NONE ? parent == own : tracks[parent] == own;
    return track != MD5_NONE && is_same ? &it->anim->base_frame[track] : &it->pose[j];
}

// Whether a joint of the document and the new one of its number differ; of unit rotations only the
// last bits do.
static bool differs(const md5_doc *doc, const md5_doc_joint *old, const md5_doc_joint *joint,
                    const float *numbers, size_t num_components)
{
    const float slack = 0.25f * MD5_LENGTH_SLACK;
    const uint32_t flags = joint->track.flags, count = md5i_num_flags(flags);
    if (strcmp(old->name ? old->name : "", joint->name) != 0 || old->parent != joint->parent
        || old->track.flags != flags || (flags > 0 && old->track.first != joint->track.first))
        return true;
    bool is_other = md5_vec3_length(md5_vec3_sub(old->rotation, joint->rotation)) > slack;
    for (size_t f = 0; f < doc->num_frames && count > 0; f++) {
        const float *const a = doc->numbers + f * doc->num_components + joint->track.first;
        const float *const b = numbers + f * num_components + joint->track.first;
        for (uint32_t i = 0; i < count; i++)
            is_other |= fabsf(a[i] - b[i]) > slack;
    }
    return is_other;
}

// Poses that the binding samples, which are what the clip looks like on the model, become the clip.
// Components that equal the base frame to the bit in all frames need no flag, but those that the
// clip had keep theirs: who wrote it may have had a reason.
static uint32_t fit_joints(repair *it, md5_doc *doc, bool all_components)
{
    const md5_skeleton *const skeleton = it->binding->skeleton;
    const uint32_t num_joints = skeleton->num_joints;
    md5_doc_joint *const joints = MD5_NEW(&it->kept, md5_doc_joint, num_joints);
    float *const base = MD5_ROOM(&it->scratch, float, 6 * (size_t)num_joints);
    float *numbers = NULL;
    uint32_t num_components = 0;
    if (!joints || !base)
        return 0;
    for (int pass = 0; pass < 2; pass++) { // to find flags, and to write the numbers
        float *next = numbers;
        for (uint32_t f = 0; f < doc->num_frames; f++) {
            md5_sample(it->binding, md5_moment_from_frames(it->anim, f, f, 0.0f), MD5_ROOT_FILE,
                       it->pose);
            for (uint32_t j = 0; j < num_joints; j++) {
                md5_track *const track = &joints[j].track;
                float values[6];
                write_components(&it->pose[j], values);
                if (f == 0 && pass == 0)
                    write_components(base_of(it, j), base + 6 * (size_t)j);
                for (uint32_t i = 0; i < MD5_COUNT(values); i++) {
                    if (next && (track->flags >> i & 1))
                        *next++ = values[i];
                    else if (memcmp(&values[i], &base[6 * (size_t)j + i], sizeof values[i]) != 0)
                        track->flags |= UINT32_C(1) << i;
                }
            }
        }
        for (uint32_t j = 0; j < num_joints && pass == 0; j++) {
            md5_doc_joint *const joint = &joints[j];
            const uint32_t track = it->binding->tracks[j];
            const float *const of = base + 6 * (size_t)j;
            const char *const name = skeleton->joints[j].name;
            joint->track.flags |= track != MD5_NONE ? doc->joints[track].track.flags : 0;
            joint->track.flags |= all_components ? MD5_TRANSLATES | MD5_ROTATES : 0;
            joint->track.first = joint->track.flags ? num_components : 0;
            num_components += md5i_num_flags(joint->track.flags);
            joint->name = md5_copy_text(&it->kept, name, strlen(name));
            joint->parent = skeleton->joints[j].parent;
            joint->position = (md5_vec3){of[0], of[1], of[2]};
            joint->rotation = (md5_vec3){of[3], of[4], of[5]};
        }
        if (pass == 0)
            numbers = (float *)md5i_arena_room(&it->kept, doc->num_frames,
                                               num_components * sizeof *numbers);
        if (it->context.error.status != MD5_OK)
            return 0;
    }
    uint32_t count = num_joints < doc->num_joints ? doc->num_joints - num_joints : 0;
    for (uint32_t j = 0; j < num_joints; j++)
        count += j >= doc->num_joints
                 || differs(doc, &doc->joints[j], &joints[j], numbers, num_components);
    if (count > 0) {
        doc->num_joints = num_joints;
        doc->joints = joints;
        doc->num_components = num_components;
        doc->numbers = numbers;
    }
    return count;
}

uint32_t md5_fix_joints(md5_doc *doc, const md5_model *model, bool all_components, md5_error *error)
{
    repair it;
    const bool is_sound = begin_clip(&it, doc, model, error);
    return end_repair(&it, doc, is_sound ? fit_joints(&it, doc, all_components) : 0);
}
#endif
