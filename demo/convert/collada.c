// Evaluates the animation curves of Collada files. The result is a file for libassimp, in which
// each curve has a key in each frame.
//
// A Collada animation consists of sources, samplers and channels. A source is an array of numbers
// or names. A sampler refers to sources with the times of keys, their values, their types of
// interpolation and their tangents. A channel connects a sampler with a transform of a node. Only
// samplers are changed here: each sampler whose keys are more than a frame apart refers to two new
// sources, which contain the times and values of more keys. All other text is copied. libassimp
// then reads the file, composes the transforms of nodes, and reports errors of the format.
//
// A sampler with `width` values per key has `width` curves. The curve between two keys is a cubic
// Bezier curve of time and value. Its inner control points are tangents of the first key and of the
// second key. The main structures are collada_text and collada_sampler.
#include "demo/convert/collada.h"

#include "demo/convert/plain_scene.h"
#include "demo/convert/tokens.h"

// -- XML ------------------------------------------------------------------------------------------

typedef struct text_range {
    const char *at;
    const char *end;
} text_range;

// An element, such as <source id="a">content</source>.
typedef struct xml_element {
    const char *start;
    text_range attributes;
    text_range content;
    const char *end;
} xml_element;

static bool begins_with(text_range text, const char *beginning)
{
    const size_t length = strlen(beginning);
    return (size_t)(text.end - text.at) >= length && memcmp(text.at, beginning, length) == 0;
}

// Returns true if a text begins with the name of an element, and not with a longer name.
static bool begins_with_name(text_range text, const char *name)
{
    const size_t length = strlen(name);
    if (!begins_with(text, name) || (size_t)(text.end - text.at) == length)
        return false;
    const char next = text.at[length];
    return next == '>' || next == '/' || isspace((unsigned char)next);
}

// Finds the end of an element: its closing tag, or the end of its only tag. `name` is its name, and
// text.at is after this name. Elements with this name must not contain each other.
static bool close_element(text_range text, const char *name, xml_element *element)
{
    const char *const content = convert_find_after(text.at, text.end, ">");
    if (!content)
        return false;
    element->attributes = (text_range){text.at, content - 1};
    element->content = (text_range){content, content};
    element->end = content;
    if (content[-2] == '/')
        return true;

    const char *at = convert_find_after(content, text.end, "</");
    while (at && !begins_with_name((text_range){at, text.end}, name))
        at = convert_find_after(at, text.end, "</");
    element->content.end = at ? at - 2 : text.end;
    element->end = at ? convert_find_after(at, text.end, ">") : NULL;
    return element->end != NULL;
}

// Finds the next element <NAME> in a text and sets rest->at to the end of the element. Returns
// false if there is no further element.
static bool find_element(text_range *rest, const char *name, xml_element *element)
{
    const char *at = convert_find_after(rest->at, rest->end, "<");
    while (at && !begins_with_name((text_range){at, rest->end}, name))
        at = convert_find_after(at, rest->end, "<");
    if (at)
        element->start = at - 1;
    const bool is_found =
        at && close_element((text_range){at + strlen(name), rest->end}, name, element);
    rest->at = is_found ? element->end : rest->end;
    return is_found;
}

// Returns the value of an attribute of an element, or an empty text if it is missing.
static text_range find_attribute(const xml_element *element, const char *name)
{
    const char *const end = element->attributes.end;
    const char *at = convert_find_after(element->attributes.at, end, name);
    for (; at; at = convert_find_after(at, end, name)) {
        const char before = at[-(ptrdiff_t)strlen(name) - 1];
        const bool is_whole_name = isspace((unsigned char)before) && end - at >= 2 && *at == '=';
        const char quote = is_whole_name ? at[1] : '\0';
        if (quote != '"' && quote != '\'')
            continue;
        const char *const value = at + 2;
        const char *const stop = memchr(value, quote, (size_t)(end - value));
        if (stop)
            return (text_range){value, stop};
    }
    return (text_range){end, end};
}

// -- Sources --------------------------------------------------------------------------------------

// The arrays to which a sampler refers.
typedef enum collada_input {
    TIMES,
    VALUES,
    KINDS, // types of interpolation
    IN_TANGENTS,
    OUT_TANGENTS,
    NUM_INPUTS,
} collada_input;

