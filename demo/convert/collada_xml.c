// Searches the elements, attributes and references of an XML text.
#include "demo/convert/collada_xml.h"

#include "demo/convert/tokens.h"

bool xml_begins_with(xml_range text, const char *beginning)
{
    const size_t length = strlen(beginning);
    return (size_t)(text.end - text.at) >= length && memcmp(text.at, beginning, length) == 0;
}

// Returns true if a text begins with the name of an element, and not with a longer name.
static bool begins_with_name(xml_range text, const char *name)
{
    const size_t length = strlen(name);
    if (!xml_begins_with(text, name) || (size_t)(text.end - text.at) == length)
        return false;
    const char next = text.at[length];
    return next == '>' || next == '/' || isspace((unsigned char)next);
}

// Finds the end of an element: its closing tag, or the end of its only tag. `name` is its name, and
// text.at is after this name. Elements with this name must not contain each other.
static bool close_element(xml_range text, const char *name, xml_element *element)
{
    const char *const content = convert_find_after(text.at, text.end, ">");
    if (!content)
        return false;
    element->attributes = (xml_range){text.at, content - 1};
    element->content = (xml_range){content, content};
    element->end = content;
    if (content[-2] == '/')
        return true;

    const char *at = convert_find_after(content, text.end, "</");
    while (at && !begins_with_name((xml_range){at, text.end}, name))
        at = convert_find_after(at, text.end, "</");
    element->content.end = at ? at - 2 : text.end;
    element->end = at ? convert_find_after(at, text.end, ">") : NULL;
    return element->end != NULL;
}

bool xml_find_element(xml_range *rest, const char *name, xml_element *element)
{
    const char *at = convert_find_after(rest->at, rest->end, "<");
    while (at && !begins_with_name((xml_range){at, rest->end}, name))
        at = convert_find_after(at, rest->end, "<");
    if (at)
        element->start = at - 1;
    const bool is_found =
        at && close_element((xml_range){at + strlen(name), rest->end}, name, element);
    rest->at = is_found ? element->end : rest->end;
    return is_found;
}

bool xml_find_tag(xml_range *rest, const char *name, xml_tag *tag)
{
    const char *at = convert_find_after(rest->at, rest->end, "<");
    for (; at; at = convert_find_after(at, rest->end, "<")) {
        const bool is_closing = at < rest->end && *at == '/';
        const char *const found_name = is_closing ? at + 1 : at;
        if (!begins_with_name((xml_range){found_name, rest->end}, name))
            continue;
        const char *const end = convert_find_after(found_name, rest->end, ">");
        if (!end)
            break;
        *tag = (xml_tag){.start = at - 1,
                         .attributes = {found_name + strlen(name), end - 1},
                         .end = end,
                         .depth_change = end[-2] != '/'};
        if (is_closing)
            tag->depth_change = -1;
        rest->at = end;
        return true;
    }
    rest->at = rest->end;
    return false;
}

xml_range xml_find_attribute(xml_range attributes, const char *name)
{
    const char *const end = attributes.end;
    const char *at = convert_find_after(attributes.at, end, name);
    for (; at; at = convert_find_after(at, end, name)) {
        const char before = at[-(ptrdiff_t)strlen(name) - 1];
        const bool is_whole_name = isspace((unsigned char)before) && end - at >= 2 && *at == '=';
        const char quote = is_whole_name ? at[1] : '\0';
        if (quote != '"' && quote != '\'')
            continue;
        const char *const value = at + 2;
        const char *const stop = memchr(value, quote, (size_t)(end - value));
        if (stop)
            return (xml_range){value, stop};
    }
    return (xml_range){end, end};
}

xml_list xml_list_elements(xml_range text, const char *name)
{
    xml_list list = {.elements = NULL};
    xml_element element;
    while (xml_find_element(&text, name, &element)) {
        const xml_range id = xml_find_attribute(element.attributes, "id");
        const size_t count = list.ids.count;
        common_index_text(&list.ids, id.at, (size_t)(id.end - id.at));
        if (list.ids.count == count) // the id is not unique: the first element is used
            continue;
        list.elements = common_grow(list.elements, count, sizeof *list.elements);
        list.elements[count] = element;
    }
    return list;
}

void xml_free_list(xml_list *list)
{
    common_free_text_index(&list->ids);
    free(list->elements);
}

size_t xml_find_text(common_text_index *texts, xml_range text)
{
    char *const copy = common_format("%.*s", (int)(text.end - text.at), text.at);
    const bool is_found = common_has_text(texts, copy);
    const size_t index = is_found ? common_index_text(texts, copy, strlen(copy)) : SIZE_MAX;
    free(copy);
    return index;
}

xml_range xml_find_id(xml_range reference)
{
    while (reference.at < reference.end && isspace((unsigned char)*reference.at))
        reference.at++;
    while (reference.at < reference.end && isspace((unsigned char)reference.end[-1]))
        reference.end--;
    if (!xml_begins_with(reference, "#"))
        return (xml_range){reference.end, reference.end};
    return (xml_range){reference.at + 1, reference.end};
}

const xml_element *xml_follow_reference(xml_list *list, xml_range reference)
{
    const size_t index = xml_find_text(&list->ids, xml_find_id(reference));
    return index != SIZE_MAX ? &list->elements[index] : NULL;
}
