/** Tokens: the auth method every namespace has, at `auth/token/`. Room: sys. Imported by the composition root. */
import type { Engine } from '../../core/mount/engine.ts'

const operations = {}

export const token = { type: 'token', mounts: 'system', keeps: 'core', operations, due: {} } satisfies Engine
