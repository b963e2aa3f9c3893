#include "md5/read/header.h"

static const struct {
    const char *word;
    unsigned kinds;
} top_words[] = {
    {"MD5Version", MD5_KIND_MESH | MD5_KIND_ANIM | MD5_KIND_CAMERA},
    {"commandline", MD5_KIND_MESH | MD5_KIND_ANIM | MD5_KIND_CAMERA},
    {"numJoints", MD5_KIND_MESH | MD5_KIND_ANIM},
    {"numMeshes", MD5_KIND_MESH},
    {"joints", MD5_KIND_MESH},
    {"mesh", MD5_KIND_MESH},
    {"numFrames", MD5_KIND_ANIM | MD5_KIND_CAMERA},
    {"frameRate", MD5_KIND_ANIM | MD5_KIND_CAMERA},
    {"numAnimatedComponents", MD5_KIND_ANIM},
    {"hierarchy", MD5_KIND_ANIM},
    {"bounds", MD5_KIND_ANIM},
    {"baseframe", MD5_KIND_ANIM},
    {"frame", MD5_KIND_ANIM},
    {"numCuts", MD5_KIND_CAMERA},
    {"cuts", MD5_KIND_CAMERA},
    {"camera", MD5_KIND_CAMERA},
    {"numbones", MD5_KIND_VERSION_6 | MD5_KIND_MESH},
    {"bone", MD5_KIND_VERSION_6 | MD5_KIND_MESH},
    {"nummeshes", MD5_KIND_VERSION_6 | MD5_KIND_MESH},
    {"numchannels", MD5_KIND_VERSION_6 | MD5_KIND_ANIM},
    {"channel", MD5_KIND_VERSION_6 | MD5_KIND_ANIM},
};

// The kinds of file that have the keyword `word` at the top level; 0 = none.
static unsigned word_kinds(md5_span word)
{
    const size_t shortest = sizeof "mesh" - 1;
    if (word.size < shortest)
        return 0;
    MD5_FOR (i, MD5_COUNT(top_words)) {
        if (md5_span_is(word, top_words[i].word))
            return top_words[i].kinds;
    }
    return 0;
}

bool md5i_is_top_word(md5_span word)
{
    return word_kinds(word) != 0;
}

static const char *kind_name(unsigned kinds)
{
    return kinds & MD5_KIND_MESH   ? "a model (.md5mesh)"
           : kinds & MD5_KIND_ANIM ? "an animation (.md5anim)"
                                   : "a camera (.md5camera)";
}

#ifdef MD5_NO_EXTRAS
#define is_foreign(lex, first) false
#else
// Files of other formats, by their first bytes, and what can be done with them.
static const struct {
    const char *begin, *name, *advice;
} foreign[] = {
    {"MD5RVersion", "a model of Quake 4 (.md5r)", "the game's assets have its .md5mesh"},
    {"INTERQUAKEMODEL", "an IQM model", "md5tool convert reads it"},
    {"IDP3", "a model of Quake III (.md3)", "md5tool convert reads it"},
    {"IDP2", "a model of Quake II (.md2)", "md5tool convert reads it"},
    {"IDPO", "a model of Quake (.mdl)", "md5tool convert reads it"},
    {"IDST", "a model of Half-Life (.mdl)", "Blender exports it as MD5"},
    {"glTF", "a binary glTF file", "md5tool convert reads it"},
    {"{\"asset\"", "a glTF file", "md5tool convert reads it"},
    {"Kaydara FBX", "an FBX file", "md5tool convert reads it"},
    {"; FBX", "an FBX file", "md5tool convert reads it"},
    {"BLENDER", "a file of Blender", "it exports MD5 with an add-on"},
    {"M5AI", "an asset file", "take what it was baked from here"},
    {"PK\3\4", "an archive (.pk4, .pk3, .zip)", "open it as a game folder"},
    {"PACK", "an archive (.pak)", "open it as a game folder"},
};

// Reports that a file is of a format of other programs, if it is.
static bool is_foreign(md5_lex *lex, const char *first)
{
    MD5_FOR (i, MD5_COUNT(foreign)) {
        const size_t size = strlen(foreign[i].begin);
        if ((size_t)(lex->end - first) < size || memcmp(first, foreign[i].begin, size) != 0)
            continue;
        md5i_lex_fail(lex, first, MD5_ERROR_SYNTAX, "this is %s, not an MD5 file: %s",
                      foreign[i].name, foreign[i].advice);
        return true;
    }
    return false;
}
#endif

