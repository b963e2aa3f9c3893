#include "demo/viewer/base/font.h"

#include "demo/common/memory.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <stb/stb_truetype.h>

// The bytes of DejaVuSans.ttf and DejaVuSansMono.ttf, embedded by the build.
extern const unsigned char md5view_font[], md5view_code_font[];

// ASCII and Latin-1 come in two runs; these are the others that the panel uses:
// en dash, em dash, bullet, ellipsis, four arrows, minus, not equal, two triangles, a warning sign.
static const int others[] = {0x2013, 0x2014, 0x2022, 0x2026, 0x2190, 0x2191, 0x2192,
                             0x2193, 0x2212, 0x2260, 0x25B6, 0x25C0, 0x26A0};
enum {
    FIRST_ASCII = 32,
    NUM_ASCII = 95,
    FIRST_LATIN = 160,
    NUM_LATIN = 96,
    NUM_OTHERS = sizeof others / sizeof others[0],
    LARGEST_SIDE = 4096,
};
static_assert(NUM_ASCII + NUM_LATIN + NUM_OTHERS == VIEW_NUM_LETTERS, "one place for each letter");

static const struct {
    const unsigned char *font;
    float height;
} sizes[VIEW_NUM_TEXT_SIZES] = {[VIEW_TEXT] = {md5view_font, 15.0f},
                                [VIEW_TITLE] = {md5view_font, 20.0f},
                                [VIEW_CODE] = {md5view_code_font, 14.0f}};
static const float disc_radius = 8.0f;

// -- Characters -----------------------------------------------------------------------------

// The code point at *text, moving past it; -1 for a byte that begins no character.
static int next_code_point(const char **text)
{
    const unsigned char *bytes = (const unsigned char *)*text;
    const int length = bytes[0] < 0x80             ? 1
                       : (bytes[0] & 0xE0) == 0xC0 ? 2
                       : (bytes[0] & 0xF0) == 0xE0 ? 3
                       : (bytes[0] & 0xF8) == 0xF0 ? 4
                                                   : 0;
    int code = length == 1 ? bytes[0] : bytes[0] & (0xFF >> (length + 1));
    for (int i = 1; i < length; i++) {
        if ((bytes[i] & 0xC0) != 0x80) {
            *text += 1;
            return -1;
        }
        code = code << 6 | (bytes[i] & 0x3F);
    }
    *text += length > 0 ? length : 1;
    return length > 0 ? code : -1;
}

const view_letter *view_next_letter(const view_font *font, view_text_size size, const char **text)
{
    if (**text == '\0')
        return NULL;
    const int code = next_code_point(text);
    int letter = '?' - FIRST_ASCII;
    if (code >= FIRST_ASCII && code < FIRST_ASCII + NUM_ASCII)
        letter = code - FIRST_ASCII;
    else if (code >= FIRST_LATIN && code < FIRST_LATIN + NUM_LATIN)
        letter = NUM_ASCII + code - FIRST_LATIN;
    for (int i = 0; i < NUM_OTHERS; i++)
        if (others[i] == code)
            letter = NUM_ASCII + NUM_LATIN + i;
    return &font->letters[size][letter];
}

// -- Atlas ----------------------------------------------------------------------------------

// Draws all glyphs into coverage[side * side] above the last `reserved` rows. Returns false if
// they do not fit.
static bool pack_letters(view_font *font, uint8_t *coverage, int side, int reserved)
{
    stbtt_pack_context context;
    if (!stbtt_PackBegin(&context, coverage, side, side - reserved, side, 1, NULL))
        return false;
    // Positions at thirds of a pixel keep the spacing even; vertically, glyphs stay on whole
    // pixels.
    stbtt_PackSetOversampling(&context, 3, 1);
    bool fits = true;
    for (view_text_size size = VIEW_TEXT; size < VIEW_NUM_TEXT_SIZES && fits; size++) {
        stbtt_packedchar packed[VIEW_NUM_LETTERS];
        const float height = roundf(sizes[size].height * font->scale);
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
                .v0 = (float)p->y0 / (float)side,
                .u1 = (float)p->x1 / (float)side,
                .v1 = (float)p->y1 / (float)side,
                .advance = p->xadvance,
            };
        }
    }
    stbtt_PackEnd(&context);
    return fits;
}

bool view_make_font(view_font *font, md5gl_renderer *renderer, float scale, md5_error *error)
{
    *font = (view_font){.scale = scale, .disc_radius = roundf(disc_radius * scale)};
    const int reserved = 2 * (int)font->disc_radius + 4;
    bool is_packed = false;
    for (int side = 256; side <= LARGEST_SIDE && !is_packed; side *= 2) {
        uint8_t *coverage = common_alloc((size_t)side * (size_t)side, 1);
        if (pack_letters(font, coverage, side, reserved)) {
            // A disc in the lower left corner, its edge soft over one pixel.
            const float radius = font->disc_radius, middle = 0.5f * (float)reserved;
            for (int y = 0; y < reserved; y++)
                for (int x = 0; x < reserved; x++) {
                    const float dx = (float)x + 0.5f - middle, dy = (float)y + 0.5f - middle;
                    const float cover = radius - sqrtf(dx * dx + dy * dy) + 0.5f;
                    const float clamped = fminf(fmaxf(cover, 0.0f), 1.0f);
                    coverage[(side - reserved + y) * side + x] = (uint8_t)(clamped * 255.0f + 0.5f);
                }
            const float unit = 1.0f / (float)side, top = (float)(side - reserved);
            font->disc_u0 = (middle - radius) * unit;
            font->disc_u1 = (middle + radius) * unit;
            font->disc_v0 = (top + middle - radius) * unit;
            font->disc_v1 = (top + middle + radius) * unit;
            font->solid_u = 0.5f * (font->disc_u0 + font->disc_u1);
            font->solid_v = 0.5f * (font->disc_v0 + font->disc_v1);

            const md5gl_texture_desc desc = {.kind = MD5GL_TEXTURE_MASK,
                                             .width = (uint32_t)side,
                                             .height = (uint32_t)side,
                                             .texels = coverage};
            font->mask = md5gl_create_texture(renderer, &desc, error);
            is_packed = true;
        }
        free(coverage);
    }
    for (view_text_size size = VIEW_TEXT; size < VIEW_NUM_TEXT_SIZES; size++) {
        stbtt_fontinfo info;
        int ascent = 0, descent = 0, gap = 0;
        if (!stbtt_InitFont(&info, sizes[size].font, 0))
            break;
        stbtt_GetFontVMetrics(&info, &ascent, &descent, &gap);
        const float height = roundf(sizes[size].height * font->scale);
        const float unit = stbtt_ScaleForPixelHeight(&info, height);
        font->ascent[size] = roundf((float)ascent * unit + 0.12f * height);
        font->line[size] = roundf(1.28f * height);
    }
    return font->mask != 0;
}
