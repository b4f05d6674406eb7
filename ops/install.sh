#!/bin/sh
# Installs or upgrades Postloft on one machine with systemd.
#
#   install.sh --domain post.example.com postloft-0.1.0.tar.gz
#
# A first installation creates the user `postloft`, /etc/postloft/postloft.env with a new master key, the unit
# postloft.service, and prints the DNS records to publish. With a newer release it replaces the programs, and keeps settings,
# data and the previous release. It changes nothing until all checks have passed.
set -eu

usage() {
  cat <<'TEXT'
Usage: install.sh [--domain NAME] [--root FOLDER] [--no-start] TARBALL

  --domain NAME   SERVICE_DOMAIN, the domain of the service, such as post.example.com. Required for the first installation.
  --root FOLDER   installs below FOLDER, for an image: creates no user and does not use systemd.
  --no-start      does not start or restart the service.
TEXT
}

fail() {
  echo "install.sh: $1" >&2
  exit 1
}

misuse() {
  echo "install.sh: $1" >&2
  usage >&2
  exit 2
}

domain='' root='' start=yes tarball=''
while [ $# -gt 0 ]; do
  case $1 in
    --domain | --root)
      [ $# -ge 2 ] || misuse "$1 needs a value."
      if [ "$1" = --domain ]; then domain=$2; else root=$2; fi
      shift
      ;;
    --no-start) start=no ;;
    -h | --help) usage && exit 0 ;;
    -*) misuse "There is no option $1." ;;
    *)
      [ -z "$tarball" ] || misuse 'Only one release can be installed.'
      tarball=$1
      ;;
  esac
  shift
done
[ -n "$tarball" ] || misuse 'The file of the release is missing.'

releases=$root/opt/postloft/releases
current=$root/opt/postloft/current
settings=$root/etc/postloft/postloft.env
data=$root/var/lib/postloft
unit=$root/etc/systemd/system/postloft.service

