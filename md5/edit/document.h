// Validation of documents (md5edit.h) before they are repaired, edited or written.
#ifndef MD5_EDIT_DOCUMENT_H
#define MD5_EDIT_DOCUMENT_H

#include "md5/core/grow.h"
#include "md5/md5edit.h"

// Checks every index of a document. Counts the references, which are the weights of all vertices
// and the components of all frames. Returns false and sets the error if an index is out of range.
bool md5i_check_doc(md5_arena *arena, const md5_doc *doc, uint64_t *num_references);

#endif
