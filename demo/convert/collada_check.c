// Searches the channels and skins of Collada files for content that libassimp reads incorrectly.
#include "demo/convert/collada_check.h"

#include "demo/convert/budget.h"
#include "demo/convert/tokens.h"

void collada_store_problem(const collada_text *file, collada_problem *problem, xml_range name,
                           const char *at)
{
    if (problem->name)
        return;
    problem->name = convert_sanitize(name.at, (size_t)(name.end - name.at), CONVERT_QUOTE);
    convert_locate(file->all.at, at, &problem->line, &problem->column);
}

// -- Channels -------------------------------------------------------------------------------------

// Returns true if the target of a channel is a single number of a vector, such as "node/turn(3)".
// libassimp supports only names, such as "node/turn.ANGLE", and numbers of a matrix, such as
// "node/matrix(3)(0)".
static bool has_vector_index(xml_range target)
{
    const char *const bracket = convert_find_after(target.at, target.end, "(");
    return bracket && !convert_find_after(bracket, target.end, "(");
}

// Returns true if the target of a channel is a part of a color.
static bool is_color(xml_range target)
{
    static const char letters[4] = {'R', 'G', 'B', 'A'};
    const char *const dot = convert_find_after(target.at, target.end, ".");
    return dot && dot < target.end && memchr(letters, *dot, sizeof letters)
           && !xml_begins_with((xml_range){dot, target.end}, "ANGLE");
}

// Returns a set of the transforms <lookat> of all nodes, as "NODE/SID".
static common_text_index list_views(xml_range all)
{
    common_text_index views = {0};
    xml_tag next;
    bool has_next = xml_find_tag(&all, "node", &next);
    while (has_next) {
        const xml_tag node = next;
        has_next = xml_find_tag(&all, "node", &next);
        xml_range transforms = {node.end, has_next ? next.start : all.end};
        xml_element view;
        while (xml_find_element(&transforms, "lookat", &view)) {
            const xml_range id = xml_find_attribute(node.attributes, "id");
            const xml_range sid = xml_find_attribute(view.attributes, "sid");
            char *const target = common_format("%.*s/%.*s", (int)(id.end - id.at), id.at,
                                               (int)(sid.end - sid.at), sid.at);
            common_index_text(&views, target, strlen(target));
            free(target);
        }
    }
    return views;
}

// Returns the part of a channel's target before the number or name of a value, such as "node/turn"
// of "node/turn.ANGLE".
static xml_range find_transform(xml_range target)
{
    const char *end = target.at;
    while (end < target.end && *end != '.' && *end != '(')
        end++;
    return (xml_range){target.at, end};
}

// libassimp uses only one channel per sampler. The keys of a <lookat> are not repaired; see
// straighten_views() in collada.c.
void collada_check_channels(collada_text *file)
{
    common_text_index views = list_views(file->all);
    common_text_index samplers = {0};
    xml_range rest = file->all;
    xml_element channel;
    while (xml_find_element(&rest, "channel", &channel)) {
        const xml_range sampler = xml_find_attribute(channel.attributes, "source");
        const xml_range target = xml_find_attribute(channel.attributes, "target");
        const size_t count = samplers.count;
        common_index_text(&samplers, sampler.at, (size_t)(sampler.end - sampler.at));
        const bool is_ignored = samplers.count == count || has_vector_index(target);
        const bool is_view = xml_find_text(&views, find_transform(target)) != SIZE_MAX;
        if ((is_ignored && !is_color(target)) || is_view)
            collada_store_problem(file, &file->result.unsupported_target, target, channel.start);
    }
    common_free_text_index(&samplers);
    common_free_text_index(&views);
}

// -- Skins ----------------------------------------------------------------------------------------

enum { NO_NODE = -1 };

// The nodes of a scene by one of their attributes.
typedef struct node_names {
    common_text_index texts;
    int64_t *first; // [texts.count] first node with this text
    int64_t *last;  // [texts.count] last node with this text
} node_names;

