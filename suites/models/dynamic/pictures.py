"""Preprocessing parameters for pictures, put together and handed to models."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from harness.device import require
from harness.plugin import Case, Expect
from suites.models.run import Run
from suites.models.workbench import Workbench

RGB888, YUV420SP, YUV400 = "ACL_RGB888_U8", "ACL_YUV420SP_U8", "ACL_YUV400_U8"
SIDE = 16
"""Width and height of the pictures that the model `dynamic_aipp` takes."""

BATCH = 2
NOTHING_ATTACHED = 0xFFFFFFFF

Step = tuple[str, dict[str, Any]]


class Pictures:
    """Makes parameters on the surface under test, and hands them to models."""

    def __init__(self, acl: Any, case: Case, expect: Expect, workbench: Workbench) -> None:
        self._acl = acl
        self._case = case
        self._expect = expect
        self._bench = workbench

    def params(self, *steps: Step, batch: int = BATCH) -> int:
        """Parameters of a batch on which these settings were made."""
        made = int(require(self._acl.call("aclmdlCreateAIPP", batchSize=batch), "making parameters").value)
        for api, given in steps:
            require(self._acl.call(api, aippParmsSet=made, **given), "setting parameters")
        return made

    def sizes(self, *batches: int) -> list[int]:
        """Bytes of the parameters for so many pictures."""
        return [
            require(self._acl.call("aclmdlGetAippDataSize", batchSize=batch), "asking for a size").size
            for batch in batches
        ]

    def run(self) -> Run:
        """Everything for a run of a model whose preprocessing is set for each run."""
        return self._bench.run_of("dynamic_aipp")

    def hand_over(self, params: int, run: Run | None = None, index: int = 1) -> Any:
        """The answer to giving a model these parameters by the index of their input."""
        given = run or self.run()
        place = {"modelId": given.id, "dataset": given.input, "index": index}
        return self._acl.call("aclmdlSetInputAIPP", **place, aippParmsSet=params)

    def hand_over_in(self, params: int, size: int) -> Any:
        """As `hand_over`, where the parameters' input has so many bytes."""
        run = self.run()
        control = self._bench.buffer(self._bench.memory.device(size).ptr, size)
        return self.hand_over(
            params, replace(run, input=self._bench.dataset([run.input_buffers[0], control]))
        )

    def expect_accepted(self, *steps: Step) -> None:
        """The same settings without the one under test are taken: it is that one which is refused."""
        self._expect.success(self.hand_over(self.params(*steps)))


def source(format: str = RGB888, width: int = SIDE, height: int = SIDE) -> tuple[Step, Step]:
    """Pictures of a format and size."""
    return (
        ("aclmdlSetAIPPInputFormat", {"inputFormat": format}),
        ("aclmdlSetAIPPSrcImageSize", {"srcImageSizeW": width, "srcImageSizeH": height}),
    )


def crop(start: tuple[int, int], size: tuple[int, int], index: int = 0) -> Step:
    """Cut out a part."""
    given = {"cropStartPosW": start[0], "cropStartPosH": start[1], "cropSizeW": size[0], "cropSizeH": size[1]}
    return "aclmdlSetAIPPCropParams", {"cropSwitch": 1, **given, "batchIndex": index}


def crops(start: tuple[int, int], size: tuple[int, int]) -> tuple[Step, ...]:
    """Cut out the same part of every picture."""
    return tuple(crop(start, size, index) for index in range(BATCH))


def padding(left: int, right: int, index: int = 0) -> Step:
    """Add columns on both sides."""
    given = {"paddingSizeTop": 0, "paddingSizeBottom": 0, "paddingSizeLeft": left, "paddingSizeRight": right}
    return "aclmdlSetAIPPPaddingParams", {"paddingSwitch": 1, **given, "batchIndex": index}


def paddings(left: int, right: int) -> tuple[Step, ...]:
    """Add columns on both sides of every picture."""
    return tuple(padding(left, right, index) for index in range(BATCH))


def scaling(index: int = 0) -> Step:
    """Scale to the size that the picture has."""
    given = {"scfInputSizeW": SIDE, "scfInputSizeH": SIDE, "scfOutputSizeW": SIDE, "scfOutputSizeH": SIDE}
    return "aclmdlSetAIPPScfParams", {"scfSwitch": 1, **given, "batchIndex": index}


def conversion() -> Step:
    """Convert colours by the identity."""
    matrix = {f"cscMatrixR{row}C{column}": 256 * (row == column) for row in range(3) for column in range(3)}
    biases = {f"csc{way}BiasR{row}": 0 for way in ("Output", "Input") for row in range(3)}
    return "aclmdlSetAIPPCscParams", {"cscSwitch": 1, **matrix, **biases}
