import type { EngineManifest, ManifestFacade } from '../../core/contract/engine.ts'

/** The manifest of the identity store: the facts that a kernel needs before it loads the code. */
export const IDENTITY_MANIFEST = { type: 'identity', mounts: 'system', keeps: 'core', facades: {} } satisfies EngineManifest

/** `kernel.identity`. */
export const IDENTITY_FACADE: ManifestFacade = { path: 'identity/', shape: { methods: ['readEntity'] } }
