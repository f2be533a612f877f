/**
 * Preloaded into servers that would listen on every network: they listen on this machine alone, and say on which port.
 *
 * @module
 */

import { Server } from "node:net";

const { listen } = Server.prototype;

Object.assign(Server.prototype, {
  listen(this: Server, _port: unknown, ...rest: unknown[]): Server {
    this.once("listening", () => {
      const address = this.address();
      if (typeof address === "object") console.error(`listening on port ${address?.port}`);
    });
    const listening = rest.find((each) => typeof each === "function");
    return listen.call(this, { port: 0, host: "127.0.0.1" }, listening as () => void);
  },
});
