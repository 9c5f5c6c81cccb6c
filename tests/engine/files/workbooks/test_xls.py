"""Workbooks of before 2007 are read as newer ones are."""

import base64
import struct
import zlib

import pytest

from engine.core.errors import InputError
from engine.files import ReadOptions, read_table
from engine.files.input.preview import preview_file
from engine.pipeline.plan import Plan
from engine.pipeline.run import run
from engine.release.verify import release_bytes_and_checks
from engine.release.writing import WritingOptions

PEOPLE = zlib.decompress(
    base64.b85decode(
        "c-rk)O=uHA6#iy5X?|$aB&I?ulu)p0?M1wJsjGtaAeJhKqJpNnNNG$$D2g7mT5}Nu!IR>p(2JL<7"
        "k|)$p7bDA^dJaAqQ{;D1rKf3H*aTaQgdiPi$C)%^XAQ)`F7s!ym|ZcdNxs>y4O{~5^RNqsvAK|jZ"
        "ILA_>DNI-*uJh*I_EI!C!?)m=>}nh{tU&Luw7xdRHKEH}H%k@R7<96fl&}Iq4O|4)!4<ln(<W1#X"
        "cghEDb>$?`bMRV?rD$R{kfvE?eu0UBEthcIgo^=;8nd{FjqUkvKJ518|wEt}AR7b=P`Toc~dAhs7"
        "rGuc10qdU-wY0$b2IytA9$(E6#1)RoLHw}F8ck0u$v9GLMfb8Gu?V$$t>oNdLz&*wRUZQ|}Zh4!q"
        ";N%NgXC6JgA!!t)V`NS`q>bm#<fySfdx{#nN1bd`rDfj6@w#o?#^K#c@&wvhPjHaODN)bg{`_Xo$"
        "gq8sEfbu&y#&8j`2-gi6@$nz?g_9|&h;^4Bg;#C)-|kmu}o2DQr$b;p_N^eJmxa@_R>6?8E@@%HT"
        "rteOLKc4c9%Zc8%UoStei{DytAk1`Xl7M;A0Z~qF>y+q43D|YoU|D2bP^bC5Et!Yu{b{6l=!<qO2"
        "xZdM$N##9~Y8KE)PG*ym-GZ3$e_<Hh2=_4*Y1u=Lon0b4Trm1cV@V`;Wz_MGLhtp;q1*{3zzs+-$"
        "lc2YgSWfJ$5nbP48L}6fHU|?WiU|{fHL-5P4_iC?R@`L*0A*BE7EKsSM-z5Jm_90KlIDMGzM2_kr"
        "&NdZ4s}U6bxx_L#{{KRS12lUPV;EsS#+r^_`uG#I*RyP5{MT)vX6LUq<L7Ul|2ybK&7l"
    )
)
"""Sheet "people" with the columns age, town and age again, as xlwt writes it."""

FAR_CELL = PEOPLE.replace(
    struct.pack("<HHHH", 0x027E, 10, 3, 2),
    struct.pack("<HHHH", 0x027E, 10, 65_535, 255),
)
"""The same with its last cell in the far corner."""


def test_a_sheet_is_a_table_whose_names_can_be_told_apart() -> None:
    table = read_table(PEOPLE, name="p.xls", options=ReadOptions(number_names=True))
    assert table.frame.to_dict("list") == {
        "age": [34, 51, 29],
        "town": ["Ulm", "Kiel", "Ulm"],
        "age (2)": [1.5, 2.5, 4.0],
    }
    with pytest.raises(InputError, match="--number-names"):
        read_table(PEOPLE, name="p.xls")


def test_a_release_of_one_leaves_as_csv() -> None:
    table = read_table(PEOPLE, name="p.xls", options=ReadOptions(number_names=True))
    roles = dict.fromkeys(table.schema.names, "other") | {"age": "quasi-identifier"}
    table = table.assign(roles=roles, kinds={"age": "continuous"})
    outcome = run(Plan(k=3, method="mdav"), table)
    written = release_bytes_and_checks(outcome, table, WritingOptions())
    assert not written.failed_checks
    rows = written.content.decode().splitlines()
    assert rows == ["age,town,age (2)", "38,Ulm,1.5", "38,Kiel,2.5", "38,Ulm,4"]


def test_one_is_previewed_as_newer_ones_are() -> None:
    preview = preview_file(PEOPLE, "p.xls", ReadOptions(number_names=True))
    assert preview is not None
    assert preview.rows[0] == ["age", "town", "age"]


def test_a_workbook_that_is_cut_short_is_refused() -> None:
    with pytest.raises(InputError, match="not a whole Excel workbook"):
        read_table(PEOPLE[:900], name="p.xls")


def test_a_stray_cell_in_the_far_corner_is_refused_before_memory_fills() -> None:
    assert FAR_CELL != PEOPLE
    with pytest.raises(InputError, match="not safe to open"):
        read_table(FAR_CELL, name="p.xls")


def test_an_extent_that_ends_before_it_begins_ends_no_process() -> None:
    extent = struct.pack("<HHIIHH", 0x0200, 14, 0, 4, 0, 3)
    assert PEOPLE.count(extent) == 1
    for first, last in ((9, 4), (0, 1 << 31)):
        wrong = struct.pack("<HHIIHH", 0x0200, 14, first, last, 0, 3)
        with pytest.raises(InputError, match="not a whole Excel workbook"):
            read_table(PEOPLE.replace(extent, wrong), name="p.xls")