static const char *const input_names[NUM_INPUTS] = {"INPUT", "OUTPUT", "INTERPOLATION",
                                                    "IN_TANGENT", "OUT_TANGENT"};

// Types of interpolation between a key and the next key.
typedef enum key_kind {
    LINEAR,
    STEP,
    BEZIER,
    HERMITE,
    OTHER_KIND,
    NUM_KINDS = OTHER_KIND
} key_kind;

enum { MATRIX_WIDTH = 16 };

// A Collada file while its curves are evaluated.
typedef struct collada_text {
    const convert_job *job;
    text_range all;
    common_text_index source_ids;
    xml_element *sources; // [source_ids.count] elements <source>
    double rate;          // frames per second
    size_t num_new;       // sources that were created
    collada_file file;
} collada_text;

// A sampler: the keys of the curves that animate one transform of a node.
typedef struct collada_sampler {
    text_range id;
    const xml_element *sources[NUM_INPUTS]; // or NULL
    double *numbers[NUM_INPUTS];            // [counts[]]; NULL for KINDS
    size_t counts[NUM_INPUTS];
    uint8_t *kinds; // [num_keys] key_kind
    size_t num_keys;
    size_t width;         // values per key
    size_t tangent_width; // numbers per tangent: `width`, or twice if they contain times
} collada_sampler;

// Lists the elements <source> of a file by their ids.
static void list_sources(collada_text *file)
{
    text_range rest = file->all;
    xml_element source;
    while (find_element(&rest, "source", &source)) {
        const text_range id = find_attribute(&source, "id");
        const size_t count = file->source_ids.count;
        common_index_text(&file->source_ids, id.at, (size_t)(id.end - id.at));
        if (file->source_ids.count == count) // the id is not unique: the first source is used
            continue;
        file->sources = common_grow(file->sources, count, sizeof *file->sources);
        file->sources[count] = source;
    }
}

// Returns the source with an id, which follows a '#' in `reference`, or NULL.
static const xml_element *find_source(collada_text *file, text_range reference)
{
    if (!begins_with(reference, "#"))
        return NULL;
    const ptrdiff_t length = reference.end - reference.at - 1; // without the '#'
    char *const id = common_format("%.*s", (int)length, reference.at + 1);
    const bool is_found = common_has_text(&file->source_ids, id);
    const size_t index = is_found ? common_index_text(&file->source_ids, id, strlen(id)) : 0;
    free(id);
    return is_found ? &file->sources[index] : NULL;
}

// Reads the numbers of a source. Returns NULL if the source does not contain finite numbers only,
// or if the budget is exceeded. The caller frees the array.
static double *read_numbers(const collada_text *file, const xml_element *source, size_t *count)
{
    enum { ELEMENTS_PER_NUMBER = 8 };
    text_range rest = source->content;
    xml_element array;
    *count = 0;
    if (!find_element(&rest, "float_array", &array))
        return NULL;
    const size_t size = (size_t)(array.content.end - array.content.at);
    const size_t max_count = size / 2 + 1; // each number has at least a digit and a blank
    if (!convert_can_charge(file->job, size + ELEMENTS_PER_NUMBER * (uint64_t)max_count)
        || !convert_can_charge_bytes(file->job, max_count, sizeof(double)))
        return NULL;

    double *const numbers = common_alloc(max_count, sizeof *numbers);
    char *at = (char *)(uintptr_t)array.content.at;
    for (;;) {
        while (at < array.content.end && isspace((unsigned char)*at))
            at++;
        if (at == array.content.end)
            return numbers;
        char *stop = at;
        const double number = strtod(at, &stop);
        if (stop == at || stop > array.content.end || !isfinite(number) || *count == max_count) {
            free(numbers);
            *count = 0;
            return NULL;
        }
        numbers[(*count)++] = number;
        at = stop;
    }
}

// Returns the type of interpolation that begins a text.
static key_kind find_kind(text_range text)
{
    static const char *const names[NUM_KINDS] = {"LINEAR", "STEP", "BEZIER", "HERMITE"};
    for (int i = 0; i < OTHER_KIND; i++) {
        if (begins_with(text, names[i]))
            return (key_kind)i;
    }
    return OTHER_KIND;
}

