// Limits the cost of an input file: elements that are read or computed, memory, and messages.
//
// A file can refer to one range of its bytes many times. Even if all counts fit the size of the
// file, the work then grows with the square of that size. Readers therefore charge each range when
// they iterate over it. The limits are a constant plus a multiple of the file's size. Time and
// memory are therefore linear in the size of the file.
#ifndef DEMO_CONVERT_BUDGET_H
#define DEMO_CONVERT_BUDGET_H

#include "demo/convert/convert.h"

// Notes with the same text, which are reported once.
typedef struct convert_counted_note {
    char *text;
    size_t kind; // index in convert_budget.kinds
    size_t count;
} convert_counted_note;

// All notes with the same format string.
typedef struct convert_note_kind {
    const char *format;
    size_t num_texts;  // different texts that are stored
    size_t num_hidden; // notes that exceed CONVERT_MAX_NOTES
} convert_note_kind;

// Counters and notes for one input file. convert_begin_budget() initializes them.
// convert_job.budget points to them while the file is read.
typedef struct convert_budget {
    uint64_t file_size;          // bytes of the file and of the files that it names
    uint64_t num_elements;       // charged elements
    uint64_t num_bytes;          // charged bytes
    convert_note_kind *kinds;    // [num_kinds]
    convert_counted_note *notes; // [num_notes] in the order in which they were first reported
    size_t num_kinds;
    size_t num_notes;
} convert_budget;

// Return the limits for a file of the given size. An element is one unit of work of 20 to 60 ns.
// Examples are a number, a table entry, a posed vertex, and a byte of a name or of created text.
uint64_t convert_max_elements(uint64_t file_size);
uint64_t convert_max_bytes(uint64_t file_size);

// Limit of stored texts per format string. Further notes are only counted.
enum { CONVERT_MAX_NOTES = 16 };

void convert_begin_budget(convert_budget *budget, uint64_t file_size);

// Passes all notes on to job->note, each text once with its count, and frees them.
void convert_end_budget(convert_budget *budget, const convert_job *job);

// Raises the limits by the size of another file that the input names.
void convert_extend_budget(convert_budget *budget, uint64_t size);

// Charge elements before iterating over them, or count * size bytes before allocating them. If a
// limit is exceeded, return false and fill `error`. Without a budget, there are no limits.
bool convert_charge(const convert_job *job, uint64_t num_elements, md5_error *error);
bool convert_charge_bytes(const convert_job *job, uint64_t count, uint64_t size, md5_error *error);

// Return the number of elements and of bytes that can still be charged.
uint64_t convert_elements_left(const convert_job *job);
uint64_t convert_bytes_left(const convert_job *job);

// Charge as above, but without filling an error. Readers use them for an optional part of the file,
// which they skip if the limit is exceeded.
bool convert_can_charge(const convert_job *job, uint64_t num_elements);
bool convert_can_charge_bytes(const convert_job *job, uint64_t count, uint64_t size);

// Used by convert_note(): counts a note instead of passing it on.
void convert_count_note(convert_budget *budget, const char *format, const char *text);

#endif
