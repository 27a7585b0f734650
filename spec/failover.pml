/*
 * A failover: what a master forgets when a replica takes its place, and what `replicas: { min }` saves.
 *
 * SERVERS servers, number 0 the first master. A replica has what the master had at some moment before (a copy step takes all of it over). A
 * promotion makes one of them master, once. PLANNED: the old master has stopped and the replica caught up before. Otherwise it is dead, or,
 * with OLD_LIVES, goes on serving those who have not noticed. Each process moves when it likes: its connection breaks, commands without an
 * answer are sent again, a hold is verified, a waiter asks.
 *
 * Leases have numbers: each write of one (grant, ask of an owner, renewal) is the next. A belief rests on the number that its answer told.
 * When a lease runs out on a server, a belief that rests on this number or an earlier one has ended by then; one that rests on a *later*
 * write, which that server never got, has not. The clocks of servers agree; a clock pair of one is nevertheless not used for another.
 *
 * Sizes   NC processes with one hold each
 * Rules   MIN: replicas that must confirm an acquisition (WAIT), 0 = none are asked
 * Faults  RENEWALS (how many), EXPIRATIONS, BREAKS (a copy of an ask stays behind on the old connection)
 * Checks  two_believers, unless UNCHECKED_BELIEFS; ghost and orphan, unless LEFTOVERS (leases and entries may stay until their TTL); waits_for_nobody
 * Broken  RENEWALS_CONFIRMED is not what is built, and shows what it would give. KEEPS_CLOCK_PAIR and GRANT_UNCONFIRMED leave a
 *         rule out
 */

#ifndef NC
#define NC 2
#endif
#ifndef SERVERS
#define SERVERS 2
#endif
#ifndef MIN
#define MIN 0
#endif
#ifndef RENEWALS
#define RENEWALS 0
#endif
#ifndef EXPIRATIONS
#define EXPIRATIONS 0
#endif
#ifndef BREAKS
#define BREAKS 0
#endif

#define ID(c) ((c)+1)
#define PROCESS(i) ((i)-1)

mtype = { NOTHING, ASK, RELEASE, RENEW, CANCEL, acquired, wait, dead, released, renewed, lost, cancelled };
mtype = { idle, asking, inside, leaving, cancelling, over };

typedef Server {
  byte owner;
  byte lease;                                   /* number of the present lease */
  byte place[NC+1];                             /* ticket, 0 = not queued */
  bool tombstone[NC+1]
}

Server at_server[SERVERS];
byte master, tickets, leases;
bool promoted, behind[SERVERS];

byte server_of[NC];                             /* where the connections of a process lead */
chan cmd[NC] = [3] of { mtype, bool };          /* kind, tombstone wanted */
chan rep[NC] = [3] of { mtype, mtype, byte };   /* kind, answer, lease or ticket */
byte granted[NC], granted_by[NC];               /* a grant on its way: lease number, server + 1; 0 = none */
bool confirmed[NC*SERVERS];                     /* a replica has what the last ask of a process wrote */
bool unconfirmed[NC];                           /* the answer to an ask waits for the replicas */
mtype stuck;                                    /* the kind of the copy that stayed behind, of process 0 */

mtype state[NC];
bool unanswered[NC], dirty[NC], believes[NC], doomed[NC], loose[NC];
byte ticket[NC], rests_on[NC], pair_of[NC];     /* server of the clock pair + 1, 0 = none */

hidden byte two_believers, ghost, orphan, waits_for_nobody, live_tenure_refused;
hidden byte x, y, head, k, r, v, flag, s, i;

byte renewals=RENEWALS, expirations=EXPIRATIONS, breaks=BREAKS;

/* ---------------------------------------------------------------- scripts, on server s */

#define HERE at_server[s]

inline own(n) { HERE.owner = n; leases++; HERE.lease = leases; HERE.place[n] = 0 }

inline find_head() {
  head = 0; x = 1;
  do
  :: x <= NC -> if :: HERE.place[x] != 0 && (head == 0 || HERE.place[x] < HERE.place[head]) -> head = x :: else fi; x++
  :: else -> break
  od }

