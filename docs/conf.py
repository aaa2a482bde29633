"""The documentation site: `make docs` builds it into build/site with Sphinx, and a broken link fails.

Pages are read where they stand in the repository, so a link between two of them works on the site, on a code host and
in an editor.
"""

from lookalike import __version__

project = "lookalike"
author = "The lookalike authors"
release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.autosummary"]
root_doc = "docs/index"
include_patterns = [
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "CHANGELOG.md",
    "docs/**",
    "examples/README.md",
    "examples/class/README.md",
]
exclude_patterns = ["docs/conf.py", "docs/images/**"]
myst_heading_anchors = 4
suppress_warnings = ["myst.header", "misc.highlighting_failure"]  # changelog: repeated levels; console output

html_theme = "furo"
html_title = f"lookalike {release}"
html_show_sourcelink = False

default_role = "literal"  # docstrings put code between single backticks
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_class_signature = "separated"
add_module_names = False
maximum_signature_line_length = 100
