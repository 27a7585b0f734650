/*
 * What a hold is told of the one before: that the lock was not given back (`hold.inherited`).
 *
 * One lock, as in queue.pml, and of its scripts what concerns the news: queue/inherited, queue/grant, queue/retire, lock/ask, lock/release, lock/rest, lock/cancel, lock/force. A
 * lock that is gone although tenures wait for it was not given back, because releases serve the queue; a release that did not, since the lock was to rest, leaves a note beside
 * the entries of the queue. The news comes with the message or the answer that gives the lock, and stands in the lock besides, until it is given back.
 *
 * Time has no length: leases run out at any moment, commands are executed some time after they were sent, and an ask perhaps a second time later (COPIES). A hold begins only while
 * its tenure is the owner (see queue.pml). Who asks after a lease has run out has heard what was said before that. A message is read when no answer
 * is awaited: that an older answer does not undo it is not modelled. A process that has crashed is passed over when its turn comes; what it owns runs out.
 *
 * Sizes   NT tenures, each of a process of its own; LIMIT: a grant step comes to one waiter only, and another one goes on
 * Faults  LAPSES of leases, FORCES, LOSSES: a holder finds its own deadline over and cancels (as a client that is closed does), RESTS, GIVE_UPS and CRASHES of waiters and holders,
 *         LOST_MESSAGES, COPIES of asks
 * Checks  not_told: the first hold after one that was lost is told, if its call stood in the queue when it happened. told_in_vain: the server tells nothing when the lock was
 *         given back since whatever was lost
 * Broken  NO_NOTE: a lock that rests is found gone. NOTE_STAYS: the note outlives a grant. MESSAGE_ONLY: the news does not stand in the lock. MARK_STAYS: it stands there
 *         after a release. PASSED_OVER: it goes with a waiter that is passed over. CANCEL_FORGETS: who was granted the lock and gives up keeps the news. LOST_AS_RELEASED: a
 *         holder that has lost the lock cancels as if it had given it back. FORCED_IN_SILENCE: a forced unlock is taken for a release. UNHEARD: news that comes with a lease that
 *         is over is forgotten. LIMIT_FORGETS: a grant step that met its limit leaves no note
 */

#ifndef NT
#define NT 3
#endif
#ifndef LAPSES
#define LAPSES 0
#endif
#ifndef FORCES
#define FORCES 0
#endif
#ifndef LOSSES
#define LOSSES 0
#endif
#ifndef RESTS
#define RESTS 0
#endif
#ifndef GIVE_UPS
#define GIVE_UPS 0
#endif
#ifndef CRASHES
#define CRASHES 0
#endif
#ifndef LOST_MESSAGES
#define LOST_MESSAGES 0
#endif
#ifndef COPIES
#define COPIES 0
#endif
hidden byte not_told, told_in_vain;

/* The owner of a lock that rests is above all tenures. */
#define NOBODY (NT + 1)

#define ASK 1
#define RELEASE 2
#define REST 3
#define CANCEL_UNUSED 4
#define CANCEL_LOST 5

/* Answers and messages. */
#define YOURS 1
#define YOURS_WITH_NEWS 2
#define WAIT 3
#define DONE 4
/* The lock was free and no tenure stood in line: the server knows of nothing before. */
#define FREE 5

byte lapses = LAPSES, forces = FORCES, losses = LOSSES, resting = RESTS, give_ups = GIVE_UPS, crashes = CRASHES, lost_messages = LOST_MESSAGES, copies = COPIES;

/* The server: the owner, the news in the lock, the queue, the note beside it, the tombstones. */
byte owner;
bool mark, note, dead[NT + 1];
chan queue = [NT] of { byte };

byte sent[NT + 1], answer[NT + 1], message[NT + 1];
bool crashed[NT + 1], doubts[NT + 1];
/* News that came with a lock whose lease was over by then: who gets it next from a server that knows of nothing is told. */
bool heard[NT + 1];
byte late;

#ifdef LIMIT
hidden byte tried;
#endif

