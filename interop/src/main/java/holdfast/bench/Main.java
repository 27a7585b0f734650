package holdfast.bench;

import com.google.gson.Gson;
import com.google.gson.JsonArray;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A process of the benchmark: the same messages as a worker in Node, as lines of JSON through the standard streams. See {@code
 * packages/testkit/src/worker/messages.ts} and, for what calls are given and answer, {@code packages/bench/src/worker/messages.ts}. Ends
 * with its input.
 */
public final class Main {
  private static final Gson json = new Gson();
  private final PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
  private final ExecutorService calls = Executors.newCachedThreadPool();
  private final Map<Use, Lockers> lockers = new ConcurrentHashMap<>();

  private record Call(String kind, long id, String method, JsonArray args) {}

  public static void main(String[] args) throws Exception {
    new Main().serve();
    // Threads may still wait for a lock.
    Runtime.getRuntime().halt(0);
  }

  private void serve() throws Exception {
    var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    say(Map.of("kind", "ready"));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      Call call = json.fromJson(line, Call.class);
      if (call.kind().equals("finish")) return;
      calls.execute(() -> say(answer(call)));
    }
  }

  private Map<String, Object> answer(Call call) {
    try {
      return Map.of("kind", "result", "id", call.id(), "value", perform(call));
    } catch (Throwable error) {
      var failure = Map.of("name", error.getClass().getSimpleName(), "message", String.valueOf(error.getMessage()));
      return Map.of("kind", "error", "id", call.id(), "error", failure);
    }
  }

  private Object perform(Call call) throws Exception {
    Use use = json.fromJson(call.args().get(0), Use.class);
    Lockers ours = lockers.computeIfAbsent(use, Lockers::new);
    switch (call.method()) {
      case "warmUp" -> {
        ours.warmUp(json.fromJson(call.args().get(1), WarmUpOrder.class));
        return true;
      }
      case "loop" -> {
        return new Loop(ours.locker(), json.fromJson(call.args().get(1), LoopOrder.class)).run();
      }
      default -> throw new IllegalArgumentException("no program but Node's has the method " + call.method());
    }
  }

  private synchronized void say(Object message) {
    out.println(json.toJson(message));
  }
}
