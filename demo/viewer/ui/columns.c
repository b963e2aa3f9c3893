// Where the panels at the right begin.
#include "demo/viewer/ui/panels.h"

#include <math.h>

float view_right_column(const view_facts *facts)
{
    float left = facts->width;
    if (facts->stage.shown->hierarchy && facts->stage.document->scene.skeleton != NULL)
        left = fminf(left, view_hierarchy_left(facts));
    else if (view_mode_of(facts->stage.document) == VIEW_MODE_MACHINE)
        left = fminf(left, view_machine_box(facts).x);
    else if (view_shows_channels(facts))
        left = fminf(left, view_channels_box(facts).x);
    return left;
}
