#include "demo/viewer/base/font.h"

#include "demo/common/file.h"
#include "demo/common/memory.h"

#include <assert.h>

#include <stb/stb_truetype.h>

#ifdef VIEW_HAS_FONTCONFIG
#include <fontconfig/fontconfig.h>
#endif

// The bytes of DejaVuSans.ttf and DejaVuSansMono.ttf, embedded by the build.
extern const unsigned char md5view_font[], md5view_code_font[];

// ASCII and Latin-1 come in two runs; these are the others that the panel uses: minus, figure space
// (the place of a minus that is not there, and as wide), en dash, em dash, bullet, ellipsis, four
// arrows, not equal, two triangles, four signs on buttons, a warning sign, the sign
// for invalid text, and a code that no font has, which gives the box.
static const int others[] = {0x2212, 0x2007, 0x2013, 0x2014, 0x2022, 0x2026,  0x2190,
                             0x2191, 0x2192, 0x2193, 0x2260, 0x25B6, 0x25C0,  0x2302,
                             0x25D0, 0x25A6, 0x2630, 0x26A0, 0xFFFD, 0x10FFFF};
enum {
    INVALID = 0xFFFD,
    OVERSAMPLING = 3,
    FIRST_ASCII = 32,
    NUM_ASCII = 95,
    FIRST_LATIN = 160,
    NUM_LATIN = 96,
    NUM_OTHERS = COMMON_LENGTH(others),
    MINUS = NUM_ASCII + NUM_LATIN, // in the letters: the first of the others
    FIGURE_SPACE,
    BOX = VIEW_NUM_LETTERS - 1,
    LARGEST_SIDE = 4096,
};
static_assert(NUM_ASCII + NUM_LATIN + NUM_OTHERS == VIEW_NUM_LETTERS, "one place for each letter");

static const struct {
    const unsigned char *font;
    float height;
} sizes[VIEW_NUM_TEXT_SIZES] = {[VIEW_TEXT] = {md5view_font, 15},
                                [VIEW_TITLE] = {md5view_font, 20},
                                [VIEW_CODE] = {md5view_code_font, 14}};
static const float disc_radius = 8;

static float text_height(const view_font *font, view_text_size size)
{
    return roundf(sizes[size].height * font->scale);
}

// -- Fonts of the system --------------------------------------------------------------------
//
// What our own fonts lack is looked for in those that fontconfig lists, which are sorted once, by
// how well they fit. stb_truetype trusts what it reads: only files are taken that fontconfig could
// read, and whose tables lie within them.

enum { MAX_FONT_FILE = 64 << 20, NUM_OPENED = 4 };

typedef struct opened_font {
    int number; // in the sorted fonts, from 1; 0: none
    unsigned char *bytes;
    stbtt_fontinfo info;
} opened_font;

typedef struct system_fonts {
    bool is_sought;
#ifdef VIEW_HAS_FONTCONFIG
    FcConfig *config;
    FcFontSet *sorted;
    bool *is_bad; // of each
#endif
    opened_font opened[NUM_OPENED]; // the oldest one is closed for another
    uint32_t num_opened;
} system_fonts;

#ifdef VIEW_HAS_FONTCONFIG

static uint32_t read_big(const unsigned char *bytes, int count)
{
    uint32_t value = 0;
    COMMON_FOR (i, count)
        value = value << 8 | bytes[i];
    return value;
}

// Whether the tables of font `index` lie within the file.
static bool begin_font(stbtt_fontinfo *info, const unsigned char *bytes, size_t size, int index)
{
    const bool is_collection = size >= 12 && memcmp(bytes, "ttcf", 4) == 0;
    size_t start = 0;
    if (is_collection) {
        if (index < 0 || (uint32_t)index >= read_big(bytes + 8, 4) || 16 + 4 * (size_t)index > size)
            return false;
        start = read_big(bytes + 12 + 4 * (size_t)index, 4);
    }
    if (start > INT32_MAX || start + 12 > size)
        return false;
    const size_t num_tables = read_big(bytes + start + 4, 2);
    if (start + 12 + 16 * num_tables > size)
        return false;
    COMMON_FOR (i, num_tables) {
        const unsigned char *const table = bytes + start + 12 + 16 * i;
        if ((uint64_t)read_big(table + 8, 4) + read_big(table + 12, 4) > size)
            return false;
    }
    return stbtt_InitFont(info, bytes, (int)start) != 0;
}

