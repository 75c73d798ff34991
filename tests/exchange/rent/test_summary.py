from __future__ import annotations

from independence.exchange.rent import summary
from independence.stats.stance import RENT, Rated, Sides

HEAD = (
    "model_id,n,mean_score,p_neg,p_neu,p_pos,landlord_n,landlord_agree_p,landlord_uplift,"
    "tenant_n,tenant_agree_p,tenant_uplift\r\n"
)


def test_four_decimals_published_columns_and_line_ends() -> None:
    records = [Rated("b", "landlord", 1.0, "k"), Rated("b", "tenant", 1 / 3, "k"), Rated("a", "tenant", -0.33, "k")]
    assert summary.to_csv(records, RENT) == HEAD + (
        "a,1,-0.3300,1.0000,0.0000,0.0000,0,,,1,1.0000,1.0000\r\n"
        "b,2,0.6667,0.0000,0.0000,1.0000,1,1.0000,1.0000,1,0.0000,0.0000\r\n"
    )


def test_what_is_undefined_is_empty() -> None:
    assert summary.to_csv([Rated("a", "landlord", None, "k")], RENT) == HEAD + "a,1,,,,,0,,,0,,\r\n"


def test_columns_are_named_after_the_parties() -> None:
    assert summary.columns(Sides("buyer", "seller"))[6:] == (
        "buyer_n", "buyer_agree_p", "buyer_uplift", "seller_n", "seller_agree_p", "seller_uplift"
    )  # fmt: skip


def test_a_model_s_name_is_never_a_formula() -> None:
    line = summary.to_csv([Rated('=cmd("x"),y', "landlord", None, "k")], RENT).splitlines()[1]
    assert line.startswith('"\'=cmd(""x""),y",1,')


def test_a_file_that_follows_from_the_records_has_no_differences() -> None:
    records = [Rated("a", "landlord", 1.0, "k"), Rated("b", "tenant", 0.0, None)]
    text = summary.to_csv(records, RENT)
    assert summary.differences("s.csv", text, records, RENT) == []
    assert summary.differences("s.csv", text.replace("\r\n", "\n"), records, RENT) == []


def test_differences_name_line_and_column() -> None:
    records = [Rated("a", "landlord", 1.0, "k"), Rated("b", "tenant", 0.0, "k")]
    text = summary.to_csv(records, RENT).replace("b,1,0.0000,", "b,2,0.0000,").replace("a,1,", "z,1,")
    assert [one.sentence for one in summary.differences("s.csv", text, records, RENT)] == [
        "s.csv:2: no record of z",
        "s.csv:3: b: n do not follow from the records",
        "s.csv: a is not in it",
    ]
