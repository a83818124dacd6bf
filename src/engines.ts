/**
 * `strongroom/engines`: the engines of this package, as functions, for `createKernel({ engines })` of `strongroom/kernel`. An engine's code is
 * loaded when a kernel is created with it.
 */

import type { ConfigServices } from './configsvc/engine.ts'
import type { ConfigOptions } from './configsvc/options.ts'
import type { LazyEngine } from './core/contract/engine.ts'
import type { CloudFacades } from './engines/cloud/engine.ts'
import type { CubbyholeFacades } from './engines/cubbyhole/engine.ts'
import type { DatabaseFacades } from './engines/database/engine.ts'
import type { KvFacades } from './engines/kv/engine.ts'
import type { OrchestratorFacades } from './engines/orchestrator/engine.ts'
import type { TransitFacades } from './engines/transit/engine.ts'
import type { PluginsFacades } from './sys/plugins/engine.ts'
import type { ReplicationFacades } from './sys/replication/engine.ts'
import type { SyncFacades } from './sys/sync/engine.ts'

export type { ConfigServices } from './configsvc/engine.ts'
export type { Cloud, CloudFacades } from './engines/cloud/engine.ts'
export type { Cubbyhole, CubbyholeFacades } from './engines/cubbyhole/engine.ts'
export type { Database, DatabaseFacades } from './engines/database/engine.ts'
export type { Kv, Kv2, KvFacades } from './engines/kv/engine.ts'
export type { Orchestrator, OrchestratorFacades } from './engines/orchestrator/engine.ts'
export type { Transit, TransitFacades } from './engines/transit/engine.ts'
export type { Plugins, PluginsFacades } from './sys/plugins/engine.ts'
export type { DrReplicationApi, ReplicationApi, ReplicationFacades } from './sys/replication/engine.ts'
export type { ExportsDrLost, ExportsLost } from './sys/replication/lost/export-lost.ts'
export type { ReconcileScope, Sync, SyncFacades } from './sys/sync/engine.ts'

/** Encryption, signatures, HMACs and keys: `kernel.transit`, mounted at `transit/` in a new store. */
export const transit = (): LazyEngine<TransitFacades> => ({
  type: 'transit',
  load: async () => (await import('./engines/transit/engine.ts')).transit(),
})

/** Secrets by path: `kernel.kv` and `kernel.kv2`. A new store has a mount of version 1 at `secret/`. */
export const kv = (): LazyEngine<KvFacades> => ({
  type: 'kv',
  load: async () => (await import('./engines/kv/engine.ts')).kv(),
})

/** Dynamic and static users of databases: `kernel.database`, mounted at `database/` in a new store. */
export const database = (): LazyEngine<DatabaseFacades> => ({
  type: 'database',
  load: async () => (await import('./engines/database/engine.ts')).database(),
})

/** Short-lived cloud credentials, and rotation of users' access keys: `kernel.cloud`, mounted at `cloud/` in a new store. */
export const cloud = (): LazyEngine<CloudFacades> => ({
  type: 'cloud',
  load: async () => (await import('./engines/cloud/engine.ts')).cloud(),
})

/** The private storage of a token, deleted together with it: `kernel.as(token).cubbyhole`. Every namespace has this mount. */
export const cubbyhole = (): LazyEngine<Record<never, never>, CubbyholeFacades> => ({
  type: 'cubbyhole',
  load: async () => (await import('./engines/cubbyhole/engine.ts')).cubbyhole(),
})

/** The auth method for Kubernetes service account tokens: `kernel.orchestrator`, mounted at `auth/orchestrator/` in a new store. */
export const orchestrator = (): LazyEngine<OrchestratorFacades> => ({
  type: 'orchestrator',
  load: async () => (await import('./engines/orchestrator/engine.ts')).orchestrator(),
})

/** The catalog of plugins and of plugin runtimes, below `sys/plugins/`: `kernel.plugins`. */
export const plugins = (): LazyEngine<PluginsFacades> => ({
  type: 'system',
  load: async () => (await import('./sys/plugins/engine.ts')).plugins(),
})

/** Replication, below `sys/replication/`: `kernel.replication`. */
export const replication = (): LazyEngine<ReplicationFacades> => ({
  type: 'system',
  load: async () => (await import('./sys/replication/engine.ts')).replication(),
})

/** Secret sync, below `sys/sync/`: `kernel.sync`. */
export const sync = (): LazyEngine<SyncFacades> => ({
  type: 'system',
  load: async () => (await import('./sys/sync/engine.ts')).sync(),
})

/** Creates the configuration service. @param options Default: the option `configsvc` of the kernel. */
export const configsvc = (options?: ConfigOptions): LazyEngine<object, object, ConfigServices> => ({
  type: 'system',
  load: async () => (await import('./configsvc/engine.ts')).configsvc(options),
})