bool md5i_header_begin(md5_lex *lex, md5_header *header)
{
    enum { SHOWN = 16 };
    // By its first visible byte a file of another kind is told, so bytes from 0x80 on count here,
    // except those of a byte order mark.
    const char *first = lex->text;
    if (lex->end - first >= 3 && memcmp(first, "\xEF\xBB\xBF", 3) == 0)
        first += 3;
    while (first < lex->end && (unsigned char)*first <= ' ' && *first != '\0')
        first++;

    if (is_foreign(lex, first))
        return false;
    const md5_span word = md5i_lex_peek_word(lex);
    if (lex->arena->context->error.status != MD5_OK)
        return false;
    const bool is_binary = first < lex->end && (unsigned char)*first >= 0x80;
    if (lex->at == lex->end && !is_binary)
        return md5i_lex_fail(lex, lex->text, MD5_ERROR_SYNTAX,
                             "the file is empty: expected %s, which begins with 'MD5Version 10'",
                             kind_name(header->kind));
    if (!md5i_is_top_word(word)) {
        const size_t rest = (size_t)(lex->end - first);
        const md5_quoted start = md5i_quote(first, rest < SHOWN ? rest : SHOWN);
        return md5i_lex_fail(lex, first, MD5_ERROR_SYNTAX,
                             "not an MD5 file: expected 'MD5Version', found %s", start.text);
    }
    if (!md5_span_is(word, "MD5Version"))
        md5i_lex_warn(lex, lex->at, "the line 'MD5Version 10' is missing");
    return true;
}

// Whether a keyword of these kinds belongs to another version than that of the header.
static bool is_of_other_age(const md5_header *header, md5_span word, unsigned kinds)
{
    const bool is_old_word = (kinds & MD5_KIND_VERSION_6) != 0;
    return kinds != 0 && is_old_word != (header->version == MD5_VERSION_6)
           && !md5_span_is(word, "MD5Version") && !md5_span_is(word, "commandline");
}

static const char *age_of(unsigned kinds)
{
    return kinds & MD5_KIND_VERSION_6 ? "6, that of the 2002 alpha" : "10";
}

#ifndef MD5_ONLY_VERSION_10
void md5i_header_see(md5_lex *lex, md5_header *header, md5_span word)
{
    if (header->has_body || md5_span_is(word, "MD5Version") || md5_span_is(word, "commandline"))
        return;
    const unsigned kinds = word_kinds(word);
    header->has_body = kinds != 0;
    if (!header->version_at || !(kinds & (unsigned)header->kind)
        || !is_of_other_age(header, word, kinds))
        return;
    md5i_lex_warn(lex, header->version_at, "version %u, but %s belongs to version %s: read as that",
                  header->version, md5i_quote(word.bytes, word.size).text, age_of(kinds));
    header->version = kinds & MD5_KIND_VERSION_6 ? MD5_VERSION_6 : 10;
}
#endif

bool md5i_header_word(md5_lex *lex, md5_header *header, md5_span word)
{
    const unsigned kinds = word_kinds(word);
    if (!md5_span_is_name(word))
        return md5i_lex_fail_found(lex, "expected a keyword");
    if (is_of_other_age(header, word, kinds))
        return md5i_lex_fail(lex, lex->at, MD5_ERROR_VERSION, "%s belongs to version %s: %s",
                             md5i_quote(word.bytes, word.size).text, age_of(kinds),
                             header->version == MD5_VERSION_6 ? "this is version 6"
                             : header->version_at             ? "this is a later one"
                                                  : "the line 'MD5Version 6' is missing");
    if (kinds != 0 && !(kinds & (unsigned)header->kind))
        return md5i_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX, "this is %s, not %s: found %s",
                             kind_name(kinds), kind_name(header->kind),
                             md5i_quote(word.bytes, word.size).text);
    if (kinds == 0)
        md5i_lex_warn_token(lex, lex->at, "is unknown here: skipped with its values");
    lex->at += word.size;
    if (md5_span_is(word, "MD5Version")) {
        int64_t version;
        if (header->version_at)
            return md5i_lex_fail(lex, lex->at - strlen("MD5Version"), MD5_ERROR_SYNTAX,
                                 "'MD5Version' appears a second time");
        TRY(md5i_lex_int(lex, &version));
        header->version_at = lex->number_at;
#ifdef MD5_ONLY_VERSION_10
        if (version != 10)
            return md5i_lex_fail(lex, header->version_at, MD5_ERROR_VERSION,
                                 "MD5 version %lld cannot be read, only version 10 in this build",
                                 (long long)version);
#else
        const bool is_camera = header->kind == MD5_KIND_CAMERA;
        if (version != 10 && version != 12 && (version != MD5_VERSION_6 || is_camera))
            return md5i_lex_fail(lex, header->version_at, MD5_ERROR_VERSION,
                                 "MD5 version %lld cannot be read, only %s", (long long)version,
                                 !is_camera ? "versions 6, 10 and 12"
                                 : version == MD5_VERSION_6
                                     ? "10 and 12: cameras of the 2002 alpha are not known"
                                     : "versions 10 and 12");
#endif
        header->version = (uint32_t)version;
        return true;
    }
    if (md5_span_is(word, "commandline")) {
        header->has_command_line = true;
        return md5i_lex_text(lex, &header->command_line, "a command line in quotes");
    }
    return md5i_lex_skip_values(lex, md5i_is_top_word);
}

