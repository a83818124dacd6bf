/** Engines and facades whose code is loaded when it is first needed. */
import { DeferredCode } from '../base/deferred-code.ts'
import type { DeferredEngineValue, EngineManifest, LazyEngine, ManifestFacade } from './engine.ts'
import type { DeferredFacade } from './facade.ts'
import type { Operations } from './operation.ts'

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
