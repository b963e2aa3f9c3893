// Repairs Collada files for libassimp: evaluates their animation curves, so that each curve has a
// key in each frame, and changes elements that libassimp reads incorrectly.
//
// A Collada animation consists of sources, samplers and channels. A source is an array of numbers
// or names. A sampler refers to sources with the times of keys, their values, their types of
// interpolation and their tangents. A channel connects a sampler with a transform of a node. Each
// sampler whose keys are more than a frame apart gets two new sources, which contain the times and
// values of more keys.
//
// Other elements are changed by compose_clips(), unite_animations(), complete_skins(),
// trim_elements() and straighten_views(). All other text is copied. libassimp then reads the file,
// composes the transforms of nodes, and reports errors of the format. check_views() and
// collada_check.c report content that libassimp reads incorrectly and that is not changed here.
//
// A sampler with `width` values per key has `width` curves. The curve between two keys is a cubic
// Bezier curve of time and value. Its inner control points are tangents of the first key and of the
// second key. The main structures are collada_text and collada_sampler.
#include "demo/convert/collada.h"

#include "demo/convert/collada_check.h"
#include "demo/convert/plain_scene.h"
#include "demo/convert/tokens.h"

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

// A sampler: the keys of the curves that animate one transform of a node.
typedef struct collada_sampler {
    const char *start; // start of the element
    xml_range id;
    const xml_element *sources[NUM_INPUTS]; // or NULL
    double *numbers[NUM_INPUTS];            // [counts[]]; NULL for KINDS
    size_t counts[NUM_INPUTS];
    uint8_t *kinds; // [num_keys] key_kind
    size_t num_keys;
    size_t width;         // values per key
    size_t tangent_width; // numbers per tangent: `width`, or twice if they contain times
} collada_sampler;

// Reads the numbers of a text. Returns NULL if the text does not contain finite numbers only, or if
// the budget is exceeded. The caller frees the array.
static double *read_numbers(const collada_text *file, xml_range text, size_t *count)
{
    enum { ELEMENTS_PER_NUMBER = 8 };
    *count = 0;
    const size_t size = (size_t)(text.end - text.at);
    const size_t max_count = size / 2 + 1; // each number has at least a digit and a blank
    if (!convert_can_charge(file->job, size + ELEMENTS_PER_NUMBER * (uint64_t)max_count)
        || !convert_can_charge_bytes(file->job, max_count, sizeof(double)))
        return NULL;

    double *const numbers = common_alloc(max_count, sizeof *numbers);
    char *at = (char *)(uintptr_t)text.at;
    for (;;) {
        while (at < text.end && isspace((unsigned char)*at))
            at++;
        if (at == text.end)
            return numbers;
        char *stop = at;
        const double number = strtod(at, &stop);
        if (stop == at || stop > text.end || !isfinite(number) || *count == max_count) {
            free(numbers);
            *count = 0;
            return NULL;
        }
        numbers[(*count)++] = number;
        at = stop;
    }
}

// Returns the type of interpolation that begins a text.
static key_kind find_kind(xml_range text)
{
    static const char *const names[NUM_KINDS] = {"LINEAR", "STEP", "BEZIER", "HERMITE"};
    for (int i = 0; i < OTHER_KIND; i++) {
        if (xml_begins_with(text, names[i]))
            return (key_kind)i;
    }
    return OTHER_KIND;
}

