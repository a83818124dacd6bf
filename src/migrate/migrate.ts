import { readOptions } from '../core/base/options.ts'
import { itemsOf, takeInventory } from './inventory.ts'
import type { MigrationItem, MigrationProblem } from './item.ts'
import { keyMethodOf, readKey } from './key-info.ts'
import { Migration, type MigrationProgress, type MigrationReport } from './migration.ts'
import { openParty } from './open-party.ts'
import type { Caller, MigrationParty } from './party.ts'
import { type MigrationStateStore, Progress } from './state.ts'
import { withRetries } from './with-retries.ts'

export interface PlanMigrationOptions {
  /** The side that is read. Nothing is changed there. */
  readonly from: MigrationParty
  /** Interrupts the call, which then rejects with the reason. */
  readonly signal?: AbortSignal
}

export interface MigrateOptions extends PlanMigrationOptions {
  /** The side that is written. */
  readonly to: MigrationParty
  /** Keeps the progress, so that an interrupted migration continues where it was. Default: each call compares all items first. */
  readonly state?: MigrationStateStore
  /** Called after each item. */
  readonly onProgress?: (progress: MigrationProgress) => void
  /** The number of items that are handled at the same time: 1 to 64. Default: 8. */
  readonly concurrency?: number
}

/** One line of a plan. */
export interface PlannedItem extends MigrationItem {
  /** How a key is copied. */
  readonly by?: 'backup' | 'wrapped export'
}

export interface MigrationPlan {
  readonly items: readonly PlannedItem[]
  /** Everything that cannot be copied. */
  readonly skipped: readonly MigrationProblem[]
}

/**
 * Lists what {@link migrate} would copy, and what it cannot copy. Reads only the source.
 * @throws MigrationError if the source does not answer as expected; TypeError for invalid options.
 */
export async function planMigration(options: PlanMigrationOptions): Promise<MigrationPlan> {
  const { from, signal = new AbortController().signal } = readOptions('planMigration', options, { from: 1, signal: 1 })
  const source = await openParty('the source', from as MigrationParty, signal)
  try {
    const { lists, skipped } = await withRetries(() => takeInventory(source), signal)
    const items: PlannedItem[] = []
    const unable = [...skipped]
    for (const list of lists)
      for (const item of itemsOf(list)) {
        const key = item.kind === 'key' ? await withRetries(() => readKey(source, item.mount, item.name), signal) : undefined
        const method = key && keyMethodOf(key)
        if (method && 'reason' in method) unable.push({ ...item, reason: method.reason })
        else items.push({ ...item, ...(method && { by: method.by }) })
      }
    return { items, skipped: unable }
  } finally {
    await source.end().catch(() => {})
  }
}

/**
 * Copies mounts of KV and transit, policies, password policies, keys, and secrets with all versions, and then compares both sides. Changes
 * nothing at the source, and nothing at the target that another party has written there.
 *
 * The call can be interrupted at any time, even by the end of the process: call it again, with the same `state`. Repeating a complete
 * migration changes nothing.
 * @throws MigrationError if a side does not answer as expected, for example because a token lacks a permission; the reason of the signal;
 * TypeError for invalid options.
 */
export async function migrate(options: MigrateOptions): Promise<MigrationReport> {
  const names = { from: 1, to: 1, signal: 1, state: 1, onProgress: 1, concurrency: 1 }
  const given = readOptions('migrate', options, names) as MigrateOptions
  const { from, to, state, onProgress = () => {}, concurrency = 8, signal = new AbortController().signal } = given
  if (!(Number.isInteger(concurrency) && concurrency >= 1 && concurrency <= 64))
    throw new TypeError('migrate: concurrency must be an integer from 1 to 64')
  const progress = await Progress.load(state)
  const callers: Caller[] = []
  try {
    callers.push(await openParty('the source', from, signal))
    callers.push(await openParty('the target', to, signal))
    const sides = { from: callers[0] as Caller, to: callers[1] as Caller }
    return await new Migration(sides, progress, { onProgress, concurrency, signal }).run()
  } finally {
    await progress.save()
    for (const caller of callers) await caller.end().catch(() => {})
  }
}
