/* The scripts of the read-write lock, one step each. */

#define LIVE(i) (place[i] != 0 && alive[PROCESS(i)] && tenure[PROCESS(i)] == (i) && !is_held[PROCESS(i)] && !stale[i])

inline stop_believing(p) { believes[p] = NEITHER }

inline count_lasting() {
  lasting = false; x = 1;
  do :: x <= LAST -> if :: holds[x] && !lapsed[x] -> lasting = true :: else fi; x++ :: else -> break od;
  x = 0 }
inline end_belief() { believes[c] = NEITHER }
inline leave_tenure_of(p) { believes[p] = NEITHER; doomed[p] = false; is_held[p] = false; again[p] = false; op[p] = NOTHING; tenure[p] = 0; clock[p] = false }

inline check_believers() {
  x = 0; y = 0; z = 0;
  do
  :: x < NC ->
     if :: believes[x] == WRITE && !robbed[tenure[x]] -> y++
        :: believes[x] == READ && !robbed[tenure[x]] -> z++
        :: else fi; x++
  :: else -> break
  od;
#ifndef UNCHECKED_BELIEFS
  assert((y == 0 || y + z == 1) || two_believers);
#endif
  x = 0 }

inline begin_belief() { believes[c] = wants[tenure[c]]; check_believers() }

inline after_expiry() {
#ifdef ONE_LEASE                                /* must fail: one lease for all */
  x = 1;
  do :: x <= LAST -> holds[x] = false; lapsed[x] = false; x++ :: else -> break od;
  side = NEITHER;
#endif
  count_lasting() }

#define CAN_CHANGE(c) (wants[tenure[c]] == WRITE && believes[c] == WRITE)
inline change_belief() { believes[c] = READ }   /* what follows only reads */

inline leave_queue(i) { place[i] = 0; stale[i] = false; writes_seen[i] = 0; reads_seen[i] = 0; ahead[i] = 0 }

/* A phase begins: what those who wait have seen. Two phases of the other kind, not counting writers ahead of a writer, are one too many. */
inline begin_phase(what, who) {
  side = what; last = what;
  x = 1;
  do
  :: x <= LAST ->
     if
     :: x != who && LIVE(x) && wants[x] == READ && what == WRITE ->
        writes_seen[x]++;
#ifdef PHASES
        assert(writes_seen[x] <= 1 || starved_reader);
#endif
     :: x != who && LIVE(x) && wants[x] == WRITE && what == WRITE ->
        ahead[x]++;
#ifdef PHASES
        assert(!counted[x] || counted[who] && arrived[who] < arrived[x] || bypassed);
#endif
     :: x != who && LIVE(x) && wants[x] == WRITE && what == READ ->
        reads_seen[x]++;
#ifdef PHASES
        assert(reads_seen[x] <= ahead[x] + 1 || starved_writer);
#endif
     :: else
     fi; x++
  :: else -> break
  od; x = 0 }

inline admit(i) { leave_queue(i); holds[i] = true; lapsed[i] = false }

hidden byte asker, first_reader, first_writer, choice, opener, is_new_phase, serve, before, former;

#ifdef UNTRUSTED
#define GONE(i) (stale[i])
#else
#define GONE(i) (stale[i] || !listening[PROCESS(i)] && (i) != asker)
#endif

/* The heads of both queues; entries that are too old, or whose process does not listen, go. */
inline find_heads() {
  first_reader = 0; first_writer = 0; x = 1;
  do
  :: x <= LAST ->
     if
     :: place[x] != 0 && GONE(x) -> leave_queue(x)
     :: place[x] != 0 && !GONE(x) && wants[x] == READ -> if :: first_reader == 0 || place[x] < place[first_reader] -> first_reader = x :: else fi
     :: place[x] != 0 && !GONE(x) && wants[x] == WRITE -> if :: first_writer == 0 || place[x] < place[first_writer] -> first_writer = x :: else fi
     :: else
     fi; x++
  :: else -> break
  od; x = 0 }

/* The grant step. is_new_phase: a downgrade begins a phase in which its own tenure stands already. */
inline pass_on() {
  find_heads(); choice = NEITHER;
  former = (before != NEITHER -> before : last);
  if
  :: is_new_phase -> choice = READ
  :: side == WRITE
  :: side == READ && !is_new_phase ->
#ifdef READERS_JOIN
     choice = READ
#else
     if :: first_writer == 0 -> choice = READ :: else fi
#endif
  :: side == NEITHER ->
     if
     :: first_reader == 0 && first_writer == 0
     :: first_reader != 0 && (first_writer == 0 ||
#ifdef WRITERS_FIRST
        false
#else
#ifdef ARRIVAL
        place[first_reader] < place[first_writer]
#else
        former == WRITE || former == NEITHER && place[first_reader] < place[first_writer]
#endif
#endif
        ) -> choice = READ; is_new_phase = true
     :: else -> choice = WRITE; is_new_phase = true
     fi
  fi;
  if
  :: is_new_phase -> opener = 0; if :: choice == WRITE -> opener = first_writer :: else fi; begin_phase(choice, opener)
  :: else
  fi;
  z = 1;
  do
  :: choice != NEITHER && z <= LAST ->
     if
     :: place[z] != 0 && wants[z] == choice && (choice == READ || z == first_writer) ->
        assert(is_new_phase || first_writer == 0 || !LIVE(first_writer) || joined_past_writer);
        admit(z); if :: z != asker -> tell(PROCESS(z), grant, z) :: else fi;
#ifdef ONE_READER
        break
#endif
     :: else
     fi; z++
  :: else -> break
  od; z = 0;
  forget_phase() }

