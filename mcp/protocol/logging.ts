/**
 * Log levels (RFC 5424).
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc5424#section-6.2.1 RFC 5424, section 6.2.1}
 * @module
 */

/** Severity of a log message. */
export type LogLevel =
  | "debug"
  | "info"
  | "notice"
  | "warning"
  | "error"
  | "critical"
  | "alert"
  | "emergency";

/** All log levels, in ascending order of severity. */
export const LOG_LEVELS: readonly LogLevel[] = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
];

/** Returns `true` if a value is a log level. */
export function isLogLevel(value: unknown): value is LogLevel {
  return LOG_LEVELS.some((level) => level === value);
}

/** Returns `true` if `level` is at least as severe as `least`. */
export function isWanted(level: LogLevel, least: LogLevel): boolean {
  return LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(least);
}
