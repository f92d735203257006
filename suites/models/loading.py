"""Models and bundles that are loaded, and what the library tells of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from harness.device import require
from harness.plugin import Blocked, Case, Resources
from suites.models.configuring import LOAD_FROM_FILE, Configuring

UNKNOWN_ID = 0x7FFFFFF0
"""A model id that nobody has handed out."""


class Loading(Configuring):
    """Loads models and bundles; those that the case has not unloaded itself are unloaded at the end."""

    def __init__(self, case: Case, resources: Resources) -> None:
        super().__init__(case, resources)
        self._loaded: list[int] = []
        self._bundles: list[int] = []

    def forget(self, id: int) -> None:
        """The case has unloaded this model itself."""
        self._loaded.remove(id)

    def forget_if(self, result: Any, id: int) -> None:
        """The case has unloaded this model where its call succeeded."""
        if result.ok:
            self.forget(id)

    def unload(self, id: int) -> None:
        """Unload a model before the end."""
        self.call("aclmdlUnload", modelId=id)
        self.forget(id)

    def cycles(self, acl: Any, path: str, count: int) -> int:
        """Load and unload a file so many times; how many cycles went well."""
        good = 0
        for _ in range(count):
            loaded = acl.call("aclmdlLoadFromFile", modelPath=path)
            good += bool(loaded.ok and acl.call("aclmdlUnload", modelId=loaded.modelId).ok)
        return good

    def adopt(self, id: int) -> int:
        """A model that the case has loaded: unloaded at the end unless `forget` is told otherwise."""
        self._loaded.append(id)
        context = self.home()
        self._resources.at_end(lambda: self._unload(id, context))
        return id

    def adopted(self, result: Any) -> Any:
        """The result of a load, whose model is unloaded at the end where there is one."""
        if result.ok:
            self.adopt(int(result.modelId))
        return result

    def load(self, name: str) -> int:
        """A loaded model of the catalogue, in the current context; its id."""
        return self.load_file(self.models.file(name))

    def load_file(self, file: Path) -> int:
        """A loaded model; its id."""
        if self.case.supports("aclmdlLoadFromFile"):
            return self.adopt(int(self.call("aclmdlLoadFromFile", modelPath=str(file)).modelId))
        handle = self.config(type=LOAD_FROM_FILE, path=str(file))
        return self.adopt(int(self.call("aclmdlLoadWithConfig", handle=handle).modelId))

    def external_weights(self, name: str) -> dict[str, Any]:
        """The external weights of a model in device memory, as the arguments that announce them."""
        program = self.models.program(name)
        weights = program.weights
        block = self.memory.device(len(weights)).write(weights)
        return {"weightFileName": program.external, "devPtr": block, "size": len(weights)}

    def priority(self, id: int) -> int:
        """The priority of a loaded model."""
        return int(self.call("aclmdlGetAttribute", modelId=id, attr=0).attrValue["mdlPriority"])

    def description(self, id: int) -> int:
        """The description of a loaded model."""
        desc = self.empty_description()
        self.call("aclmdlGetDesc", modelDesc=desc, modelId=id)
        return desc

    def empty_description(self) -> int:
        """A description that tells nothing yet."""
        desc = int(self.call("aclmdlCreateDesc").value)
        self._resources.afterwards("aclmdlDestroyDesc", modelDesc=desc)
        return desc

    def told(self, desc: int) -> tuple[Any, ...]:
        """What a description tells of numbers and sizes, and the first input's name and shape."""
        ask = self._c.call
        inputs = int(ask("aclmdlGetNumInputs", modelDesc=desc).value)
        outputs = int(ask("aclmdlGetNumOutputs", modelDesc=desc).value)
        first = int(ask("aclmdlGetInputSizeByIndex", modelDesc=desc, index=0).value)
        last = int(ask("aclmdlGetOutputSizeByIndex", modelDesc=desc, index=0).value)
        name = ask("aclmdlGetInputNameByIndex", modelDesc=desc, index=0).value
        return inputs, outputs, first, last, name, ask("aclmdlGetInputDims", modelDesc=desc, index=0).dims

    def sizes(self, id: int) -> tuple[list[int], list[int]]:
        """Bytes of the inputs and of the outputs as the model's description tells them."""
        desc = self.description(id)
        inputs = range(self._c.call("aclmdlGetNumInputs", modelDesc=desc).value)
        outputs = range(self._c.call("aclmdlGetNumOutputs", modelDesc=desc).value)
        ask = self._c.call
        return (
            [int(ask("aclmdlGetInputSizeByIndex", modelDesc=desc, index=index).value) for index in inputs],
            [int(ask("aclmdlGetOutputSizeByIndex", modelDesc=desc, index=index).value) for index in outputs],
        )

    def bundle(self, name: str = "bundle") -> int:
        """A bundle whose models are loaded."""
        file = str(self.models.file(name))
        return self.adopt_bundle(int(self.call("aclmdlBundleLoadFromFile", modelPath=file).bundleId))

    def member_ids(self, bundle: int) -> list[int]:
        """The ids of the models of a bundle that is loaded."""
        count = int(self.call("aclmdlBundleGetModelNum", bundleId=bundle).modelNum)
        return [
            int(self.call("aclmdlBundleGetModelId", bundleId=bundle, index=index).modelId)
            for index in range(count)
        ]

    def initialised_bundle(self, name: str = "bundle") -> int:
        """A bundle of which no model is loaded yet."""
        given = {"modelPath": str(self.models.file(name)), "varWeightPtr": None, "varWeightSize": 0}
        return self.adopt_bundle(int(self.call("aclmdlBundleInitFromFile", **given).bundleId))

    def adopt_bundle(self, id: int) -> int:
        """A bundle that the case has made: unloaded at the end unless `unload_bundle` was called."""
        self._bundles.append(id)
        self._resources.at_end(lambda: self.unload_bundle(id) if id in self._bundles else None)
        return id

    def adopted_bundle(self, result: Any) -> Any:
        """The result of a call that makes a bundle, which is unloaded at the end where there is one."""
        if result.ok:
            self.adopt_bundle(int(result.bundleId))
        return result

    def unload_bundle(self, id: int) -> None:
        """Unload a bundle before the end."""
        self._bundles.remove(id)
        self.call("aclmdlBundleUnload", bundleId=id)

    def variable_bytes(self, name: str) -> int:
        """Bytes of a bundle's variables; blocked for a bundle without any."""
        query = self.bundle_query()
        self.call("aclmdlBundleQueryInfoFromFile", fileName=str(self.models.file(name)), queryInfo=query)
        size = int(self.call("aclmdlBundleGetVarWeightSize", queryInfo=query).variableWeightSize)
        if not size:
            raise Blocked(f"{name} has no variables here")
        return size

    def bundle_query(self) -> int:
        """A query about bundles that is not filled."""
        made = int(self.call("aclmdlBundleCreateQueryInfo").value)
        self._resources.afterwards("aclmdlBundleDestroyQueryInfo", queryInfo=made)
        return made

    def _unload(self, id: int, context: int) -> None:
        """In the context of the load, while there is one."""
        if id in self._loaded:
            self._loaded.remove(id)
            now = self._c.call("aclrtGetCurrentContext")
            self._c.call("aclrtSetCurrentContext", context=context)
            unloaded = self._c.call("aclmdlUnload", modelId=id)
            if now.ok:
                self._c.call("aclrtSetCurrentContext", context=now.context)
            require(unloaded, "unloading a model")
