/** The identity store: its mount is there for the accessors and paths that clients know. Room: sys. Imported by the composition root. */
import type { Engine } from '../core/mount/engine.ts'

export const identity = { type: 'identity', mounts: 'system', keeps: 'core', operations: {}, due: {} } satisfies Engine
