// Implements test_asset.h: a counting allocator, the collection of warnings, and the checks of
// models, animations, cameras and bindings.
#include "test/load/test_asset.h"
#include "test/scoped.h"

// Returns `fault` from the function if the condition is false.
#define HOLDS(condition, fault) \
    do {                        \
        if (!(condition))       \
            return fault;       \
    } while (0)

#define PASS_ON(call)                     \
    do {                                  \
        const char *const found = (call); \
        if (found)                        \
            return found;                 \
    } while (0)

// -- Heap and warnings ----------------------------------------------------------------------

// The header of each block. Its size is the alignment that the library requires of allocators.
typedef union heap_header {
    size_t size;
    char alignment[16];
} heap_header;

static void *heap_alloc(void *user, size_t size)
{
    asset_heap *const heap = user;
    if (++heap->num_allocs == heap->fail_at)
        return NULL;
    heap_header *const header = malloc(sizeof *header + size);
    if (!header)
        return NULL;
    header->size = size;
    heap->live++;
    heap->live_bytes += size;
    if (heap->live_bytes > heap->peak_bytes)
        heap->peak_bytes = heap->live_bytes;
    return header + 1;
}

static void heap_free(void *user, void *memory, size_t size)
{
    asset_heap *const heap = user;
    SCOPED heap_header *const header = (heap_header *)memory - 1;
    if (header->size != size)
        heap->has_wrong_size = true;
    heap->live--;
    heap->live_bytes -= header->size;
}

static const char *message_fault(const char *message, size_t capacity)
{
    const char *const end = memchr(message, '\0', capacity);
    HOLDS(end, "a message without end");
    HOLDS(end > message, "an empty message");
    for (const char *at = message; at < end; at++)
        HOLDS((unsigned char)*at >= 0x20 && *at != 0x7F, "a message with control bytes");
    return NULL;
}

enum { MAX_HASHES = sizeof((asset_warnings *)0)->hashes / sizeof(uint32_t) };

// Returns the FNV-1a hash of Fowler, Noll and Vo.
static uint32_t hash_text(const char *text)
{
    uint32_t hash = 2166136261u;
    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 16777619u;
    return hash;
}

bool asset_warnings_have_new(const asset_warnings *warnings, const asset_warnings *expected)
{
    for (uint32_t i = 0; i < warnings->num_reported && i < MAX_HASHES; i++) {
        bool found = false;
        for (uint32_t j = 0; j < expected->num_reported && j < MAX_HASHES; j++)
            found = found || expected->hashes[j] == warnings->hashes[i];
        if (!found)
            return true;
    }
    return false;
}

static void note_warning(void *user, const md5_error *warning)
{
    asset_warnings *const warnings = user;
    if (warnings->num_reported < MAX_HASHES)
        warnings->hashes[warnings->num_reported] = hash_text(warning->message);
    warnings->num_reported++;
    if (warning->line > warnings->largest_line)
        warnings->largest_line = warning->line;
    if (warnings->fault)
        return;
    if (warning->status != MD5_WARNING)
        warnings->fault = "a warning with another status than MD5_WARNING";
    else
        warnings->fault = message_fault(warning->message, sizeof warning->message);
}

md5_load_opts asset_opts(asset_heap *heap, asset_warnings *warnings)
{
    return (md5_load_opts){
        .allocator = {heap_alloc, heap_free, heap, 0},
        .warn = note_warning,
        .warn_user = warnings,
    };
}

const char *asset_heap_fault(const asset_heap *heap)
{
    HOLDS(heap->live == 0 && heap->live_bytes == 0, "memory was not freed");
    HOLDS(!heap->has_wrong_size, "memory was freed with a wrong size");
    return NULL;
}

// -- Results of a call ----------------------------------------------------------------------

static uint64_t count_lines(const char *text, size_t size)
{
    uint64_t lines = 1;
    for (size_t i = 0; i < size; i++)
        lines += text[i] == '\n' || text[i] == '\r';
    return lines;
}

static bool has_location(md5_status status)
{
    return status == MD5_ERROR_SYNTAX || status == MD5_ERROR_RANGE || status == MD5_ERROR_VERSION;
}

