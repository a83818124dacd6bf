/** Runs one migration: copies all items, and then compares both sides. */
import { KEY_COPIER } from './copy-key.ts'
import { KV1_COPIER } from './copy-kv1.ts'
import { kv2Copier } from './copy-kv2.ts'
import { MOUNT_COPIER } from './copy-mount.ts'
import { policyCopier } from './copy-policy.ts'
import { forEachName } from './for-each-name.ts'
import { type Inventory, type ItemList, takeInventory } from './inventory.ts'
import { type ItemCopier, idOf, type MigrationItem, type MigrationKind, type MigrationProblem, type Sides } from './item.ts'
import { pathOf } from './party.ts'
import type { Progress } from './state.ts'
import { withRetries } from './with-retries.ts'

/** How far a migration is. */
export interface MigrationProgress {
  readonly phase: 'copy' | 'verify'
  readonly kind: MigrationKind
  /** The mount of the current items; empty for policies. */
  readonly mount: string
  /** The number of items of this phase that are done, including those of an earlier, interrupted call. */
  readonly done: number
  /** The number of items of this phase. */
  readonly total: number
}

export interface MigrationReport {
  /** Whether everything that a migration can copy is equal on both sides: `refused` and `differences` are empty. */
  readonly ok: boolean
  /** The number of items that were compared at the end, by kind. */
  readonly verified: Readonly<Record<MigrationKind, number>>
  /** Items that were not copied: the target has another item of the name, or a key cannot leave the source. */
  readonly refused: readonly MigrationProblem[]
  /** Items that were copied with a limitation, such as keys without their HMAC key. */
  readonly notes: readonly MigrationProblem[]
  /** Mounts and auth methods whose content the API does not show, so that no migration can copy them. */
  readonly skipped: readonly MigrationProblem[]
  /** Items that differ after the copy, for example because an application has changed the source meanwhile. */
  readonly differences: readonly MigrationProblem[]
}

export interface RunSettings {
  readonly onProgress: (progress: MigrationProgress) => void
  readonly concurrency: number
  readonly signal: AbortSignal
}

export class Migration {
  readonly #sides: Sides
  readonly #progress: Progress
  readonly #settings: RunSettings
  readonly #differences: MigrationProblem[] = []

  constructor(sides: Sides, progress: Progress, settings: RunSettings) {
    this.#sides = sides
    this.#progress = progress
    this.#settings = settings
  }

  async run(): Promise<MigrationReport> {
    const inventory = await withRetries(() => takeInventory(this.#sides.from), this.#settings.signal)
    await this.#each('copy', inventory, async (copier, item) => {
      const outcome = await copier.copy(this.#sides, item)
      if (outcome) this.#progress.record(outcome.kind, { ...item, reason: outcome.reason })
    })
    const { refused, notes } = this.#progress
    const unequal = new Set(refused.map(idOf))
    const verified: Record<MigrationKind, number> = { mount: 0, policy: 0, password_policy: 0, key: 0, secret: 0 }
    await this.#each('verify', inventory, async (copier, item) => {
      if (unequal.has(idOf(item))) return
      const reason = await copier.verify(this.#sides, item)
      if (reason === undefined) verified[item.kind]++
      else this.#differences.push({ ...item, reason })
    })
    const differences = this.#differences
    const ok = refused.length === 0 && differences.length === 0
    return { ok, verified, refused, notes, skipped: inventory.skipped, differences }
  }

  async #each(
    phase: 'copy' | 'verify',
    { lists }: Inventory,
    act: (copier: ItemCopier, item: MigrationItem) => Promise<void>,
  ): Promise<void> {
    const total = lists.reduce((sum, { names }) => sum + names.length, 0)
    let done = 0
    for (const list of lists) {
      const { kind, mount, names } = list
      // Everything is verified in one call, so that a report is complete.
      const after = phase === 'copy' ? this.#progress.after(`copy ${kind} ${mount}`) : undefined
      const left = after === undefined ? names : names.filter((name) => name > after)
      done += names.length - left.length
      const copier = await this.#copierOf(list)
      const handle = async (name: string) => {
        if (copier) await act(copier, { kind, mount, name })
        this.#settings.onProgress({ phase, kind, mount, done: ++done, total })
      }
      const reached = async (name: string) => {
        if (phase === 'copy') await this.#progress.reached(`copy ${kind} ${mount}`, name)
      }
      await forEachName(left, this.#settings, handle, reached)
    }
  }

  /** Undefined if the mount of the items was not copied. */
  async #copierOf({ kind, mount, version }: ItemList): Promise<ItemCopier | undefined> {
    if (kind === 'mount') return MOUNT_COPIER
    if (kind === 'policy') return policyCopier('acl')
    if (kind === 'password_policy') return policyCopier('password')
    if (this.#progress.refused.some((problem) => problem.kind === 'mount' && problem.mount === mount)) return undefined
    if (kind === 'key') return KEY_COPIER
    if (version !== 2) return KV1_COPIER
    const read = () => this.#sides.to.call('GET', `${pathOf(mount)}config`)
    const { data } = await withRetries(read, this.#settings.signal)
    return kv2Copier(Number(data?.['max_versions'] ?? 0))
  }
}
