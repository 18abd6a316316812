// What is shown of something that the server has to be asked for: the thing, or why it is not there.
import { ApiError, h } from "../shell.js";

export async function drawn(draw) {
  try {
    return [await draw()].flat();
  } catch (error) {
    if (!(error instanceof ApiError)) console.error(error);
    return [h("p", { class: "note bad", role: "alert" }, error.message)];
  }
}
