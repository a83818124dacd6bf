/**
 * Commits the differences that a Merkle sync found, in batches of limited size.
 *
 * Mount records are committed last. Records of built-in mounts are committed together with the mounts that they replace, so that a joining
 * cluster always has a system mount.
 */
import { MOUNT, type MountRecord } from '../../../core/contract/mount-record.ts'
import { decodeRecord } from '../../../core/contract/record-kind.ts'
import type { Op } from '../../../core/storage/port.ts'
import { folderLength } from '../../../core/transaction/cache.ts'
import type { Fence } from '../../../core/transaction/keyspace.ts'
import { checksOf, guardOf } from '../../../core/transaction/pending-writes.ts'
import { MOUNT_KEYS } from '../filters/secondary-scopes.ts'
import type { SentOp } from '../serve/fetch.ts'
import type { SetHost } from '../state/set-host.ts'
import { cleanupOps, commitReplicated, guardOp, recordOp } from './apply-records.ts'
import { isBuiltInRootMount, mountExchangeOps } from './exchange-mounts.ts'

/** Below the maximum for a commit, because each change may need another operation for the guard of its folder. */
const MAX_CHANGES_PER_COMMIT = 50

const MAX_COMMIT_BYTES = 1_048_576

/** The maximum number of mount records that wait in memory until all other changes are committed. */
const MAX_DEFERRED_MOUNTS = 1000

export class DifferenceApplier {
  readonly #host: SetHost
  readonly #fences: readonly Fence[]
  readonly #localMounts: readonly MountRecord[]
  #waiting: SentOp[] = []
  #mounts: SentOp[] = []
  readonly #builtInMounts: SentOp[] = []
  readonly #domainsWithoutGuards = new Set<string>()
  #bytes = 0
  done = 0

  /** @param own The built-in root mounts of this cluster. */
  constructor(host: SetHost, fences: readonly Fence[], own: readonly MountRecord[]) {
    this.#host = host
    this.#fences = fences
    this.#localMounts = own
  }

  async add(op: SentOp): Promise<void> {
    if (!op.key.startsWith(MOUNT_KEYS)) await this.addNow(op)
    else if (this.#isBuiltInMount(op)) this.#builtInMounts.push(op)
    else if (this.#mounts.length < MAX_DEFERRED_MOUNTS) this.#mounts.push(op)
    else await this.addNow(op)
  }

  #isBuiltInMount({ key, value }: SentOp): boolean {
    if (value) return isBuiltInRootMount(decodeRecord(MOUNT, value))
    return this.#localMounts.some(({ uuid }) => key === MOUNT_KEYS + uuid)
  }

  /** Writes no folder guards for removed mounts and namespaces. Such a guard would remain after all other records were deleted. */
  skipGuardsOf(domains: readonly string[]): void {
    for (const domain of domains) this.#domainsWithoutGuards.add(domain)
  }

  async finish(): Promise<void> {
    await this.flush()
    // Built-in mounts share a commit with the mounts that they replace.
    for (const op of mountExchangeOps(this.#builtInMounts, this.#localMounts)) await this.addNow(op)
    await this.flush()
    for (const op of this.#mounts) await this.addNow(op)
    await this.flush()
  }

  /** Adds a change to the next commit. In contrast to `add`, it does not defer mount records. */
  async addNow(op: SentOp): Promise<void> {
    this.#waiting.push(op)
    this.#bytes += op.value?.length ?? 0
    if (this.#waiting.length >= MAX_CHANGES_PER_COMMIT || this.#bytes >= MAX_COMMIT_BYTES) await this.flush()
  }

  async flush(): Promise<void> {
    if (this.#waiting.length === 0) return
    const waiting = this.#waiting
    this.#waiting = []
    this.#bytes = 0
    const ops: Op[] = []
    const guards = new Set<string>()
    for (const { key, value } of waiting) {
      ops.push(await recordOp(this.#host, key, value))
      const folder = folderLength(key)
      if (folder > 0 && !this.#domainsWithoutGuards.has(key.slice(key.indexOf('/') + 1, key.indexOf('/', key.indexOf('/') + 1))))
        guards.add(guardOf(key.slice(0, folder)))
      ops.push(...cleanupOps(this.#host, value === undefined ? { key } : { key, value }))
    }
    for (const guard of guards) ops.push(guardOp(this.#host, guard))
    await commitReplicated(this.#host, [...ops, ...checksOf(this.#fences)], { upstream: undefined })
    this.done += waiting.length
    await this.#host.clock.sleep(0)
  }
}
