// md5tool info: prints a summary of files.
#include "demo/common/text.h"
#include "demo/tool/tool.h"

#include <stdio.h>
#include <string.h>

// == Models of Cube 2's engines ===================================================================
//
// md5tool with an md5.cfg, the description of a model of Cube 2's engines.

// -- Summary --------------------------------------------------------------------------------------

static void print_named(const char *label, const char *name)
{
    printf("  %-18s ", label);
    common_print_text(stdout, name);
}

static void print_cube(const char *path, const md5_cube2 *cube)
{
    common_print_text(stdout, path);
    puts(": md5.cfg");
    printf("  parts              %u, %u links\n", cube->num_parts, cube->num_links);
    printf("  scale              %g\n", (double)cube->scale);
    printf("  other settings     %u\n", cube->num_settings);
    printf("  warnings           %u\n", cube->num_warnings);
    for (uint32_t i = 0; i < cube->num_parts; i++) {
        const md5_cube2_part *const part = &cube->parts[i];
        print_named("mesh", part->mesh);
        printf("\n    animations       %u, %u masks, %u adjustments\n", part->num_anims,
               part->num_masks, part->num_adjustments);
        printf("    tags             %u\n", part->num_tags);
        printf("    looks            %u lines\n", part->num_rows);
        for (uint32_t k = 0; k < part->num_anims; k++) {
            const md5_cube2_anim *const anim = &part->anims[k];
            print_named("  animation", anim->names);
            fputs(", ", stdout);
            common_print_text(stdout, anim->file);
            printf(", %g a second\n", (double)anim->frame_rate);
        }
    }
}

// -- Check ----------------------------------------------------------------------------------------

typedef struct cube_check {
    const char *path;
    const md5_model *model;
    md5_warn_fn *report;
    void *user;
} cube_check;

static void report_name(const cube_check *check, const char *what, const char *name)
{
    md5_error finding = {.status = MD5_WARNING};
    snprintf(finding.file, sizeof finding.file, "%s", check->path);
    snprintf(finding.message, sizeof finding.message, "%s '%.150s'", what, name);
    check->report(check->user, &finding);
}

static void check_joint(const cube_check *check, const char *what, const char *name)
{
    if (name[0] && md5_find_joint(&check->model->skeleton, name) == MD5_NONE)
        report_name(check, what, name);
}

static void check_names(const cube_check *check, const md5_cube2_part *part)
{
    for (uint32_t i = 0; i < part->num_tags; i++)
        check_joint(check, "md5tag: the mesh has no joint", part->tags[i].joint);
    for (uint32_t i = 0; i < part->num_pitches; i++)
        check_joint(check, "md5pitch: the mesh has no joint", part->pitches[i].joint);
    for (uint32_t i = 0; i < part->num_adjustments; i++)
        check_joint(check, "md5adjust: the mesh has no joint", part->adjustments[i].joint);
    for (uint32_t i = 0; i < part->num_rows; i++) {
        const char *const mesh = part->rows[i].mesh;
        if (strcmp(mesh, "*") != 0 && md5_find_mesh(check->model, mesh) == MD5_NONE)
            report_name(check, "no mesh has the name", mesh);
    }
}

// Loads each file once, however often it is named in a row.
static void check_anims(const cube_check *check, const md5_cube2_part *part)
{
    const char *before = "";
    for (uint32_t i = 0; i < part->num_anims; i++) {
        const char *const file = part->anims[i].file;
        md5_error error = {0};
        if (strcmp(file, before) == 0)
            continue;
        before = file;
        md5_anim *const anim = md5_load_anim(file, NULL, &error);
        md5_binding *const binding = anim ? md5_bind(check->model, anim, NULL, &error) : NULL;
        if (!binding)
            check->report(check->user, &error);
        md5_free_binding(binding);
        md5_free_anim(anim);
    }
}

