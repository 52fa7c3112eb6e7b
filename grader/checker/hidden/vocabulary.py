"""The names and texts of the hidden variants, by the place where a variant is set. The 14 tests use none of them."""

from __future__ import annotations

from typing import NamedTuple


class Place(NamedTuple):
    """Names of activities, of signals, and keys of objects."""

    steps: tuple[str, ...]
    signals: tuple[str, ...]
    things: tuple[str, ...]


PLACES = (
    Place(  # a harbour
        ("moor", "load_cargo", "hoist_sail", "sound_horn", "weigh_anchor", "fill_tanks", "swab_deck", "chart_course"),
        ("tide", "pilot_aboard", "berth free", "weather", "customs", "hafen/frei"),
        ("hull", "anchor", "crew", "cargo", "route", "flag"),
    ),
    Place(  # a library
        ("lend", "shelve", "stamp", "rebind", "catalogue", "dust_off", "remind_reader", "scan_cover"),
        ("returned", "librarian", "reader's answer", "inventory", "donation", "prêt"),
        ("book", "shelf", "reader", "index", "volume", "spine"),
    ),
    Place(  # a greenhouse
        ("water", "prune", "sow", "open_roof", "heat_up", "repot", "gießen", "graft"),
        ("frost", "first bloom", "gardener", "rain", "harvest", "sun.up"),
        ("seed", "bed", "soil", "bloom", "leaf", "pot"),
    ),
    Place(  # a concert
        (
            "tune",
            "sell_ticket",
            "light_stage",
            "rehearse",
            "print_poster",
            "raise_curtain",
            "seat_guests",
            "record_encore",
        ),
        ("applause", "conductor", "doors open", "intermission", "soundcheck", "Einlaß"),
        ("stage", "ticket", "choir", "score", "row", "organ"),
    ),
    Place(  # a railway
        ("couple_wagons", "switch_points", "brake", "whistle", "clean_coach", "punch", "announce", "refuel"),
        ("green light", "dispatcher", "track:2", "departure", "gate", "vlak"),
        ("wagon", "platform", "seat", "rail", "tender", "engine_no"),
    ),
    Place(  # an observatory
        ("open_dome", "aim", "expose", "develop_plate", "cool_mirror", "log_star", "calibrate", "park_telescope"),
        ("clear sky", "astronomer", "moonset", "comet", "star-rise", "noční_klid"),
        ("mirror", "plate", "lens", "star", "dome", "orbit"),
    ),
)
PEOPLE = ("Yusuf", "Ingrid", "Chidi", "Mei", "Rosalía", "Björn", "Oksana", "Tane", "Leilani", "Zoë")
WORDS = ("amber", "brisk", "copper", "dusk", "ember", "fjord", "gust", "hazel", "indigo", "juniper", "kelp", "lilac")
TEXTS = (
    "a: b: c",
    "naïve café",
    "日本",
    "🌱 grows",
    'she said "no"',
    "two\nlines",
    " blank ",
    "0",
    "null",
    "back\\slash",
)
TROUBLES = ("too late: again", "out of reach", "nobody there", "wet: very wet", "zu spät", "code 17: see manual", "hm…")
