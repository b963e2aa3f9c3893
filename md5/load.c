// Loading: models, animations and cameras are made of files; what a load left out is made later.
// Messages and threads, which loads share.
//
// An asset is made in three steps: read the text into tables in an arena, measure the asset, and
// place it in one block of exactly that size, which md5_free_*() gives back in one piece. Each kind
// has a function that takes its arrays from a block: it runs once to measure, and once to place.
#include "md5/compress/file.h"
#include "md5/core/math.h"
#include "md5/core/file.h"
#include "md5/md5skin.h"
#include "md5/pose/skeleton.h"
#include "md5/read/tables.h"
#include "md5/skin/geometry.h"
#include "md5/skin/plan.h"

// == What all share ==============================================================================

// -- Axes and units -----------------------------------------------------------------------------
//
// What the options of a load ask for; see core/math.h. Positions are scaled, directions and
// rotations are not.

// Whether there is anything to convert.
static bool converts(const md5_context *context)
{
    return context->axes != MD5_AXES_ID || context->scale != 1 || context->flip_v;
}

static void convert_points(const md5_context *context, md5_vec3 *points, size_t count)
{
    for (size_t i = 0; i < count; i++)
        points[i] = md5_vec3_scale(md5i_vec3_to_axes(context->axes, points[i]), context->scale);
}

static void convert_rotations(const md5_context *context, md5_quat *rotations, size_t count)
{
    for (size_t i = 0; i < count; i++)
        rotations[i] = md5i_quat_to_axes(context->axes, rotations[i]);
}

static void convert_transforms(const md5_context *context, md5_xform *transforms, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        convert_rotations(context, &transforms[i].rotation, 1);
        convert_points(context, &transforms[i].translation, 1);
    }
}

// C M C^-1: rows and columns are exchanged alike.
static void convert_matrices(const md5_context *context, md5_mat34 *matrices, size_t count)
{
    const md5_axes_map *const map = &md5i_axes_maps[context->axes];
    for (size_t i = 0; i < count; i++) {
        const md5_mat34 m = matrices[i];
        MD5_FOR (row, 3) {
            const float *const from = m.m + 4 * map->from[row];
            float *const to = matrices[i].m + 4 * row;
            MD5_FOR (column, 3)
                to[column] = map->sign[row] * map->sign[column] * from[map->from[column]];
            to[3] = map->sign[row] * from[3] * context->scale;
        }
    }
}

// Makes an asset from a text: one block from the context's allocator. Scratch memory comes from the
// arena. Returns false, with the context's error set, and then leaves no block behind.
typedef bool build_asset(md5_arena *arena, const char *text, size_t size, void **asset);

// Makes an asset of the text, or, if there is none, of the file at `path`.
static void *make_asset(build_asset *build, const char *path, const char *text, size_t size,
                        const md5_load_opts *opts, md5_error *error)
{
    const float min_scale = 1e-6f, max_scale = 1e6f;
    md5_context context;
    md5_file_text file = {0};
    md5_held_warnings held = {.count = 0};
    void *asset = NULL;
    md5i_context_begin(&context, opts, text ? opts ? opts->file_name : NULL : path, error);
    md5_arena arena = {.context = &context};
    context.held = &held;
    const bool is_read = text || md5i_read_file_text(&context, path, &file);
    if (is_read && (unsigned)context.axes >= MD5_NUM_AXES)
        MD5_FAIL(&context, MD5_ERROR_RANGE, "md5_load_opts.axes is %d, which is not valid",
                 (int)context.axes);
    else if (is_read && !(context.scale >= min_scale && context.scale <= max_scale))
        MD5_FAIL(&context, MD5_ERROR_RANGE,
                 "the options' scale is %g, which must be 1e-06 to 1e+06", (double)context.scale);
    else if (is_read && md5_check_text_size(&context, text ? size : file.size))
        build(&arena, text ? text : file.bytes, text ? size : file.size, &asset);
    md5i_report_held(&context);
    md5i_arena_free(&arena);
    md5i_free_file_text(&context, &file);
    return asset;
}

// The most that making an asset of a text holds at once, where another way takes only longer.
static size_t most_memory(size_t size)
{
    enum { SMALL_TEXT = 16 << 10 };
    return size > SMALL_TEXT ? size + size / 2 : SIZE_MAX;
}

static const char *put_text(md5_block *block, md5_span text)
{
    return md5i_block_text(block, text.bytes, text.size);
}

// Copies the joints of a file with their names.
static const md5_joint *put_joints(md5_block *block, const md5_file_joint *source, uint32_t count)
{
    md5_joint *const joints = MD5_TAKE(block, md5_joint, count);
    MD5_FOR (j, count) {
        const char *const name = put_text(block, source[j].name);
        if (joints)
            joints[j] = (md5_joint){name, source[j].parent};
    }
    return joints;
}

// -- Messages -----------------------------------------------------------------------------------

size_t md5_format_error(const md5_error *error, char *text, size_t size)
{
    char whole[sizeof error->file + sizeof error->message + 64], location[32] = "";
    if (error->line > 0)
        snprintf(location, sizeof location, "%u:%u:", error->line, error->column);
    snprintf(whole, sizeof whole, "%s%s%s%s%s%s", error->file, error->file[0] ? ":" : "", location,
             error->file[0] || location[0] ? " " : "",
             error->status == MD5_WARNING ? "warning: " : "error: ", error->message);
    // Escapes bytes that are not printable: a file's name may contain terminal control sequences.
    size_t length = 0;
    for (const char *at = whole, *const end = whole + strlen(whole); at < end;) {
        char bytes[MD5_ESCAPED];
        const size_t count = md5i_escape(&at, end, bytes);
        for (size_t j = 0; j < count; j++, length++) {
            if (length + 1 < size)
                text[length] = bytes[j];
        }
    }
    if (size > 0)
        text[length < size ? length : size - 1] = '\0';
    return length;
}

// -- Threads ----------------------------------------------------------------------------------

