package holdfast.bench;

/** How to get warm: for so long, and whether there will be others to wait for. */
record WarmUpOrder(String name, long limitMs, boolean competes) {}
