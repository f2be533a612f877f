/**
 * Checks that run sequentially, each with a timeout and one line of output.
 *
 * @module
 */

/** A third-party implementation under test. */
export interface Subject {
  /** Name and version of the package, and the transport. */
  readonly name: string;
  /** Runs the checks for the implementation. */
  run(check: Check): Promise<void>;
}

/** Time limit for all checks of an implementation. */
const SUBJECT_MS = 300_000;

/** Runs one check. The returned promise never rejects. */
export type Check = (name: string, body: () => unknown, timeoutMs?: number) => Promise<void>;

/** Counts of finished checks. */
export interface Tally {
  /** Number of passed checks. */
  passed: number;
  /** Names of the failed checks. */
  readonly failed: string[];
}

/**
 * Runs the checks for an implementation. If the implementation cannot be started, one failed check
 * reports the reason.
 */
export async function runSubject(subject: Subject, tally: Tally): Promise<void> {
  const check: Check = async (name, body, timeoutMs = 10_000) => {
    const started = performance.now();
    const failure = await attempt(body, timeoutMs);
    const took = `${Math.round(performance.now() - started)} ms`;
    const line = `${subject.name}: ${name} (${took})`;
    console.log(`${failure === undefined ? "ok  " : "FAIL"}  ${line}`);
    if (failure === undefined) {
      tally.passed++;
    } else {
      tally.failed.push(line);
      console.log(indent(failure));
    }
  };
  try {
    await within(SUBJECT_MS, "implementation", subject.run(check));
  } catch (error) {
    await check("runs", () => Promise.reject(error));
  }
}

/**
 * Waits for a promise with a timeout.
 *
 * @throws {Error} If the promise is still pending after the timeout.
 */
export async function within<T>(timeoutMs: number, what: string, promise: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new Error(`${what} timed out after ${timeoutMs} ms`)),
    timeoutMs,
  );
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

async function attempt(body: () => unknown, timeoutMs: number): Promise<string | undefined> {
  try {
    await within(timeoutMs, "check", Promise.resolve().then(body));
  } catch (error) {
    return error instanceof Error ? error.stack ?? error.message : Deno.inspect(error);
  }
}

function indent(text: string): string {
  return text.split("\n").slice(0, 24).map((line) => `      ${line}`).join("\n");
}
