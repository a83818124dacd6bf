/**
 * Mounts: engines at paths.
 */
import type { Engine } from '../contract/engine.ts'
import type { MountRecord } from '../contract/mount-record.ts'
import { Executor } from '../transaction/execute.ts'
import type { Host } from '../transaction/host.ts'
import { Place, type PlaceRules } from '../transaction/place.ts'
import { RouteTable } from '../transaction/routes.ts'

export class Mount {
  readonly record: MountRecord
  readonly engine: Engine
  readonly place: Place
  readonly executor: Executor
  readonly routes: RouteTable

  constructor(record: MountRecord, engine: Engine, placeId: string, host: Host, rules: PlaceRules) {
    this.record = record
    this.engine = engine
    this.place = new Place(placeId, host, rules)
    this.executor = new Executor(host, this.place)
    this.routes = RouteTable.of(engine.operations)
  }
}
