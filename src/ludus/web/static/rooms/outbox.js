// Commands that the server hasn't confirmed yet: sent in order, and again after every break of the connection.

const PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 8000;

/** The server can't store anything right now; it will, later. */
export const UNAVAILABLE = "unavailable";

/** How long to wait after so many failures: twice as long each time, and not the same for everybody. */
export function backoff(failures) {
  return Math.min(LONGEST_PAUSE_MS, PAUSE_MS * 2 ** (failures - 1)) * (0.5 + Math.random() / 2);
}

export class Outbox {
  #commands = [];
  #isSending = false;
  #failures = 0;
  #emit;
  #isOpen;
  #onProblem;

  /** `emit(event, data)` resolves to the server's answer; `isOpen()` tells whether it can be asked; `onProblem` is called
   * with the reason why a command has to wait, and with null once it doesn't. */
  constructor({ emit, isOpen, onProblem }) {
    this.#emit = emit;
    this.#isOpen = isOpen;
    this.#onProblem = onProblem;
  }

  /** Resolves to the server's answer, however late; a refusal is thrown as `{code, message}`. A command that's already
   * pending isn't sent twice, and one that the server can't store yet is sent again. */
  post(event, data) {
    const key = JSON.stringify([event, data]);
    const pending = this.#commands.find((each) => each.key === key);
    if (pending) return pending.answer;
    const command = { event, key, payload: { commandId: freshId(), ...data } };
    command.answer = new Promise((resolve, reject) => Object.assign(command, { resolve, reject }));
    this.#commands.push(command);
    this.send();
    return command.answer;
  }

  /** Sends pending commands one after the other. */
  async send() {
    if (this.#isSending) return;
    this.#isSending = true;
    while (this.#commands.length && this.#isOpen() && (await this.#deliver(this.#commands[0])));
    this.#isSending = false;
    if (this.#commands.length && this.#isOpen()) setTimeout(() => this.send(), this.#failures ? backoff(this.#failures) : PAUSE_MS);
  }

  /** False if no answer came, or none that lasts: the command stays for a later try. */
  async #deliver(command) {
    let answer;
    try {
      answer = await this.#emit(command.event, command.payload);
    } catch {
      return !this.#commands.includes(command);
    }
    if (answer.error?.code === UNAVAILABLE) {
      this.#failures += 1;
      this.#onProblem(answer.error);
      return false;
    }
    this.#settle();
    this.#commands = this.#commands.filter((each) => each !== command);
    if (answer.ok) command.resolve(answer);
    else command.reject(answer.error);
    return true;
  }

  /** Drops commands that were meant for another game. */
  clear() {
    this.#commands = [];
    this.#settle();
  }

  #settle() {
    if (this.#failures) this.#onProblem(null);
    this.#failures = 0;
  }
}

/** A random id; works outside secure contexts too, unlike `crypto.randomUUID`. */
function freshId() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
