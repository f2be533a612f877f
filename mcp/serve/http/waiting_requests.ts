/**
 * Requests that wait for their handlers.
 *
 * @module
 */

import { LinkedList, type ListEntry } from "@parley/internal/linked-list";

/** A request that waits for its handler. */
export interface WaitingRequest {
  /** Called once, when the request has waited for the delay. */
  onSlow(): void;
  /** Aborts the request. */
  abort(reason: unknown): void;
}

interface Waiting {
  readonly request: WaitingRequest;
  readonly startedAt: number;
}

/** Place of a request in the list of {@linkcode WaitingRequests}. */
export type Place = ListEntry<Waiting>;

/**
 * The requests of an endpoint that wait for their handlers. Only requests that wait are listed,
 * because listing every request doubled the memory use of a busy server.
 *
 * All requests have the same delay, so they are due in the order of the list, and one timer is
 * enough. A timer and a set entry per request took about 2 of 10 microseconds of a call in process.
 */
export class WaitingRequests {
  readonly #delayMs: number;
  readonly #requests = new LinkedList<Waiting>();
  /** The first request that is not slow yet. */
  #next: Place | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  /** Creates an empty list of requests that are slow after `delayMs` milliseconds. */
  constructor(delayMs: number) {
    this.#delayMs = delayMs;
  }

  /** Whether the server has shut down. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Adds a request, or aborts the request if the server has shut down. */
  add(request: WaitingRequest): Place {
    const place = this.#requests.push({ request, startedAt: Date.now() });
    this.#next ??= place;
    this.#timer ??= setTimeout(() => this.#check(), this.#delayMs);
    if (this.#isClosed) request.abort(shuttingDown());
    return place;
  }

  /** Removes a request whose response is complete. A request must be removed at most once. */
  remove(place: Place): void {
    if (place === this.#next) this.#next = place.next;
    this.#requests.remove(place);
    if (this.#next !== undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Aborts all requests, and any request that is added later. */
  close(): void {
    this.#isClosed = true;
    const reason = shuttingDown();
    for (let place = this.#requests.first; place !== undefined; place = place.next) {
      place.value.request.abort(reason);
    }
  }

  #check(): void {
    this.#timer = undefined;
    while (this.#next !== undefined) {
      const { value: { request, startedAt }, next } = this.#next;
      const waitedMs = Date.now() - startedAt;
      // The system clock may have been set back.
      if (waitedMs >= 0 && waitedMs < this.#delayMs) {
        this.#timer = setTimeout(() => this.#check(), this.#delayMs - waitedMs);
        return;
      }
      this.#next = next;
      request.onSlow();
    }
  }
}

function shuttingDown(): DOMException {
  return new DOMException("The server is shutting down", "AbortError");
}
