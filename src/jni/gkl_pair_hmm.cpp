// The native methods of com.intel.gkl.pairhmm.IntelPairHmm, the pair-HMM of the Genomics Kernel Library
// (GKL), so that a Java program that loads GKL's library loads this one in its place. Java decides when, and
// with how many threads; FASTID_DEVICE names the device, like `--device` of fastid pairhmm.
#include <jni.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "hmm/pair_hmm.hpp"
#include "opencl/pair_hmm.hpp"

namespace fastid::jni {
namespace {

/// Thrown where Java has an exception pending, which it throws when the native method returns.
struct Thrown {};

/// The fields of ReadDataHolder and of HaplotypeDataHolder: arrays of bytes.
struct HolderFields {
  jfieldID bases = nullptr, base_qualities = nullptr, insertion = nullptr, deletion = nullptr,
           continuation = nullptr;
  jfieldID haplotype = nullptr;
};

/// State that all instances of the class share, as in GKL. Their calls take turns.
struct Shared {
  std::mutex guard;
  HolderFields fields;
  std::unique_ptr<hmm::LikelihoodEngine> engine;
  hmm::Groups groups;
};

/// Never destroyed: a driver may be gone before the process ends.
Shared& shared() {
  static Shared& made = *new Shared;
  return made;
}

/// A reference to a Java object that is released at the end of its scope, since a call makes more references
/// than Java allows.
class LocalObject {
 public:
  LocalObject(JNIEnv* env, jobject object) : env_(env), object_(object) {
    if (env->ExceptionCheck() == JNI_TRUE) throw Thrown();
    if (object == nullptr) throw std::invalid_argument("a read, a haplotype or a part of one is null");
  }
  ~LocalObject() { env_->DeleteLocalRef(object_); }
  LocalObject(const LocalObject&) = delete;
  LocalObject& operator=(const LocalObject&) = delete;

  jobject get() const { return object_; }

 private:
  JNIEnv* env_;
  jobject object_;
};

using Bytes = std::vector<jbyte>;

/// The bytes of an object's field, 1 to hmm::kLongest.
void read_bytes(JNIEnv* env, const LocalObject& object, jfieldID field, Bytes& bytes) {
  const LocalObject held(env, env->GetObjectField(object.get(), field));
  auto* const array = static_cast<jbyteArray>(held.get());
  const jsize n = env->GetArrayLength(array);
  if (n < 1 || static_cast<std::size_t>(n) > hmm::kLongest)
    throw std::invalid_argument("a read or a haplotype has no base, or more than 65,536");
  bytes.resize(static_cast<std::size_t>(n));
  env->GetByteArrayRegion(array, 0, n, bytes.data());
}

/// Any letter but A, C, G and T is taken as N.
std::uint8_t set_of(jbyte letter) {
  const std::uint8_t set = hmm::base_set(static_cast<char>(letter));
  return set == 0 ? hmm::kAnyBase : set;
}

/// Turns a call's reads and haplotypes into a group.
class GroupReader {
 public:
  GroupReader(JNIEnv* env, Shared& shared) : env_(env), fields_(shared.fields), groups_(shared.groups) {}

  void read(jobjectArray reads, jobjectArray haplotypes) {
    groups_.clear();
    const jsize n_reads = env_->GetArrayLength(reads), n_haplotypes = env_->GetArrayLength(haplotypes);
    for (jsize i = 0; i < n_reads; ++i) add_read({env_, env_->GetObjectArrayElement(reads, i)});
    for (jsize i = 0; i < n_haplotypes; ++i) {
      read_bytes(env_, {env_, env_->GetObjectArrayElement(haplotypes, i)}, fields_.haplotype, bases_);
      sets_.resize(bases_.size());
      std::ranges::transform(bases_, sets_.begin(), set_of);
      groups_.add_haplotype(sets_);
    }
    groups_.end_group();
  }

 private:
  void add_read(const LocalObject& read) {
    read_bytes(env_, read, fields_.bases, bases_);
    read_qualities(read, fields_.base_qualities, base_);
    read_qualities(read, fields_.insertion, insertion_);
    read_qualities(read, fields_.deletion, deletion_);
    read_qualities(read, fields_.continuation, continuation_);
    const auto quality = [](jbyte value) { return static_cast<std::uint8_t>(value & hmm::kMostQuality); };
    rows_.clear();
    for (std::size_t i = 0; i < bases_.size(); ++i)
      rows_.push_back(hmm::pack(set_of(bases_[i]), {quality(base_[i]), quality(insertion_[i]),
                                                    quality(deletion_[i]), quality(continuation_[i])}));
    groups_.add_read(rows_);
  }

