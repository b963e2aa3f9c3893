// Packs influences into a fixed number of slots per vertex, and computes an upper bound of the
// resulting error.
#include "md5/core/math.h"
#include "md5/skin/kernels.h"

// If the sum of the kept biases is smaller than this fraction of their magnitudes, they are not
// divided by their sum, which would magnify float rounding a million times.
#define MIN_PACKED_SUM 1e-6

// The packing of one vertex. The first `num_kept` influences are kept, the others are dropped.
typedef struct packed_vertex {
    uint32_t first; // index of the first influence
    uint32_t end;   // index after the last influence
    uint32_t num_kept;
    double sum; // sum of the kept biases; 0: the first influence has weight 1
} packed_vertex;

static packed_vertex pack_vertex(const md5_mesh *mesh, uint32_t vertex, uint32_t slots)
{
    packed_vertex packing = {.first = mesh->first_influence[vertex],
                             .end = mesh->first_influence[vertex + 1]};
    const uint32_t count = packing.end - packing.first;
    packing.num_kept = count < slots ? count : slots;
    double magnitude = 0;
    for (uint32_t i = 0; i < packing.num_kept; i++) {
        const double bias = (double)mesh->influences[packing.first + i].w;
        packing.sum += bias;
        magnitude += fabs(bias);
    }
    if (!(fabs(packing.sum) > MIN_PACKED_SUM * magnitude))
        packing.sum = 0;
    return packing;
}

// Returns the weight of a slot, 0 if the influence was dropped.
static float packed_weight(const md5_mesh *mesh, const packed_vertex *packing, uint32_t slot)
{
    if (slot >= packing->num_kept)
        return 0;
    if (packing->sum == 0)
        return slot == 0 ? 1 : 0;
    return (float)((double)mesh->influences[packing->first + slot].w / packing->sum);
}

// -- Bytes ----------------------------------------------------------------------------------

enum {
    MAX_SLOTS = 255,
    WHOLE = 255, // sum of the weights of a vertex
};

// Writes the weights of the kept slots. Their sum is WHOLE, or 0 without slots.
static void round_weights(const md5_mesh *mesh, const packed_vertex *packing, uint8_t *bytes)
{
    double weights[MAX_SLOTS];
    double sum = 0;
    int missing = packing->num_kept > 0 ? WHOLE : 0;
    for (uint32_t slot = 0; slot < packing->num_kept; slot++) {
        const float weight = packed_weight(mesh, packing, slot);
        weights[slot] = weight > 0 ? (double)weight : 0;
        sum += weights[slot];
    }
    for (uint32_t slot = 0; slot < packing->num_kept; slot++) {
        const double exact = (double)WHOLE * weights[slot] / sum;
        bytes[slot] = (uint8_t)exact;
        weights[slot] = exact - (double)bytes[slot]; // the remainder
        missing -= bytes[slot];
    }

    // Add the missing units to the slots with the largest remainders. Each slot gets at most one
    // unit, because the sum of the remainders is `missing` and each remainder is less than 1.
    for (; missing > 0; missing--) {
        uint32_t largest = 0;
        for (uint32_t i = 1; i < packing->num_kept; i++) {
            if (weights[i] > weights[largest])
                largest = i;
        }
        bytes[largest]++;
        weights[largest] -= 1;
    }
}

// Returns true if the joints of all kept influences fit into a byte.
static bool fit_bytes(const md5_mesh *mesh, uint32_t slots)
{
    for (uint32_t vertex = 0; vertex < mesh->num_vertices; vertex++) {
        const packed_vertex packing = pack_vertex(mesh, vertex, slots);
        for (uint32_t slot = 0; slot < packing.num_kept; slot++)
            TRY(mesh->influence_joints[packing.first + slot] <= UINT8_MAX);
    }
    return true;
}

bool md5_pack_influences(const md5_pack_job *job)
{
    MD5_ASSERT(job && job->mesh, "job, job->mesh: must not be NULL");
    MD5_ASSERT_RESERVED(job);
    const md5_mesh *const mesh = job->mesh;
    const uint32_t slots = job->slots > 0 ? job->slots : 4;
    const bool is_bytes = job->format == MD5_PACK_BYTES;
    const size_t tight = slots * (is_bytes ? 1 : sizeof(float));
    MD5_ASSERT_GEOMETRY(mesh);
    MD5_ASSERT((unsigned)job->format <= MD5_PACK_BYTES,
               "job->format: must be a value of md5_pack_format");
    MD5_ASSERT_ARRAY(job->joints, mesh->num_vertices);
    MD5_ASSERT_ARRAY(job->weights, mesh->num_vertices);
    MD5_ASSERT(slots <= MAX_SLOTS, "job->slots: must be 1 to 255");
    MD5_ASSERT(job->joint_stride == 0 || job->joint_stride >= tight,
               "job->joint_stride: must be 0, or at least the number of slots");
    MD5_ASSERT(job->weight_stride == 0 || job->weight_stride >= tight,
               "job->weight_stride: must be 0, or at least the number of slots");
    if (is_bytes)
        TRY(fit_bytes(mesh, slots));
    unsigned char *joints = (unsigned char *)job->joints;
    unsigned char *weights = (unsigned char *)job->weights;
    for (uint32_t vertex = 0; vertex < mesh->num_vertices; vertex++) {
        const packed_vertex packing = pack_vertex(mesh, vertex, slots);
        uint8_t bytes[MAX_SLOTS];
        if (is_bytes)
            round_weights(mesh, &packing, bytes);
        for (uint32_t slot = 0; slot < slots; slot++) {
            const float weight = packed_weight(mesh, &packing, slot);
            const bool is_used = slot < packing.num_kept && (!is_bytes || weight > 0);
            const uint32_t joint = is_used ? mesh->influence_joints[packing.first + slot] : 0;
            if (is_bytes) {
                joints[slot] = (uint8_t)joint;
                weights[slot] = is_used ? bytes[slot] : 0;
            } else {
                memcpy(joints + slot * sizeof joint, &joint, sizeof joint);
                memcpy(weights + slot * sizeof weight, &weight, sizeof weight);
            }
        }
        joints += job->joint_stride > 0 ? job->joint_stride : tight;
        weights += job->weight_stride > 0 ? job->weight_stride : tight;
    }
    return true;
}

