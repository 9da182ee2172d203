#include "opencl/devices.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/log.hpp"
#include "base/text.hpp"

namespace fastid::opencl {
namespace {

std::string device_type(cl_device_type type) {
  if (type & CL_DEVICE_TYPE_GPU) return "GPU";
  if (type & CL_DEVICE_TYPE_CPU) return "CPU";
  if (type & CL_DEVICE_TYPE_ACCELERATOR) return "accelerator";
  return "other";
}

// "sm_90", "gfx1100": the vendor's name of the machine code's target; "" where the driver does not tell.
std::string architecture(const cl::Device& device, std::string_view name) {
  constexpr cl_device_info kMajorNv = 0x4000, kMinorNv = 0x4001;  // cl_nv_device_attribute_query
  if (name.starts_with("gfx")) return std::string(name.substr(0, name.find_first_of(": ")));
  const auto extensions = device.getInfo<CL_DEVICE_EXTENSIONS>();
  if (extensions.find("cl_nv_device_attribute_query") == std::string::npos) return "";
  cl_uint major = 0, minor = 0;
  device.getInfo(kMajorNv, &major);
  device.getInfo(kMinorNv, &minor);
  return fmt::format("sm_{}{}", major, minor);
}

model::DeviceFacts facts_of(const cl::Platform& platform, const cl::Device& device, std::string selector) {
  const auto clean = [](const std::string& text) { return std::string(trim(text.c_str())); };
  model::DeviceFacts facts;
  facts.selector = std::move(selector);
  facts.platform = clean(platform.getInfo<CL_PLATFORM_NAME>());
  facts.platform_version = clean(platform.getInfo<CL_PLATFORM_VERSION>());
  facts.device = clean(device.getInfo<CL_DEVICE_NAME>());
  facts.vendor = clean(device.getInfo<CL_DEVICE_VENDOR>());
  facts.version = clean(device.getInfo<CL_DEVICE_VERSION>());
  facts.driver = clean(device.getInfo<CL_DRIVER_VERSION>());
  facts.type = device_type(device.getInfo<CL_DEVICE_TYPE>());
  facts.architecture = architecture(device, facts.device);
  facts.clock_mhz = device.getInfo<CL_DEVICE_MAX_CLOCK_FREQUENCY>();
  facts.max_group_items = device.getInfo<CL_DEVICE_MAX_WORK_GROUP_SIZE>();
  const auto sizes = device.getInfo<CL_DEVICE_MAX_WORK_ITEM_SIZES>();
  facts.max_group_columns = sizes.empty() ? 0 : sizes[0];
  facts.max_group_rows = sizes.size() < 2 ? 0 : sizes[1];
  facts.unified_memory = device.getInfo<CL_DEVICE_HOST_UNIFIED_MEMORY>() != CL_FALSE;
  facts.compute_units = device.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>();
  facts.global_memory = device.getInfo<CL_DEVICE_GLOBAL_MEM_SIZE>();
  facts.local_memory = device.getInfo<CL_DEVICE_LOCAL_MEM_SIZE>();
  facts.max_allocation = device.getInfo<CL_DEVICE_MAX_MEM_ALLOC_SIZE>();
  return facts;
}

// A loader without drivers or a platform without devices is no error here: the result is empty.
std::vector<cl::Platform> platforms() {
  std::vector<cl::Platform> found;
  try {
    cl::Platform::get(&found);
  } catch (const cl::Error& error) {
    if (error.err() != kPlatformNotFound) throw;
  }
  return found;
}

std::vector<cl::Device> devices_of(const cl::Platform& platform) {
  std::vector<cl::Device> found;
  try {
    platform.getDevices(CL_DEVICE_TYPE_ALL, &found);
  } catch (const cl::Error& error) {
    if (error.err() != CL_DEVICE_NOT_FOUND) throw;
  }
  return found;
}

bool is_index(const std::string& selector) {
  const auto pieces = split(selector, '.');
  return pieces.size() == 2 && parse_number<unsigned>(pieces[0]) && parse_number<unsigned>(pieces[1]);
}

bool means(const std::string& selector, const model::DeviceFacts& facts) {
  if (selector.empty()) return facts.type == "GPU";
  if (is_index(selector)) return facts.selector == selector;
  const std::string wanted = ascii_lower(selector);
  const auto in = [&](const std::string& name) {
    return ascii_lower(name).find(wanted) != std::string::npos;
  };
  return in(facts.platform) || in(facts.device) ||
         in(facts.platform_version);  // PoCL's name is in its version
}

std::string name_of(const cl::Platform& platform, std::size_t index) {
  try {
    return fmt::format("OpenCL platform {} ({})", index,
                       printable(trim(platform.getInfo<CL_PLATFORM_NAME>().c_str())));
  } catch (const cl::Error&) {
    return fmt::format("OpenCL platform {}", index);
  }
}

}  // namespace

// Only the devices of a platform that fails are missing.
OpenClSurvey survey_opencl_devices() {
  OpenClSurvey made;
  const std::vector<cl::Platform> all = with_cl_errors("OpenCL", platforms);
  for (std::size_t p = 0; p < all.size(); ++p) {
    std::vector<OpenClDevice> here;
    try {
      with_cl_errors(name_of(all[p], p), [&] {
        const std::vector<cl::Device> devices = devices_of(all[p]);
        for (std::size_t d = 0; d < devices.size(); ++d)
          here.push_back({facts_of(all[p], devices[d], fmt::format("{}.{}", p, d)), devices[d]});
      });
      made.devices.insert(made.devices.end(), here.begin(), here.end());
    } catch (const DeviceError& error) {
      made.failures.emplace_back(error.what());
    }
  }
  return made;
}

std::vector<OpenClDevice> find_opencl_devices() {
  OpenClSurvey made = survey_opencl_devices();
  if (made.devices.empty() && !made.failures.empty()) throw DeviceError(made.failures.front());
  for (const std::string& failure : made.failures) log::detail("{}; its devices are left out", failure);
  return std::move(made.devices);
}

OpenClDevice select_opencl_device(const std::string& selector) {
  const std::vector<OpenClDevice> all = find_opencl_devices();
  if (all.empty())
    throw DeviceError(
        "no OpenCL device: no driver is installed; install one for your device (for any CPU: apt-get install "
        "pocl-opencl-icd), or use --device cpu");
  const auto found = std::ranges::find_if(all, [&](const auto& each) { return means(selector, each.facts); });
  if (found != all.end()) return *found;
  if (selector.empty()) return all.front();

  std::string there;
  for (const OpenClDevice& each : all)
    there += fmt::format("{}opencl:{} ({}, {})", there.empty() ? "" : "; ", each.facts.selector,
                         printable(each.facts.platform), printable(each.facts.device));
  throw DeviceError(fmt::format("no OpenCL device '{}'; there are: {}", printable(selector), there));
}

std::vector<model::DeviceFacts> list_opencl_devices() {
  std::vector<model::DeviceFacts> facts;
  for (OpenClDevice& each : find_opencl_devices()) facts.push_back(std::move(each.facts));
  return facts;
}

}  // namespace fastid::opencl
