/**
 * The cloud engine: credentials of a cloud, made and taken away with their leases, or keys of users taken into care (spec document 1,
 * "Cloud engine").
 */
import type { Engine } from '../../core/contract/engine.ts'

export const cloud = {
  type: 'cloud',
  aliases: ['aws'],
  mounts: 'secret',
  operations: {},
  effects: [],
  due: {},
} satisfies Engine
