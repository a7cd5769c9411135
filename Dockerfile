# Beaconry: beacons without the hardware
# Copyright 2026 the Beaconry project authors
# SPDX-License-Identifier: Apache-2.0

# The Debian package, which `make package` makes and `make package-test` tests, on Debian 13: docs/docker.md.
FROM debian:13-slim
# amd64 or arm64, as Debian's architectures are named, too.
ARG TARGETARCH
COPY .build/package/beaconry_*_${TARGETARCH}.deb /tmp/package/
# The package gives the program CAP_NET_ADMIN and CAP_NET_RAW (+p: without --cap-add the kernel would refuse to execute a file with +ep).
RUN apt-get update \
    && apt-get install -y --no-install-recommends libcap2-bin libdbus-1-3 adduser \
    && groupadd --gid 10001 beaconry \
    && useradd --uid 10001 --gid 10001 --home-dir /state --no-create-home --shell /usr/sbin/nologin beaconry \
    && apt-get install -y --no-install-recommends /tmp/package/*.deb \
    && rm -rf /var/lib/apt/lists/* /tmp/package \
    && install -d -o beaconry -g beaconry -m 0700 /run/beaconry \
    && install -d -o beaconry -g root -m 0770 /state \
    && ln -s /usr/share/beaconry/profiles /profiles
# Settings and bonds, for members of the group root, too: some clusters give a container another user, of this group. Control sockets, for
# `docker exec CONTAINER beaconry ctl list`, unless the container has another user or a read-only file system.
ENV BEACONRY_STATE=/state RUNTIME_DIRECTORY=/run/beaconry
VOLUME /state
USER 10001:10001
EXPOSE 6402 8080 8877
HEALTHCHECK --interval=10s --timeout=5s --start-period=5s CMD ["beaconry", "ctl", "list"]
COPY packaging/docker/entrypoint /usr/local/bin/beaconry-container
ENTRYPOINT ["beaconry-container"]
