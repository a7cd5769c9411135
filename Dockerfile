# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

# Run it with the machine's Bluetooth:
#   docker run --rm --net=host --cap-add NET_ADMIN --cap-add NET_RAW -v /run/dbus:/run/dbus -v beaconry:/state \
#       -v "$PWD/profiles:/profiles:ro" beaconry run /profiles/iot-design-shop.yaml
FROM swift:6.3-bookworm AS build
RUN apt-get update && apt-get install -y --no-install-recommends libdbus-1-dev libbluetooth-dev pkg-config
WORKDIR /source
COPY Package.swift ./
COPY Sources Sources
COPY Tests Tests
RUN swift build -c release --static-swift-stdlib --product beaconry -Xlinker -s

FROM debian:bookworm-slim
RUN apt-get update \
    && apt-get install -y --no-install-recommends libdbus-1-3 libstdc++6 \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /source/.build/release/beaconry /usr/local/bin/beaconry
COPY profiles /profiles
ENV BEACONRY_STATE=/state
VOLUME /state
ENTRYPOINT ["beaconry"]
CMD ["run", "/profiles/iot-design-shop.yaml"]
