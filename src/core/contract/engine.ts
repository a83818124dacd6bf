/**
 * An engine as the kernel sees it: its operations, and its due work.
 */
import type { Api } from './api.ts'
import type { AnyEffect, DueEffect } from './effect.ts'
import type { Lane } from './lane.ts'
import type { LeaseHandler } from './lease-handler.ts'
import type { LiveSecrets } from './live-secrets.ts'
import type { LoginHandler } from './login-handler.ts'
import type { MountRecord } from './mount-record.ts'
import type { AnyOperation, Operations, SwitchableEndpoint } from './operation.ts'
import type { PortRules } from './ports.ts'
import type { SyncCallHandle, SyncCallPlan } from './sync-call.ts'
import type { Environment, Tx } from './tx.ts'

/**
 * Runs one due item as a write: its changes are committed together with the removal of the item's entry. It may schedule the item
 * again, at another time.
 */
export type DueHandler = (tx: Tx, id: string) => void

// biome-ignore lint/suspicious/noExplicitAny: the existential type of due work in an engine's record.
export type AnyDueEffect = DueEffect<any, any>

/** A mount of a fresh store. */
export interface FreshMount {
  /** With a slash at its end; an auth method's begins with `auth/`. */
  readonly path: string
  readonly description: string
  readonly options?: Readonly<Record<string, string>>
}

/** Something given to a kernel that is listed in its catalogue of plugins under a separate name. */
export interface GivenPlugin {
  readonly name: string
  /** `v1.2.3`; empty where there is none. */
  readonly version: string
}

/** A kind of plugins that an engine is given through a port. */
export interface PluginKind {
  /** The type in the catalogue: `database`. */
  readonly type: string
  readonly given: (env: Environment) => readonly GivenPlugin[]
  /** Closes everything that is open of a plugin or of mounts; it is opened again at its next use. */
  readonly reload: (env: Environment, which: { readonly plugin: string } | { readonly mounts: readonly string[] }) => void
}

/** What a facade's extra methods may use beside the methods of the operations. */
export interface FacadeParts {
  /** The methods of other operations at the same place. */
  readonly view: <O extends Operations>(operations: O) => Api<O>
  /** Resolves in a later turn of the event loop: the pause between two pieces of long work. */
  readonly pause: () => Promise<void>
  /** The time in milliseconds. */
  readonly now: () => number
  /** Leases, as the application. */
  readonly leases: {
    readonly renewLease: (args: { readonly lease_id: string }) => Promise<{ readonly lease_duration: number }>
    readonly revokeLease: (args: { readonly lease_id: string }) => Promise<unknown>
  }
  /** Runs `work` at each tick, until the returned function is called. Its errors are reported as `work.failed`. */
  readonly onTick: (work: () => Promise<unknown>) => () => void
  /** For calls that are answered without a promise. */
  readonly openSyncCalls: (holding: SyncCallPlan) => SyncCallHandle
}

/** How an engine appears on a kernel: the methods of its operations at its conventional mount, under a name such as `kernel.transit`. */
export interface Facade {
  /** The conventional mount; other mounts are reached by `at(path)`. */
  readonly path: string
  /** The type of mounts that the facade serves. Default: the engine's. */
  readonly type?: string
  readonly operations: Operations
  /** Methods built from others, such as work over any number of items. */
  // biome-ignore lint/suspicious/noExplicitAny: each facade knows its own view.
  readonly methods?: (view: any, parts: FacadeParts) => object
}

/** The methods of an engine's operations at its conventional mount, and at others. */
export type Mounted<O extends Operations> = Api<O> & {
  /** The same methods for an engine of this type at another mount, such as `payments/`. */
  at(path: string): Mounted<O>
}

export interface Engine<O extends Operations = Operations> {
  /** The type of the engine's mounts, shown as `mount_type`. */
  readonly type: string
  /** Other type names that a mount may be made with. */
  readonly aliases?: readonly string[]
  /** Where its mounts may be: below `auth/`, or anywhere else. `system`: only the kernel mounts it, once per namespace. */
  readonly mounts: 'secret' | 'auth' | 'system'
  /** `core`: the engine works on the kernel's own records and has no separate part of the store. */
  readonly keeps?: 'core'
  /** The engine for a mount whose record asks for another form of this one, such as another version. */
  readonly variant?: (record: MountRecord) => Engine
  readonly operations: O
  /** The engine's mounts in a fresh store. */
  readonly fresh?: readonly FreshMount[]
  /** The engine's ports, under `createKernel({ ports })`: each call has a deadline, and each answer is checked. */
  readonly ports?: Readonly<Record<string, PortRules>>
  readonly plugins?: PluginKind
  /** Options of `createKernel` that are its own; it checks them itself. */
  readonly options?: readonly string[]
  /** Services that stand beside the mounts, by their names on the kernel: each is made once per kernel, when it is assembled. */
  readonly services?: Readonly<Record<string, (insides: never) => object>>
  /** Called once per kernel, when it is assembled: for work that stands beside requests. */
  readonly attach?: (insides: never) => void
  /** Facades by their names on the kernel and on every view of it. */
  readonly facades?: Readonly<Record<string, Facade>>
  /** Facades only on views made by `as(token)`, where there is a token. */
  readonly tokenFacades?: Readonly<Record<string, Facade>>
  readonly due: Readonly<Partial<Record<Lane, DueHandler | AnyDueEffect>>>
  /** The types of the events that it publishes, by which the kernel refuses a subscription to an unknown type. */
  readonly events?: readonly string[]
  /** All effects of the engine, by which intents left by a crash are matched. */
  readonly effects?: readonly AnyEffect[]
  /** For an engine whose secrets may be kept elsewhere, too. It says `tx.changed` wherever what is live may change. */
  readonly secrets?: LiveSecrets
  /** For an engine that leases secrets (`tx.lease`). */
  readonly leases?: LeaseHandler
  /** For an auth method (`tx.login`). */
  readonly logins?: LoginHandler
}

/**
 * An engine as a kernel is made of it: `F` holds the types of its facades on the kernel, `T` those on views of tokens, `S` those of its
 * services.
 */
export interface EngineValue<F extends object = object, T extends object = object, S extends object = object> extends Engine {
  /** Carries types only; there is no value. */
  readonly '~shows'?: readonly [F, T, S]
}

/** The facades of an engine, by name. */
type Facades<F extends object> = { readonly [K in keyof F]: Facade }

/** An engine with facades, whose types are `F` and, only on views made by `as(token)`, `T`. */
export const engineValue = <F extends object, T extends object = Record<never, never>, S extends object = Record<never, never>>(
  engine: Engine & {
    readonly facades?: Facades<F>
    readonly tokenFacades?: Facades<T>
    readonly services?: { readonly [K in keyof S]: (insides: never) => S[K] }
  },
): EngineValue<F, T, S> => engine

/** The engine as it is served: endpoints that the kernel's options switch off do not exist. */
export function asServed(engine: Engine, switches: Readonly<Partial<Record<SwitchableEndpoint, boolean>>>): Engine {
  if (!Object.values(switches).includes(false)) return engine
  const isOff = ({ switched }: AnyOperation): boolean => switched !== undefined && switches[switched] === false
  const all = Object.entries(engine.operations)
  if (!all.some(([, operation]) => isOff(operation))) return engine
  const served = all.map(([name, operation]) => [name, isOff(operation) ? { ...operation, disabled: true } : operation])
  return { ...engine, operations: Object.fromEntries(served) }
}
