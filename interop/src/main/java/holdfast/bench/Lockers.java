package holdfast.bench;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RReadWriteLock;
import org.redisson.api.RScript;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;

/** One kind of Redisson's locks, or what bounds them, on a client of its own. */
final class Lockers {
  private static final String COMPARE_AND_DELETE =
      "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0";
  private static final int WARM_UP_TASKS = 8;
  private static final int READS_FOR_A_WRITE = 20;

  private final RedissonClient redisson;
  private final Use use;
  private boolean warm;

  Lockers(Use use) {
    this.use = use;
    Config config = new Config().setThreads(4).setNettyThreads(4).setLockWatchdogTimeout(use.leaseMs());
    config.useSingleServer().setAddress(use.url());
    redisson = Redisson.create(config);
  }

  /** What takes a lock in the thread that calls. */
  interface Locker {
    /** Waits for the lock. What it returns gives it back. */
    Runnable take(String name) throws Exception;
  }

  Locker locker() {
    return switch (use.peer()) {
      case "RLock" -> name -> taken(redisson.getLock(name));
      case "RFairLock" -> name -> taken(redisson.getFairLock(name));
      case "RSpinLock" -> name -> taken(redisson.getSpinLock(name));
      case "RReadWriteLock" -> mostlyReading();
      case "floor: SET NX, Redisson" -> floor();
      default -> throw new IllegalArgumentException("nobody here is called " + use.peer());
    };
  }

  /** Lets the JVM compile what there is to compile, once. */
  synchronized void warmUp(WarmUpOrder order) throws Exception {
    if (warm) return;
    warm = true;
    long shareMs = order.competes() ? order.limitMs() / 2 : order.limitMs();
    loop(order.name(), "own", WARM_UP_TASKS, shareMs);
    if (order.competes()) loop(order.name() + ":wanted", "one", 2, shareMs);
  }

  private void loop(String name, String locks, int tasks, long durationMs) throws Exception {
    new Loop(locker(), new LoopOrder(name, locks, tasks, 0, Clock.nowMs(), durationMs, "sums")).run();
  }

  private static Runnable taken(RLock lock) {
    lock.lock();
    return lock::unlock;
  }

  /** One call in so many writes, as in the benchmark's TypeScript. */
  private Locker mostlyReading() {
    AtomicInteger calls = new AtomicInteger();
    return name -> {
      RReadWriteLock both = redisson.getReadWriteLock(name);
      return taken(calls.incrementAndGet() % READS_FOR_A_WRITE == 0 ? both.writeLock() : both.readLock());
    };
  }

  private Locker floor() {
    RScript script = redisson.getScript(StringCodec.INSTANCE);
    String sha = script.scriptLoad(COMPARE_AND_DELETE);
    Duration lease = Duration.ofMillis(use.leaseMs());
    return name -> {
      String value = UUID.randomUUID().toString();
      if (!redisson.<String>getBucket(name, StringCodec.INSTANCE).setIfAbsent(value, lease)) {
        throw new IllegalStateException(name + " is taken");
      }
      return () ->
          script.evalSha(RScript.Mode.READ_WRITE, sha, RScript.ReturnType.BOOLEAN, List.of(name), value);
    };
  }
}
