// Changes of options while the document is shown, and undo (ask.c).
#ifndef DEMO_VIEWER_JOBS_UNDO_H
#define DEMO_VIEWER_JOBS_UNDO_H

#include "demo/viewer/draw/draw.h"

typedef struct view_state view_state;

// Limits of undo: number of steps, and bytes of the texts in the options of all steps.
enum { VIEW_MAX_STEPS = 201, VIEW_MAX_STEP_BYTES = 256 << 10 };

typedef struct view_undo {
    view_step *steps; // [num_steps] the first step is the state after opening
    size_t num_steps;
    size_t step;       // index of the shown step
    double step_time;  // time of the last step
    bool merges_steps; // a further change soon after the last step is merged into it
} view_undo;

// Sets an option to a value and applies its effect; see view_set_value(). If an option may be
// repeated, a text without a line break is added to its values. Loads the model again if the option
// affects loading. On failure, shows a notice or an error and changes nothing.
bool view_set_option(view_state *viewer, const view_option *option, common_value value);

// Sets the field of a switch; see view_set_option().
void view_set_switch(view_state *viewer, const view_option *option, bool is_on);

// Executes the command VIEW_SET. A command without a value does nothing.
void view_execute_set(view_state *viewer, const view_command *command);

// When the mouse has rested on a list item long enough, view_update_hover_preview() shows the item
// as a preview. It ends the preview when the mouse has left. It returns true if the image changes.
// view_end_hover_preview() restores the state before the preview.
bool view_update_hover_preview(view_state *viewer);
void view_end_hover_preview(view_state *viewer);

// Closes the card, which is the dialog of a command. Resets its options to their values before it
// was opened. With `is_reset`, resets them to their defaults instead.
void view_revert_card(view_state *viewer, bool is_reset);

// Stores changes of options as a step that can be undone. It finds changes by comparing all
// options, so commands need no code for undo. Call it after each event.
void view_store_step(view_state *viewer);

// view_clear_steps() removes all steps; the next call of view_store_step() stores the first.
void view_clear_steps(view_state *viewer);
void view_free_step(view_step *step);

// Shows step `number`, if it exists: undo and redo.
void view_show_step(view_state *viewer, size_t number);

// Resets all settings that can be undone to their defaults, and deletes the stored settings of the
// document. With VIEW_RESET_ALL, deletes nothing. With VIEW_CLEAR_ALL_SETTINGS, only deletes the
// stored settings, of all files.
void view_reset_settings(view_state *viewer, view_action action);

// Writes the current state into the options, from which settings and undo steps are made.
void view_update_options(view_state *viewer);

// Applies the options to the current state.
void view_apply_options(view_state *viewer);

#endif
