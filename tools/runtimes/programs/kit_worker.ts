/**
 * What the kit judges in a worker: the everything-server, in an object of its own, since sessions outlive requests; and,
 * at `/driver`, the driver of our libraries.
 *
 * @module
 */

import { createEverythingHandler } from "../../../conformance/drivers/typescript/everything.ts";
import { drive } from "./driver_socket.ts";

/** A Durable Object: all requests to it meet in one place. */
export class Everything {
  readonly #handle = createEverythingHandler();

  /** Answers a client. */
  async fetch(request: Request): Promise<Response> {
    return await this.#handle(request);
  }
}

interface Environment {
  readonly EVERYTHING: {
    idFromName(name: string): unknown;
    get(id: unknown): { fetch(request: Request): Promise<Response> };
  };
}

export default {
  /** Answers the kit. */
  async fetch(request: Request, { EVERYTHING }: Environment): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname !== "/driver") {
      return await EVERYTHING.get(EVERYTHING.idFromName("kit")).fetch(request);
    }
    await drive(searchParams.get("address") ?? "");
    return new Response("good-bye");
  },
};
