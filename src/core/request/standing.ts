/**
 * What has to be known before a call can be answered without waiting: mounts, audit devices, and the token.
 */
import { invalid, KernelError } from '../base/errors.ts'
import type { Freshness } from '../transaction/freshness/freshness.ts'
import { type AccessParts, type Bearer, type Spot, spotOf } from './typed-access.ts'

export interface StandingParts extends AccessParts {
  readonly freshness: Freshness
}

/** What calls of one view rest on beside the records of their mount. */
export class Standing {
  readonly freshness: Freshness
  readonly #parts: StandingParts
  readonly #bearer: Bearer | undefined

  constructor(parts: StandingParts, bearer: Bearer | undefined) {
    this.freshness = parts.freshness
    this.#parts = parts
    this.#bearer = bearer
  }

  /** Whether calls are judged by a policy, so that what is there is shown to nobody before. */
  get isJudged(): boolean {
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
  async prepare(): Promise<Spot> {
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
    return this.spot()
  }

  /** Where the application may look at records. @throws KernelError where there is no such mount. */
  spot(): Spot {
    return spotOf(this.#parts, undefined)
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