/* When nobody waits any more, nothing is left that says which phase was the latest. */
inline forget_phase() {
  x = 1;
  do :: x <= LAST -> if :: place[x] != 0 -> break :: else -> x++ fi :: else -> last = NEITHER; break od;
  x = 0 }

/* Leases that have run out. */
inline sweep() {
  y = 0; x = 1;
  do
  :: x <= LAST ->
     if
     :: holds[x] && lapsed[x] ->
#ifdef NO_SWEEP
        skip
#else
        holds[x] = false; lapsed[x] = false;
#ifndef SWEEPS_SILENTLY
        serve = true
#endif
#endif
     :: else
     fi;
     if :: holds[x] -> y++ :: else fi; x++
  :: else -> break
  od;
  if :: y == 0 -> side = NEITHER :: else fi;
  x = 0; y = 0 }

inline enqueue(i, given) {
  if
  :: place[i] != 0
  :: else -> if :: given != 0 -> place[i] = given :: else -> tickets++; place[i] = tickets fi
  fi;
  stale[i] = false;
  if :: side != NEITHER -> last = side :: else fi }

inline retire(i, bar) {
  leave_queue(i);
#ifndef NO_TOMBSTONE
  if :: bar -> tombstone[i] = true :: else fi
#endif
  }

/* The part of each script before its grant step; `serve` says whether there is one. */
inline script(kind, i, a, f) {
  if
  :: kind == ASK ->
     if
     :: tombstone[i] -> r = dead
     :: !tombstone[i] && holds[i] -> r = mine; serve = true
     :: else -> enqueue(i, a); serve = true; asker = i; r = wait
     fi
  :: kind == RELEASE && !holds[i] ->
     known = tombstone[i]; retire(i, f); serve = true; if :: known -> r = released :: else -> r = not_held fi
  :: kind == RELEASE && holds[i] ->
     r = released; retire(i, f); holds[i] = false; lapsed[i] = false; serve = true;
#ifdef LEAVE_SILENT
     if :: wants[i] == READ -> serve = false :: else fi
#endif
  :: kind == CANCEL ->
     r = cancelled; serve = true;
#ifdef CANCEL_SILENT
     if :: !holds[i] -> serve = false :: else fi;
#endif
     retire(i, f); holds[i] = false; lapsed[i] = false
  :: kind == CHANGE ->
#ifdef DOWNGRADE_BLIND
     holds[i] = true; lapsed[i] = false; side = READ; last = READ; wants[i] = READ; r = changed
#else
     if
     :: !holds[i] -> r = lost;
#ifndef SWEEPS_SILENTLY
        serve = true
#endif
     :: holds[i] && side == READ -> r = changed
     :: holds[i] && side == WRITE ->
        r = changed; wants[i] = READ;
#ifdef DOWNGRADE_SILENT
        begin_phase(READ, i)
#else
        is_new_phase = true; serve = true
#endif
     fi
#endif
  :: kind == FORCE ->
     r = forced;
     if
     :: force_known -> serve = false
     :: else ->
        force_known = true; z = 1;
        do
        :: z <= LAST -> if :: holds[z] -> holds[z] = false; robbed[z] = true; excused[z] = true; tell(PROCESS(z), taken, z) :: else fi; z++
        :: else -> break
        od;
        z = 0; serve = true
     fi
  fi }

inline renew_script(i) {
#ifdef RENEWAL_WRITES
  holds[i] = true; lapsed[i] = false; side = wants[i]; r = renewed
#else
  if :: holds[i] && !lapsed[i] -> r = renewed :: else -> r = lost fi
#endif
  }

/* After each script: nobody stands in a queue who could be let in. */
inline check_settled() {
  y = 0; known = true; x = 1;
  do
  :: x <= LAST ->
     if :: place[x] != 0 && wants[x] == WRITE -> y = x :: else fi;
     if :: holds[x] && !lapsed[x] -> known = false :: else fi; x++
  :: else -> break
  od;
  x = 1;
  do
  :: x <= LAST ->
     assert(!(LIVE(x) && listening[PROCESS(x)] && (known || side == READ && wants[x] == READ && y == 0)) || waits_in_vain);
     x++
  :: else -> break
  od; x = 0; y = 0; known = false }

inline execute(kind, i, a, f) {
  r = NOTHING; v = 0; serve = false; asker = 0; is_new_phase = false; before = side;
  if
  :: kind == RENEW -> renew_script(i)
  :: else ->
     sweep();
     script(kind, i, a, f);
     sweep();
     if :: serve -> pass_on() :: else fi;
     if
     :: r == wait && holds[i] -> r = acquired
     :: r == wait && !holds[i] -> v = place[i]; if :: !counted[i] -> counted[i] = true; arrivals++; arrived[i] = arrivals :: else fi
     :: else
     fi;
     asker = 0; is_new_phase = false; before = NEITHER; former = NEITHER;
     if :: QUIETLY || r == dead || r == forced && force_known && !serve :: else -> check_settled() fi
  fi;
  count_lasting() }