void md5_threads_run(const md5_threads *threads, size_t count, md5_range_fn *range, void *user)
{
    MD5_ASSERT_NOT_NULL(range);
    MD5_ASSERT(!threads || threads->run, "threads: run is not NULL");
    MD5_ASSERT(!threads || threads->num_workers > 0, "threads: 1 worker or more");
    if (count == 0)
        return;
    if (!threads || threads->num_workers == 1 || count == 1)
        range(user, 0, 0, count);
    else
        threads->run(threads->pool, count, range, user);
}

// == Animations ==================================================================================

enum { FEW_NUMBERS = 256 };

// Whether a clip of so many bytes, with what was read for it, is more than it should be, and what
// precedes the frames can be read again in `room` bytes.
static bool is_compact(const md5_arena *arena, const md5_anim_file *file, size_t size, size_t clip,
                       size_t room)
{
    const size_t numbers = (size_t)file->num_frames * file->num_components * sizeof(float);
    return file->lex.text && !file->has_others && file->num_components <= FEW_NUMBERS
           && md5i_arena_size(arena) - numbers <= room
           && clip + arena->context->memory_held > most_memory(size);
}

// A compact text is read a second time: first all but the frames, to where the clip's frames will
// be, then frame by frame.
typedef struct second_reading {
    md5_context quiet; // what there is to warn of was said
    md5_arena head;
    float numbers[FEW_NUMBERS];
} second_reading;

static bool read_again(md5_context *context, const char *text, size_t size, void *frames,
                       size_t room, second_reading *to, md5_anim_file *file)
{
    to->quiet = *context;
    to->quiet.warn = NULL;
    to->quiet.held = NULL;
    to->head = md5i_arena_over(&to->quiet, frames, room);
    return md5i_read_anim_file(&to->head, text, size, &file->num_components, file)
           || md5i_fail_as(context, &to->quiet.error);
}

static bool build_anim(md5_arena *arena, const char *text, size_t size, void **asset)
{
    if (md5_begins_as(text, size, MD5_PACKED_FILE))
        return md5i_read_packed_file(arena, text, size, asset);
    if (md5_is_asset_file(text, size))
        return md5i_read_assets(arena, text, size, false, asset);
    md5_context *const context = arena->context;
    md5_anim_file file;
    TRY(md5_begins_as(text, size, MD5_BFG_ANIM)
            ? md5i_read_bfg_anim(arena, text, size, &file)
            : md5i_read_anim_file(arena, text, size, NULL, &file));
    const uint32_t num_joints = file.num_joints;
    const size_t num_frames = file.num_frames;
    uint32_t num_rotations, num_translations;
    // Flags of the joints that change over the frames, then of the components that do.
    uint8_t *moves = MD5_NEW(arena, uint8_t, (size_t)num_joints + file.num_components);
    TRY(moves);
    md5i_clip_plan(&file, moves + num_joints, moves, &num_rotations, &num_translations);

    md5_block block = {0};
    md5_clip_arrays clip = {.constant = NULL};
    md5_anim *anim = NULL;
    const md5_joint *joints = NULL;
    const uint32_t *order = NULL;
    const md5_track *tracks = NULL;
    md5_bounds *bounds = NULL;
    const char *command_line = NULL;
    const size_t room =
        num_frames
        * (num_rotations * sizeof *clip.rotations + num_translations * sizeof *clip.translations);
    second_reading second;
    float *again = NULL; // where numbers of a frame go when they are read again
    size_t all = 0;      // bytes of the clip
    MD5_FOR (pass, 2) {
        anim = MD5_TAKE(&block, md5_anim, 1);
        clip.rotations =
            (md5_quat *)md5i_block_take(&block, num_frames, num_rotations * sizeof(md5_quat));
        clip.translations =
            (md5_vec3 *)md5i_block_take(&block, num_frames, num_translations * sizeof(md5_vec3));
        if (again && !read_again(context, text, size, clip.rotations, room, &second, &file)) {
            md5i_free(context, block.base, all);
            return false;
        }
        joints = put_joints(&block, file.joints, num_joints);
        command_line = put_text(&block, file.command_line);
        order = MD5_PUT(&block, uint32_t, file.order, num_joints);
        tracks = MD5_PUT(&block, md5_track, file.tracks, num_joints);
        clip.base_frame = MD5_PUT(&block, md5_xform, file.base_frame, num_joints);
        clip.constant = MD5_TAKE(&block, md5_xform, num_joints);
        clip.rotation_joints = MD5_TAKE(&block, uint32_t, num_rotations);
        clip.translation_joints = MD5_TAKE(&block, uint32_t, num_translations);
        bounds = MD5_PUT(&block, md5_bounds, file.bounds, num_frames);
        if (pass == 0 && is_compact(arena, &file, size, all = block.used, room)) {
            // All that was read is freed but `moves`, so that the clip can take its memory.
            md5_arena few = {.context = context, .is_exact = true};
            moves = (uint8_t *)md5i_arena_copy(&few, moves, num_joints, 1);
            md5i_arena_free(arena);
            *arena = few;
            TRY(moves);
            again = second.numbers;
        }
        TRY(pass > 0 || md5i_block_allocate(context, &block));
    }
    file.tracks = tracks;
    file.base_frame = clip.base_frame;
    md5i_clip_build(&file, moves, again, &clip);
    if (converts(context)) {
        convert_transforms(context, clip.base_frame, num_joints);
        convert_transforms(context, clip.constant, num_joints);
        convert_rotations(context, clip.rotations, num_frames * num_rotations);
        convert_points(context, clip.translations, num_frames * num_translations);
        const float *const sign = md5i_axes_maps[context->axes].sign;
        for (size_t i = 0; i < num_frames && bounds; i++) { // empty ones stay empty
            md5_vec3 ends[2] = {bounds[i].min, bounds[i].max};
            convert_points(context, ends, 2);
            bounds[i].min =
                (md5_vec3){ends[sign[0] < 0].x, ends[sign[1] < 0].y, ends[sign[2] < 0].z};
            bounds[i].max =
                (md5_vec3){ends[sign[0] > 0].x, ends[sign[1] > 0].y, ends[sign[2] > 0].z};
        }
    }
    *anim = (md5_anim){
        .skeleton = {num_joints, joints, order, context->axes, context->scale},
        .parents_unknown = file.parents_unknown,
        .tracks = tracks,
        .base_frame = clip.base_frame,
        .num_frames = file.num_frames,
        .frame_rate = file.frame_rate,
        .duration = (double)(file.num_frames - 1) / file.frame_rate,
        .constant = clip.constant,
        .num_rotations = num_rotations,
        .num_translations = num_translations,
        .rotation_joints = clip.rotation_joints,
        .translation_joints = clip.translation_joints,
        .rotations = clip.rotations,
        .translations = clip.translations,
        .frame_bounds = bounds,
        .num_components = file.num_components,
        .command_line = command_line,
        .num_warnings = context->num_warnings,
        .size = block.used,
        .internal = {.allocator = context->allocator},
    };
    *asset = anim;
    return true;
}

