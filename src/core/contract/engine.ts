/** An engine: its operations, its scheduled background work, and its leases, logins and facades. */

import type { SwitchableEndpoint } from './admission-rules.ts'
import type { AnyEffect, DueEffect } from './effect.ts'
import type { Environment } from './environment.ts'
import type { DeferredFacade, Facade, FacadeParts, FacadeShape } from './facade.ts'
import type { Lane } from './lane.ts'
import type { LeaseHandler } from './lease-handler.ts'
import type { LiveSecrets } from './live-secrets.ts'
import type { LoginHandler } from './login-handler.ts'
import type { MountRecord } from './mount-record.ts'
import type { AnyOperation, Operations } from './operation.ts'
import type { PortRules } from './ports.ts'
import type { Tx } from './tx.ts'

/**
 * Runs one item of scheduled background work in a transaction. The changes are committed together with the removal of the item from the due
 * index, which lists background work by its time. The handler can add the item again for a later time.
 */
export type DueHandler = (tx: Tx, id: string) => void

// biome-ignore lint/suspicious/noExplicitAny: an engine's list contains due work of different types.
export type AnyDueEffect = DueEffect<any, any>

/** A mount of the engine that every new store contains. */
export interface FreshMount {
  /** The path of the mount, with a slash at the end. The path of an auth method begins with `auth/`. */
  readonly path: string
  readonly description: string
  readonly options?: Readonly<Record<string, string>>
}

/** A plugin that the application passed to the kernel, as the plugin catalog lists it. */
export interface GivenPlugin {
  readonly name: string
  /** `v1.2.3`; empty if unknown. */
  readonly version: string
}

/** A kind of plugin that an engine receives through a port. */
export interface PluginKind {
  /** The plugin type in the catalog, such as `database`. */
  readonly type: string
  readonly given: (env: Environment) => readonly GivenPlugin[]
  /** Closes the open connections of a plugin, or those of some mounts. A closed connection is opened again when it is next needed. */
  readonly reload: (env: Environment, which: { readonly plugin: string } | { readonly mounts: readonly string[] }) => void
}

export interface Engine<O extends Operations = Operations> {
  /** The type of the engine's mounts, shown as `mount_type`. */
  readonly type: string
  /** Other type names that create mounts of this engine. */
  readonly aliases?: readonly string[]
  /**
   * The paths at which the engine can be mounted. `auth`: below `auth/`. `secret`: at any other path. `system`: only the kernel creates a
   * mount of the engine, one in each namespace.
   */
  readonly mounts: 'secret' | 'auth' | 'system'
  /** `core`: the engine reads and writes the kernel's own records, and its mounts have no keyspace. */
  readonly keeps?: 'core'
  /** Returns the engine for a mount. It is another engine if the mount's record selects a variant, such as another version. */
  readonly variant?: (record: MountRecord) => Engine
  readonly operations: O
  /** Parts of the engine whose code is loaded when it is first needed: further operations, and further methods of its facades. */
  readonly deferredParts?: readonly DeferredEngineValue[]
  /** The name of the function that returns this engine, if it is a part of the engine at `sys/`. */
  readonly part?: string
  /** The parts of `sys/` that the engine needs. An engine with `leases` always needs the part `leases`. */
  readonly needs?: readonly string[]
  /** The engine's mounts in a new store. */
  readonly fresh?: readonly FreshMount[]
  /** The engine's ports in `createKernel({ ports })`. Each call has a time limit, and the type of each result is checked. */
  readonly ports?: Readonly<Record<string, PortRules>>
  /** Functions that validate ports whose members the application names, instead of `ports`. @throws TypeError */
  readonly portChecks?: Readonly<Record<string, (port: never) => void>>
  readonly plugins?: PluginKind | undefined
  /** Additional options of `createKernel`. The engine validates them. */
  readonly options?: readonly string[]
  /**
   * Objects that become properties of the kernel under these names and that belong to no mount. Each object is created once per kernel,
   * when the kernel is assembled.
   */
  readonly services?: Readonly<Record<string, (internals: never) => object>>
  /** Called once per kernel, when the kernel is assembled, to attach background services. */
  readonly attach?: (internals: never) => void
  /** Facades by name, on the kernel and on every object that `kernel.as(token)` returns. */
  readonly facades?: Readonly<Record<string, Facade | DeferredFacade>>
  /** Facades that exist only on views made by `as(token)`. */
  readonly tokenFacades?: Readonly<Record<string, Facade>>
  readonly due: Readonly<Partial<Record<Lane, DueHandler | AnyDueEffect>>>
  /** The types of events that the engine publishes. Publishing another type (`tx.event`) and subscribing to an unknown type are refused. */
  readonly events?: readonly string[]
  /** All effects of the engine. Recovery finds the effect of a stored intent in this list, by name. */
  readonly effects?: readonly AnyEffect[]
  /**
   * Required if the engine's secrets can be synchronized to external stores. Such an engine must call `tx.secretChanged` whenever the
   * current value of a secret may have changed.
   */
  readonly secrets?: LiveSecrets
  /** Renews and revokes leases. Required if the engine leases secrets (`tx.lease`). */
  readonly leases?: LeaseHandler
  /** Renews tokens. Required if the engine is an auth method (`tx.login`). */
  readonly logins?: LoginHandler
  /**
   * Loads the code that the operations at `path` need; without a path, all code of the engine. Returns undefined if that code is loaded.
   * Absent if all code was loaded before the kernel was created.
   * @param path Relative to the mount.
   */
  readonly load?: (path?: string) => Promise<void> | undefined
}

