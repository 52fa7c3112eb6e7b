"""Sanitise what a student left in a notebook: nothing in it runs, is fetched from elsewhere, or is huge.

Formgrader and nbconvert insert Markdown and HTML into their pages unchanged, so it has to be harmless before.
"""

from __future__ import annotations

import base64
import binascii
import html as entities
import re
from collections.abc import Mapping
from typing import Any

import nh3
from bs4 import BeautifulSoup
from jinja2 import pass_context
from nbconvert.filters.ansi import strip_ansi
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

SOURCE_ROOM = 100_000  # characters of one cell's source; ordinary cells have at most 5,000
MARKDOWN_ROOM = 20_000  # characters of one Markdown text; text that is made to be slow to parse takes a second then
OUTPUT_ROOM = 50_000  # characters of all outputs of one cell
PICTURE_ROOM = 1_500_000  # characters of one picture, in base64
OUTPUTS = 100  # of one cell
TAGS_ROOM = 10_000  # tags of one HTML text; the parser's time grows with the square of their depth
COPIES = 500_000  # tags that a parser may add to one HTML text
GROWTH = 300_000  # characters by which they may make it longer

_TAGS = """a abbr aside b blockquote br caption code dd del div dl dt em h1 h2 h3 h4 h5 h6 hr i img ins kbd li ol p pre
s samp section small span strong sub sup table tbody td tfoot th thead tr u ul var"""
_OTHER = re.compile(rf"<(?!/?(?:{'|'.join(_TAGS.split())})[\s/>])", re.IGNORECASE)
_ATTRIBUTES = {
    "*": {"align", "alt", "class", "colspan", "rowspan", "scope", "start", "style", "title"},
    "a": {"href"},
    "img": {"src"},
}
# Pygments' names, and those of grader/pages/templates. Formgrader's pages attach behaviour to none of them.
_CLASS = re.compile(
    r"highlight|language-[\w+-]+|[a-z][a-z0-9]{0,2}|part|source|outcomes|passes|half|fails|word|rules|diagnosis"
)
_LINK = re.compile(r"(https?://|mailto:|#)[\w\-.~:/?#\[\]@!$&'()*+,;=%]*|[\w\-./%]+(#[\w\-.%]*)?")
_PICTURE = re.compile(r"data:(image/(?:png|jpeg));base64,([A-Za-z0-9+/=\s]+)")
# Text and colours only: no property that could cover another part of the page, no function that loads a file.
_STYLES = """color background-color font-weight font-style text-align text-decoration white-space vertical-align
padding border-collapse"""
_STYLE = re.compile(r"[\w\s#%.,;:!-]*")  # no parenthesis: no url(), no expression()
_PICTURES = {"image/png": b"\x89PNG\r\n\x1a\n", "image/jpeg": b"\xff\xd8\xff"}
# Where one of these is not closed, HTML's parser opens it again in each paragraph that follows.
_REOPENED = re.compile(r"<(?:a|b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)\b", re.IGNORECASE)
_BOX = re.compile('<input class="task-list-item-checkbox" type="checkbox" disabled( checked)?/>')  # a list of tasks
# nbconvert would give a heading with these words the id by which Formgrader finds a score box.
_ID = re.compile(r"<h[1-6]>(todo|answer|essay|whole-engine|questions|predictions|lesson-points|notebook)\b")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029]")


def text(given: object, room: int = SOURCE_ROOM) -> str:
    """Return a string of at most `room` characters that any file and page can hold: no control characters, no lone
    surrogates."""
    words = "".join(map(str, given)) if isinstance(given, list) else str(given)
    left = len(words) - room
    words = words if left <= 0 else f"{words[:room]}\n[cut here: {left} more characters]"
    words = words.encode("utf-8", "replace").decode().replace("\r\n", "\n")
    return _CONTROL.sub("", words.replace("\r", "\n"))


def html(given: str) -> str:
    """Return the HTML with the tags and attributes that are known to be harmless. Other tags are shown as text."""
    given = _OTHER.sub("&lt;", given.encode("utf-8", "replace").decode())
    tags = given.count("<")
    if tags <= TAGS_ROOM and tags * len(_REOPENED.findall(given)) <= COPIES:
        made = _CLEANER.clean(given)
        if len(made) <= len(given) + GROWTH:
            return made
    return f"<pre>{entities.escape(given[:SOURCE_ROOM])}</pre>"