// -- Losses ---------------------------------------------------------------------------------

// Joint i moves a bind point p to R_i (p - o_i) + a_i, with any rotation R_i. With biases b_i,
// packed weights w_i and the bind position c, the difference between the exact vertex and the
// packed vertex is
//
//   sum b_i (R_i (p_i - o_i) + a_i)  -  sum w_i (R_i (c - o_i) + a_i)
//     = sum (b_i - w_i) a_i  +  sum R_i (b_i (p_i - o_i) - w_i (c - o_i)),
//
// which is longest if every R_i rotates its term into the direction of the first sum. A movement of
// all joints by `travel` adds sum (b_i - w_i) * travel.
float md5i_pack_loss(const md5_model *model, uint32_t mesh, uint32_t slots, const md5_mat34 *joints,
                     uint32_t min_influences, uint32_t max_influences)
{
    const md5_mesh *const drawn = &model->meshes[mesh];
    const md5_mat34 *const posed = joints ? joints : model->bind;
    // The assumed movement of a character if no pose is given: the diagonal of its bind pose.
    const md5_vec3d low = md5_vec3d_from_vec3(model->bounds.min);
    const md5_vec3d high = md5_vec3d_from_vec3(model->bounds.max);
    const double travel =
        joints || !(low.x <= high.x) ? 0 : md5_vec3d_length(md5_vec3d_sub(high, low));
    double max_loss = 0;
    for (uint32_t vertex = 0; vertex < drawn->num_vertices; vertex++) {
        const uint32_t *const first = &drawn->first_influence[vertex];
        const uint32_t count = first[1] - first[0];
        if (count < min_influences || count > max_influences)
            continue;
        if (count == 1 && md5_is_rigid(drawn, vertex)) // most vertices: packing is exact
            continue;
        const packed_vertex packing = pack_vertex(drawn, vertex, slots);
        const md5_vec3d c = md5_vec3d_from_vec3(drawn->positions[vertex]);
        md5_vec3d shift = {0, 0, 0};
        double rotated = 0;
        double excess = 0;
        for (uint32_t i = packing.first; i < packing.end; i++) {
            const uint32_t joint = drawn->influence_joints[i];
            const md5_vec4 influence = drawn->influences[i];
            const double bias = (double)influence.w;
            const double weight = (double)packed_weight(drawn, &packing, i - packing.first);
            const md5_vec3d o = md5_vec3d_from_vec3(md5_mat34_translation(model->bind[joint]));
            const md5_vec3d a = md5_vec3d_from_vec3(md5_mat34_translation(posed[joint]));
            const md5_vec3d point = {influence.x, influence.y, influence.z};
            const md5_vec3d exact = md5_vec3d_sub(point, md5_vec3d_scale(o, bias));
            const md5_vec3d packed = md5_vec3d_scale(md5_vec3d_sub(c, o), weight);
            shift = md5_vec3d_add(shift, md5_vec3d_scale(a, bias - weight));
            rotated += md5_vec3d_length(md5_vec3d_sub(exact, packed));
            excess += bias - weight;
        }
        const double loss = md5_vec3d_length(shift) + rotated + fabs(excess) * travel;
        max_loss = loss > max_loss ? loss : max_loss;
    }
    return md5_round_to_float(max_loss);
}

float md5_pack_loss(const md5_model *model, uint32_t mesh, uint32_t slots, const md5_mat34 *joints)
{
    MD5_ASSERT_ALIVE(model, MD5_TAG_MODEL);
    MD5_ASSERT(mesh < model->num_meshes, "mesh: must be an index into model->meshes");
    MD5_ASSERT(slots > 0, "slots: must be at least 1");
    MD5_ASSERT(md5_has_geometry(&model->meshes[mesh]),
               "mesh: geometry must not have been released");
    return md5i_pack_loss(model, mesh, slots, joints, 0, UINT32_MAX);
}
