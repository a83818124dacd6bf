/** The state that a synchronous call depends on in addition to records: mounts, audit devices and the token. */
import { invalid, KernelError } from '../base/errors.ts'
import type { Freshness } from '../transaction/freshness/freshness.ts'
import { type AccessParts, type Bearer, type CallTarget, callTargetOf } from './typed-access.ts'

export interface SyncCallContextParts extends AccessParts {
  readonly freshness: Freshness
}

/** The state that the synchronous calls of one caller depend on, in addition to the records of the mount. */
export class SyncCallContext {
  readonly freshness: Freshness
  readonly #parts: SyncCallContextParts
  readonly #bearer: Bearer | undefined

  constructor(parts: SyncCallContextParts, bearer: Bearer | undefined) {
    this.freshness = parts.freshness
    this.#parts = parts
    this.#bearer = bearer
  }

  /**
   * Whether the calls have a token. If so, a policy decides about each call, and a call must not reveal anything before it was authorized.
   */
  get hasToken(): boolean {
    return this.#bearer !== undefined
  }

  /** Whether a call can run now without waiting. */
  isReady(): boolean {
    const { topology, audit } = this.#parts
    const awaited = topology.fresh() ?? audit.fresh() ?? this.#authenticate()
    awaited?.catch(() => {})
    return awaited === undefined && audit.trail?.waits === undefined
  }

  /**
   * Waits until the state is loaded. Returns the mount and a trusted call for loading records. @throws KernelError if no call can ever be
   * synchronous, because an audit sink has no `writeSync` or the token has a limited number of uses.
   */
  async prepare(): Promise<CallTarget> {
    const { topology, audit } = this.#parts
    await topology.fresh()
    await audit.fresh()
    const waits = audit.trail?.waits
    if (waits !== undefined)
      throw new KernelError(
        'ERR_UNSUPPORTED_OPERATION',
        `keyHandle: the audit sink ${waits} has no writeSync, which synchronous calls require`,
      )
    await this.#authenticate()
    return this.callTarget()
  }

  /** Returns the mount and a trusted call for reading records. @throws KernelError 404 if there is no such mount. */
  callTarget(): CallTarget {
    return callTargetOf(this.#parts, undefined)
  }

  /**
   * Loads the caller of the token. Returns undefined if the caller is cached. @throws KernelError 400 if the token has a limited number of
   * uses, because each use must be stored.
   */
  #authenticate(): Promise<void> | undefined {
    const { admission } = this.#parts
    if (!this.#bearer) return undefined
    const { token, remoteAddress } = this.#bearer
    const caller = admission.authenticate(token, remoteAddress)
    if (caller instanceof Promise) return caller.then(({ token: { num_uses } }) => checkUses(num_uses))
    checkUses(caller.token.num_uses)
    return undefined
  }
}

function checkUses(uses: number): void {
  if (uses !== 0) throw invalid('keyHandle: the token has a limited number of uses, and synchronous calls cannot store each use')
}
