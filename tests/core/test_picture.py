from __future__ import annotations

from xml.etree import ElementTree

from ludus.core.picture import Circle, Picture, Polygon, Rect, Text

SVG = "{http://www.w3.org/2000/svg}"
SHAPES = (
    Rect(10, 20, 30, 40, "#112233", 5),
    Circle(50, 60, 7, "#445566"),
    Polygon(((0, 0), (100, 0), (50, 25)), "#778899"),
    Text(80, 90, "a < b & c", 10, "#aabbcc"),
)
PICTURE = Picture(100, 200, SHAPES, 'A "title" & more', "x < y")


def test_every_shape_is_one_tag_in_order() -> None:
    root = ElementTree.fromstring(PICTURE.svg())
    assert [child.tag.removeprefix(SVG) for child in root] == ["title", "desc", "rect", "circle", "polygon", "text"]


def test_words_are_escaped() -> None:
    root = ElementTree.fromstring(PICTURE.svg())
    assert root.findtext(f"{SVG}title") == 'A "title" & more'
    assert root.findtext(f"{SVG}desc") == "x < y"
    assert root.findtext(f"{SVG}text") == "a < b & c"


def test_without_words_there_are_no_tags_for_them() -> None:
    assert len(ElementTree.fromstring(Picture(1, 1, ()).svg())) == 0


def test_a_size_sets_the_width_and_keeps_the_proportions() -> None:
    root = ElementTree.fromstring(PICTURE.svg(50))
    assert (root.get("width"), root.get("height"), root.get("viewBox")) == ("50", "100", "0 0 100 200")
    assert ElementTree.fromstring(PICTURE.svg()).get("width") == "100"


def test_a_turned_picture_is_upside_down() -> None:
    assert PICTURE.turned().shapes == (
        Rect(60, 140, 30, 40, "#112233", 5),
        Circle(50, 140, 7, "#445566"),
        Polygon(((100, 200), (0, 200), (50, 175)), "#778899"),
        Text(20, 110, "a < b & c", 10, "#aabbcc"),
    )


def test_turned_twice_it_is_the_same() -> None:
    assert PICTURE.turned().turned() == PICTURE
