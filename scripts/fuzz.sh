#!/usr/bin/env bash
# Runs every fuzz target for so many seconds (default 60): those of rust/fuzz, with the address sanitizer, and those of
# fuzz/, in Python. Usage: scripts/fuzz.sh [SECONDS [TARGET…]]. A failure stops the run; its input is kept in the folder
# artifacts beside the target. Put it into seeds/TARGET when the fault is mended: the tests replay what is there.
# It starts from the seeds; what it finds goes to corpus/TARGET, which is not in the repository.
set -euo pipefail
cd "$(dirname "$0")/.."
export PATH="$PWD/.venv/bin:$PATH:$HOME/.cargo/bin"
export RUSTC_BOOTSTRAP=1 # sanitizers are nightly flags; this lets the stable compiler accept them

seconds=${1:-60}
targets=" ${*:2} "
# No input is larger than a few kilobytes: what takes a minute, or much memory, is a fault.
limits=(-max_total_time="$seconds" -timeout=60 -rss_limit_mb=2048 -malloc_limit_mb=160 -print_final_stats=1)

wanted() { [[ $targets == "  " || $targets == *" $1 "* ]]; }

command -v cargo-fuzz >/dev/null || cargo install --quiet --locked --root .venv cargo-fuzz
for target in $(cargo fuzz list --fuzz-dir rust/fuzz); do
    wanted "$target" || continue
    mkdir -p "rust/fuzz/corpus/$target"
    # libFuzzer writes to the first folder and only reads the second.
    cargo fuzz run --fuzz-dir rust/fuzz "$target" "rust/fuzz/corpus/$target" "rust/fuzz/seeds/$target" -- "${limits[@]}"
done

if ! python -c "import atheris" 2>/dev/null; then
    echo "fuzz.sh: atheris has no wheel for this system, so the targets in Python are left out" >&2
    exit 0
fi
for seeds in fuzz/seeds/*; do
    target=$(basename "$seeds")
    wanted "$target" || continue
    mkdir -p "fuzz/corpus/$target" "fuzz/artifacts/$target"
    python -m fuzz.run "$target" "${limits[@]}" -artifact_prefix="fuzz/artifacts/$target/" "fuzz/corpus/$target" "$seeds"
done
