/* Sizes and budgets of faults: see read-write.pml. */
#ifndef NC
#define NC 2
#endif
#ifndef TENURES
#define TENURES 1
#endif
#ifndef BREAKS
#define BREAKS 0
#endif
#ifndef LOST_MESSAGES
#define LOST_MESSAGES 0
#endif
#ifndef SUBSCRIBER_LOSSES
#define SUBSCRIBER_LOSSES 0
#endif
#ifndef EXPIRATIONS
#define EXPIRATIONS 0
#endif
#ifndef GIVE_UPS
#define GIVE_UPS 0
#endif
#ifndef EARLY_ASKS
#define EARLY_ASKS 0
#endif
#ifndef CRASHES
#define CRASHES 0
#endif
#ifndef FORCES
#define FORCES 0
#endif
#ifndef STALE
#define STALE 0
#endif
#ifndef RENEWALS
#define RENEWALS 0
#endif
#ifndef CHANGES                                 /* downgrades */
#define CHANGES 0
#endif
#define TENURE(c,n) ((c)*TENURES + (n) + 1)     /* the n-th tenure of process c; 0 is nobody */
#define LAST        (NC*TENURES)
#define PROCESS(i)  (((i)-1)/TENURES)