  void read_qualities(const LocalObject& read, jfieldID field, Bytes& qualities) {
    read_bytes(env_, read, field, qualities);
    if (qualities.size() != bases_.size())
      throw std::invalid_argument("a read has not one quality of each kind for each base");
  }

  JNIEnv* env_;
  const HolderFields& fields_;
  hmm::Groups& groups_;
  Bytes bases_, base_, insertion_, deletion_, continuation_;
  std::vector<std::uint8_t> sets_;
  std::vector<hmm::Row> rows_;
};

void start(JNIEnv* env, jclass read, jclass haplotype, bool in_double, jint threads) {
  const auto field = [env](jclass of, const char* name) {
    jfieldID found = env->GetFieldID(of, name, "[B");
    if (found == nullptr) throw Thrown();
    return found;
  };
  Shared& all = shared();
  const std::scoped_lock lock(all.guard);
  all.fields = {field(read, "readBases"),   field(read, "readQuals"),  field(read, "insertionGOP"),
                field(read, "deletionGOP"), field(read, "overallGCP"), field(haplotype, "haplotypeBases")};
  const char* const device = std::getenv("FASTID_DEVICE");
  const auto n = static_cast<std::size_t>(std::max<jint>(threads, 1));
  all.engine = in_double ? hmm::make_cpu_engine(n, hmm::Precision::kDouble)
                         : opencl::make_likelihood_engine(device == nullptr ? "auto" : device, n);
}

void compute(JNIEnv* env, jobjectArray reads, jobjectArray haplotypes, jdoubleArray likelihoods) {
  Shared& all = shared();
  const std::scoped_lock lock(all.guard);
  if (!all.engine) throw std::runtime_error("the pair-HMM is not initialised");
  GroupReader(env, all).read(reads, haplotypes);
  const std::vector<double> log10 = all.engine->log10_likelihoods(all.groups);
  if (static_cast<std::size_t>(env->GetArrayLength(likelihoods)) < log10.size())
    throw std::invalid_argument("the array of likelihoods has not a place for each read and haplotype");
  env->SetDoubleArrayRegion(likelihoods, 0, static_cast<jsize>(log10.size()), log10.data());
}

void throw_in_java(JNIEnv* env, const char* type, const char* what) {
  if (jclass thrown = env->FindClass(type)) env->ThrowNew(thrown, what);
}

/// Does `work`, and turns a C++ exception into a Java one, since none may pass into Java.
template <class Work>
void for_java(JNIEnv* env, const Work& work) noexcept {
  try {
    work();
  } catch (const Thrown&) {
    // Java has the exception already.
  } catch (const std::bad_alloc&) {
    throw_in_java(env, "java/lang/OutOfMemoryError", "too little memory for the pair-HMM");
  } catch (const std::invalid_argument& error) {
    throw_in_java(env, "java/lang/IllegalArgumentException", error.what());
  } catch (const std::exception& error) {
    throw_in_java(env, "java/lang/RuntimeException", error.what());
  }
}

}  // namespace
}  // namespace fastid::jni

extern "C" {

// NOLINTBEGIN(readability-identifier-naming): Java finds native methods by these names

JNIEXPORT void JNICALL Java_com_intel_gkl_pairhmm_IntelPairHmm_initNative(JNIEnv* env, jclass /*of*/,
                                                                          jclass read, jclass haplotype,
                                                                          jboolean in_double, jint threads) {
  fastid::jni::for_java(env,
                        [&] { fastid::jni::start(env, read, haplotype, in_double == JNI_TRUE, threads); });
}

JNIEXPORT void JNICALL Java_com_intel_gkl_pairhmm_IntelPairHmm_computeLikelihoodsNative(
    JNIEnv* env, jobject /*of*/, jobjectArray reads, jobjectArray haplotypes, jdoubleArray likelihoods) {
  fastid::jni::for_java(env, [&] { fastid::jni::compute(env, reads, haplotypes, likelihoods); });
}

/// Other instances may still compute: the engine stays until initNative() makes another.
JNIEXPORT void JNICALL Java_com_intel_gkl_pairhmm_IntelPairHmm_doneNative(JNIEnv* /*env*/, jobject /*of*/) {}

// NOLINTEND(readability-identifier-naming)

}  // extern "C"
