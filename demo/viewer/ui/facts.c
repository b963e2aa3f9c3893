// Which parts of the interface are currently shown.
#include "demo/viewer/ui/panels.h"

// In layout units: in smaller windows, panels of full width leave no space between them.
static const float compact_below = 1000.0f;

bool view_is_compact(const view_facts *facts)
{
    return facts->width < compact_below * facts->stage.font->scale;
}

bool view_shows_machine(const view_facts *facts)
{
    return view_mode_of(facts->stage.document) == VIEW_MODE_MACHINE && !facts->stage.shown->help
           && !facts->stage.shown->hierarchy;
}

bool view_shows_bar(const view_facts *facts)
{
    return !view_shows_machine(facts) && view_clock(&facts->stage.document->scene) != NULL;
}
