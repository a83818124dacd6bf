// The entries of the package share their classes, so `instanceof` works with the class of any entry; and the stack of an error names the functions
// and files of the package, or the caller.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDevKernel, createKernel, KernelError, keySeal, memoryStorage } from 'strongroom'
import { createConfigService } from 'strongroom/configsvc'
import { decodeBase64, refuseLogin } from 'strongroom/engine'
import { transit } from 'strongroom/engines'
import { createKernel as createChosen } from 'strongroom/kernel'
import manifest from 'strongroom/package.json' with { type: 'json' }
import { openpgp } from 'strongroom/pgp/openpgp'
import { lmdbStorage } from 'strongroom/storage/lmdb'
import { postgresqlStorage } from 'strongroom/storage/postgresql'
import { NEEDS_FRAMEWORK } from './needs-framework.mjs'

const first = new Map()
let shared = 0
for (const subpath of Object.keys(manifest.exports)) {
  if (subpath.endsWith('.json') || NEEDS_FRAMEWORK.includes(subpath)) continue
  for (const [name, value] of Object.entries(await import(`strongroom${subpath.slice(1)}`))) {
    if (!/^class\b/.test(String(value))) continue
    const known = first.get(name)
    if (known) shared++
    else first.set(name, { value, subpath })
    assert.equal(value, known?.value ?? value, `${name} of ${subpath} is not that of ${known?.subpath}`)
  }
}
assert.ok(shared > 3)

const folder = mkdtempSync(join(tmpdir(), 'strongroom-entries-'))
const seal = keySeal(new Uint8Array(32).fill(7))
const lost = Object.assign(new Error('the connection was lost'), { code: 'ECONNRESET' })
const client = {
  query: () => Promise.reject(lost),
  on() {},
  once() {},
  off() {},
  removeListener() {},
  release() {},
}
const brokenPool = { query: () => Promise.reject(lost), connect: () => Promise.resolve(client), on() {}, off() {} }

/** Each call must fail with this class and code, and its stack must match. */
const FAILURES = {
  async 'the root entry'() {
    const kernel = await createDevKernel()
    try {
      await kernel.transit.readKey({ name: 'missing' })
    } finally {
      await kernel.close()
    }
  },
  async '/kernel with /engines'() {
    const kernel = await createChosen({ engines: [transit()], storage: memoryStorage(), seal, initialize: true })
    try {
      await kernel.transit.readKey({ name: 'missing' })
    } finally {
      await kernel.close()
    }
  },
  async '/configsvc'() {
    const service = await createConfigService({ storage: memoryStorage(), plaintext: true })
    try {
      await service.as('not a token').roles.list()
    } finally {
      await service.close()
    }
  },
  '/engine': () => {
    throw refuseLogin('too-many-failures')
  },
  '/engine, its functions': () => decodeBase64('*', 'value'),
  '/pgp/openpgp': () => openpgp().fingerprint('not a key'),
  async '/storage/lmdb'() {
    const storage = lmdbStorage({ path: folder })
    try {
      lmdbStorage({ path: join(folder, '.') })
    } finally {
      await storage.close()
    }
  },
  '/storage/postgresql': () => createKernel({ storage: postgresqlStorage({ pool: brokenPool }), seal, initialize: true }),
}

async function thrownBy(work) {
  try {
    await work()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}

/** A line of a stack with the name of a function and a file of the package, or a line of this file. */
const READABLE = /\n {4}at (?:.*[\w#]+ \(file:.*\/strongroom\/dist\/[\w./-]+\.js:\d+:\d+\)|.*entries\.mjs:\d+:\d+)/

try {
  for (const [name, work] of Object.entries(FAILURES)) {
    const error = await thrownBy(work)
    assert.ok(error instanceof KernelError, `${name}: ${error}`)
    assert.match(error.stack, /^KernelError: /, name)
    assert.match(error.stack, READABLE, name)
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
assert.match((await thrownBy(() => keySeal(new Uint8Array(3)))).stack, /\n {4}at (?:Module\.)?keySeal \(/)
console.log(`entries: ${first.size} classes, ${shared} shared by entries; ${Object.keys(FAILURES).length} failures`)
