// Packs the influences of each vertex into a fixed number of slots. Influences without a slot are
// dropped. Also computes an upper bound of the resulting error.
#include "md5/core/math.h"
#include "md5/skin/kernels.h"

// Packing divides the kept biases by their sum. It does so only if this sum exceeds the given
// fraction of the sum of their magnitudes. Division by a smaller sum would magnify rounding errors
// of floats a million times.
#define MIN_PACKED_SUM 1e-6

// The packing of one vertex. The first `num_kept` influences are kept, the others are dropped.
typedef struct packed_vertex {
    uint32_t first; // index of the first influence
    uint32_t end;   // index after the last influence
    uint32_t num_kept;
    double sum; // sum of the kept biases; if 0, only the first influence is used, with weight 1
} packed_vertex;

// Returns the packing of a vertex into `slots` slots. The first influences are kept, because
// influences are sorted by descending magnitude.
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

    // Biases of opposite signs may cancel out. Dividing by such a sum would magnify rounding
    // errors. packed_weight() then uses only the first influence, which is the largest.
    const bool cancels = !(fabs(packing.sum) > MIN_PACKED_SUM * magnitude);
    if (cancels)
        packing.sum = 0;
    return packing;
}

// Returns the weight of a slot. It is 0 if the slot has no influence.
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

// Adds `missing` units to the bytes of the slots with the largest remainders, so that the bytes
// have the correct sum. Each slot gets at most one unit: the remainders sum to `missing`, and each
// of them is less than 1.
static void add_missing_units(int missing, double *remainders, uint8_t *bytes, uint32_t num_slots)
{
    for (int unit = 0; unit < missing; unit++) {
        uint32_t largest = 0;
        for (uint32_t slot = 1; slot < num_slots; slot++) {
            if (remainders[slot] > remainders[largest])
                largest = slot;
        }
        bytes[largest]++;
        remainders[largest] -= 1;
    }
}

// Rounds the weights of the kept slots to bytes. Negative weights become 0. The sum of the bytes is
// WHOLE, or 0 if the vertex has no influences.
static void round_weights(const md5_mesh *mesh, const packed_vertex *packing, uint8_t *bytes)
{
    const uint32_t num_kept = packing->num_kept;
    double weights[MAX_SLOTS];
    double sum = 0;
    for (uint32_t slot = 0; slot < num_kept; slot++) {
        const float weight = packed_weight(mesh, packing, slot);
        weights[slot] = weight > 0 ? (double)weight : 0;
        sum += weights[slot];
    }

    // Round down, then distribute the units that are missing from the sum.
    double remainders[MAX_SLOTS];
    int missing = num_kept > 0 ? WHOLE : 0;
    for (uint32_t slot = 0; slot < num_kept; slot++) {
        const double exact = (double)WHOLE * weights[slot] / sum;
        bytes[slot] = (uint8_t)exact;
        remainders[slot] = exact - (double)bytes[slot];
        missing -= bytes[slot];
    }
    add_missing_units(missing, remainders, bytes, num_kept);
}

// Returns true if the joints of all kept influences fit into a byte.
static bool fit_bytes(const md5_mesh *mesh, uint32_t slots)
{
    for (uint32_t vertex = 0; vertex < mesh->num_vertices; vertex++) {
        const packed_vertex packing = pack_vertex(mesh, vertex, slots);
        for (uint32_t slot = 0; slot < packing.num_kept; slot++) {
            if (mesh->influence_joints[packing.first + slot] > UINT8_MAX)
                return false;
        }
    }
    return true;
}

// Writes the slots of a vertex as bytes. A slot with a negative weight is unused, so its joint and
// weight are 0.
static void write_byte_slots(const md5_mesh *mesh, const packed_vertex *packing, uint32_t slots,
                             uint8_t *joints, uint8_t *weights)
{
    uint8_t rounded[MAX_SLOTS] = {0};
    round_weights(mesh, packing, rounded);
    for (uint32_t slot = 0; slot < slots; slot++) {
        const bool is_used = packed_weight(mesh, packing, slot) > 0;
        uint32_t joint = 0;
        if (is_used)
            joint = mesh->influence_joints[packing->first + slot];
        joints[slot] = (uint8_t)joint; // fit_bytes() has checked the joints
        weights[slot] = is_used ? rounded[slot] : (uint8_t)0;
    }
}

