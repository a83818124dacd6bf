/**
 * What an engine is to the kernel: its operations, and the work it does when something is due.
 */
import type { Api } from './api.ts'
import type { AnyEffect, DueEffect } from './effect.ts'
import type { Lane } from './lane.ts'
import type { LeaseHandler } from './lease-handler.ts'
import type { LoginHandler } from './login-handler.ts'
import type { MountRecord } from './mount-record.ts'
import type { AnyOperation, Operations, Switch } from './operation.ts'
import type { PortRules } from './ports.ts'
import type { Environment, Tx } from './tx.ts'

/**
 * Runs one due item as a write: everything it changes is committed together with the removal of its entry. It may schedule the item
 * again, at another time.
 */
export type DueHandler = (tx: Tx, id: string) => void

// biome-ignore lint/suspicious/noExplicitAny: the existential type of due work in an engine's record.
export type AnyDueEffect = DueEffect<any, any>

/** A mount that a fresh store begins with. */
export interface FreshMount {
  /** With a slash at its end; an auth method's begins with `auth/`. */
  readonly path: string
  readonly description: string
  readonly options?: Readonly<Record<string, string>>
}

/** Something given to a kernel that stands in its catalogue of plugins by a name of its own. */
export interface Given {
  readonly name: string
  /** `v1.2.3`; empty: it has none. */
  readonly version: string
}

/** Plugins that an engine is given as a port. */
export interface PluginKind {
  /** In the catalogue: `database`. */
  readonly type: string
  readonly given: (env: Environment) => readonly Given[]
  /** Has all that is open of one closed; it is opened anew at its next use. */
  readonly reload: (env: Environment, which: { readonly plugin: string } | { readonly mounts: readonly string[] }) => void
}

/** What a facade's own methods may use beside those of the operations. */
export interface FacadeParts {
  /** Resolves in a later turn of the event loop: for long work between two pieces. */
  readonly pause: () => Promise<void>
  /** Milliseconds. */
  readonly now: () => number
  /** Leases, on whose behalf the facade acts. */
  readonly leases: {
    readonly renewLease: (args: { readonly lease_id: string }) => Promise<{ readonly lease_duration: number }>
    readonly revokeLease: (args: { readonly lease_id: string }) => Promise<unknown>
  }
  /** Has `work` done at each tick, until the returned function is called. What it throws is nobody's business but its own. */
  readonly atTick: (work: () => Promise<unknown>) => () => void
}

/** How an engine shows itself on a kernel: the methods of its operations at its conventional mount, by a name such as `kernel.transit`. */
export interface Facade {
  /** The conventional mount; others are reached by `at(path)`. */
  readonly path: string
  /** Mounts of another type than the engine's are none of this facade. Default: the engine's. */
  readonly type?: string
  readonly operations: Operations
  /** Methods made of others, such as work over any number of items. */
  // biome-ignore lint/suspicious/noExplicitAny: each facade knows its own view.
  readonly methods?: (view: any, parts: FacadeParts) => object
}

/** The methods of an engine's operations at its conventional mount, and at others. */
export type Mounted<O extends Operations> = Api<O> & {
  /** The same methods for an engine of that type mounted elsewhere, such as `payments/`. */
  at(path: string): Mounted<O>
}

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
  /** The mounts of it that a fresh store has. */
  readonly fresh?: readonly FreshMount[]
  /** What it asks outside, under `createKernel({ ports })`: each call has a deadline, each answer is looked at. */
  readonly ports?: Readonly<Record<string, PortRules>>
  readonly plugins?: PluginKind
  /** By their names on the kernel and on every view of it. */
  readonly facades?: Readonly<Record<string, Facade>>
  /** The same on views made by `as(token)` alone, where there is a token to speak of. */
  readonly tokenFacades?: Readonly<Record<string, Facade>>
  readonly due: Readonly<Partial<Record<Lane, DueHandler | AnyDueEffect>>>
  /** All work outside, so that intents that are left over find their way. */
  readonly effects?: readonly AnyEffect[]
  /** Of an engine that gives leased secrets (`tx.lease`). */
  readonly leases?: LeaseHandler
  /** Of an auth method (`tx.login`). */
  readonly logins?: LoginHandler
}

/** An engine as a kernel is made of it: with the types of what it shows on the kernel, `F`, and on views of tokens, `T`. */
export interface EngineValue<F extends object = object, T extends object = object> extends Engine {
  /** A type; there is no value. */
  readonly '~shows'?: readonly [F, T]
}

/** What an engine may show, by name. */
type Facades<F extends object> = { readonly [K in keyof F]: Facade }

/** An engine with facades, whose types are `F` and, on views made by `as(token)` alone, `T`. */
export const engineValue = <F extends object, T extends object = Record<never, never>>(
  engine: Engine & { readonly facades?: Facades<F>; readonly tokenFacades?: Facades<T> },
): EngineValue<F, T> => engine

/** The engine as it is served: endpoints that the options of the kernel switch off are as if they were not there. */
export function asServed(engine: Engine, switches: Readonly<Partial<Record<Switch, boolean>>>): Engine {
  const isOff = ({ switched }: AnyOperation): boolean => switched !== undefined && switches[switched] === false
  const all = Object.entries(engine.operations)
  if (!all.some(([, operation]) => isOff(operation))) return engine
  const served = all.map(([name, operation]) => [name, isOff(operation) ? { ...operation, gone: true } : operation])
  return { ...engine, operations: Object.fromEntries(served) }
}
