# The image serves with the local database in /data, or with POSTRIDER_DATABASE_URL on a server. docs/guides/production.md
FROM node:24-bookworm-slim AS build
WORKDIR /build
# Installed packages stay in their layer while only sources change.
COPY package.json package-lock.json .npmrc ./
COPY contract/package.json contract/
COPY client/package.json client/
COPY server/package.json server/
COPY cli/package.json cli/
COPY dashboard/package.json dashboard/
COPY bench/package.json bench/
COPY docs/package.json docs/
COPY test/package.json test/
COPY examples/digest/package.json examples/digest/
COPY examples/order-shipped/package.json examples/order-shipped/
COPY examples/password-reset/package.json examples/password-reset/
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN mkdir /packages && npm pack --workspace postrider --pack-destination /packages

FROM node:24-bookworm-slim
COPY --from=build /packages /tmp/packages
# --ignore-scripts: no package of the tree needs its install scripts.
RUN npm install --global --ignore-scripts --no-audit --no-fund /tmp/packages/*.tgz \
  && npm cache clean --force \
  && rm -rf /tmp/packages \
  && install --directory --owner=node --group=node --mode=700 /data

USER node
WORKDIR /data
ENV NODE_ENV=production \
  POSTRIDER_DATA_DIR=/data \
  POSTRIDER_HOST=0.0.0.0
EXPOSE 4600
STOPSIGNAL SIGTERM
# A first start makes the database.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.POSTRIDER_PORT || 4600}/readyz`).then((reply) => process.exit(reply.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["postrider"]
CMD ["serve"]
