#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# No report with --anonymize, nor one of an anonymous archive, has a word of each
# golden session that is to be hidden.  TAP: a case a session.
#
# Words are what a session's text names: domains, host, users' images and symbols,
# threads, programs and cgroups, whole and by their parts.  Words that are public,
# too, are not looked for: what Xen, kernels and public libraries call their code,
# and what reports say anyway.  Nor are words of less than three letters, which are
# parts of others, and numbers.
set -eu

here=${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/golden/report
build=$(cd "${top_builddir:-.}" && pwd)
# shellcheck source=/dev/null
. "$here/../../report-program.sh"
scratch=$(scratch_folder)
trap 'rm -rf "$scratch"' EXIT
export LC_ALL=C.UTF-8
unset COLUMNS LINES || true
mkdir "$scratch/sessions" "$scratch/temporary"
export TMPDIR="$scratch/temporary"
number=0 failed=0 words_looked_for=0

report() {
    "$program" --session-dir="$scratch/sessions" --width=0 "$@" 2>&1 </dev/null ||
        true
}

# The page has its data packed: deflate without a header, in base64, on a line.
page() {
    rm -f "$scratch"/data.*
    report --html=- "$@" | awk -v to="$scratch/data." '
        { line = $0; sub(/<\/script>.*/, "", line) }
        line ~ /^[A-Za-z0-9+\/=]+$/ && length(line) > 99 {
            count++
            print line >(to count)
            next
        }
        { print }'
    for data in "$scratch"/data.*; do
        [ -e "$data" ] || continue # there are no samples to show
        { printf '\037\213\010\0\0\0\0\0\0\0'; base64 -d "$data"; } |
            gzip -dc 2>/dev/null | grep -a . || echo "the page has no data"
    done
}

# All that can be written of a session.
all_reports() {
    page "$@"
    for view in "--header --table --sort=domain,comm,exe,cgroup,unit,container,pod" \
        "--json --stacks --sort=domain,comm,exe,cgroup,unit,container,pod,image" \
        --why --waits --exits "--callgraph --sort=domain,comm" --folded --brief-json \
        --flamegraph=- --annotate --callers; do
        # shellcheck disable=SC2086
        report $view "$@"
    done
}

hidden_words() {
    awk '
    function words(text, part, i, count) {
        print text
        count = split(text, part, /[^A-Za-z0-9_]+/)
        for ( i = 1; i <= count; i++ )
            print part[i]
    }
    $1 == "domain" { sub(/^[^ ]+ +[^ ]+ +[^ ]+ +[^ ]+ +/, ""); words($0) }
    $1 == "fact" && ($3 == "host" || $3 == "by" || $3 == "options") {
        sub(/^[^ ]+ +[^ ]+ +[^ ]+ +/, "")
        words($0)
    }
    $1 == "place" && $4 == "user" && NF > 5 {
        words($6)
        if ( NF > 6 && $6 !~ /lib(c|m|pthread|ssl)[-.]/ )
            words($7)
    }
    $1 == "sample" || $1 == "origin" {
        for ( i = 2; i <= NF; i++ )
            if ( $i ~ /^(exe|cgroup)=/ ) {
                sub(/^[a-z]*=/, "", $i)
                words($i)
            } else if ( $i ~ /^(thread=)?[0-9]+:[0-9]+:/ ) {
                sub(/^(thread=)?[0-9]+:[0-9]+:/, "", $i)
                words($i)
            }
    }' "$1" | grep -v '\\x' | grep '[A-Za-z].*[A-Za-z].*[A-Za-z]' | sort -u
}

# What is said of a session that has none of these words, and public names.
public_words() {
    cat "$scratch/plain"
    echo "[many] swapper/0 [not read] Domain-0 init.scope kubepods besteffort service"
    awk '$1 == "place" && $4 != "user" || $1 == "type" ||
         ($1 == "fact" && $3 != "host" && $3 != "by" && $3 != "options")' "$1"
    awk '$1 == "place" && $6 ~ /lib(c|m|pthread|ssl)[-.]/ { print $6, $7 }' "$1"
}

make() {
    rm -rf "$scratch/sessions/current"
    "$build/tests/golden/make-session" "$1" "$scratch/sessions/current"
}

make "$here/stacks.session"
all_reports --anonymize >"$scratch/plain"

for file in "$here"/*.session; do
    number=$((number + 1))
    name=$(basename "$file" .session)
    make "$file"
    public_words "$file" >"$scratch/public"
    hidden_words "$file" | while IFS= read -r word; do
        grep -qiF -e "$word" "$scratch/public" || printf '%s\n' "$word"
    done >"$scratch/words"
    words_looked_for=$((words_looked_for + $(wc -l <"$scratch/words")))
    all_reports --anonymize >"$scratch/said"
    report --anonymize --archive="$scratch/archive" >>"$scratch/said"
    all_reports --session="$scratch/archive" >>"$scratch/said"
    sed -i "s|$scratch||g" "$scratch/said"
    if [ -s "$scratch/words" ] &&
        grep -aiF -f "$scratch/words" "$scratch/said" >"$scratch/found"; then
        failed=1
        echo "not ok $number - nothing of $name is named"
        cut -c1-200 "$scratch/found" | head -5 | sed 's/^/# /'
    else
        echo "ok $number - nothing of $name is named"
    fi
done

# Words are found where they are not hidden, and in the page's data.
number=$((number + 1))
make "$here/origins.session"
all_reports >"$scratch/said"
page --sort=comm | grep -a nginx >"$scratch/found" || true
if grep -qi nginx "$scratch/said" && [ -s "$scratch/found" ] &&
    [ "$words_looked_for" -ge 30 ] && [ -z "$(ls "$scratch/temporary")" ]; then
    echo "ok $number - $words_looked_for words were looked for, no copy is left"
else
    failed=1
    echo "not ok $number - $words_looked_for words were looked for, no copy is left"
fi
echo "1..$number"
exit $failed