// Reads the types of interpolation of a source. Returns NULL if the source has no names or the
// budget is exceeded. The caller frees the array.
static uint8_t *read_kinds(const collada_text *file, const xml_element *source, size_t *count)
{
    text_range rest = source->content;
    xml_element array;
    *count = 0;
    if (!find_element(&rest, "Name_array", &array))
        return NULL;
    const size_t size = (size_t)(array.content.end - array.content.at);
    if (!convert_can_charge(file->job, size) || !convert_can_charge_bytes(file->job, size + 1, 1))
        return NULL;

    uint8_t *const kinds = common_alloc(size + 1, 1);
    bool is_in_name = false;
    for (const char *at = array.content.at; at < array.content.end; at++) {
        const bool is_blank = isspace((unsigned char)*at) != 0;
        if (!is_blank && !is_in_name)
            kinds[(*count)++] = (uint8_t)find_kind((text_range){at, array.content.end});
        is_in_name = !is_blank;
    }
    return kinds;
}

// -- Samplers -------------------------------------------------------------------------------------

static void free_sampler(const collada_sampler *sampler)
{
    for (int i = 0; i < NUM_INPUTS; i++)
        free(sampler->numbers[i]);
    free(sampler->kinds);
}

// Finds the sources of a sampler.
static collada_sampler open_sampler(collada_text *file, const xml_element *element)
{
    collada_sampler sampler = {.id = find_attribute(element, "id")};
    text_range rest = element->content;
    xml_element found;
    while (find_element(&rest, "input", &found)) {
        const text_range semantic = find_attribute(&found, "semantic");
        for (int i = 0; i < NUM_INPUTS; i++) {
            const size_t length = strlen(input_names[i]);
            const bool is_same = (size_t)(semantic.end - semantic.at) == length
                                 && memcmp(semantic.at, input_names[i], length) == 0;
            if (is_same)
                sampler.sources[i] = find_source(file, find_attribute(&found, "source"));
        }
    }
    return sampler;
}

// Reads an array of numbers of a sampler, if the sampler has it.
static void read_input(const collada_text *file, collada_sampler *sampler, collada_input i)
{
    if (sampler->sources[i])
        sampler->numbers[i] = read_numbers(file, sampler->sources[i], &sampler->counts[i]);
}

// Reads the times of the keys. Returns false if there are none, or if they do not ascend.
static bool read_times(const collada_text *file, collada_sampler *sampler)
{
    read_input(file, sampler, TIMES);
    const double *const times = sampler->numbers[TIMES];
    sampler->num_keys = sampler->counts[TIMES];
    for (size_t k = 1; k < sampler->num_keys; k++) {
        if (!(times[k] > times[k - 1]))
            return false;
    }
    return sampler->num_keys > 0;
}

// Reads the values, the types of interpolation and the tangents of the keys. Returns false if they
// are damaged, or if a type of interpolation is not supported.
static bool read_keys(const collada_text *file, collada_sampler *sampler)
{
    read_input(file, sampler, VALUES);
    sampler->width = sampler->counts[VALUES] / sampler->num_keys;
    if (sampler->width == 0 || sampler->counts[VALUES] != sampler->width * sampler->num_keys)
        return false;
    if (!sampler->sources[KINDS]) { // all keys are linear
        sampler->kinds = common_alloc(sampler->num_keys, sizeof *sampler->kinds);
        return true;
    }

    sampler->kinds = read_kinds(file, sampler->sources[KINDS], &sampler->counts[KINDS]);
    if (!sampler->kinds || sampler->counts[KINDS] < sampler->num_keys)
        return false;
    bool has_curves = false;
    for (size_t k = 0; k < sampler->num_keys; k++) {
        if (sampler->kinds[k] == OTHER_KIND)
            return false;
        has_curves |= sampler->kinds[k] == BEZIER || sampler->kinds[k] == HERMITE;
    }
    if (!has_curves)
        return true;

    read_input(file, sampler, IN_TANGENTS);
    read_input(file, sampler, OUT_TANGENTS);
    const size_t count = sampler->counts[IN_TANGENTS];
    sampler->tangent_width = count / sampler->num_keys;
    const bool has_times = sampler->tangent_width == 2 * sampler->width;
    return (has_times || sampler->tangent_width == sampler->width)
           && count == sampler->tangent_width * sampler->num_keys
           && count == sampler->counts[OUT_TANGENTS];
}

