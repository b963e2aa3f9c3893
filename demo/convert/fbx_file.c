// Reads the node tree of FBX files of version 7.
//
// A node of a binary file begins with a header. The header contains the offset of the node's end,
// the number and the size of its values, and its name. The values follow, then the children. A
// header of zeros ends the children. In a text file, a semicolon begins a comment, and a node has
// the form
//
//     Name: value, value { children }
//
// An array is a value of a binary node, optionally compressed by zlib. In a text file it is the
// child `a` of a node.
//
// Nodes may be nested to any depth, but a caller only descends to the depth that it needs. To skip
// the children of a node in a text file, the reader searches for the closing brace. Each byte is
// therefore read at most once per level.
#include "demo/convert/fbx_file.h"

#include "demo/convert/budget.h"

#include <ctype.h>
#include <math.h>
#ifdef HAS_ZLIB
#include <zlib.h>
#endif

static const char binary_mark[] = "Kaydara FBX Binary  ";

enum {
    BINARY_HEADER = 27,      // bytes before the first node
    WIDE_VERSION = 7500,     // headers of nodes have 64-bit numbers
    MAX_INFLATION = 1032,    // largest ratio of zlib
    MAX_NUMBER_LENGTH = 100, // characters of a number in a text file
    MAX_FLOAT_LENGTH = 31,   // the same for libassimp, see fbx_shorten_numbers()
};

static uint64_t read_little_endian(const char *bytes, int count)
{
    uint64_t value = 0;
    for (int i = count - 1; i >= 0; i--)
        value = value << 8 | (uint8_t)bytes[i];
    return value;
}

// Determines whether a file is binary or text. Returns false if the file is too short, or if it is
// a binary file of another version than 7.
bool fbx_open(const char *bytes, size_t size, fbx_file *file)
{
    *file = (fbx_file){.bytes = bytes, .size = size};
    const size_t mark_size = sizeof binary_mark - 1;
    if (size <= BINARY_HEADER)
        return false;
    file->is_binary = memcmp(bytes, binary_mark, mark_size) == 0;
    if (!file->is_binary)
        return true;
    const uint64_t version = read_little_endian(bytes + BINARY_HEADER - 4, 4);
    file->has_wide_headers = version >= WIDE_VERSION;
    return version >= 7000 && version < 8000;
}

fbx_range fbx_top_level(const fbx_file *file)
{
    const size_t begin = file->is_binary ? BINARY_HEADER : 0;
    return (fbx_range){file->bytes + begin, file->bytes + file->size};
}

// -- Binary nodes ---------------------------------------------------------------------------------

// Reads the header of the next node in `range`, and advances the range past the node. Returns false
// at the end of the range, at a header of zeros, or if the header is damaged.
//
// The layout of a node; a word has 4 bytes, or 8 if the file has wide headers:
//
//   word     offset of the node's end in the file
//   word     number of values
//   word     size of the values in bytes
//   1 byte   length of the name
//   name, values, children
static bool next_binary_node(const fbx_file *file, fbx_range *range, fbx_node *node)
{
    const int word = file->has_wide_headers ? 8 : 4;
    const int values_size_at = 2 * word;
    const int name_size_at = 3 * word;
    const size_t header_size = (size_t)name_size_at + 1;
    const char *const header = range->at;
    if ((size_t)(range->end - header) < header_size)
        return false;

    const uint64_t end_offset = read_little_endian(header, word);
    const uint64_t values_size = read_little_endian(header + values_size_at, word);
    node->name_size = (uint8_t)header[name_size_at];
    node->name = header + header_size;
    const uint64_t max_offset = (uint64_t)(range->end - file->bytes);
    const uint64_t values_offset = (uint64_t)(node->name - file->bytes) + node->name_size;
    if (end_offset > max_offset || values_offset > end_offset) // also a header of zeros
        return false;
    if (values_size > end_offset - values_offset)
        return false;

    const char *const values = file->bytes + values_offset;
    node->values = (fbx_range){values, values + values_size};
    node->children = (fbx_range){values + values_size, file->bytes + end_offset};
    range->at = node->children.end;
    return true;
}

// Returns the size of an element in bytes, or 0 if the type is unknown or no caller needs it.
static size_t element_size(char type)
{
    if (type == 'f' || type == 'i')
        return 4;
    return type == 'd' || type == 'l' ? 8 : 0;
}

