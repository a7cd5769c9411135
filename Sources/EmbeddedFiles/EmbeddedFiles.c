// Beaconry: beacons without the hardware
// Copyright 2026 the Beaconry project authors
// SPDX-License-Identifier: Apache-2.0

// Swift has no way to embed a file but an array literal, which takes the compiler a minute for each megabyte; the directive of C23
// takes no time, and the dependencies of the object file contain the files.
#pragma clang diagnostic ignored "-Wc23-extensions"

#include "EmbeddedFiles.h"

#define TEXT (const char *)(const unsigned char[])

static const struct embedded_file page_files[] = {
    {"api.js", TEXT {
#embed "../RunServer/Resources/api.js" suffix(, 0)
    }},
    {"app.js", TEXT {
#embed "../RunServer/Resources/app.js" suffix(, 0)
    }},
    {"bar.js", TEXT {
#embed "../RunServer/Resources/bar.js" suffix(, 0)
    }},
    {"detail.js", TEXT {
#embed "../RunServer/Resources/detail.js" suffix(, 0)
    }},
    {"dom.js", TEXT {
#embed "../RunServer/Resources/dom.js" suffix(, 0)
    }},
    {"favicon.svg", TEXT {
#embed "../RunServer/Resources/favicon.svg" suffix(, 0)
    }},
    {"format.js", TEXT {
#embed "../RunServer/Resources/format.js" suffix(, 0)
    }},
    {"index.html", TEXT {
#embed "../RunServer/Resources/index.html" suffix(, 0)
    }},
    {"log.js", TEXT {
#embed "../RunServer/Resources/log.js" suffix(, 0)
    }},
    {"map.js", TEXT {
#embed "../RunServer/Resources/map.js" suffix(, 0)
    }},
    {"model.js", TEXT {
#embed "../RunServer/Resources/model.js" suffix(, 0)
    }},
    {"names.js", TEXT {
#embed "../RunServer/Resources/names.js" suffix(, 0)
    }},
    {"notice.js", TEXT {
#embed "../RunServer/Resources/notice.js" suffix(, 0)
    }},
    {"order.js", TEXT {
#embed "../RunServer/Resources/order.js" suffix(, 0)
    }},
    {"phones.js", TEXT {
#embed "../RunServer/Resources/phones.js" suffix(, 0)
    }},
    {"physics.js", TEXT {
#embed "../RunServer/Resources/physics.js" suffix(, 0)
    }},
    {"plan.js", TEXT {
#embed "../RunServer/Resources/plan.js" suffix(, 0)
    }},
    {"receiver.js", TEXT {
#embed "../RunServer/Resources/receiver.js" suffix(, 0)
    }},
    {"rooms.js", TEXT {
#embed "../RunServer/Resources/rooms.js" suffix(, 0)
    }},
    {"run.js", TEXT {
#embed "../RunServer/Resources/run.js" suffix(, 0)
    }},
    {"scenario.js", TEXT {
#embed "../RunServer/Resources/scenario.js" suffix(, 0)
    }},
    {"signal.js", TEXT {
#embed "../RunServer/Resources/signal.js" suffix(, 0)
    }},
    {"state.js", TEXT {
#embed "../RunServer/Resources/state.js" suffix(, 0)
    }},
    {"style.css", TEXT {
#embed "../RunServer/Resources/style.css" suffix(, 0)
    }},
    {"switch.js", TEXT {
#embed "../RunServer/Resources/switch.js" suffix(, 0)
    }},
    {"tables.js", TEXT {
#embed "../RunServer/Resources/tables.js" suffix(, 0)
    }},
    {"welcome.js", TEXT {
#embed "../RunServer/Resources/welcome.js" suffix(, 0)
    }},
    {0, 0},
};
const struct embedded_file *const embedded_page_files = page_files;

const struct embedded_file embedded_museum = {"museum.yaml", TEXT {
#embed "../../profiles/museum.yaml" suffix(, 0)
}};
