#!/usr/bin/env bash
# Builds the image, starts the compose file with it, sends a message, and takes everything down again. Needs Docker.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export COMPOSE_PROJECT_NAME=postrider-try
POSTGRES_PASSWORD=$(openssl rand -hex 24)
POSTRIDER_SECRET_KEY=$(openssl rand -base64 32)
POSTRIDER_API_KEY=pk_prod_$(openssl rand -hex 20)
export POSTGRES_PASSWORD POSTRIDER_SECRET_KEY POSTRIDER_API_KEY
[ ! -e .env ] || { echo '.env is there: this is tried in a fresh clone'; exit 1; }
(umask 077; printf 'POSTRIDER_API_KEY=%s\n' "$POSTRIDER_API_KEY" >.env)
trap 'docker compose down --volumes --timeout 60; rm -f .env' EXIT

docker compose up --build --wait --wait-timeout 180
docker compose exec -T -e POSTRIDER_API_KEY postrider \
  postrider send welcome ada --profile email=ada@example.com --data name=Ada --wait
[ "$(docker compose exec -T postrider id --user)" != 0 ] || { echo 'the service runs as root'; exit 1; }

# SIGTERM ends it cleanly.
docker compose stop --timeout 60 postrider
code=$(docker compose ps --all --format '{{.ExitCode}}' postrider)
[ "$code" = 0 ] || { echo "stopped with exit code $code"; exit 1; }
