/*
 * Fencing tokens and guards: who owns a lock gets a span of tokens from a counter, gives them on in memory, and writes under them to a store that
 * remembers the latest.
 *
 * The lock itself is one that works (queue.pml): one owner at a time. But leases run out, so an owner may be one that stands still (LAPSES), goes on
 * writing when its lock is another's, or hands a token of its span to the next task of its process; and what it has sent may arrive at any later time,
 * more than once (COPIES). The counter may be lost or set back (LOSSES), as by a failover. The clock of the server stands for time: each mint sees it at least as
 * far ahead as tokens were given (fewer than a million in a second), which is the one assumption.
 *
 * Sizes   NC processes, OWNS: how often the lock is owned in all, SPAN of tokens, WRITES of each hold
 * Faults  LAPSES, COPIES of writes, LOSSES of the counter
 * Checks  token_repeats, token_falls: tokens rise strictly from hold to hold, in the order in which the server made the owners and they their holds.
 *         stale_write: nothing is written after a write under a later token. undone: no write of a hold is undone by a copy of one before it.
 *         minted_twice: an owner that asks again has the same token
 * Broken  NO_CLOCK: the counter alone. BEYOND_THE_SPAN: one token more is given in memory. SHARED: tasks share a token. ASK_MINTS: a copy of an ask mints.
 *         NO_GUARD, GUARD_COUNTS_NOT: the number of a write is not looked at
 */

#ifndef NC
#define NC 2
#endif
#ifndef OWNS
#define OWNS 3
#endif
#ifndef SPAN
#define SPAN 2
#endif
#ifndef WRITES
#define WRITES 2
#endif
#ifndef LAPSES
#define LAPSES 0
#endif
#ifndef COPIES
#define COPIES 0
#endif
#ifndef LOSSES
#define LOSSES 0
#endif
hidden byte token_repeats, token_falls, stale_write, undone, minted_twice;

/* The server: who owns the lock (process + 1), its token; the counter, and the clock, both in steps of a token. */
byte owner, stored, counter, now;
byte owns = OWNS, lapses = LAPSES, losses = LOSSES, copies = COPIES;
/* What the store keeps: the latest write that was done, and by the guard's rule. */
byte written, number;
/* The largest token that any hold had whose lock was its own. */
byte largest;

/* A process: its token, the bound of its span, and how many writes the hold has sent. Believes: it takes itself for the owner. */
byte token[NC], bound[NC], sent[NC];
bool believes[NC];

/* Writes on their way: token and number. They arrive in any order. */
#define WIRE 4
byte late_token[WIRE], late_number[WIRE];

inline mint(t) {
#ifdef NO_CLOCK
  t = counter + 1;
#else
  t = (counter + 1 > now -> counter + 1 : now);
#endif
  counter = t + SPAN - 1;
  if :: counter >= now -> now = counter + 1 :: else fi }

inline begin_hold(c, t) {
  token[c] = t; sent[c] = 0;
  assert(t != largest || token_repeats);
  assert(t > largest || token_falls);
  largest = t }

inline send(t, n) {
  slot = 0;
  do :: slot < WIRE && late_token[slot] != 0 -> slot++ :: else -> break od;
  if :: slot < WIRE -> late_token[slot] = t; late_number[slot] = n :: else fi;
  slot = 0 }

proctype Process(byte c) {
  byte t, slot;
end:
  do
  /* An ask, or a grant: it becomes the owner, and is told its token. */
  :: d_step { owner == 0 && !believes[c] && owns > 0 ->
       owns--; mint(t); owner = c + 1; stored = t; believes[c] = true; bound[c] = t + SPAN; begin_hold(c, t); t = 0 }
  /* A copy of the ask: `mine`. */
  :: d_step { owner == c + 1 && believes[c] && copies > 0 && token[c] == stored ->
       copies--;
#ifdef ASK_MINTS
       mint(t); stored = t;
#endif
       assert(stored == token[c] || minted_twice); t = 0 }
  /* The next task of the process has the lock, in memory; when the span is spent, by a script that mints. */
  :: d_step { believes[c] && owner == c + 1 && owns > 0 ->
       owns--;
       if
#ifdef BEYOND_THE_SPAN
       :: token[c] < bound[c] -> t = token[c] + 1
#else
       :: token[c] + 1 < bound[c] ->
#ifdef SHARED
          t = token[c]
#else
          t = token[c] + 1
#endif
#endif
       :: else -> mint(t); stored = t; bound[c] = t + SPAN
       fi;
       begin_hold(c, t); t = 0 }
  :: d_step { believes[c] && sent[c] < WRITES -> sent[c]++; send(token[c], sent[c]) }
  /* It gives the lock back; or learns that it was lost, at any time. */
  :: d_step { believes[c] -> believes[c] = false; if :: owner == c + 1 -> owner = 0 :: else fi; token[c] = 0; bound[c] = 0; sent[c] = 0 }
  od }

/* A write arrives at the store. */
inline arrive(n) {
  if
#ifdef NO_GUARD
  :: true ->
#else
#ifdef GUARD_COUNTS_NOT
  :: late_token[n] >= written ->
#else
  :: late_token[n] > written || late_token[n] == written && late_number[n] > number ->
#endif
#endif
     assert(late_token[n] >= written || stale_write);
     assert(late_token[n] != written || late_number[n] >= number || undone);
     written = late_token[n]; number = late_number[n]
  :: else
  fi }

proctype Wire(byte n) {
end:
  do
  :: d_step { late_token[n] != 0 -> arrive(n); late_token[n] = 0; late_number[n] = 0 }
  :: d_step { late_token[n] != 0 && copies > 0 -> copies--; arrive(n) }
  od }

proctype World() {
end:
  do
  /* A lease runs out, and nobody has told its holder: it may go on for as long as it likes. */
  :: d_step { owner != 0 && lapses > 0 -> lapses--; owner = 0 }
  :: d_step { losses > 0 && counter > 0 -> losses--; counter = 0 }
  :: d_step { losses > 0 && counter > SPAN -> losses--; counter = counter - SPAN }
  od }

init {
  atomic {
    byte i = 0;
    do :: i < NC -> run Process(i); i++ :: else -> break od;
    i = 0;
    do :: i < WIRE -> run Wire(i); i++ :: else -> break od;
    run World() } }
