// The page of the selected mesh in the inspector. It shows the maps of the mesh, the locations that
// were searched for them, images of any folder to replace them, and the defects of the mesh.
#ifndef DEMO_VIEWER_UI_TEXTURES_H
#define DEMO_VIEWER_UI_TEXTURES_H

#include "demo/viewer/ui/ui.h"

// Statistics and defects of a mesh, computed when the mesh is first displayed.
typedef struct view_mesh_stats {
    const md5_mesh *mesh;    // the mesh with these statistics, or NULL
    uint32_t num_joints;     // joints that influence the mesh
    uint32_t min_influences; // minimum number of influences per vertex
    view_mesh_defects faults;
} view_mesh_stats;

// The state of the page of the selected mesh. A map is an image for one property of the surface,
// for example the diffuse color or the normals.
typedef struct view_texture_panel {
    uint32_t column;  // index of the selected map
    uint32_t hovered; // 1 + index of the map under the mouse; 0: none
    view_mesh_stats stats;
    char *offered;    // path of a dropped image whose map is not selected yet, or NULL
    char *saved;      // path for the next save, or NULL
    bool replaces;    // `saved` is an existing file
    bool takes_focus; // the tile of the selected map gets the keyboard focus in the next run
} view_texture_panel;

// Forgets the dropped image and the path for the next save.
void view_clear_textures(view_texture_panel *panel);

// Draws the page of the selected mesh and handles its input, if a mesh is selected.
void view_mesh_page(view_ui *ui, view_texture_panel *panel);

#endif
