/* What there is: one Redis, NC processes with a connection and an inbox each, and the ghosts that only the checks read. */

#define TENURE(c,n) ((c)*TENURES + (n) + 1)     /* the n-th tenure of process c; 0 is nobody */
#define LAST_TENURE (NC*TENURES)
#define STRANGER    (LAST_TENURE+1)             /* the field of a client that knows no queue */
#define PROCESS(i)  (((i)-1)/TENURES)

#ifdef REUSE                                    /* must fail: one id for every tenure of a process */
#define ID_OF(c,n)  TENURE(c,0)
#else
#define ID_OF(c,n)  TENURE(c,n)
#endif

mtype = { NOTHING, ASK, AGAIN, HANDOFF, RELEASE, RENEW, CANCEL, FORCE };
mtype = { acquired, mine, wait, busy, dead, held_on, passed, lost, released, not_held, renewed, cancelled, forced };
mtype = { grant, taken };

/* ---- Redis ---- */
byte owner, count, last_seq;
byte place[LAST_TENURE+2];                      /* ticket in the queue, 0 = not queued */
bool stale[LAST_TENURE+2];                      /* queued, but too long ago to be served */
bool tombstone[LAST_TENURE+2];
byte tickets;
bool force_known;                               /* the tombstone of the forced unlock */

/* ---- between Redis and the processes; process NC is whoever forces ---- */
#define ROOM 5
#define LATE 4
chan cmd[NC+1] = [ROOM] of { mtype, byte, byte, bool };      /* kind, tenure, ticket or seq, queue or tombstone wanted */
chan rep[NC+1] = [ROOM] of { mtype, byte, mtype, byte, byte };/* kind, tenure, answer, expiries, ticket or count */
chan inbox[NC] = [3] of { mtype, byte, byte };               /* message, tenure, expiries */
bool listening[NC];
#if MISLED > 0
bool elsewhere[NC];                             /* it listens at a replica */
#define COUNTED(p) (listening[p] && !elsewhere[p])
#else
#define COUNTED(p) listening[p]
#endif
/* copies stuck on a connection that has ended: they may still arrive, in any order */
mtype late_kind[LATE]; byte late_id[LATE], late_arg[LATE]; bool late_flag[LATE];

/* ---- the processes ---- */
bool alive[NC];
byte todo[NC], line[NC];                        /* tasks that have not come yet, and that wait */
byte open[NC];                                  /* open levels */
byte made[NC], tenure[NC];                      /* tenures made; the present one, 0 = none */
bool is_held[NC], again[NC], past[NC], renewing[NC], claimed[NC];
bool clock[NC];                                 /* has a clock pair of this connection: may date a grant */
mtype op[NC];                                   /* the counted operation under way */
/* tenures; those that have ended too, until their last command is acknowledged */
bool asking[LAST_TENURE+2], dirty[LAST_TENURE+2], twice[LAST_TENURE+2];
byte ticket[LAST_TENURE+2], seq[LAST_TENURE+2];
mtype ending[LAST_TENURE+2];                    /* RELEASE or CANCEL, while unacknowledged */

/* ---- ghosts ---- */
bool believes[NC], doomed[NC];                  /* a task is inside; its lease has just run out */
bool loose[NC];                                 /* believes beyond its lease: only where the model is broken */
byte expiries[LAST_TENURE+2];                   /* how often a lease of the tenure has run out */
bool robbed[LAST_TENURE+2];                     /* forced out or deleted: exempt until told */
bool excused[LAST_TENURE+2];                    /* something took its lock away: "not held" is true news */
byte forces_done;
#ifdef ORDER
byte arrived[LAST_TENURE+2], arrivals;
#endif
#ifdef TOKENS
byte grants, token[LAST_TENURE+2], newest;      /* a fencing token would be the number of the grant */
#endif

/* Scratch of one step: not part of a state. */
hidden byte x, y, head, slot, id, arg, e, v;
hidden byte k, r;
hidden byte flag, known;

/* Always 0. An assertion that fails is known by the name in it. */
hidden byte two_believers, tokens_out_of_order, ghost, lost_wake_up, orphan, bypassed, wrong_count, false_alarm,
           live_tenure_refused, forced_twice, owner_in_queue, waits_for_nobody, model_too_small;

/* ---- budgets of faults ---- */
byte breaks=BREAKS, lost_messages=LOST_MESSAGES, subscriber_losses=SUBSCRIBER_LOSSES, expirations=EXPIRATIONS, give_ups=GIVE_UPS,
     early_asks=EARLY_ASKS, crashes=CRASHES, force_unlocks=FORCES, strangers=STRANGERS, deletions=DELETIONS, stalenesses=STALE, nestings=NESTINGS, moves=MOVES,
     swaps=SWAPS, misled=MISLED;
