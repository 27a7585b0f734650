/*
 * Redisson mode: nobody queues. Who finds the lock busy subscribes to its channel, asks again when that is confirmed, and then on each
 * message, when the lease it was told of has passed, and when its subscription comes back. A release that frees the lock says `0` there.
 *
 *      ask -> busy -> subscribe -> confirmed -> ask -> busy -> wait -> message, PTTL, R or gap -> ask ...
 *
 * Processes below JAVA are Redisson's own clients: one owner field for ever, a lock command that counts up whenever it runs, no tombstones.
 *
 * Time, deadlines and `expiries`: as in queue.pml. A message is a mere "look", so any number of them that are on their way to one process
 * count as one. Who gets a free lock is open: in this mode nobody promises an order, and none is checked.
 *
 * Sizes   NC processes, the first JAVA of them Redisson's, HOLDS each
 * Faults  BREAKS of a command connection of ours, LOST_MESSAGES, SUBSCRIBER_LOSSES, EXPIRATIONS (of our leases; JAVA_STALLS: of Java's, which goes
 *         on believing), GIVE_UPS, EARLY_ASKS, CRASHES (of the last process, which is ours)
 * Broken  NO_TIMER: nobody asks by itself, only messages wake. Without faults that must do; with a fault it must fail. NO_RECHECK,
 *         NO_LOOK_ON_GAP, DEAF_WHILE_ASKING, SILENT_RELEASE, SILENT_CANCEL, NO_TOMBSTONE
 */

#ifndef NC
#define NC 2
#endif
#ifndef JAVA
#define JAVA 0
#endif
#ifndef HOLDS
#define HOLDS 1
#endif
#ifndef BREAKS
#define BREAKS 0
#endif
#ifndef LOST_MESSAGES
#define LOST_MESSAGES 0
#endif
#ifndef SUBSCRIBER_LOSSES
#define SUBSCRIBER_LOSSES 0
#endif
#ifndef EXPIRATIONS
#define EXPIRATIONS 0
#endif
#ifndef GIVE_UPS
#define GIVE_UPS 0
#endif
#ifndef EARLY_ASKS
#define EARLY_ASKS 0
#endif
#ifndef CRASHES
#define CRASHES 0
#endif

#define IDS (NC*HOLDS)
#define IS_JAVA(c) ((c) < JAVA)
#define PROCESS(i) (((i)-1)/HOLDS)
#define ID(c) ((c)*HOLDS + (IS_JAVA(c) -> 0 : done[c]) + 1)

mtype = { NOTHING, ASK, RELEASE, CANCEL, acquired, mine, busy, dead, released, not_held, cancelled };
mtype = { idle, asking, subscribing, waiting, inside, leaving, cancelling };

/* ---- Redis ---- */
byte owner, count, last_seq;
bool tombstone[IDS+1];
bool subscribed[NC];

/* ---- between ---- */
#define ROOM 3
chan cmd[NC] = [ROOM] of { mtype, byte, bool };              /* kind, id, tombstone wanted */
chan rep[NC] = [ROOM] of { mtype, byte, mtype, byte };       /* kind, id, answer, expiries */
bool message[NC], confirmation[NC];
mtype late_kind; byte late_id; bool late_flag;               /* a copy on a connection that has ended */

/* ---- processes ---- */
mtype state[NC];
byte done[NC];
bool alive[NC], unanswered[NC], again[NC], listens[NC], doomed[NC], dirty[NC], twice[NC];

/* ---- ghosts ---- */
bool believes[NC];
byte expiries[IDS+1];
bool excused[IDS+1];

hidden byte x, y, i, e, flag;
hidden byte k, r;
hidden byte two_believers, ghost, lost_wake_up, orphan, false_alarm, live_tenure_refused, model_too_small;

byte breaks=BREAKS, lost_messages=LOST_MESSAGES, subscriber_losses=SUBSCRIBER_LOSSES, expirations=EXPIRATIONS, give_ups=GIVE_UPS,
     early_asks=EARLY_ASKS, crashes=CRASHES;

/* ---------------------------------------------------------------- scripts */

inline set_free() { owner = 0; count = 0; last_seq = 0 }

inline announce() {
  x = 0;
  do :: x < NC -> if :: subscribed[x] -> message[x] = true :: else fi; x++ :: else -> break od }

/* One that frees: Java's and ours differ in what they leave and check, not in what they say. */
inline free_and_tell() { set_free(); announce() }

inline run_java(kind) {
  if
  :: kind == ASK ->
     if
     :: owner == 0 || owner == i -> owner = i; count++; r = acquired
     :: else -> r = busy
     fi
  :: kind == RELEASE ->
     if
     :: owner != i -> r = not_held
     :: else -> count--; if :: count == 0 -> free_and_tell() :: else fi; r = released
     fi
  fi }

