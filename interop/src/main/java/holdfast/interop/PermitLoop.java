package holdfast.interop;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.redisson.api.RAtomicLong;
import org.redisson.api.RSemaphore;
import org.redisson.api.RedissonClient;

/**
 * Several threads that take a permit over and over and count, at a key of Redis, how many are inside: a number above that of the permits
 * says that one was issued twice.
 */
final class PermitLoop {
  private final RSemaphore semaphore;
  private final RAtomicLong inside;
  private final int threads;
  private final int sections;

  PermitLoop(RedissonClient redisson, RSemaphore semaphore, Request request) {
    this.semaphore = semaphore;
    inside = redisson.getAtomicLong(request.counter());
    threads = request.threads();
    sections = request.sections();
  }

  /** @return how many were inside together at the most */
  long run() throws Exception {
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    try {
      List<Callable<Long>> loops = new ArrayList<>();
      for (int i = 0; i < threads; i++) loops.add(this::loop);
      long most = 0;
      for (var done : executor.invokeAll(loops)) most = Math.max(most, done.get());
      return most;
    } finally {
      executor.shutdownNow();
    }
  }

  private long loop() throws InterruptedException {
    long most = 0;
    for (int i = 0; i < sections; i++) {
      semaphore.acquire();
      try {
        most = Math.max(most, inside.incrementAndGet());
        inside.decrementAndGet();
      } finally {
        semaphore.release();
      }
    }
    return most;
  }
}
