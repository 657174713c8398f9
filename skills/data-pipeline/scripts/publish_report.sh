#!/usr/bin/env bash
# Publishes a summary as a report.
#
# usage: publish_report.sh SUMMARY HEADING
set -euo pipefail

if [ $# -ne 2 ] || [ ! -f "$1" ]; then
  echo 'usage: publish_report.sh SUMMARY HEADING' >&2
  exit 2
fi
folder="$(dirname "$1")"
{
  echo "# $2"
  echo
  while IFS='=' read -r name value; do
    echo "- $name: $value"
  done < "$1"
} > "$folder/report.md"
echo "report written to $folder/report.md"