/**
 * An engine with the types of its facades and services: `F` has the facades on the kernel, `T` the facades on views made by `as(token)`,
 * and `S` the services.
 */
export interface EngineValue<F extends object = object, T extends object = object, S extends object = object> extends Engine {
  /** Exists only for the compiler; never set. */
  readonly '~shows'?: readonly [F, T, S]
}

/** An engine of this package that is loaded when a kernel is created with it. */
export interface LazyEngine<F extends object = object, T extends object = object, S extends object = object> {
  /** The type of the engine's mounts. */
  readonly type: string
  /** Loads the modules of the engine. */
  readonly load: () => Promise<EngineValue<F, T, S>>
  /** Exists only for the compiler; never set. */
  readonly '~shows'?: readonly [F, T, S]
}

/** The members of an engine that a kernel needs when it is created. The manifest and the engine have the same values. */
export type StaticMembers = Pick<
  Engine,
  'type' | 'aliases' | 'mounts' | 'keeps' | 'part' | 'needs' | 'fresh' | 'ports' | 'portChecks' | 'options' | 'events'
>

/** A facade in a manifest. */
export interface ManifestFacade {
  readonly path: string
  readonly shape: FacadeShape
  /** Returns additional methods that do not need the code of the engine. */
  // biome-ignore lint/suspicious/noExplicitAny: the view's type differs for each facade.
  readonly methods?: (view: any, parts: FacadeParts) => object
}

/** The facts about an engine that a kernel needs before it loads the code of the engine. */
export interface EngineManifest extends StaticMembers {
  readonly facades: Readonly<Record<string, ManifestFacade>>
  /** For a part of `sys/`: the first segments of the paths of its operations. A request for such a path loads the code. */
  readonly segments?: readonly string[]
  /** Set if the engine leases secrets. */
  readonly leases?: true
  /** Set if the engine is an auth method. */
  readonly logins?: true
  /** Set if the engine receives plugins through a port. */
  readonly plugins?: true
  /**
   * Called once per kernel, when the kernel is assembled, to observe whether the kernel needs the code. `load` loads the code and attaches
   * the background services of the engine.
   */
  readonly attach?: (internals: never, load: () => Promise<void>) => void
}

/** An engine whose code a kernel loads when the code is first needed. */
export interface DeferredEngineValue<F extends object = object, T extends object = object, S extends object = object>
  extends LazyEngine<F, T, S> {
  readonly manifest: EngineManifest
}

/** An engine that an application can choose for a kernel. */
export type EngineChoice<F extends object = object, T extends object = object, S extends object = object> =
  | EngineValue<F, T, S>
  | LazyEngine<F, T, S>

/** The facades of an engine, by name. */
type Facades<F extends object> = { readonly [K in keyof F]: Facade }

/**
 * Declares an engine with its facades. `F` is the type of the facades on the kernel, and `T` is the type of the facades on views made by
 * `as(token)`.
 */
export const engineValue = <F extends object, T extends object = Record<never, never>, S extends object = Record<never, never>>(
  engine: Engine & {
    readonly facades?: Facades<F>
    readonly tokenFacades?: Facades<T>
    readonly services?: { readonly [K in keyof S]: (internals: never) => S[K] }
  },
): EngineValue<F, T, S> => engine

/** Returns the engine without the endpoints that the kernel's options switch off. */
export function asServed(engine: Engine, switches: Readonly<Partial<Record<SwitchableEndpoint, boolean>>>): Engine {
  if (!Object.values(switches).includes(false)) return engine
  const isOff = ({ switched }: AnyOperation): boolean => switched !== undefined && switches[switched] === false
  const all = Object.entries(engine.operations)
  if (!all.some(([, operation]) => isOff(operation))) return engine
  const served = all.map(([name, operation]) => [name, isOff(operation) ? { ...operation, disabled: true } : operation])
  return { ...engine, operations: Object.fromEntries(served) }
}
