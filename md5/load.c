// Ties the road together: bytes, what they say, what follows from that, one block of memory.
#include "md5/core/arena.h"
#include "md5/file_text.h"
#include "md5/pose/bind_pose.h"
#include "md5/pose/clip.h"
#include "md5/read/anim_file.h"
#include "md5/read/camera_file.h"
#include "md5/read/mesh_file.h"
#include "md5/skin/geometry.h"
#include "md5/skin/plan.h"

#include <string.h>

// -- The public border ----------------------------------------------------------------------

// Makes an asset of a text, in one block. What it needs besides lies in the arena.
typedef bool build_asset(md5_arena *arena, const char *text, size_t size, void **asset);

static void *build_with_arena(md5_context *context, build_asset *build, const char *text,
                              size_t size)
{
    md5_arena arena = {.context = context};
    void *asset = NULL;
    if (md5_check_text_size(context, size))
        build(&arena, text, size, &asset);
    md5_arena_free(&arena);
    return asset;
}

static void *parse(build_asset *build, const void *text, size_t size, const md5_load_opts *opts,
                   md5_error *error)
{
    md5_context context;
    md5_context_begin(&context, opts, opts ? opts->file_name : NULL, error);
    return build_with_arena(&context, build, text ? text : "", text ? size : 0);
}

static void *load(build_asset *build, const char *path, const md5_load_opts *opts, md5_error *error)
{
    md5_context context;
    md5_file_text text = {0};
    void *asset = NULL;
    md5_context_begin(&context, opts, path, error);
    if (md5_read_file_text(&context, path, &text))
        asset = build_with_arena(&context, build, text.bytes, text.size);
    md5_free_file_text(&context, &text);
    return asset;
}

// -- Names ----------------------------------------------------------------------------------

static size_t name_size(md5_span name)
{
    return name.size + 1;
}

// Copies a name to *end, which it moves behind the NUL.
static const char *place_name(char **end, md5_span name)
{
    char *const start = *end;
    if (name.size > 0)
        memcpy(start, name.bytes, name.size);
    start[name.size] = '\0';
    *end = start + name_size(name);
    return start;
}

static size_t joint_names_size(const md5_file_joint *joints, uint32_t num_joints)
{
    size_t size = 0;
    for (uint32_t j = 0; j < num_joints; j++)
        size += name_size(joints[j].name);
    return size;
}

static void place_joints(char **end, const md5_file_joint *source, uint32_t num_joints,
                         md5_joint *joints)
{
    for (uint32_t j = 0; j < num_joints; j++)
        joints[j] = (md5_joint){place_name(end, source[j].name), source[j].parent};
}

static void copy(void *to, const void *from, size_t count, size_t size)
{
    if (count > 0)
        memcpy(to, from, count * size);
}

// -- Models ---------------------------------------------------------------------------------

// Everything a model is made of, before its block exists. Lies in the arena.
typedef struct model_parts {
    md5_mesh_file file;
    md5_geometry_sizes *sizes; // [num_meshes]
} model_parts;

// Where the parts of a model lie in its block; all NULL while it is measured.
typedef struct model_layout {
    md5_model *model;
    md5_mesh *meshes;
    md5_joint *joints;
    uint32_t *order;
    md5_transform *bind_local;
    md5_mat34 *bind, *inverse_bind;
    char *names;
} model_layout;

static bool measure_meshes(md5_arena *arena, model_parts *parts)
{
    const uint32_t num_meshes = parts->file.num_meshes;
    TRY(parts->sizes = md5_arena_room(arena, num_meshes, sizeof *parts->sizes));
    for (uint32_t m = 0; m < num_meshes; m++) {
        const md5_file_mesh *const mesh = &parts->file.meshes[m];
        const md5_geometry_source source = {
            .num_vertices = mesh->num_vertices,
            .num_triangles = mesh->num_triangles,
            .vertices = mesh->vertices,
            .texcoords = mesh->texcoords,
            .triangles = mesh->triangles,
            .narrow_triangles = mesh->narrow_triangles,
            .weights = mesh->weights,
            .tangents = mesh->tangents,
        };
        TRY(md5_geometry_measure(arena, &source, parts->file.bind, &parts->sizes[m]));
    }
    return true;
}

