// Config headers: what is read, what is refused and in which words; the paper's numbers; the chain from a
// device to its config.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/embedded.hpp"
#include "base/error.hpp"
#include "model/config.hpp"
#include "model/registry.hpp"
#include "support/broken_configs.hpp"
#include "support/refusal.hpp"

namespace fastid::model {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using testing::generic_with;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using testing::kBroken;
using testing::kBrokenMatrix;
using testing::matrix_with;

std::string refusal_of(const std::string& text) {
  return testing::refusal([&] { parse_config(text, "my.h"); });
}

TEST(Config, EveryHeaderInTheRepositoryIsLegalAndNamedAsItsFile) {
  const std::vector<std::string> names = embedded_config_names();
  EXPECT_THAT(names, IsSupersetOf({"gtx980", "titan_v", "vega64", "pocl", "cpu_generic", "generic",
                                   "nvidia_sm80", "nvidia_sm90", "amd_rdna", "amd_cdna", "intel_gpu"}));
  for (const std::string& name : names) {
    const KernelConfig config = embedded_config(name);
    EXPECT_EQ(config.name, name);
    EXPECT_THAT(config.origin, ::testing::AnyOf("paper", "measured", "model", "tuned"));
    EXPECT_NE(config_defines(config).find("#define FASTID_M_C " + std::to_string(config.m_c)),
              std::string::npos);
  }
}

TEST(Config, ThePapersGpusHaveThePapersNumbers) {
  struct Row {
    const char* name;
    std::uint32_t k_c, n_r, rows, columns, ld_n_r, ld_rows, ld_columns, least_n_r;
  };
  for (const Row& row :
       {Row{"gtx980", 383, 768, 1, 16, 384, 4, 4, 384}, Row{"titan_v", 383, 1024, 1, 80, 1024, 80, 1, 256},
        Row{"vega64", 512, 1024, 1, 64, 1024, 32, 2, 512}}) {
    SCOPED_TRACE(row.name);
    const KernelConfig c = embedded_config(row.name);
    EXPECT_EQ(c.m_r, 4u);
    EXPECT_EQ(c.m_c, 32u);
    EXPECT_EQ(c.k_c, row.k_c);
    EXPECT_EQ(c.n_r, row.n_r);
    EXPECT_EQ(c.ld_n_r, row.ld_n_r);
    EXPECT_EQ(std::pair(c.grid_rows, c.grid_columns), std::pair(row.rows, row.columns));
    EXPECT_EQ(std::pair(c.ld_grid_rows, c.ld_grid_columns), std::pair(row.ld_rows, row.ld_columns));
    // Its equations (4) to (7); NVIDIA's drivers keep a little of the local memory for themselves.
    EXPECT_EQ(c.m_r, c.n_vec);
    EXPECT_EQ(c.m_c, c.hw_n_b);
    EXPECT_NEAR(c.k_c, c.hw_local_bytes / (4 * c.hw_n_b), 1);
    EXPECT_EQ(c.hw_n_t * c.m_r / (c.hw_n_b / c.hw_n_cl) * c.n_vec * c.hw_l_fn, row.least_n_r);
    EXPECT_GE(std::min(c.n_r, c.ld_n_r), row.least_n_r);
  }
}

TEST(Config, WhatIsNoConfigIsRefusedWithTheLineAndTheCure) {
  const std::string good = std::string(embedded_text("configs/generic.h"));
  EXPECT_EQ(refusal_of(good), "accepted");
  const auto line = "line " + std::to_string(std::count(good.begin(), good.end(), '\n') + 1);
  for (const std::string bad :
       {"#include \"/etc/passwd\"\n", "int x;\n", "#define FASTID_N_R\n", "#define M_C 4\n",
        "#define FASTID_CONFIG_ORIGIN \"a\" \"b\"\n", "#define FASTID_HW_N_T 1 \\\n", "#pragma once\n"})
    EXPECT_THAT(refusal_of(good + bad),
                AllOf(HasSubstr("my.h, " + line), HasSubstr("#define FASTID_NAME NUMBER")))
        << bad;
  EXPECT_THAT(refusal_of(good + "#define FASTID_M_C 16\n"),
              AllOf(HasSubstr(line), HasSubstr("defined twice")));
  EXPECT_THAT(refusal_of(good + "#define FASTID_OTHER 1\n"),
              AllOf(HasSubstr(line), HasSubstr("configs/README.md")));
  EXPECT_THAT(refusal_of(good + "/* open"), HasSubstr("close it with */"));
  EXPECT_THAT(refusal_of(""), HasSubstr("FASTID_M_C is missing"));
  for (const char* value : {"-1", "0x10", "16u", "(16)", "1e3", "99999999999", "70000"})
    EXPECT_THAT(refusal_of(generic_with("M_C", value)), HasSubstr("no whole number")) << value;
  for (const char* name : {"generic", "\"\"", "\"a b\"", "\"a\\\"", "\"\x01\""})
    EXPECT_THAT(refusal_of(generic_with("CONFIG_NAME", name)), HasSubstr("my.h, line")) << name;
  EXPECT_THAT(refusal_of(std::string("#define\0FASTID_M_C 4", 20)), HasSubstr("line 1"));
}

TEST(Config, AFileThatIsTooLongIsNotReadWhole) {
  EXPECT_THROW(read_config("/dev/zero"), InputError);
  EXPECT_THROW(read_config("/nonexistent.h"), InputError);
}

TEST(Config, BrokenRulesAreRefusedWithTheReason) {
  for (const testing::Broken& broken : kBroken)
    EXPECT_THAT(refusal_of(generic_with(broken.name, broken.value)),
                AllOf(HasSubstr("my.h"), HasSubstr(broken.reason)))
        << broken.name << " " << broken.value;
  EXPECT_THAT(refusal_of(generic_with("M_C", "16") + "#define FASTID_LD_N_R 120\n"), HasSubstr("LD_N_R"));
}

TEST(Config, BrokenRulesOfTheMatrixKernelAreRefusedWithTheReason) {
  EXPECT_EQ(refusal_of(matrix_with("MATRIX_TILES", "2")), "accepted");
  for (const testing::Broken& broken : kBrokenMatrix)
    EXPECT_THAT(refusal_of(matrix_with(broken.name, broken.value)), HasSubstr(broken.reason))
        << broken.name << " " << broken.value;
  EXPECT_THAT(
      refusal_of(testing::config_with("portable_matrix", {{"MATRIX_TILES", "8"}, {"MATRIX_BLOCKS", "2"}})),
      HasSubstr("MATRIX_TILES x MATRIX_BLOCKS takes more registers"));
}

DeviceFacts gpu(const std::string& device, const std::string& architecture, const std::string& vendor) {
  DeviceFacts facts;
  facts.device = device;
  facts.architecture = architecture;
  facts.vendor = vendor;
  facts.type = "GPU";
  facts.local_memory = 48 << 10;
  facts.max_group_items = facts.max_group_columns = facts.max_group_rows = 1024;
  return facts;
}

std::vector<std::string> chain_of(const DeviceFacts& facts) {
  std::vector<std::string> names;
  for (const ConfigLink& link : config_chain(facts)) names.push_back(link.config);
  return names;
}

TEST(Registry, GoesFromTheDeviceToItsArchitectureItsVendorAndTheGenericConfig) {
  EXPECT_THAT(chain_of(gpu("NVIDIA GeForce GTX 980", "sm_52", "NVIDIA Corporation")),
              ElementsAre("gtx980", "nvidia_sm80", "generic"));
  EXPECT_THAT(chain_of(gpu("NVIDIA TITAN V", "sm_70", "NVIDIA Corporation")),
              ElementsAre("titan_v", "nvidia_sm80", "generic"));
  EXPECT_THAT(chain_of(gpu("NVIDIA H200", "sm_90", "NVIDIA Corporation")),
              ElementsAre("nvidia_sm90", "nvidia_sm80", "generic"));
  EXPECT_THAT(chain_of(gpu("gfx900:xnack-", "gfx900", "Advanced Micro Devices, Inc.")),
              ElementsAre("vega64", "amd_cdna", "amd_rdna", "generic"));
  EXPECT_THAT(chain_of(gpu("gfx1100", "gfx1100", "Advanced Micro Devices, Inc.")),
              ElementsAre("amd_rdna", "generic"));
  EXPECT_THAT(chain_of(gpu("Intel(R) Arc(TM) A770", "", "Intel(R) Corporation")),
              ElementsAre("intel_gpu", "generic"));
  EXPECT_THAT(chain_of(gpu("Unheard Of", "", "Nobody")), ElementsAre("generic"));
  DeviceFacts cpu = gpu("pthread-skylake", "", "GenuineIntel");
  cpu.type = "CPU";
  cpu.platform = "Portable Computing Language";
  EXPECT_THAT(chain_of(cpu), ElementsAre("pocl", "cpu_generic", "generic"));
}

TEST(Registry, AConfigThatTheDeviceCannotRunSaysWhy) {
  DeviceFacts facts = gpu("GeForce GTX 980", "", "NVIDIA");
  facts.max_group_items = 256;
  const auto chain = config_chain(facts);
  EXPECT_THAT(chain.front().unfit, AllOf(HasSubstr("768"), HasSubstr("256")));
  EXPECT_THAT(chain.back(), AllOf(Field(&ConfigLink::config, "generic"), Field(&ConfigLink::unfit, "")));
  facts.local_memory = 16;
  EXPECT_THAT(config_chain(facts).back().unfit, HasSubstr("local memory"));
}

}  // namespace
}  // namespace fastid::model
