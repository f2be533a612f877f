package parley;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * The kit's driver protocol: one JSON object per line on standard input and output. Each operation runs in a thread of
 * its own, and can call the kit's host functions.
 */
public final class Driver implements Host {
  static final ObjectMapper JSON = new ObjectMapper();
  private static final PrintStream OUT = new PrintStream(System.out, true, StandardCharsets.UTF_8);

  private final Map<Integer, Thread> running = new HashMap<>();
  private final Map<Integer, CompletableFuture<JsonNode>> calls = new HashMap<>();
  private Map<String, Agent> agents = new HashMap<>();
  private int callCount = 0;

  private Driver() {}

  public static void main(String[] arguments) throws IOException {
    var input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    var driver = new Driver();
    for (String line = input.readLine(); line != null; line = input.readLine()) {
      JsonNode message = JSON.readTree(line);
      if (message.path("type").asText().equals("bye")) break;
      driver.take(message);
    }
    System.exit(0);
  }

  private synchronized void take(JsonNode message) {
    switch (message.path("type").asText()) {
      case "hello" -> write(hello());
      case "case" -> {
        running.values().forEach(Thread::interrupt);
        running.clear();
        agents = new HashMap<>();
      }
      case "op" -> {
        var thread = new Thread(() -> finish(message, run(message)));
        thread.setDaemon(true);
        running.put(message.path("seq").asInt(), thread);
        thread.start();
      }
      case "return" -> calls.remove(message.path("call").asInt()).complete(message);
      case "abort" -> {
        Thread thread = running.get(message.path("seq").asInt());
        if (thread != null) thread.interrupt();
      }
      default -> { }
    }
  }

  private static ObjectNode hello() {
    ObjectNode hello = JSON.createObjectNode().put("type", "hello").put("protocol", 1);
    hello.putObject("implementation")
        .put("name", "langchain4j")
        .put("version", "1.19.0")
        .put("language", "java")
        .put("url", "https://docs.langchain4j.dev");
    hello.putArray("ops")
        .add("runtime.loop.run")
        .add("runtime.agent.new")
        .add("runtime.agent.initialize")
        .add("runtime.agent.run")
        .add("agent.run");
    ObjectNode features = hello.putObject("features").put("runtime.tellModel", true);
    Wire.APIS.forEach(api -> features.put("api." + api, true));
    return hello;
  }

  private ObjectNode run(JsonNode message) {
    ObjectNode result = JSON.createObjectNode();
    JsonNode args = message.path("args");
    try {
      switch (message.path("op").asText()) {
        case "runtime.loop.run" -> result.set("ok", new Agent(args.path("config"), this).run(args));
        case "runtime.agent.new" -> result.putObject("ok").put("handle", keep(new Agent(args.path("config"), this)));
        case "runtime.agent.initialize" -> result.putObject("ok");
        case "runtime.agent.run" -> result.set("ok", agentOf(message).run(args));
        case "agent.run" -> result.set("ok", JSON.createObjectNode().put("text", new Wire(args, this).run()));
        default -> throw new Unsupported("unknown operation " + message.path("op").asText());
      }
    } catch (Unsupported reason) {
      result.putObject("unsupported").put("reason", reason.getMessage());
    } catch (Rejected error) {
      result.putObject("error").put("code", error.code).put("message", String.valueOf(error.getMessage()));
    } catch (RuntimeException error) {
      result.putObject("fault").put("message", error.toString());
    }
    return result;
  }

  private synchronized String keep(Agent agent) {
    String handle = "h" + (agents.size() + 1);
    agents.put(handle, agent);
    return handle;
  }

  private synchronized Agent agentOf(JsonNode message) {
    return agents.get(message.path("on").asText());
  }

  private synchronized void finish(JsonNode message, ObjectNode result) {
    Integer sequence = message.path("seq").asInt();
    // The operations of earlier cases have no results.
    if (running.get(sequence) != Thread.currentThread()) return;
    running.remove(sequence);
    write(result.put("type", "result").put("seq", sequence));
  }

  @Override
  public JsonNode call(String function, ObjectNode args) throws InterruptedException {
    var waiting = new CompletableFuture<JsonNode>();
    int number = begin(waiting, function, args);
    try {
      return waiting.get();
    } catch (InterruptedException error) {
      write(JSON.createObjectNode().put("type", "cancelled").put("call", number));
      throw error;
    } catch (ExecutionException error) {
      throw new IllegalStateException(error);
    }
  }

  private synchronized int begin(CompletableFuture<JsonNode> waiting, String function, ObjectNode args) {
    int number = ++callCount;
    calls.put(number, waiting);
    ObjectNode call = JSON.createObjectNode().put("type", "call").put("call", number).put("fn", function);
    call.set("args", args);
    write(call);
    return number;
  }

  private static synchronized void write(ObjectNode message) {
    OUT.println(message);
  }
}
