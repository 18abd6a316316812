// What openapi-typescript makes of the two OpenAPI documents.
import type { operations as Arena } from "./arena.js";
import type { operations as Rooms, webhooks as Webhooks } from "./rooms.js";

type Body<O extends { requestBody: { content: { "application/json": unknown } } }> = O["requestBody"]["content"]["application/json"];

export const session: Partial<Body<Rooms["createSession"]>> = { game: "checkers", matchType: "bot", botDifficulty: "easy" };
// @ts-expect-error: there is no such type of match
export const wrong: Partial<Body<Rooms["createSession"]>> = { game: "checkers", matchType: "solitaire" };
export const made = (answer: Rooms["createSession"]["responses"][201]["content"]["application/json"]): string => answer.sessionToken;
export const query: NonNullable<Arena["getState"]["parameters"]["query"]> = { wait: true, afterSequence: 3 };
export const move: Body<Arena["submitAction"]> = { sequence: 1, action: { type: "move", from: 11, to: 15 } };

type Ended = NonNullable<Webhooks["game.ended"]["post"]["requestBody"]>["content"]["application/json"];
export const winner = (webhook: Ended): string | null => webhook.data.winner;
