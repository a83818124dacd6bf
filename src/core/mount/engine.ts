/**
 * What an engine is to the kernel: its operations, and the work it does when something is due.
 * Room: core/mount. Imported by every engine (to declare itself) and by the composition root.
 */
import type { LoginHandler } from '../auth/login/terms.ts'
import type { Lane } from '../due/lane.ts'
import type { LeaseHandler } from '../lease/terms.ts'
import type { AnyOperation, Operations, Switch } from '../operation/operation.ts'
import type { Tx } from '../transaction/tx.ts'
import type { MountRecord } from './mount.ts'

/**
 * Runs one due item as a write: everything it changes is committed together with the removal of its entry. It may schedule the item
 * again, at another time.
 */
export type DueHandler = (tx: Tx, id: string) => void

export interface Engine<O extends Operations = Operations> {
  /** The type of its mounts, shown as `mount_type`. */
  readonly type: string
  /** Other names a mount may be made under. */
  readonly aliases?: readonly string[]
  /** Where its mounts go: below `auth/`, or anywhere else. `system`: only the kernel mounts it, once per namespace. */
  readonly mounts: 'secret' | 'auth' | 'system'
  /** `core`: works on the kernel's own records instead of a part of the store of its own. */
  readonly keeps?: 'core'
  /** The engine of a mount whose record asks for another form of this one, such as another version. */
  readonly variant?: (record: MountRecord) => Engine
  readonly operations: O
  readonly due: Readonly<Partial<Record<Lane, DueHandler>>>
  /** Of an engine that gives leased secrets (`tx.lease`). */
  readonly leases?: LeaseHandler
  /** Of an auth method (`tx.login`). */
  readonly logins?: LoginHandler
}

/** The engine as it is served: endpoints that the options of the kernel switch off are as if they were not there. */
export function asServed(engine: Engine, switches: Readonly<Partial<Record<Switch, boolean>>>): Engine {
  const isOff = ({ switched }: AnyOperation): boolean => switched !== undefined && switches[switched] === false
  const all = Object.entries(engine.operations)
  if (!all.some(([, operation]) => isOff(operation))) return engine
  const served = all.map(([name, operation]) => [name, isOff(operation) ? { ...operation, gone: true } : operation])
  return { ...engine, operations: Object.fromEntries(served) }
}
