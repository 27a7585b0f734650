package holdfast.bench;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.DoubleStream;

/** Threads that take a lock, stay inside and give it back, again and again. */
final class Loop {
  /** Kept as they are; more would only say the same. */
  private static final int MAX_FAILURES = 5;

  private static final OperatingSystemMXBean system =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

  private final Lockers.Locker locker;
  private final LoopOrder order;
  private final double endAt;
  private final AtomicInteger inside = new AtomicInteger();
  private final AtomicInteger mostInside = new AtomicInteger();
  private final ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();

  Loop(Lockers.Locker locker, LoopOrder order) {
    this.locker = locker;
    this.order = order;
    endAt = order.startAt() + order.durationMs();
  }

  LoopReport run() throws Exception {
    long cpu = system.getProcessCpuTime();
    ExecutorService executor = Executors.newFixedThreadPool(order.tasks());
    try {
      List<Future<Task>> started = new ArrayList<>();
      for (int i = 0; i < order.tasks(); i++) started.add(executor.submit(new Task(i)::run));
      List<Task> tasks = new ArrayList<>();
      for (var task : started) tasks.add(task.get());
      return report(tasks, (system.getProcessCpuTime() - cpu) / 1e3);
    } finally {
      executor.shutdownNow();
    }
  }

  private LoopReport report(List<Task> tasks, double cpuUs) {
    Histogram waits = new Histogram();
    tasks.forEach(task -> waits.add(task.waits));
    return new LoopReport(
        tasks.stream().mapToLong(task -> task.served).toArray(),
        tasks.stream().mapToLong(task -> task.sections).sum(),
        failures.stream().limit(MAX_FAILURES).toList(),
        waits.buckets(),
        tasks.stream().flatMapToDouble(task -> DoubleStream.of(task.timeline.toArray())).toArray(),
        mostInside.get(),
        new LoopReport.Resources(cpuUs));
  }

  /** One thread of the loop. */
  private final class Task {
    private final String name;
    private final Histogram waits = new Histogram();
    private final Timeline timeline = new Timeline();
    private long served;
    private long sections;

    Task(int index) {
      name = order.locks().equals("one") ? order.name() : order.name() + ":" + index;
    }

    Task run() {
      Clock.sleepUntil(order.startAt());
      do {
        try {
          cycle();
        } catch (Exception error) {
          if (failures.size() < MAX_FAILURES) failures.add(error.toString());
        }
      } while (Clock.nowMs() < endAt);
      return this;
    }

    private void cycle() throws Exception {
      double askedAt = Clock.nowMs();
      Runnable release = locker.take(name);
      try {
        section(askedAt);
      } finally {
        release.run();
      }
    }

    private void section(double askedAt) throws InterruptedException {
      double enteredAt = Clock.nowMs();
      waits.record((enteredAt - askedAt) * 1_000);
      sections++;
      mostInside.accumulateAndGet(inside.incrementAndGet(), Math::max);
      // Who is let in after the end leaves at once, so that a round ends when it should.
      if (enteredAt < endAt) {
        served++;
        if (order.holdMs() > 0) Thread.sleep(order.holdMs());
      }
      inside.decrementAndGet();
      if (order.report().equals("sections")) timeline.add(askedAt, enteredAt, Clock.nowMs());
    }
  }
}
