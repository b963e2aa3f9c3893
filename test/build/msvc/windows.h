#pragma once
#include <vcruntime.h>
#define WINAPI __stdcall
#define INFINITE 0xFFFFFFFF
typedef int BOOL;
typedef unsigned long DWORD;
typedef void *HANDLE;
typedef struct CRITICAL_SECTION {
    void *opaque[5];
} CRITICAL_SECTION;
typedef struct CONDITION_VARIABLE {
    void *opaque;
} CONDITION_VARIABLE;
typedef struct SYSTEM_INFO {
    DWORD dwPageSize, dwNumberOfProcessors;
} SYSTEM_INFO;
void InitializeCriticalSection(CRITICAL_SECTION *section);
void EnterCriticalSection(CRITICAL_SECTION *section);
void LeaveCriticalSection(CRITICAL_SECTION *section);
void DeleteCriticalSection(CRITICAL_SECTION *section);
void InitializeConditionVariable(CONDITION_VARIABLE *variable);
BOOL SleepConditionVariableCS(CONDITION_VARIABLE *variable, CRITICAL_SECTION *section,
                              DWORD milliseconds);
void WakeAllConditionVariable(CONDITION_VARIABLE *variable);
void GetSystemInfo(SYSTEM_INFO *info);
HANDLE CreateThread(void *security, size_t stack_size, DWORD(WINAPI *start)(void *user), void *user,
                    DWORD flags, DWORD *number);
DWORD WaitForSingleObject(HANDLE handle, DWORD milliseconds);
BOOL CloseHandle(HANDLE handle);
#define FALSE 0
#define PROCESS_QUERY_LIMITED_INFORMATION 0x1000
#define STILL_ACTIVE 259
HANDLE OpenProcess(DWORD access, BOOL inherits_handle, DWORD id);
BOOL GetExitCodeProcess(HANDLE process, DWORD *exit_code);
#define MOVEFILE_REPLACE_EXISTING 1
BOOL MoveFileExA(const char *from, const char *to, DWORD flags);
