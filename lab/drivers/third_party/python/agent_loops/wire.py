"""What the operation `agent.run` needs in each driver for a Python agent loop."""

from driver_protocol import HostError, Rejected, Special, Unsupported


class WireRun:
    """The arguments of `agent.run`, and the tools of the kit."""

    def __init__(self, op):
        self.op = op
        self.api = op.args["api"]
        self.base_url = op.args["baseUrl"]
        self.api_key = op.args["apiKey"]
        self.model = op.args["model"]
        self.prompt = op.args["prompt"]
        self.tools = op.args.get("tools", [])

    async def execute(self, name, tool_input, call_id=None):
        """Calls a tool of the kit. A value that JSON cannot represent is None in Python."""
        args = {"name": name, "input": tool_input}
        try:
            return await self.op.call("tool.execute", {**args, **({"toolCallId": call_id} if call_id else {})})
        except Special:
            return None


def wire_operation(apis, run):
    """Returns the operation: a loop can end a run at any time, so no error is a fault."""

    async def operation(op):
        wire = WireRun(op)
        if wire.api not in apis:
            raise Unsupported("no package for the API %s" % wire.api)
        try:
            return {"text": str(await run(wire))}
        except Exception as error:  # every error ends the run
            raise Rejected("run_failed", repr(error)) from error

    return {"agent.run": operation}


def wire_features(apis):
    """Returns the features that name the APIs."""
    return {"api.%s" % api: True for api in apis}
