/** Reduces one commit to the changes that a secondary may receive. */
import { decodeRecord } from '../../../core/contract/record-kind.ts'
import type { LoggedOp } from '../../../core/log/op-list.ts'
import { coreRecordKey } from '../../../core/transaction/core-key.ts'
import type { Store } from '../../../core/transaction/store.ts'
import { MIGRATION } from '../../mounts/move-mount.ts'
import { isReplicatedOp, type LoggedFrame } from '../log/log-pages.ts'
import { domainOf } from '../state/domain.ts'
import type { SetHost } from '../state/set-host.ts'
import { MOUNT_KEYS, NAMESPACE_KEYS, type SecondaryScope } from './secondary-scopes.ts'

export interface FilteredCommit {
  readonly ops: readonly LoggedOp[]
  /**
   * UUIDs of mounts and namespaces that were removed. A secondary that still has one of them must start a Merkle sync, which removes that
   * mount or namespace from the secondary.
   */
  readonly gone: readonly string[]
  /** Whether a mount was moved from included to excluded paths, or from excluded to included paths. */
  readonly crossesFilter: boolean
}

/**
 * The prefix of the storage keys of folder guards. The rest of a storage key names the guarded folder: a folder of a mount, or one of the
 * kernel's own folders.
 */
const GUARDS = 'i/guard/'

const CORE_GUARDS = `${GUARDS}r/core/`

const MOVES = /* @__PURE__ */ coreRecordKey(MIGRATION, '')

/** @throws KernelError ERR_INTERNAL if a record is damaged. */
export async function filterCommit(
  { store, kind }: SetHost,
  scope: SecondaryScope,
  { ops }: LoggedFrame,
): Promise<FilteredCommit> {
  if (!scope.isPartial) return { ops, gone: [], crossesFilter: false }
  const kept: LoggedOp[] = []
  const gone: string[] = []
  let turns = false
  for (const op of ops) {
    if (op.op === 'guard') {
      if (op.key.startsWith(CORE_GUARDS) || scope.includes(domainOf(op.key.slice(GUARDS.length)))) kept.push(op)
      continue
    }
    if (!isReplicatedOp(kind, op)) continue
    const uuid = mountOrNamespaceOf(op.key)
    if (op.op === 'del' && uuid !== undefined && !scope.exists(uuid)) gone.push(uuid)
    else if (await isIncluded(store, scope, op)) kept.push(op)
    turns ||= op.op === 'put' && op.key.startsWith(MOVES) && crosses(scope, op.key, await openedOf(store, op))
  }
  return { ops: kept, gone, crossesFilter: turns }
}

/** The UUID of the mount or namespace whose record has this key; undefined for other keys. */
function mountOrNamespaceOf(key: string): string | undefined {
  const prefix = [MOUNT_KEYS, NAMESPACE_KEYS].find((one) => key.startsWith(one))
  return prefix === undefined ? undefined : key.slice(prefix.length)
}

async function isIncluded(store: Store, scope: SecondaryScope, op: Exclude<LoggedOp, { op: 'guard' }>): Promise<boolean> {
  const isMount = op.op === 'put' && op.key.startsWith(MOUNT_KEYS)
  return scope.includesRecord(op.key, isMount && scope.includes(domainOf(op.key)) ? await openedOf(store, op) : undefined)
}

function crosses(scope: SecondaryScope, key: string, value: Uint8Array): boolean {
  const { source_mount, target_mount } = decodeRecord(MIGRATION, value)
  const namespace = key.slice(MOVES.length, key.indexOf('/', MOVES.length))
  return scope.includesMount({ namespace, path: source_mount }) !== scope.includesMount({ namespace, path: target_mount })
}

async function openedOf(store: Store, { key, value }: Extract<LoggedOp, { op: 'put' }>): Promise<Uint8Array> {
  const [opened] = await store.decryptAll([{ key, value, version: 0 }])
  return (opened as NonNullable<typeof opened>).value
}
