/**
 * Reader of the HTTP header `Retry-After`.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3 RFC 9110, section 10.2.3}
 * @module
 */

/** Beginning and end of a date in HTTP: the day of the week, and the time zone or the year. */
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,? .*(?:GMT|\d{4})$/;

/**
 * Returns the delay in a `Retry-After` header, in milliseconds. Returns `undefined` if the header
 * is absent or invalid.
 *
 * @param value Value of the header: a number of seconds, also with decimals, or a date.
 */
export function readRetryAfter(value: unknown): number | undefined {
  if (typeof value !== "string") return undefined;
  if (/^\d+(\.\d+)?$/.test(value)) return Number(value) * 1000;
  // `Date.parse()` also accepts other texts, such as "-1".
  const date = HTTP_DATE.test(value) ? Date.parse(value) : NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}
