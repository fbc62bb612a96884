// skerry-supervisor PATH ARGV0 [ARG...]: see supervisor.py. Linux, aarch64, system calls only.
// x19: where PATH is       x20: the environment   w21: the program's pid   w22: its exit status   w23: flags of wait4
        .globl  _start
_start: ldr     x24, [sp]
        add     x19, sp, #16
        add     x20, x19, x24, lsl #3
        sub     sp, sp, #16
        mov     x1, #-1
        bl      mask                    // nothing but KILL and STOP reaches it
        mov     x0, #36                 // prctl(PR_SET_CHILD_SUBREAPER, 1)
        mov     x1, #1
        mov     x8, #167
        svc     #0
        tbnz    w0, #31, failed
        cmp     x24, #3
        b.lt    nothing                 // a trial: it can be run here
        mov     x0, #0x4111             // clone(CLONE_VFORK | CLONE_VM | SIGCHLD)
        mov     x1, #0
        mov     x2, #0
        mov     x3, #0
        mov     x4, #0
        mov     x8, #220
        svc     #0
        cbz     w0, child
        tbnz    w0, #31, failed
        mov     w21, w0
        mov     w22, #0
        mov     w23, #0x40000000        // __WALL
wait:   mov     x0, #-1                 // wait4(-1, status, flags, NULL)
        mov     x1, sp
        mov     w2, w23
        mov     x3, #0
        mov     x8, #260
        svc     #0
        cbz     w0, others
        cmn     w0, #10                 // ECHILD: the kernel says that nothing is left below
        b.eq    gone
        cmp     w0, w21
        b.ne    wait
        ldr     w0, [sp]                // the program has ended: its status, or 128 + its signal
        lsr     w22, w0, #8
        ands    w0, w0, #127
        b.eq    exited
        orr     w22, w0, #128
exited: mov     w1, #10                 // pwrite(0, "exit NNN NNN\n", 13, 106)
        udiv    w2, w22, w1
        msub    w3, w2, w1, w22
        udiv    w4, w2, w1
        msub    w5, w4, w1, w2
        mov     w0, #0x3020             // " 000"
        movk    w0, #0x3030, lsl #16
        add     w0, w0, w4, lsl #8
        add     w0, w0, w5, lsl #16
        add     w0, w0, w3, lsl #24
        mov     w1, #0x7865             // "exit"
        movk    w1, #0x7469, lsl #16
        stp     w1, w0, [sp, #-16]!
        mov     w1, #10
        stp     w0, w1, [sp, #8]
        mov     x0, #0
        mov     x1, sp
        mov     x2, #13
        mov     x3, #106
        mov     x8, #68
        svc     #0
        add     sp, sp, #16
        orr     w23, w23, #1            // WNOHANG: is anything else there?
        mov     w21, #-1
        b       wait
others: and     w23, w23, #0xfffffffe   // tell the engine how the program ended, and stay
        mov     x8, #172                // getpid
        svc     #0
        stp     w0, w22, [sp]
        mov     x0, #3                  // write(3, {pid, status}, 8)
        mov     x1, sp
        mov     x2, #8
        mov     x8, #64
        svc     #0
        b       wait
gone:   mov     x0, #0                  // pwrite(0, "clean yes\n", 10, 96)
        adr     x1, clean
        mov     x2, #10
        mov     x3, #96
        mov     x8, #68
        svc     #0
        mov     w0, w22
        b       exit
failed: mov     w0, #125
        b       exit
child:  mov     x8, #157                // setsid
        svc     #0
        mov     x1, #0
        bl      mask
        mov     x0, #3                  // close(3)
        mov     x8, #57
        svc     #0
        ldr     x0, [x19]               // execve
        add     x1, x19, #8
        mov     x2, x20
        mov     x8, #221
        svc     #0
        mov     w0, #127
        b       exit
nothing:
        mov     w0, #0
exit:   mov     x8, #93
        svc     #0
mask:   str     x1, [sp]                // sigprocmask(SIG_SETMASK, x1, NULL, 8)
        mov     x0, #2
        mov     x1, sp
        mov     x2, #0
        mov     x3, #8
        mov     x8, #135
        svc     #0
        ret
clean:  .ascii  "clean yes\n"
