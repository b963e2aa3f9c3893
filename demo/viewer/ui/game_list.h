// The contents of a game folder or an archive as a list: entities, models, clips and skins.
#ifndef DEMO_VIEWER_UI_GAME_LIST_H
#define DEMO_VIEWER_UI_GAME_LIST_H

#include "demo/viewer/assets/library.h"
#include "demo/viewer/ui/browser.h"

// Lists a section of a library. `shown`: the name of what is shown, which is chosen, or NULL.
void view_list_section(view_browser *browser, const view_library *library, view_section section,
                       const char *shown);

// Lists the clips of the scene's entity for one of its channels, and an entry to end what it plays,
// whose clip is SIZE_MAX.
void view_list_channel(view_browser *browser, const view_scene *scene, md5_channel channel);

// Lists nothing yet: the library of `place` is being opened.
void view_list_scan(view_browser *browser, const char *place, size_t num_files);

// The first section that has names; VIEW_ENTITIES if none has.
view_section view_first_section(const view_library *library);

#endif
