// Commands that the server hasn't confirmed yet: sent in order, and again after every break of the connection.

const PAUSE_MS = 1000;

export class Outbox {
  #commands = [];
  #isSending = false;
  #emit;
  #isOpen;

  /** `emit(event, data)` resolves to the server's answer; `isOpen()` tells whether it can be asked. */
  constructor({ emit, isOpen }) {
    this.#emit = emit;
    this.#isOpen = isOpen;
  }

  /** Resolves to the server's answer, however late; a refusal is thrown as `{code, message}`. A command that's already
   * pending isn't sent twice. */
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
    if (this.#commands.length && this.#isOpen()) setTimeout(() => this.send(), PAUSE_MS);
  }

  /** False if no answer came: the command stays for a later try. */
  async #deliver(command) {
    let answer;
    try {
      answer = await this.#emit(command.event, command.payload);
    } catch {
      return !this.#commands.includes(command);
    }
    this.#commands = this.#commands.filter((each) => each !== command);
    if (answer.ok) command.resolve(answer);
    else command.reject(answer.error);
    return true;
  }

  /** Drops commands that were meant for another game. */
  clear() { this.#commands = []; }
}

/** A random id; works outside secure contexts too, unlike `crypto.randomUUID`. */
function freshId() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
