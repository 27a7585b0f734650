/* One connection for each process: in order while it lasts. When it breaks, nobody knows which of the unanswered commands have run; each is
 * sent again on the next connection, and copies that got stuck on the old one may arrive whenever they like (or never).
 *
 * What lies between may hand an answer to another question, here one about another lock. It names its question, so nobody believes it: as if none had
 * come, the command is sent again, on a new connection or on the same. */

inline bury(kind, i, a, f) {
  slot = 0;
  do
  :: slot < LATE && late_kind[slot] != NOTHING -> slot++
  :: else -> break
  od;
  assert(slot < LATE || model_too_small);
  late_kind[slot] = kind; late_id[slot] = i; late_arg[slot] = a; late_flag[slot] = f }

#ifdef RESEND_WITHOUT_DOUBT                     /* must fail */
#define DOUBT(i)
#else
#define DOUBT(i) dirty[i] = true;
#endif

inline resend(i) {
  if :: asking[i] -> DOUBT(i) cmd[c]!ASK, i, ticket[i], MAY_QUEUE(c) :: else fi;
  if :: tenure[c] == i && op[c] != NOTHING -> DOUBT(i) cmd[c]!op[c], i, seq[i], BAR_ON_RELEASE(i) :: else fi;
  if
  :: ending[i] == RELEASE -> DOUBT(i) twice[i] = true; cmd[c]!RELEASE, i, seq[i], BAR_ON_RELEASE(i)
  :: ending[i] == CANCEL -> DOUBT(i) cmd[c]!CANCEL, i, 0, dirty[i]
  :: else
  fi }

inline break_connection() {
  do
  :: nempty(cmd[c]) -> cmd[c]?k, id, arg, flag; bury(k, id, arg, flag)
  :: empty(cmd[c]) -> break
  od;
  do :: nempty(rep[c]) -> rep[c]?k, id, r, e, v :: empty(rep[c]) -> break od;
  if
  :: c == NC -> cmd[c]!FORCE, 0, 0, false
  :: else ->
     if
     :: alive[c] ->
        renewing[c] = false; clock[c] = false;
        y = 0;
        do :: y < TENURES -> resend(TENURE(c,y)); y++ :: else -> break od
     :: else
     fi
  fi }

inline ask_again() {
  if
  :: k == ASK && asking[id] -> DOUBT(id) cmd[c]!ASK, id, ticket[id], MAY_QUEUE(c)
  :: k == CANCEL && ending[id] == CANCEL -> DOUBT(id) cmd[c]!CANCEL, id, 0, dirty[id]
  :: k == RELEASE && ending[id] == RELEASE -> DOUBT(id) twice[id] = true; cmd[c]!RELEASE, id, seq[id], BAR_ON_RELEASE(id)
  :: k == op[c] && tenure[c] == id -> DOUBT(id) cmd[c]!op[c], id, seq[id], BAR_ON_RELEASE(id)
  :: k == RENEW -> renewing[c] = false
  :: else
  fi }

proctype Connection(byte c) {
end:
  do
  :: d_step { nempty(cmd[c]) -> cmd[c]?k, id, arg, flag; execute(k, id, arg, flag);
       if :: c < NC && alive[c] -> rep[c]!k, id, r, expiries[id], v :: else fi;
       SHOW(executes, c) }
#if BREAKS > 0
  :: d_step { breaks > 0 && FORCE_IS_WHOLE(c) && (nempty(cmd[c]) || nempty(rep[c])) -> breaks--; break_connection();
       SHOW(breaks_off, c) }
#endif
#if SWAPS > 0
#ifdef ANSWERS_UNNAMED                          /* must fail: the other lock was free */
  :: d_step { c < NC && swaps > 0 && nempty(rep[c]) -> swaps--; rep[c]?k, id, r, e, v;
       if :: k == ASK -> r = acquired :: else fi;
       rep[c]!k, id, r, e, v }
#else
  :: d_step { c < NC && alive[c] && swaps > 0 && nempty(rep[c]) -> swaps--; break_connection() }
  :: d_step { c < NC && alive[c] && swaps > 0 && nempty(rep[c]) && HAS_ROOM(1) -> swaps--; rep[c]?k, id, r, e, v; ask_again() }
#endif
#endif
#if MOVES > 0
  :: d_step { moves > 0 && len(cmd[c]) > 1 -> moves--; cmd[c]?k, id, arg, flag; cmd[c]!k, id, arg, flag }
#endif
#if LOST_MESSAGES > 0
  :: d_step { c < NC && lost_messages > 0 && nempty(inbox[c]) -> lost_messages--; inbox[c]?k, id, e;
       SHOW(loses_message, c) }
#endif
#if MISLED > 0
  :: d_step { c < NC && misled > 0 && alive[c] && COUNTED(c) -> misled--; elsewhere[c] = true }
#endif
#if SUBSCRIBER_LOSSES > 0
  :: d_step { c < NC && subscriber_losses > 0 && alive[c] && listening[c] -> subscriber_losses--; listening[c] = false;
       do :: nempty(inbox[c]) -> inbox[c]?k, id, e :: empty(inbox[c]) -> break od;
       x = 0 }                                  /* SPIN 6.5 miscompiles a step that ends with a loop */
#endif
  od }

#if BREAKS + SWAPS > 0
proctype OldConnection(byte n) {
end:
  do
  :: d_step { late_kind[n] != NOTHING -> k = late_kind[n]; id = late_id[n]; arg = late_arg[n]; flag = late_flag[n];
       late_kind[n] = NOTHING; late_id[n] = 0; late_arg[n] = 0; late_flag[n] = false; execute(k, id, arg, flag);
       SHOW(arrives_late, n) }
  :: d_step { late_kind[n] != NOTHING -> late_kind[n] = NOTHING; late_id[n] = 0; late_arg[n] = 0; late_flag[n] = false;
       SHOW(never_arrives, n) }
  od }
#endif
