/**
 * UUIDv7 (RFC 9562 §5.7): ids that carry their time of creation, and with it a moment that a signature covers.
 *
 * @module
 */

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/** Creates an id for a moment, in milliseconds since 1970; moments before 1970 count as 1970. */
export function createUuidV7(ms: number): string {
  const time = Math.max(0, ms);
  // A random UUIDv4 has variant and random bits where a UUIDv7 has them; making one is five times quicker than bytes.
  return `${toHex(time / 2 ** 32)}${toHex(time / 2 ** 16)}-${toHex(time)}-7${
    crypto.randomUUID().slice(15)
  }`;
}

/** The lowest 16 bits. Numbers as small as that have a quick way to text. */
function toHex(value: number): string {
  return (0x10000 | (value & 0xffff)).toString(16).slice(1);
}

/** The moment inside a UUIDv7, in milliseconds since 1970; undefined for any other id. */
export function readUuidV7Time(id: string): number | undefined {
  return UUID_V7.test(id) ? parseInt(id.slice(0, 8) + id.slice(9, 13), 16) : undefined;
}
