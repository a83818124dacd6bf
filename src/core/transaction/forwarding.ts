/**
 * Forwards writes of a secondary to its primary.
 */
import { KernelError } from '../base/errors.ts'
import type { AnyOperation } from '../contract/operation.ts'
import type { Call } from '../contract/tx.ts'
import type { Values } from '../field/parse.ts'
import type { BatchItems } from './batch.ts'

/**
 * A call to run on the primary. If the operation is a batch operation, the call has either `item`, for a call that is not a batch, or
 * `items`.
 */
export interface ForwardedCall {
  readonly operation: AnyOperation
  readonly call: Call
  readonly input: Values
  readonly item?: Values
  readonly items?: BatchItems
}

export interface ForwardedOutcome {
  readonly value: unknown
  readonly warnings: readonly string[]
}

/** An entity that must be created or changed before a login can continue. */
export interface EntityRequest {
  readonly namespace: string
  /** UUID of the auth method's mount. */
  readonly mount: string
  readonly alias: string
  readonly metadata: Readonly<Record<string, string>>
}

export interface Forwarder {
  /**
   * Resolves when this cluster has applied what the primary wrote. After a time limit, resolves anyway, with a warning in the outcome.
   * @throws KernelError the error with which the primary refused the call.
   */
  run(call: ForwardedCall): Promise<ForwardedOutcome>
  /** Resolves when this cluster has applied the entity's record. */
  requestEntity(request: EntityRequest): Promise<void>
}

/** The member `forwarding` of `Host`. While `forwarder` is undefined, nothing is forwarded. */
export class Forwarding {
  forwarder: Forwarder | undefined

  /**
   * Whether the primary may run an operation that was refused on this cluster. Logins are not forwarded, because their tokens belong to
   * this cluster.
   */
  canForward(error: unknown, { caller, tick }: Call, within: unknown): boolean {
    return (
      this.forwarder !== undefined &&
      isReadOnly(error) &&
      within === undefined &&
      tick === undefined &&
      caller.kind !== 'anonymous'
    )
  }
}

export const isReadOnly = (error: unknown): boolean => error instanceof KernelError && error.code === 'ERR_READ_ONLY'

/** Thrown if a login needs an entity that only the primary can create. */
export class EntityOnPrimaryError extends KernelError {
  readonly request: EntityRequest

  constructor(request: EntityRequest) {
    super('ERR_READ_ONLY', 'cannot write to readonly storage: entities are created on the primary')
    this.request = request
  }
}