// Compressed clips are binary: their errors do not have a line.
static bool is_compressed(const char *text, size_t size)
{
    return size >= 4 && memcmp(text, "M5CC", 4) == 0;
}

static const char *error_fault(const md5_error *error, const char *text, size_t size)
{
    HOLDS(error->status != MD5_OK && error->status != MD5_WARNING, "no asset and no error");
    PASS_ON(message_fault(error->message, sizeof error->message));
    const bool needs_location = has_location(error->status) && !is_compressed(text, size);
    HOLDS(!needs_location || (error->line > 0 && error->column > 0),
          "an error in a text without a location");
    HOLDS(error->line <= count_lines(text, size), "an error after the last line");
    HOLDS(error->column <= size + 1, "an error after the end of its line");
    return NULL;
}

const char *asset_answer_fault(const void *asset, uint32_t num_warnings, const md5_load_opts *opts,
                               const md5_error *error, const char *text, size_t size)
{
    const asset_warnings *const warnings = opts->warn_user;
    const uint32_t cap = opts->max_warnings ? opts->max_warnings : 100;
    PASS_ON(warnings->fault);
    HOLDS(warnings->num_reported <= cap, "more warnings than the cap allows");
    if (warnings->largest_line > 0)
        HOLDS(warnings->largest_line <= count_lines(text, size), "a warning after the last line");
    if (!asset)
        return error_fault(error, text, size);
    HOLDS(error->status == MD5_OK && error->message[0] == '\0' && error->line == 0,
          "an asset and an error");
    HOLDS(warnings->num_reported == (num_warnings < cap ? num_warnings : cap),
          "other warnings reported than counted");
    return NULL;
}

// -- Parts ----------------------------------------------------------------------------------

// Returns true if an array is inside the block of an asset, with 4-byte alignment at least.
static bool lies_in(const void *block, size_t block_size, const void *array, size_t count,
                    size_t size)
{
    const uintptr_t start = (uintptr_t)block;
    const uintptr_t at = (uintptr_t)array;
    if (count == 0)
        return true;
    if (at < start || at - start > block_size || count > (block_size - (at - start)) / size)
        return false;
    return size == 1 || at % 4 == 0;
}

// The memory chunks that meshes share: see md5/core/arena.h.
typedef struct chunk {
    struct chunk *next;
    size_t size;
} chunk;

size_t asset_num_chunks(const md5_model *model)
{
    size_t count = 0;
    for (const chunk *at = model->internal.memory; at; at = at->next)
        count++;
    return count;
}

static bool lies_in_chunks(const md5_model *model, const void *array, size_t count, size_t size)
{
    for (const chunk *at = model->internal.memory; at; at = at->next) {
        if (lies_in(at, at->size, array, count, size))
            return true;
    }
    return count == 0;
}

#define HOLDS_ARRAY(asset, array, count)                                                \
    HOLDS(lies_in(asset, (asset)->size, (asset)->array, count, sizeof *(asset)->array), \
          #array " does not lie in the block")

static bool text_lies_in(const void *block, size_t block_size, const char *text)
{
    const uintptr_t start = (uintptr_t)block;
    const uintptr_t at = (uintptr_t)text;
    return at >= start && at - start < block_size
           && memchr(text, '\0', block_size - (at - start)) != NULL;
}

static bool is_unit(md5_quat q)
{
    const double x = q.x;
    const double y = q.y;
    const double z = q.z;
    const double w = q.w;
    const double rounding = 1e-6;
    return fabs(x * x + y * y + z * z + w * w - 1) <= rounding;
}

static bool is_unit_vec3(float x, float y, float z)
{
    const double a = x;
    const double b = y;
    const double c = z;
    return fabs(a * a + b * b + c * c - 1) <= 1e-5;
}

static bool are_unit(const md5_xform *transforms, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!is_unit(transforms[i].rotation))
            return false;
    }
    return true;
}

