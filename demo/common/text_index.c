// A hash table with open addressing. Its slots contain indices of the array of texts.
#include "demo/common/text_index.h"

// Returns the hash of a text. Only the low bits of a hash select a slot, so the high bits are mixed
// into them at the end.
static uint64_t hash_text(uint64_t seed, const char *text, size_t length)
{
    uint64_t hash = common_hash(seed, text, length);
    hash = (hash ^ hash >> 32) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 32;
}

// Returns the slot of a text, or the free slot for it. The search begins at the slot that the hash
// selects. It ends at the text or at the first free slot. A slot contains 1 + the index of a text,
// or 0 if it is free.
static size_t find_slot(const common_text_index *index, const char *text, size_t length)
{
    size_t slot = (size_t)hash_text(index->seed, text, length) & (index->num_slots - 1);
    while (index->slots[slot] != 0) {
        const char *const stored = index->texts[index->slots[slot] - 1];
        if (strncmp(stored, text, length) == 0 && stored[length] == '\0')
            break;
        slot = (slot + 1) & (index->num_slots - 1);
    }
    return slot;
}

// Makes space for one more text. If half of the slots are used, doubles their number and inserts
// all texts again.
static void enlarge(common_text_index *index)
{
    if (2 * index->count < index->num_slots)
        return;
    free(index->slots);
    index->num_slots = index->num_slots > 0 ? 2 * index->num_slots : 16;
    index->slots = common_alloc(index->num_slots, sizeof *index->slots);

    // A hostile file could contain many texts whose hashes are equal for a known seed. Addresses
    // provide an unpredictable seed, because operating systems choose them at random.
    if (index->count == 0)
        index->seed = COMMON_HASH_START ^ (uint64_t)(uintptr_t)index
                      ^ (uint64_t)(uintptr_t)index->slots << 24;
    for (size_t i = 0; i < index->count; i++) {
        const char *const text = index->texts[i];
        index->slots[find_slot(index, text, strlen(text))] = i + 1;
    }
}

// Returns the index of a text in the set. If the text is new, appends a copy of it first.
size_t common_index_text(common_text_index *index, const char *text, size_t length)
{
    // The copies are strings, so only the part before a NUL of a hostile file can be compared.
    const char *const nul = memchr(text, '\0', length);
    if (nul)
        length = (size_t)(nul - text);
    enlarge(index);
    const size_t slot = find_slot(index, text, length);
    if (index->slots[slot] == 0) {
        char *const copy = common_alloc(length + 1, 1);
        memcpy(copy, text, length);
        *COMMON_ADD_ITEM(index->texts, index->count) = copy;
        index->slots[slot] = index->count;
    }
    return index->slots[slot] - 1;
}

bool common_has_text(const common_text_index *index, const char *text)
{
    return index->count > 0 && index->slots[find_slot(index, text, strlen(text))] != 0;
}

// Frees all texts and the table. The index is empty afterwards and can be used again.
void common_free_text_index(common_text_index *index)
{
    for (size_t i = 0; i < index->count; i++)
        free(index->texts[i]);
    free(index->texts);
    free(index->slots);
    *index = (common_text_index){0};
}
