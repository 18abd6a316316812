// Content that depends on the server: the result of `draw`, or an error message.
import { ApiError, h } from "../shell.js";

export async function loadSection(draw) {
  try {
    return [await draw()].flat();
  } catch (error) {
    if (!(error instanceof ApiError)) console.error(error);
    return [h("p", { class: "note bad", role: "alert" }, error.message)];
  }
}
