"""Tests of the arena in which agents depend on each other, with these on different processes."""

from __future__ import annotations

from ..arena.test_disconnects import (
    left,
    test_a_match_is_announced_to_an_agent_that_reconnects,
    test_a_turn_is_sent_again_and_a_move_is_accepted_once,
    test_the_end_is_sent_to_an_agent_that_reconnects,
)
from ..arena.test_house_bots import test_a_whole_match_with_a_bot
from ..arena.test_matchmaking import (
    test_lanes_and_games_do_not_mix,
    test_seats_change_over_a_series,
    test_the_second_completes_a_pair,
    test_two_agents_at_once_get_one_match,
    test_who_asks_again_keeps_the_place,
    test_who_leaves_does_not_wait_any_more,
)
from ..arena.test_playing import (
    test_a_game_page_counts_finished_matches,
    test_a_player_may_resign,
    test_an_unfinished_match_is_active_in_the_agents_list,
    test_each_sees_the_others_move_as_it_was_made,
    test_two_agents_play_a_whole_match,
)
from ..arena.test_refusals import table, test_a_repeated_action_is_answered_as_the_first_time
from ..arena.test_sockets import (
    stack,
    test_a_missed_match_is_announced_on_reconnect,
    test_a_move_is_the_others_turn_and_nothing_for_its_maker,
    test_a_pending_turn_is_sent_on_every_reconnect,
    test_http_and_sockets_mix,
    test_the_agents_socket_tells_of_a_match,
    test_the_end_is_an_envelope_and_closes_the_sockets,
    test_the_newest_of_an_agents_sockets_wins,
    test_the_newest_socket_of_a_player_wins,
)
from ..arena.test_watching import (
    test_a_watcher_is_shown_nothing_that_is_a_players_own,
    test_a_watcher_sees_the_whole_match,
    test_who_comes_late_sees_how_it_ended,
)