md5_anim *md5_parse_anim(const void *text, size_t size, const md5_load_opts *opts, md5_error *error)
{
    MD5_ASSERT_TEXT(text, size);
    MD5_ASSERT_OPTS(opts);
    return (md5_anim *)make_asset(build_anim, NULL, text ? (const char *)text : "", text ? size : 0,
                                  opts, error);
}

md5_anim *md5_load_anim(const char *path, const md5_load_opts *opts, md5_error *error)
{
    MD5_ASSERT_PATH(path);
    MD5_ASSERT_OPTS(opts);
    return (md5_anim *)make_asset(build_anim, path, NULL, 0, opts, error);
}

void md5_free_anim(md5_anim *anim)
{
    MD5_FREE(anim);
}

#ifndef MD5_NO_EXTRAS
// == Cameras =====================================================================================

static bool build_camera(md5_arena *arena, const char *text, size_t size, void **asset)
{
    const md5_context *const context = arena->context;
    md5_camera_file file;
    TRY(md5_begins_as(text, size, MD5_BFG_CAMERA)
            ? md5i_read_bfg_camera(arena, text, size, &file)
            : md5i_read_camera_file(arena, text, size, &file));
    md5_block block = {0};
    md5_camera *camera = NULL;
    const uint32_t *cuts = NULL;
    md5_cut_view *cut_views = NULL;
    md5_camera_view *frames = NULL;
    const char *command_line = NULL;
    MD5_FOR (pass, 2) {
        camera = MD5_TAKE(&block, md5_camera, 1);
        command_line = put_text(&block, file.command_line);
        cuts = MD5_PUT(&block, uint32_t, file.cuts, file.num_cuts);
        cut_views = MD5_PUT(&block, md5_cut_view, file.cut_views, file.num_cut_views);
        frames = MD5_PUT(&block, md5_camera_view, file.frames, file.num_frames);
        TRY(pass > 0 || md5i_block_allocate(arena->context, &block));
    }

    MD5_FOR (i, file.num_frames) {
        const md5_quat q = frames[i].rotation;
        frames[i].rotation = md5_quat_from_xyz(q.x, q.y, q.z);
        convert_points(context, &frames[i].position, 1);
        convert_rotations(context, &frames[i].rotation, 1);
    }
    for (uint32_t i = 0; i < file.num_cut_views && converts(context); i++) {
        convert_points(context, &cut_views[i].position, 1);
        convert_rotations(context, &cut_views[i].rotation, 1);
    }
    const uint32_t last = file.num_frames - 1;
    const uint32_t num_intervals = file.num_cuts < last ? last - file.num_cuts : 0;
    *camera = (md5_camera){
        .num_frames = file.num_frames,
        .frame_rate = file.frame_rate,
        .duration = (double)num_intervals / file.frame_rate,
        .num_cuts = file.num_cuts,
        .cuts = cuts,
        .num_cut_views = file.num_cut_views,
        .cut_views = cut_views,
        .frames = frames,
        .command_line = command_line,
        .num_warnings = context->num_warnings,
        .size = block.used,
        .internal = {.allocator = context->allocator},
    };
    *asset = camera;
    return true;
}

md5_camera *md5_parse_camera(const void *text, size_t size, const md5_load_opts *opts,
                             md5_error *error)
{
    MD5_ASSERT_TEXT(text, size);
    MD5_ASSERT_OPTS(opts);
    return (md5_camera *)make_asset(build_camera, NULL, text ? (const char *)text : "",
                                    text ? size : 0, opts, error);
}

md5_camera *md5_load_camera(const char *path, const md5_load_opts *opts, md5_error *error)
{
    MD5_ASSERT_PATH(path);
    MD5_ASSERT_OPTS(opts);
    return (md5_camera *)make_asset(build_camera, path, NULL, 0, opts, error);
}

void md5_free_camera(md5_camera *camera)
{
    MD5_FREE(camera);
}
#endif

// == Meshes ======================================================================================
//
// The meshes of a model, in memory that they share: made at load, or later from tables that were
// kept for that (md5_load_opts.without), and freed by md5_release_geometry().
//
// Reading puts the tables that stay as they are into the model's own arena, in one chunk if counts
// are right. Each mesh then passes three stages. Measuring needs the file's tables. Placing gives
// all other arrays a second chunk. Deriving computes normals, tangents and influences there; by
// then what reading needed beside is gone and its memory serves as scratch.

// Whether the meshes of a load are not made at all.
static bool keeps_tables(const md5_context *context)
{
    return (context->without & MD5_PART_GEOMETRY) == MD5_PART_GEOMETRY;
}

// Takes an array of `count` items from the block, and copies the `num_read` that there are to it.
static void *place(md5_block *block, const void *from, size_t num_read, size_t count, size_t size)
{
    void *const to = md5i_block_take(block, count, size);
    if (to && from && num_read > 0)
        memcpy(to, from, num_read * size);
    return to;
}
#define PLACE(block, type, from, num_read, count) \
    ((type *)place(block, from, num_read, count, sizeof(type)))