void tool_check_cube(const char *path, const md5_cube2 *cube, md5_warn_fn *report, void *user)
{
    for (uint32_t i = 0; i < cube->num_parts; i++) {
        const md5_cube2_part *const part = &cube->parts[i];
        md5_error error = {0};
        md5_model *const model = md5_load_model(part->mesh, NULL, &error);
        const cube_check check = {path, model, report, user};
        if (!model) {
            report(user, &error);
            continue;
        }
        check_names(&check, part);
        check_anims(&check, part);
        md5_free_model(model);
    }
}

// == The command ==================================================================================
//
// md5tool info: prints a summary of files.

const char tool_info_help[] =
    "usage: md5tool info FILE...\n"
    "\n"
    "Prints a summary of each .md5mesh, .md5anim, .md5camera, .md5machine or md5.cfg file, and of\n"
    "clips of \"md5tool compress\", known by their first bytes if the name has no such extension.\n"
    "The loss of a mesh is the largest error, in units, of drawing it with 4 or 8 influences per\n"
    "vertex, for any rotation of its joints. Constant tracks of an animation are those that do "
    "not\n"
    "change in any frame.\n";

static void print_title(const char *path, const char *kind)
{
    common_print_text(stdout, path);
    printf(": %s\n", kind);
}

static void print_bounds(const char *label, md5_bounds bounds)
{
    if (bounds.min.x > bounds.max.x) {
        printf("  %-18s none\n", label);
        return;
    }
    printf("  %-18s (%g %g %g) to (%g %g %g)\n", label, (double)bounds.min.x, (double)bounds.min.y,
           (double)bounds.min.z, (double)bounds.max.x, (double)bounds.max.y, (double)bounds.max.z);
}

// Returns the union of the bounds of all frames.
static md5_bounds all_frames(const md5_anim *anim)
{
    md5_bounds bounds = md5_bounds_from_points(NULL, 0);
    for (uint32_t i = 0; anim->frame_bounds && i < anim->num_frames; i++)
        bounds = md5_bounds_union(bounds, anim->frame_bounds[i]);
    return bounds;
}

