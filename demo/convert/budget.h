// Limits the cost of an input file: elements that are read or computed, memory, and messages.
//
// A file can refer to one range of its bytes many times. Even if all counts fit the size of the
// file, the work then grows with the square of that size. Readers therefore charge each range when
// they walk it. The limits are a constant plus a multiple of the file's size, so that time and
// memory are linear in the size of the file.
#ifndef DEMO_CONVERT_BUDGET_H
#define DEMO_CONVERT_BUDGET_H

#include "demo/convert/convert.h"

// A note about the file, with the number of times that it was reported.
typedef struct convert_counted_note {
    char *text;
    size_t kind; // index in convert_budget.kinds
    size_t count;
} convert_counted_note;

// All notes with one format string.
typedef struct convert_note_kind {
    const char *format;
    size_t num_texts;  // that are kept
    size_t num_hidden; // notes with other texts
} convert_note_kind;

// Begin with convert_begin_budget(); convert_job.budget points to it while a file is read.
typedef struct convert_budget {
    uint64_t file_size;               // bytes of the file, and of the files that it names
    uint64_t num_elements, num_bytes; // charged so far
    convert_note_kind *kinds;         // [num_kinds]
    convert_counted_note *notes;      // [num_notes] in the order in which they were first reported
    size_t num_kinds;
    size_t num_notes;
} convert_budget;

// The limits for a file of some bytes. An element is a number, a row of a table, a posed vertex, or
// a byte of a name or of the text that is made: 20 to 60 ns of work.
uint64_t convert_max_elements(uint64_t file_size);
uint64_t convert_max_bytes(uint64_t file_size);

// Notes with one format string of which the text is kept; the number of further ones is reported.
enum { CONVERT_MAX_NOTES = 16 };

void convert_begin_budget(convert_budget *budget, uint64_t file_size);

// Passes all notes on to job->note, each text once with its count, and frees them.
void convert_end_budget(convert_budget *budget, const convert_job *job);

// Raises the limits by the size of another file that the input names.
void convert_extend_budget(convert_budget *budget, uint64_t size);

// Charges elements before they are walked, or count * size bytes before they are allocated. Returns
// false and fills `error` if the limit is exceeded. Without a budget nothing is limited.
bool convert_charge(const convert_job *job, uint64_t num_elements, md5_error *error);
bool convert_charge_bytes(const convert_job *job, uint64_t count, uint64_t size, md5_error *error);

// The number of elements that can still be charged.
uint64_t convert_elements_left(const convert_job *job);

// The same without an error, for readers that skip an optional part of the file instead.
bool convert_can_charge(const convert_job *job, uint64_t num_elements);
bool convert_can_charge_bytes(const convert_job *job, uint64_t count, uint64_t size);

// Used by convert_note(): counts a note instead of passing it on.
void convert_count_note(convert_budget *budget, const char *format, const char *text);

#endif