check_machine() {
  [ "$(uname -s)" = Linux ] || fail 'Postloft runs on Linux only.'
  case $(uname -m) in
    x86_64 | aarch64) ;;
    *) fail "There are no packages for $(uname -m); x86_64 and aarch64 are supported." ;;
  esac
  command -v node >/dev/null || fail 'Node.js is missing; install version 24.'
  command -v npm >/dev/null || fail 'npm is missing; it comes with Node.js.'
  node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)' ||
    fail "Postloft needs Node.js 20.19 or newer, 24 is recommended; this is $(node --version)."
  [ -n "$root" ] && return
  [ "$(id -u)" -eq 0 ] || fail 'Run it as root; the service itself runs as the user postloft.'
  command -v systemctl >/dev/null || fail 'systemd is missing. Without it, unpack the release and use docs/operations.md.'
  node=$(command -v node)
  case $(readlink -f "$node") in
    /home/* | /root/*) fail "The service cannot run $node, which is in a home directory; install Node.js for all users." ;;
  esac
}

check_release() {
  [ -f "$tarball" ] || fail "There is no file $tarball."
  title=$(tar -tzf "$tarball" 2>/dev/null | head -n 1 | cut -d / -f 1) || true
  case $title in
    postloft-[0-9]*) ;;
    *) fail "$tarball is not a release of Postloft." ;;
  esac
  sums=$(dirname "$tarball")/SHA256SUMS
  if [ -f "$sums" ]; then
    wanted=$(awk -v name="$(basename "$tarball")" '$2 == name { print $1 }' "$sums")
    [ "$wanted" = "$(sha256sum "$tarball" | cut -d ' ' -f 1)" ] ||
      fail "$tarball is damaged: its checksum is not the one in SHA256SUMS."
  fi
}

check_settings() {
  [ -f "$settings" ] && return
  [ -n "$domain" ] || misuse 'The first installation needs --domain.'
  case $domain in
    *[!a-z0-9.-]* | .* | *. | -* | *..*) misuse '--domain must be a domain name in lower case, such as post.example.com.' ;;
    *.*) ;;
    *) misuse '--domain must be a domain name with a dot, such as post.example.com.' ;;
  esac
}

# The folder gets its name last, so that an interrupted installation leaves nothing that looks complete.
unpack() {
  [ -d "$releases/$title" ] && return
  work=$releases/.new-$$
  trap 'rm -rf "$work"' EXIT
  mkdir -p "$work"
  tar -xzf "$tarball" -C "$work"
  echo "Installing the packages of $title (about 700 MB) …"
  (cd "$work/$title" && npm install --omit=dev --no-audit --no-fund --loglevel=error)
  mv "$work/$title" "$releases/$title"
  rm -rf "$work"
  trap - EXIT
}

create_user() {
  [ -n "$root" ] && return
  id postloft >/dev/null 2>&1 ||
    useradd --system --user-group --home-dir /var/lib/postloft --no-create-home --shell /usr/sbin/nologin postloft
}

write_settings() {
  [ -f "$settings" ] && return
  mkdir -p "$(dirname "$settings")" "$data"
  key=$(node -e 'process.stdout.write(require("node:crypto").randomBytes(32).toString("base64"))')
  (
    umask 077
    cat >"$settings.new" <<TEXT
# Settings of Postloft; docs/settings.md lists all of them. Restart the service after a change.
SERVICE_DOMAIN=$domain
PUBLIC_URL=http://smtp.$domain:3000
DATA_DIR=/var/lib/postloft
LOG_FORMAT=json

# Encrypts stored secrets. Keep a copy elsewhere: a backup of the database is of no use without it.
MASTER_KEY=$key

# With "capture", no email leaves this machine. Publish the DNS records, run the doctor, then set "mx".
DELIVERY_MODE=capture

HTTP_HOST=0.0.0.0
HTTP_PORT=3000
SMTP_HOST=0.0.0.0
SMTP_PORT=587
SMTPS_PORT=465
INBOUND_SMTP_PORT=25
OPS_PORT=9090
TEXT
  )
  [ -n "$root" ] || chown root:postloft "$settings.new"
  chmod 0640 "$settings.new"
  mv "$settings.new" "$settings"
}

link_release() {
  mkdir -p "$(dirname "$unit")"
  cp "$releases/$title/ops/systemd/postloft.service" "$unit"
  ln -sfn "releases/$title" "$current.new"
  mv -T "$current.new" "$current"
  mkdir -p "$root/usr/local/bin"
  ln -sfn /opt/postloft/current/ops/postloft "$root/usr/local/bin/postloft"
}

start_service() {
  [ -z "$root" ] || return 0
  systemctl daemon-reload
  systemctl enable --quiet postloft.service
  [ "$start" = yes ] || return 0
  systemctl restart postloft.service
  echo 'Waiting for the service …'
  (
    set -a
    # shellcheck source=/dev/null
    . "$settings"
    exec node "$releases/$title/docker/healthcheck.mjs" --wait 120
  ) || fail 'The service is not ready: journalctl -u postloft'
}

print_next() {
  echo
  echo "$title is installed. Publish these DNS records:"
  echo
  # The address is printed by a program of the release, with the settings that were written.
  (
    set -a
    # shellcheck source=/dev/null
    . "$settings"
    cd "$releases/$title" && node dist/programs/cli.js dns
  ) || true
  cat <<TEXT

  Settings        $settings
  Log             journalctl -u postloft       (the first start prints the first API key and a login link)
  Commands        sudo postloft doctor         (where the documentation says npm run -s cli -- doctor)
  Next            docs/first-hour.md
TEXT
}

check_machine
check_release
is_first=yes
[ -f "$settings" ] && is_first=no
check_settings
unpack
create_user
write_settings
link_release
start_service
if [ $is_first = yes ]; then print_next; else echo "$title is installed; the previous release is kept in $releases."; fi
