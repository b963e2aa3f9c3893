// The menu bar, context menus and the command search (Ctrl+P). All of them are generated from the
// table of commands in ../base/commands.c. A view_menus is the state of the open menu.
#ifndef DEMO_VIEWER_UI_MENU_H
#define DEMO_VIEWER_UI_MENU_H

#include "demo/viewer/ui/ui.h"

typedef enum view_menu_kind {
    VIEW_NO_MENU,
    VIEW_MENU_OF_BAR,
    VIEW_MENU_OF_CONTEXT, // context menu of the clicked item
    VIEW_MENU_SEARCH,
} view_menu_kind;

enum { VIEW_NUM_USED = 16 };

// The commands that were used last. The command search lists them before others.
typedef struct view_used_commands {
    const view_menu_entry *entries[VIEW_NUM_USED]; // ring buffer
    size_t count;
} view_used_commands;

// The open menu: a menu of the bar, a context menu or the command search. A submenu is open if
// `group` is not empty.
typedef struct view_menus {
    view_menu_kind kind;
    view_menu menu; // selected menu of the bar
    view_target target;
    float x;                    // left edge, pixels
    float y;                    // top edge, pixels
    char group[192];            // name of the open submenu; "": none
    const view_menu_entry *row; // first entry of `group`, or the entry whose list it displays
    size_t selected;            // line that the keys selected; SIZE_MAX: none
    size_t first;               // topmost visible line
    size_t inner_first;         // topmost visible line of the submenu
    float last_x;               // previous position of the mouse
    char text[256];             // search text
    view_used_commands used;
} view_menus;

// Opens a menu at (x, y), in pixels: a context menu, the first menu of the bar, or the search.
// After this call, set `target` for a context menu, or `menu` for another menu of the bar.
void view_open_menu(view_ui *ui, view_menus *menus, view_menu_kind kind, float x, float y);

// Closes the open menu.
void view_close_menu(view_ui *ui, view_menus *menus);

// Writes entry `number` of a list: its name, and the value that an option is set to. The value of a
// clip or a mesh is its index. Returns false if the list has no such entry.
bool view_list_item(const view_stage *stage, view_menu_list list, const view_option *option,
                    size_t number, char name[128], common_value *value);

// Draws the menu bar and the open menu, and handles their input.
void view_menu_panel(view_ui *ui, view_menus *menus);

// Returns the VIEW_NEEDS_* bits that the document satisfies.
uint32_t view_found_needs(const view_document *document);

// Returns the VIEW_NEEDS_* bits that a command requires and the document, its environment and the
// undo history do not satisfy.
uint32_t view_missing_needs(const view_stage *stage, const view_menu_entry *entry);

#endif
