// Rasterizes glyphs with stb_truetype into one texture, and decodes UTF-8.
//
// A glyph is the image of a character in a font. A code point is the number of a character in
// Unicode. view_letters contains the glyphs of the texture in a hash table, whose key is the code
// point and the text size. system_fonts contains fonts of the system, for characters that our own
// fonts do not have.
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

// The characters that the interface uses in addition to ASCII and Latin-1. They are the minus sign,
// the figure space, dashes, a bullet, an ellipsis, arrows, symbols of buttons, and the replacement
// character for invalid text. The figure space is a blank as wide as the minus sign.
// demo/web/font.py also reads this list.
static const char extra_symbols[] = "\xE2\x88\x92\xE2\x80\x87\xE2\x80\x93\xE2\x80\x94\xE2\x80\xA2"
                                    "\xE2\x80\xA6\xE2\x86\x90\xE2\x86\x91\xE2\x86\x92\xE2\x86\x93"
                                    "\xE2\x89\xA0\xE2\x96\xB6\xE2\x97\x80\xE2\x8C\x82\xE2\x97\x90"
                                    "\xE2\x96\xA6\xE2\x98\xB0\xE2\x9A\xA0\xEF\xBF\xBD"
                                    "\xE2\x9C\x95\xE2\x86\xBA\xE2\x80\xBA\xE2\x97\x8E"
                                    "\xE2\x97\x82\xE2\x96\xB8\xE2\x96\xBE\xE2\x9C\x93\xE2\x97\x89"
                                    "\xE2\x9D\x99\xE2\x9D\x9A\xE2\x97\xA7";
enum {
    INVALID = 0xFFFD,
    MINUS = 0x2212,
    FIGURE_SPACE = 0x2007,
    BOX = 0, // replaces a character that no font contains: a box
    OVERSAMPLING = 3,
    MAX_SIDE = 4096,
};

static const struct {
    const unsigned char *font;
    float height;
} sizes[VIEW_NUM_TEXT_SIZES] = {[VIEW_TEXT] = {md5view_font, 15},
                                [VIEW_TITLE] = {md5view_font, 20},
                                [VIEW_CODE] = {md5view_code_font, 14}};
static const float disc_radius = 8;

// Returns the height of a text size in pixels, at the current scale of the interface.
static float text_height(const view_font *font, view_text_size size)
{
    return roundf(sizes[size].height * font->scale);
}

// -- System fonts ---------------------------------------------------------------------------
//
// Characters that our own fonts do not contain are searched in the fonts that fontconfig lists. The
// list is sorted once, by similarity to "sans-serif". stb_truetype does not validate files, so only
// fonts are used that fontconfig could read and whose tables are within the file.

#ifdef VIEW_HAS_FONTCONFIG

enum { MAX_FONT_FILE = 64 << 20, NUM_OPENED = 4 };

typedef struct opened_font {
    int number; // index in the sorted fonts + 1; 0 = empty entry
    unsigned char *bytes;
    stbtt_fontinfo info;
} opened_font;

typedef struct system_fonts {
    bool is_searched; // fontconfig was initialized
    FcConfig *config;
    FcFontSet *sorted;
    bool *is_bad;                   // [sorted->nfont] fonts that cannot be opened
    opened_font opened[NUM_OPENED]; // cache; a new font replaces the oldest
    uint32_t num_opened;
} system_fonts;

// Returns a big-endian number that consists of `count` bytes.
static uint32_t read_big(const unsigned char *bytes, int count)
{
    uint32_t value = 0;
    for (int i = 0; i < count; i++)
        value = value << 8 | bytes[i];
    return value;
}

// Finds font `index` in a file, and sets `start` to the offset of its first byte. The file is a
// font or a collection of fonts. Returns false if it does not contain this font.
static bool find_font_start(const unsigned char *bytes, size_t size, int index, size_t *start)
{
    // A collection begins with its tag, its version, the number of fonts, and the offset of each
    // font.
    enum { HEADER_BYTES = 12, OFFSET_BYTES = 4 };
    const bool is_collection = size >= HEADER_BYTES && memcmp(bytes, "ttcf", 4) == 0;
    if (!is_collection) {
        *start = 0;
        return true;
    }
    const uint32_t num_fonts = read_big(bytes + 8, 4);
    const size_t entry = HEADER_BYTES + OFFSET_BYTES * (size_t)index;
    if (index < 0 || (uint32_t)index >= num_fonts || entry + OFFSET_BYTES > size)
        return false;
    *start = read_big(bytes + entry, OFFSET_BYTES);
    return *start <= INT32_MAX;
}