inline pass_on(self) {
  HERE.owner = 0;
  do
  :: find_head();
     if
     :: head == 0 -> break
     :: head != 0 && head == self -> own(head); break
     :: else ->
        HERE.place[head] = 0;
        if
        :: server_of[PROCESS(head)] == s -> own(head); granted[PROCESS(head)] = leases; granted_by[PROCESS(head)] = s+1; break
        :: else                                 /* its subscriber is not here (any more) */
        fi
     fi
  od }

inline mark_behind() { x = 0; do :: x < SERVERS -> behind[x] = true; x++ :: else -> break od }

inline execute() {
  r = NOTHING; v = 0;
  if :: s == master -> mark_behind() :: else fi;
  if
  :: k == ASK ->
     if
     :: HERE.tombstone[i] -> r = dead
     :: !HERE.tombstone[i] && HERE.owner == i -> leases++; HERE.lease = leases; r = acquired; v = leases
     :: else ->
        if
        :: HERE.place[i] == 0 ->
           if :: ticket[PROCESS(i)] == 0 -> tickets++; HERE.place[i] = tickets :: else -> HERE.place[i] = ticket[PROCESS(i)] fi
        :: else
        fi;
        if :: HERE.owner == 0 -> pass_on(i) :: else fi;
        if :: HERE.owner == i -> r = acquired; v = leases :: else -> r = wait; v = HERE.place[i] fi;
        assert(HERE.owner != 0 || waits_for_nobody)
     fi
  :: k == RENEW -> if :: HERE.owner == i -> leases++; HERE.lease = leases; r = renewed; v = leases :: else -> r = lost fi
  :: k == RELEASE || k == CANCEL ->
     HERE.place[i] = 0;
     if :: flag -> HERE.tombstone[i] = true :: else fi;
     if :: HERE.owner == i -> pass_on(0) :: else fi;
     r = (k == CANCEL -> cancelled : released)
  fi }

/* ---------------------------------------------------------------- servers */

inline copy_to(n) {                             /* replica n now has all that the master has */
  behind[n] = false;
  at_server[n].owner = at_server[master].owner; at_server[n].lease = at_server[master].lease;
  x = 1;
  do
  :: x <= NC -> at_server[n].place[x] = at_server[master].place[x]; at_server[n].tombstone[x] = at_server[master].tombstone[x];
     confirmed[(x-1)*SERVERS+n] = true; x++
  :: else -> break
  od }

#ifdef OLD_LIVES
#define SERVES(n) true
#define FOLLOWS(n) ((n) != master && (n) != 0)
#else
#define SERVES(n) ((n) == master)
#define FOLLOWS(n) ((n) != master)
#endif

inline break_connection(c) {
#if BREAKS > 0
  if
  :: c == 0 && breaks > 0 && cmd[c]?[ASK,_] -> breaks--; stuck = ASK
  :: else
  fi;
#endif
  do :: nempty(cmd[c]) -> cmd[c]?k, flag :: empty(cmd[c]) -> break od;
  do :: nempty(rep[c]) -> rep[c]?k, r, v :: empty(rep[c]) -> break od;
  granted[c] = 0; granted_by[c] = 0; unconfirmed[c] = false }

inline arrive(c) {                              /* on the new master */
  server_of[c] = master;
#ifndef KEEPS_CLOCK_PAIR
  pair_of[c] = 0;
#endif
  if
  :: state[c] == asking -> if :: unanswered[c] -> dirty[c] = true :: else fi; unanswered[c] = true; cmd[c]!ASK, false
  :: state[c] == inside && !doomed[c] ->
     cmd[c]!RENEW, false
  :: state[c] == leaving -> dirty[c] = true; cmd[c]!RELEASE, true
  :: state[c] == cancelling -> dirty[c] = true; cmd[c]!CANCEL, true
  :: else
  fi }

