// SPDX-License-Identifier: GPL-2.0-or-later
// A session in which everything that can be selected is told apart, as make-session reads
// it; and its samples with their time, reckoned here from what is written alone: those of
// a vCPU in a second share what it ran there.
//
//   node selection-session.js >TEXT
"use strict";

const SECONDS = 20, PCPUS = 4, START = 100;
const VCPUS = [[0, 0], [0, 1], [1, 0], [1, 1], [2, 0], [3, 0]]; // domain, vCPU
const DOMAINS = ["dom0 Domain-0", "passive web", "passive db", "passive build"];
const THREADS = [null, "812:812:nginx", "900:901:postgres", "77:78:cc1 plus"];
// Of a kind of sample: its stack, leaf first, each "mode name".
const KINDS = [
  ["x toggle_guest_mode", "x do_iret", "x pv_hypercall", "x lstar_enter", "k vfs_read"],
  ["x flush_area_mask", "x do_mmu_update", "x pv_hypercall", "x lstar_enter", "k handle_mm_fault"],
  ["x schedule", "x __do_softirq", "x process_softirqs"],
  ["x emulate_privileged_op", "x entry_GP", "k read_msr"],
  ["x do_IRQ", "k native_queued_spin_lock_slowpath", "k _raw_spin_lock", "k posix_lock_inode"],
  ["k native_queued_spin_lock_slowpath", "k _raw_spin_lock", "k posix_lock_inode"],
  ["k ext4_file_read_iter", "k vfs_read", "k ksys_read", "u main"],
  ["k tcp_sendmsg", "k sock_write_iter", "u send_all", "u main"],
  ["u compute", "u main"],
  ["u compute", "u compute", "u main"], // it calls itself
  ["u parse"],
];
const MODES = { x: "xen", k: "kernel", u: "user" };

// Numbers that are the same each time: from 0 to below 1.
function randomOf(seed) {
  let state = seed;
  return () => (state = state * 16807 % 2147483647) / 2147483647;
}

// { second, domain, vcpu, count, kind, thread, time: s of each sample } each, and what
// each vCPU did in each second.
function make() {
  const random = randomOf(20), samples = [], waits = [];
  for (let second = 0; second < SECONDS; second++)
    for (const [domain, vcpu] of VCPUS) {
      const span = { running: 100 + Math.floor(450 * random()), runnable: Math.floor((domain === 2 ? 300 : 60) * random()),
                     device: domain === 3 ? Math.floor(80 * random()) : 0 }; // ms
      const kinds = KINDS.map((kind, index) => index).filter(() => random() < 0.5), own = [];
      for (const kind of kinds.length ? kinds : [0])
        own.push({ second, domain, vcpu, kind, count: 1 + Math.floor(6 * random()), thread: Math.floor(THREADS.length * random()) });
      const all = own.reduce((sum, { count }) => sum + count, 0);
      own.forEach((sample) => { sample.time = span.running / 1e3 / all; });
      samples.push(...own);
      waits.push({ second, domain, vcpu, ...span });
    }
  return { samples, waits };
}

function text() {
  const { samples, waits } = make(), lines = [`fact ${START} pcpus ${PCPUS}`];
  DOMAINS.forEach((name, domain) => lines.push(`domain ${START} ${domain} ${name}`));
  DOMAINS.forEach((none, domain) => {
    const names = [...new Set(KINDS.flat())];
    names.forEach((name, at) => {
      const [mode, symbol] = name.split(" "), address = 0x10000 * (at + 1);
      const image = { x: "xen", k: "kernel", u: "/usr/bin/tool" + domain }[mode];
      lines.push(`place ${symbol}.${domain} ${domain} ${MODES[mode]} ${address + 16} ${image} ${symbol} ${address}`);
    });
    KINDS.forEach((kind, at) => lines.push(`stack s${at}.${domain} ` + kind.map((name) => name.split(" ")[1] + "." + domain).join(" ")));
  });
  for (let pcpu = 0; pcpu < PCPUS; pcpu++)
    lines.push(`idle ${START} ${pcpu} 0`);
  let idle = 0;
  for (let second = 0; second < SECONDS; second++) {
    samples.filter((one) => one.second === second).forEach(({ domain, vcpu, kind, count, thread }, at) => {
      const [mode, symbol] = KINDS[kind][0].split(" "), when = (START + second + 0.05 + at % 90 / 100).toFixed(2);
      lines.push(`sample ${when} ${domain}.${vcpu} ${vcpu} ${MODES[mode]} ${symbol}.${domain} stack=s${kind}.${domain} count=${count}` +
        (THREADS[thread] ? " thread=" + THREADS[thread].replace(" ", "\\x20") : ""));
    });
    const now = waits.filter((one) => one.second === second);
    for (const { domain, vcpu, running, runnable, device } of now)
      lines.push(`wait ${START + second + 1} ${domain}.${vcpu} span=1 running=${running / 1e3} runnable=${runnable / 1e3} device=${device / 1e3}`);
    idle += 1000 - now.reduce((sum, { running }) => sum + running, 0) / PCPUS;
    for (let pcpu = 0; pcpu < PCPUS; pcpu++)
      lines.push(`idle ${START + second + 1} ${pcpu} ${(idle / 1e3).toFixed(6)}`);
  }
  return lines.concat(`close ${START + SECONDS}`).join("\n") + "\n";
}

module.exports = { SECONDS, PCPUS, VCPUS, DOMAINS, THREADS, KINDS, MODES, make, randomOf };

if (require.main === module)
  process.stdout.write(text());
