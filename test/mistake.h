// Mistakes of callers that end the program, tried in a child process. POSIX only.
#ifndef TEST_MISTAKE_H
#define TEST_MISTAKE_H

// Calls `mistake` in a child process, which must abort. Returns what it printed to standard error;
// the text stays until the next call.
const char *test_message_of(void (*mistake)(const void *context), const void *context);

#endif
