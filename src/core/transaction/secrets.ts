/**
 * The key versions that a request reads, creates and stores.
 */
import type { Lane } from '../contract/lane.ts'
import { type SecretKind, withFormat } from '../contract/record-kind.ts'
import type { Wipeable } from '../crypto/backend.ts'
import type { TransactionDraft } from './draft.ts'
import type { Loader } from './loader.ts'
import { createStage, MAX_UNSTAGED_SECRETS } from './staging.ts'
import type { TransactionScope } from './transaction-scope.ts'

export class Secrets {
  readonly #loader: Loader
  readonly #scope: TransactionScope<unknown>

  constructor(loader: Loader, scope: TransactionScope<unknown>) {
    this.#loader = loader
    this.#scope = scope
  }

  /**
   * Returns the key version as this run has written it. If this run has not written it, returns the stored one; undefined if it does not
   * exist.
   */
  get<K extends Wipeable>(
    draft: TransactionDraft,
    kind: SecretKind,
    owner: string,
    version: number,
    build: (bytes: Uint8Array) => K,
  ): K | undefined {
    const key = this.#key(kind, owner, version)
    const made = draft.createdKeys.get(key)
    if (made) return made as K
    const written = draft.writes.get(key)
    if (!written) return this.#loader.secret(kind, owner, version, key, build)
    if (!written.bytes) return undefined
    const pinned = this.#loader.pinUncached(build(written.bytes.subarray(1)))
    draft.createdKeys.add(key, { owner, version, pinned })
    return pinned.value as K
  }

  put(draft: TransactionDraft, kind: SecretKind, owner: string, version: number, bytes: Uint8Array): void {
    const stored = withFormat(kind.format, bytes)
    this.#loader.wipeLater(bytes)
    this.#loader.wipeLater(stored)
    draft.write(this.#key(kind, owner, version), { bytes: stored })
  }

  /**
   * @param job The scheduled background work that deletes the secrets if they are stored in several commits and the last of these commits
   * is never made.
   */
  putMany(
    draft: TransactionDraft,
    kind: SecretKind,
    owner: string,
    secrets: ReadonlyMap<number, Uint8Array>,
    job: { readonly lane: Lane; readonly id: string; readonly now: number },
  ): void {
    if (secrets.size <= MAX_UNSTAGED_SECRETS) {
      for (const [version, bytes] of secrets) this.put(draft, kind, owner, version, bytes)
      return
    }
    draft.requireWriteMode()
    for (const bytes of secrets.values()) this.#loader.wipeLater(bytes)
    draft.stage = createStage(this.#scope.keyspace, kind, owner, secrets, job)
  }

  delete(draft: TransactionDraft, kind: SecretKind, owner: string, version: number): void {
    draft.write(this.#key(kind, owner, version), { bytes: undefined })
  }

  #key(kind: SecretKind, owner: string, version: number): string {
    return `${this.#scope.keyspace.prefix(kind)}${owner}/${version}`
  }
}
