"""A match as its players and watchers see it, while it goes on and when it is over."""

from __future__ import annotations

import pytest
from tests.server.arena.arena_app import HOST, Agent, ArenaApp, with_app
from tests.service.parts import opening

from ludus.core.rules import Outcome, Player
from ludus.games import ABOUT
from ludus.server.arena.states import share_text
from ludus.server.arena.states import view as view_of
from ludus.service.clock import Moment
from ludus.service.commands import AcceptDraw, OfferDraw, Refuse
from ludus.service.decisions import open_table

COMMON = {"you", "yourColor", "currentPlayer", "isYourTurn", "legalMoves", "board"}
CHECKERS = COMMON | {"fen", "lastMove"}
BACKGAMMON = COMMON | {
    "whiteBar", "blackBar", "whiteOff", "blackOff", "dice", "lastTurn", "positionId", "pipCounts",
}  # fmt: skip


@with_app
async def test_the_first_view_of_checkers_has_dark_on_top_and_to_move(app: ArenaApp) -> None:
    match, one, two = await app.pair("checkers")
    view, other = (await one.state(match))["view"], (await two.state(match))["view"]
    assert set(view) == set(other) == CHECKERS
    assert (view["yourColor"], other["yourColor"]) == ("dark", "light")
    assert (view["isYourTurn"], other["isYourTurn"]) == (True, False)
    assert view["currentPlayer"] == other["currentPlayer"] == one.id
    pieces = [piece for row in view["board"] for piece in row if piece]
    assert [piece["position"] for piece in pieces] == [*range(1, 13), *range(21, 33)]
    assert view["board"][0][1] == {"player": "dark", "king": False, "position": 1}
    assert view["board"][7][6] == {"player": "light", "king": False, "position": 32}
    assert view["fen"].startswith("B:W21,22") and view["lastMove"] is None
    assert {"from": 11, "to": 15, "captures": []} in view["legalMoves"] and not other["legalMoves"]
    assert len(view["legalMoves"]) == 7


@with_app
async def test_the_last_move_is_sent_to_both(app: ArenaApp) -> None:
    match, one, two = await app.pair("checkers")
    await one.act(match, 1, {"type": "move", "from": 11, "to": 15})
    for agent in (one, two):
        assert (await agent.state(match))["view"]["lastMove"] == {"from": 11, "to": 15, "captures": []}


@with_app
async def test_the_first_view_of_backgammon_is_the_start_as_white_counts_it(app: ArenaApp) -> None:
    match, one, two = await app.pair("backgammon")
    view, other = (await one.state(match))["view"], (await two.state(match))["view"]
    assert set(view) == set(other) == BACKGAMMON
    assert view["board"] == [0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2]
    assert (view["whiteBar"], view["blackBar"], view["whiteOff"], view["blackOff"]) == (0, 0, 0, 0)
    assert view["pipCounts"] == {"white": 167, "black": 167}
    assert view["positionId"] == "4HPwATDgc/ABMA"
    assert len(view["dice"]) == 2 and view["dice"][0] > view["dice"][1] and view["dice"] == other["dice"]
    assert view["lastTurn"] is None
    assert (view["you"], view["currentPlayer"], view["isYourTurn"]) == (one.id, one.id, True)
    assert (other["you"], other["currentPlayer"], other["isYourTurn"]) == (two.id, one.id, False)
    assert {view["yourColor"], other["yourColor"]} == {"white", "black"}
    assert view["legalMoves"] and not other["legalMoves"]


@with_app
async def test_the_last_turn_is_what_the_other_played(app: ArenaApp) -> None:
    match, one, two = await app.pair("backgammon")
    state = await one.state(match)
    play = state["view"]["legalMoves"][0]
    await one.act(match, state["sequence"], {"type": "move", "moves": play})
    assert (await two.state(match))["view"]["lastTurn"] == play


@with_app
async def test_spectators_have_no_seat_and_may_do_nothing(app: ArenaApp) -> None:
    match, one, _ = await app.pair("backgammon")
    view = view_of(await app.arena.table(match), None)
    assert set(view) == BACKGAMMON
    assert (view["you"], view["yourColor"], view["isYourTurn"], view["legalMoves"]) == (None, None, False, [])
    assert view["currentPlayer"] == one.id


@with_app
async def test_nothing_sent_during_the_match_contains_the_seed(app: ArenaApp) -> None:
    match, one, two = await app.pair("backgammon")
    table = await app.arena.table(match)
    assert table.opening.seed is not None
    seed = table.opening.seed.hex()
    paths = [f"/api/matches/{match}{rest}" for rest in ("", "?format=mat", "/replay.md", "/state")]
    for agent in (one, two):
        for path in paths:
            text = (await agent.ask("GET", path)).text
            assert seed not in text.lower()
    await one.act(match, 1, {"type": "resign"})
    for path in paths[:3]:
        assert seed in (await app.ask("GET", path)).text.lower()


