/** A mount: an engine at a path. */
import { CodeNotLoadedError } from '../base/deferred-code.ts'
import type { Engine } from '../contract/engine.ts'
import { isLocal, type MountRecord } from '../contract/mount-record.ts'
import { Executor } from '../transaction/executor.ts'
import type { Host } from '../transaction/host.ts'
import { Keyspace, type KeyspaceRules } from '../transaction/keyspace.ts'
import { RouteTable } from '../transaction/route-table.ts'

export class Mount {
  readonly record: MountRecord
  readonly engine: Engine
  readonly keyspace: Keyspace
  readonly executor: Executor

  constructor(record: MountRecord, engine: Engine, placeId: string, host: Host, rules: KeyspaceRules) {
    this.record = record
    this.engine = engine
    // The last argument: for a local mount, the keyspace stores records of class `r` (replicated to all secondaries) with class `l`
    // (replicated to DR secondaries only). It is false for an engine that uses the kernel's own records (another `placeId`), because the
    // kinds of those records already have the right class.
    this.keyspace = new Keyspace(placeId, host, rules, placeId === record.uuid && isLocal(record))
    this.executor = new Executor(host, this.keyspace)
  }

  /** @throws CodeNotLoadedError if the code of the operations at `path`, which is relative to the mount, is not loaded */
  assertLoaded(path: string): void {
    const load = async () => this.engine.load?.(path)
    if (this.engine.load?.(path)) throw new CodeNotLoadedError({ load }, `the code of ${this.record.path} is not loaded yet`)
  }

  /** The routes of the engine's operations. More operations exist after more code of the engine was loaded. */
  get routes(): RouteTable {
    return RouteTable.of(this.engine.operations)
  }
}
