/**
 * What clients of the newest servers on the web do not need. It is loaded when it is needed first, and all at once: many
 * small files cost more than they save.
 *
 * @module
 */

export { handleInputRequests as answerAll } from "./client/input_responses.ts";
export { openPipeSession } from "./client/detect_pipe_era.ts";
export { openSubscription as listenTo } from "./client/subscribe.ts";
export { openLegacySession as openClientSession } from "./client/legacy_session.ts";
export { openStreamableHttpConnection, StreamableHttpPipe } from "./transport/streamable_http.ts";
export { openSseConnection, openSsePipe } from "./transport/sse.ts";
export { fromMcpTransport as bridgeTransport } from "./transport/custom_transport.ts";
