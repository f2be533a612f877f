"""Shared code for drivers of agent loops: reads the configuration of an agent, rejects unsupported
options, calls the scripted model, tools and approval handlers, and describes the results of runs.
"""

import asyncio
import json
from dataclasses import dataclass

from driver_protocol import HostError, Special, Unsupported

# Options that have no effect in a driver: names, and the grace period for a tool that ignores an abort.
WITHOUT_EFFECT = ("name", "agentDid", "model", "graceMs")

COMMON_OPTIONS = ("systemPrompt", "maxIterations", "generateOptions", "stop", "tools")

# Options whose only supported value in the Python agent libraries is `throw`.
THROWN = ("onAbort", "onMaxIterations")


@dataclass
class ToolSpec:
    """A tool defined in a case."""

    name: str
    description: str
    schema: dict
    timeout: float | None


class ModelFailure(Exception):
    """The scripted model throws an error."""


class ScriptedAgent:
    """An agent that a case defines: its configuration, and the kit's host functions that it calls."""

    def __init__(self, op, options=()):
        self.config = op.args["config"]
        self._op = op
        self._task = None
        self._reason = None
        known = (*WITHOUT_EFFECT, *COMMON_OPTIONS, *THROWN, *options)
        for name, value in self.config.items():
            if name not in known:
                raise Unsupported('option "%s" is not supported' % name)
            if name in THROWN and value != "throw":
                raise Unsupported('%s "%s" is not supported' % (name, value))
        if not isinstance(self.prompt or "", str):
            raise Unsupported("a system prompt is a text")

    @property
    def prompt(self):
        return self.config.get("systemPrompt")

    @property
    def settings(self):
        """The settings of model calls that the case defines, in the names of the kit."""
        options = self.config.get("generateOptions", {})
        unknown = set(options) - {"temperature", "topP", "maxOutputTokens"}
        if unknown:
            raise Unsupported("model settings %s are not supported" % ", ".join(sorted(unknown)))
        return options

    def tools(self):
        """Returns the tools in the configuration."""
        return [self._read_tool(tool) for tool in self.config.get("tools", [])]

    def _read_tool(self, tool):
        known = ("name", "description", "inputSchema", "timeoutMs")
        for name in tool:
            if name not in known:
                raise Unsupported('tools with "%s" are not supported' % name)
        limit = tool.get("timeoutMs", self.config.get("toolTimeoutMs"))
        return ToolSpec(
            tool["name"],
            tool.get("description"),
            tool.get("inputSchema", {"type": "object"}),
            None if limit is None else limit / 1000,
        )

    def max_iterations(self):
        """Returns the lowest limit of the case, or None if the library's default applies."""
        limits = [self.config["maxIterations"]] if "maxIterations" in self.config else []
        for condition in self.config.get("stop", []):
            if "maxIterations" in condition and not condition.get("finalize"):
                limits.append(condition["maxIterations"])
            elif condition.get("modelStopsNaturally") is not True:
                raise Unsupported('stop condition "%s" is not supported' % ",".join(condition))
        return min(limits, default=None)

    async def run(self, op, loop):
        """Runs the library. If a callback uses an unsupported feature, the run is unsupported."""
        self._op = op
        self._task = asyncio.ensure_future(loop)
        try:
            return await self._task
        except BaseException:
            if self._reason is not None:
                raise Unsupported(self._reason) from None
            raise

    def reject(self, reason):
        """Ends the run as unsupported. Returns an exception that leaves the library."""
        self._reason = reason
        self._task.cancel()
        return asyncio.CancelledError()

    async def generate(self, messages, tools, options):
        """Calls the scripted model. Returns its content, finish reason and usage."""
        options = {name: value for name, value in options.items() if value is not None}
        request = {"messages": messages, "tools": tools, "options": options}
        try:
            reply = await self._op.call("model.generate", {"model": self.config.get("model"), **request})
        except HostError as error:
            raise ModelFailure(str(error)) from error
        if "malformed" in reply:
            raise self.reject("model responses are typed")
        return reply["content"], reply["finishReason"], reply.get("usage") or {}

    async def execute(self, name, call_id, value):
        """Executes the scripted tool. Throws HostError if the tool throws."""
        call = {"name": name, "toolCallId": call_id, "input": value}
        try:
            return await self._op.call("tool.execute", call)
        except Special as special:
            return self._make_special(special.name)

    def _make_special(self, name):
        cycle = []
        cycle.append(cycle)
        values = {"nan": float("nan"), "function": lambda: None, "cycle": cycle}
        if name not in values:
            raise self.reject('Python has no value "%s"' % name)
        return values[name]

    async def decide(self, name, call_id, value):
        """Calls the scripted approval handler. Returns the decision and the reason."""
        request = {
            "handler": self.config["approval"],
            "agentName": self.config.get("name"),
            "reason": "approval",
            "toolName": name,
            "toolCallId": call_id,
            "input": value,
        }
        try:
            answer = await self._op.call("approval.decide", request)
        except (HostError, Special):
            # The driver, not the library, calls the handler, so an error would test only the driver.
            raise self.reject("approvals are decided between two runs") from None
        if isinstance(answer, bool):
            return ("approve" if answer else "deny"), None
        if "input" in answer:
            raise self.reject("an approval cannot change the input")
        return answer["decision"], answer.get("reason")


