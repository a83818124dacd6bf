import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDevKernel, type EventType, type Kernel } from '../../../src/index.ts'

const DECLARATIONS = [
  'core/contract/event',
  'engines/cloud/events',
  'engines/database/events',
  'engines/kv/events',
  'engines/transit/events',
  'sys/sync/events',
]

const declared = DECLARATIONS.flatMap((path) => {
  const text = readFileSync(new URL(`../../../src/${path}.ts`, import.meta.url), 'utf8')
  return [...text.matchAll(/^ +'([a-z_]+\.[a-z_]+)': /gm)].map(([, type]) => type as EventType)
})

describe('kernel.events', () => {
  let kernel: Kernel
  beforeAll(async () => {
    kernel = await createDevKernel()
  })
  afterAll(() => kernel.close())

  it('permits a listener for every declared event type', () => {
    expect(declared.length).toBeGreaterThan(60)
    for (const type of declared) kernel.events.on(type, () => undefined)()
    void kernel.events.stream({ types: declared }).return()
    kernel.events.on('*', () => undefined)()
  })

  it('refuses a listener for an undeclared event type', () => {
    const misspelled = declared.flatMap((type) => [type.slice(0, -1), `${type}s`, type.toUpperCase(), ` ${type}`])
    for (const type of [...misspelled, '', 'key.rotate', 'key.*', '**', 'toString', '__proto__', null, undefined, 5, {}]) {
      expect(() => kernel.events.on(type as EventType, () => undefined), String(type)).toThrow(TypeError)
      expect(() => kernel.events.stream({ types: [type as EventType] }), String(type)).toThrow(TypeError)
    }
    expect(() => kernel.events.stream({ types: 'key.rotated' as never })).toThrow(TypeError)
  })
})
