import { TIER } from '../tiers.ts'
import { describeOperations } from './operations-run.ts'
import { watched } from './watched.ts'

/** Lists and maps with the maximum number of members and with far more; in the soak tier also texts up to the body limit. */
const SIZES =
  TIER === 'soak'
    ? { 'of the maximum size': { many: 10_000, long: 31 << 20 }, 'above the maximum size': { many: 300_000, long: 4 << 20 } }
    : { 'of the maximum size': { many: 10_000, long: 2 << 20 }, 'above the maximum size': { many: 40_000, long: 1 << 20 } }

describeOperations(SIZES, TIER === 'soak' ? 1 : 19, watched)
