# docker build -t tiledb-inspect . && docker run --rm -v "$PWD:/data:ro" tiledb-inspect places
FROM node:24-bookworm AS build
WORKDIR /project
COPY . .
RUN npm ci --ignore-scripts && npm run executable

# glibc and libstdc++, and nothing else: no shell, no Node, no npm.
FROM gcr.io/distroless/cc-debian12:nonroot
COPY --from=build /project/build/executable/tiledb-inspect /usr/local/bin/tiledb-inspect
COPY --from=build /project/build/executable/LICENSES /usr/share/doc/tiledb-inspect/LICENSES
WORKDIR /data
ENTRYPOINT ["/usr/local/bin/tiledb-inspect"]
