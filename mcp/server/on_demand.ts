/**
 * What few servers need. It is loaded when it is needed first, and all at once: many small files cost more than they save.
 *
 * @module
 */

export { completionMethod } from "./completion.ts";
export { answerAlone } from "./handle_single_request.ts";
export { RequestStateSeal } from "./request_state.ts";
export { listenMethod } from "./subscriptions.ts";
