/** The public key with which a repository's secrets are sealed. */
import { decodeBase64 } from '../../core/base/base64.ts'
import { X25519_BYTES } from '../../core/crypto/backend.ts'
import { membersOf } from '../sync/rest-response.ts'
import { syncError } from '../sync/sync-error.ts'

export interface RepositoryKey {
  readonly id: string
  readonly bytes: Uint8Array
}

/** Caches the key until GitHub refuses it. */
export class CachedRepositoryKey {
  readonly #fetch: (signal: AbortSignal) => Promise<RepositoryKey>
  #kept: RepositoryKey | undefined

  constructor(fetch: (signal: AbortSignal) => Promise<RepositoryKey>) {
    this.#fetch = fetch
  }

  async get(signal: AbortSignal): Promise<RepositoryKey> {
    this.#kept ??= await this.#fetch(signal)
    return this.#kept
  }

  /** Fetches the key again. Returns whether the new key differs from the refused key. */
  async wasReplaced(refused: RepositoryKey, signal: AbortSignal): Promise<boolean> {
    this.#kept = await this.#fetch(signal)
    return this.#kept.id !== refused.id
  }
}

/** @throws SyncError for an invalid key. */
export function readRepositoryKey(body: unknown): RepositoryKey {
  const { key_id: id, key } = membersOf(body)
  const bytes = typeof key === 'string' && key.length <= 2 * X25519_BYTES ? decoded(key) : undefined
  if (typeof id !== 'string' || !/^[\x21-\x7e]{1,100}$/.test(id) || bytes?.length !== X25519_BYTES)
    throw syncError('external', 'no_public_key')
  return { id, bytes }
}

function decoded(text: string): Uint8Array | undefined {
  try {
    return decodeBase64(text, 'key')
  } catch {
    return undefined
  }
}
