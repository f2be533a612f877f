package parley.client;

import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.json.TypeRef;
import io.modelcontextprotocol.spec.McpError;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/** A driver for the client of the official Java SDK: one JSON object per line on standard input and output. */
public final class Driver {
  static final McpJsonMapper JSON = McpJsonDefaults.getMapper();
  private static final PrintStream OUT = new PrintStream(System.out, true, StandardCharsets.UTF_8);
  private static final TypeRef<Map<String, Object>> OBJECT = new TypeRef<>() {};

  private final Map<String, Client> clients = new HashMap<>();
  private final Map<Integer, Disposable> running = new HashMap<>();
  private int currentCase = 0;

  private Driver() {}

  public static void main(String[] arguments) throws IOException {
    var input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    var driver = new Driver();
    for (String line = input.readLine(); line != null; line = input.readLine()) {
      Map<String, Object> message = JSON.readValue(line, OBJECT);
      if (message.get("type").equals("bye")) break;
      driver.take(message);
    }
    System.exit(0);
  }

  private synchronized void take(Map<String, Object> message) throws IOException {
    switch (String.valueOf(message.get("type"))) {
      case "hello" -> write(hello());
      case "case" -> end();
      case "op" -> start(message);
      case "abort" -> abort((Integer) message.get("seq"));
      default -> { }
    }
  }

  private static Map<String, Object> hello() {
    List<String> names = new ArrayList<>(List.of("mcp.client.connect", "mcp.client.disconnect"));
    names.addAll(Client.OPERATIONS.keySet());
    return Map.of(
        "type", "hello",
        "protocol", 1,
        "implementation", Map.of("name", "java-sdk", "version", "2.1.0", "language", "java"),
        "ops", names,
        "features", Map.of(
            "mcp.client.handlers", true,
            "mcp.client.meta", true,
            "mcp.client.pages", true,
            "mcp.client.progress", true,
            "mcp.client.sse", true));
  }

  /** Aborts the operations of a case and closes its clients. */
  private void end() {
    currentCase++;
    running.values().forEach(Disposable::dispose);
    running.clear();
    clients.values().forEach(Client::abandon);
    clients.clear();
  }

  private void start(Map<String, Object> message) throws IOException {
    int number = currentCase;
    Integer sequence = (Integer) message.get("seq");
    Mono<Map<String, Object>> operation;
    try {
      operation = operation(message);
    } catch (UnsupportedOperationException error) {
      write(result(sequence, "unsupported", Map.of("reason", error.getMessage())));
      return;
    }
    var subscription = operation.subscribe(
        value -> finish(number, sequence, "ok", value),
        error -> finish(number, sequence, "error", Map.of("code", "error", "message", messageOf(error))));
    if (!subscription.isDisposed()) running.put(sequence, subscription);
  }

  private Mono<Map<String, Object>> operation(Map<String, Object> message) {
    String name = String.valueOf(message.get("op"));
    Map<String, Object> args = Client.object(message.get("args"));
    if (name.equals("mcp.client.connect")) {
      return Client.connect(args).map(this::keep);
    }
    Client client = clients.get(String.valueOf(message.get("on")));
    if (name.equals("mcp.client.disconnect")) return client.close().thenReturn(Map.of());
    var operation = Client.OPERATIONS.get(name);
    if (operation == null) throw new UnsupportedOperationException("no operation " + name);
    return operation.apply(client, args);
  }

  private synchronized Map<String, Object> keep(Client client) {
    String handle = "h" + (clients.size() + 1);
    clients.put(handle, client);
    return Map.of("handle", handle);
  }

  private void abort(Integer sequence) throws IOException {
    Disposable operation = running.remove(sequence);
    if (operation == null) return;
    operation.dispose();
    write(result(sequence, "error", Map.of("code", "aborted", "message", "aborted")));
  }

  private synchronized void finish(int number, Integer sequence, String member, Map<String, Object> value) {
    if (number != currentCase) return;
    running.remove(sequence);
    try {
      write(result(sequence, member, value));
    } catch (IOException error) {
      throw new IllegalStateException("cannot write a result", error);
    }
  }

  private static Map<String, Object> result(Integer sequence, String member, Map<String, Object> value) {
    return Map.of("type", "result", "seq", sequence, member, value);
  }

  /** Returns the message of the error and of its causes. */
  private static String messageOf(Throwable error) {
    return error instanceof McpError ? String.valueOf(error.getMessage()) : McpError.aggregateExceptionMessages(error);
  }

  private static void write(Map<String, Object> message) throws IOException {
    OUT.println(JSON.writeValueAsString(message));
  }
}