// -- More than was promised -----------------------------------------------------------------

// Looks ahead: what is wrong with a text that is not read is not reported.
typedef struct silent_lex {
    md5_lex lex;
    md5_arena arena;
    md5_context context;
} silent_lex;

static void look_ahead(silent_lex *silent, const md5_lex *lex)
{
    silent->context = *lex->arena->context;
    silent->context.warn = NULL;
    silent->context.held = NULL;
    silent->context.error.status = MD5_OK;
    silent->context.caller = NULL;
    silent->arena = (md5_arena){.context = &silent->context};
    silent->lex = *lex;
    silent->lex.arena = &silent->arena;
    silent->lex.join_strings = false; // so that nothing is allocated
}

static bool skip_parentheses(md5_lex *lex)
{
    float number;
    TRY(md5i_lex_take(lex, '('));
    while (!md5i_lex_take(lex, ')'))
        TRY(md5i_lex_float(lex, &number));
    return true;
}

// Steps over a part of a row: n a name, i a number, p numbers in parentheses, w a word, o words
// with such numbers.
static bool skip_part(md5_lex *lex, char part)
{
    float number;
    int64_t whole;
    md5_span name;
    if (part == 'n')
        return md5i_lex_joint_name(lex, &name);
    if (part == 'i')
        return md5i_lex_float(lex, &number) || md5i_lex_int(lex, &whole); // however large
    if (part == 'p')
        return skip_parentheses(lex);
    do {
        name = md5i_lex_peek_word(lex);
        if (!md5_span_is_name(name))
            return part == 'o';
        lex->at += name.size;
    } while (part == 'o' && skip_parentheses(lex));
    return part == 'w';
}

// Steps over so many rows at most, and returns the number of those that there are.
static size_t skip_rows(md5_lex *lex, const char *row, size_t max)
{
    for (size_t count = 0; count < max; count++) {
        for (const char *part = row; *part; part++) {
            if (!skip_part(lex, *part))
                return count;
        }
    }
    return max;
}

const char *md5i_find_in_rows(const md5_lex *lex, const char *start, const char *row, size_t item,
                              size_t part)
{
    silent_lex ahead;
    look_ahead(&ahead, lex);
    ahead.lex.at = start;
    skip_rows(&ahead.lex, row, item);
    for (size_t i = 0; i < part; i++)
        skip_part(&ahead.lex, row[i]);
    return md5i_lex_next(&ahead.lex);
}

bool md5i_end_rows(md5_lex *lex, const char *count_word, uint32_t count, const char *row)
{
    if (md5i_lex_take(lex, '}'))
        return true;
    silent_lex ahead;
    look_ahead(&ahead, lex);
    const size_t num_more = skip_rows(&ahead.lex, row, SIZE_MAX);
    if (num_more > 0)
        return md5i_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX, "%s is %u, but there are %llu",
                             count_word, count, (unsigned long long)count + num_more);
    return md5i_lex_fail_found(lex, "%s says %u, expected '}' after them", count_word, count);
}

bool md5i_fail_short(md5_lex *lex, const char *count_word, uint32_t count, uint32_t item)
{
    return md5i_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX, "%s says %u, found %s after %u",
                         count_word, count, md5i_lex_token(lex, lex->at).text, item);
}

