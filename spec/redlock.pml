/*
 * A lock by majority: what a vote is worth, for how long, and what restarts do to it. Each node runs the scripts of the re-entrant lock, which
 * queue.pml checks; here a question is one step at the node, and its answer another one at the client. The line in which clients wait is
 * not in this: exclusion must hold whatever they do in which order, so here each asks whenever it likes.
 *
 * A vote has a deadline at its client, which is never later than the end of its lease at the node. A restart makes a node forget its owner and
 * ends its connections: answers on their way are lost, and the questions are sent again. A node is young until each deadline from before its
 * restart has passed. Which node is young its client knows when an answer comes, because it reads that on the same connection.
 *
 * Sizes   NC clients, N nodes, ROUNDS each
 * Faults  RESTARTS, LAPSES (a lease runs out at a node), REVOTES (a holder asks a node anew that does not vote)
 * Checks  two_believers, when a client comes to believe
 * Broken  HALF (of the nodes is enough), NO_DEADLINES (a vote counts until a renewal finds it gone), YOUNG_VOTE (in a round),
 *         YOUNG_REVOTE (when a holder asks anew), GOES_ON (a client that has lost its majority takes new votes for the same hold)
 */

#ifndef NC
#define NC 2
#endif
#ifndef N
#define N 3
#endif
#ifndef ROUNDS
#define ROUNDS 1
#endif
#ifndef RESTARTS
#define RESTARTS 0
#endif
#ifndef LAPSES
#define LAPSES 0
#endif
#ifndef REVOTES
#define REVOTES 0
#endif
#ifdef HALF
#define MAJORITY (N / 2)
#else
#define MAJORITY (N / 2 + 1)
#endif
#define AT(c, n) ((c) * N + (n))

mtype = { nothing, asked, says_yes, says_no, votes };

byte owner[N];                                  /* client + 1, 0 = free */
bool young[N];
mtype vote[NC * N];                             /* as client and connection have it: says_ is an answer on its way */
bool live[NC * N];                              /* its deadline has not passed */
bool old[NC * N];                               /* it is from before the last restart of its node */
bool leaving[NC * N];                           /* a release is on its way */
bool busy[NC], believes[NC];
byte rounds[NC], restarts = RESTARTS, lapses = LAPSES, revotes = REVOTES;
hidden byte x, count, two_believers;

#ifdef NO_DEADLINES
#define COUNTS(c, n) (vote[AT(c, n)] == votes)
#else
#define COUNTS(c, n) (vote[AT(c, n)] == votes && live[AT(c, n)])
#endif
#ifdef YOUNG_VOTE
#define MAY_VOTE(c, n) (!young[n] || !believes[c])
#else
#ifdef YOUNG_REVOTE
#define MAY_VOTE(c, n) (!young[n] || believes[c])
#else
#define MAY_VOTE(c, n) (!young[n])
#endif
#endif

inline give_up(c) {
  busy[c] = false; believes[c] = false; x = 0;
  do :: x < N -> leaving[AT(c, x)] = true; x++ :: else -> break od; x = 0
}

/* A client believes while a majority of its votes counts. */
inline settle(c) {
  x = 0; count = 0;
  do :: x < N -> if :: COUNTS(c, x) -> count++ :: else fi; x++ :: else -> break od;
  if
  :: busy[c] && count >= MAJORITY && !believes[c] ->
     believes[c] = true; x = 0; count = 0;
     do :: x < NC -> if :: believes[x] -> count++ :: else fi; x++ :: else -> break od;
     assert(count == 1 || two_believers)
  :: busy[c] && count < MAJORITY && believes[c] ->
#ifdef GOES_ON
     skip
#else
     give_up(c)
#endif
  :: else
  fi;
  x = 0; count = 0
}

inline forget(c, n) { vote[AT(c, n)] = nothing; live[AT(c, n)] = false; old[AT(c, n)] = false }

