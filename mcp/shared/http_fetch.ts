/**
 * The door to the web that HTTP transports go through, and that authorization stands in.
 *
 * @module
 */

/** What is handed to `fetch`: the usual, and how to stop the clock. */
export interface HttpInit extends RequestInit {
  /**
   * Stops the clock of the call until the promise settles. For what wraps `fetch` and lets a person log in meanwhile;
   * the built-in `fetch` does not look at it.
   */
  readonly pauseTimeout?: (until: Promise<unknown>) => void;
}

/** The built-in `fetch`, or what wraps it, such as authorization. */
export type HttpFetch = (url: string, init: HttpInit) => Promise<Response>;
