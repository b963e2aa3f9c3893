// Reads the parts that all MD5 text files have: the header with MD5Version and commandline, counts,
// and the ends of tables and of the file. Some functions read ahead without reporting errors. They
// find the location of a value in a table, or count items after the declared number.
#include "md5/read/header.h"

// The keywords outside of all blocks, and the kinds of files that contain them.
static const struct {
    const char *word;
    unsigned kinds; // md5_kind flags
} top_level_keywords[] = {
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

// Returns the kinds of files (md5_kind flags) that may contain a keyword outside of all blocks, or
// 0 if `word` is not such a keyword.
unsigned md5i_keyword_kinds(md5_span word)
{
    const size_t shortest = sizeof "mesh" - 1;
    if (word.size < shortest)
        return 0;
    for (uint32_t i = 0; i < MD5_COUNT(top_level_keywords); i++) {
        if (md5_span_is(word, top_level_keywords[i].word))
            return top_level_keywords[i].kinds;
    }
    return 0;
}

bool md5i_is_top_level_keyword(md5_span word)
{
    return md5i_keyword_kinds(word) != 0;
}

// Returns the name of a kind of file for messages.
static const char *kind_name(unsigned kinds)
{
    if (kinds & MD5_KIND_MESH)
        return "a model (.md5mesh)";
    return kinds & MD5_KIND_ANIM ? "an animation (.md5anim)" : "a camera (.md5camera)";
}

// Reports that a text is not an MD5 file, and returns false. The message contains the first bytes
// of the text from `first` on.
static bool fail_not_md5(md5_lex *lex, const char *first)
{
    enum { MAX_QUOTED_BYTES = 16 };
    const size_t size = (size_t)(lex->end - first);
    const size_t quoted_size = size < MAX_QUOTED_BYTES ? size : MAX_QUOTED_BYTES;
    return md5i_lex_fail(lex, first, MD5_ERROR_SYNTAX,
                         "not an MD5 file: expected 'MD5Version', found %s",
                         md5i_quote(first, quoted_size).text);
}

// Checks the first word of a text. It is an error if the file is empty, binary, or does not begin
// with a keyword of an MD5 file. If it begins with a keyword that belongs later in a file, the
// function only warns.
bool md5i_begin_header(md5_lex *lex, md5_header *header)
{
    const char *const first = md5_first_visible(lex);
    const md5_span word = md5i_lex_peek_word(lex);
    if (lex->arena->context->error.status != MD5_OK)
        return false;

    // The lexer skips bytes from 0x80 on, so a binary file may look empty to it.
    const bool is_binary = first < lex->end && (unsigned char)*first >= 0x80;
    const bool is_empty = lex->at == lex->end && !is_binary;
    if (is_empty)
        return md5i_lex_fail(lex, lex->text, MD5_ERROR_SYNTAX,
                             "empty file: expected %s that begins with 'MD5Version 10'",
                             kind_name(header->kind));
    if (!md5i_is_top_level_keyword(word))
        return fail_not_md5(lex, first);
    if (!md5_span_is(word, "MD5Version"))
        md5i_lex_warn(lex, lex->at, "missing line 'MD5Version 10'");
    return true;
}

// Returns true for the keywords of the header, which all versions have in common.
static bool is_keyword_of_all_versions(md5_span keyword)
{
    return md5_span_is(keyword, "MD5Version") || md5_span_is(keyword, "commandline");
}

// Returns true if a keyword of these kinds does not belong to `version`. Version 6 and all later
// versions have no keywords in common, except `MD5Version` and `commandline`.
bool md5i_is_invalid_in_version(uint32_t version, md5_span keyword, unsigned kinds)
{
    if (kinds == 0 || is_keyword_of_all_versions(keyword))
        return false;
    const bool is_old_keyword = (kinds & MD5_KIND_VERSION_6) != 0;
    return is_old_keyword != (version == MD5_VERSION_6);
}

// Returns the name of the version to which a keyword of these kinds belongs.
static const char *version_name(unsigned kinds)
{
    return kinds & MD5_KIND_VERSION_6 ? "6 (alpha of 2002)" : "10";
}

// Warns once if the first keyword of the body, `word`, belongs to another version than the declared
// one. Does nothing for keywords of the header and for all later keywords.
void md5i_warn_about_version(md5_lex *lex, md5_header *header, md5_span word)
{
    if (header->has_body || is_keyword_of_all_versions(word))
        return;
    const unsigned kinds = md5i_keyword_kinds(word);
    header->has_body = kinds != 0;
    if (header->version_at && kinds != 0 && header->declared_version != header->version)
        md5i_lex_warn(lex, header->version_at,
                      "MD5Version does not match the content: declared %u, but keyword %s belongs "
                      "to version %s; the declared version is ignored",
                      header->declared_version, md5i_quote(word.bytes, word.size).text,
                      version_name(kinds));
}

bool md5i_fail_missing_keyword(md5_lex *lex, const char *keyword)
{
    return md5i_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX, "missing '%s': expected it before %s",
                         keyword, md5i_lex_token(lex, lex->at).text);
}