inline run_ours(kind) {
  if
  :: kind == ASK ->
     if
     :: tombstone[i] -> r = dead
     :: !tombstone[i] && owner == i -> r = mine
     :: !tombstone[i] && owner == 0 -> owner = i; count = 1; last_seq = 1; r = acquired
     :: else -> r = busy
     fi
  :: kind == RELEASE || kind == CANCEL ->
     if
     :: owner == i ->
#ifdef SILENT_RELEASE
        if :: kind == RELEASE -> set_free() :: else -> free_and_tell() fi;
#else
#ifdef SILENT_CANCEL
        if :: kind == CANCEL -> set_free() :: else -> free_and_tell() fi;
#else
        free_and_tell();
#endif
#endif
        r = (kind == CANCEL -> cancelled : released)
     :: else -> r = (kind == CANCEL -> cancelled : (tombstone[i] -> released : not_held))
     fi;
#ifndef NO_TOMBSTONE
     if :: flag -> tombstone[i] = true :: else fi
#endif
  fi }

inline execute() {
  r = NOTHING;
  if :: IS_JAVA(PROCESS(i)) -> run_java(k) :: else -> run_ours(k) fi }

/* ---------------------------------------------------------------- wires */

proctype Connection(byte c) {
end:
  do
  :: d_step { nempty(cmd[c]) -> cmd[c]?k, i, flag; execute();
       if :: alive[c] -> rep[c]!k, i, r, expiries[i] :: else fi }
#if BREAKS > 0
  /* what is unanswered is sent again: at most an ask and the command behind it */
  :: d_step { breaks > 0 && alive[c] && !IS_JAVA(c) && (nempty(cmd[c]) || nempty(rep[c])) -> breaks--;
       do
       :: nempty(cmd[c]) -> cmd[c]?k, i, flag;
          if :: late_kind == NOTHING -> late_kind = k; late_id = i; late_flag = flag :: else fi
       :: empty(cmd[c]) -> break
       od;
       do :: nempty(rep[c]) -> rep[c]?k, i, r, e :: empty(rep[c]) -> break od;
       dirty[c] = true;
       if :: unanswered[c] -> cmd[c]!ASK, ID(c), false :: else fi;
       if
       :: state[c] == leaving -> twice[c] = true; cmd[c]!RELEASE, ID(c), true
       :: state[c] == cancelling -> cmd[c]!CANCEL, ID(c), true
       :: else
       fi }
#endif
  /* the subscriber's connection: SUBSCRIBE, then its confirmation */
  :: d_step { alive[c] && listens[c] && !subscribed[c] -> subscribed[c] = true; confirmation[c] = true }
#if LOST_MESSAGES > 0
  :: d_step { lost_messages > 0 && message[c] -> lost_messages--; message[c] = false }
#endif
#if SUBSCRIBER_LOSSES > 0
  :: d_step { subscriber_losses > 0 && subscribed[c] -> subscriber_losses--; subscribed[c] = false; message[c] = false; confirmation[c] = false }
#endif
  od }

#if BREAKS > 0
proctype OldConnection() {
end:
  do
  :: d_step { late_kind != NOTHING -> k = late_kind; i = late_id; flag = late_flag; late_kind = NOTHING; late_id = 0; late_flag = false; execute() }
  :: d_step { late_kind != NOTHING -> late_kind = NOTHING; late_id = 0; late_flag = false }
  od }
#endif

/* ---------------------------------------------------------------- processes */

#define HAS_ROOM (len(cmd[c]) + 2 <= ROOM)
#define WAITS(c) (state[c] == asking || state[c] == subscribing || state[c] == waiting)

inline ask() { state[c] = asking; unanswered[c] = true; again[c] = false; cmd[c]!ASK, ID(c), false }

inline look() { if :: unanswered[c] -> again[c] = true :: else -> ask() fi }

inline go_in() {
  state[c] = inside; again[c] = false; believes[c] = true;
  x = 0; y = 0;
  do :: x < NC -> if :: believes[x] -> y++ :: else fi; x++ :: else -> break od;
  assert(y <= 1 || two_believers) }

inline over() {
  state[c] = idle; listens[c] = false; subscribed[c] = false; message[c] = false; confirmation[c] = false;
  dirty[c] = false; twice[c] = false; doomed[c] = false; unanswered[c] = false; again[c] = false; done[c]++ }

inline cancel() {
  if :: unanswered[c] -> dirty[c] = true :: else fi;
  unanswered[c] = false; again[c] = false; doomed[c] = false; believes[c] = false;
  state[c] = cancelling; cmd[c]!CANCEL, ID(c), dirty[c] }

inline hear() {
  if
  :: k == ASK && WAITS(c) && i == ID(c) ->
     unanswered[c] = false;
     if
     :: r == acquired || r == mine -> if :: e == expiries[i] -> go_in() :: else -> ask() fi
     :: r == busy ->
        if
        :: again[c] -> ask()
        :: !again[c] && !listens[c] -> state[c] = subscribing; listens[c] = true
        :: else -> state[c] = waiting
        fi
     :: r == dead -> assert(live_tenure_refused)
     fi
  :: k == RELEASE && state[c] == leaving ->
     assert(r != not_held || twice[c] || excused[i] || false_alarm); over()
  :: k == CANCEL && state[c] == cancelling -> over()
  :: else
  fi }

