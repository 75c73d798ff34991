"""Charts as SVG text: plain values in, one deterministic document out."""