/* What is true: the hold of the owner has begun; something was lost since the lock was given back last; the next hold is to be told, if its call waited then. */
bool began, news, must, waited[NT + 1];

inline lose() {
  news = true;
  if
  :: began && len(queue) > 0 ->
     must = true;
     u = 1;
     do :: u <= NT -> waited[u] = queue??[eval(u)]; u++ :: else -> break od;
     u = 0
  :: else
  fi;
  began = false }

inline give_back() {
  if :: began -> news = false; must = false :: else fi;
  began = false }

/* Gives the lock, which is gone, to the first in line that is there; `telling`: with the news. */
inline pass_on(self, telling) {
  owner = 0;
#ifdef MARK_STAYS
  mark = mark || telling;
#else
  mark = telling;
#endif
#ifdef LIMIT
  tried = false;
#define TRIES !tried
#else
#define TRIES true
#endif
  do
  :: len(queue) > 0 && owner == 0 && TRIES ->
     queue?next;
#ifdef LIMIT
     tried = true;
#endif
#ifndef NOTE_STAYS
     note = false;
#endif
     if
     :: crashed[next] ->
#ifdef PASSED_OVER
        mark = false
#else
        skip
#endif
     :: !crashed[next] ->
        owner = next;
        if :: next != self -> message[next] = (mark -> YOURS_WITH_NEWS : YOURS) :: else fi
     fi
  :: else -> break
  od;
  next = 0;
#ifdef LIMIT
#ifndef LIMIT_FORGETS
  if :: owner == 0 && len(queue) > 0 && !mark -> note = true :: else fi;
#endif
#endif
  if :: owner == 0 -> mark = false :: else fi;
#ifdef MESSAGE_ONLY
  if :: owner != self -> mark = false :: else fi
#endif
}

inline retire(t) {
  if :: queue??[eval(t)] -> queue??eval(t) :: else fi;
  if :: len(queue) == 0 -> note = false :: else fi }

inline yours() {
  said = (mark -> YOURS_WITH_NEWS : YOURS) }

inline ask(t) {
  if
  :: dead[t] -> said = DONE
  :: !dead[t] && owner == t -> yours()
  :: !dead[t] && owner == 0 && len(queue) == 0 -> owner = t; mark = false; said = FREE
  :: !dead[t] && owner == 0 && len(queue) > 0 ->
     found = !note;
     if :: queue??[eval(t)] :: else -> queue!t fi;
     pass_on(t, found);
     found = false;
     if
     :: owner == 0 && len(queue) == 0 -> owner = t; yours()
     :: owner == t -> yours()
     :: else -> said = WAIT
     fi
  :: else ->
     if
     :: queue??[eval(t)]
     :: else -> if :: len(queue) == 0 -> note = false :: else fi; queue!t
     fi;
#ifndef NO_NOTE
     if :: owner == NOBODY -> note = true :: else fi;
#endif
     said = WAIT
  fi }

inline execute(command, t) {
  if
  :: command == ASK -> ask(t)
  :: command == RELEASE ->
     if :: owner == t -> give_back(); retire(t); pass_on(0, false) :: else -> retire(t) fi;
     said = DONE
  :: command == REST ->
     if
     :: owner == t ->
        give_back(); retire(t); owner = NOBODY; mark = false;
#ifndef NO_NOTE
        note = len(queue) > 0
#endif
     :: else -> retire(t)
     fi;
     said = DONE
  :: command == CANCEL_UNUSED ->
     if
     :: owner == t ->
        retire(t);
#ifdef CANCEL_FORGETS
        pass_on(0, false)
#else
        found = mark; pass_on(0, found); found = false
#endif
     :: else -> retire(t)
     fi;
     said = DONE
  :: command == CANCEL_LOST ->
     if
     :: owner == t ->
        lose(); retire(t);
#ifdef LOST_AS_RELEASED
        pass_on(0, false)
#else
        pass_on(0, true)
#endif
     :: else -> retire(t)
     fi;
     said = DONE
  fi;
  if :: command != ASK && doubts[t] -> dead[t] = true :: else fi }

