/** Figures that are shown together. */

export const acquire = ['acquireP50Us', 'acquireP99Us', 'acquireP999Us'] as const;
export const handoff = ['handoffP50Us', 'handoffP99Us', 'handoffP999Us'] as const;
export const cost = ['commandsPerOp', 'redisCpuUs', 'clientCpuUs'] as const;
export const scripts = ['scriptUs', 'innerCommands'] as const;
