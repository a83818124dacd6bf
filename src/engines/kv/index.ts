/**
 * The key/value engine, version 1. Room: engines/kv. Imported by the composition root.
 */
import type { Engine } from '../../core/mount/engine.ts'
import { deleteSecret, listSecrets, readSecret, writeSecret } from './operations.ts'

export const kv = {
  type: 'kv',
  aliases: ['generic'],
  mounts: 'secret',
  operations: { readSecret, writeSecret, deleteSecret, listSecrets },
  due: {},
} satisfies Engine
