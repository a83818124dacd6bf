/**
 * Mounts: engines at paths. Room: core/mount. Imported by the request layer, start-up and the composition root.
 */
import { Executor } from '../request/execute.ts'
import { RouteTable } from '../request/routes.ts'
import type { Host, PlaceRules } from '../transaction/host.ts'
import { Place } from '../transaction/host.ts'
import { jsonRecord } from '../transaction/record-kind.ts'
import type { Engine } from './engine.ts'

export interface MountRecord {
  /** Names the mount's part of the store; never changes. */
  readonly uuid: string
  readonly type: string
  /** Ends with a slash. */
  readonly path: string
  readonly accessor: string
}

/** Kept in the kernel's own part of the store, at `r/core/mount/<uuid>`. */
export const MOUNT = /* @__PURE__ */ jsonRecord<MountRecord>({ folder: 'mount', guarded: true })

export class Mount {
  readonly record: MountRecord
  readonly engine: Engine
  readonly place: Place
  readonly executor: Executor
  readonly routes: RouteTable

  constructor(record: MountRecord, engine: Engine, host: Host, rules: PlaceRules) {
    this.record = record
    this.engine = engine
    this.place = new Place(record.uuid, host, rules)
    this.executor = new Executor(host, this.place)
    this.routes = RouteTable.of(engine.operations)
  }
}
