"""What a student left in a notebook, made harmless: nothing in it runs, is fetched from elsewhere, or is huge.

It holds for whoever shows it: Formgrader and nbconvert put Markdown and HTML into a page as they find it.
"""

from __future__ import annotations

import base64
import binascii
import html as entities
import re
from collections.abc import Mapping
from typing import Any

import bleach
from bleach.css_sanitizer import CSSSanitizer
from bs4 import BeautifulSoup
from jinja2 import pass_context
from nbconvert.filters.ansi import strip_ansi
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

SOURCE_ROOM = 100_000  # characters of one cell's source; an honest one has 5,000
MARKDOWN_ROOM = 20_000  # likewise; a text made to upset a parser takes a second then
TAGS_ROOM = 4_000  # tags of one HTML text; the parser's time goes with their square
OUTPUT_ROOM = 50_000  # characters of all that one cell says
PICTURE_ROOM = 1_500_000  # characters of one picture, in base64
OUTPUTS = 100  # of one cell

_TAGS = {
    "a",
    "abbr",
    "aside",
    "b",
    "blockquote",
    "br",
    "caption",
    "code",
    "dd",
    "del",
    "div",
    "dl",
    "dt",
    "em",
    "hr",
    "i",
}
_TAGS |= {
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "img",
    "ins",
    "kbd",
    "li",
    "ol",
    "p",
    "pre",
    "s",
    "samp",
    "section",
    "small",
}
_TAGS |= {"span", "strong", "sub", "sup", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "u", "ul", "var"}
_PLAIN = {"alt", "align", "colspan", "rowspan", "scope", "start", "title"}
# Pygments' names, and those of grader/pages/templates: none that a page of Formgrader acts on.
_CLASS = re.compile(
    r"highlight|language-[\w+-]+|[a-z][a-z0-9]{0,2}|part|source|outcomes|passes|half|fails|word|rules|diagnosis"
)
_LINK = re.compile(r"(https?://|mailto:|#)[\w\-.~:/?#\[\]@!$&'()*+,;=%]*|[\w\-./%]+(#[\w\-.%]*)?")
_PICTURE = re.compile(r"data:(image/(?:png|jpeg));base64,([A-Za-z0-9+/=\s]+)")
# Words and colours only: nothing that could be laid over another part of the page, and nothing that loads a file.
_STYLES = "color background-color font-weight font-style text-align text-decoration white-space vertical-align padding"
_STYLE = re.compile(r"[\w\s#%.,;:!-]*")  # no function: no url(), no expression()
_CSS = CSSSanitizer(allowed_css_properties=[*_STYLES.split(), "border-collapse"], allowed_svg_properties=[])
_PICTURES = {"image/png": b"\x89PNG\r\n\x1a\n", "image/jpeg": b"\xff\xd8\xff"}
_BOX = re.compile('<input class="task-list-item-checkbox" type="checkbox" disabled( checked)?/>')  # a list of tasks
# A heading of these words would get the id by which Formgrader finds a score box.
_ID = re.compile(r"<h[1-6]>(todo|answer|essay|whole-engine|questions|predictions|lesson-points|notebook)\b")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029]")


def text(given: object, room: int = SOURCE_ROOM) -> str:
    """As text that any file and page can hold: no control characters, no half characters, not longer than `room`."""
    words = "".join(map(str, given)) if isinstance(given, list) else str(given)
    left = len(words) - room
    words = words if left <= 0 else f"{words[:room]}\n[cut here: {left} more characters]"
    words = words.encode("utf-8", "replace").decode().replace("\r\n", "\n")
    return _CONTROL.sub("", words.replace("\r", "\n"))


def html(given: str) -> str:
    """HTML that shows the same words. What is not known to be harmless is left out; a script's text becomes words."""
    protocols = ["http", "https", "mailto", "data"]  # `_allowed` says where
    try:
        if given.count("<") > TAGS_ROOM:
            raise ValueError("too many tags")
        return str(bleach.clean(given, tags=_TAGS, attributes=_allowed, protocols=protocols, css_sanitizer=_CSS))
    except Exception:  # too much, or too deep, for the parser: it is shown as it was typed
        return f"<pre>{entities.escape(given[:SOURCE_ROOM])}</pre>"


def _allowed(tag: str, name: str, value: str) -> bool:
    match name:
        case "href":
            return tag == "a" and _LINK.fullmatch(value) is not None
        case "src":
            return tag == "img" and _picture(value)
        case "class":
            return all(_CLASS.fullmatch(word) for word in value.split())
        case "style":
            return _STYLE.fullmatch(value) is not None
    return name in _PLAIN


def _picture(url: str) -> bool:
    match = _PICTURE.fullmatch(url)
    return match is not None and picture(match[1], match[2])


def picture(kind: str, data: object) -> bool:
    """Whether this is a PNG or a JPEG in base64, of a size to show."""
    if kind not in _PICTURES or not isinstance(data, str) or len(data) > PICTURE_ROOM:
        return False
    try:
        return base64.b64decode(data).startswith(_PICTURES[kind])
    except (binascii.Error, ValueError):
        return False


def markdown(source: str, attachments: Mapping[str, Mapping[str, str]] | None = None) -> str:
    """The harmless HTML of a Markdown text."""
    return html(_rendered(text(source, MARKDOWN_ROOM), attachments))