static size_t model_names_size(const md5_mesh_file *file)
{
    size_t size = joint_names_size(file->joints, file->num_joints);
    for (uint32_t m = 0; m < file->num_meshes; m++)
        size += name_size(file->meshes[m].name) + name_size(file->meshes[m].shader);
    return size + name_size(file->command_line);
}

static void lay_out_model(md5_block *block, const md5_mesh_file *file, model_layout *layout)
{
    const uint32_t num_joints = file->num_joints;
    layout->model = md5_block_take(block, 1, sizeof *layout->model);
    layout->meshes = md5_block_take(block, file->num_meshes, sizeof *layout->meshes);
    layout->joints = md5_block_take(block, num_joints, sizeof *layout->joints);
    layout->order = md5_block_take(block, num_joints, sizeof *layout->order);
    layout->bind_local = md5_block_take(block, num_joints, sizeof *layout->bind_local);
    layout->bind = md5_block_take(block, num_joints, sizeof *layout->bind);
    layout->inverse_bind = md5_block_take(block, num_joints, sizeof *layout->inverse_bind);
    layout->names = md5_block_take(block, model_names_size(file), 1);
}

typedef struct mesh_layout {
    md5_vertex *file_vertices;
    md5_weight *weights;
    md5_vec4 *colors; // NULL without
    md5_geometry_arrays drawn;
    md5_skin_plan_room plan;
} mesh_layout;

static void lay_out_mesh(md5_block *block, const md5_file_mesh *mesh,
                         const md5_geometry_sizes *sizes, mesh_layout *layout)
{
    md5_geometry_arrays *const drawn = &layout->drawn;
    const size_t count = sizes->num_vertices, num_influences = sizes->num_influences;
    const size_t num_triangles = mesh->num_triangles;
    layout->file_vertices =
        md5_block_take(block, mesh->num_vertices, sizeof *layout->file_vertices);
    layout->weights = md5_block_take(block, mesh->num_weights, sizeof *layout->weights);
    layout->colors =
        mesh->colors ? md5_block_take(block, mesh->num_vertices, sizeof *layout->colors) : NULL;
    drawn->indices = md5_block_take(block, num_triangles, 3 * sizeof *drawn->indices);
    drawn->sources = md5_block_take(block, count, sizeof *drawn->sources);
    drawn->texcoords = md5_block_take(block, count, sizeof *drawn->texcoords);
    drawn->positions = md5_block_take(block, count, sizeof *drawn->positions);
    drawn->normals = md5_block_take(block, count, sizeof *drawn->normals);
    drawn->tangents = md5_block_take(block, count, sizeof *drawn->tangents);
    drawn->first_influence = md5_block_take(block, count + 1, sizeof *drawn->first_influence);
    drawn->influence_joints =
        md5_block_take(block, num_influences, sizeof *drawn->influence_joints);
    drawn->influences = md5_block_take(block, num_influences, sizeof *drawn->influences);
    md5_skin_plan_take(block, sizes->num_vertices, &sizes->plan, &layout->plan);
}

static size_t measure_model(const model_parts *parts)
{
    md5_block block = {0};
    model_layout model;
    mesh_layout mesh;
    lay_out_model(&block, &parts->file, &model);
    for (uint32_t m = 0; m < parts->file.num_meshes; m++)
        lay_out_mesh(&block, &parts->file.meshes[m], &parts->sizes[m], &mesh);
    return block.used;
}

static void copy_triangles(uint32_t *to, const md5_file_mesh *file)
{
    const size_t num_corners = 3 * (size_t)file->num_triangles;
    if (file->triangles)
        copy(to, file->triangles, num_corners, sizeof *to);
    for (size_t i = 0; i < num_corners && file->narrow_triangles; i += 3) {
        to[i] = file->narrow_triangles[i];
        to[i + 1] = file->narrow_triangles[i + 1];
        to[i + 2] = file->narrow_triangles[i + 2];
    }
}