def read_input(text):
    """Parses the input of a call. Returns the text unchanged if it is not valid JSON."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def count(tokens_in, tokens_out):
    """Describes the usage of a response or a run."""
    return {"inputTokens": tokens_in, "outputTokens": tokens_out, "totalTokens": tokens_in + tokens_out}


def describe_run(messages, responses, total, reason, final=None, pending=()):
    """Describes a run. `responses` has the parts and the usage of each model response."""
    results = [
        part for message in messages if message["role"] == "tool" for part in message["content"]
    ]
    iterations = []
    for index, (content, usage) in enumerate(responses):
        calls = [part for part in content if part["type"] == "tool-call"]
        iterations.append({
            "index": index,
            "assistantMessage": {"role": "assistant", "content": content},
            "toolCalls": calls,
            "toolResults": [found for call in calls if (found := take_result(results, call))],
            "usage": usage,
        })
    output = {
        "finalText": final or "",
        "iterations": iterations,
        "totalUsage": total,
        "stopReason": reason,
        "messages": messages,
    }
    return {**output, "pending": {"approvals": list(pending)}} if pending else output


def take_result(results, call):
    """Removes the first result of a call from the list, and returns it."""
    for index, result in enumerate(results):
        if result["toolCallId"] == call["toolCallId"]:
            return results.pop(index)
    return None


def pending_call(name, call_id, value):
    """Describes a call that waits for a decision. These libraries identify a call by its id."""
    return {"key": call_id, "toolCall": {"toolName": name, "toolCallId": call_id, "input": value}}


def loop_operations(agent_class, options):
    """Returns the operations. The class has a method `run` that takes the arguments of a run."""

    def new_agent(op):
        return agent_class(ScriptedAgent(op, options))

    async def run(agent, op):
        for name in ("journal", "decisions", "history", "messages"):
            if name in op.args:
                raise Unsupported('"%s" is not supported' % name)
        if not isinstance(op.args.get("input"), str):
            raise Unsupported("the input of a run is a text")
        return await agent.scripted.run(op, agent.run(op.args["input"]))

    async def run_loop(op):
        return await run(new_agent(op), op)

    async def run_agent(op):
        return await run(op.on, op)

    return {
        "runtime.loop.run": run_loop,
        "runtime.agent.new": lambda op: {"handle": op.keep(new_agent(op))},
        # Agents from the Python agent libraries need no initialization.
        "runtime.agent.initialize": lambda op: {},
        "runtime.agent.run": run_agent,
    }