proctype Servers() {
  byte n;
end:
  do
  :: d_step { FOLLOWS(1) && behind[1] -> copy_to(1); x = 0 }
  :: d_step { FOLLOWS(0) && behind[0] -> copy_to(0); x = 0 }
#if SERVERS > 2
  :: d_step { FOLLOWS(2) && behind[2] -> copy_to(2); x = 0 }
#endif
  :: d_step { !promoted -> promoted = true;
#ifdef PLANNED
       copy_to(1);
#endif
       master = 1; mark_behind();
#ifndef OLD_LIVES
       x = 0;
       do :: x < NC -> break_connection(x); x++ :: else -> break od;
#endif
       x = 0 }
  od }

/* ---------------------------------------------------------------- processes */

inline check_believers() {
  x = 0; y = 0;
  do :: x < NC -> if :: believes[x] -> y++ :: else fi; x++ :: else -> break od;
#ifndef UNCHECKED_BELIEFS
  assert(y <= 1 || two_believers);
#endif
  x = 0 }

inline go_in(number) { state[c] = inside; believes[c] = true; rests_on[c] = number; check_believers() }

inline ask() { unanswered[c] = true; state[c] = asking; cmd[c]!ASK, false }

inline cancel() {
  if :: unanswered[c] -> dirty[c] = true :: else fi;
  unanswered[c] = false; believes[c] = false; doomed[c] = false; unconfirmed[c] = false;
  state[c] = cancelling; cmd[c]!CANCEL, dirty[c] }

/* The lease that an answer or a grant tells of has not run out, on the server that told it. */
#define LASTS(number,n) (at_server[n].owner == ID(c) && at_server[n].lease >= (number))

inline hear() {
  if
  :: k == ASK && state[c] == asking ->
     unanswered[c] = false; pair_of[c] = server_of[c]+1;
     if
     :: r == acquired -> if :: LASTS(v, server_of[c]) -> go_in(v) :: else -> ask() fi
     :: r == wait -> ticket[c] = v
     :: r == dead -> assert(live_tenure_refused)
     fi
  :: k == RENEW && state[c] == inside && r == renewed -> if :: v > rests_on[c] -> rests_on[c] = v :: else fi
  :: k == RENEW && state[c] == inside && r == lost -> cancel()
  :: k == RELEASE && state[c] == leaving -> state[c] = over
  :: k == CANCEL && state[c] == cancelling -> state[c] = over
  :: else -> if :: k == ASK -> unanswered[c] = false :: else fi
  fi }

inline count_confirmations() {
  y = 0; x = 0;
  do :: x < SERVERS -> if :: FOLLOWS(x) && confirmed[c*SERVERS+x] -> y++ :: else fi; x++ :: else -> break od }

#define HAS_ROOM (len(cmd[c]) < 2)

