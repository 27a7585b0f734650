/*
 * The fair lock: the scripts of the re-entrant lock (lock/ask, lock/release, lock/cancel and queue/grant of packages/core), where each call of a process is a tenure that
 * asks at once and nothing passes in memory (`fairPolicy` in packages/holdfast).
 *
 * One lock. Each script is one step. Commands of a process keep their order on its connection. Who waits asks again at any time, with the ticket of its
 * place, and so comes back to it when it was passed over though it is alive. Leases, late copies and lost messages are those of queue.pml.
 *
 * Sizes   NP processes with TASKS calls each
 * Faults  DEATHS of processes: what they own runs out, their places stay; STALE: one that is alive is passed over, because it has not asked for too long;
 *         GIVE_UPS of calls that wait
 * Checks  overtaken: nobody has the lock before a call that arrived in Redis before it, waits, and stands in the queue. out_of_order: calls of one process arrive
 *         in the order in which they were made. held_up: no lock is free while one who lives waits in the queue
 * Broken  HANDS_OVER: a release gives the lock to the next call of its own process. KEEPS_PLACE: the next call of a process takes the place of the one before.
 *         BARGES: who asks takes a free lock, whoever waits. NO_TICKET: who was passed over comes back at the end. ANY_ORDER: commands of a process overtake each
 *         other. WAITS_FOR_DEAD: a grant step stops at a place of the dead
 */

#ifndef NP
#define NP 2
#endif
#ifndef TASKS
#define TASKS 2
#endif
#ifndef DEATHS
#define DEATHS 0
#endif
#ifndef STALE
#define STALE 0
#endif
#ifndef GIVE_UPS
#define GIVE_UPS 0
#endif

hidden byte overtaken, out_of_order, held_up;
hidden byte i, head;

/* Calls are numbered from 1, those of a process in the order in which they are made. */
#define NT (NP * TASKS)
#define is_later_of_process(t) (((t) - 1) % TASKS != 0)
#define is_of(t, p) (((t) - 1) / TASKS == (p))

mtype = { IDLE, SENT, WAITS, HAS, OVER, DEAD };

/* The server: the owner, the place of each waiter by its ticket (0: none), and the tickets given. */
byte owner, place[NT + 1], tickets;
/* A call: its state, its ticket as it knows it, when it arrived, and whether it was passed over and has not asked again. */
mtype state[NT + 1];
byte ticket[NT + 1], arrived[NT + 1], arrivals;
bool passed_over[NT + 1];

byte deaths = DEATHS, stale = STALE, give_ups = GIVE_UPS;

inline own(t) {
  i = 1;
  do
  :: i <= NT ->
     assert(!(i != t && state[i] == WAITS && arrived[i] < arrived[t] && !passed_over[i]) || overtaken);
     i++
  :: else -> break
  od;
  i = 0; owner = t; place[t] = 0; state[t] = (state[t] == DEAD -> DEAD : HAS) }

inline find_head() {
  head = 0; i = 1;
  do
  :: i <= NT -> if :: place[i] != 0 && (head == 0 || place[i] < place[head]) -> head = i :: else fi; i++
  :: else -> break
  od;
  i = 0 }

/* The dead are passed over: nobody listens to their inbox. */
inline pass_on() {
  owner = 0;
  do
  :: owner == 0 ->
     find_head();
     if
     :: head == 0 -> break
#ifdef WAITS_FOR_DEAD
     :: head != 0 && state[head] == DEAD -> break
#else
     :: head != 0 && state[head] == DEAD -> place[head] = 0
#endif
     :: else -> own(head)
     fi
  :: else -> break
  od;
  i = 1;
  do :: i <= NT -> assert(!(owner == 0 && state[i] == WAITS && place[i] != 0) || held_up); i++ :: else -> break od;
  i = 0; head = 0 }

/* lock/ask.lua */
inline ask(t) {
  if :: arrived[t] == 0 -> arrivals++; arrived[t] = arrivals :: else fi;
  passed_over[t] = false; state[t] = WAITS;
  find_head();
  if
#ifdef BARGES
  :: owner == 0 -> own(t)
#else
  :: owner == 0 && head == 0 -> own(t)
#endif
  :: else ->
     if
     :: place[t] == 0 ->
#ifdef NO_TICKET
        tickets++; place[t] = tickets
#else
        if :: ticket[t] == 0 -> tickets++; ticket[t] = tickets :: else fi;
        place[t] = ticket[t]
#endif
     :: else
     fi;
     if :: owner == 0 -> pass_on() :: else fi
  fi;
  head = 0 }

inline release(t) {
  state[t] = OVER;
#ifdef HANDS_OVER
  if
  :: t % TASKS != 0 && state[t + 1] == WAITS -> own(t + 1)
  :: else -> pass_on()
  fi
#else
  pass_on()
#endif
  }

proctype Call(byte t) {
end:
  do
  :: atomic { state[t] == IDLE && (!is_later_of_process(t) || state[t - 1] != IDLE) -> state[t] = SENT;
#ifdef KEEPS_PLACE
       if :: is_later_of_process(t) -> ticket[t] = ticket[t - 1] :: else fi
#endif
     }
#ifdef ANY_ORDER
  :: atomic { state[t] == SENT ->
#else
  :: atomic { state[t] == SENT && (!is_later_of_process(t) || state[t - 1] != SENT) ->
#endif
       if :: is_later_of_process(t) -> assert(arrived[t - 1] != 0 || out_of_order) :: else fi;
       ask(t) }
  :: atomic { state[t] == WAITS -> ask(t) }
  :: atomic { state[t] == WAITS && give_ups > 0 -> give_ups--; state[t] = OVER; place[t] = 0; passed_over[t] = false }
  :: atomic { state[t] == HAS -> release(t) }
  od }

proctype World() {
  byte p;
end:
  do
  :: atomic { deaths > 0 -> deaths--; if :: p = 0 :: p = NP - 1 fi;
       i = 1;
       do :: i <= NT -> if :: is_of(i, p) && state[i] != OVER -> state[i] = DEAD; arrived[i] = NT + 1 :: else fi; i++ :: else -> break od;
       i = 0; p = 0 }
  /* The lease of the dead runs out, and nobody is told. */
  :: atomic { owner != 0 && state[owner] == DEAD -> owner = 0 }
  /* It asks again, at the latest when it hears of nothing. */
  :: atomic { stale > 0 && owner != 0 -> find_head(); if :: head != 0 && state[head] == WAITS -> stale--; place[head] = 0; passed_over[head] = true :: else fi; head = 0 }
  od }

init {
  atomic {
    byte n = 1;
    do :: n <= NT -> state[n] = IDLE; run Call(n); n++ :: else -> break od;
    run World() } }
