package holdfast.interop;

import java.lang.reflect.Proxy;
import java.util.Arrays;
import org.redisson.config.BaseConfig;

/**
 * A NameMapper that puts a prefix before every name. By reflection, since the interface was in another package before Redisson 4: so the
 * program compiles with both.
 */
final class Prefix {
  private Prefix() {}

  static void apply(String prefix, BaseConfig<?> servers) throws ReflectiveOperationException {
    var setter =
        Arrays.stream(BaseConfig.class.getMethods()).filter(method -> method.getName().equals("setNameMapper")).findFirst().orElseThrow();
    var mapper =
        Proxy.newProxyInstance(
            Prefix.class.getClassLoader(),
            setter.getParameterTypes(),
            (proxy, method, args) ->
                switch (method.getName()) {
                  case "map" -> prefix + args[0];
                  case "unmap" -> ((String) args[0]).substring(prefix.length());
                  default -> throw new UnsupportedOperationException(method.getName());
                });
    setter.invoke(servers, mapper);
  }
}
