#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The main job without a display: everything one hands on, from one project file.
#   demo.sh RACKLOOM PROJECT OUTPUT_DIR
set -euo pipefail

rackloom=$1 project=$2 out=$3
mkdir -p "$out"

echo "No display, so the job runs without a window: $project"
"$rackloom" summary "$project" | tee "$out/summary.txt"
"$rackloom" check "$project" --fail-on never >"$out/findings.txt"
"$rackloom" check "$project" --fail-on never --format json >"$out/findings.json"
"$rackloom" bom "$project" -o "$out/bom.csv"
"$rackloom" cables "$project" -o "$out/cables.csv"
for format in table csv json; do
    "$rackloom" estimate "$project" --collective all_reduce --sizes 8:16G:2 --format "$format" \
        >"$out/estimate.${format/table/txt}"
done
for side in front rear; do
    for format in svg pdf png; do
        "$rackloom" render "$project" --view racks --side "$side" -o "$out/racks-$side.$format"
    done
done

echo
echo "Findings:"
sed 's/^/  /' "$out/findings.txt"
echo
echo "All-reduce:"
sed 's/^/  /' "$out/estimate.txt"
echo
echo "Written to $out/:"
for file in "$out"/*; do
    printf '  %-18s %8d bytes\n' "$(basename "$file")" "$(wc -c <"$file")"
done
