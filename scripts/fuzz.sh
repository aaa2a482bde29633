#!/usr/bin/env bash
# Fuzzes every target of rust/fuzz for so many seconds each (default 60), with the address sanitizer.
# Usage: scripts/fuzz.sh [SECONDS [TARGET…]]. A crash stops the run; its input is kept in rust/fuzz/artifacts.
# It starts from rust/fuzz/seeds; what it finds goes to rust/fuzz/corpus, which is not in the repository.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="$PWD/.venv/bin:$PATH:$HOME/.cargo/bin"
export RUSTC_BOOTSTRAP=1 # sanitizers are nightly flags; this lets the stable compiler accept them

seconds=${1:-60}
command -v cargo-fuzz >/dev/null || cargo install --quiet --locked --root .venv cargo-fuzz
targets=${*:2}
for target in ${targets:-$(cargo fuzz list --fuzz-dir rust/fuzz)}; do
    mkdir -p "rust/fuzz/corpus/$target"
    # libFuzzer writes to the first folder and only reads the second.
    cargo fuzz run --fuzz-dir rust/fuzz "$target" "rust/fuzz/corpus/$target" "rust/fuzz/seeds/$target" -- \
        -max_total_time="$seconds" -print_final_stats=1
done
