/** A batch in which only some items have a context is a caller error, so the whole batch is refused. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { operations } from '../../src/engines/transit/all-operations.ts'
import { createDevKernel, type Kernel } from '../../src/index.ts'

let kernel: Kernel
let ciphertext: string
const context = new Uint8Array([1])
const plaintext = new Uint8Array([97])
beforeAll(async () => {
  kernel = await createDevKernel()
  await kernel.transit.createKey({ name: 'k', derived: true })
  ciphertext = (await kernel.transit.encrypt({ name: 'k', plaintext, context })).ciphertext
})
afterAll(() => kernel.close())

/** Batch operations that create or open ciphertexts. */
const NAMES = Object.entries(operations).flatMap(([name, operation]) =>
  operation.batch && 'context' in operation.item && ('plaintext' in operation.item || 'ciphertext' in operation.item)
    ? [name as 'encrypt' | 'decrypt' | 'rewrap']
    : [],
)

it('the batch operations whose items have a context are encrypt, decrypt and rewrap', () => {
  expect(NAMES).toEqual(['encrypt', 'decrypt', 'rewrap'])
})

it.each(NAMES)('a %s request by path is refused if only some batch items have a context', async (name) => {
  const item = name === 'encrypt' ? { plaintext: 'YQ==' } : { ciphertext }
  const ask = (batch_input: readonly object[]) =>
    kernel.handle({
      method: 'POST',
      path: `/v1/transit/${name}/k`,
      headers: { 'X-Service-Token': kernel.rootToken },
      body: { batch_input },
    })
  const mixed = await ask([{ ...item, context: 'AQ==' }, item])
  expect(mixed.status).toBe(400)
  expect(mixed.body).toEqual({ errors: [expect.stringContaining('context')] })
  expect((await ask([item, { ...item, context: 'AQ==' }])).body).toEqual(mixed.body)
  expect((await ask([{ ...item, context: 'AQ==' }])).status).toBe(200)
})

it.each(NAMES)('a typed batch call of %s is refused if only some items have a context', async (name) => {
  const item = { plaintext, ciphertext }
  const { plaintext: _, ...opened } = item
  const one = name === 'encrypt' ? { plaintext } : opened
  const call = (batch_input: readonly object[]) =>
    (kernel.transit[`${name}Batch`] as (args: object) => Promise<unknown>)({ name: 'k', batch_input })
  await expect(call([{ ...one, context }, one])).rejects.toMatchObject({ code: 'ERR_INVALID_REQUEST' })
  await expect(call([{ ...one, context }])).resolves.toBeDefined()
})