def markdown_source(source: str, attachments: Mapping[str, Mapping[str, str]] | None = None) -> str:
    """A Markdown text that is harmless for every renderer: as it was where it is so already, else as one HTML block."""
    source = text(source, MARKDOWN_ROOM)
    made = _rendered(source, attachments)
    clean = html(made)
    if made == _rendered(source, attachments, careful=True) and _tree(made) == _tree(clean) and not _ID.search(made):
        return source
    return as_markdown(clean)


def as_markdown(harmless: str) -> str:
    """Harmless HTML as a Markdown text that no renderer takes apart: a block on one line, without Markdown's signs."""
    line = f"<div>{harmless.strip()}</div>"
    return line.replace("\n", "&#10;").replace("$", "&#36;").replace("\\", "&#92;")


def _rendered(source: str, attachments: Mapping[str, Mapping[str, str]] | None, careful: bool = False) -> str:
    """As nbconvert renders it. `careful`: as if HTML were words, and a link of a doubtful kind led nowhere."""
    renderer = IPythonRenderer(
        escape=careful,
        allow_harmful_protocols=not careful,
        exclude_anchor_links=True,
        attachments={name: dict(kinds) for name, kinds in (attachments or {}).items()},
    )
    try:
        made = MarkdownWithMath(renderer=renderer).render(source)
        return _BOX.sub(lambda box: "&#9745; " if box[1] else "&#9744; ", made)
    except Exception:  # an attachment that is not there, a text made to upset the parser: it is shown as it was typed
        return f"<pre>{entities.escape(source)}</pre>" if not careful else ""


def _tree(given: str) -> str:
    return str(BeautifulSoup(given, "html.parser"))


def attachments(given: object) -> dict[str, dict[str, str]]:
    """The pictures among a cell's attachments."""
    kept: dict[str, dict[str, str]] = {}
    for name, kinds in given.items() if isinstance(given, dict) else ():
        pictures = {k: v for k, v in kinds.items() if picture(k, v)} if isinstance(kinds, dict) else {}
        if pictures and re.fullmatch(r"[\w .-]{1,100}", name):
            kept[name] = pictures
    return kept


def outputs(given: object) -> list[dict[str, Any]]:
    """A cell's outputs as new ones that hold only words, tables and pictures, with no metadata."""
    made = []
    room = OUTPUT_ROOM
    for output in given[:OUTPUTS] if isinstance(given, list) else ():
        clean = _output(output, room) if isinstance(output, dict) else None
        if clean is not None:
            made.append(clean)
            room -= _size(clean)
        if room <= 0:
            break
    return made


def _output(output: Mapping[str, Any], room: int) -> dict[str, Any] | None:
    match output.get("output_type"):
        case "stream":
            name = "stderr" if output.get("name") == "stderr" else "stdout"
            return {"output_type": "stream", "name": name, "text": _said(output.get("text", ""), room)}
        case "error":
            lines = output.get("traceback")
            trace = _said("\n".join(map(str, lines if isinstance(lines, list) else [])), room)
            names = {name: _said(output.get(name, ""), 1_000) for name in ("ename", "evalue")}
            return {"output_type": "error", **names, "traceback": trace.split("\n")}
        case "display_data" | "execute_result" as kind:
            data = output.get("data")
            made = {"output_type": kind, "metadata": {}, "data": _data(data if isinstance(data, dict) else {}, room)}
            return {**made, "execution_count": None} if kind == "execute_result" else made
    return None


def _data(data: Mapping[str, Any], room: int) -> dict[str, str]:
    """Of one output's representations those that can be shown; a word where there is none."""
    made: dict[str, str] = {}
    for kind, value in data.items():
        value = "".join(map(str, value)) if isinstance(value, list) else value
        if picture(kind, value):
            made[kind] = value
        elif kind == "text/plain":
            made[kind] = _said(value, room)
        elif kind in ("text/html", "text/markdown") and isinstance(value, str) and len(value) <= room:
            made["text/html"] = html(text(value)) if kind == "text/html" else markdown(value)
        elif kind == "text/latex":
            made.setdefault("text/plain", _said(value, room))
    if not made:
        kinds = ", ".join(sorted(_said(kind, 60) for kind in data)[:5])
        made["text/plain"] = f"[an output of a kind, or a size, that is not shown here: {kinds or 'empty'}]"
    return made


def _said(given: object, room: int) -> str:
    words = "".join(map(str, given)) if isinstance(given, list) else str(given)
    return text(strip_ansi(words[: 2 * room]), room)


def _size(output: Mapping[str, Any]) -> int:
    """How much of a cell's room this takes. A picture counts less: it has a limit of its own."""
    data = output.get("data", {})
    pictures = sum(len(value) for kind, value in data.items() if kind in _PICTURES)
    words = sum(len(value) for kind, value in data.items() if kind not in _PICTURES)
    return words + pictures // 20 + len(output.get("text", "")) + sum(map(len, output.get("traceback", ()))) + 50


@pass_context
def markdown_filter(context: Any, source: str) -> str:
    """nbconvert's filter `markdown2html`, harmless; for Formgrader."""
    return markdown(source, attachments(context.get("cell", {}).get("attachments")))