static const stbtt_fontinfo *open_system_font(system_fonts *system, int number)
{
    FcPattern *const pattern = system->sorted->fonts[number];
    FcChar8 *path = NULL;
    int index = 0;
    size_t size = 0;
    const char *reason;
    COMMON_FOR (i, NUM_OPENED)
        if (system->opened[i].number == number + 1)
            return &system->opened[i].info;
    opened_font *const opened = &system->opened[system->num_opened % NUM_OPENED];
    stbtt_fontinfo info;
    if (FcPatternGetString(pattern, FC_FILE, 0, &path) != FcResultMatch
        || FcPatternGetInteger(pattern, FC_INDEX, 0, &index) != FcResultMatch
        || !common_is_file((const char *)path)
        || common_file_size((const char *)path) > MAX_FONT_FILE)
        return NULL;
    unsigned char *const bytes =
        (unsigned char *)common_read_stream((const char *)path, &size, &reason);
    // The upper half of the index is that of a variable font's style.
    if (bytes == NULL || size > MAX_FONT_FILE || !begin_font(&info, bytes, size, index & 0xFFFF)) {
        free(bytes);
        return NULL;
    }
    free(opened->bytes);
    *opened = (opened_font){number + 1, bytes, info};
    system->num_opened++;
    return &opened->info;
}

static const stbtt_fontinfo *find_system_font(system_fonts *system, int code)
{
    if (!system->is_sought) {
        system->is_sought = true;
        system->config = FcInitLoadConfigAndFonts();
        FcPattern *const wish = FcNameParse((const FcChar8 *)"sans-serif");
        FcResult result;
        if (system->config != NULL && wish != NULL
            && FcConfigSubstitute(system->config, wish, FcMatchPattern)) {
            FcDefaultSubstitute(wish);
            system->sorted = FcFontSort(system->config, wish, FcTrue, NULL, &result);
        }
        if (wish != NULL)
            FcPatternDestroy(wish);
        if (system->sorted != NULL)
            system->is_bad = common_alloc((size_t)system->sorted->nfont, sizeof *system->is_bad);
    }
    for (int i = 0; system->sorted != NULL && i < system->sorted->nfont; i++) {
        FcCharSet *letters;
        FcBool is_outline = FcFalse;
        const FcPattern *const pattern = system->sorted->fonts[i];
        if (system->is_bad[i]
            || FcPatternGetCharSet(pattern, FC_CHARSET, 0, &letters) != FcResultMatch
            || !FcCharSetHasChar(letters, (FcChar32)code)
            || FcPatternGetBool(pattern, FC_OUTLINE, 0, &is_outline) != FcResultMatch
            || !is_outline)
            continue;
        const stbtt_fontinfo *const info = open_system_font(system, i);
        if (info != NULL && stbtt_FindGlyphIndex(info, code) != 0)
            return info;
        system->is_bad[i] = info == NULL;
    }
    return NULL;
}

static void close_system_fonts(system_fonts *system)
{
    COMMON_FOR (i, NUM_OPENED)
        free(system->opened[i].bytes);
    free(system->is_bad);
    if (system->sorted != NULL)
        FcFontSetDestroy(system->sorted);
    if (system->config != NULL)
        FcConfigDestroy(system->config);
}

#else

static const stbtt_fontinfo *find_system_font(system_fonts *system, int code)
{
    (void)system, (void)code;
    return NULL;
}

static void close_system_fonts(system_fonts *system)
{
    (void)system;
}

#endif

// -- Letters beside the usual ones ----------------------------------------------------------
//
// They are drawn when they are met for the first time, into the lower part of the texture. Names in
// files may hold any of a million code points: where there is no room, the box stands for a
// letter, until all are dropped before the next picture.

enum { NUM_SLOTS = 1024, MAX_LETTERS = 768 };

typedef struct slot {
    uint32_t key;     // of code point and size; 0: free
    uint32_t picture; // that showed it last
    view_letter letter;
} slot;

struct view_more_letters {
    stbtt_fontinfo own[VIEW_NUM_TEXT_SIZES];
    system_fonts system;
    slot slots[NUM_SLOTS]; // hashed by the key; the next free one
    uint32_t num_letters, picture;
    bool is_changed, is_full;
    uint8_t *coverage; // the whole texture; its rows from `first` on
    int width, height, first;
    int x, y, row_height; // where the next letter goes
};

