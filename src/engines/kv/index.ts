/** The key/value engine, versions 1 and 2. The mount option `version` selects the version. */
import type { Engine } from '../../core/contract/engine.ts'
import type { MountRecord } from '../../core/contract/mount-record.ts'
import { deleteSecret, listSecrets, readSecret, writeSecret } from './v1/operations.ts'
import { kv2, kv2Operations } from './v2/index.ts'

export { kv2, kv2Operations }

const operations = { readSecret, writeSecret, deleteSecret, listSecrets }

/** Version 1. A new mount of this type begins with version 1. */
export const kv: Engine<typeof operations> = {
  type: 'kv',
  aliases: ['generic'],
  mounts: 'secret',
  variant: ({ options }: MountRecord): Engine => (options?.['version'] === '2' ? kv2 : kv),
  operations,
  due: {},
}