// -- Both formats ---------------------------------------------------------------------------

// Writes the slots of a vertex as uint32_t joints and float weights. The addresses need not be
// aligned. Unused slots have joint 0 and weight 0.
static void write_float_slots(const md5_mesh *mesh, const packed_vertex *packing, uint32_t slots,
                              unsigned char *joints, unsigned char *weights)
{
    for (uint32_t slot = 0; slot < slots; slot++) {
        const bool is_used = slot < packing->num_kept;
        const uint32_t joint = is_used ? mesh->influence_joints[packing->first + slot] : 0;
        const float weight = packed_weight(mesh, packing, slot);
        memcpy(joints + slot * sizeof joint, &joint, sizeof joint);
        memcpy(weights + slot * sizeof weight, &weight, sizeof weight);
    }
}

// Returns the size of one slot of either array, in bytes. A joint is as large as a weight.
static size_t slot_size(md5_pack_format format)
{
    return format == MD5_PACK_BYTES ? sizeof(uint8_t) : sizeof(float);
}

// Packs the influences of all vertices of a mesh into a fixed number of slots. Returns false if the
// format is bytes and a joint index exceeds a byte.
bool md5_pack_influences(const md5_pack_job *job)
{
    MD5_ASSERT(job && job->mesh, "job, job->mesh: must not be NULL");
    MD5_ASSERT_RESERVED(job);
    const md5_mesh *const mesh = job->mesh;
    const uint32_t slots = job->slots > 0 ? job->slots : 4;
    const size_t vertex_size = slots * slot_size(job->format);
    MD5_ASSERT_GEOMETRY(mesh);
    MD5_ASSERT((unsigned)job->format <= MD5_PACK_BYTES,
               "job->format: must be a value of md5_pack_format");
    MD5_ASSERT_ARRAY(job->joints, mesh->num_vertices);
    MD5_ASSERT_ARRAY(job->weights, mesh->num_vertices);
    MD5_ASSERT(slots <= MAX_SLOTS, "job->slots: must be 1 to 255");
    MD5_ASSERT(job->joint_stride == 0 || job->joint_stride >= vertex_size,
               "job->joint_stride: must be 0, or at least the number of slots");
    MD5_ASSERT(job->weight_stride == 0 || job->weight_stride >= vertex_size,
               "job->weight_stride: must be 0, or at least the number of slots");
    if (job->format == MD5_PACK_BYTES)
        TRY(fit_bytes(mesh, slots));

    const size_t joint_stride = job->joint_stride > 0 ? job->joint_stride : vertex_size;
    const size_t weight_stride = job->weight_stride > 0 ? job->weight_stride : vertex_size;
    for (uint32_t vertex = 0; vertex < mesh->num_vertices; vertex++) {
        const packed_vertex packing = pack_vertex(mesh, vertex, slots);
        unsigned char *const joints = (unsigned char *)job->joints + vertex * joint_stride;
        unsigned char *const weights = (unsigned char *)job->weights + vertex * weight_stride;
        if (job->format == MD5_PACK_BYTES)
            write_byte_slots(mesh, &packing, slots, joints, weights);
        else
            write_float_slots(mesh, &packing, slots, joints, weights);
    }
    return true;
}

// -- Losses ---------------------------------------------------------------------------------

// Returns the length of the diagonal of the bind pose's bounding box. It is 0 if the model has no
// vertices.
static double bind_pose_diagonal(const md5_model *model)
{
    const md5_vec3d low = md5_vec3d_from_vec3(model->bounds.min);
    const md5_vec3d high = md5_vec3d_from_vec3(model->bounds.max);
    const bool is_empty = !(low.x <= high.x);
    return is_empty ? 0 : md5_vec3d_length(md5_vec3d_sub(high, low));
}

