/**
 * Database plugins in the kernel's catalogue.
 */
import type { PluginKind } from '../../core/contract/engine.ts'
import { Connections } from './connections.ts'

export const PLUGINS: PluginKind = {
  type: 'database',
  given: ({ ports }) => Object.entries(ports.databases ?? {}).map(([name, { version = '' }]) => ({ name, version })),
  reload: (env, which) => Connections.of(env).forgetAll(which),
}
