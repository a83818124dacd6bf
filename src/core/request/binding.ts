import type { Clock } from '../base/clock.ts'
import type { FacadeParts } from '../contract/facade.ts'
import type { TracedRequest, Tracer } from '../contract/tracer.ts'
import type { Gate } from '../exchange/gate.ts'
import type { Change } from '../storage/port.ts'
import type { SyncCallContext } from './sync-call-context.ts'
import type { TypedAccess } from './typed-access.ts'

/** The mount, caller and services that a typed view uses. A typed view is the object with an engine's methods, such as `kernel.transit`. */
export interface ViewBinding {
  readonly gate: Gate
  readonly clock: Clock
  readonly access: TypedAccess
  /**
   * The size in bytes above which the arguments of a call are copied when the method is called. Smaller arguments are copied only if the
   * call has to wait.
   */
  readonly copyAbove: number
  readonly tracer: Tracer
  /** The members of every traced request. */
  readonly traced: Pick<TracedRequest, 'kernel' | 'engine'>
  /** Returns a view of the same kind for the mount at another path. */
  readonly at: (path: string) => unknown
  readonly leases: () => FacadeParts['leases']
  readonly onTick: FacadeParts['onTick']
  readonly syncCallContext: () => SyncCallContext
  /** Calls `listener` for every change of records. Returns a function that removes the listener. */
  readonly onChange: (listener: (change: Change) => void) => () => void
  /** Aborted when the kernel is closed. */
  readonly closing: AbortSignal
}
