# SPDX-License-Identifier: GPL-2.0-or-later
# The second half of build-aux/list-sources: its lines in, sources.mk out.

function fail(text) {
    print "build-aux/sources.table: " text >"/dev/stderr"
    failed = 1
}

$1 == "sources" {
    folder_of[$2] = $3
    row_of[$3] = $2
    for (i = 5; i <= NF; i++)
        left_out[$i] = 1
}
$1 == "library" {
    libraries[++library_count] = $2
    file_of[$2] = $3
    for (i = 4; i <= NF; i++)
        if ($i == "xen")
            wants_xen[$2] = 1
        else if ($i == "whole")
            whole[$2] = 1
        else if ($i ~ /^\$/)
            outside_of[$2] = $i
        else
            library_of[$i] = $2
}
$1 == "public" { public[$2] = 1 }
$1 == "header" {
    if (!($3 in outside))
        outside_names[++outside_count] = $3
    outside[$3] = 1
    header_gives[$2] = $3
    if ($4 == "xen")
        wants_xen[$3] = 1
}
$1 == "add" {
    added[++add_count] = $2
    for (i = 3; i <= NF; i++)
        words[$2] = words[$2] " " $i
}
$1 == "made" { made[$2] = 1 }
$1 == "file" && !($2 in made) { files[++file_count] = $2; exists[$2] = 1 }
$1 == "script" { scripts[++script_count] = $2; exists[$2] = 1 }
$1 == "packed" { packed[++packed_count] = $2 }
$1 == "include" { includes[$2] = includes[$2] " " $3 }

END {
    for (file in left_out)
        if (!(file in exists))
            fail(file " does not exist")
    for (file in public)
        if (!(file in exists))
            fail(file " does not exist")
    for (i = 1; i <= add_count; i++)
        if (!(added[i] in exists))
            fail(added[i] " does not exist")
    if (failed)
        exit 1
    print "# Made by build-aux/list-sources."
    list_sources()
    what_libraries_need()
    for (i = 1; i <= library_count; i++)
        list_links(libraries[i])
    for (i = 1; i <= file_count; i++)
        if (is_program(files[i]))
            program(files[i])
    for (i = 1; i <= script_count; i++)
        test(scripts[i], index(words[scripts[i]], " xen"))
    for (i = 1; i <= file_count; i++)
        if (files[i] ~ /^tests\/(unit|fuzz)\/.*\.c$/ && !(files[i] in known) &&
            !index(words[files[i]], " elsewhere"))
            fail("no test includes the header of " files[i])
    if (failed)
        exit 1
    list_packed()
}

# The row "sources" whose folder is nearest above a file, or "".
function row_above(file) {
    while (sub(/\/[^\/]*$/, "", file))
        if (file in row_of)
            return row_of[file]
    return ""
}

function list_sources(   i, row, text) {
    for (i = 1; i <= file_count; i++) {
        row = row_above(files[i])
        if (row == "" || files[i] in left_out)
            continue
        text[row] = text[row] " \\\n\t" files[i]
        source_row[files[i]] = row
        if (row != "probe" && row != "payload")
            known[files[i]] = 1
    }
    for (row in folder_of)
        rows[++row_count] = row
    sort(rows, row_count)
    for (i = 1; i <= row_count; i++)
        print rows[i] "_sources =" text[rows[i]]
}

function sort(list, count,   i, j, kept) {
    for (i = 2; i <= count; i++) {
        kept = list[i]
        for (j = i - 1; j > 0 && list[j] > kept; j--)
            list[j + 1] = list[j]
        list[j + 1] = kept
    }
}

# The file that "name" in a file means, or "".
function included(file, name,   folder) {
    folder = file
    sub(/[^\/]*$/, "", folder)
    if ((folder name) in exists)
        return folder name
    if (name in exists)
        return name
    if (("libxenoprof/" name) in exists)
        return "libxenoprof/" name
    return ""
}

# What a file's includes make its program link, into needed[]; those of the
# tree's own test headers are visited too.
function visit(file,   list, count, i, name, found, row) {
    if (file in visited)
        return
    visited[file] = 1
    if (file ~ /\.c$/)
        used = used " " file
    more(file)
    count = split(includes[file], list, " ")
    for (i = 1; i <= count; i++) {
        name = substr(list[i], 2, length(list[i]) - 2)
        found = included(file, name)
        if (found == "") {
            if (name in header_gives)
                needed[header_gives[name]] = 1
        } else if (found ~ /^(tests|bench)\// && row_above(found) == "") {
            visit(found)
            twins(found)
        } else if (found in public) {
            needed["public"] = 1
        } else {
            row = row_above(found)
            if (row in library_of)
                needed[library_of[row]] = 1
        }
    }
}

# X-kit.h brings X-kit.c, and each X-kit-*.c that has no header of its own.
function twins(header,   stem, i) {
    stem = header
    if (!sub(/\.h$/, "", stem))
        return
    for (i = 1; i <= file_count; i++)
        if (files[i] ~ /\.c$/ && !is_program(files[i]) &&
            (files[i] == stem ".c" || (index(files[i], stem "-") == 1 &&
                                       !(header_of(files[i]) in exists))))
            visit(files[i])
}

function header_of(source) {
    sub(/\.c$/, ".h", source)
    return source
}