// Returns a fault of a skeleton whose arrays must be in the memory block `block`, or NULL.
static const char *skeleton_fault(const void *block, size_t size, const md5_skeleton *skeleton)
{
    const uint32_t count = skeleton->num_joints;
    HOLDS(count > 0, "no joints");
    HOLDS(lies_in(block, size, skeleton->joints, count, sizeof *skeleton->joints),
          "joints do not lie in the block");
    HOLDS(lies_in(block, size, skeleton->order, count, sizeof *skeleton->order),
          "order does not lie in the block");
    for (uint32_t j = 0; j < count; j++) {
        HOLDS(text_lies_in(block, size, skeleton->joints[j].name),
              "a joint's name is outside the model's memory");
        HOLDS(skeleton->joints[j].parent == MD5_NONE || skeleton->joints[j].parent < count,
              "a parent out of range");
    }
    SCOPED unsigned char *const visited = calloc(count, 1);
    const char *fault = NULL;
    for (uint32_t i = 0; i < count && !fault; i++) {
        const uint32_t joint = skeleton->order[i];
        if (joint >= count || visited[joint])
            fault = "order contains a joint twice or not at all";
        else if (skeleton->joints[joint].parent != MD5_NONE
                 && !visited[skeleton->joints[joint].parent])
            fault = "order contains a child before its parent";
        else
            visited[joint] = 1;
    }
    return fault;
}

// -- Meshes ---------------------------------------------------------------------------------

static const char *file_tables_fault(const md5_model *model, const md5_mesh *mesh)
{
    uint32_t max_weights = 0;
    HOLDS(text_lies_in(model, model->size, mesh->name),
          "a mesh's name is outside the model's memory");
    HOLDS(text_lies_in(model, model->size, mesh->shader),
          "a mesh's shader is outside the model's memory");
    for (uint32_t i = 0; i < mesh->num_file_vertices; i++) {
        const md5_vertex *const vertex = &mesh->file_vertices[i];
        HOLDS(vertex->first_weight <= mesh->num_weights
                  && vertex->num_weights <= mesh->num_weights - vertex->first_weight,
              "a vertex's weights are out of range");
        if (vertex->num_weights > max_weights)
            max_weights = vertex->num_weights;
    }
    for (uint32_t w = 0; w < mesh->num_weights; w++) {
        HOLDS(mesh->weights[w].joint < model->skeleton.num_joints, "a weight's joint out of range");
        HOLDS(isfinite(mesh->weights[w].bias) && isfinite(mesh->weights[w].offset.x),
              "a weight that is not finite");
    }
    HOLDS(mesh->max_weights == max_weights, "max_weights is wrong");
    HOLDS(mesh->num_off_sums <= mesh->num_file_vertices, "num_off_sums is wrong");
    return NULL;
}

// For each joint, the last vertex that it influences; vertices are counted over all meshes.
typedef struct last_uses {
    uint64_t *last_vertex;
    uint64_t vertex;
} last_uses;

static const char *vertex_influences_fault(const md5_model *model, const md5_mesh *mesh,
                                           uint32_t vertex, last_uses *uses)
{
    const uint32_t first = mesh->first_influence[vertex];
    const uint32_t end = mesh->first_influence[vertex + 1];
    HOLDS(first <= end && end <= mesh->num_influences, "first_influence is wrong");
    HOLDS(end - first <= mesh->max_influences, "max_influences is wrong");
    uses->vertex++;
    for (uint32_t i = first; i < end; i++) {
        const uint32_t joint = mesh->influence_joints[i];
        HOLDS(joint < model->skeleton.num_joints, "an influence's joint is out of range");
        HOLDS(uses->last_vertex[joint] != uses->vertex, "two influences of one joint");
        uses->last_vertex[joint] = uses->vertex;
        HOLDS(i == first || fabsf(mesh->influences[i - 1].w) >= fabsf(mesh->influences[i].w),
              "influences are not sorted");
    }
    return NULL;
}

static const char *influences_fault(const md5_model *model, const md5_mesh *mesh, last_uses *uses)
{
    uint32_t max_influences = 0;
    for (uint32_t v = 0; v < mesh->num_vertices; v++) {
        PASS_ON(vertex_influences_fault(model, mesh, v, uses));
        const uint32_t count = mesh->first_influence[v + 1] - mesh->first_influence[v];
        max_influences = count > max_influences ? count : max_influences;
    }
    HOLDS(mesh->first_influence[0] == 0, "the first influence is not number 0");
    HOLDS(mesh->first_influence[mesh->num_vertices] == mesh->num_influences,
          "first_influence ends elsewhere");
    HOLDS(mesh->max_influences == max_influences, "max_influences is wrong");
    return NULL;
}