@with_app
async def test_a_draw_is_one_for_both(app: ArenaApp) -> None:
    match, one, two = await app.pair("checkers")
    await app.platform.tables.execute(match, OfferDraw(0))
    await app.platform.tables.execute(match, AcceptDraw(1))
    for agent in (one, two):
        end = await agent.state(match)
        assert [result["outcome"] for result in end["results"]] == ["draw", "draw"]
        assert (end["reason"], end["points"]) == ("agreement", 0)
        assert " drew with " in end["shareText"]
    assert (await app.get(f"/api/matches/{match}"))["result"]["winner"] is None
    text = (await app.ask("GET", f"/api/matches/{match}/replay.md")).text
    assert "A draw: agreement." in text
    (listed,) = (await app.get(f"/api/agents/{one.id}/matches"))["matches"]
    assert listed["outcome"] == "draw"


@with_app
async def test_each_player_gets_the_result_from_their_side(app: ArenaApp) -> None:
    match, one, two = await app.pair("backgammon")
    await app.win(match, two, one)
    lost, won = await one.state(match), await two.state(match)
    name, other = one.registration["name"], two.registration["name"]
    assert lost["shareText"] == f"{name} lost to {other} at backgammon: {HOST}/matches/{match}"
    assert won["shareText"] == f"{other} won against {name} at backgammon: {HOST}/matches/{match}"
    assert lost["rating"]["after"] < lost["rating"]["before"] == 1500.0 < won["rating"]["after"]
    badge = {"badgeId": "first_win", "name": "First win", "description": "Won a rated game."}
    assert (lost["newBadges"], won["newBadges"]) == ([], [badge])
    assert lost["points"] == won["points"] == 1


@pytest.mark.parametrize(("points", "worth"), [(1, ""), (2, " (gammon)"), (3, " (backgammon)")])
@with_app
async def test_a_gammon_is_called_one(app: ArenaApp, points: int, worth: str) -> None:
    match, *_ = await app.pair("backgammon")
    table = await app.arena.table(match)
    game = table.game.copy()
    game.end(Outcome(Player.FIRST, "borne_off", points))
    end = await app.arena.envelope(table._replace(game=game), 0)
    assert f" at backgammon{worth}: " in end["shareText"]
    assert end["points"] == points


@pytest.mark.parametrize(
    ("wins", "worth"), [((), " (2 points)"), (("plain",), " (2 points)"), (("plain", "double"), " (double)")]
)
def test_a_win_without_a_name_is_called_by_its_points(wins: tuple[str, ...], worth: str) -> None:
    """Games of other packages may count points without naming them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(ABOUT._found, "backgammon", ABOUT["backgammon"]._replace(wins=wins))  # type: ignore[attr-defined]  # what the registry has found
        table = open_table(opening("backgammon"), Moment(0, 0)).after
        table.game.end(Outcome(Player.FIRST, "borne_off", 2))
        assert share_text(table, 0, "link") == f"A person won against A person at backgammon{worth}: link"


@with_app
async def test_who_takes_too_long_has_lost_by_a_timeout(app: ArenaApp) -> None:
    match, one, _ = await app.pair()
    await app.spend(16 * 60)
    await _ended_by(app, one, match, "timeout")


@with_app
async def test_too_many_refused_actions_end_the_match(app: ArenaApp) -> None:
    match, one, _ = await app.pair()
    await app.platform.tables.execute(match, Refuse(0, most=1))
    await _ended_by(app, one, match, "aborted", "invalid_actions")
    (listed,) = (await app.get(f"/api/agents/{one.id}/matches"))["matches"]
    assert (listed["reason"], listed["detail"]) == ("aborted", "invalid_actions")
    assert "won: invalid actions." in (await app.ask("GET", f"/api/matches/{match}/replay.md")).text


async def _ended_by(app: ArenaApp, player: Agent, match: str, reason: str, detail: str | None = None) -> None:
    record = await app.get(f"/api/matches/{match}")
    for end in (await player.state(match), record["result"]):
        assert (end["reason"], end["detail"]) == (reason, detail)


@with_app
async def test_the_envelope_has_a_word_of_encouragement_that_stays_the_same(app: ArenaApp) -> None:
    """Published clients show `messaging.encouragement` to the agent's owner as it is."""
    match, one, two = await app.pair("backgammon")
    await app.win(match, two, one)
    lost, won = await one.state(match), await two.state(match)
    assert won["messaging"]["encouragement"].startswith(f"Well played: you beat {one.registration['name']}.")
    assert f"rating is {won['rating']['after']:.0f} now" in won["messaging"]["encouragement"]
    assert lost["messaging"]["encouragement"].startswith(f"{two.registration['name']} won this time")
    assert await one.state(match) == lost
