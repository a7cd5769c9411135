# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

# `make run` shows the thing working, `make test` tests all of it; both install what they need first.

PROFILE ?=
ITERATIONS ?= 1000000
SEED ?= 1
BENCH ?=
RELEASE := swift build -c release --static-swift-stdlib

.PHONY: build run demo check docs test unit-test fuzz fuzz-short sanitize vm-test bench release sbom dependencies \
	test-dependencies clean

build: dependencies
	swift build --product beaconry

release: dependencies
	$(RELEASE) --product beaconry

# The bill of materials of the release build.
sbom: release
	Scripts/sbom --output .build/beaconry.spdx.json

# The main job: on this machine's adapter, or, where there is none, on the virtual air.
run: build
	Scripts/run $(PROFILE)

# A phone configures a beacon on real BlueZ, inside a virtual machine with two virtual controllers.
demo: build
	Scripts/install-dependencies vm
	Scripts/bluez-vm .build/venv/bin/python Scripts/demo.py $(or $(PROFILE),profiles/iot-design-shop.yaml)

check: dependencies
	Scripts/check-imports
	swift format lint --strict --recursive Package.swift Sources Tests Benchmarks
	swift build --build-tests

# The documentation of the central API, in .build/documentation.
docs: dependencies
	Scripts/documentation

test: unit-test fuzz-short vm-test

unit-test: test-dependencies
	swift test

# Seeded random and mutated bytes into everything that reads bytes from outside, and then into the running program.
fuzz: dependencies
	$(RELEASE) --product beaconry-fuzz
	.build/release/beaconry-fuzz --iterations $(ITERATIONS) --seed $(SEED)
	$(RELEASE) --product beaconry
	BEACONRY_BINARY=.build/release/beaconry python3 -B Tests/EndToEnd/fuzz_live.py \
		--packets $(ITERATIONS) --pdus $(ITERATIONS) --seed $(SEED)

fuzz-short:
	$(MAKE) fuzz ITERATIONS=100000

# The unit tests under each sanitizer, one after the other: all at once, they starve each other. XCTest has none of them, and
# leaks. Both build everything anew.
sanitize: test-dependencies
	swift test --disable-xctest --no-parallel --sanitize thread --scratch-path .build/tsan
	LSAN_OPTIONS=suppressions=$(CURDIR)/Tests/leaks.suppressions \
		swift test --disable-xctest --no-parallel --sanitize address --scratch-path .build/asan

# The spawned program: on the virtual air with hosts and controllers of others, and with the real bluetoothd, old and
# new, on legacy and on extended controllers.
vm-test: test-dependencies release
	$(RELEASE) --product central-harness
	Scripts/vm-tests

# Against rootcanal and Bumble, in one go; BENCH names some of the benchmarks, as Benchmarks/bench.py has them.
bench: test-dependencies release
	$(RELEASE) --product central-harness
	$(RELEASE) --product beaconry-bench
	.build/venv/bin/python Benchmarks/bench.py $(BENCH)

dependencies:
	Scripts/install-dependencies build

test-dependencies:
	Scripts/install-dependencies build test vm

clean:
	rm -rf .build
