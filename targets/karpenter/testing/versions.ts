/** What the tests run: two releases, between which disruption/ghost-node was mended. */
export const VERSIONS = { mended: 'karpenter@1.14.1', before: 'karpenter@1.14.0' } as const;
