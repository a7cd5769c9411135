# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

# `make run` shows the program working, `make test` tests it in minutes, `make test-more` what a change must pass besides,
# `make test-all` every combination; each installs what it needs first.

PROFILE ?=
ITERATIONS ?= 1000000
SEED ?= 1
# Of the changes of several clients at once.
CHANGES ?= 100000
BENCH ?=
PREFIX ?= /usr/local
DESTDIR ?=
# What is installed or packaged; a program that is given is not built.
BINARY ?=
# The processor of the program: that of this machine, or arm64 (on x86-64).
ARCH ?= $(shell dpkg --print-architecture)
export ARCH
# The commit that --version prints.
ifndef BEACONRY_COMMIT
BEACONRY_COMMIT := $(shell git rev-parse HEAD 2>/dev/null)
endif
export BEACONRY_COMMIT
RELEASE := Scripts/build-release
BUILT := $(if $(filter $(ARCH),$(shell dpkg --print-architecture)),.build/release,.build/arm64/aarch64-unknown-linux-gnu/release)/beaconry
# The program as it is distributed, and its symbols in beaconry.debug.
DIST := .build/dist/$(ARCH)/beaconry

.PHONY: api build install package package-test wheel run demo demo-bluez check docs test test-more test-all unit-test host-test python-test vm-test fuzz chaos sanitize sanitize-thread \
	sanitize-address bench release dependencies test-dependencies clean

build: dependencies
	swift build --product beaconry

release: dependencies
	Scripts/install-dependencies package $(if $(filter $(ARCH),$(shell dpkg --print-architecture)),,arm64)
	$(RELEASE) --product beaconry
	Scripts/strip-program $(BUILT) $(DIST)
	@[ $$(stat -c %s $(DIST)) -le 55000000 ] || { echo "$(DIST) has more than 55,000,000 bytes" >&2; exit 1; }

# The program, its man pages, shell completions, documents, profiles, scenarios and schemas.
install: $(if $(BINARY),,release)
	Scripts/install $(or $(BINARY),$(DIST)) $(PREFIX) $(DESTDIR)

# The Debian package, the archive and the symbols, and the bill of materials of a program that was built, in .build/package. The size of
# the package for amd64 is held; that of arm64 was not measured.
package: $(if $(BINARY),,release)
	$(if $(BINARY),,Scripts/sbom --build $(BUILT) --program $(DIST) --output .build/package)
	Scripts/package $(or $(BINARY),$(DIST)) .build/package
	$(if $(BINARY)$(filter-out amd64,$(ARCH)),,@[ $$(stat -c %s .build/package/beaconry_*_$(ARCH).deb) -le 14000000 ] || { echo "the package has more than 14,000,000 bytes" >&2; exit 1; })

# The package and the wheel in Debian 12 and 13 (for arm64 Debian 13), which are fetched from Debian; for this machine's processor, the
# services under systemd and the image, too. With the programs of both processors, their results are compared.
package-test: package wheel
	Scripts/install-dependencies test vm image
	Scripts/package-test .build/package/beaconry_*_$(ARCH).deb .build/package/beaconry-*_$(if $(filter arm64,$(ARCH)),aarch64,x86_64).whl
	$(if $(wildcard .build/dist/amd64/beaconry),$(if $(wildcard .build/dist/arm64/beaconry),Scripts/compare-programs .build/dist/amd64/beaconry .build/dist/arm64/beaconry))

# The wheel of the Python package, with the program, in .build/package. For a program that is given, Python with pip is enough.
wheel: $(if $(BINARY),,release)
	python3 Scripts/wheel --binary $(or $(BINARY),$(DIST))
	Scripts/checksums .build/package

# The main job: on this machine's adapter, or, where there is none, on the virtual air.
run: build
	Scripts/run $(PROFILE)

# A museum of beacons in a browser, with a phone that walks through it.
demo: build
	.build/debug/beaconry demo

# A phone configures a beacon on real BlueZ, inside a virtual machine with two virtual controllers.
demo-bluez: build
	Scripts/install-dependencies vm
	Scripts/bluez-vm .build/venv/bin/python Scripts/demo.py $(or $(PROFILE),profiles/iot-design-shop.yaml)

# The imports, the format, and that everything compiles. What the tests need besides is fetched beside the compiler.
check: dependencies
	Scripts/test check build machine peers

# What follows from the requests and the events of a run: docs/openapi.json, tables in docs/http.md and docs/events.md, Python.
api: build
	Scripts/api

# The documentation of the central API, in .build/documentation.
docs: dependencies
	Scripts/documentation

# On one build, side by side: the unit tests, the spawned program on the virtual air, over HTTP and in Chromium, and the Python
# package. Scripts/test describes them; `Scripts/test --help` lists the stages, of which
# some can be run alone.
test: dependencies
	Scripts/test

# What a change must pass besides, on the same build: the slow tests, real BlueZ, old and new, and with controllers that keep to the
# specification, the package under systemd, programs that use BlueZ, short fuzzes, load, endurance, and the power cut.
test-more: dependencies
	Scripts/test --more

# Before a release: release builds, every test with every BlueZ and every kind of controller, the long fuzz, the sanitizers.
test-all: dependencies
	Scripts/test --all

unit-test: dependencies
	Scripts/test unit unit-airs unit-buses unit-central

# The spawned program on the virtual air, with third-party hosts and controllers.
host-test: dependencies
	Scripts/test host

# The Python package, with the program.
python-test: dependencies
	Scripts/test python python-plugin airs

# The spawned program with the real bluetoothd, and the power cut in the middle of writes.
vm-test: dependencies
	Scripts/test bluez power-cut

# Seeded random and mutated bytes into everything that reads bytes from outside, and then into the running program.
fuzz: dependencies
	$(RELEASE) --product beaconry-fuzz
	.build/release/beaconry-fuzz --iterations $(ITERATIONS) --seed $(SEED)
	$(RELEASE) --product beaconry
	BEACONRY_BINARY=.build/release/beaconry python3 -B Tests/EndToEnd/fuzz_live.py \
		--packets $(ITERATIONS) --pdus $(ITERATIONS) --seed $(SEED)

# Changes by five clients at once, with reloads, resets and kills: what the requests return, what is received and what is saved
# must be the same.
chaos: dependencies
	$(RELEASE) --product beaconry
	BEACONRY_BINARY=.build/release/beaconry python3 -B Tests/EndToEnd/chaos.py --changes $(CHANGES) --seed $(SEED)

# The unit tests under each sanitizer, one after the other: all at once, they starve each other. XCTest has none of them, and
# leaks. Both build everything anew.
sanitize: sanitize-thread sanitize-address

sanitize-thread: dependencies
	swift test --disable-xctest --no-parallel --sanitize thread --scratch-path .build/tsan

sanitize-address: dependencies
	LSAN_OPTIONS=suppressions=$(CURDIR)/Tests/leaks.suppressions \
		swift test --disable-xctest --no-parallel --sanitize address --scratch-path .build/asan

# Against rootcanal and Bumble, in one go; BENCH names some of the benchmarks, as Benchmarks/bench.py has them.
bench: test-dependencies
	$(RELEASE) --product beaconry
	$(RELEASE) --product central-harness
	$(RELEASE) --product beaconry-bench
	.build/venv/bin/python Benchmarks/bench.py $(BENCH)

dependencies:
	Scripts/install-dependencies build

test-dependencies:
	Scripts/install-dependencies build test vm

clean:
	rm -rf .build
