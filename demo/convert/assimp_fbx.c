// Searches the bytes of FBX files for features that libassimp ignores or reports too late.
#include "demo/convert/assimp_import.h"

#if defined(HAS_ASSIMP) && defined(HAS_JANSSON)

#include "demo/convert/tokens.h"

enum { MIN_FBX_VERSION = 7100 }; // oldest supported version

// The names that indicate the features in the bytes of a file.
static const char cache_name[] = "VertexCacheDeformer";
static const char *const feature_names[ASSIMP_NUM_FEATURES] = {
    "KeyAttrFlags", "BlendWeights", "SkinningType",     "DeformPercent",
    cache_name,     "Smoothness",   "NurbsSurfaceOrder"};

enum { LINEAR = 4 }; // flag of a key that is interpolated linearly

// The header of an array in a binary FBX file. A letter for the type of the values is followed by
// three 32-bit numbers at these offsets. The values are words of 32 bits: two for a double, one for
// an integer.
enum {
    ARRAY_NUM_VALUES = 1,
    ARRAY_IS_COMPRESSED = 5, // 0: the values follow as they are; 1: compressed with zlib
    ARRAY_SIZE = 9,          // size of the stored values, bytes
    ARRAY_HEADER = 13,       // size of the header, bytes
    WORD = 4,                // bytes
};

// Returns true if a compressed array is larger than an array of zeros could be. zlib compresses
// zeros to about a thousandth. The limit is four times this size, plus a constant.
static bool exceeds_compressed_zeros(size_t size, size_t num_words)
{
    enum { CONSTANT = 24, WORDS_PER_BYTE = 64 };
    return size > CONSTANT + num_words / WORDS_PER_BYTE;
}

// Searches a binary array for a value that is not supported. If `are_flags` is true, the array
// contains the flags of animation keys, and a key whose bit LINEAR is not set is not supported.
// Otherwise the array contains weights, and a weight that is not 0 is not supported. Compressed
// arrays are not decompressed here. Compressed flags count as not supported. Compressed weights
// count as not supported if the array is too large for zeros. Advances *position past an
// uncompressed array.
static bool has_unsupported_binary(const char **position, const char *end, bool are_flags)
{
    const char *const at = *position;
    const size_t num_values = common_read_little_endian(at + ARRAY_NUM_VALUES, WORD);
    const size_t declared = *at == 'd' ? 2 * num_values : num_values;
    if (common_read_little_endian(at + ARRAY_IS_COMPRESSED, WORD) != 0) {
        const size_t size = common_read_little_endian(at + ARRAY_SIZE, WORD);
        return are_flags || exceeds_compressed_zeros(size, declared);
    }

    const char *const words = at + ARRAY_HEADER;
    const size_t available = (size_t)(end - words) / WORD;
    const size_t count = declared < available ? declared : available;
    *position = words + WORD * count;

    for (size_t i = 0; i < count; i++) {
        const uint32_t word = common_read_little_endian(words + WORD * i, WORD);
        const bool is_unsupported = are_flags ? !(word & LINEAR) : word != 0;
        if (is_unsupported)
            return true;
    }

    return false;
}

// Searches an array in a text file, "{ a: NUMBER, ... }", for a value that is not supported, as
// has_unsupported_binary() does. Advances *position past the array.
static bool has_unsupported_text(const char **position, const char *end, bool are_flags)
{
    const char *const stop = convert_find_after(*position, end, "}");
    const char *at = stop ? convert_find_after(*position, stop, "a:") : NULL;
    *position = stop ? stop : end;
    for (; at; at = convert_find_after(at, stop, ",")) { // the bracket ends the last number
        const bool is_unsupported =
            are_flags ? !(strtoul(at, NULL, 10) & LINEAR) : strtod(at, NULL) != 0;
        if (is_unsupported)
            return true;
    }
    return false;
}

// Returns true if the array at *position, in a binary file or a text file, contains a value that is
// not supported. If `are_flags` is true, this is a key that is not interpolated linearly, and
// otherwise a weight that is not 0.
static bool has_unsupported_value(const char **position, const char *end, bool are_flags)
{
    const char type = **position;
    const bool is_binary = end - *position > ARRAY_HEADER && (type == 'i' || type == 'd');
    if (is_binary)
        return has_unsupported_binary(position, end, are_flags);
    return has_unsupported_text(position, end, are_flags);
}

// Returns the number after the name of a property, or 0 if there is none. In a text file a colon
// and digits follow the name. In a binary file the letter D and the bytes of a double follow.
static double read_property(const char *at, const char *end)
{
    double number = 0;
    if (*at == ':')
        return strtod(at + 1, NULL);
    if (*at == 'D' && (size_t)(end - at) > sizeof number)
        memcpy(&number, at + 1, sizeof number);
    return number;
}

