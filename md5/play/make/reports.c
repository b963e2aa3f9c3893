// The events that a machine reports besides those of clips, ready to be delivered.
#include "md5/play/make/reports.h"

// The events of one state, in the order of their kinds.
static void make_state_events(const md5_layer_desc *of, uint32_t layer, uint32_t state,
                              md5_event *events)
{
    for (uint32_t i = 0; i < MD5_STATE_EVENTS; i++)
        events[i] = (md5_event){
            .name = of->states[state].name,
            .text = of->name,
            .kind = (md5_event_kind)(MD5_EVENT_ENTER + i),
            .layer = layer,
            .index = state,
        };
}

void md5i_place_reports(md5_block *block, const md5_machine_desc *desc, md5_machine *machine)
{
    const md5_machine_desc *const tables = &machine->tables; // whose names last
    const md5_report_desc *const report = &desc->report;
    machine->reports_states = report->enter || report->leave || report->transition_end;
    machine->state_events =
        (md5_event *)md5i_block_take(block, machine->reports_states ? machine->num_states : 0,
                                     MD5_STATE_EVENTS * sizeof *machine->state_events);
    machine->clip_ends = (md5_event *)md5i_block_take(block, report->clip_end ? desc->num_clips : 0,
                                                      sizeof *machine->clip_ends);
    if (!block->base) // measuring
        return;
    for (uint32_t i = 0; machine->reports_states && i < tables->num_layers; i++) {
        for (uint32_t k = 0; k < tables->layers[i].num_states; k++)
            make_state_events(&tables->layers[i], i, k,
                              machine->state_events
                                  + MD5_STATE_EVENTS * (machine->layers[i].first_state + k));
    }
    for (uint32_t i = 0; report->clip_end && i < tables->num_clips; i++)
        machine->clip_ends[i] = (md5_event){
            .name = tables->clips[i].name, .text = "", .kind = MD5_EVENT_CLIP_END, .index = i};
}
