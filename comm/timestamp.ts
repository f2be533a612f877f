/**
 * The one timestamp format: RFC 3339. Written in UTC with milliseconds and `Z`; read with any offset and up to nine
 * digits of fraction.
 *
 * @module
 */

const RFC3339 =
  /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?(?:Z|([+-])(\d{2}):(\d{2}))$/;

/**
 * Writes a moment, e.g. `2026-01-02T03:04:05.678Z`.
 *
 * @param ms milliseconds since 1970
 * @throws {RangeError} outside the years 0000 to 9999
 */
export function formatTimestamp(ms: number): string {
  const text = Number.isNaN(ms) || Math.abs(ms) > 8.64e15 ? "" : new Date(ms).toISOString();
  if (text.length !== 24) {
    throw new RangeError(`Cannot write ${ms} as a timestamp: it is outside the years 0000 to 9999`);
  }
  return text;
}

/**
 * Reads a moment as milliseconds since 1970; undefined for anything that is not a strict RFC 3339 date-time. Leap
 * seconds, `-00:00`, and lower-case `t` and `z` are refused.
 */
export function readTimestamp(text: string): number | undefined {
  return readWritten(text) ?? readAny(text);
}

/** The form that is written, and nearly always read, needs no taking apart. */
function readWritten(text: string): number | undefined {
  if (text.length !== 24) return undefined;
  const ms = Date.parse(text);
  return !Number.isNaN(ms) && new Date(ms).toISOString() === text ? ms : undefined;
}

function readAny(text: string): number | undefined {
  const [match, seconds = "", fraction = "", sign, hours = "00", minutes = "00"] =
    RFC3339.exec(text) ?? [];
  if (match === undefined) return undefined;
  const ms = Date.parse(`${seconds}.${fraction.padEnd(3, "0").slice(0, 3)}Z`);
  // The round trip refuses days and hours that Date.parse would carry over, such as February 30 and 24:00.
  if (Number.isNaN(ms) || !new Date(ms).toISOString().startsWith(seconds)) return undefined;
  if (sign === undefined) return ms;
  const offset = Number(hours) * 60 + Number(minutes);
  if (Number(hours) > 23 || Number(minutes) > 59 || (sign === "-" && offset === 0)) {
    return undefined;
  }
  return sign === "+" ? ms - offset * 60_000 : ms + offset * 60_000;
}
