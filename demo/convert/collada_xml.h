// Searches the elements of an XML text, such as a Collada file. The text is never parsed as a
// whole: an element refers to a range of the text, in which its content is searched when it is
// needed.
//
// The functions find elements by their names at any depth. They do not support comments and CDATA
// sections that contain tags.
#ifndef DEMO_CONVERT_COLLADA_XML_H
#define DEMO_CONVERT_COLLADA_XML_H

#include "demo/convert/convert.h"

typedef struct xml_range {
    const char *at;
    const char *end;
} xml_range;

// An element, such as <source id="a">content</source>.
typedef struct xml_element {
    const char *start;
    xml_range attributes;
    xml_range content;
    const char *end;
} xml_element;

// An opening or closing tag of an element.
typedef struct xml_tag {
    const char *start;
    xml_range attributes;
    const char *end;
    int depth_change; // 1 for an opening tag, -1 for a closing tag, 0 for an element without
                      // content
} xml_tag;

// Elements of one name, such as all sources of a file, by their ids.
typedef struct xml_list {
    common_text_index ids;
    xml_element *elements; // [ids.count]
} xml_list;

// Returns true if a text begins with another text.
bool xml_begins_with(xml_range text, const char *beginning);

// Finds the next element <NAME> in a text and sets rest->at to the end of the element. Returns
// false if there is no further element. Elements with this name must not contain each other.
bool xml_find_element(xml_range *rest, const char *name, xml_element *element);

// Finds the next tag of an element <NAME>, and sets rest->at to its end. Returns false if there is
// no further tag. Elements with this name may contain each other.
bool xml_find_tag(xml_range *rest, const char *name, xml_tag *tag);

// Returns the value of an attribute of an element, or an empty text if it is missing.
xml_range xml_find_attribute(xml_range attributes, const char *name);

// Lists the elements with a name in a text. Elements with this name must not contain each other. If
// an id is not unique, the list contains only its first element.
xml_list xml_list_elements(xml_range text, const char *name);
void xml_free_list(xml_list *list);

// Searches a set for a text. Returns its index, or SIZE_MAX.
size_t xml_find_text(common_text_index *texts, xml_range text);

// Returns the text after the '#' of a reference to an element of the same file. The text is empty
// if this is another reference.
xml_range xml_find_id(xml_range reference);

// Returns the element to which a reference such as "#id" refers, or NULL.
const xml_element *xml_follow_reference(xml_list *list, xml_range reference);

#endif
