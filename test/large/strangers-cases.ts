/**
 * The longest strings that a caller without a token can send, in every field of every unauthenticated operation. Sizes are checked before
 * any other work, so such a request neither fails nor blocks the process.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createDevKernel, createKernel, type Kernel, memoryStorage, shamirSeal } from '../../src/index.ts'
import { ENGINES } from '../fixtures/all-engines.ts'
import { P256, spkiPem } from '../unit/core/jwt/tokens.ts'
import type { Watch } from './stretch.ts'

const PLACES: Readonly<Record<string, string>> = { system: 'sys', orchestrator: 'auth/orchestrator' }

const OPERATIONS = ENGINES.flatMap(({ type, operations }) =>
  Object.values(operations)
    .filter(({ unauthenticated, verb, fields }) => unauthenticated && verb === 'POST' && Object.keys(fields).length > 0)
    .map(({ path, fields }) => [`${PLACES[type] ?? type}${path}`, Object.keys(fields)] as const),
)

/** Strings that look valid up to their end. */
const textsOf = (characters: number) => ({
  hexadecimal: 'ab'.repeat(characters / 2),
  'hexadecimal digits with one invalid character': `${'ab'.repeat(characters / 2)}z`,
  base64: 'QUJD'.repeat(characters / 4),
  'three parts': `a.${'b'.repeat(characters)}.c`,
  'letters without a dot': 'x'.repeat(characters),
  'a batch token': `b.${'A'.repeat(characters)}`,
  slashes: '/'.repeat(characters),
  blanks: ' '.repeat(characters),
  'line breaks': '\r\n'.repeat(characters / 2),
  'two-byte letters': 'É'.repeat(characters),
})

export function describeStrangers(characters: number, watch: Watch): void {
  let open: Kernel
  let sealed: Kernel

  beforeAll(async () => {
    open = await createDevKernel()
    await open.orchestrator.configure({ orchestrator_host: 'https://api.example', pem_keys: [spkiPem(P256)] })
    await open.orchestrator.writeRole({
      name: 'web',
      bound_service_account_names: ['*'],
      bound_service_account_namespaces: ['*'],
    })
    sealed = await createKernel({ storage: memoryStorage(), seal: shamirSeal() })
    await sealed.seal.initialize({ secret_shares: 3, secret_threshold: 2 })
  })
  afterAll(async () => {
    await open.close()
    await sealed.close()
  })

  it('the list of unauthenticated operations includes the orchestrator login', () =>
    expect(OPERATIONS.map(([path]) => path)).toContain('auth/orchestrator/login'))

  describe.each(OPERATIONS)('POST %s without a token', (path, names) => {
    it.each(Object.entries(textsOf(characters)))('does not fail for a long value of %s in any field', async (_, text) => {
      for (const kernel of [open, sealed])
        for (const name of names) {
          const others = { role: 'web', jwt: 'a.b.c', nonce: '', otp: 'x', encoded_token: 'eA' }
          await watch(async () => {
            const { status } = await kernel.handle({ method: 'POST', path: `/v1/${path}`, body: { ...others, [name]: text } })
            expect([name, status]).toEqual([name, expect.any(Number)])
            expect(status).toBeLessThan(kernel === open ? 500 : 504)
          })
        }
    })
  })
}
