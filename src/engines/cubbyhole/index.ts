/**
 * The cubbyhole: what a token keeps for itself, gone with it. Room: engines/cubbyhole. Imported by the composition root.
 */
import type { Engine } from '../../core/mount/engine.ts'
import { deleteEntry, listEntries, readEntry, writeEntry } from './operations.ts'

export const cubbyhole = {
  type: 'cubbyhole',
  mounts: 'system',
  keeps: 'core',
  operations: { readEntry, writeEntry, deleteEntry, listEntries },
  due: {},
} satisfies Engine
