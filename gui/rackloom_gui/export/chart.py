# SPDX-License-Identifier: Apache-2.0
"""The throughput chart as a file, as it is on screen."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QRectF, QSize
from PySide6.QtGui import QImage, QImageWriter
from PySide6.QtSvg import QSvgGenerator

from rackloom.files.atomic import write_atomically
from rackloom_gui.export.application import need_application, painting
from rackloom_gui.theme import LIGHT, Tokens

if TYPE_CHECKING:
    from rackloom.collectives import Estimate

SIZE = (900, 520)


def render_chart(
    estimate: Estimate,
    path: str | os.PathLike[str],
    *,
    tokens: Tokens = LIGHT,
    size: tuple[int, int] = SIZE,
    ratio: float = 2.0,
) -> Path:
    """Write the chart of an estimate as SVG or PNG, after the ending of ``path``.

    Raises ValueError for another ending, FileError where the file cannot be written.
    """
    target = Path(path)
    kind = target.suffix.lower()
    if kind not in {".svg", ".png"}:
        raise ValueError(f"a chart ends in .svg or .png, not {target.suffix!r}")
    need_application()
    from rackloom_gui.charts.plot import ThroughputPlot

    plot = ThroughputPlot(tokens)
    plot.resize(*size)
    plot.show_estimate(estimate, None)
    plot.grab()  # lays the axes out
    data = _svg(plot, size) if kind == ".svg" else _png(plot, size, ratio)
    plot.close()
    write_atomically(target, [data])
    return target


def _svg(plot: object, size: tuple[int, int]) -> bytes:
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator(QSvgGenerator.SvgVersion.Svg11)
    generator.setOutputDevice(buffer)
    generator.setSize(QSize(*size))
    generator.setViewBox(QRectF(0, 0, *size))
    generator.setTitle("Rackloom: throughput")
    with painting(generator) as painter:
        plot.render(painter)  # type: ignore[attr-defined]
    buffer.close()
    return bytes(data.data())


def _png(plot: object, size: tuple[int, int], ratio: float) -> bytes:
    image = QImage(round(size[0] * ratio), round(size[1] * ratio), QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    with painting(image) as painter:
        plot.render(painter)  # type: ignore[attr-defined]
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    # QImage.save takes the format as str in PySide6 but says bytes in its stubs.
    QImageWriter(buffer, QByteArray(b"PNG")).write(image)
    buffer.close()
    return bytes(data.data())
