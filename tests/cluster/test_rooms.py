"""Tests of rooms in which two connections or a request depend on each other, with these on different processes."""

from __future__ import annotations

from ..rooms.test_backgammon import test_a_spectator_sees_men_and_dice, test_a_whole_game_is_won
from ..rooms.test_checkers import test_a_whole_game_with_captures_chains_and_a_king_is_won
from ..rooms.test_draws import (
    test_a_declined_offer_lapses_and_the_game_continues,
    test_a_draw_by_agreement,
    test_a_player_may_resign_in_either_players_turn,
)
from ..rooms.test_matchmaking import (
    test_a_player_who_disconnects_in_the_queue_is_not_paired,
    test_a_player_who_left_the_queue_is_not_paired,
    test_agents_cannot_leave_the_queue_for_others,
    test_guests_meet_guests_under_fresh_ids,
    test_it_can_be_too_late_to_leave,
    test_joining_twice_keeps_the_place,
    test_modes_games_and_tenants_mix_only_in_training,
    test_rooms_lists_running_games_between_people,
    test_training_is_anonymous,
    test_two_people_meet_over_backgammon,
    test_two_people_meet_over_checkers,
)
from ..rooms.test_practice import (
    test_a_hint_is_one_of_the_legal_moves,
    test_a_move_and_its_reply_are_taken_back,
    test_a_phrase_reaches_both_players_and_nobody_else,
    test_a_player_who_was_away_during_a_takeback_gets_it_and_what_followed,
    test_rematches_count_the_results,
)
from ..rooms.test_private_rooms import test_a_friend_joins_with_the_code
from ..rooms.test_published_examples import (
    test_a_player_of_the_example_joins_chooses_a_bot_comes_back_and_sees_the_result,
)
from ..rooms.test_reconnect import (
    test_a_guest_returns_with_the_private_token,
    test_a_player_who_only_saw_the_start_gets_the_whole_game,
    test_a_returning_player_gets_missed_messages_in_order_and_once,
    test_an_id_alone_does_not_resume_a_game,
    test_backgammon_continues_where_it_was,
    test_without_a_version_only_the_state_comes,
)
from ..rooms.test_refusals import test_no_move_is_accepted_after_the_end, test_players_cannot_act_for_each_other
from ..rooms.test_rematch import (
    test_guests_get_new_reconnect_tokens_with_the_new_game,
    test_the_old_room_stays_closed,
    test_when_both_ask_a_new_game_starts_with_colours_swapped,
)
from ..rooms.test_sessions import test_a_private_room_may_name_both_players
from ..rooms.test_spectators import test_a_late_spectator_sees_the_rest, test_a_spectator_cannot_act
from ..rooms.test_time_controls import (
    test_a_flag_falls_once_and_for_all_to_see,
    test_who_comes_back_gets_the_clock_as_it_is_by_then,
)
from ..rooms.test_webhooks import (
    notified_app,
    notified_tenant,
    test_a_failed_delivery_is_repeated_unchanged,
    test_a_whole_game_of_checkers_is_reported_in_order,
    test_both_sessions_of_a_game_between_people_are_reported,
)
