package holdfast.interop;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.redisson.api.RBucket;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;

/**
 * Several threads that take one lock over and over and add 1 to a counter inside, by reading and writing it in two commands: the counter
 * is short by one for every time that two were inside together.
 */
final class ClosedLoop {
  private final RLock lock;
  private final RBucket<String> counter;
  private final int threads;
  private final int sections;

  ClosedLoop(RedissonClient redisson, RLock lock, Request request) {
    this.lock = lock;
    counter = redisson.getBucket(request.counter(), StringCodec.INSTANCE);
    threads = request.threads();
    sections = request.sections();
  }

  /** @return how many critical sections were run */
  int run() throws Exception {
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    try {
      List<Callable<Integer>> loops = new ArrayList<>();
      for (int i = 0; i < threads; i++) loops.add(this::loop);
      int total = 0;
      for (var done : executor.invokeAll(loops)) total += done.get();
      return total;
    } finally {
      executor.shutdownNow();
    }
  }

  private int loop() {
    for (int i = 0; i < sections; i++) {
      lock.lock();
      try {
        String before = counter.get();
        counter.set(String.valueOf(Long.parseLong(before) + 1));
      } finally {
        lock.unlock();
      }
    }
    return sections;
  }
}
