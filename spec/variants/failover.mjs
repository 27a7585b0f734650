// Variants of spec/failover.pml; the fields are explained in spec/variants.mjs.

const passing = [
  {
    name: 'planned',
    set: 'PLANNED BREAKS=1 EXPIRATIONS=1',
    because: 'a replica that has caught up takes over: everything holds',
    states: 400_000,
    quick: true,
    heavy: true,
  },
  {
    name: 'planned-renewals',
    set: 'PLANNED EXPIRATIONS=1 RENEWALS=1',
    because: 'the same with renewals on their way',
    states: 600_000,
    heavy: true,
  },
  {
    name: 'forgetful',
    set: 'RENEWALS=1 UNCHECKED_BELIEFS LEFTOVERS',
    because: 'a replica that lags takes over: nobody waits for a free lock',
    states: 600_000,
    heavy: true,
  },
  {
    name: 'forgetful-old-lives',
    set: 'OLD_LIVES UNCHECKED_BELIEFS LEFTOVERS',
    because: 'the same while the old master goes on',
    states: 300_000,
  },
  {
    name: 'replicas',
    set: 'MIN=1 EXPIRATIONS=1 LEFTOVERS',
    because: 'the one replica confirms: at most one believes, as long as nothing is renewed',
    states: 600_000,
    heavy: true,
  },
  {
    name: 'replicas-old-lives',
    set: 'MIN=1 OLD_LIVES EXPIRATIONS=1 LEFTOVERS',
    because: 'the same while the old master goes on',
    states: 1_000_000,
  },
  {
    name: 'replicas-all',
    set: 'MIN=2 SERVERS=3 LEFTOVERS',
    because: 'both of two replicas confirm',
    states: 1_000_000,
    heavy: true,
  },
  {
    name: 'replicas-renewals-confirmed',
    set: 'MIN=1 EXPIRATIONS=1 RENEWALS=1 RENEWALS_CONFIRMED LEFTOVERS',
    because: 'not built: if renewals counted only when confirmed, at most one would believe',
    states: 2_000_000,
    heavy: true,
  },
];

const failing = [
  {
    name: 'unplanned',
    set: 'LEFTOVERS',
    fails: 'two_believers',
    because: 'a limit of asynchronous replication: the grant is forgotten',
    states: 100_000,
    quick: true,
  },
  {
    name: 'unplanned-leftover',
    set: 'UNCHECKED_BELIEFS',
    fails: 'ghost',
    because: 'a limit: the release is forgotten, and the lock stays until its lease has run out',
    states: 100_000,
  },
  {
    name: 'replicas-some',
    set: 'MIN=1 SERVERS=3 LEFTOVERS',
    fails: 'two_believers',
    because: 'a limit: one of two replicas confirms, the other takes over',
    states: 600_000,
  },
  {
    name: 'replicas-renewal-lost',
    set: 'MIN=1 EXPIRATIONS=1 RENEWALS=1 LEFTOVERS',
    fails: 'two_believers',
    because:
      'a limit of what is built: renewals are not confirmed, and one that the new master never got lets the lease end there before its holder knows',
    states: 600_000,
    heavy: true,
  },
  {
    name: 'grant-unconfirmed',
    set: 'NC=3 MIN=1 EXPIRATIONS=1 LEFTOVERS GRANT_UNCONFIRMED',
    fails: 'two_believers',
    because: 'a grant by message is believed before replicas have it',
    states: 3_000_000,
    heavy: true,
  },
  {
    name: 'clock-pair-kept',
    set: 'NC=3 PLANNED EXPIRATIONS=1 KEEPS_CLOCK_PAIR',
    fails: 'two_believers',
    because: 'a grant of the new master is dated by the clock of the old one',
    states: 9_000_000,
    heavy: true,
  },
];

export const failover = [...passing, ...failing].map((variant) => ({ model: 'failover', ...variant }));
