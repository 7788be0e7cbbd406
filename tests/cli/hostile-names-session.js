// SPDX-License-Identifier: GPL-2.0-or-later
// Sessions in which every name that others choose is a hostile one, as text for
// make-session.  Texts here are bytes: each character of a string is one.
//
//   node hostile-names-session.js [WHICH]   prints that of one name, or all names, for
//                                           tests/page/page.sh
"use strict";

const bytes = (text) => Buffer.from(text, "utf8").toString("latin1");
const MARKUP = `</script></title></text></style>--><script>window.ran=1</script><img src=x onerror=window.ran=1>`;

// What a guest, a user of dom0, or whoever made a session may call things.
const NAMES = {
  escapes: "\x1b[2J\x1b]0;title\x07\x1b[31mred\x1b(0\x9b31m\x90q\x9c\x08\x7f\x0e",
  c1: bytes("a\u009b31m\u009d0;t\u009c\u0085b\u0080\u009f"),
  bidi: bytes("a\u202eb\u202ac\u202bd\u202ce\u202df\u2066g\u2067h\u2068i\u2069j\u200fk\u061cl"),
  shapeless: bytes("a\u00ad\u200b\u200d\u2060\ufeff\ufff9\u{e0041}\u{e0001}\u{e0100}b\u180ec\u2028d\u2029e"),
  broken: "\xc0\xaf\xe0\x80\xaf\xed\xa0\x80\xf4\x90\x80\x80\xf8\x88\x80\x80\x80\xff\xfe\xbf\xc3",
  nothing: bytes("\ufffe\uffff\ufdd0\u{1ffff}\ue000\u{10fffd}"),
  markup: MARKUP,
  attribute: `" onmouseover="window.ran=1' onload='window.ran=1" x=`,
  section: `]]><script>window.ran=1</script><![CDATA[<?x ?><!DOCTYPE y>`,
  entities: "&amp;&lt;script&gt;&#27;&#x1b;&bogus;&",
  quotes: "\"'`\\\"${window.ran=1}\\u001b\\x1b\\",
  lines: bytes("a\nFAKE  99.99%\r\n\x0b\x0cb\u0085c\u2028d\n\n"),
  columns: "a,b;c\td  e = f;g [h]  99.00%  1 ",
  format: "%s%n%99999d%*s%",
  objects: "__proto__",
  members: "constructor",
  urls: "javascript:window.ran=1",
  wide: bytes("\u65e5\u672c\u8a9e\u{1f600}e\u0301\u0301\u0301\u0e01\u0e33"),
  long: "\x1b" + "A".repeat(65534) + "\x9b",
};

// Characters that change what stands around them, in texts and in JSON.
const OBEYED = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]/u;
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60\u{1f300}-\u{1faff}]/u;

const DECODER = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function isCharacter(bytes) {
  try {
    DECODER.decode(bytes);
    return true;
  } catch {
    return false;
  }
}

// Bytes of the character that begins with this one; 0: none does.
const lengthAt = (byte) => byte < 0x80 ? 1 : byte < 0xc2 || byte > 0xf4 ? 0 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;

// The characters of a text of bytes: those that are none are null.
function characters(text) {
  const found = [];
  const whole = Buffer.from(text, "latin1");
  for (let at = 0; at < whole.length;) {
    const length = lengthAt(whole[at]);
    const right = length === 1 || length && at + length <= whole.length && isCharacter(whole.subarray(at, at + length));
    found.push(right ? whole.toString("utf8", at, at + length) : null);
    at += right ? length : 1;
  }
  return found;
}

// Columns that a character takes where bytes that are not shown are \xNN.
function columns(one) {
  if (one === null)
    return 4;
  if (one >= " " && one <= "~")
    return 1;
  if (one === "\t" || one === "\n" || OBEYED.test(one) || /\p{Cn}/u.test(one))
    return 4 * Buffer.byteLength(one);
  return WIDE.test(one) ? 2 : /\p{M}/u.test(one) ? 0 : 1;
}

const width = (text) => characters(text).reduce((sum, one) => sum + columns(one), 0);

// A harmless text that is as wide, and that reports take apart where they do this one.
const harmless = (text) => characters(text).map((one) => "/# ".includes(one ?? "x") ? one : "x".repeat(columns(one))).join("");

// A text as make-session reads it.
function spell(text) {
  return text.replace(/[^A-Za-z0-9_.:]/g, (byte) => "\\x" + byte.charCodeAt(0).toString(16).padStart(2, "0"));
}

// A text that ends with a tag, and takes most bytes and columns: Linux cuts a thread's
// name, and the daemon a path.
function cut(text, tag, most) {
  let length = Math.min(text.length, most - tag.length);
  while (width(text.slice(0, length)) + tag.length > most)
    length--;
  return text.slice(0, length) + tag;
}

