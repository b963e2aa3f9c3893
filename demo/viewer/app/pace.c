#include "demo/viewer/app/pace.h"

#include <math.h>

// Handling an event takes less, unless it opens a file.
static const double long_work = 0.1;
static const double longest_frame = 10.0;

double view_pace_frame(view_pace *pace, double now)
{
    const double passed = now - pace->last - pace->held;
    pace->last = now;
    pace->held = 0.0;
    return fmin(fmax(passed, 0.0), longest_frame);
}

void view_pace_work(view_pace *pace, double seconds, bool moving)
{
    if (!moving || seconds > long_work)
        pace->held += seconds;
}
