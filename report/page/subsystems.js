// SPDX-License-Identifier: GPL-2.0-or-later
// Which part of Xen, of a kernel or of a process a function is of, by its name: a
// shade of its mode's colour, and something to select.  A guest chooses the names of
// its own functions, and can be wrong about itself alone.
const Subsystems = (() => {
  const REST = 0; // what no row is about
  // The first row that fits is a function's: Xen's names, kernels' names.
  const ROWS = [
    ["scheduler", /sched|^vcpu_(wake|sleep|block|runstate)|context_switch|^do_softirq|idle_loop/,
     /sched|^(try_to_wake|wake_up|pick_next|enqueue_|dequeue_|update_(rq|curr|load)|finish_task|cpu_idle|do_idle)|rcu_|kthread/],
    ["locks", /_lock|_unlock|lock_/, /spin_|mutex|rwsem|futex|_lock|_unlock|qspinlock|queued_/],
    ["interrupts and timers", /irq|timer|apic|^smp_call|tick|nmi/,
     /irq|hrtimer|timer|apic|tick|clockevent|clocksource|softirq|ktime_|sched_clock/],
    ["events and grants", /evtchn|event_channel|gnttab|grant/, /evtchn|xen_|gnttab|xenbus|xenvif|xen_blk|blkif|netfront|blkback/],
    ["emulation", /emul|insn|hvm_(io|mmio)|vmexit|svm_|vmx_|vlapic|viridian|msr|cpuid/, /emulat|kvm|msr|cpuid/],
    ["memory", /p2m|page|pod_|paging|shadow|mmu|ept_|npt_|tlb|alloc|heap|map_domain|mem(cpy|set|move)|copy_(to|from)/,
     /page|mm_|mmap|fault|slab|kmalloc|kfree|kmem|vma|folio|lru|tlb|pte|memcg|mem(cpy|set|move)|copy_(to|from)|clear_|alloc/],
    ["network", /(?!)/, /tcp|udp|ip_|ip6|inet|sock|skb|net|eth|napi|xmit|nf_|qdisc|sk_|bpf|br_|veth|virtnet/],
    ["files and disks", /(?!)/,
     /vfs|ext4|xfs|btrfs|jbd2|file|inode|dentry|path|blk|bio|nvme|scsi|block|read|write|fsync|iomap|dm_|submit/],
    ["entry and exit", /entry|restore_all|return_to|lstar|hypercall|do_iret|vmenter|vmrun|exit/,
     /entry|syscall|sysret|iret|exc_|asm_|ret_from|do_exit|exit_/],
  ];
  const NAMES = ["the rest", ...ROWS.map(([name]) => name)];

  // Of each frame.
  function ofFrames({ frame_names: names }, modes) {
    return Uint8Array.from(names, (name, frame) => {
      if (modes[frame] > 1)
        return REST;
      const own = name.slice(name.lastIndexOf("#") + 1); // of an inlined function
      return ROWS.findIndex((row) => /** @type {RegExp} */ (row[modes[frame] + 1]).test(own)) + 1;
    });
  }

  // How far each shade is from its colour; text is hard to read on what lies between
  // the second and the third.
  const DEPTHS = [0, 0.07, 0.22, 0.29, 0.36], SHADES = DEPTHS.length;

  // The shade of one of them, or of what has any other number: darker than the mode's
  // colour on light paper, and lighter on dark paper, so that it stands out as well.
  function shade(hex, number, dark) {
    const part = DEPTHS[number % SHADES], to = dark ? 255 : 0;
    return "#" + [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16))
      .map((value) => Math.round(value + (to - value) * part).toString(16).padStart(2, "0")).join("");
  }

  return { NAMES, REST, SHADES, ofFrames, shade };
})();
