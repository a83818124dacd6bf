/**
 * What has to be known before a call can be answered without waiting: mounts, audit devices, and the token.
 */
import { invalid, KernelError } from '../base/errors.ts'
import type { Freshness } from '../transaction/freshness/freshness.ts'
import { type AccessParts, type Bearer, type CallTarget, callTargetOf } from './typed-access.ts'

export interface SyncCallContextParts extends AccessParts {
  readonly freshness: Freshness
}

/** What calls of one view rest on beside the records of their mount. */
export class SyncCallContext {
  readonly freshness: Freshness
  readonly #parts: SyncCallContextParts
  readonly #bearer: Bearer | undefined

  constructor(parts: SyncCallContextParts, bearer: Bearer | undefined) {
    this.freshness = parts.freshness
    this.#parts = parts
    this.#bearer = bearer
  }

  /** Whether calls are judged by a policy, so that what is there is shown to nobody before. */
  get hasToken(): boolean {
    return this.#bearer !== undefined
  }

  /** Whether nothing has to be waited for now. */
  isReady(): boolean {
    const { topology, audit } = this.#parts
    const awaited = topology.fresh() ?? audit.fresh() ?? this.#authenticate()
    awaited?.catch(() => {})
    return awaited === undefined && audit.trail?.waits === undefined
  }

  /** Where the application may load records. @throws KernelError where no call could be answered without waiting. */
  async prepare(): Promise<CallTarget> {
    const { topology, audit } = this.#parts
    await topology.fresh()
    await audit.fresh()
    const waits = audit.trail?.waits
    if (waits !== undefined)
      throw new KernelError(
        'ERR_UNSUPPORTED_OPERATION',
        `keyHandle: the audit sink ${waits} has no writeSync, so calls have to wait for it`,
      )
    await this.#authenticate()
    return this.callTarget()
  }

  /** Where the application may look at records. @throws KernelError where there is no such mount. */
  callTarget(): CallTarget {
    return callTargetOf(this.#parts, undefined)
  }

  /** Undefined where the token is known. @throws KernelError 400 where every call would store a use of it. */
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
  if (uses !== 0) throw invalid('keyHandle: the token has a limited number of uses, and each has to be stored')
}