static bool holds_point(const md5_bounds *bounds, md5_vec3 point)
{
    const bool is_outside_x = point.x < bounds->min.x || point.x > bounds->max.x;
    const bool is_outside_y = point.y < bounds->min.y || point.y > bounds->max.y;
    const bool is_outside_z = point.z < bounds->min.z || point.z > bounds->max.z;
    return !is_outside_x && !is_outside_y && !is_outside_z;
}

// Returns a fault of the drawn vertices of a mesh, or NULL.
static const char *drawn_fault(const md5_mesh *mesh, bool is_grouped)
{
    for (uint32_t v = 0; v < mesh->num_vertices; v++) {
        const uint32_t source = mesh->sources[v];
        const md5_vec3 n = mesh->normals[v];
        HOLDS(v < mesh->num_file_vertices && !is_grouped ? source == v
                                                         : source < mesh->num_file_vertices,
              "a drawn vertex without a source");
        HOLDS(isfinite(mesh->texcoords[v].x) && isfinite(mesh->texcoords[v].y),
              "a texture coordinate that is not finite");
        HOLDS(holds_point(&mesh->bounds, mesh->positions[v]), "a vertex outside of the bounds");
        HOLDS(is_unit_vec3(n.x, n.y, n.z), "a normal without unit length");
        if (!mesh->tangents)
            continue;
        const md5_vec4 t = mesh->tangents[v];
        HOLDS(is_unit_vec3(t.x, t.y, t.z), "a tangent without unit length");
        HOLDS(fabsf(n.x * t.x + n.y * t.y + n.z * t.z) <= 1e-4f, "a tangent along the normal");
        HOLDS(t.w == 1 || t.w == -1, "a tangent without a side");
    }
    for (size_t i = 0; i < 3 * (size_t)mesh->num_triangles; i++)
        HOLDS(mesh->indices[i] < mesh->num_vertices, "an index out of range");
    return NULL;
}

// Returns a fault if an array of a mesh is outside of the memory for meshes, otherwise NULL.
static const char *mesh_arrays_fault(const md5_model *model, const md5_mesh *mesh)
{
    const struct {
        const void *array;
        size_t count, size;
    } arrays[] = {
        {mesh->file_vertices, mesh->num_file_vertices, sizeof *mesh->file_vertices},
        {mesh->weights, mesh->num_weights, sizeof *mesh->weights},
        {mesh->indices, mesh->num_triangles, 3 * sizeof *mesh->indices},
        {mesh->sources, mesh->num_vertices, sizeof *mesh->sources},
        {mesh->texcoords, mesh->num_vertices, sizeof *mesh->texcoords},
        {mesh->positions, mesh->num_vertices, sizeof *mesh->positions},
        {mesh->normals, mesh->num_vertices, sizeof *mesh->normals},
        {mesh->tangents, mesh->tangents ? mesh->num_vertices : 0, sizeof *mesh->tangents},
        {mesh->colors, mesh->colors ? mesh->num_vertices : 0, sizeof *mesh->colors},
        {mesh->first_influence, (size_t)mesh->num_vertices + 1, sizeof *mesh->first_influence},
        {mesh->influence_joints, mesh->num_influences, sizeof *mesh->influence_joints},
        {mesh->influences, mesh->num_influences, sizeof *mesh->influences},
    };
    HOLDS(mesh->num_vertices >= mesh->num_file_vertices, "fewer drawn vertices than file vertices");
    HOLDS(mesh->num_vertices <= 2 * (uint64_t)mesh->num_file_vertices, "too many drawn vertices");
    for (size_t i = 0; i < COUNT_OF(arrays); i++)
        HOLDS(lies_in_chunks(model, arrays[i].array, arrays[i].count, arrays[i].size),
              "an array of a mesh does not lie in the memory of meshes");
    return NULL;
}

