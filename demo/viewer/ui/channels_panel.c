// The panel of an entity's channels: what each plays, and the frame commands that fired last.
#include "demo/viewer/ui/panels.h"

#include "demo/viewer/motion/entity.h"

#include <math.h>
#include <string.h>

// In layout units.
static const float box_width = 250.0f, compact_width = 176.0f, label_width = 64.0f;

bool view_shows_channels(const view_facts *facts)
{
    const view_stage *const stage = &facts->stage;
    return view_channels_of(&stage->document->scene) != NULL && !stage->shown->help
           && !stage->shown->hierarchy && !stage->shown->light_list;
}

static void add_channel(const view_entity *of, md5_channel channel, view_rows *rows)
{
    const char *const name = view_channel_name(channel);
    const int32_t clip = of->channels[channel].clip;
    const bool has_focus = channel == of->focus && clip >= 0;
    if (clip < 0)
        view_add_row(rows, VIEW_ROW_PAIR, VIEW_DIM, name, "\xE2\x80\x94");
    else
        view_add_row(rows, VIEW_ROW_PAIR, has_focus ? VIEW_BRIGHT : VIEW_PLAIN, name, "%s  %.2f",
                     of->entity->clips[clip].anim->name,
                     0.001 * md5_actor_channel(of->parts[0].actor, channel).time);
    rows->rows[rows->count - 1].fixed = true; // changes in every frame
    view_make_hit(rows, (int32_t)channel + 1, has_focus ? "time" : "");
}

static void add_fired(const view_entity *of, int num_rows, view_rows *rows)
{
    const double lifetime = 1.5;
    for (int i = 0; i < num_rows; i++) {
        const view_fired *const fired = &of->fired[i];
        const bool is_fresh = fired->text[0] != '\0' && fabs(of->time - fired->time) < lifetime;
        view_add_row(rows, VIEW_ROW_TEXT, i == 0 ? VIEW_ACCENT : VIEW_DIM, "", "%s",
                     is_fresh ? fired->text : "");
        rows->rows[rows->count - 1].fixed = true;
    }
}

static void list_channels(const view_facts *facts, view_rows *rows)
{
    const view_entity *const of = view_channels_of(&facts->stage.document->scene);
    const bool compact = view_is_compact(facts);
    const float scale = facts->stage.font->scale;
    rows->font = facts->stage.font;
    rows->width = (compact ? compact_width : box_width) * scale;
    rows->label_width = label_width * scale;
    rows->count = 0;
    view_add_row(rows, VIEW_ROW_TITLE, VIEW_BRIGHT, "", "Channels");
    for (int c = 0; c < MD5_NUM_CHANNELS; c++)
        if (view_has_channel(of, (md5_channel)c))
            add_channel(of, (md5_channel)c, rows);
    view_add_gap(rows);
    add_fired(of, compact ? 2 : VIEW_FIRED, rows);
    view_add_gap(rows);
    view_add_row(rows, VIEW_ROW_TEXT, VIEW_DIM, "", "Click: choose a clip");
    view_wrap_rows(rows);
}

view_rect view_channels_box(const view_facts *facts)
{
    view_rows rows;
    list_channels(facts, &rows);
    const float scale = facts->stage.font->scale;
    const float box = rows.width + 2.0f * VIEW_PADDING * scale;
    return (view_rect){facts->width - VIEW_MARGIN * scale - box, VIEW_MARGIN * scale, box,
                       view_rows_height(&rows)};
}

// A click on the name of a channel shows its time; on what it plays, lists clips for it.
void view_channels_panel(view_ui *ui, const view_facts *facts)
{
    view_rows rows;
    list_channels(facts, &rows);
    const view_rect box = view_channels_box(facts);
    ui_begin(ui, "channel");
    const int32_t hit = ui_rows(ui, &rows, box.x, box.y);
    const float label_end = box.x + VIEW_PADDING * rows.font->scale + rows.label_width;
    if (hit > 0)
        ui_ask(ui,
               (view_command){.action = ui->x < label_end ? VIEW_SHOW_CHANNEL : VIEW_LIST_CHANNEL,
                              .item = (uint32_t)hit - 1});
}