// Initializes font `index` of a TrueType or OpenType file. Returns false if the file does not
// contain the font, or if a table of the font is not completely in the file. stb_truetype would
// read outside of the bytes then.
static bool begin_font(stbtt_fontinfo *info, const unsigned char *bytes, size_t size, int index)
{
    // A font begins with a header, which contains the number of tables. The directory follows. It
    // contains the offset and the size of each table.
    enum { HEADER_BYTES = 12, ENTRY_BYTES = 16 };
    size_t start;
    if (!find_font_start(bytes, size, index, &start) || start + HEADER_BYTES > size)
        return false;

    const size_t num_tables = read_big(bytes + start + 4, 2);
    const size_t directory = start + HEADER_BYTES;
    if (directory + ENTRY_BYTES * num_tables > size)
        return false;
    for (size_t i = 0; i < num_tables; i++) {
        const unsigned char *const entry = bytes + directory + ENTRY_BYTES * i;
        const uint64_t table_offset = read_big(entry + 8, 4);
        const uint32_t table_size = read_big(entry + 12, 4);
        if (table_offset + table_size > size)
            return false;
    }
    return stbtt_InitFont(info, bytes, (int)start) != 0;
}

// Reads the file of a font that fontconfig has found. Returns its bytes, which the caller frees.
// Returns NULL if the font cannot be used.
static unsigned char *read_system_font(const FcPattern *pattern, stbtt_fontinfo *info)
{
    FcChar8 *fc_path = NULL;
    int index = 0;
    if (FcPatternGetString(pattern, FC_FILE, 0, &fc_path) != FcResultMatch
        || FcPatternGetInteger(pattern, FC_INDEX, 0, &index) != FcResultMatch)
        return NULL;
    const char *const path = (const char *)fc_path;
    if (!common_is_file(path) || common_file_size(path) > MAX_FONT_FILE)
        return NULL;

    size_t size = 0;
    const char *reason;
    unsigned char *const bytes = (unsigned char *)common_read_stream(path, &size, &reason);
    const int font_index = index & 0xFFFF; // the upper 16 bits select a style of a variable font
    if (bytes != NULL && size <= MAX_FONT_FILE && begin_font(info, bytes, size, font_index))
        return bytes;
    free(bytes);
    return NULL;
}

// Returns the font at an index of the sorted list, or NULL if it cannot be used. The font remains
// valid until NUM_OPENED other fonts were opened.
static const stbtt_fontinfo *open_system_font(system_fonts *system, int index)
{
    for (int i = 0; i < NUM_OPENED; i++) {
        if (system->opened[i].number == index + 1)
            return &system->opened[i].info;
    }

    stbtt_fontinfo info;
    unsigned char *const bytes = read_system_font(system->sorted->fonts[index], &info);
    if (bytes == NULL)
        return NULL;
    opened_font *const oldest = &system->opened[system->num_opened % NUM_OPENED];
    free(oldest->bytes);
    *oldest = (opened_font){index + 1, bytes, info};
    system->num_opened++;
    return &oldest->info;
}

// Requests the list of all fonts from fontconfig. The fonts are sorted by similarity to
// "sans-serif", the default font of interfaces. On failure, system->sorted remains NULL.
static void list_system_fonts(system_fonts *system)
{
    FcResult result;
    system->config = FcInitLoadConfigAndFonts();
    FcPattern *const query = FcNameParse((const FcChar8 *)"sans-serif");
    if (system->config != NULL && query != NULL
        && FcConfigSubstitute(system->config, query, FcMatchPattern)) {
        FcDefaultSubstitute(query);
        system->sorted = FcFontSort(system->config, query, FcTrue, NULL, &result);
    }
    if (query != NULL)
        FcPatternDestroy(query);
    if (system->sorted != NULL)
        system->is_bad = common_alloc((size_t)system->sorted->nfont, sizeof *system->is_bad);
}

