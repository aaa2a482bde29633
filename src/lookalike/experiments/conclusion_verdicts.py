"""Report A's eight conclusions (§9), each judged by what was measured (item 86)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from lookalike.experiments.chance import slope
from lookalike.experiments.conclusion_data import ALIKE, CHANGED, HASHES, UNLIKE
from lookalike.experiments.experiment import Finding, Table, Verdict
from lookalike.hashing import FAMILIES

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["doublings", "exponent", "judge_all", "ratios", "series", "times"]

BRUTE: Final = "all pairs, exact"
SIGNATURES: Final = "all pairs of signatures"
LSH: Final = "signatures and LSH"
MILLION: Final = 1_000_000


def judge_all(table: Table) -> list[Verdict]:
    """Return the eight verdicts, in the order of the conclusions."""
    return [judged(table) for judged in (_first, _second, _third, _fourth, _fifth, _sixth, _seventh, _eighth)]


def series(table: Table, conclusion: int, name: str) -> dict[float, float]:
    """Return the values of a series by x."""
    rows = table.where(conclusion=conclusion, series=name)
    return dict(zip(rows.numbers("x"), rows.numbers("value"), strict=True))


def times(table: Table, conclusion: int, name: str) -> dict[float, float]:
    """Return the times of a series by x, in milliseconds."""
    rows = table.where(conclusion=conclusion, series=name)
    return dict(zip(rows.numbers("x"), rows.numbers("time"), strict=True))


def ratios(table: Table) -> dict[float, float]:
    """Return how many times longer all pairs of signatures take than LSH, by the number of documents."""
    slow, quick = times(table, 4, SIGNATURES), times(table, 4, LSH)
    return {count: slow[count] / quick[count] for count in slow}


def doublings(table: Table, name: str) -> dict[float, float]:
    """Return by what factor the time grows when the number of documents is doubled, by the larger number."""
    taken = times(table, 4, name)
    return {count: taken[count] / taken[count / 2] for count in taken if count / 2 in taken}


def exponent(table: Table, name: str) -> float:
    """Return p if the time grows as n^p over the three largest numbers of documents."""
    last = list(times(table, 4, name).items())[-3:]
    return slope([math.log(count) for count, _ in last], [math.log(time) for _, time in last])


def _verdict(number: int, claim: str, parts: Sequence[bool], evidence: str, numbers: dict[str, float]) -> Verdict:
    """Make a verdict: a conclusion holds if all its parts do, and in part if any does."""
    finding: Finding = "holds" if all(parts) else "holds in part" if any(parts) else "does not hold"
    return Verdict(claim, f"report A, §9, conclusion {number}", (86,), finding, evidence, numbers)


def _first(table: Table) -> Verdict:
    """Parts: at k = 1 or 2 half of the unrelated pages are alike; at 64 half of the copies are not; 9 errs in 1 %."""
    unrelated, copies = series(table, 1, "unrelated pages"), series(table, 1, CHANGED)
    parts = (max(unrelated[1], unrelated[2]) >= 0.5, copies[64] <= 0.5, unrelated[9] <= 0.01 and copies[9] >= 0.99)
    good = [k for k in unrelated if unrelated[k] <= 0.01 and copies[k] >= 0.99]
    return _verdict(
        1,
        "A small k gives many false positives, a very large one finds hardly any similarity; 9 can be good for general "
        "text",
        parts,
        f"Unrelated pages called alike (J ≥ 0.5): {unrelated[2]:.0%} at k = 2, {unrelated[9]:.0%} at k = 9. Near "
        f"copies found: {copies[9]:.0%} at k = 9, {copies[64]:.0%} at k = 64. "
        + (f"Right for both: k = {min(good):g} to {max(good):g}." if good else "No k is right for both."),
        {"false_positives_k2": unrelated[2], "found_k9": copies[9], "found_k64": copies[64]},
    )


def _second(table: Table) -> Verdict:
    """Parts: comparing, and signing, take at least 1.25 times as long for k = 12 to 20 as for k = 1 to 3 (medians)."""
    compared, signed = (
        _growth(times(table, 2, name)) for name in ("exact comparison", f"two signatures, h = {HASHES}")
    )
    shingles = series(table, 2, "exact comparison")
    late = _growth(times(table, 2, "exact comparison"), early=(7, 9, 12))
    return _verdict(
        2,
        "A larger k takes longer to compute",
        (compared >= 1.25, signed >= 1.25),
        f"From k = 1–3 to k = 12–20 an exact comparison takes {compared:.2f} times as long, because the text has more "
        f"different shingles ({shingles[1]:.0f} at k = 1, {shingles[9]:.0f} at 9, {shingles[20]:.0f} at 20); from k = "
        f"7–12 on {late:.2f} times. Signing takes {signed:.2f} times as long: it reads every window, whatever k is.",
        {"comparison": compared, "signing": signed, "comparison_from_k_9": late},
    )


def _growth(taken: dict[float, float], early: tuple[int, int, int] = (1, 2, 3)) -> float:
    first, last = (sorted(taken[k] for k in sizes)[1] for sizes in (early, (12, 16, 20)))
    return last / first


def _third(table: Table) -> Verdict:
    """Parts: modular takes at most 0.8 of the time of multiplicative, and of MurmurHash3."""
    taken = {family: times(table, 3, family)[n] for n, family in enumerate(FAMILIES)}
    modular = taken["modular"]
    return _verdict(
        3,
        "Modular hashing is significantly faster than multiplicative hashing and MurmurHash",
        (modular <= 0.8 * taken["multiplicative"], modular <= 0.8 * taken["murmur3"]),
        f"A signature of {HASHES} values takes "
        + ", ".join(f"{time:.2f} ms by {family}" for family, time in taken.items())
        + f": modular takes {modular / taken['multiplicative']:.1f} times as long as multiplicative. All are compiled "
        "with the same optimisation; a division is slower than a multiplication.",
        {f"ms_{family}": time for family, time in taken.items()},
    )


def _fourth(table: Table) -> Verdict:
    """Parts: brute force would take 100 times as long as LSH for a million; error ≤ 0.05; signatures halve the time."""
    most = max(times(table, 4, BRUTE))
    brute, signatures, lsh = (times(table, 4, name)[most] for name in (BRUTE, SIGNATURES, LSH))
    hours = brute / 3.6e6 * (MILLION / most) ** 2
    seconds = lsh / 1000 * (MILLION / most) ** max(1.0, exponent(table, LSH))
    error = series(table, 4, "mean error of an estimate")[HASHES]
    return _verdict(
        4,
        "Comparing all pairs exactly is not feasible for large collections; signatures give nearly the same at a "
        "fraction of the cost, and LSH is for very large ones",
        (3600 * hours >= 100 * seconds, error <= 0.05, signatures <= 0.5 * brute),
        f"{most:.0f} documents: {brute:.0f} ms exact, {signatures:.0f} ms by signatures, {lsh:.0f} ms with LSH; the "
        f"estimates are off by {error:.3f} on average. Carried on to a million documents, the exact comparison takes "
        f"{hours:.0f} hours and LSH {seconds:.0f} seconds.",
        {"hours_exact_million": hours, "seconds_lsh_million": seconds, "mean_error": error},
    )


def _fifth(table: Table) -> Verdict:
    """Part: the mean error falls as h^−0.5, with an exponent from −0.6 to −0.4."""
    errors = series(table, 5, "measured")
    falls = slope([math.log(h) for h in errors], [math.log(max(error, 1e-9)) for error in errors.values()])
    return _verdict(
        5,
        "More hash functions make MinHash more precise",
        (-0.6 <= falls <= -0.4,),
        f"Mean error {errors[1]:.3f} with 1 function, {errors[16]:.3f} with 16, {errors[256]:.3f} with 256, "
        f"{errors[1024]:.3f} with 1024: it falls as h^{falls:.2f} (theory: −0.5). Half the error takes four times as "
        "many functions.",
        {"exponent": falls},
    )


def _sixth(table: Table) -> Verdict:
    """Parts: what LSH saves over all pairs of signatures grows by a fifth at least, and LSH is faster at the end."""
    saved = ratios(table)
    few, many = min(saved), max(saved)
    return _verdict(
        6,
        "The more documents there are, the more it matters to use LSH",
        (saved[many] >= 1.2 * saved[few], saved[many] >= 1.2),
        f"All pairs of signatures take {saved[few]:.2f} times as long as LSH for {few:.0f} documents, and "
        f"{saved[many]:.2f} times for {many:.0f}. The growth of the time when the number is doubled: "
        f"{doublings(table, SIGNATURES)[many]:.1f} and {doublings(table, LSH)[many]:.1f} times.",
        {"ratio_few": saved[few], "ratio_many": saved[many]},
    )


def _seventh(table: Table) -> Verdict:
    """Parts: some b proposes over half of the unlike pairs, and some b finds less than half of the alike ones."""
    alike, unlike = (series(table, 7, f"pairs of similarity {s}") for s in (ALIKE, UNLIKE))
    good = [b for b in alike if alike[b] >= 0.95 and unlike[b] <= 0.05]
    return _verdict(
        7,
        "b and r must be chosen with care: else many unlike documents become candidates, or very similar ones never do",
        (max(unlike.values()) >= 0.5, min(alike.values()) <= 0.5),
        f"Of {len(alike)} ways to divide {HASHES} hashes: b = {max(unlike):.0f} proposes {unlike[max(unlike)]:.0%} of "
        f"the pairs at {UNLIKE}, b = 1 finds {alike[1]:.0%} of those at {ALIKE}. "
        + (
            f"b = {', '.join(f'{b:.0f}' for b in good)} finds at least 95 % of the latter and proposes at most 5 % of "
            "the former."
            if good
            else "None finds 95 % of the latter and proposes at most 5 % of the former."
        ),
        {"most_unlike": max(unlike.values()), "least_alike": min(alike.values()), "good_choices": float(len(good))},
    )


def _eighth(table: Table) -> Verdict:
    """Parts: LSH takes at most half the time; and the exact time more than squares (factor above 8) per doubling."""
    most = max(times(table, 4, BRUTE))
    saved = times(table, 4, BRUTE)[most] / times(table, 4, LSH)[most]
    growth = doublings(table, BRUTE)[most]
    return _verdict(
        8,
        "It is worth while to explore other approaches: exact comparison alone takes exponential time",
        (saved >= 2, growth > 8),
        f"Exploring pays: with {most:.0f} documents LSH is {saved:.0f} times as fast. Twice the documents take "
        f"{growth:.1f} times as long to compare exactly: a quadratic time takes 4 times as long, an exponential one is "
        f"squared. Measured, it grows as n^{exponent(table, BRUTE):.2f} (LSH: n^{exponent(table, LSH):.2f}).",
        {"times_faster": saved, "growth_per_doubling": growth, "exponent_exact": exponent(table, BRUTE)},
    )
