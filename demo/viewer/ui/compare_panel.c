// How far the joints are from those of what the pose is compared with, among the figures.
#include "demo/viewer/ui/panels.h"

static void list_peaks(const view_compare *compare, const md5_skeleton *skeleton, view_rows *rows)
{
    enum { LISTED = 8 };
    if (compare->measured == NULL)
        return;
    view_add_gap(rows);
    view_add_row(rows, VIEW_ROW_PAIR, VIEW_ACCENT, "Whole clip", "largest, at frame");
    for (uint32_t i = 0; i < compare->num_same && i < LISTED; i++) {
        const view_peak *const peak = &compare->peaks[i];
        view_add_row(rows, VIEW_ROW_PAIR, i == 0 ? VIEW_BRIGHT : VIEW_PLAIN,
                     skeleton->joints[peak->joint].name, "%.3f at %u  %.1f\xC2\xB0 at %u",
                     (double)peak->distance, (unsigned)peak->distance_frame, (double)peak->angle,
                     (unsigned)peak->angle_frame);
    }
}

void view_list_compare(const view_facts *facts, view_rows *rows)
{
    enum { LISTED = 8 };
    const view_document *const document = facts->stage.document;
    const view_compare *const compare = &document->compare;
    if (compare->model == NULL || view_shows_crowd(document))
        return;
    view_add_gap(rows);
    view_add_row(rows, VIEW_ROW_PAIR, VIEW_ACCENT, "Compared", "%s", compare->name);
    if (compare->num_same < compare->num_joints)
        view_add_row(rows, VIEW_ROW_PAIR, VIEW_AMBER, " ", "%u joints are not in it",
                     (unsigned)(compare->num_joints - compare->num_same));
    for (uint32_t i = 0; i < compare->num_same && i < LISTED; i++) {
        const view_difference *const difference = &compare->differences[i];
        view_add_row(rows, VIEW_ROW_PAIR, i == 0 ? VIEW_BRIGHT : VIEW_PLAIN,
                     document->scene.skeleton->joints[difference->joint].name, "%.3f  %.1f\xC2\xB0",
                     (double)difference->distance, (double)difference->angle);
        rows->rows[rows->count - 1].fixed = true; // changes in every frame
    }
    list_peaks(compare, document->scene.skeleton, rows);
}
