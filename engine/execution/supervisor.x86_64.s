# skerry-supervisor PATH ARGV0 [ARG...]: see supervisor.py. Linux, x86-64, system calls only.
# rbx: where PATH is       r12: the environment   r13: the program's pid   r14: its exit status   r15: flags of wait4
        .globl  _start
_start: mov     (%rsp), %rbp
        lea     16(%rsp), %rbx
        lea     16(%rsp,%rbp,8), %r12
        push    $-1
        call    mask                    # nothing but KILL and STOP reaches it
        mov     $36, %edi               # prctl(PR_SET_CHILD_SUBREAPER, 1)
        mov     $1, %esi
        mov     $157, %eax
        syscall
        test    %eax, %eax
        js      failed
        cmp     $3, %rbp
        jl      nothing                 # a trial: it can be run here
        mov     $58, %eax               # vfork
        syscall
        test    %eax, %eax
        js      failed
        jz      child
        mov     %eax, %r13d
        mov     $0x40000000, %r15d      # __WALL
wait:   mov     $-1, %rdi               # wait4(-1, status, flags, NULL)
        mov     %rsp, %rsi
        mov     %r15d, %edx
        xor     %r10d, %r10d
        mov     $61, %eax
        syscall
        test    %eax, %eax
        jz      others
        cmp     $-10, %eax              # ECHILD: the kernel says that nothing is left below
        je      gone
        cmp     %r13d, %eax
        jne     wait
        mov     (%rsp), %eax            # the program has ended: its status, or 128 + its signal
        mov     %eax, %r14d
        shr     $8, %r14d
        and     $127, %eax
        jz      exited
        lea     128(%rax), %r14d
exited: mov     %r14d, %eax             # pwrite(0, "exit NNN NNN\n", 13, 106)
        mov     $0x30303020, %ebx       # " 000"
        mov     $10, %ecx
        xor     %edx, %edx
        div     %ecx
        shl     $24, %edx
        add     %edx, %ebx
        xor     %edx, %edx
        div     %ecx
        shl     $16, %edx
        add     %edx, %ebx
        shl     $8, %eax
        add     %eax, %ebx
        movl    $0x74697865, -16(%rsp)  # "exit"
        mov     %ebx, -12(%rsp)
        mov     %ebx, -8(%rsp)
        movb    $10, -4(%rsp)
        xor     %edi, %edi
        lea     -16(%rsp), %rsi
        mov     $13, %edx
        mov     $106, %r10d
        mov     $18, %eax
        syscall
        or      $1, %r15d               # WNOHANG: is anything else there?
        mov     $-1, %r13d
        jmp     wait
others: and     $-2, %r15d              # tell the engine how the program ended, and stay
        mov     $39, %eax               # getpid
        syscall
        mov     %eax, (%rsp)
        mov     %r14d, 4(%rsp)
        mov     $3, %edi                # write(3, {pid, status}, 8)
        mov     %rsp, %rsi
        mov     $8, %edx
        mov     $1, %eax
        syscall
        jmp     wait
gone:   xor     %edi, %edi              # pwrite(0, "clean yes\n", 10, 96)
        lea     clean(%rip), %rsi
        mov     $10, %edx
        mov     $96, %r10d
        mov     $18, %eax
        syscall
        mov     %r14d, %edi
        jmp     exit
failed: mov     $125, %edi
        jmp     exit
child:  mov     $112, %eax              # setsid
        syscall
        push    $0
        call    mask
        mov     $3, %edi                # close(3)
        mov     $3, %eax
        syscall
        mov     (%rbx), %rdi            # execve
        lea     8(%rbx), %rsi
        mov     %r12, %rdx
        mov     $59, %eax
        syscall
        mov     $127, %edi
        jmp     exit
nothing:
        xor     %edi, %edi
exit:   mov     $60, %eax
        syscall
mask:   mov     $2, %edi                # sigprocmask(SIG_SETMASK, the word above, NULL, 8)
        lea     8(%rsp), %rsi
        xor     %edx, %edx
        mov     $8, %r10d
        mov     $14, %eax
        syscall
        ret
clean:  .ascii  "clean yes\n"
