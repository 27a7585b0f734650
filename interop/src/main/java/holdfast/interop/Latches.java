package holdfast.interop;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import org.redisson.api.RCountDownLatch;
import org.redisson.api.RedissonClient;

/** The operations on Redisson's RCountDownLatch. */
final class Latches implements Operations {
  private final RedissonClient redisson;

  Latches(RedissonClient redisson) {
    this.redisson = redisson;
  }

  @Override
  public Object perform(Request request) throws Exception {
    RCountDownLatch latch = redisson.getCountDownLatch(request.name());
    switch (request.op()) {
      case "trySetCount" -> {
        return latch.trySetCount(request.countOr(1));
      }
      case "countDown" -> {
        latch.countDown();
        return null;
      }
      case "await" -> {
        return latch.await(request.waitMsOr(60_000), MILLISECONDS);
      }
      case "count" -> {
        return latch.getCount();
      }
      case "delete" -> {
        return latch.delete();
      }
      default -> throw new IllegalArgumentException("unknown operation " + request.op());
    }
  }
}
