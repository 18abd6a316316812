// Keeps right-to-left names from changing the direction of the text around them.

const OVERRIDES = /[\u202a-\u202e\u2066-\u2069]/g;
const FROM_RIGHT = /[\u0590-\u08ff\u200f\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

export function isolated(name) {
  const plain = name.replace(OVERRIDES, "");
  return FROM_RIGHT.test(plain) ? `\u2068${plain}\u2069` : plain;
}
