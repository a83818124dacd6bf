/**
 * Moving keys, secrets and policies between servers and kernels: `strongroom/migrate`.
 */
export type { MigrationItem, MigrationKind, MigrationProblem } from './item.ts'
export {
  type MigrateOptions,
  type MigrationPlan,
  migrate,
  type PlanMigrationOptions,
  type PlannedItem,
  planMigration,
} from './migrate.ts'
export type { MigrationProgress, MigrationReport } from './migration.ts'
export { MigrationError } from './migration-error.ts'
export type { KernelParty, MigrationKernel, MigrationParty, ServerParty } from './party.ts'
export type { MigrationState, MigrationStateStore } from './state.ts'
