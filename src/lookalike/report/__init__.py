"""The report: one HTML file to read, print and hand on, made from a result and the texts that were searched.

`collect.py` gathers what the page shows, as plain values; `assemble.py` puts it into one file with the style and the
script in `page/`. `texts.py` reads the texts again, `blocks.py` finds the passages of each pair, `shared.py` lists each
shared passage once, `reasons.py` tells which text was left out and why, `anonymous.py` takes all names out.
"""
