/** Versions of the key/value engine. As in Vault, no other engine has versions. */
import { invalid } from '../../core/base/errors.ts'
import type { MountRecord } from '../../core/contract/mount-record.ts'
import type { Tx } from '../../core/contract/tx.ts'
import { upgradedMount } from '../../core/mount/upgrade.ts'

export type MountOptions = Readonly<Record<string, string>>

const KV = 'kv'

const NEWEST = '2'

/** Mount types that include the version of the engine. */
const VERSIONED: Readonly<Record<string, string>> = { 'kv-v1': '1', 'kv-v2': '2' }

/** Separates the type from its version. A version in the type takes precedence over one in the options. */
export function plainType(type: string, options: MountOptions): { readonly type: string; readonly options: MountOptions } {
  const version = Object.hasOwn(VERSIONED, type) ? VERSIONED[type] : undefined
  return version === undefined ? { type, options } : { type: KV, options: { ...options, version } }
}

/** @throws KernelError 400 for a version that the engine does not have, and for any version if the engine has no versions. */
export function checkVersion(engine: string, { version }: MountOptions): void {
  if (!version) return
  if (engine !== KV && !Object.hasOwn(VERSIONED, engine))
    throw invalid(`options.version: the engine "${engine}" does not allow setting a version`)
  if (version !== '1' && version !== NEWEST) throw invalid('options.version: must be 1 or 2')
}

/** Returns the record to store for a mount whose options have changed. A version can only be raised to the newest, never lowered. */
export function withVersion(tx: Tx, before: MountRecord, after: MountRecord): MountRecord {
  const [from, to] = [before, after].map(({ options }) => options?.['version'] ?? '')
  if (from === NEWEST && to !== NEWEST) throw invalid(`options.version: cannot downgrade mount from version ${NEWEST}`)
  if (from === to || to !== NEWEST) return after
  tx.warn(`the mount now has version ${NEWEST}; background work converts its data`)
  return upgradedMount(tx, after, after.options ?? {})
}