// Gives the model's arena copies of what reading would have put there.
static bool copy_tables(md5_arena *kept, md5_mesh_file *file)
{
    md5_block block = {0};
    MD5_FOR (pass, 2) {
        MD5_FOR (m, file->num_meshes) {
            md5_mesh_build mesh = file->meshes[m];
            mesh.file_vertices =
                MD5_PUT(&block, md5_vertex, mesh.file_vertices, mesh.num_file_vertices);
            mesh.indices = MD5_PUT(&block, uint32_t, mesh.indices, 3 * (size_t)mesh.num_triangles);
            mesh.weights = MD5_PUT(&block, md5_weight, mesh.weights, mesh.num_weights);
            if (pass > 0)
                file->meshes[m] = mesh;
        }
        TRY(pass > 0 || md5i_block_allocate_in(kept, &block));
    }
    return true;
}

// Moves the other arrays of the file to the block, and takes room for all that are derived there.
// While the block is measured they become NULL.
static void place_mesh(md5_block *block, bool has_tangents, md5_mesh_build *mesh)
{
    const size_t num_read = mesh->num_file_vertices, count = mesh->num_vertices;
    mesh->colors = MD5_PUT(block, md5_vec4, mesh->colors, num_read);
    mesh->texcoords = PLACE(block, md5_vec2, mesh->texcoords, num_read, count);
    mesh->normals = PLACE(block, md5_vec3, mesh->normals, num_read, count);
    mesh->tangents = has_tangents ? PLACE(block, md5_vec4, mesh->tangents, num_read, count) : NULL;
    mesh->sources = MD5_TAKE(block, uint32_t, count);
    mesh->positions = MD5_TAKE(block, md5_vec3, count);
    mesh->first_influence = MD5_TAKE(block, uint32_t, count + 1);
    mesh->influence_joints = MD5_TAKE(block, uint32_t, mesh->num_influences);
    mesh->influences = MD5_TAKE(block, md5_vec4, mesh->num_influences);
}

// Sets the arrays and their counts, except for influences.
static void set_arrays(const md5_mesh_build *build, md5_mesh *mesh)
{
    mesh->num_file_vertices = build->num_file_vertices;
    mesh->num_weights = build->num_weights;
    mesh->file_vertices = build->file_vertices;
    mesh->weights = build->weights;
    mesh->num_vertices = build->num_vertices;
    mesh->num_triangles = build->num_triangles;
    mesh->indices = build->indices;
    mesh->sources = build->sources;
    mesh->texcoords = build->texcoords;
    mesh->positions = build->positions;
    mesh->normals = build->normals;
    mesh->tangents = build->tangents;
    mesh->colors = build->colors;
    mesh->first_influence = build->first_influence;
    mesh->influence_joints = build->influence_joints;
    mesh->influences = build->influences;
}

// Leaves the counts of a mesh without its arrays.
static void forget_arrays(md5_mesh *mesh)
{
    const md5_mesh_build counts = {
        .num_file_vertices = mesh->num_file_vertices,
        .num_weights = mesh->num_weights,
        .num_triangles = mesh->num_triangles,
        .num_vertices = mesh->num_vertices,
    };
    set_arrays(&counts, mesh);
}

static void convert_mesh(const md5_context *context, md5_mesh_build *mesh)
{
    const size_t num_vertices = mesh->num_vertices;
    const size_t num_influences = mesh->first_influence[num_vertices];
    for (size_t i = 0; i < mesh->num_weights; i++)
        convert_points(context, &mesh->weights[i].offset, 1);
    convert_points(context, mesh->positions, num_vertices);
    for (size_t i = 0; i < num_vertices; i++)
        mesh->normals[i] = md5i_vec3_to_axes(context->axes, mesh->normals[i]);
    // The bitangent is cross(N, T) * w: a reflection changes the sign of the product, and flipping
    // v that of the bitangent.
    const float side = md5_is_mirrored(context->axes) != context->flip_v ? -1.0f : 1.0f;
    for (size_t i = 0; i < num_vertices; i++) {
        if (context->flip_v)
            mesh->texcoords[i].y = 1.0f - mesh->texcoords[i].y;
        if (!mesh->tangents)
            continue;
        md5_vec4 *const tangent = &mesh->tangents[i];
        const md5_vec3 along =
            md5i_vec3_to_axes(context->axes, (md5_vec3){tangent->x, tangent->y, tangent->z});
        *tangent = (md5_vec4){along.x, along.y, along.z, tangent->w * side};
    }
    for (size_t i = 0; i < num_influences; i++) {
        md5_vec4 *const influence = &mesh->influences[i];
        md5_vec3 point = {influence->x, influence->y, influence->z};
        convert_points(context, &point, 1);
        *influence = (md5_vec4){point.x, point.y, point.z, influence->w};
    }
}

// -- The order of vertices ------------------------------------------------------------------

#ifndef MD5_NO_PARTS
// Writes the drawn vertices in such an order that those on the same joints follow each other, as a
// skinning plan groups them: where the first of them is, in the order in which they were.
static bool order_by_joints(md5_arena *arena, const md5_mesh_build *mesh, uint32_t *order)
{
    const md5_arena_mark before = md5i_arena_here(arena);
    const uint32_t count = mesh->num_vertices;
    md5_vec3 *const keys = MD5_ROOM(arena, md5_vec3, count);
    uint32_t *const nexts = MD5_ROOM(arena, uint32_t, count);
    TRY(keys && nexts);
    MD5_FOR (v, count) {
        // How many joints, and two sums of them in 24 bits, which a float holds.
        const uint32_t first = mesh->first_influence[v], end = mesh->first_influence[v + 1];
        uint32_t sum = 0, spread_sum = 0;
        MD5_FOR_FROM (i, first, end) {
            const uint32_t joint = mesh->influence_joints[i], spread = joint * 0x9e3779b1u;
            sum += joint;
            spread_sum += spread ^ spread >> 15;
        }
        keys[v] =
            (md5_vec3){(float)(end - first), (float)(sum & 0xffffff), (float)(spread_sum >> 8)};
    }
    TRY(md5i_weld(arena, keys, count, nexts));
    md5i_chain_equals(nexts, count);
    MD5_FOR (v, count)
        for (uint32_t at = v, next; at < count && nexts[at] != at; at = next) {
            next = nexts[at];
            nexts[at] = at;
            *order++ = at;
        }
    md5i_arena_rewind(arena, before);
    return true;
}

