/*
 * A countdown latch, as the scripts of packages/core/src/latch do it: a count, and beside it which request has begun the round and who has counted in it.
 *
 * Each script is one step. What is sent may arrive again at any later time (COPIES), as a copy of the same request; each request leaves a record of
 * itself, which a copy finds. Who counts by name sends one more request for it (TWICE): after a restart it does not know that it has counted. Who waits
 * looks, is told by a message when the count reaches 0 (MISSED: it may be lost), and looks again. A mark tells which round was begun last, as the n-th
 * of a line that is named after its first; it outlives the round, and goes with the data (LOST: all of it, or what has come since the round began).
 *
 * Sizes   COUNTERS, ROUNDS. Each counter counts once in each round, by name; the count is COUNTERS
 * Faults  COPIES, TWICE, MISSED messages, LOST data
 * Checks  counted_twice: one counter counts once in a round. begun_twice: one request begins one round. early: who waits goes on only when a round has
 *         ended since it asked. stuck: at rest nobody waits at an open latch. lost_untold: a round that was lost is not taken for finished. false_alarm:
 *         where no data was lost none is told as lost
 * Broken  COUNT_WITHOUT_RECORD, NO_NAMES: a count does not look for its own record, nor for who has counted. SET_WITHOUT_RECORD: nor does what begins a
 *         round. ANY_ROUND: a round without a name is taken for another. ONE_LOOK: who has missed a message does not look again
 *         GONE_IS_OVER: who waits does not look for the mark. MARK_GOES: the mark goes with its round. ANY_LINE: a later number will do, of whatever line
 */

#ifndef COUNTERS
#define COUNTERS 2
#endif
#ifndef ROUNDS
#define ROUNDS 2
#endif
#ifndef COPIES
#define COPIES 0
#endif
#ifndef TWICE
#define TWICE 0
#endif
#ifndef MISSED
#define MISSED 0
#endif

#ifndef LOST
#define LOST 0
#endif

hidden byte counted_twice, begun_twice, early, stuck, lost_untold, false_alarm;

/* The server: what is left, the name of the round (0: there is none), who has counted in it, and the records of requests by round. */
byte left, round;
bool counted[COUNTERS], record_of_count[COUNTERS * 4], record_of_set[8];
/* The mark: which round was begun last, as which of its line; and the one before. */
typedef Mark { byte line, nth, name };
Mark mark, previous;
/* What has happened in this round, which rounds have been begun, and what has become of them. */
byte times[COUNTERS], begun[8], ended;
bool over[8];

byte copies = COPIES, twice = TWICE, missed = MISSED, losses = LOST, next = 1;
/* Copies on their way: of the request of a counter for a round, of the request for a round. */
byte late_count[COUNTERS], late_set;
byte sent[COUNTERS];
byte i;

/* Who waits: what it has seen, whether it waits, the ends of rounds that there were when it asked, and whether it has been told to look. */
bool waits, look;
byte seen, seen_line, seen_nth, since;
bool waited;

#ifdef GONE_IS_OVER
#define outlived true
#else
#ifdef ANY_LINE
#define same_line true
#else
#define same_line (mark.line == seen_line)
#endif
#define outlived (mark.name == seen && mark.nth == seen_nth || same_line && mark.nth > seen_nth)
#endif

inline no_mark(m) { m.line = 0; m.nth = 0; m.name = 0 }
inline keep(to, from) { to.line = from.line; to.nth = from.nth; to.name = from.name }

#define request(c, r) (c * 4 + r)

inline set(r) {
  if
#ifndef SET_WITHOUT_RECORD
  :: record_of_set[r] -> skip
  :: !record_of_set[r] && left == 0 ->
#else
  :: left == 0 ->
#endif
     record_of_set[r] = true; begun[r]++;
     assert(begun[r] == 1 || begun_twice);
     left = COUNTERS; round = r; look = true; i = 0;
     keep(previous, mark);
     if :: mark.name == 0 -> mark.line = r :: else fi; mark.nth++; mark.name = r;
     do :: i < COUNTERS -> counted[i] = false; times[i] = 0; i++ :: else -> break od; i = 0
  :: else -> record_of_set[r] = true
  fi }

inline count(c, r) {
  if
#ifndef COUNT_WITHOUT_RECORD
  :: record_of_count[request(c, r)] -> skip
  :: !record_of_count[request(c, r)] ->
#else
  :: true ->
#endif
     record_of_count[request(c, r)] = true;
     if
#ifdef NO_NAMES
     :: left > 0 ->
#else
     :: left > 0 && !counted[c] ->
#endif
        counted[c] = true; times[c]++; left--;
        assert(times[c] == 1 || counted_twice);
        if :: left == 0 -> ended++; over[round] = true; round = 0;
#ifdef MARK_GOES
              no_mark(mark);
#endif
              look = true; if :: missed > 0 -> missed--; look = false :: true fi :: else fi
     :: else
     fi
  fi }

proctype Counter(byte c) {
end:
  do
  :: atomic { round > sent[c] -> sent[c] = round; count(c, round);
       if :: copies > 0 && late_count[c] == 0 -> copies--; late_count[c] = sent[c] :: true fi }
  /* After a restart, under a request of its own. */
  :: atomic { twice > 0 && sent[c] > 0 && round == sent[c] -> twice--; record_of_count[request(c, sent[c])] = false; count(c, sent[c]) }
  :: atomic { late_count[c] > 0 -> count(c, late_count[c]); late_count[c] = 0 }
  od }

proctype Beginner() {
end:
  do
  :: atomic { left == 0 && next <= ROUNDS -> set(next); next++;
       if :: copies > 0 && late_set == 0 -> copies--; late_set = next - 1 :: true fi }
  :: atomic { late_set > 0 -> set(late_set); late_set = 0 }
  od }

/* A server that has forgotten all, or one that takes over and has not heard of this round. */
proctype Loser() {
end:
  do
  :: atomic { losses > 0 && left > 0 -> losses--; left = 0; round = 0;
       if :: no_mark(mark) :: keep(mark, previous) fi;
       if :: look = true :: true fi }
  od }

proctype Waiter() {
end:
  do
  :: atomic { !waits && !waited && left > 0 -> waits = true; waited = true; since = ended; seen = 0; look = true }
  :: atomic { waits && look -> look = false;
       if
#ifdef ANY_ROUND
       :: left == 0 || seen != round && round > 1 ->
#else
       :: left == 0 || seen != 0 && round != seen ->
#endif
          waits = false;
          if
          :: seen == 0 || outlived ->
             assert(left == 0 || ended > since || early); assert(seen == 0 || over[seen] || lost_untold)
          :: else -> assert(losses < LOST || false_alarm)
          fi
       :: else -> if :: seen == 0 -> seen = round; seen_line = mark.line; seen_nth = mark.nth :: else fi
       fi }
  :: atomic { timeout ->
#ifdef ONE_LOOK
       assert(!(waits && left == 0) || stuck) } -> break
#else
       if :: waits -> look = true :: else fi } -> if :: !look -> break :: else fi
#endif
  od }

init {
  atomic {
    byte n = 0;
    do :: n < COUNTERS -> run Counter(n); n++ :: else -> break od;
    if :: LOST > 0 -> run Loser() :: else fi;
    run Beginner(); run Waiter() } }
