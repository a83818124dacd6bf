/**
 * What a secondary cannot write itself goes to its primary.
 */
import { KernelError } from '../base/errors.ts'
import type { AnyOperation } from '../contract/operation.ts'
import type { Call } from '../contract/tx.ts'
import type { Values } from '../field/parse.ts'
import type { BatchItems } from './batch.ts'

/** A call as it is run elsewhere: of one operation, of one item outside a batch, or of a batch. */
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

/** An entity that has to be made or changed before a login can go on. */
export interface EntityWish {
  readonly namespace: string
  /** UUID of the auth method's mount. */
  readonly mount: string
  readonly alias: string
  readonly metadata: Readonly<Record<string, string>>
}

export interface Forwarder {
  /** Resolves when what was written there is here, or late; a warning then says so. @throws KernelError the refusal of the primary. */
  run(call: ForwardedCall): Promise<ForwardedOutcome>
  /** Resolves when the entity is here. */
  entity(wish: EntityWish): Promise<void>
}

/** Where writes go; nowhere while there is nobody who takes them. */
export class Forwarding {
  to: Forwarder | undefined

  /** Whether an operation that was refused here may be run on the primary. Logins are not: their tokens belong here. */
  takes(error: unknown, { caller, tick }: Call, within: unknown): boolean {
    return this.to !== undefined && isReadOnly(error) && within === undefined && tick === undefined && caller.kind !== 'anonymous'
  }
}

export const isReadOnly = (error: unknown): boolean => error instanceof KernelError && error.code === 'ERR_READ_ONLY'

/** The login waits for an entity that only the primary makes. */
export class EntityElsewhere extends KernelError {
  readonly wish: EntityWish

  constructor(wish: EntityWish) {
    super('ERR_READ_ONLY', 'cannot write to readonly storage: entities are made on the primary')
    this.wish = wish
  }
}