// Copies what the file says of a mesh to its place in the block.
static void place_mesh(md5_block *block, const md5_file_mesh *file, const md5_geometry_sizes *sizes,
                       md5_mesh *mesh)
{
    mesh_layout layout;
    lay_out_mesh(block, file, sizes, &layout);
    const md5_geometry_arrays *const drawn = &layout.drawn;
    copy(layout.file_vertices, file->vertices, file->num_vertices, sizeof *file->vertices);
    copy(layout.weights, file->weights, file->num_weights, sizeof *file->weights);
    copy(layout.colors, file->colors, file->colors ? file->num_vertices : 0, sizeof *file->colors);
    copy_triangles(drawn->indices, file);
    copy(drawn->texcoords, file->texcoords, file->num_vertices, sizeof *file->texcoords);
    if (file->normals) {
        copy(drawn->normals, file->normals, file->num_vertices, sizeof *file->normals);
        copy(drawn->tangents, file->tangents, file->num_vertices, sizeof *file->tangents);
    }
    mesh->num_file_vertices = file->num_vertices;
    mesh->num_weights = file->num_weights;
    mesh->file_vertices = layout.file_vertices;
    mesh->weights = layout.weights;
    mesh->num_vertices = sizes->num_vertices;
    mesh->num_triangles = file->num_triangles;
    mesh->indices = drawn->indices;
    mesh->sources = drawn->sources;
    mesh->texcoords = drawn->texcoords;
    mesh->positions = drawn->positions;
    mesh->normals = drawn->normals;
    mesh->tangents = drawn->tangents;
    mesh->colors = layout.colors;
    // What derive_mesh() needs of the sizes, until it is known better.
    mesh->num_influences = sizes->num_influences;
    mesh->max_weights = sizes->plan.max_influences;
    mesh->max_influences = sizes->plan.num_spans;
    mesh->num_off_sums = sizes->plan.num_words;
    mesh->first_influence = drawn->first_influence;
    mesh->influence_joints = drawn->influence_joints;
    mesh->influences = drawn->influences;
}

// All that follows from it, but losses. The block stands where it did for place_mesh(), where the
// file's tables lie now. Of `joints`, what it says of joints is used.
static bool derive_mesh(md5_arena *arena, md5_block *block, const md5_file_mesh *file,
                        const md5_geometry_source *joints, md5_mesh *mesh)
{
    const md5_geometry_sizes sizes = {
        mesh->num_vertices, mesh->num_influences,
        .plan = {mesh->max_weights, mesh->max_influences, mesh->num_off_sums}};
    mesh_layout layout;
    lay_out_mesh(block, file, &sizes, &layout);
    const md5_geometry_source source = {
        .num_vertices = file->num_vertices,
        .num_triangles = file->num_triangles,
        .num_weights = file->num_weights,
        .vertices = layout.file_vertices,
        .texcoords = layout.drawn.texcoords,
        .triangles = layout.drawn.indices,
        .weights = layout.weights,
        .normals = file->normals ? layout.drawn.normals : NULL,
        .tangents = file->normals ? layout.drawn.tangents : NULL,
        .num_joints = joints->num_joints,
        .bind = joints->bind,
        .joint_scratch = joints->joint_scratch,
    };
    TRY(md5_geometry_build(arena, &source, &sizes, &layout.drawn));
    md5_geometry_summarize(mesh);
    mesh->skin_plan = md5_skin_plan_build(mesh, &layout.plan);
    return true;
}

// The joints, and what the file says of the meshes: behind this, its tables are not needed.
static md5_model *place_model(const md5_context *context, md5_block *block,
                              const model_parts *parts, model_layout *layout)
{
    const md5_mesh_file *const file = &parts->file;
    const uint32_t num_joints = file->num_joints;
    lay_out_model(block, file, layout);
    char *names = layout->names;
    place_joints(&names, file->joints, num_joints, layout->joints);
    copy(layout->order, file->order, num_joints, sizeof *layout->order);

    md5_model *const model = layout->model;
    *model = (md5_model){
        .skeleton = {num_joints, layout->joints, layout->order},
        .bind_local = layout->bind_local,
        .bind = layout->bind,
        .inverse_bind = layout->inverse_bind,
        .num_meshes = file->num_meshes,
        .meshes = layout->meshes,
        .bounds = md5_bounds_of_points(NULL, 0),
        .command_line = place_name(&names, file->command_line),
        .num_warnings = context->num_warnings,
        .allocator = context->allocator,
    };
    md5_build_bind_pose(&model->skeleton, file->bind, layout->bind_local, layout->bind,
                        layout->inverse_bind);
    md5_block meshes = *block;
    for (uint32_t m = 0; m < file->num_meshes; m++) {
        layout->meshes[m] = (md5_mesh){.name = place_name(&names, file->meshes[m].name),
                                       .shader = place_name(&names, file->meshes[m].shader)};
        place_mesh(&meshes, &file->meshes[m], &parts->sizes[m], &layout->meshes[m]);
    }
    return model;
}