// Reads the header of an array, and advances `values` past the array. Returns false if the array is
// damaged. The header consists of three words of 4 bytes. The first is the number of elements. The
// second is 1 if the elements are compressed. The third is their size in the file, in bytes.
static bool next_binary_array(fbx_range *values, char type, fbx_value *value)
{
    enum { COUNT = 0, IS_COMPRESSED = 4, STORED_SIZE = 8, HEADER = 12 }; // offsets
    const char *const at = values->at;
    if (values->end - at < HEADER)
        return false;

    const size_t unit = type == 'b' || type == 'c' ? 1 : element_size(type);
    const size_t stored_size = (size_t)read_little_endian(at + STORED_SIZE, 4);
    *value = (fbx_value){.kind = FBX_ARRAY,
                         .text = at + HEADER,
                         .type = type,
                         .count = (size_t)read_little_endian(at + COUNT, 4),
                         .is_compressed = read_little_endian(at + IS_COMPRESSED, 4) == 1};
    const uint64_t plain_size = value->count * (uint64_t)unit;
    const uint64_t size = value->is_compressed ? stored_size : plain_size;
    if (unit == 0 || size > (uint64_t)(values->end - value->text))
        return false;

    value->size = (size_t)size;
    values->at = value->text + value->size;
    return true;
}

// Reads the size of a text and the text.
static bool next_binary_text(fbx_range *values, fbx_value *value)
{
    enum { HEADER = 4 };
    const size_t left = (size_t)(values->end - values->at);
    const size_t size = left >= HEADER ? (size_t)read_little_endian(values->at, 4) : SIZE_MAX;
    if (size > left || left - size < HEADER)
        return false;
    *value = (fbx_value){.kind = FBX_TEXT, .text = values->at + HEADER, .size = size};
    values->at += HEADER + size;
    return true;
}

// Reads a number of `size` bytes, at least one. Type D is a double, F a float, others are integers.
static bool next_binary_number(fbx_range *values, char type, int size, fbx_value *value)
{
    if (values->end - values->at < size)
        return false;
    const uint64_t bits = read_little_endian(values->at, size);
    const int num_unused_bits = 64 - 8 * size;
    *value = (fbx_value){.kind = FBX_NUMBER,
                         .integer = (int64_t)(bits << num_unused_bits) >> num_unused_bits};
    value->number = (double)value->integer;
    if (type == 'D') {
        memcpy(&value->number, &bits, sizeof value->number);
    } else if (type == 'F') {
        const uint32_t low_bits = (uint32_t)bits;
        float number;
        memcpy(&number, &low_bits, sizeof number);
        value->number = (double)number;
    }
    values->at += size;
    return true;
}

// Reads a value, which begins with its type. Types that are neither texts nor numbers are arrays.
static bool next_binary_value(fbx_range *values, fbx_value *value)
{
    static const struct {
        char type;
        int size;
    } numbers[] = {{'C', 1}, {'B', 1}, {'Y', 2}, {'I', 4}, {'L', 8}, {'F', 4}, {'D', 8}};
    if (values->at == values->end)
        return false;

    const char type = *values->at++;
    if (type == 'S' || type == 'R')
        return next_binary_text(values, value);
    for (size_t i = 0; i < COMMON_LENGTH(numbers); i++) {
        if (numbers[i].type == type)
            return next_binary_number(values, type, numbers[i].size, value);
    }
    return next_binary_array(values, type, value);
}

// -- Text nodes -----------------------------------------------------------------------------------

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

// Returns the position after blanks, ends of lines, comments and commas.
static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end) {
        if (*at == ';') {
            const char *const line_end = memchr(at, '\n', (size_t)(end - at));
            at = line_end ? line_end : end;
        } else if (is_blank(*at) || *at == '\n' || *at == ',') {
            at++;
        } else {
            break;
        }
    }
    return at;
}

// Returns the position after the text in quotes that begins at `at`.
static const char *skip_text(const char *at, const char *end)
{
    const char *const quote = memchr(at + 1, '"', (size_t)(end - at) - 1);
    return quote ? quote + 1 : end;
}

// Returns the position of the brace that closes a level, or the end.
static const char *find_closing_brace(const char *at, const char *end)
{
    size_t depth = 0;
    while (at < end) {
        if (*at == '}' && depth == 0)
            return at;
        if (*at == '{')
            depth++;
        else if (*at == '}')
            depth--;
        if (*at == '"')
            at = skip_text(at, end);
        else if (*at == ';')
            at = skip_blanks(at, end);
        else
            at++;
    }
    return end;
}

// Returns the position at which the values of a node continue in a later line: a comma after blanks
// and line breaks. If the values do not continue, returns the position of the line break.
static const char *skip_continued_line(const char *line_end, const char *end)
{
    const char *next = line_end;
    while (next < end && (is_blank(*next) || *next == '\n'))
        next++;
    const bool continues = next < end && *next == ',';
    return continues ? next : line_end;
}