// Returns an upper bound of the distance between the exact and the packed position of a vertex.
// posed[] contains the matrices of the joints in the pose.
//
// Joint i moves a point p of the bind pose to
//
//   R_i (p - o_i) + a_i.
//
// R_i is any rotation. o_i and a_i are the positions of the joint in the bind pose and in the pose.
// The vertex has the bind position c. Its influences have the points p_i, the biases b_i and the
// packed weights w_i. The difference between its exact and its packed position is
//
//   sum b_i (R_i (p_i - o_i) + a_i)  -  sum w_i (R_i (c - o_i) + a_i)
//     = sum (b_i - w_i) a_i  +  sum R_i (b_i (p_i - o_i) - w_i (c - o_i)).
//
// It is longest if every R_i rotates its term into the direction of the first sum. If all joints
// also move by `travel`, the difference grows by at most
//
//   |sum (b_i - w_i)| * travel.
static double vertex_loss(const md5_model *model, const md5_mesh *mesh, uint32_t vertex,
                          uint32_t slots, const md5_mat34 *posed, double travel)
{
    const packed_vertex packing = pack_vertex(mesh, vertex, slots);
    const md5_vec3d bind_position = md5_vec3d_from_vec3(mesh->positions[vertex]); // c
    md5_vec3d shift = {0, 0, 0};                                                  // the first sum
    double rotated = 0; // sum of the lengths of the terms of the second sum
    double excess = 0;  // sum of b_i - w_i

    for (uint32_t i = packing.first; i < packing.end; i++) {
        const uint32_t joint = mesh->influence_joints[i];
        const md5_vec4 influence = mesh->influences[i];
        const md5_vec3d weighted_point = {influence.x, influence.y, influence.z}; // b_i p_i
        const double bias = (double)influence.w;
        const double weight = (double)packed_weight(mesh, &packing, i - packing.first);

        // The positions of the joint in the bind pose, o_i, and in the pose, a_i.
        const md5_vec3d bind_joint = md5_vec3d_from_vec3(md5_mat34_translation(model->bind[joint]));
        const md5_vec3d posed_joint = md5_vec3d_from_vec3(md5_mat34_translation(posed[joint]));

        const md5_vec3d exact = md5_vec3d_sub(weighted_point, md5_vec3d_scale(bind_joint, bias));
        const md5_vec3d packed = md5_vec3d_scale(md5_vec3d_sub(bind_position, bind_joint), weight);
        shift = md5_vec3d_add(shift, md5_vec3d_scale(posed_joint, bias - weight));
        rotated += md5_vec3d_length(md5_vec3d_sub(exact, packed));
        excess += bias - weight;
    }
    return md5_vec3d_length(shift) + rotated + fabs(excess) * travel;
}

// Returns an upper bound of the distance, in units, by which packing into `slots` influences moves
// a vertex of the mesh. Only vertices with min_influences to max_influences influences count.
//
// `joints` contains the matrices of the joints in model space. If it is NULL, the result is for
// unknown poses. It then holds for any rotations of the joints, as long as the character has moved
// by at most the diagonal of its bind pose.
float md5i_pack_loss(const md5_model *model, uint32_t mesh_index, uint32_t slots,
                     const md5_mat34 *joints, uint32_t min_influences, uint32_t max_influences)
{
    const md5_mesh *const mesh = &model->meshes[mesh_index];
    const md5_mat34 *const posed = joints ? joints : model->bind;
    const double travel = joints ? 0 : bind_pose_diagonal(model);
    double max_loss = 0;
    for (uint32_t vertex = 0; vertex < mesh->num_vertices; vertex++) {
        const uint32_t count = mesh->first_influence[vertex + 1] - mesh->first_influence[vertex];
        const bool is_selected = count >= min_influences && count <= max_influences;
        if (!is_selected)
            continue;
        // Most vertices are rigid: their only influence is the bind position with bias 1. Packing
        // does not change it.
        const bool is_exact = count == 1 && md5_is_rigid(mesh, vertex);
        if (is_exact)
            continue;
        const double loss = vertex_loss(model, mesh, vertex, slots, posed, travel);
        max_loss = loss > max_loss ? loss : max_loss;
    }
    return md5_round_to_float(max_loss);
}

// Returns the largest error of a vertex position, in units, that packing meshes[mesh] into `slots`
// joints per vertex can cause.
float md5_pack_loss(const md5_model *model, uint32_t mesh, uint32_t slots, const md5_mat34 *joints)
{
    MD5_ASSERT_ALIVE(model, MD5_TAG_MODEL);
    MD5_ASSERT(mesh < model->num_meshes, "mesh: must be an index into model->meshes");
    MD5_ASSERT(slots > 0, "slots: must be at least 1");
    MD5_ASSERT(md5_has_geometry(&model->meshes[mesh]),
               "mesh: geometry must not have been released");
    return md5i_pack_loss(model, mesh, slots, joints, 0, UINT32_MAX);
}
