/*
 * The read-write lock, as built: the scripts of packages/core/src/read-write, and what packages/holdfast does with their answers. Each script is
 * one step; processes, wires and time are as in queue.pml. Counts of nested holds live in the process and are not modelled, nor is the sharing of a
 * tenure among the tasks of a process.
 *
 * The hash: `side`, and a lease of its own for each holder. A lease that has run out stays written (`lapsed`) until a script sweeps it. Two queues,
 * one set of tickets: wants[i] says which.
 *
 * Sizes   NC, TENURES; READERS_ONLY_FROM=n: processes n.. only read; WRITERS_BELOW=n: processes below n only write
 * Faults  BREAKS, LOST_MESSAGES, SUBSCRIBER_LOSSES, EXPIRATIONS, GIVE_UPS, EARLY_ASKS, CRASHES (HALF_OPEN), FORCES, STALE
 * Extras  CHANGES: downgrades; RENEWALS; UNTRUSTED: PUBLISH's answer means nothing; NO_REASK
 * Checks  two_believers: a writer alone, or readers. PHASES: a reader that waits sees one write phase at most, a writer those of the writers before it
 *         and as many read phases plus one. joined_past_writer, waits_in_vain: after each script nobody stands in a queue who could be let in
 * Broken  (each must fail; QUIET: only two_believers and ghost count) READERS_JOIN, ONE_READER, CANCEL_SILENT, LEAVE_SILENT, SWEEPS_SILENTLY,
 *         DOWNGRADE_SILENT, DOWNGRADE_BLIND, ONE_LEASE, NO_SWEEP, NO_TOMBSTONE, RENEWAL_WRITES, BLIND, WRITERS_FIRST, ARRIVAL
 */
#include "read-write/defaults.pml"

#define NEITHER 0
#define READ    1
#define WRITE   2

#ifndef WRITERS_BELOW
#define WRITERS_BELOW 0
#endif
#ifndef READERS_ONLY_FROM
#define READERS_ONLY_FROM NC
#endif
#define MAY_WANT_1(c) ((c) >= WRITERS_BELOW)
#define MAY_WANT_2(c) ((c) < READERS_ONLY_FROM)

byte side;                                      /* NEITHER: the hash is absent */
byte last;                                      /* the latest phase, kept beside the queues */
bool holds[LAST+1], lapsed[LAST+1], tombstone[LAST+1], stale[LAST+1];
byte place[LAST+1], wants[LAST+1], tickets;
bool force_known;
bool lasting;                                   /* some holder's lease runs: the key has a TTL left */
/* what was seen while standing in the queue */
byte writes_seen[LAST+1], reads_seen[LAST+1], ahead[LAST+1];
byte believes[NC];                              /* as what it is inside */

#define HOLDS(i) holds[i]
#define WORLD side
#define ANY_HOLDER (side != NEITHER)

#include "read-write/state.pml"
#include "read-write/server.pml"

inline check_rest() { skip }
inline begin_world() { skip }
inline more_world() { run Key() }

#include "read-write/process.pml"

/* The key's own TTL, the longest lease in it. */
proctype Key() {
end:
  do
  :: d_step { side != NEITHER && !lasting ->
       x = 1;
       do :: x <= LAST -> holds[x] = false; lapsed[x] = false; x++ :: else -> break od;
       x = 0; side = NEITHER }
  od }
