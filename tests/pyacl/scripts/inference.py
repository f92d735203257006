"""Inference as programs for pyACL are commonly written: inference.py MODEL INPUT OUTPUT (raw bytes)."""

import sys

import acl
import numpy as np

DEVICE = 0
MALLOC_HUGE_FIRST = 0
HOST_TO_DEVICE, DEVICE_TO_HOST = 1, 2


def check(ret, what):
    """Stop at the first call that fails."""
    if ret != 0:
        raise SystemExit(f"{what} failed: {ret}")


class Net:
    """A loaded model with memory for one run."""

    def __init__(self, path):
        self.model, ret = acl.mdl.load_from_file(path)
        check(ret, "load_from_file")
        self.desc = acl.mdl.create_desc()
        check(acl.mdl.get_desc(self.desc, self.model), "get_desc")
        inputs, outputs = acl.mdl.get_num_inputs(self.desc), acl.mdl.get_num_outputs(self.desc)
        sizes = [acl.mdl.get_input_size_by_index(self.desc, index) for index in range(inputs)]
        self.input, self.input_memory = self.dataset(sizes)
        sizes = [acl.mdl.get_output_size_by_index(self.desc, index) for index in range(outputs)]
        self.output, self.output_memory = self.dataset(sizes)

    def dataset(self, sizes):
        dataset, memory = acl.mdl.create_dataset(), []
        for size in sizes:
            address, ret = acl.rt.malloc(size, MALLOC_HUGE_FIRST)
            check(ret, "malloc")
            buffer = acl.create_data_buffer(address, size)
            _, ret = acl.mdl.add_dataset_buffer(dataset, buffer)
            check(ret, "add_dataset_buffer")
            memory.append((address, size))
        return dataset, memory

    def run(self, data):
        address, size = self.input_memory[0]
        source = acl.util.bytes_to_ptr(data)
        check(acl.rt.memcpy(address, size, source, len(data), HOST_TO_DEVICE), "memcpy in")
        check(acl.mdl.execute(self.model, self.input, self.output), "execute")
        address, size = self.output_memory[0]
        host, ret = acl.rt.malloc_host(size)
        check(ret, "malloc_host")
        check(acl.rt.memcpy(host, size, address, size, DEVICE_TO_HOST), "memcpy out")
        result = acl.util.ptr_to_bytes(host, size)
        check(acl.rt.free_host(host), "free_host")
        return np.frombuffer(result, dtype=np.uint8)

    def close(self):
        for dataset, memory in ((self.input, self.input_memory), (self.output, self.output_memory)):
            for index in range(acl.mdl.get_dataset_num_buffers(dataset)):
                check(
                    acl.destroy_data_buffer(acl.mdl.get_dataset_buffer(dataset, index)), "destroy_data_buffer"
                )
            for address, _ in memory:
                check(acl.rt.free(address), "free")
            check(acl.mdl.destroy_dataset(dataset), "destroy_dataset")
        check(acl.mdl.unload(self.model), "unload")
        check(acl.mdl.destroy_desc(self.desc), "destroy_desc")


def main(model, source, target):
    check(acl.init(), "init")
    check(acl.rt.set_device(DEVICE), "set_device")
    context, ret = acl.rt.create_context(DEVICE)
    check(ret, "create_context")
    net = Net(model)
    with open(source, "rb") as file:
        result = net.run(file.read())
    with open(target, "wb") as file:
        file.write(result.tobytes())
    net.close()
    check(acl.rt.destroy_context(context), "destroy_context")
    check(acl.rt.reset_device(DEVICE), "reset_device")
    check(acl.finalize(), "finalize")


if __name__ == "__main__":
    main(*sys.argv[1:])