// Returns true if all keys are linear. Libassimp reads them correctly if the values are matrices,
// which it splits into translation, rotation and scale.
static bool is_linear(const collada_sampler *sampler)
{
    for (size_t k = 0; k < sampler->num_keys; k++) {
        if (sampler->kinds[k] != LINEAR)
            return false;
    }
    return true;
}

// Returns true if two adjacent keys are more than a frame apart.
static bool has_sparse_keys(const collada_text *file, const collada_sampler *sampler)
{
    const double max_gap = 1.5 / file->rate;
    const double *const times = sampler->numbers[TIMES];
    for (size_t k = 1; k < sampler->num_keys; k++) {
        if (times[k] - times[k - 1] > max_gap)
            return true;
    }
    return false;
}

// -- Curves ---------------------------------------------------------------------------------------

// A control point of a curve.
typedef struct curve_point {
    double time;
    double value;
} curve_point;

// Returns the control point that a tangent of a key defines. The tangent of a Bezier curve is the
// control point; the tangent of a Hermite curve is its distance from the key, multiplied by 3. If
// the tangent contains no time, `time` is the time of the control point. `side` is 1 for the
// tangent to the next key and -1 for the tangent to the previous key.
static curve_point find_control_point(const collada_sampler *sampler, size_t key, size_t column,
                                      bool is_hermite, double side, double time)
{
    const collada_input input = side > 0 ? OUT_TANGENTS : IN_TANGENTS;
    const double *const tangent = sampler->numbers[input] + key * sampler->tangent_width;
    const bool has_times = sampler->tangent_width == 2 * sampler->width;
    const double value = has_times ? tangent[2 * column + 1] : tangent[column];
    curve_point point = {time, value};
    if (has_times)
        point.time = tangent[2 * column];
    if (!is_hermite)
        return point;

    if (has_times)
        point.time = sampler->numbers[TIMES][key] + side * point.time / 3;
    point.value = sampler->numbers[VALUES][key * sampler->width + column] + side * value / 3;
    return point;
}

static double bezier(double a, double b, double c, double d, double s)
{
    const double r = 1 - s;
    return r * r * r * a + 3 * r * r * s * b + 3 * r * s * s * c + s * s * s * d;
}

// Evaluates a curve between a key and the next key.
static double evaluate_curve(const collada_sampler *sampler, size_t key, size_t column, double time)
{
    enum { NUM_HALVINGS = 48 }; // of the interval that contains the parameter of the curve
    const double *const times = sampler->numbers[TIMES];
    const double *const values = sampler->numbers[VALUES] + column;
    const double step = times[key + 1] - times[key];
    const double a = values[key * sampler->width];
    const double d = values[(key + 1) * sampler->width];
    const uint8_t kind = sampler->kinds[key];
    if (kind == STEP)
        return a;
    if (kind == LINEAR)
        return a + (d - a) * (time - times[key]) / step;

    const bool is_hermite = kind == HERMITE;
    const curve_point b =
        find_control_point(sampler, key, column, is_hermite, 1, times[key] + step / 3);
    const curve_point c =
        find_control_point(sampler, key + 1, column, is_hermite, -1, times[key + 1] - step / 3);
    double low = 0;
    double high = 1;
    for (int i = 0; i < NUM_HALVINGS; i++) {
        const double middle = (low + high) / 2;
        if (bezier(times[key], b.time, c.time, times[key + 1], middle) < time)
            low = middle;
        else
            high = middle;
    }
    return bezier(a, b.value, c.value, d, low);
}

// -- Output ---------------------------------------------------------------------------------------

// The times and values of the keys that replace the keys of a sampler.
typedef struct baked_keys {
    double *times;  // [count]
    double *values; // [count][width of the sampler]
    size_t count;
} baked_keys;

// Adds a key at a time between a key of the sampler and the next key, or at the key.
static void add_key(const collada_sampler *sampler, size_t key, double time, baked_keys *baked)
{
    double *const values = baked->values + baked->count * sampler->width;
    const bool is_key = time <= sampler->numbers[TIMES][key];
    for (size_t i = 0; i < sampler->width; i++)
        values[i] = is_key ? sampler->numbers[VALUES][key * sampler->width + i]
                           : evaluate_curve(sampler, key, i, time);
    baked->times[baked->count++] = time;
}

