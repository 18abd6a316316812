// React hooks and components for rooms, boards and whole games.
import { createElement, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { LudusRoom } from "./index.js";

/** After which to ask again when no answer came. */
const RETRY_MS = 1000;
const NOTHING = Object.freeze([]);
const BEFORE = Object.freeze({
  link: "connecting", waiting: null, roomId: null, playerId: null, color: null, theme: null, players: NOTHING, me: null,
  opponent: null, position: null, history: NOTHING, last: null, isMine: false, over: null, away: null, gone: false,
  offer: null, warned: null, rematch: NOTHING, deadline: null, timeControl: null, clock: null, problem: null, lost: null,
});
/** Effects that must run before the browser paints; there are none on a server. */
const useBoardEffect = typeof document === "undefined" ? useEffect : useLayoutEffect;

/** Connects while the component is mounted: the state of the room, the legal moves and the commands. Another `server`,
 * `game` or `token` is another room; the other options are read when it connects. */
export function useLudusRoom(options) {
  const { server, game, token = null } = options;
  const latest = useRef(options);
  latest.current = options;
  const [room, setRoom] = useState(null);
  useEffect(() => {
    const made = new LudusRoom(latest.current);
    setRoom(made);
    return () => {
      made.disconnect();
      setRoom(null);
    };
  }, [server, game, token]);
  const state = useSyncExternalStore(room ? room.subscribe : unchanging, room ? room.snapshot : before, before);
  const [attempt, setAttempt] = useState(0);
  const retry = useCallback(() => setAttempt((number) => number + 1), []);
  const moves = useLegalMoves(room, state, attempt, retry);
  const [refusal, setRefusal] = useState(null);
  const move = useCallback(async (wanted) => {
    try {
      const stored = await room.move(wanted);
      setRefusal(null);
      return stored;
    } catch (error) {
      setRefusal(error);
      retry();
      throw error;
    }
  }, [room, retry]);
  const steps = useCallback((soFar) => room.nextSteps(soFar), [room]);
  const onMove = useCallback((chosen) => { move(chosen).catch(() => {}); }, [move]);  // a refusal is part of the state
  // A board shows a chosen move at once: after a refusal it needs the old position again.
  const position = useMemo(() => state.position && { ...state.position }, [state.position, attempt]);
  const { last, color: side, theme } = state;
  const board = useMemo(
    () => ({ game, position, moves, last, side, theme, steps, onMove }),
    [game, position, moves, last, side, theme, steps, onMove],
  );
  return useMemo(() => ({ ...state, room, moves, move, refusal, board }), [state, room, moves, move, refusal, board]);
}

const unchanging = () => () => {};
const before = () => BEFORE;

/** The legal moves of the player's turn; `attempt` asks for them again. */
function useLegalMoves(room, { position, isMine, link }, attempt, retry) {
  const [moves, setMoves] = useState(NOTHING);
  useEffect(() => {
    setMoves(NOTHING);
    if (!isMine || link !== "online") return undefined;
    let timer = null;
    let isCurrent = true;
    room.legalMoves().then(
      (found) => { if (isCurrent) setMoves(found); },
      () => { if (isCurrent) timer = setTimeout(retry, RETRY_MS); },
    );
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [room, position, isMine, link, attempt, retry]);
  return moves;
}

/** A board, `<ludus-checkers>` and the like. `useLudusRoom(…).board` has the properties for a game that is played. */
export function LudusBoard({ server, game, position, moves, last, advice, side, theme, labels, steps, onMove, ...attributes }) {
  const board = useElement(`${server}/embed/ludus-${game}.js`, { "ludus-move": onMove });
  useProperty(board, "steps", steps);
  useProperty(board, "labels", labels);
  useProperty(board, "theme", theme);
  useProperty(board, "side", side ?? undefined);
  useProperty(board, "last", last);
  useProperty(board, "advice", advice);
  useProperty(board, "position", position ?? undefined);
  useProperty(board, "moves", moves);
  return createElement(`ludus-${game}`, { ...attributes, ref: board });
}

/** Sets a property when it changes: setting some of them again would cancel a move in progress. */
function useProperty(element, name, value) {
  useBoardEffect(() => { if (value !== undefined) element.current[name] = value; }, [element, name, value]);
}

/** A whole game, `<ludus-game>`, with its own connection, clock and buttons. */
export function LudusGame({ server, onStarted, onMoved, onOver, onProblem, ...attributes }) {
  const element = useElement(`${server}/embed/ludus-game.js`, {
    "ludus-started": onStarted, "ludus-moved": onMoved, "ludus-over": onOver, "ludus-problem": onProblem,
  });
  return createElement("ludus-game", { ...attributes, server, ref: element });
}

/** A ref to a custom element of the server, with listeners that get an event's detail. */
function useElement(module, listeners) {
  const element = useRef(null);
  const latest = useRef(listeners);
  latest.current = listeners;
  useEffect(() => { import(/* webpackIgnore: true */ /* @vite-ignore */ module); }, [module]);
  useEffect(() => {
    const [found, listen] = [element.current, ({ type, detail }) => latest.current[type]?.(detail)];
    for (const name of Object.keys(latest.current)) found.addEventListener(name, listen);
    return () => { for (const name of Object.keys(latest.current)) found.removeEventListener(name, listen); };
  }, [module]);
  return element;
}
