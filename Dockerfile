# fastid in an image:
#   docker build -t fastid .
#   docker run --rm --user "$(id -u):$(id -g)" -v "$PWD:/data" fastid search query.snp people.h5
# --user, since only their owner may read the databases that fastid writes.
# Packages are named in scripts/setup, and nowhere else.

FROM debian:12-slim AS build
WORKDIR /src
COPY . .
RUN scripts/setup build \
 && cmake --preset release -DFASTID_TESTS=OFF \
 && cmake --build --preset release --target fastid fastid_manual \
 && DESTDIR=/stage cmake --install build/release --prefix /usr/local --strip

FROM debian:12-slim
COPY scripts/setup scripts/common.sh /tmp/fastid/scripts/
RUN /tmp/fastid/scripts/setup run && rm -rf /tmp/fastid /var/lib/apt/lists/* \
 && useradd --create-home --uid 1000 fastid
COPY --from=build /stage /
USER fastid
WORKDIR /data
ENTRYPOINT ["fastid"]
CMD ["--help"]
