// SPDX-License-Identifier: MIT
// Status codes, error messages, allocator hooks, version. Everything else builds on this.
//
// Conventions of all headers:
//   - A function that can fail returns lgkt_status; results go through out pointers, which are
//     written only on LGKT_OK.
//   - Where the message of a failure goes: a function that makes or loads a handle, and one that
//     only looks (its handle is const), takes `lgkt_error *error`. It is always nullable; when
//     given, it is set on failure to the status and one line of text that names the bad value and
//     what is allowed. A function that changes a handle takes no error and leaves that line in the
//     handle, where the _message function of its type finds it: it is about the last call that was
//     refused, "" if there was none, and says so where the handle itself is NULL.
//   - What a function makes through an out pointer belongs to the caller, who frees it with the
//     _destroy function of its type. Every _destroy function accepts NULL.
//   - The library never prints, exits or aborts, and has no global state.
//   - Structs that may get more fields in later versions: a config begins with its `size`, which
//     the inline _default function of its type sets to that of the program, and a lgkt_reason is
//     passed with its size. A program that was compiled with a smaller struct goes on with the
//     defaults of what it does not know; one with a larger struct is refused where it uses what
//     this library does not know. Structs that lie within others have reserved fields, which must
//     be 0, and never change their size. All other structs stay as they are; nothing that may grow
//     is returned by value across the library's border.
#ifndef LGKT_BASE_H
#define LGKT_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// defined beforehand where the library is compiled into something else and exports nothing
#if defined(LGKT_API)
#elif defined(_WIN32)
#define LGKT_API
#elif defined(__GNUC__)
#define LGKT_API __attribute__((visibility("default")))
#else
#define LGKT_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define LGKT_VERSION_MAJOR  0
#define LGKT_VERSION_MINOR  2
#define LGKT_VERSION_PATCH  0
#define LGKT_VERSION_STRING "0.2.0"

/// The version of the library that is linked, "major.minor.patch".
LGKT_API const char *lgkt_version(void);

/// Which numbers a library computes. Two of the same LGKT_NUMBERS give the same results to the last
/// bit, whatever their versions; it rises by 1 whenever any result of any learner, environment or
/// plan changes. Saved states and journals of results say which numbers made them.
#define LGKT_NUMBERS 2

/// LGKT_NUMBERS of the library that is linked.
LGKT_API int32_t lgkt_numbers(void);

/// What a call ended with. 0 is success, errors are negative.
typedef enum lgkt_status {
    LGKT_OK = 0,
    LGKT_ERR_ARGUMENT = -1,        ///< a null pointer, or an argument out of its range
    LGKT_ERR_CONFIG = -2,          ///< a config struct not made by its _default, or a bad field
    LGKT_ERR_SPEC = -3,            ///< a malformed spec string, an unknown key, a bad value
    LGKT_ERR_UNKNOWN_NAME = -4,    ///< no learner or environment of that name
    LGKT_ERR_SHAPE = -5,           ///< sizes that do not agree, or are too large
    LGKT_ERR_PROBABILITY = -6,     ///< a negative probability, or a row that does not sum to 1
    LGKT_ERR_NOT_FINITE = -7,      ///< a NaN or an infinity where a number is needed
    LGKT_ERR_NO_MEMORY = -8,       ///< an allocation failed
    LGKT_ERR_PROTOCOL = -9,        ///< calls out of order: act, observe, act, observe, ...
    LGKT_ERR_HORIZON = -10,        ///< the run is over
    LGKT_ERR_UNSUPPORTED = -11,    ///< this object cannot do that
    LGKT_ERR_NO_CONVERGENCE = -12, ///< an iteration hit its cap
    LGKT_ERR_FORMAT = -13,  ///< bytes that are no saved state or no file of that kind, or damaged
    LGKT_ERR_NO_FILE = -14, ///< a file or folder that is not there or may not be opened
    LGKT_ERR_IO = -15,      ///< reading or writing stopped half way, e.g. the disk is full
    LGKT_ERR_SYSTEM = -16   ///< the system gave no thread, process or lock, or a program failed
} lgkt_status;

/// The number of status codes; they are 0, -1, .., 1 - LGKT_STATUS_COUNT.
#define LGKT_STATUS_COUNT 17

/// The name of a status without its prefix, e.g. "NO_MEMORY"; "UNKNOWN" for any other number.
LGKT_API const char *lgkt_status_name(lgkt_status status);
/// One lower-case sentence on what a status means; never NULL.
LGKT_API const char *lgkt_status_text(lgkt_status status);

/// A failure in words. A value owned by the caller; `{0}` is an empty one.
typedef struct lgkt_error {
    lgkt_status status;
    char text[256]; ///< one line, zero-terminated
} lgkt_error;

/// Where memory comes from. A zero-initialised one means malloc and free. The functions must be
/// safe to call from every thread that uses objects made with them. `free` is never called with
/// NULL.
typedef struct lgkt_allocator {
    void *(*alloc)(void *ctx, size_t size); ///< uninitialised memory aligned for any type, or NULL
    void (*free)(void *ctx, void *memory);
    void *ctx;
} lgkt_allocator;

#ifdef __cplusplus
}
#endif
#endif
