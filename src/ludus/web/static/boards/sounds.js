// Short synthesized sounds; there are no audio files. Silent until `setSound(true)`.

/** Notes of each sound: length in seconds, pitch in Hz, share of noise, volume. */
const SOUNDS = {
  move: [[0.07, 320, 0.8, 0.5]],
  capture: [[0.06, 260, 0.9, 0.6], [0.09, 190, 0.7, 0.5]],
  king: [[0.08, 520, 0.1, 0.3], [0.12, 780, 0.05, 0.3]],
  dice: [[0.04, 900, 1, 0.35], [0.04, 700, 1, 0.3], [0.05, 820, 1, 0.35], [0.07, 520, 1, 0.3]],
  notice: [[0.12, 660, 0, 0.25]],
  won: [[0.12, 523, 0, 0.3], [0.12, 659, 0, 0.3], [0.25, 784, 0, 0.3]],
  lost: [[0.16, 392, 0, 0.25], [0.3, 294, 0, 0.25]],
  draw: [[0.16, 440, 0, 0.25], [0.16, 440, 0, 0.25]],
  phrase: [[0.06, 880, 0, 0.2], [0.08, 990, 0, 0.2]],
};

let context = null;
let isOn = false;

export function setSound(value) { isOn = value; }

export function play(name) {
  if (!isOn || !SOUNDS[name] || navigator.userActivation?.hasBeenActive === false) return;  // browsers are silent before a gesture
  context ??= new AudioContext();
  let start = context.currentTime + 0.01;
  for (const [length, pitch, noise, volume] of SOUNDS[name]) {
    knock(start, length, pitch, noise, volume);
    start += length * 0.9;
  }
}

function knock(start, length, pitch, noise, volume) {
  const gain = context.createGain();
  gain.gain.setValueAtTime(volume * 0.5, start);
  gain.gain.exponentialRampToValueAtTime(0.001, start + length);
  gain.connect(context.destination);
  if (noise < 1) tone(start, length, pitch, gain);
  if (noise > 0) hiss(start, length, pitch, noise, gain);
}

function tone(start, length, pitch, gain) {
  const source = new OscillatorNode(context, { type: "triangle", frequency: pitch });
  source.connect(gain);
  source.start(start);
  source.stop(start + length);
}

function hiss(start, length, pitch, share, gain) {
  const buffer = context.createBuffer(1, Math.ceil(length * context.sampleRate), context.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let at = 0; at < samples.length; at++) samples[at] = (Math.random() * 2 - 1) * share;
  const source = new AudioBufferSourceNode(context, { buffer });
  const filter = new BiquadFilterNode(context, { type: "bandpass", frequency: pitch * 3, Q: 1.2 });
  source.connect(filter).connect(gain);
  source.start(start);
}