/* The hold of `t` begins. */
inline begin(t, how, telling) {
  assert(!must || !waited[t] || telling || not_told);
  assert(how != YOURS_WITH_NEWS || news || told_in_vain);
  must = false; began = true }

/* The lock is its own, by an answer or a message: the hold begins, or the lease had run out when this came. */
inline given(t, how) {
  said = how;
  telling = said == YOURS_WITH_NEWS || said == FREE && (heard[t] || message[t] == YOURS_WITH_NEWS);
  answer[t] = 0; message[t] = 0;
  if
  :: owner == t -> begin(t, said, telling); has_it = true
  :: else ->
#ifndef UNHEARD
     heard[t] = telling
#endif
  fi;
  telling = false; said = 0 }

proctype Tenure(byte t) {
  byte said, next, u;
  bool found, telling, has_it;
asks:
  sent[t] = ASK;
end:
  do
  :: d_step { sent[t] == ASK && copies > 0 && late == 0 -> copies--; late = t; doubts[t] = true }
  :: d_step { sent[t] == ASK -> execute(ASK, t); answer[t] = said; said = 0; sent[t] = 0 }
  :: d_step { answer[t] == WAIT -> answer[t] = 0; heard[t] = false }
  :: atomic { answer[t] == YOURS || answer[t] == YOURS_WITH_NEWS || answer[t] == FREE ->
       given(t, answer[t]); if :: has_it -> goto holds :: else -> goto asks fi }
  :: atomic { sent[t] == 0 && answer[t] == 0 && message[t] != 0 ->
       given(t, message[t]); if :: has_it -> goto holds :: else -> goto asks fi }
  :: atomic { sent[t] == 0 && answer[t] == 0 -> goto asks }
  :: atomic { give_ups > 0 && sent[t] == 0 && answer[t] == 0 -> give_ups--; sent[t] = CANCEL_UNUSED; goto finishes }
  :: atomic { crashes > 0 && sent[t] == 0 && answer[t] == 0 -> crashes--; crashed[t] = true; goto gone }
  od;
holds:
  if
  :: sent[t] = RELEASE
  :: atomic { resting > 0 -> resting--; sent[t] = REST }
  :: atomic { losses > 0 -> losses--; sent[t] = CANCEL_LOST }
  :: atomic { crashes > 0 -> crashes--; crashed[t] = true; goto gone }
  fi;
finishes:
  atomic { execute(sent[t], t); said = 0; sent[t] = 0; message[t] = 0 };
gone:
  skip }

proctype Late() {
  byte said, next, u;
  bool found;
end:
  do
  :: d_step { late != 0 -> execute(ASK, late); said = 0; late = 0 }
  od }

proctype World() {
  byte t, next, u;
  bool found;
end:
  do
  :: d_step { owner == NOBODY -> owner = 0 }
#ifdef LIMIT
  :: d_step { owner == 0 && len(queue) > 0 -> found = !note; pass_on(0, found); found = false }
#endif
  :: d_step { owner != 0 && owner != NOBODY && crashed[owner] -> lose(); owner = 0; mark = false }
  :: d_step { lapses > 0 && owner != 0 && owner != NOBODY && !crashed[owner] -> lapses--; lose(); owner = 0; mark = false }
  :: d_step { forces > 0 && owner != 0 && owner != NOBODY ->
       forces--; lose();
#ifdef FORCED_IN_SILENCE
       pass_on(0, false)
#else
       pass_on(0, true)
#endif
     }
  :: d_step { lost_messages > 0 -> t = 1; do :: t <= NT && message[t] == 0 -> t++ :: else -> break od; if :: t <= NT -> lost_messages--; message[t] = 0 :: else fi; t = 0 }
  od }

init {
  atomic {
    byte i = 1;
    do :: i <= NT -> run Tenure(i); i++ :: else -> break od;
    run Late(); run World() } }
