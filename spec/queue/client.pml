/* A process: the monitor of the lock, its line of tasks, its tenures (packages/holdfast/src/lock). Tasks are alike, so the line is a number. */

#define HAS_ROOM(n) (len(cmd[c]) + (n) <= ROOM)

#ifdef ASKS_ONCE                                /* the tasks of process 0 make one attempt (tryLock without a wait) */
#define PATIENT(c) ((c) != 0)
#else
#define PATIENT(c) true
#endif
#define MAY_QUEUE(c) (PATIENT(c) && (past[c] || listening[c]))

#ifdef CLEAN_RELEASE                            /* must fail: no tombstone on a release, however dirty */
#define BAR_ON_RELEASE(i) false
#else
#ifdef CLEAN_WITH_AN_ASK_UNANSWERED             /* must fail */
#define BAR_ON_RELEASE(i) dirty[i]
#else
#define BAR_ON_RELEASE(i) (dirty[i] || asking[i])
#endif
#endif

/* A correctly computed deadline has not passed: no lease of the tenure has run out since the answer or message was made. */
#define IN_TIME(i,when) ((when) == expiries[i])

inline ask() {
  again[c] = false; asking[tenure[c]] = true;
  cmd[c]!ASK, tenure[c], ticket[tenure[c]], MAY_QUEUE(c) }

inline ask_or_later() { if :: asking[tenure[c]] -> again[c] = true :: else -> ask() fi }

/* A tenure for those who wait. With the last one spent they are sent away, which ends the run. */
inline contest() {
  if
  :: line[c] > 0 && tenure[c] == 0 && made[c] < TENURES ->
     tenure[c] = ID_OF(c, made[c]); made[c]++; past[c] = false; seq[tenure[c]] = 1;
#ifdef REUSE
     ticket[tenure[c]] = 0; dirty[tenure[c]] = false; twice[tenure[c]] = false; ending[tenure[c]] = NOTHING; robbed[tenure[c]] = false;
#endif
     ask()
  :: line[c] > 0 && tenure[c] == 0 && made[c] >= TENURES -> line[c] = 0
  :: else
  fi }

inline check_believers() {
  x = 0; y = 0;
  do
  :: x < NC -> if :: believes[x] && !robbed[tenure[x]] -> y++ :: else fi; x++
  :: else -> break
  od;
#ifndef UNCHECKED_BELIEFS
  assert(y <= 1 || two_believers);
#endif
  skip }

inline go_in() {
  open[c] = 1; believes[c] = true;
#ifdef TOKENS
  assert(robbed[tenure[c]] || token[tenure[c]] >= newest || tokens_out_of_order);
  if :: token[tenure[c]] > newest -> newest = token[tenure[c]] :: else fi;
#endif
  check_believers() }

inline become_held() {
  is_held[c] = true; again[c] = false;
  line[c]--; go_in() }

/* The tenure is over in this process, whatever Redis knows of it. */
inline leave_tenure() {
  believes[c] = false; doomed[c] = false; loose[c] = false; open[c] = 0; is_held[c] = false; again[c] = false;
  op[c] = NOTHING; renewing[c] = false; claimed[c] = false; tenure[c] = 0; past[c] = false }

inline cancel(i) {
  if :: asking[i] -> dirty[i] = true :: else fi;
  asking[i] = false; ending[i] = CANCEL;
  cmd[c]!CANCEL, i, 0, dirty[i] }

inline lose() {
  if :: op[c] == HANDOFF -> line[c]++ :: else fi;       /* who was being let in waits on, as a new owner */
  y = tenure[c]; leave_tenure(); cancel(y); contest() }

inline give_back() {
  y = tenure[c]; leave_tenure();
  seq[y]++; ending[y] = RELEASE;
  cmd[c]!RELEASE, y, seq[y], BAR_ON_RELEASE(y);
  contest() }                                   /* the next tenure asks right behind the release */

inline hear_ask() {
  asking[id] = false;
  if
  :: id != tenure[c] || is_held[c]              /* over; or the grant was faster than the answer */
  :: else ->
     if
     :: r == acquired || r == mine ->
        if :: IN_TIME(id, e) -> become_held() :: else -> ask() fi
     :: r == wait ->
        ticket[id] = v;
        if :: again[c] -> ask() :: else fi
     :: r == busy ->
        if
        :: PATIENT(c) -> past[c] = true; if :: listening[c] -> ask() :: else fi
        :: else ->                              /* turned away. Nothing to undo, unless a copy is on its way */
           line[c] = 0; leave_tenure();
           if :: dirty[id] -> cancel(id) :: else fi
        fi
     :: r == dead -> assert(live_tenure_refused)
     fi
  fi }

inline hear_counted() {
  if
  :: r == lost || r == not_held || r == released -> lose()
  :: r == held_on ->
     op[c] = NOTHING;
     if :: k == AGAIN -> open[c]++ :: else fi;
     /* while it is still ours: the count in Redis is the number of open levels */
     assert(!(owner == id && !doomed[c] && !robbed[id] && IN_TIME(id, e)) || (v == open[c] && count == open[c]) || wrong_count)
  :: r == passed ->
#ifdef HANDOFF_BELIEVED_LATE
     op[c] = NOTHING; loose[c] = true; go_in()
#else
     if :: IN_TIME(id, e) -> op[c] = NOTHING; go_in() :: else -> lose() fi
#endif
  fi }

