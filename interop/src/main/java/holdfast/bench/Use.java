package holdfast.bench;

/** Whom to use, and how to connect. */
record Use(String peer, String url, long leaseMs) {}
