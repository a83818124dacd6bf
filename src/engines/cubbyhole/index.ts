/**
 * The cubbyhole: what a token keeps for itself, gone with it.
 */
import type { Engine } from '../../core/contract/engine.ts'
import { deleteEntry, listEntries, readEntry, writeEntry } from './operations.ts'

export const cubbyhole = {
  type: 'cubbyhole',
  mounts: 'system',
  keeps: 'core',
  operations: { readEntry, writeEntry, deleteEntry, listEntries },
  due: {},
} satisfies Engine
