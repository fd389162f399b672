// Which message may be processed now. Pure.
import { createHash, createPublicKey, verify } from 'node:crypto';

const LATE = '"historical":true,';
const SIGNED = /,"keyid":"[0-9a-f]{16}","signature":"[\w-]{86}"}$/;

/** The bytes that are hashed: without who signed it, and without the mark of a late one, just before its id. */
export function canonical(signed) {
  const text = signed.replace(SIGNED, '}');
  const id = text.lastIndexOf('"id":"');
  const late = text.slice(0, id).endsWith(LATE);
  return late ? text.slice(0, id - LATE.length) + text.slice(id) : text;
}

export function hashOf(text) {
  return createHash('sha256').update(canonical(text)).digest('hex');
}

/** Whether the owner of this public key (43 characters) signed it: the signature is over the hash, 32 bytes. */
export function signedBy(key, text) {
  const signature = text.match(SIGNED) && JSON.parse(text).signature;
  if (!signature || !isKey(key)) return false;
  const owner = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: key }, format: 'jwk' });
  return verify(null, Buffer.from(hashOf(text), 'hex'), owner, Buffer.from(signature, 'base64url'));
}

export function isKey(key) {
  return typeof key === 'string' && /^[\w-]{43}$/.test(key);
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
