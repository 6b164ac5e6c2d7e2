# syntax=docker/dockerfile:1
# The server in an image: `docker build --tag querent .`. docs/deploy.md says how it is run; tools/check-deploy.sh replays these steps.
ARG NODE=24.21.0
ARG RUST=1.90.0

FROM node:${NODE}-bookworm-slim AS node

# What `npm run build` makes, with cargo for the engine. The same Debian as below: an addon runs on the glibc that it was built on.
FROM rust:${RUST}-slim-bookworm AS build
COPY --from=node /usr/local/bin/node /usr/local/bin/
COPY --from=node /usr/local/lib/node_modules /usr/local/lib/node_modules
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm
WORKDIR /checkout
COPY . .
ENV npm_config_cache=/cache/npm CARGO_TARGET_DIR=/cache/engine
RUN --mount=type=cache,target=/cache \
    --mount=type=cache,target=/usr/local/cargo/registry \
    npm ci --no-audit --no-fund && npm run build && ./deploy/install-built.sh /opt/querent

FROM debian:bookworm-slim
# As in the packages: what one may do with it, and where it comes from.
LABEL org.opencontainers.image.title="Querent" \
      org.opencontainers.image.description="A search query service with its own OAuth 2.0 authorization server" \
      org.opencontainers.image.licenses="Apache-2.0"
# Node alone: neither npm nor a compiler is there to be used by who gets in.
COPY --from=node /usr/local/bin/node /usr/local/bin/
COPY --from=build /opt/querent /opt/querent
RUN ln -s /opt/querent/packages/cli/bin/querent /usr/local/bin/querent \
    && install --directory --owner=10001 --group=10001 --mode=0700 /var/lib/querent
# A folder inside the volume: file systems have lost+found at their top, and `querent init` wants its folder empty.
ENV QUERENT_DATA=/var/lib/querent/data \
    QUERENT_HOST=0.0.0.0 \
    XDG_CACHE_HOME=/var/lib/querent/cache \
    NODE_ENV=production
USER 10001:10001
WORKDIR /var/lib/querent
VOLUME /var/lib/querent
EXPOSE 4000 4001
STOPSIGNAL SIGTERM
# An hour to begin in: a new version changes the storage before it listens.
HEALTHCHECK --interval=10s --timeout=5s --start-period=1h --retries=3 CMD ["node", "/opt/querent/health.mjs"]
ENTRYPOINT ["node", "/opt/querent/packages/cli/dist/main.js"]
CMD ["serve"]
