// Textures that the user chose for meshes in the window. The configuration file stores them.
#ifndef DEMO_VIEWER_BASE_CHOSEN_H
#define DEMO_VIEWER_BASE_CHOSEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { VIEW_MAX_CHOSEN = 64 };

typedef struct view_chosen {
    char *model, *file; // absolute paths; file NULL: the choice was forgotten
    uint32_t mesh;      // number in the model
    bool is_new;        // not in the configuration file yet
} view_chosen;

typedef struct view_chosen_list {
    view_chosen rows[VIEW_MAX_CHOSEN]; // the latest first
    size_t count;
} view_chosen_list;

// Stores a choice, in place of an earlier one for the same mesh; if the list is full, in place of
// the oldest. `file` NULL: forgets the choice.
void view_choose_texture(view_chosen_list *list, const char *model, uint32_t mesh,
                         const char *file);

bool view_has_new_choices(const view_chosen_list *list);

// Applies what is new in `list` to the choices that the configuration file has by now, and takes
// those over. `stored` becomes empty.
void view_merge_chosen(view_chosen_list *list, view_chosen_list *stored);

// Call it when all is in the configuration file: nothing is new any more.
void view_settle_chosen(view_chosen_list *list);

// The file that was chosen for a mesh, or NULL. `list` may be NULL.
const char *view_chosen_texture(const view_chosen_list *list, const char *model, uint32_t mesh);

// Adds a choice behind the others, from "MESH FILE<tab>MODEL"; writes one like that. Reading
// returns false if the text is invalid.
bool view_read_chosen(view_chosen_list *list, const char *text);
char *view_write_chosen(const view_chosen *chosen); // free it

void view_free_chosen(view_chosen_list *list);

#endif
