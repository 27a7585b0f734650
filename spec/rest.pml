/*
 * A lock that rests: its last hold ends before the minimum that was asked for (`minHoldMs`), and until that is over nobody gets it.
 *
 * One lock, as in queue.pml, and of its scripts what concerns the rest: lock/ask, lock/rest, lock/release, lock/renew, lock/cancel. A hold that ends early sends
 * `rest` in place of `release`. The lock then has an owner that is nobody's tenure, and goes by itself. Who waits has been told of a longer lease: the first in line is
 * told to look, asks, and knows from the answer when to ask again; the others follow as ever, when the lock is passed on.
 *
 * Time has no length: the minimum of a hold ends at any moment after it has begun, and the rest of the lock at any moment after that, since its TTL is counted from
 * where the script runs. Commands are executed some time after they were sent, and any of them may be executed again later (COPIES), as after a break of the connection: a client that
 * has sent an ask twice knows it, and ends its tenure with a tombstone.
 *
 * Sizes   NC processes, each with TENURES one after the other; each tenure has a minimum or not
 *         RENEWALS of a lease
 * Faults  COPIES; LAPSES of a lease; GIVE_UPS of waiters; CLOSES: a process that has sent `rest` is closed, and cancels its tenure besides; LOST_MESSAGES. NO_REASK: who waits
 *         asks only when it was told to, or when what it knows of is over. REFUSALS: the release of a hold further in is refused, so that Redis counts one more;
 *         UNANSWERED: a rest that never ran becomes a cancel, because no answer came in time
 * Checks  cut_short: nobody begins to believe before the minimum of the hold before is over, unless its lease ran out. prolonged: nothing makes a rest longer.
 *         ghost: in the end the lock is with no tenure that is over. lost_wake_up: with NO_REASK, nobody waits in the end
 * Broken  UNDER_ITS_NAME: the owner of a rest is the tenure that it was. TAKES_RESTS: an ask takes a lock that rests as a free one. HANDS_OVER: a process gives the lock
 *         to its next task before the minimum is over. NO_TOMBSTONE: late asks are not barred. SILENT: nobody is told to look. FREES: a copy of `rest` that finds
 *         the tenure gone frees the lock. COUNTS: a rest that finds another hold counted does nothing, and its client cancels
 */

#ifndef NC
#define NC 2
#endif
#ifndef TENURES
#define TENURES 2
#endif
#ifndef COPIES
#define COPIES 0
#endif
#ifndef LAPSES
#define LAPSES 0
#endif
#ifndef GIVE_UPS
#define GIVE_UPS 0
#endif
#ifndef CLOSES
#define CLOSES 0
#endif
#ifndef RENEWALS
#define RENEWALS 0
#endif
#ifndef UNANSWERED
#define UNANSWERED 0
#endif
#ifndef REFUSALS
#define REFUSALS 0
#endif
#ifndef LOST_MESSAGES
#define LOST_MESSAGES 0
#endif
hidden byte cut_short, prolonged, ghost, lost_wake_up;

/* Tenures are numbered from 1. */
#define NT (NC * TENURES)
#define NOBODY (NT + 1)

#define ASK 1
#define REST 2
#define RELEASE 3
#define RENEW 4
#define CANCEL 5

#define ACQUIRED 1
#define WAIT 2
#define WAIT_FOR_REST 3
#define REFUSED 4
#define DONE 5
#define HELD 6

byte copies = COPIES, lapses = LAPSES, give_ups = GIVE_UPS, closes = CLOSES, renewals = RENEWALS, lost_messages = LOST_MESSAGES, refusals = REFUSALS, unanswered = UNANSWERED;

/* The server: who owns the lock, whether it rests, the tombstones, and who waits. */
byte owner;
bool rests, dead[NT + 1];
chan queue = [NT] of { byte };

