# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

# On the virtual air, which hosts on this machine join at port 6402:
#   docker run --rm -p 127.0.0.1:6402:6402 beaconry run /profiles/museum.yaml --radio virtual --hci-server tcp:0.0.0.0:6402
# With the machine's Bluetooth:
#   docker run --rm --net=host --cap-add NET_ADMIN --cap-add NET_RAW -v /run/dbus:/run/dbus -v beaconry:/state \
#       -v "$PWD/profiles:/profiles:ro" beaconry run /profiles/iot-design-shop.yaml
FROM swift:6.3.1-bookworm AS build
RUN apt-get update && apt-get install -y --no-install-recommends libbluetooth-dev libdbus-1-dev libyaml-dev pkg-config
WORKDIR /source
COPY Package.swift ./
COPY Sources Sources
COPY Tests Tests
COPY Benchmarks Benchmarks
COPY examples examples
# The commit that --version prints: docker build --build-arg BEACONRY_COMMIT=$(git rev-parse HEAD) .
ARG BEACONRY_COMMIT=
COPY Scripts/build-release Scripts/link-release Scripts/link-release.ld Scripts/
RUN Scripts/build-release --product beaconry -Xlinker -s

FROM debian:12.13-slim
# The capabilities are +p, not +ep: without --cap-add the kernel would refuse to execute that. The program makes effective what
# it is permitted.
RUN --mount=type=bind,from=build,source=/source/.build,target=/build \
    apt-get update \
    && apt-get install -y --no-install-recommends libcap2-bin libdbus-1-3 libstdc++6 \
    && install /build/release/beaconry /usr/local/bin/beaconry \
    && setcap cap_net_admin,cap_net_raw+p /usr/local/bin/beaconry \
    && apt-get purge -y --auto-remove libcap2-bin \
    && rm -rf /var/lib/apt/lists/* \
    && groupadd --gid 10001 beaconry \
    && useradd --uid 10001 --gid 10001 --home-dir /state --no-create-home --shell /usr/sbin/nologin beaconry \
    && install -d -o beaconry -g beaconry -m 0700 /state /run/beaconry
COPY LICENSE NOTICE /usr/share/doc/beaconry/
COPY profiles /profiles
# Settings and bonds; control sockets, for `docker exec CONTAINER beaconry ctl list`.
ENV BEACONRY_STATE=/state RUNTIME_DIRECTORY=/run/beaconry
VOLUME /state
USER 10001:10001
HEALTHCHECK --interval=10s --timeout=5s --start-period=5s CMD ["beaconry", "ctl", "list"]
ENTRYPOINT ["beaconry"]
CMD ["run", "/profiles/iot-design-shop.yaml"]