// Returns the end of the values of a node: an opening or closing brace, or the end of a line. The
// values continue in the next line if a comma ends this line or begins the next one. Texts in
// quotes and comments are skipped.
static const char *find_values_end(const char *at, const char *end)
{
    const char *next = at;
    char last = ' '; // the last character that is not a blank
    while (next < end && *next != '{' && *next != '}') {
        if (*next == '\n' && last != ',') {
            const char *const continued = skip_continued_line(next, end);
            if (continued == next)
                return next;
            next = continued;
        }
        if (*next == ';') { // a comment
            const char *const line_end = memchr(next, '\n', (size_t)(end - next));
            next = line_end ? line_end : end;
            continue;
        }
        if (!is_blank(*next) && *next != '\n')
            last = *next;
        next = *next == '"' ? skip_text(next, end) : next + 1;
    }

    return next;
}

// Reads the next node of an ASCII file: `Name: values`, optionally followed by children in
// braces. Returns false at the end of the range and at text without a node.
static bool next_text_node(fbx_range *range, fbx_node *node)
{
    const char *at = skip_blanks(range->at, range->end);
    const char *const end = range->end;
    const char *const name = at;
    while (at < end && *at != ':' && *at != '\n' && *at != '{')
        at++;

    if (at == end || *at != ':' || at == name)
        return false;
    node->name = name;
    node->name_size = (size_t)(at - name);
    node->values = (fbx_range){at + 1, find_values_end(at + 1, end)};
    at = skip_blanks(node->values.end, end);
    node->children = (fbx_range){at, at};
    range->at = at;
    if (at == end || *at != '{')
        return true;

    const char *const stop = find_closing_brace(at + 1, end);
    node->children = (fbx_range){at + 1, stop};
    range->at = stop < end ? stop + 1 : end;
    return true;
}

static bool is_in_number(char c)
{
    return isalnum((unsigned char)c) || c == '+' || c == '-' || c == '.';
}

// Rounds a number of text[length] to a double and fills the rest with blanks. Does nothing if the
// text is not a number.
static void round_number(char *text, size_t length)
{
    char *const end = text + length;
    const char next = *end; // strtod() needs the end of a text
    char *stop = text;
    *end = '\0';
    const double number = strtod(text, &stop);
    *end = next;
    if (stop != end)
        return;
    char rounded[MAX_FLOAT_LENGTH + 1];
    COMMON_TEXT(rounded, "%.17g", number);
    const size_t rounded_length = strlen(rounded);
    for (size_t i = 0; i < length; i++)
        text[i] = i < rounded_length ? rounded[i] : ' ';
}

char *fbx_shorten_numbers(const fbx_file *file)
{
    const char *const end = file->bytes + file->size;
    char *copy = NULL;
    if (file->is_binary)
        return NULL;
    for (const char *at = file->bytes; at < end;) {
        const char *const start = at;
        while (at < end && is_in_number(*at))
            at++;
        const size_t length = (size_t)(at - start);
        if (length > MAX_FLOAT_LENGTH) {
            if (!copy) {
                copy = common_alloc(file->size + 1, 1);
                memcpy(copy, file->bytes, file->size);
            }
            round_number(copy + (start - file->bytes), length);
        }
        if (at == end)
            break;
        if (*at == '"')
            at = skip_text(at, end);
        else if (*at == ';')
            at = skip_blanks(at, end); // and the comment
        else
            at++;
    }
    return copy;
}

// Reads a number of a text file. Returns false if the next token is not a number.
static bool read_number(const char **at, const char *end, double *number, int64_t *integer,
                        bool *is_integer)
{
    char text[MAX_NUMBER_LENGTH + 1];
    size_t length = 0;
    *is_integer = true;
    while (*at < end && length < MAX_NUMBER_LENGTH && is_in_number(**at)) {
        *is_integer &= isdigit((unsigned char)**at) || **at == '-';
        text[length++] = *(*at)++;
    }
    text[length] = '\0';
    char *stop = text;
    *number = strtod(text, &stop);
    *integer = *is_integer ? strtoll(text, NULL, 10) : 0;
    return length > 0;
}

// Reads a text in quotes. The closing quote may be missing at the end of the range.
static void next_quoted_text(fbx_range *values, fbx_value *value)
{
    const char *const begin = values->at + 1;
    values->at = skip_text(values->at, values->end);
    *value = (fbx_value){.kind = FBX_TEXT, .text = begin, .size = (size_t)(values->at - begin)};
    if (values->at[-1] == '"' && value->size > 0)
        value->size--;
}

