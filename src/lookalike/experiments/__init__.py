"""The experiments of the source reports, made anew: measured by this project's code, corrected, drawn and judged."""