/* What a tenure has sent, and whether that bars late asks; the answer; a message that says: look. */
byte sent[NT + 1], answer[NT + 1];
bool bars[NT + 1], told[NT + 1];
/* It has sent an ask twice; it has ended. */
bool doubts[NT + 1], over[NT + 1];
/* A hold of it is over, and counted. */
bool miscounted[NT + 1];

/* A command that is to arrive for a second time. */
byte late, late_of;
bool late_bars;

/* The hold whose minimum runs; 0: none. */
byte minimum;

inline look(t) {
  told[t] = true }

inline pass_on() {
  owner = 0; rests = false;
  if
  :: nempty(queue) -> queue?next; owner = next; look(next)
  :: empty(queue)
  fi;
  next = 0 }

inline retire(t, bar) {
  if :: queue??[eval(t)] -> queue??eval(t) :: else fi;
#ifndef NO_TOMBSTONE
  if :: bar -> dead[t] = true :: else fi
#endif
}

inline ask(t) {
  if
  :: dead[t] -> said = REFUSED
  :: !dead[t] && owner == t -> assert(!rests || prolonged); said = ACQUIRED
  :: else ->
     if :: queue??[eval(t)] :: else -> queue!t fi;
#ifdef TAKES_RESTS
     if :: rests -> owner = 0; rests = false :: else fi;
#endif
     if
     :: owner == 0 ->
        queue?next; owner = next;
        if :: next != t -> look(next) :: else fi;
        next = 0
     :: else
     fi;
     if :: owner == t -> said = ACQUIRED :: owner != t && rests -> said = WAIT_FOR_REST :: else -> said = WAIT fi
  fi }

inline rest(t, bar) {
  said = DONE;
  if
#ifdef COUNTS
  :: owner == t && !rests && miscounted[t] -> said = HELD
  :: owner == t && !rests && !miscounted[t] ->
#else
  :: owner == t && !rests ->
#endif
     retire(t, bar);
     rests = true;
#ifndef UNDER_ITS_NAME
     owner = NOBODY;
#endif
#ifndef SILENT
     if :: nempty(queue) -> queue?<next>; look(next); next = 0 :: empty(queue) fi
#endif
  :: else ->
     retire(t, bar);
#ifdef FREES
     if :: rests -> pass_on() :: else fi
#endif
     skip
  fi }

/* Of a release and of a cancel. */
inline finish(t, bar) {
  retire(t, bar);
  if :: owner == t -> pass_on() :: else fi;
  said = DONE }

inline execute(command, t, bar) {
  if
  :: command == ASK -> ask(t)
  :: command == REST -> rest(t, bar)
  :: command == RELEASE || command == CANCEL -> finish(t, bar)
  :: command == RENEW -> assert(owner != t || !rests || prolonged); said = DONE
  fi }

inline send(command, bar) {
  sent[t] = command; bars[t] = bar }

/* A hold whose lease has run out by its own clock does not begin (queue.pml). */
inline begin() {
  if
  :: atomic { owner == t -> assert(minimum == 0 || cut_short); if :: minimum = t :: skip fi }
  :: owner != t
  fi }

