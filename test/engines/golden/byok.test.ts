import { constants, createDecipheriv, privateDecrypt } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Kernel } from '../../../src/index.ts'
import { kernelWithWrappingKey } from '../../fixtures/wrapping-kernel.ts'
import { ask, base64 } from '../../property/support.ts'
import { wrappingKey } from '../import-blob.ts'
import { bytes, describeGolden, golden, goldenPresent, type Texts, vaultKernel } from './load.ts'

interface Destination {
  readonly name: string
  readonly type: string
  readonly public_key: string
  readonly pkcs8: string
}
interface Source {
  readonly name: string
  readonly type: string
  readonly backup: string
  readonly exports?: Texts
  readonly pkcs8?: Texts
  readonly blobs: readonly { readonly destination: string; readonly hash: string; readonly keys: Texts }[]
}

const { destinations, sources } = goldenPresent
  ? golden<{ destinations: readonly Destination[]; sources: readonly Source[] }>('transit-byok')
  : { destinations: [], sources: [] }
const blobs = sources.flatMap((source) => source.blobs).length

/** Unwraps a blob with Node's crypto only. */
function open({ pkcs8, type }: Destination, blob: string, hash: string): string {
  const all = bytes(blob)
  const size = Number(type.split('-')[1]) / 8
  const key = `-----BEGIN PRIVATE KEY-----\n${pkcs8}\n-----END PRIVATE KEY-----`
  const padding = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: hash.toLowerCase() }
  const ephemeral = privateDecrypt({ key, ...padding }, all.subarray(0, size))
  const decipher = createDecipheriv('id-aes256-wrap-pad', ephemeral, Buffer.from('a65959a6', 'hex'))
  return base64(Buffer.concat([decipher.update(all.subarray(size)), decipher.final()]))
}

/** The wrapped bytes: a raw key or PKCS#8. */
const materialOf = ({ exports, pkcs8 }: Source): Texts => pkcs8 ?? exports ?? {}

describeGolden('transit-byok', `transit BYOK exports compared with OpenBao (${sources.length} sources, ${blobs} blobs)`, () => {
  let kernel: Kernel
  let secondKernel: Kernel
  const named = (name: string) => destinations.find((destination) => destination.name === name) as Destination

  beforeAll(async () => {
    kernel = await vaultKernel()
    secondKernel = await kernelWithWrappingKey()
    for (const { name, type, public_key } of destinations)
      expect(await ask(kernel, 'POST', `keys/${name}/import`, { type, public_key })).toMatchObject({ status: 204 })
    for (const { backup } of sources) expect(await ask(kernel, 'POST', 'restore', { backup })).toMatchObject({ status: 204 })
    const wrapping = await wrappingKey(secondKernel)
    expect(await ask(kernel, 'POST', 'keys/other/import', { type: 'rsa-4096', public_key: wrapping })).toMatchObject({
      status: 204,
    })
  })
  afterAll(async () => {
    await kernel.close()
    await secondKernel.close()
  })

  it.each(sources.map((source) => [source.name, source] as const))(
    'unwrap to the same key bytes as the recorded exports: %s',
    async (name, source) => {
      const material = materialOf(source)
      expect(Object.keys(material).length).toBeGreaterThan(0)
      for (const { destination, hash, keys } of source.blobs) {
        for (const [version, blob] of Object.entries(keys)) expect(open(named(destination), blob, hash)).toBe(material[version])
        const exported = await ask(kernel, 'GET', `byok-export/${destination}/${name}?hash=${hash}`)
        expect(exported.status).toBe(200)
        const wrapped = exported.data['keys'] as Texts
        expect(Object.keys(wrapped)).toEqual(Object.keys(material))
        for (const [version, blob] of Object.entries(wrapped))
          expect(open(named(destination), blob, hash)).toBe(material[version])
      }
      const latest = Object.keys(material).at(-1) as string
      const answer = await ask(kernel, 'GET', `byok-export/${destinations[0]?.name}/${name}/latest`)
      expect(Object.keys(answer.data['keys'] as Texts)).toEqual([latest])
    },
  )

  it.each(sources.map((source) => [source.name, source] as const))(
    'can be imported by another kernel: %s',
    async (name, source) => {
      const { data } = await ask(kernel, 'GET', `byok-export/other/${name}?hash=SHA384`)
      const [[first, blob] = ['', ''], ...rest] = Object.entries(data['keys'] as Texts)
      const request = { ciphertext: blob, hash_function: 'sha384' }
      const made = await ask(secondKernel, 'POST', `keys/${name}/import`, { ...request, type: source.type, exportable: true })
      expect(made.status).toBe(204)
      for (const [, ciphertext] of rest)
        expect((await ask(secondKernel, 'POST', `keys/${name}/import_version`, { ...request, ciphertext })).status).toBe(204)
      expect(first).toBe('1')
      const kind = source.pkcs8 ? 'signing-key' : source.type === 'hmac' ? 'hmac-key' : 'encryption-key'
      const [here, there] = [
        await ask(kernel, 'GET', `export/${kind}/${name}`),
        await ask(secondKernel, 'GET', `export/${kind}/${name}`),
      ]
      expect(there.data['keys']).toEqual(here.data['keys'])
    },
  )
})
