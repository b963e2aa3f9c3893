// The dialog of all options and keyboard shortcuts, and the tab "Display" of touch screens.
#ifndef DEMO_VIEWER_UI_SETTINGS_H
#define DEMO_VIEWER_UI_SETTINGS_H

#include "demo/viewer/ui/card.h"

// Draws the dialog of the settings: the modified options, all other options by group, and the
// keyboard shortcuts. Also handles its input. While view_shown.help is set, it lists only the
// shortcuts.
void view_settings_panel(view_ui *ui, view_card *card);

// Lists the shortcuts that affect the document, as the help displays them. Returns the number of
// lines.
uint32_t view_current_keys(const view_document *document, view_key_line lines[VIEW_MAX_KEY_LINES]);

// Draws the tab "Display" of a touch screen, with the options of the display and the light. Also
// handles its input.
void view_display_panel(view_ui *ui, view_card *card, view_rect area);

#endif
