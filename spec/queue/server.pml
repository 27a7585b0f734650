/* The scripts of packages/core/src, one atomic step each. */

inline set_free() { owner = 0; count = 0; last_seq = 0 }

inline own(i) {
  assert(place[i] == 0 || owner_in_queue);
#ifdef ORDER
  x = 1;
  do
  :: x <= LAST_TENURE ->
     /* someone alive waits in the queue and came first */
     assert(!(x != i && place[x] != 0 && alive[PROCESS(x)] && tenure[PROCESS(x)] == x && !is_held[PROCESS(x)] &&
              (arrived[i] == 0 || arrived[x] < arrived[i])) || bypassed);
     x++
  :: else -> break
  od;
#endif
#ifdef TOKENS
  grants++; token[i] = grants;
#endif
  owner = i; count = 1; last_seq = 1 }

inline find_head() {
  head = 0; x = 1;
  do
  :: x <= LAST_TENURE ->
     if :: place[x] != 0 && (head == 0 || place[x] < place[head]) -> head = x :: else fi; x++
  :: else -> break
  od }

/* A replica, too, hands on what is told. */
inline tell(p, message, i) {
  if
  :: listening[p] -> assert(nfull(inbox[p]) || model_too_small); inbox[p]!message, i, expiries[i]
  :: else
  fi }

/* grant.lua */
inline pass_on(self) {
  set_free();
  do
  :: find_head();
     if
     :: head == 0 -> break
     :: head != 0 && head == self -> place[head] = 0; stale[head] = false; own(head); break
     :: else ->
        place[head] = 0;
        if
        :: stale[head] -> stale[head] = false
        :: else ->
#ifdef TOLD_BEFORE_LOOKED                       /* must fail: taken back where PUBLISH answers 0 */
           own(head); tell(PROCESS(head), grant, head);
           if :: COUNTED(PROCESS(head)) -> break :: else -> set_free() fi
#else
           if
#ifdef UNTRUSTED
           :: true ->
#else
           :: COUNTED(PROCESS(head)) ->
#endif
              own(head); tell(PROCESS(head), grant, head); break
           :: else                              /* nobody listens: passed over, asks again with its ticket */
           fi
#endif
        fi
     fi
  od }

inline enqueue(i, given) {
  if
  :: place[i] != 0
  :: else ->
#ifdef NO_TICKET
     tickets++; place[i] = tickets;
#else
     if :: given != 0 -> place[i] = given :: else -> tickets++; place[i] = tickets fi;
#endif
#ifdef ORDER
     if :: arrived[i] == 0 -> arrivals++; arrived[i] = arrivals :: else fi
#endif
  fi;
  stale[i] = false }

inline run_ask(i, given, may_queue) {
  find_head();
  if
  :: owner == 0 && head == 0 && !tombstone[i] -> own(i); r = acquired
  :: tombstone[i] -> r = dead
#ifdef NO_MINE
  :: else -> if :: owner == i -> r = wait :: else fi;
#else
  :: !tombstone[i] && owner == i -> r = mine; v = count
  :: else ->
#endif
     if
     :: owner == 0 ->
#ifdef BARGE
        place[i] = 0; own(i); r = acquired
#else
        if :: may_queue -> enqueue(i, given) :: else fi;
        pass_on(i);
        if
        :: owner == 0 -> own(i)                 /* nobody in the queue was alive, and we do not queue */
        :: else
        fi;
        if
        :: owner == i -> r = acquired
        :: else -> if :: may_queue -> r = wait; v = place[i] :: else -> r = busy fi
        fi
#endif
     :: owner != 0 && owner != i ->
        if :: may_queue -> enqueue(i, given); r = wait; v = place[i] :: else -> r = busy fi
     :: else
     fi
  fi;
  assert(r != wait || owner != 0 || waits_for_nobody) }

/* retire.lua */
inline retire(i, bar) {
  place[i] = 0; stale[i] = false;
#ifndef NO_TOMBSTONE
  if :: bar -> tombstone[i] = true :: else fi
#endif
  }

inline run_release(i, s, bar) {
  if
  :: owner != i -> known = tombstone[i]; retire(i, bar); if :: known -> r = released :: else -> r = not_held fi
#ifndef NO_SEQ
  :: owner == i && s <= last_seq -> r = held_on; v = count
  :: owner == i && s > last_seq ->
#else
  :: owner == i ->
#endif
     if
     :: count > 1 -> count--; last_seq = s; r = held_on; v = count
     :: else -> if :: bar -> retire(i, bar) :: else fi; pass_on(0); r = released
     fi
  fi }

inline run_again(i, s) {
  if
  :: owner != i -> r = lost
  :: else ->
#ifdef NO_SEQ
     count++;
#else
     if :: s > last_seq -> count++; last_seq = s :: else fi;
#endif
     r = held_on; v = count
  fi }

inline run_handoff(i, s) {
  if
  :: owner != i -> r = lost
  :: owner == i && s > last_seq && count != 1 -> r = lost
  :: else -> if :: s > last_seq -> last_seq = s :: else fi; r = passed
  fi }

inline run_force() {
  if
#ifndef FORCE_WITHOUT_ID
  :: force_known -> skip                        /* a copy */
#endif
  :: else ->
     force_known = true;
     if
     :: owner != 0 && owner != STRANGER ->
        y = owner; robbed[y] = true; excused[y] = true; forces_done++;
        assert(forces_done <= FORCES || forced_twice);
#ifdef FORCE_FREES_ONLY
        set_free();
#else
        pass_on(0);
#endif
        tell(PROCESS(y), taken, y)
     :: owner == STRANGER -> pass_on(0)
     :: else
     fi
  fi;
  r = forced }

inline execute(kind, i, a, f) {
  r = NOTHING; v = 0;
  if
  :: kind == ASK -> run_ask(i, a, f)
  :: kind == AGAIN -> run_again(i, a)
  :: kind == HANDOFF -> run_handoff(i, a)
  :: kind == RELEASE -> run_release(i, a, f)
  :: kind == RENEW ->
#ifdef RENEWAL_WRITES
     owner = i; count = 1; r = renewed
#else
     if :: owner == i -> r = renewed :: else -> r = lost fi
#endif
  :: kind == CANCEL ->
     r = cancelled; retire(i, f);
#ifdef CANCEL_KEEPS_GRANT
     skip
#else
     if :: owner == i -> pass_on(0) :: else fi
#endif
  :: kind == FORCE -> run_force()
  fi }
