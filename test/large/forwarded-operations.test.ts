import { isForwarded, openSecondary } from './forwarded-run.ts'
import { describeOperations } from './operations-run.ts'
import { unwatched } from './stretch.ts'

describeOperations(
  { 'with many members and long strings': { many: 2000, long: 1 << 16 } },
  9,
  unwatched,
  openSecondary,
  isForwarded,
)
