/* What a simulation prints for scripts/spec/traces.mjs: a line for each step that the real client can be made to take, and what is true
 * after it. A verifier prints nothing. */

#ifdef TRACE
mtype = { calls, executes, hears, hears_message, loses_message, gives_up, nests, leaves_inner, leaves, breaks_off, arrives_late, never_arrives,
          forces, deletes };

#define FORCE_IS_WHOLE(c) ((c) < NC)            /* whoever forces is not on a network that breaks */

hidden byte n1, n2, n3, n4, n5;
hidden byte n6;

inline print_step(event, who) {
  printf("\n@ do %e %d\n", event, who);
  printf("\n@ owner %d %d\n", owner, count);
  n1 = 1;
  do :: n1 <= LAST_TENURE -> if :: place[n1] != 0 -> printf("\n@ queued %d %d\n", place[n1], n1) :: else fi; n1++ :: else -> break od;
  n1 = 0;
  do
  :: n1 < NC ->
     printf("\n@ process %d %d %d %d\n", n1, (believes[n1] -> open[n1] : 0), len(rep[n1]), len(inbox[n1]));
     n2 = len(cmd[n1]);
     do
     :: n2 > 0 -> cmd[n1]?n3, n4, n5, n6; cmd[n1]!n3, n4, n5, n6; printf("\n@ sent %d %e\n", n1, n3); n2--
     :: else -> break
     od;
     n1++
  :: else -> break
  od }
#define SHOW(event,who) print_step(event, who)
#else
#define FORCE_IS_WHOLE(c) true
#define SHOW(event,who) x = 0
#endif