bool md5i_fail_duplicate_keyword(md5_lex *lex, const char *position, const char *keyword)
{
    return md5i_lex_fail(lex, position, MD5_ERROR_SYNTAX, "duplicate '%s': expected one", keyword);
}

// Returns true if a reader accepts a version. Unused elements of versions->numbers are 0, which is
// not a version.
static bool is_supported_version(const md5_versions *versions, int64_t version)
{
    if (version <= 0)
        return false;
    for (size_t i = 0; i < MD5_COUNT(versions->numbers); i++) {
        if (version == versions->numbers[i])
            return true;
    }
    return false;
}

// Reads the number after `MD5Version`, which was consumed. A version that is not supported is an
// error. If the body has begun already, the version has no effect, but causes a warning if it
// differs.
static bool read_header_version(md5_lex *lex, md5_header *header)
{
    int64_t version;
    if (header->version_at)
        return md5i_fail_duplicate_keyword(lex, lex->at - strlen("MD5Version"), "MD5Version");

    TRY(md5i_lex_int(lex, &version));
    header->version_at = lex->number_at;

    if (!is_supported_version(header->versions, version))
        return md5i_lex_fail(lex, header->version_at, MD5_ERROR_VERSION,
                             "unsupported MD5 version: expected %s, found %lld",
                             header->versions->text, (long long)version);

    header->declared_version = (uint32_t)version;
    if (header->has_body && header->declared_version != header->version)
        md5i_lex_warn(lex, header->version_at,
                      "'MD5Version %u' after other keywords is ignored: using version %u",
                      header->declared_version, header->version);
    return true;
}

#if MD5_HAS_FORMATS

// Reports that the keyword `word` belongs to another version than the one that is read, and returns
// false. `kinds` are the flags of the keyword. The message explains why this version is read.
static bool fail_version(md5_lex *lex, const md5_header *header, md5_span word, unsigned kinds)
{
    const char *reason = "add the line 'MD5Version 6'";
    if (header->version == MD5_VERSION_6)
        reason = "the file has version 6";
    else if (header->version_at)
        reason = "the file declares a later version";
    return md5i_lex_fail(lex, lex->at, MD5_ERROR_VERSION,
                         "keyword %s belongs to MD5 version %s: %s",
                         md5i_quote(word.bytes, word.size).text, version_name(kinds), reason);
}

#else

// Reports that the current keyword belongs to version 6, which this build cannot read, and returns
// false.
static bool fail_version(md5_lex *lex, const md5_header *header, md5_span word, unsigned kinds)
{
    (void)header, (void)word, (void)kinds;
    return md5i_lex_fail_expected(lex, "expected a keyword of version 10");
}

#endif

// Reads a keyword of the header, or an unknown keyword, with its values. Keywords of other versions
// and of other kinds of files are errors.
bool md5i_read_header_keyword(md5_lex *lex, md5_header *header, md5_span word)
{
    const unsigned kinds = md5i_keyword_kinds(word);
    const bool is_unknown = kinds == 0;
    const bool is_of_this_kind = (kinds & (unsigned)header->kind) != 0;
    if (!md5_span_is_name(word))
        return md5i_lex_fail_expected(lex, "expected a keyword");

    if (md5i_is_invalid_in_version(header->version, word, kinds))
        return fail_version(lex, header, word, kinds);
    if (!is_unknown && !is_of_this_kind)
        return md5i_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX,
                             "wrong file type: expected %s, found %s with keyword %s",
                             kind_name(header->kind), kind_name(kinds),
                             md5i_quote(word.bytes, word.size).text);
    if (is_unknown)
        md5i_lex_warn_token(lex, lex->at, "is an unknown keyword: skipped with its values");

    lex->at += word.size;
    if (md5_span_is(word, "MD5Version"))
        return read_header_version(lex, header);
    if (md5_span_is(word, "commandline")) {
        header->has_command_line = true;
        return md5i_lex_text(lex, &header->command_line, "a quoted command line");
    }
    return md5i_lex_skip_values(lex, md5i_is_top_level_keyword);
}

// -- Look-ahead -----------------------------------------------------------------------------

// Makes a copy of `lex` that reads ahead without effects. The copy reports no errors and no
// warnings, and allocates no memory.
void md5i_begin_look_ahead(md5_silent_lex *silent, const md5_lex *lex)
{
    silent->context = *lex->arena->context;
    md5i_silence_warnings(&silent->context);
    silent->context.error.status = MD5_OK;
    silent->context.caller = NULL;
    silent->arena = (md5_arena){.context = &silent->context};
    silent->lex = *lex;
    silent->lex.arena = &silent->arena;
    silent->lex.join_strings = false; // joining strings would allocate memory
}