// Returns true if a font contains a character according to fontconfig, and if its glyphs are
// outlines. Bitmap glyphs cannot be rasterized here.
static bool is_listed(const FcPattern *pattern, int code)
{
    FcCharSet *characters;
    const bool has_set = FcPatternGetCharSet(pattern, FC_CHARSET, 0, &characters) == FcResultMatch;
    if (!has_set || !FcCharSetHasChar(characters, (FcChar32)code))
        return false;
    FcBool is_outline = FcFalse;
    return FcPatternGetBool(pattern, FC_OUTLINE, 0, &is_outline) == FcResultMatch && is_outline;
}

// Returns the first font of the sorted list that contains a character, or NULL. Fonts that cannot
// be opened are marked, so that they are opened only once.
static const stbtt_fontinfo *find_system_font(system_fonts *system, int code)
{
    if (!system->is_searched) {
        system->is_searched = true;
        list_system_fonts(system);
    }
    const int num_fonts = system->sorted != NULL ? system->sorted->nfont : 0;
    for (int i = 0; i < num_fonts; i++) {
        if (system->is_bad[i] || !is_listed(system->sorted->fonts[i], code))
            continue;
        const stbtt_fontinfo *const info = open_system_font(system, i);
        if (info != NULL && stbtt_FindGlyphIndex(info, code) != 0)
            return info;
        system->is_bad[i] = info == NULL;
    }
    return NULL;
}

// Frees the font files that were read, and the list of fonts and the configuration of
// fontconfig.
static void close_system_fonts(system_fonts *system)
{
    for (int i = 0; i < NUM_OPENED; i++)
        free(system->opened[i].bytes);
    free(system->is_bad);
    if (system->sorted != NULL)
        FcFontSetDestroy(system->sorted);
    if (system->config != NULL)
        FcConfigDestroy(system->config);
}

#else

typedef struct no_system_fonts {
    bool is_unused;
} system_fonts;

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

// -- Glyphs ---------------------------------------------------------------------------------
//
// A glyph is rasterized when it is used for the first time; the common glyphs are rasterized at the
// beginning. Names in files may contain any of a million code points. If the texture is full, a box
// replaces further glyphs, until view_update_font() removes all but the common glyphs.

enum { NUM_SLOTS = 2048, MAX_LETTERS = 1400 };

typedef struct slot {
    uint32_t key;        // code point and size; 0 = free slot
    uint32_t last_frame; // last frame that used the glyph; UINT32_MAX = common glyph
    view_letter letter;
} slot;

struct view_letters {
    stbtt_fontinfo fonts[VIEW_NUM_TEXT_SIZES]; // our own fonts
    view_letter boxes[VIEW_NUM_TEXT_SIZES];    // missing-glyph boxes
    system_fonts system;
    slot slots[NUM_SLOTS]; // hash table with linear probing
    uint32_t num_letters;
    uint32_t frame;    // number of the current frame
    bool is_changed;   // glyphs were added since the last upload
    bool is_full;      // a glyph did not fit
    uint8_t *coverage; // [height][width] texels
    int width;
    int height;
    int x; // position of the next glyph
    int y;
    int row_height; // height of the current line of glyphs
};

// A glyph of a font at a text size, before it is rasterized.
//
// The texture has OVERSAMPLING columns of texels per pixel, because the letters of a line can be at
// fractions of a pixel. It has one row of texels per pixel, because lines are at whole pixels.
typedef struct scaled_glyph {
    const stbtt_fontinfo *font;
    int index;     // index of the glyph in the font
    float scale;   // pixels per font unit
    float advance; // distance to the next letter, pixels
    int left;      // bounding box relative to the pen position; left and right in texels
    int right;
    int top; // top and bottom in rows of texels, downward
    int bottom;
} scaled_glyph;

// Returns the font for a character. The font of the text size has priority, then the font of
// ordinary text, then the fonts of the system. Returns NULL if no font contains the character.
static const stbtt_fontinfo *find_font(view_letters *letters, view_text_size size, int code)
{
    if (code == BOX || stbtt_FindGlyphIndex(&letters->fonts[size], code) != 0)
        return &letters->fonts[size];
    if (stbtt_FindGlyphIndex(&letters->fonts[VIEW_TEXT], code) != 0)
        return &letters->fonts[VIEW_TEXT];
    return find_system_font(&letters->system, code);
}