// Creates keys at the times of all keys of a sampler and of all frames between them. Returns false
// if the keys exceed the budget or the longest clip.
static bool bake_keys(const collada_text *file, const collada_sampler *sampler, baked_keys *baked)
{
    enum { ELEMENTS_PER_VALUE = 10, BYTES_PER_VALUE = 40 };
    const double rounding = 1e-4; // seconds; a frame this near to a key needs no other key
    const double *const times = sampler->numbers[TIMES];
    const double seconds = times[sampler->num_keys - 1] - times[0];
    const double max_seconds = PLAIN_MAX_CLIP_SECONDS;
    if (!(seconds <= max_seconds && fabs(times[0]) <= max_seconds))
        return false;
    const size_t capacity = sampler->num_keys + (size_t)(seconds * file->rate) + 1;
    const uint64_t num_values = (uint64_t)capacity * (1 + sampler->width);
    if (!convert_can_charge(file->job, ELEMENTS_PER_VALUE * num_values)
        || !convert_can_charge_bytes(file->job, num_values, BYTES_PER_VALUE))
        return false;

    *baked = (baked_keys){.times = common_alloc(capacity, sizeof *baked->times),
                          .values = common_alloc((size_t)num_values, sizeof *baked->values)};
    for (size_t k = 0; k < sampler->num_keys; k++) {
        add_key(sampler, k, times[k], baked);
        if (k + 1 == sampler->num_keys)
            break;
        int64_t frame = (int64_t)floor((times[k] + rounding) * file->rate) + 1;
        for (; (double)frame / file->rate < times[k + 1] - rounding; frame++)
            add_key(sampler, k, (double)frame / file->rate, baked);
    }
    return true;
}

// Writes a source. Its id is `id` and a number. `original` is the source whose accessor has the
// same names of values.
static void write_source(collada_text *file, const char *id, const double *numbers, size_t count,
                         size_t width, const xml_element *original)
{
    convert_bytes *const out = &file->file.text;
    xml_element accessor = {0};
    text_range rest = original->content;
    const bool has_accessor = find_element(&rest, "accessor", &accessor);
    convert_append_text(out, "<source id=\"%s%zu\"><float_array id=\"%s%zu-array\" count=\"%zu\">",
                        id, file->num_new, id, file->num_new, count * width);
    for (size_t i = 0; i < count * width; i++) {
        char text[32];
        const int length = snprintf(text, sizeof text, "%.9g ", numbers[i]);
        convert_append(out, text, (size_t)length);
    }
    convert_append_text(out,
                        "</float_array><technique_common><accessor source=\"#%s%zu-array\" "
                        "count=\"%zu\" stride=\"%zu\">",
                        id, file->num_new, count, width);
    if (has_accessor)
        convert_append(out, accessor.content.at,
                       (size_t)(accessor.content.end - accessor.content.at));
    convert_append_text(out, "</accessor></technique_common></source>");
}

// Writes a sampler and its two sources.
static void write_sampler(collada_text *file, const collada_sampler *sampler,
                          const baked_keys *baked)
{
    static const char time_id[] = "md5model-times-";
    static const char value_id[] = "md5model-values-";
    convert_bytes *const out = &file->file.text;
    write_source(file, time_id, baked->times, baked->count, 1, sampler->sources[TIMES]);
    write_source(file, value_id, baked->values, baked->count, sampler->width,
                 sampler->sources[VALUES]);
    convert_append_text(out, "<sampler id=\"");
    convert_append(out, sampler->id.at, (size_t)(sampler->id.end - sampler->id.at));
    convert_append_text(out,
                        "\"><input semantic=\"INPUT\" source=\"#%s%zu\"/><input "
                        "semantic=\"OUTPUT\" source=\"#%s%zu\"/></sampler>",
                        time_id, file->num_new, value_id, file->num_new);
    file->num_new++;
}

// Stores the id of a sampler whose curves cannot be evaluated, if it is the first.
static void note_unsupported(collada_text *file, const collada_sampler *sampler)
{
    if (!file->file.unsupported_sampler)
        file->file.unsupported_sampler = convert_sanitize(
            sampler->id.at, (size_t)(sampler->id.end - sampler->id.at), CONVERT_QUOTE);
}

