package holdfast.interop;

/** What can be done with one kind of Redisson's objects, in the thread that calls. */
interface Operations {
  /**
   * @return what the operation returned; null for those that return nothing
   */
  Object perform(Request request) throws Exception;
}
