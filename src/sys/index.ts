/**
 * The operations of the kernel itself that every kernel has, at `sys/` of every namespace. The other operations of `sys/` belong to parts
 * that a kernel can do without (`sys-parts.ts`).
 */
import type { Engine } from '../core/contract/engine.ts'
import { mountOperations, mountPathOperations } from './mounts/index.ts'
import { rotateOperations, rotatePathOperations } from './rotate/index.ts'
import { sealOperations } from './seal/index.ts'
import { statusOperations } from './status/index.ts'

export { mountOperations, rotateOperations, statusOperations }

export const system = {
  type: 'system',
  mounts: 'system',
  keeps: 'core',
  operations: {
    ...statusOperations,
    ...sealOperations,
    ...rotateOperations,
    ...rotatePathOperations,
    ...mountPathOperations,
    ...mountOperations,
  },
  due: {},
} satisfies Engine