// Puts items[order[i]], of so many bytes, into items[i].
static bool reorder(md5_arena *arena, void *items, size_t size, const uint32_t *order,
                    uint32_t count)
{
    const md5_arena_mark before = md5i_arena_here(arena);
    if (!items)
        return true;
    const char *const copy = (const char *)md5i_arena_copy(arena, items, count, size);
    TRY(copy);
    MD5_FOR (i, count)
        memcpy((char *)items + i * size, copy + order[i] * size, size);
    md5i_arena_rewind(arena, before);
    return true;
}

// Changes the order of drawn vertices in all that is theirs.
static bool group_vertices(md5_arena *arena, md5_mesh_build *mesh)
{
    const md5_arena_mark before = md5i_arena_here(arena);
    const uint32_t count = mesh->num_vertices, num_influences = mesh->first_influence[count];
    uint32_t *const order = MD5_ROOM(arena, uint32_t, count);
    TRY(order && order_by_joints(arena, mesh, order));
    uint32_t *const places = MD5_ROOM(arena, uint32_t, count);
    uint32_t *const sizes = MD5_ROOM(arena, uint32_t, count);
    uint32_t *const influences = MD5_ROOM(arena, uint32_t, num_influences);
    TRY(places && sizes && influences);
    uint32_t *const firsts = mesh->first_influence, next = 0;
    MD5_FOR (v, count) {
        const uint32_t first = firsts[order[v]], end = firsts[order[v] + 1];
        places[order[v]] = v;
        sizes[v] = end - first;
        MD5_FOR_FROM (i, first, end)
            influences[next++] = i;
    }
    MD5_FOR (v, count)
        firsts[v + 1] = firsts[v] + sizes[v];
    const size_t num_corners = 3 * (size_t)mesh->num_triangles;
    for (size_t i = 0; i < num_corners; i++)
        mesh->indices[i] = places[mesh->indices[i]];
    TRY(reorder(arena, mesh->influence_joints, sizeof(uint32_t), influences, num_influences)
        && reorder(arena, mesh->influences, sizeof(md5_vec4), influences, num_influences)
        && reorder(arena, mesh->sources, sizeof(uint32_t), order, count)
        && reorder(arena, mesh->texcoords, sizeof(md5_vec2), order, count)
        && reorder(arena, mesh->positions, sizeof(md5_vec3), order, count)
        && reorder(arena, mesh->normals, sizeof(md5_vec3), order, count)
        && reorder(arena, mesh->tangents, sizeof(md5_vec4), order, count)
        && reorder(arena, mesh->colors, sizeof(md5_vec4), order, count));
    md5i_arena_rewind(arena, before);
    return true;
}
#endif

// What follows is done to `model` with its `meshes`, which have their names. Functions return
// false, with the context's error set, if memory runs out; then md5_release_geometry() frees what
// was made so far.

// Makes the meshes of a file, converted as the options ask for, all but their plans and losses.
// `bind` is the file's own bind pose. Frees the tables in the arena, in whose memory then lies what
// deriving needs at least; so does more memory, as long as no more than `most` bytes are held.
static bool make_meshes(md5_arena *arena, md5_arena *kept, size_t most, const md5_mesh_file *file,
                        const md5_mat34 *bind, md5_model *model, md5_mesh *meshes)
{
    const md5_context *const context = arena->context;
    const bool has_tangents = !(context->without & MD5_PART_TANGENTS);
    md5_block block = {0};
    model->max_vertices = 0;
    MD5_FOR (m, file->num_meshes) {
        TRY(md5i_geometry_measure(arena, &file->meshes[m]));
        md5_mesh_build measured = file->meshes[m];
        place_mesh(&block, has_tangents, &measured);
        if (measured.num_vertices > model->max_vertices)
            model->max_vertices = measured.num_vertices;
    }
    if (block.used == 0)
        return true; // no meshes
    TRY(md5i_block_allocate_in(kept, &block));
    MD5_FOR (m, file->num_meshes)
        place_mesh(&block, has_tangents, &file->meshes[m]);
    md5i_arena_rewind(arena, file->tables);
    const md5_mesh_joints joints = {
        .num_joints = file->num_joints,
        .bind = bind,
        .scratch = MD5_NEW(arena, uint32_t, file->num_joints),
    };
    TRY(joints.scratch);
    const size_t wanted = md5i_geometry_build_size(model->max_vertices);
    const size_t held = context->memory_held + 2 * MD5_CHUNK_HEADER;
    const size_t allowed = most > held ? most - held : 0;
    const size_t room = wanted < allowed ? wanted : allowed;
    TRY(room <= md5i_arena_left(arena) || md5i_arena_reserve(arena, room));

    model->bounds = md5_bounds_from_points(NULL, 0);
    MD5_FOR (m, file->num_meshes) {
        md5_mesh *const mesh = &meshes[m];
        TRY(md5i_geometry_build(arena, &joints, &file->meshes[m]));
#ifndef MD5_NO_PARTS
        TRY(!context->groups_vertices || group_vertices(arena, &file->meshes[m]));
#endif
        if (converts(context))
            convert_mesh(context, &file->meshes[m]);
        set_arrays(&file->meshes[m], mesh);
        mesh->is_mirrored = md5_is_mirrored(context->axes);
        mesh->loss4 = mesh->loss8 = INFINITY;
        md5i_geometry_summarize(mesh);
        model->bounds = md5_bounds_union(model->bounds, mesh->bounds);
    }
    return true;
}