// Returns the scale of a font in pixels per font unit. The font of the text size is scaled to the
// text height. Any other font is scaled to the same em, so that its letters have a similar size.
static float glyph_scale(const view_letters *letters, view_text_size size, float height,
                         const stbtt_fontinfo *font)
{
    const stbtt_fontinfo *const size_font = &letters->fonts[size];
    const float size_font_scale = stbtt_ScaleForPixelHeight(size_font, height);
    if (font == size_font)
        return size_font_scale;
    const float em = size_font_scale / stbtt_ScaleForMappingEmToPixels(size_font, 1);
    return stbtt_ScaleForMappingEmToPixels(font, em);
}

// Returns the bounding box and the advance of a character's glyph, without rasterizing it. The
// advance is the distance to the next letter.
static scaled_glyph measure_glyph(const stbtt_fontinfo *font, int code, float scale)
{
    scaled_glyph glyph = {.font = font, .index = stbtt_FindGlyphIndex(font, code), .scale = scale};
    // Numbers with and without a minus sign are aligned by a figure space. Therefore it must be as
    // wide as the minus sign, in all fonts.
    const bool is_figure_space = code == FIGURE_SPACE;
    const int spaced_glyph = is_figure_space ? stbtt_FindGlyphIndex(font, MINUS) : glyph.index;
    int advance; // font units
    int bearing;
    stbtt_GetGlyphHMetrics(font, spaced_glyph, &advance, &bearing);
    stbtt_GetGlyphBitmapBoxSubpixel(font, glyph.index, (float)OVERSAMPLING * scale, scale, 0, 0,
                                    &glyph.left, &glyph.top, &glyph.right, &glyph.bottom);
    glyph.advance = (float)advance * scale;
    return glyph;
}

// Returns true if a glyph extends too far from the pen position. Some fonts contain glyphs that are
// as wide as a line and would fill the texture.
static bool is_too_large(const scaled_glyph *glyph, float height)
{
    const int max_extent = 4 * (int)height;
    const bool is_too_wide =
        glyph->right > OVERSAMPLING * max_extent || glyph->left < -OVERSAMPLING * max_extent;
    return is_too_wide || glyph->bottom > max_extent || glyph->top < -max_extent;
}

// Finds the position of the next glyph in the texture. Begins a new line of glyphs if the current
// line has too little space. Returns false if the texture is full. One column and one row of texels
// remain empty between glyphs, because texture filtering would mix adjacent glyphs.
static bool find_space(view_letters *letters, int columns, int rows)
{
    if (letters->x + columns + 1 > letters->width) {
        letters->x = 0;
        letters->y += letters->row_height;
        letters->row_height = 0;
    }
    return columns + 1 <= letters->width && letters->y + rows + 1 <= letters->height;
}

// Rasterizes a glyph at the position that find_space() has found. Sets the rectangle of the letter,
// in pixels relative to the pen position, and its texture coordinates.
static void draw_glyph(view_letters *letters, const scaled_glyph *glyph, int columns, int rows,
                       view_letter *letter)
{
    const size_t first_texel = (size_t)letters->y * (size_t)letters->width + (size_t)letters->x;
    float shift_x = 0; // pixels by which the filter of stb_truetype shifts the glyph
    float shift_y = 0;
    stbtt_MakeGlyphBitmapSubpixelPrefilter(glyph->font, letters->coverage + first_texel, columns,
                                           rows, letters->width, (float)OVERSAMPLING * glyph->scale,
                                           glyph->scale, 0, 0, OVERSAMPLING, 1, &shift_x, &shift_y,
                                           glyph->index);
    letter->x0 = (float)glyph->left / (float)OVERSAMPLING + shift_x;
    letter->x1 = (float)(glyph->left + columns) / (float)OVERSAMPLING + shift_x;
    letter->y0 = (float)glyph->top + shift_y;
    letter->y1 = (float)glyph->bottom + shift_y;
    letter->u0 = (float)letters->x / (float)letters->width;
    letter->u1 = (float)(letters->x + columns) / (float)letters->width;
    letter->v0 = (float)letters->y / (float)letters->height;
    letter->v1 = (float)(letters->y + rows) / (float)letters->height;

    letters->x += columns + 1;
    if (letters->row_height < rows + 1)
        letters->row_height = rows + 1;
    letters->is_changed = true;
}