// The nodes of the scene, in the order of the file.
typedef struct scene_nodes {
    int64_t *ends;    // [count] index after the last descendant of a node
    int64_t *parents; // [count] index, or NO_NODE
    int64_t count;
    node_names ids;
    node_names sids;
    node_names any_names; // ids and names
} scene_nodes;

static void add_name(node_names *names, xml_range text, int64_t node)
{
    if (text.at == text.end)
        return;
    const size_t count = names->texts.count;
    const size_t index = common_index_text(&names->texts, text.at, (size_t)(text.end - text.at));
    if (index == count) {
        names->first = common_grow(names->first, count, sizeof *names->first);
        names->last = common_grow(names->last, count, sizeof *names->last);
        names->first[index] = node;
    }
    names->last[index] = node;
}

static void free_names(node_names *names)
{
    common_free_text_index(&names->texts);
    free(names->first);
    free(names->last);
}

// Lists the nodes of a scene.
static scene_nodes list_nodes(xml_range scene)
{
    scene_nodes nodes = {.count = 0};
    int64_t open = NO_NODE; // the last node whose closing tag was not found yet
    xml_tag tag;
    while (xml_find_tag(&scene, "node", &tag)) {
        if (tag.depth_change < 0) {
            if (open == NO_NODE)
                break;
            nodes.ends[open] = nodes.count;
            open = nodes.parents[open];
            continue;
        }
        const int64_t node = nodes.count++;
        nodes.ends = common_grow(nodes.ends, (size_t)node, sizeof *nodes.ends);
        nodes.parents = common_grow(nodes.parents, (size_t)node, sizeof *nodes.parents);
        nodes.ends[node] = node + 1;
        nodes.parents[node] = open;
        add_name(&nodes.ids, xml_find_attribute(tag.attributes, "id"), node);
        add_name(&nodes.sids, xml_find_attribute(tag.attributes, "sid"), node);
        add_name(&nodes.any_names, xml_find_attribute(tag.attributes, "name"), node);
        add_name(&nodes.any_names, xml_find_attribute(tag.attributes, "id"), node);
        if (tag.depth_change > 0)
            open = node;
    }
    return nodes;
}

static void free_nodes(scene_nodes *nodes)
{
    free(nodes->ends);
    free(nodes->parents);
    free_names(&nodes->ids);
    free_names(&nodes->sids);
    free_names(&nodes->any_names);
}

// Returns the first node with a name, or NO_NODE.
static int64_t find_first(node_names *names, xml_range text)
{
    const size_t index = xml_find_text(&names->texts, text);
    return index != SIZE_MAX ? names->first[index] : NO_NODE;
}

// Returns true if libassimp binds a joint of a skin to a node that is not in a skeleton of the
// skin, although several nodes have the sid of the joint. libassimp uses the first node with this
// name or id, or else the first node with this sid. `roots` are the first nodes of the skeletons.
static bool is_joint_misassigned(scene_nodes *nodes, xml_range joint, const int64_t *roots,
                                 size_t num_roots)
{
    const size_t sid = xml_find_text(&nodes->sids.texts, joint);
    if (sid == SIZE_MAX)
        return false;
    const int64_t first = nodes->sids.first[sid];
    const int64_t named = find_first(&nodes->any_names, joint);
    const int64_t node = named != NO_NODE ? named : first;
    if (node == first && node == nodes->sids.last[sid])
        return false;
    for (size_t i = 0; i < num_roots; i++) {
        if (node >= roots[i] && node < nodes->ends[roots[i]])
            return false;
    }
    return true;
}

// Reports that the joints of a skin are not checked, because the budget is exceeded. `element` is
// the controller of the skin or one of its instances.
static void note_unchecked_skin(collada_text *file, const xml_element *element, const char *id_name)
{
    const xml_range id = xml_find_attribute(element->attributes, id_name);
    collada_store_problem(file, &file->result.unchecked_skin, id, element->start);
}

// Returns the source of the joints of a skin, or NULL.
static const xml_element *find_joint_source(collada_text *file, const xml_element *controller)
{
    xml_range rest = controller->content;
    xml_element joints;
    xml_element input;
    if (!xml_find_element(&rest, "joints", &joints))
        return NULL;
    while (xml_find_element(&joints.content, "input", &input)) {
        if (xml_begins_with(xml_find_attribute(input.attributes, "semantic"), "JOINT"))
            return xml_follow_reference(&file->sources,
                                        xml_find_attribute(input.attributes, "source"));
    }
    return NULL;
}