// Whether each vertex hangs at its place from one joint, or from none. No text has so many that
// there were no plan.
static bool is_rigid(const md5_skin_plan *plan)
{
    uint32_t i = 0;
    while (i < plan->num_runs && plan->runs[i].kind <= MD5_SKIN_WHOLE)
        i++;
    return i == plan->num_runs;
}

static bool fill_model(md5_arena *arena, md5_block *block, const model_parts *parts,
                       md5_model **result)
{
    const md5_mesh_file *const file = &parts->file;
    model_layout layout;
    md5_model *const model = place_model(arena->context, block, parts, &layout);
    md5_arena_rewind(arena, file->tables);
    const md5_geometry_source joints = {
        .num_joints = file->num_joints,
        .bind = layout.bind,
        .joint_scratch = md5_arena_alloc(arena, file->num_joints, sizeof *joints.joint_scratch),
    };
    TRY(joints.joint_scratch);
    for (uint32_t m = 0; m < file->num_meshes; m++) {
        md5_mesh *const mesh = &layout.meshes[m];
        TRY(derive_mesh(arena, block, &file->meshes[m], &joints, mesh));
        model->bounds = md5_bounds_union(model->bounds, mesh->bounds);
    }
    for (uint32_t m = 0; m < file->num_meshes; m++) {
        md5_mesh *const mesh = &layout.meshes[m];
        if (is_rigid(mesh->skin_plan))
            continue; // loses nothing
        mesh->loss4 = md5_path_loss(model, m, 4, NULL);
        // Where no vertex has more than four, the same form holds them.
        mesh->loss8 = mesh->max_influences > 4 ? md5_path_loss(model, m, 8, NULL) : mesh->loss4;
    }
    *result = model;
    return true;
}

// Takes the scratch memory for an ordinary file in one piece: what is read first, and in its place
// what deriving from the largest mesh takes.
static bool reserve_scratch(md5_arena *arena, const char *text, size_t size)
{
    const md5_mesh_counts counts = md5_count_mesh_file(text, size);
    const md5_mesh_counts no_tables = {.num_joints = counts.num_joints,
                                       .num_meshes = counts.num_meshes};
    const uint64_t reading = md5_mesh_file_size(&counts)
                             + counts.num_meshes * sizeof(md5_geometry_sizes)
                             + md5_geometry_measure_size(counts.most_vertices);
    const uint64_t deriving = md5_mesh_file_size(&no_tables) + counts.num_joints * sizeof(uint32_t)
                              + md5_geometry_build_size(counts.most_vertices);
    const uint64_t most = reading > deriving ? reading : deriving;
    return md5_arena_reserve(arena, most < SIZE_MAX ? (size_t)most : SIZE_MAX);
}

static bool build_model(md5_arena *arena, const char *text, size_t size, void **asset)
{
    model_parts parts;
    md5_model *model = NULL;
    TRY(reserve_scratch(arena, text, size));
    TRY(md5_read_mesh_file(arena, text, size, &parts.file));
    TRY(measure_meshes(arena, &parts));
    const size_t block_size = measure_model(&parts);
    md5_block block = {.base = md5_alloc(arena->context, block_size)};
    TRY(block.base);
    if (!fill_model(arena, &block, &parts, &model)) {
        md5_free(arena->context, block.base, block_size);
        return false;
    }
    model->size = block_size;
    *asset = model;
    return true;
}

md5_model *md5_parse_model(const void *text, size_t size, const md5_load_opts *opts,
                           md5_error *error)
{
    return parse(build_model, text, size, opts, error);
}

md5_model *md5_load_model(const char *path, const md5_load_opts *opts, md5_error *error)
{
    return load(build_model, path, opts, error);
}

