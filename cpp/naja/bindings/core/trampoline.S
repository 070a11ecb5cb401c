// int32_t naja_core_trampoline(void *entry, void *ret, const uint64_t *frame, uint64_t stack_slots)
// Loads every argument register from the frame (specialisation.h), pushes the stack slots and calls the entry. Only for
// functions with arguments on the stack; the others are called from C++ with the registers' contents as arguments.
#if defined(__x86_64__)
    .text
    .globl naja_core_trampoline
    .hidden naja_core_trampoline
    .type naja_core_trampoline, @function
    .p2align 4
naja_core_trampoline:
    .cfi_startproc
    endbr64
    pushq %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    movq %rsp, %rbp
    .cfi_def_cfa_register %rbp
    movq %rdi, %rax             // entry
    movq %rsi, %rdi             // ret is the first argument
    movq %rdx, %r10             // frame
    // Room for the stack arguments, rounded up to keep the stack aligned to 16.
    leaq 1(%rcx), %r11
    andq $-2, %r11
    shlq $3, %r11
    subq %r11, %rsp
    // The stack slots follow 8 float and 5 integer slots.
    testq %rcx, %rcx
    je 2f
1:  movq 96(%r10,%rcx,8), %rdx
    movq %rdx, -8(%rsp,%rcx,8)
    decq %rcx
    jne 1b
2:  movsd 0(%r10), %xmm0
    movsd 8(%r10), %xmm1
    movsd 16(%r10), %xmm2
    movsd 24(%r10), %xmm3
    movsd 32(%r10), %xmm4
    movsd 40(%r10), %xmm5
    movsd 48(%r10), %xmm6
    movsd 56(%r10), %xmm7
    movq 64(%r10), %rsi
    movq 72(%r10), %rdx
    movq 80(%r10), %rcx
    movq 88(%r10), %r8
    movq 96(%r10), %r9
    callq *%rax
    leave
    .cfi_def_cfa %rsp, 8
    retq
    .cfi_endproc
    .size naja_core_trampoline, .-naja_core_trampoline
#elif defined(__aarch64__)
    .text
    .globl naja_core_trampoline
    .hidden naja_core_trampoline
    .type naja_core_trampoline, %function
    .p2align 4
naja_core_trampoline:
    .cfi_startproc
    stp x29, x30, [sp, #-16]!
    .cfi_def_cfa_offset 16
    .cfi_offset x29, -16
    .cfi_offset x30, -8
    mov x29, sp
    .cfi_def_cfa_register x29
    mov x16, x0                 // entry
    mov x0, x1                  // ret is the first argument
    mov x9, x2                  // frame
    mov x10, x3                 // stack slots
    add x11, x10, #1
    and x11, x11, #-2
    sub sp, sp, x11, lsl #3
    // The stack slots follow 8 float and 7 integer slots.
    add x12, x9, #120
    mov x13, sp
1:  cbz x10, 2f
    ldr x14, [x12], #8
    str x14, [x13], #8
    sub x10, x10, #1
    b 1b
2:  ldp d0, d1, [x9]
    ldp d2, d3, [x9, #16]
    ldp d4, d5, [x9, #32]
    ldp d6, d7, [x9, #48]
    ldp x1, x2, [x9, #64]
    ldp x3, x4, [x9, #80]
    ldp x5, x6, [x9, #96]
    ldr x7, [x9, #112]
    blr x16
    mov sp, x29
    ldp x29, x30, [sp], #16
    .cfi_def_cfa %sp, 0
    ret
    .cfi_endproc
    .size naja_core_trampoline, .-naja_core_trampoline
#endif
    .section .note.GNU-stack, "", %progbits
