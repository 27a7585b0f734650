package holdfast.interop;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

/** The operations on Redisson's RLock, in the thread that calls. */
final class Locks {
  private final RedissonClient redisson;

  Locks(RedissonClient redisson) {
    this.redisson = redisson;
  }

  /** @return what the operation returned; null for those that return nothing */
  Object perform(Request request) throws Exception {
    if (request.op().equals("ownField")) return redisson.getId() + ":" + Thread.currentThread().getId();
    RLock lock = lock(request);
    switch (request.op()) {
      case "lock" -> {
        if (request.leaseMs() == null) lock.lock();
        else lock.lock(request.leaseMs(), MILLISECONDS);
        return null;
      }
      case "tryLock" -> {
        long waitMs = request.waitMs() == null ? 0 : request.waitMs();
        long leaseMs = request.leaseMs() == null ? -1 : request.leaseMs();
        return lock.tryLock(waitMs, leaseMs, MILLISECONDS);
      }
      case "unlock" -> {
        lock.unlock();
        return null;
      }
      case "forceUnlock" -> {
        return lock.forceUnlock();
      }
      case "isLocked" -> {
        return lock.isLocked();
      }
      case "isHeldByCurrentThread" -> {
        return lock.isHeldByCurrentThread();
      }
      case "holdCount" -> {
        return lock.getHoldCount();
      }
      case "remainTimeToLive" -> {
        return lock.remainTimeToLive();
      }
      case "loop" -> {
        return new ClosedLoop(redisson, request).run();
      }
      default -> throw new IllegalArgumentException("unknown operation " + request.op());
    }
  }

  private RLock lock(Request request) {
    String kind = request.kind() == null ? "plain" : request.kind();
    return switch (kind) {
      case "plain" -> redisson.getLock(request.name());
      case "fair" -> redisson.getFairLock(request.name());
      case "spin" -> redisson.getSpinLock(request.name());
      case "fenced" -> redisson.getFencedLock(request.name());
      default -> throw new IllegalArgumentException("unknown kind of lock " + kind);
    };
  }
}
