/**
 * Preload script for servers that listen on all network interfaces.
 *
 * With this script, the servers listen only on loopback, on the port given by `LOOPBACK_PORT` or on
 * a free port. The script prints the port to standard error.
 *
 * @module
 */

import { Server } from "node:net";
import process from "node:process";

const PORT = Number(process.env.LOOPBACK_PORT ?? 0);
const { listen } = Server.prototype;

Object.assign(Server.prototype, {
  listen(this: Server, _port: unknown, ...rest: unknown[]): Server {
    this.once("listening", () => {
      const address = this.address();
      if (typeof address === "object") console.error(`listening on port ${address?.port}`);
    });
    const listening = rest.find((each) => typeof each === "function");
    return listen.call(this, { port: PORT, host: "127.0.0.1" }, listening as () => void);
  },
});
