/**
 * A worker for the conformance kit. The worker contains the everything server, in a Durable Object
 * because sessions outlive requests, and the driver for our libraries at `/driver`.
 *
 * @module
 */

import { createEverythingHandler } from "../../../conformance/drivers/typescript/everything.ts";
import { drive } from "./driver_socket.ts";

/** A Durable Object in which all requests share one server. */
export class Everything {
  readonly #creating = createEverythingHandler();

  /** Handles a request from a client. */
  async fetch(request: Request): Promise<Response> {
    const handle = await this.#creating;
    return await handle(request);
  }
}

interface Environment {
  readonly EVERYTHING: {
    idFromName(name: string): unknown;
    get(id: unknown): { fetch(request: Request): Promise<Response> };
  };
}

export default {
  /** Handles a request from the kit. */
  async fetch(request: Request, { EVERYTHING }: Environment): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname !== "/driver") {
      return await EVERYTHING.get(EVERYTHING.idFromName("kit")).fetch(request);
    }
    await drive(searchParams.get("address") ?? "");
    return new Response("good-bye");
  },
};