// Reads the types of interpolation of a source. Returns NULL if the source has no names or the
// budget is exceeded. The caller frees the array.
static uint8_t *read_kinds(const collada_text *file, const xml_element *source, size_t *count)
{
    xml_range rest = source->content;
    xml_element array;
    *count = 0;
    if (!xml_find_element(&rest, "Name_array", &array))
        return NULL;
    const size_t size = (size_t)(array.content.end - array.content.at);
    if (!convert_can_charge(file->job, size) || !convert_can_charge_bytes(file->job, size + 1, 1))
        return NULL;

    uint8_t *const kinds = common_alloc(size + 1, 1);
    bool is_in_name = false;
    for (const char *at = array.content.at; at < array.content.end; at++) {
        const bool is_blank = isspace((unsigned char)*at) != 0;
        if (!is_blank && !is_in_name)
            kinds[(*count)++] = (uint8_t)find_kind((xml_range){at, array.content.end});
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
    collada_sampler sampler = {.start = element->start,
                               .id = xml_find_attribute(element->attributes, "id")};
    xml_range rest = element->content;
    xml_element found;
    while (xml_find_element(&rest, "input", &found)) {
        const xml_range semantic = xml_find_attribute(found.attributes, "semantic");
        for (int i = 0; i < NUM_INPUTS; i++) {
            const size_t length = strlen(input_names[i]);
            const bool is_same = (size_t)(semantic.end - semantic.at) == length
                                 && memcmp(semantic.at, input_names[i], length) == 0;
            if (is_same)
                sampler.sources[i] = xml_follow_reference(
                    &file->sources, xml_find_attribute(found.attributes, "source"));
        }
    }
    return sampler;
}

// Reads an array of numbers of a sampler, if the sampler has it.
static void read_input(const collada_text *file, collada_sampler *sampler, collada_input i)
{
    xml_element array;
    if (!sampler->sources[i])
        return;
    xml_range rest = sampler->sources[i]->content;
    if (xml_find_element(&rest, "float_array", &array))
        sampler->numbers[i] = read_numbers(file, array.content, &sampler->counts[i]);
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
    enum { NUM_HALVINGS = 48 }; // bisection steps of the curve's parameter
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
static void write_source(const collada_text *file, convert_bytes *out, const char *id,
                         const double *numbers, size_t count, size_t width,
                         const xml_element *original)
{
    xml_element accessor = {0};
    xml_range rest = original->content;
    const bool has_accessor = xml_find_element(&rest, "accessor", &accessor);
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
static void write_sampler(collada_text *file, convert_bytes *out, const collada_sampler *sampler,
                          const baked_keys *baked)
{
    static const char time_id[] = "md5model-times-";
    static const char value_id[] = "md5model-values-";
    write_source(file, out, time_id, baked->times, baked->count, 1, sampler->sources[TIMES]);
    write_source(file, out, value_id, baked->values, baked->count, sampler->width,
                 sampler->sources[VALUES]);
    convert_append_text(out, "<sampler id=\"");
    convert_append(out, sampler->id.at, (size_t)(sampler->id.end - sampler->id.at));
    convert_append_text(out,
                        "\"><input semantic=\"INPUT\" source=\"#%s%zu\"/><input "
                        "semantic=\"OUTPUT\" source=\"#%s%zu\"/></sampler>",
                        time_id, file->num_new, value_id, file->num_new);
    file->num_new++;
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
    collada_store_problem(file, &file->result.unsupported_sampler, sampler->id, sampler->start);
    return false;
}

// -- Repairs --------------------------------------------------------------------------------------

// Finds the next element <animation> that no other <animation> contains.
static bool find_animation(xml_range *rest, xml_range *animation)
{
    int depth = 0;
    xml_tag tag;
    while (xml_find_tag(rest, "animation", &tag)) {
        if (depth == 0)
            animation->at = tag.start;
        animation->end = tag.end;
        depth += tag.depth_change;
        if (depth <= 0)
            return true;
    }
    return false;
}

// Returns true if all channels in a text have different targets.
static bool has_distinct_targets(xml_range text)
{
    common_text_index targets = {0};
    bool is_distinct = true;
    xml_element channel;
    while (is_distinct && xml_find_element(&text, "channel", &channel)) {
        const xml_range target = xml_find_attribute(channel.attributes, "target");
        const size_t count = targets.count;
        common_index_text(&targets, target.at, (size_t)(target.end - target.at));
        is_distinct = targets.count > count;
    }
    common_free_text_index(&targets);
    return is_distinct;
}

// A copy of a text with changes.
typedef struct changed_text {
    convert_bytes bytes;
    const char *copied; // end of the part of the text that was already copied or replaced
} changed_text;

// A repair: copies `text` to `out` with changes. The text after the last change need not be copied.
typedef void collada_repair_fn(changed_text *out, xml_range text, collada_text *file);

// Copies the text up to a range, and skips the range.
static void skip_range(changed_text *out, xml_range range)
{
    convert_append(&out->bytes, out->copied, (size_t)(range.at - out->copied));
    out->copied = range.end;
}

// Skips the tags of all elements <animation> in a text. If `keeps_outer` is true, the text is such
// an element, and its first and last tag remain.
static void skip_animation_tags(changed_text *out, xml_range text, bool keeps_outer)
{
    xml_range rest = text;
    xml_tag tag;
    while (xml_find_tag(&rest, "animation", &tag)) {
        const bool is_outer = tag.start == text.at || tag.end == text.end;
        if (!keeps_outer || !is_outer)
            skip_range(out, (xml_range){tag.start, tag.end});
    }
}

// Unites the animations of a library. If all of their channels have different targets, they become
// one animation. Otherwise the animations are alternatives, such as the actions of Blender; the
// animations that each of them contains are united.
static void unite_library(changed_text *out, xml_range library)
{
    size_t num_animations = 0;
    xml_range rest = library;
    xml_range animation;
    while (find_animation(&rest, &animation))
        num_animations++;
    if (num_animations > 1 && has_distinct_targets(library)) {
        skip_range(out, (xml_range){library.at, library.at});
        convert_append_text(&out->bytes, "<animation>");
        skip_animation_tags(out, library, false);
        skip_range(out, (xml_range){library.end, library.end});
        convert_append_text(&out->bytes, "</animation>");
        return;
    }

    rest = library;
    while (find_animation(&rest, &animation)) {
        if (has_distinct_targets(animation))
            skip_animation_tags(out, animation, true);
    }
}

// The outer animations of a file, by id.
typedef struct animation_list {
    common_text_index ids;
    xml_range *animations; // [ids.count]
    bool *are_used;        // [ids.count] a clip contains the animation
} animation_list;

// Lists the outer animations of a library. An animation whose id is not unique is skipped.
static animation_list list_animations(xml_range library)
{
    animation_list list = {.animations = NULL};
    xml_range animation;
    while (find_animation(&library, &animation)) {
        xml_tag tag;
        xml_range rest = animation;
        if (!xml_find_tag(&rest, "animation", &tag))
            continue;
        const xml_range id = xml_find_attribute(tag.attributes, "id");
        const size_t count = list.ids.count;
        common_index_text(&list.ids, id.at, (size_t)(id.end - id.at));
        if (list.ids.count == count)
            continue;
        list.animations = common_grow(list.animations, count, sizeof *list.animations);
        list.animations[count] = animation;
    }
    list.are_used = common_alloc(list.ids.count, sizeof *list.are_used);
    return list;
}

static void free_animations(animation_list *list)
{
    common_free_text_index(&list->ids);
    free(list->animations);
    free(list->are_used);
}

// Appends the content of an animation, without the tags of the animations that it contains.
static void append_content(convert_bytes *to, xml_range animation)
{
    const char *at = animation.at;
    xml_tag tag;
    while (xml_find_tag(&animation, "animation", &tag)) {
        convert_append(to, at, (size_t)(tag.start - at));
        at = tag.end;
    }
}

// Appends an element <animation> for each clip, with the animations of which the clip consists.
// Returns false if a clip refers to an unknown animation, or if two clips share an animation, whose
// ids would then not be unique.
static bool append_clips(convert_bytes *to, xml_range clips, animation_list *list)
{
    xml_element clip;
    while (xml_find_element(&clips, "animation_clip", &clip)) {
        xml_range name = xml_find_attribute(clip.attributes, "name");
        if (name.at == name.end)
            name = xml_find_attribute(clip.attributes, "id");
        const bool has_quote = memchr(name.at, '"', (size_t)(name.end - name.at)) != NULL;
        const char *const quote = has_quote ? "'" : "\"";
        convert_append_text(to, "<animation name=%s", quote);
        convert_append(to, name.at, (size_t)(name.end - name.at));
        convert_append_text(to, "%s>", quote);
        xml_element instance;
        while (xml_find_element(&clip.content, "instance_animation", &instance)) {
            const xml_range url = xml_find_attribute(instance.attributes, "url");
            const size_t index = xml_find_text(&list->ids, xml_find_id(url));
            if (index == SIZE_MAX || list->are_used[index])
                return false;
            list->are_used[index] = true;
            append_content(to, list->animations[index]);
        }
        convert_append_text(to, "</animation>");
    }
    return true;
}

// Replaces the animations of a file by its clips (<animation_clip>). libassimp loses the names of
// clips, and creates several clips of a clip with several animations. A file is not changed if it
// has several libraries of animations or of clips, or if append_clips() fails.
static void compose_clips(changed_text *out, xml_range text, collada_text *file)
{
    (void)file;
    xml_range rest = text;
    xml_element clips;
    xml_element library;
    if (!xml_find_element(&rest, "library_animation_clips", &clips))
        return;
    xml_element second;
    const bool has_second_clips = xml_find_element(&rest, "library_animation_clips", &second);
    rest = text;
    if (has_second_clips || !xml_find_element(&rest, "library_animations", &library)
        || xml_find_element(&rest, "library_animations", &second))
        return;

    animation_list list = list_animations(library.content);
    convert_bytes composed = {.size = 0};
    if (append_clips(&composed, clips.content, &list) && composed.size > 0) {
        const bool are_clips_first = clips.start < library.start;
        if (are_clips_first)
            skip_range(out, (xml_range){clips.start, clips.end});
        skip_range(out, library.content);
        convert_append(&out->bytes, composed.bytes, composed.size);
        if (!are_clips_first)
            skip_range(out, (xml_range){clips.start, clips.end});
    }
    free(composed.bytes);
    free_animations(&list);
}

// Unites animations that are played together. libassimp creates a clip of each <animation> with
// several channels, but nested animations are parts of one animation. Animations from which a file
// composes clips (<animation_clip>) are not united, because compose_clips() does this.
static void unite_animations(changed_text *out, xml_range text, collada_text *file)
{
    xml_range rest = file->all;
    xml_element found;
    if (xml_find_element(&rest, "animation_clip", &found))
        return;
    rest = text;
    while (xml_find_element(&rest, "library_animations", &found))
        unite_library(out, found.content);
}

// Adds a <bind_shape_matrix> to each skin without this matrix. Its default is the identity, but
// libassimp uses a matrix of zeros.
static void complete_skins(changed_text *out, xml_range text, collada_text *file)
{
    (void)file;
    xml_element skin;
    while (xml_find_element(&text, "skin", &skin)) {
        xml_range rest = skin.content;
        xml_element matrix;
        if (xml_find_element(&rest, "bind_shape_matrix", &matrix))
            continue;
        skip_range(out, (xml_range){skin.content.at, skin.content.at});
        convert_append_text(
            &out->bytes, "<bind_shape_matrix>1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1</bind_shape_matrix>");
    }
}

// Removes blanks at the start of all elements with a name. An exporter of Blender writes them.
static void trim_elements(changed_text *out, xml_range text, const char *name)
{
    xml_element element;
    while (xml_find_element(&text, name, &element)) {
        xml_range blanks = {element.content.at, element.content.at};
        while (blanks.end < element.content.end && isspace((unsigned char)*blanks.end))
            blanks.end++;
        if (blanks.end > blanks.at)
            skip_range(out, blanks);
    }
}

// libassimp rejects a color that begins with several blanks.
static void trim_colors(changed_text *out, xml_range text, collada_text *file)
{
    (void)file;
    trim_elements(out, text, "color");
}

// libassimp reads a blank at the start of the numbers of weights as the number 0, so that the other
// vertices get the weights of their neighbors.
static void trim_weight_counts(changed_text *out, xml_range text, collada_text *file)
{
    (void)file;
    trim_elements(out, text, "vcount");
}

// libassimp reads a blank at the start of the joints and weights as the joint 0, so that joints and
// weights are exchanged.
static void trim_weights(changed_text *out, xml_range text, collada_text *file)
{
    (void)file;
    trim_elements(out, text, "v");
}

// A transform <lookat>, which defines a position and a rotation by a direction of view.
typedef struct collada_view {
    convert_vec eye;
    convert_vec target;
    convert_vec up; // made perpendicular to the direction of view, with the length 1
} collada_view;

// Reads the values of a <lookat>. Returns false if they define no rotation: if they are not nine
// numbers, or if the up vector is parallel to the direction of view.
static bool read_view(const collada_text *file, xml_range content, collada_view *view)
{
    enum { NUM_VALUES = 9 };
    const double min_sine = 1e-6; // sine of the angle between the vectors
    size_t count = 0;
    double *const values = read_numbers(file, content, &count);
    if (count != NUM_VALUES) {
        free(values);
        return false;
    }
    view->eye = (convert_vec){values[0], values[1], values[2]};
    view->target = (convert_vec){values[3], values[4], values[5]};
    const convert_vec up = {values[6], values[7], values[8]};
    free(values);

    const convert_vec forward = convert_sub(view->target, view->eye);
    const convert_vec right = convert_cross(forward, up);
    const double lengths = sqrt(convert_dot(forward, forward) * convert_dot(up, up));
    const convert_vec upright = convert_cross(right, forward);
    const double length = sqrt(convert_dot(upright, upright));
    view->up = (convert_vec){upright.x / length, upright.y / length, upright.z / length};
    return sqrt(convert_dot(right, right)) > min_sine * lengths;
}

// Searches for a <lookat> that defines no rotation.
static void check_views(collada_text *file)
{
    xml_range rest = file->all;
    xml_element element;
    collada_view view;
    while (xml_find_element(&rest, "lookat", &element)) {
        if (!read_view(file, element.content, &view))
            collada_store_problem(file, &file->result.invalid_view, element.content, element.start);
    }
}

// Makes the up vector of each transform <lookat> perpendicular to the direction of view. libassimp
// assumes that it is, and otherwise reads a matrix with shear. A <lookat> that defines no rotation
// remains as it is: see check_views().
static void straighten_views(changed_text *out, xml_range text, collada_text *file)
{
    xml_element element;
    collada_view view;
    while (xml_find_element(&text, "lookat", &element)) {
        if (!read_view(file, element.content, &view))
            continue;
        skip_range(out, element.content);
        convert_append_text(&out->bytes, "%.9g %.9g %.9g %.9g %.9g %.9g %.9g %.9g %.9g", view.eye.x,
                            view.eye.y, view.eye.z, view.target.x, view.target.y, view.target.z,
                            view.up.x, view.up.y, view.up.z);
    }
}

// Returns the frame rate at which curves are evaluated, in Hz.
static double find_rate(collada_text *file)
{
    if (file->job->rate > 0)
        return file->job->rate;
    plain_rate_search search = {{false}};
    xml_range rest = file->all;
    xml_element element;
    while (xml_find_element(&rest, "sampler", &element)) {
        collada_sampler sampler = open_sampler(file, &element);
        read_input(file, &sampler, TIMES);
        for (size_t k = 0; k < sampler.counts[TIMES]; k++)
            plain_add_key_time(&search, sampler.numbers[TIMES][k]);
        free_sampler(&sampler);
    }
    return plain_find_rate(&search);
}

// Replaces the samplers whose curves must be evaluated.
static void replace_samplers(changed_text *out, xml_range text, collada_text *file)
{
    xml_element element;
    while (xml_find_element(&text, "sampler", &element)) {
        collada_sampler sampler = open_sampler(file, &element);
        baked_keys baked = {0};
        if (evaluate_sampler(file, &sampler, &baked)) {
            skip_range(out, (xml_range){element.start, element.end});
            write_sampler(file, &out->bytes, &sampler, &baked);
        }
        free(baked.times);
        free(baked.values);
        free_sampler(&sampler);
    }
}

// Makes a repair in the text of a file. If it changes anything, its result becomes the text of the
// file.
static void make_repair(collada_text *file, collada_repair_fn *repair)
{
    changed_text out = {.copied = file->text.at};
    repair(&out, file->text, file);
    if (out.copied == file->text.at)
        return;
    skip_range(&out, (xml_range){file->text.end, file->text.end});
    free(file->result.text.bytes);
    file->result.text = out.bytes;
    file->text = (xml_range){out.bytes.bytes, out.bytes.bytes + out.bytes.size};
}

collada_file collada_repair(const convert_job *job, const char *bytes, size_t size)
{
    const xml_range all = {bytes, bytes + size};
    collada_text file = {.job = job, .all = all, .text = all};
    file.sources = xml_list_elements(all, "source");
    file.rate = find_rate(&file);
    collada_check_channels(&file);
    collada_check_skins(&file);
    check_views(&file);

    collada_repair_fn *const repairs[] = {replace_samplers, compose_clips,   unite_animations,
                                          complete_skins,   trim_colors,     trim_weight_counts,
                                          trim_weights,     straighten_views};
    for (size_t i = 0; i < COMMON_LENGTH(repairs); i++)
        make_repair(&file, repairs[i]);

    xml_free_list(&file.sources);
    return file.result;
}
