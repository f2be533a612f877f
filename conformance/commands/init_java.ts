/**
 * The driver skeleton in Java.
 *
 * @module
 */

import { JAVA_JSON } from "./init_java_json.ts";

/** Text before the list of operations. */
const START: string = String
  .raw`// A driver between parley-kit and my library: one JSON object per line on standard input and output.
//
// Implement an operation, add it to OPERATIONS, run the kit. Do not print to standard output. Write logs to standard
// error.
import java.io.*;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.*;
import java.util.concurrent.*;

public class ParleyDriver {
    /** A documented error of the library, with its code, and its details as JSON data or null. */
    static class LibraryError extends Exception {
        final Map<String, Object> members = new LinkedHashMap<>();

        LibraryError(String code, String message, Object data) {
            super(message);
            members.put("code", code);
            members.put("message", message);
            if (data != null) members.put("data", data);
        }
    }

    /** The library lacks a feature that a call needs. The kit reports the case as untestable instead of failed. */
    static class Unsupported extends Exception {
        Unsupported(String reason) {
            super(reason);
        }
    }

    /** An error of a function of the host, such as a tool of the case. */
    static class HostError extends Exception {
        HostError(String message) {
            super(message);
        }
    }

    /**
     * An operation reads the arguments of a case and returns the object that PROTOCOL.md describes. Each operation runs
     * on a thread, so it can wait. The thread is interrupted if the kit aborts the operation. For example:
     *
     * <pre>
     * static Object canonicalize(Call call) throws Exception {
     *     if (!(call.args.get("text") instanceof String text)) {
     *         throw new Unsupported("the library accepts only JSON text");
     *     }
     *     return Map.of("text", MyLibrary.canonicalize(text));
     * }
     *
     * static Object newTransport(Call call) {
     *     return Map.of("handle", call.keep(new MyLibrary.Transport()));
     * }
     *
     * static Object run(Call call) throws Exception {
     *     // The model and the tools of a case are functions of the host.
     *     return MyLibrary.run(request -> call.host("model.generate", request), call.args.get("input"));
     * }
     *
     * OPERATIONS.put("comm.canonicalize", ParleyDriver::canonicalize);
     * </pre>
     */
    interface Operation {
        Object run(Call call) throws Exception;
    }

    static final Map<String, Operation> OPERATIONS = new TreeMap<>();

    /** The optional features in PROTOCOL.md that the library has. Cases that need other features are untestable. */
    static final Set<String> FEATURES = Set.of();

    static {
        // OPERATIONS.put("comm.canonicalize", ParleyDriver::canonicalize);
    }

    // Operations that this driver does not implement yet, with their arguments and the members of their results.
    // PROTOCOL.md in the package @parley/conformance describes them in detail:
    //
`;

