#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# How many stacks of real programs at work reach their root, with windows of 8,
# 16 and 32 KiB, and why the others do not.  What is not there is said.
#
#   make bench/user-stacks && bench/user-programs.sh [BUILD FOLDER [PROGRAM...]]
#
# PROGRAM is node, python, gcc, postgres or redis; all without one.  In the
# environment: STACKS of each (4000; of gcc all), after WARM seconds (3); NODE,
# PYTHON, CC, POSTGRES and REDIS, the programs; PGBENCH and REDIS_BENCHMARK, those
# that ask them; C_FILES (40), so many of this source's largest are compiled.
set -eu
source=$(cd "${0%/*}/.." && pwd)
build=$(cd "${1:-${top_builddir:-.}}" && pwd)
[ $# = 0 ] || shift
[ $# -gt 0 ] || set -- node python gcc postgres redis
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server"; wait; rm -rf "$work"' EXIT
chmod 755 "$work"

# find NAME PATH...: the first that is there.
find_program() {
    name=$1
    shift
    for path; do
        path=$(command -v "$path") && echo "$path" && return
    done
    echo "$name: not there" >&2
    return 1
}

# take STACKS WORD...
take() {
    count=$1
    shift
    "$build/bench/user-stacks" -n "${STACKS:-$count}" -k 1 -w 8192 -w 16384 -w 32768 \
        "$@" 2>/dev/null </dev/null
}

# stacks NAME WORD...
stacks() {
    name=$1
    shift
    take 4000 "$@" >"$work/said" ||
        { echo "$name: no stacks: may ptrace be used?"; return; }
    sed -n "/stacks,\|compiled code\|pages of rows/s/^/$name: /p" "$work/said"
}

# stacks_at_work NAME PROGRAM WORD...: once it has begun with its work.
stacks_at_work() {
    name=$1
    shift
    "$@" >/dev/null 2>&1 </dev/null &
    server=$!
    sleep "${WARM:-3}"
    stacks "$name" -p "$server"
    kill "$server" 2>/dev/null || :
    wait "$server" 2>/dev/null || :
    rm -f "/tmp/perf-$server.map"
    server=
}

bench_node() {
    node=$(find_program node "${NODE:-node}") || return 0
    cat >"$work/load.js" <<'JS'
const zlib = require('zlib'), crypto = require('crypto');
const rows = [];
for (let i = 0; i < 2000; i++)
    rows.push({id: i, name: 'row ' + i, tags: ['a', 'b' + i % 7], at: {x: i, y: -i}});
function sorted(list) {
    return list.slice().sort((a, b) => a.name < b.name ? -1 : 1);
}
function count(list) {
    const seen = new Map();
    for (const row of list)
        seen.set(row.tags[1], (seen.get(row.tags[1]) || 0) + row.at.x);
    return seen.size;
}
for (;;) {
    const text = JSON.stringify(sorted(rows));
    count(JSON.parse(text));
    zlib.gunzipSync(zlib.gzipSync(text));
    crypto.createHash('sha256').update(text).digest('hex');
    text.replace(/row (\d+)/g, (all, n) => n);
}
JS
    stacks_at_work node "$node" --perf-basic-prof "$work/load.js"
}

bench_python() {
    python=$(find_program python "${PYTHON:-/usr/bin/python3}" python3) || return 0
    cat >"$work/load.py" <<'PY'
import hashlib, json, re, zlib
rows = [{"id": i, "name": "row %d" % i, "tags": ["a", "b%d" % (i % 7)]} for i in range(500)]
def total(list):
    return sum(row["id"] for row in list if row["tags"][1] == "b3")
def deep(n):
    return n and 1 + deep(n - 1)
class Row:
    def __init__(self, row):
        self.name = row["name"]
    def __lt__(self, other):
        return self.name < other.name
while True:
    text = json.dumps(rows, indent=1)
    total(json.loads(text))
    sorted(Row(row) for row in rows)
    re.sub(r"row (\d+)", lambda match: match.group(1), text)
    hashlib.sha256(zlib.compress(text.encode())).hexdigest()
    deep(20)
PY
    stacks_at_work python "$python" "$work/load.py"
    # shellcheck disable=SC2016
    if "$python" -X perf -c 'import sys; sys.exit(not sys.is_stack_trampoline_active())' 2>/dev/null
    then
        stacks_at_work 'python -X perf' "$python" -X perf "$work/load.py"
    fi
}

# add_up NAME FILE: what `take` said of several, by the window.
add_up() {
    awk -v name="$1" '
        / stacks, / {
            if (!($7 in stacks))
                order[++windows] = $7
            stacks[$7] += $1
            frames[$7] += $1 * $3
            for (i = 8; i < NF; i++)
                if ($i == "root")
                    whole[$7] += $1 * $(i + 1)
        }
        END {
            for (i = 1; i <= windows; i++) {
                w = order[i]
                printf "%s: %d stacks, %.1f frames each, window %s root %.2f %%\n",
                    name, stacks[w], frames[w] / stacks[w], w, whole[w] / stacks[w]
            }
        }' "$2"
}

# Each from its first to its last instruction.
bench_c_files() {
    compiler=$("$1" -print-prog-name=cc1)
    : >"$work/c"
    for folder in agent control daemon guest hypervisor libxenoprof opcontrol report rows; do
        find "$source/$folder" -name '*.c' -size +6k
    done | xargs ls -S | head -n "${C_FILES:-40}" >"$work/files"
    while read -r file; do
        "$1" -E -I"$source" -I"$source/include" -I"$source/libxenoprof" -I"$build" \
            '-DSBINDIR=""' '-DBINDIR=""' '-DPAYLOADDIR=""' '-DPACKAGE_VERSION=""' \
            "$file" >"$work/load.i" 2>/dev/null || continue
        take 100000 "$compiler" -fpreprocessed -quiet -O2 "$work/load.i" -o "$work/load.s" \
            >>"$work/c" || :
        take 100000 as "$work/load.s" -o /dev/null >>"$work/as" || :
    done <"$work/files"
    add_up 'gcc, C' "$work/c"
}

bench_gcc() {
    cc=$(find_program gcc "${CC:-gcc}") || return 0
    : >"$work/as"
    bench_c_files "$cc"
    compiler=$("$cc" -print-prog-name=cc1plus)
    [ -x "$compiler" ] || { echo "gcc: $cc has no cc1plus"; return; }
    cat >"$work/load.cc" <<'CC'
#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <regex>
#include <string>
#include <unordered_map>
#include <vector>
int main()
{
    std::map<std::string, std::vector<std::function<int(int)>>> calls;
    std::unordered_map<std::string, std::regex> words;
    std::string line;
    while (std::getline(std::cin, line)) {
        words.emplace(line, std::regex(line));
        calls[line].push_back([&](int n) { return n + (int)line.size(); });
        std::stable_sort(calls[line].begin(), calls[line].end(),
                         [](auto &a, auto &b) { return a(1) < b(1); });
        for (auto &[word, as] : words)
            if (std::regex_search(line, as))
                std::cout << word << "\n";
    }
}
CC
    take 100000 "$compiler" -quiet -O2 -std=c++17 -D_GNU_SOURCE \
        -imultiarch x86_64-linux-gnu "$work/load.cc" -o "$work/load.s" >"$work/c++" || :
    take 100000 as "$work/load.s" -o /dev/null >>"$work/as" || :
    add_up 'gcc, C++' "$work/c++"
    sed -n '/pages of rows/s/^/gcc, C++: /p' "$work/c++"
    add_up 'gcc, its assembler' "$work/as"
}

# as_nobody PROGRAM WORD...: some do not work as root.  In place of this shell.
as_nobody() {
    exec setpriv --reuid nobody --regid nogroup --clear-groups "$@"
}

bench_postgres() {
    postgres=$(find_program postgres "${POSTGRES:-postgres}" \
        /usr/lib/postgresql/*/bin/postgres) || return 0
    postgres=$(readlink -f "$postgres")
    pgbench=$(find_program pgbench "${PGBENCH:-pgbench}" "${postgres%/*}/pgbench") || return 0
    mkdir "$work/pg"
    chown nobody:nogroup "$work/pg"
    (as_nobody "${postgres%/*}/initdb" -D "$work/pg/data" -U bench >/dev/null 2>&1) ||
        { echo "postgres: initdb failed"; return; }
    as_nobody "$postgres" -D "$work/pg/data" -k "$work/pg" -h '' >"$work/log" 2>&1 &
    server=$!
    # Questions of the terminal are refused until it has begun.
    for turn in 1 2 3 4 5 6 7 8 9 10; do
        "$pgbench" -i -q -s 2 -h "$work/pg" -U bench postgres >/dev/null 2>&1 && break
        sleep "$turn"
    done
    "$pgbench" -T 600 -c 1 -h "$work/pg" -U bench postgres >/dev/null 2>&1 &
    load=$!
    for turn in 1 2 3 4 5 6 7 8 9 10; do
        backend=$(pgrep -P "$server" -f 'postgres: bench') && break
        sleep 1
    done
    stacks postgres -p "${backend:-0}"
    kill "$load" 2>/dev/null || :
    kill -INT "$server"
    wait "$server" || :
    server=
}

bench_redis() {
    redis=$(find_program redis "${REDIS:-redis-server}") || return 0
    ask=$(find_program redis-benchmark "${REDIS_BENCHMARK:-redis-benchmark}") || return 0
    "$redis" --port 0 --unixsocket "$work/redis" --save '' >"$work/log" 2>&1 &
    server=$!
    while [ ! -S "$work/redis" ] && kill -0 "$server"; do sleep 0.1; done
    "$ask" -s "$work/redis" -l -q -n 100000 -r 10000 \
        -t set,get,incr,lpush,lrange_100,sadd,hset,zadd,mset >/dev/null 2>&1 &
    load=$!
    stacks redis -p "$server"
    kill "$load" "$server" 2>/dev/null || :
    wait || :
    server=
}

for program; do
    case $program in
    node | python | gcc | postgres | redis) "bench_$program" ;;
    *) echo "user-programs.sh: what is $program?" >&2; exit 1 ;;
    esac
done