static const char *mesh_fault(const md5_model *model, const md5_mesh *mesh, last_uses *uses)
{
    PASS_ON(mesh_arrays_fault(model, mesh));
    PASS_ON(file_tables_fault(model, mesh));
    PASS_ON(influences_fault(model, mesh, uses));
    PASS_ON(drawn_fault(mesh, model->has_grouped_vertices));
    for (uint32_t v = 0; v < mesh->num_vertices; v++)
        HOLDS(holds_point(&model->bounds, mesh->positions[v]), "a vertex outside of the model");
    return NULL;
}

const char *asset_model_fault(const md5_model *model)
{
    const uint32_t num_joints = model->skeleton.num_joints;
    PASS_ON(skeleton_fault(model, model->size, &model->skeleton));
    HOLDS_ARRAY(model, bind_local, num_joints);
    HOLDS_ARRAY(model, bind, num_joints);
    HOLDS_ARRAY(model, inverse_bind, num_joints);
    HOLDS_ARRAY(model, meshes, model->num_meshes);
    HOLDS(text_lies_in(model, model->size, model->command_line),
          "the command line is outside the asset's memory");
    HOLDS(are_unit(model->bind_local, num_joints), "a bind rotation without unit length");
    for (uint32_t j = 0; j < num_joints; j++) {
        const float *const m = model->bind[j].m;
        HOLDS(is_unit_vec3(m[0], m[1], m[2]) && is_unit_vec3(m[4], m[5], m[6])
                  && is_unit_vec3(m[8], m[9], m[10]),
              "a bind matrix without unit length");
    }
    last_uses uses = {.last_vertex = calloc(num_joints, sizeof *uses.last_vertex)};
    const char *fault = NULL;
    for (uint32_t i = 0; i < model->num_meshes && !fault; i++)
        fault = mesh_fault(model, &model->meshes[i], &uses);
    free(uses.last_vertex);
    return fault;
}

// -- Animations, cameras, bindings ----------------------------------------------------------

static uint32_t count_bits(uint32_t flags)
{
    uint32_t bits = 0;
    for (; flags; flags >>= 1)
        bits += flags & 1;
    return bits;
}

static bool is_ascending(const uint32_t *joints, uint32_t count, uint32_t num_joints)
{
    for (uint32_t i = 0; i < count; i++) {
        if (joints[i] >= num_joints || (i > 0 && joints[i - 1] >= joints[i]))
            return false;
    }
    return true;
}

static const char *frames_fault(const md5_anim *anim)
{
    const uint32_t num_joints = anim->skeleton.num_joints;
    const size_t num_frames = anim->num_frames;
    HOLDS_ARRAY(anim, rotation_joints, anim->num_rotations);
    HOLDS_ARRAY(anim, translation_joints, anim->num_translations);
    HOLDS_ARRAY(anim, rotations, num_frames * anim->num_rotations);
    HOLDS_ARRAY(anim, translations, num_frames * anim->num_translations);
    HOLDS(is_ascending(anim->rotation_joints, anim->num_rotations, num_joints),
          "rotation_joints is not ascending");
    HOLDS(is_ascending(anim->translation_joints, anim->num_translations, num_joints),
          "translation_joints is not ascending");
    for (size_t i = 0; i < num_frames * anim->num_rotations; i++)
        HOLDS(is_unit(anim->rotations[i]), "a frame's rotation without unit length");
    for (size_t i = 0; i < num_frames * anim->num_translations; i++)
        HOLDS(isfinite(anim->translations[i].x) && isfinite(anim->translations[i].y),
              "a frame's translation that is not finite");
    if (anim->frame_bounds)
        HOLDS_ARRAY(anim, frame_bounds, num_frames);
    return NULL;
}

const char *asset_anim_fault(const md5_anim *anim)
{
    const uint32_t num_joints = anim->skeleton.num_joints;
    PASS_ON(skeleton_fault(anim, anim->size, &anim->skeleton));
    HOLDS_ARRAY(anim, tracks, num_joints);
    HOLDS_ARRAY(anim, base_frame, num_joints);
    HOLDS_ARRAY(anim, constant, num_joints);
    HOLDS(text_lies_in(anim, anim->size, anim->command_line),
          "the command line is outside the asset's memory");
    HOLDS(are_unit(anim->base_frame, num_joints), "a base rotation without unit length");
    HOLDS(are_unit(anim->constant, num_joints), "a constant rotation without unit length");
    for (uint32_t j = 0; j < num_joints; j++) {
        const md5_track *const track = &anim->tracks[j];
        HOLDS(track->flags <= 63, "unknown flags");
        HOLDS(track->first <= anim->num_components
                  && count_bits(track->flags) <= anim->num_components - track->first,
              "components out of range");
    }
    HOLDS(anim->num_frames >= 1, "no frames");
    HOLDS(anim->frame_rate > 0 && isfinite(anim->frame_rate), "frame_rate is out of range");
    HOLDS(anim->duration == (anim->num_frames - 1) / anim->frame_rate, "wrong duration");
    return frames_fault(anim);
}

