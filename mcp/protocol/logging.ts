/**
 * Levels of log messages.
 *
 * @see {@link https://www.rfc-editor.org/rfc/rfc5424#section-6.2.1 RFC 5424, section 6.2.1}
 * @module
 */

/** How urgent a log message is, least urgent first. */
export type LogLevel =
  | "debug"
  | "info"
  | "notice"
  | "warning"
  | "error"
  | "critical"
  | "alert"
  | "emergency";

/** All levels, least urgent first. */
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

/** Whether a value is a level. */
export function isLogLevel(value: unknown): value is LogLevel {
  return LOG_LEVELS.some((level) => level === value);
}

/** Whether a message of this level is wanted by somebody who asked for `least` and more urgent. */
export function isWanted(level: LogLevel, least: LogLevel): boolean {
  return LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(least);
}
