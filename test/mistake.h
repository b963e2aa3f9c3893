// Mistakes of callers that end the program, tried in a child process; on Windows in this one.
#ifndef TEST_MISTAKE_H
#define TEST_MISTAKE_H

// Calls `mistake`, which must abort; the program goes on. Returns what it printed to standard
// error; the text stays until the next call.
const char *test_message_of(void (*mistake)(const void *context), const void *context);

// Returns NULL. With a literal NULL in a test, static analysis would report a fault in the library.
void *test_null(void);

#endif