// -- Plans and losses -----------------------------------------------------------------------

// Makes those of the two `parts` that meshes lack.
static bool finish_meshes(md5_context *context, uint32_t parts, const md5_model *model,
                          md5_mesh *meshes)
{
#ifdef MD5_NO_PARTS
    (void)model, (void)meshes;
    return !(parts & (MD5_PART_TANGENTS | MD5_PART_SKIN_PLANS | MD5_PART_LOSSES))
           || MD5_LEFT_OUT(context, "tangents, skin plans and losses: md5_load_opts.without must "
                                    "name them");
#else
    MD5_FOR (m, model->num_meshes) {
        if (parts & MD5_PART_SKIN_PLANS && !meshes[m].skin_plan)
            TRY(md5i_skin_plan_build(context, &meshes[m], &meshes[m].skin_plan));
    }
    MD5_FOR (m, model->num_meshes) {
        // What drawing paths with 4 or 8 influences a vertex lose.
        md5_mesh *const mesh = &meshes[m];
        if (!(parts & MD5_PART_LOSSES) || mesh->loss4 < INFINITY)
            continue;
        // Vertices of up to four influences are packed alike.
        const float few = md5i_pack_loss(model, m, 4, NULL, 0, 4);
        mesh->loss4 = fmaxf(few, md5i_pack_loss(model, m, 4, NULL, 5, UINT32_MAX));
        mesh->loss8 = fmaxf(few, md5i_pack_loss(model, m, 8, NULL, 5, UINT32_MAX));
    }
    return true;
#endif
}

// -- Releasing ------------------------------------------------------------------------------

// The arena becomes the model's.
static void set_memory(md5_model *model, const md5_arena *kept)
{
    model->internal.memory = kept->chunks;
    model->geometry_size = md5i_arena_size(kept);
}

void md5_release_geometry(md5_model *model)
{
    MD5_ASSERT_ASSET(model);
    MD5_FOR_WHILE (m, model->num_meshes, model->internal.memory) {
        md5_mesh *const mesh = (md5_mesh *)&model->meshes[m];
#ifndef MD5_NO_PARTS
        md5i_skin_plan_free(&model->internal.allocator, mesh->skin_plan);
        mesh->skin_plan = NULL;
#endif
        forget_arrays(mesh);
    }
    md5_context context = {.allocator = model->internal.allocator};
    md5_arena kept = {.context = &context, .chunks = (md5_chunk *)model->internal.memory};
    md5i_arena_free(&kept);
    set_memory(model, &kept);
}

// == What a load left out ========================================================================
//
// What loads leave out, made later: geometry from tables that were kept for it, tangents from the
// geometry itself, plans and losses.

#ifndef MD5_NO_PARTS
// All that meshes are made from: what is first in the newest chunk of the model's arena.
typedef struct kept_tables {
    md5_mat34 *bind; // [joints] of the file
    md5_mesh_build *meshes;
} kept_tables;

// Instead of making meshes: keeps what md5_complete_model() makes them from. All that was read of
// them is in the model's arena. The model's bind pose is still that of the file.
static bool keep_tables(md5_arena *kept, const md5_mesh_file *file, md5_model *model,
                        md5_mesh *meshes)
{
    const size_t size = file->num_joints * sizeof *model->bind;
    TRY(md5i_arena_reserve(kept, sizeof(kept_tables) + size));
    kept_tables *const tables = (kept_tables *)md5i_arena_room(kept, 1, sizeof *tables + size);
    TRY(tables);
    *tables = (kept_tables){(md5_mat34 *)(tables + 1), file->meshes};
    memcpy(tables->bind, model->bind, size);
    MD5_FOR (m, file->num_meshes) {
        md5_mesh_build *const from = &file->meshes[m];
        from->num_vertices = from->num_file_vertices;
        set_arrays(from, &meshes[m]);
        forget_arrays(&meshes[m]);
        if (from->num_vertices > model->max_vertices)
            model->max_vertices = from->num_vertices;
        meshes[m].bounds = md5_bounds_from_points(NULL, 0);
        meshes[m].loss4 = meshes[m].loss8 = INFINITY;
        meshes[m].is_mirrored = md5_is_mirrored(kept->context->axes);
    }
    return true;
}

// Makes all of the meshes anew. The model changes only if that succeeds.
static bool make_anew(md5_arena *arena, const kept_tables *tables, md5_model *model)
{
    const uint32_t num_meshes = model->num_meshes;
    md5_mesh_file file = {.num_joints = model->skeleton.num_joints, .num_meshes = num_meshes};
    md5_mesh *const meshes = MD5_NEW(arena, md5_mesh, num_meshes);
    TRY(meshes);
    TRY(file.meshes = MD5_ROOM(arena, md5_mesh_build, num_meshes));
    file.tables = md5i_arena_here(arena);
    md5_arena kept = {.context = arena->context, .is_exact = true};
    md5_model changed = *model;
    changed.meshes = meshes;
    MD5_FOR (m, num_meshes) {
        meshes[m] = (md5_mesh){.name = model->meshes[m].name, .shader = model->meshes[m].shader};
        file.meshes[m] = tables->meshes[m];
    }
    const bool is_made =
        copy_tables(&kept, &file)
        && make_meshes(arena, &kept, SIZE_MAX, &file, tables->bind, &changed, meshes)
        && finish_meshes(arena->context, ~arena->context->without, &changed, meshes);
    set_memory(&changed, &kept);
    if (!is_made) {
        md5_release_geometry(&changed);
        return false;
    }
    md5_release_geometry(model);
    memcpy((md5_mesh *)model->meshes, meshes, num_meshes * sizeof *meshes);
    changed.meshes = model->meshes;
    *model = changed;
    return true;
}

// -- Tangents from geometry -----------------------------------------------------------------