// Returns false if there is no room.
static bool make_letter(const view_font *font, view_text_size size, int code, view_letter *letter)
{
    view_more_letters *const more = font->more;
    const float height = text_height(font, size);
    // As large as our own font is, by the em.
    const float own = stbtt_ScaleForPixelHeight(&more->own[size], height);
    const float em = own / stbtt_ScaleForMappingEmToPixels(&more->own[size], 1);
    const stbtt_fontinfo *info = &more->own[size];
    if (stbtt_FindGlyphIndex(info, code) == 0)
        info = &more->own[VIEW_TEXT];
    if (stbtt_FindGlyphIndex(info, code) == 0)
        info = find_system_font(&more->system, code);
    *letter = font->letters[size][BOX];
    if (info == NULL)
        return true;
    const int glyph = stbtt_FindGlyphIndex(info, code);
    const float unit = stbtt_ScaleForMappingEmToPixels(info, em);
    int left, top, right, bottom, advance, bearing;
    stbtt_GetGlyphBitmapBoxSubpixel(info, glyph, (float)OVERSAMPLING * unit, unit, 0, 0, &left,
                                    &top, &right, &bottom);
    stbtt_GetGlyphHMetrics(info, glyph, &advance, &bearing);
    const int most = 4 * (int)height; // some letters of some fonts are as wide as a line
    const bool is_empty = right <= left || bottom <= top;
    if (right > OVERSAMPLING * most || left < -OVERSAMPLING * most || bottom > most || top < -most)
        return true;
    const int width = is_empty ? 0 : right - left + OVERSAMPLING - 1;
    const int rows = is_empty ? 0 : bottom - top;
    if (more->x + width + 1 > more->width) {
        more->x = 0;
        more->y += more->row_height;
        more->row_height = 0;
    }
    if (width + 1 > more->width || more->y + rows + 1 > more->height)
        return false;
    *letter = (view_letter){.advance = (float)advance * unit};
    if (is_empty)
        return true;
    float sub_x = 0, sub_y = 0;
    uint8_t *const texels =
        more->coverage + (size_t)more->y * (size_t)more->width + (size_t)more->x;
    stbtt_MakeGlyphBitmapSubpixelPrefilter(info, texels, width, rows, more->width,
                                           (float)OVERSAMPLING * unit, unit, 0, 0, OVERSAMPLING, 1,
                                           &sub_x, &sub_y, glyph);
    letter->x0 = (float)left / (float)OVERSAMPLING + sub_x;
    letter->x1 = (float)(left + width) / (float)OVERSAMPLING + sub_x;
    letter->y0 = (float)top + sub_y;
    letter->y1 = (float)bottom + sub_y;
    letter->u0 = (float)more->x / (float)more->width;
    letter->u1 = (float)(more->x + width) / (float)more->width;
    letter->v0 = (float)more->y / (float)more->height;
    letter->v1 = (float)(more->y + rows) / (float)more->height;
    more->x += width + 1;
    more->row_height = rows + 1 > more->row_height ? rows + 1 : more->row_height;
    more->is_changed = true;
    return true;
}

static const view_letter *find_letter(const view_font *font, view_text_size size, int code)
{
    view_more_letters *const more = font->more;
    const uint32_t key = (uint32_t)code * VIEW_NUM_TEXT_SIZES + size + 1;
    uint32_t place = key * 2654435761u >> 22; // of NUM_SLOTS, by Fibonacci hashing
    if (more == NULL)
        return &font->letters[size][BOX];
    while (more->slots[place].key != key && more->slots[place].key != 0)
        place = (place + 1) % NUM_SLOTS;
    slot *const found = &more->slots[place];
    if (found->key == 0) {
        if (more->num_letters == MAX_LETTERS || !make_letter(font, size, code, &found->letter)) {
            more->is_full = true;
            return &font->letters[size][BOX];
        }
        found->key = key;
        more->num_letters++;
    }
    found->picture = more->picture;
    return &found->letter;
}

static md5gl_texture upload(const view_more_letters *more, md5gl_renderer *renderer,
                            md5_error *error)
{
    const md5gl_texture_desc desc = {.kind = MD5GL_TEXTURE_MASK,
                                     .width = (uint32_t)more->width,
                                     .height = (uint32_t)more->height,
                                     .texels = more->coverage};
    return md5gl_create_texture(renderer, &desc, error);
}