// Reads a word without quotes, such as Y.
static void next_bare_word(fbx_range *values, fbx_value *value)
{
    const char *const begin = values->at;
    while (values->at < values->end && isalnum((unsigned char)*values->at))
        values->at++;
    *value = (fbx_value){.kind = FBX_TEXT, .text = begin, .size = (size_t)(values->at - begin)};
}

// Reads a value: a text, a number, or "*" and the number of elements of an array.
static bool next_text_value(fbx_range *values, fbx_value *value)
{
    values->at = skip_blanks(values->at, values->end);
    if (values->at == values->end)
        return false;
    if (*values->at == '"') {
        next_quoted_text(values, value);
        return true;
    }
    if (isalpha((unsigned char)*values->at)) {
        next_bare_word(values, value);
        return true;
    }

    const bool is_array = *values->at == '*';
    if (is_array)
        values->at++;
    bool is_integer = false;
    *value = (fbx_value){.kind = is_array ? FBX_ARRAY : FBX_NUMBER};
    if (!read_number(&values->at, values->end, &value->number, &value->integer, &is_integer))
        return false;
    value->count = is_array && value->integer > 0 ? (size_t)value->integer : 0;
    return true;
}

// -- Both forms -----------------------------------------------------------------------------------

bool fbx_next_node(const fbx_file *file, fbx_range *range, fbx_node *node)
{
    return file->is_binary ? next_binary_node(file, range, node) : next_text_node(range, node);
}

bool fbx_is_named(const fbx_node *node, const char *name)
{
    return node->name_size == strlen(name) && memcmp(node->name, name, node->name_size) == 0;
}

bool fbx_next_value(const fbx_file *file, fbx_range *values, fbx_value *value)
{
    return file->is_binary ? next_binary_value(values, value) : next_text_value(values, value);
}

bool fbx_is_text(const fbx_value *value, const char *text)
{
    return value->kind == FBX_TEXT && value->size == strlen(text)
           && memcmp(value->text, text, value->size) == 0;
}

// Finds the array in a child of a node by the child's name. In a text file, the array is a list
// of numbers in a node "a" of the child, and *items receives its range. Returns false if the
// array does not exist or its elements cannot be read.
static bool find_array(const fbx_file *file, const fbx_node *node, const char *name,
                       fbx_value *array, fbx_range *items)
{
    fbx_range children = node->children;
    fbx_node child;
    fbx_node list;
    while (fbx_next_node(file, &children, &child)) {
        if (!fbx_is_named(&child, name))
            continue;
        if (!fbx_next_value(file, &child.values, array) || array->kind != FBX_ARRAY)
            return false;
        if (file->is_binary)
            return element_size(array->type) > 0;
        const bool has_list = fbx_next_node(file, &child.children, &list);
        *items = has_list ? list.values : (fbx_range){NULL, NULL};
        return has_list && fbx_is_named(&list, "a");
    }
    return false;
}

// Returns true if an array is not larger than its bytes and the budget allow.
static bool is_array_allowed(const convert_job *job, const fbx_file *file, const fbx_value *array,
                             const fbx_range *items)
{
    uint64_t max_count = 0;
    if (!file->is_binary)
        max_count = (uint64_t)(items->end - items->at); // each element has at least one character
    else if (element_size(array->type) > 0)
        max_count = array->size / element_size(array->type);
    if (file->is_binary && array->is_compressed)
        max_count *= MAX_INFLATION;
    return array->count <= max_count && convert_can_charge(job, array->count)
           && convert_can_charge_bytes(job, array->count, 2 * sizeof(double));
}

// Finds an array by its name. Returns false if it is missing, or if is_array_allowed() is false.
static bool find_allowed_array(const convert_job *job, const fbx_file *file, const fbx_node *node,
                               const char *name, fbx_value *array, fbx_range *items)
{
    return find_array(file, node, name, array, items) && is_array_allowed(job, file, array, items);
}

#ifdef HAS_ZLIB
static bool inflate_elements(const fbx_value *array, char *elements, size_t size)
{
    uLongf inflated = (uLongf)size;
    const int result =
        uncompress((Bytef *)elements, &inflated, (const Bytef *)array->text, (uLong)array->size);
    return result == Z_OK && inflated == size;
}
#else
// NOLINTNEXTLINE(readability-non-const-parameter): the same parameters as with zlib
static bool inflate_elements(const fbx_value *array, char *elements, size_t size)
{
    (void)array;
    (void)elements;
    (void)size;
    return false;
}
#endif

