"""What must stay as it is however the package is rebuilt: results, keys, digests, old stores; and the shape of code.

`python -m tests.gates.regenerate` writes the golden files anew and prints what differed.
"""
