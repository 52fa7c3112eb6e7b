"""The plots of a report, as SVG that a page can hold: no file, no script, the same bytes each time.

Each has a title and a description, and the page shows the same numbers in a table. What differs, differs in its filling
as well as in its colour.
"""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup, escape

from grader.pages.statistics import Bin

BLUE, INK, FAINT = "#0072B2", "#222222", "#d0d0d0"  # the first is from Okabe and Ito's palette, as in the timeline
_WIDTH, _HEIGHT, _LEFT, _TOP, _BOTTOM = 600, 290, 34, 22, 46


def histogram(bins: Sequence[Bin]) -> Markup:
    """How many students are in each step of the marks."""
    most = max((step.many for step in bins), default=0)
    height, width = _HEIGHT - _TOP - _BOTTOM, (_WIDTH - _LEFT) / max(len(bins), 1)
    drawn = [_grid(most, height)]
    for i, step in enumerate(bins):
        x, tall = _LEFT + i * width, height * step.many / most if most else 0
        y = _TOP + height - tall
        drawn.append(f'<rect x="{x + 4:.1f}" y="{y:.1f}" width="{width - 8:.1f}" height="{tall:.1f}" fill="{BLUE}"/>')
        middle = x + width / 2
        if step.many:
            drawn.append(_text(middle, y - 5, str(step.many), bold=True))
        drawn.append(_text(middle, _TOP + height + 16, f"{step.low}\N{EN DASH}{step.high}"))
    drawn.append(_text(_LEFT + (_WIDTH - _LEFT) / 2, _HEIGHT - 6, "per cent of the points"))
    words = "; ".join(f"{step.low} to {step.high} per cent: {step.many}" for step in bins if step.many)
    return _svg("".join(drawn), _WIDTH, _HEIGHT, "How many students have how many points", words or "nobody")


def _grid(most: int, height: float) -> str:
    """Horizontal lines at whole numbers of students."""
    step = next(step for step in (1, 2, 5, 10, 20, 50, 100, 200, 500, 10**9) if most / step <= 5)
    lines = []
    for many in range(0, most + 1, step):
        y = _TOP + height - (height * many / most if most else 0)
        lines.append(f'<path d="M{_LEFT} {y:.1f}H{_WIDTH}" stroke="{FAINT}"/>')
        lines.append(_text(_LEFT - 6, y + 4, str(many), anchor="end"))
    return "".join(lines)


def bar(parts: Sequence[float], whole: float) -> Markup:
    """A bar for a cell of a table: the parts in a row, filled, hatched and empty. The numbers stand beside it."""
    drawn, x = [], 0.0
    for part, fill in zip(parts, (BLUE, "url(#hatch)", "none"), strict=False):
        width = 100 * part / whole if whole else 0
        if fill != "none" and width:
            drawn.append(f'<rect x="{x:.2f}" y="0" width="{width:.2f}" height="10" fill="{fill}"/>')
        x += width
    how = 'class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"'
    return Markup(f"<svg {how}>{''.join(drawn)}</svg>")


def hatch() -> Markup:
    """What `bar` fills its second part with; once a page."""
    how = 'id="hatch" width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"'
    lines = f'<pattern {how}><rect width="1.6" height="4" fill="{BLUE}"/></pattern>'
    return Markup(f'<svg width="0" height="0" aria-hidden="true" style="position:absolute"><defs>{lines}</defs></svg>')


def _text(x: float, y: float, words: str, anchor: str = "middle", bold: bool = False) -> str:
    weight = ' font-weight="600"' if bold else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{weight}>{escape(words)}</text>'


def _svg(drawn: str, width: int, height: int, title: str, words: str) -> Markup:
    return Markup(
        f'<svg class="plot" viewBox="0 0 {width} {height}" role="img" aria-label="{escape(title)}: {escape(words)}" '
        f'font-size="12" fill="{INK}"><title>{escape(title)}</title><desc>{escape(words)}</desc>{drawn}</svg>'
    )
