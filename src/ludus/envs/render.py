"""Renders boards as text, as pixels, or in a window if there is a display."""

from __future__ import annotations

import os
import sys
import threading
from functools import cache
from typing import TYPE_CHECKING, Final, Protocol

from ludus.core.board import Board
from ludus.core.errors import UnknownOption
from ludus.core.extras import extra
from ludus.core.picture import Picture

if TYPE_CHECKING:
    import tkinter

    import numpy as np
    from numpy.typing import NDArray

RENDER_MODES: Final = ("human", "ansi", "rgb_array")


class Renderer:
    """Renders in one of `RENDER_MODES`, or not at all if the mode is None."""

    def __init__(self, render_mode: str | None) -> None:
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise UnknownOption(f"there is no render_mode {render_mode!r}; there are {', '.join(RENDER_MODES)}")
        self.render_mode = render_mode
        self._screen: Screen | None = None

    def __reduce__(self) -> tuple[type[Renderer], tuple[str | None]]:
        """A copy opens a window of its own."""
        return Renderer, (self.render_mode,)

    def draw(self, board: Board) -> str | NDArray[np.uint8] | None:
        """A string (`ansi`), an array of height × width × RGB (`rgb_array`), or None."""
        match self.render_mode:
            case "human":
                self._show(board)
            case "ansi":
                return board.text()
            case "rgb_array":
                return _paint(board.picture())
        return None

    def _show(self, board: Board) -> None:
        if self._screen is None:
            self._screen = open_screen()
        self._screen.show(board)

    def close(self) -> None:
        """Closes the window; drawing again opens a new one."""
        if self._screen is not None:
            self._screen.close()
            self._screen = None


class Screen(Protocol):
    def show(self, board: Board) -> None: ...

    def close(self) -> None: ...


def open_screen() -> Screen:
    """A window if there is a display and Python has Tk, else the terminal."""
    if not has_display() or threading.current_thread() is not threading.main_thread():
        return Terminal()
    try:
        import tkinter
    except ImportError:
        return Terminal()
    try:
        return Window(tkinter.Toplevel(_desktop(), class_="Ludus"))
    except tkinter.TclError:  # DISPLAY is set, but nothing answers
        return Terminal()


def has_display() -> bool:
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


class Terminal:
    def show(self, board: Board) -> None:
        text, encoding = board.text(colour=_has_colour()), sys.stdout.encoding or "utf-8"
        sys.stdout.write(text.encode(encoding, "replace").decode(encoding) + "\n")
        sys.stdout.flush()

    def close(self) -> None:
        """Nothing to close."""


def _has_colour() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


class Window:
    """Handles its events whenever it shows a board. Once the user has closed it, it stays closed."""

    def __init__(self, frame: tkinter.Toplevel) -> None:
        import tkinter

        self._frame: tkinter.Toplevel | None = frame
        self._image = tkinter.PhotoImage(master=frame)
        frame.resizable(False, False)
        frame.protocol("WM_DELETE_WINDOW", self.close)
        tkinter.Label(frame, image=self._image, borderwidth=0).pack()

    def show(self, board: Board) -> None:
        if self._frame is None:
            return
        picture = board.picture()
        pixels = _paint(picture)
        height, width, _ = pixels.shape
        self._image.configure(data=b"P6 %d %d 255\n" % (width, height) + pixels.tobytes())
        self._frame.title(picture.title)
        self._frame.update()

    def close(self) -> None:
        if self._frame is not None:
            frame, self._frame = self._frame, None
            frame.destroy()
            _desktop().update()


@cache
def _desktop() -> tkinter.Tk:
    """Kept forever: Tk aborts the process if its last reference is dropped in another thread."""
    import tkinter

    root = tkinter.Tk(className="Ludus")
    root.withdraw()
    return root


def _paint(picture: Picture) -> NDArray[np.uint8]:
    with extra("envs"):
        from ludus.core.pixels import paint

    return paint(picture)
