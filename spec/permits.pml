/*
 * Permits of a semaphore: what the scripts of packages/core/src/permits do with a counter, records and a queue, under late and lost copies and leases
 * that run out.
 *
 * Each script is one step. An ask takes all that its tenure wants, or puts it in the queue; a release gives back what the record has over what the tenure
 * keeps; each script that makes room serves the queue from its head and stops at the first that wants more than is free. What is sent may arrive at any
 * later time, more than once (COPIES), or not at all (LOSSES), and is then sent again: an ask until it is answered, a release until it is
 * acknowledged. A grant is a message, and may be lost too; who waits asks again.
 *
 * As in queue.pml, a deadline is never later than the server's expiry: when the lease of a record runs out (LAPSES) its holder believes no more. A process may
 * die (CRASHES), and then its leases run out.
 *
 * Sizes   NC processes, TOTAL permits, TENURES each process may spend. Process 0 wants WANTS at once, the others one
 * Faults  COPIES, LOSSES, LAPSES, CRASHES
 * Checks  over_issued: believers have no more than there are. miscounted: counter and records are TOTAL after each script. overtaken: nobody is
 *         served before one that stands in the queue with an older ticket. forgotten: at rest nobody waits for what is free. kept: at rest, when all
 *         have gone, the counter is full
 * Broken  ASK_AGAIN_TAKES: a copy of an ask does not find its own record. NO_TOMBSTONE: an ask that is late takes for a tenure that is over.
 *         RELEASE_BY_NUMBER: a release adds what it was told, whatever the record has. EXPIRY_KEEPS: a record goes without its permits. RENEWAL_REVIVES: a
 *         lease that has ended is renewed. BARGING: who asks is served although others wait. SKIPS: the grant step goes past a head that
 *         wants more. SILENT_RELEASE: a release serves nobody, and nobody asks again
 */

#ifndef NC
#define NC 3
#endif
#ifndef TOTAL
#define TOTAL 2
#endif
#ifndef WANTS
#define WANTS 2
#endif
#ifndef TENURES
#define TENURES 1
#endif
#ifndef COPIES
#define COPIES 0
#endif
#ifndef LOSSES
#define LOSSES 0
#endif
#ifndef LAPSES
#define LAPSES 0
#endif
#ifndef CRASHES
#define CRASHES 0
#endif

hidden byte over_issued, miscounted, overtaken, forgotten, kept;

#define wants(c) (c == 0 -> WANTS : 1)
#define NOBODY 255

/* The server: the counter, of each tenure its record and tombstone; the queue, oldest first. A process has one tenure at a time. */
int free = TOTAL;
byte record[NC];
bool tombstone[NC];
byte line[NC], waiting;

/* A process: idle, asks, has, gives back, over or dead. */
mtype = { IDLE, ASKS, HAS, GIVES, DEAD };
mtype state[NC];
byte tenures[NC];
bool believes[NC];
/* A grant is on its way; an ask or a release that has been answered already may come again. */
bool told[NC], late_ask[NC], late_release[NC], late_renewal[NC];
/* The ask has reached the server in this life of the tenure. */
bool asked[NC];

byte copies = COPIES, losses = LOSSES, lapses = LAPSES, crashes = CRASHES;
byte i, j, sum;

inline check() {
  sum = 0; i = 0;
  do :: i < NC -> sum = sum + record[i]; i++ :: else -> break od;
  assert(free + sum == TOTAL || miscounted);
  sum = 0; i = 0;
  do :: i < NC -> if :: believes[i] -> sum = sum + wants(i) :: else fi; i++ :: else -> break od;
  assert(sum <= TOTAL || over_issued);
  i = 0; sum = 0 }

inline unqueue(c) {
  i = 0;
  do :: i < waiting && line[i] != c -> i++ :: else -> break od;
  if
  :: i < waiting ->
     do :: i + 1 < waiting -> line[i] = line[i + 1]; i++ :: else -> break od;
     waiting--; line[waiting] = 0
  :: else
  fi;
  i = 0 }

inline take(c) { record[c] = wants(c); free = free - wants(c) }

/* Serves from the head; with SKIPS past one that wants more. */
inline serve() {
  j = 0;
  do
  :: j < waiting && free >= wants(line[j]) ->
     assert(j == 0 || overtaken);
     take(line[j]); told[line[j]] = true; sum = line[j]; unqueue(sum); sum = 0; j = 0
#ifdef SKIPS
  :: j < waiting && free < wants(line[j]) -> j++
#else
  :: j < waiting && free < wants(line[j]) -> break
#endif
  :: j >= waiting -> break
  od;
  j = 0 }