/* A tenure: `sent` and `answer` are its connection, which keeps order. */
proctype Tenure(byte t) {
  byte said, next;
  bool waits_for_rest;
  if :: (t - 1) % TENURES == 0 :: (t - 1) % TENURES != 0 && over[t - 1] fi;
#ifdef HANDS_OVER
  if :: owner == t && (t - 1) % TENURES != 0 -> goto held :: owner != t || (t - 1) % TENURES == 0 fi;
#endif
asks:
  send(ASK, false);
waits:
end:
  do
  :: d_step { sent[t] == ASK && copies > 0 && late == 0 -> copies--; late = ASK; late_of = t; doubts[t] = true }
  :: d_step { sent[t] != 0 -> execute(sent[t], t, bars[t]); answer[t] = said; said = 0; sent[t] = 0 }
  :: atomic { answer[t] == ACQUIRED -> answer[t] = 0; told[t] = false; break }
  :: d_step { answer[t] == WAIT || answer[t] == WAIT_FOR_REST -> waits_for_rest = answer[t] == WAIT_FOR_REST; answer[t] = 0 }
  :: d_step { sent[t] == 0 && answer[t] == 0 && told[t] -> told[t] = false; send(ASK, false) }
  :: d_step { sent[t] == 0 && answer[t] == 0 && waits_for_rest && !rests -> waits_for_rest = false; send(ASK, false) }
#ifndef NO_REASK
  :: timeout -> if :: sent[t] == 0 && answer[t] == 0 -> send(ASK, false) fi
#endif
  :: d_step { give_ups > 0 && sent[t] == 0 && answer[t] == 0 -> give_ups--; send(CANCEL, true) }; goto ends
  od;
held:
  begin();
  if :: d_step { renewals > 0 -> renewals--; send(RENEW, false) } :: skip fi;
  if
  :: d_step { sent[t] == RENEW && copies > 0 && late == 0 -> copies--; late = RENEW; late_of = t }
  :: skip
  fi;
  if :: d_step { sent[t] == RENEW -> execute(RENEW, t, false); said = 0; sent[t] = 0 } :: sent[t] == 0 fi;
#ifdef HANDS_OVER
  if
  :: owner == t && t % TENURES != 0 && !over[t + 1] -> d_step { owner = t + 1; over[t] = true }; goto gone
  :: true
  fi;
#endif
  if :: d_step { refusals > 0 -> refusals--; miscounted[t] = true } :: skip fi;
  atomic { if :: minimum == t -> send(REST, doubts[t]) :: else -> send(RELEASE, doubts[t]) fi };
ends:
  do
  :: d_step { sent[t] != 0 && copies > 0 && late == 0 -> copies--; late = sent[t]; late_of = t; late_bars = bars[t] }
  :: d_step { sent[t] != 0 -> execute(sent[t], t, bars[t]); answer[t] = said; said = 0; sent[t] = 0 }
  :: d_step { sent[t] == REST && unanswered > 0 -> unanswered--; send(CANCEL, true) }
  :: d_step { answer[t] == HELD -> answer[t] = 0; send(CANCEL, doubts[t]) }
  :: d_step { answer[t] == DONE && closes > 0 -> closes--; answer[t] = 0; send(CANCEL, true) }
  :: answer[t] == DONE -> break
  od;
  atomic { answer[t] = 0; over[t] = true; told[t] = false };
gone:
  skip }

proctype Late() {
  byte said, next;
end:
  do
  :: d_step { late != 0 -> execute(late, late_of, late_bars); said = 0; late = 0; late_of = 0; late_bars = false }
  od }

proctype World() {
  byte t;
end:
  do
  /* Time passes: a minimum is over; a lock that rests goes. */
  :: minimum != 0 -> minimum = 0
  :: d_step { rests && minimum == 0 -> rests = false; owner = 0 }
  /* A lease runs out. Who waits knows when. */
  :: d_step { lapses > 0 && owner != 0 && !rests ->
       lapses--;
       if :: minimum == owner -> minimum = 0 :: else fi;
       owner = 0;
       t = 1;
       do :: t <= NT -> if :: queue??[eval(t)] -> look(t) :: else fi; t++ :: else -> break od;
       t = 0 }
  :: d_step { lost_messages > 0 -> t = 1; do :: t <= NT && !told[t] -> t++ :: else -> break od; if :: t <= NT -> lost_messages--; told[t] = false :: else fi; t = 0 }
  :: timeout ->
     assert(owner == 0 || owner == NOBODY || !over[owner] || ghost);
#ifdef NO_REASK
     assert(empty(queue) || lost_wake_up)
#endif
  od }

init {
  atomic {
    byte i = 1;
    do :: i <= NT -> run Tenure(i); i++ :: else -> break od;
    run Late(); run World() } }
