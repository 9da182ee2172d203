#include "model/choice.hpp"

#include <cmath>

namespace fastid::model {

double cpu_seconds(double bits_rate, double bytes_rate, const Workload& work) {
  if (!(bits_rate > 0) || !(bytes_rate > 0)) return INFINITY;
  return work.bits() / bits_rate + work.bytes() / bytes_rate;
}

double least_gpu_seconds(double startup_seconds, const Workload& work) {
  return startup_seconds + work.bytes() / kMostUpload;
}

}  // namespace fastid::model
