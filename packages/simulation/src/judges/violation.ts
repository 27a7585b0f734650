/** What must not happen in a world. `rule` names the promise; two violations of one rule count as the same when a run is made smaller. */
export type Rule =
  /** Two callers believed that they held one lock. */
  | 'exclusion'
  /** A hold was over by its own clock, and its process awake, and its signal had not aborted when the next owner came. */
  | 'loss told late'
  /** A lock stood free longer than messages take, and a caller waited for it. Only where nothing is broken. */
  | 'lost wakeup'
  /** A caller did not get the lock, long after everything was whole again. */
  | 'starved'
  /** A call never settled. */
  | 'call without end'
  /** An error that nothing explains. */
  | 'unexplained error'
  /** A rejection that no caller could handle. */
  | 'unhandled rejection'
  /** A late command took a lock for a tenure that had ended. */
  | 'ghost'
  /** A client asks for a lock on behalf of an explicit owner that does not come first. */
  | 'owner'
  /** A hold was lost although nothing was broken. */
  | 'unexplained loss'
  /** Redis and the scope disagree about how often a lock is held. */
  | 'hold count'
  /** A nested call waited, or a branch was let in beside its sibling. */
  | 'reentry'
  /** A fencing token did not rise, or changed on re-entry. */
  | 'token'
  /** A semaphore has other permits than it should have, by the server's own data, or by what holders believe. */
  | 'permits'
  /** A latch was counted twice by one call, or opened for somebody before its count had reached 0. */
  | 'latch'
  /** Somebody was computing what was there already, or was given what nobody had computed. */
  | 'share'
  /** Somebody had a lock before the time was over for which its last holder keeps it. */
  | 'rest'
  /** A hold was told wrongly whether the one before it was given back. */
  | 'inheritance'
  /** A call was refused that closed no circle of waits, or one that did was not. */
  | 'deadlock'
  /** A scope that had ended took, kept or gave back a lock, or told nobody that it left one open. */
  | 'scope'
  /** A guarded write was done behind one under a later token, or its caller was told otherwise than it was. */
  | 'guard'
  /** Data of others under the name of a lock was changed, or taken for a lock, or a call was told of some that was not there. */
  | 'stranger'
  /** The tasks of one process had a lock one after the other for longer than a turn, while another waited. */
  | 'turn'
  /** A holder believes in a lease for longer than it asked for. */
  | 'lease'
  /** A call was not answered when its time was over. */
  | 'late'
  /** A client let more in than its limits say, or refused a call below them. */
  | 'limit'
  /** What a server keeps of an owner was changed by a stranger or a copy, or its lease got shorter. */
  | 'record'
  /** One in line has not the place that it should have, was passed over, or was given the lock when it was gone, or for too long. */
  | 'line'
  /** One that stood in line and could have been served was passed over. */
  | 'skipped'
  /** A message was not read for what it says, or cost more than a few commands. */
  | 'message'
  /** A client ended a connection to a server that answers. Only where nothing but processes stands still. */
  | 'connection'
  /** One that came later to the queue was served before. Only where nothing is broken. */
  | 'order'
  /** Something was left after close(): a timer, a connection, a key without an end. */
  | 'left behind';

/** See {@link Rule}. */
export interface Violation {
  readonly rule: Rule;
  /** World time in milliseconds. */
  readonly at: number;
  readonly lock: string | undefined;
  readonly text: string;
}
