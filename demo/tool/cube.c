// md5tool with an md5.cfg, the description of a model of Cube 2's engines.
#include "demo/common/text.h"
#include "demo/tool/tool.h"

#include <stdio.h>
#include <string.h>

// -- Summary --------------------------------------------------------------------------------------

static void print_named(const char *label, const char *name)
{
    printf("  %-18s ", label);
    common_print_text(stdout, name);
}

static void print_part(const md5_cube2_part *part)
{
    print_named("mesh", part->mesh);
    printf("\n    animations       %u, %u masks, %u adjustments\n", part->num_anims,
           part->num_masks, part->num_adjustments);
    printf("    tags             %u\n", part->num_tags);
    printf("    looks            %u lines\n", part->num_rows);
    for (uint32_t i = 0; i < part->num_anims; i++) {
        const md5_cube2_anim *const anim = &part->anims[i];
        print_named("  animation", anim->names);
        fputs(", ", stdout);
        common_print_text(stdout, anim->file);
        printf(", %g a second\n", (double)anim->frame_rate);
    }
}

void tool_print_cube(const char *path, const md5_cube2 *cube)
{
    common_print_text(stdout, path);
    puts(": md5.cfg");
    printf("  parts              %u, %u links\n", cube->num_parts, cube->num_links);
    printf("  scale              %g\n", (double)cube->scale);
    printf("  other settings     %u\n", cube->num_settings);
    printf("  warnings           %u\n", cube->num_warnings);
    for (uint32_t i = 0; i < cube->num_parts; i++)
        print_part(&cube->parts[i]);
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
    if (name[0] && md5_find_joint(&check->model->skeleton, name) < 0)
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
        if (strcmp(mesh, "*") != 0 && md5_find_mesh(check->model, mesh) < 0)
            report_name(check, "no mesh has the name", mesh);
    }
}

// Loads each file once, however often it is named in a row.
static void check_anims(const cube_check *check, const md5_cube2_part *part)
{
    const char *before = "";
    for (uint32_t i = 0; i < part->num_anims; i++) {
        const char *const file = part->anims[i].file;
        md5_error error;
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
        md5_error error;
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