const char *asset_camera_fault(const md5_camera *camera)
{
    const uint32_t num_frames = camera->num_frames;
    HOLDS(num_frames >= 1, "no frames");
    HOLDS_ARRAY(camera, cuts, camera->num_cuts);
    HOLDS_ARRAY(camera, frames, num_frames);
    HOLDS_ARRAY(camera, cut_views, camera->num_cut_views);
    for (uint32_t i = 0; i < camera->num_cut_views; i++) {
        const md5_cut_view *const view = &camera->cut_views[i];
        HOLDS(view->cut < camera->num_cuts && (i == 0 || view[-1].cut < view->cut),
              "views of cuts are out of order");
        HOLDS(view->has_position || view->has_rotation, "a view of a cut is empty");
        HOLDS(!view->has_rotation || is_unit(view->rotation),
              "a cut's rotation is not unit length");
    }
    HOLDS(text_lies_in(camera, camera->size, camera->command_line),
          "the command line is outside the asset's memory");
    HOLDS(camera->frame_rate > 0 && isfinite(camera->frame_rate), "frame_rate is out of range");
    HOLDS(camera->duration >= 0 && camera->duration <= (num_frames - 1) / camera->frame_rate,
          "wrong duration");
    for (uint32_t i = 0; i < camera->num_cuts; i++)
        HOLDS(camera->cuts[i] < num_frames, "a cut out of range");
    for (uint32_t i = 0; i < num_frames; i++)
        HOLDS(is_unit(camera->frames[i].rotation), "a camera's rotation without unit length");
    return NULL;
}

const char *asset_binding_fault(const md5_binding *binding)
{
    const uint32_t num_joints = binding->skeleton->num_joints;
    const uint32_t num_tracks = binding->anim->skeleton.num_joints;
    uint32_t num_missing = 0;
    uint32_t num_driving = 0;
    bool same_order = true;
    unsigned char *const used = calloc(num_tracks, 1);
    const char *fault = NULL;
    for (uint32_t j = 0; j < num_joints && !fault; j++) {
        const uint32_t track = binding->tracks[j];
        if (track != MD5_NONE && track >= num_tracks)
            fault = "a track out of range";
        else if (track != MD5_NONE && used[track]++)
            fault = "one track drives two joints";
        num_missing += track == MD5_NONE;
        num_driving += track != MD5_NONE;
        same_order = same_order && track == j;
    }
    free(used);
    PASS_ON(fault);
    HOLDS(num_missing == binding->num_missing && num_driving > 0, "num_missing is wrong");
    HOLDS(num_tracks - num_driving == binding->num_extra, "num_extra is wrong");
    HOLDS(same_order == binding->same_order, "same_order is wrong");
    HOLDS(binding->num_rebases <= num_joints, "num_rebases is wrong");
    HOLDS_ARRAY(binding, tracks, num_joints);
    return NULL;
}

// -- Equality -------------------------------------------------------------------------------

static bool same_bytes(const void *a, const void *b, size_t count, size_t size)
{
    return count == 0 || memcmp(a, b, count * size) == 0;
}

#define SAME_ARRAY(array, count) same_bytes(a->array, b->array, count, sizeof *a->array)

static bool skeletons_equal(const md5_skeleton *a, const md5_skeleton *b)
{
    if (a->num_joints != b->num_joints || !SAME_ARRAY(order, a->num_joints))
        return false;
    for (uint32_t j = 0; j < a->num_joints; j++) {
        if (a->joints[j].parent != b->joints[j].parent
            || strcmp(a->joints[j].name, b->joints[j].name) != 0)
            return false;
    }
    return true;
}