// The tables of geometry that exists without tangents, and which parts it has beside it.
static bool restore_tables(md5_arena *arena, const md5_model *model, uint32_t *parts,
                           kept_tables *tables)
{
    const md5_skeleton *const skeleton = &model->skeleton;
    const float scale = md5_scale_of(skeleton);
    TRY(tables->bind = MD5_ROOM(arena, md5_mat34, skeleton->num_joints));
    TRY(tables->meshes = MD5_ROOM(arena, md5_mesh_build, model->num_meshes));
    // The opposite of convert_matrices().
    const md5_axes_map *const map = &md5i_axes_maps[skeleton->axes];
    MD5_FOR (j, skeleton->num_joints) {
        MD5_FOR (row, 3) {
            const float *const from = model->bind[j].m + 4 * row;
            float *const to = tables->bind[j].m + 4 * map->from[row];
            MD5_FOR (column, 3)
                to[map->from[column]] = map->sign[row] * map->sign[column] * from[column];
            to[3] = map->sign[row] * (from[3] / scale);
        }
    }
    MD5_FOR (m, model->num_meshes) {
        // What the file said of a mesh that was made without tangents.
        const md5_mesh *const mesh = &model->meshes[m];
        md5_mesh_build *const file = &tables->meshes[m];
        *file = (md5_mesh_build){
            .num_file_vertices = mesh->num_file_vertices,
            .num_weights = mesh->num_weights,
            .num_triangles = mesh->num_triangles,
            .file_vertices = (md5_vertex *)mesh->file_vertices, // only read
        };
        TRY(file->weights = MD5_ROOM(arena, md5_weight, mesh->num_weights));
        TRY(file->texcoords = MD5_ROOM(arena, md5_vec2, mesh->num_file_vertices));
        MD5_FOR (w, mesh->num_weights) {
            // The opposite of convert_points().
            const md5_vec3 point = mesh->weights[w].offset;
            file->weights[w] = mesh->weights[w];
            file->weights[w].offset = md5i_vec3_from_axes(
                skeleton->axes, (md5_vec3){point.x / scale, point.y / scale, point.z / scale});
        }
        MD5_FOR (v, mesh->num_file_vertices) { // each drawn once
            md5_vec2 *const texcoord = &file->texcoords[mesh->sources[v]];
            *texcoord = mesh->texcoords[v];
            if (model->flip_v)
                texcoord->y = 1.0f - texcoord->y;
        }
        const size_t num_corners = 3 * (size_t)mesh->num_triangles;
        TRY(file->indices = MD5_ROOM(arena, uint32_t, num_corners));
        for (size_t i = 0; i < num_corners; i++)
            file->indices[i] = mesh->sources[mesh->indices[i]];
        *parts |= mesh->skin_plan ? MD5_PART_SKIN_PLANS : 0;
        *parts |= mesh->loss4 < INFINITY ? MD5_PART_LOSSES : 0;
    }
    return true;
}

bool md5_complete_model(md5_model *model, uint32_t parts, md5_error *error)
{
    if (!model)
        return md5i_fail_missing(error, "model");
    MD5_ASSERT(parts <= MD5_PART_GEOMETRY, "parts: md5_part flags");
    const md5_load_opts opts = {
        .allocator = model->internal.allocator,
        .axes = model->skeleton.axes,
        .scale = model->skeleton.scale,
        .flip_v = model->flip_v,
        .groups_vertices = model->groups_vertices,
        .normals = model->normals,
    };
    md5_context context;
    md5i_context_begin(&context, &opts, NULL, error);
    if (parts == 0 || model->num_meshes == 0)
        return true;
    if (!model->internal.memory)
        return MD5_FAIL(&context, MD5_ERROR_MISMATCH,
                        "the model's geometry was released, or is that of an asset file");
    const bool has_tables = !model->meshes[0].first_influence;
    if (!has_tables && (!(parts & MD5_PART_TANGENTS) || model->meshes[0].tangents))
        return finish_meshes(&context, parts, model, (md5_mesh *)model->meshes);
    if (!has_tables && model->stores_normals)
        return MD5_FAIL(&context, MD5_ERROR_MISMATCH,
                        "tangents that the file stores were left out: load it with them");
    md5_arena arena = {.context = &context};
    kept_tables tables = {NULL, NULL};
    if (has_tables)
        tables = *(const kept_tables *)md5i_arena_newest(model->internal.memory);
    bool is_made = has_tables || restore_tables(&arena, model, &parts, &tables);
    context.without = ~parts & (MD5_PART_TANGENTS | MD5_PART_SKIN_PLANS | MD5_PART_LOSSES);
    is_made = is_made && make_anew(&arena, &tables, model);
    md5i_arena_free(&arena);
    return is_made;
}
#endif

// == The model ===================================================================================

