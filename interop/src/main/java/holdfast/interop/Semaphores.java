package holdfast.interop;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import org.redisson.api.RSemaphore;
import org.redisson.api.RedissonClient;

/** The operations on Redisson's RSemaphore. */
final class Semaphores implements Operations {
  private final RedissonClient redisson;

  Semaphores(RedissonClient redisson) {
    this.redisson = redisson;
  }

  @Override
  public Object perform(Request request) throws Exception {
    RSemaphore semaphore = redisson.getSemaphore(request.name());
    int count = request.countOr(1);
    switch (request.op()) {
      case "acquire" -> {
        semaphore.acquire(count);
        return null;
      }
      // The form with a Duration is missing in Redisson before 3.18.
      case "tryAcquire" -> {
        return semaphore.tryAcquire(count, request.waitMsOr(0), MILLISECONDS);
      }
      case "release" -> {
        semaphore.release(count);
        return null;
      }
      case "availablePermits" -> {
        return semaphore.availablePermits();
      }
      case "trySetPermits" -> {
        return semaphore.trySetPermits(count);
      }
      case "addPermits" -> {
        semaphore.addPermits(count);
        return null;
      }
      case "delete" -> {
        return semaphore.delete();
      }
      case "loop" -> {
        return new PermitLoop(redisson, semaphore, request).run();
      }
      default -> throw new IllegalArgumentException("unknown operation " + request.op());
    }
  }
}