static bool meshes_equal(const md5_mesh *a, const md5_mesh *b)
{
    return strcmp(a->name, b->name) == 0 && strcmp(a->shader, b->shader) == 0
           && a->num_file_vertices == b->num_file_vertices && a->num_weights == b->num_weights
           && a->num_vertices == b->num_vertices && a->num_triangles == b->num_triangles
           && a->num_influences == b->num_influences && a->max_influences == b->max_influences
           && a->max_weights == b->max_weights && a->num_off_sums == b->num_off_sums
           && SAME_ARRAY(file_vertices, a->num_file_vertices) && SAME_ARRAY(weights, a->num_weights)
           && SAME_ARRAY(indices, 3 * (size_t)a->num_triangles)
           && SAME_ARRAY(sources, a->num_vertices) && SAME_ARRAY(texcoords, a->num_vertices)
           && SAME_ARRAY(positions, a->num_vertices) && SAME_ARRAY(normals, a->num_vertices)
           && !a->tangents == !b->tangents
           && (!a->tangents || SAME_ARRAY(tangents, a->num_vertices)) && !a->colors == !b->colors
           && (!a->colors || SAME_ARRAY(colors, a->num_vertices))
           && SAME_ARRAY(first_influence, (size_t)a->num_vertices + 1)
           && SAME_ARRAY(influence_joints, a->num_influences)
           && SAME_ARRAY(influences, a->num_influences)
           && same_bytes(&a->loss4, &b->loss4, 1, sizeof a->loss4)
           && same_bytes(&a->loss8, &b->loss8, 1, sizeof a->loss8)
           && same_bytes(&a->bounds, &b->bounds, 1, sizeof a->bounds);
}

bool asset_models_equal(const md5_model *a, const md5_model *b)
{
    const uint32_t num_joints = a->skeleton.num_joints;
    if (!skeletons_equal(&a->skeleton, &b->skeleton) || a->num_meshes != b->num_meshes)
        return false;
    if (!SAME_ARRAY(bind_local, num_joints) || !SAME_ARRAY(bind, num_joints)
        || !SAME_ARRAY(inverse_bind, num_joints))
        return false;
    if (strcmp(a->command_line, b->command_line) != 0
        || !same_bytes(&a->bounds, &b->bounds, 1, sizeof a->bounds))
        return false;
    for (uint32_t i = 0; i < a->num_meshes; i++) {
        if (!meshes_equal(&a->meshes[i], &b->meshes[i]))
            return false;
    }
    return true;
}

bool asset_anims_equal(const md5_anim *a, const md5_anim *b)
{
    const uint32_t num_joints = a->skeleton.num_joints;
    const size_t num_frames = a->num_frames;
    return skeletons_equal(&a->skeleton, &b->skeleton) && a->num_frames == b->num_frames
           && a->frame_rate == b->frame_rate && a->num_components == b->num_components
           && a->num_rotations == b->num_rotations && a->num_translations == b->num_translations
           && SAME_ARRAY(tracks, num_joints) && SAME_ARRAY(base_frame, num_joints)
           && SAME_ARRAY(constant, num_joints) && SAME_ARRAY(rotation_joints, a->num_rotations)
           && SAME_ARRAY(translation_joints, a->num_translations)
           && SAME_ARRAY(rotations, num_frames * a->num_rotations)
           && SAME_ARRAY(translations, num_frames * a->num_translations)
           && !a->frame_bounds == !b->frame_bounds
           && (!a->frame_bounds || SAME_ARRAY(frame_bounds, num_frames))
           && strcmp(a->command_line, b->command_line) == 0;
}

bool asset_cameras_equal(const md5_camera *a, const md5_camera *b)
{
    return a->num_frames == b->num_frames && a->frame_rate == b->frame_rate
           && a->duration == b->duration && a->num_cuts == b->num_cuts
           && SAME_ARRAY(cuts, a->num_cuts) && SAME_ARRAY(frames, a->num_frames)
           && a->num_cut_views == b->num_cut_views && SAME_ARRAY(cut_views, a->num_cut_views)
           && strcmp(a->command_line, b->command_line) == 0;
}
