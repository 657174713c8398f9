#!/usr/bin/env python3
"""Sums up a table of sales.

usage: csv_summarize.py --input TABLE --count COLUMN --price COLUMN --output FILE
"""

import argparse
import csv
import os
import sys


def main():
    parser = argparse.ArgumentParser(description="Sums up a table of sales.")
    parser.add_argument("--input", required=True)
    parser.add_argument("--count", required=True)
    parser.add_argument("--price", required=True)
    parser.add_argument("--output", required=True)
    options = parser.parse_args()
    with open(options.input, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    if not rows or options.count not in rows[0] or options.price not in rows[0]:
        sys.exit("csv_summarize.py: the table has no such columns: " + options.count + ", " + options.price)
    total = sum(int(row[options.count]) * int(row[options.price]) for row in rows)
    os.makedirs(os.path.dirname(options.output) or ".", exist_ok=True)
    with open(options.output, "w", encoding="utf-8") as file:
        file.write("ROWS=%d\nTOTAL=%d\n" % (len(rows), total))
    print("summary written to " + options.output)


if __name__ == "__main__":
    main()
