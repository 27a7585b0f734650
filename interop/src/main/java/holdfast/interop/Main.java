package holdfast.interop;

import com.google.gson.Gson;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.redisson.api.RedissonClient;

/**
 * A Redisson client that is driven by lines: {@link Settings} as the only argument, a {@link Request} for each line of input, a {@link
 * Reply} for each line of output, all JSON. A first reply with id 0 says that the client is connected. Requests of one thread are done one
 * after the other, those of different threads at once. Ends with its input.
 */
public final class Main {
  private static final Gson json = new Gson();
  private final PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
  private final Map<String, ExecutorService> threads = new ConcurrentHashMap<>();
  private final Operations locks;
  private final Map<String, Operations> others;

  private Main(RedissonClient redisson) {
    locks = new Locks(redisson);
    others =
        Map.of(
            "semaphore", new Semaphores(redisson),
            "expirable", new ExpirableSemaphores(redisson),
            "latch", new Latches(redisson));
  }

  public static void main(String[] args) throws Exception {
    RedissonClient redisson = json.fromJson(args[0], Settings.class).open();
    new Main(redisson).serve();
    // Threads may still wait for a lock.
    Runtime.getRuntime().halt(0);
  }

  private void serve() throws Exception {
    var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    long now = nowUs();
    say(new Reply(0, null, null, now, now));
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      Request request = json.fromJson(line, Request.class);
      String thread = request.thread() == null ? "main" : request.thread();
      threads
          .computeIfAbsent(thread, name -> Executors.newSingleThreadExecutor(work -> new Thread(work, name)))
          .execute(() -> say(answer(request)));
    }
  }

  private Reply answer(Request request) {
    long startedUs = nowUs();
    try {
      String kind = request.kind() == null ? "plain" : request.kind();
      Object value = others.getOrDefault(kind, locks).perform(request);
      return new Reply(request.id(), value, null, startedUs, nowUs());
    } catch (Throwable error) {
      var failure = new Reply.Failure(error.getClass().getSimpleName(), String.valueOf(error.getMessage()));
      return new Reply(request.id(), null, failure, startedUs, nowUs());
    }
  }

  private synchronized void say(Reply reply) {
    out.println(json.toJson(reply));
  }

  private static long nowUs() {
    return System.nanoTime() / 1_000;
  }
}