static bool print_file(const char *path)
{
    tool_asset asset;
    md5_error error = {0};
    if (!tool_load(path, NULL, &asset, &error)) {
        tool_print_error(&error);
        return false;
    }
    if (asset.model) {
        uint64_t vertices = 0, triangles = 0, weights = 0;
        uint32_t max_weights = 0;
        for (uint32_t i = 0; i < asset.model->num_meshes; i++) {
            const md5_mesh *mesh = &asset.model->meshes[i];
            vertices += mesh->num_file_vertices;
            triangles += mesh->num_triangles;
            weights += mesh->num_weights;
            if (mesh->max_weights > max_weights)
                max_weights = mesh->max_weights;
        }
        print_title(path, "md5mesh");
        printf("  joints             %u\n", asset.model->skeleton.num_joints);
        printf("  meshes             %u\n", asset.model->num_meshes);
        printf("  vertices           %llu\n", (unsigned long long)vertices);
        printf("  triangles          %llu\n", (unsigned long long)triangles);
        printf("  weights            %llu\n", (unsigned long long)weights);
        printf("  weights a vertex   %u at most\n", max_weights);
        print_bounds("bounds", asset.model->bounds);
        printf("  bytes in memory    %zu\n", asset.model->size + asset.model->geometry_size);
        printf("  warnings           %u\n", asset.model->num_warnings);
        for (uint32_t i = 0; i < asset.model->num_meshes; i++) {
            const md5_mesh *const mesh = &asset.model->meshes[i];
            printf("  mesh %u%s", i, mesh->name[0] ? " " : "");
            common_print_text(stdout, mesh->name);
            fputs(", shader \"", stdout);
            common_print_text(stdout, mesh->shader);
            puts("\"");
            printf("    vertices         %u, drawn as %u (%u copies at mirror seams)\n",
                   mesh->num_file_vertices, mesh->num_vertices,
                   mesh->num_vertices - mesh->num_file_vertices);
            printf("    triangles        %u\n", mesh->num_triangles);
            printf("    weights          %u, at most %u on a vertex; %u vertices sum to other than "
                   "1\n",
                   mesh->num_weights, mesh->max_weights, mesh->num_off_sums);
            printf("    loss             4 influences %.2g, 8 influences %.2g units\n",
                   (double)mesh->loss4, (double)mesh->loss8);
        }
    }
    if (asset.anim && asset.anim->packed) {
        const double joint_frames =
            (double)asset.anim->skeleton.num_joints * asset.anim->num_frames;
        print_title(path, "compressed clip");
        printf("  joints             %u\n", asset.anim->skeleton.num_joints);
        printf("  frames             %u\n", asset.anim->num_frames);
        printf("  frame rate         %g a second\n", asset.anim->frame_rate);
        printf("  seconds            %g\n", asset.anim->duration);
        printf("  tolerance          %g units at the skin\n", (double)asset.anim->tolerance);
        printf("  error              %.2g units at the skin, measured when it was compressed\n",
               (double)asset.anim->max_error);
        printf("  bytes for sampling %zu, %.2f for each joint and frame\n", asset.anim->packed_size,
               (double)asset.anim->packed_size / joint_frames);
        printf("  bytes in memory    %zu\n", asset.anim->size);
    } else if (asset.anim) {
        const uint32_t joints = asset.anim->skeleton.num_joints;
        print_title(path, "md5anim");
        printf("  joints             %u\n", joints);
        printf("  frames             %u\n", asset.anim->num_frames);
        printf("  frame rate         %g a second\n", asset.anim->frame_rate);
        printf("  seconds            %g\n", asset.anim->duration);
        printf("  components         %u a frame\n", asset.anim->num_components);
        printf("  constant tracks    %u of %u rotations, %u of %u translations\n",
               joints - asset.anim->num_rotations, joints, joints - asset.anim->num_translations,
               joints);
        print_bounds("bounds", all_frames(asset.anim));
        printf("  bytes in memory    %zu\n", asset.anim->size);
        printf("  warnings           %u\n", asset.anim->num_warnings);
    }
    if (asset.camera) {
        print_title(path, "md5camera");
        printf("  frames             %u\n", asset.camera->num_frames);
        printf("  frame rate         %g a second\n", asset.camera->frame_rate);
        printf("  seconds            %g\n", asset.camera->duration);
        printf("  cuts               %u, %u with a view of its own\n", asset.camera->num_cuts,
               asset.camera->num_cut_views);
        printf("  bytes in memory    %zu\n", asset.camera->size);
        printf("  warnings           %u\n", asset.camera->num_warnings);
    }
    if (asset.character) {
        const md5_machine_desc *const desc = md5_machine_tables(asset.character->machine);
        print_title(path, "md5machine");
        fputs("  name               ", stdout);
        common_print_text(stdout, desc->name);
        putchar('\n');
        printf("  clips              %u\n", desc->num_clips);
        printf("  motions            %u\n", desc->num_motions);
        printf("  masks              %u\n", desc->num_masks);
        printf("  modifiers          %u\n", desc->num_modifiers);
        for (uint32_t i = 0; i < desc->num_parameters; i++) {
            static const char *const kinds[] = {"float", "bool", "trigger"};
            printf("  parameter          %s ", kinds[desc->parameters[i].kind]);
            common_print_text(stdout, desc->parameters[i].name);
            putchar('\n');
        }
        for (uint32_t i = 0; i < desc->num_layers; i++) {
            fputs("  layer              ", stdout);
            common_print_text(stdout, desc->layers[i].name);
            printf(", %u states, %u transitions\n", desc->layers[i].num_states,
                   desc->layers[i].num_transitions);
        }
    }
    if (asset.cube)
        print_cube(path, asset.cube);
    tool_free(&asset);
    return true;
}

int tool_info(int count, char **arguments)
{
    const int num_files = tool_read_arguments("info", count, arguments, NULL, 0, 1, count, "files");
    int status = num_files < 0 ? TOOL_BAD_USAGE : TOOL_OK;
    for (int i = 0; i < num_files; i++) {
        if (!print_file(arguments[i]))
            status = TOOL_BAD_FILE;
    }
    return status;
}