/* permits/ask.lua. `live`: its caller still waits for the answer. */
inline ask(c, live) {
  if
#ifndef NO_TOMBSTONE
  :: tombstone[c] -> skip
  :: !tombstone[c] && record[c] > 0 ->
#else
  :: record[c] > 0 ->
#endif
#ifdef ASK_AGAIN_TAKES
     if :: free >= wants(c) -> free = free - wants(c) :: else fi;
#endif
     if :: live -> told[c] = true :: else fi
  :: else ->
     i = 0;
     do :: i < waiting && line[i] != c -> i++ :: else -> break od;
     if
     :: i == waiting ->
        i = 0;
        if
#ifdef BARGING
        :: free >= wants(c) ->
           assert(waiting == 0 || overtaken);
#else
        :: waiting == 0 && free >= wants(c) ->
#endif
           take(c); if :: live -> told[c] = true :: else fi
        :: else -> line[waiting] = c; waiting++
        fi
     :: else -> i = 0
     fi;
     serve()
  fi;
  check() }

/* permits/release.lua, with nothing kept. */
inline release(c) {
  tombstone[c] = true;
  unqueue(c);
#ifdef RELEASE_BY_NUMBER
  free = free + wants(c);
#else
  free = free + record[c];
#endif
  record[c] = 0;
#ifndef SILENT_RELEASE
  serve();
#endif
  check() }

proctype Process(byte c) {
end:
  do
  :: atomic { state[c] == IDLE && tenures[c] > 0 && !late_ask[c] && !late_release[c] && !late_renewal[c] && record[c] == 0 ->
       tenures[c]--; state[c] = ASKS; tombstone[c] = false; told[c] = false; asked[c] = false }
  /* Each time it asks. One that gets no answer (LOSSES) asks again; a second ask changes nothing (COPIES leave one behind). */
  :: atomic { state[c] == ASKS && !asked[c] -> asked[c] = true; ask(c, true); if :: copies > 0 -> copies--; late_ask[c] = true :: true fi }
  :: atomic { state[c] == ASKS && told[c] ->
       told[c] = false;
       if
       :: losses > 0 -> losses--; asked[c] = false
       :: record[c] > 0 -> state[c] = HAS; believes[c] = true; check()
       :: else -> asked[c] = false
       fi }
  :: atomic { state[c] == HAS && !late_renewal[c] && copies > 0 -> copies--; late_renewal[c] = true }
  :: atomic { state[c] == HAS || state[c] == ASKS && copies + losses > 0 -> state[c] = GIVES; believes[c] = false; told[c] = false }
  :: atomic { state[c] == GIVES ->
       release(c);
       if :: losses > 0 -> losses-- :: copies > 0 -> copies--; late_release[c] = true; state[c] = IDLE :: true -> state[c] = IDLE fi }
  od }

/* What is late, and the end of leases. */
proctype World(byte c) {
end:
  do
  :: atomic { late_ask[c] -> late_ask[c] = false; ask(c, state[c] == ASKS) }
  :: atomic { late_release[c] -> late_release[c] = false; release(c) }
  :: atomic { late_renewal[c] -> late_renewal[c] = false;
#ifdef RENEWAL_REVIVES
       if :: record[c] == 0 && !tombstone[c] -> record[c] = wants(c); believes[c] = state[c] == HAS :: else fi;
#endif
       check() }
  /* A lease runs out. Its holder has known by its own clock. */
  :: atomic { record[c] > 0 && (lapses > 0 || state[c] == DEAD) ->
       if :: state[c] != DEAD -> lapses-- :: else fi;
       believes[c] = false;
#ifndef EXPIRY_KEEPS
       free = free + record[c];
#endif
       record[c] = 0; serve(); check() }
  :: atomic { crashes > 0 && state[c] != DEAD -> crashes--; state[c] = DEAD; believes[c] = false; tenures[c] = 0; told[c] = false; asked[c] = false }
  /* One that is not fresh any more is passed over. */
  :: atomic { state[c] == DEAD && waiting > 0 && line[0] == c -> unqueue(c); serve(); check() }
  od }

/* Nothing else moves. */
proctype Rest() {
end:
  d_step { timeout ->
    i = 0;
    do
    :: i < NC ->
       assert(!(state[i] == ASKS && waiting > 0 && line[0] == i && free >= wants(i)) || forgotten);
       i++
    :: else -> break
    od;
    i = 0;
    if :: waiting == 0 -> assert(free == TOTAL || kept) :: else fi } }

init {
  d_step {
    i = 0;
    do :: i < NC -> tenures[i] = TENURES; state[i] = IDLE; i++ :: else -> break od;
    i = 0 }
  atomic {
    byte n = 0;
    do :: n < NC -> run Process(n); run World(n); n++ :: else -> break od;
    run Rest() } }