def _attribute(tag: str, name: str, value: str) -> str | None:
    """The value if it is harmless, else None, which removes the attribute."""
    match name:
        case "href":
            harmless = _LINK.fullmatch(value) is not None
        case "src":
            found = _PICTURE.fullmatch(value)
            harmless = found is not None and picture(found[1], found[2])
        case "class":
            harmless = all(_CLASS.fullmatch(word) for word in value.split())
        case "style":
            harmless = _STYLE.fullmatch(value) is not None
        case _:
            harmless = True
    return value if harmless else None


_CLEANER = nh3.Cleaner(
    tags=set(_TAGS.split()),
    clean_content_tags=set(),  # these are text already
    attributes=_ATTRIBUTES,
    attribute_filter=_attribute,
    url_schemes={"http", "https", "mailto", "data"},  # `_attribute` decides where
    filter_style_properties=set(_STYLES.split()),
    link_rel=None,
)


def picture(kind: str, data: object) -> bool:
    """Return whether this is a PNG or a JPEG in base64 that is small enough to show."""
    if kind not in _PICTURES or not isinstance(data, str) or len(data) > PICTURE_ROOM:
        return False
    try:
        return base64.b64decode(data).startswith(_PICTURES[kind])
    except (binascii.Error, ValueError):
        return False


def markdown(source: str, attachments: Mapping[str, Mapping[str, str]] | None = None) -> str:
    """Render a Markdown text as harmless HTML."""
    return html(_rendered(text(source, MARKDOWN_ROOM), attachments))


def markdown_source(source: str, attachments: Mapping[str, Mapping[str, str]] | None = None) -> str:
    """Return a Markdown text that every renderer shows as harmless HTML: unchanged if it is so already, else as one
    HTML block."""
    source = text(source, MARKDOWN_ROOM)
    made = _rendered(source, attachments)
    clean = html(made)
    if made == _rendered(source, attachments, careful=True) and _tree(made) == _tree(clean) and not _ID.search(made):
        return source
    return as_markdown(clean)


def as_markdown(harmless: str) -> str:
    """Return harmless HTML as Markdown that every renderer leaves alone: a block on one line, without Markdown's
    special characters."""
    line = f"<div>{harmless.strip()}</div>"
    return line.replace("\n", "&#10;").replace("$", "&#36;").replace("\\", "&#92;")


def _rendered(source: str, attachments: Mapping[str, Mapping[str, str]] | None, careful: bool = False) -> str:
    """Render it as nbconvert does. `careful`: HTML is escaped, and links of unusual protocols are removed."""
    renderer = IPythonRenderer(
        escape=careful,
        allow_harmful_protocols=not careful,
        exclude_anchor_links=True,
        attachments={name: dict(kinds) for name, kinds in (attachments or {}).items()},
    )
    try:
        made = MarkdownWithMath(renderer=renderer).render(source)
        return _BOX.sub(lambda box: "&#9745; " if box[1] else "&#9744; ", made)
    except Exception:  # a missing attachment, or text that the parser cannot take: it is shown as it was typed
        return f"<pre>{entities.escape(source)}</pre>" if not careful else ""


def _tree(given: str) -> str:
    return str(BeautifulSoup(given, "html.parser"))


def attachments(given: object) -> dict[str, dict[str, str]]:
    """Return the pictures among a cell's attachments."""
    kept: dict[str, dict[str, str]] = {}
    for name, kinds in given.items() if isinstance(given, dict) else ():
        pictures = {k: v for k, v in kinds.items() if picture(k, v)} if isinstance(kinds, dict) else {}
        if pictures and re.fullmatch(r"[\w .-]{1,100}", name):
            kept[name] = pictures
    return kept


def outputs(given: object) -> list[dict[str, Any]]:
    """Return a cell's outputs as new ones with text, tables and pictures only, and no metadata."""
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
    """Return the representations of an output that can be shown; if there are none, text that says so."""
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
        made["text/plain"] = f"[an output of a type or a size that is not shown here: {kinds or 'empty'}]"
    return made


def _said(given: object, room: int) -> str:
    words = "".join(map(str, given)) if isinstance(given, list) else str(given)
    return text(strip_ansi(words[: 2 * room]), room)


def _size(output: Mapping[str, Any]) -> int:
    """Return how many of a cell's characters this takes. A picture counts less: it has a limit of its own."""
    data = output.get("data", {})
    pictures = sum(len(value) for kind, value in data.items() if kind in _PICTURES)
    words = sum(len(value) for kind, value in data.items() if kind not in _PICTURES)
    return words + pictures // 20 + len(output.get("text", "")) + sum(map(len, output.get("traceback", ()))) + 50


@pass_context
def markdown_filter(context: Any, source: str) -> str:
    """Replace nbconvert's filter `markdown2html` in Formgrader's pages."""
    return markdown(source, attachments(context.get("cell", {}).get("attachments")))
