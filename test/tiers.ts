/**
 * The tiers of tests, named by the file: `npm test` runs `*.test.ts`, `npm run test:slow` runs `*.slow.test.ts`, and `npm run test:soak` runs
 * everything, `*.soak.test.ts` included, with the case counts of that tier. `docs/contributing/testing.md` says when each is run.
 */
export const TIERS = ['quick', 'slow', 'soak'] as const

export type Tier = (typeof TIERS)[number]

/** The environment variable with the tier of a test run, for all its processes. */
export const TIER_VARIABLE = 'STRONGROOM_TEST_TIER'

export const tierOfFile = (path: string): Tier =>
  path.endsWith('.slow.test.ts') ? 'slow' : path.endsWith('.soak.test.ts') ? 'soak' : 'quick'

/** The tier of this run. */
export const TIER: Tier = TIERS.find((tier) => tier === process.env[TIER_VARIABLE]) ?? 'quick'
