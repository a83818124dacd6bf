/** The key/value engine in both versions; the options of a mount choose one. */
import type { Engine } from '../../core/contract/engine.ts'
import type { MountRecord } from '../../core/contract/mount-record.ts'
import { deleteSecret, listSecrets, readSecret, writeSecret } from './v1/operations.ts'
import { kv2, kv2Operations } from './v2/index.ts'

export { kv2, kv2Operations }

const operations = { readSecret, writeSecret, deleteSecret, listSecrets }

/** Version 1, with which all mounts of the type begin. */
export const kv: Engine<typeof operations> = {
  type: 'kv',
  aliases: ['generic'],
  mounts: 'secret',
  variant: ({ options }: MountRecord): Engine => (options?.['version'] === '2' ? kv2 : kv),
  operations,
  due: {},
}
