/** Manifests: the facts about an engine that a kernel needs before it loads the code of the engine. */
import { DeferredCode } from '../base/deferred-code.ts'
import type { DeferredFacade, Engine, FacadeParts, FacadeShape, LazyEngine } from './engine.ts'
import type { Operations } from './operation.ts'

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

/** Combines an engine with its manifest. */
export const deferred = <F extends object, T extends object, S extends object>(
  manifest: EngineManifest,
  engine: LazyEngine<F, T, S>,
): DeferredEngineValue<F, T, S> => ({ ...engine, manifest })

/** Returns a facade that does not belong to one kernel. @param importOperations Imports the operations when they are first needed. */
export function deferredFacade(facade: ManifestFacade, importOperations: () => Promise<Operations>): DeferredFacade {
  const code = new DeferredCode(`the methods at ${facade.path}`, importOperations)
  return {
    ...facade,
    load: async () => ({ path: facade.path, operations: await code.loaded() }),
  }
}