// Adds the glyph of a character to the texture. If no font contains the character, or if the glyph
// is too large, sets the letter to the missing-glyph box. Returns false if the texture has no
// space.
static bool rasterize_glyph(const view_font *font, view_text_size size, int code,
                            view_letter *letter)
{
    view_letters *const letters = font->letters;
    const float height = text_height(font, size);
    const stbtt_fontinfo *const info = find_font(letters, size, code);
    *letter = letters->boxes[size];
    if (info == NULL)
        return true;
    const float scale = glyph_scale(letters, size, height, info);
    const scaled_glyph glyph = measure_glyph(info, code, scale);
    if (is_too_large(&glyph, height))
        return true;

    // The filter widens a glyph by OVERSAMPLING - 1 texels. A blank is not drawn and needs no
    // texels.
    const bool is_blank = glyph.right <= glyph.left || glyph.bottom <= glyph.top;
    const int columns = is_blank ? 0 : glyph.right - glyph.left + OVERSAMPLING - 1;
    const int rows = is_blank ? 0 : glyph.bottom - glyph.top;
    if (!find_space(letters, columns, rows))
        return false;
    *letter = (view_letter){.advance = glyph.advance};
    if (!is_blank)
        draw_glyph(letters, &glyph, columns, rows, letter);
    return true;
}

// Returns the slot with a key. If the hash table does not contain the key, returns the free slot
// for it.
static slot *find_slot(view_letters *letters, uint32_t key)
{
    uint32_t index = key * 2654435761u >> 21; // Fibonacci hashing to the 2048 slots
    while (letters->slots[index].key != key && letters->slots[index].key != 0)
        index = (index + 1) % NUM_SLOTS;
    return &letters->slots[index];
}

// Returns the glyph of a character. Rasterizes it at its first use. If the texture or the hash
// table is full, returns the missing-glyph box.
static const view_letter *find_or_add_glyph(const view_font *font, view_text_size size, int code)
{
    view_letters *const letters = font->letters;
    const uint32_t key = (uint32_t)code * VIEW_NUM_TEXT_SIZES + size + 1; // never 0
    slot *const found = find_slot(letters, key);
    const bool is_new = found->key == 0;
    if (is_new) {
        const bool has_slot = letters->num_letters < MAX_LETTERS;
        if (!has_slot || !rasterize_glyph(font, size, code, &found->letter)) {
            letters->is_full = true;
            return &letters->boxes[size];
        }
        found->key = key;
        letters->num_letters++;
    }
    if (found->last_frame < letters->frame)
        found->last_frame = letters->frame;
    return &found->letter;
}

// Creates a texture on the GPU from the coverage of all glyphs.
static md5gl_texture upload(const view_letters *letters, md5gl_renderer *renderer, md5_error *error)
{
    const md5gl_texture_desc desc = {.kind = MD5GL_TEXTURE_MASK,
                                     .width = (uint32_t)letters->width,
                                     .height = (uint32_t)letters->height,
                                     .texels = letters->coverage};
    return md5gl_create_texture(renderer, &desc, error);
}

// -- Characters -----------------------------------------------------------------------------

// Returns the number of bytes of a UTF-8 character by its first byte. Returns 0 if no character
// begins with this byte.
static int character_length(unsigned char first)
{
    if (first < 0x80)
        return 1;
    if ((first & 0xE0) == 0xC0)
        return 2;
    if ((first & 0xF0) == 0xE0)
        return 3;
    return (first & 0xF8) == 0xF0 ? 4 : 0;
}

