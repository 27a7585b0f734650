package holdfast.interop;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import org.redisson.api.RPermitExpirableSemaphore;
import org.redisson.api.RedissonClient;

/** The operations on Redisson's RPermitExpirableSemaphore, whose permits have ids. */
final class ExpirableSemaphores implements Operations {
  private final RedissonClient redisson;

  ExpirableSemaphores(RedissonClient redisson) {
    this.redisson = redisson;
  }

  @Override
  public Object perform(Request request) throws Exception {
    RPermitExpirableSemaphore semaphore = redisson.getPermitExpirableSemaphore(request.name());
    switch (request.op()) {
      case "acquire" -> {
        return request.leaseMs() == null ? semaphore.acquire() : semaphore.acquire(request.leaseMs(), MILLISECONDS);
      }
      case "tryAcquire" -> {
        long leaseMs = request.leaseMs() == null ? -1 : request.leaseMs();
        return semaphore.tryAcquire(request.waitMsOr(0), leaseMs, MILLISECONDS);
      }
      case "release" -> {
        semaphore.release(request.permit());
        return null;
      }
      case "availablePermits" -> {
        return semaphore.availablePermits();
      }
      case "trySetPermits" -> {
        return semaphore.trySetPermits(request.countOr(1));
      }
      default -> throw new IllegalArgumentException("unknown operation " + request.op());
    }
  }
}