#ifndef MD5_NO_WARNINGS
bool md5i_header_end(md5_lex *lex, const md5_header *header, const char *what,
                     const char *count_word, const md5_count *count)
{
    if (!header->has_command_line)
        md5i_lex_warn(lex, lex->text, "'commandline' is missing");
    // Steps over blocks, perhaps with a number before them.
    silent_lex ahead;
    uint32_t num_more = 0;
    look_ahead(&ahead, lex);
    while (md5i_lex_take_word(&ahead.lex, what)) {
        float number;
        if (md5i_lex_next(&ahead.lex) < ahead.lex.end && *ahead.lex.at != '{'
            && !md5i_lex_float(&ahead.lex, &number))
            break;
        if (md5i_lex_next(&ahead.lex) == ahead.lex.end || *ahead.lex.at != '{'
            || !md5i_lex_skip_values(&ahead.lex, md5i_is_top_word))
            break;
        lex->at = ahead.lex.at;
        num_more++;
    }
    const unsigned long long number = (unsigned long long)count->value + num_more;
    if (num_more == 1)
        md5i_lex_warn(lex, count->at, "%s is %u, but there are %llu: the last is not read",
                      count_word, count->value, number);
    else if (num_more > 1)
        md5i_lex_warn(lex, count->at, "%s is %u, but there are %llu: the last %u are not read",
                      count_word, count->value, number, num_more);
    if (lex->arena->context->error.status != MD5_OK)
        return false;
    // A comment without an end hides nothing here, as engines do not read on.
    look_ahead(&ahead, lex);
    const md5_span word = md5i_lex_peek_word(&ahead.lex);
    const md5_error *const broken = &ahead.context.error;
    lex->at = ahead.lex.at;
    if (broken->status != MD5_OK)
        md5i_warn(lex->arena->context, broken->line, broken->column, "%s", broken->message);
    if (lex->at == lex->end)
        return true;
    if (md5_span_is(word, "MD5Version") || md5_span_is(word, "commandline"))
        md5i_lex_warn(lex, lex->at, "another file begins here: it is not read");
    else
        md5i_lex_warn(lex, lex->at, "text after the last %s is ignored: found %s", what,
                      md5i_lex_token(lex, lex->at).text);
    return true;
}
#endif

bool md5i_read_count(md5_lex *lex, const char *word, uint32_t least, size_t bytes, md5_count *count)
{
    int64_t value;
    TRY(md5i_lex_int(lex, &value));
    if (count->at)
        return md5i_lex_fail(lex, lex->number_at, MD5_ERROR_SYNTAX, "'%s' appears a second time",
                             word);
    if (value < least)
        return md5i_lex_fail(lex, lex->number_at, MD5_ERROR_RANGE,
                             "%s is %lld: expected at least %u", word, (long long)value, least);
    const size_t left = (size_t)(lex->end - lex->at);
    if ((uint64_t)value > left / bytes)
        return md5i_lex_fail(lex, lex->number_at, MD5_ERROR_RANGE,
                             "%s says %lld, which the %zu bytes left cannot hold", word,
                             (long long)value, left);
    *count = (md5_count){lex->number_at, (uint32_t)value};
    return true;
}

bool md5i_need_count(md5_lex *lex, const md5_count *count, const char *word)
{
    if (count->at)
        return true;
    return md5i_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX, "expected '%s' before %s", word,
                         md5i_lex_token(lex, lex->at).text);
}

bool md5i_read_frame_rate(md5_lex *lex, double fallback, const char **given_at, double *frame_rate)
{
    TRY(md5i_lex_double(lex, frame_rate));
    if (*given_at)
        return md5i_lex_fail(lex, lex->number_at, MD5_ERROR_SYNTAX,
                             "'frameRate' appears a second time");
    const float narrow = (float)*frame_rate;
    if (*frame_rate == 0 && fallback > 0) {
        md5i_lex_warn(lex, lex->number_at, "frameRate is 0: read as %g", fallback);
        *frame_rate = fallback;
    } else if (!(narrow > 0)) {
        return md5i_lex_fail(lex, lex->number_at, MD5_ERROR_RANGE,
                             "frameRate is %g: expected more than 0", narrow);
    }
    *given_at = lex->number_at;
    return true;
}