bool view_update_font(view_font *font, md5gl_renderer *renderer)
{
    view_more_letters *const more = font->more;
    bool is_stale = false;
    for (int i = 0; i < NUM_SLOTS && more->is_full; i++)
        is_stale |= more->slots[i].key != 0 && more->slots[i].picture != more->picture;
    const bool is_changed = more->is_changed;
    more->picture++;
    more->is_full = more->is_changed = false;
    if (is_stale) {
        memset(more->slots, 0, sizeof more->slots);
        memset(more->coverage + (size_t)more->first * (size_t)more->width, 0,
               (size_t)(more->height - more->first) * (size_t)more->width);
        more->num_letters = 0;
        more->x = more->row_height = 0;
        more->y = more->first;
        return true;
    }
    if (!is_changed)
        return false;
    md5_error error;
    const md5gl_texture mask = upload(more, renderer, &error);
    if (mask == 0)
        return false;
    md5gl_destroy_texture(renderer, font->mask);
    font->mask = mask;
    return true;
}

void view_free_font(view_font *font, md5gl_renderer *renderer)
{
    if (font->more != NULL) {
        close_system_fonts(&font->more->system);
        free(font->more->coverage);
        free(font->more);
    }
    if (renderer != NULL)
        md5gl_destroy_texture(renderer, font->mask);
    *font = (view_font){0};
}

// -- Characters -----------------------------------------------------------------------------

// The code point at *text, moving past it; INVALID for a byte that begins no character.
static int next_code_point(const char **text)
{
    const unsigned char *bytes = (const unsigned char *)*text;
    const int length = bytes[0] < 0x80             ? 1
                       : (bytes[0] & 0xE0) == 0xC0 ? 2
                       : (bytes[0] & 0xF0) == 0xE0 ? 3
                       : (bytes[0] & 0xF8) == 0xF0 ? 4
                                                   : 0;
    // Of each length: what fits into fewer bytes is invalid.
    static const int least[] = {0, 0, 0x80, 0x800, 0x10000};
    int code = length == 1 ? bytes[0] : bytes[0] & (0xFF >> (length + 1));
    bool is_valid = length > 0;
    for (int i = 1; i < length && is_valid; i++) {
        is_valid = (bytes[i] & 0xC0) == 0x80;
        code = code << 6 | (bytes[i] & 0x3F);
    }
    is_valid = is_valid && code >= least[length] && code <= 0x10FFFF && code >> 11 != 0xD800 >> 11;
    *text += is_valid ? length : 1;
    return is_valid ? code : INVALID;
}

const view_letter *view_next_letter(const view_font *font, view_text_size size, const char **text)
{
    if (**text == '\0')
        return NULL;
    const int code = next_code_point(text);
    if (code >= FIRST_ASCII && code < FIRST_ASCII + NUM_ASCII)
        return &font->letters[size][code - FIRST_ASCII];
    if (code >= FIRST_LATIN && code < FIRST_LATIN + NUM_LATIN)
        return &font->letters[size][NUM_ASCII + code - FIRST_LATIN];
    COMMON_FOR (i, NUM_OTHERS)
        if (others[i] == code)
            return &font->letters[size][NUM_ASCII + NUM_LATIN + i];
    return find_letter(font, size, code);
}

// -- Atlas ----------------------------------------------------------------------------------