// Returns the code point at *text, and advances *text to the next character. If no valid character
// begins at *text, returns INVALID and advances *text by one byte.
static int next_code_point(const char **text)
{
    // The smallest code point of each length in bytes. A smaller code point in this length is an
    // overlong encoding, which is invalid.
    static const int min_code[] = {0, 0, 0x80, 0x800, 0x10000};
    const int max_code = 0x10FFFF;
    const unsigned char *const bytes = (const unsigned char *)*text;
    const int length = character_length(bytes[0]);
    const unsigned char mask_of_first = (unsigned char)(0xFF >> (length + 1));
    int code = length == 1 ? bytes[0] : bytes[0] & mask_of_first;
    bool is_valid = length > 0;
    for (int i = 1; i < length && is_valid; i++) {
        const bool is_continuation = (bytes[i] & 0xC0) == 0x80;
        code = code << 6 | (bytes[i] & 0x3F);
        is_valid = is_continuation;
    }

    const bool is_surrogate = code >> 11 == 0xD800 >> 11; // surrogates are valid only in UTF-16
    const bool is_in_range = is_valid && code >= min_code[length] && code <= max_code;
    if (!is_in_range || is_surrogate) {
        *text += 1;
        return INVALID;
    }
    *text += length;
    return code;
}

const view_letter *view_next_letter(const view_font *font, view_text_size size, const char **text)
{
    if (**text == '\0')
        return NULL;
    return find_or_add_glyph(font, size, next_code_point(text));
}

// -- The texture --------------------------------------------------------------------------

// Draws a disc in the upper left corner of the texture. Its edge is antialiased over one pixel.
// Shapes with round corners use the disc, and areas of one color use its center. Returns the side
// of the square that contains the disc and a border, in texels.
static int draw_disc(view_font *font)
{
    view_letters *const letters = font->letters;
    const float radius = font->disc_radius;
    const int side = 2 * (int)radius + 4;
    const float middle = 0.5f * (float)side;
    for (int y = 0; y < side; y++) {
        for (int x = 0; x < side; x++) {
            const float dx = (float)x + 0.5f - middle;
            const float dy = (float)y + 0.5f - middle;
            const float distance_inside = radius - sqrtf(dx * dx + dy * dy);
            const float coverage = fminf(fmaxf(distance_inside + 0.5f, 0), 1);
            letters->coverage[y * letters->width + x] = (uint8_t)(coverage * 255 + 0.5f);
        }
    }

    const float width = (float)letters->width;
    const float height = (float)letters->height;
    font->disc_u0 = (middle - radius) / width;
    font->disc_u1 = (middle + radius) / width;
    font->disc_v0 = (middle - radius) / height;
    font->disc_v1 = (middle + radius) / height;
    font->solid_u = 0.5f * (font->disc_u0 + font->disc_u1);
    font->solid_v = 0.5f * (font->disc_v0 + font->disc_v1);
    return side;
}

// Adds the common glyphs of a text size to the texture. They are the missing-glyph box, ASCII,
// Latin-1, and the other characters of the interface.
static void add_common_glyphs(view_font *font, view_text_size size)
{
    enum { END_OF_ASCII = 127, BEGIN_OF_LATIN_1 = 160, END_OF_LATIN_1 = 256 };
    rasterize_glyph(font, size, BOX, &font->letters->boxes[size]);
    for (int code = ' '; code < END_OF_ASCII; code++)
        find_or_add_glyph(font, size, code);
    for (int code = BEGIN_OF_LATIN_1; code < END_OF_LATIN_1; code++)
        find_or_add_glyph(font, size, code);

    const char *text = extra_symbols;
    while (*text != '\0')
        view_next_letter(font, size, &text);
}

// Clears the texture and draws the disc and the common glyphs, which are always present.
static void reset_glyphs(view_font *font)
{
    view_letters *const letters = font->letters;
    memset(letters->slots, 0, sizeof letters->slots);
    memset(letters->coverage, 0, (size_t)letters->height * (size_t)letters->width);
    letters->num_letters = 0;
    letters->x = letters->row_height = draw_disc(font);
    letters->y = 0;
    letters->is_full = false;
    for (view_text_size size = VIEW_TEXT; size < VIEW_NUM_TEXT_SIZES; size++)
        add_common_glyphs(font, size);
    for (int i = 0; i < NUM_SLOTS; i++) {
        const bool is_used = letters->slots[i].key != 0;
        letters->slots[i].last_frame = is_used ? UINT32_MAX : 0;
    }
}

