# A thin front for CMake and scripts/. `make help` lists what there is.
PREFIX ?= /usr/local
JOBS   ?= $(shell nproc 2>/dev/null || echo 2)
export JOBS
FUZZ_SECONDS ?= 600
SOAK_STEPS   ?= 100000000

SHELL       := bash
.SHELLFLAGS := -o pipefail -c

# the builds started below are no part of this make and bring their own -j
APART := env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL
BUILD := $(APART) cmake --build build -j $(JOBS)
QUIET := sed -u '/Built target/d'

.PHONY: all demo test browser-test bench install format coverage fuzz soak examples-out docs clean help

all: ## build the library and the command build/lgkt
	@scripts/setup build
	@[ -f build/CMakeCache.txt ] || cmake -S . -B build
	@$(BUILD) --target lgkt lgkt_shared | $(QUIET)

demo: all ## build, then show learners at work
	@build/lgkt demo

bench: all ## build, then measure speed: of the command, and of a program that links the library
	@$(BUILD) --target lgkt_bench_library | $(QUIET)
	@bench/compare build/lgkt build/lgkt_bench_library

test: ## run all checks: tests, sanitizers, valgrind, format, layers, docs, install
	@scripts/setup test
	@$(APART) scripts/test_all

browser-test: all ## open a report in a browser (installs Chromium)
	@scripts/setup browser
	@tests/browser/run build/lgkt

install: all ## install into PREFIX (default /usr/local), below DESTDIR if set
	@DESTDIR=$(DESTDIR) cmake --install build --prefix $(PREFIX)

format: ## format all C files
	@scripts/format

coverage: ## run the tests and print which lines and branches of src/ they reached
	@scripts/setup test
	@cmake --preset coverage
	@$(APART) cmake --build --preset coverage -j $(JOBS) | $(QUIET)
	@find build/coverage -name '*.gcda' -delete
	@ctest --preset coverage -j $(JOBS)
	@scripts/coverage build/coverage

fuzz: ## look for inputs that break a reader, FUZZ_SECONDS (600) for each of them
	@scripts/setup fuzz
	@$(APART) scripts/fuzz $(FUZZ_SECONDS)

soak: ## run every learner for SOAK_STEPS (10^8) steps, with the undefined behaviour sanitizer
	@scripts/setup test
	@cmake --preset soak
	@$(APART) cmake --build --preset soak -j $(JOBS) | $(QUIET)
	@build/soak/tests/soak $(SOAK_STEPS)

examples-out: all ## write the output of each example to examples/*.out
	@$(BUILD) | $(QUIET)
	@for source in examples/*.c; do \
	    name=$$(basename $$source .c); \
	    build/tests/example_$$name > examples/$$name.out || exit 1; \
	done

docs: all ## write docs/settings.md anew
	@build/lgkt list --markdown > docs/settings.md

clean: ## remove build/
	@rm -rf build

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
