// Counts the work, the memory and the notes of an input file. See budget.h for the reason.
#include "demo/convert/budget.h"

// -- Limits ---------------------------------------------------------------------------------------

// The constant is enough for every small file. The number per byte is several times the number that
// public files need. glTF files with few keys need most per byte, because they are sampled in many
// frames.
uint64_t convert_max_elements(uint64_t file_size)
{
    const uint64_t free_elements = UINT64_C(1) << 25;
    const uint64_t elements_per_byte = 80;
    if (file_size > UINT64_MAX / 128)
        return UINT64_MAX;
    return free_elements + elements_per_byte * file_size;
}

// Large files may use less memory per byte of the file, so that a file of 100 MB cannot exhaust the
// memory of a usual machine.
uint64_t convert_max_bytes(uint64_t file_size)
{
    const uint64_t free_bytes = UINT64_C(1) << 28;
    const uint64_t bytes_per_byte = 256;
    const uint64_t large = UINT64_C(1) << 32;
    const uint64_t bytes_per_byte_of_large = 16;
    if (file_size > UINT64_MAX / 512)
        return UINT64_MAX;
    const uint64_t for_small = free_bytes + bytes_per_byte * file_size;
    const uint64_t for_large = large + bytes_per_byte_of_large * file_size;
    return for_small < for_large ? for_small : for_large;
}

void convert_begin_budget(convert_budget *budget, uint64_t file_size)
{
    *budget = (convert_budget){.file_size = file_size};
}

void convert_extend_budget(convert_budget *budget, uint64_t size)
{
    if (budget)
        budget->file_size += size;
}

// Adds a number to a counter. If the sum would exceed the limit, leaves the counter unchanged
// and returns false.
static bool add(uint64_t *counter, uint64_t number, uint64_t limit)
{
    if (*counter > limit || number > limit - *counter)
        return false;
    *counter += number;
    return true;
}

// Returns how many elements, such as vertices or keys, may still be processed for this file.
uint64_t convert_elements_left(const convert_job *job)
{
    const convert_budget *const budget = job->budget;
    const uint64_t limit = budget ? convert_max_elements(budget->file_size) : UINT64_MAX;
    if (!budget)
        return limit;
    return limit > budget->num_elements ? limit - budget->num_elements : 0;
}

// Returns how many bytes may still be allocated for this file.
uint64_t convert_bytes_left(const convert_job *job)
{
    const convert_budget *const budget = job->budget;
    if (!budget)
        return UINT64_MAX;
    const uint64_t limit = convert_max_bytes(budget->file_size);
    return limit > budget->num_bytes ? limit - budget->num_bytes : 0;
}

bool convert_can_charge(const convert_job *job, uint64_t num_elements)
{
    convert_budget *const budget = job->budget;
    return !budget
           || add(&budget->num_elements, num_elements, convert_max_elements(budget->file_size));
}

// Charges memory to the budget of the file. Returns false if the limit is exceeded.
bool convert_can_charge_bytes(const convert_job *job, uint64_t count, uint64_t size)
{
    convert_budget *const budget = job->budget;
    if (!budget)
        return true;
    const bool has_overflow = size > 0 && count > UINT64_MAX / size;
    return !has_overflow
           && add(&budget->num_bytes, count * size, convert_max_bytes(budget->file_size));
}

// Charges elements to the budget of the file, or fills the error with the limit. The caller adds
// the name of the file.
bool convert_charge(const convert_job *job, uint64_t num_elements, md5_error *error)
{
    if (convert_can_charge(job, num_elements))
        return true;
    const uint64_t size = job->budget->file_size;
    *error = (md5_error){.status = MD5_ERROR_RANGE};
    COMMON_TEXT(error->message,
                "the file requests too much processing for its size of %llu bytes (limit: %llu "
                "elements); use "
                "a lower --rate, or divide the file",
                (unsigned long long)size, (unsigned long long)convert_max_elements(size));
    return false;
}

// Charges memory to the budget of the file, or fills the error with the limit. The caller adds
// the name of the file.
bool convert_charge_bytes(const convert_job *job, uint64_t count, uint64_t size, md5_error *error)
{
    if (convert_can_charge_bytes(job, count, size))
        return true;
    const uint64_t file_size = job->budget->file_size;
    *error = (md5_error){.status = MD5_ERROR_MEMORY};
    COMMON_TEXT(
        error->message,
        "the file requests too much memory for its size of %llu bytes (limit: %llu bytes); use a "
        "lower --rate, or divide the file",
        (unsigned long long)file_size, (unsigned long long)convert_max_bytes(file_size));
    return false;
}

// -- Notes ----------------------------------------------------------------------------------------

// Returns the index of the kind with a format string, which is added if it is new. A linear search
// is sufficient, because the program has few format strings.
static size_t find_kind(convert_budget *budget, const char *format)
{
    for (size_t i = 0; i < budget->num_kinds; i++) {
        if (budget->kinds[i].format == format || strcmp(budget->kinds[i].format, format) == 0)
            return i;
    }
    *COMMON_ADD_ITEM(budget->kinds, budget->num_kinds) = (convert_note_kind){.format = format};
    return budget->num_kinds - 1;
}

// Counts a note. Notes with equal texts are stored once with a count. Notes with the same format
// are one kind, and only the first few texts of a kind are stored.
void convert_count_note(convert_budget *budget, const char *format, const char *text)
{
    const size_t number = find_kind(budget, format);
    convert_note_kind *const kind = &budget->kinds[number];
    for (size_t i = 0; i < budget->num_notes; i++) {
        convert_counted_note *const note = &budget->notes[i];
        if (note->kind == number && strcmp(note->text, text) == 0) {
            note->count++;
            return;
        }
    }
    if (kind->num_texts == CONVERT_MAX_NOTES) {
        kind->num_hidden++;
        return;
    }
    kind->num_texts++;
    *COMMON_ADD_ITEM(budget->notes, budget->num_notes) =
        (convert_counted_note){.text = common_copy(text), .kind = number, .count = 1};
}

// Returns the text of a note with its count and the number of similar notes that are not shown.
static char *describe_note(const convert_counted_note *note, size_t num_hidden)
{
    char *text = common_format("%.960s", note->text); // short enough for the counts
    if (note->count > 1)
        common_extend(&text, " (%zu times)", note->count);
    if (num_hidden > 0)
        common_extend(&text, "; %zu similar %s not shown", num_hidden,
                      common_noun(num_hidden, "note is", "notes are"));
    return text;
}

// Passes a note to job->note, without control characters. Does nothing if job->note is NULL.
static void pass_on(const convert_job *job, const char *format, ...) COMMON_PRINTF(2, 3);
static void pass_on(const convert_job *job, const char *format, ...)
{
    char text[1200];
    if (!job->note)
        return;
    va_list values;
    va_start(values, format);
    common_write_text(text, sizeof text, format, values);
    va_end(values);
    job->note(job->user, text);
}

// Reports all counted notes. The last note of each kind also contains the number of notes that
// exceeded the limit of the kind.
void convert_end_budget(convert_budget *budget, const convert_job *job)
{
    for (size_t i = 0; i < budget->num_notes; i++) {
        convert_counted_note *const note = &budget->notes[i];
        convert_note_kind *const kind = &budget->kinds[note->kind];
        kind->num_texts--;
        char *const text = describe_note(note, kind->num_texts == 0 ? kind->num_hidden : 0);
        pass_on(job, "%s", text);
        free(text);
        free(note->text);
    }
    free(budget->kinds);
    free(budget->notes);
    *budget = (convert_budget){.file_size = budget->file_size};
}
