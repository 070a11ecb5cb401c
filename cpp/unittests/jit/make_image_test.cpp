// Objects made by LLVM's assembler become images: every relocation in use, on both machines.
#include "naja/jit/make_image.h"

#include <gtest/gtest.h>
#include <llvm/MC/MCAsmBackend.h>
#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCCodeEmitter.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCObjectFileInfo.h>
#include <llvm/MC/MCObjectWriter.h>
#include <llvm/MC/MCParser/MCAsmParser.h>
#include <llvm/MC/MCParser/MCTargetAsmParser.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCStreamer.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/TargetParser/Triple.h>

#include <cstring>
#include <random>

extern "C" {
void LLVMInitializeAArch64TargetInfo(void);
void LLVMInitializeAArch64TargetMC(void);
void LLVMInitializeAArch64AsmParser(void);
}

namespace naja::jit {
namespace {

std::vector<char> assemble(const char *triple_text, const char *source) {
  static const bool initialised = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmParser();
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmParser();
    return true;
  }();
  (void)initialised;
  llvm::Triple triple(triple_text);
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  EXPECT_TRUE(target) << error;
  llvm::MCTargetOptions options;
  std::unique_ptr<llvm::MCRegisterInfo> registers(target->createMCRegInfo(triple));
  std::unique_ptr<llvm::MCAsmInfo> info(target->createMCAsmInfo(*registers, triple, options));
  std::unique_ptr<llvm::MCInstrInfo> instructions(target->createMCInstrInfo());
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget(target->createMCSubtargetInfo(triple, "", ""));
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(source), llvm::SMLoc());
  llvm::MCContext context(triple, info.get(), registers.get(), subtarget.get(), &sources, &options);
  std::unique_ptr<llvm::MCObjectFileInfo> sections(target->createMCObjectFileInfo(context, /*PIC=*/true));
  context.setObjectFileInfo(sections.get());
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream out(bytes);
  std::unique_ptr<llvm::MCAsmBackend> backend(target->createMCAsmBackend(*subtarget, *registers, options));
  auto writer = backend->createObjectWriter(out);
  std::unique_ptr<llvm::MCStreamer> streamer(target->createMCObjectStreamer(
      triple, context, std::move(backend), std::move(writer),
      std::unique_ptr<llvm::MCCodeEmitter>(target->createMCCodeEmitter(*instructions, context)), *subtarget));
  std::unique_ptr<llvm::MCAsmParser> parser(llvm::createMCAsmParser(sources, context, *streamer, *info));
  std::unique_ptr<llvm::MCTargetAsmParser> machine(target->createMCAsmParser(*subtarget, *parser, *instructions, options));
  parser->setTargetParser(*machine);
  EXPECT_FALSE(parser->Run(false));
  return {bytes.begin(), bytes.end()};
}

constexpr const char *kX86 = R"(
  .text
  .globl call_stub
call_stub:
  jmp outside@PLT
  .globl call_slot
call_slot:
  jmp *outside@GOTPCREL(%rip)
  .globl load_constant
load_constant:
  movl number(%rip), %eax
  ret
  .globl load_pointer
load_pointer:
  movq pointer(%rip), %rax
  movl (%rax), %eax
  ret
  .globl own_address
own_address:
  movq load_constant@GOTPCREL(%rip), %rax
  ret
  .globl import_pointer
import_pointer:
  movq elsewhere(%rip), %rax
  ret
  .section .rodata,"a",@progbits
  .p2align 4
number: .long 1234
  .section .data.rel.ro,"aw",@progbits
  .p2align 3
pointer: .quad number
elsewhere: .quad outside + 8
  .bss
zeros: .zero 64
)";

int outside() { return 77; }
void *resolve(void *, const char *name) { return std::strcmp(name, "outside") == 0 ? reinterpret_cast<void *>(outside) : nullptr; }