// The lines of a session in which name(tag, most) is what each source has for a
// name: tag makes it another one than those of other sources.
function session(name) {
  const say = (tag, most = 65535) => spell(name(tag, most));
  const path = (begin, tag, end = "") => spell(begin) + say(tag, 200) + spell(end);
  const facts = ["host", "xen_version", "xen_build_id", "sampler", "program", "kernel", "options", "by", "warning",
                 "boot", "payloads", "trace", "waiting", "lowered", "guest_kernel_1", "module_text", "stopped"];
  const comm = (tag) => say(tag, 15);
  const hash = "0123456789abcdef".repeat(4);
  return [
    "fact 0 utc 1763632800000000000",
    ...facts.map((key, at) => `fact 0 ${key} ${say("F" + at)}`),
    `fact 0 ${say("K")} ${say("V")}`,
    "fact 0 frequency 100",
    "fact 0 pcpus 2",
    `domain 100 0 dom0 ${say("D0")}`,
    `domain 100 1 passive ${say("D1")}`,
    `domain 100 2 active ${say("D2")}`,
    `domain 100 3 other ${say("D3")}`,
    `domain 100 4 ${say("D5")} ${say("D4")}`,
    "idle 100 0 0",
    "idle 100 1 0",
    `type 2 ${say("T2", 63)} ${say("U2", 63)} select=1 period=1000`,
    `place xen 0 xen 0xffff82d040200010 xen ${say("SX")} 0xffff82d040200000`,
    `place lock 0 xen 0xffff82d040200110 xen _spin_lock 0xffff82d040200100`,
    `place kern 1 kernel 0xffffffff81000010 kernel ${say("SK")} 0xffffffff81000000`,
    `place mod 1 kernel 0xffffffffc0000010 ${say("IM")} ${say("SM")} 0xffffffffc0000000`,
    `place user 1 user 0x401010 ${path("/usr/bin/", "IU")} ${say("SU")} 0x401000`,
    `place call 1 user 0x402010 ${path("/usr/bin/", "IU")} ${say("SC")} 0x402000`,
    `place bare 2 user 0x501010 ${path("", "IB")}`,
    `place none 3 kernel 0xffffffff81000110 ${say("IN")}`,
    "stack deep xen kern mod user call",
    "stack user user call",
    "stack lock lock xen kern",
    `sample 101.00 1.0 0 xen xen stack=deep count=41 thread=10:11:${comm("T")} entry=vmx:28:0`,
    `sample 101.50 1.1 1 user user stack=user count=31 thread=20:21:${comm("W")}`,
    `sample 102.00 0.0 0 xen lock stack=lock count=23`,
    `sample 102.50 2.0 1 user bare count=17 thread=30:31:${comm("X")}`,
    `sample 103.00 3.0 0 kernel none count=11`,
    `sample 103.20 1.0 0 kernel mod count=7 thread=40:41:${comm("Y")}`,
    `sample 103.40 4.0 1 kernel none count=5`,
    `sample 104.00 1.0 0 user user type=2 stack=user count=13 units=1000`,
    `origin 1 10:11:${comm("T")} exe=${path("/", "E1")} cgroup=${path("/system.slice/", "C1", ".service")}`,
    `origin 1 20:21:${comm("W")} exe=${path("", "E2")} cgroup=${path("/kubepods/pod", "C2", "/" + hash)}`,
    `origin 1 40:41:${comm("Y")} exe=${path("/a/", "E4")} cgroup=${path("/docker/", "C4", "")}`,
    `origin 2 30:31:${comm("X")} exe=${path("/", "E3")} cgroup=${path("/", "C3", "/x.scope")}`,
    "wait 101.5 1.0 span=1 running=0.4 runnable=0.2 device=0.3 capped=0.1",
    "wait 101.5 2.0 span=1 running=0.5 runnable=0.1",
    "latency 101.6 1.0 woken 0.002 count=5 by=2",
    "latency 101.6 2.0 preempted 0.004 count=3 by=3",
    "exits 101.7 1.0 0x7b count=9 xen=0.001 away=0.002 shortest=0.00001 longest=0.0004",
    "ring 0 made=148 read=148",
    "counters 109 due=148 made=148 committed=148",
    "idle 109 0 4",
    "idle 109 1 4",
    "close 109",
    "",
  ].join("\n");
}

const hostile = (which) => (tag, most) => cut(NAMES[which], tag, most);
const twin = (which) => (tag, most) => harmless(cut(NAMES[which], "", most - tag.length)) + tag;

module.exports = { NAMES, OBEYED, session, hostile, twin, width };

if (require.main === module)
  process.stdout.write(process.argv[2] ? session(hostile(process.argv[2])) : Object.keys(NAMES).join("\n") + "\n");
