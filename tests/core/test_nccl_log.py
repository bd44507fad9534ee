# SPDX-License-Identifier: Apache-2.0
"""Logs as nccl-tests prints them, old and new, with what launchers add, and nonsense."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rackloom.collectives import Collective
from rackloom.interop.nccl_log import MeasuredPoint, NcclLogError, decoded, read_nccl_log

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


@pytest.mark.parametrize(
    "prefix",
    [
        "[1,0]<stdout>:",
        "[prterun-node-01-4711@1,0]<stdout>: ",
        "0: ",
        " 12: ",
        "[node-01] ",
        "gpu-1.example.org: ",
        "gpu-001: ",
        "2025-03-01T12:00:00.123456789Z stdout F ",
        "[2025-03-01 12:00:00] ",
        "nccl-launcher-x7v | ",
        "(head, rank=0, pid=3808) [1,0]<stdout>:",
    ],
)
def test_what_launchers_put_before_lines(prefix: str) -> None:
    text = "".join(prefix + line + "\n" for line in (HEAD + ROWS).splitlines())
    (run,) = read_nccl_log(text)
    assert run.ranks == 2
    assert [p.busbw_gb_per_s for p in run.points] == [0.0, 394.44]


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
    assert run.collective is Collective.ALL_REDUCE
    assert run.ranks == 8  # 230.8 / 131.9 is 2 x 7 / 8
    assert run.points[0].busbw_gb_per_s == 230.8


def test_ranks_by_the_factor_where_the_log_does_not_list_them() -> None:
    """Bus over algorithm bandwidth of 1.875 is 16 ranks."""
    text = (
        "mpirun all_reduce_perf -b 8 -e 16G\n"
        "  17179869184 4294967296 float sum -1 68668.0 250.19 469.1 0 68668.0 250.19 469.1 0\n"
    )
    (run,) = read_nccl_log(text)
    assert run.ranks == 16


def unnamed(rows: str) -> str:
    """A table as versions before 2.17 print it: without the name of its test."""
    return "".join(line + "\n" for line in HEAD.splitlines() if "_perf" not in line) + rows


G = 1 << 30


@pytest.mark.parametrize(
    ("row", "collective"),
    [
        (f"{G} {G // 4} float sum -1 9 99.9 193.6 0 9 99.9 193.6 0", Collective.ALL_REDUCE),
        (f"{G} {G // 4} float sum 0 9 99.9 99.9 0 9 99.9 99.9 0", Collective.REDUCE),
        (f"{G} {G // 4} float none 0 9 99.9 99.9 0 9 99.9 99.9 0", Collective.BROADCAST),
        (f"{G} {G // 4} float none -1 9 49.9 49.9 0 9 49.9 49.9 N/A", Collective.SEND_RECEIVE),
        (f"{G} {G // 128} float none -1 9 99.9 96.8 0 9 99.9 96.8 0", Collective.ALL_GATHER),
        (f"{G} {G // 64} half sum -1 9 99.9 96.8 0 9 99.9 96.8 0", Collective.REDUCE_SCATTER),
        (f"{G} {G // 128} float none -1 9 48.5 47.0 0 N/A N/A N/A N/A", Collective.ALL_TO_ALL),
        (f"{G} {G // 128} float none -1 9 48.5 47.0 0 9 0.5 0.4 N/A", Collective.ALL_TO_ALL),
        # gather, and all-gather or all-to-all without a check: not to be told
        (f"{G} {G // 128} float none 0 9 48.5 47.0 0 9 48.5 47.0 0", None),
        (f"{G} {G // 128} float none -1 9 48.5 47.0 N/A 9 48.5 47.0 N/A", None),
    ],
)
def test_columns_tell_a_test_that_the_log_does_not_name(
    row: str, collective: Collective | None
) -> None:
    (run,) = read_nccl_log(unnamed(row + "\n"))
    assert run.collective is collective
    assert run.points[0].algbw_gb_per_s in {99.9, 48.5, 49.9}  # never the void second run


def test_statistics_of_iterations_and_timestamps_do_not_move_the_columns() -> None:
    """Columns of nccl-tests 2.19 with -S and per-iteration timing (src/util.cu)."""
    head = HEAD.split("#                       ", maxsplit=1)[0] + (
        "# size count type redop root cputime algbw busbw #wrong i_min i_max i_p99 i_cv%"
        " cputime algbw busbw #wrong i_min i_max i_p99 i_cv% timestamp\n"
    )
    row = (
        f"{G} {G // 4} float sum -1 5966.1 179.97 348.7 0 1 2 3 4.5"
        " 5960.0 180.16 349.1 0 1 2 3 4.5 2026-01-02 03:04:05\n"
    )
    (run,) = read_nccl_log(head + row)
    assert run.points[0] == MeasuredPoint(G, 5960.0, 180.16, 349.1)


def test_other_output_within_a_table_does_not_split_it() -> None:
    first, second = ROWS.splitlines(keepends=True)[:2]
    noise = (
        "node-01:4711:4811 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM\n"
        "/opt/tests/all_reduce_perf: /lib/libfoo.so: no version information available\n"
    )
    (run,) = read_nccl_log(HEAD + first + noise + second)
    assert len(run.points) == 2


def test_a_name_of_a_folder_is_not_that_of_the_test() -> None:
    (run,) = read_nccl_log("mpirun /opt/nccl_perf/bin/all_gather_perf_mpi -g 8\n" + unnamed(ROWS))
    assert run.collective is Collective.ALL_GATHER


def test_the_end_of_a_test_does_not_name_the_next_one() -> None:
    end = "# Collective test concluded: all_gather_perf\n"
    first = HEAD.replace("all_reduce_perf", "all_gather_perf") + ROWS + end
    runs = read_nccl_log(first + unnamed(ROWS))
    assert [r.collective for r in runs] == [Collective.ALL_GATHER, Collective.ALL_REDUCE]


def test_ranks_of_a_split_run_are_those_of_one_group() -> None:
    """NCCL_TESTS_SPLIT runs many groups at once; busbw is that of one."""
    text = (
        HEAD + "#  Rank  2 Group  1 Pid 1 on node-02\n#  Rank  3 Group  1 Pid 1 on node-02\n" + ROWS
    )
    assert read_nccl_log(text)[0].ranks == 2


def test_processes_that_each_ran_alone_are_told_why() -> None:
    text = HEAD.replace("Rank  1", "Rank  0") + ROWS
    with pytest.raises(NcclLogError, match="MPI=1"):
        read_nccl_log(text)


def test_size_and_count_tell_the_ranks_of_a_gather() -> None:
    rows = "".join(f"{n} {n // 192} half none -1 9 99 98 0 9 99 98 0\n" for n in (19200, 38400))
    (run,) = read_nccl_log("all_gather_perf -g 1\n" + rows)
    assert run.ranks == 96


def test_json_of_nccl_tests() -> None:
    """What -J writes (NVIDIA/nccl-tests, src/util.cu, file version 2)."""
    body = {"time": 1276.0, "alg_bw": 210.37, "bus_bw": 394.44, "nwrong": 0.0}
    document = {
        "version": 2,
        "args": ["/opt/build/reduce_scatter_perf", "-J", "out.json"],
        "config": {"ngpus": 1, "devices": [{"rank": n, "group": 0} for n in range(16)]},
        "results": [
            {
                "size": 1 << 28, "count": 1 << 22, "type": "float", "redop": "sum", "root": " -1",
                "out_of_place": {**body, "time": 1280.0}, "in_place": body,
            },
            {"size": 1 << 29, "count": 1 << 23, "type": "float", "out_of_place": None},
        ],
    }  # fmt: skip
    (run,) = read_nccl_log(json.dumps(document))
    assert run.collective is Collective.REDUCE_SCATTER
    assert run.ranks == 16
    assert run.points == (MeasuredPoint(1 << 28, 1276.0, 210.37, 394.44),)
    void = {**body, "nwrong": None}
    document["args"] = ["a.out"]
    document["results"] = [
        {
            "size": 1 << 28, "count": 1 << 22, "type": "float", "redop": "none", "root": "    -1",
            "out_of_place": {**body, "alg_bw": 48.5, "bus_bw": 45.47}, "in_place": void,
        }
    ]  # fmt: skip
    (run,) = read_nccl_log(json.dumps(document))
    assert run.collective is Collective.ALL_TO_ALL
    assert run.points[0].busbw_gb_per_s == 45.47


def test_json_of_rccl_tests() -> None:
    record = {"name": "AllReduce", "ranks": "8", "size": "1048576", "type": "float", "redop": "sum"}
    place = {"time": "42.1", "algBw": "24.9", "busBw": "43.6"}
    records = [
        {**record, "inPlace": "0", **place, "busBw": "40.0"},
        {**record, "inPlace": "1", **place},
        {"name": "AllReduce", "size": "N/A"},
    ]
    (run,) = read_nccl_log(json.dumps(records))
    assert (run.collective, run.ranks) == (Collective.ALL_REDUCE, 8)
    assert run.points == (MeasuredPoint(1048576, 42.1, 24.9, 43.6),)


@pytest.mark.parametrize("text", ["{", "[1, 2]", '{"results": [1]}', "[" * 100000, '{"a": 1}'])
def test_other_json_is_a_sentence(text: str) -> None:
    with pytest.raises(NcclLogError, match="no table"):
        read_nccl_log(text)


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


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le"])
def test_files_as_any_shell_writes_them(encoding: str) -> None:
    data = (HEAD + ROWS).replace("\n", "\r\n").encode(encoding)
    if encoding == "utf-16-le":
        data = b"\xff\xfe" + data
    assert read_nccl_log(decoded(data))[0].ranks == 2


@pytest.mark.parametrize("time", ["1e308", "1e-300", "0", "-1", "inf", "nan"])
def test_times_that_nobody_measured_are_left_out(time: str) -> None:
    """A gap to 1e-300 us would be an infinite one."""
    (run,) = read_nccl_log(HEAD + ROWS.replace("24.70", time).replace("980.1", time))
    assert [point.size_bytes for point in run.points] == [268435456]


def test_ranks_of_thousands_of_digits_are_none() -> None:
    """Python refuses to convert them."""
    text = HEAD.replace("Rank  1", "Rank  " + "9" * 5000) + ROWS
    assert len(read_nccl_log(text)[0].points) == 2


def test_a_table_of_empty_messages_is_read() -> None:
    row = "0 0 float sum -1 9.5 0.00 0.00 0 9.1 0.00 0.00 0\n"
    (run,) = read_nccl_log(HEAD.replace("# Collective test starting: all_reduce_perf\n", "") + row)
    assert [(point.size_bytes, point.busbw_gb_per_s) for point in run.points] == [(0, 0.0)]
