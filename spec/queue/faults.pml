/* Time, crashes, strangers; and what must be true when everything has come to rest. */

#define LOOKED_AFTER(i) (alive[PROCESS(i)] && tenure[PROCESS(i)] == (i) && is_held[PROCESS(i)] && !doomed[PROCESS(i)])

/* The lease of the owner runs out. A deadline that was computed rightly is never later: belief ends in the same step. */
inline expire() {
  id = owner; expiries[id]++; excused[id] = true;
  if
  :: alive[PROCESS(id)] && tenure[PROCESS(id)] == id && is_held[PROCESS(id)] && !loose[PROCESS(id)] ->
     believes[PROCESS(id)] = false; doomed[PROCESS(id)] = true
  :: else
  fi;
  set_free() }

proctype World() {
end:
  do
#if EXPIRATIONS > 0
  :: d_step { owner != 0 && owner != STRANGER && expirations > 0 -> expirations--; expire() }
#endif
  /* At rest an owner that nobody looks after runs out. No process that lives may have left it behind, except one that waits: its
   * message was lost, and it asks before the claim is over or loses it. */
  :: d_step { timeout && owner != 0 && owner != STRANGER && !LOOKED_AFTER(owner) ->
       assert(!alive[PROCESS(owner)] || tenure[PROCESS(owner)] == owner || ghost); expire() }
#if CRASHES > 0
  :: d_step { crashes > 0 && alive[0] -> crashes--; alive[0] = false;
       believes[0] = false; doomed[0] = false; open[0] = 0; is_held[0] = false; line[0] = 0; todo[0] = 0; tenure[0] = 0;
       op[0] = NOTHING; again[0] = false; clock[0] = false;
       do :: nempty(rep[0]) -> rep[0]?k, id, r, e, v :: empty(rep[0]) -> break od;
#ifndef HALF_OPEN
       listening[0] = false;
       do :: nempty(inbox[0]) -> inbox[0]?k, id, e :: empty(inbox[0]) -> break od;
#endif
       x = 0 }                                  /* SPIN 6.5 miscompiles a step that ends with a loop */
#ifdef HALF_OPEN
  :: d_step { !alive[0] && nempty(inbox[0]) -> inbox[0]?k, id, e }
#endif
#endif
#if FORCES > 0
  :: d_step { force_unlocks > 0 && owner != 0 -> force_unlocks--; cmd[NC]!FORCE, 0, 0, false;
       SHOW(forces, NC) }
#endif
#if STRANGERS > 0
  /* Redisson: takes a lock that does not exist, whoever waits; deletes it, and tells no queue. */
  :: d_step { strangers > 0 && owner == 0 -> strangers--; owner = STRANGER; count = 1; last_seq = 0 }
  :: d_step { owner == STRANGER -> set_free() }
#endif
#if DELETIONS > 0
  :: d_step { deletions > 0 && owner != 0 && owner != STRANGER -> deletions--; robbed[owner] = true; excused[owner] = true; set_free();
       SHOW(deletes, NC) }
#endif
#if STALE > 0
  :: d_step { stalenesses > 0 -> stalenesses--; x = 1; do :: x <= LAST_TENURE -> stale[x] = (place[x] != 0); x++ :: else -> break od; x = 0 }
#endif
  od }

inline find_waiting() {                         /* y = processes that live and are not done */
  x = 0; y = 0;
  do
  :: x < NC -> if :: alive[x] && (todo[x] > 0 || line[x] > 0 || tenure[x] != 0) -> y++ :: else fi; x++
  :: else -> break
  od }

proctype Rest() {
  d_step { timeout && owner == 0 -> find_waiting();
    if
    :: y > 0 ->
#ifdef NO_REASK
       assert(lost_wake_up)
#else
       skip                                     /* someone asks again, and is served: see waits_for_nobody */
#endif
    :: else ->
       x = 1;
       do
       :: x <= LAST_TENURE ->
          assert(!alive[PROCESS(x)] || (place[x] == 0 && ending[x] == NOTHING) || orphan); x++
       :: else -> break
       od
    fi } }
