#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# What Rackloom needs from Debian or Ubuntu, checked in a few milliseconds and installed where that
# is allowed (root, or sudo without a password). Where it is not, the exact command is printed and
# the work goes on: most of Rackloom runs without some of it.
#
#   system.sh libraries      the libraries Qt loads, a font, and the virtual X server of the tests
#   system.sh venv DIR       a virtual environment in DIR, made by a Python that is new enough
set -euo pipefail

# "a|b" means: a, or b on releases that call it so (the 64-bit time_t transition renamed packages).
libraries=(
    libegl1 libgl1
    libxkbcommon0 libxkbcommon-x11-0
    libxcb-cursor0 libxcb-icccm4 libxcb-image0 libxcb-keysyms1 libxcb-randr0
    libxcb-render-util0 libxcb-shape0 libxcb-xinerama0 libxcb-xkb1
    libwayland-cursor0 libwayland-egl1 # a Wayland desktop without Xwayland
    libgssapi-krb5-2 # QtNetwork
    libdbus-1-3 libfontconfig1 "libglib2.0-0t64|libglib2.0-0"
    fonts-dejavu-core
    xvfb xauth
)
oldest_minor=11

say() { printf 'rackloom: %s\n' "$*" >&2; }

# Prints the wanted packages that are not installed, in one query.
missing_of() {
    local installed wanted name found names
    mapfile -t names < <(printf '%s\n' "${@//|/$'\n'}")
    installed=$(dpkg-query -W -f='${db:Status-Abbrev}${Package}\n' "${names[@]}" 2>/dev/null |
        sed -n 's/^ii *//p' || true)
    for wanted in "$@"; do
        found=
        for name in ${wanted//|/ }; do
            if grep -qx -- "$name" <<<"$installed"; then found=yes; fi
        done
        if [ -z "$found" ]; then printf '%s\n' "$wanted"; fi
    done
}

# Prints how to become root ("" when we are), or fails when there is no way without a question.
root_prefix() {
    if [ "$(id -u)" = 0 ]; then return 0; fi
    if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then echo "sudo -n"; return 0; fi
    return 1
}

# Of "a|b", the first that this release has; the last when apt knows neither.
resolve() {
    local wanted name
    for wanted in "$@"; do
        for name in ${wanted//|/ }; do
            if apt-cache show --no-all-versions "$name" >/dev/null 2>&1; then break; fi
        done
        printf '%s\n' "$name"
    done
}

# Installs the packages, or says which command would. Fails when something is still missing.
install() {
    local root packages log
    if ! root=$(root_prefix); then
        say "these Debian packages are missing and may not be installed from here; please run:"
        say "    sudo apt-get update && sudo apt-get install -y $(resolve "$@" | tr '\n' ' ')"
        return 1
    fi
    log=$(mktemp)
    if ! $root apt-get -qq -o DPkg::Lock::Timeout=120 update >"$log" 2>&1 </dev/null; then
        say "apt-get update failed, trying with the package lists that are there:"
        tail -n 3 "$log" >&2
    fi
    mapfile -t packages < <(resolve "$@")
    say "installing ${packages[*]}"
    if ! $root env DEBIAN_FRONTEND=noninteractive apt-get -y -qq -o DPkg::Lock::Timeout=120 \
        install --no-install-recommends "${packages[@]}" >"$log" 2>&1 </dev/null; then
        tail -n 5 "$log" >&2
        rm -f "$log"
        say "apt-get could not install ${packages[*]}; please install them and run this again"
        return 1
    fi
    rm -f "$log"
}

check_libraries() {
    local missing
    if ! command -v dpkg-query >/dev/null; then
        say "this is not Debian or Ubuntu: please see to it that Qt 6's xcb libraries, a font and Xvfb are there"
        return 0
    fi
    mapfile -t missing < <(missing_of "${libraries[@]}")
    if [ "${#missing[@]}" -gt 0 ]; then
        install "${missing[@]}" || say "going on without them: the window or its tests may not start"
    fi
}

# Prints the first Python that is new enough.
find_python() {
    local name
    for name in ${PYTHON:-} python3 python3.13 python3.12 python3.14 python3.11; do
        if "$name" -c "import sys; sys.exit(sys.version_info < (3, $oldest_minor))" 2>/dev/null; then
            command -v "$name"
            return 0
        fi
    done
    return 1
}

make_venv() {
    local directory=$1 python version newest
    if [ -x "$directory/bin/python" ] &&
        { [ ! -e "$directory/.ready" ] || [ "$(cat "$directory/.ready")" = "$PWD" ]; } &&
        "$directory/bin/python" -c "import pip, sys; sys.exit(sys.version_info < (3, $oldest_minor))" 2>/dev/null; then
        return 0 # it works and was made here: pip brings it up to date
    fi
    if ! python=$(find_python); then
        if ! command -v apt-cache >/dev/null; then
            say "Python 3.$oldest_minor or newer is needed and was not found; install it or name it: make setup PYTHON=/path/to/python3"
            return 1
        fi
        # Ubuntu 22.04 has 3.10 as python3 and 3.11 beside it; a bare container has none at all.
        install python3 python3-venv || return 1
        if ! python=$(find_python); then
            newest=$(apt-cache --names-only search '^python3\.1[1-4]$' | sed 's/ .*//' | sort -V | tail -n 1)
            if [ -z "$newest" ]; then
                say "this release has no Python 3.$oldest_minor or newer; install one and name it: make setup PYTHON=/path/to/python3"
                return 1
            fi
            install "$newest" "$newest-venv" || return 1
            python=$(find_python)
        fi
    fi
    if ! "$python" -c "import ensurepip, venv" 2>/dev/null; then
        version=$("$python" -c 'import sys; print("python%d.%d" % sys.version_info[:2])')
        say "$python cannot make virtual environments: the package $version-venv is missing"
        install "$version-venv" || return 1
    fi
    say "making $directory with $("$python" --version)"
    rm -f "$directory/.ready"
    "$python" -m venv --clear "$directory"
}

case "${1:-}" in
libraries) check_libraries ;;
venv) make_venv "${2:?which directory}" ;;
*)
    say "usage: system.sh libraries | venv DIR"
    exit 2
    ;;
esac
