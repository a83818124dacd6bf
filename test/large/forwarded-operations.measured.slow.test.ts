import { TIER } from '../tiers.ts'
import { isForwarded, openSecondary } from './forwarded-run.ts'
import { describeOperations } from './operations-run.ts'
import { watched } from './watched.ts'

/** Bodies of 4 MiB fit into a message to the primary; longer ones are refused before they are sent. */
const SIZES =
  TIER === 'soak'
    ? { 'of the maximum size': { many: 10_000, long: 31 << 20 }, 'with very many members': { many: 300_000, long: 4 << 20 } }
    : { 'with very many members': { many: 150_000, long: 4 << 20 } }

describeOperations(SIZES, TIER === 'soak' ? 1 : 23, watched, openSecondary, isForwarded)