proctype Client(byte c) {
  byte n;
end:
  do
  :: d_step { !busy[c] && rounds[c] < ROUNDS && !leaving[AT(c, 0)] && !leaving[AT(c, 1)] && !leaving[AT(c, 2)] ->
       rounds[c]++; busy[c] = true; n = 0;
       do :: n < N -> vote[AT(c, n)] = asked; n++ :: else -> break od; n = 0 }
  /* The round, or the hold, is over at any time. */
  :: d_step { busy[c] -> give_up(c) }
  od
}

/* The connection of a client to a node: what is sent on it keeps its order. */
proctype Line(byte c; byte n) {
end:
  do
  :: d_step { vote[AT(c, n)] == asked ->
       if
       :: owner[n] == 0 || owner[n] == c + 1 -> owner[n] = c + 1; vote[AT(c, n)] = says_yes; live[AT(c, n)] = true
       :: else -> vote[AT(c, n)] = says_no
       fi }
  :: d_step { vote[AT(c, n)] == says_yes && !leaving[AT(c, n)] && MAY_VOTE(c, n) -> vote[AT(c, n)] = votes; settle(c) }
  /* The answer of a young node: the client gives back what it has there. */
  :: d_step { vote[AT(c, n)] == says_yes && !leaving[AT(c, n)] && !MAY_VOTE(c, n) ->
       if :: owner[n] == c + 1 -> owner[n] = 0 :: else fi; forget(c, n) }
  :: d_step { vote[AT(c, n)] == says_no -> vote[AT(c, n)] = nothing }
  :: d_step { leaving[AT(c, n)] && vote[AT(c, n)] != asked -> leaving[AT(c, n)] = false;
       if :: owner[n] == c + 1 -> owner[n] = 0 :: else fi; forget(c, n) }
  /* A renewal finds that the vote is gone. */
  :: d_step { vote[AT(c, n)] == votes && owner[n] != c + 1 && !leaving[AT(c, n)] -> forget(c, n); settle(c) }
#if REVOTES > 0
  :: d_step { believes[c] && revotes > 0 && vote[AT(c, n)] == nothing && !leaving[AT(c, n)] -> revotes--; vote[AT(c, n)] = asked }
#endif
#if LAPSES > 0
  :: d_step { lapses > 0 && owner[n] == c + 1 -> lapses--; owner[n] = 0; live[AT(c, n)] = false; settle(c) }
#endif
#if RESTARTS > 0
  /* The deadline passes of what the node has forgotten. */
  :: d_step { old[AT(c, n)] && live[AT(c, n)] -> live[AT(c, n)] = false; settle(c) }
#endif
  od
}

#if RESTARTS > 0
proctype Node(byte n) {
  byte c;
end:
  do
  :: d_step { restarts > 0 -> restarts--; owner[n] = 0; young[n] = true; c = 0;
       do
       :: c < NC ->
          if
          :: vote[AT(c, n)] == votes && live[AT(c, n)] -> old[AT(c, n)] = true
          :: vote[AT(c, n)] == says_yes || vote[AT(c, n)] == says_no -> vote[AT(c, n)] = asked; live[AT(c, n)] = false
          :: else
          fi;
          c++
       :: else -> break
       od; c = 0 }
  :: d_step { young[n] -> c = 0; count = 0;
       do :: c < NC -> if :: old[AT(c, n)] && live[AT(c, n)] -> count++ :: else fi; c++ :: else -> break od;
       if :: count == 0 -> young[n] = false :: else fi; c = 0; count = 0 }
  od
}
#endif

init { atomic {
  byte i = 0, j = 0;
  do :: i < NC * N -> vote[i] = nothing; i++ :: else -> break od;
  i = 0;
  do
  :: i < NC -> run Client(i); j = 0; do :: j < N -> run Line(i, j); j++ :: else -> break od; i++
  :: else -> break
  od;
#if RESTARTS > 0
  i = 0;
  do :: i < N -> run Node(i); i++ :: else -> break od
#endif
} }