// Skips a number of any size.
static bool skip_number(md5_lex *lex)
{
    float number;
    int64_t integer;
    return md5i_lex_float(lex, &number) || md5i_lex_int(lex, &integer);
}

// Skips a word that does not begin like a number. Returns false if the next token is not such a
// word.
static bool skip_word(md5_lex *lex)
{
    const md5_span word = md5i_lex_peek_word(lex);
    if (!md5_span_is_name(word))
        return false;
    lex->at += word.size;
    return true;
}

// Skips numbers in parentheses.
static bool skip_parentheses(md5_lex *lex)
{
    float number;
    TRY(md5i_lex_accept(lex, '('));
    while (!md5i_lex_accept(lex, ')'))
        TRY(md5i_lex_float(lex, &number));
    return true;
}

// Skips any number of options of the form `keyword ( numbers )`.
static bool skip_options(md5_lex *lex)
{
    while (skip_word(lex))
        TRY(skip_parentheses(lex));
    return true;
}

// Skips one part of an item of a table. `part` is one of the MD5_PART_* characters. Returns false
// if the text does not match.
static bool skip_part(md5_lex *lex, char part)
{
    md5_span name;
    switch (part) {
    case MD5_PART_NAME:
        return md5i_lex_joint_name(lex, &name);
    case MD5_PART_NUMBER:
        return skip_number(lex);
    case MD5_PART_VECTOR:
        return skip_parentheses(lex);
    case MD5_PART_WORD:
        return skip_word(lex);
    default:
        return skip_options(lex);
    }
}

// Skips up to `max` items of a table and returns their number. `format` is the format of an item.
// Stops in the first item that does not match.
static size_t skip_items(md5_lex *lex, const char *format, size_t max)
{
    for (size_t count = 0; count < max; count++) {
        for (const char *part = format; *part; part++) {
            if (!skip_part(lex, *part))
                return count;
        }
    }
    return max;
}

// Finds a token in a table that was read without errors. A message about a value that is checked
// later can thus contain its line and column. Positions of tokens are not stored, because they
// would need as much memory as the table. Instead, the table is read again.
//
// The table begins at `start`. Each character of `format` (MD5_PART_NUMBER ...) describes one part
// of an item. Returns the position of part `part` of item `item`; both count from 0.
const char *md5i_find_item_part(const md5_lex *lex, const char *start, const char *format,
                                size_t item, size_t part)
{
    md5_silent_lex ahead;
    md5i_begin_look_ahead(&ahead, lex);
    ahead.lex.at = start;
    skip_items(&ahead.lex, format, item);
    for (size_t i = 0; i < part; i++)
        skip_part(&ahead.lex, format[i]);
    return md5i_lex_skip_space(&ahead.lex);
}

// Reads the `}` after the last item of a table. If more items follow, the error contains their
// number. `format` is the format of an item.
bool md5i_end_table(md5_lex *lex, const char *count_keyword, uint32_t count, const char *format)
{
    if (md5i_lex_accept(lex, '}'))
        return true;
    md5_silent_lex ahead;
    md5i_begin_look_ahead(&ahead, lex);
    const size_t num_more = skip_items(&ahead.lex, format, SIZE_MAX);
    if (num_more > 0)
        return md5i_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX,
                             "too many entries: expected %u (%s), found %llu", count, count_keyword,
                             (unsigned long long)count + num_more);
    return md5i_lex_fail_expected(lex, "unterminated section: expected '}' after %u entries (%s)",
                                  count, count_keyword);
}

// Reports that a table ends after `item` of `count` items.
bool md5i_fail_too_few(md5_lex *lex, const char *count_keyword, uint32_t count, uint32_t item)
{
    return md5i_lex_fail(lex, lex->at, MD5_ERROR_SYNTAX,
                         "too few entries: expected %u (%s), found %s after %u", count,
                         count_keyword, md5i_lex_token(lex, lex->at).text, item);
}

// Skips a block `{ ... }`, and a number before it if there is one. Returns false if the text does
// not match.
static bool skip_lex_block(md5_lex *lex)
{
    float number;
    const char *const first = md5i_lex_skip_space(lex);
    if (first < lex->end && *first != '{')
        TRY(md5i_lex_float(lex, &number));
    const char *const brace = md5i_lex_skip_space(lex);
    return brace < lex->end && *brace == '{'
           && md5i_lex_skip_values(lex, md5i_is_top_level_keyword);
}

