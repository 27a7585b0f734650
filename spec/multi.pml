/*
 * A multi-lock: members taken one after the other, each waited for while those before it are held.
 *
 * A lock is an owner and those who wait for it, first come first served: that its release hands it to the first of them is shown by queue.pml. Three
 * processes want two or three of three locks, twice each, and name them in different orders. A member is waited for until it is had, until the deadline of
 * the call (GIVE_UPS), or until a member that is held already is lost (LOSSES: forced away, and told at any later moment).
 *
 * Sizes   TIMES each process wants its locks
 * Faults  GIVE_UPS, LOSSES: how many
 * Checks  waits_for_ever: when nobody can move all are done. not_all: who is inside has all members that were not lost. left_behind: at the end no lock
 *         has an owner and nobody stands in a line
 * What is taken in one command (TOGETHER) are members in their order, up to the first that is not free.
 *
 * Broken  PAST_THE_BUSY also takes those behind that one in the same command. AS_NAMED takes members in the order in which the caller names them. KEEPS_WHEN_LATE gives nothing back at the deadline, KEEPS_AFTER_LOSS the
 *         others of a lost member, KEEPS_PLACE leaves the place in the line in which it waited
 */

#ifndef TIMES
#define TIMES 2
#endif
#ifndef GIVE_UPS
#define GIVE_UPS 0
#endif
#ifndef LOSSES
#define LOSSES 0
#endif
#define NC 3
#define NL 3
hidden byte waits_for_ever, not_all, left_behind;

/* 0: a process with number - 1 */
byte owner[NL];
byte line[NL*NC], waiting[NL];
/* which members it has, one bit each, and which of them were taken from it */
byte has[NC], lost[NC];
byte done, give_ups = GIVE_UPS, losses = LOSSES;

/* Wanted, in the order in which it is named: 0: a b    1: b a c    2: c a */
#define WANTED(c) ((c) == 1 -> 3 : 2)
#ifdef AS_NAMED
#define MEMBER(c,k) ((c) == 0 -> (k) : ((c) == 1 -> ((k) == 0 -> 1 : ((k) == 1 -> 0 : 2)) : ((k) == 0 -> 2 : 0)))
#else
#define MEMBER(c,k) ((c) == 0 -> (k) : ((c) == 1 -> (k) : ((k) == 0 -> 0 : 2)))
#endif

#ifdef PAST_THE_BUSY
#define GOES_ON(c,l) (true)
#else
#define GOES_ON(c,l) (owner[l] == (c)+1)
#endif

/* The first in the line has it. */
inline serve(l) {
  owner[l] = 0;
  if
  :: waiting[l] > 0 ->
     owner[l] = line[l*NC]; has[owner[l]-1] = has[owner[l]-1] | (1 << l);
     line[l*NC] = line[l*NC+1]; line[l*NC+1] = line[l*NC+2]; line[l*NC+2] = 0; waiting[l]--
  :: else
  fi }

/* Leaves the line of l, wherever it stands. */
inline leave(c, l) {
  if :: line[l*NC] == c+1 -> line[l*NC] = line[l*NC+1]; line[l*NC+1] = line[l*NC+2]; line[l*NC+2] = 0; waiting[l]--
     :: line[l*NC] != c+1 && line[l*NC+1] == c+1 -> line[l*NC+1] = line[l*NC+2]; line[l*NC+2] = 0; waiting[l]--
     :: line[l*NC] != c+1 && line[l*NC+1] != c+1 && line[l*NC+2] == c+1 -> line[l*NC+2] = 0; waiting[l]--
     :: else
  fi }

inline give_back(c) {
  x = 0;
  do
  :: x < NL -> if :: owner[x] == c+1 -> serve(x) :: else fi; x++
  :: else -> break
  od;
  has[c] = 0; lost[c] = 0 }

proctype Caller(byte c) {
  byte k, l, x, times;
  do
  :: times < TIMES ->
     d_step { times++; k = 0; l = 0 }
     do
     :: d_step { k < WANTED(c) ->
          l = MEMBER(c,k);
          if :: owner[l] == c+1 -> skip
             :: owner[l] == 0 && waiting[l] == 0 -> owner[l] = c+1; has[c] = has[c] | (1 << l)
             :: else -> line[l*NC+waiting[l]] = c+1; waiting[l]++
          fi
#ifdef TOGETHER
          x = k + 1;
          do
          :: GOES_ON(c,l) && x < WANTED(c) && owner[MEMBER(c,x)] == 0 && waiting[MEMBER(c,x)] == 0 -> owner[MEMBER(c,x)] = c+1; has[c] = has[c] | (1 << MEMBER(c,x)); x++
          :: else -> break
          od;
          x = 0
#endif
        }
        if
        :: d_step { (has[c] & (1 << l)) && !lost[c] -> k++ }
        /* The deadline, or the news of a loss, while it waits or has just been served. */
        :: d_step { give_ups > 0 -> give_ups--;
#ifndef KEEPS_PLACE
             leave(c, l);
#endif
#ifdef KEEPS_WHEN_LATE
             has[c] = 0; lost[c] = 0
#else
             give_back(c)
#endif
           }
           goto over
        :: d_step { lost[c] != 0 -> leave(c, l);
#ifdef KEEPS_AFTER_LOSS
             has[c] = 0; lost[c] = 0
#else
             give_back(c)
#endif
           }
           goto over
        fi
     :: k == WANTED(c) -> break
     od;
     skip;
     d_step { x = 0;
       do
       :: x < WANTED(c) -> assert(owner[MEMBER(c,x)] == c+1 || (lost[c] & (1 << MEMBER(c,x))) || not_all); x++
       :: else -> break
       od;
       give_back(c) }
over: skip
  :: else -> break
  od;
  done++ }

/* forceUnlock, by anybody. */
active proctype Operator() {
  byte l;
  do
  :: d_step { losses > 0 && owner[0] != 0 -> l = 0; losses--; lost[owner[l]-1] = lost[owner[l]-1] | (1 << l); serve(l) }
  :: d_step { losses > 0 && owner[1] != 0 -> l = 1; losses--; lost[owner[l]-1] = lost[owner[l]-1] | (1 << l); serve(l) }
  :: d_step { losses > 0 && owner[2] != 0 -> l = 2; losses--; lost[owner[l]-1] = lost[owner[l]-1] | (1 << l); serve(l) }
  :: done == NC -> break
  od }

active proctype Judge() {
  byte x;
  run Caller(0); run Caller(1); run Caller(2);
  d_step { timeout -> assert(done == NC || waits_for_ever);
    do
    :: x < NL -> assert((owner[x] == 0 && waiting[x] == 0) || left_behind); x++
    :: else -> break
    od;
    x = 0 } }
