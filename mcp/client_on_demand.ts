/**
 * What clients of the newest servers on the web do not need. It is loaded when it is needed first, and all at once: many
 * small files cost more than they save.
 *
 * @module
 */

export { answerAll } from "./client/answer.ts";
export { openPipeSession } from "./client/detect_pipe.ts";
export { listenTo } from "./client/listen.ts";
export { openClientSession } from "./legacy/client_session.ts";
export { HttpPipe, openHttpConnection } from "./legacy/http_pipe.ts";
export { openSseConnection, openSsePipe } from "./legacy/sse_pipe.ts";
export { bridgeTransport } from "./transport/bridge.ts";