inline hear() {
  /* answers that tell the time */
  if :: r == mine || r == wait || r == busy || r == passed || k == RENEW -> clock[c] = true :: else fi;
  if
  :: k == ASK -> hear_ask()
  :: k == RENEW ->
     renewing[c] = false;
     if :: r == lost && id == tenure[c] && is_held[c] -> lose() :: else fi
  :: k == CANCEL -> ending[id] = NOTHING
  :: k == RELEASE && ending[id] == RELEASE ->
     ending[id] = NOTHING;
#ifndef QUIET
     /* a hold that nobody took away is never reported as lost */
     assert(r != not_held || twice[id] || excused[id] || false_alarm);
#endif
     skip
  :: else -> if :: id == tenure[c] && op[c] == k -> hear_counted() :: else fi
  fi }

inline hear_message() {
  if
  :: id != tenure[c]                            /* a grant for a tenure that is over: its last command passes it on */
  :: id == tenure[c] && k == grant && !is_held[c] ->
#ifdef GRANT_DATED_BY_ARRIVAL
     loose[c] = true; become_held()
#else
     if :: clock[c] && IN_TIME(id, e) -> become_held() :: else -> ask_or_later() fi
#endif
  :: id == tenure[c] && k == taken ->
     if
     :: is_held[c] -> lose()
     :: else -> ask_or_later()
     fi
  :: else
  fi }

#define WAITS(c) (tenure[c] != 0 && !is_held[c])
#define INSIDE(c) (is_held[c] && op[c] == NOTHING && !doomed[c] && open[c] > 0)

proctype Process(byte c) {
end:
  do
  :: d_step { alive[c] && todo[c] > 0 && HAS_ROOM(1) -> todo[c]--; line[c]++; contest();
       SHOW(calls, c) }
  :: d_step { alive[c] && nempty(rep[c]) && HAS_ROOM(2) -> rep[c]?k, id, r, e, v; hear();
       SHOW(hears, c) }
  :: d_step { alive[c] && nempty(inbox[c]) && HAS_ROOM(2) -> inbox[c]?k, id, e; hear_message();
       SHOW(hears_message, c) }
  :: d_step { alive[c] && !listening[c] && HAS_ROOM(1) -> listening[c] = true;
       if :: WAITS(c) -> ask_or_later() :: else fi }

#if MISLED > 0
#ifndef NO_EARSHOT                              /* must fail. earshot.ts: the messages of who listens elsewhere get a new connection */
  :: d_step { alive[c] && elsewhere[c] -> elsewhere[c] = false; listening[c] = false;
       do :: nempty(inbox[c]) -> inbox[c]?k, id, e :: empty(inbox[c]) -> break od;
       x = 0 }                                  /* SPIN 6.5 miscompiles a step that ends with a loop */
#endif
#endif

  /* waiting */
#if EARLY_ASKS > 0
  :: d_step { alive[c] && WAITS(c) && !asking[tenure[c]] && early_asks > 0 && HAS_ROOM(1) -> early_asks--; ask() }
#endif
#ifndef NO_REASK
  :: d_step { timeout && alive[c] && WAITS(c) && !asking[tenure[c]] -> ask() }
#endif
#if GIVE_UPS > 0
  :: d_step { alive[c] && give_ups > 0 && line[c] > 0 && HAS_ROOM(1) -> give_ups--; line[c]--;
       if :: line[c] == 0 && WAITS(c) -> id = tenure[c]; leave_tenure(); cancel(id) :: else fi;
       SHOW(gives_up, c) }
#ifndef TRACE
  /* a release without an answer in time becomes a cancel */
  :: d_step { alive[c] && give_ups > 0 && made[c] > 0 && ending[ID_OF(c, made[c]-1)] == RELEASE && HAS_ROOM(1) ->
       give_ups--; cancel(ID_OF(c, made[c]-1)) }
#endif
#endif

  /* inside */
  :: d_step { alive[c] && doomed[c] && HAS_ROOM(2) -> lose() }
#ifdef RENEWALS
  :: d_step { alive[c] && is_held[c] && !renewing[c] && !claimed[c] && HAS_ROOM(1) -> renewing[c] = true; claimed[c] = true; cmd[c]!RENEW, tenure[c], 0, false }
#endif
#if NESTINGS > 0
  :: d_step { alive[c] && INSIDE(c) && nestings > 0 && HAS_ROOM(1) -> nestings--;
       op[c] = AGAIN; seq[tenure[c]]++; cmd[c]!AGAIN, tenure[c], seq[tenure[c]], false;
       SHOW(nests, c) }
  :: d_step { alive[c] && INSIDE(c) && open[c] > 1 && HAS_ROOM(1) ->
       open[c]--; op[c] = RELEASE; seq[tenure[c]]++; cmd[c]!RELEASE, tenure[c], seq[tenure[c]], BAR_ON_RELEASE(tenure[c]);
       SHOW(leaves_inner, c) }
#endif
#if TASKS > 1
  :: d_step { alive[c] && INSIDE(c) && open[c] == 1 && line[c] > 0 -> line[c]--; go_in() }            /* in memory */
  :: d_step { alive[c] && INSIDE(c) && open[c] == 1 && line[c] > 0 && HAS_ROOM(1) ->                  /* by script */
       line[c]--; believes[c] = false; open[c] = 0; op[c] = HANDOFF; seq[tenure[c]]++;
       cmd[c]!HANDOFF, tenure[c], seq[tenure[c]], false }
#endif
  :: d_step { alive[c] && INSIDE(c) && open[c] == 1 && HAS_ROOM(2) -> give_back();
       SHOW(leaves, c) }
  od }
