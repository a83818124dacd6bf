/** The engines of this package, as functions, for `createKernel({ engines })` of `strongroom/kernel`. */

export { type ConfigServices, configsvc } from './configsvc/engine.ts'
export { type Cloud, cloud } from './engines/cloud/engine.ts'
export { type Cubbyhole, cubbyhole } from './engines/cubbyhole/engine.ts'
export { type Database, database } from './engines/database/engine.ts'
export { type Kv, type Kv2, kv } from './engines/kv/engine.ts'
export { type Orchestrator, orchestrator } from './engines/orchestrator/engine.ts'
export { type Transit, transit } from './engines/transit/engine.ts'
export { type Plugins, plugins } from './sys/plugins/engine.ts'
export { type ReplicationApi, type ReplicationFacades, replication } from './sys/replication/engine.ts'
export { type ReconcileScope, type Sync, type SyncFacades, sync } from './sys/sync/engine.ts'
