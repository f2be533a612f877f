/**
 * The skeleton of a driver in Python.
 *
 * @module
 */

/**
 * Writes a driver that runs as it is and supports nothing yet.
 *
 * @param ops the operations to make room for
 */
export function pythonDriver(ops: readonly string[]): string {
  return `#!/usr/bin/env python3
"""A driver between parley-kit and my library: one JSON object per line on standard input and output.

Fill in an operation, add it to OPS, run the kit. Never print to standard output; logs go to standard error.
"""

import json
import sys
import traceback


class Refused(Exception):
    """What my library raises for input that it refuses, with its code."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


# Each operation takes the arguments of a case and gives the object that PROTOCOL.md describes. For example:
#
# def canonicalize(args):
#     return {"text": my_library.canonicalize(json.loads(args["text"]))}
#
# OPS = {"comm.canonicalize": canonicalize}

OPS = {}

# What the kit asks for and this driver does not do yet:
#
${ops.map((op) => `#   ${op}`).join("\n")}


def run(name, args):
    op = OPS.get(name)
    if op is None:
        return {"unsupported": {"reason": "no operation %s" % name}}
    try:
        return {"ok": op(args)}
    except Refused as error:
        return {"error": {"code": error.code, "message": str(error)}}
    except Exception as error:
        return {"fault": {"message": repr(error), "trace": traceback.format_exc()}}


def write(message):
    sys.stdout.write(json.dumps(message) + "\\n")
    sys.stdout.flush()


def main():
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            implementation = {"name": "my library", "version": "0", "language": "python"}
            write({"type": "hello", "protocol": 1, "implementation": implementation, "ops": sorted(OPS)})
        elif message["type"] == "op":
            write({"type": "result", "seq": message["seq"], **run(message["op"], message["args"])})
        elif message["type"] == "bye":
            return


if __name__ == "__main__":
    main()
`;
}
