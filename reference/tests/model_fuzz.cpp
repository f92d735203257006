// Feeds mutants of valid models to everything that reads a model: model_fuzz FOLDER COUNT SEED.
//
// Each mutant of a file in FOLDER is loaded, described, executed and unloaded, and loaded as an operator. Nothing may
// crash, every refusal has a code of a documented class, and in the end as much is alive as in the beginning. Built with
// the sanitizers by tests/reference/test_model_fuzz.py.
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "aclref_control.h"
#include "checks.hpp"

namespace {

using Image = std::vector<char>;
using Random = std::mt19937_64;

constexpr std::size_t header_bytes = 256;
constexpr std::size_t length_at = 184;
constexpr std::size_t largest_buffer = 1 << 20;
constexpr int bound_ms = 200;

std::map<aclError, unsigned> answers;

/// Classes of codes that documents know for models: arguments, the graph engine's, the runtime's, lack of memory.
bool is_documented(aclError code) {
    const auto within = [code](int first, int last) { return code >= first && code <= last; };
    return code == 0 || within(100000, 100999) || within(107000, 107999) || within(145000, 145999) || code == 148053 ||
           code == 300000 ||
           code == 200001 || within(207000, 207999) || within(500001, 500002) || within(507000, 507999) ||
           within(545000, 545999);
}

aclError noted(aclError code) {
    ++answers[code];
    CHECK(is_documented(code));
    return code;
}

std::size_t below(Random& random, std::size_t end) { return end == 0 ? 0 : random() % end; }

void change_bytes(Image& image, Random& random) {
    constexpr std::uint64_t edges[] = {0, 1, 0x7F, 0x80, 0xFF, 0x7FFFFFFF, 0xFFFFFFFF, ~std::uint64_t{0}, std::uint64_t{1} << 40};
    const std::size_t at = below(random, image.size());
    switch (random() % 5) {
        case 0: image[at] ^= static_cast<char>(1 << random() % 8); break;
        case 1: image[at] = static_cast<char>(random()); break;
        case 2: {
            const std::uint64_t value = edges[random() % std::size(edges)];
            std::memcpy(image.data() + at, &value, std::min<std::size_t>(1 << random() % 4, image.size() - at));
            break;
        }
        case 3: {
            const Image piece(image.begin() + static_cast<std::ptrdiff_t>(at),
                              image.begin() + static_cast<std::ptrdiff_t>(at + below(random, std::min<std::size_t>(64, image.size() - at))));
            const auto place = static_cast<std::ptrdiff_t>(below(random, image.size()));
            image.insert(image.begin() + place, piece.begin(), piece.end());
            break;
        }
        default: {
            const std::size_t count = below(random, std::min<std::size_t>(64, image.size() - at));
            image.erase(image.begin() + static_cast<std::ptrdiff_t>(at), image.begin() + static_cast<std::ptrdiff_t>(at + count));
        }
    }
}

/// The length rule would end most tries early: it is mended for most mutants.
void mend_length(Image& image) {
    if (image.size() < header_bytes) return;
    const std::uint64_t payload = image.size() - header_bytes;
    std::memcpy(image.data() + length_at, &payload, sizeof(payload));
}

Image mutant(const Image& seed, Random& random) {
    Image image = seed;
    for (auto count = 1 + random() % 4; count > 0 && !image.empty(); --count) change_bytes(image, random);
    if (random() % 8 == 0) image.resize(below(random, image.size() + 1));
    if (random() % 8 != 0) mend_length(image);
    return image;
}

struct Buffers {
    aclmdlDataset* dataset = aclmdlCreateDataset();
    std::vector<std::pair<aclDataBuffer*, void*>> made;
    bool whole = true;