void md5_free_model(md5_model *model)
{
    if (model)
        model->allocator.free(model->allocator.user, model, model->size);
}

// -- Animations -----------------------------------------------------------------------------

// As above. `moves` tells which joints change over the frames.
typedef struct anim_parts {
    md5_anim_file file;
    uint8_t *moves;
    uint32_t num_rotations, num_translations;
} anim_parts;

typedef struct anim_layout {
    md5_anim *anim;
    md5_joint *joints;
    uint32_t *order;
    md5_track *tracks;
    md5_transform *base_frame;
    md5_clip_arrays clip;
    md5_bounds *bounds; // NULL without
    char *names;
} anim_layout;

static void lay_out_anim(md5_block *block, const anim_parts *parts, anim_layout *layout)
{
    const md5_anim_file *const file = &parts->file;
    const size_t num_joints = file->num_joints, num_frames = file->num_frames;
    const size_t num_rotations = parts->num_rotations, num_translations = parts->num_translations;
    md5_clip_arrays *const clip = &layout->clip;
    layout->anim = md5_block_take(block, 1, sizeof *layout->anim);
    layout->joints = md5_block_take(block, num_joints, sizeof *layout->joints);
    layout->order = md5_block_take(block, num_joints, sizeof *layout->order);
    layout->tracks = md5_block_take(block, num_joints, sizeof *layout->tracks);
    layout->base_frame = md5_block_take(block, num_joints, sizeof *layout->base_frame);
    clip->constant = md5_block_take(block, num_joints, sizeof *clip->constant);
    clip->rotation_joints = md5_block_take(block, num_rotations, sizeof *clip->rotation_joints);
    clip->translation_joints =
        md5_block_take(block, num_translations, sizeof *clip->translation_joints);
    clip->rotations = md5_block_take(block, num_frames, num_rotations * sizeof *clip->rotations);
    clip->translations =
        md5_block_take(block, num_frames, num_translations * sizeof *clip->translations);
    layout->bounds =
        file->bounds ? md5_block_take(block, num_frames, sizeof *layout->bounds) : NULL;
    layout->names = md5_block_take(
        block, joint_names_size(file->joints, file->num_joints) + name_size(file->command_line), 1);
}

static md5_clip_source clip_source(const md5_anim_file *file)
{
    return (md5_clip_source){
        .num_joints = file->num_joints,
        .num_frames = file->num_frames,
        .num_components = file->num_components,
        .tracks = file->tracks,
        .base_frame = file->base_frame,
        .numbers = file->numbers,
    };
}

static md5_anim *fill_anim(md5_context *context, md5_block *block, const anim_parts *parts)
{
    const md5_anim_file *const file = &parts->file;
    const md5_clip_source source = clip_source(file);
    const uint32_t num_joints = file->num_joints;
    anim_layout layout;
    lay_out_anim(block, parts, &layout);
    char *names = layout.names;
    place_joints(&names, file->joints, num_joints, layout.joints);
    copy(layout.order, file->order, num_joints, sizeof *layout.order);
    copy(layout.tracks, file->tracks, num_joints, sizeof *layout.tracks);
    for (uint32_t joint = 0; joint < num_joints; joint++)
        layout.base_frame[joint] = md5_clip_base(&file->base_frame[joint]);
    copy(layout.bounds, file->bounds, file->bounds ? file->num_frames : 0, sizeof *layout.bounds);
    md5_clip_build(&source, parts->moves, &layout.clip);

    *layout.anim = (md5_anim){
        .skeleton = {num_joints, layout.joints, layout.order},
        .tracks = layout.tracks,
        .base_frame = layout.base_frame,
        .num_frames = file->num_frames,
        .frame_rate = file->frame_rate,
        .duration = (double)(file->num_frames - 1) / file->frame_rate,
        .constant = layout.clip.constant,
        .num_rotations = parts->num_rotations,
        .num_translations = parts->num_translations,
        .rotation_joints = layout.clip.rotation_joints,
        .translation_joints = layout.clip.translation_joints,
        .rotations = layout.clip.rotations,
        .translations = layout.clip.translations,
        .frame_bounds = layout.bounds,
        .num_components = file->num_components,
        .command_line = place_name(&names, file->command_line),
        .num_warnings = context->num_warnings,
        .size = block->used,
        .allocator = context->allocator,
    };
    return layout.anim;
}