# The words of the rows "add" for a file.
function more(file,   list, count, i) {
    count = split(words[file], list, " ")
    for (i = 1; i <= count; i++)
        if (list[i] ~ /\.c$/)
            visit(list[i])
        else if (list[i] ~ /^-/)
            flags = flags " " list[i]
        else if (sub(/^after=/, "", list[i]))
            after = after " " list[i]
        else if (list[i] in file_of)
            needed[list[i]] = 1
        else
            word[list[i]] = 1
}

function clear() {
    split("", visited)
    split("", needed)
    split("", word)
    used = flags = after = ""
}

# Of each library what its own files include, into needs[].
function what_libraries_need(   i, name, library) {
    for (i = 1; i <= file_count; i++) {
        if (!(files[i] in source_row))
            continue
        library = library_of[source_row[files[i]]]
        if (library == "")
            continue
        clear()
        visit(files[i])
        # Programs and libraries use libxenoprof by what it exports.
        if (library != "inside" && !(library in whole) &&
            "inside" in needed) {
            delete needed["inside"]
            needed["public"] = 1
        }
        for (name in needed)
            if (name != library && !(library == "inside" && name == "public"))
                needs[library] = needs[library] " " name
        if (library == "inside")
            needs["public"] = needs["public"] ""
    }
}

# Adds to needed[] what the libraries in it need.
function close_over(   again, name, list, count, i) {
    do {
        again = 0
        for (name in needed) {
            count = split(needs[name], list, " ")
            for (i = 1; i <= count; i++)
                if (!(list[i] in needed)) {
                    needed[list[i]] = 1
                    again = 1
                }
        }
    } while (again)
}

# Files and -l's of what is needed, in the order of the table.
function links(public_file,   i, text) {
    for (i = 1; i <= library_count; i++) {
        if (libraries[i] in needed)
            text = text " " file_of[libraries[i]]
        if (libraries[i] == "inside" && "public" in needed &&
            !("inside" in needed))
            text = text " " public_file
    }
    for (i = 1; i <= library_count; i++)
        if (libraries[i] in needed && !(outside_of[libraries[i]] in needed))
            text = text (outside_of[libraries[i]] ? " " : "") \
                outside_of[libraries[i]]
    for (i = 1; i <= outside_count; i++)
        if (outside_names[i] in needed)
            text = text " " outside_names[i]
    return text
}

function list_links(library) {
    clear()
    needed[library] = 1
    close_over()
    print library "_links =" links("libxenoprof/libxenoprof.la")
}

function is_program(file) {
    if (file !~ /\.c$/ || index(words[file], " elsewhere"))
        return 0
    if (file ~ /^tests\/unit\//)
        return file ~ /\/test-[^\/]*$/
    if (file ~ /^tests\/fuzz\//)
        return file ~ /\/fuzz-[^\/]*$/
    if (file ~ /^(tests\/golden|tests\/lab\/tools|tests\/truth|bench)\/[^\/]*$/)
        return !(header_of(file) in exists)
    return 0
}

# A test program links the library of the folder whose name it has, too.
function own_library(file,   row) {
    if (!sub(/^tests\/unit\//, "", file))
        return
    row = row_above(file)
    if (row == "inside")
        needed["public"] = 1
    else if (row in library_of)
        needed[library_of[row]] = 1
}

function program(file,   name, variable, xen, what, first, libs) {
    name = variable = file
    sub(/\.c$/, "", name)
    sub(/\.c$/, "", variable)
    gsub(/[^A-Za-z0-9]/, "_", variable)
    clear()
    visit(file)
    own_library(file)
    close_over()
    # dom0 of the lab has no libxenoprof of this build.
    if (file ~ /^tests\/lab\// && "public" in needed) {
        needed["inside"] = 1
        close_over()
    }
    if (word["bare"])
        split("", needed)
    for (what in needed)
        if (what in wants_xen)
            xen = 1
    if (file ~ /^tests\/lab\//)
        xen = 1
    if (xen)
        print "if WITH_XEN"
    if (file ~ /^bench\//)
        print "bench_programs += " name
    else if (file ~ /^tests\/lab\//)
        print "lab_tools += " name
    else
        print "check_PROGRAMS += " name
    if (file ~ /^tests\/fuzz\//)
        first = " $(fuzz_engine)"
    libs = links("$(shared_library)")
    print variable "_SOURCES =" used
    print variable "_LDADD =" first libs
    if (word["bare"]) {
        print variable "_CFLAGS = $(bare_cflags)" (name ~ /-32$/ ? " -m32" : "")
        print variable "_LINK = $(bare_link)" (name ~ /-32$/ ? " -m32" : "") " -o $@"
    } else
        print variable "_LINK = $(" (file ~ /^tests\/fuzz\// ? "fuzz" : "test") \
            "_link)" flags " -o $@"
    if (after != "")
        print "EXTRA_" variable "_DEPENDENCIES =" after
    if (xen)
        print "endif"
    if (file ~ /^tests\/(unit|fuzz)\// && !word["manual"])
        test(name, xen)
    split(used, list, " ")
    for (what in list)
        known[list[what]] = 1
}

function test(name, xen) {
    if (xen)
        print "if WITH_XEN"
    print "TESTS += " name
    if (xen)
        print "endif"
}

# All that automake does not pack by itself.  The file "check" has the name of
# a goal of make; see dist-hook.
function list_packed(   i, text) {
    for (i = 1; i <= packed_count; i++)
        if (!(packed[i] in known) && packed[i] != "check" &&
            packed[i] !~ /^\.(git|clang)/)
            text = text " \\\n\t" packed[i]
    print "EXTRA_DIST +=" text
}
