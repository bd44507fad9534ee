# SPDX-License-Identifier: Apache-2.0
"""Logs as nccl-tests prints them, old and new, with what launchers add, and nonsense."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rackloom.collectives import Collective
from rackloom.interop.nccl_log import NcclLogError, read_nccl_log

HEAD = """# nccl-tests version 2.17.6 nccl-headers=22706 nccl-library=22706
# Collective test starting: all_reduce_perf
# nThread 1 nGpus 1 minBytes 8 maxBytes 17179869184 step: 2(factor) warmup iters: 5 iters: 20
#
# Using devices
#  Rank  0 Group  0 Pid   4711 on  node-01 device  0 [0000:18:00] NVIDIA H100 80GB HBM3
#  Rank  1 Group  0 Pid   4712 on  node-01 device  1 [0000:2a:00] NVIDIA H100 80GB HBM3
#
#                                              out-of-place                       in-place
#       size         count    type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                             (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
"""  # noqa: E501
ROWS = """           8             2   float     sum      -1    980.1    0.00    0.00      0    24.70    0.00    0.00      0
   268435456      67108864   float     sum      -1   1280.0  209.72  393.22      0   1276.0  210.37  394.44      0
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 123.4
"""  # noqa: E501


def test_in_place_columns_of_a_log() -> None:
    (run,) = read_nccl_log(HEAD + ROWS)
    assert run.collective is Collective.ALL_REDUCE
    assert run.ranks == 2
    assert [p.size_bytes for p in run.points] == [8, 268435456]
    assert run.points[0].time_us == 24.70
    assert (run.points[1].algbw_gb_per_s, run.points[1].busbw_gb_per_s) == (210.37, 394.44)


@pytest.mark.parametrize("prefix", ["[1,0]<stdout>:", "0: ", "[node-01] ", "gpu-1.example.org: "])
def test_what_launchers_put_before_lines(prefix: str) -> None:
    text = "".join(prefix + line + "\n" for line in (HEAD + ROWS).splitlines())
    (run,) = read_nccl_log(text)
    assert len(run.points) == 2


def test_all_to_all_has_no_in_place_run() -> None:
    text = HEAD.replace("all_reduce_perf", "alltoall_perf") + (
        "  1073741824  16777216  float  none  -1  11126.0  96.51  90.48  0  N/A  N/A  N/A  N/A\n"
    )
    (run,) = read_nccl_log(text)
    assert run.collective is Collective.ALL_TO_ALL
    assert run.points[0].busbw_gb_per_s == 90.48


def test_several_tables_in_one_log() -> None:
    second = HEAD.replace("all_reduce_perf", "all_gather_perf") + ROWS
    runs = read_nccl_log(HEAD + ROWS + second)
    assert [r.collective for r in runs] == [Collective.ALL_REDUCE, Collective.ALL_GATHER]
    assert [r.ranks for r in runs] == [2, 2]


def test_older_tables_without_a_root() -> None:
    text = (
        "#       size         count    type   redop     time   algbw   busbw  error     time"
        "   algbw   busbw  error\n"
        "  1073741824  268435456   float     sum   8142.6  131.87  230.77  1e-06"
        "   8140.0  131.9  230.8  1e-06\n"
    )
    (run,) = read_nccl_log(text)
    assert run.collective is None
    assert run.ranks is None
    assert run.points[0].busbw_gb_per_s == 230.8


def test_ranks_by_the_factor_where_the_log_does_not_list_them() -> None:
    """Bus over algorithm bandwidth of 1.875 is 16 ranks."""
    text = (
        "mpirun all_reduce_perf -b 8 -e 16G\n"
        "  17179869184 4294967296 float sum -1 68668.0 250.19 469.1 0 68668.0 250.19 469.1 0\n"
    )
    (run,) = read_nccl_log(text)
    assert run.ranks == 16


@pytest.mark.parametrize("text", ["", "hello\n", HEAD, "8 2 float sum -1 x y z 0 x y z 0\n"])
def test_no_table_is_a_sentence(text: str) -> None:
    with pytest.raises(NcclLogError, match="no table"):
        read_nccl_log(text)


@given(
    st.text(max_size=400) | st.just(HEAD).flatmap(lambda h: st.text(max_size=200).map(h.__add__))
)
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        runs = read_nccl_log(text)
    except NcclLogError:
        return
    assert all(p.time_us > 0 for run in runs for p in run.points)
