#!/usr/bin/env bash
# Builds a wheel and a source distribution into dist/, checks both, installs each into an empty environment and runs the
# demo there. `make dist` calls it. The source distribution compiles once more: that is what it is for.
set -euo pipefail
cd "$(dirname "$0")/.."

python=$PWD/.venv/bin/python
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

rm -rf dist
.venv/bin/maturin build --release --sdist --quiet --out dist
"$python" -m twine check --strict dist/*

for file in dist/*.whl dist/*.tar.gz; do
    echo "dist: $(basename "$file"), $(du -h "$file" | cut -f1): installing it into an empty environment"
    rm -rf "$scratch/env"
    "$python" -m venv "$scratch/env"
    "$scratch/env/bin/python" -m pip install --quiet "$PWD/$file"
    # From another folder, so that nothing of this one is imported.
    (cd "$scratch" && env/bin/lookalike demo >demo.txt && env/bin/lookalike doctor >doctor.txt &&
        env/bin/python -c 'import lookalike; print("dist: lookalike", lookalike.__version__, "works")')
done
