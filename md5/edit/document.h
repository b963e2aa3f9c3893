// What repairs and edits of documents (md5edit.h) begin with.
#ifndef MD5_EDIT_DOCUMENT_H
#define MD5_EDIT_DOCUMENT_H

#include "md5/core/grow.h"
#include "md5/md5edit.h"

// Checks every index of a document, and counts how often rows refer to others: vertices to weights,
// and tracks to numbers of frames.
bool md5i_check_doc(md5_arena *arena, const md5_doc *doc, uint64_t *num_references);

#endif
