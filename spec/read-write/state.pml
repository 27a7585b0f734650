/*
 * A process, its connection and its inbox; as queue/state.pml and queue/wire.pml, less what belongs to the plain lock alone. One tenure at a time.
 */

mtype = { NOTHING, ASK, CHANGE, RELEASE, RENEW, CANCEL, FORCE };
mtype = { acquired, mine, wait, dead, changed, lost, released, not_held, renewed, cancelled, forced };
mtype = { grant, taken };

#define ROOM 5
#define LATE 4
chan cmd[NC+1] = [ROOM] of { mtype, byte, byte, bool };      /* kind, tenure, ticket, tombstone wanted */
chan rep[NC+1] = [ROOM] of { mtype, byte, mtype, byte, byte };/* kind, tenure, answer, expiries, ticket */
chan inbox[NC] = [3] of { mtype, byte, byte };               /* message, tenure, expiries */
bool listening[NC];
mtype late_kind[LATE]; byte late_id[LATE], late_arg[LATE]; bool late_flag[LATE];

bool alive[NC];
byte made[NC], tenure[NC];                      /* tenures made; the present one, 0 = none */
bool is_held[NC], again[NC], renewing[NC];
bool clock[NC];
mtype op[NC];
bool asking[LAST+1], dirty[LAST+1], twice[LAST+1];
byte ticket[LAST+1];
mtype ending[LAST+1];

/* ghosts */
bool doomed[NC];                                /* its lease has just run out; the task is still inside */
byte expiries[LAST+1];
bool robbed[LAST+1];                            /* forced out: exempt until told */
bool excused[LAST+1];
bool counted[LAST+1];                           /* its arrival has been noted */
byte arrived[LAST+1], arrivals;
#ifdef BLIND
bool loose[NC];
#define LOOSE(p) loose[p]
#else
#define LOOSE(p) false
#endif

hidden byte x, y, z, head, slot, id, arg, e, v;
hidden byte k, r;
hidden byte flag, known;
hidden byte two_believers, ghost, lost_wake_up, orphan, bypassed, false_alarm, live_tenure_refused, waits_in_vain,
           starved_reader, starved_writer, joined_past_writer, model_too_small;

byte breaks=BREAKS, lost_messages=LOST_MESSAGES, subscriber_losses=SUBSCRIBER_LOSSES, expirations=EXPIRATIONS, give_ups=GIVE_UPS,
     early_asks=EARLY_ASKS, crashes=CRASHES, forces=FORCES, stalenesses=STALE, renewals=RENEWALS, changes=CHANGES;

#ifdef QUIET                                    /* only two_believers and ghost count */
#define QUIETLY true
#else
#define QUIETLY false
#endif
#ifdef TRACE
#define SHOW_EXEC printf("@ exec %e t%d arg%d flag%d -> %e  side/avail %d place %d %d %d %d holds %d %d %d %d\n", k, id, arg, flag, r, WORLD, place[1], place[2], place[LAST-1], place[LAST], HOLDS(1), HOLDS(2), HOLDS(LAST-1), HOLDS(LAST));
#define SHOW_HEAR printf("@   hears %e t%d %e e%d v%d\n", k, id, r, e, v);
#define SHOW_MSG printf("@   message %e t%d e%d\n", k, id, e);
#define SHOW_LAPSE printf("@ lapse t%d\n", i);
#else
#define SHOW_EXEC
#define SHOW_HEAR
#define SHOW_MSG
#define SHOW_LAPSE
#endif
#define HAS_ROOM(n) (len(cmd[c]) + (n) <= ROOM)
#define IN_TIME(i,when) ((when) == expiries[i])
#define BAR(i) (dirty[i] || asking[i])