    void add(std::size_t size) {
        void* memory = nullptr;
        if (size > largest_buffer || (size > 0 && aclrtMalloc(&memory, size, ACL_MEM_MALLOC_HUGE_FIRST) != 0)) {
            whole = false;
            return;
        }
        aclDataBuffer* buffer = aclCreateDataBuffer(memory, size);
        made.emplace_back(buffer, memory);
        (void)aclmdlAddDatasetBuffer(dataset, buffer);
    }
    ~Buffers() {
        (void)aclmdlDestroyDataset(dataset);
        for (auto [buffer, memory] : made) {
            void* held = aclGetDataBufferAddr(buffer);
            if (held != nullptr) (void)aclrtFree(held);
            (void)aclDestroyDataBuffer(buffer);
        }
    }
};

void ask(aclmdlDesc* desc, bool input, std::size_t index) {
    auto dims = std::make_unique<aclmdlIODims>();
    noted(input ? aclmdlGetInputDims(desc, index, dims.get()) : aclmdlGetOutputDims(desc, index, dims.get()));
    if (input) noted(aclmdlGetInputDimsV2(desc, index, dims.get()));
    else noted(aclmdlGetCurOutputDims(desc, index, dims.get()));
    const char* name = input ? aclmdlGetInputNameByIndex(desc, index) : aclmdlGetOutputNameByIndex(desc, index);
    std::size_t found = 0;
    if (name != nullptr) noted(input ? aclmdlGetInputIndexByName(desc, name, &found) : aclmdlGetOutputIndexByName(desc, name, &found));
}

void use(std::uint32_t id, aclrtStream stream, aclmdlExecConfigHandle* bounded) {
    aclmdlDesc* desc = aclmdlCreateDesc();
    noted(aclmdlGetDesc(desc, id));
    Buffers inputs;
    Buffers outputs;
    for (std::size_t index = 0; index < aclmdlGetNumInputs(desc); ++index) {
        ask(desc, true, index);
        inputs.add(aclmdlGetInputSizeByIndex(desc, index));
    }
    for (std::size_t index = 0; index < aclmdlGetNumOutputs(desc); ++index) {
        ask(desc, false, index);
        outputs.add(aclmdlGetOutputSizeByIndex(desc, index));
    }
    auto batches = std::make_unique<aclmdlBatch>();
    noted(aclmdlGetDynamicBatch(desc, batches.get()));
    std::size_t control = 0;
    if (aclmdlGetInputIndexByName(desc, ACL_DYNAMIC_TENSOR_NAME, &control) == 0 && batches->batchCount > 0)
        noted(aclmdlSetDynamicBatchSize(id, inputs.dataset, control, batches->batch[0]));
    if (inputs.whole && outputs.whole) noted(aclmdlExecuteV2(id, inputs.dataset, outputs.dataset, stream, bounded));
    noted(aclmdlDestroyDesc(desc));
}

void try_image(const Image& image, aclrtStream stream, aclmdlExecConfigHandle* bounded) {
    // Memory of exactly that size, so that reading beyond it is seen.
    const std::vector<char> copy(image.begin(), image.end());
    std::uint32_t id = 0;
    if (noted(aclmdlLoadFromMem(copy.data(), copy.size(), &id)) == 0) {
        use(id, stream, bounded);
        CHECK(aclmdlUnload(id) == 0);
    }
    noted(aclopLoad(copy.data(), copy.size()));
    std::size_t work = 0;
    std::size_t weights = 0;
    noted(aclmdlQuerySizeFromMem(copy.data(), copy.size(), &work, &weights));
    std::uint32_t bundle = 0;
    if (noted(aclmdlBundleLoadFromMem(copy.data(), copy.size(), &bundle)) == 0) CHECK(aclmdlBundleUnload(bundle) == 0);
}

std::vector<Image> seeds_in(const char* folder) {
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());
    std::vector<Image> seeds;
    for (const auto& path : paths) {
        std::ifstream file(path, std::ios::binary);
        seeds.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
    return seeds;
}

std::string alive() {
    char text[4096];
    (void)aclrefLiveObjects(text, sizeof(text));
    return text;
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 4) return 2;
    const std::vector<Image> seeds = seeds_in(arguments[1]);
    if (seeds.empty()) return 2;
    Random random(std::stoull(arguments[3]));
    CHECK(aclInit(nullptr) == 0);
    CHECK(aclrtSetDevice(0) == 0);
    aclrtStream stream = nullptr;
    CHECK(aclrtCreateStream(&stream) == 0);
    aclmdlExecConfigHandle* bounded = aclmdlCreateExecConfigHandle();
    CHECK(aclmdlSetExecConfigOpt(bounded, ACL_MDL_STREAM_SYNC_TIMEOUT, &bound_ms, sizeof(bound_ms)) == 0);
    const std::string before = alive();
    for (unsigned long left = std::stoul(arguments[2]); left > 0; --left)
        try_image(mutant(seeds[random() % seeds.size()], random), stream, bounded);
    (void)aclrtSynchronizeStream(stream);
    CHECK(alive() == before);
    for (const Image& seed : seeds) try_image(seed, stream, bounded);
    for (auto [code, times] : answers) std::printf("%6d: %u\n", code, times);
    CHECK(answers[0] > 0 && answers.size() > 4);
    CHECK(aclmdlDestroyExecConfigHandle(bounded) == 0);
    CHECK(aclrtDestroyStream(stream) == 0);
    CHECK(aclrtResetDevice(0) == 0);
    CHECK(aclFinalize() == 0);
    return checks::result();
}