// Returns true if the texture is full, but contains glyphs that the current frame has not used.
// Removing them would make space.
static bool can_make_space(const view_letters *letters)
{
    if (!letters->is_full)
        return false;
    for (int i = 0; i < NUM_SLOTS; i++) {
        if (letters->slots[i].key != 0 && letters->slots[i].last_frame < letters->frame)
            return true;
    }
    return false;
}

// Uploads the glyphs that were used for the first time in this frame. If the texture is full,
// removes all glyphs except the common ones instead. Returns true if the image must be drawn again.
bool view_update_font(view_font *font, md5gl_renderer *renderer)
{
    view_letters *const letters = font->letters;
    const bool needs_reset = can_make_space(letters);
    const bool is_changed = letters->is_changed;
    letters->frame++;
    letters->is_full = letters->is_changed = false;
    if (needs_reset) {
        reset_glyphs(font);
        return true;
    }
    if (!is_changed)
        return false;

    md5_error error;
    const md5gl_texture mask = upload(letters, renderer, &error);
    if (mask == 0)
        return false;
    md5gl_destroy_texture(renderer, font->mask);
    font->mask = mask;
    return true;
}

// Frees the glyphs, the fonts of the system, and the texture of a font. `renderer` may be NULL
// if none was created; the font then has no texture.
void view_free_font(view_font *font, md5gl_renderer *renderer)
{
    if (font->letters != NULL) {
        close_system_fonts(&font->letters->system);
        free(font->letters->coverage);
        free(font->letters);
    }
    if (renderer != NULL)
        md5gl_destroy_texture(renderer, font->mask);
    *font = (view_font){0};
}

// Initializes our own fonts, and sets the ascent and the line height of each text size.
static void measure_sizes(view_font *font)
{
    for (view_text_size size = VIEW_TEXT; size < VIEW_NUM_TEXT_SIZES; size++) {
        stbtt_fontinfo *const info = &font->letters->fonts[size];
        int ascent = 0;
        int descent = 0;
        int gap = 0;
        if (stbtt_InitFont(info, sizes[size].font, 0) == 0)
            return;
        stbtt_GetFontVMetrics(info, &ascent, &descent, &gap);
        const float height = text_height(font, size);
        const float unit = stbtt_ScaleForPixelHeight(info, height);
        font->ascent[size] = roundf((float)ascent * unit + 0.12f * height);
        font->line[size] = roundf(1.28f * height);
    }
}

// Allocates the texels of a texture that is `side` texels wide, and draws the common glyphs. The
// upper square is for the common glyphs. The rows below have space for about 400 more glyphs, if a
// glyph is as wide as high. Returns true if the common glyphs fit in the square.
static bool create_texels(view_font *font, int side)
{
    const float num_more_glyphs = 400;
    view_letters *const letters = font->letters;
    const float glyph_side = text_height(font, VIEW_TEXT) + 2; // pixels
    const float glyph_texels = (float)OVERSAMPLING * glyph_side * glyph_side;
    const int needed_rows = (int)(num_more_glyphs * glyph_texels / (float)side);
    const int max_rows = MAX_SIDE - side;
    letters->width = side;
    letters->height = side + (needed_rows < max_rows ? needed_rows : max_rows);
    free(letters->coverage);
    letters->coverage = common_alloc((size_t)side, (size_t)letters->height);
    reset_glyphs(font);
    return !letters->is_full && letters->y + letters->row_height <= side;
}

// Creates the texture of the glyphs. Its size is the smallest one into which the common glyphs fit.
bool view_make_font(view_font *font, md5gl_renderer *renderer, float scale, md5_error *error)
{
    const int min_side = 256;
    *font = (view_font){.scale = scale,
                        .disc_radius = roundf(disc_radius * scale),
                        .letters = common_alloc(1, sizeof *font->letters)};
    view_letters *const letters = font->letters;
    measure_sizes(font);
    int side = min_side;
    while (!create_texels(font, side) && side < MAX_SIDE)
        side *= 2;
    font->mask = upload(letters, renderer, error);
    letters->is_changed = false;
    if (font->mask == 0) {
        view_free_font(font, renderer);
        return false;
    }
    return true;
}