// Evaluates the curves of a sampler whose keys are more than a frame apart. Returns false if the
// sampler remains as it is.
static bool evaluate_sampler(collada_text *file, collada_sampler *sampler, baked_keys *baked)
{
    const bool are_times_valid = read_times(file, sampler);
    if (are_times_valid && !has_sparse_keys(file, sampler))
        return false;
    const bool is_valid = are_times_valid && read_keys(file, sampler);
    if (is_valid && is_linear(sampler) && sampler->width == MATRIX_WIDTH)
        return false;
    if (is_valid && bake_keys(file, sampler, baked))
        return true;
    note_unsupported(file, sampler);
    return false;
}

// Copies the file and replaces its samplers.
static void replace_samplers(collada_text *file)
{
    convert_bytes *const out = &file->file.text;
    const char *copied = file->all.at; // end of the text that was already copied or replaced
    text_range rest = file->all;
    xml_element element;
    while (find_element(&rest, "sampler", &element)) {
        collada_sampler sampler = open_sampler(file, &element);
        baked_keys baked = {0};
        if (evaluate_sampler(file, &sampler, &baked)) {
            convert_append(out, copied, (size_t)(element.start - copied));
            write_sampler(file, &sampler, &baked);
            copied = element.end;
        }
        free(baked.times);
        free(baked.values);
        free_sampler(&sampler);
    }
    if (file->num_new > 0)
        convert_append(out, copied, (size_t)(file->all.end - copied));
}

// Returns true if the target of a channel is a single number of a vector, such as "node/turn(3)".
// libassimp supports only names, such as "node/turn.ANGLE", and numbers of a matrix, such as
// "node/matrix(3)(0)".
static bool has_vector_index(text_range target)
{
    const char *const bracket = convert_find_after(target.at, target.end, "(");
    return bracket && !convert_find_after(bracket, target.end, "(");
}

// Returns true if the target of a channel is a part of a color.
static bool is_color(text_range target)
{
    static const char letters[4] = {'R', 'G', 'B', 'A'};
    const char *const dot = convert_find_after(target.at, target.end, ".");
    return dot && dot < target.end && memchr(letters, *dot, sizeof letters)
           && !begins_with((text_range){dot, target.end}, "ANGLE");
}

// Searches for a channel that libassimp ignores, and stores its target. libassimp uses only one
// channel per sampler.
static void check_channels(collada_text *file)
{
    common_text_index samplers = {0};
    text_range rest = file->all;
    xml_element channel;
    while (!file->file.unsupported_target && find_element(&rest, "channel", &channel)) {
        const text_range sampler = find_attribute(&channel, "source");
        const text_range target = find_attribute(&channel, "target");
        const size_t count = samplers.count;
        common_index_text(&samplers, sampler.at, (size_t)(sampler.end - sampler.at));
        const bool is_ignored = samplers.count == count || has_vector_index(target);
        if (is_ignored && !is_color(target))
            file->file.unsupported_target =
                convert_sanitize(target.at, (size_t)(target.end - target.at), CONVERT_QUOTE);
    }
    common_free_text_index(&samplers);
}

// Returns the frame rate at which curves are evaluated, in Hz.
static double find_rate(collada_text *file)
{
    if (file->job->rate > 0)
        return file->job->rate;
    plain_rate_search search = {{false}};
    text_range rest = file->all;
    xml_element element;
    while (find_element(&rest, "sampler", &element)) {
        collada_sampler sampler = open_sampler(file, &element);
        read_input(file, &sampler, TIMES);
        for (size_t k = 0; k < sampler.counts[TIMES]; k++)
            plain_add_key_time(&search, sampler.numbers[TIMES][k]);
        free_sampler(&sampler);
    }
    return plain_find_rate(&search);
}

collada_file collada_bake_curves(const convert_job *job, const char *bytes, size_t size)
{
    collada_text file = {.job = job, .all = {bytes, bytes + size}};
    list_sources(&file);
    file.rate = find_rate(&file);
    replace_samplers(&file);
    check_channels(&file);
    common_free_text_index(&file.source_ids);
    free(file.sources);
    return file.file;
}