proctype Process(byte c) {
  bool confirmed_before;
end:
  do
  :: d_step { alive[c] && state[c] == idle && done[c] < HOLDS && HAS_ROOM -> confirmed_before = false; ask() }
  :: d_step { alive[c] && nempty(rep[c]) && HAS_ROOM -> rep[c]?k, i, r, e; hear() }

  :: d_step { alive[c] && confirmation[c] && HAS_ROOM -> confirmation[c] = false;
       if
       :: !WAITS(c)
       :: WAITS(c) && !confirmed_before ->
          confirmed_before = true;
#ifdef NO_RECHECK
          state[c] = waiting
#else
          look()
#endif
       :: else ->
#ifdef NO_LOOK_ON_GAP
          skip
#else
          look()
#endif
       fi }
  :: d_step { alive[c] && message[c] && HAS_ROOM -> message[c] = false;
       if
       :: state[c] == waiting -> ask()
#ifndef DEAF_WHILE_ASKING
       :: state[c] == asking || state[c] == subscribing -> look()
#endif
       :: else
       fi }
#ifndef NO_TIMER
  :: d_step { timeout && alive[c] && state[c] == waiting -> ask() }
#endif
#if EARLY_ASKS > 0
  :: d_step { alive[c] && state[c] == waiting && early_asks > 0 && HAS_ROOM -> early_asks--; ask() }
#endif
#if GIVE_UPS > 0
  /* nothing is left to undo when the last answer was "busy" and no copy is on its way */
  :: d_step { alive[c] && !IS_JAVA(c) && WAITS(c) && give_ups > 0 && HAS_ROOM -> give_ups--;
       if :: unanswered[c] || dirty[c] -> cancel() :: else -> over() fi }
#endif

  :: d_step { alive[c] && doomed[c] && HAS_ROOM -> cancel() }
  :: d_step { alive[c] && state[c] == inside && !doomed[c] && HAS_ROOM ->
       state[c] = leaving; believes[c] = false; cmd[c]!RELEASE, ID(c), (dirty[c] || unanswered[c]) }
  od }

/* ---------------------------------------------------------------- time, crashes, rest */

inline expire() {
  i = owner; expiries[i]++; excused[i] = true;
  if
  :: alive[PROCESS(i)] && state[PROCESS(i)] == inside && ID(PROCESS(i)) == i && !IS_JAVA(PROCESS(i)) ->
     believes[PROCESS(i)] = false; doomed[PROCESS(i)] = true
  :: else
  fi;
  set_free() }

proctype World() {
end:
  do
#if EXPIRATIONS > 0
  :: d_step { expirations > 0 && owner != 0 && !IS_JAVA(PROCESS(owner)) -> expirations--; expire() }
#ifdef JAVA_STALLS
  :: d_step { expirations > 0 && owner != 0 && IS_JAVA(PROCESS(owner)) -> expirations--; expire() }
#endif
#endif
  :: d_step { timeout && owner != 0 && !(alive[PROCESS(owner)] && state[PROCESS(owner)] == inside && ID(PROCESS(owner)) == owner) ->
       assert(!alive[PROCESS(owner)] || ghost); expire() }
#if CRASHES > 0
  :: d_step { crashes > 0 && alive[NC-1] -> crashes--; alive[NC-1] = false; believes[NC-1] = false; doomed[NC-1] = false; state[NC-1] = idle;
       subscribed[NC-1] = false; listens[NC-1] = false; message[NC-1] = false; confirmation[NC-1] = false; unanswered[NC-1] = false;
       again[NC-1] = false; done[NC-1] = HOLDS;
       do :: nempty(rep[NC-1]) -> rep[NC-1]?k, i, r, e :: empty(rep[NC-1]) -> break od;
       x = 0 }                                  /* SPIN 6.5 miscompiles a step that ends with a loop */
#endif
  od }

proctype Rest() {
  d_step { timeout && owner == 0 ->
    x = 0; y = 0;
    do :: x < NC -> if :: alive[x] && (done[x] < HOLDS || state[x] != idle) -> y++ :: else fi; x++ :: else -> break od;
    if
    :: y > 0 ->
#ifdef NO_TIMER
       assert(lost_wake_up)
#else
       skip                                     /* its timer fires, and it gets the lock */
#endif
    :: else ->
       x = 0;
       do :: x < NC -> assert(!subscribed[x] || orphan); x++ :: else -> break od
    fi } }

init {
  d_step {
    late_kind = NOTHING;
    x = 0;
    do :: x < NC -> alive[x] = true; state[x] = idle; x++ :: else -> break od
  }
  atomic {
    byte n = 0;
    do :: n < NC -> run Connection(n); run Process(n); n++ :: else -> break od;
#if BREAKS > 0
    run OldConnection();
#endif
    run World(); run Rest()
  }
}
