// SPDX-License-Identifier: MIT
// One thread at a time in an object (py_core.h): who comes in meanwhile is refused, or waits with
// the interpreter released.
//
// All who wait share a lock and a condition: they are few, and leaving an object for which nobody
// waits takes neither.
#include "py_core.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

#include "core/text.h"

// how long one waits between two looks at signals, in nanoseconds
enum { LOOK = 50000000, SECOND = 1000000000 };

static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t opened = PTHREAD_COND_INITIALIZER;

// a number that no other living thread has
static uintptr_t this_thread(void)
{
    static _Thread_local char mark;
    return (uintptr_t)&mark;
}

void py_enter_noted(py_gate *gate)
{
    atomic_store_explicit(&gate->inside, this_thread(), memory_order_relaxed);
}

void py_leave_waking(py_gate *gate)
{
    atomic_store_explicit(&gate->inside, 0, memory_order_relaxed);
    // sequentially consistent, as what one who waits does: the one or the other is seen
    atomic_store(&gate->busy, false);
    if (atomic_load(&gate->waiting) == 0)
        return;
    pthread_mutex_lock(&door);
    pthread_cond_broadcast(&opened);
    pthread_mutex_unlock(&door);
}

// Enters, or gives up after a while.
static bool wait_a_while(py_gate *gate)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += LOOK;
    until.tv_sec += until.tv_nsec / SECOND;
    until.tv_nsec %= SECOND;
    bool entered = false, late = false;
    pthread_mutex_lock(&door);
    while (!(entered = !atomic_exchange(&gate->busy, true)) && !late)
        late = pthread_cond_timedwait(&opened, &door, &until) != 0;
    pthread_mutex_unlock(&door);
    return entered;
}

bool py_enter_busy(py_gate *gate, const char *what)
{
    if (!atomic_load(&gate->waits) || atomic_load(&gate->inside) == this_thread()) {
        char text[96];
        snprintf(text, sizeof text,
                 "this %s is in use: by another thread, or by the call that calls back", what);
        return py_fail(LGKT_ERR_PROTOCOL, text) != NULL;
    }
    bool entered;
    atomic_fetch_add(&gate->waiting, 1);
    do {
        PyThreadState *released = PyEval_SaveThread();
        entered = wait_a_while(gate);
        PyEval_RestoreThread(released);
    } while (!entered && PyErr_CheckSignals() == 0);
    atomic_fetch_sub(&gate->waiting, 1);
    return entered;
}

PyObject *py_gate_get(const py_gate *gate)
{
    return PyUnicode_FromString(atomic_load(&gate->waits) ? "wait" : "refuse");
}

int py_gate_set(py_gate *gate, PyObject *value, const char *what)
{
    if (value == NULL || !PyUnicode_Check(value)) {
        PyErr_SetString(PyExc_TypeError, "when_busy must be \"refuse\" or \"wait\"");
        return -1;
    }
    const char *word = PyUnicode_AsUTF8AndSize(value, NULL);
    if (word == NULL)
        return -1;
    const bool waits = strcmp(word, "wait") == 0;
    if (!waits && strcmp(word, "refuse") != 0) {
        char text[120];
        snprintf(text, sizeof text, "when_busy must be \"refuse\" or \"wait\", not \"%.*s\"",
                 (int)lgkt_text_fit(word, 40), word);
        py_fail(LGKT_ERR_ARGUMENT, text);
        return -1;
    }
    if (!py_enter(gate, what))
        return -1;
    atomic_store(&gate->waits, waits);
    py_leave_waking(gate); // also those who waited under the rule before
    return 0;
}