#if defined(__x86_64__)
TEST(MakeImage, LinksX86AndRuns) {
  auto image = makeImage(assemble("x86_64-unknown-linux-gnu", kX86));
  ASSERT_TRUE(image) << image.error().message;
  EXPECT_EQ(image->imports, std::vector<std::string>{"outside"});
  std::string error;
  auto loaded = store::Loader::load(*image, resolve, nullptr, &error);
  ASSERT_TRUE(loaded) << error;
  auto call = [&](const char *name) { return reinterpret_cast<int (*)()>(loaded->find(name))(); };
  EXPECT_EQ(call("call_stub"), 77);
  EXPECT_EQ(call("call_slot"), 77);
  EXPECT_EQ(call("load_constant"), 1234);
  EXPECT_EQ(call("load_pointer"), 1234);
  auto address = [&](const char *name) { return reinterpret_cast<char *(*)()>(loaded->find(name))(); };
  EXPECT_EQ(address("own_address"), static_cast<char *>(loaded->find("load_constant")));
  EXPECT_EQ(address("import_pointer"), reinterpret_cast<char *>(outside) + 8);
}
#endif

TEST(MakeImage, RefusesRelocationsThatPositionsCannotMeet) {
  auto image = makeImage(assemble("x86_64-unknown-linux-gnu", ".text\n movq outside(%rip), %rax\n ret\n"));
  ASSERT_FALSE(image);
  EXPECT_NE(image.error().message.find("outside"), std::string::npos);
  image = makeImage(assemble("x86_64-unknown-linux-gnu", ".section .rodata,\"a\"\n .quad outside\n"));
  ASSERT_FALSE(image);
}

constexpr const char *kArm = R"(
  .text
  .globl entry
entry:
  adrp x1, number
  ldr w0, [x1, :lo12:number]
  adrp x2, :got:outside
  ldr x2, [x2, :got_lo12:outside]
  bl outside
  b entry
  .section .rodata,"a",@progbits
  .p2align 4
  .zero 32
number: .word 1234
)";

uint32_t wordAt(const store::Image &image, uint32_t offset) {
  uint32_t word;
  std::memcpy(&word, image.bytes.data() + offset, 4);
  return word;
}

TEST(MakeImage, LinksArm) {
  auto image = makeImage(assemble("aarch64-unknown-linux-gnu", kArm));
  ASSERT_TRUE(image) << image.error().message;
  EXPECT_EQ(image->imports, std::vector<std::string>{"outside"});
  // entry is at 0; the constant in the same page; the slot in the next one.
  EXPECT_EQ(wordAt(*image, 0), 0x90000001U);               // adrp x1, #0
  const uint32_t number = (wordAt(*image, 4) >> 10 & 0xfff) * 4;
  EXPECT_EQ(wordAt(*image, number), 1234U);
  EXPECT_EQ(wordAt(*image, 8), 0xb0000002U);               // adrp x2, #1 page
  EXPECT_EQ(wordAt(*image, 12) >> 10 & 0xfff, 0U);         // first slot
  const uint32_t stub = 16 + (wordAt(*image, 16) & 0x3ffffffU) * 4;
  EXPECT_EQ(wordAt(*image, stub + 8), 0xd61f0200U);        // br x16
  EXPECT_EQ(wordAt(*image, 20), 0x17fffffbU);              // b entry
}

TEST(MakeImage, SurvivesDamagedObjects) {
  std::vector<char> good = assemble("x86_64-unknown-linux-gnu", kX86);
  std::mt19937 random(7);
  for (int i = 0; i < 3000; ++i) {
    std::vector<char> bad = good;
    for (int k = 0; k < 3; ++k) bad[random() % bad.size()] = static_cast<char>(random());
    if (i % 3 == 0) bad.resize(random() % bad.size());
    auto image = makeImage(bad);
    if (!image) {
      EXPECT_FALSE(image.error().message.empty());
    }
  }
}

} // namespace
} // namespace naja::jit
