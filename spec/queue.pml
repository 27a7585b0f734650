/*
 * Queue and grant, as built: what the scripts of packages/core do to Redis, and what packages/holdfast does with their answers.
 *
 * Each script is one step. Between them lie the wires: one connection for each process, in order while it lasts, and an inbox whose messages
 * may be lost. When a connection breaks, every unanswered command is in doubt and sent again; copies from before may arrive at any time.
 *
 * Time is not modelled, only what it can do. A lease may run out at any moment (budget EXPIRATIONS: a slow network, a stopped process, a
 * failed renewal), and does when nothing else can happen and nobody looks after it. The one assumption: **a deadline computed by the rules
 * is never later than the server's expiry**, so a belief that rests on it ends in the same step. An answer or message carries how many
 * leases of its tenure had run out when it was made; the deadline check passes while that is still so. Re-asks, resends of a silent
 * connection and the end of a neglected lease wait until nothing else moves (`timeout`); EARLY_ASKS lets some come at any time.
 *
 * Sizes   NC processes, TASKS in each, TENURES each may spend, NESTINGS: nested acquisitions in all
 * Faults  BREAKS of connections, SWAPS (an answer comes to another question: what lies between a lock and TCP has a bug), MOVES (the lock goes to another server: a command is refused and sent there, behind later ones), LOST_MESSAGES, SUBSCRIBER_LOSSES,
 *         MISLED (a subscription is at a replica from now on: the master does not count it, and hands its messages on), EXPIRATIONS, GIVE_UPS, EARLY_ASKS, CRASHES (of process 0; HALF_OPEN: its
 *         subscription stays), FORCES, STRANGERS that know no queue, DELETIONS of the key, STALE queue entries
 * TRACE   a simulation prints each step and what is true after it: scripts/spec/traces.mjs
 * Rules   UNTRUSTED: the number of listeners means nothing (Cluster). ASKS_ONCE: process 0 does not wait. COLD: nobody listens yet. RENEWALS: a
 *         hold may be renewed. ORDER, TOKENS: check these too
 * Broken  (QUIET, UNCHECKED_BELIEFS: false alarms, two believers are let pass) each of the other switches leaves one rule out, and must fail; variants.mjs says why
 */

#ifndef NC
#define NC 2
#endif
#ifndef TASKS
#define TASKS 1
#endif
#ifndef TENURES
#define TENURES TASKS
#endif
#ifndef NESTINGS
#define NESTINGS 0
#endif
#ifndef BREAKS
#define BREAKS 0
#endif
#ifndef MOVES
#define MOVES 0
#endif
#ifndef LOST_MESSAGES
#define LOST_MESSAGES 0
#endif
#ifndef SUBSCRIBER_LOSSES
#define SUBSCRIBER_LOSSES 0
#endif
#ifndef MISLED
#define MISLED 0
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
#ifndef FORCES
#define FORCES 0
#endif
#ifndef STRANGERS
#define STRANGERS 0
#endif
#ifndef DELETIONS
#define DELETIONS 0
#endif
#ifndef SWAPS
#define SWAPS 0
#endif
#ifndef STALE
#define STALE 0
#endif

#include "queue/state.pml"
#include "queue/show.pml"
#include "queue/server.pml"
#include "queue/client.pml"
#include "queue/wire.pml"
#include "queue/faults.pml"

init {
  d_step {
    x = 0;
    do
    :: x < NC -> alive[x] = true; todo[x] = TASKS; op[x] = NOTHING;
#ifndef COLD
       listening[x] = true;
#endif
       x++
    :: else -> break
    od;
    x = 0;
    do :: x <= LAST_TENURE -> ending[x] = NOTHING; x++ :: else -> break od;
    x = 0;
    do :: x < LATE -> late_kind[x] = NOTHING; x++ :: else -> break od
  }
  atomic {
    byte i = 0;
    do :: i < NC -> run Connection(i); run Process(i); i++ :: else -> break od;
#if FORCES > 0
    run Connection(NC);
#endif
#if BREAKS + SWAPS > 0
    i = 0;
    do :: i < LATE -> run OldConnection(i); i++ :: else -> break od;
#endif
    run World(); run Rest()
  }
}