// Draws the usual letters into a part of the texture, `side` wide and high, above the last
// `reserved` rows of the part. Returns false if they do not fit.
static bool pack_letters(view_font *font, int side, int reserved)
{
    stbtt_pack_context context;
    if (!stbtt_PackBegin(&context, font->more->coverage, side, side - reserved, side, 1, NULL))
        return false;
    // Positions at thirds of a pixel keep the spacing even; vertically, glyphs stay on whole
    // pixels.
    stbtt_PackSetOversampling(&context, OVERSAMPLING, 1);
    bool fits = true;
    for (view_text_size size = VIEW_TEXT; size < VIEW_NUM_TEXT_SIZES && fits; size++) {
        stbtt_packedchar packed[VIEW_NUM_LETTERS];
        const float height = text_height(font, size);
        stbtt_pack_range ranges[] = {
            {.font_size = height,
             .first_unicode_codepoint_in_range = FIRST_ASCII,
             .num_chars = NUM_ASCII,
             .chardata_for_range = packed},
            {.font_size = height,
             .first_unicode_codepoint_in_range = FIRST_LATIN,
             .num_chars = NUM_LATIN,
             .chardata_for_range = packed + NUM_ASCII},
            {.font_size = height,
             .array_of_unicode_codepoints = (int *)others,
             .num_chars = NUM_OTHERS,
             .chardata_for_range = packed + NUM_ASCII + NUM_LATIN},
        };
        fits = stbtt_PackFontRanges(&context, sizes[size].font, 0, ranges, 3) != 0;
        for (int i = 0; i < VIEW_NUM_LETTERS && fits; i++) {
            const stbtt_packedchar *const p = &packed[i];
            font->letters[size][i] = (view_letter){
                .x0 = p->xoff,
                .y0 = p->yoff,
                .x1 = p->xoff2,
                .y1 = p->yoff2,
                .u0 = (float)p->x0 / (float)side,
                .v0 = (float)p->y0 / (float)font->more->height,
                .u1 = (float)p->x1 / (float)side,
                .v1 = (float)p->y1 / (float)font->more->height,
                .advance = p->xadvance,
            };
        }
        font->letters[size][FIGURE_SPACE].advance = font->letters[size][MINUS].advance;
    }
    stbtt_PackEnd(&context);
    return fits;
}

// A disc in the lower left corner of the part, its edge soft over one pixel.
static void draw_disc(view_font *font, int side, int reserved)
{
    view_more_letters *const more = font->more;
    const float radius = font->disc_radius, middle = 0.5f * (float)reserved;
    COMMON_FOR (y, reserved)
        COMMON_FOR (x, reserved) {
            const float dx = (float)x + 0.5f - middle, dy = (float)y + 0.5f - middle;
            const float cover = radius - sqrtf(dx * dx + dy * dy) + 0.5f;
            const float clamped = fminf(fmaxf(cover, 0), 1);
            more->coverage[(side - reserved + y) * side + x] = (uint8_t)(clamped * 255 + 0.5f);
        }
    const float top = (float)(side - reserved) + middle, height = (float)more->height;
    font->disc_u0 = (middle - radius) / (float)side;
    font->disc_u1 = (middle + radius) / (float)side;
    font->disc_v0 = (top - radius) / height;
    font->disc_v1 = (top + radius) / height;
    font->solid_u = 0.5f * (font->disc_u0 + font->disc_u1);
    font->solid_v = 0.5f * (font->disc_v0 + font->disc_v1);
}

bool view_make_font(view_font *font, md5gl_renderer *renderer, float scale, md5_error *error)
{
    *font = (view_font){.scale = scale,
                        .disc_radius = roundf(disc_radius * scale),
                        .more = common_alloc(1, sizeof *font->more)};
    view_more_letters *const more = font->more;
    const int reserved = 2 * (int)font->disc_radius + 4;
    for (view_text_size size = VIEW_TEXT; size < VIEW_NUM_TEXT_SIZES; size++) {
        stbtt_fontinfo *const info = &more->own[size];
        int ascent = 0, descent = 0, gap = 0;
        if (stbtt_InitFont(info, sizes[size].font, 0) == 0)
            break;
        stbtt_GetFontVMetrics(info, &ascent, &descent, &gap);
        const float height = text_height(font, size);
        const float unit = stbtt_ScaleForPixelHeight(info, height);
        font->ascent[size] = roundf((float)ascent * unit + 0.12f * height);
        font->line[size] = roundf(1.28f * height);
    }
    for (int side = 256; side <= LARGEST_SIDE && font->mask == 0; side *= 2) {
        // Room for about 400 letters more, which are as wide as high.
        const float letter = text_height(font, VIEW_TEXT) + 2;
        const int rows = (int)(400 * (float)OVERSAMPLING * letter * letter / (float)side);
        more->width = side;
        more->height = side + (rows < LARGEST_SIDE - side ? rows : LARGEST_SIDE - side);
        more->first = more->y = more->height > side ? side + 1 : side;
        free(more->coverage);
        more->coverage = common_alloc((size_t)side, (size_t)more->height);
        if (!pack_letters(font, side, reserved))
            continue;
        draw_disc(font, side, reserved);
        font->mask = upload(more, renderer, error);
        if (font->mask == 0)
            break;
    }
    if (font->mask == 0)
        view_free_font(font, renderer);
    return font->mask != 0;
}