/** Text after the list of operations. */
const END: string = String.raw`

    /** The objects, running operations and host calls of one case. */
    static class State {
        final Map<String, Object> objects = new ConcurrentHashMap<>();
        final Map<Object, Thread> running = new ConcurrentHashMap<>();
        final Map<Object, CompletableFuture<Map<?, ?>>> hostCalls = new ConcurrentHashMap<>();
    }

    /** The context of an operation: its arguments, the object it is called on, and the registry of new objects. */
    record Call(Map<?, ?> args, Object on, State state) {
        /** Registers an object and returns its handle. */
        String keep(Object thing) {
            synchronized (state.objects) {
                String handle = "h" + (state.objects.size() + 1);
                state.objects.put(handle, thing);
                return handle;
            }
        }

        /** Calls a function of the host, and waits for its value. */
        Object host(String function, Object args) throws Exception {
            BigDecimal number = nextCall();
            CompletableFuture<Map<?, ?>> future = new CompletableFuture<>();
            state.hostCalls.put(number, future);
            write(state, Map.of("type", "call", "call", number, "fn", function, "args", args));
            try {
                Map<?, ?> answer = future.get();
                if (answer.get("error") instanceof Map<?, ?> error) throw new HostError(String.valueOf(error.get("message")));
                // PROTOCOL.md lists the special values.
                if (answer.containsKey("special")) throw new Unsupported("no value " + answer.get("special"));
                return answer.get("ok");
            } catch (InterruptedException error) {
                write(state, Map.of("type", "cancelled", "call", number));
                throw error;
            }
        }
    }

    static State current = new State();
    static int lastCall = 0;
    static final PrintStream OUTPUT = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);

    static synchronized BigDecimal nextCall() {
        return new BigDecimal(++lastCall);
    }

    public static void main(String[] args) throws IOException {
        System.setOut(System.err);
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            Map<?, ?> message = (Map<?, ?>) new Json(line).read();
            if ("bye".equals(message.get("type"))) break;
            take(message);
        }
        System.exit(0);
    }

    static void take(Map<?, ?> message) {
        switch (String.valueOf(message.get("type"))) {
            case "hello" -> write(current, hello());
            case "case" -> {
                State ended = current;
                synchronized (ParleyDriver.class) {
                    current = new State();
                }
                ended.running.values().forEach(Thread::interrupt);
            }
            case "op" -> start(message, current);
            case "abort" -> {
                Thread thread = current.running.get(message.get("seq"));
                if (thread != null) thread.interrupt();
            }
            case "return" -> {
                CompletableFuture<Map<?, ?>> future = current.hostCalls.remove(message.get("call"));
                if (future != null) future.complete(message);
            }
            default -> {
            }
        }
    }

    static Map<String, Object> hello() {
        Map<String, Object> features = new TreeMap<>();
        for (String name : FEATURES) features.put(name, true);
        Map<String, Object> implementation = Map.of("name", "my library", "version", "0", "language", "java");
        return Map.of("type", "hello", "protocol", 1, "implementation", implementation,
            "ops", List.copyOf(OPERATIONS.keySet()), "features", features);
    }

    /** Runs an operation on a thread and writes its result. */
    static void start(Map<?, ?> message, State state) {
        Object seq = message.get("seq");
        Thread thread = new Thread(() -> {
            Map<String, Object> line = new LinkedHashMap<>(Map.of("type", "result", "seq", seq));
            line.putAll(outcomeOf(message, state));
            state.running.remove(seq);
            write(state, line);
        });
        thread.setDaemon(true);
        state.running.put(seq, thread);
        thread.start();
    }

    /** Returns the member of the result line: the value of an operation, or the reason why it has none. */
    static Map<String, Object> outcomeOf(Map<?, ?> message, State state) {
        Operation operation = OPERATIONS.get(message.get("op"));
        if (operation == null) return Map.of("unsupported", Map.of("reason", "no operation " + message.get("op")));
        Object on = message.get("on") == null ? null : state.objects.get(message.get("on"));
        Map<?, ?> args = message.get("args") instanceof Map<?, ?> found ? found : Map.of();
        try {
            return Collections.singletonMap("ok", operation.run(new Call(args, on, state)));
        } catch (Unsupported error) {
            return Map.of("unsupported", Map.of("reason", error.getMessage()));
        } catch (LibraryError error) {
            return Map.of("error", error.members);
        } catch (InterruptedException error) {
            return Map.of("error", Map.of("code", "aborted", "message", "aborted"));
        } catch (Exception | StackOverflowError error) {
            StringWriter trace = new StringWriter();
            error.printStackTrace(new PrintWriter(trace));
            return Map.of("fault", Map.of("message", String.valueOf(error), "trace", trace.toString()));
        }
    }

    /** Writes a line, unless its case has ended. */
    static synchronized void write(State state, Map<String, Object> line) {
        if (state == current) OUTPUT.println(Json.write(line));
    }
${JAVA_JSON}}
`;

/**
 * Formats a driver that runs without changes but supports no operations. It needs only Java's
 * standard library.
 *
 * @param operations Lines that describe the operations, for a comment.
 */
export function javaDriver(operations: readonly string[]): string {
  return `${START}${operations.map((line) => `    // ${line}`).join("\n")}${END}`;
}
