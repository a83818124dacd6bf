/** The records of mounts. They are stored in two folders: one for replicated mounts, one for local mounts. */
import { LOCAL_MOUNT, MOUNT, type MountRecord, mountKind } from '../contract/mount-record.ts'
import type { Tx } from '../contract/tx.ts'
import { coreRecordKey } from '../transaction/core-key.ts'

/** The record of the mount with this uuid. If there is no record, the commit requires that none is added. */
export const storedMount = (tx: Tx, uuid: string): MountRecord | undefined => tx.get(MOUNT, uuid) ?? tx.get(LOCAL_MOUNT, uuid)

export const putMount = (tx: Tx, record: MountRecord): void => tx.put(mountKind(record), record.uuid, record)

/**
 * Deletes a mount's record. The deletion also changes the guard, a record that changes whenever a mount record is created or deleted. So a
 * concurrent write that decides whether a path is free runs again.
 */
export const dropMount = (tx: Tx, record: MountRecord): void => tx.delete(mountKind(record), record.uuid)

/** The keys at which a mount's record may be stored. */
export const mountKeys = (uuid: string): readonly string[] => [coreRecordKey(MOUNT, uuid), coreRecordKey(LOCAL_MOUNT, uuid)]
