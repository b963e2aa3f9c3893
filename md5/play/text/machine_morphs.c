// What drives morph targets, in a machine file.
#include "md5/play/text/machine_blocks.h"

#define MORPH(member) AT(md5_morph_desc, member)

static const md5_field MORPH_FIELDS[] = {
    {"weight", MD5_FIELD_DEFAULTED, MORPH(weight)},
};

// ( FRAME WEIGHT ... )
static bool read_keys(md5_lex *lex, const char *at, md5_record record)
{
    static const md5_field frame = {"frame", MD5_FIELD_COUNT, AT(md5_morph_key, frame)};
    static const md5_field weight = {"weight", MD5_FIELD_FLOAT, AT(md5_morph_key, weight)};
    md5_morph_desc *const morph = (md5_morph_desc *)record.row;
    TRY(md5i_lex_expect(lex, '('));
    while (!md5i_lex_take(lex, ')')) {
        const md5_record key =
            md5i_append(lex, record, &morph->keys, &morph->num_keys, sizeof *morph->keys);
        TRY(key.row);
        TRY(md5i_read_field(lex, &frame, at, key));
        TRY(md5i_read_field(lex, &weight, at, key));
    }
    return true;
}

// parameter PARAMETER, state LAYER STATE, or clip CLIP ( FRAME WEIGHT ... )
static bool read_drive(md5_lex *lex, const char *at, md5_record record)
{
    md5_morph_desc *const morph = (md5_morph_desc *)record.row;
    if (md5i_take_keyword(lex, "parameter"))
        return md5i_read_name(lex, record, "a parameter", &morph->parameter);
    morph->drive = MD5_MORPH_BY_STATE;
    if (md5i_take_keyword(lex, "state")) {
        TRY(md5i_read_name(lex, record, "a layer", &morph->layer));
        return md5i_read_name(lex, record, "a state", &morph->state);
    }
    morph->drive = MD5_MORPH_BY_CLIP;
    if (md5i_take_keyword(lex, "clip")) {
        TRY(md5i_read_name(lex, record, "a clip", &morph->clip));
        return read_keys(lex, at, record);
    }
    md5_lex_space(lex);
    return md5i_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX,
                         "expected 'parameter', 'state' or 'clip', found %s",
                         md5i_lex_token(lex, lex->at).text);
}

// morph TARGET DRIVE [{ weight NUMBER }]
bool md5i_read_morph_block(md5_lex *lex, const char *at, md5_record record)
{
    md5_machine_desc *const desc = &((md5_machine_file *)record.row)->desc;
    const md5_record added =
        md5i_append(lex, record, &desc->morphs, &desc->num_morphs, sizeof *desc->morphs);
    md5_morph_desc *const morph = (md5_morph_desc *)added.row;
    TRY(morph);
    TRY(md5i_read_name(lex, added, "the name of a morph target", &morph->target));
    TRY(read_drive(lex, at, added));
    return md5i_read_optional_fields(lex, WORDS("a morph", MORPH_FIELDS, 0), added);
}