// Returns a copy of the elements of a binary array, or NULL if they are damaged.
static char *copy_elements(const fbx_value *array)
{
    const size_t size = array->count * element_size(array->type);
    char *const copy = common_alloc(size + 1, 1);
    if (!array->is_compressed) {
        memcpy(copy, array->text, size);
        return copy;
    }
    if (inflate_elements(array, copy, size))
        return copy;
    free(copy);
    return NULL;
}

// Returns an element of a decompressed array. `type` is the letter in the file: d = double,
// f = float, i = 32-bit integer, l = 64-bit integer.
static double element_at(const char *elements, char type, size_t index)
{
    const size_t size = element_size(type);
    const uint64_t bits = read_little_endian(elements + index * size, (int)size);
    const uint32_t low_bits = (uint32_t)bits;
    double number = 0;
    float small = 0;
    switch (type) {
    case 'd':
        memcpy(&number, &bits, sizeof number);
        return number;
    case 'f':
        memcpy(&small, &low_bits, sizeof small);
        return (double)small;
    case 'i':
        return (double)(int32_t)low_bits;
    default:
        return (double)(int64_t)bits;
    }
}

// Reads the numbers of an array in an ASCII file. Returns NULL if there are fewer than `count`.
// The caller frees the array.
static double *read_text_numbers(const fbx_file *file, fbx_range items, size_t count)
{
    double *const numbers = common_alloc(count + 1, sizeof *numbers);
    size_t num_read = 0;
    fbx_value item;
    while (num_read < count && fbx_next_value(file, &items, &item))
        numbers[num_read++] = item.number;
    if (num_read == count)
        return numbers;
    free(numbers);
    return NULL;
}

// Reads an array of a node as doubles. The file can store the numbers with any type. Returns NULL
// if it is missing or the budget does not suffice; the caller frees it.
double *fbx_read_array(const convert_job *job, const fbx_file *file, const fbx_node *node,
                       const char *name, size_t *count)
{
    fbx_value array;
    fbx_range items = {NULL, NULL};
    if (!find_allowed_array(job, file, node, name, &array, &items))
        return NULL;
    *count = array.count;
    if (!file->is_binary)
        return read_text_numbers(file, items, array.count);
    char *const elements = copy_elements(&array);
    if (!elements)
        return NULL;
    double *const numbers = common_alloc(array.count + 1, sizeof *numbers);
    for (size_t i = 0; i < array.count; i++)
        numbers[i] = element_at(elements, array.type, i);
    free(elements);
    return numbers;
}

// Converts numbers of a text file to the bit patterns of floats. Since version 7.2, files contain
// the bit patterns as whole numbers; older files contain the floats. A whole number whose pattern
// would be a tiny float is treated as a float.
static void convert_to_bits(const double *numbers, size_t count, uint32_t *bits)
{
    const double max_tiny = 1 << 23;
    bool are_patterns = true;
    double largest = 0;
    for (size_t i = 0; i < count; i++) {
        are_patterns &= floor(numbers[i]) == numbers[i] && fabs(numbers[i]) < 4294967296.0;
        largest = fmax(largest, fabs(numbers[i]));
    }
    are_patterns &= largest >= max_tiny;
    for (size_t i = 0; i < count; i++) {
        const float number = (float)numbers[i];
        memcpy(&bits[i], &number, sizeof number);
        if (are_patterns)
            bits[i] = (uint32_t)(int64_t)numbers[i];
    }
}

// Reads an array of 32-bit words without changing their bits, whether the file stores them as
// floats or integers. Attributes of keys need this, because one array mixes floats and integers.
uint32_t *fbx_read_float_bits(const convert_job *job, const fbx_file *file, const fbx_node *node,
                              const char *name, size_t *count)
{
    fbx_value array;
    fbx_range items = {NULL, NULL};
    if (!find_allowed_array(job, file, node, name, &array, &items))
        return NULL;

    *count = array.count;
    const bool has_words = file->is_binary && element_size(array.type) == sizeof(uint32_t);
    char *const elements = has_words ? copy_elements(&array) : NULL;
    double *const numbers = file->is_binary ? NULL : read_text_numbers(file, items, array.count);
    if (!elements && !numbers)
        return NULL;

    uint32_t *const bits = common_alloc(array.count + 1, sizeof *bits);
    if (elements) {
        for (size_t i = 0; i < array.count; i++)
            bits[i] = (uint32_t)read_little_endian(elements + 4 * i, 4);
    } else {
        convert_to_bits(numbers, array.count, bits);
    }
    free(elements);
    free(numbers);
    return bits;
}
