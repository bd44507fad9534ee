# SPDX-License-Identifier: Apache-2.0
"""Message sizes and bandwidths in words, as nccl-tests and its users write them."""

_STEPS = ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))


def size_text(size_bytes: float) -> str:
    """A size with its unit: ``8 B``, ``64 KiB``, ``16 GiB``; powers of 1024."""
    for step, unit in _STEPS:
        if size_bytes >= step:
            return f"{size_bytes / step:.3g} {unit}"
    return f"{size_bytes:.3g} B"


def short_size(size_bytes: float) -> str:
    """A size as on the command line: ``8``, ``64K``, ``16G``."""
    for step, unit in _STEPS:
        if size_bytes >= step:
            return f"{size_bytes / step:.3g}{unit[0]}"
    return f"{size_bytes:.3g}"


def bandwidth_text(gb_per_s: float) -> str:
    """A bus bandwidth: ``391 GB/s``, ``48.2 GB/s``, ``0.004 GB/s``."""
    if gb_per_s >= 100:
        return f"{gb_per_s:,.0f} GB/s"
    if gb_per_s >= 1:
        return f"{gb_per_s:.1f} GB/s"
    return f"{gb_per_s:.2g} GB/s"


def time_text(time_us: float) -> str:
    """A time: ``17.4 µs``, ``3.2 ms``."""
    if time_us >= 1e6:
        return f"{time_us / 1e6:.3g} s"
    if time_us >= 1e4:
        return f"{time_us / 1e3:.3g} ms"
    return f"{time_us:,.0f} µs" if time_us >= 1000 else f"{time_us:.3g} µs"


def collective_text(collective: str) -> str:
    """The name of a collective at the head of a line: ``All-reduce``."""
    return collective[:1].upper() + collective[1:]
