# The bundled reference autoscaler as an image: `docker build -t scaleproof-controller:dev .`
# fixtures/templates/deploy/controller.yaml runs it in a cluster, docs/controller.md has its variables.
# Any image with Node 24, npm and a shell will do, such as one of a registry of your own: --build-arg NODE_IMAGE=...
ARG NODE_IMAGE=node:24.21.0-bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
COPY kits/package.json ./kits/
# Without install scripts: the one there is fetches the Node that the image has already.
RUN npm ci --ignore-scripts
COPY . .
# Pruning asks no registry: what it keeps is what `npm ci --omit=dev` would install.
RUN npm run build && npm prune --omit=dev --ignore-scripts

FROM ${NODE_IMAGE}
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /src/package.json ./
COPY --from=build /src/node_modules ./node_modules
COPY --from=build /src/dist ./dist
COPY --from=build /src/fixtures ./fixtures
# `node`, by its number, so that a cluster can see that it is not root.
USER 1000
# Node is process 1 and gets SIGTERM itself: no shell and no npm between.
ENTRYPOINT ["node", "dist/controller/main.js"]
