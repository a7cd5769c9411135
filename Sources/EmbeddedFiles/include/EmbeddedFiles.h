// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

#ifndef EMBEDDED_FILES_H
#define EMBEDDED_FILES_H

/// A text file that is part of the program.
struct embedded_file {
    /// Without a folder.
    const char *name;
    /// UTF-8, ended by a zero.
    const char *text;
};

/// The files of the page that shows a run; the last one has no name.
extern const struct embedded_file *const embedded_page_files;

/// The profile of `beaconry demo`.
extern const struct embedded_file embedded_museum;

#endif
