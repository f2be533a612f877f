/**
 * What clients of the newest servers on the web do not need. It is loaded when it is needed first, and all at once: many
 * small files cost more than they save.
 *
 * @module
 */

export { answerAll } from "./client/input_responses.ts";
export { openPipeSession } from "./client/detect_pipe_era.ts";
export { listenTo } from "./client/subscribe.ts";
export { openClientSession } from "./client/legacy_session.ts";
export { HttpPipe, openHttpConnection } from "./transport/streamable_http.ts";
export { openSseConnection, openSsePipe } from "./transport/sse.ts";
export { bridgeTransport } from "./transport/custom_transport.ts";
