/** A mount: an engine at a path. */
import type { Engine } from '../contract/engine.ts'
import { isLocal, type MountRecord } from '../contract/mount-record.ts'
import { Executor } from '../transaction/execute.ts'
import type { Host } from '../transaction/host.ts'
import { Place, type PlaceRules } from '../transaction/place.ts'
import { RouteTable } from '../transaction/routes.ts'

export class Mount {
  readonly record: MountRecord
  readonly engine: Engine
  readonly keyspace: Place
  readonly executor: Executor
  readonly routes: RouteTable

  constructor(record: MountRecord, engine: Engine, placeId: string, host: Host, rules: PlaceRules) {
    this.record = record
    this.engine = engine
    // Engines that use the kernel's own records declare their classes themselves.
    this.keyspace = new Place(placeId, host, rules, placeId === record.uuid && isLocal(record))
    this.executor = new Executor(host, this.keyspace)
    this.routes = RouteTable.of(engine.operations)
  }
}
