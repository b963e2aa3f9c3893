// Commands about textures: opens the list of the textures of a mesh, assigns images to maps of
// meshes, and saves the materials.
#include "demo/viewer/jobs/view.h"

void view_open_textures(view_state *viewer, uint32_t mesh)
{
    const md5_model *const model = viewer->document->scene.model;
    if (model == NULL || mesh >= model->num_meshes)
        return;
    view_select_mesh(&viewer->ui, viewer->uptime, mesh);
    viewer->ui.folded &= ~(1u << UI_SECTION_TEXTURES);
    view_set_switch(viewer, VIEW_OPTION(shown.panel), true);
    view_set_switch(viewer, VIEW_OPTION(shown.inspector), true);
    viewer->ui.docks.is_sheet_open = true;
    viewer->ui.docks.is_folded = false;
}

uint32_t view_selected_texture_mesh(const view_state *viewer)
{
    const view_selection *const selection = &viewer->ui.selection;
    if (selection->mesh >= 0)
        return (uint32_t)selection->mesh;
    return selection->pick.is_set ? selection->pick.mesh : 0;
}

// Returns the new value of the option of a map, such as --texture, after the image of one mesh is
// replaced. It consists of the present entries of all other meshes, then the entry MESH=PATH. If
// `path` is NULL, the mesh gets no entry. The caller frees the text.
static char *write_map_option(const view_state *viewer, size_t mesh, md5gl_image_kind map,
                              const char *path)
{
    const md5_model *const model = viewer->document->scene.model;
    char *text = common_copy("");
    for (size_t i = 0; i < viewer->options->maps[map].count; i++) {
        const char *const entry = viewer->options->maps[map].names[i]; // [MESH=]PATH
        const char *const equals = strchr(entry, '=');
        const bool is_of_mesh =
            equals != NULL && view_is_mesh(model, (uint32_t)mesh, entry, (size_t)(equals - entry));
        if (!is_of_mesh)
            common_extend(&text, "%s\n", entry);
    }
    if (path != NULL)
        common_extend(&text, "%zu=%s\n", mesh, path);
    return text;
}

void view_assign_texture(view_state *viewer, size_t mesh, md5gl_image_kind map, const char *path)
{
    const view_option *const option = view_get_map_option(map);
    if (mesh >= viewer->document->textures.num_meshes || option == NULL)
        return;

    // The entries of the option are separated by line breaks.
    char *const full_path = path != NULL ? common_absolute(path) : NULL;
    if (full_path != NULL && strchr(full_path, '\n') != NULL) {
        view_notice(viewer, "File names with line breaks are not supported");
        free(full_path);
        return;
    }
    char *const entries = write_map_option(viewer, mesh, map, full_path);
    free(full_path);
    free(viewer->panels.textures.offered);
    viewer->panels.textures.offered = NULL;

    const bool is_set = view_set_option(viewer, option, common_text_value(entries));
    free(entries);
    if (!is_set) {
        view_notice(viewer, "Cannot read %s; %s of mesh %zu is unchanged",
                    path != NULL ? common_base(path) : "the image", view_map_name(map), mesh);
        return;
    }
    view_notice(viewer, "%s of mesh %zu: %s", view_map_name(map), mesh,
                path != NULL ? common_base(path) : "automatic");
}

void view_save_textures(view_state *viewer, bool is_sure)
{
    view_texture_panel *const panel = &viewer->panels.textures;
    const view_textures *const textures = &viewer->document->textures;
    char *const confirmed_path = panel->saved;
    panel->saved = NULL;
    char *const path = view_materials_path(textures);
    if (path == NULL) {
        view_notice(viewer, "Cannot save materials into an archive");
        free(confirmed_path);
        return;
    }

    const bool exists = common_is_file(path);
    const bool is_same_path = confirmed_path != NULL && strcmp(path, confirmed_path) == 0;
    const bool is_confirmed = is_sure && is_same_path && panel->replaces == exists;
    free(confirmed_path);
    if (!is_confirmed) {
        view_open_textures(viewer, view_selected_texture_mesh(viewer));
        panel->saved = path;
        panel->replaces = exists;
        return;
    }
    const uint32_t count =
        view_save_materials(textures, viewer->document->scene.model, &viewer->log);
    view_notice(viewer, count > 0 ? "Saved %s" : "Cannot save %s, see Problems", path);
    free(path);
}
