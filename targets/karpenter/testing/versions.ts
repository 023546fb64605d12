/** The versions under test: two releases, of which the second fixed disruption/ghost-node. */
export const VERSIONS = { mended: 'karpenter@1.14.1', before: 'karpenter@1.14.0' } as const;
