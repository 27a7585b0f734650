package holdfast.interop;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import java.util.Arrays;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

/** The operations on Redisson's RLock and its kin, in the thread that calls. */
final class Locks implements Operations {
  private final RedissonClient redisson;

  Locks(RedissonClient redisson) {
    this.redisson = redisson;
  }

  @Override
  public Object perform(Request request) throws Exception {
    if (request.op().equals("ownField")) return redisson.getId() + ":" + Thread.currentThread().getId();
    RLock lock = lock(request);
    switch (request.op()) {
      case "lock" -> {
        if (request.leaseMs() == null) lock.lock();
        else lock.lock(request.leaseMs(), MILLISECONDS);
        return null;
      }
      case "tryLock" -> {
        long leaseMs = request.leaseMs() == null ? -1 : request.leaseMs();
        return lock.tryLock(request.waitMsOr(0), leaseMs, MILLISECONDS);
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
      case "token" -> {
        return redisson.getFencedLock(request.name()).getToken();
      }
      case "loop" -> {
        return new ClosedLoop(redisson, lock, request).run();
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
      case "read" -> redisson.getReadWriteLock(request.name()).readLock();
      case "write" -> redisson.getReadWriteLock(request.name()).writeLock();
      case "multi" -> redisson.getMultiLock(members(request.name()));
      default -> throw new IllegalArgumentException("unknown kind of lock " + kind);
    };
  }

  /** A multi-lock is named by its members, with commas in between. */
  private RLock[] members(String names) {
    return Arrays.stream(names.split(",")).map(redisson::getLock).toArray(RLock[]::new);
  }
}
