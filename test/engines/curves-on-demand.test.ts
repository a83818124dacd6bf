/**
 * A backend that loads its curves on demand, as those of this package do, but in an instance of its own: other tests of the process have
 * loaded the code of this package.
 */
import '../fixtures/loaded-curves.ts'
import { describe, expect, it } from 'vitest'
import { CurveCode } from '../../src/core/crypto/curves/curve-code.ts'
import {
  type CryptoBackend,
  createDevKernel,
  createKernel,
  type Kernel,
  keySeal,
  memoryStorage,
  nobleCrypto,
} from '../../src/index.ts'
import { chaoticStorage, seededEntropy } from '../../src/testing/index.ts'
import { copyOfRecords, recordsOf } from '../fixtures/copied-store.ts'
import { bytesOf, utf8 } from '../property/support.ts'

const INPUT = utf8('what is signed')

/** @param failures How often the import fails before it succeeds. */
function lazyBackend(failures = 0) {
  const inner = nobleCrypto()
  const imports = { count: 0 }
  const curves = new CurveCode('test curves', async () => {
    imports.count++
    if (imports.count <= failures) throw new Error('no network')
    return inner
  })
  const crypto: CryptoBackend = {
    ...inner,
    ed25519Sign: (seed) => curves.code.ed25519Sign(seed),
    ecdsaGenerate: (curve, random) => curves.code.ecdsaGenerate(curve, random),
    ecdsaSign: (curve, scalar) => curves.code.ecdsaSign(curve, scalar),
  }
  return { crypto, imports }
}

const signs = async (kernel: Kernel, name: string): Promise<boolean> => {
  const { signature } = await kernel.transit.sign({ name, input: INPUT })
  return (await kernel.transit.verify({ name, input: INPUT, signature })).valid
}

describe('a kernel whose backend has not loaded its curves', () => {
  it('creates AES keys and encrypts without loading them', async () => {
    const { crypto, imports } = lazyBackend()
    await using kernel = await createDevKernel({ crypto })
    await kernel.transit.createKey({ name: 'aes' })
    await kernel.transit.encrypt({ name: 'aes', plaintext: INPUT })
    expect(imports.count).toBe(0)
  })

  it.each(['ecdsa-p256', 'ed25519'] as const)('loads them once for concurrent first keys of type %s', async (type) => {
    const { crypto, imports } = lazyBackend()
    await using kernel = await createDevKernel({ crypto })
    const names = ['a', 'b', 'c']
    await Promise.all(names.map((name) => kernel.transit.createKey({ name, type })))
    for (const name of names) expect(await signs(kernel, name)).toBe(true)
    expect(imports.count).toBe(1)
  })

  it('refuses a key with a 503 if they cannot be loaded, stores nothing, and loads them for the next key', async () => {
    const { crypto, imports } = lazyBackend(1)
    await using kernel = await createDevKernel({ crypto })
    const created = kernel.transit.createKey({ name: 'a', type: 'ecdsa-p256' })
    await expect(created).rejects.toMatchObject({ status: 503, message: 'the code of test curves could not be loaded; retry' })
    await expect(kernel.transit.readKey({ name: 'a' })).rejects.toMatchObject({ status: 404 })
    await kernel.transit.createKey({ name: 'a', type: 'ecdsa-p256' })
    expect(await signs(kernel, 'a')).toBe(true)
    expect(imports.count).toBe(2)
  })

  it.each(['ecdsa-p384', 'ed25519'] as const)('restores a backup of type %s, which is read in steps', async (type) => {
    await using source = await createDevKernel()
    await source.transit.createKey({ name: 'a', type, exportable: true, allow_plaintext_backup: true })
    const { backup } = await source.transit.backupKey({ name: 'a' })
    const { crypto, imports } = lazyBackend()
    await using kernel = await createDevKernel({ crypto })
    await kernel.transit.restoreKey({ name: 'restored', backup })
    expect(await signs(kernel, 'restored')).toBe(true)
    expect(imports.count).toBe(1)
  })

  it('opens a stored key that needs them while it is loaded', async () => {
    const storage = memoryStorage()
    const seal = keySeal(bytesOf(32, 9))
    await using first = await createKernel({ storage, seal, initialize: true })
    expect(await wrappedToken(first, first.rootToken)).toHaveLength(3)
    const { crypto, imports } = lazyBackend()
    const slow = chaoticStorage(await copyOfRecords(await recordsOf(storage)), { entropy: seededEntropy('curves') })
    await using kernel = await createKernel({ storage: slow, seal, crypto })
    expect(await wrappedToken(kernel, first.rootToken)).toHaveLength(3)
    expect(imports.count).toBe(1)
  })
})

/** The parts of a wrapping token as a JWT, which the key of the store signs. */
async function wrappedToken(kernel: Kernel, token: string | undefined): Promise<readonly string[]> {
  const headers = { 'X-Service-Token': token, 'X-Service-Wrap-TTL': '60s', 'X-Service-Wrap-Format': 'jwt' }
  const { body } = await kernel.handle({ method: 'GET', path: '/v1/sys/mounts', headers } as never)
  return (body as { readonly wrap_info?: { readonly token: string } }).wrap_info?.token.split('.') ?? []
}
