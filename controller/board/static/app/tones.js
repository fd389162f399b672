// Tones one after the other, made by the browser: no file, nothing to load.

let context = null;

/** Play [pitch in Hz, begin in s, length in s]; `loud` is 0 to 1. A browser that was not touched yet lets nothing be heard. */
export function sounded(tones, loud) {
  context ??= new AudioContext();
  for (const [pitch, after, length] of tones) {
    const tone = context.createOscillator();
    const gain = context.createGain();
    const at = context.currentTime + after;
    tone.frequency.value = pitch;
    tone.type = "triangle";
    gain.gain.setValueAtTime(loud, at);
    gain.gain.exponentialRampToValueAtTime(0.001, at + length);
    tone.connect(gain).connect(context.destination);
    tone.start(at);
    tone.stop(at + length);
  }
}
