/** The cubbyhole engine: private storage of a token, deleted together with the token. */
import type { Engine } from '../../core/contract/engine.ts'
import { deleteEntry, listEntries, readEntry, writeEntry } from './operations.ts'

export const cubbyhole = {
  type: 'cubbyhole',
  mounts: 'system',
  keeps: 'core',
  operations: { readEntry, writeEntry, deleteEntry, listEntries },
  due: {},
} satisfies Engine
