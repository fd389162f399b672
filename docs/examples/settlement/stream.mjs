// Which message may be processed now. Pure.
import { createHash } from 'node:crypto';

const LATE = '"historical":true,';

/** The bytes that are hashed: a message that was sent late has one more member, just before its id. */
export function canonical(text) {
  const id = text.lastIndexOf('"id":"');
  const late = text.slice(0, id).endsWith(LATE);
  return late ? text.slice(0, id - LATE.length) + text.slice(id) : text;
}

export function hashOf(text) {
  return createHash('sha256').update(canonical(text)).digest('hex');
}

/**
 * `next`, `repeat`, `gap`, `other_epoch` or `broken_chain`. `place` is what we hold; its hash is null if
 * we start in the middle of a stream and know only the number.
 */
export function verdict(place, message) {
  if (message.epoch !== place.epoch) return 'other_epoch';
  if (message.sequence <= place.sequence) return 'repeat';
  if (message.sequence > place.sequence + 1) return 'gap';
  if (place.hash !== null && message.prevhash !== place.hash) return 'broken_chain';
  return 'next';
}
