# A thin front for CMake and scripts/. `make help` lists what there is.
PREFIX ?= /usr/local
# through the environment, where blanks and quotes are safe
export PREFIX DESTDIR
JOBS   ?= $(shell nproc 2>/dev/null || echo 2)
export JOBS
FUZZ_SECONDS ?= 600
SOAK_STEPS   ?= 100000000
# where results of experiments are
RESULTS      ?= results
# how long the tests of the service are
SERVE_ROUNDS ?= 1

# for a build folder that is made now; those that are there keep what they were made with
CMAKE_GENERATOR ?= $(if $(shell command -v ninja),Ninja,Unix Makefiles)
export CMAKE_GENERATOR

# test programs that write verdicts (tests/ref/verdict.h)
THEORY := $(basename $(notdir $(shell grep -l "^    verdict_begin" tests/unit/test_the*.c)))

SHELL       := bash
.SHELLFLAGS := -o pipefail -c

# the builds started below are no part of this make and bring their own -j
APART := env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL
BUILD := $(APART) cmake --build build -j $(JOBS)
QUIET := sed -u -e '/Built target/d' -e '/globbed directories/d' -e '/ninja: no work to do/d'

.PHONY: all demo check test test-rest test-all test-long lint python python-test python-asan portable embedded-test report browser-test cluster-test bench \
        serve-test serve-bench serve-demo site \
        install format coverage fuzz soak examples-out theory-verdicts docs clean help

all: ## build the library and the command build/lgkt
	@scripts/setup build
	@if [ -f build/CMakeCache.txt ]; then cmake build >/dev/null; else cmake -S . -B build; fi
	@$(BUILD) --target lgkt_product | $(QUIET)

demo: all ## build, then show learners at work
	@build/lgkt demo

bench: all ## build, then measure speed: of the command, of a program that links the library, of Python
	@scripts/setup python
	@$(BUILD) --target lgkt_bench_library lgkt_bench_units | $(QUIET)
	@bench/compare build/lgkt build/lgkt_bench_library
	@echo
	@build/lgkt_bench_units
	@echo
	@$(APART) scripts/venv package
	@build/venv/bin/python bench/python build/lgkt

test: ## build, then run the tests: tree, units, command, examples, Python (3 to 5 minutes)
	@scripts/setup test
	@$(APART) scripts/test fast

test-rest: ## run what `make test-all` has beyond `make test`
	@scripts/setup lint
	@$(APART) scripts/test rest

test-all: ## run the tests, and with sanitizers; a build by clang; lint
	@scripts/setup lint
	@$(APART) scripts/test fast rest

test-long: ## before a tag: all tests, valgrind and the slow half of the sanitizers too
	@scripts/setup long
	@$(APART) scripts/test fast rest long

lint: ## run clang-tidy, cppcheck and gcc's analyzer
	@scripts/setup lint
	@$(APART) scripts/lint

check: ## run what one wants after every edit: fast tests, format, layers, symbols, traces
	@scripts/setup test
	@$(APART) scripts/check

python: ## build the wheel of the Python package into dist/
	@scripts/setup python
	@$(APART) python3 -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist .
	@ls -t dist/lgkt-*.whl | head -n 1

python-test: ## run the Python part of `make test` alone
	@scripts/setup test
	@$(APART) scripts/test_python

python-asan: ## run all Python tests with the address and undefined behaviour sanitizers
	@scripts/setup test
	@scripts/venv
	@$(APART) scripts/python_asan build | $(QUIET)
	@$(APART) scripts/python_asan test -m "not slow"

portable: ## compare results between machines, C libraries and compilers (installs them)
	@scripts/setup portable
	@$(APART) scripts/portable

embedded-test: all ## play on microcontrollers under QEMU, and on 32-bit x86 (installs compilers and QEMU)
	@scripts/setup embedded
	@$(APART) tests/embedded/run . build/liblgkt.a all

report: ## make a page of the results in RESULTS (results): report.html
	@scripts/setup python
	@$(APART) scripts/venv package
	@if grep -qs '"collection": "paper"' "$(RESULTS)"/*/manifest.json; then \
	    $(MAKE) --no-print-directory theory-verdicts; fi
	@build/venv/bin/python -m lgkt.report "$(RESULTS)" --out report.html

# where nothing was built yet it is built as the tests will want it, so that they need not do it again
browser-test: ## open a report and the dashboard in a browser (installs Chromium)
	@scripts/setup test
	@scripts/setup browser
	@[ -f build/CMakeCache.txt ] || cmake --preset release >/dev/null
	@$(MAKE) --no-print-directory all
	@$(APART) scripts/venv package
	@tests/browser/run build/lgkt build/venv/bin/python

cluster-test: all ## compare results of one machine, shards, Dask and Slurm (as root; installs Slurm)
	@scripts/setup cluster
	@$(APART) scripts/venv package
	@tests/cluster/run

serve-test: ## test the service further than `make test`: kills, made-up requests; SERVE_ROUNDS (1) says how often (installs PostgreSQL)
	@scripts/setup test
	@scripts/setup database
	@[ -f build/CMakeCache.txt ] || cmake --preset release >/dev/null
	@$(MAKE) --no-print-directory all
	@$(BUILD) --target test_serve_machine test_serve_law test_serve_crash test_serve_file test_serve_actor serve_script | $(QUIET)
	@$(APART) scripts/venv
	@scripts/test_serve long $(SERVE_ROUNDS)

serve-bench: all ## measure the service beside a bare HTTP server and Redis (installs Redis)
	@scripts/setup serve
	@$(BUILD) --target lgkt_bench_bare lgkt_bench_load lgkt_bench_journal lgkt_bench_serve | $(QUIET)
	@bench/serve build
	@cd build && ./lgkt_bench_serve cost && ./lgkt_bench_serve ready

serve-demo: all ## play the story of docs/embedding.md over HTTP, and leave the server open
	@python3 examples/serve/demo.py build/lgkt build/serve-demo

site: all ## make a site of all pages, with a reference of C and Python: build/site/html (installs Doxygen)
	@scripts/setup site
	@$(APART) scripts/site build/lgkt

install: all ## install into PREFIX (default /usr/local), below DESTDIR if set
	@cmake --install build --prefix "$$PREFIX"

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

# a test that fails has written which side its numbers are on, or nothing, which counts as not measured
theory-verdicts: ## run the tests of theorems and write what they show to RESULTS/theory
	@scripts/setup theory
	@$(MAKE) --no-print-directory all
	@$(BUILD) --target $(THEORY) | $(QUIET)
	@mkdir -p "$(RESULTS)/theory"
	@for test in $(THEORY); do \
	    LGKT_VERDICTS="$(RESULTS)/theory" build/tests/$$test >build/$$test.log 2>&1 || \
	        cat build/$$test.log; \
	done

docs: all ## write docs/settings.md anew
	@build/lgkt list --markdown > docs/settings.md

clean: ## remove build/ and dist/
	@rm -rf build dist

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
