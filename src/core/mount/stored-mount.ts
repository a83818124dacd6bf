/** The records of mounts, which are stored in one of two folders. */
import { LOCAL_MOUNT, MOUNT, type MountRecord, mountKind } from '../contract/mount-record.ts'
import type { Tx } from '../contract/tx.ts'
import { coreRecordKey } from '../transaction/core-key.ts'

/** The record of a mount by uuid. If there is none, the commit depends on its absence. */
export const storedMount = (tx: Tx, uuid: string): MountRecord | undefined => tx.get(MOUNT, uuid) ?? tx.get(LOCAL_MOUNT, uuid)

export const putMount = (tx: Tx, record: MountRecord): void => tx.put(mountKind(record), record.uuid, record)

/** Changes the guard of the folder, so that concurrent decisions about the path run again. */
export const dropMount = (tx: Tx, record: MountRecord): void => tx.delete(mountKind(record), record.uuid)

/** The keys at which a mount's record may be stored. */
export const mountKeys = (uuid: string): readonly string[] => [coreRecordKey(MOUNT, uuid), coreRecordKey(LOCAL_MOUNT, uuid)]
