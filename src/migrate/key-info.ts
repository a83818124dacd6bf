/** A transit key as the API shows it. */
import { type Caller, pathOf } from './party.ts'

export interface KeyInfo {
  readonly type: string
  readonly derived: boolean
  readonly exportable: boolean
  readonly allow_plaintext_backup: boolean
  readonly deletion_allowed: boolean
  readonly auto_rotate_period: number
  readonly min_available_version: number
  readonly min_decryption_version: number
  readonly min_encryption_version: number
  readonly latest_version: number
  readonly supports_encryption: boolean
  readonly supports_signing: boolean
  readonly soft_deleted: boolean
  readonly imported: boolean
  readonly convergent_encryption: boolean
  /** The public keys by version; empty for symmetric and derived keys. */
  readonly publicKeys: Readonly<Record<string, string>>
}

/** Undefined if the key does not exist. */
export async function readKey(caller: Caller, mount: string, name: string): Promise<KeyInfo | undefined> {
  const { data } = await caller.call('GET', `${pathOf(mount)}keys/${pathOf(name)}`)
  if (!data) return undefined
  const is = (member: string) => data[member] === true
  const number = (member: string) => Number(data[member] ?? 0)
  const versions = Object.entries((data['keys'] ?? {}) as Record<string, { public_key?: string } | number>)
  return {
    type: String(data['type']),
    derived: is('derived'),
    exportable: is('exportable'),
    allow_plaintext_backup: is('allow_plaintext_backup'),
    deletion_allowed: is('deletion_allowed'),
    auto_rotate_period: number('auto_rotate_period'),
    min_available_version: number('min_available_version'),
    min_decryption_version: number('min_decryption_version'),
    min_encryption_version: number('min_encryption_version'),
    latest_version: number('latest_version'),
    supports_encryption: is('supports_encryption'),
    supports_signing: is('supports_signing'),
    soft_deleted: is('soft_deleted'),
    imported: is('imported_key'),
    convergent_encryption: is('convergent_encryption'),
    publicKeys: Object.fromEntries(
      versions.flatMap(([version, key]) => (typeof key === 'object' && key.public_key ? [[version, key.public_key.trim()]] : [])),
    ),
  }
}

/** How a key can be copied, or why it cannot. */
export type KeyMethod = { readonly by: 'backup' | 'wrapped export' } | { readonly reason: string }

export function keyMethodOf(key: KeyInfo): KeyMethod {
  if (key.soft_deleted) return { reason: 'the key is soft-deleted; restore it at the source first' }
  if (!key.exportable)
    return { reason: 'the key is not exportable, so its key material never leaves the source; encrypt its data with another key' }
  if (key.allow_plaintext_backup) return { by: 'backup' }
  const unable = 'without allow_plaintext_backup, only exported versions can be imported'
  if (key.derived) return { reason: `${unable}, and a derived key would derive other keys after the import` }
  if (key.min_decryption_version > 1) return { reason: `${unable}, and versions below min_decryption_version are not exported` }
  if (key.type === 'managed_key') return { reason: 'the key material is in an external key manager' }
  return { by: 'wrapped export' }
}