// Reads the file and fills the model's own block: everything but what meshes have in theirs. The
// bind pose is still that of the file.
static bool read_model(md5_arena *arena, md5_arena *joint_arena, md5_arena *kept, const char *text,
                       size_t size, md5_mesh_file *file, md5_model **result)
{
    md5_context *const context = arena->context;
    const bool keeps = keeps_tables(context);
    md5_arena *const table_arena = keeps ? kept : arena;
    const bool is_bfg = md5_begins_as(text, size, MD5_BFG_MESH);
#ifndef MD5_NO_SHORTCUTS
    if (!is_bfg) {
        // The scratch memory of an ordinary file in two chunks: of the joints, which is freed
        // before the meshes take theirs; and of the file's other tables, and later, in the same
        // bytes, of what deriving the largest mesh needs at least.
        const md5_mesh_counts counts = md5i_count_mesh_file(text, size);
        const md5_mesh_sizes sizes = md5i_mesh_file_sizes(&counts);
        const uint64_t more =
            counts.num_joints * sizeof(uint32_t) + md5i_geometry_least_size(counts.max_vertices);
        const uint64_t all = sizes.meshes + sizes.tables + (keeps ? counts.kept : more);
        TRY(counts.num_joints == 0 || md5i_arena_reserve(joint_arena, (size_t)sizes.joints));
        TRY(keeps || md5i_arena_reserve(kept, counts.kept));
        TRY(md5i_arena_reserve(table_arena, all < SIZE_MAX ? (size_t)all : SIZE_MAX));
    }
#endif
    TRY(is_bfg ? md5i_read_bfg_mesh(table_arena, text, size, file)
               : md5i_read_mesh_file(table_arena, joint_arena, kept, text, size, file));
    if (!keeps && (is_bfg || md5i_arena_left(kept) > 0)) {
        // They are elsewhere, or a count is said again, as in a comment.
        md5_arena filled = {.context = context, .is_exact = true};
        const bool is_copied = copy_tables(&filled, file);
        md5i_arena_free(kept);
        *kept = filled;
        TRY(is_copied);
    }
    const uint32_t num_joints = file->num_joints;
    md5_block block = {0};
    md5_model *model = NULL;
    md5_mesh *meshes = NULL;
    const uint32_t *order = NULL;
    md5_xform *bind_local = NULL;
    md5_mat34 *bind = NULL, *inverse_bind = NULL;
    const md5_joint *joints = NULL;
    const char *command_line = NULL;
    MD5_FOR (pass, 2) {
        model = MD5_TAKE(&block, md5_model, 1);
        meshes = MD5_TAKE(&block, md5_mesh, file->num_meshes);
        joints = put_joints(&block, file->joints, num_joints);
        command_line = put_text(&block, file->command_line);
        MD5_FOR (m, file->num_meshes) {
            const char *const name = put_text(&block, file->meshes[m].name);
            const char *const shader = put_text(&block, file->meshes[m].shader);
            if (pass > 0)
                meshes[m] = (md5_mesh){.name = name, .shader = shader};
        }
        order = MD5_PUT(&block, uint32_t, file->order, num_joints);
        bind_local = MD5_TAKE(&block, md5_xform, num_joints);
        bind = MD5_TAKE(&block, md5_mat34, num_joints);
        inverse_bind = MD5_TAKE(&block, md5_mat34, num_joints);
        TRY(pass > 0 || md5i_block_allocate(context, &block));
    }
    *model = (md5_model){
        .skeleton = {num_joints, joints, order, context->axes, context->scale},
        .bind_local = bind_local,
        .bind = bind,
        .inverse_bind = inverse_bind,
        .num_meshes = file->num_meshes,
        .normals = context->normals,
        .meshes = meshes,
        .bounds = md5_bounds_from_points(NULL, 0),
        .command_line = command_line,
        .num_warnings = context->num_warnings,
        .flip_v = context->flip_v,
        .stores_normals = file->num_meshes > 0 && file->meshes[0].has_frames,
        .groups_vertices = context->groups_vertices,
        .size = block.used,
        .internal = {.allocator = context->allocator},
    };
    MD5_FOR_WHILE (j, num_joints, !file->has_w) {
        const md5_quat q = file->bind[j].rotation;
        file->bind[j].rotation = md5_quat_from_xyz(q.x, q.y, q.z);
    }
    md5i_build_bind_pose(&model->skeleton, file->bind, bind_local, bind, inverse_bind);
    *result = model;
    return true;
}

static bool build_model(md5_arena *arena, const char *text, size_t size, void **asset)
{
    if (md5_is_asset_file(text, size))
        return md5i_read_assets(arena, text, size, true, asset);
    md5_context *const context = arena->context;
    md5_arena joints = {.context = context}, kept = {.context = context, .is_exact = true};
    md5_mesh_file file;
    md5_model *model;
    const bool is_read = read_model(arena, &joints, &kept, text, size, &file, &model);
    md5i_arena_free(&joints);
    if (!is_read) {
        md5i_arena_free(&kept);
        return false;
    }
    const bool keeps = keeps_tables(context);
    const uint32_t num_joints = model->skeleton.num_joints;
    md5_mesh *const meshes = (md5_mesh *)model->meshes;
    const size_t most = most_memory(size);
#ifdef MD5_NO_PARTS // meshes have their names only: nothing could complete them
    if (keeps)
        md5i_arena_free(&kept);
    bool is_filled = keeps || make_meshes(arena, &kept, most, &file, model->bind, model, meshes);
#else
    bool is_filled = keeps ? keep_tables(&kept, &file, model, meshes)
                           : make_meshes(arena, &kept, most, &file, model->bind, model, meshes);
#endif
    set_memory(model, &kept);
    if (is_filled && converts(context)) { // meshes were derived from the file's own bind pose
        convert_transforms(context, (md5_xform *)model->bind_local, num_joints);
        convert_matrices(context, (md5_mat34 *)model->bind, num_joints);
        convert_matrices(context, (md5_mat34 *)model->inverse_bind, num_joints);
    }
    // Plans take memory only after scratch memory is freed, so that the most that is held at once
    // does not include both.
    md5i_arena_free(arena);
    is_filled = is_filled && (keeps || finish_meshes(context, ~context->without, model, meshes));
    if (is_filled)
        *asset = model;
    else
        md5_free_model(model);
    return is_filled;
}

md5_model *md5_parse_model(const void *text, size_t size, const md5_load_opts *opts,
                           md5_error *error)
{
    MD5_ASSERT_TEXT(text, size);
    MD5_ASSERT_OPTS(opts);
    return (md5_model *)make_asset(build_model, NULL, text ? (const char *)text : "",
                                   text ? size : 0, opts, error);
}

md5_model *md5_load_model(const char *path, const md5_load_opts *opts, md5_error *error)
{
    MD5_ASSERT_PATH(path);
    MD5_ASSERT_OPTS(opts);
    return (md5_model *)make_asset(build_model, path, NULL, 0, opts, error);
}

void md5_free_model(md5_model *model)
{
    if (!model)
        return;
    md5_release_geometry(model);
    MD5_FREE(model);
}
