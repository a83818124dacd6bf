/** The operations that every kernel has at `sys/`: its state, its seal, its keys and its mounts. */
import type { Engine } from '../../core/contract/engine.ts'
import { mountOperations, mountPathOperations } from '../mounts/index.ts'
import { rotateOperations, rotatePathOperations } from '../rotate/index.ts'
import { sealOperations } from '../seal/index.ts'
import { statusOperations } from '../status/index.ts'
import { ADMINISTRATION_MANIFEST } from './manifest.ts'

export { mountOperations, rotateOperations }

const { segments: _segments, ...members } = ADMINISTRATION_MANIFEST

export const administration = {
  ...members,
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