proctype Process(byte c) {
end:
  do
  :: d_step { state[c] == idle && HAS_ROOM -> ask() }

  /* its server executes, and answers: an acquisition once enough replicas have it */
  :: d_step { nempty(cmd[c]) && nfull(rep[c]) && SERVES(server_of[c]) && !unconfirmed[c] -> cmd[c]?k, flag; i = ID(c); s = server_of[c]; execute();
#if MIN > 0
       if
#ifdef RENEWALS_CONFIRMED
       :: (k == ASK && r == acquired) || (k == RENEW && r == renewed) ->
#else
       :: k == ASK && r == acquired ->
#endif
          unconfirmed[c] = true; x = 0; do :: x < SERVERS -> confirmed[c*SERVERS+x] = false; x++ :: else -> break od
       :: else
       fi;
#endif
       rep[c]!k, r, v }
#if MIN > 0
  :: d_step { unconfirmed[c] -> count_confirmations(); if :: y >= MIN -> unconfirmed[c] = false :: else fi; x = 0 }
  /* too few in time: undone */
  :: d_step { unconfirmed[c] && state[c] == asking && HAS_ROOM -> do :: nempty(rep[c]) -> rep[c]?k, r, v :: empty(rep[c]) -> break od; cancel() }
#ifdef RENEWALS_CONFIRMED
  :: d_step { unconfirmed[c] && state[c] != asking -> unconfirmed[c] = false; do :: nempty(rep[c]) -> rep[c]?k, r, v :: empty(rep[c]) -> break od; x = 0 }
#endif
#endif
  :: d_step { nempty(rep[c]) && !unconfirmed[c] && HAS_ROOM -> rep[c]?k, r, v; hear() }

  :: d_step { granted[c] != 0 && HAS_ROOM -> v = granted[c]; s = granted_by[c]-1; granted[c] = 0; granted_by[c] = 0;
       if
       :: state[c] != asking
       :: else ->
#if MIN > 0 && !defined(GRANT_UNCONFIRMED)
          if :: !unanswered[c] -> ask() :: else fi
#else
          if
          :: pair_of[c] == s+1 && LASTS(v, s) -> unconfirmed[c] = false; go_in(v)
#ifdef KEEPS_CLOCK_PAIR
          :: pair_of[c] != 0 && pair_of[c] != s+1 -> loose[c] = true; go_in(v)
#endif
          :: else -> if :: !unanswered[c] -> ask() :: else fi
          fi
#endif
       fi }

  :: d_step { promoted && server_of[c] != master -> break_connection(c); arrive(c) }
  :: d_step { timeout && state[c] == asking && !unanswered[c] -> ask() }

  :: d_step { believes[c] && renewals > 0 && HAS_ROOM -> renewals--; cmd[c]!RENEW, false }
  /* cut off from every server that could renew it, a hold ends by its own clock */
  :: d_step { believes[c] && !loose[c] && server_of[c] != master -> believes[c] = false; doomed[c] = true }
  :: d_step { doomed[c] && state[c] == inside && HAS_ROOM -> cancel() }
  :: d_step { state[c] == inside && !doomed[c] && HAS_ROOM -> state[c] = leaving; believes[c] = false; loose[c] = false;
       cmd[c]!RELEASE, (dirty[c] || unanswered[c]) }
  od }

/* ---------------------------------------------------------------- time, late copies, rest */

inline expire() {                               /* on server s */
  i = HERE.owner;
  if :: s == master -> mark_behind() :: else fi;
  if
  :: state[PROCESS(i)] == inside && rests_on[PROCESS(i)] <= HERE.lease && !loose[PROCESS(i)] ->
     believes[PROCESS(i)] = false; doomed[PROCESS(i)] = true
  :: else
  fi;
  HERE.owner = 0 }

proctype World() {
end:
  do
#if EXPIRATIONS > 0
  :: d_step { expirations > 0 && at_server[master].owner != 0 -> expirations--; s = master; expire() }
#ifdef OLD_LIVES
  :: d_step { expirations > 0 && master != 0 && at_server[0].owner != 0 -> expirations--; s = 0; expire() }
#endif
#endif
#if BREAKS > 0
  :: d_step { stuck != NOTHING && promoted -> k = stuck; stuck = NOTHING; flag = false; i = ID(0); s = master; execute() }
  :: d_step { stuck != NOTHING -> stuck = NOTHING }
#endif
  :: d_step { timeout && at_server[master].owner != 0 && state[PROCESS(at_server[master].owner)] != inside ->
#ifndef LEFTOVERS
       assert(state[PROCESS(at_server[master].owner)] == asking || ghost);
#endif
       s = master; expire() }
  od }

proctype Rest() {
  d_step { timeout && at_server[master].owner == 0 ->
    x = 0; y = 0;
    do
    :: x < NC -> if :: state[x] != over -> y++ :: else fi; x++
    :: else -> break
    od;
    if
    :: y == 0 ->
#ifndef LEFTOVERS
       x = 1;
       do :: x <= NC -> assert(at_server[master].place[x] == 0 || orphan); x++ :: else -> break od
#else
       skip                                     /* what is left goes by its TTL */
#endif
    :: else
    fi } }

init {
  d_step {
    stuck = NOTHING; x = 0;
    do :: x < NC -> state[x] = idle; x++ :: else -> break od
  }
  atomic {
    byte n = 0;
    do :: n < NC -> run Process(n); n++ :: else -> break od;
    run Servers(); run World(); run Rest()
  }
}
