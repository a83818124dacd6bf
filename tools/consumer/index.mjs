// A program that has nothing but the packed package and its optional peers: every subpath loads, and a secret survives the round trip.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import manifest from 'strongroom/package.json' with { type: 'json' }
import { NEEDS_FRAMEWORK } from './needs-framework.mjs'

const modules = {}
for (const subpath of Object.keys(manifest.exports)) {
  if (subpath.endsWith('.json') || NEEDS_FRAMEWORK.includes(subpath)) continue
  const module = await import(join('strongroom', subpath).replaceAll('\\', '/'))
  assert.ok(Object.keys(module).length > 0, `${subpath} exports nothing`)
  modules[subpath] = module
}

const { createDevKernel, createKernel, keySeal } = modules['.']
const { lmdbStorage } = modules['./storage/lmdb']

async function roundTrip(kernel) {
  const plaintext = new TextEncoder().encode('a secret')
  await kernel.transit.createKey({ name: 'orders' })
  const { ciphertext } = await kernel.transit.encrypt({ name: 'orders', plaintext })
  assert.match(ciphertext, /^strongroom:v1:/)
  assert.deepEqual(new Uint8Array((await kernel.transit.decrypt({ name: 'orders', ciphertext })).plaintext), plaintext)
  await kernel.close()
}

await roundTrip(await createDevKernel())

const path = await mkdtemp(join(tmpdir(), 'strongroom-consumer-'))
const storage = lmdbStorage({ path: join(path, 'store') })
try {
  await roundTrip(await createKernel({ storage, seal: keySeal(new Uint8Array(32).fill(7)), initialize: true }))
} finally {
  await storage.close()
  await rm(path, { recursive: true, force: true })
}

// An engine is loaded when a kernel is created with it, and an engine that was not chosen is not there.
const chosen = await modules['./kernel'].createKernel({
  engines: [modules['./engines'].kv()],
  storage: modules['.'].memoryStorage(),
  seal: keySeal(new Uint8Array(32).fill(7)),
  initialize: true,
})
await chosen.kv.writeSecret({ path: 'app', data: { a: 1 } })
assert.equal(chosen.transit, undefined)
await chosen.close()

console.log(`consumer: ${Object.keys(modules).length} subpaths, 3 kernels`)
