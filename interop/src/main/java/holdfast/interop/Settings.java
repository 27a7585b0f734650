package holdfast.interop;

import java.util.List;
import org.redisson.Redisson;
import org.redisson.api.RedissonClient;
import org.redisson.config.BaseConfig;
import org.redisson.config.Config;
import org.redisson.config.ReadMode;
import org.redisson.config.ShardedSubscriptionMode;

/**
 * What the program is started with; what is absent is Redisson's default.
 *
 * @param topology {@code single} or {@code cluster}
 * @param nodes addresses, {@code redis://host:port}; one for {@code single}
 * @param watchdogTimeoutMs Redisson's lockWatchdogTimeout
 * @param keyPrefix put before every name by a NameMapper
 * @param shardedSubscriptionMode AUTO, ON or OFF; cluster only
 */
record Settings(
    String topology, List<String> nodes, Long watchdogTimeoutMs, String keyPrefix, String shardedSubscriptionMode) {

  RedissonClient open() throws ReflectiveOperationException {
    Config config = new Config().setThreads(4).setNettyThreads(4);
    if (watchdogTimeoutMs != null) config.setLockWatchdogTimeout(watchdogTimeoutMs);
    BaseConfig<?> servers = "cluster".equals(topology) ? cluster(config) : single(config);
    if (keyPrefix != null) Prefix.apply(keyPrefix, servers);
    // A dead connection is noticed while a test still waits for it.
    servers.setPingConnectionInterval(1_000);
    return Redisson.create(config);
  }

  private BaseConfig<?> single(Config config) {
    return config.useSingleServer().setAddress(nodes.get(0)).setConnectionMinimumIdleSize(2);
  }

  private BaseConfig<?> cluster(Config config) {
    // The counter of the closed loop must not be read from a replica, which may be behind.
    var servers = config.useClusterServers().setScanInterval(500).setReadMode(ReadMode.MASTER);
    if (shardedSubscriptionMode != null) {
      servers.setShardedSubscriptionMode(ShardedSubscriptionMode.valueOf(shardedSubscriptionMode));
    }
    servers.addNodeAddress(nodes.toArray(String[]::new));
    return servers;
  }
}
