/** Whether node pools can serve a workload, in words. */
export const SERVABILITY_WORDS = {
  servable: 'it can be served',
  partly: 'it may not be served completely, even without faults',
  unservable: 'it CANNOT BE SERVED by these pools, even without faults',
  untestable: 'it cannot be tested here',
} as const;
