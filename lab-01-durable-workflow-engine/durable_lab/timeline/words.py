"""Values and times as short strings for a reader. No character is hidden, and no digit is lost."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime, timedelta
from typing import Any

from durable_lab.printable import printable

LONGEST = 300  # characters of one value or error in a line
WALL = 1e8  # a larger time is in seconds since 1970; a simulated clock starts near 0
_LAST = 253_402_300_799.0  # the end of the year 9999
_UNITS = ((86_400, "day"), (3_600, "h"), (60, "min"), (1, "s"))
_STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400)


_encode = json.JSONEncoder(ensure_ascii=False).encode  # json.dumps makes an encoder at each call


def cut(text: str, width: int = LONGEST) -> str:
    """Return the string in one line of at most `width` characters."""
    text = printable(text[: width + 1])
    return text if len(text) <= width else text[: width - 3] + "..."


def brief(value: Any, width: int = 60) -> str:
    """Return a value as JSON, or as its `repr` if it is not JSON, cut to what fits in a cell."""
    try:
        text = _encode(value)
    except (TypeError, ValueError, RecursionError):
        text = _shown(value)
    return cut(text, width)


def json_text(value: Any, indent: int | None = None) -> str:
    """Return JSON as a string with every digit as recorded: a number that passes through JavaScript loses some."""
    try:
        text = json.dumps(value, default=_plain, ensure_ascii=False, indent=indent)
    except (TypeError, ValueError, RecursionError):
        text = json.dumps(_shown(value), ensure_ascii=False)
    return "".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in text)


def _plain(record: Any) -> Any:
    return vars(record) if hasattr(record, "__dict__") else _shown(record)


def _shown(value: Any) -> str:
    try:
        return repr(value)
    except Exception as error:  # its own __repr__ may fail
        return f"<{type(value).__name__}: its repr raises {type(error).__name__}>"


# ------------------------------------------------------------ times


def seconds(value: Any) -> float | None:
    """Return a time in seconds, or None if it is not one: an unfinished engine may record any value."""
    if type(value) is not float and (isinstance(value, bool) or not isinstance(value, (int, float))):
        return None
    return float(value) if abs(value) <= _LAST else None  # None for NaN, too


def duration(length: float) -> str:
    """Return a duration in at most two units: "0.3 s", "3 h 5 min", "2 days"."""
    if length < 0:
        return f"-{duration(-length)}"
    if not math.isfinite(length):
        return "no time"
    if round(length, 1) < 60:
        if 0 < length < 0.001:
            return "under 1 ms"
        digits = 3 if length < 0.01 else 2 if length < 10 else 1
        return f"{length:.{digits}f}".rstrip("0").rstrip(".") + " s" if round(length, digits) else "0 s"
    left, parts = round(length), list[str]()
    for size, name in _UNITS:
        count, left = divmod(left, size)
        if parts and not count:
            break  # "2 days", not "2 days 5 s"
        if count:
            parts.append(f"{count:,} {name}{'s' if name == 'day' and count > 1 else ''}")
        if len(parts) == 2:
            break
    return " ".join(parts)


def date(at: float) -> str:
    """Return a time of the machine's clock as "2026-11-30 22:22:58 UTC"."""
    return f"{datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=math.floor(at)):%Y-%m-%d %H:%M:%S} UTC"


def moment(value: Any) -> str:
    """Return what a clock said: a date if it counts from 1970, else the number."""
    at = seconds(value)
    if at is not None and at >= WALL:
        return date(at)
    return f"{value:.3f}".rstrip("0").rstrip(".") if isinstance(value, float) else brief(value)


def ticks(length: float, most: int = 7) -> list[float]:
    """Return round durations from 0 to `length`, at most `most` of them."""
    unit = 10.0 ** math.floor(math.log10(length)) / 10 if length > 0 else 1.0
    small = [unit * step for step in (1, 2, 5, 10, 20, 50)]
    steps = small if length < 2 else [*_STEPS, *(86_400.0 * step * 10**k for k in range(8) for step in (2, 5, 10))]
    step = next((step for step in steps if length / step < most), length or 1.0)
    return [step * i for i in range(int(length / step) + 1)]
