/** The manifests of the engines whose code is loaded when it is first needed say the same as the engines. */
import { describe, expect, it } from 'vitest'
import { composeKernel } from '../../../src/compose-kernel.ts'
import { DEFERRED_ENGINES, ENGINES } from '../../../src/conventional.ts'
import type { DeferredEngineValue, Engine, EngineManifest } from '../../../src/core/contract/engine.ts'
import { createDevKernel, type Kernel, keySeal, memoryStorage } from '../../../src/index.ts'
import { rotateOperations } from '../../../src/sys/administration/engine.ts'
import { ROTATION_FACADE } from '../../../src/sys/administration/manifest.ts'
import * as loaded from '../../fixtures/all-engines.ts'

/** The parts that add operations to an engine. */
const PARTS: readonly DeferredEngineValue[] = ENGINES.flatMap(({ deferredParts = [] }) => deferredParts)

const NAMED = [...DEFERRED_ENGINES, ...PARTS].map((value) => [value.manifest.part ?? value.type, value] as const)

/** The members of an engine that its manifest has with the same value. */
const STATIC = [
  'type',
  'aliases',
  'mounts',
  'keeps',
  'part',
  'needs',
  'fresh',
  'ports',
  'portChecks',
  'options',
  'events',
] as const satisfies readonly (keyof Engine & keyof EngineManifest)[]

/** The members of an engine that a kernel needs when it is created, and that no manifest has. */
const UNSUPPORTED = ['variant', 'services', 'tokenFacades', 'secrets'] as const satisfies readonly (keyof Engine)[]

/** The members of an engine of which the manifest says only whether the engine has them. */
const HANDLERS = ['leases', 'logins', 'plugins'] as const satisfies readonly (keyof Engine & keyof EngineManifest)[]

describe.each(NAMED)('the manifest of %s', (_, { manifest, load }) => {
  it.each(STATIC)('has the same %s as the engine', async (name) => {
    expect(manifest[name]).toEqual((await load())[name])
  })

  it.each(HANDLERS)('says whether the engine has the member %s', async (name) => {
    expect(manifest[name] === true).toBe((await load())[name] !== undefined)
  })

  it.each(UNSUPPORTED)('describes an engine without the member %s', async (name) => {
    expect((await load())[name]).toBeUndefined()
  })

  it('names the first segments of all its paths if it is a part of an engine', async () => {
    if (manifest.type !== 'system' && !PARTS.some((part) => part.manifest === manifest))
      return expect(manifest.segments).toBeUndefined()
    const operations = Object.values((await load()).operations)
    const paths = operations.flatMap(({ path, aliasPaths = [] }) => [path, ...aliasPaths])
    expect([...(manifest.segments ?? [])].sort()).toEqual([...new Set(paths.map((path) => path.split(/[/(]/)[1]))].sort())
  })
})

it('the engines that are loaded when a kernel is created, and those that are not, are all engines of the package', () => {
  const typesOf = (engines: readonly { readonly type: string }[]): string[] =>
    [...new Set(engines.map(({ type }) => type))].sort()
  expect(typesOf([...ENGINES, ...DEFERRED_ENGINES])).toEqual(typesOf(loaded.ENGINES))
})

/** The names of all members of an object and of its classes, with those of its groups; `self` means the object itself. */
function shapeOf(view: object): unknown {
  const names = new Set<string>()
  for (let at: object = view; at !== Object.prototype; at = Object.getPrototypeOf(at))
    for (const name of Object.getOwnPropertyNames(at)) if (name !== 'constructor') names.add(name)
  const members = view as Readonly<Record<string, unknown>>
  return Object.fromEntries(
    [...names].sort().map((name) => {
      const member = members[name]
      if (typeof member === 'function') return [name, 'method']
      return [name, member === view ? 'self' : shapeOf(member as object)]
    }),
  )
}

const FACADES = ['tokens', 'mounts', 'identity', ...NAMED.flatMap(([, { manifest }]) => Object.keys(manifest.facades))]

describe.each(FACADES)('kernel.%s', (name) => {
  const facadeOf = (kernel: object) => (kernel as Readonly<Record<string, object>>)[name] as object

  it('has the same members before and after its code is loaded, on the kernel and on views with a token', async () => {
    await using kernel = await createDevKernel()
    const options = { storage: memoryStorage(), seal: keySeal(new Uint8Array(32)), initialize: true }
    const { ENGINES, SYSTEM, FRESH_MOUNTS } = loaded
    await using whole: Kernel = (await composeKernel(options, ENGINES, SYSTEM, FRESH_MOUNTS)).kernel
    const shape = shapeOf(facadeOf(whole))
    expect(shapeOf(facadeOf(kernel))).toEqual(shape)
    expect(shapeOf(facadeOf(kernel.as('token')))).toEqual(shape)
  })
})

it('the methods of kernel.seal that rotate keys are those of the operations', () => {
  expect(ROTATION_FACADE.shape.methods).toEqual(Object.keys(rotateOperations))
})