static bool build_anim(md5_arena *arena, const char *text, size_t size, void **asset)
{
    anim_parts parts;
    TRY(md5_read_anim_file(arena, text, size, &parts.file));
    const size_t num_joints = parts.file.num_joints;
    parts.moves = md5_arena_alloc(arena, num_joints + parts.file.num_components, 1);
    TRY(parts.moves);
    uint8_t *const changes = parts.moves + num_joints;
    const md5_clip_source source = clip_source(&parts.file);
    md5_clip_plan(&source, changes, parts.moves, &parts.num_rotations, &parts.num_translations);
    md5_block measured = {0};
    anim_layout layout;
    lay_out_anim(&measured, &parts, &layout);
    md5_block block = {.base = md5_alloc(arena->context, measured.used)};
    TRY(block.base);
    *asset = fill_anim(arena->context, &block, &parts);
    return true;
}

md5_anim *md5_parse_anim(const void *text, size_t size, const md5_load_opts *opts, md5_error *error)
{
    return parse(build_anim, text, size, opts, error);
}

md5_anim *md5_load_anim(const char *path, const md5_load_opts *opts, md5_error *error)
{
    return load(build_anim, path, opts, error);
}

void md5_free_anim(md5_anim *anim)
{
    if (anim)
        anim->allocator.free(anim->allocator.user, anim, anim->size);
}

// -- Cameras --------------------------------------------------------------------------------

typedef struct camera_layout {
    md5_camera *camera;
    uint32_t *cuts;
    md5_cut_view *cut_views;
    md5_camera_view *frames;
    char *names;
} camera_layout;

static void lay_out_camera(md5_block *block, const md5_camera_file *file, camera_layout *layout)
{
    layout->camera = md5_block_take(block, 1, sizeof *layout->camera);
    layout->cuts = md5_block_take(block, file->num_cuts, sizeof *layout->cuts);
    layout->cut_views = md5_block_take(block, file->num_cut_views, sizeof *layout->cut_views);
    layout->frames = md5_block_take(block, file->num_frames, sizeof *layout->frames);
    layout->names = md5_block_take(block, name_size(file->command_line), 1);
}

static bool build_camera(md5_arena *arena, const char *text, size_t size, void **asset)
{
    md5_camera_file file;
    md5_block measured = {0};
    camera_layout layout;
    TRY(md5_read_camera_file(arena, text, size, &file));
    lay_out_camera(&measured, &file, &layout);
    md5_block block = {.base = md5_alloc(arena->context, measured.used)};
    TRY(block.base);
    lay_out_camera(&block, &file, &layout);
    copy(layout.cuts, file.cuts, file.num_cuts, sizeof *layout.cuts);
    copy(layout.cut_views, file.cut_views, file.num_cut_views, sizeof *layout.cut_views);
    copy(layout.frames, file.frames, file.num_frames, sizeof *layout.frames);

    const uint32_t last = file.num_frames - 1;
    const uint32_t num_intervals = file.num_cuts < last ? last - file.num_cuts : 0;
    *layout.camera = (md5_camera){
        .num_frames = file.num_frames,
        .frame_rate = file.frame_rate,
        .duration = (double)num_intervals / file.frame_rate,
        .num_cuts = file.num_cuts,
        .cuts = layout.cuts,
        .num_cut_views = file.num_cut_views,
        .cut_views = layout.cut_views,
        .frames = layout.frames,
        .command_line = place_name(&layout.names, file.command_line),
        .num_warnings = arena->context->num_warnings,
        .size = block.used,
        .allocator = arena->context->allocator,
    };
    *asset = layout.camera;
    return true;
}

md5_camera *md5_parse_camera(const void *text, size_t size, const md5_load_opts *opts,
                             md5_error *error)
{
    return parse(build_camera, text, size, opts, error);
}

md5_camera *md5_load_camera(const char *path, const md5_load_opts *opts, md5_error *error)
{
    return load(build_camera, path, opts, error);
}

void md5_free_camera(md5_camera *camera)
{
    if (camera)
        camera->allocator.free(camera->allocator.user, camera, camera->size);
}
