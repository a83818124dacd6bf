import type { Clock } from '../base/clock.ts'
import type { FacadeParts } from '../contract/engine.ts'
import type { Tracer } from '../contract/tracer.ts'
import type { Gate } from '../exchange/gate.ts'
import type { Change } from '../storage/port.ts'
import type { SyncCallContext } from './sync-call-context.ts'
import type { TypedAccess } from './typed-access.ts'

/** The mount, caller and services that a typed view is bound to. */
export interface ViewBinding {
  readonly gate: Gate
  readonly clock: Clock
  readonly access: TypedAccess
  /** Bytes up to this size are not copied if the call does not have to wait. */
  readonly copyAbove: number
  readonly tracer: Tracer
  /** The same view for another mount. */
  readonly at: (path: string) => unknown
  readonly leases: () => FacadeParts['leases']
  readonly onTick: FacadeParts['onTick']
  readonly syncCallContext: () => SyncCallContext
  /** Calls `listener` for every change of records until the returned function is called. */
  readonly onChange: (listener: (change: Change) => void) => () => void
  /** Aborted when the kernel closes. */
  readonly closing: AbortSignal
}