// Skips blocks that follow the declared number of blocks, and warns with their number.
// `block_keyword` begins a block. `count_keyword` declares the number.
static void warn_about_more_blocks(md5_lex *lex, const char *block_keyword,
                                   const char *count_keyword, const md5_count *count)
{
    md5_silent_lex ahead;
    uint32_t num_more = 0;
    md5i_begin_look_ahead(&ahead, lex);
    while (md5i_lex_accept_keyword(&ahead.lex, block_keyword) && skip_lex_block(&ahead.lex)) {
        lex->at = ahead.lex.at;
        num_more++;
    }

    const unsigned long long found = (unsigned long long)count->value + num_more;
    if (num_more == 1)
        md5i_lex_warn(lex, count->at,
                      "%s is too small: declared %u, found %llu; the last one is ignored",
                      count_keyword, count->value, found);
    else if (num_more > 1)
        md5i_lex_warn(lex, count->at,
                      "%s is too small: declared %u, found %llu; the last %u are ignored",
                      count_keyword, count->value, found, num_more);
}

// Moves the lexer past white space after the last block, and warns if other text follows.
static void warn_about_trailing_text(md5_lex *lex, const char *block_keyword)
{
    // Here an unterminated comment causes only a warning, because engines do not read this text.
    md5_silent_lex ahead;
    md5i_begin_look_ahead(&ahead, lex);
    const md5_span word = md5i_lex_peek_word(&ahead.lex);
    const md5_error *const ahead_error = &ahead.context.error;

    lex->at = ahead.lex.at;
    if (ahead_error->status != MD5_OK)
        md5i_warn(lex->arena->context, ahead_error->line, ahead_error->column, "%s",
                  ahead_error->message);
    if (lex->at == lex->end)
        return;
    if (is_keyword_of_all_versions(word))
        md5i_lex_warn(lex, lex->at, "a second MD5 file begins here: it is ignored");
    else
        md5i_lex_warn(lex, lex->at, "text after the last %s is ignored: found %s", block_keyword,
                      md5i_lex_token(lex, lex->at).text);
}

// Warns about three problems: the header has no `commandline`, the file has more blocks
// `block_keyword` than `count_keyword` declares, or other text follows the last block.
void md5i_warn_at_file_end(md5_lex *lex, const md5_header *header, const char *block_keyword,
                           const char *count_keyword, const md5_count *count)
{
    if (!header->has_command_line)
        md5i_lex_warn(lex, lex->text, "missing 'commandline'");
    warn_about_more_blocks(lex, block_keyword, count_keyword, count);
    warn_about_trailing_text(lex, block_keyword);
}

// -- Counts and rates -----------------------------------------------------------------------

// Reads the count after the keyword `word`, which was consumed. The keyword may occur once. The
// count must be at least `min`. The remaining text must be large enough for that many items of
// `bytes` bytes.
MD5_COLD bool md5i_read_count(md5_lex *lex, const char *word, uint32_t min, size_t bytes,
                              md5_count *count)
{
    int64_t value;
    TRY(md5i_lex_int(lex, &value));
    if (count->at)
        return md5i_fail_duplicate_keyword(lex, lex->number_at, word);
    if (value < min)
        return md5i_lex_fail(lex, lex->number_at, MD5_ERROR_RANGE,
                             "%s is out of range: expected at least %u, found %lld", word, min,
                             (long long)value);

    const size_t left = (size_t)(lex->end - lex->at);
    if ((uint64_t)value > left / bytes)
        return md5i_lex_fail(
            lex, lex->number_at, MD5_ERROR_RANGE,
            "%s is too large for the file: found %lld, but only %zu bytes are left", word,
            (long long)value, left);
    *count = (md5_count){lex->number_at, (uint32_t)value};
    return true;
}

MD5_COLD bool md5i_need_count(md5_lex *lex, const md5_count *count, const char *word)
{
    return count->at || md5i_fail_missing_keyword(lex, word);
}

// Reads the number after `frameRate`, which was consumed, and sets *rate_at to its position. The
// keyword may occur once. The rate must be positive, but 0 is replaced by `fallback` if that is not
// 0.
bool md5i_read_frame_rate(md5_lex *lex, double fallback, const char **rate_at, double *frame_rate)
{
    double rate;
    TRY(md5i_lex_double(lex, &rate));
    if (*rate_at)
        return md5i_fail_duplicate_keyword(lex, lex->number_at, "frameRate");
    *rate_at = lex->number_at;

    if (rate == 0 && fallback > 0) {
        md5i_lex_warn(lex, lex->number_at,
                      "frameRate is out of range: expected more than 0, found 0; using %g",
                      fallback);
        *frame_rate = fallback;
        return true;
    }

    // A small rate may become 0 when it is rounded to float, so check the rounded rate.
    const float rounded_rate = (float)rate;
    if (!(rounded_rate > 0))
        return md5i_lex_fail(lex, lex->number_at, MD5_ERROR_RANGE,
                             "frameRate is out of range: expected more than 0, found %g",
                             rounded_rate);
    *frame_rate = rate;
    return true;
}
