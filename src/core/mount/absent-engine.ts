import type { Engine } from '../contract/engine.ts'
import { isAuth, type MountRecord } from '../contract/mount-record.ts'

/** A placeholder for an engine that this kernel does not have. Its mounts answer 404, and their background work stays scheduled. */
export const absentEngine = (record: MountRecord): Engine => ({
  type: record.type,
  mounts: isAuth(record) ? 'auth' : 'secret',
  operations: {},
  due: {},
})
