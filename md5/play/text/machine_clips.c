// Clips of a machine file, with their events.
#include "md5/play/text/machine_blocks.h"

static const md5_field *find_clip_field(md5_span word);

// Where the text of an event ends: at the end of the line, a comment, or a brace.
static bool ends_event(const md5_lex *lex, const char *at)
{
    if (at == lex->end || *at == '\n' || *at == '\r' || *at == '}')
        return true;
    return lex->end - at > 1 && at[0] == '/' && (at[1] == '/' || at[1] == '*');
}

// The word that begins at `at`; size 0 if none does.
static md5_span word_at(const md5_lex *lex, const char *at)
{
    if ((unsigned char)at[-1] > ' ') // `at` is never the first of a text
        return (md5_span){at, 0};
    const char *const end = md5i_lex_word_end(lex, at);
    const bool ends = end == lex->end || (unsigned char)*end < 0x80;
    return (md5_span){at, ends ? (size_t)(end - at) : 0};
}

// `frame` and `markers`, which need more behind them, end the text. Any other word of a clip could
// be meant as text or as itself.
static bool read_bare_event_text(md5_lex *lex, const char **text)
{
    const char *const start = lex->at;
    const char *end = start;
    for (; !ends_event(lex, lex->at); lex->at++) {
        const md5_field *const field = find_clip_field(word_at(lex, lex->at));
        if (field && field->kind == MD5_FIELD_BLOCK)
            break;
        if (field)
            return md5i_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX,
                                 "%s in the text of an event: put it on its own line, "
                                 "or the text in quotes",
                                 md5i_lex_token(lex, lex->at).text);
        if ((unsigned char)*lex->at > ' ')
            end = lex->at + 1;
    }
    *text = md5i_copy_text(lex, start, (size_t)(end - start));
    return *text != NULL;
}

// In quotes the text of an event may be anything.
static bool read_event_text(md5_lex *lex, const char **text)
{
    while (lex->at < lex->end && (*lex->at == ' ' || *lex->at == '\t'))
        lex->at++;
    if (lex->at == lex->end || (*lex->at != '"' && *lex->at != '\''))
        return read_bare_event_text(lex, text);
    md5_span quoted;
    TRY(md5i_lex_string(lex, &quoted));
    *text = md5i_copy_text(lex, quoted.bytes, quoted.size);
    return *text != NULL;
}

// On the line of its frame, so that a name left out does not take the next word of the clip.
static bool read_event_name(md5_lex *lex, md5_record record, const char **name)
{
    const char *const start = lex->at;
    md5i_lex_blanks(lex);
    for (const char *at = start; at < lex->at; at++) {
        if (*at == '\n' || *at == '\r')
            return md5i_lex_fail(lex, at, MD5_ERROR_SYNTAX,
                                 "expected the name of an event, found the end of the line");
    }
    if (md5_span_is(word_at(lex, lex->at), "frame"))
        return md5i_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX,
                             "expected the name of an event, found 'frame'");
    return md5i_read_name(lex, record, "the name of an event", name);
}

// frame N NAME [TEXT]
static bool read_event(md5_lex *lex, const char *at, md5_record record)
{
    md5_clip_desc *const clip = (md5_clip_desc *)record.row;
    static const md5_field number = {"frame", MD5_FIELD_COUNT, AT(md5_event, frame)};
    const md5_record added =
        md5i_append(lex, record, &clip->events, &clip->num_events, sizeof *clip->events);
    md5_event *const event = (md5_event *)added.row;
    TRY(event);
    TRY(md5i_read_field(lex, &number, at, added));
    TRY(read_event_name(lex, added, &event->name));
    return read_event_text(lex, &event->text);
}

// markers ( N N ... )
static bool read_markers(md5_lex *lex, const char *at, md5_record record)
{
    md5_clip_desc *const clip = (md5_clip_desc *)record.row;
    static const md5_field number = {.word = "marker", .kind = MD5_FIELD_COUNT};
    TRY(md5i_lex_expect(lex, '('));
    while (!md5i_lex_take(lex, ')')) {
        const md5_record marker =
            md5i_append(lex, record, &clip->markers, &clip->num_markers, sizeof *clip->markers);
        TRY(marker.row);
        TRY(md5i_read_field(lex, &number, at, marker));
    }
    return true;
}

#define CLIP(member) AT(md5_clip_desc, member)
static const md5_field CLIP_FIELDS[] = {
    {"closed", MD5_FIELD_CHOICE, CLIP(period), .value = MD5_PERIOD_CLOSED},
    {"open", MD5_FIELD_CHOICE, CLIP(period), .value = MD5_PERIOD_OPEN},
    {"linear", MD5_FIELD_CHOICE, CLIP(interpolation), .value = MD5_INTERPOLATE_LINEAR},
    {"step", MD5_FIELD_CHOICE, CLIP(interpolation), .value = MD5_INTERPOLATE_STEP},
    {"cubic", MD5_FIELD_CHOICE, CLIP(interpolation), .value = MD5_INTERPOLATE_CUBIC},
    {"nlerp", MD5_FIELD_CHOICE, CLIP(interpolation), .value = MD5_INTERPOLATE_NLERP},
    {"move", MD5_FIELD_CHOICE, CLIP(extract), .value = MD5_EXTRACT_MOVE},
    {"walk", MD5_FIELD_CHOICE, CLIP(extract), .value = MD5_EXTRACT_WALK},
    {"turn", MD5_FIELD_CHOICE, CLIP(extract), .value = MD5_EXTRACT_TURN},
    {"frame", MD5_FIELD_BLOCK, .read = read_event},
    {"markers", MD5_FIELD_BLOCK, .read = read_markers},
};

static const md5_field *find_clip_field(md5_span word)
{
    return md5i_find_field(WORDS("a clip", CLIP_FIELDS, 0), word);
}

// clip NAME FILE [{ ... }]
bool md5i_read_clip_block(md5_lex *lex, const char *at, md5_record record)
{
    md5_machine_file *const source = (md5_machine_file *)record.row;
    const md5_record added =
        md5i_append(lex, record, &source->clips, &source->desc.num_clips, sizeof *source->clips);
    md5_clip_desc *const clip = (md5_clip_desc *)added.row;
    (void)at;
    TRY(clip);
    TRY(md5i_read_name(lex, added, "the name of a clip", &clip->name));
    TRY(md5i_read_name(lex, added, "the file of a clip", &clip->file));
    return md5i_read_optional_fields(lex, WORDS("a clip", CLIP_FIELDS, 0), added);
}
