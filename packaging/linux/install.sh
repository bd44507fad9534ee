#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Put the menu entry, the file type and the icons of install.list below a prefix (~/.local unless
# told otherwise) and tell the desktop about them. The rackloom command itself comes from pip or
# from the PyInstaller folder.
#   install.sh [PREFIX]
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
prefix=${1:-$HOME/.local}

while read -r source target; do
    case "$source" in "" | \#*) continue ;; esac
    install -D -m 644 "$root/$source" "$prefix/$target"
    echo "$prefix/$target"
done <"$root/packaging/linux/install.list"

refresh() {
    if command -v "$1" >/dev/null; then "$@"; fi
}
refresh update-desktop-database -q "$prefix/share/applications"
refresh update-mime-database "$prefix/share/mime"
refresh gtk-update-icon-cache -q -t -f "$prefix/share/icons/hicolor"
