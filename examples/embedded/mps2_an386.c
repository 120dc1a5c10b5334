// SPDX-License-Identifier: MIT
// The board mps2-an386 as QEMU has it: its start, output by semihosting, a clock, and the few calls
// that newlib makes.
#include "board.h"

#include <errno.h>
#include <stdbool.h>

int main(int argc, char **argv);
void board_reset(void);
void *_sbrk(ptrdiff_t more);

// where the linker script put things
extern unsigned char board_data_begin[], board_data_end[], board_data_source[];
extern unsigned char board_bss_begin[], board_bss_end[];
extern unsigned char board_heap_begin[], board_heap_end[], board_stack_end[];

// ---- the debugger, which is QEMU ----

enum { WRITE_TEXT = 0x04, COMMAND_LINE = 0x15, END = 0x20, ENDED_BY_ITSELF = 0x20026 };

static void ask(uint32_t what, const void *argument)
{
    register uint32_t r0 __asm__("r0") = what;
    register const void *r1 __asm__("r1") = argument;
    __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
}

void board_write(const char *text)
{
    ask(WRITE_TEXT, text);
}

static _Noreturn void end(uint32_t code)
{
    const uint32_t block[] = {ENDED_BY_ITSELF, code};
    for (;;)
        ask(END, block);
}

enum { MAX_ARGUMENTS = 64 };

// What -append or arg= of QEMU says, cut at blanks.
static int read_arguments(char *argv[MAX_ARGUMENTS])
{
    static char text[1024];
    const struct {
        char *text;
        size_t size;
    } block = {text, sizeof text};
    ask(COMMAND_LINE, &block);
    int argc = 0;
    for (char *at = text; *at != '\0' && argc < MAX_ARGUMENTS - 1;) {
        argv[argc++] = at;
        while (*at != '\0' && *at != ' ')
            at++;
        while (*at == ' ')
            *at++ = '\0';
    }
    return argc;
}

// ---- clock: SysTick counts down 24 bits, 25 MHz of a clock that goes on by 1 ns an instruction ----

#define SYSTICK_CONTROL (*(volatile uint32_t *)0xe000e010)
#define SYSTICK_RELOAD  (*(volatile uint32_t *)0xe000e014)
#define SYSTICK_VALUE   (*(volatile uint32_t *)0xe000e018)
enum { SYSTICK_MASK = 0xffffff, SYSTICK_ON = 5, NANOSECONDS = 40 };

static void start_clock(void)
{
    SYSTICK_RELOAD = SYSTICK_MASK;
    SYSTICK_VALUE = 0;
    SYSTICK_CONTROL = SYSTICK_ON;
}

uint64_t board_ticks(void)
{
    static uint32_t last;
    static uint64_t total;
    const uint32_t now = SYSTICK_MASK - SYSTICK_VALUE;
    total += (now - last) & SYSTICK_MASK;
    last = now;
    return total * NANOSECONDS;
}

// ---- memory ----

// what an untouched word of the stack holds
#define UNTOUCHED 0x5a17c0deu

static unsigned char *heap_top = board_heap_begin;

void *_sbrk(ptrdiff_t more)
{
    if (more > board_heap_end - heap_top) {
        errno = ENOMEM;
        return (void *)-1; // NOLINT(performance-no-int-to-ptr): so says newlib
    }
    unsigned char *const before = heap_top;
    heap_top += more;
    return before;
}

size_t board_heap(void)
{
    return (size_t)(heap_top - board_heap_begin);
}

size_t board_stack(void)
{
    const uint32_t *at = (const uint32_t *)(void *)board_heap_end;
    while (*at == UNTOUCHED)
        at++;
    return (size_t)(board_stack_end - (const unsigned char *)at);
}

// newlib's printing ends in these, where it prints to a file and not into a text
#define REFUSE(name_)                                                                              \
    int name_(void);                                                                               \
    int name_(void)                                                                                \
    {                                                                                              \
        return -1;                                                                                 \
    }
REFUSE(_write)
REFUSE(_read)
REFUSE(_close)
REFUSE(_lseek)
REFUSE(_fstat)
REFUSE(_isatty)
REFUSE(_kill)
REFUSE(_getpid)

_Noreturn void _exit(int code);
_Noreturn void _exit(int code)
{
    end((uint32_t)code);
}

// ---- owners of shared models and tables, where the processor counts in no single instruction ----

#ifdef __ARM_ARCH_6M__
unsigned __atomic_fetch_add_4(volatile void *number, unsigned more, int order);
unsigned __atomic_fetch_sub_4(volatile void *number, unsigned less, int order);

// as long as no interrupt makes or destroys anything of the library
unsigned __atomic_fetch_add_4(volatile void *number, unsigned more, int order)
{
    (void)order;
    const uint32_t before = *(volatile uint32_t *)number;
    *(volatile uint32_t *)number = before + more;
    return before;
}

unsigned __atomic_fetch_sub_4(volatile void *number, unsigned less, int order)
{
    return __atomic_fetch_add_4(number, 0 - less, order);
}
#endif

// ---- start ----

#define COPROCESSORS (*(volatile uint32_t *)0xe000ed88)

void board_reset(void)
{
#ifdef __ARM_FP
    COPROCESSORS |= 0xf << 20; // floating point, which is off at the start
    __asm__ volatile("dsb\nisb");
#endif
    for (unsigned char *to = board_data_begin, *from = board_data_source; to < board_data_end;)
        *to++ = *from++;
    for (unsigned char *to = board_bss_begin; to < board_bss_end;)
        *to++ = 0;
    // all but what this function has of it
    uint32_t *const here = __builtin_frame_address(0);
    for (volatile uint32_t *word = (uint32_t *)(void *)board_heap_end; word < here - 32;)
        *word++ = UNTOUCHED;
    static char *argv[MAX_ARGUMENTS];
    const int argc = read_arguments(argv);
    start_clock();
    end((uint32_t)main(argc, argv));
}

static _Noreturn void fault(void)
{
    board_write("fault\n");
    end(3);
}

static void (*const vectors[16])(void) __attribute__((section(".vectors"), used)) = {
    (void (*)(void))(void *)board_stack_end,
    board_reset,
    fault, // NMI
    fault, // hard fault
    fault,
    fault,
    fault,
};