// Returns true if a mesh is displayed with subdivision: 2 (with its control mesh) or 3. 0 and 1
// display only the control mesh. In a text file a colon and digits follow the name of the property,
// in a binary file the letter I and the bytes of an integer.
static bool is_subdivided(const char *at, const char *end)
{
    enum { MIN_SMOOTH = 2 };
    if (*at == ':')
        return strtol(at + 1, NULL, 10) >= MIN_SMOOTH;
    const bool is_integer = *at == 'I' && end - at > WORD;
    return is_integer && (int32_t)common_read_little_endian(at + 1, WORD) >= MIN_SMOOTH;
}

// Returns true if a skin uses dual quaternions. The type of skinning is a text shortly after the
// name of its property.
static bool is_dual_quaternion(const char *at, const char *end)
{
    enum { MAX_DISTANCE = 24 }; // from the name to the end of the text
    const char *const stop = end - at < MAX_DISTANCE ? end : at + MAX_DISTANCE;
    return convert_find_after(at, stop, "DualQuaternion") != NULL;
}

// Returns true if a file uses a feature whose name is directly before *position. Advances *position
// past an array that was read.
static bool uses_feature(int feature, const char **position, const char *end)
{
    if (feature == ASSIMP_MORPHS)
        return read_property(*position, end) != 0;
    if (feature == ASSIMP_DUALS)
        return is_dual_quaternion(*position, end);
    if (feature == ASSIMP_CACHES) // files without a cache can define FbxVertexCacheDeformer
        return (*position)[-(ptrdiff_t)sizeof cache_name] != 'x';
    if (feature == ASSIMP_NURBS)
        return true; // only surfaces have this property
    if (feature == ASSIMP_SUBDIVISIONS)
        return is_subdivided(*position, end);
    return has_unsupported_value(position, end, feature == ASSIMP_CURVES);
}

// Returns the version of an FBX file, or MIN_FBX_VERSION if it is unknown. A binary file contains
// the letter I and the bytes of an integer, a text file a colon and digits.
static unsigned find_fbx_version(const char *start, const char *end)
{
    const char *const version = convert_find_after(start, end, "FBXVersion");
    if (!version || end - version <= 4)
        return MIN_FBX_VERSION;
    if (*version == 'I')
        return common_read_little_endian(version + 1, 4);
    return (unsigned)strtoul(version + 1, NULL, 10);
}

assimp_fbx_info assimp_find_fbx_info(const convert_input *input)
{
    const char *const end = input->bytes + input->size;
    assimp_fbx_info found = {.version = find_fbx_version(input->bytes, end)};
    for (int i = 0; i < ASSIMP_NUM_FEATURES; i++) {
        const char *at = convert_find_after(input->bytes, end, feature_names[i]);
        while (at && !found.has[i]) {
            found.has[i] = uses_feature(i, &at, end);
            at = convert_find_after(at, end, feature_names[i]);
        }
    }

    return found;
}

bool assimp_check_fbx(assimp_importer *importer, const assimp_fbx_info *info)
{
    if (info->version < MIN_FBX_VERSION) {
        assimp_add_line(
            importer,
            ASSIMP_PROBLEM
            "unsupported FBX version %u: expected %d (FBX 2011) or later; convert the file "
            "with Autodesk's FBX Converter or export it again",
            info->version, MIN_FBX_VERSION);
        return false;
    }
    if (info->has[ASSIMP_BLENDS] || info->has[ASSIMP_DUALS])
        assimp_add_line(importer,
                        ASSIMP_LOSS "dual quaternion skinning is not supported by MD5; select "
                                    "linear skinning before you export the file");
    if (info->has[ASSIMP_MORPHS])
        assimp_add_line(importer,
                        ASSIMP_LOSS "morph targets that deform the rest pose were skipped; export "
                                    "the model as glTF to keep them");
    if (info->has[ASSIMP_CACHES])
        assimp_add_line(importer, ASSIMP_LOSS
                        "vertex caches, which contain the vertices of each frame, are not "
                        "supported; animate the mesh with bones or morph targets");
    if (info->has[ASSIMP_SUBDIVISIONS])
        assimp_add_line(importer, ASSIMP_NOTE
                        "the control meshes of subdivision surfaces were converted without "
                        "subdivision; apply the subdivision before you export the file to keep it");
    if (info->has[ASSIMP_NURBS])
        assimp_add_line(importer, ASSIMP_NOTE "NURBS surfaces were skipped; convert them to "
                                              "polygons before you export the file");
    return true;
}

#endif