// Returns the names of the joints of a skin, separated by blanks.
static xml_range find_joints(collada_text *file, const xml_element *controller)
{
    const xml_element *const source = find_joint_source(file, controller);
    const char *const end = file->all.end;
    xml_element array = {.content = {end, end}};
    if (!source)
        return array.content;
    if (!convert_can_charge(file->job, (uint64_t)(source->end - source->start))) {
        note_unchecked_skin(file, controller, "id");
        return array.content;
    }
    xml_range content = source->content;
    xml_find_element(&content, "Name_array", &array);
    return array.content;
}

// Returns the first nodes of the skeletons of a skin. The caller frees the array.
static int64_t *list_roots(scene_nodes *nodes, const xml_element *instance, size_t *num_roots)
{
    int64_t *roots = NULL;
    xml_range rest = instance->content;
    xml_element skeleton;
    *num_roots = 0;
    while (xml_find_element(&rest, "skeleton", &skeleton)) {
        const int64_t root = find_first(&nodes->ids, xml_find_id(skeleton.content));
        if (root == NO_NODE)
            continue;
        roots = common_grow(roots, *num_roots, sizeof *roots);
        roots[(*num_roots)++] = root;
    }
    return roots;
}

// Checks all joints of an instance of a skin. `joints` are their names, separated by blanks.
static void check_skin(collada_text *file, scene_nodes *nodes, const xml_element *instance,
                       xml_range joints)
{
    enum { ELEMENTS_PER_LETTER = 30 };
    size_t num_roots;
    int64_t *const roots = list_roots(nodes, instance, &num_roots);
    const uint64_t num_steps = (uint64_t)(joints.end - joints.at) * (1 + num_roots);
    const char *at = num_roots > 0 ? joints.at : joints.end;
    if (at < joints.end && !convert_can_charge(file->job, ELEMENTS_PER_LETTER * num_steps)) {
        note_unchecked_skin(file, instance, "url");
        at = joints.end;
    }
    while (at < joints.end && !file->result.misassigned_joint.name) {
        while (at < joints.end && isspace((unsigned char)*at))
            at++;
        const char *const start = at;
        while (at < joints.end && !isspace((unsigned char)*at))
            at++;
        const xml_range joint = {start, at};
        if (at > start && is_joint_misassigned(nodes, joint, roots, num_roots))
            collada_store_problem(file, &file->result.misassigned_joint, joint, instance->start);
    }
    free(roots);
}

// Returns the content of the scene that libassimp reads, or an empty text.
static xml_range find_scene(xml_range all)
{
    xml_range rest = all;
    xml_element reference;
    xml_range scene = {all.end, all.end};
    if (!xml_find_element(&rest, "instance_visual_scene", &reference))
        return scene;
    xml_list scenes = xml_list_elements(all, "visual_scene");
    const xml_element *const found =
        xml_follow_reference(&scenes, xml_find_attribute(reference.attributes, "url"));
    if (found)
        scene = found->content;
    xml_free_list(&scenes);
    return scene;
}

void collada_check_skins(collada_text *file)
{
    const xml_range scene = find_scene(file->all);
    xml_list controllers = xml_list_elements(file->all, "controller");
    xml_range *const joints = common_alloc(controllers.ids.count, sizeof *joints);
    for (size_t i = 0; i < controllers.ids.count; i++)
        joints[i] = find_joints(file, &controllers.elements[i]);
    scene_nodes nodes = list_nodes(scene);
    xml_range rest = scene;
    xml_element instance;
    while (xml_find_element(&rest, "instance_controller", &instance)) {
        const xml_element *const controller =
            xml_follow_reference(&controllers, xml_find_attribute(instance.attributes, "url"));
        if (controller)
            check_skin(file, &nodes, &instance, joints[controller - controllers.elements]);
    }
    free(joints);
    free_nodes(&nodes);
    xml_free_list(&controllers);
}
