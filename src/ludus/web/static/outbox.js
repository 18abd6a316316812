// What a player did and the server has not confirmed: sent in order, and again after every break of the line, which is harmless.

const PAUSE_MS = 1000;

export class Outbox {
  #letters = [];
  #isBusy = false;
  #emit;
  #isOpen;

  /** `emit(event, data)` asks the server and returns its answer, whatever it says; `isOpen()` tells whether it can be asked. */
  constructor({ emit, isOpen }) {
    this.#emit = emit;
    this.#isOpen = isOpen;
  }

  /** The server's answer, however late it comes; a refusal is thrown as `{code, message}`. What waits already is not sent twice. */
  post(event, data) {
    const text = JSON.stringify([event, data]);
    const same = this.#letters.find((each) => each.text === text);
    if (same) return same.answer;
    const letter = { event, text, payload: { commandId: freshId(), ...data } };
    letter.answer = new Promise((resolve, reject) => Object.assign(letter, { resolve, reject }));
    this.#letters.push(letter);
    this.send();
    return letter.answer;
  }

  /** Sends what waits, one after the other. */
  async send() {
    if (this.#isBusy) return;
    this.#isBusy = true;
    while (this.#letters.length && this.#isOpen() && (await this.#deliver(this.#letters[0])));
    this.#isBusy = false;
    if (this.#letters.length && this.#isOpen()) setTimeout(() => this.send(), PAUSE_MS);
  }

  /** False where no answer came: the letter stays, for a later try. */
  async #deliver(letter) {
    let answer;
    try {
      answer = await this.#emit(letter.event, letter.payload);
    } catch {
      return !this.#letters.includes(letter);
    }
    this.#letters = this.#letters.filter((each) => each !== letter);
    if (answer.ok) letter.resolve(answer);
    else letter.reject(answer.error);
    return true;
  }

  /** Forgets what was meant for another game. */
  clear() { this.#letters = []; }
}

/** An id that nobody else has; works without a secure context too. */
function freshId() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
