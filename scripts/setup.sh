#!/usr/bin/env bash
# Makes .venv with all that building and testing need. `make setup` runs it when pyproject.toml or this file changes.
# What is missing on the machine is installed where that is possible, else named in one line.
set -euo pipefail
cd "$(dirname "$0")/.."
unset PYTHONPATH PYTHONHOME VIRTUAL_ENV CONDA_PREFIX # nothing of the caller's Python may leak in
export PATH="$PWD/.venv/bin:$PATH:$HOME/.cargo/bin"  # rustup's folder is not on every PATH

stop() {
    echo "setup: $1" >&2
    exit 1
}

by_apt() {
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 1
    echo "setup: installing $*" >&2
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -yqq --no-install-recommends "$@" >/dev/null
}

# Debian ships venv without ensurepip until python3-venv is there, hence both imports.
usable_python() {
    local name
    for name in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11}; do
        "$name" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue
        echo "$name"
        return
    done
    return 1
}

# Without rust-version in the workspace, any Rust will do.
usable_rust() {
    local least have
    least=$(sed -n 's/^rust-version *= *"\(.*\)".*/\1/p' rust/Cargo.toml)
    have=$(cargo --version 2>/dev/null | cut -d' ' -f2) && [ -n "$have" ] || return 1
    [ "$(printf '%s\n' "${least:-0}" "$have" | sort -V | head -n 1)" = "${least:-0}" ]
}

# Distributions ship a Rust that is too old, so where there is none, rustup makes a private one inside .venv.
private_rust() {
    local home=$PWD/.venv/rust tool
    echo "setup: no recent Rust found; installing one into .venv/rust" >&2
    .venv/bin/python -m pip install --quiet puccinialin &&
        .venv/bin/python -m puccinialin --location "$home" >/dev/null || return 1
    for tool in cargo rustc rustdoc rustup; do
        printf '#!/bin/sh\nRUSTUP_HOME="%s" CARGO_HOME="%s" PATH="%s:$PATH" exec "%s" "$@"\n' \
            "$home/rustup" "$home/cargo" "$home/cargo/bin" "$home/cargo/bin/$tool" >".venv/bin/$tool"
        chmod +x ".venv/bin/$tool"
    done
}

command -v cc >/dev/null || by_apt build-essential ||
    stop "install a C compiler (Debian: build-essential; macOS: xcode-select --install)"

if ! .venv/bin/python -c 'import pip' 2>/dev/null; then
    python=$(usable_python) || { by_apt python3 python3-venv && python=$(usable_python); } ||
        stop "install Python 3.11 or newer with its venv module (Debian: python3 python3-venv)"
    "$python" -m venv --clear .venv
fi

usable_rust || private_rust || stop "install Rust (https://rustup.rs)"
cargo clippy --version >/dev/null 2>&1 && cargo fmt --version >/dev/null 2>&1 ||
    rustup component add clippy rustfmt 2>/dev/null ||
    echo "setup: 'make lint' and 'make test' need clippy and rustfmt (rustup component add clippy rustfmt)" >&2

.venv/bin/python -m pip install --quiet --upgrade 'pip>=25.1' # the first that knows dependency groups
.venv/bin/python -m pip install --quiet --group dev

# The tests open the report in a real browser. Nothing else needs one, so setting up goes on without.
browser() {
    command -v "${LOOKALIKE_BROWSER:-chromium}" || command -v chromium-browser || command -v google-chrome ||
        command -v google-chrome-stable || [ -e "/Applications/Google Chrome.app" ]
}
browser >/dev/null || by_apt chromium ||
    echo "setup: 'make test' needs a browser (Debian: apt-get install chromium; macOS: brew install --cask chromium)" >&2

postgres() { ls /usr/lib/postgresql/*/bin/initdb 2>/dev/null || command -v initdb; }
postgres >/dev/null || by_apt postgresql ||
    echo "setup: 'make test' needs PostgreSQL 15 or newer (Debian: apt-get install postgresql; macOS: brew install postgresql)" >&2

# The tests put a real proxy before the server. Debian keeps it where only root looks.
proxy() { command -v nginx || ls /usr/sbin/nginx 2>/dev/null; }
proxy >/dev/null || by_apt nginx-light ||
    echo "setup: 'make test' needs nginx (Debian: apt-get install nginx-light; macOS: brew install nginx)" >&2

# PySpark 4 runs on Java 17 or newer.
usable_java() {
    local version
    version=$("${JAVA_HOME:+$JAVA_HOME/bin/}java" -version 2>&1 | sed -n 's/.*version "\([0-9]*\).*/\1/p')
    [ "${version:-0}" -ge 17 ]
}
usable_java || by_apt openjdk-17-jre-headless || by_apt default-jre-headless ||
    echo "setup: 'make test' needs Java 17 or newer (Debian: apt-get install openjdk-17-jre-headless; macOS: brew install openjdk@17)" >&2
