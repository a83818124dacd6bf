/**
 * The records of mounts, which lie in one of two folders.
 */
import { LOCAL_MOUNT, MOUNT, type MountRecord, mountKind } from '../contract/mount-record.ts'
import type { Tx } from '../contract/tx.ts'
import { keyOf } from '../transaction/core-key.ts'

/** The record of a mount of which only the uuid is known; the commit depends on there being none where there is none. */
export const storedMount = (tx: Tx, uuid: string): MountRecord | undefined => tx.get(MOUNT, uuid) ?? tx.get(LOCAL_MOUNT, uuid)

export const putMount = (tx: Tx, record: MountRecord): void => tx.put(mountKind(record), record.uuid, record)

/** Changes the guard of the folder, so that concurrent decisions about a path are made again. */
export const dropMount = (tx: Tx, record: MountRecord): void => tx.delete(mountKind(record), record.uuid)

/** The keys that a mount's record may lie at. */
export const mountKeys = (uuid: string): readonly string[] => [keyOf(MOUNT, uuid), keyOf(LOCAL_MOUNT, uuid)]
