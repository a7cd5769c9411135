# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

# `make run` shows the thing working, `make test` tests all of it; both install what they need first.

PROFILE ?= profiles/iot-design-shop.yaml
ITERATIONS ?= 1000000
SEED ?= 1
RELEASE := swift build -c release --static-swift-stdlib

.PHONY: build run check test unit-test fuzz fuzz-short vm-test release dependencies test-dependencies clean

build: dependencies
	swift build --product beaconry

release: dependencies
	$(RELEASE) --product beaconry

# The main job: on this machine's adapter, or, where there is none, inside a virtual machine that has two.
run: build
	Scripts/run $(PROFILE)

check: dependencies
	Scripts/check-imports
	swift format lint --strict --recursive Package.swift Sources Tests
	swift build --build-tests

test: unit-test fuzz-short vm-test

unit-test: test-dependencies
	swift test

# Seeded random and mutated bytes into everything that reads bytes from outside.
fuzz: dependencies
	$(RELEASE) --product beaconry-fuzz
	.build/release/beaconry-fuzz --iterations $(ITERATIONS) --seed $(SEED)

fuzz-short:
	$(MAKE) fuzz ITERATIONS=100000

# The real bluetoothd, old and new, on legacy and on extended controllers.
vm-test: test-dependencies release
	Scripts/vm-tests

dependencies:
	Scripts/install-dependencies build

test-dependencies:
	Scripts/install-dependencies build test vm

clean:
	rm -rf .build
