/**
 * Migration to store format 5, in which the class of a record is the first letter of its key.
 *
 * In format 4, the mount records, the data and the rotations of local mounts had class `r` (replicated to all secondaries). In format 5
 * they have class `l` (replicated to DR secondaries only). Anchors of audit chains, and secrets of sinks that the application provides, had
 * class `l` and now have class `i` (never replicated). The record of a mount is moved before the data of the mount. Every write below a
 * mount checks the mount's record, so no data can be added while the data is being moved.
 */
import { fromUtf8 } from '../base/bytes.ts'
import { isLocal, LOCAL_MOUNT, MOUNT } from '../contract/mount-record.ts'
import { decodeRecord } from '../contract/record-kind.ts'
import { coreRecordKey } from './core-key.ts'
import { dueEntry } from './due-entry.ts'
import type { FormatStep } from './format-step.ts'
import { guardOf } from './pending-writes.ts'
import { RecordMover } from './record-mover.ts'
import type { Store } from './store.ts'

const MOUNTS = coreRecordKey(MOUNT, '')

const LOCAL_MOUNTS = coreRecordKey(LOCAL_MOUNT, '')

/** Queues of background work whose items have the record class of the mount to which they belong. */
const LANES_OF_MOUNTS = ['rotation', 'credential'] as const

const DEVICES = 'l/core/audit-device/'

export const classByKey: FormatStep = {
  to: 5,
  needs: 'barrier',
  async run(upgrade) {
    const { store } = upgrade
    const moving = new RecordMover(upgrade)
    const guard = guardOf(MOUNTS)
    const [known] = await store.versions([guard])
    await moveMounts(store, moving)
    for (const uuid of await store.list(LOCAL_MOUNTS)) {
      await moving.all(`r/${uuid}/`, `l/${uuid}/`)
      await moving.all(guardOf(`r/${uuid}/`, ''), guardOf(`l/${uuid}/`, ''))
    }
    await moveDueWork(store, moving)
    await moveAudit(store, moving)
    await moving.flush()
    // The check fails if a process that runs an older release has created a mount since the list was read.
    return [{ op: 'check', key: guard, expect: known as number }]
  },
}

async function moveMounts(store: Store, moving: RecordMover): Promise<void> {
  const entries = await store.page(MOUNTS, {})
  const opened = await store.decryptAll(entries)
  for (const [index, entry] of entries.entries()) {
    if (isLocal(decodeRecord(MOUNT, opened[index]?.value ?? new Uint8Array())))
      await moving.one(entry, LOCAL_MOUNTS + entry.key.slice(MOUNTS.length))
  }
  await moving.flush()
}

async function moveDueWork(store: Store, moving: RecordMover): Promise<void> {
  const local = new Set(await store.list(LOCAL_MOUNTS))
  if (local.size === 0) return
  for (const lane of LANES_OF_MOUNTS) {
    const from = `r/due/${lane}/`
    await moving.all(from, `l/due/${lane}/`, (name) => local.has(dueEntry(lane, from + name).mount))
  }
}

async function moveAudit(store: Store, moving: RecordMover): Promise<void> {
  await moving.all('l/core/audit-chain/', 'i/core/audit-chain/')
  const secrets = await store.list('l/core/audit-secret/')
  // Read the list of devices after the secrets. A device and its secret are created in one commit, so the list contains the device of every
  // secret that was found.
  const devices = await store.scan(DEVICES, () => true)
  const ids = devices.map(({ value = new Uint8Array() }) => (JSON.parse(fromUtf8(value.subarray(1))) as { id: string }).id)
  const ofSinks = new Set(secrets.filter((name) => !ids.includes(name.slice(0, name.indexOf('/')))))
  await moving.all('l/core/audit-secret/', 'i/core/audit-secret/', (name) => ofSinks.has(name))
}
