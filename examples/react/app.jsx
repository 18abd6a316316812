// Checkers or backgammon against a bot, as a guest. With a session's token it works the same.
import { useState } from "react";
import { createRoot } from "react-dom/client";
import { seatStore } from "ludus-client";
import { LudusBoard, useLudusRoom } from "ludus-client/react";

const server = new URLSearchParams(location.search).get("server") ?? "http://127.0.0.1:8000";

function Table({ game, onLeave }) {
  const { board, history, isMine, link, lost, opponent, over, playerId, refusal, room } = useLudusRoom({
    server,
    game,
    join: { username: "Rea", wantsBot: true, botDifficulty: "easy" },
    store: seatStore(sessionStorage),  // a reload returns to the game
  });
  const leave = () => {
    room?.close();
    onLeave();
  };
  if (lost) return <Ended text={lost.message} onLeave={leave} />;
  if (over) return <Ended text={over.winner === playerId ? "You win." : `Not this time: ${over.reason}.`} onLeave={leave} />;
  return (
    <>
      <LudusBoard server={server} {...board} />
      <p role="status">
        {link !== "online" ? "Connecting…" : isMine ? "Your turn" : `${opponent?.displayName} is thinking`}
        {refusal && `. ${refusal.message}`}
      </p>
      <p>{history.length} moves</p>
      <button onClick={() => room.resign()}>Resign</button>
    </>
  );
}

const Ended = ({ text, onLeave }) => <p role="status">{text} <button onClick={onLeave}>Another game</button></p>;

function App() {
  const [game, setGame] = useState(sessionStorage.getItem("game"));
  const choose = (chosen) => {
    if (chosen) sessionStorage.setItem("game", chosen);
    else sessionStorage.removeItem("game");
    setGame(chosen);
  };
  if (game) return <Table game={game} onLeave={() => choose(null)} />;
  return ["checkers", "backgammon"].map((each) => <button key={each} onClick={() => choose(each)}>{each}</button>);
}

createRoot(document.querySelector("main")).render(<App />);
