# SPDX-License-Identifier: Apache-2.0
"""``bom`` with spares and prices, ``power``, ``trays`` and ``labels`` as scripts use them."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest
from openpyxl import load_workbook
from tests.builders import small_design

from rackloom.cli import main
from rackloom.design import Draft, ListPrice, edits
from rackloom.design.buying import set_price_list, set_spares
from rackloom.files import load, save
from rackloom.reports import BomRow, CableRow, Label
from rackloom.reports.label_text import TOKENS
from rackloom.reports.labels import SHEETS
from rackloom.reports.tables import columns
from rackloom.reports.tray_report import TrayRow

HELP = Path(__file__).parents[2] / "resources/rackloom_resources/help"


@pytest.fixture
def hall(tmp_path: Path) -> Path:
    """A saved small design."""
    path = tmp_path / "hall.rackloom"
    save(path, small_design())
    return path


def run(capfd: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    status = main([str(argument) for argument in arguments])
    out, err = capfd.readouterr()
    return status, out, err


def complaint(capfd: pytest.CaptureFixture[str], *arguments: object) -> str:
    """The one line of a command that ends with status 2."""
    status, out, err = run(capfd, *arguments)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "should not have happened" not in err
    return err


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_the_bom_takes_spares_and_prices(hall: Path, capfd: pytest.CaptureFixture[str]) -> None:
    usual = rows_of(run(capfd, "bom", hall, "-o", "-")[1])
    assert "spares" not in usual[0]
    prices = hall.with_name("prices.csv")
    prices.write_text("part_number,price,currency\nSRV-8,250000,USD\n")
    status, out, err = run(
        capfd, "bom", hall, "--spares", "server=10", "--prices", prices, "-o", "-"
    )
    assert (status, err) == (0, "")
    rows = rows_of(out)
    server = next(row for row in rows if row["category"] == "server")
    # Two servers and 10 % of them, rounded up: three of 250,000 USD.
    assert (server["quantity"], server["spares"]) == ("3", "1")
    assert (server["unit_price"], server["total_price"]) == ("250000", "750000")
    total = rows[-1]
    assert (total["category"], total["currency"], total["total_price"]) == (
        "total", "USD", "750000",
    )  # fmt: skip
    assert f"{len(usual) - 1} lines" in total["notes"]
    book = hall.with_name("bom.xlsx")
    assert run(capfd, "bom", hall, "--prices", prices, "-o", book)[0] == 0
    sheet = load_workbook(book)["BOM"]
    assert sheet.cell(sheet.max_row, sheet.max_column).value == 500_000


def test_the_bom_uses_what_the_project_keeps(hall: Path, capfd: pytest.CaptureFixture[str]) -> None:
    draft = Draft(small_design())
    set_spares(draft, {"server": 10.0})
    set_price_list(draft, "spring.csv", [ListPrice("SRV-8", 250_000.0, "USD")])
    save(hall, draft.close("Keep")[0])
    rows = rows_of(run(capfd, "bom", hall, "-o", "-")[1])
    server = next(row for row in rows if row["category"] == "server")
    assert (server["quantity"], server["spares"]) == ("3", "1")
    assert rows[-1]["total_price"] == "750000"
    rows = rows_of(run(capfd, "bom", hall, "--spares", "switch=50", "-o", "-")[1])
    assert [r["spares"] for r in rows if r["category"] in {"server", "switch"}] == ["0", "1"]
    prices = hall.with_name("other.csv")
    prices.write_text("part_number,price,currency\nSRV-8,1,EUR\n")
    rows = rows_of(run(capfd, "bom", hall, "--prices", prices, "-o", "-")[1])
    assert (rows[-1]["currency"], rows[-1]["total_price"]) == ("EUR", "3")
    rows = rows_of(run(capfd, "bom", hall, "--no-spares", "--no-prices", "-o", "-")[1])
    assert tuple(rows[0]) == columns(BomRow)
    assert "not allowed with" in complaint(
        capfd, "bom", hall, "--prices", prices, "--no-prices", "-o", "-"
    )


def test_what_cannot_be_used_is_one_line(hall: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert "CATEGORY=PERCENT" in complaint(capfd, "bom", hall, "--spares", "5", "-o", "-")
    assert "there are: server" in complaint(capfd, "bom", hall, "--spares", "rocks=5", "-o", "-")
    missing = hall.with_name("no.csv")
    assert "no.csv" in complaint(capfd, "bom", hall, "--prices", missing, "-o", "-")
    missing.write_text("a,b\n")
    assert "part_number" in complaint(capfd, "bom", hall, "--prices", missing, "-o", "-")
    assert "is no token" in complaint(capfd, "labels", hall, "--template", "{x}", "-o", "-")
    assert ".csv, .xlsx or .pdf" in complaint(capfd, "labels", hall, "-o", "labels.doc")
    sheet = hall.with_name("labels.pdf")
    for skip in (SHEETS["a4-3x8"].count, 999999):
        assert "can be gone" in complaint(capfd, "labels", hall, "--skip", skip, "-o", sheet)
    for command in ("power", "trays"):
        assert "choose another name" in complaint(capfd, command, hall, "-o", hall)


def test_power_as_text_json_and_tables(hall: Path, capfd: pytest.CaptureFixture[str]) -> None:
    text = run(capfd, "power", hall)[1]
    assert "R01" in text
    assert "Test hall" in text
    found = json.loads(run(capfd, "power", hall, "--format", "json")[1])
    assert found["schema"] == 1
    assert [p["place"] for p in found["places"]] == ["rack", "rack", "row", "site"]
    supplies = rows_of(run(capfd, "power", hall, "--format", "csv", "--table", "supplies")[1])
    assert [row["supply"] for row in supplies] == ["pdu", "feed"]
    # One server of 10.2 kW hangs on the PDU by its only cord.
    assert supplies[0]["load_w"] == "10200"
    target = hall.with_name("power.xlsx")
    assert run(capfd, "power", hall, "-o", target)[:2] == (0, "")
    assert load_workbook(target)["Power"]["A2"].value == "rack"
    written = hall.with_name("power.json")
    assert run(capfd, "power", hall, "--format", "json", "-o", written)[:2] == (0, "")
    assert json.loads(written.read_bytes()) == found


def test_trays_as_text_json_and_csv(hall: Path, capfd: pytest.CaptureFixture[str]) -> None:
    text = run(capfd, "trays", hall)[1]
    assert "tray of Row 1" in text
    assert "the project has none" in text
    found = json.loads(run(capfd, "trays", hall, "--format", "json")[1])
    assert found["limits"]["tray_limit_kg_per_m"] is None
    # Leaf and spine stand in neighbour racks: their two fibres share a tray of 0.6 m or so.
    (segment,) = found["segments"]
    assert (segment["cables"], segment["kg_per_m"]) == (2, 0.018)
    (row,) = rows_of(run(capfd, "trays", hall, "--format", "csv")[1])
    assert (row["cables"], row["fill"], row["verdict"]) == ("2", "", "")


def test_labels_as_csv(hall: Path, capfd: pytest.CaptureFixture[str]) -> None:
    rows = rows_of(run(capfd, "labels", hall, "-o", "-", "--colour", "rail")[1])
    assert [row["end"] for row in rows if row["cable"] == "c9"] == ["b1", "b2", "a"]
    assert "'=DANGER()" in {row["text"] for row in rows}
    assert run(capfd, "labels", hall, "-o", "-", "--template", "{cable}{end}")[0] == 2


def test_the_sites_limits_and_template_are_kept_in_its_file(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    draft = Draft(small_design())
    edits.change_settings(draft, tray_width_mm=100.0, tray_depth_mm=50.0, tray_fill_limit=0.002)
    edits.change_settings(draft, tray_limit_kg_per_m=0.02, label_template="{cable}:{near_port}")
    design = draft.close("Settle")[0]
    path = tmp_path / "settled.rackloom"
    save(path, design)
    assert load(path).design == design
    (row,) = rows_of(run(capfd, "trays", path, "--format", "csv")[1])
    # Two fibres of 3 mm: 14.14 mm2 of 5,000 mm2; 0.018 kg/m are less than 0.02.
    assert float(row["fill"]) == pytest.approx(0.002827, abs=1e-6)
    assert row["verdict"] == "too full"
    texts = {r["text"] for r in rows_of(run(capfd, "labels", path, "-o", "-")[1])}
    assert "c14:2/1" in texts
    path.write_text(path.read_text().replace('"tray_fill_limit":0.002', '"tray_fill_limit":1e300'))
    assert "tray_fill_limit" in complaint(capfd, "trays", path)


# What the help says


def test_the_help_names_every_token_and_every_sheet_and_no_others() -> None:
    text = (HELP / "ordering.md").read_text("utf-8")
    table = text[text.index("| token |") : text.index("**Sheets**")]
    assert set(re.findall(r"`\{(\w+)\}`", table)) == set(TOKENS)
    sheets = text[text.index("**Sheets**") : text.index("**Colours**")]
    assert set(re.findall(r"`((?:a4|letter)-\w+)`", sheets)) == set(SHEETS)


def test_the_help_shows_power_and_trays_as_they_are_written(
    hall: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    text = (HELP / "command-line.md").read_text("utf-8")
    shown = [json.loads(block) for block in re.findall(r"```json\n(\{.*?\})\n```", text, re.DOTALL)]
    for command, tables in (("power", ("places", "supplies", "psus")), ("trays", ("segments",))):
        written = json.loads(run(capfd, command, hall, "--format", "json")[1])
        (example,) = (each for each in shown if tables[0] in each)
        assert example.keys() == written.keys()
        for table in tables:
            for row in written[table]:
                assert list(row) == list(example[table][0])


def test_the_help_names_the_columns_that_are_written() -> None:
    text = (HELP / "command-line.md").read_text("utf-8")
    for kind in (BomRow, CableRow, Label, TrayRow):
        assert f"`{','.join(columns(kind))}`" in text
