"""The report: one HTML file to read, print and hand on, made from a result and the texts that were searched.

`collect.py` reads the texts again and gathers what the page shows, as plain values; `assemble.py` puts it into one file
with the style and the script in `page/`. `pair_passages.py` finds the passages of each pair and the excluded text in
them, `shared.py` lists each shared passage once, `marks.py` reads what a person decided, `anonymous.py` takes all names
out.
"""
