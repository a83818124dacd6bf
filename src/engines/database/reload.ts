import type { PluginKind } from '../../core/contract/engine.ts'
import { connectionsOf } from './connections.ts'

export const DATABASE_PLUGIN_KIND: PluginKind = {
  type: 'database',
  given: ({ ports }) => Object.entries(ports.databases ?? {}).map(([name, { version = '' }]) => ({ name, version })),
  reload: (env, which) => connectionsOf(env).closeAll(which),
}
